/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int cli_usage(const cli_command *command, const char *format, ...) {
    va_list args;
    fflush(stdout);
    fprintf(stderr, "execz%s%s: ", command ? " " : "", command ? command->name : "");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\nTry 'execz%s%s --help'.\n", command ? " " : "", command ? command->name : "");
    return CLI_USAGE;
}

bool cli_number(const char *text, uint64_t max, uint64_t *value) {
    char *end;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (hex ? cli_hex_digit(text[2]) < 0 : text[0] < '0' || text[0] > '9') return false;
    errno = 0;
    unsigned long long n = strtoull(text, &end, hex ? 16 : 10);
    if (*end || errno || n > max) return false;
    *value = n;
    return true;
}

/* ---- help ---- */

static void option_help(const cli_option *o) {
    char text[64];
    int n = o->letter ? snprintf(text, sizeof text, "-%c, ", o->letter)
                      : snprintf(text, sizeof text, "    ");
    snprintf(text + n, sizeof text - (size_t)n, "--%s%s%s", o->name, o->value ? " " : "",
             o->value ? o->value : "");
    printf("  %-26s %s\n", text, o->about);
}

static int help(const cli_command *command) {
    printf("usage: execz %s [OPTION ...] %s\n\n%s\n\noptions:\n", command->name, command->words,
           command->about);
    for (const cli_option *o = command->options; o->name; o++)
        option_help(o);
    printf("  %-26s %s\n", "    --help", "show this and exit");
    if (command->help) printf("\n%s", command->help);
    return CLI_OK;
}

/* ---- values ---- */

static const char *target_name_at(size_t index) { return ez_target_name(ez_target_at(index)); }

int cli_target(const cli_command *command, const char *text, cli_target_id *id) {
    ez_target_id parts;
    ez_error err;
    id->text = text;
    if (ez_target_id_parse(text, strlen(text), &parts, &err) != EZ_OK)
        return cli_usage(command, "%s", err.message);
    id->target = ez_target_find(parts.processor);
    if (!id->target)
        return cli_usage(command, "unknown target '%s'%s ('execz targets' lists all)", parts.processor,
                         cli_did_you_mean(parts.processor, target_name_at, ez_target_count()));
    const char *lacks = parts.xnack && !ez_target_has_feature(id->target, "xnack")       ? "xnack"
                        : parts.sramecc && !ez_target_has_feature(id->target, "sramecc") ? "sramecc"
                                                                                         : NULL;
    if (lacks) return cli_usage(command, "%s has no %s that could be on or off", parts.processor, lacks);
    return CLI_GO;
}

const char *const cli_when_names[] = {"auto", "always", "never", NULL};

static int take_when(const cli_command *command, const cli_option *o, const char *text, cli_when *when) {
    for (unsigned i = 0; cli_when_names[i]; i++)
        if (!strcmp(text, cli_when_names[i])) {
            *when = (cli_when)i;
            return CLI_GO;
        }
    return cli_usage(command, "--%s takes auto, always or never, not '%s'", o->name, text);
}

/* Up to three numbers, from `least` on; those left out are 0. */
static bool take_xyz(const char *text, uint32_t least, cli_xyz *xyz) {
    for (unsigned n = 0; n < 3; n++) {
        char part[16];
        uint64_t value;
        size_t length = strcspn(text, ",");
        if (!length || length >= sizeof part) return false;
        memcpy(part, text, length);
        part[length] = 0;
        if (!cli_number(part, UINT32_MAX, &value) || value < least) return false;
        xyz->v[n] = (uint32_t)value;
        text += length;
        if (!*text) {
            for (n++; n < 3; n++)
                xyz->v[n] = 0;
            xyz->given = true;
            return true;
        }
        text++;
    }
    return false;
}

static int take(const cli_command *command, const cli_option *o, const char *text, void *values) {
    void *place = (char *)values + o->offset;
    uint64_t number;
    switch (o->kind) {
    case CLI_FLAG: *(bool *)place = true; return CLI_GO;
    case CLI_TEXT: *(const char **)place = text; return CLI_GO;
    case CLI_TARGET_ID: return cli_target(command, text, place);
    case CLI_WAVE:
        if (!cli_number(text, 64, &number) || (number != 32 && number != 64))
            return cli_usage(command, "--%s takes 32 or 64, not '%s'", o->name, text);
        *(unsigned *)place = (unsigned)number;
        return CLI_GO;
    case CLI_COLOUR: return take_when(command, o, text, place);
    case CLI_NUMBER:
        if (!cli_number(text, UINT64_MAX, place))
            return cli_usage(command, "--%s takes a number, not '%s'", o->name, text);
        return CLI_GO;
    case CLI_XYZ:
    case CLI_XYZ_FROM_0: {
        uint32_t least = o->kind == CLI_XYZ;
        if (!take_xyz(text, least, place))
            return cli_usage(command, "--%s takes X[,Y[,Z]], numbers from %u to 4294967295, not '%s'", o->name, least,
                             text);
        return CLI_GO;
    }
    case CLI_LIST: break;
    }
    cli_list *list = place;
    if (list->count == CLI_LIST_MAX)
        return cli_usage(command, "--%s is given more than %d times", o->name, CLI_LIST_MAX);
    list->item[list->count++] = text;
    return CLI_GO;
}

/* ---- parsing ---- */

static const cli_option *find(const cli_command *command, const char *word, size_t length) {
    for (const cli_option *o = command->options; o->name; o++)
        if (word[1] != '-' ? o->letter == word[1]
                           : strlen(o->name) == length - 2 && !strncmp(o->name, word + 2, length - 2))
            return o;
    return NULL;
}

/* One option at argv[*i], with its value in the same word or in the next, which *i then moves to. */
static int option(const cli_command *command, int argc, char **argv, int *i, void *values) {
    const char *word = argv[*i], *text = NULL;
    size_t length = word[1] == '-' ? strcspn(word, "=") : 2;
    if (!strcmp(word, "--help") || !strcmp(word, "-h")) return help(command);
    const cli_option *o = find(command, word, length);
    if (!o) return cli_usage(command, "unknown option '%.*s'", (int)length, word);
    if (word[length]) text = word + length + (word[length] == '=');
    if (o->kind == CLI_FLAG && text)
        return cli_usage(command, "option '%.*s' takes no value", (int)length, word);
    if (o->kind != CLI_FLAG && !text) {
        if (*i + 1 == argc)
            return cli_usage(command, "option '%s' needs a value: %s", word, o->value);
        text = argv[++*i];
    }
    return take(command, o, text, values);
}

int cli_options(const cli_command *command, int argc, char **argv, void *values, int *words) {
    bool only_words = false;
    *words = 0;
    for (int i = 0; i < argc; i++) {
        if (only_words || argv[i][0] != '-' || !argv[i][1]) {
            argv[(*words)++] = argv[i];
        } else if (!strcmp(argv[i], "--")) {
            only_words = true;
        } else {
            int status = option(command, argc, argv, &i, values);
            if (status != CLI_GO) return status;
        }
    }
    if (*words < (int)command->min_words)
        return cli_usage(command, "something is missing: execz %s %s", command->name, command->words);
    if (*words > (int)command->max_words)
        return cli_usage(command, "unexpected argument '%s'", argv[command->max_words]);
    return CLI_GO;
}

int cli_check_target(const cli_command *command, const ez_target *target, unsigned wave) {
    if (!target)
        return cli_usage(command, "which target? Say -t TARGET ('execz targets' lists all)");
    if (wave && !ez_target_has_wave(target, wave))
        return cli_usage(command, "%s has no waves of %u lanes", ez_target_name(target), wave);
    return CLI_GO;
}
