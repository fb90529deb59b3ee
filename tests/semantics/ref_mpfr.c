/* SPDX-License-Identifier: Apache-2.0 */
#include "ref_mpfr.h"

#include <mpfr.h>
#include <string.h>

const ref_layout ref_layouts[REF_FORMATS] = {
    [REF_F16] = {16, 10, 15},   [REF_BF16] = {16, 7, 127}, [REF_F32] = {32, 23, 127}, [REF_F64] = {64, 52, 1023},
    [REF_FP8] = {8, 3, 7},      [REF_BF8] = {8, 2, 15}};

/* ---- bits ---- */

static uint64_t sign_bit(ref_format f) { return UINT64_C(1) << (ref_layouts[f].bits - 1); }
static uint64_t quiet_bit(ref_format f) { return UINT64_C(1) << (ref_layouts[f].fraction - 1); }
static uint64_t infinity(ref_format f) {
    return (sign_bit(f) - 1) & ~((UINT64_C(1) << ref_layouts[f].fraction) - 1);
}
uint64_t ref_magnitude(ref_format f, uint64_t x) { return x & (sign_bit(f) - 1); }
bool ref_is_float(ref_format f) { return ref_layouts[f].bits != 0; }
bool ref_is_denormal(ref_format f, uint64_t x) { return ref_magnitude(f, x) && !(x & infinity(f)); }
bool ref_is_inf(ref_format f, uint64_t x) { return ref_magnitude(f, x) == infinity(f) && f != REF_FP8; }
bool ref_is_zero(ref_format f, uint64_t x) { return !ref_magnitude(f, x); }
bool ref_sign(ref_format f, uint64_t x) { return (x & sign_bit(f)) != 0; }
unsigned ref_exponent(ref_format f, uint64_t x) { return (unsigned)((x & infinity(f)) >> ref_layouts[f].fraction); }
uint64_t ref_negated(ref_format f, uint64_t x) { return x ^ sign_bit(f); }
uint64_t ref_with_sign(ref_format f, bool minus, uint64_t magnitude) { return (minus ? sign_bit(f) : 0) | magnitude; }
uint64_t ref_infinity(ref_format f, bool minus) { return ref_with_sign(f, minus, infinity(f)); }
uint64_t ref_quiet(ref_format f, uint64_t x) { return x | quiet_bit(f); }
uint64_t ref_default_nan(ref_format f) { return sign_bit(f) | infinity(f) | quiet_bit(f); }
uint64_t ref_quiet_by(ref_format f, uint64_t x, const ref_mode *mode) { return mode->keeps_signalling ? x : ref_quiet(f, x); }

bool ref_is_nan(ref_format f, uint64_t x) {
    if (f == REF_FP8) return (x & 0x7f) == 0x7f;
    return ref_is_float(f) && ref_magnitude(f, x) > infinity(f);
}
bool ref_is_signalling(ref_format f, uint64_t x) { return ref_is_nan(f, x) && !(x & quiet_bit(f)); }

uint64_t ref_distance(ref_format f, uint64_t a, uint64_t b) {
    int64_t x = (int64_t)ref_magnitude(f, a), y = (int64_t)ref_magnitude(f, b);
    if (ref_sign(f, a)) x = -x;
    if (ref_sign(f, b)) y = -y;
    return x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x;
}

/* ---- modes ---- */

/* bfloats have those of half floats and doubles; docs/errata.md */
unsigned ref_round(const ref_mode *mode, ref_format f) { return f == REF_F32 ? mode->round32 : mode->round16_64; }
static unsigned denorm(const ref_mode *mode, ref_format f) { return f == REF_F32 ? mode->denorm32 : mode->denorm16_64; }
bool ref_keeps_in(const ref_mode *mode, ref_format f) { return denorm(mode, f) & 1; }
bool ref_keeps_out(const ref_mode *mode, ref_format f) { return denorm(mode, f) & 2; }
uint64_t ref_flushed(ref_format f, uint64_t x, bool keep) {
    return !keep && ref_is_denormal(f, x) ? x & sign_bit(f) : x;
}
uint64_t ref_flushed_in(ref_format f, uint64_t x, const ref_mode *mode) {
    return ref_is_float(f) ? ref_flushed(f, x, ref_keeps_in(mode, f)) : x;
}
uint64_t ref_flushed_out(ref_format f, uint64_t x, const ref_mode *mode) {
    return ref_flushed(f, x, ref_keeps_out(mode, f));
}

/* ---- numbers ---- */

enum { EXACT = 64, WIDE = 2200 };

/* Sources and intermediate numbers, made once; wide enough for the exact sum of any two doubles. */
static mpfr_t source[3], wide, other, result_of[REF_FORMATS];
static mpfr_exp_t all_emin, all_emax;

static void begin(void) {
    static bool begun;
    if (begun) return;
    begun = true;
    for (unsigned i = 0; i < 3; i++) mpfr_init2(source[i], EXACT);
    mpfr_init2(wide, 4 * WIDE);
    mpfr_init2(other, WIDE);
    for (unsigned f = 0; f < REF_FORMATS; f++)
        if (ref_is_float(f)) mpfr_init2(result_of[f], ref_layouts[f].fraction + 1);
    all_emin = mpfr_get_emin();
    all_emax = mpfr_get_emax();
}

/* Exact. */
static void get(mpfr_t to, ref_format f, uint64_t x) {
    const ref_layout *l = &ref_layouts[f];
    switch (f) {
    case REF_U16: case REF_U32: case REF_BITS: mpfr_set_uj(to, f == REF_U16 ? (uint16_t)x : (uint32_t)x, MPFR_RNDN); return;
    case REF_I16: mpfr_set_sj(to, (int16_t)x, MPFR_RNDN); return;
    case REF_I32: mpfr_set_sj(to, (int32_t)x, MPFR_RNDN); return;
    default: break;
    }
    uint64_t fraction = x & ((UINT64_C(1) << l->fraction) - 1), exponent = ref_exponent(f, x);
    if (ref_is_nan(f, x)) {
        mpfr_set_nan(to);
        return;
    }
    if (ref_is_inf(f, x)) {
        mpfr_set_inf(to, ref_sign(f, x) ? -1 : 1);
        return;
    }
    if (exponent) fraction |= UINT64_C(1) << l->fraction;
    else exponent = 1;
    mpfr_set_uj_2exp(to, fraction, (intmax_t)exponent - (int)l->bias - (int)l->fraction, MPFR_RNDN);
    if (ref_sign(f, x)) mpfr_neg(to, to, MPFR_RNDN);
}

/* A value that the format has, as bits. */
static uint64_t put(ref_format f, mpfr_t x) {
    const ref_layout *l = &ref_layouts[f];
    uint64_t sign = mpfr_signbit(x) ? sign_bit(f) : 0, bits;
    double d = mpfr_get_d(x, MPFR_RNDN);
    if (mpfr_nan_p(x)) return ref_default_nan(f);
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

/*
 * The result as the format has it, after the operation has rounded to its precision with any exponent. Where denormal
 * results are not kept, zero takes the place of what is then below the smallest normal number (measured on gfx1100 and
 * gfx1201); docs/errata.md, "Denormal results".
 */
static uint64_t finish(ref_format f, int ternary, const ref_mode *mode, bool finite) {
    const ref_layout *l = &ref_layouts[f];
    mpfr_rnd_t r = roundings[ref_round(mode, f)];
    mpfr_ptr x = result_of[f];
    bool tiny = mpfr_regular_p(x) && mpfr_get_exp(x) < 2 - (mpfr_exp_t)l->bias;
    if (tiny && !ref_keeps_out(mode, f)) return mpfr_signbit(x) ? sign_bit(f) : 0;
    mpfr_set_emin(2 - (mpfr_exp_t)l->bias - (mpfr_exp_t)l->fraction);
    mpfr_set_emax((mpfr_exp_t)l->bias + 1);
    ternary = mpfr_check_range(x, ternary, r);
    mpfr_subnormalize(x, ternary, r);
    mpfr_set_emin(all_emin);
    mpfr_set_emax(all_emax);
    uint64_t bits = put(f, x);
    /* MODE.FP16_OVFL: a finite number that is too large is the greatest one */
    if (f == REF_F16 && mode->fp16_ovfl && finite && ref_is_inf(f, bits)) bits--;
    return ref_flushed_out(f, bits, mode);
}

/* ---- operations ---- */

/* x = operation(a, b, c) with x's precision; returns MPFR's ternary value. */
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
    case REF_LDEXP: case REF_CONVERT: return mpfr_set(x, a, r);
    case REF_RCP: return mpfr_ui_div(x, 1, a, r);
    case REF_SQRT: return mpfr_sqrt(x, a, r);
    case REF_RSQ: {
        if (!mpfr_zero_p(a)) return mpfr_rec_sqrt(x, a, r);
        mpfr_set_inf(x, mpfr_signbit(a) ? -1 : 1); /* 1 / sqrt(-0) */
        return 0;
    }
    case REF_EXP2: return mpfr_exp2(x, a, r);
    case REF_LOG2: return mpfr_log2(x, a, r);
    case REF_TANH: return mpfr_tanh(x, a, r);
    default: mpfr_set_nan(x); return 0;
    }
}

/* sin and cos of a in turns. */
static int turns(mpfr_t x, ref_operation operation, mpfr_t a, mpfr_rnd_t r, bool up_to_256) {
    if (!mpfr_number_p(a)) {
        mpfr_set_nan(x);
        return 0;
    }
    if (up_to_256 && mpfr_cmpabs_ui(a, 256) > 0) { /* [GCN3] V_SIN_F32 */
        if (operation == REF_COS) mpfr_set_ui(x, 1, r);
        else mpfr_set_zero(x, 1);
        return 0;
    }
    if (operation == REF_COS) return mpfr_cosu(x, a, 1, r);
    int ternary = mpfr_sinu(x, a, 1, r);
    bool far = mpfr_get_exp(a) > 52; /* docs/errata.md */
    if (mpfr_zero_p(x)) mpfr_set_zero(x, mpfr_signbit(a) && (mpfr_zero_p(a) || !far) ? -1 : 1); /* IEEE 754-2019 9.2: sinPi(+-n) is +-0 */
    return ternary;
}

/* a - floor(a), but never 1 and, as captured on RDNA 4, never -0. Source: [RDNA3] V_FRACT_F32 with the note "clamped to below 1"; LLVM's amdgcn.fract. */
static int fract(mpfr_t x, mpfr_t a, mpfr_rnd_t r) {
    if (mpfr_inf_p(a)) {
        mpfr_set_nan(x);
        return 0;
    }
    mpfr_floor(other, a);
    int t = mpfr_sub(x, a, other, r);
    if (mpfr_zero_p(x)) mpfr_set_zero(x, 1);
    if (mpfr_cmp_ui(x, 1) < 0) return t;
    mpfr_set_ui(x, 1, MPFR_RNDN);
    mpfr_nextbelow(x);
    return -1;
}

/* The first NaN among the operands, made quiet. */
static bool nan_result(const ref_call *c, unsigned sources, uint64_t *bits) {
    for (unsigned n = 0; n < sources; n++) {
        if (!ref_is_nan(c->source[n], c->in[n])) continue;
        uint64_t x = ref_quiet_by(c->source[n], c->in[n], c->mode);
        if (c->source[n] != c->result) { /* the payload's upper bits */
            unsigned from = ref_layouts[c->source[n]].fraction, to = ref_layouts[c->result].fraction;
            uint64_t fraction = x & ((UINT64_C(1) << from) - 1);
            fraction = from > to ? fraction >> (from - to) : fraction << (to - from);
            fraction |= quiet_bit(c->result);
            x = (x & sign_bit(c->source[n]) ? sign_bit(c->result) : 0) | infinity(c->result) | fraction;
        }
        *bits = x;
        return true;
    }
    return false;
}

static uint64_t frexp_parts(ref_operation operation, ref_format result, ref_format f, uint64_t in) {
    if (ref_is_zero(f, in) || ref_is_inf(f, in)) return operation == REF_FREXP_EXP ? 0 : in;
    get(source[0], f, in);
    long exponent = (long)mpfr_get_exp(source[0]);
    mpfr_set_exp(source[0], 0);
    return operation == REF_FREXP_EXP ? (uint64_t)exponent & (result == REF_I16 ? 0xffff : 0xffffffff) : put(result, source[0]);
}

static uint64_t rounded(ref_operation operation, const ref_call *c, const uint64_t in[3], unsigned sources) {
    ref_format f = c->result;
    mpfr_rnd_t r = roundings[ref_round(c->mode, f)];
    mpfr_ptr x = result_of[f];
    bool finite = true;
    int ternary;
    for (unsigned i = 0; i < 3; i++) {
        if (i >= sources) mpfr_set_zero(source[i], 1);
        else get(source[i], c->source[i], in[i]);
        finite &= !mpfr_inf_p(source[i]);
    }
    if (operation == REF_LDEXP && mpfr_regular_p(source[0])) { /* exact: the exponent alone changes */
        long by = mpfr_get_si(source[1], MPFR_RNDN);
        by = by > 10000 ? 10000 : by < -10000 ? -10000 : by;
        mpfr_set_exp(source[0], mpfr_get_exp(source[0]) + by);
    }
    if (operation == REF_SIN || operation == REF_COS) ternary = turns(x, operation, source[0], r, c->mode->trig_256);
    else if (operation == REF_FRACT) ternary = fract(x, source[0], r);
    else ternary = compute(x, operation, source[0], source[1], source[2], r);
    return finish(f, ternary, c->mode, finite);
}

uint64_t ref_mpfr(ref_operation operation, const ref_call *c) {
    unsigned sources = operation == REF_FMA ? 3 : operation <= REF_MUL || operation == REF_LDEXP || operation == REF_DIVIDE ? 2 : 1;
    uint64_t v[3] = {0}, nan;
    begin();
    for (unsigned i = 0; i < sources; i++) v[i] = ref_flushed_in(c->source[i], c->in[i], c->mode);
    if (operation == REF_FREXP_EXP && ref_is_nan(c->source[0], c->in[0])) return 0;
    if (!ref_is_float(c->result) && operation == REF_CONVERT) {
        int64_t low = c->result == REF_I32 ? INT32_MIN : c->result == REF_I16 ? INT16_MIN : 0;
        int64_t high = c->result == REF_I32 ? INT32_MAX : c->result == REF_U32 ? UINT32_MAX : c->result == REF_I16 ? INT16_MAX : UINT16_MAX;
        int64_t n = ref_integer(c->source[0], v[0], 3, low, high, 1);
        return (uint64_t)n & (c->result == REF_I32 || c->result == REF_U32 ? 0xffffffff : 0xffff);
    }
    /* as captured on RDNA 3 and 4: an invalid product comes before a NaN that is added, the mantissa of a NaN is quiet in every mode */
    bool factors = ref_is_nan(c->source[0], c->in[0]) || ref_is_nan(c->source[1], c->in[1]);
    if (operation == REF_FMA && !factors && ((ref_is_zero(c->source[0], v[0]) && ref_is_inf(c->source[1], v[1])) ||
                                             (ref_is_inf(c->source[0], v[0]) && ref_is_zero(c->source[1], v[1]))))
        return ref_default_nan(c->result);
    if (operation == REF_FREXP_MANT && ref_is_nan(c->source[0], c->in[0])) return ref_quiet(c->result, c->in[0]);
    if (nan_result(c, sources, &nan)) return nan;
    if (operation == REF_FREXP_EXP || operation == REF_FREXP_MANT) return frexp_parts(operation, c->result, c->source[0], v[0]);
    return rounded(operation, c, v, sources);
}

uint64_t ref_of(ref_operation operation, ref_format f, uint64_t a, uint64_t b, uint64_t c, const ref_mode *mode) {
    return ref_mpfr(operation, &(ref_call){f, {f, f, f}, {a, b, c}, mode});
}
uint64_t ref_convert(ref_format to, ref_format from, uint64_t a, const ref_mode *mode) {
    return ref_mpfr(REF_CONVERT, &(ref_call){to, {from}, {a}, mode});
}

uint64_t ref_scaled_fma(ref_format f, uint64_t a, uint64_t b, uint64_t c, long scale, const ref_mode *mode) {
    uint64_t plain = ref_of(REF_FMA, f, a, b, c, mode);
    if (ref_exponent(f, a) == ref_exponent(f, infinity(f)) || ref_exponent(f, b) == ref_exponent(f, infinity(f)) ||
        ref_exponent(f, c) == ref_exponent(f, infinity(f)))
        return plain;
    get(source[0], f, ref_flushed_in(f, a, mode));
    get(source[1], f, ref_flushed_in(f, b, mode));
    get(source[2], f, ref_flushed_in(f, c, mode));
    mpfr_fma(wide, source[0], source[1], source[2], MPFR_RNDN); /* exact */
    if (mpfr_zero_p(wide)) return plain;
    mpfr_mul_2si(wide, wide, scale, MPFR_RNDN);
    int ternary = mpfr_set(result_of[f], wide, roundings[ref_round(mode, f)]);
    return finish(f, ternary, mode, true);
}

static int64_t limited(mpfr_t x, int64_t low, int64_t high) {
    if (mpfr_cmp_si(x, low) < 0) return low;
    return mpfr_cmp_si(x, high) > 0 ? high : mpfr_get_si(x, MPFR_RNDN);
}

int64_t ref_integer(ref_format f, uint64_t a, unsigned round, int64_t low, int64_t high, unsigned times) {
    begin();
    if (ref_is_nan(f, a)) return 0;
    get(source[0], f, a);
    mpfr_mul_ui(wide, source[0], times, MPFR_RNDN); /* exact */
    switch (round) {
    case 0: mpfr_roundeven(wide, wide); break;
    case 1: mpfr_ceil(wide, wide); break;
    case 2: mpfr_floor(wide, wide); break;
    default: mpfr_trunc(wide, wide); break;
    }
    return limited(wide, low, high);
}

int64_t ref_half_up(ref_format f, uint64_t a, int64_t low, int64_t high) {
    begin();
    get(source[0], f, a);
    mpfr_add_d(wide, source[0], 0.5, MPFR_RNDN); /* exact */
    mpfr_floor(wide, wide);
    return limited(wide, low, high);
}

int ref_compare(ref_format f, uint64_t a, uint64_t b) {
    begin();
    get(source[0], f, a);
    get(source[1], f, b);
    int order = mpfr_cmp(source[0], source[1]);
    return order > 0 ? 1 : order < 0 ? -1 : 0;
}

int ref_compare_magnitudes(ref_format f, uint64_t a, uint64_t b, long scale) {
    begin();
    get(source[0], f, ref_magnitude(f, a));
    get(source[1], f, ref_magnitude(f, b));
    mpfr_mul_2si(source[1], source[1], scale, MPFR_RNDN);
    int order = mpfr_cmp(source[0], source[1]);
    return order > 0 ? 1 : order < 0 ? -1 : 0;
}

uint64_t ref_two_over_pi(unsigned from, long scale, const ref_mode *mode) {
    ref_mode cut = *mode;
    cut.round16_64 = 3; /* in every mode; docs/errata.md */
    begin();
    mpfr_const_pi(wide, MPFR_RNDN);
    mpfr_ui_div(wide, 2, wide, MPFR_RNDN);
    mpfr_mul_2ui(wide, wide, 1184, MPFR_RNDN); /* the table ends after 1184 bits; docs/errata.md */
    mpfr_floor(wide, wide);
    mpfr_mul_2si(wide, wide, (long)from + 53 - 1184, MPFR_RNDN);
    mpfr_floor(wide, wide); /* up to the last of the 53 bits; the higher ones go: */
    mpfr_set_ui_2exp(other, 1, 53, MPFR_RNDN);
    mpfr_fmod(wide, wide, other, MPFR_RNDN);
    mpfr_mul_2si(wide, wide, scale, MPFR_RNDN);
    int ternary = mpfr_set(result_of[REF_F64], wide, MPFR_RNDN); /* exact */
    return finish(REF_F64, ternary, &cut, true);
}
