/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that STEP, ENDS and NEAR lines of the .def files name. */
#ifndef EZ_STEPS_H
#define EZ_STEPS_H

#include "exec/matrix.h"
#include "exec/memory.h"
#include "exec/step.h"

/* exec/control.c */
ez_step_fn ez_step_nothing;
ez_step_fn ez_step_branch, ez_step_branch_scc0, ez_step_branch_scc1, ez_step_branch_vccz, ez_step_branch_vccnz,
    ez_step_branch_execz, ez_step_branch_execnz;
ez_step_fn ez_step_getpc, ez_step_setpc, ez_step_swappc, ez_step_call, ez_step_add_pc;
ez_step_fn ez_step_endpgm, ez_step_trap, ez_step_halt;
ez_step_fn ez_step_barrier, ez_step_barrier_signal, ez_step_barrier_wait, ez_step_sendmsg;
ez_step_fn ez_step_getreg, ez_step_setreg, ez_step_round_mode, ez_step_denorm_mode, ez_step_set_vgpr_msb;
ez_step_fn ez_step_set_gpr_idx_on, ez_step_set_gpr_idx_off, ez_step_set_gpr_idx_mode, ez_step_set_gpr_idx_idx;
ez_step_fn ez_step_s_movrels, ez_step_s_movreld;
ez_step_fn ez_step_barrier_init, ez_step_barrier_join, ez_step_get_barrier_state, ez_step_sendmsg_rtn, ez_step_shader_cycles,
    ez_step_halts, ez_step_code_end, ez_step_setkill, ez_step_alloc_vgpr, ez_step_subvector_begin, ez_step_subvector_end,
    ez_step_setvskip, ez_step_s_movrelsd_2;
ez_step_fn ez_step_g_fork, ez_step_i_fork, ez_step_fork_join, ez_step_privileged, ez_step_illegal, ez_step_barrier_leave,
    ez_step_clrexcp, ez_step_waveid;
ez_prepare_fn ez_prepare_branch, ez_prepare_barrier, ez_prepare_barrier_signal, ez_prepare_named_barrier, ez_prepare_barrier_wait, ez_prepare_subvector;

/* exec/gws.c */
ez_step_fn ez_step_gws;
ez_prepare_fn ez_prepare_gws;

/* exec/crosslane.c */
ez_step_fn ez_step_readfirstlane, ez_step_readlane, ez_step_writelane, ez_step_permlane16, ez_step_permlanex16,
    ez_step_permlane16_var, ez_step_permlanex16_var, ez_step_permlane_group, ez_step_permlane_idx_gen, ez_step_permlane64, ez_step_swap, ez_step_lane_swap;
ez_step_fn ez_step_movreld, ez_step_movrels, ez_step_movrelsd, ez_step_movrelsd_2, ez_step_swaprel,
    ez_step_mqsad_u32_u8;
ez_prepare_fn ez_prepare_mqsad, ez_prepare_permlane, ez_prepare_lane_swap;

/* exec/convert.c */
ez_step_fn ez_step_convert, ez_step_perm_pk16;
ez_prepare_fn ez_prepare_convert;

#endif
