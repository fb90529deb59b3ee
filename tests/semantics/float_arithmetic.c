/* SPDX-License-Identifier: Apache-2.0 */
/* Sums, products, multiply-adds, divisions, and the modifiers of their results. */
#include "float_tables.h"

/* ---- with a literal ---- */

static ref_call with_literal(const ref_call *c, unsigned place) {
    ref_call r = *c;
    ref_format f = c->result;
    r.source[2] = f;
    if (place == 1) r.in[2] = c->in[1];
    r.in[place] = f == F16 ? 0x4248 : f == F32 ? 0x40490fdb : UINT64_C(0x400921fb54442d18);
    return r;
}
#define LITERAL(NAME, REFERENCE, PLACE)           \
    static uint64_t NAME(const ref_call *c) {     \
        ref_call r = with_literal(c, PLACE);      \
        return REFERENCE(&r);                     \
    }
LITERAL(fmamk, ref_fma, 1)
LITERAL(fmaak, ref_fma, 2)
LITERAL(madmk, ref_mad, 1)
LITERAL(madak, ref_mad, 2)
LITERAL(madmk_f32, ref_mad_f32, 1)
LITERAL(madak_f32, ref_mad_f32, 2)

/* DIV_SCALE of the denominator */
static uint64_t div_scale_same(const ref_call *c) {
    ref_call r = *c;
    r.in[1] = r.in[0];
    return ref_div_scale(&r);
}

static const float_test tests[] = {
    /* half floats */
    {"gfx1030", "v_add_f16 v8, v0, v2", ref_add, F16, {F16, F16}, 0, OVERFLOWS},
    {"gfx1030", "v_sub_f16 v8, v0, v2", ref_sub, F16, {F16, F16}, 0, OVERFLOWS},
    {"gfx1030", "v_subrev_f16 v8, v0, v2", ref_subrev, F16, {F16, F16}, 0, OVERFLOWS},
    {"gfx1030", "v_mul_f16 v8, v0, v2", ref_mul, F16, {F16, F16}, 0, OVERFLOWS},
    {"gfx1030", "v_fma_f16 v8, v0, v2, v4", ref_fma, F16, {F16, F16, F16}, 0, OVERFLOWS},
    {"gfx900", "v_fma_f16 v8, v0, v2, v4", ref_fma, F16, {F16, F16, F16}, 0, 0},
    {"gfx900", "v_fma_legacy_f16 v8, v0, v2, v4", ref_fma, F16, {F16, F16, F16}, 0, 0},
    {"gfx1030", "v_fmac_f16 v8, v0, v2", ref_fma, F16, {F16, F16, F16}, 0, 0},
    {"gfx1100", "v_fmac_f16 v8.l, v0.l, v2.l", ref_fma, F16, {F16, F16, F16}, 0, 0},
    {"gfx1030", "v_fmamk_f16 v8, v0, 0x4248, v2", fmamk, F16, {F16, F16}, 0, 0},
    {"gfx1030", "v_fmaak_f16 v8, v0, v2, 0x4248", fmaak, F16, {F16, F16}, 0, 0},
    {"gfx803", "v_mad_f16 v8, v0, v2, v4", ref_mad, F16, {F16, F16, F16}, 0, 0},
    {"gfx900", "v_mad_f16 v8, v0, v2, v4", ref_mad, F16, {F16, F16, F16}, 0, OVERFLOWS},
    {"gfx900", "v_mad_legacy_f16 v8, v0, v2, v4", ref_mad, F16, {F16, F16, F16}, 0, 0},
    {"gfx942", "v_mac_f16 v8, v0, v2", ref_mad, F16, {F16, F16, F16}, 0, 0},
    {"gfx803", "v_madmk_f16 v8, v0, 0x4248, v2", madmk, F16, {F16, F16}, 0, 0},
    {"gfx803", "v_madak_f16 v8, v0, v2, 0x4248", madak, F16, {F16, F16}, 0, 0},
    {"gfx1030", "v_ldexp_f16 v8, v0, v2", ref_ldexp, F16, {F16, I16}, 0, OVERFLOWS},
    {"gfx1030", "v_div_fixup_f16 v8, v0, v2, v4", ref_div_fixup, F16, {F16, F16, F16}, 0, 0},
    {"gfx900", "v_div_fixup_legacy_f16 v8, v0, v2, v4", ref_div_fixup, F16, {F16, F16, F16}, 0, 0},

    /* floats */
    {"gfx1030", "v_add_f32 v8, v0, v2", ref_add, F32, {F32, F32}, 0, 0},
    {"gfx1030", "v_sub_f32 v8, v0, v2", ref_sub, F32, {F32, F32}, 0, 0},
    {"gfx1030", "v_subrev_f32 v8, v0, v2", ref_subrev, F32, {F32, F32}, 0, 0},
    {"gfx1030", "v_mul_f32 v8, v0, v2", ref_mul, F32, {F32, F32}, 0, 0},
    {"gfx1030", "v_fma_f32 v8, v0, v2, v4", ref_fma, F32, {F32, F32, F32}, 0, 0},
    {"gfx803", "v_fma_f32 v8, v0, v2, v4", ref_fma, F32, {F32, F32, F32}, 0, 0},
    {"gfx90a", "v_fmac_f32 v8, v0, v2", ref_fma, F32, {F32, F32, F32}, 0, 0},
    {"gfx1200", "v_fmac_f32 v8, v0, v2", ref_fma, F32, {F32, F32, F32}, 0, 0},
    {"gfx1030", "v_fmamk_f32 v8, v0, 0x40490fdb, v2", fmamk, F32, {F32, F32}, 0, 0},
    {"gfx1030", "v_fmaak_f32 v8, v0, v2, 0x40490fdb", fmaak, F32, {F32, F32}, 0, 0},
    {"gfx803", "v_mad_f32 v8, v0, v2, v4", ref_mad_f32, F32, {F32, F32, F32}, 0, 0},
    {"gfx90a", "v_mad_f32 v8, v0, v2, v4", ref_mad_f32, F32, {F32, F32, F32}, 0, 0},
    {"gfx1010", "v_mac_f32 v8, v0, v2", ref_mad_f32, F32, {F32, F32, F32}, 0, 0},
    {"gfx1010", "v_madmk_f32 v8, v0, 0x40490fdb, v2", madmk_f32, F32, {F32, F32}, 0, 0},
    {"gfx1010", "v_madak_f32 v8, v0, v2, 0x40490fdb", madak_f32, F32, {F32, F32}, 0, 0},
    {"gfx1010", "v_mad_legacy_f32 v8, v0, v2, v4", ref_mad_dx9, F32, {F32, F32, F32}, 0, 0},
    {"gfx1010", "v_mac_legacy_f32 v8, v0, v2", ref_mad_dx9, F32, {F32, F32, F32}, 0, 0},
    {"gfx900", "v_mul_legacy_f32 v8, v0, v2", ref_mul_dx9, F32, {F32, F32}, 0, 0},
    {"gfx1100", "v_mul_dx9_zero_f32 v8, v0, v2", ref_mul_dx9, F32, {F32, F32}, 0, 0},
    {"gfx1030", "v_fma_legacy_f32 v8, v0, v2, v4", ref_fma_dx9, F32, {F32, F32, F32}, 0, 0},
    {"gfx1200", "v_fma_dx9_zero_f32 v8, v0, v2, v4", ref_fma_dx9, F32, {F32, F32, F32}, 0, 0},
    {"gfx1100", "v_fmac_dx9_zero_f32 v8, v0, v2", ref_fma_dx9, F32, {F32, F32, F32}, 0, 0},
    {"gfx1100", "v_mullit_f32 v8, v0, v2, v4", ref_mullit, F32, {F32, F32, F32}, 0, 0},
    {"gfx1030", "v_ldexp_f32 v8, v0, v2", ref_ldexp, F32, {F32, I32}, 0, 0},
    {"gfx1100", "v_div_scale_f32 v8, vcc, v0, v2, v4", ref_div_scale, F32, {F32, F32, F32}, 0, 0},
    {"gfx900", "v_div_scale_f32 v8, vcc, v0, v0, v4", div_scale_same, F32, {F32, F32, F32}, 0, 0},
    {"gfx1100", "v_div_scale_f32 v10, vcc, v0, v2, v4\nv_cndmask_b32 v8, 0, 1, vcc", ref_div_scale_mask, U32, {F32, F32, F32}, 0, 0},
    {"gfx1100", "v_cmp_ne_u32 vcc, 0, v6\nv_div_fmas_f32 v8, v0, v2, v4", ref_div_fmas, F32, {F32, F32, F32, BITS}, 0, 0},
    {"gfx1100", "v_div_fixup_f32 v8, v0, v2, v4", ref_div_fixup, F32, {F32, F32, F32}, 0, 0},
    {"gfx803", "v_div_fixup_f32 v8, v0, v2, v4", ref_div_fixup, F32, {F32, F32, F32}, 0, 0},

    /* doubles */
    {"gfx90a", "v_add_f64 v[8:9], v[0:1], v[2:3]", ref_add, F64, {F64, F64}, 0, 0},
    {"gfx1200", "v_add_f64 v[8:9], v[0:1], v[2:3]", ref_add, F64, {F64, F64}, 0, 0},
    {"gfx90a", "v_mul_f64 v[8:9], v[0:1], v[2:3]", ref_mul, F64, {F64, F64}, 0, 0},
    {"gfx1200", "v_mul_f64 v[8:9], v[0:1], v[2:3]", ref_mul, F64, {F64, F64}, 0, 0},
    {"gfx90a", "v_fma_f64 v[8:9], v[0:1], v[2:3], v[4:5]", ref_fma, F64, {F64, F64, F64}, 0, 0},
    {"gfx90a", "v_fmac_f64 v[8:9], v[0:1], v[2:3]", ref_fma, F64, {F64, F64, F64}, 0, 0},
    {"gfx1250", "v_fmamk_f64 v[8:9], v[0:1], 0x400921fb54442d18, v[2:3]", fmamk, F64, {F64, F64}, 0, 0},
    {"gfx1250", "v_fmaak_f64 v[8:9], v[0:1], v[2:3], 0x400921fb54442d18", fmaak, F64, {F64, F64}, 0, 0},
    {"gfx90a", "v_ldexp_f64 v[8:9], v[0:1], v2", ref_ldexp, F64, {F64, I32}, 0, 0},
    {"gfx90a", "v_div_scale_f64 v[8:9], vcc, v[0:1], v[2:3], v[4:5]", ref_div_scale, F64, {F64, F64, F64}, 0, 0},
    {"gfx90a", "v_div_scale_f64 v[8:9], vcc, v[0:1], v[0:1], v[4:5]", div_scale_same, F64, {F64, F64, F64}, 0, 0},
    {"gfx90a", "v_div_scale_f64 v[10:11], vcc, v[0:1], v[2:3], v[4:5]\nv_cndmask_b32 v8, 0, 1, vcc", ref_div_scale_mask, U32, {F64, F64, F64}, 0, 0},
    {"gfx90a", "v_cmp_ne_u32 vcc, 0, v6\nv_div_fmas_f64 v[8:9], v[0:1], v[2:3], v[4:5]", ref_div_fmas, F64, {F64, F64, F64, BITS}, 0, 0},
    {"gfx90a", "v_div_fixup_f64 v[8:9], v[0:1], v[2:3], v[4:5]", ref_div_fixup, F64, {F64, F64, F64}, 0, 0},

    /* the sequences that LLVM makes of a division: rounded once, whatever the operands */
    {"gfx1030",
     "v_div_scale_f32 v10, s[4:5], v2, v2, v0\nv_div_scale_f32 v11, vcc, v0, v2, v0\nv_rcp_f32 v12, v10\n"
     "v_fma_f32 v13, -v10, v12, 1.0\nv_fma_f32 v12, v13, v12, v12\nv_mul_f32 v13, v11, v12\n"
     "v_fma_f32 v14, -v10, v13, v11\nv_fma_f32 v13, v14, v12, v13\nv_fma_f32 v10, -v10, v13, v11\n"
     "v_div_fmas_f32 v10, v10, v12, v13\nv_div_fixup_f32 v8, v10, v2, v0",
     ref_divide, F32, {F32, F32}, 0, DEFAULT | ANY_NAN | MANY},
    {"gfx90a",
     "v_div_scale_f64 v[10:11], s[4:5], v[2:3], v[2:3], v[0:1]\nv_rcp_f64 v[12:13], v[10:11]\n"
     "v_fma_f64 v[14:15], -v[10:11], v[12:13], 1.0\nv_fma_f64 v[12:13], v[12:13], v[14:15], v[12:13]\n"
     "v_fma_f64 v[14:15], -v[10:11], v[12:13], 1.0\nv_div_scale_f64 v[16:17], vcc, v[0:1], v[2:3], v[0:1]\n"
     "v_fma_f64 v[12:13], v[12:13], v[14:15], v[12:13]\nv_mul_f64 v[14:15], v[16:17], v[12:13]\n"
     "v_fma_f64 v[10:11], -v[10:11], v[14:15], v[16:17]\nv_div_fmas_f64 v[10:11], v[10:11], v[12:13], v[14:15]\n"
     "v_div_fixup_f64 v[8:9], v[10:11], v[2:3], v[0:1]",
     ref_divide, F64, {F64, F64}, 0, DEFAULT | ANY_NAN | MANY},

    /* modifiers of results */
    {"gfx803", "v_add_f16 v8, v0, v2 clamp", ref_add, F16, {F16, F16}, 0, 0},
    {"gfx1030", "v_mul_f16 v8, v0, v2 mul:2", ref_mul, F16, {F16, F16}, 0, IEEE},
    {"gfx1200", "v_mul_f16 v8, v0, v2 div:2", ref_mul, F16, {F16, F16}, 0, 0},
    {"gfx900", "v_add_f32 v8, v0, v2 mul:2", ref_add, F32, {F32, F32}, 0, IEEE},
    {"gfx900", "v_mul_f32 v8, v0, v2 mul:4", ref_mul, F32, {F32, F32}, 0, IEEE},
    {"gfx1030", "v_mul_f32 v8, v0, v2 clamp div:2", ref_mul, F32, {F32, F32}, 0, IEEE},
    {"gfx1100", "v_mul_f32 v8, v0, v2 div:2", ref_mul, F32, {F32, F32}, 0, IEEE},
    {"gfx1200", "v_fma_f32 v8, v0, v2, v4 mul:4", ref_fma, F32, {F32, F32, F32}, 0, 0},
    {"gfx1200", "v_mul_f32 v8, v0, v2 clamp", ref_mul, F32, {F32, F32}, 0, 0},
    {"gfx90a", "v_mul_f64 v[8:9], v[0:1], v[2:3] div:2", ref_mul, F64, {F64, F64}, 0, IEEE},
    {"gfx90a", "v_add_f64 v[8:9], v[0:1], v[2:3] clamp", ref_add, F64, {F64, F64}, 0, 0},
    {"gfx900", "v_pk_fma_f16 v8, v0, v2, v4 clamp", ref_fma, PK16, {PK16, PK16, PK16}, 0, 0},
    {"gfx1250", "v_pk_mul_bf16 v8, v0, v2 clamp", ref_mul, PKB16, {PKB16, PKB16}, 0, KEEPS},
    {"gfx90a", "v_pk_add_f32 v[8:9], v[0:1], v[2:3] clamp", ref_add, PK32, {PK32, PK32}, 0, 0},
};
TABLE(float_arithmetic);
