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
bool info_example(const info_page *page, const ez_target *target, unsigned form,
                  char text[EZ_TEXT_MAX], char hex[2 * EZ_INST_MAX_BYTES + 1]);

/* Whether the target can run the operation here (its first form that can be shown). */
bool info_executable(unsigned op, const ez_target *target);

void info_print(const info_page *page);
int info_print_json(const info_page *pages, unsigned count);

#endif
