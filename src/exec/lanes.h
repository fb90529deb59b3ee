/* SPDX-License-Identifier: Apache-2.0 */
/* How each row of the ISA table is executed. */
#ifndef EZ_LANES_H
#define EZ_LANES_H

#include "rows.h"
#include "step.h"

typedef enum ez_semantic_kind {
    EZ_SEM_NONE,  /* not implemented: running it stops the wave */
    EZ_SEM_LANES, /* a row function, lane by lane */
    EZ_SEM_STEP   /* a step of its own */
} ez_semantic_kind;

enum { EZ_MIX_F16 = 1, EZ_MIX_BF16 };

/* How a row of the ISA table is executed. */
typedef struct ez_semantic {
    uint8_t kind;
    uint8_t host_round;   /* 32, 64: host arithmetic rounds as MODE says for that width; 0: as ever */
    bool ends;            /* a basic block ends here: the step may go elsewhere or change modes */
    bool packed;          /* op_sel, op_sel_hi, neg_lo and neg_hi apply to halves of sources */
    uint8_t mix;          /* EZ_MIX_...: they choose between f32 and halves of that type instead */
    bool high;            /* the result goes to the high half */
    uint32_t ulp;         /* hardware may differ by so many units in the last place; 0: exact; EZ_ULP_UNKNOWN */
    ez_row_fn *row;       /* plain */
    ez_row_fn *flagged;   /* the same, keeping flags; NULL: raises none */
    ez_row_fn *saturated; /* with the clamp bit, for integer results */
    ez_step_fn *step;
    ez_prepare_fn *prepare;
} ez_semantic;

/* The best level that the host has; never NULL. The table has EZ_OP_COUNT entries. */
const ez_semantic *ez_semantics(void);

#endif
