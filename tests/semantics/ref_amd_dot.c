/* SPDX-License-Identifier: Apache-2.0 */
/* Dot products of RDNA 3 and 4, in doubles, which hold every term exactly; docs/errata.md, "Dot products". */
#include <math.h>
#include <string.h>

#include "ref_amd.h"

static const ref_mode exact = {.denorm32 = 3, .denorm16_64 = 3};
enum { NONE = -1024, FACTOR_NAN = 0xffc00a3d, INVALID = 0xffc00000 };

static double value(ref_format f, uint64_t x, bool flushes) {
    double d;
    uint64_t bits = ref_convert(REF_F64, f, ref_flushed(f, x, !flushes), &exact);
    memcpy(&d, &bits, 8);
    return d;
}
static int leading(ref_format f, uint64_t x) { return (int)(ref_exponent(f, x) ? ref_exponent(f, x) : 1) - (int)ref_layouts[f].bias; }
static int top(double x) { return x == 0 ? NONE : ilogb(x); }
static int greater(int a, int b) { return a > b ? a : b; }
static bool is_negative(double x) { return signbit(x); }

typedef struct sum {
    uint32_t special; /* a float, or 0 */
    double units;
    int grid;
} sum;

static sum special(uint32_t bits) { return (sum){.special = bits}; }

/* RDNA 3: terms are cut; one whose sign is not that of c counts as the complement of its units. */
static sum complement(double c, const double *p, int products, bool half) {
    int lead = greater(half ? greater(-14, top(c)) : top(c), greater(top(p[0]), top(p[1])));
    sum s = {.grid = greater(products, lead - 26)};
    const double terms[3] = {c, p[0], p[1]};
    if (c == 0 && p[0] == 0 && p[1] == 0) return s;
    for (int i = 0; i < 3; i++) {
        double units = trunc(ldexp(fabs(terms[i]), -s.grid));
        s.units += is_negative(terms[i]) != is_negative(c) ? -units - 1 : units;
    }
    if (is_negative(c)) s.units = -s.units;
    return s;
}

/* RDNA 4: the products are rounded down to a grid of theirs and added, the sum and c to a common one. */
static sum floors(double c, const double *p, unsigned n, int products, bool half) {
    int least = half ? -14 : -126;
    double group = 0;
    sum s = {.grid = greater(products, greater(least, top(c)) - 26)};
    for (unsigned i = 0; i < n; i++)
        if (products != NONE) group += floor(ldexp(p[i], -products));
    double third = ldexp(c, -s.grid);
    s.units = fabs(third) < 1 && s.grid > least ? 0 : floor(third);
    if (products != NONE) s.units += floor(ldexp(group, products - s.grid));
    return s;
}

static sum dot(const uint64_t *a, ref_format fa, const uint64_t *b, ref_format fb, unsigned n, uint32_t c, const ref_mode *m, bool half) {
    double p[4];
    int products = NONE;
    bool plus = c == 0x7f800000, minus = c == 0xff800000, opposed = false, first[2] = {false, false};
    uint32_t invalid = n == 4 ? FACTOR_NAN : INVALID;
    for (unsigned i = 0; i < n; i++)
        if (ref_is_nan(fa, a[i]) || ref_is_nan(fb, b[i])) return special(FACTOR_NAN);
    for (unsigned i = 0; i < n; i++) {
        bool flushes = m->dot_complement && fa == REF_BF16;
        p[i] = value(fa, a[i], flushes) * value(fb, b[i], flushes);
        if (isnan(p[i])) return special(invalid);
        if (isinf(p[i])) first[is_negative(p[i])] = true;
        else if (p[i] != 0) products = greater(products, leading(fa, a[i]) + leading(fb, b[i]) - 24);
    }
    opposed = first[0] && first[1];
    if (opposed) return special(invalid);
    if (ref_is_nan(REF_F32, c)) return special((uint32_t)ref_quiet(REF_F32, c));
    plus |= first[0], minus |= first[1];
    if (plus && minus) return special(invalid);
    if (plus || minus) return special(minus ? 0xff800000 : 0x7f800000);
    double third = value(REF_F32, c, m->dot_complement);
    return m->dot_complement ? complement(third, p, products, half) : floors(third, p, n, products, half);
}

/* To nearest even; RDNA 3 flushes floats after rounding with any exponent. A zero is +0. */
static uint64_t finish(ref_format f, sum s, const ref_mode *m) {
    ref_mode mode = exact;
    uint64_t bits;
    if (f == REF_F32 && m->dot_complement) mode.denorm32 = 1;
    mode.fp16_ovfl = m->fp16_ovfl;
    double d = ldexp(s.units, s.grid);
    memcpy(&bits, &d, 8);
    uint64_t r = ref_convert(f, REF_F64, bits, &mode);
    return ref_is_zero(f, r) ? 0 : r;
}

static uint64_t dot2_f32(const ref_call *c, ref_format f, uint32_t third) {
    const uint64_t a[2] = {c->in[0] & 0xffff, c->in[0] >> 16 & 0xffff}, b[2] = {c->in[1] & 0xffff, c->in[1] >> 16 & 0xffff};
    sum s = dot(a, f, b, f, 2, third, c->mode, false);
    return s.special ? s.special : finish(REF_F32, s, c->mode);
}
uint64_t ref_dot2_grid(const ref_call *c) {
    return dot2_f32(c, c->source[0] == REF_PK_F16 ? REF_F16 : REF_BF16, (uint32_t)c->in[2]);
}
uint64_t ref_dot2_bf16(const ref_call *c) { /* the float's upper half */
    uint64_t r = dot2_f32(c, REF_BF16, (uint32_t)c->in[2] << 16);
    return r == FACTOR_NAN ? 0xfffd : r >> 16;
}
uint64_t ref_dot2_f16(const ref_call *c) {
    const uint64_t a[2] = {c->in[0] & 0xffff, c->in[0] >> 16 & 0xffff}, b[2] = {c->in[1] & 0xffff, c->in[1] >> 16 & 0xffff};
    uint32_t third = ref_is_nan(REF_F16, c->in[2]) ? (uint32_t)ref_with_sign(REF_F32, ref_sign(REF_F16, c->in[2]), 0x7f800000 | (c->in[2] & 0x3ff) << 13)
                                                   : (uint32_t)ref_convert(REF_F32, REF_F16, c->in[2], &exact);
    sum s = dot(a, REF_F16, b, REF_F16, 2, third, c->mode, true);
    if (s.special == FACTOR_NAN) return 0xfe3d;
    if (s.special) return (s.special >> 16 & 0x8000) | 0x7c00 | (s.special >> 13 & 0x3ff);
    return finish(REF_F16, s, c->mode);
}
uint64_t ref_dot4(const ref_call *c) {
    uint64_t a[4], b[4];
    for (unsigned i = 0; i < 4; i++) a[i] = c->in[0] >> 8 * i & 0xff, b[i] = c->in[1] >> 8 * i & 0xff;
    sum s = dot(a, c->source[0], b, c->source[1], 4, (uint32_t)c->in[2], c->mode, false);
    return s.special ? s.special : finish(REF_F32, s, c->mode);
}
