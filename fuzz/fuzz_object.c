/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a container, each of its entries as a code object, and the bytes themselves as one
 * (and as one with the header made right, so that the fuzzer need not find it first). What opens is
 * read to the end: a wild pointer or size must show up under a sanitizer.
 */
#include "execz/object.h"

#include <stdlib.h>
#include <string.h>

static volatile size_t sink;

static void touch_text(const char *text) {
    if (text) sink += strlen(text);
}

/* Both ends: ranges may overlap, and reading all of each would take quadratic time. */
static void touch_bytes(const uint8_t *bytes, uint64_t size) {
    if (bytes && size) sink += (size_t)bytes[0] + bytes[size - 1];
}

static void touch_kernel(const ez_object *object, const ez_kernel *k) {
    const ez_kernel_metadata *m = k->metadata;
    touch_text(k->name);
    touch_text(k->descriptor_symbol->name);
    for (int f = 0; f < EZ_KD_COUNT; f++)
        sink += ez_descriptor_get(&k->descriptor, (ez_descriptor_field)f);
    if (!ez_object_is_relocatable(object))
        touch_bytes(ez_object_bytes_at(object, k->entry_address, 4), 4);
    for (uint32_t i = 0; m && i < m->arg_count; i++) {
        touch_text(m->args[i].name);
        touch_text(m->args[i].type_name);
        touch_text(m->args[i].value_kind_name);
    }
}

static void read_object(const void *bytes, size_t size) {
    ez_object *object;
    ez_error err;
    size_t n;
    if (ez_object_open_memory(bytes, size, &object, &err)) {
        if (object || !err.message[0]) abort();
        return;
    }
    const ez_segment *segments = ez_object_segments(object, &n);
    for (size_t i = 0; i < n; i++)
        touch_bytes(segments[i].bytes, segments[i].file_size);
    const ez_section *sections = ez_object_sections(object, &n);
    for (size_t i = 0; i < n; i++) {
        touch_text(sections[i].name);
        touch_bytes(sections[i].bytes, sections[i].size);
    }
    const ez_symbol *symbols = ez_object_symbols(object, &n);
    for (size_t i = 0; i < n; i++) {
        touch_text(symbols[i].name);
        touch_bytes(ez_object_bytes_at(object, symbols[i].value, symbols[i].size), symbols[i].size);
    }
    const ez_relocation *relocations = ez_object_relocations(object, &n);
    for (size_t i = 0; i < n; i++) {
        uint64_t value;
        unsigned width;
        ez_relocation_resolve(&relocations[i], 0x1000, relocations[i].offset, 0x1000, &value,
                              &width, &err);
    }
    const ez_kernel *kernels = ez_object_kernels(object, &n), *found;
    for (size_t i = 0; i < n; i++)
        touch_kernel(object, &kernels[i]);
    ez_object_find_kernel(object, "k", &found, &err);
    ez_object_close(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ez_bundle *bundle;
    const ez_bundle_entry *best;
    ez_error err;
    size_t n;
    if (ez_bundle_open_memory(data, size, &bundle, &err) == EZ_OK) {
        const ez_bundle_entry *entries = ez_bundle_entries(bundle, &n);
        for (size_t i = 0; i < n && i < 16; i++)
            read_object(entries[i].bytes, entries[i].size);
        ez_bundle_select(bundle, EZ_BUNDLE_ANY_GROUP, "gfx90a", &best, &err);
        ez_bundle_close(bundle);
    }
    read_object(data, size);
    if (size < 64) return 0;
    uint8_t *copy = malloc(size);
    if (!copy) return 0;
    memcpy(copy, data, size);
    memcpy(copy, "\177ELF\2\1\1\100", 8);
    copy[8] %= 5, copy[18] = 224, copy[19] = 0, copy[20] = 1;
    read_object(copy, size);
    free(copy);
    return 0;
}
