/* SPDX-License-Identifier: Apache-2.0 */
/* Float instructions against results captured on GPUs: captured_floats.txt. */
#include "harness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "execz/text.h"

static ez_program *program_of(const ez_target *target, const char *text, uint8_t *code) {
    static const char end[] = "s_endpgm";
    const char *const lines[] = {text, end};
    size_t size = 0;
    for (unsigned n = 0; n < 2; n++) {
        ez_inst inst;
        ez_error err;
        if (ez_parse(target, 32, EZ_TEXT_DEFAULT, lines[n], strlen(lines[n]), &inst, &err) != EZ_OK)
            fail_msg("%s: %s", lines[n], err.message);
        size += ez_encode(&inst, code + size);
    }
    ez_program *p = NULL;
    assert_int_equal(ez_program_create(target, 32, code, size, 0x1000, 0, &p), EZ_OK);
    return p;
}

/* Reads "v6=deadbeef" from *at on; false at the end. */
static bool next_register(char **at, unsigned *reg, uint32_t *value) {
    int length = 0;
    if (sscanf(*at, " v%u=%" SCNx32 "%n", reg, value, &length) != 2) return false;
    *at += length;
    return true;
}

static unsigned check(const char *line, char *fields[5]) {
    uint8_t code[2 * EZ_INST_MAX_BYTES];
    unsigned reg, wrong = 0;
    uint32_t value;
    const ez_target *target = ez_target_find(fields[0]);
    assert_non_null(target);
    ez_program *p = program_of(target, fields[1], code);
    ez_wave *w = new_wave(fields[0], 32);
    for (char *at = fields[2]; next_register(&at, &reg, &value);) set_all(w, reg, value);
    assert_true(ez_wave_set(w, EZ_WAVE_MODE, strtoul(fields[3], NULL, 16)));
    ez_wave_set(w, EZ_WAVE_PC, 0x1000);
    assert_int_equal(ez_wave_run(w, p, 0), EZ_STOP_END);
    for (char *at = fields[4]; next_register(&at, &reg, &value);) {
        if (lane(w, reg, 7) == value) continue;
        print_error("%s\n    v%u is %08" PRIx32 "\n", line, reg, lane(w, reg, 7));
        wrong++;
    }
    ez_wave_destroy(w);
    ez_program_destroy(p);
    return wrong;
}

static void captured(void **state) {
    FILE *file = fopen(*state, "r");
    char line[400], copy[sizeof line], *fields[5];
    unsigned checks = 0, wrong = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (*line == '#') continue;
        strcpy(copy, line);
        unsigned n = 0;
        for (char *part = strtok(copy, "|"); part && n < 5; part = strtok(NULL, "|")) fields[n++] = part;
        assert_int_equal(n, 5);
        wrong += check(line, fields);
        checks++;
    }
    fclose(file);
    assert_true(checks > 1000);
    assert_int_equal(wrong, 0);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(captured, argv[1])};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
