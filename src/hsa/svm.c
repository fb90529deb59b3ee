/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared virtual memory: memory of the client's own that agents are given access to by attributes. All of it stays
 * where it is, so only access has an effect; preferences are taken and, where they can be asked for, given back.
 */
#define _GNU_SOURCE
#include "hsa/runtime.h"

/* Which agents may use the range, as a set; 0 where nobody has said so. */
static uint32_t agents_at(const void *pointer) {
    ez_host_view view;
    pthread_mutex_lock(&ez_rt.memory_lock);
    uint32_t agents = ez_host_find(pointer, &view) ? view.agents : 0;
    const ez_block *b = ez_block_find(pointer);
    if (b) agents = b->access;
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return agents;
}

hsa_status_t hsa_amd_svm_attributes_set(void *pointer, size_t size, hsa_amd_svm_attribute_pair_t *list,
                                        size_t count) {
    EZ_NEED_INIT();
    if (!pointer || !size || (count && !list)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint32_t give = 0;
    bool take = false;
    for (size_t i = 0; i < count; i++) {
        const ez_agent *agent = ez_agent_of((hsa_agent_t){list[i].value});
        switch (list[i].attribute) {
        case HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE:
        case HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE:
            if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
            give |= UINT32_C(1) << agent->index;
            break;
        case HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS:
            if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
            take = take || agent->device;
            break;
        case HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION:
        case HSA_AMD_SVM_ATTRIB_ACCESS_QUERY: return HSA_STATUS_ERROR_INVALID_ARGUMENT; /* can only be got */
        case HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG:
        case HSA_AMD_SVM_ATTRIB_READ_ONLY:
        case HSA_AMD_SVM_ATTRIB_HIVE_LOCAL:
        case HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY:
        case HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION:
        case HSA_AMD_SVM_ATTRIB_READ_MOSTLY: break;
        default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
        }
    }
    bool known = agents_at(pointer) != 0;
    if (give & ~UINT32_C(1) && !(known && (agents_at(pointer) & give) == give))
        return ez_host_add(pointer, size, give);
    if (take && known) ez_host_remove(pointer);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_svm_attributes_get(void *pointer, size_t size, hsa_amd_svm_attribute_pair_t *list,
                                        size_t count) {
    EZ_NEED_INIT();
    if (!pointer || !size || (count && !list)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint32_t agents = agents_at(pointer);
    for (size_t i = 0; i < count; i++) {
        const ez_agent *agent;
        switch (list[i].attribute) {
        case HSA_AMD_SVM_ATTRIB_GLOBAL_FLAG: list[i].value = HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED; break;
        case HSA_AMD_SVM_ATTRIB_READ_ONLY:
        case HSA_AMD_SVM_ATTRIB_HIVE_LOCAL:
        case HSA_AMD_SVM_ATTRIB_MIGRATION_GRANULARITY:
        case HSA_AMD_SVM_ATTRIB_READ_MOSTLY: list[i].value = 0; break;
        case HSA_AMD_SVM_ATTRIB_PREFERRED_LOCATION:
        case HSA_AMD_SVM_ATTRIB_PREFETCH_LOCATION: list[i].value = 0; break;
        case HSA_AMD_SVM_ATTRIB_ACCESS_QUERY:
            agent = ez_agent_of((hsa_agent_t){list[i].value});
            if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
            list[i].attribute = !agent->device || agents >> agent->index & 1
                                    ? HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE
                                    : HSA_AMD_SVM_ATTRIB_AGENT_NO_ACCESS;
            break;
        default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
        }
    }
    return HSA_STATUS_SUCCESS;
}

/* Memory does not move: a prefetch is done when what it waits for is. */
hsa_status_t hsa_amd_svm_prefetch_async(void *pointer, size_t size, hsa_agent_t agent, uint32_t need_count,
                                        const hsa_signal_t *need, hsa_signal_t done) {
    EZ_NEED_INIT();
    static uint8_t nothing;
    if (!pointer || !size) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return hsa_amd_memory_async_copy(&nothing, agent, &nothing, agent, 0, need_count, need, done);
}

/* ---- coherency of an agent's fine-grained region: host memory is always coherent ---- */

hsa_status_t hsa_amd_coherency_get_type(hsa_agent_t agent, hsa_amd_coherency_type_t *type) {
    EZ_NEED_INIT();
    if (!ez_agent_of(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!type) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *type = HSA_AMD_COHERENCY_TYPE_COHERENT;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t agent, hsa_amd_coherency_type_t type) {
    EZ_NEED_INIT();
    if (!ez_agent_of(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    return type <= HSA_AMD_COHERENCY_TYPE_NONCOHERENT ? HSA_STATUS_SUCCESS
                                                      : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}
