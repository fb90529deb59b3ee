/* SPDX-License-Identifier: Apache-2.0 */
#include "object_internal.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

/*
 * A plain bundle is "__CLANG_OFFLOAD_BUNDLE__", u64 count, and for each entry u64 offset (from the
 * magic), u64 size, u64 length of its id, and the id. Source: clang documentation, "Clang Offload
 * Bundler", "Bundled Binary File Layout".
 */
static const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__";
enum { MAGIC_BYTES = 24, ENTRY_BYTES = 24, ID_MAX = 4096 };

/* Memory of one expanded bundle. */
typedef struct expansion {
    struct expansion *next;
    uint8_t *bytes;
} expansion;

struct ez_bundle {
    ez_arena arena;
    ez_bundle_entry *entries; /* malloc'd */
    size_t count, capacity, group_count;
    expansion *expansions;
};

static bool starts_with(const uint8_t *bytes, size_t size, const char *magic) {
    size_t length = strlen(magic);
    return size >= length && memcmp(bytes, magic, length) == 0;
}

static ez_status add_entry(ez_bundle *bundle, const ez_bundle_entry *entry, ez_error *err) {
    if (bundle->count == bundle->capacity) {
        size_t capacity = bundle->capacity ? bundle->capacity * 2 : 8;
        ez_bundle_entry *more = capacity > SIZE_MAX / sizeof *more
                                    ? NULL
                                    : realloc(bundle->entries, capacity * sizeof *more);
        if (!more) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
        bundle->entries = more;
        bundle->capacity = capacity;
    }
    bundle->entries[bundle->count++] = *entry;
    return EZ_OK;
}

/* Reads a plain bundle at bytes[0..size); `*used` is where its last entry ends. */
static ez_status read_plain(ez_bundle *bundle, const uint8_t *bytes, size_t size, uint64_t offset,
                            size_t *used, ez_error *err) {
    size_t at = MAGIC_BYTES + 8;
    if (size < at)
        return ez_error_at(err, EZ_ERR_FORMAT, offset, "truncated offload bundle: %zu bytes", size);
    uint64_t count = ez_le64(bytes + MAGIC_BYTES);
    if (count > (size - at) / ENTRY_BYTES)
        return ez_error_at(err, EZ_ERR_FORMAT, offset + MAGIC_BYTES,
                           "offload bundle of %zu bytes claims %" PRIu64 " entries", size, count);
    *used = at;
    for (uint64_t i = 0; i < count; i++) {
        if (size - at < ENTRY_BYTES)
            return ez_error_at(err, EZ_ERR_FORMAT, offset + at,
                               "truncated offload bundle: entry %" PRIu64 " of %" PRIu64
                               " lies beyond its end",
                               i, count);
        uint64_t start = ez_le64(bytes + at), length = ez_le64(bytes + at + 8);
        uint64_t id_length = ez_le64(bytes + at + 16);
        uint64_t entry_at = offset + at;
        at += ENTRY_BYTES;
        if (id_length > ID_MAX || id_length > size - at)
            return ez_error_at(err, EZ_ERR_FORMAT, entry_at,
                               "entry %" PRIu64 " of the offload bundle has an id of %" PRIu64
                               " bytes",
                               i, id_length);
        const char *id = (const char *)bytes + at;
        at += (size_t)id_length;
        if (!ez_within(start, length, size))
            return ez_error_at(err, EZ_ERR_FORMAT, entry_at,
                               "truncated offload bundle: entry '%.*s' has %" PRIu64
                               " bytes at offset %" PRIu64 ", the bundle has %zu",
                               (int)(id_length < 80 ? id_length : 80), id, length, start, size);
        if (start + length > *used) *used = (size_t)(start + length);
        if (!length || (id_length >= 5 && memcmp(id, "host-", 5) == 0)) continue;
        ez_bundle_entry entry = {.id = ez_arena_text(&bundle->arena, id, (size_t)id_length),
                                 .bytes = bytes + start,
                                 .size = (size_t)length,
                                 .group = bundle->group_count};
        if (!entry.id) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
        ez_status status = ez_target_id_parse(id, (size_t)id_length, &entry.target, err);
        if (!status) status = add_entry(bundle, &entry, err);
        if (status) {
            if (err) err->offset = entry_at;
            return status;
        }
    }
    if (at > *used) *used = at;
    bundle->group_count++;
    return EZ_OK;
}

static ez_status read_compressed(ez_bundle *bundle, const uint8_t *bytes, size_t size,
                                 uint64_t offset, size_t *used, ez_error *err) {
    expansion *memory = ez_arena_alloc(&bundle->arena, 1, sizeof *memory);
    if (!memory) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    size_t expanded, inner;
    ez_status status = ez_ccob_expand(bytes, size, offset, &memory->bytes, &expanded, used, err);
    if (status) return status;
    memory->next = bundle->expansions;
    bundle->expansions = memory;
    if (!starts_with(memory->bytes, expanded, bundle_magic))
        return ez_error_at(err, EZ_ERR_FORMAT, offset,
                           "compressed bundle that does not expand to an offload bundle");
    status = read_plain(bundle, memory->bytes, expanded, 0, &inner, err);
    if (status && err) { /* offsets inside the expansion mean nothing in the file */
        char message[sizeof err->message];
        memcpy(message, err->message, sizeof message);
        ez_error_at(err, status, offset, "in a compressed bundle: %.200s", message);
    }
    return status;
}

/* Bundles one after the other; linkers align them and fill with zeros. */
static ez_status read_bundles(ez_bundle *bundle, const uint8_t *bytes, size_t size, uint64_t offset,
                              ez_error *err) {
    size_t at = 0;
    while (at < size) {
        const uint8_t *p = bytes + at;
        size_t left = size - at, used = 0;
        ez_status status;
        if (*p == 0) {
            at++;
            continue;
        }
        if (starts_with(p, left, bundle_magic))
            status = read_plain(bundle, p, left, offset + at, &used, err);
        else if (starts_with(p, left, "CCOB"))
            status = read_compressed(bundle, p, left, offset + at, &used, err);
        else
            status = ez_error_at(err, EZ_ERR_FORMAT, offset + at,
                                 "byte 0x%02x at offset %" PRIu64 ", expected an offload bundle: "
                                 "%s or CCOB",
                                 *p, offset + at, bundle_magic);
        if (status) return status;
        at += used;
    }
    return EZ_OK;
}

/* A bare code object. It is opened once to learn its target; what is wrong with its kernels is told when it is opened for them. */
static ez_status read_object(ez_bundle *bundle, const uint8_t *bytes, size_t size, ez_error *err) {
    ez_object *object;
    ez_status status = ez_object_open_code_memory(bytes, size, &object, err);
    if (status) return status;
    ez_bundle_entry entry = {
        .id = "", .target = *ez_object_target_id(object), .bytes = bytes, .size = size};
    ez_object_close(object);
    bundle->group_count = 1;
    return add_entry(bundle, &entry, err);
}

static ez_status read_host(ez_bundle *bundle, const uint8_t *bytes, size_t size, ez_error *err) {
    ez_elf elf;
    ez_status status = ez_elf_open(bytes, size, 0, &elf, err);
    if (status) return status;
    bool found = false;
    for (size_t i = 1; !status && i < elf.shnum; i++) {
        GElf_Shdr h;
        const char *name;
        status = ez_elf_section(&elf, i, &h, err);
        if (!status) status = ez_elf_string(&elf, elf.shstrndx, h.sh_name, &name, err);
        if (status || strcmp(name, ".hip_fatbin") != 0 || h.sh_type == SHT_NOBITS) continue;
        if (found) /* linkers merge them; many over the same bytes would be an attack */
            status =
                ez_error_at(err, EZ_ERR_UNSUPPORTED, h.sh_offset, "a second section .hip_fatbin");
        found = true;
        if (!status)
            status = read_bundles(bundle, bytes + h.sh_offset, h.sh_size, h.sh_offset, err);
    }
    if (!status && !found)
        status = ez_error_set(err, EZ_ERR_NOT_FOUND,
                              "a file for machine %u (%s) without AMD GPU code: it has no section "
                              ".hip_fatbin",
                              elf.machine, ez_elf_machine_name(elf.machine));
    ez_elf_close(&elf);
    return status;
}

ez_status ez_bundle_open_memory(const void *bytes, size_t size, ez_bundle **out, ez_error *err) {
    if (!out || (!bytes && size))
        return ez_error_set(err, EZ_ERR_ARGUMENT, "no bytes, or nowhere to put the bundle");
    *out = NULL;
    const uint8_t *b = bytes;
    if (!size) return ez_error_at(err, EZ_ERR_FORMAT, 0, "the file is empty");
    ez_bundle *bundle = calloc(1, sizeof *bundle);
    if (!bundle) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    ez_status status;
    if (starts_with(b, size, bundle_magic) || starts_with(b, size, "CCOB"))
        status = read_bundles(bundle, b, size, 0, err);
    else if (starts_with(b, size, "\177ELF") && (size < 20 || ez_le16(b + 18) == EM_AMDGPU))
        status = read_object(bundle, b, size, err);
    else if (starts_with(b, size, "\177ELF"))
        status = read_host(bundle, b, size, err);
    else
        status = ez_error_at(err, EZ_ERR_FORMAT, 0,
                             "neither an ELF file nor an offload bundle: it starts with "
                             "%02x %02x %02x %02x",
                             b[0], size > 1 ? b[1] : 0, size > 2 ? b[2] : 0, size > 3 ? b[3] : 0);
    if (!status && !bundle->count)
        status =
            ez_error_set(err, EZ_ERR_NOT_FOUND, "the offload bundle has no code for an AMD GPU");
    if (status)
        ez_bundle_close(bundle);
    else
        *out = bundle;
    return status;
}

void ez_bundle_close(ez_bundle *bundle) {
    if (!bundle) return;
    for (expansion *e = bundle->expansions; e; e = e->next)
        free(e->bytes);
    ez_arena_free(&bundle->arena);
    free(bundle->entries);
    free(bundle);
}

const ez_bundle_entry *ez_bundle_entries(const ez_bundle *bundle, size_t *count) {
    *count = bundle->count;
    return bundle->entries;
}

size_t ez_bundle_group_count(const ez_bundle *bundle) {
    return bundle->group_count;
}

static bool same_id(const ez_target_id *a, const ez_target_id *b) {
    return strcmp(a->processor, b->processor) == 0 && a->sramecc == b->sramecc &&
           a->xnack == b->xnack;
}

/* The targets there are, each once, "..." where they do not fit. */
static void list_targets(const ez_bundle *bundle, int group, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < bundle->count; i++) {
        char id[64];
        const ez_bundle_entry *entry = &bundle->entries[i];
        if (group >= 0 && entry->group != (size_t)group) continue;
        bool seen = false;
        for (size_t k = 0; k < i && !seen && k < 64; k++)
            seen = same_id(&bundle->entries[k].target, &entry->target);
        if (seen) continue;
        ez_target_id_print(&entry->target, id, sizeof id);
        const char *separator = used ? ", " : "";
        if (strlen(separator) + strlen(id) + sizeof ", ..." > size - used) {
            snprintf(text + used, size - used, "%s...", separator);
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s%s", separator, id);
    }
}

ez_status ez_bundle_select(const ez_bundle *bundle, int group, const char *target,
                           const ez_bundle_entry **entry, ez_error *err) {
    ez_target_id device;
    char targets[160];
    unsigned best = 0;
    *entry = NULL;
    ez_status status = ez_target_id_parse(target, strlen(target), &device, err);
    if (status) return status;
    for (size_t i = 0; i < bundle->count; i++) {
        const ez_bundle_entry *e = &bundle->entries[i];
        if (group >= 0 && e->group != (size_t)group) continue;
        unsigned fit = ez_target_id_match(&e->target, &device);
        if (fit > best) best = fit, *entry = e;
    }
    if (*entry) return EZ_OK;
    list_targets(bundle, group, targets, sizeof targets);
    return ez_error_set(err, EZ_ERR_NOT_FOUND, "no code for %.40s; there is code for %s", target,
                        targets[0] ? targets : "no target");
}
