/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EZ_OBJECT_INTERNAL_H
#define EZ_OBJECT_INTERNAL_H

/*
 * How an object is opened, in this order, each step in a file of its own:
 *
 *   elf.c         headers checked byte by byte, then handed to libelf
 *   target_id.c   what it was compiled for
 *   tables.c      segments, sections, symbols, relocations
 *   notes.c       metadata notes: msgpack.c (versions 3 to 6) or yaml.c (2) make one kind of tree,
 *   metadata.c    which becomes structs
 *   kernels.c     descriptors, joined with their metadata
 *   object.c      the handle and its accessors
 *
 * Reading only. A writer needs nothing of this but the public structs, and belongs beside it.
 */

#include "execz/object.h"
#include "../isa/error_internal.h"

#include <gelf.h>
#include <msgpack.h>
#include <string.h>

/* ---- little-endian integers in unaligned bytes ---- */

static inline uint16_t ez_le16(const uint8_t *p) {
    return (uint16_t)(p[0] | p[1] << 8);
}
static inline uint32_t ez_le32(const uint8_t *p) {
    return ez_le16(p) | (uint32_t)ez_le16(p + 2) << 16;
}
static inline uint64_t ez_le64(const uint8_t *p) {
    return ez_le32(p) | (uint64_t)ez_le32(p + 4) << 32;
}

/* Whether [offset, offset + size) lies in [0, whole), without overflow. */
static inline bool ez_within(uint64_t offset, uint64_t size, uint64_t whole) {
    return offset <= whole && size <= whole - offset;
}

/* ---- arena: everything that a handle owns, freed at once ---- */

typedef struct ez_arena_block ez_arena_block;
typedef struct ez_arena {
    ez_arena_block *blocks;
} ez_arena;

/* Zeroed memory for `count` items of `size` bytes, aligned for any type; never NULL for a count of
 * 0. NULL when there is no memory or the product overflows. */
void *ez_arena_alloc(ez_arena *arena, size_t count, size_t size);
/* A NUL-terminated copy. */
char *ez_arena_text(ez_arena *arena, const char *text, size_t length);
void ez_arena_free(ez_arena *arena);

/* ---- ELF files ---- */

/* An ELF64 little-endian file whose headers have been checked: tables and what they point at lie
 * inside the file, sizes of entries are those of ELF64, links name sections that exist. */
typedef struct ez_elf {
    const uint8_t *bytes;
    size_t size;
    uint8_t osabi, abi_version;
    uint16_t type, machine;
    uint32_t flags;
    size_t phnum, shnum, shstrndx;
    Elf *elf;
} ez_elf;

/* `machine` is the EM_... that is wanted; 0 takes any. On failure there is nothing to close. */
ez_status ez_elf_open(const void *bytes, size_t size, uint16_t machine, ez_elf *elf, ez_error *err);
void ez_elf_close(ez_elf *elf);
/* What kind of file a header announces, in words, for messages. */
const char *ez_elf_machine_name(uint16_t machine);
/* Header of section `index` < shnum or program header `index` < phnum. */
ez_status ez_elf_section(const ez_elf *elf, size_t index, GElf_Shdr *header, ez_error *err);
ez_status ez_elf_segment(const ez_elf *elf, size_t index, GElf_Phdr *header, ez_error *err);
/* The string at `offset` in section `strtab`, whose header has been checked; it is in the file. */
ez_status ez_elf_string(const ez_elf *elf, size_t strtab, uint64_t offset, const char **text,
                        ez_error *err);

/* ---- metadata ---- */

enum { EZ_METADATA_DEPTH_MAX = 16 };

/* Metadata of one object while it is being read: kernels of all notes. */
typedef struct ez_metadata {
    ez_kernel_metadata **kernels; /* [kernel_count], by symbol after ez_metadata_sort() */
    size_t kernel_count, kernel_capacity;
    const char **printf_formats;
    size_t printf_count, printf_capacity;
    unsigned version[2];
    const char *target;
    bool present;
} ez_metadata;

/* Both make a tree in `zone`: maps, arrays, and scalars (in YAML all strings). `offset` is where
 * the text begins in the file, for errors. */
ez_status ez_msgpack_read(const uint8_t *bytes, size_t size, uint64_t offset, msgpack_zone *zone,
                          msgpack_object *tree, ez_error *err);
ez_status ez_yaml_read(const uint8_t *bytes, size_t size, uint64_t offset, msgpack_zone *zone,
                       msgpack_object *tree, ez_error *err);

/* Adds what a tree says; `version2` chooses the vocabulary. Copies what it keeps. */
ez_status ez_metadata_add(ez_metadata *metadata, ez_arena *arena, const msgpack_object *tree,
                          bool version2, uint64_t offset, ez_error *err);
/* Sorts by symbol; two kernels of one symbol are an error. */
ez_status ez_metadata_sort(ez_metadata *metadata, ez_error *err);
const ez_kernel_metadata *ez_metadata_find(const ez_metadata *metadata, const char *symbol);

/* ---- the handle ---- */

struct ez_object {
    const uint8_t *bytes;
    size_t size;
    ez_arena arena;
    unsigned version, generic_version;
    bool relocatable;
    const ez_target *target;
    ez_target_id target_id;
    ez_segment *segments;
    ez_section *sections;
    ez_symbol *symbols, *dynamic_symbols;
    const ez_symbol **symbols_by_name; /* [symbol_count], defined ones first, sorted */
    ez_relocation *relocations;
    ez_kernel *kernels;
    ez_metadata metadata;
    size_t segment_count, section_count, symbol_count, dynamic_symbol_count, defined_count;
    size_t relocation_count, kernel_count;
};

/* Steps of opening; each fills its part of the handle. */
ez_status ez_object_read_tables(ez_object *object, const ez_elf *elf, ez_error *err);
ez_status ez_object_read_notes(ez_object *object, const ez_elf *elf, ez_error *err);
ez_status ez_object_read_target(ez_object *object, const ez_elf *elf, ez_error *err);
ez_status ez_object_read_kernels(ez_object *object, ez_error *err);

/* The segment that has this address, or NULL. */
const ez_segment *ez_object_segment_of(const ez_object *object, uint64_t address);

/* Target of a version 2 object by its ISA version note; false when there is no such processor. */
bool ez_target_id_of_version2(unsigned major, unsigned minor, unsigned stepping, ez_target_id *id);

/* ---- compressed bundles ---- */

/* Expands the "CCOB" bundle at the start of bytes[0..available). The result is malloc'd;
 * `*consumed` is how much of the input it took. `offset` is for errors. */
ez_status ez_ccob_expand(const uint8_t *bytes, size_t available, uint64_t offset, uint8_t **out,
                         size_t *out_size, size_t *consumed, ez_error *err);

#endif
