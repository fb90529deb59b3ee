/* SPDX-License-Identifier: Apache-2.0 */
#include "recall.h"

#include <stdlib.h>
#include <string.h>

#include "families.h"
#include "shape.h"

enum { TOKENS = 10, KEY_ROOM = 96, ENTRIES = 2048, SLOTS = 4096, PROBES = 12, NAMES = 256 };
/* Bits of a signature beside those of tokens. */
#define BEHIND_COMMA (UINT64_C(1) << 62) /* the rest follows a comma */
#define HAS_OFFSET (UINT64_C(1) << 63)

/* ---- tokens ---- */

typedef enum token_kind {
    TOKEN_VGPR,
    TOKEN_AGPR,
    TOKEN_SGPR,
    TOKEN_NAMED,
    TOKEN_OFF,
    TOKEN_INT,
    TOKEN_FLOAT,
    TOKEN_LITERAL,
    TOKEN_OFFSET
} token_kind;

/* An operand, or offset:N. */
typedef struct token {
    uint8_t kind, dwords; /* dwords 0: fits one and two */
    uint8_t signs, half;  /* half: 'l', 'h' or 0 */
    uint16_t code;        /* number of a VGPR; operand code of a scalar; inline constant of a float */
    int64_t value;
} token;

/* A line taken apart. The key has the mnemonics and what stands behind the tokens. */
typedef struct line {
    token token[TOKENS];
    unsigned count;
    unsigned split;     /* the first token of the second half of a dual-issue instruction; 0: none */
    uint64_t signature; /* kinds, signs and halves of the tokens */
    unsigned key_length;
    char key[KEY_ROOM];
} line;

/* ---- what is remembered ---- */

typedef enum slot_kind {
    SLOT_FIXED, /* the token must be the one that was learned */
    SLOT_VGPR,
    SLOT_VGPR_Y,
    SLOT_CODE,
    SLOT_NUMBER, /* between low and high */
    SLOT_LITERAL /* the literal that is an operand of its own */
} slot_kind;

/* What a token goes to. */
typedef struct slot {
    uint8_t kind, dword, shift;
    uint8_t dwords, half;
    uint8_t scale;      /* of a scalar register's number in the field: 2^scale */
    uint8_t type, bits; /* of numbers */
    bool even, scalars, named, numbers, literal;
    bool read, source_bits; /* source_bits: VGPRs from 256 on */
    uint32_t mask;
    int32_t low, high;
    token fixed;
} slot;

typedef struct entry {
    uint64_t signature;
    uint32_t word[EZ_SHAPE_DWORDS];
    uint16_t op, layout;
    uint8_t form, dwords, count, key_length;
    uint8_t scalar_limit; /* different scalar values that tokens may read; 255: any number */
    bool vdstx_given;     /* SLOT_VGPR_Y: the lowest bits must differ */
    bool banks;           /* a dual-issue instruction whose sources must be of different banks */
    slot slot[TOKENS];
    char key[KEY_ROOM];
} entry;

typedef struct named {
    const char *name;
    uint16_t code;
    uint8_t length, dwords;
} named;

struct ez_recall {
    const ez_target *target;
    unsigned wave;
    ez_text_flags flags;
    unsigned sgprs; /* numbers below are SGPRs */
    bool even;
    named name[NAMES];  /* open addressing */
    uint64_t words[64]; /* a bit for each hash of a word in a key */
    line last;          /* that was not known */
    bool last_usable;
    unsigned entry_count;
    uint16_t slot[SLOTS];
    entry entry[ENTRIES];
};

/* ---- names ---- */

static unsigned hash_name(const char *name, size_t length) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)name[i]) * 16777619u;
    return h ^ h >> 15;
}

static named *find_name(ez_recall *r, const char *name, size_t length) {
    unsigned at = hash_name(name, length) % NAMES;
    while (r->name[at].name && (r->name[at].length != length || memcmp(r->name[at].name, name, length)))
        at = (at + 1) % NAMES;
    return &r->name[at];
}

static void add_name(ez_recall *r, const char *name, unsigned code, unsigned dwords) {
    named *n = find_name(r, name, strlen(name));
    if (!n->name) *n = (named){name, (uint16_t)code, (uint8_t)strlen(name), (uint8_t)dwords};
}

/* The named registers as items.c reads them: of two with one name the first counts. */
static void add_names(ez_recall *r) {
    unsigned index = (unsigned)(r->target - ez_targets), used = 0;
    for (const ez_special *s = ez_specials; s->name && used < NAMES / 2; s++) {
        if (!((s->assembles & s->decodes) >> index & 1) || s->code == EZ_CODE_LDS_DIRECT) continue;
        const char *both[] = {s->name, s->pair};
        for (unsigned i = 0; i < 2 && both[i]; i++) {
            unsigned dwords = s->pair && !strcmp(s->name, s->pair) ? 0 : i + 1;
            add_name(r, both[i], s->code, dwords);
            used++;
        }
    }
}

ez_recall *ez_recall_open(const ez_target *target, unsigned wave, ez_text_flags flags) {
    ez_recall *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->target = target;
    r->wave = wave;
    r->flags = flags;
    r->sgprs = ez_has(target, EZ_HAS_sgpr_106) ? 106 : 102;
    r->even = ez_has(target, EZ_HAS_even_vgprs);
    add_names(r);
    return r;
}

void ez_recall_close(ez_recall *r) {
    free(r);
}

static void forget(ez_recall *r) {
    memset(r->slot, 0, sizeof r->slot);
    memset(r->words, 0, sizeof r->words);
    r->entry_count = 0;
}

/* ---- reading a line ---- */

static inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
static inline bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
static inline bool is_word(char c) {
    return is_lower(c) || is_digit(c) || c == '_';
}

/* A decimal number of at most 4 digits that does not begin with 0 unless it is 0. */
static bool small_number(const char **at, unsigned *value) {
    const char *s = *at;
    unsigned n = 0;
    if (!is_digit(*s) || (*s == '0' && is_digit(s[1]))) return false;
    for (; is_digit(*s); s++) {
        if (s - *at == 4) return false;
        n = 10 * n + (unsigned)(*s - '0');
    }
    *at = s;
    *value = n;
    return true;
}

/* v5, v[4:5]: behind the name of the file. */
static bool read_index(const char **at, unsigned *first, unsigned *count) {
    const char *s = *at;
    unsigned last;
    *count = 1;
    if (*s != '[') return small_number(at, first);
    s++;
    if (!small_number(&s, first)) return false;
    last = *first;
    if (*s == ':' && (s++, !small_number(&s, &last))) return false;
    if (*s != ']' || last < *first || last - *first >= 32) return false;
    *at = s + 1;
    *count = last - *first + 1;
    return true;
}

static bool read_register(const ez_recall *r, const char **at, token *t) {
    const char *s = *at;
    char file = *s;
    unsigned first, count;
    s += file == 't' ? 4 : 1;
    if (!read_index(&s, &first, &count)) return false;
    *at = s;
    t->dwords = (uint8_t)count;
    t->code = (uint16_t)first;
    if (file == 'v' || file == 'a') {
        t->kind = file == 'v' ? TOKEN_VGPR : TOKEN_AGPR;
        if (file == 'v' && *s == '.' && (s[1] == 'l' || s[1] == 'h')) {
            t->half = (uint8_t)s[1];
            *at = s + 2;
        }
        return first + count <= 256;
    }
    unsigned align = count < 3 ? count : 4;
    t->kind = TOKEN_SGPR;
    if (first % align) return false;
    if (file == 's') return first + count <= r->sgprs;
    unsigned first_ttmp = ez_has(r->target, EZ_HAS_ttmp_16) ? 108 : 112;
    t->kind = TOKEN_NAMED;
    t->code = (uint16_t)(first + first_ttmp);
    return first + count <= EZ_CODE_TTMP_LAST + 1 - first_ttmp;
}

/* A float that has an inline constant, as the printer writes it. */
static bool read_float(const char **at, bool minus, token *t) {
    static const char *const floats[] = {"0.5", "1.0", "2.0", "4.0", "0.15915494"};
    for (unsigned i = 0; i < 5; i++) {
        size_t n = i < 4 ? 3 : 10;
        const char *end = *at + n;
        if (memcmp(*at, floats[i], n) || is_word(*end) || *end == '.') continue;
        t->kind = TOKEN_FLOAT;
        t->code = (uint16_t)(EZ_CODE_HALF + 2 * i + minus);
        *at = end;
        return i < 4 || !minus;
    }
    return false;
}

/* An integer or a float. */
static bool read_number(const char **at, token *t) {
    const char *s = *at, *begin;
    bool minus = *s == '-';
    uint64_t n = 0;
    s += minus;
    begin = s;
    if (s[0] == '0' && s[1] == 'x') {
        for (begin = s += 2;; s++) {
            unsigned digit = is_digit(*s)             ? (unsigned)(*s - '0')
                             : *s >= 'a' && *s <= 'f' ? (unsigned)(*s - 'a') + 10
                                                      : 16;
            if (digit == 16) break;
            n = n << 4 | digit;
        }
        if (s == begin || s - begin > 15) return false;
    } else {
        for (; is_digit(*s); s++)
            n = 10 * n + (unsigned)(*s - '0');
        if (s - begin == 1 && *s == '.') {
            *at = begin;
            return read_float(at, minus, t);
        }
        if (s == begin || s - begin > 18 || (*begin == '0' && s - begin > 1)) return false; /* octal */
    }
    t->kind = TOKEN_INT;
    t->value = minus ? -(int64_t)n : (int64_t)n;
    *at = s;
    return true;
}

/* lit(N): behind the parenthesis. */
static bool read_literal(const char **at, token *t) {
    if (!read_number(at, t) || t->kind != TOKEN_INT || **at != ')') return false;
    t->kind = TOKEN_LITERAL;
    ++*at;
    return true;
}

/* Reads an operand. *word is set when it is a word of another kind, which begins the rest. */
static bool read_token(ez_recall *r, const char **at, token *t, bool *word) {
    const char *s = *at;
    *t = (token){0};
    if (*s == '-' && !is_digit(s[1])) {
        t->signs = EZ_SIGN_NEG;
        s++;
    }
    if (*s == '|') {
        t->signs |= EZ_SIGN_ABS;
        s++;
    }
    bool file = (*s == 'v' || *s == 's' || *s == 'a') && (is_digit(s[1]) || s[1] == '[');
    file |= *s == 't' && !memcmp(s, "ttmp", 4) && (is_digit(s[4]) || s[4] == '[');
    if (file) {
        if (!read_register(r, &s, t)) return false;
    } else if (is_digit(*s) || *s == '-') {
        if (t->signs || !read_number(&s, t)) return false;
    } else if (is_lower(*s)) {
        const char *begin = s;
        while (is_word(*s))
            s++;
        const named *n = find_name(r, begin, (size_t)(s - begin));
        if (s - begin == 3 && !memcmp(begin, "off", 3)) {
            t->kind = TOKEN_OFF;
        } else if (s - begin == 3 && !memcmp(begin, "lit(", 4)) {
            s++;
            if (t->signs || !read_literal(&s, t)) return false;
        } else if (n->name) {
            t->kind = TOKEN_NAMED;
            t->code = n->code;
            t->dwords = n->dwords;
        } else {
            *word = true;
            return !t->signs;
        }
    } else {
        return false;
    }
    if (t->signs & EZ_SIGN_ABS && *s++ != '|') return false;
    if (*s != ',' && *s != ' ' && *s != '\n') return false;
    *at = s;
    return true;
}

static void sign_token(line *l, const token *t) {
    unsigned vgpr = t->kind == TOKEN_VGPR || t->kind == TOKEN_AGPR;
    unsigned bits = vgpr | (unsigned)t->signs << 1 | (t->half == 'l') << 3 | (t->half == 'h') << 4;
    l->signature = l->signature << 5 | bits;
}

static bool add_key(line *l, const char *text, size_t length) {
    if (l->key_length + length + 2 > KEY_ROOM) return false;
    memcpy(l->key + l->key_length, text, length);
    l->key_length += (unsigned)length;
    l->key[l->key_length++] = '\n';
    return true;
}

/* The mnemonic here, with the blank behind it. */
static bool read_mnemonic(line *l, const char **at) {
    const char *s = *at;
    while (is_word(*s))
        s++;
    if (s == *at || (*s != ' ' && *s != '\n') || !add_key(l, *at, (size_t)(s - *at))) return false;
    while (*s == ' ')
        s++;
    *at = s;
    return true;
}

/* Operands up to what is none: there the rest of the line begins. */
static bool read_operands(ez_recall *r, line *l, const char **at) {
    const char *s = *at;
    unsigned begin = l->count;
    while (*s != '\n') {
        bool word = false;
        if (l->count == TOKENS) return false;
        token *t = &l->token[l->count];
        if (!read_token(r, &s, t, &word)) return false;
        if (word) {
            if (l->count > begin) l->signature |= BEHIND_COMMA;
            break;
        }
        sign_token(l, t);
        l->count++;
        while (*s == ' ')
            s++;
        if (*s != ',') break;
        s++;
        while (*s == ' ')
            s++;
        if (*s == '\n') return false;
    }
    *at = s;
    return true;
}

/* offset:N as the first of the modifiers. */
static bool read_offset(line *l, const char **at) {
    token *t = &l->token[l->count];
    const char *s = *at + 7;
    if (memcmp(*at, "offset:", 7) || l->count == TOKENS) return true;
    *t = (token){0};
    if (!read_number(&s, t) || t->kind != TOKEN_INT || (*s != ' ' && *s != '\n')) return true;
    t->kind = TOKEN_OFFSET;
    l->signature |= HAS_OFFSET;
    l->count++;
    while (*s == ' ')
        s++;
    *at = s;
    return true;
}

/* The rest of a line without the comment; false when there is one within it. */
static bool add_rest(line *l, const char *s, const char *end) {
    const char *stop = s;
    while (stop < end && *stop != '/' && *stop != ';')
        stop++;
    if (stop < end && *stop == '/' && stop[1] != '/') return false;
    while (stop > s && (stop[-1] == ' ' || stop[-1] == '\r'))
        stop--;
    return add_key(l, s, (size_t)(stop - s));
}

/* Takes a line apart; a newline is at `end`, and the text goes on behind it. */
static bool read_line(ez_recall *r, const char *text, const char *end, line *l) {
    const char *s = text;
    l->count = l->split = l->key_length = 0;
    l->signature = 0;
    if (!read_mnemonic(l, &s) || !read_operands(r, l, &s)) return false;
    if (s[0] == ':' && s[1] == ':' && s[2] == ' ') {
        l->split = l->count;
        for (s += 2; *s == ' '; s++) {
        }
        if (!l->split || !read_mnemonic(l, &s) || !read_operands(r, l, &s)) return false;
    }
    if (!read_offset(l, &s)) return false;
    l->signature ^= (uint64_t)l->count << 56 ^ (uint64_t)l->split << 51;
    return add_rest(l, s, end);
}

/* ---- finding ---- */

static uint64_t read8(const char *s, unsigned n) {
    uint64_t value = 0;
    memcpy(&value, s, n < 8 ? n : 8);
    return value;
}

static unsigned slot_of(const line *l) {
    uint64_t h = l->signature * UINT64_C(0x9e3779b97f4a7c15);
    for (unsigned i = 0; i < l->key_length; i += 8) {
        h = (h ^ read8(l->key + i, l->key_length - i)) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    return (unsigned)(h % SLOTS);
}

static bool is_entry(const entry *e, const line *l) {
    return e->signature == l->signature && e->key_length == l->key_length &&
           !memcmp(e->key, l->key, l->key_length);
}

/* ---- from tokens to bits ---- */

/* An instruction under construction. */
typedef struct building {
    const entry *entry;
    uint32_t word[EZ_INST_MAX_BYTES / 4];
    unsigned size;                     /* in dwords */
    unsigned scalars[3], scalar_count; /* different scalar values that are read */
    unsigned vdst_y;
} building;

static void put_bits(building *b, const slot *s, uint32_t value) {
    b->word[s->dword] |= value << s->shift;
}

static bool count_scalar(building *b, unsigned value) {
    if (b->entry->scalar_limit == UINT8_MAX) return true;
    for (unsigned i = 0; i < b->scalar_count; i++)
        if (b->scalars[i] == value) return true;
    if (b->scalar_count == b->entry->scalar_limit || b->scalar_count == 3) return false;
    b->scalars[b->scalar_count++] = value;
    return true;
}

static bool put_literal(building *b, uint32_t value) {
    if (b->size > b->entry->dwords) return b->word[b->entry->dwords] == value;
    b->word[b->size++] = value;
    return count_scalar(b, EZ_CODE_LITERAL);
}

/* The bits of a number for an operand of so many; false when it does not fit. */
static bool number_bits(int64_t value, unsigned bits, uint64_t *out) {
    *out = (uint64_t)value;
    if (bits >= 64) return true;
    if (!bits) return false; /* of no size that is known here */
    *out &= (UINT64_C(1) << bits) - 1;
    return value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << bits;
}

static bool put_number(building *b, const slot *s, const token *t) {
    uint64_t value;
    if (!s->numbers) return false;
    if (t->kind == TOKEN_FLOAT) {
        put_bits(b, s, t->code);
        return t->code != EZ_CODE_INV_2PI || ez_type_float(s->type) == EZ_FLOAT_F32;
    }
    if (!number_bits(t->value, s->bits, &value)) return false;
    unsigned code = t->kind == TOKEN_LITERAL ? 0 : ez_inline_code_of_integer(t->value, value, s->type);
    if (code) {
        put_bits(b, s, code);
        return code <= s->mask;
    }
    if (!s->literal) return false;
    put_bits(b, s, EZ_CODE_LITERAL);
    return put_literal(b, (uint32_t)(ez_is_small_integer(s->type) ? (uint64_t)t->value : value));
}

/* The number of a VGPR with its half, as the field has it. */
static bool vgpr_bits(const slot *s, const token *t, unsigned *number) {
    if (t->dwords != s->dwords || (s->even && t->code & 1)) return false;
    *number = t->code;
    if (s->half < EZ_HALF_NUMBER) return true; /* the signature has .l and .h */
    if (t->code > 127) return false;
    if (t->half == 'h') *number |= 128;
    return true;
}

static bool put_vgpr(building *b, const slot *s, const token *t) {
    unsigned number;
    if (t->kind != s->fixed.kind || !vgpr_bits(s, t, &number)) return false;
    if (s->kind == SLOT_VGPR_Y) {
        b->vdst_y = number;
        number >>= 1;
    }
    put_bits(b, s, number + (s->source_bits ? EZ_CODE_VGPR : 0));
    return true;
}

static bool put_scalar(building *b, const slot *s, const token *t) {
    bool is_sgpr = t->kind == TOKEN_SGPR;
    if (!(is_sgpr ? s->scalars : s->named)) return false;
    if (t->dwords ? t->dwords != s->dwords : s->dwords > 2) return false;
    unsigned code = t->code >> s->scale;
    if (code > s->mask) return false;
    put_bits(b, s, code);
    return !s->read || count_scalar(b, t->code | (unsigned)t->dwords << 16);
}

static bool same_token(const token *a, const token *b) {
    return a->kind == b->kind && a->dwords == b->dwords && a->code == b->code && a->value == b->value;
}

static bool put_token(building *b, const slot *s, const token *t) {
    uint64_t value;
    switch (s->kind) {
    case SLOT_FIXED: return same_token(&s->fixed, t);
    case SLOT_VGPR:
    case SLOT_VGPR_Y: return put_vgpr(b, s, t);
    case SLOT_NUMBER:
        if (t->kind != s->fixed.kind || t->value < s->low || t->value > s->high) return false;
        put_bits(b, s, (uint32_t)t->value & s->mask);
        return true;
    case SLOT_LITERAL:
        return t->kind == TOKEN_INT && number_bits(t->value, s->bits, &value) &&
               put_literal(b, s->bits < 32 ? (uint32_t)t->value : (uint32_t)value);
    default: break;
    }
    switch (t->kind) {
    case TOKEN_VGPR:
    case TOKEN_AGPR: return put_vgpr(b, s, t);
    case TOKEN_SGPR:
    case TOKEN_NAMED: return put_scalar(b, s, t);
    case TOKEN_INT:
    case TOKEN_LITERAL:
    case TOKEN_FLOAT: return put_number(b, s, t);
    default: return false;
    }
}

static bool build(const ez_recall *r, const entry *e, const line *l, ez_inst *inst) {
    building b = {.entry = e, .size = e->dwords};
    ez_inst second;
    memcpy(b.word, e->word, sizeof e->word);
    for (unsigned i = 0; i < l->count; i++)
        if (!put_token(&b, &e->slot[i], &l->token[i])) return false;
    inst->target = r->target;
    memcpy(inst->word, b.word, sizeof b.word);
    inst->op = e->op;
    inst->layout = e->layout;
    inst->form = e->form;
    inst->size = (uint8_t)(4 * b.size);
    inst->wave = (uint8_t)r->wave;
    if (e->vdstx_given && (b.vdst_y ^ ez_get(inst, EZ_F_vdstx)) % 2 == 0) return false;
    if (ez_accumulator_overlaps(inst)) return false;
    return !e->banks || !ez_inst_second(inst, &second) || !ez_dual_banks_clash(inst, &second);
}

/* How far the tokens reach in the register files, as ez_count_registers() has it. */
static void count_registers(const line *l, ez_fixup *f) {
    *f = (ez_fixup){0};
    for (unsigned i = 0; i < l->count; i++) {
        const token *t = &l->token[i];
        unsigned end = t->code + t->dwords;
        if (t->kind == TOKEN_VGPR && end > f->vgprs) f->vgprs = end;
        if (t->kind == TOKEN_SGPR && end > f->sgprs) f->sgprs = end;
    }
}

bool ez_recall_line(ez_recall *r, const char *text, size_t length, ez_inst *inst, ez_fixup *registers) {
    line *l = &r->last;
    r->last_usable = read_line(r, text, text + length, l);
    if (!r->last_usable) return false;
    unsigned at = slot_of(l);
    for (unsigned n = 0; n < PROBES && r->slot[at]; n++, at = (at + 1) % SLOTS) {
        const entry *e = &r->entry[r->slot[at] - 1];
        if (!is_entry(e, l) || !build(r, e, l, inst)) continue;
        count_registers(l, registers);
        return true;
    }
    return false;
}

/* ---- learning ---- */

/* What an operand of the class takes besides VGPRs: only what the parser judges by nothing but the operand. */
static void set_takes(slot *s, const ez_inst *inst, const ez_operand *o, unsigned cls) {
    unsigned takes = ez_class_takes(inst, cls);
    bool plain = ez_inst_layout(inst)->form == EZ_FORM_BASE;
    switch (cls) {
    case EZ_C_src:
    case EZ_C_ss:
    case EZ_C_src_s:
    case EZ_C_src_noconst:
    case EZ_C_src_vc:
    case EZ_C_src_acd:
    case EZ_C_src_lane:
        s->scalars = s->named = plain && takes & EZ_TAKES_SCALAR;
        s->numbers = plain && takes & EZ_TAKES_INLINE && !ez_constant_in_both_halves(inst, o->type);
        if (cls == EZ_C_src_acd && !ez_has(inst->target, EZ_HAS_mfma_inline_c)) s->numbers = false;
        if (ez_scalar_gives_low_half(inst, o->type)) s->scalars = s->named = false; /* op_sel has a say */
        break;
    case EZ_C_sxm0:
    case EZ_C_sd:
        s->scalars = true;
        s->named = cls == EZ_C_sd;
        if (s->mask > EZ_CODE_EXEC + 1) s->mask = EZ_CODE_EXEC + 1;
        break;
    case EZ_C_soff: /* of 7 bits a register */
        s->numbers = ez_inst_layout(inst)->field[o->field].width > 7;
        s->scalars = true;
        break;
    case EZ_C_sb:
    case EZ_C_sr:
    case EZ_C_sg:
    case EZ_C_saddr: s->scalars = true; break;
    default: break;
    }
    s->scale = cls == EZ_C_sb ? 1 : cls == EZ_C_sr ? 2 : 0;
    s->type = (uint8_t)ez_constant_type(inst, o->type);
    unsigned bits = s->type == EZ_T_mask ? inst->wave : ez_type_bits[s->type];
    s->bits = (uint8_t)bits;
    /* of a soffset the parser judges literals together with the format */
    s->literal = takes & EZ_TAKES_LITERAL && bits < 64 && ez_inst_takes_literal(inst) && cls != EZ_C_soff;
}

/* The slot of operand n, which may vary, given the token that was written for it. False: the line cannot be learned. */
static bool operand_slot(const ez_recall *r, const ez_inst *inst, unsigned n, const ez_operand *o,
                         const token *t, slot *s) {
    const ez_row_operand *row = &ez_row_operands[ez_rows[inst->op].operands + n];
    unsigned cls = ez_operand_class(inst, row, o->field);
    ez_field_position p = ez_inst_layout(inst)->field[o->field];
    bool vgpr = t->kind == TOKEN_VGPR || t->kind == TOKEN_AGPR;
    *s = (slot){.kind = SLOT_CODE,
                .dword = p.lo >> 5,
                .shift = p.lo & 31,
                .dwords = o->dwords,
                .fixed = *t,
                .mask = (uint32_t)((UINT64_C(1) << p.width) - 1),
                .read = o->read};
    if (vgpr) {
        if ((o->kind != EZ_OPERAND_VGPR && o->kind != EZ_OPERAND_AGPR) || o->sext ||
            !ez_half_of(inst, o, ez_halves_in_text(inst, r->flags), &s->half))
            return false;
        s->kind = cls == EZ_C_vdsty ? SLOT_VGPR_Y : SLOT_VGPR;
        s->even = r->even && (o->dwords > 1 || ez_row_has_on(inst->target, inst->op, EZ_ROW_gwsdata));
        s->source_bits = p.width == 9;
        return true;
    }
    if (cls == EZ_C_label || cls == EZ_C_imm || cls == EZ_C_hex || cls == EZ_C_i || cls == EZ_C_smoff) {
        int64_t half = INT64_C(1) << (p.width - 1);
        bool either = cls == EZ_C_label || cls == EZ_C_imm || cls == EZ_C_hex; /* with or without a sign */
        s->kind = t->kind == TOKEN_INT ? SLOT_NUMBER : SLOT_FIXED;
        s->low = cls == EZ_C_smoff || ez_compares_unsigned(inst, o) ? 0 : (int32_t)-half;
        s->high = (int32_t)(either ? 2 * half - 1 : half - 1);
        return true;
    }
    set_takes(s, inst, o, cls);
    if (ez_is_scalar_or_memory(inst) && t->kind == TOKEN_NAMED)
        s->kind = SLOT_FIXED; /* null and exec have rules of their own */
    if (ez_is_scalar_or_memory(inst)) s->named = false;
    return true;
}

/* A field that could vary, but does not in this line. */
static void keep_bits(entry *e, const ez_inst *inst, unsigned field) {
    ez_field_position p = ez_inst_layout(inst)->field[field];
    e->word[p.lo >> 5] |= inst->word[p.lo >> 5] & (uint32_t)((UINT64_C(1) << p.width) - 1) << (p.lo & 31);
}

/* The slots of the tokens from `begin` to `end`. */
static bool add_slots(const ez_recall *r, const line *l, const ez_inst *inst, unsigned begin, unsigned end,
                      entry *e) {
    const ez_row *row = &ez_rows[inst->op];
    unsigned at = begin;
    for (unsigned n = 0; n < row->noperands; n++) {
        ez_operand o = ez_inst_operand(inst, n);
        const ez_row_operand *ro = &ez_row_operands[row->operands + n];
        unsigned field = ez_free_field(inst, ro);
        bool varies = ro->cls == EZ_C_lit || field != EZ_F_NONE;
        if (o.hidden) {
            keep_bits(e, inst, field);
            continue;
        }
        if (at ==
            end) { /* in the rest of the line, which is always the same: but registers there are not counted */
            if (varies || o.kind == EZ_OPERAND_VGPR || o.kind == EZ_OPERAND_SGPR) return false;
            continue;
        }
        const token *t = &l->token[at];
        slot *s = &e->slot[at++];
        *s = (slot){.kind = SLOT_FIXED, .fixed = *t};
        if (ro->cls == EZ_C_lit) {
            s->kind = SLOT_LITERAL;
            s->bits = (uint8_t)ez_type_bits[ro->type];
            if (t->kind != TOKEN_INT) return false;
        } else if (varies && o.kind != EZ_OPERAND_NONE && !o.implied) {
            if (!operand_slot(r, inst, n, &o, t, s)) return false;
        }
        if (s->kind == SLOT_FIXED) keep_bits(e, inst, field);
    }
    return at == end;
}

/* The number of different scalar values that tokens may read; see ez_check_rules(). */
static unsigned scalar_limit(const ez_inst *inst, bool dual) {
    const ez_row *row = &ez_rows[inst->op];
    if (!ez_has_field(inst, EZ_F_src0) && !dual) return UINT8_MAX;
    bool two = ez_has(inst->target, EZ_HAS_two_scalar_reads) &&
               !ez_row_has_on(inst->target, inst->op, EZ_ROW_one_scalar);
    unsigned limit = two ? 2 : 1, used = ez_row_has_on(inst->target, inst->op, EZ_ROW_read_m0) +
                                         ez_row_has_on(inst->target, inst->op, EZ_ROW_read_vcc);
    for (unsigned n = 0; n < row->noperands; n++) {
        ez_operand o = ez_inst_operand(inst, n);
        used += o.implied && o.read;
    }
    return used > limit ? 0 : limit - used;
}

/* Marks the words of the key, whose meaning another value of a symbol might change. */
static void mark_words(ez_recall *r, const line *l) {
    for (unsigned i = 0; i < l->key_length;) {
        unsigned begin = i;
        while (i < l->key_length &&
               (is_word(l->key[i]) || (l->key[i] >= 'A' && l->key[i] <= 'Z') || strchr(".$", l->key[i])))
            i++;
        if (i > begin) {
            unsigned h = hash_name(l->key + begin, i - begin) % 4096;
            r->words[h / 64] |= UINT64_C(1) << h % 64;
        } else {
            i++;
        }
    }
}

static bool make_entry(const ez_recall *r, const ez_inst *inst, entry *e) {
    const line *l = &r->last;
    ez_inst second;
    ez_frame frame;
    bool dual = ez_inst_second(inst, &second);
    ez_frame_of(inst, &frame);
    if (!frame.plain || dual != (l->split > 0)) return false;
    *e = (entry){.signature = l->signature,
                 .op = inst->op,
                 .layout = inst->layout,
                 .form = inst->form,
                 .dwords = frame.dwords,
                 .count = (uint8_t)l->count,
                 .key_length = (uint8_t)l->key_length};
    memcpy(e->key, l->key, l->key_length);
    for (unsigned i = 0; i < frame.dwords; i++)
        e->word[i] = inst->word[i] & frame.mask[i];
    unsigned offset = l->signature >> 63, end = l->count - offset;
    if (!add_slots(r, l, inst, 0, dual ? l->split : end, e)) return false;
    if (dual && !add_slots(r, l, &second, l->split, end, e)) return false;
    e->scalar_limit = (uint8_t)scalar_limit(inst, dual);
    if (dual) {
        unsigned of_second = scalar_limit(&second, dual);
        if (of_second < e->scalar_limit) e->scalar_limit = (uint8_t)of_second;
        e->vdstx_given = ez_layouts[second.layout].field[EZ_F_vdsty].cls == EZ_C_vdsty;
        e->banks = true;
    }
    if (!offset) return true;
    ez_field_position p = frame.offset;
    if (!frame.has_offset || !p.width || p.width >= 32) return false;
    bool is_signed = p.cls == EZ_C_mi;
    int32_t half = (int32_t)1 << (p.width - 1);
    e->slot[end] = (slot){.kind = SLOT_NUMBER,
                          .dword = p.lo >> 5,
                          .shift = p.lo & 31,
                          .low = is_signed ? -half : 0,
                          .high = half - 1,
                          .mask = (uint32_t)2 * (uint32_t)half - 1,
                          .fixed = l->token[end]};
    return true;
}

void ez_recall_learn(ez_recall *r, const ez_inst *inst, const ez_fixup *registers) {
    ez_inst again;
    ez_fixup counted;
    if (!r->last_usable || registers->kind != EZ_FIXUP_NONE) return;
    if (r->entry_count == ENTRIES) forget(r);
    entry *e = &r->entry[r->entry_count];
    if (!make_entry(r, inst, e) || !build(r, e, &r->last, &again)) return;
    count_registers(&r->last, &counted);
    bool same = again.size == inst->size && !memcmp(again.word, inst->word, sizeof again.word) &&
                counted.vgprs == registers->vgprs && counted.sgprs == registers->sgprs;
    if (!same) return;
    unsigned at = slot_of(&r->last), n = 0;
    while (n < PROBES && r->slot[at])
        at = (at + 1) % SLOTS, n++;
    if (n == PROBES) return;
    mark_words(r, &r->last);
    r->slot[at] = (uint16_t)++r->entry_count;
}

void ez_recall_name_changed(ez_recall *r, const char *name, size_t length) {
    unsigned h = hash_name(name, length) % 4096;
    if (r && r->words[h / 64] >> h % 64 & 1) forget(r);
}
