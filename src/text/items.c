/* SPDX-License-Identifier: Apache-2.0 */
/* From characters to items: registers, numbers and modifiers, without knowledge of the instruction. */
#include "text.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ez_status ez_fail_at(ez_error *err, ez_status status, unsigned column, const char *format, ...) {
    if (err) {
        va_list args;
        *err = (ez_error){.status = status, .column = column};
        va_start(args, format);
        vsnprintf(err->message, sizeof err->message, format, args);
        va_end(args);
    }
    return status;
}

/* Of what stands next. */
static unsigned column(const ez_parser *p) { return (unsigned)(p->at - p->start) + 1; }

#define FAIL(...) return ez_fail_at(p->err, EZ_ERR_SYNTAX, column(p), __VA_ARGS__)

bool ez_parse_blank(ez_parser *p) {
    for (;;) {
        while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\r'))
            p->at++;
        size_t left = (size_t)(p->end - p->at);
        if (left >= 2 && p->at[0] == '/' && p->at[1] == '*') {
            const char *s = p->at + 2;
            while (p->end - s >= 2 && (s[0] != '*' || s[1] != '/'))
                s++;
            if (p->end - s < 2) return false; /* a comment without end is none */
            p->at = s + 2;
        } else {
            bool comment = left && (*p->at == ';' || (left >= 2 && p->at[0] == '/' && p->at[1] == '/'));
            if (comment) p->end = p->at;
            return p->at == p->end;
        }
    }
}

static bool peek(ez_parser *p, char c) { return !ez_parse_blank(p) && *p->at == c; }

static bool take(ez_parser *p, char c) {
    if (!peek(p, c)) return false;
    p->at++;
    return true;
}

static bool is_name_start(char c) { return isalpha((unsigned char)c) || c == '_'; }
static bool is_dotted_name(const char *s, const char *end) {
    return end - s > 1 && s[0] == '.' && is_name_start(s[1]);
}
static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.'; }

/* The name that begins here; its length, 0 when none. */
static unsigned name_here(ez_parser *p) {
    const char *s = p->at;
    if (ez_parse_blank(p)) return 0;
    s = p->at;
    if (!is_name_start(*s) && !is_dotted_name(s, p->end)) return 0;
    while (s < p->end && is_name(*s))
        s++;
    return (unsigned)(s - p->at);
}

static bool take_name(ez_parser *p, const char *name) {
    unsigned n = name_here(p);
    if (n != strlen(name) || memcmp(p->at, name, n)) return false;
    p->at += n;
    return true;
}

/* ---- numbers and expressions ---- */


/* An expression: a number, or what the symbols of the assembler make of it. */
static ez_status parse_term(ez_parser *p, bool bars, ez_term *term) {
    ez_cursor c = {p->start, p->at, p->end, p->err, p->names};
    ez_status status = bars ? ez_read_primary(&c, term) : ez_read_expression(&c, term);
    p->at = c.at;
    return status;
}

/* An expression whose value must be known. */
static ez_status parse_expression(ez_parser *p, uint64_t *value) {
    ez_term term;
    ez_parse_blank(p);
    unsigned at = column(p);
    ez_status status = parse_term(p, false, &term);
    if (status) return status;
    if (term.node) return ez_fail_at(p->err, EZ_ERR_SYNTAX, at, "expected absolute expression");
    *value = term.value;
    return EZ_OK;
}

static ez_status parse_register(ez_parser *p, ez_item *item, bool *found);

/* Whether a register stands here; moves nothing. */
static bool register_here(const ez_parser *p) {
    ez_parser look = *p;
    ez_error ignored;
    ez_item item = {0};
    bool found = false;
    look.err = &ignored;
    return name_here(&look) && (parse_register(&look, &item, &found) || found);
}

/* An integer expression or a float number, with its minus. Between bars there is no operator of two operands. */
static ez_status parse_number(ez_parser *p, ez_item *item, bool bars) {
    const char *sign = p->at;
    bool minus = take(p, '-');
    ez_parse_blank(p);
    ez_cursor c = {p->start, p->at, p->end, p->err, NULL};
    if (ez_float_here(&c)) {
        item->kind = EZ_ITEM_FLOAT;
        if (ez_read_float(&c, &item->value)) return EZ_ERR_SYNTAX;
        p->at = c.at;
        if (minus) item->value ^= UINT64_C(1) << 63;
        return EZ_OK;
    }
    ez_term term = {0};
    p->at = sign;
    item->kind = EZ_ITEM_INT;
    ez_status status = parse_term(p, bars, &term);
    item->value = term.value;
    item->node = term.node;
    return status;
}

/* ---- registers ---- */

/* The operand code of a named register, with the size it is named for; false when it is no register. */
static bool named_register(ez_parser *p, const char *name, unsigned n, ez_item *item,
                           const ez_special **lacking) {
    unsigned index = (unsigned)(p->target - ez_targets);
    for (const ez_special *s = ez_specials; s->name; s++) {
        const char *candidates[] = {s->name, s->pair};
        for (unsigned i = 0; i < 2; i++) {
            const char *c = candidates[i];
            if (!c) continue;
            bool alias = !strncmp(c, "src_", 4) && strlen(c + 4) == n && !memcmp(c + 4, name, n);
            if (!alias && (strlen(c) != n || memcmp(c, name, n))) continue;
            if (!((s->assembles & s->decodes) >> index & 1)) {
                *lacking = s;
                continue;
            }
            item->kind = EZ_ITEM_SCALAR;
            item->code = s->code;
            /* one name for both sizes, such as null or src_shared_base: dwords 0 fits either */
            item->dwords = s->pair && !strcmp(s->name, s->pair) ? 0 : (uint8_t)(i + 1);
            return true;
        }
    }
    return false;
}

/* Where register `index` of a file lies among the operand codes; checks that the target has it. */
static ez_status finish_register(ez_parser *p, char file, uint64_t first, uint64_t last,
                                 unsigned at, ez_item *item) {
    unsigned first_ttmp = ez_has(p->target, EZ_HAS_ttmp_16) ? 108 : 112;
    unsigned limit = file == 's' ? 106 : file == 't' ? 16 : 256;
    if (last < first)
        return ez_fail_at(p->err, EZ_ERR_SYNTAX, at,
                          "first register index should not exceed second index");
    if (last >= limit || last - first >= 32)
        return ez_fail_at(p->err, EZ_ERR_SYNTAX, item->inner_column,
                          "register index is out of range: expected 0 to %u", limit - 1);
    uint64_t count = last - first + 1;
    if ((file == 's' || file == 't') && first % (count < 4 ? count == 3 ? 4 : count : 4))
        return ez_fail_at(p->err, EZ_ERR_SYNTAX, item->inner_column,
                          "invalid register alignment: %u scalar registers begin at a multiple of %u",
                          (unsigned)count, count < 3 ? (unsigned)count : 4);
    if (count > 12 && count != 16 && count != 32)
        return ez_fail_at(p->err, EZ_ERR_SYNTAX, item->inner_column,
                          "invalid or unsupported register size: expected 1 to 12, 16 or 32 registers");
    unsigned here = file == 's' ? ez_has(p->target, EZ_HAS_sgpr_106) ? 106 : 102
                    : file == 't' ? 124 - first_ttmp
                                  : limit;
    if (last >= here)
        return ez_fail_at(p->err, EZ_ERR_ENCODE, item->inner_column,
                          "%s%u register not available on this GPU (%s)", file == 's' ? "s" : "ttmp",
                          (unsigned)last, p->target->name);
    item->kind = file == 'v' ? EZ_ITEM_VGPR : file == 'a' ? EZ_ITEM_AGPR : EZ_ITEM_SCALAR;
    item->code = (uint16_t)(first + (file == 't' ? first_ttmp : 0));
    item->dwords = (uint8_t)count;
    return EZ_OK;
}

/* The index of a register; *at is its column. */
static ez_status register_index(ez_parser *p, uint64_t *index, unsigned *at) {
    ez_parse_blank(p);
    *at = column(p);
    return parse_expression(p, index);
}

/* [4:5] or [4], and a half of a single register behind it: .l or .h */
static ez_status register_range(ez_parser *p, ez_item *item, uint64_t *first, uint64_t *last, unsigned *at) {
    unsigned second;
    take(p, '[');
    if (register_index(p, first, at)) return EZ_ERR_SYNTAX;
    *last = *first;
    second = *at;
    if (take(p, ':') && register_index(p, last, &second)) return EZ_ERR_SYNTAX;
    if (!take(p, ']')) FAIL("expected a closing square bracket");
    if (*first > UINT32_MAX || *last > UINT32_MAX)
        return ez_fail_at(p->err, EZ_ERR_SYNTAX, *first > UINT32_MAX ? *at : second, "invalid register index");
    if (*first == *last && name_here(p) == 2 && p->at[0] == '.' && (p->at[1] == 'l' || p->at[1] == 'h')) {
        item->half = p->at[1];
        p->at += 2;
    }
    return EZ_OK;
}

/* v5, v[4:5], s[2], ttmp3: the file's name is read already, `digits` holds what follows it */
static ez_status indexed_register(ez_parser *p, char file, const char *digits, unsigned n,
                                  ez_item *item) {
    uint64_t first = 0, last;
    unsigned at = column(p);
    for (unsigned i = 0; i < n; i++)
        first = first > 9999 ? first : first * 10 + (uint64_t)(digits[i] - '0');
    last = first;
    if (!n && register_range(p, item, &first, &last, &at)) return EZ_ERR_SYNTAX;
    if (item->half && file != 'v')
        return ez_fail_at(p->err, EZ_ERR_ENCODE, item->inner_column,
                          "invalid operand for instruction: only a VGPR has halves");
    if (finish_register(p, file, first, last, at, item)) return p->err ? p->err->status : EZ_ERR_SYNTAX;
    return EZ_OK;
}

/* Whether the character stands next, behind blanks; moves nothing. */
static bool next_is(const ez_parser *p, const char *from, char c) {
    ez_parser look = *p;
    look.at = from;
    return peek(&look, c);
}

/* A register by name. *found says whether there was one. */
static ez_status parse_register(ez_parser *p, ez_item *item, bool *found) {
    static const char *const files[] = {"v", "s", "a", "ttmp"};
    unsigned n = name_here(p);
    const char *name = p->at;
    *found = !p->exports || p->count > 1;
    if (!*found) return EZ_OK;
    for (unsigned i = 0; i < 4; i++) {
        unsigned f = (unsigned)strlen(files[i]);
        if (n < f || memcmp(name, files[i], f)) continue;
        unsigned digits = 0;
        while (f + digits < n && isdigit((unsigned char)name[f + digits]))
            digits++;
        bool bracket = n == f && next_is(p, name + n, '[');
        unsigned rest = n - f - digits;
        bool half = digits && rest == 2 && (i == 0 || files[i][0] == 's') && name[n - 2] == '.' &&
                    (name[n - 1] == 'l' || name[n - 1] == 'h');
        if ((digits && !rest) || half || bracket) {
            if (half) item->half = name[n - 1];
            p->at += n;
            return indexed_register(p, files[i][0], name + f, digits, item);
        }
    }
    const ez_special *lacking = NULL;
    if (n && named_register(p, name, n, item, &lacking)) {
        p->at += n;
        return EZ_OK;
    }
    if (lacking)
        return ez_fail_at(p->err, EZ_ERR_ENCODE, item->inner_column,
                          lacking->pair && !strcmp(lacking->name, "null")
                              ? "'%s' operand is not supported on this GPU (%s)"
                          : !strcmp(lacking->name, "src_lds_direct")
                              ? "%s is not supported on this GPU (%s)"
                              : "%s register not available on this GPU (%s)",
                          !strcmp(lacking->name, "src_lds_direct") ? "lds_direct" : lacking->name,
                          p->target->name);
    *found = false;
    return EZ_OK;
}

static ez_status parse_register_list(ez_parser *p, ez_item *item);

/* A register within a list, or a list again. */
static ez_status parse_listed(ez_parser *p, ez_item *item) {
    bool found = true;
    ez_parse_blank(p);
    item->inner_column = column(p);
    if (p->at < p->end && *p->at == '[') {
        bool of_image = p->image;
        p->image = false;
        ez_status status = parse_register_list(p, item);
        p->image = of_image;
        bool apart = item->name_column && (!item->wide_part || item->name_column < item->wide_part);
        if (!status && item->wide_part && !apart)
            return ez_fail_at(p->err, EZ_ERR_SYNTAX, item->wide_part, "expected a single 32-bit register");
        if (!status && apart)
            return ez_fail_at(p->err, EZ_ERR_SYNTAX, item->name_column, "registers in a list must have consecutive indices");
        return status;
    }
    if (parse_register(p, item, &found)) return EZ_ERR_SYNTAX;
    if (!found) FAIL("expected a register");
    return EZ_OK;
}

/* Scalar registers with codes that follow each other: SGPRs, ttmps, or a named pair. */
static ez_status check_scalar_list(ez_parser *p, const ez_item *item, unsigned at) {
    unsigned first_ttmp = ez_has(p->target, EZ_HAS_ttmp_16) ? 108 : 112, last = item->code + item->dwords - 1u;
    unsigned sgprs = ez_has(p->target, EZ_HAS_sgpr_106) ? 106 : 102;
    bool trap = item->code >= first_ttmp && last <= EZ_CODE_TTMP_LAST, sgpr = item->code < sgprs;
    ez_item whole = {.inner_column = at};
    if (trap) return finish_register(p, 't', item->code - first_ttmp, last - first_ttmp, at, &whole);
    if (sgpr) return finish_register(p, 's', item->code, last, at, &whole);
    if (item->dwords == 2 && item->code % 2 == 0) return EZ_OK;
    return ez_fail_at(p->err, EZ_ERR_SYNTAX, at, "registers in a list must have consecutive indices");
}

/* [v1] or [v1,v2,...] of consecutive registers. The second operand of an image is a list of any registers where such lists
 * exist. */
static ez_status parse_register_list(ez_parser *p, ez_item *item) {
    const char *begin = p->at++;
    unsigned apart = 0; /* column of the first register that does not follow the one before */
    bool several = false, image = p->image && p->count == 2;
    unsigned bracket = item->inner_column;
    if (parse_listed(p, item)) return EZ_ERR_SYNTAX;
    unsigned wide_part = item->dwords > 1 ? item->inner_column : 0;
    if (!image) item->inner_column = bracket;
    while (take(p, ',')) {
        ez_item next = {0};
        bool bad = parse_listed(p, &next);
        if (apart && !image && (bad || next.kind != EZ_ITEM_VGPR || next.half))
            return ez_fail_at(p->err, EZ_ERR_SYNTAX, apart, "registers in a list must have consecutive indices");
        if (bad) return EZ_ERR_SYNTAX;
        bool vgprs = next.kind == EZ_ITEM_VGPR && item->kind == EZ_ITEM_VGPR && !next.half && !item->half;
        if (next.kind != item->kind || next.half || next.code != item->code + item->dwords) {
            if (!apart) apart = next.inner_column;
            if (!vgprs && !image)
                return ez_fail_at(p->err, EZ_ERR_SYNTAX, next.inner_column,
                                  "registers in a list must have consecutive indices");
        }
        several = true;
        if (next.dwords > 1 && !wide_part) wide_part = next.inner_column;
        item->dwords = (uint8_t)(item->dwords + next.dwords);
    }
    if (!peek(p, ']') && apart && !image)
        return ez_fail_at(p->err, EZ_ERR_SYNTAX, apart, "registers in a list must have consecutive indices");
    if (!take(p, ']')) FAIL("expected a comma or a closing square bracket");
    if (several && !apart && !image && item->kind == EZ_ITEM_SCALAR && check_scalar_list(p, item, bracket)) return EZ_ERR_SYNTAX;
    item->list = true;
    if (several) { /* an image address looks at the parts */
        item->name = begin;
        item->name_length = (unsigned)(p->at - begin);
    }
    if (apart) /* VGPRs of an image address */
        *item = (ez_item){.kind = EZ_ITEM_TEXT, .column = item->column, .inner_column = item->inner_column, .comma = item->comma,
                          .neg = item->neg, .abs = item->abs, .sext = item->sext, .name = begin, .name_length = (unsigned)(p->at - begin), .name_column = apart};
    item->wide_part = wide_part;
    return EZ_OK;
}

/* ---- modifiers ---- */

/* Whether the name here stands for a number. */
static bool number_named_here(ez_parser *p) {
    ez_term term;
    unsigned n = p->names ? name_here(p) : 0;
    return n && !p->names->symbol(p->names->user, p->at, n, p->at, 0, &term) && !term.node;
}

/* Whether an expression that begins with a name stands here, and not a modifier or the name alone. */
static bool expression_here(ez_parser *p) {
    unsigned n = p->names ? name_here(p) : 0;
    if (!n) return false;
    ez_cursor c = {p->start, p->at, p->end, NULL, NULL};
    c.at += ez_read_name(&c);
    if ((size_t)(c.at - p->at) > n) return true; /* a name with a dollar sign */
    if (ez_read_blank(&c)) return false;
    if (*c.at == '(' && p->names->call) {
        ez_term term;
        bool known = false;
        p->names->call(p->names->user, p->at, n, NULL, 0, &term, &known);
        return known;
    }
    return strchr("@+-*/%<>=!&|^", *c.at) != NULL;
}

/* ---- text that the class of an operand or a modifier reads itself ---- */

/* Moves behind the bracket that closes the one at p->at, or to the end. */
static void skip_brackets(ez_parser *p) {
    int depth = 0;
    for (; p->at < p->end; p->at++) {
        if (strchr("([{", *p->at)) depth++;
        else if (strchr(")]}", *p->at) && --depth <= 0) {
            p->at++;
            return;
        }
    }
}

/* Whether hwreg(...), vmcnt(0) & lgkmcnt(0), {id: 1} or the like begins here. */
static bool text_here(ez_parser *p) {
    static const char *const names[] = {"hwreg", "sendmsg", "gpr_idx", "instid0", "instid1", "instskip"};
    const char *save = p->at;
    unsigned n = name_here(p), counter = n > 4 && !memcmp(p->at + n - 4, "_sat", 4) ? n - 4 : n;
    if (*p->at == '{') return true;
    bool known = ez_symbol_find(p->target, EZ_SYM_waitcnt, p->at, counter) ||
                 ez_symbol_find(p->target, EZ_SYM_depctr, p->at, counter);
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        known |= strlen(names[i]) == n && !memcmp(names[i], p->at, n);
    p->at += n;
    known = n && known && peek(p, '(');
    p->at = save;
    return known;
}

/* Whether a call and nothing behind it is the text of an operand: not of counters and delays. */
static bool one_call_here(ez_parser *p) {
    static const char *const names[] = {"hwreg", "sendmsg", "gpr_idx"};
    const char *save = p->at;
    bool here = *p->at == '{';
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        here |= take_name(p, names[i]);
    p->at = save;
    return here;
}

/* Whether an expression with names of versions begins here: of s_version alone. */
static bool version_here(const ez_parser *p) {
    static const char name[] = "UC_VERSION_";
    if (!strchr("(0123456789U", *p->at)) return false;
    for (const char *s = p->at; p->end - s >= (long)strlen(name); s++)
        if (!memcmp(s, name, strlen(name))) return true;
    return false;
}

/* A call, or all up to the next comma outside of brackets, a comment or the end. */
static ez_status parse_text(ez_parser *p, ez_item *item) {
    bool one = one_call_here(p);
    item->kind = EZ_ITEM_TEXT;
    item->name = p->at;
    const char *end = p->at;
    while (!ez_parse_blank(p) && *p->at != ',') {
        bool brackets = strchr("([{", *p->at) != NULL;
        if (brackets) skip_brackets(p);
        else p->at++;
        end = p->at;
        if (one && brackets) break;
    }
    item->name_length = (unsigned)(end - item->name);
    return EZ_OK;
}

/* Whether the value of a modifier is neither a number nor a name: format:[NAME,NAME], dim:2D, offset:swizzle(...). */
static bool grammar_of_its_own(ez_parser *p, const ez_item *item) {
    const char *s = p->at;
    if (s == p->end) return false;
    if (item->bracket) return is_name_start(*s);
    if (*s >= '1' && *s <= '9') {
        while (s < p->end && isdigit((unsigned char)*s))
            s++;
        return s < p->end && *s == 'D';
    }
    unsigned n = name_here(p);
    return n == 7 && !memcmp(s, "swizzle", 7);
}

static ez_status take_value_text(ez_parser *p, ez_item *item) {
    item->word = p->at;
    if (item->bracket) {
        while (p->at < p->end && *p->at != ']')
            p->at++;
        item->word_length = (unsigned)(p->at - item->word);
        if (!take(p, ']')) FAIL("expected a closing square bracket");
        return EZ_OK;
    }
    while (p->at < p->end && is_name(*p->at))
        p->at++;
    if (!strncmp(item->word, "swizzle", 7) && peek(p, '(')) skip_brackets(p);
    item->word_length = (unsigned)(p->at - item->word);
    return EZ_OK;
}

/* Whether the :: before the second half of a dual-issue instruction stands here. */
static bool second_here(const ez_parser *p) { return p->end - p->at > 1 && p->at[0] == ':' && p->at[1] == ':'; }

/* What stands behind the colon of name:value, name:[values] or name:WORD. */
static ez_status parse_value(ez_parser *p, ez_item *item) {
    item->bracket = take(p, '[');
    ez_parse_blank(p);
    item->columns[0] = column(p);
    if (grammar_of_its_own(p, item)) return take_value_text(p, item);
    if (!item->bracket && !number_named_here(p) && (item->word_length = name_here(p))) {
        item->word = p->at;
        p->at += item->word_length;
        if (p->at == p->end || *p->at != ':') return EZ_OK;
        p->at -= item->word_length; /* the next modifier already */
        FAIL("expected a value");
    }
    do {
        ez_parse_blank(p);
        unsigned n = item->count++;
        uint64_t value = 0;
        item->columns[n] = column(p);
        item->ends[n] = UINT_MAX; /* behind whatever else may be wrong, if the value cannot be read */
        if (parse_expression(p, &value)) return EZ_ERR_SYNTAX;
        item->values[n] = (int64_t)value;
        ez_parse_blank(p);
        item->ends[n] = column(p);
    } while (item->bracket && item->count < EZ_ITEM_VALUES && take(p, ','));
    if (item->bracket && !take(p, ']')) FAIL("expected a comma or a closing square bracket");
    return EZ_OK;
}

/* A modifier: a bare name, or one with a value. A value that cannot be read is an error only when the
 * instruction takes the modifier; it ends the line. */
static ez_status parse_word(ez_parser *p, ez_item *item) {
    item->kind = EZ_ITEM_WORD;
    item->name = p->at;
    item->name_length = name_here(p);
    bool comment = p->end - p->at > 1 && p->at[0] == '/' && p->at[1] == '*';
    if (!item->name_length)
        FAIL(comment ? "unterminated comment: expected */ on this line or a later one"
                     : "unknown token: expected a register, a number or a modifier");
    const char *end = p->at += item->name_length;
    item->colon = peek(p, ':') && !second_here(p);
    item->after = p->at == p->end ? (unsigned)(end - p->start) + 1 : column(p);
    if (!item->colon) {
        p->at = end;
        /* name+1 and the like are one item, which no instruction takes */
        if (p->at < p->end && strchr("+-*/%&^", *p->at))
            while (p->at < p->end && *p->at != ' ' && *p->at != ',')
                p->at++;
        item->name_length = (unsigned)(p->at - item->name);
        return EZ_OK;
    }
    p->at++;
    if (parse_value(p, item)) {
        item->bad = *p->err;
        p->at = p->end;
    }
    return EZ_OK;
}

/* ---- one operand ---- */

/* Whether a name followed by '(' stands here. */
static bool call_here(ez_parser *p, const char *name) {
    const char *save = p->at;
    bool here = take_name(p, name) && peek(p, '(');
    p->at = save;
    return here;
}

/* Whether a name stands here that cannot be a symbol where its parenthesis may follow. */
static bool sign_named_here(ez_parser *p) {
    static const char *const names[] = {"neg", "abs", "sext", "lit"};
    const char *save = p->at;
    bool here = false;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        here |= take_name(p, names[i]);
    p->at = save;
    return here;
}

/* A bar; two together are an operator. */
static bool bar_here(ez_parser *p) { return peek(p, '|') && !(p->end - p->at > 1 && p->at[1] == '|'); }

static bool take_bar(ez_parser *p) { return bar_here(p) && take(p, '|'); }

/* Whether a bar, neg(, abs( or sext( stands here. */
static bool sign_here(ez_parser *p) {
    return bar_here(p) || call_here(p, "neg") || call_here(p, "abs") || call_here(p, "sext");
}

/* Whether there is a minus here that belongs to what follows it, a register, and not to a number. */
static bool minus_here(ez_parser *p, bool (*follows)(ez_parser *)) {
    const char *save = p->at;
    bool here = take(p, '-') && (register_here(p) || follows(p));
    p->at = save;
    return here;
}

static bool absolute_here(ez_parser *p) { return bar_here(p) || call_here(p, "abs"); }

/* A number or a name that may stand for one, but no modifier. */
static bool number_here(ez_parser *p) {
    if (ez_parse_blank(p)) return false;
    unsigned n = p->names ? name_here(p) : 0;
    return n ? !next_is(p, p->at + n, ':') : strchr("0123456789.-~!('+$\"", *p->at) != NULL;
}

static ez_status parse_plain(ez_parser *p, ez_item *item, bool bars);

/* lit(number) and lit64(number): a literal also where an inline constant would do. */
static ez_status parse_literal(ez_parser *p, ez_item *item, bool bars) {
    item->wide_literal = !take_name(p, "lit");
    if (item->wide_literal && !bars && !ez_has(p->target, EZ_HAS_lit64))
        FAIL("lit64 is not supported on this GPU (%s)", p->target->name);
    if (item->wide_literal) take_name(p, "lit64");
    take(p, '(');
    item->forced_literal = true;
    ez_parse_blank(p);
    unsigned at = column(p);
    bool inner = !bars && take_bar(p);
    item->abs |= inner;
    if (register_here(p)) return ez_fail_at(p->err, EZ_ERR_SYNTAX, at, "expected a number within lit(...)");
    if (parse_plain(p, item, bars || inner)) return EZ_ERR_SYNTAX;
    if (item->node) FAIL("expected a number within lit(...) whose value is known");
    if (inner && !take_bar(p)) FAIL("expected a vertical bar");
    if (!take(p, ')')) FAIL("expected a closing parenthesis");
    return EZ_OK;
}

/* A register or a number. */
static ez_status parse_plain(ez_parser *p, ez_item *item, bool bars) {
    bool found = false;
    ez_parse_blank(p);
    item->inner_column = column(p);
    if (peek(p, '[') && item->forced_literal) FAIL("expected a number within lit(...)");
    if (peek(p, '[')) return parse_register_list(p, item);
    if (parse_register(p, item, &found)) return p->err->status;
    if (found) return EZ_OK;
    if (sign_here(p) || minus_here(p, sign_here)) FAIL("expected a register or a number");
    if (!item->forced_literal && (call_here(p, "lit") || call_here(p, "lit64")))
        return parse_literal(p, item, bars || item->sext);
    if (!number_here(p)) FAIL("expected a register or a number");
    return parse_number(p, item, bars);
}

/* A register or number within what negates it or takes its absolute value: -x, |x|, neg(x), abs(x), in llvm-mc's order,
 * or sext(x). */
static ez_status parse_signed(ez_parser *p, ez_item *item) {
    bool minus = minus_here(p, absolute_here), neg = false, abs = false;
    if (minus) take(p, '-');
    item->sext = !minus && call_here(p, "sext") && take_name(p, "sext");
    if (!item->sext) {
        neg = !minus && call_here(p, "neg") && take_name(p, "neg") && take(p, '(');
        abs = call_here(p, "abs") && take_name(p, "abs") && take(p, '(');
    }
    if (item->sext) take(p, '(');
    bool bar = !item->sext && !abs && take_bar(p);
    item->neg = minus || neg;
    item->abs = abs || bar;
    if (parse_plain(p, item, bar)) return EZ_ERR_SYNTAX;
    if (bar || item->sext) item->forced_literal = item->wide_literal = false; /* llvm-mc forgets it here */
    if (item->node && (item->neg || item->abs || item->sext))
        return ez_fail_at(p->err, EZ_ERR_SYNTAX, item->inner_column, "expected an absolute expression");
    if (bar && !take_bar(p)) FAIL("expected a vertical bar");
    for (int open = neg + abs + item->sext; open; open--)
        if (!take(p, ')')) FAIL("expected a closing parenthesis");
    return EZ_OK;
}

/* ---- one item ---- */

static ez_status parse_item(ez_parser *p, ez_item *item) {
    item->column = item->inner_column = column(p);
    bool text = p->texts >> (p->count - 1) & 1;
    if (text && version_here(p)) return parse_text(p, item);
    item->double_minus = *p->at == '-' && next_is(p, p->at + 1, '-');
    bool number = strchr("0123456789.-~!('+$\"", *p->at) && !is_dotted_name(p->at, p->end);
    if (*p->at == '[' || number || sign_here(p) || call_here(p, "lit") || call_here(p, "lit64"))
        return parse_signed(p, item);
    if (text && text_here(p)) return parse_text(p, item);
    bool found;
    if (parse_register(p, item, &found)) return p->err->status;
    if (found) return EZ_OK;
    if (take_name(p, "off")) {
        item->kind = EZ_ITEM_OFF;
        return EZ_OK;
    }
    if (!sign_named_here(p) && expression_here(p)) return parse_number(p, item, false);
    return parse_word(p, item);
}

/* :: and the name of the second half of a dual-issue instruction */
static ez_status parse_second(ez_parser *p, ez_item *item) {
    item->kind = EZ_ITEM_DUAL;
    item->column = item->inner_column = column(p);
    p->at += 2;
    if (!(item->name_length = name_here(p))) FAIL("expected the name of the second instruction");
    item->name = p->at;
    item->name_column = column(p);
    p->at += item->name_length;
    return EZ_OK;
}

ez_status ez_parse_items(ez_parser *p) {
    bool comma = false;
    while (!ez_parse_blank(p)) {
        if (p->count == EZ_ITEM_MAX) FAIL("too many operands for instruction");
        ez_item *item = &p->items[p->count++];
        *item = (ez_item){.comma = comma};
        if (second_here(p) ? parse_second(p, item) : parse_item(p, item)) {
            item->kind = EZ_ITEM_INT; /* said when what stands before it has been looked at */
            item->bad = *p->err;
            p->at = p->end;
        }
        comma = take(p, ',');
    }
    return EZ_OK;
}
