/* SPDX-License-Identifier: Apache-2.0 */
#include "host_flush.h"

#include <string.h>

#include "access.h"
#include "lanes.h"

#ifdef __SSE2__
#include <immintrin.h>
enum { DAZ = 0x40, FTZ = 0x8000 };
static void set_host(bool flushes) {
    uint32_t csr = _mm_getcsr();
    _mm_setcsr(flushes ? csr | DAZ | FTZ : csr & ~(uint32_t)(DAZ | FTZ));
}
#else /* no SIMD level says that the host flushes */
static void set_host(bool flushes) { (void)flushes; }
#endif

void ez_step_host_flushes(ez_wave *w, const ez_step *s) {
    (void)s;
    w->scope.md = &w->hosted;
    set_host(true);
}

void ez_step_host_keeps(ez_wave *w, const ez_step *s) {
    (void)s;
    w->scope.md = &w->md;
    set_host(false);
}

void ez_host_keeps(ez_wave *w) {
    if (w->scope.md == &w->hosted) ez_step_host_keeps(w, NULL);
}

uint32_t ez_without_host(ez_row_fn *row, const ez_lanes *x) {
    ez_fpmode mode = *x->scope.md;
    ez_lanes copy = *x;
    mode.flush_in32 = mode.flush_out32 = ~0u;
    mode.host_flushes = 0;
    copy.scope.md = &mode;
    set_host(false);
    uint32_t raised = row(&copy);
    set_host(true);
    return raised;
}

/* ---- lowering ---- */

enum { WORTH_IT = 4 }; /* steps of a run */

static bool is_host(const ez_level *level, const ez_step *s) {
    if (!s->inst || !s->row || s->fn == level->drivers->modified) return false; /* output modifiers calculate, too */
    const ez_semantic *sem = &level->semantics[s->inst->op];
    return sem->host && s->row == sem->row;
}

static unsigned run_length(const ez_level *level, const ez_step *steps, unsigned count) {
    unsigned n = 0;
    while (n < count && is_host(level, &steps[n])) n++;
    return n;
}

/* A run of `count` steps with the two around it. The step before takes over what is skipped before the run, so that a limit on
 * instructions stops at the right one; the step behind stands where the next instruction's skipped ones begin. There is one: a run is
 * never the block's end. */
static void surround(const ez_step *run, unsigned count, ez_step *to) {
    const ez_step *next = run + count;
    to[0] = (ez_step){.fn = ez_step_host_flushes, .offset = run->offset, .counts = run->skipped, .skipped = run->skipped};
    memcpy(to + 1, run, count * sizeof *to);
    to[1].counts -= to[1].skipped;
    to[1].skipped = 0;
    to[1 + count] = (ez_step){.fn = ez_step_host_keeps, .offset = next->offset - 4u * next->skipped};
}

unsigned ez_host_flush_runs(const ez_level *level, const ez_step *steps, unsigned count, ez_step *to) {
    unsigned made = 0;
    for (unsigned i = 0; i < count;) {
        unsigned n = run_length(level, steps + i, count - i), taken = n ? n : 1;
        bool worth = n >= WORTH_IT;
        if (to && worth) surround(steps + i, taken, to + made);
        else if (to) memcpy(to + made, steps + i, taken * sizeof *to);
        made += worth ? taken + 2 : taken;
        i += taken;
    }
    return made;
}
