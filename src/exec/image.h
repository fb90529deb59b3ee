/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images: resources and samplers, elements, sampling. Linear images of one level; what is beyond that stops the wave.
 * Source: "Image Resource", "Image Sampler" of [Vega], [RDNA1], [RDNA3]; docs/errata.md, "Images".
 */
#ifndef EZ_IMAGE_H
#define EZ_IMAGE_H

#include "texel.h"
#include "wave.h"

/* What a resource of eight SGPRs describes. */
typedef struct ez_image {
    uint64_t base;
    uint32_t size[3];       /* elements; the last is slices of a volume or of an array */
    uint32_t pitch;         /* elements from a row to the next */
    uint8_t select[4];      /* of each component: 0, 1, or 4 to 7 for X to W */
    uint8_t dimensions;     /* 1 to 3, without the slice of an array */
    bool array;
    ez_texel texel; /* without bytes: no image is bound, everything is outside */
} ez_image;

/* Image dimensions as GFX10 on numbers them in the instruction. */
enum { EZ_DIM_1D, EZ_DIM_2D, EZ_DIM_3D, EZ_DIM_CUBE, EZ_DIM_1D_ARRAY, EZ_DIM_2D_ARRAY };

/* Reads a resource; `dim` is that of the instruction, -1: it has none, then `slices` tells whether it names slices. NULL,
 * or what is not implemented. */
const char *ez_image_read(const ez_target *target, const uint32_t *word, int dim, bool slices, ez_image *image);

typedef struct ez_sampler {
    uint8_t clamp[3];
    bool unnormalized, linear, linear_z;
    uint8_t compare; /* what IMAGE_SAMPLE_C asks of the value to compare with and an element */
    uint32_t border; /* of X to Z; W is 1 unless it is transparent */
    uint32_t border_w;
} ez_sampler;

/* The resource of an image that lies at a multiple of 256; false: the target has no such images or no such format, or its
 * fields cannot hold the sizes or the pitch. */
bool ez_image_write(const ez_target *target, const ez_image *image, uint32_t word[8]);
/* Bytes from a row of so many to the next, where a resource does not say it. */
uint32_t ez_image_row_bytes(const ez_target *target, uint32_t bytes);

/* The resource of a buffer of elements in a format; the same (memory_buffer.c). */
bool ez_buffer_write(const ez_target *target, uint64_t base, uint32_t elements, const ez_texel *format,
                     const uint8_t select[4], uint32_t word[4]);

/* ez_sampler.clamp */
enum { EZ_CLAMP_WRAP, EZ_CLAMP_MIRROR, EZ_CLAMP_LAST, EZ_CLAMP_BORDER = 6 };
void ez_sampler_write(const ez_sampler *sampler, uint32_t word[4]);
const char *ez_sampler_read(const uint32_t *word, ez_sampler *sampler);

/* How the value to compare with (bit 0: less, 1: equal, 2: greater) stands to an element: DEPTH_COMPARE_FUNC of [GCN3] 8.2.5. */
static inline bool ez_sampler_compares(const ez_sampler *s, float reference, float element) {
    return s->compare == 7 || (s->compare & 1 && reference < element) || (s->compare & 2 && reference == element) ||
           (s->compare & 4 && reference > element) || (s->compare == 5 && reference != element);
}

/* The index of an element along one axis after clamping; -1: the border. */
int64_t ez_image_clamp(int64_t at, uint32_t size, unsigned mode);

/* Where an axis is sampled: an element, and with linear filtering a second one and its weight. */
typedef struct ez_axis {
    int64_t at[2];
    double weight; /* of at[1] */
} ez_axis;
ez_axis ez_image_axis(float coordinate, uint32_t size, const ez_sampler *sampler, unsigned axis, bool linear);

#endif
