/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row functions: one instruction on all lanes of a wave, operands as rows. The .def files in
 * semantics/ say in one line, for one lane, what each does; lanes.c makes the loops of them, once
 * for each SIMD level of the host.
 */
#ifndef EZ_LANES_H
#define EZ_LANES_H

#include "numbers.h"
#include "step.h"

/* The operands of a row function. A 64-bit operand is two rows, `lanes` apart. */
typedef struct ez_lanes {
    uint32_t *d[EZ_STEP_DSTS];
    const uint32_t *s[EZ_STEP_SRCS];
    const uint32_t *exec; /* 0 or ~0 for each lane: which lanes of d are written */
    unsigned lanes;       /* 32 or 64 */
    uint32_t keep16;      /* a 16-bit result replaces the bits that are set here ... */
    uint32_t shift16;     /* ... after a shift to the left: by 16 for the high half */
    const ez_fpmode *md;
} ez_lanes;

/* Returns the exception flags that the active lanes raised (0 from the plain variant). */
typedef uint32_t ez_row_fn(const ez_lanes *x);

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
    uint32_t ulp;         /* hardware may differ by so many units in the last place; 0: exact */
    ez_row_fn *row;       /* plain */
    ez_row_fn *flagged;   /* the same, keeping flags; NULL: raises none */
    ez_row_fn *saturated; /* with the clamp bit, for integer results */
    ez_step_fn *step;
    ez_prepare_fn *prepare;
} ez_semantic;

/* The best level that the host has; never NULL. The table has EZ_OP_COUNT entries. */
const ez_semantic *ez_semantics(void);

#endif
