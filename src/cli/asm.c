/* SPDX-License-Identifier: Apache-2.0 */
/* execz asm: text to bytes, line by line. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct asm_options {
    const ez_target *target;
    unsigned wave;
    bool hex, true16;
} asm_options;

static const cli_option options[] = {
    {'t', "target", "TARGET", "the GPU to assemble for, such as gfx1100", CLI_TARGET,
     offsetof(asm_options, target)},
    {0, "wave", "32|64", "lanes of a wave, for the size of lane masks", CLI_WAVE,
     offsetof(asm_options, wave)},
    {0, "true16", NULL, "take half registers (v5.l) also where they are not the default",
     CLI_FLAG, offsetof(asm_options, true16)},
    {0, "hex", NULL, "print bytes only, in memory order, an instruction a line", CLI_FLAG,
     offsetof(asm_options, hex)},
    {0}};

typedef struct source {
    const char *name;
    cli_lines lines;
    bool failed;
} source;

static void fail(source *s, unsigned column, const char *message) {
    cli_error_at(s->name, s->lines.number, column, s->lines.line, s->lines.length, "%s", message);
    s->failed = true;
}

static void print_hex(const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        printf("%02x", bytes[i]);
    putchar('\n');
}

/* ---- data directives ---- */

static const struct {
    const char *name;
    unsigned bytes;
} directives[] = {{".byte", 1},  {".short", 2}, {".2byte", 2}, {".long", 4},
                  {".4byte", 4}, {".int", 4},   {".quad", 8},  {".8byte", 8}};

static size_t blank(const char *line, size_t length, size_t at) {
    while (at < length && (line[at] == ' ' || line[at] == '\t'))
        at++;
    return at;
}

/* Reads a number, -2^63 to 2^64 - 1, at line[*at]; false when there is none or it is too large. */
static bool data_number(const char *line, size_t length, size_t *at, uint64_t *value) {
    bool minus = *at < length && line[*at] == '-', any = false;
    size_t i = *at + minus;
    unsigned base = 10;
    uint64_t n = 0;
    if (i + 1 < length && line[i] == '0' && (line[i + 1] == 'x' || line[i + 1] == 'X'))
        base = 16, i += 2;
    for (; i < length; i++) {
        int digit = cli_hex_digit(line[i]);
        if (digit < 0 || digit >= (int)base) break;
        if (n > (UINT64_MAX - (unsigned)digit) / base) return false;
        n = n * base + (unsigned)digit;
        any = true;
    }
    if (!any || (minus && n > UINT64_C(1) << 63)) return false;
    *at = i;
    *value = minus ? 0 - n : n;
    return true;
}

static bool fits(uint64_t value, unsigned bytes) {
    uint64_t high = bytes == 8 ? 0 : value >> (8 * bytes - 1);
    return bytes == 8 || high <= 1 || high == UINT64_MAX >> (8 * bytes - 1);
}

static bool line_ends(const char *line, size_t length, size_t at) {
    return at == length || line[at] == ';' ||
           (line[at] == '/' && at + 1 < length && line[at + 1] == '/');
}

/* A line that `execz dis` may have written for what is no instruction, .long 0x1234. False when the line
 * begins with no such directive. */
static bool data_line(source *s, const asm_options *o) {
    const char *line = s->lines.line;
    size_t length = s->lines.length, at = blank(line, length, 0), start = at;
    unsigned bytes = 0, used = 0;
    uint8_t data[256];
    while (at < length && line[at] != ' ' && line[at] != '\t')
        at++;
    for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++)
        if (strlen(directives[i].name) == at - start &&
            !strncmp(directives[i].name, line + start, at - start))
            bytes = directives[i].bytes;
    if (!bytes) return false;
    for (;;) {
        uint64_t value;
        size_t column = at = blank(line, length, at);
        if (!data_number(line, length, &at, &value) || !fits(value, bytes)) {
            char message[80];
            snprintf(message, sizeof message, "expected a number of at most %u bits", 8 * bytes);
            return fail(s, (unsigned)column + 1, message), true;
        }
        if (used + bytes > sizeof data)
            return fail(s, (unsigned)column + 1, "too many numbers in one line"), true;
        for (unsigned i = 0; i < bytes; i++)
            data[used++] = (uint8_t)(value >> (8 * i));
        at = blank(line, length, at);
        if (line_ends(line, length, at)) break;
        if (line[at++] != ',') return fail(s, (unsigned)at, "expected a comma"), true;
    }
    if (!o->hex) printf("%-60.*s // ", (int)(at - start), line + start);
    print_hex(data, used);
    return true;
}

/* ---- instructions ---- */

static void code_line(source *s, const asm_options *o) {
    ez_inst inst;
    ez_error err = {0};
    uint8_t bytes[EZ_INST_MAX_BYTES];
    char text[EZ_TEXT_MAX];
    ez_text_flags flags = o->true16 ? EZ_TEXT_TRUE16 : EZ_TEXT_DEFAULT;
    ez_status status =
        ez_parse(o->target, o->wave, flags, s->lines.line, s->lines.length, &inst, &err);
    if (status == EZ_ERR_NOT_FOUND) return; /* blanks and comments only */
    if (status != EZ_OK) {
        fail(s, err.column ? err.column : 1, err.message);
        return;
    }
    size_t size = ez_encode(&inst, bytes);
    if (!o->hex) {
        ez_print(&inst, flags, text, sizeof text);
        printf("%-60s // ", text);
    }
    print_hex(bytes, size);
}

static int run(const cli_command *self, int argc, char **argv) {
    asm_options o = {0};
    int words, status = cli_options(self, argc, argv, &o, &words);
    if (status == CLI_GO) status = cli_check_target(self, o.target, o.wave);
    if (status != CLI_GO) return status;
    size_t size;
    const char *path = words ? argv[0] : NULL;
    char *text = cli_read(path, &size);
    if (!text) return CLI_INPUT;
    source s = {cli_input_name(path), {text, text + size, NULL, 0, 0}, false};
    while (cli_next_line(&s.lines))
        if (!data_line(&s, &o)) code_line(&s, &o);
    free(text);
    return s.failed ? CLI_INPUT : CLI_OK;
}

const cli_command cli_asm = {
    "asm",
    "Assemble text in LLVM's syntax.",
    "-t TARGET [FILE]",
    "Reads FILE or standard input, one instruction a line. Without --hex each instruction is printed as\n"
    "the disassembler has it, with its bytes behind. After an error the remaining lines are still checked.\n\n"
    "  $ echo 'v_min_f16 v5, -1, v2' | execz asm -t gfx1100 --hex\n"
    "  c1040a74\n",
    options, 0, 1, run};
