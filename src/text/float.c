/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding of float literals as written (doubles) to the operand's format, in integers. */
#include "text.h"

typedef struct float_format {
    int exponent_bits, fraction_bits;
} float_format;

static float_format format_of(unsigned type) {
    switch (ez_type_float(type)) {
    case EZ_FLOAT_BF16: return (float_format){8, 7};
    case EZ_FLOAT_F16: return (float_format){5, 10};
    case EZ_FLOAT_F64: return (float_format){11, 52};
    default: return (float_format){8, 23};
    }
}

bool ez_round_float(uint64_t bits, unsigned type, uint64_t *out) {
    float_format f = format_of(type);
    uint64_t sign = bits >> 63, fraction = bits & ((UINT64_C(1) << 52) - 1);
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (f.fraction_bits == 52) {
        *out = bits;
        return true;
    }
    sign <<= f.exponent_bits + f.fraction_bits;
    if (exponent == 0 && !fraction) {
        *out = sign;
        return true;
    }
    int max = (1 << f.exponent_bits) - 1, bias = max >> 1;
    if (exponent == 0x7ff) { /* a number beyond doubles was read: infinity */
        *out = sign | (uint64_t)max << f.fraction_bits;
        return true;
    }
    int e = exponent - 1023 + bias, drop = 52 - f.fraction_bits;
    if (exponent) fraction |= UINT64_C(1) << 52;
    if (e <= 0) { /* a denormal of the format */
        drop += 1 - e;
        e = 0;
    }
    if (drop > 54) return false;
    uint64_t kept = fraction >> drop, rest = fraction & ((UINT64_C(1) << drop) - 1);
    uint64_t half = UINT64_C(1) << (drop - 1);
    kept += rest > half || (rest == half && (kept & 1));
    /* the implicit one of a normal number, and a carry out of the fraction, raise the exponent */
    uint64_t result = e ? kept + ((uint64_t)(e - 1) << f.fraction_bits) : kept;
    if (result >> f.fraction_bits >= (uint64_t)max) return false;
    if (rest && !(result >> f.fraction_bits)) return false; /* an inexact denormal or zero */
    *out = sign | result;
    return true;
}
