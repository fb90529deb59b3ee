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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(named_barriers), cmocka_unit_test(skipped_vector_instructions),
                                       cmocka_unit_test(subvector_loops), cmocka_unit_test(messages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
