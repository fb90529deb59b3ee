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
 *   MIX_MAD_3, MIXHI_MAD_3                     the same, calculated in floats, whose rounding mode counts
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
#include "rare.h"

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
#define EZ_EACH_LANE                                           \
    for (size_t first = 0; first < l.scope.lanes; first += 32) \
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

/* ~0 where a lane is written. */
EZ_INLINE uint32_t written(const ez_lanes *l, size_t i) { return l->scope.full ? ~0u : l->scope.exec[i]; }
#define EZ_PUT32(T)                                                                     \
    EZ_INLINE void put_##T(const ez_lanes *l, size_t i, T r) {                          \
        uint32_t e = written(l, i);                                                     \
        l->d[0][i] = (l->d[0][i] & ~e) | ((uint32_t)r & e);                             \
    }
#define EZ_PUT16(T)                                                                                                        \
    EZ_INLINE void put_##T(const ez_lanes *l, size_t i, T r) {                                                             \
        uint32_t e = written(l, i) & l->keep16;                                                                            \
        l->d[0][i] = (l->d[0][i] & ~e) | ((((uint32_t)r & 0xffff) << (~l->keep16 & 16)) & e); /* by 16 to the high half */ \
    }
#define EZ_PUT64(T)                                                                     \
    EZ_INLINE void put_##T(const ez_lanes *l, size_t i, T r) {                          \
        uint32_t e = written(l, i), *lo = l->d[0], *hi = lo + l->scope.lanes;           \
        lo[i] = (lo[i] & ~e) | ((uint32_t)r & e);                                       \
        hi[i] = (hi[i] & ~e) | ((uint32_t)((uint64_t)r >> 32) & e);                     \
    }
EZ_INLINE void put_dwords(const ez_lanes *l, size_t i, uint32_t low, uint32_t high) {
    uint32_t e = written(l, i), *lo = l->d[0], *hi = lo + l->scope.lanes;
    lo[i] = (lo[i] & ~e) | (low & e);
    hi[i] = (hi[i] & ~e) | (high & e);
}
EZ_PUT32(b32) EZ_PUT32(u32) EZ_PUT32(i32) EZ_PUT32(f32)
EZ_PUT32(pk_b16) EZ_PUT32(pk_i16) EZ_PUT32(pk_u16) EZ_PUT32(pk_f16) EZ_PUT32(pk_bf16) EZ_PUT32(pk_i8) EZ_PUT32(pk_u8)
EZ_PUT16(b16) EZ_PUT16(u16) EZ_PUT16(i16) EZ_PUT16(f16) EZ_PUT16(bf16)
EZ_PUT64(b64) EZ_PUT64(u64) EZ_PUT64(i64) EZ_PUT64(f64) EZ_PUT64(pk_f32) EZ_PUT64(pk_b32)

/* Lane masks: lanes that are not active get 0. */
EZ_INLINE void put_mask(const ez_lanes *l, size_t i, bool r) {
    l->d[0][i] = r ? written(l, i) : 0;
}
EZ_INLINE void put_mask1(const ez_lanes *l, size_t i, bool r) {
    l->d[1][i] = r ? written(l, i) : 0;
}

#define M md, fl

#define EZ_S0 (void)0;
#define EZ_S1(A) const A a = get_##A(l.s[0], i, l.scope.lanes); (void)a;
#define EZ_S2(A, B) EZ_S1(A) const B b = get_##B(l.s[1], i, l.scope.lanes); (void)b;
#define EZ_S3(A, B, C) EZ_S2(A, B) const C c = get_##C(l.s[2], i, l.scope.lanes);
#define EZ_S4(A, B, C, E) EZ_S3(A, B, C) const E e = get_##E(l.s[3], i, l.scope.lanes);

/* The operands, with what may be known as a constant. */
EZ_INLINE ez_lanes ez_lanes_as(const ez_lanes *x, unsigned lanes, bool full) {
    ez_lanes l = *x;
    l.scope.lanes = lanes;
    l.scope.full = full;
    return l;
}

/* The loop: KEEP is a constant, so that without it no flag is ever computed; so is FULL. */
#define EZ_LOOP(KEEP, FULL, GET, ...)                                         \
    {                                                                         \
        const ez_lanes l = ez_lanes_as(x, x->scope.lanes, FULL);              \
        const ez_fpmode mode = *x->scope.md, *const md = &mode;               \
        (void)md;                                                             \
        EZ_EACH_LANE {                                                        \
            const size_t i = first + k;                                       \
            uint32_t lane_flags = 0, *const fl = (KEEP) ? &lane_flags : NULL; \
            (void)fl;                                                         \
            GET __VA_ARGS__                                                   \
            if (KEEP) raised |= lane_flags & l.scope.exec[i];                 \
        }                                                                     \
    }

/* A function for each level has a loop for full EXEC, which neither reads old results nor EXEC. */
#define EZ_FN(NAME, KEEP, GET, ...)                                                            \
    uint32_t NAME(const ez_lanes *x);                                                          \
    uint32_t NAME(const ez_lanes *x) {                                                         \
        uint32_t raised = 0;                                                                   \
        if (EZ_LEVEL_SPLITS && !(KEEP) && x->scope.full) EZ_LOOP(KEEP, true, GET, __VA_ARGS__) \
        else EZ_LOOP(KEEP, false, GET, __VA_ARGS__)                                            \
        return raised;                                                                         \
    }
#ifdef EZ_BASE_LEVEL
#define EZ_LEVEL_SPLITS false
#define EZ_RARE(NAME, KEEP, GET, ...) EZ_FN(NAME, KEEP, GET, __VA_ARGS__)
#else
#define EZ_LEVEL_SPLITS true
#define EZ_RARE(NAME, KEEP, GET, ...)
#endif
#define EZ_PLAIN(ID, D, GET, EXPR) EZ_FN(EZ_ROW(ID), 0, GET, const D r = (D)(EXPR); put_##D(&l, i, r);)
#define EZ_RARE_FLAGS(ID, D, GET, EXPR) EZ_RARE(EZ_FLAGGED(ID), 1, GET, const D r = (D)(EXPR); put_##D(&l, i, r);)
#define EZ_BOTH(ID, D, GET, EXPR) \
    EZ_PLAIN(ID, D, GET, EXPR)    \
    EZ_RARE_FLAGS(ID, D, GET, EXPR)
#define EZ_CLAMPED(ID, D, GET, EXPR) EZ_RARE(EZ_SATURATED(ID), 0, GET, const D r = (D)(EXPR); put_##D(&l, i, r);)

/*
 * NaNs are rare, and so are denormals where MODE flushes them. So the results are computed first as if there were none, in a constant
 * mode, in which md->no_nans leaves NaNs out; where an active lane has one they are computed in full, by the same expression.
 * Nothing is written before that is known, for a result may have the place of a source. A pair of floats is two rows one behind the
 * other: as good as one of twice as many lanes.
 */
#define EZ_GENERAL(ID) EZ_JOIN(ez_general_, ID, EZ_LEVEL)
#define EZ_FLUSHED(ID) EZ_JOIN(ez_flushed_, ID, EZ_LEVEL)
#define EZ_PARTIAL(ID) EZ_JOIN(ez_partial_, ID, EZ_LEVEL)
#define EZ_TRY(ID, KIND, F, COUNT, ROWS, LANES, FULL, FLUSHES, GET, EXPR)                                    \
    {                                                                                                        \
        const ez_lanes l = ez_lanes_as(x, LANES, FULL);                                                      \
        const ez_fpmode mode = {.no_nans = ~0u}, *const md = &mode;                                          \
        F result[(ROWS) * (LANES)];                                                                          \
        uint32_t *const fl = NULL;                                                                           \
        ez_rare rare = EZ_RARE_NONE;                                                                         \
        (void)md, (void)fl;                                                                                  \
        /* no loop: the sources' addresses shall be loaded one by one, as the driver has just stored them */ \
        ez_rare_source_##KIND##_##F(&rare, &l, l.s[0], FLUSHES, ROWS);                                       \
        if ((COUNT) > 1) ez_rare_source_##KIND##_##F(&rare, &l, l.s[1], FLUSHES, ROWS);                      \
        if ((COUNT) > 2) ez_rare_source_##KIND##_##F(&rare, &l, l.s[2], FLUSHES, ROWS);                      \
        ez_rare_loads_again();                                                                               \
        EZ_INDEPENDENT for (size_t i = 0; i < (ROWS) * (LANES); i++) {                                       \
            GET result[i] = (EXPR);                                                                          \
        }                                                                                                    \
        ez_rare_result_##KIND##_##F(&rare, &l, result, FLUSHES, ROWS);                                       \
        if (ez_rare_found(&rare, FLUSHES)) return EZ_GENERAL(ID)(x);                                         \
        for (size_t row = 0; row < (ROWS); row++) {                                                          \
            ez_lanes to = l;                                                                                 \
            to.d[0] += row * (LANES);                                                                        \
            EZ_INDEPENDENT for (size_t i = 0; i < (LANES); i++) put_##F(&to, i, result[row * (LANES) + i]);  \
        }                                                                                                    \
        return 0;                                                                                            \
    }
#define EZ_TRY_WAVE(ID, KIND, F, COUNT, ROWS, FULL, FLUSHES, GET, EXPR)                                 \
    if (x->scope.lanes == 64) EZ_TRY(ID, KIND, F, COUNT, ROWS, 64, FULL, FLUSHES, GET, EXPR)            \
    else EZ_TRY(ID, KIND, F, COUNT, ROWS, 32, FULL, FLUSHES, GET, EXPR)
/* Functions of their own, so that each has the registers for itself. */
#define EZ_QUICK(ID, KIND, F, COUNT, ROWS, GET, EXPR, D, GET_GENERAL, EXPR_GENERAL)                     \
    static __attribute__((noinline, cold)) uint32_t EZ_GENERAL(ID)(const ez_lanes *x) {                 \
        uint32_t raised = 0;                                                                            \
        if (x->scope.md->host_flushes) return ez_without_host(EZ_GENERAL(ID), x);                       \
        EZ_LOOP(0, false, GET_GENERAL, const D r = (D)(EXPR_GENERAL); put_##D(&l, i, r);)               \
        return raised;                                                                                  \
    }                                                                                                   \
    static __attribute__((noinline)) uint32_t EZ_PARTIAL(ID)(const ez_lanes *x) {                       \
        const bool flushes = EZ_FLUSHES_##KIND##_##F(x->scope.md);                                      \
        EZ_TRY_WAVE(ID, KIND, F, COUNT, ROWS, false, flushes, GET, EXPR)                                \
    }                                                                                                   \
    static __attribute__((noinline)) uint32_t EZ_FLUSHED(ID)(const ez_lanes *x) {                       \
        EZ_TRY_WAVE(ID, KIND, F, COUNT, ROWS, true, true, GET, EXPR)                                    \
    }                                                                                                   \
    uint32_t EZ_ROW(ID)(const ez_lanes *x);                                                             \
    uint32_t EZ_ROW(ID)(const ez_lanes *x) {                                                            \
        if (!EZ_LEVEL_SPLITS || !x->scope.full) return EZ_PARTIAL(ID)(x);                               \
        if (EZ_FLUSHES_##KIND##_##F(x->scope.md)) return EZ_FLUSHED(ID)(x);                             \
        EZ_TRY_WAVE(ID, KIND, F, COUNT, ROWS, true, false, GET, EXPR)                                   \
    }                                                                                                   \
    EZ_RARE_FLAGS(ID, D, GET_GENERAL, EXPR_GENERAL)

#define EZ_FLUSHES_host_f32(md) ((md)->flush_in32 | (md)->flush_out32)
#define EZ_FLUSHES_pick_f32(md) ((md)->minmax_in32 | (md)->minmax_out32)
#define EZ_FLUSHES_host_f64(md) ((md)->flush_in16 | (md)->flush_out16)
#define EZ_FLUSHES_pick_f64(md) ((md)->minmax_in16 | (md)->minmax_out16)
/* A NaN that the host's operation makes or gets is in the result. */
EZ_INLINE void ez_rare_source_host_f32(ez_rare *rare, const ez_lanes *l, const f32 *s, bool flushes, unsigned rows) {
    const ez_scope *o = &l->scope;
    for (unsigned at = 0; at < rows * o->lanes && flushes; at += o->lanes) ez_rare_denormals(rare, s + at, o->lanes, o->exec, o->full);
}
EZ_INLINE void ez_rare_result_host_f32(ez_rare *rare, const ez_lanes *l, const f32 *result, bool flushes, unsigned rows) {
    const ez_scope *o = &l->scope;
    for (unsigned at = 0; at < rows * o->lanes; at += o->lanes) {
        if (flushes) ez_rare_both(rare, result + at, o->lanes, o->exec, o->full);
        else ez_rare_nans(rare, result + at, o->lanes, o->exec, o->full);
    }
}
/* The result of a pick is one of its sources. */
EZ_INLINE void ez_rare_source_pick_f32(ez_rare *rare, const ez_lanes *l, const f32 *s, bool flushes, unsigned rows) {
    ez_rare_result_host_f32(rare, l, s, flushes, rows);
}
EZ_INLINE void ez_rare_result_pick_f32(ez_rare *rare, const ez_lanes *l, const f32 *result, bool flushes, unsigned rows) {
    (void)rare, (void)l, (void)result, (void)flushes, (void)rows;
}
/* Of doubles denormals are mostly kept: flushing them is not worth a way of its own. */
EZ_INLINE void ez_rare_source_host_f64(ez_rare *rare, const ez_lanes *l, const uint32_t *s, bool flushes, unsigned rows) {
    (void)l, (void)s, (void)rows;
    if (flushes) ez_rare_note(rare, ~0u);
}
EZ_INLINE void ez_rare_result_host_f64(ez_rare *rare, const ez_lanes *l, const f64 *result, bool flushes, unsigned rows) {
    uint32_t nans = 0;
    (void)flushes, (void)rows;
    for (size_t i = 0; i < l->scope.lanes; i++) nans |= f32_mask(f64_host(result[i]) != f64_host(result[i])) & written(l, i);
    ez_rare_note(rare, nans);
}
EZ_INLINE void ez_rare_source_pick_f64(ez_rare *rare, const ez_lanes *l, const uint32_t *s, bool flushes, unsigned rows) {
    uint32_t nans = flushes ? ~0u : 0;
    (void)rows;
    for (size_t i = 0; i < l->scope.lanes; i++) nans |= f32_mask(f64_is_nan(get_f64(s, i, l->scope.lanes))) & written(l, i);
    ez_rare_note(rare, nans);
}
EZ_INLINE void ez_rare_result_pick_f64(ez_rare *rare, const ez_lanes *l, const f64 *result, bool flushes, unsigned rows) {
    (void)rare, (void)l, (void)result, (void)flushes, (void)rows;
}

#define EZ_QUICK_SAME(ID, KIND, F, COUNT, GET, EXPR) EZ_QUICK(ID, KIND, F, COUNT, 1, GET, EXPR, F, GET, EXPR)
#define HOST_1(ID, F, EXPR) EZ_QUICK_SAME(ID, host, F, 1, EZ_S1(F), EXPR)
#define HOST_2(ID, F, EXPR) EZ_QUICK_SAME(ID, host, F, 2, EZ_S2(F, F), EXPR)
#define HOST_3(ID, F, EXPR) EZ_QUICK_SAME(ID, host, F, 3, EZ_S3(F, F, F), EXPR)
#define PICK_2(ID, F, EXPR) EZ_QUICK_SAME(ID, pick, F, 2, EZ_S2(F, F), EXPR)
#define PICK_3(ID, F, EXPR) EZ_QUICK_SAME(ID, pick, F, 3, EZ_S3(F, F, F), EXPR)

#define INT_1(ID, D, A, EXPR) EZ_PLAIN(ID, D, EZ_S1(A), EXPR)
#define INT_2(ID, D, A, B, EXPR) EZ_PLAIN(ID, D, EZ_S2(A, B), EXPR)
#define INT_3(ID, D, A, B, C, EXPR) EZ_PLAIN(ID, D, EZ_S3(A, B, C), EXPR)
#define DWORDS_2(ID, LOW, HIGH)                                                                                       \
    EZ_FN(EZ_ROW(ID), 0, const u32 a = l.s[0][i]; const u32 b = l.s[1][i]; const u32 c = l.s[1][i + l.scope.lanes]; , \
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
    EZ_FN(EZ_UNSCALED(ID), 0, EZ_S3(F, F, F), put_##F(&l, i, F##_fmas(a, b, c, M));)                    \
    EZ_RARE(EZ_SCALED(ID), 0, EZ_S4(F, F, F, lanemask), put_##F(&l, i, F##_div_fmas(a, b, c, e, M));)   \
    EZ_RARE(EZ_FLAGGED(ID), 1, EZ_S4(F, F, F, lanemask), put_##F(&l, i, F##_div_fmas(a, b, c, e, M));)  \
    uint32_t EZ_SCALED(ID)(const ez_lanes *x);                                                          \
    uint32_t EZ_ROW(ID)(const ez_lanes *x);                                                             \
    uint32_t EZ_ROW(ID)(const ez_lanes *x) {                                                            \
        uint32_t any = 0;                                                                               \
        for (unsigned i = 0; i < x->scope.lanes; i++) any |= x->s[3][i] & x->scope.exec[i];             \
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
#define MIXHI_MAD_3(ID, D, A, B, C, EXPR) FLOAT_3(ID, D, A, B, C, EXPR)
#define MIX_MAD_3(ID, D, A, B, C, EXPR) FLOAT_3(ID, D, A, B, C, EXPR)

#define CMP_2(ID, A, B, EXPR) EZ_FN(EZ_ROW(ID), 0, EZ_S2(A, B), put_mask(&l, i, EXPR);)
#define FCMP_2(ID, A, B, EXPR) CMP_2(ID, A, B, EXPR) EZ_RARE(EZ_FLAGGED(ID), 1, EZ_S2(A, B), put_mask(&l, i, EXPR);)

#define EZ_CARRY(FN, NAME, D, GET, EXPR, MASK) \
    FN(NAME, 0, GET, const D r = (D)(EXPR); const bool m = (MASK); put_##D(&l, i, r); put_mask1(&l, i, m);)
#define CARRY_2(ID, D, A, B, EXPR, SAT, MASK)                 \
    EZ_CARRY(EZ_FN, EZ_ROW(ID), D, EZ_S2(A, B), EXPR, MASK)   \
    EZ_CARRY(EZ_RARE, EZ_SATURATED(ID), D, EZ_S2(A, B), SAT, MASK)
#define CARRY_3(ID, D, A, B, C, EXPR, SAT, MASK)               \
    EZ_CARRY(EZ_FN, EZ_ROW(ID), D, EZ_S3(A, B, C), EXPR, MASK) \
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
#define EZ_PACK(FN, NAME, KEEP, H, GET, EXPR)                        \
    FN(NAME, KEEP, EZ_S0,                                            \
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
#define EZ_F1(N) const f32 a = l.s[0][i + (N) * l.scope.lanes];
#define EZ_F2(N) EZ_F1(N) const f32 b = l.s[1][i + (N) * l.scope.lanes];
#define EZ_F3(N) EZ_F2(N) const f32 c = l.s[2][i + (N) * l.scope.lanes];
#define EZ_BOTH_OF_PAIR(GET, EXPR)                                   \
    f32 low;                                                         \
    f32 high;                                                        \
    { GET(0) low = (EXPR); }                                         \
    { GET(1) high = (EXPR); }
#define EZ_PAIR(ID, COUNT, GET, GET_GENERAL, EXPR) \
    EZ_QUICK(ID, host, f32, COUNT, 2, GET, EXPR, pk_f32, EZ_BOTH_OF_PAIR(GET_GENERAL, EXPR), low | (uint64_t)high << 32)
#define PAIR_INT_2(ID, EXPR) INT_2(ID, pk_b32, pk_b32, pk_b32, EXPR)
#define PAIR_2(ID, EXPR) EZ_PAIR(ID, 2, EZ_S2(f32, f32), EZ_F2, EXPR)
#define PAIR_3(ID, EXPR) EZ_PAIR(ID, 3, EZ_S3(f32, f32, f32), EZ_F3, EXPR)

#endif
