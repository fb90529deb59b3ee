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
    for (unsigned i = 0; i < 3; i++)
        inst->word[i] = layout->preset[i];
    unsigned low = layout->field[EZ_F_op].width;
    ez_set(inst, EZ_F_op, (uint32_t)opcode & ((1u << low) - 1));
    ez_set(inst, EZ_F_op_msb, (uint32_t)opcode >> low);
    if (escape[form]) ez_set(inst, EZ_F_escape, escape[form]);
    return true;
}

void ez_inst_set_literal(ez_inst *inst, uint32_t value) {
    unsigned dwords = ez_inst_layout(inst)->dwords;
    inst->word[dwords] = value;
    inst->size = (uint8_t)(4 * (dwords + 1));
}

/* ---- decoding ---- */

/* The encoding that dword 0 belongs to, and with it the opcode; EZ_ENC_COUNT when none. */
static unsigned find_encoding(const ez_isa_set *set, const uint32_t *word, unsigned *opcode) {
    for (const uint8_t *e = set->chain + set->first[word[0] >> 23]; *e != EZ_ENC_COUNT; e++) {
        const ez_layout *layout = &ez_layouts[set->layout[*e][EZ_FORM_BASE]];
        if ((word[0] & layout->mask) != layout->value) continue;
        ez_field_position op = layout->field[EZ_F_op], msb = layout->field[EZ_F_op_msb];
        *opcode = word[op.lo >> 5] >> (op.lo & 31) & ((1u << op.width) - 1);
        *opcode |= (word[msb.lo >> 5] >> (msb.lo & 31) & ((1u << msb.width) - 1)) << op.width;
        return *e;
    }
    return EZ_ENC_COUNT;
}

/* The form that the src0 code of a VOP1, VOP2, VOPC or VOP3 instruction announces; EZ_FORM_COUNT: none. */
static unsigned announced_form(const ez_inst *inst) {
    bool e64 = inst->form == EZ_FORM_E64;
    if (ez_inst_layout(inst)->field[EZ_F_src0].width != 9) return EZ_FORM_COUNT;
    switch (ez_get(inst, EZ_F_src0)) {
    case EZ_CODE_SDWA: return EZ_FORM_SDWA;
    case EZ_CODE_DPP16: return e64 ? EZ_FORM_E64_DPP16 : EZ_FORM_DPP16;
    case EZ_CODE_DPP8:
    case EZ_CODE_DPP8_FI: return e64 ? EZ_FORM_E64_DPP8 : EZ_FORM_DPP8;
    default: return EZ_FORM_COUNT;
    }
}

static bool wants_literal(const ez_inst *inst) {
    const ez_row *row = &ez_rows[inst->op];
    if (ez_row_has(inst->op, EZ_ROW_lit)) return true;
    for (unsigned n = 0; n < row->noperands; n++) {
        const ez_row_operand *o = &ez_row_operands[row->operands + n];
        ez_field_position p = ez_inst_layout(inst)->field[ez_operand_field(inst, o)];
        if ((p.cls == EZ_C_src || p.cls == EZ_C_ss) && p.width &&
            ez_get(inst, ez_operand_field(inst, o)) == EZ_CODE_LITERAL)
            return true;
    }
    return false;
}

static bool takes_literal(const ez_inst *inst) {
    const ez_layout *layout = ez_inst_layout(inst);
    return layout->form == EZ_FORM_BASE &&
           (layout->dwords == 1 || ez_has(inst->target, EZ_HAS_vop3_literal));
}

/* The row behind a decoded opcode. */
static bool find_row(ez_inst *inst) {
    const ez_isa_set *set = &ez_isa_sets[inst->target->set];
    unsigned opcode, e = find_encoding(set, inst->word, &opcode);
    if (e == EZ_ENC_COUNT || opcode >= set->space[e].count) return false;
    unsigned entry = ez_opcode_entries[set->space[e].first + opcode];
    if (!entry) return false;
    inst->op = (uint16_t)(entry & ~(unsigned)EZ_DECODE_E64);
    unsigned form = entry & EZ_DECODE_E64 ? EZ_FORM_E64 : EZ_FORM_BASE;
    const ez_layout *layout = ez_layout_of(inst->target, inst->op, form);
    if (!layout) { /* has DPP or SDWA forms only */
        layout = &ez_layouts[set->layout[e][EZ_FORM_BASE]];
        form = EZ_FORM_COUNT;
    }
    set_layout(inst, layout, form);
    return true;
}

/* Switches to the SDWA or DPP layout when src0 says so. */
static bool find_form(ez_inst *inst) {
    unsigned form = announced_form(inst);
    if (form == EZ_FORM_COUNT) return inst->form != EZ_FORM_COUNT;
    const ez_layout *layout = ez_layout_of(inst->target, inst->op, form);
    if (!layout) return false;
    set_layout(inst, layout, form);
    return true;
}

ez_status ez_decode(const ez_target *target, unsigned wave, const void *bytes, size_t size,
                    ez_inst *out) {
    const uint8_t *b = bytes;
    if (!target || !out || (wave && !ez_target_has_wave(target, wave))) return EZ_ERR_ARGUMENT;
    if (size < 4) return EZ_ERR_TRUNCATED;
    ez_inst inst = {.target = target,
                    .wave = (uint8_t)(wave ? wave : ez_target_default_wave(target))};
    unsigned have = size < EZ_INST_MAX_BYTES ? (unsigned)size / 4 : EZ_INST_MAX_BYTES / 4;
    for (unsigned i = 0; i < have; i++)
        inst.word[i] = b[4 * i] | (uint32_t)b[4 * i + 1] << 8 | (uint32_t)b[4 * i + 2] << 16 |
                       (uint32_t)b[4 * i + 3] << 24;
    if (!find_row(&inst)) return EZ_ERR_DECODE;
    if (inst.size > 4 * have) return EZ_ERR_TRUNCATED;
    if (!find_form(&inst)) return EZ_ERR_DECODE;
    if (wants_literal(&inst)) {
        if (!takes_literal(&inst)) return EZ_ERR_DECODE;
        inst.size = (uint8_t)(inst.size + 4);
    }
    if (inst.size > 4 * have) return EZ_ERR_TRUNCATED;
    if (!ez_inst_valid(&inst)) return EZ_ERR_DECODE;
    memset((char *)inst.word + inst.size, 0, EZ_INST_MAX_BYTES - inst.size);
    *out = inst;
    return EZ_OK;
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
    unsigned forms = ez_row_on(inst->target, inst->op)->forms;
    return forms & (forms - 1) ? names[inst->form] : "";
}

bool ez_inst_field(const ez_inst *inst, const char *name, uint32_t *value) {
    for (unsigned f = EZ_F_NONE + 1; f < EZ_F_COUNT; f++)
        if (!strcmp(ez_field_names[f], name) && ez_has_field(inst, f)) {
            *value = ez_get(inst, f);
            return true;
        }
    return false;
}
