/* SPDX-License-Identifier: Apache-2.0 */
/* How each row of the ISA table is executed. */
#ifndef EZ_LANES_H
#define EZ_LANES_H

#include "access.h"
#include "rows.h"
#include "step.h"

typedef enum ez_semantic_kind {
    EZ_SEM_NONE,  /* not implemented: running it stops the wave */
    EZ_SEM_LANES, /* a row function, lane by lane */
    EZ_SEM_STEP   /* a step of its own */
} ez_semantic_kind;

enum { EZ_MIX_F16 = 1, EZ_MIX_BF16 };

/* The steps of vector instructions, which call a row function: semantics/drivers.c. Which one: ez_valu_resolve(). */
typedef struct ez_drivers {
    ez_step_fn *rows, *constants, *scalars; /* one result, a VGPR; sources in VGPRs, constants among them, scalars too */
    ez_step_fn *compare;        /* one result, a lane mask */
    ez_step_fn *carry;          /* a VGPR and a lane mask */
    ez_step_fn *any;            /* whatever the places say */
    ez_step_fn *sources;        /* the same, with modifiers of sources only */
    ez_step_fn *modified;       /* with all modifiers */
    ez_step_fn *commit;         /* copies src[0] to dst[0] in the active lanes: the end of a dual instruction */
} ez_drivers;

/* How a row of the ISA table is executed. */
typedef struct ez_semantic {
    uint8_t kind;
    bool host;            /* f32 by the host's operation: while the host flushes denormals, its result is flushed as MODE would */
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

/* What is compiled for each SIMD level of the host. */
typedef struct ez_level {
    const char *name;
    const ez_semantic *semantics; /* [EZ_OP_COUNT] */
    const ez_drivers *drivers;
    const ez_access_functions *access;
    ez_step_fn *matrix;
    bool host_flushes;    /* ez_semantic.host counts */
} ez_level;

/* The best level that build and host have, or the one that EXECZ_SIMD names; NULL: they have none of that name. */
const ez_level *ez_level_chosen(void);
/* For what is the same in all of them. */
const ez_level *ez_level_base(void);

#endif
