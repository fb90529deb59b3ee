/* SPDX-License-Identifier: Apache-2.0 */
/* Learning frames, shapes and the texts of operand codes from decoder and printer. */
#include "shape.h"

#include <string.h>

/* ---- frames: which bits are operands ---- */

/* Classes whose field may vary within a shape: what the field means depends on nothing else that varies. */
static bool is_free_class(unsigned cls) {
    switch (cls) {
    case EZ_C_v:
    case EZ_C_av:
    case EZ_C_acd:
    case EZ_C_vdsty:
    case EZ_C_gaddr:
    case EZ_C_ret:
    case EZ_C_baddr:
    case EZ_C_idata:
    case EZ_C_svaddr: return true;
    case EZ_C_src:
    case EZ_C_ss:
    case EZ_C_src_v:
    case EZ_C_src_s:
    case EZ_C_src_lane:
    case EZ_C_src_noconst:
    case EZ_C_src_av:
    case EZ_C_src_acd:
    case EZ_C_src_acc:
    case EZ_C_src_accw:
    case EZ_C_src_vc: return true;
    case EZ_C_sd:
    case EZ_C_sxm0:
    case EZ_C_vcc:
    case EZ_C_sb:
    case EZ_C_sr:
    case EZ_C_sg:
    case EZ_C_soff:
    case EZ_C_saddr:
    case EZ_C_ssi: return true;
    case EZ_C_label:
    case EZ_C_imm:
    case EZ_C_hex:
    case EZ_C_i: return true;
    default: return false;
    }
}

static bool is_vgpr_class(unsigned cls) {
    switch (cls) {
    case EZ_C_v:
    case EZ_C_av:
    case EZ_C_acd:
    case EZ_C_gaddr:
    case EZ_C_ret:
    case EZ_C_baddr:
    case EZ_C_idata:
    case EZ_C_svaddr: return true;
    default: return false;
    }
}

/* Whether `offset` of a scalar load may vary: where it makes no difference to what else decodes (taken.c, scalar_offset). */
static bool is_free_scalar_offset(const ez_inst *inst) {
    const ez_row *row = &ez_rows[inst->op];
    if (!ez_has_field(inst, EZ_F_scope)) return true;
    for (unsigned n = 0; n < row->noperands; n++) {
        const ez_row_operand *o = &ez_row_operands[row->operands + n];
        if (o->cls == EZ_C_n5 || (o->field == EZ_F_sbase && ez_type_bits[o->type] == 128)) return false;
    }
    return true;
}

unsigned ez_free_field(const ez_inst *inst, const ez_row_operand *o) {
    const ez_layout *layout = ez_inst_layout(inst);
    if (o->cls == EZ_C_lit || o->cls == EZ_C_cmpx || layout->field[EZ_F_sd].width) return EZ_F_NONE;
    unsigned field = ez_operand_field(inst, o);
    if (field == EZ_F_NONE || !layout->field[field].width) return EZ_F_NONE;
    unsigned cls = o->cls == EZ_C_COUNT ? layout->field[field].cls : o->cls;
    return is_free_class(cls) || (cls == EZ_C_smoff && is_free_scalar_offset(inst)) ? field : EZ_F_NONE;
}

static void clear_bits(ez_frame *f, ez_field_position p) {
    f->mask[p.lo >> 5] &= ~((uint32_t)((UINT64_C(1) << p.width) - 1) << (p.lo & 31));
}

static void free_operands(ez_frame *f, const ez_inst *inst) {
    const ez_row *row = &ez_rows[inst->op];
    for (unsigned n = 0; n < row->noperands; n++) {
        const ez_row_operand *o = &ez_row_operands[row->operands + n];
        unsigned field = ez_free_field(inst, o);
        if (field == EZ_F_NONE) continue;
        ez_field_position p = ez_inst_layout(inst)->field[field];
        clear_bits(f, p);
        if (ez_operand_class(inst, o, field) != EZ_C_saddr) continue;
        f->has_address = true;
        f->address = p;
    }
}

/* Whether `offset` is a modifier whose number alone is printed. */
static bool has_free_offset(const ez_inst *inst) {
    unsigned cls = ez_inst_layout(inst)->field[EZ_F_offset].cls;
    const ez_row *row = &ez_rows[inst->op];
    for (unsigned n = 0; n < row->noperands; n++)
        if (ez_operand_field(inst, &ez_row_operands[row->operands + n]) == EZ_F_offset) return false;
    return (cls == EZ_C_m || cls == EZ_C_mi) && ez_inst_takes(inst, EZ_F_offset) &&
           !ez_row_has_on(inst->target, inst->op, EZ_ROW_swizzle) &&
           !ez_row_has_on(inst->target, inst->op, EZ_ROW_offset2);
}

/* Whether the layout is one whose instructions have shapes: no lists of VGPRs, no literals of 64 bits; and not v_nop,
 * whose form its sources do not tell. */
static bool has_shapes(const ez_inst *inst) {
    const ez_layout *layout = ez_inst_layout(inst);
    const ez_row *row = &ez_rows[inst->op];
    if (!row->noperands && (layout->field[EZ_F_src0].width || layout->field[EZ_F_escape].width)) return false;
    for (unsigned n = 0; n < row->noperands; n++) {
        const ez_row_operand *o = &ez_row_operands[row->operands + n];
        if (o->cls == EZ_C_iaddr || (o->cls == EZ_C_lit && ez_type_bits[o->type] == 64)) return false;
    }
    return layout->dwords <= EZ_SHAPE_DWORDS && !layout->field[EZ_F_nsa].width;
}

void ez_frame_of(const ez_inst *inst, ez_frame *f) {
    ez_inst second;
    *f = (ez_frame){.op = inst->op,
                    .layout = inst->layout,
                    .dwords = ez_inst_layout(inst)->dwords,
                    .plain = has_shapes(inst)};
    if (!f->plain) return;
    for (unsigned i = 0; i < f->dwords; i++)
        f->mask[i] = UINT32_MAX;
    free_operands(f, inst);
    if (ez_inst_second(inst, &second)) free_operands(f, &second);
    f->off =
        ez_address_is_off(inst, EZ_CODE_EXEC + 1, false) ? EZ_CODE_EXEC + 1 : ez_m0_code(inst->target) ^ 1;
    f->has_offset = has_free_offset(inst);
    if (!f->has_offset) return;
    f->offset = ez_inst_layout(inst)->field[EZ_F_offset];
    clear_bits(f, f->offset);
}

unsigned ez_frame_make(ez_shapes *s, const ez_inst *inst) {
    if (s->frame_count == EZ_FRAMES) return EZ_FRAMES;
    ez_frame_of(inst, &s->frame[s->frame_count]);
    return s->frame_count++;
}

/* ---- finding ---- */

static unsigned slot_of(unsigned frame, const uint32_t *key, uint32_t more) {
    uint64_t h = (key[0] + frame * UINT64_C(0x9e3779b1)) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ key[1] ^ (uint64_t)more << 40) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ h >> 29 ^ key[2]) * UINT64_C(0xc4ceb9fe1a85ec53);
    return (unsigned)(h >> 52);
}

static bool is_shape(const ez_shape *shape, unsigned frame, const uint32_t *key, uint32_t more) {
    return shape->key[0] == key[0] && shape->key[1] == key[1] && shape->key[2] == key[2] &&
           shape->more == more && shape->frame == frame;
}

static void key_of(const ez_frame *f, const uint32_t *word, uint32_t *key) {
    for (unsigned i = 0; i < EZ_SHAPE_DWORDS; i++)
        key[i] = word[i] & f->mask[i];
}

static ez_shape *shape_at(ez_shapes *s, unsigned unit) {
    return (ez_shape *)(void *)&s->shapes[(size_t)unit * EZ_SHAPE_UNIT];
}

ez_shape *ez_shape_find(ez_shapes *s, unsigned frame, const uint32_t *word) {
    ez_frame *f = &s->frame[frame];
    uint32_t key[EZ_SHAPE_DWORDS], more = ez_shape_more(f, word);
    key_of(f, word, key);
    if (f->last && is_shape(shape_at(s, f->last - 1u), frame, key, more)) return shape_at(s, f->last - 1u);
    for (unsigned at = slot_of(frame, key, more); s->slot[at]; at = (at + 1) % EZ_SHAPE_SLOTS)
        if (is_shape(shape_at(s, s->slot[at] - 1u), frame, key, more)) {
            f->last = s->slot[at];
            return shape_at(s, s->slot[at] - 1u);
        }
    return NULL;
}

/* ---- dialects ---- */

static bool same_dialect(const ez_dialect *a, const ez_dialect *b) {
    return a->cls == b->cls && a->type == b->type && a->constant_type == b->constant_type &&
           a->dwords == b->dwords && a->takes == b->takes && a->lane == b->lane;
}

/* The dialect of an operand; EZ_DIALECTS: there is no room. */
static unsigned dialect_of(ez_shapes *s, const ez_inst *inst, unsigned cls, const ez_operand *o) {
    const ez_dialect want = {.cls = (uint8_t)cls,
                             .type = o->type,
                             .dwords = o->dwords,
                             .constant_type = (uint8_t)ez_constant_type(inst, o->type),
                             .takes = (uint8_t)ez_class_takes(inst, cls),
                             .lane = ez_has_field(inst, EZ_F_s0)};
    for (unsigned i = 0; i < s->dialect_count; i++)
        if (same_dialect(&s->dialect[i], &want)) return i;
    if (s->dialect_count == EZ_DIALECTS) return EZ_DIALECTS;
    memcpy(&s->dialect[s->dialect_count], &want, offsetof(ez_dialect, code));
    return s->dialect_count++;
}

/* The instruction whose operand stands at the place. */
static bool instruction_at(const ez_place *place, const ez_inst *inst, ez_inst *out) {
    *out = *inst;
    return !place->second || ez_inst_second(inst, out);
}

const ez_code_text *ez_shape_code(ez_shapes *s, const ez_place *place, const ez_inst *inst, unsigned code) {
    ez_code_text *c = &s->dialect[place->dialect].code[code];
    if (c->length != EZ_CODE_UNKNOWN) return c;
    ez_inst with;
    char text[EZ_TEXT_MAX];
    ez_writer w = {.text = text, .room = sizeof text};
    instruction_at(place, inst, &with);
    uint32_t mask = (uint32_t)((UINT64_C(1) << place->width) - 1);
    uint32_t *word = &with.word[place->lo >> 5];
    *word = (*word & ~(mask << (place->lo & 31))) | code << (place->lo & 31);
    ez_operand o = ez_inst_operand(&with, place->operand);
    c->length = EZ_CODE_REFUSED;
    if (o.kind == EZ_OPERAND_INVALID || o.hidden) return c;
    o.neg = o.abs = o.sext = false; /* they stand at the place */
    ez_print_operand(&w, &with, place->operand, &o, false);
    c->length = w.length <= sizeof c->text ? (uint8_t)w.length : EZ_CODE_LONG;
    if (c->length != EZ_CODE_LONG) memcpy(c->text, text, w.length);
    return c;
}

/* ---- shapes ---- */

/* The text of a shape as it grows. */
typedef struct builder {
    ez_shapes *shapes;
    ez_shape *shape;
    ez_writer text;
    size_t begin; /* of the text behind the last place */
} builder;

static ez_place *add_place(builder *b, ez_place_kind kind, ez_field_position p) {
    ez_shape *shape = b->shape;
    if (shape->place_count == EZ_SHAPE_PLACES) return NULL;
    ez_place *place = &shape->place[shape->place_count++];
    *place = (ez_place){.kind = (uint8_t)kind,
                        .lead = (uint8_t)(b->text.length - b->begin),
                        .lo = p.lo,
                        .width = p.width,
                        .dialect = EZ_DIALECTS};
    b->begin = b->text.length;
    return place;
}

bool ez_half_of(const ez_inst *inst, const ez_operand *o, bool halves, uint8_t *half) {
    *half = EZ_HALF_NONE;
    if (o->bits != 16 || !ez_inst_halves(inst)) return true;
    if (ez_has_field(inst, EZ_F_op_sel)) {
        if (halves) *half = o->half ? EZ_HALF_HIGH : EZ_HALF_LOW;
        return true;
    }
    *half = halves ? EZ_HALF_NUMBER : EZ_HALF_NUMBER_HIGH;
    return ez_has(inst->target, EZ_HAS_true16);
}

/* Whether the operand would not decode with an odd VGPR. */
static bool must_be_even(const ez_inst *inst, unsigned n, unsigned field) {
    ez_inst odd = *inst;
    ez_set(&odd, field, ez_get(inst, field) | 1);
    return ez_inst_operand(&odd, n).kind == EZ_OPERAND_INVALID;
}

/* Whether it would not decode near the end of the file: accumulation VGPRs of memory instructions, which begin at even ones. */
static bool must_end(const ez_inst *inst, unsigned n, const ez_operand *o) {
    enum { LAST_EVEN = 254 };
    ez_inst last = *inst;
    if (o->kind != EZ_OPERAND_AGPR || o->dwords <= 2) return false;
    ez_set(&last, o->field, LAST_EVEN);
    return ez_inst_operand(&last, n).kind == EZ_OPERAND_INVALID;
}

static ez_place_kind kind_of(const ez_inst *inst, unsigned cls, const ez_operand *o) {
    bool vgpr = o->kind == EZ_OPERAND_VGPR || o->kind == EZ_OPERAND_AGPR;
    if (is_vgpr_class(cls) && vgpr) return EZ_PLACE_VGPR;
    switch (cls) {
    case EZ_C_label: return EZ_PLACE_LABEL;
    case EZ_C_imm: return EZ_PLACE_IMM;
    case EZ_C_vdsty: return EZ_PLACE_VGPR_Y;
    case EZ_C_smoff: /* where imm says that it is a number, 0 is one too */
        return ez_has_field(inst, EZ_F_imm) && !ez_scalar_offset_of(inst).has_register ? EZ_PLACE_HEX
                                                                                       : EZ_PLACE_OTHER;
    case EZ_C_i:
    case EZ_C_hex: return EZ_PLACE_OTHER;
    default: return EZ_PLACE_CODE;
    }
}

/* Operand n, which may vary, as a place. False: it cannot be one. */
static bool add_operand(builder *b, const ez_inst *inst, unsigned n, const ez_operand *o, bool halves,
                        bool second) {
    const ez_row_operand *row = &ez_row_operands[ez_rows[inst->op].operands + n];
    unsigned cls = ez_operand_class(inst, row, o->field);
    ez_field_position p = ez_inst_layout(inst)->field[o->field];
    ez_place_kind kind = kind_of(inst, cls, o);
    ez_place *place = add_place(b, kind, p);
    if (!place) return false;
    place->operand = (uint8_t)n;
    place->second = second;
    place->dwords = o->dwords;
    place->file = o->kind == EZ_OPERAND_AGPR ? 'a' : 'v';
    place->signs = (uint8_t)((o->neg ? EZ_SIGN_NEG : 0) | (o->abs ? EZ_SIGN_ABS : 0));
    if (cls == EZ_C_smoff && ez_scalar_offset_of(inst).has_register) b->shape->judged = place->judged = true;
    place->is_signed = kind == EZ_PLACE_HEX && ez_has_field(inst, EZ_F_soffset);
    bool number = kind == EZ_PLACE_LABEL || kind == EZ_PLACE_IMM || kind == EZ_PLACE_HEX;
    if (number || kind == EZ_PLACE_OTHER) return true;
    if (kind == EZ_PLACE_VGPR && must_end(inst, n, o)) {
        place->kind = EZ_PLACE_OTHER;
        b->shape->judged = place->judged = true;
        return true;
    }
    if (o->sext || !ez_half_of(inst, o, halves, &place->half)) {
        place->kind = EZ_PLACE_OTHER;
        return true;
    }
    if (kind != EZ_PLACE_CODE) {
        place->even = kind == EZ_PLACE_VGPR && must_be_even(inst, n, o->field);
        return true;
    }
    if (p.width > 9) return false;
    unsigned takes = ez_class_takes(inst, cls);
    place->even = o->dwords > 1 && ez_has(inst->target, EZ_HAS_even_vgprs);
    place->literal = takes & EZ_TAKES_LITERAL;
    place->dialect = (uint8_t)dialect_of(b->shapes, inst, cls, o);
    place->plain_literal = place->literal && ez_type_bits[ez_constant_type(inst, o->type)] == 32 &&
                           o->bits == 32 && !place->signs && !ez_constant_in_both_halves(inst, o->type);
    if (p.width == 9) { /* which file the VGPRs are of, whatever the operand is now */
        ez_inst with = *inst;
        ez_set(&with, o->field, EZ_CODE_VGPR);
        ez_operand v = ez_inst_operand(&with, n);
        place->file = v.kind == EZ_OPERAND_INVALID ? 0 : v.kind == EZ_OPERAND_AGPR ? 'a' : 'v';
    }
    return place->dialect != EZ_DIALECTS;
}

/* All of one instruction but its modifiers; false: it has no shape. */
static bool add_operands(builder *b, const ez_inst *inst, bool second) {
    bool halves = ez_halves_in_text(inst, b->shapes->flags), first = true;
    const ez_row *row = &ez_rows[inst->op];
    ez_operand before = {0};
    ez_print_name(&b->text, inst);
    for (unsigned n = 0; n < row->noperands; n++) {
        ez_operand o = ez_inst_operand(inst, n);
        const ez_row_operand *r = &ez_row_operands[row->operands + n];
        if (o.hidden) continue;
        ez_write(&b->text, ez_operand_separator(first, &before));
        first = false;
        before = o;
        if (r->cls == EZ_C_lit) {
            ez_place *place = add_place(b, EZ_PLACE_OTHER, (ez_field_position){0});
            if (!place) return false;
            place->operand = (uint8_t)n;
            place->second = second;
        } else if (o.kind != EZ_OPERAND_NONE && !o.implied && ez_free_field(inst, r) != EZ_F_NONE) {
            if (!add_operand(b, inst, n, &o, halves, second)) return false;
        } else {
            ez_print_operand(&b->text, inst, n, &o, halves);
        }
    }
    return true;
}

/* The modifiers; of offset:N the number is a place. */
static bool add_modifiers(builder *b, const ez_inst *inst, const ez_frame *f, bool has_offset) {
    size_t before = b->text.length;
    static const char offset[] = " offset:";
    ez_print_modifiers(&b->text, inst, b->shapes->flags);
    if (b->text.length >= EZ_SHAPE_TEXT) return false;
    if (!has_offset) return true;
    b->text.text[b->text.length] = 0;
    char *at = strstr(b->text.text + before, offset), *end;
    if (!at) return false;
    at += sizeof offset - 1;
    for (end = at; (*end >= '0' && *end <= '9') || *end == '-'; end++) {
    }
    size_t behind = strlen(end);
    b->text.length = (size_t)(at - b->text.text);
    ez_place *place = add_place(b, EZ_PLACE_OFFSET, f->offset);
    if (!place) return false;
    place->is_signed = ez_inst_layout(inst)->field[EZ_F_offset].cls == EZ_C_mi;
    memmove(at, end, behind);
    b->text.length += behind;
    return true;
}

static bool build(ez_shapes *s, ez_shape *shape, const ez_frame *f, const ez_inst *inst) {
    char text[EZ_SHAPE_TEXT + 1];
    builder b = {.shapes = s, .shape = shape, .text = {.text = text, .room = sizeof text}};
    ez_inst second;
    if (!add_operands(&b, inst, false) || !add_modifiers(&b, inst, f, shape->more & 2)) return false;
    if (ez_inst_second(inst, &second)) {
        ez_write(&b.text, " :: ");
        if (!add_operands(&b, &second, true) || !add_modifiers(&b, &second, f, false)) return false;
    }
    if (b.text.length > EZ_SHAPE_TEXT) return false;
    shape->tail = (uint8_t)(b.text.length - b.begin);
    memcpy(ez_shape_text(shape), text, b.text.length);
    s->units_used += (unsigned)(sizeof *shape + shape->place_count * sizeof *shape->place + b.text.length +
                                EZ_SHAPE_UNIT - 1) /
                     EZ_SHAPE_UNIT;
    return true;
}

/* The dwords of a literal that the row always has. */
static unsigned own_literal(const ez_inst *inst) {
    const ez_row *row = &ez_rows[inst->op];
    for (unsigned n = 0; n < row->noperands; n++)
        if (ez_row_operands[row->operands + n].cls == EZ_C_lit) return 1;
    return 0;
}

/* The units of the longest shape and of what print_by() reads beyond a text. */
enum {
    LONGEST = (sizeof(ez_shape) + EZ_SHAPE_PLACES * sizeof(ez_place) + EZ_SHAPE_TEXT) / EZ_SHAPE_UNIT + 2
};

static void forget_shapes(ez_shapes *s) {
    memset(s->slot, 0, sizeof s->slot);
    for (unsigned i = 0; i < s->frame_count; i++)
        s->frame[i].last = 0;
    s->shape_count = s->units_used = 0;
}

ez_shape *ez_shape_learn(ez_shapes *s, unsigned frame, const ez_inst *inst) {
    ez_frame *f = &s->frame[frame];
    if (!f->plain || f->op != inst->op || f->layout != inst->layout) return NULL;
    if (s->shape_count == EZ_SHAPES || s->units_used + LONGEST > EZ_SHAPE_UNITS) forget_shapes(s);
    unsigned unit = s->units_used;
    ez_shape *shape = shape_at(s, unit);
    *shape = (ez_shape){.frame = (uint16_t)frame,
                        .op = inst->op,
                        .layout = inst->layout,
                        .form = inst->form,
                        .dwords = f->dwords,
                        .more = ez_shape_more(f, inst->word)};
    key_of(f, inst->word, shape->key);
    ez_inst second;
    unsigned literal = own_literal(inst);
    if (ez_inst_second(inst, &second)) literal |= own_literal(&second);
    shape->size = (uint8_t)(4 * (f->dwords + literal));
    if (!build(s, shape, f, inst)) {
        f->plain = false; /* others of the frame go the long way too */
        return NULL;
    }
    unsigned at = slot_of(frame, shape->key, shape->more);
    while (s->slot[at])
        at = (at + 1) % EZ_SHAPE_SLOTS;
    s->slot[at] = f->last = (uint16_t)(unit + 1);
    s->shape_count++;
    return shape;
}
