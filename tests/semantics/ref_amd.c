/* SPDX-License-Identifier: Apache-2.0 */
#include "ref_amd.h"

/* ---- arithmetic ---- */

#define MPFR(NAME, OPERATION) \
    uint64_t NAME(const ref_call *c) { return ref_mpfr(OPERATION, c); }
MPFR(ref_add, REF_ADD)
MPFR(ref_sub, REF_SUB)
MPFR(ref_mul, REF_MUL)
MPFR(ref_fma, REF_FMA)
MPFR(ref_ldexp, REF_LDEXP)
MPFR(ref_divide, REF_DIVIDE)
MPFR(ref_floor, REF_FLOOR)
MPFR(ref_ceil, REF_CEIL)
MPFR(ref_trunc, REF_TRUNC)
MPFR(ref_rndne, REF_RNDNE)
MPFR(ref_fract, REF_FRACT)
MPFR(ref_frexp_mant, REF_FREXP_MANT)
MPFR(ref_frexp_exp, REF_FREXP_EXP)
MPFR(ref_rcp, REF_RCP)
MPFR(ref_sqrt, REF_SQRT)
MPFR(ref_rsq, REF_RSQ)
MPFR(ref_exp, REF_EXP2)
MPFR(ref_log, REF_LOG2)
MPFR(ref_sin, REF_SIN)
MPFR(ref_cos, REF_COS)
MPFR(ref_tanh, REF_TANH)
MPFR(ref_cvt, REF_CONVERT)

/* The first NaN operand, quiet; else x. */
static uint64_t or_nan(const ref_call *c, unsigned sources, uint64_t x) {
    for (unsigned n = 0; n < sources; n++)
        if (ref_is_nan(c->source[n], c->in[n])) return ref_quiet_by(c->source[n], c->in[n], c->mode);
    return x;
}

uint64_t ref_subrev(const ref_call *c) {
    return or_nan(c, 2, ref_of(REF_SUB, c->result, c->in[1], c->in[0], 0, c->mode));
}

/* Product and sum are rounded each. */
static uint64_t mad(const ref_call *c, const ref_mode *mode) {
    uint64_t product = ref_of(REF_MUL, c->result, c->in[0], c->in[1], 0, mode);
    return or_nan(c, 3, ref_of(REF_ADD, c->result, product, c->in[2], 0, mode));
}
uint64_t ref_mad(const ref_call *c) { return mad(c, c->mode); }
/* MAD of floats takes and gives no denormals, whatever the mode. [Vega] V_MAD_F32; LLVM */
static ref_mode without_denormals32(const ref_mode *mode) {
    ref_mode m = *mode;
    m.denorm32 = 0;
    return m;
}
uint64_t ref_mad_f32(const ref_call *c) {
    ref_mode m = without_denormals32(c->mode);
    return mad(c, &m);
}

static bool has_zero_factor(const ref_call *c, const ref_mode *mode) {
    return ref_is_zero(c->source[0], ref_flushed_in(c->source[0], c->in[0], mode)) ||
           ref_is_zero(c->source[1], ref_flushed_in(c->source[1], c->in[1], mode));
}
uint64_t ref_mul_dx9(const ref_call *c) { return has_zero_factor(c, c->mode) ? 0 : ref_mul(c); }
/* As captured on RDNA 3 and 4: no denormals in any mode, and a zero factor makes a product of +0. */
uint64_t ref_fma_dx9(const ref_call *c) {
    ref_mode m = without_denormals32(c->mode);
    bool zero = has_zero_factor(c, &m);
    return ref_of(REF_FMA, c->result, zero ? 0 : c->in[0], zero ? 0 : c->in[1], c->in[2], &m);
}
uint64_t ref_mad_dx9(const ref_call *c) {
    ref_mode m = without_denormals32(c->mode);
    uint64_t product = has_zero_factor(c, &m) ? 0 : ref_of(REF_MUL, c->result, c->in[0], c->in[1], 0, &m);
    return ref_of(REF_ADD, c->result, product, c->in[2], 0, &m);
}

/* "0.0 * x = 0.0" besides the pseudocode. [RDNA2] V_MULLIT_F32 */
uint64_t ref_mullit(const ref_call *c) {
    const uint64_t lowest = 0xff7fffff, s1 = c->in[1], s2 = ref_flushed_in(REF_F32, c->in[2], c->mode);
    if (s1 == lowest || s1 == ref_infinity(REF_F32, true) || ref_is_nan(REF_F32, s1) || ref_is_nan(REF_F32, s2) ||
        ref_is_zero(REF_F32, s2) || ref_sign(REF_F32, s2))
        return lowest;
    return ref_mul_dx9(c);
}

/* ---- division; docs/errata.md ---- */

/* By exponents alone; measured on RDNA 3 and 4. */
static bool div_scale(const ref_call *c, uint64_t *result) {
    ref_format f = c->result;
    bool single = f == REF_F32;
    uint64_t s[3];
    for (unsigned i = 0; i < 3; i++) s[i] = ref_flushed_in(f, c->in[i], c->mode);
    int numerator = (int)ref_exponent(f, s[2]), denominator = (int)ref_exponent(f, s[1]), apart = numerator - denominator;
    int far = single ? 96 : 768, up = single ? 64 : 128, scale = 0;
    bool is_denominator = s[0] == s[1], mask = false;
    if (apart >= far) { /* the quotient is near the greatest number */
        mask = true;
        if (is_denominator) scale = up;
    } else if (denominator == 0) { /* a denormal */
        scale = up;
    } else if (denominator >= 2 * (int)ref_layouts[f].bias - 1) { /* its reciprocal is a denormal, or nearly */
        mask = apart <= -far;
        if (!mask || is_denominator) scale = -up;
    } else if (apart <= -far) { /* the quotient might be one */
        mask = true;
        if (!is_denominator) scale = up;
    } else if (numerator <= (single ? 24 : 53)) {
        scale = up;
    }
    uint64_t one = (uint64_t)ref_layouts[f].bias << ref_layouts[f].fraction, zero = ref_with_sign(f, ref_sign(f, s[0]), 0);
    if (ref_is_zero(f, s[1]) || ref_is_zero(f, s[2])) *result = ref_default_nan(f);
    else if (ref_is_nan(f, s[0])) *result = ref_quiet_by(f, s[0], c->mode);
    else if (ref_is_zero(f, s[0])) *result = s[0];
    else *result = ref_scaled_fma(f, s[0], one, zero, scale, c->mode);
    return mask;
}
uint64_t ref_div_scale(const ref_call *c) {
    uint64_t r;
    div_scale(c, &r);
    return r;
}
uint64_t ref_div_scale_mask(const ref_call *c) {
    ref_call same = *c;
    same.result = c->source[0];
    uint64_t r;
    return div_scale(&same, &r);
}

/* Keeps denormals of its sources in every mode. */
uint64_t ref_div_fmas(const ref_call *c) {
    ref_format f = c->result;
    long scale = f == REF_F32 ? 64 : 128;
    ref_mode m = *c->mode;
    m.denorm32 |= 1, m.denorm16_64 |= 1, m.keeps_signalling = false;
    if (!(uint32_t)c->in[3]) return ref_of(REF_FMA, f, c->in[0], c->in[1], c->in[2], &m);
    return ref_scaled_fma(f, c->in[0], c->in[1], c->in[2],
                          ref_exponent(f, c->in[2]) > ref_layouts[f].bias ? scale : -scale, &m);
}

uint64_t ref_div_fixup(const ref_call *c) {
    ref_format f = c->result;
    uint64_t s0 = c->in[0], s1 = ref_flushed_in(f, c->in[1], c->mode), s2 = ref_flushed_in(f, c->in[2], c->mode);
    bool minus = ref_sign(f, s1) != ref_sign(f, s2);
    int apart = (int)ref_exponent(f, s2) - (int)ref_exponent(f, s1);
    unsigned round = ref_round(c->mode, f);
    bool away = round == (minus ? 2 : 1);
    if (ref_is_nan(f, s2)) return ref_quiet(f, s2);
    if (ref_is_nan(f, s1)) return ref_quiet(f, s1);
    if ((ref_is_zero(f, s1) && ref_is_zero(f, s2)) || (ref_is_inf(f, s1) && ref_is_inf(f, s2))) return ref_default_nan(f);
    if (ref_is_zero(f, s1) || ref_is_inf(f, s2)) return ref_infinity(f, minus);
    if (ref_is_inf(f, s1) || ref_is_zero(f, s2)) return ref_with_sign(f, minus, 0);
    if ((f == REF_F32 && apart < -150) || (f == REF_F64 && apart < -1075)) /* rounded like any tiny number */
        return ref_with_sign(f, minus, away && ref_keeps_out(c->mode, f));
    if (ref_is_nan(f, s0) || ref_is_inf(f, s0)) /* an estimate that overflowed */
        return ref_infinity(f, minus) - !(round == 0 || away) - (f == REF_F16 && c->mode->fp16_ovfl && (round == 0 || away));
    return ref_with_sign(f, minus, ref_magnitude(f, s0));
}

/* ---- minima and maxima ---- */

static uint64_t minmax_in(ref_format f, uint64_t x, const ref_mode *m) {
    return m->minmax_denorm ? ref_flushed_in(f, x, m) : x;
}
static uint64_t minmax_out(ref_format f, uint64_t x, const ref_mode *m) {
    return m->minmax_denorm ? ref_flushed_out(f, x, m) : x;
}

/* Of two numbers; -0 is below +0. Which one, where they are equal, makes no difference. */
static uint64_t extreme(ref_format f, uint64_t a, uint64_t b, bool max) {
    int order = ref_compare(f, a, b);
    if (!order) order = (int)ref_sign(f, b) - (int)ref_sign(f, a);
    return (order < 0) != max ? a : b;
}

/* MIN and MAX of two flushed operands, by the guide of each generation. */
static uint64_t pick(ref_format f, uint64_t a, uint64_t b, bool max, const ref_mode *m) {
    bool nan_a = ref_is_nan(f, a), nan_b = ref_is_nan(f, b);
    if (m->nans == REF_NANS_NUMBER) { /* [RDNA4] V_MIN_NUM_F32 */
        if (nan_a && nan_b) return ref_quiet(f, a);
    } else {
        if (m->ieee && ref_is_signalling(f, a)) return ref_quiet(f, a);
        if (m->ieee && ref_is_signalling(f, b)) return ref_quiet(f, b);
        if (nan_a && nan_b) return m->nans == REF_NANS_FIRST ? a : b; /* [RDNA3] asks S1 first, [CDNA3] S0 */
    }
    return nan_a ? b : nan_b ? a : extreme(f, a, b, max);
}

/* [RDNA4] V_MINIMUM_F32; of two NaNs the first, as captured on RDNA 4 */
static uint64_t pick_nan(ref_format f, uint64_t a, uint64_t b, bool max, const ref_mode *m) {
    (void)m;
    if (ref_is_nan(f, a)) return ref_quiet(f, a);
    if (ref_is_nan(f, b)) return ref_quiet(f, b);
    return extreme(f, a, b, max);
}

typedef uint64_t picker(ref_format f, uint64_t a, uint64_t b, bool max, const ref_mode *m);

static uint64_t two(const ref_call *c, picker *p, bool max) {
    ref_format f = c->result;
    return minmax_out(f, p(f, minmax_in(f, c->in[0], c->mode), minmax_in(f, c->in[1], c->mode), max, c->mode), c->mode);
}
static uint64_t three(const ref_call *c, picker *p, bool first, bool second) {
    ref_format f = c->result;
    uint64_t a = minmax_in(f, c->in[0], c->mode), b = minmax_in(f, c->in[1], c->mode), x = minmax_in(f, c->in[2], c->mode);
    return minmax_out(f, p(f, p(f, a, b, first, c->mode), x, second, c->mode), c->mode);
}
uint64_t ref_min(const ref_call *c) { return two(c, pick, false); }
uint64_t ref_max(const ref_call *c) { return two(c, pick, true); }
uint64_t ref_min3(const ref_call *c) { return three(c, pick, false, false); }
uint64_t ref_max3(const ref_call *c) { return three(c, pick, true, true); }
uint64_t ref_minmax(const ref_call *c) { return three(c, pick, false, true); }
uint64_t ref_maxmin(const ref_call *c) { return three(c, pick, true, false); }
uint64_t ref_minimum(const ref_call *c) { return two(c, pick_nan, false); }
uint64_t ref_maximum(const ref_call *c) { return two(c, pick_nan, true); }
uint64_t ref_minimum3(const ref_call *c) { return three(c, pick_nan, false, false); }
uint64_t ref_maximum3(const ref_call *c) { return three(c, pick_nan, true, true); }
uint64_t ref_minimummaximum(const ref_call *c) { return three(c, pick_nan, false, true); }
uint64_t ref_maximumminimum(const ref_call *c) { return three(c, pick_nan, true, false); }

uint64_t ref_med3(const ref_call *c) {
    ref_format f = c->result;
    const ref_mode *m = c->mode;
    uint64_t a = minmax_in(f, c->in[0], m), b = minmax_in(f, c->in[1], m), x = minmax_in(f, c->in[2], m), r;
    if (ref_is_nan(f, a) || ref_is_nan(f, b) || ref_is_nan(f, x)) return ref_min3(c);
    uint64_t top = extreme(f, extreme(f, a, b, true), x, true);
    bool by_sign = m->nans == REF_NANS_NUMBER; /* -0 is below +0: as captured on RDNA 4 */
    if (by_sign ? top == a : !ref_compare(f, top, a)) r = extreme(f, b, x, true);
    else if (by_sign ? top == b : !ref_compare(f, top, b)) r = extreme(f, a, x, true);
    else r = extreme(f, a, b, true);
    return minmax_out(f, r, m);
}

/* ---- compares ---- */

/* -1 less, 0 equal, 1 greater, 2 unordered */
static int order_of(const ref_call *c) {
    ref_format f = c->source[0];
    if (ref_is_nan(f, c->in[0]) || ref_is_nan(f, c->in[1])) return 2;
    return ref_compare(f, ref_flushed_in(f, c->in[0], c->mode), ref_flushed_in(f, c->in[1], c->mode));
}
#define COMPARE(NAME, HOLDS)                     \
    uint64_t ref_cmp_##NAME(const ref_call *c) { \
        int o = order_of(c);                     \
        return (HOLDS);                          \
    }
COMPARE(f, o & 0)
COMPARE(lt, o == -1)
COMPARE(eq, o == 0)
COMPARE(le, o == -1 || o == 0)
COMPARE(gt, o == 1)
COMPARE(lg, o == -1 || o == 1)
COMPARE(ge, o == 1 || o == 0)
COMPARE(o, o != 2)
COMPARE(u, o == 2)
COMPARE(nge, !(o == 1 || o == 0))
COMPARE(nlg, !(o == -1 || o == 1))
COMPARE(ngt, o != 1)
COMPARE(nle, !(o == -1 || o == 0))
COMPARE(neq, o != 0)
COMPARE(nlt, o != -1)
COMPARE(t, o == o)

uint64_t ref_class(const ref_call *c) {
    ref_format f = c->source[0];
    uint64_t x = c->in[0];
    bool minus = ref_sign(f, x);
    unsigned n = ref_is_signalling(f, x) ? 0
                 : ref_is_nan(f, x)      ? 1
                 : ref_is_inf(f, x)      ? (minus ? 2 : 9)
                 : ref_is_zero(f, x)     ? (minus ? 5 : 6)
                 : ref_is_denormal(f, x) ? (minus ? 4 : 7)
                                         : (minus ? 3 : 8);
    return c->in[1] >> n & 1;
}

/* ---- cube maps, angles ---- */

typedef struct cube {
    uint64_t s[3];
    unsigned major;
    bool minus; /* the major coordinate is below 0 */
} cube;
static int compare_sizes(uint64_t a, uint64_t b) { /* 2: unordered */
    return ref_is_nan(REF_F32, a) || ref_is_nan(REF_F32, b) ? 2 : ref_compare_magnitudes(REF_F32, a, b, 0);
}
static bool at_least(uint64_t a, uint64_t b) {
    int o = compare_sizes(a, b);
    return o == 0 || o == 1;
}
/* Faces are found among numbers without denormals, in every mode; the coordinates keep theirs: measured on RDNA 3 and 4. */
static cube cube_of(const ref_call *c) {
    cube q = {.major = 0};
    uint64_t v[3];
    for (unsigned i = 0; i < 3; i++) q.s[i] = c->in[i], v[i] = ref_flushed(REF_F32, c->in[i], false);
    if (at_least(v[2], v[0]) && at_least(v[2], v[1])) q.major = 2;
    else if (at_least(v[1], v[0])) q.major = 1;
    uint64_t m = v[q.major];
    q.minus = ref_sign(REF_F32, m) && !ref_is_zero(REF_F32, m) && !ref_is_nan(REF_F32, m);
    return q;
}
static uint64_t coordinate(const ref_call *c, uint64_t x, bool negate) {
    if (negate) x = ref_negated(REF_F32, x);
    return ref_is_nan(REF_F32, x) ? ref_quiet_by(REF_F32, x, c->mode) : x;
}
uint64_t ref_cubeid(const ref_call *c) {
    static const uint32_t faces[] = {0, 0x3f800000, 0x40000000, 0x40400000, 0x40800000, 0x40a00000};
    cube q = cube_of(c);
    return faces[2 * q.major + q.minus];
}
uint64_t ref_cubesc(const ref_call *c) {
    cube q = cube_of(c);
    if (q.major == 2) return coordinate(c, q.s[0], q.minus);
    return q.major == 1 ? coordinate(c, q.s[0], false) : coordinate(c, q.s[2], !q.minus);
}
uint64_t ref_cubetc(const ref_call *c) {
    cube q = cube_of(c);
    return q.major == 1 ? coordinate(c, q.s[2], q.minus) : coordinate(c, q.s[1], true);
}
uint64_t ref_cubema(const ref_call *c) { /* of -0, +0 but where the mode rounds down */
    cube q = cube_of(c);
    return ref_of(REF_FMA, REF_F32, ref_flushed(REF_F32, q.s[q.major], false), 0x40000000, 0, c->mode);
}

uint64_t ref_trig_preop(const ref_call *c) {
    int exponent = (int)ref_exponent(REF_F64, c->in[0]);
    int shift = (int)(c->in[1] & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
    return ref_two_over_pi((unsigned)shift, -53 - shift + (exponent >= 1968 ? 128 : 0), c->mode);
}

/* ---- output modifiers; docs/errata.md ---- */

static uint64_t omod_of(ref_format f, uint64_t x, unsigned omod, const ref_mode *mode) {
    if (!omod || mode->ieee || ref_keeps_out(mode, f)) return x;
    if (ref_is_nan(f, x) || ref_is_inf(f, x)) return x;
    if (ref_is_zero(f, x) || ref_is_denormal(f, x)) return 0;
    static const int by[] = {0, 1, 2, -1};
    uint64_t factor = (uint64_t)((int)ref_layouts[f].bias + by[omod]) << ref_layouts[f].fraction;
    uint64_t r = ref_of(REF_MUL, f, x, factor, 0, mode);
    return ref_is_zero(f, r) ? 0 : r; /* also a negative one */
}
uint64_t ref_output(ref_format f, uint64_t x, unsigned omod, bool clamp, const ref_mode *mode) {
    x = omod_of(f, x, omod, mode);
    if (!clamp) return x;
    if (ref_is_nan(f, x)) return mode->dx10_clamp ? 0 : x;
    if (ref_sign(f, x)) return 0;
    uint64_t one = (uint64_t)ref_layouts[f].bias << ref_layouts[f].fraction;
    return x > one ? one : x;
}
