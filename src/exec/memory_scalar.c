/* SPDX-License-Identifier: Apache-2.0 */
/* SMEM: scalar loads and stores. Source: "Scalar Memory Operations" of the ISA guides. */
#include "memory.h"

#include <string.h>

/* imm[0]: immediate offset; imm[1]: slot of the SGPR offset; imm[2]: bytes of an element (below 4:
 * imm[3] says whether it is signed), else imm[3] is the number of dwords. */
enum { IMM_OFFSET, IMM_SLOT, IMM_BYTES, IMM_MORE }; /* of an atomic IMM_MORE is the operation */

static unsigned slot_of_code(const ez_target *t, unsigned code) {
    bool swapped = ez_has(t, EZ_HAS_null_is_124);
    if (code == (swapped ? 125u : 124u)) return EZ_SLOT_M0;
    if (code == 124 || (code == 125 && ez_has(t, EZ_HAS_null_sgpr))) return EZ_SLOT_ZERO;
    return code & 127;
}

/* An SGPR offset to scratch counts 64 bytes. [Vega] S_SCRATCH_LOAD_DWORD. Or it counts elements: scale_offset. */
enum { SGPR_COUNTS_64 = 1, SGPR_COUNTS_ELEMENTS = 2 };

/* GFX8: an immediate, or an SGPR in the same field. GFX9: an SGPR in a field of its own too. GFX10 on:
 * both, the SGPR may be null. */
static void set_offsets(ez_step *s) {
    const ez_inst *inst = s->inst;
    unsigned width = ez_inst_layout(inst)->field[EZ_F_offset].width;
    uint32_t raw = ez_get(inst, EZ_F_offset);
    int64_t offset = raw;
    if (ez_has(inst->target, EZ_HAS_smem_signed) && width) {
        uint32_t sign = UINT32_C(1) << (width - 1);
        offset = (int64_t)(raw ^ sign) - (int64_t)sign;
    }
    unsigned slot = EZ_SLOT_ZERO;
    if (ez_has_field(inst, EZ_F_imm)) {
        if (ez_get(inst, EZ_F_soffset_en)) {
            slot = slot_of_code(inst->target, ez_get(inst, EZ_F_soffset));
            if (!ez_get(inst, EZ_F_imm)) offset = 0;
        } else if (!ez_get(inst, EZ_F_imm)) {
            slot = slot_of_code(inst->target, raw & 0x7f);
            offset = 0;
        }
    } else if (ez_has_field(inst, EZ_F_soffset)) {
        slot = slot_of_code(inst->target, ez_get(inst, EZ_F_soffset));
    }
    s->imm[IMM_OFFSET] = (uint64_t)offset;
    s->imm[IMM_SLOT] = slot;
    if (ez_get(inst, EZ_F_scale_offset)) s->flags |= SGPR_COUNTS_ELEMENTS;
}

bool ez_prepare_smem_load(ez_step *s) {
    set_offsets(s);
    s->imm[IMM_BYTES] = 4;
    s->imm[IMM_MORE] = s->dst[0].dwords;
    return s->dst[0].kind != EZ_PLACE_CONSTANT;
}

bool ez_prepare_smem_scratch_load(ez_step *s) {
    s->flags = SGPR_COUNTS_64;
    return ez_prepare_smem_load(s);
}
bool ez_prepare_smem_scratch_store(ez_step *s) {
    s->flags = SGPR_COUNTS_64;
    return ez_prepare_smem_store(s);
}

/* 8 and 16 bits, extended to 32. */
bool ez_prepare_smem_load_u8(ez_step *s) {
    set_offsets(s);
    s->imm[IMM_BYTES] = 1;
    s->imm[IMM_MORE] = 0;
    return true;
}
bool ez_prepare_smem_load_i8(ez_step *s) {
    set_offsets(s);
    s->imm[IMM_BYTES] = 1;
    s->imm[IMM_MORE] = 1;
    return true;
}
bool ez_prepare_smem_load_u16(ez_step *s) {
    set_offsets(s);
    s->imm[IMM_BYTES] = 2;
    s->imm[IMM_MORE] = 0;
    return true;
}
bool ez_prepare_smem_load_i16(ez_step *s) {
    set_offsets(s);
    s->imm[IMM_BYTES] = 2;
    s->imm[IMM_MORE] = 1;
    return true;
}

bool ez_prepare_smem_store(ez_step *s) {
    set_offsets(s);
    s->imm[IMM_BYTES] = 4;
    s->imm[IMM_MORE] = s->src[0].dwords;
    return s->src[0].kind == EZ_PLACE_SCALAR;
}

/* Where a scalar access goes. A buffer has a size beyond which loads give 0 and stores do nothing:
 * bytes, or with a stride as many strides. */
typedef struct scalar_address {
    uint64_t base, offset, limit; /* limit: of the offset */
} scalar_address;

static scalar_address address_of(const ez_wave *w, const ez_step *s, const ez_place *base) {
    uint64_t bytes = s->imm[IMM_BYTES];
    uint64_t scale = s->flags & SGPR_COUNTS_ELEMENTS ? bytes == 4 ? 4 * s->imm[IMM_MORE] : bytes : 1;
    if (s->flags & SGPR_COUNTS_64) scale = 64;
    uint64_t offset = s->imm[IMM_OFFSET] + w->sgpr[s->imm[IMM_SLOT]] * scale;
    const uint32_t *word = w->sgpr + base->index;
    scalar_address a = {.limit = UINT64_MAX};
    if (base->dwords < 4) {
        a.base = ez_scalar64(w, base) + offset;
    } else if (ez_has(w->target, EZ_HAS_rsrc_57_45)) {
        uint64_t stride = word[3] >> 12 & 0x3fff;
        a.base = word[0] | (uint64_t)(word[1] & 0x1ffffff) << 32;
        a.limit = word[1] >> 25 | (uint64_t)word[2] << 7 | (uint64_t)(word[3] & 0x3f) << 39;
        if (stride) a.limit *= stride;
        a.offset = offset;
    } else {
        uint64_t stride = word[1] >> 16 & 0x3fff;
        a.base = word[0] | (uint64_t)(word[1] & 0xffff) << 32;
        a.limit = word[2] * (stride ? stride : 1);
        a.offset = offset;
    }
    if (bytes == 4) { /* the two low bits of an address count as 0 */
        a.base &= ~UINT64_C(3);
        a.offset &= ~UINT64_C(3);
    }
    return a;
}

static uint32_t load_le(const uint8_t *p, unsigned bytes) {
    uint32_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint32_t)p[i] << (8 * i);
    return v;
}

static void load_small(ez_wave *w, const ez_step *s, scalar_address a) {
    unsigned bytes = (unsigned)s->imm[IMM_BYTES];
    uint32_t value = 0;
    if (a.offset < a.limit && a.limit - a.offset >= bytes) {
        const uint8_t *p =
            ez_wave_translate(w, s, EZ_FAULT_NO_LANE, a.base + a.offset, bytes, EZ_ACCESS_READ);
        if (!p) return;
        value = load_le(p, bytes);
    }
    unsigned shift = 32 - 8 * bytes;
    if (s->imm[IMM_MORE]) value = (uint32_t)((int32_t)(value << shift) >> shift);
    w->sgpr[s->dst[0].index] = value;
}

/*
 * The bytes of a load, those outside any memory as 0. A compiler may load more than the program reads where
 * the wider load cannot cross into another page (3 dwords as 4, a byte as a dword); memory ends with a
 * page on hardware and with a buffer here. So a load that begins inside and stays within 64 aligned bytes
 * may end outside. Source: [LLVM] AMDGPULateCodeGenPrepare; widening of uniform loads in instruction selection.
 * False after stopping the wave.
 */
static bool load_outside(ez_wave *w, const ez_step *s, uint64_t address, uint32_t size, uint8_t *out) {
    const void *p = NULL;
    uint32_t inside = size;
    if (!p && w->memory && address / 64 == (address + size - 1) / 64)
        while (!p && --inside)
            p = w->memory->translate(address, inside, EZ_ACCESS_READ, w->memory->user);
    if (!p) return ez_wave_translate(w, s, EZ_FAULT_NO_LANE, address, size, EZ_ACCESS_READ);
    memset(out, 0, size);
    memcpy(out, p, inside);
    return true;
}

void ez_step_smem_load(ez_wave *w, const ez_step *s) {
    scalar_address a = address_of(w, s, &s->src[0]);
    if (s->imm[IMM_BYTES] < 4) {
        load_small(w, s, a);
        return;
    }
    uint32_t dwords = (uint32_t)s->imm[IMM_MORE], value[16] = {0};
    uint64_t inside = a.offset < a.limit ? (a.limit - a.offset) / 4 : 0;
    uint32_t count = inside < dwords ? (uint32_t)inside : dwords;
    uint8_t outside[sizeof value];
    const uint8_t *p = outside;
    if (count && w->memory) p = w->memory->translate(a.base + a.offset, 4 * count, EZ_ACCESS_READ, w->memory->user);
    if (count && (!p || !w->memory)) {
        if (!load_outside(w, s, a.base + a.offset, 4 * count, outside)) return;
        p = outside;
    }
    for (uint32_t i = 0; i < count; i++) value[i] = ez_dword_at(p + 4 * i);
    if (s->dst[0].kind != EZ_PLACE_SCALAR || s->dst[0].index == EZ_SLOT_DISCARD) return;
    for (uint32_t i = 0; i < dwords; i++) w->sgpr[s->dst[0].index + i] = value[i];
}

/* Operands in text order: data, base, offset. */
void ez_step_smem_store(ez_wave *w, const ez_step *s) {
    scalar_address a = address_of(w, s, &s->src[1]);
    uint32_t dwords = (uint32_t)s->imm[IMM_MORE];
    uint64_t inside = a.offset < a.limit ? (a.limit - a.offset) / 4 : 0;
    uint32_t count = inside < dwords ? (uint32_t)inside : dwords;
    if (!count) return;
    uint8_t *p = ez_wave_translate(w, s, EZ_FAULT_NO_LANE, a.base + a.offset, 4 * count, EZ_ACCESS_WRITE);
    if (!p) return;
    for (uint32_t i = 0; i < 4 * count; i++)
        p[i] = (uint8_t)(w->sgpr[s->src[0].index + i / 4] >> (8 * (i & 3)));
}

/* ---- atomics: the operations of vector memory on one lane, whose rows are the SGPRs ---- */

bool ez_prepare_smem_atomic(ez_step *s, const ez_memory_op *op) {
    if (s->fn != ez_step_smem_atomic) return false;
    set_offsets(s);
    s->imm[IMM_BYTES] = 4;
    s->imm[IMM_MORE] = (uint64_t)(uintptr_t)op;
    return true;
}

void ez_step_smem_atomic(ez_wave *w, const ez_step *s) {
    const ez_memory_op *op = (const ez_memory_op *)(uintptr_t)s->imm[IMM_MORE];
    /* the data are in dst[0] when the old value is wanted, else in src[0] */
    const ez_place *data = s->dsts ? &s->dst[0] : &s->src[0];
    scalar_address at = address_of(w, s, s->dsts ? &s->src[0] : &s->src[1]);
    unsigned access = EZ_ACCESS_READ | EZ_ACCESS_WRITE | EZ_ACCESS_ATOMIC;
    bool inside = at.offset < at.limit && at.limit - at.offset >= op->bytes;
    uint64_t address = at.base + at.offset;
    if (address & (op->bytes - 1u)) {
        ez_wave_fault_memory(w, s, EZ_FAULT_ALIGNMENT, EZ_FAULT_NO_LANE, address, op->bytes, access,
                             "an atomic needs the alignment of its size");
        return;
    }
    ez_access_lanes a = {.active = inside, .nothing = !inside, .stride = 4, .lanes = 1,
                         .target = w->target, .wave = w, .s = w->sgpr + data->index};
    if (data->dwords == 2 * op->dwords) a.s2 = a.s + op->dwords;
    if (s->dsts && ez_inst_returns(s->inst)) a.d = w->sgpr + data->index;
    if (inside) a.p[0] = ez_wave_translate(w, s, EZ_FAULT_NO_LANE, address, op->bytes, access);
    if (!inside || a.p[0]) op->run(&a);
}

void ez_step_smem_time(ez_wave *w, const ez_step *s) {
    uint64_t cycles = ez_wave_cycles(w);
    ez_put64(w, s->dst[0].index, s->inst->op == EZ_OP_S_MEMTIME ? cycles : cycles / EZ_CYCLES_PER_TICK);
}
bool ez_prepare_smem_time(ez_step *s) { return s->dst[0].kind == EZ_PLACE_SCALAR; }
