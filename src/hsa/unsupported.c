/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this runtime does not have, under the names that it must export: images and samplers, HSAIL programs (which
 * ROCm's own runtime lost as well), memory of graphics drivers. Each call says so with the status that its
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
#define NO_FORMAT HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED

#pragma GCC diagnostic ignored "-Wunused-parameter"

/* ---- images ---- */

hsa_status_t hsa_ext_image_get_capability(hsa_agent_t agent, hsa_ext_image_geometry_t geometry,
                                          const hsa_ext_image_format_t *format, uint32_t *mask) {
    EZ_NEED_INIT();
    if (!ez_agent_of(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!format || !mask) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *mask = HSA_EXT_IMAGE_CAPABILITY_NOT_SUPPORTED;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ext_image_get_capability_with_layout(hsa_agent_t agent, hsa_ext_image_geometry_t geometry,
                                                      const hsa_ext_image_format_t *format,
                                                      hsa_ext_image_data_layout_t layout, uint32_t *mask) {
    return hsa_ext_image_get_capability(agent, geometry, format, mask);
}

hsa_status_t hsa_amd_image_get_info_max_dim(hsa_agent_t agent, hsa_agent_info_t attribute, void *value) {
    EZ_NEED_INIT();
    if (!ez_agent_of(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!value) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if ((uint32_t)attribute < HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS ||
        (uint32_t)attribute > HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint32_t extents = (uint32_t)attribute == HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS ? 3
                       : (uint32_t)attribute >= HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS &&
                               (uint32_t)attribute < HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS
                           ? 2
                           : 1;
    for (uint32_t i = 0; i < extents; i++)
        ((uint32_t *)value)[i] = 0;
    return HSA_STATUS_SUCCESS;
}

REFUSE(hsa_ext_image_data_get_info, NO_FORMAT, hsa_agent_t agent, const hsa_ext_image_descriptor_t *image,
       hsa_access_permission_t access, hsa_ext_image_data_info_t *info)
REFUSE(hsa_ext_image_data_get_info_with_layout, NO_FORMAT, hsa_agent_t agent,
       const hsa_ext_image_descriptor_t *image, hsa_access_permission_t access,
       hsa_ext_image_data_layout_t layout, size_t row_pitch, size_t slice_pitch,
       hsa_ext_image_data_info_t *info)
REFUSE(hsa_ext_image_create, NO_FORMAT, hsa_agent_t agent, const hsa_ext_image_descriptor_t *descriptor,
       const void *data, hsa_access_permission_t access, hsa_ext_image_t *image)
REFUSE(hsa_ext_image_create_with_layout, NO_FORMAT, hsa_agent_t agent,
       const hsa_ext_image_descriptor_t *descriptor, const void *data, hsa_access_permission_t access,
       hsa_ext_image_data_layout_t layout, size_t row_pitch, size_t slice_pitch, hsa_ext_image_t *image)
REFUSE(hsa_amd_image_create, NO_FORMAT, hsa_agent_t agent, const hsa_ext_image_descriptor_t *descriptor,
       const hsa_amd_image_descriptor_t *layout, const void *data, hsa_access_permission_t access,
       hsa_ext_image_t *image)
/* No image can exist, so none can be given. */
REFUSE(hsa_ext_image_destroy, HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_agent_t agent, hsa_ext_image_t image)
REFUSE(hsa_ext_image_copy, HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_agent_t agent, hsa_ext_image_t from,
       const hsa_dim3_t *from_offset, hsa_ext_image_t to, const hsa_dim3_t *to_offset,
       const hsa_dim3_t *range)
REFUSE(hsa_ext_image_import, HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_agent_t agent, const void *from,
       size_t row_pitch, size_t slice_pitch, hsa_ext_image_t image, const hsa_ext_image_region_t *region)
REFUSE(hsa_ext_image_export, HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_agent_t agent, hsa_ext_image_t image,
       void *to, size_t row_pitch, size_t slice_pitch, const hsa_ext_image_region_t *region)
REFUSE(hsa_ext_image_clear, HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_agent_t agent, hsa_ext_image_t image,
       const void *data, const hsa_ext_image_region_t *region)
REFUSE(hsa_ext_sampler_create, HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED, hsa_agent_t agent,
       const hsa_ext_sampler_descriptor_t *descriptor, hsa_ext_sampler_t *sampler)
REFUSE(hsa_ext_sampler_destroy, HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_agent_t agent,
       hsa_ext_sampler_t sampler)

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

/* ---- of ROCm 6 and 7: counters, samples, files of drivers, queues of copy engines; whatever their arguments ---- */

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
