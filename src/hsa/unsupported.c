/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this runtime does not have, under the names that it must export: HSAIL programs (which ROCm's own runtime lost as
 * well), images and memory of graphics drivers. Each call says so with the status that its
 * specification has for it; docs/hsa.md lists them.
 */
#include "hsa/newer.h"
#include "hsa/runtime.h"

#include <hsa/hsa_ext_finalize.h>
#include <hsa/hsa_ext_image.h>

#define REFUSE(name, status, ...)                                                                            \
    hsa_status_t name(__VA_ARGS__) {                                                                         \
        EZ_NEED_INIT();                                                                                      \
        return (hsa_status_t)(status);                                                                       \
    }

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ---- images whose resource is a driver's ---- */

REFUSE(hsa_amd_image_create, HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED, hsa_agent_t agent, const hsa_ext_image_descriptor_t *descriptor,
       const hsa_amd_image_descriptor_t *layout, const void *data, hsa_access_permission_t access,
       hsa_ext_image_t *image)

/* ---- HSAIL ---- */

REFUSE(hsa_ext_program_create, HSA_STATUS_ERROR_OUT_OF_RESOURCES, hsa_machine_model_t model,
       hsa_profile_t profile, hsa_default_float_rounding_mode_t rounding, const char *options,
       hsa_ext_program_t *program)
REFUSE(hsa_ext_program_destroy, HSA_EXT_STATUS_ERROR_INVALID_PROGRAM, hsa_ext_program_t program)
REFUSE(hsa_ext_program_add_module, HSA_EXT_STATUS_ERROR_INVALID_PROGRAM, hsa_ext_program_t program,
       hsa_ext_module_t module)
REFUSE(hsa_ext_program_iterate_modules, HSA_EXT_STATUS_ERROR_INVALID_PROGRAM, hsa_ext_program_t program,
       hsa_status_t (*callback)(hsa_ext_program_t, hsa_ext_module_t, void *), void *data)
REFUSE(hsa_ext_program_get_info, HSA_EXT_STATUS_ERROR_INVALID_PROGRAM, hsa_ext_program_t program,
       hsa_ext_program_info_t attribute, void *value)
REFUSE(hsa_ext_program_finalize, HSA_EXT_STATUS_ERROR_INVALID_PROGRAM, hsa_ext_program_t program,
       hsa_isa_t isa, int32_t call_convention, hsa_ext_control_directives_t directives, const char *options,
       hsa_code_object_type_t type, hsa_code_object_t *code)

/* ---- graphics ---- */

REFUSE(hsa_amd_interop_map_buffer, HSA_STATUS_ERROR, uint32_t agent_count, hsa_agent_t *agents, int handle,
       uint32_t flags, size_t *size, void **pointer, size_t *metadata_size, const void **metadata)
REFUSE(hsa_amd_interop_unmap_buffer, HSA_STATUS_ERROR_INVALID_ARGUMENT, void *pointer)

/* ---- of ROCm 6 and 7: counters, samples, files of drivers, queues of copy engines, images of several levels and others that no
 * client of ROCm 6.4 asks for; whatever their arguments ---- */

#define REFUSE_ANY(name)                                                                                     \
    EZ_NEWER(hsa_status_t, ez_refuse_##name, name, void);                                                    \
    REFUSE(ez_refuse_##name, HSA_STATUS_ERROR, void)

REFUSE_ANY(hsa_amd_spm_acquire)
REFUSE_ANY(hsa_amd_spm_release)
REFUSE_ANY(hsa_amd_spm_set_dest_buffer)
REFUSE_ANY(hsa_ven_amd_pcs_iterate_configuration)
REFUSE_ANY(hsa_ven_amd_pcs_create)
REFUSE_ANY(hsa_ven_amd_pcs_create_from_id)
REFUSE_ANY(hsa_ven_amd_pcs_destroy)
REFUSE_ANY(hsa_ven_amd_pcs_start)
REFUSE_ANY(hsa_ven_amd_pcs_stop)
REFUSE_ANY(hsa_ven_amd_pcs_flush)
REFUSE_ANY(hsa_amd_ais_file_write)
REFUSE_ANY(hsa_amd_ais_file_read)
REFUSE_ANY(hsa_amd_agent_preload)
REFUSE_ANY(hsa_amd_memory_async_batch_copy)
REFUSE_ANY(hsa_ext_sampler_create_v2)
REFUSE_ANY(hsa_ext_image_mipmap_array_get_level)
REFUSE_ANY(hsa_ext_image_create_v2)
REFUSE_ANY(hsa_ext_image_data_get_info_v2)
REFUSE_ANY(hsa_ext_image_destroy_v2)
REFUSE_ANY(hsa_amd_counted_queue_acquire)
REFUSE_ANY(hsa_amd_counted_queue_release)
REFUSE_ANY(hsa_amd_svm_discard_batch_async)
REFUSE_ANY(hsa_amd_signal_get_event_id)
REFUSE_ANY(hsa_amd_sdma_queue_create)
REFUSE_ANY(hsa_amd_sdma_queue_destroy)
REFUSE_ANY(hsa_amd_sdma_queue_get_info)
REFUSE_ANY(hsa_amd_sdma_queue_ring_doorbell)
