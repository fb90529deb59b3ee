/* SPDX-License-Identifier: Apache-2.0 */
/* From characters to items: registers, numbers and modifiers, without knowledge of the instruction. */
#include "text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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
            p->at = p->end - s >= 2 ? s + 2 : p->end;
        } else {
            if (!left || *p->at == ';' || (left >= 2 && p->at[0] == '/' && p->at[1] == '/'))
                p->at = p->end;
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
static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The name that begins here; its length, 0 when none. */
static unsigned name_here(ez_parser *p) {
    const char *s = p->at;
    if (ez_parse_blank(p) || !is_name_start(*(s = p->at))) return 0;
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

enum { NUMBER_ROOM = 64, EXPRESSION_DEPTH = 32 };

/* Whether the number that begins here has a point or an exponent. */
static bool float_here(const ez_parser *p) {
    const char *s = p->at;
    bool hex = p->end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    if (hex) s += 2;
    for (; s < p->end && (hex ? isxdigit((unsigned char)*s) : isdigit((unsigned char)*s)); s++)
        ;
    return s < p->end && (*s == '.' || (hex ? *s == 'p' || *s == 'P' : *s == 'e' || *s == 'E'));
}

static ez_status number_text(ez_parser *p, char *text) {
    const char *s = p->at;
    unsigned n = 0;
    while (s < p->end && (is_name(*s) || *s == '.' ||
                          ((*s == '+' || *s == '-') && s > p->at && strchr("eEpP", s[-1]) &&
                           float_here(p)))) {
        if (n + 1 == NUMBER_ROOM) FAIL("a number of this length is not supported");
        text[n++] = *s++;
    }
    text[n] = 0;
    return EZ_OK;
}

static ez_status parse_float(ez_parser *p, uint64_t *bits) {
    char text[NUMBER_ROOM], *end;
    if (number_text(p, text)) return EZ_ERR_SYNTAX;
    double value = strtod(text, &end);
    if (*end) FAIL("expected a float number, not '%s'", text);
    memcpy(bits, &value, sizeof *bits);
    p->at += end - text;
    return EZ_OK;
}

static ez_status parse_integer(ez_parser *p, uint64_t *value) {
    char text[NUMBER_ROOM];
    if (number_text(p, text)) return EZ_ERR_SYNTAX;
    unsigned base = 10;
    const char *digits = text;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        digits += 2;
    } else if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) {
        base = 2;
        digits += 2;
    } else if (text[0] == '0') {
        base = 8;
    }
    *value = 0;
    if (!*digits) FAIL("expected a number, not '%s'", text);
    for (const char *s = digits; *s; s++) {
        unsigned digit = isdigit((unsigned char)*s) ? (unsigned)(*s - '0')
                         : isxdigit((unsigned char)*s) ? (unsigned)(tolower(*s) - 'a' + 10)
                                                       : 99;
        if (digit >= base) FAIL("expected a number, not '%s'", text);
        if (*value > (UINT64_MAX - digit) / base) FAIL("a number of 64 bits at most is expected");
        *value = *value * base + digit;
    }
    p->at += strlen(text);
    return EZ_OK;
}

static ez_status parse_expression(ez_parser *p, int level, unsigned depth, uint64_t *value);

static ez_status parse_primary(ez_parser *p, unsigned depth, uint64_t *value) {
    if (depth > EXPRESSION_DEPTH) FAIL("the expression is nested too deeply");
    if (ez_parse_blank(p)) FAIL("expected a number");
    char c = *p->at;
    if (c == '-' || c == '~' || c == '!' || c == '+') {
        p->at++;
        if (parse_primary(p, depth + 1, value)) return EZ_ERR_SYNTAX;
        *value = c == '-' ? 0 - *value : c == '~' ? ~*value : c == '!' ? !*value : *value;
        return EZ_OK;
    }
    if (c == '(') {
        p->at++;
        if (parse_expression(p, 0, depth + 1, value)) return EZ_ERR_SYNTAX;
        if (!take(p, ')')) FAIL("expected a closing parenthesis");
        return EZ_OK;
    }
    if (c == '\'' && p->end - p->at >= 3 && p->at[2] == '\'') {
        *value = (unsigned char)p->at[1];
        p->at += 3;
        return EZ_OK;
    }
    if (isdigit((unsigned char)c)) return parse_integer(p, value);
    FAIL("expected a number");
}

/* Binary operators by rising precedence. */
static const struct {
    const char *text;
    int level;
} operators[] = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4}, {"&", 5}, {"==", 6}, {"!=", 6},
                 {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"<", 7}, {">", 7},
                 {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};

static int operator_here(ez_parser *p) {
    if (ez_parse_blank(p)) return -1;
    for (unsigned i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        size_t n = strlen(operators[i].text);
        if ((size_t)(p->end - p->at) >= n && !memcmp(p->at, operators[i].text, n)) return (int)i;
    }
    return -1;
}

static bool apply(const char *op, uint64_t a, uint64_t b, uint64_t *out) {
    int64_t x = (int64_t)a, y = (int64_t)b;
    bool divides = op[0] == '/' || op[0] == '%';
    if (divides && (!b || (x == INT64_MIN && y == -1))) return false;
    switch (op[0] + (op[1] ? 256 * op[1] : 0)) {
    case '|': *out = a | b; break;
    case '^': *out = a ^ b; break;
    case '&': *out = a & b; break;
    case '+': *out = a + b; break;
    case '-': *out = a - b; break;
    case '*': *out = a * b; break;
    case '/': *out = (uint64_t)(x / y); break;
    case '%': *out = (uint64_t)(x % y); break;
    case '<': *out = x < y; break;
    case '>': *out = x > y; break;
    case '<' + 256 * '<': *out = b < 64 ? a << b : 0; break;
    case '>' + 256 * '>': *out = b < 64 ? (uint64_t)(x >> b) : 0; break;
    case '<' + 256 * '=': *out = x <= y; break;
    case '>' + 256 * '=': *out = x >= y; break;
    case '=' + 256 * '=': *out = a == b; break;
    case '!' + 256 * '=': *out = a != b; break;
    case '&' + 256 * '&': *out = a && b; break;
    default: *out = a || b; break;
    }
    return true;
}

static ez_status parse_expression(ez_parser *p, int level, unsigned depth, uint64_t *value) {
    if (parse_primary(p, depth, value)) return EZ_ERR_SYNTAX;
    for (int op; (op = operator_here(p)) >= 0 && operators[op].level > level;) {
        uint64_t right;
        p->at += strlen(operators[op].text);
        if (parse_expression(p, operators[op].level, depth + 1, &right)) return EZ_ERR_SYNTAX;
        if (!apply(operators[op].text, *value, right, value)) FAIL("division by zero");
    }
    return EZ_OK;
}

/* An integer expression or a float number, with its minus. */
static ez_status parse_number(ez_parser *p, ez_item *item) {
    const char *sign = p->at;
    bool minus = take(p, '-');
    if (!ez_parse_blank(p) && (isdigit((unsigned char)*p->at) || *p->at == '.') && float_here(p)) {
        item->kind = EZ_ITEM_FLOAT;
        if (parse_float(p, &item->value)) return EZ_ERR_SYNTAX;
        if (minus) item->value ^= UINT64_C(1) << 63;
        return EZ_OK;
    }
    p->at = sign;
    item->kind = EZ_ITEM_INT;
    /* a bar ends a number inside |...| */
    return parse_expression(p, item->abs ? 3 : 0, 0, &item->value);
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
            if (!(s->assembles >> index & 1)) {
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

/* v5, v[4:5], s[2], ttmp3: the file's name is read already, `digits` holds what follows it */
static ez_status indexed_register(ez_parser *p, char file, const char *digits, unsigned n,
                                  ez_item *item) {
    uint64_t first = 0, last;
    unsigned at = column(p);
    for (unsigned i = 0; i < n; i++)
        first = first > 9999 ? first : first * 10 + (uint64_t)(digits[i] - '0');
    last = first;
    if (!n) { /* in brackets */
        p->at++;
        at = column(p);
        if (parse_expression(p, 0, 0, &first)) return EZ_ERR_SYNTAX;
        last = first;
        if (take(p, ':') && parse_expression(p, 0, 0, &last)) return EZ_ERR_SYNTAX;
        if (!take(p, ']')) FAIL("expected a closing square bracket");
    }
    if (finish_register(p, file, first, last, at, item)) return p->err ? p->err->status : EZ_ERR_SYNTAX;
    if (p->end - p->at >= 2 && p->at[0] == '.' && (p->at[1] == 'l' || p->at[1] == 'h') &&
        (p->end - p->at == 2 || !is_name(p->at[2])) && file == 'v') {
        item->half = p->at[1];
        p->at += 2;
    }
    return EZ_OK;
}

/* A register by name. *found says whether there was one. */
static ez_status parse_register(ez_parser *p, ez_item *item, bool *found) {
    static const char *const files[] = {"v", "s", "a", "ttmp"};
    unsigned n = name_here(p);
    const char *name = p->at;
    *found = true;
    for (unsigned i = 0; i < 4; i++) {
        unsigned f = (unsigned)strlen(files[i]);
        if (n < f || memcmp(name, files[i], f)) continue;
        unsigned digits = 0;
        while (f + digits < n && isdigit((unsigned char)name[f + digits]))
            digits++;
        bool bracket = n == f && name + n < p->end && name[n] == '[';
        if ((digits && f + digits == n) || bracket) {
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

/* [v1] or [v1,v2,...] of consecutive registers */
static ez_status parse_register_list(ez_parser *p, ez_item *item) {
    p->at++;
    bool found;
    if (parse_register(p, item, &found)) return EZ_ERR_SYNTAX;
    if (!found) FAIL("expected a register");
    while (take(p, ',')) {
        ez_item next = {.inner_column = column(p)};
        if (parse_register(p, &next, &found)) return EZ_ERR_SYNTAX;
        if (!found) FAIL("expected a register");
        if (next.kind != item->kind || next.code != item->code + item->dwords)
            return ez_fail_at(p->err, EZ_ERR_SYNTAX, next.inner_column,
                              "registers in a list must have consecutive indices");
        item->dwords = (uint8_t)(item->dwords + next.dwords);
    }
    if (!take(p, ']')) FAIL("expected a comma or a closing square bracket");
    return EZ_OK;
}

/* ---- modifiers ---- */

/* name:value, name:[values], name:WORD or a bare name */
static ez_status parse_word(ez_parser *p, ez_item *item) {
    item->kind = EZ_ITEM_WORD;
    item->name = p->at;
    item->name_length = name_here(p);
    if (!item->name_length) FAIL("unknown token: expected a register, a number or a modifier");
    p->at += item->name_length;
    if (p->at == p->end || *p->at != ':') return EZ_OK;
    p->at++;
    item->colon = true;
    item->bracket = take(p, '[');
    ez_parse_blank(p);
    item->columns[0] = column(p);
    if (!item->bracket && (item->word_length = name_here(p))) {
        item->word = p->at;
        p->at += item->word_length;
        return EZ_OK;
    }
    do {
        ez_parse_blank(p);
        if (item->count == EZ_ITEM_VALUES) FAIL("expected a closing square bracket");
        item->columns[item->count] = column(p);
        uint64_t value;
        if (parse_expression(p, 0, 0, &value)) return EZ_ERR_SYNTAX;
        item->values[item->count++] = (int64_t)value;
    } while (item->bracket && take(p, ','));
    ez_parse_blank(p);
    item->columns[item->count] = column(p);
    if (item->bracket && !take(p, ']')) FAIL("expected a comma or a closing square bracket");
    return EZ_OK;
}

/* ---- one item ---- */

static ez_status parse_plain(ez_parser *p, ez_item *item) {
    bool found = false;
    ez_parse_blank(p);
    item->inner_column = column(p);
    if (p->at < p->end && *p->at == '[') return parse_register_list(p, item);
    if (parse_register(p, item, &found)) return p->err ? p->err->status : EZ_ERR_SYNTAX;
    if (found) return EZ_OK;
    if (take_name(p, "lit")) {
        if (!take(p, '(')) FAIL("expected a left parenthesis");
        ez_parse_blank(p);
        item->inner_column = column(p);
        item->forced_literal = true;
        if (parse_number(p, item)) return EZ_ERR_SYNTAX;
        if (!take(p, ')')) FAIL("expected a closing parenthesis");
        return EZ_OK;
    }
    if (p->at < p->end && strchr("0123456789.-~!('+", *p->at)) return parse_number(p, item);
    FAIL("expected a register or a number");
}

/* abs(x) or |x| behind an optional minus or neg( */
static ez_status parse_absolute(ez_parser *p, ez_item *item) {
    bool word = take_name(p, "abs");
    if (word && !take(p, '(')) FAIL("expected a left parenthesis after abs");
    if (!word && !take(p, '|')) return parse_plain(p, item);
    item->abs = true;
    ez_parse_blank(p);
    if (p->at < p->end && (*p->at == '|' || (*p->at == '-' && p->end - p->at > 1 && is_name_start(p->at[1]))))
        FAIL("expected a register or a number");
    if (parse_plain(p, item)) return p->err ? p->err->status : EZ_ERR_SYNTAX;
    if (word && !take(p, ')')) FAIL("expected a closing parenthesis");
    if (!word && !take(p, '|')) FAIL("expected a vertical bar");
    return EZ_OK;
}

/* Whether a name followed by '(' stands here. */
static bool call_here(ez_parser *p, const char *name) {
    const char *save = p->at;
    bool here = take_name(p, name) && peek(p, '(');
    p->at = save;
    return here;
}

static ez_status parse_item(ez_parser *p, ez_item *item) {
    item->column = item->inner_column = column(p);
    if (call_here(p, "neg") || call_here(p, "sext")) {
        item->neg = take_name(p, "neg");
        item->sext = !item->neg && take_name(p, "sext");
        take(p, '(');
        ez_status status = item->neg ? parse_absolute(p, item) : parse_plain(p, item);
        if (status) return status;
        if (!take(p, ')')) FAIL("expected a closing parenthesis");
        return EZ_OK;
    }
    if (*p->at == '-') { /* of a register or |x|; of a number it belongs to the number */
        const char *minus = p->at++;
        if (!ez_parse_blank(p) && *p->at == '-' && p->end - p->at > 1 && is_name_start(p->at[1])) {
            p->at = minus;
            FAIL("invalid syntax, expected 'neg' modifier");
        }
        if (p->at < p->end && (*p->at == '|' || is_name_start(*p->at))) {
            item->neg = item->neg_is_minus = true;
            return parse_absolute(p, item);
        }
        p->at = minus;
    }
    if (*p->at == '|' || call_here(p, "abs")) return parse_absolute(p, item);
    if (*p->at == '[' || strchr("0123456789.-~!('+", *p->at) || call_here(p, "lit"))
        return parse_plain(p, item);
    bool found;
    if (parse_register(p, item, &found)) return p->err ? p->err->status : EZ_ERR_SYNTAX;
    if (found) return EZ_OK;
    if (take_name(p, "off")) {
        item->kind = EZ_ITEM_OFF;
        return EZ_OK;
    }
    return parse_word(p, item);
}

ez_status ez_parse_items(ez_parser *p) {
    bool comma = false;
    while (!ez_parse_blank(p)) {
        if (p->count == EZ_ITEM_MAX) FAIL("too many operands for instruction");
        ez_item *item = &p->items[p->count++];
        *item = (ez_item){.comma = comma};
        ez_status status = parse_item(p, item);
        if (status) return status;
        comma = take(p, ',');
    }
    return EZ_OK;
}
