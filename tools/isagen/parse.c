/* SPDX-License-Identifier: Apache-2.0 */
#include "isagen.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

isa I;

static const char *file;
static int line;
static int current_encoding = -1;

static const char *const form_names[FORM_COUNT] = {"base", "sdwa",      "dpp16",   "dpp8",
                                                   "e64",  "e64_dpp16", "e64_dpp8"};

void fail(const char *where, int at, const char *format, ...) {
    va_list args;
    fprintf(stderr, "%s:%d: error: ", where, at);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

static void *need(void *p) {
    if (!p) fail("isagen", 0, "out of memory");
    return p;
}

int name_find(const names *list, const char *name) {
    for (int i = 0; i < list->count; i++)
        if (!strcmp(list->name[i], name)) return i;
    return -1;
}

int name_add(names *list, const char *name) {
    int at = name_find(list, name);
    if (at >= 0) return at;
    if (list->count == MAX_NAMES) fail(file, line, "too many names");
    list->name[list->count] = need(strdup(name));
    return list->count++;
}

static int name_need(const names *list, const char *name, const char *what) {
    int at = name_find(list, name);
    if (at < 0) fail(file, line, "unknown %s '%s'", what, name);
    return at;
}

/* ---- words ---- */

/* The next word of *text, ended by white space; "..." is one word without its quotes. NULL at the end. */
static char *word(char **text) {
    char *s = *text + strspn(*text, " \t");
    if (!*s) return NULL;
    char *start = s;
    if (*s == '"') {
        start = ++s;
        s = strchr(s, '"');
        if (!s) fail(file, line, "a quote is not closed");
    } else {
        s += strcspn(s, " \t");
    }
    *text = *s ? s + 1 : s;
    *s = 0;
    return start;
}

static char *need_word(char **text, const char *what) {
    char *w = word(text);
    if (!w) fail(file, line, "expected %s", what);
    return w;
}

static long number(const char *text) {
    char *end;
    long value = strtol(text, &end, 0);
    if (end == text || *end) fail(file, line, "expected a number, not '%s'", text);
    return value;
}

static void set_bit(uint64_t *set, int bit) {
    set[bit / 64] |= UINT64_C(1) << (bit % 64);
}
static void clear_bit(uint64_t *set, int bit) {
    set[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
}

static int gen_need(const char *name) {
    for (int i = 0; i < I.ngens; i++)
        if (!strcmp(I.gens[i].name, name)) return i;
    fail(file, line, "unknown generation '%s'", name);
}

/* "gfx9+dot5!gfx90a": from gfx9 on, with feature dot5, without feature gfx90a. */
static condition parse_condition(const char *text) {
    condition c = {0};
    char buf[128];
    size_t n = strcspn(text, "+!");
    snprintf(buf, sizeof buf, "%.*s", (int)n, text);
    c.gen = gen_need(buf);
    for (text += n; *text; text += n) {
        char sign = *text++;
        n = strcspn(text, "+!");
        snprintf(buf, sizeof buf, "%.*s", (int)n, text);
        set_bit(sign == '+' ? c.need : c.refuse, name_need(&I.features, buf, "feature"));
    }
    return c;
}

/* ---- one directive each ---- */

static void parse_feature(char *text) {
    int at = name_add(&I.features, need_word(&text, "a feature name"));
    I.features.note[at] = need(strdup(need_word(&text, "a sentence in quotes")));
}

static void change_features(uint64_t *set, char *text) {
    char *w;
    while ((w = word(&text))) {
        if (*w != '+' && *w != '-') fail(file, line, "expected +feature or -feature, not '%s'", w);
        int f = name_need(&I.features, w + 1, "feature");
        if (*w == '+') set_bit(set, f);
        else clear_bit(set, f);
    }
}

/* gen gfx90a from gfx9 "GFX9" +packed_tid ... */
static void parse_gen(char *text) {
    if (I.ngens == MAX_GENS) fail(file, line, "too many generations");
    gen *g = &I.gens[I.ngens];
    g->name = need(strdup(need_word(&text, "a name")));
    need_word(&text, "from");
    char *parent = need_word(&text, "the generation that it grew from, or -");
    g->parent = strcmp(parent, "-") ? gen_need(parent) : -1;
    if (g->parent >= 0) memcpy(g->features, I.gens[g->parent].features, sizeof g->features);
    g->title = need(strdup(need_word(&text, "a title")));
    change_features(g->features, text);
    I.ngens++;
}

/* target gfx942 gfx940 0x4c "CDNA 3" "MI300A, MI300X" +feature ... */
static void parse_target(char *text) {
    if (I.ntargets == MAX_TARGETS) fail(file, line, "too many targets");
    target *t = &I.targets[I.ntargets++];
    t->name = need(strdup(need_word(&text, "a name")));
    t->gen = gen_need(need_word(&text, "a generation"));
    t->mach = (unsigned)number(need_word(&text, "the ELF machine number"));
    t->arch = need(strdup(need_word(&text, "the architecture in quotes")));
    t->products = need(strdup(need_word(&text, "the products in quotes")));
    memcpy(t->features, I.gens[t->gen].features, sizeof t->features);
    change_features(t->features, text);
}

static int target_need(const char *name) {
    for (int i = 0; i < I.ntargets; i++)
        if (!strcmp(I.targets[i].name, name)) return i;
    fail(file, line, "no target %s", name);
}

/* covers gfx12-generic gfx1200 gfx1201 */
static void parse_covers(char *text) {
    target *generic = &I.targets[target_need(need_word(&text, "a generic target"))];
    if (generic->covers) fail(file, line, "what %s covers is said already", generic->name);
    for (const char *name = need_word(&text, "a target"); name; name = word(&text)) {
        uint64_t bit = UINT64_C(1) << target_need(name);
        if (generic->covers & bit) fail(file, line, "%s twice", name);
        generic->covers |= bit;
    }
}

/* board gfx900 "Radeon Instinct MI25" 0x6860 64 ... */
static void parse_board(char *text) {
    target *t = &I.targets[target_need(need_word(&text, "a target"))];
    board *b = &t->board;
    if (b->product) fail(file, line, "%s has a board already", t->name);
    b->product = need(strdup(need_word(&text, "the product in quotes")));
    for (int n = 0; n < BOARD_NUMBERS; n++)
        b->number[n] = (unsigned)number(need_word(&text, "ten numbers"));
}

/* type f16 16 FMT_NUM_F16 [wave]: wave: the width in waves of 32, half of it in waves of 64 */
static void parse_type(char *text) {
    int at = name_add(&I.types, need_word(&text, "a type name"));
    I.type_bits[at] = (int)number(need_word(&text, "a width in bits"));
    I.types.note[at] = need(strdup(need_word(&text, "AMD's name of the format")));
    char *wave = word(&text);
    if (wave && strcmp(wave, "wave")) fail(file, line, "expected 'wave', not '%s'", wave);
    I.type_by_wave[at] = wave != NULL;
}

static void parse_bits(const char *text, int *hi, int *lo) {
    char *end;
    *hi = (int)strtol(text, &end, 10);
    *lo = *hi;
    if (*end == ':') *lo = (int)strtol(end + 1, &end, 10);
    if (*end || *hi < *lo || *hi >= 192) fail(file, line, "bad bit range '%s'", text);
}

static void set_bits(uint32_t *words, int hi, int lo, long value) {
    uint32_t mask = (uint32_t)((UINT64_C(1) << (hi - lo + 1)) - 1);
    if (value < 0 || value > (long)mask) fail(file, line, "value 0x%lx does not fit", value);
    if (lo / 32 >= 4) fail(file, line, "fixed and default bits lie in dwords 0 to 3");
    words[lo / 32] |= (uint32_t)value << (lo & 31);
}

/* [D:|S:|Z:]name=hi:lo[/class][~default] */
static void parse_field(encoding *e, char *w) {
    if (e->nfields == MAX_FIELDS) fail(file, line, "too many fields");
    field *f = &e->fields[e->nfields++];
    if (w[0] && w[1] == ':') {
        f->role = w[0];
        w += 2;
    }
    char *eq = strchr(w, '=');
    if (!eq) fail(file, line, "expected name=hi:lo, not '%s'", w);
    *eq = 0;
    f->name = name_add(&I.fields, w);
    char *tilde = strchr(eq + 1, '~');
    if (tilde) *tilde = 0;
    char *slash = strchr(eq + 1, '/');
    if (slash) *slash = 0;
    f->cls = name_need(&I.classes, slash ? slash + 1 : "n", "class");
    int hi, lo;
    parse_bits(eq + 1, &hi, &lo);
    if (hi - lo + 1 > 32 || hi / 32 != lo / 32) fail(file, line, "field %s crosses a dword", w);
    f->lo = (uint8_t)lo;
    f->width = (uint8_t)(hi - lo + 1);
    if (tilde) set_bits(e->preset, hi, lo, number(tilde + 1));
}

/* encoding VOP2 gfx8 1 31:31=0 op=30:25 D:vdst=24:17/v ... : fixed bits of dword 0 tell the encoding from
 * others; those of later dwords and those with ! must be so, or it is no instruction. */
static void parse_encoding(char *text) {
    if (I.ndefs == MAX_ENCODINGS) fail(file, line, "too many encodings");
    encoding *e = &I.defs[I.ndefs++];
    e->file = file;
    e->line = line;
    e->name = name_add(&I.encodings, need_word(&text, "a name"));
    e->when = parse_condition(need_word(&text, "a generation"));
    e->dwords = (int)number(need_word(&text, "a size in dwords"));
    char *w;
    while ((w = word(&text))) {
        if (isdigit((unsigned char)*w) || *w == '!') { /* fixed bits: hi:lo=value */
            bool required = *w == '!';
            if (required) w++;
            char *eq = strchr(w, '=');
            if (!eq) fail(file, line, "expected hi:lo=value, not '%s'", w);
            *eq = 0;
            int hi, lo;
            parse_bits(w, &hi, &lo);
            if (hi / 32 != lo / 32) fail(file, line, "fixed bits cross a dword");
            uint32_t mask = (uint32_t)((UINT64_C(1) << (hi - lo + 1)) - 1);
            set_bits(e->fixed, hi, lo, (long)mask);
            set_bits(e->preset, hi, lo, number(eq + 1));
            if (!required && hi < 32) {
                e->mask |= mask << lo;
                e->value |= (uint32_t)number(eq + 1) << lo;
            }
        } else {
            parse_field(e, w);
        }
    }
}

/* derive VOP3 VOP1 gfx10 0x180 */
static void parse_derive(char *text) {
    derivation *d = &I.derive[I.nderive++];
    d->to = name_need(&I.encodings, need_word(&text, "an encoding"), "encoding");
    d->from = name_need(&I.encodings, need_word(&text, "an encoding"), "encoding");
    d->when = parse_condition(need_word(&text, "a generation"));
    d->base = (int)number(need_word(&text, "the opcode of opcode 0"));
}

/* special 125 null null gfx8!null_is_124 gfx8+null_sgpr */
static void parse_special(char *text) {
    if (I.nspecials == 64) fail(file, line, "too many named registers");
    special *r = &I.specials[I.nspecials++];
    r->code = (int)number(need_word(&text, "an operand code"));
    r->name = need(strdup(need_word(&text, "a name")));
    char *pair = need_word(&text, "the pair's name or -");
    r->pair = strcmp(pair, "-") ? need(strdup(pair)) : NULL;
    r->decodes = r->assembles = parse_condition(need_word(&text, "a generation"));
    char *w = word(&text);
    if (w) r->assembles = parse_condition(w);
}

/* symbol hwreg 3 HW_REG_TRAPSTS gfx8 gfx12 */
static void parse_symbol(char *text) {
    if (I.nsymbols == (int)(sizeof I.symbols / sizeof I.symbols[0])) fail(file, line, "too many symbols");
    symbol *s = &I.symbols[I.nsymbols++];
    s->kind = name_add(&I.kinds, need_word(&text, "a kind"));
    s->code = (int)number(need_word(&text, "a number"));
    s->name = need(strdup(need_word(&text, "a name")));
    s->from = parse_condition(need_word(&text, "a generation"));
    char *w = word(&text);
    s->ends = w != NULL;
    if (w) s->until = parse_condition(w);
}

/* note ID "line" "line" ...: what the reference page says about a row beyond its one sentence */
static void parse_note(char *text) {
    if (I.nnotes == 512) fail(file, line, "too many notes");
    note *n = &I.notes[I.nnotes++];
    n->id = need(strdup(need_word(&text, "a row's id")));
    n->text = need(strdup(need_word(&text, "text in quotes")));
}

/* ---- rows ---- */

/* D.f16  S.src1:b32/ss  X.b64 : access, optional field, type, optional class */
static void parse_operand(row *r, char *w) {
    if (r->noperands == MAX_OPERANDS) fail(file, line, "too many operands");
    operand *o = &r->operands[r->noperands++];
    o->access = w[0];
    o->field = -1;
    o->cls = -1;
    w += 2;
    char *slash = strchr(w, '/');
    if (slash) {
        *slash = 0;
        o->cls = name_need(&I.classes, slash + 1, "class");
    }
    char *colon = strchr(w, ':');
    if (colon) {
        *colon = 0;
        o->field = name_need(&I.fields, w, "field");
        w = colon + 1;
    }
    o->type = name_need(&I.types, w, "type");
}

static int row_flag(const char *name) {
    int flag = name_need(&I.flags, name, "row flag");
    if (flag >= 128) fail(file, line, "too many row flags");
    return flag;
}

static void drop_forms(spelling *s, const char *text) {
    char buf[32];
    while (*text) {
        size_t n = strcspn(text, ",");
        snprintf(buf, sizeof buf, "%.*s", (int)n, text);
        int f = 0;
        while (f < FORM_COUNT && strcmp(form_names[f], buf))
            f++;
        if (!strcmp(buf, "dpp")) s->forms &= ~(1u << FORM_DPP16 | 1u << FORM_DPP8);
        else if (!strcmp(buf, "e64_dpp")) s->forms &= ~(1u << FORM_E64_DPP16 | 1u << FORM_E64_DPP8);
        else if (f == FORM_COUNT) fail(file, line, "unknown form '%s'", buf);
        else s->forms &= ~(1u << f);
        text += n + (text[n] == ',');
    }
}

/* gfx9+dot5 v_dot2c_f32_f16 VOP2:0x37 e64:0x137 no:sdwa,dpp ; name, encoding and forms carry over from
 * the spelling before unless given; "none": absent from here on. */
static void parse_spelling(row *r, char *text) {
    if (r->nspellings == MAX_SPELLINGS) fail(file, line, "too many spellings");
    spelling *s = &r->spellings[r->nspellings];
    spelling *before = NULL; /* the last spelling that is not "none" */
    for (int i = 0; i < r->nspellings; i++)
        if (r->spellings[i].name) before = &r->spellings[i];
    char *w = need_word(&text, "a generation");
    *s = before ? *before : (spelling){.encoding = r->encoding, .opcode = -1};
    s->forms = (1u << FORM_COUNT) - 1;
    s->opcode_e64 = -1;
    if (!before) memcpy(s->flags, r->flags, sizeof s->flags);
    s->when = parse_condition(w);
    while ((w = word(&text))) {
        char *colon = strchr(w, ':');
        if (!strcmp(w, "none")) {
            s->name = NULL;
            s->opcode = -1;
        } else if (*w == '+' || *w == '-') {
            int bit = row_flag(w + 1);
            if (*w == '+') set_bit(s->flags, bit);
            else clear_bit(s->flags, bit);
        } else if (!strncmp(w, "no:", 3)) {
            drop_forms(s, w + 3);
        } else if (!strncmp(w, "e64:", 4)) {
            s->opcode_e64 = (int)number(w + 4);
        } else if (colon) {
            *colon = 0;
            s->encoding = name_need(&I.encodings, w, "encoding");
            s->opcode = (int)number(colon + 1);
        } else if (isdigit((unsigned char)*w)) {
            s->opcode = (int)number(w);
        } else {
            s->name = need(strdup(w));
        }
    }
    r->nspellings++;
}

static char *section(char **text) {
    char *s = *text;
    if (!s) return NULL;
    char *bar = strchr(s, '|');
    if (bar) *bar = 0;
    *text = bar ? bar + 1 : NULL;
    return s;
}

static bool is_id(const char *w) {
    return isupper((unsigned char)*w) && !w[strspn(w, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

/* "v_*" of CMP_LT_F32: "v_cmp_lt_f32" */
static const char *family_name(const char *pattern, const char *id) {
    const char *star = pattern ? strchr(pattern, '*') : NULL;
    if (!star) return pattern;
    char buf[128];
    int at = snprintf(buf, sizeof buf, "%.*s", (int)(star - pattern), pattern);
    for (const char *s = id; *s && at < (int)sizeof buf - 1; s++)
        buf[at++] = (char)tolower((unsigned char)*s);
    snprintf(buf + at, sizeof buf - (size_t)at, "%s", star + 1);
    return need(strdup(buf));
}

/* "S0 {<;=;>} S1": the k-th of what stands in braces */
static const char *family_sentence(const char *text, int k) {
    char buf[1024];
    size_t at = 0;
    while (*text && at + 1 < sizeof buf) {
        if (*text != '{') {
            buf[at++] = *text++;
            continue;
        }
        const char *end = strchr(text, '}');
        if (!end) fail(file, line, "a brace is not closed");
        const char *s = text + 1;
        for (int i = 0; i < k; i++) {
            s += strcspn(s, ";}");
            if (*s == '}') fail(file, line, "too few words in braces");
            s++;
        }
        for (; *s != ';' && *s != '}' && at + 1 < sizeof buf; s++)
            buf[at++] = *s;
        text = end + 1;
    }
    buf[at] = 0;
    return need(strdup(buf));
}

/* The rows of a line with several ids: the opcode of the k-th is that of the line plus k. */
static void expand_family(row *r, char *const *ids, int count) {
    row line_row = *r;
    if (I.nrows - 1 + count > MAX_ROWS) fail(file, line, "too many rows");
    I.nrows += count - 1;
    for (int k = 0; k < count; k++) {
        r[k] = line_row;
        r[k].id = ids[k];
        r[k].about = family_sentence(line_row.about, k);
        for (int i = 0; i < r[k].nspellings; i++) {
            spelling *s = &r[k].spellings[i];
            s->name = family_name(s->name, ids[k]);
            if (s->opcode >= 0) s->opcode += k;
            if (s->opcode_e64 >= 0) s->opcode_e64 += k;
        }
    }
}

/* 32x32x1/2: M, N, K and, where not 1, blocks of a matrix instruction */
static void parse_dims(row *r, const char *text) {
    char end;
    r->dims[3] = 1;
    int n = sscanf(text, "%dx%dx%d/%d%c", &r->dims[0], &r->dims[1], &r->dims[2], &r->dims[3], &end);
    if (n != 3 && n != 4) fail(file, line, "expected dims:MxNxK or dims:MxNxK/BLOCKS");
}

/* ID ... operands flags | spelling, spelling | one sentence */
static void parse_row(char *id, char *text) {
    if (current_encoding < 0) fail(file, line, "a row before any 'rows' line");
    if (I.nrows == MAX_ROWS) fail(file, line, "too many rows");
    row *r = &I.rows[I.nrows++];
    char *ids[MAX_FAMILY];
    int nids = 1;
    r->id = ids[0] = need(strdup(id));
    r->file = file;
    r->line = line;
    r->encoding = current_encoding;
    char *left = section(&text), *middle = section(&text), *w;
    while ((w = word(&left))) {
        if (strchr("DSX", *w) && w[1] == '.') parse_operand(r, w);
        else if (!strncmp(w, "of:", 3)) r->single = need(strdup(w + 3));
        else if (!strncmp(w, "dims:", 5)) parse_dims(r, w + 5);
        else if (is_id(w)) {
            if (nids == MAX_FAMILY) fail(file, line, "too many ids in a line");
            ids[nids++] = need(strdup(w));
        } else {
            set_bit(r->flags, row_flag(w));
        }
    }
    if (!middle) fail(file, line, "expected '|' and spellings");
    while (middle) {
        char *comma = middle;
        /* a comma that ends a spelling has white space behind it; one inside no:a,b has none */
        while ((comma = strchr(comma, ',')) && comma[1] && !isspace((unsigned char)comma[1]))
            comma++;
        if (comma) *comma = 0;
        parse_spelling(r, middle);
        middle = comma ? comma + 1 : NULL;
    }
    char *about = text ? text + strspn(text, " \t") : "";
    size_t n = strlen(about);
    while (n && isspace((unsigned char)about[n - 1]))
        about[--n] = 0;
    r->about = need(strdup(about));
    if (nids > 1 || strchr(about, '{')) expand_family(r, ids, nids);
}

static void parse_line(char *text) {
    static const struct {
        const char *name;
        void (*parse)(char *);
    } directives[] = {
        {"feature", parse_feature}, {"gen", parse_gen},           {"target", parse_target},
        {"type", parse_type},       {"encoding", parse_encoding}, {"derive", parse_derive},
        {"note", parse_note},       {"special", parse_special},   {"board", parse_board},
        {"symbol", parse_symbol},   {"covers", parse_covers},
    };
    char *w = word(&text);
    if (!w) return;
    for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++)
        if (!strcmp(w, directives[i].name)) {
            directives[i].parse(text);
            return;
        }
    if (!strcmp(w, "class")) {
        int at = name_add(&I.classes, need_word(&text, "a class"));
        I.classes.note[at] = need(strdup(need_word(&text, "a sentence in quotes")));
    } else if (!strcmp(w, "rows"))
        current_encoding = name_need(&I.encodings, need_word(&text, "an encoding"), "encoding");
    else if (!strcmp(w, "flag")) {
        int at = name_add(&I.flags, need_word(&text, "a flag"));
        I.flags.note[at] = need(strdup(need_word(&text, "a sentence in quotes")));
    } else parse_row(w, text);
}

void parse_file(const char *path) {
    FILE *in = fopen(path, "r");
    if (!in) fail(path, 0, "cannot be opened");
    file = path;
    line = 0;
    current_encoding = -1;
    char buf[4096];
    size_t used = 0;
    /* a line that ends in a backslash goes on in the next */
    while (fgets(buf + used, (int)(sizeof buf - used), in)) {
        line++;
        char *end = buf + used + strcspn(buf + used, "\n");
        *end = 0;
        char *comment = buf + used;
        bool quoted = false;
        for (; *comment && (quoted || *comment != '#'); comment++)
            if (*comment == '"') quoted = !quoted;
        *comment = 0;
        end = buf + strlen(buf);
        if (end > buf && end[-1] == '\\') {
            used = (size_t)(end - 1 - buf);
            continue;
        }
        parse_line(buf);
        used = 0;
    }
    fclose(in);
}
