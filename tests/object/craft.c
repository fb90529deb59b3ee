/* SPDX-License-Identifier: Apache-2.0 */
#include "craft.h"

#include <stdlib.h>
#include <string.h>

void craft_put(uint8_t *at, uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void *must(void *memory) {
    if (!memory) abort();
    return memory;
}

void buffer_add(buffer *b, const void *bytes, size_t size) {
    b->bytes = must(realloc(b->bytes, b->size + size + 1));
    if (size) memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
}

void buffer_integer(buffer *b, uint64_t value, unsigned width) {
    uint8_t bytes[8];
    craft_put(bytes, value, width);
    buffer_add(b, bytes, width);
}

void buffer_pad(buffer *b, size_t align) {
    while (b->size % align)
        buffer_add(b, "", 1);
}

static void program_header(uint8_t *at, uint32_t type, uint32_t flags, uint64_t offset,
                           uint64_t address, uint64_t file_size, uint64_t memory_size) {
    craft_put(at, type, 4);
    craft_put(at + 4, flags, 4);
    craft_put(at + 8, offset, 8);
    craft_put(at + 16, address, 8);
    craft_put(at + 24, address, 8);
    craft_put(at + 32, file_size, 8);
    craft_put(at + 40, memory_size, 8);
    craft_put(at + 48, 4, 8);
}

static void section_header(uint8_t *at, uint32_t name, uint32_t type, uint64_t flags,
                           uint64_t address, uint64_t offset, uint64_t size, uint32_t link,
                           uint64_t entry) {
    craft_put(at, name, 4);
    craft_put(at + 4, type, 4);
    craft_put(at + 8, flags, 8);
    craft_put(at + 16, address, 8);
    craft_put(at + 24, offset, 8);
    craft_put(at + 32, size, 8);
    craft_put(at + 40, link, 4);
    craft_put(at + 48, 4, 8);
    craft_put(at + 56, entry, 8);
}

static void symbol(uint8_t *at, uint32_t name, unsigned type, unsigned section, uint64_t value,
                   uint64_t size) {
    craft_put(at, name, 4);
    at[4] = (uint8_t)(1 << 4 | type); /* global */
    craft_put(at + 6, section, 2);
    craft_put(at + 8, value, 8);
    craft_put(at + 16, size, 8);
}

static void elf_header(uint8_t *b, unsigned type, unsigned machine, uint32_t flags, size_t phnum,
                       size_t shdr, size_t shnum) {
    memcpy(b, "\177ELF\2\1\1", 7);
    craft_put(b + 16, type, 2);
    craft_put(b + 18, machine, 2);
    craft_put(b + 20, 1, 4);
    craft_put(b + 32, phnum ? CRAFT_PHDR : 0, 8);
    craft_put(b + 40, shdr, 8);
    craft_put(b + 48, flags, 4);
    craft_put(b + 52, 64, 2);
    craft_put(b + 54, CRAFT_PHDR_SIZE, 2);
    craft_put(b + 56, phnum, 2);
    craft_put(b + 58, CRAFT_SHDR_SIZE, 2);
    craft_put(b + 60, shnum, 2);
    craft_put(b + 62, shnum - 1, 2);
}

static void write_loadable(uint8_t *b, size_t note_size) {
    uint8_t *p = b + CRAFT_PHDR;
    program_header(p, 1, 4, 0, 0, 0x400, 0x400);
    program_header(p + CRAFT_PHDR_SIZE, 1, 5, CRAFT_TEXT, CRAFT_TEXT_ADDRESS, 0x100, 0x100);
    program_header(p + 2 * CRAFT_PHDR_SIZE, 1, 6, CRAFT_NOTE, CRAFT_DATA_ADDRESS, 0, 0x100);
    program_header(p + 3 * CRAFT_PHDR_SIZE, 4, 4, CRAFT_NOTE, CRAFT_NOTE, note_size, note_size);

    uint8_t *s = b + CRAFT_DYNSYM;
    symbol(s + CRAFT_SYMBOL_SIZE, 1, 2, CRAFT_SEC_TEXT, CRAFT_TEXT_ADDRESS, 4);
    symbol(s + 2 * CRAFT_SYMBOL_SIZE, 3, 1, CRAFT_SEC_RODATA, CRAFT_DESCRIPTOR, 64);
    symbol(s + 3 * CRAFT_SYMBOL_SIZE, 8, 1, CRAFT_SEC_DATA, CRAFT_DATA_ADDRESS, 16);
    memcpy(b + CRAFT_DYNSTR, "\0k\0k.kd\0data", 13);

    uint8_t *d = b + CRAFT_DESCRIPTOR;
    craft_put(d, 1024, 4);   /* LDS */
    craft_put(d + 4, 16, 4); /* scratch */
    craft_put(d + 8, 24, 4); /* kernarg */
    craft_put(d + 16, CRAFT_TEXT_ADDRESS - CRAFT_DESCRIPTOR, 8);
    craft_put(d + 44, 0x00010001, 4); /* accum offset 1, tg split */
    craft_put(d + 48, 0x00ac1042, 4); /* 2 VGPR granules, 1 SGPR granule, f32 toward +inf, f16_64
                                         denormals kept, dx10 clamp, IEEE */
    craft_put(d + 52, 0x00001391,
              4);                 /* scratch, 8 user SGPRs, group ids x, y, z; item ids x, y, z */
    craft_put(d + 56, 0x0808, 2); /* kernarg pointer, dynamic stack */
    craft_put(d + 58, 0x0103, 2); /* preload 3 SGPRs from dword 2 */

    uint8_t *r = b + CRAFT_RELA;
    craft_put(r, CRAFT_DATA_ADDRESS, 8);
    craft_put(r + 8, 13, 8);
    craft_put(r + 16, CRAFT_DATA_ADDRESS + 8, 8);
    craft_put(r + 24, CRAFT_DATA_ADDRESS + 8, 8);
    craft_put(r + 32, UINT64_C(3) << 32 | 3, 8);
    craft_put(r + 40, (uint64_t)-4, 8);
    craft_put(b + CRAFT_TEXT, 0xbf810000, 4); /* s_endpgm */
}

static const char section_names[] = "\0.note\0.dynsym\0.dynstr\0.rodata\0.rela.dyn\0.text\0.data\0"
                                    ".shstrtab";

craft craft_object(const void *metadata, size_t size) {
    size_t note_size = metadata ? 20 + (size + 3) / 4 * 4 : 0;
    size_t names = CRAFT_NOTE + (note_size + 7) / 8 * 8, shdr = names + 64;
    craft c = {.size = shdr + CRAFT_SECTIONS * CRAFT_SHDR_SIZE, .shdr = shdr};
    uint8_t *b = c.bytes = must(calloc(1, c.size));
    elf_header(b, 3, 224, 0x53f, 4, shdr, CRAFT_SECTIONS); /* gfx90a, any xnack, any sramecc */
    b[7] = 64, b[8] = 3;
    write_loadable(b, note_size);
    if (metadata) {
        uint8_t *n = b + CRAFT_NOTE;
        craft_put(n, 7, 4);
        craft_put(n + 4, size, 4);
        craft_put(n + 8, 32, 4);
        memcpy(n + 12, "AMDGPU", 7);
        memcpy(n + 20, metadata, size);
    }
    memcpy(b + names, section_names, sizeof section_names);
    uint8_t *s = b + shdr;
#define SECTION(index, ...) section_header(s + (index)*CRAFT_SHDR_SIZE, __VA_ARGS__)
    SECTION(CRAFT_SEC_NOTE, 1, 7, 2, CRAFT_NOTE, CRAFT_NOTE, note_size, 0, 0);
    SECTION(CRAFT_SEC_DYNSYM, 7, 11, 2, CRAFT_DYNSYM, CRAFT_DYNSYM, 96, CRAFT_SEC_DYNSTR, 24);
    SECTION(CRAFT_SEC_DYNSTR, 15, 3, 2, CRAFT_DYNSTR, CRAFT_DYNSTR, 13, 0, 0);
    SECTION(CRAFT_SEC_RODATA, 23, 1, 2, CRAFT_DESCRIPTOR, CRAFT_DESCRIPTOR, 64, 0, 0);
    SECTION(CRAFT_SEC_RELA, 31, 4, 2, CRAFT_RELA, CRAFT_RELA, 48, CRAFT_SEC_DYNSYM, 24);
    SECTION(CRAFT_SEC_TEXT, 41, 1, 6, CRAFT_TEXT_ADDRESS, CRAFT_TEXT, 0x100, 0, 0);
    SECTION(CRAFT_SEC_DATA, 47, 8, 3, CRAFT_DATA_ADDRESS, CRAFT_NOTE, 0x100, 0, 0);
    SECTION(CRAFT_SEC_SHSTRTAB, 53, 3, 0, 0, names, sizeof section_names, 0, 0);
#undef SECTION
    return c;
}

void craft_free(craft *c) {
    free(c->bytes);
    c->bytes = NULL;
}

static void text(msgpack_packer *p, const char *s) {
    msgpack_pack_str_with_body(p, s, strlen(s));
}

static void number(msgpack_packer *p, const char *key, uint32_t value) {
    text(p, key);
    msgpack_pack_uint32(p, value);
}

void craft_metadata(msgpack_sbuffer *out) {
    msgpack_packer p;
    msgpack_packer_init(&p, out, msgpack_sbuffer_write);
    msgpack_pack_map(&p, 4);
    text(&p, "amdhsa.version");
    msgpack_pack_array(&p, 2);
    msgpack_pack_uint32(&p, 1);
    msgpack_pack_uint32(&p, 2);
    text(&p, "amdhsa.target");
    text(&p, "amdgcn-amd-amdhsa--gfx90a");
    text(&p, "amdhsa.printf");
    msgpack_pack_array(&p, 1);
    text(&p, "1:1:4:%d");
    text(&p, "amdhsa.kernels");
    msgpack_pack_array(&p, 1);
    msgpack_pack_map(&p, 11);
    text(&p, ".name");
    text(&p, "k");
    text(&p, ".symbol");
    text(&p, "k.kd");
    number(&p, ".kernarg_segment_size", 24);
    number(&p, ".kernarg_segment_align", 8);
    number(&p, ".group_segment_fixed_size", 1024);
    number(&p, ".private_segment_fixed_size", 16);
    number(&p, ".wavefront_size", 64);
    number(&p, ".sgpr_count", 16);
    number(&p, ".vgpr_count", 24);
    number(&p, ".max_flat_workgroup_size", 256);
    text(&p, ".args");
    msgpack_pack_array(&p, 2);
    msgpack_pack_map(&p, 6);
    text(&p, ".name");
    text(&p, "out");
    text(&p, ".value_kind");
    text(&p, "global_buffer");
    number(&p, ".size", 8);
    number(&p, ".offset", 0);
    text(&p, ".address_space");
    text(&p, "global");
    text(&p, ".actual_access");
    text(&p, "write_only");
    msgpack_pack_map(&p, 3);
    text(&p, ".value_kind");
    text(&p, "hidden_block_count_x");
    number(&p, ".size", 4);
    number(&p, ".offset", 8);
}

craft craft_default(void) {
    msgpack_sbuffer m;
    msgpack_sbuffer_init(&m);
    craft_metadata(&m);
    craft c = craft_object(m.data, m.size);
    msgpack_sbuffer_destroy(&m);
    return c;
}

craft craft_host(const void *fatbin, size_t size) {
    static const char names[] = "\0.hip_fatbin\0.shstrtab";
    size_t shdr = (0x100 + size + 7) / 8 * 8;
    craft c = {.size = shdr + 3 * CRAFT_SHDR_SIZE, .shdr = shdr};
    c.bytes = must(calloc(1, c.size));
    elf_header(c.bytes, 3, 62, 0, 0, shdr, 3);
    memcpy(c.bytes + 0x40, names, sizeof names);
    memcpy(c.bytes + 0x100, fatbin, size);
    section_header(c.bytes + shdr + CRAFT_SHDR_SIZE, 1, 1, 2, 0x100, 0x100, size, 0, 0);
    section_header(c.bytes + shdr + 2 * CRAFT_SHDR_SIZE, 13, 3, 0, 0, 0x40, sizeof names, 0, 0);
    return c;
}

void craft_bundle(buffer *b, size_t count, const char *const *ids, const buffer *contents) {
    size_t start = b->size, table = 32, at;
    for (size_t i = 0; i < count; i++)
        table += 24 + strlen(ids[i]);
    at = (table + 4095) / 4096 * 4096;
    buffer_add(b, "__CLANG_OFFLOAD_BUNDLE__", 24);
    buffer_integer(b, count, 8);
    for (size_t i = 0; i < count; i++) {
        buffer_integer(b, at, 8);
        buffer_integer(b, contents[i].size, 8);
        buffer_integer(b, strlen(ids[i]), 8);
        buffer_add(b, ids[i], strlen(ids[i]));
        at = (at + contents[i].size + 4095) / 4096 * 4096;
    }
    for (size_t i = 0; i < count; i++) {
        while ((b->size - start) % 4096)
            buffer_add(b, "", 1);
        buffer_add(b, contents[i].bytes, contents[i].size);
    }
}
