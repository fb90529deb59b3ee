/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of the client that kernels may use: locked (pinned), registered, or given attributes as shared virtual
 * memory. Clients lock whole pages, so ranges overlap and share pages; a device's ranges may not. Ranges that
 * touch are therefore one range to the devices, which stays until the last of its users is gone.
 *
 * What is locked has a second address besides, the agent's: HIP 5.2.3 keeps both in one table and aborts where they
 * are equal. The address space behind it is reserved and never touched; devices lead accesses to the first.
 */
#define _GNU_SOURCE
#include "hsa/runtime.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct ez_host_range {
    uint8_t *base;
    size_t size;
    uint32_t agents; /* bit n: agent n may use it */
    unsigned users;  /* calls that added a part of it */
} ez_host_range;

/* The agents' address of locked memory. */
struct ez_alias {
    uint8_t *agent, *host;
    size_t size;
    uint32_t agents;
    ez_alias *next;
};

static ez_host_range *range_of(const void *address) {
    for (size_t i = 0; i < ez_rt.host_count; i++)
        if ((uintptr_t)address - (uintptr_t)ez_rt.host[i].base < ez_rt.host[i].size) return &ez_rt.host[i];
    return NULL;
}

static bool touches(const ez_host_range *a, const ez_host_range *b) {
    return a->base <= b->base + b->size && b->base <= a->base + a->size;
}

static void merge(ez_host_range *into, const ez_host_range *from) {
    uint8_t *end = into->base + into->size, *other = from->base + from->size;
    if (from->base < into->base) into->base = from->base;
    into->size = (size_t)((other > end ? other : end) - into->base);
    into->agents |= from->agents;
    into->users += from->users;
}

static bool grow(void) {
    if (ez_rt.host_count < ez_rt.host_room) return true;
    size_t room = ez_rt.host_room ? 2 * ez_rt.host_room : 32;
    ez_host_range *grown = realloc(ez_rt.host, room * sizeof *grown);
    if (!grown) return false;
    ez_rt.host = grown;
    ez_rt.host_room = room;
    return true;
}

hsa_status_t ez_host_add(void *base, size_t size, uint32_t agents) {
    if (size == 0 || (uintptr_t)base > UINTPTR_MAX - size) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    pthread_mutex_lock(&ez_rt.memory_lock);
    ez_host_range all = {base, size, agents, 1};
    bool ok = grow();
    for (size_t i = 0; ok && i < ez_rt.host_count;) {
        if (touches(&all, &ez_rt.host[i])) {
            merge(&all, &ez_rt.host[i]);
            ez_rt.host[i] = ez_rt.host[--ez_rt.host_count];
            i = 0; /* what has grown may touch others */
        } else {
            i++;
        }
    }
    for (unsigned i = 1; ok && i < ez_rt.agent_count; i++)
        if (all.agents >> i & 1 &&
            ez_device_register_over(ez_rt.agent[i].device, all.base, all.size,
                                    EZ_MEMORY_READ | EZ_MEMORY_WRITE, "locked host memory", NULL) != EZ_OK)
            status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    if (ok) ez_rt.host[ez_rt.host_count++] = all;
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return ok ? status : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

static void take_from_devices(const ez_host_range *range) {
    for (unsigned i = 1; i < ez_rt.agent_count; i++)
        if (range->agents >> i & 1) ez_device_unregister(ez_rt.agent[i].device, range->base);
}

bool ez_host_remove(void *base) {
    pthread_mutex_lock(&ez_rt.memory_lock);
    ez_host_range *range = range_of(base);
    if (range && --range->users == 0) {
        take_from_devices(range);
        *range = ez_rt.host[--ez_rt.host_count];
    }
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return range != NULL;
}

/* ---- aliases ---- */

static void free_alias(ez_alias *a) {
    for (unsigned i = 1; i < ez_rt.agent_count; i++)
        if (a->agents >> i & 1) ez_device_unregister(ez_rt.agent[i].device, a->agent);
    munmap(a->agent, a->size);
    free(a);
}

static ez_alias *new_alias(void *host, size_t size, uint32_t agents) {
    ez_alias *a = malloc(sizeof *a);
    if (!a) return NULL;
    /* At the same place in its page, for clients that count on that. */
    size_t in_page = (uintptr_t)host % EZ_GRANULE;
    void *space = mmap(NULL, size + in_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED) {
        free(a);
        return NULL;
    }
    *a = (ez_alias){(uint8_t *)space + in_page, host, size, agents, NULL};
    for (unsigned i = 1; i < ez_rt.agent_count; i++)
        if (agents >> i & 1)
            ez_device_register_alias(ez_rt.agent[i].device, (uint64_t)(uintptr_t)a->agent, host, size,
                                     EZ_MEMORY_READ | EZ_MEMORY_WRITE, "locked host memory", NULL);
    pthread_mutex_lock(&ez_rt.memory_lock);
    a->next = ez_rt.aliases;
    ez_rt.aliases = a;
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return a;
}

/* The alias of what was locked at that pointer, the latest of several, or of an agent's address in it. */
static ez_alias *alias_of(const void *pointer, bool begins) {
    for (ez_alias *a = ez_rt.aliases; a; a = a->next)
        if (begins ? a->host == pointer : (uintptr_t)pointer - (uintptr_t)a->agent < a->size) return a;
    return NULL;
}

void *ez_host_address(const void *pointer) {
    pthread_mutex_lock(&ez_rt.memory_lock);
    const ez_alias *a = alias_of(pointer, false);
    uint8_t *host = a ? a->host + ((const uint8_t *)pointer - a->agent) : (uint8_t *)(uintptr_t)pointer;
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return host;
}

static void drop_alias(void *host) {
    pthread_mutex_lock(&ez_rt.memory_lock);
    ez_alias *found = alias_of(host, true);
    for (ez_alias **a = &ez_rt.aliases; found && *a; a = &(*a)->next)
        if (*a == found) {
            *a = found->next;
            break;
        }
    pthread_mutex_unlock(&ez_rt.memory_lock);
    if (found) free_alias(found);
}

bool ez_host_find(const void *pointer, ez_host_view *view) {
    const ez_alias *a = alias_of(pointer, false);
    for (const ez_alias *b = ez_rt.aliases; b && !a; b = b->next)
        if ((uintptr_t)pointer - (uintptr_t)b->host < b->size) a = b;
    if (a) {
        *view = (ez_host_view){a->host, a->agent, a->size, a->agents};
        return true;
    }
    const ez_host_range *range = range_of(pointer);
    if (range) *view = (ez_host_view){range->base, range->base, range->size, range->agents};
    return range != NULL;
}

void ez_host_free(void) {
    for (size_t i = 0; i < ez_rt.host_count; i++)
        take_from_devices(&ez_rt.host[i]);
    free(ez_rt.host);
    ez_rt.host = NULL;
    ez_rt.host_count = ez_rt.host_room = 0;
    while (ez_rt.aliases) {
        ez_alias *a = ez_rt.aliases;
        ez_rt.aliases = a->next;
        free_alias(a);
    }
}

/* ---- the interface ---- */

#define ALL_AGENTS UINT32_MAX

/* No list of agents means all of them. */
static hsa_status_t agents_of(const hsa_agent_t *agents, int count, uint32_t *set) {
    *set = agents && count > 0 ? 0 : ALL_AGENTS;
    if (agents ? count <= 0 : count != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < count; i++) {
        const ez_agent *agent = ez_agent_of(agents[i]);
        if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
        *set |= UINT32_C(1) << agent->index;
    }
    return HSA_STATUS_SUCCESS;
}

static bool known_block(const void *pointer) {
    pthread_mutex_lock(&ez_rt.memory_lock);
    bool known = ez_block_find(pointer) != NULL;
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return known;
}

hsa_status_t hsa_amd_memory_lock(void *pointer, size_t size, hsa_agent_t *agents, int count,
                                 void **agent_pointer) {
    EZ_NEED_INIT();
    if (agent_pointer) *agent_pointer = NULL;
    if (!pointer || !size || !agent_pointer) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint32_t set;
    hsa_status_t status = agents_of(agents, count, &set);
    if (status == HSA_STATUS_SUCCESS && known_block(pointer)) status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (status == HSA_STATUS_SUCCESS) status = ez_host_add(pointer, size, set);
    if (status != HSA_STATUS_SUCCESS) return status;
    const ez_alias *alias = new_alias(pointer, size, set);
    if (!alias) {
        ez_host_remove(pointer);
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    *agent_pointer = alias->agent;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_lock_to_pool(void *pointer, size_t size, hsa_agent_t *agents, int count,
                                         hsa_amd_memory_pool_t handle, uint32_t flags, void **agent_pointer) {
    EZ_NEED_INIT();
    const ez_pool *pool = ez_pool_of(handle.handle);
    if (agent_pointer) *agent_pointer = NULL;
    if (!pool) return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    if (pool->agent->device || flags) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return hsa_amd_memory_lock(pointer, size, agents, count, agent_pointer);
}

hsa_status_t hsa_amd_memory_unlock(void *pointer) {
    EZ_NEED_INIT();
    if (!pointer) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    drop_alias(pointer);
    ez_host_remove(pointer);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_memory_register(void *pointer, size_t size) {
    EZ_NEED_INIT();
    if (!pointer && size) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!size || known_block(pointer)) return HSA_STATUS_SUCCESS;
    return ez_host_add(pointer, size, ALL_AGENTS);
}

hsa_status_t hsa_memory_deregister(void *pointer, size_t size) {
    EZ_NEED_INIT();
    if (size && pointer) ez_host_remove(pointer);
    return HSA_STATUS_SUCCESS;
}
