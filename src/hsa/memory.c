/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory from pools and regions. It is host memory at its own address; what makes it an agent's is that the
 * agent's device knows the range. Behind each allocation lies a page that nobody may touch.
 */
#define _GNU_SOURCE
#include "hsa/newer.h"
#include "hsa/runtime.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the sorted table of blocks; call with memory_lock held ---- */

static size_t first_behind(const void *address) {
    size_t low = 0, high = ez_rt.block_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((uintptr_t)ez_rt.block[middle]->base <= (uintptr_t)address) low = middle + 1;
        else high = middle;
    }
    return low;
}

ez_block *ez_block_find(const void *address) {
    size_t at = first_behind(address);
    if (at == 0) return NULL;
    ez_block *b = ez_rt.block[at - 1];
    return (uintptr_t)address - (uintptr_t)b->base < b->size ? b : NULL;
}

static bool insert(ez_block *block) {
    if (ez_rt.block_count == ez_rt.block_room) {
        size_t room = ez_rt.block_room ? 2 * ez_rt.block_room : 64;
        ez_block **grown = realloc(ez_rt.block, room * sizeof *grown);
        if (!grown) return false;
        ez_rt.block = grown;
        ez_rt.block_room = room;
    }
    size_t at = first_behind(block->base);
    memmove(ez_rt.block + at + 1, ez_rt.block + at, (ez_rt.block_count - at) * sizeof *ez_rt.block);
    ez_rt.block[at] = block;
    ez_rt.block_count++;
    return true;
}

/* ---- access ---- */

bool ez_grant(ez_agent *agent, void *base, size_t size, const char *label) {
    if (!agent->device) return true;
    return ez_device_register(agent->device, base, size, EZ_MEMORY_READ | EZ_MEMORY_WRITE, label, NULL) ==
           EZ_OK;
}

static const char *label_of(const ez_block *block) {
    if (!block->pool) return "shared memory";
    if (block->pool->agent->device) return "device memory";
    return block->pool->flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT ? "kernarg memory"
                                                                             : "host memory";
}

/* Gives the block to the agents of the set that do not have it, and takes it from the others. */
static bool set_access(ez_block *block, uint32_t access) {
    bool ok = true;
    for (unsigned i = 1; i < ez_rt.agent_count; i++) {
        uint32_t bit = UINT32_C(1) << i;
        if ((block->access & bit) == (access & bit)) continue;
        if (access & bit) {
            if (!ez_grant(&ez_rt.agent[i], block->base, block->size, label_of(block))) {
                ok = false;
                access &= ~bit;
            }
        } else {
            ez_device_unregister(ez_rt.agent[i].device, block->base);
        }
    }
    block->access = access;
    return ok;
}

/* ---- blocks ---- */

static void release(ez_block *b) {
    if (b->file >= 0) close(b->file);
    if (b->base != MAP_FAILED) munmap(b->base, b->mapped);
    free(b);
}

/* AMD's driver aligns to the greatest power of two in the size, up to a huge page. The device library's heap relies on it:
 * free() in a kernel finds the slab of 2 MiB by the upper bits of an address. */
static size_t alignment_of(size_t size) {
    const size_t huge_page = (size_t)2 << 20;
    size_t alignment = EZ_GRANULE;
    while (alignment < huge_page && size >= alignment * 2)
        alignment *= 2;
    return alignment;
}

/* Addresses, multiples of the granule, that nobody may touch yet; or MAP_FAILED. */
static void *reserve(size_t size, size_t alignment) {
    size_t room = size + alignment - EZ_GRANULE;
    char *start = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) return MAP_FAILED;
    size_t before = (alignment - (uintptr_t)start % alignment) % alignment, behind = room - before - size;
    if (before) munmap(start, before);
    if (behind) munmap(start + before + size, behind);
    return start + before;
}

/* Maps, with a page behind that nobody may touch, and enters into the table. Owns the file. */
static hsa_status_t make(ez_pool *pool, int file, size_t size, uint32_t access, ez_block **out) {
    *out = NULL;
    size_t pages = (size + EZ_GRANULE - 1) & ~(size_t)(EZ_GRANULE - 1);
    ez_block *b = calloc(1, sizeof *b);
    if (!b) {
        if (file >= 0) close(file);
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    *b = (ez_block){.size = size,
                    .mapped = pages + EZ_GRANULE,
                    .file = file,
                    .type = pool ? HSA_EXT_POINTER_TYPE_HSA : HSA_EXT_POINTER_TYPE_IPC,
                    .pool = pool};
    b->base = reserve(b->mapped, alignment_of(size));
    int flags = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    bool ok = b->base != MAP_FAILED &&
              mmap(b->base, pages, PROT_READ | PROT_WRITE, flags | MAP_FIXED, file, 0) != MAP_FAILED;
    pthread_mutex_lock(&ez_rt.memory_lock);
    ok = ok && insert(b);
    if (ok) set_access(b, access);
    pthread_mutex_unlock(&ez_rt.memory_lock);
    if (!ok) {
        release(b);
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    *out = b;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t ez_block_new(ez_pool *pool, size_t size, uint32_t access, ez_block **out) {
    *out = NULL;
    if (size == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (size > pool->size || size > SIZE_MAX - 2 * EZ_GRANULE) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    return make(pool, -1, size, access | UINT32_C(1) << pool->agent->index, out);
}

hsa_status_t ez_block_map(int file, size_t size, uint32_t access, ez_block **out) {
    return make(NULL, file, size, access, out);
}

bool ez_block_free(const void *base) {
    pthread_mutex_lock(&ez_rt.memory_lock);
    size_t at = first_behind(base);
    ez_block *b = at && ez_rt.block[at - 1]->base == base ? ez_rt.block[at - 1] : NULL;
    if (b) {
        set_access(b, 0);
        memmove(ez_rt.block + at - 1, ez_rt.block + at, (ez_rt.block_count - at) * sizeof *ez_rt.block);
        ez_rt.block_count--;
    }
    pthread_mutex_unlock(&ez_rt.memory_lock);
    if (!b) return false;
    if (b->freed) b->freed(b->base, b->freed_data);
    release(b);
    return true;
}

uint64_t ez_memory_available(const ez_agent *agent) {
    uint64_t size = 0;
    for (unsigned i = 0; i < agent->pool_count; i++) /* a CPU's pools are all of the same memory */
        if (agent->pool[i].segment == HSA_AMD_SEGMENT_GLOBAL) size = agent->pool[i].size;
    pthread_mutex_lock(&ez_rt.memory_lock);
    for (size_t i = 0; i < ez_rt.block_count; i++) {
        const ez_block *b = ez_rt.block[i];
        if (b->pool && b->pool->agent == agent) size -= b->size < size ? b->size : size;
    }
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return size;
}

void ez_blocks_free(void) {
    for (size_t i = 0; i < ez_rt.block_count; i++) {
        set_access(ez_rt.block[i], 0);
        release(ez_rt.block[i]);
    }
    free(ez_rt.block);
    ez_rt.block = NULL;
    ez_rt.block_count = ez_rt.block_room = 0;
}

/* ---- pools ---- */

hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t handle, size_t size, uint32_t flags,
                                          void **pointer) {
    EZ_NEED_INIT();
    (void)flags; /* reserved; newer clients ask for executable or contiguous memory, which all of it is */
    ez_pool *pool = ez_pool_of(handle.handle);
    if (!pool) return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    if (!pointer) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (pool->segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    ez_block *block;
    hsa_status_t status = ez_block_new(pool, size, 0, &block);
    *pointer = block ? block->base : NULL;
    return status;
}

hsa_status_t hsa_amd_memory_pool_free(void *pointer) {
    EZ_NEED_INIT();
    if (!pointer) return HSA_STATUS_SUCCESS;
    return ez_block_free(pointer) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

/* The agents of the list get access, others lose it; the pool's own keeps it. */
hsa_status_t hsa_amd_agents_allow_access(uint32_t count, const hsa_agent_t *agents, const uint32_t *flags,
                                         const void *pointer) {
    EZ_NEED_INIT();
    if (flags || !agents || !count || !pointer) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint32_t access = 0;
    for (uint32_t i = 0; i < count; i++) {
        const ez_agent *agent = ez_agent_of(agents[i]);
        if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
        access |= UINT32_C(1) << agent->index;
    }
    hsa_status_t status = HSA_STATUS_ERROR_INVALID_ALLOCATION;
    pthread_mutex_lock(&ez_rt.memory_lock);
    ez_block *b = ez_block_find(pointer);
    if (b) {
        if (b->pool) access |= UINT32_C(1) << b->pool->agent->index;
        status = set_access(b, access) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return status;
}

hsa_status_t hsa_amd_memory_pool_can_migrate(hsa_amd_memory_pool_t from, hsa_amd_memory_pool_t to,
                                             bool *result) {
    EZ_NEED_INIT();
    if (!ez_pool_of(from.handle) || !ez_pool_of(to.handle))
        return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    if (!result) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = false;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_migrate(const void *pointer, hsa_amd_memory_pool_t pool, uint32_t flags) {
    EZ_NEED_INIT();
    if (!pointer || flags) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!ez_pool_of(pool.handle)) return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES; /* as hsa_amd_memory_pool_can_migrate says */
}

/* ---- regions ---- */

hsa_status_t hsa_memory_allocate(hsa_region_t region, size_t size, void **pointer) {
    EZ_NEED_INIT();
    ez_pool *pool = ez_pool_of(region.handle);
    if (!pool) return HSA_STATUS_ERROR_INVALID_REGION;
    if (!pointer || !size) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (pool->segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_ERROR_INVALID_ALLOCATION;
    /* Of the regions of a GPU some are in host memory: they are for all agents. */
    ez_block *block;
    hsa_status_t status = ez_block_new(pool, size, pool->agent->device ? 0 : UINT32_MAX, &block);
    *pointer = block ? block->base : NULL;
    return status;
}

hsa_status_t hsa_memory_free(void *pointer) {
    return hsa_amd_memory_pool_free(pointer);
}

hsa_status_t hsa_memory_assign_agent(void *pointer, hsa_agent_t agent, hsa_access_permission_t access) {
    EZ_NEED_INIT();
    if (!pointer || access < HSA_ACCESS_PERMISSION_RO || access > HSA_ACCESS_PERMISSION_RW)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return ez_agent_of(agent) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_AGENT;
}

/* ---- what is known of a pointer ---- */

static hsa_status_t list_agents(uint32_t access, void *(*alloc)(size_t), uint32_t *count,
                                hsa_agent_t **list) {
    if (!alloc || !count || !list) return HSA_STATUS_SUCCESS;
    *count = 0;
    *list = alloc(EZ_MAX_AGENTS * sizeof **list);
    if (!*list) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    for (unsigned i = 0; i < ez_rt.agent_count; i++)
        if (access >> i & 1) (*list)[(*count)++] = ez_agent_handle(&ez_rt.agent[i]);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_pointer_info(const void *pointer, hsa_amd_pointer_info_t *info, void *(*alloc)(size_t),
                                  uint32_t *agent_count, hsa_agent_t **agents) {
    EZ_NEED_INIT();
    if (!pointer || !info || info->size < offsetof(hsa_amd_pointer_info_t, agentBaseAddress))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_amd_pointer_info_t known = {.size = info->size < sizeof known ? info->size : sizeof known,
                                    .type = HSA_EXT_POINTER_TYPE_UNKNOWN};
    uint32_t access = 0;
    ez_host_view view;
    ez_vmem_view vmem;
    pthread_mutex_lock(&ez_rt.memory_lock);
    const ez_block *b = ez_block_find(pointer);
    if (b) {
        access = b->access;
        known.type = b->type;
        known.agentBaseAddress = known.hostBaseAddress = b->base;
        known.sizeInBytes = b->size;
        known.userData = b->user_data;
        if (b->pool) known.agentOwner = ez_agent_handle(b->pool->agent);
        if (b->pool) known.global_flags = b->pool->flags;
    } else if (ez_host_find(pointer, &view)) {
        access = view.agents;
        known.type = HSA_EXT_POINTER_TYPE_LOCKED;
        known.agentBaseAddress = view.agent;
        known.hostBaseAddress = view.host;
        known.sizeInBytes = view.size;
        known.agentOwner = ez_agent_handle(&ez_rt.agent[0]);
        known.global_flags = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
    } else if (ez_vmem_find(pointer, &vmem)) {
        access = vmem.access;
        known.type = vmem.pool ? HSA_EXT_POINTER_TYPE_HSA : (hsa_amd_pointer_type_t)EZ_POINTER_RESERVED;
        known.agentBaseAddress = known.hostBaseAddress = vmem.base;
        known.sizeInBytes = vmem.size;
        if (vmem.pool) known.agentOwner = ez_agent_handle(vmem.pool->agent);
        if (vmem.pool) known.global_flags = vmem.pool->flags;
    }
    pthread_mutex_unlock(&ez_rt.memory_lock);
    memcpy(info, &known, known.size);
    return list_agents(access, alloc, agent_count, agents);
}

hsa_status_t hsa_amd_pointer_info_set_userdata(const void *pointer, void *user_data) {
    EZ_NEED_INIT();
    if (!pointer) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&ez_rt.memory_lock);
    ez_block *b = ez_block_find(pointer);
    if (b) b->user_data = user_data;
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return b ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_register_deallocation_callback(void *pointer, hsa_amd_deallocation_callback_t callback,
                                                    void *data) {
    EZ_NEED_INIT();
    if (!pointer || !callback) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t status = HSA_STATUS_ERROR_INVALID_ALLOCATION;
    pthread_mutex_lock(&ez_rt.memory_lock);
    ez_block *b = ez_block_find(pointer);
    if (b && b->freed) status = HSA_STATUS_ERROR_OUT_OF_RESOURCES; /* one for each allocation */
    if (b && !b->freed) {
        b->freed = callback;
        b->freed_data = data;
        status = HSA_STATUS_SUCCESS;
    }
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return status;
}

hsa_status_t hsa_amd_deregister_deallocation_callback(void *pointer,
                                                      hsa_amd_deallocation_callback_t callback) {
    EZ_NEED_INIT();
    if (!pointer || !callback) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&ez_rt.memory_lock);
    ez_block *b = ez_block_find(pointer);
    bool found = b && b->freed == callback;
    if (found) b->freed = NULL;
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return found ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
