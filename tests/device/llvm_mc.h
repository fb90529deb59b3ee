/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions' bytes from llvm-mc. Include behind cmocka.h. */
#ifndef TEST_LLVM_MC_H
#define TEST_LLVM_MC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const targets[] = {"gfx803",  "gfx900",  "gfx906",  "gfx908",  "gfx90a",
                                      "gfx942",  "gfx950",  "gfx1010", "gfx1030", "gfx1100",
                                      "gfx1150", "gfx1200", "gfx1201", "gfx1250"};
enum { TARGETS = sizeof targets / sizeof *targets };

/* Generation of a target: 8, 9, 10, 11, 12; 13 stands for GFX12.5. */
static inline int generation(const char *t) {
    if (!strcmp(t, "gfx1250")) return 13;
    return strlen(t) == 7 ? 10 * (t[3] - '0') + t[4] - '0' : t[3] - '0';
}

typedef struct line {
    char text[320];
    uint8_t bytes[24];
    unsigned size;
} line;

static inline bool have_llvm(void) { return system("command -v llvm-mc-22 >/dev/null 2>&1") == 0; }

static inline void assemble(const char *target, line *lines, unsigned count) {
    char input[] = "/tmp/execz_asm_XXXXXX", command[256], row[1024];
    int fd = mkstemp(input);
    assert_true(fd >= 0);
    FILE *f = fdopen(fd, "w");
    for (unsigned i = 0; i < count; i++)
        fprintf(f, "%s\n", lines[i].text);
    fclose(f);
    snprintf(command, sizeof command, "llvm-mc-22 -triple=amdgcn -mcpu=%s -show-encoding %s 2>&1", target, input);
    FILE *p = popen(command, "r");
    assert_non_null(p);
    unsigned n = 0;
    while (fgets(row, sizeof row, p)) {
        if (strstr(row, "error:")) fail_msg("%s: %s", target, row);
        char *at = strstr(row, "encoding: [");
        if (!at) continue;
        assert_true(n < count);
        at += strlen("encoding: [");
        while (lines[n].size < sizeof lines[n].bytes) {
            lines[n].bytes[lines[n].size++] = (uint8_t)strtoul(at, &at, 16);
            if (*at++ != ',') break;
        }
        n++;
    }
    pclose(p);
    remove(input);
    if (n != count) fail_msg("%s: llvm-mc assembled %u of %u lines", target, n, count);
}

#endif
