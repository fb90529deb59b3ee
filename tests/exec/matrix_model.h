/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where elements of matrices are, written down a second time, as the formulas of AMD's matrix instruction calculator and the tables
 * of the ISA guides have them; and matrix instructions made field by field. For the tests of matrix instructions.
 */
#ifndef MATRIX_MODEL_H
#define MATRIX_MODEL_H

#include "harness.h"

#include "codec/codec.h"

/* What the tests know of a row of the table: from its name and operand types. */
typedef struct shape {
    unsigned op, wave;
    const ez_target *target;
    unsigned m, n, k, blocks;
    bool sparse, scaled, cdna;
    char a[8], b[8], c[8], d[8]; /* "f16", "bf16", "fp8", "iu4", ... */
    unsigned a_format, b_format; /* of mixed-format instructions: 0 FP8, 1 BF8, 2 FP6, 3 BF6, 4 FP4 */
} shape;

typedef struct spot {
    unsigned lane, bit; /* bit: from bit 0 of the first register on */
} spot;

/* Registers that the tests use: A, B, C, D, index or scales. */
enum { REG_A = 0, REG_B = 32, REG_C = 64, REG_D = 96, REG_X = 130, REG_Y = 134 };

/* False when the row is no matrix instruction of the target in such waves. */
bool shape_of(const ez_target *target, unsigned wave, unsigned op, unsigned a_format, unsigned b_format, shape *s);

unsigned element_bits(const char *element);

/* A's element (i, k) of a block; of a sparse A k counts stored elements. B's element (k, j). C's and D's (i, j). */
spot spot_of_a(const shape *s, unsigned block, unsigned i, unsigned k);
spot spot_of_b(const shape *s, unsigned block, unsigned k, unsigned j);
spot spot_of_c(const shape *s, const char *element, unsigned block, unsigned i, unsigned j);

/* Sets and gets bits of VGPRs; of C and D in AGPRs where the target has no other place. */
void put_bits(ez_wave *w, unsigned reg, spot at, unsigned bits, uint64_t value);
uint64_t get_bits(const ez_wave *w, unsigned reg, spot at, unsigned bits);
void put_c(ez_wave *w, const shape *s, unsigned block, unsigned i, unsigned j, uint64_t value);
uint64_t get_d(const ez_wave *w, const shape *s, unsigned block, unsigned i, unsigned j);

/* The instruction on these registers. */
ez_inst matrix_inst(const shape *s);
/* Runs it; returns why the wave stopped (EZ_STOP_END: done). */
ez_stop run_inst(ez_wave *w, const ez_inst *inst);

/* A number as an element, exact, or the bits of it as a number. */
uint64_t encode_number(const char *element, double value);

#endif
