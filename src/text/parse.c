/* SPDX-License-Identifier: Apache-2.0 */
/* From items to an instruction: which row and which of its forms takes them. */
#include "families.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define REFUSE(column, ...) return ez_fail_at(&a->error, EZ_ERR_ENCODE, column, __VA_ARGS__)

/* ---- modifiers of one form ---- */

/* op_sel as written must agree with the halves as written; zeros mean that it was not given. */
static ez_status agree_on_halves(ez_attempt *a, const ez_item *op_sel) {
    if (!ez_has_field(&a->inst, EZ_F_op_sel) || !a->halves_known || !ez_has(a->inst.target, EZ_HAS_true16))
        return EZ_OK;
    unsigned bits = ez_get(&a->inst, EZ_F_op_sel), vgprs = 0;
    for (unsigned n = 0; n < ez_inst_operand_count(&a->inst); n++) {
        ez_operand o = ez_inst_operand(&a->inst, n);
        int source = ez_source_index(o.field);
        if (o.kind == EZ_OPERAND_VGPR && o.bits == 16) vgprs |= 1u << (source < 0 ? 3 : source);
    }
    if (a->halves && op_sel && bits && (bits & vgprs) != (a->half_bits & vgprs)) {
        a->final = true;
        REFUSE(op_sel->column, "op_sel operand conflicts with 16-bit operand suffix");
    }
    ez_set(&a->inst, EZ_F_op_sel, bits | a->half_bits);
    return EZ_OK;
}

static bool modifier_here(const ez_attempt *a, const ez_modifier *m) {
    /* op_sel beside plain registers, where halves would have names, is refused */
    if (m->field == EZ_F_op_sel && ez_has(a->inst.target, EZ_HAS_true16) && a->halves_known && !a->halves &&
        !ez_row_has_on(a->inst.target, a->inst.op, EZ_ROW_opsel))
        return false;
    return ez_modifier_here(&a->inst, m, a->p->flags);
}

/* Takes the items from `first` on in the order of the lists; *op_sel is the item op_sel, if any. */
static ez_status put_modifiers(ez_attempt *a, unsigned first, const ez_item **op_sel) {
    unsigned next = first, missing = 0;
    for (const ez_modifier *const *list = ez_modifier_lists; *list; list++)
        for (const ez_modifier *modifier = *list; modifier->is; modifier++) {
            const ez_item *item = &a->items[next];
            if (!modifier_here(a, modifier)) continue;
            if (next == a->count || item->kind != EZ_ITEM_WORD || !modifier->is(item)) {
                missing += modifier->needed;
                if (modifier->needed) break;
                continue;
            }
            a->reach = next;
            ez_status status = modifier->set(&a->inst, item, &a->error);
            if (status) return status;
            if (modifier->field == EZ_F_op_sel) *op_sel = item;
            next++;
        }
    a->reach = next;
    if (next < a->count) {
        const ez_item *item = &a->items[next];
        if (item->kind == EZ_ITEM_DUAL) REFUSE(item->column, "invalid operand for instruction: this is no first half of two on %s", a->p->target->name);
        if (item->kind != EZ_ITEM_WORD) REFUSE(item->inner_column, "invalid operand for instruction: there is one too many");
        REFUSE(item->inner_column, "invalid operand for instruction: '%.*s' is not taken here", (int)item->name_length, item->name);
    }
    if (missing) REFUSE(1, "too few operands for instruction: expected a DPP control such as row_shl:1");
    return EZ_OK;
}

/* ---- one form ---- */

static bool hidden(const ez_inst *inst, unsigned n) {
    ez_operand o = ez_inst_operand(inst, n);
    return o.hidden;
}

/* What an operand that the text leaves out has in its field: EXEC, where v_cmpx has a vdst. */
static void put_hidden(ez_inst *inst, unsigned n) {
    const ez_row_operand *o = &ez_row_operands[ez_rows[inst->op].operands + n];
    if (o->cls == EZ_C_cmpx && ez_operand_field(inst, o) == EZ_F_vdst) ez_set(inst, EZ_F_vdst, EZ_CODE_EXEC);
}

static unsigned visible_operands(const ez_inst *inst) {
    unsigned visible = 0;
    for (unsigned n = 0; n < ez_inst_operand_count(inst); n++)
        visible += !hidden(inst, n);
    return visible;
}

/* Whether the operand is written as a name, such as attr0.x. */
static bool takes_word(const ez_inst *inst, unsigned n) {
    const ez_row_operand *o = &ez_row_operands[ez_rows[inst->op].operands + n];
    unsigned field = ez_operand_field(inst, o);
    return field != EZ_F_NONE && !ez_class_takes(inst, ez_operand_class(inst, o, field));
}

/* Whether a compare of this form may be written without its result, VCC. Source: behaviour of llvm-mc 22. */
static bool vcc_may_be_absent(const ez_inst *inst) {
    const ez_layout *layout = ez_inst_layout(inst);
    if (layout->encoding != EZ_ENC_VOPC || layout->form == EZ_FORM_SDWA) return false;
    ez_operand o = ez_inst_operand(inst, 0);
    return o.implied && !o.hidden;
}

/* The items before the first modifier. */
static unsigned operand_items(ez_attempt *a) {
    unsigned n = 0;
    ez_item room;
    while (n < a->count && ez_item_of_symbol(a, &a->items[n], &room)->kind != EZ_ITEM_WORD)
        n++;
    return n;
}

static bool vcc_is_absent(ez_attempt *a, unsigned visible) {
    if (!vcc_may_be_absent(&a->inst)) return false;
    bool first = a->count && a->items[0].kind == EZ_ITEM_SCALAR && a->items[0].code == EZ_CODE_VCC;
    return !first || operand_items(a) + 1 == visible;
}

/* Whether operand n is VCC as the lane mask of v_cndmask, which the short form may leave out. Source: as above. */
static bool mask_may_be_absent(const ez_inst *inst, unsigned n) {
    if (ez_inst_layout(inst)->encoding != EZ_ENC_VOP2 || inst->form != EZ_FORM_BASE) return false;
    return n == 3 && ez_inst_operand_count(inst) == 4 && ez_inst_operand(inst, n).implied;
}

/* How often the text may leave out VCC, which the instruction has in any case: additions on GFX9 in their short form, those with
 * a carry that they take from GFX10 on. Source: as above. */
static unsigned absent_carries(const ez_inst *inst) {
    enum { WITHOUT_CARRY_IN = 4 };
    if (ez_inst_layout(inst)->encoding != EZ_ENC_VOP2) return 0;
    unsigned count = ez_inst_operand_count(inst);
    if (count < WITHOUT_CARRY_IN || !ez_inst_operand(inst, 1).implied) return 0;
    if (!strstr(ez_spelling_on(inst->target, inst->op)->name, "_co_")) return 0;
    if (count == WITHOUT_CARRY_IN) return inst->form == EZ_FORM_BASE;
    return ez_has(inst->target, EZ_HAS_wave32) ? 2 : 0;
}

/* The operands of the text from item 0 on; *taken says how many items that are. */
static ez_status put_operands(ez_attempt *a, unsigned *taken) {
    unsigned count = ez_inst_operand_count(&a->inst), visible = visible_operands(&a->inst), at = 0;
    bool absent = vcc_is_absent(a, visible);
    for (unsigned n = absent; n < count; n++) { /* from -1 on again */
        if (hidden(&a->inst, n)) {
            put_hidden(&a->inst, n);
            ez_count_hidden(a, n);
            continue;
        }
        a->reach = at;
        if (a->no_carry && ez_inst_operand(&a->inst, n).implied) continue;
        if (at == a->count && mask_may_be_absent(&a->inst, n)) break;
        if (at == a->count) REFUSE(1, "too few operands for instruction: expected %u", visible);
        ez_item room;
        if (ez_item_of_symbol(a, &a->items[at], &room)->kind == EZ_ITEM_WORD && !takes_word(&a->inst, n))
            REFUSE(a->items[at].inner_column, "invalid operand for instruction: expected %u operands",
                   visible);
        if (ez_put_operand(a, n, at)) {
            bool vcc = !at && a->items[0].kind == EZ_ITEM_SCALAR && a->items[0].code == EZ_CODE_VCC;
            if (!absent || !vcc) return EZ_ERR_ENCODE;
            absent = false; /* it is the result after all */
            n = -1u;
            continue;
        }
        at++;
    }
    *taken = at;
    return EZ_OK;
}

/* Scalar sources of packed floats, where their low half is all that there is. */
static ez_status check_packed_scalars(ez_attempt *a, const ez_item *op_sel) {
    const ez_inst *inst = &a->inst;
    unsigned high = ez_get(inst, EZ_F_op_sel) | ez_get(inst, EZ_F_op_sel_hi) | ez_get(inst, EZ_F_op_sel_hi2) << 2;
    for (unsigned n = 0; n < ez_inst_operand_count(inst); n++) {
        ez_operand o = ez_inst_operand(inst, n);
        int source = ez_source_index(o.field);
        bool scalar = o.kind == EZ_OPERAND_SGPR || (o.kind == EZ_OPERAND_SPECIAL && !ez_is_null(inst->target, o.code));
        if (source < 0 || !ez_scalar_gives_low_half(inst, o.type) || !scalar || !(high >> source & 1)) continue;
        a->final = true;
        REFUSE(op_sel ? op_sel->column : 1, "invalid op_sel operand: op_sel and op_sel_hi of a scalar source are 0 here");
    }
    return EZ_OK;
}

static ez_status finish(ez_attempt *a, const ez_item *op_sel) {
    const ez_layout *layout = ez_inst_layout(&a->inst);
    /* llvm-mc takes halves in the short form of compares always */
    bool compare = layout->encoding == EZ_ENC_VOPC && layout->form == EZ_FORM_BASE;
    bool named = compare || ez_has(a->inst.target, EZ_HAS_true16_text) || (a->p->flags & EZ_TEXT_TRUE16);
    if (a->halves && !(named && ez_has(a->inst.target, EZ_HAS_true16))) {
        a->final = true;
        REFUSE(1, "operands are not valid for this GPU or mode: %s has no register halves here%s",
               a->inst.target->name, ez_has(a->inst.target, EZ_HAS_true16) ? " without --true16" : "");
    }
    if (agree_on_halves(a, op_sel)) return EZ_ERR_ENCODE;
    const ez_item *control = ez_wrong_dpp_control(&a->inst, a->items, a->count);
    if (control) {
        a->final = true;
        REFUSE(control->column, "DP ALU dpp only supports row_newbcast");
    }
    if (ez_check_rules(a) || check_packed_scalars(a, op_sel)) return EZ_ERR_ENCODE;
    return ez_check_alignment(a);
}

static ez_status try_with(ez_attempt *a, const ez_parser *p, const ez_target *target, unsigned op, unsigned form,
                          bool no_carry) {
    const ez_item *op_sel = NULL;
    unsigned taken;
    *a = (ez_attempt){.p = p, .items = p->items, .count = p->count, .no_carry = no_carry};
    if (!ez_inst_begin(&a->inst, target, p->wave, op, form)) return EZ_ERR_NOT_FOUND;
    if (ez_layout_is_dual(ez_inst_layout(&a->inst))) return EZ_ERR_NOT_FOUND;
    if (ez_is_scalar_or_memory(&a->inst)) return ez_put_scalar_or_memory(a);
    ez_modifiers_begin(&a->inst, p->flags);
    if (put_operands(a, &taken) || put_modifiers(a, taken, &op_sel)) return EZ_ERR_ENCODE;
    if (ez_check_format_widths(a, 0, taken) || ez_finish_export(a)) return EZ_ERR_ENCODE;
    return finish(a, op_sel);
}

/* The items as this form of this row on `target`. EZ_ERR_NOT_FOUND: the target has no such form. */
static ez_status try_form(ez_attempt *a, const ez_parser *p, const ez_target *target, unsigned op, unsigned form) {
    ez_attempt b;
    ez_status status = try_with(a, p, target, op, form, false);
    if (status != EZ_ERR_ENCODE || a->final || !absent_carries(&a->inst)) return status;
    ez_status without = try_with(&b, p, target, op, form, true);
    if (without != EZ_OK && !b.final && b.reach <= a->reach) return status;
    *a = b;
    return without;
}

/* ---- dual-issue instructions ---- */

/* One half: its operands go to the fields of its layout in the common dwords. */
static ez_status put_half(ez_attempt *a, const ez_item *items, unsigned count) {
    unsigned taken;
    const ez_item *op_sel = NULL;
    a->items = items;
    a->count = count;
    if (put_operands(a, &taken)) return EZ_ERR_ENCODE;
    return put_modifiers(a, taken, &op_sel);
}

/* The VGPRs of a half by component: destination and three sources; reg is -1 where there is none. A source that is the
 * old value of the destination is the third. `item` is its place among the half's items. */
enum { COMPONENTS = 4 };
typedef struct component {
    int reg, item;
    bool wide;
} component;

static void components_of(const ez_inst *half, component *c) {
    unsigned source = 1;
    for (unsigned n = 0; n < COMPONENTS; n++)
        c[n] = (component){.reg = -1, .item = -1};
    for (unsigned n = 0; n < ez_inst_operand_count(half); n++) {
        ez_operand o = ez_inst_operand(half, n);
        unsigned at = n ? source++ : 0;
        int reg = !o.hidden && o.code >= EZ_CODE_VGPR ? o.code - EZ_CODE_VGPR : -1;
        if (at < COMPONENTS) c[at] = (component){reg, (int)n, o.dwords > 1};
        if (!n && o.read) c[3] = (component){reg, -1, o.dwords > 1};
    }
}

/* Whether registers are of one bank: numbers that are alike in the bits of the mask. */
static bool same_bank(component x, component y, int mask) {
    if ((x.reg & mask) == (y.reg & mask)) return true;
    if (x.wide && ((x.reg + 1) & mask) == (y.reg & mask)) return true;
    return y.wide && (x.reg & mask) == ((y.reg + 1) & mask);
}

static bool overlap(component x, component y) {
    return x.reg <= y.reg + y.wide && y.reg <= x.reg + x.wide;
}

/* The first component at which the halves of a dual-issue instruction may not go together; -1: none. Source: [RDNA3] 7.6;
 * of VOPD3, behaviour of llvm-mc 22. */
static int clash(const ez_inst *first, const ez_inst *second, const component *x, const component *y) {
    static const uint8_t banks[2][COMPONENTS] = {{1, 3, 3, 1}, {1, 3, 3, 3}};
    bool wide = ez_inst_layout(first)->encoding == EZ_ENC_VOPD3,
         same = ez_has(first->target, EZ_HAS_dual_same_vgpr);
    bool moves = first->op == EZ_OP_DUAL_MOV_B32 && second->op == first->op &&
                 ez_has(first->target, EZ_HAS_dual_mov_banks);
    for (int n = 0; n < COMPONENTS; n++) {
        if (x[n].reg < 0 || y[n].reg < 0) continue;
        if (!n && overlap(x[n], y[n])) return n;
        if (n ? moves : wide) continue;
        if (n && same && x[n].reg == y[n].reg && x[n].wide == y[n].wide) continue;
        if (same_bank(x[n], y[n], banks[wide][n])) return n;
    }
    return -1;
}

bool ez_dual_banks_clash(const ez_inst *first, const ez_inst *second) {
    component x[COMPONENTS], y[COMPONENTS];
    components_of(first, x);
    components_of(second, y);
    return clash(first, second, x, y) >= 0;
}

/* The same of halves as written: the field of the second destination lacks its lowest bit. */
static ez_status check_banks(ez_attempt *a, const ez_inst *first, const ez_inst *second, const ez_item *items,
                             unsigned split) {
    component x[COMPONENTS], y[COMPONENTS];
    bool wide = ez_inst_layout(first)->encoding == EZ_ENC_VOPD3;
    components_of(first, x);
    components_of(second, y);
    y[0].reg = items[split + 1].code;
    if (ez_inst_operand(second, 0).read) y[3].reg = y[0].reg;
    int n = clash(first, second, x, y);
    if (n < 0) return EZ_OK;
    a->final = true;
    bool of_first = y[n].item < 0 && x[n].item >= 0;
    unsigned at = of_first ? (unsigned)x[n].item : split + 1 + (y[n].item < 0 ? 0 : (unsigned)y[n].item);
    unsigned column = items[at].inner_column;
    if (!n)
        REFUSE(column,
               wide ? "dst registers must be distinct" : "one dst register must be even and the other odd");
    REFUSE(column, "src%d operands must use different VGPR banks (number modulo %d)", n - 1,
           n == 3 && !wide ? 2 : 4);
}

static unsigned second_half(const ez_parser *p) {
    unsigned split = 0;
    while (p->items[split].kind != EZ_ITEM_DUAL)
        split++;
    return split;
}

/* Whether the same operands could be those of VOPD3 with a sign at the first: cndmask has one more there. */
static bool may_be_vopd3(const ez_parser *p, const ez_target *target, unsigned op, unsigned second) {
    ez_inst inst;
    if (op == EZ_OP_DUAL_CNDMASK_B32 || second == EZ_OP_DUAL_CNDMASK_B32) return false;
    return ez_row_has_on(target, op, EZ_ROW_neg3) && ez_inst_begin_dual(&inst, target, p->wave, op, second, true);
}

static ez_status try_dual(ez_attempt *a, const ez_parser *p, const ez_target *target, unsigned op,
                          unsigned second, bool wide) {
    ez_inst y, *x = &a->inst;
    unsigned split = second_half(p);
    *a = (ez_attempt){.p = p, .dual = true};
    a->or_vopd3 = !wide && may_be_vopd3(p, target, op, second);
    if (!ez_inst_begin_dual(x, target, p->wave, op, second, wide)) return EZ_ERR_NOT_FOUND;
    if (put_half(a, p->items, split)) return EZ_ERR_ENCODE;
    ez_inst first = *x;
    if (!ez_inst_second(x, &y)) return EZ_ERR_NOT_FOUND;
    a->inst = y; /* the same dwords, and a literal of the first half */
    if (put_half(a, p->items + split + 1, p->count - split - 1)) {
        a->reach += split + 1;
        return EZ_ERR_ENCODE;
    }
    y = a->inst;
    a->inst = first;
    memcpy(a->inst.word, y.word, sizeof y.word);
    a->inst.size = y.size;
    if (ez_check_rules(a) || check_banks(a, &a->inst, &y, p->items, split)) return EZ_ERR_ENCODE;
    return ez_check_alignment(a);
}

/* ---- which forms ---- */

enum { VARIANTS = 5 };

/* The forms in the order in which they are tried; those of one variant are tried together, as llvm-mc
 * does: of several errors, the last variant's counts, and in it the one that came furthest. */
static const uint8_t variants[VARIANTS][2] = {{EZ_FORM_BASE, EZ_FORM_BASE},
                                              {EZ_FORM_E64, EZ_FORM_E64},
                                              {EZ_FORM_SDWA, EZ_FORM_SDWA},
                                              {EZ_FORM_DPP16, EZ_FORM_DPP8},
                                              {EZ_FORM_E64_DPP16, EZ_FORM_E64_DPP8}};

/* Whether the suffix of the name allows a form of that row. Rows of VOP3 itself have VOP3 forms as base. */
static bool suffix_allows(const char *suffix, const ez_target *target, unsigned op, unsigned form) {
    const ez_layout *base = ez_layout_of(target, op, EZ_FORM_BASE);
    bool vop3 = base && (base->dwords > 1 && base->field[EZ_F_src0].width);
    if (!*suffix) return true;
    if (!strcmp(suffix, "_e32")) return form == EZ_FORM_BASE && !vop3;
    if (!strcmp(suffix, "_e64")) return form == (vop3 ? EZ_FORM_BASE : EZ_FORM_E64);
    if (!strcmp(suffix, "_sdwa")) return form == EZ_FORM_SDWA;
    bool short_dpp = form == EZ_FORM_DPP16 || form == EZ_FORM_DPP8;
    if (!strcmp(suffix, "_dpp")) return short_dpp && !vop3;
    return vop3 ? short_dpp : form >= EZ_FORM_E64_DPP16;
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
static const char *lacking_form(const ez_target *target, const char *suffix, char *room, size_t size) {
    unsigned feature = !strcmp(suffix, "_sdwa") ? EZ_HAS_sdwa : EZ_HAS_vop3_dpp;
    bool by_feature = feature == EZ_HAS_sdwa || !strcmp(suffix, "_e64_dpp");
    if (by_feature && !ez_has(target, feature)) return ez_lacking(target, feature, room, size);
    return "the instruction has no such form";
}

bool ez_name_taken(const ez_target *target, unsigned op, const char *name) {
    return name_here(target, op, name, false) || name_here(target, op, name, true);
}

/* The rows that a name may mean on the target: those that have it now, else those that had it. */
typedef struct candidates {
    unsigned count;
    uint16_t op[16];
} candidates;

static candidates candidates_named(const ez_target *target, const char *name, bool old_names) {
    candidates c = {0};
    size_t count;
    const ez_mnemonic *m = ez_mnemonic_find(name, strlen(name), &count);
    for (int old = 0; old < 1 + old_names && !c.count; old++)
        for (size_t i = 0; i < count && c.count < 16; i++)
            if (name_here(target, m[i].op, name, old)) c.op[c.count++] = m[i].op;
    return c;
}

static candidates candidates_of(const ez_target *target, const char *name) { return candidates_named(target, name, true); }

static bool any_form(const ez_target *target, const candidates *c, const char *suffix) {
    for (unsigned i = 0; i < c->count; i++)
        for (unsigned form = 0; form < EZ_FORM_COUNT; form++)
            if (ez_layout_of(target, c->op[i], form) && suffix_allows(suffix, target, c->op[i], form))
                return true;
    return false;
}

/* What an operand of a class is written as beside a number, where the class reads its text itself; NULL: it does not. */
static const char *text_of_class(unsigned cls) {
    switch (cls) {
    case EZ_C_waitcnt: return "counters such as vmcnt(0)";
    case EZ_C_depctr: return "counters such as depctr_va_vdst(0)";
    case EZ_C_delay: return "delays such as instid0(VALU_DEP_1)";
    case EZ_C_hwreg: return "hwreg(...)";
    case EZ_C_sendmsg: case EZ_C_sendmsg_rtn: return "sendmsg(...)";
    case EZ_C_gpr_idx: return "gpr_idx(...)";
    case EZ_C_version: return "the name of a version";
    default: return NULL;
    }
}

/* Operand n of the candidate as such a text, if it is one. */
static const char *text_of_operand(const candidates *c, unsigned candidate, unsigned n) {
    const ez_row *row = &ez_rows[c->op[candidate]];
    return n < row->noperands ? text_of_class(ez_row_operands[row->operands + n].cls) : NULL;
}

static bool of_scalar_or_memory(const ez_parser *p, const candidates *c) {
    ez_inst inst;
    return ez_inst_begin(&inst, p->target, p->wave, c->op[0], EZ_FORM_BASE) && ez_is_scalar_or_memory(&inst);
}

/* Whether there is the address of an image, which may be a list of registers of any size. */
static bool takes_list(const ez_parser *p, const candidates *c) {
    const ez_layout *layout = ez_layout_of(p->target, c->op[0], EZ_FORM_BASE);
    return layout && layout->field[EZ_F_dim].width;
}

/* A bit for each item of the line that may be such a text: all, of counters. */
static uint32_t texts_of(const candidates *c) {
    uint32_t texts = 0;
    for (unsigned i = 0; i < c->count; i++)
        for (unsigned n = 0; n < EZ_INST_MAX_OPERANDS; n++) {
            const char *text = text_of_operand(c, i, n);
            if (text && !strncmp(text, "counters", 8)) return UINT32_MAX;
            if (text) texts |= UINT32_C(1) << n;
        }
    return texts;
}

/* ---- what is wrong whatever the form ---- */

/* What any form of the candidates takes of neg, abs and sext at operand `at` of the text. */
static void modifiers_at(const ez_parser *p, const candidates *c, unsigned at, bool *signs, bool *sext) {
    *signs = *sext = false;
    for (unsigned i = 0; i < c->count; i++)
        for (unsigned form = 0; form < EZ_FORM_COUNT; form++) {
            ez_inst inst;
            unsigned visible = 0;
            if (!ez_inst_begin(&inst, p->target, p->wave, c->op[i], form)) continue;
            bool absent = vcc_may_be_absent(&inst);
            for (unsigned n = 0; n < ez_inst_operand_count(&inst); n++) {
                if (hidden(&inst, n)) continue;
                bool here = visible == at || (absent && visible == at + 1);
                visible++;
                if (!here) continue;
                ez_operand o = ez_inst_operand(&inst, n);
                ez_source_modifiers takes = ez_operand_modifiers(&inst, o.field, o.type);
                *signs |= takes == EZ_SOURCE_NEG_ABS || takes == EZ_SOURCE_NEG;
                *sext |= takes == EZ_SOURCE_SEXT && !ez_row_has_on(inst.target, inst.op, EZ_ROW_sdwa_src);
            }
        }
}

/* Whether any form takes the modifier as item `at`, which may be no later than when all that stand before
 * it are written; if one does, whether it is well written. */
static bool modifier_known(const ez_parser *p, const candidates *c, const ez_item *item, unsigned at,
                           ez_error *err) {
    bool known = false;
    for (unsigned i = 0; i < c->count; i++)
        for (unsigned form = 0; form < EZ_FORM_COUNT; form++) {
            ez_inst inst;
            if (!ez_inst_begin(&inst, p->target, p->wave, c->op[i], form)) continue;
            unsigned place = visible_operands(&inst), earliest = place - vcc_may_be_absent(&inst) - absent_carries(&inst);
            for (const ez_modifier *const *list = ez_modifier_lists; *list; list++)
                for (const ez_modifier *m = *list; m->is; m++) {
                    ez_error bad;
                    if (!ez_modifier_here(&inst, m, p->flags)) continue;
                    bool fits = ez_is_scalar_or_memory(&inst) || (earliest <= at && at <= place++);
                    earliest += m->needed;
                    if (!fits || !m->is(item)) continue;
                    known = true;
                    bool good = m->set(&inst, item, &bad) == EZ_OK;
                    if (good && !item->bad.status) return true;
                    /* the first wrong thing counts: a value that was read or the one that could not be */
                    bool unread = item->bad.status && (good || item->count < 2 || item->bad.column <= bad.column);
                    *err = unread ? item->bad : bad;
                }
        }
    return known;
}

/* neg, abs, sext or lit without what must follow it. Where they cannot be, and any other name, may be a symbol, or is
 * refused when the operands are matched. */
static ez_status check_bare_word(ez_parser *p, const candidates *c, unsigned at) {
    const ez_item *item = &p->items[at];
    bool signs, sext, of_float = ez_item_named(item, "neg") || ez_item_named(item, "abs") || ez_item_named(item, "lit");
    if (!of_float && !ez_item_named(item, "sext")) return EZ_OK;
    modifiers_at(p, c, at, &signs, &sext);
    if (!(of_float ? signs : sext)) return EZ_OK;
    return ez_fail_at(p->err, EZ_ERR_SYNTAX, item->after, "expected a left parenthesis after %.*s",
                      (int)item->name_length, item->name);
}

/* Why no form takes the modifier: what the target lacks, where the instruction takes it on others. */
static ez_status refuse_word(ez_parser *p, const candidates *c, unsigned at) {
    ez_item item = p->items[at];
    ez_parser other = *p;
    uint64_t takers = 0, others = 0;
    char room[EZ_LACKING_ROOM];
    item.stranger = false;
    for (size_t t = 0; t < EZ_TARGET_COUNT; t++) {
        ez_error ignored;
        other.target = &ez_targets[t];
        other.wave = ez_target_default_wave(other.target);
        bool known = false, seen = false;
        for (size_t k = 0; k < t && !seen; k++) /* targets of one set differ in no form */
            if ((seen = ez_targets[k].set == ez_targets[t].set)) known = takers >> k & 1;
        if (!seen) known = modifier_known(&other, c, &item, at, &ignored);
        *(known ? &takers : &others) |= UINT64_C(1) << t;
    }
    return ez_fail_at(p->err, EZ_ERR_ENCODE, item.column,
                      "not a valid operand: no form of the instruction takes '%.*s' on %s%s%s",
                      (int)item.name_length, item.name, p->target->name, takers ? "; " : "",
                      takers ? ez_lacking_word(p->target, takers, others, item.name, item.name_length, room,
                                               sizeof room) : "");
}

static ez_status check_item(ez_parser *p, const candidates *c, unsigned at) {
    ez_item *item = &p->items[at];
    bool signs, sext;
    if (item->kind == EZ_ITEM_WORD) {
        ez_error bad = {.status = EZ_OK};
        if (modifier_known(p, c, item, at, &bad)) {
            if (bad.status) *p->err = bad;
            return bad.status;
        }
        ez_item bare = *item;
        bare.colon = false;
        if (item->colon && modifier_known(p, c, &bare, at, &bad))
            return ez_fail_at(p->err, EZ_ERR_SYNTAX, item->after, "'%.*s' takes no value", (int)item->name_length, item->name);
        item->stranger = true;
        if (!item->colon) return check_bare_word(p, c, at);
        return refuse_word(p, c, at);
    }
    bool reg = item->kind == EZ_ITEM_SCALAR || item->kind == EZ_ITEM_VGPR || item->kind == EZ_ITEM_AGPR;
    if (item->forced_literal && text_of_operand(c, 0, at))
        return ez_fail_at(p->err, EZ_ERR_ENCODE, item->column, "expected %s or a number", text_of_operand(c, 0, at));
    if (item->forced_literal && of_scalar_or_memory(p, c)) item->column = item->inner_column;
    if (item->wide_part && !takes_list(p, c))
        return ez_fail_at(p->err, EZ_ERR_SYNTAX, item->wide_part, "expected a single 32-bit register");
    if (reg && text_of_operand(c, 0, at))
        return ez_fail_at(p->err, EZ_ERR_ENCODE, item->column, "expected %s or a number", text_of_operand(c, 0, at));
    if (!(item->neg || item->abs || item->sext || item->double_minus || item->bad.status)) return EZ_OK;
    modifiers_at(p, c, at, &signs, &sext);
    if (item->double_minus && signs)
        return ez_fail_at(p->err, EZ_ERR_SYNTAX, item->column, "invalid syntax, expected 'neg' modifier");
    if (((item->neg || item->abs) && !signs) || (item->sext && !sext))
        return ez_fail_at(p->err, EZ_ERR_ENCODE, item->column, "not a valid operand: %s is not possible here",
                          item->sext  ? "sext"
                          : item->neg ? "neg"
                                      : "abs");
    if (item->bad.status) *p->err = item->bad;
    return item->bad.status;
}

/* ---- all forms ---- */

/* Of several tries in one variant, the error of the one that came furthest. */
typedef struct best {
    ez_error error;
    unsigned reach;
    bool any;
} best;

static void keep(best *b, const ez_attempt *a) {
    if (!b->any || a->reach > b->reach) *b = (best){a->error, a->reach, true};
}

/* Tries the candidates in all forms; *out is set when one takes the items. EZ_ERR_ENCODE: one would, if it
 * did not break a rule, and *p->err says which; EZ_ERR_NOT_FOUND: none does, errors in b. */
static ez_status try_all(const ez_parser *p, const candidates *c, const char *suffix, ez_inst *out, best *b) {
    unsigned tried = 0;
    for (int v = 0; v < VARIANTS; v++)
        for (unsigned f = 0; f < (variants[v][0] == variants[v][1] ? 1u : 2u); f++)
            for (unsigned i = 0; i < c->count; i++) {
                ez_attempt a;
                if (!suffix_allows(suffix, p->target, c->op[i], variants[v][f])) continue;
                ez_status status = try_form(&a, p, p->target, c->op[i], variants[v][f]);
                if (status == EZ_ERR_NOT_FOUND) continue;
                if (status == EZ_OK) {
                    a.fixup.first_form = !tried;
                    *out = a.inst;
                    if (p->fixup) *p->fixup = a.fixup;
                } else if (a.final) *p->err = a.error;
                if (status == EZ_OK || a.final) return status;
                tried++;
                keep(&b[v], &a);
            }
    return EZ_ERR_NOT_FOUND;
}

/* Whether a form of the instructions with that name on a target takes the items, if perhaps in breach of a rule; not if
 * the target's own syntax is broken. */
static bool takes(const ez_parser *p, const ez_target *target, const char *name, const char *suffix, best *b) {
    candidates c = candidates_named(target, name, target == p->target); /* llvm-mc has old names on their own GPUs alone */
    for (int v = 0; v < VARIANTS; v++)
        for (unsigned f = 0; f < (variants[v][0] == variants[v][1] ? 1u : 2u); f++)
            for (unsigned i = 0; i < c.count; i++) {
                ez_attempt a;
                if (!suffix_allows(suffix, target, c.op[i], variants[v][f])) continue;
                ez_status status = try_form(&a, p, target, c.op[i], variants[v][f]);
                if (status == EZ_ERR_NOT_FOUND) continue;
                if (status == EZ_OK || (a.final && a.error.status == EZ_ERR_ENCODE)) return true;
                keep(&b[v], &a);
            }
    return false;
}

/* Of matrix instructions those for waves of the other size are forms of their own. */
enum { BOTH_WAVES = 32 + 64 };
static bool takes_in_other_waves(const ez_parser *p, const char *name, const char *suffix, best *b) {
    ez_parser other = *p;
    candidates c = candidates_of(p->target, name);
    if (!ez_rows[c.op[0]].dims[0] || !ez_target_has_wave(p->target, BOTH_WAVES - p->wave)) return false;
    other.wave = BOTH_WAVES - p->wave;
    return takes(&other, p->target, name, suffix, b);
}

/* No form of the target takes the items. Those of other targets, and of the other wave size, count too for where the
 * error is seen, and one that takes them makes it an error of the whole line. Returns that target, the own one if it does
 * in the other wave size, or NULL. */
static const ez_target *try_elsewhere(const ez_parser *p, const char *name, const char *suffix, best *b) {
    const ez_target *found = NULL;
    ez_parser any = *p;
    best ignored[VARIANTS] = {0};
    any.any_vcc = true;
    for (size_t t = 0; t < EZ_TARGET_COUNT && !found; t++) {
        bool seen = false;
        for (size_t k = 0; k < t && !seen; k++)
            seen = ez_targets[k].set == ez_targets[t].set;
        if (!seen && takes(&any, &ez_targets[t], name, suffix, b)) found = &ez_targets[t];
    }
    return found && takes(&any, p->target, name, suffix, ignored) ? p->target : found;
}

/* Whether an item is wrong or signed, as no operand of a memory instruction is. */
static bool any_bad(const ez_parser *p) {
    for (unsigned i = 0; i < p->count; i++) {
        const ez_item *item = &p->items[i];
        bool list = item->wide_part && !(p->image && i == 1);
        if (item->bad.status || item->neg || item->abs || item->sext || list) return true;
    }
    return false;
}

/* Whether an item may be a register or a word of the cache policy. */
static bool any_scc(const ez_parser *p) {
    for (unsigned i = 0; i < p->count; i++)
        if (p->items[i].kind == EZ_ITEM_SCALAR && p->items[i].code == EZ_CODE_SCC) return true;
    return false;
}

/* A memory instruction: it is asked only of a line that cannot be taken why that is. */
static ez_status parse_memory(ez_parser *p, const candidates *c, ez_inst *out) {
    best b[VARIANTS] = {0};
    const ez_item *stranger = NULL;
    ez_inst inst;
    ez_status status = any_bad(p) ? EZ_ERR_NOT_FOUND : try_all(p, c, "", out, b);
    bool taken = status == EZ_OK;
    if (taken && !any_scc(p)) return EZ_OK;
    ez_error rule = status == EZ_ERR_NOT_FOUND ? b[0].error : *p->err;
    for (unsigned at = 0; at < p->count; at++) /* of lit(...) the number is what is wrong */
        if (p->items[at].forced_literal) p->items[at].column = p->items[at].inner_column;
    ez_inst_begin(&inst, p->target, p->wave, c->op[0], EZ_FORM_BASE);
    status = ez_explain_memory(p, &inst, &stranger);
    if (status == EZ_ERR_NOT_FOUND && stranger) {
        for (unsigned at = 0; at < p->count; at++)
            if (stranger == &p->items[at]) return refuse_word(p, c, at);
    }
    if (status != EZ_OK) return p->err->status;
    if (taken) return EZ_OK;
    if (rule.status == EZ_OK) return ez_fail_at(p->err, EZ_ERR_ENCODE, 1, "invalid operand for instruction");
    *p->err = rule;
    return rule.status;
}

static ez_status parse_single(ez_parser *p, const candidates *c, const char *suffix, ez_inst *out) {
    best b[VARIANTS] = {0};
    if (p->exports && ez_check_export_target(p)) return p->err->status;
    for (unsigned at = 0; at < p->count; at++) {
        ez_status status = check_item(p, c, at);
        if (status) return status;
    }
    ez_status status = try_all(p, c, suffix, out, b);
    if (status != EZ_ERR_NOT_FOUND) return status;
    const char *name = ez_spelling_on(p->target, c->op[0])->name;
    if (takes_in_other_waves(p, name, suffix, b))
        return ez_fail_at(p->err, EZ_ERR_ENCODE, 1, "operands are not valid for this GPU or mode: they are for waves of %u, not %u",
                          BOTH_WAVES - p->wave, p->wave);
    const ez_target *other = try_elsewhere(p, name, suffix, b);
    if (other && other->set == p->target->set)
        return ez_fail_at(p->err, EZ_ERR_ENCODE, 1,
                          "operands are not valid for this GPU or mode: VCC is %s in waves of %u",
                          p->wave == 64 ? "vcc" : "vcc_lo", p->wave);
    if (other)
        return ez_fail_at(p->err, EZ_ERR_ENCODE, 1,
                          "operands are not valid for this GPU or mode: %s takes them, %s does not",
                          other->name, p->target->name);
    int v = VARIANTS - 1;
    while (v && !b[v].any)
        v--;
    if (!b[v].any)
        return ez_fail_at(p->err, EZ_ERR_ENCODE, 1,
                          "too few operands for instruction: expected :: and the second of two instructions");
    *p->err = b[v].error;
    return b[v].error.status;
}

/* The first half alone: llvm-mc reads all operands of both halves in a row, and points at the second name where the first
 * half has too few operands, or all that it needs but no such second half. */
static ez_status try_first_half(ez_attempt *a, const ez_parser *p, const ez_target *target, unsigned op,
                                bool wide) {
    unsigned split = second_half(p);
    const ez_item *colons = &p->items[split];
    *a = (ez_attempt){.p = p, .dual = true};
    if (!ez_inst_begin_dual(&a->inst, target, p->wave, op, EZ_OP_DUAL_MOV_B32, wide)) return EZ_ERR_NOT_FOUND;
    if (put_half(a, p->items, split) && a->error.column > 1) return EZ_ERR_ENCODE;
    a->reach = split;
    REFUSE(colons->name_column,
           "invalid VOPDY instruction: expected the second of two instructions, not '%.*s'",
           (int)colons->name_length, colons->name);
}

/* Tries a pair of names in VOPD and VOPD3. As try_all. */
static ez_status try_pair(ez_parser *p, const ez_target *target, const candidates *c,
                          const candidates *second, ez_inst *out, best *b) {
    ez_error rule = {.status = EZ_OK};
    ez_attempt a;
    bool first = true;
    for (int n = 0; n < 2; n++)
        for (unsigned x = 0; x < c->count; x++) {
            bool wide = n != ez_row_has_on(target, c->op[x], EZ_ROW_dual3_first);
            if (try_first_half(&a, p, target, c->op[x], wide) != EZ_ERR_NOT_FOUND) keep(b, &a);
            for (unsigned y = 0; y < second->count; y++) {
                ez_status status = try_dual(&a, p, target, c->op[x], second->op[y], wide);
                if (status == EZ_OK) {
                    a.fixup.first_form = first;
                    *out = a.inst;
                    if (p->fixup) *p->fixup = a.fixup;
                    return EZ_OK;
                }
                if (status == EZ_ERR_NOT_FOUND) continue;
                first = false;
                if (!a.final) keep(b, &a);
                else if (!rule.status) rule = a.error;
            }
        }
    if (rule.status) *p->err = rule;
    return rule.status ? EZ_ERR_ENCODE : EZ_ERR_NOT_FOUND;
}

/* Signs of sources and bitop3 exist where VOPD3 does. */
static ez_status check_dual_items(ez_parser *p, const candidates *c) {
    bool wide = ez_isa_sets[p->target->set].layout[EZ_ENC_VOPD3][EZ_FORM_BASE] != EZ_NO_LAYOUT;
    bool signs = false;
    for (unsigned i = 0; i < c->count; i++)
        signs |= wide && ez_row_has_on(p->target, c->op[i], EZ_ROW_neg3);
    for (unsigned i = 0; i < p->count; i++) {
        const ez_item *item = &p->items[i];
        if (item->kind == EZ_ITEM_DUAL) signs = wide;
        if (item->sext || ((item->neg || item->abs) && !signs) || (item->kind == EZ_ITEM_WORD && item->colon && !wide))
            return ez_fail_at(p->err, EZ_ERR_ENCODE, item->column,
                              "not a valid operand: %s is not possible here",
                              item->neg    ? "neg"
                              : item->abs  ? "abs"
                              : item->sext ? "sext"
                                           : "a modifier");
        if (item->kind == EZ_ITEM_WORD || !item->bad.status) continue;
        *p->err = item->bad;
        return item->bad.status;
    }
    return EZ_OK;
}

static bool may_begin(const ez_target *target, const candidates *c) {
    for (unsigned i = 0; i < c->count; i++)
        if (ez_row_has_on(target, c->op[i], EZ_ROW_dual_x) || ez_row_has_on(target, c->op[i], EZ_ROW_dual3_x))
            return true;
    return false;
}

static ez_status parse_dual(ez_parser *p, const char *name, const candidates *c, unsigned column,
                            ez_inst *out) {
    const ez_item *colons = &p->items[second_half(p)];
    best b = {0};
    char other[64];
    snprintf(other, sizeof other, "%.*s", (int)colons->name_length, colons->name);
    if (!may_begin(p->target, c))
        return ez_fail_at(p->err, EZ_ERR_ENCODE, column,
                          "invalid instruction: '%s' is no first half of two on %s", name, p->target->name);
    if (p->wave != 32)
        return ez_fail_at(p->err, EZ_ERR_ENCODE, column,
                          "instruction requires wavesize=32: two in one are for waves of 32");
    if (check_dual_items(p, c)) return p->err->status;
    candidates second = candidates_of(p->target, other);
    ez_status status = try_pair(p, p->target, c, &second, out, &b);
    if (status != EZ_ERR_NOT_FOUND) return status;
    for (size_t t = 0; t < EZ_TARGET_COUNT; t++) { /* as try_elsewhere */
        ez_inst ignored;
        candidates x = candidates_of(&ez_targets[t], name), y = candidates_of(&ez_targets[t], other);
        if (try_pair(p, &ez_targets[t], &x, &y, &ignored, &b) != EZ_ERR_NOT_FOUND)
            return ez_fail_at(p->err, EZ_ERR_ENCODE, column,
                              "operands are not valid for this GPU or mode: %s takes this pair, %s does not",
                              ez_targets[t].name, p->target->name);
    }
    *p->err = b.error;
    return b.error.status;
}

/* ---- a line ---- */

enum { NAME_ROOM = 64 };

/* Reads the mnemonic, which may stand in quotes, in lower case; it may end in a form suffix, which is cut off. */
static ez_status read_mnemonic(ez_parser *p, char *name, const char **suffix) {
    static const char *const suffixes[] = {"_e64_dpp", "_e32", "_e64", "_sdwa", "_dpp"};
    unsigned n = 0;
    const char *begin = p->at;
    bool quoted = *p->at == '"' && p->at++;
    for (; p->at < p->end && (isalnum((unsigned char)*p->at) || *p->at == '_' || *p->at == '.'); p->at++) {
        if (n + 1 == NAME_ROOM) break;
        name[n++] = (char)tolower((unsigned char)*p->at);
    }
    name[n] = 0;
    bool whole = !quoted || (p->at < p->end && *p->at++ == '"');
    if (!n || n + 1 == NAME_ROOM || !whole)
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

static bool has_second(const ez_parser *p) {
    for (unsigned i = 0; i < p->count; i++)
        if (p->items[i].kind == EZ_ITEM_DUAL) return true;
    return false;
}

ez_status ez_parse_with_names(const ez_target *target, unsigned wave, ez_text_flags flags,
                              const ez_names *names, const char *text, size_t length, ez_inst *out,
                              ez_fixup *fixup, ez_error *err) {
    ez_error ignored;
    if (!err) err = &ignored;
    if (!target || (wave && !ez_target_has_wave(target, wave)))
        return ez_fail_at(err, EZ_ERR_ARGUMENT, 0, "no such wave size on this target");
    ez_parser p = {.target = target,
                   .flags = flags,
                   .start = text,
                   .at = text,
                   .end = text + length,
                   .err = err,
                   .names = names,
                   .fixup = fixup,
                   .wave = wave ? wave : ez_target_default_wave(target)};
    if (ez_parse_blank(&p)) return EZ_ERR_NOT_FOUND;
    char name[NAME_ROOM];
    const char *suffix;
    unsigned column = (unsigned)(p.at - p.start) + 1;
    if (read_mnemonic(&p, name, &suffix)) return err->status;
    size_t known;
    char room[EZ_LACKING_ROOM];
    if (!ez_mnemonic_find(name, strlen(name), &known))
        return ez_fail_at(err, EZ_ERR_SYNTAX, column, "invalid instruction '%s%s': no AMD GPU has it%s", name,
                          suffix, ez_near_mnemonics(target, name, room, sizeof room));
    candidates c = candidates_of(target, name);
    if (!c.count)
        return ez_fail_at(err, EZ_ERR_ENCODE, column, "instruction not supported on this GPU (%s): %s; %s",
                          target->name, name, ez_lacking_mnemonic(target, name, room, sizeof room));
    if (!any_form(target, &c, suffix))
        return ez_fail_at(err, EZ_ERR_ENCODE, column,
                          "%s variant of this instruction is not supported on %s: %s",
                          *suffix ? suffix + 1 : "this", target->name,
                          lacking_form(target, suffix, room, sizeof room));
    p.exports = c.op[0] == EZ_OP_EXP;
    p.texts = texts_of(&c);
    const ez_layout *base = ez_layout_of(target, c.op[0], EZ_FORM_BASE);
    bool memory = base && ez_is_memory(base);
    p.image = memory && base->field[EZ_F_dim].width;
    ez_status status = ez_parse_items(&p);
    if (status) return status;
    status = memory            ? parse_memory(&p, &c, out)
             : has_second(&p) && (!base || ez_layout_is_dual(base)) ? parse_dual(&p, name, &c, column, out)
                              : parse_single(&p, &c, suffix, out);
    if (fixup && !status) ez_count_registers(&p, fixup);
    if (status && err->column == 1) err->column = column; /* of the instruction as a whole */
    return status;
}

ez_status ez_parse(const ez_target *target, unsigned wave, ez_text_flags flags, const char *text,
                   size_t length, ez_inst *out, ez_error *err) {
    return ez_parse_with_names(target, wave, flags, NULL, text, length, out, NULL, err);
}
