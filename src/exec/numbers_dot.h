/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dot products of RDNA 3 and 4, which add on a grid of some 27 bits below the greatest term. MODE has no effect on them, but for
 * FP16_OVFL, and they raise no flags. Source: what AMD's emulator rocjitsu found on gfx1100 and gfx1201; docs/errata.md.
 */
#ifndef EZ_NUMBERS_DOT_H
#define EZ_NUMBERS_DOT_H

#include "numbers.h"

enum { EZ_DOT_NONE = -1024 }; /* the exponent of a zero */

/* Bits of a factor's fraction, its bias, whether it has infinities. */
typedef struct ez_dot_format {
    uint8_t fraction, bias, sign;
    bool infinities, flushes;
} ez_dot_format;

typedef struct ez_dot_term {
    u64 m; /* times 2^e */
    int e, at; /* at: the exponent of the format's leading bit, also of denormals */
    bool minus, nan, inf;
} ez_dot_term;

EZ_INLINE int ez_dot_lead(const ez_dot_term *t) { return t->m ? t->e + 63 - __builtin_clzll(t->m) : EZ_DOT_NONE; }

EZ_INLINE ez_dot_term ez_dot_factor(u32 x, ez_dot_format f) {
    u32 ones = (1u << (f.sign - f.fraction)) - 1, field = x >> f.fraction & ones, fraction = x & ((1u << f.fraction) - 1);
    ez_dot_term t = {.m = field ? fraction | 1u << f.fraction : f.flushes ? 0 : fraction, .minus = x >> f.sign & 1};
    t.at = (int)(field ? field : 1) - f.bias;
    t.e = t.at - f.fraction;
    t.inf = f.infinities && field == ones && !fraction;
    t.nan = field == ones && (f.infinities ? fraction != 0 : fraction == (1u << f.fraction) - 1);
    return t;
}

/* How many units of 2^grid, cut. */
EZ_INLINE u64 ez_dot_cut(const ez_dot_term *t, int grid, bool *rest) {
    int by = t->e - grid;
    *rest = t->m && by < 0 && (by <= -64 || (t->m & ((UINT64_C(1) << -by) - 1)));
    return !t->m || by <= -64 ? 0 : by < 0 ? t->m >> -by : t->m << by;
}
/* Rounded down; a third source that leaves no unit may count as nothing. */
EZ_INLINE i64 ez_dot_floor(const ez_dot_term *t, int grid, bool or_nothing) {
    bool rest;
    i64 units = (i64)ez_dot_cut(t, grid, &rest);
    return !t->minus ? units : -units - (rest && !(or_nothing && !units));
}
/* Opposing terms as complements. */
EZ_INLINE i64 ez_dot_complement(const ez_dot_term *t, int grid, bool minus) {
    bool rest;
    i64 units = (i64)ez_dot_cut(t, grid, &rest);
    return t->minus != minus ? ~units : units;
}

EZ_INLINE u64 ez_dot_nearest(u64 m, int by) { /* m / 2^by */
    if (by <= 0) return m << -by;
    if (by >= 64) return 0;
    u64 rest = m & ((UINT64_C(1) << by) - 1), half = UINT64_C(1) << (by - 1);
    return (m >> by) + (rest > half || (rest == half && (m >> by & 1)));
}
/* units * 2^grid to nearest even; a zero is +0. `flushes`: what is below the smallest normal number with any exponent is one, too. */
static __attribute__((unused)) u32 ez_dot_round(i64 units, int grid, int fraction, int bias, bool flushes) {
    if (!units) return 0;
    u64 m = units < 0 ? (u64)-units : (u64)units;
    int top = 63 - __builtin_clzll(m), least = 1 - bias, at = top + grid;
    u32 sign = (u32)(units < 0) << (fraction == 23 ? 31 : 15), infinity = (u32)(2 * bias + 1) << fraction;
    if (flushes) {
        bool carries = ez_dot_nearest(m, top - fraction) >> (fraction + 1);
        if (at + carries < least) return 0;
    }
    int quantum = (at < least ? least : at) - fraction;
    u64 code = ez_dot_nearest(m, quantum - grid);
    if (at >= least) code += (u64)(at - least) << fraction;
    return !code ? 0 : sign | (code >= infinity ? infinity : (u32)code);
}

enum { EZ_DOT_FACTOR_NAN = 0xffc00a3d, EZ_DOT_INVALID = 0xffc00000 };

/* The products of n factors plus the float c, on RDNA 4 n is 2 or 4: pairs of products have a grid of their own, but bytes all four one.
 * `half`: the result is one, whose grid has a floor. Returns a float that is no number, or 0 and the sum in units of 2^grid. */
static __attribute__((noinline, unused)) f32 ez_dot_sum(const u32 *a, ez_dot_format fa, const u32 *b, ez_dot_format fb, unsigned n,
                                                       f32 c, bool complement, bool half, i64 *units, int *grid) {
    ez_dot_term p[4];
    int at[4], products = EZ_DOT_NONE, lead = EZ_DOT_NONE;
    bool plus = false, minus = false, invalid = false, nan = false, bytes = fa.sign < 8;
    for (unsigned i = 0; i < n; i++) {
        ez_dot_term x = ez_dot_factor(a[i], fa), y = ez_dot_factor(b[i], fb);
        p[i] = (ez_dot_term){.m = x.m * y.m, .e = x.e + y.e, .minus = x.minus != y.minus};
        nan |= x.nan | y.nan;
        invalid |= (x.inf && !y.m) || (y.inf && !x.m);
        if (x.inf || y.inf) *(p[i].minus ? &minus : &plus) = true;
        at[i] = p[i].m ? x.at + y.at - 24 : EZ_DOT_NONE;
        products = at[i] > products ? at[i] : products;
        lead = ez_dot_lead(&p[i]) > lead ? ez_dot_lead(&p[i]) : lead;
    }
    if (nan) return EZ_DOT_FACTOR_NAN;
    if (invalid || (plus && minus)) return bytes ? EZ_DOT_FACTOR_NAN : EZ_DOT_INVALID;
    if (f32_is_nan(c)) return f32_quiet(c);
    plus |= c == 0x7f800000;
    minus |= c == 0xff800000;
    if (plus && minus) return bytes ? EZ_DOT_FACTOR_NAN : EZ_DOT_INVALID;
    if (plus || minus) return minus ? 0xff800000 : 0x7f800000;
    ez_dot_term z = ez_dot_factor(c, (ez_dot_format){23, 127, 31, true, complement});
    int floor = half ? -14 : complement ? EZ_DOT_NONE : -126, third = ez_dot_lead(&z) > floor ? ez_dot_lead(&z) : floor;
    *units = 0;
    if (complement) {
        if (!(z.m | p[0].m | p[1].m)) return 0;
        third = lead > third ? lead : third;
        *grid = products > third - 26 ? products : third - 26;
        i64 sum = ez_dot_complement(&z, *grid, z.minus) + ez_dot_complement(&p[0], *grid, z.minus) +
                  ez_dot_complement(&p[1], *grid, z.minus);
        *units = z.minus ? -sum : sum;
        return 0;
    }
    *grid = products > third - 26 ? products : third - 26;
    *units = ez_dot_floor(&z, *grid, *grid > floor);
    for (unsigned i = 0, size = bytes ? n : 2; i < n; i += size) {
        int own = EZ_DOT_NONE;
        i64 sum = 0;
        for (unsigned q = i; q < i + size; q++) own = at[q] > own ? at[q] : own;
        for (unsigned q = i; q < i + size; q++) sum += own == EZ_DOT_NONE ? 0 : ez_dot_floor(&p[q], own, false);
        ez_dot_term group = {.m = sum < 0 ? (u64)-sum : (u64)sum, .e = own, .minus = sum < 0};
        *units += ez_dot_floor(&group, *grid, false);
    }
    return 0;
}

EZ_INLINE ez_dot_format ez_dot_f16(void) { return (ez_dot_format){10, 15, 15, true, false}; }
EZ_INLINE ez_dot_format ez_dot_bf16(bool flushes) { return (ez_dot_format){7, 127, 15, true, flushes}; }

/* What ez_dot_sum() found, as a float, a half float, a bfloat: the float's upper half. */
EZ_INLINE f32 f32_of_grid(f32 special, i64 units, int grid, bool flushes) {
    return special ? special : ez_dot_round(units, grid, 23, 127, flushes);
}
EZ_INLINE f16 f16_of_grid(f32 special, i64 units, int grid, const ez_fpmode *md) {
    if (special == EZ_DOT_FACTOR_NAN) return 0xfe3d;
    if (special) return (special >> 16 & 0x8000) | 0x7c00 | (special >> 13 & 0x3ff);
    return f16_limit(ez_dot_round(units, grid, 10, 15, false), true, md);
}
EZ_INLINE u32 bf16_of_grid(f32 special, i64 units, int grid, bool flushes) {
    return special == EZ_DOT_FACTOR_NAN ? 0xfffd : f32_of_grid(special, units, grid, flushes) >> 16;
}

EZ_INLINE f32 f32_dot2_grid(u32 a, u32 b, f32 c, ez_dot_format f, bool complement) {
    const u32 x[2] = {a & 0xffff, a >> 16}, y[2] = {b & 0xffff, b >> 16};
    i64 units = 0;
    int grid = 0;
    f32 special = ez_dot_sum(x, f, y, f, 2, c, complement, false, &units, &grid);
    return f32_of_grid(special, units, grid, complement);
}
EZ_INLINE f16 f16_dot2_grid(u32 a, u32 b, f16 c, bool complement, const ez_fpmode *md) {
    const u32 x[2] = {a & 0xffff, a >> 16}, y[2] = {b & 0xffff, b >> 16};
    i64 units = 0;
    int grid = 0;
    f32 special = ez_dot_sum(x, ez_dot_f16(), y, ez_dot_f16(), 2, f16_widen(c), complement, true, &units, &grid);
    return f16_of_grid(special, units, grid, md);
}
EZ_INLINE u32 bf16_dot2_grid(u32 a, u32 b, u32 c, bool complement) {
    const u32 x[2] = {a & 0xffff, a >> 16}, y[2] = {b & 0xffff, b >> 16};
    i64 units = 0;
    int grid = 0;
    f32 special = ez_dot_sum(x, ez_dot_bf16(complement), y, ez_dot_bf16(complement), 2, c << 16, complement, false, &units, &grid);
    return bf16_of_grid(special, units, grid, complement);
}

#endif
