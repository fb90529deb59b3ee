/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Row functions: one instruction on all lanes of a wave, operands as rows. The .def files in
 * semantics/ say in one line, for one lane, what each does; lanes_define.h makes the loops of them, once
 * for each SIMD level of the host. Nothing here depends on the ISA tables.
 */
#ifndef EZ_ROWS_H
#define EZ_ROWS_H

#include "numbers.h"

/* results and sources that an instruction has at most */
enum { EZ_STEP_DSTS = 3, EZ_STEP_SRCS = 7 };

/* The operands of a row function. A 64-bit operand is two rows, `lanes` apart. */
typedef struct ez_lanes {
    uint32_t *d[EZ_STEP_DSTS];
    const uint32_t *s[EZ_STEP_SRCS];
    const uint32_t *exec; /* 0 or ~0 for each lane: which lanes of d are written */
    bool full;            /* all are */
    unsigned lanes;       /* 32 or 64 */
    uint32_t keep16;      /* a 16-bit result replaces the bits that are set here ... */
    uint32_t shift16;     /* ... after a shift to the left: by 16 for the high half */
    const ez_fpmode *md;
} ez_lanes;

/* Returns the exception flags that the active lanes raised (0 from the plain variant). */
typedef uint32_t ez_row_fn(const ez_lanes *x);

#endif
