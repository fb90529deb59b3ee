/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scalar and memory instructions from text. The modifiers are read first, for they say which operands there are and
 * how wide (glc, lds, offen, dmask, tfe, ...); then the operands, last first, for a scalar address says how wide
 * the vector address before it is.
 */
#include "families.h"

#include <string.h>

#define REFUSE(column, ...) return ez_fail_at(&a->error, EZ_ERR_ENCODE, column, __VA_ARGS__)

static bool row_has(const ez_inst *inst, unsigned flag) {
    return ez_row_has_on(inst->target, inst->op, flag);
}

static bool has(const ez_attempt *a, unsigned flag) {
    return row_has(&a->inst, flag);
}

bool ez_is_memory(const ez_layout *layout) {
    switch (layout->encoding) {
    case EZ_ENC_DS:
    case EZ_ENC_VDS:
    case EZ_ENC_FLAT:
    case EZ_ENC_GLOBAL:
    case EZ_ENC_SCRATCH:
    case EZ_ENC_VFLAT:
    case EZ_ENC_VGLOBAL:
    case EZ_ENC_VSCRATCH:
    case EZ_ENC_MUBUF:
    case EZ_ENC_MTBUF:
    case EZ_ENC_VBUFFER:
    case EZ_ENC_MIMG:
    case EZ_ENC_VIMAGE:
    case EZ_ENC_VSAMPLE: return true;
    default: return false;
    }
}

bool ez_is_scalar_or_memory(const ez_inst *inst) {
    const ez_layout *layout = ez_inst_layout(inst);
    bool scalar = layout->encoding == EZ_ENC_SOPK || layout->encoding == EZ_ENC_SOPP || layout->encoding == EZ_ENC_SMEM;
    return scalar || ez_is_memory(layout);
}

/* ---- modifiers ---- */

const ez_item *ez_memory_word(const ez_item *item) {
    static const ez_item a16 = {.kind = EZ_ITEM_WORD, .name = "a16", .name_length = 3};
    static const ez_item scc = {.kind = EZ_ITEM_WORD, .name = "scc", .name_length = 3};
    if (item->comma || item->neg || item->abs) return item;
    if (item->kind == EZ_ITEM_AGPR && item->code == 16 && item->dwords == 1) return &a16;
    return item->kind == EZ_ITEM_SCALAR && item->code == EZ_CODE_SCC ? &scc : item;
}

static ez_status put_modifiers(ez_attempt *a, unsigned next) {
    uint64_t taken = 0;
    for (unsigned m = 0; ez_memory_modifiers[m].is && next < a->count; m++) {
        const ez_modifier *modifier = &ez_memory_modifiers[m];
        const ez_item *item = ez_memory_word(&a->items[next]);
        if (taken >> m & 1 || item->kind != EZ_ITEM_WORD || !modifier->taken(&a->inst, a->p->flags) ||
            !modifier->is(item))
            continue;
        a->reach = next;
        if (modifier->set(&a->inst, item, &a->error)) return a->error.status;
        taken |= UINT64_C(1) << m;
        next++;
        if (m >= EZ_MEMORY_POLICY_FIRST && m <= EZ_MEMORY_POLICY_LAST) m = EZ_MEMORY_POLICY_FIRST - 1;
    }
    a->reach = next;
    if (next == a->count) return EZ_OK;
    const ez_item *item = &a->items[next];
    if (item->kind != EZ_ITEM_WORD) REFUSE(item->column, "invalid operand for instruction: there is one too many");
    REFUSE(item->column, "invalid operand for instruction: '%.*s' is not taken here", (int)item->name_length, item->name);
}

/* ---- which items are operands ---- */

static bool is_operand_text(const ez_attempt *a, unsigned at) {
    const ez_item *item = &a->items[at];
    if (item->kind != EZ_ITEM_WORD) return !at || ez_memory_word(item) == item;
    ez_item room; /* a symbol whose number is known */
    const ez_item *symbol = ez_item_of_symbol(a, item, &room);
    for (unsigned m = 0; symbol != item && ez_memory_modifiers[m].is; m++) /* words of the instruction come before symbols */
        if (ez_memory_modifiers[m].is(item) && ez_memory_modifiers[m].taken(&a->inst, a->p->flags)) return false;
    if (symbol->kind == EZ_ITEM_INT && !symbol->node) return true;
    /* a label; any other word is a modifier */
    return !item->colon && ez_rows[a->inst.op].noperands > 0 && at < ez_rows[a->inst.op].noperands &&
           ez_row_operands[ez_rows[a->inst.op].operands + at].cls == EZ_C_label;
}

/* Operands that may be left out at the end: which of them the text has shows in the number of items. */
static bool is_optional(unsigned cls) {
    return cls == EZ_C_fsaddr || cls == EZ_C_exit || cls == EZ_C_sgo;
}

static unsigned class_of(const ez_attempt *a, unsigned n) {
    const ez_row_operand *row = &ez_row_operands[ez_rows[a->inst.op].operands + n];
    unsigned field = ez_operand_field(&a->inst, row);
    return row->cls == EZ_C_lit ? EZ_C_lit
           : field == EZ_F_NONE ? EZ_C_COUNT
                                : ez_operand_class(&a->inst, row, field);
}

/* ---- registers ---- */

/* Data VGPRs may be accumulation VGPRs, all or none. */
static ez_status put_bank(ez_attempt *a, const ez_item *item) {
    bool accumulation = item->kind == EZ_ITEM_AGPR;
    unsigned have = accumulation ? 2 : 1;
    if (accumulation && !ez_inst_takes(&a->inst, EZ_F_acc))
        REFUSE(has(a, EZ_ROW_gwsdata) ? 1 : item->column, "invalid operand for instruction: no accumulation VGPR is taken here");
    if (a->banks && a->banks != have)
        REFUSE(item->column, "invalid register class: data operands must be all VGPRs or all AGPRs");
    a->banks = (uint8_t)have;
    if (accumulation) ez_set(&a->inst, EZ_F_acc, 1);
    return EZ_OK;
}

static ez_status put_vgprs(ez_attempt *a, const ez_operand *o, const ez_item *item, bool data,
                           unsigned dwords) {
    bool vgpr = item->kind == EZ_ITEM_VGPR || (data && item->kind == EZ_ITEM_AGPR);
    if (!vgpr || item->neg || item->abs || item->half || item->dwords != dwords)
        REFUSE(item->column, "invalid operand for instruction: expected %u VGPR%s", dwords,
               dwords > 1 ? "s" : "");
    if (dwords > 1 && item->code % 2 && ez_has(a->p->target, EZ_HAS_even_vgprs) && !(data && has(a, EZ_ROW_odd_data)))
        REFUSE(o->field == EZ_F_vaddr && has(a, EZ_ROW_typed) ? 1 : item->column, "invalid register class: vgpr tuples must be 64 bit aligned");
    if (has(a, EZ_ROW_gwsdata) && item->code % 2 && ez_has(a->p->target, EZ_HAS_even_vgprs))
        REFUSE(item->column, "vgpr must be even aligned");
    if (data && put_bank(a, item)) return EZ_ERR_ENCODE;
    if (!ez_set(&a->inst, o->field, item->code)) REFUSE(item->column, "invalid operand for instruction");
    return EZ_OK;
}

static bool names_null(const ez_attempt *a, const ez_item *item) {
    return item->kind == EZ_ITEM_SCALAR && ez_is_null(a->p->target, item->code);
}

/* A scalar register of `dwords`; its code is divided by 2^shift in the field. As data null stands for any number. */
static ez_status put_scalar(ez_attempt *a, const ez_operand *o, const ez_item *item, unsigned dwords,
                            unsigned shift) {
    bool fits = item->kind == EZ_ITEM_SCALAR && !item->neg && !item->abs &&
                (item->dwords == dwords || (!item->dwords && dwords <= 2) ||
                 (o->field == EZ_F_sdata && names_null(a, item)));
    unsigned most = o->field == EZ_F_soffset ? EZ_CODE_SCC : EZ_CODE_EXEC + 1;
    if (!fits || item->code > most || item->code & ((1u << shift) - 1) ||
        !ez_set(&a->inst, o->field, item->code >> shift))
        REFUSE(item->column, "invalid operand for instruction: expected %u scalar register%s", dwords,
               dwords > 1 ? "s" : "");
    return EZ_OK;
}

/* ---- addresses ---- */

/* Not where a load or store has a VGPR address beside it. Source: behaviour of llvm-mc 22. */
bool ez_memory_base_may_be_exec(const ez_inst *inst, unsigned cls) {
    if (ez_get(inst, EZ_F_lds)) return true;
    if (row_has(inst, EZ_ROW_tolds) || row_has(inst, EZ_ROW_prefetch)) return true;
    if (row_has(inst, EZ_ROW_atomic)) return cls == EZ_C_fsaddr;
    for (unsigned n = 0; n < ez_inst_operand_count(inst); n++)
        if (ez_inst_operand(inst, n).field == EZ_F_vaddr) return false;
    return true;
}

static ez_status put_saddr(ez_attempt *a, const ez_operand *o, const ez_item *item, unsigned cls) {
    bool scratch = cls == EZ_C_ssaddr;
    bool null_exists = ez_has(a->inst.target, EZ_HAS_null_sgpr);
    unsigned null = ez_has(a->inst.target, EZ_HAS_null_is_124) ? 124 : 125;
    bool base = !scratch && names_null(a, item);
    if (item->kind == EZ_ITEM_OFF && cls == EZ_C_fsaddr) REFUSE(item->column, "invalid operand for instruction: off is not written here");
    if (scratch && names_null(a, item) && !ez_has_field(&a->inst, EZ_F_sve))
        REFUSE(item->column, "invalid operand for instruction: null is no address here, none is written off");
    if (base && !ez_memory_base_may_be_exec(&a->inst, cls))
        REFUSE(item->column, "invalid operand for instruction: null is no address");
    if (item->kind == EZ_ITEM_OFF || names_null(a, item)) {
        ez_set(&a->inst, o->field, null_exists ? null : EZ_CODE_EXEC + 1);
        a->null_base = base;
        return EZ_OK;
    }
    if (item->kind == EZ_ITEM_SCALAR && ez_address_is_off(&a->inst, item->code, scratch))
        REFUSE(item->column, "invalid operand for instruction: this register stands for off here");
    if (item->kind == EZ_ITEM_SCALAR && item->code == EZ_CODE_EXEC + scratch && (scratch || !ez_memory_base_may_be_exec(&a->inst, cls)))
        REFUSE(item->column, "invalid operand for instruction: exec is no address");
    return put_scalar(a, o, item, scratch ? 1 : 2, 0);
}

/* A scratch offset: off is said by sve, or (without any address) by a scalar address of 127. */
static ez_status put_svaddr(ez_attempt *a, const ez_operand *o, const ez_item *item) {
    bool off = item->kind == EZ_ITEM_OFF, sve = ez_has_field(&a->inst, EZ_F_sve);
    unsigned saddr = ez_get(&a->inst, EZ_F_saddr);
    bool scalar = !ez_address_is_off(&a->inst, saddr, true);
    if (!off) {
        if (scalar && !sve)
            REFUSE(item->column, "invalid operand for instruction: a VGPR or an SGPR address, not both");
        if (sve) ez_set(&a->inst, EZ_F_sve, 1);
        return put_vgprs(a, o, item, false, 1);
    }
    if (scalar || sve) return EZ_OK;
    if (!ez_has(a->inst.target, EZ_HAS_scratch_no_address))
        REFUSE(item->column, "invalid operand for instruction: expected an address");
    ez_set(&a->inst, EZ_F_saddr, EZ_CODE_EXEC + 1);
    return EZ_OK;
}

static ez_status put_buffer_address(ez_attempt *a, const ez_operand *o, const ez_item *item) {
    unsigned count = ez_get(&a->inst, EZ_F_offen) + ez_get(&a->inst, EZ_F_idxen);
    if (!count && item->kind != EZ_ITEM_OFF)
        REFUSE(item->column,
               "invalid operand for instruction: expected off, for neither offen nor idxen is set");
    return count ? put_vgprs(a, o, item, false, count) : EZ_OK;
}

/* The code of a soffset that is an inline constant; 0: it is none. */
static unsigned constant_soffset(const ez_item *item, unsigned type) {
    uint64_t value = item->value;
    bool good = item->kind == EZ_ITEM_FLOAT ? ez_round_float(item->value, type, &value)
                                            : (int64_t)value >= INT32_MIN && (int64_t)value <= UINT32_MAX;
    return good && !item->node ? ez_inline_code(value & UINT32_MAX, type) : 0;
}

bool ez_memory_soffset_fits(const ez_item *item, bool constants) {
    if (item->kind == EZ_ITEM_INT || item->kind == EZ_ITEM_FLOAT)
        return constants && !item->forced_literal && constant_soffset(item, EZ_T_u32);
    unsigned most = constants ? EZ_CODE_SCC : EZ_CODE_EXEC + 1;
    return item->kind == EZ_ITEM_SCALAR && item->dwords <= 1 && item->code <= most;
}

/* A soffset: of 8 bits any scalar source but a literal, of 7 bits a register. */
static ez_status put_soffset(ez_attempt *a, const ez_operand *o, const ez_item *item) {
    if (item->kind != EZ_ITEM_INT && item->kind != EZ_ITEM_FLOAT) return put_scalar(a, o, item, 1, 0);
    unsigned code = constant_soffset(item, o->type);
    if (!code || item->forced_literal || !ez_set(&a->inst, o->field, code))
        REFUSE(item->column, "invalid operand for instruction: expected a scalar register%s",
               ez_inst_layout(&a->inst)->field[o->field].width > 7 ? " or an inline constant" : "");
    return EZ_OK;
}

/* ---- scalar memory ---- */

static bool base_is_buffer(const ez_inst *inst) {
    for (unsigned n = 0; n < ez_rows[inst->op].noperands; n++) {
        ez_operand base = ez_inst_operand(inst, n);
        if (base.field == EZ_F_sbase) return base.dwords == 4;
    }
    return false;
}

/* The offset as a number; column: 0 where the text has none. */
static ez_status put_number_offset(ez_attempt *a, int64_t value, bool known, unsigned column) {
    ez_inst *inst = &a->inst;
    bool has_soffset = ez_has_field(inst, EZ_F_soffset), buffer = base_is_buffer(inst);
    unsigned width = ez_inst_layout(inst)->field[EZ_F_offset].width;
    int64_t span = INT64_C(1) << width;
    int64_t low = has_soffset && !buffer ? -span / 2 : 0, high = has_soffset ? span / 2 - 1 : span - 1;
    if (!known || value < low || value > high)
        BREAK(column, "expected a %u-bit %s offset", has_soffset && buffer ? width - 1 : width,
              low ? "signed" : "unsigned");
    ez_set(inst, EZ_F_offset, (uint32_t)((uint64_t)value & (uint64_t)(span - 1)));
    if (ez_has_field(inst, EZ_F_imm)) ez_set(inst, EZ_F_imm, 1);
    return EZ_OK;
}

static void without_soffset(ez_inst *inst) {
    if (!ez_has_field(inst, EZ_F_soffset_en))
        ez_set(inst, EZ_F_soffset, ez_has(inst->target, EZ_HAS_null_is_124) ? 124 : 125);
}

/* The offset, from item `at` on: a number, a register, or a register and offset:N; *used says how many items. */
static ez_status put_scalar_offset(ez_attempt *a, const ez_operand *o, unsigned at, unsigned *used) {
    ez_inst *inst = &a->inst;
    ez_item room;
    const ez_item *item = ez_item_of_symbol(a, &a->items[at], &room);
    if (item->kind == EZ_ITEM_INT || item->kind == EZ_ITEM_FLOAT) {
        without_soffset(inst);
        return put_number_offset(a, (int64_t)item->value, item->kind == EZ_ITEM_INT && !item->node, item->column);
    }
    bool enable = ez_has_field(inst, EZ_F_soffset_en), has_soffset = ez_has_field(inst, EZ_F_soffset);
    bool number = has_soffset && at + 1 < a->count && ez_item_is(&a->items[at + 1], "offset");
    ez_operand place = *o;
    place.field = has_soffset && (!enable || number) ? EZ_F_soffset : EZ_F_offset;
    if (put_scalar(a, &place, item, 1, 0)) return EZ_ERR_ENCODE;
    if (!number) return EZ_OK;
    if (enable) ez_set(inst, EZ_F_soffset_en, 1);
    item = &a->items[at + 1];
    a->reach = at + 1;
    *used = 2;
    return put_number_offset(a, item->values[0], item->count == 1 && !item->bracket, item->column);
}

/* ---- images ---- */

/* A list of VGPRs, whether they follow each other or not: [v1, v3, v[5:7]]. */
static ez_status read_list(ez_attempt *a, const ez_item *item, ez_image_address *list) {
    ez_parser p = {.target = a->p->target,
                   .wave = a->p->wave,
                   .flags = a->p->flags,
                   .names = a->p->names,
                   .start = a->p->start,
                   .at = item->name + 1,
                   .end = item->name + item->name_length - 1,
                   .err = &a->error};
    *list = (ez_image_address){.list = true};
    if (ez_parse_items(&p)) return EZ_ERR_SYNTAX;
    if (p.count > sizeof list->reg) REFUSE(item->column, "invalid operand for instruction: too many VGPRs");
    for (unsigned i = 0; i < p.count; i++) {
        if (p.items[i].kind != EZ_ITEM_VGPR)
            REFUSE(p.items[i].column, "invalid operand for instruction: expected a VGPR");
        list->reg[i] = (uint8_t)p.items[i].code;
        list->dwords[i] = p.items[i].dwords;
        list->words = (uint8_t)(list->words + p.items[i].dwords);
    }
    list->parts = (uint8_t)p.count;
    return EZ_OK;
}

static bool has_rays(const ez_inst *inst) {
    return row_has(inst, EZ_ROW_bvh);
}

/* Whether the parts written are those wanted. The last of as many as there can be may be longer than it should where the
 * last takes the rest, if the others would do. Source: behaviour of llvm-mc 22. */
static bool same_parts(const ez_inst *inst, const ez_image_address *want, const ez_image_address *list) {
    unsigned least, most, slots = ez_image_address_range(inst, &least, &most);
    if (list->parts != want->parts) return false;
    for (unsigned i = 0; i < list->parts; i++) {
        bool loose = i + 1 == list->parts && i + 1 == slots && want->words == slots && list->words <= most;
        if (list->dwords[i] != want->dwords[i] && !(loose && !has_rays(inst))) return false;
    }
    return true;
}

/* How long the address is shows when all operands are there: the first thing that llvm-mc then looks at is the data. */
static ez_status put_image_address(ez_attempt *a, const ez_operand *o, const ez_item *item) {
    ez_image_address want, list;
    ez_inst *inst = &a->inst;
    bool fields = ez_has_field(inst, EZ_F_vaddr1), dim = ez_has_field(inst, EZ_F_dim);
    bool lists = fields || ez_has_field(inst, EZ_F_nsa);
    bool text = item->kind == EZ_ITEM_TEXT || (lists && item->list && item->name_length);
    if (!text && item->kind != EZ_ITEM_VGPR)
        REFUSE(item->column, "invalid operand for instruction: expected VGPRs");
    if (text && read_list(a, item, &list)) return EZ_ERR_SYNTAX;
    if (!text && !fields) {
        ez_image_address_of(inst, &want);
        unsigned words = want.dwords[0];
        bool eight = item->dwords == 8 && words > 4 && words < 8 && !has_rays(inst);
        if (dim ? item->dwords != words && !eight : !ez_image_run_exists(inst, item->dwords))
            a->image_address = want.words;
        return put_vgprs(a, o, item, false, item->dwords);
    }
    if (text && !fields) { /* further VGPRs stand in dwords behind */
        unsigned more = list.parts > 1 ? (list.parts + 2u) / 4 : 0;
        if (!ez_set(inst, EZ_F_nsa, more) || !more)
            REFUSE(item->column, "invalid operand for instruction: the address must be one range of VGPRs");
        inst->size = (uint8_t)(4 * (ez_inst_layout(inst)->dwords + more));
    }
    bool named = ez_image_address_of(inst, &want);
    if (!text) { /* a range is a list only of one */
        list = (ez_image_address){.parts = 1, .words = item->dwords, .reg = {(uint8_t)item->code}, .dwords = {item->dwords}};
    }
    if (!named || !same_parts(inst, &want, &list)) {
        a->image_address = named ? want.words : 1;
        return EZ_OK;
    }
    for (unsigned i = 0; i < list.parts; i++)
        ez_image_name_vgpr(inst, i, list.reg[i]);
    return EZ_OK;
}

static ez_status put_image_data(ez_attempt *a, const ez_operand *o, const ez_item *item) {
    if (item->kind == EZ_ITEM_OFF && ez_image_data_exists(&a->inst, 0)) return EZ_OK; /* nothing is returned */
    if (item->dwords != o->dwords) a->image_data = o->dwords;
    return put_vgprs(a, o, item, true, item->dwords);
}

/* ---- one operand ---- */

bool ez_memory_field_is_data(const ez_inst *inst, unsigned field) {
    if (field == EZ_F_addr) return row_has(inst, EZ_ROW_gwsdata);
    return field == EZ_F_vdata || field == EZ_F_data0 || field == EZ_F_data1 || field == EZ_F_vdst;
}

/* s_waitcnt_vscnt and its like take null alone from GFX11 on. */
static bool waits_for_one(const ez_inst *inst) {
    if (!ez_has(inst->target, EZ_HAS_null_is_124)) return false;
    return inst->op == EZ_OP_S_WAITCNT_VSCNT || inst->op == EZ_OP_S_WAITCNT_VMCNT ||
           inst->op == EZ_OP_S_WAITCNT_EXPCNT || inst->op == EZ_OP_S_WAITCNT_LGKMCNT;
}

/* Item `at` as operand n; *used says how many items that took. */
static ez_status put_operand(ez_attempt *a, unsigned n, unsigned at, unsigned *used) {
    ez_operand o = ez_inst_operand(&a->inst, n);
    ez_item room;
    const ez_item *item = ez_item_of_symbol(a, &a->items[at], &room);
    unsigned cls = class_of(a, n);
    a->reach = at;
    ez_status status = ez_put_scalar_class(a, cls, &o, at, used);
    if (status != EZ_ERR_NOT_FOUND) return status;
    switch (cls) {
    case EZ_C_v:
    case EZ_C_ret: return put_vgprs(a, &o, item, ez_memory_field_is_data(&a->inst, o.field), o.dwords);
    case EZ_C_idata: return put_image_data(a, &o, item);
    case EZ_C_gaddr: return put_vgprs(a, &o, item, false, a->null_base ? 1 : o.dwords);
    case EZ_C_saddr:
    case EZ_C_fsaddr: return put_saddr(a, &o, item, cls);
    case EZ_C_ssaddr: return put_saddr(a, &o, item, cls);
    case EZ_C_svaddr: return put_svaddr(a, &o, item);
    case EZ_C_baddr: return put_buffer_address(a, &o, item);
    case EZ_C_soff: return put_soffset(a, &o, item);
    case EZ_C_iaddr: return put_image_address(a, &o, item);
    case EZ_C_smoff: return put_scalar_offset(a, &o, at, used);
    case EZ_C_xi: return put_number_offset(a, (int64_t)item->value, item->kind == EZ_ITEM_INT && !item->node, item->column);
    case EZ_C_sb: return put_scalar(a, &o, item, o.dwords, 1);
    case EZ_C_sr: return put_scalar(a, &o, item, o.dwords, 2);
    case EZ_C_sd:
        if (o.field == EZ_F_sdata && item->kind == EZ_ITEM_SCALAR &&
            (item->code >= EZ_CODE_EXEC || item->code == ez_m0_code(a->p->target)))
            REFUSE(item->column, "invalid operand for instruction: scalar data is neither in exec nor in m0");
        return put_scalar(a, &o, item, o.dwords, 0);
    case EZ_C_sg:
    case EZ_C_sgo: return put_scalar(a, &o, item, o.dwords, 0);
    default: return ez_put_operand(a, n, at);
    }
}

/* The value that says BYPASS for the whole system says something else for less; which of the two was written must agree with
 * the scope. Source: behaviour of llvm-mc 22. */
static ez_status check_hint(ez_attempt *a) {
    const ez_item *first = NULL;
    bool bypass = false;
    if (!ez_has_field(&a->inst, EZ_F_scope) || ez_get(&a->inst, EZ_F_th) != EZ_TH_LAST_USE) return EZ_OK;
    for (unsigned i = 0; i < a->count; i++) {
        const ez_item *item = &a->items[i];
        bool hint = ez_item_is(item, "th");
        if ((hint || ez_item_is(item, "scope")) && !first) first = item;
        if (hint && item->word) bypass = item->word_length > 6 && !memcmp(item->word + item->word_length - 6, "BYPASS", 6);
    }
    if (bypass == (ez_get(&a->inst, EZ_F_scope) == EZ_SCOPE_SYS)) return EZ_OK;
    a->final = true;
    REFUSE(first ? first->column : 1, "scope and th combination is not valid: BYPASS goes with SCOPE_SYS");
}

/* Where a modifier is written; the instruction if it is not. */
static unsigned column_of(const ez_attempt *a, const char *name) {
    for (unsigned i = 0; i < a->count; i++)
        if (ez_item_is(&a->items[i], name)) return a->items[i].column;
    return 1;
}

/* The rules on images, in llvm-mc's order. */
static ez_status check_image(ez_attempt *a) {
    const ez_inst *inst = &a->inst;
    unsigned dmask = ez_get(inst, EZ_F_dmask), dim = ez_get(inst, EZ_F_dim);
    ez_image_address image;
    if (!ez_has_field(inst, EZ_F_dmask)) return EZ_OK;
    if (ez_has_field(inst, EZ_F_dim) && ez_inst_takes(inst, EZ_F_dim) && column_of(a, "dim") == 1)
        REFUSE(1, "missing dim operand: expected dim:SQ_RSRC_IMG_2D or another");
    if (inst->op == EZ_OP_IMAGE_MSAA_LOAD && !strstr(ez_symbol_name(inst->target, EZ_SYM_dim, dim), "MSAA"))
        REFUSE(column_of(a, "dim"), "invalid dim; must be MSAA type");
    if (a->image_data)
        REFUSE(1, "image data size does not match dmask and tfe: expected %u VGPR%s", a->image_data, a->image_data > 1 ? "s" : "");
    if (a->image_address)
        REFUSE(1, "image address size does not match dim and a16: expected %u VGPR%s", a->image_address,
               a->image_address > 1 ? "s" : "");
    bool returns_nothing = a->items[0].kind == EZ_ITEM_OFF; /* is looked at as an atomic, too */
    if ((has(a, EZ_ROW_atomic) || returns_nothing) && dmask != 1 && dmask != 3 && dmask != 15)
        REFUSE(column_of(a, "dmask"), "invalid atomic image dmask: expected 0x1, 0x3 or 0xf");
    if (has(a, EZ_ROW_data4) && (!dmask || dmask & (dmask - 1)))
        REFUSE(column_of(a, "dmask"), "invalid image_gather dmask: only one bit must be set");
    if (!ez_image_address_of(inst, &image) || !image.exact) REFUSE(1, "image data size does not match dmask and tfe");
    return EZ_OK;
}

static ez_status finish(ez_attempt *a) {
    if (a->broken.status) {
        a->final = true;
        a->error = a->broken;
        return a->error.status;
    }
    if (waits_for_one(&a->inst) && !names_null(a, &a->items[0])) {
        a->final = true;
        REFUSE(a->items[0].column, "src0 must be null");
    }
    if (has(a, EZ_ROW_gds) && !ez_get(&a->inst, EZ_F_gds))
        REFUSE(1, "too few operands for instruction: expected gds");
    if (has(a, EZ_ROW_ldsonly) && !ez_get(&a->inst, EZ_F_lds))
        REFUSE(1, "too few operands for instruction: expected lds");
    if (check_image(a)) return EZ_ERR_ENCODE;
    if (has(a, EZ_ROW_store) && ez_get(&a->inst, EZ_F_tfe) && !ez_has_field(&a->inst, EZ_F_dmask))
        REFUSE(column_of(a, "tfe"), "TFE modifier has no meaning for store instructions");
    if (has(a, EZ_ROW_tolds) && ez_get(&a->inst, EZ_F_r128)) REFUSE(1, "instruction must set modifier r128=0");
    if (ez_get(&a->inst, EZ_F_nv) && !ez_has(a->inst.target, EZ_HAS_nv_modifier))
        REFUSE(column_of(a, "nv"), "nv is not supported on this GPU (%s)", a->inst.target->name);
    if (ez_get(&a->inst, EZ_F_scale_offset) && !ez_has(a->inst.target, EZ_HAS_scale_offset))
        REFUSE(column_of(a, "scale_offset"), "scale_offset is not supported on this GPU (%s)", a->inst.target->name);
    if (check_hint(a)) return EZ_ERR_ENCODE;
    if (!ez_inst_fields_valid(&a->inst))
        REFUSE(1, "invalid operand for instruction: modifiers that do not go together");
    return EZ_OK;
}

/* Values of fields that nothing in the text may say: the first format, the bits of rays, no further tensor groups. */
static void begin(ez_attempt *a) {
    unsigned null = ez_has(a->inst.target, EZ_HAS_null_is_124) ? 124 : 125;
    if (has(a, EZ_ROW_typed)) {
        ez_set(&a->inst, EZ_F_format, 1);
        ez_set(&a->inst, EZ_F_dfmt, 1);
    }
    for (unsigned n = 0; n < ez_inst_operand_count(&a->inst); n++)
        if (class_of(a, n) == EZ_C_sgo) ez_set(&a->inst, ez_inst_operand(&a->inst, n).field, null);
    if (!has(a, EZ_ROW_bvh)) return;
    ez_set(&a->inst, EZ_F_dmask, 15);
    ez_set(&a->inst, EZ_F_r128, 1);
    ez_set(&a->inst, EZ_F_unorm, 1);
}

static bool is_scalar(const ez_inst *inst) {
    unsigned encoding = ez_inst_layout(inst)->encoding;
    return encoding == EZ_ENC_SOPK || encoding == EZ_ENC_SOPP || encoding == EZ_ENC_SMEM;
}

static bool is_number(const ez_item *item) {
    return item->kind == EZ_ITEM_INT || item->kind == EZ_ITEM_FLOAT;
}

/* Of scalar instructions: the operands in their order, then the modifiers, for of several errors llvm-mc gives the first. */
static ez_status put_in_order(ez_attempt *a) {
    unsigned count = ez_inst_operand_count(&a->inst), at = 0;
    for (unsigned n = 0; n < count; n++) {
        ez_operand o = ez_inst_operand(&a->inst, n);
        unsigned cls = class_of(a, n), used = 1;
        if (o.kind == EZ_OPERAND_NONE && o.hidden) continue;
        bool here = at < a->count && is_operand_text(a, at);
        a->reach = at;
        bool absent = o.field == EZ_F_offset && !(here && (cls == EZ_C_smoff || is_number(&a->items[at])));
        if (absent) without_soffset(&a->inst);
        if (absent) put_number_offset(a, 0, true, 0);
        if (absent || (!here && is_optional(cls))) continue;
        if (at == a->count) REFUSE(1, "too few operands for instruction: expected %u", count);
        if (put_operand(a, n, at, &used)) return a->error.status;
        at += used;
    }
    a->reach = at;
    if (at < a->count && ez_has_field(&a->inst, EZ_F_sbase) && ez_item_is(&a->items[at], "offset"))
        REFUSE(a->items[at].column, "invalid operand for instruction: offset goes with an offset in an SGPR alone");
    if (put_modifiers(a, at)) return a->error.status;
    return finish(a);
}

/* A format before soffset goes behind it. */
static void move_format(ez_attempt *a, ez_item *items) {
    enum { SOFFSET = 3 }; /* behind data, address, resource */
    ez_error ignored;
    ez_parser p = {.target = a->p->target, .err = &ignored};
    ez_item format;
    unsigned taken;
    if (!has(a, EZ_ROW_typed) || a->count <= SOFFSET + 1 || a->items[SOFFSET].kind != EZ_ITEM_WORD) return;
    if (ez_early_format(&p, a->items + SOFFSET, a->count - SOFFSET, &taken, &format) || !taken || a->count == SOFFSET + taken)
        return;
    unsigned behind = SOFFSET + taken + 1;
    memcpy(items, a->items, SOFFSET * sizeof *items);
    items[SOFFSET] = a->items[SOFFSET + taken];
    items[SOFFSET + 1] = format;
    memcpy(items + SOFFSET + 2, a->items + behind, (a->count - behind) * sizeof *items);
    a->items = items;
    a->count -= taken - 1;
}

ez_status ez_put_scalar_or_memory(ez_attempt *a) {
    ez_item moved[EZ_ITEM_MAX];
    move_format(a, moved);
    unsigned operands = 0, count = ez_inst_operand_count(&a->inst), visible = 0, map[EZ_INST_MAX_OPERANDS], used;
    begin(a);
    if (is_scalar(&a->inst)) return put_in_order(a);
    while (operands < a->count && is_operand_text(a, operands))
        operands++;
    if (put_modifiers(a, operands)) return a->error.status;
    for (unsigned n = 0; n < count; n++) {
        unsigned cls = class_of(a, n);
        ez_operand o = ez_inst_operand(&a->inst, n);
        bool absent =
            o.kind == EZ_OPERAND_NONE && o.hidden && (cls != EZ_C_fsaddr || !ez_has_field(&a->inst, o.field));
        map[n] = absent ? EZ_ITEM_MAX : visible;
        bool second = n && cls == EZ_C_sgo && class_of(a, n - 1) == cls && map[n - 1] < EZ_ITEM_MAX; /* of a pair that is there */
        if (is_optional(cls) && !second && visible >= operands) map[n] = EZ_ITEM_MAX;
        else visible += !absent;
    }
    if (operands < visible) {
        a->reach = operands;
        REFUSE(1, "too few operands for instruction: expected %u", visible);
    }
    for (unsigned n = count; n-- > 0;)
        if (map[n] < EZ_ITEM_MAX && put_operand(a, n, map[n], &used)) return a->error.status;
    if (operands > visible) {
        a->reach = visible;
        REFUSE(a->items[visible].column, "invalid operand for instruction");
    }
    return finish(a);
}
