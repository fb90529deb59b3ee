/* SPDX-License-Identifier: Apache-2.0 */
/* When dispatches and copies began and ended: ns of the monotonic clock, kept in their completion signals. */
#include "hsa/runtime.h"

static hsa_status_t times(hsa_signal_t signal, uint64_t *start, uint64_t *end) {
    if (!signal.handle) return HSA_STATUS_ERROR_INVALID_SIGNAL;
    const ez_signal *s = ez_signal_of(signal);
    *start = s->abi.start_ts;
    *end = s->abi.end_ts;
    return *end ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR; /* 0: nothing has completed on it */
}

hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t agent, hsa_signal_t signal,
                                                 hsa_amd_profiling_dispatch_time_t *time) {
    EZ_NEED_INIT();
    if (!ez_agent_of(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!time) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return times(signal, &time->start, &time->end);
}

hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal,
                                                   hsa_amd_profiling_async_copy_time_t *time) {
    EZ_NEED_INIT();
    if (!time) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return times(signal, &time->start, &time->end);
}

hsa_status_t hsa_amd_profiling_async_copy_enable(bool enable) {
    EZ_NEED_INIT();
    (void)enable; /* times are always taken */
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_convert_tick_to_system_domain(hsa_agent_t agent, uint64_t tick,
                                                             uint64_t *system_tick) {
    EZ_NEED_INIT();
    if (!ez_agent_of(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!system_tick) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *system_tick = tick; /* agents and system count alike */
    return HSA_STATUS_SUCCESS;
}
