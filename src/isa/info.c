/* SPDX-License-Identifier: Apache-2.0 */
/* What a reference page says of an operation as a row; its bits are described in codec/describe.c. */
#include "execz/isa.h"
#include "isa.h"

#include <ctype.h>
#include <string.h>

static bool valid(unsigned op) { return op > EZ_OP_NONE && op < EZ_OP_COUNT; }

unsigned ez_op_count(void) { return EZ_OP_COUNT - 1; }

const char *ez_op_id(unsigned op) { return valid(op) ? ez_rows[op].id : ""; }
const char *ez_op_about(unsigned op) { return valid(op) ? ez_rows[op].about : ""; }
const char *ez_op_note(unsigned op) { return valid(op) ? ez_rows[op].note : NULL; }

/* ---- finding ---- */

size_t ez_op_name_count(void) { return ez_mnemonic_count; }

const char *ez_op_name_at(size_t index) {
    return index < ez_mnemonic_count ? ez_mnemonics[index].name : NULL;
}

static size_t add(unsigned op, unsigned *ops, size_t room, size_t n) {
    for (size_t i = 0; i < n && i < room; i++)
        if (ops[i] == op) return n;
    if (n < room) ops[n] = op;
    return n + 1;
}

size_t ez_op_find(const char *name, unsigned *ops, size_t room) {
    static const char *const suffixes[] = {"", "_e32", "_e64", "_sdwa", "_dpp", "_e64_dpp"};
    char lower[64];
    size_t length = strlen(name), n = 0;
    if (length >= sizeof lower) return 0;
    for (size_t i = 0; i <= length; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    for (size_t s = 0; s < sizeof suffixes / sizeof suffixes[0]; s++) {
        size_t count, tail = strlen(suffixes[s]);
        if (tail >= length || strcmp(lower + length - tail, suffixes[s])) continue;
        const ez_mnemonic *m = ez_mnemonic_find(lower, length - tail, &count);
        for (size_t i = 0; m && i < count; i++)
            n = add(m[i].op, ops, room, n);
    }
    for (unsigned op = 1; op < EZ_OP_COUNT; op++) {
        size_t i = 0;
        while (lower[i] && tolower((unsigned char)ez_rows[op].id[i]) == lower[i])
            i++;
        if (!lower[i] && !ez_rows[op].id[i]) n = add(op, ops, room, n);
    }
    return n;
}

size_t ez_op_names(unsigned op, const char **names, size_t room) {
    size_t n = 0;
    for (unsigned k = 0; valid(op) && k < ez_rows[op].nspellings; k++) {
        const char *name = ez_spellings[ez_rows[op].spellings + k].name;
        bool known = !name;
        for (size_t i = 0; i < n && i < room && !known; i++)
            known = !strcmp(names[i], name);
        if (known) continue;
        if (n < room) names[n] = name;
        n++;
    }
    return n;
}

const char *ez_op_name(unsigned op, const ez_target *target) {
    const ez_spelling *s = valid(op) ? ez_spelling_on(target, op) : NULL;
    return s ? s->name : NULL;
}

/* ---- category ---- */

const char *ez_op_category(unsigned op) {
    /* by the first encoding that it has; the longest beginning that fits */
    static const struct {
        const char *encoding, *category;
    } categories[] = {{"SOPP", "program control"}, {"SOP", "scalar ALU"},
                      {"SMEM", "scalar memory"},   {"VOPD", "vector ALU, two at once"},
                      {"VOPC", "vector ALU, comparison"}, {"VOP3P", "vector ALU, packed or matrix"},
                      {"VOP", "vector ALU"},       {"VINTE", "interpolation"},
                      {"VINT", "interpolation"},   {"LDSDIR", "interpolation"},
                      {"DS", "local data share"},  {"VDS", "local data share"},
                      {"FLAT", "flat memory"},     {"VFLAT", "flat memory"},
                      {"GLOBAL", "global memory"}, {"VGLOBAL", "global memory"},
                      {"SCRATCH", "scratch memory"}, {"VSCRATCH", "scratch memory"},
                      {"MUBUF", "buffer memory"},  {"MTBUF", "typed buffer memory"},
                      {"VBUFFER", "buffer memory"}, {"MIMG", "image memory"},
                      {"VIMAGE", "image memory"},  {"VSAMPLE", "image memory"},
                      {"VTENSOR", "tensor memory"}, {"EXP", "export"}, {"VEXPORT", "export"}};
    if (!valid(op)) return "";
    for (unsigned k = 0; k < ez_rows[op].nspellings; k++) {
        const ez_spelling *s = &ez_spellings[ez_rows[op].spellings + k];
        const char *encoding = s->name ? ez_encoding_names[s->encoding] : "";
        for (size_t i = 0; s->name && i < sizeof categories / sizeof categories[0]; i++)
            if (!strncmp(encoding, categories[i].encoding, strlen(categories[i].encoding)))
                return categories[i].category;
    }
    return "other";
}

/* ---- related operations, by the words of the ids ---- */

enum { ID_MAX = 64 };

/* An id taken apart: "PK_MIN3_F16" is the stem MIN of the type F16. */
typedef struct parts {
    char stem[ID_MAX], type[ID_MAX];
} parts;

static bool is_type(const char *word, size_t n) {
    size_t letters = 0;
    while (letters < n && isalpha((unsigned char)word[letters]))
        letters++;
    return letters && letters < 3 && letters < n && strchr("BIUF", word[0]) && n - letters < 5 &&
           isdigit((unsigned char)word[letters]);
}

/* Puts another word behind text, with _ between. */
static void append(char *text, const char *word, size_t n) {
    size_t used = strlen(text);
    if (used + n + 2 > ID_MAX) return;
    if (used) text[used++] = '_';
    memcpy(text + used, word, n);
    text[used + n] = 0;
}

static parts take_apart(const char *id) {
    parts p = {"", ""};
    for (bool first = true; *id; first = false) {
        size_t n = strcspn(id, "_"), letters = n;
        while (letters && isdigit((unsigned char)id[letters - 1]))
            letters--;
        bool prefix = first && ((n == 2 && !strncmp(id, "PK", 2)) || (n == 1 && *id == 'S'));
        if (is_type(id, n)) append(p.type, id, n);
        else if (!prefix) append(p.stem, id, letters);
        id += n + (id[n] == '_');
    }
    return p;
}

static const char *const counterparts[][2] = {{"MIN", "MAX"},   {"ADD", "SUB"},   {"LOAD", "STORE"},
                                              {"READ", "WRITE"}, {"AND", "OR"},   {"LSHL", "LSHR"},
                                              {"FLOOR", "CEIL"}, {"SIN", "COS"},  {"EXP", "LOG"},
                                              {"RCP", "RSQ"},   {"LSHLREV", "LSHRREV"}};

/* Whether b is a with one word (or the beginning of one: MINIMUM) exchanged for its counterpart. */
static bool counterpart(const char *a, const char *b) {
    for (size_t i = 0; i < sizeof counterparts / sizeof counterparts[0]; i++)
        for (int k = 0; k < 2; k++) {
            const char *from = counterparts[i][k], *to = counterparts[i][!k];
            const char *at = strstr(a, from);
            size_t before = (size_t)(at - a), n = strlen(from), m = strlen(to);
            if (at && (at == a || at[-1] == '_') && !strncmp(a, b, before) &&
                !strncmp(b + before, to, m) && !strcmp(b + before + m, at + n))
                return true;
        }
    return false;
}

/* 0: not related; the less the nearer. */
static unsigned nearness(const parts *a, const parts *b) {
    bool type = !strcmp(a->type, b->type), stem = !strcmp(a->stem, b->stem);
    bool other = counterpart(a->stem, b->stem);
    size_t n = strlen(a->stem);
    if (stem && type) return 1;
    if (other && type) return 2;
    if (type && n > 2 && !strncmp(a->stem, b->stem, n)) return 3; /* MIN, MINIMUM, MINMAX */
    if (stem) return 4;
    return 0;
}

size_t ez_op_related(unsigned op, unsigned *ops, size_t room) {
    size_t n = 0;
    if (!valid(op)) return 0;
    parts mine = take_apart(ez_rows[op].id);
    for (unsigned near = 1; near <= 4; near++)
        for (unsigned other = 1; other < EZ_OP_COUNT; other++) {
            parts its = take_apart(ez_rows[other].id);
            if (other != op && *mine.stem && nearness(&mine, &its) == near)
                n = add(other, ops, room, n);
        }
    return n;
}
