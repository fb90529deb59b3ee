/* SPDX-License-Identifier: Apache-2.0 */
/* Compares, into a lane mask and into EXEC. */
#include "float_tables.h"

#define CMP(C, NAME, T, F, A, B) \
    {"gfx900", "v_cmp_" NAME "_" T " vcc, " A ", " B "\nv_cndmask_b32 v8, 0, 1, vcc", ref_cmp_##C, U32, {F, F}, 0, 0}
#define CMPX(C, NAME, T, F, A, B)                                                                                          \
    {"gfx1030", "v_mov_b32 v8, 0\nv_cmpx_" NAME "_" T " " A ", " B "\nv_mov_b32 v8, 1\ns_mov_b64 exec, -1", ref_cmp_##C, U32, {F, F}, 0, 0}
#define EACH(X, T, F, A, B)                                                                                    \
    X(f, "f", T, F, A, B), X(lt, "lt", T, F, A, B), X(eq, "eq", T, F, A, B), X(le, "le", T, F, A, B),           \
    X(gt, "gt", T, F, A, B), X(lg, "lg", T, F, A, B), X(ge, "ge", T, F, A, B), X(o, "o", T, F, A, B),           \
    X(u, "u", T, F, A, B), X(nge, "nge", T, F, A, B), X(nlg, "nlg", T, F, A, B), X(ngt, "ngt", T, F, A, B),     \
    X(nle, "nle", T, F, A, B), X(neq, "neq", T, F, A, B), X(nlt, "nlt", T, F, A, B), X(t, "tru", T, F, A, B)

static const float_test tests[] = {
    EACH(CMP, "f16", F16, "v0", "v2"),
    EACH(CMP, "f32", F32, "v0", "v2"),
    EACH(CMP, "f64", F64, "v[0:1]", "v[2:3]"),
    EACH(CMPX, "f16", F16, "v0", "v2"),
    EACH(CMPX, "f32", F32, "v0", "v2"),
    EACH(CMPX, "f64", F64, "v[0:1]", "v[2:3]"),
    {"gfx803", "v_cmp_lt_f32 vcc, v0, v2\nv_cndmask_b32 v8, 0, 1, vcc", ref_cmp_lt, U32, {F32, F32}, 0, 0},
    {"gfx1200", "v_cmp_lt_f32 vcc, v0, v2\nv_cndmask_b32 v8, 0, 1, vcc", ref_cmp_lt, U32, {F32, F32}, 0, 0},
    {"gfx900", "v_cmp_class_f16 vcc, v0, v2\nv_cndmask_b32 v8, 0, 1, vcc", ref_class, U32, {F16, BITS}, 0, 0},
    {"gfx900", "v_cmp_class_f32 vcc, v0, v2\nv_cndmask_b32 v8, 0, 1, vcc", ref_class, U32, {F32, BITS}, 0, 0},
    {"gfx900", "v_cmp_class_f64 vcc, v[0:1], v2\nv_cndmask_b32 v8, 0, 1, vcc", ref_class, U32, {F64, BITS}, 0, 0},
    {"gfx1030", "v_mov_b32 v8, 0\nv_cmpx_class_f16 v0, v2\nv_mov_b32 v8, 1\ns_mov_b64 exec, -1", ref_class, U32, {F16, BITS}, 0, 0},
    {"gfx1030", "v_mov_b32 v8, 0\nv_cmpx_class_f32 v0, v2\nv_mov_b32 v8, 1\ns_mov_b64 exec, -1", ref_class, U32, {F32, BITS}, 0, 0},
    {"gfx1030", "v_mov_b32 v8, 0\nv_cmpx_class_f64 v[0:1], v2\nv_mov_b32 v8, 1\ns_mov_b64 exec, -1", ref_class, U32, {F64, BITS}, 0, 0},
};
TABLE(float_compares);
