/* SPDX-License-Identifier: Apache-2.0 */
/*
 * isagen reads the tables in src/isa/ (*.isa) and writes them as constant C arrays into the build tree.
 * What it reads is the only place where a fact about an instruction, an encoding or a target stands;
 * what it writes is never edited and never checked in. The notation: docs/isa-tables.md.
 */
#ifndef ISAGEN_H
#define ISAGEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    MAX_NAMES = 512,
    MAX_ROWS = 4096,
    MAX_OPERANDS = 10,
    MAX_SPELLINGS = 14,
    MAX_FAMILY = 16, /* ids of one line */
    MAX_FIELDS = 40,
    MAX_TARGETS = 96,
    MAX_GENS = 24,
    MAX_ENCODINGS = 320, /* definitions: one per encoding and generation in which it changes */
    MAX_FEATURES = 192
};

/* A growing list of distinct names; the index is the value of the enum that is written for it. */
typedef struct names {
    const char *name[MAX_NAMES];
    const char *note[MAX_NAMES];
    int count;
} names;

/* From which generation on, and needing or excluding which features, something holds. */
typedef struct condition {
    int gen;
    uint64_t need[3], refuse[3];
} condition;

typedef struct gen {
    const char *name, *title;
    int parent; /* -1: none */
    uint64_t features[3];
} gen;

enum { BOARD_NUMBERS = 10 };

typedef struct board {
    const char *product; /* NULL: the target is none */
    unsigned number[BOARD_NUMBERS];
} board;

typedef struct target {
    const char *name, *arch, *products;
    board board;
    int gen;
    unsigned mach;
    uint64_t features[3];
    uint64_t covers; /* of a generic target: bits of those whose code it stands for */
    int set; /* targets whose instructions resolve alike share a set of tables */
} target;

typedef struct field {
    int name, cls;
    char role; /* 'D', 'S': a row's operand may take it without naming it; 'Z': 0 where the row lacks it; or 0 */
    uint8_t lo, width;
} field;

typedef struct encoding {
    int name; /* index into encoding names */
    condition when;
    int dwords;
    uint32_t mask, value;         /* of dword 0: what tells the encoding from others */
    uint32_t fixed[4], preset[4]; /* of dwords 0 to 3: bits that must be as in preset; fixed bits and defaults */
    int nfields;
    field fields[MAX_FIELDS];
    const char *file;
    int line;
} encoding;

typedef struct operand {
    int field, type, cls; /* cls -1: the field's own */
    char access;          /* 'D' written, 'S' read, 'X' both */
} operand;

typedef struct spelling {
    condition when;
    const char *name; /* NULL: none, the row is absent here */
    int encoding;
    int opcode, opcode_e64; /* -1: no such form */
    uint32_t forms;         /* bits of enum form */
    uint64_t flags[2];      /* the row's with this spelling */
} spelling;

typedef struct row {
    const char *id, *about;
    const char *file;
    int line;
    int encoding;
    int noperands, nspellings;
    operand operands[MAX_OPERANDS];
    spelling spellings[MAX_SPELLINGS];
    uint64_t flags[2];
    const char *single; /* id of the row that half of a dual instruction stands for, or NULL */
    int dims[4];        /* of a matrix instruction: M, N, K, blocks */
} row;

/* How an encoding's opcode appears in VOP3: `derive VOP3 VOP1 gfx10 0x180`. */
typedef struct derivation {
    int to, from, base;
    condition when;
} derivation;

/* The forms of an instruction. The base form is that of its own encoding. */
enum form { FORM_BASE, FORM_SDWA, FORM_DPP16, FORM_DPP8, FORM_E64, FORM_E64_DPP16, FORM_E64_DPP8, FORM_COUNT };

typedef struct note {
    const char *id, *text;
} note;

/* A named register by its operand code. */
typedef struct special {
    int code;
    const char *name, *pair;
    condition decodes, assembles;
} special;

/* A name that text has for a number in a field: from one generation on, until another. */
typedef struct symbol {
    int kind, code;
    const char *name;
    condition from, until;
    bool ends; /* until is given */
} symbol;

typedef struct isa {
    names kinds; /* of symbols */
    names fields, classes, types, features, encodings, flags;
    int type_bits[MAX_NAMES];
    bool type_by_wave[MAX_NAMES];
    gen gens[MAX_GENS];
    int ngens;
    target targets[MAX_TARGETS];
    int ntargets, nsets;
    encoding defs[MAX_ENCODINGS];
    int ndefs;
    derivation derive[64];
    int nderive;
    row rows[MAX_ROWS];
    int nrows;
    special specials[64];
    int nspecials;
    symbol symbols[512];
    int nsymbols;
    note notes[512];
    int nnotes;
} isa;

extern isa I;

/* Prints "file:line: message" and ends with status 1. */
_Noreturn void fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

int name_find(const names *list, const char *name); /* -1 when absent */
int name_add(names *list, const char *name);

void parse_file(const char *path);

bool holds(const condition *when, const target *t);
/* The spelling of a row on a target: the last one whose condition holds; -1 when absent. */
int resolve_row(const row *r, const target *t);
/* The definition of an encoding on a target: the last one whose condition holds; -1 when absent. */
int resolve_encoding(int name, const target *t);
/* The opcode in VOP3 that follows by rule from one in another encoding; -1: none. */
int derived_opcode(const target *t, int from, int opcode, int *to);

void check_tables(void);
void emit_ids(FILE *out);
void emit_tables(FILE *out);

#endif
