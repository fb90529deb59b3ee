/* SPDX-License-Identifier: Apache-2.0 */
#include "object_internal.h"

#include <inttypes.h>
#include <stdlib.h>

/* Source: AMDGPUUsage, "ELF Header"; not in every system's elf.h. */
enum { OSABI_AMDGPU_HSA = 64, ABI_VERSION_MAX = 4 };

static ez_status check_kind(ez_object *object, const ez_elf *elf, ez_error *err) {
    if (elf->osabi != OSABI_AMDGPU_HSA)
        return ez_error_at(err, EZ_ERR_UNSUPPORTED, EI_OSABI,
                           "ELF OS ABI %u%s, expected 64 (amdhsa)", elf->osabi,
                           elf->osabi == 65   ? " (amdpal)"
                           : elf->osabi == 66 ? " (mesa3d)"
                                              : "");
    if (elf->abi_version > ABI_VERSION_MAX)
        return ez_error_at(err, EZ_ERR_UNSUPPORTED, EI_ABIVERSION,
                           "ELF ABI version %u, expected 0 to 4 (code object version 2 to 6)",
                           elf->abi_version);
    if (elf->type != ET_DYN && elf->type != ET_REL)
        return ez_error_at(err, EZ_ERR_UNSUPPORTED, 16,
                           "ELF type %u, expected 3 (shared object) or 1 (relocatable)", elf->type);
    object->version = elf->abi_version + 2u;
    object->relocatable = elf->type == ET_REL;
    return EZ_OK;
}

static ez_status open_memory(const void *bytes, size_t size, bool kernels, ez_object **out, ez_error *err) {
    if (!out || (!bytes && size))
        return ez_error_set(err, EZ_ERR_ARGUMENT, "no bytes, or nowhere to put the object");
    *out = NULL;
    ez_elf elf;
    ez_status status = ez_elf_open(bytes, size, EM_AMDGPU, &elf, err);
    if (status) return status;
    ez_object *object = calloc(1, sizeof *object);
    if (!object) status = ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    if (!status) {
        object->bytes = bytes;
        object->size = size;
        status = check_kind(object, &elf, err);
    }
    if (!status) status = ez_object_read_tables(object, &elf, err);
    if (!status) status = ez_object_read_notes(object, &elf, err);
    if (!status) status = ez_object_read_target(object, &elf, err);
    if (!status && kernels) status = ez_object_read_kernels(object, err);
    ez_elf_close(&elf); /* everything that is kept lies in `bytes` or in the arena */
    if (status)
        ez_object_close(object);
    else
        *out = object;
    return status;
}

ez_status ez_object_open_memory(const void *bytes, size_t size, ez_object **out, ez_error *err) {
    return open_memory(bytes, size, true, out, err);
}

ez_status ez_object_open_code_memory(const void *bytes, size_t size, ez_object **out, ez_error *err) {
    return open_memory(bytes, size, false, out, err);
}

void ez_object_close(ez_object *object) {
    if (!object) return;
    ez_arena_free(&object->arena);
    free(object);
}

/* ---- accessors ---- */

unsigned ez_object_version(const ez_object *o) {
    return o->version;
}
bool ez_object_is_relocatable(const ez_object *o) {
    return o->relocatable;
}
const ez_target *ez_object_target(const ez_object *o) {
    return o->target;
}
const ez_target_id *ez_object_target_id(const ez_object *o) {
    return &o->target_id;
}
unsigned ez_object_generic_version(const ez_object *o) {
    return o->generic_version;
}
const char *ez_object_metadata_target(const ez_object *o) {
    return o->metadata.target;
}

void ez_object_metadata_version(const ez_object *o, unsigned version[2]) {
    version[0] = o->metadata.version[0];
    version[1] = o->metadata.version[1];
}

const char *const *ez_object_printf_formats(const ez_object *o, size_t *count) {
    *count = o->metadata.printf_count;
    return o->metadata.printf_formats;
}

const ez_segment *ez_object_segments(const ez_object *o, size_t *count) {
    *count = o->segment_count;
    return o->segments;
}

const ez_section *ez_object_sections(const ez_object *o, size_t *count) {
    *count = o->section_count;
    return o->sections;
}

const ez_symbol *ez_object_symbols(const ez_object *o, size_t *count) {
    *count = o->symbol_count;
    return o->symbols;
}

const ez_relocation *ez_object_relocations(const ez_object *o, size_t *count) {
    *count = o->relocation_count;
    return o->relocations;
}

const ez_kernel *ez_object_kernels(const ez_object *o, size_t *count) {
    *count = o->kernel_count;
    return o->kernels;
}

/* "a, b, c", with "..." where they do not fit. */
static void list_kernels(const ez_object *o, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < o->kernel_count; i++) {
        const char *separator = i ? ", " : "", *name = o->kernels[i].name;
        if (strlen(separator) + strlen(name) + sizeof ", ..." > size - used) {
            snprintf(text + used, size - used, "%s...", separator);
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", separator, name);
    }
}

ez_status ez_object_find_kernel(const ez_object *o, const char *name, const ez_kernel **kernel,
                                ez_error *err) {
    char names[160];
    *kernel = NULL;
    if (!o->kernel_count)
        return ez_error_set(err, EZ_ERR_NOT_FOUND, "the code object has no kernels");
    if (!name && o->kernel_count == 1) {
        *kernel = o->kernels;
        return EZ_OK;
    }
    for (size_t i = 0; name && i < o->kernel_count && !*kernel; i++)
        if (strcmp(o->kernels[i].name, name) == 0) *kernel = &o->kernels[i];
    for (size_t i = 0; name && i < o->kernel_count && !*kernel; i++)
        if (o->kernels[i].metadata && strcmp(o->kernels[i].metadata->name, name) == 0)
            *kernel = &o->kernels[i];
    if (*kernel) return EZ_OK;
    list_kernels(o, names, sizeof names);
    if (!name)
        return ez_error_set(err, EZ_ERR_NOT_FOUND, "name one of the %zu kernels: %s",
                            o->kernel_count, names);
    return ez_error_set(err, EZ_ERR_NOT_FOUND, "no kernel '%.48s'; there is %s", name, names);
}

/* ---- kernel descriptor fields ---- */

enum descriptor_word { RSRC1, RSRC2, RSRC3, PROPERTIES, PRELOAD };

static const struct {
    const char *name;
    uint8_t word, first, bits;
} descriptor_fields[] = {
#define FIELD(name, word, first, bits) {#name, word, first, bits},
    EZ_DESCRIPTOR_FIELDS(FIELD)
#undef FIELD
};

uint32_t ez_descriptor_get(const ez_kernel_descriptor *d, ez_descriptor_field field) {
    if ((unsigned)field >= EZ_KD_COUNT) return 0;
    uint32_t word = 0;
    switch (descriptor_fields[field].word) {
    case RSRC1:
        word = d->compute_pgm_rsrc1;
        break;
    case RSRC2:
        word = d->compute_pgm_rsrc2;
        break;
    case RSRC3:
        word = d->compute_pgm_rsrc3;
        break;
    case PROPERTIES:
        word = d->kernel_code_properties;
        break;
    case PRELOAD:
        word = d->kernarg_preload;
        break;
    }
    return word >> descriptor_fields[field].first &
           ((UINT32_C(1) << descriptor_fields[field].bits) - 1);
}

const char *ez_descriptor_field_name(ez_descriptor_field field) {
    return (unsigned)field < EZ_KD_COUNT ? descriptor_fields[field].name : NULL;
}

/* Fields of some targets alone: those with a feature, or without one. */
static const struct {
    uint8_t field;
    const char *with, *without;
} descriptor_needs[] = {
    {EZ_KD_GRANULATED_WAVEFRONT_SGPR_COUNT, NULL, "wave32"},
    {EZ_KD_ENABLE_DX10_CLAMP, "dx10_clamp_mode", NULL},
    {EZ_KD_ENABLE_WG_RR_EN, "round_robin", NULL},
    {EZ_KD_ENABLE_IEEE_MODE, "ieee_mode", NULL},
    {EZ_KD_DISABLE_PERF, "round_robin", NULL},
    {EZ_KD_FP16_OVFL, "fp16_overflow", NULL},
    {EZ_KD_FLAT_SCRATCH_IS_NV, "named_barriers", NULL},
    {EZ_KD_WGP_MODE, "wgp_mode", NULL},
    {EZ_KD_MEM_ORDERED, "wave32", NULL},
    {EZ_KD_FWD_PROGRESS, "wave32", NULL},
    {EZ_KD_USER_SGPR_COUNT, NULL, "user_sgprs_32"},
    {EZ_KD_USER_SGPR_COUNT_6, "user_sgprs_32", NULL},
    {EZ_KD_ENABLE_TRAP_HANDLER, NULL, "round_robin"},
    {EZ_KD_ENABLE_DYNAMIC_VGPR_6, "round_robin", "named_barriers"},
    {EZ_KD_ACCUM_OFFSET, "tg_split", NULL},
    {EZ_KD_TG_SPLIT, "tg_split", NULL},
    {EZ_KD_SHARED_VGPR_COUNT, "shared_vgprs", NULL},
    {EZ_KD_INST_PREF_SIZE_GFX11, "inst_pref_size", "inst_pref_255"},
    {EZ_KD_TRAP_ON_START, "inst_pref_size", "inst_pref_255"},
    {EZ_KD_TRAP_ON_END, "inst_pref_size", "inst_pref_255"},
    {EZ_KD_INST_PREF_SIZE, "inst_pref_255", NULL},
    {EZ_KD_GLG_EN, "inst_pref_255", NULL},
    {EZ_KD_NAMED_BAR_CNT, "named_barriers", NULL},
    {EZ_KD_ENABLE_DYNAMIC_VGPR, "named_barriers", NULL},
    {EZ_KD_TCP_SPLIT, "named_barriers", NULL},
    {EZ_KD_ENABLE_DIDT_THROTTLE, "named_barriers", NULL},
    {EZ_KD_IMAGE_OP, "inst_pref_size", NULL},
    {EZ_KD_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER, NULL, "arch_flat_scratch"},
    {EZ_KD_ENABLE_SGPR_FLAT_SCRATCH_INIT, NULL, "arch_flat_scratch"},
    {EZ_KD_ENABLE_WAVEFRONT_SIZE32, "wave32", NULL},
    {EZ_KD_KERNARG_PRELOAD_SPEC_LENGTH, "kernarg_preload", NULL},
    {EZ_KD_KERNARG_PRELOAD_SPEC_OFFSET, "kernarg_preload", NULL},
};

bool ez_descriptor_has(const ez_target *target, ez_descriptor_field field) {
    for (size_t i = 0; i < sizeof descriptor_needs / sizeof descriptor_needs[0]; i++) {
        const char *with = descriptor_needs[i].with, *without = descriptor_needs[i].without;
        if (descriptor_needs[i].field != field) continue;
        return (!with || ez_target_has_feature(target, with)) && !(without && ez_target_has_feature(target, without));
    }
    return (unsigned)field < EZ_KD_COUNT;
}
