/* SPDX-License-Identifier: Apache-2.0 */
/* What `execz eval` reads and shows: the registers of one wave. */
#ifndef EZ_CLI_EVAL_H
#define EZ_CLI_EVAL_H

#include "cli.h"

/* Sets what REG=VALUE says. CLI_GO, or the status to exit with, having said why. `lanes` is how many a
 * single value of a vector register goes to. */
int eval_assign(const cli_command *command, ez_wave *wave, unsigned lanes, const char *word);

/* A copy of all registers. */
typedef struct eval_state eval_state;
eval_state *eval_save(const ez_wave *wave); /* NULL: out of memory; free() it */

/* Shows what has changed since; `lanes` is how many each vector register shows at least. */
void eval_show(const ez_wave *wave, const eval_state *before, unsigned lanes);
void eval_show_json(const ez_wave *wave, const eval_state *before, unsigned lanes);

/* Operand codes of scalar registers with their own names, the same on all targets. */
enum { EVAL_VCC = 106, EVAL_TTMP = 108, EVAL_EXEC = 126, EVAL_SGPRS = 106 };

/* The operand code of ttmp0 on the target. */
unsigned eval_first_ttmp(const ez_target *target);
unsigned eval_vgprs(const ez_target *target);
unsigned eval_sgprs(const ez_target *target);

#endif
