/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether rows of floats hold what the host's arithmetic does otherwise than AMD's: NaNs, and denormals where MODE flushes them.
 * Both are rare, so a row function computes the plain way first, asks, and computes in full where the answer is yes.
 *
 * It is asked for every instruction: hence host instructions and not loops, from which compilers make long sums over the lanes. n is a
 * multiple of 32; `active` has 0 or ~0 for each lane, of which only active ones count unless `full`, a constant.
 */
#ifndef EZ_RARE_H
#define EZ_RARE_H

#include "numbers.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

/* Behind questions about sources that the arithmetic loads: with 16 vector registers they are better loaded again than spilled. */
EZ_INLINE void ez_rare_loads_again(void) {
#if defined(__AVX2__) && !defined(__AVX512F__)
    __asm__ volatile("" ::: "memory");
#endif
}

#if defined(__AVX512F__) && defined(__AVX512DQ__)

typedef struct ez_rare {
    __mmask16 found;
} ez_rare;
#define EZ_RARE_NONE {0}

enum { EZ_CLASS_QUIET = 1, EZ_CLASS_DENORMAL = 0x20, EZ_CLASS_SIGNALLING = 0x80 };
#define EZ_RARE_FIND(NAME, CLASSES)                                                                                              \
    EZ_INLINE void NAME(ez_rare *r, const f32 *row, size_t n, const uint32_t *active, bool full) {                               \
        for (size_t i = 0; i < n; i += 16) {                                                                                     \
            __m512 x = _mm512_loadu_ps((const void *)(row + i));                                                                 \
            __mmask16 is = full ? _mm512_fpclass_ps_mask(x, CLASSES)                                                             \
                                : _mm512_mask_fpclass_ps_mask(_mm512_movepi32_mask(_mm512_loadu_si512(active + i)), x, CLASSES); \
            r->found = _kor_mask16(r->found, is);                                                                                \
        }                                                                                                                        \
    }
EZ_RARE_FIND(ez_rare_denormals, EZ_CLASS_DENORMAL)
EZ_RARE_FIND(ez_rare_active_nans, EZ_CLASS_QUIET | EZ_CLASS_SIGNALLING)

EZ_INLINE void ez_rare_nans(ez_rare *r, const f32 *row, size_t n, const uint32_t *active, bool full) {
    if (!full) {
        ez_rare_active_nans(r, row, n, active, false);
        return;
    }
    for (size_t i = 0; i < n; i += 32) { /* a comparison is unordered if either number is a NaN */
        __m512 x = _mm512_loadu_ps((const void *)(row + i)), y = _mm512_loadu_ps((const void *)(row + i + 16));
        r->found = _kor_mask16(r->found, _mm512_cmp_ps_mask(x, y, _CMP_UNORD_Q));
    }
}

/* Of results: NaNs, denormals and the smallest normal number, which a flushed product may have been rounded up to. */
EZ_INLINE void ez_rare_both(ez_rare *r, const f32 *row, size_t n, const uint32_t *active, bool full) {
    const __m512i one = _mm512_set1_epi32(1), most = _mm512_set1_epi32(0xffffff); /* of 2 x - 1; a zero's is ~0 */
    __mmask16 common = 0xffff;
    ez_rare_nans(r, row, n, active, full);
    for (size_t i = 0; i < n; i += 16) {
        __m512i x = _mm512_loadu_si512(row + i), twice = _mm512_sub_epi32(_mm512_add_epi32(x, x), one);
        if (!full) twice = _mm512_or_si512(twice, _mm512_xor_si512(_mm512_loadu_si512(active + i), _mm512_set1_epi32(-1)));
        common = _mm512_mask_cmpgt_epu32_mask(common, twice, most);
    }
    r->found = _kor_mask16(r->found, _knot_mask16(common));
}

/* Others have found something: lanes that are ~0. */
EZ_INLINE void ez_rare_note(ez_rare *r, uint32_t lanes) { r->found = _kor_mask16(r->found, (__mmask16)(lanes | lanes >> 16)); }

EZ_INLINE bool ez_rare_found(const ez_rare *r, bool flushes) {
    (void)flushes;
    return !_kortestz_mask16_u8(r->found, r->found);
}

#elif defined(__AVX2__)

typedef struct ez_rare {
    __m256i nans;  /* a sign bit that is set: there is one */
    __m256i least; /* the least of 2 x - 1 without sign: below 2^24 for denormals and the smallest normal number, ~0 for zeros */
} ez_rare;
#define EZ_RARE_NONE {_mm256_setzero_si256(), _mm256_set1_epi32(-1)}

EZ_INLINE __m256i ez_rare_load(const uint32_t *p) { return _mm256_loadu_si256((const void *)p); }

EZ_INLINE void ez_rare_denormals(ez_rare *r, const f32 *row, size_t n, const uint32_t *active, bool full) {
    const __m256i minus_1 = _mm256_set1_epi32(-1);
    for (size_t i = 0; i < n; i += 8) {
        __m256i x = ez_rare_load(row + i);
        x = _mm256_add_epi32(_mm256_add_epi32(x, x), minus_1);
        if (!full) x = _mm256_or_si256(x, _mm256_xor_si256(ez_rare_load(active + i), minus_1));
        r->least = _mm256_min_epu32(r->least, x);
    }
}

EZ_INLINE void ez_rare_nans(ez_rare *r, const f32 *row, size_t n, const uint32_t *active, bool full) {
    for (size_t i = 0; i < n; i += 16) { /* a comparison is unordered if either number is a NaN */
        __m256 x = _mm256_castsi256_ps(ez_rare_load(row + i)), y = _mm256_castsi256_ps(ez_rare_load(row + i + 8));
        if (!full) {
            x = _mm256_and_ps(x, _mm256_castsi256_ps(ez_rare_load(active + i)));
            y = _mm256_and_ps(y, _mm256_castsi256_ps(ez_rare_load(active + i + 8)));
        }
        r->nans = _mm256_or_si256(r->nans, _mm256_castps_si256(_mm256_cmp_ps(x, y, _CMP_UNORD_Q)));
    }
}

EZ_INLINE void ez_rare_both(ez_rare *r, const f32 *row, size_t n, const uint32_t *active, bool full) {
    ez_rare_nans(r, row, n, active, full);
    ez_rare_denormals(r, row, n, active, full);
}

EZ_INLINE void ez_rare_note(ez_rare *r, uint32_t lanes) { r->nans = _mm256_or_si256(r->nans, _mm256_set1_epi32((int)lanes)); }

EZ_INLINE bool ez_rare_found(const ez_rare *r, bool flushes) {
    if (!flushes) return _mm256_movemask_epi8(r->nans);
    __m256i denormals = _mm256_cmpeq_epi32(_mm256_min_epu32(r->least, _mm256_set1_epi32(0xffffff)), r->least);
    return _mm256_movemask_epi8(_mm256_or_si256(r->nans, denormals));
}

#else

typedef struct ez_rare {
    uint32_t found;
} ez_rare;
#define EZ_RARE_NONE {0}

#define EZ_RARE_FIND(NAME, CONDITION)                                                              \
    EZ_INLINE void NAME(ez_rare *r, const f32 *row, size_t n, const uint32_t *active, bool full) { \
        uint32_t found = 0;                                                                        \
        for (size_t first = 0; first < n; first += 32)                                             \
            for (size_t i = first; i < first + 32; i++) {                                          \
                const f32 x = row[i];                                                              \
                found |= f32_mask(CONDITION) & (full ? ~0u : active[i]);                           \
            }                                                                                      \
        r->found |= found;                                                                         \
    }
EZ_RARE_FIND(ez_rare_denormals, (x << 1) - 1 < 0xffffff)
EZ_RARE_FIND(ez_rare_nans, f32_is_nan(x))
EZ_RARE_FIND(ez_rare_both, ((x << 1) - 1 < 0x1000000) | f32_is_nan(x)) /* the smallest normal number too: see above */

EZ_INLINE void ez_rare_note(ez_rare *r, uint32_t lanes) { r->found |= lanes; }

EZ_INLINE bool ez_rare_found(const ez_rare *r, bool flushes) {
    (void)flushes;
    return r->found;
}

#endif
#endif
