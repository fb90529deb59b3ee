/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data formats of typed buffers and images: from the bytes of an element to registers and back.
 * Source: "Buffer Data Formats", "Image Data Formats" of the ISA guides; what they leave open: docs/errata.md.
 */
#ifndef EZ_TEXEL_H
#define EZ_TEXEL_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ez_number {
    EZ_NUMBER_UNORM,
    EZ_NUMBER_SNORM,
    EZ_NUMBER_USCALED,
    EZ_NUMBER_SSCALED,
    EZ_NUMBER_UINT,
    EZ_NUMBER_SINT,
    EZ_NUMBER_FLOAT,
    EZ_NUMBER_SRGB
} ez_number;

typedef struct ez_texel {
    uint8_t components, bytes;
    uint8_t bits[4], at[4]; /* of X to W, from the lowest bit of the element on */
    uint8_t number;         /* ez_number */
} ez_texel;

/* Reads the format from its name in the tables ("BUF_FMT_10_11_11_FLOAT"), or from the names of its two parts; the
 * number is in `number` when the name has none. False: no format that data can have. */
bool ez_texel_parse(const char *name, const char *number, ez_texel *f);

/* Whether elements of one are elements of the other. */
bool ez_texel_same(const ez_texel *a, const ez_texel *b);

/* The components as 32-bit floats or integers; missing ones are 0, 0, 0, 1. */
void ez_texel_load(const ez_texel *f, const uint8_t *p, uint32_t value[4]);
/* Clamped to what the format has, floats rounded to nearest even. */
void ez_texel_store(const ez_texel *f, const uint32_t value[4], uint8_t *p);

static inline bool ez_texel_is_integer(const ez_texel *f) {
    return f->number == EZ_NUMBER_UINT || f->number == EZ_NUMBER_SINT;
}

#endif
