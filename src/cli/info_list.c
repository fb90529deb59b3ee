/* SPDX-License-Identifier: Apache-2.0 */
/* execz info --list and --search: instructions, a line each. */
#include "info.h"

#include <ctype.h>
#include <jansson.h>
#include <string.h>
#include <stdlib.h>

enum { NAMES_MAX = 16, WORDS_MAX = 16 };

void info_place(unsigned op, const ez_target *target, char text[INFO_PLACE_MAX]) {
    ez_op_form form = {.encoding = "-"};
    ez_op_forms(op, target, &form, 1);
    snprintf(text, INFO_PLACE_MAX, "%-8s %u (0x%x)", form.encoding, form.opcode, form.opcode);
}

/* The target that speaks for an operation when none is asked for: the newest that has it. */
static const ez_target *speaker(unsigned op, const ez_target *target) {
    for (size_t i = ez_target_count(); !target && i--;)
        if (ez_op_name(op, ez_target_at(i))) target = ez_target_at(i);
    return target && ez_op_name(op, target) ? target : NULL;
}

/* ---- search ---- */

static bool contains(const char *text, const char *word, size_t length) {
    for (; text && *text; text++) {
        size_t n = 0;
        while (n < length && text[n] && tolower((unsigned char)text[n]) == tolower((unsigned char)word[n]))
            n++;
        if (n == length) return true;
    }
    return false;
}

static bool has_word(unsigned op, const char *word, size_t length) {
    const char *names[NAMES_MAX];
    size_t n = ez_op_names(op, names, NAMES_MAX);
    for (size_t i = 0; i < n && i < NAMES_MAX; i++)
        if (contains(names[i], word, length)) return true;
    return contains(ez_op_id(op), word, length) || contains(ez_op_about(op), word, length) ||
           contains(ez_op_category(op), word, length);
}

/* Whether all words occur; no words: always. */
static bool matches(unsigned op, const char *search) {
    while (search && *search) {
        size_t blank = strspn(search, " "), n = strcspn(search + blank, " ");
        if (n && !has_word(op, search + blank, n)) return false;
        search += blank + n;
    }
    return true;
}

/* ---- output ---- */

typedef struct row {
    unsigned op;
    const ez_target *target;
    const char *name;
} row;

static int by_name(const void *a, const void *b) {
    const row *x = a, *y = b;
    int names = strcmp(x->name, y->name);
    return names ? names : x->op < y->op ? -1 : x->op > y->op;
}

static void print_row(const row *r) {
    ez_op_form forms[EZ_OP_FORMS_MAX];
    char place[INFO_PLACE_MAX], list[64] = "";
    size_t n = ez_op_forms(r->op, r->target, forms, EZ_OP_FORMS_MAX);
    for (size_t i = 0, used = 0; i < n; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? " " : "", forms[i].name);
    info_place(r->op, r->target, place);
    printf("%-32s %-22s %-42s %s\n", r->name, place, list, ez_op_about(r->op));
}

static json_t *row_json(const row *r) {
    ez_op_form forms[EZ_OP_FORMS_MAX];
    json_t *list = json_array();
    size_t n = ez_op_forms(r->op, r->target, forms, EZ_OP_FORMS_MAX);
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_string(forms[i].name));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:o, s:s, s:b}", "name", r->name, "id", ez_op_id(r->op),
                     "target", ez_target_name(r->target), "category", ez_op_category(r->op), "encoding",
                     n ? forms[0].encoding : "", "opcode", n ? (int)forms[0].opcode : 0, "forms", list,
                     "about", ez_op_about(r->op), "executable", (int)info_executable(r->op, r->target));
}

static int print_json(const row *rows, size_t count) {
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, row_json(&rows[i]));
    int failed = json_dumpf(list, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(list);
    return failed ? CLI_INPUT : CLI_OK;
}

int info_list(const ez_target *target, const char *search, bool json) {
    row *rows = malloc(ez_op_count() * sizeof *rows);
    size_t count = 0;
    if (!rows) return cli_error("out of memory");
    for (unsigned op = 1; op <= ez_op_count(); op++) {
        const ez_target *t = speaker(op, target);
        if (t && matches(op, search)) rows[count++] = (row){op, t, ez_op_name(op, t)};
    }
    qsort(rows, count, sizeof *rows, by_name);
    int status = CLI_OK;
    if (json) status = print_json(rows, count);
    else if (!count) status = cli_error("no instruction has '%s'", search);
    for (size_t i = 0; i < count && !json; i++)
        print_row(&rows[i]);
    free(rows);
    return status;
}
