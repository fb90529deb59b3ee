/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix instructions: MFMA and SMFMAC of CDNA, WMMA and SWMMAC of RDNA 3 and later. One step function for all of them, driven by
 * the numbers of the row (M, N, K, blocks, types); what is not a number is here: which element is in which lane and register,
 * and in which order a target adds and rounds. Order and rounding are not published by AMD; what we do and why: docs/errata.md.
 */
#ifndef EZ_MATRIX_H
#define EZ_MATRIX_H

#include "numbers_small.h"
#include "step.h"

/* What an element of a matrix is. Those from FP8 on have the numbers of ez_small, plus EZ_ELEMENT_SMALL. */
typedef enum ez_element {
    EZ_ELEMENT_NONE,
    EZ_ELEMENT_F64,
    EZ_ELEMENT_F32,
    EZ_ELEMENT_XF32,
    EZ_ELEMENT_F16,
    EZ_ELEMENT_BF16,
    EZ_ELEMENT_I32,
    EZ_ELEMENT_I8,
    EZ_ELEMENT_U8,
    EZ_ELEMENT_I4,
    EZ_ELEMENT_U4,
    EZ_ELEMENT_SMALL
} ez_element;

/* How products are added to the accumulator. */
typedef enum ez_order {
    EZ_ORDER_CHAIN,    /* one after the other, each product and sum rounded once (fma) */
    EZ_ORDER_EXACT,    /* `length` products and the accumulator exactly, rounded once */
    EZ_ORDER_PAIRS,    /* `length` products pairwise, every sum rounded, denormals flushed */
    EZ_ORDER_TRUNCATE, /* `length` products cut to a common exponent; see truncated_sum */
    EZ_ORDER_HALVES,   /* the same, even and odd products apart */
    EZ_ORDER_SCALED,   /* 32 products exactly, times the scale, then as EXACT */
    EZ_ORDER_GRID      /* `length` products on a grid, rounded down; numbers_dot.h */
} ez_order;

/* Where rows of C and D are. */
typedef enum ez_matrix_layout {
    EZ_LAYOUT_CDNA,  /* 4 rows to a lane group in turn */
    EZ_LAYOUT_F64,   /* rows to lane groups in turn */
    EZ_LAYOUT_GFX11, /* the same; 16-bit elements in one half of a register */
    EZ_LAYOUT_GFX12  /* consecutive rows in a lane group; 16-bit elements packed */
} ez_matrix_layout;

/* Formats of scales, as the fields of the instruction number them. */
enum { EZ_SCALE_E8M0, EZ_SCALE_E5M3, EZ_SCALE_E4M3, EZ_SCALE_COUNT };

/* What an instruction does, worked out once when it is lowered: ez_step.imm. */
typedef struct ez_matrix {
    uint8_t m, n, k, blocks; /* k: elements of a row of A as stored, half the row's K when sparse */
    uint8_t tiles;           /* 2: A, C and D are two matrices of m rows, in registers one after the other */
    uint8_t a, b, c, d;      /* elements */
    uint8_t a_lane, b_lane;  /* how many elements of A, of B a lane has */
    uint8_t a_chunk, b_chunk; /* of them, how many have consecutive k */
    uint8_t order, length, layout;
    uint8_t flags;           /* EZ_MATRIX_... */
    uint8_t cbsz, abid, blgp;
    uint8_t neg_lo, neg_hi;  /* of A, B (bits 0, 1): even, odd k; of C (bit 2): minus, absolute value */
    uint8_t index_bits;      /* of the sparse index for one instruction, in a lane */
    uint8_t index_at;        /* where in the register they begin */
    uint8_t a_scale, b_scale; /* byte of the scale register, or row of lanes; see EZ_MATRIX_SCALE_... */
    uint8_t a_scale_format, b_scale_format; /* EZ_SCALE_... */
} ez_matrix;
_Static_assert(sizeof(ez_matrix) <= 4 * sizeof(uint64_t), "ez_matrix is kept in ez_step.imm");

enum {
    EZ_MATRIX_SATURATE = 1,    /* the integer result */
    EZ_MATRIX_SPARSE = 2,      /* the third source is the index, D accumulates */
    EZ_MATRIX_FLUSH = 4,       /* denormal inputs are 0 */
    EZ_MATRIX_HIGH = 8,        /* C and D in the high halves */
    EZ_MATRIX_SCALES = 16,     /* a scale for 32 elements: a byte of a register, lanes as A and B */
    EZ_MATRIX_SCALES_GFX12 = 32, /* four bytes of a register, 16 lanes */
    EZ_MATRIX_SCALES16 = 64    /* eight bytes, for 16 elements each */
};

static inline ez_matrix ez_matrix_of(const ez_step *s) {
    ez_matrix m;
    memcpy(&m, s->imm, sizeof m);
    return m;
}

ez_prepare_fn ez_prepare_matrix;

/* Whether the order and rounding of this matrix instruction were measured, or cannot matter. docs/errata.md */
bool ez_matrix_is_measured(const ez_inst *inst);

/* The step for each SIMD level of the host: semantics/matrix.c. */
ez_step_fn ez_step_matrix_base;
ez_step_fn ez_step_matrix_avx2, ez_step_matrix_avx512;
/* Never called: prepare puts the level's own function in its place. */
ez_step_fn ez_step_matrix;

#endif
