/* SPDX-License-Identifier: Apache-2.0 */
/* What a reference page says of an operation's forms on a target: bits, operands, an example. */
#include "codec.h"
#include "execz/isa.h"

#include <string.h>

static bool valid(unsigned op, const ez_target *target) {
    return op > EZ_OP_NONE && op < EZ_OP_COUNT && ez_spelling_on(target, op);
}

/* ---- forms ---- */

static bool begin(ez_inst *inst, const ez_target *target, unsigned op, unsigned form) {
    return valid(op, target) &&
           ez_inst_begin(inst, target, ez_target_default_wave(target), op, form);
}

/* The bits of dword 0 that a field lies in. */
static uint32_t field_mask(const ez_layout *layout, unsigned field) {
    ez_field_position p = layout->field[field];
    return p.width && p.lo < 32 ? (uint32_t)(((UINT64_C(1) << p.width) - 1) << p.lo) : 0;
}

/* Dword 0 with what tells the operation: fixed bits and opcode. */
static uint32_t identifier(const ez_inst *inst) {
    const ez_layout *layout = ez_inst_layout(inst);
    return inst->word[0] & (layout->mask | field_mask(layout, EZ_F_op) | field_mask(layout, EZ_F_op_msb));
}

size_t ez_op_forms(unsigned op, const ez_target *target, ez_op_form *forms, size_t room) {
    static const uint8_t order[EZ_FORM_COUNT] = {
        EZ_FORM_BASE, EZ_FORM_E64,       EZ_FORM_SDWA,    EZ_FORM_DPP16,
        EZ_FORM_DPP8, EZ_FORM_E64_DPP16, EZ_FORM_E64_DPP8};
    size_t n = 0;
    for (unsigned i = 0; i < EZ_FORM_COUNT; i++) {
        ez_inst inst;
        if (!begin(&inst, target, op, order[i])) continue;
        const ez_row_on_set *row = ez_row_on(target, op);
        if (n < room)
            forms[n] = (ez_op_form){
                order[i], ez_inst_form(&inst), ez_inst_encoding(&inst),
                (unsigned)(order[i] >= EZ_FORM_E64 ? row->opcode_e64 : row->opcode),
                inst.size, identifier(&inst)};
        n++;
    }
    return n;
}

/* ---- bits ---- */

static uint32_t fixed_bits(const ez_layout *layout, unsigned dword) {
    return dword < 3 ? layout->fixed[dword] : 0;
}

/* The field that has a bit of the layout; EZ_F_NONE: none. Of two that share it (offset0 and the whole
 * offset) the first that the row names, else the first. */
static unsigned field_at(const ez_layout *layout, unsigned op, unsigned bit) {
    unsigned found = EZ_F_NONE;
    const ez_row *row = &ez_rows[op];
    for (unsigned f = EZ_F_NONE + 1; f < EZ_F_COUNT; f++) {
        ez_field_position p = layout->field[f];
        if (!p.width || bit < p.lo || bit >= (unsigned)p.lo + p.width) continue;
        if (found == EZ_F_NONE) found = f;
        for (unsigned n = 0; n < row->noperands; n++)
            if (ez_row_operands[row->operands + n].field == f) return f;
    }
    return found;
}

static bool is_fixed_field(unsigned field) {
    return field == EZ_F_op || field == EZ_F_op_msb || field == EZ_F_escape;
}

size_t ez_op_layout(unsigned op, const ez_target *target, unsigned form, ez_op_bits *bits,
                    size_t room) {
    ez_inst inst;
    size_t n = 0;
    if (!begin(&inst, target, op, form)) return 0;
    const ez_layout *layout = ez_inst_layout(&inst);
    for (unsigned dword = 0; dword < layout->dwords; dword++)
        for (int high = 31, low; high >= 0; high = low - 1) {
            unsigned field = field_at(layout, op, 32 * dword + (unsigned)high);
            uint32_t fixed = fixed_bits(layout, dword);
            for (low = high; low > 0; low--) {
                unsigned next = field_at(layout, op, 32 * dword + (unsigned)low - 1);
                if (next != field ||
                    (field == EZ_F_NONE && (fixed >> high & 1) != (fixed >> (low - 1) & 1)))
                    break;
            }
            uint32_t mask = (uint32_t)((UINT64_C(2) << (high - low)) - 1);
            bool known = is_fixed_field(field) || (field == EZ_F_NONE && fixed >> high & 1);
            if (n < room)
                bits[n] = (ez_op_bits){(uint8_t)dword, (uint8_t)high, (uint8_t)low,
                                       field == EZ_F_NONE ? NULL : ez_field_names[field], known,
                                       known ? inst.word[dword] >> low & mask : 0};
            n++;
        }
    return n;
}

/* ---- operands ---- */

/* AMD's name of what a field of a class may hold. Source: operand types of AMD's machine-readable ISA. */
static const char *kind_of(const ez_inst *inst, unsigned cls, bool implied) {
    switch (cls) {
    case EZ_C_v: return "OPR_VGPR";
    case EZ_C_src:
        return ez_inst_layout(inst)->dwords > 1 && !ez_has(inst->target, EZ_HAS_vop3_literal)
                   ? "OPR_SRC_NOLIT" : "OPR_SRC";
    case EZ_C_ss: return "OPR_SSRC";
    case EZ_C_sd: case EZ_C_sxm0: return "OPR_SDST";
    case EZ_C_vcc: return implied ? "OPR_VCC" : "OPR_SREG";
    case EZ_C_lit: return "OPR_SIMM32";
    case EZ_C_cmpx: return ez_has(inst->target, EZ_HAS_cmpx_mask) ? "OPR_SREG" : "OPR_EXEC";
    case EZ_C_src_v: return "OPR_SRC_VGPR";
    case EZ_C_src_s: return "OPR_SSRC";
    case EZ_C_src_lane: return "OPR_SSRC_LANESEL";
    case EZ_C_src_noconst: return "OPR_SRC_SIMPLE";
    case EZ_C_av: return "OPR_ACCVGPR";
    case EZ_C_src_av: return "OPR_SRC_ACCVGPR";
    case EZ_C_sb: case EZ_C_sr: case EZ_C_sg: case EZ_C_sgo: case EZ_C_sreg: return "OPR_SREG";
    case EZ_C_saddr: case EZ_C_fsaddr: case EZ_C_ssaddr: return "OPR_SREG";
    case EZ_C_ssi: return "OPR_SSRC_NOLIT";
    case EZ_C_soff: return "OPR_SREG_M0_INL";
    case EZ_C_smoff: return "OPR_SMEM_OFFSET";
    case EZ_C_gaddr: case EZ_C_baddr: case EZ_C_svaddr: case EZ_C_iaddr: return "OPR_VGPR";
    case EZ_C_idata: case EZ_C_ret: return "OPR_VGPR";
    case EZ_C_bar: return "OPR_SSRC_BARRIER_ID";
    case EZ_C_label: return "OPR_LABEL";
    case EZ_C_hwreg: return "OPR_HWREG";
    case EZ_C_waitcnt: return "OPR_WAITCNT";
    case EZ_C_depctr: return "OPR_WAITCNT_DEPCTR";
    case EZ_C_delay: return "OPR_DELAY";
    case EZ_C_sendmsg: return "OPR_SENDMSG";
    case EZ_C_sendmsg_rtn: return "OPR_SENDMSG_RTN";
    case EZ_C_version: return "OPR_VERSION";
    case EZ_C_imm: case EZ_C_hex: case EZ_C_exit: return "OPR_SIMM16";
    default: return "OPR_SIMM";
    }
}

size_t ez_op_operands(unsigned op, const ez_target *target, unsigned form, ez_op_operand *operands,
                      size_t room) {
    ez_inst inst;
    if (!begin(&inst, target, op, form)) return 0;
    const ez_row *row = &ez_rows[op];
    for (unsigned n = 0; n < row->noperands && n < room; n++) {
        const ez_row_operand *o = &ez_row_operands[row->operands + n];
        unsigned field = ez_operand_field(&inst, o);
        unsigned cls = o->cls == EZ_C_COUNT ? ez_inst_layout(&inst)->field[field].cls : o->cls;
        operands[n] = (ez_op_operand){field == EZ_F_NONE ? "" : ez_field_names[field],
                                      ez_type_formats[o->type],
                                      kind_of(&inst, cls, field == EZ_F_NONE), ez_type_bits[o->type],
                                      o->access != 'D', o->access != 'S'};
    }
    return row->noperands;
}

/* ---- marks and properties ---- */

const char *ez_op_mark(unsigned op, const ez_target *target, unsigned index) {
    if (!valid(op, target)) return NULL;
    for (unsigned flag = 0; ez_row_flag_abouts[flag]; flag++)
        if (ez_row_has_on(target, op, flag) && !index--) return ez_row_flag_abouts[flag];
    return NULL;
}

ez_op_properties ez_op_properties_on(unsigned op, const ez_target *target) {
    ez_op_properties p = {0};
    if (!valid(op, target)) return p;
    const ez_row *row = &ez_rows[op];
    bool memory = ez_row_has(op, EZ_ROW_load) || ez_row_has(op, EZ_ROW_store) ||
                  ez_row_has(op, EZ_ROW_atomic);
    for (unsigned n = 0; n < row->noperands && !memory; n++)
        p.floating |= ez_type_is_float(ez_row_operands[row->operands + n].type);
    bool fmod = ez_row_has_on(target, op, EZ_ROW_fmod), omod = ez_row_has_on(target, op, EZ_ROW_omod);
    p.ieee = p.floating && ez_has(target, EZ_HAS_ieee_mode);
    p.source_modifiers = fmod || ez_row_has_on(target, op, EZ_ROW_negabs);
    p.omod = fmod || omod;
    p.clamp = fmod || omod || ez_row_has_on(target, op, EZ_ROW_imod) ||
              ez_row_has_on(target, op, EZ_ROW_clamp);
    p.op_sel = ez_row_has_on(target, op, EZ_ROW_opsel) || ez_row_has_on(target, op, EZ_ROW_pk);
    for (unsigned n = 0; n < row->noperands; n++)
        p.op_sel |= ez_type_bits[ez_row_operands[row->operands + n].type] == 16 &&
                    ez_has(target, EZ_HAS_true16) && !ez_row_has(op, EZ_ROW_not16);
    return p;
}

/* ---- example ---- */

/* A register number or constant that suits an operand's class: v5 for what is written, -1 for a first source
 * that may be a constant, v2, v3 and so on for the others; wide ones at even registers. */
static uint32_t example_value(unsigned cls, bool written, bool wide, unsigned nth) {
    uint32_t vgpr = written ? (wide ? 6 : 5) : wide ? 2 * nth : nth;
    switch (cls) {
    case EZ_C_src: return nth == 1 && !wide ? EZ_CODE_MINUS_ONE : EZ_CODE_VGPR + vgpr;
    case EZ_C_src_v: case EZ_C_src_av: case EZ_C_src_acc: case EZ_C_src_acd: case EZ_C_src_accw:
    case EZ_C_src_vc: return EZ_CODE_VGPR + vgpr;
    case EZ_C_bar: return EZ_CODE_MINUS_ONE; /* the workgroup's own */
    case EZ_C_src_lane: return EZ_CODE_ZERO + nth;
    case EZ_C_src_s: case EZ_C_ss: case EZ_C_sd: case EZ_C_sxm0: case EZ_C_sreg: case EZ_C_ssi:
    case EZ_C_vcc: case EZ_C_sg: return written ? (wide ? 8 : 5) : 4 * nth;
    case EZ_C_src_noconst: return EZ_CODE_VGPR + vgpr;
    case EZ_C_sb: case EZ_C_saddr: case EZ_C_fsaddr: case EZ_C_ssaddr: return 4 * nth;
    case EZ_C_sr: return nth;
    case EZ_C_soff: return EZ_CODE_ZERO;
    case EZ_C_v: case EZ_C_av: case EZ_C_acd: case EZ_C_gaddr: case EZ_C_baddr: case EZ_C_iaddr: return vgpr;
    case EZ_C_idata: return 6; /* of two registers where there are even_vgprs, too */
    default: return 0;
    }
}

static void set_operands(ez_inst *inst) {
    const ez_row *row = &ez_rows[inst->op];
    unsigned sources = 0;
    for (unsigned n = 0; n < row->noperands; n++) {
        const ez_row_operand *o = &ez_row_operands[row->operands + n];
        unsigned field = ez_operand_field(inst, o);
        sources += o->access == 'S';
        if (field == EZ_F_NONE) continue;
        ez_field_position p = ez_inst_layout(inst)->field[field];
        unsigned cls = o->cls == EZ_C_COUNT ? p.cls : o->cls;
        bool wide = ez_type_bits[o->type] > 32 || o->type == EZ_T_mask || ez_row_has(inst->op, EZ_ROW_gwsdata);
        ez_set(inst, field, example_value(cls, o->access != 'S', wide, sources));
        if (cls == EZ_C_baddr) ez_set(inst, EZ_F_offen, 1); /* else it is no operand */
        bool swap = inst->op == EZ_OP_IMAGE_ATOMIC_CMPSWAP || inst->op == EZ_OP_IMAGE_ATOMIC_CMPSWAP_FLT;
        if (cls == EZ_C_idata) ez_set(inst, EZ_F_dmask, swap ? 3 : 1); /* one component, with what it is compared to */
        if (inst->op == EZ_OP_IMAGE_MSAA_LOAD) ez_set(inst, EZ_F_dim, 6); /* 2D_MSAA */
        /* the register of s_waitcnt_vscnt and its like is null from GFX11 on */
        bool wait = field == EZ_F_sdst && o->access == 'S' && !ez_row_has(inst->op, EZ_ROW_scc);
        if (wait && ez_has(inst->target, EZ_HAS_null_sgpr)) ez_set(inst, field, ez_m0_code(inst->target) ^ 1);
    }
}

/* Where any register or number fits but few mean something: MODE, an interrupt, the clock, a named barrier, groups of 8 lanes. */
static void set_meaningful(ez_inst *inst) {
    enum { HWREG_MODE_WHOLE = 1 | 31 << 11, MSG_INTERRUPT = 1, MSG_RTN_GET_REALTIME = 131, LANES = 8, BARRIER = 1 };
    const ez_row *row = &ez_rows[inst->op];
    switch (inst->op) {
    case EZ_OP_PERMLANE_BCAST_B32: case EZ_OP_PERMLANE_UP_B32: case EZ_OP_PERMLANE_DOWN_B32:
    case EZ_OP_PERMLANE_XOR_B32: ez_set(inst, EZ_F_src2, EZ_CODE_ZERO + LANES); return;
    case EZ_OP_PERMLANE_IDX_GEN_B32: ez_set(inst, EZ_F_src1, EZ_CODE_ZERO + LANES); return;
    case EZ_OP_S_BARRIER_INIT: case EZ_OP_S_BARRIER_JOIN: ez_set(inst, EZ_F_ssrc0, EZ_CODE_ZERO + BARRIER); return;
    default: break;
    }
    for (unsigned n = 0; n < row->noperands; n++) {
        const ez_row_operand *o = &ez_row_operands[row->operands + n];
        unsigned field = ez_operand_field(inst, o);
        if (field == EZ_F_NONE) continue;
        switch (o->cls == EZ_C_COUNT ? ez_inst_layout(inst)->field[field].cls : o->cls) {
        case EZ_C_hwreg: ez_set(inst, field, HWREG_MODE_WHOLE); break;
        case EZ_C_sendmsg: ez_set(inst, field, MSG_INTERRUPT); break;
        case EZ_C_sendmsg_rtn: ez_set(inst, field, MSG_RTN_GET_REALTIME); break;
        default: break;
        }
    }
}

static void set_example(ez_inst *inst) {
    const ez_row *row = &ez_rows[inst->op];
    unsigned sources = ez_vector_sources(inst);
    /* the DPP and SDWA fields that leave everything as it is */
    ez_set(inst, EZ_F_row_mask, 0xf);
    ez_set(inst, EZ_F_bank_mask, 0xf);
    ez_set(inst, EZ_F_dpp_ctrl, ez_has_field(inst, EZ_F_dpp_ctrl) ? 0xe4 : 0);
    ez_set(inst, EZ_F_lane_sel, 0xfac688); /* lanes 0 to 7 in order */
    ez_set(inst, EZ_F_dst_sel, sources & 1 ? 6 : 0);
    ez_set(inst, EZ_F_src0_sel, sources & 1 ? 6 : 0);
    if (sources & 2) ez_set(inst, EZ_F_src1_sel, 6);
    if (ez_row_has_on(inst->target, inst->op, EZ_ROW_bvh)) /* what it has always */
        ez_set(inst, EZ_F_dmask, 0xf), ez_set(inst, EZ_F_r128, 1), ez_set(inst, EZ_F_unorm, 1);
    for (unsigned n = 0; n < row->noperands; n++) {
        const ez_row_operand *o = &ez_row_operands[row->operands + n];
        if (o->cls != EZ_C_lit) continue;
        if (ez_type_bits[o->type] == 64) ez_inst_set_literal64(inst, 0x1234);
        else ez_inst_set_literal(inst, 0x1234);
    }
}

/* A dual instruction, one half the operation, the other v_dual_mov_b32: the operation first or second, in two dwords or
 * three. */
enum { DUAL_WAYS = 4 };
static bool dual_example(unsigned op, const ez_target *target, unsigned wave, unsigned way, ez_inst *inst) {
    /* some are written in three dwords by the assembler wherever there are such */
    bool first = way % 2 == 0, wide = (way >= 2) != ez_row_has_on(target, op, EZ_ROW_dual3_first);
    unsigned x = first ? op : EZ_OP_DUAL_MOV_B32, y = first ? EZ_OP_DUAL_MOV_B32 : op;
    ez_inst second;
    if (!ez_inst_begin_dual(inst, target, wave, x, y, wide) || !ez_inst_second(inst, &second)) return false;
    set_operands(inst);
    memcpy(second.word, inst->word, sizeof second.word);
    set_operands(&second);
    ez_set(&second, EZ_F_vdsty, wide ? 8 : 4); /* v8 or v9: another register than the first half's */
    memcpy(inst->word, second.word, sizeof second.word);
    return true;
}

/* Whether the decoder takes what was made, as the operation or half of it. */
static bool decodes(const ez_inst *made, unsigned wave, unsigned op, unsigned form, ez_inst *inst) {
    uint8_t bytes[EZ_INST_MAX_BYTES];
    ez_inst second;
    size_t size = ez_encode(made, bytes);
    return ez_decode(made->target, wave, bytes, size, inst) == EZ_OK && inst->form == form &&
           (inst->op == op || (ez_inst_second(inst, &second) && second.op == op));
}

bool ez_op_example(unsigned op, const ez_target *target, unsigned wave, unsigned form,
                   ez_inst *inst) {
    if (wave && !ez_target_has_wave(target, wave)) return false;
    if (!wave) wave = ez_target_default_wave(target);
    /* Where such operands do not fit, the decoder is the judge, all fields 0 may; or it is one of those that are there
     * with gds or lds alone. */
    static const uint8_t bits[] = {EZ_F_NONE, EZ_F_gds, EZ_F_lds};
    ez_inst made;
    for (unsigned way = 0; way < DUAL_WAYS; way++)
        if (dual_example(op, target, wave, way, &made) && decodes(&made, wave, op, form, inst)) return true;
    for (unsigned i = 0; i < 2 * sizeof bits && begin(&made, target, op, form); i++) {
        unsigned bit = bits[i / 2];
        set_example(&made);
        if (i % 2 == 0) set_operands(&made), set_meaningful(&made);
        if (bit != EZ_F_NONE && !ez_set(&made, bit, 1)) continue;
        if (decodes(&made, wave, op, form, inst)) return true;
    }
    return false;
}
