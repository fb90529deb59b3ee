/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every matrix instruction on every kind of target that has it, in both wave sizes: small integers, which are exact in any order,
 * against a plain matrix product.
 */
#include "matrix_model.h"

#include <string.h>

static const char *const targets[] = {"gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1150", "gfx1200", "gfx1250"};

static uint32_t seed = 1;
static unsigned draw(unsigned n) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

static int number(unsigned magnitude) { return (int)draw(2 * magnitude + 1) - (int)magnitude; }

/* FNUZ formats have their bias one greater and no -0. */
static uint64_t encode(const shape *s, const char *element, int value) {
    bool fnuz = ez_has(s->target, EZ_HAS_fp8_fnuz) && element_bits(element) == 8;
    bool byte_float = !strcmp(element, "fp8") || !strcmp(element, "bf8");
    return encode_number(element, fnuz && byte_float ? 2 * value : value);
}

enum { MAX = 128 };
static int a[16][32][MAX], b[16][MAX][32], c[16][32][32];

/* Fills A, B and C; of each four elements in a row of a sparse A two. */
static void fill(ez_wave *w, const shape *s) {
    for (unsigned block = 0; block < s->blocks; block++) {
        for (unsigned i = 0; i < s->m; i++) {
            memset(a[block][i], 0, sizeof a[block][i]);
            for (unsigned k = 0; k < (s->sparse ? s->k / 2 : s->k); k++) {
                int x = number(strcmp(s->d, "bf16") ? 2 : 1);
                unsigned at = k;
                if (s->sparse) {
                    unsigned first = draw(3), second = first + 1 + draw(3 - first);
                    static unsigned kept;
                    if (k % 2 == 0) kept = second;
                    unsigned in_group = k % 2 == 0 ? first : kept;
                    at = k / 2 * 4 + in_group;
                    spot place = spot_of_a(s, block, i, k), index = {place.lane, place.bit / element_bits(s->a) * 2};
                    put_bits(w, REG_X, index, 2, in_group);
                }
                a[block][i][at] = x;
                spot place = spot_of_a(s, block, i, k);
                unsigned copies = strstr(ez_rows[s->op].id, "GFX11") ? s->wave / 16 : 1;
                for (unsigned copy = 0; copy < copies; copy++, place.lane += 16)
                    put_bits(w, REG_A, place, element_bits(s->a), encode(s, s->a, x));
            }
        }
        for (unsigned k = 0; k < s->k; k++)
            for (unsigned j = 0; j < s->n; j++) {
                b[block][k][j] = number(strcmp(s->d, "bf16") ? 2 : 1);
                spot place = spot_of_b(s, block, k, j);
                unsigned copies = strstr(ez_rows[s->op].id, "GFX11") ? s->wave / 16 : 1;
                for (unsigned copy = 0; copy < copies; copy++, place.lane += 16)
                    put_bits(w, REG_B, place, element_bits(s->b), encode(s, s->b, b[block][k][j]));
            }
        for (unsigned i = 0; i < s->m; i++)
            for (unsigned j = 0; j < s->n; j++) {
                c[block][i][j] = number(8);
                put_c(w, s, block, i, j, encode_number(s->c, c[block][i][j]));
            }
    }
}

static void check(const ez_wave *w, const shape *s) {
    for (unsigned block = 0; block < s->blocks; block++)
        for (unsigned i = 0; i < s->m; i++)
            for (unsigned j = 0; j < s->n; j++) {
                int sum = c[block][i][j];
                for (unsigned k = 0; k < s->k; k++) sum += a[block][i][k] * b[block][k][j];
                uint64_t expected = encode_number(s->d, sum), got = get_d(w, s, block, i, j);
                if (got != expected)
                    fail_msg("%s %s wave%u: block %u, row %u, column %u: %llx, expected %d", ez_target_name(s->target),
                             ez_rows[s->op].id, s->wave, block, i, j, (unsigned long long)got, sum);
            }
}

/* Scales of 1. */
static void fill_scales(ez_wave *w) {
    for (unsigned reg = 0; reg < 2; reg++) {
        set_all(w, REG_X + reg, 0x7f7f7f7f);
        set_all(w, REG_Y + reg, 0x7f7f7f7f);
    }
}

/* Instructions that stop: their layouts are not published. */
static bool stops(unsigned op) {
    return strstr(ez_rows[op].id, "32X16X128_F4") || strstr(ez_rows[op].id, "SWMMAC_BF16F32");
}

static unsigned run_shape(const shape *s) {
    ez_wave *w = new_wave(ez_target_name(s->target), s->wave);
    if (!stops(s->op)) fill(w, s);
    if (s->scaled) fill_scales(w);
    ez_wave_set(w, EZ_WAVE_EXEC, 0x5); /* matrix instructions ignore EXEC */
    ez_inst inst = matrix_inst(s);
    ez_stop stop = run_inst(w, &inst);
    if (stops(s->op)) {
        assert_int_equal(stop, EZ_STOP_FAULT);
        assert_int_equal(ez_wave_fault_info(w)->kind, EZ_FAULT_UNSUPPORTED);
    } else {
        if (stop != EZ_STOP_END)
            fail_msg("%s %s: %s", ez_target_name(s->target), ez_rows[s->op].id, ez_wave_fault_info(w)->reason);
        check(w, s);
    }
    ez_wave_destroy(w);
    return 1;
}

static void small_integers(void **state) {
    (void)state;
    unsigned count = 0;
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
        for (unsigned wave = 32; wave <= 64; wave += 32)
            for (unsigned op = 0; op < EZ_OP_COUNT; op++)
                for (unsigned formats = 0; formats < 25; formats++) {
                    shape s;
                    if (shape_of(ez_target_find(targets[t]), wave, op, formats / 5, formats % 5, &s)) count += run_shape(&s);
                }
    assert_true(count > 400);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_integers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
