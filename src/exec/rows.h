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

/* What is the same for most instructions of a wave: a wave has one ready. */
typedef struct ez_scope {
    const uint32_t *exec; /* 0 or ~0 for each lane: which lanes of results are written */
    const ez_fpmode *md;
    unsigned lanes;       /* 32 or 64 */
    bool full;            /* all lanes are written */
} ez_scope;

/* The operands of a row function. A 64-bit operand is two rows, `lanes` apart. */
typedef struct ez_lanes {
    ez_scope scope;
    uint32_t *d[EZ_STEP_DSTS];
    const uint32_t *s[EZ_STEP_SRCS];
    uint32_t keep16; /* the bits that a 16-bit result replaces: the low half, the high one, or all with zeros above it */
} ez_lanes;

/* Returns the exception flags that the active lanes raised (0 from the plain variant). */
typedef uint32_t ez_row_fn(const ez_lanes *x);

/* Runs a row function, which is called where the host flushes denormals, as if it did not: host_flush.h. */
uint32_t ez_without_host(ez_row_fn *row, const ez_lanes *x);

#endif
