/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction sets by name. A handle is the address of a GPU agent's name of its instruction set. */
#include "hsa/runtime.h"

#include <string.h>

static const ez_agent *agent_of(hsa_isa_t isa) {
    for (unsigned i = 1; i < ez_rt.agent_count; i++)
        if ((uint64_t)(uintptr_t)ez_rt.agent[i].isa == isa.handle) return &ez_rt.agent[i];
    return NULL;
}

hsa_status_t hsa_isa_from_name(const char *name, hsa_isa_t *isa) {
    EZ_NEED_INIT();
    if (!name || !isa) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    ez_target_id id;
    if (ez_target_id_parse(name, strlen(name), &id, NULL) != EZ_OK) return HSA_STATUS_ERROR_INVALID_ISA_NAME;
    for (unsigned i = 1; i < ez_rt.agent_count; i++)
        if (ez_target_id_match(&id, &ez_rt.agent[i].id)) {
            isa->handle = (uint64_t)(uintptr_t)ez_rt.agent[i].isa;
            return HSA_STATUS_SUCCESS;
        }
    return HSA_STATUS_ERROR_INVALID_ISA_NAME;
}

hsa_status_t hsa_agent_iterate_isas(hsa_agent_t handle, hsa_status_t (*callback)(hsa_isa_t isa, void *data),
                                    void *data) {
    EZ_NEED_INIT();
    const ez_agent *agent = ez_agent_of(handle);
    if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!callback) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!agent->target) return HSA_STATUS_SUCCESS;
    return callback((hsa_isa_t){(uint64_t)(uintptr_t)agent->isa}, data);
}

hsa_status_t hsa_isa_get_info_alt(hsa_isa_t isa, hsa_isa_info_t attribute, void *value) {
    enum { MAX_ITEMS = 1024 };
    EZ_NEED_INIT();
    const ez_agent *agent = agent_of(isa);
    if (!agent) return HSA_STATUS_ERROR_INVALID_ISA;
    if (!value) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    switch ((uint32_t)attribute) {
    case HSA_ISA_INFO_NAME_LENGTH: *(uint32_t *)value = (uint32_t)strlen(agent->isa) + 1; break;
    case HSA_ISA_INFO_NAME: memcpy(value, agent->isa, strlen(agent->isa) + 1); break;
    case HSA_ISA_INFO_CALL_CONVENTION_COUNT: *(uint32_t *)value = 1; break;
    case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE:
        *(uint32_t *)value = ez_target_default_wave(agent->target);
        break;
    case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT:
        *(uint32_t *)value = agent->board->waves;
        break;
    case HSA_ISA_INFO_MACHINE_MODELS:
        ((bool *)value)[HSA_MACHINE_MODEL_SMALL] = false;
        ((bool *)value)[HSA_MACHINE_MODEL_LARGE] = true;
        break;
    case HSA_ISA_INFO_PROFILES:
        ((bool *)value)[HSA_PROFILE_BASE] = true;
        ((bool *)value)[HSA_PROFILE_FULL] = false;
        break;
    case HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES:
    case HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
        ((bool *)value)[HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT] = false;
        ((bool *)value)[HSA_DEFAULT_FLOAT_ROUNDING_MODE_ZERO] = false;
        ((bool *)value)[HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR] = true;
        break;
    case HSA_ISA_INFO_FAST_F16_OPERATION: *(bool *)value = true; break;
    case HSA_ISA_INFO_WORKGROUP_MAX_DIM:
        for (unsigned i = 0; i < 3; i++)
            ((uint16_t *)value)[i] = MAX_ITEMS;
        break;
    case HSA_ISA_INFO_WORKGROUP_MAX_SIZE: *(uint32_t *)value = MAX_ITEMS; break;
    case HSA_ISA_INFO_GRID_MAX_DIM:
        *(hsa_dim3_t *)value = (hsa_dim3_t){UINT32_MAX, UINT32_MAX, UINT32_MAX};
        break;
    case HSA_ISA_INFO_GRID_MAX_SIZE: *(uint64_t *)value = UINT64_MAX; break;
    case HSA_ISA_INFO_FBARRIER_MAX_SIZE: *(uint32_t *)value = 32; break;
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_get_info(hsa_isa_t isa, hsa_isa_info_t attribute, uint32_t index, void *value) {
    if (index) return HSA_STATUS_ERROR_INVALID_INDEX; /* of call conventions there is one */
    return hsa_isa_get_info_alt(isa, attribute, value);
}

hsa_status_t hsa_isa_get_exception_policies(hsa_isa_t isa, hsa_profile_t profile, uint16_t *mask) {
    EZ_NEED_INIT();
    if (!agent_of(isa)) return HSA_STATUS_ERROR_INVALID_ISA;
    if (!mask || profile > HSA_PROFILE_FULL) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *mask = 0;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_get_round_method(hsa_isa_t isa, hsa_fp_type_t type, hsa_flush_mode_t flush,
                                      hsa_round_method_t *method) {
    EZ_NEED_INIT();
    if (!agent_of(isa)) return HSA_STATUS_ERROR_INVALID_ISA;
    if (!method || (type != HSA_FP_TYPE_16 && type != HSA_FP_TYPE_32 && type != HSA_FP_TYPE_64) ||
        (flush != HSA_FLUSH_MODE_FTZ && flush != HSA_FLUSH_MODE_NON_FTZ))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *method = HSA_ROUND_METHOD_SINGLE;
    return HSA_STATUS_SUCCESS;
}

/* A wavefront's handle is the number of its lanes. */
hsa_status_t hsa_isa_iterate_wavefronts(hsa_isa_t isa,
                                        hsa_status_t (*callback)(hsa_wavefront_t wavefront, void *data),
                                        void *data) {
    EZ_NEED_INIT();
    const ez_agent *agent = agent_of(isa);
    if (!agent) return HSA_STATUS_ERROR_INVALID_ISA;
    if (!callback) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    for (unsigned lanes = 32; lanes <= 64 && status == HSA_STATUS_SUCCESS; lanes += 32)
        if (ez_target_has_wave(agent->target, lanes)) status = callback((hsa_wavefront_t){lanes}, data);
    return status;
}

hsa_status_t hsa_wavefront_get_info(hsa_wavefront_t wavefront, hsa_wavefront_info_t attribute, void *value) {
    EZ_NEED_INIT();
    if (wavefront.handle != 32 && wavefront.handle != 64) return HSA_STATUS_ERROR_INVALID_WAVEFRONT;
    if (!value || attribute != HSA_WAVEFRONT_INFO_SIZE) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *(uint32_t *)value = (uint32_t)wavefront.handle;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_compatible(hsa_isa_t code, hsa_isa_t device, bool *result) {
    EZ_NEED_INIT();
    const ez_agent *a = agent_of(code), *b = agent_of(device);
    if (!a || !b) return HSA_STATUS_ERROR_INVALID_ISA;
    if (!result) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = ez_target_id_match(&a->id, &b->id) != 0;
    return HSA_STATUS_SUCCESS;
}
