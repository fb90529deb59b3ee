/* SPDX-License-Identifier: Apache-2.0 */
/* What printer and parser take from the files of the scalar and memory families. */
#ifndef EZ_TEXT_FAMILIES_H
#define EZ_TEXT_FAMILIES_H

#include "text.h"

/* ---- printing: print_scalar.c, print_memory.c ---- */

/* Writes an operand whose class has a text of its own; false when it has none. */
bool ez_print_scalar(ez_writer *w, const ez_inst *inst, unsigned cls, const ez_operand *o);
bool ez_print_memory(ez_writer *w, const ez_inst *inst, unsigned cls, const ez_operand *o);

/* An operand as any other: a register, constant or literal; a run of registers: v5, v[5:6]. In print.c. */
void ez_write_plain(ez_writer *w, const ez_inst *inst, const ez_operand *o);
void ez_write_registers(ez_writer *w, const char *file, unsigned first, unsigned dwords);
/* 0x..., with a minus before it. */
void ez_write_signed_hex(ez_writer *w, int64_t value);

/* The bits of a value that a mask selects, moved together; and back. */
unsigned ez_gather_bits(unsigned value, unsigned mask);
unsigned ez_scatter_bits(unsigned count, unsigned mask);

/* A message of s_sendmsg: its parts. `exact`: there are no bits but theirs. */
typedef struct ez_message {
    unsigned id, operation, stream;
    bool wide, gs, sys, exact;
} ez_message;
ez_message ez_message_of(const ez_target *target, unsigned value);
/* The name of its operation, NULL when it has none. */
const char *ez_message_operation(const ez_target *target, const ez_message *m);

/* ---- parsing: parse_scalar.c, parse_memory.c ---- */

/* The operand fits, but breaks a rule: said when all the others fit too. */
#define BREAK(column, ...)                                                                                   \
    do                                                                                                       \
        if (!a->broken.status) ez_fail_at(&a->broken, EZ_ERR_ENCODE, column, __VA_ARGS__);                   \
    while (0)

/* Whether the number of 16 bits is compared without a sign: then it has none in text. Others may be written either way. */
static inline bool ez_compares_unsigned(const ez_inst *inst, const ez_operand *o) {
    return o->type == EZ_T_u16 && ez_row_has_on(inst->target, inst->op, EZ_ROW_scc);
}

/* Whether the instruction is of an encoding whose operands and modifiers ez_put_scalar_or_memory takes. */
bool ez_is_scalar_or_memory(const ez_inst *inst);
bool ez_is_memory(const ez_layout *layout); /* of the memory families alone */
ez_status ez_put_scalar_or_memory(ez_attempt *a);

/* match_memory.c: why no form of a memory instruction takes the items as llvm-mc sees it; `inst` is one of that name.
 * EZ_OK: a form of the target takes them, and a rule is broken. EZ_ERR_NOT_FOUND: the word *stranger can be nowhere there. */
ez_status ez_explain_memory(ez_parser *p, const ez_inst *inst, const ez_item **stranger);

/* The modifiers a16 and scc, which read as registers: no comma stands before them. */
const ez_item *ez_memory_word(const ez_item *item);
/* Whether the field holds data, which may be in accumulation VGPRs. */
bool ez_memory_field_is_data(const ez_inst *inst, unsigned field);
/* Whether EXEC and null may be the base of an address of this class. */
bool ez_memory_base_may_be_exec(const ez_inst *inst, unsigned cls);
/* Whether the item can be the soffset of a buffer: a register, or an inline constant. */
bool ez_memory_soffset_fits(const ez_item *item, bool constants);

/* Whether the third source of an MFMA instruction overlaps the destination in part, as it must not. */
bool ez_accumulator_overlaps(const ez_inst *inst);

/* Whether VGPRs of the two halves of a dual-issue instruction are of one bank where they must not. */
bool ez_dual_banks_clash(const ez_inst *x, const ez_inst *y);

/* Item `at` as an operand of a class with a text of its own; *used says how many items that took.
 * EZ_ERR_NOT_FOUND: the class is none of those. */
ez_status ez_put_scalar_class(ez_attempt *a, unsigned cls, const ez_operand *o, unsigned at, unsigned *used);

/* ---- modifiers: memory_modifiers.c, memory_values.c ---- */

extern const ez_modifier ez_memory_modifiers[]; /* ends with is == NULL */
enum { EZ_TH_LAST_USE = 3, EZ_SCOPE_SYS = 3 }; /* of GFX12's th and scope */
enum { EZ_MEMORY_POLICY_FIRST = 10, EZ_MEMORY_POLICY_LAST = 20 }; /* cache policy: in any order among themselves */
/* A temporal hint, and whether it is BYPASS. */
typedef enum ez_hint_kind { EZ_HINT_LOAD, EZ_HINT_STORE, EZ_HINT_ATOMIC } ez_hint_kind;
typedef struct ez_hint {
    ez_hint_kind kind;
    unsigned value;
    bool bypass;
} ez_hint;
ez_hint_kind ez_hint_kind_of(const ez_inst *inst);
bool ez_memory_hint(const ez_target *target, const ez_item *item, ez_hint *hint);
/* The format of a typed buffer where it stands before soffset: format:N, before GFX10 dfmt:N, nfmt:N. *taken says how many of the
 * items it is, 0: none stands there; *format is it as format:N. */
ez_status ez_early_format(const ez_parser *p, const ez_item *items, unsigned count, unsigned *taken, ez_item *format);
ez_status ez_set_swizzle(ez_inst *inst, const ez_item *item, ez_error *err);
ez_status ez_set_format(ez_inst *inst, const ez_item *item, ez_error *err);

#endif
