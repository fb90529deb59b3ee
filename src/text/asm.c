/* SPDX-License-Identifier: Apache-2.0 */
/* The assembler's handle: sources, statements, instructions, diagnostics. */
#include "assembler.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- memory ---- */

static void add_formatted(ez_asm *as, ez_severity severity, asm_place place, const char *format, va_list args);

_Noreturn void ez_asm_stop(ez_asm *as, ez_status status, const char *format, ...) {
    va_list args;
    as->stopped = status;
    as->error = (ez_error){.status = status};
    va_start(args, format);
    vsnprintf(as->error.message, sizeof as->error.message, format, args);
    va_end(args);
    if (status == EZ_ERR_LIMIT) {
        va_start(args, format);
        add_formatted(as, EZ_SEVERITY_ERROR, ez_asm_here(as, as->statement), format, args);
        va_end(args);
    }
    longjmp(as->stop, 1);
}

void *ez_asm_alloc(ez_asm *as, size_t count, size_t size) {
    void *memory = ez_arena_alloc(&as->arena, count, size);
    if (!memory) ez_asm_stop(as, EZ_ERR_NOMEM, "out of memory");
    return memory;
}

char *ez_asm_copy(ez_asm *as, const char *text, size_t length) {
    char *copy = ez_arena_text(&as->arena, text, length);
    if (!copy) ez_asm_stop(as, EZ_ERR_NOMEM, "out of memory");
    return copy;
}

void *ez_asm_grow(ez_asm *as, void *items, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) return items;
    size_t more = *capacity ? *capacity * 2 : 16;
    void *grown = more <= SIZE_MAX / size ? realloc(items, more * size) : NULL;
    if (!grown) ez_asm_stop(as, EZ_ERR_NOMEM, "out of memory");
    *capacity = more;
    return grown;
}

/* ---- diagnostics ---- */

asm_place ez_asm_here(const ez_asm *as, const char *at) { return (asm_place){as->source, at}; }

/* A carriage return alone ends a line too, as in llvm-mc, but is not counted as one. */
static const char *line_end(const char *at, const char *end) {
    while (at < end && *at != '\n' && *at != '\r')
        at++;
    return at;
}

/* Line and column. Errors mostly come in the order of the text: the count of lines goes on from the last one. */
static void locate(ez_asm *as, asm_place place, ez_diagnostic *d) {
    const char *line = place.source->text, *s;
    bool further = as->located.source == place.source && as->located.line_begin <= place.at;
    d->source = place.source->name ? place.source->name : "<instantiation>";
    d->line = further ? as->located.line : 1;
    if (further) line = as->located.line_begin;
    for (s = line; (s = memchr(s, '\n', (size_t)(place.at - s))); s++) {
        d->line++;
        line = s + 1;
    }
    if (place.source->name) {
        as->located.source = place.source;
        as->located.line_begin = line;
        as->located.line = d->line;
    }
    for (s = place.at; s > line && s[-1] != '\r'; s--)
        continue;
    line = s;
    const char *end = line_end(line, place.source->end);
    d->column = (unsigned)(place.at - line) + 1;
    d->text = line;
    d->length = (size_t)(end - line);
}

static void add_diagnostic(ez_asm *as, ez_severity severity, asm_place place, const char *message) {
    if (as->diagnostic_count >= EZ_DIAGNOSTICS_MAX) return;
    ez_diagnostic *d =
        ASM_PUSH(as, as->diagnostics, as->diagnostic_count, as->diagnostic_capacity);
    *d = (ez_diagnostic){.severity = severity, .message = ez_asm_copy(as, message, strlen(message))};
    if (place.source) locate(as, place, d);
    else d->source = "";
    char text[80];
    for (const asm_source *s = place.source; s && s->from.source; s = s->from.source) {
        if (as->diagnostic_count >= EZ_DIAGNOSTICS_MAX) return;
        d = ASM_PUSH(as, as->diagnostics, as->diagnostic_count, as->diagnostic_capacity);
        snprintf(text, sizeof text, "while in %s instantiation", s->kind);
        *d = (ez_diagnostic){.severity = EZ_SEVERITY_NOTE, .message = ez_asm_copy(as, text, strlen(text))};
        locate(as, s->from, d);
    }
}

static void add_formatted(ez_asm *as, ez_severity severity, asm_place place, const char *format, va_list args) {
    char message[400];
    vsnprintf(message, sizeof message, format, args);
    if (severity == EZ_SEVERITY_ERROR) as->errors++;
    add_diagnostic(as, severity, place, message);
}

bool ez_asm_fail_at(ez_asm *as, asm_place place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_formatted(as, EZ_SEVERITY_ERROR, place, format, args);
    va_end(args);
    return false;
}

bool ez_asm_fail(ez_asm *as, const char *at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_formatted(as, EZ_SEVERITY_ERROR, ez_asm_here(as, at), format, args);
    va_end(args);
    return false;
}

void ez_asm_warn_at(ez_asm *as, asm_place place, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_formatted(as, EZ_SEVERITY_WARNING, place, format, args);
    va_end(args);
}

void ez_asm_warn(ez_asm *as, const char *at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    add_formatted(as, EZ_SEVERITY_WARNING, ez_asm_here(as, at), format, args);
    va_end(args);
}

/* The error that a reader of text left, with its column from c->start. */
static bool fail_read(ez_asm *as, const ez_cursor *c) {
    unsigned column = as->error.column ? as->error.column : 1;
    return ez_asm_fail(as, c->start + column - 1, "%s", as->error.message);
}

/* ---- parts of statements ---- */

bool ez_asm_take(ez_cursor *c, char character) {
    if (ez_read_blank(c) || *c->at != character) return false;
    c->at++;
    return true;
}

bool ez_asm_at_end(ez_cursor *c) { return ez_read_blank(c); }

bool ez_asm_comma(ez_asm *as, ez_cursor *c) {
    return ez_asm_take(c, ',') || ez_asm_fail(as, c->at, "expected comma");
}

bool ez_asm_expression(ez_asm *as, ez_cursor *c, ez_term *term) {
    return ez_read_expression(c, term) == EZ_OK || fail_read(as, c);
}

bool ez_asm_number(ez_asm *as, ez_cursor *c, int64_t *value) {
    ez_term term;
    uint64_t number;
    ez_read_blank(c);
    const char *at = c->at;
    if (!ez_asm_expression(as, c, &term)) return false;
    if (!ez_asm_absolute(as, &term, &number)) return ez_asm_fail(as, at, "expected absolute expression");
    *value = (int64_t)number;
    return true;
}

bool ez_asm_name(ez_asm *as, ez_cursor *c, const char **name, size_t *length) {
    ez_read_blank(c);
    *name = c->at;
    if (c->at < c->end && *c->at == '"') {
        const char *close = memchr(c->at + 1, '"', (size_t)(c->end - c->at - 1));
        if (!close) return ez_asm_fail(as, c->at, "expected a closing quote");
        *name = c->at + 1;
        *length = (size_t)(close - *name);
        c->at = close + 1;
        return true;
    }
    *length = ez_read_name(c);
    c->at += *length;
    return *length || ez_asm_fail(as, *name, "expected identifier");
}

/* One escaped character behind a backslash; false when there is no such escape. */
static bool read_escape(ez_cursor *c, char *out) {
    static const char from[] = "bfnrt\"\\", to[] = "\b\f\n\r\t\"\\";
    unsigned value = 0, digits = 0;
    if (c->at == c->end) return false;
    const char *known = memchr(from, *c->at, sizeof from - 1);
    if (known) {
        *out = to[known - from];
        c->at++;
        return true;
    }
    if (*c->at == 'x' || *c->at == 'X') {
        for (c->at++; c->at < c->end && isxdigit((unsigned char)*c->at); c->at++, digits++)
            value = value * 16 + (unsigned)(isdigit((unsigned char)*c->at) ? *c->at - '0'
                                                                          : (*c->at | 32) - 'a' + 10);
        *out = (char)value;
        return digits > 0;
    }
    for (; c->at < c->end && digits < 3 && *c->at >= '0' && *c->at <= '7'; c->at++, digits++)
        value = value * 8 + (unsigned)(*c->at - '0');
    *out = (char)value;
    return digits > 0 && value < 256;
}

bool ez_asm_string(ez_asm *as, ez_cursor *c, char **text, size_t *length) {
    ez_read_blank(c);
    const char *begin = c->at;
    if (c->at == c->end || *c->at != '"') return ez_asm_fail(as, begin, "expected string");
    char *out = *text = ez_asm_alloc(as, (size_t)(c->end - c->at), 1);
    for (c->at++; c->at < c->end && *c->at != '"';) {
        if (*c->at != '\\') {
            *out++ = *c->at++;
            continue;
        }
        c->at++;
        if (!read_escape(c, out++)) return ez_asm_fail(as, begin, "invalid escape sequence in the string");
    }
    if (c->at == c->end) return ez_asm_fail(as, begin, "unterminated string");
    c->at++;
    *length = (size_t)(out - *text);
    return true;
}

const char *ez_asm_statement_end(const char *at, const char *end) {
    /* characters at which a statement may end or something begins that hides its end */
    static const bool special[256] = {['\n'] = true, ['\r'] = true, ['"'] = true,
                                      [';'] = true, ['/'] = true, ['\''] = true};
    for (; at < end; at++) {
        if (!special[(unsigned char)*at]) continue;
        const char *rest = at + 1;
        switch (*at) {
        case '\n': case '\r': return at;
        case ';': return at;
        case '"':
            while (rest < end && *rest != '"' && *rest != '\n')
                rest += *rest == '\\' && end - rest > 1 && rest[1] != '\n' ? 2 : 1;
            at = rest < end && *rest == '"' ? rest : rest - 1;
            break;
        case '\'':
            if (end - at > 2 && at[2] == '\'') at += 2;
            break;
        default:
            if (rest == end) break;
            if (*rest == '/') return at;
            if (*rest != '*') break;
            for (at += 2; end - at > 1 && (at[0] != '*' || at[1] != '/');)
                at++;
            if (end - at <= 1) return end;
            at++;
        }
    }
    return end;
}

const char *ez_asm_next_line(const ez_asm *as, const char *at) {
    const char *end = line_end(at, as->source->end);
    return end < as->source->end ? end + 1 : end;
}

/* ---- directives ---- */

static const asm_directive_name *const directive_lists[] = {ez_asm_data_directives, ez_asm_symbol_directives,
                                                            ez_asm_section_directives, ez_asm_amdgpu_directives};

static asm_directive find_directive(const char *name, size_t length) {
    char lower[32];
    if (length >= sizeof lower) return NULL;
    for (size_t i = 0; i < length; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    lower[length] = 0;
    for (size_t l = 0; l < sizeof directive_lists / sizeof directive_lists[0]; l++)
        for (const asm_directive_name *d = directive_lists[l]; d->name; d++)
            if (!strcmp(d->name, lower)) return d->run;
    return NULL;
}

static void directive(ez_asm *as, ez_cursor *c, const char *name, size_t length) {
    asm_directive run = find_directive(name, length);
    if (!run) {
        ez_asm_fail(as, name, "unknown directive");
        return;
    }
    if (run(as, c) && !ez_asm_at_end(c)) ez_asm_fail(as, c->at, "expected newline");
}

/* ---- instructions ---- */

void ez_asm_list(ez_asm *as, uint64_t size, unsigned unit) {
    if (!as->listing) return;
    asm_section *s = as->section;
    asm_listed *l = ASM_PUSH(as, as->listed, as->listed_count, as->listed_capacity);
    *l = (asm_listed){s, s->fragment_count - 1, s->size - s->fragments[s->fragment_count - 1].start, size,
                      (uint8_t)unit};
}

/* Branches of this distance go wrong on some chips; llvm-mc puts an s_nop behind them. Source: LLVM, feature
 * offset-3f-bug. */
static void pad_branch(ez_asm *as, const ez_term *target, const char *at) {
    static const uint32_t s_nop = 0xbf800000;
    asm_fragment *gap = ez_asm_emit_gap(as, ASM_GAP_BRANCH);
    gap->term = *target;
    gap->pattern = s_nop;
    gap->unit = 4;
    gap->place = ez_asm_here(as, at);
}

/* Puts an instruction into the section, with what is filled in when its symbols are known. */
static void emit_instruction(ez_asm *as, const char *begin, const ez_inst *inst, const ez_fixup *fixup) {
    uint8_t bytes[EZ_INST_MAX_BYTES];
    size_t size = ez_encode(inst, bytes);
    ez_asm_list(as, size, 0);
    asm_section *s = as->section;
    uint64_t at = s->size;
    if (s->type == SHT_NOBITS) {
        ez_asm_fail(as, begin, "an instruction cannot be in section '%s', which has no content", s->name);
        return;
    }
    ez_asm_emit(as, bytes, size);
    ez_asm_count_registers(as, fixup);
    if (fixup->kind == EZ_FIXUP_NONE) return;
    const char *where = begin + fixup->column - 1;
    ez_term term = {.node = fixup->node};
    ez_asm_use(as, &term);
    unsigned wide = fixup->kind == EZ_FIXUP_LITERAL64 ? 8 : 4;
    if (fixup->kind != EZ_FIXUP_BRANCH)
        ez_asm_add_fixup(as, ASM_FIX_LITERAL, at + size - wide, wide, &term, where);
    else
        ez_asm_add_fixup(as, ASM_FIX_BRANCH, at, 2, &term, where);
    if (fixup->kind == EZ_FIXUP_BRANCH && ez_target_has_feature(as->target, "branch_3f_bug"))
        pad_branch(as, &term, where);
}

static void instruction(ez_asm *as, ez_cursor *c) {
    ez_inst inst;
    ez_fixup fixup = {0};
    ez_status status = ez_parse_with_names(as->target, as->wave, as->flags, &as->names, c->at,
                                           (size_t)(c->end - c->at), &inst, &fixup, &as->error);
    if (status) {
        const ez_cursor from = {.start = c->at};
        fail_read(as, &from);
        return;
    }
    if (fixup.first_form && as->unrecalled == c->at) ez_recall_learn(as->recall, &inst, &fixup);
    emit_instruction(as, c->at, &inst, &fixup);
}

/* An instruction such as was assembled before. The text must go on behind the line for a few bytes. */
static bool recalled_instruction(ez_asm *as, const ez_cursor *c) {
    enum { LOOK_AHEAD = 16 };
    ez_inst inst;
    ez_fixup fixup;
    as->unrecalled = NULL;
    if (as->source->end - c->end < LOOK_AHEAD || !strchr("\n;/", *c->end)) return false;
    if (ez_recall_line(as->recall, c->at, (size_t)(c->end - c->at), &inst, &fixup)) {
        emit_instruction(as, c->at, &inst, &fixup);
        return true;
    }
    as->unrecalled = c->at;
    return false;
}

/* ---- statements ---- */

/* name: and 1: and name = value; true when the statement is done, false when more may follow. */
static bool label_or_assignment(ez_asm *as, ez_cursor *c) {
    for (;;) {
        if (ez_read_blank(c)) return true;
        const char *name = c->at;
        size_t length = ez_read_name(c);
        ez_cursor after = *c;
        after.at += length;
        if (!length && isdigit((unsigned char)*name)) {
            uint64_t number = 0;
            while (after.at < after.end && isdigit((unsigned char)*after.at) && number < 1u << 20)
                number = number * 10 + (uint64_t)(*after.at++ - '0');
            if (!ez_asm_take(&after, ':')) {
                ez_asm_fail(as, name, "unexpected token at start of statement");
                return true;
            }
            c->at = after.at;
            ez_asm_numbered_label(as, name, number);
            continue;
        }
        if (!length && *name == '"') {
            const char *close = memchr(name + 1, '"', (size_t)(c->end - name - 1));
            if (!close) return false;
            after.at = close + 1;
            if (ez_read_blank(&after) || (*after.at != ':' && *after.at != '=')) return false;
            name++;
            length = (size_t)(close - name);
        }
        if (!length || ez_read_blank(&after)) return false;
        if (*after.at == ':' && (after.end - after.at == 1 || after.at[1] != ':')) {
            c->at = after.at + 1;
            if (!ez_asm_label(as, name, name, length)) return true;
            continue;
        }
        if (*after.at == '=' && (after.end - after.at == 1 || after.at[1] != '=')) {
            ez_term value;
            c->at = after.at + 1;
            ez_read_blank(c);
            const char *at = c->at;
            if (ez_asm_expression(as, c, &value) && (ez_asm_at_end(c) || ez_asm_fail(as, c->at, "expected newline")))
                ez_asm_assign(as, at, name, length, &value, true);
            return true;
        }
        return false;
    }
}

static void statement(ez_asm *as, ez_cursor *c) {
    if (ez_read_blank(c) || *c->at == '#') return;
    as->statement = c->at;
    bool skipping = ez_asm_skipping(as);
    if (!skipping && !as->macros && recalled_instruction(as, c)) return;
    if (!skipping && label_or_assignment(as, c)) return;
    const char *name = c->at;
    size_t length = ez_read_name(c);
    bool done = false;
    if (ez_asm_macro_statement(as, c, name, length, &done), done) return;
    if (skipping) return;
    if (length && *name == '.') {
        c->at = name + length;
        directive(as, c, name, length);
    } else {
        instruction(as, c);
    }
}

void ez_asm_read(ez_asm *as, asm_source *source) {
    asm_source *outer = as->source;
    const char *at = source->text;
    as->source = source;
    while (at < source->end && !as->unwinding) {
        ez_cursor c = {at, at, ez_asm_statement_end(at, source->end), &as->error, &as->names};
        statement(as, &c);
        at = ez_asm_next_line(as, c.end); /* a directive that reads lines of its own moves c.end on */
    }
    as->source = outer;
}

/* ---- the handle ---- */

static bool setting_fits(const ez_target *target, const char *feature, ez_setting setting) {
    return setting == EZ_SETTING_UNSUPPORTED || ez_target_has_feature(target, feature);
}

ez_status ez_asm_open(const ez_asm_options *options, ez_asm **assembler, ez_error *err) {
    if (!assembler || !options || !options->target)
        return ez_error_set(err, EZ_ERR_ARGUMENT, "an assembler needs a target");
    *assembler = NULL;
    const ez_target *target = options->target;
    if (options->wave && !ez_target_has_wave(target, options->wave))
        return ez_error_set(err, EZ_ERR_ARGUMENT, "%s has no waves of %u lanes", ez_target_name(target),
                            options->wave);
    if (options->version && (options->version < 4 || options->version > 6))
        return ez_error_set(err, EZ_ERR_ARGUMENT, "code object version %u: expected 4, 5 or 6", options->version);
    if (!setting_fits(target, "xnack", options->xnack) || !setting_fits(target, "sramecc", options->sramecc))
        return ez_error_set(err, EZ_ERR_ARGUMENT, "%s has no such setting", ez_target_name(target));
    ez_asm *as = calloc(1, sizeof *as);
    if (!as) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    as->target = target;
    as->wave = options->wave ? options->wave : ez_target_default_wave(target);
    as->flags = options->flags;
    as->version = options->version;
    as->listing = options->listing;
    as->xnack = options->xnack ? options->xnack
                : ez_target_has_feature(target, "xnack") ? EZ_SETTING_ANY : EZ_SETTING_UNSUPPORTED;
    as->sramecc = options->sramecc ? options->sramecc
                  : ez_target_has_feature(target, "sramecc") ? EZ_SETTING_ANY : EZ_SETTING_UNSUPPORTED;
    as->kernels_end = &as->kernels;
    if (setjmp(as->stop)) {
        ez_status status = as->stopped;
        if (err) *err = as->error;
        ez_asm_close(as);
        return status;
    }
    as->recall = ez_recall_open(as->target, as->wave, as->flags);
    if (!as->recall) ez_asm_stop(as, EZ_ERR_NOMEM, "out of memory");
    ez_asm_values_begin(as);
    ez_asm_sections_begin(as);
    ez_asm_amdgpu_begin(as);
    *assembler = as;
    return EZ_OK;
}

void ez_asm_close(ez_asm *as) {
    if (!as) return;
    for (size_t i = 0; i < as->section_count; i++) {
        free(as->sections[i]->bytes);
        free(as->sections[i]->fragments);
        free(as->sections[i]->image);
    }
    free(as->sections);
    free(as->diagnostics);
    free(as->symbols);
    free(as->buckets);
    free(as->numbered);
    free(as->fixups);
    free(as->relocations);
    free(as->listed);
    free(as->objects[0]);
    free(as->objects[1]);
    ez_recall_close(as->recall);
    ez_arena_free(&as->arena);
    free(as);
}

ez_status ez_asm_source(ez_asm *as, const char *name, const char *text, size_t length) {
    if (as->finished || as->stopped) return as->stopped ? as->stopped : EZ_ERR_ARGUMENT;
    if (setjmp(as->stop)) return as->stopped;
    asm_source *source = ez_asm_alloc(as, 1, sizeof *source);
    source->name = ez_asm_copy(as, name ? name : "", name ? strlen(name) : 0);
    source->text = ez_asm_copy(as, text, length);
    source->end = source->text + length;
    ez_asm_read(as, source);
    if (as->condition_count) {
        ez_asm_fail_at(as, (asm_place){source, source->end}, "unmatched .ifs or .elses");
        as->condition_count = 0;
    }
    return EZ_OK;
}

ez_status ez_asm_finish(ez_asm *as) {
    if (as->stopped) return as->stopped;
    if (as->finished) return as->errors ? EZ_ERR_SYNTAX : EZ_OK;
    if (setjmp(as->stop)) return as->stopped;
    as->finished = true;
    ez_asm_check_numbered(as);
    ez_asm_layout(as);
    if (!as->errors) ez_asm_fill_kernels(as);
    if (!as->errors) ez_asm_resolve(as);
    ez_asm_publish(as);
    return as->errors ? EZ_ERR_SYNTAX : EZ_OK;
}

const ez_diagnostic *ez_asm_diagnostics(const ez_asm *as, size_t *count) {
    *count = as->diagnostic_count;
    return as->diagnostics;
}

size_t ez_asm_error_count(const ez_asm *as) { return as->errors; }

const ez_section *ez_asm_sections(const ez_asm *as, size_t *count) {
    *count = as->out_sections ? as->section_count + 1 : 0;
    return as->out_sections;
}

const ez_symbol *ez_asm_symbols(const ez_asm *as, size_t *count) {
    *count = as->out_symbol_count;
    return as->out_symbols;
}

const ez_asm_line *ez_asm_listing(const ez_asm *as, size_t *count) {
    *count = as->out_lines ? as->listed_count : 0;
    return as->out_lines;
}
