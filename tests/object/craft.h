/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CRAFT_H
#define CRAFT_H

#include <msgpack.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A small, correct code object made by hand (version 5, gfx90a, one kernel "k"), for tests to break
 * one field at a time. Everything but what follows the note has a fixed place in the file.
 */
enum {
    CRAFT_EHDR = 0,
    CRAFT_PHDR = 0x40,    /* four: headers and tables, text, zero-filled data, note */
    CRAFT_DYNSYM = 0x200, /* four: empty, k, k.kd, data */
    CRAFT_DYNSTR = 0x280, /* "\0k\0k.kd\0data\0" */
    CRAFT_DESCRIPTOR = 0x2c0,
    CRAFT_RELA = 0x300, /* two: RELATIVE64, ABS64 to data */
    CRAFT_TEXT = 0x400, /* at address 0x1400 */
    CRAFT_NOTE = 0x500,
    CRAFT_NOTE_TEXT = 0x514, /* after the note's header and owner */
    CRAFT_TEXT_ADDRESS = 0x1400,
    CRAFT_DATA_ADDRESS = 0x2000
};
enum { CRAFT_PHDR_SIZE = 56, CRAFT_SHDR_SIZE = 64, CRAFT_SYMBOL_SIZE = 24, CRAFT_RELA_SIZE = 24 };
enum {
    CRAFT_SEC_NOTE = 1,
    CRAFT_SEC_DYNSYM,
    CRAFT_SEC_DYNSTR,
    CRAFT_SEC_RODATA,
    CRAFT_SEC_RELA,
    CRAFT_SEC_TEXT,
    CRAFT_SEC_DATA,
    CRAFT_SEC_SHSTRTAB,
    CRAFT_SECTIONS
};

typedef struct craft {
    uint8_t *bytes; /* malloc'd */
    size_t size;
    size_t shdr; /* where the section headers are */
} craft;

void craft_put(uint8_t *at, uint64_t value, unsigned width);

/* The object with this metadata note, or without any for NULL. Aborts without memory. */
craft craft_object(const void *metadata, size_t size);
/* The object with the metadata of craft_metadata(). */
craft craft_default(void);
void craft_free(craft *c);

/* Correct metadata of kernel "k" with two arguments, as msgpack. */
void craft_metadata(msgpack_sbuffer *out);

/* An ELF file for x86-64 whose only content is a section .hip_fatbin. */
craft craft_host(const void *fatbin, size_t size);

/* Growing buffer. */
typedef struct buffer {
    uint8_t *bytes;
    size_t size;
} buffer;
void buffer_add(buffer *b, const void *bytes, size_t size);
void buffer_integer(buffer *b, uint64_t value, unsigned width);
void buffer_pad(buffer *b, size_t align);

/* Appends a plain offload bundle of `count` entries. */
void craft_bundle(buffer *b, size_t count, const char *const *ids, const buffer *contents);

#endif
