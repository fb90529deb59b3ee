/* SPDX-License-Identifier: Apache-2.0 */
/* A multiply-add in integers that scales its result before it rounds: what DIV_FMAS does. */
#ifndef EZ_NUMBERS_EXACT_H
#define EZ_NUMBERS_EXACT_H

#include "numbers.h"

typedef unsigned __int128 ez_u128;

/* m * 2^e, m < 2^126 */
typedef struct ez_exact {
    ez_u128 m;
    int e;
    bool minus;
} ez_exact;

static inline __attribute__((unused)) int ez_top_bit(ez_u128 m) { /* of m, not 0 */
    u64 high = (u64)(m >> 64);
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll((u64)m);
}

/* Moves the highest bit of x to bit 125; a zero lies below everything. */
static inline __attribute__((unused)) ez_exact ez_exact_normal(ez_exact x) {
    if (!x.m) return (ez_exact){0, -100000, x.minus};
    int by = 125 - ez_top_bit(x.m);
    return (ez_exact){x.m << by, x.e - by, x.minus};
}

static inline __attribute__((unused)) ez_exact ez_exact_of(f64 a) {
    int e = (int)(a >> 52 & 0x7ff);
    u64 m = (a & UINT64_C(0xfffffffffffff)) | (e ? UINT64_C(0x10000000000000) : 0);
    return (ez_exact){m, (e ? e : 1) - 1075, a >> 63};
}

/* x shifted right; bits that fall off leave a 1 in the lowest bit, far below what any rounding looks at. */
static inline __attribute__((unused)) ez_u128 ez_shift_jam(ez_u128 m, int by) {
    if (by <= 0) return m;
    if (by > 126) return m != 0;
    return m >> by | ((m & (((ez_u128)1 << by) - 1)) != 0);
}

static inline __attribute__((unused)) ez_exact ez_exact_add(ez_exact x, ez_exact y) {
    x = ez_exact_normal(x);
    y = ez_exact_normal(y);
    if (x.e < y.e || (x.e == y.e && x.m < y.m)) {
        ez_exact swap = x;
        x = y;
        y = swap;
    }
    y.m = ez_shift_jam(y.m, x.e - y.e);
    x.m = x.minus == y.minus ? x.m + y.m : x.m - y.m;
    return x;
}

/* Rounds to a format with that many bits of fraction, once. */
static inline __attribute__((unused)) u64 ez_exact_round(ez_exact x, int fraction, int bias, unsigned round) {
    u64 sign = (u64)x.minus << (fraction == 52 ? 63 : 31), one = UINT64_C(1) << fraction;
    int quantum = ez_top_bit(x.m) + x.e - fraction, least = 1 - bias - fraction;
    if (quantum < least) quantum = least;
    int by = quantum - x.e;
    ez_u128 q = by <= 0 ? x.m << -by : by > 127 ? 0 : x.m >> by;
    ez_u128 rest = by <= 0 ? 0 : by > 127 ? 1 : x.m & (((ez_u128)1 << by) - 1);
    ez_u128 half = by <= 0 || by > 127 ? 2 : (ez_u128)1 << (by - 1);
    bool away = ez_round_away(round, x.minus);
    if (round == 0 ? rest > half || (rest == half && (q & 1)) : away && rest) q++;
    u64 bits = (u64)q;
    if (bits >= one) bits += (u64)(quantum - least) << fraction;
    u64 infinity = (u64)(2 * bias + 1) << fraction;
    if (bits >= infinity) bits = round == 0 || away ? infinity : infinity - 1;
    return sign | bits;
}

/* (a * b + c) * 2^scale of finite doubles, rounded once to a float (fraction 23, bias 127) or a double (52, 1023).
 * *zero: the sum is 0, whose sign is for the caller. */
static __attribute__((noinline, unused)) u64 ez_fma_scaled(f64 a, f64 b, f64 c, int scale, int fraction, int bias,
                                                          unsigned round, bool *zero) {
    ez_exact x = ez_exact_of(a), y = ez_exact_of(b);
    ez_exact product = {x.m * y.m, x.e + y.e, x.minus != y.minus};
    ez_exact sum = ez_exact_add(product, ez_exact_of(c));
    *zero = !sum.m;
    if (*zero) return 0;
    sum.e += scale;
    return ez_exact_round(sum, fraction, bias, round);
}

#endif
