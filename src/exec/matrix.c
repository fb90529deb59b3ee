/* SPDX-License-Identifier: Apache-2.0 */
/* What a matrix instruction does, from its row, its fields and its target. */
#include "matrix.h"

#include "lanes.h"
#include "program.h"

/* ---- elements ---- */

#define SMALL(F) (EZ_ELEMENT_SMALL + EZ_SMALL_##F)

static unsigned element_of_type(unsigned type) {
    switch (type) {
    case EZ_T_f64: case EZ_T_pk4_f64: return EZ_ELEMENT_F64;
    case EZ_T_f32: case EZ_T_pk_f32: case EZ_T_pk4_f32: case EZ_T_pk8_f32: case EZ_T_pk16_f32:
    case EZ_T_pk32_f32: case EZ_T_pk8_f32_w: case EZ_T_dc_f32_w: return EZ_ELEMENT_F32;
    case EZ_T_pk2_xf32: return EZ_ELEMENT_XF32;
    case EZ_T_pk4_f16: case EZ_T_pk8_f16: case EZ_T_pk16_f16: case EZ_T_pk32_f16: case EZ_T_dc_f16_w:
    case EZ_T_dc8_f16_w: case EZ_T_ab_f16: case EZ_T_pk8_f16_w: case EZ_T_pk16_f16_w: return EZ_ELEMENT_F16;
    case EZ_T_pk_bf16: case EZ_T_pk4_bf16: case EZ_T_pk8_bf16: case EZ_T_pk16_bf16: case EZ_T_pk32_bf16:
    case EZ_T_dc_bf16_w: case EZ_T_dc8_bf16_w: case EZ_T_ab_bf16: case EZ_T_pk8_bf16_w: case EZ_T_pk16_bf16_w:
        return EZ_ELEMENT_BF16;
    case EZ_T_pk4_i32: case EZ_T_pk8_i32: case EZ_T_pk16_i32: case EZ_T_pk32_i32: case EZ_T_pk8_i32_w: case EZ_T_dc_i32_w:
        return EZ_ELEMENT_I32;
    case EZ_T_pk_i8: case EZ_T_pk8_i8: case EZ_T_pk16_i8: case EZ_T_pk32_i8: return EZ_ELEMENT_I8;
    case EZ_T_ab_iu8: case EZ_T_pk16_iu8: case EZ_T_pk32_iu8: case EZ_T_pk64_iu8: case EZ_T_pk8_iu8_w: case EZ_T_pk16_iu8_w:
        return EZ_ELEMENT_U8;
    case EZ_T_ab_iu4: case EZ_T_pk16_iu4: case EZ_T_pk8_iu4_w: case EZ_T_pk16_iu4_w: case EZ_T_pk32_iu4_w: return EZ_ELEMENT_U4;
    case EZ_T_pk8_fp8: case EZ_T_pk16_fp8: case EZ_T_pk32_fp8: case EZ_T_pk64_fp8: case EZ_T_pk8_fp8_w:
    case EZ_T_pk16_fp8_w: return SMALL(FP8);
    case EZ_T_pk64_fp4: case EZ_T_pk128_fp4: return SMALL(FP4);
    case EZ_T_pk8_bf8: case EZ_T_pk16_bf8: case EZ_T_pk32_bf8: case EZ_T_pk64_bf8: case EZ_T_pk8_bf8_w:
    case EZ_T_pk16_bf8_w: return SMALL(BF8);
    default: return EZ_ELEMENT_NONE;
    }
}

static unsigned element_bits(unsigned element) {
    static const uint8_t bits[EZ_ELEMENT_SMALL] = {
        [EZ_ELEMENT_F64] = 64, [EZ_ELEMENT_F32] = 32, [EZ_ELEMENT_XF32] = 32, [EZ_ELEMENT_F16] = 16,
        [EZ_ELEMENT_BF16] = 16, [EZ_ELEMENT_I32] = 32, [EZ_ELEMENT_I8] = 8, [EZ_ELEMENT_U8] = 8,
        [EZ_ELEMENT_I4] = 4, [EZ_ELEMENT_U4] = 4};
    return element < EZ_ELEMENT_SMALL ? bits[element] : ez_small_of(element - EZ_ELEMENT_SMALL).bits;
}

/* The element of A (n 0) or B (1): its type, with what modifiers say of it. */
static unsigned input_element(const ez_inst *inst, unsigned type, unsigned n) {
    const ez_target *t = inst->target;
    unsigned format = 0;
    if (type == EZ_T_f8f6f4_32) format = ez_get(inst, n ? EZ_F_blgp : EZ_F_cbsz);
    else if (type == EZ_T_f8f6f4_64)
        format = n ? ez_get(inst, EZ_F_matrix_b_fmt) | ez_get(inst, EZ_F_matrix_b_fmt_hi) << 2
                   : ez_get(inst, EZ_F_matrix_a_fmt);
    unsigned element = type == EZ_T_f8f6f4_32 || type == EZ_T_f8f6f4_64
                           ? format <= 4 ? EZ_ELEMENT_SMALL + format : EZ_ELEMENT_NONE
                           : element_of_type(type);
    bool is_signed = ez_get(inst, EZ_F_neg_lo) >> n & 1;
    if (element == EZ_ELEMENT_U8 && is_signed) return EZ_ELEMENT_I8;
    if (element == EZ_ELEMENT_U4 && is_signed) return EZ_ELEMENT_I4;
    if (ez_has(t, EZ_HAS_fp8_fnuz) && element == SMALL(FP8)) return SMALL(FP8_FNUZ);
    if (ez_has(t, EZ_HAS_fp8_fnuz) && element == SMALL(BF8)) return SMALL(BF8_FNUZ);
    return element;
}

static bool is_integer(unsigned element) { return element >= EZ_ELEMENT_I32 && element <= EZ_ELEMENT_U4; }

/* ---- order and rounding: docs/errata.md, "Matrix instructions" ---- */

/* Of dense rows: sums of 16-bit numbers on a grid. */
static bool sums_on_grid(const ez_target *t, unsigned a) {
    return ez_has(t, EZ_HAS_wmma_grid) && (a == EZ_ELEMENT_F16 || a == EZ_ELEMENT_BF16);
}

static bool set_order(const ez_inst *inst, ez_matrix *m) {
    const ez_target *t = inst->target;
    bool mixed = ez_row_has(inst->op, EZ_ROW_mfma_fmt) || ez_row_has(inst->op, EZ_ROW_wmma_fmt) || m->a == SMALL(FP4);
    m->order = EZ_ORDER_CHAIN;
    m->length = 1;
    if (mixed) {
        m->order = EZ_ORDER_SCALED;
        m->length = m->flags & EZ_MATRIX_SCALES16 ? 16 : 32;
        return true;
    }
    if (sums_on_grid(t, m->a) && !(m->flags & EZ_MATRIX_SPARSE)) {
        m->order = EZ_ORDER_GRID;
        m->length = 4;
        return true;
    }
    if (!ez_has(t, EZ_HAS_mai) || is_integer(m->a)) return true;
    bool half = m->a == EZ_ELEMENT_F16, bfloat = m->a == EZ_ELEMENT_BF16;
    if (!half && !bfloat && m->a != EZ_ELEMENT_XF32 && m->a < EZ_ELEMENT_SMALL) return true; /* f32, f64 */
    if (ez_has(t, EZ_HAS_mfma_exact)) {
        m->order = EZ_ORDER_EXACT;
        m->length = half ? 4 : 2;
    } else if (ez_has(t, EZ_HAS_mfma_flush)) {
        m->order = EZ_ORDER_PAIRS;
        m->length = m->a_lane; /* 2 bfloats, 4 of the _1k instructions, 4 half floats */
        m->flags |= EZ_MATRIX_FLUSH;
    } else {
        m->order = m->a >= EZ_ELEMENT_SMALL ? EZ_ORDER_HALVES : EZ_ORDER_TRUNCATE;
        m->length = m->a >= EZ_ELEMENT_SMALL ? 16 : m->a == EZ_ELEMENT_XF32 ? 4 : 8;
    }
    return true;
}

bool ez_matrix_is_measured(const ez_inst *inst) {
    const ez_row_operand *operand = &ez_row_operands[ez_rows[inst->op].operands];
    unsigned a = element_of_type(operand[1].type);
    if (is_integer(element_of_type(operand[0].type))) return true;
    if (operand[0].access == 'X') return false; /* sparse */
    return ez_has(inst->target, EZ_HAS_mfma_measured) || sums_on_grid(inst->target, a);
}

/* ---- where elements are ---- */

/* Elements of a lane with consecutive k. Lane groups take turns after 64 bits on GFX12 and 128 bits on GFX12.5; on CDNA a lane has one
 * run, but for the bytes of the mixed-format instructions. Sparse rows and their B: one run. */
static unsigned chunk_of(const ez_inst *inst, const ez_matrix *m, unsigned element, unsigned lane) {
    unsigned bits = element_bits(element), chunk = lane;
    if (m->flags & EZ_MATRIX_SPARSE) return lane;
    if (ez_has(inst->target, EZ_HAS_mai)) {
        if (ez_row_has(inst->op, EZ_ROW_mfma_fmt) && bits == 8) chunk = 16;
    } else if (m->layout == EZ_LAYOUT_GFX12) {
        bool wide = ez_has(inst->target, EZ_HAS_vgprs_1024);
        chunk = bits == 6 ? 32 : (wide ? 128 : 64) / bits;
    }
    return chunk < lane ? chunk : lane;
}

static bool set_lanes(const ez_inst *inst, const ez_step *s, ez_matrix *m) {
    unsigned a_bits = element_bits(m->a), b_bits = element_bits(m->b), wave = inst->wave;
    unsigned b_k = m->flags & EZ_MATRIX_SPARSE ? 2u * m->k : m->k;
    unsigned a_lane = 32u * s->src[0].dwords / m->tiles / a_bits, b_lane = 32u * s->src[1].dwords / b_bits;
    if (!a_lane || !b_lane) return false;
    if (a_lane > m->k) a_lane = m->k;
    if (b_lane > b_k) b_lane = b_k;
    m->a_lane = (uint8_t)a_lane;
    m->b_lane = (uint8_t)b_lane;
    if (m->k % a_lane || b_k % b_lane) return false;
    if (m->m * m->blocks * (m->k / a_lane) > wave || m->n * m->blocks * (b_k / b_lane) > wave) return false;
    m->layout = ez_has(inst->target, EZ_HAS_mai) ? m->d == EZ_ELEMENT_F64 ? EZ_LAYOUT_F64 : EZ_LAYOUT_CDNA
                : ez_has(inst->target, EZ_HAS_wmma_whole_rows) ? EZ_LAYOUT_GFX11 : EZ_LAYOUT_GFX12;
    m->a_chunk = (uint8_t)chunk_of(inst, m, m->a, a_lane);
    m->b_chunk = (uint8_t)chunk_of(inst, m, m->b, b_lane);
    return true;
}

/* ---- modifiers ---- */

static bool is_power(unsigned n) { return n && !(n & (n - 1)); }

/* cbsz, abid: a block of A for several; blgp: lanes of B in other order, or signs. [CDNA3] 7.1.5 */
static bool set_mfma(const ez_inst *inst, ez_matrix *m) {
    unsigned cbsz = ez_get(inst, EZ_F_cbsz), abid = ez_get(inst, EZ_F_abid), blgp = ez_get(inst, EZ_F_blgp);
    if (ez_row_has(inst->op, EZ_ROW_mfma_fmt)) return true; /* they are the formats */
    if (m->flags & EZ_MATRIX_SPARSE) { /* with cbsz the first part of the index, else part abid */
        unsigned sets = 32u / m->index_bits;
        m->index_at = (uint8_t)(cbsz ? 0 : abid % sets * m->index_bits);
        return true;
    }
    if (m->d == EZ_ELEMENT_F64) {
        if (!ez_row_has_on(inst->target, inst->op, EZ_ROW_mfma_neg)) return !blgp && !cbsz;
        m->neg_lo = (uint8_t)blgp;
        m->neg_hi = (uint8_t)(blgp & 3);
        return !cbsz;
    }
    if ((1u << cbsz) > m->blocks || (cbsz && abid >= 1u << cbsz)) return false;
    m->cbsz = (uint8_t)cbsz;
    m->abid = (uint8_t)abid;
    m->blgp = (uint8_t)blgp;
    return true;
}

static bool set_wmma(const ez_inst *inst, ez_matrix *m) {
    if (is_integer(m->d)) {
        if (ez_get(inst, EZ_F_clamp)) m->flags |= EZ_MATRIX_SATURATE;
    } else if (m->a == EZ_ELEMENT_F16 || m->a == EZ_ELEMENT_BF16) {
        m->neg_lo = (uint8_t)ez_get(inst, EZ_F_neg_lo);
        m->neg_hi = (uint8_t)ez_get(inst, EZ_F_neg_hi);
    } else { /* neg_lo of A and B is for all elements, where they take it */
        unsigned ab = ez_row_has(inst->op, EZ_ROW_neglo_ab) ? 3 : 0;
        m->neg_lo = (uint8_t)(ez_get(inst, EZ_F_neg_lo) & (4 | ab));
        m->neg_hi = (uint8_t)((ez_get(inst, EZ_F_neg_hi) & 4) | (m->neg_lo & ab));
    }
    if (m->flags & EZ_MATRIX_SPARSE) {
        unsigned key = ez_get(inst, EZ_F_index_key);
        m->neg_lo &= 3; /* the third source is no matrix */
        m->neg_hi &= 3;
        if (m->index_bits >= 32) return key == 0;
        if ((key + 1) * m->index_bits > 32) return false;
        m->index_at = (uint8_t)(key * m->index_bits);
    }
    if (m->layout == EZ_LAYOUT_GFX11 && element_bits(m->d) == 16 && ez_get(inst, EZ_F_op_sel) >> 2 & 1)
        m->flags |= EZ_MATRIX_HIGH;
    return true;
}

static bool set_scales(const ez_inst *inst, ez_matrix *m) {
    if (ez_has(inst->target, EZ_HAS_mai)) {
        unsigned low = ez_get(inst, EZ_F_op_sel), high = ez_get(inst, EZ_F_op_sel_hi);
        m->flags |= EZ_MATRIX_SCALES;
        m->a_scale = (uint8_t)((low & 1) | (high & 1) << 1);
        m->b_scale = (uint8_t)((low >> 1 & 1) | (high & 2));
        return true;
    }
    m->a_scale_format = (uint8_t)ez_get(inst, EZ_F_matrix_a_scale_fmt);
    m->b_scale_format = (uint8_t)ez_get(inst, EZ_F_matrix_b_scale_fmt);
    if (m->a_scale_format >= EZ_SCALE_COUNT || m->b_scale_format >= EZ_SCALE_COUNT) return false;
    m->a_scale = (uint8_t)ez_get(inst, EZ_F_matrix_a_scale);
    m->b_scale = (uint8_t)ez_get(inst, EZ_F_matrix_b_scale);
    return m->tiles == 1 || !m->a_scale; /* rows of both tiles fill the lanes */
}

bool ez_prepare_matrix(ez_step *s) {
    const ez_inst *inst = s->inst;
    const ez_row *row = &ez_rows[inst->op];
    const ez_row_operand *operand = &ez_row_operands[row->operands];
    ez_matrix m = {.m = row->dims[0], .n = row->dims[1], .k = row->dims[2], .blocks = row->dims[3]};
    if (!m.blocks) m.blocks = 1;
    m.tiles = !ez_has(inst->target, EZ_HAS_mai) && m.m == 32 ? 2 : 1;
    m.m /= m.tiles;
    bool sparse = operand[0].access == 'X', scaled = row->noperands == 6;
    if (sparse) {
        m.flags |= EZ_MATRIX_SPARSE;
        m.k /= 2;
    }
    m.d = (uint8_t)element_of_type(operand[0].type);
    m.a = (uint8_t)input_element(inst, operand[1].type, 0);
    m.b = (uint8_t)input_element(inst, operand[2].type, 1);
    m.c = sparse ? m.d : (uint8_t)element_of_type(operand[3].type);
    if (inst->op == EZ_OP_SWMMAC_BF16F32_16X16X64_BF16) m.d = EZ_ELEMENT_BF16; /* in the lower half of C's registers */
    if (!m.a || !m.b || !m.c || !m.d || !is_power(m.m) || m.n > 32) return false;
    if (scaled && !ez_has(inst->target, EZ_HAS_mai))
        m.flags |= operand[4].type == EZ_T_b64 ? EZ_MATRIX_SCALES16 | EZ_MATRIX_SCALES_GFX12 : EZ_MATRIX_SCALES_GFX12;
    if (scaled && !set_scales(inst, &m)) return false;
    if (!set_lanes(inst, s, &m) || !set_order(inst, &m)) return false;
    m.index_bits = sparse ? (uint8_t)(2 * m.a_lane) : 0;
    if (!(ez_has(inst->target, EZ_HAS_mai) ? set_mfma(inst, &m) : set_wmma(inst, &m))) return false;
    if (!sparse && s->src[2].kind == EZ_PLACE_CONSTANT) {
        static const uint8_t scalar[] = {[EZ_ELEMENT_F64] = EZ_T_f64, [EZ_ELEMENT_F32] = EZ_T_f32,
                                         [EZ_ELEMENT_F16] = EZ_T_f16, [EZ_ELEMENT_BF16] = EZ_T_bf16,
                                         [EZ_ELEMENT_I32] = EZ_T_i32};
        s->src[2].value = ez_inline_constant(ez_inst_operand(inst, 3).code, scalar[m.c]);
    }
    memcpy(s->imm, &m, sizeof m);
    return true;
}

void ez_step_matrix(ez_wave *w, const ez_step *s) {
    w->program->level->matrix(w, s);
}
