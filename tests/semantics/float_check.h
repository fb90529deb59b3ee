/* SPDX-License-Identifier: Apache-2.0 */
/* Runs an instruction on many operands in each mode and compares it with its reference (ref_amd.h). */
#ifndef FLOAT_CHECK_H
#define FLOAT_CHECK_H

#include <stddef.h>

#include "ref_amd.h"

/*
 * One line of a table. Sources are in v[0:1], v[2:3], v[4:5], v[6:7], the third also in the result's register v[8:9];
 * scalar instructions (of the names s_... and v_s_...) have s0, s2, s4 and s8 instead. The text may have several lines; the
 * output modifiers in it are applied to the reference's result. Between packed formats the reference is of one element.
 */
typedef struct float_test {
    const char *target, *text;
    ref_function *reference;
    ref_format result, source[4];
    unsigned ulp; /* 0: exact */
    unsigned flags;
} float_test;
enum {
    NEAREST = 1,    /* rounds to nearest in every mode */
    RTZ = 2,        /* rounds to zero in every mode */
    FLUSHES = 4,    /* takes and gives no denormals in any mode */
    DEFAULT = 8,    /* only in round to nearest with all denormals kept */
    IEEE = 16,      /* depends on MODE.IEEE */
    OVERFLOWS = 32, /* depends on MODE.FP16_OVFL */
    QUAD = 64,      /* the first and third source are those of the first lane of four */
    ANY_NAN = 128,  /* any NaN for any other */
    AS_F32 = 256,   /* bfloats in the modes of floats */
    KEEPS = 1024,   /* keeps denormals in every mode, but those of floats */
    MANY = 512      /* a sequence of instructions: none of them counts as tested */
};

typedef struct float_table {
    const float_test *tests;
    size_t count;
} float_table;

/* --full, --seed */
extern bool float_full;
extern uint64_t float_random_state;

/* Prints a line; returns how many results are wrong. */
uint64_t float_check(const float_test *t);

/* Calls `note` with the row (EZ_OP_...) of each instruction of the test. */
void float_instructions(const float_test *t, void (*note)(unsigned op));

#endif
