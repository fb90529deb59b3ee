/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of memory instructions as text: what stands where. memory_forms.c makes them, match_memory.c compares lines. */
#ifndef EZ_TEXT_MEMORY_FORMS_H
#define EZ_TEXT_MEMORY_FORMS_H

#include "families.h"

enum { EZ_FORMALS = 36 };

/* What a form has at one place of its text. */
typedef enum ez_formal_kind {
    EZ_FORMAL_VGPRS,
    EZ_FORMAL_ANY_VGPRS,        /* wherever they begin */
    EZ_FORMAL_AGPRS,
    EZ_FORMAL_DATA,             /* VGPRs, where the target has one file for both also accumulation VGPRs */
    EZ_FORMAL_ANY_DATA,         /* VGPRs or accumulation VGPRs on any target */
    EZ_FORMAL_SCALARS,
    EZ_FORMAL_BASE,             /* the SGPRs of an address, without null and EXEC */
    EZ_FORMAL_SOFFSET,
    EZ_FORMAL_CONSTANT_SOFFSET, /* or an inline constant */
    EZ_FORMAL_WORD,
    EZ_FORMAL_FORMAT,           /* of typed buffers: written in front of soffset or behind it, or not at all */
    EZ_FORMAL_MODIFIER          /* may be left out; the words of the cache policy are one */
} ez_formal_kind;

typedef struct ez_formal {
    uint8_t kind, dwords, modifier;
    const char *word;
} ez_formal;

typedef struct ez_text_form {
    const ez_inst *inst;
    ez_formal at[EZ_FORMALS];
    unsigned count;
    bool returns; /* an atomic, with the old value */
    bool phantom; /* one that llvm-mc's table has and no GPU takes */
} ez_text_form;

/* Calls `use` for every form of the instruction. */
void ez_memory_each_form(const ez_inst *inst, void (*use)(void *, const ez_text_form *), void *user);

/* Whether an operand of the instruction is of the class. */
bool ez_memory_has_class(const ez_inst *inst, unsigned cls);

/* Whether a modifier of ez_memory_modifiers is a word of the cache policy. */
static inline bool ez_is_policy(unsigned m) {
    return m >= EZ_MEMORY_POLICY_FIRST && m <= EZ_MEMORY_POLICY_LAST;
}

#endif
