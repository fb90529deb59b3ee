/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks on signals: one thread waits for all of them and calls those whose condition is met. */
#define _GNU_SOURCE
#include "hsa/runtime.h"

#include <stdlib.h>

typedef struct handler {
    ez_signal *signal; /* NULL: call at once */
    hsa_signal_condition_t condition;
    int64_t compare;
    hsa_amd_signal_handler call;
    void (*function)(void *);
    void *argument;
    struct handler *next;
} handler;

static void forget(handler *h) {
    if (h->signal) ez_unwatch(h->signal);
    free(h);
}

/* Calls those that are due; *called says whether there were any. The list is this thread's while it runs:
 * new handlers come in at the head, with the lock. */
static void call_due(bool *called) {
    struct ez_worker_state *w = &ez_rt.handlers;
    *called = false;
    pthread_mutex_lock(&w->lock);
    handler *list = w->head;
    w->head = NULL;
    pthread_mutex_unlock(&w->lock);
    handler *keep = NULL, **end = &keep;
    while (list) {
        handler *h = list;
        list = h->next;
        bool again = true;
        int64_t value = h->signal ? ez_signal_value(h->signal) : 0;
        if (!h->signal) {
            h->function(h->argument);
            again = false;
        } else if (ez_signal_meets(value, h->condition, h->compare)) {
            again = h->call(value, h->argument);
            *called = true;
        }
        if (again) {
            *end = h;
            end = &h->next;
            *end = NULL;
        } else {
            forget(h);
        }
    }
    pthread_mutex_lock(&w->lock);
    *end = w->head;
    w->head = keep;
    pthread_mutex_unlock(&w->lock);
}

static void *work(void *unused) {
    struct ez_worker_state *w = &ez_rt.handlers;
    for (;;) {
        unsigned word = ez_watch_word();
        bool called;
        pthread_mutex_lock(&w->lock);
        bool stop = w->stop;
        pthread_mutex_unlock(&w->lock);
        if (stop) return unused;
        call_due(&called);
        if (!called) ez_watch_sleep(word, UINT64_MAX);
    }
}

static hsa_status_t add(handler *h) {
    struct ez_worker_state *w = &ez_rt.handlers;
    if (h->signal) ez_watch(h->signal);
    pthread_mutex_lock(&w->lock);
    if (!w->running) w->running = pthread_create(&w->thread, NULL, work, NULL) == 0;
    bool ok = w->running;
    if (ok) {
        h->next = w->head;
        w->head = h;
    }
    pthread_mutex_unlock(&w->lock);
    if (ok) ez_watch_wake();
    else forget(h);
    return ok ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

void ez_handlers_stop(void) {
    struct ez_worker_state *w = &ez_rt.handlers;
    ez_worker_stop(w);
    while (w->head) {
        handler *h = w->head;
        w->head = h->next;
        forget(h);
    }
}

hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t signal, hsa_signal_condition_t condition,
                                          hsa_signal_value_t compare, hsa_amd_signal_handler call,
                                          void *argument) {
    EZ_NEED_INIT();
    if (!call) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!signal.handle) return HSA_STATUS_ERROR_INVALID_SIGNAL;
    handler *h = malloc(sizeof *h);
    if (!h) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *h = (handler){.signal = ez_signal_of(signal),
                   .condition = condition,
                   .compare = compare,
                   .call = call,
                   .argument = argument};
    return add(h);
}

hsa_status_t hsa_amd_async_function(void (*function)(void *argument), void *argument) {
    EZ_NEED_INIT();
    if (!function) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    handler *h = malloc(sizeof *h);
    if (!h) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *h = (handler){.function = function, .argument = argument};
    return add(h);
}
