/* SPDX-License-Identifier: Apache-2.0 */
/* Floats of the scalar ALU, from RDNA 3.5 on. */
#include "float_tables.h"

static uint64_t fmamk(const ref_call *c) {
    return ref_of(REF_FMA, F32, c->in[0], 0x40490fdb, c->in[1], c->mode);
}
static uint64_t fmaak(const ref_call *c) {
    return ref_of(REF_FMA, F32, c->in[0], c->in[1], 0x40490fdb, c->mode);
}
static uint64_t pack_rtz(const ref_call *c) {
    return ref_convert(F16, F32, c->in[0], c->mode) | ref_convert(F16, F32, c->in[1], c->mode) << 16;
}

#define ONE(TARGET, NAME, D, F, REFERENCE) {TARGET, NAME " s8, s0", REFERENCE, D, {F}, 0, 0}
#define TWO(TARGET, NAME, F, REFERENCE, FLAGS) {TARGET, NAME " s8, s0, s2", REFERENCE, F, {F, F}, 0, FLAGS}
#define NEAR(TARGET, NAME, F, REFERENCE, FLAGS) {TARGET, "v_s_" NAME " s8, s0", REFERENCE, F, {F}, 1, FLAGS}
#define COMPARE(CONDITION, T, F) \
    {"gfx1150", "s_cmp_" #CONDITION "_" T " s0, s2\ns_cselect_b32 s8, 1, 0", ref_cmp_##CONDITION, U32, {F, F}, 0, 0}
#define COMPARES(T, F)                                                                                            \
    COMPARE(lt, T, F), COMPARE(eq, T, F), COMPARE(le, T, F), COMPARE(gt, T, F), COMPARE(lg, T, F), COMPARE(ge, T, F), \
    COMPARE(o, T, F), COMPARE(u, T, F), COMPARE(nge, T, F), COMPARE(nlg, T, F), COMPARE(ngt, T, F),                \
    COMPARE(nle, T, F), COMPARE(neq, T, F), COMPARE(nlt, T, F)

static const float_test tests[] = {
    TWO("gfx1150", "s_add_f32", F32, ref_add, 0),
    TWO("gfx1200", "s_sub_f32", F32, ref_sub, 0),
    TWO("gfx1150", "s_mul_f32", F32, ref_mul, 0),
    TWO("gfx1150", "s_min_f32", F32, ref_min, IEEE),
    TWO("gfx1150", "s_max_f32", F32, ref_max, IEEE),
    TWO("gfx1200", "s_min_num_f32", F32, ref_min, 0),
    TWO("gfx1200", "s_max_num_f32", F32, ref_max, 0),
    TWO("gfx1200", "s_minimum_f32", F32, ref_minimum, 0),
    TWO("gfx1200", "s_maximum_f32", F32, ref_maximum, 0),
    {"gfx1150", "s_fmac_f32 s8, s0, s2", ref_fma, F32, {F32, F32, F32}, 0, 0},
    {"gfx1150", "s_fmamk_f32 s8, s0, 0x40490fdb, s2", fmamk, F32, {F32, F32}, 0, 0},
    {"gfx1200", "s_fmaak_f32 s8, s0, s2, 0x40490fdb", fmaak, F32, {F32, F32}, 0, 0},
    TWO("gfx1150", "s_add_f16", F16, ref_add, OVERFLOWS),
    TWO("gfx1150", "s_sub_f16", F16, ref_sub, OVERFLOWS),
    TWO("gfx1200", "s_mul_f16", F16, ref_mul, OVERFLOWS),
    TWO("gfx1150", "s_min_f16", F16, ref_min, IEEE),
    TWO("gfx1150", "s_max_f16", F16, ref_max, IEEE),
    TWO("gfx1200", "s_min_num_f16", F16, ref_min, 0),
    TWO("gfx1200", "s_max_num_f16", F16, ref_max, 0),
    TWO("gfx1200", "s_minimum_f16", F16, ref_minimum, 0),
    TWO("gfx1200", "s_maximum_f16", F16, ref_maximum, 0),
    {"gfx1150", "s_fmac_f16 s8, s0, s2", ref_fma, F16, {F16, F16, F16}, 0, OVERFLOWS},
    {"gfx1150", "s_cvt_pk_rtz_f16_f32 s8, s0, s2", pack_rtz, PK16, {F32, F32}, 0, RTZ},
    ONE("gfx1150", "s_ceil_f32", F32, F32, ref_ceil),
    ONE("gfx1150", "s_floor_f32", F32, F32, ref_floor),
    ONE("gfx1150", "s_trunc_f32", F32, F32, ref_trunc),
    ONE("gfx1200", "s_rndne_f32", F32, F32, ref_rndne),
    ONE("gfx1150", "s_ceil_f16", F16, F16, ref_ceil),
    ONE("gfx1150", "s_floor_f16", F16, F16, ref_floor),
    ONE("gfx1150", "s_trunc_f16", F16, F16, ref_trunc),
    ONE("gfx1200", "s_rndne_f16", F16, F16, ref_rndne),
    ONE("gfx1150", "s_cvt_f32_i32", F32, I32, ref_cvt),
    ONE("gfx1150", "s_cvt_f32_u32", F32, U32, ref_cvt),
    ONE("gfx1150", "s_cvt_i32_f32", I32, F32, ref_cvt),
    ONE("gfx1150", "s_cvt_u32_f32", U32, F32, ref_cvt),
    {"gfx1150", "s_cvt_f16_f32 s8, s0", ref_cvt, F16, {F32}, 0, OVERFLOWS},
    ONE("gfx1150", "s_cvt_f32_f16", F32, F16, ref_cvt),
    {"gfx1150", "s_cvt_hi_f32_f16 s8, s0", ref_cvt_high, F32, {PK16}, 0, 0},

    NEAR("gfx1200", "rcp_f32", F32, ref_rcp, NEAREST | FLUSHES),
    NEAR("gfx1200", "sqrt_f32", F32, ref_sqrt, NEAREST | FLUSHES),
    NEAR("gfx1200", "rsq_f32", F32, ref_rsq, NEAREST | FLUSHES),
    NEAR("gfx1200", "exp_f32", F32, ref_exp, NEAREST | FLUSHES),
    NEAR("gfx1200", "log_f32", F32, ref_log, NEAREST | FLUSHES),
    NEAR("gfx1200", "rcp_f16", F16, ref_rcp, NEAREST),
    NEAR("gfx1200", "sqrt_f16", F16, ref_sqrt, NEAREST),
    NEAR("gfx1200", "rsq_f16", F16, ref_rsq, NEAREST),
    NEAR("gfx1200", "exp_f16", F16, ref_exp, NEAREST),
    NEAR("gfx1200", "log_f16", F16, ref_log, NEAREST),

    COMPARES("f32", F32),
    COMPARES("f16", F16),
};
TABLE(float_scalar);
