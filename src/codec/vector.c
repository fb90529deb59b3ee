/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which bits of the modifier fields a vector instruction takes. Decoder, printer and parser ask here: a bit that is
 * not taken has no text, and most of them make the word no instruction. What llvm-mc 22 decodes is the source.
 */
#include "codec.h"

#include <string.h>

static bool has(const ez_inst *inst, unsigned flag) {
    return ez_row_has_on(inst->target, inst->op, flag);
}

/* ---- neg, abs, sext of operands ---- */

static bool takes_signs(const ez_inst *inst) { return has(inst, EZ_ROW_fmod) || has(inst, EZ_ROW_negabs); }

ez_source_modifiers ez_operand_modifiers(const ez_inst *inst, unsigned field, unsigned type) {
    int n = ez_source_index(field);
    bool takes = takes_signs(inst) && (ez_type_is_float(type) || (has(inst, EZ_ROW_negabs_all) && type != EZ_T_mask));
    if (n < 0) return EZ_SOURCE_PLAIN;
    if (has(inst, EZ_ROW_mix)) return EZ_SOURCE_NEG_ABS;
    if (ez_has_field(inst, EZ_F_negx) || ez_has_field(inst, EZ_F_negy))
        return has(inst, EZ_ROW_neg3) && type != EZ_T_mask ? EZ_SOURCE_NEG : EZ_SOURCE_PLAIN;
    if (ez_has_field(inst, EZ_F_neg)) return takes ? EZ_SOURCE_NEG_ABS : EZ_SOURCE_PLAIN;
    if (n > 1 || !ez_has_field(inst, EZ_F_src0_neg)) return EZ_SOURCE_PLAIN;
    if (takes) return EZ_SOURCE_NEG_ABS;
    return ez_has_field(inst, EZ_F_src0_sext) && !ez_type_is_float(type) ? EZ_SOURCE_SEXT : EZ_SOURCE_PLAIN;
}

/* A bit for each source whose modifiers are of that kind; NEG counts for NEG_ABS too when asked for. */
static unsigned sources_with(const ez_inst *inst, ez_source_modifiers kind) {
    const ez_row *row = &ez_rows[inst->op];
    unsigned mask = 0;
    for (unsigned n = 0; n < row->noperands; n++) {
        const ez_row_operand *o = &ez_row_operands[row->operands + n];
        unsigned field = ez_operand_field(inst, o);
        if (ez_source_index(field) >= 0 && ez_operand_modifiers(inst, field, o->type) == kind)
            mask |= 1u << ez_source_index(field);
    }
    return mask;
}

unsigned ez_vector_sources(const ez_inst *inst) {
    const ez_row *row = &ez_rows[inst->op];
    unsigned mask = 0;
    for (unsigned n = 0; n < row->noperands; n++) {
        int source = ez_source_index(ez_operand_field(inst, &ez_row_operands[row->operands + n]));
        if (source >= 0) mask |= 1u << source;
    }
    return mask;
}

bool ez_writes_byte(const ez_inst *inst) {
    const ez_row_operand *o = &ez_row_operands[ez_rows[inst->op].operands];
    return ez_rows[inst->op].noperands && o->access == 'X' && ez_type_bits[o->type] == 8;
}

/* The op_sel bits that say something where halves have names. */
static unsigned half_places(const ez_inst *inst) {
    const ez_row *row = &ez_rows[inst->op];
    unsigned places = has(inst, EZ_ROW_opsel) ? 8 : 0;
    for (unsigned n = 0; n < row->noperands; n++) {
        const ez_row_operand *o = &ez_row_operands[row->operands + n];
        int source = ez_source_index(ez_operand_field(inst, o));
        if (source >= 0 && o->type != EZ_T_mask) places |= 1u << source;
        if (source < 0 && n == 0 && o->type != EZ_T_mask) places |= 8; /* the result's, idle where it has no halves */
    }
    return places;
}

bool ez_names_halves(const ez_inst *inst) {
    if (!ez_has(inst->target, EZ_HAS_true16) || has(inst, EZ_ROW_not16)) return false;
    return !ez_has_field(inst, EZ_F_op_sel) || !(ez_get(inst, EZ_F_op_sel) & ~half_places(inst));
}

/* Source: [GCN3], [Vega]: a 16-bit result clears the upper half, except those with op_sel on GFX9; from GFX10 on the other
 * half is kept. */
bool ez_keeps_other_half(const ez_inst *inst) {
    if (has(inst, EZ_ROW_mix)) return true;
    bool selects = ez_has(inst->target, EZ_HAS_vop3_opsel) && has(inst, EZ_ROW_opsel);
    return selects || !ez_has(inst->target, EZ_HAS_dst16_zero_high);
}

/* The element of an accumulator, pk8_f16, dc8_f16_w or the like, as which its constants are written. */
static unsigned element_type(unsigned type) {
    static const uint8_t floats[] = {EZ_T_bf16, EZ_T_f16, EZ_T_f32, EZ_T_f64};
    for (unsigned i = 0; i < sizeof floats; i++)
        if (strstr(ez_type_names[type], ez_type_names[floats[i]])) return floats[i];
    return EZ_T_u32;
}

unsigned ez_constant_type(const ez_inst *inst, unsigned type) {
    bool class_f16 = inst->op == EZ_OP_CMP_CLASS_F16 || inst->op == EZ_OP_CMPX_CLASS_F16;
    if (class_f16 && !ez_type_is_float(type))
        return ez_has(inst->target, EZ_HAS_true16) ? EZ_T_f16 : EZ_T_u32;
    if (ez_rows[inst->op].dims[0] && ez_type_bits[type] > 32) /* of RDNA 3 llvm-mc 22 has doubles */
        return ez_has(inst->target, EZ_HAS_wmma_whole_rows) ? EZ_T_f64 : element_type(type);
    bool align = inst->op == EZ_OP_ALIGNBIT_B32 || inst->op == EZ_OP_ALIGNBYTE_B32;
    if (align && ez_type_bits[type] == 16 && !ez_has(inst->target, EZ_HAS_true16)) return EZ_T_u32;
    if (inst->op == EZ_OP_LDEXP_F16 && ez_type_bits[type] == 16) return EZ_T_f16;
    if (ez_type_bits[type] == 8) return EZ_T_u32; /* the byte that counts is another field's to say */
    if (type == EZ_T_pk2_fp8 || type == EZ_T_pk2_bf8) {
        if (!ez_has(inst->target, EZ_HAS_true16)) return EZ_T_u32;
        return ez_row_operands[ez_rows[inst->op].operands].type == EZ_T_pk_f16 ? EZ_T_u16 : EZ_T_f16;
    }
    if (has(inst, EZ_ROW_lit_f32)) return type == EZ_T_f16 ? EZ_T_f32 : type;
    if (has(inst, EZ_ROW_lit_u16)) return EZ_T_u16;
    if (!has(inst, EZ_ROW_mix) || type != EZ_T_f32) return type;
    bool bf16 =
        inst->op == EZ_OP_FMA_MIX_F32_BF16 || ez_row_operands[ez_rows[inst->op].operands].type == EZ_T_bf16;
    return bf16 ? EZ_T_bf16 : EZ_T_f16;
}

/* ---- fields ---- */

/* The sources that neg_lo or neg_hi of packed and matrix instructions may name. */
static unsigned negatable(const ez_inst *inst, bool high) {
    unsigned mask = 0;
    if (has(inst, EZ_ROW_mix)) return 7;
    if (has(inst, EZ_ROW_pk) || has(inst, EZ_ROW_neglohi)) return ez_vector_sources(inst);
    if (has(inst, EZ_ROW_neg_ab) || (!high && has(inst, EZ_ROW_neglo_ab))) mask |= 3;
    if (has(inst, EZ_ROW_neg_c)) mask |= 4;
    return mask;
}

static unsigned index_key(const ez_inst *inst) {
    bool wave64 = inst->wave == 64;
    if (has(inst, EZ_ROW_index2)) return 1;
    if (has(inst, EZ_ROW_index12)) return wave64;
    if (has(inst, EZ_ROW_index24)) return wave64 ? 3 : 1;
    return 0;
}

static bool takes_halves(const ez_inst *inst) {
    return has(inst, EZ_ROW_pk) || has(inst, EZ_ROW_opselhi) || has(inst, EZ_ROW_mix) ||
           ez_inst_layout(inst)->encoding == EZ_ENC_VOP3PX;
}

/* The sources whose sign bits are idle: those that are no floats beside floats, and, where halves have names,
 * 16-bit integers. Not the float's class in a compare that writes a mask. */
static unsigned idle_signs(const ez_inst *inst) {
    const ez_row *row = &ez_rows[inst->op];
    const ez_row_operand *operands = &ez_row_operands[row->operands];
    bool floats = takes_signs(inst);
    bool compares = row->noperands && operands[0].type == EZ_T_mask && operands[0].access == 'D';
    bool halves = ez_has(inst->target, EZ_HAS_true16_text) && ez_names_halves(inst);
    unsigned idle = 0;
    for (unsigned n = 0; n < row->noperands; n++) {
        unsigned field = ez_operand_field(inst, &operands[n]), type = operands[n].type;
        if (ez_source_index(field) < 0 || type == EZ_T_mask) continue;
        bool writes_mask = operands[0].cls != EZ_C_cmpx || ez_has(inst->target, EZ_HAS_cmpx_mask);
        bool beside = floats && !(compares && writes_mask);
        bool half = halves && (ez_type_bits[type] == 16 || ez_type_bits[operands[0].type] == 16);
        if (beside || half) idle |= 1u << ez_source_index(field);
    }
    return idle;
}

static unsigned idle_dpp(const ez_inst *inst) {
    if (!ez_has_field(inst, EZ_F_dpp_ctrl)) return 0;
    bool integers = has(inst, EZ_ROW_opsel) && ez_has(inst->target, EZ_HAS_true16) && !takes_signs(inst);
    return integers ? ez_vector_sources(inst) : idle_signs(inst);
}

/* Dot products that accumulate: the bits for signs are idle. */
static bool dot_accumulates(const ez_inst *inst) {
    const ez_row_operand *o = &ez_row_operands[ez_rows[inst->op].operands];
    return has(inst, EZ_ROW_imod) && o->access == 'X';
}

/* An SDWA compare to SGPRs: not where v_cmpx writes to EXEC alone. */
static bool writes_sdst(const ez_inst *inst) {
    const ez_row_operand *o = &ez_row_operands[ez_rows[inst->op].operands];
    return o->cls != EZ_C_cmpx || ez_has(inst->target, EZ_HAS_cmpx_mask) ||
           !ez_has_field(inst, EZ_F_src0_sel);
}

/* The bits of neg and abs of VOP3 that may be set. */
static unsigned signs_taken(const ez_inst *inst) {
    if (has(inst, EZ_ROW_bitop3)) return 7;
    if (dot_accumulates(inst)) return 3;
    if (has(inst, EZ_ROW_opsel) && has(inst, EZ_ROW_not16) && !has(inst, EZ_ROW_negabs)) return 7;
    if (has(inst, EZ_ROW_opsel) && ez_has(inst->target, EZ_HAS_true16) && !takes_signs(inst))
        return ez_vector_sources(inst); /* integers, halves among them: idle */
    unsigned third = ez_writes_byte(inst) && has(inst, EZ_ROW_opsel) && !has(inst, EZ_ROW_bytesel) ? 4 : 0;
    return sources_with(inst, EZ_SOURCE_NEG_ABS) | idle_signs(inst) | third;
}

uint32_t ez_taken_bits(const ez_inst *inst, unsigned field) {
    bool packed = ez_has_field(inst, EZ_F_op_sel_hi);
    switch (field) {
    case EZ_F_clamp:
        return has(inst, EZ_ROW_fmod) || has(inst, EZ_ROW_imod) || has(inst, EZ_ROW_omod) ||
               has(inst, EZ_ROW_clamp) ||
               (ez_has_field(inst, EZ_F_dst_sel) && ez_inst_operand_count(inst));
    case EZ_F_omod:
        if (ez_has_field(inst, EZ_F_dst_sel) && !ez_type_is_float(ez_row_operands[ez_rows[inst->op].operands].type))
            return 0; /* SDWA has it for floats alone */
        return has(inst, EZ_ROW_fmod) || has(inst, EZ_ROW_omod) || has(inst, EZ_ROW_bitop3) ? 3 : 0;
    case EZ_F_neg:
    case EZ_F_abs: return signs_taken(inst);
    case EZ_F_negy: /* of the second half alone */
        if (ez_layout_is_dual(ez_inst_layout(inst))) return ~UINT32_C(0);
        return sources_with(inst, EZ_SOURCE_NEG);
    case EZ_F_negx: return sources_with(inst, EZ_SOURCE_NEG);
    case EZ_F_sd: return writes_sdst(inst) ? ~UINT32_C(0) : 0;
    case EZ_F_high: return has(inst, EZ_ROW_high);
    case EZ_F_src0_neg:
    case EZ_F_src0_abs:
        if (ez_has_field(inst, EZ_F_neg)) return 1; /* of VOP3: those of the DPP dword are idle */
        if (ez_has_field(inst, EZ_F_dpp_ctrl) && dot_accumulates(inst)) return 1;
        return (sources_with(inst, EZ_SOURCE_NEG_ABS) | idle_dpp(inst)) & 1;
    case EZ_F_src1_neg:
    case EZ_F_src1_abs:
        if (ez_has_field(inst, EZ_F_neg)) return 1;
        if (ez_has_field(inst, EZ_F_dpp_ctrl) && dot_accumulates(inst)) return 1;
        return (sources_with(inst, EZ_SOURCE_NEG_ABS) | idle_dpp(inst)) >> 1 & 1;
    case EZ_F_src0_sext: return sources_with(inst, EZ_SOURCE_SEXT) & 1;
    case EZ_F_src1_sext: return sources_with(inst, EZ_SOURCE_SEXT) >> 1 & 1;
    case EZ_F_src0_sel: return ez_vector_sources(inst) & 1 ? 7 : 0;
    case EZ_F_src1_sel: return ez_vector_sources(inst) & 2 ? 7 : 0;
    case EZ_F_neg_lo: return negatable(inst, false);
    case EZ_F_neg_hi: return negatable(inst, true);
    case EZ_F_index_key: return index_key(inst);
    case EZ_F_op_sel_hi: return takes_halves(inst) ? 3 : 0;
    case EZ_F_op_sel_hi2: return takes_halves(inst);
    case EZ_F_op_sel:
        if (ez_inst_layout(inst)->encoding == EZ_ENC_VOP3_INTERP) return 15;
        if (has(inst, EZ_ROW_bitop3) && !has(inst, EZ_ROW_opsel)) return 0;
        if (has(inst, EZ_ROW_opsel2_zero)) return 11;
        if (has(inst, EZ_ROW_permsel)) return ez_vector_sources(inst) | 11;
        if (has(inst, EZ_ROW_bytesel) && !has(inst, EZ_ROW_opsel)) return ez_writes_byte(inst) ? 12 : 3;
        if (!packed) /* idle where the row has none; with opsel, those of absent sources are not */
            return has(inst, EZ_ROW_bytesel) && !ez_writes_byte(inst) ? 11
                   : has(inst, EZ_ROW_opsel) && !has(inst, EZ_ROW_bytesel)
                       ? ez_vector_sources(inst) | (ez_writes_byte(inst) ? 12 : 8)
                       : 15;
        return takes_halves(inst) ? ez_vector_sources(inst) | 3 : 0;
    case EZ_F_matrix_a_reuse:
    case EZ_F_matrix_b_reuse: return has(inst, EZ_ROW_reuse);
    case EZ_F_blgp: return has(inst, EZ_ROW_noblgp) ? 0 : 7;
    case EZ_F_abid: return has(inst, EZ_ROW_mfma_fmt) ? 0 : 15;
    default: return ~UINT32_C(0);
    }
}

/* Fields in which a bit that is not taken makes the word no instruction. */
static const uint8_t strict[] = {
    EZ_F_clamp,          EZ_F_omod,     EZ_F_neg,      EZ_F_abs,       EZ_F_negx,      EZ_F_negy,
    EZ_F_src0_neg,       EZ_F_src0_abs, EZ_F_src1_neg, EZ_F_src1_abs,  EZ_F_src0_sext, EZ_F_src1_sext,
    EZ_F_src1_sel,       EZ_F_neg_lo,   EZ_F_neg_hi,   EZ_F_index_key, EZ_F_op_sel,    EZ_F_matrix_a_reuse,
    EZ_F_matrix_b_reuse, EZ_F_blgp,     EZ_F_abid,     EZ_F_sd,        EZ_F_high};

/* v_nop and the like: there is no destination, there are no modifiers. v_illegal is a word of its own. */
static bool nothing_else(const ez_inst *inst) {
    static const uint8_t none[] = {EZ_F_vdst, EZ_F_vsrc1, EZ_F_neg, EZ_F_abs, EZ_F_omod, EZ_F_clamp};
    for (unsigned i = 0; i < sizeof none; i++)
        if (ez_get(inst, none[i])) return false;
    return ez_inst_layout(inst)->encoding != EZ_ENC_VOP2 || !ez_get(inst, EZ_F_src0);
}

/* Half of a dual-issue instruction: the fields of sources that it does not have are 0. */
static bool unused_sources_are_zero(const ez_inst *inst) {
    const ez_layout *layout = ez_inst_layout(inst);
    unsigned used = ez_vector_sources(inst);
    if (!layout->field[EZ_F_opy].width) return true;
    for (unsigned i = 0; i < 6 && layout->s_slot[i] != EZ_F_NONE; i++)
        if (!(used >> ez_source_index(layout->s_slot[i]) & 1) && ez_get(inst, layout->s_slot[i]) &&
            !has(inst, EZ_ROW_bitop2))
            return false;
    return true;
}

/* Bits that are not taken and without effect. */
static uint32_t idle_bits(const ez_inst *inst, unsigned field) {
    switch (field) {
    case EZ_F_clamp: return has(inst, EZ_ROW_idle_clamp);
    case EZ_F_neg_lo:
    case EZ_F_neg_hi: return has(inst, EZ_ROW_opselhi) ? ez_vector_sources(inst) : 0;
    default: return 0;
    }
}

/* A packed instruction without destination: the field for one is 0. */
static bool destination_valid(const ez_inst *inst) {
    if (ez_inst_layout(inst)->encoding != EZ_ENC_VOP3P) return true;
    return ez_row_operands[ez_rows[inst->op].operands].access != 'S' || !ez_get(inst, EZ_F_vdst);
}

bool ez_vector_bits_valid(const ez_inst *inst) {
    static const uint8_t vector[] = {EZ_F_src0, EZ_F_src1, EZ_F_srcx0, EZ_F_srcy0};
    bool here = false;
    for (unsigned i = 0; i < sizeof vector; i++)
        here |= ez_has_field(inst, vector[i]);
    if (!here) return true;
    if (!ez_inst_operand_count(inst)) return nothing_else(inst);
    if (has(inst, EZ_ROW_halves_only) && !ez_names_halves(inst)) return false;
    for (unsigned i = 0; i < sizeof strict; i++)
        if (ez_has_field(inst, strict[i]) &&
            ez_get(inst, strict[i]) & ~(ez_taken_bits(inst, strict[i]) | idle_bits(inst, strict[i])))
            return false;
    return unused_sources_are_zero(inst) && destination_valid(inst);
}
