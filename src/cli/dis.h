/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `execz dis` makes of a code object: runs of code, in each the blocks that symbols divide it into, in each of
 * those instructions, raw bytes and zeros (dis_view.c); and the three ways to show that.
 */
#ifndef EZ_CLI_DIS_H
#define EZ_CLI_DIS_H

#include "cli.h"
#include "output.h"

typedef struct dis_options {
    cli_target_id id;
    unsigned wave; /* 0: of each kernel its own */
    bool hex, true16, zeroes, kernels, labels, json;
    const char *kernel; /* show this one alone; NULL: everything */
    cli_when colour;
} dis_options;

/* Which wave size the code behind an address is for. */
typedef struct dis_kernel_wave {
    uint32_t section; /* 0 in a loadable object */
    uint64_t address;
    unsigned wave;
} dis_kernel_wave;

typedef struct dis_view {
    const dis_options *options;
    cli_out *out;
    const char *path; /* of the file, as messages call it */
    const ez_bundle_entry *entry;
    const ez_object *object;
    const ez_target *target;
    ez_text_flags flags;
    bool coloured, many_vgprs;
    bool by_sections;          /* the file has sections with code; otherwise its segments count */
    const ez_kernel *only;     /* --kernel */
    uint64_t only_size;        /* of its code, where a symbol says so; else 0 */
    const ez_symbol **symbols; /* [symbol_count], those that count: by section, address, name */
    size_t symbol_count;
    const ez_section **by_address; /* [section_count] */
    size_t section_count;
    dis_kernel_wave *waves; /* [wave_count], sorted */
    size_t wave_count;
    unsigned other_wave;        /* of code that is no kernel's */
    ez_disassembler *reader[2]; /* of waves of 32 and of 64, where there are some */
} dis_view;

/* Sorts what the object has. False, having said why, when there is no memory or no such kernel or wave. */
bool dis_open(dis_view *view);
void dis_close(dis_view *view);

unsigned dis_kernel_lanes(const dis_view *view, const ez_kernel *kernel);

/* A section, or in a file without sections a segment. */
typedef struct dis_code {
    const char *name;
    uint64_t address, size;
    const uint8_t *bytes;
    uint32_t section;
    size_t first, last; /* its symbols: [first..last) of the view's */
} dis_code;

/* The code number *at or after it, and moves *at on; false: no more. */
bool dis_next_code(const dis_view *view, size_t *at, dis_code *code);
/* Any section with bytes. */
dis_code dis_section(const dis_view *view, uint32_t index);

/* What lies between two addresses that have symbols. */
typedef struct dis_block {
    const ez_symbol *symbol; /* that it goes by; NULL: the beginning of a section where no symbol is */
    size_t first, last;      /* all symbols there: [first..last) of the view's */
    uint64_t start, end;     /* offsets in the code's bytes */
    unsigned wave;
    bool data; /* a variable */
    bool begun;
} dis_block;

/* The block after *block; `(dis_block){0}` at first. */
bool dis_next_block(const dis_view *view, const dis_code *code, dis_block *block);

typedef enum dis_kind { DIS_INSTRUCTION, DIS_RAW, DIS_ZEROS } dis_kind;

typedef struct dis_item {
    dis_kind kind;
    uint64_t at, size; /* offset in the code's bytes; bytes */
    unsigned msb;      /* what s_set_vgpr_msb has set behind it */
    ez_inst inst;
    size_t length;
    char text[EZ_TEXT_MAX]; /* [length], of an instruction or raw bytes, with a final 0 */
} dis_item;

/* The item after *item, at `item->at + item->size`, of what begins before `end`. Instructions may go on to `limit`. */
bool dis_next_item(const dis_view *view, const dis_code *code, unsigned wave, uint64_t end, uint64_t limit,
                   dis_item *item);

/* What an address is called by: the last symbol at or before it in the code's section or, in a loadable object, in that
 * which the address lies in or behind; else one of no section. The code's own section may stand for one. */
typedef struct dis_place {
    const char *name;
    uint64_t address;
} dis_place;
bool dis_place_before(const dis_view *view, const dis_code *code, uint64_t address, dis_place *place);
/* The symbol without a type at exactly that address, which llvm-objdump writes in place of a number; NULL: none. */
const ez_symbol *dis_plain_symbol_at(const dis_view *view, const dis_code *code, uint64_t address);

/* ---- colours ---- */

typedef enum dis_colour { DIS_PLAIN, DIS_LABEL, DIS_MNEMONIC, DIS_NOTE, DIS_BAD } dis_colour;
void dis_paint(const dis_view *view, dis_colour colour);
/* The text of an instruction or directive, its first word in that colour. */
void dis_statement(const dis_view *view, const char *text, size_t length, dis_colour colour);

/* A file with code objects (dis_object.c). */
int dis_object(const dis_options *options, const char *path);

/* ---- the ways to show it ---- */

void dis_kernels(const dis_view *view); /* as comments; dis_kernels.c */
void dis_list(const dis_view *view);    /* as llvm-objdump -d; dis_list.c */
bool dis_labels(const dis_view *view);  /* to be assembled; dis_labels.c; false: out of memory */
void dis_json(const dis_view *view);    /* one object; dis_json.c */

#endif
