/* SPDX-License-Identifier: Apache-2.0 */
/* From items to an instruction: which row and form takes them, and the encoding of each. */
#include "text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* One try to put the items into one form of one row. */
typedef struct attempt {
    ez_inst inst;
    const ez_parser *p;
    ez_error error;
    bool halves_known, halves; /* whether this text names halves; the first 16-bit VGPR decides */
    unsigned half_bits;        /* what the halves say about op_sel */
    bool literal_set;
    unsigned scalars[4], scalar_count, scalar_column; /* distinct scalar values read */
} attempt;

#define REFUSE(column, ...) return ez_fail_at(&a->error, EZ_ERR_ENCODE, column, __VA_ARGS__)

/* ---- constants ---- */

/* The bits of a number for an operand's type; false when it does not fit. */
static bool constant_bits(const ez_item *item, unsigned type, uint64_t *out) {
    unsigned bits = ez_type_bits[type] ? ez_type_bits[type] : 64;
    if (item->kind == EZ_ITEM_FLOAT) return ez_round_float(item->value, type, out);
    int64_t value = (int64_t)item->value;
    *out = item->value;
    if (bits >= 64) return true;
    *out &= (UINT64_C(1) << bits) - 1;
    return value >= -(INT64_C(1) << (bits - 1)) && value < (INT64_C(1) << bits);
}

/* neg and abs of a number are part of the number, except in SDWA, where they are bits like a register's. */
static uint64_t fold_sign(const ez_item *item, unsigned type, uint64_t value) {
    uint64_t sign = UINT64_C(1) << (ez_type_bits[type] ? ez_type_bits[type] - 1 : 63);
    if (item->abs) value &= ~sign;
    if (item->neg) value ^= sign;
    return value;
}

static ez_status set_literal(attempt *a, const ez_item *item, uint32_t value) {
    const ez_layout *layout = ez_inst_layout(&a->inst);
    bool own = ez_row_has(a->inst.op, EZ_ROW_lit);
    if (!own && (layout->form != EZ_FORM_BASE ||
                 (layout->dwords > 1 && !ez_has(a->inst.target, EZ_HAS_vop3_literal))))
        REFUSE(item->inner_column, "literal operands are not supported: %s",
               layout->form != EZ_FORM_BASE ? "an SDWA or DPP instruction has no room for one"
                                            : "this encoding takes none before GFX10");
    if (a->literal_set && ez_inst_literal(&a->inst) != value)
        REFUSE(item->inner_column, "only one unique literal operand is allowed");
    a->literal_set = true;
    ez_inst_set_literal(&a->inst, value);
    return EZ_OK;
}

/* The operand code of a number: inline constant or literal. */
static ez_status constant_code(attempt *a, const ez_item *item, unsigned type, unsigned *code) {
    uint64_t value;
    bool sdwa = ez_has_field(&a->inst, EZ_F_src0_sel);
    if (!constant_bits(item, type, &value))
        REFUSE(item->column, "invalid operand: the number does not fit %u bits",
               (unsigned)ez_type_bits[type]);
    if (!sdwa) value = fold_sign(item, type, value);
    *code = item->forced_literal ? 0 : ez_inline_code(value, type);
    if (*code) return EZ_OK;
    *code = EZ_CODE_LITERAL;
    if (ez_type_bits[type] == 64 && type != EZ_T_pk_f32) { /* the upper half of a double, a 32-bit integer */
        if (ez_type_is_float(type)) value >>= 32;
        else if (value > UINT32_MAX && value < (uint64_t)INT64_C(-0x80000000))
            REFUSE(item->column, "invalid operand: a literal has 32 bits");
    }
    return set_literal(a, item, (uint32_t)value);
}

/* ---- registers ---- */

/* The number of a VGPR as the field holds it, with its half. `bit` is the operand's place in op_sel. */
static ez_status vgpr_number(attempt *a, const ez_operand *o, const ez_item *item, unsigned bit,
                             unsigned *number) {
    bool halves_here = o->bits == 16 && ez_has(a->inst.target, EZ_HAS_true16) &&
                       !ez_row_has(a->inst.op, EZ_ROW_not16);
    bool named = ez_has(a->inst.target, EZ_HAS_true16_text) || (a->p->flags & EZ_TEXT_TRUE16);
    *number = item->code;
    if (item->half && (!halves_here || !named))
        return ez_fail_at(&a->error, EZ_ERR_ENCODE, halves_here ? 1 : item->column,
                          "operands are not valid for this GPU or mode: %s has no register halves "
                          "here%s", a->inst.target->name, halves_here ? " without --true16" : "");
    if (!halves_here) return EZ_OK;
    if (a->halves_known && a->halves != (item->half != 0))
        REFUSE(item->column, "invalid operand for instruction: registers with and without .l or .h "
               "in one instruction");
    a->halves_known = true;
    a->halves = item->half != 0;
    if (ez_has_field(&a->inst, EZ_F_op_sel)) {
        a->half_bits |= (unsigned)(item->half == 'h') << bit;
    } else {
        if (item->code > 127)
            REFUSE(item->column, "invalid operand for instruction: a 7-bit register number is "
                   "expected, the eighth bit is the half");
        *number |= item->half == 'h' ? 128 : 0;
    }
    return EZ_OK;
}

static ez_status count_scalar(attempt *a, unsigned code, const ez_item *item) {
    const ez_special *s = ez_special_find(a->inst.target, code);
    if (s && !strcmp(s->name, "null")) return EZ_OK;
    for (unsigned i = 0; i < a->scalar_count; i++)
        if (a->scalars[i] == code) return EZ_OK;
    a->scalar_column = item->column;
    if (a->scalar_count < 4) a->scalars[a->scalar_count++] = code;
    return EZ_OK;
}

static bool size_fits(const ez_operand *o, const ez_item *item) {
    return item->dwords == 0 ? o->dwords <= 2 : item->dwords == o->dwords;
}

/* A source or destination field that holds an operand code. */
static ez_status register_or_constant(attempt *a, const ez_operand *o, unsigned cls,
                                      const ez_item *item, unsigned *code) {
    bool vgpr_only = cls == EZ_C_v;
    int source = ez_source_index(o->field);
    unsigned bit = source >= 0 ? (unsigned)source : 3;
    switch (item->kind) {
    case EZ_ITEM_VGPR:
        if ((cls != EZ_C_v && cls != EZ_C_src) || !size_fits(o, item)) break;
        if (vgpr_number(a, o, item, bit, code)) return EZ_ERR_ENCODE;
        if (!vgpr_only) *code += EZ_CODE_VGPR;
        return EZ_OK;
    case EZ_ITEM_SCALAR:
        if (vgpr_only || !size_fits(o, item)) break;
        if (cls == EZ_C_sd && item->code > 127) break;
        if (item->code == 254 && o->field != EZ_F_src0)
            REFUSE(item->column, "lds_direct may be used as src0 only");
        if (item->code == 254 && ez_has_field(&a->inst, EZ_F_src0_sel))
            REFUSE(item->column, "lds_direct cannot be used with this instruction");
        *code = item->code;
        return o->written ? EZ_OK : count_scalar(a, *code, item);
    case EZ_ITEM_INT:
    case EZ_ITEM_FLOAT:
        if (cls != EZ_C_src && cls != EZ_C_ss) break;
        if (constant_code(a, item, o->type, code)) return EZ_ERR_ENCODE;
        return *code == EZ_CODE_LITERAL ? count_scalar(a, *code, item) : EZ_OK;
    default: break;
    }
    REFUSE(item->column, "invalid operand for instruction: expected %s",
           vgpr_only ? o->dwords > 1 ? "a range of VGPRs of the operand's size" : "a VGPR"
           : cls == EZ_C_src ? "a VGPR, a scalar register or a number"
                             : "a scalar register or a number");
}

/* ---- operands ---- */

static ez_status set_source_modifiers(attempt *a, const ez_operand *o, const ez_item *item) {
    static const struct {
        uint8_t neg, abs, sext;
    } own[] = {{EZ_F_src0_neg, EZ_F_src0_abs, EZ_F_src0_sext},
               {EZ_F_src1_neg, EZ_F_src1_abs, EZ_F_src1_sext}};
    int n = ez_source_index(o->field);
    bool number = item->kind == EZ_ITEM_INT || item->kind == EZ_ITEM_FLOAT;
    bool sdwa = ez_has_field(&a->inst, EZ_F_src0_sel), vop3 = ez_has_field(&a->inst, EZ_F_neg);
    if (!(item->neg || item->abs || item->sext) || (number && !sdwa)) return EZ_OK;
    bool floats = (ez_row_has(a->inst.op, EZ_ROW_fmod) || ez_row_has(a->inst.op, EZ_ROW_negabs)) &&
                  ez_type_is_float(o->type);
    if (item->sext && (floats || !sdwa))
        REFUSE(item->column, "not a valid operand: sext is for integer sources of SDWA instructions");
    if (n < 0 || (!floats && !item->sext))
        REFUSE(n < 0 ? item->column : item->inner_column,
               "not a valid operand: no neg or abs is possible here");
    if (vop3) {
        ez_set(&a->inst, EZ_F_neg, ez_get(&a->inst, EZ_F_neg) | (unsigned)item->neg << n);
        ez_set(&a->inst, EZ_F_abs, ez_get(&a->inst, EZ_F_abs) | (unsigned)item->abs << n);
        return EZ_OK;
    }
    if (n > 1 || !ez_has_field(&a->inst, own[n].neg))
        REFUSE(item->neg_is_minus ? item->inner_column : item->column,
               "invalid operand for instruction: this form has no neg and abs");
    ez_set(&a->inst, own[n].neg, item->neg);
    ez_set(&a->inst, own[n].abs, item->abs);
    ez_set(&a->inst, own[n].sext, item->sext);
    return EZ_OK;
}

/* An SDWA source may be scalar where the target allows that: the S0 or S1 bit says so. */
static bool sdwa_scalar(const attempt *a, unsigned field, const ez_item *item) {
    unsigned bit = field == EZ_F_src0 ? EZ_F_s0 : EZ_F_s1;
    return (field == EZ_F_src0 || field == EZ_F_vsrc1) && ez_has_field(&a->inst, bit) &&
           item->kind != EZ_ITEM_VGPR;
}

/* A DPP second source in VOP3 is a VGPR unless the target takes scalars there. */
static bool dpp_vgpr_only(const attempt *a, unsigned field) {
    return a->inst.form >= EZ_FORM_E64_DPP16 && field == EZ_F_src1 &&
           !ez_has(a->inst.target, EZ_HAS_dpp_src1_sgpr);
}

static ez_status put_operand(attempt *a, unsigned n, const ez_item *item) {
    const ez_row_operand *row = &ez_row_operands[ez_rows[a->inst.op].operands + n];
    ez_operand o = ez_inst_operand(&a->inst, n);
    unsigned code = 0;
    if (row->cls == EZ_C_lit) {
        uint64_t value;
        if ((item->kind != EZ_ITEM_INT && item->kind != EZ_ITEM_FLOAT) ||
            !constant_bits(item, o.type, &value))
            REFUSE(item->column, "invalid operand for instruction: expected a number of %u bits",
                   (unsigned)ez_type_bits[o.type]);
        return set_literal(a, item, (uint32_t)value);
    }
    if (o.implied) {
        if (item->kind != EZ_ITEM_SCALAR || item->code != o.code || item->dwords != o.dwords)
            REFUSE(item->column, "invalid operand for instruction: expected %s",
                   o.dwords == 2 ? "vcc" : "vcc_lo");
        return o.written ? EZ_OK : count_scalar(a, o.code, item);
    }
    unsigned cls = row->cls == EZ_C_COUNT ? ez_inst_layout(&a->inst)->field[o.field].cls : row->cls;
    if (cls == EZ_C_vcc) cls = EZ_C_ss;
    if (sdwa_scalar(a, o.field, item)) {
        cls = EZ_C_src;
        ez_set(&a->inst, o.field == EZ_F_src0 ? EZ_F_s0 : EZ_F_s1, 1);
    } else if (dpp_vgpr_only(a, o.field)) {
        if (item->kind == EZ_ITEM_INT || item->kind == EZ_ITEM_FLOAT)
            REFUSE(1, "src1 immediate operand invalid for instruction");
        if (item->kind != EZ_ITEM_VGPR)
            REFUSE(item->column, "invalid operand for instruction: expected a VGPR");
    }
    if (cls == EZ_C_n) {
        if (item->kind != EZ_ITEM_INT || item->value > UINT32_MAX ||
            !ez_set(&a->inst, o.field, (uint32_t)item->value))
            REFUSE(item->column, "invalid operand for instruction: expected a number that fits");
        return EZ_OK;
    }
    if (register_or_constant(a, &o, cls, item, &code)) return EZ_ERR_ENCODE;
    if (!ez_set(&a->inst, o.field, code))
        REFUSE(item->column, "invalid operand for instruction");
    return set_source_modifiers(a, &o, item);
}

/* How many different scalar values a vector instruction reads, literals among them. */
static ez_status check_scalar_reads(attempt *a) {
    switch (ez_inst_layout(&a->inst)->encoding) {
    case EZ_ENC_VOP1: case EZ_ENC_VOP2: case EZ_ENC_VOPC: case EZ_ENC_VOP3: case EZ_ENC_VOP3SD:
        break;
    default: return EZ_OK;
    }
    unsigned limit = ez_has(a->inst.target, EZ_HAS_two_scalar_reads) ? 2 : 1;
    if (a->scalar_count > limit)
        REFUSE(a->scalar_column,
               "invalid operand (violates constant bus restrictions): %s reads %u scalar value%s in "
               "one instruction", a->inst.target->name, limit, limit > 1 ? "s" : "");
    return EZ_OK;
}

/* ---- modifiers ---- */

/* op_sel as written must agree with the halves as written; zeros mean that it was not given. */
static ez_status agree_on_halves(attempt *a, const ez_item *op_sel) {
    if (!ez_has_field(&a->inst, EZ_F_op_sel)) return EZ_OK;
    unsigned bits = ez_get(&a->inst, EZ_F_op_sel);
    if (a->halves_known) {
        unsigned vgprs = 0;
        for (unsigned n = 0; n < ez_inst_operand_count(&a->inst); n++) {
            ez_operand o = ez_inst_operand(&a->inst, n);
            int source = ez_source_index(o.field);
            if (o.kind == EZ_OPERAND_VGPR && o.bits == 16) vgprs |= 1u << (source < 0 ? 3 : source);
        }
        if (op_sel && bits && (bits & vgprs) != (a->half_bits & vgprs))
            REFUSE(op_sel->column, "op_sel operand conflicts with 16-bit operand suffix");
        ez_set(&a->inst, EZ_F_op_sel, bits | a->half_bits);
    }
    return EZ_OK;
}

static bool modifier_here(const attempt *a, const ez_modifier *m) {
    /* op_sel beside plain registers, where halves would have names, is refused */
    if (m->field == EZ_F_op_sel && ez_has(a->inst.target, EZ_HAS_true16) && a->halves_known &&
        !a->halves)
        return false;
    return ez_has_field(&a->inst, m->field) && (!m->taken || m->taken(&a->inst, a->p->flags));
}

static ez_status put_modifiers(attempt *a, unsigned first) {
    const ez_parser *p = a->p;
    const ez_item *op_sel = NULL;
    bool control = false;
    unsigned next = first, m;
    for (m = 0; m < ez_modifier_count; m++)
        if (modifier_here(a, &ez_modifiers[m]) && ez_modifiers[m].initial)
            ez_set(&a->inst, ez_modifiers[m].field, ez_modifiers[m].initial);
    for (m = 0; m < ez_modifier_count && next < p->count; m++) {
        const ez_modifier *modifier = &ez_modifiers[m];
        const ez_item *item = &p->items[next];
        if (!modifier_here(a, modifier) || item->kind != EZ_ITEM_WORD || !modifier->is(item))
            continue;
        ez_status status = modifier->set(&a->inst, item, &a->error);
        if (status) return status;
        if (modifier->field == EZ_F_op_sel) op_sel = item;
        control |= modifier->field == EZ_F_dpp_ctrl || modifier->field == EZ_F_lane_sel;
        next++;
    }
    if (next < p->count)
        REFUSE(p->items[next].column, "invalid operand for instruction: '%.*s' is not taken here",
               p->items[next].kind == EZ_ITEM_WORD ? (int)p->items[next].name_length : 7,
               p->items[next].kind == EZ_ITEM_WORD ? p->items[next].name : "operand");
    if (!control && (ez_has_field(&a->inst, EZ_F_dpp_ctrl) || ez_has_field(&a->inst, EZ_F_lane_sel)))
        REFUSE(1, "too few operands for instruction: expected a DPP control such as row_shl:1");
    return agree_on_halves(a, op_sel);
}

/* ---- one form ---- */

static ez_status try_form(attempt *a, const ez_parser *p, unsigned op, unsigned form) {
    *a = (attempt){.p = p};
    if (!ez_inst_begin(&a->inst, p->target, p->wave, op, form)) return EZ_ERR_NOT_FOUND;
    unsigned count = ez_inst_operand_count(&a->inst);
    for (unsigned n = 0; n < count; n++) {
        if (n == p->count || p->items[n].kind == EZ_ITEM_WORD)
            REFUSE(n == p->count ? 1 : p->items[n].column,
                   n == p->count ? "too few operands for instruction: expected %u"
                                 : "invalid operand for instruction: expected %u operands", count);
        if (put_operand(a, n, &p->items[n])) return EZ_ERR_ENCODE;
    }
    if (put_modifiers(a, count)) return EZ_ERR_ENCODE;
    return check_scalar_reads(a);
}

static bool any_item(const ez_parser *p, bool (*is)(const ez_item *)) {
    for (unsigned i = 0; i < p->count; i++)
        if (p->items[i].kind == EZ_ITEM_WORD && is(&p->items[i])) return true;
    return false;
}

static bool dpp8_item(const ez_item *i) { return ez_item_is(i, "dpp8"); }

static bool dpp16_item(const ez_item *i) {
    for (unsigned m = 0; m < ez_modifier_count; m++)
        if (ez_modifiers[m].field == EZ_F_dpp_ctrl && ez_modifiers[m].is(i)) return true;
    return ez_item_is(i, "row_mask") || ez_item_is(i, "bank_mask") || ez_item_is(i, "bound_ctrl");
}

static bool sdwa_item(const ez_item *i) {
    return ez_item_is(i, "dst_sel") || ez_item_is(i, "dst_unused") || ez_item_is(i, "src0_sel") ||
           ez_item_is(i, "src1_sel");
}

/* The forms to try, best first, by suffix and by the modifiers that are there. */
static unsigned forms_to_try(const ez_parser *p, const char *suffix, unsigned *forms) {
    bool dpp8 = any_item(p, dpp8_item), dpp16 = any_item(p, dpp16_item);
    unsigned n = 0;
    if (!strcmp(suffix, "_e32")) forms[n++] = EZ_FORM_BASE;
    else if (!strcmp(suffix, "_e64")) forms[n++] = EZ_FORM_E64;
    else if (!strcmp(suffix, "_sdwa")) forms[n++] = EZ_FORM_SDWA;
    else if (!strcmp(suffix, "_dpp")) forms[n++] = dpp8 ? EZ_FORM_DPP8 : EZ_FORM_DPP16;
    else if (!strcmp(suffix, "_e64_dpp")) {
        forms[n++] = dpp8 ? EZ_FORM_E64_DPP8 : EZ_FORM_E64_DPP16;
        forms[n++] = dpp8 ? EZ_FORM_DPP8 : EZ_FORM_DPP16; /* of VOP3 itself */
    } else if (dpp8 || dpp16) {
        forms[n++] = dpp8 ? EZ_FORM_DPP8 : EZ_FORM_DPP16;
        forms[n++] = dpp8 ? EZ_FORM_E64_DPP8 : EZ_FORM_E64_DPP16;
    } else if (any_item(p, sdwa_item)) {
        forms[n++] = EZ_FORM_SDWA;
    } else {
        forms[n++] = EZ_FORM_BASE;
        forms[n++] = EZ_FORM_E64;
    }
    return n;
}

/* ---- mnemonics ---- */

/* Whether the row may be written with this name here: its present name, or one that it had before. */
static bool name_here(const ez_target *target, unsigned op, const char *name, bool old_names) {
    const ez_spelling *now = ez_spelling_on(target, op);
    if (!now) return false;
    bool present = !strcmp(now->name, name);
    if (!old_names) return present;
    if (present) return false;
    for (const ez_spelling *s = &ez_spellings[ez_rows[op].spellings]; s < now; s++)
        if (s->written >> (target - ez_targets) & 1 && !strcmp(s->name, name)) return true;
    return false;
}

/* Why no form of that name can be had: a sentence for the message. */
static const char *lacking_form(const ez_target *target, const char *suffix) {
    if (!strcmp(suffix, "_sdwa") && !ez_has(target, EZ_HAS_sdwa)) return "GFX11 removed SDWA";
    if (!strcmp(suffix, "_e64_dpp") && !ez_has(target, EZ_HAS_vop3_dpp))
        return "DPP of VOP3 exists from GFX11 on";
    return "the instruction has no such form";
}

typedef struct best {
    ez_error error;
    bool known; /* the name exists on the target */
    bool form;  /* and the form */
} best;

/* Tries all rows of the name in all forms; the error that came furthest stays in *b. */
static ez_status try_all(const ez_parser *p, const char *name, const char *suffix, bool old_names,
                         ez_inst *out, best *b) {
    unsigned forms[2], nforms = forms_to_try(p, suffix, forms);
    size_t count;
    const ez_mnemonic *m = ez_mnemonic_find(name, strlen(name), &count);
    for (unsigned f = 0; f < nforms; f++)
        for (size_t i = 0; i < count; i++) {
            attempt a;
            if (!name_here(p->target, m[i].op, name, old_names)) continue;
            b->known = true;
            ez_status status = try_form(&a, p, m[i].op, forms[f]);
            if (status == EZ_OK) {
                *out = a.inst;
                return EZ_OK;
            }
            if (status == EZ_ERR_NOT_FOUND) continue;
            b->form = true;
            if (a.error.column >= b->error.column) b->error = a.error;
        }
    return EZ_ERR_ENCODE;
}

static ez_status parse_named(ez_parser *p, const char *name, const char *suffix, ez_inst *out,
                             best *b) {
    if (try_all(p, name, suffix, false, out, b) == EZ_OK) return EZ_OK;
    if (b->known) return EZ_ERR_ENCODE;
    return try_all(p, name, suffix, true, out, b);
}

enum { NAME_ROOM = 64 };

/* Reads the mnemonic in lower case; it may end in a form suffix, which is cut off. */
static ez_status read_mnemonic(ez_parser *p, char *name, const char **suffix) {
    static const char *const suffixes[] = {"_e64_dpp", "_e32", "_e64", "_sdwa", "_dpp"};
    unsigned n = 0;
    const char *begin = p->at;
    for (; p->at < p->end && (isalnum((unsigned char)*p->at) || *p->at == '_' || *p->at == '.'); p->at++) {
        if (n + 1 == NAME_ROOM) break;
        name[n++] = (char)tolower((unsigned char)*p->at);
    }
    name[n] = 0;
    if (!n || n + 1 == NAME_ROOM)
        return ez_fail_at(p->err, EZ_ERR_SYNTAX, (unsigned)(begin - p->start) + 1,
                          "invalid instruction: expected a mnemonic");
    *suffix = "";
    for (unsigned i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        size_t length = strlen(suffixes[i]);
        if (n > length && !strcmp(name + n - length, suffixes[i])) {
            name[n - length] = 0;
            *suffix = suffixes[i];
            break;
        }
    }
    return EZ_OK;
}

ez_status ez_parse(const ez_target *target, unsigned wave, ez_text_flags flags, const char *text,
                   size_t length, ez_inst *out, ez_error *err) {
    ez_error ignored;
    if (!err) err = &ignored;
    if (!target || (wave && !ez_target_has_wave(target, wave)))
        return ez_fail_at(err, EZ_ERR_ARGUMENT, 0, "no such wave size on this target");
    ez_parser p = {.target = target, .flags = flags, .start = text, .at = text,
                   .end = text + length, .err = err,
                   .wave = wave ? wave : ez_target_default_wave(target)};
    if (ez_parse_blank(&p)) return EZ_ERR_NOT_FOUND;
    char name[NAME_ROOM];
    const char *suffix;
    unsigned column = (unsigned)(p.at - p.start) + 1;
    if (read_mnemonic(&p, name, &suffix)) return err->status;
    size_t known;
    if (!ez_mnemonic_find(name, strlen(name), &known))
        return ez_fail_at(err, EZ_ERR_SYNTAX, column, "invalid instruction '%s%s': no AMD GPU has it",
                          name, suffix);
    ez_status status = ez_parse_items(&p);
    if (status) return status;
    best b = {.error = {.status = EZ_ERR_ENCODE}};
    if (parse_named(&p, name, suffix, out, &b) == EZ_OK) return EZ_OK;
    if (!b.known)
        return ez_fail_at(err, EZ_ERR_ENCODE, column,
                          "instruction not supported on this GPU (%s): %s", target->name, name);
    if (!b.form)
        return ez_fail_at(err, EZ_ERR_ENCODE, column,
                          "%s variant of this instruction is not supported on %s: %s",
                          *suffix ? suffix + 1 : "this", target->name, lacking_form(target, suffix));
    if (b.error.column == 1) b.error.column = column; /* of the instruction as a whole */
    *err = b.error;
    return b.error.status;
}
