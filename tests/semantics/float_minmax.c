/* SPDX-License-Identifier: Apache-2.0 */
/* Minima, maxima and medians, on each generation that has a rule of its own. */
#include "float_tables.h"

#define TWO(TARGET, NAME, F, REFERENCE) {TARGET, "v_" NAME " v8, v0, v2", REFERENCE, F, {F, F}, 0, IEEE}
#define TWO_HALVES(TARGET, NAME, REFERENCE) {TARGET, "v_" NAME " v8.l, v0.l, v2.l", REFERENCE, F16, {F16, F16}, 0, IEEE}
#define TWO_64(TARGET, NAME, REFERENCE) {TARGET, "v_" NAME " v[8:9], v[0:1], v[2:3]", REFERENCE, F64, {F64, F64}, 0, IEEE}
#define THREE(TARGET, NAME, F, REFERENCE) {TARGET, "v_" NAME " v8, v0, v2, v4", REFERENCE, F, {F, F, F}, 0, IEEE}
#define THREE_HALVES(TARGET, NAME, REFERENCE) {TARGET, "v_" NAME " v8.l, v0.l, v2.l, v4.l", REFERENCE, F16, {F16, F16, F16}, 0, IEEE}

static const float_test tests[] = {
    TWO("gfx803", "min_f16", F16, ref_min),
    TWO("gfx900", "max_f16", F16, ref_max),
    TWO_HALVES("gfx1100", "min_f16", ref_min),
    TWO("gfx1200", "max_num_f16", F16, ref_max),
    TWO("gfx803", "min_f32", F32, ref_min),
    TWO("gfx803", "max_f32", F32, ref_max),
    TWO("gfx900", "min_f32", F32, ref_min),
    TWO("gfx90a", "max_f32", F32, ref_max),
    TWO("gfx1030", "min_f32", F32, ref_min),
    TWO("gfx1100", "min_f32", F32, ref_min),
    TWO("gfx1100", "max_f32", F32, ref_max),
    TWO("gfx1200", "min_num_f32", F32, ref_min),
    TWO("gfx1200", "max_num_f32", F32, ref_max),
    TWO_64("gfx803", "min_f64", ref_min),
    TWO_64("gfx90a", "max_f64", ref_max),
    TWO_64("gfx90a", "min_f64", ref_min),
    TWO_64("gfx1100", "max_f64", ref_max),
    TWO_64("gfx1200", "min_num_f64", ref_min),
    TWO_64("gfx1200", "max_num_f64", ref_max),

    THREE("gfx900", "min3_f16", F16, ref_min3),
    THREE("gfx900", "max3_f16", F16, ref_max3),
    THREE("gfx900", "med3_f16", F16, ref_med3),
    THREE_HALVES("gfx1100", "min3_f16", ref_min3),
    THREE_HALVES("gfx1100", "med3_f16", ref_med3),
    THREE_HALVES("gfx1100", "minmax_f16", ref_minmax),
    THREE_HALVES("gfx1100", "maxmin_f16", ref_maxmin),
    THREE("gfx1200", "max3_num_f16", F16, ref_max3),
    THREE("gfx1200", "med3_num_f16", F16, ref_med3),
    THREE("gfx1200", "minmax_num_f16", F16, ref_minmax),
    THREE("gfx803", "min3_f32", F32, ref_min3),
    THREE("gfx803", "max3_f32", F32, ref_max3),
    THREE("gfx803", "med3_f32", F32, ref_med3),
    THREE("gfx90a", "min3_f32", F32, ref_min3),
    THREE("gfx90a", "med3_f32", F32, ref_med3),
    THREE("gfx1100", "max3_f32", F32, ref_max3),
    THREE("gfx1100", "med3_f32", F32, ref_med3),
    THREE("gfx1100", "minmax_f32", F32, ref_minmax),
    THREE("gfx1100", "maxmin_f32", F32, ref_maxmin),
    THREE("gfx1200", "min3_num_f32", F32, ref_min3),
    THREE("gfx1200", "med3_num_f32", F32, ref_med3),
    THREE("gfx1200", "minmax_num_f32", F32, ref_minmax),
    THREE("gfx1200", "maxmin_num_f32", F32, ref_maxmin),

    /* minimum and maximum of IEEE 754-2019 */
    TWO("gfx1200", "minimum_f16", F16, ref_minimum),
    TWO("gfx1200", "maximum_f16", F16, ref_maximum),
    TWO("gfx1200", "minimum_f32", F32, ref_minimum),
    TWO("gfx1200", "maximum_f32", F32, ref_maximum),
    TWO_64("gfx1200", "minimum_f64", ref_minimum),
    TWO_64("gfx1200", "maximum_f64", ref_maximum),
    THREE("gfx1200", "minimum3_f16", F16, ref_minimum3),
    THREE("gfx1200", "maximum3_f16", F16, ref_maximum3),
    THREE("gfx1200", "minimummaximum_f16", F16, ref_minimummaximum),
    THREE("gfx1200", "maximumminimum_f16", F16, ref_maximumminimum),
    THREE("gfx950", "minimum3_f32", F32, ref_minimum3),
    THREE("gfx950", "maximum3_f32", F32, ref_maximum3),
    THREE("gfx1200", "minimum3_f32", F32, ref_minimum3),
    THREE("gfx1200", "maximum3_f32", F32, ref_maximum3),
    THREE("gfx1200", "minimummaximum_f32", F32, ref_minimummaximum),
    THREE("gfx1200", "maximumminimum_f32", F32, ref_maximumminimum),

    /* packed */
    TWO("gfx900", "pk_min_f16", PK16, ref_min),
    TWO("gfx900", "pk_max_f16", PK16, ref_max),
    TWO("gfx1100", "pk_min_f16", PK16, ref_min),
    TWO("gfx1200", "pk_max_num_f16", PK16, ref_max),
    TWO("gfx1200", "pk_minimum_f16", PK16, ref_minimum),
    TWO("gfx1200", "pk_maximum_f16", PK16, ref_maximum),
    THREE("gfx950", "pk_minimum3_f16", PK16, ref_minimum3),
    THREE("gfx950", "pk_maximum3_f16", PK16, ref_maximum3),
    THREE("gfx1250", "pk_min3_num_f16", PK16, ref_min3),
    THREE("gfx1250", "pk_max3_num_f16", PK16, ref_max3),
    TWO("gfx1250", "pk_min_num_bf16", PKB16, ref_min),
    TWO("gfx1250", "pk_max_num_bf16", PKB16, ref_max),
};
TABLE(float_minmax);
