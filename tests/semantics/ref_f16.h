/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What v_min_f16 does to two half floats, in plain integer arithmetic: the judge of the library's
 * own semantics, written apart from them and from nothing but the manuals.
 *
 * Sources: AMD's instruction set guides, V_MIN_F16 ([CDNA3], [RDNA3]) and V_MIN_NUM_F16 ([RDNA4]),
 * "Input Modifiers", "Output Modifiers", and the registers MODE and TRAPSTS / EXCP_FLAG_USER. What
 * the guides leave open and hardware decides (denormals in minima, which of two NaNs) is a
 * parameter.
 */
#ifndef REF_F16_H
#define REF_F16_H

#include <stdbool.h>
#include <stdint.h>

/* Which operand comes back when both are NaNs, and neither is a signalling NaN in IEEE mode. */
typedef enum ref_two_nans {
    REF_SECOND,     /* GFX8 to GFX10, CDNA: S0 is tested first, so S1 is returned, as it is */
    REF_FIRST,      /* RDNA 3, 3.5: S1 is tested first */
    REF_FIRST_QUIET /* RDNA 4: S0, made quiet */
} ref_two_nans;

typedef struct ref_mode {
    /* MODE */
    bool keep_inputs;  /* FP_DENORM bit 0 for f16: denormal inputs are kept, not made zero */
    bool keep_results; /* FP_DENORM bit 1 for f16: the same for results */
    bool ieee;         /* IEEE; false where the bit does not exist */
    bool dx10_clamp;   /* DX10_CLAMP; true where the bit does not exist */
    /* the generation */
    bool honours_denorm; /* minima look at FP_DENORM at all: from GFX9 on */
    ref_two_nans two_nans;
} ref_mode;

/* Output modifiers of VOP3 and SDWA. */
typedef enum ref_omod { REF_NONE, REF_TIMES_2, REF_TIMES_4, REF_HALF } ref_omod;

/* Exception flags, in the places that TRAPSTS.EXCP and EXCP_FLAG_USER give them. */
enum { REF_INVALID = 1, REF_INPUT_DENORMAL = 2 };

/* The minimum, without modifiers. Flags are added to *flags, which may be NULL. */
uint16_t ref_min_f16(uint16_t a, uint16_t b, const ref_mode *mode, unsigned *flags);

/*
 * Many second operands, prepared so that a compiler can vectorise their minima with one first operand: all pairs
 * are too many for the function above. It is itself compared with that one by the tests.
 */
enum { REF_ROW_MAX = 7680 };
typedef struct ref_row {
    unsigned count;
    uint16_t value[REF_ROW_MAX], quiet[REF_ROW_MAX]; /* inputs as the mode takes them; the same made quiet */
    uint16_t rank[REF_ROW_MAX];                      /* below(a, b) is rank(a) < rank(b) */
    uint16_t nan[REF_ROW_MAX], signalling[REF_ROW_MAX]; /* 0xffff: it is one */
} ref_row;

void ref_row_set(ref_row *row, const uint16_t *b, unsigned count, const ref_mode *mode);
/* d[i] = ref_min_f16(a, b[i], mode, NULL), for the mode that the row was set for. */
void ref_row_min(const ref_row *row, uint16_t a, const ref_mode *mode, uint16_t *d);

/* Input modifiers: the absolute value first, then the negation. Neither looks at what the bits
 * mean. */
uint16_t ref_input_f16(uint16_t a, bool abs, bool neg);

/* Output modifiers of a 16-bit float result: omod, then clamp. */
uint16_t ref_output_f16(uint16_t d, ref_omod omod, bool clamp, const ref_mode *mode);

#endif
