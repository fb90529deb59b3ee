/* SPDX-License-Identifier: Apache-2.0 */
/* Modifiers of memory instructions whose values have a grammar of their own: formats of typed buffers, swizzles. */
#include "families.h"

#include <string.h>

static bool row_has(const ez_inst *inst, unsigned flag) {
    return ez_row_has_on(inst->target, inst->op, flag);
}

static ez_cursor value_cursor(const ez_item *item, ez_error *err) {
    unsigned before = item->columns[0] - 1;
    return (ez_cursor){item->word - before, item->word, item->word + item->word_length, err, NULL};
}

/* The column of what stands next in the text of a value. */
static unsigned column_at(const ez_cursor *c) {
    return (unsigned)(c->at - c->start) + 1;
}

#define FAIL(...) return ez_fail_at(c->err, EZ_ERR_SYNTAX, column_at(c), __VA_ARGS__)

/* ---- formats ---- */

/* The parts of a format by name. */
typedef struct format_names {
    const ez_isa_symbol *data, *number, *unified;
} format_names;

/* BUF_DATA_FORMAT_..., BUF_NUM_FORMAT_..., or as the only one BUF_FMT_... */
static ez_status read_format_name(ez_cursor *c, const ez_target *target, bool unified, format_names *f) {
    if (ez_read_blank(c)) FAIL("expected a format");
    unsigned column = column_at(c);
    size_t length = ez_read_name(c);
    const ez_isa_symbol *data = ez_symbol_find(target, EZ_SYM_dfmt, c->at, length),
                        *number = ez_symbol_find(target, EZ_SYM_nfmt, c->at, length);
    if (!length) FAIL("expected a format");
    if (unified) f->unified = ez_symbol_find(target, EZ_SYM_ufmt, c->at, length);
    if (!data && !number && !f->unified)
        return ez_fail_at(c->err, EZ_ERR_SYNTAX, column, "unsupported format: %.*s", (int)length, c->at);
    if ((data && f->data) || (number && f->number))
        return ez_fail_at(c->err, EZ_ERR_SYNTAX, column, "duplicate %s format", data ? "data" : "numeric");
    if (data) f->data = data;
    if (number) f->number = number;
    c->at += length;
    ez_read_blank(c);
    return EZ_OK;
}

/* The pair as one name: BUF_FMT_ 32 _ FLOAT; what is not said has its default. */
static const ez_isa_symbol *unify(const ez_target *target, const format_names *f) {
    char name[64] = "BUF_FMT_";
    const char *d = f->data ? f->data->name + strlen("BUF_DATA_FORMAT_") : "8";
    const char *n = f->number ? f->number->name + strlen("BUF_NUM_FORMAT_") : "UNORM";
    strcat(name, d);
    if (!f->data || strcmp(d, "INVALID")) strcat(strcat(name, "_"), n);
    return ez_symbol_find(target, EZ_SYM_ufmt, name, strlen(name));
}

static ez_status set_format_number(ez_inst *inst, const ez_item *item, ez_error *err) {
    if (item->word) return ez_fail_at(err, EZ_ERR_SYNTAX, item->columns[0], "expected a number, or [NAME]");
    if (item->count != 1 || item->bracket || item->values[0] < 0 || item->values[0] > 127)
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->columns[0], "out of range format: expected 0 to 127");
    unsigned value = (unsigned)item->values[0];
    if (ez_has_field(inst, EZ_F_format)) ez_set(inst, EZ_F_format, value);
    ez_set(inst, EZ_F_dfmt, value & 15);
    ez_set(inst, EZ_F_nfmt, value >> 4);
    return EZ_OK;
}

/* format:[NAME], format:[DATA,NUMBER] or format:N */
ez_status ez_set_format(ez_inst *inst, const ez_item *item, ez_error *err) {
    ez_error ignored;
    bool one = ez_has_field(inst, EZ_F_format);
    format_names f = {0};
    if (!item->word || !item->bracket) return set_format_number(inst, item, err);
    ez_cursor cursor = value_cursor(item, err ? err : &ignored), *c = &cursor;
    if (read_format_name(c, inst->target, one, &f)) return c->err->status;
    if (!f.unified && c->at < c->end && *c->at == ',') {
        c->at++;
        if (read_format_name(c, inst->target, false, &f)) return c->err->status;
    }
    if (one && !f.unified && !(f.unified = unify(inst->target, &f)))
        return ez_fail_at(err, EZ_ERR_SYNTAX, item->columns[0], "unsupported format: no GPU has this pair");
    if (c->at < c->end || item->bad.status) FAIL("expected a closing square bracket");
    if (one) ez_set(inst, EZ_F_format, f.unified->code);
    else {
        ez_set(inst, EZ_F_dfmt, f.data ? f.data->code : 1);
        ez_set(inst, EZ_F_nfmt, f.number ? f.number->code : 0);
    }
    return EZ_OK;
}

/* ---- the format before soffset ---- */

static bool is_early_format(const ez_target *target, const ez_item *item) {
    bool one = ez_has(target, EZ_HAS_null_sgpr);
    if (item->kind != EZ_ITEM_WORD || !item->colon) return false;
    return one ? ez_item_named(item, "format") : ez_item_named(item, "dfmt") || ez_item_named(item, "nfmt");
}

ez_status ez_early_format(const ez_parser *p, const ez_item *items, unsigned count, unsigned *taken, ez_item *format) {
    enum { MOST = 127, MOST_DATA = 15, MOST_NUMBER = 7 };
    bool seen_data = false, seen_number = false;
    int64_t value = 1; /* the first data format, the first numeric one */
    *taken = 0;
    while (*taken < count && *taken < 2 && is_early_format(p->target, &items[*taken])) {
        const ez_item *item = &items[*taken];
        bool data = ez_item_named(item, "dfmt"), number = ez_item_named(item, "nfmt");
        if ((data && seen_data) || (number && seen_number) || (*taken && !data && !number)) break;
        if (item->bad.status) {
            *p->err = item->bad;
            return item->bad.status;
        }
        if (item->word || item->bracket || item->count != 1)
            return ez_fail_at(p->err, EZ_ERR_SYNTAX, item->columns[0] - item->bracket, "expected a number");
        if (item->values[0] < 0 || item->values[0] > (data ? MOST_DATA : number ? MOST_NUMBER : MOST))
            return ez_fail_at(p->err, EZ_ERR_SYNTAX, item->column, "out of range %.*s", (int)item->name_length, item->name);
        if (!*taken) *format = *item;
        value = data     ? (value & ~INT64_C(15)) | item->values[0]
                : number ? (value & 15) | item->values[0] << 4
                         : item->values[0];
        seen_data |= data;
        seen_number |= number;
        ++*taken;
    }
    format->name = "format";
    format->name_length = (unsigned)strlen(format->name);
    format->values[0] = value;
    return EZ_OK;
}

/* ---- swizzles ---- */

/* A comma and a number from low to high, of some a power of two. */
static ez_status next_number(ez_cursor *c, int64_t low, int64_t high, bool power, int64_t *value) {
    ez_term term;
    if (ez_read_blank(c) || *c->at != ',') FAIL("expected a comma");
    c->at++;
    ez_read_blank(c);
    unsigned column = column_at(c);
    if (ez_read_expression(c, &term)) return EZ_ERR_SYNTAX;
    if (term.node) return ez_fail_at(c->err, EZ_ERR_SYNTAX, column, "expected an absolute expression");
    *value = (int64_t)term.value;
    bool good = *value >= low && *value <= high && !(power && *value & (*value - 1));
    if (good) return EZ_OK;
    return ez_fail_at(c->err, EZ_ERR_SYNTAX, column, "expected %s from %d to %d", power ? "a power of two" : "a number", (int)low,
                      (int)high);
}

/* A mask of five letters: 0, 1, p keep, i invert. */
static ez_status read_mask(ez_cursor *c, unsigned *and_mask, unsigned *or_mask, unsigned *xor_mask) {
    if (ez_read_blank(c) || *c->at != ',') FAIL("expected a comma");
    c->at++;
    if (ez_read_blank(c) || *c->at != '"') FAIL("expected a string");
    if (c->end - c->at < 7 || c->at[6] != '"') FAIL("expected a mask of 5 characters");
    const char *mask = c->at + 1;
    *and_mask = *or_mask = *xor_mask = 0;
    for (unsigned bit = 16; bit; bit >>= 1, mask++) {
        if (!strchr("01pi", *mask)) FAIL("invalid mask: expected 0, 1, p to keep and i to invert");
        if (*mask == '1') *or_mask |= bit;
        if (*mask == 'p' || *mask == 'i') *and_mask |= bit;
        if (*mask == 'i') *xor_mask |= bit;
    }
    c->at = mask + 1;
    return EZ_OK;
}

/* What stands behind a swizzle mode. */
static ez_status read_swizzle(ez_cursor *c, unsigned mode, unsigned *value) {
    enum { QUAD_PERM, BITMASK_PERM, BROADCAST, SWAP, REVERSE, FFT, ROTATE };
    unsigned and_mask = 31, or_mask = 0, xor_mask = 0;
    int64_t n = 0, m = 0;
    ez_status status = EZ_OK;
    *value = 0;
    switch (mode) {
    case QUAD_PERM:
        *value = 0x8000;
        for (int i = 0; !status && i < 4; i++) {
            status = next_number(c, 0, 3, false, &n);
            *value |= (unsigned)n << 2 * i;
        }
        break;
    case BITMASK_PERM: status = read_mask(c, &and_mask, &or_mask, &xor_mask); break;
    case BROADCAST:
        status = next_number(c, 2, 32, true, &n);
        if (!status) status = next_number(c, 0, n - 1, false, &m);
        and_mask = 32 - (unsigned)n;
        or_mask = (unsigned)m;
        break;
    case SWAP:
        status = next_number(c, 1, 16, true, &n);
        xor_mask = (unsigned)n;
        break;
    case REVERSE:
        status = next_number(c, 2, 32, true, &n);
        xor_mask = (unsigned)n - 1;
        break;
    case FFT:
        status = next_number(c, 0, 31, false, &n);
        *value = 0xe000 | (unsigned)n;
        break;
    default:
        status = next_number(c, 0, 1, false, &n);
        if (!status) status = next_number(c, 0, 31, false, &m);
        *value = 0xc000 | (unsigned)n << 10 | (unsigned)m << 5;
        break;
    }
    if (!*value) *value = and_mask | or_mask << 5 | xor_mask << 10;
    return status;
}

/* offset:swizzle(MODE, ...) */
ez_status ez_set_swizzle(ez_inst *inst, const ez_item *item, ez_error *err) {
    ez_error ignored;
    ez_cursor cursor = value_cursor(item, err ? err : &ignored), *c = &cursor;
    unsigned value;
    if (!row_has(inst, EZ_ROW_swizzle) || ez_read_name(c) != 7 || memcmp(c->at, "swizzle", 7))
        FAIL("expected a number%s", row_has(inst, EZ_ROW_swizzle) ? " or swizzle(...)" : "");
    c->at += 7;
    if (ez_read_blank(c) || *c->at != '(') FAIL("expected a left parenthesis");
    c->at++;
    ez_read_blank(c);
    size_t length = ez_read_name(c);
    const ez_isa_symbol *mode = ez_symbol_find(inst->target, EZ_SYM_swizzle, c->at, length);
    bool elsewhere = false;
    for (size_t t = 0; t < EZ_TARGET_COUNT && !mode; t++)
        elsewhere |= ez_symbol_find(&ez_targets[t], EZ_SYM_swizzle, c->at, length) != NULL;
    if (!mode && !elsewhere) FAIL("expected a swizzle mode");
    c->at += length;
    if (!mode) FAIL("this swizzle mode is not supported on this GPU (%s)", inst->target->name);
    if (read_swizzle(c, mode->code, &value)) return c->err->status;
    if (ez_read_blank(c) || *c->at != ')') FAIL("expected a closing parenthesis");
    ez_set(inst, EZ_F_offset, value);
    return EZ_OK;
}
