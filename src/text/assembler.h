/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside the assembler:
 *
 *   asm.c            the handle, sources, statements, diagnostics
 *   asm_symbol.c     symbols, labels, assignments, and what .globl and its kin say of symbols
 *   asm_value.c      expressions with symbols: nodes, and their evaluation
 *   asm_section.c    sections, their fragments and layout
 *   asm_fixup.c      what is filled in at the end; relocations
 *   asm_data.c       directives that emit data
 *   asm_macro.c      conditionals, repetitions, macros
 *   asm_kernel.c     .amdhsa_kernel: descriptors
 *   asm_amdgpu.c     the other directives of this target; metadata
 *
 * Memory is the handle's. Where there is none, or a limit is passed, ez_asm_stop() leaves the call by longjmp: all that is
 * allocated hangs on the handle, so nothing is lost.
 */
#ifndef EZ_ASSEMBLER_H
#define EZ_ASSEMBLER_H

#include <setjmp.h>

#include "execz/asm.h"
#include "object/object_internal.h"
#include "object/writer.h"
#include "recall.h"
#include "text.h"

/* Where a statement or operand stands, for what is found wrong later. */
typedef struct asm_place {
    const struct asm_source *source;
    const char *at;
} asm_place;

/* ---- values ---- */

typedef struct asm_symbol asm_symbol;
typedef struct asm_section asm_section;

/* What stands behind '@'. Source: AMDGPUUsage, "Relocation Records". */
typedef enum asm_specifier {
    ASM_PLAIN, ASM_GOTPCREL, ASM_GOTPCREL32_LO, ASM_GOTPCREL32_HI, ASM_REL32_LO, ASM_REL32_HI, ASM_REL64,
    ASM_ABS32_LO, ASM_ABS32_HI, ASM_ABS64
} asm_specifier;

typedef enum asm_function {
    ASM_MAX, ASM_OR, ASM_ALIGNTO, ASM_TOTALNUMVGPRS, ASM_EXTRASGPRS, ASM_INSTPREFSIZE
} asm_function;

typedef struct ez_node ez_node;
struct ez_node {
    enum { ASM_NODE_SYMBOL, ASM_NODE_OPERATOR, ASM_NODE_CALL } kind;
    uint8_t what; /* asm_specifier, ez_operator or asm_function */
    bool unary;
    uint32_t depth; /* of the tree */
    asm_symbol *symbol;
    const ez_term *arguments; /* [count] of an operator or a function */
    size_t count;
    const char *where;        /* of an operator in the text */
};

/* An evaluated expression: add - subtract + constant. */
typedef struct asm_value {
    asm_symbol *add, *subtract;
    uint64_t constant;
    asm_specifier specifier; /* of add */
} asm_value;

/* ---- symbols ---- */

struct asm_symbol {
    const char *name;
    uint32_t length, hash;
    asm_symbol *next;         /* in its bucket */
    asm_symbol *newer;        /* after a reassignment, the symbol that has the name now */
    size_t list_index;        /* in ez_asm.symbols, when listed */
    enum { ASM_UNDEFINED, ASM_LABEL, ASM_VARIABLE, ASM_COMMON } kind;
    bool temporary;           /* .L: not in the symbol table */
    bool redefinable, listed, in_relocation, evaluating, used;
    uint8_t binding;          /* STB_..., or ASM_UNBOUND */
    uint8_t visibility, type; /* STV_..., STT_... */
    asm_section *section;     /* of a label */
    size_t fragment;
    uint64_t offset;          /* from the beginning of the fragment */
    ez_term value;            /* of a variable */
    ez_term size;
    bool has_size;
    uint64_t common_alignment;
    uint32_t index;           /* in the object's table, from 1 */
    asm_place place;          /* of the first use of a numbered label */
    ez_node *reference;       /* the node of the symbol alone */
};
enum { ASM_UNBOUND = 255 };

/* ---- sections ---- */

/* Fixed bytes, and behind them a gap whose length may depend on the layout. */
typedef enum asm_gap { ASM_GAP_NONE, ASM_GAP_ALIGN, ASM_GAP_ORG, ASM_GAP_FILL, ASM_GAP_BRANCH } asm_gap;

typedef struct asm_fragment {
    uint64_t start, length; /* its bytes in asm_section.bytes */
    asm_gap gap;
    uint64_t address;       /* of its first byte in the section */
    bool fixed;             /* the address is known already */
    uint64_t gap_length;
    uint64_t alignment, most; /* of ALIGN: at most `most` bytes, else none */
    ez_term term;             /* of ORG: where to; of FILL: how many items; of BRANCH: the target */
    uint64_t pattern;         /* what the gap is filled with: items of `unit` bytes */
    uint8_t unit;
    asm_place place;
} asm_fragment;

/* How many bytes of a section are filled in when symbols are known. */
typedef enum asm_fixup_kind {
    ASM_FIX_DATA,   /* `size` bytes of data */
    ASM_FIX_LITERAL, /* the literal of an instruction: a symbol alone counts from there */
    ASM_FIX_BRANCH
} asm_fixup_kind;

typedef struct asm_fixup {
    asm_section *section;
    size_t fragment;
    uint64_t offset; /* in asm_section.bytes */
    ez_term term;
    asm_place place;
    uint8_t kind, size;
} asm_fixup;

struct asm_section {
    const char *name;
    uint32_t type;
    uint64_t flags, entry_size, alignment;
    uint8_t *bytes;
    uint64_t size, capacity; /* of bytes; of a NOBITS section no bytes are kept */
    asm_fragment *fragments;
    size_t fragment_count, fragment_capacity;
    uint32_t index;          /* in the object, from 1 */
    asm_symbol *symbol;      /* of the section itself */
    uint8_t *image;          /* after layout, with all gaps */
    uint64_t image_size;
};

typedef struct asm_listed {
    asm_section *section;
    size_t fragment;
    uint64_t offset, size;
    uint8_t unit; /* 0: an instruction */
} asm_listed;

/* ---- sources, conditionals, macros ---- */

typedef struct asm_source {
    const char *name; /* NULL: made by a macro or repetition */
    const char *text, *end;
    asm_place from;   /* what made it */
    const char *kind; /* "macro", "repetition" */
} asm_source;

typedef struct asm_condition {
    bool ignore;      /* the present branch is skipped */
    bool met;         /* a branch has been taken, or none may be */
    bool otherwise;   /* .else has been */
} asm_condition;

typedef struct asm_macro asm_macro;

/* A kernel descriptor that is filled in at the end. */
typedef struct asm_kernel asm_kernel;

typedef struct asm_relocation {
    asm_section *section;
    uint64_t offset;
    uint32_t type;
    asm_symbol *symbol;
    int64_t addend;
} asm_relocation;

enum { ASM_CONDITIONS_MAX = 256, ASM_STACK_MAX = 64, ASM_MACRO_DEPTH = 20, ASM_NUMBERED_MAX = 100 };

struct ez_asm {
    const ez_target *target;
    unsigned wave, version;
    ez_text_flags flags;
    ez_setting xnack, sramecc;
    bool listing, finished;
    bool moving; /* the layout is being found: distances may change */
    jmp_buf stop;
    ez_status stopped;
    ez_error error;  /* of the call in work */
    ez_names names;
    ez_arena arena;

    ez_diagnostic *diagnostics;
    size_t diagnostic_count, diagnostic_capacity, errors;
    struct { const asm_source *source; const char *line_begin; unsigned line; } located; /* the last diagnostic */

    asm_source *source;    /* being read */
    const char *statement; /* in work */
    unsigned depth;        /* of macros */
    bool unwinding;        /* leaving all macros */
    uint64_t expanded;     /* bytes of text that macros and repetitions have made */
    asm_condition conditions[ASM_CONDITIONS_MAX];
    unsigned condition_count;
    asm_macro *macros;
    uint64_t expansions;   /* the number \@ */

    asm_symbol **buckets;
    size_t bucket_count, symbol_total;
    asm_symbol **symbols;  /* listed, in order */
    size_t symbol_count, symbol_capacity;
    uint64_t temporaries;
    asm_symbol **numbered; /* [2 * number]: the last and the next label of that number */
    size_t numbered_capacity;

    asm_section **sections;
    size_t section_count, section_capacity;
    asm_section *section, *previous;
    struct { asm_section *section, *previous; } stack[ASM_STACK_MAX];
    unsigned stack_count;

    asm_fixup *fixups;
    size_t fixup_count, fixup_capacity;
    asm_relocation *relocations;
    size_t relocation_count, relocation_capacity;
    asm_listed *listed;
    size_t listed_count, listed_capacity;
    ez_recall *recall;
    const char *unrecalled; /* the line that it was asked for last and did not know */
    asm_kernel *kernels, **kernels_end;
    asm_symbol *next_free_vgpr, *next_free_sgpr; /* .amdgcn.next_free_... */
    bool target_seen, version_seen;

    ez_section *out_sections;
    ez_symbol *out_symbols;
    size_t out_symbol_count;
    ez_asm_line *out_lines;
    uint8_t *objects[2];
    size_t object_sizes[2];
};

/* ---- asm.c ---- */

/* Leaves the call; a limit is an error of the statement. */
_Noreturn void ez_asm_stop(ez_asm *as, ez_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Memory of the handle, zeroed. */
void *ez_asm_alloc(ez_asm *as, size_t count, size_t size);
char *ez_asm_copy(ez_asm *as, const char *text, size_t length);
/* Makes room for one more item of a growing array. */
void *ez_asm_grow(ez_asm *as, void *items, size_t count, size_t *capacity, size_t size);
#define ASM_PUSH(as, items, count, capacity)                                                       \
    ((items) = ez_asm_grow(as, items, count, &(capacity), sizeof *(items)), &(items)[(count)++])

/* An error, or a warning, at a place of the source in work, or at one kept. Returns false. */
bool ez_asm_fail(ez_asm *as, const char *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool ez_asm_fail_at(ez_asm *as, asm_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ez_asm_warn(ez_asm *as, const char *at, const char *format, ...) __attribute__((format(printf, 3, 4)));
void ez_asm_warn_at(ez_asm *as, asm_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
asm_place ez_asm_here(const ez_asm *as, const char *at);

/* Where the statement that begins at `at` ends: a newline outside strings and comments, the comment that the line ends with, or
 * `end`; and where the line behind that begins. */
const char *ez_asm_statement_end(const char *at, const char *end);
const char *ez_asm_next_line(const ez_asm *as, const char *at);
/* Reads all statements of a source. */
void ez_asm_read(ez_asm *as, asm_source *source);
/* One directive: reads its operands; false when there was an error. */
typedef bool (*asm_directive)(ez_asm *as, ez_cursor *c);
typedef struct asm_directive_name {
    const char *name;
    asm_directive run;
} asm_directive_name;
/* Each file's directives; end with NULL. */
extern const asm_directive_name ez_asm_data_directives[], ez_asm_symbol_directives[], ez_asm_section_directives[],
    ez_asm_amdgpu_directives[];

/* Parts of operands. They fail with a message where something else stands. */
bool ez_asm_take(ez_cursor *c, char character); /* skips blanks; whether it was there */
bool ez_asm_at_end(ez_cursor *c);
bool ez_asm_comma(ez_asm *as, ez_cursor *c);
bool ez_asm_expression(ez_asm *as, ez_cursor *c, ez_term *term);
bool ez_asm_number(ez_asm *as, ez_cursor *c, int64_t *value); /* an expression that is known */
/* A name, or one in quotes. */
bool ez_asm_name(ez_asm *as, ez_cursor *c, const char **name, size_t *length);
/* "text" with escapes undone. */
bool ez_asm_string(ez_asm *as, ez_cursor *c, char **text, size_t *length);

/* Remembers that `size` bytes come next, data of that unit or (0) an instruction. */
void ez_asm_list(ez_asm *as, uint64_t size, unsigned unit);

/* ---- asm_symbol.c ---- */

asm_symbol *ez_asm_symbol_of(ez_asm *as, const char *name, size_t length); /* found or made */
asm_symbol *ez_asm_symbol_find(const ez_asm *as, const char *name, size_t length);
asm_symbol *ez_asm_temporary(ez_asm *as); /* an undefined one without a name */
#define ASM_NUMBERED (1u << 20) /* the numbers of numbered labels are below */
asm_symbol *ez_asm_numbered(ez_asm *as, uint64_t number, bool next, const char *at);
void ez_asm_check_numbered(ez_asm *as); /* whether all that are referred to have come */
void ez_asm_list_symbol(ez_asm *as, asm_symbol *symbol); /* puts it into the object's table, once */
void ez_asm_define_label(ez_asm *as, asm_symbol *symbol);
bool ez_asm_label(ez_asm *as, const char *at, const char *name, size_t length);
bool ez_asm_numbered_label(ez_asm *as, const char *at, uint64_t number);
/* name = value; `again`: it may be assigned again */
bool ez_asm_assign(ez_asm *as, const char *at, const char *name, size_t length, const ez_term *value, bool again);
ez_term ez_asm_reference(ez_asm *as, asm_symbol *symbol);

/* ---- asm_value.c ---- */

void ez_asm_values_begin(ez_asm *as); /* sets as->names */
/* Whether the expression can be brought to add - subtract + constant now; NULL, or why not. */
const char *ez_asm_evaluate(ez_asm *as, const ez_term *term, asm_value *value);
/* The same to a number. */
bool ez_asm_absolute(ez_asm *as, const ez_term *term, uint64_t *value);
/* Marks the symbols of an expression as part of the object. */
void ez_asm_use(ez_asm *as, const ez_term *term);
/* Where a label is in its section; false when that is not known yet. */
bool ez_asm_address(const asm_symbol *symbol, uint64_t *address);

/* ---- asm_section.c ---- */

void ez_asm_sections_begin(ez_asm *as);
asm_section *ez_asm_section_of(ez_asm *as, const char *name, size_t length);
void ez_asm_switch(ez_asm *as, asm_section *section);
/* Appends bytes to the present section; NULL: zeros. Returns where they are, unless the section has none. */
uint8_t *ez_asm_emit(ez_asm *as, const void *bytes, uint64_t size);
void ez_asm_emit_number(ez_asm *as, uint64_t value, unsigned size);
void ez_asm_emit_items(ez_asm *as, uint64_t count, uint64_t pattern, unsigned unit);
/* Ends the present fragment with a gap. */
asm_fragment *ez_asm_emit_gap(ez_asm *as, asm_gap gap);
void ez_asm_align(ez_asm *as, uint64_t alignment, uint64_t pattern, unsigned unit, uint64_t most);
bool ez_asm_is_code(const asm_section *section);
void ez_asm_layout(ez_asm *as);

/* ---- asm_fixup.c ---- */

void ez_asm_add_fixup(ez_asm *as, asm_fixup_kind kind, uint64_t offset, unsigned size, const ez_term *term,
                   const char *at);
void ez_asm_resolve(ez_asm *as);
void ez_asm_publish(ez_asm *as); /* sections, symbols, lines for the accessors */

/* ---- asm_macro.c ---- */

/* Whether the statement belongs to a skipped branch or is a directive of this file; *name is its first word. */
bool ez_asm_macro_statement(ez_asm *as, ez_cursor *c, const char *name, size_t length, bool *done);
bool ez_asm_skipping(const ez_asm *as);

/* ---- asm_kernel.c, asm_amdgpu.c ---- */

bool ez_asm_kernel_directive(ez_asm *as, ez_cursor *c);
void ez_asm_fill_kernels(ez_asm *as);
bool ez_asm_metadata(ez_asm *as, const char *text, size_t length, const char *at);
/* Counts the registers of an instruction in .amdgcn.next_free_vgpr and its kin. */
void ez_asm_count_registers(ez_asm *as, const ez_fixup *fixup);
void ez_asm_amdgpu_begin(ez_asm *as); /* predefined symbols */
unsigned ez_asm_version(const ez_asm *as);
uint32_t ez_asm_elf_flags(const ez_asm *as);
/* Functions of the target in expressions. */
bool ez_asm_call_function(ez_asm *as, asm_function function, const uint64_t *arguments, size_t count, uint64_t *value);

#endif
