/* SPDX-License-Identifier: Apache-2.0 */
/* Loads that transpose blocks of a matrix between lanes. docs/errata.md tells where the layouts come from. */
#include <string.h>

#include "bits.h"
#include "memory.h"

/* Element `n` of what lane `lane` gets is element `at` of what lane `from` loads. */
typedef struct element_source {
    unsigned from, at;
} element_source;

/* Waves of 64: row r of 16 lanes' block is elements 16 r to 16 r + 15 of what they load, one after the other. */
static element_source of_rows(unsigned lane, unsigned n, unsigned each) {
    unsigned element = 16 * n + lane % 16;
    return (element_source){(lane & ~15u) + element / each, element % each};
}

/* Waves of 32: a block of 16 by 16, or 16 by 32 elements of less than a byte. */
static element_source of_block(unsigned lane, unsigned n, unsigned bits) {
    unsigned low = lane >> 3 & 1, high = lane >> 4 & 1;
    switch (bits) {
    case 16: return (element_source){(lane & 24) + n, lane % 8};
    case 8: return (element_source){16 * high + (n >> 2) * 8 + 4 * low + n % 4, lane % 8};
    case 6: return (element_source){(n >> 2) * 8 + 4 * high + n % 4, lane % 16};
    default: return (element_source){(n >> 3) * 16 + 8 * high + n % 8, lane % 16};
    }
}

bool ez_prepare_transpose(ez_step *s) {
    static const ez_memory_op loads[] = {{EZ_MEM_LOAD, 8, 2, NULL}, {EZ_MEM_LOAD, 12, 3, NULL}, {EZ_MEM_LOAD, 16, 4, NULL}};
    unsigned size = 0, bits;
    switch (s->inst->op) {
    case EZ_OP_DS_LOAD_TR16_B64: bits = 16; break;
    case EZ_OP_DS_LOAD_TR16_B128: case EZ_OP_GLOBAL_LOAD_TR_B128: bits = 16, size = 2; break;
    case EZ_OP_DS_LOAD_TR8_B64: case EZ_OP_GLOBAL_LOAD_TR_B64: bits = 8; break;
    case EZ_OP_DS_LOAD_TR6_B96: case EZ_OP_GLOBAL_LOAD_TR6_B96: bits = 6, size = 1; break;
    default: bits = 4; break;
    }
    s->imm[3] = bits;
    bool wide = ez_has(s->inst->target, EZ_HAS_wave32);
    return s->inst->wave == (wide ? 32 : 64) && ez_prepare_memory(s, &loads[size]);
}

void ez_transpose(ez_wave *w, const ez_step *s, const ez_access_lanes *a) {
    const ez_memory_op *op = ez_memory_op_of(s);
    unsigned bits = (unsigned)s->imm[3], each = 8u * op->bytes / bits;
    uint32_t in[EZ_MAX_LANES][4] = {{0}};
    for (uint64_t left = a->active; left; left &= left - 1) {
        unsigned lane = ez_first_lane(left);
        for (unsigned b = 0; b < op->bytes; b++) in[lane][b / 4] |= (uint32_t)a->p[lane][b] << (8 * (b % 4));
    }
    for (uint64_t left = a->active; left; left &= left - 1) {
        unsigned lane = ez_first_lane(left);
        uint32_t out[4] = {0};
        for (unsigned n = 0; n < each; n++) {
            element_source e = w->lanes == 64 ? of_rows(lane, n, each) : of_block(lane, n, bits);
            ez_put_bits(out, n * bits, bits, ez_get_bits(in[e.from], e.at * bits, bits));
        }
        for (unsigned d = 0; d < op->dwords; d++) a->d[d * w->lanes + lane] = out[d];
    }
}
