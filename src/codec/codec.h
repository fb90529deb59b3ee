/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the layers above the codec use beside the public functions: fields by their number, and the
 * making of an instruction field by field.
 */
#ifndef EZ_CODEC_H
#define EZ_CODEC_H

#include "execz/inst.h"
#include "isa/isa.h"

/* Operand codes that mean the same on every target. Source: "Scalar Operands" of any ISA guide. */
enum {
    EZ_CODE_TTMP_LAST = 123,
    EZ_CODE_VCC = 106,
    EZ_CODE_EXEC = 126,
    EZ_CODE_ZERO = 128,      /* inline integer 0; 1..64 follow */
    EZ_CODE_MINUS_ONE = 193, /* inline integer -1; -2..-16 follow */
    EZ_CODE_HALF = 240,      /* 0.5, -0.5, 1, -1, 2, -2, 4, -4, 1 / (2 pi) */
    EZ_CODE_INV_2PI = 248,
    EZ_CODE_DPP8 = 233,
    EZ_CODE_DPP8_FI = 234,
    EZ_CODE_SDWA = 249,
    EZ_CODE_DPP16 = 250,
    EZ_CODE_LITERAL = 255,
    EZ_CODE_VGPR = 256 /* v0; v255 is 511 */
};

static inline const ez_layout *ez_inst_layout(const ez_inst *inst) {
    return &ez_layouts[inst->layout];
}

static inline bool ez_has_field(const ez_inst *inst, unsigned field) {
    return ez_layouts[inst->layout].field[field].width != 0;
}

/* The value of a field; 0 when the layout has no such field. */
static inline uint32_t ez_get(const ez_inst *inst, unsigned field) {
    ez_field_position p = ez_layouts[inst->layout].field[field];
    return (uint32_t)(inst->word[p.lo >> 5] >> (p.lo & 31) & ((UINT64_C(1) << p.width) - 1));
}

/* Sets a field; false when the layout lacks it or the value does not fit. */
bool ez_set(ez_inst *inst, unsigned field, uint32_t value);

/* Begins an instruction: all fields 0, fixed bits and opcode in place. False when the target lacks
 * the row or this form of it. `wave` as for ez_decode, but checked already. */
bool ez_inst_begin(ez_inst *inst, const ez_target *target, unsigned wave, unsigned op, unsigned form);

/* Appends the literal behind the dwords of the layout. */
void ez_inst_set_literal(ez_inst *inst, uint32_t value);
static inline bool ez_inst_has_literal(const ez_inst *inst) {
    return inst->size > 4u * ez_layouts[inst->layout].dwords;
}
static inline uint32_t ez_inst_literal(const ez_inst *inst) {
    return inst->word[ez_layouts[inst->layout].dwords];
}

/* The field that row operand n takes in the instruction's layout; EZ_F_NONE for an implied one. */
unsigned ez_operand_field(const ez_inst *inst, const ez_row_operand *row_operand);

/* 0, 1, 2 for src0, src1 (vsrc1), src2: the bit number in neg, abs and op_sel; -1 for other fields. */
int ez_source_index(unsigned field);

/* Whether 16-bit VGPR operands of this instruction name a half of a register in the field itself or
 * by op_sel: true16 targets, and rows with op_sel where VOP3 has it. */
bool ez_inst_halves(const ez_inst *inst);

/* Whether the operand codes and fields are all ones that decode; see valid.c. */
bool ez_inst_valid(const ez_inst *inst);

/* Whether the instruction takes a field of its layout: as an operand, or as a modifier of its row. */
bool ez_inst_takes(const ez_inst *inst, unsigned field);

/* Whether fixed bits are as they must be and fields that the instruction does not take are at rest. */
bool ez_inst_fields_valid(const ez_inst *inst);

/* The bits of inline constant `code` (128..248) for an operand of that type. */
uint64_t ez_inline_constant(unsigned code, unsigned type);

/* The inline constant code whose bits for the type are `value`; 0 when there is none. */
unsigned ez_inline_code(uint64_t value, unsigned type);

static inline bool ez_type_is_float(unsigned type) {
    switch (type) {
    case EZ_T_f16: case EZ_T_bf16: case EZ_T_f32: case EZ_T_f64: return true;
    case EZ_T_pk_f16: case EZ_T_pk_bf16: case EZ_T_pk_f32: return true;
    default: return false;
    }
}

#endif
