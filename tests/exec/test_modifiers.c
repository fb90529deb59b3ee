/* SPDX-License-Identifier: Apache-2.0 */
/* Modifiers of vector instructions: DPP, halves, omod, op_sel, clamp. Bytes as llvm-mc 22 has them, with its text beside. */
#include "harness.h"

#include <stdio.h>


enum { OLD = 1000 }; /* what v0 holds before; v1 holds its lane's number */

typedef struct dpp_case {
    const char *target;
    unsigned lanes;
    const char *hex, *text;
    uint64_t exec; /* 0: all */
    int expected[16]; /* of lanes 0 to 15; OLD: not written */
    int lane_16, lane_last;
} dpp_case;

static const dpp_case dpp_cases[] = {
    {"gfx900", 64, "fa02007e011b00ff", "v_mov_b32_dpp v0, v1 quad_perm:[3,2,1,0]", 0,
     {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12}, 19, 60},
    {"gfx900", 64, "fa02007e010101ff", "v_mov_b32_dpp v0, v1 row_shl:1", 0, /* lane 15 has no source */
     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, OLD}, 17, OLD},
    {"gfx1030", 32, "fa02007e010101ff", "v_mov_b32_dpp v0, v1 row_shl:1", 0,
     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, OLD}, 17, OLD},
    {"gfx900", 64, "fa02007e011209ff", "v_mov_b32_dpp v0, v1 row_shr:2 bound_ctrl:0", 0, /* 0 for no source */
     {0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, 0, 61},
    {"gfx1100", 64, "fa02007e012301ff", "v_mov_b32_dpp v0, v1 row_ror:3", 0,
     {13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 29, 60},
    {"gfx900", 64, "fa02007e013001ff", "v_mov_b32_dpp v0, v1 wave_shl:1", 0,
     {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, 17, OLD},
    {"gfx900", 64, "fa02007e013c01ff", "v_mov_b32_dpp v0, v1 wave_ror:1", 0,
     {63, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, 15, 62},
    {"gfx900", 64, "fa02007e014201ff", "v_mov_b32_dpp v0, v1 row_bcast:15", 0, /* row 0 has no row before it */
     {OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD}, 15, 47},
    {"gfx900", 64, "fa02007e014301ff", "v_mov_b32_dpp v0, v1 row_bcast:31", 0,
     {OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD, OLD}, OLD, 31},
    {"gfx1030", 32, "fa02007e014001ff", "v_mov_b32_dpp v0, v1 row_mirror", 0,
     {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, 31, 16},
    {"gfx1030", 32, "fa02007e014101ff", "v_mov_b32_dpp v0, v1 row_half_mirror", 0,
     {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8}, 23, 24},
    {"gfx1030", 32, "fa02007e015501ff", "v_mov_b32_dpp v0, v1 row_share:5", 0,
     {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5}, 21, 21},
    {"gfx1030", 32, "fa02007e016601ff", "v_mov_b32_dpp v0, v1 row_xmask:6", 0,
     {6, 7, 4, 5, 2, 3, 0, 1, 14, 15, 12, 13, 10, 11, 8, 9}, 22, 25},
    {"gfx90a", 64, "fa02007e015701ff", "v_mov_b32_dpp v0, v1 row_newbcast:7", 0,
     {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}, 23, 55},
    {"gfx1030", 32, "fa02007e01e40015", "v_mov_b32_dpp v0, v1 quad_perm:[0,1,2,3] row_mask:0x1 bank_mask:0x5", 0,
     {0, 1, 2, 3, OLD, OLD, OLD, OLD, 8, 9, 10, 11, OLD, OLD, OLD, OLD}, OLD, OLD},
    /* lane 1 is not active: its value cannot be read, and it is not written */
    {"gfx1030", 32, "fa02007e01b100ff", "v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2]", 0xfffffffd,
     {OLD, OLD, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14}, 17, 30},
    {"gfx1030", 32, "fa02007e01b108ff", "v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] bound_ctrl:0", 0xfffffffd,
     {0, OLD, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14}, 17, 30},
    {"gfx1030", 32, "fa02007e01b104ff", "v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] fi:1", 0xfffffffd,
     {1, OLD, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14}, 17, 30},
    {"gfx1030", 32, "e902007e01773905", "v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0]", 0xfffffffd,
     {7, OLD, 5, 4, 3, 2, 0, 0, 15, 14, 13, 12, 11, 10, 9, 8}, 23, 24},
    {"gfx1030", 32, "ea02007e01773905", "v_mov_b32_dpp v0, v1 dpp8:[7,6,5,4,3,2,1,0] fi:1", 0xfffffffd,
     {7, OLD, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8}, 23, 24},
};

static void expect(const dpp_case *c, const ez_wave *w, unsigned n, int expected) {
    if (lane(w, 0, n) != (uint32_t)expected)
        print_error("%s %s: lane %u is %u, expected %d\n", c->target, c->text, n, (unsigned)lane(w, 0, n), expected);
    assert_int_equal(lane(w, 0, n), expected);
}

static void dpp(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof dpp_cases / sizeof *dpp_cases; i++) {
        const dpp_case *c = &dpp_cases[i];
        ez_wave *w = new_wave(c->target, c->lanes);
        set_all(w, 0, OLD);
        for (unsigned n = 0; n < c->lanes; n++) ez_wave_set_vgpr(w, 1, n, n);
        if (c->exec) ez_wave_set(w, EZ_WAVE_EXEC, c->exec);
        run(w, c->hex);
        for (unsigned n = 0; n < 16; n++) expect(c, w, n, c->expected[n]);
        expect(c, w, 16, c->lane_16);
        expect(c, w, c->lanes - 1, c->lane_last);
        ez_wave_destroy(w);
    }
}

/* Instructions on v0, v1, v2 and s0 that change v0; modes as a kernel starts with, or IEEE off and denormals flushed. */
typedef struct value_case {
    const char *target, *hex, *text;
    uint32_t v0, v1, v2, s0;
    bool flushes; /* IEEE off, all denormals flushed: omod works */
    uint32_t expected;
} value_case;

static const value_case value_cases[] = {
    {"gfx900", "00408fd300e50108", "v_pk_add_f16 v0, v0, 1.0 op_sel_hi:[1,0]", 0x40003c00, 0, 0, 0, false, 0x42004000},
    {"gfx1030", "00400fcc00e50108", "v_pk_add_f16 v0, v0, 1.0 op_sel_hi:[1,0]", 0x40003c00, 0, 0, 0, false, 0x42004000},
    {"gfx900", "004091d300e50108", "v_pk_min_f16 v0, v0, 1.0 op_sel_hi:[1,0]", 0x40004000, 0, 0, 0, false, 0x3c003c00},
    {"gfx1030", "004011cc00e50108", "v_pk_min_f16 v0, v0, 1.0 op_sel_hi:[1,0]", 0x40004000, 0, 0, 0, false, 0x3c003c00},
    {"gfx1030", "0105005e", "v_cvt_pkrtz_f16_f32 v0, v1, v2", 0, 0x4788b800, 0x39587fff, 0, false, 0x0ac37bff},
    {"gfx1030", "0105005e", "v_cvt_pkrtz_f16_f32 v0, v1, v2", 0, 0x39588000, 0x3fcccccd, 0, false, 0x3e660ac4},
    {"gfx1030", "008027d5ff0202007e000000", "v_subrev_nc_u32_e64 v0, 0x7e, v1 clamp", 0, 127, 0, 0, false, 1},
    {"gfx1100", "008027d5ff0202007e000000", "v_subrev_nc_u32_e64 v0, 0x7e, v1 clamp", 0, 120, 0, 0, false, 0},
    {"gfx1030", "004003d703090100", "v_add_nc_u16 v0, v3, 4 op_sel:[0,0,1]", 0x12345678, 0, 0, 0, false, 0x00045678},
    {"gfx1100", "01050175", "v_min_f16 v0.h, v1.l, v2.h", 0xaaaabbbb, 0x77774000, 0x3c007777, 0, false, 0x3c00bbbb},
    {"gfx1100", "00513ad501050240", "v_min_f16 v0.h, |v1.l|, -v2.h", 0xaaaabbbb, 0xc000, 0xbc000000, 0, false, 0x3c00bbbb},
    {"gfx1030", "000003d501050208", "v_add_f32_e64 v0, v1, v2 mul:2", 0, 0x3f800000, 0x40000000, 0, true, 0x40c00000},
    {"gfx1030", "000003d501050218", "v_add_f32_e64 v0, v1, v2 div:2", 0, 0x3f800000, 0x40000000, 0, true, 0x3fc00000},
    {"gfx1030", "000003d501050208", "v_add_f32_e64 v0, v1, v2 mul:2", 0, 0x80000000, 0x80000000, 0, true, 0}, /* not -0 */
    {"gfx1030", "000003d501050208", "v_add_f32_e64 v0, v1, v2 mul:2", 0, 0x3f800000, 0x40000000, 0, false, 0x40400000},
    {"gfx1030", "00003ad501050210", "v_min_f16_e64 v0, v1, v2 mul:4", 0, 0x3c00, 0x4000, 0, true, 0x4400},
    {"gfx1030", "00003ad501ff010000420000", "v_min_f16_e64 v0, v1, 0x4200", 0, 0x4400, 0, 0, false, 0x4200},
    {"gfx1030", "ff02007400420000", "v_min_f16 v0, 0x4200, v1", 0, 0x4400, 0, 0, false, 0x4200},
    {"gfx1030", "7d020074", "v_min_f16 v0, null, v1", 0, 0x4400, 0, 0, false, 0},
};

static void values(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof value_cases / sizeof *value_cases; i++) {
        const value_case *c = &value_cases[i];
        ez_wave *w = new_wave(c->target, 0);
        set_all(w, 0, c->v0);
        set_all(w, 1, c->v1);
        set_all(w, 2, c->v2);
        ez_wave_set_sgpr(w, 0, c->s0);
        if (c->flushes) {
            ez_wave_set(w, EZ_WAVE_IEEE, 0);
            ez_wave_set(w, EZ_WAVE_DENORM32, 0);
            ez_wave_set(w, EZ_WAVE_DENORM16_64, 0);
        }
        run(w, c->hex);
        if (lane(w, 0, 0) != c->expected)
            print_error("%s %s: %08x, expected %08x\n", c->target, c->text, (unsigned)lane(w, 0, 0), (unsigned)c->expected);
        assert_int_equal(lane(w, 0, 0), c->expected);
        ez_wave_destroy(w);
    }
}

/* A NaN makes the median a minimum; the upper half is kept. */
static void median(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx1030", 32);
    static const uint32_t cases[][2] = {{0x7e001234, 0xaaaa0000}, {0x38001234, 0xaaaa3800}};
    for (size_t i = 0; i < 2; i++) {
        set_all(w, 3, 0xaaaabbbb);
        set_all(w, 5, cases[i][0]);
        run(w, "031057d7f20a0202"); /* v_med3_f16 v3, 1.0, v5, 0 op_sel:[0,1,0,0] */
        assert_int_equal(lane(w, 3, 0), cases[i][1]);
    }
    ez_wave_destroy(w);
}

static void high_half_of_scalar(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx1100", 32);
    ez_wave_set_sgpr(w, 0, 0x40003c00);
    set_all(w, 1, 0x4200);
    set_all(w, 2, 0);
    run(w, "020835d500020200"); /* v_mul_f16_e64 v2.l, s0, v1.l op_sel:[1,0,0] */
    assert_int_equal(lane(w, 2, 0), 0x4600);
    ez_wave_destroy(w);
}

static void scalar_half(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx1200", 32);
    ez_wave_set_sgpr(w, 1, 0x3c00);
    ez_wave_set_sgpr(w, 5, 0xffffffff);
    ez_wave_set(w, EZ_WAVE_EXEC, 0); /* does not matter */
    run(w, "050081d601000000"); /* v_s_exp_f16 s5, s1 */
    assert_int_equal(ez_wave_sgpr(w, 5), 0x4000);
    ez_wave_destroy(w);
}

/* Both halves of a dual instruction read before either writes. */
static void dual(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx1100", 32);
    set_all(w, 0, 7);
    set_all(w, 1, 9);
    run(w, "010110ca00010000"); /* v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v0 */
    assert_int_equal(lane(w, 0, 5), 9);
    assert_int_equal(lane(w, 1, 5), 7);
    ez_wave_destroy(w);
}

/* v_cmpx writes EXEC, up to GFX9 the mask as well. */
static void cmpx(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx900", 64);
    for (unsigned n = 0; n < 64; n++) ez_wave_set_vgpr(w, 1, n, n);
    set_all(w, 2, 60);
    run(w, "0105b87d"); /* v_cmpx_gt_u32 vcc, v1, v2 */
    assert_int_equal(ez_wave_get(w, EZ_WAVE_EXEC), UINT64_C(7) << 61);
    assert_int_equal(ez_wave_get(w, EZ_WAVE_VCC), UINT64_C(7) << 61);
    ez_wave_destroy(w);
    w = new_wave("gfx1030", 32);
    for (unsigned n = 0; n < 32; n++) ez_wave_set_vgpr(w, 1, n, n);
    set_all(w, 2, 30);
    run(w, "0105a87d"); /* v_cmpx_gt_u32 v1, v2 */
    assert_int_equal(ez_wave_get(w, EZ_WAVE_EXEC), 1u << 31);
    assert_int_equal(ez_wave_get(w, EZ_WAVE_VCC), 0);
    ez_wave_destroy(w);
}

static void index_mode(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx900", 64);
    set_all(w, 5, 55);
    set_all(w, 1, 11);
    ez_wave_set_sgpr(w, 0, 4);
    run(w, "000111bf0103007e00009cbf"); /* s_set_gpr_idx_on s0, gpr_idx(SRC0); v_mov_b32 v0, v1; s_set_gpr_idx_off */
    assert_int_equal(lane(w, 0, 3), 55);
    ez_wave_set_sgpr(w, 0, 255);
    assert_int_equal(run_until_stop(w, "000111bf0103007e", 0), EZ_STOP_FAULT);
    assert_int_equal(ez_wave_fault_info(w)->kind, EZ_FAULT_REGISTER);
    ez_wave_destroy(w);
}

static void control(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx900", 64);
    ez_wave_set_sgpr(w, 0, 10);
    /* s_add_u32 s1, s1, s0; s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 -4; s_endpgm */
    assert_int_equal(run_until_stop(w, "0100018000818080008007bffcff85bf000081bf", 0), EZ_STOP_END);
    ez_wave_destroy(w);
    w = new_wave("gfx900", 64);
    /* s_getpc_b64 s[4:5]; s_add_u32 s4, s4, 20; s_addc_u32 s5, s5, 0; s_swappc_b64 s[6:7], s[4:5]; s_mov_b32 s1, 2;
     * s_endpgm; s_mov_b32 s0, 1; s_setpc_b64 s[6:7] */
    assert_int_equal(run_until_stop(w, "001c84be0494048005800582041e86be820081be000081bf810080be061d80be", 0), EZ_STOP_END);
    assert_int_equal(ez_wave_sgpr(w, 0), 1);
    assert_int_equal(ez_wave_sgpr(w, 1), 2);
    ez_wave_destroy(w);
}

/* op_sel:[i,j] names the dword of S0 and that of S1; op_sel_hi means nothing. [CDNA3] V_PK_MOV_B32 */
static void packed_move(void **state) {
    (void)state;
    static const char *const how[] = {"", " op_sel:[1,0]", " op_sel:[0,1]", " op_sel:[1,1]", " op_sel:[1,0] op_sel_hi:[0,0]",
                                      " op_sel:[0,1] op_sel_hi:[0,0]"};
    static const unsigned bits[] = {0, 1, 2, 3, 1, 2};
    for (unsigned i = 0; i < sizeof how / sizeof *how; i++) {
        char text[80];
        snprintf(text, sizeof text, "v_pk_mov_b32 v[4:5], v[0:1], v[2:3]%s", how[i]);
        ez_wave *w = new_wave("gfx90a", 64);
        for (unsigned reg = 0; reg < 4; reg++) set_all(w, reg, 10 + reg);
        run_text(w, text);
        assert_int_equal(lane(w, 4, 63), 10 + (bits[i] & 1));
        assert_int_equal(lane(w, 5, 63), 12 + (bits[i] >> 1));
        ez_wave_destroy(w);
    }
}

static void limits_and_faults(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx900", 64);
    assert_int_equal(run_until_stop(w, "ffff82bf", 0), EZ_STOP_LIMIT); /* s_branch -1: for ever */
    assert_int_equal(run_until_stop(w, "ffffffff", 0), EZ_STOP_FAULT);
    assert_int_equal(ez_wave_fault_info(w)->kind, EZ_FAULT_ILLEGAL);
    assert_int_equal(ez_wave_fault_info(w)->pc, 0x1000);
    assert_int_equal(run_until_stop(w, "020092bf", 0), EZ_STOP_TRAP); /* s_trap 2 */
    assert_int_equal(ez_wave_fault_info(w)->value, 2);
    ez_wave_destroy(w);
}

/* A mask is what its register holds when it is read, whatever a compare or an addition gave before. */
static void masks_after_compares(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx900", 64);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 64; i++) ez_wave_set_vgpr(w, 0, i, i);
        set_all(w, 1, 100);
        set_all(w, 2, 200);
        run_text(w, "v_cndmask_b32 v3, v1, v2, vcc"); /* 0 at the start */
        for (unsigned i = 0; i < 64; i++) assert_int_equal(lane(w, 3, i), 100);
        run_text(w, "v_cmp_gt_u32 vcc, 32, v0\nv_cndmask_b32 v3, v1, v2, vcc\ns_mov_b64 vcc, 5\nv_cndmask_b32 v4, v1, v2, vcc\n"
                    "v_cmp_lt_u32 s[2:3], 60, v0\nv_cndmask_b32 v5, v1, v2, vcc\nv_cndmask_b32 v6, v1, v2, s[2:3]\n"
                    "v_add_co_u32 v7, vcc, -1, v0\nv_addc_co_u32 v8, vcc, v0, v1, vcc\nv_addc_co_u32 v9, s[4:5], v0, v1, s[2:3]");
        for (unsigned i = 0; i < 64; i++) {
            assert_int_equal(lane(w, 3, i), i < 32 ? 200 : 100);
            assert_int_equal(lane(w, 4, i), i == 0 || i == 2 ? 200 : 100);
            assert_int_equal(lane(w, 5, i), i == 0 || i == 2 ? 200 : 100);
            assert_int_equal(lane(w, 6, i), i > 60 ? 200 : 100);
            assert_int_equal(lane(w, 8, i), i + 100 + (i != 0));
            assert_int_equal(lane(w, 9, i), i + 100 + (i > 60));
        }
        ez_wave_set(w, EZ_WAVE_EXEC, 0xff);
        run_text(w, "v_cmp_gt_u32 vcc, 32, v0\ns_mov_b64 exec, -1\nv_cndmask_b32 v3, v1, v2, vcc");
        for (unsigned i = 0; i < 64; i++) assert_int_equal(lane(w, 3, i), i < 8 ? 200 : 100);
        ez_wave_reset(w);
    }
    ez_wave_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_after_compares),
        cmocka_unit_test(dpp),         cmocka_unit_test(values), cmocka_unit_test(median),
        cmocka_unit_test(high_half_of_scalar), cmocka_unit_test(scalar_half), cmocka_unit_test(dual),
        cmocka_unit_test(cmpx),        cmocka_unit_test(index_mode), cmocka_unit_test(control),
        cmocka_unit_test(limits_and_faults), cmocka_unit_test(packed_move)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
