/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: code, and the blocks that it was lowered to so far. */
#ifndef EZ_PROGRAM_H
#define EZ_PROGRAM_H

#include <pthread.h>
#include <stdatomic.h>

#include "lanes.h"
#include "step.h"

/* What a block's meaning depends on beside its bytes; a wave's current one is in ez_wave.key. */
enum {
    EZ_KEY_FLAGS = 1,     /* exception flags are kept */
    EZ_KEY_GPR_INDEX = 2, /* VGPR index mode is on */
    EZ_KEY_VSKIP = 4,     /* vector instructions are skipped */
    EZ_KEY_HOST_FLUSH = 8, /* MODE flushes f32 denormals of sources and results, and the host can do it: host_flush.h */
    EZ_KEY_MARK = 16,     /* the block notes that it was executed; see fidelity.c */
    EZ_KEY_MSB_SHIFT = 8 /* 8 bits: the VGPR MSBs */
};

/* Steps from one pc to the next change of flow. Blocks of the same pc and different keys are a list. */
struct ez_block {
    ez_block *next;
    uint32_t key;
    uint32_t count; /* of steps */
    /* with EZ_KEY_MARK: how many bytes of code from the block's start on were executed; the offset in the program of an
     * instruction that execz cannot run, and why (NULL: none, of the program's lock) */
    atomic_int reached;
    uint32_t lacking;
    const char *lacking_reason;
    ez_step steps[];
};

struct ez_program {
    const ez_target *target;
    unsigned lanes;
    const uint8_t *code;
    size_t size;
    uint64_t address;
    bool keeps_flags; /* by option, or because the code can read them */
    const ez_level *level;
    _Atomic(ez_block *) *blocks; /* [size / 4] */
    /* Of both kinds of vector registers the first ones, that the blocks use: no other can have been written. */
    atomic_uint vgprs_used, agprs_used;
    pthread_mutex_t lock;        /* of all below, and of changes of blocks */
    struct ez_chunk *chunks;     /* memory of blocks, instructions, constants */
    struct ez_constant *constants;
};

/* Rows of the registers of a wave: the temporary rows follow them. */
unsigned ez_program_rows(const ez_program *p);

/* Memory that lives as long as the program, zeroed, 64-byte aligned; NULL when there is none. */
void *ez_program_alloc(ez_program *p, size_t size);

/* Rows that hold a constant in every lane. dwords beyond 64 bits are 0. */
const uint32_t *ez_program_constant(ez_program *p, uint64_t value, unsigned dwords, bool mask);

/* The block at a byte offset for a key, lowered if need be; NULL when memory runs out. Source of steps: lower.c. */
ez_block *ez_program_block(ez_program *p, size_t offset, uint32_t key);

/* Lowers; called with the lock held. */
ez_block *ez_lower(ez_program *p, size_t offset, uint32_t key);

/* Whether MODE.VSKIP skips it: all but scalar instructions and scalar memory. [Vega] "S_SETVSKIP" */
bool ez_vskip_skips(const ez_inst *inst);

/* fidelity.c: the step that begins a block with EZ_KEY_MARK, and what is done when a wave stops in one. */
ez_step_fn ez_step_enter;
void ez_mark_stop(ez_wave *w);

/* The row whose meaning half of a dual instruction has: another one, or its own. */
unsigned ez_inst_single(const ez_inst *half);

#endif
