/* SPDX-License-Identifier: Apache-2.0 */
/* From an item to the field of one operand: registers, constants, literals, neg, abs, sext, halves. */
#include "families.h"

#include <string.h>

/* The operand does not fit. llvm-mc points behind a minus or bar, at the register or number itself. */
#define REFUSE(column, ...) return ez_fail_at(&a->error, EZ_ERR_ENCODE, column, __VA_ARGS__)

static bool has(const ez_attempt *a, unsigned flag) {
    return ez_row_has_on(a->inst.target, a->inst.op, flag);
}

static void count_scalar(ez_attempt *a, unsigned code, const ez_item *item);

/* ---- constants ---- */

static bool is_number(const ez_item *item) {
    return item->kind == EZ_ITEM_INT || item->kind == EZ_ITEM_FLOAT;
}

/* The bits of a number for an operand of a type; false when it does not fit. */
static bool constant_bits(const ez_item *item, unsigned type, unsigned bits, uint64_t *out) {
    enum { INV_2PI_BF16 = 0x3e22 };
    if (item->kind == EZ_ITEM_FLOAT && item->value == UINT64_C(0x3fc45f306725feed) &&
        ez_type_float(type) == EZ_FLOAT_BF16) { /* 0.15915494, cut off and not rounded */
        *out = INV_2PI_BF16;
        return true;
    }
    if (item->kind == EZ_ITEM_FLOAT) return ez_round_float(item->value, type, out);
    int64_t value = (int64_t)item->value;
    *out = item->value;
    if (bits >= 64) return true;
    *out &= (UINT64_C(1) << bits) - 1;
    return value >= -(INT64_C(1) << (bits - 1)) && value < (INT64_C(1) << bits);
}

/* Where a form has no bits for neg and abs, those of a number are part of the number. */
static uint64_t fold_sign(const ez_item *item, unsigned type, uint64_t value) {
    static const uint8_t sign_bit[] = {
        [EZ_FLOAT_F16] = 15, [EZ_FLOAT_BF16] = 15, [EZ_FLOAT_F32] = 31, [EZ_FLOAT_F64] = 63};
    uint64_t sign = UINT64_C(1) << sign_bit[ez_type_float(type)];
    if (item->abs) value &= ~sign;
    if (item->neg) value ^= sign;
    return value;
}

static bool literal_room(const ez_attempt *a) {
    const ez_layout *layout = ez_inst_layout(&a->inst);
    if (has(a, EZ_ROW_lit) || a->dual) return true;
    return layout->form == EZ_FORM_BASE && layout->dwords <= 2 &&
           (layout->dwords == 1 || ez_has(a->inst.target, EZ_HAS_vop3_literal));
}

static ez_status set_literal(ez_attempt *a, const ez_item *item, uint64_t value, bool wide) {
    const ez_layout *layout = ez_inst_layout(&a->inst);
    if (!literal_room(a))
        BREAK(item->inner_column, "literal operands are not supported: %s",
              layout->form != EZ_FORM_BASE ? "an SDWA or DPP instruction has no room for one"
                                           : "this encoding takes none before GFX10");
    if (a->literal_set && ez_inst_literal(&a->inst) != value)
        BREAK(item->inner_column, "only one unique literal operand is allowed");
    a->literal_set = true;
    a->wide_literal_set |= wide; /* what one operand asks for, the others share */
    if (a->wide_literal_set) ez_inst_set_literal64(&a->inst, value);
    else ez_inst_set_literal(&a->inst, (uint32_t)value);
    return EZ_OK;
}

/* A literal for an operand of 64 bits: the upper half of a double, or an integer of 32 bits. */
static ez_status wide_literal(ez_attempt *a, const ez_item *item, unsigned type, uint64_t value,
                              unsigned *code) {
    bool lit64 = ez_has(a->p->target, EZ_HAS_lit64), wide; /* also where a->inst is tried as of another target */
    if (item->kind == EZ_ITEM_FLOAT) {
        if (!ez_type_is_float(type))
            REFUSE(item->inner_column, "invalid operand for instruction: expected an integer literal");
        bool vop3 = ez_inst_layout(&a->inst)->dwords > 1;
        wide = lit64 && (item->wide_literal || (!vop3 && (uint32_t)value));
        if (!wide) value >>= 32; /* the lower half is cut off where it cannot be had */
    } else {
        bool fits = value <= UINT32_MAX || value >= (uint64_t)INT64_C(-0x80000000);
        /* in one dword, 64 bits for all that sign and zero extension make different; lit() of an integer has 64 too */
        bool narrow = value <= INT32_MAX || (ez_inst_layout(&a->inst)->dwords > 1 && fits);
        bool upper = ez_type_is_float(type) && !fits && !(uint32_t)value && lit64; /* of a double no more is there */
        wide = lit64 && (ez_type_is_float(type) ? !fits && !upper : !narrow);
        if (upper) value >>= 32;
        if (item->forced_literal && lit64) wide = true;
        bool vop3 = ez_inst_layout(&a->inst)->dwords > 1; /* has no room for 64 bits that are written */
        if (vop3 && lit64 && !fits && !upper) /* an operand of another instruction: llvm-mc sees it late */
            BREAK(item->inner_column, "invalid operand for instruction: a literal has 32 bits in this encoding");
        else if (!wide && !fits && !upper)
            REFUSE(item->inner_column, "invalid operand for instruction: a literal has 32 bits");
    }
    wide |= item->wide_literal;
    *code = wide ? EZ_CODE_LITERAL64 : EZ_CODE_LITERAL;
    return set_literal(a, item, wide ? value : (uint32_t)value, wide);
}

/* An inline constant with a sign, in a pair that VOPD3 could hold with the sign apart, is left to that. Source: behaviour of
 * llvm-mc 22. */
static bool left_to_vopd3(const ez_attempt *a, const ez_operand *o, const ez_item *item, unsigned type, uint64_t value) {
    if (!a->or_vopd3 || !has(a, EZ_ROW_neg3) || !(item->neg || item->abs) || item->forced_literal) return false;
    return ez_inline_code_here(&a->inst, o->type, value, type) != 0;
}

/* The operand code of a number: inline constant or literal. */
static ez_status constant_code(ez_attempt *a, const ez_operand *o, unsigned takes, const ez_item *item,
                               unsigned *code) {
    uint64_t value;
    unsigned type = ez_constant_type(&a->inst, o->type);
    unsigned bits = type == EZ_T_mask ? a->inst.wave : ez_type_bits[type];
    if (!constant_bits(item, type, bits, &value))
        REFUSE(item->inner_column, "invalid operand for instruction: the number does not fit %u bits", bits);
    bool plain = ez_operand_modifiers(&a->inst, o->field, o->type) == EZ_SOURCE_PLAIN;
    /* of an integer as the bits of a double neg and abs are no part of the number */
    bool apart = (item->neg || item->abs) && item->kind == EZ_ITEM_INT && bits == 64 && ez_type_is_float(type);
    if (plain && (apart || left_to_vopd3(a, o, item, type, value)))
        REFUSE(item->inner_column, "invalid operand for instruction: no neg or abs of this number here");
    if (plain) value = fold_sign(item, type, value);
    bool small = item->kind == EZ_ITEM_INT && ez_is_small_integer(type);
    bool pair = ez_type_is_pair(o->type);
    if (pair && value >> 31 == 1) { /* the 32 bits of both: 0xffffffff is -1 */
        uint64_t wide = (uint64_t)(int64_t)(int32_t)value;
        if (ez_inline_code(wide, type)) value = wide;
    }
    *code = item->forced_literal ? 0
            : small ? ez_inline_code_of_integer((int64_t)item->value, value, type)
                    : ez_inline_code_here(&a->inst, o->type, value, type);
    if (*code && takes & EZ_TAKES_INLINE) return EZ_OK;
    if (pair && item->kind == EZ_ITEM_INT && value > UINT32_MAX && value < (uint64_t)INT64_C(-0x80000000))
        REFUSE(item->inner_column, "invalid operand for instruction: the number does not fit 32 bits");
    if (apart) REFUSE(item->inner_column, "invalid operand for instruction: no neg or abs of an integer literal");
    unsigned form = ez_inst_layout(&a->inst)->form, encoding = ez_inst_layout(&a->inst)->encoding;
    bool wide_dual = encoding == EZ_ENC_VOPD3 || encoding == EZ_ENC_VOPD3Y;
    if (!(takes & EZ_TAKES_LITERAL) || form == EZ_FORM_DPP16 || form == EZ_FORM_DPP8 || wide_dual)
        REFUSE(item->inner_column, "invalid operand for instruction: expected %s",
               takes & EZ_TAKES_INLINE ? "a register or an inline constant" : "a register");
    if (bits == 64 && !pair) return wide_literal(a, item, o->type, value, code);
    *code = EZ_CODE_LITERAL; /* 32 bits also where the operand has 16 */
    return set_literal(a, item, (uint32_t)(small ? item->value : value), false);
}

/* The literal that is an operand of its own, such as K of v_fmamk. */
static ez_status own_literal(ez_attempt *a, const ez_operand *o, const ez_item *item) {
    uint64_t value;
    unsigned bits = ez_type_bits[o->type];
    ez_item number = *item;
    if (item->kind == EZ_ITEM_INT) number.value = fold_sign(item, o->type, item->value);
    if (!is_number(item) || !constant_bits(&number, o->type, bits, &value))
        REFUSE(item->inner_column, "invalid operand for instruction: expected a number of %u bits", bits);
    /* an integer of 32 bits is the upper half of a double, unless lit64() says otherwise */
    bool upper = bits == 64 && item->kind == EZ_ITEM_INT && !item->wide_literal;
    if (upper && (value <= UINT32_MAX || value >= (uint64_t)INT64_C(-0x80000000))) value <<= 32;
    if (bits < 32 && item->kind == EZ_ITEM_INT) value = (uint32_t)number.value; /* 32 bits in any case */
    if (item->kind == EZ_ITEM_FLOAT) value = fold_sign(item, o->type, value);
    if (set_literal(a, item, value, bits == 64)) return EZ_ERR_ENCODE;
    ez_item at = *item; /* it is never the one that llvm-mc points at */
    if (a->scalar_column) at.inner_column = a->scalar_column;
    count_scalar(a, EZ_CODE_LITERAL, &at);
    return EZ_OK;
}

/* ---- registers ---- */

/* The number of a VGPR as the field holds it, with its half. `bit` is the operand's place in op_sel. */
static ez_status vgpr_number(ez_attempt *a, const ez_operand *o, const ez_item *item, unsigned bit,
                             unsigned *number) {
    bool sdwa = ez_has_field(&a->inst, EZ_F_src0_sel) || ez_has_field(&a->inst, EZ_F_dst_sel);
    bool halves_here = o->bits == 16 && !sdwa && !has(a, EZ_ROW_not16);
    *number = item->code;
    if (item->half && !halves_here)
        REFUSE(item->inner_column, "invalid operand for instruction: expected a whole register");
    if (!halves_here) return EZ_OK;
    if (a->halves_known && a->halves != (item->half != 0))
        REFUSE(item->inner_column, "invalid operand for instruction: registers with and without .l "
                                   "or .h in one instruction");
    a->halves_known = true;
    a->halves = item->half != 0;
    if (item->half && item->code > 127 && ez_inst_layout(&a->inst)->dwords < 3 &&
        !ez_has_field(&a->inst, EZ_F_neg))
        REFUSE(item->inner_column, "invalid operand for instruction: a 7-bit register number is "
                                   "expected, the eighth bit is the half");
    if (!ez_has(a->inst.target, EZ_HAS_true16)) return EZ_OK;
    if (ez_has_field(&a->inst, EZ_F_op_sel)) {
        a->half_bits |= (unsigned)(item->half == 'h') << bit;
    } else {
        if (item->code > 127)
            REFUSE(item->inner_column, "invalid operand for instruction: a 7-bit register number is "
                                       "expected, the eighth bit is the half");
        *number |= item->half == 'h' ? 128 : 0;
    }
    return EZ_OK;
}

static void count_scalar(ez_attempt *a, unsigned code, const ez_item *item) {
    const ez_special *s = ez_special_find(a->inst.target, code);
    if (s && (!strcmp(s->name, "null") || !strcmp(s->name, "src_lds_direct"))) return;
    code |= (unsigned)item->dwords << 16; /* vcc and vcc_lo are two values: as llvm-mc counts */
    for (unsigned i = 0; i < a->scalar_count; i++)
        if (a->scalars[i] == code) return;
    a->scalar_column = item->inner_column;
    if (a->scalar_count < 6) a->scalars[a->scalar_count++] = code;
}

void ez_count_hidden(ez_attempt *a, unsigned n) {
    const ez_row_operand *row = &ez_row_operands[ez_rows[a->inst.op].operands + n];
    const ez_item vcc = {.inner_column = a->scalar_column,
                         .dwords = 2}; /* beside vcc_lo another value: as llvm-mc */
    if (row->cls == EZ_C_vccd && row->access == 'S') count_scalar(a, EZ_CODE_VCC, &vcc);
}

/* Whether the accumulator of an MFMA instruction (not of SMFMAC, where it is the destination) overlaps a destination of
 * more than 4 registers without being the same. Source: [CDNA3] 7.5, overlapped D and C; behaviour of llvm-mc 22. */
bool ez_accumulator_overlaps(const ez_inst *inst) {
    unsigned encoding = ez_inst_layout(inst)->encoding;
    if ((encoding != EZ_ENC_VOP3P_MAI && encoding != EZ_ENC_VOP3PX) || !ez_rows[inst->op].dims[0])
        return false;
    ez_operand d = ez_inst_operand(inst, 0), c = ez_inst_operand(inst, 3);
    if (d.read || c.kind != d.kind || d.dwords <= 4 || c.reg == d.reg) return false;
    return c.reg < d.reg + d.dwords && d.reg < c.reg + c.dwords;
}

/* Whether the accumulator of an MFMA instruction is a constant, which is decoded but not assembled here. */
static bool accumulator_is_refused(const ez_inst *inst) {
    if (ez_inst_layout(inst)->encoding != EZ_ENC_VOP3P_MAI || !ez_rows[inst->op].dims[0]) return false;
    return !ez_has(inst->target, EZ_HAS_mfma_inline_c) && ez_inst_operand(inst, 3).kind == EZ_OPERAND_CONSTANT;
}

ez_status ez_check_rules(ez_attempt *a) {
    bool vector = ez_has_field(&a->inst, EZ_F_src0) || a->dual;
    bool two = ez_has(a->inst.target, EZ_HAS_two_scalar_reads) && !has(a, EZ_ROW_one_scalar);
    unsigned limit = two ? 2 : 1;
    a->final = true;
    if (has(a, EZ_ROW_read_m0)) {
        const ez_item m0 = {.inner_column = a->scalar_column, .dwords = 1};
        count_scalar(a, ez_has(a->inst.target, EZ_HAS_null_is_124) ? 125 : 124, &m0);
    }
    if (has(a, EZ_ROW_read_vcc)) {
        const ez_item vcc = {.inner_column = a->scalar_column, .dwords = (uint8_t)(a->inst.wave / 32)};
        count_scalar(a, EZ_CODE_VCC, &vcc);
    }
    if (a->broken.status) {
        a->error = a->broken;
        return a->error.status;
    }
    if (vector && a->scalar_count > limit)
        REFUSE(a->scalar_column,
               "invalid operand (violates constant bus restrictions): %s reads %u scalar value%s in "
               "one instruction",
               a->inst.target->name, limit, limit > 1 ? "s" : "");
    if (accumulator_is_refused(&a->inst))
        REFUSE(a->items[3].inner_column, "inline constants are not allowed for this operand");
    if (ez_accumulator_overlaps(&a->inst))
        REFUSE(a->items[3].inner_column, "source 2 operand must not partially overlap with dst");
    return EZ_OK;
}

static bool size_fits(const ez_operand *o, const ez_item *item) {
    if (o->type == EZ_T_f8f6f4_32 || o->type == EZ_T_f8f6f4_64) { /* checked when the format is known */
        unsigned full = ez_type_bits[o->type] / 32;
        return item->dwords == full || item->dwords == full / 4 * 3 || item->dwords == full / 2;
    }
    return item->dwords == 0 ? o->dwords <= 2 : item->dwords == o->dwords;
}

/* Of a float source of DPP with signs llvm-mc first asks only for a VGPR, or a pair where the target's DPP works on 64 bits;
 * that it has the wrong size is said when the operands behind it fit. Source: behaviour of llvm-mc 22. */
static bool dpp_size_is_checked_late(const ez_attempt *a, const ez_operand *o) {
    unsigned form = ez_inst_layout(&a->inst)->form;
    bool dpp = form == EZ_FORM_DPP16 || form == EZ_FORM_DPP8 || form == EZ_FORM_E64_DPP16 || form == EZ_FORM_E64_DPP8;
    bool vop3 = ez_has_field(&a->inst, EZ_F_neg);
    if (!dpp || (vop3 && (o->bits < 32 || o->field != EZ_F_src0))) return false;
    return ez_source_index(o->field) >= 0 && ez_operand_modifiers(&a->inst, o->field, o->type) != EZ_SOURCE_PLAIN;
}

static ez_status check_size(ez_attempt *a, const ez_operand *o, const ez_item *item) {
    bool fits = size_fits(o, item);
    if (!dpp_size_is_checked_late(a, o)) return fits ? EZ_OK : EZ_ERR_ENCODE;
    if (item->dwords > 2 || (item->dwords == 2 && !ez_has(a->p->target, EZ_HAS_dpp64))) return EZ_ERR_ENCODE;
    if (!fits) BREAK(item->inner_column, "invalid operand for instruction: expected %s", o->dwords > 1 ? "a pair of VGPRs" : "a VGPR");
    return EZ_OK;
}

ez_status ez_check_format_widths(ez_attempt *a, unsigned first, unsigned count) {
    for (unsigned n = 0; n < count; n++) {
        ez_operand o = ez_inst_operand(&a->inst, n);
        const ez_item *item = &a->items[first + n];
        if ((o.type == EZ_T_f8f6f4_32 || o.type == EZ_T_f8f6f4_64) && o.dwords != item->dwords) {
            a->final = true;
            REFUSE(item->inner_column, "wrong register tuple size for the format: expected %u registers",
                   o.dwords);
        }
    }
    return EZ_OK;
}

/* Where nothing but VGPRs is taken, an odd tuple is no operand; else it breaks a rule. */
static ez_status even_register(ez_attempt *a, const ez_operand *o, unsigned takes, const ez_item *item) {
    if (o->dwords < 2 || !(item->code & 1) || !ez_has(a->p->target, EZ_HAS_even_vgprs)) return EZ_OK;
    bool rule = takes & (EZ_TAKES_SCALAR | EZ_TAKES_INLINE) || (a->dual && o->read);
    if (!rule)
        REFUSE(item->inner_column,
               "invalid operand for instruction: VGPR tuples begin at an even number on %s",
               a->p->target->name);
    a->odd_tuple = item;
    return EZ_OK;
}

ez_status ez_check_alignment(ez_attempt *a) {
    if (!a->odd_tuple) return EZ_OK;
    a->final = true;
    REFUSE(1, "invalid register class: vgpr tuples must be 64 bit aligned, %c%u begins at an odd number",
           a->odd_tuple->kind == EZ_ITEM_AGPR ? 'a' : 'v', a->odd_tuple->code);
}

/* Says that an operand is an accumulation VGPR, or that it is none. False where that cannot be had. */
static bool set_accumulation(ez_attempt *a, unsigned cls, unsigned field, bool agpr) {
    ez_inst *inst = &a->inst;
    switch (cls) {
    case EZ_C_acd:
    case EZ_C_src_acd:
        if (!ez_has_field(inst, EZ_F_acc_cd)) return agpr;
        /* destination and third source agree; the destination comes first */
        if (field != EZ_F_vdst) return agpr == (ez_get(inst, EZ_F_acc_cd) != 0);
        return ez_set(inst, EZ_F_acc_cd, agpr);
    case EZ_C_src_acc:
        return ez_set(inst, EZ_F_acc, ez_get(inst, EZ_F_acc) | (unsigned)agpr << ez_source_index(field));
    default: return true;
    }
}

static const char *expected(unsigned takes, const ez_operand *o) {
    if (takes == EZ_TAKES_VGPR) return o->dwords > 1 ? "a range of VGPRs of the operand's size" : "a VGPR";
    if (takes == EZ_TAKES_AGPR) return "accumulation VGPRs";
    if (!(takes & (EZ_TAKES_VGPR | EZ_TAKES_AGPR)))
        return takes & EZ_TAKES_INLINE ? "a scalar register or a number" : "a scalar register";
    return takes & EZ_TAKES_SCALAR ? "a VGPR, a scalar register or a number" : "a VGPR";
}

/* Whether it is a lane mask in a field that has room for the registers beyond the SGPRs, which llvm-mc takes there. */
static bool wide_mask(const ez_attempt *a, const ez_operand *o) {
    enum { SGPR_BITS = 7 };
    return o->type == EZ_T_mask && ez_inst_layout(&a->inst)->field[o->field].width > SGPR_BITS;
}

/* src_vccz, src_execz, src_scc, which llvm-mc takes for registers of 32 bits. */
static bool bit_of_status(const ez_operand *o, const ez_item *item) {
    return o->dwords == 1 && item->code >= EZ_CODE_VCCZ && item->code <= EZ_CODE_SCC;
}

/* Whether the source is one of VGPRs, which the bit for scalars in SDWA does not change. */
static bool takes_vgprs_alone(const ez_attempt *a, const ez_operand *o) {
    const ez_row *row = &ez_rows[a->inst.op];
    if (ez_inst_layout(&a->inst)->form != EZ_FORM_SDWA) return false;
    for (unsigned n = 0; n < row->noperands; n++) {
        const ez_row_operand *r = &ez_row_operands[row->operands + n];
        if (ez_operand_field(&a->inst, r) == o->field) return r->cls == EZ_C_src_v;
    }
    return false;
}

/* A field that holds an operand code or register number. */
static ez_status register_or_constant(ez_attempt *a, const ez_operand *o, unsigned cls, unsigned takes,
                                      const ez_item *item, unsigned *code) {
    int source = ez_source_index(o->field);
    unsigned bit = source >= 0 ? (unsigned)source : 3;
    bool number_only = cls == EZ_C_v || cls == EZ_C_av || cls == EZ_C_acd || cls == EZ_C_vdsty;
    switch (item->kind) {
    case EZ_ITEM_VGPR:
    case EZ_ITEM_AGPR: {
        bool agpr = item->kind == EZ_ITEM_AGPR;
        if (!(takes & (agpr ? EZ_TAKES_AGPR : EZ_TAKES_VGPR))) break;
        if (check_size(a, o, item)) break;
        if (vgpr_number(a, o, item, bit, code)) return EZ_ERR_ENCODE;
        if (!set_accumulation(a, cls, o->field, agpr)) break;
        if (even_register(a, o, takes, item)) return EZ_ERR_ENCODE;
        if (!number_only) *code += EZ_CODE_VGPR;
        return EZ_OK;
    }
    case EZ_ITEM_SCALAR: {
        bool lds = item->code == EZ_CODE_LDS_DIRECT;
        if (!(takes & (lds ? EZ_TAKES_LDS_DIRECT : EZ_TAKES_SCALAR)) || !size_fits(o, item)) break;
        if (item->half) break; /* no instruction takes half an SGPR */
        if (!lds && takes_vgprs_alone(a, o)) BREAK(item->inner_column, "source operand must be a VGPR");
        if (cls == EZ_C_sxm0 && (item->code == ez_m0_code(a->p->target) || item->code > EZ_CODE_EXEC + 1)) break;
        if (item->code > EZ_CODE_EXEC + 1 &&
            ((cls == EZ_C_sd && !wide_mask(a, o)) || (cls == EZ_C_sreg && !bit_of_status(o, item))))
            break;
        if (lds && o->field != EZ_F_src0) {
            a->broken.status = EZ_OK; /* comes before other rules */
            BREAK(item->inner_column, "lds_direct may be used as src0 only");
        } else if (lds && (ez_has_field(&a->inst, EZ_F_src0_sel) || has(a, EZ_ROW_nolds))) {
            BREAK(item->inner_column, "lds_direct cannot be used with this instruction");
        }
        *code = item->code;
        /* the lane of v_writelane may be m0 beside another scalar value. Source: [GCN3] 6.2.1; behaviour of llvm-mc 22 */
        bool sdwa = ez_has_field(&a->inst, EZ_F_src0_sel); /* any scalar is of that class there */
        bool lane = cls == EZ_C_src_lane && !sdwa && *code == ez_m0_code(a->inst.target);
        if (o->read && !lane) count_scalar(a, *code, item);
        return EZ_OK;
    }
    case EZ_ITEM_INT:
    case EZ_ITEM_FLOAT:
        if (!(takes & (EZ_TAKES_INLINE | EZ_TAKES_LITERAL))) break;
        if (takes_vgprs_alone(a, o)) BREAK(item->inner_column, "source operand must be a VGPR");
        if (constant_code(a, o, takes, item, code)) return EZ_ERR_ENCODE;
        if (*code == EZ_CODE_LITERAL || ez_is_literal64(&a->inst, *code)) count_scalar(a, *code, item);
        return EZ_OK;
    default: break;
    }
    REFUSE(item->inner_column, "invalid operand for instruction: expected %s", expected(takes, o));
}

/* ---- neg, abs, sext ---- */

static ez_status set_source_modifiers(ez_attempt *a, const ez_operand *o, const ez_item *item) {
    ez_inst *inst = &a->inst;
    int n = ez_source_index(o->field);
    ez_source_modifiers takes = ez_operand_modifiers(inst, o->field, o->type);
    bool number = is_number(item);
    if (!(item->neg || item->abs || item->sext) || (number && takes == EZ_SOURCE_PLAIN)) return EZ_OK;
    bool abs_late = a->dual && takes == EZ_SOURCE_NEG && item->abs;
    if (abs_late) BREAK(item->inner_column, "ABS not allowed in VOPD3 instructions");
    if ((item->sext && takes != EZ_SOURCE_SEXT) || (item->abs && takes != EZ_SOURCE_NEG_ABS && !abs_late) ||
        (item->neg && takes != EZ_SOURCE_NEG_ABS && takes != EZ_SOURCE_NEG))
        REFUSE(item->inner_column, "invalid operand for instruction: this form has no %s here",
               item->sext  ? "sext"
               : item->abs ? "abs"
                           : "neg");
    if (takes == EZ_SOURCE_SEXT) {
        ez_set(inst, n ? EZ_F_src1_sext : EZ_F_src0_sext, 1);
        return EZ_OK;
    }
    unsigned neg = EZ_F_neg, abs = EZ_F_abs, at = (unsigned)n;
    if (has(a, EZ_ROW_mix)) neg = EZ_F_neg_lo, abs = EZ_F_neg_hi;
    else if (takes == EZ_SOURCE_NEG) neg = ez_has_field(inst, EZ_F_negx) ? EZ_F_negx : EZ_F_negy;
    else if (!ez_has_field(inst, EZ_F_neg)) {
        neg = n ? EZ_F_src1_neg : EZ_F_src0_neg;
        abs = n ? EZ_F_src1_abs : EZ_F_src0_abs;
        at = 0;
    }
    ez_set(inst, neg, ez_get(inst, neg) | (unsigned)item->neg << at);
    if (item->abs && !abs_late && !ez_set(inst, abs, ez_get(inst, abs) | (unsigned)item->abs << at))
        REFUSE(item->inner_column, "invalid operand for instruction: this form has no abs here");
    return EZ_OK;
}

/* ---- one operand ---- */

/* An SDWA source may be scalar where the target allows that: the S0 or S1 bit says so. A VOPC SDWA result
 * is in VCC, or in the SGPRs that the SD bit announces. */
static void choose_field(ez_attempt *a, const ez_row_operand *row, unsigned field, const ez_item *item) {
    ez_inst *inst = &a->inst;
    if (field == EZ_F_src0 || field == EZ_F_vsrc1)
        ez_set(inst, field == EZ_F_src0 ? EZ_F_s0 : EZ_F_s1, item->kind != EZ_ITEM_VGPR);
    if ((row->cls == EZ_C_vcc || row->cls == EZ_C_cmpx) && ez_has_field(inst, EZ_F_sd))
        ez_set(inst, EZ_F_sd, item->kind == EZ_ITEM_SCALAR && item->code != EZ_CODE_VCC);
}

/* What the target's own rules say beyond the form: a second source of DPP in VOP3, a scalar in SDWA. */
static ez_status check_target_rules(ez_attempt *a, const ez_row_operand *row, const ez_operand *o,
                                    const ez_item *item) {
    const ez_target *target = a->p->target; /* a->inst may be tried as of another one */
    char room[EZ_LACKING_ROOM];
    unsigned form = ez_inst_layout(&a->inst)->form;
    bool dpp = form == EZ_FORM_DPP16 || form == EZ_FORM_DPP8, vgpr = item->kind == EZ_ITEM_VGPR;
    if (row->cls == EZ_C_src_accw && item->kind == EZ_ITEM_SCALAR && item->code != EZ_CODE_LDS_DIRECT &&
        !ez_has(target, EZ_HAS_unified_vgprs))
        BREAK(item->inner_column, "source operand must be either a VGPR or an inline constant");
    if (form == EZ_FORM_SDWA && !vgpr && (o->field == EZ_F_src0 || o->field == EZ_F_vsrc1) &&
        ez_has(target, EZ_HAS_sdwa) && !ez_has(target, EZ_HAS_sdwa_sgpr))
        REFUSE(item->inner_column, "invalid operand for instruction: expected a VGPR; %s",
               ez_lacking(target, EZ_HAS_sdwa_sgpr, room, sizeof room));
    if (!dpp || o->field != EZ_F_src1 || ez_has(target, EZ_HAS_dpp_src1_sgpr) || vgpr) return EZ_OK;
    if (!is_number(item))
        REFUSE(item->inner_column, "invalid operand for instruction: expected a VGPR; %s",
               ez_lacking(target, EZ_HAS_dpp_src1_sgpr, room, sizeof room));
    BREAK(1, "src1 immediate operand invalid for instruction");
    return EZ_OK;
}

/* VCC where the encoding has no field for it. */
static ez_status implied_register(ez_attempt *a, const ez_operand *o, const ez_item *item) {
    if (item->kind != EZ_ITEM_SCALAR || item->code != o->code || item->neg || item->abs ||
        (item->dwords != o->dwords && !a->p->any_vcc))
        REFUSE(item->inner_column, "invalid operand for instruction: expected %s",
               o->dwords == 2 ? "vcc" : "vcc_lo");
    ez_item at = *item; /* too many scalar values are told at one that has a field */
    if (a->scalar_column) at.inner_column = a->scalar_column;
    if (o->read) count_scalar(a, o->code, &at);
    return EZ_OK;
}

ez_status ez_put_operand(ez_attempt *a, unsigned n, unsigned at) {
    const ez_row_operand *row = &ez_row_operands[ez_rows[a->inst.op].operands + n];
    ez_item room;
    const ez_item *item = ez_item_of_symbol(a, &a->items[at], &room);
    choose_field(a, row, ez_operand_field(&a->inst, row), item);
    ez_operand o = ez_inst_operand(&a->inst, n);
    unsigned code = 0;
    a->reach = at;
    if (row->cls != EZ_C_lit && !o.implied) { /* attr0.x and the like are names, but no symbols */
        ez_status own = ez_put_interp(a, ez_operand_class(&a->inst, row, o.field), &o, at);
        if (own != EZ_ERR_NOT_FOUND) return own;
    }
    if (item->node) return ez_put_symbol(a, row, &o, item);
    if (row->cls == EZ_C_lit) return own_literal(a, &o, item);
    if (o.implied) return implied_register(a, &o, item);
    unsigned cls = ez_operand_class(&a->inst, row, o.field), takes = ez_class_takes(&a->inst, cls);
    if (check_target_rules(a, row, &o, item)) return EZ_ERR_ENCODE;
    if (!takes) {
        unsigned used;
        ez_status status = ez_put_scalar_class(a, cls, &o, at, &used);
        if (status != EZ_ERR_NOT_FOUND) return status;
        if (item->kind != EZ_ITEM_INT || item->value > UINT32_MAX ||
            !ez_set(&a->inst, o.field, (uint32_t)item->value))
            REFUSE(item->inner_column, "invalid operand for instruction: expected a number that fits");
        return EZ_OK;
    }
    if (register_or_constant(a, &o, cls, takes, item, &code)) return EZ_ERR_ENCODE;
    if (cls == EZ_C_vdsty) code >>= 1; /* its lowest bit follows from vdstx: check_banks */
    if (!ez_set(&a->inst, o.field, code)) REFUSE(item->inner_column, "invalid operand for instruction");
    return set_source_modifiers(a, &o, item);
}
