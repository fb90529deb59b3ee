/* SPDX-License-Identifier: Apache-2.0 */
/* Which bit patterns are no instruction although their opcode is: what llvm-mc 22 refuses to decode. */
#include "codec.h"

enum { SDWA_SEL_LAST = 6 };

/* VOP3 neg and abs bits of sources that the instruction does not have. */
static bool unused_source_bits(const ez_inst *inst) {
    unsigned used = 0;
    const ez_row *row = &ez_rows[inst->op];
    if (!ez_has_field(inst, EZ_F_neg) || !ez_row_has(inst->op, EZ_ROW_fmod)) return true;
    for (unsigned n = 0; n < row->noperands; n++) {
        const ez_row_operand *o = &ez_row_operands[row->operands + n];
        int source = ez_source_index(ez_operand_field(inst, o));
        if (source >= 0) used |= 1u << source;
    }
    return !((ez_get(inst, EZ_F_neg) | ez_get(inst, EZ_F_abs)) & ~used);
}

static bool sdwa_selects(const ez_inst *inst) {
    if (!ez_has_field(inst, EZ_F_src0_sel)) return true;
    bool floats = ez_row_has(inst->op, EZ_ROW_fmod) || ez_row_has(inst->op, EZ_ROW_negabs);
    if (floats && (ez_get(inst, EZ_F_src0_sext) || ez_get(inst, EZ_F_src1_sext))) return false;
    return ez_get(inst, EZ_F_dst_sel) <= SDWA_SEL_LAST &&
           ez_get(inst, EZ_F_src0_sel) <= SDWA_SEL_LAST &&
           ez_get(inst, EZ_F_src1_sel) <= SDWA_SEL_LAST;
}

bool ez_inst_valid(const ez_inst *inst) {
    unsigned count = ez_inst_operand_count(inst);
    for (unsigned n = 0; n < count; n++)
        if (ez_inst_operand(inst, n).kind == EZ_OPERAND_INVALID) return false;
    return ez_inst_fields_valid(inst) && unused_source_bits(inst) && sdwa_selects(inst);
}
