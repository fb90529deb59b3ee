/* SPDX-License-Identifier: Apache-2.0 */
/* User-mode queues: a ring of packets, a doorbell, and a thread that processes what is in the ring. */
#define _GNU_SOURCE
#include "device/device_internal.h"
#include "hsa/newer.h"
#include "hsa/runtime.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PACKET_BYTES = 64, MAX_PACKETS = 1 << 20 };

/* ---- the thread ---- */

static void *work(void *argument) {
    ez_queue *q = argument;
    while (!atomic_load(&q->stop)) {
        if (ez_queue_step(q)) continue;
        unsigned sequence = ez_signal_enlist(q->doorbell);
        /* Looked at again, for the client may have written since. */
        bool idle = !atomic_load(&q->stop) && !ez_queue_ready(q);
        if (idle) ez_signal_sleep(q->doorbell, sequence);
        ez_signal_dismiss(q->doorbell);
    }
    return NULL;
}

/* ---- making ---- */

static void fill_abi(ez_queue *q, hsa_queue_type32_t type, uint32_t features, uint32_t size, uint64_t id) {
    q->abi.hsa_queue = (hsa_queue_t){.type = type,
                                     .features = features,
                                     .base_address = q + 1,
                                     .doorbell_signal = ez_signal_handle(q->doorbell),
                                     .size = size,
                                     .id = id};
    q->abi.group_segment_aperture_base_hi = EZ_SHARED_APERTURE >> 32;
    q->abi.private_segment_aperture_base_hi = EZ_PRIVATE_APERTURE >> 32;
    q->abi.read_dispatch_id_field_base_byte_offset = offsetof(amd_queue_t, read_dispatch_id);
    q->abi.queue_properties = AMD_QUEUE_PROPERTIES_IS_PTR64;
    memset(q->cu_mask, 0xff, sizeof q->cu_mask);
    /* The type of a packet that is not there yet is INVALID, not 0. */
    for (uint32_t i = 0; i < size; i++)
        ((uint16_t *)(void *)((uint8_t *)(q + 1) + (size_t)i * PACKET_BYTES))[0] = HSA_PACKET_TYPE_INVALID;
}

/* The queue with its ring behind it, in one mapping that kernels of the agent may look at. */
static ez_queue *make(ez_agent *agent, ez_signal *doorbell, hsa_queue_type32_t type, uint32_t features,
                      uint32_t size) {
    _Static_assert(sizeof(ez_queue) % PACKET_BYTES == 0, "the ring is behind the queue");
    size_t bytes = sizeof(ez_queue) + (size_t)size * PACKET_BYTES;
    ez_queue *q = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (q == MAP_FAILED) return NULL;
    q->mapped = bytes;
    q->agent = agent;
    q->doorbell = doorbell;
    pthread_mutex_lock(&ez_rt.lock);
    fill_abi(q, type, features, size, ++ez_rt.queue_ids);
    q->next = ez_rt.queues;
    ez_rt.queues = q;
    pthread_mutex_unlock(&ez_rt.lock);
    if (agent) ez_grant(agent, q, bytes, "queue");
    return q;
}

static bool good_size(uint32_t size) {
    return size && size <= MAX_PACKETS && !(size & (size - 1));
}

hsa_status_t hsa_queue_create(hsa_agent_t handle, uint32_t size, hsa_queue_type32_t type,
                              ez_queue_error callback, void *data, uint32_t private_size, uint32_t group_size,
                              hsa_queue_t **queue) {
    EZ_NEED_INIT();
    (void)private_size; /* hints: scratch and LDS are found for each dispatch */
    (void)group_size;
    ez_agent *agent = ez_agent_of(handle);
    if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!queue || !good_size(size) || type > HSA_QUEUE_TYPE_COOPERATIVE)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!agent->device) return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
    ez_signal *doorbell = ez_signal_new(-1);
    ez_queue *q = doorbell ? make(agent, doorbell, type, HSA_QUEUE_FEATURE_KERNEL_DISPATCH, size) : NULL;
    if (!q) {
        if (doorbell) ez_signal_delete(doorbell);
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    q->error = callback;
    q->error_data = data;
    q->threaded = pthread_create(&q->thread, NULL, work, q) == 0;
    if (!q->threaded) {
        hsa_queue_destroy(&q->abi.hsa_queue);
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    *queue = &q->abi.hsa_queue;
    return HSA_STATUS_SUCCESS;
}

/* A queue whose packets the client processes itself. */
hsa_status_t hsa_soft_queue_create(hsa_region_t region, uint32_t size, hsa_queue_type32_t type,
                                   uint32_t features, hsa_signal_t doorbell, hsa_queue_t **queue) {
    EZ_NEED_INIT();
    if (!ez_pool_of(region.handle)) return HSA_STATUS_ERROR_INVALID_REGION;
    if (!queue || !good_size(size) || !features || type > HSA_QUEUE_TYPE_COOPERATIVE)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!doorbell.handle) return HSA_STATUS_ERROR_INVALID_SIGNAL;
    ez_queue *q = make(NULL, ez_signal_of(doorbell), type, features, size);
    if (!q) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    for (unsigned i = 1; i < ez_rt.agent_count; i++) /* kernels may write packets */
        ez_grant(&ez_rt.agent[i], q, q->mapped, "soft queue");
    *queue = &q->abi.hsa_queue;
    return HSA_STATUS_SUCCESS;
}

/* ---- ending ---- */

static void stop(ez_queue *q) {
    atomic_store(&q->stop, true);
    ez_signal_notify(q->doorbell);
}

hsa_status_t hsa_queue_inactivate(hsa_queue_t *queue) {
    EZ_NEED_INIT();
    if (!queue) return HSA_STATUS_ERROR_INVALID_QUEUE;
    stop((ez_queue *)queue);
    return HSA_STATUS_SUCCESS;
}

static void destroy(ez_queue *q) {
    stop(q);
    if (q->threaded) {
        if (pthread_equal(q->thread, pthread_self())) pthread_detach(q->thread); /* from its error callback */
        else pthread_join(q->thread, NULL);
    }
    for (unsigned i = 1; i < ez_rt.agent_count; i++)
        if (!q->agent || q->agent == &ez_rt.agent[i]) ez_device_unregister(ez_rt.agent[i].device, q);
    if (q->agent) ez_signal_delete(q->doorbell);
    munmap(q, q->mapped);
}

hsa_status_t hsa_queue_destroy(hsa_queue_t *queue) {
    EZ_NEED_INIT();
    ez_queue *found = NULL;
    pthread_mutex_lock(&ez_rt.lock);
    for (ez_queue **q = &ez_rt.queues; *q && !found; q = &(*q)->next)
        if (&(*q)->abi.hsa_queue == queue) {
            found = *q;
            *q = found->next;
            break;
        }
    pthread_mutex_unlock(&ez_rt.lock);
    if (!found) return HSA_STATUS_ERROR_INVALID_QUEUE;
    destroy(found);
    return HSA_STATUS_SUCCESS;
}

void ez_queues_free(void) {
    while (ez_rt.queues) {
        ez_queue *q = ez_rt.queues;
        ez_rt.queues = q->next;
        destroy(q);
    }
}

/* ---- properties ---- */

/* Workgroups run on the host's processors: a mask and a priority are kept, and change nothing. */
hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t *queue, uint32_t count, const uint32_t *mask) {
    EZ_NEED_INIT();
    ez_queue *q = (ez_queue *)(uintptr_t)queue;
    if (!q || !q->agent) return HSA_STATUS_ERROR_INVALID_QUEUE;
    if (count % 32 || (count && !mask)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint32_t words = count / 32 < 32 ? count / 32 : 32;
    memset(q->cu_mask, count ? 0 : 0xff, sizeof q->cu_mask);
    if (words) memcpy(q->cu_mask, mask, words * sizeof *mask);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t *queue, uint32_t count, uint32_t *mask) {
    EZ_NEED_INIT();
    const ez_queue *q = (const ez_queue *)queue;
    if (!q || !q->agent) return HSA_STATUS_ERROR_INVALID_QUEUE;
    if (count == 0 || count % 32 || !mask) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < count / 32; i++) {
        uint32_t first = 32 * i, units = q->agent->board->compute_units;
        uint32_t real = first >= units        ? 0
                        : units - first >= 32 ? UINT32_MAX
                                              : (UINT32_C(1) << (units - first)) - 1;
        mask[i] = i < 32 ? q->cu_mask[i] & real : 0;
    }
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t *queue, hsa_amd_queue_priority_t priority) {
    EZ_NEED_INIT();
    if (!queue) return HSA_STATUS_ERROR_INVALID_QUEUE;
    return priority <= HSA_AMD_QUEUE_PRIORITY_HIGH ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t ez_queue_info(hsa_queue_t *queue, uint32_t attribute, void *value) {
    EZ_NEED_INIT();
    const ez_queue *q = (const ez_queue *)queue;
    if (!q || !q->agent) return HSA_STATUS_ERROR_INVALID_QUEUE;
    if (!value) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    switch (attribute) {
    case EZ_QUEUE_AGENT: *(hsa_agent_t *)value = ez_agent_handle(q->agent); break;
    case EZ_QUEUE_DOORBELL_ID: *(uint64_t *)value = queue->doorbell_signal.handle; break;
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

hsa_status_t ez_scratch_limit(hsa_agent_t agent, size_t limit) {
    EZ_NEED_INIT();
    (void)limit; /* nothing is kept between dispatches */
    const ez_agent *a = ez_agent_of(agent);
    return a && a->device ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_AGENT;
}

hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t *queue, int enable) {
    EZ_NEED_INIT();
    if (!queue) return HSA_STATUS_ERROR_INVALID_QUEUE;
    (void)enable; /* times are always taken */
    return HSA_STATUS_SUCCESS;
}

/* ---- indices ---- */

#define WRITE_INDEX(queue) (&((ez_queue *)(uintptr_t)(queue))->abi.write_dispatch_id)
#define READ_INDEX(queue) (&((ez_queue *)(uintptr_t)(queue))->abi.read_dispatch_id)

#define LOADS(name, order)                                                                                   \
    uint64_t hsa_queue_load_read_index_##name(const hsa_queue_t *queue) {                                    \
        return __atomic_load_n(READ_INDEX(queue), order);                                                    \
    }                                                                                                        \
    uint64_t hsa_queue_load_write_index_##name(const hsa_queue_t *queue) {                                   \
        return __atomic_load_n(WRITE_INDEX(queue), order);                                                   \
    }
LOADS(relaxed, __ATOMIC_RELAXED)
LOADS(scacquire, __ATOMIC_ACQUIRE)
LOADS(acquire, __ATOMIC_ACQUIRE)

#define STORES(name, order)                                                                                  \
    void hsa_queue_store_read_index_##name(const hsa_queue_t *queue, uint64_t value) {                       \
        __atomic_store_n(READ_INDEX(queue), value, order);                                                   \
    }                                                                                                        \
    void hsa_queue_store_write_index_##name(const hsa_queue_t *queue, uint64_t value) {                      \
        __atomic_store_n(WRITE_INDEX(queue), value, order);                                                  \
    }
STORES(relaxed, __ATOMIC_RELAXED)
STORES(screlease, __ATOMIC_RELEASE)
STORES(release, __ATOMIC_RELEASE)

#define CHANGES(name, order)                                                                                 \
    uint64_t hsa_queue_add_write_index_##name(const hsa_queue_t *queue, uint64_t value) {                    \
        return __atomic_fetch_add(WRITE_INDEX(queue), value, order);                                         \
    }                                                                                                        \
    uint64_t hsa_queue_cas_write_index_##name(const hsa_queue_t *queue, uint64_t expected, uint64_t value) { \
        __atomic_compare_exchange_n(WRITE_INDEX(queue), &expected, value, false, order, __ATOMIC_RELAXED);   \
        return expected;                                                                                     \
    }
CHANGES(relaxed, __ATOMIC_RELAXED)
CHANGES(scacquire, __ATOMIC_ACQUIRE)
CHANGES(acquire, __ATOMIC_ACQUIRE)
CHANGES(screlease, __ATOMIC_RELEASE)
CHANGES(release, __ATOMIC_RELEASE)
CHANGES(scacq_screl, __ATOMIC_ACQ_REL)
CHANGES(acq_rel, __ATOMIC_ACQ_REL)
