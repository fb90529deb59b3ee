/* SPDX-License-Identifier: Apache-2.0 */
/* The modifiers of vector instructions: op_sel, clamp, omod, SDWA, DPP. */
#include "text.h"

#include <string.h>

bool ez_item_named(const ez_item *item, const char *name) {
    return item->kind == EZ_ITEM_WORD && item->name_length == strlen(name) &&
           !memcmp(item->name, name, item->name_length);
}

bool ez_item_is(const ez_item *item, const char *name) { return !item->stranger && ez_item_named(item, name); }

bool ez_item_is_flag(const ez_item *item, const char *name) {
    if (item->colon || item->kind != EZ_ITEM_WORD) return false;
    if (ez_item_is(item, name)) return true;
    return !item->stranger && item->name_length == strlen(name) + 2 && !memcmp(item->name, "no", 2) &&
           !memcmp(item->name + 2, name, strlen(name));
}

void ez_write_flag(ez_writer *w, bool set, const char *name) {
    if (!set) return;
    ez_write_char(w, ' ');
    ez_write(w, name);
}

void ez_write_number(ez_writer *w, const char *name, uint32_t value) {
    ez_write_flag(w, true, name);
    ez_write_char(w, ':');
    ez_write_decimal(w, value);
}

/* " name:[1,0,1]" from the low bits of `bits` */
void ez_write_bits(ez_writer *w, const char *name, unsigned bits, unsigned count) {
    ez_write_flag(w, true, name);
    ez_write(w, ":[");
    for (unsigned i = 0; i < count; i++) {
        if (i) ez_write_char(w, ',');
        ez_write_char(w, bits >> i & 1 ? '1' : '0');
    }
    ez_write_char(w, ']');
}

/* What an expression in brackets is too: a number. */
ez_status ez_one_number(const ez_item *item, int64_t low, int64_t high, ez_error *err) {
    if (item->word)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->columns[0], "expected absolute expression, not a name");
    if (item->count != 1)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->colon ? item->columns[0] : item->column,
                          "expected %.*s:NUMBER", (int)item->name_length, item->name);
    if (item->values[0] < low || item->values[0] > high)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->column, "invalid %.*s value: expected %d to %d",
                          (int)item->name_length, item->name, (int)low, (int)high);
    return EZ_OK;
}

ez_status ez_set_number(ez_inst *inst, unsigned field, const ez_item *item, int64_t high, ez_error *err) {
    if (ez_one_number(item, 0, high, err)) return EZ_ERR_SYNTAX;
    ez_set(inst, field, (uint32_t)item->values[0]);
    return EZ_OK;
}

ez_status ez_bit_list(const ez_item *item, unsigned most, unsigned *bits, ez_error *err) {
    *bits = 0;
    if (item->bracket && item->word)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->columns[0], "expected absolute expression, not a name");
    if (!item->bracket)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->columns[0], "expected a left square bracket");
    for (unsigned i = 0; i < item->count && i < most; i++) {
        if (item->values[i] & ~INT64_C(1))
            return ez_fail_at(err, EZ_ERR_SYNTAX, item->columns[i],
                              "invalid %.*s value: expected 0 or 1", (int)item->name_length, item->name);
        *bits |= (unsigned)item->values[i] << i;
    }
    if (item->count > most)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->ends[most - 1], "expected a closing square bracket");
    return EZ_OK;
}

bool ez_modifier_here(const ez_inst *inst, const ez_modifier *m, ez_text_flags flags) {
    return ez_has_field(inst, m->field) && (!m->taken || m->taken(inst, flags));
}

void ez_modifiers_begin(ez_inst *inst, ez_text_flags flags) {
    for (const ez_modifier *const *list = ez_modifier_lists; *list; list++)
        for (const ez_modifier *m = *list; m->is; m++)
            if (m->initial && ez_modifier_here(inst, m, flags)) ez_set(inst, m->field, m->initial);
    if (ez_row_has_on(inst->target, inst->op, EZ_ROW_mix)) { /* floats, not halves, if nothing is said */
        ez_set(inst, EZ_F_op_sel_hi, 0);
        ez_set(inst, EZ_F_op_sel_hi2, 0);
    }
    if (ez_row_has_on(inst->target, inst->op, EZ_ROW_sdwa_src)) ez_set(inst, EZ_F_dst_sel, EZ_SDWA_DWORD);
}

static bool has(const ez_inst *inst, unsigned flag) {
    return ez_row_has_on(inst->target, inst->op, flag);
}

/* ---- op_sel of VOP3 ---- */

static bool compares(const ez_inst *inst) {
    return ez_inst_operand_count(inst) && ez_inst_operand(inst, 0).type == EZ_T_mask;
}

/* llvm-mc has no place for the result of a compare in its DPP forms, but one, without effect, in the plain VOP3 form. */
static bool compares_in_dpp(const ez_inst *inst) {
    return compares(inst) && (inst->form == EZ_FORM_E64_DPP16 || inst->form == EZ_FORM_E64_DPP8);
}

/* Sources of a VOP3 instruction in the order of the op_sel bits, and one for the result. */
static unsigned op_sel_places(const ez_inst *inst, unsigned *sources) {
    *sources = 0;
    if (ez_inst_layout(inst)->encoding == EZ_ENC_VOP3_INTERP) { /* the attribute has a place too, without effect */
        *sources = 3;
        return 4;
    }
    for (unsigned n = 0; n < ez_inst_operand_count(inst); n++)
        if (ez_source_index(ez_inst_operand(inst, n).field) >= 0) ++*sources;
    /* bit 2 counts also where there is no third source, unless byte_sel is there */
    if (ez_writes_byte(inst) && !has(inst, EZ_ROW_bytesel)) *sources = 3;
    if (inst->op == EZ_OP_FMAC_F16) *sources = 3; /* the third is the result */
    bool result = !ez_inst_operand_count(inst) || !ez_inst_operand(inst, 0).hidden;
    return *sources + (result && !has(inst, EZ_ROW_permsel) && !compares_in_dpp(inst));
}

static bool has_half(const ez_inst *inst) {
    for (unsigned n = 0; n < ez_inst_operand_count(inst); n++)
        if (ez_inst_operand(inst, n).bits == 16) return true;
    return false;
}

static bool op_sel_taken(const ez_inst *inst, ez_text_flags flags) {
    if (ez_has_field(inst, EZ_F_op_sel_hi) || ez_has_field(inst, EZ_F_cbsz)) return false; /* packed */
    if (has(inst, EZ_ROW_permsel) || has(inst, EZ_ROW_opsel)) return true;
    return ez_halves_in_text(inst, flags) && has_half(inst) && inst->op != EZ_OP_CNDMASK_B16;
}

/* Interpolation has it behind clamp. */
static bool op_sel_early(const ez_inst *inst, ez_text_flags flags) {
    return ez_inst_layout(inst)->encoding != EZ_ENC_VINTERP && op_sel_taken(inst, flags);
}

static bool op_sel_late(const ez_inst *inst, ez_text_flags flags) {
    return ez_inst_layout(inst)->encoding == EZ_ENC_VINTERP && op_sel_taken(inst, flags);
}

/* The bits of op_sel that the modifier of that name has. */
static unsigned op_sel_bits(const ez_inst *inst) {
    if (ez_inst_layout(inst)->encoding == EZ_ENC_VOP3_INTERP) return 13;
    if (has(inst, EZ_ROW_opsel_c)) return 12;
    if (has(inst, EZ_ROW_bytesel)) return ez_writes_byte(inst) ? 3 : 12;
    return 15;
}

static void op_sel_print(const ez_inst *inst, ez_writer *w) {
    unsigned sources, places = op_sel_places(inst, &sources), bits = ez_get(inst, EZ_F_op_sel) & op_sel_bits(inst);
    if (has(inst, EZ_ROW_permsel)) sources = places = 2;
    else bits = (bits & ((1u << sources) - 1)) | (bits >> 3 & 1) << sources;
    bits &= (1u << places) - 1;
    if (bits) ez_write_bits(w, "op_sel", bits, places);
}

static bool op_sel_is(const ez_item *item) { return item->colon && ez_item_is(item, "op_sel"); }

/* Fewer elements than operands are taken, the rest being 0; the last place is the result's. */
static ez_status op_sel_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    unsigned sources, bits;
    op_sel_places(inst, &sources);
    if (ez_bit_list(item, 4, &bits, err)) return EZ_ERR_SYNTAX;
    if (!has(inst, EZ_ROW_permsel) && sources < 3)
        bits = (bits & ((1u << sources) - 1)) | (!compares(inst) && bits >> sources & 1) << 3;
    if (has(inst, EZ_ROW_permsel) && bits > 3)
        return ez_fail_at(err, EZ_ERR_ENCODE, item->column, "invalid op_sel operand: expected fi and bound_ctrl alone");
    if (has(inst, EZ_ROW_opsel_c) && bits & ~op_sel_bits(inst))
        return ez_fail_at(err, EZ_ERR_ENCODE, item->column, "invalid op_sel operand: those of packed sources are 0");
    ez_set(inst, EZ_F_op_sel, bits & op_sel_bits(inst));
    return EZ_OK;
}

/* ---- fields that share bits with op_sel, omod, abs, neg ---- */

/* byte_sel:N. In VOP1 the two bits stand in reverse; a result's byte is chosen in bits 3:2. */
static bool byte_sel_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return has(inst, EZ_ROW_bytesel);
}

static bool writes_byte(const ez_inst *inst) { return ez_inst_operand(inst, 0).read; }

static void byte_sel_print(const ez_inst *inst, ez_writer *w) {
    unsigned bits = ez_get(inst, EZ_F_op_sel);
    unsigned byte = writes_byte(inst) ? bits >> 2 & 3 : (bits & 1) << 1 | (bits >> 1 & 1);
    if (byte) ez_write_number(w, "byte_sel", byte);
}

static bool byte_sel_is(const ez_item *item) { return item->colon && ez_item_is(item, "byte_sel"); }

static ez_status byte_sel_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    if (ez_one_number(item, 0, 3, err)) return EZ_ERR_SYNTAX;
    unsigned n = (unsigned)item->values[0], bits = ez_get(inst, EZ_F_op_sel);
    ez_set(inst, EZ_F_op_sel, writes_byte(inst) ? (bits & 3) | n << 2
                                                : (bits & 12) | n >> 1 | (n & 1) << 1);
    return EZ_OK;
}

static bool scale_sel_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return has(inst, EZ_ROW_scalesel);
}

static void scale_sel_print(const ez_inst *inst, ez_writer *w) {
    unsigned n = ez_get(inst, EZ_F_op_sel);
    if (n) ez_write_number(w, "scale_sel", n);
}

static bool scale_sel_is(const ez_item *item) { return item->colon && ez_item_is(item, "scale_sel"); }

static ez_status scale_sel_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    return ez_set_number(inst, EZ_F_op_sel, item, 15, err);
}

/* bitop3:0xNN: the truth table in omod (7:6), abs (5:3), neg (2:0). */
static bool bitop3_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return has(inst, EZ_ROW_bitop3);
}

static void bitop3_print(const ez_inst *inst, ez_writer *w) {
    unsigned table = ez_get(inst, EZ_F_omod) << 6 | ez_get(inst, EZ_F_abs) << 3 | ez_get(inst, EZ_F_neg);
    if (!table) return;
    ez_write(w, " bitop3:");
    if (table < 10) ez_write_decimal(w, table);
    else ez_write_hex(w, table);
}

static bool bitop3_is(const ez_item *item) { return item->colon && ez_item_is(item, "bitop3"); }

static ez_status bitop3_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    if (ez_one_number(item, 0, 255, err)) return EZ_ERR_SYNTAX;
    unsigned n = (unsigned)item->values[0];
    ez_set(inst, EZ_F_omod, n >> 6);
    ez_set(inst, EZ_F_abs, n >> 3 & 7);
    ez_set(inst, EZ_F_neg, n & 7);
    return EZ_OK;
}

/* The same in VOPD3, in the field of the third source. */
static bool bitop2_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return has(inst, EZ_ROW_bitop2);
}

static void bitop2_print(const ez_inst *inst, ez_writer *w) {
    unsigned table = ez_get(inst, EZ_F_vsrcy2);
    if (!table) return;
    ez_write(w, " bitop3:");
    if (table < 10) ez_write_decimal(w, table);
    else ez_write_hex(w, table);
}

static ez_status bitop2_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    return ez_set_number(inst, EZ_F_vsrcy2, item, 255, err);
}

/* bound_ctrl:1 and fi:1 of v_permlane*_swap in VOP3: op_sel bits 1 and 0. */
static bool swap_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return has(inst, EZ_ROW_fi_bc);
}

static void swap_print(const ez_inst *inst, ez_writer *w) {
    ez_write_flag(w, ez_get(inst, EZ_F_op_sel) & 2, "bound_ctrl:1");
    ez_write_flag(w, ez_get(inst, EZ_F_op_sel) & 1, "fi:1");
}

static bool bound_ctrl_is(const ez_item *item) {
    return item->colon && ez_item_is(item, "bound_ctrl");
}

static ez_status swap_bound_ctrl_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    if (ez_one_number(item, 0, 1, err)) return EZ_ERR_SYNTAX;
    ez_set(inst, EZ_F_op_sel, (ez_get(inst, EZ_F_op_sel) & ~2u) | 2);
    if (!item->values[0] && ez_has(inst->target, EZ_HAS_vop3_dpp)) ez_set(inst, EZ_F_op_sel, ez_get(inst, EZ_F_op_sel) & ~2u);
    return EZ_OK;
}

static bool fi_is(const ez_item *item) { return item->colon && ez_item_is(item, "fi"); }

static ez_status swap_fi_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    if (ez_one_number(item, INT32_MIN, INT32_MAX, err)) return EZ_ERR_SYNTAX;
    ez_set(inst, EZ_F_op_sel, (ez_get(inst, EZ_F_op_sel) & ~1u) | (unsigned)(item->values[0] & 1));
    return EZ_OK;
}

static void nothing_print(const ez_inst *inst, ez_writer *w) {
    (void)inst;
    (void)w;
}

/* ---- numbers that are always printed, and flags: interpolation, parameters, exports ---- */

#define ALWAYS(field, high)                                                                        \
    static void field##_print(const ez_inst *inst, ez_writer *w) {                                 \
        ez_write_number(w, #field, ez_get(inst, EZ_F_##field));                                    \
    }                                                                                              \
    static bool field##_is(const ez_item *item) { return item->colon && ez_item_is(item, #field); } \
    static ez_status field##_set(ez_inst *inst, const ez_item *item, ez_error *err) {              \
        return ez_set_number(inst, EZ_F_##field, item, high, err);                                 \
    }
ALWAYS(wait_exp, 7)
ALWAYS(wait_vdst, 15)
ALWAYS(wait_va_vdst, 15)
ALWAYS(wait_vm_vsrc, 1)
#undef ALWAYS

EZ_FLAG_MODIFIER(high, ez_item_is_flag)
EZ_FLAG_MODIFIER(done, ez_item_is_word)
EZ_FLAG_MODIFIER(compr, ez_item_is_flag)
EZ_FLAG_MODIFIER(vm, ez_item_is_flag)
EZ_FLAG_MODIFIER(row_en, ez_item_is_word)

static bool high_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return has(inst, EZ_ROW_high);
}

/* ---- clamp, omod ---- */

static bool clamp_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return ez_taken_bits(inst, EZ_F_clamp);
}

static void clamp_print(const ez_inst *inst, ez_writer *w) {
    ez_write_flag(w, ez_get(inst, EZ_F_clamp), "clamp");
}

static bool clamp_is(const ez_item *item) { return ez_item_is_flag(item, "clamp"); }

static ez_status clamp_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    (void)err;
    ez_set(inst, EZ_F_clamp, ez_item_is(item, "clamp"));
    return EZ_OK;
}

static bool omod_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return !has(inst, EZ_ROW_bitop3) && ez_taken_bits(inst, EZ_F_omod);
}

static void omod_print(const ez_inst *inst, ez_writer *w) {
    static const char *const names[] = {"", " mul:2", " mul:4", " div:2"};
    ez_write(w, names[ez_get(inst, EZ_F_omod)]);
}

static bool omod_is(const ez_item *item) {
    return item->colon && (ez_item_is(item, "mul") || ez_item_is(item, "div"));
}

static ez_status omod_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    bool mul = ez_item_is(item, "mul");
    if (ez_one_number(item, INT64_MIN, INT64_MAX, err)) return EZ_ERR_SYNTAX;
    int64_t n = item->values[0];
    if (n == 1) return EZ_OK;
    if (mul ? n != 2 && n != 4 : n != 2)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->column, "invalid %s value: expected %s",
                          mul ? "mul" : "div", mul ? "mul:2 or mul:4" : "div:2");
    ez_set(inst, EZ_F_omod, mul ? (n == 2 ? 1 : 2) : 3);
    return EZ_OK;
}

/* ---- SDWA ---- */

static const char *const sdwa_sels[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                        "WORD_0", "WORD_1", "DWORD", NULL};
static const char *const sdwa_unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", NULL};

void ez_write_choice(ez_writer *w, const char *name, const char *const *choices, uint32_t n) {
    uint32_t count = 0;
    while (choices[count])
        count++;
    ez_write_flag(w, true, name);
    ez_write_char(w, ':');
    ez_write(w, choices[n < count ? n : 0]);
}

/* name:CHOICE, or the choice's number */
ez_status ez_set_choice(ez_inst *inst, unsigned field, const char *const *choices,
                        const ez_item *item, ez_error *err) {
    unsigned count = 0;
    for (; choices[count]; count++)
        if (item->word && strlen(choices[count]) == item->word_length &&
            !memcmp(choices[count], item->word, item->word_length)) {
            ez_set(inst, field, count);
            return EZ_OK;
        }
    if (!item->word && item->count == 1 && item->values[0] >= 0 && item->values[0] < count) {
        ez_set(inst, field, (uint32_t)item->values[0]);
        return EZ_OK;
    }
    return ez_fail_at(err, EZ_ERR_SYNTAX, item->columns[0],
                      "invalid %.*s value: expected %s to %s", (int)item->name_length, item->name,
                      choices[0], choices[count - 1]);
}

#define SDWA_CHOICE(field, choices)                                                                \
    static void field##_print(const ez_inst *inst, ez_writer *w) {                                 \
        ez_write_choice(w, #field, choices, ez_get(inst, EZ_F_##field));                              \
    }                                                                                              \
    static bool field##_is(const ez_item *item) { return item->colon && ez_item_is(item, #field); } \
    static ez_status field##_set(ez_inst *inst, const ez_item *item, ez_error *err) {              \
        return ez_set_choice(inst, EZ_F_##field, choices, item, err);                                 \
    }
SDWA_CHOICE(dst_sel, sdwa_sels)
SDWA_CHOICE(dst_unused, sdwa_unused)
SDWA_CHOICE(src0_sel, sdwa_sels)
SDWA_CHOICE(src1_sel, sdwa_sels)

/* A compare has no result to select a part of. */
static bool has_result(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return ez_inst_layout(inst)->encoding != EZ_ENC_VOPC && !has(inst, EZ_ROW_sdwa_src) &&
           ez_inst_operand_count(inst);
}

static bool has_src0(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return ez_vector_sources(inst) & 1;
}

static bool has_src1(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return ez_vector_sources(inst) & 2;
}

/* ---- DPP ---- */

/* The controls of DPP16: a name, its codes, and the feature that they need. */
typedef struct dpp_control {
    const char *name;
    uint16_t first;  /* code of value `low` */
    uint8_t low, high;
    uint8_t feature; /* EZ_HAS_COUNT: all */
    const char *lacking; /* what is printed where the feature is missing */
} dpp_control;

static const dpp_control dpp_controls[] = {
    {"row_shl", 0x101, 1, 15, EZ_HAS_COUNT, NULL},
    {"row_shr", 0x111, 1, 15, EZ_HAS_COUNT, NULL},
    {"row_ror", 0x121, 1, 15, EZ_HAS_COUNT, NULL},
    {"wave_shl", 0x130, 1, 1, EZ_HAS_dpp_wave, "wave_shl is not supported starting from GFX10"},
    {"wave_rol", 0x134, 1, 1, EZ_HAS_dpp_wave, "wave_rol is not supported starting from GFX10"},
    {"wave_shr", 0x138, 1, 1, EZ_HAS_dpp_wave, "wave_shr is not supported starting from GFX10"},
    {"wave_ror", 0x13c, 1, 1, EZ_HAS_dpp_wave, "wave_ror is not supported starting from GFX10"},
    {"row_mirror", 0x140, 0, 0, EZ_HAS_COUNT, NULL},
    {"row_half_mirror", 0x141, 0, 0, EZ_HAS_COUNT, NULL},
    {"row_bcast", 0x142, 15, 15, EZ_HAS_dpp_wave, "row_bcast is not supported starting from GFX10"},
    {"row_bcast", 0x143, 31, 31, EZ_HAS_dpp_wave, "row_bcast is not supported starting from GFX10"},
    {"row_share", 0x150, 0, 15, EZ_HAS_dpp_row_share, NULL},
    {"row_newbcast", 0x150, 0, 15, EZ_HAS_dpp_row_newbcast,
     "row_newbcast/row_share is not supported on ASICs earlier than GFX90A/GFX10"},
    {"row_xmask", 0x160, 0, 15, EZ_HAS_dpp_row_share,
     "row_xmask is not supported on ASICs earlier than GFX10"},
};
enum { DPP_CONTROLS = sizeof dpp_controls / sizeof dpp_controls[0], QUAD_PERM_LAST = 0xff };

static bool control_here(const ez_target *target, const dpp_control *c) {
    return c->feature == EZ_HAS_COUNT || ez_has(target, c->feature);
}

enum { ROW_NEWBCAST = 0x150 };

/* 64-bit operands of targets on which DPP has them for row_newbcast only. */
static bool wide_dpp(const ez_inst *inst) {
    bool wide = false;
    for (unsigned n = 0; n < ez_inst_operand_count(inst); n++)
        wide |= ez_inst_operand(inst, n).dwords == 2 && ez_inst_operand(inst, n).kind == EZ_OPERAND_VGPR;
    return wide && ez_has(inst->target, EZ_HAS_dpp64) && ez_has(inst->target, EZ_HAS_dpp_row_newbcast);
}

static void dpp_ctrl_print(const ez_inst *inst, ez_writer *w) {
    uint32_t code = ez_get(inst, EZ_F_dpp_ctrl);
    if (wide_dpp(inst) && (code & ~15u) != ROW_NEWBCAST) {
        ez_write(w, " /* DP ALU dpp only supports row_newbcast */");
        return;
    }
    const char *lacking = "Invalid dpp_ctrl value";
    if (code <= QUAD_PERM_LAST) {
        ez_write(w, " quad_perm:[");
        for (int i = 0; i < 4; i++) {
            ez_write_decimal(w, code >> (2 * i) & 3);
            ez_write_char(w, i < 3 ? ',' : ']');
        }
        return;
    }
    for (unsigned i = 0; i < DPP_CONTROLS; i++) {
        const dpp_control *c = &dpp_controls[i];
        if (code < c->first || code > c->first + (unsigned)(c->high - c->low)) continue;
        if (control_here(inst->target, c)) {
            if (c->high) ez_write_number(w, c->name, code - c->first + c->low);
            else ez_write_flag(w, true, c->name);
            return;
        }
        if (c->lacking) lacking = c->lacking;
    }
    ez_write(w, " /* ");
    ez_write(w, lacking);
    ez_write(w, " */");
}

static bool dpp_ctrl_is(const ez_item *item) {
    if (ez_item_is(item, "quad_perm")) return true;
    for (unsigned i = 0; i < DPP_CONTROLS; i++)
        if (ez_item_is(item, dpp_controls[i].name)) return true;
    return false;
}

/* quad_perm and dpp8: `count` numbers of `bits` bits in brackets */
static ez_status set_lanes(ez_inst *inst, unsigned field, unsigned count, unsigned bits,
                           const ez_item *item, ez_error *err) {
    uint32_t code = 0;
    if (!item->colon)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->after, "expected a colon");
    if (!item->bracket)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->columns[0], "expected an opening square bracket");
    if (item->word)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->columns[0], "expected absolute expression, not a name");
    for (unsigned i = 0; i < item->count && i < count; i++) {
        if (item->values[i] < 0 || item->values[i] >> bits)
            return ez_fail_at(err, EZ_ERR_SYNTAX, item->columns[i], "expected a %u-bit value", bits);
        code |= (uint32_t)item->values[i] << (bits * i);
    }
    if (item->count < count)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->ends[item->count - 1], "expected a comma");
    if (item->count > count)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->ends[count - 1], "expected a closing square bracket");
    ez_set(inst, field, code);
    return EZ_OK;
}

static ez_status dpp_ctrl_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    const dpp_control *named = NULL;
    char room[EZ_LACKING_ROOM];
    if (ez_item_is(item, "quad_perm")) return set_lanes(inst, EZ_F_dpp_ctrl, 4, 2, item, err);
    for (unsigned i = 0; i < DPP_CONTROLS; i++) {
        const dpp_control *c = &dpp_controls[i];
        if (!ez_item_is(item, c->name)) continue;
        named = c;
        if (!control_here(inst->target, c)) continue;
        if (!c->high && !item->colon) {
            ez_set(inst, EZ_F_dpp_ctrl, c->first);
            return EZ_OK;
        }
        if (item->count == 1 && item->values[0] >= c->low && item->values[0] <= c->high) {
            ez_set(inst, EZ_F_dpp_ctrl, c->first + (uint32_t)item->values[0] - c->low);
            return EZ_OK;
        }
    }
    if (!item->colon)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->after, "expected a colon");
    if (!named->high)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->after, "%s takes no value", named->name);
    if (item->word)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->columns[0], "expected absolute expression, not a name");
    if (!control_here(inst->target, named))
        return ez_fail_at(err, EZ_ERR_ENCODE, item->column,
                          "not a valid operand: no %s here: %s", named->name,
                          ez_lacking(inst->target, named->feature, room, sizeof room));
    return ez_fail_at(err, EZ_ERR_SYNTAX, item->count ? item->columns[0] : item->column,
                      "invalid %s value: expected %d to %d", named->name, named->low, named->high);
}

const ez_item *ez_wrong_dpp_control(const ez_inst *inst, const ez_item *items, unsigned count) {
    if (!ez_has_field(inst, EZ_F_dpp_ctrl) || !wide_dpp(inst) || (ez_get(inst, EZ_F_dpp_ctrl) & ~15u) == ROW_NEWBCAST)
        return NULL;
    for (unsigned i = 0; i < count; i++)
        if (items[i].kind == EZ_ITEM_WORD && dpp_ctrl_is(&items[i])) return &items[i];
    return NULL;
}

static void mask_print(const ez_inst *inst, ez_writer *w, const char *name, unsigned field) {
    ez_write_flag(w, true, name);
    ez_write_char(w, ':');
    ez_write_hex(w, ez_get(inst, field));
}

#define DPP_MASK(field)                                                                            \
    static void field##_print(const ez_inst *inst, ez_writer *w) {                                 \
        mask_print(inst, w, #field, EZ_F_##field);                                                 \
    }                                                                                              \
    static bool field##_is(const ez_item *item) { return item->colon && ez_item_is(item, #field); } \
    static ez_status field##_set(ez_inst *inst, const ez_item *item, ez_error *err) {              \
        if (ez_one_number(item, INT32_MIN, INT32_MAX, err)) return EZ_ERR_SYNTAX;                     \
        ez_set(inst, EZ_F_##field, (uint32_t)item->values[0] & 15); /* as llvm-mc */               \
        return EZ_OK;                                                                              \
    }
DPP_MASK(row_mask)
DPP_MASK(bank_mask)

static void bound_ctrl_print(const ez_inst *inst, ez_writer *w) {
    ez_write_flag(w, ez_get(inst, EZ_F_bound_ctrl), "bound_ctrl:1");
}

/* Before VOP3 DPP existed, bound_ctrl:0 meant the set bit; llvm-mc keeps that on those targets. */
static ez_status bound_ctrl_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    if (ez_one_number(item, 0, 1, err)) return EZ_ERR_SYNTAX;
    ez_set(inst, EZ_F_bound_ctrl,
           item->values[0] == 1 || !ez_has(inst->target, EZ_HAS_vop3_dpp));
    return EZ_OK;
}

static void fi_print(const ez_inst *inst, ez_writer *w) {
    ez_write_flag(w, ez_get(inst, EZ_F_fi), "fi:1");
}

static ez_status fi_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    if (ez_one_number(item, INT32_MIN, INT32_MAX, err)) return EZ_ERR_SYNTAX;
    ez_set(inst, EZ_F_fi, (uint32_t)item->values[0] & 1);
    return EZ_OK;
}

static void dpp8_print(const ez_inst *inst, ez_writer *w) {
    uint32_t lanes = ez_get(inst, EZ_F_lane_sel);
    ez_write(w, " dpp8:[");
    for (int i = 0; i < 8; i++) {
        ez_write_decimal(w, lanes >> (3 * i) & 7);
        ez_write_char(w, i < 7 ? ',' : ']');
    }
    ez_write_flag(w, ez_get(inst, EZ_F_escape) == EZ_CODE_DPP8_FI, "fi:1");
}

static bool dpp8_is(const ez_item *item) { return item->colon && ez_item_is(item, "dpp8"); }

static ez_status dpp8_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    return set_lanes(inst, EZ_F_lane_sel, 8, 3, item, err);
}

/* fi of a DPP8 instruction has no bit; it is the other code in src0. Any number but 0 says so, as in llvm-mc; of DPP16,
 * the lowest bit of the number counts. */
static ez_status dpp8_fi_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    if (ez_one_number(item, INT32_MIN, INT32_MAX, err)) return EZ_ERR_SYNTAX;
    ez_set(inst, EZ_F_escape, item->values[0] ? EZ_CODE_DPP8_FI : EZ_CODE_DPP8);
    return EZ_OK;
}

const ez_modifier ez_vector_modifiers[] = {
    {EZ_F_omod, bitop3_taken, bitop3_print, bitop3_is, bitop3_set, false, 0},
    {EZ_F_vsrcy2, bitop2_taken, bitop2_print, bitop3_is, bitop2_set, false, 0},
    {EZ_F_high, high_taken, high_print, high_is, high_set, false, 0},
    {EZ_F_op_sel, op_sel_early, op_sel_print, op_sel_is, op_sel_set, false, 0},
    {EZ_F_op_sel, scale_sel_taken, scale_sel_print, scale_sel_is, scale_sel_set, false, 0},
    {EZ_F_op_sel, swap_taken, swap_print, bound_ctrl_is, swap_bound_ctrl_set, false, 0},
    {EZ_F_op_sel, swap_taken, nothing_print, fi_is, swap_fi_set, false, 0},
    {EZ_F_clamp, clamp_taken, clamp_print, clamp_is, clamp_set, false, 0},
    {EZ_F_op_sel, op_sel_late, op_sel_print, op_sel_is, op_sel_set, false, 0},
    {EZ_F_omod, omod_taken, omod_print, omod_is, omod_set, false, 0},
    {EZ_F_op_sel, byte_sel_taken, byte_sel_print, byte_sel_is, byte_sel_set, false, 0},
    {EZ_F_wait_exp, NULL, wait_exp_print, wait_exp_is, wait_exp_set, false, 0},
    {EZ_F_wait_vdst, NULL, wait_vdst_print, wait_vdst_is, wait_vdst_set, false, 0},
    {EZ_F_wait_va_vdst, NULL, wait_va_vdst_print, wait_va_vdst_is, wait_va_vdst_set, false, 0},
    {EZ_F_wait_vm_vsrc, NULL, wait_vm_vsrc_print, wait_vm_vsrc_is, wait_vm_vsrc_set, false, 0},
    {EZ_F_done, NULL, done_print, done_is, done_set, false, 0},
    {EZ_F_compr, NULL, compr_print, compr_is, compr_set, false, 0},
    {EZ_F_vm, NULL, vm_print, vm_is, vm_set, false, 0},
    {EZ_F_row_en, NULL, row_en_print, row_en_is, row_en_set, false, 0},
    {EZ_F_dst_sel, has_result, dst_sel_print, dst_sel_is, dst_sel_set, false, 6},
    {EZ_F_dst_unused, has_result, dst_unused_print, dst_unused_is, dst_unused_set, false, 2},
    {EZ_F_src0_sel, has_src0, src0_sel_print, src0_sel_is, src0_sel_set, false, 6},
    {EZ_F_src1_sel, has_src1, src1_sel_print, src1_sel_is, src1_sel_set, false, 6},
    {EZ_F_dpp_ctrl, NULL, dpp_ctrl_print, dpp_ctrl_is, dpp_ctrl_set, true, 0},
    {EZ_F_row_mask, NULL, row_mask_print, row_mask_is, row_mask_set, false, 15},
    {EZ_F_bank_mask, NULL, bank_mask_print, bank_mask_is, bank_mask_set, false, 15},
    {EZ_F_bound_ctrl, NULL, bound_ctrl_print, bound_ctrl_is, bound_ctrl_set, false, 0},
    {EZ_F_fi, NULL, fi_print, fi_is, fi_set, false, 0},
    {EZ_F_lane_sel, NULL, dpp8_print, dpp8_is, dpp8_set, true, 0},
    {EZ_F_lane_sel, NULL, nothing_print, fi_is, dpp8_fi_set, false, 0},
    {0},
};
