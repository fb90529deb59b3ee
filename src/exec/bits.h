/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of up to 32 bits anywhere in a row of dwords. */
#ifndef EZ_BITS_H
#define EZ_BITS_H

#include <stdint.h>

static inline uint32_t ez_get_bits(const uint32_t *dword, unsigned at, unsigned bits) {
    uint64_t pair = dword[at / 32] | (at % 32 + bits > 32 ? (uint64_t)dword[at / 32 + 1] << 32 : 0);
    return (uint32_t)(pair >> (at % 32) & ((UINT64_C(1) << bits) - 1));
}

static inline void ez_put_bits(uint32_t *dword, unsigned at, unsigned bits, uint32_t value) {
    uint64_t mask = ((UINT64_C(1) << bits) - 1) << (at % 32), in = (uint64_t)value << (at % 32) & mask;
    dword[at / 32] = (dword[at / 32] & ~(uint32_t)mask) | (uint32_t)in;
    if (mask >> 32) dword[at / 32 + 1] = (dword[at / 32 + 1] & ~(uint32_t)(mask >> 32)) | (uint32_t)(in >> 32);
}

#endif
