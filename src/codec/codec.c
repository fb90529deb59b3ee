/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes to instruction and back. Which bits mean what is in the layouts (src/isa/encodings.isa). */
#include "codec.h"

#include <string.h>

bool ez_set(ez_inst *inst, unsigned field, uint32_t value) {
    ez_field_position p = ez_layouts[inst->layout].field[field];
    uint64_t mask = (UINT64_C(1) << p.width) - 1;
    if (!p.width || value > mask) return false;
    uint32_t *word = &inst->word[p.lo >> 5];
    *word = (*word & ~(uint32_t)(mask << (p.lo & 31))) | value << (p.lo & 31);
    return true;
}

static void set_layout(ez_inst *inst, const ez_layout *layout, unsigned form) {
    inst->layout = (uint16_t)(layout - ez_layouts);
    inst->form = (uint8_t)form;
    inst->size = (uint8_t)(4 * layout->dwords);
}

bool ez_inst_begin(ez_inst *inst, const ez_target *target, unsigned wave, unsigned op,
                   unsigned form) {
    static const uint16_t escape[EZ_FORM_COUNT] = {
        0, EZ_CODE_SDWA, EZ_CODE_DPP16, EZ_CODE_DPP8, 0, EZ_CODE_DPP16, EZ_CODE_DPP8};
    const ez_layout *layout = ez_layout_of(target, op, form);
    if (!layout) return false;
    const ez_row_on_set *row = ez_row_on(target, op);
    int opcode = form >= EZ_FORM_E64 ? row->opcode_e64 : row->opcode;
    *inst = (ez_inst){.target = target, .op = (uint16_t)op, .wave = (uint8_t)wave};
    set_layout(inst, layout, form);
    for (unsigned i = 0; i < 4; i++) /* 0 beyond the layout's dwords */
        inst->word[i] = layout->preset[i];
    if (form == EZ_FORM_SDWA && !ez_rows[op].noperands) inst->word[1] = 0; /* selects nothing */
    unsigned low = layout->field[EZ_F_op].width;
    ez_set(inst, EZ_F_op, (uint32_t)opcode & ((1u << low) - 1));
    ez_set(inst, EZ_F_op_msb, (uint32_t)opcode >> low);
    if (escape[form]) ez_set(inst, EZ_F_escape, escape[form]);
    return true;
}

enum { DUAL_WAVE = 32 }; /* two instructions in one are for waves of 32. Source: [RDNA3] 7.6 */

bool ez_inst_begin_dual(ez_inst *inst, const ez_target *target, unsigned wave, unsigned op,
                        unsigned second, bool wide) {
    const ez_isa_set *set = &ez_isa_sets[target->set];
    unsigned layout = set->layout[wide ? EZ_ENC_VOPD3 : EZ_ENC_VOPD][EZ_FORM_BASE];
    if (layout == EZ_NO_LAYOUT || wave != DUAL_WAVE || !ez_spelling_on(target, op) || !ez_spelling_on(target, second) ||
        !ez_row_has_on(target, op, wide ? EZ_ROW_dual3_x : EZ_ROW_dual_x) ||
        !ez_row_has_on(target, second, wide ? EZ_ROW_dual3_y : EZ_ROW_dual_y))
        return false;
    *inst = (ez_inst){.target = target, .op = (uint16_t)op, .wave = (uint8_t)wave};
    set_layout(inst, &ez_layouts[layout], EZ_FORM_BASE);
    for (unsigned i = 0; i < 4 && i < ez_layouts[layout].dwords; i++)
        inst->word[i] = ez_layouts[layout].preset[i];
    return ez_set(inst, EZ_F_op, (uint32_t)ez_row_on(target, op)->opcode) &&
           ez_set(inst, EZ_F_opy, (uint32_t)ez_row_on(target, second)->opcode);
}

void ez_inst_set_literal(ez_inst *inst, uint32_t value) {
    unsigned dwords = ez_inst_layout(inst)->dwords;
    inst->word[dwords] = value;
    inst->size = (uint8_t)(4 * (dwords + 1));
}

void ez_inst_set_literal64(ez_inst *inst, uint64_t value) {
    ez_inst_set_literal(inst, (uint32_t)value);
    inst->word[inst->size / 4] = (uint32_t)(value >> 32);
    inst->size = (uint8_t)(inst->size + 4);
}

/* ---- decoding ---- */

/* The opcode in the dwords as encoding e lays them out. */
static unsigned opcode_of(const ez_layout *layout, const uint32_t *word) {
    ez_field_position op = layout->field[EZ_F_op], msb = layout->field[EZ_F_op_msb];
    unsigned opcode = word[op.lo >> 5] >> (op.lo & 31) & ((1u << op.width) - 1);
    return opcode | (word[msb.lo >> 5] >> (msb.lo & 31) & ((1u << msb.width) - 1)) << op.width;
}

/* The form that the src0 code of a VOP1, VOP2, VOPC or VOP3 instruction announces; EZ_FORM_COUNT: none.
 * SDWA follows only the first three. */
static unsigned announced_form(const ez_inst *inst) {
    const ez_layout *layout = ez_inst_layout(inst);
    bool e64 = inst->form == EZ_FORM_E64, vop3 = layout->dwords > 1;
    if (layout->field[EZ_F_src0].width != 9) return EZ_FORM_COUNT;
    switch (ez_get(inst, EZ_F_src0)) {
    case EZ_CODE_SDWA: return vop3 ? EZ_FORM_COUNT : EZ_FORM_SDWA;
    case EZ_CODE_DPP16: return e64 ? EZ_FORM_E64_DPP16 : EZ_FORM_DPP16;
    case EZ_CODE_DPP8:
    case EZ_CODE_DPP8_FI: return e64 ? EZ_FORM_E64_DPP8 : EZ_FORM_DPP8;
    default: return EZ_FORM_COUNT;
    }
}

/* The dwords of the literal that the row always has. */
static unsigned own_literal_dwords(unsigned op) {
    for (unsigned n = 0; n < ez_rows[op].noperands; n++) {
        const ez_row_operand *o = &ez_row_operands[ez_rows[op].operands + n];
        if (o->cls == EZ_C_lit) return ez_type_bits[o->type] == 64 ? 2 : 1;
    }
    return 0;
}

/* The dwords of the literals that the operands of the instruction, or half of one, ask for. */
static unsigned literal_dwords(const ez_inst *inst) {
    const ez_row *row = &ez_rows[inst->op];
    unsigned dwords = own_literal_dwords(inst->op);
    for (unsigned n = 0; n < row->noperands; n++) {
        const ez_row_operand *o = &ez_row_operands[row->operands + n];
        unsigned field = ez_operand_field(inst, o), code, want = 0;
        if (o->cls != EZ_C_lit && field != EZ_F_NONE) {
            unsigned cls = ez_operand_class(inst, o, field);
            if (!(ez_class_takes(inst, cls) & EZ_TAKES_LITERAL)) continue;
            code = ez_get(inst, field);
            want = code == EZ_CODE_LITERAL ? 1 : ez_is_literal64(inst, code) ? 2 : 0;
        }
        if (want > dwords) dwords = want;
    }
    return dwords;
}

bool ez_inst_takes_literal(const ez_inst *inst) {
    const ez_layout *layout = ez_inst_layout(inst);
    if (ez_row_has(inst->op, EZ_ROW_lit)) return true;
    if (layout->encoding == EZ_ENC_VOPD3 || layout->encoding == EZ_ENC_VOPD3Y) return false;
    return layout->form == EZ_FORM_BASE &&
           (layout->dwords == 1 || ez_has(inst->target, EZ_HAS_vop3_literal));
}

/* The entry of an opcode in the space of an encoding; 0: none. The rows of VOPD serve VOPD3 as well. */
static unsigned entry_of(const ez_isa_set *set, unsigned encoding, unsigned opcode) {
    ez_opcode_space space = set->space[encoding == EZ_ENC_VOPD3 ? EZ_ENC_VOPD : encoding];
    return opcode < space.count ? ez_opcode_entries[space.first + opcode] : 0;
}

/* The row behind the opcode, when dword 0 is of encoding e. */
static bool find_row(ez_inst *inst, unsigned e) {
    const ez_isa_set *set = &ez_isa_sets[inst->target->set];
    const ez_layout *layout = &ez_layouts[set->layout[e][EZ_FORM_BASE]];
    unsigned entry = entry_of(set, e, opcode_of(layout, inst->word));
    if (!entry) return false;
    inst->op = (uint16_t)(entry & ~(unsigned)EZ_DECODE_E64);
    unsigned form = entry & EZ_DECODE_E64 ? EZ_FORM_E64 : EZ_FORM_BASE;
    if (ez_layout_is_dual(layout)) {
        bool wide = e == EZ_ENC_VOPD3;
        set_layout(inst, layout, form);
        return inst->wave == DUAL_WAVE && ez_row_has_on(inst->target, inst->op, wide ? EZ_ROW_dual3_x : EZ_ROW_dual_x);
    }
    const ez_layout *own = ez_layout_of(inst->target, inst->op, form);
    set_layout(inst, own ? own : layout, own ? form : EZ_FORM_COUNT); /* none: DPP or SDWA only */
    return true;
}

/* Whether v_nop, which does not look at its sources, is another form: by an SDWA dword of zeros or a DPP dword without
 * signs. */
static bool makes_form(const ez_inst *inst, unsigned form, unsigned have) {
    enum { DPP_SIGNS = 0xf << 20 };
    if (have < 2) return false;
    return form == EZ_FORM_SDWA ? !inst->word[1] : form != EZ_FORM_DPP16 || !(inst->word[1] & DPP_SIGNS);
}

/* Switches to the SDWA or DPP layout when src0 says so. */
static bool find_form(ez_inst *inst, unsigned have) {
    unsigned form = announced_form(inst);
    if (form == EZ_FORM_COUNT) return inst->form != EZ_FORM_COUNT;
    const ez_layout *layout = ez_layout_of(inst->target, inst->op, form);
    if (!ez_inst_operand_count(inst) && inst->form != EZ_FORM_COUNT && (!layout || !makes_form(inst, form, have)))
        return true;
    if (!layout) return false;
    set_layout(inst, layout, form);
    return true;
}

bool ez_inst_second(const ez_inst *inst, ez_inst *second) {
    const ez_layout *layout = ez_inst_layout(inst);
    if (!ez_layout_is_dual(layout)) return false;
    const ez_isa_set *set = &ez_isa_sets[inst->target->set];
    bool wide = layout->encoding == EZ_ENC_VOPD3;
    unsigned entry = entry_of(set, EZ_ENC_VOPD, ez_get(inst, EZ_F_opy));
    unsigned y = set->layout[wide ? EZ_ENC_VOPD3Y : EZ_ENC_VOPDY][EZ_FORM_BASE];
    if (!entry || y == EZ_NO_LAYOUT ||
        !ez_row_has_on(inst->target, entry, wide ? EZ_ROW_dual3_y : EZ_ROW_dual_y))
        return false;
    *second = *inst;
    second->op = (uint16_t)entry;
    second->layout = (uint16_t)y;
    return true;
}

/* Decodes as encoding e; inst->word holds `have` dwords. */
static ez_status decode_as(ez_inst *inst, unsigned e, unsigned have) {
    ez_inst second;
    if (!find_row(inst, e)) return EZ_ERR_DECODE;
    if (inst->size > 4 * have) return EZ_ERR_TRUNCATED;
    if (!find_form(inst, have)) return EZ_ERR_DECODE;
    bool dual = ez_layout_is_dual(ez_inst_layout(inst));
    if (dual && !ez_inst_second(inst, &second)) return EZ_ERR_DECODE;
    unsigned literal = literal_dwords(inst), more = dual ? literal_dwords(&second) : 0;
    if (literal < more) literal = more;
    unsigned own = own_literal_dwords(inst->op) | (dual ? own_literal_dwords(second.op) : 0);
    if (own == 1 && literal > own) return EZ_ERR_DECODE; /* there is one literal, of 32 bits */
    if (literal && !ez_inst_takes_literal(inst)) return EZ_ERR_DECODE;
    inst->size = (uint8_t)(inst->size + 4 * (literal + ez_get(inst, EZ_F_nsa)));
    if (inst->size > 4 * have) return EZ_ERR_TRUNCATED;
    if (dual) second.size = inst->size;
    return ez_inst_valid(inst) && (!dual || ez_inst_valid(&second)) ? EZ_OK : EZ_ERR_DECODE;
}

ez_status ez_decode(const ez_target *target, unsigned wave, const void *bytes, size_t size,
                    ez_inst *out) {
    const uint8_t *b = bytes;
    if (!target || !out || (wave && !ez_target_has_wave(target, wave))) return EZ_ERR_ARGUMENT;
    if (size < 4) return EZ_ERR_TRUNCATED;
    ez_inst raw = {.target = target,
                   .wave = (uint8_t)(wave ? wave : ez_target_default_wave(target))};
    unsigned have = size < EZ_INST_MAX_BYTES ? (unsigned)size / 4 : EZ_INST_MAX_BYTES / 4;
    for (unsigned i = 0; i < have; i++)
        raw.word[i] = ez_dword_at(b + 4 * i);
    /* A pair of instructions that is one (VOP3PX) is tried before the first of the two. */
    const ez_isa_set *set = &ez_isa_sets[target->set];
    ez_status status = EZ_ERR_DECODE;
    for (const uint8_t *e = set->chain + set->first[raw.word[0] >> 23]; *e != EZ_ENC_COUNT; e++) {
        const ez_layout *layout = &ez_layouts[set->layout[*e][EZ_FORM_BASE]];
        if ((raw.word[0] & layout->mask) != layout->value) continue;
        ez_inst inst = raw;
        ez_status this = decode_as(&inst, *e, have);
        if (this == EZ_OK) {
            memset((char *)inst.word + inst.size, 0, EZ_INST_MAX_BYTES - inst.size);
            *out = inst;
            return EZ_OK;
        }
        if (this == EZ_ERR_TRUNCATED) status = this;
        enum { PAIR = 4 }; /* dwords: its first instruction does not stand alone */
        if (layout->dwords == PAIR && inst.size && this == EZ_ERR_DECODE && ez_inst_lacks_operands(&inst)) break;
    }
    return status;
}

ez_status ez_decode_next(const ez_target *target, unsigned wave, const void *bytes, size_t size,
                         size_t *offset, ez_inst *out) {
    if (*offset >= size) return EZ_ERR_NOT_FOUND;
    size_t left = size - *offset;
    ez_status status = ez_decode(target, wave, (const char *)bytes + *offset, left, out);
    *offset += status == EZ_OK ? out->size : left < 4 ? left : 4;
    return status;
}

size_t ez_encode(const ez_inst *inst, uint8_t *bytes) {
    for (unsigned i = 0; i < inst->size; i++)
        bytes[i] = (uint8_t)(inst->word[i / 4] >> (8 * (i % 4)));
    return inst->size;
}

/* ---- names ---- */

const char *ez_inst_id(const ez_inst *inst) { return ez_rows[inst->op].id; }

const char *ez_inst_name(const ez_inst *inst) {
    const ez_spelling *s = ez_spelling_on(inst->target, inst->op);
    return s ? s->name : "";
}

const char *ez_inst_encoding(const ez_inst *inst) {
    return ez_encoding_names[ez_inst_layout(inst)->encoding];
}

const char *ez_inst_form(const ez_inst *inst) {
    static const char *const names[EZ_FORM_COUNT] = {"e32", "sdwa",      "dpp16",   "dpp8",
                                                     "e64", "e64_dpp16", "e64_dpp8"};
    unsigned forms = ez_row_on(inst->target, inst->op)->forms, form = inst->form;
    const ez_layout *base = ez_layout_of(inst->target, inst->op, EZ_FORM_BASE);
    /* what VOP3 alone has has its VOP3 forms as base */
    bool vop3 = base && base->dwords > 1 && base->field[EZ_F_src0].width;
    if (vop3 && form == EZ_FORM_BASE) form = EZ_FORM_E64;
    else if (vop3 && form == EZ_FORM_DPP16) form = EZ_FORM_E64_DPP16;
    else if (vop3 && form == EZ_FORM_DPP8) form = EZ_FORM_E64_DPP8;
    return forms & (forms - 1) ? names[form] : "";
}

bool ez_inst_field(const ez_inst *inst, const char *name, uint32_t *value) {
    for (unsigned f = EZ_F_NONE + 1; f < EZ_F_COUNT; f++)
        if (!strcmp(ez_field_names[f], name) && ez_has_field(inst, f)) {
            *value = ez_get(inst, f);
            return true;
        }
    return false;
}
