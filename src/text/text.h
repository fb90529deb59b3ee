/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by printer and parser: the growing text, the parsed items, the list of modifiers. */
#ifndef EZ_TEXT_INTERNAL_H
#define EZ_TEXT_INTERNAL_H

#include "codec/codec.h"
#include "execz/text.h"
#include "expression.h"

/* ---- printing ---- */

/* A text under construction; bytes beyond `room` are counted and dropped. */
typedef struct ez_writer {
    char *text;
    size_t length, room;
    unsigned vgpr_msb; /* as EZ_TEXT_VGPR_MSB has it */
} ez_writer;

void ez_write_char(ez_writer *w, char c);
void ez_write(ez_writer *w, const char *s);
void ez_write_decimal(ez_writer *w, int64_t value);
void ez_write_hex(ez_writer *w, uint64_t value); /* 0x..., lower case, no leading zeros */

/* The parts of an instruction's text: the name with its suffix; operand n, which is *o; what stands before an operand
 * that is the first or follows *before; all modifiers. */
void ez_print_name(ez_writer *w, const ez_inst *inst);
void ez_print_operand(ez_writer *w, const ez_inst *inst, unsigned n, const ez_operand *o, bool halves);
const char *ez_operand_separator(bool first, const ez_operand *before);
void ez_print_modifiers(ez_writer *w, const ez_inst *inst, ez_text_flags flags);

/* Writes an operand of a class of interp.c; false when it is none of those. */
bool ez_print_interp(ez_writer *w, const ez_inst *inst, unsigned cls, const ez_operand *o);

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
    EZ_ITEM_WORD, /* a modifier, or a name that only some instruction knows */
    EZ_ITEM_TEXT, /* name(...), {...} and what belongs to it, for the operand's class to read; name is its start */
    EZ_ITEM_DUAL  /* `::` and the name of the second half of a dual-issue instruction */
} ez_item_kind;

enum { EZ_ITEM_MAX = 24, EZ_ITEM_VALUES = 8 };

/* One operand or modifier as written, before it is known which instruction form takes it. Columns count from 1. */
typedef struct ez_item {
    ez_item_kind kind;
    unsigned column;       /* where it begins, with - or | */
    unsigned inner_column; /* where the register or number begins */
    bool comma;            /* a comma stands before it */
    bool neg, abs, sext;
    bool double_minus;     /* begins with `--` */
    bool forced_literal;   /* lit(...) */
    bool wide_literal;     /* lit64(...) */
    char half;             /* 'l', 'h' or 0 */
    uint16_t code;         /* VGPR or AGPR number, or scalar operand code */
    uint8_t dwords;
    unsigned wide_part;    /* column of the first register of a list that has more than 32 bits; 0: none */
    bool list;             /* [v1,v2]: registers in brackets that follow each other */
    uint64_t value;        /* integer, two's complement; or the bits of a double */
    const struct ez_node *node; /* EZ_ITEM_INT: an expression whose value is known later only */
    const char *name;      /* EZ_ITEM_WORD: its name, without colon */
    unsigned name_length;
    unsigned name_column;  /* EZ_ITEM_DUAL: of the name behind ::; of a list the first register that does not follow */
    bool stranger;         /* no modifier that the instruction takes at this place */
    bool colon, bracket;   /* name:..., name:[...] */
    unsigned count;        /* of values */
    int64_t values[EZ_ITEM_VALUES];
    unsigned after;        /* column of what follows the name */
    unsigned columns[EZ_ITEM_VALUES], ends[EZ_ITEM_VALUES]; /* of the values, and of what follows each */
    ez_error bad;          /* what cannot be read: the operand, or the value, if the instruction takes the modifier */
    const char *word;      /* name:WORD, when the value is no number */
    unsigned word_length;
} ez_item;

typedef struct ez_parser {
    const ez_target *target;
    unsigned wave;
    ez_text_flags flags;
    const char *start, *at, *end;
    ez_error *err;
    const ez_names *names; /* what names mean besides registers and modifiers; NULL: nothing */
    struct ez_fixup *fixup; /* where names are given: of the instruction */
    bool any_vcc;           /* vcc and vcc_lo are taken for each other where VCC is implied */
    bool image;             /* the second item may be a list of any registers */
    bool exports; /* the first item is the target of an export: null is no register there */
    uint32_t texts; /* a bit for each item that may be a text which the class of an operand reads: hwreg(...), counters */
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

/* Rounds a double, given as bits, to the format of constants of a type (nearest even). False when it
 * overflows to infinity or underflows: to a denormal or zero that is not exact. */
bool ez_round_float(uint64_t bits, unsigned type, uint64_t *out);

/* What is filled in when the symbols of an operand are known. */
typedef enum ez_fixup_kind {
    EZ_FIXUP_NONE,
    EZ_FIXUP_LITERAL, /* the literal dword, the last of the instruction */
    EZ_FIXUP_LITERAL64, /* a literal of two dwords, likewise */
    EZ_FIXUP_BRANCH   /* simm16: the distance to a label, in dwords from the next instruction */
} ez_fixup_kind;

typedef struct ez_fixup {
    ez_fixup_kind kind;
    unsigned column;
    const struct ez_node *node;
    unsigned vgprs, sgprs; /* that the operands reach to: numbers of the last, plus 1 */
    bool first_form;       /* the instruction was made in the form that is tried first */
} ez_fixup;

/* As ez_parse, with names. */
ez_status ez_parse_with_names(const ez_target *target, unsigned wave, ez_text_flags flags,
                              const ez_names *names, const char *text, size_t length, ez_inst *out,
                              ez_fixup *fixup, ez_error *err);

/* Whether the row may be written with this name on the target: as it is called now, or was before. */
bool ez_name_taken(const ez_target *target, unsigned op, const char *name);

/* lacking.c: what a target without a feature lacks, and which generations have it, in room[0..size). */
const char *ez_lacking(const ez_target *target, unsigned feature, char *room, size_t size);
/* The same of a modifier that some targets take and others do not, sets of 1 << index: by the feature that makes the
 * difference and mentions it, or by the generations alone. */
const char *ez_lacking_word(const ez_target *target, uint64_t takers, uint64_t others, const char *name,
                            size_t length, char *room, size_t size);
/* What a mnemonic that the target has not is called there, or where it is; and of one that none has, the end of the message with
 * those of the target that are nearly it, or nothing. */
const char *ez_lacking_mnemonic(const ez_target *target, const char *name, char *room, size_t size);
const char *ez_near_mnemonics(const ez_target *target, const char *name, char *room, size_t size);
enum { EZ_LACKING_ROOM = 200 };

/* ---- one try to put items into one form of one row ---- */

typedef struct ez_attempt {
    ez_inst inst;
    const ez_parser *p;
    const ez_item *items; /* of this instruction, or of this half of a dual one */
    unsigned count;
    ez_error error;
    unsigned reach; /* the item at which it failed */
    bool final;     /* the operands fit, but break a rule: other forms are not tried */
    bool dual;      /* half of a dual-issue instruction */
    bool or_vopd3;  /* of one that could be VOPD3 with signs of its sources as well */
    bool no_carry;  /* VCC of an instruction with carry is not in the text */
    bool halves_known, halves; /* whether this text names halves; the first 16-bit VGPR decides */
    unsigned half_bits;        /* what the halves say about op_sel */
    bool literal_set, wide_literal_set;
    bool null_base;            /* null stands where an SGPR base does */
    uint8_t image_data, image_address; /* VGPRs that an image should have, and has not; 0: it has */
    uint8_t banks;             /* data registers of memory instructions: 1 VGPRs, 2 accumulation VGPRs; 0: none yet */
    ez_fixup fixup;
    ez_error broken;           /* the first rule that the operands break, said when nothing else is wrong */
    const ez_item *odd_tuple;  /* VGPRs that do not begin at an even number, as they must */
    unsigned scalars[6], scalar_count, scalar_column; /* distinct scalar values read */
} ez_attempt;

/* modifiers.c: the DPP control, where operands of 64 bits allow none but row_newbcast and it is another; else NULL. */
const ez_item *ez_wrong_dpp_control(const ez_inst *inst, const ez_item *items, unsigned count);

/* symbolic.c: an item that may be a symbol by a bare name, as the number or expression that this stands for, in
 * *room; any other item as it is. */
const ez_item *ez_item_of_symbol(const ez_attempt *a, const ez_item *item, ez_item *room);
/* How far the operands reach in the register files. */
void ez_count_registers(const ez_parser *p, ez_fixup *fixup);
/* Puts an item with a node into operand `o`. */
ez_status ez_put_symbol(ez_attempt *a, const ez_row_operand *row, const ez_operand *o, const ez_item *item);

/* Puts item `at` into row operand n. */
ez_status ez_put_operand(ez_attempt *a, unsigned n, unsigned at);

/* An operand of a class of interp.c; EZ_ERR_NOT_FOUND: the class is none of those. */
ez_status ez_put_interp(ez_attempt *a, unsigned cls, const ez_operand *o, unsigned at);
/* Whether the GPU has the target of an export that the line names, if any has it: said before all else. */
ez_status ez_check_export_target(const ez_parser *p);
/* Settles what an export's compr means for its operands. */
ez_status ez_finish_export(ez_attempt *a);

/* Counts the scalar value of an operand that the text leaves out. */
void ez_count_hidden(ez_attempt *a, unsigned n);

/* Whether the operands whose format a modifier names are as wide as that format. */
ez_status ez_check_format_widths(ez_attempt *a, unsigned first, unsigned count);

/* The last of the rules: that VGPR tuples begin at an even number. */
ez_status ez_check_alignment(ez_attempt *a);

/* When all operands fit: the rules on literals, lds_direct and the number of scalar values. */
ez_status ez_check_rules(ez_attempt *a);

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
    bool needed;      /* the form is not without it */
    uint32_t initial; /* the field's value when the modifier is not written; 0: that of the layout */
} ez_modifier;

/* The lists in the order of the text, one for each family; each ends with is == NULL. */
extern const ez_modifier *const ez_modifier_lists[];
extern const ez_modifier ez_vector_modifiers[], ez_matrix_modifiers[];

/* Whether the instruction takes it. */
bool ez_modifier_here(const ez_inst *inst, const ez_modifier *m, ez_text_flags flags);

/* Gives the fields of all modifiers that the instruction takes the values they have when not written. */
void ez_modifiers_begin(ez_inst *inst, ez_text_flags flags);

/* Whether it is a word of that name; the same of a word that can be a modifier here. */
bool ez_item_named(const ez_item *item, const char *name);
bool ez_item_is(const ez_item *item, const char *name);
/* The same without a value; also noNAME, which is the default written out. */
static inline bool ez_item_is_word(const ez_item *item, const char *name) { return !item->colon && ez_item_is(item, name); }
bool ez_item_is_flag(const ez_item *item, const char *name);

/* Helpers for lists of modifiers: " name" when set; " name:N"; " name:[1,0]" from the low bits. */
void ez_write_flag(ez_writer *w, bool set, const char *name);
void ez_write_number(ez_writer *w, const char *name, uint32_t value);
void ez_write_bits(ez_writer *w, const char *name, unsigned bits, unsigned count);
/* Writes " name:CHOICE" from a NULL-terminated list; beyond its end the first. */
void ez_write_choice(ez_writer *w, const char *name, const char *const *choices, uint32_t n);

/* name:NUMBER, with the number between low and high. */
ez_status ez_one_number(const ez_item *item, int64_t low, int64_t high, ez_error *err);
/* The same, put into a field. */
ez_status ez_set_number(ez_inst *inst, unsigned field, const ez_item *item, int64_t high, ez_error *err);

/* print, is and set of a bit that is written as its field's name alone; `here` is one of the two above. */
#define EZ_FLAG_MODIFIER(field, here)                                                                          \
    static void field##_print(const ez_inst *inst, ez_writer *w) {                                 \
        ez_write_flag(w, ez_get(inst, EZ_F_##field), #field);                                      \
    }                                                                                              \
    static bool field##_is(const ez_item *item) { return here(item, #field); }                     \
    static ez_status field##_set(ez_inst *inst, const ez_item *item, ez_error *err) {              \
        (void)err;                                                                                 \
        ez_set(inst, EZ_F_##field, ez_item_named(item, #field));                                                             \
        return EZ_OK;                                                                              \
    }
/* name:[bits] with at most `most` zeros and ones. */
ez_status ez_bit_list(const ez_item *item, unsigned most, unsigned *bits, ez_error *err);
/* name:CHOICE or the choice's number. */
ez_status ez_set_choice(ez_inst *inst, unsigned field, const char *const *choices,
                        const ez_item *item, ez_error *err);

#endif
