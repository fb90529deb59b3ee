/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals: 64-bit values that host threads, kernels and packet processors change and wait for. Who waits sleeps
 * in the kernel on the signal's own futex word; who waits for several sleeps on ez_rt.watch. A change
 * costs a system call only when somebody waits.
 *
 * Waiter: say that you wait, then look at the value. Changer: change the value, then look who waits. Both with
 * sequential consistency, so at least one of them sees the other.
 */
#define _GNU_SOURCE
#include "hsa/futex.h"
#include "hsa/newer.h"
#include "hsa/runtime.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SLAB_SIGNALS = 512 };
/* A client may change a value behind the runtime's back, through hsa_amd_signal_value_pointer() or a mapping:
 * sleepers look again after this many ns. */
#define RECHECK UINT64_C(5000000)

/* Signals are made many at a time, for each lot is one range of memory to every device. */
typedef struct ez_slab {
    struct ez_slab *next;
    ez_signal *signal; /* [SLAB_SIGNALS] */
} ez_slab;

/* ---- making ---- */

/* Call with signal_lock held. */
static bool add_slab(void) {
    ez_slab *slab = malloc(sizeof *slab);
    size_t size = SLAB_SIGNALS * sizeof *slab->signal;
    if (!slab) return false;
    slab->signal = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slab->signal == MAP_FAILED) {
        free(slab);
        return false;
    }
    for (unsigned i = 1; i < ez_rt.agent_count; i++)
        ez_grant(&ez_rt.agent[i], slab->signal, size, "signals");
    slab->next = ez_rt.slabs;
    ez_rt.slabs = slab;
    for (unsigned i = SLAB_SIGNALS; i-- > 0;) {
        slab->signal[i].next_free = ez_rt.free_signals;
        ez_rt.free_signals = &slab->signal[i];
    }
    return true;
}

ez_signal *ez_signal_new(int64_t value) {
    pthread_mutex_lock(&ez_rt.signal_lock);
    ez_signal *s = ez_rt.free_signals || add_slab() ? ez_rt.free_signals : NULL;
    if (s) ez_rt.free_signals = s->next_free;
    pthread_mutex_unlock(&ez_rt.signal_lock);
    if (!s) return NULL;
    /* Whoever has not yet left a signal that had this place still sees valid words. */
    s->abi.kind = AMD_SIGNAL_KIND_USER;
    s->abi.start_ts = s->abi.end_ts = 0;
    /* After a change kernels write the event's number to the mailbox and send an interrupt with its low 8 bits:
     * too few to tell which signal it was, so ez_signals_interrupt() looks at all. */
    s->abi.event_mailbox_ptr = (uint64_t)(uintptr_t)&s->abi.reserved2;
    s->abi.event_id = 1;
    __atomic_store_n(&s->abi.value, value, __ATOMIC_RELEASE);
    return s;
}

void ez_signal_delete(ez_signal *s) {
    s->abi.kind = AMD_SIGNAL_KIND_INVALID;
    pthread_mutex_lock(&ez_rt.signal_lock);
    s->next_free = ez_rt.free_signals;
    ez_rt.free_signals = s;
    pthread_mutex_unlock(&ez_rt.signal_lock);
}

void ez_signals_free(void) {
    while (ez_rt.slabs) {
        ez_slab *slab = ez_rt.slabs;
        ez_rt.slabs = slab->next;
        munmap(slab->signal, SLAB_SIGNALS * sizeof *slab->signal);
        free(slab);
    }
    ez_rt.free_signals = NULL;
}

/* ---- waking ---- */

void ez_watch_wake(void) {
    atomic_fetch_add(&ez_rt.watch, 1);
    ez_futex_wake(&ez_rt.watch, false);
}

void ez_signal_notify(ez_signal *s) {
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load(&s->waiters)) {
        atomic_fetch_add(&s->sequence, 1);
        ez_futex_wake(&s->sequence, s->shared);
    }
    if (atomic_load(&s->watchers)) ez_watch_wake();
}

void ez_signals_interrupt(void) {
    pthread_mutex_lock(&ez_rt.signal_lock);
    for (const ez_slab *slab = ez_rt.slabs; slab; slab = slab->next)
        for (unsigned i = 0; i < SLAB_SIGNALS; i++)
            ez_signal_notify(&slab->signal[i]);
    pthread_mutex_unlock(&ez_rt.signal_lock);
}

void ez_signal_subtract(ez_signal *s, int64_t value) {
    __atomic_fetch_sub(&s->abi.value, value, __ATOMIC_SEQ_CST);
    ez_signal_notify(s);
}

/* ---- waiting ---- */

bool ez_signal_meets(int64_t value, hsa_signal_condition_t condition, int64_t compare) {
    switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ: return value == compare;
    case HSA_SIGNAL_CONDITION_NE: return value != compare;
    case HSA_SIGNAL_CONDITION_LT: return value < compare;
    case HSA_SIGNAL_CONDITION_GTE: return value >= compare;
    default: return false;
    }
}

unsigned ez_signal_enlist(ez_signal *s) {
    atomic_fetch_add(&s->waiters, 1);
    unsigned sequence = atomic_load(&s->sequence);
    atomic_thread_fence(memory_order_seq_cst);
    return sequence;
}

void ez_signal_sleep(ez_signal *s, unsigned sequence) {
    ez_futex_wait(&s->sequence, sequence, RECHECK, s->shared);
}
void ez_signal_dismiss(ez_signal *s) {
    atomic_fetch_sub(&s->waiters, 1);
}

unsigned ez_watch_word(void) {
    unsigned word = atomic_load(&ez_rt.watch);
    atomic_thread_fence(memory_order_seq_cst);
    return word;
}

void ez_watch_sleep(unsigned word, uint64_t timeout) {
    ez_futex_wait(&ez_rt.watch, word, timeout < RECHECK ? timeout : RECHECK, false);
}

static uint64_t deadline_of(uint64_t timeout) {
    uint64_t now = ez_now();
    return timeout > UINT64_MAX - now ? UINT64_MAX : now + timeout;
}

int64_t ez_signal_wait(ez_signal *s, hsa_signal_condition_t condition, int64_t compare, uint64_t timeout) {
    int64_t value = ez_signal_value(s);
    if (ez_signal_meets(value, condition, compare) || timeout == 0) return value;
    uint64_t deadline = deadline_of(timeout);
    for (;;) {
        unsigned sequence = ez_signal_enlist(s);
        value = ez_signal_value(s);
        uint64_t now = ez_now();
        bool done = ez_signal_meets(value, condition, compare) || now >= deadline;
        if (!done)
            ez_futex_wait(&s->sequence, sequence, deadline - now < RECHECK ? deadline - now : RECHECK,
                          s->shared);
        ez_signal_dismiss(s);
        if (done) return value;
    }
}

/* ---- the interface ---- */

hsa_status_t hsa_signal_create(hsa_signal_value_t value, uint32_t consumer_count,
                               const hsa_agent_t *consumers, hsa_signal_t *signal) {
    EZ_NEED_INIT();
    if (!signal || (consumer_count && !consumers)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    ez_signal *s = ez_signal_new(value);
    if (!s) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *signal = ez_signal_handle(s);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t signal, volatile hsa_signal_value_t **pointer) {
    EZ_NEED_INIT();
    if (!pointer) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!signal.handle || ez_signal_of(signal)->abi.kind != AMD_SIGNAL_KIND_USER)
        return HSA_STATUS_ERROR_INVALID_SIGNAL;
    *pointer = &ez_signal_of(signal)->abi.value;
    return HSA_STATUS_SUCCESS;
}

/* The first that meets its condition, or UINT32_MAX; *value: of that one. */
static uint32_t any_met(uint32_t count, const hsa_signal_t *signals, const hsa_signal_condition_t *conditions,
                        const hsa_signal_value_t *compare, hsa_signal_value_t *value) {
    for (uint32_t i = 0; i < count; i++) {
        if (!signals[i].handle) continue;
        int64_t now = ez_signal_value(ez_signal_of(signals[i]));
        if (!ez_signal_meets(now, conditions[i], compare[i])) continue;
        if (value) *value = now;
        return i;
    }
    return UINT32_MAX;
}

/* 0 when all meet their conditions, or UINT32_MAX; value[count]. */
static uint32_t all_met(uint32_t count, const hsa_signal_t *signals, const hsa_signal_condition_t *conditions,
                        const hsa_signal_value_t *compare, hsa_signal_value_t *value) {
    for (uint32_t i = 0; i < count; i++) {
        if (!signals[i].handle) continue;
        int64_t now = ez_signal_value(ez_signal_of(signals[i]));
        if (!ez_signal_meets(now, conditions[i], compare[i])) return UINT32_MAX;
        if (value) value[i] = now;
    }
    return 0;
}

static uint32_t wait_for_several(uint32_t count, const hsa_signal_t *signals,
                                 const hsa_signal_condition_t *conditions, const hsa_signal_value_t *compare,
                                 uint64_t timeout, hsa_signal_value_t *value, bool all) {
    uint64_t deadline = deadline_of(timeout);
    uint32_t found;
    for (uint32_t i = 0; i < count; i++)
        if (signals[i].handle) ez_watch(ez_signal_of(signals[i]));
    for (;;) {
        unsigned word = ez_watch_word();
        found = (all ? all_met : any_met)(count, signals, conditions, compare, value);
        uint64_t now = ez_now();
        if (found != UINT32_MAX || now >= deadline) break;
        ez_watch_sleep(word, deadline - now);
    }
    for (uint32_t i = 0; i < count; i++)
        if (signals[i].handle) ez_unwatch(ez_signal_of(signals[i]));
    return found;
}

/* The state of waiting is a hint: it is always a sleep. */
uint32_t hsa_amd_signal_wait_any(uint32_t count, hsa_signal_t *signals, hsa_signal_condition_t *conditions,
                                 hsa_signal_value_t *compare, uint64_t timeout, hsa_wait_state_t state,
                                 hsa_signal_value_t *satisfying) {
    (void)state;
    return wait_for_several(count, signals, conditions, compare, timeout, satisfying, false);
}

uint32_t ez_signal_wait_all(uint32_t count, hsa_signal_t *signals, hsa_signal_condition_t *conditions,
                            hsa_signal_value_t *compare, uint64_t timeout, hsa_wait_state_t state,
                            hsa_signal_value_t *values) {
    (void)state;
    return wait_for_several(count, signals, conditions, compare, timeout, values, true);
}
