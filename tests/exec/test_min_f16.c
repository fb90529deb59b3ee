/* SPDX-License-Identifier: Apache-2.0 */
/* v_min_f16 and its like: values, modes, modifiers. Bytes as llvm-mc 22 has them. */
#include "harness.h"

/* One lane's result of an instruction on v1 and v2, the old v0 being `old`. */
static uint32_t value(const char *target, const char *hex, uint32_t a, uint32_t b, uint32_t old, int ieee) {
    ez_wave *w = new_wave(target, 0);
    set_all(w, 0, old);
    set_all(w, 1, a);
    set_all(w, 2, b);
    if (ieee >= 0) assert_true(ez_wave_set(w, EZ_WAVE_IEEE, (uint64_t)ieee));
    run(w, hex);
    uint32_t r = lane(w, 0, 0);
    for (unsigned i = 1; i < ez_wave_lanes(w); i++) assert_int_equal(lane(w, 0, i), r);
    ez_wave_destroy(w);
    return r;
}

/* v_min_f16 v0, v1, v2 up to GFX9; from GFX10 on; v_min_num_f16 */
#define MIN_GFX8 "0105005a"
#define MIN_GFX9 "0105005c"
#define MIN_GFX10 "01050074"
#define MIN_GFX12 "01050060"

static void nans_and_zeros(void **state) {
    (void)state;
    static const struct {
        uint32_t a, b, ieee1, ieee0, num;
    } rows[] = {{0x7c01, 0x3c00, 0x7e01, 0x3c00, 0x3c00},
                {0x7e00, 0x3c00, 0x3c00, 0x3c00, 0x3c00},
                {0x8000, 0x0000, 0x8000, 0x8000, 0x8000},
                {0x0000, 0x8000, 0x8000, 0x8000, 0x8000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t a = rows[i].a, b = rows[i].b;
        assert_int_equal(value("gfx900", MIN_GFX9, a, b, 0, 1), rows[i].ieee1);
        assert_int_equal(value("gfx900", MIN_GFX9, a, b, 0, 0), rows[i].ieee0);
        assert_int_equal(value("gfx1030", MIN_GFX10, a, b, 0, 1), rows[i].ieee1);
        assert_int_equal(value("gfx1030", MIN_GFX10, a, b, 0, 0), rows[i].ieee0);
        assert_int_equal(value("gfx1100", MIN_GFX10, a, b, 0, 1), rows[i].ieee1);
        assert_int_equal(value("gfx1200", MIN_GFX12, a, b, 0, -1), rows[i].num);
    }
}

/* Of two NaNs GFX8 to GFX10 return the second, RDNA 3 the first, RDNA 4 the first made quiet. */
static void two_nans(void **state) {
    (void)state;
    assert_int_equal(value("gfx900", MIN_GFX9, 0x7e01, 0x7e02, 0, 1), 0x7e02);
    assert_int_equal(value("gfx942", MIN_GFX9, 0x7e01, 0x7e02, 0, 1), 0x7e02);
    assert_int_equal(value("gfx1030", MIN_GFX10, 0x7e01, 0x7e02, 0, 1), 0x7e02);
    assert_int_equal(value("gfx1100", MIN_GFX10, 0x7e01, 0x7e02, 0, 1), 0x7e01);
    assert_int_equal(value("gfx1150", MIN_GFX10, 0x7e01, 0x7e02, 0, 1), 0x7e01);
    assert_int_equal(value("gfx1200", MIN_GFX12, 0x7c01, 0x7e02, 0, -1), 0x7e01);
}

/* The other half is cleared up to GFX9 and kept from GFX10 on. */
static void upper_half(void **state) {
    (void)state;
    assert_int_equal(value("gfx900", MIN_GFX9, 0x3c00, 0x4000, 0xdeadbeef, 1), 0x3c00);
    assert_int_equal(value("gfx1030", MIN_GFX10, 0x3c00, 0x4000, 0xdeadbeef, 1), 0xdead3c00);
}

static void sdwa_merge(void **state) {
    (void)state;
    const char *min = "f904005c01150405"; /* dst_sel:WORD_1 UNUSED_PRESERVE src0_sel:WORD_0 src1_sel:WORD_1 */
    assert_int_equal(value("gfx900", min, 0x12343e00, 0xc0005678, 0xdeadbeef, 1), 0xc000beef);
    assert_int_equal(value("gfx900", "f904003e01150405", 0x12343e00, 0xc0005678, 0xdeadbeef, 1), 0xb800beef);
}

static void clamp_of_nan(void **state) {
    (void)state;
    const char *add = "008032d501050200"; /* v_add_f16_e64 v0, v1, v2 clamp */
    ez_wave *w = new_wave("gfx1030", 32);
    set_all(w, 1, 0x7e00);
    set_all(w, 2, 0x3c00);
    run(w, add);
    assert_int_equal(lane(w, 0, 0), 0);
    ez_wave_set(w, EZ_WAVE_DX10_CLAMP, 0);
    run(w, add);
    assert_int_equal(lane(w, 0, 0), 0x7e00);
    ez_wave_destroy(w);
    assert_int_equal(value("gfx900", "00801fd101050200", 0x4000, 0x4000, 0, 1), 0x3c00);
    assert_int_equal(value("gfx900", "00801fd101050200", 0xbc00, 0, 0, 1), 0);
}

static void inactive_lanes(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx1100", 32);
    set_all(w, 0, 0xaaaaaaaa);
    set_all(w, 1, 0x3c00);
    set_all(w, 2, 0x4000);
    ez_wave_set(w, EZ_WAVE_EXEC, 0x5);
    run(w, MIN_GFX10);
    assert_int_equal(lane(w, 0, 0), 0xaaaa3c00);
    assert_int_equal(lane(w, 0, 1), 0xaaaaaaaa);
    assert_int_equal(lane(w, 0, 2), 0xaaaa3c00);
    ez_wave_destroy(w);
}

static void flags(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx1030", 32);
    set_all(w, 1, 0x7c01);
    set_all(w, 2, 0x3c00);
    run(w, MIN_GFX10);
    assert_int_equal(ez_wave_get(w, EZ_WAVE_FLAGS), 0);
    run_flags(w, MIN_GFX10);
    assert_int_equal(ez_wave_get(w, EZ_WAVE_FLAGS), EZ_FLAG_INVALID);
    ez_wave_set(w, EZ_WAVE_FLAGS, 0);
    set_all(w, 1, 0x0001);
    run(w, MIN_GFX10 "03f80fb9"); /* s_getreg_b32 s15, hwreg(HW_REG_TRAPSTS): flags are kept without asking */
    assert_int_equal(ez_wave_get(w, EZ_WAVE_FLAGS), EZ_FLAG_INPUT_DENORMAL);
    ez_wave_destroy(w);
}

static void rows_at_once(void **state) {
    (void)state;
    uint32_t rows[2 * 32] = {0};
    ez_wave *w = new_wave("gfx1030", 32);
    ez_wave_set_vgpr(w, 254, 31, 5);
    ez_wave_set_vgpr(w, 255, 1, 6);
    assert_true(ez_wave_vgprs(w, 254, 2, rows));
    assert_int_equal(rows[31], 5);
    assert_int_equal(rows[32 + 1], 6);
    assert_int_equal(rows[0], 0);
    assert_false(ez_wave_vgprs(w, 255, 2, rows));
    assert_false(ez_wave_vgprs(w, 256, 1, rows));
    assert_false(ez_wave_vgprs(w, 1, UINT32_MAX, rows));
    ez_wave_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nans_and_zeros), cmocka_unit_test(two_nans),       cmocka_unit_test(upper_half),
        cmocka_unit_test(sdwa_merge),     cmocka_unit_test(clamp_of_nan),   cmocka_unit_test(inactive_lanes),
        cmocka_unit_test(flags),          cmocka_unit_test(rows_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
