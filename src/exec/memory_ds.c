/* SPDX-License-Identifier: Apache-2.0 */
/* DS: the workgroup's local memory, and exchange between lanes that goes the same way.
 * Source: "Data Share Operations" and "DS Instructions" of the ISA guides. */
#include "memory.h"

#include <string.h>

/* The DS address of each lane: VGPR and offset, modulo 2^32, so that a negative VGPR can be a base. docs/errata.md */
static void ds_addresses(ez_wave *w, const ez_step *s, uint64_t offset, uint64_t *address) {
    ez_memory_operands o = ez_memory_operands_of(s);
    const ez_place *v = ez_source_place(s, o.address);
    const uint32_t *row = v ? ez_place_rows(w, v) : NULL;
    for (unsigned lane = 0; lane < w->lanes; lane++)
        address[lane] = (uint32_t)((row ? row[lane] : 0) + offset);
}

static void begin_local(ez_wave *w, const ez_step *s, ez_access_lanes *a) {
    ez_access_begin(w, s, a);
    a->local = true; /* all waves of a workgroup run on one host thread */
    a->flush32 = w->md.flush_in32 | w->md.flush_out32;
}

/* Pointers for the active lanes at VGPR plus offset. False after a fault. */
static bool ds_access(ez_wave *w, const ez_step *s, uint64_t offset, ez_access_lanes *a) {
    const ez_place *v = ez_source_place(s, ez_memory_operands_of(s).address);
    static const uint32_t zero[EZ_MAX_LANES];
    return ez_access_lds_row(w, s, v ? ez_place_rows(w, v) : zero, offset, a);
}

void ez_step_ds(ez_wave *w, const ez_step *s) {
    ez_access_lanes a;
    begin_local(w, s, &a);
    a.by_rows = true;
    if (ds_access(w, s, s->imm[0], &a)) ez_access_do(w, ez_memory_op_of(s), &a);
}

/* Two accesses, at offset0 and offset1 in units of the element's size or of 64 of them; imm[3] has
 * the unit. Both addresses are checked before either access. */
void ez_step_ds_2addr(ez_wave *w, const ez_step *s) {
    const ez_memory_op *op = ez_memory_op_of(s);
    ez_access_lanes first, second;
    uint32_t offsets[EZ_MAX_LANES];
    begin_local(w, s, &first);
    begin_local(w, s, &second);
    first.by_rows = second.by_rows = true;
    if (!ds_access(w, s, ez_get(s->inst, EZ_F_offset0) * s->imm[3], &first)) return;
    if (!ds_access(w, s, ez_get(s->inst, EZ_F_offset1) * s->imm[3], &second)) return;
    first.s2 = NULL;
    second.s = second.s2;
    second.s2 = NULL;
    /* The result may overlay the address, which must have been used by then. Data may not overlay the result. */
    if (second.shape == EZ_SHAPE_NEAR) {
        memcpy(offsets, second.offsets, sizeof *offsets * w->lanes);
        second.offsets = offsets;
    }
    if (second.d) second.d += op->dwords * w->lanes;
    ez_access_do(w, op, &first);
    ez_access_do(w, op, &second);
}

static bool set_unit(ez_step *s) {
    switch (s->inst->op) {
    case EZ_OP_DS_LOAD_2ADDR_STRIDE64_B32: case EZ_OP_DS_LOAD_2ADDR_STRIDE64_B64:
    case EZ_OP_DS_STORE_2ADDR_STRIDE64_B32: case EZ_OP_DS_STORE_2ADDR_STRIDE64_B64:
    case EZ_OP_DS_STOREXCHG_2ADDR_STRIDE64_RTN_B32: case EZ_OP_DS_STOREXCHG_2ADDR_STRIDE64_RTN_B64:
        s->imm[3] = 64u * ez_memory_op_of(s)->bytes;
        return true;
    default: s->imm[3] = ez_memory_op_of(s)->bytes; return true;
    }
}

#define PREPARE_2ADDR(name)                                                                          \
    bool ez_prepare_2addr_##name(ez_step *s) { return ez_prepare_##name(s) && set_unit(s); }
PREPARE_2ADDR(LOAD_B32)
PREPARE_2ADDR(LOAD_B64)
PREPARE_2ADDR(STORE_B32)
PREPARE_2ADDR(STORE_B64)
PREPARE_2ADDR(SWAP_B32)
PREPARE_2ADDR(SWAP_B64)

/* LDS at M0 + offset + lane * 4. */
void ez_step_ds_addtid(ez_wave *w, const ez_step *s) {
    ez_access_lanes a;
    uint64_t address[EZ_MAX_LANES];
    begin_local(w, s, &a);
    for (unsigned lane = 0; lane < w->lanes; lane++)
        address[lane] = (w->sgpr[EZ_SLOT_M0] & 0xffff) + s->imm[0] + 4 * lane;
    if (ez_access_lds(w, s, address, a.active, 4, &a)) ez_memory_op_of(s)->run(&a);
}

/* The second operand is in LDS too: at a signed number of dwords from the first, which is in the instruction, or with
 * offset1[7] in the upper bits of the address. [Vega] DS_ADD_SRC2_U32 */
void ez_step_ds_src2(ez_wave *w, const ez_step *s) {
    const ez_memory_op *op = ez_memory_op_of(s);
    uint32_t offset0 = ez_get(s->inst, EZ_F_offset0), offset1 = ez_get(s->inst, EZ_F_offset1), data[2 * EZ_MAX_LANES];
    int32_t fixed = (int32_t)((offset1 & 0x7f) << 25 | offset0 << 17) >> 17;
    ez_access_lanes first, second;
    uint64_t address[EZ_MAX_LANES], other[EZ_MAX_LANES];
    begin_local(w, s, &first);
    begin_local(w, s, &second);
    ds_addresses(w, s, 0, address);
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        int32_t by = offset1 & 0x80 ? (int32_t)address[lane] >> 17 : fixed;
        if (offset1 & 0x80) address[lane] &= 0x1ffff;
        other[lane] = address[lane] + (uint64_t)(4 * (int64_t)by);
    }
    if (!ez_access_lds(w, s, address, first.active, op->bytes, &first)) return;
    if (!ez_access_lds(w, s, other, second.active, op->bytes, &second)) return;
    first.s = data;
    for (uint64_t left = second.active; left; left &= left - 1) { /* the lanes one after the other */
        unsigned lane = ez_first_lane(left);
        for (unsigned d = 0; d < op->dwords; d++) {
            const uint8_t *p = second.p[lane] + 4 * d;
            data[d * w->lanes + lane] = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        }
        first.active = UINT64_C(1) << lane;
        op->run(&first);
    }
}

/* One value for all lanes: its address is M0[15:0], its type M0[18:16]. [Vega] "LDS Direct Access", [RDNA3] 12.3 */
void ez_step_ds_direct(ez_wave *w, const ez_step *s) {
    enum { U8, U16, B32, NONE, I8, I16 };
    static const uint8_t sizes[8] = {[U8] = 1, [U16] = 2, [B32] = 4, [I8] = 1, [I16] = 2};
    ez_access_lanes a;
    uint64_t address[EZ_MAX_LANES] = {w->sgpr[EZ_SLOT_M0] & 0xffff};
    unsigned type = w->sgpr[EZ_SLOT_M0] >> 16 & 7, bytes = sizes[type];
    uint32_t value = 0, *d = ez_place_rows(w, &s->dst[0]);
    if (!bytes) {
        ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "a type of a direct load that does not exist");
        return;
    }
    begin_local(w, s, &a);
    if (!ez_access_lds(w, s, address, 1, bytes, &a)) return;
    for (unsigned b = 0; b < bytes; b++) value |= (uint32_t)a.p[0][b] << (8 * b);
    if (type == I8) value = (uint32_t)(int8_t)value;
    if (type == I16) value = (uint32_t)(int16_t)value;
    for (uint64_t left = ez_exec(w); left; left &= left - 1) d[ez_first_lane(left)] = value;
}

/* A load that transposes. */
void ez_step_ds_transpose(ez_wave *w, const ez_step *s) {
    ez_access_lanes a;
    uint64_t address[EZ_MAX_LANES];
    begin_local(w, s, &a);
    ds_addresses(w, s, s->imm[0], address);
    if (ez_access_lds(w, s, address, a.active, ez_memory_op_of(s)->bytes, &a)) ez_transpose(w, s, &a);
}

bool ez_prepare_ds_lanes(ez_step *s) {
    static const ez_memory_op none = {EZ_MEM_LOAD, 4, 1, NULL};
    return ez_prepare_memory(s, &none);
}

/* ---- append and consume: a counter at M0 + offset; imm[3] is 1 or -1, for each active lane. M0 is no
 * limit here: [LLVM] code for llvm.amdgcn.ds.append sets it to the counter's address. ---- */

void ez_step_ds_append(ez_wave *w, const ez_step *s) {
    ez_access_lanes a;
    begin_local(w, s, &a);
    uint64_t at = (w->sgpr[EZ_SLOT_M0] & 0xffff) + s->imm[0];
    if (!a.active) return;
    if (at & 3 || w->lds_size < 4 || at > w->lds_size - 4) {
        ez_wave_fault_memory(w, s, at & 3 ? EZ_FAULT_ALIGNMENT : EZ_FAULT_MEMORY, EZ_FAULT_NO_LANE, at, 4,
                             EZ_ACCESS_READ | EZ_ACCESS_WRITE | EZ_ACCESS_ATOMIC | EZ_ACCESS_LDS,
                             at & 3 ? "an LDS address that is not aligned" : "outside the workgroup's LDS");
        return;
    }
    uint8_t *p = w->lds + at;
    uint32_t old = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    uint32_t new = old + (uint32_t)s->imm[3] * (uint32_t)__builtin_popcountll(a.active);
    for (unsigned b = 0; b < 4; b++)
        p[b] = (uint8_t)(new >> (8 * b));
    for (uint64_t left = a.active; left && a.d; left &= left - 1)
        a.d[ez_first_lane(left)] = old;
}

bool ez_prepare_ds_append(ez_step *s) {
    static const ez_memory_op op = {EZ_MEM_ATOMIC, 4, 1, NULL};
    s->imm[3] = s->inst->op == EZ_OP_DS_APPEND ? 1 : (uint64_t)-1;
    return ez_prepare_memory(s, &op);
}

/* ---- barriers in LDS, GFX12.5: how many are still missing in bits 28:0, the phase in 31:29, which counts down, how many
 * are missing when a phase begins in 63:32; each is one less than those that arrive. docs/errata.md ---- */

bool ez_lds_barrier_arrive(ez_wave *w, const ez_step *s, unsigned lane, uint64_t address, uint64_t by, uint64_t *before) {
    if (address & 7 || w->lds_size < 8 || address > w->lds_size - 8) {
        ez_wave_fault_memory(w, s, address & 7 ? EZ_FAULT_ALIGNMENT : EZ_FAULT_MEMORY, lane, address, 8,
                             EZ_ACCESS_READ | EZ_ACCESS_WRITE | EZ_ACCESS_ATOMIC | EZ_ACCESS_LDS,
                             address & 7 ? "an LDS address that is not aligned" : "outside the workgroup's LDS");
        return false;
    }
    enum { WIDTH = 29 };
    uint64_t state = 0;
    for (unsigned b = 0; b < 8; b++) state |= (uint64_t)w->lds[address + b] << (8 * b);
    uint64_t missing = state & ((1u << WIDTH) - 1), phase = state >> WIDTH & 7, all = state >> 32;
    if (all >> 16 || by > missing + 1) {
        ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "a barrier in LDS of more than 65536, or at which more arrive than are missing");
        return false;
    }
    if (before) *before = state;
    if (by <= missing) missing -= by;
    else missing = all, phase = (phase - 1) & 7;
    state = all << 32 | phase << WIDTH | missing;
    for (unsigned b = 0; b < 8; b++) w->lds[address + b] = (uint8_t)(state >> (8 * b));
    return true;
}

bool ez_prepare_ds_barrier(ez_step *s) {
    static const ez_memory_op op = {EZ_MEM_ATOMIC, 8, 2, NULL};
    return ez_prepare_memory(s, &op);
}

void ez_step_ds_barrier(ez_wave *w, const ez_step *s) {
    ez_access_lanes a;
    uint64_t address[EZ_MAX_LANES], before = 0;
    begin_local(w, s, &a);
    ds_addresses(w, s, s->imm[0], address);
    for (uint64_t left = a.active; left; left &= left - 1) { /* the lanes one after the other */
        unsigned lane = ez_first_lane(left);
        uint64_t by = a.s ? a.s[lane] | (uint64_t)a.s[a.lanes + lane] << 32 : 1;
        if (!ez_lds_barrier_arrive(w, s, lane, address[lane], by, &before)) return;
        if (!a.d) continue;
        a.d[lane] = (uint32_t)before;
        a.d[a.lanes + lane] = (uint32_t)(before >> 32);
    }
}

/* ---- lanes ---- */

static void write_lanes(ez_wave *w, const ez_step *s, const uint32_t *value) {
    uint32_t *d = ez_place_rows(w, &s->dst[0]);
    for (unsigned lane = 0; lane < w->lanes; lane++)
        if (w->exec_row[lane]) d[lane] = value[lane];
}

/* Each active lane sends its data to the lane (address + offset) / 4; of several the highest wins. */
void ez_step_ds_permute(ez_wave *w, const ez_step *s) {
    ez_memory_operands o = ez_memory_operands_of(s);
    const uint32_t *address = ez_place_rows(w, &s->src[o.address]);
    const uint32_t *data = ez_place_rows(w, &s->src[o.data]);
    uint32_t value[EZ_MAX_LANES] = {0};
    for (unsigned lane = 0; lane < w->lanes; lane++)
        if (w->exec_row[lane]) value[(address[lane] + (uint32_t)s->imm[0]) / 4 % w->lanes] = data[lane];
    write_lanes(w, s, value);
}

/* Each lane takes the data of the lane (address + offset) / 4: 0 of an inactive one, unless "fi". */
void ez_step_ds_bpermute(ez_wave *w, const ez_step *s) {
    ez_memory_operands o = ez_memory_operands_of(s);
    const uint32_t *address = ez_place_rows(w, &s->src[o.address]);
    const uint32_t *data = ez_place_rows(w, &s->src[o.data]);
    bool inactive = s->inst->op == EZ_OP_DS_BPERMUTE_FI_B32;
    uint32_t value[EZ_MAX_LANES];
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        unsigned from = (address[lane] + (uint32_t)s->imm[0]) / 4 % w->lanes;
        value[lane] = inactive || w->exec_row[from] ? data[from] : 0;
    }
    write_lanes(w, s, value);
}

static unsigned reverse5(unsigned x) {
    return (x & 1) << 4 | (x & 2) << 2 | (x & 4) | (x & 8) >> 2 | (x & 16) >> 4;
}

/* The lane that a lane reads under a swizzle pattern. Bit 15 clear: within 32 lanes by and, or and xor masks; set:
 * within 4 lanes by a table; FFT (0xe000 on) and rotate (0xc000 on) where the target has them.
 * Source: DS_SWIZZLE_B32 of [GCN3] and [RDNA4]. */
static unsigned swizzle_source(const ez_wave *w, uint32_t pattern, unsigned lane) {
    unsigned group = lane & ~31u, in = lane & 31;
    bool more = ez_has(w->target, EZ_HAS_lds_unaligned); /* GFX9 on, as rotate and FFT are */
    if (more && pattern >= 0xe000) {
        unsigned keep = pattern & 31;
        return group | ((reverse5(in) >> __builtin_popcount(keep)) | (in & keep));
    }
    if (more && pattern >= 0xc000) {
        unsigned count = pattern >> 5 & 31, keep = pattern & 31;
        unsigned moved = pattern >> 10 & 1 ? in - count : in + count;
        return group | ((in & keep) | (moved & 31 & ~keep));
    }
    if (pattern & 0x8000) return (lane & ~3u) | (pattern >> (2 * (lane & 3)) & 3);
    unsigned and = pattern & 31, or = pattern >> 5 & 31, xor = pattern >> 10 & 31;
    return group | (((in & and) | or) ^ xor);
}

void ez_step_ds_swizzle(ez_wave *w, const ez_step *s) {
    ez_memory_operands o = ez_memory_operands_of(s);
    const uint32_t *data = ez_place_rows(w, &s->src[o.address]);
    uint32_t value[EZ_MAX_LANES];
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        unsigned from = swizzle_source(w, (uint32_t)s->imm[0], lane);
        value[lane] = w->exec_row[from] ? data[from] : 0;
    }
    write_lanes(w, s, value);
}
