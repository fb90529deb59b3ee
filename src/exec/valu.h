/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Vector ALU: what is around a row function. A plain instruction is one call; any modifier takes the
 * long way: fetch (write modified sources to temporary rows), row function, finish.
 */
#ifndef EZ_VALU_H
#define EZ_VALU_H

#include "lanes.h"

/* What an instruction does to its sources and results besides its meaning. Made when it is lowered. */
typedef struct ez_modifiers {
    /* DPP: the lane that each lane of src0 comes from, -1: none, and what becomes of those */
    bool dpp, bound_zero, fetch_inactive;
    int8_t from[EZ_MAX_LANES];
    uint64_t dpp_lanes; /* lanes that row_mask and bank_mask let through */

    bool select; /* of the first two sources only a part is read: ez_place.sel */
    bool sdwa;
    uint8_t dst_sel, dst_unused;

    uint8_t quad[3]; /* 1 to 4: source n is that of a lane of the four, active or not */

    bool packed;
    uint8_t mix; /* EZ_MIX_... */
    uint8_t op_sel, op_sel_hi, neg_lo, neg_hi; /* bit n for source n */

    uint8_t omod; /* 0 none, 1: * 2, 2: * 4, 3: / 2 */
    bool omod_any_denorm; /* it works where denormals are kept, too */
    bool omod_infinite;   /* what it makes too large is infinite in every rounding mode */
    bool clamp;
} ez_modifiers;

/* ez_step.flags of vector instructions: whose rounding mode host arithmetic takes; in ez_wave.rounds: which is not to nearest. */
enum { EZ_STEP_ROUND32 = 1, EZ_STEP_ROUND16 = 2 };

/* Temporary rows: four for each source, so that 128-bit operands fit, and four for each result. */
enum { EZ_ROWS_EACH = 4, EZ_RESULT_ROWS = EZ_STEP_SRCS * EZ_ROWS_EACH };
_Static_assert(EZ_RESULT_ROWS + EZ_STEP_DSTS * EZ_ROWS_EACH <= EZ_DUAL_ROW, "temporary rows");

struct ez_program;
/* Chooses the driver of a vector instruction whose places, row function and modifiers are set, and fills what it reads. */
void ez_valu_resolve(struct ez_program *p, uint32_t key, ez_step *s);

/* A vector instruction in VGPR index mode: imm[0] points to the step, whose places it moves by M0[7:0] where
 * M0[15:12] says so. */
ez_step_fn ez_step_indexed;

/* Loads a special source (src_scc, src_vccz, apertures): imm[0] is its code, imm[1] the slot. */
ez_step_fn ez_step_load_special;

/* Fills the DPP16 part from dpp_ctrl; false when the control means nothing on the target. */
bool ez_dpp16_lanes(const ez_inst *inst, ez_modifiers *m);
void ez_dpp8_lanes(const ez_inst *inst, ez_modifiers *m);

#endif
