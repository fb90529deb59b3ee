/* SPDX-License-Identifier: Apache-2.0 */
/* The agents: one CPU, and a GPU for each target that EXECZ_TARGET names; their memory pools. */
#define _GNU_SOURCE
#include "hsa/newer.h"
#include "hsa/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char default_target[] = "gfx90a";

ez_agent *ez_agent_of(hsa_agent_t handle) {
    for (unsigned i = 0; i < ez_rt.agent_count; i++)
        if ((uint64_t)(uintptr_t)&ez_rt.agent[i] == handle.handle) return &ez_rt.agent[i];
    return NULL;
}

ez_pool *ez_pool_of(uint64_t handle) {
    for (unsigned i = 0; i < ez_rt.agent_count; i++)
        for (unsigned p = 0; p < ez_rt.agent[i].pool_count; p++)
            if ((uint64_t)(uintptr_t)&ez_rt.agent[i].pool[p] == handle) return &ez_rt.agent[i].pool[p];
    return NULL;
}

/* ---- making ---- */

static void add_pool(ez_agent *agent, hsa_amd_segment_t segment, uint32_t flags, uint64_t size) {
    agent->pool[agent->pool_count++] = (ez_pool){agent, segment, flags, size};
}

/* In the order of ROCr: clients take the first that suits them. */
static void make_cpu(ez_agent *agent) {
    uint64_t size = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    *agent = (ez_agent){.index = 0};
    add_pool(agent, HSA_AMD_SEGMENT_GLOBAL, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED, size);
    add_pool(agent, HSA_AMD_SEGMENT_GLOBAL,
             HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT | HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED,
             size);
    add_pool(agent, HSA_AMD_SEGMENT_GLOBAL, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED, size);
}

/* What the text leaves open is as the products are delivered: ECC on, XNACK off. */
static void settle(const ez_target *target, ez_target_id *id) {
    if (!ez_target_has_feature(target, "sramecc")) id->sramecc = EZ_SETTING_UNSUPPORTED;
    else if (id->sramecc != EZ_SETTING_OFF) id->sramecc = EZ_SETTING_ON;
    if (!ez_target_has_feature(target, "xnack")) id->xnack = EZ_SETTING_UNSUPPORTED;
    else if (id->xnack != EZ_SETTING_ON) id->xnack = EZ_SETTING_OFF;
}

static bool make_gpu(ez_agent *agent, unsigned index, const char *text, size_t length) {
    ez_error err = {0};
    char name[64];
    *agent = (ez_agent){.index = index};
    if (ez_target_id_parse(text, length, &agent->id, &err) != EZ_OK) {
        fprintf(stderr, "execz: EXECZ_TARGET: %s\n", err.message);
        return false;
    }
    agent->target = ez_target_find(agent->id.processor);
    agent->board = agent->target ? ez_target_board(agent->target) : NULL;
    if (!agent->board) {
        fprintf(stderr, "execz: EXECZ_TARGET: %s is no GPU; 'execz targets' lists all\n",
                agent->id.processor);
        return false;
    }
    settle(agent->target, &agent->id);
    ez_target_id_print(&agent->id, name, sizeof name);
    snprintf(agent->isa, sizeof agent->isa, "amdgcn-amd-amdhsa--%s", name);
    if (ez_device_create(agent->target, &agent->device, &err) != EZ_OK) {
        fprintf(stderr, "execz: %s\n", err.message);
        return false;
    }
    add_pool(agent, HSA_AMD_SEGMENT_GLOBAL, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED,
             (uint64_t)agent->board->memory_gib << 30);
    add_pool(agent, HSA_AMD_SEGMENT_GROUP, 0, ez_target_lds_bytes(agent->target));
    return true;
}

hsa_status_t ez_agents_make(void) {
    const char *text = getenv("EXECZ_TARGET");
    if (!text || !*text) text = default_target;
    make_cpu(&ez_rt.agent[0]);
    ez_rt.agent_count = 1;
    for (;;) {
        size_t length = strcspn(text, ",");
        if (ez_rt.agent_count == EZ_MAX_AGENTS) {
            fprintf(stderr, "execz: EXECZ_TARGET: more than %d GPUs\n", EZ_MAX_AGENTS - 1);
            break;
        }
        if (!make_gpu(&ez_rt.agent[ez_rt.agent_count], ez_rt.agent_count, text, length)) break;
        ez_rt.agent_count++;
        if (!text[length]) return HSA_STATUS_SUCCESS;
        text += length + 1;
    }
    ez_agents_free();
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

void ez_agents_free(void) {
    for (unsigned i = 1; i < ez_rt.agent_count; i++)
        ez_device_destroy(ez_rt.agent[i].device);
    ez_rt.agent_count = 0;
}

/* ---- iterating ---- */

hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t agent, void *data), void *data) {
    EZ_NEED_INIT();
    if (!callback) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    for (unsigned i = 0; i < ez_rt.agent_count && status == HSA_STATUS_SUCCESS; i++)
        status = callback(ez_agent_handle(&ez_rt.agent[i]), data);
    return status;
}

hsa_status_t hsa_amd_agent_iterate_memory_pools(
    hsa_agent_t handle, hsa_status_t (*callback)(hsa_amd_memory_pool_t pool, void *data), void *data) {
    EZ_NEED_INIT();
    const ez_agent *agent = ez_agent_of(handle);
    if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!callback) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    for (unsigned i = 0; i < agent->pool_count && status == HSA_STATUS_SUCCESS; i++)
        status = callback((hsa_amd_memory_pool_t){(uint64_t)(uintptr_t)&agent->pool[i]}, data);
    return status;
}

/* Regions are the pools; a GPU's are also those in host memory that it shares with the CPU. */
hsa_status_t hsa_agent_iterate_regions(hsa_agent_t handle,
                                       hsa_status_t (*callback)(hsa_region_t region, void *data),
                                       void *data) {
    EZ_NEED_INIT();
    const ez_agent *agent = ez_agent_of(handle), *cpu = &ez_rt.agent[0];
    if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!callback) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    for (unsigned i = 0; agent != cpu && i < cpu->pool_count && status == HSA_STATUS_SUCCESS; i++)
        if (cpu->pool[i].flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED)
            status = callback((hsa_region_t){(uint64_t)(uintptr_t)&cpu->pool[i]}, data);
    for (unsigned i = 0; i < agent->pool_count && status == HSA_STATUS_SUCCESS; i++)
        status = callback((hsa_region_t){(uint64_t)(uintptr_t)&agent->pool[i]}, data);
    return status;
}

/* ---- pools and regions ---- */

hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t handle, hsa_amd_memory_pool_info_t attribute,
                                          void *value) {
    EZ_NEED_INIT();
    const ez_pool *pool = ez_pool_of(handle.handle);
    if (!pool) return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    if (!value) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    bool global = pool->segment == HSA_AMD_SEGMENT_GLOBAL;
    switch ((uint32_t)attribute) {
    case HSA_AMD_MEMORY_POOL_INFO_SEGMENT: *(hsa_amd_segment_t *)value = pool->segment; break;
    case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS: *(uint32_t *)value = pool->flags; break;
    case HSA_AMD_MEMORY_POOL_INFO_SIZE: *(size_t *)value = pool->size; break;
    case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE: *(size_t *)value = global ? pool->size : 0; break;
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED: *(bool *)value = global; break;
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
    case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT: *(size_t *)value = global ? EZ_GRANULE : 0; break;
    case EZ_POOL_RUNTIME_ALLOC_REC_GRANULE: *(size_t *)value = global ? EZ_GRANULE : 0; break;
    case EZ_POOL_LOCATION: *(uint32_t *)value = pool->agent->device != NULL; break;
    case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL: *(bool *)value = !pool->agent->device; break;
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_region_get_info(hsa_region_t region, hsa_region_info_t attribute, void *value) {
    EZ_NEED_INIT();
    const ez_pool *pool = ez_pool_of(region.handle);
    if (!pool) return HSA_STATUS_ERROR_INVALID_REGION;
    if (!value) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    bool global = pool->segment == HSA_AMD_SEGMENT_GLOBAL;
    switch ((uint32_t)attribute) {
    case HSA_REGION_INFO_SEGMENT: *(hsa_region_segment_t *)value = (hsa_region_segment_t)pool->segment; break;
    case HSA_REGION_INFO_GLOBAL_FLAGS: *(uint32_t *)value = pool->flags; break;
    case HSA_REGION_INFO_SIZE: *(size_t *)value = pool->size; break;
    case HSA_REGION_INFO_ALLOC_MAX_SIZE: *(size_t *)value = global ? pool->size : 0; break;
    case HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE: *(uint32_t *)value = 0; break;
    case HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED: *(bool *)value = global; break;
    case HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE:
    case HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT: *(size_t *)value = global ? EZ_GRANULE : 0; break;
    case HSA_AMD_REGION_INFO_HOST_ACCESSIBLE: *(bool *)value = global; break;
    case HSA_AMD_REGION_INFO_BASE: *(void **)value = NULL; break;
    case HSA_AMD_REGION_INFO_BUS_WIDTH:
        *(uint32_t *)value = pool->agent->board ? pool->agent->board->memory_bits : 0;
        break;
    case HSA_AMD_REGION_INFO_MAX_CLOCK_FREQUENCY:
        *(uint32_t *)value = pool->agent->board ? pool->agent->board->memory_clock : 0;
        break;
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_agent_memory_pool_get_info(hsa_agent_t handle, hsa_amd_memory_pool_t pool_handle,
                                                hsa_amd_agent_memory_pool_info_t attribute, void *value) {
    EZ_NEED_INIT();
    const ez_agent *agent = ez_agent_of(handle);
    const ez_pool *pool = ez_pool_of(pool_handle.handle);
    if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!pool) return (hsa_status_t)HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
    if (!value) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    bool own = pool->agent == agent, reachable = own || pool->segment == HSA_AMD_SEGMENT_GLOBAL;
    bool linked = reachable && !own;
    switch ((uint32_t)attribute) {
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS:
        *(hsa_amd_memory_pool_access_t *)value = own ? HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT
                                                 : reachable
                                                     ? HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT
                                                     : HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
        break;
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS: *(uint32_t *)value = linked; break;
    case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO:
        /* PCIe with atomics, at the NUMA distance that ROCr has for it */
        if (linked)
            *(hsa_amd_memory_pool_link_info_t *)value =
                (hsa_amd_memory_pool_link_info_t){.atomic_support_32bit = true,
                                                  .atomic_support_64bit = true,
                                                  .coherent_support = true,
                                                  .link_type = HSA_AMD_LINK_INFO_TYPE_PCIE,
                                                  .numa_distance = 20};
        break;
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}
