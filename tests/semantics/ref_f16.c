/* SPDX-License-Identifier: Apache-2.0 */
#include "ref_f16.h"

#include <stddef.h>

enum { SIGN = 0x8000, INFINITE = 0x7c00, QUIET = 0x0200, FRACTION = 0x03ff };

static bool is_nan(uint16_t x) {
    return (x & INFINITE) == INFINITE && (x & FRACTION) != 0;
}
static bool is_signalling(uint16_t x) {
    return is_nan(x) && (x & QUIET) == 0;
}
static bool is_denormal(uint16_t x) {
    return (x & INFINITE) == 0 && (x & FRACTION) != 0;
}
static bool is_zero(uint16_t x) {
    return (x & ~SIGN) == 0;
}

/* The value of a number in units of 2^-24, the smallest denormal: an integer for every half float.
 * Infinity becomes one binade above the largest, 2^40 units. */
static int64_t units(uint16_t x) {
    const int exponent = (x & INFINITE) >> 10, fraction = x & FRACTION;
    int64_t n;
    if (exponent == 31)
        n = INT64_C(1) << 40;
    else if (exponent == 0)
        n = fraction;
    else
        n = (int64_t)(1024 + fraction) << (exponent - 1);
    return (x & SIGN) ? -n : n;
}

static uint16_t without_denormals(uint16_t x) {
    return is_denormal(x) ? (uint16_t)(x & SIGN) : x;
}

/* [RDNA3] LT_NEG_ZERO: like a < b, but -0 < +0 too. */
static bool below(uint16_t a, uint16_t b) {
    if (is_zero(a) && is_zero(b)) return (a & SIGN) != 0 && (b & SIGN) == 0;
    return units(a) < units(b);
}

static uint16_t choose(uint16_t a, uint16_t b, const ref_mode *mode) {
    if (mode->ieee && is_signalling(a)) return a | QUIET;
    if (mode->ieee && is_signalling(b)) return b | QUIET;
    if (is_nan(a) && is_nan(b)) {
        switch (mode->two_nans) {
        case REF_SECOND:
            return b;
        case REF_FIRST:
            return a;
        case REF_FIRST_QUIET:
            return a | QUIET;
        }
    }
    if (is_nan(a)) return b;
    if (is_nan(b)) return a;
    return below(a, b) ? a : b;
}

uint16_t ref_min_f16(uint16_t a, uint16_t b, const ref_mode *mode, unsigned *flags) {
    if (flags) {
        if (is_signalling(a) || is_signalling(b)) *flags |= REF_INVALID;
        if (is_denormal(a) || is_denormal(b)) *flags |= REF_INPUT_DENORMAL;
    }
    if (mode->honours_denorm && !mode->keep_inputs) {
        a = without_denormals(a);
        b = without_denormals(b);
    }
    const uint16_t d = choose(a, b, mode);
    return mode->honours_denorm && !mode->keep_results ? without_denormals(d) : d;
}

/* ---- rows ---- */

/* A number for each half float that is no NaN, in the order of below(). */
static uint16_t rank_of(uint16_t x) {
    return x & SIGN ? (uint16_t)(INFINITE - (x & ~SIGN)) : (uint16_t)(INFINITE + 1 + x);
}

void ref_row_set(ref_row *row, const uint16_t *b, unsigned count, const ref_mode *mode) {
    row->count = count;
    for (unsigned i = 0; i < count; i++) {
        uint16_t v = mode->honours_denorm && !mode->keep_inputs ? without_denormals(b[i]) : b[i];
        row->value[i] = v;
        row->quiet[i] = v | QUIET;
        row->rank[i] = rank_of(v);
        row->nan[i] = is_nan(v) ? 0xffff : 0;
        row->signalling[i] = is_signalling(v) ? 0xffff : 0;
    }
}

static uint16_t pick(uint16_t mask, uint16_t yes, uint16_t no) {
    return (uint16_t)((yes & mask) | (no & (uint16_t)~mask));
}

/* As choose(), where a is no signalling NaN that decides alone. */
static void choose_row(const ref_row *row, uint16_t a, const ref_mode *mode, uint16_t *d) {
    const uint16_t rank = rank_of(a), ieee = mode->ieee ? 0xffff : 0;
    const uint16_t second = mode->two_nans == REF_SECOND ? 0xffff : 0,
                   first = mode->two_nans == REF_FIRST_QUIET ? a | QUIET : a;
    if (is_nan(a)) {
        for (unsigned i = 0; i < row->count; i++) {
            const uint16_t both = pick(second, row->value[i], first);
            d[i] = pick(row->signalling[i] & ieee, row->quiet[i], pick(row->nan[i], both, row->value[i]));
        }
        return;
    }
    for (unsigned i = 0; i < row->count; i++) {
        const uint16_t less = rank < row->rank[i] ? 0xffff : 0;
        const uint16_t number = pick(row->nan[i] | less, a, row->value[i]);
        d[i] = pick(row->signalling[i] & ieee, row->quiet[i], number);
    }
}

void ref_row_min(const ref_row *row, uint16_t a, const ref_mode *mode, uint16_t *d) {
    if (mode->honours_denorm && !mode->keep_inputs) a = without_denormals(a);
    if (mode->ieee && is_signalling(a)) {
        for (unsigned i = 0; i < row->count; i++)
            d[i] = a | QUIET;
    } else {
        choose_row(row, a, mode, d);
    }
    if (!mode->honours_denorm || mode->keep_results) return;
    for (unsigned i = 0; i < row->count; i++) {
        const uint16_t denormal = (d[i] & INFINITE) == 0 ? 0xffff : 0;
        d[i] = pick(denormal, d[i] & SIGN, d[i]);
    }
}

uint16_t ref_input_f16(uint16_t a, bool abs, bool neg) {
    if (abs) a &= (uint16_t)~SIGN;
    if (neg) a ^= SIGN;
    return a;
}

/* A zero or normal x times 2^shift, shift -1 to 2: rounded, then without denormals. */
static uint16_t scaled(uint16_t x, int shift) {
    const int exponent = (x & INFINITE) >> 10;
    if (exponent == 31 || exponent == 0) return x;
    if (exponent + shift >= 31) return (uint16_t)((x & SIGN) | INFINITE);
    if (exponent + shift >= 1) return (uint16_t)(x + shift * 0x400);
    return x & SIGN; /* below the smallest normal number, 2047 units halved too: docs/errata.md, "Denormal results" */
}

uint16_t ref_output_f16(uint16_t d, ref_omod omod, bool clamp, const ref_mode *mode) {
    if (omod != REF_NONE && !mode->ieee && !mode->keep_results && !is_nan(d)) {
        static const int shift[] = {[REF_TIMES_2] = 1, [REF_TIMES_4] = 2, [REF_HALF] = -1};
        d = scaled(without_denormals(d), shift[omod]);
        if (is_zero(d)) d = 0; /* -0 becomes +0 */
    }
    if (clamp) {
        if (is_nan(d)) return mode->dx10_clamp ? 0 : d;
        if (units(d) <= 0) return 0;
        if (units(d) >= INT64_C(1) << 24) return 0x3c00;
    }
    return d;
}
