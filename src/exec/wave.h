/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One wave: its registers and what it is connected to. For src/exec and src/device.
 *
 * A VGPR is a contiguous row of `lanes` dwords; register r of the wave is vgpr[r * lanes ...]. AGPRs
 * are the rows behind the VGPRs. A 64-bit value is two rows, low dwords first.
 * Scalar registers are slots, numbered by operand code where there is one.
 */
#ifndef EZ_WAVE_H
#define EZ_WAVE_H

#include "execz/exec.h"
#include "gws.h"
#include "isa/isa.h"
#include "rows.h"

enum {
    EZ_MAX_LANES = 64,
    EZ_SLOT_VCC = 106,
    EZ_SLOT_M0 = 124, /* on every target; the lowering maps code 125 here where m0 is 125 */
    EZ_SLOT_EXEC = 126,
    EZ_SLOT_ZERO = 128,    /* reads of null and of operands that are constants: always 0, 16 slots */
    EZ_SLOT_DISCARD = 144, /* writes to null: 16 slots */
    EZ_SLOT_SPECIAL = 160, /* values of src_scc, src_shared_base, ...: a pair for each source */
    EZ_SLOT_COUNT = 192
};

/* MODE: VGPR index mode is on. Source: [GCN3], [Vega] "Mode Register" */
enum { EZ_MODE_GPR_IDX_EN = 1 << 27 };

/* MODE: vector instructions are skipped. Source: [GCN3], [Vega] "Mode Register" */
enum { EZ_MODE_VSKIP = 1 << 28 };

/* MODE: the depth of the stack of forks, bits 31:29. The same */
enum { EZ_MODE_CSP_SHIFT = 29 };

/* A named barrier. Source: [RDNA4] S_BARRIER_SIGNAL, S_GET_BARRIER_STATE */
enum { EZ_NAMED_BARRIERS = 16 };
typedef struct ez_barrier {
    bool valid;
    uint8_t members, signals;
    uint32_t phase; /* counts how often it completed */
} ez_barrier;

/* What the waves of one workgroup share. */
struct ez_workgroup {
    unsigned waves;   /* that take part in the barrier and have not ended */
    unsigned arrived; /* of them, at the barrier that is being formed */
    uint32_t phase;   /* counts barriers that completed */
    ez_barrier named[EZ_NAMED_BARRIERS]; /* number 1 first */
};

typedef struct ez_step ez_step;
typedef struct ez_block ez_block;

struct ez_wave {
    const ez_target *target;
    unsigned lanes; /* 32 or 64 */

    /* ---- registers ---- */
    uint32_t *vgpr, *agpr;    /* [vgprs][lanes], [agprs][lanes]; agpr is vgpr + vgprs * lanes */
    unsigned vgprs, agprs;    /* rows: 256 or 1024; 0 or 256 */
    uint32_t sgpr[EZ_SLOT_COUNT];
    uint32_t scc; /* 0 or 1 */
    uint32_t mode;
    uint32_t flags;    /* sticky EZ_FLAG_... */
    uint32_t status;   /* software-visible bits of STATUS that have no other home */
    uint32_t hwreg[32]; /* hardware registers by id that have no other home */
    uint64_t pc;       /* valid when the wave is stopped; running, see ez_step_pc */
    uint32_t msb;      /* VGPR MSBs: src0, src1, src2, dst, 2 bits each, from bit 0 */
    ez_fpmode md;      /* mode, as the number functions take it; kept by ez_mode_changed() */
    ez_fpmode hosted;  /* the same while the host flushes denormals; see host_flush.h */
    uint8_t rounds;    /* EZ_STEP_ROUND...: of which widths results are not rounded to nearest; kept by ez_mode_changed() */
    _Alignas(64) uint32_t exec_row[EZ_MAX_LANES]; /* 0 or ~0: EXEC lane by lane; kept by ez_exec_changed() */
    uint64_t row_exec; /* what exec_row shows: mostly EXEC does not change where it might have */
    ez_scope scope; /* exec_row, md, lanes, and whether EXEC has all of them; the last is kept by ez_exec_changed() */

    /* ---- connections ---- */
    const ez_memory *memory;
    uint8_t *lds;
    uint32_t lds_size; /* in bytes */
    ez_workgroup *workgroup;
    uint32_t number; /* in its workgroup */
    uint32_t barrier_phase; /* the workgroup's phase when this wave arrived */
    bool barrier_arrived;
    uint8_t joined;         /* the named barrier that this wave waits for; 0: none */
    uint32_t named_phase;   /* its phase that this wave has seen */
    ez_gws *gws;            /* of the device; NULL: none */
    bool gws_waits;         /* at an instruction of global wave sync */
    uint32_t gws_phase;     /* of the barrier when this wave arrived */
    uint64_t shared_base, shared_limit, private_base, private_limit; /* apertures: first, last byte */
    uint64_t scratch_base; /* address of the wave's scratch: lane l's dword d at base + (d * lanes + l) * 4 */
    uint32_t scratch_size; /* in bytes, each lane */
    uint64_t flat_scratch; /* value of src_flat_scratch_base: what flat addresses of scratch build on */

    /* ---- running ---- */
    ez_program *program;
    const struct ez_access_functions *access; /* of the program's SIMD level */
    const ez_step *step; /* the next one */
    ez_stop stop;        /* EZ_STOP_NONE while running */
    uint32_t key;        /* what blocks are looked up by beside the pc; see lower.h */
    uint64_t instructions;
    ez_fault fault;
    bool marks;        /* notes what it executes; see fidelity.c */
    ez_block *entered; /* with it: the last block that the wave began */

    uint64_t mask_in_row; /* what EZ_MASK_ROW shows: mostly the next instruction that reads a mask reads this one */

    /* Rows that steps may use while they run: fetched sources, results before they are merged. */
    uint32_t *temporary; /* [EZ_TEMPORARY_ROWS][lanes] */
};

/* EZ_DUAL_ROW and the next hold the result of the first half of a dual instruction until the second has read its sources, EZ_MASK_ROW
 * the last lane mask that a plain compare or carry gave. */
enum { EZ_DUAL_ROW = 40, EZ_MASK_ROW = 42, EZ_TEMPORARY_ROWS = 43 };

/* ez_wave_reset() for a wave that has been fresh before it ran this program, and of whose VGPRs only the first `set` were
 * written otherwise: it clears no more than may have been written. */
void ez_wave_reset_after(ez_wave *w, const ez_program *p, unsigned set);
/* The same, but everything beside the vector registers is set as in `start`, a copy of the wave as it was. */
void ez_wave_restart(ez_wave *w, const ez_wave *start, const ez_program *p, unsigned set);

/* Must be called after every write to the EXEC slots. */
void ez_exec_changed(ez_wave *w);
/* Must be called after every write to w->mode. */
void ez_mode_changed(ez_wave *w);

static inline uint64_t ez_exec(const ez_wave *w) {
    return w->sgpr[EZ_SLOT_EXEC] | (uint64_t)w->sgpr[EZ_SLOT_EXEC + 1] << 32;
}
static inline bool ez_lane_active(const ez_wave *w, unsigned lane) { return w->exec_row[lane] != 0; }

/* Reads and writes a pair of slots; a mask write of wave32 leaves the second slot alone. */
static inline uint64_t ez_get64(const ez_wave *w, unsigned slot) {
    return w->sgpr[slot] | (uint64_t)w->sgpr[slot + 1] << 32;
}
static inline void ez_put64(ez_wave *w, unsigned slot, uint64_t value) {
    w->sgpr[slot] = (uint32_t)value;
    w->sgpr[slot + 1] = (uint32_t)(value >> 32);
}
static inline uint64_t ez_get_mask(const ez_wave *w, unsigned slot) {
    return w->lanes == 64 ? ez_get64(w, slot) : w->sgpr[slot];
}
static inline void ez_put_mask(ez_wave *w, unsigned slot, uint64_t value) {
    w->sgpr[slot] = (uint32_t)value;
    if (w->lanes == 64) w->sgpr[slot + 1] = (uint32_t)(value >> 32);
}

/* Clocks: 4 cycles an instruction; the constant clock ticks once in 20 cycles. They grow, and are the same in every run;
 * nothing more is promised of them. */
enum { EZ_CYCLES_PER_TICK = 20 };
static inline uint64_t ez_wave_cycles(const ez_wave *w) { return 4 * (w->instructions + 1); }

/*
 * Stops the wave at step `s` with a fault; the step returns at once after it. `reason` is a static
 * phrase. What the instruction wrote before stays written: hardware faults are imprecise too.
 */
void ez_wave_fault(ez_wave *w, const ez_step *s, ez_fault_kind kind, const char *reason);

/* Sets sticky exception flags, and stops the wave when MODE enables one of them. */
void ez_wave_raise(ez_wave *w, const ez_step *s, uint32_t flags);

/* A fault for an access to memory; lane EZ_FAULT_NO_LANE for a scalar one. */
void ez_wave_fault_memory(ez_wave *w, const ez_step *s, ez_fault_kind kind, unsigned lane,
                          uint64_t address, uint32_t size, unsigned access, const char *reason);

/* The host pointer for an access of a lane, or NULL after stopping the wave with a memory fault. */
static inline void *ez_wave_translate(ez_wave *w, const ez_step *s, unsigned lane, uint64_t address,
                                      uint32_t size, unsigned access) {
    void *p = w->memory ? w->memory->translate(address, size, access, w->memory->user) : NULL;
    if (!p)
        ez_wave_fault_memory(w, s, EZ_FAULT_MEMORY, lane, address, size, access,
                             "no memory at this address for this access");
    return p;
}

#endif
