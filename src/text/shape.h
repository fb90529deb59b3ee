/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shapes: what instructions have in common that differ in plain operands alone. All that a shape says is learned from the
 * decoder and the printer when its first instruction is met: that the bits outside of the places decode, the text between
 * the places, what is read at each. So it cannot disagree with them; it is only faster. docs/architecture.md, "Speed".
 */
#ifndef EZ_SHAPE_H
#define EZ_SHAPE_H

#include "text.h"

enum {
    EZ_SHAPE_DWORDS = 3, /* of layouts that have shapes */
    EZ_SHAPE_PLACES = 10,
    EZ_SHAPE_TEXT = 112,
    EZ_SHAPES = 2048, /* that are kept; all are forgotten when there are more */
    EZ_SHAPE_UNIT = 16, /* bytes: shapes begin at multiples of it */
    EZ_SHAPE_UNITS = 20480, /* in which they are kept */
    EZ_SHAPE_SLOTS = 4096,
    EZ_FRAMES = 2048,
    EZ_DIALECTS = 48,
    EZ_CODES = 256 /* operand codes below the VGPRs */
};

/* What varies at a place. */
typedef enum ez_place_kind {
    EZ_PLACE_VGPR,   /* the number of the first VGPR */
    EZ_PLACE_VGPR_Y, /* the same without its lowest bit: class vdsty */
    EZ_PLACE_CODE,   /* an operand code: VGPRs from 256 on, else what the dialect has for it */
    EZ_PLACE_LABEL,  /* a distance of 16 bits, without its sign */
    EZ_PLACE_IMM,    /* a number of class imm */
    EZ_PLACE_HEX,    /* the offset of a scalar load */
    EZ_PLACE_OFFSET, /* the number of offset:N */
    EZ_PLACE_OTHER   /* printed by ez_print_operand */
} ez_place_kind;

/* How the half of a 16-bit VGPR shows. */
typedef enum ez_place_half {
    EZ_HALF_NONE,
    EZ_HALF_LOW,
    EZ_HALF_HIGH,       /* by a bit outside of the place: always .l, always .h */
    EZ_HALF_NUMBER,     /* bit 7 of the number: .l or .h */
    EZ_HALF_NUMBER_HIGH /* the same, but .l is not written */
} ez_place_half;

enum { EZ_SIGN_NEG = 1, EZ_SIGN_ABS = 2 };

typedef struct ez_place { /* 16 bytes: many shapes are in use at once */
    uint8_t kind, half;
    uint8_t lead;      /* bytes of the shape's text between the place before and this one */
    uint8_t lo, width; /* of the field, as in ez_field_position */
    uint8_t dwords;    /* of the operand */
    char file;         /* of its VGPRs: 'v' or 'a' */
    uint8_t signs;
    uint8_t operand;
    uint8_t dialect;
    bool second;        /* of the second half of a dual-issue instruction */
    bool even;          /* VGPRs begin at an even number */
    bool literal;       /* code 255 is a literal */
    bool plain_literal; /* which is printed as a number of 32 bits */
    bool is_signed;     /* EZ_PLACE_OFFSET, EZ_PLACE_HEX */
    bool judged;        /* EZ_PLACE_OTHER: whether it decodes is for ez_inst_operand to say */
} ez_place;

/* Shapes lie one behind the other, each as long as it is: what one needs is in two or three cache lines. */
typedef struct ez_shape {
    uint32_t key[EZ_SHAPE_DWORDS], more; /* the bits outside of the places; see ez_frame */
    uint16_t frame, op, layout;
    uint8_t form, size;        /* size: without a literal that a place may announce */
    uint8_t place_count, tail; /* tail: bytes of the text behind the last place */
    uint8_t dwords;            /* of the layout */
    bool judged;               /* a place is */
    ez_place place[]; /* place_count of them, then the text */
} ez_shape;

static inline char *ez_shape_text(const ez_shape *shape) {
    return (char *)(shape->place + shape->place_count);
}

/* What the shapes of one form of one row have in common (of a dual-issue instruction: of two rows). */
typedef struct ez_frame {
    uint32_t mask[EZ_SHAPE_DWORDS]; /* the bits that tell shapes apart */
    uint16_t op, layout;
    uint8_t dwords;
    bool plain;                   /* false: it has no shapes */
    bool has_address, has_offset; /* bit 0 of `more`: saddr is off; bit 1: the offset is not 0 */
    ez_field_position address, offset;
    uint8_t off;   /* the code in saddr that is off */
    uint16_t last; /* the unit of the shape met last, plus 1 */
} ez_frame;

/* The texts of operand codes for one kind of operand, learned one by one. */
typedef struct ez_code_text {
    uint8_t length; /* or one of the marks */
    char text[15];
} ez_code_text;
enum { EZ_CODE_UNKNOWN = 0, EZ_CODE_LONG = 254, EZ_CODE_REFUSED = 255 };

typedef struct ez_dialect {
    uint8_t cls, type, constant_type, dwords, takes;
    bool lane; /* class src_lane of SDWA */
    bool used;
    ez_code_text code[EZ_CODES];
} ez_dialect;

typedef struct ez_shapes {
    const ez_target *target;
    unsigned wave;
    ez_text_flags flags;
    unsigned frame_count, shape_count, units_used, dialect_count;
    ez_frame frame[EZ_FRAMES];
    uint16_t slot[EZ_SHAPE_SLOTS]; /* by key: the unit where a shape begins, plus 1 */
    _Alignas(EZ_SHAPE_UNIT) unsigned char shapes[EZ_SHAPE_UNITS * EZ_SHAPE_UNIT];
    ez_dialect dialect[EZ_DIALECTS];
} ez_shapes;

/* The frame of a decoded instruction. */
void ez_frame_of(const ez_inst *inst, ez_frame *frame);
/* The field of a row's operand that may vary within a shape; EZ_F_NONE: none. */
unsigned ez_free_field(const ez_inst *inst, const ez_row_operand *o);
/* How the half of a 16-bit VGPR shows (ez_place_half); false where that is not one of the ways of a place. */
bool ez_half_of(const ez_inst *inst, const ez_operand *o, bool halves, uint8_t *half);

/* Makes and keeps the frame of a decoded instruction; its index, EZ_FRAMES: there is no room. */
unsigned ez_frame_make(ez_shapes *s, const ez_inst *inst);

/* Bits of `more` for dwords of a frame. */
static inline uint32_t ez_shape_more(const ez_frame *f, const uint32_t *word) {
    uint32_t more = 0;
    if (f->has_address) {
        ez_field_position p = f->address;
        more = (word[p.lo >> 5] >> (p.lo & 31) & ((1u << p.width) - 1)) == f->off;
    }
    if (f->has_offset) {
        ez_field_position p = f->offset;
        more |= (uint32_t)((word[p.lo >> 5] >> (p.lo & 31) & ((1u << p.width) - 1)) != 0) << 1;
    }
    return more;
}

/* The shape of dwords of a frame; NULL: it is not known. */
ez_shape *ez_shape_find(ez_shapes *s, unsigned frame, const uint32_t *word);

/* Learns the shape of a decoded instruction; NULL when it has none. */
ez_shape *ez_shape_learn(ez_shapes *s, unsigned frame, const ez_inst *inst);

/* The text of an operand code at a place, learned if need be. */
const ez_code_text *ez_shape_code(ez_shapes *s, const ez_place *place, const ez_inst *inst, unsigned code);

#endif
