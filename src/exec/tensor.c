/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of tiles between the memory of a tensor and LDS, GFX12.5. A wave makes one copy, whatever EXEC is. Fields of the four
 * groups of the descriptor: HIP's amd_gfx1250_TDM.h; what they mean: MLIR's amdgpu.make_dma_descriptor, docs/errata.md.
 */
#include "bits.h"
#include "memory.h"

#include <string.h>

enum { DIMS = 5, MAX_INDICES = 16, MAX_ELEMENTS = 1 << 24 };

typedef struct tensor {
    uint64_t base;
    uint32_t lds;
    uint32_t bytes;                   /* of an element; sizes, strides and steps count elements */
    uint32_t rank, size[DIMS], tile[DIMS];
    uint64_t stride[DIMS];
    uint32_t pad_every, pad;          /* after so many bytes of LDS so many are left out */
    uint32_t times, lds_step;         /* the whole again and again, each time further on */
    uint64_t step;
    uint32_t indices, index[MAX_INDICES]; /* not 0: the rows that make up the tile */
    bool stores, ends_at_barrier;
    uint32_t barrier;
} tensor;

static uint64_t bits48(const uint32_t *group, unsigned at) {
    return ez_get_bits(group, at, 24) | (uint64_t)ez_get_bits(group, at + 24, 24) << 24;
}

static void read_indices(tensor *t, const uint32_t *g2, const uint32_t *g3, bool wide) {
    t->rank = 2;
    t->indices = t->tile[1];
    for (unsigned n = 0; n < MAX_INDICES; n++) {
        const uint32_t *group = n < MAX_INDICES / 2 ? g2 : g3;
        t->index[n] = wide ? (n < 4 ? g2[n] : n < 8 ? g3[n - 4] : 0) : group[n / 2 % 4] >> (16 * (n & 1)) & 0xffff;
    }
}

static void read_iteration(tensor *t) { /* in the fields of the fourth dimension */
    t->lds_step = t->size[3];
    t->step = t->stride[3];
    t->times = 1 + t->tile[3];
    t->size[3] = t->tile[3] = 0;
}

/* NULL, or what is not implemented. */
static const char *read_tensor(const uint32_t *g0, const uint32_t *g1, const uint32_t *g2, const uint32_t *g3, tensor *t) {
    bool gathers = g0[0] >> 31, wide = g0[0] >> 30 & 1, iterates = ez_get_bits(g1, 19, 1) && !gathers;
    t->base = g0[2] | (uint64_t)(g0[3] & 0x1ffffff) << 32;
    t->lds = g0[1];
    t->bytes = 1u << ez_get_bits(g1, 16, 2);
    t->times = 1;
    t->size[0] = ez_get_bits(g1, 48, 32), t->size[1] = ez_get_bits(g1, 80, 32), t->size[2] = g2[0], t->size[3] = g2[1];
    t->size[4] = ez_get_bits(g3, 48, 32);
    t->tile[0] = ez_get_bits(g1, 112, 16), t->tile[1] = ez_get_bits(g1, 128, 16), t->tile[2] = ez_get_bits(g1, 144, 16);
    t->tile[3] = ez_get_bits(g2, 112, 16), t->tile[4] = ez_get_bits(g3, 80, 16);
    t->stride[0] = 1, t->stride[1] = bits48(g1, 160), t->stride[2] = bits48(g1, 208), t->stride[3] = bits48(g2, 64);
    t->stride[4] = bits48(g3, 0);
    if (ez_get_bits(g1, 20, 1) && !t->stores) { /* a store takes LDS as it is */
        t->pad_every = 8u << ez_get_bits(g1, 22, 3);
        t->pad = 4 * (1 + ez_get_bits(g1, 25, 7));
    }
    t->ends_at_barrier = ez_get_bits(g1, 18, 1);
    t->barrier = 8 * ez_get_bits(g1, 32, 16);
    if (g0[3] >> 30 != 2 || g0[0] & 0xe) return "a descriptor that is none of a tensor copy, or of a copy to be continued";
    if (ez_get_bits(g1, 0, 16) && !t->stores) return "a tensor copy to several workgroups";
    if (gathers) read_indices(t, g2, g3, wide);
    else if (wide) return "rows by index without their mode";
    if (iterates) read_iteration(t);
    for (unsigned n = 0; n < DIMS && !gathers; n++)
        if (t->tile[n]) t->rank = n + 1;
    uint64_t elements = 1;
    for (unsigned n = 0; n < t->rank; n++) {
        elements *= t->tile[n];
        if (!elements || elements > MAX_ELEMENTS) return "a tile of a tensor that is empty or larger than LDS";
    }
    if (gathers && (!t->indices || t->indices > (wide ? 8 : 16))) return "rows by index, none or too many";
    if (iterates && (t->pad || t->rank < 2 || t->rank > 3)) return "a repeated tensor copy with padding, or of other than 2 or 3 dimensions";
    return NULL;
}

/* Whether a repetition that begins there lies within the tensor, whatever bounds are checked: its strides tell its dimensions apart. */
static bool lies_inside(const tensor *t, uint64_t offset) {
    uint64_t span = 1;
    for (unsigned n = 0; n < t->rank; n++) {
        if (!t->size[n] || t->stride[n] < span) return false;
        span += t->stride[n] * (t->size[n] - 1);
    }
    for (unsigned n = t->rank; n--; offset %= t->stride[n])
        if (offset / t->stride[n] + t->tile[n] > t->size[n]) return false;
    return true;
}

/* Moves a part of a row: `at` is its place among the bytes of the tile, NULL memory: zeros. Around the padding. */
static bool move(ez_wave *w, const ez_step *s, const tensor *t, uint64_t at, uint8_t *memory, uint32_t size) {
    while (size) {
        uint32_t run = size;
        uint64_t place = t->lds + at;
        if (t->pad) {
            uint32_t left = t->pad_every - (uint32_t)(at % t->pad_every);
            place += at / t->pad_every * t->pad;
            if (run > left) run = left;
        }
        if (place > w->lds_size || run > w->lds_size - place) {
            ez_wave_fault_memory(w, s, EZ_FAULT_MEMORY, EZ_FAULT_NO_LANE, place, run,
                                 EZ_ACCESS_LDS | (t->stores ? EZ_ACCESS_READ : EZ_ACCESS_WRITE), "outside the workgroup's LDS");
            return false;
        }
        if (t->stores) memcpy(memory, w->lds + place, run);
        else if (memory) memcpy(w->lds + place, memory, run);
        else memset(w->lds + place, 0, run);
        memory = memory ? memory + run : NULL;
        at += run;
        size -= run;
    }
    return true;
}

/* One row of the tile: of its elements the first `inside` are in the tensor. */
static bool move_row(ez_wave *w, const ez_step *s, const tensor *t, uint64_t from, uint64_t at, uint32_t inside) {
    uint32_t size = inside * t->bytes, rest = (t->tile[0] - inside) * t->bytes;
    if (size) {
        uint8_t *memory = ez_wave_translate(w, s, EZ_FAULT_NO_LANE, t->base + from * t->bytes, size,
                                            t->stores ? EZ_ACCESS_WRITE : EZ_ACCESS_READ);
        if (!memory || !move(w, s, t, at * t->bytes, memory, size)) return false;
    }
    return t->stores || move(w, s, t, at * t->bytes + size, NULL, rest);
}

/* One repetition. Outside of the tensor loads give 0 and stores do nothing. */
static bool move_tile(ez_wave *w, const ez_step *s, const tensor *t, uint64_t offset, uint64_t at) {
    uint32_t rows = 1;
    bool empty = false;
    for (unsigned n = 0; n < t->rank; n++) {
        if (n) rows *= t->tile[n];
        empty |= !t->size[n];
    }
    for (uint32_t row = 0; row < rows; row++) {
        uint64_t from = offset;
        bool inside = !empty;
        for (uint32_t n = 1, rest = row; n < t->rank; n++) {
            uint64_t x = t->indices ? t->index[row] : rest % t->tile[n];
            rest /= t->tile[n];
            from += x * t->stride[n];
            inside &= x < t->size[n];
        }
        uint32_t left = inside ? t->size[0] : 0;
        if (!move_row(w, s, t, from, at + (uint64_t)row * t->tile[0], left < t->tile[0] ? left : t->tile[0])) return false;
    }
    return true;
}

static void copy_tensor(ez_wave *w, const ez_step *s, bool stores) {
    const uint32_t *g0 = w->sgpr + s->src[0].index;
    tensor t = {.stores = stores};
    if (!(g0[0] & 3)) return; /* no copy, and nobody arrives at a barrier */
    const char *lacks = read_tensor(g0, w->sgpr + s->src[1].index, w->sgpr + s->src[2].index, w->sgpr + s->src[3].index, &t);
    for (uint32_t n = 0; !lacks && t.rank && n < t.times; n++) {
        if (t.times > 1 && !lies_inside(&t, n * t.step)) lacks = "a repeated tensor copy beyond its bounds";
        else if (!move_tile(w, s, &t, n * t.step, (uint64_t)n * t.lds_step)) return;
    }
    if (lacks) ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, lacks);
    else if (t.ends_at_barrier) ez_lds_barrier_arrive(w, s, EZ_FAULT_NO_LANE, t.barrier, 1, NULL);
}

void ez_step_tensor_load(ez_wave *w, const ez_step *s) { copy_tensor(w, s, false); }
void ez_step_tensor_store(ez_wave *w, const ez_step *s) { copy_tensor(w, s, true); }
