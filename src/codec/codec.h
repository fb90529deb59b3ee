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
    EZ_CODE_LDS_DIRECT = 254, /* before the targets with lit64 */
    EZ_CODE_LITERAL64 = 254,
    EZ_CODE_VCCZ = 251, /* before EXECZ and SCC */
    EZ_CODE_SCC = 253,
    EZ_CODE_LITERAL = 255,
    EZ_CODE_VGPR = 256 /* v0; v255 is 511 */
};

static inline const ez_layout *ez_inst_layout(const ez_inst *inst) {
    return &ez_layouts[inst->layout];
}

/* Whether it is that of a dual-issue instruction as a whole. */
static inline bool ez_layout_is_dual(const ez_layout *layout) {
    return layout->field[EZ_F_op].width && layout->field[EZ_F_opy].width;
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

/* The same for two halves of a dual-issue instruction; wide: as VOPD3. */
bool ez_inst_begin_dual(ez_inst *inst, const ez_target *target, unsigned wave, unsigned op,
                        unsigned second, bool wide);

/* Appends the literal behind the dwords of the layout. */
void ez_inst_set_literal(ez_inst *inst, uint32_t value);
void ez_inst_set_literal64(ez_inst *inst, uint64_t value);
static inline bool ez_inst_has_literal(const ez_inst *inst) {
    return inst->size > 4u * ez_layouts[inst->layout].dwords;
}
/* ... of 64 bits. */
static inline bool ez_inst_has_literal64(const ez_inst *inst) {
    return inst->size > 4u * (ez_layouts[inst->layout].dwords + 1u);
}
static inline uint64_t ez_inst_literal(const ez_inst *inst) {
    const uint32_t *word = &inst->word[ez_layouts[inst->layout].dwords];
    return word[0] | (ez_inst_has_literal64(inst) ? (uint64_t)word[1] << 32 : 0);
}

/* Whether a literal may stand behind the dwords of its layout. */
bool ez_inst_takes_literal(const ez_inst *inst);

/* Whether an operand code announces a literal of 64 bits. */
static inline bool ez_is_literal64(const ez_inst *inst, unsigned code) {
    return code == EZ_CODE_LITERAL64 && ez_has(inst->target, EZ_HAS_lit64);
}

/* The field that row operand n takes in the instruction's layout; EZ_F_NONE for an implied one. */
unsigned ez_operand_field(const ez_inst *inst, const ez_row_operand *row_operand);

/* The class that counts for it there: its own, or the field's, or that of an SDWA scalar. */
unsigned ez_operand_class(const ez_inst *inst, const ez_row_operand *row_operand, unsigned field);

/* What a field of a class may hold, as bits; 0: the class is none of registers and constants. */
enum {
    EZ_TAKES_VGPR = 1,
    EZ_TAKES_AGPR = 2,
    EZ_TAKES_SCALAR = 4, /* SGPRs, ttmps, named registers but src_lds_direct */
    EZ_TAKES_INLINE = 8,
    EZ_TAKES_LITERAL = 16,
    EZ_TAKES_LDS_DIRECT = 32
};
unsigned ez_class_takes(const ez_inst *inst, unsigned cls);

/* Which of the four fields of s_set_vgpr_msb goes for a VGPR operand: src0, src1, src2, the destination. */
enum { EZ_MSB_NONE = 4 };
unsigned ez_msb_slot(const ez_inst *inst, const ez_operand *o);

/* ---- operands of the other families: operand_scalar.c, operand_memory.c, operand_image.c ---- */

/* Fill in an operand (its field, type and dwords are there) if its class is one of theirs; false when not. */
bool ez_scalar_operand(const ez_inst *inst, unsigned cls, ez_operand *o);
bool ez_memory_operand(const ez_inst *inst, unsigned cls, ez_operand *o);
bool ez_image_operand(const ez_inst *inst, unsigned cls, ez_operand *o);

/* The VGPRs with an image address: one run, or a list whose parts are runs of their own. */
typedef struct ez_image_address {
    bool list, exact; /* exact: data and address are as long as dmask, dim and so on say */
    uint8_t parts, words; /* words: VGPRs in all */
    uint8_t reg[13], dwords[13];
} ez_image_address;
/* False when the instruction does not name enough of them. */
bool ez_image_address_of(const ez_inst *inst, ez_image_address *address);
/* Whether llvm-mc has an instruction of that name for so many data VGPRs. */
bool ez_image_data_exists(const ez_inst *inst, unsigned words);
/* The fewest and the most address VGPRs that it has one for; how many parts a list has at most, the last taking the rest. */
unsigned ez_image_address_range(const ez_inst *inst, unsigned *least, unsigned *most);
/* Whether it has one for a run of so many address VGPRs. */
bool ez_image_run_exists(const ez_inst *inst, unsigned words);
/* Names the first VGPR of part n of a list. */
void ez_image_name_vgpr(ez_inst *inst, unsigned n, unsigned reg);

/* Kind and register from the operand code in o->code: of a scalar register; of any source. */
void ez_scalar_register(const ez_inst *inst, ez_operand *o);
void ez_source_operand(const ez_inst *inst, ez_operand *o);
/* The same of o->dwords scalar registers, which begin at a multiple of 2 or 4. */
void ez_scalar_tuple(const ez_inst *inst, ez_operand *o);

/* A field as a two's complement number. */
int64_t ez_signed_field(const ez_inst *inst, unsigned field);

/* The codes that null and m0 have on a target. Source: [RDNA3] "Scalar Operands". */
static inline bool ez_is_null(const ez_target *target, unsigned code) {
    return code == (ez_has(target, EZ_HAS_null_is_124) ? 124u : 125u);
}
static inline unsigned ez_m0_code(const ez_target *target) {
    return ez_has(target, EZ_HAS_null_is_124) ? 125 : 124;
}

/* The parts that the offset of a scalar load has. */
typedef struct ez_scalar_offset {
    bool has_register, has_number;
    uint8_t code;
    int64_t number;
} ez_scalar_offset;
ez_scalar_offset ez_scalar_offset_of(const ez_inst *inst);

/* Whether an atomic returns the old value. */
bool ez_inst_returns(const ez_inst *inst);
/* Whether a code in saddr stands for no register. */
bool ez_address_is_off(const ez_inst *inst, unsigned code, bool scratch);

enum { EZ_SDWA_PRESERVE = 2 }; /* of dst_unused. Source: [Vega] 13.3.7 */
enum { EZ_SDWA_DWORD = 6 }; /* the last of the selections of SDWA. Source: [Vega] 13.3.7 */

/* Which modifiers the source in a field may have in this form. */
typedef enum ez_source_modifiers {
    EZ_SOURCE_PLAIN,
    EZ_SOURCE_NEG,
    EZ_SOURCE_NEG_ABS,
    EZ_SOURCE_SEXT
} ez_source_modifiers;
ez_source_modifiers ez_operand_modifiers(const ez_inst *inst, unsigned field, unsigned type);

/* The bits of a modifier field of a vector instruction that it takes; all of other fields. */
uint32_t ez_taken_bits(const ez_inst *inst, unsigned field);

/* The type as which the text takes constants of an operand: halves where the precision is mixed, those of the
 * classes of v_cmp_class_f16 as llvm-mc has them, 32 bits before GFX11 and halves since; likewise two bytes, but where they
 * become halves. */
unsigned ez_constant_type(const ez_inst *inst, unsigned type);

/* Whether a result of 16 bits leaves the other half of its VGPR as it is; else it clears it. */
bool ez_keeps_other_half(const ez_inst *inst);

/* The most address VGPRs that an image instruction can have. */
unsigned ez_image_address_most(const ez_inst *inst);

/* Whether it writes a byte of its register, which op_sel bits 3:2 choose. */
bool ez_writes_byte(const ez_inst *inst);

/* A bit for each source that the instruction has: 0 for src0 and so on. */
unsigned ez_vector_sources(const ez_inst *inst);

/* Whether no bit of such a field is set that is not taken, where llvm-mc refuses to decode it then. */
bool ez_vector_bits_valid(const ez_inst *inst);

/* 0, 1, 2 for src0, src1 (vsrc1), src2: the bit number in neg, abs and op_sel; -1 for other fields. */
int ez_source_index(unsigned field);

/* Whether 16-bit VGPR operands of this instruction name a half of a register in the field itself or
 * by op_sel: true16 targets, and rows with op_sel where VOP3 has it. */
bool ez_inst_halves(const ez_inst *inst);

/* Whether the text can name halves of registers: on true16 targets, unless op_sel has a bit set of what has no half, for
 * llvm-mc falls back to plain registers then. */
bool ez_names_halves(const ez_inst *inst);

/* Whether a scalar source of that type gives its low half alone. */
static inline bool ez_scalar_gives_low_half(const ez_inst *inst, unsigned type) {
    return type == EZ_T_pk_f32 && ez_has(inst->target, EZ_HAS_pk_f32_scalar_low);
}

/* The second half of a dual-issue instruction, as an instruction of its own with the same dwords; false
 * when the instruction is none. */
bool ez_inst_second(const ez_inst *inst, ez_inst *second);

/* Whether the operand codes and fields are all ones that decode; see valid.c. */
bool ez_inst_valid(const ez_inst *inst);

/* Whether its operand codes alone make it no instruction. */
bool ez_inst_lacks_operands(const ez_inst *inst);

/* Whether the instruction takes a field of its layout: as an operand, or as a modifier of its row. */
bool ez_inst_takes(const ez_inst *inst, unsigned field);

/* Whether fixed bits are as they must be and fields that the instruction does not take are at rest. */
bool ez_inst_fields_valid(const ez_inst *inst);

/* The format that float constants of an operand of that type have: integers of up to 32 bits take
 * them as f32, of 64 bits as f64. */
typedef enum ez_float { EZ_FLOAT_F16, EZ_FLOAT_BF16, EZ_FLOAT_F32, EZ_FLOAT_F64 } ez_float;
ez_float ez_type_float(unsigned type);

/* The bits of inline constant `code` (128..248) for an operand of that type. */
uint64_t ez_inline_constant(unsigned code, unsigned type);

/* The inline constant code whose bits for the type are `value`; 0 when there is none. */
unsigned ez_inline_code(uint64_t value, unsigned type);
/* Whether it is an integer type of 16 bits: of those a number is an inline constant as it is written, 65535 none though its
 * 16 bits are -1's. */
bool ez_is_small_integer(unsigned type);
/* The same of an integer as written, with its bits. */
unsigned ez_inline_code_of_integer(int64_t written, uint64_t value, unsigned type);
/* The same for an operand of an instruction. Where v_pk_fmac_f16 has its float constants in both halves, it is a number
 * with two equal halves that has one; an integer constant has 32 bits there as before. Source: behaviour of llvm-mc 22. */
unsigned ez_inline_code_here(const ez_inst *inst, unsigned operand_type, uint64_t value, unsigned type);
/* Whether an inline float constant of the instruction stands for both halves of an operand (v_pk_fmac_f16). */
bool ez_constant_in_both_halves(const ez_inst *inst, unsigned type);

/* Two values of 32 bits: a constant is written for one and serves both. */
static inline bool ez_type_is_pair(unsigned type) { return type == EZ_T_pk_f32 || type == EZ_T_pk_b32; }

static inline bool ez_type_is_float(unsigned type) {
    switch (type) {
    case EZ_T_f16: case EZ_T_bf16: case EZ_T_f32: case EZ_T_f64: return true;
    case EZ_T_pk_f16: case EZ_T_pk_bf16: case EZ_T_pk_f32: return true;
    default: return false;
    }
}

#endif
