/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECZ_ASM_H
#define EXECZ_ASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "execz/error.h"
#include "execz/object.h"
#include "execz/target.h"
#include "execz/text.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The assembler: whole files of assembly text, with labels, symbols, sections, directives and macros, to a code
 * object. The syntax is that of llvm-mc 22 for amdgcn-amd-amdhsa.
 *
 *     ez_asm_open ─▶ ez_asm_source, once for each file ─▶ ez_asm_finish ─▶ sections, symbols, object
 *
 * Errors in the text are collected as diagnostics and do not stop the assembler; calls fail only for want of
 * memory or misuse. One handle is one thread's; handles are independent. What accessors return belongs to
 * the handle and lives until it is closed.
 */
typedef struct ez_asm ez_asm;

typedef struct ez_asm_options {
    const ez_target *target;
    unsigned wave;          /* 32 or 64; 0: the target's default */
    ez_text_flags flags;
    /* 4, 5 or 6; 0: what .amdhsa_code_object_version in the text says, else 5, or 6 for a generic
     * target, which version 5 has not. The text's directive wins over the option. */
    unsigned version;
    /* Of the target id; EZ_SETTING_UNSUPPORTED: any, where the target has the feature. The text's
     * .amdgcn_target wins. */
    ez_setting xnack, sramecc;
    bool listing;           /* keep what ez_asm_listing() answers */
} ez_asm_options;

/* Starts an assembler. EZ_ERR_ARGUMENT: the target is missing or has no such wave or setting. */
ez_status ez_asm_open(const ez_asm_options *options, ez_asm **assembler, ez_error *err);
void ez_asm_close(ez_asm *assembler); /* NULL is allowed */

/*
 * Assembles `length` bytes of text; they are copied. `name` is that of the file, for diagnostics; copied. Each
 * source ends what it begins: conditionals, macros, comments. Returns EZ_OK also when there were errors
 * in the text; EZ_ERR_NOMEM; EZ_ERR_LIMIT: the last diagnostic says what there is too much of; EZ_ERR_ARGUMENT after
 * ez_asm_finish().
 */
ez_status ez_asm_source(ez_asm *assembler, const char *name, const char *text, size_t length);

/* Gives sections their final layout and content. EZ_OK; EZ_ERR_SYNTAX when there was an error in the text, which
 * the diagnostics have; EZ_ERR_NOMEM; EZ_ERR_LIMIT as above. */
ez_status ez_asm_finish(ez_asm *assembler);

/* ---- Diagnostics ----------------------------------------------------------------------------- */

typedef enum ez_severity { EZ_SEVERITY_ERROR, EZ_SEVERITY_WARNING, EZ_SEVERITY_NOTE } ez_severity;

typedef struct ez_diagnostic {
    ez_severity severity;
    const char *source; /* name of the file, or "<instantiation>" for the text of a macro */
    unsigned line;      /* in that source, from 1 */
    unsigned column;    /* in bytes, from 1 */
    const char *text;   /* that line, not 0-terminated; without its newline */
    size_t length;
    const char *message;
} ez_diagnostic;

/* In order of occurrence; a note belongs to the error before it. At most EZ_DIAGNOSTICS_MAX are kept. */
enum { EZ_DIAGNOSTICS_MAX = 1000000 };
const ez_diagnostic *ez_asm_diagnostics(const ez_asm *assembler, size_t *count);
size_t ez_asm_error_count(const ez_asm *assembler);

/* ---- Results, after ez_asm_finish() ------------------------------------------------------------ */

/* After errors in the text, sections and listing have what could be assembled, with operands that need symbols left 0. */

/* Sections of the relocatable object that the text makes: those of the text, in order of appearance. Addresses and
 * file offsets are 0; index 0 is the empty section of ELF, so that symbols' indices fit. */
const ez_section *ez_asm_sections(const ez_asm *assembler, size_t *count);

/* Symbols as the object has them, without the empty first; values are offsets in their sections. */
const ez_symbol *ez_asm_symbols(const ez_asm *assembler, size_t *count);

/* Instructions and data in the order of the text, with ez_asm_options.listing. */
typedef struct ez_asm_line {
    uint32_t section;   /* index in ez_asm_sections() */
    bool instruction;   /* otherwise data */
    uint8_t unit;       /* of data: bytes of one item, 1, 2, 4 or 8 */
    uint64_t offset;    /* in the section, bytes */
    uint64_t size;      /* bytes */
} ez_asm_line;
const ez_asm_line *ez_asm_listing(const ez_asm *assembler, size_t *count);

typedef enum ez_asm_output {
    EZ_ASM_RELOCATABLE, /* ET_REL, as llvm-mc -filetype=obj: to be linked */
    EZ_ASM_LOADABLE     /* ET_DYN, as ld.lld -shared makes of that: to be loaded and run */
} ez_asm_output;

/*
 * Writes the object. *bytes is the handle's. EZ_ERR_FORMAT when it cannot be linked, as an undefined hidden symbol,
 * with the symbol's name in the message; EZ_ERR_ARGUMENT before a successful ez_asm_finish(); EZ_ERR_NOMEM.
 */
ez_status ez_asm_object(ez_asm *assembler, ez_asm_output output, const uint8_t **bytes, size_t *size,
                        ez_error *err);

/* ---- The other way ---------------------------------------------------------------------------- */

/*
 * Writes the directives that stand between .amdhsa_kernel NAME and .end_amdhsa_kernel for a kernel's descriptor, one a
 * line behind a tab. At most `room` bytes with the final 0; EZ_KERNEL_TEXT_MAX always suffice. Returns the length of
 * the whole text without that 0. They assemble to the descriptor if it has no bits but those that directives make;
 * registers are numbered as counted, up to the end of the last block.
 */
enum { EZ_KERNEL_TEXT_MAX = 4096 };
size_t ez_print_kernel(const ez_object *object, const ez_kernel *kernel, char *text, size_t room);

#ifdef __cplusplus
}
#endif
#endif
