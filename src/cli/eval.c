/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"
static const cli_option options[] = {{0}};
static int run(const cli_command *self, int argc, char **argv) {
    int words, status = cli_options(self, argc, argv, NULL, &words);
    return status != CLI_GO ? status : cli_error("not there yet");
}
const cli_command cli_eval = {"eval", "eval", "", NULL, options, 0, 100, run};
