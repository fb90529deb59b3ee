/* SPDX-License-Identifier: Apache-2.0 */
#include "object_internal.h"

#include <inttypes.h>

/*
 * Headers are checked here, on the bytes, before libelf sees the file: its own checks are made for
 * honest files and its messages have no offsets. Field offsets: System V ABI, chapter 4, ELF64.
 */

const char *ez_elf_machine_name(uint16_t machine) {
    switch (machine) {
    case EM_386:
        return "x86";
    case EM_X86_64:
        return "x86-64";
    case EM_ARM:
        return "Arm";
    case EM_AARCH64:
        return "AArch64";
    case EM_PPC64:
        return "PowerPC64";
    case EM_RISCV:
        return "RISC-V";
    case EM_CUDA:
        return "NVIDIA CUDA";
    case EM_AMDGPU:
        return "AMDGPU";
    default:
        return "unknown";
    }
}

static ez_status check_ident(const uint8_t *b, size_t size, ez_error *err) {
    static const uint8_t magic[4] = {0x7f, 'E', 'L', 'F'};
    if (size < 4 || memcmp(b, magic, 4) != 0) {
        if (!size) return ez_error_at(err, EZ_ERR_FORMAT, 0, "not an ELF file: it is empty");
        return ez_error_at(err, EZ_ERR_FORMAT, 0,
                           "not an ELF file: it starts with %02x %02x %02x %02x, expected "
                           "7f 45 4c 46",
                           b[0], size > 1 ? b[1] : 0, size > 2 ? b[2] : 0, size > 3 ? b[3] : 0);
    }
    if (size < sizeof(Elf64_Ehdr))
        return ez_error_at(err, EZ_ERR_FORMAT, size,
                           "truncated ELF file: %zu bytes, the header alone has 64", size);
    if (b[EI_CLASS] != ELFCLASS64)
        return ez_error_at(err, EZ_ERR_FORMAT, EI_CLASS, "ELF class %u, expected 2 (64 bits)",
                           b[EI_CLASS]);
    if (b[EI_DATA] != ELFDATA2LSB)
        return ez_error_at(err, EZ_ERR_FORMAT, EI_DATA,
                           "ELF data encoding %u, expected 1 (little-endian)", b[EI_DATA]);
    if (b[EI_VERSION] != EV_CURRENT || ez_le32(b + 20) != EV_CURRENT)
        return ez_error_at(err, EZ_ERR_FORMAT, EI_VERSION, "ELF version %u, expected 1",
                           b[EI_VERSION] != EV_CURRENT ? b[EI_VERSION] : ez_le32(b + 20));
    return EZ_OK;
}

/* A table of headers that the ELF header announces: all of it in the file, entries of one size. */
static ez_status check_table(const char *what, size_t field, uint64_t offset, size_t count,
                             size_t entry, size_t expected, size_t size, ez_error *err) {
    if (!count) return EZ_OK;
    if (entry != expected)
        return ez_error_at(err, EZ_ERR_FORMAT, field, "%s entries have %zu bytes, expected %zu",
                           what, entry, expected);
    if (!ez_within(offset, count * (uint64_t)entry, size))
        return ez_error_at(err, EZ_ERR_FORMAT, offset,
                           "truncated ELF file: the %s table of %zu entries at offset %" PRIu64
                           " ends beyond the %zu bytes of the file",
                           what, count, offset, size);
    return EZ_OK;
}

static ez_status check_header(ez_elf *elf, uint16_t machine, ez_error *err) {
    const uint8_t *b = elf->bytes;
    ez_status status = check_ident(b, elf->size, err);
    if (status) return status;
    elf->osabi = b[EI_OSABI];
    elf->abi_version = b[EI_ABIVERSION];
    elf->type = ez_le16(b + 16);
    elf->machine = ez_le16(b + 18);
    elf->flags = ez_le32(b + 48);
    uint64_t phoff = ez_le64(b + 32), shoff = ez_le64(b + 40);
    elf->phnum = ez_le16(b + 56);
    elf->shnum = ez_le16(b + 60);
    elf->shstrndx = ez_le16(b + 62);
    if (machine && elf->machine != machine)
        return ez_error_at(err, EZ_ERR_FORMAT, 18, "wrong ELF machine %u (%s), expected %u (%s)",
                           elf->machine, ez_elf_machine_name(elf->machine), machine,
                           ez_elf_machine_name(machine));
    if (ez_le16(b + 52) != sizeof(Elf64_Ehdr))
        return ez_error_at(err, EZ_ERR_FORMAT, 52, "ELF header size %u, expected 64",
                           ez_le16(b + 52));
    /* More than 65,279 of either is written in section 0; no compiler makes such code objects. */
    if (elf->phnum == PN_XNUM || (shoff && !elf->shnum) || elf->shstrndx >= SHN_LORESERVE)
        return ez_error_at(err, EZ_ERR_UNSUPPORTED, 56, "extended ELF section numbering");
    status = check_table("program header", 54, phoff, elf->phnum, ez_le16(b + 54),
                         sizeof(Elf64_Phdr), elf->size, err);
    if (!status)
        status = check_table("section header", 58, shoff, elf->shnum, ez_le16(b + 58),
                             sizeof(Elf64_Shdr), elf->size, err);
    if (!status && elf->shnum && elf->shstrndx >= elf->shnum)
        status = ez_error_at(err, EZ_ERR_FORMAT, 62,
                             "section name table is section %zu, the file has %zu", elf->shstrndx,
                             elf->shnum);
    return status;
}

static ez_status check_segment(const ez_elf *elf, size_t index, ez_error *err) {
    uint64_t at = ez_le64(elf->bytes + 32) + index * sizeof(Elf64_Phdr);
    const uint8_t *h = elf->bytes + at;
    uint64_t offset = ez_le64(h + 8), address = ez_le64(h + 16);
    uint64_t file_size = ez_le64(h + 32), memory_size = ez_le64(h + 40);
    if (!ez_within(offset, file_size, elf->size))
        return ez_error_at(err, EZ_ERR_FORMAT, at,
                           "truncated ELF file: segment %zu has %" PRIu64 " bytes at offset "
                           "%" PRIu64 ", the file has %zu bytes",
                           index, file_size, offset, elf->size);
    if (ez_le32(h) != PT_LOAD) return EZ_OK;
    if (file_size > memory_size)
        return ez_error_at(err, EZ_ERR_FORMAT, at,
                           "segment %zu has %" PRIu64 " bytes in the file but %" PRIu64
                           " in memory",
                           index, file_size, memory_size);
    if (memory_size > UINT64_MAX - address)
        return ez_error_at(err, EZ_ERR_FORMAT, at,
                           "segment %zu of %" PRIu64 " bytes at address 0x%" PRIx64 " wraps around",
                           index, memory_size, address);
    uint64_t align = ez_le64(h + 48);
    if (align & (align - 1))
        return ez_error_at(err, EZ_ERR_FORMAT, at,
                           "segment %zu is aligned to %" PRIu64 ", which is no power of two", index,
                           align);
    return EZ_OK;
}

static ez_status check_section(const ez_elf *elf, size_t index, ez_error *err) {
    uint64_t table = ez_le64(elf->bytes + 40), at = table + index * sizeof(Elf64_Shdr);
    const uint8_t *h = elf->bytes + at;
    uint32_t type = ez_le32(h + 4), link = ez_le32(h + 40);
    uint64_t flags = ez_le64(h + 8), offset = ez_le64(h + 24), size = ez_le64(h + 32);
    if (type == SHT_NULL || type == SHT_NOBITS) return EZ_OK;
    if (!ez_within(offset, size, elf->size))
        return ez_error_at(err, EZ_ERR_FORMAT, at,
                           "truncated ELF file: section %zu has %" PRIu64 " bytes at offset "
                           "%" PRIu64 ", the file has %zu bytes",
                           index, size, offset, elf->size);
    uint64_t entry = type == SHT_SYMTAB || type == SHT_DYNSYM ? sizeof(Elf64_Sym)
                     : type == SHT_RELA                       ? sizeof(Elf64_Rela)
                                                              : 0;
    if (entry && (ez_le64(h + 56) != entry || size % entry))
        return ez_error_at(err, EZ_ERR_FORMAT, at,
                           "section %zu of %" PRIu64 " bytes has entries of %" PRIu64
                           " bytes, expected %" PRIu64,
                           index, size, ez_le64(h + 56), entry);
    if (entry && (flags & SHF_COMPRESSED))
        return ez_error_at(err, EZ_ERR_UNSUPPORTED, at, "section %zu is compressed", index);
    if (entry && link >= elf->shnum)
        return ez_error_at(err, EZ_ERR_FORMAT, at,
                           "section %zu is linked to section %" PRIu32 ", the file has %zu", index,
                           link, elf->shnum);
    bool strings = type == SHT_SYMTAB || type == SHT_DYNSYM;
    uint32_t linked = entry ? ez_le32(elf->bytes + table + link * sizeof(Elf64_Shdr) + 4) : 0;
    if (strings && linked != SHT_STRTAB)
        return ez_error_at(err, EZ_ERR_FORMAT, at,
                           "symbol table section %zu is linked to section %" PRIu32
                           ", which is no string table",
                           index, link);
    return EZ_OK;
}

ez_status ez_elf_open(const void *bytes, size_t size, uint16_t machine, ez_elf *elf,
                      ez_error *err) {
    *elf = (ez_elf){.bytes = bytes, .size = size};
    ez_status status = check_header(elf, machine, err);
    for (size_t i = 0; !status && i < elf->phnum; i++)
        status = check_segment(elf, i, err);
    for (size_t i = 0; !status && i < elf->shnum; i++)
        status = check_section(elf, i, err);
    if (status) return status;
    /* libelf takes a pointer to non-const, and writes only to files opened for it. */
    if (elf_version(EV_CURRENT) != EV_NONE) elf->elf = elf_memory((char *)(uintptr_t)bytes, size);
    if (!elf->elf) return ez_error_at(err, EZ_ERR_FORMAT, 0, "libelf: %s", elf_errmsg(-1));
    return EZ_OK;
}

void ez_elf_close(ez_elf *elf) {
    if (elf->elf) elf_end(elf->elf);
    elf->elf = NULL;
}

ez_status ez_elf_section(const ez_elf *elf, size_t index, GElf_Shdr *header, ez_error *err) {
    if (gelf_getshdr(elf_getscn(elf->elf, index), header)) return EZ_OK;
    return ez_error_set(err, EZ_ERR_FORMAT, "section %zu: %s", index, elf_errmsg(-1));
}

ez_status ez_elf_segment(const ez_elf *elf, size_t index, GElf_Phdr *header, ez_error *err) {
    if (gelf_getphdr(elf->elf, (int)index, header)) return EZ_OK;
    return ez_error_set(err, EZ_ERR_FORMAT, "segment %zu: %s", index, elf_errmsg(-1));
}

ez_status ez_elf_string(const ez_elf *elf, size_t strtab, uint64_t offset, const char **text,
                        ez_error *err) {
    GElf_Shdr table;
    ez_status status = ez_elf_section(elf, strtab, &table, err);
    if (status) return status;
    if (table.sh_type != SHT_STRTAB)
        return ez_error_at(err, EZ_ERR_FORMAT, 0, "section %zu is no string table", strtab);
    /* A final NUL, which ELF demands of string tables, ends every string in it. */
    if (offset >= table.sh_size || elf->bytes[table.sh_offset + table.sh_size - 1] != 0)
        return ez_error_at(err, EZ_ERR_FORMAT, table.sh_offset,
                           "string %" PRIu64 " of the string table of %" PRIu64
                           " bytes in section %zu is not inside or has no end",
                           offset, (uint64_t)table.sh_size, strtab);
    *text = (const char *)elf->bytes + table.sh_offset + offset;
    return EZ_OK;
}
