/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a grid: workgroups are handed out in order to host threads. A thread runs its workgroup wave
 * after wave, each for a slice, until all have ended; a wave that waits at a barrier gives its
 * turn away. A workgroup that takes long may wait for one that has not begun, so after a while
 * its thread takes another one in as well and gives each its turn.
 */
#define _POSIX_C_SOURCE 200809L
#include "device/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    SLICE = 1 << 16,      /* instructions of a wave in one turn */
    PATIENCE = 64,        /* turns of a workgroup before its thread takes another one in */
    MAX_RESIDENT = 1024,  /* workgroups of a thread */
    MAX_THREADS = 256,
    WORK_ITEM_VGPRS = 3,  /* that a wave starts with */
    WATCH_NS = 50000000 /* from one call of watch() to the next */
};
#define RESIDENT_BYTES (UINT64_C(512) << 20) /* of registers, LDS and scratch, for all threads */
#define BLOCKED_BYTES (UINT64_C(4) << 30)    /* the same when no wave can go on without one more workgroup */

/* A workgroup in flight, or the place for one. */
struct group {
    uint32_t id[3];
    unsigned waves, live;
    ez_wave **wave; /* [launch->waves] */
    /* [launch->waves]: the waves as they start in a full workgroup, and their first WORK_ITEM_VGPRS registers */
    ez_wave *start;
    uint32_t *start_vgprs;
    bool started; /* they are filled in */
    bool *ended;
    uint8_t *lds;
    void *scratch; /* device memory of all waves; NULL: the kernel has none */
    ez_workgroup shared;
    bool used;     /* a workgroup has been here before */
    unsigned turns, idle_turns; /* idle: every wave waits and nothing has changed */
    bool blocked;               /* every wave waits, one of them for other workgroups */
    uint32_t phase;
};

/* What the threads of one dispatch share. */
struct run {
    _Alignas(64) atomic_uint_fast64_t next_group; /* alone in its cache line: the one thing that each workgroup changes for all threads */
    _Alignas(64) const ez_launch *launch;
    atomic_uint_fast64_t budget;
    atomic_bool stop;
    uint64_t start, deadline; /* ns; no deadline: 0 */
    atomic_uint_fast64_t next_watch; /* when watch() is called again; UINT64_MAX: it is being called */
    unsigned threads;
    struct worker *workers; /* [threads] */
    pthread_mutex_t lock; /* of what follows */
    ez_outcome outcome;
    ez_status status;
    ez_fault_report report;
    struct totals {
        uint64_t instructions, workgroups, waves;
    } total; /* when all threads have ended */
};

struct worker {
    _Alignas(64) struct run *run; /* a thread's own cache lines */
    atomic_uint_fast64_t instructions, finished, waves; /* of this thread; the sums are the dispatch's */
    ez_range_cache cache;
    ez_memory memory;
    struct group *resident[MAX_RESIDENT];
    unsigned count;  /* of them in flight: the first ones */
    unsigned places; /* allocated */
    /* The device's gws.changes plus 1 when all of its workgroups are blocked and there is no room for more; WORKS, ENDED. */
    atomic_uint_fast64_t blocked_at;
    pthread_t thread;
    bool started;
};
#define WORKS UINT64_C(0)
#define ENDED UINT64_MAX

/* Counts in a counter that one thread alone writes. */
static void count(atomic_uint_fast64_t *counter, uint64_t n) {
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + n, memory_order_relaxed);
}

static struct totals totals(const struct run *run) {
    struct totals t = {0};
    for (unsigned i = 0; i < run->threads; i++) {
        t.instructions += atomic_load_explicit(&run->workers[i].instructions, memory_order_relaxed);
        t.workgroups += atomic_load_explicit(&run->workers[i].finished, memory_order_relaxed);
        t.waves += atomic_load_explicit(&run->workers[i].waves, memory_order_relaxed);
    }
    return t;
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *translate(uint64_t address, uint32_t size, unsigned access, void *user) {
    enum { APERTURES = 0xc0 };
    struct worker *worker = user;
    unsigned flags = access & (EZ_ACCESS_READ | EZ_ACCESS_WRITE);
    if (access & EZ_ACCESS_ATOMIC) flags = EZ_MEMORY_READ | EZ_MEMORY_WRITE;
    void *p = ez_range_translate(&worker->cache, address, size, flags);
    if (p || flags != EZ_MEMORY_READ || !worker->run->launch->null_apertures) return p;
    uint64_t offset = address - APERTURES; /* see set_null_apertures() */
    if (offset >= 8 || size > 8 - offset) return NULL;
    return (uint8_t *)(uintptr_t)(worker->run->launch->apertures + offset);
}

static void interrupt(uint32_t m0, void *user) {
    const ez_dispatch *d = ((struct worker *)user)->run->launch->dispatch;
    d->interrupt(m0, d->interrupt_user);
}

/* ---- stopping early ---- */

/* The first to come decides what the dispatch is said to have stopped for. */
static void stop_run(struct run *run, ez_outcome outcome, ez_status status,
                     const ez_fault_report *report) {
    pthread_mutex_lock(&run->lock);
    if (run->status == EZ_OK) {
        run->outcome = outcome;
        run->status = status;
        if (report) run->report = *report;
    }
    pthread_mutex_unlock(&run->lock);
    atomic_store(&run->stop, true);
}

static void describe_place(const ez_fault_report *r, char *text, size_t size) {
    const ez_range *n = &r->nearest;
    if (!r->has_address) return;
    int used = snprintf(text, size, ": %s of %" PRIu32 " bytes at 0x%" PRIx64,
                        r->access == EZ_MEMORY_READ    ? "read"
                        : r->access == EZ_MEMORY_WRITE ? "write"
                                                       : "atomic",
                        r->size, r->address);
    if (!r->has_nearest || used < 0 || (size_t)used >= size) return;
    text += used;
    size -= (size_t)used;
    int64_t away = r->distance < 0 ? -r->distance : r->distance;
    if (away)
        snprintf(text, size, ", %" PRId64 " byte%s %s %s [0x%" PRIx64 ", +%" PRIu64 ")", away, away == 1 ? "" : "s",
                 r->distance < 0 ? "before" : "behind", n->label, n->address, n->size);
    else
        snprintf(text, size, ", in %s [0x%" PRIx64 ", +%" PRIu64 ")", n->label, n->address, n->size);
}

/* The instruction at the report's pc, or the dword there where it is none. */
static void report_code(const ez_launch *l, ez_fault_report *r) {
    ez_range_cache cache;
    ez_inst inst;
    ez_range_cache_init(&cache, l->device);
    for (uint32_t size = EZ_INST_MAX_BYTES & ~3u; size && !r->byte_count; size -= 4) {
        const void *code = ez_range_translate(&cache, r->pc, size, EZ_MEMORY_EXECUTE);
        if (!code) continue;
        memcpy(r->bytes, code, size);
        r->byte_count = ez_decode(l->target, l->lanes, r->bytes, size, &inst) == EZ_OK ? inst.size : 4;
    }
}

static void report_place(const ez_launch *l, const struct group *g, unsigned index,
                         ez_fault_report *r) {
    const ez_wave *w = g->wave[index];
    snprintf(r->kernel, sizeof r->kernel, "%s", l->kernel->name);
    memcpy(r->workgroup, g->id, sizeof r->workgroup);
    r->wave = index;
    r->pc = w->pc;
    r->code_offset = w->pc - ez_module_base(l->dispatch->module);
    r->exec = ez_exec(w);
    r->lane = EZ_NO_LANE;
}

static void report_nearest(const ez_launch *l, unsigned access, ez_fault_report *r) {
    enum { NEAR = 30 }; /* further away than 2^30 bytes a range explains nothing */
    if (access & (EZ_ACCESS_LDS | EZ_ACCESS_PRIVATE)) {
        bool lds = access & EZ_ACCESS_LDS;
        r->nearest = (ez_range){.size = lds ? l->lds_size : l->private_size,
                                .flags = EZ_MEMORY_READ | EZ_MEMORY_WRITE};
        snprintf(r->nearest.label, sizeof r->nearest.label, lds ? "the workgroup's LDS" : "private memory");
        r->distance = r->address < r->nearest.size ? 0 : (int64_t)(r->address - r->nearest.size + 1);
        r->has_nearest = r->nearest.size;
        return;
    }
    r->has_nearest = ez_device_nearest(l->device, r->address, &r->nearest, &r->distance) &&
                     r->distance < INT64_C(1) << NEAR && r->distance > -(INT64_C(1) << NEAR);
}

static void report_fault(const ez_launch *l, const struct group *g, unsigned index,
                         ez_fault_report *r) {
    const ez_fault *f = ez_wave_fault_info(g->wave[index]);
    report_place(l, g, index, r);
    r->kind = f->kind;
    r->pc = f->pc;
    r->code_offset = f->pc - ez_module_base(l->dispatch->module);
    memcpy(r->bytes, f->bytes, sizeof r->bytes);
    r->byte_count = f->size;
    if (!r->byte_count) report_code(l, r);
    r->has_address = f->kind == EZ_FAULT_MEMORY || f->kind == EZ_FAULT_ALIGNMENT;
    if (r->has_address) {
        r->address = f->address;
        r->size = f->access_size;
        r->access = f->access & EZ_ACCESS_ATOMIC ? EZ_MEMORY_READ | EZ_MEMORY_WRITE
                                                 : f->access & (EZ_MEMORY_READ | EZ_MEMORY_WRITE);
        report_nearest(l, f->access, r);
        if (f->lane < l->lanes) {
            uint32_t extent[3], item = index * l->lanes + f->lane;
            ez_launch_extent(l, g->id, extent);
            r->lane = f->lane;
            r->work_item[0] = item % extent[0];
            r->work_item[1] = item / extent[0] % extent[1];
            r->work_item[2] = item / (extent[0] * extent[1]);
        }
    }
    char place[160] = "";
    describe_place(r, place, sizeof place);
    snprintf(r->message, sizeof r->message, "%s (%s)%s", ez_fault_text(f->kind),
             f->reason ? f->reason : "", place);
}

static void stop_group(struct run *run, const struct group *g, unsigned index, ez_outcome outcome,
                       ez_status status, const char *message) {
    ez_fault_report report = {0};
    if (outcome == EZ_OUTCOME_FAULT) {
        report_fault(run->launch, g, index, &report);
    } else {
        report_place(run->launch, g, index, &report);
        report_code(run->launch, &report);
        snprintf(report.message, sizeof report.message, "%s", message);
    }
    stop_run(run, outcome, status, &report);
}

/* ---- workgroups ---- */

static void free_group(const ez_launch *l, struct group *g) {
    if (!g) return;
    for (unsigned i = 0; g->wave && i < l->waves; i++)
        ez_wave_destroy(g->wave[i]);
    ez_device_free(l->device, g->scratch);
    free(g->wave);
    free(g->start);
    free(g->start_vgprs);
    free(g->ended);
    free(g->lds);
    free(g);
}

/* Of the registers that a wave starts with. */
static size_t work_item_bytes(const ez_launch *l) { return sizeof(uint32_t) * WORK_ITEM_VGPRS * l->lanes; }

static struct group *make_group(const ez_launch *l) {
    struct group *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    g->wave = calloc(l->waves, sizeof *g->wave);
    g->start = aligned_alloc(_Alignof(ez_wave), l->waves * sizeof *g->start);
    g->start_vgprs = malloc(l->waves * work_item_bytes(l));
    g->ended = calloc(l->waves, sizeof *g->ended);
    g->lds = calloc(1, (size_t)l->lds_size + 16);
    bool ok = g->wave && g->start && g->start_vgprs && g->ended && g->lds;
    for (unsigned i = 0; ok && i < l->waves; i++)
        ok = ez_wave_create(l->target, l->lanes, &g->wave[i]) == EZ_OK;
    uint64_t scratch = (uint64_t)l->private_size * l->lanes * l->waves;
    if (ok && scratch)
        ok = ez_device_allocate(l->device, scratch, 4096, "scratch", &g->scratch, NULL) == EZ_OK;
    if (ok) return g;
    free_group(l, g);
    return NULL;
}

static uint64_t group_bytes(const ez_launch *l) {
    uint64_t registers = ez_has(l->target, EZ_HAS_vgprs_1024) ? 1024 : 512;
    return l->waves * (registers * 4 + l->private_size) * l->lanes + l->lds_size;
}

static void begin_wave(struct worker *worker, struct group *g, unsigned index) {
    const ez_launch *l = worker->run->launch;
    ez_wave *w = g->wave[index];
    if (g->used) ez_wave_reset_after(w, l->program, WORK_ITEM_VGPRS);
    ez_wave_set_memory(w, &worker->memory);
    ez_wave_set_lds(w, g->lds, l->lds_size);
    ez_wave_mark(w, l->dispatch->fidelity);
    w->workgroup = &g->shared;
    w->gws = &l->device->gws;
    ez_launch_wave(l, w, g->id, index, (uint64_t)(uintptr_t)g->scratch + index * (uint64_t)l->private_size * l->lanes);
}

static void keep_start(const ez_launch *l, struct group *g, unsigned index) {
    size_t bytes = work_item_bytes(l);
    g->start[index] = *g->wave[index];
    memcpy((uint8_t *)g->start_vgprs + index * bytes, g->wave[index]->vgpr, bytes);
}

/* A wave of a full workgroup begins as it did in the one before, but for the workgroup's id. */
static void begin_again(const ez_launch *l, struct group *g, unsigned index) {
    ez_wave *w = g->wave[index];
    size_t bytes = work_item_bytes(l);
    ez_wave_restart(w, &g->start[index], l->program, WORK_ITEM_VGPRS);
    ez_launch_again(l, w, g->id, index);
    memcpy(w->vgpr, (uint8_t *)g->start_vgprs + index * bytes, bytes);
}

static void begin_group(struct worker *worker, struct group *g, uint64_t number) {
    const ez_launch *l = worker->run->launch;
    uint32_t extent[3];
    g->id[0] = (uint32_t)(number % l->groups[0]);
    g->id[1] = (uint32_t)(number / l->groups[0] % l->groups[1]);
    g->id[2] = (uint32_t)(number / l->groups[0] / l->groups[1]);
    ez_launch_extent(l, g->id, extent);
    g->waves = (extent[0] * extent[1] * extent[2] + l->lanes - 1) / l->lanes;
    g->live = g->waves;
    g->shared = (ez_workgroup){.waves = g->waves};
    g->turns = g->idle_turns = 0;
    g->blocked = false;
    g->phase = 0;
    /* Hardware leaves LDS and scratch as the kernel before did; zero makes runs repeatable. */
    memset(g->lds, 0, l->lds_size);
    if (g->scratch) memset(g->scratch, 0, (size_t)l->private_size * l->lanes * g->waves);
    bool full = !memcmp(extent, l->block, sizeof extent);
    for (unsigned i = 0; i < g->waves; i++) {
        g->ended[i] = false;
        if (full && g->started) {
            begin_again(l, g, i);
        } else {
            begin_wave(worker, g, i);
            if (full) keep_start(l, g, i);
        }
    }
    g->used = true;
    g->started |= full;
    count(&worker->waves, g->waves);
}

/* Takes up to `wanted` instructions out of what the caller allows; 0: nothing is left. */
static uint64_t take_budget(struct run *run, uint64_t wanted) {
    if (!run->launch->dispatch->max_instructions) return wanted;
    uint64_t left = atomic_load(&run->budget), take;
    do
        take = left < wanted ? left : wanted;
    while (!atomic_compare_exchange_weak(&run->budget, &left, left - take));
    return take;
}

/* Lets a wave run for its slice. False: the dispatch stops. *waits: it is at a barrier. */
static bool run_wave(struct worker *worker, struct group *g, unsigned index, bool *waits) {
    enum { DEBUG_TRAP = 3 };
    struct run *run = worker->run;
    ez_wave *w = g->wave[index];
    uint64_t slice = take_budget(run, SLICE), before = w->instructions;
    if (slice == 0) {
        stop_group(run, g, index, EZ_OUTCOME_INSTRUCTIONS, EZ_ERR_LIMIT,
                   "the limit of instructions is reached");
        return false;
    }
    ez_stop stop = ez_wave_run(w, run->launch->program, slice);
    uint64_t done = w->instructions - before;
    count(&worker->instructions, done);
    if (run->launch->dispatch->max_instructions && done < slice)
        atomic_fetch_add(&run->budget, slice - done);
    *waits = stop == EZ_STOP_BARRIER;
    if (stop == EZ_STOP_END) {
        g->ended[index] = true;
        g->live--;
    } else if (stop == EZ_STOP_FAULT ||
               (stop == EZ_STOP_TRAP && ez_wave_fault_info(w)->value != DEBUG_TRAP)) {
        stop_group(run, g, index, EZ_OUTCOME_FAULT, EZ_ERR_FAULT, "");
        return false;
    }
    return true;
}

/* Calls watch() when it is time. False: it ends the dispatch. */
static bool watch(struct run *run) {
    const ez_dispatch *d = run->launch->dispatch;
    uint64_t now = d->watch ? now_ns() : 0, next = atomic_load_explicit(&run->next_watch, memory_order_relaxed);
    if (now <= next || !atomic_compare_exchange_strong(&run->next_watch, &next, UINT64_MAX)) return true;
    struct totals done = totals(run);
    ez_progress progress = {.workgroups = done.workgroups,
                            .workgroup_count = run->launch->group_count,
                            .instructions = done.instructions,
                            .time_ns = now - run->start};
    bool goes_on = d->watch(&progress, d->watch_user);
    atomic_store(&run->next_watch, now + WATCH_NS);
    return goes_on;
}

/* One turn for each wave of a workgroup. False: the dispatch stops. */
static bool run_group(struct worker *worker, struct group *g) {
    struct run *run = worker->run;
    bool all_wait = true, global = false;
    unsigned waiting = 0;
    for (unsigned i = 0; i < g->waves; i++) {
        if (g->ended[i]) continue;
        bool waits;
        if (atomic_load_explicit(&run->stop, memory_order_relaxed)) return false;
        if (!run_wave(worker, g, i, &waits)) return false;
        if (waits)
            waiting = i;
        else
            all_wait = false;
        global |= g->wave[i]->gws_waits;
    }
    g->turns++;
    g->blocked = all_wait && global;
    g->idle_turns = all_wait && !global && g->live && g->phase == g->shared.phase ? g->idle_turns + 1 : 0;
    g->phase = g->shared.phase;
    if (g->idle_turns >= 3) {
        stop_group(run, g, waiting, EZ_OUTCOME_DEADLOCK, EZ_ERR_FAULT,
                   "waves wait at a barrier that no other wave can reach any more");
        return false;
    }
    if (run->deadline && now_ns() > run->deadline) {
        stop_group(run, g, waiting, EZ_OUTCOME_TIMEOUT, EZ_ERR_LIMIT, "the time limit is reached");
        return false;
    }
    if (!watch(run)) {
        stop_group(run, g, waiting, EZ_OUTCOME_STOPPED, EZ_ERR_LIMIT, "it is stopped");
        return false;
    }
    return true;
}

/* ---- threads ---- */

/* Begins one more workgroup if there is one. False: there is none, or no memory for it. */
static bool take_group(struct worker *worker, uint64_t room) {
    struct run *run = worker->run;
    const ez_launch *l = run->launch;
    if (worker->count == MAX_RESIDENT || atomic_load(&run->next_group) >= l->group_count) return false;
    if (worker->count == worker->places) {
        bool afford = (worker->places + 1) * group_bytes(l) * run->threads <= room;
        if (worker->places && !afford) return false;
        struct group *g = make_group(l);
        if (!g && !worker->places)
            stop_run(run, EZ_OUTCOME_DONE, EZ_ERR_NOMEM, NULL);
        if (!g) return false;
        worker->resident[worker->places++] = g;
    }
    uint64_t number = atomic_fetch_add(&run->next_group, 1);
    if (number >= l->group_count) {
        atomic_fetch_sub(&run->next_group, 1); /* so that it cannot wrap */
        return false;
    }
    begin_group(worker, worker->resident[worker->count++], number);
    return true;
}

/* All workgroups of this thread are blocked, and were when gws.changes was `changes`. Waits a moment for those of other
 * threads. False: all threads are at that point, so nothing will ever change. */
static bool wait_for_others(struct worker *worker, uint64_t changes) {
    struct run *run = worker->run;
    const struct group *g = worker->resident[0];
    unsigned index = 0;
    atomic_store(&worker->blocked_at, changes + 1);
    bool hope = atomic_load(&run->launch->device->gws.changes) != changes;
    for (unsigned i = 0; i < run->threads; i++) {
        uint64_t at = atomic_load(&run->workers[i].blocked_at);
        hope |= at != ENDED && at != changes + 1;
    }
    if (hope) {
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
        atomic_store(&worker->blocked_at, WORKS);
        return true;
    }
    while (!g->wave[index]->gws_waits)
        index++;
    stop_group(run, g, index, EZ_OUTCOME_DEADLOCK, EZ_ERR_FAULT,
               atomic_load(&run->next_group) < run->launch->group_count
                   ? "waves wait for workgroups that do not fit on the device beside them"
                   : "waves wait for other workgroups, and no wave can let them go on any more");
    return false;
}

/* One turn for each workgroup of the thread, until it has none. False: the dispatch stops. */
static bool run_resident(struct worker *worker) {
    struct run *run = worker->run;
    while (worker->count) {
        uint64_t changes = atomic_load(&run->launch->device->gws.changes);
        bool blocked = true;
        for (unsigned at = 0; at < worker->count;) {
            struct group *g = worker->resident[at];
            if (!run_group(worker, g)) return false;
            blocked &= g->blocked;
            if (g->live == 0) {
                count(&worker->finished, 1);
                worker->resident[at] = worker->resident[--worker->count];
                worker->resident[worker->count] = g;
                continue;
            }
            if (!g->blocked && g->turns % PATIENCE == 0) take_group(worker, RESIDENT_BYTES);
            at++;
        }
        if (blocked && worker->count && !take_group(worker, BLOCKED_BYTES) && !wait_for_others(worker, changes))
            return false;
    }
    return true;
}

static void *work(void *argument) {
    struct worker *worker = argument;
    while (take_group(worker, RESIDENT_BYTES) && run_resident(worker)) continue;
    atomic_store(&worker->blocked_at, ENDED);
    return NULL;
}

static void free_worker(struct worker *worker) {
    for (unsigned i = 0; i < worker->places; i++)
        free_group(worker->run->launch, worker->resident[i]);
}

static unsigned thread_count(const ez_launch *l) {
    const ez_dispatch *d = l->dispatch;
    long processors = d->threads ? (long)d->threads : sysconf(_SC_NPROCESSORS_ONLN);
    if (d->deterministic || processors < 1) processors = 1;
    if (processors > MAX_THREADS) processors = MAX_THREADS;
    return (uint64_t)processors > l->group_count ? (unsigned)l->group_count : (unsigned)processors;
}

static ez_status run_threads(struct run *run) {
    struct worker *workers = run->workers = aligned_alloc(_Alignof(struct worker), run->threads * sizeof *workers);
    if (!workers) return EZ_ERR_NOMEM;
    memset(workers, 0, run->threads * sizeof *workers);
    for (unsigned i = 0; i < run->threads; i++) {
        struct worker *w = &workers[i];
        w->run = run;
        ez_range_cache_init(&w->cache, run->launch->device);
        w->memory = (ez_memory){.translate = translate, .user = w};
        if (run->launch->dispatch->interrupt) w->memory.interrupt = interrupt;
        /* The calling thread is the first worker; one that cannot be made is one less. */
        if (i) w->started = pthread_create(&w->thread, NULL, work, w) == 0;
        if (i && !w->started) atomic_store(&w->blocked_at, ENDED);
    }
    work(&workers[0]);
    for (unsigned i = 1; i < run->threads; i++)
        if (workers[i].started) pthread_join(workers[i].thread, NULL);
    run->total = totals(run);
    for (unsigned i = 0; i < run->threads; i++)
        free_worker(&workers[i]);
    free(workers);
    return run->status;
}

ez_status ez_dispatch_run(ez_device *device, const ez_dispatch *dispatch, ez_result *result,
                          ez_error *err) {
    uint64_t start = now_ns();
    ez_launch launch;
    if (result) *result = (ez_result){0};
    ez_status status = ez_launch_prepare(&launch, device, dispatch, err);
    if (status != EZ_OK) return status;
    struct run run = {.launch = &launch, .threads = thread_count(&launch), .start = start};
    pthread_mutex_init(&run.lock, NULL);
    atomic_store(&run.budget, dispatch->max_instructions);
    atomic_store(&run.next_watch, start + WATCH_NS);
    if (dispatch->timeout_ns && dispatch->timeout_ns < UINT64_MAX - start)
        run.deadline = start + dispatch->timeout_ns;
    status = run_threads(&run);
    pthread_mutex_destroy(&run.lock);
    if (status == EZ_ERR_NOMEM)
        ez_error_set(err, status, "no memory for the registers of a workgroup");
    else if (status != EZ_OK)
        ez_error_set(err, status, "%.50s: workgroup %" PRIu32 ",%" PRIu32 ",%" PRIu32 ": %.165s",
                     run.report.kernel, run.report.workgroup[0], run.report.workgroup[1],
                     run.report.workgroup[2], run.report.message);
    if (result)
        *result = (ez_result){.outcome = run.outcome,
                              .fault = run.report,
                              .instructions = run.total.instructions,
                              .workgroups = run.total.workgroups,
                              .waves = run.total.waves,
                              .time_ns = now_ns() - start,
                              .threads = run.threads};
    ez_launch_finish(&launch);
    return status;
}
