/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Float operations by MPFR: rounded once to the format, in each rounding and denormal mode, with AMD's rules for NaNs.
 * The judge of the library's own semantics, written apart from them.
 *
 * Sources: AMD's instruction set guides, the pseudocode of each instruction, "Input modifiers" and the register MODE; which
 * NaN comes back: the first NaN operand, made quiet, else 7e00, 7fc00000, 7ff8000000000000.
 */
#ifndef REF_MPFR_H
#define REF_MPFR_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ref_format { REF_F16, REF_F32, REF_F64, REF_I32, REF_I16, REF_U32, REF_FORMATS } ref_format;

/* Bits of the formats, and of their parts. */
typedef struct ref_layout {
    unsigned bits, fraction, bias;
} ref_layout;
extern const ref_layout ref_layouts[]; /* of the floats */

typedef enum ref_operation {
    REF_ADD, REF_SUB, REF_MUL, REF_FMA,
    REF_FLOOR, REF_CEIL, REF_TRUNC, REF_RNDNE, REF_FRACT,
    REF_LDEXP, REF_FREXP_MANT, REF_FREXP_EXP,
    REF_CONVERT, /* between floats, to and from integers */
    REF_DIVIDE,  /* what a compiler's sequence of DIV_SCALE, DIV_FMAS and DIV_FIXUP has to give */
    REF_RCP, REF_SQRT, REF_RSQ, REF_EXP2, REF_LOG2, REF_SIN, REF_COS
} ref_operation;

typedef struct ref_mpfr_mode {
    unsigned round;              /* 0 nearest even, 1 up, 2 down, 3 to zero: of the result's format */
    bool keep_in, keep_out;      /* denormals of the sources' format, of the result's */
} ref_mpfr_mode;

/* The bits of the result for the bits of up to three sources. */
uint64_t ref_mpfr(ref_operation operation, ref_format result, const ref_format source[3], const uint64_t in[3],
                  const ref_mpfr_mode *mode);

bool ref_is_nan(ref_format format, uint64_t bits);

/* How many values of the format lie between two, that are no NaNs: -0 and +0 are one. */
uint64_t ref_distance(ref_format format, uint64_t a, uint64_t b);

#endif
