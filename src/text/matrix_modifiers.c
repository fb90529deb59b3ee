/* SPDX-License-Identifier: Apache-2.0 */
/* The modifiers of packed and matrix instructions (VOP3P and its kin), and the list of all lists. */
#include "families.h"

static bool has(const ez_inst *inst, unsigned flag) {
    return ez_row_has_on(inst->target, inst->op, flag);
}

/* ---- op_sel, op_sel_hi, neg_lo, neg_hi: a bit for each source ---- */

static bool is_matrix(const ez_inst *inst) { return ez_rows[inst->op].dims[0] != 0; }

static unsigned sources(const ez_inst *inst) {
    unsigned count = 0;
    for (unsigned n = 0; n < ez_inst_operand_count(inst); n++)
        count += ez_source_index(ez_inst_operand(inst, n).field) >= 0;
    return is_matrix(inst) ? 3 : count;
}

static bool halves_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return ez_taken_bits(inst, EZ_F_op_sel_hi);
}

static bool packed_op_sel_taken(const ez_inst *inst, ez_text_flags flags) {
    return ez_has_field(inst, EZ_F_op_sel_hi) && halves_taken(inst, flags);
}

static void op_sel_print(const ez_inst *inst, ez_writer *w) {
    unsigned bits = ez_get(inst, EZ_F_op_sel), count = sources(inst);
    if (bits & ((1u << count) - 1)) ez_write_bits(w, "op_sel", bits, count);
}

static unsigned op_sel_hi(const ez_inst *inst) {
    return ez_get(inst, EZ_F_op_sel_hi) | ez_get(inst, EZ_F_op_sel_hi2) << 2;
}

/* Printed where it is not what is meant when it is not written: ones, zeros for mixed precision. */
static void op_sel_hi_print(const ez_inst *inst, ez_writer *w) {
    unsigned count = sources(inst), all = (1u << count) - 1, bits = op_sel_hi(inst) & all;
    if (!ez_has_field(inst, EZ_F_op_sel_hi2)) all &= 3;
    if (bits != (has(inst, EZ_ROW_mix) ? 0 : all)) ez_write_bits(w, "op_sel_hi", bits, count);
}

static bool op_sel_is(const ez_item *item) { return item->colon && ez_item_is(item, "op_sel"); }
static bool op_sel_hi_is(const ez_item *item) { return item->colon && ez_item_is(item, "op_sel_hi"); }

static ez_status op_sel_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    unsigned bits;
    if (ez_bit_list(item, 4, &bits, err)) return EZ_ERR_SYNTAX;
    if (has(inst, EZ_ROW_opsel_fixed) && bits)
        return ez_fail_at(err, EZ_ERR_ENCODE, item->column, "invalid op_sel operand: all are 0 here");
    ez_set(inst, EZ_F_op_sel, bits & ((1u << sources(inst)) - 1) & (ez_has_field(inst, EZ_F_op_sel_hi2) ? 7 : 3));
    return EZ_OK;
}

static ez_status op_sel_hi_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    unsigned bits, count = sources(inst);
    if (ez_bit_list(item, 4, &bits, err)) return EZ_ERR_SYNTAX;
    if (has(inst, EZ_ROW_opsel_fixed) && (bits & 7) != 7)
        return ez_fail_at(err, EZ_ERR_ENCODE, item->column, "invalid op_sel_hi operand: all are 1 here");
    ez_set(inst, EZ_F_op_sel_hi, bits & 3);
    if (count > 2) ez_set(inst, EZ_F_op_sel_hi2, bits >> 2 & 1);
    return EZ_OK;
}

/* Those of mixed precision are written with the operands. */
static bool neg_lo_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return !has(inst, EZ_ROW_mix) && ez_taken_bits(inst, EZ_F_neg_lo);
}

static bool neg_hi_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return !has(inst, EZ_ROW_mix) && ez_taken_bits(inst, EZ_F_neg_hi);
}

static void neg_lo_print(const ez_inst *inst, ez_writer *w) {
    unsigned bits = ez_get(inst, EZ_F_neg_lo) & ez_taken_bits(inst, EZ_F_neg_lo);
    if (bits) ez_write_bits(w, "neg_lo", bits, sources(inst));
}

static void neg_hi_print(const ez_inst *inst, ez_writer *w) {
    unsigned bits = ez_get(inst, EZ_F_neg_hi) & ez_taken_bits(inst, EZ_F_neg_hi);
    if (bits) ez_write_bits(w, "neg_hi", bits, sources(inst));
}

static bool neg_lo_is(const ez_item *item) { return item->colon && ez_item_is(item, "neg_lo"); }
static bool neg_hi_is(const ez_item *item) { return item->colon && ez_item_is(item, "neg_hi"); }

static ez_status signs_set(ez_inst *inst, unsigned field, const ez_item *item, ez_error *err) {
    unsigned bits, taken = ez_taken_bits(inst, field), all = (1u << sources(inst)) - 1;
    if (ez_bit_list(item, 4, &bits, err)) return EZ_ERR_SYNTAX;
    if (bits & all & ~taken)
        return ez_fail_at(err, EZ_ERR_ENCODE, item->column, "invalid %s operand: not every source has a sign here",
                          ez_field_names[field]);
    ez_set(inst, field, bits & taken);
    return EZ_OK;
}

static ez_status neg_lo_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    return signs_set(inst, EZ_F_neg_lo, item, err);
}
static ez_status neg_hi_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    return signs_set(inst, EZ_F_neg_hi, item, err);
}

/* ---- plain numbers and names ---- */

#define NUMBER(field, high)                                                                        \
    static void field##_print(const ez_inst *inst, ez_writer *w) {                                 \
        if (ez_get(inst, EZ_F_##field)) ez_write_number(w, #field, ez_get(inst, EZ_F_##field));    \
    }                                                                                              \
    static bool field##_is(const ez_item *item) { return item->colon && ez_item_is(item, #field); } \
    static ez_status field##_set(ez_inst *inst, const ez_item *item, ez_error *err) {              \
        return ez_set_number(inst, EZ_F_##field, item, high, err);                                 \
    }
NUMBER(cbsz, 7)
NUMBER(abid, 15)
NUMBER(blgp, 7)
NUMBER(index_key, ez_taken_bits(inst, EZ_F_index_key))

#undef NUMBER

static bool index_key_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return ez_taken_bits(inst, EZ_F_index_key);
}

static bool blgp_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return !has(inst, EZ_ROW_mfma_neg) && ez_taken_bits(inst, EZ_F_blgp);
}

static bool abid_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return ez_taken_bits(inst, EZ_F_abid);
}

/* blgp of matrix instructions on doubles: neg:[a,b,c]. */
static bool neg_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return has(inst, EZ_ROW_mfma_neg);
}

static void neg_print(const ez_inst *inst, ez_writer *w) {
    if (ez_get(inst, EZ_F_blgp)) ez_write_bits(w, "neg", ez_get(inst, EZ_F_blgp), 3);
}

static bool neg_is(const ez_item *item) { return item->colon && ez_item_is(item, "neg"); }

static ez_status neg_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    unsigned bits;
    if (ez_bit_list(item, 3, &bits, err)) return EZ_ERR_SYNTAX;
    ez_set(inst, EZ_F_blgp, bits);
    return EZ_OK;
}

static bool reuse_taken(const ez_inst *inst, ez_text_flags flags) {
    (void)flags;
    return ez_taken_bits(inst, EZ_F_matrix_a_reuse);
}

EZ_FLAG_MODIFIER(matrix_a_reuse, ez_item_is_flag)
EZ_FLAG_MODIFIER(matrix_b_reuse, ez_item_is_flag)

static const char *const formats[] = {"MATRIX_FMT_FP8", "MATRIX_FMT_BF8", "MATRIX_FMT_FP6",
                                      "MATRIX_FMT_BF6", "MATRIX_FMT_FP4", NULL};
static const char *const rows[] = {"MATRIX_SCALE_ROW0", "MATRIX_SCALE_ROW1", NULL};
static const char *const scale_formats[] = {"MATRIX_SCALE_FMT_E8", "MATRIX_SCALE_FMT_E5M3",
                                            "MATRIX_SCALE_FMT_E4M3", NULL};

/* name:CHOICE; a number where none has that name, which text that is to be assembled may not have */
static void write_choice(ez_writer *w, const char *name, const char *const *choices, uint32_t n) {
    uint32_t count = 0;
    while (choices[count])
        count++;
    if (n < count) ez_write_choice(w, name, choices, n);
    else ez_write_number(w, name, n);
}

#define CHOICE(field, choices)                                                                     \
    static void field##_print(const ez_inst *inst, ez_writer *w) {                                 \
        if (ez_get(inst, EZ_F_##field))                                                            \
            write_choice(w, #field, choices, ez_get(inst, EZ_F_##field));                          \
    }                                                                                              \
    static bool field##_is(const ez_item *item) { return item->colon && ez_item_is(item, #field); } \
    static ez_status field##_set(ez_inst *inst, const ez_item *item, ez_error *err) {              \
        return ez_set_choice(inst, EZ_F_##field, choices, item, err);                              \
    }
CHOICE(matrix_a_fmt, formats)
CHOICE(matrix_a_scale, rows)
CHOICE(matrix_b_scale, rows)
CHOICE(matrix_a_scale_fmt, scale_formats)
CHOICE(matrix_b_scale_fmt, scale_formats)
#undef CHOICE

/* matrix_b_fmt has its highest bit apart. */
static void matrix_b_fmt_print(const ez_inst *inst, ez_writer *w) {
    unsigned format = ez_get(inst, EZ_F_matrix_b_fmt) | ez_get(inst, EZ_F_matrix_b_fmt_hi) << 2;
    if (format) write_choice(w, "matrix_b_fmt", formats, format);
}

static bool matrix_b_fmt_is(const ez_item *item) {
    return item->colon && ez_item_is(item, "matrix_b_fmt");
}

static ez_status matrix_b_fmt_set(ez_inst *inst, const ez_item *item, ez_error *err) {
    ez_inst a = *inst; /* matrix_a_fmt is as wide as the choice */
    if (ez_set_choice(&a, EZ_F_matrix_a_fmt, formats, item, err)) return EZ_ERR_SYNTAX;
    ez_set(inst, EZ_F_matrix_b_fmt, ez_get(&a, EZ_F_matrix_a_fmt) & 3);
    ez_set(inst, EZ_F_matrix_b_fmt_hi, ez_get(&a, EZ_F_matrix_a_fmt) >> 2);
    return EZ_OK;
}

const ez_modifier ez_matrix_modifiers[] = {
    {EZ_F_op_sel, packed_op_sel_taken, op_sel_print, op_sel_is, op_sel_set, false, 0},
    {EZ_F_op_sel_hi, halves_taken, op_sel_hi_print, op_sel_hi_is, op_sel_hi_set, false, 0},
    {EZ_F_index_key, index_key_taken, index_key_print, index_key_is, index_key_set, false, 0},
    {EZ_F_matrix_a_fmt, NULL, matrix_a_fmt_print, matrix_a_fmt_is, matrix_a_fmt_set, false, 0},
    {EZ_F_matrix_b_fmt, NULL, matrix_b_fmt_print, matrix_b_fmt_is, matrix_b_fmt_set, false, 0},
    {EZ_F_matrix_a_scale, NULL, matrix_a_scale_print, matrix_a_scale_is, matrix_a_scale_set, false, 0},
    {EZ_F_matrix_b_scale, NULL, matrix_b_scale_print, matrix_b_scale_is, matrix_b_scale_set, false, 0},
    {EZ_F_matrix_a_scale_fmt, NULL, matrix_a_scale_fmt_print, matrix_a_scale_fmt_is,
     matrix_a_scale_fmt_set, false, 0},
    {EZ_F_matrix_b_scale_fmt, NULL, matrix_b_scale_fmt_print, matrix_b_scale_fmt_is,
     matrix_b_scale_fmt_set, false, 0},
    {EZ_F_matrix_a_reuse, reuse_taken, matrix_a_reuse_print, matrix_a_reuse_is, matrix_a_reuse_set, false, 0},
    {EZ_F_matrix_b_reuse, reuse_taken, matrix_b_reuse_print, matrix_b_reuse_is, matrix_b_reuse_set, false, 0},
    {EZ_F_neg_lo, neg_lo_taken, neg_lo_print, neg_lo_is, neg_lo_set, false, 0},
    {EZ_F_neg_hi, neg_hi_taken, neg_hi_print, neg_hi_is, neg_hi_set, false, 0},
    {EZ_F_cbsz, NULL, cbsz_print, cbsz_is, cbsz_set, false, 0},
    {EZ_F_abid, abid_taken, abid_print, abid_is, abid_set, false, 0},
    {EZ_F_blgp, blgp_taken, blgp_print, blgp_is, blgp_set, false, 0},
    {EZ_F_blgp, neg_taken, neg_print, neg_is, neg_set, false, 0},
    {0},
};

/* Packed instructions have op_sel and neg before the common clamp. */
const ez_modifier *const ez_modifier_lists[] = {ez_matrix_modifiers, ez_vector_modifiers, ez_memory_modifiers, NULL};

