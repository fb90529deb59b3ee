/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes, string tables, ELF structures, and the relocatable file. Source: System V ABI; AMDGPUUsage, "ELF Code Object". */
#include "writer.h"

#include <stdlib.h>

enum { EM_AMDGPU_GPU = 224, ELFOSABI_HSA = 64 };

/* ---- bytes ---- */

void ez_bytes_add(ez_bytes *b, const void *data, size_t size) {
    if (b->failed || !size) return;
    if (size > SIZE_MAX / 4 - b->size) {
        b->failed = true;
        return;
    }
    if (b->size + size > b->capacity) {
        size_t more = b->capacity ? b->capacity * 2 : 4096;
        while (more < b->size + size)
            more *= 2;
        uint8_t *grown = realloc(b->data, more);
        if (!grown) {
            b->failed = true;
            return;
        }
        b->data = grown;
        b->capacity = more;
    }
    if (data) memcpy(b->data + b->size, data, size);
    else memset(b->data + b->size, 0, size);
    b->size += size;
}

void ez_bytes_number(ez_bytes *b, uint64_t value, unsigned size) {
    uint8_t bytes[8];
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    ez_bytes_add(b, bytes, size);
}

void ez_bytes_align(ez_bytes *b, uint64_t alignment) {
    if (alignment > 1) ez_bytes_add(b, NULL, (size_t)((0 - (uint64_t)b->size) & (alignment - 1)));
}

void ez_bytes_put(ez_bytes *b, size_t at, uint64_t value, unsigned size) {
    if (b->failed || at > b->size || size > b->size - at) return;
    for (unsigned i = 0; i < size; i++)
        b->data[at + i] = (uint8_t)(value >> 8 * i);
}

uint32_t ez_strings_add(ez_bytes *b, const char *text) {
    size_t length = strlen(text) + 1;
    if (!b->size) ez_bytes_add(b, NULL, 1);
    if (length == 1 || b->failed) return 0;
    uint32_t at = (uint32_t)b->size;
    ez_bytes_add(b, text, length);
    return at;
}

/* ---- structures ---- */

void ez_write_header(ez_bytes *b, const ez_write_object *object, uint16_t type, size_t segments) {
    static const uint8_t magic[7] = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    ez_bytes_add(b, magic, sizeof magic);
    ez_bytes_number(b, ELFOSABI_HSA, 1);
    ez_bytes_number(b, object->abi_version, 1);
    ez_bytes_add(b, NULL, 7);
    ez_bytes_number(b, type, 2);
    ez_bytes_number(b, EM_AMDGPU_GPU, 2);
    ez_bytes_number(b, EV_CURRENT, 4);
    ez_bytes_number(b, 0, 8); /* entry */
    ez_bytes_number(b, segments ? 64 : 0, 8);
    ez_bytes_number(b, 0, 8); /* section headers: put in later */
    ez_bytes_number(b, object->flags, 4);
    ez_bytes_number(b, 64, 2);
    ez_bytes_number(b, segments ? 56 : 0, 2);
    ez_bytes_number(b, segments, 2);
    ez_bytes_number(b, 64, 2);
    ez_bytes_number(b, 0, 2); /* number of sections, and of their names: put in later */
    ez_bytes_number(b, 0, 2);
}

void ez_write_symbol_entry(ez_bytes *b, uint32_t name, const ez_write_symbol *symbol, uint16_t section,
                           uint64_t value) {
    ez_bytes_number(b, name, 4);
    ez_bytes_number(b, (unsigned)symbol->binding << 4 | (symbol->type & 15), 1);
    ez_bytes_number(b, symbol->visibility & 3, 1);
    ez_bytes_number(b, section, 2);
    ez_bytes_number(b, value, 8);
    ez_bytes_number(b, symbol->size, 8);
}

void ez_write_section_header(ez_bytes *b, uint32_t name, uint32_t type, uint64_t flags, uint64_t address,
                             uint64_t offset, uint64_t size, uint32_t link, uint32_t info,
                             uint64_t alignment, uint64_t entry_size) {
    ez_bytes_number(b, name, 4);
    ez_bytes_number(b, type, 4);
    ez_bytes_number(b, flags, 8);
    ez_bytes_number(b, address, 8);
    ez_bytes_number(b, offset, 8);
    ez_bytes_number(b, size, 8);
    ez_bytes_number(b, link, 4);
    ez_bytes_number(b, info, 4);
    ez_bytes_number(b, alignment, 8);
    ez_bytes_number(b, entry_size, 8);
}

/* ---- the relocatable file ---- */

typedef struct placed {
    uint64_t offset, size, rela_offset, rela_count;
    uint32_t index, name, rela_name;
    size_t first; /* relocation */
} placed;

typedef struct relocatable {
    const ez_write_object *object;
    ez_bytes out, strings;
    placed *sections;
    uint32_t strtab_index, symtab_index, count, strtab_name, symtab_name;
    uint64_t symtab_offset, symtab_size, strtab_offset;
} relocatable;

/* .strtab, then the sections each with its relocations, then .symtab: numbers as llvm-mc gives them. */
static void number_sections(relocatable *r) {
    const ez_write_object *o = r->object;
    uint32_t index = 1;
    size_t next = 0;
    r->strtab_index = index++;
    r->strtab_name = ez_strings_add(&r->strings, ".strtab");
    for (size_t i = 0; i < o->section_count; i++) {
        placed *p = &r->sections[i];
        p->index = index++;
        p->first = next;
        while (next < o->relocation_count && o->relocations[next].section == i)
            next++;
        p->rela_count = next - p->first;
        if (!p->rela_count) {
            p->name = ez_strings_add(&r->strings, o->sections[i].name);
            continue;
        }
        index++;
        p->rela_name = ez_strings_add(&r->strings, ".rela");
        r->strings.size -= r->strings.size > 0; /* the section's name is the end of this one */
        p->name = ez_strings_add(&r->strings, o->sections[i].name);
    }
    r->symtab_index = index++;
    r->symtab_name = ez_strings_add(&r->strings, ".symtab");
    r->count = index;
}

static void write_sections(relocatable *r) {
    const ez_write_object *o = r->object;
    for (size_t i = 0; i < o->section_count; i++) {
        const ez_write_section *s = &o->sections[i];
        placed *p = &r->sections[i];
        ez_bytes_align(&r->out, s->alignment);
        p->offset = r->out.size;
        p->size = s->size;
        if (s->type != SHT_NOBITS) ez_bytes_add(&r->out, s->bytes, (size_t)s->size);
    }
}

static void write_symbols(relocatable *r) {
    const ez_write_object *o = r->object;
    ez_bytes_align(&r->out, 8);
    r->symtab_offset = r->out.size;
    ez_bytes_add(&r->out, NULL, 24);
    for (size_t i = 0; i < o->symbol_count; i++) {
        const ez_write_symbol *s = &o->symbols[i];
        bool special = s->section == SHN_UNDEF || s->section >= SHN_LORESERVE;
        uint16_t section = special ? s->section : (uint16_t)r->sections[s->section - 1].index;
        ez_write_symbol_entry(&r->out, ez_strings_add(&r->strings, s->name), s, section, s->value);
    }
    r->symtab_size = r->out.size - r->symtab_offset;
}

static void write_relocations(relocatable *r) {
    const ez_write_object *o = r->object;
    for (size_t i = 0; i < o->section_count; i++) {
        placed *p = &r->sections[i];
        p->rela_offset = r->out.size;
        for (uint64_t k = 0; k < p->rela_count; k++) {
            const ez_write_relocation *rel = &o->relocations[p->first + k];
            ez_bytes_number(&r->out, rel->offset, 8);
            ez_bytes_number(&r->out, (uint64_t)rel->symbol << 32 | rel->type, 8);
            ez_bytes_number(&r->out, (uint64_t)rel->addend, 8);
        }
    }
}

static void write_headers(relocatable *r) {
    const ez_write_object *o = r->object;
    ez_bytes_align(&r->out, 8);
    ez_bytes_put(&r->out, 40, r->out.size, 8);
    ez_bytes_put(&r->out, 60, r->count, 2);
    ez_bytes_put(&r->out, 62, r->strtab_index, 2);
    ez_bytes_add(&r->out, NULL, 64);
    ez_write_section_header(&r->out, r->strtab_name, SHT_STRTAB, 0, 0, r->strtab_offset, r->strings.size, 0, 0, 1, 0);
    for (size_t i = 0; i < o->section_count; i++) {
        const ez_write_section *s = &o->sections[i];
        const placed *p = &r->sections[i];
        ez_write_section_header(&r->out, p->name, s->type, s->flags, 0, p->offset, p->size, 0, 0, s->alignment,
                                s->entry_size);
        if (p->rela_count)
            ez_write_section_header(&r->out, p->rela_name, SHT_RELA, SHF_INFO_LINK, 0, p->rela_offset,
                                    p->rela_count * 24, r->symtab_index, p->index, 8, 24);
    }
    ez_write_section_header(&r->out, r->symtab_name, SHT_SYMTAB, 0, 0, r->symtab_offset, r->symtab_size,
                            r->strtab_index, (uint32_t)o->local_count + 1, 8, 24);
}

ez_status ez_write_relocatable(const ez_write_object *object, uint8_t **bytes, size_t *size, ez_error *err) {
    relocatable r = {.object = object};
    *bytes = NULL;
    r.sections = calloc(object->section_count + 1, sizeof *r.sections);
    if (!r.sections) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    ez_write_header(&r.out, object, ET_REL, 0);
    number_sections(&r);
    write_sections(&r);
    write_symbols(&r);
    write_relocations(&r);
    r.strtab_offset = r.out.size;
    ez_bytes_add(&r.out, r.strings.data, r.strings.size);
    write_headers(&r);
    free(r.sections);
    bool failed = r.out.failed || r.strings.failed;
    free(r.strings.data);
    if (failed) {
        free(r.out.data);
        return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    }
    *bytes = r.out.data;
    *size = r.out.size;
    return EZ_OK;
}
