/* SPDX-License-Identifier: Apache-2.0 */
/* Source: AMDGPUUsage, "Kernel Descriptor" and ".amdhsa_kernel". */
#include "kernel_directives.h"

#define PLACE(name, word, first, bits) [EZ_KD_##name] = {IN_##word, first, bits},
const ez_kernel_place ez_kernel_places[EZ_KD_COUNT] = {EZ_DESCRIPTOR_FIELDS(PLACE)};
#undef PLACE

const ez_kernel_condition ez_kernel_needs[] = {
    [FLAT_BEFORE] = {"arch_flat_scratch", false, "directive is not supported with architected flat scratch"},
    [FLAT_BY_HARDWARE] = {"arch_flat_scratch", true,
                          "directive is not supported without architected flat scratch"},
    [GFX9] = {"fp16_overflow", true, "directive requires gfx9+"},
    [GFX10] = {"wave32", true, "directive requires gfx10+"},
    [GFX10_OR_11] = {"shared_vgprs", true, "directive requires gfx10 or gfx11"},
    [GFX11] = {"inst_pref_size", true, "directive requires gfx11+"},
    [GFX12] = {"round_robin", true, "directive requires gfx12+"},
    [BEFORE_GFX12] = {"round_robin", false, "directive unsupported on gfx12+"},
    [GFX90A] = {"tg_split", true, "directive requires gfx90a+"},
    [GFX1250] = {"named_barriers", true, "directive requires gfx1250+"},
    [PRELOAD] = {"kernarg_preload", true, "directive requires gfx90a+"},
    [WGP] = {"wgp_mode", true, "directive unsupported on this target"},
};

const ez_kernel_directive ez_kernel_directives[EZ_KERNEL_DIRECTIVES] = {
    {"group_segment_fixed_size", GROUP, ANY, 0},
    {"private_segment_fixed_size", PRIVATE, ANY, 0},
    {"kernarg_size", KERNARG, ANY, 0},
    {"accum_offset", ACCUM, GFX90A, 0},
    {"tg_split", EZ_KD_TG_SPLIT, GFX90A, 0},
    {"shared_vgpr_count", EZ_KD_SHARED_VGPR_COUNT, GFX10_OR_11, 0},
    {"inst_pref_size", PREFETCH, GFX11, 0},
    {"named_barrier_count", NAMED_BARRIERS, GFX1250, 0},
    {"next_free_vgpr", NEXT_VGPR, ANY, 0},
    {"reserve_vcc", RESERVE_VCC, ANY, 0},
    {"reserve_flat_scratch", RESERVE_FLAT, FLAT_BEFORE, 0},
    {"reserve_xnack_mask", RESERVE_XNACK, ANY, 0},
    {"next_free_sgpr", NEXT_SGPR, ANY, 0},
    {"float_round_mode_32", EZ_KD_FLOAT_ROUND_MODE_32, ANY, 0},
    {"float_round_mode_16_64", EZ_KD_FLOAT_ROUND_MODE_16_64, ANY, 0},
    {"float_denorm_mode_32", EZ_KD_FLOAT_DENORM_MODE_32, ANY, 0},
    {"float_denorm_mode_16_64", EZ_KD_FLOAT_DENORM_MODE_16_64, ANY, 0},
    {"dx10_clamp", EZ_KD_ENABLE_DX10_CLAMP, BEFORE_GFX12, 0},
    {"ieee_mode", EZ_KD_ENABLE_IEEE_MODE, BEFORE_GFX12, 0},
    {"fp16_overflow", EZ_KD_FP16_OVFL, GFX9, 0},
    {"workgroup_processor_mode", EZ_KD_WGP_MODE, WGP, 0},
    {"memory_ordered", EZ_KD_MEM_ORDERED, GFX10, 0},
    {"forward_progress", EZ_KD_FWD_PROGRESS, GFX10, 0},
    {"round_robin_scheduling", EZ_KD_ENABLE_WG_RR_EN, GFX12, 0},
    {"system_sgpr_private_segment_wavefront_offset", EZ_KD_ENABLE_PRIVATE_SEGMENT, FLAT_BEFORE, 0},
    {"enable_private_segment", EZ_KD_ENABLE_PRIVATE_SEGMENT, FLAT_BY_HARDWARE, 0},
    {"system_sgpr_workgroup_id_x", EZ_KD_ENABLE_SGPR_WORKGROUP_ID_X, ANY, 0},
    {"system_sgpr_workgroup_id_y", EZ_KD_ENABLE_SGPR_WORKGROUP_ID_Y, ANY, 0},
    {"system_sgpr_workgroup_id_z", EZ_KD_ENABLE_SGPR_WORKGROUP_ID_Z, ANY, 0},
    {"system_sgpr_workgroup_info", EZ_KD_ENABLE_SGPR_WORKGROUP_INFO, ANY, 0},
    {"system_vgpr_workitem_id", EZ_KD_ENABLE_VGPR_WORKITEM_ID, ANY, 0},
    {"exception_fp_ieee_invalid_op", EZ_KD_ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION, ANY, 0},
    {"exception_fp_denorm_src", EZ_KD_ENABLE_EXCEPTION_FP_DENORMAL_SOURCE, ANY, 0},
    {"exception_fp_ieee_div_zero", EZ_KD_ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO, ANY, 0},
    {"exception_fp_ieee_overflow", EZ_KD_ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW, ANY, 0},
    {"exception_fp_ieee_underflow", EZ_KD_ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW, ANY, 0},
    {"exception_fp_ieee_inexact", EZ_KD_ENABLE_EXCEPTION_IEEE_754_FP_INEXACT, ANY, 0},
    {"exception_int_div_zero", EZ_KD_ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO, ANY, 0},
    {"user_sgpr_private_segment_buffer", EZ_KD_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER, FLAT_BEFORE, 4},
    {"user_sgpr_dispatch_ptr", EZ_KD_ENABLE_SGPR_DISPATCH_PTR, ANY, 2},
    {"user_sgpr_queue_ptr", EZ_KD_ENABLE_SGPR_QUEUE_PTR, ANY, 2},
    {"user_sgpr_kernarg_segment_ptr", EZ_KD_ENABLE_SGPR_KERNARG_SEGMENT_PTR, ANY, 2},
    {"user_sgpr_dispatch_id", EZ_KD_ENABLE_SGPR_DISPATCH_ID, ANY, 2},
    {"user_sgpr_flat_scratch_init", EZ_KD_ENABLE_SGPR_FLAT_SCRATCH_INIT, FLAT_BEFORE, 2},
    {"user_sgpr_private_segment_size", EZ_KD_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE, ANY, 1},
    {"user_sgpr_kernarg_preload_length", EZ_KD_KERNARG_PRELOAD_SPEC_LENGTH, PRELOAD, 0},
    {"user_sgpr_kernarg_preload_offset", EZ_KD_KERNARG_PRELOAD_SPEC_OFFSET, PRELOAD, 0},
    {"user_sgpr_count", USER_SGPRS, ANY, 0},
    {"wavefront_size32", EZ_KD_ENABLE_WAVEFRONT_SIZE32, GFX10, 0},
    {"uses_dynamic_stack", EZ_KD_USES_DYNAMIC_STACK, ANY, 0},
};

static bool has(const ez_target *target, const char *feature) {
    return ez_target_has_feature(target, feature);
}

/* Source: AMDGPUUsage, GRANULATED_WORKITEM_VGPR_COUNT. */
unsigned ez_vgpr_granule(const ez_target *target, bool wave32) {
    if (has(target, "vgprs_1024")) return wave32 ? 16 : 8;
    return has(target, "even_vgprs") || wave32 ? 8 : 4;
}

unsigned ez_extra_sgprs(const ez_target *target, bool vcc, bool flat_scratch, bool xnack) {
    if (has(target, "wave32")) return vcc ? 2 : 0;
    if (flat_scratch || has(target, "arch_flat_scratch")) return 6;
    return xnack ? 4 : vcc ? 2 : 0;
}

unsigned ez_fixed_sgprs(const ez_target *target) {
    return has(target, "sgpr_init_bug") ? 96 : 0;
}

unsigned ez_most_sgprs(const ez_target *target) {
    unsigned fixed = ez_fixed_sgprs(target);
    return fixed ? fixed : 102;
}
