/* SPDX-License-Identifier: Apache-2.0 */
/* What can be asked of an agent: facts of the target and its board, and of this runtime. */
#define _GNU_SOURCE
#include "hsa/newer.h"
#include "hsa/runtime.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { QUEUE_MIN = 64, QUEUE_MAX = 131072, MAX_ITEMS = 1024, CACHE_LINE = 64 };

static void set_text(void *value, size_t size, const char *text) {
    size_t length = strlen(text);
    memset(value, 0, size);
    memcpy(value, text, length < size ? length : size - 1);
}

/* "GPU-" and 16 digits: the place among the agents, so that it is the same in every run. */
static void set_uuid(const ez_agent *agent, char *value) {
    char text[32] = "CPU-XX";
    if (agent->target)
        snprintf(text, sizeof text, "GPU-%04x%012x", ez_target_elf_mach(agent->target), agent->index);
    set_text(value, 21, text);
}

static void set_caches(const ez_agent *agent, uint32_t size[4]) {
    memset(size, 0, 4 * sizeof *size);
    size[0] = agent->target ? 16 << 10 : 32 << 10;
    if (agent->board) size[1] = agent->board->l2_kib << 10;
}

static uint32_t cpu_count(void) {
    return (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
}

static uint32_t queue_types(const ez_agent *agent) {
    return agent->target ? HSA_QUEUE_TYPE_MULTI : HSA_QUEUE_TYPE_SINGLE;
}

static hsa_status_t standard_info(const ez_agent *agent, uint32_t attribute, void *value) {
    bool gpu = agent->target != NULL;
    switch (attribute) {
    case HSA_AGENT_INFO_NAME: set_text(value, 64, gpu ? agent->id.processor : "execz host CPU"); break;
    case HSA_AGENT_INFO_VENDOR_NAME: set_text(value, 64, gpu ? "AMD" : "CPU"); break;
    case HSA_AGENT_INFO_FEATURE:
        *(hsa_agent_feature_t *)value = gpu ? HSA_AGENT_FEATURE_KERNEL_DISPATCH : 0;
        break;
    case HSA_AGENT_INFO_MACHINE_MODEL: *(hsa_machine_model_t *)value = HSA_MACHINE_MODEL_LARGE; break;
    case HSA_AGENT_INFO_PROFILE: *(hsa_profile_t *)value = gpu ? HSA_PROFILE_BASE : HSA_PROFILE_FULL; break;
    case HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
    case HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
        *(hsa_default_float_rounding_mode_t *)value = HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR;
        break;
    case HSA_AGENT_INFO_FAST_F16_OPERATION: *(bool *)value = gpu; break;
    case HSA_AGENT_INFO_WAVEFRONT_SIZE:
        *(uint32_t *)value = gpu ? ez_target_default_wave(agent->target) : 0;
        break;
    case HSA_AGENT_INFO_WORKGROUP_MAX_DIM:
        for (unsigned i = 0; i < 3; i++)
            ((uint16_t *)value)[i] = gpu ? MAX_ITEMS : 0;
        break;
    case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE: *(uint32_t *)value = gpu ? MAX_ITEMS : 0; break;
    case HSA_AGENT_INFO_GRID_MAX_DIM:
        *(hsa_dim3_t *)value = gpu ? (hsa_dim3_t){UINT32_MAX, UINT32_MAX, UINT32_MAX} : (hsa_dim3_t){0, 0, 0};
        break;
    case HSA_AGENT_INFO_GRID_MAX_SIZE: *(uint32_t *)value = gpu ? UINT32_MAX : 0; break;
    case HSA_AGENT_INFO_FBARRIER_MAX_SIZE: *(uint32_t *)value = gpu ? 32 : 0; break;
    case HSA_AGENT_INFO_QUEUES_MAX: *(uint32_t *)value = gpu ? 128 : 0; break;
    case HSA_AGENT_INFO_QUEUE_MIN_SIZE: *(uint32_t *)value = gpu ? QUEUE_MIN : 0; break;
    case HSA_AGENT_INFO_QUEUE_MAX_SIZE: *(uint32_t *)value = gpu ? QUEUE_MAX : 0; break;
    case HSA_AGENT_INFO_QUEUE_TYPE: *(uint32_t *)value = queue_types(agent); break;
    case HSA_AGENT_INFO_NODE: *(uint32_t *)value = agent->index; break;
    case HSA_AGENT_INFO_DEVICE:
        *(hsa_device_type_t *)value = gpu ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU;
        break;
    case HSA_AGENT_INFO_CACHE_SIZE: set_caches(agent, value); break;
    case HSA_AGENT_INFO_ISA: ((hsa_isa_t *)value)->handle = gpu ? (uint64_t)(uintptr_t)agent->isa : 0; break;
    case HSA_AGENT_INFO_EXTENSIONS:
        memset(value, 0, 128);
        if (gpu) *(uint8_t *)value = 1 << HSA_EXTENSION_IMAGES;
        break;
    case HSA_AGENT_INFO_VERSION_MAJOR: *(uint16_t *)value = 1; break;
    case HSA_AGENT_INFO_VERSION_MINOR: *(uint16_t *)value = 1; break;
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

/*
 * The limits of ROCr. HIP refuses pitched and 3D memory, which are no images, on an agent without the image extension: so all
 * GPUs have it, also those that have no format (image.c).
 */
static hsa_status_t image_info(uint32_t attribute, void *value) {
    uint32_t *v = value;
    switch (attribute) {
    case HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_1DA_MAX_ELEMENTS: v[0] = 16384; break;
    case HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS: v[0] = UINT32_MAX; break;
    case HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_2DA_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_2DDEPTH_MAX_ELEMENTS:
    case HSA_EXT_AGENT_INFO_IMAGE_2DADEPTH_MAX_ELEMENTS: v[0] = v[1] = 16384; break;
    case HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS:
        v[0] = v[1] = 16384;
        v[2] = 8192;
        break;
    case HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS: v[0] = 8192; break;
    case HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES: v[0] = 128; break;
    case HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES: v[0] = 64; break;
    case HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS: v[0] = 16; break;
    case HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT: v[0] = 256; break;
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

/* What ROCm asks since 5.3; of firmware and chiplets there are none. */
static hsa_status_t newer_info(const ez_agent *agent, uint32_t attribute, void *value) {
    switch (attribute) {
    case EZ_AGENT_MEMORY_AVAIL: *(uint64_t *)value = ez_memory_available(agent); break;
    case EZ_AGENT_TIMESTAMP_FREQUENCY: *(uint64_t *)value = 100000000; break; /* s_memrealtime: docs/errata.md */
    case EZ_AGENT_NUM_SDMA_ENG: *(uint32_t *)value = agent->target ? EZ_COPY_ENGINES : 0; break;
    case EZ_AGENT_NUM_XCC: *(uint32_t *)value = agent->target ? 1 : 0; break;
    case EZ_AGENT_ASIC_FAMILY_ID:
    case EZ_AGENT_UCODE_VERSION:
    case EZ_AGENT_SDMA_UCODE_VERSION:
    case EZ_AGENT_NUM_SDMA_XGMI_ENG:
    case EZ_AGENT_IOMMU_SUPPORT: *(uint32_t *)value = 0; break;
    case EZ_AGENT_DRIVER_UID: *(uint32_t *)value = agent->index; break;
    case EZ_AGENT_NEAREST_CPU: *(hsa_agent_t *)value = ez_agent_handle(&ez_rt.agent[0]); break;
    case EZ_AGENT_MEMORY_PROPERTIES:
    case EZ_AGENT_AQL_EXTENSIONS: memset(value, 0, 8); break;
    /* Scratch is found for each dispatch and given back behind it. */
    case EZ_AGENT_SCRATCH_LIMIT_MAX:
    case EZ_AGENT_SCRATCH_LIMIT_CURRENT: *(uint64_t *)value = 0; break;
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t amd_info(const ez_agent *agent, uint32_t attribute, void *value) {
    static const ez_board cpu = {.product = "execz host CPU"};
    const ez_board *board = agent->board ? agent->board : &cpu;
    uint32_t units = agent->board ? board->compute_units : cpu_count();
    switch (attribute) {
    case HSA_AMD_AGENT_INFO_CHIP_ID: *(uint32_t *)value = board->pci_id; break;
    case HSA_AMD_AGENT_INFO_CACHELINE_SIZE: *(uint32_t *)value = CACHE_LINE; break;
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT: *(uint32_t *)value = units; break;
    case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY: *(uint32_t *)value = board->clock; break;
    case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID: *(uint32_t *)value = agent->index; break;
    case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS: *(uint32_t *)value = 0; break;
    case HSA_AMD_AGENT_INFO_BDFID:
        *(uint32_t *)value = agent->index << 8;
        break; /* bus, device 0, function 0 */
    case HSA_AMD_AGENT_INFO_MEMORY_WIDTH: *(uint32_t *)value = board->memory_bits; break;
    case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY: *(uint32_t *)value = board->memory_clock; break;
    case HSA_AMD_AGENT_INFO_PRODUCT_NAME: set_text(value, 64, board->product); break;
    case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU: *(uint32_t *)value = board->waves; break;
    case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU: *(uint32_t *)value = board->simds; break;
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES: *(uint32_t *)value = board->shader_engines; break;
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
        *(uint32_t *)value = board->shader_engines ? 1 : 0;
        break;
    /* There is nothing to flush; clients that know the registers leave them alone when there are none. */
    case HSA_AMD_AGENT_INFO_HDP_FLUSH:
        *(hsa_amd_hdp_flush_t *)value = (hsa_amd_hdp_flush_t){NULL, NULL};
        break;
    case HSA_AMD_AGENT_INFO_DOMAIN: *(uint32_t *)value = 0; break;
    case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES: *(bool *)value = agent->target != NULL; break;
    case HSA_AMD_AGENT_INFO_UUID: set_uuid(agent, value); break;
    case HSA_AMD_AGENT_INFO_ASIC_REVISION: *(uint32_t *)value = 0; break;
    case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS: *(bool *)value = true; break;
    default: return newer_info(agent, attribute, value);
    }
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_agent_get_info(hsa_agent_t handle, hsa_agent_info_t attribute, void *value) {
    EZ_NEED_INIT();
    const ez_agent *agent = ez_agent_of(handle);
    if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!value) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if ((uint32_t)attribute >= HSA_AMD_AGENT_INFO_CHIP_ID) return amd_info(agent, (uint32_t)attribute, value);
    if ((uint32_t)attribute >= HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS)
        return agent->target ? image_info((uint32_t)attribute, value) : HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return standard_info(agent, (uint32_t)attribute, value);
}

hsa_status_t hsa_agent_get_exception_policies(hsa_agent_t agent, hsa_profile_t profile, uint16_t *mask) {
    EZ_NEED_INIT();
    if (!ez_agent_of(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!mask || profile > HSA_PROFILE_FULL) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *mask = 0;
    return HSA_STATUS_SUCCESS;
}

/* ---- caches: their handles are the agent's address plus the level ---- */

hsa_status_t hsa_agent_iterate_caches(hsa_agent_t handle,
                                      hsa_status_t (*callback)(hsa_cache_t cache, void *data), void *data) {
    EZ_NEED_INIT();
    const ez_agent *agent = ez_agent_of(handle);
    if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!callback) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint32_t size[4];
    set_caches(agent, size);
    hsa_status_t status = HSA_STATUS_SUCCESS;
    for (unsigned level = 1; level <= 4 && size[level - 1] && status == HSA_STATUS_SUCCESS; level++)
        status = callback((hsa_cache_t){handle.handle + level}, data);
    return status;
}

hsa_status_t hsa_cache_get_info(hsa_cache_t cache, hsa_cache_info_t attribute, void *value) {
    EZ_NEED_INIT();
    unsigned level = 1;
    const ez_agent *agent = NULL;
    for (; level <= 4 && !agent; level++)
        agent = ez_agent_of((hsa_agent_t){cache.handle - level});
    level--;
    if (!agent) return HSA_STATUS_ERROR_INVALID_CACHE;
    if (!value) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint32_t size[4];
    set_caches(agent, size);
    char name[80];
    snprintf(name, sizeof name, "%s L%u", agent->target ? agent->id.processor : "CPU", level);
    switch (attribute) {
    case HSA_CACHE_INFO_NAME_LENGTH: *(uint32_t *)value = (uint32_t)strlen(name); break;
    case HSA_CACHE_INFO_NAME: memcpy(value, name, strlen(name)); break;
    case HSA_CACHE_INFO_LEVEL: *(uint8_t *)value = (uint8_t)level; break;
    case HSA_CACHE_INFO_SIZE: *(uint32_t *)value = size[level - 1]; break;
    default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}
