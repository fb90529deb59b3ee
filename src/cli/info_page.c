/* SPDX-License-Identifier: Apache-2.0 */
/* The reference page as text. */
#include "info.h"

#include <inttypes.h>
#include <string.h>

enum { WIDTH = 100, BITS_MAX = 96, OPERANDS_MAX = 16, RELATED_MAX = 24, NAMES_MAX = 8 };

static void heading(const char *text) {
    bool colour = cli_colour(stdout);
    printf("\n%s%s%s\n", colour ? "\033[1m" : "", text, colour ? "\033[0m" : "");
}

/* Words in lines of at most WIDTH, each behind `indent` blanks. */
typedef struct paragraph {
    int indent, column;
} paragraph;

static void add_word(paragraph *p, const char *text) {
    int n = (int)strlen(text);
    if (p->column && p->column + 1 + n > WIDTH) {
        putchar('\n');
        p->column = 0;
    }
    if (!p->column) p->column = printf("%*s%s", p->indent, "", text);
    else p->column += printf(" %s", text);
}

static void end_paragraph(paragraph *p) {
    if (p->column) putchar('\n');
    p->column = 0;
}

/* ---- names ---- */

static void print_names(const info_page *page) {
    const char *names[NAMES_MAX];
    size_t n = ez_op_names(page->op, names, NAMES_MAX);
    heading("names");
    for (size_t i = 0; i < n && i < NAMES_MAX; i++) {
        paragraph p = {0, printf("  %-20s", names[i])};
        p.indent = p.column;
        const ez_target *first = NULL, *last = NULL;
        for (size_t t = 0; t <= ez_target_count(); t++) {
            const ez_target *target = ez_target_at(t);
            const char *has = target ? ez_op_name(page->op, target) : NULL;
            if (has && !strcmp(has, names[i])) {
                if (!first) first = target;
                last = target;
            } else if (first) {
                char text[64];
                snprintf(text, sizeof text, first == last ? "%s" : "%s to %s", ez_target_name(first),
                         ez_target_name(last));
                add_word(&p, text);
                first = NULL;
            }
        }
        if (!last) add_word(&p, "understood by the assembler, not printed");
        end_paragraph(&p);
    }
}

/* ---- bit layout ---- */

static void field_text(const ez_op_bits *b, char *text, size_t room) {
    if (!b->fixed) {
        snprintf(text, room, "%s", b->field ? b->field : b->high == b->low ? "0" : "0...");
    } else if (b->field) {
        snprintf(text, room, "%s=0x%x", b->field, (unsigned)b->value);
    } else {
        size_t n = 0;
        for (int bit = b->high - b->low; bit >= 0 && n + 1 < room; bit--)
            text[n++] = b->value >> bit & 1 ? '1' : '0';
        text[n] = 0;
    }
}

static void range_text(const ez_op_bits *b, char *text, size_t room) {
    unsigned base = 32u * b->dword;
    if (b->high == b->low) snprintf(text, room, "%u", base + b->high);
    else snprintf(text, room, "%u:%u", base + b->high, base + b->low);
}

/* A rule, the bit numbers or the fields of bits[0..count). */
static void draw_line(const ez_op_bits *bits, size_t count, char what) {
    printf("    ");
    for (size_t i = 0; i < count; i++) {
        char range[16], field[48];
        range_text(&bits[i], range, sizeof range);
        field_text(&bits[i], field, sizeof field);
        int n = (int)(strlen(range) > strlen(field) ? strlen(range) : strlen(field));
        if (what == '-') {
            putchar('+');
            for (int k = 0; k < n + 2; k++)
                putchar('-');
        } else {
            printf("| %-*s ", n, what == 'r' ? range : field);
        }
    }
    puts(what == '-' ? "+" : "|");
}

/* One box a dword, or more where the line would be too long. */
static void draw_layout(const ez_op_bits *bits, size_t count) {
    for (size_t from = 0, to; from < count; from = to) {
        int column = 5;
        for (to = from; to < count && bits[to].dword == bits[from].dword; to++) {
            char range[16], field[48];
            range_text(&bits[to], range, sizeof range);
            field_text(&bits[to], field, sizeof field);
            size_t n = strlen(range) > strlen(field) ? strlen(range) : strlen(field);
            if (to > from && column + (int)n + 3 > WIDTH) break;
            column += (int)n + 3;
        }
        draw_line(bits + from, to - from, '-');
        draw_line(bits + from, to - from, 'r');
        draw_line(bits + from, to - from, 'f');
        draw_line(bits + from, to - from, '-');
    }
}

/* Fixed bits side by side are one run on the page. */
static size_t join_fixed(ez_op_bits *bits, size_t count) {
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        ez_op_bits b = bits[i];
        bool plain = !b.field;
        if (n && plain && !bits[n - 1].field && bits[n - 1].dword == b.dword &&
            (b.fixed || bits[n - 1].fixed)) {
            unsigned width = (unsigned)(b.high - b.low) + 1;
            bits[n - 1].value = (uint32_t)((uint64_t)bits[n - 1].value << width | b.value);
            bits[n - 1].low = b.low;
            bits[n - 1].fixed = true;
        } else {
            bits[n++] = b;
        }
    }
    return n;
}

static void print_forms(const info_page *page) {
    ez_op_form forms[EZ_OP_FORMS_MAX];
    char title[64], text[EZ_TEXT_MAX], hex[2 * EZ_INST_MAX_BYTES + 1];
    size_t n = ez_op_forms(page->op, page->base, forms, EZ_OP_FORMS_MAX);
    snprintf(title, sizeof title, "encodings on %s", ez_target_name(page->base));
    heading(title);
    for (size_t i = 0; i < n; i++) {
        ez_op_bits bits[BITS_MAX];
        size_t count = ez_op_layout(page->op, page->base, forms[i].form, bits, BITS_MAX);
        printf("  %s%s%s, %u bits, opcode %u (0x%x), identifier 0x%08X\n", forms[i].encoding,
               *forms[i].name ? " " : "", forms[i].name, 8 * forms[i].size, forms[i].opcode,
               forms[i].opcode, (unsigned)forms[i].identifier);
        draw_layout(bits, join_fixed(bits, count < BITS_MAX ? count : BITS_MAX));
        if (info_example(page, page->base, forms[i].form, text, hex))
            printf("    %s  ; %s\n", text, hex);
    }
}

/* ---- operands, properties ---- */

static void print_operands(const info_page *page) {
    ez_op_operand operands[OPERANDS_MAX];
    ez_op_form form;
    if (!ez_op_forms(page->op, page->base, &form, 1)) return;
    size_t n = ez_op_operands(page->op, page->base, form.form, operands, OPERANDS_MAX);
    heading("operands");
    if (!n) puts("  none");
    for (size_t i = 0; i < n && i < OPERANDS_MAX; i++) {
        const ez_op_operand *o = &operands[i];
        char bits[24] = "";
        if (o->bits) snprintf(bits, sizeof bits, "%u bits", o->bits);
        printf("  %-8s %-13s %-18s %-9s %s\n", *o->field ? o->field : "-",
               o->read && o->written ? "read, written" : o->read ? "read" : "written", o->format,
               bits, o->kind);
    }
}

/* How near to hardware's the results are. */
static void print_accuracy(const info_page *page) {
    uint32_t ulp;
    switch (info_fidelity(page->op, page->base, &ulp)) {
    case EZ_FIDELITY_EXACT: printf("  %-18s exact\n", "accuracy"); break;
    case EZ_FIDELITY_UNSUPPORTED: printf("  %-18s does not run\n", "accuracy"); break;
    case EZ_FIDELITY_APPROXIMATE:
        if (ulp == EZ_ULP_UNKNOWN) printf("  %-18s approximate: no bound is known\n", "accuracy");
        else printf("  %-18s hardware's results are within %" PRIu32 " ULP\n", "accuracy", ulp);
    }
}

static void print_properties(const info_page *page) {
    ez_op_properties p = ez_op_properties_on(page->op, page->base);
    char title[64];
    snprintf(title, sizeof title, "properties on %s", ez_target_name(page->base));
    heading(title);
    if (p.floating) {
        printf("  %-18s %s\n", "IEEE", p.ieee ? "yes: MODE.IEEE decides what becomes of signalling NaNs"
                                              : "always: the target has no MODE.IEEE");
        printf("  %-18s %s\n", "denormals", "supported, by the denormal fields of MODE");
        printf("  %-18s %s\n", "round mode", "supported, by the round fields of MODE");
        printf("  %-18s %s\n", "exception flags", "raised");
    }
    printf("  %-18s %s\n", "saturation", p.clamp ? "supported: clamp" : "no");
    printf("  %-18s %s\n", "output modifier", p.omod ? "supported: mul:2, mul:4, div:2" : "no");
    printf("  %-18s %s\n", "source modifiers", p.source_modifiers ? "neg, abs" : "no");
    printf("  %-18s %s\n", "halves", p.op_sel ? "supported" : "no");
    print_accuracy(page);
    for (unsigned i = 0; ez_op_mark(page->op, page->base, i); i++)
        printf("  %-18s %s\n", i ? "" : "marks", ez_op_mark(page->op, page->base, i));
}

/* ---- targets ---- */

/* Whether two targets have the operation alike: then one line stands for both. */
static bool alike(const info_page *page, const ez_target *a, const ez_target *b) {
    ez_op_form x[EZ_OP_FORMS_MAX], y[EZ_OP_FORMS_MAX];
    if (strcmp(ez_target_architecture(a), ez_target_architecture(b)) ||
        !ez_op_name(page->op, a) != !ez_op_name(page->op, b))
        return false;
    if (!ez_op_name(page->op, a)) return true;
    size_t n = ez_op_forms(page->op, a, x, EZ_OP_FORMS_MAX);
    if (n != ez_op_forms(page->op, b, y, EZ_OP_FORMS_MAX)) return false;
    for (size_t i = 0; i < n; i++)
        if (x[i].form != y[i].form || x[i].identifier != y[i].identifier) return false;
    return !strcmp(ez_op_name(page->op, a), ez_op_name(page->op, b)) &&
           info_executable(page->op, a) == info_executable(page->op, b);
}

/* Whether a target before this one is alike, so that its line stands for both. */
static bool earlier(const info_page *page, size_t t) {
    for (size_t i = 0; i < t; i++)
        if (alike(page, ez_target_at(i), ez_target_at(t))) return true;
    return false;
}

static void print_opcodes(const info_page *page) {
    char title[80];
    snprintf(title, sizeof title, "opcodes, compared with %s", ez_target_name(page->base));
    heading(title);
    printf("  %-9s %-15s %-24s %-9s %-12s %s\n", "", "from", "name", "encoding", "opcode", "identifier");
    for (size_t t = 0; t < ez_target_count(); t++) {
        const ez_target *target = ez_target_at(t);
        ez_op_form form;
        char opcode[32];
        if (earlier(page, t)) continue;
        if (!ez_op_name(page->op, target) || !ez_op_forms(page->op, target, &form, 1)) continue;
        snprintf(opcode, sizeof opcode, "%u (0x%x)", form.opcode, form.opcode);
        printf("  %-9s %-15s %-24s %-9s %-12s 0x%08X  %s\n", ez_target_architecture(target),
               ez_target_name(target), ez_op_name(page->op, target), form.encoding, opcode,
               (unsigned)form.identifier, info_compared(page, target));
    }
}

static void print_matrix(const info_page *page) {
    heading("targets");
    for (size_t t = 0; t < ez_target_count(); t++) {
        const ez_target *target = ez_target_at(t);
        if (earlier(page, t)) continue;
        ez_op_form forms[EZ_OP_FORMS_MAX];
        size_t n = ez_op_forms(page->op, target, forms, EZ_OP_FORMS_MAX);
        char list[100] = "";
        for (size_t i = 0, used = 0; i < n; i++)
            used += (size_t)snprintf(list + used, sizeof list - used, " %s",
                                     *forms[i].name ? forms[i].name : forms[i].encoding);
        paragraph p = {12, printf("  %-9s", ez_target_architecture(target))};
        for (size_t i = t; i < ez_target_count(); i++)
            if (alike(page, target, ez_target_at(i))) add_word(&p, ez_target_name(ez_target_at(i)));
        end_paragraph(&p);
        if (!n) printf("%12sno\n", "");
        else
            printf("%11s%s; %s\n", "", list,
                   info_executable(page->op, target) ? "runs" : "cannot be run yet");
    }
}

/* ---- semantics, example, related ---- */

static void print_semantics(const info_page *page) {
    heading("semantics");
    const char *note = ez_op_note(page->op);
    if (!note) note = ez_op_about(page->op);
    while (*note) {
        size_t n = strcspn(note, "\n");
        printf("%s%.*s\n", n ? "  " : "", (int)n, note);
        note += n + (note[n] == '\n');
    }
}

static void print_related(const info_page *page) {
    unsigned ops[RELATED_MAX];
    size_t n = ez_op_related(page->op, ops, RELATED_MAX);
    if (!n) return;
    paragraph p = {2, 0};
    heading("related");
    for (size_t i = 0; i < n && i < RELATED_MAX; i++) {
        const char *name = ez_op_name(ops[i], page->base), *names[NAMES_MAX];
        if (!name && ez_op_names(ops[i], names, NAMES_MAX)) name = names[0];
        if (name) add_word(&p, name);
    }
    end_paragraph(&p);
}

void info_print(const info_page *page) {
    bool colour = cli_colour(stdout);
    printf("%s%s%s  %s, %s\n", colour ? "\033[1m" : "", ez_op_name(page->op, page->base),
           colour ? "\033[0m" : "", ez_op_id(page->op), ez_op_category(page->op));
    printf("%s\n", ez_op_about(page->op));
    print_names(page);
    print_forms(page);
    print_operands(page);
    print_semantics(page);
    print_properties(page);
    if (!page->only_base) {
        print_opcodes(page);
        print_matrix(page);
    }
    print_related(page);
}
