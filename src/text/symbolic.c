/* SPDX-License-Identifier: Apache-2.0 */
/* Operands whose value is a symbol's: literals that a relocation fills in, and branch targets. */
#include "families.h"

#include <string.h>

#define REFUSE(column, ...) return ez_fail_at(&a->error, EZ_ERR_ENCODE, column, __VA_ARGS__)

const ez_item *ez_item_of_symbol(const ez_attempt *a, const ez_item *item, ez_item *room) {
    const ez_names *names = a->p->names;
    if (!names || item->kind != EZ_ITEM_WORD || item->colon) return item;
    ez_term term;
    if (names->symbol(names->user, item->name, item->name_length, item->name, 0, &term)) return item;
    *room = *item;
    room->kind = EZ_ITEM_INT;
    room->value = term.value;
    room->node = term.node;
    return room;
}

static bool in_vop3(const ez_attempt *a) { return ez_inst_layout(&a->inst)->dwords > 1 && !a->dual; }

/* Where llvm-mc takes an expression: a source of 32 bits that is no packed one, or a scalar one of 64 where such literals exist.
 * Forms with source modifiers and halves of dual-issue instructions take none. */
static bool takes_expression(const ez_attempt *a, const ez_operand *o, unsigned takes) {
    const ez_layout *layout = ez_inst_layout(&a->inst);
    bool wide = in_vop3(a);
    unsigned bits = o->type == EZ_T_mask ? a->inst.wave : ez_type_bits[o->type];
    bool vector = ez_has_field(&a->inst, EZ_F_src0);
    if (a->dual || layout->dwords > 2 || !strncmp(ez_type_names[o->type], "pk", 2)) return false;
    if (bits == 64 && (wide || vector || !ez_has(a->inst.target, EZ_HAS_lit64))) return false;
    return takes & EZ_TAKES_LITERAL && (bits == 32 || bits == 64) && layout->form == EZ_FORM_BASE &&
           (!wide || ez_operand_modifiers(&a->inst, o->field, o->type) == EZ_SOURCE_PLAIN);
}

ez_status ez_put_symbol(ez_attempt *a, const ez_row_operand *row, const ez_operand *o, const ez_item *item) {
    unsigned cls = ez_operand_class(&a->inst, row, o->field);
    if (cls == EZ_C_label) {
        if (!a->p->names->is_symbol(item->node)) {
            a->final = true;
            REFUSE(item->column, "expected an absolute expression or a label");
        }
        ez_set(&a->inst, o->field, 0);
        a->fixup = (ez_fixup){.kind = EZ_FIXUP_BRANCH, .column = item->column, .node = item->node};
        return EZ_OK;
    }
    /* what another target's wider literals could hold is no reason to name that target */
    a->final = o->type != EZ_T_mask && ez_type_bits[o->type] == 64 && !ez_has(a->p->target, EZ_HAS_lit64);
    if (item->neg || item->abs || item->sext || row->cls == EZ_C_lit ||
        !takes_expression(a, o, ez_class_takes(&a->inst, cls)))
        REFUSE(item->inner_column, "invalid operand for instruction: a symbol's value is not taken here");
    a->final = false;
    if (in_vop3(a) && !ez_has(a->inst.target, EZ_HAS_vop3_literal))
        BREAK(item->inner_column, "literal operands are not supported: this encoding takes none before GFX10");
    if (a->literal_set) BREAK(item->inner_column, "only one unique literal operand is allowed");
    a->literal_set = true;
    bool two = o->type != EZ_T_mask && ez_type_bits[o->type] == 64;
    unsigned code = two ? EZ_CODE_LITERAL64 : EZ_CODE_LITERAL;
    if (two) ez_inst_set_literal64(&a->inst, 0);
    else ez_inst_set_literal(&a->inst, 0);
    ez_set(&a->inst, o->field, code);
    if (a->scalar_count < 6) a->scalars[a->scalar_count++] = code;
    a->scalar_column = item->inner_column;
    a->fixup = (ez_fixup){.kind = two ? EZ_FIXUP_LITERAL64 : EZ_FIXUP_LITERAL, .column = item->inner_column, .node = item->node};
    return EZ_OK;
}

void ez_count_registers(const ez_parser *p, ez_fixup *fixup) {
    unsigned sgprs = ez_has(p->target, EZ_HAS_sgpr_106) ? 106 : 102;
    for (unsigned i = 0; i < p->count; i++) {
        const ez_item *item = &p->items[i];
        unsigned end = item->code + item->dwords;
        if (item->kind == EZ_ITEM_VGPR && end > fixup->vgprs) fixup->vgprs = end;
        if (item->kind == EZ_ITEM_SCALAR && item->code < sgprs && end > fixup->sgprs) fixup->sgprs = end;
    }
}
