/* SPDX-License-Identifier: Apache-2.0 */
/* The state of the process, its beginning and end, and what can be asked of the system as a whole. */
#define _GNU_SOURCE
#include "hsa/newer.h"
#include "hsa/runtime.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

ez_runtime ez_rt = {.lock = PTHREAD_MUTEX_INITIALIZER,
                    .signal_lock = PTHREAD_MUTEX_INITIALIZER,
                    .memory_lock = PTHREAD_MUTEX_INITIALIZER,
                    .loader_lock = PTHREAD_RWLOCK_INITIALIZER,
                    .copies = {.lock = PTHREAD_MUTEX_INITIALIZER},
                    .trace = {.lock = PTHREAD_MUTEX_INITIALIZER},
                    .handlers = {.lock = PTHREAD_MUTEX_INITIALIZER}};

uint64_t ez_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

hsa_status_t ez_hsa_status(ez_status status) {
    switch (status) {
    case EZ_OK: return HSA_STATUS_SUCCESS;
    case EZ_ERR_NOMEM:
    case EZ_ERR_LIMIT: return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    case EZ_ERR_FORMAT:
    case EZ_ERR_UNSUPPORTED: return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    case EZ_ERR_NOT_FOUND: return HSA_STATUS_ERROR_VARIABLE_UNDEFINED;
    case EZ_ERR_ARGUMENT: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    default: return HSA_STATUS_ERROR;
    }
}

/* ---- beginning and end ---- */

void ez_worker_stop(struct ez_worker_state *w) {
    pthread_mutex_lock(&w->lock);
    bool running = w->running;
    w->stop = true;
    pthread_mutex_unlock(&w->lock);
    if (running) {
        ez_watch_wake();
        pthread_join(w->thread, NULL);
    }
    w->running = w->stop = false;
}

static void free_all(void) {
    ez_queues_free();
    ez_copies_stop();
    ez_handlers_stop();
    ez_executables_free();
    ez_host_free();
    ez_vmem_end();
    ez_blocks_free();
    ez_signals_free();
    ez_agents_free();
    ez_rt.event = NULL;
}

hsa_status_t hsa_init(void) {
    hsa_status_t status = HSA_STATUS_SUCCESS;
    pthread_mutex_lock(&ez_rt.lock);
    if (ez_rt.references == UINT32_MAX) {
        status = HSA_STATUS_ERROR_REFCOUNT_OVERFLOW;
    } else if (ez_rt.references == 0) {
        const char *faults = getenv("EXECZ_FAULTS");
        ez_rt.keep_going = faults && !strcmp(faults, "error");
        ez_rt.terminal = isatty(STDERR_FILENO);
        ez_rt.processors = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
        status = ez_agents_make();
        ez_trace_start();
    }
    if (status == HSA_STATUS_SUCCESS) ez_rt.references++;
    pthread_mutex_unlock(&ez_rt.lock);
    return status;
}

hsa_status_t hsa_shut_down(void) {
    EZ_NEED_INIT();
    pthread_mutex_lock(&ez_rt.lock);
    bool last = ez_rt.references == 1;
    if (!last) ez_rt.references--;
    pthread_mutex_unlock(&ez_rt.lock);
    /* Without the lock: threads that end may still call in. */
    if (last) {
        free_all();
        ez_rt.references = 0;
    }
    return HSA_STATUS_SUCCESS;
}

/* ---- the system ---- */

static void set_extensions(uint8_t bits[128]) {
    memset(bits, 0, 128);
    bits[HSA_EXTENSION_IMAGES / 8] |= 1 << HSA_EXTENSION_IMAGES % 8;
    bits[HSA_EXTENSION_AMD_LOADER / 8] |= 1 << HSA_EXTENSION_AMD_LOADER % 8;
}

/* The system's setting; here each GPU has its own. */
static bool xnack_enabled(void) {
    bool on = ez_rt.agent_count > 1;
    for (unsigned i = 1; i < ez_rt.agent_count; i++)
        on &= ez_rt.agent[i].id.xnack == EZ_SETTING_ON;
    return on;
}

hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void *value) {
    EZ_NEED_INIT();
    if (!value) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    switch ((uint32_t)attribute) {
    case HSA_SYSTEM_INFO_VERSION_MAJOR: *(uint16_t *)value = 1; break;
    case HSA_SYSTEM_INFO_VERSION_MINOR: *(uint16_t *)value = 1; break;
    case HSA_SYSTEM_INFO_TIMESTAMP: *(uint64_t *)value = ez_now(); break;
    case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY: *(uint64_t *)value = 1000000000; break;
    case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT: *(uint64_t *)value = UINT64_MAX; break;
    case HSA_SYSTEM_INFO_ENDIANNESS: *(hsa_endianness_t *)value = HSA_ENDIANNESS_LITTLE; break;
    case HSA_SYSTEM_INFO_MACHINE_MODEL: *(hsa_machine_model_t *)value = HSA_MACHINE_MODEL_LARGE; break;
    case HSA_SYSTEM_INFO_EXTENSIONS: set_extensions(value); break;
    case HSA_AMD_SYSTEM_INFO_BUILD_VERSION: *(const char **)value = ez_version(); break;
    case HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED: *(bool *)value = true; break;
    /* Kernels may use what was handed to them: a wild pointer must not pass for host memory. */
    case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT: *(bool *)value = false; break;
    case EZ_SYSTEM_MWAITX_ENABLED: *(bool *)value = false; break;
    case EZ_SYSTEM_DMABUF_SUPPORTED:
    case EZ_SYSTEM_VIRTUAL_MEM_API_SUPPORTED: *(bool *)value = true; break;
    case EZ_SYSTEM_XNACK_ENABLED: *(bool *)value = xnack_enabled(); break;
    case EZ_SYSTEM_EXT_VERSION_MAJOR: *(uint16_t *)value = EZ_INTERFACE_MAJOR; break;
    case EZ_SYSTEM_EXT_VERSION_MINOR: *(uint16_t *)value = EZ_INTERFACE_MINOR; break;
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t callback, void *data) {
    EZ_NEED_INIT();
    hsa_status_t status = HSA_STATUS_SUCCESS;
    pthread_mutex_lock(&ez_rt.lock);
    if (ez_rt.event && callback) {
        status = HSA_STATUS_ERROR;
    } else {
        ez_rt.event = callback;
        ez_rt.event_data = data;
    }
    pthread_mutex_unlock(&ez_rt.lock);
    return status;
}

/* The kernel driver's debugger looks here for loaded code objects; there is none that could. */
struct {
    int r_version;
    void *r_map;
    uint64_t r_brk;
    int r_state;
    uint64_t r_ldbase;
} _amdgpu_r_debug = {.r_version = 0};
