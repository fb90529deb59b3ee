/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECZ_INST_H
#define EXECZ_INST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "execz/error.h"
#include "execz/target.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { EZ_INST_MAX_BYTES = 24, EZ_INST_MAX_OPERANDS = 10 };

/*
 * One instruction of one target: its dwords and the row of the ISA table that they belong to.
 * A plain value: copy it freely; it owns nothing. All facts about it are read from its dwords by the
 * functions below, so decoding and encoding cannot disagree.
 */
typedef struct ez_inst {
    const ez_target *target;
    uint32_t word[EZ_INST_MAX_BYTES / 4]; /* as in memory, each dword little-endian there; 0 beyond size */
    uint16_t op;     /* row of the ISA table; ez_inst_id() names it */
    uint16_t layout; /* encoding and form; internal */
    uint8_t form;    /* e32, e64, SDWA, DPP, ...; ez_inst_form() names it */
    uint8_t size;    /* in bytes: 4 to EZ_INST_MAX_BYTES */
    uint8_t wave;    /* lanes of the wave that lane masks are spelled for: 32 or 64 */
} ez_inst;

/* The little-endian dword at an address, aligned or not. */
static inline uint32_t ez_dword_at(const void *bytes) {
    uint32_t dword;
    memcpy(&dword, bytes, sizeof dword);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    dword = __builtin_bswap32(dword);
#endif
    return dword;
}

/*
 * Decodes the instruction at `bytes`. `wave` is 32, 64, or 0 for the target's default.
 * Returns EZ_OK; EZ_ERR_DECODE when the bytes are no instruction of the target; EZ_ERR_TRUNCATED
 * when `size` bytes are too few for it; EZ_ERR_ARGUMENT when the target has no such wave. *out is
 * written on success only. Allocates nothing.
 */
ez_status ez_decode(const ez_target *target, unsigned wave, const void *bytes, size_t size,
                    ez_inst *out);

/*
 * Walks a stream of instructions: decodes at *offset and moves *offset on, by the instruction's size
 * or, where nothing can be decoded, by 4 bytes (or what is left). The return is ez_decode's;
 * EZ_ERR_NOT_FOUND at the end of the bytes.
 *
 *     for (size_t at = 0; (status = ez_decode_next(t, 0, code, size, &at, &inst)) != EZ_ERR_NOT_FOUND;)
 */
ez_status ez_decode_next(const ez_target *target, unsigned wave, const void *bytes, size_t size,
                         size_t *offset, ez_inst *out);

/* Writes the instruction's bytes, in memory order, into a buffer of at least EZ_INST_MAX_BYTES;
 * returns their number. */
size_t ez_encode(const ez_inst *inst, uint8_t *bytes);

/* Static strings: the row's id ("MIN_F16"), the name on this target without form suffix ("v_min_f16"),
 * the encoding ("VOP2") and the form ("e32", "e64", "sdwa", "dpp16", "dpp8", "e64_dpp16", "e64_dpp8"; "" where there is one only). */
const char *ez_inst_id(const ez_inst *inst);
const char *ez_inst_name(const ez_inst *inst);
const char *ez_inst_encoding(const ez_inst *inst);
const char *ez_inst_form(const ez_inst *inst);

typedef enum ez_operand_kind {
    EZ_OPERAND_NONE,      /* the operand is absent in this instruction ("off") */
    EZ_OPERAND_VGPR,      /* reg = 0..255 (0..1023 with vgprs_1024) */
    EZ_OPERAND_AGPR,      /* an accumulation VGPR, reg = 0..255 */
    EZ_OPERAND_SGPR,      /* reg = 0..105 */
    EZ_OPERAND_TTMP,      /* reg = 0..15 */
    EZ_OPERAND_SPECIAL,   /* a named register: ez_operand_name(); reg = its operand code */
    EZ_OPERAND_CONSTANT,  /* an inline constant: value has the bits of the operand's type */
    EZ_OPERAND_LITERAL,   /* value = the literal as encoded, 32 or 64 bits */
    EZ_OPERAND_IMMEDIATE, /* value = the number in the instruction's own field */
    EZ_OPERAND_INVALID    /* a code that has no meaning on the target; decoding refuses it */
} ez_operand_kind;

/* One operand as the instruction text lists it. */
typedef struct ez_operand {
    ez_operand_kind kind;
    uint16_t reg;      /* first register; see kind */
    uint16_t code;     /* the operand code in the field, VGPRs from 256 */
    uint8_t dwords;    /* registers that it covers: 1 for 32 bits and less */
    uint8_t bits;      /* of its data type, at most 255 (0: wider or none) */
    bool read, written;
    bool implied;      /* has no field: VCC in VOP2 and VOPC */
    bool hidden;       /* implied and not in the text either: EXEC of v_cmpx from GFX10 on */
    uint8_t half;      /* 16-bit operand: 0 the low half, 1 the high half of the register */
    bool neg, abs, sext;
    uint8_t type;      /* internal number of the data type; ez_operand_type() names it */
    uint8_t field;     /* internal number of the field */
    uint64_t value;
} ez_operand;

unsigned ez_inst_operand_count(const ez_inst *inst);
/* Operand n, 0 first, in the order of the text. n must be less than the count. */
ez_operand ez_inst_operand(const ez_inst *inst, unsigned n);
/* The name of a named register (EZ_OPERAND_SPECIAL), "vcc" or "exec_lo"; NULL of any other operand. Static. */
const char *ez_operand_name(const ez_inst *inst, const ez_operand *operand);
/* The data type in AMD's spelling, "FMT_NUM_F16". Static. */
const char *ez_operand_type(const ez_operand *operand);

enum { EZ_INST_MAX_REGISTERS = 40 };

/* Consecutive registers that an instruction reads, writes, or both: of an operand, or implicit ones, which no operand names. */
typedef struct ez_register_use {
    ez_operand_kind file; /* VGPR, AGPR, SGPR, TTMP or SPECIAL */
    uint16_t reg;         /* the first, as in ez_operand; of implicit ones 0 */
    uint16_t dwords;
    bool read, written;
    bool partial; /* written, but what they held may stay in the rest: a half or byte of the register, SDWA's UNUSED_PRESERVE, lanes
                   * that DPP leaves out, v_writelane. Lanes that are not in EXEC do not count */
    bool implicit;
    const char *name; /* of SPECIAL, static: as ez_operand_name(), or "exec", "vcc" (in waves of 32 lanes "exec_lo",
                       * "vcc_lo"), "scc", "m0", "mode", "flat_scratch" */
} ez_register_use;

/*
 * All registers that an instruction reads and writes, in the order of its operands, the implicit ones last; of dual-issue
 * instructions those of both halves. Writes at most `room` entries and returns how many there are,
 * never more than EZ_INST_MAX_REGISTERS.
 * Registers that M0 or the VGPR index mode displace (v_movreld_b32 and its like) are told as they are named.
 * A register stands more than once when several operands name it. The address of an image without dim (before GFX10), whose
 * length the resource says, is told with all VGPRs that it can have. VGPRs are numbered as encoded: see ez_vgpr_msb_after().
 * MODE is read by what rounds or has float operands. PC, memory, counters and status bits beyond SCC are not told.
 */
size_t ez_inst_registers(const ez_inst *inst, ez_register_use *use, size_t room);

/* The raw value of a field by its name in the ISA manual, lower case ("src0", "omod", "dpp_ctrl");
 * false when the instruction has no such field. */
bool ez_inst_field(const ez_inst *inst, const char *name, uint32_t *value);

/* Where a jump or call goes that has the distance in itself, when the instruction lies at `address` (bytes); false
 * when it is none, or goes where a register says. */
bool ez_inst_branch_target(const ez_inst *inst, uint64_t address, uint64_t *target);

/* On targets with 1,024 VGPRs: the bits that s_set_vgpr_msb has set behind the instruction when before it they were
 * `msb`. Jumps without return and ends set them back to 0, for the code behind them is reached from elsewhere. */
unsigned ez_vgpr_msb_after(const ez_inst *inst, unsigned msb);

#ifdef __cplusplus
}
#endif
#endif
