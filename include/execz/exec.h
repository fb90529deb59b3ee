/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECZ_EXEC_H
#define EXECZ_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "execz/error.h"
#include "execz/inst.h"
#include "execz/target.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Running machine code on one wave.
 *
 *     code bytes ── ez_program_create ──▶ ez_program ─┐
 *     registers, EXEC, MODE of an ez_wave ────────────┴─ ez_wave_run ──▶ why it stopped
 *
 * A program is code only: any number of waves and threads may run it at once. A wave belongs to one
 * thread at a time. Neither touches anything outside itself but what an ez_memory hands out.
 */
typedef struct ez_program ez_program;
typedef struct ez_wave ez_wave;

/* ---- Code ------------------------------------------------------------------------------------ */

enum {
    /* Keep the floating-point exception flags even where no instruction of the program can read
     * them; slower. Without it they are kept when the program can see them: it reads the register
     * that holds them, or MODE enables an exception. */
    EZ_PROGRAM_KEEP_FLAGS = 1
};

/*
 * Makes a program of code[0..size), which the GPU sees at `address` (both in bytes, address a
 * multiple of 4). The bytes are borrowed and must stay unchanged until ez_program_destroy().
 * Instructions are decoded when they are first reached, so data between them does no harm.
 * `lanes` is 32, 64, or 0 for the target's default. `options` is 0 or EZ_PROGRAM_...
 * Errors: EZ_ERR_ARGUMENT (no such wave size, unaligned address, a range that wraps), EZ_ERR_NOMEM, EZ_ERR_UNSUPPORTED (no
 * ez_simd_level()).
 */
ez_status ez_program_create(const ez_target *target, unsigned lanes, const void *code, size_t size,
                            uint64_t address, unsigned options, ez_program **program);
/*
 * What of the host's vector instructions programs are made for: "avx512", "avx2" or "base"; the results are the same. It is the
 * best that this build and the host have, or the one that EXECZ_SIMD in the environment names; NULL: they have none of
 * that name. Static.
 */
const char *ez_simd_level(void);
void ez_program_destroy(ez_program *program); /* NULL is allowed; no wave may be running it */

/* ---- Memory ---------------------------------------------------------------------------------- */

enum { EZ_ACCESS_READ = 1, EZ_ACCESS_WRITE = 2, EZ_ACCESS_ATOMIC = 4 };
/* Of a fault: the address is an offset into LDS, or into the private memory of a work-item. */
enum { EZ_ACCESS_LDS = 8, EZ_ACCESS_PRIVATE = 16 };

/*
 * The memory that a wave sees. `translate` gives the host's pointer to the `size` bytes (1 to 64)
 * at a GPU address, valid until the running wave stops, or NULL, which stops the wave with a
 * fault. `access` is a set of EZ_ACCESS_... It may be called from the thread of any wave that uses it.
 */
typedef struct ez_memory {
    void *(*translate)(uint64_t address, uint32_t size, unsigned access, void *user);
    void *user;
    void (*interrupt)(uint32_t m0, void *user); /* s_sendmsg sendmsg(MSG_INTERRUPT); NULL: to nobody */
} ez_memory;

/* ---- Waves ----------------------------------------------------------------------------------- */

/*
 * Makes a wave of 32 or 64 lanes (0: the target's default) with all registers 0, EXEC all ones and
 * MODE as a kernel descriptor's defaults have it: round to nearest even, f32 denormals flushed, f16
 * and f64 denormals kept, IEEE and DX10_CLAMP on where they exist. Source: [LLVM] AMDGPUUsage,
 * "Kernel Descriptor", FLOAT_DENORM_MODE and ENABLE_IEEE_MODE.
 */
ez_status ez_wave_create(const ez_target *target, unsigned lanes, ez_wave **wave);
void ez_wave_destroy(ez_wave *wave); /* NULL is allowed */

/* As after ez_wave_create(), in the same memory; memory and workgroup are detached. */
void ez_wave_reset(ez_wave *wave);

const ez_target *ez_wave_target(const ez_wave *wave);
unsigned ez_wave_lanes(const ez_wave *wave);

/* Borrowed until replaced or the wave is destroyed. A wave without memory faults at every access. */
void ez_wave_set_memory(ez_wave *wave, const ez_memory *memory);

/* Local data share of the wave's workgroup: `size` bytes, borrowed likewise, 8-byte aligned. */
void ez_wave_set_lds(ez_wave *wave, void *lds, uint32_t size);

/*
 * Private memory of the wave's lanes: `size` bytes each, at `address` of the wave's memory, which hands out
 * the lanes * size bytes there in one piece. Lane l's dword d lies at address + (d * lanes + l) * 4.
 */
void ez_wave_set_scratch(ez_wave *wave, uint64_t address, uint32_t size);

/*
 * Waves that meet at barriers. A wave that has joined stops at one (EZ_STOP_BARRIER) until all `waves` have
 * arrived there or ended; a wave alone passes, also global wave sync, which takes a dispatch to share. Destroy a workgroup after its waves, or reset them first.
 */
typedef struct ez_workgroup ez_workgroup;
ez_status ez_workgroup_create(unsigned waves, ez_workgroup **workgroup); /* EZ_ERR_NOMEM, EZ_ERR_ARGUMENT: 0 waves */
void ez_workgroup_destroy(ez_workgroup *workgroup);                      /* NULL is allowed */
void ez_wave_join(ez_wave *wave, ez_workgroup *workgroup);

/* Registers one lane at a time. Reading one that the target lacks gives 0, writing it false.
 * reg: 0..255 (0..1023 with the feature vgprs_1024); lane: less than the wave's lanes. */
uint32_t ez_wave_vgpr(const ez_wave *wave, unsigned reg, unsigned lane);
bool ez_wave_set_vgpr(ez_wave *wave, unsigned reg, unsigned lane, uint32_t value);
/* `count` registers from `first` on at once: values[i * lanes + lane]. False, and nothing written, when the wave does
 * not have all of them. */
bool ez_wave_vgprs(const ez_wave *wave, unsigned first, unsigned count, uint32_t *values);
uint32_t ez_wave_agpr(const ez_wave *wave, unsigned reg, unsigned lane);
bool ez_wave_set_agpr(ez_wave *wave, unsigned reg, unsigned lane, uint32_t value);

/* Scalar registers by operand code: s0 is 0, vcc_lo 106, ttmp registers as the target numbers
 * them, up to exec_hi 127. */
uint32_t ez_wave_sgpr(const ez_wave *wave, unsigned code);
bool ez_wave_set_sgpr(ez_wave *wave, unsigned code, uint32_t value);

typedef enum ez_wave_field {
    EZ_WAVE_PC,    /* address of the next instruction, in bytes */
    EZ_WAVE_EXEC,  /* bit n is lane n; bits beyond the wave are dropped */
    EZ_WAVE_VCC,
    EZ_WAVE_SCC,   /* 0 or 1 */
    EZ_WAVE_M0,
    EZ_WAVE_MODE,  /* the MODE register as s_getreg_b32 reads it */
    EZ_WAVE_ROUND32,      /* MODE[1:0]: 0 nearest even, 1 up, 2 down, 3 to zero */
    EZ_WAVE_ROUND16_64,   /* MODE[3:2] */
    EZ_WAVE_DENORM32,     /* MODE[5:4]: bit 0 keeps denormal inputs, bit 1 denormal results */
    EZ_WAVE_DENORM16_64,  /* MODE[7:6] */
    EZ_WAVE_DX10_CLAMP,   /* MODE[8], with the feature dx10_clamp_mode */
    EZ_WAVE_IEEE,         /* MODE[9], with the feature ieee_mode */
    EZ_WAVE_FLAGS,        /* EZ_FLAG_...: the sticky exception flags */
    EZ_WAVE_INSTRUCTIONS  /* how many the wave has run; read only */
} ez_wave_field;

uint64_t ez_wave_get(const ez_wave *wave, ez_wave_field field);
/* False when the target has no such field or the value does not fit it; nothing changes then. */
bool ez_wave_set(ez_wave *wave, ez_wave_field field, uint64_t value);

/* The exception flags, in the order of TRAPSTS.EXCP. Source: [RDNA3] "Trap Status Register". */
enum {
    EZ_FLAG_INVALID = 1,
    EZ_FLAG_INPUT_DENORMAL = 2,
    EZ_FLAG_DIVIDE_BY_ZERO = 4,
    EZ_FLAG_OVERFLOW = 8,
    EZ_FLAG_UNDERFLOW = 16,
    EZ_FLAG_INEXACT = 32,
    EZ_FLAG_INT_DIVIDE_BY_ZERO = 64
};
/* "invalid" for EZ_FLAG_INVALID and so on; NULL for anything that is not exactly one flag. */
const char *ez_flag_name(unsigned flag);

/* ---- Running --------------------------------------------------------------------------------- */

typedef enum ez_stop {
    EZ_STOP_NONE,    /* never returned */
    EZ_STOP_END,     /* s_endpgm */
    EZ_STOP_BARRIER, /* waits for other waves, of its workgroup or, at global wave sync, of others; run it again after them */
    EZ_STOP_LIMIT,   /* the instruction limit was reached */
    EZ_STOP_TRAP,    /* s_trap; ez_fault.value is its number */
    EZ_STOP_FAULT    /* see ez_wave_fault_info() */
} ez_stop;

typedef enum ez_fault_kind {
    EZ_FAULT_NONE,
    EZ_FAULT_FETCH,       /* the program counter left the program */
    EZ_FAULT_ILLEGAL,     /* the bytes at pc are no instruction of the target */
    EZ_FAULT_UNSUPPORTED, /* a legal instruction, or a use of it, that execz cannot run */
    EZ_FAULT_MEMORY,      /* no memory at the address, or not for this access */
    EZ_FAULT_ALIGNMENT,   /* an address that the access does not allow */
    EZ_FAULT_REGISTER,    /* a register number beyond the register file */
    EZ_FAULT_EXCEPTION,   /* a floating-point exception that MODE enables; value: EZ_FLAG_... */
    EZ_FAULT_TRAP,        /* s_trap; value: its number */
    EZ_FAULT_NOMEM        /* the host ran out of memory */
} ez_fault_kind;

/* What stopped a wave, as facts. */
typedef struct ez_fault {
    ez_fault_kind kind;
    uint64_t pc;                        /* of the instruction, in bytes */
    uint8_t bytes[EZ_INST_MAX_BYTES];   /* the bytes there */
    uint8_t size;                       /* how many of them belong to the instruction; 0: unknown */
    unsigned lane;                      /* of a memory fault; EZ_FAULT_NO_LANE: a scalar access */
    unsigned access;                    /* EZ_ACCESS_... */
    uint64_t address;                   /* in bytes */
    uint32_t access_size;               /* in bytes */
    uint64_t value;                     /* see the kind */
    const char *reason;                 /* a static phrase, never NULL on a fault */
} ez_fault;
enum { EZ_FAULT_NO_LANE = 0xffff };

/* "memory fault", "illegal instruction", ... Static, never NULL. */
const char *ez_fault_text(ez_fault_kind kind);

/*
 * Runs the wave from its pc until something stops it, at most `max_instructions` (0: no limit).
 * The pc is then that of the next instruction or, after a fault, of the one that faulted. A wave
 * that stopped for a barrier or limit goes on when it is run again. The program must be of the
 * wave's target and lanes; a mismatch is EZ_STOP_FAULT with EZ_FAULT_FETCH.
 */
ez_stop ez_wave_run(ez_wave *wave, ez_program *program, uint64_t max_instructions);

/* The fault of the last run; kind EZ_FAULT_NONE when there was none. */
const ez_fault *ez_wave_fault_info(const ez_wave *wave);

/* ---- Fidelity -------------------------------------------------------------------------------- */

typedef enum ez_fidelity {
    EZ_FIDELITY_EXACT,       /* hardware's bits, by the manual or by what docs/errata.md states */
    EZ_FIDELITY_APPROXIMATE, /* hardware's result may be another one, within a bound if that is known */
    EZ_FIDELITY_UNSUPPORTED  /* stops the wave */
} ez_fidelity;

/* The bound of what is approximate where nobody has published one: filters of images, clocks, sums of matrix instructions. */
#define EZ_ULP_UNKNOWN UINT32_MAX

/*
 * What is known of the row that `inst` belongs to; of a dual instruction the worse half. *ulp (NULL is allowed) gets the bound
 * by which hardware's results may differ, in units in the last place of the result's format, 0 for exact ones.
 */
ez_fidelity ez_inst_fidelity(const ez_inst *inst, uint32_t *ulp);

/* Whether instructions of the row that `inst` belongs to can be executed at all. */
bool ez_inst_executable(const ez_inst *inst);

/* From now on the wave notes what it executes (or no longer). Waves that do not pay nothing for it. */
void ez_wave_mark(ez_wave *wave, bool marks);

/* An instruction of a program that a wave has executed, or stopped at. */
typedef struct ez_executed {
    uint64_t address;
    const ez_inst *inst; /* lives as long as the program */
    ez_fidelity fidelity;
    uint32_t ulp;        /* as from ez_inst_fidelity() */
    const char *reason;  /* why it is unsupported, a static phrase; otherwise NULL */
} ez_executed;

/*
 * Calls `each` for every instruction that waves which mark have executed, in order of address. A use of an instruction that
 * execz cannot run is EZ_FIDELITY_UNSUPPORTED although its row is not. Waves may be running: what they have
 * not yet left may then be missing. EZ_ERR_ARGUMENT, EZ_ERR_NOMEM.
 */
ez_status ez_program_executed(ez_program *program, void (*each)(const ez_executed *executed, void *user), void *user);

#ifdef __cplusplus
}
#endif
#endif
