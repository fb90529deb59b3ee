/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECZ_IMAGE_H
#define EXECZ_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "execz/error.h"
#include "execz/target.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Images and samplers as kernels have them: in OpenCL an argument is the device address of a resource of 8 dwords, of a
 * sampler of 4. Linear images of one level, on targets whose resources are public: GFX9, GFX10 and later; see docs/errata.md.
 */
typedef struct ez_image_desc {
    const char *
        format; /* components from the highest bits to the lowest, and what they are: "8_8_8_8_UNORM", in any case */
    unsigned dimensions; /* 1 to 3, without the slice of an array */
    bool array;
    uint32_t size[3]; /* width, height, depth or slices, in elements; 0 counts as 1 */
} ez_image_desc;

/* Bytes of an element, from a row to the next, and in all. Slices follow each other, size[1] rows each. */
typedef struct ez_image_layout {
    uint32_t element, row;
    uint64_t bytes;
} ez_image_layout;

/*
 * How the image lies in memory, and its resource for memory at `address`, a multiple of 256.
 *   EZ_ERR_UNSUPPORTED  images of the target, or the format on it
 *   EZ_ERR_ARGUMENT     no such dimensions, a size beyond the resource's fields, an address that is not aligned
 */
ez_status ez_image_layout_of(const ez_target *target, const ez_image_desc *image, ez_image_layout *layout,
                             ez_error *err);
ez_status ez_image_resource(const ez_target *target, const ez_image_desc *image, uint64_t address,
                            uint32_t word[8], ez_error *err);

typedef enum ez_image_edge { /* coordinates outside the image */
                             EZ_EDGE_REPEAT,
                             EZ_EDGE_MIRROR,
                             EZ_EDGE_LAST,
                             EZ_EDGE_BORDER /* transparent black */
} ez_image_edge;

/* A sampler: coordinates from 0 to 1 or in elements; the nearest element or linear interpolation. */
void ez_sampler_resource(ez_image_edge edge, bool normalized, bool linear, uint32_t word[4]);

#ifdef __cplusplus
}
#endif
#endif
