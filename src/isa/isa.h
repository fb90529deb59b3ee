/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables that isagen writes from the *.isa files, as the rest of the library sees them.
 * All of it is constant data. Notation and meaning of each column: docs/isa-tables.md.
 */
#ifndef EZ_ISA_H
#define EZ_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "execz/target.h"
#include "isa_ids.h" /* written by isagen: enums EZ_F_*, EZ_C_*, EZ_T_*, EZ_HAS_*, EZ_ENC_*, EZ_ROW_*, EZ_OP_* */

enum { EZ_MAX_DWORDS = 6 };

/* The forms of one instruction; the base form is that of its own encoding. Values as in isagen. */
enum ez_form {
    EZ_FORM_BASE,
    EZ_FORM_SDWA,
    EZ_FORM_DPP16,
    EZ_FORM_DPP8,
    EZ_FORM_E64, /* the VOP3 form of a VOP1, VOP2 or VOPC instruction */
    EZ_FORM_E64_DPP16,
    EZ_FORM_E64_DPP8,
    EZ_FORM_COUNT
};

struct ez_target {
    const char *name, *generation, *architecture, *products;
    uint16_t elf_mach;
    uint8_t set; /* index of its tables; targets with the same instructions share one */
    uint64_t covers; /* of a generic target: 1 << index in ez_targets of those that run its code */
    uint64_t features[EZ_FEATURE_WORDS];
};

/* The asking is always by feature, never by name or generation: ez_has(t, EZ_HAS_sdwa). */
static inline bool ez_has(const ez_target *target, unsigned feature) {
    return target->features[feature / 64] >> (feature % 64) & 1;
}

/* Where a field lies in the instruction's dwords: bit 0 is bit 0 of dword 0, bit 32 bit 0 of dword 1.
 * width 0: the layout has no such field. No field crosses a dword. */
typedef struct ez_field_position {
    uint8_t lo, width, cls;
    bool idle; /* an instruction whose row does not take the field has its preset here */
} ez_field_position;

/* One encoding in one form as one generation lays it out. */
typedef struct ez_layout {
    uint8_t encoding, form;
    uint8_t dwords;                  /* with the SDWA or DPP dword, without a literal */
    uint8_t d_slot[3], s_slot[6];    /* fields that operands take in order; EZ_F_NONE: no more */
    uint32_t mask, value;            /* of dword 0: fixed bits, by which the encoding is found */
    uint32_t fixed[4], preset[4];    /* of dwords 0 to 3: bits that must be as in preset; fixed bits and defaults */
    ez_field_position field[EZ_F_COUNT];
} ez_layout;

typedef struct ez_row_operand {
    uint8_t field; /* EZ_F_NONE: by slot */
    uint8_t slot;  /* n-th D or S slot of the layout */
    uint8_t type;  /* EZ_T_* */
    uint8_t cls;   /* EZ_C_*, EZ_C_COUNT: that of the field */
    char access;   /* 'D' written, 'S' read, 'X' both */
} ez_row_operand;

/* How a row is spelled from some generation on. */
typedef struct ez_spelling {
    const char *name; /* NULL: absent */
    uint8_t encoding;
    uint8_t e64_encoding;
    int16_t opcode;
    int16_t opcode_e64; /* as written in the table, -1: by rule */
    uint64_t written; /* on which targets (1 << index in ez_targets) text may have this name: now or from before */
} ez_spelling;

typedef struct ez_row {
    const char *id, *about, *note;
    uint64_t flags[2]; /* bits EZ_ROW_*; see ez_row_has */
    uint16_t operands, spellings; /* index of the first in ez_row_operands, ez_spellings */
    uint8_t noperands, nspellings;
    uint16_t single; /* the row that half of a dual instruction stands for; EZ_OP_NONE */
    uint8_t dims[4]; /* of a matrix instruction: M, N, K, blocks */
} ez_row;

/* What a row is on one set of targets. */
typedef struct ez_row_on_set {
    uint8_t spelling; /* 1 + index among the row's; 0: the row is absent */
    uint8_t forms;    /* bits 1 << EZ_FORM_* */
    int16_t opcode, opcode_e64;
    uint64_t flags[2]; /* the row's flags here: those of ez_row, plus and minus what the spelling changes */
} ez_row_on_set;

enum { EZ_NO_LAYOUT = 0xffff, EZ_DECODE_E64 = 0x8000 };

/* The opcode space of one encoding on one set: entries[op] is a row, with EZ_DECODE_E64 when the row
 * belongs to another encoding and this is its VOP3 form; 0: no instruction. */
typedef struct ez_opcode_space {
    uint32_t first;
    uint16_t count;
} ez_opcode_space;

typedef struct ez_isa_set {
    uint16_t layout[EZ_ENC_COUNT][EZ_FORM_COUNT]; /* index in ez_layouts or EZ_NO_LAYOUT */
    ez_opcode_space space[EZ_ENC_COUNT];
    uint8_t chain[EZ_ENC_COUNT + 1]; /* encodings with fixed bits, the most specific first; EZ_ENC_COUNT ends */
    uint8_t first[512];              /* where in the chain to begin for bits 31:23 of dword 0 */
    const ez_row_on_set *rows;       /* [EZ_OP_COUNT] */
} ez_isa_set;

extern const ez_target ez_targets[];
extern const ez_board ez_boards[]; /* by the index in ez_targets; product NULL: none */
extern const ez_row ez_rows[EZ_OP_COUNT];
extern const ez_row_operand ez_row_operands[];
extern const ez_spelling ez_spellings[];
extern const ez_layout ez_layouts[];
extern const uint16_t ez_opcode_entries[];
extern const ez_isa_set ez_isa_sets[];

/* Names of the enums' members, NULL-terminated lists. */
extern const char *const ez_field_names[], *const ez_type_names[], *const ez_type_formats[];
extern const char *const ez_encoding_names[], *const ez_feature_names[], *const ez_feature_abouts[];
extern const char *const ez_row_flag_abouts[];
extern const uint16_t ez_type_bits[]; /* 0: a lane mask, as wide as the wave */
extern const bool ez_type_by_wave[]; /* the width is that in waves of 32; in waves of 64 it is half */

/* A named register by its operand code; the sets have a bit for each index of ez_targets. */
typedef struct ez_special {
    uint16_t code;
    const char *name;
    const char *pair; /* of the 64-bit operand with this code; NULL: none */
    uint64_t decodes, assembles;
} ez_special;
extern const ez_special ez_specials[]; /* ends with name == NULL */

/* The register that a code names on a target, or NULL. */
const ez_special *ez_special_find(const ez_target *target, unsigned code);

/* A name that text has for a number; the set has a bit for each index of ez_targets. */
typedef struct ez_isa_symbol {
    uint8_t kind; /* EZ_SYM_* */
    uint16_t code;
    const char *name;
    uint64_t targets;
} ez_isa_symbol;
extern const ez_isa_symbol ez_symbols[]; /* ends with name == NULL */

/* The name of a code, the last of several; NULL: none on the target. */
const char *ez_symbol_name(const ez_target *target, unsigned kind, unsigned code);
/* The symbol with that name (of `length` characters) on the target; NULL: none. */
const ez_isa_symbol *ez_symbol_find(const ez_target *target, unsigned kind, const char *name, size_t length);
/* The symbols of a kind on the target in the order of the table: the first after `at` (NULL: of all). */
const ez_isa_symbol *ez_symbol_next(const ez_target *target, unsigned kind, const ez_isa_symbol *at);

/* Mnemonics without suffix, sorted by name; all rows that have the name on some target. */
typedef struct ez_mnemonic {
    const char *name;
    uint16_t op;
} ez_mnemonic;
extern const ez_mnemonic ez_mnemonics[];
extern const size_t ez_mnemonic_count;

static inline const ez_row_on_set *ez_row_on(const ez_target *target, unsigned op) {
    return &ez_isa_sets[target->set].rows[op];
}

/* The spelling of a row on a target, or NULL when the target lacks the instruction. */
static inline const ez_spelling *ez_spelling_on(const ez_target *target, unsigned op) {
    unsigned n = ez_row_on(target, op)->spelling;
    return n ? &ez_spellings[ez_rows[op].spellings + n - 1] : NULL;
}

static inline bool ez_row_has(unsigned op, unsigned flag) {
    return ez_rows[op].flags[flag / 64] >> flag % 64 & 1;
}

/* The same for flags that come and go with the target: modifiers that some have and others lack. */
static inline bool ez_row_has_on(const ez_target *target, unsigned op, unsigned flag) {
    return ez_row_on(target, op)->flags[flag / 64] >> flag % 64 & 1;
}

/* The layout of a row's form on a target, or NULL when it has no such form there. */
const ez_layout *ez_layout_of(const ez_target *target, unsigned op, unsigned form);

/* The entries of ez_mnemonics with that name: returns the first and sets *count, NULL when none. */
const ez_mnemonic *ez_mnemonic_find(const char *name, size_t length, size_t *count);

#endif
