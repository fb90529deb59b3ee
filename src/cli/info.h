/* SPDX-License-Identifier: Apache-2.0 */
/* A reference page: what is shown, and the two ways to show it. */
#ifndef EZ_CLI_INFO_H
#define EZ_CLI_INFO_H

#include "cli.h"

typedef struct info_page {
    unsigned op;
    const ez_target *base; /* has the operation; layouts, operands and the example are its own */
    bool only_base;        /* leave the other targets out */
    unsigned wave;
    ez_text_flags flags;
} info_page;

/* How a target's opcode and name compare with the base's: "base", "same", "not the same", "renamed". */
const char *info_compared(const info_page *page, const ez_target *target);

/* An example of a form as text, and its bytes as hexadecimal digits; false when there is none. */
bool info_example(const info_page *page, const ez_target *target, unsigned form, char text[EZ_TEXT_MAX],
                  char hex[2 * EZ_INST_MAX_BYTES + 1]);

/* Whether the target can run the operation here (its first form that can be shown). */
bool info_executable(unsigned op, const ez_target *target);
/* The bound in *ulp is as ez_inst_fidelity() gives it. */
ez_fidelity info_fidelity(unsigned op, const ez_target *target, uint32_t *ulp);

void info_print(const info_page *page);
int info_print_json(const info_page *pages, unsigned count);

/* ---- of all instructions ---- */

/* "VOP2 46 (0x2e)": where the target has the operation, in its shortest form. */
enum { INFO_PLACE_MAX = 48 };
void info_place(unsigned op, const ez_target *target, char text[INFO_PLACE_MAX]);

/* Those of a target (NULL: of all), or those with all the words of `search` (not NULL); info_list.c. */
int info_list(const ez_target *target, const char *search, bool json);
/* What became of the operations between two targets; info_diff.c. */
int info_diff(const ez_target *from, const ez_target *to, bool json);
/* How many a target (NULL: each) decodes, encodes and executes; info_coverage.c. */
int info_coverage(const ez_target *target, bool json);

#endif
