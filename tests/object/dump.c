/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what the library reads from a code object as JSON, for compare_readelf.py. With
 * `--damage`, instead opens every truncation and every file with one wrong byte outside the code.
 */
#include "execz/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void text(const char *key, const char *value) {
    printf("\"%s\":", key);
    if (!value) {
        printf("null,");
        return;
    }
    putchar('"');
    for (; *value; value++)
        if (*value == '"' || *value == '\\' || (unsigned char)*value < 32)
            printf("\\u%04x", (unsigned char)*value);
        else
            putchar(*value);
    printf("\",");
}

static void number(const char *key, uint64_t value) {
    printf("\"%s\":%llu,", key, (unsigned long long)value);
}

static void triple(const char *key, const uint32_t v[3]) {
    printf("\"%s\":[%u,%u,%u],", key, v[0], v[1], v[2]);
}

static void print_tables(const ez_object *object) {
    size_t n;
    const ez_segment *segments = ez_object_segments(object, &n);
    printf("\"segments\":[");
    for (size_t i = 0; i < n; i++) {
        printf("%s{", i ? "," : "");
        number("Offset", segments[i].file_offset);
        number("VirtualAddress", segments[i].address);
        number("FileSize", segments[i].file_size);
        number("MemSize", segments[i].memory_size);
        number("Alignment", segments[i].alignment);
        printf("\"Flags\":%u}", segments[i].flags);
    }
    const ez_section *sections = ez_object_sections(object, &n);
    printf("],\"sections\":[");
    for (size_t i = 0; i < n; i++) {
        printf("%s{", i ? "," : "");
        text("Name", sections[i].name);
        number("Type", sections[i].type);
        number("Flags", sections[i].flags);
        number("Address", sections[i].address);
        number("Offset", sections[i].file_offset);
        printf("\"Size\":%llu}", (unsigned long long)sections[i].size);
    }
    const ez_symbol *symbols = ez_object_symbols(object, &n);
    printf("],\"symbols\":[");
    for (size_t i = 0; i < n; i++) {
        printf("%s{", i ? "," : "");
        text("Name", symbols[i].name);
        number("Value", symbols[i].value);
        number("Size", symbols[i].size);
        number("Binding", symbols[i].binding);
        number("Type", symbols[i].type);
        printf("\"Section\":%u}", symbols[i].section);
    }
    const ez_relocation *relocations = ez_object_relocations(object, &n);
    printf("],\"relocations\":[");
    for (size_t i = 0; i < n; i++) {
        printf("%s{", i ? "," : "");
        number("Offset", relocations[i].offset);
        text("Type", ez_relocation_name(relocations[i].type));
        text("Symbol", relocations[i].symbol ? relocations[i].symbol->name : NULL);
        number("Section", relocations[i].section);
        printf("\"Addend\":%lld}", (long long)relocations[i].addend);
    }
    printf("],");
}

static void print_arg(const ez_kernel_arg *a) {
    static const char *const spaces[] = {NULL,    "private", "global", "constant",
                                         "local", "generic", "region"};
    static const char *const accesses[] = {NULL, "read_only", "write_only", "read_write"};
    text(".name", a->name);
    text(".type_name", a->type_name);
    text(".value_kind", a->value_kind_name);
    number("kind", a->value_kind);
    number(".offset", a->offset);
    number(".size", a->size);
    number(".pointee_align", a->pointee_align);
    text(".address_space", spaces[a->address_space]);
    text(".access", accesses[a->access]);
    text(".actual_access", accesses[a->actual_access]);
    number(".is_const", a->is_const);
    number(".is_restrict", a->is_restrict);
    number(".is_volatile", a->is_volatile);
    printf("\".is_pipe\":%d", a->is_pipe);
}

static void print_metadata(const ez_kernel_metadata *m) {
    text(".name", m->name);
    text(".symbol", m->symbol);
    text(".language", m->language);
    printf("\".language_version\":[%u,%u],", m->language_version[0], m->language_version[1]);
    number(".kernarg_segment_size", m->kernarg_segment_size);
    number(".kernarg_segment_align", m->kernarg_segment_align);
    number(".group_segment_fixed_size", m->group_segment_fixed_size);
    number(".private_segment_fixed_size", m->private_segment_fixed_size);
    number(".wavefront_size", m->wavefront_size);
    number(".sgpr_count", m->sgpr_count);
    number(".vgpr_count", m->vgpr_count);
    number(".agpr_count", m->agpr_count);
    number(".sgpr_spill_count", m->sgpr_spill_count);
    number(".vgpr_spill_count", m->vgpr_spill_count);
    number(".max_flat_workgroup_size", m->max_flat_workgroup_size);
    triple(".reqd_workgroup_size", m->reqd_workgroup_size);
    triple(".workgroup_size_hint", m->workgroup_size_hint);
    triple(".cluster_dims", m->cluster_dims);
    text(".vec_type_hint", m->vec_type_hint);
    text(".device_enqueue_symbol", m->device_enqueue_symbol);
    text(".kind", m->kind);
    number(".uses_dynamic_stack", m->uses_dynamic_stack);
    number(".uniform_work_group_size", m->uniform_work_group_size);
    number(".workgroup_processor_mode", m->workgroup_processor_mode);
    printf("\".args\":[");
    for (uint32_t i = 0; i < m->arg_count; i++) {
        printf("%s{", i ? "," : "");
        print_arg(&m->args[i]);
        printf("}");
    }
    printf("]");
}

static void print_kernels(const ez_object *object) {
    size_t n;
    const ez_kernel *kernels = ez_object_kernels(object, &n);
    printf("\"kernels\":[");
    for (size_t i = 0; i < n; i++) {
        const ez_kernel *k = &kernels[i];
        printf("%s{", i ? "," : "");
        text("name", k->name);
        number("descriptor_address", k->descriptor_address);
        number("entry_address", k->entry_address);
        number("entry_section", k->entry_section);
        number("group_segment_fixed_size", k->descriptor.group_segment_fixed_size);
        number("private_segment_fixed_size", k->descriptor.private_segment_fixed_size);
        number("kernarg_size", k->descriptor.kernarg_size);
        for (int f = 0; f < EZ_KD_COUNT; f++)
            number(ez_descriptor_field_name((ez_descriptor_field)f),
                   ez_descriptor_get(&k->descriptor, (ez_descriptor_field)f));
        printf("\"metadata\":%s", k->metadata ? "{" : "null");
        if (k->metadata) print_metadata(k->metadata);
        printf("%s", k->metadata ? "}}" : "}");
    }
    printf("]");
}

static void print_object(const ez_object *object) {
    char id[64];
    unsigned version[2];
    size_t n;
    ez_object_metadata_version(object, version);
    printf("{");
    number("version", ez_object_version(object));
    number("relocatable", ez_object_is_relocatable(object));
    number("generic_version", ez_object_generic_version(object));
    text("target", ez_target_id_print(ez_object_target_id(object), id, sizeof id));
    text("metadata_target", ez_object_metadata_target(object));
    printf("\"metadata_version\":[%u,%u],", version[0], version[1]);
    const char *const *formats = ez_object_printf_formats(object, &n);
    number("printf_count", n);
    for (size_t i = 0; i < n; i++)
        text("printf", formats[i]);
    print_tables(object);
    print_kernels(object);
    printf("}\n");
}

/* Opens a copy that ends where it ends, so that a sanitizer sees a read beyond. */
static ez_status open_copy(const unsigned char *bytes, size_t size) {
    ez_object *object;
    ez_error err = {0};
    unsigned char *copy = malloc(size ? size : 1);
    if (!copy) abort();
    memcpy(copy, bytes, size);
    ez_status status = ez_object_open_memory(copy, size, &object, &err);
    if (status && (object || !err.message[0])) abort();
    ez_object_close(object);
    free(copy);
    return status;
}

static int damage(unsigned char *bytes, size_t size) {
    ez_object *object;
    size_t n, opened = 0, refused = 0;
    if (ez_object_open_memory(bytes, size, &object, NULL)) return 1;
    const ez_section *sections = ez_object_sections(object, &n);
    char *skip = calloc(size, 1);
    if (!skip) abort();
    for (size_t i = 0; i < n; i++)
        if (sections[i].bytes && (sections[i].flags & 4))
            memset(skip + sections[i].file_offset, 1, sections[i].size);
    ez_object_close(object);
    for (size_t cut = 0; cut < size; cut++)
        if (!open_copy(bytes, cut)) return printf("opened %zu of %zu bytes\n", cut, size), 1;
    for (size_t at = 0; at < size; at++)
        for (unsigned flip = 1; flip < 256 && !skip[at]; flip += 127) {
            bytes[at] ^= (unsigned char)flip;
            if (open_copy(bytes, size))
                refused++;
            else
                opened++;
            bytes[at] ^= (unsigned char)flip;
        }
    free(skip);
    printf("{\"opened\":%zu,\"refused\":%zu}\n", opened, refused);
    return 0;
}

int main(int count, char **args) {
    const char *path = args[count - 1];
    FILE *file = count > 1 ? fopen(path, "rb") : NULL;
    if (!file) return fprintf(stderr, "usage: dump [--damage] FILE\n"), 2;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(size + 1);
    if (!bytes || fread(bytes, 1, size, file) != size) return 2;
    fclose(file);
    int result = 0;
    if (count > 2) {
        result = damage(bytes, size);
    } else {
        ez_object *object;
        ez_error err;
        if (ez_object_open_memory(bytes, size, &object, &err)) {
            fprintf(stderr, "%s: offset %llu: %s\n", path, (unsigned long long)err.offset,
                    err.message);
            result = 1;
        } else {
            print_object(object);
        }
        ez_object_close(object);
    }
    free(bytes);
    return result;
}
