/* SPDX-License-Identifier: Apache-2.0 */
#include "object_internal.h"

#include <inttypes.h>
#include <stdlib.h>

/*
 * A tree of metadata becomes structs here, by tables with one row per entry: its key from version 3
 * on, its key in version 2 ("Map/Key" where it is one map deeper), its type and place.
 * Source: AMDGPUUsage, "Code Object V2 Metadata" to "Code Object V5 Metadata". Keys that are not
 * listed are skipped, as the source demands ("Additional user data may be added").
 */

typedef enum entry_type { TEXT, NUMBER, PAIR, TRIPLE, FLAG, KIND, SPACE, ACCESS } entry_type;

typedef struct entry {
    const char *key, *key2;
    entry_type type;
    bool required; /* from version 3 on */
    size_t place;
} entry;

#define K(member) offsetof(ez_kernel_metadata, member)
static const entry kernel_entries[] = {
    {".name", "Name", TEXT, true, K(name)},
    {".symbol", "SymbolName", TEXT, true, K(symbol)},
    {".language", "Language", TEXT, false, K(language)},
    {".language_version", "LanguageVersion", PAIR, false, K(language_version)},
    {".kernarg_segment_size", "CodeProps/KernargSegmentSize", NUMBER, true,
     K(kernarg_segment_size)},
    {".kernarg_segment_align", "CodeProps/KernargSegmentAlign", NUMBER, false,
     K(kernarg_segment_align)},
    {".group_segment_fixed_size", "CodeProps/GroupSegmentFixedSize", NUMBER, false,
     K(group_segment_fixed_size)},
    {".private_segment_fixed_size", "CodeProps/PrivateSegmentFixedSize", NUMBER, false,
     K(private_segment_fixed_size)},
    {".wavefront_size", "CodeProps/WavefrontSize", NUMBER, false, K(wavefront_size)},
    {".sgpr_count", "CodeProps/NumSGPRs", NUMBER, false, K(sgpr_count)},
    {".vgpr_count", "CodeProps/NumVGPRs", NUMBER, false, K(vgpr_count)},
    {".agpr_count", "", NUMBER, false, K(agpr_count)},
    {".sgpr_spill_count", "CodeProps/NumSpilledSGPRs", NUMBER, false, K(sgpr_spill_count)},
    {".vgpr_spill_count", "CodeProps/NumSpilledVGPRs", NUMBER, false, K(vgpr_spill_count)},
    {".max_flat_workgroup_size", "CodeProps/MaxFlatWorkGroupSize", NUMBER, false,
     K(max_flat_workgroup_size)},
    {".reqd_workgroup_size", "Attrs/ReqdWorkGroupSize", TRIPLE, false, K(reqd_workgroup_size)},
    {".workgroup_size_hint", "Attrs/WorkGroupSizeHint", TRIPLE, false, K(workgroup_size_hint)},
    {".cluster_dims", "", TRIPLE, false, K(cluster_dims)},
    {".max_num_workgroups_x", "", NUMBER, false, K(max_num_workgroups[0])},
    {".max_num_workgroups_y", "", NUMBER, false, K(max_num_workgroups[1])},
    {".max_num_workgroups_z", "", NUMBER, false, K(max_num_workgroups[2])},
    {".vec_type_hint", "Attrs/VecTypeHint", TEXT, false, K(vec_type_hint)},
    {".device_enqueue_symbol", "Attrs/RuntimeHandle", TEXT, false, K(device_enqueue_symbol)},
    {".kind", "", TEXT, false, K(kind)},
    {".uses_dynamic_stack", "", FLAG, false, K(uses_dynamic_stack)},
    {".uniform_work_group_size", "", FLAG, false, K(uniform_work_group_size)},
    {".workgroup_processor_mode", "", FLAG, false, K(workgroup_processor_mode)},
};

#define A(member) offsetof(ez_kernel_arg, member)
static const entry arg_entries[] = {
    {".name", "Name", TEXT, false, A(name)},
    {".type_name", "TypeName", TEXT, false, A(type_name)},
    {".value_kind", "ValueKind", KIND, true, A(value_kind)},
    {".size", "Size", NUMBER, true, A(size)},
    {".offset", "", NUMBER, true, A(offset)},
    {".pointee_align", "PointeeAlign", NUMBER, false, A(pointee_align)},
    {".address_space", "AddrSpaceQual", SPACE, false, A(address_space)},
    {".access", "AccQual", ACCESS, false, A(access)},
    {".actual_access", "ActualAccQual", ACCESS, false, A(actual_access)},
    {".is_const", "IsConst", FLAG, false, A(is_const)},
    {".is_restrict", "IsRestrict", FLAG, false, A(is_restrict)},
    {".is_volatile", "IsVolatile", FLAG, false, A(is_volatile)},
    {".is_pipe", "IsPipe", FLAG, false, A(is_pipe)},
};

/* Words of the version 3 and the version 2 vocabulary; the index is the enum's value. */
static const char *const kind_words[][2] = {{"", ""},
#define WORDS(name, v3, v2) {v3, v2},
                                            EZ_VALUE_KINDS(WORDS)
#undef WORDS
};
static const char *const space_words[][2] = {
    {"", ""},           {"private", "Private"}, {"global", "Global"}, {"constant", "Constant"},
    {"local", "Local"}, {"generic", "Generic"}, {"region", "Region"},
};
static const char *const access_words[][2] = {
    {"default", "Default"},
    {"read_only", "ReadOnly"},
    {"write_only", "WriteOnly"},
    {"read_write", "ReadWrite"},
};
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Where in the metadata we are, for messages, and what everything below shares. */
typedef struct context {
    ez_arena *arena;
    bool version2;
    uint64_t offset;
    const char *kernel; /* name of the kernel, or NULL */
    size_t kernel_index;
    int arg; /* -1: none */
    ez_error *err;
} context;

static ez_status fail(const context *c, const char *key, const char *message) {
    char where[96] = "";
    if (c->kernel)
        snprintf(where, sizeof where, "kernel '%.48s': ", c->kernel);
    else if (c->kernel_index)
        snprintf(where, sizeof where, "kernel %zu: ", c->kernel_index - 1);
    size_t used = strlen(where);
    if (c->arg >= 0) snprintf(where + used, sizeof where - used, "argument %d: ", c->arg);
    return ez_error_at(c->err, EZ_ERR_FORMAT, c->offset, "metadata: %s'%s' %s", where, key,
                       message);
}

static bool equals(const msgpack_object *o, const char *text, size_t length) {
    return o->type == MSGPACK_OBJECT_STR && o->via.str.size == length &&
           memcmp(o->via.str.ptr, text, length) == 0;
}

/* The value of a key, one map deeper for "Map/Key"; NULL when there is none. */
static const msgpack_object *find(const msgpack_object *map, const char *key) {
    const char *slash = strchr(key, '/');
    size_t length = slash ? (size_t)(slash - key) : strlen(key);
    if (!length || map->type != MSGPACK_OBJECT_MAP) return NULL;
    for (uint32_t i = 0; i < map->via.map.size; i++) {
        const msgpack_object_kv *kv = &map->via.map.ptr[i];
        if (equals(&kv->key, key, length)) return slash ? find(&kv->val, slash + 1) : &kv->val;
    }
    return NULL;
}

static ez_status read_text(const context *c, const msgpack_object *o, const char *key,
                           const char **out) {
    if (o->type != MSGPACK_OBJECT_STR) return fail(c, key, "is not a string");
    if (memchr(o->via.str.ptr, 0, o->via.str.size)) return fail(c, key, "contains a zero byte");
    *out = ez_arena_text(c->arena, o->via.str.ptr, o->via.str.size);
    return *out ? EZ_OK : ez_error_set(c->err, EZ_ERR_NOMEM, "out of memory");
}

static ez_status read_number(const context *c, const msgpack_object *o, const char *key,
                             uint32_t *out) {
    uint64_t value = 0;
    bool good = o->type == MSGPACK_OBJECT_POSITIVE_INTEGER;
    if (good) value = o->via.u64;
    if (c->version2 && o->type == MSGPACK_OBJECT_STR) {
        good = o->via.str.size > 0 && o->via.str.size <= 10;
        for (uint32_t i = 0; good && i < o->via.str.size; i++) {
            unsigned digit = (unsigned)(o->via.str.ptr[i] - '0');
            good = digit <= 9;
            value = value * 10 + digit;
        }
    }
    if (!good || value > UINT32_MAX) return fail(c, key, "is not an unsigned 32-bit number");
    *out = (uint32_t)value;
    return EZ_OK;
}

static ez_status read_numbers(const context *c, const msgpack_object *o, const char *key,
                              uint32_t *out, uint32_t count) {
    if (o->type != MSGPACK_OBJECT_ARRAY || o->via.array.size != count)
        return fail(c, key, count == 2 ? "is not an array of 2" : "is not an array of 3");
    ez_status status = EZ_OK;
    for (uint32_t i = 0; !status && i < count; i++)
        status = read_number(c, &o->via.array.ptr[i], key, &out[i]);
    return status;
}

/* Compilers write flags as booleans or as 0 and 1. */
static ez_status read_flag(const context *c, const msgpack_object *o, const char *key, bool *out) {
    if (o->type == MSGPACK_OBJECT_BOOLEAN)
        *out = o->via.boolean;
    else if (o->type == MSGPACK_OBJECT_POSITIVE_INTEGER && o->via.u64 <= 1)
        *out = o->via.u64 == 1;
    else if (c->version2 && (equals(o, "true", 4) || equals(o, "false", 5)))
        *out = o->via.str.size == 4;
    else
        return fail(c, key, "is not a boolean");
    return EZ_OK;
}

/* The index of a word, or -1. */
static int find_word(const context *c, const msgpack_object *o, const char *const words[][2],
                     size_t count) {
    for (size_t i = 0; i < count; i++) {
        const char *word = words[i][c->version2];
        if (word[0] && equals(o, word, strlen(word))) return (int)i;
    }
    return -1;
}

static ez_status read_entry(const context *c, const msgpack_object *o, const entry *e,
                            const char *key, void *at) {
    int word;
    switch (e->type) {
    case TEXT:
        return read_text(c, o, key, at);
    case NUMBER:
        return read_number(c, o, key, at);
    case PAIR:
        return read_numbers(c, o, key, at, 2);
    case TRIPLE:
        return read_numbers(c, o, key, at, 3);
    case FLAG:
        return read_flag(c, o, key, at);
    case KIND: /* an unknown one is kept as text for whoever can say that it is in the way */
        word = find_word(c, o, kind_words, COUNT(kind_words));
        *(ez_value_kind *)at = word < 0 ? EZ_VALUE_UNKNOWN : (ez_value_kind)word;
        return EZ_OK;
    case SPACE:
        word = find_word(c, o, space_words, COUNT(space_words));
        if (word < 0) return fail(c, key, "is not an address space");
        *(ez_address_space *)at = (ez_address_space)word;
        return EZ_OK;
    case ACCESS:
        word = find_word(c, o, access_words, COUNT(access_words));
        if (word < 0) return fail(c, key, "is not a kind of access");
        *(ez_access *)at = (ez_access)word;
        return EZ_OK;
    }
    return EZ_OK;
}

static ez_status read_entries(const context *c, const msgpack_object *map, const entry *entries,
                              size_t count, void *out) {
    for (size_t i = 0; i < count; i++) {
        const char *key = c->version2 ? entries[i].key2 : entries[i].key;
        const msgpack_object *o = find(map, key);
        ez_status status = EZ_OK;
        if (o && o->type != MSGPACK_OBJECT_NIL)
            status = read_entry(c, o, &entries[i], key, (char *)out + entries[i].place);
        else if (entries[i].required && !c->version2)
            status = fail(c, key, "is missing");
        if (status) return status;
    }
    return EZ_OK;
}

/* Version 2 gives sizes and alignments, and leaves it to the reader to lay the arguments out. */
static ez_status place_version2(const context *c, const msgpack_object *map, uint64_t *end,
                                ez_kernel_arg *arg) {
    uint32_t align = 0;
    const msgpack_object *o = find(map, "Align");
    ez_status status = o ? read_number(c, o, "Align", &align) : fail(c, "Align", "is missing");
    if (status) return status;
    if (!align || (align & (align - 1))) return fail(c, "Align", "is not a power of two");
    uint64_t offset = (*end + align - 1) & ~(uint64_t)(align - 1);
    if (offset > UINT32_MAX) return fail(c, "Align", "puts the argument beyond 4 GiB");
    arg->offset = (uint32_t)offset;
    *end = offset + arg->size;
    return EZ_OK;
}

static ez_status read_args(context *c, const msgpack_object *list, ez_kernel_metadata *kernel) {
    const char *key = c->version2 ? "Args" : ".args";
    uint64_t end = 0;
    if (list->type != MSGPACK_OBJECT_ARRAY) return fail(c, key, "is not an array");
    ez_kernel_arg *args = ez_arena_alloc(c->arena, list->via.array.size, sizeof *args);
    if (!args) return ez_error_set(c->err, EZ_ERR_NOMEM, "out of memory");
    for (uint32_t i = 0; i < list->via.array.size; i++) {
        const msgpack_object *map = &list->via.array.ptr[i];
        c->arg = (int)i;
        if (map->type != MSGPACK_OBJECT_MAP) return fail(c, key, "has an element that is no map");
        ez_status status = read_entries(c, map, arg_entries, COUNT(arg_entries), &args[i]);
        const msgpack_object *kind = find(map, c->version2 ? "ValueKind" : ".value_kind");
        if (!status && !kind) status = fail(c, "ValueKind", "is missing");
        if (!status) status = read_text(c, kind, "value kind", &args[i].value_kind_name);
        if (!status && c->version2) status = place_version2(c, map, &end, &args[i]);
        if (status) return status;
    }
    c->arg = -1;
    kernel->args = args;
    kernel->arg_count = list->via.array.size;
    return EZ_OK;
}

static ez_status check_kernel(const context *c, const ez_kernel_metadata *k) {
    if (k->wavefront_size != 0 && k->wavefront_size != 32 && k->wavefront_size != 64)
        return fail(c, "wavefront_size", "is neither 32 nor 64");
    if (k->kernarg_segment_align & (k->kernarg_segment_align - 1))
        return fail(c, "kernarg_segment_align", "is not a power of two");
    return EZ_OK;
}

static ez_status read_kernel(context *c, const msgpack_object *map, ez_kernel_metadata *kernel) {
    const char *kernels = c->version2 ? "Kernels" : "amdhsa.kernels";
    if (map->type != MSGPACK_OBJECT_MAP) return fail(c, kernels, "has an element that is no map");
    const msgpack_object *name = find(map, c->version2 ? "Name" : ".name");
    ez_status status =
        name ? read_text(c, name, "name", &kernel->name) : fail(c, "name", "is missing");
    c->kernel = kernel->name;
    if (!status) status = read_entries(c, map, kernel_entries, COUNT(kernel_entries), kernel);
    if (!status && !kernel->symbol) { /* optional in version 2 */
        size_t length = strlen(kernel->name);
        char *symbol = ez_arena_alloc(c->arena, length + 4, 1);
        if (!symbol) return ez_error_set(c->err, EZ_ERR_NOMEM, "out of memory");
        memcpy(symbol, kernel->name, length);
        memcpy(symbol + length, "@kd", 3);
        kernel->symbol = symbol;
    }
    const msgpack_object *args = find(map, c->version2 ? "Args" : ".args");
    if (!status && args && args->type != MSGPACK_OBJECT_NIL) status = read_args(c, args, kernel);
    if (!status) status = check_kernel(c, kernel);
    return status;
}

/* Room for `more` pointers behind the `count` that an array in the arena has. */
static void *reserve(ez_arena *arena, void *items, size_t count, size_t *capacity, size_t more) {
    if (more <= *capacity - count) return items;
    size_t wanted = (count + more) * 2;
    void *copy = ez_arena_alloc(arena, wanted, sizeof(void *));
    if (!copy) return NULL;
    if (count) memcpy(copy, items, count * sizeof(void *));
    *capacity = wanted;
    return copy;
}

static ez_status read_kernels(context *c, ez_metadata *m, const msgpack_object *list) {
    if (list->type != MSGPACK_OBJECT_ARRAY) return fail(c, "kernels", "is not an array");
    void *room =
        reserve(c->arena, m->kernels, m->kernel_count, &m->kernel_capacity, list->via.array.size);
    ez_kernel_metadata *kernels = ez_arena_alloc(c->arena, list->via.array.size, sizeof *kernels);
    if ((!room && list->via.array.size) || !kernels)
        return ez_error_set(c->err, EZ_ERR_NOMEM, "out of memory");
    m->kernels = room;
    for (uint32_t i = 0; i < list->via.array.size; i++) {
        c->kernel = NULL, c->kernel_index = i + 1, c->arg = -1;
        ez_status status = read_kernel(c, &list->via.array.ptr[i], &kernels[i]);
        if (status) return status;
        m->kernels[m->kernel_count++] = &kernels[i];
    }
    c->kernel = NULL, c->kernel_index = 0;
    return EZ_OK;
}

static ez_status read_printf(context *c, ez_metadata *m, const msgpack_object *list) {
    if (list->type != MSGPACK_OBJECT_ARRAY) return fail(c, "printf", "is not an array");
    void *room = reserve(c->arena, m->printf_formats, m->printf_count, &m->printf_capacity,
                         list->via.array.size);
    if (!room && list->via.array.size) return ez_error_set(c->err, EZ_ERR_NOMEM, "out of memory");
    m->printf_formats = room;
    for (uint32_t i = 0; i < list->via.array.size; i++) {
        ez_status status =
            read_text(c, &list->via.array.ptr[i], "printf", &m->printf_formats[m->printf_count]);
        if (status) return status;
        m->printf_count++;
    }
    return EZ_OK;
}

ez_status ez_metadata_add(ez_metadata *m, ez_arena *arena, const msgpack_object *tree,
                          bool version2, uint64_t offset, ez_error *err) {
    context c = {.arena = arena, .version2 = version2, .offset = offset, .arg = -1, .err = err};
    if (tree->type != MSGPACK_OBJECT_MAP)
        return ez_error_at(err, EZ_ERR_FORMAT, offset, "metadata: expected a map at the top");
    const msgpack_object *version = find(tree, version2 ? "Version" : "amdhsa.version");
    const msgpack_object *target = find(tree, "amdhsa.target");
    const msgpack_object *kernels = find(tree, version2 ? "Kernels" : "amdhsa.kernels");
    const msgpack_object *formats = find(tree, version2 ? "Printf" : "amdhsa.printf");
    if (!version) return fail(&c, version2 ? "Version" : "amdhsa.version", "is missing");
    uint32_t numbers[2];
    ez_status status = read_numbers(&c, version, "version", numbers, 2);
    if (status) return status;
    if (numbers[0] != 1) /* minor versions are compatible, major versions are not */
        return ez_error_at(err, EZ_ERR_UNSUPPORTED, offset,
                           "metadata of version %" PRIu32 ".%" PRIu32 ", expected 1.x", numbers[0],
                           numbers[1]);
    m->present = true;
    m->version[0] = numbers[0], m->version[1] = numbers[1];
    if (target) status = read_text(&c, target, "amdhsa.target", &m->target);
    if (!status && formats) status = read_printf(&c, m, formats);
    if (!status && kernels && kernels->type != MSGPACK_OBJECT_NIL)
        status = read_kernels(&c, m, kernels);
    return status;
}

static int compare(const void *a, const void *b) {
    const ez_kernel_metadata *const *x = a, *const *y = b;
    return strcmp((*x)->symbol, (*y)->symbol);
}

ez_status ez_metadata_sort(ez_metadata *m, ez_error *err) {
    if (m->kernel_count) qsort(m->kernels, m->kernel_count, sizeof *m->kernels, compare);
    for (size_t i = 1; i < m->kernel_count; i++)
        if (strcmp(m->kernels[i - 1]->symbol, m->kernels[i]->symbol) == 0)
            return ez_error_set(err, EZ_ERR_FORMAT, "metadata: two kernels have the symbol '%s'",
                                m->kernels[i]->symbol);
    return EZ_OK;
}

const ez_kernel_metadata *ez_metadata_find(const ez_metadata *m, const char *symbol) {
    size_t low = 0, high = m->kernel_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(m->kernels[middle]->symbol, symbol);
        if (!order) return m->kernels[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
