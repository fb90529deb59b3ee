/* SPDX-License-Identifier: Apache-2.0 */
/* execz complete -- WORD ...: what may stand where the last word is. The shells' completion files call it. */
#include "cli.h"

#include <string.h>

static const cli_option options[] = {{0}};

static void complete_targets(void) {
    for (size_t i = 0; i < ez_target_count(); i++)
        puts(ez_target_name(ez_target_at(i)));
}

static void complete_when(void) {
    for (size_t i = 0; cli_when_names[i]; i++)
        puts(cli_when_names[i]);
}

static void complete_options(const cli_command *command) {
    for (const cli_option *o = command->options; o->name; o++)
        printf("--%s\n", o->name);
    puts("--help");
}

/* The option that a word is, when its value is the next word. */
static const cli_option *wants_value(const cli_command *command, const char *word) {
    for (const cli_option *o = command->options; o->name; o++)
        if (o->kind != CLI_FLAG && word[0] == '-' &&
            (word[1] == '-' ? !strcmp(word + 2, o->name) : word[1] && word[1] == o->letter && !word[2]))
            return o;
    return NULL;
}

static bool given(const char *option, int words, char **argv) {
    for (int i = 0; i < words; i++)
        if (!strcmp(argv[i], option)) return true;
    return false;
}

static void complete_words(const cli_command *command, int words, char **argv) {
    static const char *const kinds[] = {"in:", "zero:", "out:", "inout:", "iota:", "rand:", "lds:", "hex:",
                                        "i32:", "u32:", "i64:", "u64:", "f16:", "f32:", "f64:"};
    if (command == &cli_info && given("--diff", words, argv)) complete_targets();
    else if (command == &cli_info)
        for (size_t i = 0; i < ez_op_name_count(); i++)
            puts(ez_op_name_at(i));
    if (command == &cli_run)
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
            puts(kinds[i]);
}

static void complete_commands(void) {
    for (const cli_command *const *c = cli_commands; *c; c++)
        if (*c != &cli_complete) puts((*c)->name);
    puts("--help\n--version");
}

static int run(const cli_command *self, int argc, char **argv) {
    int words, status = cli_options(self, argc, argv, NULL, &words);
    if (status != CLI_GO) return status;
    if (words <= 1) {
        complete_commands();
        return CLI_OK;
    }
    for (const cli_command *const *c = cli_commands; *c; c++) {
        if (strcmp((*c)->name, argv[0])) continue;
        const cli_option *o = words > 2 ? wants_value(*c, argv[words - 2]) : NULL;
        if (o && o->kind == CLI_TARGET_ID) complete_targets();
        else if (o && o->kind == CLI_WAVE) puts("32\n64");
        else if (o && o->kind == CLI_COLOUR) complete_when();
        else if (!o && argv[words - 1][0] == '-') complete_options(*c);
        else if (!o) complete_words(*c, words, argv);
    }
    return CLI_OK;
}

const cli_command cli_complete = {
    "complete",
    "List what may stand where the last word is; for the completion files of shells.",
    "-- WORD ...",
    NULL,
    options, 0, 4096, run};
