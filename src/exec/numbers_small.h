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
EZ_INLINE float ez_power(int n) { return f32_host((uint32_t)(n + 127) << 23); }

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

#endif
