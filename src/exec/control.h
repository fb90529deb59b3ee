/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that the lowering itself puts in: faults, ends of blocks, upkeep of EXEC. */
#ifndef EZ_CONTROL_H
#define EZ_CONTROL_H

#include "step.h"

ez_step_fn ez_step_fault;          /* imm: kind, reason */
ez_step_fn ez_step_fall_through;   /* to the block at the step's offset */
ez_step_fn ez_step_exec_changed;   /* after a write to the EXEC slots */
ez_step_fn ez_step_copy_to_exec;   /* the lane mask in dst[0] */

/* Recomputes the key of a wave from its registers. */
void ez_wave_update_key(ez_wave *w);

#endif
