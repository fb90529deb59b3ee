/* SPDX-License-Identifier: Apache-2.0 */
/* What execz launch shares with execz targets. */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include "cli.h"

/* The folder of libhsa-runtime64.so.1 that belongs to this command; static; NULL: there is none. */
const char *launch_library(void);
/* Whether text names GPUs that a program can find, TARGET[,TARGET ...]: CLI_GO, or what cli_usage() gave. */
int launch_check_targets(const cli_command *self, const char *text);

#endif
