/* SPDX-License-Identifier: Apache-2.0 */
#include "isa.h"

#include <string.h>

const ez_target *ez_target_find(const char *name) {
    for (size_t i = 0; name && i < EZ_TARGET_COUNT; i++)
        if (!strcmp(ez_targets[i].name, name)) return &ez_targets[i];
    return NULL;
}

const ez_target *ez_target_by_elf_mach(unsigned mach) {
    for (size_t i = 0; i < EZ_TARGET_COUNT; i++)
        if (ez_targets[i].elf_mach == mach) return &ez_targets[i];
    return NULL;
}

size_t ez_target_count(void) { return EZ_TARGET_COUNT; }

const ez_target *ez_target_at(size_t index) {
    return index < EZ_TARGET_COUNT ? &ez_targets[index] : NULL;
}

const char *ez_target_name(const ez_target *target) { return target->name; }
const char *ez_target_generation(const ez_target *target) { return target->generation; }
const char *ez_target_architecture(const ez_target *target) { return target->architecture; }
const char *ez_target_products(const ez_target *target) { return target->products; }
unsigned ez_target_elf_mach(const ez_target *target) { return target->elf_mach; }

bool ez_target_is_generic(const ez_target *target) { return target->covers != 0; }

bool ez_target_covers(const ez_target *generic, const ez_target *target) {
    return generic->covers >> (target - ez_targets) & 1;
}

unsigned ez_target_lds_bytes(const ez_target *target) {
    if (ez_has(target, EZ_HAS_lds_320k)) return 320 << 10;
    return (ez_has(target, EZ_HAS_lds_160k) ? 160 : 64) << 10;
}

const ez_board *ez_target_board(const ez_target *target) {
    const ez_board *board = &ez_boards[target - ez_targets];
    return board->product ? board : NULL;
}

unsigned ez_target_default_wave(const ez_target *target) {
    return ez_has(target, EZ_HAS_wave32) ? 32 : 64;
}

bool ez_target_has_wave(const ez_target *target, unsigned lanes) {
    return (lanes == 32 && ez_has(target, EZ_HAS_wave32)) ||
           (lanes == 64 && ez_has(target, EZ_HAS_wave64));
}

bool ez_target_has_feature(const ez_target *target, const char *feature) {
    for (size_t i = 0; feature && ez_feature_names[i]; i++)
        if (!strcmp(ez_feature_names[i], feature)) return ez_has(target, (unsigned)i);
    return false;
}

size_t ez_feature_count(void) { return EZ_HAS_COUNT; }

const char *ez_feature_name(size_t index) {
    return index < EZ_HAS_COUNT ? ez_feature_names[index] : NULL;
}

const char *ez_feature_about(size_t index) {
    return index < EZ_HAS_COUNT ? ez_feature_abouts[index] : NULL;
}

const ez_layout *ez_layout_of(const ez_target *target, unsigned op, unsigned form) {
    /* the VOP3 forms of a row are the plain and DPP forms of the encoding VOP3 */
    static const uint8_t own_form[EZ_FORM_COUNT] = {
        EZ_FORM_BASE, EZ_FORM_SDWA,  EZ_FORM_DPP16, EZ_FORM_DPP8,
        EZ_FORM_BASE, EZ_FORM_DPP16, EZ_FORM_DPP8};
    const ez_spelling *spelling = ez_spelling_on(target, op);
    if (!spelling || form >= EZ_FORM_COUNT || !(ez_row_on(target, op)->forms >> form & 1))
        return NULL;
    unsigned encoding = form >= EZ_FORM_E64 ? spelling->e64_encoding : spelling->encoding;
    unsigned layout = ez_isa_sets[target->set].layout[encoding][own_form[form]];
    return layout == EZ_NO_LAYOUT ? NULL : &ez_layouts[layout];
}

const ez_special *ez_special_find(const ez_target *target, unsigned code) {
    unsigned index = (unsigned)(target - ez_targets);
    for (const ez_special *s = ez_specials; s->name; s++)
        if (s->code == code && s->decodes >> index & 1) return s;
    return NULL;
}

const ez_isa_symbol *ez_symbol_next(const ez_target *target, unsigned kind, const ez_isa_symbol *at) {
    unsigned index = (unsigned)(target - ez_targets);
    for (at = at ? at + 1 : ez_symbols; at->name; at++)
        if (at->kind == kind && at->targets >> index & 1) return at;
    return NULL;
}

const char *ez_symbol_name(const ez_target *target, unsigned kind, unsigned code) {
    const char *name = NULL;
    for (const ez_isa_symbol *s = NULL; (s = ez_symbol_next(target, kind, s));)
        if (s->code == code) name = s->name;
    return name;
}

const ez_isa_symbol *ez_symbol_find(const ez_target *target, unsigned kind, const char *name, size_t length) {
    for (const ez_isa_symbol *s = NULL; (s = ez_symbol_next(target, kind, s));)
        if (strlen(s->name) == length && !memcmp(s->name, name, length)) return s;
    return NULL;
}

static int compare(const ez_mnemonic *m, const char *name, size_t length) {
    int c = strncmp(m->name, name, length);
    return c ? c : m->name[length] != 0;
}

const ez_mnemonic *ez_mnemonic_find(const char *name, size_t length, size_t *count) {
    size_t low = 0, high = ez_mnemonic_count;
    while (low < high) { /* the first entry that is not less than the name */
        size_t middle = low + (high - low) / 2;
        if (compare(&ez_mnemonics[middle], name, length) < 0) low = middle + 1;
        else high = middle;
    }
    *count = 0;
    while (low + *count < ez_mnemonic_count && !compare(&ez_mnemonics[low + *count], name, length))
        ++*count;
    return *count ? &ez_mnemonics[low] : NULL;
}
