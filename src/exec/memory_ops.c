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
    return f32_nan2(f32_flush(r, a->flush32), old, src);
}
static f64 ez_atomic_add_f64(f64 old, f64 src) {
    return f64_nan2(f64_bits(f64_host(old) + f64_host(src)), old, src);
}
static f16 ez_atomic_add_f16(f16 old, f16 src) { return f16_add(old, src, &keep_all, NULL); }

/* bf16 is the upper half of an f32: the sum of two is rounded to odd in f32, so that rounding it
 * once more to 8 bits is right. */
static bf16 ez_atomic_add_bf16(bf16 old, bf16 src) {
    f32 x = old << 16, y = src << 16;
    f32 exact = f32_nan2(f32_add_odd(x, y, 0), x, y);
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

#define FOR_ACTIVE(a, lane)                                                                          \
    for (uint64_t left_ = (a)->active; left_; left_ &= left_ - 1)                                   \
        for (unsigned lane = ez_first_lane(left_), once_ = 1; once_; once_ = 0)

#define D(n) d[(n) * a->lanes]
#define S(n) s[(n) * a->lanes]
#define get8() load_le(p, 1)
#define get16() load_le(p, 2)
#define get32(n) load_le(p + (n) * a->stride, 4)
#define put8(v) store_le(p, 1, v)
#define put16(v) store_le(p, 2, v)
#define put32(n, v) store_le(p + (n) * a->stride, 4, v)

#define LOAD(name, bytes, dwords, ...)                                                               \
    static void run_##name(ez_access_lanes *a) {                                                     \
        static uint8_t none[16];                                                                     \
        if (!a->d) return;                                                                           \
        FOR_ACTIVE(a, lane) {                                                                        \
            const uint8_t *p = a->p[lane];                                                           \
            uint32_t *d = a->d + lane;                                                               \
            __VA_ARGS__;                                                                             \
        }                                                                                            \
        if (!a->nothing) return;                                                                     \
        a->stride = 4;                                                                               \
        for (uint64_t left = a->nothing; left; left &= left - 1) {                                   \
            const uint8_t *p = none;                                                                 \
            uint32_t *d = a->d + ez_first_lane(left);                                                \
            __VA_ARGS__;                                                                             \
        }                                                                                            \
    }
#define STORE(name, bytes, dwords, ...)                                                              \
    static void run_##name(ez_access_lanes *a) {                                                     \
        FOR_ACTIVE(a, lane) {                                                                        \
            uint8_t *p = a->p[lane];                                                                 \
            const uint32_t *s = a->s + lane;                                                         \
            __VA_ARGS__;                                                                             \
        }                                                                                            \
    }

#define get_u32(row, lane) (row)[lane]
#define get_u64(row, lane) ((row)[lane] | (uint64_t)(row)[(lane) + a->lanes] << 32)
#define put_u32(row, lane, v) ((row)[lane] = (v))
#define put_u64(row, lane, v) ((row)[lane] = (uint32_t)(v), (row)[(lane) + a->lanes] = (uint32_t)((v) >> 32))
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
        FOR_ACTIVE(a, lane) {                                                                        \
            type *p = (type *)(void *)a->p[lane];                                                    \
            type src = get_##type(a->s, lane), src2 = a->s2 ? get_##type(a->s2, lane) : 0;           \
            type memory = a->local ? *p : __atomic_load_n(p, __ATOMIC_RELAXED), old, new;            \
            do {                                                                                     \
                old = host_##type(memory);                                                           \
                new = new_##name(old, src, src2, a);                                                 \
                new = host_##type(new);                                                              \
            } while (!a->local && !__atomic_compare_exchange_n(p, &memory, new, false,               \
                                                               __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
            if (a->local) *p = new;                                                                  \
            if (a->d) put_##type(a->d, lane, old);                                                   \
        }                                                                                            \
        if (!a->d) return;                                                                           \
        for (uint64_t left = a->nothing; left; left &= left - 1)                                     \
            put_##type(a->d, ez_first_lane(left), (type)0);                                          \
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
