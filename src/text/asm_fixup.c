/* SPDX-License-Identifier: Apache-2.0 */
/* What is filled in when all symbols are known, and the relocations for what is not known then. */
#include "assembler.h"

#include <stdlib.h>

void ez_asm_add_fixup(ez_asm *as, asm_fixup_kind kind, uint64_t offset, unsigned size, const ez_term *term,
                   const char *at) {
    asm_fixup *f = ASM_PUSH(as, as->fixups, as->fixup_count, as->fixup_capacity);
    /* a branch may have a fragment of its own begun behind it; its bytes are in the one before */
    size_t fragment = as->section->fragment_count - 1;
    while (as->section->fragments[fragment].start > offset)
        fragment--;
    *f = (asm_fixup){as->section, fragment, offset, *term, ez_asm_here(as, at), (uint8_t)kind, (uint8_t)size};
}

/* Whether a bare symbol as a literal counts from the literal: llvm-mc decides by the look of the expression. Source:
 * LLVM, SIMCCodeEmitter. */
static bool counts_from_here(const ez_term *term) {
    const ez_node *node = term->node;
    if (!node || node->kind == ASM_NODE_CALL) return false;
    if (node->kind == ASM_NODE_SYMBOL)
        return node->what != ASM_ABS32_LO && node->what != ASM_ABS32_HI && node->what != ASM_ABS64;
    if (node->what == EZ_OPERATOR_SUBTRACT) return false;
    for (size_t i = 0; i < node->count; i++)
        if (counts_from_here(&node->arguments[i])) return true;
    return false;
}

static uint64_t place_of(const asm_fixup *f) {
    const asm_fragment *fragment = &f->section->fragments[f->fragment];
    return fragment->address + f->offset - fragment->start;
}

static void put(const asm_fixup *f, uint64_t value) {
    uint8_t *at = f->section->image + place_of(f);
    for (unsigned i = 0; i < f->size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* Relocation types. Source: AMDGPUUsage, "Relocation Records". */
static bool relocation_type(const asm_fixup *f, const asm_value *v, bool relative, uint32_t *type) {
    switch (v->specifier) {
    case ASM_GOTPCREL: *type = EZ_R_AMDGPU_GOTPCREL; return true;
    case ASM_GOTPCREL32_LO: *type = EZ_R_AMDGPU_GOTPCREL32_LO; return true;
    case ASM_GOTPCREL32_HI: *type = EZ_R_AMDGPU_GOTPCREL32_HI; return true;
    case ASM_REL32_LO: *type = EZ_R_AMDGPU_REL32_LO; return true;
    case ASM_REL32_HI: *type = EZ_R_AMDGPU_REL32_HI; return true;
    case ASM_REL64: *type = EZ_R_AMDGPU_REL64; return true;
    case ASM_ABS32_LO: *type = EZ_R_AMDGPU_ABS32_LO; return true;
    case ASM_ABS32_HI: *type = EZ_R_AMDGPU_ABS32_HI; return true;
    case ASM_ABS64: *type = EZ_R_AMDGPU_ABS64; return true;
    default: break;
    }
    if (f->kind == ASM_FIX_BRANCH) *type = EZ_R_AMDGPU_REL16;
    else if (f->size == 4) *type = relative ? EZ_R_AMDGPU_REL32 : EZ_R_AMDGPU_ABS32;
    else if (f->size == 8) *type = relative ? EZ_R_AMDGPU_REL64 : EZ_R_AMDGPU_ABS64;
    else return false;
    return true;
}

static bool is_local(const asm_symbol *s) {
    return s->kind != ASM_UNDEFINED && s->kind != ASM_COMMON && (s->binding == ASM_UNBOUND || s->binding == STB_LOCAL);
}

/* Where what is wrong with an expression is reported: at its operator. */
static asm_place place_of_term(const asm_fixup *f) {
    asm_place place = f->place;
    if (f->term.node && f->term.node->where) place.at = f->term.node->where;
    return place;
}

static void relocate(ez_asm *as, const asm_fixup *f, const asm_value *v, bool relative) {
    uint32_t type;
    asm_symbol *symbol = v->add;
    uint64_t addend = v->constant, address;
    if (f->kind == ASM_FIX_BRANCH && symbol->kind == ASM_UNDEFINED) {
        ez_asm_fail_at(as, place_of_term(f), "undefined label '%s'", symbol->name);
        return;
    }
    if (!relocation_type(f, v, relative, &type)) {
        if (symbol->kind == ASM_UNDEFINED) ez_asm_fail_at(as, place_of_term(f), "undefined label '%s'", symbol->name);
        else ez_asm_fail_at(as, f->place, "unsupported relocation type: %u bytes", f->size);
        return;
    }
    if (is_local(symbol) && ez_asm_address(symbol, &address)) {
        addend += address;
        symbol = symbol->section->symbol;
    }
    symbol->in_relocation = true;
    ez_asm_list_symbol(as, symbol);
    asm_relocation *r = ASM_PUSH(as, as->relocations, as->relocation_count, as->relocation_capacity);
    *r = (asm_relocation){f->section, place_of(f), type, symbol, (int64_t)addend};
}

/* A number that is counted from the place, for llvm-mc takes a literal that it does not know when it reads it as a label. */
static void relocate_number(ez_asm *as, const asm_fixup *f, uint64_t number) {
    asm_relocation *r = ASM_PUSH(as, as->relocations, as->relocation_count, as->relocation_capacity);
    uint32_t type = f->kind == ASM_FIX_BRANCH ? EZ_R_AMDGPU_REL16 : EZ_R_AMDGPU_REL32;
    *r = (asm_relocation){f->section, place_of(f), type, NULL, (int64_t)number};
    ez_asm_warn_at(as, f->place, "the symbol has its value only later, so that it is taken for an address and the literal for "
                              "the distance to it: define it before");
}

/* A branch within the section: the distance in dwords from the next instruction. */
static void put_branch(ez_asm *as, const asm_fixup *f, int64_t bytes) {
    int64_t dwords = (bytes - 4) / 4;
    if (dwords < INT16_MIN || dwords > INT16_MAX || bytes % 4) {
        ez_asm_fail_at(as, f->place, "branch size exceeds simm16");
        return;
    }
    put(f, (uint64_t)dwords);
}

/* A variable that others may see is referred to by its own name: v, or v + number. False for all else. */
static bool global_variable(const ez_term *term, asm_value *v) {
    const ez_node *node = term->node;
    uint64_t number = 0;
    bool sum = node && node->kind == ASM_NODE_OPERATOR && node->count == 2 && !node->arguments[1].node &&
               (node->what == EZ_OPERATOR_ADD || node->what == EZ_OPERATOR_SUBTRACT);
    if (sum) {
        number = node->what == EZ_OPERATOR_ADD ? node->arguments[1].value : 0 - node->arguments[1].value;
        node = node->arguments[0].node;
    }
    if (!node || node->kind != ASM_NODE_SYMBOL || node->symbol->kind != ASM_VARIABLE) return false;
    if (node->symbol->binding != STB_GLOBAL && node->symbol->binding != STB_WEAK) return false;
    *v = (asm_value){.add = node->symbol, .constant = number, .specifier = (asm_specifier)node->what};
    return true;
}

static void resolve(ez_asm *as, const asm_fixup *f) {
    asm_value v, named;
    uint64_t address, from;
    const char *wrong = ez_asm_evaluate(as, &f->term, &v);
    if (!wrong && v.add && !v.subtract && global_variable(&f->term, &named)) v = named;
    if (wrong) {
        ez_asm_fail_at(as, place_of_term(f), "%s", wrong);
        return;
    }
    bool relative = f->kind == ASM_FIX_BRANCH || (f->kind == ASM_FIX_LITERAL && counts_from_here(&f->term));
    if (v.subtract) { /* x - label, where the label is in this section: relative to the place */
        if (v.subtract->kind == ASM_UNDEFINED || !v.add) {
            ez_asm_fail_at(as, place_of_term(f), "symbol '%s' can not be undefined in a subtraction expression",
                        v.subtract->name);
            return;
        }
        if (v.subtract->section != f->section || !ez_asm_address(v.subtract, &from) || relative) {
            ez_asm_fail_at(as, place_of_term(f), "cannot represent a difference across sections");
            return;
        }
        v.constant += place_of(f) - from;
        relative = true;
    }
    if (!v.add) { /* a number; counted from the place it cannot be known */
        if (relative) relocate_number(as, f, v.constant);
        else put(f, v.constant);
        return;
    }
    if (relative && v.specifier == ASM_PLAIN && is_local(v.add) && v.add->section == f->section &&
        ez_asm_address(v.add, &address)) {
        uint64_t distance = address + v.constant - place_of(f);
        if (f->kind == ASM_FIX_BRANCH) put_branch(as, f, (int64_t)distance);
        else put(f, distance);
        return;
    }
    relocate(as, f, &v, relative);
}

void ez_asm_resolve(ez_asm *as) {
    for (size_t i = 0; i < as->fixup_count; i++)
        if (as->fixups[i].section->type != SHT_NOBITS) resolve(as, &as->fixups[i]);
    for (size_t i = 0; i < as->symbol_count; i++) {
        asm_symbol *s = as->symbols[i];
        uint64_t size;
        if (!s->has_size || !s->size.node) continue;
        if (ez_asm_absolute(as, &s->size, &size)) s->size = (ez_term){.value = size};
        else ez_asm_fail_at(as, (asm_place){0}, "size expression of symbol '%s' must be absolute", s->name);
    }
}

/* ---- results ---- */

/* Where a symbol is: a section's index, or one of ELF's special ones; its value there. */
static uint32_t place_symbol(ez_asm *as, const asm_symbol *s, uint64_t *value) {
    asm_value v;
    ez_term term = s->value;
    *value = 0;
    switch (s->kind) {
    case ASM_LABEL: ez_asm_address(s, value); return s->section->index;
    case ASM_COMMON:
        *value = s->common_alignment & ~(UINT64_C(1) << 63);
        return s->common_alignment >> 63 ? EZ_SECTION_LDS : SHN_COMMON;
    case ASM_VARIABLE:
        if (ez_asm_evaluate(as, &term, &v) || v.subtract) return EZ_SECTION_UNDEFINED;
        *value = v.constant;
        if (!v.add) return EZ_SECTION_ABSOLUTE;
        if (v.add->kind != ASM_LABEL) return EZ_SECTION_UNDEFINED;
        uint64_t address;
        ez_asm_address(v.add, &address);
        *value += address;
        return v.add->section->index;
    default: return EZ_SECTION_UNDEFINED;
    }
}

/* The label that a variable is a distance from. */
static const asm_symbol *base_of(ez_asm *as, const asm_symbol *s) {
    asm_value v;
    if (s->kind != ASM_VARIABLE || ez_asm_evaluate(as, &s->value, &v) || v.subtract || !v.add) return NULL;
    return v.add->kind == ASM_LABEL ? v.add : NULL;
}

/* The type of a variable with a type of its own. Source: LLVM's ELFObjectWriter, mergeTypeForSet. */
static uint8_t merged_type(uint8_t own, uint8_t base) {
    switch (own) {
    case STT_GNU_IFUNC: return own;
    case STT_FUNC: return base == STT_GNU_IFUNC ? base : own;
    case STT_OBJECT: return base == STT_NOTYPE ? own : base;
    case STT_TLS: return own;
    default: return base;
    }
}

/* Its size: its own, that of the first symbol that has one where each is just another's name, or that of its base. */
static uint64_t size_of(const asm_symbol *s, const asm_symbol *base) {
    const asm_symbol *at = s;
    while (!at->has_size && at->kind == ASM_VARIABLE && at->value.node && at->value.node->kind == ASM_NODE_SYMBOL)
        at = at->value.node->symbol;
    if (!at->has_size && base) at = base;
    return at->has_size ? at->size.value : 0;
}

/* Whether it is in the object's symbol table: what is used there, defined, or declared. */
static bool is_published(const asm_symbol *s, uint32_t section) {
    if (s->newer) return false;
    if (s->in_relocation) return true;
    if (s->temporary) return false;
    if (section == EZ_SECTION_LDS) return s->binding != ASM_UNBOUND;
    bool declared = s->binding != ASM_UNBOUND || s->visibility || s->type;
    if (section == EZ_SECTION_UNDEFINED) return s->kind != ASM_VARIABLE && declared;
    return true;
}

static void publish_symbol(ez_asm *as, asm_symbol *s, bool locals) {
    uint64_t value;
    uint32_t section = place_symbol(as, s, &value);
    unsigned binding = s->binding != ASM_UNBOUND         ? s->binding
                       : section == EZ_SECTION_UNDEFINED || section == EZ_SECTION_LDS ? STB_GLOBAL
                                                         : STB_LOCAL;
    if (!is_published(s, section) || (binding == STB_LOCAL) != locals) return;
    s->index = (uint32_t)++as->out_symbol_count;
    size_t n = strlen(s->name);
    const asm_symbol *base = base_of(as, s);
    if (base) s->type = merged_type(s->type, base->type);
    bool kernel = s->type == STT_OBJECT && n > 3 && !strcmp(s->name + n - 3, ".kd");
    as->out_symbols[s->index - 1] = (ez_symbol){
        .name = s->temporary && s->type == STT_SECTION ? "" : s->name,
        .value = value, .size = size_of(s, base), .section = section,
        .binding = (uint8_t)binding,
        .type = s->type == STT_FUNC      ? EZ_SYMBOL_FUNCTION
                : kernel                 ? EZ_SYMBOL_KERNEL_DESCRIPTOR
                : s->type == STT_OBJECT  ? EZ_SYMBOL_OBJECT
                : s->type == STT_SECTION ? EZ_SYMBOL_SECTION
                : s->type == STT_NOTYPE  ? EZ_SYMBOL_NONE
                                         : EZ_SYMBOL_OTHER};
}

void ez_asm_publish(ez_asm *as) {
    as->out_sections = ez_asm_alloc(as, as->section_count + 1, sizeof *as->out_sections);
    as->out_sections[0].name = "";
    for (size_t i = 0; i < as->section_count; i++) {
        const asm_section *s = as->sections[i];
        as->out_sections[i + 1] = (ez_section){.name = s->name, .type = s->type, .flags = s->flags,
                                               .size = s->image_size, .alignment = s->alignment,
                                               .bytes = s->image};
    }
    as->out_symbols = ez_asm_alloc(as, as->symbol_count, sizeof *as->out_symbols);
    for (int locals = 1; locals >= 0; locals--)
        for (size_t i = 0; i < as->symbol_count; i++)
            publish_symbol(as, as->symbols[i], locals);
    as->out_lines = ez_asm_alloc(as, as->listed_count, sizeof *as->out_lines);
    for (size_t i = 0; i < as->listed_count; i++) {
        const asm_listed *l = &as->listed[i];
        as->out_lines[i] = (ez_asm_line){l->section->index, !l->unit, l->unit,
                                         l->section->fragments[l->fragment].address + l->offset, l->size};
    }
}

/* ---- the object ---- */

static int compare_relocations(const void *a, const void *b) {
    const ez_write_relocation *x = a, *y = b;
    if (x->section != y->section) return x->section < y->section ? -1 : 1;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    return 0;
}

static void describe_object(ez_asm *as, ez_write_object *object) {
    ez_write_section *sections = ez_asm_alloc(as, as->section_count, sizeof *sections);
    ez_write_symbol *symbols = ez_asm_alloc(as, as->out_symbol_count, sizeof *symbols);
    ez_write_relocation *relocations = ez_asm_alloc(as, as->relocation_count, sizeof *relocations);
    static const uint8_t abi_versions[] = {[4] = 2, [5] = 3, [6] = 4};
    for (size_t i = 0; i < as->section_count; i++) {
        const asm_section *s = as->sections[i];
        sections[i] = (ez_write_section){s->name, s->type, s->flags, s->entry_size, s->alignment, s->image,
                                         s->image_size};
    }
    *object = (ez_write_object){.flags = ez_asm_elf_flags(as), .abi_version = abi_versions[ez_asm_version(as)],
                                .sections = sections, .section_count = as->section_count,
                                .symbols = symbols, .symbol_count = as->out_symbol_count,
                                .relocations = relocations, .relocation_count = as->relocation_count};
    for (size_t i = 0; i < as->symbol_count; i++) {
        const asm_symbol *s = as->symbols[i];
        if (!s->index) continue;
        const ez_symbol *out = &as->out_symbols[s->index - 1];
        symbols[s->index - 1] = (ez_write_symbol){out->name, out->value, out->size, (uint16_t)out->section,
                                                  out->binding, s->type, s->visibility};
        object->local_count += out->binding == STB_LOCAL;
    }
    for (size_t i = 0; i < as->relocation_count; i++) {
        const asm_relocation *r = &as->relocations[i];
        relocations[i] = (ez_write_relocation){r->section->index - 1, r->type, r->offset, r->symbol ? r->symbol->index : 0,
                                               r->addend};
    }
    if (as->relocation_count)
        qsort(relocations, as->relocation_count, sizeof *relocations, compare_relocations);
}

ez_status ez_asm_object(ez_asm *as, ez_asm_output output, const uint8_t **bytes, size_t *size, ez_error *err) {
    if (!as->out_sections || as->errors || (unsigned)output > EZ_ASM_LOADABLE)
        return ez_error_set(err, EZ_ERR_ARGUMENT, "no object before the text is assembled without errors");
    if (as->stopped) return as->stopped;
    if (setjmp(as->stop)) {
        if (err) *err = as->error;
        return as->stopped;
    }
    if (!as->objects[output]) {
        ez_write_object object;
        describe_object(as, &object);
        ez_status status = (output == EZ_ASM_RELOCATABLE ? ez_write_relocatable : ez_write_loadable)(
            &object, &as->objects[output], &as->object_sizes[output], err);
        if (status) return status;
    }
    *bytes = as->objects[output];
    *size = as->object_sizes[output];
    return EZ_OK;
}
