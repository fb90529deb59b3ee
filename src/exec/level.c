/* SPDX-License-Identifier: Apache-2.0 */
/* Which compilation of the row functions suits the host. */
#include "lanes.h"
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

#define LEVEL(NAME, HOST)                                        \
    extern const ez_semantic ez_semantics_##NAME[];              \
    extern const ez_drivers ez_drivers_##NAME;                   \
    extern const ez_access_functions ez_access_##NAME;           \
    static const ez_level level_##NAME = {#NAME, ez_semantics_##NAME, &ez_drivers_##NAME, &ez_access_##NAME, ez_step_matrix_##NAME, HOST};

LEVEL(base, false)
static bool has_base(void) { return true; }
#ifdef EZ_HAS_X86_LEVELS
LEVEL(avx2, true)
LEVEL(avx512, true)

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma");
}
static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#endif

static const struct candidate {
    const ez_level *level;
    bool (*has)(void);
} candidates[] = { /* the best first */
#ifdef EZ_HAS_X86_LEVELS
    {&level_avx512, has_avx512},
    {&level_avx2, has_avx2},
#endif
    {&level_base, has_base}};

const ez_level *ez_level_chosen(void) {
    const char *name = getenv("EXECZ_SIMD");
    for (const struct candidate *c = candidates; c < candidates + sizeof candidates / sizeof *candidates; c++)
        if ((!name || !strcmp(name, c->level->name)) && c->has()) return c->level;
    return NULL;
}

const ez_level *ez_level_base(void) { return &level_base; }

const char *ez_simd_level(void) {
    const ez_level *level = ez_level_chosen();
    return level ? level->name : NULL;
}
