/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by printer and parser: the growing text, the parsed items, the list of modifiers. */
#ifndef EZ_TEXT_INTERNAL_H
#define EZ_TEXT_INTERNAL_H

#include "codec/codec.h"
#include "execz/text.h"

/* ---- printing ---- */

/* A text under construction; bytes beyond `room` are counted and dropped. */
typedef struct ez_writer {
    char *text;
    size_t length, room;
} ez_writer;

void ez_write_char(ez_writer *w, char c);
void ez_write(ez_writer *w, const char *s);
void ez_write_decimal(ez_writer *w, int64_t value);
void ez_write_hex(ez_writer *w, uint64_t value); /* 0x..., lower case, no leading zeros */

/* Whether the text of this instruction names halves of registers. */
bool ez_halves_in_text(const ez_inst *inst, ez_text_flags flags);

/* ---- parsing ---- */

typedef enum ez_item_kind {
    EZ_ITEM_VGPR,
    EZ_ITEM_AGPR,
    EZ_ITEM_SCALAR, /* an SGPR, ttmp or named register: code is its operand code */
    EZ_ITEM_OFF,
    EZ_ITEM_INT,
    EZ_ITEM_FLOAT,
    EZ_ITEM_WORD /* a modifier, or a name that only some instruction knows */
} ez_item_kind;

enum { EZ_ITEM_MAX = 24, EZ_ITEM_VALUES = 8 };

/* One operand or modifier as written, before it is known which instruction form takes it. Columns count from 1. */
typedef struct ez_item {
    ez_item_kind kind;
    unsigned column;       /* where it begins, with - or | */
    unsigned inner_column; /* where the register or number begins */
    bool comma;            /* a comma stands before it */
    bool neg, abs, sext;
    bool neg_is_minus;     /* "-": of a number, part of its value */
    bool forced_literal;   /* lit(...) */
    char half;             /* 'l', 'h' or 0 */
    uint16_t code;         /* VGPR or AGPR number, or scalar operand code */
    uint8_t dwords;
    uint64_t value;        /* integer, two's complement; or the bits of a double */
    const char *name;      /* EZ_ITEM_WORD: its name, without colon */
    unsigned name_length;
    bool colon, bracket;   /* name:..., name:[...] */
    unsigned count;        /* of values */
    int64_t values[EZ_ITEM_VALUES];
    unsigned columns[EZ_ITEM_VALUES + 1]; /* the last: of what follows the values */
    const char *word;      /* name:WORD, when the value is no number */
    unsigned word_length;
} ez_item;

typedef struct ez_parser {
    const ez_target *target;
    unsigned wave;
    ez_text_flags flags;
    const char *start, *at, *end;
    ez_error *err;
    ez_item items[EZ_ITEM_MAX];
    unsigned count;
} ez_parser;

/* Fails with a message at a column. */
ez_status ez_fail_at(ez_error *err, ez_status status, unsigned column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Reads all operands and modifiers behind the mnemonic into items. */
ez_status ez_parse_items(ez_parser *p);

/* The next token's start after blanks and comments; whether nothing is left. */
bool ez_parse_blank(ez_parser *p);

/* Rounds a double, given as bits, to a format of 16, 32 or 64 bits (nearest even). False when it
 * overflows to infinity or underflows to zero. */
bool ez_round_float(uint64_t bits, unsigned type, uint64_t *out);

/* ---- modifiers ---- */

/* One modifier of the text: how it is printed, and how a written one is taken. The order of the list is the order
 * of the text, for printing and for parsing. */
typedef struct ez_modifier {
    uint8_t field; /* a layout that lacks the field lacks the modifier */
    /* whether the row takes it at all; NULL: yes */
    bool (*taken)(const ez_inst *inst, ez_text_flags flags);
    /* writes it with a leading space, or nothing when it has its default value */
    void (*print)(const ez_inst *inst, ez_writer *w);
    /* whether this item is the modifier; the item is then given to `set` */
    bool (*is)(const ez_item *item);
    /* puts it into the instruction */
    ez_status (*set)(ez_inst *inst, const ez_item *item, ez_error *err);
    uint32_t initial; /* the field's value when the modifier is not written */
} ez_modifier;

extern const ez_modifier ez_modifiers[];
extern const unsigned ez_modifier_count;

bool ez_item_is(const ez_item *item, const char *name);

#endif
