/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was executed: EXECZ_TRACE=FILE writes every dispatch and copy as an event of Chrome's trace format ("Trace Event
 * Format", complete events), which Perfetto opens; %p in the name is the process, for programs of several. EXECZ_STATS=1 has
 * the sums printed on standard error when the process ends, EXECZ_FIDELITY=1 which instructions were exact.
 */
#define _GNU_SOURCE
#include "hsa/newer.h"
#include "hsa/runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Names of kernels are symbols; whatever a symbol may hold, the file stays JSON. */
static void write_name(FILE *out, const char *name) {
    for (; *name; name++)
        if (*name == '"' || *name == '\\' || (unsigned char)*name < 32)
            fprintf(out, "\\u%04x", (unsigned char)*name);
        else fputc(*name, out);
}

static void begin_event(FILE *out, const char *name, uint64_t track, uint64_t start, uint64_t end) {
    fputs(ez_rt.trace.events++ ? ",\n{\"name\":\"" : "{\"name\":\"", out);
    write_name(out, name);
    fprintf(out, "\",\"ph\":\"X\",\"pid\":%ld,\"tid\":%" PRIu64 ",\"ts\":%.3f,\"dur\":%.3f,\"args\":{",
            (long)getpid(), track, (double)start / 1e3, (double)(end - start) / 1e3);
}

void ez_trace_dispatch(const ez_queue *q, const ez_dispatch *d, const ez_result *r, uint64_t start,
                       uint64_t end) {
    struct ez_trace *t = &ez_rt.trace;
    if (!t->wanted) return;
    pthread_mutex_lock(&t->lock);
    t->dispatches++;
    t->instructions += r->instructions;
    t->dispatch_ns += end - start;
    if (t->file) {
        begin_event(t->file, d->kernel->name, q->abi.hsa_queue.id, start, end);
        fprintf(t->file,
                "\"grid\":\"%u,%u,%u\",\"block\":\"%u,%u,%u\",\"instructions\":%" PRIu64 ",\"waves\":%" PRIu64
                "}}",
                d->grid[0], d->grid[1], d->grid[2], d->block[0], d->block[1], d->block[2], r->instructions,
                r->waves);
    }
    pthread_mutex_unlock(&t->lock);
}

void ez_trace_copy(uint64_t bytes, uint64_t start, uint64_t end) {
    struct ez_trace *t = &ez_rt.trace;
    if (!t->wanted) return;
    pthread_mutex_lock(&t->lock);
    t->copies++;
    t->bytes += bytes;
    if (t->file) {
        begin_event(t->file, "copy", 0, start, end); /* queues count from 1 */
        fprintf(t->file, "\"bytes\":%" PRIu64 "}}", bytes);
    }
    pthread_mutex_unlock(&t->lock);
}

void ez_trace_flush(void) {
    struct ez_trace *t = &ez_rt.trace;
    pthread_mutex_lock(&t->lock);
    if (t->file) fflush(t->file);
    pthread_mutex_unlock(&t->lock);
}

void ez_trace_module(ez_module *module) {
    struct ez_trace *t = &ez_rt.trace;
    if (!t->fidelity || !module) return;
    pthread_mutex_lock(&t->lock);
    if (ez_fidelity_add(t->fidelity, module) != EZ_OK)
        fputs("execz: out of memory: the fidelity report is not complete\n", stderr);
    pthread_mutex_unlock(&t->lock);
}

/* With what was loaded and still is. */
static void print_fidelity(struct ez_trace *t) {
    pthread_rwlock_rdlock(&ez_rt.loader_lock);
    for (const ez_executable *e = ez_rt.executables; e; e = e->next)
        for (const ez_loaded *l = e->loaded; l; l = l->next)
            ez_trace_module(l->module);
    pthread_rwlock_unlock(&ez_rt.loader_lock);
    pthread_mutex_lock(&t->lock);
    size_t room = ez_fidelity_print(t->fidelity, NULL, 0) + 1;
    char *text = malloc(room);
    if (text) {
        ez_fidelity_print(t->fidelity, text, room);
        fprintf(stderr, "execz: %s", text);
    }
    free(text);
    pthread_mutex_unlock(&t->lock);
}

/* At the end of the process, for HIP never shuts the runtime down. */
static void finish(void) {
    struct ez_trace *t = &ez_rt.trace;
    pthread_mutex_lock(&t->lock);
    if (t->file) {
        fputs("\n]\n", t->file);
        fclose(t->file);
        t->file = NULL;
    }
    if (t->stats)
        fprintf(stderr,
                "execz: %" PRIu64 " dispatches, %" PRIu64 " instructions in %.3f ms; %" PRIu64
                " copies of %" PRIu64 " bytes\n",
                t->dispatches, t->instructions, (double)t->dispatch_ns / 1e6, t->copies, t->bytes);
    t->stats = false;
    pthread_mutex_unlock(&t->lock);
    if (t->fidelity) print_fidelity(t);
}

/* ---- a fork: the trace is the parent's, and whole before the child gets a copy of its buffer ---- */

static void before_fork(void) {
    pthread_mutex_lock(&ez_rt.trace.lock);
    if (ez_rt.trace.file) fflush(ez_rt.trace.file);
}

static void after_fork(void) {
    pthread_mutex_unlock(&ez_rt.trace.lock);
}

static void in_child(void) {
    struct ez_trace *t = &ez_rt.trace;
    t->file = NULL; /* its buffer is empty, and its descriptor the parent's business */
    ez_fidelity_destroy(t->fidelity);
    t->fidelity = NULL;
    t->wanted = t->stats = false;
    pthread_mutex_unlock(&t->lock);
}

static FILE *open_file(const char *pattern) {
    char *name = NULL;
    const char *mark = strstr(pattern, "%p");
    int n = mark ? asprintf(&name, "%.*s%ld%s", (int)(mark - pattern), pattern, (long)getpid(), mark + 2)
                 : asprintf(&name, "%s", pattern);
    FILE *file = n < 0 ? NULL : fopen(name, "w");
    if (!file) fprintf(stderr, "execz: cannot write the trace %s\n", pattern);
    free(name);
    return file;
}

static bool is_on(const char *variable) {
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0");
}

void ez_trace_start(void) {
    struct ez_trace *t = &ez_rt.trace;
    if (t->started) return;
    t->started = true;
    const char *name = getenv("EXECZ_TRACE");
    t->stats = is_on("EXECZ_STATS");
    if (is_on("EXECZ_FIDELITY")) t->fidelity = ez_fidelity_create();
    if (name && *name) t->file = open_file(name);
    if (t->file) fputs("[\n", t->file);
    t->wanted = t->file || t->stats;
    if (!t->wanted && !t->fidelity) return;
    atexit(finish);
    pthread_atfork(before_fork, after_fork, in_child);
}

/* It is about kernels of ROCr's own for copies, of which there are none. */
hsa_status_t ez_enable_logging(uint8_t *flags, void *file) {
    EZ_NEED_INIT();
    (void)file;
    return flags ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
