/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Float operations by MPFR: rounded once to the format, in each rounding and denormal mode, with AMD's rules for NaNs.
 * The judge of the library's own semantics, written apart from them; what instructions make of these operations: ref_amd.h.
 *
 * Sources: AMD's instruction set guides, the pseudocode of each instruction, "Input modifiers" and the register MODE; which
 * NaN comes back: the first NaN operand, made quiet unless MODE.IEEE is 0, else fe00, ffc00000, fff8000000000000; docs/errata.md.
 */
#ifndef REF_MPFR_H
#define REF_MPFR_H

#include <stdbool.h>
#include <stdint.h>

/* What a register holds. The packed ones have two, the bytes four. */
typedef enum ref_format {
    REF_ABSENT, REF_F16, REF_BF16, REF_F32, REF_F64, REF_I16, REF_U16, REF_I32, REF_U32,
    REF_FP8, REF_BF8, /* bytes */
    REF_BITS,         /* any 32 bits */
    REF_PK_F16, REF_PK_BF16, REF_PK_F32,
    REF_FORMATS
} ref_format;

/* Bits of the formats, and of their parts. */
typedef struct ref_layout {
    unsigned bits, fraction, bias;
} ref_layout;
extern const ref_layout ref_layouts[REF_FORMATS]; /* of the floats */

typedef enum ref_operation {
    REF_ADD, REF_SUB, REF_MUL, REF_FMA,
    REF_FLOOR, REF_CEIL, REF_TRUNC, REF_RNDNE, REF_FRACT,
    REF_LDEXP, REF_FREXP_MANT, REF_FREXP_EXP,
    REF_CONVERT, /* between floats, to and from integers */
    REF_DIVIDE,  /* what a compiler's sequence of DIV_SCALE, DIV_FMAS and DIV_FIXUP has to give */
    REF_RCP, REF_SQRT, REF_RSQ, REF_EXP2, REF_LOG2, REF_SIN, REF_COS, REF_TANH
} ref_operation;

/* Which operand a minimum gives of two NaNs; docs/errata.md. */
typedef enum ref_nans { REF_NANS_SECOND, REF_NANS_FIRST, REF_NANS_NUMBER } ref_nans;

/* MODE, and what the target makes of it. */
typedef struct ref_mode {
    unsigned round32, round16_64;   /* 0 nearest even, 1 up, 2 down, 3 to zero */
    unsigned denorm32, denorm16_64; /* bit 0: those of sources are kept, bit 1: of results */
    bool ieee, dx10_clamp, fp16_ovfl;
    bool keeps_signalling; /* the IEEE bit exists and is 0 */
    ref_nans nans;
    bool minmax_denorm; /* minima and maxima look at the denormal mode */
    bool dot2_flush, dot_complement, trig_256;
} ref_mode;

unsigned ref_round(const ref_mode *mode, ref_format f);
bool ref_keeps_in(const ref_mode *mode, ref_format f);
bool ref_keeps_out(const ref_mode *mode, ref_format f);

/* What one lane of an instruction is made of: the bits of its sources, and their formats. */
typedef struct ref_call {
    ref_format result, source[4];
    uint64_t in[4];
    const ref_mode *mode;
} ref_call;

/* The bits of the result. */
uint64_t ref_mpfr(ref_operation operation, const ref_call *c);

/* The same for operands of one format. */
uint64_t ref_of(ref_operation operation, ref_format f, uint64_t a, uint64_t b, uint64_t c, const ref_mode *mode);
uint64_t ref_convert(ref_format to, ref_format from, uint64_t a, const ref_mode *mode);

/* (a * b + c) * 2^scale, rounded once. */
uint64_t ref_scaled_fma(ref_format f, uint64_t a, uint64_t b, uint64_t c, long scale, const ref_mode *mode);
/* To the nearest integer in the given rounding mode, between the limits; a NaN is 0. `times`: scaled first. */
int64_t ref_integer(ref_format f, uint64_t a, unsigned round, int64_t low, int64_t high, unsigned times);
/* floor(a + 0.5), exact before the floor */
int64_t ref_half_up(ref_format f, uint64_t a, int64_t low, int64_t high);
/* -1, 0, 1: of two numbers, no NaNs; and of |a| with |b| * 2^scale */
int ref_compare(ref_format f, uint64_t a, uint64_t b);
int ref_compare_magnitudes(ref_format f, uint64_t a, uint64_t b, long scale);
/* 53 bits of 2 / pi from the given one on, times 2^scale: a double */
uint64_t ref_two_over_pi(unsigned from, long scale, const ref_mode *mode);

/* ---- bits ---- */

bool ref_is_float(ref_format f);
bool ref_is_nan(ref_format f, uint64_t x);
bool ref_is_signalling(ref_format f, uint64_t x);
bool ref_is_inf(ref_format f, uint64_t x);
bool ref_is_zero(ref_format f, uint64_t x);
bool ref_is_denormal(ref_format f, uint64_t x);
bool ref_sign(ref_format f, uint64_t x);
unsigned ref_exponent(ref_format f, uint64_t x);
uint64_t ref_magnitude(ref_format f, uint64_t x);
uint64_t ref_negated(ref_format f, uint64_t x);
uint64_t ref_with_sign(ref_format f, bool minus, uint64_t magnitude);
uint64_t ref_infinity(ref_format f, bool minus);
uint64_t ref_quiet(ref_format f, uint64_t x);
uint64_t ref_quiet_by(ref_format f, uint64_t x, const ref_mode *mode); /* unless MODE.IEEE is there and 0 */
uint64_t ref_default_nan(ref_format f);
uint64_t ref_flushed(ref_format f, uint64_t x, bool keep); /* keeps the sign */
uint64_t ref_flushed_in(ref_format f, uint64_t x, const ref_mode *mode);
uint64_t ref_flushed_out(ref_format f, uint64_t x, const ref_mode *mode);

/* How many values of the format lie between two, that are no NaNs: -0 and +0 are one. */
uint64_t ref_distance(ref_format f, uint64_t a, uint64_t b);

#endif
