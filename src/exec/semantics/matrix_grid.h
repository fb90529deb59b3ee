/* SPDX-License-Identifier: Apache-2.0 */
/*
 * WMMA of RDNA 4 on half floats and bfloats: four products at a time, each two on a grid of their own, then both sums and the
 * accumulator on a common one, everything rounded down; docs/errata.md. The rule is ez_dot_sum(); here it is for 16
 * columns at once, in integers of 32 bits, which have room for all terms. What is no number, or comes out denormal or too large for a
 * float, is left to the rule itself. Part of matrix.c.
 */
#ifndef EZ_MATRIX_GRID_H
#define EZ_MATRIX_GRID_H

enum { GRID_STEP = 4, GRID_SIZE = 16, GRID_ZERO = -1000 }; /* products at a time; rows, columns and k; the exponent of a zero */

/* An element by the rule. The accumulator is a float also where the results, of each step, have 16 bits. */
static f32 grid_element(const factors *f, unsigned i, unsigned j, f32 acc) {
    const ez_matrix *m = f->m;
    bool half = m->a == EZ_ELEMENT_F16;
    ez_dot_format format = half ? ez_dot_f16() : ez_dot_bf16(false);
    for (unsigned k = 0; k < m->k; k += GRID_STEP) {
        u32 x[GRID_STEP], y[GRID_STEP];
        for (unsigned q = 0; q < GRID_STEP; q++) {
            f32 left = f->a[(k + q) * m->m + i], right = f->b[(k + q) * f->n + j];
            x[q] = half ? f16_narrow(left, 0) : left >> 16;
            y[q] = half ? f16_narrow(right, 0) : right >> 16;
        }
        i64 units = 0;
        int grid = 0;
        f32 special = ez_dot_sum(x, format, y, format, GRID_STEP, acc, false, m->d == EZ_ELEMENT_F16, &units, &grid);
        if (m->d == EZ_ELEMENT_F16) acc = f16_widen(f16_of_grid(special, units, grid, f->md));
        else if (m->d == EZ_ELEMENT_BF16) acc = bf16_of_grid(special, units, grid, false) << 16;
        else acc = f32_of_grid(special, units, grid, false);
    }
    return acc;
}

typedef struct grid_factor {
    _Alignas(ALIGN) int32_t m[GRID_SIZE * GRID_SIZE], e[GRID_SIZE * GRID_SIZE]; /* significand with sign, exponent of its leading place */
} grid_factor;

/* From floats that are half floats or bfloats. False: there is an infinity or NaN. */
EZ_INLINE bool grid_split(const uint32_t *restrict x, bool half, unsigned scale, grid_factor *restrict to) {
    int least = half ? -14 : -126, cut = half ? 13 : 16;
    uint32_t special = 0;
    for (unsigned n = 0; n < GRID_SIZE * GRID_SIZE; n++) {
        int field = (int)(x[n] >> 23 & 0xff), at = (field ? field : 1) - 127, e = at < least ? least : at;
        int32_t m = (int32_t)((x[n] & 0x7fffff) | (field ? 0x800000 : 0)) >> cut;
        m = e - at > 15 ? 0 : m >> (e - at > 15 ? 15 : e - at);
        to->e[n] = m ? e : GRID_ZERO;
        to->m[n] = (x[n] >> 31 ? -m : m) * (1 << scale);
        special |= field == 0xff;
    }
    return !special;
}

EZ_INLINE int32_t grid_floor(int32_t x, int32_t by) { return x >> (by > 31 ? 31 : by); }
EZ_INLINE int32_t grid_max(int32_t a, int32_t b) { return a > b ? a : b; }

/* A sum of less than 2^30 units of 2^grid as the result that element d is, widened; *out: it has no room in a float. */
EZ_INLINE f32 grid_result(int32_t sum, int32_t grid, unsigned d, const ez_fpmode *md, uint32_t *out) {
    uint32_t size = (uint32_t)(sum < 0 ? -sum : sum);
    if (d == EZ_ELEMENT_F16 && size >> 24) size = size >> 6 << 6 | (uint32_t)((size & 63) != 0) << 6; /* rounded to odd */
    f32 r = f32_bits((float)(int32_t)size);
    int32_t exponent = (int32_t)(r >> 23) + grid;
    bool fits = exponent >= 1 && exponent <= 254;
    r = sum && fits ? (r + ((uint32_t)grid << 23)) | ((uint32_t)sum & 0x80000000) : 0;
    if (d == EZ_ELEMENT_F16) {
        f16 half = f16_limit(f16_narrow(r, 0), true, md);
        return half & 0x7fff ? f16_widen(half) : 0;
    }
    *out |= (uint32_t)(sum != 0) & (uint32_t)!fits;
    return d == EZ_ELEMENT_BF16 ? r & 0xffff0000 : r;
}

/* A row of 16 results; false if the rule itself must make it. Products come in units of 2^(e - 24), the accumulator in 2^(e - 26). */
EZ_INLINE bool grid_row(const grid_factor *a, const grid_factor *b, unsigned i, unsigned d, const ez_fpmode *mode, uint32_t *acc) {
    const ez_fpmode copy = *mode, *const md = &copy;
    uint32_t rest = 0;
    int32_t sums[GRID_SIZE], grids[GRID_SIZE], least = d == EZ_ELEMENT_F16 ? -14 : -126;
    for (unsigned k = 0; k < GRID_SIZE; k += GRID_STEP) {
        const int32_t *am = a->m + k * GRID_SIZE + i, *ae = a->e + k * GRID_SIZE + i;
        const int32_t *bm = b->m + k * GRID_SIZE, *be = b->e + k * GRID_SIZE;
        for (unsigned j = 0; j < GRID_SIZE; j++) {
            enum { S = GRID_SIZE };
            int32_t e0 = ae[0] + be[j], e1 = ae[S] + be[S + j], e2 = ae[2 * S] + be[2 * S + j], e3 = ae[3 * S] + be[3 * S + j];
            int32_t e01 = grid_max(e0, e1), e23 = grid_max(e2, e3);
            int32_t first = grid_floor(am[0] * bm[j], e01 - e0) + grid_floor(am[S] * bm[S + j], e01 - e1);
            int32_t second = grid_floor(am[2 * S] * bm[2 * S + j], e23 - e2) + grid_floor(am[3 * S] * bm[3 * S + j], e23 - e3);
            int32_t field = (int32_t)(acc[j] >> 23 & 0xff), e = (field ? field : 1) - 127;
            int32_t m = (int32_t)((acc[j] & 0x7fffff) | (field ? 0x800000 : 0)) << 3;
            int32_t grid = grid_max(grid_max(e01, e23) - 24, grid_max(e, least) - 26), by = grid - (e - 26);
            int32_t units = grid_floor(acc[j] >> 31 ? -m : m, by);
            units = grid_floor(m, by) == 0 && grid > least ? 0 : units; /* an accumulator that leaves no unit */
            int32_t sum = units + grid_floor(first, grid - (e01 - 24)) + grid_floor(second, grid - (e23 - 24));
            rest |= (uint32_t)(field == 0xff);
            sums[j] = sum;
            grids[j] = grid;
        }
        for (unsigned j = 0; j < GRID_SIZE; j++) acc[j] = grid_result(sums[j], grids[j], d, md, &rest);
    }
    return !rest;
}

EZ_INLINE bool grid_some(const factors *f, const grid_factor *a, const grid_factor *b, unsigned i, uint32_t *acc) {
    switch (f->m->d) { /* constants, so that the loop is a vector's */
    case EZ_ELEMENT_F16: return grid_row(a, b, i, EZ_ELEMENT_F16, f->md, acc);
    case EZ_ELEMENT_BF16: return grid_row(a, b, i, EZ_ELEMENT_BF16, f->md, acc);
    default: return grid_row(a, b, i, EZ_ELEMENT_F32, f->md, acc);
    }
}

static void grid_product(const factors *f, uint32_t *acc) {
    const ez_matrix *m = f->m;
    grid_factor a, b;
    bool half = m->a == EZ_ELEMENT_F16, wide = m->m == GRID_SIZE && f->n == GRID_SIZE && m->k == GRID_SIZE;
    wide = wide && grid_split(f->a, half, 0, &a) && grid_split(f->b, half, half ? 4 : 10, &b);
    for (unsigned i = 0; i < m->m; i++) {
        uint32_t *row = acc + i * f->n, some[GRID_SIZE];
        if (wide) memcpy(some, row, sizeof some);
        if (wide && grid_some(f, &a, &b, i, some)) memcpy(row, some, sizeof some);
        else
            for (unsigned j = 0; j < f->n; j++) row[j] = grid_element(f, i, j, row[j]);
    }
}

#endif
