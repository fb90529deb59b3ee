/* SPDX-License-Identifier: Apache-2.0 */
/* Which compilation of the row functions suits the host. */
#include "lanes.h"

extern const ez_semantic ez_semantics_base[];
#ifdef EZ_HAS_X86_LEVELS
extern const ez_semantic ez_semantics_avx2[], ez_semantics_avx512[];
#endif

const ez_semantic *ez_semantics(void) {
#ifdef EZ_HAS_X86_LEVELS
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"))
        return ez_semantics_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return ez_semantics_avx2;
#endif
    return ez_semantics_base;
}
