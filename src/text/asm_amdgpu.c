/* SPDX-License-Identifier: Apache-2.0 */
/* Directives of this target, and what the object says of it: target id, version, register counts. */
#include "assembler.h"
#include "kernel_directives.h"

#include <stdlib.h>

static bool has(const ez_asm *as, const char *feature) { return ez_target_has_feature(as->target, feature); }

unsigned ez_asm_version(const ez_asm *as) {
    return as->version ? as->version : ez_target_is_generic(as->target) ? 6 : 5;
}

/* Source: AMDGPUUsage, "AMDGPU ELF Header e_flags". */
uint32_t ez_asm_elf_flags(const ez_asm *as) {
    uint32_t flags = ez_target_elf_mach(as->target) | (uint32_t)as->xnack << 8 | (uint32_t)as->sramecc << 10;
    if (ez_target_is_generic(as->target) && ez_asm_version(as) >= 6) flags |= UINT32_C(1) << 24; /* version 1 of it */
    return flags;
}

/* ---- functions in expressions ---- */

bool ez_asm_call_function(ez_asm *as, asm_function function, const uint64_t *a, size_t n, uint64_t *value) {
    switch (function) {
    case ASM_MAX:
    case ASM_OR:
        *value = a[0];
        for (size_t i = 1; i < n; i++)
            *value = function == ASM_OR ? *value | a[i] : (int64_t)a[i] > (int64_t)*value ? a[i] : *value;
        return true;
    case ASM_ALIGNTO:
        if (n != 2 || !a[1] || a[0] > UINT64_MAX - a[1]) return false;
        *value = (a[0] + a[1] - 1) / a[1] * a[1];
        return true;
    case ASM_TOTALNUMVGPRS: /* (accumulation VGPRs, VGPRs), which may share a file */
        if (n != 2 || a[0] > UINT32_MAX || a[1] > UINT32_MAX) return false;
        if (has(as, "unified_vgprs") && a[0]) *value = (a[1] + 3) / 4 * 4 + a[0];
        else *value = a[0] > a[1] ? a[0] : a[1];
        return true;
    case ASM_EXTRASGPRS: /* (VCC used, flat scratch used, XNACK used) */
        if (n != 3) return false;
        *value = ez_extra_sgprs(as->target, a[0], a[1], a[2]);
        return true;
    case ASM_INSTPREFSIZE: { /* (bytes of code): lines of 128 bytes */
        if (n != 1) return false;
        uint64_t lines = a[0] / 128 + (a[0] % 128 != 0), most = has(as, "inst_pref_255") ? 255 : 63;
        *value = lines < most ? lines : most;
        return true;
    }
    }
    return false;
}

/* ---- register counts ---- */

static void count_one(ez_asm *as, asm_symbol *symbol, unsigned registers) {
    if (symbol->newer) symbol = symbol->newer;
    if (symbol->kind != ASM_VARIABLE || symbol->value.node || symbol->value.value >= registers) return;
    symbol->value.value = registers;
    (void)as;
}

void ez_asm_count_registers(ez_asm *as, const ez_fixup *fixup) {
    while (as->next_free_vgpr->newer)
        as->next_free_vgpr = as->next_free_vgpr->newer;
    while (as->next_free_sgpr->newer)
        as->next_free_sgpr = as->next_free_sgpr->newer;
    count_one(as, as->next_free_vgpr, fixup->vgprs);
    count_one(as, as->next_free_sgpr, fixup->sgprs);
}

static asm_symbol *predefine(ez_asm *as, const char *name, uint64_t value) {
    asm_symbol *s = ez_asm_symbol_of(as, name, strlen(name));
    s->kind = ASM_VARIABLE;
    s->redefinable = true;
    s->value = (ez_term){.value = value};
    return s;
}

/* gfx90a is 9, 0, 10; gfx9-4-generic 9, 4, 0 */
static void read_generation(const ez_target *target, uint64_t number[3]) {
    const char *name = ez_target_name(target) + strlen("gfx");
    size_t n = strcspn(name, "-");
    char *end;
    if (name[n]) {
        number[0] = strtoul(name, &end, 10);
        number[1] = *end == '-' ? strtoul(end + 1, NULL, 10) : 0;
        number[2] = number[0] == 11 ? 3 : 0; /* [mc] */
        return;
    }
    char major[8] = {0};
    memcpy(major, name, n - 2 < sizeof major ? n - 2 : sizeof major - 1);
    number[0] = strtoul(major, NULL, 10);
    number[1] = (uint64_t)(name[n - 2] - '0');
    number[2] = strtoul(name + n - 1, NULL, 16);
}

void ez_asm_amdgpu_begin(ez_asm *as) {
    uint64_t generation[3];
    read_generation(as->target, generation);
    predefine(as, ".amdgcn.gfx_generation_number", generation[0]);
    predefine(as, ".amdgcn.gfx_generation_minor", generation[1]);
    predefine(as, ".amdgcn.gfx_generation_stepping", generation[2]);
    as->next_free_vgpr = predefine(as, ".amdgcn.next_free_vgpr", 0);
    as->next_free_sgpr = predefine(as, ".amdgcn.next_free_sgpr", 0);
    for (const ez_isa_symbol *s = ez_symbols; s->name; s++) /* on every target */
        if (s->kind == EZ_SYM_version) predefine(as, s->name, s->code)->redefinable = false;
}

/* ---- directives ---- */

static bool setting_agrees(ez_asm *as, const char *feature, ez_setting said, ez_setting *now) {
    if (said == EZ_SETTING_UNSUPPORTED) return true;
    if (!has(as, feature) || (*now > EZ_SETTING_ANY && *now != said)) return false;
    *now = said;
    return true;
}

/* .amdgcn_target "amdgcn-amd-amdhsa--gfx90a:xnack+": must be the target of the assembler */
static bool target(ez_asm *as, ez_cursor *c) {
    static const char triple[] = "amdgcn-amd-amdhsa-";
    char *text;
    size_t length;
    ez_target_id id;
    ez_read_blank(c);
    const char *at = c->at;
    if (!ez_asm_string(as, c, &text, &length)) return false;
    bool good = length > sizeof triple && !memcmp(text, triple, sizeof triple - 1) &&
                ez_target_id_parse(text, length, &id, NULL) == EZ_OK &&
                !strcmp(id.processor, ez_target_name(as->target)) &&
                setting_agrees(as, "xnack", id.xnack, &as->xnack) &&
                setting_agrees(as, "sramecc", id.sramecc, &as->sramecc);
    if (good) return true;
    char now[64];
    ez_target_id own = {.xnack = as->xnack, .sramecc = as->sramecc};
    strncpy(own.processor, ez_target_name(as->target), sizeof own.processor - 1);
    return ez_asm_fail(as, at, ".amdgcn_target directive's target id %.*s does not match the specified target id "
                    "amdgcn-amd-amdhsa--%s", (int)(length < 100 ? length : 100), text,
                    ez_target_id_print(&own, now, sizeof now));
}

static bool version(ez_asm *as, ez_cursor *c) {
    int64_t number;
    ez_read_blank(c);
    const char *at = c->at;
    if (at == c->end) return ez_asm_fail(as, as->statement, "expected a code object version: 4, 5 or 6");
    if (!ez_asm_number(as, c, &number)) return false;
    if (number < 4 || number > 6) return ez_asm_fail(as, at, "code object version %lld: expected 4, 5 or 6", (long long)number);
    as->version = (unsigned)number;
    return true;
}

/* The text up to a line that has only the word `end`. */
static bool raw_text(ez_asm *as, ez_cursor *c, const char *end, const char **text, size_t *length) {
    const char *limit = as->source->end, *at = ez_asm_next_line(as, c->end);
    *text = at;
    while (at < limit) {
        const char *newline = memchr(at, '\n', (size_t)(limit - at)), *stop = newline ? newline : limit;
        ez_cursor line = {.start = at, .at = at, .end = stop};
        if (!ez_read_blank(&line) && ez_read_name(&line) == strlen(end) && !memcmp(line.at, end, strlen(end))) {
            *length = (size_t)(at - *text);
            c->at = c->end = stop;
            return true;
        }
        at = newline ? newline + 1 : limit;
    }
    c->at = c->end = limit;
    return ez_asm_fail(as, limit, "expected directive %s not found", end);
}

static bool metadata(ez_asm *as, ez_cursor *c) {
    const char *text;
    size_t length;
    if (!raw_text(as, c, ".end_amdgpu_metadata", &text, &length)) return false;
    return ez_asm_metadata(as, text, length, c->end);
}

/* Metadata of code objects of version 2, which are no longer written. */
static bool old_metadata(ez_asm *as, ez_cursor *c) {
    const char *text, *at = as->statement;
    size_t length;
    if (!raw_text(as, c, ".end_amdgpu_hsa_metadata", &text, &length)) return false;
    ez_asm_warn(as, at, "metadata of code object version 2 is left out");
    return true;
}

/* .ident "text" goes to .comment */
static bool ident(ez_asm *as, ez_cursor *c) {
    char *text;
    size_t length;
    if (!ez_asm_string(as, c, &text, &length)) return false;
    asm_section *now = as->section, *before = as->previous;
    asm_section *comment = ez_asm_section_of(as, ".comment", 8);
    ez_asm_switch(as, comment);
    if (!comment->size) {
        comment->flags = SHF_MERGE | SHF_STRINGS;
        comment->entry_size = 1;
        ez_asm_emit(as, NULL, 1);
    }
    ez_asm_emit(as, text, length);
    ez_asm_emit(as, NULL, 1);
    ez_asm_switch(as, now);
    as->previous = before;
    return true;
}

/* What has a meaning for debuggers and linkers only. */
static bool nothing(ez_asm *as, ez_cursor *c) {
    (void)as;
    c->at = c->end;
    return true;
}

const asm_directive_name ez_asm_amdgpu_directives[] = {
    {".amdgcn_target", target}, {".amdhsa_code_object_version", version}, {".amdhsa_kernel", ez_asm_kernel_directive},
    {".amdgpu_metadata", metadata}, {".amdgpu_hsa_metadata", old_metadata}, {".ident", ident},
    {".file", nothing}, {".loc", nothing}, {".addrsig", nothing}, {".addrsig_sym", nothing}, {".line", nothing},
    {".cfi_startproc", nothing}, {".cfi_endproc", nothing}, {".cfi_sections", nothing}, {".cfi_def_cfa", nothing},
    {".cfi_def_cfa_offset", nothing}, {".cfi_def_cfa_register", nothing}, {".cfi_offset", nothing},
    {".cfi_rel_offset", nothing}, {".cfi_escape", nothing}, {".cfi_undefined", nothing}, {".cfi_register", nothing},
    {".cfi_restore", nothing}, {".cfi_same_value", nothing}, {".cfi_remember_state", nothing},
    {".cfi_restore_state", nothing}, {".cfi_adjust_cfa_offset", nothing}, {".cfi_return_column", nothing},
    {".cfi_signal_frame", nothing}, {".cfi_personality", nothing}, {".cfi_lsda", nothing}, {".cfi_llvm_def_aspace_cfa", nothing},
    {".cfi_llvm_register_pair", nothing}, {".cfi_llvm_vector_registers", nothing}, {".cfi_llvm_vector_offset", nothing},
    {".cfi_llvm_vector_register_mask", nothing}, {".no_dead_strip", nothing}, {NULL, NULL}};
