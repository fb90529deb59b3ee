/* SPDX-License-Identifier: Apache-2.0 */
/* What the operands of an instruction are: from field, class and type to registers and values. */
#include "codec.h"

int ez_source_index(unsigned field) {
    switch (field) {
    case EZ_F_src0: case EZ_F_srcx0: case EZ_F_srcy0: return 0;
    case EZ_F_src1: case EZ_F_vsrc1: case EZ_F_vsrcx1: case EZ_F_vsrcy1: return 1;
    case EZ_F_src2: case EZ_F_vsrcx2: case EZ_F_vsrcy2: return 2;
    default: return -1;
    }
}

unsigned ez_operand_field(const ez_inst *inst, const ez_row_operand *o) {
    const ez_layout *layout = ez_inst_layout(inst);
    if (o->cls == EZ_C_lit) return EZ_F_NONE;
    if (o->cls == EZ_C_vcc && layout->field[EZ_F_sd].width) /* VOPC SDWA: SD says whether SDST counts */
        return ez_get(inst, EZ_F_sd) ? EZ_F_sdst : EZ_F_NONE;
    if (o->cls == EZ_C_cmpx && ez_has(inst->target, EZ_HAS_cmpx_mask) &&
        layout->field[EZ_F_sd].width)
        return ez_get(inst, EZ_F_sd) ? EZ_F_sdst : EZ_F_NONE;
    if (o->field != EZ_F_NONE) return o->field;
    return o->access == 'S' ? layout->s_slot[o->slot] : layout->d_slot[o->slot];
}

unsigned ez_operand_class(const ez_inst *inst, const ez_row_operand *o, unsigned field) {
    if ((field == EZ_F_src0 && ez_get(inst, EZ_F_s0)) || /* SDWA: scalar or inline constant */
        (field == EZ_F_vsrc1 && ez_get(inst, EZ_F_s1)))
        return EZ_C_src_lane;
    if (o->cls == EZ_C_vcc || o->cls == EZ_C_vccd || o->cls == EZ_C_cmpx)
        return EZ_C_sd;
    unsigned own = ez_inst_layout(inst)->field[field].cls;
    bool dword = own == EZ_C_v && ez_source_index(field) >= 0; /* VGPR of a DPP or SDWA dword, vsrc1 */
    return o->cls == EZ_C_COUNT || dword ? own : o->cls;
}

/* v_readfirstlane and v_readlane: their VGPR may be src_lds_direct. */
static bool reads_lane(const ez_inst *inst) {
    return ez_row_operands[ez_rows[inst->op].operands].cls == EZ_C_sxm0 &&
           ez_has(inst->target, EZ_HAS_lds_direct);
}

/* v_writelane, whose scalar source may be src_lds_direct from GFX10 on. Source: behaviour of llvm-mc 22. */
static bool writes_lane(const ez_inst *inst) {
    return inst->op == EZ_OP_WRITELANE_B32 && ez_has(inst->target, EZ_HAS_vop3_literal);
}

unsigned ez_class_takes(const ez_inst *inst, unsigned cls) {
    enum { SCALAR = EZ_TAKES_SCALAR | EZ_TAKES_LDS_DIRECT };
    bool either = ez_has_field(inst, EZ_F_acc_cd);
    switch (cls) {
    case EZ_C_v: case EZ_C_vdsty: return EZ_TAKES_VGPR;
    case EZ_C_av: case EZ_C_src_av: return EZ_TAKES_AGPR;
    case EZ_C_acd: return either ? EZ_TAKES_VGPR | EZ_TAKES_AGPR : EZ_TAKES_AGPR;
    case EZ_C_src_acd: return (either ? EZ_TAKES_VGPR : 0) | EZ_TAKES_AGPR | EZ_TAKES_INLINE;
    case EZ_C_src_acc: return EZ_TAKES_VGPR | EZ_TAKES_AGPR;
    case EZ_C_src_accw: return EZ_TAKES_VGPR | EZ_TAKES_INLINE | SCALAR;
    case EZ_C_src_vc: return EZ_TAKES_VGPR | EZ_TAKES_INLINE;
    case EZ_C_src_v: return EZ_TAKES_VGPR | (reads_lane(inst) ? EZ_TAKES_LDS_DIRECT : 0);
    case EZ_C_src: return EZ_TAKES_VGPR | SCALAR | EZ_TAKES_INLINE | EZ_TAKES_LITERAL;
    case EZ_C_src_noconst: return EZ_TAKES_VGPR | SCALAR | EZ_TAKES_LITERAL;
    case EZ_C_src_s: /* of VOP3 alone */
        return EZ_TAKES_SCALAR | EZ_TAKES_INLINE | (ez_has(inst->target, EZ_HAS_vop3_literal) ? EZ_TAKES_LITERAL : 0) |
               (writes_lane(inst) ? EZ_TAKES_LDS_DIRECT : 0);
    case EZ_C_ss: return SCALAR | EZ_TAKES_INLINE | EZ_TAKES_LITERAL;
    case EZ_C_src_lane: /* of SDWA too, where it is any scalar source */
        return EZ_TAKES_SCALAR | EZ_TAKES_INLINE | (ez_has_field(inst, EZ_F_s0) ? EZ_TAKES_LDS_DIRECT : 0);
    case EZ_C_soff: return EZ_TAKES_SCALAR | EZ_TAKES_INLINE | EZ_TAKES_LITERAL;
    case EZ_C_sd: case EZ_C_sxm0: case EZ_C_sreg: return SCALAR;
    default: return 0;
    }
}

/* Whether a register of the VGPR codes is an accumulation VGPR. Source: [CDNA2] "VOP3P-MAI", ACC and ACC_CD. */
static bool is_accumulation(const ez_inst *inst, unsigned cls, unsigned field) {
    switch (cls) {
    case EZ_C_av: case EZ_C_src_av: return true;
    case EZ_C_acd: case EZ_C_src_acd:
        return !ez_has_field(inst, EZ_F_acc_cd) || ez_get(inst, EZ_F_acc_cd);
    case EZ_C_src_acc: return ez_get(inst, EZ_F_acc) >> ez_source_index(field) & 1;
    default: return false;
    }
}

bool ez_inst_halves(const ez_inst *inst) {
    if (ez_row_has_on(inst->target, inst->op, EZ_ROW_not16)) return false;
    if (ez_has(inst->target, EZ_HAS_true16)) return true;
    return ez_row_has_on(inst->target, inst->op, EZ_ROW_opsel) &&
           ez_has(inst->target, EZ_HAS_vop3_opsel);
}

/* Inline float constants, code 240 on: 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1 / (2 pi). The bits are those
 * of the operand's own format; integers of 16 and 32 bits get the f32 bits. Source: [RDNA3] "Inline
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

ez_float ez_type_float(unsigned type) {
    switch (type) {
    case EZ_T_bf16: case EZ_T_pk_bf16: return EZ_FLOAT_BF16;
    case EZ_T_f16: case EZ_T_pk_f16: return EZ_FLOAT_F16;
    case EZ_T_pk_f32: case EZ_T_pk_b32: return EZ_FLOAT_F32;
    default: return ez_type_bits[type] == 64 ? EZ_FLOAT_F64 : EZ_FLOAT_F32;
    }
}

static uint64_t inline_float(unsigned n, ez_float format) {
    switch (format) {
    case EZ_FLOAT_BF16: return inline_bf16[n];
    case EZ_FLOAT_F16: return inline_f16[n];
    case EZ_FLOAT_F64: return inline_f64[n];
    default: return inline_f32[n];
    }
}

uint64_t ez_inline_constant(unsigned code, unsigned type) {
    if (code <= EZ_CODE_ZERO + 64) return code - EZ_CODE_ZERO;
    if (code < EZ_CODE_HALF)
        return (uint64_t)((int64_t)EZ_CODE_MINUS_ONE - 1 - (int64_t)code) & type_mask(type);
    return inline_float(code - EZ_CODE_HALF, ez_type_float(type));
}

unsigned ez_inline_code(uint64_t value, unsigned type) {
    uint64_t mask = type_mask(type), minus = (0 - value) & mask;
    if (value <= 64) return EZ_CODE_ZERO + (unsigned)value;
    if (value <= mask && minus >= 1 && minus <= 16) return EZ_CODE_MINUS_ONE - 1 + (unsigned)minus;
    ez_float format = ez_type_float(type);
    for (unsigned n = 0; n < FLOATS; n++)
        if (inline_float(n, format) == value) return EZ_CODE_HALF + n;
    return 0;
}

bool ez_is_small_integer(unsigned type) { return ez_type_bits[type] == 16 && !ez_type_is_float(type); }

unsigned ez_inline_code_of_integer(int64_t written, uint64_t value, unsigned type) {
    enum { LEAST = -16, MOST = 64 };
    if (ez_is_small_integer(type) && (written < LEAST || written > MOST)) return 0;
    return ez_inline_code(value, type);
}

unsigned ez_inline_code_here(const ez_inst *inst, unsigned operand_type, uint64_t value, unsigned type) {
    unsigned code = ez_inline_code(value, type);
    if (!ez_constant_in_both_halves(inst, operand_type) || (code && code < EZ_CODE_HALF)) return code;
    return (value & 0xffff) == value >> 16 ? ez_inline_code(value & 0xffff, type) : 0;
}

bool ez_constant_in_both_halves(const ez_inst *inst, unsigned type) {
    return inst->op == EZ_OP_PK_FMAC_F16 && type == EZ_T_pk_f16 && ez_has(inst->target, EZ_HAS_pk_fmac_both);
}

/* ---- widths ---- */

/* The registers of a matrix operand whose format a modifier names: 8-bit formats fill all of them,
 * 6-bit ones three quarters, FP4 half. Source: [CDNA4] "CBSZ and BLGP"; as numbered in encodings.isa. */
static unsigned format_bits(unsigned bits, unsigned format) {
    return format < 2 ? bits : format < 4 ? bits / 4 * 3 : bits / 2;
}

static unsigned operand_format(const ez_inst *inst, unsigned field) {
    enum { FORMATS = 5 };
    bool a = field == EZ_F_src0;
    if (!ez_has_field(inst, EZ_F_matrix_a_fmt)) return ez_get(inst, a ? EZ_F_cbsz : EZ_F_blgp);
    unsigned of_a = ez_get(inst, EZ_F_matrix_a_fmt),
             of_b = ez_get(inst, EZ_F_matrix_b_fmt) | ez_get(inst, EZ_F_matrix_b_fmt_hi) << 2;
    if (of_a >= FORMATS || of_b >= FORMATS) return 0; /* one that is none: all registers of both, as llvm-mc */
    return a ? of_a : of_b;
}

static unsigned operand_bits(const ez_inst *inst, unsigned type, unsigned field) {
    unsigned bits = ez_type_bits[type];
    if (type == EZ_T_mask) return inst->wave;
    if (type == EZ_T_f8f6f4_32 || type == EZ_T_f8f6f4_64)
        return format_bits(bits, operand_format(inst, field));
    bool halved = ez_type_by_wave[type] && inst->wave == 64 && bits > 32; /* at least one register */
    return halved ? bits / 2 : bits;
}

/* ---- operands from codes ---- */

const char *ez_operand_name(const ez_inst *inst, const ez_operand *o) {
    if (o->kind != EZ_OPERAND_SPECIAL) return NULL;
    const ez_special *special = ez_special_find(inst->target, o->code);
    return o->dwords == 2 && special->pair ? special->pair : special->name;
}

/* An SGPR, a ttmp or a named register: codes 0..127 and the named ones above. */
void ez_scalar_register(const ez_inst *inst, ez_operand *o) {
    unsigned first_ttmp = ez_has(inst->target, EZ_HAS_ttmp_16) ? 108 : 112;
    /* the lowest bits of the number of a tuple do not count: as llvm-mc reads them */
    unsigned align = o->dwords > 2 ? 3 : o->dwords > 1;
    const ez_special *special = ez_special_find(inst->target, o->code);
    if (special) {
        o->kind = o->dwords == 2 && !special->pair ? EZ_OPERAND_INVALID : EZ_OPERAND_SPECIAL;
        o->reg = o->code;
    } else if (o->code < EZ_CODE_VCC) {
        o->kind = EZ_OPERAND_SGPR;
        o->reg = (uint16_t)(o->code & ~align);
    } else if (o->code >= first_ttmp && o->code <= EZ_CODE_TTMP_LAST) {
        o->kind = EZ_OPERAND_TTMP;
        o->reg = (uint16_t)((o->code - first_ttmp) & ~align);
    } else {
        o->kind = EZ_OPERAND_INVALID;
    }
}

/* A 9-bit source code. */
void ez_source_operand(const ez_inst *inst, ez_operand *o) {
    if (o->code >= EZ_CODE_VGPR) {
        o->kind = EZ_OPERAND_VGPR;
        o->reg = (uint16_t)(o->code - EZ_CODE_VGPR);
    } else if (o->code == EZ_CODE_LITERAL || ez_is_literal64(inst, o->code)) {
        o->kind = ez_inst_has_literal(inst) ? EZ_OPERAND_LITERAL : EZ_OPERAND_INVALID;
        o->value = ez_inst_literal(inst);
        if (o->dwords < 2) o->value = (uint32_t)o->value; /* of a literal of 64 bits the lower half, as llvm-mc */
    } else if (o->code >= EZ_CODE_ZERO && o->code <= EZ_CODE_INV_2PI &&
               !(o->code > EZ_CODE_MINUS_ONE + 15 && o->code < EZ_CODE_HALF)) {
        o->kind = EZ_OPERAND_CONSTANT;
        o->value = ez_inline_constant(o->code, o->type);
    } else {
        ez_scalar_register(inst, o);
    }
}

static bool taken(const ez_operand *o, unsigned takes) {
    switch (o->kind) {
    case EZ_OPERAND_VGPR: return takes & EZ_TAKES_VGPR;
    case EZ_OPERAND_AGPR: return takes & EZ_TAKES_AGPR;
    case EZ_OPERAND_CONSTANT: return takes & EZ_TAKES_INLINE;
    case EZ_OPERAND_LITERAL: return takes & EZ_TAKES_LITERAL;
    default: return takes & (o->code == EZ_CODE_LDS_DIRECT ? EZ_TAKES_LDS_DIRECT : EZ_TAKES_SCALAR);
    }
}

/* A VGPR of an export, if its bit of en is set; with compr two VGPRs stand for four operands. */
static void exported(const ez_inst *inst, ez_operand *o) {
    static const uint8_t fields[] = {EZ_F_vsrc0, EZ_F_vsrc1, EZ_F_vsrc2, EZ_F_vsrc3};
    unsigned n = 0;
    while (n < 3 && fields[n] != o->field)
        n++;
    o->kind = ez_get(inst, EZ_F_en) >> n & 1 ? EZ_OPERAND_VGPR : EZ_OPERAND_NONE;
    o->reg = (uint16_t)ez_get(inst, fields[ez_get(inst, EZ_F_compr) ? n / 2 : n]);
}

/* Fills kind, reg and value from the field by its class. */
static void by_class(const ez_inst *inst, unsigned cls, ez_operand *o) {
    if (ez_scalar_operand(inst, cls, o) || ez_memory_operand(inst, cls, o)) return;
    uint32_t raw = ez_get(inst, o->field);
    if (cls == EZ_C_vexp) {
        exported(inst, o);
        return;
    }
    unsigned takes = ez_class_takes(inst, cls);
    o->code = (uint16_t)raw;
    switch (cls) {
    case EZ_C_v: case EZ_C_av: case EZ_C_acd: case EZ_C_vdsty:
        if (cls == EZ_C_vdsty) raw = raw << 1 | !(ez_get(inst, EZ_F_vdstx) & 1); /* [RDNA3] 7.6 */
        o->code = (uint16_t)(EZ_CODE_VGPR + raw);
        break;
    case EZ_C_sxm0:
        if (o->code == ez_m0_code(inst->target)) {
            o->kind = EZ_OPERAND_INVALID;
            return;
        }
        /* fall through */
    case EZ_C_sd:
        if (o->code >= EZ_CODE_VGPR) { /* llvm-mc decodes a VGPR as a lane mask, but does not assemble it */
            o->kind = EZ_OPERAND_VGPR;
            o->reg = (uint16_t)(o->code - EZ_CODE_VGPR);
            return;
        }
        if (o->dwords > 2) ez_scalar_tuple(inst, o);
        else ez_scalar_register(inst, o);
        return;
    default: break;
    }
    if (!takes) {
        o->kind = EZ_OPERAND_IMMEDIATE;
        o->value = raw;
        return;
    }
    ez_source_operand(inst, o);
    if (o->kind == EZ_OPERAND_VGPR && is_accumulation(inst, cls, o->field))
        o->kind = EZ_OPERAND_AGPR;
    bool vgprs = o->kind == EZ_OPERAND_VGPR || o->kind == EZ_OPERAND_AGPR;
    if (vgprs && o->dwords > 1 && o->reg & 1 && ez_has(inst->target, EZ_HAS_even_vgprs))
        o->kind = EZ_OPERAND_INVALID;
    if (!taken(o, takes)) o->kind = EZ_OPERAND_INVALID;
}

/* ---- modifiers of operands ---- */

/* neg, abs, sext and the half of a source. SDWA and DPP dwords have their own bits for the first two
 * sources; VOP3 has them for all three, and keeps using them when a DPP dword follows. */
static void modifiers(const ez_inst *inst, ez_operand *o) {
    int n = ez_source_index(o->field);
    switch (ez_operand_modifiers(inst, o->field, o->type)) {
    case EZ_SOURCE_NEG_ABS:
        if (ez_row_has_on(inst->target, inst->op, EZ_ROW_mix)) {
            o->neg = ez_get(inst, EZ_F_neg_lo) >> n & 1;
            o->abs = ez_get(inst, EZ_F_neg_hi) >> n & 1;
        } else if (ez_has_field(inst, EZ_F_neg)) {
            o->neg = ez_get(inst, EZ_F_neg) >> n & 1;
            o->abs = ez_get(inst, EZ_F_abs) >> n & 1;
        } else {
            o->neg = ez_get(inst, n ? EZ_F_src1_neg : EZ_F_src0_neg);
            o->abs = ez_get(inst, n ? EZ_F_src1_abs : EZ_F_src0_abs);
        }
        break;
    case EZ_SOURCE_NEG:
        o->neg = ez_get(inst, ez_has_field(inst, EZ_F_negx) ? EZ_F_negx : EZ_F_negy) >> n & 1;
        break;
    case EZ_SOURCE_SEXT: o->sext = ez_get(inst, n ? EZ_F_src1_sext : EZ_F_src0_sext); break;
    default: break;
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
    unsigned bits = operand_bits(inst, row->type, o.field);
    o.bits = bits < 256 ? (uint8_t)bits : 0;
    o.dwords = (uint8_t)(bits <= 32 ? 1 : (bits + 31) / 32);
    if (row->cls == EZ_C_lit) {
        o.code = EZ_CODE_LITERAL;
        ez_source_operand(inst, &o);
        return o;
    }
    bool exec = row->cls == EZ_C_cmpx && !ez_has(inst->target, EZ_HAS_cmpx_mask);
    if (o.field == EZ_F_NONE || exec) { /* implied VCC, or EXEC, which the text leaves out */
        o.implied = true;
        o.hidden = exec || row->cls == EZ_C_vccd;
        o.code = exec ? EZ_CODE_EXEC : EZ_CODE_VCC;
        ez_scalar_register(inst, &o);
        return o;
    }
    if (!ez_has_field(inst, o.field)) { /* this layout has no such operand */
        o.hidden = true;
        o.read = o.written = false;
        return o;
    }
    by_class(inst, ez_operand_class(inst, row, o.field), &o);
    modifiers(inst, &o);
    return o;
}

const char *ez_operand_type(const ez_operand *operand) { return ez_type_formats[operand->type]; }
