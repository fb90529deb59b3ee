/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The forms of memory instructions follow from the rows: the operands in the order of the text, each way to address memory, each
 * number of data VGPRs, the words that belong to the name (offen, lds, gds), and then the modifiers. Source: behaviour of
 * llvm-mc 22, which has an instruction for each.
 */
#include "memory_forms.h"

#include <string.h>

enum {
    IMAGE_DATA_MOST = 5,  /* VGPRs: four components and the status */
    IMAGE_RUN_MOST = 16,  /* address VGPRs in one run */
    IMAGE_LIST_MOST = 13, /* in a list: behind the instruction there is room for 12 */
    ADDRESSES = 32        /* more than there are ways to address memory */
};

/* One of the ways in which the operands of an instruction may be written. */
typedef struct choice {
    bool returns, lds, tfe, agprs;
    unsigned data;    /* VGPRs of an image's data */
    unsigned address; /* as each class counts them */
} choice;

/* ---- the forms of an instruction ---- */

static bool row_has(const ez_inst *inst, unsigned flag) {
    return ez_row_has_on(inst->target, inst->op, flag);
}

static void add(ez_text_form *f, ez_formal_kind kind, unsigned dwords) {
    if (f->count < EZ_FORMALS) f->at[f->count++] = (ez_formal){.kind = (uint8_t)kind, .dwords = (uint8_t)dwords};
}

static void add_word(ez_text_form *f, const char *word) {
    add(f, EZ_FORMAL_WORD, 0);
    f->at[f->count - 1].word = word;
}

static void add_modifier(ez_text_form *f, unsigned m) {
    add(f, EZ_FORMAL_MODIFIER, 0);
    f->at[f->count - 1].modifier = (uint8_t)m;
}

static unsigned class_of(const ez_inst *inst, const ez_row_operand *o, unsigned field) {
    bool absent = field == EZ_F_NONE || !ez_has_field(inst, field);
    return absent ? EZ_C_COUNT : ez_operand_class(inst, o, field);
}

static bool is_buffer(const ez_inst *inst) {
    return ez_has_field(inst, EZ_F_offen) || row_has(inst, EZ_ROW_ldsonly);
}

/* The operands of one row that hold data: two or more are all VGPRs or all accumulation VGPRs. */
static unsigned data_operands(const ez_inst *inst, bool returns) {
    unsigned count = 0;
    for (unsigned n = 0; n < ez_rows[inst->op].noperands; n++) {
        const ez_row_operand *o = &ez_row_operands[ez_rows[inst->op].operands + n];
        unsigned field = ez_operand_field(inst, o);
        if (field != EZ_F_NONE && (o->cls != EZ_C_ret || returns)) count += ez_memory_field_is_data(inst, field);
    }
    return count;
}

static void add_data(ez_text_form *f, const choice *c, unsigned dwords) {
    bool several = data_operands(f->inst, c->returns) > 1;
    if (row_has(f->inst, EZ_ROW_gwsdata)) add(f, EZ_FORMAL_ANY_DATA, dwords);
    else add(f, !several ? EZ_FORMAL_DATA : c->agprs ? EZ_FORMAL_AGPRS : EZ_FORMAL_VGPRS, dwords);
}

/* A list of image address VGPRs, of which the last may be a run. */
static void add_list(ez_text_form *f, const uint8_t *dwords, unsigned count) {
    if (count > 1) add_word(f, "[");
    for (unsigned i = 0; i < count; i++)
        add(f, EZ_FORMAL_VGPRS, dwords[i]);
    if (count > 1) add_word(f, "]");
}

/* Way n to write the address of an image; false: there is none. The runs come first, then the lists. */
static bool add_image_address(ez_text_form *f, unsigned n) {
    const ez_inst *inst = f->inst;
    ez_image_address a;
    uint8_t dwords[IMAGE_LIST_MOST];
    unsigned least, most, slots = ez_image_address_range(inst, &least, &most);
    bool fields = ez_has_field(inst, EZ_F_vaddr1), lists = fields || ez_has_field(inst, EZ_F_nsa);
    if (row_has(inst, EZ_ROW_bvh)) { /* with and without a16; a run or a list */
        ez_inst with = *inst;
        if (n > 3 || !lists) return false;
        if (ez_inst_takes(inst, EZ_F_a16)) ez_set(&with, EZ_F_a16, n & 1);
        if (!fields) ez_set(&with, EZ_F_nsa, n > 1 ? 3 : 0);
        if (!ez_image_address_of(&with, &a)) return false;
        add_list(f, a.dwords, a.parts);
        return true;
    }
    if (n < IMAGE_RUN_MOST) {
        if (!ez_image_run_exists(inst, n + 1)) return false;
        bool any = !row_has(inst, EZ_ROW_load) && !ez_has(inst->target, EZ_HAS_even_vgprs);
        add(f, any ? EZ_FORMAL_ANY_VGPRS : EZ_FORMAL_VGPRS, n + 1);
        return true;
    }
    unsigned words = n - IMAGE_RUN_MOST + 2;
    if (!lists || words > most || words < least || words > IMAGE_LIST_MOST) return false;
    unsigned parts = words < slots ? words : slots;
    for (unsigned i = 0; i < parts; i++)
        dwords[i] = i + 1 < parts ? 1 : (uint8_t)(words - parts + 1);
    add_list(f, dwords, parts);
    return true;
}

/* The registers of a type. */
static unsigned dwords_of(const ez_inst *inst, unsigned type) {
    unsigned dwords = (ez_type_bits[type] + 31) / 32;
    return ez_type_by_wave[type] && inst->wave == 64 && dwords > 1 ? dwords / 2 : dwords;
}

/* One operand; false: the form has no such address. */
static bool add_operand(ez_text_form *f, unsigned n, const choice *c) {
    const ez_inst *inst = f->inst;
    const ez_row_operand *row = &ez_row_operands[ez_rows[inst->op].operands + n];
    unsigned field = ez_operand_field(inst, row), cls = class_of(inst, row, field);
    unsigned dwords = dwords_of(inst, row->type);
    bool data = field != EZ_F_NONE && ez_memory_field_is_data(inst, field);
    switch (cls) {
    case EZ_C_COUNT: return true;
    case EZ_C_ret:
        if (c->returns) add_data(f, c, dwords);
        return true;
    case EZ_C_v:
        if (data && c->lds) return true;
        if (data) add_data(f, c, dwords + c->tfe);
        else add(f, EZ_FORMAL_VGPRS, dwords);
        return true;
    case EZ_C_idata:
        if (!c->data) add_word(f, "off");
        else add(f, EZ_FORMAL_DATA, c->data);
        return true;
    case EZ_C_gaddr:
        add(f, EZ_FORMAL_VGPRS, c->address ? 1 : 2);
        return c->address < (ez_has_field(inst, EZ_F_saddr) ? 2 : 1);
    case EZ_C_saddr:
        if (!c->address) add_word(f, "off");
        else add(f, c->lds || ez_memory_base_may_be_exec(inst, cls) ? EZ_FORMAL_SCALARS : EZ_FORMAL_BASE, 2);
        return c->address < 2;
    case EZ_C_fsaddr:
        if (c->address) add(f, ez_memory_base_may_be_exec(inst, cls) ? EZ_FORMAL_SCALARS : EZ_FORMAL_BASE, 2);
        return c->address < 2;
    case EZ_C_svaddr: /* VGPR, SGPR, both, none */
        if (c->address == 2 && !ez_has_field(inst, EZ_F_sve)) return false;
        if (c->address == 3 && !ez_has(inst->target, EZ_HAS_scratch_no_address)) return false;
        if (c->address % 2) add_word(f, "off");
        else add(f, EZ_FORMAL_VGPRS, 1);
        return c->address < 4;
    case EZ_C_ssaddr:
        if (c->address % 3) add(f, EZ_FORMAL_SCALARS, 1);
        else add_word(f, "off");
        return true;
    case EZ_C_baddr: /* none, offen, idxen, both, the 64 bits of GFX6 */
        if (row_has(inst, EZ_ROW_nooff) && c->address) return false;
        if (c->address == 4 && !(ez_has_field(inst, EZ_F_reserved) && !ez_has(inst->target, EZ_HAS_flat_offset))) return false;
        if (!c->address) add_word(f, "off");
        else add(f, row_has(inst, EZ_ROW_typed) ? EZ_FORMAL_ANY_VGPRS : EZ_FORMAL_VGPRS, c->address > 2 ? 2 : 1);
        return c->address < 5;
    case EZ_C_soff:
        if (row_has(inst, EZ_ROW_typed)) add(f, EZ_FORMAL_FORMAT, 0);
        add(f, ez_inst_layout(inst)->field[field].width > 7 ? EZ_FORMAL_CONSTANT_SOFFSET : EZ_FORMAL_SOFFSET, 1);
        return true;
    case EZ_C_iaddr: return add_image_address(f, c->address);
    case EZ_C_sgo:
        if (c->address) add(f, EZ_FORMAL_SCALARS, dwords);
        return c->address < 2;
    default: add(f, EZ_FORMAL_SCALARS, dwords); return true;
    }
}

/* The words and modifiers behind the operands; from GFX12 on llvm-mc reads all words of the cache policy where it reads one. */
static void add_modifiers(ez_text_form *f, const choice *c) {
    const ez_inst *inst = f->inst;
    bool buffer = is_buffer(inst);
    bool tensor = row_has(inst, EZ_ROW_tolds) && ez_inst_takes(inst, EZ_F_r128); /* r128 comes first */
    if (buffer && c->address == 4) add_word(f, "addr64");
    for (unsigned m = 0; tensor && ez_memory_modifiers[m].is; m++)
        if (ez_memory_modifiers[m].field == EZ_F_r128) add_modifier(f, m);
    for (unsigned m = 0; ez_memory_modifiers[m].is; m++) {
        unsigned field = ez_memory_modifiers[m].field;
        if (!ez_memory_modifiers[m].taken(inst, 0) || field == EZ_F_op || (tensor && field == EZ_F_r128)) continue;
        /* field op: the format, which is an operand */
        if (field == EZ_F_idxen || field == EZ_F_offen) {
            if (c->address == 3 || c->address == (field == EZ_F_idxen ? 2u : 1u))
                add_word(f, field == EZ_F_idxen ? "idxen" : "offen");
        } else if (field == EZ_F_lds) {
            if (c->lds || row_has(inst, EZ_ROW_ldsonly)) add_word(f, "lds");
        } else if (buffer && field == EZ_F_tfe) {
            if (c->tfe) add_word(f, "tfe");
        } else if (field == EZ_F_gds && row_has(inst, EZ_ROW_gds)) {
            add_word(f, "gds");
        } else if (!ez_is_policy(m)) {
            add_modifier(f, m);
        } else {
            const ez_formal *last = f->count ? &f->at[f->count - 1] : NULL;
            if (!last || last->kind != EZ_FORMAL_MODIFIER || last->modifier != EZ_MEMORY_POLICY_FIRST)
                add_modifier(f, EZ_MEMORY_POLICY_FIRST);
        }
    }
}

static bool make_form(ez_text_form *f, const ez_inst *inst, const choice *c) {
    *f = (ez_text_form){.inst = inst, .returns = c->returns, .phantom = c->lds && !row_has(inst, EZ_ROW_lds)};
    for (unsigned n = 0; n < ez_rows[inst->op].noperands; n++)
        if (!add_operand(f, n, c)) return false;
    add_modifiers(f, c);
    return true;
}

bool ez_memory_has_class(const ez_inst *inst, unsigned cls) {
    for (unsigned n = 0; n < ez_rows[inst->op].noperands; n++) {
        const ez_row_operand *o = &ez_row_operands[ez_rows[inst->op].operands + n];
        if (class_of(inst, o, ez_operand_field(inst, o)) == cls) return true;
    }
    return false;
}

/* How many ways there may be to write the address. */
static unsigned address_ways(const ez_inst *inst) {
    static const uint8_t classes[] = {EZ_C_gaddr, EZ_C_saddr, EZ_C_fsaddr, EZ_C_svaddr, EZ_C_baddr, EZ_C_iaddr, EZ_C_sgo};
    for (unsigned i = 0; i < sizeof classes; i++)
        if (ez_memory_has_class(inst, classes[i])) return ADDRESSES;
    return 1;
}

static void each_data(const ez_inst *inst, choice *c, void (*use)(void *, const ez_text_form *), void *user) {
    bool image = ez_memory_has_class(inst, EZ_C_idata);
    for (c->data = 0; c->data <= (image ? IMAGE_DATA_MOST : 0u); c->data++) {
        if (image && !ez_image_data_exists(inst, c->data)) continue;
        for (c->address = 0; c->address < address_ways(inst); c->address++) {
            ez_text_form f;
            if (make_form(&f, inst, c)) use(user, &f);
        }
    }
}

void ez_memory_each_form(const ez_inst *inst, void (*use)(void *, const ez_text_form *), void *user) {
    bool returns = ez_memory_has_class(inst, EZ_C_ret), wide = inst->op == EZ_OP_GLOBAL_LOAD_B96 || inst->op == EZ_OP_GLOBAL_LOAD_B128;
    bool lds = (row_has(inst, EZ_ROW_lds) || wide) && ez_has_field(inst, EZ_F_lds);
    bool tfe = is_buffer(inst) && ez_inst_takes(inst, EZ_F_tfe) && !row_has(inst, EZ_ROW_ldsonly);
    for (unsigned bits = 0; bits < 16; bits++) { /* of all combinations those that there are */
        choice c = {.returns = bits & 1, .lds = bits & 2, .tfe = bits & 4, .agprs = bits & 8};
        if ((c.returns && !returns) || (c.lds && !lds) || (c.tfe && (!tfe || c.lds))) continue;
        bool mixed = c.returns && row_has(inst, EZ_ROW_ret_vgpr);
        if (c.agprs && (data_operands(inst, c.returns) < 2 || !ez_inst_takes(inst, EZ_F_acc) || mixed)) continue;
        each_data(inst, &c, use, user);
    }
}
