/* SPDX-License-Identifier: Apache-2.0 */
/* What AMD's instructions do to one lane, after the pseudocode of the instruction set guides. Where they leave something
 * open: docs/errata.md. */
#ifndef REF_AMD_H
#define REF_AMD_H

#include "ref_mpfr.h"

typedef uint64_t ref_function(const ref_call *c);

ref_function ref_add, ref_sub, ref_subrev, ref_mul, ref_fma, ref_mad, ref_mad_f32, ref_mul_dx9, ref_fma_dx9, ref_mad_dx9,
    ref_mullit, ref_ldexp, ref_div_scale, ref_div_scale_mask, ref_div_fmas, ref_div_fixup, ref_divide;
ref_function ref_min, ref_max, ref_min3, ref_max3, ref_med3, ref_minmax, ref_maxmin, ref_minimum, ref_maximum, ref_minimum3,
    ref_maximum3, ref_minimummaximum, ref_maximumminimum;
ref_function ref_floor, ref_ceil, ref_trunc, ref_rndne, ref_fract, ref_frexp_mant, ref_frexp_exp, ref_rcp, ref_sqrt, ref_rsq,
    ref_exp, ref_log, ref_sin, ref_cos, ref_tanh, ref_trig_preop, ref_cubeid, ref_cubesc, ref_cubetc, ref_cubema;
ref_function ref_cvt, ref_cvt_widen_bf16, ref_cvt_high, ref_cvt_floor, ref_cvt_nearest, ref_cvt_off, ref_cvt_ubyte0,
    ref_cvt_ubyte1, ref_cvt_ubyte2, ref_cvt_ubyte3, ref_cvt_pk_u8, ref_cvt_norm, ref_cvt_pk_norm_i16, ref_cvt_pk_norm_u16,
    ref_cvt_pk_i16, ref_cvt_pk_u16, ref_cvt_pk_nearest, ref_pack, ref_cvt_sr, ref_cvt_sr_pk;
ref_function ref_mix, ref_mix_mad, ref_mix_rtz, ref_dot2, ref_dot2_f16, ref_dot2_bf16, ref_dot2_products_first, ref_dot2_grid, ref_dot4;
ref_function ref_cmp_f, ref_cmp_lt, ref_cmp_eq, ref_cmp_le, ref_cmp_gt, ref_cmp_lg, ref_cmp_ge, ref_cmp_o, ref_cmp_u,
    ref_cmp_nge, ref_cmp_nlg, ref_cmp_ngt, ref_cmp_nle, ref_cmp_neq, ref_cmp_nlt, ref_cmp_t, ref_class;

/* Output modifiers: omod 0 none, 1 times 2, 2 times 4, 3 half; then clamp. */
uint64_t ref_output(ref_format f, uint64_t x, unsigned omod, bool clamp, const ref_mode *mode);

#endif
