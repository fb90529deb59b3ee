/* SPDX-License-Identifier: Apache-2.0 */
/* Image and sampler arguments of `execz run`: image:FORMAT:SIZE[:FILE[:OUTFILE]], sampler:FILTER:EDGE[:normalized]. */
#include "run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { RESOURCE_BYTES = 32, SAMPLER_BYTES = 16 };

/* WIDTH, WIDTHxHEIGHT or WIDTHxHEIGHTxDEPTH; an array's slices come behind "[", as in 640x480[3]. */
static bool parse_size(const char *text, ez_image_desc *d) {
    for (const char *at = text; d->dimensions < 3;) {
        char *end;
        unsigned long n = *at >= '0' && *at <= '9' ? strtoul(at, &end, 10) : 0;
        if (!n || n > UINT32_MAX) return false;
        d->size[d->dimensions++] = (uint32_t)n;
        if (!*end) return true;
        if (*end == '[' && d->dimensions < 3) {
            n = strtoul(end + 1, &end, 10);
            d->array = true;
            d->size[2] = (uint32_t)n;
            return n && n <= UINT32_MAX && !strcmp(end, "]");
        }
        if (*end != 'x') return false;
        at = end + 1;
    }
    return false;
}

static uint64_t rows_of(const ez_image_desc *d) {
    return (uint64_t)(d->dimensions > 1 ? d->size[1] : 1) * (d->dimensions > 2 || d->array ? d->size[2] : 1);
}

/* The argument is the address of a resource of its own. */
static int put_resource(run_args *a, unsigned n, const char *word, const uint32_t *resource, size_t bytes) {
    void *memory;
    ez_error err;
    if (ez_device_allocate(a->device, bytes, 0, "resource", &memory, &err) != EZ_OK)
        return run_wrong(a, n, word, "%s", err.message);
    memcpy(memory, resource, bytes);
    run_put_address(a, n, memory);
    return CLI_GO;
}

/* Rows of the file follow each other without gaps; those of the image have a pitch. */
static int fill(run_args *a, unsigned n, const char *word, const char *path) {
    size_t size;
    const run_buffer *b = &a->buffer[n];
    uint64_t rows = b->size / b->pitch;
    char *bytes = cli_read(path, &size);
    if (!bytes) return CLI_INPUT;
    if (size != rows * b->row) {
        free(bytes);
        return run_wrong(a, n, word, "%s has %zu bytes, the image %" PRIu64, path, size, rows * b->row);
    }
    for (uint64_t y = 0; y < rows; y++)
        memcpy((char *)b->bytes + y * b->pitch, bytes + y * b->row, b->row);
    free(bytes);
    return CLI_GO;
}

int run_take_image(run_args *a, unsigned n, const char *word, const char *text) {
    char format[48], size[64];
    ez_image_desc d = {.format = format};
    ez_image_layout layout;
    ez_error err;
    uint32_t resource[8];
    const ez_target *target = ez_device_target(a->device);
    const ez_kernel_arg *e = a->expected[n];
    run_buffer *b = &a->buffer[n];
    if ((e->value_kind != EZ_VALUE_IMAGE && e->value_kind != EZ_VALUE_GLOBAL_BUFFER) || e->size != 8)
        return run_wrong(a, n, word, "the kernel expects a %s, not an image", e->value_kind_name);
    if (!run_field(text, 0, format, sizeof format) || !run_field(text, 1, size, sizeof size) ||
        !parse_size(size, &d))
        return run_wrong(a, n, word,
                         "expected image:FORMAT:SIZE[:FILE[:OUTFILE]], such as image:8_8_8_8_unorm:640x480");
    if (ez_image_layout_of(target, &d, &layout, &err) != EZ_OK)
        return run_wrong(a, n, word, "%s", err.message);
    int status = run_allocate(a, n, word, layout.bytes);
    if (status != CLI_GO) return status;
    if (ez_image_resource(target, &d, (uint64_t)(uintptr_t)b->bytes, resource, &err) != EZ_OK)
        return run_wrong(a, n, word, "%s", err.message);
    b->row = (uint64_t)d.size[0] * layout.element;
    b->pitch = b->size / rows_of(&d);
    const char *file = strchr(strchr(text, ':') + 1, ':'), *out = file ? strrchr(file + 1, ':') : NULL;
    if (file && out) {
        a->file[n] = strndup(file + 1, (size_t)(out - file - 1));
        if (!a->file[n]) return cli_error("out of memory");
        b->out = out + 1;
    }
    const char *in = out ? a->file[n] : file ? file + 1 : "";
    status = *in ? fill(a, n, word, in) : CLI_GO;
    return status == CLI_GO ? put_resource(a, n, word, resource, RESOURCE_BYTES) : status;
}

int run_take_sampler(run_args *a, unsigned n, const char *word, const char *text) {
    static const char *const edges[] = {[EZ_EDGE_REPEAT] = "repeat",
                                        [EZ_EDGE_MIRROR] = "mirror",
                                        [EZ_EDGE_LAST] = "edge",
                                        [EZ_EDGE_BORDER] = "border"};
    char filter[16], edge[16], rest[16] = "";
    uint32_t resource[4];
    const ez_kernel_arg *e = a->expected[n];
    unsigned at = 0, count = sizeof edges / sizeof *edges;
    if ((e->value_kind != EZ_VALUE_SAMPLER && e->value_kind != EZ_VALUE_GLOBAL_BUFFER) || e->size != 8)
        return run_wrong(a, n, word, "the kernel expects a %s, not a sampler", e->value_kind_name);
    bool good = run_field(text, 0, filter, sizeof filter) && run_field(text, 1, edge, sizeof edge);
    bool linear = good && !strcmp(filter, "linear"),
         normalized = good && run_field(text, 2, rest, sizeof rest);
    while (good && at < count && strcmp(edge, edges[at]))
        at++;
    if (!good || at == count || (!linear && strcmp(filter, "nearest")) ||
        (normalized && strcmp(rest, "normalized")))
        return run_wrong(a, n, word,
                         "expected sampler:nearest|linear:edge|border|repeat|mirror[:normalized]");
    ez_sampler_resource((ez_image_edge)at, normalized, linear, resource);
    return put_resource(a, n, word, resource, SAMPLER_BYTES);
}

void run_pack_images(run_args *a) {
    for (unsigned n = 0; n < a->count; n++) {
        run_buffer *b = &a->buffer[n];
        if (!b->pitch) continue;
        uint64_t rows = b->size / b->pitch;
        for (uint64_t y = 0; y < rows; y++)
            memmove((char *)b->bytes + y * b->row, (char *)b->bytes + y * b->pitch, b->row);
        b->size = rows * b->row;
        b->pitch = 0;
    }
}
