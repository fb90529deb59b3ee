/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix instructions on random numbers, bit for bit against the orders of docs/errata.md, which are written down here a second time
 * with MPFR at 600 bits: every step exact but for the roundings that the text names.
 */
#include "matrix_model.h"

#include "captured_wmma.h"

#include <math.h>
#include <string.h>

#include <mpfr.h>

/* Bits of a float with an exponent near that of 1, now and then anywhere, now and then 0 or denormal. */
static uint32_t some_float(unsigned exponent_bits, unsigned fraction_bits, unsigned spread) {
    uint32_t bias = (1u << (exponent_bits - 1)) - 1, greatest = (1u << exponent_bits) - 2;
    uint32_t e = bias - spread / 2 + draw() % (spread + 1);
    if (draw() % 16 == 0) e = draw() % (greatest + 1);
    if (e > greatest) e = greatest;
    return (draw() & 1) << (exponent_bits + fraction_bits) | e << fraction_bits | (draw() & ((1u << fraction_bits) - 1));
}

static double value_of(const char *element, uint64_t bits) {
    unsigned fraction = 23, exponent = 8;
    if (!strcmp(element, "xf32")) bits &= 0xffffe000;
    if (!strcmp(element, "f16")) exponent = 5, fraction = 10;
    if (!strcmp(element, "bf16")) fraction = 7;
    if (!strcmp(element, "fp8")) exponent = 4, fraction = 3;
    if (!strcmp(element, "bf8")) exponent = 5, fraction = 2;
    int bias = (1 << (exponent - 1)) - 1 + (strstr(element, "p8") || strstr(element, "bf8") ? 1 : 0); /* FNUZ */
    uint64_t e = bits >> fraction & ((1u << exponent) - 1), f = bits & ((1u << fraction) - 1);
    double magnitude = ldexp((double)(e ? f + (1u << fraction) : f), (int)(e ? e : 1) - bias - (int)fraction);
    return bits >> (exponent + fraction) & 1 ? -magnitude : magnitude;
}

static int least_exponent(const char *element) {
    return !strcmp(element, "f16") ? -14 : !strcmp(element, "fp8") ? -7 : !strcmp(element, "bf8") ? -15 : -126;
}

/* floor(log2 |x|), not below `least`. */
static int exponent_of(double x, int least) {
    int e = least;
    if (x != 0) {
        frexp(x, &e);
        e--;
    }
    return e > least ? e : least;
}

/* x rounded to a multiple of 2^unit. */
static void to_multiple(mpfr_t x, int unit, mpfr_rnd_t round) {
    mpfr_mul_2si(x, x, -unit, MPFR_RNDN);
    mpfr_rint(x, x, round);
    mpfr_mul_2si(x, x, unit, MPFR_RNDN);
}

static float to_float(mpfr_t x) {
    if (mpfr_zero_p(x)) return 0;
    return mpfr_get_flt(x, MPFR_RNDN);
}

static float flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

typedef struct term {
    double a, b;
} term;

enum order { CHAIN, EXACT, PAIRS, TRUNCATE, HALVES, GRID };

static float exact(const term *t, unsigned count, float c) {
    mpfr_t sum, p;
    mpfr_inits2(600, sum, p, (mpfr_ptr)0);
    mpfr_set_flt(sum, c, MPFR_RNDN);
    for (unsigned n = 0; n < count; n++) {
        mpfr_set_d(p, t[n].a, MPFR_RNDN);
        mpfr_mul_d(p, p, t[n].b, MPFR_RNDN);
        mpfr_add(sum, sum, p, MPFR_RNDN);
    }
    float r = to_float(sum);
    mpfr_clears(sum, p, (mpfr_ptr)0);
    return r;
}

static float pairs(const term *t, unsigned count, double least, float c) {
    float p[4] = {0};
    for (unsigned n = 0; n < count; n++) {
        double x = fabs(t[n].a) < least ? 0 : t[n].a, y = fabs(t[n].b) < least ? 0 : t[n].b;
        p[n] = flushed((float)(x * y));
    }
    float s = flushed(p[0] + p[1]);
    if (count == 4) s = flushed(s + flushed(p[2] + p[3]));
    return flushed(c + s);
}

/* The cut sum of products with odd or even k or all, to *sum; returns the exponent, or -999. */
static int cut_sum(const term *t, unsigned count, unsigned first, unsigned by, const shape *s, mpfr_t sum) {
    int top = -999;
    for (unsigned n = first; n < count; n += by)
        if (t[n].a * t[n].b != 0) {
            int e = exponent_of(t[n].a, least_exponent(s->a)) + exponent_of(t[n].b, least_exponent(s->b));
            if (e > top) top = e;
        }
    mpfr_set_zero(sum, 1);
    mpfr_t p;
    mpfr_init2(p, 600);
    for (unsigned n = first; n < count && top > -999; n += by) {
        mpfr_set_d(p, t[n].a, MPFR_RNDN);
        mpfr_mul_d(p, p, t[n].b, MPFR_RNDN);
        to_multiple(p, top - 24, MPFR_RNDZ);
        mpfr_add(sum, sum, p, MPFR_RNDN);
    }
    mpfr_clear(p);
    return top;
}

static float rounded_down(const term *t, unsigned count, bool halves, const shape *s, float c) {
    mpfr_t sum, odd, acc;
    mpfr_inits2(600, sum, odd, acc, (mpfr_ptr)0);
    int e = cut_sum(t, count, 0, halves ? 2 : 1, s, sum);
    if (halves) {
        int e_odd = cut_sum(t, count, 1, 2, s, odd);
        if (e_odd > e) e = e_odd;
        if (e > -999) {
            to_multiple(sum, e - 24, MPFR_RNDD);
            to_multiple(odd, e - 24, MPFR_RNDD);
            mpfr_add(sum, sum, odd, MPFR_RNDN);
        }
    }
    int e_c = exponent_of(c, -126), top = e > e_c ? e : e_c;
    mpfr_set_flt(acc, c, MPFR_RNDN);
    to_multiple(sum, top - 32, MPFR_RNDD);
    if (halves && e_c < top - 25) mpfr_set_zero(acc, 1);
    to_multiple(acc, top - 24, MPFR_RNDD);
    mpfr_add(sum, sum, acc, MPFR_RNDN);
    if (!mpfr_zero_p(sum)) {
        int high = (int)mpfr_get_exp(sum) - 1;
        to_multiple(sum, (high > -126 ? high : -126) - 31, MPFR_RNDD);
    }
    float r = to_float(sum);
    mpfr_clears(sum, odd, acc, (mpfr_ptr)0);
    return r;
}

/* x as a half float or bfloat (cut) if the results are such. */
static float to_result(const shape *s, mpfr_t x) {
    if (!strcmp(s->d, "f16")) {
        int e = mpfr_zero_p(x) ? -14 : (int)mpfr_get_exp(x) - 1;
        to_multiple(x, (e > -14 ? e : -14) - 10, MPFR_RNDN);
        if (mpfr_cmpabs_ui(x, 65504) > 0) return mpfr_sgn(x) < 0 ? -INFINITY : INFINITY;
    }
    float r = to_float(x);
    uint32_t bits;
    memcpy(&bits, &r, 4);
    if (!strcmp(s->d, "bf16")) bits &= 0xffff0000;
    memcpy(&r, &bits, 4);
    return r;
}

/* The rule of RDNA 4 in docs/errata.md, "Dot products", with four products, two and two. */
static float on_grid(const term *t, const shape *s, float c) {
    int own[2] = {-999, -999}, least = least_exponent(s->a), floor_c = !strcmp(s->d, "f16") ? -14 : -126;
    if (isinf(c)) return c;
    for (unsigned n = 0; n < 4; n++) {
        int e = exponent_of(t[n].a, least) + exponent_of(t[n].b, least) - 24;
        if (t[n].a * t[n].b != 0 && e > own[n / 2]) own[n / 2] = e;
    }
    int products = own[0] > own[1] ? own[0] : own[1], third = exponent_of(c, floor_c) - 26, grid = products > third ? products : third;
    mpfr_t sum, part, p;
    mpfr_inits2(600, sum, part, p, (mpfr_ptr)0);
    mpfr_set_flt(sum, c, MPFR_RNDN);
    if (grid > floor_c && fabs((double)c) < ldexp(1, grid)) mpfr_set_zero(sum, 1);
    to_multiple(sum, grid, MPFR_RNDD);
    for (unsigned n = 0; n < 4; n += 2) {
        if (own[n / 2] == -999) continue;
        mpfr_set_zero(part, 1);
        for (unsigned q = n; q < n + 2; q++) {
            mpfr_set_d(p, t[q].a, MPFR_RNDN);
            mpfr_mul_d(p, p, t[q].b, MPFR_RNDN);
            to_multiple(p, own[n / 2], MPFR_RNDD);
            mpfr_add(part, part, p, MPFR_RNDN);
        }
        to_multiple(part, grid, MPFR_RNDD);
        mpfr_add(sum, sum, part, MPFR_RNDN);
    }
    float r = to_result(s, sum);
    mpfr_clears(sum, part, p, (mpfr_ptr)0);
    return r;
}

static float reference(const shape *s, enum order order, unsigned length, const term *t, float c) {
    double least = !strcmp(s->a, "f16") ? 0x1p-14 : 0x1p-126;
    if (order == PAIRS && fabsf(c) < 0x1p-126f) c = 0;
    for (unsigned k = 0; k < s->k; k += length) {
        unsigned count = length < s->k - k ? length : s->k - k;
        if (order == PAIRS) c = pairs(t + k, count, least, c);
        else if (order == GRID) c = on_grid(t + k, s, c);
        else if (order == TRUNCATE || order == HALVES) c = rounded_down(t + k, count, order == HALVES, s, c);
        else c = exact(t + k, count, c); /* a chain is exact sums of one product */
    }
    return c;
}

static uint64_t draw_element(const char *e) {
    if (!strcmp(e, "f16")) return some_float(5, 10, 20);
    if (!strcmp(e, "bf16")) return some_float(8, 7, 40) & ~UINT64_C(0x4000); /* products that stay finite */
    if (!strcmp(e, "fp8") || !strcmp(e, "bf8")) {
        uint32_t x = draw() & 0xff;
        return x == 0x80 ? 0 : x;
    }
    return some_float(8, 23, 40) & ~UINT64_C(0x40000000);
}

static void compare(const char *target, unsigned op, unsigned wave, enum order order, unsigned length) {
    static uint64_t a[32][64], b[64][32];
    static float c[32][32];
    shape s;
    assert_true(shape_of(ez_target_find(target), wave, op, 0, 0, &s));
    for (unsigned round = 0; round < 40; round++) {
        ez_wave *w = new_wave(target, wave);
        unsigned copies = strstr(ez_rows[op].id, "GFX11") ? wave / 16 : 1;
        for (unsigned k = 0; k < s.k; k++) {
            for (unsigned i = 0; i < s.m; i++) {
                spot at = spot_of_a(&s, 0, i, k);
                a[i][k] = draw_element(s.a);
                for (unsigned n = 0; n < copies; n++, at.lane += 16) put_bits(w, REG_A, at, element_bits(s.a), a[i][k]);
            }
            for (unsigned j = 0; j < s.n; j++) {
                spot at = spot_of_b(&s, 0, k, j);
                b[k][j] = draw_element(s.b);
                for (unsigned n = 0; n < copies; n++, at.lane += 16) put_bits(w, REG_B, at, element_bits(s.b), b[k][j]);
            }
        }
        for (unsigned i = 0; i < s.m; i++)
            for (unsigned j = 0; j < s.n; j++) {
                uint64_t bits = !strcmp(s.c, "f32") ? some_float(8, 23, 40) & 0xbfffffff : draw_element(s.c);
                c[i][j] = (float)value_of(s.c, bits);
                put_c(w, &s, 0, i, j, bits);
            }
        ez_inst inst = matrix_inst(&s);
        assert_int_equal(run_inst(w, &inst), EZ_STOP_END);
        for (unsigned i = 0; i < s.m; i++)
            for (unsigned j = 0; j < s.n; j++) {
                term t[64];
                for (unsigned k = 0; k < s.k; k++) t[k] = (term){value_of(s.a, a[i][k]), value_of(s.b, b[k][j])};
                float r = reference(&s, order, length, t, c[i][j]);
                uint32_t expected = (uint32_t)encode_number(s.d, r), got = (uint32_t)get_d(w, &s, 0, i, j);
                bool zeros = r == 0 && !(got << (33 - element_bits(s.d))); /* the sign of an exact 0 is not compared */
                if (got != expected && !zeros)
                    fail_msg("%s %s: row %u, column %u: %08x, expected %08x", target, ez_rows[op].id, i, j, got, expected);
            }
        ez_wave_destroy(w);
    }
}

static void orders(void **state) {
    (void)state;
    compare("gfx908", EZ_OP_MFMA_F32_16X16X4_F32, 64, CHAIN, 1);
    compare("gfx908", EZ_OP_MFMA_F32_16X16X16_F16, 64, EXACT, 4);
    compare("gfx908", EZ_OP_MFMA_F32_16X16X8_BF16, 64, EXACT, 2);
    compare("gfx90a", EZ_OP_MFMA_F32_16X16X16_F16, 64, PAIRS, 4);
    compare("gfx90a", EZ_OP_MFMA_F32_16X16X16_BF16, 64, PAIRS, 4);
    compare("gfx90a", EZ_OP_MFMA_F32_16X16X8_BF16, 64, PAIRS, 2);
    compare("gfx942", EZ_OP_MFMA_F32_32X32X2_F32, 64, CHAIN, 1);
    compare("gfx942", EZ_OP_MFMA_F32_16X16X8_XF32, 64, TRUNCATE, 4);
    compare("gfx942", EZ_OP_MFMA_F32_16X16X16_F16, 64, TRUNCATE, 8);
    compare("gfx942", EZ_OP_MFMA_F32_32X32X8_BF16, 64, TRUNCATE, 8);
    compare("gfx942", EZ_OP_MFMA_F32_16X16X32_FP8_BF8, 64, HALVES, 16);
    compare("gfx942", EZ_OP_MFMA_F32_32X32X16_BF8_BF8, 64, HALVES, 16);
    compare("gfx1100", EZ_OP_WMMA_F32_16X16X16_F16_GFX11, 32, CHAIN, 1);
    compare("gfx1100", EZ_OP_WMMA_F32_16X16X16_BF16_GFX11, 64, CHAIN, 1);
    for (unsigned wave = 32; wave <= 64; wave += 32) {
        compare("gfx1200", EZ_OP_WMMA_F32_16X16X16_F16, wave, GRID, 4);
        compare("gfx1201", EZ_OP_WMMA_F32_16X16X16_BF16, wave, GRID, 4);
        compare("gfx1200", EZ_OP_WMMA_F16_16X16X16_F16, wave, GRID, 4);
        compare("gfx1201", EZ_OP_WMMA_BF16_16X16X16_BF16, wave, GRID, 4);
    }
    compare("gfx1250", EZ_OP_WMMA_F32_16X16X4_F32, 32, CHAIN, 1);
    mpfr_free_cache();
}

/* The example of Xie et al., table 8: -2^13 * 2^10, -0.5, -0.25, -0.125 and the accumulator 2^23, as measured on cards. */
static void measured(void **state) {
    (void)state;
    static const struct {
        const char *target;
        unsigned op;
        float result;
    } rows[] = {{"gfx908", EZ_OP_MFMA_F32_16X16X16_F16, -0.875f}, {"gfx90a", EZ_OP_MFMA_F32_16X16X16_F16, 0},
                {"gfx90a", EZ_OP_MFMA_F32_16X16X8_BF16, -0.375f}, {"gfx90a", EZ_OP_MFMA_F32_16X16X16_BF16, 0},
                {"gfx942", EZ_OP_MFMA_F32_16X16X16_F16, -0.5f},   {"gfx942", EZ_OP_MFMA_F32_16X16X16_BF16, -0.5f},
                {"gfx942", EZ_OP_MFMA_F32_16X16X32_BF8_BF8, -1}};
    static const double left[4] = {-8192, -0.5, -0.25, -0.125}, right[4] = {1024, 1, 1, 1};
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        shape s;
        assert_true(shape_of(ez_target_find(rows[n].target), 64, rows[n].op, 0, 0, &s));
        ez_wave *w = new_wave(rows[n].target, 64);
        unsigned twice = !strcmp(s.a, "bf8") ? 2 : 1; /* FNUZ: the bias is one greater */
        for (unsigned k = 0; k < 4; k++) {
            put_bits(w, REG_A, spot_of_a(&s, 0, 0, k), element_bits(s.a), encode_number(s.a, left[k] * twice));
            put_bits(w, REG_B, spot_of_b(&s, 0, k, 0), element_bits(s.b), encode_number(s.b, right[k] * twice));
        }
        put_c(w, &s, 0, 0, 0, encode_number("f32", 0x1p23));
        ez_inst inst = matrix_inst(&s);
        assert_int_equal(run_inst(w, &inst), EZ_STOP_END);
        uint32_t expected, got = (uint32_t)get_d(w, &s, 0, 0, 0);
        memcpy(&expected, &rows[n].result, 4);
        if (got != expected) fail_msg("%s %s: %08x, expected %08x", rows[n].target, ez_rows[rows[n].op].id, got, expected);
        ez_wave_destroy(w);
    }
}

/* All rows of A and columns of B are those of the capture. */
static void captured_on_gfx1201(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof captures / sizeof *captures; n++)
        for (unsigned wave = 32; wave <= 64; wave += 32) {
            const captured *x = &captures[n];
            shape s;
            unsigned op = x->bfloat ? EZ_OP_WMMA_F32_16X16X16_BF16 : EZ_OP_WMMA_F32_16X16X16_F16;
            assert_true(shape_of(ez_target_find("gfx1201"), wave, op, 0, 0, &s));
            ez_wave *w = new_wave("gfx1201", wave);
            unsigned each = 256 / wave;
            for (unsigned lane = 0; lane < wave; lane++)
                for (unsigned e = 0; e < each; e++) {
                    spot at = {.lane = lane, .bit = 16 * e};
                    put_bits(w, REG_A, at, 16, x->a[lane / 16 * each + e]);
                    put_bits(w, REG_B, at, 16, x->b[lane / 16 * each + e]);
                }
            for (unsigned i = 0; i < 256; i++) put_c(w, &s, 0, i / 16, i % 16, x->c);
            ez_inst inst = matrix_inst(&s);
            assert_int_equal(run_inst(w, &inst), EZ_STOP_END);
            for (unsigned i = 0; i < 256; i++)
                assert_int_equal(get_d(w, &s, 0, i / 16, i % 16), wave == 32 ? x->wave32 : x->wave64);
            ez_wave_destroy(w);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(orders), cmocka_unit_test(measured), cmocka_unit_test(captured_on_gfx1201)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
