/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_TARGETS_H
#define CLI_TARGETS_H

/* Prints what the runtime tells programs of these GPUs (NULL: those of the environment). CLI_OK or CLI_INPUT. */
int targets_print_hsa(const char *targets);

#endif
