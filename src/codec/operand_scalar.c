/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of the scalar families: SOPK, SOPP, SMEM, and what other families share with them. */
#include "codec.h"

int64_t ez_signed_field(const ez_inst *inst, unsigned field) {
    unsigned width = ez_inst_layout(inst)->field[field].width;
    uint64_t sign = width ? UINT64_C(1) << (width - 1) : 0, raw = ez_get(inst, field);
    return (int64_t)((raw ^ sign) - sign);
}

/* Tuples of scalar registers begin at a multiple of 2 or 4; the hardware ignores the bits below, and so does llvm-mc,
 * but for named registers, of which null alone stands for more than two. Source: [RDNA3] "SGPR Alignment". */
void ez_scalar_tuple(const ez_inst *inst, ez_operand *o) {
    unsigned below = o->dwords < 2 ? 0 : o->dwords == 2 ? 1 : 3;
    ez_operand first = *o;
    first.dwords = 1;
    ez_scalar_register(inst, &first);
    bool special = first.kind == EZ_OPERAND_SPECIAL && !ez_is_null(inst->target, o->code);
    if (special ? o->code & below || o->dwords > 2 : first.kind == EZ_OPERAND_INVALID) {
        o->kind = EZ_OPERAND_INVALID;
        return;
    }
    if (first.kind != EZ_OPERAND_SPECIAL) o->code &= (uint16_t)~below;
    ez_scalar_register(inst, o);
    bool beyond = o->kind == EZ_OPERAND_SGPR ? o->reg + o->dwords > EZ_CODE_VCC
                                             : o->kind == EZ_OPERAND_TTMP && o->reg + o->dwords > 16;
    if (beyond) o->kind = EZ_OPERAND_INVALID;
}

static void number(ez_operand *o, int64_t value) {
    o->kind = EZ_OPERAND_IMMEDIATE;
    o->value = (uint64_t)value;
}

/* An 8-bit scalar source without literal. */
static void scalar_source(const ez_inst *inst, ez_operand *o) {
    if (o->code == EZ_CODE_LITERAL) o->kind = EZ_OPERAND_INVALID;
    else ez_source_operand(inst, o);
}

/* Source: [GCN3] 7.2.1, [Vega] 7.2.1, [RDNA1] 7.2.1. On GFX8 and GFX9 imm tells whether `offset` is a number, and
 * if not, its low 7 bits are a register, unless GFX9's soffset_en says that soffset is it. */
ez_scalar_offset ez_scalar_offset_of(const ez_inst *inst) {
    bool has_soffset = ez_has_field(inst, EZ_F_soffset), has_imm = ez_has_field(inst, EZ_F_imm);
    bool imm = !has_imm || ez_get(inst, EZ_F_imm);
    bool extra = ez_has_field(inst, EZ_F_soffset_en)
                     ? ez_get(inst, EZ_F_soffset_en)
                     : has_soffset && !ez_is_null(inst->target, ez_get(inst, EZ_F_soffset));
    ez_scalar_offset s = {.has_register = extra || !imm, .has_number = imm};
    /* GFX10 and GFX11: an offset of 0 is not written beside soffset, whatever that is */
    if (!has_imm && !ez_has_field(inst, EZ_F_scope) && !ez_get(inst, EZ_F_offset))
        s.has_register = extra = true, s.has_number = false;
    s.code = (uint8_t)(extra ? ez_get(inst, EZ_F_soffset) : ez_get(inst, EZ_F_offset) & 0x7f);
    s.number = has_soffset ? ez_signed_field(inst, EZ_F_offset) : (int64_t)ez_get(inst, EZ_F_offset);
    return s;
}

/* The register if there is one, with the number, if there is one, in o->value. */
static void scalar_offset(const ez_inst *inst, ez_operand *o) {
    ez_scalar_offset s = ez_scalar_offset_of(inst);
    number(o, s.has_number ? s.number : 0);
    if (!s.has_register) return;
    o->code = s.code;
    ez_scalar_register(inst, o);
}

bool ez_scalar_operand(const ez_inst *inst, unsigned cls, ez_operand *o) {
    uint32_t raw = ez_get(inst, o->field);
    o->code = (uint16_t)raw;
    switch (cls) {
    case EZ_C_sb:
        o->code = (uint16_t)(raw << 1);
        ez_scalar_tuple(inst, o);
        return true;
    case EZ_C_sr:
        o->code = (uint16_t)(raw << 2);
        ez_scalar_tuple(inst, o);
        return true;
    case EZ_C_sg:
        if (raw > EZ_CODE_EXEC + 1) o->kind = EZ_OPERAND_INVALID;
        else ez_scalar_tuple(inst, o);
        return true;
    case EZ_C_sgo: /* a pair of operands that is left out together */
        ez_scalar_tuple(inst, o);
        o->hidden = ez_is_null(inst->target, ez_get(inst, EZ_F_vaddr2)) &&
                    ez_is_null(inst->target, ez_get(inst, EZ_F_vaddr3));
        return true;
    case EZ_C_sreg: /* llvm-mc reads constants here and other registers for barriers, but does not write them */
    case EZ_C_ssi:
    case EZ_C_bar: scalar_source(inst, o); return true;
    case EZ_C_soff: ez_source_operand(inst, o); return true;
    case EZ_C_smoff: scalar_offset(inst, o); return true;
    case EZ_C_i:
    case EZ_C_xi:
    case EZ_C_label: number(o, ez_signed_field(inst, o->field)); return true;
    case EZ_C_exit:
        number(o, raw);
        o->hidden = !raw;
        return true;
    default: return false;
    }
}

bool ez_inst_branch_target(const ez_inst *inst, uint64_t address, uint64_t *target) {
    unsigned encoding = ez_inst_layout(inst)->encoding;
    const ez_row *row = &ez_rows[inst->op];
    if ((encoding != EZ_ENC_SOPP && encoding != EZ_ENC_SOPK) || !row->noperands)
        return false; /* nothing else jumps so */
    const ez_row_operand *last = &ez_row_operands[row->operands + row->noperands - 1];
    if (last->cls != EZ_C_label) return false;
    *target = address + inst->size + (uint64_t)ez_signed_field(inst, ez_operand_field(inst, last)) * 4;
    return true;
}
