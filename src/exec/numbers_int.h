/* SPDX-License-Identifier: Apache-2.0 */
/* Integer operations of the vector ALU that do not fit a line. */
#ifndef EZ_NUMBERS_INT_H
#define EZ_NUMBERS_INT_H

#include "numbers.h"

/* ---- saturation ---- */
EZ_INLINE i32 sat_i32(i64 x) { return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (i32)x; }
EZ_INLINE u32 sat_u32(i64 x) { return x < 0 ? 0 : x > UINT32_MAX ? UINT32_MAX : (u32)x; }
EZ_INLINE i16 sat_i16(i32 x) { return x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : x; }
EZ_INLINE u16 sat_u16(i32 x) { return x < 0 ? 0 : x > UINT16_MAX ? UINT16_MAX : (u32)x; }
EZ_INLINE u32 sat_u8(i32 x) { return x < 0 ? 0 : x > UINT8_MAX ? UINT8_MAX : (u32)x; }
EZ_INLINE u32 sat_i8(i32 x) { return (u32)(x > INT8_MAX ? INT8_MAX : x < INT8_MIN ? INT8_MIN : x) & 0xff; }

EZ_INLINE u64 u64_add_sat(u64 a, u64 b) { return a + b < a ? UINT64_MAX : a + b; }
EZ_INLINE i64 i64_sat_high(i64 high, u64 low) { /* of a 128-bit number */
    bool fits = high == ((i64)low >> 63);
    return fits ? (i64)low : high < 0 ? INT64_MIN : INT64_MAX;
}

/* ---- parts of registers ---- */
EZ_INLINE i32 sext24(u32 x) { return (i32)(x << 8) >> 8; }
EZ_INLINE u32 zext24(u32 x) { return x & 0xffffff; }
EZ_INLINE u32 byte_of(u32 x, unsigned n) { return x >> (8 * n) & 0xff; }
EZ_INLINE i32 sbyte_of(u32 x, unsigned n) { return (int8_t)(x >> (8 * n)); }
EZ_INLINE i32 snibble_of(u32 x, unsigned n) { return (i32)(x << (28 - 4 * n)) >> 28; }
EZ_INLINE u32 nibble_of(u32 x, unsigned n) { return x >> (4 * n) & 15; }

/* ---- counting ---- */
EZ_INLINE u32 bit_count(u32 x) {
    x -= x >> 1 & 0x55555555;
    x = (x & 0x33333333) + (x >> 2 & 0x33333333);
    x = (x + (x >> 4)) & 0x0f0f0f0f;
    return x * 0x01010101 >> 24;
}
EZ_INLINE i32 leading_zeros(u32 x) { return x ? __builtin_clz(x) : -1; }
EZ_INLINE i32 trailing_zeros(u32 x) { return x ? __builtin_ctz(x) : -1; }
EZ_INLINE i32 leading_signs(i32 x) { return leading_zeros((u32)(x ^ (x >> 31))); }
EZ_INLINE u32 bit_reverse(u32 x) {
    x = (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
    x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
    x = (x >> 4 & 0x0f0f0f0f) | (x & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(x);
}
/* lanes below i among the low 32, and among the high 32 */
EZ_INLINE u32 lanes_below_low(unsigned i) { return i < 32 ? (1u << (i & 31)) - 1 : ~0u; }
EZ_INLINE u32 lanes_below_high(unsigned i) { return i > 32 ? (1u << (i & 31)) - 1 : 0; }

/* ---- bit fields ---- */
/* The low half of a:b >> n, n up to 31. */
EZ_INLINE u32 align_bits(u32 a, u32 b, u32 n) { return b >> n | a << 1 << (31 - n); }
EZ_INLINE u32 bfe_u32(u32 x, u32 offset, u32 width) { return x >> (offset & 31) & ((1u << (width & 31)) - 1); }
EZ_INLINE i32 bfe_i32(i32 x, u32 offset, u32 width) {
    width &= 31;
    i32 field = x >> (offset & 31);
    u32 up = (32 - width) & 31;
    return width ? (i32)((u32)field << up) >> up : 0;
}

/* ---- shifts of c:b by n[5:0], dword by dword: vectors of 64 bits would cost more than twice as much ---- */
EZ_INLINE u32 below_32(u32 n) { return (n >> 5 & 1) - 1; } /* all bits or none: whether n[5] is 0 */
EZ_INLINE u32 shr_low(u32 b, u32 c, u32 from_32_on, u32 n) {
    return (align_bits(c, b, n & 31) & below_32(n)) | (from_32_on & ~below_32(n));
}
EZ_INLINE u32 shl_high(u32 b, u32 c, u32 n) {
    u32 less = c << (n & 31) | b >> 1 >> (31 - (n & 31));
    return (less & below_32(n)) | (b << (n & 31) & ~below_32(n));
}

/* ---- medians ---- */
EZ_INLINE i32 min_i32(i32 a, i32 b) { return a < b ? a : b; }
EZ_INLINE i32 max_i32(i32 a, i32 b) { return a > b ? a : b; }
EZ_INLINE u32 min_u32(u32 a, u32 b) { return a < b ? a : b; }
EZ_INLINE u32 max_u32(u32 a, u32 b) { return a > b ? a : b; }
EZ_INLINE i32 med3_i32(i32 a, i32 b, i32 c) { return max_i32(min_i32(a, b), min_i32(max_i32(a, b), c)); }
EZ_INLINE u32 med3_u32(u32 a, u32 b, u32 c) { return max_u32(min_u32(a, b), min_u32(max_u32(a, b), c)); }

/* ---- sums of absolute differences; masked ones leave out bytes where the reference b is 0 ---- */
EZ_INLINE u32 abs_diff(u32 a, u32 b) { return a > b ? a - b : b - a; }
EZ_INLINE u32 sad_u8(u32 a, u32 b, u32 c) {
    for (unsigned n = 0; n < 4; n++) c += abs_diff(byte_of(a, n), byte_of(b, n));
    return c;
}
EZ_INLINE u32 msad_u8(u32 a, u32 b, u32 c) {
    for (unsigned n = 0; n < 4; n++) c += byte_of(b, n) ? abs_diff(byte_of(a, n), byte_of(b, n)) : 0;
    return c;
}
EZ_INLINE u32 sad_u16(u32 a, u32 b) { return abs_diff(a & 0xffff, b & 0xffff) + abs_diff(a >> 16, b >> 16); }
/* Four of them; `wrap`: 0xffff, or ~0 where they saturate. */
EZ_INLINE u64 sad_part(u32 sum, u32 wrap, unsigned n) { return (u64)(wrap == ~0u ? sat_u16((i32)sum) : sum & wrap) << (16 * n); }
EZ_INLINE u64 qsad_pk_u16_u8(u64 a, u32 b, u64 c, u32 wrap) {
    u64 r = 0;
    for (unsigned n = 0; n < 4; n++) r |= sad_part(sad_u8((u32)(a >> (8 * n)), b, c >> (16 * n) & 0xffff), wrap, n);
    return r;
}
EZ_INLINE u64 mqsad_pk_u16_u8(u64 a, u32 b, u64 c, u32 wrap) {
    u64 r = 0;
    for (unsigned n = 0; n < 4; n++) r |= sad_part(msad_u8((u32)(a >> (8 * n)), b, c >> (16 * n) & 0xffff), wrap, n);
    return r;
}
EZ_INLINE u32 lerp_u8(u32 a, u32 b, u32 c) {
    u32 r = 0;
    for (unsigned n = 0; n < 4; n++)
        r |= ((byte_of(a, n) + byte_of(b, n) + (c >> (8 * n) & 1)) >> 1) << (8 * n);
    return r;
}

EZ_INLINE u32 sat_pk4_i4_i8(u32 a) {
    u32 r = 0;
    for (unsigned n = 0; n < 4; n++) {
        i32 x = sbyte_of(a, n);
        r |= ((u32)(x > 7 ? 7 : x < -8 ? -8 : x) & 15) << (4 * n);
    }
    return r;
}
EZ_INLINE u32 sat_pk4_u4_u8(u32 a) {
    u32 r = 0;
    for (unsigned n = 0; n < 4; n++) r |= (byte_of(a, n) > 15 ? 15 : byte_of(a, n)) << (4 * n);
    return r;
}

/* The next state of a shift register. [CDNA4] V_PRNG_B32 */
EZ_INLINE u32 ez_prng(u32 a) { return a << 1 ^ (a >> 31 ? 197 : 0); }

/* Byte selects: 0 to 7 a byte of a:b, b being the low dword; 8 to 11 the sign of byte 1, 3, 5, 7; 12 zero; else ff.
 * Source: [RDNA3] V_PERM_B32. */
EZ_INLINE u32 perm_b32(u32 a, u32 b, u32 c) {
    u64 in = (u64)a << 32 | b;
    u32 r = 0;
    for (unsigned n = 0; n < 4; n++) {
        u32 sel = byte_of(c, n), sign_at = 8 * (2 * (sel & 3) + 1) + 7;
        u32 byte = sel < 8 ? (u32)(in >> (8 * (sel & 7))) & 0xff : sel < 12 ? (in >> sign_at & 1 ? 0xff : 0) : sel == 12 ? 0 : 0xff;
        r |= byte << (8 * n);
    }
    return r;
}

/* A truth table of 8 entries applied bit by bit; a is bit 2 of the index, b bit 1, c bit 0. [CDNA4] V_BITOP3_B32 */
EZ_INLINE u32 bitop3(u32 a, u32 b, u32 c, u32 table) {
    u32 r = 0;
    for (unsigned n = 0; n < 8; n++)
        r |= (table >> n & 1 ? ~0u : 0) & (n & 4 ? a : ~a) & (n & 2 ? b : ~b) & (n & 1 ? c : ~c);
    return r;
}

/* ---- dot products of small integers; bits 0 and 1 of `is_signed` for a and b ---- */
EZ_INLINE i64 dot2_i16(u32 a, u32 b, i32 c) {
    return (i64)(int16_t)a * (int16_t)b + (i64)(int16_t)(a >> 16) * (int16_t)(b >> 16) + c;
}
EZ_INLINE u64 dot2_u16(u32 a, u32 b, u32 c) {
    return (u64)(a & 0xffff) * (b & 0xffff) + (u64)(a >> 16) * (b >> 16) + c;
}
EZ_INLINE i64 dot4(u32 a, u32 b, i32 c, u32 is_signed) {
    i32 sum = 0;
    for (unsigned n = 0; n < 4; n++)
        sum += (is_signed & 1 ? sbyte_of(a, n) : (i32)byte_of(a, n)) *
               (is_signed & 2 ? sbyte_of(b, n) : (i32)byte_of(b, n));
    return (i64)sum + c;
}
EZ_INLINE i64 dot4u(u32 a, u32 b, u32 c) { return dot4(a, b, 0, 0) + c; }
EZ_INLINE i64 dot8(u32 a, u32 b, i32 c, u32 is_signed) {
    i32 sum = 0;
    for (unsigned n = 0; n < 8; n++)
        sum += (is_signed & 1 ? snibble_of(a, n) : (i32)nibble_of(a, n)) *
               (is_signed & 2 ? snibble_of(b, n) : (i32)nibble_of(b, n));
    return (i64)sum + c;
}
EZ_INLINE i64 dot8u(u32 a, u32 b, u32 c) { return dot8(a, b, 0, 0) + c; }

/* The shader engines, of four, that a part of the screen touches: a table of nibbles, by the lowest byte. [Vega] */
EZ_INLINE u32 screen_partition_4se(u32 a) {
    static const uint64_t table[16] = {
        0xfffffff7fff5f731, 0xffffffbfffafe62f, 0xfffffdfff5ffc4fd, 0xffffefffafff8fb9,
        0xfffefff6fdc4ffff, 0xffdff99fb98fffff, 0xfbfff9ff31f7ffff, 0x7fff6ff62fe6ffff,
        0xfffafb32fffffffb, 0xff5fd91fffffff7f, 0xfaffc8fefffffeff, 0x5fff4f76ffffdfff,
        0xfec8fffffffdfff9, 0x764fffffffeff66f, 0x32fbfffff7fff6ff, 0x1fd9ffffbfff9ff9,
    };
    return (u32)(table[a >> 4 & 15] >> (4 * (a & 15)) & 15);
}

#endif
