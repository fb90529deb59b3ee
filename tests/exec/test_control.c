/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that steer the wave. Expected values by hand from the ISA guides' pseudocode. */
#include "harness.h"

/* Named barriers: a wave that joined goes on when as many signals came as the barrier has members. [RDNA4] */
static void named_barriers(void **state) {
    (void)state;
    ez_workgroup *g = NULL;
    assert_int_equal(ez_workgroup_create(2, &g), EZ_OK);
    ez_wave *a = new_wave("gfx1250", 32), *b = new_wave("gfx1250", 32);
    ez_wave_join(a, g);
    ez_wave_join(b, g);
    ez_wave_set(a, EZ_WAVE_M0, 3 | 2 << 16); /* barrier 3, two members */
    run_text(a, "s_barrier_init m0\ns_barrier_join 3\ns_get_barrier_state s0, 3");
    assert_int_equal(ez_wave_sgpr(a, 0), 2 << 4 | 1);
    run_text(b, "s_barrier_join 3");
    assert_int_equal(stop_of_text(a, "s_barrier_signal 3\ns_barrier_wait 1"), EZ_STOP_BARRIER);
    run_text(a, "s_get_barrier_state s0, 3");
    assert_int_equal(ez_wave_sgpr(a, 0), 1 << 16 | 2 << 4 | 1);
    run_text(b, "s_barrier_signal_isfirst 3");
    assert_int_equal(ez_wave_get(b, EZ_WAVE_SCC), 0);
    run_text(a, "s_barrier_wait 1\ns_barrier_signal_isfirst 3");
    assert_int_equal(ez_wave_get(a, EZ_WAVE_SCC), 1);
    run_text(b, "s_barrier_wait 1");
    ez_wave_destroy(a);
    ez_wave_destroy(b);
    ez_workgroup_destroy(g);
}

static void skipped_vector_instructions(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx900", 64);
    run_text(w, "s_setvskip 8, 3\nv_mov_b32 v0, 5\ns_mov_b32 s0, 6\nbuffer_load_dword v1, off, s[0:3], 0\n"
                "s_setvskip 8, 2\nv_mov_b32 v2, 7");
    assert_int_equal(lane(w, 0, 0), 0);
    assert_int_equal(ez_wave_sgpr(w, 0), 6);
    assert_int_equal(lane(w, 2, 0), 7);
    ez_wave_destroy(w);
}

/* Both halves of the wave go through the loop, one after the other. */
static void subvector_loops(void **state) {
    (void)state;
    static const uint64_t execs[] = {~UINT64_C(0), 0xff, UINT64_C(0xff) << 32, 0, UINT64_C(0xf0000000f)};
    for (unsigned i = 0; i < sizeof execs / sizeof *execs; i++) {
        ez_wave *w = new_wave("gfx1030", 64);
        ez_wave_set(w, EZ_WAVE_EXEC, execs[i]);
        /* labels count dwords from the next instruction */
        run_text(w, "s_subvector_loop_begin s0, 3\ns_add_u32 s1, s1, 1\nv_add_nc_u32 v0, 1, v0\ns_subvector_loop_end s0, 0xfffd");
        unsigned passes = ((uint32_t)execs[i] != 0) + (execs[i] >> 32 != 0);
        assert_int_equal(ez_wave_sgpr(w, 1), passes);
        for (unsigned n = 0; n < 64; n++) assert_int_equal(lane(w, 0, n), execs[i] >> n & 1);
        assert_true(ez_wave_get(w, EZ_WAVE_EXEC) == execs[i]);
        ez_wave_destroy(w);
    }
}

static void messages(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx1100", 32);
    run_text(w, "s_sendmsg_rtn_b64 s[0:1], sendmsg(MSG_RTN_GET_REALTIME)");
    assert_int_equal(stop_of_text(w, "s_sendmsg_rtn_b32 s0, sendmsg(MSG_RTN_GET_DDID)"), EZ_STOP_FAULT);
    assert_int_equal(stop_of_text(w, "s_code_end"), EZ_STOP_FAULT);
    assert_int_equal(stop_of_text(w, "s_setkill 1"), EZ_STOP_END);
    ez_wave_set(w, EZ_WAVE_M0, 2 | 3 << 16);
    ez_wave_set_sgpr(w, 6, 77);
    run_text(w, "s_movrelsd_2_b32 s5, s4");
    assert_int_equal(ez_wave_sgpr(w, 8), 77);
    ez_wave_destroy(w);
}

/* The members of a named barrier: s_barrier_signal with M0 sets their number, s_barrier_leave takes one away, and completes
 * the barrier when all that are left have signalled. [LLVM] "AMDGPU Execution Synchronization" */
static void left_barriers(void **state) {
    (void)state;
    ez_workgroup *g = NULL;
    assert_int_equal(ez_workgroup_create(3, &g), EZ_OK);
    ez_wave *w[3];
    for (unsigned i = 0; i < 3; i++) {
        w[i] = new_wave("gfx1250", 32);
        ez_wave_join(w[i], g);
        run_text(w[i], "s_barrier_join 2");
    }
    ez_wave_set(w[0], EZ_WAVE_M0, 2 | 3 << 16);
    assert_int_equal(stop_of_text(w[0], "s_barrier_signal m0\ns_barrier_wait 1"), EZ_STOP_BARRIER);
    run_text(w[0], "s_get_barrier_state s0, 2");
    assert_int_equal(ez_wave_sgpr(w[0], 0), 1 << 16 | 3 << 4);
    run_text(w[1], "s_barrier_leave");
    assert_int_equal(ez_wave_get(w[1], EZ_WAVE_SCC), 0);
    run_text(w[2], "s_barrier_leave");
    assert_int_equal(ez_wave_get(w[2], EZ_WAVE_SCC), 0);
    run_text(w[0], "s_barrier_wait 1\ns_barrier_leave");
    assert_int_equal(ez_wave_get(w[0], EZ_WAVE_SCC), 1);
    assert_int_equal(stop_of_text(w[0], "s_barrier_leave"), EZ_STOP_FAULT);
    for (unsigned i = 0; i < 3; i++) ez_wave_destroy(w[i]);
    ez_workgroup_destroy(g);
}

/* Outside of clusters and traps their barriers do nothing, though the wave is in a workgroup. */
static void void_barriers(void **state) {
    (void)state;
    ez_workgroup *g = NULL;
    assert_int_equal(ez_workgroup_create(2, &g), EZ_OK);
    ez_wave *w = new_wave("gfx1250", 32);
    ez_wave_join(w, g);
    ez_wave_set(w, EZ_WAVE_SCC, 1);
    run_text(w, "s_barrier_signal -3\ns_barrier_wait 0xfffd\ns_barrier_signal -4\ns_barrier_signal -2");
    assert_int_equal(ez_wave_get(w, EZ_WAVE_SCC), 1);
    run_text(w, "s_barrier_signal_isfirst -3");
    assert_int_equal(ez_wave_get(w, EZ_WAVE_SCC), 0);
    run_text(w, "s_barrier_signal -1\ns_barrier_wait 0xfffd\ns_get_barrier_state s0, -1");
    assert_int_equal(ez_wave_sgpr(w, 0), 1 << 16 | 2 << 4 | 1);
    assert_int_equal(stop_of_text(w, "s_barrier_wait 0xffff"), EZ_STOP_BARRIER);
    assert_int_equal(stop_of_text(w, "s_get_barrier_state s0, -3"), EZ_STOP_FAULT);
    assert_int_equal(stop_of_text(w, "s_barrier_wait 0xfffe"), EZ_STOP_FAULT);
    ez_wave_destroy(w);
    ez_workgroup_destroy(g);
    w = new_wave("gfx1200", 32);
    run_text(w, "s_barrier_signal -2");
    assert_int_equal(stop_of_text(w, "s_barrier_wait 0xfffd"), EZ_STOP_FAULT);
    ez_wave_destroy(w);
}

/* Both paths of a fork run, that of fewer lanes first: s1 has their order. The stack is s[0:3], MODE.CSP its depth. */
static void forks(void **state) {
    (void)state;
    static const struct { uint64_t mask, first; uint32_t order; } cases[] = {
        {0xf, 0xf, 0x12}, {~UINT64_C(0xf), 0xf, 0x21}, {0xffffffff, 0xffffffff, 0x12}, {0, 0, 0x2}, {~UINT64_C(0), 0, 0x1}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned g = 0; g < 2; g++) {
            ez_wave *w = new_wave(i % 2 ? "gfx803" : "gfx942", 64);
            ez_wave_set_sgpr(w, 10, (uint32_t)cases[i].mask);
            ez_wave_set_sgpr(w, 11, (uint32_t)(cases[i].mask >> 32));
            run_text(w, g ? "s_getreg_b32 s8, hwreg(HW_REG_MODE, 29, 3)\ns_getpc_b64 s[12:13]\ns_add_u32 s12, s12, 32\n"
                            "s_cbranch_g_fork s[10:11], s[12:13]\n"
                            "s_lshl_b32 s20, s20, 4\ns_or_b32 s20, s20, 2\nv_mov_b32 v0, 2\ns_mov_b64 s[22:23], exec\n"
                            "s_getreg_b32 s9, hwreg(HW_REG_MODE, 29, 3)\ns_branch 3\n" /* to the join */
                            "s_lshl_b32 s20, s20, 4\ns_or_b32 s20, s20, 1\nv_mov_b32 v0, 1\ns_cbranch_join s8"
                          : "s_getreg_b32 s8, hwreg(HW_REG_MODE, 29, 3)\ns_cbranch_i_fork s[10:11], 6\n"
                            "s_lshl_b32 s20, s20, 4\ns_or_b32 s20, s20, 2\nv_mov_b32 v0, 2\ns_mov_b64 s[22:23], exec\n"
                            "s_getreg_b32 s9, hwreg(HW_REG_MODE, 29, 3)\ns_branch 3\n"
                            "s_lshl_b32 s20, s20, 4\ns_or_b32 s20, s20, 1\nv_mov_b32 v0, 1\ns_cbranch_join s8");
            assert_int_equal(ez_wave_sgpr(w, 20), cases[i].order);
            for (unsigned n = 0; n < 64; n++) assert_int_equal(lane(w, 0, n), cases[i].mask >> n & 1 ? 1 : 2);
            if (cases[i].first) { /* {EXEC, PC} of those that wait, and the depth that the path that fails saw */
                uint64_t waits = ez_wave_sgpr(w, 0) | (uint64_t)ez_wave_sgpr(w, 1) << 32;
                assert_true(waits == ~cases[i].first);
                assert_true(ez_wave_get(w, EZ_WAVE_EXEC) == waits);
                assert_int_equal(ez_wave_sgpr(w, 2), 0x1000 + (g ? 16u : 8u) + (cases[i].order == 0x21 ? 24u : 0u));
                assert_int_equal(ez_wave_sgpr(w, 9), cases[i].order == 0x21);
            }
            assert_int_equal(ez_wave_get(w, EZ_WAVE_MODE) >> 29, 0);
            ez_wave_destroy(w);
        }
}

static void exceptions_and_traps(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx900", 64);
    set_all(w, 1, 0);
    set_all(w, 2, 0x3f800000);
    run_text(w, "v_rcp_f32 v0, v1\ns_getreg_b32 s0, hwreg(HW_REG_TRAPSTS)\nv_clrexcp\ns_getreg_b32 s1, hwreg(HW_REG_TRAPSTS)");
    assert_int_equal(ez_wave_sgpr(w, 0), EZ_FLAG_DIVIDE_BY_ZERO);
    assert_int_equal(ez_wave_sgpr(w, 1), 0);
    assert_int_equal(stop_of_text(w, "s_rfe_b64 s[0:1]"), EZ_STOP_FAULT);
    assert_int_equal(ez_wave_fault_info(w)->kind, EZ_FAULT_ILLEGAL);
    assert_int_equal(stop_of_text(w, "s_rfe_restore_b64 s[0:1], s2"), EZ_STOP_FAULT);
    ez_wave_destroy(w);
    w = new_wave("gfx1010", 32);
    run_text(w, "s_get_waveid_in_workgroup s0");
    assert_int_equal(ez_wave_sgpr(w, 0), 0);
    assert_int_equal(run_until_stop(w, "00000000", 0), EZ_STOP_FAULT);
    assert_int_equal(ez_wave_fault_info(w)->kind, EZ_FAULT_ILLEGAL);
    ez_wave_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(named_barriers), cmocka_unit_test(skipped_vector_instructions),
                                       cmocka_unit_test(subvector_loops), cmocka_unit_test(messages), cmocka_unit_test(left_barriers), cmocka_unit_test(void_barriers),
                                       cmocka_unit_test(forks), cmocka_unit_test(exceptions_and_traps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
