/* SPDX-License-Identifier: Apache-2.0 */
/* The disassembler: an instruction met lately is copied; one whose shape is known is decoded and printed by that; all
 * others by ez_decode and ez_print. */
#include "families.h"
#include "shape.h"

#include <stdlib.h>
#include <string.h>

/* What src0 announces: another form than the plain one. */
enum { ESCAPES = 5, DUALS = 64 };

/* An instruction that a shape gave, and its text: code says the same things again and again. */
enum { LINE_BITS = 14, LINE_BYTES = 128, LINE_TEXT = 108 };
typedef struct ez_line {
    uint32_t word[EZ_SHAPE_DWORDS];
    uint16_t op, layout;
    uint8_t form, size; /* size 0: nothing is here */
    uint8_t length, unused;
    char text[LINE_TEXT];
} ez_line;
_Static_assert(sizeof(ez_line) == LINE_BYTES, "whole cache lines");

struct ez_disassembler {
    const ez_isa_set *set;
    void *line_memory;
    ez_line *line;         /* [1 << LINE_BITS], at a multiple of LINE_BYTES, by the hash of its first dwords */
    uint8_t hashed[512];   /* by word[0] >> 23: how many dwords are hashed, those that all encodings there have */
    uint32_t first_entry, entry_count; /* of the opcode spaces of the set */
    uint8_t escape[512];               /* by the code in src0; 0: none */
    char decimal[EZ_CODES][4];         /* 0 to 255: digits, and in the last byte their number */
    uint16_t *frame_of;                /* [entry][escape]: index of a frame, plus 1; EZ_FRAMES + 1: none */
    uint16_t dual[2][DUALS][DUALS];    /* the same by the opcodes of both halves, of VOPD and VOPD3 */
    ez_shapes shapes;
};

/* ---- the handle ---- */

static void find_entries(ez_disassembler *d) {
    uint32_t first = UINT32_MAX, end = 0;
    for (unsigned e = 0; e < EZ_ENC_COUNT; e++) {
        ez_opcode_space space = d->set->space[e];
        if (!space.count) continue;
        if (space.first < first) first = space.first;
        if (space.first + space.count > end) end = space.first + space.count;
    }
    d->first_entry = first;
    d->entry_count = end > first ? end - first : 0;
}

/* False: out of memory. Pages of lines that stay empty are never touched. */
static bool make_lines(ez_disassembler *d) {
    d->line_memory = calloc((1 << LINE_BITS) + 2, sizeof *d->line);
    uintptr_t at = (uintptr_t)d->line_memory;
    d->line = (ez_line *)((at + LINE_BYTES - 1) & ~(uintptr_t)(LINE_BYTES - 1));
    for (unsigned top = 0; top < 512; top++) {
        unsigned least = EZ_SHAPE_DWORDS;
        for (const uint8_t *e = d->set->chain + d->set->first[top]; *e != EZ_ENC_COUNT; e++) {
            unsigned dwords = ez_layouts[d->set->layout[*e][EZ_FORM_BASE]].dwords;
            if (dwords < least) least = dwords;
        }
        d->hashed[top] = (uint8_t)least;
    }
    return d->line_memory;
}

ez_status ez_disassembler_open(const ez_target *target, unsigned wave, ez_text_flags flags,
                               ez_disassembler **out) {
    if (!target || !out || (wave && !ez_target_has_wave(target, wave))) return EZ_ERR_ARGUMENT;
    ez_disassembler *d = calloc(1, sizeof *d);
    *out = NULL;
    if (!d) return EZ_ERR_NOMEM;
    d->set = &ez_isa_sets[target->set];
    d->shapes.target = target;
    d->shapes.wave = wave ? wave : ez_target_default_wave(target);
    d->shapes.flags = flags;
    d->escape[EZ_CODE_SDWA] = 1;
    d->escape[EZ_CODE_DPP16] = 2;
    d->escape[EZ_CODE_DPP8] = 3;
    d->escape[EZ_CODE_DPP8_FI] = 4;
    for (unsigned n = 0; n < EZ_CODES; n++) {
        char *c = d->decimal[n];
        ez_writer w = {.text = c, .room = 4};
        ez_write_decimal(&w, n);
        c[3] = (char)w.length;
    }
    find_entries(d);
    d->frame_of = calloc((size_t)d->entry_count * ESCAPES, sizeof *d->frame_of);
    if (!make_lines(d) || !d->frame_of) {
        ez_disassembler_close(d);
        return EZ_ERR_NOMEM;
    }
    *out = d;
    return EZ_OK;
}

void ez_disassembler_close(ez_disassembler *d) {
    if (!d) return;
    free(d->line_memory);
    free(d->frame_of);
    free(d);
}

/* ---- which frame ---- */

static inline unsigned field_of(ez_field_position p, const uint32_t *word) {
    return word[p.lo >> 5] >> (p.lo & 31) & (unsigned)((UINT64_C(1) << p.width) - 1);
}

/* Where the frame of the instruction is or comes to be; NULL: no opcode is known there. */
static uint16_t *frame_slot(ez_disassembler *d, const uint32_t *word) {
    const ez_isa_set *set = d->set;
    for (const uint8_t *e = set->chain + set->first[word[0] >> 23]; *e != EZ_ENC_COUNT; e++) {
        const ez_layout *layout = &ez_layouts[set->layout[*e][EZ_FORM_BASE]];
        if ((word[0] & layout->mask) != layout->value) continue;
        if (layout->dwords > EZ_SHAPE_DWORDS) return NULL; /* a pair of instructions that may be one */
        ez_field_position op = layout->field[EZ_F_op], opy = layout->field[EZ_F_opy],
                          src0 = layout->field[EZ_F_src0];
        unsigned opcode = field_of(op, word) | field_of(layout->field[EZ_F_op_msb], word) << op.width;
        if (opy.width) {
            unsigned second = field_of(opy, word);
            return opcode < DUALS && second < DUALS ? &d->dual[*e == EZ_ENC_VOPD3][opcode][second] : NULL;
        }
        ez_opcode_space space = set->space[*e];
        if (opcode >= space.count || !ez_opcode_entries[space.first + opcode]) continue;
        unsigned escape = src0.width == 9 ? d->escape[field_of(src0, word)] : 0;
        return &d->frame_of[(space.first + opcode - d->first_entry) * ESCAPES + escape];
    }
    return NULL;
}

/* ---- decoding ---- */

/* The dwords at b, 0 beyond `size`. */
static inline void read_words(const uint8_t *b, size_t size, uint32_t *word) {
    uint8_t all[EZ_INST_MAX_BYTES] = {0};
    if (size < EZ_INST_MAX_BYTES) b = memcpy(all, b, size & ~(size_t)3);
    for (unsigned i = 0; i < EZ_INST_MAX_BYTES / 4; i++)
        word[i] = ez_dword_at(b + 4 * i);
}

static inline unsigned place_value(const ez_place *p, const uint32_t *word) {
    return word[p->lo >> 5] >> (p->lo & 31) & (uint32_t)((UINT64_C(1) << p->width) - 1);
}

static inline void set_words(const ez_disassembler *d, const uint32_t *word, unsigned size, ez_inst *inst) {
    inst->target = d->shapes.target;
    inst->wave = (uint8_t)d->shapes.wave;
    inst->size = (uint8_t)size;
    for (unsigned i = 0; i < EZ_INST_MAX_BYTES / 4; i++)
        inst->word[i] = 4 * i < size ? word[i] : 0;
}

static void set_inst(const ez_disassembler *d, const ez_shape *shape, const uint32_t *word, unsigned size,
                     ez_inst *inst) {
    set_words(d, word, size, inst);
    inst->op = shape->op;
    inst->layout = shape->layout;
    inst->form = shape->form;
}

/* Whether the operand at a place decodes; *literal is set when it is one. */
static bool place_decodes(ez_disassembler *d, const ez_shape *shape, const ez_place *p, const uint32_t *word,
                          bool *literal) {
    unsigned code = place_value(p, word);
    if (p->kind == EZ_PLACE_VGPR) return !(p->even && code & 1);
    if (p->kind != EZ_PLACE_CODE) return true;
    if (code >= EZ_CODE_VGPR) return p->file && !(p->even && code & 1);
    if (code >= EZ_CODE_LITERAL64) {
        bool wide = code == EZ_CODE_LITERAL64 && ez_has(d->shapes.target, EZ_HAS_lit64);
        if (code == EZ_CODE_LITERAL) *literal = true;
        if (code == EZ_CODE_LITERAL || wide) return p->literal && !wide;
    }
    ez_inst inst;
    const ez_code_text *c = &d->shapes.dialect[p->dialect].code[code];
    if (c->length == EZ_CODE_UNKNOWN) {
        set_inst(d, shape, word, shape->size, &inst);
        c = ez_shape_code(&d->shapes, p, &inst, code);
    }
    return c->length != EZ_CODE_REFUSED;
}

/* Whether ez_inst_operand() takes the operands that nothing less can judge. */
static bool judged_decode(const ez_shape *shape, const ez_inst *inst) {
    for (unsigned i = 0; i < shape->place_count; i++)
        if (shape->place[i].judged &&
            ez_inst_operand(inst, shape->place[i].operand).kind == EZ_OPERAND_INVALID)
            return false;
    return true;
}

/* Decodes by a shape; false: that is for ez_decode to do. */
static bool decode_by(ez_disassembler *d, const ez_shape *shape, const uint32_t *word, size_t have,
                      ez_inst *inst) {
    bool literal = false;
    for (unsigned i = 0; i < shape->place_count; i++)
        if (!place_decodes(d, shape, &shape->place[i], word, &literal)) return false;
    unsigned size = shape->size;
    if (literal && size == 4u * shape->dwords) size += 4;
    if (size > have) return false;
    set_inst(d, shape, word, size, inst);
    return (!literal || ez_inst_takes_literal(inst)) && (!shape->judged || judged_decode(shape, inst));
}

/* ---- printing ---- */

/* The buffer has room for EZ_TEXT_MAX bytes, more than all leads, places and tails of a shape have together. */
static inline char *copy_text(char *to, const char *from, unsigned length) {
    memcpy(to, from, 16); /* beyond the end too: both have room */
    for (unsigned i = 16; i < length; i += 16)
        memcpy(to + i, from + i, 16);
    return to + length;
}

static inline char *put_number(const ez_disassembler *d, char *to, unsigned n) {
    memcpy(to, d->decimal[n & 0xff], 4);
    return to + d->decimal[n & 0xff][3];
}

static char *put_vgprs(const ez_disassembler *d, const ez_place *p, char *to, unsigned number) {
    bool in_number = p->half >= EZ_HALF_NUMBER && p->file == 'v', high = p->half == EZ_HALF_HIGH;
    if (in_number) {
        high = number >> 7 & 1;
        number &= 0x7f;
    }
    *to++ = p->file;
    if (p->dwords == 1) {
        to = put_number(d, to, number);
    } else {
        *to++ = '[';
        to = put_number(d, to, number);
        *to++ = ':';
        unsigned last = number + p->dwords - 1;
        if (last < EZ_CODES) {
            to = put_number(d, to, last);
        } else { /* beyond the file: printed as it stands */
            ez_writer w = {.text = to, .room = 8};
            ez_write_decimal(&w, last);
            to += w.length;
        }
        *to++ = ']';
    }
    if (p->half == EZ_HALF_NONE || (p->half == EZ_HALF_NUMBER_HIGH && !high)) return to;
    *to++ = '.';
    *to++ = high ? 'h' : 'l';
    return to;
}

static char *put_signs(char *to, unsigned signs, bool before) {
    if (before && signs & EZ_SIGN_NEG) *to++ = '-';
    if (signs & EZ_SIGN_ABS) *to++ = '|';
    return to;
}

/* What is not worth a way of its own. */
static char *put_other(const ez_disassembler *d, const ez_place *p, const ez_inst *inst, char *to) {
    ez_writer w = {.text = to, .room = 64};
    ez_inst with = *inst;
    if (p->second) ez_inst_second(inst, &with);
    ez_operand o = ez_inst_operand(&with, p->operand);
    ez_print_operand(&w, &with, p->operand, &o, ez_halves_in_text(&with, d->shapes.flags));
    return to + w.length;
}

static char *put_hex(char *to, int64_t value) {
    ez_writer w = {.text = to, .room = 24};
    ez_write_signed_hex(&w, value);
    return to + w.length;
}

static char *put_imm(char *to, unsigned value) {
    ez_writer w = {.text = to, .room = 16};
    if (value <= 64) ez_write_decimal(&w, value);
    else ez_write_hex(&w, value);
    return to + w.length;
}

/* The number in a field, with its sign where it has one. */
static int64_t place_number(const ez_place *p, unsigned raw) {
    bool minus = p->is_signed && raw >> (p->width - 1) & 1;
    return minus ? (int64_t)raw - (INT64_C(1) << p->width) : (int64_t)raw;
}

static char *put_offset(const ez_place *p, char *to, unsigned raw) {
    ez_writer w = {.text = to, .room = 16};
    ez_write_decimal(&w, place_number(p, raw));
    return to + w.length;
}

static char *put_code(ez_disassembler *d, const ez_place *p, const ez_inst *inst, char *to, unsigned code) {
    const ez_code_text *c;
    if (code >= EZ_CODE_VGPR) {
        to = put_signs(to, p->signs, true);
        return put_signs(put_vgprs(d, p, to, code - EZ_CODE_VGPR), p->signs & EZ_SIGN_ABS, false);
    }
    bool number = code >= EZ_CODE_ZERO && code <= EZ_CODE_INV_2PI;
    if (code == EZ_CODE_LITERAL && p->plain_literal) {
        uint64_t value = ez_inst_literal(inst);
        if (!ez_inline_code(value, d->shapes.dialect[p->dialect].constant_type))
            return put_hex(to, (int64_t)value);
    }
    if ((code == EZ_CODE_LITERAL && p->literal) || (number && p->signs)) return put_other(d, p, inst, to);
    c = &d->shapes.dialect[p->dialect].code[code];
    if (c->length == EZ_CODE_LONG) return put_other(d, p, inst, to);
    to = put_signs(to, p->signs, true);
    memcpy(to, c->text, sizeof c->text);
    return put_signs(to + c->length, p->signs & EZ_SIGN_ABS, false);
}

static char *put_place(ez_disassembler *d, const ez_place *p, const ez_inst *inst, char *to) {
    unsigned value = place_value(p, inst->word);
    switch (p->kind) {
    case EZ_PLACE_VGPR:
        to = put_signs(to, p->signs, true);
        return put_signs(put_vgprs(d, p, to, value), p->signs & EZ_SIGN_ABS, false);
    case EZ_PLACE_VGPR_Y: return put_vgprs(d, p, to, value << 1 | !(ez_get(inst, EZ_F_vdstx) & 1));
    case EZ_PLACE_CODE: return put_code(d, p, inst, to, value);
    case EZ_PLACE_IMM: return put_imm(to, value);
    case EZ_PLACE_HEX: return put_hex(to, place_number(p, value));
    case EZ_PLACE_LABEL:
    case EZ_PLACE_OFFSET: return put_offset(p, to, value);
    default: return put_other(d, p, inst, to);
    }
}

static size_t print_by(ez_disassembler *d, const ez_shape *shape, const ez_inst *inst, char *text) {
    char *to = text;
    const char *from = ez_shape_text(shape);
    for (unsigned i = 0; i < shape->place_count; i++) {
        const ez_place *p = &shape->place[i];
        to = copy_text(to, from, p->lead);
        from += p->lead;
        to = put_place(d, p, inst, to);
    }
    to = copy_text(to, from, shape->tail);
    *to = 0;
    return (size_t)(to - text);
}

/* ---- lines ---- */

static ez_line *line_of(const ez_disassembler *d, const uint32_t *word) {
    unsigned dwords = d->hashed[word[0] >> 23];
    uint64_t h = word[0] | (uint64_t)(dwords > 1 ? word[1] : 0) << 32;
    h *= UINT64_C(0x9e3779b97f4a7c15);
    if (dwords > 2) h = (h ^ word[2]) * UINT64_C(0xc4ceb9fe1a85ec53);
    return &d->line[h >> (64 - LINE_BITS)];
}

static bool is_line(const ez_line *line, const uint32_t *word, size_t left) {
    uint32_t differ = line->word[0] ^ word[0];
    if (line->size > 4) differ |= line->word[1] ^ word[1];
    if (line->size > 8) differ |= line->word[2] ^ word[2];
    return !differ && line->size && line->size <= left;
}

/* The line of what follows is on its way while this one is written. */
static void expect(const ez_disassembler *d, const uint8_t *next, size_t left) {
    uint32_t word[EZ_INST_MAX_BYTES / 4];
    if (left < EZ_INST_MAX_BYTES) return;
    read_words(next, left, word);
    const char *line = (const char *)line_of(d, word);
    __builtin_prefetch(line);
    __builtin_prefetch(line + LINE_BYTES / 2);
}

static void recall(const ez_disassembler *d, const ez_line *line, const uint32_t *word, ez_inst *inst, char *text,
                   size_t *length) {
    set_words(d, word, line->size, inst);
    inst->op = line->op;
    inst->layout = line->layout;
    inst->form = line->form;
    if (!text) return;
    copy_text(text, line->text, line->length);
    text[line->length] = 0;
    *length = line->length;
}

/* Of what a shape decoded: it depends on these dwords alone. */
static void keep(ez_line *line, const ez_inst *inst, const char *text, size_t length) {
    if (length > LINE_TEXT) return;
    *line = (ez_line){.op = inst->op,
                      .layout = inst->layout,
                      .form = inst->form,
                      .size = inst->size,
                      .length = (uint8_t)length};
    memcpy(line->word, inst->word, sizeof line->word);
    memcpy(line->text, text, length);
}

/* ---- one instruction ---- */

/* Learns the shape of an instruction. One by which it would become another is given up, with its frame. */
static void learn(ez_disassembler *d, unsigned frame, const ez_inst *inst) {
    char text[EZ_TEXT_MAX], expected[EZ_TEXT_MAX];
    ez_inst again;
    if (ez_shape_find(&d->shapes, frame, inst->word)) return;
    const ez_shape *shape = ez_shape_learn(&d->shapes, frame, inst);
    if (!shape) return;
    size_t length = ez_print(inst, d->shapes.flags, expected, sizeof expected);
    bool good = decode_by(d, shape, inst->word, inst->size, &again) && again.size == inst->size &&
                print_by(d, shape, inst, text) == length && !memcmp(text, expected, length);
    if (!good) d->shapes.frame[frame].plain = false;
}

/* Decodes at length, and learns from it if it can. */
static ez_status decode_and_learn(ez_disassembler *d, uint16_t *slot, const uint8_t *bytes, size_t size,
                                  ez_inst *inst) {
    ez_status status = ez_decode(d->shapes.target, d->shapes.wave, bytes, size, inst);
    if (status || !slot) return status;
    if (!*slot) *slot = (uint16_t)(ez_frame_make(&d->shapes, inst) + 1);
    if (*slot <= EZ_FRAMES) learn(d, *slot - 1u, inst);
    return status;
}

ez_status ez_disassemble(ez_disassembler *d, const void *bytes, size_t size, size_t *offset, ez_inst *inst,
                         char *text, size_t *length) {
    if (*offset >= size) return EZ_ERR_NOT_FOUND;
    uint32_t word[EZ_INST_MAX_BYTES / 4];
    const uint8_t *at = (const uint8_t *)bytes + *offset;
    size_t left = size - *offset;
    read_words(at, left, word);
    ez_line *line = line_of(d, word);
    if (is_line(line, word, left)) {
        expect(d, at + line->size, left - line->size);
        recall(d, line, word, inst, text, length);
        *offset += inst->size;
        return EZ_OK;
    }
    uint16_t *slot = left >= 4 ? frame_slot(d, word) : NULL;
    const ez_shape *shape = NULL;
    if (slot && *slot && *slot <= EZ_FRAMES && d->shapes.frame[*slot - 1].plain)
        shape = ez_shape_find(&d->shapes, *slot - 1u, word);
    if (shape && decode_by(d, shape, word, left, inst)) {
        *offset += inst->size;
        if (!text) return EZ_OK;
        *length = print_by(d, shape, inst, text);
        keep(line, inst, text, *length);
        return EZ_OK;
    }
    ez_status status = decode_and_learn(d, slot, at, left, inst);
    *offset += status == EZ_OK ? inst->size : left < 4 ? left : 4;
    if (!status && text) *length = ez_print(inst, d->shapes.flags, text, EZ_TEXT_MAX);
    return status;
}
