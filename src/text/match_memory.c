/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a wrong line of a memory instruction is wrong. llvm-mc matches a line with every form that any GPU has of the name,
 * from the left, and points at the operand at which the form that came furthest fails. Before that it reads the line into
 * operands, and what none of the target's own forms can have at a place is wrong at once. Source: behaviour of llvm-mc 22.
 */
#include "memory_forms.h"

#include <string.h>

enum { ACTUALS = 2 * EZ_ITEM_MAX };

static bool row_has(const ez_inst *inst, unsigned flag) {
    return ez_row_has_on(inst->target, inst->op, flag);
}

/* ---- the line as llvm-mc counts its operands ---- */

typedef enum actual_kind { ACTUAL_ITEM, ACTUAL_WORD, ACTUAL_FORMAT, ACTUAL_MODIFIER } actual_kind;

typedef struct actual {
    uint8_t kind, modifier;
    unsigned column;
    const ez_item *item; /* ACTUAL_ITEM */
    const char *word;    /* ACTUAL_WORD: a bracket */
} actual;

/* Words that belong to forms; brackets are none that are written alone. */
static const char *const form_words[] = {"[", "]", "off", "offen", "idxen", "addr64", "lds", "tfe", "gds"};
enum { WORDS = sizeof form_words / sizeof form_words[0], BRACKETS = 2 };

static unsigned word_index(const char *word) {
    unsigned w = 0;
    while (strcmp(form_words[w], word))
        w++;
    return w;
}

typedef struct matcher {
    ez_parser *p;
    const ez_inst *any; /* an instruction of that name on the own target */
    uint64_t places[64]; /* of each modifier: where some form of the own target may have it */
    uint64_t words[WORDS]; /* the same of each word */
    uint64_t formats;    /* and of a format */
    actual at[ACTUALS];
    unsigned count;
    ez_item parts[EZ_ITEM_MAX]; /* of a list of VGPRs */
    ez_item symbols[EZ_ITEM_MAX]; /* names as what they stand for */
    unsigned symbol_count;
    ez_item word;               /* a16 or scc, which read as registers */
    /* matching */
    unsigned reach;
    bool own, returns; /* a form of the own target takes the line, one that returns the old value */
    ez_inst line;      /* with the cache policy of the line */
    uint32_t policies; /* a bit for each item that is a word of the cache policy */
    ez_hint hint;      /* of the line */
    const ez_item *strange; /* a word of the cache policy that the instruction lacks */
    unsigned policy_column, return_column; /* of the first word, and of the one that says so */
    const ez_target *taker; /* another one that has such a form */
    ez_formal wanted[16]; /* at the place that was reached */
    unsigned wanted_count;
} matcher;

/* llvm-mc tries the reader of a modifier, and of a word, at each place where it may be when modifiers before it are left
 * out. */
static void note_places(void *user, const ez_text_form *f) {
    matcher *m = user;
    unsigned optional = 0;
    if (f->phantom) return;
    for (unsigned i = 0; i < f->count; i++) {
        uint64_t places = ((UINT64_C(2) << optional) - 1) << (i - optional);
        if (f->at[i].kind == EZ_FORMAL_FORMAT) m->formats |= places;
        if (f->at[i].kind == EZ_FORMAL_WORD) m->words[word_index(f->at[i].word)] |= places;
        if (f->at[i].kind == EZ_FORMAL_MODIFIER) m->places[f->at[i].modifier] |= places;
        optional += f->at[i].kind == EZ_FORMAL_MODIFIER;
    }
}

static void push(matcher *m, actual_kind kind, unsigned column, const ez_item *item) {
    if (m->count < ACTUALS) m->at[m->count++] = (actual){.kind = (uint8_t)kind, .column = column, .item = item};
}

static void push_word(matcher *m, const char *word, unsigned column) {
    push(m, ACTUAL_WORD, column, NULL);
    m->at[m->count - 1].word = word;
}

/* The word of a form that the item is at this place; NULL: none. */
static const char *word_here(const matcher *m, const ez_item *item) {
    for (unsigned w = BRACKETS; w < WORDS; w++) {
        bool same = item->kind == EZ_ITEM_OFF ? !strcmp(form_words[w], "off") : ez_item_named(item, form_words[w]) && !item->colon;
        if (!strcmp(form_words[w], "tfe")) same |= ez_item_named(item, "notfe");
        if (same && m->words[w] >> m->count & 1) return form_words[w];
    }
    return NULL;
}

/* Whether the word of the cache policy is one of the target's generation, taken or not. */
static bool policy_exists(const matcher *m, unsigned k) {
    unsigned field = ez_memory_modifiers[k].field;
    bool late = field == EZ_F_th || field == EZ_F_scope || field == EZ_F_nv || field == EZ_F_scale_offset;
    bool middle = field == EZ_F_sc0 || field == EZ_F_nt || field == EZ_F_sc1;
    return ez_has_field(m->any, EZ_F_scope) ? late : ez_has_field(m->any, EZ_F_nt) ? middle : !late && !middle;
}

/* The modifier that the word is at this place; -1: none. */
static int modifier_here(const matcher *m, const ez_item *item) {
    for (unsigned k = 0; ez_memory_modifiers[k].is; k++) {
        unsigned group = ez_is_policy(k) ? EZ_MEMORY_POLICY_FIRST : k;
        if (m->places[group] >> m->count & 1 && ez_memory_modifiers[k].is(item) &&
            (!ez_is_policy(k) || policy_exists(m, k)))
            return (int)k;
    }
    return -1;
}

/* The word of the cache policy that goes on with those before it; -1: none. */
static int more_policy(const matcher *m, const ez_item *item, uint64_t policy) {
    for (unsigned k = EZ_MEMORY_POLICY_FIRST; k <= EZ_MEMORY_POLICY_LAST; k++)
        if (ez_memory_modifiers[k].is(item) && policy_exists(m, k))
            return policy >> k & 1 && ez_has_field(m->any, EZ_F_scope) ? -1 : (int)k;
    return -1;
}

/* Words that have no place, with a message of their own: noNAME of what belongs to the form; before GFX10, of r128 and a16 the
 * one that is not there. */
static ez_status refuse_flag(matcher *m, const ez_item *item, unsigned column) {
    bool one = ez_has_field(m->any, EZ_F_dmask) && !ez_has_field(m->any, EZ_F_dim);
    ez_item bare = *item;
    if (item->kind != EZ_ITEM_WORD || item->colon || item->name_length < 3) return EZ_OK;
    bare.colon = true;
    if (row_has(m->any, EZ_ROW_swizzle) && ez_item_named(item, "offset") && modifier_here(m, &bare) >= 0)
        return ez_fail_at(m->p->err, EZ_ERR_SYNTAX, item->after, "expected a colon behind offset");
    bare.colon = false;
    for (unsigned k = 0; one && ez_memory_modifiers[k].is; k++)
        if ((ez_memory_modifiers[k].field == EZ_F_r128 || ez_memory_modifiers[k].field == EZ_F_a16) &&
            m->places[k] >> m->count & 1 && (ez_item_named(item, "r128") || ez_item_named(item, "a16")))
            return ez_fail_at(m->p->err, EZ_ERR_ENCODE, column, "%.*s modifier is not supported on this GPU (%s)",
                              (int)item->name_length, item->name, m->p->target->name);
    bare.name += 2;
    bare.name_length -= 2;
    const char *word = ez_rows[m->any->op].noperands < 2 ? word_here(m, &bare) : NULL; /* of ds_gws_... alone */
    if (memcmp(item->name, "no", 2) || !word || strcmp(word, "gds")) return EZ_OK;
    return ez_fail_at(m->p->err, EZ_ERR_ENCODE, item->column, "nogds is not allowed: gds belongs to the instruction");
}

/* What is wrong with the value of a modifier by itself: of hints and scopes and dims where it begins, of numbers where they
 * end, of some offsets at once. Whether other numbers are too large shows later. */
static ez_status check_value(matcher *m, unsigned k, const ez_item *item) {
    ez_inst scratch = *m->any;
    unsigned field = ez_memory_modifiers[k].field;
    ez_hint hint;
    if (field == EZ_F_th && !item->bad.status && ez_memory_hint(m->p->target, item, &hint)) return EZ_OK;
    if (field == EZ_F_dim && item->bad.status)
        return ez_fail_at(m->p->err, EZ_ERR_SYNTAX, item->columns[0] - item->bracket, "invalid dim value: expected SQ_RSRC_IMG_...");
    if (item->bad.status) {
        *m->p->err = item->bad;
        return item->bad.status;
    }
    ez_error bad;
    bool early = field == EZ_F_offset0 || field == EZ_F_offset1 || (field == EZ_F_offset && row_has(m->any, EZ_ROW_swizzle));
    if (!ez_memory_modifiers[k].set(&scratch, item, &bad) || (bad.column == item->column && !early)) return EZ_OK;
    *m->p->err = bad;
    return bad.status;
}

/* A word of the cache policy: several make one operand, but from GFX12 on the second of one kind begins another. */
static ez_status push_policy(matcher *m, unsigned k, const ez_item *item, uint64_t *policy) {
    bool late = ez_has_field(m->any, EZ_F_scope), twice = *policy >> k & 1, taken = ez_memory_modifiers[k].taken(m->any, 0);
    unsigned field = ez_memory_modifiers[k].field;
    bool exists = field == EZ_F_dlc   ? ez_has(m->p->target, EZ_HAS_null_sgpr)
                  : field == EZ_F_scc ? ez_has(m->p->target, EZ_HAS_even_vgprs)
                                      : true;
    if (!late && !taken && !exists)
        return ez_fail_at(m->p->err, EZ_ERR_ENCODE, item->column, "%.*s modifier is not supported on this GPU (%s)",
                          (int)item->name_length, item->name, m->p->target->name);
    if (twice && !late)
        return ez_fail_at(m->p->err, EZ_ERR_SYNTAX, item->column, "duplicate cache policy modifier: %.*s",
                          (int)item->name_length, item->name);
    bool more = *policy && !twice, before = ez_inst_returns(&m->line);
    *policy = (more ? *policy : 0) | UINT64_C(1) << k;
    if (field == EZ_F_th) ez_memory_hint(m->p->target, item, &m->hint);
    else ez_memory_modifiers[k].set(&m->line, item, NULL);
    if (m->hint.kind == EZ_HINT_ATOMIC) ez_set(&m->line, EZ_F_th, m->hint.value);
    if (!before && ez_inst_returns(&m->line)) m->return_column = item->column;
    if (!m->policy_column) m->policy_column = item->column;
    bool lacks = !taken || (field == EZ_F_nv && !ez_has(m->p->target, EZ_HAS_nv_modifier)) ||
                 (field == EZ_F_scale_offset && !ez_has(m->p->target, EZ_HAS_scale_offset));
    if (lacks && !m->strange) m->strange = item;
    if (more) return EZ_OK;
    push(m, ACTUAL_MODIFIER, item->column, item);
    m->at[m->count - 1].modifier = EZ_MEMORY_POLICY_FIRST;
    return EZ_OK;
}

static ez_status push_modifier(matcher *m, unsigned k, const ez_item *item, uint64_t *policy) {
    if (check_value(m, k, item)) return m->p->err->status;
    if (ez_is_policy(k)) return push_policy(m, k, item, policy);
    push(m, ACTUAL_MODIFIER, item->column, item);
    m->at[m->count - 1].modifier = (uint8_t)k;
    return EZ_OK;
}

static ez_status refuse_word(matcher *m, const ez_item *item, uint64_t *policy) {
    ez_item bare = *item;
    bare.colon = false;
    bare.bad.status = EZ_OK;
    int k = *policy ? more_policy(m, &bare, *policy) : -1;
    if (k >= 0 && push_policy(m, (unsigned)k, &bare, policy)) return m->p->err->status;
    if (k >= 0 || modifier_here(m, &bare) >= 0 || word_here(m, &bare))
        return ez_fail_at(m->p->err, EZ_ERR_SYNTAX, item->after, "not a valid operand: '%.*s' takes no value",
                          (int)item->name_length, item->name);
    return EZ_ERR_NOT_FOUND;
}

static ez_status push_list(matcher *m, const ez_item *item) {
    ez_parser list = *m->p;
    list.at = item->name + 1;
    list.end = item->name + item->name_length - 1;
    list.count = 0;
    list.image = false;
    if (ez_parse_items(&list)) return m->p->err->status;
    push_word(m, "[", item->column);
    for (unsigned i = 0; i < list.count; i++) {
        m->parts[i] = list.items[i];
        push(m, ACTUAL_ITEM, list.items[i].column, &m->parts[i]);
    }
    push_word(m, "]", item->column + item->name_length - 1);
    return EZ_OK;
}

static ez_status push_operand(matcher *m, const ez_item *item) {
    bool list = item->kind == EZ_ITEM_TEXT || (item->list && item->name_length), of_image = m->p->image && m->count == 1;
    if (item->neg || item->abs || item->sext)
        return ez_fail_at(m->p->err, EZ_ERR_ENCODE, item->column, "not a valid operand: %s is not possible here",
                          item->sext  ? "sext"
                          : item->neg ? "neg"
                                      : "abs");
    if (item->bad.status) {
        *m->p->err = item->bad;
        return item->bad.status;
    }
    if (list && of_image) return push_list(m, item);
    if (item->wide_part && !of_image && !(item->name_column && item->name_column < item->wide_part))
        return ez_fail_at(m->p->err, EZ_ERR_SYNTAX, item->wide_part, "expected a single 32-bit register");
    if (item->kind == EZ_ITEM_TEXT && *item->name == '[')
        return ez_fail_at(m->p->err, EZ_ERR_SYNTAX, item->name_column, "registers in a list must have consecutive indices");
    ez_attempt a = {.p = m->p};
    const ez_item *meant = ez_item_of_symbol(&a, item, &m->symbols[m->symbol_count]);
    m->symbol_count += meant != item;
    push(m, ACTUAL_ITEM, item->list ? item->inner_column : item->column, meant);
    return EZ_OK;
}

/* The FORMAT of a typed buffer stands for itself and is read together with the soffset behind it; it may be written before it.
 * *next: the last item that was used up. EZ_ERR_NOT_FOUND: the rest of the line does not count. */
static ez_status read_format(matcher *m, unsigned at, unsigned *next) {
    unsigned taken;
    push(m, ACTUAL_FORMAT, m->p->items[at].column, NULL);
    if (ez_early_format(m->p, &m->p->items[at], m->p->count - at, &taken, &m->word)) return m->p->err->status;
    *next = at + taken;
    if (!taken || *next == m->p->count) return EZ_OK;
    const ez_item *behind = &m->p->items[*next];
    if (behind->kind != EZ_ITEM_WORD || !behind->colon) return EZ_OK;
    push(m, ACTUAL_FORMAT, behind->column, NULL); /* taken for a format once more */
    return EZ_ERR_NOT_FOUND;
}

/* A format behind soffset. */
static ez_status check_format(matcher *m, const ez_item *item) {
    ez_inst scratch = *m->any;
    m->formats = 0;
    if (item->word || !item->bad.status) return ez_set_format(&scratch, item, m->p->err);
    *m->p->err = item->bad;
    return item->bad.status;
}

/* The items as operands; what no instruction of that name can have there is an error at once. EZ_ERR_NOT_FOUND: the word
 * *stranger. */
static ez_status read_line(matcher *m, const ez_item **stranger) {
    uint64_t policy = 0; /* of the words that follow each other */
    bool soffset = false; /* read together with the format before it */
    for (unsigned i = 0; i < m->p->count; i++) {
        const ez_item *item = &m->p->items[i], *word;
        ez_item bare = *item;
        bare.comma = false;
        word = ez_memory_word(&bare);
        if (word == &bare) word = item;
        if (item->comma) policy = 0;
        int k = word->kind == EZ_ITEM_WORD && !soffset ? modifier_here(m, word) : -1;
        if (k < 0 && policy && word->kind == EZ_ITEM_WORD) k = more_policy(m, word, policy);
        if (k >= 0 && word != item) { /* reads as a register */
            m->word = *word;
            m->word.column = item->column;
            item = &m->word;
        }
        uint64_t before = policy;
        if (k < 0 || !ez_is_policy((unsigned)k)) policy = 0;
        if (m->formats >> m->count & 1 && !soffset) {
            unsigned next = i;
            ez_status status = read_format(m, i, &next);
            if (status) return status == EZ_ERR_NOT_FOUND ? EZ_OK : status;
            soffset = true;
            if (next > i) {
                i = next - 1;
                continue;
            }
        } else if (m->count && m->at[m->count - 1].kind != ACTUAL_FORMAT) {
            soffset = false;
        }
        *stranger = item;
        ez_status status = EZ_OK;
        bool behind = i && m->count > 1 && m->at[m->count - 2].kind == ACTUAL_FORMAT;
        if (behind && ez_item_named(item, "format") && item->colon) {
            status = check_format(m, item);
        } else if (!soffset && word_here(m, item)) {
            push_word(m, word_here(m, item), item->column);
        } else if (k >= 0) {
            status = push_modifier(m, (unsigned)k, item, &policy);
            if (ez_is_policy((unsigned)k)) m->policies |= UINT32_C(1) << i;
        } else if (item->kind == EZ_ITEM_WORD && item->colon) {
            status = refuse_word(m, item, &before);
        } else {
            status = refuse_flag(m, word, item->column);
            if (!status) status = push_operand(m, item);
        }
        if (soffset && m->at[m->count - 1].kind != ACTUAL_FORMAT) soffset = false;
        if (status) return status;
    }
    return EZ_OK;
}

/* ---- matching ---- */

static bool is_run(const matcher *m, const ez_item *item, ez_item_kind kind, unsigned dwords) {
    bool even = dwords > 1 && ez_has(m->p->target, EZ_HAS_even_vgprs) && !row_has(m->any, EZ_ROW_odd_data);
    return item->kind == kind && !item->half && item->dwords == dwords && !(even && item->code % 2);
}

static bool fits(const matcher *m, const ez_formal *want, const actual *have) {
    const ez_item *item = have->item;
    if (want->kind == EZ_FORMAL_FORMAT) return have->kind == ACTUAL_FORMAT;
    if (want->kind == EZ_FORMAL_MODIFIER) return have->kind == ACTUAL_MODIFIER && have->modifier == want->modifier;
    if (have->kind == ACTUAL_WORD) return want->kind == EZ_FORMAL_WORD && !strcmp(have->word, want->word);
    if (have->kind != ACTUAL_ITEM) return false;
    unsigned null = ez_has(m->p->target, EZ_HAS_null_is_124) ? 124 : 125;
    bool is_null = item->kind == EZ_ITEM_SCALAR && item->code == null && ez_has(m->p->target, EZ_HAS_null_sgpr);
    switch (want->kind) {
    case EZ_FORMAL_ANY_VGPRS: return item->kind == EZ_ITEM_VGPR && !item->half && item->dwords == want->dwords;
    case EZ_FORMAL_VGPRS: return is_run(m, item, EZ_ITEM_VGPR, want->dwords);
    case EZ_FORMAL_AGPRS: return is_run(m, item, EZ_ITEM_AGPR, want->dwords);
    case EZ_FORMAL_ANY_DATA: return is_run(m, item, EZ_ITEM_VGPR, want->dwords) || is_run(m, item, EZ_ITEM_AGPR, want->dwords);
    case EZ_FORMAL_DATA:
        return is_run(m, item, EZ_ITEM_VGPR, want->dwords) ||
               (ez_has(m->p->target, EZ_HAS_unified_vgprs) && is_run(m, item, EZ_ITEM_AGPR, want->dwords));
    case EZ_FORMAL_BASE:
        if (is_null || (item->kind == EZ_ITEM_SCALAR && item->code >= EZ_CODE_EXEC)) return false;
        return item->kind == EZ_ITEM_SCALAR && (item->dwords == want->dwords || !item->dwords);
    case EZ_FORMAL_SCALARS:
        if (want->dwords > 2 && is_null) return false;
        return item->kind == EZ_ITEM_SCALAR && (item->dwords == want->dwords || (!item->dwords && want->dwords <= 2)) &&
               item->code < EZ_CODE_ZERO;
    case EZ_FORMAL_SOFFSET:
    case EZ_FORMAL_CONSTANT_SOFFSET: return ez_memory_soffset_fits(item, want->kind == EZ_FORMAL_CONSTANT_SOFFSET);
    default: return false;
    }
}

static bool is_vgprs(const ez_formal *f) {
    return f->kind == EZ_FORMAL_VGPRS || f->kind == EZ_FORMAL_ANY_VGPRS || f->kind == EZ_FORMAL_DATA || f->kind == EZ_FORMAL_ANY_DATA;
}

static void want(matcher *m, unsigned reach, const ez_formal *f) {
    if (reach > m->reach) {
        m->reach = reach;
        m->wanted_count = 0;
    }
    if (reach < m->reach || !f) return;
    unsigned at = 0; /* numbers of VGPRs in order, then the rest as it comes */
    for (unsigned i = 0; i < m->wanted_count; i++) {
        const ez_formal *other = &m->wanted[i];
        bool both = is_vgprs(f) && is_vgprs(other);
        bool soffsets = f->kind == EZ_FORMAL_SOFFSET && other->kind == EZ_FORMAL_CONSTANT_SOFFSET;
        if (other->dwords == f->dwords && other->word == f->word && (other->kind == f->kind || both || soffsets)) return;
        if (is_vgprs(f) ? both && other->dwords < f->dwords : true) at = i + 1;
    }
    if (m->wanted_count == sizeof m->wanted / sizeof m->wanted[0]) return;
    memmove(&m->wanted[at + 1], &m->wanted[at], (m->wanted_count - at) * sizeof m->wanted[0]);
    m->wanted[at] = *f;
    m->wanted_count++;
}

static void match(void *user, const ez_text_form *f) {
    matcher *m = user;
    unsigned at = 0;
    for (unsigned i = 0; i < f->count; i++) {
        const ez_formal *here = &f->at[i];
        if (at < m->count && fits(m, here, &m->at[at])) {
            at++;
        } else if (here->kind != EZ_FORMAL_MODIFIER) {
            want(m, at, here);
            return;
        }
    }
    if (at < m->count) {
        want(m, at, NULL);
        return;
    }
    if (f->inst->target != m->p->target || f->inst->wave != m->p->wave) {
        if (!m->taker) m->taker = f->inst->target;
        return;
    }
    m->own = true;
    m->returns = f->returns;
}

/* ---- what is said ---- */

static bool is_scalar(const ez_formal *f) { return f->kind == EZ_FORMAL_SCALARS || f->kind == EZ_FORMAL_BASE; }

static void describe(ez_writer *w, const ez_formal *f) {
    switch (f->kind) {
    case EZ_FORMAL_WORD:
        ez_write(w, f->word[0] == '[' ? "a list of VGPRs" : f->word[0] == ']' ? "the end of the list" : f->word);
        return;
    case EZ_FORMAL_FORMAT:
    case EZ_FORMAL_SOFFSET: ez_write(w, "a scalar register"); return;
    case EZ_FORMAL_CONSTANT_SOFFSET: ez_write(w, "a scalar register or an inline constant"); return;
    default: break;
    }
    ez_write_decimal(w, f->dwords);
    ez_write(w, f->kind == EZ_FORMAL_AGPRS ? " accumulation VGPR" : is_scalar(f) ? " scalar register" : " VGPR");
    if (f->dwords > 1) ez_write_char(w, 's');
}

/* Numbers of VGPRs, which come first, are said together: 1, 2 or 4 VGPRs. */
static void describe_all(ez_writer *w, const ez_formal *f, unsigned count) {
    unsigned group = 0;
    while (group < count && is_vgprs(&f[group]))
        group++;
    for (unsigned i = 0; i < count; i++) {
        bool last = i + 1 == (i < group ? group : count);
        ez_write(w, !i ? (w->length ? ", expected " : ": expected ") : last ? " or " : ", ");
        if (i + 1 < group) ez_write_decimal(w, f[i].dwords);
        else describe(w, &f[i]);
    }
}

static ez_status refuse(matcher *m) {
    char text[160];
    ez_writer w = {.text = text, .room = sizeof text - 1};
    bool few = m->reach == m->count;
    const ez_item *item = few ? NULL : m->at[m->reach].item;
    if (item && (item->kind == EZ_ITEM_WORD || item->node) && (m->at[m->reach].kind == ACTUAL_MODIFIER || !m->wanted_count)) {
        ez_write(&w, ": '");
        for (unsigned i = 0; i < item->name_length && i < 40; i++)
            ez_write_char(&w, item->name[i]);
        ez_write(&w, "' is not taken here");
    } else if (item && !m->wanted_count) {
        ez_write(&w, ": there is no further operand");
    }
    describe_all(&w, m->wanted, m->wanted_count);
    text[w.length < w.room ? w.length : w.room] = 0;
    return ez_fail_at(m->p->err, EZ_ERR_ENCODE, few ? 1 : m->at[m->reach].column, "%s%s",
                      few ? "too few operands for instruction" : "invalid operand for instruction", text);
}

/* Whether the instruction takes the modifier at some place. */
static bool is_known(const matcher *m, const ez_item *item) {
    for (unsigned k = 0; ez_memory_modifiers[k].is; k++)
        if (m->places[k] && ez_memory_modifiers[k].is(item)) return true;
    return false;
}

/* A modifier where none can be: what is expected there. */
static ez_status refuse_early(matcher *m, const ez_item *item) {
    char text[160] = "";
    ez_writer w = {.text = text, .room = sizeof text - 1};
    if (m->reach == m->count) describe_all(&w, m->wanted, m->wanted_count);
    text[w.length < w.room ? w.length : w.room] = 0;
    return ez_fail_at(m->p->err, EZ_ERR_ENCODE, item->column, "not a valid operand: '%.*s' cannot stand here%s",
                      (int)item->name_length, item->name, text);
}

static void each_instruction(matcher *m, const ez_target *target, unsigned wave, const char *name,
                             void (*use)(void *, const ez_text_form *)) {
    size_t count;
    const ez_mnemonic *found = ez_mnemonic_find(name, strlen(name), &count);
    for (size_t i = 0; i < count; i++) {
        ez_inst inst;
        const ez_spelling *now = ez_spelling_on(target, found[i].op);
        if (!now || !now->name || strcmp(now->name, name)) continue;
        if (!ez_inst_begin(&inst, target, wave, found[i].op, EZ_FORM_BASE) || !ez_is_scalar_or_memory(&inst)) continue;
        ez_memory_each_form(&inst, use, m);
    }
}

/* That an atomic says that it returns the old value when it names a place for it, and only then. */
static ez_status check_return(matcher *m) {
    bool hints = ez_has_field(m->any, EZ_F_th), says = ez_inst_returns(&m->line);
    const char *word = hints ? "th:TH_ATOMIC_RETURN" : ez_has_field(m->any, EZ_F_sc0) ? "sc0" : "glc";
    if (!ez_memory_has_class(m->any, EZ_C_ret) || says == m->returns) return EZ_OK;
    if (says)
        return ez_fail_at(m->p->err, EZ_ERR_ENCODE, m->return_column,
                          "instruction must not use %s: there is no place for the old value", word);
    return ez_fail_at(m->p->err, EZ_ERR_ENCODE, hints && m->policy_column ? m->policy_column : 1,
                      "instruction must use %s: it has a place for the old value", word);
}

/* The rules on images come before those on the cache policy: the same line without such words. */
static ez_status check_image(matcher *m) {
    ez_item items[EZ_ITEM_MAX];
    ez_attempt a = {.p = m->p, .items = items, .inst = *m->any};
    for (unsigned i = 0; i < m->p->count; i++)
        if (!(m->policies >> i & 1)) items[a.count++] = m->p->items[i];
    if (!ez_has_field(m->any, EZ_F_dmask) || !m->policies || !ez_put_scalar_or_memory(&a)) return EZ_OK;
    *m->p->err = a.error;
    return a.error.status;
}

/* A form takes the operands: the rules on the cache policy, in llvm-mc's order; the others are those of the instruction. */
static ez_status check_policy(matcher *m) {
    static const char *const kinds[] = {"load", "store", "atomic"};
    ez_hint_kind kind = ez_hint_kind_of(m->any);
    if (check_image(m)) return m->p->err->status;
    for (unsigned i = 0; i < m->count; i++) { /* the offset comes before them */
        ez_inst scratch = *m->any;
        const ez_modifier *offset = &ez_memory_modifiers[m->at[i].modifier];
        if (m->at[i].kind != ACTUAL_MODIFIER || offset->field != EZ_F_offset) continue;
        if (offset->set(&scratch, m->at[i].item, m->p->err)) return m->p->err->status;
    }
    if (m->strange)
        return ez_fail_at(m->p->err, EZ_ERR_ENCODE, m->strange->column, "%.*s is not supported on this GPU (%s)",
                          (int)m->strange->name_length, m->strange->name, m->p->target->name);
    if (check_return(m)) return m->p->err->status;
    if (!m->hint.value) return EZ_OK;
    if (m->hint.value == EZ_TH_LAST_USE && m->hint.bypass != (ez_get(&m->line, EZ_F_scope) == EZ_SCOPE_SYS))
        return ez_fail_at(m->p->err, EZ_ERR_ENCODE, m->policy_column,
                          "scope and th combination is not valid: BYPASS goes with SCOPE_SYS");
    if (m->hint.kind == kind) return EZ_OK;
    return ez_fail_at(m->p->err, EZ_ERR_ENCODE, m->policy_column, "invalid th value for %s instructions",
                      kinds[kind]);
}

ez_status ez_explain_memory(ez_parser *p, const ez_inst *inst, const ez_item **stranger) {
    matcher m = {.p = p, .any = inst, .line = *inst};
    const char *name = ez_spelling_on(p->target, inst->op)->name;
    each_instruction(&m, p->target, p->wave, name, note_places);
    ez_status status = read_line(&m, stranger);
    if (status == EZ_ERR_NOT_FOUND && is_known(&m, *stranger)) {
        each_instruction(&m, p->target, p->wave, name, match);
        return refuse_early(&m, *stranger);
    }
    if (status) return status;
    *stranger = NULL;
    each_instruction(&m, p->target, p->wave, name, match);
    if (m.own) return check_policy(&m);
    for (size_t t = 0; t < EZ_TARGET_COUNT; t++) {
        const ez_target *target = ez_targets[t].set == p->target->set ? p->target : &ez_targets[t];
        bool seen = false;
        for (size_t k = 0; k < t && !seen; k++)
            seen = ez_targets[k].set == ez_targets[t].set;
        for (unsigned wave = 32; !seen && wave <= 64; wave += 32)
            if (ez_target_has_wave(target, wave) && (target != p->target || wave != p->wave))
                each_instruction(&m, target, wave, name, match);
    }
    if (m.taker == p->target)
        return ez_fail_at(p->err, EZ_ERR_ENCODE, 1, "operands are not valid for this GPU or mode: they are those of waves of %u",
                          p->wave == 64 ? 32 : 64);
    if (m.taker)
        return ez_fail_at(p->err, EZ_ERR_ENCODE, 1,
                          "operands are not valid for this GPU or mode: %s takes them, %s does not", m.taker->name,
                          p->target->name);
    return refuse(&m);
}
