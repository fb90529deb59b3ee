/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of the lanes, and whole rows between registers and memory. Compiled once for each SIMD level. */
#include "exec/access.h"

#include "exec/masks.h"

/* 32 lanes at a time, so that the compiler knows how many; i is the lane. */
#define EACH_LANE(...)                                    \
    for (size_t first = 0; first < lanes; first += 32)    \
        for (size_t k = 0; k < 32; k++) {                 \
            const size_t i = first + k;                   \
            __VA_ARGS__;                                  \
        }

static void pairs(uint64_t *restrict address, const uint32_t *restrict low, uint64_t offset, unsigned lanes) {
    const uint32_t *restrict high = low + lanes;
    EACH_LANE(address[i] = (low[i] | (uint64_t)high[i] << 32) + offset)
}

static void offsets(uint64_t *restrict address, const uint32_t *restrict row, uint64_t base, unsigned lanes) {
    EACH_LANE(address[i] = base + row[i])
}

static void signed_offsets(uint64_t *restrict address, const uint32_t *restrict row, uint64_t base, unsigned lanes) {
    EACH_LANE(address[i] = base + (uint64_t)(int64_t)(int32_t)row[i])
}

/* Lanes that are not active count as the first one that is; `exec` NULL: all are. */
EZ_INLINE void span_of(const uint64_t *restrict address, const uint32_t *restrict exec, unsigned lanes, unsigned first_lane,
                       uint32_t bytes, ez_span *s) {
    uint64_t origin = address[first_lane], far = 0, apart = 0, bits = 0;
    int32_t low = 0, high = 0;
    for (size_t first = 0; first < lanes; first += 32) {
        int32_t delta[32];
        uint64_t expected = (uint64_t)bytes * (first - first_lane);
        for (size_t i = 0; i < 32; i++) {
            uint64_t active = exec ? (uint64_t)(int64_t)(int32_t)exec[first + i] : ~UINT64_C(0);
            uint64_t d = (address[first + i] - origin) & active;
            far |= (d + EZ_SPAN_MOST) >> 31;
            apart |= (d ^ (expected + bytes * i)) & active;
            bits |= address[first + i] & active;
            delta[i] = (int32_t)(uint32_t)d;
        }
        for (size_t i = 0; i < 32; i++) {
            low = delta[i] < low ? delta[i] : low;
            high = delta[i] > high ? delta[i] : high;
        }
    }
    *s = (ez_span){.low = origin + (uint64_t)(int64_t)low,
                   .size = (uint32_t)(high - low),
                   .near = !far,
                   .bits = bits,
                   .shape = far ? EZ_SHAPE_ANY : low == high ? EZ_SHAPE_SAME : !apart ? EZ_SHAPE_ROW : EZ_SHAPE_ANY};
}

static void span(const uint64_t *address, const uint32_t *exec, unsigned lanes, unsigned first_lane, uint32_t bytes, ez_span *s) {
    if (exec) span_of(address, exec, lanes, first_lane, bytes, s);
    else span_of(address, NULL, lanes, first_lane, bytes, s);
}

/* The same for a base and a row; with the sign bit flipped signed offsets are in the order of unsigned ones. */
EZ_INLINE void span_of_row(const uint32_t *restrict row, const uint32_t *restrict exec, uint64_t base, bool is_signed,
                           unsigned lanes, unsigned first_lane, uint32_t bytes, ez_span *s) {
    uint32_t origin = row[first_lane], flip = is_signed ? 0x80000000 : 0, low = origin ^ flip, high = low, apart = 0, bits = 0;
    for (size_t first = 0; first < lanes; first += 32) {
        uint32_t expected = origin + bytes * (uint32_t)(first - first_lane);
        for (size_t i = 0; i < 32; i++) {
            uint32_t active = exec ? exec[first + i] : ~0u;
            uint32_t at = exec ? (row[first + i] & active) | (origin & ~active) : row[first + i], order = at ^ flip;
            low = order < low ? order : low;
            high = order > high ? order : high;
            apart |= (at ^ (expected + bytes * (uint32_t)i)) & active;
            bits |= at;
        }
    }
    bool near = high - low < EZ_SPAN_MOST;
    *s = (ez_span){.low = base + (is_signed ? (uint64_t)(int64_t)(int32_t)(low ^ flip) : low),
                   .size = high - low,
                   .near = near,
                   .bits = bits | base,
                   .shape = !near ? EZ_SHAPE_ANY : low == high ? EZ_SHAPE_SAME : !apart ? EZ_SHAPE_ROW : EZ_SHAPE_ANY};
}

static void span_row(const uint32_t *row, const uint32_t *exec, uint64_t base, bool is_signed, unsigned lanes,
                     unsigned first_lane, uint32_t bytes, ez_span *s) {
    if (is_signed) span_of_row(row, exec, base, true, lanes, first_lane, bytes, s);
    else if (exec) span_of_row(row, exec, base, false, lanes, first_lane, bytes, s);
    else span_of_row(row, NULL, base, false, lanes, first_lane, bytes, s);
}

static bool same(const uint32_t *row, const uint32_t *exec, uint32_t value, unsigned lanes) {
    uint32_t apart = 0;
    EACH_LANE(apart |= (row[i] ^ value) & exec[i])
    return !apart;
}

static void pointers(uint8_t **restrict p, const uint64_t *restrict address, uint64_t delta, unsigned lanes) {
    EACH_LANE(p[i] = (uint8_t *)(uintptr_t)(address[i] + delta))
}

static void row_pointers(uint8_t **restrict p, const uint32_t *restrict row, uint64_t base, bool is_signed, unsigned lanes) {
    if (is_signed) EACH_LANE(p[i] = (uint8_t *)(uintptr_t)(base + (uint64_t)(int64_t)(int32_t)row[i]))
    else EACH_LANE(p[i] = (uint8_t *)(uintptr_t)(base + row[i]))
}

/* ---- whole dwords: dword n of lane l at p + 4 * (l * dwords + n); memory may be aligned to bytes only ---- */

typedef uint32_t dword __attribute__((aligned(1), may_alias));

#define EACH_DWORD(DWORDS, TO, FROM) \
    EACH_LANE(for (size_t n = 0; n < (DWORDS); n++) TO(DWORDS, i, n) = FROM(DWORDS, i, n))
/* With constant counts the compiler makes vectors of the loops. */
#define FOR_DWORDS(TO, FROM)                   \
    switch (dwords) {                          \
    case 1: EACH_DWORD(1, TO, FROM) break;     \
    case 2: EACH_DWORD(2, TO, FROM) break;     \
    case 3: EACH_DWORD(3, TO, FROM) break;     \
    default: EACH_DWORD(4, TO, FROM) break;    \
    }
#define REGISTER(DWORDS, i, n) row[(n) * lanes + (i)]
#define MEMORY(DWORDS, i, n) memory[(i) * (DWORDS) + (n)]

static void load_rows(uint32_t *restrict row, const uint8_t *restrict p, unsigned dwords, unsigned lanes) {
    const dword *restrict memory = (const void *)p;
    FOR_DWORDS(REGISTER, MEMORY)
}

static void store_rows(uint8_t *restrict p, const uint32_t *restrict row, unsigned dwords, unsigned lanes) {
    dword *restrict memory = (void *)p;
    FOR_DWORDS(MEMORY, REGISTER)
}

/* The offset of a lane is read before any of its dwords is written, which may take its place. */
static void load_near(uint32_t *d, const uint8_t *p, const uint32_t *row, uint32_t first, unsigned dwords, const uint32_t *exec,
                      unsigned lanes) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    for (size_t i = 0; i < lanes; i += 16) {
        __mmask16 active = _mm512_movepi32_mask(_mm512_loadu_si512(exec + i));
        __m512i at = _mm512_sub_epi32(_mm512_loadu_si512(row + i), _mm512_set1_epi32((int)first));
        for (size_t n = 0; n < dwords; n++) {
            uint32_t *to = d + n * lanes + i;
            _mm512_storeu_si512(to, _mm512_mask_i32gather_epi32(_mm512_loadu_si512(to), active, at, p + 4 * n, 1));
        }
    }
#else
    for (size_t i = 0; i < lanes; i++) {
        if (!exec[i]) continue;
        const dword *from = (const void *)(p + (uint32_t)(row[i] - first));
        for (size_t n = 0; n < dwords; n++) d[n * lanes + i] = from[n];
    }
#endif
}

/* All lanes load from one place. */
static void load_same(uint32_t *d, const uint8_t *p, unsigned dwords, const uint32_t *exec, unsigned lanes) {
    const dword *from = (const void *)p;
    uint32_t value[4];
    for (unsigned n = 0; n < dwords; n++) value[n] = from[n];
    for (unsigned n = 0; n < dwords; n++, d += lanes)
        EACH_LANE(d[i] = (value[n] & exec[i]) | (d[i] & ~exec[i]))
}

#define EZ_NAME_(level) ez_access_##level
#define EZ_NAME(level) EZ_NAME_(level)
extern const ez_access_functions EZ_NAME(EZ_LEVEL);
const ez_access_functions EZ_NAME(EZ_LEVEL) = {
    pairs, offsets, signed_offsets, span, span_row, same, pointers, row_pointers, load_rows, store_rows, load_near, load_same};
