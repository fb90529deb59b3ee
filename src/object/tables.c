/* SPDX-License-Identifier: Apache-2.0 */
#include "object_internal.h"

#include <inttypes.h>
#include <stdlib.h>

/* Larger than the memory of any GPU; keeps sums of addresses far from overflow. */
#define ADDRESS_MAX (UINT64_C(1) << 40)

/* Section types newer than the system's elf.h: compact forms of relocation tables. */
enum { SHT_RELR_ = 19, SHT_CREL_ = 0x40000014, SHT_ANDROID_REL = 0x60000001 };
enum { STT_AMDGPU_HSA_KERNEL = 10 };

static ez_status read_segments(ez_object *object, const ez_elf *elf, ez_error *err) {
    object->segments = ez_arena_alloc(&object->arena, elf->phnum, sizeof *object->segments);
    if (!object->segments) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    uint64_t end = 0;
    for (size_t i = 0; i < elf->phnum; i++) {
        GElf_Phdr h;
        ez_status status = ez_elf_segment(elf, i, &h, err);
        if (status) return status;
        if (h.p_type != PT_LOAD || !h.p_memsz) continue;
        uint64_t at = ez_le64(elf->bytes + 32) + i * sizeof(Elf64_Phdr);
        /* ELF demands ascending addresses; bytes_at() and loaders rely on it. */
        if (h.p_vaddr < end)
            return ez_error_at(err, EZ_ERR_FORMAT, at,
                               "segment %zu at address 0x%" PRIx64 " overlaps or precedes the one "
                               "before it, which ends at 0x%" PRIx64,
                               i, (uint64_t)h.p_vaddr, end);
        end = h.p_vaddr + h.p_memsz;
        if (end > ADDRESS_MAX)
            return ez_error_at(
                err, EZ_ERR_FORMAT, at,
                "segment %zu ends at address 0x%" PRIx64 ", more than any GPU's memory", i, end);
        object->segments[object->segment_count++] = (ez_segment){.address = h.p_vaddr,
                                                                 .memory_size = h.p_memsz,
                                                                 .file_offset = h.p_offset,
                                                                 .file_size = h.p_filesz,
                                                                 .alignment = h.p_align,
                                                                 .flags = h.p_flags & 7,
                                                                 .bytes = elf->bytes + h.p_offset};
    }
    if (!object->relocatable && !object->segment_count)
        return ez_error_set(err, EZ_ERR_FORMAT,
                            "nothing to load: no program header of type PT_LOAD with a size");
    return EZ_OK;
}

static ez_status read_sections(ez_object *object, const ez_elf *elf, ez_error *err) {
    object->sections = ez_arena_alloc(&object->arena, elf->shnum, sizeof *object->sections);
    if (!object->sections) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    object->section_count = elf->shnum;
    for (size_t i = 0; i < elf->shnum; i++) {
        GElf_Shdr h;
        ez_section *section = &object->sections[i];
        ez_status status = ez_elf_section(elf, i, &h, err);
        section->name = "";
        if (!status && elf->shstrndx != SHN_UNDEF && i)
            status = ez_elf_string(elf, elf->shstrndx, h.sh_name, &section->name, err);
        if (status) return status;
        section->type = h.sh_type;
        section->flags = h.sh_flags;
        section->address = h.sh_addr;
        section->file_offset = h.sh_offset;
        section->size = h.sh_size;
        section->alignment = h.sh_addralign;
        if (h.sh_type != SHT_NULL && h.sh_type != SHT_NOBITS)
            section->bytes = elf->bytes + h.sh_offset;
    }
    return EZ_OK;
}

static ez_symbol_type symbol_type(const char *name, unsigned type, unsigned version) {
    size_t length = strlen(name);
    switch (type) {
    case STT_NOTYPE:
        return EZ_SYMBOL_NONE;
    case STT_FUNC:
        return EZ_SYMBOL_FUNCTION;
    case STT_SECTION:
        return EZ_SYMBOL_SECTION;
    case STT_FILE:
        return EZ_SYMBOL_FILE;
    case STT_OBJECT:
        if (version > 2 && length > 3 && strcmp(name + length - 3, ".kd") == 0)
            return EZ_SYMBOL_KERNEL_DESCRIPTOR;
        return EZ_SYMBOL_OBJECT;
    case STT_AMDGPU_HSA_KERNEL:
        return version == 2 ? EZ_SYMBOL_KERNEL_CODE : EZ_SYMBOL_OTHER;
    default:
        return EZ_SYMBOL_OTHER;
    }
}

/* Symbols of section `index`, without the empty one that ELF begins with. */
static ez_status read_symbols(ez_object *object, const ez_elf *elf, size_t index,
                              ez_symbol **symbols, size_t *count, ez_error *err) {
    GElf_Shdr h;
    ez_status status = ez_elf_section(elf, index, &h, err);
    if (status) return status;
    Elf_Data *data = elf_getdata(elf_getscn(elf->elf, index), NULL);
    size_t total = h.sh_size / sizeof(Elf64_Sym);
    if (total > INT32_MAX || (total && !data))
        return ez_error_at(err, EZ_ERR_FORMAT, h.sh_offset, "symbol table: %s", elf_errmsg(-1));
    *symbols = ez_arena_alloc(&object->arena, total, sizeof **symbols);
    if (!*symbols) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    for (size_t i = 1; i < total; i++) {
        GElf_Sym s;
        uint64_t at = h.sh_offset + i * sizeof(Elf64_Sym);
        if (!gelf_getsym(data, (int)i, &s))
            return ez_error_at(err, EZ_ERR_FORMAT, at, "symbol %zu: %s", i, elf_errmsg(-1));
        ez_symbol *symbol = &(*symbols)[i - 1];
        status = ez_elf_string(elf, h.sh_link, s.st_name, &symbol->name, err);
        if (status) return status;
        bool reserved = s.st_shndx >= SHN_LORESERVE && s.st_shndx != SHN_XINDEX;
        if (s.st_shndx >= elf->shnum && !reserved)
            return ez_error_at(err, EZ_ERR_FORMAT, at,
                               "symbol %zu is in section %u, the file has %zu", i, s.st_shndx,
                               elf->shnum);
        symbol->value = s.st_value;
        symbol->size = s.st_size;
        symbol->section = s.st_shndx;
        symbol->binding = GELF_ST_BIND(s.st_info);
        symbol->type = symbol_type(symbol->name, GELF_ST_TYPE(s.st_info), object->version);
    }
    *count = total ? total - 1 : 0;
    return EZ_OK;
}

static int compare_symbols(const void *a, const void *b) {
    const ez_symbol *x = *(const ez_symbol *const *)a, *y = *(const ez_symbol *const *)b;
    int order = strcmp(x->name, y->name);
    return order ? order : x < y ? -1 : x > y;
}

static ez_status index_symbols(ez_object *object, ez_error *err) {
    object->symbols_by_name =
        ez_arena_alloc(&object->arena, object->symbol_count, sizeof *object->symbols_by_name);
    if (!object->symbols_by_name) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    for (size_t i = 0; i < object->symbol_count; i++)
        if (object->symbols[i].section != EZ_SECTION_UNDEFINED && object->symbols[i].name[0])
            object->symbols_by_name[object->defined_count++] = &object->symbols[i];
    qsort(object->symbols_by_name, object->defined_count, sizeof *object->symbols_by_name,
          compare_symbols);
    return EZ_OK;
}

/* Bytes that a relocation patches; 0 for none and for unknown types. */
static unsigned relocation_width(uint32_t type) {
    switch (type) {
    case EZ_R_AMDGPU_ABS64:
    case EZ_R_AMDGPU_REL64:
    case EZ_R_AMDGPU_RELATIVE64:
        return 8;
    case EZ_R_AMDGPU_REL16:
        return 2;
    case EZ_R_AMDGPU_NONE:
        return 0;
    default:
        return ez_relocation_name(type) ? 4 : 0;
    }
}

const ez_segment *ez_object_segment_of(const ez_object *object, uint64_t address) {
    size_t low = 0, high = object->segment_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const ez_segment *segment = &object->segments[middle];
        if (address < segment->address)
            high = middle;
        else if (address - segment->address >= segment->memory_size)
            low = middle + 1;
        else
            return segment;
    }
    return NULL;
}

static bool place_exists(const ez_object *object, const ez_relocation *r, unsigned width) {
    if (object->relocatable) return ez_within(r->offset, width, object->sections[r->section].size);
    const ez_segment *segment = ez_object_segment_of(object, r->offset);
    return segment && ez_within(r->offset - segment->address, width, segment->memory_size);
}

static ez_status read_relocations(ez_object *object, const ez_elf *elf, size_t index,
                                  const GElf_Shdr *h, ez_error *err) {
    Elf_Data *data = elf_getdata(elf_getscn(elf->elf, index), NULL);
    size_t total = h->sh_size / sizeof(Elf64_Rela);
    if (total > INT32_MAX || (total && !data))
        return ez_error_at(err, EZ_ERR_FORMAT, h->sh_offset, "relocations: %s", elf_errmsg(-1));
    if (object->relocatable && h->sh_info >= elf->shnum)
        return ez_error_at(err, EZ_ERR_FORMAT, h->sh_offset,
                           "relocations in section %zu apply to section %u, the file has %zu",
                           index, (unsigned)h->sh_info, elf->shnum);
    uint32_t table = object->sections[h->sh_link].type;
    const ez_symbol *symbols = table == SHT_DYNSYM ? object->dynamic_symbols : object->symbols;
    size_t count = table == SHT_DYNSYM   ? object->dynamic_symbol_count
                   : table == SHT_SYMTAB ? object->symbol_count
                                         : 0;
    for (size_t i = 0; i < total; i++) {
        GElf_Rela rela;
        uint64_t at = h->sh_offset + i * sizeof(Elf64_Rela);
        if (!gelf_getrela(data, (int)i, &rela))
            return ez_error_at(err, EZ_ERR_FORMAT, at, "relocation %zu: %s", i, elf_errmsg(-1));
        uint64_t symbol = GELF_R_SYM(rela.r_info);
        if (symbol > count)
            return ez_error_at(err, EZ_ERR_FORMAT, at,
                               "relocation %zu is to symbol %" PRIu64 ", the table has %zu", i,
                               symbol, count);
        ez_relocation *r = &object->relocations[object->relocation_count++];
        r->offset = rela.r_offset;
        r->section = object->relocatable ? h->sh_info : 0;
        r->type = (uint32_t)GELF_R_TYPE(rela.r_info);
        r->symbol = symbol ? &symbols[symbol - 1] : NULL;
        r->addend = rela.r_addend;
        if (!place_exists(object, r, relocation_width(r->type)))
            return ez_error_at(
                err, EZ_ERR_FORMAT, at,
                "relocation %zu (%s) patches address 0x%" PRIx64 ", which is outside the object", i,
                ez_relocation_name(r->type) ? ez_relocation_name(r->type) : "?", r->offset);
    }
    return EZ_OK;
}

/* Whether this section's relocations are for whoever loads or links the object. A loadable one may
 * keep the linker's own, already applied, in sections that are not loaded. */
static bool relocations_count(const ez_object *object, const GElf_Shdr *h) {
    return object->relocatable || (h->sh_flags & SHF_ALLOC);
}

static ez_status read_all_relocations(ez_object *object, const ez_elf *elf, ez_error *err) {
    size_t total = 0;
    for (size_t i = 0; i < elf->shnum; i++) {
        GElf_Shdr h;
        ez_status status = ez_elf_section(elf, i, &h, err);
        if (status) return status;
        if (!relocations_count(object, &h)) continue;
        if (h.sh_type == SHT_REL || h.sh_type == SHT_RELR_ || h.sh_type == SHT_CREL_ ||
            (h.sh_type >= SHT_ANDROID_REL && h.sh_type <= SHT_ANDROID_REL + 1))
            return ez_error_at(err, EZ_ERR_UNSUPPORTED, h.sh_offset,
                               "section %zu (%s) has relocations in a form that AMD GPU code "
                               "objects do not use; expected SHT_RELA",
                               i, object->sections[i].name);
        if (h.sh_type == SHT_RELA) total += h.sh_size / sizeof(Elf64_Rela);
    }
    /* In an honest file each has bytes of its own. */
    if (total > elf->size / sizeof(Elf64_Rela))
        return ez_error_set(err, EZ_ERR_FORMAT, "relocation tables are larger than the whole file");
    object->relocations = ez_arena_alloc(&object->arena, total, sizeof *object->relocations);
    if (!object->relocations) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    for (size_t i = 0; i < elf->shnum; i++) {
        GElf_Shdr h;
        ez_status status = ez_elf_section(elf, i, &h, err);
        if (!status && h.sh_type == SHT_RELA && relocations_count(object, &h))
            status = read_relocations(object, elf, i, &h, err);
        if (status) return status;
    }
    return EZ_OK;
}

ez_status ez_object_read_tables(ez_object *object, const ez_elf *elf, ez_error *err) {
    ez_status status = read_segments(object, elf, err);
    if (!status) status = read_sections(object, elf, err);
    size_t symtab = 0, dynsym = 0;
    for (size_t i = object->section_count; !status && i-- > 0;) {
        if (object->sections[i].type == SHT_SYMTAB) symtab = i;
        if (object->sections[i].type == SHT_DYNSYM) dynsym = i;
    }
    if (!status && dynsym)
        status = read_symbols(object, elf, dynsym, &object->dynamic_symbols,
                              &object->dynamic_symbol_count, err);
    if (!status && symtab)
        status = read_symbols(object, elf, symtab, &object->symbols, &object->symbol_count, err);
    else if (!status) {
        object->symbols = object->dynamic_symbols;
        object->symbol_count = object->dynamic_symbol_count;
    }
    if (!status && !symtab && !dynsym)
        status = ez_error_set(err, EZ_ERR_FORMAT, "no symbol table: neither .symtab nor .dynsym");
    if (!status) status = index_symbols(object, err);
    if (!status) status = read_all_relocations(object, elf, err);
    return status;
}

const uint8_t *ez_object_bytes_at(const ez_object *object, uint64_t address, uint64_t size) {
    const ez_segment *segment = ez_object_segment_of(object, address);
    if (object->relocatable || !segment) return NULL;
    uint64_t at = address - segment->address;
    return ez_within(at, size, segment->file_size) ? segment->bytes + at : NULL;
}

const ez_symbol *ez_object_find_symbol(const ez_object *object, const char *name) {
    size_t low = 0, high = object->defined_count;
    while (low < high) { /* the first that is not less */
        size_t middle = low + (high - low) / 2;
        if (strcmp(object->symbols_by_name[middle]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == object->defined_count || strcmp(object->symbols_by_name[low]->name, name) != 0)
        return NULL;
    return object->symbols_by_name[low];
}
