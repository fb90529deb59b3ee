/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing code objects: what sections, symbols and relocations make. The file is put together byte by byte, in memory
 * (libelf writes to file descriptors only).
 */
#ifndef EZ_OBJECT_WRITER_H
#define EZ_OBJECT_WRITER_H

#include "object_internal.h"

typedef struct ez_write_section {
    const char *name;
    uint32_t type;
    uint64_t flags, entry_size, alignment; /* alignment: a power of two, at least 1 */
    const uint8_t *bytes;                  /* [size]; unused when the type is SHT_NOBITS */
    uint64_t size;
} ez_write_section;

typedef struct ez_write_symbol {
    const char *name; /* "" for a section's symbol */
    uint64_t value, size;
    uint16_t section; /* from 1: index + 1 in sections; SHN_UNDEF, SHN_ABS, SHN_AMDGPU_LDS */
    uint8_t binding, type, visibility;
} ez_write_symbol;

typedef struct ez_write_relocation {
    uint32_t section; /* index in sections, from 0 */
    uint32_t type;
    uint64_t offset;
    uint32_t symbol; /* index + 1 in symbols; 0: none, the addend is a number */
    int64_t addend;
} ez_write_relocation;

/* Local symbols come first, as ELF wants it. */
typedef struct ez_write_object {
    uint32_t flags; /* e_flags */
    uint8_t abi_version;
    const ez_write_section *sections;
    size_t section_count;
    const ez_write_symbol *symbols;
    size_t symbol_count, local_count;
    const ez_write_relocation *relocations; /* by section, in order of offset */
    size_t relocation_count;
} ez_write_object;

enum { SHN_AMDGPU_LDS = 0xff00 };

/* A relocatable file, laid out as llvm-mc does. *bytes is malloc'd. */
ez_status ez_write_relocatable(const ez_write_object *object, uint8_t **bytes, size_t *size, ez_error *err);

/* A loadable file: sections merged by name, addresses given, relocations applied or left to the loader; laid out as
 * ld.lld -shared does. EZ_ERR_FORMAT when that cannot be. *bytes is malloc'd. */
ez_status ez_write_loadable(const ez_write_object *object, uint8_t **bytes, size_t *size, ez_error *err);

/* ---- shared by both writers ---- */

/* Bytes that grow; after a failed allocation they stay empty and `failed` is set. */
typedef struct ez_bytes {
    uint8_t *data;
    size_t size, capacity;
    bool failed;
} ez_bytes;

void ez_bytes_add(ez_bytes *b, const void *data, size_t size); /* NULL: zeros */
void ez_bytes_number(ez_bytes *b, uint64_t value, unsigned size);
void ez_bytes_align(ez_bytes *b, uint64_t alignment);
void ez_bytes_put(ez_bytes *b, size_t at, uint64_t value, unsigned size);

/* A string table: returns the offset of a string, equal ones once. */
uint32_t ez_strings_add(ez_bytes *b, const char *text);

void ez_write_header(ez_bytes *b, const ez_write_object *object, uint16_t type, size_t segments);
void ez_write_symbol_entry(ez_bytes *b, uint32_t name, const ez_write_symbol *symbol, uint16_t section,
                           uint64_t value);
void ez_write_section_header(ez_bytes *b, uint32_t name, uint32_t type, uint64_t flags, uint64_t address,
                             uint64_t offset, uint64_t size, uint32_t link, uint32_t info,
                             uint64_t alignment, uint64_t entry_size);

#endif
