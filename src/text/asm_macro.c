/* SPDX-License-Identifier: Apache-2.0 */
/* Conditionals, repetitions and macros: what decides which text is read, and how often. */
#include "assembler.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

/* Most text that macros and repetitions may make. */
static const uint64_t EXPANDED_MAX = UINT64_C(64) << 20;

typedef struct asm_text {
    const char *at;
    size_t length;
} asm_text;

typedef struct asm_parameter {
    asm_text name, value; /* value: when none is given */
    bool required, rest;  /* :req, :vararg */
} asm_parameter;

struct asm_macro {
    asm_macro *next;
    asm_text name, body;
    asm_parameter *parameters;
    size_t count;
    uint64_t uses;
    bool purged;
};

bool ez_asm_skipping(const ez_asm *as) {
    return as->condition_count && as->conditions[as->condition_count - 1].ignore;
}

static bool equal(asm_text a, const char *b) { return a.length == strlen(b) && !memcmp(a.at, b, a.length); }
static bool same(asm_text a, asm_text b) { return a.length == b.length && !memcmp(a.at, b.at, a.length); }

/* Directives are written in either case. */
static bool is(asm_text word, const char *name) {
    if (word.length != strlen(name)) return false;
    for (size_t i = 0; i < word.length; i++)
        if (tolower((unsigned char)word.at[i]) != name[i]) return false;
    return true;
}

/* ---- conditionals ---- */

static asm_text rest_of(ez_cursor *c) {
    ez_read_blank(c);
    const char *begin = c->at;
    for (c->at = begin; c->at < c->end && *c->at != ';'; c->at++)
        if (c->end - c->at > 1 && c->at[0] == '/' && c->at[1] == '/') break;
    const char *end = c->at;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
        end--;
    c->at = c->end;
    return (asm_text){begin, (size_t)(end - begin)};
}

static bool if_number(ez_asm *as, ez_cursor *c, asm_text word, bool *met) {
    int64_t number;
    if (!ez_asm_number(as, c, &number)) return false;
    *met = is(word, ".if") || is(word, ".ifne") || is(word, ".elseif") ? number != 0
           : is(word, ".ifeq")                      ? number == 0
           : is(word, ".ifge")                      ? number >= 0
           : is(word, ".ifgt")                      ? number > 0
           : is(word, ".ifle")                      ? number <= 0
                                                    : number < 0;
    return true;
}

static bool if_defined(ez_asm *as, ez_cursor *c, bool wanted, bool *met) {
    const char *name;
    size_t length;
    if (!ez_asm_name(as, c, &name, &length)) return false;
    const asm_symbol *s = ez_asm_symbol_find(as, name, length);
    *met = (s && s->kind != ASM_UNDEFINED) == wanted;
    return true;
}

static bool if_strings(ez_asm *as, ez_cursor *c, bool wanted, bool *met) {
    char *a, *b;
    size_t a_length, b_length;
    if (!ez_asm_string(as, c, &a, &a_length)) return false;
    if (!ez_asm_take(c, ',')) return ez_asm_fail(as, c->at, "expected comma after first string for '.ifeqs' directive");
    if (!ez_asm_string(as, c, &b, &b_length)) return false;
    *met = (a_length == b_length && !memcmp(a, b, a_length)) == wanted;
    return true;
}

static asm_text trimmed(asm_text t) {
    while (t.length && (*t.at == ' ' || *t.at == '\t'))
        t.at++, t.length--;
    while (t.length && (t.at[t.length - 1] == ' ' || t.at[t.length - 1] == '\t'))
        t.length--;
    return t;
}

/* .ifc a, b compares the text itself */
static bool if_text(ez_asm *as, ez_cursor *c, bool wanted, bool *met) {
    asm_text all = rest_of(c);
    const char *comma = memchr(all.at, ',', all.length);
    if (!comma) return ez_asm_fail(as, c->at, "expected comma");
    asm_text a = {all.at, (size_t)(comma - all.at)}, b = {comma + 1, all.length - (size_t)(comma + 1 - all.at)};
    *met = same(trimmed(a), trimmed(b)) == wanted;
    return true;
}

static bool evaluate_condition(ez_asm *as, ez_cursor *c, asm_text word, bool *met) {
    if (is(word, ".ifdef")) return if_defined(as, c, true, met);
    if (is(word, ".ifndef") || is(word, ".ifnotdef")) return if_defined(as, c, false, met);
    if (is(word, ".ifeqs")) return if_strings(as, c, true, met);
    if (is(word, ".ifnes")) return if_strings(as, c, false, met);
    if (is(word, ".ifc")) return if_text(as, c, true, met);
    if (is(word, ".ifnc")) return if_text(as, c, false, met);
    if (is(word, ".ifb") || is(word, ".ifnb")) {
        *met = (rest_of(c).length == 0) == is(word, ".ifb");
        return true;
    }
    return if_number(as, c, word, met);
}

static void begin_condition(ez_asm *as, ez_cursor *c, asm_text word) {
    bool outer = ez_asm_skipping(as), met = false;
    if (as->condition_count == ASM_CONDITIONS_MAX)
        ez_asm_stop(as, EZ_ERR_LIMIT, "conditionals are nested more than %d deep", ASM_CONDITIONS_MAX);
    asm_condition *condition = &as->conditions[as->condition_count++];
    *condition = (asm_condition){.ignore = true, .met = true};
    if (outer) return; /* all branches are skipped */
    if (!evaluate_condition(as, c, word, &met)) met = false;
    else if (!ez_asm_at_end(c)) ez_asm_fail(as, c->at, "expected newline");
    condition->met = met;
    condition->ignore = !met;
}

/* .else and .elseif; what stands around them decides when it is skipped itself */
static void other_branch(ez_asm *as, ez_cursor *c, asm_text word) {
    bool last = is(word, ".else"), met = false;
    asm_condition *condition = as->condition_count ? &as->conditions[as->condition_count - 1] : NULL;
    if (!condition || condition->otherwise) {
        ez_asm_fail(as, as->statement, last ? "Encountered a .else that doesn't follow  an .if or an .elseif"
                                         : "Encountered a .elseif that doesn't follow an .if or  an .elseif");
        return;
    }
    condition->otherwise = last;
    condition->ignore = true;
    if (last && !ez_asm_at_end(c)) ez_asm_fail(as, c->at, "expected newline");
    if (condition->met) return;
    if (!last && !evaluate_condition(as, c, word, &met)) return;
    if (!last && !ez_asm_at_end(c)) ez_asm_fail(as, c->at, "expected newline");
    condition->met = last || met;
    condition->ignore = !condition->met;
}

static void end_condition(ez_asm *as, ez_cursor *c) {
    if (!as->condition_count) {
        ez_asm_fail(as, as->statement, "Encountered a .endif that doesn't follow an .if or .else");
        return;
    }
    as->condition_count--;
    if (!ez_asm_skipping(as) && !ez_asm_at_end(c)) ez_asm_fail(as, c->at, "expected newline");
}

/* ---- bodies ---- */

static asm_text first_word(const char *at, const char *end) {
    ez_cursor c = {.start = at, .at = at, .end = end};
    if (ez_read_blank(&c)) return (asm_text){at, 0};
    return (asm_text){c.at, ez_read_name(&c)};
}

static bool begins_repetition(asm_text word) {
    return is(word, ".rept") || is(word, ".rep") || is(word, ".irp") || is(word, ".irpc");
}

/* The lines up to the directive that ends them; c->end moves on to that line's end. The body begins at its first token: columns
 * of its first line count from there, as in llvm-mc. */
static bool read_body(ez_asm *as, ez_cursor *c, bool macro, asm_text *body) {
    const char *end = as->source->end;
    const char *at = ez_asm_next_line(as, c->end);
    unsigned depth = 0;
    ez_cursor first = {.start = at, .at = at, .end = ez_asm_statement_end(at, end)};
    if (!ez_read_blank(&first)) at = first.at;
    body->at = at;
    while (at < end) {
        const char *stop = ez_asm_statement_end(at, end);
        asm_text word = first_word(at, stop);
        if (macro ? is(word, ".macro") : begins_repetition(word)) depth++;
        if (macro ? is(word, ".endm") || is(word, ".endmacro") : is(word, ".endr")) {
            if (!depth) {
                body->length = (size_t)(at - body->at);
                c->at = word.at + word.length;
                c->end = stop;
                return ez_asm_at_end(c) || ez_asm_fail(as, c->at, "expected newline");
            }
            depth--;
        }
        at = ez_asm_next_line(as, stop);
    }
    c->at = c->end = end;
    return ez_asm_fail(as, as->statement, macro ? "no matching '.endmacro' in definition"
                                             : "no matching '.endr' directive");
}

/* ---- expanding ---- */

typedef struct asm_expansion {
    bool macro;   /* and no repetition */
    uint64_t nth; /* of this macro or repetition: \+ */
    char *text;
    size_t length, capacity;
} asm_expansion;

static void append(ez_asm *as, asm_expansion *e, const char *text, size_t length) {
    as->expanded += length;
    if (as->expanded > EXPANDED_MAX)
        ez_asm_stop(as, EZ_ERR_LIMIT, "macros and repetitions make more than %" PRIu64 " bytes of text", EXPANDED_MAX);
    if (e->length + length > e->capacity) {
        size_t more = e->capacity ? e->capacity * 2 : 512;
        while (more < e->length + length)
            more *= 2;
        char *grown = ez_asm_alloc(as, more, 1);
        if (e->length) memcpy(grown, e->text, e->length);
        e->text = grown;
        e->capacity = more;
    }
    if (length) memcpy(e->text + e->length, text, length);
    e->length += length;
}

static void append_number(ez_asm *as, asm_expansion *e, uint64_t number) {
    char text[24];
    append(as, e, text, (size_t)snprintf(text, sizeof text, "%" PRIu64, number));
}

/* A quoted argument loses its quotes. */
static void append_argument(ez_asm *as, asm_expansion *e, asm_text argument, bool rest) {
    if (!rest && argument.length >= 2 && argument.at[0] == '"' && argument.at[argument.length - 1] == '"' &&
        !memchr(argument.at + 1, '"', argument.length - 2))
        append(as, e, argument.at + 1, argument.length - 2);
    else append(as, e, argument.at, argument.length);
}

/* The body with \name replaced, \@ by the number of the expansion of macros, \+ by that of this one, \() by nothing. */
static void expand(ez_asm *as, asm_expansion *e, asm_text body, const asm_parameter *parameters,
                   const asm_text *arguments, size_t count) {
    const char *at = body.at, *end = at + body.length;
    while (at < end) {
        const char *backslash = memchr(at, '\\', (size_t)(end - at));
        if (!backslash || backslash + 1 == end) break;
        append(as, e, at, (size_t)(backslash - at));
        at = backslash + 1;
        if ((*at == '@' && e->macro) || *at == '+') {
            append_number(as, e, *at == '@' ? as->expansions : e->nth);
            at++;
            continue;
        }
        if (*at == '(' && end - at > 1 && at[1] == ')') {
            at += 2;
            continue;
        }
        asm_text name = {at, 0};
        while (at + name.length < end && (isalnum((unsigned char)at[name.length]) || strchr("_$.", at[name.length])) &&
               at[name.length])
            name.length++;
        size_t i = 0;
        while (i < count && !same(parameters[i].name, name))
            i++;
        if (i == count) {
            append(as, e, "\\", 1);
            append(as, e, name.at, name.length);
        } else append_argument(as, e, arguments[i], parameters[i].rest);
        at += name.length;
    }
    append(as, e, at, (size_t)(end - at));
    e->nth++;
}

/* Reads the text that an expansion made. */
static void read_expansion(ez_asm *as, const asm_expansion *e, const char *kind) {
    if (!e->length) return;
    if (as->depth == ASM_MACRO_DEPTH) {
        ez_asm_fail(as, as->statement, "macros cannot be nested more than %d levels deep", ASM_MACRO_DEPTH);
        as->unwinding = true; /* what calls itself twice would come here a million times */
        return;
    }
    asm_source *source = ez_asm_alloc(as, 1, sizeof *source);
    *source = (asm_source){NULL, e->text, e->text + e->length, ez_asm_here(as, as->statement), kind};
    unsigned conditions = as->condition_count;
    as->depth++;
    ez_asm_read(as, source);
    if (!--as->depth) as->unwinding = false;
    if (as->condition_count > conditions) {
        ez_asm_fail_at(as, (asm_place){source, source->end}, "unmatched .ifs or .elses");
        as->condition_count = conditions;
    }
}

/* ---- arguments ---- */

static bool is_operator(char c) { return c && strchr("+-*/%<>=!&|^~", c); }

/* One argument: up to a comma, or a blank that no operator joins; parentheses and strings are kept whole. */
static asm_text read_argument(ez_cursor *c, bool rest) {
    ez_read_blank(c);
    if (rest) return rest_of(c);
    const char *begin = c->at, *end = begin;
    unsigned parentheses = 0;
    while (c->at < c->end) {
        char here = *c->at;
        if (here == ',' && !parentheses) break;
        if (here == ';' || (here == '/' && c->end - c->at > 1 && (c->at[1] == '/' || c->at[1] == '*'))) break;
        if ((here == ' ' || here == '\t') && !parentheses) {
            const char *next = c->at;
            while (next < c->end && (*next == ' ' || *next == '\t'))
                next++;
            if (next == c->end || (!is_operator(*next) && !is_operator(end[-1]))) break;
            c->at = next;
            continue;
        }
        if (here == '"') {
            for (c->at++; c->at < c->end && *c->at != '"'; c->at++)
                if (*c->at == '\\' && c->end - c->at > 1) c->at++;
        }
        parentheses += here == '(';
        parentheses -= here == ')' && parentheses;
        if (c->at < c->end) c->at++;
        end = c->at;
    }
    return (asm_text){begin, (size_t)(end - begin)};
}

/* The arguments of a macro, by position or name=value. */
static bool read_arguments(ez_asm *as, ez_cursor *c, const asm_macro *m, asm_text *arguments) {
    size_t position = 0, read = 0;
    bool named = false, given[64] = {false};
    for (size_t i = 0; i < m->count; i++)
        arguments[i] = m->parameters[i].value;
    if (!m->count && !ez_asm_at_end(c)) return ez_asm_fail(as, c->end, "wrong number of arguments: macro '%.*s' has no parameter",
                                                        (int)m->name.length, m->name.at);
    while (!ez_asm_at_end(c)) {
        const char *at = c->at;
        if (read++ == m->count) return ez_asm_fail(as, at, "too many positional arguments");
        size_t index = position, length = ez_read_name(c);
        ez_cursor after = *c;
        after.at += length;
        if (length && ez_asm_take(&after, '=') && (after.at == after.end || *after.at != '=')) {
            for (index = 0; index < m->count && !same(m->parameters[index].name, (asm_text){at, length}); index++)
                ;
            if (index == m->count)
                return ez_asm_fail(as, at, "parameter named '%.*s' does not exist for macro '%.*s'", (int)length, at,
                                (int)m->name.length, m->name.at);
            c->at = after.at;
            named = true;
        } else if (named) {
            return ez_asm_fail(as, at, "cannot mix positional and keyword arguments");
        } else if (index >= m->count) {
            return ez_asm_fail(as, at, "too many positional arguments");
        }
        asm_text argument = read_argument(c, m->parameters[index].rest);
        if (argument.length) {
            arguments[index] = argument;
            if (index < 64) given[index] = true;
        }
        position = index + 1;
        bool more = ez_asm_take(c, ',');
        if (more && read == m->count) {
            ez_read_blank(c);
            return ez_asm_fail(as, c->at, "too many positional arguments");
        }
        if (!more && !ez_asm_at_end(c) && c->at == at) return ez_asm_fail(as, at, "expected a comma or the end of the line");
    }
    for (size_t i = 0; i < m->count; i++)
        if (m->parameters[i].required && i < 64 && !given[i] && !arguments[i].length)
            return ez_asm_fail(as, c->at, "missing value for required parameter '%.*s' in macro '%.*s'",
                            (int)m->parameters[i].name.length, m->parameters[i].name.at, (int)m->name.length, m->name.at);
    return true;
}

/* ---- macros ---- */

static asm_macro *find_macro(const ez_asm *as, asm_text name) {
    asm_macro *m = as->macros;
    while (m && (m->purged || !same(m->name, name)))
        m = m->next;
    return m;
}

enum { PARAMETERS_MAX = 64 };

static bool read_parameters(ez_asm *as, ez_cursor *c, asm_macro *m) {
    m->parameters = ez_asm_alloc(as, PARAMETERS_MAX, sizeof *m->parameters);
    while (!ez_asm_at_end(c)) {
        if (m->count == PARAMETERS_MAX) return ez_asm_fail(as, c->at, "more than %d parameters", PARAMETERS_MAX);
        if (m->count && m->parameters[m->count - 1].rest)
            return ez_asm_fail(as, c->at, "vararg parameter '%.*s' should be the last parameter",
                            (int)m->parameters[m->count - 1].name.length, m->parameters[m->count - 1].name.at);
        asm_parameter *p = &m->parameters[m->count];
        if (!ez_asm_name(as, c, &p->name.at, &p->name.length)) return false;
        ez_read_blank(c);
        for (size_t i = 0; i < m->count; i++)
            if (same(m->parameters[i].name, p->name))
                return ez_asm_fail(as, c->at, "macro '%.*s' has multiple parameters named '%.*s'",
                                (int)m->name.length, m->name.at, (int)p->name.length, p->name.at);
        m->count++;
        if (ez_asm_take(c, ':')) {
            asm_text word;
            ez_read_blank(c);
            const char *at = c->at;
            if (!ez_asm_name(as, c, &word.at, &word.length)) return false;
            if (equal(word, "req")) p->required = true;
            else if (equal(word, "vararg")) p->rest = true;
            else return ez_asm_fail(as, at, "%.*s is not a valid parameter qualifier", (int)word.length, word.at);
        }
        if (ez_asm_take(c, '=')) p->value = read_argument(c, p->rest);
        ez_asm_take(c, ',');
    }
    return true;
}

static void define_macro(ez_asm *as, ez_cursor *c) {
    asm_macro *m = ez_asm_alloc(as, 1, sizeof *m);
    ez_read_blank(c);
    const char *at = c->at;
    m->name = (asm_text){at, ez_read_name(c)};
    c->at += m->name.length;
    bool good = m->name.length || ez_asm_fail(as, at, "expected identifier in '.macro' directive");
    ez_asm_take(c, ',');
    /* [mc] goes on with the next line after a wrong header */
    if (!good || !read_parameters(as, c, m) || !read_body(as, c, true, &m->body)) return;
    if (find_macro(as, m->name)) {
        ez_asm_fail(as, as->statement, "macro '%.*s' is already defined", (int)m->name.length, m->name.at);
        return;
    }
    m->next = as->macros;
    as->macros = m;
}

static void purge_macro(ez_asm *as, ez_cursor *c) {
    do {
        asm_text name;
        if (!ez_asm_name(as, c, &name.at, &name.length)) return;
        asm_macro *m = find_macro(as, name);
        if (!m) {
            ez_asm_fail(as, as->statement, "macro '%.*s' is not defined", (int)name.length, name.at);
            return;
        }
        m->purged = true;
    } while (ez_asm_take(c, ','));
    if (!ez_asm_at_end(c)) ez_asm_fail(as, c->at, "expected newline");
}

static void use_macro(ez_asm *as, ez_cursor *c, asm_macro *m) {
    asm_text arguments[PARAMETERS_MAX] = {{0}};
    asm_expansion e = {.macro = true, .nth = m->uses};
    if (!read_arguments(as, c, m, arguments)) return;
    m->uses++;
    expand(as, &e, m->body, m->parameters, arguments, m->count);
    as->expansions++;
    read_expansion(as, &e, "macro");
}

/* ---- repetitions ---- */

static void repeat_count(ez_asm *as, ez_cursor *c) {
    int64_t count = 0;
    asm_text body;
    asm_expansion e = {0};
    ez_read_blank(c);
    const char *at = c->at;
    bool good = ez_asm_number(as, c, &count);
    if (good && count < 0) good = ez_asm_fail(as, at, "Count is negative");
    if (good && !ez_asm_at_end(c)) good = ez_asm_fail(as, c->at, "expected newline");
    if (!good) return; /* the lines are read once, as llvm-mc does */
    if (!read_body(as, c, false, &body)) return;
    if (!body.length) return;
    for (int64_t i = 0; i < count; i++)
        expand(as, &e, body, NULL, NULL, 0);
    read_expansion(as, &e, "repetition");
}

/* What .irpc takes: a name, a number or a string. */
static bool one_token(asm_text t) {
    if (t.length && *t.at == '"') return memchr(t.at + 1, '"', t.length - 1) == t.at + t.length - 1;
    bool number = t.length && isdigit((unsigned char)*t.at), hex = t.length > 2 && !memcmp(t.at, "0x", 2);
    size_t n = hex ? 2 : 0;
    while (n < t.length && (number && !hex ? isdigit((unsigned char)t.at[n]) || t.at[n] == '.'
                            : hex          ? isxdigit((unsigned char)t.at[n])
                                           : isalnum((unsigned char)t.at[n]) || strchr("_.$", t.at[n])))
        n++;
    return n && n == t.length;
}

static void repeat_each(ez_asm *as, ez_cursor *c, bool characters) {
    asm_parameter parameter = {0};
    asm_text body, all;
    asm_expansion e = {0};
    ez_read_blank(c);
    const char *at = c->at;
    parameter.name = (asm_text){at, ez_read_name(c)};
    c->at += parameter.name.length;
    if (!parameter.name.length) {
        ez_asm_fail(as, at, "expected identifier in '%s' directive", characters ? ".irpc" : ".irp");
        return;
    }
    if (!ez_asm_comma(as, c)) return;
    ez_cursor values = *c;
    all = rest_of(c);
    if (characters && !one_token(all)) {
        ez_asm_fail(as, all.at + all.length, "expected one name, number or string");
        return;
    }
    if (!read_body(as, c, false, &body)) return;
    if (characters) {
        if (all.length >= 2 && *all.at == '"') all.at++, all.length -= 2;
        for (size_t i = 0; i < all.length; i++)
            expand(as, &e, body, &parameter, &(asm_text){all.at + i, 1}, 1);
    } else {
        do {
            asm_text value = read_argument(&values, false);
            expand(as, &e, body, &parameter, &value, 1);
        } while (ez_asm_take(&values, ','));
    }
    read_expansion(as, &e, "repetition");
}

/* ---- which statement it is ---- */

static bool conditional(ez_asm *as, ez_cursor *c, asm_text word) {
    static const char *const begins[] = {".if", ".ifeq", ".ifge", ".ifgt", ".ifle", ".iflt", ".ifne", ".ifb",
                                         ".ifnb", ".ifc", ".ifnc", ".ifeqs", ".ifnes", ".ifdef", ".ifndef",
                                         ".ifnotdef"};
    if (word.length < 3 || word.at[0] != '.') return false;
    if (is(word, ".else") || is(word, ".elseif")) return other_branch(as, c, word), true;
    if (is(word, ".endif")) return end_condition(as, c), true;
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (is(word, begins[i])) return begin_condition(as, c, word), true;
    return false;
}

/* .error, .warning and .err; .print says nothing, for a library does not print */
static bool message(ez_asm *as, ez_cursor *c, asm_text word) {
    char *text = ".error directive invoked in source file";
    size_t length = strlen(text);
    if (is(word, ".err")) {
        ez_asm_fail(as, as->statement, ".err encountered");
        return true;
    }
    if (is(word, ".print")) {
        if (ez_asm_at_end(c) || *c->at != '"') ez_asm_fail(as, as->statement, "expected double quoted string after .print");
        else if (ez_asm_string(as, c, &text, &length) && !ez_asm_at_end(c)) ez_asm_fail(as, c->at, "expected newline");
        return true;
    }
    bool warning = is(word, ".warning");
    if (!warning && !is(word, ".error")) return false;
    if (warning) {
        text = ".warning directive invoked in source file";
        length = strlen(text);
    }
    if (!ez_asm_at_end(c) && !ez_asm_string(as, c, &text, &length)) return true;
    if (warning) ez_asm_warn(as, as->statement, "%.*s", (int)length, text);
    else ez_asm_fail(as, as->statement, "%.*s", (int)length, text);
    return true;
}

bool ez_asm_macro_statement(ez_asm *as, ez_cursor *c, const char *name, size_t length, bool *done) {
    asm_text word = {name, length};
    const char *begin = c->at;
    *done = true;
    c->at = name + length;
    if (conditional(as, c, word)) return true;
    if (ez_asm_skipping(as)) return true;
    asm_macro *m = as->macros ? find_macro(as, word) : NULL;
    if (m && length) return use_macro(as, c, m), true;
    if (length > 3 && *name == '.') {
        if (is(word, ".macro")) return define_macro(as, c), true;
        if (is(word, ".purgem")) return purge_macro(as, c), true;
        if (is(word, ".rept") || is(word, ".rep")) return repeat_count(as, c), true;
        if (is(word, ".irp")) return repeat_each(as, c, false), true;
        if (is(word, ".irpc")) return repeat_each(as, c, true), true;
        if (is(word, ".endr")) return ez_asm_fail(as, c->at, "unmatched '.endr' directive"), true;
        if (is(word, ".endm") || is(word, ".endmacro"))
            return ez_asm_fail(as, c->at, "unexpected '%.*s' in file, no current macro definition", (int)length, name),
                   true;
        if (is(word, ".exitm")) return ez_asm_fail(as, c->at, ".exitm is not supported"), true;
        if (message(as, c, word)) return true;
    }
    c->at = begin;
    *done = false;
    return false;
}
