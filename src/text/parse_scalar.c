/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of the scalar families from text: counters, messages, hardware registers, offsets. What llvm-mc 22 takes. */
#include "families.h"

#include <string.h>

#define REFUSE(column, ...) return ez_fail_at(&a->error, EZ_ERR_ENCODE, column, __VA_ARGS__)

/* ---- the text behind a name that takes arguments ---- */

static ez_cursor cursor_of(ez_attempt *a, const ez_item *item, const char *end) {
    return (ez_cursor){a->p->start, item->name, end, &a->error, a->p->names};
}

static unsigned column(const ez_cursor *c) { return (unsigned)(c->at - c->start) + 1; }

static bool take(ez_cursor *c, char want) {
    if (ez_read_blank(c) || *c->at != want) return false;
    c->at++;
    return true;
}

static ez_status need(ez_attempt *a, ez_cursor *c, char want) {
    if (take(c, want)) return EZ_OK;
    REFUSE(column(c), "expected '%c'", want);
}

/* A name here, NULL when there is none; c moves behind it. */
static const char *take_word(ez_cursor *c, size_t *length) {
    ez_read_blank(c);
    const char *name = c->at;
    *length = ez_read_name(c);
    c->at += *length;
    return *length ? name : NULL;
}

static ez_status read_number(ez_attempt *a, ez_cursor *c, int64_t low, int64_t high, const char *what,
                             unsigned *value) {
    ez_term term;
    ez_read_blank(c);
    unsigned at = column(c);
    if (ez_read_expression(c, &term)) return EZ_ERR_SYNTAX;
    if (term.node) REFUSE(at, "expected absolute expression");
    int64_t n = (int64_t)term.value;
    if (n < low || n > high)
        REFUSE(at, "invalid %s: expected %lld to %lld", what, (long long)low, (long long)high);
    *value = (unsigned)n;
    return EZ_OK;
}

/* A name of a kind, or a number. */
static ez_status read_symbol(ez_attempt *a, ez_cursor *c, unsigned kind, int64_t high, const char *what,
                             unsigned *value, bool *named) {
    size_t length;
    ez_read_blank(c);
    unsigned at = column(c);
    const char *name = take_word(c, &length);
    *named = name != NULL;
    if (!name) return read_number(a, c, 0, high, what, value);
    const ez_isa_symbol *s = ez_symbol_find(a->inst.target, kind, name, length);
    if (!s)
        REFUSE(at, "invalid %s: '%.*s' is not known on %s", what, (int)length, name,
               a->inst.target->name);
    *value = s->code;
    return EZ_OK;
}

static bool begins_with_call(ez_cursor *c, const char *name) {
    size_t length;
    const char *here = take_word(c, &length);
    return here && length == strlen(name) && !memcmp(here, name, length) && take(c, '(');
}

/* ---- counters ---- */

unsigned ez_scatter_bits(unsigned count, unsigned mask) {
    unsigned value = 0;
    for (unsigned bit = 0; bit < 16; bit++)
        if (mask >> bit & 1) {
            value |= (count & 1) << bit;
            count >>= 1;
        }
    return value;
}

/* NAME(N) or, for the maximum where N is more, NAME_sat(N). */
static ez_status read_counter(ez_attempt *a, ez_cursor *c, unsigned kind, unsigned *value,
                              unsigned *seen) {
    size_t length;
    ez_read_blank(c);
    unsigned at = column(c), count = 0;
    const char *name = take_word(c, &length);
    if (!name) REFUSE(at, "expected a counter name");
    if (need(a, c, '(')) return EZ_ERR_SYNTAX;
    const ez_isa_symbol *s = ez_symbol_find(a->inst.target, kind, name, length);
    bool saturate = !s && length > 4 && !memcmp(name + length - 4, "_sat", 4);
    if (saturate) s = ez_symbol_find(a->inst.target, kind, name, length - 4);
    if (!s) REFUSE(at, "invalid counter name %.*s", (int)length, name);
    if (kind == EZ_SYM_depctr && *seen & s->code)
        REFUSE(at, "duplicate counter name %.*s", (int)length, name);
    unsigned most = ez_gather_bits(0xffff, s->code);
    if (read_number(a, c, 0, saturate ? INT64_MAX : most, s->name, &count)) {
        if (kind == EZ_SYM_depctr && a->error.status == EZ_ERR_ENCODE) a->error.column = at;
        return EZ_ERR_SYNTAX;
    }
    if (need(a, c, ')')) return EZ_ERR_SYNTAX;
    if (count > most) count = most;
    *seen |= s->code;
    *value = (*value & ~(unsigned)s->code) | ez_scatter_bits(count, s->code);
    return EZ_OK;
}

/* Counters to the end of the line, between which there may be & or a comma; those not named are at their maximum. */
static ez_status read_counters(ez_attempt *a, unsigned kind, unsigned at, unsigned *used, unsigned *value) {
    unsigned seen = 0;
    ez_cursor c = cursor_of(a, &a->items[at], a->p->end);
    *value = 0;
    for (const ez_isa_symbol *s = NULL; (s = ez_symbol_next(a->inst.target, kind, s));)
        *value |= s->code;
    while (!ez_read_blank(&c)) {
        if (read_counter(a, &c, kind, value, &seen)) return EZ_ERR_SYNTAX;
        if ((take(&c, '&') || take(&c, ',')) && ez_read_blank(&c))
            REFUSE(column(&c), "expected a counter name");
    }
    *used = a->count - at;
    return EZ_OK;
}

/* ---- s_delay_alu ---- */

static ez_status read_delay(ez_attempt *a, const ez_item *item, unsigned *value) {
    static const struct {
        const char *name;
        uint8_t kind, shift;
    } parts[] = {{"instid0", EZ_SYM_instid, 0}, {"instskip", EZ_SYM_instskip, 4},
                 {"instid1", EZ_SYM_instid, 7}};
    ez_cursor c = cursor_of(a, item, item->name + item->name_length);
    *value = 0;
    do {
        size_t length;
        unsigned part = 0, code;
        bool named;
        ez_read_blank(&c);
        unsigned at = column(&c);
        const char *name = take_word(&c, &length);
        while (part < 3 && !(name && length == strlen(parts[part].name) &&
                             !memcmp(name, parts[part].name, length)))
            part++;
        if (part == 3) REFUSE(at, "expected instid0, instskip or instid1");
        if (need(a, &c, '(')) return EZ_ERR_SYNTAX;
        ez_read_blank(&c);
        at = column(&c);
        if (read_symbol(a, &c, parts[part].kind, 0, "value name", &code, &named)) return EZ_ERR_SYNTAX;
        if (!named) REFUSE(at, "expected a value name");
        if (need(a, &c, ')')) return EZ_ERR_SYNTAX;
        *value |= code << parts[part].shift;
    } while (take(&c, '|'));
    if (!ez_read_blank(&c)) REFUSE(column(&c), "invalid operand for instruction");
    return EZ_OK;
}

/* ---- hardware registers ---- */

/* {id: N, offset: N, size: N}, each of them optional */
static ez_status read_structure(ez_attempt *a, ez_cursor *c, unsigned *id, unsigned *offset, unsigned *size) {
    c->at++; /* the brace */
    unsigned seen = 0; /* by the length of the name, which tells them apart */
    while (!take(c, '}')) {
        size_t length;
        ez_read_blank(c);
        unsigned at = column(c);
        const char *name = take_word(c, &length);
        if (!name || need(a, c, ':')) REFUSE(at, "expected id, offset or size and a colon");
        if (length < 8 && seen >> length & 1) REFUSE(at, "duplicate field %.*s", (int)length, name);
        seen |= length < 8 ? 1u << length : 0;
        ez_status status = length == 2 && !memcmp(name, "id", 2)
                               ? read_number(a, c, 0, 63, "hardware register", id)
                           : length == 6 && !memcmp(name, "offset", 6)
                               ? read_number(a, c, 0, 31, "bit offset", offset)
                           : length == 4 && !memcmp(name, "size", 4)
                               ? read_number(a, c, 1, 32, "bitfield width", size)
                               : ez_fail_at(&a->error, EZ_ERR_SYNTAX, at, "unknown field");
        if (status) return status;
        if (!take(c, ',') && (ez_read_blank(c) || *c->at != '}'))
            REFUSE(column(c), "expected a comma or a closing brace");
    }
    return EZ_OK;
}

static ez_status read_hwreg(ez_attempt *a, const ez_item *item, unsigned *value) {
    ez_cursor c = cursor_of(a, item, item->name + item->name_length);
    unsigned id = 0, offset = 0, size = 32;
    bool named;
    if (*c.at == '{') {
        if (read_structure(a, &c, &id, &offset, &size)) return EZ_ERR_SYNTAX;
    } else {
        if (!begins_with_call(&c, "hwreg")) REFUSE(item->column, "expected hwreg(...) or a number");
        if (read_symbol(a, &c, EZ_SYM_hwreg, 63, "hardware register", &id, &named)) return EZ_ERR_SYNTAX;
        if (take(&c, ',')) {
            if (read_number(a, &c, 0, 31, "bit offset", &offset) || need(a, &c, ',') ||
                read_number(a, &c, 1, 32, "bitfield width", &size))
                return EZ_ERR_SYNTAX;
        }
        if (need(a, &c, ')')) return EZ_ERR_SYNTAX;
    }
    if (!ez_read_blank(&c)) REFUSE(column(&c), "invalid operand for instruction");
    *value = id | offset << 6 | (size - 1) << 11;
    return EZ_OK;
}

/* ---- messages ---- */

/* Whether the parts go together when the message has a name; by numbers anything can be said. */
static ez_status check_message(ez_attempt *a, const ez_message *m, bool operation_given, bool stream_given,
                               const unsigned *at) {
    bool takes = m->gs || m->sys;
    if (takes && !operation_given) REFUSE(at[0], "missing message operation");
    if (!takes && operation_given) REFUSE(at[1], "message does not support operations");
    if (takes && !ez_message_operation(a->inst.target, m)) REFUSE(at[1], "invalid operation id");
    if (stream_given && !(m->gs && m->operation))
        REFUSE(at[2], "message operation does not support streams");
    return EZ_OK;
}

static ez_status read_message(ez_attempt *a, const ez_item *item, unsigned *value) {
    ez_cursor c = cursor_of(a, item, item->name + item->name_length);
    unsigned id, operation = 0, stream = 0, at[3] = {0};
    bool wide = ez_has(a->inst.target, EZ_HAS_null_is_124), named, operation_given, stream_given = false, ignored;
    if (!begins_with_call(&c, "sendmsg")) REFUSE(item->column, "expected sendmsg(...) or a number");
    ez_read_blank(&c);
    at[0] = column(&c);
    if (read_symbol(a, &c, EZ_SYM_msg, wide ? 255 : 15, "message id", &id, &named)) return EZ_ERR_SYNTAX;
    ez_message m = ez_message_of(a->inst.target, id);
    operation_given = take(&c, ',');
    if (operation_given) {
        ez_read_blank(&c);
        at[1] = column(&c);
        if (read_symbol(a, &c, m.sys ? EZ_SYM_sys_op : EZ_SYM_gs_op, 7, "operation id",
                        &operation, &ignored))
            return EZ_ERR_SYNTAX;
        stream_given = take(&c, ',');
        ez_read_blank(&c);
        at[2] = column(&c);
        if (stream_given && read_number(a, &c, 0, 3, "message stream id", &stream))
            return EZ_ERR_SYNTAX;
    }
    if (need(a, &c, ')')) return EZ_ERR_SYNTAX;
    if (!ez_read_blank(&c)) REFUSE(column(&c), "invalid operand for instruction");
    *value = id | operation << 4 | stream << 8;
    m = ez_message_of(a->inst.target, *value);
    return named ? check_message(a, &m, operation_given, stream_given, at) : EZ_OK;
}

/* ---- VGPR indexing ---- */

static ez_status read_index_mode(ez_attempt *a, const ez_item *item, unsigned *value) {
    ez_cursor c = cursor_of(a, item, item->name + item->name_length);
    bool named;
    *value = 0;
    if (!begins_with_call(&c, "gpr_idx")) REFUSE(item->column, "expected gpr_idx(...) or a number");
    while (!take(&c, ')')) {
        unsigned bit;
        ez_read_blank(&c);
        unsigned at = column(&c);
        if (read_symbol(a, &c, EZ_SYM_gpr_idx, 0, "VGPR index mode", &bit, &named)) return EZ_ERR_SYNTAX;
        if (!named) REFUSE(at, "expected a VGPR index mode or a closing parenthesis");
        if (*value & bit) REFUSE(at, "duplicate VGPR index mode");
        *value |= bit;
        if (!take(&c, ',') && (ez_read_blank(&c) || *c.at != ')'))
            REFUSE(column(&c), "expected a comma or a closing parenthesis");
    }
    if (!ez_read_blank(&c)) REFUSE(column(&c), "invalid operand for instruction");
    return EZ_OK;
}

/* ---- versions ---- */

static const char *version_symbol(void *user, const char *name, size_t length, const char *specifier,
                                  size_t specifier_length, ez_term *out) {
    const ez_isa_symbol *s = ez_symbol_find(user, EZ_SYM_version, name, length);
    (void)specifier, (void)specifier_length;
    if (!s) return "expected the name of a version";
    *out = (ez_term){.value = s->code};
    return NULL;
}

static ez_status read_version(ez_attempt *a, const ez_item *item, unsigned *value) {
    ez_names names = {.user = (void *)a->inst.target, .symbol = version_symbol};
    ez_cursor c = cursor_of(a, item, item->name + item->name_length);
    c.names = &names;
    ez_term term;
    if (ez_read_expression(&c, &term)) return EZ_ERR_SYNTAX;
    if (!ez_read_blank(&c) || term.value > 0xffff) REFUSE(item->column, "invalid operand for instruction");
    *value = (unsigned)term.value;
    return EZ_OK;
}

/* ---- numbers ---- */

static ez_status put_number(ez_attempt *a, const ez_operand *o, const ez_item *item, int64_t low, int64_t high) {
    uint64_t mask = (UINT64_C(1) << ez_inst_layout(&a->inst)->field[o->field].width) - 1;
    int64_t value = (int64_t)item->value;
    if (item->kind != EZ_ITEM_INT || item->node || value < low || value > high)
        REFUSE(item->inner_column, "invalid operand for instruction: expected a number from %lld to %lld",
               (long long)low, (long long)high);
    ez_set(&a->inst, o->field, (uint32_t)(item->value & mask));
    return EZ_OK;
}

/* The distance of a branch: a number of dwords, or what is known later. */
static ez_status put_label(ez_attempt *a, const ez_operand *o, const ez_item *item) {
    ez_item room;
    item = ez_item_of_symbol(a, item, &room);
    if (item->forced_literal) /* lit is a label's name here, and then comes a parenthesis */
        REFUSE(item->inner_column - 1, "invalid operand for instruction: expected a label or a number");
    if (item->kind == EZ_ITEM_INT && item->node) {
        if (!a->p->names->is_symbol(item->node)) {
            a->final = true;
            REFUSE(item->column, "expected an absolute expression or a label");
        }
        a->fixup = (ez_fixup){.kind = EZ_FIXUP_BRANCH, .column = item->column, .node = item->node};
        return EZ_OK;
    }
    return put_number(a, o, item, -0x8000, 0xffff);
}

/* The number that a field has at most and at least, by class. */
static ez_status put_by_width(ez_attempt *a, const ez_operand *o, const ez_item *item, bool is_signed) {
    int64_t span = INT64_C(1) << ez_inst_layout(&a->inst)->field[o->field].width;
    return put_number(a, o, item, is_signed ? -span / 2 : 0, (is_signed ? span / 2 : span) - 1);
}

/* An 8-bit scalar source without literal: of a barrier m0 or a number, of sreg a register. */
static ez_status put_source(ez_attempt *a, unsigned cls, const ez_operand *o, const ez_item *item) {
    unsigned code = 0;
    uint64_t rounded;
    if (item->kind == EZ_ITEM_SCALAR) {
        bool fits = item->dwords == o->dwords || (!item->dwords && o->dwords <= 2);
        bool taken = cls != EZ_C_bar || item->code == ez_m0_code(a->inst.target);
        if (fits && taken && !item->neg && !item->abs) code = item->code + 1u;
    } else if (item->kind == EZ_ITEM_INT && !item->node && cls != EZ_C_sreg &&
               !item->forced_literal) {
        int64_t n = (int64_t)item->value; /* as a number of the operand's width: -1 may be written 0xffffffff */
        bool fits = o->bits == 64 || (n >= INT32_MIN && n <= UINT32_MAX);
        unsigned inlined = fits ? ez_inline_code(o->bits == 64 ? item->value : (uint32_t)n, o->type) : 0;
        if (inlined) code = inlined + 1;
    } else if (item->kind == EZ_ITEM_FLOAT && !item->forced_literal && (cls == EZ_C_ssi || cls == EZ_C_bar) &&
               ez_round_float(item->value, o->type, &rounded)) {
        unsigned inlined = ez_inline_code(rounded, o->type);
        if (inlined) code = inlined + 1;
    }
    if (!code || !ez_set(&a->inst, o->field, code - 1))
        REFUSE(item->inner_column, "invalid operand for instruction: expected %s",
               cls == EZ_C_bar ? "m0 or a number of a barrier" : cls == EZ_C_sreg ? "a scalar register"
                                                                : "a scalar register or an inline constant");
    return EZ_OK;
}

ez_status ez_put_scalar_class(ez_attempt *a, unsigned cls, const ez_operand *o, unsigned at, unsigned *used) {
    ez_item room;
    const ez_item *item = ez_item_of_symbol(a, &a->items[at], &room);
    bool text = item->kind == EZ_ITEM_TEXT;
    ez_status status;
    unsigned value = 0;
    *used = 1;
    switch (cls) {
    case EZ_C_exit:
        if (item->forced_literal) REFUSE(a->items[at].column, "expected absolute expression");
        return put_number(a, o, item, 0, 0xffff);
    case EZ_C_imm: case EZ_C_hex: /* what is compared without a sign has none */
        return put_number(a, o, item, ez_compares_unsigned(&a->inst, o) ? 0 : -0x8000, 0xffff);
    case EZ_C_label: return put_label(a, o, item);
    case EZ_C_i: return put_by_width(a, o, item, true);
    case EZ_C_n5: return put_number(a, o, item, 0, ez_has_field(&a->inst, EZ_F_scope) ? 31 : 127);
    case EZ_C_version:
        if (!text) return put_number(a, o, item, -0x8000, 0xffff);
        status = read_version(a, item, &value);
        break;
    case EZ_C_waitcnt:
        if (!text) return put_number(a, o, item, -0x8000, 0xffff);
        status = read_counters(a, EZ_SYM_waitcnt, at, used, &value);
        break;
    case EZ_C_depctr:
        if (!text) return put_number(a, o, item, -0x8000, 0xffff);
        status = read_counters(a, EZ_SYM_depctr, at, used, &value);
        break;
    case EZ_C_delay:
        if (!text) return put_number(a, o, item, 0, 0xffff);
        status = read_delay(a, item, &value);
        break;
    case EZ_C_hwreg:
        if (!text) return put_number(a, o, item, 0, 0xffff);
        status = read_hwreg(a, item, &value);
        break;
    case EZ_C_sendmsg:
    case EZ_C_sendmsg_rtn:
        if (!text) return put_number(a, o, item, 0, cls == EZ_C_sendmsg ? 0xffff : 0xff);
        status = read_message(a, item, &value);
        break;
    case EZ_C_gpr_idx:
        if (!text) return put_number(a, o, item, 0, 15);
        status = read_index_mode(a, item, &value);
        break;
    case EZ_C_bar: case EZ_C_sreg: case EZ_C_ssi: return put_source(a, cls, o, item);
    default: return EZ_ERR_NOT_FOUND;
    }
    if (status) {
        a->final = true; /* what is wrong within such a text does not depend on the form */
        return a->error.status = EZ_ERR_SYNTAX;
    }
    if (!ez_set(&a->inst, o->field, value)) REFUSE(item->column, "invalid operand for instruction");
    return EZ_OK;
}
