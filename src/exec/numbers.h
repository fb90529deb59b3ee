/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers: floats as bit patterns, and the operations that AMD's vector and scalar ALUs do on them.
 *
 * Nothing here has state: rounding, denormal and IEEE modes are an argument. Exception flags go to
 * *fl, which is a constant NULL in the variants that keep none, so that the compiler drops the code.
 * The functions are written without branches on data, so that a loop around them vectorises.
 *
 * Half floats live in the low 16 bits of a uint32_t. Host arithmetic is used where it is proved to give the
 * same bits: f32 and f64 add, multiply and fma are IEEE operations on both sides, in the host's
 * rounding mode, which the driver sets (valu.c); what differs (denormals, NaNs) is done here.
 */
#ifndef EZ_NUMBERS_H
#define EZ_NUMBERS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "execz/exec.h"

/* | and & between conditions are on purpose: no branches. */
#if defined(__clang__) && defined(__has_warning)
#if __has_warning("-Wbitwise-instead-of-logical")
#pragma clang diagnostic ignored "-Wbitwise-instead-of-logical"
#endif
#endif

#define EZ_INLINE static inline __attribute__((always_inline, unused))

typedef uint32_t b8, u8, b16, u16, f16, bf16, b32, u32, f32, lanemask;
typedef uint32_t pk_b16, pk_i16, pk_u16, pk_f16, pk_bf16, pk_i8, pk_u8;
typedef int32_t i8, i16, i32;
typedef uint64_t b64, u64, f64, pk_f32, pk_b32;
typedef int64_t i64;

/* MODE and the target's number features in the shape that the operations use: 0 or ~0 each. */
typedef struct ez_fpmode {
    uint8_t round32, round16; /* 0 nearest even, 1 up, 2 down, 3 to zero; round16 also for f64 */
    uint32_t flush_in32, flush_out32, flush_in16, flush_out16; /* denormals become 0; 16 also f64 */
    uint32_t minmax_in32, minmax_out32, minmax_in16, minmax_out16; /* the same, for min and max */
    uint32_t ieee;      /* MODE.IEEE */
    uint32_t keep_signalling; /* the IEEE bit exists and is 0: operations do not make NaNs quiet */
    uint32_t dx10;      /* MODE.DX10_CLAMP, or always where the mode is gone */
    uint32_t first_nan; /* minmax_first_nan */
    uint32_t num;       /* minmax_num */
    uint32_t dot2_flush, dot2_keep; /* the features of these names */
    uint32_t dot2_sum_last; /* dot2_sum_last */
    uint32_t dot_complement, dot_grid; /* the features of these names */
    uint32_t trig_256;   /* trig_256 */
    uint32_t fp8_fnuz;   /* fp8_fnuz */
    uint32_t fp16_ovfl;  /* MODE.FP16_OVFL: overflow of finite half floats, FP8 and BF8 gives the greatest number */
    uint32_t host_flushes; /* the host flushes f32 denormals in place of flush_in32 and flush_out32; see host_flush.h */
    uint32_t no_nans;    /* never of a wave: the caller looks for NaNs itself; see HOST_1 in lanes_define.h */
} ez_fpmode;

EZ_INLINE float f32_host(f32 x) {
    float f;
    memcpy(&f, &x, 4);
    return f;
}
EZ_INLINE f32 f32_bits(float f) {
    f32 x;
    memcpy(&x, &f, 4);
    return x;
}
EZ_INLINE double f64_host(f64 x) {
    double f;
    memcpy(&f, &x, 8);
    return f;
}
EZ_INLINE f64 f64_bits(double f) {
    f64 x;
    memcpy(&x, &f, 8);
    return x;
}

/* ---- what a bit pattern is ---- */

#define EZ_FORMAT(F, BITS, SIGNED, SIGN, INF, QUIET, MODE)                                           \
    EZ_INLINE bool F##_is_nan(F x) { return (x & ~(SIGN)) > (INF); }                                 \
    EZ_INLINE bool F##_is_signalling(F x) { return F##_is_nan(x) & ((x & (QUIET)) == 0); }           \
    EZ_INLINE bool F##_is_inf(F x) { return (x & ~(SIGN)) == (INF); }                                \
    EZ_INLINE bool F##_is_zero(F x) { return !(x & ~(SIGN)); }                                       \
    EZ_INLINE bool F##_is_denormal(F x) { return !(x & (INF)) && (x & ~(SIGN)); }                    \
    EZ_INLINE F F##_quiet(F x) { return x | (QUIET); }                                               \
    EZ_INLINE F F##_neg(F x) { return x ^ (SIGN); }                                                  \
    EZ_INLINE F F##_abs(F x) { return x & ~(SIGN); }                                                 \
    /* All bits or none: what is chosen by masks and not by branches becomes vectors in loops over lanes. */\
    EZ_INLINE F F##_mask(bool is) { return (F)0 - (F)is; }                                           \
    EZ_INLINE F F##_select(F mask, F yes, F no) { return (yes & mask) | (no & ~mask); }              \
    /* keeps the sign of what becomes 0 */                                                           \
    EZ_INLINE F F##_flush(F x, uint32_t flush) {                                                     \
        return x & ~(F##_mask((x & (INF)) == 0) & F##_mask(flush & 1) & ~(F)(SIGN));                 \
    }                                                                                                \
    EZ_INLINE F F##_in(F x, const ez_fpmode *md) { return F##_flush(x, md->flush_in##MODE); }        \
    EZ_INLINE F F##_out(F x, const ez_fpmode *md) { return F##_flush(x, md->flush_out##MODE); }      \
    EZ_INLINE F F##_minmax_in(F x, const ez_fpmode *md) { return F##_flush(x, md->minmax_in##MODE); } \
    EZ_INLINE F F##_minmax_out(F x, const ez_fpmode *md) { return F##_flush(x, md->minmax_out##MODE); } \
    EZ_INLINE void F##_flag_inputs(F x, uint32_t *fl) {                                              \
        if (fl) *fl |= (F##_is_signalling(x) ? EZ_FLAG_INVALID : 0) |                                \
                       (F##_is_denormal(x) ? EZ_FLAG_INPUT_DENORMAL : 0);                            \
    }                                                                                                \
    /* orders all numbers, -0 below +0 */                                                            \
    EZ_INLINE SIGNED F##_key(F x) {                                                                  \
        _Static_assert(sizeof(SIGNED) == sizeof(F), "the sign is shifted to the top");               \
        SIGNED s = (SIGNED)(x << (8 * sizeof(F) - (BITS)));                                          \
        return s ^ (SIGNED)((F)(s >> (8 * sizeof(F) - 1)) >> 1);                                     \
    }                                                                                                \
    /* The NaN that an operation with NaN operands returns: the first one, made quiet. */            \
    EZ_INLINE F F##_nan_over(F r, F a) {                                                             \
        return F##_select(F##_mask(F##_is_nan(a)), F##_quiet(a), r); /* unless a is a NaN, r */      \
    }                                                                                                \
    /* The same as operations have it: quiet unless MODE.IEEE is there and 0. What is invalid gives a negative NaN. \
     * docs/errata.md, "NaNs" */                                                                     \
    EZ_INLINE F F##_nan_of(F r, F a, const ez_fpmode *md) {                                          \
        return F##_select(F##_mask(F##_is_nan(a)), a | ((QUIET) & ~F##_mask(md->keep_signalling & 1)), r); \
    }                                                                                                \
    EZ_INLINE F F##_nan1(F r, F a, const ez_fpmode *md) {                                            \
        r = F##_select(F##_mask(F##_is_nan(r)), (F)((SIGN) | (INF) | (QUIET)), r);                   \
        return F##_nan_of(r, a, md);                                                                 \
    }                                                                                                \
    EZ_INLINE F F##_nan2(F r, F a, F b, const ez_fpmode *md) { return F##_nan_of(F##_nan1(r, b, md), a, md); } \
    EZ_INLINE F F##_nan3(F r, F a, F b, F c, const ez_fpmode *md) {                                  \
        return F##_nan_of(F##_nan_of(F##_nan1(r, c, md), b, md), a, md);                             \
    }                                                                                                \
    /* 0 times infinity, which comes before a NaN that is added. docs/errata.md, "NaNs" */         \
    EZ_INLINE bool F##_invalid_product(F x, F y) {                                                   \
        return (F##_is_zero(x) & F##_is_inf(y)) | (F##_is_inf(x) & F##_is_zero(y));                  \
    }                                                                                                \
    EZ_INLINE F F##_nan_fma(F r, F a, F b, F c, const ez_fpmode *md) {                               \
        F none = F##_mask(F##_invalid_product(F##_flush(a, md->flush_in##MODE), F##_flush(b, md->flush_in##MODE))); \
        return F##_nan3(r, a, b, c & ~none, md);                                                     \
    }                                                                                                \
    /* Minimum and maximum up to GFX11: [RDNA3] V_MIN_F16, with MODE.IEEE; from GFX12 on IEEE 754-2019 \
     * minimumNumber. What the modes and the number of NaNs do: docs in isa/targets.isa. */          \
    EZ_INLINE F F##_pick(F a, F b, bool first, const ez_fpmode *md, uint32_t *fl) {                  \
        if (md->no_nans) return F##_select(F##_mask(first), a, b);                                   \
        F##_flag_inputs(a, fl);                                                                      \
        F##_flag_inputs(b, fl);                                                                      \
        F na = F##_flush(a, md->minmax_in##MODE), nb = F##_flush(b, md->minmax_in##MODE);            \
        F nan_a = F##_mask(F##_is_nan(a)), nan_b = F##_mask(F##_is_nan(b)), ieee = F##_mask(md->ieee & 1);\
        F signal_a = nan_a & F##_mask((a & (QUIET)) == 0) & ieee;                                    \
        F signal_b = nan_b & F##_mask((b & (QUIET)) == 0) & ieee;                                    \
        F one = F##_select(F##_mask(md->first_nan & 1), a, b);                                       \
        F both = F##_select(F##_mask(md->num & 1), F##_quiet(a), one);                               \
        F r = F##_select(nan_b, na, F##_select(F##_mask(first), na, nb));                            \
        r = F##_select(nan_a, F##_select(nan_b, both, nb), r);                                       \
        r = F##_select(signal_b, F##_quiet(b), r);                                                   \
        r = F##_select(signal_a, F##_quiet(a), r);                                                   \
        return F##_flush(r, md->minmax_out##MODE);                                                   \
    }                                                                                                \
    EZ_INLINE F F##_min(F a, F b, const ez_fpmode *md, uint32_t *fl) {                               \
        F na = F##_flush(a, md->minmax_in##MODE), nb = F##_flush(b, md->minmax_in##MODE);            \
        return F##_pick(a, b, F##_key(na) <= F##_key(nb), md, fl);                                   \
    }                                                                                                \
    EZ_INLINE F F##_max(F a, F b, const ez_fpmode *md, uint32_t *fl) {                               \
        F na = F##_flush(a, md->minmax_in##MODE), nb = F##_flush(b, md->minmax_in##MODE);            \
        return F##_pick(a, b, F##_key(na) >= F##_key(nb), md, fl);                                   \
    }                                                                                                \
    /* IEEE 754-2019 minimum and maximum: a NaN wins, the first of two. docs/errata.md */            \
    EZ_INLINE F F##_nan_before(F r, F a, F b) { return F##_nan_over(F##_nan_over(r, b), a); }        \
    EZ_INLINE F F##_minimum(F a, F b, const ez_fpmode *md, uint32_t *fl) {                           \
        return F##_nan_before(F##_min(a, b, md, fl), a, b);                                          \
    }                                                                                                \
    EZ_INLINE F F##_maximum(F a, F b, const ez_fpmode *md, uint32_t *fl) {                           \
        return F##_nan_before(F##_max(a, b, md, fl), a, b);                                          \
    }

EZ_FORMAT(f16, 16, int32_t, 0x8000u, 0x7c00u, 0x200u, 16)
EZ_FORMAT(f32, 32, int32_t, 0x80000000u, 0x7f800000u, 0x400000u, 32)
EZ_FORMAT(f64, 64, int64_t, UINT64_C(0x8000000000000000), UINT64_C(0x7ff0000000000000),
          UINT64_C(0x8000000000000), 16)

/* ---- half floats ---- */

/* Exact, NaNs kept as they are. The multiplication scales by a power of two; it also makes
 * denormals normal, as an f32 product is exact here. */
EZ_INLINE f32 f16_widen(f16 h) {
    f32 r = f32_bits(f32_host((h & 0x7fff) << 13) * 0x1p112f);
    r |= (h & 0x7c00) == 0x7c00 ? 0x7f800000 : 0;
    return r | (h & 0x8000) << 16;
}

/* Whether a magnitude is rounded away from zero in the two directed modes. */
EZ_INLINE bool ez_round_away(unsigned round, bool negative) {
    return (round == 1 && !negative) || (round == 2 && negative);
}

/* Rounds an f32 to f16 once; NaNs are made quiet, their payload cut. */
EZ_INLINE f16 f16_narrow(f32 x, unsigned round) {
    uint32_t sign = x >> 16 & 0x8000, a = x & 0x7fffffff, e = a >> 23;
    uint32_t m = a ? (a & 0x7fffff) | 0x800000 : 0;
    uint32_t shift = e < 113 ? 126 - e : 13;
    shift = shift > 31 ? 31 : shift;
    uint32_t q = m >> shift, rest = m & ((1u << shift) - 1), half = 1u << (shift - 1);
    bool away = ez_round_away(round, sign);
    bool nearest_up = (rest > half) | ((rest == half) & (q & 1));
    q += round == 0 ? nearest_up : (away & (rest != 0));
    uint32_t r = e < 113 ? q : ((e - 113) << 10) + q;
    r = r >= 0x7c00 ? (round == 0 || away ? 0x7c00 : 0x7bff) : r;
    r = a == 0x7f800000 ? 0x7c00 : r;
    r = a > 0x7f800000 ? 0x7e00 | (a >> 13 & 0x3ff) : r;
    return sign | r;
}

/* a + b in f32, rounded to odd: a later rounding to 11 bits sees every bit that matters (2Sum gives the exact
 * rest). Source: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums". */
EZ_INLINE f32 f32_add_odd(f32 a, f32 b, unsigned round) {
    float x = f32_host(a), y = f32_host(b), s = x + y, yy = s - x;
    float rest = (x - (s - yy)) + (y - yy);
    f32 r = f32_bits(s), e = f32_bits(rest);
    bool inexact = (e & 0x7fffffff) != 0 && (r & 0x7f800000) != 0x7f800000 && !(r & 1);
    r = inexact ? ((r ^ e) >> 31 ? r - 1 : r + 1) : r;
    bool minus_zero = round == 2 && !(r & 0x7fffffff) && ((a | b) >> 31);
    return minus_zero ? 0x80000000 : r;
}

/* A double, rounded to odd. */
EZ_INLINE f32 f32_odd(double x) {
    float nearest = (float)x;
    f32 r = f32_bits(nearest);
    double back = (double)nearest;
    bool inexact = back != x && back == back && !(r & 1);
    return inexact ? __builtin_fabs(back) < __builtin_fabs(x) ? r + 1 : r - 1 : r;
}

EZ_INLINE void f16_flag_result(f32 exact, f16 r, uint32_t *fl) {
    if (!fl) return;
    f32 back = f16_widen(r);
    bool inexact = back != exact && !f32_is_nan(exact) && !f32_is_inf(exact);
    bool tiny = (exact & 0x7fffffff) < 0x38800000;
    *fl |= (inexact ? EZ_FLAG_INEXACT : 0) | (inexact && tiny ? EZ_FLAG_UNDERFLOW : 0) |
           (inexact && ((exact & 0x7fffffff) >= 0x477ff000) ? EZ_FLAG_OVERFLOW : 0);
}

/* What a finite number is that is too large: infinity, or with MODE.FP16_OVFL the greatest. [Vega] "FP16_OVFL" */
EZ_INLINE f16 f16_too_large(const ez_fpmode *md) { return f16_select(f16_mask(md->fp16_ovfl & 1), 0x7bff, 0x7c00); }
EZ_INLINE f16 f16_limit(f16 r, bool finite, const ez_fpmode *md) {
    f16 cut = f16_mask(finite) & f16_mask((r & 0x7fff) == 0x7c00);
    return f16_select(cut, (r & 0x8000) | f16_too_large(md), r);
}

/* Magnitudes below this are, rounded to the precision of half floats with any exponent, below the smallest normal one. */
EZ_INLINE u32 f16_least_normal(bool negative, unsigned round) {
    return round == 0 ? 0x387ff000 : ez_round_away(round, negative) ? 0x387fe001 : 0x38800000;
}

EZ_INLINE f16 f16_finish(f32 exact, const ez_fpmode *md, uint32_t *fl) {
    f16 r = f16_narrow(exact, md->round16);
    f16_flag_result(exact, r, fl);
    r = f16_limit(r, !f32_is_inf(exact), md);
    if (fl) *fl |= f32_is_nan(exact) ? EZ_FLAG_INVALID : 0;
    bool tiny = (exact & 0x7fffffff) < f16_least_normal(exact >> 31, md->round16);
    return f16_select(f16_mask(tiny) & md->flush_out16, r & 0x8000, r);
}

EZ_INLINE f16 f16_fma(f16 a, f16 b, f16 c, const ez_fpmode *md, uint32_t *fl) {
    f16_flag_inputs(a, fl);
    f16_flag_inputs(b, fl);
    f16_flag_inputs(c, fl);
    f16 x = f16_in(a, md), y = f16_in(b, md), z = f16_in(c, md);
    f32 product = f32_bits(f32_host(f16_widen(x)) * f32_host(f16_widen(y))); /* 22 bits: exact */
    bool nan = f16_is_nan(a) | f16_is_nan(b) | f16_is_nan(c);
    f16 r = f16_finish(f32_add_odd(product, f16_widen(z), md->round16), md, nan ? NULL : fl);
    return f16_nan_fma(r, a, b, c, md);
}
EZ_INLINE f16 f16_add(f16 a, f16 b, const ez_fpmode *md, uint32_t *fl) {
    f16_flag_inputs(a, fl);
    f16_flag_inputs(b, fl);
    f32 x = f16_widen(f16_in(a, md)), y = f16_widen(f16_in(b, md));
    bool nan = f16_is_nan(a) | f16_is_nan(b);
    f16 r = f16_finish(f32_add_odd(x, y, md->round16), md, nan ? NULL : fl);
    return f16_nan2(r, a, b, md);
}
EZ_INLINE f16 f16_sub(f16 a, f16 b, const ez_fpmode *md, uint32_t *fl) {
    f16 r = f16_add(a, f16_neg(b), md, fl);
    return f16_nan2(r, a, b, md);
}
EZ_INLINE f16 f16_mul(f16 a, f16 b, const ez_fpmode *md, uint32_t *fl) {
    f16_flag_inputs(a, fl);
    f16_flag_inputs(b, fl);
    f32 x = f16_widen(f16_in(a, md)), y = f16_widen(f16_in(b, md));
    bool nan = f16_is_nan(a) | f16_is_nan(b);
    f16 r = f16_finish(f32_bits(f32_host(x) * f32_host(y)), md, nan ? NULL : fl);
    return f16_nan2(r, a, b, md);
}

#endif
