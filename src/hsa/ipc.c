/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory and signals that processes of one machine share: an anonymous file that the other process opens through
 * /proc. A handle says whose file it is and which; it dies with its process, as the memory does.
 */
#define _GNU_SOURCE
#include "hsa/newer.h"
#include "hsa/runtime.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct ipc_handle {
    uint32_t magic, process, file, kind;
    uint64_t size, offset;
} ipc_handle;
_Static_assert(sizeof(ipc_handle) == sizeof(hsa_amd_ipc_memory_t), "a handle has 32 bytes");
enum { MAGIC = 0x657a6970, MEMORY = 1, SIGNAL = 2 };

static int open_handle(const ipc_handle *h, unsigned kind) {
    char path[64];
    if (h->magic != MAGIC || h->kind != kind) return -1;
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/fd/%" PRIu32, h->process, h->file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    struct stat info;
    if (file >= 0 && (fstat(file, &info) || (uint64_t)info.st_size < h->size)) {
        close(file);
        return -1;
    }
    return file;
}

/* ---- memory ---- */

static bool write_all(int file, const uint8_t *from, size_t size) {
    while (size) {
        ssize_t n = write(file, from, size);
        if (n <= 0) return false;
        from += n;
        size -= (size_t)n;
    }
    return true;
}

/* Puts a file under the block's pages, with what they hold. Call with memory_lock held. */
static bool make_shared(ez_block *b) {
    if (b->file >= 0) return true;
    size_t pages = b->mapped - EZ_GRANULE;
    int file = memfd_create("execz", MFD_CLOEXEC);
    if (file < 0) return false;
    if (ftruncate(file, (off_t)pages) == 0 && write_all(file, b->base, b->size) &&
        mmap(b->base, pages, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED) {
        b->file = file;
        return true;
    }
    close(file);
    return false;
}

hsa_status_t hsa_amd_ipc_memory_create(void *pointer, size_t size, hsa_amd_ipc_memory_t *handle) {
    EZ_NEED_INIT();
    if (!pointer || !size || !handle) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&ez_rt.memory_lock);
    ez_block *b = ez_block_find(pointer);
    uint64_t offset = b ? (uint64_t)((uint8_t *)pointer - b->base) : 0;
    if (b && b->type == HSA_EXT_POINTER_TYPE_HSA && size <= b->mapped - EZ_GRANULE - offset) {
        status = make_shared(b) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
        ipc_handle h = {MAGIC, (uint32_t)getpid(), (uint32_t)b->file, MEMORY, offset + size, offset};
        if (status == HSA_STATUS_SUCCESS) memcpy(handle, &h, sizeof h);
    }
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return status;
}

hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t *handle, size_t size, uint32_t agent_count,
                                       const hsa_agent_t *agents, void **pointer) {
    EZ_NEED_INIT();
    if (!handle || !pointer || (agent_count && !agents)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint32_t access = agent_count ? 1 : UINT32_MAX;
    for (uint32_t i = 0; i < agent_count; i++) {
        const ez_agent *agent = ez_agent_of(agents[i]);
        if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
        access |= UINT32_C(1) << agent->index;
    }
    ipc_handle h;
    memcpy(&h, handle, sizeof h);
    if (h.offset > h.size || size > h.size - h.offset) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    int file = open_handle(&h, MEMORY);
    if (file < 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    ez_block *b;
    hsa_status_t status = ez_block_map(file, h.size, access, &b);
    if (status == HSA_STATUS_SUCCESS) *pointer = b->base + h.offset;
    return status;
}

hsa_status_t hsa_amd_ipc_memory_detach(void *pointer) {
    EZ_NEED_INIT();
    pthread_mutex_lock(&ez_rt.memory_lock);
    const ez_block *b = pointer ? ez_block_find(pointer) : NULL;
    void *base = b && b->type == HSA_EXT_POINTER_TYPE_IPC ? b->base : NULL;
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return base && ez_block_free(base) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

/* A file descriptor of the allocation's memory, for whoever can map it. */
hsa_status_t ez_dmabuf_export_v2(const void *pointer, size_t size, int *file, uint64_t *offset, uint64_t flags) {
    EZ_NEED_INIT();
    (void)flags;
    if (!pointer || !size || !file || !offset) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t status = HSA_STATUS_ERROR_INVALID_ALLOCATION;
    pthread_mutex_lock(&ez_rt.memory_lock);
    ez_block *b = ez_block_find(pointer);
    size_t at = b ? (size_t)((const uint8_t *)pointer - b->base) : 0;
    if (b && size <= b->mapped - EZ_GRANULE - at) {
        *file = make_shared(b) ? fcntl(b->file, F_DUPFD_CLOEXEC, 0) : -1;
        *offset = at;
        status = *file < 0 ? HSA_STATUS_ERROR_OUT_OF_RESOURCES : HSA_STATUS_SUCCESS;
    }
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return status;
}

hsa_status_t ez_dmabuf_export(const void *pointer, size_t size, int *file, uint64_t *offset) {
    return ez_dmabuf_export_v2(pointer, size, file, offset, 0);
}

hsa_status_t ez_dmabuf_close(int file) {
    EZ_NEED_INIT();
    return close(file) ? HSA_STATUS_ERROR_RESOURCE_FREE : HSA_STATUS_SUCCESS;
}

/* ---- signals: a page each ---- */

static ez_signal *map_signal(int file) {
    ez_signal *s = mmap(NULL, EZ_GRANULE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (s == MAP_FAILED) return NULL;
    for (unsigned i = 1; i < ez_rt.agent_count; i++)
        ez_grant(&ez_rt.agent[i], s, sizeof *s, "shared signal");
    return s;
}

ez_signal *ez_shared_signal_new(int64_t value) {
    int file = memfd_create("execz-signal", MFD_CLOEXEC);
    if (file < 0) return NULL;
    ez_signal *s = ftruncate(file, EZ_GRANULE) == 0 ? map_signal(file) : NULL;
    if (!s) {
        close(file);
        return NULL;
    }
    s->abi.kind = AMD_SIGNAL_KIND_USER;
    s->abi.value = value;
    s->shared = true;
    s->file = file;
    s->process = (uint32_t)getpid();
    return s;
}

void ez_shared_signal_delete(ez_signal *s) {
    for (unsigned i = 1; i < ez_rt.agent_count; i++)
        ez_device_unregister(ez_rt.agent[i].device, s);
    if (s->process == (uint32_t)getpid()) close(s->file);
    munmap(s, EZ_GRANULE);
}

hsa_status_t hsa_amd_ipc_signal_create(hsa_signal_t signal, hsa_amd_ipc_signal_t *handle) {
    EZ_NEED_INIT();
    if (!handle || !signal.handle) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const ez_signal *s = ez_signal_of(signal);
    if (!s->shared) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    ipc_handle h = {MAGIC, s->process, (uint32_t)s->file, SIGNAL, EZ_GRANULE, 0};
    memcpy(handle, &h, sizeof h);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_ipc_signal_attach(const hsa_amd_ipc_signal_t *handle, hsa_signal_t *signal) {
    EZ_NEED_INIT();
    if (!handle || !signal) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    ipc_handle h;
    memcpy(&h, handle, sizeof h);
    int file = open_handle(&h, SIGNAL);
    if (file < 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    ez_signal *s = map_signal(file);
    close(file);
    if (!s) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *signal = ez_signal_handle(s);
    return HSA_STATUS_SUCCESS;
}
