/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lowering: from instructions to steps, one basic block at a time. Operands become places, modifiers a
 * struct, and what is left to do when the code runs is one call for each step.
 */
#include "control.h"
#include "host_flush.h"
#include "program.h"
#include "semantics/steps.h"
#include "valu.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BLOCK = 256 }; /* instructions; a longer run of code is cut */

typedef struct lowerer {
    ez_program *program;
    uint32_t key;
    ez_step *steps; /* grows; copied into the block at the end */
    unsigned count, capacity;
    uint8_t skipped; /* instructions without a step, since the last one that has some */
    bool failed; /* out of memory */
} lowerer;

/* Puts a step into the list; the first one of an instruction takes over what was skipped before it. */
static ez_step *put_step(lowerer *l, const ez_step *step) {
    if (l->count == l->capacity) {
        unsigned capacity = l->capacity ? 2 * l->capacity : 32;
        ez_step *steps = aligned_alloc(_Alignof(ez_step), capacity * sizeof *steps);
        if (!steps) {
            l->failed = true;
            return NULL;
        }
        if (l->count) memcpy(steps, l->steps, l->count * sizeof *steps);
        free(l->steps);
        l->steps = steps;
        l->capacity = capacity;
    }
    ez_step *s = &l->steps[l->count++];
    *s = *step;
    s->skipped = s->counts = l->skipped;
    l->skipped = 0;
    return s;
}

static ez_step *add_step(lowerer *l, ez_step_fn *fn, size_t offset, const ez_inst *inst) {
    const ez_step s = {.fn = fn, .offset = (uint32_t)offset, .inst = inst};
    return put_step(l, &s);
}

/* ---- operands ---- */

/* The slot of a scalar operand code. M0 and null change places between generations; see wave.h. */
static unsigned slot_of(const ez_target *t, unsigned code, bool written) {
    bool swapped = ez_has(t, EZ_HAS_null_is_124);
    if (code == (swapped ? 125u : 124u)) return EZ_SLOT_M0;
    if (code == 124 || (code == 125 && ez_has(t, EZ_HAS_null_sgpr)))
        return written ? EZ_SLOT_DISCARD : EZ_SLOT_ZERO;
    return code;
}

static void raise_to(atomic_uint *most, unsigned n) {
    if (n > atomic_load_explicit(most, memory_order_relaxed)) atomic_store_explicit(most, n, memory_order_relaxed);
}

/* Notes that registers up to that row are used; with the lock held. */
static void note_rows(lowerer *l, unsigned end) {
    unsigned vgprs = ez_has(l->program->target, EZ_HAS_vgprs_1024) ? 1024 : 256;
    if (end <= vgprs) raise_to(&l->program->vgprs_used, end);
    else raise_to(&l->program->agprs_used, end - vgprs < 256 ? end - vgprs : 256);
}

/* The same for what steps of their own write beyond their places: tfe, blocks of up to 32 registers; or anywhere. */
static void note_step(lowerer *l, const ez_step *s) {
    bool anywhere = s->fn == ez_step_movreld || s->fn == ez_step_movrelsd || s->fn == ez_step_movrelsd_2 || s->fn == ez_step_swaprel ||
                    s->fn == ez_step_indexed;
    unsigned more = s->fn == ez_step_global_block || s->fn == ez_step_scratch_block ? 32 : 1;
    for (unsigned n = 0; n < s->dsts; n++)
        if (s->dst[n].kind == EZ_PLACE_ROW) note_rows(l, s->dst[n].index / l->program->lanes + s->dst[n].dwords + more);
    if (!anywhere) return;
    raise_to(&l->program->vgprs_used, UINT_MAX);
    raise_to(&l->program->agprs_used, UINT_MAX);
}

static bool vector_place(lowerer *l, const ez_inst *inst, const ez_operand *o, ez_place *p) {
    const ez_target *t = l->program->target;
    unsigned rows = ez_has(t, EZ_HAS_vgprs_1024) ? 1024 : 256, reg = o->reg;
    p->kind = EZ_PLACE_ROW;
    unsigned slot = ez_msb_slot(inst, o);
    p->bank = (uint8_t)slot;
    if (o->kind == EZ_OPERAND_AGPR) {
        if (reg + o->dwords > 256) return false;
        reg += rows;
    } else {
        if (ez_has(t, EZ_HAS_vgprs_1024) && slot != EZ_MSB_NONE)
            reg += 256 * (l->key >> (EZ_KEY_MSB_SHIFT + 2 * slot) & 3);
        if (reg + o->dwords > rows) return false;
    }
    p->index = reg * inst->wave;
    note_rows(l, reg + o->dwords);
    return true;
}

/* Sources that are computed when they are read: a step before the instruction puts them in a slot. */
static bool special_place(lowerer *l, const ez_inst *inst, size_t offset, const ez_operand *o, ez_place *p) {
    unsigned used = 0;
    for (unsigned i = l->count; i-- && l->steps[i].offset == offset;)
        used++;
    ez_step *s = add_step(l, ez_step_load_special, offset, inst);
    if (!s) return false;
    s->imm[0] = o->code;
    s->imm[1] = EZ_SLOT_SPECIAL + 2 * (used % 8);
    p->kind = EZ_PLACE_SCALAR;
    p->index = (uint32_t)s->imm[1];
    return true;
}

static bool constant_place(lowerer *l, const ez_inst *inst, const ez_operand *o, bool vector, ez_place *p) {
    p->kind = EZ_PLACE_CONSTANT;
    p->index = EZ_SLOT_ZERO;
    p->value = o->value;
    if (o->kind == EZ_OPERAND_LITERAL && o->bits == 64 && !ez_inst_has_literal64(inst)) {
        /* a 32-bit literal is the upper half of a double, else extended. Source: [RDNA3] "Literal Constants" */
        if (o->type == EZ_T_f64) p->value = o->value << 32;
        else if (o->type == EZ_T_i64) p->value = (uint64_t)(int64_t)(int32_t)(uint32_t)o->value;
    }
    /* both floats of a pair get the constant, as both halves do in v_pk_fmac_f16 from GFX11 on. Source: [LLVM]
     * "packed" operand kinds; behaviour of llvm-mc 22 */
    if (ez_type_is_pair(o->type)) p->value |= p->value << 32;
    if (o->kind == EZ_OPERAND_CONSTANT && o->code >= EZ_CODE_HALF &&
        ez_constant_in_both_halves(inst, o->type))
        p->value *= 0x10001;
    if (!vector) return true;
    p->constant = ez_program_constant(l->program, p->value, o->dwords ? o->dwords : 1, o->type == EZ_T_mask);
    if (!p->constant) l->failed = true;
    return p->constant != NULL;
}

/* Where one operand is; false when it is beyond the register file (the instruction stops then). */
static bool place_of(lowerer *l, const ez_inst *inst, size_t offset, const ez_operand *o, bool vector,
                     bool written, ez_place *p) {
    *p = (ez_place){.dwords = o->dwords ? o->dwords : 1,
                    .type = o->type,
                    .half = o->half,
                    .neg = o->neg,
                    .abs = o->abs,
                    .sext = o->sext,
                    .index = EZ_SLOT_ZERO};
    switch (o->kind) {
    case EZ_OPERAND_NONE: return true;
    case EZ_OPERAND_VGPR:
    case EZ_OPERAND_AGPR: return o->type != EZ_T_mask && vector_place(l, inst, o, p);
    case EZ_OPERAND_SGPR:
    case EZ_OPERAND_TTMP:
    case EZ_OPERAND_SPECIAL:
        if (o->code >= 128) return special_place(l, inst, offset, o, p);
        p->kind = EZ_PLACE_SCALAR;
        p->index = slot_of(l->program->target, o->code, written);
        return p->index + p->dwords <= EZ_SLOT_SPECIAL;
    case EZ_OPERAND_CONSTANT:
    case EZ_OPERAND_LITERAL:
    case EZ_OPERAND_IMMEDIATE: return constant_place(l, inst, o, vector, p);
    default: return false;
    }
}

/* Fills the places of a step that is not in the list yet: special sources come before it. */
static bool place_operands(lowerer *l, const ez_inst *inst, size_t offset, bool vector, ez_step *s) {
    unsigned count = ez_inst_operand_count(inst);
    for (unsigned n = 0; n < count; n++) {
        ez_operand o = ez_inst_operand(inst, n);
        if (o.written) {
            if (s->dsts == EZ_STEP_DSTS || !place_of(l, inst, offset, &o, vector, true, &s->dst[s->dsts++]))
                return false;
        } else {
            if (s->srcs == EZ_STEP_SRCS || !place_of(l, inst, offset, &o, vector, false, &s->src[s->srcs++]))
                return false;
        }
    }
    for (unsigned n = 0; n < count; n++) { /* the old values of what is read and written */
        ez_operand o = ez_inst_operand(inst, n);
        if (!o.written || !o.read) continue;
        if (s->srcs == EZ_STEP_SRCS || !place_of(l, inst, offset, &o, vector, false, &s->src[s->srcs++]))
            return false;
    }
    if (ez_row_has(inst->op, EZ_ROW_read_vcc) && s->srcs < EZ_STEP_SRCS)
        s->src[s->srcs++] =
            (ez_place){.kind = EZ_PLACE_SCALAR, .dwords = 1, .type = EZ_T_mask, .index = EZ_SLOT_VCC};
    return true;
}

/* ---- modifiers of vector instructions ---- */

static bool read_sdwa(const ez_inst *inst, ez_step *s, ez_modifiers *m) {
    m->select = m->sdwa = true;
    m->dst_sel = 6;
    if (ez_has_field(inst, EZ_F_dst_sel)) {
        m->dst_sel = (uint8_t)ez_get(inst, EZ_F_dst_sel);
        m->dst_unused = (uint8_t)ez_get(inst, EZ_F_dst_unused);
    }
    s->src[0].sel = (uint8_t)ez_get(inst, EZ_F_src0_sel);
    s->src[1].sel = (uint8_t)ez_get(inst, EZ_F_src1_sel);
    return true;
}

/* op_sel and the like of packed and mixed instructions; false when they say nothing beyond the plain way. */
static bool read_packed(const ez_inst *inst, const ez_semantic *sem, ez_step *s, ez_modifiers *m) {
    if (ez_has_field(inst, EZ_F_neg)) return false; /* VOP3: v_dot2_f16_f16 */
    for (unsigned n = 0; n < s->srcs; n++)
        s->src[n].neg = s->src[n].abs = s->src[n].half = 0;
    if (!ez_has_field(inst, EZ_F_op_sel_hi)) return false; /* VOP2: v_pk_fmac_f16, v_dot2c */
    m->packed = sem->packed;
    m->mix = sem->mix;
    m->op_sel = (uint8_t)ez_get(inst, EZ_F_op_sel);
    m->op_sel_hi = (uint8_t)(ez_get(inst, EZ_F_op_sel_hi) | ez_get(inst, EZ_F_op_sel_hi2) << 2);
    m->neg_lo = (uint8_t)ez_get(inst, EZ_F_neg_lo);
    m->neg_hi = (uint8_t)ez_get(inst, EZ_F_neg_hi);
    return m->mix || m->op_sel || (m->op_sel_hi & 7) != 7 || m->neg_lo || m->neg_hi;
}

/* byte_sel of a source: op_sel bits 0 and 1, the other way round. [RDNA4] V_CVT_F32_FP8 */
static bool read_byte_select(const ez_inst *inst, ez_step *s, ez_modifiers *m) {
    bool of_source =
        ez_row_has_on(inst->target, inst->op, EZ_ROW_bytesel) && ez_type_bits[s->src[0].type] == 8;
    unsigned op_sel = ez_get(inst, EZ_F_op_sel);
    if (!of_source || !(op_sel & 3)) return false;
    m->select = true;
    s->src[0].sel = (uint8_t)((op_sel & 1) << 1 | (op_sel >> 1 & 1));
    return true;
}

/* Interpolation: four lanes hold P0, P10 and P20 of their primitive. [RDNA3] V_INTERP_P10_F32 */
static bool read_quads(const ez_inst *inst, ez_modifiers *m) {
    switch (inst->op) {
    case EZ_OP_INTERP_P10_F32: case EZ_OP_INTERP_P10_F16_F32: case EZ_OP_INTERP_P10_RTZ_F16_F32: m->quad[0] = 2, m->quad[2] = 1; return true;
    case EZ_OP_INTERP_P2_F32_VGPR: case EZ_OP_INTERP_P2_F16_F32: case EZ_OP_INTERP_P2_RTZ_F16_F32: m->quad[0] = 3; return true;
    default: return false;
    }
}

/* Reads what the instruction has of modifiers; *any tells whether it has some. */
static bool read_modifiers(const ez_inst *inst, const ez_semantic *sem, ez_step *s, ez_modifiers *m,
                           bool *any) {
    bool used = false;
    switch (inst->form) {
    case EZ_FORM_SDWA: used = read_sdwa(inst, s, m); break;
    case EZ_FORM_DPP16:
    case EZ_FORM_E64_DPP16:
        if (!ez_dpp16_lanes(inst, m)) return false;
        used = true;
        break;
    case EZ_FORM_DPP8:
    case EZ_FORM_E64_DPP8:
        ez_dpp8_lanes(inst, m);
        used = true;
        break;
    default: break;
    }
    if (sem->packed || sem->mix) used |= read_packed(inst, sem, s, m);
    if (ez_row_has(inst->op, EZ_ROW_neg_c)) {
        s->src[2].neg = ez_get(inst, EZ_F_neg_lo) >> 2 & 1;
        s->src[2].abs = ez_get(inst, EZ_F_neg_hi) >> 2 & 1;
    }
    used |= read_byte_select(inst, s, m) | read_quads(inst, m);
    for (unsigned n = 0; n < s->srcs; n++)
        used |= s->src[n].neg | s->src[n].abs | s->src[n].half;
    if (!ez_row_has(inst->op, EZ_ROW_bitop3)) m->omod = (uint8_t)ez_get(inst, EZ_F_omod);
    m->omod_any_denorm = ez_row_has(inst->op, EZ_ROW_flat_result);
    m->omod_infinite = sem->ulp != 0;
    m->clamp = ez_get(inst, EZ_F_clamp);
    *any = used || m->omod || m->clamp;
    return true;
}

/* neg and abs of operands that are not floats by type but take them: v_cndmask_b32. */
static void read_raw_signs(const ez_inst *inst, ez_step *s) {
    if (!ez_row_has(inst->op, EZ_ROW_negabs) || !ez_has_field(inst, EZ_F_neg) ||
        ez_row_has(inst->op, EZ_ROW_pk))
        return;
    for (unsigned n = 0; n < s->srcs && n < 2; n++) {
        if (s->src[n].type != EZ_T_b32 && s->src[n].type != EZ_T_b16) continue;
        s->src[n].neg = ez_get(inst, EZ_F_neg) >> n & 1;
        s->src[n].abs = ez_get(inst, EZ_F_abs) >> n & 1;
    }
}

/* Bits of the destination that a 16-bit result replaces. */
static uint32_t kept16(const ez_inst *inst, const ez_place *d) {
    if (d->kind == EZ_PLACE_SCALAR) return ~0u;
    if (d->half) return 0xffff0000;
    return ez_keeps_other_half(inst) ? 0xffff : ~0u;
}

/* ---- instructions ---- */

static void unsupported(lowerer *l, size_t offset, const ez_inst *inst, ez_fault_kind kind,
                        const char *reason) {
    ez_step *s = add_step(l, ez_step_fault, offset, inst);
    if (!s) return;
    s->imm[0] = kind;
    s->imm[1] = (uint64_t)(uintptr_t)reason;
    s->counts++;
}

/* Fields that the meaning depends on come as one more source: the truth table of v_bitop3, which operands of
 * v_dot4_i32_iu8 and its like are signed, which byte of the result v_cvt_sr_fp8_f32 writes (op_sel bits 3:2). */
static bool field_source(lowerer *l, const ez_inst *inst, ez_step *s) {
    uint64_t value;
    bool byte = ez_writes_byte(inst);
    if (byte) value = ez_get(inst, EZ_F_op_sel) >> 2 & 3;
    else if (ez_row_has(inst->op, EZ_ROW_bitop2)) value = ez_get(inst, EZ_F_vsrcy2);
    else if (ez_row_has(inst->op, EZ_ROW_bitop3))
        value = ez_get(inst, EZ_F_omod) << 6 | ez_get(inst, EZ_F_abs) << 3 | ez_get(inst, EZ_F_neg);
    else if (ez_row_has(inst->op, EZ_ROW_neglohi)) value = ez_get(inst, EZ_F_neg_lo);
    else return true;
    if (s->srcs == EZ_STEP_SRCS) return false;
    for (unsigned n = 0; n < s->srcs && !byte; n++)
        s->src[n].neg = s->src[n].abs = 0;
    ez_place *p = &s->src[s->srcs++];
    *p = (ez_place){
        .kind = EZ_PLACE_CONSTANT, .dwords = 1, .type = EZ_T_u32, .index = EZ_SLOT_ZERO, .value = value};
    p->constant = ez_program_constant(l->program, value, 1, false);
    if (!p->constant) l->failed = true;
    return p->constant != NULL;
}

/* clamp saturates integers; from GFX12.5 on it turns FP8 into unsigned E5M3 in conversions. Elsewhere it limits floats. */
static bool clamp_changes_meaning(const ez_inst *inst, const ez_semantic *sem, const ez_step *s) {
    bool to_small = s->dsts && (s->dst[0].type == EZ_T_fp8 || s->dst[0].type == EZ_T_pk2_fp8 ||
                                s->dst[0].type == EZ_T_bf8 || s->dst[0].type == EZ_T_pk2_bf8);
    bool limits = ez_row_has_on(inst->target, inst->op, EZ_ROW_omod) ||
                  ez_row_has_on(inst->target, inst->op, EZ_ROW_fmod);
    return ez_row_has(inst->op, EZ_ROW_imod) || to_small || (sem->saturated && !limits);
}

static bool lower_lanes(lowerer *l, const ez_inst *inst, const ez_semantic *sem, ez_step *s) {
    ez_modifiers m = {0};
    bool any = false;
    read_raw_signs(inst, s);
    if (!field_source(l, inst, s)) return false;
    if (!read_modifiers(inst, sem, s, &m, &any)) return false;
    s->row = sem->row;
    if (l->key & EZ_KEY_FLAGS && sem->flagged) s->row = sem->flagged;
    s->flags = sem->host_round == 32 ? EZ_STEP_ROUND32 : sem->host_round ? EZ_STEP_ROUND16 : 0;
    if (m.clamp && clamp_changes_meaning(inst, sem, s)) {
        if (!sem->saturated) return false;
        s->row = sem->saturated;
        m.clamp = false;
    }
    if (sem->high) s->dst[0].half = 1;
    if (s->dsts && ez_type_bits[s->dst[0].type] == 16) s->valu.keep16 = kept16(inst, &s->dst[0]);
    if (!any) return true;
    ez_modifiers *kept = ez_program_alloc(l->program, sizeof m);
    if (!kept) {
        l->failed = true;
        return false;
    }
    *kept = m;
    s->modifiers = kept;
    return true;
}

static bool writes_exec(const ez_step *s) {
    for (unsigned n = 0; n < s->dsts; n++)
        if (s->dst[n].kind == EZ_PLACE_SCALAR && s->dst[n].index <= EZ_SLOT_EXEC + 1 &&
            s->dst[n].index + s->dst[n].dwords > EZ_SLOT_EXEC)
            return true;
    return false;
}

/* One half of a dual instruction as a step that is not in the list yet; false after adding a fault instead. */
static bool lower_half(lowerer *l, size_t offset, const ez_inst *inst, ez_step *s) {
    unsigned op = ez_inst_single(inst);
    const ez_semantic *sem = &l->program->level->semantics[op];
    *s = (ez_step){.offset = (uint32_t)offset, .inst = inst};
    if (sem->kind == EZ_SEM_LANES && place_operands(l, inst, offset, true, s) &&
        lower_lanes(l, inst, sem, s) && s->dsts == 1 && s->dst[0].kind == EZ_PLACE_ROW)
        return true;
    unsupported(l, offset, inst, EZ_FAULT_UNSUPPORTED, "half of a dual instruction is not implemented");
    return false;
}

static bool overlap(const lowerer *l, const ez_place *a, const ez_place *b) {
    unsigned lanes = l->program->lanes;
    return a->kind == EZ_PLACE_ROW && b->kind == EZ_PLACE_ROW && a->index < b->index + b->dwords * lanes &&
           b->index < a->index + a->dwords * lanes;
}

static bool reads(const lowerer *l, const ez_step *s, const ez_place *rows) {
    for (unsigned n = 0; n < s->srcs; n++)
        if (overlap(l, &s->src[n], rows)) return true;
    return false;
}

static ez_step *add_valu(lowerer *l, ez_step *s) {
    ez_valu_resolve(l->program, l->key, s);
    return put_step(l, s);
}

/* Both halves read before either writes. Mostly one can write before the other reads; else the first one's result waits in
 * the last temporary rows. */
static bool lower_dual(lowerer *l, size_t offset, const ez_inst *inst) {
    ez_program *p = l->program;
    ez_inst *second = ez_program_alloc(p, sizeof *second);
    if (!second) {
        l->failed = true;
        return false;
    }
    ez_step x, y;
    if (!ez_inst_second(inst, second) || !lower_half(l, offset, inst, &x) ||
        !lower_half(l, offset, second, &y))
        return false;
    bool turned = reads(l, &y, &x.dst[0]), waits = (turned && reads(l, &x, &y.dst[0])) || overlap(l, &x.dst[0], &y.dst[0]);
    ez_place target = x.dst[0];
    if (waits) x.dst[0].index = (ez_program_rows(p) + EZ_DUAL_ROW) * p->lanes;
    turned &= !waits;
    add_valu(l, turned ? &y : &x);
    ez_step *last = add_valu(l, turned ? &x : &y);
    if (waits) {
        ez_step *c = add_step(l, p->level->drivers->commit, offset, inst);
        if (c) {
            c->dst[0] = target;
            c->src[0] = x.dst[0];
        }
        last = c;
    }
    if (!last) return false;
    last->counts++;
    return true;
}

/* In VGPR index mode a vector instruction is done by a step that moves its places first. */
static bool index_step(lowerer *l, ez_step *s) {
    bool vector = false;
    for (unsigned n = 0; n < s->dsts; n++)
        vector |= s->dst[n].kind == EZ_PLACE_ROW;
    for (unsigned n = 0; n < s->srcs; n++)
        vector |= s->src[n].kind == EZ_PLACE_ROW;
    if (!vector || ez_has_field(s->inst, EZ_F_vaddr) || ez_has_field(s->inst, EZ_F_addr)) return true;
    if (l->program->level->semantics[s->inst->op].kind != EZ_SEM_LANES) return false;
    ez_step *kept = ez_program_alloc(l->program, sizeof *kept);
    if (!kept) {
        l->failed = true;
        return true;
    }
    *kept = *s;
    s->fn = ez_step_indexed;
    s->imm[0] = (uint64_t)(uintptr_t)kept;
    return true;
}

bool ez_vskip_skips(const ez_inst *inst) {
    switch (ez_inst_layout(inst)->encoding) {
    case EZ_ENC_SOP1: case EZ_ENC_SOP2: case EZ_ENC_SOPC: case EZ_ENC_SOPK: case EZ_ENC_SOPP: case EZ_ENC_SMEM: return false;
    default: return true;
    }
}

static bool lower_skipped(lowerer *l, size_t offset, const ez_inst *inst) {
    ez_step *s = add_step(l, ez_step_nothing, offset, inst);
    if (s) s->counts++;
    return s != NULL;
}

/* Waits and hints do nothing here: they are counted with the next instruction, unless what is executed is noted. */
static bool is_skipped(const lowerer *l, const ez_inst *inst, const ez_semantic *sem) {
    return sem->kind == EZ_SEM_STEP && sem->step == ez_step_nothing && !sem->ends && inst->size == 4 && l->skipped < 128 &&
           !(l->key & EZ_KEY_MARK);
}

/* Why a row has no semantics. Scales and their matrix instruction are decoded as one. */
static const char *lack_of(unsigned op) {
    switch (op) {
    case EZ_OP_MFMA_LD_SCALE_B32: case EZ_OP_WMMA_LD_SCALE_PAIRED_B32: case EZ_OP_WMMA_LD_SCALE16_PAIRED_B64:
        return "scales without the matrix instruction that they belong to";
    default: return "no semantics yet";
    }
}

/* Steps of one instruction. Returns false when the block ends behind it. */
static bool lower_instruction(lowerer *l, size_t offset, const ez_inst *inst) {
    if (ez_layout_is_dual(ez_inst_layout(inst))) return lower_dual(l, offset, inst);
    if (l->key & EZ_KEY_VSKIP && ez_vskip_skips(inst)) return lower_skipped(l, offset, inst);
    const ez_semantic *sem = &l->program->level->semantics[inst->op];
    if (sem->kind == EZ_SEM_NONE) {
        unsupported(l, offset, inst, EZ_FAULT_UNSUPPORTED, lack_of(inst->op));
        return false;
    }
    if (is_skipped(l, inst, sem)) {
        l->skipped++;
        return true;
    }
    ez_step s = {.fn = sem->step, .offset = (uint32_t)offset, .inst = inst};
    if (!place_operands(l, inst, offset, sem->kind == EZ_SEM_LANES, &s)) {
        unsupported(l, offset, inst, EZ_FAULT_REGISTER, "a register beyond the register file");
        return false;
    }
    bool good = sem->kind == EZ_SEM_LANES ? lower_lanes(l, inst, sem, &s) : !sem->prepare || sem->prepare(&s);
    if (!good) {
        unsupported(l, offset, inst, EZ_FAULT_UNSUPPORTED,
                    "a use of the instruction that is not implemented");
        return false;
    }
    if (sem->kind == EZ_SEM_LANES) ez_valu_resolve(l->program, l->key, &s);
    ez_step *added = put_step(l, &s);
    if (!added) return false;
    if (l->key & EZ_KEY_GPR_INDEX && !index_step(l, added)) {
        l->count--;
        unsupported(l, offset, inst, EZ_FAULT_UNSUPPORTED, "not implemented in VGPR index mode");
        return false;
    }
    if (added->fn == ez_step_indexed || sem->kind == EZ_SEM_STEP) note_step(l, added);
    bool copies = sem->kind == EZ_SEM_LANES && ez_row_has(inst->op, EZ_ROW_write_exec) && !writes_exec(&s);
    if (copies || writes_exec(&s)) {
        ez_step *more = add_step(l, copies ? ez_step_copy_to_exec : ez_step_exec_changed, offset, inst);
        if (!more) return false;
        more->dst[0] = s.dst[0];
    }
    l->steps[l->count - 1].counts++;
    if (inst->op == EZ_OP_S_SET_VGPR_MSB)
        l->key = (l->key & ~(0xffu << EZ_KEY_MSB_SHIFT)) | (ez_get(inst, EZ_F_simm16) & 0xff)
                                                               << EZ_KEY_MSB_SHIFT;
    return !sem->ends;
}

/* The instruction at an offset, kept by the program; NULL: none, or no memory. */
static const ez_inst *decode_at(lowerer *l, size_t offset) {
    ez_program *p = l->program;
    ez_inst inst;
    if (offset >= p->size ||
        ez_decode(p->target, p->lanes, p->code + offset, p->size - offset, &inst) != EZ_OK)
        return NULL;
    ez_inst *kept = ez_program_alloc(p, sizeof inst);
    if (!kept) l->failed = true;
    else *kept = inst;
    return kept;
}

ez_block *ez_lower(ez_program *p, size_t offset, uint32_t key) {
    lowerer l = {.program = p, .key = key};
    bool goes_on = true;
    if (key & EZ_KEY_MARK) add_step(&l, ez_step_enter, offset, NULL);
    for (unsigned n = 0; goes_on && !l.failed && n < MAX_BLOCK; n++) {
        const ez_inst *inst = decode_at(&l, offset);
        if (!inst) {
            if (!l.failed)
                unsupported(&l, offset, NULL, offset < p->size ? EZ_FAULT_ILLEGAL : EZ_FAULT_FETCH,
                            offset < p->size ? "no instruction of the target" : "behind the end of the code");
            goes_on = false;
            break;
        }
        goes_on = lower_instruction(&l, offset, inst);
        offset += inst->size;
    }
    add_step(&l, ez_step_fall_through, offset, NULL);
    bool hosts = key & EZ_KEY_HOST_FLUSH && !(key & (EZ_KEY_FLAGS | EZ_KEY_GPR_INDEX | EZ_KEY_MARK));
    unsigned count = hosts && !l.failed ? ez_host_flush_runs(p->level, l.steps, l.count, NULL) : l.count;
    ez_block *b = l.failed ? NULL : ez_program_alloc(p, sizeof *b + count * sizeof l.steps[0]);
    if (b) {
        b->key = key;
        b->count = count;
        if (hosts) ez_host_flush_runs(p->level, l.steps, l.count, b->steps);
        else memcpy(b->steps, l.steps, l.count * sizeof l.steps[0]);
        if (key & EZ_KEY_MARK) b->steps[0].imm[0] = (uint64_t)(uintptr_t)b;
    }
    free(l.steps);
    return b;
}
