/* SPDX-License-Identifier: Apache-2.0 */
#include "object_internal.h"

#include <inttypes.h>
#include <stdlib.h>

/* Sizes beyond which a descriptor is nonsense on every GPU. What one GPU has is the business of
 * whoever launches the kernel. */
enum {
    GROUP_SEGMENT_MAX = 1 << 20, /* the largest LDS is 320 KiB, of gfx1250 */
    /* GFX12: COMPUTE_TMPRING_SIZE.WAVESIZE has 18 bits in units of 64 dwords, for 32 lanes. */
    PRIVATE_SEGMENT_MAX = (1 << 18) * 64 * 4 / 32,
    KERNARG_SEGMENT_MAX = 1 << 20 /* ours */
};

enum { DESCRIPTOR_BYTES = 64, KERNEL_CODE_BYTES = 256, ENTRY_OFFSET_FIELD = 16 };
enum { DESCRIPTOR_ALIGN = 64 };

/* ---- decoding ---- */

/* Source of the places: AMDGPUUsage, "Kernel Descriptor for GFX6-GFX12". */
static void decode_descriptor(const uint8_t *b, ez_kernel_descriptor *d) {
    d->group_segment_fixed_size = ez_le32(b);
    d->private_segment_fixed_size = ez_le32(b + 4);
    d->kernarg_size = ez_le32(b + 8);
    d->kernel_code_entry_byte_offset = (int64_t)ez_le64(b + ENTRY_OFFSET_FIELD);
    d->compute_pgm_rsrc3 = ez_le32(b + 44);
    d->compute_pgm_rsrc1 = ez_le32(b + 48);
    d->compute_pgm_rsrc2 = ez_le32(b + 52);
    d->kernel_code_properties = ez_le16(b + 56);
    d->kernarg_preload = ez_le16(b + 58);
}

/* Index of the first byte that must be 0 and is not, or -1. */
static int first_reserved(const uint8_t *b) {
    for (int i = 12; i < DESCRIPTOR_BYTES; i++) {
        bool reserved = i < 16 || (i >= 24 && i < 44) || i >= 60;
        if (reserved && b[i]) return i;
    }
    /* kernel_code_properties: bits 9:7 and 15:12 */
    return b[56] & 0x80 ? 56 : b[57] & 0xf3 ? 57 : -1;
}

/* amd_kernel_code_t has the same facts elsewhere; the low half of its code properties is the same
 * word, but dynamic stack is bit 20. Source: AMDGPUUsage of LLVM 14, "amd_kernel_code_t". */
static ez_status decode_kernel_code(const uint8_t *b, uint64_t at, const char *name,
                                    ez_kernel_descriptor *d, ez_error *err) {
    uint32_t major = ez_le32(b), properties = ez_le32(b + 56);
    uint64_t kernarg = ez_le64(b + 72);
    if (major != 1)
        return ez_error_at(err, EZ_ERR_UNSUPPORTED, at,
                           "kernel '%s': amd_kernel_code_t of version %" PRIu32 ", expected 1",
                           name, major);
    d->kernel_code_entry_byte_offset = (int64_t)ez_le64(b + ENTRY_OFFSET_FIELD);
    d->compute_pgm_rsrc1 = ez_le32(b + 48);
    d->compute_pgm_rsrc2 = ez_le32(b + 52);
    d->private_segment_fixed_size = ez_le32(b + 60);
    d->group_segment_fixed_size = ez_le32(b + 64);
    d->kernarg_size = kernarg > UINT32_MAX ? UINT32_MAX : (uint32_t)kernarg;
    d->kernel_code_properties = (uint16_t)((properties & 0x7ff) | (properties >> 20 & 1) << 11);
    return EZ_OK;
}

/* ---- finding the entry ---- */

/* What the relocations of a relocatable object say: REL64 by section and offset. */
typedef struct entries {
    const ez_relocation **sorted;
    size_t count;
} entries;

static int compare_place(const ez_relocation *r, uint32_t section, uint64_t offset) {
    if (r->section != section) return r->section < section ? -1 : 1;
    return r->offset < offset ? -1 : r->offset > offset;
}

static int compare_relocations(const void *a, const void *b) {
    const ez_relocation *x = *(const ez_relocation *const *)a;
    const ez_relocation *y = *(const ez_relocation *const *)b;
    return compare_place(x, y->section, y->offset);
}

static ez_status collect_entries(ez_object *object, entries *e, ez_error *err) {
    if (!object->relocatable) return EZ_OK;
    e->sorted = ez_arena_alloc(&object->arena, object->relocation_count, sizeof *e->sorted);
    if (!e->sorted) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    for (size_t i = 0; i < object->relocation_count; i++)
        if (object->relocations[i].type == EZ_R_AMDGPU_REL64)
            e->sorted[e->count++] = &object->relocations[i];
    qsort(e->sorted, e->count, sizeof *e->sorted, compare_relocations);
    return EZ_OK;
}

static const ez_relocation *find_entry(const entries *e, uint32_t section, uint64_t offset) {
    size_t low = 0, high = e->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_place(e->sorted[middle], section, offset);
        if (!order) return e->sorted[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* Not linked yet: the entry is what the relocation of the field points at. It stands for
 * S + A - P, with P the field and the value counted from the descriptor. */
static ez_status relocatable_entry(const ez_object *object, const entries *e, uint64_t at,
                                   ez_kernel *kernel, ez_error *err) {
    const ez_symbol *symbol = kernel->descriptor_symbol;
    const ez_relocation *r = find_entry(e, symbol->section, symbol->value + ENTRY_OFFSET_FIELD);
    if (!r || !r->symbol || r->symbol->section == EZ_SECTION_UNDEFINED ||
        r->symbol->section >= object->section_count)
        return ez_error_at(err, EZ_ERR_FORMAT, at,
                           "kernel '%s': no relocation gives the entry in its descriptor",
                           kernel->name);
    const ez_section *section = &object->sections[r->symbol->section];
    kernel->entry_section = r->symbol->section;
    kernel->entry_address = r->symbol->value + (uint64_t)r->addend - ENTRY_OFFSET_FIELD;
    if (kernel->entry_address % 4 || !section->bytes ||
        !ez_within(kernel->entry_address, 4, section->size))
        return ez_error_at(err, EZ_ERR_FORMAT, at,
                           "kernel '%s': entry at offset 0x%" PRIx64
                           " is outside section '%s' of %" PRIu64 " bytes",
                           kernel->name, kernel->entry_address, section->name, section->size);
    return EZ_OK;
}

/* Version 2 keeps descriptor and code in one section, so that no relocation is needed. */
static ez_status version2_entry(const ez_object *object, uint64_t at, ez_kernel *kernel,
                                ez_error *err) {
    const ez_section *section = &object->sections[kernel->descriptor_symbol->section];
    kernel->entry_section = kernel->descriptor_symbol->section;
    kernel->entry_address =
        kernel->descriptor_address + (uint64_t)kernel->descriptor.kernel_code_entry_byte_offset;
    if (ez_within(kernel->entry_address, 4, section->size)) return EZ_OK;
    return ez_error_at(err, EZ_ERR_FORMAT, at,
                       "kernel '%s': entry at offset 0x%" PRIx64
                       " is outside section '%s' of %" PRIu64 " bytes",
                       kernel->name, kernel->entry_address, section->name, section->size);
}

static ez_status loadable_entry(const ez_object *object, uint64_t at, ez_kernel *kernel,
                                ez_error *err) {
    kernel->entry_address =
        kernel->descriptor_address + (uint64_t)kernel->descriptor.kernel_code_entry_byte_offset;
    const ez_segment *s = ez_object_segment_of(object, kernel->entry_address);
    if (!s || !(s->flags & EZ_SEGMENT_EXECUTE) ||
        !ez_within(kernel->entry_address - s->address, 4, s->file_size))
        return ez_error_at(err, EZ_ERR_FORMAT, at,
                           "kernel '%s': entry at address 0x%" PRIx64 " (descriptor 0x%" PRIx64
                           " %+" PRId64 ") is not in an executable segment",
                           kernel->name, kernel->entry_address, kernel->descriptor_address,
                           kernel->descriptor.kernel_code_entry_byte_offset);
    return EZ_OK;
}

static ez_status find_kernel_entry(const ez_object *object, const entries *e, uint64_t at,
                                   ez_kernel *kernel, ez_error *err) {
    if (!object->relocatable) return loadable_entry(object, at, kernel, err);
    if (object->version == 2) return version2_entry(object, at, kernel, err);
    return relocatable_entry(object, e, at, kernel, err);
}

/* ---- checks ---- */

static ez_status check_sizes(const ez_kernel *kernel, uint64_t at, ez_error *err) {
    const ez_kernel_descriptor *d = &kernel->descriptor;
    const struct {
        const char *what;
        uint32_t value, max;
    } sizes[] = {
        {"group_segment_fixed_size", d->group_segment_fixed_size, GROUP_SEGMENT_MAX},
        {"private_segment_fixed_size", d->private_segment_fixed_size, PRIVATE_SEGMENT_MAX},
        {"kernarg_size", d->kernarg_size, KERNARG_SEGMENT_MAX},
        {"kernarg_segment_size of the metadata",
         kernel->metadata ? kernel->metadata->kernarg_segment_size : 0, KERNARG_SEGMENT_MAX},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (sizes[i].value > sizes[i].max)
            return ez_error_at(err, EZ_ERR_FORMAT, at,
                               "kernel '%s': %s is %" PRIu32 " bytes, expected at most %" PRIu32,
                               kernel->name, sizes[i].what, sizes[i].value, sizes[i].max);
    return EZ_OK;
}

static ez_status check_args(const ez_kernel *kernel, uint64_t at, ez_error *err) {
    const ez_kernel_metadata *m = kernel->metadata;
    if (!m) return EZ_OK;
    /* Version 2 metadata may leave the size to the descriptor. */
    uint32_t segment =
        m->kernarg_segment_size ? m->kernarg_segment_size : kernel->descriptor.kernarg_size;
    for (uint32_t i = 0; i < m->arg_count; i++)
        if (!ez_within(m->args[i].offset, m->args[i].size, segment))
            return ez_error_at(err, EZ_ERR_FORMAT, at,
                               "kernel '%s': argument %" PRIu32 " has %" PRIu32
                               " bytes at offset %" PRIu32 ", the kernarg segment has %" PRIu32
                               " bytes",
                               kernel->name, i, m->args[i].size, m->args[i].offset, segment);
    return EZ_OK;
}

/* ---- assembling ---- */

/* The bytes of a descriptor or kernel code, or NULL. */
static const uint8_t *descriptor_bytes(const ez_object *object, const ez_symbol *symbol,
                                       size_t size) {
    if (!object->relocatable) return ez_object_bytes_at(object, symbol->value, size);
    if (symbol->section >= object->section_count) return NULL;
    const ez_section *section = &object->sections[symbol->section];
    if (!section->bytes || !ez_within(symbol->value, size, section->size)) return NULL;
    return section->bytes + symbol->value;
}

static ez_status decode(const ez_object *object, const uint8_t *bytes, ez_kernel *kernel,
                        ez_error *err) {
    uint64_t at = (uint64_t)(bytes - object->bytes);
    if (object->version == 2)
        return decode_kernel_code(bytes, at, kernel->name, &kernel->descriptor, err);
    int reserved = first_reserved(bytes);
    if (reserved >= 0)
        return ez_error_at(err, EZ_ERR_FORMAT, at + (uint64_t)reserved,
                           "kernel '%s': reserved bits of byte %d of the kernel descriptor are "
                           "0x%02x, expected 0",
                           kernel->name, reserved, bytes[reserved]);
    decode_descriptor(bytes, &kernel->descriptor);
    return EZ_OK;
}

static ez_status read_kernel(ez_object *object, const entries *e, const ez_symbol *symbol,
                             ez_kernel *kernel, ez_error *err) {
    bool version2 = object->version == 2;
    size_t length = strlen(symbol->name), size = version2 ? KERNEL_CODE_BYTES : DESCRIPTOR_BYTES;
    char *name = ez_arena_alloc(&object->arena, length + 4, 1);
    if (!name) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    memcpy(name, symbol->name, length);
    if (version2) memcpy(name + length, "@kd", 3); /* what the metadata calls it */
    const uint8_t *bytes = descriptor_bytes(object, symbol, size);
    kernel->metadata = ez_metadata_find(&object->metadata, name);
    name[version2 ? length : length - 3] = 0;
    kernel->name = name;
    kernel->descriptor_symbol = symbol;
    kernel->descriptor_address = symbol->value;
    if (!version2 && symbol->size != DESCRIPTOR_BYTES)
        return ez_error_set(err, EZ_ERR_FORMAT,
                            "kernel '%s': its descriptor symbol '%s' has %" PRIu64
                            " bytes, expected 64",
                            name, symbol->name, symbol->size);
    if (!bytes)
        return ez_error_set(err, EZ_ERR_FORMAT,
                            "kernel '%s': the %zu bytes of its descriptor at 0x%" PRIx64
                            " are not in the file",
                            name, size, symbol->value);
    uint64_t at = (uint64_t)(bytes - object->bytes);
    if (!object->relocatable && symbol->value % DESCRIPTOR_ALIGN)
        return ez_error_at(err, EZ_ERR_FORMAT, at,
                           "kernel '%s': its descriptor at 0x%" PRIx64
                           " is not aligned to 64 bytes (.p2align 6)",
                           name, symbol->value);
    ez_status status = decode(object, bytes, kernel, err);
    if (!status) status = find_kernel_entry(object, e, at, kernel, err);
    if (!status) status = check_sizes(kernel, at, err);
    if (!status) status = check_args(kernel, at, err);
    return status;
}

/* Metadata without a descriptor: a kernel that cannot be launched. */
static ez_status check_metadata(ez_object *object, ez_error *err) {
    bool version2 = object->version == 2;
    ez_symbol_type type = version2 ? EZ_SYMBOL_KERNEL_CODE : EZ_SYMBOL_KERNEL_DESCRIPTOR;
    for (size_t i = 0; i < object->metadata.kernel_count; i++) {
        const ez_kernel_metadata *m = object->metadata.kernels[i];
        size_t length = strlen(m->symbol);
        char *name = ez_arena_text(&object->arena, m->symbol, length);
        if (!name) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
        if (version2 && length > 3 && strcmp(name + length - 3, "@kd") == 0) name[length - 3] = 0;
        const ez_symbol *symbol = ez_object_find_symbol(object, name);
        if (!symbol || symbol->type != type)
            return ez_error_set(err, EZ_ERR_FORMAT,
                                "metadata: kernel '%s' has no descriptor: there is no such symbol "
                                "as '%s'",
                                m->name, name);
    }
    return EZ_OK;
}

ez_status ez_object_read_kernels(ez_object *object, ez_error *err) {
    ez_symbol_type type =
        object->version == 2 ? EZ_SYMBOL_KERNEL_CODE : EZ_SYMBOL_KERNEL_DESCRIPTOR;
    size_t total = 0;
    uint64_t name_bytes = 0;
    for (size_t i = 0; i < object->symbol_count; i++) {
        const ez_symbol *symbol = &object->symbols[i];
        if (symbol->type != type || symbol->section == EZ_SECTION_UNDEFINED) continue;
        total++;
        name_bytes += strlen(symbol->name);
        /* Names are copied. Those of an honest file each have bytes of their own. */
        if (name_bytes > object->size)
            return ez_error_set(err, EZ_ERR_FORMAT,
                                "names of kernels are longer than the whole file");
    }
    entries e = {0};
    object->kernels = ez_arena_alloc(&object->arena, total, sizeof *object->kernels);
    if (!object->kernels) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    ez_status status = collect_entries(object, &e, err);
    for (size_t i = 0; !status && i < object->symbol_count; i++) {
        const ez_symbol *symbol = &object->symbols[i];
        if (symbol->type == type && symbol->section != EZ_SECTION_UNDEFINED)
            status = read_kernel(object, &e, symbol, &object->kernels[object->kernel_count++], err);
    }
    if (!status) status = check_metadata(object, err);
    return status;
}
