/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between lane masks, scalars and rows. The loops have a constant number of turns for 32 lanes, so that they become vectors
 * in files of every SIMD level.
 */
#ifndef EZ_MASKS_H
#define EZ_MASKS_H

#include "numbers.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

static const uint32_t ez_bits[32] __attribute__((unused)) = {
#define FOUR(n) 1u << n, 2u << n, 4u << n, 8u << n
    FOUR(0), FOUR(4), FOUR(8), FOUR(12), FOUR(16), FOUR(20), FOUR(24), FOUR(28)};
#undef FOUR

/* A row of 0 or ~0: a mask lane by lane. */
EZ_INLINE void ez_mask_to_row(uint32_t *row, uint64_t mask, unsigned lanes) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    _mm512_storeu_si512(row, _mm512_movm_epi32((__mmask16)mask));
    _mm512_storeu_si512(row + 16, _mm512_movm_epi32((__mmask16)(mask >> 16)));
    if (lanes == 32) return;
    _mm512_storeu_si512(row + 32, _mm512_movm_epi32((__mmask16)(mask >> 32)));
    _mm512_storeu_si512(row + 48, _mm512_movm_epi32((__mmask16)(mask >> 48)));
#else
    for (size_t first = 0; first < lanes; first += 32) {
        uint32_t half = (uint32_t)(mask >> first);
        for (size_t i = 0; i < 32; i++) row[first + i] = half & ez_bits[i] ? ~0u : 0;
    }
#endif
}

#if defined(__AVX512F__) && defined(__AVX512DQ__)
EZ_INLINE uint32_t ez_signs(const uint32_t *row) {
    return _mm512_movepi32_mask(_mm512_loadu_si512(row)) | (uint32_t)_mm512_movepi32_mask(_mm512_loadu_si512(row + 16)) << 16;
}
#endif

/* The mask of the lanes whose dword has its sign bit set. */
EZ_INLINE uint64_t ez_row_to_mask(const uint32_t *row, unsigned lanes) {
    uint64_t mask = 0;
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    mask = ez_signs(row);
    if (lanes == 64) mask |= (uint64_t)ez_signs(row + 32) << 32;
#elif defined(__AVX__)
    for (unsigned i = 0; i < lanes; i += 8)
        mask |= (uint64_t)(unsigned)_mm256_movemask_ps(_mm256_loadu_ps((const float *)(const void *)(row + i))) << i;
#elif defined(__SSE2__)
    for (unsigned i = 0; i < lanes; i += 4)
        mask |= (uint64_t)(unsigned)_mm_movemask_ps(_mm_loadu_ps((const float *)(const void *)(row + i))) << i;
#else
    for (unsigned i = 0; i < lanes; i++) mask |= (uint64_t)(row[i] >> 31) << i;
#endif
    return mask;
}

EZ_INLINE void ez_fill_row(uint32_t *row, uint32_t value, unsigned lanes) {
    for (size_t first = 0; first < lanes; first += 32)
        for (size_t i = 0; i < 32; i++) row[first + i] = value;
}

EZ_INLINE void ez_move_row(uint32_t *to, const uint32_t *from, unsigned lanes) {
    for (size_t first = 0; first < lanes; first += 32)
        for (size_t i = 0; i < 32; i++) to[first + i] = from[first + i];
}

/* Copies the lanes where `exec` is ~0. */
EZ_INLINE void ez_copy_row(uint32_t *to, const uint32_t *from, const uint32_t *exec, unsigned lanes) {
    for (size_t first = 0; first < lanes; first += 32)
        for (size_t k = 0; k < 32; k++) {
            const size_t i = first + k;
            to[i] = (from[i] & exec[i]) | (to[i] & ~exec[i]);
        }
}

#endif
