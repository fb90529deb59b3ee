/* SPDX-License-Identifier: Apache-2.0 */
/* Packed numbers, mixed precision, dot products, interpolation. */
#include "float_tables.h"

static const float_test tests[] = {
    {"gfx900", "v_pk_add_f16 v8, v0, v2", ref_add, PK16, {PK16, PK16}, 0, OVERFLOWS},
    {"gfx900", "v_pk_mul_f16 v8, v0, v2", ref_mul, PK16, {PK16, PK16}, 0, OVERFLOWS},
    {"gfx900", "v_pk_fma_f16 v8, v0, v2, v4", ref_fma, PK16, {PK16, PK16, PK16}, 0, OVERFLOWS},
    {"gfx1100", "v_pk_fmac_f16 v8, v0, v2", ref_fma, PK16, {PK16, PK16, PK16}, 0, 0},
    {"gfx90a", "v_pk_add_f32 v[8:9], v[0:1], v[2:3]", ref_add, PK32, {PK32, PK32}, 0, 0},
    {"gfx90a", "v_pk_mul_f32 v[8:9], v[0:1], v[2:3]", ref_mul, PK32, {PK32, PK32}, 0, 0},
    {"gfx90a", "v_pk_fma_f32 v[8:9], v[0:1], v[2:3], v[4:5]", ref_fma, PK32, {PK32, PK32, PK32}, 0, 0},
    {"gfx1250", "v_pk_add_bf16 v8, v0, v2", ref_add, PKB16, {PKB16, PKB16}, 0, 0},
    {"gfx1250", "v_pk_mul_bf16 v8, v0, v2", ref_mul, PKB16, {PKB16, PKB16}, 0, 0},
    {"gfx1250", "v_pk_fma_bf16 v8, v0, v2, v4", ref_fma, PKB16, {PKB16, PKB16, PKB16}, 0, 0},

    {"gfx1030", "v_fma_mix_f32 v8, v0, v2, v4", ref_mix, F32, {F32, F32, F32}, 0, 0},
    {"gfx1030", "v_fma_mix_f32 v8, v0, v2, v4 op_sel_hi:[1,1,1]", ref_mix, F32, {F16, F16, F16}, 0, 0},
    {"gfx1030", "v_fma_mix_f32 v8, v0, v2, v4 op_sel_hi:[1,0,1]", ref_mix, F32, {F16, F32, F16}, 0, 0},
    {"gfx1030", "v_fma_mixlo_f16 v8, v0, v2, v4 op_sel_hi:[0,1,0]", ref_mix, F16, {F32, F16, F32}, 0, OVERFLOWS},
    {"gfx1030", "v_fma_mixlo_f16 v8, v0, v2, v4 op_sel_hi:[1,1,1]", ref_mix, F16, {F16, F16, F16}, 0, OVERFLOWS},
    {"gfx1030", "v_fma_mixhi_f16 v10, v0, v2, v4 op_sel_hi:[0,0,1]\nv_lshrrev_b32 v8, 16, v10", ref_mix, F16, {F32, F32, F16}, 0, 0},
    {"gfx900", "v_mad_mix_f32 v8, v0, v2, v4 op_sel_hi:[1,0,1]", ref_mix_mad, F32, {F16, F32, F16}, 0, 0},
    {"gfx900", "v_mad_mixlo_f16 v8, v0, v2, v4 op_sel_hi:[1,1,0]", ref_mix_mad, F16, {F16, F16, F32}, 0, OVERFLOWS},
    {"gfx900", "v_mad_mixhi_f16 v10, v0, v2, v4\nv_lshrrev_b32 v8, 16, v10", ref_mix_mad, F16, {F32, F32, F32}, 0, 0},
    {"gfx1250", "v_fma_mix_f32_bf16 v8, v0, v2, v4 op_sel_hi:[1,1,0]", ref_mix, F32, {BF16, BF16, F32}, 0, 0},
    {"gfx1250", "v_fma_mixlo_bf16 v8, v0, v2, v4 op_sel_hi:[1,0,1]", ref_mix, BF16, {BF16, F32, BF16}, 0, 0},
    {"gfx1250", "v_fma_mixhi_bf16 v10, v0, v2, v4\nv_lshrrev_b32 v8, 16, v10", ref_mix, BF16, {F32, F32, F32}, 0, 0},

    {"gfx1030", "v_dot2_f32_f16 v8, v0, v2, v4", ref_dot2, F32, {PK16, PK16, F32}, 0, 0},
    {"gfx90a", "v_dot2_f32_f16 v8, v0, v2, v4", ref_dot2, F32, {PK16, PK16, F32}, 0, 0},
    {"gfx1030", "v_dot2c_f32_f16 v8, v0, v2", ref_dot2, F32, {PK16, PK16, F32}, 0, 0},
    {"gfx1100", "v_dot2_f32_bf16 v8, v0, v2, v4", ref_dot2, F32, {PKB16, PKB16, F32}, 0, 0},
    {"gfx950", "v_dot2_f32_bf16 v8, v0, v2, v4", ref_dot2_products_first, F32, {PKB16, PKB16, F32}, 0, 0},
    {"gfx950", "v_dot2c_f32_bf16 v8, v0, v2", ref_dot2, F32, {PKB16, PKB16, F32}, 0, 0},
    {"gfx1200", "v_dot2_f16_f16 v8, v0, v2, v4", ref_dot2_f16, F16, {PK16, PK16, F16}, 0, OVERFLOWS},
    {"gfx1200", "v_dot2_bf16_bf16 v8, v0, v2, v4", ref_dot2_bf16, BF16, {PKB16, PKB16, BF16}, 0, 0},
    {"gfx1200", "v_dot4_f32_fp8_fp8 v8, v0, v2, v4", ref_dot4, F32, {FP8, FP8, F32}, 0, 0},
    {"gfx1200", "v_dot4_f32_fp8_bf8 v8, v0, v2, v4", ref_dot4, F32, {FP8, BF8, F32}, 0, 0},
    {"gfx1200", "v_dot4_f32_bf8_fp8 v8, v0, v2, v4", ref_dot4, F32, {BF8, FP8, F32}, 0, 0},
    {"gfx1200", "v_dot4_f32_bf8_bf8 v8, v0, v2, v4", ref_dot4, F32, {BF8, BF8, F32}, 0, 0},

    {"gfx1200", "v_interp_p10_f32 v8, v0, v2, v4 wait_exp:0", ref_fma, F32, {F32, F32, F32}, 0, QUAD},
    {"gfx1200", "v_interp_p2_f32 v8, v0, v2, v4 wait_exp:0", ref_fma, F32, {F32, F32, F32}, 0, QUAD},
    {"gfx1200", "v_interp_p10_f16_f32 v8, v0, v2, v4 wait_exp:0", ref_mix, F32, {F16, F32, F16}, 0, QUAD},
    {"gfx1200", "v_interp_p2_f16_f32 v8, v0, v2, v4 wait_exp:0", ref_mix, F16, {F16, F32, F32}, 0, QUAD},
    {"gfx1200", "v_interp_p10_rtz_f16_f32 v8, v0, v2, v4 wait_exp:0", ref_mix_rtz, F32, {F16, F32, F16}, 0, QUAD},
    {"gfx1200", "v_interp_p2_rtz_f16_f32 v8, v0, v2, v4 wait_exp:0", ref_mix_rtz, F16, {F16, F32, F32}, 0, QUAD},
};
TABLE(float_packed);
