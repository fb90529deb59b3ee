/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols: labels, assignments, and what directives say of them. */
#include "assembler.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- the table ---- */

static uint32_t hash_of(const char *name, size_t length) { /* FNV-1a */
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return hash;
}

static asm_symbol *find(const ez_asm *as, const char *name, size_t length, uint32_t hash) {
    if (!as->bucket_count) return NULL;
    asm_symbol *s = as->buckets[hash & (as->bucket_count - 1)];
    while (s && (s->hash != hash || s->length != length || memcmp(s->name, name, length)))
        s = s->next;
    while (s && s->newer)
        s = s->newer;
    return s;
}

static void grow_table(ez_asm *as) {
    size_t count = as->bucket_count ? as->bucket_count * 4 : 256;
    asm_symbol **buckets = calloc(count, sizeof *buckets);
    if (!buckets) ez_asm_stop(as, EZ_ERR_NOMEM, "out of memory");
    for (size_t i = 0; i < as->bucket_count; i++)
        for (asm_symbol *s = as->buckets[i], *next; s; s = next) {
            next = s->next;
            s->next = buckets[s->hash & (count - 1)];
            buckets[s->hash & (count - 1)] = s;
        }
    free(as->buckets);
    as->buckets = buckets;
    as->bucket_count = count;
}

asm_symbol *ez_asm_symbol_find(const ez_asm *as, const char *name, size_t length) {
    return find(as, name, length, hash_of(name, length));
}

static asm_symbol *new_symbol(ez_asm *as, const char *name, size_t length) {
    asm_symbol *s = ez_asm_alloc(as, 1, sizeof *s);
    s->name = ez_asm_copy(as, name, length);
    s->length = (uint32_t)length;
    s->binding = ASM_UNBOUND;
    s->temporary = length >= 2 && !memcmp(name, ".L", 2);
    return s;
}

asm_symbol *ez_asm_symbol_of(ez_asm *as, const char *name, size_t length) {
    uint32_t hash = hash_of(name, length);
    asm_symbol *s = find(as, name, length, hash);
    if (s) return s;
    if (as->symbol_total >= as->bucket_count) grow_table(as);
    s = new_symbol(as, name, length);
    s->hash = hash;
    s->next = as->buckets[hash & (as->bucket_count - 1)];
    as->buckets[hash & (as->bucket_count - 1)] = s;
    as->symbol_total++;
    return s;
}

asm_symbol *ez_asm_temporary(ez_asm *as) {
    asm_symbol *s = new_symbol(as, "", 0);
    s->temporary = true;
    return s;
}

void ez_asm_list_symbol(ez_asm *as, asm_symbol *symbol) {
    if (symbol->listed) return;
    symbol->listed = true;
    symbol->list_index = as->symbol_count;
    *ASM_PUSH(as, as->symbols, as->symbol_count, as->symbol_capacity) = symbol;
}

/* ---- numbered labels ---- */

static asm_symbol **numbered_slot(ez_asm *as, uint64_t number) {
    size_t index = (size_t)number * 2;
    if (index + 2 > as->numbered_capacity) {
        size_t more = index + 64;
        asm_symbol **grown = realloc(as->numbered, more * sizeof *grown);
        if (!grown) ez_asm_stop(as, EZ_ERR_NOMEM, "out of memory");
        memset(grown + as->numbered_capacity, 0, (more - as->numbered_capacity) * sizeof *grown);
        as->numbered = grown;
        as->numbered_capacity = more;
    }
    return &as->numbered[index];
}

asm_symbol *ez_asm_numbered(ez_asm *as, uint64_t number, bool next, const char *at) {
    asm_symbol **slot = numbered_slot(as, number);
    if (!next) return slot[0];
    if (!slot[1]) {
        char name[32];
        int length = snprintf(name, sizeof name, "%" PRIu64, number);
        slot[1] = ez_asm_temporary(as);
        slot[1]->name = ez_asm_copy(as, name, (size_t)length); /* for messages */
        slot[1]->place = ez_asm_here(as, at);
    }
    return slot[1];
}

void ez_asm_check_numbered(ez_asm *as) {
    for (size_t i = 1; i < as->numbered_capacity; i += 2)
        if (as->numbered[i]) ez_asm_fail_at(as, as->numbered[i]->place, "directional label undefined");
}

bool ez_asm_numbered_label(ez_asm *as, const char *at, uint64_t number) {
    if (number >= ASM_NUMBERED) return ez_asm_fail(as, at, "a numbered label is less than %u here", ASM_NUMBERED);
    asm_symbol **slot = numbered_slot(as, number);
    slot[0] = slot[1] ? slot[1] : ez_asm_temporary(as);
    slot[1] = NULL;
    ez_asm_define_label(as, slot[0]);
    return true;
}

/* ---- definitions ---- */

void ez_asm_define_label(ez_asm *as, asm_symbol *symbol) {
    asm_section *section = as->section;
    symbol->kind = ASM_LABEL;
    symbol->section = section;
    symbol->fragment = section->fragment_count - 1;
    symbol->offset = section->size - section->fragments[symbol->fragment].start;
}

/* A symbol of the same name that is yet to be defined: those who referred to the old one keep its value. */
static asm_symbol *renew(ez_asm *as, asm_symbol *symbol) {
    asm_symbol *newer = new_symbol(as, symbol->name, symbol->length);
    newer->hash = symbol->hash;
    newer->binding = symbol->binding;
    newer->visibility = symbol->visibility;
    newer->type = symbol->type;
    newer->listed = symbol->listed;
    newer->list_index = symbol->list_index;
    if (symbol->listed) as->symbols[symbol->list_index] = newer;
    symbol->newer = newer;
    return newer;
}

bool ez_asm_label(ez_asm *as, const char *at, const char *name, size_t length) {
    if (length == 1 && *name == '.') return ez_asm_fail(as, at, "invalid use of pseudo-symbol '.' as a label");
    asm_symbol *symbol = ez_asm_symbol_of(as, name, length);
    if (symbol->kind == ASM_VARIABLE && symbol->redefinable) symbol = renew(as, symbol);
    else if (symbol->kind != ASM_UNDEFINED)
        return ez_asm_fail(as, at, "symbol '%.*s' is already defined", (int)length, name);
    ez_asm_define_label(as, symbol);
    ez_asm_list_symbol(as, symbol);
    return true;
}

/* Whether an expression leads back to a symbol through symbols and variables. */
static bool depends_on(const ez_term *term, const asm_symbol *symbol, unsigned *steps) {
    const ez_node *node = term->node;
    if (!node || ++*steps > 100000) return false;
    if (node->kind == ASM_NODE_SYMBOL) {
        if (node->symbol == symbol) return true;
        if (node->symbol->kind != ASM_VARIABLE || node->symbol->evaluating) return false;
        node->symbol->evaluating = true;
        bool found = depends_on(&node->symbol->value, symbol, steps);
        node->symbol->evaluating = false;
        return found;
    }
    for (size_t i = 0; i < node->count; i++)
        if (depends_on(&node->arguments[i], symbol, steps)) return true;
    return false;
}

/* `. = value` moves on like .org. */
static bool assign_place(ez_asm *as, const ez_term *value) {
    asm_fragment *gap = ez_asm_emit_gap(as, ASM_GAP_ORG);
    gap->term = *value;
    gap->unit = 1;
    gap->place = ez_asm_here(as, as->statement);
    return true;
}

bool ez_asm_assign(ez_asm *as, const char *at, const char *name, size_t length, const ez_term *value, bool again) {
    if (length == 1 && *name == '.') return assign_place(as, value);
    ez_recall_name_changed(as->recall, name, length);
    asm_symbol *symbol = ez_asm_symbol_of(as, name, length);
    bool defined = symbol->kind != ASM_UNDEFINED;
    if (defined && (!again || !symbol->redefinable))
        return ez_asm_fail(as, at, "redefinition of '%.*s'", (int)length, name);
    unsigned steps = 0;
    if (!defined && depends_on(value, symbol, &steps))
        return ez_asm_fail(as, at, "cyclic dependency detected for symbol '%.*s'", (int)length, name);
    ez_term known = *value;
    uint64_t number;
    if (value->node && ez_asm_absolute(as, value, &number)) known = (ez_term){.value = number};
    if (defined) symbol = renew(as, symbol);
    symbol->kind = ASM_VARIABLE;
    symbol->redefinable = again;
    symbol->value = known;
    ez_asm_list_symbol(as, symbol);
    ez_asm_use(as, value);
    return true;
}

/* ---- directives ---- */

static bool set(ez_asm *as, ez_cursor *c, bool again) {
    const char *name;
    size_t length;
    ez_term value;
    if (!ez_asm_name(as, c, &name, &length) || !ez_asm_comma(as, c)) return false;
    ez_read_blank(c);
    const char *at = c->at;
    if (!ez_asm_expression(as, c, &value)) return false;
    if (!ez_asm_at_end(c)) return ez_asm_fail(as, c->at, "expected newline");
    return ez_asm_assign(as, at, name, length, &value, again);
}

static bool set_again(ez_asm *as, ez_cursor *c) { return set(as, c, true); }
static bool set_once(ez_asm *as, ez_cursor *c) { return set(as, c, false); }

/* .directive name, name, ... */
static bool each(ez_asm *as, ez_cursor *c, bool (*one)(ez_asm *, const char *, asm_symbol *, unsigned),
                 unsigned what) {
    if (ez_asm_at_end(c)) return true;
    do {
        const char *name;
        size_t length;
        ez_read_blank(c);
        const char *at = c->at;
        if (!ez_asm_name(as, c, &name, &length)) return false;
        asm_symbol *symbol = ez_asm_symbol_of(as, name, length);
        if (!one(as, at, symbol, what)) return false;
    } while (ez_asm_take(c, ','));
    return true;
}

static bool set_binding(ez_asm *as, const char *at, asm_symbol *symbol, unsigned binding) {
    static const char *const names[] = {"STB_LOCAL", "STB_GLOBAL", "STB_WEAK"};
    if (symbol->temporary)
        return ez_asm_fail(as, at, "non-local symbol required");
    if (symbol->binding != ASM_UNBOUND && symbol->binding != binding) {
        if (binding == STB_GLOBAL && symbol->binding == STB_WEAK) return true; /* stays weak */
        if (binding == STB_LOCAL || symbol->binding == STB_LOCAL)
            return ez_asm_fail(as, as->statement, "%s changed binding to %s", symbol->name, names[binding]);
    }
    symbol->binding = (uint8_t)binding;
    ez_asm_list_symbol(as, symbol);
    return true;
}

static bool set_visibility(ez_asm *as, const char *at, asm_symbol *symbol, unsigned visibility) {
    (void)at;
    symbol->visibility = (uint8_t)visibility;
    ez_asm_list_symbol(as, symbol);
    return true;
}

static bool global(ez_asm *as, ez_cursor *c) { return each(as, c, set_binding, STB_GLOBAL); }
static bool weak(ez_asm *as, ez_cursor *c) { return each(as, c, set_binding, STB_WEAK); }
static bool local(ez_asm *as, ez_cursor *c) { return each(as, c, set_binding, STB_LOCAL); }
static bool hidden(ez_asm *as, ez_cursor *c) { return each(as, c, set_visibility, STV_HIDDEN); }
static bool protect(ez_asm *as, ez_cursor *c) { return each(as, c, set_visibility, STV_PROTECTED); }
static bool internal(ez_asm *as, ez_cursor *c) { return each(as, c, set_visibility, STV_INTERNAL); }

/* .type name, @function */
static bool type(ez_asm *as, ez_cursor *c) {
    static const struct {
        const char *name;
        uint8_t type;
    } types[] = {{"function", STT_FUNC}, {"STT_FUNC", STT_FUNC}, {"object", STT_OBJECT},
                 {"STT_OBJECT", STT_OBJECT}, {"notype", STT_NOTYPE}, {"STT_NOTYPE", STT_NOTYPE},
                 {"tls_object", STT_TLS}, {"STT_TLS", STT_TLS}, {"common", STT_COMMON},
                 {"STT_COMMON", STT_COMMON}, {"gnu_indirect_function", STT_GNU_IFUNC},
                 {"STT_GNU_IFUNC", STT_GNU_IFUNC}, {"gnu_unique_object", STT_OBJECT}};
    const char *name, *kind;
    size_t length, kind_length;
    if (!ez_asm_name(as, c, &name, &length)) return false;
    ez_asm_take(c, ',');
    if (ez_read_blank(c)) return ez_asm_fail(as, c->at, "expected STT_<TYPE_IN_UPPER_CASE>, '#<type>', '@<type>', "
                                          "'%%<type>' or \"<type>\"");
    bool marked = *c->at == '@' || *c->at == '%' || *c->at == '#';
    if (marked) c->at++;
    const char *at = c->at;
    if (!ez_asm_name(as, c, &kind, &kind_length)) return false;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strlen(types[i].name) == kind_length && !memcmp(types[i].name, kind, kind_length)) {
            asm_symbol *symbol = ez_asm_symbol_of(as, name, length);
            symbol->type = types[i].type;
            ez_asm_list_symbol(as, symbol);
            return true;
        }
    return ez_asm_fail(as, at, "unsupported attribute in '.type' directive");
}

static bool size(ez_asm *as, ez_cursor *c) {
    const char *name;
    size_t length;
    if (!ez_asm_name(as, c, &name, &length) || !ez_asm_comma(as, c)) return false;
    asm_symbol *symbol = ez_asm_symbol_of(as, name, length);
    if (!ez_asm_expression(as, c, &symbol->size)) return false;
    symbol->has_size = true;
    return true;
}

/* .comm name, size, alignment as a power of two [mc]; .lcomm of a symbol that is local */
static bool common_symbol(ez_asm *as, ez_cursor *c, bool is_local) {
    const char *name;
    size_t length;
    int64_t bytes, alignment = 0;
    ez_read_blank(c);
    const char *at = c->at;
    if (!ez_asm_name(as, c, &name, &length) || !ez_asm_comma(as, c)) return false;
    ez_read_blank(c);
    const char *size_at = c->at;
    if (!ez_asm_number(as, c, &bytes)) return false;
    const char *alignment_at = c->at;
    if (ez_asm_take(c, ',')) {
        ez_read_blank(c);
        alignment_at = c->at;
        if (!ez_asm_number(as, c, &alignment)) return false;
    }
    if (bytes < 0) return ez_asm_fail(as, size_at, "size must be non-negative");
    if (alignment < 0 || alignment > 24) return ez_asm_fail(as, alignment_at, "alignment must be a power of 2: 0 to 24");
    alignment = INT64_C(1) << alignment;
    asm_symbol *symbol = ez_asm_symbol_of(as, name, length);
    if (symbol->kind != ASM_UNDEFINED) return ez_asm_fail(as, at, "invalid symbol redefinition");
    symbol->type = STT_OBJECT;
    symbol->has_size = true;
    symbol->size = (ez_term){.value = (uint64_t)bytes};
    ez_asm_list_symbol(as, symbol);
    if (is_local || symbol->binding == STB_LOCAL) { /* gets its place in .bss */
        asm_section *now = as->section, *before = as->previous;
        symbol->binding = STB_LOCAL;
        ez_asm_switch(as, ez_asm_section_of(as, ".bss", 4));
        ez_asm_align(as, (uint64_t)alignment, 0, 1, 0);
        ez_asm_define_label(as, symbol);
        ez_asm_emit(as, NULL, (uint64_t)bytes);
        ez_asm_switch(as, now);
        as->previous = before;
        return true;
    }
    symbol->kind = ASM_COMMON;
    symbol->common_alignment = (uint64_t)alignment;
    if (symbol->binding == ASM_UNBOUND) symbol->binding = STB_GLOBAL;
    return true;
}

static bool comm(ez_asm *as, ez_cursor *c) { return common_symbol(as, c, false); }
static bool lcomm(ez_asm *as, ez_cursor *c) { return common_symbol(as, c, true); }

/* .amdgpu_lds name, size, alignment: a variable that the linker gives a place in LDS */
static bool lds(ez_asm *as, ez_cursor *c) {
    const char *name;
    size_t length;
    int64_t bytes, alignment = 4;
    ez_read_blank(c);
    const char *at = c->at;
    if (!ez_asm_name(as, c, &name, &length) || !ez_asm_comma(as, c)) return false;
    ez_read_blank(c);
    const char *size_at = c->at;
    if (!ez_asm_number(as, c, &bytes)) return false;
    if (bytes < 0) return ez_asm_fail(as, size_at, "size must be non-negative");
    if (bytes > (ez_target_has_feature(as->target, "lds_320k")   ? 320
                 : ez_target_has_feature(as->target, "lds_160k") ? 160 : 64) * 1024)
        return ez_asm_fail(as, size_at, "size is too large");
    if (ez_asm_take(c, ',')) {
        ez_read_blank(c);
        const char *alignment_at = c->at;
        if (!ez_asm_number(as, c, &alignment)) return false;
        if (alignment < 0 || alignment & (alignment - 1) || !alignment)
            return ez_asm_fail(as, alignment_at, "alignment must be a power of two");
        if (alignment >= INT64_C(1) << 31) return ez_asm_fail(as, alignment_at, "alignment is too large");
    }
    asm_symbol *symbol = ez_asm_symbol_of(as, name, length);
    if (symbol->kind != ASM_UNDEFINED) return ez_asm_fail(as, at, "symbol '%s' is already defined", symbol->name);
    symbol->kind = ASM_COMMON;
    symbol->type = STT_OBJECT;
    symbol->common_alignment = (uint64_t)alignment | UINT64_C(1) << 63; /* in LDS */
    symbol->has_size = true;
    symbol->size = (ez_term){.value = (uint64_t)bytes};
    ez_asm_list_symbol(as, symbol); /* in the object only when it is used there */
    return true;
}

const asm_directive_name ez_asm_symbol_directives[] = {
    {".set", set_again}, {".equ", set_again}, {".equiv", set_once}, {".globl", global}, {".global", global},
    {".weak", weak}, {".local", local}, {".hidden", hidden}, {".protected", protect},
    {".internal", internal}, {".type", type}, {".size", size}, {".comm", comm}, {".common", comm},
    {".lcomm", lcomm}, {".amdgpu_lds", lds}, {NULL, NULL}};
