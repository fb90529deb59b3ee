/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that were assembled before: of a line with the same mnemonic, the same modifiers and operands of the same kind the
 * parser makes the same instruction but for the registers and numbers. What is remembered was made by the parser, and what
 * is not sure goes to it: so both give the same. docs/architecture.md, "Speed".
 */
#ifndef EZ_RECALL_H
#define EZ_RECALL_H

#include "text.h"

typedef struct ez_recall ez_recall;

/* About 1 MB; NULL: out of memory. */
ez_recall *ez_recall_open(const ez_target *target, unsigned wave, ez_text_flags flags);
void ez_recall_close(ez_recall *recall); /* NULL is allowed */

/* The instruction of a line, and in *registers how far its operands reach (kind EZ_FIXUP_NONE). False: the line is none
 * that is remembered, and what must be known to learn from it is kept until ez_recall_learn(). */
bool ez_recall_line(ez_recall *recall, const char *text, size_t length, ez_inst *inst, ez_fixup *registers);

/* The parser made `inst` of the line that ez_recall_line() did not know, in the form that it tries first. */
void ez_recall_learn(ez_recall *recall, const ez_inst *inst, const ez_fixup *registers);

/* A name gets a value: what was remembered of lines with such a word is forgotten. */
void ez_recall_name_changed(ez_recall *recall, const char *name, size_t length);

#endif
