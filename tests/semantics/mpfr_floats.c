/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Float operations against MPFR (ref_mpfr.c) and AMD's pseudocode (ref_amd.c), in each rounding and denormal mode.
 *
 *     mpfr_floats [--full] [--only TEXT] [--table N] [--seed N]
 *     mpfr_floats --coverage
 *
 * One operand of 16 bits: all 65,536 values. Otherwise all pairs of special values and some or (--full) all triples, then random
 * ones: in all modes together 16,000 by default, 100,000 in each with --full. Operations that hardware approximates may be off by
 * the bound in their line; special values (infinities, NaNs, zeros) have to be right.
 *
 * --coverage names the float operations of src/exec/semantics that no line tests.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "float_tables.h"
#include "isa_ids.h"

static const float_table *const tables[] = {&float_arithmetic, &float_minmax, &float_conversions, &float_functions,
                                            &float_packed,     &float_scalar, &float_compares};
enum { TABLES = sizeof tables / sizeof *tables };

/* ---- coverage ---- */

/* Rows whose operation is one on floats. */
static const struct {
    unsigned op;
    const char *id;
} operations[] = {
#define ROW(ID) {EZ_OP_##ID, #ID},
/* rows of the files on floats that need no rounding mode are integers only by name */
#define INT_1(ID, ...) ROW(ID)
#define INT_2(ID, ...) ROW(ID)
#define INT_3(ID, ...) ROW(ID)
#define INT_4(ID, ...) ROW(ID)
#define SAT_1(ID, ...) ROW(ID)
#define FLOAT_1(ID, ...) ROW(ID)
#define FLOAT_2(ID, ...) ROW(ID)
#define FLOAT_3(ID, ...) ROW(ID)
#define HOST_2(ID, ...) ROW(ID)
#define HOST_3(ID, ...) ROW(ID)
#define PICK_2(ID, ...) ROW(ID)
#define PICK_3(ID, ...) ROW(ID)
#define FCARRY_3(ID, ...) ROW(ID)
#define FMAS_4(ID, ...) ROW(ID)
#define APPROX_1(ID, ...) ROW(ID)
#define PACKED_FLOAT_2(ID, ...) ROW(ID)
#define PACKED_FLOAT_3(ID, ...) ROW(ID)
#define PAIR_2(ID, ...) ROW(ID)
#define PAIR_3(ID, ...) ROW(ID)
#define MIX_3(ID, ...) ROW(ID)
#define MIXHI_3(ID, ...) ROW(ID)
#define MIX_MAD_3(ID, ...) ROW(ID)
#define MIXHI_MAD_3(ID, ...) ROW(ID)
#define MIX_BF16_3(ID, ...) ROW(ID)
#define MIXHI_BF16_3(ID, ...) ROW(ID)
#define FDOT_3(ID, ...) ROW(ID)
#define SFLOAT_1(ID, ...) ROW(ID)
#define SFLOAT_2(ID, ...) ROW(ID)
#define SFLOAT_3(ID, ...) ROW(ID)
#define SFCMP(ID, ...) ROW(ID)
#define FCMP_2(ID, ...) ROW(ID)
#define CMP_2(ID, ...) ROW(ID)
#define PACKED_2(ID, ...)
#define PACKED_3(ID, ...)
#define PACKED_SAT_2(ID, ...)
#define PACKED_SAT_3(ID, ...)
#define PAIR_INT_2(ID, ...)
#define DOT_3(ID, ...)
#define SAT_3(ID, ...)
#define SAT_4(ID, ...)
#include "exec/semantics/f16.def"
#include "exec/semantics/f32.def"
#include "exec/semantics/f64.def"
#include "exec/semantics/transcendental.def"
#include "exec/semantics/packed.def"
#include "exec/semantics/small.def"
#include "exec/semantics/salu_float.def"
#include "exec/semantics/compare.def"
};

/* Compares of integers; FP8 and BF8, which small_floats.c converts. */
static bool is_for_others(const char *id) {
    if (!strncmp(id, "CMP", 3)) return !strstr(id, "_F16") && !strstr(id, "_F32") && !strstr(id, "_F64");
    return (strstr(id, "FP8") || strstr(id, "BF8")) && !strstr(id, "DOT4");
}

static bool tested[EZ_OP_COUNT];
static void note(unsigned op) { tested[op] = true; }

static int coverage(void) {
    unsigned all = 0, missing = 0;
    for (unsigned t = 0; t < TABLES; t++)
        for (size_t i = 0; i < tables[t]->count; i++)
            if (!(tables[t]->tests[i].flags & MANY)) float_instructions(&tables[t]->tests[i], note);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (is_for_others(operations[i].id)) continue;
        all++;
        if (tested[operations[i].op]) continue;
        missing++;
        printf("not tested: %s\n", operations[i].id);
    }
    printf("%u float operations, %u not tested\n", all, missing);
    return missing != 0;
}

int main(int argc, char **argv) {
    const char *only = NULL;
    unsigned first = 0, end = TABLES;
    uint64_t wrong = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--full")) float_full = true;
        else if (!strcmp(argv[i], "--coverage")) return coverage();
        else if (!strcmp(argv[i], "--only") && i + 1 < argc) only = argv[++i];
        else if (!strcmp(argv[i], "--table") && i + 1 < argc && (first = (unsigned)atoi(argv[++i])) < TABLES) end = first + 1;
        else if (!strcmp(argv[i], "--seed") && i + 1 < argc) float_random_state = strtoull(argv[++i], NULL, 0);
        else return fprintf(stderr, "usage: mpfr_floats [--full] [--only TEXT] [--table 0..%d] [--seed N]\n       mpfr_floats --coverage\n", TABLES - 1), 2;
    }
    puts("done      wrong  instruction");
    for (unsigned t = first; t < end; t++)
        for (size_t i = 0; i < tables[t]->count; i++)
            if (!only || strstr(tables[t]->tests[i].text, only)) wrong += float_check(&tables[t]->tests[i]);
    printf("%s\n", wrong ? "FAILED" : "passed");
    return wrong != 0;
}
