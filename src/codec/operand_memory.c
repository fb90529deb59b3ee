/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of the memory families: which registers the fields and the modifiers beside them make. */
#include "codec.h"

static bool has(const ez_inst *inst, unsigned flag) {
    return ez_row_has_on(inst->target, inst->op, flag);
}

bool ez_inst_returns(const ez_inst *inst) {
    return ez_get(inst, EZ_F_glc) || ez_get(inst, EZ_F_sc0) || (ez_get(inst, EZ_F_th) & 1);
}

/* Not there, and not in the text. */
static void absent(ez_operand *o) {
    o->kind = EZ_OPERAND_NONE;
    o->read = o->written = false;
    o->hidden = true;
}

/* Not there; the text says `off`. */
static void off(ez_operand *o) {
    o->kind = EZ_OPERAND_NONE;
    o->read = o->written = false;
}

static void vgprs(ez_operand *o, unsigned first, unsigned dwords) {
    o->kind = EZ_OPERAND_VGPR;
    o->reg = (uint16_t)first;
    o->code = (uint16_t)(EZ_CODE_VGPR + first);
    o->dwords = (uint8_t)dwords;
}

/* ---- flat, global, scratch ---- */

bool ez_address_is_off(const ez_inst *inst, unsigned code, bool scratch) {
    if (!ez_has(inst->target, EZ_HAS_null_sgpr)) return code == EZ_CODE_EXEC + 1;
    return ez_is_null(inst->target, code) ||
           (scratch && code == EZ_CODE_EXEC + 1 && ez_has(inst->target, EZ_HAS_scratch_no_address) &&
            !ez_has_field(inst, EZ_F_sve));
}

static void scalar_address(const ez_inst *inst, ez_operand *o, bool scratch) {
    if (ez_address_is_off(inst, o->code, scratch)) {
        off(o);
        return;
    }
    ez_scalar_tuple(inst, o);
    if (scratch && o->code == EZ_CODE_EXEC + 1) o->kind = EZ_OPERAND_INVALID;
}

static void global_address(const ez_inst *inst, ez_operand *o) {
    bool pair = !ez_has_field(inst, EZ_F_saddr) ||
                ez_address_is_off(inst, ez_get(inst, EZ_F_saddr), false);
    vgprs(o, ez_get(inst, o->field), pair ? 2 : 1);
    o->bits = pair ? 64 : 32;
}

static void scratch_offset(const ez_inst *inst, ez_operand *o) {
    unsigned saddr = ez_get(inst, EZ_F_saddr);
    bool there = ez_has_field(inst, EZ_F_sve) ? ez_get(inst, EZ_F_sve)
                 : ez_address_is_off(inst, saddr, true) &&
                       (saddr != EZ_CODE_EXEC + 1 || !ez_has(inst->target, EZ_HAS_null_sgpr) ||
                        !ez_has(inst->target, EZ_HAS_scratch_no_address));
    if (there) vgprs(o, ez_get(inst, o->field), 1);
    else off(o);
}

/* ---- buffers ---- */

static void buffer_address(const ez_inst *inst, ez_operand *o) {
    unsigned count = ez_get(inst, EZ_F_offen) + ez_get(inst, EZ_F_idxen);
    if (count) vgprs(o, ez_get(inst, o->field), count);
    else off(o);
    o->bits = (uint8_t)(32 * count);
}

/* ---- data ---- */

static bool is_data(const ez_inst *inst, unsigned field) {
    switch (field) {
    case EZ_F_vdata: case EZ_F_data0: case EZ_F_data1: return true;
    case EZ_F_addr: return has(inst, EZ_ROW_gwsdata);
    case EZ_F_vdst: return ez_has_field(inst, EZ_F_vaddr) || ez_has_field(inst, EZ_F_addr);
    default: return false;
    }
}

/* Data VGPRs: left out when the data goes to LDS, accumulation VGPRs with acc, one more for the status with tfe. */
static void data(const ez_inst *inst, ez_operand *o) {
    if (has(inst, EZ_ROW_lds) && ez_get(inst, EZ_F_lds)) {
        absent(o);
        return;
    }
    vgprs(o, ez_get(inst, o->field), o->dwords + (ez_get(inst, EZ_F_tfe) ? 1u : 0));
    enum { AGPRS = 256 }; /* beyond them llvm-mc decodes nothing; of VGPRs it does not ask */
    if (ez_get(inst, EZ_F_acc)) o->kind = o->reg + o->dwords > AGPRS ? EZ_OPERAND_INVALID : EZ_OPERAND_AGPR;
    if (has(inst, EZ_ROW_atomic) && o->read && o->written) o->written = ez_inst_returns(inst);
}

bool ez_memory_operand(const ez_inst *inst, unsigned cls, ez_operand *o) {
    o->code = (uint16_t)ez_get(inst, o->field);
    switch (cls) {
    case EZ_C_v:
        if (!is_data(inst, o->field)) return false;
        data(inst, o);
        return true;
    case EZ_C_ret:
        if (ez_inst_returns(inst)) data(inst, o);
        else absent(o);
        return true;
    case EZ_C_gaddr: global_address(inst, o); return true;
    case EZ_C_saddr: scalar_address(inst, o, false); return true;
    case EZ_C_fsaddr:
        scalar_address(inst, o, false);
        if (o->kind == EZ_OPERAND_NONE) absent(o);
        return true;
    case EZ_C_svaddr: scratch_offset(inst, o); return true;
    case EZ_C_ssaddr: scalar_address(inst, o, true); return true;
    case EZ_C_baddr: buffer_address(inst, o); return true;
    case EZ_C_idata:
    case EZ_C_iaddr: return ez_image_operand(inst, cls, o);
    default: return false;
    }
}
