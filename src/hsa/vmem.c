/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual memory: addresses are reserved, memory is made, and one is mapped to the other. Memory is an anonymous file, so that
 * it can be at several addresses and in several processes. The CPU can use what is mapped whether it has been given
 * access or not, for kernels are run by the CPU; kernels use what their agent was given.
 */
#define _GNU_SOURCE
#include "hsa/newer.h"
#include "hsa/runtime.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A handle is the address of one. It lives as long as it has handles or mappings. */
typedef struct memory {
    ez_pool *pool;
    size_t size;
    uint32_t type;
    int file;
    unsigned handles, mappings;
    struct memory *next;
} memory;

typedef struct mapping {
    uint8_t *base;
    size_t size;
    memory *memory;
    hsa_access_permission_t access[EZ_MAX_AGENTS]; /* NONE, RO, RW (WO counts as RW) */
    bool given[EZ_MAX_AGENTS];                     /* whether it was ever said */
    struct mapping *next;
} mapping;

typedef struct reservation {
    uint8_t *base;
    size_t size;
    uint8_t *block; /* what munmap() takes: alignment asks for more */
    size_t block_size;
    struct reservation *next;
} reservation;

struct ez_vmem {
    memory *memories;
    mapping *mappings;
    reservation *reservations;
};

#define VMEM (ez_rt.vmem)

static bool whole_pages(size_t size) {
    return size && size % EZ_GRANULE == 0;
}

static bool inside(const void *address, size_t size, const uint8_t *base, size_t room) {
    size_t offset = (uintptr_t)address - (uintptr_t)base;
    return offset < room && size <= room - offset;
}

/* The state, made when it is first needed. Call with memory_lock held, as all that follows. */
static bool have_state(void) {
    if (!VMEM) VMEM = calloc(1, sizeof *VMEM);
    return VMEM != NULL;
}

/* ---- addresses ---- */

static void drop_reservation(reservation *r) {
    munmap(r->block, r->block_size);
    free(r);
}

static reservation *new_reservation(size_t size, uint64_t wanted, size_t alignment) {
    reservation *r = calloc(1, sizeof *r);
    size_t more = alignment > EZ_GRANULE ? alignment - EZ_GRANULE : 0;
    if (!r || size > SIZE_MAX - more) {
        free(r);
        return NULL;
    }
    r->size = size;
    r->block_size = size + more;
    r->block = mmap((void *)(uintptr_t)wanted, r->block_size, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (r->block == MAP_FAILED) {
        free(r);
        return NULL;
    }
    r->base = r->block + (-(uintptr_t)r->block & (alignment - 1));
    return r;
}

hsa_status_t ez_vmem_reserve_align(void **address, size_t size, uint64_t wanted, uint64_t alignment,
                                   uint64_t flags) {
    EZ_NEED_INIT();
    (void)flags;
    if (!alignment) alignment = EZ_GRANULE;
    if (!address || !whole_pages(size) || alignment < EZ_GRANULE || alignment & (alignment - 1))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    reservation *r = new_reservation(size, wanted, alignment);
    if (!r) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    pthread_mutex_lock(&ez_rt.memory_lock);
    bool ok = have_state();
    if (ok) {
        r->next = VMEM->reservations;
        VMEM->reservations = r;
        *address = r->base;
    }
    pthread_mutex_unlock(&ez_rt.memory_lock);
    if (ok) return HSA_STATUS_SUCCESS;
    drop_reservation(r);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t ez_vmem_reserve(void **address, size_t size, uint64_t wanted, uint64_t flags) {
    return ez_vmem_reserve_align(address, size, wanted, 0, flags);
}

static mapping *mapping_within(const uint8_t *base, size_t size) {
    for (mapping *m = VMEM ? VMEM->mappings : NULL; m; m = m->next)
        if (inside(m->base, 1, base, size)) return m;
    return NULL;
}

hsa_status_t ez_vmem_free(void *address, size_t size) {
    EZ_NEED_INIT();
    hsa_status_t status = HSA_STATUS_ERROR_INVALID_ALLOCATION;
    pthread_mutex_lock(&ez_rt.memory_lock);
    for (reservation **r = VMEM ? &VMEM->reservations : NULL; r && *r; r = &(*r)->next) {
        reservation *found = *r;
        if (found->base != address) continue;
        status = found->size != size                 ? HSA_STATUS_ERROR_INVALID_ARGUMENT
                 : mapping_within(found->base, size) ? HSA_STATUS_ERROR_RESOURCE_FREE
                                                     : HSA_STATUS_SUCCESS;
        if (status == HSA_STATUS_SUCCESS) {
            *r = found->next;
            drop_reservation(found);
        }
        break;
    }
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return status;
}

/* ---- memory ---- */

static memory *memory_of(ez_vmem_handle handle) {
    for (memory *m = VMEM ? VMEM->memories : NULL; m; m = m->next)
        if ((uint64_t)(uintptr_t)m == handle.handle && m->handles) return m;
    return NULL;
}

static void drop_unused(memory *gone) {
    if (gone->handles || gone->mappings) return;
    memory **m = &VMEM->memories;
    while (*m != gone)
        m = &(*m)->next;
    *m = gone->next;
    close(gone->file);
    free(gone);
}

/* Owns the file, which is closed on failure. */
static hsa_status_t new_memory(ez_pool *pool, int file, size_t size, uint32_t type, ez_vmem_handle *handle) {
    memory *m = file >= 0 ? calloc(1, sizeof *m) : NULL;
    pthread_mutex_lock(&ez_rt.memory_lock);
    bool ok = m && have_state();
    if (ok) {
        *m = (memory){
            .pool = pool, .size = size, .type = type, .file = file, .handles = 1, .next = VMEM->memories};
        VMEM->memories = m;
        handle->handle = (uint64_t)(uintptr_t)m;
    }
    pthread_mutex_unlock(&ez_rt.memory_lock);
    if (ok) return HSA_STATUS_SUCCESS;
    if (file >= 0) close(file);
    free(m);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

hsa_status_t ez_vmem_create(hsa_amd_memory_pool_t pool_handle, size_t size, uint32_t type, uint64_t flags,
                            ez_vmem_handle *handle) {
    EZ_NEED_INIT();
    (void)flags;
    ez_pool *pool = ez_pool_of(pool_handle.handle);
    if (!pool || !handle || !whole_pages(size)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (pool->segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    if (size > pool->size) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    int file = memfd_create("execz", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, (off_t)size)) {
        close(file);
        file = -1;
    }
    return new_memory(pool, file, size, type, handle);
}

hsa_status_t ez_vmem_release(ez_vmem_handle handle) {
    EZ_NEED_INIT();
    pthread_mutex_lock(&ez_rt.memory_lock);
    memory *m = memory_of(handle);
    if (m) {
        m->handles--;
        drop_unused(m);
    }
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return m ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

hsa_status_t ez_vmem_properties(ez_vmem_handle handle, hsa_amd_memory_pool_t *pool, uint32_t *type) {
    EZ_NEED_INIT();
    if (!pool || !type) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&ez_rt.memory_lock);
    const memory *m = memory_of(handle);
    if (m) {
        pool->handle = (uint64_t)(uintptr_t)m->pool;
        *type = m->type;
    }
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return m ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

/* ---- mappings ---- */

static mapping *mapping_at(const void *address) {
    for (mapping *m = VMEM ? VMEM->mappings : NULL; m; m = m->next)
        if (inside(address, 1, m->base, m->size)) return m;
    return NULL;
}

static bool is_reserved(const void *address, size_t size) {
    for (const reservation *r = VMEM ? VMEM->reservations : NULL; r; r = r->next)
        if (inside(address, size, r->base, r->size)) return true;
    return false;
}

static bool overlaps(const uint8_t *base, size_t size) {
    return mapping_at(base) || mapping_within(base, size);
}

static hsa_status_t map(uint8_t *base, size_t size, size_t offset, memory *from) {
    mapping *m = calloc(1, sizeof *m);
    if (!m) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *m = (mapping){.base = base, .size = size, .memory = from, .next = VMEM->mappings};
    if (mmap(base, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, from->file, (off_t)offset) ==
        MAP_FAILED) {
        free(m);
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    from->mappings++;
    VMEM->mappings = m;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t ez_vmem_map(void *address, size_t size, size_t offset, ez_vmem_handle handle, uint64_t flags) {
    EZ_NEED_INIT();
    (void)flags;
    hsa_status_t status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&ez_rt.memory_lock);
    memory *from = memory_of(handle);
    bool good = from && whole_pages(size) && (uintptr_t)address % EZ_GRANULE == 0 &&
                offset % EZ_GRANULE == 0 && offset < from->size && size <= from->size - offset;
    if (good && is_reserved(address, size) && !overlaps(address, size))
        status = map(address, size, offset, from);
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return status;
}

/* Takes the mapping from an agent, or gives it to it. */
static bool give(mapping *m, unsigned index, hsa_access_permission_t access) {
    ez_device *device = ez_rt.agent[index].device;
    bool had = m->access[index] != EZ_NO_ACCESS, gets = access != EZ_NO_ACCESS;
    unsigned flags = access == HSA_ACCESS_PERMISSION_RO ? EZ_MEMORY_READ : EZ_MEMORY_READ | EZ_MEMORY_WRITE;
    m->given[index] = true;
    if (m->access[index] == access) return true;
    if (device && had) ez_device_unregister(device, m->base);
    m->access[index] = EZ_NO_ACCESS;
    if (device && gets &&
        ez_device_register(device, m->base, m->size, flags, "virtual memory", NULL) != EZ_OK)
        return false;
    m->access[index] = access;
    return true;
}

static void unmap(mapping **place) {
    mapping *m = *place;
    for (unsigned i = 0; i < ez_rt.agent_count; i++)
        give(m, i, EZ_NO_ACCESS);
    mmap(m->base, m->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    m->memory->mappings--;
    drop_unused(m->memory);
    *place = m->next;
    free(m);
}

hsa_status_t ez_vmem_unmap(void *address, size_t size) {
    EZ_NEED_INIT();
    hsa_status_t status = HSA_STATUS_ERROR_INVALID_ALLOCATION;
    pthread_mutex_lock(&ez_rt.memory_lock);
    for (mapping **m = VMEM ? &VMEM->mappings : NULL; m && *m; m = &(*m)->next) {
        if ((*m)->base != address) continue;
        status = (*m)->size == size ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
        if (status == HSA_STATUS_SUCCESS) unmap(m);
        break;
    }
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return status;
}

/* The bytes of mappings that lie whole in a range; access is set for all of them or, where they do not fill it, none. */
static size_t mapped_bytes(const uint8_t *base, size_t size) {
    size_t bytes = 0;
    for (const mapping *m = VMEM ? VMEM->mappings : NULL; m; m = m->next)
        if (inside(m->base, m->size, base, size)) bytes += m->size;
    return bytes;
}

static hsa_status_t set_access(const uint8_t *base, size_t size, const ez_vmem_access *access, size_t count) {
    for (mapping *m = VMEM->mappings; m; m = m->next) {
        if (!inside(m->base, m->size, base, size)) continue;
        for (size_t i = 0; i < count; i++) {
            hsa_access_permission_t wanted = access[i].permissions;
            if (wanted == HSA_ACCESS_PERMISSION_WO) wanted = HSA_ACCESS_PERMISSION_RW;
            if (!give(m, ez_agent_of(access[i].agent)->index, wanted))
                return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
        }
    }
    return HSA_STATUS_SUCCESS;
}

hsa_status_t ez_vmem_set_access(void *address, size_t size, const ez_vmem_access *access, size_t count) {
    EZ_NEED_INIT();
    if (!size || !access || !count) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < count; i++) {
        if (!ez_agent_of(access[i].agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
        if ((unsigned)access[i].permissions > HSA_ACCESS_PERMISSION_RW)
            return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    hsa_status_t status;
    pthread_mutex_lock(&ez_rt.memory_lock);
    if (!mapping_at(address)) status = HSA_STATUS_ERROR_INVALID_ALLOCATION;
    else if (mapped_bytes(address, size) != size) status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
    else status = set_access(address, size, access, count);
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return status;
}

hsa_status_t ez_vmem_get_access(void *address, hsa_access_permission_t *access, hsa_agent_t handle) {
    EZ_NEED_INIT();
    const ez_agent *agent = ez_agent_of(handle);
    if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!access) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&ez_rt.memory_lock);
    const mapping *m = mapping_at(address);
    bool known = m && m->given[agent->index];
    if (known) *access = m->access[agent->index];
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return known ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

hsa_status_t ez_vmem_retain(ez_vmem_handle *handle, void *address) {
    EZ_NEED_INIT();
    if (!handle) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&ez_rt.memory_lock);
    const mapping *m = mapping_at(address);
    if (m) {
        m->memory->handles++;
        handle->handle = (uint64_t)(uintptr_t)m->memory;
    }
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return m ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

/* ---- other processes ---- */

hsa_status_t ez_vmem_export(int *file, ez_vmem_handle handle, uint64_t flags) {
    EZ_NEED_INIT();
    (void)flags;
    if (!file) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&ez_rt.memory_lock);
    const memory *m = memory_of(handle);
    int own = m ? fcntl(m->file, F_DUPFD_CLOEXEC, 0) : -1;
    pthread_mutex_unlock(&ez_rt.memory_lock);
    if (!m) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    if (own < 0) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *file = own;
    return HSA_STATUS_SUCCESS;
}

/* Whose pool the memory is from is not in the file: it counts as the first GPU's. */
hsa_status_t ez_vmem_import(int file, ez_vmem_handle *handle) {
    EZ_NEED_INIT();
    struct stat info;
    if (!handle) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (fstat(file, &info) || !S_ISREG(info.st_mode) || !whole_pages((size_t)info.st_size))
        return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    return new_memory(&ez_rt.agent[1].pool[0], fcntl(file, F_DUPFD_CLOEXEC, 0), (size_t)info.st_size, 0,
                      handle);
}

/* ---- for the other files ---- */

bool ez_vmem_find(const void *address, ez_vmem_view *view) {
    const mapping *m = mapping_at(address);
    if (m) {
        *view = (ez_vmem_view){.base = m->base, .size = m->size, .pool = m->memory->pool};
        for (unsigned i = 0; i < ez_rt.agent_count; i++)
            if (m->access[i] != EZ_NO_ACCESS) view->access |= UINT32_C(1) << i;
        return true;
    }
    for (const reservation *r = VMEM ? VMEM->reservations : NULL; r; r = r->next)
        if (inside(address, 1, r->base, r->size)) {
            *view = (ez_vmem_view){.base = r->base, .size = r->size};
            return true;
        }
    return false;
}

void ez_vmem_end(void) {
    if (!VMEM) return;
    while (VMEM->mappings)
        unmap(&VMEM->mappings);
    while (VMEM->memories) {
        VMEM->memories->handles = 0;
        drop_unused(VMEM->memories);
    }
    while (VMEM->reservations) {
        reservation *r = VMEM->reservations;
        VMEM->reservations = r->next;
        drop_reservation(r);
    }
    free(VMEM);
    VMEM = NULL;
}
