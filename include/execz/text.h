/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECZ_TEXT_H
#define EXECZ_TEXT_H

#include <stddef.h>

#include "execz/error.h"
#include "execz/inst.h"
#include "execz/target.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Assembly text in LLVM's syntax: what ez_print writes is what llvm-mc 22 prints, and ez_parse takes what llvm-mc
 * takes. Source of the syntax: LLVM "User Guide for AMDGPU Backend", instruction syntax.
 */
typedef enum ez_text_flags {
    EZ_TEXT_DEFAULT = 0,
    /* Half-register names (v5.l, v1.h) also on targets where they are not the default (GFX12), as
     * llvm-mc's -mattr=+real-true16. No effect where there are no halves. */
    EZ_TEXT_TRUE16 = 1
} ez_text_flags;

/* A flag with the bits that s_set_vgpr_msb has set: VGPRs that they make others of have a comment that says which,
 * as llvm-objdump prints it. Not for ez_disassembler_open(). */
#define EZ_TEXT_VGPR_MSB(msb) ((ez_text_flags)(((msb) & 0xffu) << 8))

/* Enough for the text of any instruction with its final 0. */
enum { EZ_TEXT_MAX = 512 };

/*
 * Writes the instruction as one line, without leading white space or newline: one space after the
 * mnemonic, ", " between operands. At most `room` bytes with the final 0 (room 0: nothing). Returns
 * the length of the whole text without that 0, as snprintf does.
 */
size_t ez_print(const ez_inst *inst, ez_text_flags flags, char *text, size_t room);

/* Writes registers as text names them: "v7", "s[4:5]", "exec". Room and result as of ez_print(). */
size_t ez_print_register(const ez_register_use *use, char *text, size_t room);

/*
 * Parses one instruction from `length` bytes of text: no label, no directive, no newline; comments and blank
 * space around it are skipped. `wave` is 32, 64, or 0 for the target's default.
 *
 * Returns EZ_OK; EZ_ERR_NOT_FOUND when there is nothing but blanks and comments; EZ_ERR_SYNTAX,
 * EZ_ERR_ENCODE with err->column (from 1) where llvm-mc points too, and a message that says what was
 * expected; EZ_ERR_ARGUMENT when the target has no such wave. *out is written on success only.
 */
ez_status ez_parse(const ez_target *target, unsigned wave, ez_text_flags flags, const char *text,
                   size_t length, ez_inst *out, ez_error *err);

/*
 * A disassembler reads many instructions of one target: the same results as ez_decode() and ez_print(), many times as
 * fast, for it remembers what it has learned of the instructions it met. It has a fixed size (about 1 MB). One handle
 * is one thread's.
 *
 *     for (size_t at = 0; (status = ez_disassemble(d, code, size, &at, &inst, text, &length)) != EZ_ERR_NOT_FOUND;)
 */
typedef struct ez_disassembler ez_disassembler;

/* EZ_ERR_ARGUMENT: no target, or it has no such wave; EZ_ERR_NOMEM. `wave` is as for ez_decode(). */
ez_status ez_disassembler_open(const ez_target *target, unsigned wave, ez_text_flags flags, ez_disassembler **out);
void ez_disassembler_close(ez_disassembler *disassembler); /* NULL is allowed */

/*
 * As ez_decode_next(), and writes what ez_print() writes into `text`, a buffer of EZ_TEXT_MAX bytes; its length without
 * the final 0 goes to *length. Nothing is written to either when the return is not EZ_OK, or when `text` is NULL. What
 * *inst holds after another return than EZ_OK is not said.
 */
ez_status ez_disassemble(ez_disassembler *disassembler, const void *bytes, size_t size, size_t *offset, ez_inst *inst,
                         char *text, size_t *length);

#ifdef __cplusplus
}
#endif
#endif
