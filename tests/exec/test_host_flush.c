/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions on f32 that follow each other, in the mode that flushes denormals: the host then flushes them for all at once. Expected:
 * what each gives alone, with scalar instructions between them, as the MPFR tests check it; wherever a limit stops the wave.
 */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#include "execz/text.h"

enum { REGISTERS = 16, ROUNDS = 40, ROOM = 1024, LINES = 12 };

/* Mostly around the smallest normal numbers of products and sums, now and then anything. */
static uint32_t some_float(void) {
    static const uint32_t odd[] = {0, 0x80000000, 0x00800000, 0x807fffff, 0x00000001, 0x3f7fffff, 0x3f800000, 0xbf000000, 0x7f800000, 0x7fc00001, 0xff800001};
    switch (draw() % 8) {
    case 0: return odd[draw() % (sizeof odd / sizeof *odd)];
    case 1: return draw();
    case 2: return (draw() & 0x807fffff) | (draw() % 3) << 23;
    case 3: return (draw() & 0x807fffff) | (125 + draw() % 4) << 23;
    default: return (draw() & 0x807fffff) | (58 + draw() % 12) << 23;
    }
}

static const struct sequence {
    const char *target;
    unsigned wave;
    const char *lines[LINES];
} sequences[] = {
    {"gfx900", 64, {"v_fma_f32 v1, v2, v3, v1", "v_mac_f32 v4, v5, v6", "v_mul_f32 v7, v8, v9", "v_mad_f32 v2, v1, -v4, |v7|",
                    "v_add_f32 v3, v2, v10", "v_subrev_f32 v8, v11, v12", "v_fma_f32 v5, v5, 0.5, s4", "v_mul_f32 v6, 0.5, v13"}},
    {"gfx90a", 64, {"v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[0:1]", "v_pk_mul_f32 v[6:7], v[8:9], v[10:11]", "v_pk_add_f32 v[2:3], v[0:1], v[6:7]",
                    "v_fmac_f32 v4, v2, v3", "v_sub_f32 v5, v4, v12", "v_mul_f32 v13, v14, v15"}},
    {"gfx1030", 32, {"v_fma_f32 v1, v2, v3, v1", "s_nop 0", "v_fmac_f32 v4, v5, v6", "v_mul_f32 v7, v8, v9", "s_nop 1", "s_nop 2", "v_add_f32 v3, v2, v10",
                     "v_sub_f32 v8, v11, v12", "v_fmaak_f32 v2, v3, v8, 0x00900000", "v_mul_f32 v6, 0.5, v13", "s_nop 3", "v_mov_b32 v0, v6"}},
    {"gfx1201", 64, {"v_fma_f32 v1, v2, v3, v1", "v_fmac_f32 v4, v5, v6", "v_mul_f32 v7, v8, v9", "v_add_f32 v3, v2, v10", "v_add_f32 v1, v1, v1",
                     "v_mul_f32 v9, v1, v3 mul:2", "v_mul_f32 v9, v9, v1", "v_mul_f32 v9, v9, v2", "v_add_f32 v2, v9, v9", "v_sub_f32 v5, v2, v9"}}};

static void put_line(const struct sequence *q, const char *line, uint8_t *code, size_t *size) {
    ez_inst inst;
    ez_error err;
    if (ez_parse(ez_target_find(q->target), q->wave, EZ_TEXT_DEFAULT, line, strlen(line), &inst, &err) != EZ_OK)
        fail_msg("%s: %s", line, err.message);
    assert_true(*size + EZ_INST_MAX_BYTES <= ROOM);
    *size += ez_encode(&inst, code + *size);
}

/* The lines and s_endpgm as code, with `between` behind each; returns the bytes. */
static size_t assemble(const struct sequence *q, const char *between, uint8_t *code) {
    size_t size = 0;
    for (size_t n = 0; n < LINES && q->lines[n]; n++) {
        put_line(q, q->lines[n], code, &size);
        if (between) put_line(q, between, code, &size);
    }
    put_line(q, "s_endpgm", code, &size);
    return size;
}

static ez_program *program_of(const struct sequence *q, const char *between, uint8_t *code) {
    ez_program *p = NULL;
    size_t size = assemble(q, between, code);
    assert_int_equal(ez_program_create(ez_target_find(q->target), q->wave, code, size, 0x1000, 0, &p), EZ_OK);
    return p;
}

/* A wave with these registers, run to the end of the code, `limit` instructions at a time (0: without a limit). */
static ez_wave *run_it(const struct sequence *q, ez_program *p, const uint32_t (*v)[64], unsigned round, uint64_t exec, uint64_t limit) {
    ez_wave *w = new_wave(q->target, q->wave);
    for (unsigned r = 0; r < REGISTERS; r++)
        for (unsigned l = 0; l < q->wave; l++) ez_wave_set_vgpr(w, r, l, v[r][l]);
    ez_wave_set_sgpr(w, 4, v[0][0]);
    ez_wave_set(w, EZ_WAVE_DENORM32, 0);
    ez_wave_set(w, EZ_WAVE_ROUND32, round);
    ez_wave_set(w, EZ_WAVE_EXEC, exec);
    ez_wave_set(w, EZ_WAVE_PC, 0x1000);
    ez_stop stop;
    uint64_t before = 0, lines = 0;
    while ((stop = ez_wave_run(w, p, limit)) == EZ_STOP_LIMIT) {
        volatile float denormal = 0x1p-130f;
        assert_true(denormal * 1 != 0); /* the host is as it was */
        assert_int_equal(ez_wave_get(w, EZ_WAVE_INSTRUCTIONS), before += limit);
    }
    while (lines < LINES && q->lines[lines]) lines++;
    assert_int_equal(stop, EZ_STOP_END);
    assert_true(!limit || ez_wave_get(w, EZ_WAVE_INSTRUCTIONS) == lines + 1);
    return w;
}

static void compare(const struct sequence *q, const ez_wave *got, const ez_wave *expected, unsigned round, uint64_t limit) {
    for (unsigned r = 0; r < REGISTERS; r++)
        for (unsigned l = 0; l < q->wave; l++)
            if (ez_wave_vgpr(got, r, l) != ez_wave_vgpr(expected, r, l))
                fail_msg("%s, rounding %u, limit %u: v%u, lane %u: %08x, expected %08x", q->target, round, (unsigned)limit, r, l,
                         ez_wave_vgpr(got, r, l), ez_wave_vgpr(expected, r, l));
}

static void runs(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof sequences / sizeof *sequences; n++) {
        const struct sequence *q = &sequences[n];
        static uint8_t code[ROOM], apart_code[ROOM];
        ez_program *together = program_of(q, NULL, code), *apart = program_of(q, "s_mov_b32 s0, s0", apart_code);
        for (unsigned i = 0; i < ROUNDS; i++) {
            uint32_t v[REGISTERS][64];
            for (unsigned r = 0; r < REGISTERS; r++)
                for (unsigned l = 0; l < 64; l++) v[r][l] = some_float();
            uint64_t all = q->wave == 64 ? UINT64_MAX : UINT32_MAX, exec = i % 3 ? all : all & (draw() | (uint64_t)draw() << 32);
            ez_wave *expected = run_it(q, apart, v, i % 4, exec, 0);
            for (uint64_t limit = 0; limit < LINES; limit++) {
                ez_wave *got = run_it(q, together, v, i % 4, exec, limit);
                compare(q, got, expected, i % 4, limit);
                ez_wave_destroy(got);
            }
            ez_wave_destroy(expected);
        }
        ez_program_destroy(together);
        ez_program_destroy(apart);
    }
}

/* MODE changes between two runs. */
static void modes(void **state) {
    (void)state;
    static const char code[] = "v_mul_f32 v1, v2, v3\nv_mul_f32 v1, v2, v3\nv_mul_f32 v1, v2, v3\nv_mul_f32 v1, v2, v3\n%s\n"
                               "v_mul_f32 v4, v2, v3\nv_mul_f32 v5, v2, v3\nv_mul_f32 v6, v2, v3\nv_mul_f32 v7, v2, v3\ns_endpgm";
    static const char *const changes[] = {"s_denorm_mode 3", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3"};
    for (unsigned n = 0; n < 2; n++) {
        char text[500];
        snprintf(text, sizeof text, code, changes[n]);
        ez_wave *w = new_wave("gfx1030", 64);
        ez_wave_set(w, EZ_WAVE_DENORM32, 0);
        set_all(w, 2, 0x00800000);
        set_all(w, 3, 0x3f000000);
        assert_int_equal(stop_of_text(w, text), EZ_STOP_END);
        assert_int_equal(lane(w, 1, 5), 0);
        for (unsigned r = 4; r < 8; r++) assert_int_equal(lane(w, r, 5), 0x00400000);
        ez_wave_destroy(w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs), cmocka_unit_test(modes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
