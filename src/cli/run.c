/* SPDX-License-Identifier: Apache-2.0 */
/* execz run: a kernel of a code object on a grid of work-items. */
#include "run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct run_options {
    cli_target_id id;
    cli_xyz grid, block, offset;
    cli_list show;
    uint64_t threads, max_instructions, repeat;
    const char *timeout, *hidden;
    bool deterministic, time, stats, fidelity, json;
} run_options;

static const cli_option options[] = {
    {'t', "target", "TARGET", "the GPU to be; of several code objects, the one to take", CLI_TARGET_ID,
     offsetof(run_options, id)},
    {'g', "grid", "X[,Y[,Z]]", "work-items in all", CLI_XYZ, offsetof(run_options, grid)},
    {'b', "block", "X[,Y[,Z]]", "work-items of a workgroup", CLI_XYZ, offsetof(run_options, block)},
    {0, "global-offset", "X[,Y[,Z]]", "the first global id, as OpenCL has it", CLI_XYZ_FROM_0,
     offsetof(run_options, offset)},
    {0, "show", "ARG:TYPE[:COUNT]", "print a buffer after the run, ARG counting from 0", CLI_LIST,
     offsetof(run_options, show)},
    {0, "hidden", "LAYOUT", "hidden arguments as 'amdhsa' or 'libclc' has them, or by what the kernel loads ('auto')", CLI_TEXT,
     offsetof(run_options, hidden)},
    {0, "threads", "N", "host threads; by default one for each processor", CLI_NUMBER,
     offsetof(run_options, threads)},
    {0, "deterministic", NULL, "one thread, workgroups and waves in a fixed order", CLI_FLAG,
     offsetof(run_options, deterministic)},
    {0, "timeout", "SECONDS", "stop after that time", CLI_TEXT, offsetof(run_options, timeout)},
    {0, "max-instructions", "N", "stop after so many instructions of all waves", CLI_NUMBER,
     offsetof(run_options, max_instructions)},
    {0, "repeat", "N", "dispatch N times, each with what the one before left in the buffers", CLI_NUMBER,
     offsetof(run_options, repeat)},
    {0, "time", NULL, "print the time of each dispatch", CLI_FLAG, offsetof(run_options, time)},
    {0, "stats", NULL, "print how much was executed", CLI_FLAG, offsetof(run_options, stats)},
    {0, "fidelity", NULL, "say which executed instructions are exact, approximate or unsupported", CLI_FLAG,
     offsetof(run_options, fidelity)},
    {0, "json", NULL, "print what --fidelity says as JSON", CLI_FLAG, offsetof(run_options, json)},
    {0}};

/* All that a run holds; released in one place. */
typedef struct run_state {
    char *bytes;
    ez_bundle *bundle;
    ez_object *object;
    ez_device *device;
    ez_module *module;
    run_args *args;
} run_state;

static void release(run_state *s) {
    ez_module_unload(s->module);
    ez_device_destroy(s->device);
    ez_object_close(s->object);
    ez_bundle_close(s->bundle);
    run_args_free(s->args);
    free(s->bytes);
}

/* ---- loading ---- */

static int open_entry(run_state *s, const char *path, const ez_bundle_entry *entry) {
    ez_error err;
    ez_object_close(s->object);
    if (ez_object_open_memory(entry->bytes, entry->size, &s->object, &err) != EZ_OK)
        return cli_error("%s: at byte %" PRIu64 ": %s", path, err.offset, err.message);
    return CLI_GO;
}

/* The code object that fits -t, and of several groups the first that has the kernel. */
static int open_object(run_state *s, const run_options *o, const char *path, const char *kernel) {
    size_t size, count;
    ez_error err;
    const ez_kernel *found;
    s->bytes = cli_read(path, &size);
    if (!s->bytes) return CLI_INPUT;
    if (ez_bundle_open_memory(s->bytes, size, &s->bundle, &err) != EZ_OK)
        return cli_error("%s: at byte %" PRIu64 ": %s", path, err.offset, err.message);
    const ez_bundle_entry *entries = ez_bundle_entries(s->bundle, &count), *entry;
    if (!count) return cli_error("%s: holds no code objects", path);
    if (count == 1) return open_entry(s, path, &entries[0]);
    if (!o->id.text) {
        cli_error("%s: holds %zu code objects; say which with -t:", path, count);
        for (size_t i = 0; i < count; i++) {
            char id[64];
            fprintf(stderr, "  %s\n", ez_target_id_print(&entries[i].target, id, sizeof id));
        }
        return CLI_USAGE;
    }
    int opened = CLI_INPUT;
    for (size_t g = 0; g < ez_bundle_group_count(s->bundle); g++) {
        if (ez_bundle_select(s->bundle, (int)g, o->id.text, &entry, &err) != EZ_OK) continue;
        opened = open_entry(s, path, entry);
        if (opened != CLI_GO) return opened;
        if (ez_object_find_kernel(s->object, kernel, &found, &err) == EZ_OK) return CLI_GO;
    }
    if (opened == CLI_GO) return CLI_GO; /* finding the kernel will say what is wrong */
    return cli_error("%s: %s", path, err.message);
}

static int load(run_state *s, const run_options *o, const char *path) {
    ez_error err;
    const ez_target *target = o->id.target ? o->id.target : ez_object_target(s->object);
    if (ez_device_create(target, &s->device, &err) != EZ_OK) return cli_error("%s", err.message);
    if (ez_module_load(s->device, s->object, &s->module, &err) != EZ_OK)
        return cli_error("%s: %s", path, err.message);
    return CLI_GO;
}

/* ---- running ---- */

static bool hidden_layout(const char *word, ez_hidden_layout *layout) {
    static const char *const words[] = {[EZ_HIDDEN_AUTO] = "auto", [EZ_HIDDEN_AMDHSA] = "amdhsa",
                                        [EZ_HIDDEN_LIBCLC] = "libclc"};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i])) {
            *layout = (ez_hidden_layout)i;
            return true;
        }
    return false;
}

static int limits(const cli_command *self, const run_options *o, ez_dispatch *d) {
    char *end;
    if (o->threads > 4096) return cli_usage(self, "--threads is at most 4096");
    d->threads = (unsigned)o->threads;
    d->deterministic = o->deterministic;
    d->max_instructions = o->max_instructions;
    d->fidelity = o->fidelity;
    if (o->json && !o->fidelity) return cli_usage(self, "--json is for --fidelity");
    if (o->hidden && !hidden_layout(o->hidden, &d->hidden))
        return cli_usage(self, "--hidden takes auto, amdhsa or libclc, not '%s'", o->hidden);
    if (!o->timeout) return CLI_GO;
    double seconds = strtod(o->timeout, &end);
    if (end == o->timeout || *end || !(seconds > 0) || seconds > 1e9)
        return cli_usage(self, "--timeout takes seconds, such as 2.5, not '%s'", o->timeout);
    d->timeout_ns = (uint64_t)(seconds * 1e9);
    return CLI_GO;
}

/* --block, or where it is not given the size that the kernel insists on. */
static int block_size(const cli_command *self, const run_options *o, ez_dispatch *d) {
    const ez_kernel_metadata *m = d->kernel->metadata;
    memcpy(d->grid, o->grid.v, sizeof d->grid);
    for (unsigned i = 0; i < 3 && o->offset.given; i++)
        d->global_offset[i] = o->offset.v[i];
    if (o->block.given) memcpy(d->block, o->block.v, sizeof d->block);
    else if (m && m->reqd_workgroup_size[0]) memcpy(d->block, m->reqd_workgroup_size, sizeof d->block);
    else return cli_usage(self, "how many work-items has a workgroup? Say --block X[,Y[,Z]]");
    return CLI_GO;
}

static void print_stats(const ez_result *r) {
    printf("workgroups: %" PRIu64 "\nwaves: %" PRIu64 "\ninstructions: %" PRIu64 "\nthreads: %u\n", r->workgroups, r->waves,
           r->instructions, r->threads);
}

static bool has_run(ez_status status) { return status == EZ_OK || status == EZ_ERR_FAULT || status == EZ_ERR_LIMIT; }

/* All dispatches; buffers and statistics are those of the last one, or of the one that failed. */
static int dispatch(run_state *s, const run_options *o, const ez_dispatch *d, const run_show *shows) {
    static ez_result result; /* large */
    ez_error err = {0};
    ez_status status;
    uint64_t left = o->repeat ? o->repeat : 1;
    do {
        status = ez_dispatch_run(s->device, d, &result, &err);
        if (o->time && has_run(status)) printf("time: %.3f ms\n", (double)result.time_ns / 1e6);
    } while (status == EZ_OK && --left);
    int written = CLI_OK;
    if (has_run(status)) {
        run_pack_images(s->args);
        for (unsigned i = 0; i < o->show.count; i++)
            run_print(s->args, &shows[i]);
        written = run_write_files(s->args);
        if (o->stats) print_stats(&result);
        if (o->fidelity && run_print_fidelity(s->module, o->json) != CLI_OK) written = CLI_INPUT;
    }
    if (status == EZ_OK) return written;
    cli_error("%s", err.message);
    if (has_run(status)) run_report(d, &result);
    return CLI_INPUT;
}

static int run_kernel(const cli_command *self, const run_options *o, run_state *s, int words, char **argv) {
    const char *path = argv[0];
    bool named = words > 1 && !run_is_arg(argv[1]);
    run_show shows[CLI_LIST_MAX];
    ez_error err;
    ez_dispatch d = {0};
    int status = open_object(s, o, path, named ? argv[1] : NULL);
    if (status != CLI_GO) return status;
    if (ez_object_find_kernel(s->object, named ? argv[1] : NULL, &d.kernel, &err) != EZ_OK)
        return cli_error("%s: %s", path, err.message);
    status = limits(self, o, &d);
    if (status == CLI_GO) status = block_size(self, o, &d);
    if (status == CLI_GO) status = load(s, o, path);
    if (status != CLI_GO) return status;
    s->args = calloc(1, sizeof *s->args);
    if (!s->args) return cli_error("out of memory");
    s->args->kernel = d.kernel;
    s->args->device = s->device;
    status = run_take_args(self, s->args, words - 1 - named, argv + 1 + named);
    for (unsigned i = 0; i < o->show.count && status == CLI_GO; i++)
        status = run_parse_show(self, s->args, o->show.item[i], &shows[i]);
    if (status != CLI_GO) return status;
    d.module = s->module;
    d.kernarg = s->args->kernarg;
    d.kernarg_size = s->args->kernarg_size;
    d.dynamic_lds = s->args->dynamic_lds;
    return dispatch(s, o, &d, shows);
}

static int run(const cli_command *self, int argc, char **argv) {
    run_options o = {0};
    run_state s = {0};
    int words, status = cli_options(self, argc, argv, &o, &words);
    if (status != CLI_GO) return status;
    if (!o.grid.given) return cli_usage(self, "how many work-items? Say --grid X[,Y[,Z]]");
    status = run_kernel(self, &o, &s, words, argv);
    release(&s);
    return status;
}

const cli_command cli_run = {
    "run",
    "Run a kernel of a code object.",
    "FILE [KERNEL] --grid X[,Y[,Z]] --block X[,Y[,Z]] [ARG ...]",
    "FILE is a code object (.hsaco), a bundle, or a program that holds some. KERNEL may be left out when there\n"
    "is only one. ARGs come in the order of the kernel's explicit arguments:\n\n"
    "  i32:5                  a number; also i8 u8 i16 u16 u32 i64 u64 f16 f32 f64\n"
    "  hex:BYTES              anything passed by value, in memory order\n"
    "  lds:BYTES              a local-memory argument\n"
    "  in:FILE                a buffer with the content of a file\n"
    "  zero:BYTES             a buffer of zeros\n"
    "  out:FILE:BYTES         a buffer of zeros, written to the file after the run\n"
    "  inout:FILE:OUTFILE     a buffer with the content of a file, written to another\n"
    "  iota:TYPE:N            N numbers: 0, 1, 2, ...\n"
    "  rand:TYPE:N[:SEED]     N random numbers, the same for the same SEED (1 by default): integers over all\n"
    "                         bits, floats in [0, 1). SplitMix64, one output for each\n"
    "  u64:ADDRESS            for a buffer: this address, whatever is there\n"
    "  image:FORMAT:SIZE[:FILE[:OUTFILE]]\n"
    "                         an image: 8_8_8_8_unorm, 32_32_32_32_float, ...; 640, 640x480, 64x64x64, 640x480[3] for\n"
    "                         an array; rows without gaps from the file, else zeros, and to the other one\n"
    "  sampler:nearest|linear:edge|border|repeat|mirror[:normalized]\n\n"
    "f16, f32 and f64 take a number such as 1.5, inf or nan, or 0x and the bits.\n",
    options, 1, 4096, run};
