/* SPDX-License-Identifier: Apache-2.0 */
/* Which instructions a wave has executed, and how near to hardware each is. The bounds: LLVM's for the functions. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#include "execz/text.h"

/* Assembles lines; returns the bytes. */
static size_t assemble(const char *target, const char *text, uint8_t *code, size_t room) {
    size_t size = 0;
    for (const char *at = text; *at; at += *at == '\n') {
        size_t length = strcspn(at, "\n");
        ez_inst inst;
        ez_error err;
        if (ez_parse(ez_target_find(target), 0, EZ_TEXT_DEFAULT, at, length, &inst, &err) != EZ_OK)
            fail_msg("%.*s: %s", (int)length, at, err.message);
        assert_true(size + EZ_INST_MAX_BYTES <= room);
        size += ez_encode(&inst, code + size);
        at += length;
    }
    return size;
}

/* What was executed, as lines of name, fidelity (e, a, u), bound. */
static void write_line(const ez_executed *e, void *user) {
    char *text = user;
    size_t used = strlen(text);
    snprintf(text + used, 1000 - used, "%s %c %u%s%s\n", ez_inst_name(e->inst), "eau"[e->fidelity],
             (unsigned)e -> ulp, e -> reason ? " " : "", e->reason ? "why" : "");
}

static const char *executed(const char *target, const char *code_text, bool marks, uint64_t limit) {
    static char text[1000];
    uint8_t code[512];
    ez_program *p = NULL;
    size_t size = assemble(target, code_text, code, sizeof code);
    assert_int_equal(ez_program_create(ez_target_find(target), 0, code, size, 0x1000, 0, &p), EZ_OK);
    ez_wave *w = new_wave(target, 0);
    ez_wave_mark(w, marks);
    ez_wave_set(w, EZ_WAVE_PC, 0x1000);
    ez_wave_run(w, p, limit);
    text[0] = 0;
    assert_int_equal(ez_program_executed(p, write_line, text), EZ_OK);
    ez_wave_destroy(w);
    ez_program_destroy(p);
    return text;
}

/* Sums of floats in matrix instructions: measured on some targets (docs/errata.md), integers exact everywhere. */
static void matrices(void **state) {
    (void)state;
    static const char wmma[] = "v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[16:23]\nv_wmma_i32_16x16x16_iu8 v[16:23], v[0:3], "
                               "v[4:7], v[16:23]\ns_endpgm",
                      wmma_12[] = "v_wmma_f32_16x16x16_f16 v[16:23], v[0:3], v[4:7], v[16:23]\nv_wmma_f32_16x16x16_fp8_bf8 v[16:23], "
                                  "v[0:1], v[4:5], v[16:23]\ns_endpgm",
                      mfma[] = "v_mfma_f32_16x16x16_f16 v[0:3], v[4:5], v[6:7], v[0:3]\ns_endpgm";
    assert_string_equal(executed("gfx1100", wmma, true, 0),
                        "v_wmma_f32_16x16x16_f16 a 4294967295\nv_wmma_i32_16x16x16_iu8 e 0\ns_endpgm e 0\n");
    assert_string_equal(executed("gfx1201", wmma_12, true, 0),
                        "v_wmma_f32_16x16x16_f16 e 0\nv_wmma_f32_16x16x16_fp8_bf8 a 4294967295\ns_endpgm e 0\n");
    assert_string_equal(executed("gfx90a", "v_mfma_f32_16x16x16f16 v[0:3], v[4:5], v[6:7], v[0:3]\ns_endpgm", true, 0),
                        "v_mfma_f32_16x16x16f16 e 0\ns_endpgm e 0\n");
    assert_string_equal(executed("gfx950", mfma, true, 0), "v_mfma_f32_16x16x16_f16 a 4294967295\ns_endpgm e 0\n");
}

static void classes(void **state) {
    (void)state;
    assert_string_equal(
        executed("gfx90a",
                 "v_add_f32 v0, v1, v2\nv_exp_f32 v0, v1\nv_rcp_f64 v[2:3], v[4:5]\n"
                 "s_memtime s[0:1]\ns_endpgm",
                 true, 0),
        "v_add_f32 e 0\nv_exp_f32 a 1\nv_rcp_f64 a 134217728\ns_memtime a 4294967295\ns_endpgm e 0\n");
    /* the worse half of a dual instruction */
    assert_string_equal(
        executed("gfx1100", "v_dual_mov_b32 v0, v1 :: v_dual_mul_f32 v3, v2, v5\ns_endpgm", true, 0),
        "v_dual_mov_b32 e 0\ns_endpgm e 0\n");
    assert_string_equal(executed("gfx1201", "v_s_rcp_f32 s0, s1\nv_log_f16 v0, v1\ns_endpgm", true, 0),
                        "v_s_rcp_f32 a 1\nv_log_f16 a 1\ns_endpgm e 0\n");
}

static void skipped(void **state) {
    (void)state;
    assert_string_equal(executed("gfx900", "s_setvskip 1, 0\nv_exp_f32 v0, v1\ns_nop 0\ns_endpgm", true, 0),
                        "s_setvskip e 0\ns_nop e 0\ns_endpgm e 0\n");
}

static void unsupported(void **state) {
    (void)state;
    /* no semantics: what follows is not reached */
    assert_string_equal(executed("gfx950", "s_nop 0\nv_mfma_ld_scale_b32 v0, v1\ns_nop 1\ns_endpgm", true, 0),
                        "s_nop e 0\nv_mfma_ld_scale_b32 u 0 why\n");
    /* a use that execz lacks, found when it runs: ordinary uses are exact */
    assert_string_equal(executed("gfx90a", "s_sendmsg sendmsg(MSG_GS, GS_OP_CUT, 0)\ns_endpgm", true, 0),
                        "s_sendmsg u 0 why\n");
    assert_string_equal(executed("gfx90a", "s_sendmsg sendmsg(MSG_INTERRUPT)\ns_endpgm", true, 0),
                        "s_sendmsg e 0\ns_endpgm e 0\n");
}

static void only_what_was_reached(void **state) {
    (void)state;
    static const char branch[] =
        "s_cmp_eq_u32 s0, 0\ns_cbranch_scc1 1\nv_exp_f32 v0, v1\nv_mov_b32 v0, 1\ns_endpgm";
    assert_string_equal(executed("gfx90a", branch, true, 0),
                        "s_cmp_eq_u32 e 0\ns_cbranch_scc1 e 0\nv_mov_b32 e 0\ns_endpgm e 0\n");
    /* a fault inside of a block: the instruction that faults is the last */
    assert_string_equal(
        executed("gfx90a", "s_nop 0\nds_read_b32 v0, v1\nv_exp_f32 v0, v1\ns_endpgm", true, 0),
        "s_nop e 0\nds_read_b32 e 0\n");
    /* limits, where blocks begin and inside */
    static const char loop[] = "v_mov_b32 v0, 1\ns_nop 0\ns_branch 65533";
    assert_string_equal(executed("gfx90a", loop, true, 1), "v_mov_b32 e 0\n");
    assert_string_equal(executed("gfx90a", loop, true, 2), "v_mov_b32 e 0\ns_nop e 0\n");
    assert_string_equal(executed("gfx90a", loop, true, 3), "v_mov_b32 e 0\ns_nop e 0\ns_branch e 0\n");
    assert_string_equal(executed("gfx90a", loop, true, 1000), "v_mov_b32 e 0\ns_nop e 0\ns_branch e 0\n");
    assert_string_equal(executed("gfx90a", loop, false, 1000), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(classes), cmocka_unit_test(matrices), cmocka_unit_test(skipped), cmocka_unit_test(unsupported),
                                       cmocka_unit_test(only_what_was_reached)};
    return cmocka_run_group_tests_name("fidelity", tests, NULL, NULL);
}
