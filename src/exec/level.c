/* SPDX-License-Identifier: Apache-2.0 */
/* Which compilation of the row functions suits the host. */
#include "lanes.h"
#include "matrix.h"

extern const ez_semantic ez_semantics_base[];
#ifdef EZ_HAS_X86_LEVELS
extern const ez_semantic ez_semantics_avx2[], ez_semantics_avx512[];
#endif

#ifdef EZ_HAS_X86_LEVELS
static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
}
static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#endif

const ez_semantic *ez_semantics(void) {
#ifdef EZ_HAS_X86_LEVELS
    if (has_avx512()) return ez_semantics_avx512;
    if (has_avx2()) return ez_semantics_avx2;
#endif
    return ez_semantics_base;
}

ez_step_fn *ez_matrix_step(void) {
#ifdef EZ_HAS_X86_LEVELS
    if (has_avx512()) return ez_step_matrix_avx512;
    if (has_avx2()) return ez_step_matrix_avx2;
#endif
    return ez_step_matrix_base;
}
