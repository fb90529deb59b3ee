/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Denormals that the host itself flushes. x86 can do it as GPUs do: sources first (DAZ), and a result if it is below the smallest normal
 * number when it is rounded with any exponent (FTZ; Intel's manual on MXCSR: tininess is found after rounding, and what is tiny
 * becomes a zero of its sign). Turning it on and off costs as much as two instructions of a wave, so it is worth it for several that
 * follow each other: where MODE flushes, the lowering puts steps around them. Between these steps the row functions
 * see a mode that flushes nothing and leave it to the host; what they cannot do that way (NaNs) is done without.
 */
#ifndef EZ_HOST_FLUSH_H
#define EZ_HOST_FLUSH_H

#include "lanes.h"
#include "step.h"

ez_step_fn ez_step_host_flushes, ez_step_host_keeps;

/* Ends what ez_step_host_flushes() began, if it did. */
void ez_host_keeps(ez_wave *w);

/* Copies the steps of a block, with steps around runs of those that the host can do while it flushes. Returns how many that makes;
 * `to` NULL: only how many. */
unsigned ez_host_flush_runs(const ez_level *level, const ez_step *steps, unsigned count, ez_step *to);

#endif
