/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the subcommands of `execz` share. The command is a client of the public headers alone.
 */
#ifndef EZ_CLI_H
#define EZ_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "execz/execz.h"

/* Exit statuses. CLI_GO is none: go on. */
enum { CLI_GO = -1, CLI_OK = 0, CLI_INPUT = 1, CLI_USAGE = 2 };

/* ---- options (options.c) --------------------------------------------------------------------- */

typedef enum cli_kind {
    CLI_FLAG,   /* bool */
    CLI_TEXT,   /* const char * */
    CLI_TARGET_ID, /* cli_target_id: gfx90a, with or without ":xnack+" and the like */
    CLI_WAVE,   /* unsigned: 32 or 64 */
    CLI_COLOUR, /* cli_when: auto, always or never */
    CLI_NUMBER, /* uint64_t: decimal, or hexadecimal with 0x */
    CLI_XYZ,    /* cli_xyz: X[,Y[,Z]], each from 1, or 0 where it is left out */
    CLI_XYZ_FROM_0, /* the same, each from 0 */
    CLI_LIST    /* cli_list: may be given again */
} cli_kind;

typedef struct cli_target_id {
    const ez_target *target;
    const char *text;
} cli_target_id;

typedef enum cli_when { CLI_AUTO, CLI_ALWAYS, CLI_NEVER } cli_when;
extern const char *const cli_when_names[]; /* ends with NULL */

typedef struct cli_xyz {
    uint32_t v[3];
    bool given;
} cli_xyz;

enum { CLI_LIST_MAX = 64 };
typedef struct cli_list {
    const char *item[CLI_LIST_MAX];
    unsigned count;
} cli_list;

/* One option; its value is written at `offset` of the command's own struct of options. */
typedef struct cli_option {
    char letter; /* 0: none */
    const char *name;
    const char *value; /* what the help calls its value; NULL for a flag */
    const char *about;
    cli_kind kind;
    size_t offset;
} cli_option;

typedef struct cli_command {
    const char *name;
    const char *about; /* one line */
    const char *words; /* the arguments as the usage line has them */
    const char *help;  /* more lines behind the options, or NULL */
    const cli_option *options; /* ends with name NULL */
    unsigned min_words, max_words;
    int (*run)(const struct cli_command *self, int argc, char **argv);
} cli_command;

/*
 * Parses argv[0..argc), the words behind the subcommand: options into *values, the others in order
 * to argv[0..*words). Returns CLI_GO, or the status to exit with, having said why.
 */
int cli_options(const cli_command *command, int argc, char **argv, void *values, int *words);

/* Checks -t and --wave, which most commands have, against each other. CLI_GO or CLI_USAGE. */
int cli_check_target(const cli_command *command, const ez_target *target, unsigned wave);

/* What -t takes, wherever it stands. CLI_GO or CLI_USAGE. */
int cli_target(const cli_command *command, const char *text, cli_target_id *id);

/* Says "execz COMMAND: message" and how to get help. Returns CLI_USAGE. */
int cli_usage(const cli_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The whole text as an unsigned number of at most `max`. */
bool cli_number(const char *text, uint64_t max, uint64_t *value);

/* ---- messages (message.c) -------------------------------------------------------------------- */

/* Whether to colour what goes to this stream: a terminal, and the user did not object. */
bool cli_colour(FILE *stream);
/* The same where --color may have said so. */
bool cli_coloured(cli_when when, FILE *stream);

/* "execz: message" on standard error. Returns CLI_INPUT. */
int cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "FILE:LINE:COL: error: message", then the line and a caret below its column. */
void cli_message_at(ez_severity severity, const char *file, unsigned line, unsigned column, const char *text,
                    size_t length, const char *message);
void cli_error_at(const char *file, unsigned line, unsigned column, const char *text, size_t length,
                  const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Up to `room` of the `count` names that `at` gives that are near `word`, nearest first, names given
 * twice once; returns their number. */
unsigned cli_nearest(const char *word, const char *(*at)(size_t index), size_t count,
                     const char **near, unsigned room);

/* ", did you mean a, b or c?" from those, or "". In a static buffer: one call at a time. */
const char *cli_did_you_mean(const char *word, const char *(*at)(size_t index), size_t count);

/* ---- input (input.c) ------------------------------------------------------------------------- */

/* The bytes of a file, or of standard input for NULL or "-", with a 0 behind them; NULL, having
 * said why, on failure. The caller frees them. */
char *cli_read(const char *path, size_t *size);
/* How messages call it. */
const char *cli_input_name(const char *path);

/* The lines of a text, without their ends. */
typedef struct cli_lines {
    const char *at, *end;
    const char *line; /* [length] */
    size_t length;
    unsigned number; /* from 1 */
} cli_lines;
bool cli_next_line(cli_lines *lines);

/* The value of a hexadecimal digit, or -1. */
int cli_hex_digit(char c);

/* ---- the commands ---------------------------------------------------------------------------- */

extern const cli_command cli_asm, cli_dis, cli_eval, cli_info, cli_launch, cli_replay, cli_run, cli_targets, cli_complete;
extern const cli_command *const cli_commands[]; /* ends with NULL */

#endif
