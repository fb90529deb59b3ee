/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies: those that need not wait and are small are done at once, the others by a thread, in the order in
 * which what they wait for is ready: a copy that waits holds up no other.
 */
#define _GNU_SOURCE
#include "hsa/newer.h"
#include "hsa/runtime.h"

#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 256 << 10 }; /* bytes: copied in less time than it takes to wake a thread */

typedef struct copy {
    uint8_t *to;
    const uint8_t *from;
    size_t bytes, rows, layers; /* of a rectangle; a plain copy has one row of one layer */
    size_t to_pitch, to_slice, from_pitch, from_slice;
    ez_signal *done; /* NULL: nobody asks */
    struct copy *next;
    uint32_t need_count;
    ez_signal *need[]; /* to be 0 first */
} copy;

static bool ready(const copy *c) {
    for (uint32_t i = 0; i < c->need_count; i++)
        if (ez_signal_value(c->need[i]) != 0) return false;
    return true;
}

static void run(const copy *c) {
    uint64_t start = ez_now();
    for (size_t z = 0; z < c->layers; z++)
        for (size_t y = 0; y < c->rows; y++)
            memmove(c->to + z * c->to_slice + y * c->to_pitch,
                    c->from + z * c->from_slice + y * c->from_pitch, c->bytes);
    uint64_t end = ez_now();
    ez_trace_copy(c->bytes * c->rows * c->layers, start, end);
    if (!c->done) return;
    ez_signal_set_times(c->done, start, end);
    ez_signal_subtract(c->done, 1);
}

static void watch(const copy *c, bool begin) {
    for (uint32_t i = 0; i < c->need_count; i++)
        if (begin) ez_watch(c->need[i]);
        else ez_unwatch(c->need[i]);
}

/* Takes the first copy that is ready out of the list. */
static copy *take_ready(struct ez_worker_state *w) {
    for (copy **c = (copy **)&w->head; *c; c = &(*c)->next)
        if (ready(*c)) {
            copy *found = *c;
            *c = found->next;
            return found;
        }
    return NULL;
}

static void *work(void *unused) {
    struct ez_worker_state *w = &ez_rt.copies;
    for (;;) {
        unsigned word = ez_watch_word();
        pthread_mutex_lock(&w->lock);
        bool stop = w->stop;
        copy *c = stop ? NULL : take_ready(w);
        pthread_mutex_unlock(&w->lock);
        if (stop) return unused;
        if (!c) {
            ez_watch_sleep(word, UINT64_MAX);
            continue;
        }
        run(c);
        watch(c, false);
        free(c);
    }
}

static hsa_status_t submit(copy *c) {
    struct ez_worker_state *w = &ez_rt.copies;
    if (ready(c) && c->bytes * c->rows * c->layers <= AT_ONCE) {
        run(c);
        free(c);
        return HSA_STATUS_SUCCESS;
    }
    watch(c, true);
    pthread_mutex_lock(&w->lock);
    if (!w->running) w->running = pthread_create(&w->thread, NULL, work, NULL) == 0;
    bool ok = w->running;
    copy **end = (copy **)&w->head;
    while (*end)
        end = &(*end)->next;
    if (ok) *end = c;
    pthread_mutex_unlock(&w->lock);
    if (ok) {
        ez_watch_wake();
        return HSA_STATUS_SUCCESS;
    }
    watch(c, false);
    free(c);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

void ez_copies_stop(void) {
    struct ez_worker_state *w = &ez_rt.copies;
    ez_worker_stop(w);
    while (w->head) {
        copy *c = w->head;
        w->head = c->next;
        free(c);
    }
}

/* ---- the interface ---- */

static hsa_status_t new_copy(copy **out, uint32_t need_count, const hsa_signal_t *need, hsa_signal_t done) {
    if (need_count && !need) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (need_count > 1 << 20) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    copy *c = calloc(1, sizeof *c + need_count * sizeof *c->need);
    if (!c) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    for (uint32_t i = 0; i < need_count; i++)
        if (need[i].handle) c->need[c->need_count++] = ez_signal_of(need[i]);
    c->done = done.handle ? ez_signal_of(done) : NULL;
    *out = c;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_async_copy(void *to, hsa_agent_t to_agent, const void *from,
                                       hsa_agent_t from_agent, size_t size, uint32_t need_count,
                                       const hsa_signal_t *need, hsa_signal_t done) {
    EZ_NEED_INIT();
    if (!to || !from) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!ez_agent_of(to_agent) || !ez_agent_of(from_agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    copy *c;
    hsa_status_t status = new_copy(&c, need_count, need, done);
    if (status != HSA_STATUS_SUCCESS) return status;
    c->to = ez_host_address(to);
    c->from = ez_host_address(from);
    c->bytes = size;
    c->rows = c->layers = 1;
    return submit(c);
}

/* Which engine shall copy changes nothing: one thread does it all. Clients want to see some, and free ones. */
#define ALL_ENGINES ((UINT32_C(1) << EZ_COPY_ENGINES) - 1)

hsa_status_t ez_copy_on_engine(void *to, hsa_agent_t to_agent, const void *from, hsa_agent_t from_agent,
                               size_t size, uint32_t need_count, const hsa_signal_t *need, hsa_signal_t done,
                               uint32_t engine, bool force) {
    (void)force;
    if (!(engine & ALL_ENGINES)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return hsa_amd_memory_async_copy(to, to_agent, from, from_agent, size, need_count, need, done);
}

hsa_status_t ez_copy_engines(hsa_agent_t to, hsa_agent_t from, uint32_t *mask) {
    EZ_NEED_INIT();
    if (!ez_agent_of(to) || !ez_agent_of(from) || to.handle == from.handle)
        return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!mask) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *mask = ALL_ENGINES;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t ez_preferred_engines(hsa_agent_t to, hsa_agent_t from, uint32_t *mask) {
    EZ_NEED_INIT();
    if (!ez_agent_of(to) || !ez_agent_of(from)) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!mask) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *mask = ALL_ENGINES;
    return HSA_STATUS_SUCCESS;
}

static uint8_t *corner(const hsa_pitched_ptr_t *p, const hsa_dim3_t *offset) {
    return (uint8_t *)ez_host_address(p->base) + offset->z * p->slice + offset->y * p->pitch + offset->x;
}

hsa_status_t hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t *to, const hsa_dim3_t *to_offset,
                                            const hsa_pitched_ptr_t *from, const hsa_dim3_t *from_offset,
                                            const hsa_dim3_t *range, hsa_agent_t agent,
                                            hsa_amd_copy_direction_t direction, uint32_t need_count,
                                            const hsa_signal_t *need, hsa_signal_t done) {
    EZ_NEED_INIT();
    if (!to || !from || !to_offset || !from_offset || !range || !to->base || !from->base ||
        direction > hsaDeviceToDevice)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!ez_agent_of(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    copy *c;
    hsa_status_t status = new_copy(&c, need_count, need, done);
    if (status != HSA_STATUS_SUCCESS) return status;
    c->to = corner(to, to_offset);
    c->from = corner(from, from_offset);
    c->bytes = range->x;
    c->rows = range->y;
    c->layers = range->z;
    c->to_pitch = to->pitch;
    c->to_slice = to->slice;
    c->from_pitch = from->pitch;
    c->from_slice = from->slice;
    return submit(c);
}

hsa_status_t hsa_memory_copy(void *to, const void *from, size_t size) {
    EZ_NEED_INIT();
    if (!to || !from) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    memmove(ez_host_address(to), ez_host_address(from), size);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_fill(void *pointer, uint32_t value, size_t count) {
    EZ_NEED_INIT();
    if (!pointer || (uintptr_t)pointer % sizeof value) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint32_t *to = ez_host_address(pointer);
    for (size_t i = 0; i < count; i++)
        to[i] = value;
    return HSA_STATUS_SUCCESS;
}
