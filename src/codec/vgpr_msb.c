/* SPDX-License-Identifier: Apache-2.0 */
/* The upper bits that s_set_vgpr_msb gives to VGPR numbers. Source: [LLVM] AMDGPUUsage "s_set_vgpr_msb"; behaviour of
 * llvm-objdump 22. */
#include "codec.h"

enum { SRC0, SRC1, SRC2, DST };

/* Whether the last source stands behind a literal, as that of v_fmamk: it is the third source then. */
static bool behind_literal(const ez_inst *inst) {
    const ez_row *row = &ez_rows[inst->op];
    return row->noperands == 4 && ez_row_operands[row->operands + 2].cls == EZ_C_lit;
}

unsigned ez_msb_slot(const ez_inst *inst, const ez_operand *o) {
    switch (o->field) {
    case EZ_F_srcx0:
    case EZ_F_srcy0:
    case EZ_F_src0:
    case EZ_F_vaddr:
    case EZ_F_addr: return SRC0;
    case EZ_F_vsrcx1:
    case EZ_F_vsrcy1:
    case EZ_F_vsrc1: return behind_literal(inst) ? SRC2 : SRC1;
    case EZ_F_src1:
    case EZ_F_data0: return SRC1;
    case EZ_F_vsrcx2:
    case EZ_F_vsrcy2:
    case EZ_F_src2:
    case EZ_F_data1: return SRC2;
    case EZ_F_vdata: return ez_has_field(inst, EZ_F_vdst) ? SRC1 : DST; /* of a buffer it is both */
    case EZ_F_scale_src0:
    case EZ_F_scale_src1: return EZ_MSB_NONE;
    default: return DST;
    }
}

unsigned ez_vgpr_msb_after(const ez_inst *inst, unsigned msb) {
    uint64_t target;
    switch (inst->op) {
    case EZ_OP_S_SET_VGPR_MSB: return ez_get(inst, EZ_F_simm16) & 0xff;
    case EZ_OP_S_ENDPGM:
    case EZ_OP_S_ENDPGM_SAVED:
    case EZ_OP_S_CODE_END:
    case EZ_OP_S_SETPC_B64:
    case EZ_OP_S_ADD_PC_I64: return 0;
    default: break;
    }
    bool call = ez_rows[inst->op].noperands > 1; /* comes back */
    return !call && ez_inst_branch_target(inst, 0, &target) ? 0 : msb;
}
