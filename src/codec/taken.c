/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which fields of its layout an instruction takes: those of its operands, and the modifiers that the
 * marks of its row allow. The meaning of each class and mark stands in src/isa/encodings.isa; what
 * llvm-mc 22 refuses to decode is the source where the manuals are silent.
 */
#include "codec.h"

static bool has(const ez_inst *inst, unsigned flag) {
    return ez_row_has_on(inst->target, inst->op, flag);
}

static const ez_row_operand *row_operand(const ez_inst *inst, unsigned n) {
    return &ez_row_operands[ez_rows[inst->op].operands + n];
}

static bool is_operand(const ez_inst *inst, unsigned field) {
    for (unsigned n = 0; n < ez_rows[inst->op].noperands; n++)
        if (ez_operand_field(inst, row_operand(inst, n)) == field) return true;
    return false;
}

static bool has_operand_of_class(const ez_inst *inst, unsigned cls) {
    for (unsigned n = 0; n < ez_rows[inst->op].noperands; n++)
        if (row_operand(inst, n)->cls == cls) return true;
    return false;
}

static bool has_data(const ez_inst *inst) {
    return is_operand(inst, EZ_F_vdata) || is_operand(inst, EZ_F_vdst) ||
           is_operand(inst, EZ_F_data0) || is_operand(inst, EZ_F_data1);
}

/* A modifier that all rows take but those with a mark against it. */
static bool takes_modifier(const ez_inst *inst, unsigned field) {
    if (has(inst, EZ_ROW_sc) && (field == EZ_F_sc0 || field == EZ_F_sc1)) return true;
    if (has(inst, EZ_ROW_nomod)) return false;
    if (has(inst, EZ_ROW_bvh)) return field == EZ_F_a16;
    if (has(inst, EZ_ROW_cache))
        return field == EZ_F_scope || field == EZ_F_th || field == EZ_F_nv || field == EZ_F_scale_offset;
    if (has(inst, EZ_ROW_noscc) && field == EZ_F_scc) return false;
    return !has(inst, EZ_ROW_nooff) || (field != EZ_F_offen && field != EZ_F_idxen);
}

static bool has_address_beyond_coordinates(const ez_inst *inst) {
    return has(inst, EZ_ROW_a_lod) || has(inst, EZ_ROW_a_bias) || has(inst, EZ_ROW_a_compare) ||
           has(inst, EZ_ROW_a_offset) || has(inst, EZ_ROW_a_deriv);
}

bool ez_inst_takes(const ez_inst *inst, unsigned field) {
    if (!ez_has_field(inst, field)) return false;
    if (is_operand(inst, field)) return true;
    switch (ez_inst_layout(inst)->field[field].cls) {
    case EZ_C_m:
    case EZ_C_mi: return takes_modifier(inst, field);
    case EZ_C_mls:
        return (has(inst, EZ_ROW_load) || has(inst, EZ_ROW_store)) && !has(inst, EZ_ROW_typed);
    case EZ_C_mlds: return has(inst, EZ_ROW_lds) || has(inst, EZ_ROW_ldsonly);
    case EZ_C_mgds:
    case EZ_C_mgws: return !has(inst, EZ_ROW_nogds);
    case EZ_C_md16: return has(inst, EZ_ROW_d16);
    case EZ_C_mfmt: return has(inst, EZ_ROW_typed);
    case EZ_C_acc:
        return has_data(inst) || (has(inst, EZ_ROW_gds) && ez_rows[inst->op].noperands > 0);
    }
    switch (field) {
    case EZ_F_imm: return has_operand_of_class(inst, EZ_C_smoff);
    case EZ_F_vaddr3: return has_address_beyond_coordinates(inst) || !is_operand(inst, EZ_F_samp);
    case EZ_F_vaddr4: return has(inst, EZ_ROW_bvh);
    default: return false;
    }
}

/* Bits whose value the row or another bit settles. */
static bool settled_bits(const ez_inst *inst) {
    bool lds = ez_get(inst, EZ_F_lds), returns = ez_get(inst, EZ_F_glc) || ez_get(inst, EZ_F_sc0);
    if (has(inst, EZ_ROW_gds) && !ez_get(inst, EZ_F_gds)) return false;
    if (has(inst, EZ_ROW_ldsonly) && !lds) return false;
    if (lds && (ez_get(inst, EZ_F_tfe) || ez_get(inst, EZ_F_acc))) return false;
    enum { SCC = 1 << 25 }; /* of FLAT and its kin; a field on some targets, without effect on others */
    bool flat = ez_has_field(inst, EZ_F_saddr);
    if (has(inst, EZ_ROW_noscc) && has(inst, EZ_ROW_noret) && flat && inst->word[0] & SCC) return false;
    if (has(inst, EZ_ROW_noret) && returns) return false;
    if (has(inst, EZ_ROW_ret_vgpr) && returns && ez_get(inst, EZ_F_acc)) return false;
    return true;
}

/* Rays: the image modifiers have fixed values. */
static bool ray_bits(const ez_inst *inst) {
    const ez_layout *layout = ez_inst_layout(inst);
    if (!has(inst, EZ_ROW_bvh)) return true;
    for (unsigned f = EZ_F_NONE + 1; f < EZ_F_COUNT; f++) {
        if (layout->field[f].cls != EZ_C_m || !layout->field[f].width || ez_inst_takes(inst, f))
            continue;
        uint32_t want = f == EZ_F_dmask ? 15 : f == EZ_F_r128 || f == EZ_F_unorm;
        if (ez_get(inst, f) != want) return false;
    }
    return true;
}

/* GFX12: a buffer's offset is not negative, a prefetch has 5 bits of length. */
static bool scalar_offset(const ez_inst *inst) {
    if (!ez_has_field(inst, EZ_F_sbase) || !ez_has_field(inst, EZ_F_scope)) return true;
    if (has_operand_of_class(inst, EZ_C_n5) && ez_get(inst, EZ_F_sdata) > 31) return false;
    for (unsigned n = 0; n < ez_rows[inst->op].noperands; n++)
        if (row_operand(inst, n)->field == EZ_F_sbase &&
            ez_type_bits[row_operand(inst, n)->type] == 128)
            return !(ez_get(inst, EZ_F_offset) >> 23);
    return true;
}

bool ez_inst_fields_valid(const ez_inst *inst) {
    const ez_layout *layout = ez_inst_layout(inst);
    for (unsigned i = 0; i < 4 && i < layout->dwords; i++)
        if ((inst->word[i] ^ layout->preset[i]) & layout->fixed[i]) return false;
    for (unsigned f = EZ_F_NONE + 1; f < EZ_F_COUNT; f++) {
        ez_field_position p = layout->field[f];
        if (!p.idle || ez_inst_takes(inst, f)) continue;
        /* buffer_wbl2 before it takes sc0 and sc1: compilers set both bits, the text has neither. [mc] */
        if (has(inst, EZ_ROW_sc) && (f == EZ_F_glc || f == EZ_F_scc)) continue;
        uint32_t preset = (uint32_t)(layout->preset[p.lo >> 5] >> (p.lo & 31) &
                                     ((UINT64_C(1) << p.width) - 1));
        if (ez_get(inst, f) != preset) return false;
    }
    return settled_bits(inst) && ray_bits(inst) && scalar_offset(inst);
}
