/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions whose results AMD has not published to the last bit. Here each is the nearest result of a computation in
 * double, whatever MODE's rounding; the bound by which hardware may differ is in the row (semantics/transcendental.def).
 * Source of special values: IEEE 754-2019, chapter 9.2.
 */
#ifndef EZ_NUMBERS_TRANSCENDENTAL_H
#define EZ_NUMBERS_TRANSCENDENTAL_H

#include "numbers_float.h"

/* ---- on doubles ---- */

EZ_INLINE double ez_rcp(double x) { return 1 / x; }
EZ_INLINE double ez_sqrt(double x) { return __builtin_sqrt(x); }
EZ_INLINE double ez_rsq(double x) { return 1 / __builtin_sqrt(x); } /* of -0: -infinity */

/* The angle is in turns; of whole and half turns the sine is a zero with the sign of x. Up to GFX8 the domain ends
 * at 256 turns: beyond it sin is 0 and cos 1. Source: [GCN3] V_SIN_F32. */
static inline __attribute__((unused)) double ez_sin_turns(double x, const ez_fpmode *md) {
    if (isnan(x) || isinf(x)) return NAN;
    if (md->trig_256 && fabs(x) > 256) return 0;
    double t = fabs(x) < 0x1p52 ? x - ez_roundeven64(x) : 0; /* exact; -0.5 to 0.5 */
    if (fabs(x) >= 0x1p52) return 0;
    return t == 0 || fabs(t) == 0.5 ? copysign(0, x) : sin(t * 6.283185307179586476925);
}
static inline __attribute__((unused)) double ez_cos_turns(double x, const ez_fpmode *md) {
    if (isnan(x) || isinf(x)) return NAN;
    if (md->trig_256 && fabs(x) > 256) return 1;
    double t = fabs(x) < 0x1p52 ? fabs(x - ez_roundeven64(x)) : 0;
    return t == 0.25 ? 0 : cos(t * 6.283185307179586476925);
}

/* ---- flags: of reciprocals and roots, as IEEE 754 has them ---- */

#define EZ_APPROX_FLAGS(F)                                                                         \
    EZ_INLINE void F##_flag_pole(F a, F x, uint32_t *fl) {                                         \
        F##_flag_inputs(a, fl);                                                                    \
        if (fl) *fl |= F##_is_zero(x) ? EZ_FLAG_DIVIDE_BY_ZERO : 0;                                \
    }                                                                                              \
    EZ_INLINE void F##_flag_root(F a, F x, uint32_t *fl) {                                         \
        F##_flag_inputs(a, fl);                                                                    \
        if (fl) *fl |= F##_key(x) < 0 && !F##_is_zero(x) && !F##_is_nan(x) ? EZ_FLAG_INVALID : 0;  \
    }
EZ_APPROX_FLAGS(f16)
EZ_APPROX_FLAGS(f32)
EZ_APPROX_FLAGS(f64)

/* ---- floats ---- */

/* Reciprocals, roots, exp and log take and give no denormals in any mode. Source: [LLVM] expansions of division, sqrt,
 * exp2 and log2, which scale around them. */
EZ_INLINE f32 f32_flat(f32 a) { return f32_flush(a, ~0u); }
EZ_INLINE f32 f32_nearest(double x, f32 a, const ez_fpmode *md) { return f32_nan1(f32_flat(f32_bits((float)x)), a, md); }
EZ_INLINE double f32_wide(f32 a) { return (double)f32_host(f32_flat(a)); }

EZ_INLINE f32 f32_rcp(f32 a, const ez_fpmode *md, uint32_t *fl) {
    f32_flag_pole(a, f32_flat(a), fl);
    return f32_nan1(f32_flat(f32_bits(1 / f32_host(f32_flat(a)))), a, md);
}
EZ_INLINE f32 f32_rcp_iflag(f32 a, const ez_fpmode *md, uint32_t *fl) { /* for integer divisions: has a flag of its own */
    if (fl) *fl |= f32_is_zero(f32_flat(a)) ? EZ_FLAG_INT_DIVIDE_BY_ZERO : 0;
    return f32_rcp(a, md, NULL);
}
EZ_INLINE f32 f32_root(f32 a, const ez_fpmode *md, uint32_t *fl) {
    f32_flag_root(a, f32_flat(a), fl);
    return f32_nan1(f32_bits(__builtin_sqrtf(f32_host(f32_flat(a)))), a, md);
}
EZ_INLINE f32 f32_rsq(f32 a, const ez_fpmode *md, uint32_t *fl) {
    f32_flag_root(a, f32_flat(a), fl);
    f32_flag_pole(a, f32_flat(a), fl);
    return f32_nearest(ez_rsq(f32_wide(a)), a, md);
}
EZ_INLINE f32 f32_exp2(f32 a, const ez_fpmode *md) { return f32_nearest(exp2(f32_wide(a)), a, md); }
EZ_INLINE f32 f32_log2(f32 a, const ez_fpmode *md) { return f32_nearest(log2(f32_wide(a)), a, md); }
EZ_INLINE f32 f32_tanh(f32 a, const ez_fpmode *md) {
    return f32_nan1(f32_out(f32_bits((float)tanh((double)f32_host(f32_in(a, md)))), md), a, md);
}
EZ_INLINE f32 f32_sin(f32 a, const ez_fpmode *md) {
    return f32_nan1(f32_out(f32_bits((float)ez_sin_turns((double)f32_host(f32_in(a, md)), md)), md), a, md);
}
EZ_INLINE f32 f32_cos(f32 a, const ez_fpmode *md) {
    return f32_nan1(f32_out(f32_bits((float)ez_cos_turns((double)f32_host(f32_in(a, md)), md)), md), a, md);
}

/* ---- half floats: denormals as MODE says ---- */

EZ_INLINE double f16_wide(f16 a, const ez_fpmode *md) { return (double)f32_host(f16_widen(f16_in(a, md))); }
EZ_INLINE f16 f16_nearest(double x, f16 a, const ez_fpmode *md) {
    return f16_nan1(f16_out(f16_limit(f16_narrow(f32_odd(x), 0), !f16_is_inf(a), md), md), a, md);
}
EZ_INLINE f16 f16_rcp(f16 a, const ez_fpmode *md, uint32_t *fl) {
    f16_flag_pole(a, f16_in(a, md), fl);
    return f16_nearest(ez_rcp(f16_wide(a, md)), a, md);
}
EZ_INLINE f16 f16_root(f16 a, const ez_fpmode *md, uint32_t *fl) {
    f16_flag_root(a, f16_in(a, md), fl);
    return f16_nearest(ez_sqrt(f16_wide(a, md)), a, md);
}
EZ_INLINE f16 f16_rsq(f16 a, const ez_fpmode *md, uint32_t *fl) {
    f16_flag_root(a, f16_in(a, md), fl);
    f16_flag_pole(a, f16_in(a, md), fl);
    return f16_nearest(ez_rsq(f16_wide(a, md)), a, md);
}
EZ_INLINE f16 f16_exp2(f16 a, const ez_fpmode *md) { return f16_nearest(exp2(f16_wide(a, md)), a, md); }
EZ_INLINE f16 f16_log2(f16 a, const ez_fpmode *md) { return f16_nearest(log2(f16_wide(a, md)), a, md); }
EZ_INLINE f16 f16_tanh(f16 a, const ez_fpmode *md) { return f16_nearest(tanh(f16_wide(a, md)), a, md); }
EZ_INLINE f16 f16_sin(f16 a, const ez_fpmode *md) { return f16_nearest(ez_sin_turns(f16_wide(a, md), md), a, md); }
EZ_INLINE f16 f16_cos(f16 a, const ez_fpmode *md) { return f16_nearest(ez_cos_turns(f16_wide(a, md), md), a, md); }

/* ---- bfloats: like floats; docs/errata.md, "bfloat functions" ---- */

EZ_INLINE bf16 bf16_of(f32 r) { return bf16_narrow(r); }
EZ_INLINE f32 bf16_to(bf16 a) { return a << 16; }

/* ---- doubles: hardware gives some 28 bits, from which programs refine; all bits are right here ---- */

EZ_INLINE f64 f64_finish(double x, f64 a, const ez_fpmode *md) { return f64_nan1(f64_out(f64_bits(x), md), a, md); }
EZ_INLINE f64 f64_rcp(f64 a, const ez_fpmode *md, uint32_t *fl) {
    f64_flag_pole(a, f64_in(a, md), fl);
    return f64_finish(ez_rcp(f64_host(f64_in(a, md))), a, md);
}
EZ_INLINE f64 f64_root(f64 a, const ez_fpmode *md, uint32_t *fl) {
    f64_flag_root(a, f64_in(a, md), fl);
    return f64_finish(ez_sqrt(f64_host(f64_in(a, md))), a, md);
}
EZ_INLINE f64 f64_rsq(f64 a, const ez_fpmode *md, uint32_t *fl) {
    f64_flag_root(a, f64_in(a, md), fl);
    f64_flag_pole(a, f64_in(a, md), fl);
    return f64_finish(ez_rsq(f64_host(f64_in(a, md))), a, md);
}

#endif
