/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of memory instructions on the bytes of each lane: loops around memory_ops.def. */
#include "memory.h"
#include "numbers.h"

#include <fenv.h>
#include <string.h>

/* ---- little-endian memory on any host ---- */

static inline uint32_t load_le(const uint8_t *p, unsigned bytes) {
    uint32_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint32_t)p[i] << (8 * i);
    return v;
}
static inline void store_le(uint8_t *p, unsigned bytes, uint32_t v) {
    for (unsigned i = 0; i < bytes; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

/* ---- floats: rounding to nearest even whatever MODE says ("DS FP atomics respect the denormal mode, the
 * rounding mode is fixed", LLVM's SIISelLowering; memory atomics likewise) ---- */

static const ez_fpmode keep_all; /* no flushing, nearest even */

static f32 ez_atomic_add_f32(f32 old, f32 src, const ez_access_lanes *a) {
    f32 x = f32_flush(old, a->flush32), y = f32_flush(src, a->flush32);
    f32 r = f32_bits(f32_host(x) + f32_host(y));
    return f32_nan2(f32_flush(r, a->flush32), old, src, &keep_all);
}
static f64 ez_atomic_add_f64(f64 old, f64 src) {
    return f64_nan2(f64_bits(f64_host(old) + f64_host(src)), old, src, &keep_all);
}
static f16 ez_atomic_add_f16(f16 old, f16 src) { return f16_add(old, src, &keep_all, NULL); }

/* bf16 is the upper half of an f32: the sum of two is rounded to odd in f32, so that rounding it
 * once more to 8 bits is right. */
static bf16 ez_atomic_add_bf16(bf16 old, bf16 src) {
    f32 x = old << 16, y = src << 16;
    f32 exact = f32_nan2(f32_add_odd(x, y, 0), x, y, &keep_all);
    if (f32_is_nan(exact)) return exact >> 16;
    return (exact + 0x7fff + (exact >> 16 & 1)) >> 16;
}

#define MINMAX(F, BITS)                                                                              \
    static F ez_number_##F(F old, F src, bool src_wins) {                                           \
        bool nan_old = F##_is_nan(old), nan_src = F##_is_nan(src);                                   \
        if (nan_old && nan_src) return F##_quiet(src);                                               \
        if (nan_src) return old;                                                                     \
        return nan_old || src_wins ? src : old;                                                      \
    }                                                                                                \
    static F ez_atomic_min_##F(F old, F src, const ez_access_lanes *a) {                             \
        if (ez_has(a->target, EZ_HAS_minmax_num))                                                    \
            return ez_number_##F(old, src, F##_key(src) < F##_key(old));                             \
        return F##_host(src) < F##_host(old) ? src : old;                                            \
    }                                                                                                \
    static F ez_atomic_max_##F(F old, F src, const ez_access_lanes *a) {                             \
        if (ez_has(a->target, EZ_HAS_minmax_num))                                                    \
            return ez_number_##F(old, src, F##_key(src) > F##_key(old));                             \
        return F##_host(src) > F##_host(old) ? src : old;                                            \
    }
MINMAX(f32, 32)
MINMAX(f64, 64)

/* Bit 31 of each half says whether the half is exchanged. [RDNA4] DS_CONDXCHG32_RTN_B64 */
static u64 ez_condxchg32(u64 old, u64 src) {
    u64 low = src >> 31 & 1 ? src & 0x7fffffff : old & UINT32_MAX;
    u64 high = src >> 63 ? src >> 32 & 0x7fffffff : old >> 32;
    return high << 32 | low;
}

/* ---- loops ---- */

#define FOR_LANES(set, lane)                                                                         \
    for (uint64_t left_ = (set); left_; left_ &= left_ - 1)                                          \
        for (unsigned lane = ez_first_lane(left_), once_ = 1; once_; once_ = 0)

static bool all_active(const ez_access_lanes *a) { return a->lanes == 64 ? a->active == ~UINT64_C(0) : a->active == 0xffffffff; }

#define D(n) d[(n) * lanes]
#define S(n) s[(n) * lanes]
#define get8() load_le(p, 1)
#define get16() load_le(p, 2)
#define get32(n) load_le(p + (n) * stride, 4)
#define put8(v) store_le(p, 1, v)
#define put16(v) store_le(p, 2, v)
#define put32(n, v) store_le(p + (n) * stride, 4, v)

/* Of a wave whose lanes are all active and have their dwords together, the loop is a plain one. */
#define LOAD(name, bytes, dwords, ...)                                                               \
    static inline void load_##name(uint32_t *d, const uint8_t *p, size_t lanes, size_t stride) {     \
        (void)lanes, (void)stride;                                                                   \
        __VA_ARGS__;                                                                                 \
    }                                                                                                \
    static void run_##name(ez_access_lanes *a) {                                                     \
        static const uint8_t none[16];                                                               \
        const size_t lanes = a->lanes, stride = a->stride;                                           \
        uint32_t *const d = a->d;                                                                    \
        if (!d) return;                                                                              \
        if (stride == 4 && all_active(a))                                                            \
            for (size_t lane = 0; lane < lanes; lane++) load_##name(d + lane, a->p[lane], lanes, 4); \
        else                                                                                         \
            FOR_LANES(a->active, lane) load_##name(d + lane, a->p[lane], lanes, stride);             \
        FOR_LANES(a->nothing, lane) load_##name(d + lane, none, lanes, 4);                           \
    }
#define STORE(name, bytes, dwords, ...)                                                              \
    static inline void store_##name(const uint32_t *s, uint8_t *p, size_t lanes, size_t stride) {    \
        (void)lanes, (void)stride;                                                                   \
        __VA_ARGS__;                                                                                 \
    }                                                                                                \
    static void run_##name(ez_access_lanes *a) {                                                     \
        const size_t lanes = a->lanes, stride = a->stride;                                           \
        const uint32_t *const s = a->s;                                                              \
        if (stride == 4 && all_active(a))                                                            \
            for (size_t lane = 0; lane < lanes; lane++) store_##name(s + lane, a->p[lane], lanes, 4);\
        else                                                                                         \
            FOR_LANES(a->active, lane) store_##name(s + lane, a->p[lane], lanes, stride);            \
    }

#define get_u32(row, lane) (row)[lane]
#define get_u64(row, lane) ((row)[lane] | (uint64_t)(row)[(lane) + lanes] << 32)
#define put_u32(row, lane, v) ((row)[lane] = (v))
#define put_u64(row, lane, v) ((row)[lane] = (uint32_t)(v), (row)[(lane) + lanes] = (uint32_t)((v) >> 32))
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define host_u32(v) (v)
#define host_u64(v) (v)
#else
#define host_u32(v) __builtin_bswap32(v)
#define host_u64(v) __builtin_bswap64(v)
#endif

/* The lanes of a wave act one after the other, the lowest first; other threads see each as one. */
#define ATOMIC(name, type, dwords, ...)                                                              \
    static type new_##name(type old, type src, type src2, const ez_access_lanes *a) {                \
        (void)old, (void)src, (void)src2, (void)a;                                                   \
        return __VA_ARGS__;                                                                          \
    }                                                                                                \
    static void run_##name(ez_access_lanes *a) {                                                     \
        const bool local = a->local;                                                                 \
        const uint32_t *const s = a->s, *const s2 = a->s2;                                           \
        const size_t lanes = a->lanes;                                                               \
        uint32_t *const d = a->d;                                                                    \
        FOR_LANES(a->active, lane) {                                                                 \
            type *p = (type *)(void *)a->p[lane];                                                    \
            type src = get_##type(s, lane), src2 = s2 ? get_##type(s2, lane) : 0;                    \
            type memory = local ? *p : __atomic_load_n(p, __ATOMIC_RELAXED), old, new;               \
            do {                                                                                     \
                old = host_##type(memory);                                                           \
                new = new_##name(old, src, src2, a);                                                 \
                new = host_##type(new);                                                              \
            } while (!local && !__atomic_compare_exchange_n(p, &memory, new, false,                  \
                                                            __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));    \
            if (local) *p = new;                                                                     \
            if (d) put_##type(d, lane, old);                                                         \
        }                                                                                            \
        (void)lanes;                                                                                 \
        if (!d) return;                                                                              \
        FOR_LANES(a->nothing, lane) put_##type(d, lane, (type)0);                                    \
    }
#include "semantics/memory_ops.def"
#undef LOAD
#undef STORE
#undef ATOMIC

#define LOAD(name, bytes, dwords, ...) PREPARE(name, EZ_MEM_LOAD, bytes, dwords)
#define STORE(name, bytes, dwords, ...) PREPARE(name, EZ_MEM_STORE, bytes, dwords)
#define ATOMIC(name, type, dwords, ...) PREPARE(name, EZ_MEM_ATOMIC, sizeof(type), dwords)
#define PREPARE(name, kind, bytes, dwords)                                                           \
    bool ez_prepare_##name(ez_step *s) {                                                             \
        static const ez_memory_op op = {kind, bytes, dwords, run_##name};                            \
        return ez_prepare_memory(s, &op);                                                            \
    }
#include "semantics/memory_ops.def"
