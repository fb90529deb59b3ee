/* SPDX-License-Identifier: Apache-2.0 */
#include "ref_mpfr.h"

#include <mpfr.h>
#include <string.h>

const ref_layout ref_layouts[] = {{16, 10, 15}, {32, 23, 127}, {64, 52, 1023}};

/* ---- formats ---- */

static uint64_t sign_bit(ref_format f) { return UINT64_C(1) << (ref_layouts[f].bits - 1); }
static uint64_t quiet_bit(ref_format f) { return UINT64_C(1) << (ref_layouts[f].fraction - 1); }
static uint64_t infinity(ref_format f) {
    return (sign_bit(f) - 1) & ~((UINT64_C(1) << ref_layouts[f].fraction) - 1);
}
static uint64_t magnitude(ref_format f, uint64_t x) { return x & (sign_bit(f) - 1); }
static bool is_float(ref_format f) { return f <= REF_F64; }
static bool is_denormal(ref_format f, uint64_t x) { return magnitude(f, x) && !(x & infinity(f)); }
static uint64_t default_nan(ref_format f) { return infinity(f) | quiet_bit(f); }

bool ref_is_nan(ref_format f, uint64_t x) { return is_float(f) && magnitude(f, x) > infinity(f); }

uint64_t ref_distance(ref_format f, uint64_t a, uint64_t b) {
    int64_t x = (int64_t)magnitude(f, a), y = (int64_t)magnitude(f, b);
    if (a & sign_bit(f)) x = -x;
    if (b & sign_bit(f)) y = -y;
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

static uint64_t flushed(ref_format f, uint64_t x, bool keep) {
    return !keep && is_denormal(f, x) ? x & sign_bit(f) : x;
}

/* Exact. */
static void get(mpfr_t to, ref_format f, uint64_t x) {
    const ref_layout *l = &ref_layouts[f];
    uint64_t fraction = x & ((UINT64_C(1) << l->fraction) - 1), exponent = (x & infinity(f)) >> l->fraction;
    if (magnitude(f, x) == infinity(f)) {
        mpfr_set_inf(to, x & sign_bit(f) ? -1 : 1);
        return;
    }
    if (exponent) fraction |= UINT64_C(1) << l->fraction;
    else exponent = 1;
    mpfr_set_uj_2exp(to, fraction, (intmax_t)exponent - (int)l->bias - (int)l->fraction, MPFR_RNDN);
    if (x & sign_bit(f)) mpfr_neg(to, to, MPFR_RNDN);
}

/* A value that the format has, as bits. */
static uint64_t put(ref_format f, mpfr_t x) {
    const ref_layout *l = &ref_layouts[f];
    uint64_t sign = mpfr_signbit(x) ? sign_bit(f) : 0, bits;
    double d = mpfr_get_d(x, MPFR_RNDN);
    if (mpfr_nan_p(x)) return default_nan(f);
    memcpy(&bits, &d, 8);
    bits &= INT64_MAX;
    if (f == REF_F64) return sign | bits;
    if (mpfr_inf_p(x)) return sign | infinity(f);
    if (!bits) return sign;
    int exponent = (int)(bits >> 52) - 1023 + (int)l->bias;
    uint64_t fraction = (bits & 0xfffffffffffff) | UINT64_C(1) << 52;
    fraction >>= 52 - l->fraction + (exponent < 1 ? (unsigned)(1 - exponent) : 0);
    if (exponent > 0) fraction += (uint64_t)(exponent - 1) << l->fraction;
    return sign | fraction;
}

static const mpfr_rnd_t roundings[4] = {MPFR_RNDN, MPFR_RNDU, MPFR_RNDD, MPFR_RNDZ};

/* ---- operations ---- */

/* x = operation(a, b, c) with x's precision and range; returns MPFR's ternary value. */
static int compute(mpfr_t x, ref_operation operation, mpfr_t a, mpfr_t b, mpfr_t c, mpfr_rnd_t r) {
    switch (operation) {
    case REF_ADD: return mpfr_add(x, a, b, r);
    case REF_SUB: return mpfr_sub(x, a, b, r);
    case REF_MUL: return mpfr_mul(x, a, b, r);
    case REF_FMA: return mpfr_fma(x, a, b, c, r);
    case REF_DIVIDE: return mpfr_div(x, a, b, r);
    case REF_FLOOR: return mpfr_rint_floor(x, a, r);
    case REF_CEIL: return mpfr_rint_ceil(x, a, r);
    case REF_TRUNC: return mpfr_rint_trunc(x, a, r);
    case REF_RNDNE: return mpfr_rint_roundeven(x, a, r);
    case REF_CONVERT: return mpfr_set(x, a, r);
    case REF_RCP: return mpfr_ui_div(x, 1, a, r);
    case REF_SQRT: return mpfr_sqrt(x, a, r);
    case REF_RSQ: {
        if (!mpfr_zero_p(a)) return mpfr_rec_sqrt(x, a, r);
        mpfr_set_inf(x, mpfr_signbit(a) ? -1 : 1); /* 1 / sqrt(-0) */
        return 0;
    }
    case REF_EXP2: return mpfr_exp2(x, a, r);
    case REF_LOG2: return mpfr_log2(x, a, r);
    default: mpfr_set_nan(x); return 0;
    }
}

/* sin and cos of a in turns. */
static int turns(mpfr_t x, ref_operation operation, mpfr_t a, mpfr_rnd_t r) {
    if (!mpfr_number_p(a)) {
        mpfr_set_nan(x);
        return 0;
    }
    if (operation == REF_COS) return mpfr_cosu(x, a, 1, r);
    int ternary = mpfr_sinu(x, a, 1, r);
    if (mpfr_zero_p(x)) mpfr_set_zero(x, mpfr_signbit(a) ? -1 : 1); /* IEEE 754-2019 9.2: sinPi(+-n) is +-0 */
    return ternary;
}

/* a - floor(a), but never 1. Source: [RDNA3] V_FRACT_F32 with the note "clamped to below 1"; LLVM's amdgcn.fract. */
static int fract(mpfr_t x, mpfr_t a, mpfr_rnd_t r) {
    mpfr_t below;
    if (mpfr_inf_p(a)) {
        mpfr_set_nan(x);
        return 0;
    }
    mpfr_init2(below, 2200);
    mpfr_floor(below, a);
    int t = mpfr_sub(x, a, below, r);
    mpfr_clear(below);
    if (mpfr_cmp_ui(x, 1) < 0) return t;
    mpfr_set_ui(x, 1, MPFR_RNDN);
    mpfr_nextbelow(x);
    return -1;
}

static uint64_t to_integer(ref_format f, mpfr_t a) {
    static const double low[] = {-2147483648.0, -32768, 0}, high[] = {2147483647.0, 32767, 4294967295.0};
    double d;
    mpfr_t whole;
    mpfr_init2(whole, 64);
    mpfr_trunc(whole, a);
    d = mpfr_get_d(whole, MPFR_RNDZ);
    mpfr_clear(whole);
    d = d < low[f - REF_I32] ? low[f - REF_I32] : d > high[f - REF_I32] ? high[f - REF_I32] : d;
    return f == REF_I16 ? (uint16_t)(int16_t)d : (uint32_t)(int64_t)d;
}

/* The NaN operand that comes back, if there is one. */
static bool nan_result(ref_operation operation, ref_format result, const ref_format source[3], const uint64_t in[3],
                       unsigned sources, uint64_t *bits) {
    static const unsigned numerator_first[] = {0, 1, 2};
    for (unsigned i = 0; i < sources; i++) {
        unsigned n = numerator_first[i];
        if (!ref_is_nan(source[n], in[n])) continue;
        uint64_t x = in[n] | quiet_bit(source[n]);
        if (operation == REF_CONVERT) { /* the payload's upper bits */
            unsigned from = ref_layouts[source[n]].fraction, to = ref_layouts[result].fraction;
            uint64_t fraction = x & ((UINT64_C(1) << from) - 1);
            fraction = from > to ? fraction >> (from - to) : fraction << (to - from);
            x = (x & sign_bit(source[n]) ? sign_bit(result) : 0) | infinity(result) | fraction;
        }
        *bits = x;
        return true;
    }
    return false;
}

static unsigned source_count(ref_operation operation) {
    return operation == REF_FMA ? 3 : operation <= REF_MUL || operation == REF_LDEXP || operation == REF_DIVIDE ? 2 : 1;
}

static uint64_t frexp_parts(ref_operation operation, ref_format result, ref_format source, uint64_t in) {
    uint64_t bits;
    if (!magnitude(source, in) || magnitude(source, in) == infinity(source))
        return operation == REF_FREXP_EXP ? 0 : in;
    mpfr_t a;
    mpfr_init2(a, 64);
    get(a, source, in);
    long exponent = (long)mpfr_get_exp(a);
    mpfr_set_exp(a, 0);
    bits = operation == REF_FREXP_EXP ? (uint64_t)exponent & (result == REF_I16 ? 0xffff : 0xffffffff) : put(result, a);
    mpfr_clear(a);
    return bits;
}

static uint64_t rounded(ref_operation operation, ref_format result, const ref_format source[3], const uint64_t in[3],
                        unsigned sources, mpfr_rnd_t r) {
    const ref_layout *l = &ref_layouts[result];
    mpfr_t x, v[3];
    int ternary;
    mpfr_init2(x, l->fraction + 1);
    for (unsigned i = 0; i < 3; i++) {
        mpfr_init2(v[i], 64);
        if (i >= sources) mpfr_set_zero(v[i], 1);
        else if (is_float(source[i])) get(v[i], source[i], in[i]);
        else if (source[i] == REF_U32) mpfr_set_uj(v[i], (uint32_t)in[i], MPFR_RNDN);
        else mpfr_set_sj(v[i], source[i] == REF_I16 ? (int16_t)in[i] : (int32_t)in[i], MPFR_RNDN);
    }
    mpfr_exp_t emin = mpfr_get_emin(), emax = mpfr_get_emax();
    if (operation == REF_LDEXP && mpfr_regular_p(v[0])) { /* exact: the exponent alone changes */
        long by = mpfr_get_si(v[1], MPFR_RNDN);
        by = by > 10000 ? 10000 : by < -10000 ? -10000 : by;
        mpfr_set_exp(v[0], mpfr_get_exp(v[0]) + by);
    }
    if (operation == REF_SIN || operation == REF_COS) ternary = turns(x, operation, v[0], r);
    else if (operation == REF_FRACT) ternary = fract(x, v[0], r);
    else ternary = compute(x, operation == REF_LDEXP ? REF_CONVERT : operation, v[0], v[1], v[2], r);
    mpfr_set_emin(2 - (mpfr_exp_t)l->bias - (mpfr_exp_t)l->fraction);
    mpfr_set_emax((mpfr_exp_t)l->bias + 1);
    ternary = mpfr_check_range(x, ternary, r);
    mpfr_subnormalize(x, ternary, r);
    uint64_t bits = put(result, x);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    mpfr_clear(x);
    for (unsigned i = 0; i < 3; i++) mpfr_clear(v[i]);
    return bits;
}

uint64_t ref_mpfr(ref_operation operation, ref_format result, const ref_format source[3], const uint64_t in[3],
                  const ref_mpfr_mode *mode) {
    unsigned sources = source_count(operation);
    uint64_t v[3] = {0}, nan;
    for (unsigned i = 0; i < sources; i++)
        v[i] = is_float(source[i]) ? flushed(source[i], in[i], mode->keep_in) : in[i];
    if (operation == REF_FREXP_EXP && ref_is_nan(source[0], in[0])) return 0;
    if (!is_float(result) && operation == REF_CONVERT && ref_is_nan(source[0], in[0])) return 0;
    if (nan_result(operation, result, source, in, sources, &nan)) return nan;
    if (operation == REF_FREXP_EXP || operation == REF_FREXP_MANT) return frexp_parts(operation, result, source[0], v[0]);
    if (!is_float(result)) {
        mpfr_t a;
        mpfr_init2(a, 64);
        get(a, source[0], v[0]);
        nan = to_integer(result, a);
        mpfr_clear(a);
        return nan;
    }
    return flushed(result, rounded(operation, result, source, v, sources, roundings[mode->round]), mode->keep_out);
}
