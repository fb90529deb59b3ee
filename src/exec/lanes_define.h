/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes row functions of the lines of the .def files that are included behind this header. Each file
 * of semantics/ is compiled once for every SIMD level, EZ_LEVEL being its name.
 *
 *   INT_n(ID, D, S..., expression)             integers: never raises a flag
 *   DWORDS_2(ID, low, high)                    the dwords of a 64-bit result, of a dword a and a 64-bit number c:b
 *   SAT_n(ID, D, S..., expression, saturated)  the same, and what it is with the clamp bit
 *   FLOAT_n(ID, D, S..., expression)           floats: M hands mode and flags to the functions of numbers.h
 *   HOST_n(ID, F, expression)                  the same, all of one type; the host's operation gives the result but for
 *                                              denormals and NaNs, and of a NaN it makes a NaN
 *   PICK_n(ID, F, expression)                  the same, where no source may be a NaN
 *   CMP_n, FCMP_n(ID, S..., expression)        the result is a lane mask
 *   CARRY_n(ID, D, S..., expression, saturated, mask)  a second result: a lane mask, of r too
 *   PACKED_n(ID, H, expression)                for the low and for the high halves, of type H, of packed operands
 *   PAIR_n(ID, expression)                     the same for pairs of floats
 *   PAIR_INT_2(ID, expression)                 a pair of dwords from two, whose dwords op_sel and op_sel_hi have chosen
 *   MIX_3, MIXHI_3                             sources are floats or halves; MIXHI writes the high half
 *   DOT_3, FDOT_3                              packed sources, one result
 *   FMAS_4(ID, F)                              DIV_FMAS of type F: a multiply-add where no lane has its result scaled
 *   APPROX_1(ID, D, S, ULP, expression)        hardware differs from this by up to ULP units in the last place
 *
 * In an expression a, b, c and e are the sources of one lane, r the result, i the lane's number.
 */
#ifndef EZ_LANES_DEFINE_H
#define EZ_LANES_DEFINE_H

#include "rows.h"
#include "numbers_float.h"
#include "numbers_int.h"

#define EZ_JOIN_(a, b, c) a##b##_##c
#define EZ_JOIN(a, b, c) EZ_JOIN_(a, b, c)
#define EZ_ROW(ID) EZ_JOIN(ez_row_, ID, EZ_LEVEL)
/* the variants that keep flags or saturate are rare: all levels share those of the base level */
#define EZ_FLAGGED(ID) EZ_JOIN(ez_flagged_, ID, base)
#define EZ_SATURATED(ID) EZ_JOIN(ez_saturated_, ID, base)

#if defined(__clang__)
#define EZ_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define EZ_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Rows overlap completely or not at all, so that the lanes are independent whatever registers are
 * used twice. The inner loop, over lanes first + k, has a constant number of turns, which saves the compiler all
 * remainders; its counters are size_t, for gcc makes no vectors of a loop whose unsigned counter might wrap. */
#define EZ_EACH_LANE                                       \
    for (size_t first = 0; first < l.lanes; first += 32)   \
        EZ_INDEPENDENT for (size_t k = 0; k < 32; k++)

#define EZ_GET32(T) \
    EZ_INLINE T get_##T(const uint32_t *s, size_t i, unsigned n) { (void)n; return (T)s[i]; }
#define EZ_GET16(T, C) \
    EZ_INLINE T get_##T(const uint32_t *s, size_t i, unsigned n) { (void)n; return (T)(C)s[i]; }
#define EZ_GET64(T) \
    EZ_INLINE T get_##T(const uint32_t *s, size_t i, unsigned n) { return (T)(s[i] | (uint64_t)s[i + n] << 32); }
EZ_GET32(b8) EZ_GET32(b32) EZ_GET32(u32) EZ_GET32(i32) EZ_GET32(f32) EZ_GET32(lanemask)
EZ_GET32(pk_b16) EZ_GET32(pk_i16) EZ_GET32(pk_u16) EZ_GET32(pk_f16) EZ_GET32(pk_bf16) EZ_GET32(pk_i8) EZ_GET32(pk_u8)
EZ_GET16(b16, uint16_t) EZ_GET16(u16, uint16_t) EZ_GET16(i16, int16_t) EZ_GET16(f16, uint16_t) EZ_GET16(bf16, uint16_t)
EZ_GET64(b64) EZ_GET64(u64) EZ_GET64(i64) EZ_GET64(f64) EZ_GET64(pk_f32) EZ_GET64(pk_b32)

#define EZ_PUT32(T)                                                                     \
    EZ_INLINE void put_##T(const ez_lanes *l, size_t i, T r) {                        \
        uint32_t e = l->full ? ~0u : l->exec[i];                                                        \
        l->d[0][i] = (l->d[0][i] & ~e) | ((uint32_t)r & e);                             \
    }
#define EZ_PUT16(T)                                                                     \
    EZ_INLINE void put_##T(const ez_lanes *l, size_t i, T r) {                        \
        uint32_t e = (l->full ? ~0u : l->exec[i]) & l->keep16;                                           \
        l->d[0][i] = (l->d[0][i] & ~e) | ((((uint32_t)r & 0xffff) << l->shift16) & e);  \
    }
#define EZ_PUT64(T)                                                                     \
    EZ_INLINE void put_##T(const ez_lanes *l, size_t i, T r) {                        \
        uint32_t e = l->full ? ~0u : l->exec[i], *lo = l->d[0], *hi = lo + l->lanes;                    \
        lo[i] = (lo[i] & ~e) | ((uint32_t)r & e);                                       \
        hi[i] = (hi[i] & ~e) | ((uint32_t)((uint64_t)r >> 32) & e);                     \
    }
EZ_INLINE void put_dwords(const ez_lanes *l, size_t i, uint32_t low, uint32_t high) {
    uint32_t e = l->full ? ~0u : l->exec[i], *lo = l->d[0], *hi = lo + l->lanes;
    lo[i] = (lo[i] & ~e) | (low & e);
    hi[i] = (hi[i] & ~e) | (high & e);
}
EZ_PUT32(b32) EZ_PUT32(u32) EZ_PUT32(i32) EZ_PUT32(f32)
EZ_PUT32(pk_b16) EZ_PUT32(pk_i16) EZ_PUT32(pk_u16) EZ_PUT32(pk_f16) EZ_PUT32(pk_bf16) EZ_PUT32(pk_i8) EZ_PUT32(pk_u8)
EZ_PUT16(b16) EZ_PUT16(u16) EZ_PUT16(i16) EZ_PUT16(f16) EZ_PUT16(bf16)
EZ_PUT64(b64) EZ_PUT64(u64) EZ_PUT64(i64) EZ_PUT64(f64) EZ_PUT64(pk_f32) EZ_PUT64(pk_b32)

/* Lane masks: lanes that are not active get 0. */
EZ_INLINE void put_mask(const ez_lanes *l, size_t i, bool r) {
    l->d[0][i] = r ? l->full ? ~0u : l->exec[i] : 0;
}
EZ_INLINE void put_mask1(const ez_lanes *l, size_t i, bool r) {
    l->d[1][i] = r ? l->full ? ~0u : l->exec[i] : 0;
}

#define M md, fl

#define EZ_S0 (void)0;
#define EZ_S1(A) const A a = get_##A(l.s[0], i, l.lanes); (void)a;
#define EZ_S2(A, B) EZ_S1(A) const B b = get_##B(l.s[1], i, l.lanes); (void)b;
#define EZ_S3(A, B, C) EZ_S2(A, B) const C c = get_##C(l.s[2], i, l.lanes);
#define EZ_S4(A, B, C, E) EZ_S3(A, B, C) const E e = get_##E(l.s[3], i, l.lanes);

/* The operands, with what may be known as a constant. */
EZ_INLINE ez_lanes ez_lanes_as(const ez_lanes *x, unsigned lanes, bool full) {
    ez_lanes l = *x;
    l.lanes = lanes;
    l.full = full;
    return l;
}

/* The loop: KEEP is a constant, so that without it no flag is ever computed; so is FULL. */
#define EZ_LOOP(KEEP, FULL, GET, ...)                           \
    {                                                           \
        const ez_lanes l = ez_lanes_as(x, x->lanes, FULL);      \
        const ez_fpmode mode = *x->md, *const md = &mode;       \
        (void)md;                                               \
        EZ_EACH_LANE {                                          \
            const size_t i = first + k;                         \
            uint32_t lane_flags = 0, *const fl = (KEEP) ? &lane_flags : NULL; \
            (void)fl;                                           \
            GET __VA_ARGS__                                     \
            if (KEEP) raised |= lane_flags & l.exec[i];         \
        }                                                       \
    }

/* A function for each level has a loop for full EXEC, which neither reads old results nor EXEC. */
#define EZ_FN(NAME, KEEP, GET, ...)                             \
    uint32_t NAME(const ez_lanes *x);                           \
    uint32_t NAME(const ez_lanes *x) {                          \
        uint32_t raised = 0;                                    \
        if (EZ_LEVEL_SPLITS && !(KEEP) && x->full) EZ_LOOP(KEEP, true, GET, __VA_ARGS__) \
        else EZ_LOOP(KEEP, false, GET, __VA_ARGS__)             \
        return raised;                                          \
    }
#ifdef EZ_BASE_LEVEL
#define EZ_LEVEL_SPLITS false
#define EZ_RARE(NAME, KEEP, GET, ...) EZ_FN(NAME, KEEP, GET, __VA_ARGS__)
#else
#define EZ_LEVEL_SPLITS true
#define EZ_RARE(NAME, KEEP, GET, ...)
#endif
#define EZ_PLAIN(ID, D, GET, EXPR) EZ_FN(EZ_ROW(ID), 0, GET, const D r = (D)(EXPR); put_##D(&l, i, r);)
#define EZ_BOTH(ID, D, GET, EXPR) \
    EZ_PLAIN(ID, D, GET, EXPR)    \
    EZ_RARE_FLAGS(ID, D, GET, EXPR)
#define EZ_CLAMPED(ID, D, GET, EXPR) EZ_RARE(EZ_SATURATED(ID), 0, GET, const D r = (D)(EXPR); put_##D(&l, i, r);)

/*
 * NaNs are rare, and denormals are mostly kept or flushed on both sides. So the results are computed first by the same
 * expression with a constant mode, in which md->no_nans leaves NaNs out; only where one turns up, by NAN, in a lane that is active,
 * and in other modes they are computed in full.
 */
#define EZ_GENERAL(ID) EZ_JOIN(ez_general_, ID, EZ_LEVEL)
#define EZ_TRY(D, LANES, FULL, MODE, GET, NAN, EXPR)                                                    \
    {                                                                                                   \
        const ez_lanes l = ez_lanes_as(x, LANES, FULL);                                                 \
        const ez_fpmode mode = EZ_MODE_##MODE, *const md = &mode;                                       \
        D result[LANES];                                                                                \
        uint32_t nans = 0, *const fl = NULL;                                                            \
        (void)md, (void)fl;                                                                             \
        EZ_INDEPENDENT for (size_t i = 0; i < (LANES); i++) {                                           \
            GET const D r = (D)(EXPR);                                                                  \
            result[i] = r;                                                                              \
            nans |= (NAN) ? (FULL) ? ~0u : l.exec[i] : 0;                                               \
        }                                                                                               \
        if (!nans) {                                                                                    \
            EZ_INDEPENDENT for (size_t i = 0; i < (LANES); i++) put_##D(&l, i, result[i]);              \
            return 0;                                                                                   \
        }                                                                                               \
    }
#define EZ_TRY_WAVE(D, FULL, MODE, GET, NAN, EXPR)                                                      \
    if (x->lanes == 64) EZ_TRY(D, 64, FULL, MODE, GET, NAN, EXPR)                                       \
    else EZ_TRY(D, 32, FULL, MODE, GET, NAN, EXPR)
#define EZ_QUICK(ID, KIND, D, GET, NAN, EXPR)                                                           \
    static uint32_t EZ_GENERAL(ID)(const ez_lanes *x) {                                                 \
        uint32_t raised = 0;                                                                            \
        EZ_LOOP(0, false, GET, const D r = (D)(EXPR); put_##D(&l, i, r);)                               \
        return raised;                                                                                  \
    }                                                                                                   \
    uint32_t EZ_ROW(ID)(const ez_lanes *x);                                                             \
    uint32_t EZ_ROW(ID)(const ez_lanes *x) {                                                            \
        if (EZ_KEEPS_##KIND(x->md)) {                                                                   \
            if (EZ_LEVEL_SPLITS && x->full) { EZ_TRY_WAVE(D, true, KEEPS, GET, NAN, EXPR) }             \
            else { EZ_TRY_WAVE(D, false, KEEPS, GET, NAN, EXPR) }                                       \
        } else if (EZ_FLUSHES_##KIND(x->md)) {                                                          \
            if (EZ_LEVEL_SPLITS && x->full) { EZ_TRY_WAVE(D, true, FLUSHES, GET, NAN, EXPR) }           \
        }                                                                                               \
        return EZ_GENERAL(ID)(x);                                                                       \
    }
#define EZ_MODE_KEEPS {.no_nans = ~0u}
#define EZ_MODE_FLUSHES {.no_nans = ~0u, .flush_in32 = ~0u, .flush_out32 = ~0u}
#define EZ_KEEPS_f32(md) (!((md)->flush_in32 | (md)->flush_out32))
#define EZ_KEEPS_f64(md) (!((md)->flush_in16 | (md)->flush_out16))
#define EZ_KEEPS_pick_f32(md) (!((md)->minmax_in32 | (md)->minmax_out32))
#define EZ_KEEPS_pick_f64(md) (!((md)->minmax_in16 | (md)->minmax_out16))
#define EZ_FLUSHES_f32(md) ((md)->flush_in32 & (md)->flush_out32)
#define EZ_FLUSHES_f64(md) false
#define EZ_FLUSHES_pick_f32(md) false
#define EZ_FLUSHES_pick_f64(md) false
#define EZ_NAN(F, x) (F##_host(x) != F##_host(x))
#define EZ_RARE_FLAGS(ID, D, GET, EXPR) EZ_RARE(EZ_FLAGGED(ID), 1, GET, const D r = (D)(EXPR); put_##D(&l, i, r);)
#define EZ_HOST(ID, F, GET, EXPR) EZ_QUICK(ID, F, F, GET, EZ_NAN(F, r), EXPR) EZ_RARE_FLAGS(ID, F, GET, EXPR)
#define HOST_1(ID, F, EXPR) EZ_HOST(ID, F, EZ_S1(F), EXPR)
#define HOST_2(ID, F, EXPR) EZ_HOST(ID, F, EZ_S2(F, F), EXPR)
#define HOST_3(ID, F, EXPR) EZ_HOST(ID, F, EZ_S3(F, F, F), EXPR)
#define PICK_2(ID, F, EXPR) \
    EZ_QUICK(ID, pick_##F, F, EZ_S2(F, F), EZ_NAN(F, a) | EZ_NAN(F, b), EXPR) EZ_RARE_FLAGS(ID, F, EZ_S2(F, F), EXPR)
#define PICK_3(ID, F, EXPR)                                                                             \
    EZ_QUICK(ID, pick_##F, F, EZ_S3(F, F, F), EZ_NAN(F, a) | EZ_NAN(F, b) | EZ_NAN(F, c), EXPR)                \
    EZ_RARE_FLAGS(ID, F, EZ_S3(F, F, F), EXPR)

#define INT_1(ID, D, A, EXPR) EZ_PLAIN(ID, D, EZ_S1(A), EXPR)
#define INT_2(ID, D, A, B, EXPR) EZ_PLAIN(ID, D, EZ_S2(A, B), EXPR)
#define INT_3(ID, D, A, B, C, EXPR) EZ_PLAIN(ID, D, EZ_S3(A, B, C), EXPR)
#define DWORDS_2(ID, LOW, HIGH)                                                                         \
    EZ_FN(EZ_ROW(ID), 0, const u32 a = l.s[0][i]; const u32 b = l.s[1][i]; const u32 c = l.s[1][i + l.lanes]; , \
          put_dwords(&l, i, LOW, HIGH);)
#define SAT_1(ID, D, A, EXPR, SAT) INT_1(ID, D, A, EXPR) EZ_CLAMPED(ID, D, EZ_S1(A), SAT)
#define SAT_2(ID, D, A, B, EXPR, SAT) INT_2(ID, D, A, B, EXPR) EZ_CLAMPED(ID, D, EZ_S2(A, B), SAT)
#define SAT_3(ID, D, A, B, C, EXPR, SAT) INT_3(ID, D, A, B, C, EXPR) EZ_CLAMPED(ID, D, EZ_S3(A, B, C), SAT)
#define FLOAT_1(ID, D, A, EXPR) EZ_BOTH(ID, D, EZ_S1(A), EXPR)
#define FLOAT_2(ID, D, A, B, EXPR) EZ_BOTH(ID, D, EZ_S2(A, B), EXPR)
#define FLOAT_3(ID, D, A, B, C, EXPR) EZ_BOTH(ID, D, EZ_S3(A, B, C), EXPR)
#define FLOAT_4(ID, D, A, B, C, E, EXPR) EZ_BOTH(ID, D, EZ_S4(A, B, C, E), EXPR)
#define EZ_SCALED(ID) EZ_JOIN(ez_scaled_, ID, base)
#define EZ_UNSCALED(ID) EZ_JOIN(ez_unscaled_, ID, EZ_LEVEL)
#define FMAS_4(ID, F)                                                                                   \
    EZ_FN(EZ_UNSCALED(ID), 0, EZ_S3(F, F, F), put_##F(&l, i, F##_fma(a, b, c, M));)                     \
    EZ_RARE(EZ_SCALED(ID), 0, EZ_S4(F, F, F, lanemask), put_##F(&l, i, F##_div_fmas(a, b, c, e, M));)   \
    EZ_RARE(EZ_FLAGGED(ID), 1, EZ_S4(F, F, F, lanemask), put_##F(&l, i, F##_div_fmas(a, b, c, e, M));)  \
    uint32_t EZ_SCALED(ID)(const ez_lanes *x);                                                          \
    uint32_t EZ_ROW(ID)(const ez_lanes *x);                                                             \
    uint32_t EZ_ROW(ID)(const ez_lanes *x) {                                                            \
        uint32_t any = 0;                                                                               \
        for (unsigned i = 0; i < x->lanes; i++) any |= x->s[3][i] & x->exec[i];                         \
        return any ? EZ_SCALED(ID)(x) : EZ_UNSCALED(ID)(x);                                             \
    }
#define INT_4(ID, D, A, B, C, E, EXPR) EZ_PLAIN(ID, D, EZ_S4(A, B, C, E), EXPR)
#define SAT_4(ID, D, A, B, C, E, EXPR, SAT) INT_4(ID, D, A, B, C, E, EXPR) EZ_CLAMPED(ID, D, EZ_S4(A, B, C, E), SAT)
#define DOT_3(ID, D, A, B, C, EXPR, SAT) SAT_3(ID, D, A, B, C, EXPR, SAT)
#define FDOT_3(ID, D, A, B, C, EXPR) FLOAT_3(ID, D, A, B, C, EXPR)
#define APPROX_1(ID, D, A, ULP, EXPR) FLOAT_1(ID, D, A, EXPR)
#define MIX_BF16_3(ID, D, A, B, C, EXPR) FLOAT_3(ID, D, A, B, C, EXPR)
#define MIXHI_BF16_3(ID, D, A, B, C, EXPR) FLOAT_3(ID, D, A, B, C, EXPR)
#define MIXHI_3(ID, D, A, B, C, EXPR) FLOAT_3(ID, D, A, B, C, EXPR)
#define MIX_3(ID, D, A, B, C, EXPR) FLOAT_3(ID, D, A, B, C, EXPR)

#define CMP_2(ID, A, B, EXPR) EZ_FN(EZ_ROW(ID), 0, EZ_S2(A, B), put_mask(&l, i, EXPR);)
#define FCMP_2(ID, A, B, EXPR) CMP_2(ID, A, B, EXPR) EZ_RARE(EZ_FLAGGED(ID), 1, EZ_S2(A, B), put_mask(&l, i, EXPR);)

#define EZ_CARRY(FN, NAME, D, GET, EXPR, MASK) \
    FN(NAME, 0, GET, const D r = (D)(EXPR); const bool m = (MASK); put_##D(&l, i, r); put_mask1(&l, i, m);)
#define CARRY_2(ID, D, A, B, EXPR, SAT, MASK)                 \
    EZ_CARRY(EZ_FN, EZ_ROW(ID), D, EZ_S2(A, B), EXPR, MASK)          \
    EZ_CARRY(EZ_RARE, EZ_SATURATED(ID), D, EZ_S2(A, B), SAT, MASK)
#define CARRY_3(ID, D, A, B, C, EXPR, SAT, MASK)              \
    EZ_CARRY(EZ_FN, EZ_ROW(ID), D, EZ_S3(A, B, C), EXPR, MASK)       \
    EZ_CARRY(EZ_RARE, EZ_SATURATED(ID), D, EZ_S3(A, B, C), SAT, MASK)
#define FCARRY_3(ID, D, A, B, C, EXPR, MASK) EZ_CARRY(EZ_FN, EZ_ROW(ID), D, EZ_S3(A, B, C), EXPR, MASK)

/* Packed: the same expression on the low and on the high halves. H is the type of a half. */
EZ_INLINE u16 half_u16(uint32_t x, unsigned h) { return x >> h & 0xffff; }
EZ_INLINE b16 half_b16(uint32_t x, unsigned h) { return x >> h & 0xffff; }
EZ_INLINE f16 half_f16(uint32_t x, unsigned h) { return x >> h & 0xffff; }
EZ_INLINE bf16 half_bf16(uint32_t x, unsigned h) { return x >> h & 0xffff; }
EZ_INLINE i16 half_i16(uint32_t x, unsigned h) { return (int16_t)(x >> h); }
#define EZ_H1(H, N) const H a = half_##H(l.s[0][i], N);
#define EZ_H2(H, N) EZ_H1(H, N) const H b = half_##H(l.s[1][i], N);
#define EZ_H3(H, N) EZ_H2(H, N) const H c = half_##H(l.s[2][i], N);
#define EZ_PACK(FN, NAME, KEEP, H, GET, EXPR)                          \
    FN(NAME, KEEP, EZ_S0,                                         \
          uint32_t low, high;                                        \
          { GET(H, 0) low = (uint32_t)(EXPR) & 0xffff; }             \
          { GET(H, 16) high = (uint32_t)(EXPR) & 0xffff; }           \
          put_b32(&l, i, low | high << 16);)
#define PACKED_2(ID, H, EXPR) EZ_PACK(EZ_FN, EZ_ROW(ID), 0, H, EZ_H2, EXPR)
#define PACKED_3(ID, H, EXPR) EZ_PACK(EZ_FN, EZ_ROW(ID), 0, H, EZ_H3, EXPR)
#define PACKED_SAT_2(ID, H, EXPR, SAT) PACKED_2(ID, H, EXPR) EZ_PACK(EZ_RARE, EZ_SATURATED(ID), 0, H, EZ_H2, SAT)
#define PACKED_SAT_3(ID, H, EXPR, SAT) PACKED_3(ID, H, EXPR) EZ_PACK(EZ_RARE, EZ_SATURATED(ID), 0, H, EZ_H3, SAT)
#define PACKED_FLOAT_2(ID, H, EXPR) PACKED_2(ID, H, EXPR) EZ_PACK(EZ_RARE, EZ_FLAGGED(ID), 1, H, EZ_H2, EXPR)
#define PACKED_FLOAT_3(ID, H, EXPR) PACKED_3(ID, H, EXPR) EZ_PACK(EZ_RARE, EZ_FLAGGED(ID), 1, H, EZ_H3, EXPR)

/* Pairs of floats: two rows each. */
#define EZ_F1(N) const f32 a = l.s[0][i + (N) * l.lanes];
#define EZ_F2(N) EZ_F1(N) const f32 b = l.s[1][i + (N) * l.lanes];
#define EZ_F3(N) EZ_F2(N) const f32 c = l.s[2][i + (N) * l.lanes];
#define EZ_BOTH_OF_PAIR(GET, EXPR)                                   \
    f32 low;                                                         \
    f32 high;                                                        \
    { GET(0) low = (EXPR); }                                         \
    { GET(1) high = (EXPR); }
#define EZ_PAIR(ID, GET, EXPR)                                                                                           \
    EZ_QUICK(ID, f32, pk_f32, EZ_BOTH_OF_PAIR(GET, EXPR), EZ_NAN(f32, low) | EZ_NAN(f32, high), low | (uint64_t)high << 32) \
    EZ_RARE(EZ_FLAGGED(ID), 1, EZ_BOTH_OF_PAIR(GET, EXPR), put_pk_f32(&l, i, low | (uint64_t)high << 32);)
#define PAIR_INT_2(ID, EXPR) INT_2(ID, pk_b32, pk_b32, pk_b32, EXPR)
#define PAIR_2(ID, EXPR) EZ_PAIR(ID, EZ_F2, EXPR)
#define PAIR_3(ID, EXPR) EZ_PAIR(ID, EZ_F3, EXPR)

#endif
