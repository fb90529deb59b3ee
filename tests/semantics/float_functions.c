/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one operand, most of which hardware approximates; cube maps. */
#include "float_tables.h"

/* hardware gives some 28 bits of a double */
enum { SOME = 1 << 27 };

static const float_test tests[] = {
    {"gfx1030", "v_floor_f16 v8, v0", ref_floor, F16, {F16}, 0, 0},
    {"gfx1030", "v_ceil_f16 v8, v0", ref_ceil, F16, {F16}, 0, 0},
    {"gfx1030", "v_trunc_f16 v8, v0", ref_trunc, F16, {F16}, 0, 0},
    {"gfx1030", "v_rndne_f16 v8, v0", ref_rndne, F16, {F16}, 0, 0},
    {"gfx1030", "v_fract_f16 v8, v0", ref_fract, F16, {F16}, 0, 0},
    {"gfx1030", "v_frexp_mant_f16 v8, v0", ref_frexp_mant, F16, {F16}, 0, 0},
    {"gfx1030", "v_frexp_exp_i16_f16 v8, v0", ref_frexp_exp, I16, {F16}, 0, 0},
    {"gfx1030", "v_rcp_f16 v8, v0", ref_rcp, F16, {F16}, 1, NEAREST},
    {"gfx1030", "v_sqrt_f16 v8, v0", ref_sqrt, F16, {F16}, 1, NEAREST},
    {"gfx1030", "v_rsq_f16 v8, v0", ref_rsq, F16, {F16}, 1, NEAREST},
    {"gfx1030", "v_exp_f16 v8, v0", ref_exp, F16, {F16}, 1, NEAREST},
    {"gfx1030", "v_log_f16 v8, v0", ref_log, F16, {F16}, 1, NEAREST},
    {"gfx803", "v_sin_f16 v8, v0", ref_sin, F16, {F16}, 1, NEAREST},
    {"gfx803", "v_cos_f16 v8, v0", ref_cos, F16, {F16}, 1, NEAREST},
    {"gfx1030", "v_sin_f16 v8, v0", ref_sin, F16, {F16}, 1, NEAREST},
    {"gfx1030", "v_cos_f16 v8, v0", ref_cos, F16, {F16}, 1, NEAREST},
    {"gfx1250", "v_tanh_f16 v8, v0", ref_tanh, F16, {F16}, 1, NEAREST},

    {"gfx1030", "v_floor_f32 v8, v0", ref_floor, F32, {F32}, 0, 0},
    {"gfx1030", "v_ceil_f32 v8, v0", ref_ceil, F32, {F32}, 0, 0},
    {"gfx1030", "v_trunc_f32 v8, v0", ref_trunc, F32, {F32}, 0, 0},
    {"gfx1030", "v_rndne_f32 v8, v0", ref_rndne, F32, {F32}, 0, 0},
    {"gfx1030", "v_fract_f32 v8, v0", ref_fract, F32, {F32}, 0, 0},
    {"gfx1030", "v_frexp_mant_f32 v8, v0", ref_frexp_mant, F32, {F32}, 0, 0},
    {"gfx1030", "v_frexp_exp_i32_f32 v8, v0", ref_frexp_exp, I32, {F32}, 0, 0},
    {"gfx1030", "v_rcp_f32 v8, v0", ref_rcp, F32, {F32}, 1, NEAREST | FLUSHES},
    {"gfx1030", "v_rcp_iflag_f32 v8, v0", ref_rcp, F32, {F32}, 1, NEAREST | FLUSHES},
    {"gfx1030", "v_sqrt_f32 v8, v0", ref_sqrt, F32, {F32}, 1, NEAREST | FLUSHES},
    {"gfx1030", "v_rsq_f32 v8, v0", ref_rsq, F32, {F32}, 1, NEAREST | FLUSHES},
    {"gfx1030", "v_exp_f32 v8, v0", ref_exp, F32, {F32}, 1, NEAREST | FLUSHES},
    {"gfx1030", "v_log_f32 v8, v0", ref_log, F32, {F32}, 1, NEAREST | FLUSHES},
    {"gfx900", "v_exp_legacy_f32 v8, v0", ref_exp, F32, {F32}, 1, NEAREST | FLUSHES},
    {"gfx900", "v_log_legacy_f32 v8, v0", ref_log, F32, {F32}, 1, NEAREST | FLUSHES},
    {"gfx803", "v_sin_f32 v8, v0", ref_sin, F32, {F32}, 1, NEAREST},
    {"gfx803", "v_cos_f32 v8, v0", ref_cos, F32, {F32}, 1, NEAREST},
    {"gfx1030", "v_sin_f32 v8, v0", ref_sin, F32, {F32}, 1, NEAREST},
    {"gfx1030", "v_cos_f32 v8, v0", ref_cos, F32, {F32}, 1, NEAREST},
    {"gfx1250", "v_tanh_f32 v8, v0", ref_tanh, F32, {F32}, 1, NEAREST},

    {"gfx1250", "v_rcp_bf16 v8, v0", ref_rcp, BF16, {BF16}, 1, NEAREST | FLUSHES},
    {"gfx1250", "v_sqrt_bf16 v8, v0", ref_sqrt, BF16, {BF16}, 1, NEAREST | FLUSHES},
    {"gfx1250", "v_rsq_bf16 v8, v0", ref_rsq, BF16, {BF16}, 1, NEAREST | FLUSHES},
    {"gfx1250", "v_exp_bf16 v8, v0", ref_exp, BF16, {BF16}, 1, NEAREST | FLUSHES},
    {"gfx1250", "v_log_bf16 v8, v0", ref_log, BF16, {BF16}, 1, NEAREST | FLUSHES},
    {"gfx1250", "v_sin_bf16 v8, v0", ref_sin, BF16, {BF16}, 1, NEAREST | AS_F32},
    {"gfx1250", "v_cos_bf16 v8, v0", ref_cos, BF16, {BF16}, 1, NEAREST | AS_F32},
    {"gfx1250", "v_tanh_bf16 v8, v0", ref_tanh, BF16, {BF16}, 1, NEAREST | AS_F32},

    {"gfx90a", "v_floor_f64 v[8:9], v[0:1]", ref_floor, F64, {F64}, 0, 0},
    {"gfx90a", "v_ceil_f64 v[8:9], v[0:1]", ref_ceil, F64, {F64}, 0, 0},
    {"gfx90a", "v_trunc_f64 v[8:9], v[0:1]", ref_trunc, F64, {F64}, 0, 0},
    {"gfx90a", "v_rndne_f64 v[8:9], v[0:1]", ref_rndne, F64, {F64}, 0, 0},
    {"gfx90a", "v_fract_f64 v[8:9], v[0:1]", ref_fract, F64, {F64}, 0, 0},
    {"gfx90a", "v_frexp_mant_f64 v[8:9], v[0:1]", ref_frexp_mant, F64, {F64}, 0, 0},
    {"gfx90a", "v_frexp_exp_i32_f64 v8, v[0:1]", ref_frexp_exp, I32, {F64}, 0, 0},
    {"gfx90a", "v_rcp_f64 v[8:9], v[0:1]", ref_rcp, F64, {F64}, SOME, 0},
    {"gfx90a", "v_sqrt_f64 v[8:9], v[0:1]", ref_sqrt, F64, {F64}, SOME, 0},
    {"gfx90a", "v_rsq_f64 v[8:9], v[0:1]", ref_rsq, F64, {F64}, SOME, 0},
    {"gfx90a", "v_trig_preop_f64 v[8:9], v[0:1], v2", ref_trig_preop, F64, {F64, BITS}, 0, 0},

    {"gfx1030", "v_cubeid_f32 v8, v0, v2, v4", ref_cubeid, F32, {F32, F32, F32}, 0, 0},
    {"gfx1030", "v_cubesc_f32 v8, v0, v2, v4", ref_cubesc, F32, {F32, F32, F32}, 0, 0},
    {"gfx1030", "v_cubetc_f32 v8, v0, v2, v4", ref_cubetc, F32, {F32, F32, F32}, 0, 0},
    {"gfx1030", "v_cubema_f32 v8, v0, v2, v4", ref_cubema, F32, {F32, F32, F32}, 0, 0},
};
TABLE(float_functions);
