/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small floats: bfloat, FP8 (E4M3), BF8 (E5M2), FP6 (E2M3), BF6 (E3M2), FP4 (E2M1), and the scale E8M0.
 * Source: OCP "8-bit Floating Point" and "Microscaling Formats"; the FNUZ formats of CDNA 3 (bias one more, 80 is the only
 * NaN, no infinity, no -0): [CDNA3] "FP8 and BF8". Every value of all of them is a float.
 */
#ifndef EZ_NUMBERS_SMALL_H
#define EZ_NUMBERS_SMALL_H

#include "numbers_float.h"

typedef enum ez_small {
    EZ_SMALL_FP8,
    EZ_SMALL_BF8,
    EZ_SMALL_FP6,
    EZ_SMALL_BF6,
    EZ_SMALL_FP4,
    EZ_SMALL_FP8_FNUZ,
    EZ_SMALL_BF8_FNUZ,
    EZ_SMALL_COUNT
} ez_small;

/* Bits, bits of the fraction, bias, the greatest finite magnitude and the pattern of a NaN (0: has none). */
typedef struct ez_small_format {
    uint8_t bits, fraction, bias, greatest, nan;
    bool infinity;
} ez_small_format;

EZ_INLINE ez_small_format ez_small_of(ez_small s) {
    switch (s) {
    case EZ_SMALL_FP8: return (ez_small_format){8, 3, 7, 0x7e, 0x7f, false};
    case EZ_SMALL_BF8: return (ez_small_format){8, 2, 15, 0x7b, 0x7f, true};
    case EZ_SMALL_FP6: return (ez_small_format){6, 3, 1, 0x1f, 0, false};
    case EZ_SMALL_BF6: return (ez_small_format){6, 2, 3, 0x1f, 0, false};
    case EZ_SMALL_FP4: return (ez_small_format){4, 1, 1, 0x07, 0, false};
    case EZ_SMALL_FP8_FNUZ: return (ez_small_format){8, 3, 8, 0x7f, 0x80, false};
    default: return (ez_small_format){8, 2, 16, 0x7f, 0x80, false};
    }
}

/* 2 to the power of n, -126 to 127. */
EZ_INLINE float ez_power(int n) {
    return f32_host((uint32_t)(n + 127) << 23);
}

/* Exact. The multiplication makes denormals normal, as in f16_widen. NaNs become 7fc00000, with the sign where there is one. */
EZ_INLINE f32 small_widen(uint32_t x, ez_small s) {
    const ez_small_format t = ez_small_of(s);
    uint32_t sign = 1u << (t.bits - 1), a = x & (sign - 1);
    f32 r = f32_bits(f32_host(a << (23 - t.fraction)) * ez_power(127 - t.bias));
    if (t.infinity) r = a > 0x7c ? 0x7fc00000 : a == 0x7c ? 0x7f800000 : r;
    else if (t.nan == 0x7f) r = a == 0x7f ? 0x7fc00000 : r;
    r |= (x & sign) << (32 - t.bits);
    return t.nan == 0x80 && (x & 0xff) == 0x80 ? 0x7fc00000 : r;
}

/* ---- between small floats and others; sources and choices: docs/errata.md, "FP8, BF8 and smaller floats" ---- */

/* Measured on RDNA 4: every NaN gives the same one. */
EZ_INLINE f32 small_cvt_f32(uint32_t x, ez_small s) {
    f32 r = small_widen(x, s);
    return f32_is_nan(r) ? 0xffc00000 : r;
}
EZ_INLINE f16 small_cvt_f16(uint32_t x, ez_small s, const ez_fpmode *md) {
    return f16_out(f16_narrow(small_cvt_f32(x, s), 0), md);
}
/* Unsigned E5M3 (bias 15, ff is its only NaN): what clamp makes of FP8 from GFX12.5 on. */
EZ_INLINE f32 ue5m3_cvt_f32(uint32_t x) {
    return x == 0xff ? 0xffc00000 : f32_bits(f32_host(x << 20) * ez_power(127 - 15));
}

/* A magnitude with its fraction cut to `fraction` bits, and the exponent that goes with it. */
EZ_INLINE u64 ez_code(u64 significand, int exponent, unsigned fraction, int bias) {
    int e = exponent + bias - 1;
    return ((u64)(e > 0 ? e : 0) << fraction) + significand;
}

/* The magnitude of a finite x in a format with that fraction and bias whose exponents have no upper end. */
EZ_INLINE u64 ez_magnitude(f64 x, unsigned fraction, int bias, unsigned round) {
    int e = f64_exponent(x) - 1023, below = 1 - bias - e,
        shift = 52 - (int)fraction + (below > 0 ? below : 0);
    u64 m = f64_is_zero(x) ? 0 : (x & UINT64_C(0xfffffffffffff)) | UINT64_C(0x10000000000000);
    shift = shift > 60 ? 60 : shift;
    u64 q = m >> shift, rest = m & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    bool nearest_up = (rest > half) | ((rest == half) & (q & 1));
    q += round == 0 ? nearest_up : ez_round_away(round, x >> 63) && rest;
    return ez_code(q, e, fraction, bias);
}

/* The same with random bits added below the fraction, and cut. x has `precision` bits of fraction; what lies below
 * them in a result that is denormal goes first. */
EZ_INLINE u64 ez_magnitude_random(f64 x, unsigned precision, unsigned fraction, int bias, u32 random) {
    int e = f64_exponent(x) - 1023, below = 1 - bias - e;
    u64 m = f64_is_zero(x) ? 0 : (x & UINT64_C(0xfffffffffffff)) | UINT64_C(0x10000000000000);
    unsigned drop = precision - fraction, denormal = below < 0 ? 0 : below > 63 ? 63 : (unsigned)below;
    m = m >> (52 - precision) >> denormal;
    return ez_code((m + (random >> (32 - drop))) >> drop, e, fraction, bias);
}

/* How a number becomes a small float. */
typedef struct ez_small_rounding {
    bool saturate;     /* finite numbers that are too large become the greatest: MODE.FP16_OVFL */
    bool stochastic;   /* else to nearest even */
    uint8_t precision; /* bits of the source's fraction */
    u32 random;
} ez_small_rounding;

EZ_INLINE uint32_t small_narrow(f64 x, ez_small s, ez_small_rounding how) {
    const ez_small_format t = ez_small_of(s);
    uint32_t sign = (uint32_t)(x >> 63) << (t.bits - 1), greatest = sign | t.greatest;
    bool fnuz = t.nan == 0x80;
    uint32_t too_large = !t.nan ? greatest : fnuz ? 0x80 : sign | (t.infinity ? 0x7c : 0x7f);
    if (f64_is_nan(x)) return !t.nan ? greatest : fnuz ? 0x80 : t.infinity ? 0xfe : 0xff;
    if (f64_is_inf(x)) return too_large;
    u64 code = how.stochastic ? ez_magnitude_random(x, how.precision, t.fraction, t.bias, how.random)
                              : ez_magnitude(x, t.fraction, t.bias, 0);
    if (code > t.greatest) return how.saturate ? greatest : too_large;
    return fnuz && !code ? 0 : sign | (uint32_t)code;
}

EZ_INLINE ez_small ez_fp8_of(const ez_fpmode *md) {
    return md->fp8_fnuz ? EZ_SMALL_FP8_FNUZ : EZ_SMALL_FP8;
}
EZ_INLINE ez_small ez_bf8_of(const ez_fpmode *md) {
    return md->fp8_fnuz ? EZ_SMALL_BF8_FNUZ : EZ_SMALL_BF8;
}

EZ_INLINE uint32_t f32_to_small(f32 a, ez_small s, const ez_fpmode *md) {
    return small_narrow(f64_of_f32(f32_in(a, md)), s, (ez_small_rounding){.saturate = md->fp16_ovfl});
}
EZ_INLINE uint32_t f32_to_small_sr(f32 a, u32 random, ez_small s, const ez_fpmode *md) {
    return small_narrow(f64_of_f32(f32_in(a, md)), s, (ez_small_rounding){md->fp16_ovfl, true, 23, random});
}
EZ_INLINE f64 f64_of_f16(f16 a) {
    return f64_of_f32(f16_widen(a));
}
EZ_INLINE uint32_t f16_to_small(f16 a, ez_small s, const ez_fpmode *md) {
    return small_narrow(f64_of_f16(f16_in(a, md)), s, (ez_small_rounding){.saturate = md->fp16_ovfl});
}
EZ_INLINE uint32_t f16_to_small_sr(f16 a, u32 random, ez_small s, const ez_fpmode *md) {
    return small_narrow(f64_of_f16(f16_in(a, md)), s, (ez_small_rounding){md->fp16_ovfl, true, 10, random});
}

/* A byte in its place, the others as they were. */
EZ_INLINE u32 ez_put_byte(u32 old, u32 n, u32 byte) {
    return (old & ~(0xffu << (8 * n))) | byte << (8 * n);
}

/* Half floats and bfloats rounded by random bits. */
EZ_INLINE f16 f32_to_f16_sr(f32 a, u32 random, const ez_fpmode *md) {
    f32 x = f32_in(a, md);
    f16 sign = x >> 16 & 0x8000;
    if (f32_is_nan(x) || f32_is_inf(x)) return f16_narrow(x, 0);
    u64 code = ez_magnitude_random(f64_of_f32(x), 23, 10, 15, random);
    return f16_out(sign | (code > 0x7bff ? f16_too_large(md) : (f16)code), md);
}
EZ_INLINE bf16 f32_to_bf16_sr(f32 a, u32 random, const ez_fpmode *md) {
    f32 x = f32_in(a, md);
    if (f32_is_nan(x) || f32_is_inf(x)) return bf16_narrow(x);
    return (x + (random >> 16)) >> 16;
}

/* ---- bfloat arithmetic: rounded once, in the mode of half floats and doubles; denormals are kept in every mode. docs/errata.md ---- */

EZ_FORMAT(bf16, 16, int32_t, 0x8000u, 0x7f80u, 0x40u, 16)

EZ_INLINE bf16 bf16_finish(f64 exact, const ez_fpmode *md, uint32_t *fl) {
    bf16 sign = (bf16)(exact >> 48 & 0x8000);
    if (f64_is_nan(exact)) {
        if (fl) *fl |= EZ_FLAG_INVALID;
        return 0x7fc0;
    }
    if (f64_is_inf(exact)) return sign | 0x7f80;
    u64 code = ez_magnitude(exact, 7, 127, md->round16);
    bool over = code >= 0x7f80, away = md->round16 == 0 || ez_round_away(md->round16, sign);
    bf16 r = sign | (over ? (away ? 0x7f80 : 0x7f7f) : (bf16)code);
    if (fl && f64_of_f32(bf16_widen(r)) != exact)
        *fl |= EZ_FLAG_INEXACT | (over ? EZ_FLAG_OVERFLOW : 0) |
               (f64_exponent(exact) < 1023 - 126 ? EZ_FLAG_UNDERFLOW : 0);
    return r;
}
EZ_INLINE f64 bf16_exact(bf16 a) { return f64_of_f32(bf16_widen(a)); }

EZ_INLINE bf16 bf16_fma(bf16 a, bf16 b, bf16 c, const ez_fpmode *md, uint32_t *fl) {
    bf16_flag_inputs(a, fl);
    bf16_flag_inputs(b, fl);
    bf16_flag_inputs(c, fl);
    bool nan = bf16_is_nan(a) | bf16_is_nan(b) | bf16_is_nan(c);
    f64 product = f64_bits(f64_host(bf16_exact(a)) * f64_host(bf16_exact(b))); /* 16 bits: exact */
    bf16 r = bf16_finish(f64_add_odd(product, bf16_exact(c), md->round16), md, nan ? NULL : fl);
    return bf16_nan3(r, a, b, bf16_invalid_product(a, b) ? 0 : c, md); /* denormals are kept */
}
EZ_INLINE bf16 bf16_add(bf16 a, bf16 b, const ez_fpmode *md, uint32_t *fl) {
    bf16_flag_inputs(a, fl);
    bf16_flag_inputs(b, fl);
    bool nan = bf16_is_nan(a) | bf16_is_nan(b);
    bf16 r = bf16_finish(f64_add_odd(bf16_exact(a), bf16_exact(b), md->round16), md, nan ? NULL : fl);
    return bf16_nan2(r, a, b, md);
}
EZ_INLINE bf16 bf16_mul(bf16 a, bf16 b, const ez_fpmode *md, uint32_t *fl) {
    bf16_flag_inputs(a, fl);
    bf16_flag_inputs(b, fl);
    bool nan = bf16_is_nan(a) | bf16_is_nan(b);
    f64 product = f64_bits(f64_host(bf16_exact(a)) * f64_host(bf16_exact(b)));
    bf16 r = bf16_finish(product, md, nan ? NULL : fl);
    return bf16_nan2(r, a, b, md);
}

/* Both instructions exist on targets that add on a grid alone; docs/errata.md */
EZ_INLINE bf16 bf16_dot2(u32 a, u32 b, bf16 c, const ez_fpmode *md, uint32_t *fl) {
    (void)fl;
    return bf16_dot2_grid(a, b, c, md->dot_complement);
}
EZ_INLINE ez_dot_format ez_dot_small(ez_small s) {
    const ez_small_format t = ez_small_of(s);
    return (ez_dot_format){t.fraction, t.bias, 7, t.infinity, false};
}
EZ_INLINE f32 f32_dot4_small(u32 a, ez_small s, u32 b, ez_small t, f32 c, const ez_fpmode *md, uint32_t *fl) {
    (void)md, (void)fl;
    const u32 x[4] = {byte_of(a, 0), byte_of(a, 1), byte_of(a, 2), byte_of(a, 3)};
    const u32 y[4] = {byte_of(b, 0), byte_of(b, 1), byte_of(b, 2), byte_of(b, 3)};
    i64 units = 0;
    int grid = 0;
    f32 special = ez_dot_sum(x, ez_dot_small(s), y, ez_dot_small(t), 4, c, false, false, &units, &grid);
    return f32_of_grid(special, units, grid, false);
}

#endif
