/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Floats and doubles, compares, conversions. Add, multiply, fma, divide and square root are the host's, which are
 * IEEE operations as AMD's are; the driver has set the host's rounding mode to that of MODE where it matters.
 */
#ifndef EZ_NUMBERS_FLOAT_H
#define EZ_NUMBERS_FLOAT_H

#include <fenv.h>

#include "numbers.h"
#include "numbers_dot.h"
#include "numbers_exact.h"
#include "numbers_int.h"

/* ---- flags of host operations: only in the variants that keep flags, one lane at a time ---- */

static inline __attribute__((unused)) uint32_t ez_host_flags(void) {
    int raised = fetestexcept(FE_ALL_EXCEPT);
    return (raised & FE_INVALID ? EZ_FLAG_INVALID : 0) | (raised & FE_DIVBYZERO ? EZ_FLAG_DIVIDE_BY_ZERO : 0) |
           (raised & FE_OVERFLOW ? EZ_FLAG_OVERFLOW : 0) | (raised & FE_UNDERFLOW ? EZ_FLAG_UNDERFLOW : 0) |
           (raised & FE_INEXACT ? EZ_FLAG_INEXACT : 0);
}
/* EXPR over x, y, z with its flags; volatile keeps the operation between the two calls. */
#define EZ_HOST_OP(T, NAME, EXPR)                                                               \
    static __attribute__((noinline, unused)) T NAME##_flagged(T x_, T y_, T z_, uint32_t *fl) { \
        volatile T vx = x_, vy = y_, vz = z_, r;                                                \
        feclearexcept(FE_ALL_EXCEPT);                                                           \
        T x = vx, y = vy, z = vz;                                                               \
        (void)y, (void)z;                                                                       \
        r = (EXPR);                                                                             \
        *fl |= ez_host_flags();                                                                 \
        return r;                                                                               \
    }                                                                                           \
    EZ_INLINE T NAME(T x, T y, T z, uint32_t *fl) {                                             \
        (void)y, (void)z;                                                                       \
        return fl ? NAME##_flagged(x, y, z, fl) : (EXPR);                                       \
    }
EZ_HOST_OP(float, host_add32, x + y)
EZ_HOST_OP(float, host_mul32, x *y)
EZ_HOST_OP(float, host_fma32, __builtin_fmaf(x, y, z))
EZ_HOST_OP(float, host_div32, x / y)
EZ_HOST_OP(float, host_sqrt32, __builtin_sqrtf(x))
EZ_HOST_OP(double, host_add64, x + y)
EZ_HOST_OP(double, host_mul64, x *y)
EZ_HOST_OP(double, host_fma64, __builtin_fma(x, y, z))
EZ_HOST_OP(double, host_div64, x / y)
EZ_HOST_OP(double, host_sqrt64, __builtin_sqrt(x))

/* ---- arithmetic and compares of both formats ---- */

/* Where denormal results are flushed, the smallest normal number is one too when the result, rounded to the format's precision with any
 * exponent, is below it: `up`, the same result times 2 to the precision, tells. docs/errata.md, "Denormal results". Sums are exact there. */
#define EZ_FLUSH_TINY(F, MODE, SIGN, LEAST, LEAST_UP)                                     \
    EZ_INLINE F F##_flush_tiny(F r, F up, const ez_fpmode *md) {                          \
        bool tiny = ((r & ~(SIGN)) == (LEAST)) & ((up & ~(SIGN)) < (LEAST_UP));           \
        return F##_select(F##_mask(tiny & (md->flush_out##MODE != 0)), r & (SIGN), r);    \
    }
EZ_FLUSH_TINY(f32, 32, 0x80000000u, 0x00800000u, 0x0c800000u)
EZ_FLUSH_TINY(f64, 16, UINT64_C(1) << 63, UINT64_C(0x0010000000000000), UINT64_C(0x0360000000000000))

#define EZ_ARITHMETIC(F, BITS, UP)                                                                       \
    EZ_INLINE F F##_add(F a, F b, const ez_fpmode *md, uint32_t *fl) {                                 \
        F##_flag_inputs(a, fl);                                                                        \
        F##_flag_inputs(b, fl);                                                                        \
        F r = F##_bits(host_add##BITS(F##_host(F##_in(a, md)), F##_host(F##_in(b, md)), 0, fl));       \
        return md->no_nans ? F##_out(r, md) : F##_nan2(F##_out(r, md), a, b, md);                          \
    }                                                                                                  \
    EZ_INLINE F F##_sub(F a, F b, const ez_fpmode *md, uint32_t *fl) {                                 \
        F##_flag_inputs(a, fl);                                                                        \
        F##_flag_inputs(b, fl);                                                                        \
        F r = F##_bits(host_add##BITS(F##_host(F##_in(a, md)), F##_host(F##_in(F##_neg(b), md)), 0, fl)); \
        return md->no_nans ? F##_out(r, md) : F##_nan2(F##_out(r, md), a, b, md);                          \
    }                                                                                                  \
    EZ_INLINE F F##_mul(F a, F b, const ez_fpmode *md, uint32_t *fl) {                                 \
        F##_flag_inputs(a, fl);                                                                        \
        F##_flag_inputs(b, fl);                                                                        \
        F r = F##_bits(host_mul##BITS(F##_host(F##_in(a, md)), F##_host(F##_in(b, md)), 0, fl));       \
        r = F##_flush_tiny(r, F##_bits(F##_host(F##_in(a, md)) * (UP) * F##_host(F##_in(b, md))), md); \
        return md->no_nans ? F##_out(r, md) : F##_nan2(F##_out(r, md), a, b, md);                          \
    }                                                                                                  \
    EZ_INLINE F F##_fma(F a, F b, F c, const ez_fpmode *md, uint32_t *fl) {                            \
        F##_flag_inputs(a, fl);                                                                        \
        F##_flag_inputs(b, fl);                                                                        \
        F##_flag_inputs(c, fl);                                                                        \
        F r = F##_bits(host_fma##BITS(F##_host(F##_in(a, md)), F##_host(F##_in(b, md)),                \
                                      F##_host(F##_in(c, md)), fl));                                   \
        F up = F##_bits(host_fma##BITS(F##_host(F##_in(a, md)) * (UP), F##_host(F##_in(b, md)),        \
                                       F##_host(F##_in(c, md)) * (UP), NULL));                         \
        r = F##_flush_tiny(r, up, md);                                                                 \
        return md->no_nans ? F##_out(r, md) : F##_nan_fma(F##_out(r, md), a, b, c, md);                    \
    }                                                                                                  \
    EZ_INLINE F F##_div(F a, F b, const ez_fpmode *md, uint32_t *fl) {                                 \
        F##_flag_inputs(a, fl);                                                                        \
        F##_flag_inputs(b, fl);                                                                        \
        F r = F##_bits(host_div##BITS(F##_host(F##_in(a, md)), F##_host(F##_in(b, md)), 0, fl));       \
        return md->no_nans ? F##_out(r, md) : F##_nan2(F##_out(r, md), a, b, md);                          \
    }                                                                                                  \
    EZ_INLINE F F##_sqrt(F a, const ez_fpmode *md, uint32_t *fl) {                                     \
        F##_flag_inputs(a, fl);                                                                        \
        F r = F##_bits(host_sqrt##BITS(F##_host(F##_in(a, md)), 0, 0, fl));                            \
        return md->no_nans ? F##_out(r, md) : F##_nan1(F##_out(r, md), a, md);                             \
    }
EZ_ARITHMETIC(f32, 32, 0x1p24f)
EZ_ARITHMETIC(f64, 64, 0x1p53)

EZ_INLINE f32 f32_subrev(f32 a, f32 b, const ez_fpmode *md, uint32_t *fl) {
    f32 r = f32_sub(b, a, md, fl);
    return md->no_nans ? r : f32_nan2(r, a, b, md);
}

EZ_INLINE float f16_host(f16 x) { return f32_host(f16_widen(x)); }
#define EZ_COMPARES(F)                                                                                 \
    EZ_INLINE bool F##_unordered(F a, F b, const ez_fpmode *md, uint32_t *fl) {                        \
        (void)md;                                                                                      \
        F##_flag_inputs(a, fl);                                                                        \
        F##_flag_inputs(b, fl);                                                                        \
        return F##_is_nan(a) | F##_is_nan(b);                                                          \
    }                                                                                                  \
    /* The host's compares: false for NaNs, -0 equal to +0. */                                         \
    EZ_INLINE bool F##_lt(F a, F b, const ez_fpmode *md, uint32_t *fl) {                               \
        F##_unordered(a, b, md, fl);                                                                   \
        return F##_host(F##_in(a, md)) < F##_host(F##_in(b, md));                                      \
    }                                                                                                  \
    EZ_INLINE bool F##_le(F a, F b, const ez_fpmode *md, uint32_t *fl) {                               \
        F##_unordered(a, b, md, fl);                                                                   \
        return F##_host(F##_in(a, md)) <= F##_host(F##_in(b, md));                                     \
    }                                                                                                  \
    EZ_INLINE bool F##_eq(F a, F b, const ez_fpmode *md, uint32_t *fl) {                               \
        F##_unordered(a, b, md, fl);                                                                   \
        return F##_host(F##_in(a, md)) == F##_host(F##_in(b, md));                                     \
    }                                                                                                  \
    EZ_INLINE bool F##_lg(F a, F b, const ez_fpmode *md, uint32_t *fl) {                               \
        return F##_lt(a, b, md, fl) | F##_lt(b, a, md, NULL);                                          \
    }                                                                                                  \
    EZ_INLINE F F##_greater(F a, F b) { return F##_select(F##_mask(F##_key(a) >= F##_key(b)), a, b); } \
    EZ_INLINE bool F##_none(F a, F b, const ez_fpmode *md, uint32_t *fl) {                             \
        return F##_unordered(a, b, md, fl) & 0;                                                        \
    }                                                                                                  \
    /* Number of the class, as the mask of V_CMP_CLASS counts them. [RDNA3] V_CMP_CLASS_F32 */         \
    EZ_INLINE unsigned F##_class(F x) {                                                                \
        bool minus = x != F##_abs(x);                                                                  \
        if (F##_is_nan(x)) return F##_is_signalling(x) ? 0 : 1;                                        \
        if (F##_is_inf(x)) return minus ? 2 : 9;                                                       \
        if (F##_is_zero(x)) return minus ? 5 : 6;                                                      \
        if (F##_is_denormal(x)) return minus ? 4 : 7;                                                  \
        return minus ? 3 : 8;                                                                          \
    }                                                                                                  \
    EZ_INLINE F F##_min3(F a, F b, F c, const ez_fpmode *md, uint32_t *fl) {                           \
        return F##_min(F##_min(a, b, md, fl), c, md, fl);                                              \
    }                                                                                                  \
    EZ_INLINE F F##_max3(F a, F b, F c, const ez_fpmode *md, uint32_t *fl) {                           \
        return F##_max(F##_max(a, b, md, fl), c, md, fl);                                              \
    }                                                                                                  \
    /* With a NaN, the minimum. Which one it is does not depend on the mode for results. [RDNA3] V_MED3_F32 */\
    EZ_INLINE F F##_med3(F a, F b, F c, const ez_fpmode *md, uint32_t *fl) {                           \
        bool nan = F##_is_nan(a) | F##_is_nan(b) | F##_is_nan(c);                                      \
        F least = F##_min3(a, b, c, md, fl), x = F##_minmax_in(a, md), y = F##_minmax_in(b, md), z = F##_minmax_in(c, md); \
        F top = F##_greater(F##_greater(x, y), z), equal = F##_mask(!md->num); /* zeros: but to minimumNumber */ \
        F zero = equal & F##_mask(F##_is_zero(top));                                                   \
        F r = top == x || (zero && F##_is_zero(x))   ? F##_greater(y, z)                               \
              : top == y || (zero && F##_is_zero(y)) ? F##_greater(x, z)                               \
                                                     : F##_greater(x, y);                              \
        return nan ? least : F##_minmax_out(r, md);                                                    \
    }                                                                                                  \
    EZ_INLINE F F##_minimum3(F a, F b, F c, const ez_fpmode *md, uint32_t *fl) {                       \
        return F##_minimum(F##_minimum(a, b, md, fl), c, md, fl);                                      \
    }                                                                                                  \
    EZ_INLINE F F##_maximum3(F a, F b, F c, const ez_fpmode *md, uint32_t *fl) {                       \
        return F##_maximum(F##_maximum(a, b, md, fl), c, md, fl);                                      \
    }
EZ_COMPARES(f16)
EZ_COMPARES(f32)
EZ_COMPARES(f64)

/* ---- multiply and add in two steps ---- */

/* v_mad_f32 and v_mac_f32 flush denormals in every mode. Source: [Vega] "V_MAD_F32"; [LLVM] fmad lowering. */
EZ_INLINE f32 f32_mad(f32 a, f32 b, f32 c, const ez_fpmode *md, uint32_t *fl) {
    ez_fpmode flushing = *md;
    flushing.flush_in32 = flushing.flush_out32 = ~0u;
    f32 r = f32_add(f32_mul(a, b, &flushing, fl), c, &flushing, fl);
    return md->no_nans ? r : f32_nan3(r, a, b, c, md);
}
EZ_INLINE f16 f16_mad(f16 a, f16 b, f16 c, const ez_fpmode *md, uint32_t *fl) {
    return f16_nan3(f16_add(f16_mul(a, b, md, fl), c, md, fl), a, b, c, md);
}
/* A zero times anything is +0. */
EZ_INLINE f32 f32_mul_dx9(f32 a, f32 b, const ez_fpmode *md, uint32_t *fl) {
    f32 r = f32_mul(a, b, md, fl);
    return (f32_is_zero(f32_in(a, md)) | f32_is_zero(f32_in(b, md))) ? 0 : r;
}
/* Denormals are flushed in every mode. docs/errata.md */
EZ_INLINE f32 f32_fma_dx9(f32 a, f32 b, f32 c, const ez_fpmode *md, uint32_t *fl) {
    ez_fpmode flushing = *md;
    flushing.flush_in32 = flushing.flush_out32 = ~0u;
    bool zero = f32_is_zero(f32_flush(a, ~0u)) | f32_is_zero(f32_flush(b, ~0u));
    return f32_fma(zero ? 0 : a, zero ? 0 : b, c, &flushing, fl);
}
EZ_INLINE f32 f32_mad_dx9(f32 a, f32 b, f32 c, const ez_fpmode *md, uint32_t *fl) {
    ez_fpmode flushing = *md;
    flushing.flush_in32 = flushing.flush_out32 = ~0u;
    return f32_add(f32_mul_dx9(a, b, &flushing, fl), c, &flushing, fl);
}
EZ_INLINE f32 f32_mullit(f32 a, f32 b, f32 c, const ez_fpmode *md, uint32_t *fl) {
    f32 r = f32_mul_dx9(a, b, md, fl);
    bool lowest = b == 0xff7fffff || b == 0xff800000 || f32_is_nan(b) || f32_is_nan(c) || c >> 31 || f32_is_zero(f32_in(c, md));
    return lowest ? 0xff7fffff : r;
}

/* ---- rounding to integral values ---- */

/* To the nearest integral value, ties to even, whatever the host's rounding mode; a finite or infinite x. */
EZ_INLINE float ez_roundeven32(float x) {
    f32 a = f32_bits(x), e = a >> 23 & 0xff;
    u32 shift = e < 126 ? 24 : e > 149 ? 1 : 150 - e, m = (a & 0x7fffff) | 0x800000;
    u32 q = m >> shift, rest = m & ((1u << shift) - 1), half = 1u << (shift - 1);
    q += (rest > half) | ((rest == half) & (q & 1));
    q = e < 126 ? 0 : q;
    return e > 149 ? x : f32_host(f32_bits((float)(i32)q) | (a & 0x80000000));
}
EZ_INLINE double ez_roundeven64(double x) {
    f64 a = f64_bits(x), e = a >> 52 & 0x7ff;
    u64 shift = e < 1022 ? 53 : e > 1074 ? 1 : 1075 - e;
    u64 m = (a & UINT64_C(0xfffffffffffff)) | UINT64_C(0x10000000000000);
    u64 q = m >> shift, rest = m & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    q += (rest > half) | ((rest == half) & (q & 1));
    q = e < 1022 ? 0 : q;
    return e > 1074 ? x : f64_host(f64_bits((double)(i64)q) | (a & UINT64_C(0x8000000000000000)));
}

#define EZ_INTEGRAL(F, NAME, FN)                                             \
    EZ_INLINE F F##_##NAME(F a, const ez_fpmode *md, uint32_t *fl) {         \
        F##_flag_inputs(a, fl);                                              \
        return F##_nan1(F##_bits(FN(F##_host(F##_in(a, md)))), a, md);           \
    }
EZ_INTEGRAL(f32, trunc, __builtin_truncf)
EZ_INTEGRAL(f32, ceil, __builtin_ceilf)
EZ_INTEGRAL(f32, floor, __builtin_floorf)
EZ_INTEGRAL(f32, rndne, ez_roundeven32)
EZ_INTEGRAL(f64, trunc, __builtin_trunc)
EZ_INTEGRAL(f64, ceil, __builtin_ceil)
EZ_INTEGRAL(f64, floor, __builtin_floor)
EZ_INTEGRAL(f64, rndne, ez_roundeven64)
#define EZ_INTEGRAL16(NAME, FN)                                              \
    EZ_INLINE f16 f16_##NAME(f16 a, const ez_fpmode *md, uint32_t *fl) {     \
        f16_flag_inputs(a, fl);                                              \
        f32 r = f32_bits(FN(f32_host(f16_widen(f16_in(a, md)))));            \
        return f16_nan1(f16_narrow(r, 0), a, md);                                \
    }
EZ_INTEGRAL16(trunc, __builtin_truncf)
EZ_INTEGRAL16(ceil, __builtin_ceilf)
EZ_INTEGRAL16(floor, __builtin_floorf)
EZ_INTEGRAL16(rndne, ez_roundeven32)

/* a - floor(a), less than 1 also where rounding would give 1; a zero is +0 in every mode. Source: [RDNA3] V_FRACT_F32; [LLVM]
 * amdgcn.fract; docs/errata.md. */
EZ_INLINE f32 f32_fract(f32 a, const ez_fpmode *md, uint32_t *fl) {
    f32 r = f32_sub(a, f32_floor(a, md, NULL), md, fl);
    if (f32_is_zero(r)) return 0;
    return !f32_is_nan(r) && r >= 0x3f800000 && !(r >> 31) ? 0x3f7fffff : r;
}
EZ_INLINE f64 f64_fract(f64 a, const ez_fpmode *md, uint32_t *fl) {
    f64 r = f64_sub(a, f64_floor(a, md, NULL), md, fl);
    if (f64_is_zero(r)) return 0;
    bool one = !f64_is_nan(r) && r >= UINT64_C(0x3ff0000000000000) && !(r >> 63);
    return one ? UINT64_C(0x3fefffffffffffff) : r;
}
EZ_INLINE f16 f16_fract(f16 a, const ez_fpmode *md, uint32_t *fl) {
    f16 r = f16_sub(a, f16_floor(a, md, NULL), md, fl);
    if (f16_is_zero(r)) return 0;
    return r >= 0x3c00 && r < 0x7c00 ? 0x3bff : r;
}

/* ---- exponents ---- */

EZ_INLINE double ez_power_of_two(int n) { return f64_host((u64)(n + 1023) << 52); } /* -1022..1023 */

/* a * 2^n, rounded once: the product of doubles is exact. */
EZ_INLINE f32 f32_ldexp(f32 a, i32 n, const ez_fpmode *md, uint32_t *fl) {
    f32_flag_inputs(a, fl);
    n = n > 400 ? 400 : n < -400 ? -400 : n;
    double exact = (double)f32_host(f32_in(a, md)) * ez_power_of_two(n);
    f32 r = f32_flush_tiny(f32_bits((float)exact), f32_bits((float)(exact * 0x1p24)), md);
    return f32_nan1(f32_out(r, md), a, md);
}
EZ_INLINE f16 f16_ldexp(f16 a, i32 n, const ez_fpmode *md, uint32_t *fl) {
    f16_flag_inputs(a, fl);
    n = n > 60 ? 60 : n < -60 ? -60 : n;
    f32 exact = f32_bits((float)((double)f32_host(f16_widen(f16_in(a, md))) * ez_power_of_two(n)));
    return f16_nan1(f16_finish(exact, md, f16_is_nan(a) ? NULL : fl), a, md);
}
EZ_INLINE f64 f64_ldexp(f64 a, i32 n, const ez_fpmode *md, uint32_t *fl) {
    f64_flag_inputs(a, fl);
    f64 r = f64_bits(ldexp(f64_host(f64_in(a, md)), n)), up = f64_bits(ldexp(f64_host(f64_in(a, md)) * 0x1p53, n));
    return f64_nan1(f64_out(f64_flush_tiny(r, up, md), md), a, md);
}

EZ_INLINE i32 f32_exponent(f32 a) { return (i32)(a >> 23 & 0xff); }
EZ_INLINE i32 f64_exponent(f64 a) { return (i32)(a >> 52 & 0x7ff); }

/* Mantissa in 0.5 to 1 and exponent; a zero has 0 and 0, infinities and NaNs themselves (quiet in every mode) and 0. */
EZ_INLINE f64 f64_frexp(f64 a, i32 *exponent) {
    bool special = f64_exponent(a) == 0x7ff || f64_is_zero(a);
    int e = 0;
    double m = special ? f64_host(a) : frexp(f64_host(a), &e);
    *exponent = special ? 0 : e;
    return f64_bits(m);
}
EZ_INLINE i32 f64_frexp_exp(f64 a, const ez_fpmode *md) {
    i32 e;
    f64_frexp(f64_in(a, md), &e);
    return e;
}
EZ_INLINE f64 f64_frexp_mant(f64 a, const ez_fpmode *md) {
    i32 e;
    return f64_nan_over(f64_frexp(f64_in(a, md), &e), a);
}
EZ_INLINE f64 f64_of_f32(f32 a) { return f64_bits((double)f32_host(a)); }
EZ_INLINE i32 f32_frexp_exp(f32 a, const ez_fpmode *md) {
    f64 wide = f64_of_f32(f32_in(a, md));
    i32 e = f64_exponent(wide) - 1022;
    return f32_exponent(a) == 0xff || f64_is_zero(wide) ? 0 : e;
}
EZ_INLINE f32 f32_frexp_mant(f32 a, const ez_fpmode *md) {
    f32 x = f32_in(a, md);
    i32 e = f32_frexp_exp(a, md);
    f32 r = f32_bits((float)((double)f32_host(x) * ez_power_of_two(-e)));
    return f32_nan_over(f32_exponent(a) == 0xff ? a : r, a);
}
EZ_INLINE i32 f16_frexp_exp(f16 a, const ez_fpmode *md) {
    f32 wide = f16_widen(f16_in(a, md));
    return (a & 0x7c00) == 0x7c00 || f32_is_zero(wide) ? 0 : f32_exponent(wide) - 126;
}
EZ_INLINE f16 f16_frexp_mant(f16 a, const ez_fpmode *md) {
    f32 wide = f16_widen(f16_in(a, md));
    f32 r = f32_is_zero(wide) ? wide : (wide & 0x807fffff) | 0x3f000000;
    return f16_nan_over((a & 0x7c00) == 0x7c00 ? a : f16_narrow(r, 0), a);
}

/* ---- conversions ---- */

EZ_INLINE i32 f64_to_i32(f64 a) {
    double x = f64_is_nan(a) ? 0 : f64_host(a);
    x = x > 2147483647.0 ? 2147483647.0 : x < -2147483648.0 ? -2147483648.0 : x;
    return (i32)x;
}
EZ_INLINE u32 f64_to_u32(f64 a) {
    double x = f64_is_nan(a) ? 0 : f64_host(a);
    x = x > 4294967295.0 ? 4294967295.0 : x < 0 ? 0 : x;
    return (u32)(i64)x;
}
EZ_INLINE i32 f32_to_i32(f32 a) {
    bool top = !(a >> 31) && a >= 0x4f000000, bottom = (a >> 31) && a >= 0xcf000000, nan = f32_is_nan(a);
    i32 r = (i32)((top | bottom | nan) ? 0.0f : f32_host(a));
    return nan ? 0 : top ? INT32_MAX : bottom ? INT32_MIN : r;
}
EZ_INLINE u32 f32_to_u32(f32 a) { return f64_to_u32(f64_of_f32(a)); }
EZ_INLINE f32 i32_to_f32(i32 a) { return f32_bits((float)a); }
EZ_INLINE f32 u32_to_f32(u32 a) { return f32_bits((float)a); }
EZ_INLINE f64 i32_to_f64(i32 a) { return f64_bits((double)a); }
EZ_INLINE f64 u32_to_f64(u32 a) { return f64_bits((double)a); }

EZ_INLINE i32 f32_cvt_i32(f32 a, uint32_t *fl) {
    f32_flag_inputs(a, fl);
    i32 r = f32_to_i32(a);
    if (fl) *fl |= f32_is_nan(a) || (double)f32_host(a) >= 2147483648.0 || (double)f32_host(a) < -2147483648.0
                       ? EZ_FLAG_INVALID : (float)r != f32_host(a) ? EZ_FLAG_INEXACT : 0;
    return r;
}
EZ_INLINE u32 f32_cvt_u32(f32 a, uint32_t *fl) {
    f32_flag_inputs(a, fl);
    u32 r = f32_to_u32(a);
    if (fl) *fl |= f32_is_nan(a) || (double)f32_host(a) >= 4294967296.0 || f32_host(a) <= -1
                       ? EZ_FLAG_INVALID : (double)r != (double)f32_host(a) ? EZ_FLAG_INEXACT : 0;
    return r;
}
EZ_INLINE i32 f64_cvt_i32(f64 a, uint32_t *fl) {
    f64_flag_inputs(a, fl);
    return f64_to_i32(a);
}
EZ_INLINE u32 f64_cvt_u32(f64 a, uint32_t *fl) {
    f64_flag_inputs(a, fl);
    return f64_to_u32(a);
}

/* The least doubles that are the smallest normal float or more once rounded to the precision of floats with any exponent;
 * docs/errata.md, "Denormal results". */
EZ_INLINE u64 f32_least_normal(bool negative, unsigned round) {
    return round == 0 ? UINT64_C(0x380ffffff0000000)
           : ez_round_away(round, negative) ? UINT64_C(0x380fffffe0000001) : UINT64_C(0x3810000000000000);
}

EZ_INLINE f16 f32_cvt_f16_round(f32 a, unsigned round, const ez_fpmode *md, uint32_t *fl) {
    f32_flag_inputs(a, fl);
    f32 x = f32_in(a, md);
    f16 r = f16_narrow(x, round), sign = x >> 16 & 0x8000;
    f16_flag_result(a, r, fl);
    bool tiny = (x & 0x7fffffff) < f16_least_normal(sign, round);
    return f16_select(f16_mask(tiny) & md->flush_out16, sign, f16_limit(r, !f32_is_inf(a), md));
}
EZ_INLINE f16 f32_cvt_f16(f32 a, const ez_fpmode *md, uint32_t *fl) { return f32_cvt_f16_round(a, md->round16, md, fl); }
EZ_INLINE f16 f32_cvt_f16_rtz(f32 a, const ez_fpmode *md) { return f16_out(f16_narrow(f32_in(a, md), 3), md); }
EZ_INLINE f32 f16_cvt_f32(f16 a, const ez_fpmode *md, uint32_t *fl) {
    f16_flag_inputs(a, fl);
    return f32_nan_over(f16_widen(f16_in(a, md)), f16_widen(a));
}
EZ_INLINE f32 f64_cvt_f32(f64 a, const ez_fpmode *md, uint32_t *fl) {
    f64_flag_inputs(a, fl);
    f64 x = f64_in(a, md);
    f32 r = f32_bits((float)f64_host(x)), sign = (f32)(x >> 32) & 0x80000000;
    bool tiny = (x & INT64_MAX) < f32_least_normal(sign, md->round32);
    f32 nan = (f32)(a >> 32 & 0x80000000) | 0x7fc00000 | ((f32)(a >> 29) & 0x3fffff);
    return f64_is_nan(a) ? nan : f32_select(f32_mask(tiny) & md->flush_out32, sign, r);
}
EZ_INLINE f64 f32_cvt_f64(f32 a, const ez_fpmode *md, uint32_t *fl) {
    f32_flag_inputs(a, fl);
    f64 nan = (f64)(a & 0x80000000) << 32 | UINT64_C(0x7ff8000000000000) | (f64)(a & 0x3fffff) << 29;
    return f32_is_nan(a) ? nan : f64_of_f32(f32_in(a, md));
}

EZ_INLINE f16 i32_to_f16(i32 a, const ez_fpmode *md) {
    return f16_out(f16_limit(f16_narrow(f32_bits((float)a), md->round16), true, md), md);
}
EZ_INLINE i32 f16_to_i16(f16 a) { return sat_i16(f32_to_i32(f16_widen(a))); }
EZ_INLINE u32 f16_to_u16(f16 a) { return sat_u16(f32_to_i32(f16_widen(a))); }

/* Normalised integers: clamped, scaled, rounded to nearest even. */
EZ_INLINE i32 f32_to_snorm(f32 a) {
    double x = f32_is_nan(a) ? 0 : (double)f32_host(a);
    x = x > 1 ? 1 : x < -1 ? -1 : x;
    return (i32)ez_roundeven64(x * 32767.0);
}
EZ_INLINE u32 f32_to_unorm(f32 a) {
    double x = f32_is_nan(a) ? 0 : (double)f32_host(a);
    x = x > 1 ? 1 : x < 0 ? 0 : x;
    return (u32)(i32)ez_roundeven64(x * 65535.0);
}
EZ_INLINE u32 ez_pack16(u32 low, u32 high) { return (low & 0xffff) | high << 16; }

/* To a whole number in one of the four modes. */
EZ_INLINE float ez_round_whole(float x, unsigned round) {
    return round == 0 ? ez_roundeven32(x) : round == 1 ? __builtin_ceilf(x) : round == 2 ? __builtin_floorf(x) : __builtin_truncf(x);
}
/* floor(a) and floor(a + 1/2), exact; a NaN is the greatest or the least number, by its sign. docs/errata.md */
EZ_INLINE i32 f32_nan_by_sign(f32 a, i32 r) { return f32_is_nan(a) ? (a >> 31 ? INT32_MIN : INT32_MAX) : r; }
EZ_INLINE i32 f32_cvt_floor(f32 a, const ez_fpmode *md) {
    return f32_nan_by_sign(a, f32_to_i32(f32_bits(__builtin_floorf(f32_host(f32_in(a, md))))));
}
EZ_INLINE i32 f32_cvt_half_up(f32 a, const ez_fpmode *md) {
    double x = (double)f32_host(f32_is_nan(a) ? 0 : f32_in(a, md));
    return f32_nan_by_sign(a, f64_to_i32(f64_bits(__builtin_floor(x + 0.5)))); /* the sum is exact, or beyond all halves */
}

EZ_INLINE u32 f32_pack_u8(f32 a, u32 n, u32 c, const ez_fpmode *md) {
    u32 at = 8 * (n & 3);
    u32 byte = sat_u8(f32_to_i32(f32_bits(ez_round_whole(f32_host(f32_in(a, md)), md->round32))));
    return (c & ~(0xffu << at)) | byte << at;
}

/* a + b in f64, rounded to odd; see f32_add_odd. */
EZ_INLINE f64 f64_add_odd(f64 a, f64 b, unsigned round) {
    double x = f64_host(a), y = f64_host(b), s = x + y, yy = s - x;
    f64 r = f64_bits(s), e = f64_bits((x - (s - yy)) + (y - yy));
    bool inexact = !f64_is_zero(e) && f64_exponent(r) != 0x7ff && !(r & 1);
    r = inexact ? ((r ^ e) >> 63 ? r - 1 : r + 1) : r;
    return round == 2 && f64_is_zero(r) && (a | b) >> 63 ? UINT64_C(1) << 63 : r;
}

/* Rounded once, to a half float. docs/errata.md */
EZ_INLINE f16 f32_fma_to_f16(f32 a, f32 b, f32 c, const ez_fpmode *md, uint32_t *fl) {
    f32_flag_inputs(a, fl);
    f32_flag_inputs(b, fl);
    f32_flag_inputs(c, fl);
    double product = (double)f32_host(f32_in(a, md)) * (double)f32_host(f32_in(b, md)); /* exact */
    f64 sum = f64_add_odd(f64_bits(product), f64_of_f32(f32_in(c, md)), md->round16);
    bool nan = f64_is_nan(sum);
    f16 r = f16_finish(f32_odd(f64_host(sum)), md, nan ? NULL : fl);
    f32 which = f32_nan_fma(nan ? 0x7fc00000 : 0, a, b, c, md);
    return nan ? f16_narrow(which, 0) : r;
}

/* The same rounded toward zero whatever MODE says. */
EZ_INLINE f32 f32_fma_rtz(f32 a, f32 b, f32 c, const ez_fpmode *md, uint32_t *fl) {
    f32 r = f32_fma(a, b, c, md, fl);
    f64 x = f64_bits((double)f32_host(f32_in(a, md))), y = f64_bits((double)f32_host(f32_in(b, md)));
    f64 z = f64_bits((double)f32_host(f32_in(c, md)));
    const f32 top = 0x7f800000;
    if ((a & top) == top || (b & top) == top || (c & top) == top) return r; /* nothing to round */
    bool zero, minus = ((x ^ y) & z) >> 63;
    f32 cut = (f32)ez_fma_scaled(x, y, z, 0, 23, 127, 3, &zero);
    return zero ? (f32)minus << 31 : f32_out(cut, md);
}
EZ_INLINE f16 f32_fma_rtz_to_f16(f32 a, f32 b, f32 c, const ez_fpmode *md, uint32_t *fl) {
    ez_fpmode toward_zero = *md;
    toward_zero.round16 = 3;
    return f32_cvt_f16(f32_fma_rtz(a, b, c, md, fl), &toward_zero, fl);
}

/* ---- bfloat ---- */

EZ_INLINE f32 bf16_widen(bf16 a) { return a << 16; }
EZ_INLINE bf16 bf16_narrow(f32 a) { /* to nearest even */
    u32 r = (a + 0x7fff + (a >> 16 & 1)) >> 16;
    return f32_is_nan(a) ? a >> 16 | 0x40 : r;
}

EZ_INLINE f32 f32_dot2c_bf16(u32 a, u32 b, f32 c, const ez_fpmode *md, uint32_t *fl) {
    if (md->dot_complement | md->dot_grid) return f32_dot2_grid(a, b, c, ez_dot_bf16(md->dot_complement), md->dot_complement);
    f32 r = f32_fma(a << 16, b << 16, c, md, fl);
    return f32_fma(a & 0xffff0000, b & 0xffff0000, r, md, fl);
}
/* c plus the products of the halves, one after the other; each product is exact. Source: [RDNA3] V_DOT2_F32_F16 */
EZ_INLINE f32 f32_dot2_f16(u32 a, u32 b, f32 c, const ez_fpmode *md, uint32_t *fl) {
    if (md->dot_complement | md->dot_grid) return f32_dot2_grid(a, b, c, ez_dot_f16(), md->dot_complement);
    ez_fpmode mode = *md;
    mode.flush_in16 = (mode.flush_in16 & ~md->dot2_keep) | md->dot2_flush;
    f32 r = f32_fma(f16_widen(f16_in(a & 0xffff, &mode)), f16_widen(f16_in(b & 0xffff, &mode)), c, md, fl);
    return f32_fma(f16_widen(f16_in(a >> 16, &mode)), f16_widen(f16_in(b >> 16, &mode)), r, md, fl);
}
EZ_INLINE f32 f32_dot2_bf16(u32 a, u32 b, f32 c, const ez_fpmode *md, uint32_t *fl) {
    if (md->dot2_sum_last) { /* [CDNA4] V_DOT2_F32_BF16 */
        f32 products = f32_fma(a & 0xffff0000, b & 0xffff0000, f32_mul(a << 16, b << 16, md, fl), md, fl);
        return f32_add(products, c, md, fl);
    }
    return f32_dot2c_bf16(a, b, c, md, fl);
}

EZ_INLINE f16 f16_dot2(u32 a, u32 b, f16 c, const ez_fpmode *md, uint32_t *fl) {
    if (md->dot_complement | md->dot_grid) return f16_dot2_grid(a, b, c, md->dot_complement, md);
    f16 r = f16_fma(a & 0xffff, b & 0xffff, c, md, fl);
    return f16_fma(a >> 16, b >> 16, r, md, fl);
}

/* ---- division ---- */

/*
 * a is the number to scale, b the denominator, c the numerator. Returns whether DIV_FMAS has to scale back. By exponents alone, a denormal's
 * being 0; measured on RDNA 3 and 4, docs/errata.md. UP: a power of 2, TINY: what
 * flush_tiny asks of x / UP; SMALL: the greatest exponent of a numerator that is scaled up.
 */
#define EZ_DIV_SCALE(F, SCALE, UP, TINY, APART, TOP, SMALL)                                              \
    EZ_INLINE bool F##_div_scale(F a, F b, F c, const ez_fpmode *md, F *r) {                             \
        F x = F##_in(a, md), y = F##_in(b, md), z = F##_in(c, md);                                       \
        int denominator = F##_exponent(y), numerator = F##_exponent(z), apart = numerator - denominator; \
        bool same = x == y, back = apart >= (APART) || (denominator && apart <= -(APART));               \
        int scale = 0;                                                                                   \
        if (apart >= (APART)) scale = same ? (SCALE) : 0;                                                \
        else if (!denominator) scale = (SCALE);                                                          \
        else if (denominator >= (TOP)) scale = back && !same ? 0 : -(SCALE);                             \
        else if (back) scale = same ? 0 : (SCALE);                                                       \
        else if (numerator <= (SMALL)) scale = (SCALE);                                                  \
        F down = F##_flush_tiny(F##_bits(F##_host(x) / (UP)), F##_bits(F##_host(x) * (TINY)), md);       \
        F scaled = F##_out(scale > 0 ? F##_bits(F##_host(x) * (UP)) : scale < 0 ? down : x, md);         \
        bool none = F##_is_zero(y) || F##_is_zero(z);                                                    \
        *r = none ? F##_quiet(F##_neg(F##_infinity)) : F##_nan_of(scaled, x, md);                        \
        return back;                                                                                     \
    }
static const f32 f32_infinity = 0x7f800000;
static const f64 f64_infinity = UINT64_C(0x7ff0000000000000);
EZ_DIV_SCALE(f32, 64, 0x1p64f, 0x1p-40f, 96, 253, 24)
EZ_DIV_SCALE(f64, 128, 0x1p128, 0x1p-75, 768, 2045, 53)
EZ_INLINE f32 f32_scaled(f32 a, f32 b, f32 c, const ez_fpmode *md) {
    f32 r;
    f32_div_scale(a, b, c, md, &r);
    return r;
}
EZ_INLINE bool f32_scales(f32 a, f32 b, f32 c, const ez_fpmode *md) {
    f32 r;
    return f32_div_scale(a, b, c, md, &r);
}
EZ_INLINE f64 f64_scaled(f64 a, f64 b, f64 c, const ez_fpmode *md) {
    f64 r;
    f64_div_scale(a, b, c, md, &r);
    return r;
}
EZ_INLINE bool f64_scales(f64 a, f64 b, f64 c, const ez_fpmode *md) {
    f64 r;
    return f64_div_scale(a, b, c, md, &r);
}

/* Scaled back up where the quotient (c is its first estimate) is 2 or more, else down: what DIV_SCALE left out or put in.
 * Measured on RDNA 3; the manual has one factor, 2**32 and 2**64. Scaled and rounded at once, or quotients among the
 * denormals would be wrong. */
#define EZ_DIV_FMAS(F, MODE, WIDE, FRACTION, BIAS, TOP, SCALE)                                            \
    /* without a scale; denormal sources are kept in every mode, NaNs made quiet. docs/errata.md */       \
    EZ_INLINE F F##_fmas(F a, F b, F c, const ez_fpmode *md, uint32_t *fl) {                              \
        ez_fpmode keeping = *md;                                                                          \
        keeping.flush_in##MODE = keeping.keep_signalling = 0;                                             \
        return F##_fma(a, b, c, &keeping, fl);                                                            \
    }                                                                                                     \
    EZ_INLINE F F##_div_fmas(F a, F b, F c, uint32_t scale, const ez_fpmode *md, uint32_t *fl) {          \
        F r = F##_fmas(a, b, c, md, fl);                                                                  \
        bool finite = F##_exponent(a) < (TOP) && F##_exponent(b) < (TOP) && F##_exponent(c) < (TOP), zero; \
        if (!scale || !finite) return r;                                                                  \
        int by = F##_exponent(c) > (BIAS) ? (SCALE) : -(SCALE);                                           \
        F q = (F)ez_fma_scaled(WIDE(a), WIDE(b), WIDE(c), by, FRACTION, BIAS, md->round##MODE, &zero);    \
        F up = (F)ez_fma_scaled(WIDE(a), WIDE(b), WIDE(c), by + FRACTION + 1, FRACTION, BIAS, md->round##MODE, &zero); \
        return zero ? r : F##_out(F##_flush_tiny(q, up, md), md);                                         \
    }
#define EZ_AS_IT_IS(x) (x)
EZ_DIV_FMAS(f32, 32, f64_of_f32, 23, 127, 255, 64)
EZ_DIV_FMAS(f64, 16, EZ_AS_IT_IS, 52, 1023, 2047, 128)

/* a is the quotient found so far, b the denominator, c the numerator:
 *   NaN operand: it, quiet; 0/0, inf/inf: -NaN; x/0, inf/y: inf; x/inf, 0/y: 0; exponents too far apart: 0. */
#define EZ_DIV_FIXUP(F, MODE, SIGN, INF, OVFL, UNDERFLOWS)                                                  \
    EZ_INLINE F F##_div_fixup(F a, F b, F c, const ez_fpmode *md, uint32_t *fl) {               \
        F##_flag_inputs(b, fl);                                                                 \
        F##_flag_inputs(c, fl);                                                                 \
        F sign = (b ^ c) & (SIGN), x = F##_in(b, md), y = F##_in(c, md);                        \
        bool minus = sign != 0, away = ez_round_away(md->round##MODE, minus);                   \
        F r = sign | F##_abs(a); /* the estimate keeps denormals */                             \
        /* an estimate that overflowed is infinite or a NaN; what underflows is rounded likewise. docs/errata.md */ \
        r = F##_abs(a) >= (INF) ? (sign | (INF)) - (F)(!(md->round##MODE == 0 || away) || (OVFL)) : r; \
        r = (UNDERFLOWS) ? sign | (F)(away && !(md->flush_out##MODE & 1)) : r;                  \
        r = (F##_is_inf(x) | F##_is_zero(y)) ? sign : r;                                         \
        r = (F##_is_zero(x) | F##_is_inf(y)) ? sign | (INF) : r;                                 \
        bool none = (F##_is_zero(x) & F##_is_zero(y)) | (F##_is_inf(x) & F##_is_inf(y));        \
        if (fl) *fl |= none ? EZ_FLAG_INVALID : (F##_is_zero(x) & !F##_is_inf(y)) ? EZ_FLAG_DIVIDE_BY_ZERO : 0; \
        r = none ? F##_quiet((SIGN) | (INF)) : r;                                               \
        return F##_nan_over(F##_nan_over(r, b), c);                                \
    }
EZ_DIV_FIXUP(f16, 16, 0x8000u, 0x7c00u, md->fp16_ovfl & 1, false)
EZ_DIV_FIXUP(f32, 32, 0x80000000u, 0x7f800000u, false, f32_exponent(y) - f32_exponent(x) < -150)
EZ_DIV_FIXUP(f64, 16, UINT64_C(0x8000000000000000), UINT64_C(0x7ff0000000000000), false, f64_exponent(y) - f64_exponent(x) < -1075)

/* ---- reduction of angles ---- */

/* The bits of 2 / pi that hardware has, the most significant first. [RDNA3] has 1,201; docs/errata.md */
enum { EZ_TWO_OVER_PI_BITS = 1184 };
static const u64 ez_two_over_pi[19] = {
    UINT64_C(0xa2f9836e4e441529), UINT64_C(0xfc2757d1f534ddc0), UINT64_C(0xdb6295993c439041), UINT64_C(0xfe5163abdebbc561),
    UINT64_C(0xb7246e3a424dd2e0), UINT64_C(0x06492eea09d1921c), UINT64_C(0xfe1deb1cb129a73e), UINT64_C(0xe88235f52ebb4484),
    UINT64_C(0xe99c7026b45f7e41), UINT64_C(0x3991d639835339f4), UINT64_C(0x9c845f8bbdf9283b), UINT64_C(0x1ff897ffde05980f),
    UINT64_C(0xef2f118b5a0a6d1f), UINT64_C(0x6d367ecf27cb09b7), UINT64_C(0x4f463f669e5fea2d), UINT64_C(0x7527bac7ebe5f17b),
    UINT64_C(0x3d0739f78a5292ea), UINT64_C(0x6bfb5fb11f8d5d08), UINT64_C(0x5603304600000000)};

/* 53 of these bits, from bit 53 * n on, further on for large a; scaled so that the sum over n is 2 / pi. a times them
 * is the angle in units of pi / 2. Source: [RDNA3] V_TRIG_PREOP_F64 */
static inline __attribute__((unused)) f64 f64_trig_preop(f64 a, u32 n) {
    i32 exponent = f64_exponent(a), shift = (i32)(n & 31) * 53 + (exponent > 1077 ? exponent - 1077 : 0);
    u64 bits = 0;
    for (i32 at = shift; at < shift + 53; at++)
        bits = bits << 1 | (at < EZ_TWO_OVER_PI_BITS ? ez_two_over_pi[at / 64] >> (63 - at % 64) & 1 : 0);
    i32 unit = -53 - shift + (exponent >= 1968 ? 128 : 0), least = -1074; /* denormal results are cut in every mode */
    i32 below = unit < least ? least - unit : 0;
    return f64_bits(ldexp((double)(below > 63 ? 0 : bits >> below), unit + below));
}

/* ---- cube maps: a, b, c are x, y, z. Source: [RDNA3] V_CUBEID_F32 and the three behind it. Faces are found among numbers without
 * denormals, in every mode; the coordinates keep theirs. docs/errata.md ---- */

typedef struct ez_cube {
    f32 x, y, z;
    bool z_major, y_major, minus;
} ez_cube;
EZ_INLINE ez_cube f32_cube(f32 a, f32 b, f32 c) {
    float x = f32_host(f32_flush(a, ~0u)), y = f32_host(f32_flush(b, ~0u)), z = f32_host(f32_flush(c, ~0u));
    float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y), az = __builtin_fabsf(z);
    bool z_major = az >= ax && az >= ay, y_major = !z_major && ay >= ax;
    return (ez_cube){a, b, c, z_major, y_major, (z_major ? z : y_major ? y : x) < 0};
}
EZ_INLINE f32 f32_cubeid(ez_cube v) {
    return f32_bits((v.z_major ? 4.0f : v.y_major ? 2.0f : 0.0f) + (v.minus ? 1.0f : 0.0f));
}
EZ_INLINE f32 f32_cubesc(ez_cube v, const ez_fpmode *md) {
    f32 r = v.z_major ? (v.minus ? f32_neg(v.x) : v.x) : v.y_major ? v.x : v.minus ? v.z : f32_neg(v.z);
    return f32_nan_of(r, r, md);
}
EZ_INLINE f32 f32_cubetc(ez_cube v, const ez_fpmode *md) {
    f32 r = v.y_major ? (v.minus ? f32_neg(v.z) : v.z) : f32_neg(v.y);
    return f32_nan_of(r, r, md);
}
/* 2 * major + 0: of -0, +0 where the mode does not round down */
EZ_INLINE f32 f32_cubema(ez_cube v, const ez_fpmode *md, uint32_t *fl) {
    f32 major = f32_flush(v.z_major ? v.z : v.y_major ? v.y : v.x, ~0u);
    return f32_fma(major, 0x40000000, 0, md, fl);
}

#endif
