/* SPDX-License-Identifier: Apache-2.0 */
/* What the operands of an instruction are: from field, class and type to registers and values. */
#include "codec.h"

int ez_source_index(unsigned field) {
    switch (field) {
    case EZ_F_src0: return 0;
    case EZ_F_src1: case EZ_F_vsrc1: return 1;
    case EZ_F_src2: return 2;
    default: return -1;
    }
}

unsigned ez_operand_field(const ez_inst *inst, const ez_row_operand *o) {
    const ez_layout *layout = ez_inst_layout(inst);
    if (o->cls == EZ_C_lit) return EZ_F_NONE;
    if (o->cls == EZ_C_vcc && layout->field[EZ_F_sd].width) /* VOPC SDWA: SD says whether SDST counts */
        return ez_get(inst, EZ_F_sd) ? EZ_F_sdst : EZ_F_NONE;
    if (o->field != EZ_F_NONE) return o->field;
    return o->access == 'S' ? layout->s_slot[o->slot] : layout->d_slot[o->slot];
}

bool ez_inst_halves(const ez_inst *inst) {
    if (ez_row_has(inst->op, EZ_ROW_not16)) return false;
    if (ez_has(inst->target, EZ_HAS_true16)) return true;
    return ez_row_has(inst->op, EZ_ROW_opsel) && ez_has(inst->target, EZ_HAS_vop3_opsel);
}

/* Inline float constants, code 240 on: 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1 / (2 pi). The bits are those
 * of the operand's own format; integers of 32 bits get the f32 bits. Source: [RDNA3] "Inline
 * Constants"; 1 / (2 pi) rounded to each format. */
enum { FLOATS = EZ_CODE_INV_2PI - EZ_CODE_HALF + 1 };
static const uint16_t inline_f16[FLOATS] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                            0xc000, 0x4400, 0xc400, 0x3118};
static const uint16_t inline_bf16[FLOATS] = {0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000,
                                             0xc000, 0x4080, 0xc080, 0x3e22};
static const uint32_t inline_f32[FLOATS] = {0x3f000000, 0xbf000000, 0x3f800000,
                                            0xbf800000, 0x40000000, 0xc0000000,
                                            0x40800000, 0xc0800000, 0x3e22f983};
static const uint64_t inline_f64[FLOATS] = {
    0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
    0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
    0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

static uint64_t type_mask(unsigned type) {
    unsigned bits = ez_type_bits[type];
    return bits && bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
}

uint64_t ez_inline_constant(unsigned code, unsigned type) {
    if (code <= EZ_CODE_ZERO + 64) return code - EZ_CODE_ZERO;
    if (code < EZ_CODE_HALF)
        return (uint64_t)((int64_t)EZ_CODE_MINUS_ONE - 1 - (int64_t)code) & type_mask(type);
    unsigned n = code - EZ_CODE_HALF;
    if (type == EZ_T_bf16 || type == EZ_T_pk_bf16) return inline_bf16[n];
    if (ez_type_bits[type] == 16 || type == EZ_T_pk_f16) return inline_f16[n];
    return ez_type_bits[type] == 64 && type != EZ_T_pk_f32 ? inline_f64[n] : inline_f32[n];
}

unsigned ez_inline_code(uint64_t value, unsigned type) {
    for (unsigned code = EZ_CODE_ZERO; code <= EZ_CODE_INV_2PI; code++)
        if ((code <= EZ_CODE_MINUS_ONE + 15 || code >= EZ_CODE_HALF) &&
            ez_inline_constant(code, type) == value)
            return code;
    return 0;
}

static unsigned operand_bits(const ez_inst *inst, unsigned type) {
    return type == EZ_T_mask ? inst->wave : ez_type_bits[type];
}

/* An SGPR, a ttmp or a named register: codes 0..127 and the named ones above. */
static void scalar_register(const ez_inst *inst, ez_operand *o) {
    unsigned first_ttmp = ez_has(inst->target, EZ_HAS_ttmp_16) ? 108 : 112;
    const ez_special *special = ez_special_find(inst->target, o->code);
    if (special) {
        o->kind = o->dwords == 2 && !special->pair ? EZ_OPERAND_INVALID : EZ_OPERAND_SPECIAL;
        o->reg = o->code;
    } else if (o->code < EZ_CODE_VCC) {
        o->kind = EZ_OPERAND_SGPR;
        o->reg = o->code;
    } else if (o->code >= first_ttmp && o->code <= EZ_CODE_TTMP_LAST) {
        o->kind = EZ_OPERAND_TTMP;
        o->reg = (uint16_t)(o->code - first_ttmp);
    } else {
        o->kind = EZ_OPERAND_INVALID;
    }
}

/* A 9-bit source code. */
static void source(const ez_inst *inst, ez_operand *o) {
    if (o->code >= EZ_CODE_VGPR) {
        o->kind = EZ_OPERAND_VGPR;
        o->reg = (uint16_t)(o->code - EZ_CODE_VGPR);
    } else if (o->code == EZ_CODE_LITERAL) {
        o->kind = ez_inst_has_literal(inst) ? EZ_OPERAND_LITERAL : EZ_OPERAND_INVALID;
        o->value = ez_inst_literal(inst);
    } else if (o->code >= EZ_CODE_ZERO && o->code <= EZ_CODE_INV_2PI &&
               !(o->code > EZ_CODE_MINUS_ONE + 15 && o->code < EZ_CODE_HALF)) {
        o->kind = EZ_OPERAND_CONSTANT;
        o->value = ez_inline_constant(o->code, o->type);
    } else {
        scalar_register(inst, o);
    }
}

/* Fills kind, reg and value from the field by its class. */
static void by_class(const ez_inst *inst, unsigned cls, ez_operand *o) {
    uint32_t raw = ez_get(inst, o->field);
    o->code = (uint16_t)raw;
    switch (cls) {
    case EZ_C_v:
        o->code = (uint16_t)(EZ_CODE_VGPR + raw);
        source(inst, o);
        break;
    case EZ_C_src:
    case EZ_C_ss:
        source(inst, o);
        break;
    case EZ_C_sd:
    case EZ_C_vcc:
        scalar_register(inst, o);
        break;
    default:
        o->kind = EZ_OPERAND_IMMEDIATE;
        o->value = raw;
        break;
    }
}

/* neg, abs, sext and the half of a source. SDWA and DPP dwords have their own bits for the first two
 * sources; VOP3 has them for all three, and keeps using them when a DPP dword follows. */
static void modifiers(const ez_inst *inst, ez_operand *o) {
    int n = ez_source_index(o->field);
    bool vop3 = ez_has_field(inst, EZ_F_neg);
    bool takes_float = ez_row_has(inst->op, EZ_ROW_fmod) || ez_row_has(inst->op, EZ_ROW_negabs);
    if (n >= 0 && vop3 && takes_float && ez_type_is_float(o->type)) {
        o->neg = ez_get(inst, EZ_F_neg) >> n & 1;
        o->abs = ez_get(inst, EZ_F_abs) >> n & 1;
    } else if (n >= 0 && n < 2 && !vop3) {
        o->neg = ez_get(inst, n ? EZ_F_src1_neg : EZ_F_src0_neg);
        o->abs = ez_get(inst, n ? EZ_F_src1_abs : EZ_F_src0_abs);
        o->sext = ez_get(inst, n ? EZ_F_src1_sext : EZ_F_src0_sext);
    }
    if (o->bits != 16 || !ez_inst_halves(inst)) return;
    if (ez_has_field(inst, EZ_F_op_sel)) {
        o->half = ez_get(inst, EZ_F_op_sel) >> (n >= 0 ? n : 3) & 1;
    } else if (o->kind == EZ_OPERAND_VGPR) { /* bit 7 of the register number */
        o->half = o->reg >> 7 & 1;
        o->reg &= 0x7f;
    }
}

unsigned ez_inst_operand_count(const ez_inst *inst) { return ez_rows[inst->op].noperands; }

ez_operand ez_inst_operand(const ez_inst *inst, unsigned n) {
    const ez_row_operand *row = &ez_row_operands[ez_rows[inst->op].operands + n];
    ez_operand o = {.type = row->type,
                    .read = row->access != 'D',
                    .written = row->access != 'S',
                    .field = (uint8_t)ez_operand_field(inst, row)};
    unsigned bits = operand_bits(inst, row->type);
    o.bits = bits < 256 ? (uint8_t)bits : 0;
    o.dwords = (uint8_t)(bits <= 32 ? 1 : (bits + 31) / 32);
    if (row->cls == EZ_C_lit) {
        o.code = EZ_CODE_LITERAL;
        source(inst, &o);
        return o;
    }
    if (o.field == EZ_F_NONE) { /* implied VCC */
        o.implied = true;
        o.code = EZ_CODE_VCC;
        scalar_register(inst, &o);
        return o;
    }
    unsigned cls = row->cls == EZ_C_COUNT ? ez_inst_layout(inst)->field[o.field].cls : row->cls;
    if ((o.field == EZ_F_src0 && ez_get(inst, EZ_F_s0)) || /* SDWA: the register is scalar */
        (o.field == EZ_F_vsrc1 && ez_get(inst, EZ_F_s1)))
        cls = EZ_C_src;
    by_class(inst, cls, &o);
    modifiers(inst, &o);
    return o;
}

const char *ez_operand_type(const ez_operand *operand) { return ez_type_formats[operand->type]; }
