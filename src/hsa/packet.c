/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The packet processor: what a queue's thread does with each packet. Packets of a queue are processed one after the
 * other, each to its end, so the barrier bit is always honoured. Source: HSA Platform System
 * Architecture, "Architected queuing language".
 */
#define _GNU_SOURCE
#include "hsa/runtime.h"

#include <inttypes.h>
#include <string.h>

typedef union packet {
    uint16_t header;
    hsa_kernel_dispatch_packet_t dispatch;
    hsa_barrier_and_packet_t barrier; /* barrier-or is the same */
    hsa_amd_barrier_value_packet_t value;
} packet;

static packet *packet_at(const ez_queue *q, uint64_t index) {
    return (packet *)q->abi.hsa_queue.base_address + (index & (q->abi.hsa_queue.size - 1));
}

static unsigned type_of(const packet *p) {
    return __atomic_load_n(&p->header, __ATOMIC_ACQUIRE) & 0xff;
}

bool ez_queue_ready(const ez_queue *q) {
    return type_of(packet_at(q, q->abi.read_dispatch_id)) != HSA_PACKET_TYPE_INVALID;
}

/* ---- kernels ---- */

static void wake_host(uint32_t m0, void *user) {
    (void)m0;
    (void)user;
    ez_signals_interrupt();
}

/* A dispatch that is being run. */
typedef struct running {
    const ez_queue *queue;
    const char *kernel;
    ez_progress_line line;
} running;

/* While a kernel runs: it ends with its queue. */
static bool watch(const ez_progress *progress, void *user) {
    running *r = user;
    ez_progress_show(&r->line, r->kernel, progress);
    return !atomic_load(&r->queue->stop);
}

static bool dispatch(ez_queue *q, packet *p, uint64_t index, hsa_signal_t completion) {
    const hsa_kernel_dispatch_packet_t *d = &p->dispatch;
    ez_dispatch run = {.grid = {d->grid_size_x, d->grid_size_y, d->grid_size_z},
                       .block = {d->workgroup_size_x, d->workgroup_size_y, d->workgroup_size_z},
                       .private_bytes = d->private_segment_size,
                       .kernarg_address = (uint64_t)(uintptr_t)d->kernarg_address,
                       .dispatch_ptr = (uint64_t)(uintptr_t)p,
                       .queue_ptr = (uint64_t)(uintptr_t)q,
                       .dispatch_id = index,
                       .threads = ez_rt.processors,
                       .interrupt = wake_host,
                       .watch = watch,
                       .fidelity = ez_rt.trace.fidelity != NULL};
    ez_result result;
    ez_error err = {0};
    if (!ez_kernel_at(d->kernel_object, q->agent, &run.module, &run.kernel)) {
        ez_queue_fail(q, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "no kernel descriptor at 0x%" PRIx64,
                      d->kernel_object);
        return ez_rt.keep_going;
    }
    /* A kernel without arguments may come with none; to the device 0 means that it shall make them. */
    if (!run.kernarg_address) run.kernarg_address = (uint64_t)(uintptr_t)p;
    uint32_t fixed = run.kernel->descriptor.group_segment_fixed_size;
    if (d->group_segment_size > fixed) run.dynamic_lds = d->group_segment_size - fixed;
    running state = {.queue = q, .kernel = run.kernel->name};
    run.watch_user = &state;
    uint64_t start = ez_now();
    ez_status status = ez_dispatch_run(q->agent->device, &run, &result, &err);
    uint64_t end = ez_now();
    ez_progress_clear(&state.line);
    if (completion.handle) ez_signal_set_times(ez_signal_of(completion), start, end);
    ez_trace_dispatch(q, &run, &result, start, end);
    if (status == EZ_OK) return true;
    if (status == EZ_ERR_LIMIT && result.outcome == EZ_OUTCOME_STOPPED) return false;
    ez_fault_raise(q, &run, status, &result, &err);
    return ez_rt.keep_going;
}

/* ---- barriers ---- */

static bool all_zero(const hsa_barrier_and_packet_t *b, bool any) {
    bool empty = true;
    for (unsigned i = 0; i < 5; i++) {
        if (!b->dep_signal[i].handle) continue;
        empty = false;
        bool zero = ez_signal_value(ez_signal_of(b->dep_signal[i])) == 0;
        if (zero == any) return any;
    }
    return empty || !any;
}

/* A watcher of the packet's signals; false when the queue ends before they are as wanted. */
static bool wait_barrier(ez_queue *q, const hsa_barrier_and_packet_t *b, bool any) {
    if (all_zero(b, any)) return true;
    bool done = false;
    for (unsigned i = 0; i < 5; i++)
        if (b->dep_signal[i].handle) ez_watch(ez_signal_of(b->dep_signal[i]));
    while (!done && !atomic_load(&q->stop)) {
        unsigned word = ez_watch_word();
        done = all_zero(b, any);
        if (!done) ez_watch_sleep(word, UINT64_MAX);
    }
    for (unsigned i = 0; i < 5; i++)
        if (b->dep_signal[i].handle) ez_unwatch(ez_signal_of(b->dep_signal[i]));
    return done;
}

static bool wait_value(ez_queue *q, const hsa_amd_barrier_value_packet_t *v) {
    if (!v->signal.handle) return true;
    ez_signal *s = ez_signal_of(v->signal);
    while (!atomic_load(&q->stop)) {
        unsigned sequence = ez_signal_enlist(s);
        bool done = ez_signal_meets(ez_signal_value(s) & v->mask, (hsa_signal_condition_t)v->cond, v->value);
        if (!done) ez_signal_sleep(s, sequence);
        ez_signal_dismiss(s);
        if (done) return true;
    }
    return false;
}

/* ---- one packet ---- */

/* False: the queue is at its end. */
static bool process(ez_queue *q, packet *p, uint64_t index, hsa_signal_t completion) {
    unsigned type = type_of(p);
    switch (type) {
    case HSA_PACKET_TYPE_KERNEL_DISPATCH: return dispatch(q, p, index, completion);
    case HSA_PACKET_TYPE_BARRIER_AND: return wait_barrier(q, &p->barrier, false);
    case HSA_PACKET_TYPE_BARRIER_OR: return wait_barrier(q, &p->barrier, true);
    case HSA_PACKET_TYPE_VENDOR_SPECIFIC:
        if (p->value.header.AmdFormat == HSA_AMD_PACKET_TYPE_BARRIER_VALUE) return wait_value(q, &p->value);
        break;
    default: break;
    }
    ez_queue_fail(q, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "packet %" PRIu64 " has the unknown type %u",
                  index, type);
    return ez_rt.keep_going;
}

bool ez_queue_step(ez_queue *q) {
    uint64_t index = q->abi.read_dispatch_id; /* this thread alone moves it */
    packet *p = packet_at(q, index);
    if (type_of(p) == HSA_PACKET_TYPE_INVALID) return false;
    /* All packets have the completion signal in the same place. Read now: the place is free before it is signalled. */
    hsa_signal_t completion = p->dispatch.completion_signal;
    bool barrier = type_of(p) != HSA_PACKET_TYPE_KERNEL_DISPATCH;
    uint64_t start = ez_now();
    if (!process(q, p, index, completion)) {
        atomic_store(&q->stop, true);
        return true;
    }
    if (barrier && completion.handle) ez_signal_set_times(ez_signal_of(completion), start, ez_now());
    __atomic_store_n(&p->header, HSA_PACKET_TYPE_INVALID, __ATOMIC_RELEASE);
    __atomic_store_n(&q->abi.read_dispatch_id, index + 1, __ATOMIC_RELEASE);
    if (completion.handle) ez_signal_subtract(ez_signal_of(completion), 1);
    return true;
}
