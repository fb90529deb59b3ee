/* SPDX-License-Identifier: Apache-2.0 */
/* A line on the terminal for kernels that take long: emulation is slow, and silence looks like a hang. */
#define _GNU_SOURCE
#include "hsa/runtime.h"

#include <stdio.h>

#define PATIENCE_NS UINT64_C(2000000000)

/* Of several queues' kernels the last to write is seen; each line begins at the left and clears the rest. */
void ez_progress_show(ez_progress_line *line, const char *kernel, const ez_progress *p) {
    if (!ez_rt.terminal || p->time_ns < PATIENCE_NS) return;
    double share = 100.0 * (double)p->workgroups / (double)p->workgroup_count;
    fprintf(stderr, "\rexecz: %.40s: %.0f%% of %.0f workgroups, %.1f million instructions, %.0f s\033[K",
            kernel, share, (double)p->workgroup_count, (double)p->instructions / 1e6,
            (double)p->time_ns / 1e9);
    line->shown = true;
}

void ez_progress_clear(ez_progress_line *line) {
    if (line->shown) fputs("\r\033[K", stderr);
}
