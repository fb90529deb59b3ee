/* SPDX-License-Identifier: Apache-2.0 */
#include "float_tables.h"

static const float_test tests[] = {
    /* half floats */
    {"gfx1030", "v_cvt_f16_f32 v8, v0", ref_cvt, F16, {F32}, 0, OVERFLOWS},
    {"gfx1200", "v_cvt_f16_f32 v8, v0", ref_cvt, F16, {F32}, 0, OVERFLOWS},
    {"gfx1030", "v_cvt_f32_f16 v8, v0", ref_cvt, F32, {F16}, 0, 0},
    {"gfx1030", "v_cvt_pkrtz_f16_f32 v8, v0, 0", ref_cvt, F16, {F32}, 0, RTZ},
    {"gfx1030", "v_cvt_i16_f16 v8, v0", ref_cvt, I16, {F16}, 0, 0},
    {"gfx1030", "v_cvt_u16_f16 v8, v0", ref_cvt, U16, {F16}, 0, 0},
    {"gfx1030", "v_cvt_f16_i16 v8, v0", ref_cvt, F16, {I16}, 0, 0},
    {"gfx1030", "v_cvt_f16_u16 v8, v0", ref_cvt, F16, {U16}, 0, OVERFLOWS},
    {"gfx1030", "v_cvt_norm_i16_f16 v8, v0", ref_cvt_norm, I16, {F16}, 0, 0},
    {"gfx1030", "v_cvt_norm_u16_f16 v8, v0", ref_cvt_norm, U16, {F16}, 0, 0},
    {"gfx1030", "v_cvt_pknorm_i16_f16 v8, v0, v2", ref_cvt_pk_norm_i16, BITS, {F16, F16}, 0, 0},
    {"gfx1030", "v_cvt_pknorm_u16_f16 v8, v0, v2", ref_cvt_pk_norm_u16, BITS, {F16, F16}, 0, 0},
    {"gfx1030", "v_pack_b32_f16 v8, v0, v2", ref_pack, PK16, {F16, F16}, 0, 0},
    {"gfx950", "v_cvt_pk_f16_f32 v8, v0, v2", ref_cvt_pk_nearest, PK16, {F32, F32}, 0, OVERFLOWS},

    /* floats */
    {"gfx1030", "v_cvt_i32_f32 v8, v0", ref_cvt, I32, {F32}, 0, 0},
    {"gfx1030", "v_cvt_u32_f32 v8, v0", ref_cvt, U32, {F32}, 0, 0},
    {"gfx1030", "v_cvt_f32_i32 v8, v0", ref_cvt, F32, {I32}, 0, 0},
    {"gfx1030", "v_cvt_f32_u32 v8, v0", ref_cvt, F32, {U32}, 0, 0},
    {"gfx803", "v_cvt_flr_i32_f32 v8, v0", ref_cvt_floor, I32, {F32}, 0, 0},
    {"gfx1200", "v_cvt_floor_i32_f32 v8, v0", ref_cvt_floor, I32, {F32}, 0, 0},
    {"gfx803", "v_cvt_rpi_i32_f32 v8, v0", ref_cvt_nearest, I32, {F32}, 0, 0},
    {"gfx1200", "v_cvt_nearest_i32_f32 v8, v0", ref_cvt_nearest, I32, {F32}, 0, 0},
    {"gfx1030", "v_cvt_off_f32_i4 v8, v0", ref_cvt_off, F32, {BITS}, 0, 0},
    {"gfx1030", "v_cvt_f32_ubyte0 v8, v0", ref_cvt_ubyte0, F32, {BITS}, 0, 0},
    {"gfx1030", "v_cvt_f32_ubyte1 v8, v0", ref_cvt_ubyte1, F32, {BITS}, 0, 0},
    {"gfx1030", "v_cvt_f32_ubyte2 v8, v0", ref_cvt_ubyte2, F32, {BITS}, 0, 0},
    {"gfx1030", "v_cvt_f32_ubyte3 v8, v0", ref_cvt_ubyte3, F32, {BITS}, 0, 0},
    {"gfx1030", "v_cvt_pk_u8_f32 v8, v0, v2, v4", ref_cvt_pk_u8, BITS, {F32, BITS, BITS}, 0, 0},
    {"gfx900", "v_cvt_pkaccum_u8_f32 v8, v0, v2", ref_cvt_pk_u8, BITS, {F32, BITS, BITS}, 0, 0},
    {"gfx1030", "v_cvt_pknorm_i16_f32 v8, v0, v2", ref_cvt_pk_norm_i16, BITS, {F32, F32}, 0, 0},
    {"gfx1100", "v_cvt_pk_norm_u16_f32 v8, v0, v2", ref_cvt_pk_norm_u16, BITS, {F32, F32}, 0, 0},
    {"gfx1100", "v_cvt_pk_i16_f32 v8, v0, v2", ref_cvt_pk_i16, BITS, {F32, F32}, 0, 0},
    {"gfx1100", "v_cvt_pk_u16_f32 v8, v0, v2", ref_cvt_pk_u16, BITS, {F32, F32}, 0, 0},

    /* doubles */
    {"gfx90a", "v_cvt_f32_f64 v8, v[0:1]", ref_cvt, F32, {F64}, 0, 0},
    {"gfx1200", "v_cvt_f32_f64 v8, v[0:1]", ref_cvt, F32, {F64}, 0, 0},
    {"gfx90a", "v_cvt_f64_f32 v[8:9], v0", ref_cvt, F64, {F32}, 0, 0},
    {"gfx90a", "v_cvt_f64_i32 v[8:9], v0", ref_cvt, F64, {I32}, 0, 0},
    {"gfx90a", "v_cvt_f64_u32 v[8:9], v0", ref_cvt, F64, {U32}, 0, 0},
    {"gfx90a", "v_cvt_i32_f64 v8, v[0:1]", ref_cvt, I32, {F64}, 0, 0},
    {"gfx90a", "v_cvt_u32_f64 v8, v[0:1]", ref_cvt, U32, {F64}, 0, 0},

    /* bfloats; rounding by random bits */
    {"gfx950", "v_cvt_f32_bf16 v8, v0", ref_cvt_widen_bf16, F32, {BF16}, 0, 0},
    {"gfx950", "v_cvt_pk_bf16_f32 v8, v0, v2", ref_cvt_pk_nearest, PKB16, {F32, F32}, 0, 0},
    {"gfx1250", "v_cvt_pk_bf16_f32 v8, v0, v2", ref_cvt_pk_nearest, PKB16, {F32, F32}, 0, 0},
    {"gfx950", "v_cvt_sr_f16_f32 v8, v0, v2", ref_cvt_sr, F16, {F32, BITS}, 0, OVERFLOWS},
    {"gfx950", "v_cvt_sr_bf16_f32 v8, v0, v2", ref_cvt_sr, BF16, {F32, BITS}, 0, OVERFLOWS},
    {"gfx1250", "v_cvt_sr_pk_f16_f32 v8, v0, v2, v4", ref_cvt_sr_pk, PK16, {F32, F32, BITS}, 0, OVERFLOWS},
    {"gfx1250", "v_cvt_sr_pk_bf16_f32 v8, v0, v2, v4", ref_cvt_sr_pk, PKB16, {F32, F32, BITS}, 0, OVERFLOWS},
};
TABLE(float_conversions);
