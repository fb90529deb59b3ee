/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECZ_ISA_H
#define EXECZ_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "execz/inst.h"
#include "execz/target.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What the ISA tables say about instructions: the material of a reference page. Everything is computed
 * from the tables that the decoder and the assembler use, so it cannot disagree with them.
 *
 * An operation is a row of the table: what an instruction does, whatever it is called. Operations are
 * numbered from 1 to ez_op_count(); ez_inst.op is such a number. Numbers may change between versions
 * of the library, ids do not. All strings are static. Nothing here allocates or fails; functions that fill
 * an array write at most `room` entries and return how many there are.
 */
unsigned ez_op_count(void);

/* "MIN_F16"; one sentence on what it does; a longer text with "\n" between lines, or NULL. */
const char *ez_op_id(unsigned op);
const char *ez_op_about(unsigned op);
const char *ez_op_note(unsigned op);

/* "vector ALU", "scalar memory", ...: which part of the machine executes it. */
const char *ez_op_category(unsigned op);

/* All operations with that id, or with that mnemonic on some target: with or without the suffix of a form
 * ("v_min_f16", "v_min_f16_e64"), upper or lower case. Mnemonics move: v_add_u32 names two. */
size_t ez_op_find(const char *name, unsigned *ops, size_t room);

/* All mnemonics of all targets, sorted, without suffixes; NULL beyond the end. */
size_t ez_op_name_count(void);
const char *ez_op_name_at(size_t index);

/* The different mnemonics of one operation, in order of generation. */
size_t ez_op_names(unsigned op, const char **names, size_t room);

/* Operations to look at next: the same on other types and widths, packed, and its counterparts
 * (minimum and maximum, load and store), nearest first. Found by the words of their ids. */
size_t ez_op_related(unsigned op, unsigned *ops, size_t room);

/* ---- On one target --------------------------------------------------------------------------- */

/* Its mnemonic without suffix; NULL when the target lacks it. */
const char *ez_op_name(unsigned op, const ez_target *target);

/* One way to write an operation as bits. */
typedef struct ez_op_form {
    unsigned form;        /* as in ez_inst.form */
    const char *name;     /* "e32", "e64", "sdwa", ..., as ez_inst_form(); "" where there is one only */
    const char *encoding; /* "VOP2" */
    unsigned opcode;      /* in that encoding */
    unsigned size;        /* bytes, without a literal */
    uint32_t identifier;  /* dword 0 with the fixed bits and the opcode, all else 0 */
} ez_op_form;
enum { EZ_OP_FORMS_MAX = 7 };

/* The forms that the target has, shortest first; 0 when it lacks the operation. */
size_t ez_op_forms(unsigned op, const ez_target *target, ez_op_form *forms, size_t room);

/* A run of bits of a form, from its highest bit to its lowest. */
typedef struct ez_op_bits {
    uint8_t dword, high, low; /* bits high:low of that dword */
    const char *field;        /* name in lower case, "op" for the opcode, NULL for fixed or unused bits */
    bool fixed;               /* always `value` */
    uint32_t value;
} ez_op_bits;

/* The layout of a form, dword 0 first and bit 31 first within a dword; every bit is in one run. */
size_t ez_op_layout(unsigned op, const ez_target *target, unsigned form, ez_op_bits *bits, size_t room);

/* An operand, in the order of the text. */
typedef struct ez_op_operand {
    const char *field;  /* "vdst"; "" where it has none (an implied VCC, a literal) */
    const char *format; /* AMD's name of the data format: "FMT_NUM_F16" */
    const char *kind;   /* AMD's name of what it may be: "OPR_VGPR", "OPR_SRC" */
    unsigned bits;      /* of the value; 0: a lane mask, as wide as the wave, or no value */
    bool read, written;
} ez_op_operand;

size_t ez_op_operands(unsigned op, const ez_target *target, unsigned form, ez_op_operand *operands,
                      size_t room);

/* What is marked in its row there, one sentence for each index; NULL beyond the last. */
const char *ez_op_mark(unsigned op, const ez_target *target, unsigned index);

/* How it takes part in floating-point arithmetic. */
typedef struct ez_op_properties {
    bool floating;   /* computes with floats: rounding and denormal mode apply, exception flags are raised */
    bool ieee;       /* and the target has MODE.IEEE, which decides what becomes of signalling NaNs */
    bool source_modifiers; /* neg and abs */
    bool clamp;      /* saturates: floats to [0, 1], integers to their range */
    bool omod;       /* multiplies its result by 2, 4 or 0.5 */
    bool op_sel;     /* 16-bit operands may be either half of a register */
} ez_op_properties;
ez_op_properties ez_op_properties_on(unsigned op, const ez_target *target);

/* An instruction with plain operands (v5, -1, v2, ...) that shows the form. False when the target lacks it, or
 * when no such operands fit. `wave` is as for ez_decode(). */
bool ez_op_example(unsigned op, const ez_target *target, unsigned wave, unsigned form, ez_inst *inst);

#ifdef __cplusplus
}
#endif
#endif
