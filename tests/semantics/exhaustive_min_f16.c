/* SPDX-License-Identifier: Apache-2.0 */
/*
 * v_min_f16 against ref_f16.c: pairs of operands in each denormal mode, with IEEE mode on and off,
 * on one target of each kind of behaviour; then output modifiers, input modifiers and exception
 * flags.
 *
 *     exhaustive_min_f16 [--full] [--jobs N] [--target T]
 *
 * By default every special value meets every half float on either side, and two random sets meet
 * each other (the seed is fixed); --full takes all 65,536 x 65,536 pairs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <execz/exec.h>
#include <execz/text.h>

#include "ref_f16.h"

/* What differs by generation, with the target that stands for it. Sources: ref_f16.h; upper half:
 * [GCN3] and [Vega] clear it, [RDNA1] "16-bit instructions" and later write the low half alone. */
typedef struct behaviour {
    const char *target, *mnemonic;
    bool has_ieee, has_dx10_clamp, honours_denorm, clears_upper;
    ref_two_nans two_nans;
} behaviour;

static const behaviour behaviours[] = {
    {"gfx803", "v_min_f16", true, true, false, true, REF_SECOND},
    {"gfx900", "v_min_f16", true, true, true, true, REF_SECOND},
    {"gfx90a", "v_min_f16", true, true, true, true, REF_SECOND},
    {"gfx1030", "v_min_f16", true, true, true, false, REF_SECOND},
    {"gfx1100", "v_min_f16", true, true, true, false, REF_FIRST},
    {"gfx1201", "v_min_num_f16", false, false, true, false, REF_FIRST_QUIET},
};
enum { BEHAVIOURS = sizeof behaviours / sizeof *behaviours };

/* Zeros, denormals, the edges of each range, the inline constants, both infinities, NaNs of both
 * kinds. */
static const uint16_t positive_specials[] = {
    0x0000, 0x0001, 0x0002, 0x01ff, 0x0200, 0x0201, 0x03fe, 0x03ff, 0x0400, 0x0401, 0x07ff,
    0x0800, 0x3118, 0x37ff, 0x3800, 0x3bff, 0x3c00, 0x3c01, 0x4000, 0x4400, 0x77ff, 0x7800,
    0x7bfe, 0x7bff, 0x7c00, 0x7c01, 0x7cff, 0x7dff, 0x7e00, 0x7e01, 0x7eaa, 0x7fff};
enum { SPECIALS = 2 * sizeof positive_specials / sizeof *positive_specials };

static uint16_t special(unsigned i) {
    return positive_specials[i / 2] | (uint16_t)(i % 2 ? 0x8000 : 0);
}

/* ---- the library's side ---- */

/* One wave, and a program that makes the minimum of s0 and each of ROWS registers: v[ROWS + i] from
 * v[i]. */
enum { ROWS = 120, UPPER_A = 0x1234, UPPER_B = 0xc0de, UPPER_D = 0xa5a5, MAX_PAIRS = ROWS * 64 };

typedef struct fixture {
    const behaviour *kind;
    const ez_target *target;
    unsigned lanes, pairs; /* pairs: how many b values one run takes, ROWS * lanes */
    ez_wave *wave;
    ez_program *rows;
    uint8_t code[ROWS * EZ_INST_MAX_BYTES + 16];
} fixture;

static void give_up(const char *target, const char *what, const char *why) {
    fprintf(stderr, "%s: %s: %s\n", target, what, why);
    exit(2);
}

static size_t assemble(const fixture *f, uint8_t *bytes, const char *text) {
    ez_inst inst;
    ez_error err;
    if (ez_parse(f->target, f->lanes, EZ_TEXT_DEFAULT, text, strlen(text), &inst, &err) != EZ_OK)
        give_up(f->kind->target, text, err.message);
    return ez_encode(&inst, bytes);
}

static ez_program *program(const fixture *f, const uint8_t *code, size_t size, unsigned options) {
    ez_program *p;
    if (ez_program_create(f->target, f->lanes, code, size, 0x1000, options, &p) != EZ_OK)
        give_up(f->kind->target, "ez_program_create", "failed");
    return p;
}

static void run(const fixture *f, ez_program *p) {
    ez_wave_set(f->wave, EZ_WAVE_PC, 0x1000);
    if (ez_wave_run(f->wave, p, 0) != EZ_STOP_END)
        give_up(f->kind->target, "ez_wave_run", ez_fault_text(ez_wave_fault_info(f->wave)->kind));
}

static void set_up(fixture *f, const behaviour *kind) {
    memset(f, 0, sizeof *f);
    f->kind = kind;
    f->target = ez_target_find(kind->target);
    if (!f->target) give_up(kind->target, "ez_target_find", "no such target");
    f->lanes = ez_target_default_wave(f->target);
    f->pairs = ROWS * f->lanes;
    if (ez_wave_create(f->target, f->lanes, &f->wave) != EZ_OK)
        give_up(kind->target, "ez_wave_create", "failed");
    size_t at = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s v%u, s0, v%u", kind->mnemonic, ROWS + i, i);
        at += assemble(f, f->code + at, text);
    }
    at += assemble(f, f->code + at, "s_endpgm");
    f->rows = program(f, f->code, at, 0);
}

static void tear_down(fixture *f) {
    ez_program_destroy(f->rows);
    ez_wave_destroy(f->wave);
}

static void set_mode(const fixture *f, const ref_mode *m) {
    bool ok = ez_wave_set(f->wave, EZ_WAVE_DENORM16_64,
                          (m->keep_inputs ? 1u : 0) | (m->keep_results ? 2u : 0));
    if (f->kind->has_ieee) ok = ok && ez_wave_set(f->wave, EZ_WAVE_IEEE, m->ieee);
    if (f->kind->has_dx10_clamp) ok = ok && ez_wave_set(f->wave, EZ_WAVE_DX10_CLAMP, m->dx10_clamp);
    if (!ok) give_up(f->kind->target, "ez_wave_set", "refuses a mode");
}

/* The f->pairs values that run_pairs() takes as second operands; destinations get their upper
 * halves. */
static void set_seconds(const fixture *f, const uint16_t *b) {
    for (unsigned i = 0; i < f->pairs; i++) {
        ez_wave_set_vgpr(f->wave, i / f->lanes, i % f->lanes, (uint32_t)UPPER_B << 16 | b[i]);
        ez_wave_set_vgpr(f->wave, ROWS + i / f->lanes, i % f->lanes,
                         (uint32_t)UPPER_D << 16 | 0xdead);
    }
}

/* d[i] = the 32 bits of the destination after min(a, b[i]), for the b of set_seconds(). */
static void run_pairs(const fixture *f, uint16_t a, uint32_t *d) {
    ez_wave_set_sgpr(f->wave, 0, (uint32_t)UPPER_A << 16 | a);
    run(f, f->rows);
    if (!ez_wave_vgprs(f->wave, ROWS, ROWS, d)) give_up(f->kind->target, "ez_wave_vgprs", "failed");
}

/* ---- comparing ---- */

typedef struct tally {
    uint64_t checks, wrong;
} tally;

enum { SHOWN = 10 };

static ref_mode mode_of(const behaviour *k, unsigned denorm, bool ieee, bool dx10_clamp) {
    return (ref_mode){.keep_inputs = denorm & 1,
                      .keep_results = (denorm & 2) != 0,
                      .ieee = k->has_ieee && ieee,
                      .dx10_clamp = !k->has_dx10_clamp || dx10_clamp,
                      .honours_denorm = k->honours_denorm,
                      .two_nans = k->two_nans};
}

static void differs(tally *t, const behaviour *k, const ref_mode *m, const char *what, unsigned a,
                    unsigned b, unsigned expected, unsigned got) {
    if (t->wrong++ >= SHOWN) return;
    printf("%s denorm=%d%d ieee=%d dx10_clamp=%d %s %04x, %04x: expected %08x, got %08x\n",
           k->target, m->keep_results, m->keep_inputs, m->ieee, m->dx10_clamp, what, a, b, expected,
           got);
}

static uint32_t with_upper(const behaviour *k, uint16_t low) {
    return (k->clears_upper ? 0 : (uint32_t)UPPER_D << 16) | low;
}

static void check_pairs(const fixture *f, const ref_mode *m, const uint16_t *a, size_t count,
                        const uint16_t *b, tally *t) {
    static uint32_t d[MAX_PAIRS];
    static uint16_t expected[MAX_PAIRS];
    static ref_row row;
    const uint32_t upper = with_upper(f->kind, 0);
    set_seconds(f, b);
    ref_row_set(&row, b, f->pairs, m);
    for (size_t n = 0; n < count; n++) {
        uint32_t wrong = 0;
        run_pairs(f, a[n], d);
        ref_row_min(&row, a[n], m, expected);
        for (unsigned i = 0; i < f->pairs; i++)
            wrong |= d[i] ^ (upper | expected[i]);
        for (unsigned i = 0; wrong && i < f->pairs; i++)
            if (d[i] != (upper | expected[i]))
                differs(t, f->kind, m, f->kind->mnemonic, a[n], b[i], upper | expected[i], d[i]);
        t->checks += f->pairs;
    }
}

static int check_row(const ref_row *row, const uint16_t *b, uint16_t a, const ref_mode *m) {
    static uint16_t d[REF_ROW_MAX];
    int wrong = 0;
    ref_row_min(row, a, m, d);
    for (unsigned i = 0; i < row->count; i++)
        wrong += d[i] != ref_min_f16(a, b[i], m, NULL);
    return wrong;
}

/* The two forms of the reference, on specials with everything, either side. */
static int check_rows(const ref_mode *m) {
    static ref_row row;
    static uint16_t b[REF_ROW_MAX];
    int wrong = 0;
    for (unsigned first = 0; first < 65536; first += REF_ROW_MAX) {
        for (unsigned i = 0; i < REF_ROW_MAX; i++)
            b[i] = (uint16_t)(first + i);
        ref_row_set(&row, b, REF_ROW_MAX, m);
        for (unsigned i = 0; i < SPECIALS; i++)
            wrong += check_row(&row, b, special(i), m);
    }
    for (unsigned i = 0; i < SPECIALS; i++)
        b[i] = special(i);
    ref_row_set(&row, b, SPECIALS, m);
    for (unsigned a = 0; a < 65536; a++)
        wrong += check_row(&row, b, (uint16_t)a, m);
    if (wrong) printf("the row form of the reference is wrong in %d places\n", wrong);
    return wrong;
}

/* A generator with a fixed seed, so that a failure comes back. Constants: Knuth, "MMIX". */
static uint16_t random_f16(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint16_t)(*state >> 48);
}

/* All pairs; or specials with everything, either side, and random values with each other. */
static void check_mode(const fixture *f, const ref_mode *m, bool full, tally *t) {
    static uint16_t every[65536 + MAX_PAIRS], some[MAX_PAIRS], specials[SPECIALS];
    for (unsigned i = 0; i < 65536 + MAX_PAIRS; i++)
        every[i] = (uint16_t)i;
    for (unsigned i = 0; i < SPECIALS; i++)
        specials[i] = special(i);
    for (unsigned first = 0; first < 65536; first += f->pairs)
        check_pairs(f, m, full ? every : specials, full ? 65536 : SPECIALS, every + first, t);
    if (full) return;
    uint64_t seed = 20;
    for (unsigned i = 0; i < f->pairs; i++)
        some[i] = i < SPECIALS ? special(i) : random_f16(&seed);
    static uint16_t firsts[65536 / 61 + 512];
    size_t count = 0;
    for (unsigned a = 0; a < 65536; a += 61)
        firsts[count++] = (uint16_t)a;
    while (count < sizeof firsts / sizeof *firsts)
        firsts[count++] = random_f16(&seed);
    check_pairs(f, m, firsts, count, some, t);
}

/* ---- modifiers and flags: one instruction, its operands in v0 and v1, its result in v2 ---- */

static ez_program *one(fixture *f, uint8_t *code, const char *source, const char *modifiers,
                       unsigned options) {
    char text[96];
    snprintf(text, sizeof text, "%s_e64 v2, %s%s", f->kind->mnemonic, source, modifiers);
    size_t size = assemble(f, code, text);
    size += assemble(f, code + size, "s_endpgm");
    return program(f, code, size, options);
}

static void check_output(fixture *f, const ref_mode *m, ref_omod omod, bool clamp, tally *t) {
    static const char *const names[] = {"", " mul:2", " mul:4", " div:2"};
    char modifiers[32];
    uint8_t code[2 * EZ_INST_MAX_BYTES];
    snprintf(modifiers, sizeof modifiers, "%s%s", clamp ? " clamp" : "", names[omod]);
    ez_program *p = one(f, code, "v0, v0", modifiers, 0);
    for (unsigned x = 0; x < 65536; x += f->lanes) {
        for (unsigned l = 0; l < f->lanes; l++)
            ez_wave_set_vgpr(f->wave, 0, l, x + l);
        run(f, p);
        for (unsigned l = 0; l < f->lanes; l++) {
            const uint16_t a = (uint16_t)(x + l), d = ref_min_f16(a, a, m, NULL);
            /* Not published: whether omod and clamp make a signalling NaN quiet, and whether omod
             * takes the denormal that a GFX8 minimum keeps in every mode. */
            if ((d & 0x7e00) == 0x7c00 && (d & 0x1ff)) continue;
            if (omod != REF_NONE && !f->kind->honours_denorm && !(d & 0x7c00) && (d & 0x3ff))
                continue;
            const uint16_t expected = ref_output_f16(d, omod, clamp, m);
            const uint16_t got = (uint16_t)ez_wave_vgpr(f->wave, 2, l);
            t->checks++;
            if (got != expected) differs(t, f->kind, m, modifiers, a, a, expected, got);
        }
    }
    ez_program_destroy(p);
}

static void check_input(fixture *f, const ref_mode *m, unsigned which, tally *t) {
    const bool abs0 = which & 1, neg0 = which & 2, abs1 = which & 4, neg1 = which & 8;
    char source[32];
    uint8_t code[2 * EZ_INST_MAX_BYTES];
    snprintf(source, sizeof source, "%s%sv0%s, %s%sv1%s", neg0 ? "-" : "", abs0 ? "|" : "",
             abs0 ? "|" : "", neg1 ? "-" : "", abs1 ? "|" : "", abs1 ? "|" : "");
    ez_program *p = one(f, code, source, "", 0);
    for (unsigned n = 0; n < SPECIALS * SPECIALS; n += f->lanes) {
        for (unsigned l = 0; l < f->lanes; l++) {
            ez_wave_set_vgpr(f->wave, 0, l, special((n + l) / SPECIALS % SPECIALS));
            ez_wave_set_vgpr(f->wave, 1, l, special((n + l) % SPECIALS));
        }
        run(f, p);
        for (unsigned l = 0; l < f->lanes; l++) {
            const uint16_t a = special((n + l) / SPECIALS % SPECIALS),
                           b = special((n + l) % SPECIALS);
            const uint16_t expected =
                ref_min_f16(ref_input_f16(a, abs0, neg0), ref_input_f16(b, abs1, neg1), m, NULL);
            const uint16_t got = (uint16_t)ez_wave_vgpr(f->wave, 2, l);
            t->checks++;
            if (got != expected) differs(t, f->kind, m, source, a, b, expected, got);
        }
    }
    ez_program_destroy(p);
}

static void check_flags(fixture *f, const ref_mode *m, tally *t) {
    uint8_t code[2 * EZ_INST_MAX_BYTES];
    ez_program *p = one(f, code, "v0, v1", "", EZ_PROGRAM_KEEP_FLAGS);
    ez_wave_set(f->wave, EZ_WAVE_EXEC, 2); /* lane 1 alone; lane 0 holds what must raise nothing */
    ez_wave_set_vgpr(f->wave, 0, 0, 0x7c01);
    ez_wave_set_vgpr(f->wave, 1, 0, 0x0001);
    for (unsigned n = 0; n < SPECIALS * SPECIALS; n++) {
        const uint16_t a = special(n / SPECIALS), b = special(n % SPECIALS);
        unsigned expected = 0;
        const uint16_t d = ref_min_f16(a, b, m, &expected);
        ez_wave_set(f->wave, EZ_WAVE_FLAGS, 0);
        ez_wave_set_vgpr(f->wave, 0, 1, a);
        ez_wave_set_vgpr(f->wave, 1, 1, b);
        run(f, p);
        const uint16_t got_d = (uint16_t)ez_wave_vgpr(f->wave, 2, 1);
        unsigned got = 0;
        if (ez_wave_get(f->wave, EZ_WAVE_FLAGS) & EZ_FLAG_INVALID) got |= REF_INVALID;
        if (ez_wave_get(f->wave, EZ_WAVE_FLAGS) & EZ_FLAG_INPUT_DENORMAL) got |= REF_INPUT_DENORMAL;
        if (ez_wave_get(f->wave, EZ_WAVE_FLAGS) &
            ~(uint64_t)(EZ_FLAG_INVALID | EZ_FLAG_INPUT_DENORMAL))
            got = ~0u;
        t->checks += 2;
        if (got_d != d) differs(t, f->kind, m, "(keeping flags)", a, b, d, got_d);
        if (got != expected) differs(t, f->kind, m, "flags of", a, b, expected, got);
    }
    ez_wave_set(f->wave, EZ_WAVE_EXEC, UINT64_MAX);
    ez_program_destroy(p);
}

/* ---- the reference's own test: the published and measured cases ---- */

static int check_reference(void) {
    static const struct {
        uint16_t a, b, second_ieee, second, first_ieee, first, num;
    } cases[] = {
        /* a, b: gfx8 to gfx10 with IEEE, without; gfx11 with, without; gfx12. Denormals on. */
        {0x7c01, 0x3c00, 0x7e01, 0x3c00, 0x7e01, 0x3c00,
         0x3c00}, /* a signalling NaN and a number */
        {0x3c00, 0x7c01, 0x7e01, 0x3c00, 0x7e01, 0x3c00, 0x3c00},
        {0x7e00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00}, /* a quiet one */
        {0x3c00, 0x7e00, 0x3c00, 0x3c00, 0x3c00, 0x3c00, 0x3c00},
        {0x8000, 0x0000, 0x8000, 0x8000, 0x8000, 0x8000, 0x8000}, /* zeros */
        {0x0000, 0x8000, 0x8000, 0x8000, 0x8000, 0x8000, 0x8000},
        {0x7c01, 0x7c01, 0x7e01, 0x7c01, 0x7e01, 0x7c01,
         0x7e01}, /* twice the same signalling NaN */
        {0x7e01, 0xfe02, 0xfe02, 0xfe02, 0x7e01, 0x7e01, 0x7e01}, /* two quiet NaNs */
        {0x7e01, 0x7c02, 0x7e02, 0x7c02, 0x7e02, 0x7e01, 0x7e01}, /* quiet, signalling */
        {0x7c01, 0x7c02, 0x7e01, 0x7c02, 0x7e01, 0x7c01, 0x7e01}, /* two signalling NaNs */
        {0x0001, 0x0002, 0x0001, 0x0001, 0x0001, 0x0001, 0x0001}, /* denormals */
        {0x8001, 0x0400, 0x8001, 0x8001, 0x8001, 0x8001, 0x8001},
        {0xfc00, 0xfbff, 0xfc00, 0xfc00, 0xfc00, 0xfc00, 0xfc00}, /* infinity */
        {0x7bff, 0x7c00, 0x7bff, 0x7bff, 0x7bff, 0x7bff, 0x7bff},
        {0xffff, 0x4200, 0x4200, 0x4200, 0x4200, 0x4200,
         0x4200}, /* -1 as an inline constant is a NaN */
    };
    int wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint16_t expected[] = {cases[i].second_ieee, cases[i].second, cases[i].first_ieee,
                                     cases[i].first, cases[i].num};
        for (unsigned k = 0; k < 5; k++) {
            const behaviour *b = &behaviours[k < 2 ? 1 : k < 4 ? 4 : 5];
            const ref_mode m = mode_of(b, 3, k % 2 == 0, true);
            const uint16_t d = ref_min_f16(cases[i].a, cases[i].b, &m, NULL);
            if (d == expected[k]) continue;
            wrong++;
            printf("reference, %s, ieee=%d: %04x, %04x: expected %04x, got %04x\n", b->target,
                   m.ieee, cases[i].a, cases[i].b, expected[k], d);
        }
    }
    /* Flushing: gfx803's minima do not look at the mode. */
    for (unsigned denorm = 0; denorm < 4; denorm++) {
        const ref_mode old = mode_of(&behaviours[0], denorm, false, true),
                       now = mode_of(&behaviours[1], denorm, false, true);
        wrong += ref_min_f16(1, 1, &old, NULL) != 1;
        wrong += ref_min_f16(1, 1, &now, NULL) != (denorm == 3);
        wrong += ref_min_f16(0x8001, 0x7e00, &now, NULL) != (denorm == 3 ? 0x8001 : 0x8000);
    }
    const ref_mode m = mode_of(&behaviours[1], 1, false, false),
                   clamps_nan = mode_of(&behaviours[1], 1, false, true);
    wrong += ref_output_f16(0x8000, REF_TIMES_2, false, &m) != 0;
    wrong += ref_output_f16(0x3c00, REF_TIMES_4, false, &m) != 0x4400;
    wrong += ref_output_f16(0x0400, REF_HALF, false, &m) != 0;
    wrong += ref_output_f16(0x07ff, REF_HALF, false, &m) != 0;
    wrong += ref_output_f16(0x07fe, REF_HALF, false, &m) != 0;
    wrong += ref_output_f16(0x7bff, REF_TIMES_2, false, &m) != 0x7c00;
    wrong += ref_output_f16(0x7bff, REF_TIMES_2, true, &m) != 0x3c00;
    wrong += ref_output_f16(0x7e00, REF_NONE, true, &m) != 0x7e00;
    wrong += ref_output_f16(0x7e00, REF_NONE, true, &clamps_nan) != 0;
    if (wrong) printf("the reference is wrong in %d places\n", wrong);
    return wrong;
}

/* ---- everything ---- */

static tally check_behaviour(const behaviour *k, bool full) {
    tally t = {0, 0};
    fixture f;
    set_up(&f, k);
    for (unsigned n = 0; n < 16; n++) {
        const unsigned denorm = n & 3;
        const bool ieee = n & 4, dx10_clamp = n & 8;
        if ((ieee && !k->has_ieee) || (dx10_clamp && !k->has_dx10_clamp)) continue;
        const ref_mode m = mode_of(k, denorm, ieee, dx10_clamp);
        set_mode(&f, &m);
        for (unsigned omod = 0; omod < 4; omod++) {
            check_output(&f, &m, (ref_omod)omod, false, &t);
            check_output(&f, &m, (ref_omod)omod, true, &t);
        }
        if (dx10_clamp) continue; /* says nothing where nothing is clamped */
        t.wrong += (uint64_t)check_rows(&m);
        check_mode(&f, &m, full, &t);
        check_flags(&f, &m, &t);
        for (unsigned which = 0; which < 16; which++)
            check_input(&f, &m, which, &t);
    }
    tear_down(&f);
    printf("%-8s %llu checks, %llu wrong\n", k->target, (unsigned long long)t.checks,
           (unsigned long long)t.wrong);
    return t;
}

int main(int argc, char **argv) {
    bool full = false;
    long jobs = 1;
    const char *only = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--full"))
            full = true;
        else if (!strcmp(argv[i], "--jobs") && i + 1 < argc)
            jobs = strtol(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--target") && i + 1 < argc)
            only = argv[++i];
        else {
            fprintf(stderr, "usage: %s [--full] [--jobs N] [--target T]\n", argv[0]);
            return 2;
        }
    }
    if (check_reference()) return 1;
    int failed = 0, known = 0;
    long running = 0;
    for (unsigned i = 0; i < BEHAVIOURS; i++) {
        if (only && strcmp(only, behaviours[i].target)) continue;
        known++;
        int status;
        if (running >= jobs && wait(&status) > 0) {
            running--;
            failed |= status;
        }
        fflush(NULL);
        const pid_t pid = fork();
        if (pid == 0) exit(check_behaviour(&behaviours[i], full).wrong != 0);
        if (pid < 0) return 2;
        running++;
    }
    for (int status; wait(&status) > 0;)
        failed |= status;
    if (!known) {
        fprintf(stderr, "%s is none of the targets here\n", only);
        return 2;
    }
    return failed != 0;
}
