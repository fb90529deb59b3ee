/* SPDX-License-Identifier: Apache-2.0 */
/* Which bit patterns are no instruction although their opcode is: what llvm-mc 22 refuses to decode. */
#include "codec.h"

static bool sdwa_selects(const ez_inst *inst) {
    if (ez_row_has_on(inst->target, inst->op, EZ_ROW_sdwa_src) && ez_has_field(inst, EZ_F_dst_sel) &&
        (ez_get(inst, EZ_F_dst_sel) != EZ_SDWA_DWORD || ez_get(inst, EZ_F_dst_unused)))
        return false;
    return ez_get(inst, EZ_F_dst_sel) <= EZ_SDWA_DWORD && ez_get(inst, EZ_F_src0_sel) <= EZ_SDWA_DWORD &&
           ez_get(inst, EZ_F_src1_sel) <= EZ_SDWA_DWORD;
}

static bool operands_exist(const ez_inst *inst) {
    unsigned count = ez_inst_operand_count(inst);
    for (unsigned n = 0; n < count; n++)
        if (ez_inst_operand(inst, n).kind == EZ_OPERAND_INVALID) return false;
    return true;
}

static bool bits_valid(const ez_inst *inst) {
    return ez_inst_fields_valid(inst) && ez_vector_bits_valid(inst) && sdwa_selects(inst);
}

bool ez_inst_valid(const ez_inst *inst) { return operands_exist(inst) && bits_valid(inst); }

bool ez_inst_lacks_operands(const ez_inst *inst) { return bits_valid(inst) && !operands_exist(inst); }
