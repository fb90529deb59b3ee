/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A law: in a file each line assembles to what ez_parse() makes of it alone (which other tests compare with llvm-mc),
 * though the assembler remembers lines: the right ones, and those that a change of a character or two makes wrong.
 *
 *     test_recall [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "execz/execz.h"

enum { LINES = 4000, LINE_MAX = EZ_TEXT_MAX + 4 };

static uint64_t state;

static uint32_t random32(void) { /* splitmix64 */
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) >> 16);
}

/* A text and what becomes of each of its lines. */
typedef struct sheet {
    char *text;
    size_t length, lines;
    uint8_t *bytes;
    size_t size;
    unsigned refused;
} sheet;

static void add_line(sheet *s, const ez_target *target, unsigned wave, ez_text_flags flags,
                     const char *line) {
    ez_inst inst;
    ez_error err;
    size_t n = strlen(line);
    ez_status status = ez_parse(target, wave, flags, line, n, &inst, &err);
    memcpy(s->text + s->length, line, n);
    s->length += n;
    s->text[s->length++] = '\n';
    s->lines++;
    if (status == EZ_OK) s->size += ez_encode(&inst, s->bytes + s->size);
    else if (status != EZ_ERR_NOT_FOUND) s->refused++;
}

static bool is_word(char c) {
    return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Another register, number or kind of operand somewhere in the line. No new names: in a file they would be symbols. */
static void change(char *line) {
    size_t n = strlen(line), at = strcspn(line, " ");
    if (at + 2 >= n) return;
    at += 2 + random32() % (n - at - 2);
    bool digit = line[at] >= '0' && line[at] <= '9', first = !is_word(line[at - 1]);
    bool file = line[at - 1] == 'v' || line[at - 1] == 's' || line[at - 1] == 'a';
    bool more = (line[at + 1] >= '0' && line[at + 1] <= '9') || line[at + 1] == '[';
    if (digit && (first || (file && !is_word(line[at - 2])))) line[at] = (char)('0' + random32() % 10);
    else if (line[at] == 'v' && first && more) line[at] = 's';
    else if (line[at] == 's' && first && more) line[at] = "va"[random32() % 2];
    else if (line[at] == ' ' && line[at + 2] >= '0' && line[at + 2] <= '9' &&
             n + 2 < LINE_MAX) { /* v5, s5, 0.5, 15 */
        memmove(line + at + 2, line + at + 1, n - at);
        line[at + 1] = '-';
    }
}

/* Whether the assembler makes of the sheet what is expected of its lines. */
static bool check(const sheet *s, const ez_target *target, unsigned wave, ez_text_flags flags) {
    const ez_asm_options options = {.target = target, .wave = wave, .flags = flags};
    ez_asm *as;
    ez_error err;
    size_t count;
    if (ez_asm_open(&options, &as, &err) != EZ_OK || ez_asm_source(as, "sheet", s->text, s->length) != EZ_OK)
        return false;
    ez_asm_finish(as);
    const ez_section *text = &ez_asm_sections(as, &count)[1];
    bool good = ez_asm_error_count(as) == s->refused && text->size == s->size &&
                (!s->size || !memcmp(text->bytes, s->bytes, s->size));
    if (!good)
        fprintf(stderr, "%s wave%u: %zu lines, %u refused, %zu bytes expected; %zu refused, %llu bytes\n",
                ez_target_name(target), wave, s->lines, s->refused, s->size, ez_asm_error_count(as),
                (unsigned long long)text->size);
    ez_asm_close(as);
    return good;
}

/* Fills a sheet with instructions of all rows and forms, each with a few variations. */
static bool run(const ez_target *target, unsigned wave, ez_text_flags flags, unsigned rounds) {
    sheet s = {malloc((size_t)LINES * LINE_MAX), 0, 0, malloc((size_t)LINES * EZ_INST_MAX_BYTES), 0, 0};
    bool good = s.text && s.bytes;
    for (unsigned op = 1; op <= ez_op_count() && good; op++) {
        ez_op_form forms[EZ_OP_FORMS_MAX];
        size_t n = ez_op_forms(op, target, forms, EZ_OP_FORMS_MAX);
        for (size_t f = 0; f < n; f++) {
            ez_inst inst;
            if (!ez_op_example(op, target, wave, forms[f].form, &inst)) continue;
            for (unsigned round = 0; round < 3 * rounds; round++) {
                char line[LINE_MAX], other[LINE_MAX];
                uint8_t bytes[EZ_INST_MAX_BYTES] = {0};
                size_t size = ez_encode(&inst, bytes);
                for (unsigned flips = round ? random32() % 8 : 0; flips; flips--)
                    bytes[random32() % size] ^= (uint8_t)(1u << random32() % 8);
                if (ez_decode(target, wave, bytes, sizeof bytes, &inst) != EZ_OK) continue;
                ez_print(&inst, flags, line, sizeof line);
                add_line(&s, target, wave, flags, line);
                strcpy(other, line);
                for (unsigned k = random32() % 3; k; k--)
                    change(other);
                add_line(&s, target, wave, flags, other);
            }
        }
        if (s.lines + 50 * rounds < LINES && op < ez_op_count()) continue;
        good = check(&s, target, wave, flags);
        s.length = s.lines = s.size = s.refused = 0;
    }
    free(s.text);
    free(s.bytes);
    return good;
}

int main(int argc, char **argv) {
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1, failed = 0, runs = 0;
    for (size_t t = 0; t < ez_target_count(); t++) {
        const ez_target *target = ez_target_at(t);
        state = 7 + t;
        for (unsigned wave = 32; wave <= 64; wave += 32)
            if (ez_target_has_wave(target, wave) && ++runs)
                failed += !run(target, wave, t & 1 ? EZ_TEXT_TRUE16 : EZ_TEXT_DEFAULT, rounds);
    }
    printf("%u runs, %u with differences\n", runs, failed);
    return failed != 0;
}
