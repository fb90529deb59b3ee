/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps: instructions with their operands resolved. The run loop calls them one after the other.
 */
#ifndef EZ_STEP_H
#define EZ_STEP_H

#include "codec/codec.h"
#include "rows.h"
#include "wave.h"

struct ez_lanes;
struct ez_modifiers;

/* Runs one step. It reads its operands from the wave and writes its results there; it may stop the
 * wave (ez_wave_fault) or set w->step to go elsewhere. */
typedef void ez_step_fn(ez_wave *w, const ez_step *s);

typedef enum ez_place_kind {
    EZ_PLACE_NONE,    /* absent: "off", or no such operand */
    EZ_PLACE_ROW,     /* VGPRs or AGPRs: rows from w->vgpr + index on */
    EZ_PLACE_SCALAR,  /* scalar registers: slots from w->sgpr[index] on */
    EZ_PLACE_CONSTANT /* value; index is EZ_SLOT_ZERO, so that scalar reads need not ask */
} ez_place_kind;

/* Where an operand is. */
typedef struct ez_place {
    uint8_t kind;   /* ez_place_kind */
    uint8_t dwords; /* that it covers: 1 for 32 bits and less */
    uint8_t type;   /* EZ_T_* */
    uint8_t half;   /* 1: a 16-bit operand in the high half */
    uint8_t neg, abs, sext, sel; /* modifiers of a source; sel: SDWA select */
    uint8_t bank;   /* of a VGPR: 0 to 2 src0 to src2, 3 the destination: for MSBs and index mode */
    uint32_t index;
    uint64_t value; /* of a constant, the bits of its type; otherwise 0 */
    const uint32_t *constant; /* a constant as rows, `dwords` of them, as a vector instruction reads it */
} ez_place;

/* The operands of a vector instruction as the drivers of valu.h read them: the first three sources and dst[0]. */
typedef struct ez_resolved {
    uintptr_t source[3]; /* bytes from w->vgpr on, or the address of a constant's rows */
    uint32_t result;     /* an index into w->vgpr */
    uint32_t keep16;     /* the bits of the register that a 16-bit result replaces */
} ez_resolved;
_Static_assert(sizeof(ez_resolved) <= 32, "ez_resolved takes the place of ez_step.imm");

/*
 * One instruction, or one part of it. Operands in the order of the instruction text: those written
 * (D, X in the tables) in dst, those read (S) in src, and behind the S ones the old values of X
 * ones. So of GLOBAL_LOAD dst[0] is vdst, src[0] vaddr, src[1] saddr; of FMAC src[2] is the old vdst.
 */
struct ez_step {
    /* What the run loop and most vector instructions need is one cache line: a long program is read from memory as it runs. */
    _Alignas(64) ez_step_fn *fn;
    uint32_t (*row)(const struct ez_lanes *); /* the row function that a driver of valu.h calls */
    uint32_t offset;    /* of the instruction, in bytes from the start of the program */
    uint8_t counts;     /* instructions that are done with this step: 1 in the last one of an instruction, and `skipped` */
    uint8_t dsts, srcs;
    uint8_t flags;      /* free for the step */
    union {
        uint64_t imm[4];  /* free for the step, set by its `prepare` function: offsets, targets */
        ez_resolved valu; /* of vector instructions */
    };
    uint8_t in_wave;    /* of vector instructions, bit n: source n is at w->vgpr */
    uint8_t skipped;    /* instructions of 4 bytes before this one that do nothing and have no step */
    uint8_t spread;     /* bit n: source n is scalar; its rows are temporary ones and have to be filled first */
    const ez_inst *inst; /* for what is not resolved; lives as long as the program */
    const struct ez_modifiers *modifiers; /* see valu.h; NULL: none */
    ez_place dst[EZ_STEP_DSTS], src[EZ_STEP_SRCS];
};

/*
 * How instructions outside the vector and scalar ALU join in: a line in a .def file,
 *
 *     STEP(GLOBAL_LOAD_B32, ez_step_global_load, ez_prepare_global)
 *
 * names the step function and a function that the lowering calls once, after the operands are in
 * place, to compute what never changes (imm, flags); 0 where nothing is to prepare. ENDS is the same for what ends a block,
 * NEAR for what hardware gives otherwise by no known bound. A prepare function may
 * also change s->fn to a more special function, or return false: the instruction stops as unsupported.
 */
typedef bool ez_prepare_fn(ez_step *s);

/* ---- reading and writing operands from a step ---- */

/* The rows of a VGPR operand; the second dword's row is `lanes` further on. kind must be ROW. */
static inline uint32_t *ez_place_row(ez_wave *w, const ez_place *p) { return w->vgpr + p->index; }

/* A scalar or constant operand; a literal or constant of 64 bits is in `value` whole. */
static inline uint32_t ez_scalar32(const ez_wave *w, const ez_place *p) {
    return w->sgpr[p->index] | (uint32_t)p->value;
}
static inline uint64_t ez_scalar64(const ez_wave *w, const ez_place *p) {
    return ez_get64(w, p->index) | p->value;
}
static inline uint64_t ez_scalar_mask(const ez_wave *w, const ez_place *p) {
    return ez_get_mask(w, p->index) | p->value;
}

/* One lane of an operand of any kind, its first dword. */
static inline uint32_t ez_lane32(ez_wave *w, const ez_place *p, unsigned lane) {
    return p->kind == EZ_PLACE_ROW ? ez_place_row(w, p)[lane] : ez_scalar32(w, p);
}
/* Dword n of one lane of an operand. */
static inline uint32_t ez_lane_dword(ez_wave *w, const ez_place *p, unsigned n, unsigned lane) {
    if (p->kind == EZ_PLACE_ROW) return ez_place_row(w, p)[n * w->lanes + lane];
    return n < 2 ? w->sgpr[p->index + n] | (uint32_t)(p->value >> (32 * n)) : w->sgpr[p->index + n];
}

/* The address of the instruction that the step belongs to, and of the next one. */
uint64_t ez_step_pc(const ez_wave *w, const ez_step *s);
static inline uint64_t ez_step_next_pc(const ez_wave *w, const ez_step *s) {
    return ez_step_pc(w, s) + s->inst->size;
}

/* Goes on at another address; the step returns after it. */
void ez_wave_jump(ez_wave *w, uint64_t pc);

/* Stops the wave; it goes on at `pc` when it is run again. */
void ez_wave_stop(ez_wave *w, ez_stop stop, uint64_t pc);

#endif
