/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions with symbols: kept as trees until their symbols are known. */
#include "assembler.h"

/* Of a tree, and of one evaluation through variables. */
enum { DEPTH_MAX = 500, STEPS_MAX = 1000000, FEW = 8 };

/* ---- building ---- */

static const struct {
    const char *name;
    asm_specifier specifier;
} specifiers[] = {{"gotpcrel", ASM_GOTPCREL}, {"gotpcrel32@lo", ASM_GOTPCREL32_LO},
                  {"gotpcrel32@hi", ASM_GOTPCREL32_HI}, {"rel32@lo", ASM_REL32_LO},
                  {"rel32@hi", ASM_REL32_HI}, {"rel64", ASM_REL64}, {"abs32@lo", ASM_ABS32_LO},
                  {"abs32@hi", ASM_ABS32_HI}, {"abs64", ASM_ABS64}};

static const struct {
    const char *name;
    asm_function function;
} functions[] = {{"max", ASM_MAX}, {"or", ASM_OR}, {"alignto", ASM_ALIGNTO},
                 {"totalnumvgprs", ASM_TOTALNUMVGPRS}, {"extrasgprs", ASM_EXTRASGPRS},
                 {"instprefsize", ASM_INSTPREFSIZE}};

static ez_node *symbol_node(ez_asm *as, asm_symbol *symbol, asm_specifier specifier) {
    ez_node *node = ez_asm_alloc(as, 1, sizeof *node);
    *node = (ez_node){.kind = ASM_NODE_SYMBOL, .what = (uint8_t)specifier, .symbol = symbol};
    return node;
}

ez_term ez_asm_reference(ez_asm *as, asm_symbol *symbol) {
    if (!symbol->reference) symbol->reference = symbol_node(as, symbol, ASM_PLAIN);
    return (ez_term){.node = symbol->reference};
}

static const char *name_symbol(void *user, const char *name, size_t length, const char *specifier,
                               size_t specifier_length, ez_term *out) {
    ez_asm *as = user;
    asm_symbol *symbol;
    if (specifier && length == 1 && *name == '.') {
        symbol = ez_asm_temporary(as);
        ez_asm_define_label(as, symbol);
    } else if (specifier && *name >= '0' && *name <= '9') {
        uint64_t number = 0;
        for (size_t i = 0; i + 1 < length && number < ASM_NUMBERED; i++)
            number = number * 10 + (uint64_t)(name[i] - '0');
        if (number >= ASM_NUMBERED) return "directional label undefined";
        symbol = ez_asm_numbered(as, number, name[length - 1] == 'f', name);
        if (!symbol) return "directional label undefined";
    } else {
        symbol = ez_asm_symbol_of(as, name, length);
        if (symbol->kind == ASM_UNDEFINED && *name == '.') { /* the name of a section is its begin */
            for (size_t i = 0; i < as->section_count; i++)
                if (strlen(as->sections[i]->name) == length && !memcmp(as->sections[i]->name, name, length))
                    symbol = as->sections[i]->symbol;
        }
    }
    if (specifier_length) {
        for (size_t i = 0; i < sizeof specifiers / sizeof specifiers[0]; i++)
            if (strlen(specifiers[i].name) == specifier_length &&
                !memcmp(specifiers[i].name, specifier, specifier_length)) {
                *out = (ez_term){.node = symbol_node(as, symbol, specifiers[i].specifier)};
                return NULL;
            }
        return "invalid variant";
    }
    /* what a variable has now counts, even when it gets another value later */
    if (symbol->kind == ASM_VARIABLE && !symbol->value.node) {
        *out = symbol->value;
        symbol->used = true;
        return NULL;
    }
    *out = ez_asm_reference(as, symbol);
    return NULL;
}

static uint32_t depth_of(const ez_term *terms, size_t count) {
    uint32_t depth = 0;
    for (size_t i = 0; i < count; i++)
        if (terms[i].node && terms[i].node->depth > depth) depth = terms[i].node->depth;
    return depth + 1;
}

static const char *combine(void *user, ez_operator op, const char *where, const ez_term *a, const ez_term *b,
                           ez_term *out) {
    ez_asm *as = user;
    ez_term *arguments = ez_asm_alloc(as, 2, sizeof *arguments);
    ez_node *node = ez_asm_alloc(as, 1, sizeof *node);
    arguments[0] = *a;
    if (b) arguments[1] = *b;
    *node = (ez_node){.kind = ASM_NODE_OPERATOR, .what = (uint8_t)op, .unary = !b, .arguments = arguments,
                      .count = b ? 2 : 1, .where = where};
    node->depth = depth_of(arguments, node->count);
    if (node->depth > DEPTH_MAX) return "the expression is nested too deeply";
    *out = (ez_term){.node = node};
    return NULL;
}

static const char *call(void *user, const char *name, size_t length, const ez_term *arguments, size_t count,
                        ez_term *out, bool *known) {
    ez_asm *as = user;
    *known = false;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strlen(functions[i].name) != length || memcmp(functions[i].name, name, length)) continue;
        *known = true;
        if (!count) return NULL; /* only asked */
        ez_term *copy = ez_asm_alloc(as, count, sizeof *copy);
        memcpy(copy, arguments, count * sizeof *copy);
        ez_node *node = ez_asm_alloc(as, 1, sizeof *node);
        *node = (ez_node){.kind = ASM_NODE_CALL, .what = (uint8_t)functions[i].function, .arguments = copy,
                          .count = count, .depth = depth_of(copy, count)};
        if (node->depth > DEPTH_MAX) return "the expression is nested too deeply";
        *out = (ez_term){.node = node};
        asm_value value;
        bool numbers = true;
        for (size_t k = 0; k < count; k++)
            numbers &= !arguments[k].node;
        if (!numbers) return NULL;
        const char *wrong = ez_asm_evaluate(as, out, &value);
        if (!wrong) *out = (ez_term){.value = value.constant};
        return wrong;
    }
    return NULL;
}

static bool is_symbol(const struct ez_node *node) {
    return node->kind == ASM_NODE_SYMBOL && node->what == ASM_PLAIN;
}

void ez_asm_values_begin(ez_asm *as) {
    as->names = (ez_names){as, name_symbol, combine, call, is_symbol};
}

/* ---- evaluating ---- */

typedef struct evaluation {
    ez_asm *as;
    unsigned depth, steps;
} evaluation;

static const char *evaluate(evaluation *e, const ez_term *term, asm_value *out);

bool ez_asm_address(const asm_symbol *symbol, uint64_t *address) {
    if (symbol->kind != ASM_LABEL) return false;
    const asm_fragment *f = &symbol->section->fragments[symbol->fragment];
    *address = f->address + symbol->offset;
    return f->fixed;
}

static const char *evaluate_symbol(evaluation *e, const ez_node *node, asm_value *out) {
    asm_symbol *symbol = node->symbol;
    if (symbol->kind != ASM_VARIABLE) {
        *out = (asm_value){.add = symbol, .specifier = (asm_specifier)node->what};
        return NULL;
    }
    if (symbol->evaluating) return "the symbol's value depends on itself";
    symbol->evaluating = true;
    const char *wrong = evaluate(e, &symbol->value, out);
    symbol->evaluating = false;
    if (wrong) return wrong;
    if (!out->add && !out->subtract) { /* a number stays one */
        if (!e->as->moving) symbol->value = (ez_term){.value = out->constant};
    } else if (node->what != ASM_PLAIN) {
        if (out->subtract || out->specifier != ASM_PLAIN) return "expected relocatable expression";
        out->specifier = (asm_specifier)node->what;
    }
    return NULL;
}

/* Two labels of one section whose distance is known are a number. */
static void cancel(asm_value *v) {
    uint64_t a, b;
    if (!v->add || !v->subtract || v->specifier != ASM_PLAIN) return;
    if (v->add == v->subtract) {
        v->add = v->subtract = NULL;
        return;
    }
    if (v->add->kind != ASM_LABEL || v->subtract->kind != ASM_LABEL || v->add->section != v->subtract->section)
        return;
    if (v->add->fragment == v->subtract->fragment) {
        a = v->add->offset;
        b = v->subtract->offset;
    } else if (!ez_asm_address(v->add, &a) || !ez_asm_address(v->subtract, &b)) {
        return;
    }
    v->constant += a - b;
    v->add = v->subtract = NULL;
}

/* a + b, or a - b */
static const char *add(const asm_value *a, const asm_value *b, bool subtract, asm_value *out) {
    asm_symbol *plus = subtract ? b->subtract : b->add, *minus = subtract ? b->add : b->subtract;
    if ((a->add && plus) || (a->subtract && minus)) {
        /* x - y + y and the like */
        asm_value v = *a;
        if (a->subtract && plus && a->subtract == plus && !minus) v.subtract = NULL;
        else if (a->add && minus && a->add == minus && !plus) v.add = NULL;
        else return "expected relocatable expression";
        v.constant += subtract ? 0 - b->constant : b->constant;
        *out = v;
        return NULL;
    }
    if (minus && b->specifier != ASM_PLAIN && subtract) return "expected relocatable expression";
    *out = (asm_value){.add = a->add ? a->add : plus, .subtract = a->subtract ? a->subtract : minus,
                       .constant = a->constant + (subtract ? 0 - b->constant : b->constant),
                       .specifier = a->add ? a->specifier : plus ? b->specifier : ASM_PLAIN};
    cancel(out);
    return NULL;
}

static const char *evaluate_operator(evaluation *e, const ez_node *node, asm_value *out) {
    asm_value a = {0}, b = {0};
    const char *wrong = evaluate(e, &node->arguments[0], &a);
    if (!wrong && !node->unary) wrong = evaluate(e, &node->arguments[1], &b);
    if (wrong) return wrong;
    if (node->what == EZ_OPERATOR_ADD) return add(&a, &b, false, out);
    if (node->what == EZ_OPERATOR_SUBTRACT) return add(&a, &b, true, out);
    if (node->what == EZ_OPERATOR_NEGATE && a.specifier == ASM_PLAIN) {
        *out = (asm_value){a.subtract, a.add, 0 - a.constant, ASM_PLAIN};
        return NULL;
    }
    if (a.add || a.subtract || b.add || b.subtract) return "expected relocatable expression";
    *out = (asm_value){0};
    return ez_apply_operator((ez_operator)node->what, a.constant, b.constant, &out->constant) ? NULL
                                                                                             : "division by zero";
}

static const char *evaluate_call(evaluation *e, const ez_node *node, asm_value *out) {
    uint64_t few[FEW], *numbers = node->count <= FEW ? few : ez_asm_alloc(e->as, node->count, sizeof *numbers);
    for (size_t i = 0; i < node->count; i++) {
        asm_value v;
        const char *wrong = evaluate(e, &node->arguments[i], &v);
        if (wrong) return wrong;
        if (v.add || v.subtract) return "expected absolute expression";
        numbers[i] = v.constant;
    }
    *out = (asm_value){0};
    return ez_asm_call_function(e->as, (asm_function)node->what, numbers, node->count, &out->constant)
               ? NULL
               : "wrong number of arguments, or an argument that is out of range";
}

static const char *evaluate(evaluation *e, const ez_term *term, asm_value *out) {
    const ez_node *node = term->node;
    if (!node) {
        *out = (asm_value){.constant = term->value};
        return NULL;
    }
    if (++e->steps > STEPS_MAX || e->depth > DEPTH_MAX) return "the expression is too large";
    e->depth++;
    const char *wrong = node->kind == ASM_NODE_SYMBOL     ? evaluate_symbol(e, node, out)
                        : node->kind == ASM_NODE_OPERATOR ? evaluate_operator(e, node, out)
                                                          : evaluate_call(e, node, out);
    e->depth--;
    return wrong;
}

const char *ez_asm_evaluate(ez_asm *as, const ez_term *term, asm_value *value) {
    evaluation e = {.as = as};
    return evaluate(&e, term, value);
}

bool ez_asm_absolute(ez_asm *as, const ez_term *term, uint64_t *value) {
    asm_value v;
    if (ez_asm_evaluate(as, term, &v) || v.add || v.subtract) return false;
    *value = v.constant;
    return true;
}

void ez_asm_use(ez_asm *as, const ez_term *term) {
    if (!term->node) return;
    if (term->node->kind == ASM_NODE_SYMBOL) {
        term->node->symbol->used = true;
        ez_asm_list_symbol(as, term->node->symbol);
    }
    for (size_t i = 0; i < term->node->count; i++)
        ez_asm_use(as, &term->node->arguments[i]);
}
