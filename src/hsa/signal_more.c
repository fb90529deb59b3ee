/* SPDX-License-Identifier: Apache-2.0 */
/* Signals that are more than hsa_signal_create() makes: shared between processes, and groups of them. */
#define _GNU_SOURCE
#include "hsa/runtime.h"

#include <stdlib.h>
#include <string.h>

hsa_status_t hsa_signal_destroy(hsa_signal_t signal) {
    EZ_NEED_INIT();
    if (!signal.handle) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    ez_signal *s = ez_signal_of(signal);
    if (s->abi.kind != AMD_SIGNAL_KIND_USER) return HSA_STATUS_ERROR_INVALID_SIGNAL;
    if (s->shared) ez_shared_signal_delete(s);
    else ez_signal_delete(s);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_signal_create(hsa_signal_value_t value, uint32_t consumer_count,
                                   const hsa_agent_t *consumers, uint64_t attributes, hsa_signal_t *signal) {
    EZ_NEED_INIT();
    if (!signal || (consumer_count && !consumers) ||
        attributes & ~(uint64_t)(HSA_AMD_SIGNAL_AMD_GPU_ONLY | HSA_AMD_SIGNAL_IPC))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    ez_signal *s = attributes & HSA_AMD_SIGNAL_IPC ? ez_shared_signal_new(value) : ez_signal_new(value);
    if (!s) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *signal = ez_signal_handle(s);
    return HSA_STATUS_SUCCESS;
}

/* ---- groups ---- */

typedef struct group {
    uint32_t count;
    hsa_signal_t signal[];
} group;

hsa_status_t hsa_signal_group_create(uint32_t count, const hsa_signal_t *signals, uint32_t consumer_count,
                                     const hsa_agent_t *consumers, hsa_signal_group_t *out) {
    EZ_NEED_INIT();
    if (!count || !signals || !out || (consumer_count && !consumers))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    group *g = malloc(sizeof *g + count * sizeof *g->signal);
    if (!g) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    g->count = count;
    memcpy(g->signal, signals, count * sizeof *signals);
    out->handle = (uint64_t)(uintptr_t)g;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_signal_group_destroy(hsa_signal_group_t handle) {
    EZ_NEED_INIT();
    if (!handle.handle) return HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
    free((group *)(uintptr_t)handle.handle);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_signal_group_wait_any_scacquire(hsa_signal_group_t handle,
                                                 const hsa_signal_condition_t *conditions,
                                                 const hsa_signal_value_t *compare, hsa_wait_state_t state,
                                                 hsa_signal_t *signal, hsa_signal_value_t *value) {
    EZ_NEED_INIT();
    group *g = (group *)(uintptr_t)handle.handle;
    if (!g) return HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
    if (!conditions || !compare || !signal || !value) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint32_t met =
        hsa_amd_signal_wait_any(g->count, g->signal, (hsa_signal_condition_t *)(uintptr_t)conditions,
                                (hsa_signal_value_t *)(uintptr_t)compare, UINT64_MAX, state, value);
    *signal = g->signal[met];
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_signal_group_wait_any_relaxed(hsa_signal_group_t handle,
                                               const hsa_signal_condition_t *conditions,
                                               const hsa_signal_value_t *compare, hsa_wait_state_t state,
                                               hsa_signal_t *signal, hsa_signal_value_t *value) {
    return hsa_signal_group_wait_any_scacquire(handle, conditions, compare, state, signal, value);
}
