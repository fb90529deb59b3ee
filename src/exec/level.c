/* SPDX-License-Identifier: Apache-2.0 */
/* Which compilation of the row functions suits the host. */
#include "lanes.h"
#include "matrix.h"

#define LEVEL(NAME)                                              \
    extern const ez_semantic ez_semantics_##NAME[];              \
    extern const ez_drivers ez_drivers_##NAME;                   \
    extern const ez_access_functions ez_access_##NAME;           \
    static const ez_level level_##NAME = {ez_semantics_##NAME, &ez_drivers_##NAME, &ez_access_##NAME, ez_step_matrix_##NAME};

LEVEL(base)
#ifdef EZ_HAS_X86_LEVELS
LEVEL(avx2)
LEVEL(avx512)

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
}
static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#endif

const ez_level *ez_best_level(void) {
#ifdef EZ_HAS_X86_LEVELS
    if (has_avx512()) return &level_avx512;
    if (has_avx2()) return &level_avx2;
#endif
    return &level_base;
}
