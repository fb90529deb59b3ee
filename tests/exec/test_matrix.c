/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every matrix instruction on every kind of target that has it, in both wave sizes: small integers, which are exact in any order,
 * against a plain matrix product.
 */
#include "matrix_model.h"

#include <string.h>

static const char *const targets[] = {"gfx908", "gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1150", "gfx1200", "gfx1250"};

static int number(unsigned magnitude) { return (int)(draw() % (2 * magnitude + 1)) - (int)magnitude; }

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
                    unsigned first = draw() % 3, second = first + 1 + draw() % (3 - first);
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

static unsigned run_shape(const shape *s) {
    ez_wave *w = new_wave(ez_target_name(s->target), s->wave);
    fill(w, s);
    if (s->scaled) fill_scales(w);
    ez_wave_set(w, EZ_WAVE_EXEC, 0x5); /* matrix instructions ignore EXEC */
    ez_inst inst = matrix_inst(s);
    ez_stop stop = run_inst(w, &inst);
    if (stop != EZ_STOP_END)
        fail_msg("%s %s: %s", ez_target_name(s->target), ez_rows[s->op].id, ez_wave_fault_info(w)->reason);
    check(w, s);
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

/* Scales of the shape with 32 rows: lane i has the powers of row i of A, and of column i of B one for each 32 or 16 of k. [MLIR]
 * amdgpu.scaled_wmma. All elements are 1. */
static void scales_of_rows(void **state) {
    (void)state;
    for (unsigned parts = 4; parts <= 8; parts += 4) {
        ez_wave *w = new_wave("gfx1250", 32);
        for (unsigned reg = 0; reg < 24; reg++) set_all(w, reg, 0x22222222);
        for (unsigned i = 0; i < 32; i++)
            for (unsigned part = 0; part < parts; part++) {
                put_bits(w, 40, (spot){i, 8 * part}, 8, 127 + (i + part) % 5);
                put_bits(w, 42, (spot){i, 8 * part}, 8, i < 16 ? 127 - (i + 2 * part) % 3 : 1);
            }
        run_text(w, parts == 4 ? "v_wmma_scale_f32_32x16x128_f4 v[64:79], v[0:15], v[16:23], 0, v40, v42"
                               : "v_wmma_scale16_f32_32x16x128_f4 v[64:79], v[0:15], v[16:23], 0, v[40:41], v[42:43]");
        for (unsigned i = 0; i < 32; i++)
            for (unsigned j = 0; j < 16; j++) {
                unsigned eighths = 0;
                for (unsigned part = 0; part < parts; part++)
                    eighths += 128 / parts * 8 * (1u << (i + part) % 5) / (1u << (j + 2 * part) % 3);
                uint64_t got = get_bits(w, 64, (spot){16 * (i % 16 / 8) + j, 32 * (i % 8 + 8 * (i / 16))}, 32);
                assert_int_equal(got, encode_number("f32", eighths / 8.0));
            }
        ez_wave_destroy(w);
    }
    ez_wave *w = new_wave("gfx1250", 32); /* the rows fill all lanes: there are no others to choose */
    assert_int_equal(stop_of_text(w, "v_wmma_scale_f32_32x16x128_f4 v[64:79], v[0:15], v[16:23], 0, v40, v42 matrix_a_scale:MATRIX_SCALE_ROW1"),
                     EZ_STOP_FAULT);
    ez_wave_destroy(w);
}

/* Scales with a fraction: E5M3 without sign, bias 15, and E4M3. [LLVM] MATRIX_SCALE_FMT_...; NaNs are ff and 7f. */
static void scales_with_fractions(void **state) {
    (void)state;
    static const char *const texts[] = {
        "v_wmma_scale_f32_32x16x128_f4 v[64:79], v[0:15], v[16:23], 0, v40, v42 matrix_a_scale_fmt:MATRIX_SCALE_FMT_E5M3 "
        "matrix_b_scale_fmt:MATRIX_SCALE_FMT_E4M3",
        "v_wmma_scale_f32_16x16x128_f8f6f4 v[64:71], v[0:7], v[16:23], 0, v40, v42 matrix_a_fmt:MATRIX_FMT_FP4 matrix_b_fmt:MATRIX_FMT_FP4 "
        "matrix_a_scale_fmt:MATRIX_SCALE_FMT_E5M3 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E4M3"};
    for (unsigned t = 0; t < 2; t++) {
        ez_wave *w = new_wave("gfx1250", 32);
        for (unsigned reg = 0; reg < 24; reg++) set_all(w, reg, 0x22222222);
        for (unsigned i = 0; i < 32; i++)
            for (unsigned part = 0; part < 4; part++) {
                put_bits(w, 40, (spot){i, 8 * part}, 8, (15 + part) << 3 | i % 8);
                put_bits(w, 42, (spot){i, 8 * part}, 8, (i == 3 ? 0x80 : 0) | (7 - part % 2) << 3 | i % 8);
            }
        put_bits(w, 40, (spot){5, 8}, 8, 0xff);
        put_bits(w, 42, (spot){9, 16}, 8, 0x7f);
        run_text(w, texts[t]);
        for (unsigned i = 0; i < (t ? 16 : 32); i++)
            for (unsigned j = 0; j < 16; j++) {
                double sum = 0;
                for (unsigned part = 0; part < 4; part++)
                    sum += 32 * (1 + i % 8 / 8.0) * (1 << part) * (1 + j % 8 / 8.0) / (1 << part % 2) * (j == 3 ? -1 : 1);
                uint64_t got = get_bits(w, 64, (spot){16 * (i % 16 / 8) + j, 32 * (i % 8 + 8 * (i / 16))}, 32);
                assert_int_equal(got, i == 5 || j == 9 ? 0x7fc00000 : encode_number("f32", sum));
            }
        ez_wave_destroy(w);
    }
}

/* The result of SWMMAC_BF16F32 takes half of the registers of C, the others stay. */
static void narrow_result(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx1250", 32);
    for (unsigned reg = 0; reg < 8; reg++) set_all(w, 24 + reg, 0x3f800000 + (reg << 23));
    run_text(w, "v_swmmac_bf16f32_16x16x64_bf16 v[24:31], v[0:7], v[8:23], v32");
    for (unsigned n = 0; n < 32; n++)
        for (unsigned reg = 0; reg < 8; reg++) {
            uint32_t low = 0x3f80 + (2 * reg << 7), high = 0x3f80 + ((2 * reg + 1) << 7);
            assert_int_equal(lane(w, 24 + reg, n), reg < 4 ? low | high << 16 : 0x3f800000 + (reg << 23));
        }
    ez_wave_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_integers), cmocka_unit_test(scales_of_rows), cmocka_unit_test(scales_with_fractions), cmocka_unit_test(narrow_result)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
