/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of the lanes of a memory instruction, for each SIMD level: semantics/access.c. */
#ifndef EZ_ACCESS_H
#define EZ_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ez_shape {
    EZ_SHAPE_ANY,
    EZ_SHAPE_SAME, /* all lanes at one address */
    EZ_SHAPE_ROW,  /* each lane's bytes follow those of the lane before */
    EZ_SHAPE_NEAR  /* less than EZ_SPAN_MOST apart, at offsets that are in a row */
} ez_shape;

/* Where the lanes of an access are. */
typedef struct ez_span {
    uint64_t low;  /* the lowest address */
    uint32_t size; /* from there to the highest address */
    bool near;     /* all are less than EZ_SPAN_MOST from the first active one; otherwise nothing but `bits` counts */
    uint8_t shape; /* ez_shape */
    uint64_t bits; /* all addresses ored */
} ez_span;
#define EZ_SPAN_MOST (UINT64_C(1) << 30)

/* `exec` has 0 or ~0 for each lane, NULL: all are active; `lanes` is 32 or 64; a dword n of lane l of a register is row[n * lanes + l]. */
typedef struct ez_access_functions {
    /* address[l] = the pair of rows + offset; base + row, as unsigned or signed numbers */
    void (*pairs)(uint64_t *address, const uint32_t *low, uint64_t offset, unsigned lanes);
    void (*offsets)(uint64_t *address, const uint32_t *row, uint64_t base, unsigned lanes);
    void (*signed_offsets)(uint64_t *address, const uint32_t *row, uint64_t base, unsigned lanes);
    /* first_lane: an active one; bytes: of each lane; of a base and a row `bits` has those of the base too */
    void (*span)(const uint64_t *address, const uint32_t *exec, unsigned lanes, unsigned first_lane, uint32_t bytes, ez_span *s);
    void (*span_row)(const uint32_t *row, const uint32_t *exec, uint64_t base, bool is_signed, unsigned lanes,
                     unsigned first_lane, uint32_t bytes, ez_span *s);
    /* whether all active lanes have that value */
    bool (*same)(const uint32_t *row, const uint32_t *exec, uint32_t value, unsigned lanes);
    /* p[l] = address[l] + delta; base + row */
    void (*pointers)(uint8_t **p, const uint64_t *address, uint64_t delta, unsigned lanes);
    void (*row_pointers)(uint8_t **p, const uint32_t *row, uint64_t base, bool is_signed, unsigned lanes);
    /* dword n of lane l at p + 4 * (l * dwords + n), for all lanes */
    void (*load_rows)(uint32_t *row, const uint8_t *p, unsigned dwords, unsigned lanes);
    void (*store_rows)(uint8_t *p, const uint32_t *row, unsigned dwords, unsigned lanes);
    /* dwords of the active lanes, lane l's at p + (uint32_t)(row[l] - first); d may be the same register as row */
    void (*load_near)(uint32_t *d, const uint8_t *p, const uint32_t *row, uint32_t first, unsigned dwords, const uint32_t *exec,
                      unsigned lanes);
    /* the dwords at p for all active lanes */
    void (*load_same)(uint32_t *row, const uint8_t *p, unsigned dwords, const uint32_t *exec, unsigned lanes);
} ez_access_functions;

#endif
