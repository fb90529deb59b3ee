/* SPDX-License-Identifier: Apache-2.0 */
#include "families.h"

bool ez_halves_in_text(const ez_inst *inst, ez_text_flags flags) {
    if (!ez_names_halves(inst)) return false;
    return ez_has(inst->target, EZ_HAS_true16_text) || (flags & EZ_TEXT_TRUE16);
}

void ez_write_registers(ez_writer *w, const char *file, unsigned first, unsigned dwords) {
    ez_write(w, file);
    if (dwords == 1) {
        ez_write_decimal(w, first);
        return;
    }
    ez_write_char(w, '[');
    ez_write_decimal(w, first);
    ez_write_char(w, ':');
    ez_write_decimal(w, first + dwords - 1);
    ez_write_char(w, ']');
}

size_t ez_print_register(const ez_register_use *use, char *text, size_t room) {
    ez_writer w = {.text = text, .room = room};
    switch (use->file) {
    case EZ_OPERAND_VGPR: ez_write_registers(&w, "v", use->reg, use->dwords); break;
    case EZ_OPERAND_AGPR: ez_write_registers(&w, "a", use->reg, use->dwords); break;
    case EZ_OPERAND_SGPR: ez_write_registers(&w, "s", use->reg, use->dwords); break;
    case EZ_OPERAND_TTMP: ez_write_registers(&w, "ttmp", use->reg, use->dwords); break;
    default: ez_write(&w, use->name ? use->name : ""); break;
    }
    if (room) text[w.length < room ? w.length : room - 1] = 0;
    return w.length;
}

/* Inline constants: integers in decimal, floats as llvm-mc spells them. */
static void constant(ez_writer *w, const ez_operand *o) {
    static const char *const floats[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"};
    if (o->code >= EZ_CODE_HALF && o->bits == 16 && !ez_type_is_float(o->type)) {
        ez_write_hex(w, ez_inline_constant(o->code, EZ_T_f16)); /* as llvm-mc, though the operand is no half */
        return;
    }
    if (o->code <= EZ_CODE_ZERO + 64) ez_write_decimal(w, o->code - EZ_CODE_ZERO);
    else if (o->code < EZ_CODE_HALF) ez_write_decimal(w, EZ_CODE_MINUS_ONE - 1 - o->code);
    else if (o->code < EZ_CODE_INV_2PI) ez_write(w, floats[o->code - EZ_CODE_HALF]);
    else ez_write(w, ez_type_float(o->type) == EZ_FLOAT_F64 ? "0.15915494309189532" : "0.15915494");
}

/* The bits of a literal that count for its operand: of a 16-bit one the low half, of a double the upper. */
static uint64_t literal_seen(const ez_operand *o) {
    bool half = o->bits == 16 && o->field != EZ_F_NONE;
    return half ? o->value & 0xffff : o->value;
}

/* A literal whose value an inline constant has too is written lit(...), so that it assembles to the
 * same bytes again. 16-bit integers are compared as 32-bit ones. */
static bool is_lit(const ez_inst *inst, const ez_operand *o) {
    bool wide = ez_type_float(o->type) == EZ_FLOAT_F64, short_int = o->bits == 16 && !ez_type_is_float(o->type);
    if (o->kind != EZ_OPERAND_LITERAL || o->field == EZ_F_NONE) return false;
    bool pair = ez_type_is_pair(o->type);
    if (short_int) return ez_inline_code(o->value, EZ_T_u32);
    if (pair) return ez_inline_code(o->value, EZ_T_f32);
    if (wide && ez_type_is_float(o->type) && o->value <= UINT32_MAX)
        return ez_inline_code(o->value << 32, o->type);
    return ez_inline_code_here(inst, o->type, literal_seen(o), o->type);
}

/* A literal of 64 bits, as llvm-mc has it: lit64(...) where 32 bits would do, the name of an inline constant that has the
 * number too, of a double whose lower half is 0 the upper. */
static void wide_literal(ez_writer *w, const ez_operand *o) {
    ez_operand c = *o;
    c.code = o->field == EZ_F_NONE ? 0 : (uint16_t)ez_inline_code(o->value, o->type);
    if (o->value <= UINT32_MAX) {
        ez_write(w, "lit64(");
        ez_write_hex(w, o->value);
        ez_write_char(w, ')');
    } else if (c.code) {
        constant(w, &c);
    } else {
        ez_write_hex(w, ez_type_is_float(o->type) && !(uint32_t)o->value ? o->value >> 32 : o->value);
    }
}

static void literal(ez_writer *w, const ez_inst *inst, const ez_operand *o) {
    bool two_dwords = inst->size > 4u * (ez_inst_layout(inst)->dwords + 1u);
    bool cut = o->dwords < 2 && ez_inst_literal(inst) > UINT32_MAX;
    if (two_dwords && (o->field == EZ_F_NONE || o->code != EZ_CODE_LITERAL) && !cut) {
        wide_literal(w, o);
        return;
    }
    bool lit = is_lit(inst, o);
    if (lit) ez_write(w, "lit(");
    bool whole = lit || o->type == EZ_T_bf16; /* as llvm-mc */
    ez_write_hex(w, whole ? o->value : literal_seen(o));
    if (lit) ez_write_char(w, ')');
}

/* Behind a VGPR the one that s_set_vgpr_msb makes of it. */
static void high_vgpr(ez_writer *w, const ez_inst *inst, const ez_operand *o) {
    unsigned slot = ez_msb_slot(inst, o), high = slot == EZ_MSB_NONE ? 0 : w->vgpr_msb >> (2 * slot) & 3;
    if (!high) return;
    ez_write(w, " /*");
    ez_write_registers(w, "v", 256 * high + o->reg, o->dwords);
    ez_write(w, "*/");
}

static void plain_operand(ez_writer *w, const ez_inst *inst, const ez_operand *o, bool halves) {
    switch (o->kind) {
    case EZ_OPERAND_VGPR: {
        /* without halves in the text, a high half that the register number holds still shows */
        bool in_number = o->bits == 16 && ez_has(inst->target, EZ_HAS_true16) &&
                         ez_inst_halves(inst) && !ez_has_field(inst, EZ_F_op_sel);
        ez_write_registers(w, "v", o->reg, o->dwords);
        if (o->bits == 16 && halves) ez_write(w, o->half ? ".h" : ".l");
        else if (in_number && o->half) ez_write(w, ".h");
        if (w->vgpr_msb) high_vgpr(w, inst, o);
        break;
    }
    case EZ_OPERAND_AGPR: ez_write_registers(w, "a", o->reg, o->dwords); break;
    case EZ_OPERAND_SGPR: ez_write_registers(w, "s", o->reg, o->dwords); break;
    case EZ_OPERAND_TTMP: ez_write_registers(w, "ttmp", o->reg, o->dwords); break;
    case EZ_OPERAND_SPECIAL: ez_write(w, ez_operand_name(inst, o)); break;
    case EZ_OPERAND_CONSTANT:
    case EZ_OPERAND_LITERAL: {
        ez_operand as = *o;
        as.type = (uint8_t)ez_constant_type(inst, o->type);
        as.bits = (uint8_t)(as.type == o->type ? o->bits : ez_type_bits[as.type]);
        if (o->kind == EZ_OPERAND_CONSTANT) constant(w, &as);
        else literal(w, inst, &as);
        break;
    }
    case EZ_OPERAND_IMMEDIATE: ez_write_decimal(w, (int64_t)o->value); break;
    case EZ_OPERAND_NONE: ez_write(w, "off"); break;
    case EZ_OPERAND_INVALID: ez_write(w, "?"); break;
    }
}

void ez_write_plain(ez_writer *w, const ez_inst *inst, const ez_operand *o) {
    plain_operand(w, inst, o, false);
}

/* A constant's minus is written neg(...): -1 is another number than the negated 1. */
static void operand(ez_writer *w, const ez_inst *inst, const ez_operand *o, bool halves) {
    ez_operand unsigned_one = *o;
    if (inst->op == EZ_OP_PK_FMAC_F16 && inst->form == EZ_FORM_SDWA) { /* llvm-mc takes signs, but leaves them out */
        unsigned_one.neg = unsigned_one.abs = false;
        o = &unsigned_one;
    }
    bool number = o->kind == EZ_OPERAND_CONSTANT || (o->kind == EZ_OPERAND_LITERAL && !is_lit(inst, o));
    bool word = o->neg && !o->abs && number;
    if (o->neg) ez_write(w, word ? "neg(" : "-");
    if (o->abs) ez_write_char(w, '|');
    if (o->sext) ez_write(w, "sext(");
    plain_operand(w, inst, o, halves);
    if (o->sext) ez_write_char(w, ')');
    if (o->abs) ez_write_char(w, '|');
    if (word) ez_write_char(w, ')');
}

/* The suffix that tells the forms of one name apart; none where there is a single form. */
static const char *suffix(const ez_inst *inst) {
    unsigned forms = ez_row_on(inst->target, inst->op)->forms;
    bool bare = ez_row_has_on(inst->target, inst->op, EZ_ROW_nosuffix);
    bool dpp = inst->form != EZ_FORM_BASE && inst->form != EZ_FORM_E64 && ez_inst_operand_count(inst);
    if (bare && !dpp) return "";
    bool two = (forms & 1u << EZ_FORM_BASE) && (forms & 1u << EZ_FORM_E64);
    bool vop3 = ez_inst_layout(inst)->dwords > 2 && inst->form != EZ_FORM_BASE;
    switch (inst->form) {
    case EZ_FORM_BASE: return two ? "_e32" : "";
    case EZ_FORM_E64: return two ? "_e64" : "";
    case EZ_FORM_SDWA: /* llvm-mc prints none for compares of GFX8 */
        return ez_inst_layout(inst)->encoding == EZ_ENC_VOPC && !ez_has(inst->target, EZ_HAS_sdwa_sgpr) ? "" : "_sdwa";
    case EZ_FORM_DPP16:
    case EZ_FORM_DPP8:
        if (ez_inst_layout(inst)->encoding == EZ_ENC_VOPC) return "";
        return vop3 ? "_e64_dpp" : "_dpp";
    default: return "_e64_dpp";
    }
}

/* The literal of s_setreg_imm32, which is never an inline constant: as one when there is one with its bits. */
static void own_literal(ez_writer *w, const ez_operand *o) {
    ez_operand c = *o;
    c.code = (uint16_t)ez_inline_code(o->value, o->type);
    if (c.code) constant(w, &c);
    else ez_write_hex(w, o->value);
}

/* Operands whose class has a text of its own. */
static bool by_class(ez_writer *w, const ez_inst *inst, unsigned n, const ez_operand *o) {
    const ez_row_operand *row = &ez_row_operands[ez_rows[inst->op].operands + n];
    if (row->cls == EZ_C_lit && ez_inst_layout(inst)->encoding == EZ_ENC_SOPK) {
        own_literal(w, o);
        return true;
    }
    if (o->field == EZ_F_NONE) return false;
    unsigned cls = ez_operand_class(inst, row, o->field);
    return ez_print_interp(w, inst, cls, o) || ez_print_scalar(w, inst, cls, o) || ez_print_memory(w, inst, cls, o);
}

void ez_print_name(ez_writer *w, const ez_inst *inst) {
    ez_write(w, ez_inst_name(inst));
    ez_write(w, suffix(inst));
}

void ez_print_operand(ez_writer *w, const ez_inst *inst, unsigned n, const ez_operand *o, bool halves) {
    if (!by_class(w, inst, n, o)) operand(w, inst, o, halves);
}

void ez_print_modifiers(ez_writer *w, const ez_inst *inst, ez_text_flags flags) {
    for (const ez_modifier *const *list = ez_modifier_lists; *list; list++)
        for (const ez_modifier *m = *list; m->is; m++)
            if (ez_modifier_here(inst, m, flags)) m->print(inst, w);
}

const char *ez_operand_separator(bool first, const ez_operand *before) {
    if (first) return " ";
    return before->field == EZ_F_tgt ? " " : ", "; /* no comma behind an export's target */
}

/* One instruction, or one half of a dual one. */
static void instruction(ez_writer *w, const ez_inst *inst, ez_text_flags flags) {
    bool halves = ez_halves_in_text(inst, flags), first = true;
    ez_operand before = {0};
    ez_print_name(w, inst);
    for (unsigned n = 0; n < ez_inst_operand_count(inst); n++) {
        ez_operand o = ez_inst_operand(inst, n);
        if (o.hidden) continue;
        ez_write(w, ez_operand_separator(first, &before));
        ez_print_operand(w, inst, n, &o, halves);
        first = false;
        before = o;
    }
    ez_print_modifiers(w, inst, flags);
}

size_t ez_print(const ez_inst *inst, ez_text_flags flags, char *text, size_t room) {
    ez_writer w = {.text = text, .room = room, .vgpr_msb = flags >> 8 & 0xff};
    ez_inst second;
    instruction(&w, inst, flags);
    if (ez_inst_second(inst, &second)) {
        ez_write(&w, " :: ");
        instruction(&w, &second, flags);
    }
    if (room) text[w.length < room ? w.length : room - 1] = 0;
    return w.length;
}
