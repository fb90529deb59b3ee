/* SPDX-License-Identifier: Apache-2.0 */
/* The command `execz`: finds the subcommand and hands over. */
#include "cli.h"

#include <errno.h>
#include <string.h>

const cli_command *const cli_commands[] = {&cli_asm,  &cli_dis,     &cli_eval,     &cli_run, &cli_launch, &cli_replay,
                                           &cli_info, &cli_targets, &cli_complete, NULL};

static const char *command_name_at(size_t index) { return cli_commands[index]->name; }

static void overview(FILE *out) {
    fputs("usage: execz COMMAND [OPTION ...] [ARGUMENT ...]\n\n"
          "AMD GPU machine code without the GPU: describe, assemble, disassemble, evaluate and run it.\n\n"
          "commands:\n",
          out);
    for (const cli_command *const *c = cli_commands; *c; c++)
        if (*c != &cli_complete) fprintf(out, "  %-10s %s\n", (*c)->name, (*c)->about);
    fputs("\n'execz COMMAND --help' tells more; 'execz --version' the version.\n", out);
}

static int run_command(int argc, char **argv) {
    if (argc < 2) {
        overview(stderr);
        return CLI_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
        (!strcmp(argv[1], "help") && argc == 2)) {
        overview(stdout);
        return CLI_OK;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("execz %s\n", ez_version());
        return CLI_OK;
    }
    bool help = !strcmp(argv[1], "help"); /* execz help asm = execz asm --help */
    const char *name = help ? argv[2] : argv[1];
    for (const cli_command *const *c = cli_commands; *c; c++) {
        static char help_word[] = "--help";
        char *help_words[] = {help_word};
        if (strcmp((*c)->name, name)) continue;
        return help ? (*c)->run(*c, 1, help_words) : (*c)->run(*c, argc - 2, argv + 2);
    }
    size_t count = sizeof cli_commands / sizeof cli_commands[0] - 2; /* not the last, `complete` */
    return cli_usage(NULL, "unknown command '%s'%s", name,
                     cli_did_you_mean(name, command_name_at, count));
}

int main(int argc, char **argv) {
    if (!ez_simd_level()) return cli_error("EXECZ_SIMD names no SIMD level that this build and host have: avx512, avx2, base");
    int status = run_command(argc, argv);
    if (fflush(stdout) || ferror(stdout))
        return cli_error("cannot write the output: %s", strerror(errno));
    return status;
}
