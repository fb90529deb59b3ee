/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of expressions. Precedence and results are those of llvm-mc for ELF targets, GNU as's. */
#include "expression.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define FAIL_AT(where, ...)                                                                        \
    return ez_fail_at(c->err, EZ_ERR_SYNTAX, (unsigned)((where)-c->start) + 1, __VA_ARGS__)
#define FAIL(...) FAIL_AT(c->at, __VA_ARGS__)

enum { NUMBER_ROOM = 1200 }; /* more digits than any double has */

bool ez_read_blank(ez_cursor *c) {
    for (;;) {
        while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\r'))
            c->at++;
        size_t left = (size_t)(c->end - c->at);
        if (!left) return true;
        if (left >= 2 && c->at[0] == '/' && c->at[1] == '*') {
            const char *s = c->at + 2;
            while (c->end - s >= 2 && (s[0] != '*' || s[1] != '/'))
                s++;
            if (c->end - s < 2) return false;
            c->at = s + 2;
        } else {
            if (*c->at == ';' || (left >= 2 && c->at[0] == '/' && c->at[1] == '/')) c->at = c->end;
            return c->at == c->end;
        }
    }
}

static bool name_start(char c) {
    return isalpha((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

size_t ez_read_name(const ez_cursor *c) {
    const char *s = c->at;
    if (s == c->end || !name_start(*s)) return 0;
    while (s < c->end && (name_start(*s) || isdigit((unsigned char)*s)))
        s++;
    return (size_t)(s - c->at);
}

/* ---- numbers ---- */

static bool hex_here(const char *s, const char *end) { return end - s > 1 && s[0] == '0' && (s[1] | 32) == 'x'; }

static int digit_value(char c) {
    if (isdigit((unsigned char)c)) return c - '0';
    return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : 99;
}

static const char *skip_digits(const char *s, const char *end, int base) {
    while (s < end && digit_value(*s) < base)
        s++;
    return s;
}

bool ez_float_here(const ez_cursor *c) {
    const char *s = c->at;
    if (s < c->end && *s == '.') return c->end - s > 1 && isdigit((unsigned char)s[1]);
    bool hex = hex_here(s, c->end);
    const char *end = skip_digits(hex ? s + 2 : s, c->end, hex ? 16 : 10);
    if (end == s || end == c->end) return false;
    if (hex) return *end == '.' || (*end | 32) == 'p';
    /* behind 0 a point alone, for a number that begins with 0 is octal */
    return *s == '0' ? end == s + 1 && *end == '.' : *end == '.' || (*end | 32) == 'e';
}

/* As llvm-mc, an exponent without digits is none; a hexadecimal number must have a whole one. */
ez_status ez_read_float(ez_cursor *c, uint64_t *bits) {
    bool hex = hex_here(c->at, c->end);
    int base = hex ? 16 : 10;
    const char *begin = hex ? c->at + 2 : c->at, *s = skip_digits(begin, c->end, base), *digits;
    bool whole = s > begin, point = s < c->end && *s == '.';
    if (point) s = skip_digits(s + 1, c->end, base);
    const char *mantissa_end = s;
    if (hex && !whole && mantissa_end - begin < 2) FAIL("expected a digit of a hexadecimal number");
    if (!hex && s < c->end && (*s == '+' || *s == '-')) FAIL_AT(s, "invalid sign in a float number");
    bool exponent = s < c->end && (*s | 32) == (hex ? 'p' : 'e');
    if (exponent) s += c->end - s > 1 && (s[1] == '+' || s[1] == '-') ? 2 : 1;
    s = skip_digits(digits = s, exponent ? c->end : s, 10);
    if (hex && s == digits) FAIL("expected the exponent of a hexadecimal float, such as p0");
    size_t length = (size_t)((s > digits ? s : mantissa_end) - c->at);
    char text[NUMBER_ROOM];
    if (length >= sizeof text) FAIL("a number of more than %d characters is not supported", NUMBER_ROOM - 1);
    memcpy(text, c->at, length);
    text[length] = 0;
    double value = strtod(text, NULL);
    memcpy(bits, &value, sizeof *bits);
    c->at = s;
    return EZ_OK;
}

/* Behind an integer, U, L, UL, LL or ULL says nothing. */
static const char *skip_suffix(const char *s, const char *end) {
    if (s < end && (*s | 32) == 'u') s++;
    for (int i = 0; i < 2; i++)
        if (s < end && (*s | 32) == 'l') s++;
    return s;
}

/* What cannot belong to a number ends it. */
static ez_status read_integer(ez_cursor *c, uint64_t *value) {
    int base = 10;
    const char *s = c->at;
    if (c->end - s > 1 && s[0] == '0') {
        char second = (char)tolower((unsigned char)s[1]);
        if (second == 'x') base = 16, s += 2;
        else if (c->end - s > 2 && second == 'b' && isdigit((unsigned char)s[2])) base = 2, s += 2;
        else if (isdigit((unsigned char)second)) base = 8;
    }
    if (s == c->end || digit_value(*s) >= base) FAIL("expected a digit of a %s number", base == 2 ? "binary" : "hexadecimal");
    *value = 0;
    for (; s < c->end && digit_value(*s) < (base == 8 ? 10 : base); s++) {
        int digit = digit_value(*s);
        if (digit >= base) FAIL("expected an octal number, for it begins with 0");
        if (*value > (UINT64_MAX - (unsigned)digit) / (unsigned)base)
            FAIL("a number of 64 bits at most is expected");
        *value = *value * (unsigned)base + (unsigned)digit;
    }
    c->at = skip_suffix(s, c->end);
    return EZ_OK;
}

/* The character between single quotes; behind a backslash any but five is itself. */
static bool read_character(ez_cursor *c, uint64_t *value) {
    static const char from[] = "tnbfr", to[] = "\t\n\b\f\r";
    size_t left = (size_t)(c->end - c->at), escaped = left > 1 && c->at[1] == '\\';
    if (left < 3 + escaped || c->at[2 + escaped] != '\'') return false;
    const char *known = escaped ? memchr(from, c->at[2], sizeof from - 1) : NULL;
    *value = (unsigned char)(known ? to[known - from] : c->at[1 + escaped]);
    c->at += 3 + escaped;
    return true;
}

/* ---- operators ---- */

static const struct {
    char text[3];
    uint8_t level, op;
} operators[] = {
    {"||", 1, EZ_OPERATOR_LOGICAL_OR}, {"&&", 2, EZ_OPERATOR_LOGICAL_AND},
    {"==", 3, EZ_OPERATOR_EQUAL}, {"!=", 3, EZ_OPERATOR_UNEQUAL}, {"<>", 3, EZ_OPERATOR_UNEQUAL},
    {"<<", 6, EZ_OPERATOR_SHIFT_LEFT}, {">>", 6, EZ_OPERATOR_SHIFT_RIGHT},
    {"<=", 3, EZ_OPERATOR_LESS_EQUAL}, {">=", 3, EZ_OPERATOR_GREATER_EQUAL}, {"<", 3, EZ_OPERATOR_LESS}, {">", 3, EZ_OPERATOR_GREATER},
    {"+", 4, EZ_OPERATOR_ADD}, {"-", 4, EZ_OPERATOR_SUBTRACT},
    {"|", 5, EZ_OPERATOR_OR}, {"!", 5, EZ_OPERATOR_OR_NOT}, {"^", 5, EZ_OPERATOR_XOR}, {"&", 5, EZ_OPERATOR_AND},
    {"*", 6, EZ_OPERATOR_MULTIPLY}, {"/", 6, EZ_OPERATOR_DIVIDE}, {"%", 6, EZ_OPERATOR_REMAINDER}};

static int operator_here(ez_cursor *c) {
    if (ez_read_blank(c)) return -1;
    if (isalnum((unsigned char)*c->at) || *c->at == ',') return -1;
    if (c->end - c->at > 1 && c->at[0] == '/' && c->at[1] == '*') return -1; /* a comment without end */
    for (unsigned i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        size_t n = strlen(operators[i].text);
        if ((size_t)(c->end - c->at) >= n && !memcmp(c->at, operators[i].text, n))
            return (int)i;
    }
    return -1;
}

/* Comparisons give -1 or 0, logical operators 1 or 0; shifts are logical. */
bool ez_apply_operator(ez_operator op, uint64_t a, uint64_t b, uint64_t *out) {
    int64_t x = (int64_t)a, y = (int64_t)b;
    switch (op) {
    case EZ_OPERATOR_NEGATE: *out = 0 - a; break;
    case EZ_OPERATOR_NOT: *out = ~a; break;
    case EZ_OPERATOR_LOGICAL_NOT: *out = !a; break;
    case EZ_OPERATOR_LOGICAL_OR: *out = a || b; break;
    case EZ_OPERATOR_LOGICAL_AND: *out = a && b; break;
    case EZ_OPERATOR_EQUAL: *out = a == b ? UINT64_MAX : 0; break;
    case EZ_OPERATOR_UNEQUAL: *out = a != b ? UINT64_MAX : 0; break;
    case EZ_OPERATOR_LESS: *out = x < y ? UINT64_MAX : 0; break;
    case EZ_OPERATOR_LESS_EQUAL: *out = x <= y ? UINT64_MAX : 0; break;
    case EZ_OPERATOR_GREATER: *out = x > y ? UINT64_MAX : 0; break;
    case EZ_OPERATOR_GREATER_EQUAL: *out = x >= y ? UINT64_MAX : 0; break;
    case EZ_OPERATOR_ADD: *out = a + b; break;
    case EZ_OPERATOR_SUBTRACT: *out = a - b; break;
    case EZ_OPERATOR_OR: *out = a | b; break;
    case EZ_OPERATOR_OR_NOT: *out = a | ~b; break;
    case EZ_OPERATOR_XOR: *out = a ^ b; break;
    case EZ_OPERATOR_AND: *out = a & b; break;
    case EZ_OPERATOR_MULTIPLY: *out = a * b; break;
    case EZ_OPERATOR_DIVIDE:
    case EZ_OPERATOR_REMAINDER:
        if (!b) return false;
        if (y == -1) *out = op == EZ_OPERATOR_DIVIDE ? 0 - a : 0; /* also of the least number */
        else *out = (uint64_t)(op == EZ_OPERATOR_DIVIDE ? x / y : x % y);
        break;
    case EZ_OPERATOR_SHIFT_LEFT: *out = b < 64 ? a << b : 0; break;
    case EZ_OPERATOR_SHIFT_RIGHT: *out = b < 64 ? a >> b : 0; break;
    }
    return true;
}

static ez_status combine(ez_cursor *c, const char *where, ez_operator op, const ez_term *a,
                         const ez_term *b, ez_term *out) {
    ez_term result = {0};
    if (a->node || (b && b->node)) {
        const char *wrong = c->names->combine(c->names->user, op, where, a, b, &result);
        if (wrong) FAIL_AT(where, "%s", wrong);
    } else if (!ez_apply_operator(op, a->value, b ? b->value : 0, &result.value)) {
        FAIL_AT(where, "division by zero");
    }
    *out = result;
    return EZ_OK;
}

/* ---- the grammar ---- */

static ez_status read_level(ez_cursor *c, unsigned level, unsigned depth, ez_term *out);

/* name(a, b, ...), the name has been read; *known says whether there is such a function */
static ez_status read_call(ez_cursor *c, const char *name, size_t length, unsigned depth, ez_term *out,
                           bool *known) {
    ez_term arguments[EZ_CALL_ARGUMENTS];
    size_t count = 0;
    const char *after = c->at;
    const char *wrong = c->names->call(c->names->user, name, length, NULL, 0, out, known);
    if (!*known) return EZ_OK;
    if (ez_read_blank(c) || *c->at != '(') {
        *known = false;
        c->at = after;
        return EZ_OK;
    }
    c->at++;
    if (!ez_read_blank(c) && *c->at == ')') FAIL_AT(c->at + 1, "empty argument list: expected an expression");
    do {
        if (count == EZ_CALL_ARGUMENTS) FAIL("at most %d arguments are supported", EZ_CALL_ARGUMENTS);
        ez_status status = read_level(c, 0, depth + 1, &arguments[count++]);
        if (status) return status;
        ez_read_blank(c);
    } while (c->at < c->end && *c->at == ',' && c->at++);
    if (c->at == c->end || *c->at != ')') FAIL("expected a comma or a closing parenthesis");
    c->at++;
    wrong = c->names->call(c->names->user, name, length, arguments, count, out, known);
    if (wrong) FAIL_AT(name, "%s", wrong);
    return EZ_OK;
}

/* A symbol with its specifier, such as table@rel32@lo */
static ez_status read_symbol(ez_cursor *c, size_t length, unsigned depth, ez_term *out) {
    const char *name = c->at, *specifier = name;
    bool known = false;
    c->at += length;
    if (c->names->call) {
        ez_status status = read_call(c, name, length, depth, out, &known);
        if (status || known) return status;
    }
    if (c->at < c->end && *c->at == '@') {
        specifier = ++c->at;
        while (c->at < c->end && (*c->at == '@' || name_start(*c->at) || isdigit((unsigned char)*c->at)))
            c->at++;
        length = (size_t)(specifier - 1 - name);
        const char *wrong = c->names->symbol(c->names->user, name, length, specifier,
                                             (size_t)(c->at - specifier), out);
        if (wrong) FAIL_AT(specifier, "%s", wrong);
        return EZ_OK;
    }
    const char *wrong = c->names->symbol(c->names->user, name, length, specifier, 0, out);
    if (wrong) FAIL_AT(name, "%s", wrong);
    return EZ_OK;
}

/* 1b and 1f: the nearest numbered label before and behind. */
static size_t directional_here(const ez_cursor *c) {
    const char *s = c->at;
    while (s < c->end && isdigit((unsigned char)*s))
        s++;
    if (s == c->at || s == c->end || (*s != 'b' && *s != 'f')) return 0;
    ez_cursor rest = {.at = s, .end = c->end};
    if (*c->at == '0' && s - c->at == 1 && *s == 'b' && s + 1 < c->end && (s[1] == '0' || s[1] == '1')) return 0;
    return ez_read_name(&rest) == 1 ? (size_t)(s + 1 - c->at) : 0;
}

static ez_status read_primary(ez_cursor *c, unsigned depth, ez_term *out) {
    *out = (ez_term){0};
    if (depth > EZ_EXPRESSION_DEPTH) FAIL("the expression is nested too deeply");
    if (ez_read_blank(c)) FAIL("expected an expression");
    const char *begin = c->at;
    ez_status status;
    switch (*c->at) {
    case '+': c->at++; return read_primary(c, depth + 1, out);
    case '-': case '~': case '!': {
        ez_operator op = *c->at == '-' ? EZ_OPERATOR_NEGATE : *c->at == '~' ? EZ_OPERATOR_NOT : EZ_OPERATOR_LOGICAL_NOT;
        c->at++;
        status = read_primary(c, depth + 1, out);
        return status ? status : combine(c, begin, op, out, NULL, out);
    }
    case '(':
        c->at++;
        status = read_level(c, 0, depth + 1, out);
        if (status) return status;
        if (ez_read_blank(c) || *c->at != ')') FAIL("expected a closing parenthesis");
        c->at++;
        return EZ_OK;
    case '\'':
        if (read_character(c, &out->value)) return EZ_OK;
        FAIL("expected a character between single quotes");
    default: break;
    }
    bool digit = isdigit((unsigned char)*c->at);
    if (digit && c->names) {
        size_t length = directional_here(c);
        if (length) return read_symbol(c, length, depth, out);
    }
    if (digit || ez_float_here(c))
        return ez_float_here(c) ? ez_read_float(c, &out->value) : read_integer(c, &out->value);
    size_t length = c->names ? ez_read_name(c) : 0;
    if (length) return read_symbol(c, length, depth, out);
    if (c->names && *c->at == '"') {
        const char *close = memchr(c->at + 1, '"', (size_t)(c->end - c->at - 1));
        if (!close) FAIL("expected a closing quote");
        if (close == c->at + 1) FAIL_AT(close + 1, "expected a name between the quotes");
        const char *wrong = c->names->symbol(c->names->user, begin + 1, (size_t)(close - begin - 1), NULL, 0, out);
        c->at = close + 1;
        if (wrong) FAIL_AT(begin, "%s", wrong);
        return EZ_OK;
    }
    FAIL(c->names ? "expected an expression" : "expected a number");
}

static ez_status read_level(ez_cursor *c, unsigned level, unsigned depth, ez_term *out) {
    ez_status status = read_primary(c, depth, out);
    for (int i; !status && (i = operator_here(c)) >= 0 && operators[i].level > level;) {
        const char *where = c->at;
        ez_term right;
        c->at += strlen(operators[i].text);
        status = read_level(c, operators[i].level, depth + 1, &right);
        if (!status) status = combine(c, where, (ez_operator)operators[i].op, out, &right, out);
    }
    return status;
}

ez_status ez_read_expression(ez_cursor *c, ez_term *out) { return read_level(c, 0, 0, out); }

ez_status ez_read_primary(ez_cursor *c, ez_term *out) { return read_primary(c, 0, out); }
