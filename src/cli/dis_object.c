/* SPDX-License-Identifier: Apache-2.0 */
/* execz dis FILE: which code objects of a file are shown, and how. */
#include "dis.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

/* "\nNAME:\tfile format elf64-amdgpu"; parts of a bundle are called what `llvm-objdump --offloading` calls the files that
 * it writes them to. */
static void print_head(const dis_view *v) {
    cli_out_char(v->out, '\n');
    cli_out_name(v->out, v->path);
    if (*v->entry->id) {
        cli_out_char(v->out, '.');
        cli_out_decimal(v->out, v->entry->group);
        cli_out_char(v->out, '.');
        cli_out_name(v->out, v->entry->id);
    }
    cli_out_text(v->out, ":\tfile format elf64-amdgpu\n");
}

/* Opens the code object; one whose kernels are broken is shown without them. NULL, having said why: it is none. */
static ez_object *open_object(const dis_view *v) {
    ez_object *object = NULL;
    ez_error err, ignored;
    const uint8_t *bytes = v->entry->bytes;
    if (ez_object_open_memory(bytes, v->entry->size, &object, &err) == EZ_OK) return object;
    ez_object_open_code_memory(bytes, v->entry->size, &object, &ignored);
    if (object)
        cli_warning("%s: at byte %" PRIu64 ": %s; the code is shown without its kernels", v->path, err.offset,
                    err.message);
    else cli_error("%s: at byte %" PRIu64 ": %s", v->path, err.offset, err.message);
    return object;
}

/* One code object. False, having said why, when it cannot be shown. */
static bool show(dis_view *v, const ez_target *target) {
    ez_object *object = open_object(v);
    if (!object) return false;
    v->object = object;
    v->target = target ? target : ez_object_target(object);
    if (v->target != ez_object_target(object))
        cli_warning("%s: the code is for %s; it is read as %s's, as -t says", v->path,
                  ez_target_name(ez_object_target(object)), ez_target_name(v->target));
    bool good = dis_open(v);
    if (good && v->options->json) {
        dis_json(v);
    } else if (good) {
        if (!v->options->labels) print_head(v);
        if (v->options->kernels) dis_kernels(v);
        if (v->options->labels) good = dis_labels(v);
        else dis_list(v);
    }
    dis_close(v);
    ez_object_close(object);
    return good;
}

static int show_all(const dis_options *o, const char *path, const ez_bundle_entry *const *entries,
                    size_t count, const ez_target *target) {
    static cli_out out;
    int result = CLI_OK;
    if (o->json) cli_out_char(&out, '[');
    for (size_t i = 0; i < count; i++) {
        dis_view view = {.options = o,
                         .out = &out,
                         .path = path,
                         .entry = entries[i],
                         .flags = o->true16 ? EZ_TEXT_TRUE16 : EZ_TEXT_DEFAULT,
                         .coloured = cli_coloured(o->colour, stdout)};
        if (o->json && i) cli_out_text(&out, ",\n");
        cli_out_flush(&out); /* what comes before a message */
        if (show(&view, target)) continue;
        if (o->json) cli_out_text(&out, "null");
        result = CLI_INPUT;
    }
    if (o->json) cli_out_text(&out, "]\n");
    cli_out_flush(&out);
    return result;
}

/* The code objects to show: all, or of each bundle in the file the one that fits the target best. */
static size_t choose(const ez_bundle *bundle, const char *target, const ez_bundle_entry **chosen,
                     ez_error *err) {
    size_t count, n = 0;
    const ez_bundle_entry *entries = ez_bundle_entries(bundle, &count);
    if (!target || count == 1) {
        for (; n < count; n++)
            chosen[n] = &entries[n];
        return n;
    }
    for (size_t group = 0; group < ez_bundle_group_count(bundle); group++)
        if (ez_bundle_select(bundle, (int)group, target, &chosen[n], err) == EZ_OK) n++;
    return n;
}

int dis_object(const dis_options *o, const char *path) {
    size_t size, count;
    ez_bundle *bundle;
    ez_error err;
    const char *name = cli_input_name(path);
    char *bytes = cli_read(path, &size);
    if (!bytes) return CLI_INPUT;
    int result;
    if (ez_bundle_open_memory(bytes, size, &bundle, &err) != EZ_OK) {
        bool text = size && isprint((unsigned char)bytes[0]) && memcmp(bytes, "__CLANG", size < 7 ? size : 7);
        result = cli_error("%s: at byte %" PRIu64 ": %s%s", name, err.offset, err.message,
                           text ? " (lines of hexadecimal bytes need --hex)" : "");
        free(bytes);
        return result;
    }
    ez_bundle_entries(bundle, &count);
    const ez_bundle_entry **chosen = malloc((count + 1) * sizeof *chosen);
    size_t n = chosen ? choose(bundle, o->id.text, chosen, &err) : 0;
    if (!chosen) result = cli_error("%s: out of memory", name);
    else if (!n && o->id.text && count) result = cli_error("%s: %s", name, err.message);
    else result = show_all(o, name, chosen, n, count == 1 ? o->id.target : NULL);
    free(chosen);
    ez_bundle_close(bundle);
    free(bytes);
    return result;
}
