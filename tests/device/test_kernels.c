/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels as clang makes them (kernels.cl) on every target, without and with optimisation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "execz/device.h"
#include "execz/inst.h"
#include "files.h"

static const char *const targets[] = {"gfx803",  "gfx900",  "gfx906",  "gfx908",  "gfx90a",
                                      "gfx942",  "gfx950",  "gfx1010", "gfx1030", "gfx1100",
                                      "gfx1150", "gfx1200", "gfx1201", "gfx1250"};
enum { TARGETS = sizeof targets / sizeof *targets };

typedef struct world {
    ez_object *object;
    ez_device *device;
    ez_module *module;
    const char *target;
    int level;
    ez_error err;
} world;

static uint32_t random_of(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void *buffer(world *w, size_t size, const char *label) {
    void *p;
    assert_int_equal(ez_device_allocate(w->device, size, 0, label, &p, &w->err), EZ_OK);
    return p;
}

/* Runs a kernel; false, with a message, when it does not come to its end. */
static bool run(world *w, const char *name, ez_dispatch d, const void *kernarg, size_t size) {
    ez_result result;
    d.module = w->module;
    d.kernarg = kernarg;
    d.kernarg_size = size;
    d.max_instructions = 50 * 1000 * 1000;
    ez_status status = ez_object_find_kernel(w->object, name, &d.kernel, &w->err);
    if (status == EZ_OK) status = ez_dispatch_run(w->device, &d, &result, &w->err);
    if (status == EZ_OK) return true;
    ez_inst inst;
    const char *text = "";
    if (result.fault.byte_count && ez_decode(ez_device_target(w->device), 0, result.fault.bytes, result.fault.byte_count, &inst) == EZ_OK)
        text = ez_inst_name(&inst);
    print_error("%s -O%d %s: %s %s at %#llx\n", w->target, w->level, name, w->err.message, text,
                (unsigned long long)result.fault.code_offset);
    return false;
}

static unsigned complain(world *w, const char *name, uint32_t index, uint32_t got, uint32_t want) {
    print_error("%s -O%d %s: element %u is %#x, should be %#x\n", w->target, w->level, name, index, got, want);
    return 1;
}

/* fmin of OpenCL C: of a NaN and a number the number. Signalling NaNs are left out. */
static uint16_t fmin16(uint16_t a, uint16_t b) {
    bool nan_a = (a & 0x7fff) > 0x7c00, nan_b = (b & 0x7fff) > 0x7c00;
    if (nan_a || nan_b) return nan_a ? b : a;
    int key_a = a & 0x8000 ? -(a & 0x7fff) - 1 : a, key_b = b & 0x8000 ? -(b & 0x7fff) - 1 : b;
    return key_a < key_b ? a : b;
}

static unsigned run_min(world *w) {
    enum { N = 1000 }; /* neither a multiple of the block nor of a wave */
    struct {
        uint16_t *a, *b, *out;
        uint32_t n;
    } arg = {buffer(w, 2 * N, "a"), buffer(w, 2 * N, "b"), buffer(w, 2 * N, "out"), N - 3};
    uint32_t seed = 1;
    for (int i = 0; i < N; i++) {
        arg.a[i] = (uint16_t)random_of(&seed);
        arg.b[i] = i % 16 ? (uint16_t)random_of(&seed) : 0x7e00;
        if ((arg.a[i] & 0x7fff) > 0x7c00) arg.a[i] |= 0x200;
        if ((arg.b[i] & 0x7fff) > 0x7c00) arg.b[i] |= 0x200;
    }
    if (!run(w, "min_f16", (ez_dispatch){.grid = {N}, .block = {96}}, &arg, 28)) return 1;
    for (uint32_t i = 0; i < N; i++) {
        uint16_t want = i < arg.n ? fmin16(arg.a[i], arg.b[i]) : 0;
        bool nans = (arg.a[i] & 0x7fff) > 0x7c00 && (arg.b[i] & 0x7fff) > 0x7c00 && i < arg.n;
        if (nans ? (arg.out[i] & 0x7fff) <= 0x7c00 : arg.out[i] != want)
            return complain(w, "min_f16", i, arg.out[i], want);
    }
    return 0;
}

static unsigned run_where(world *w) {
    enum { X = 21, Y = 6, Z = 3, BX = 8, BY = 4, BZ = 2 };
    uint32_t *out = buffer(w, 4 * 8 * X * Y * Z, "out");
    struct {
        uint32_t *out;
    } arg = {out};
    if (!run(w, "where", (ez_dispatch){.grid = {X, Y, Z}, .block = {BX, BY, BZ}}, &arg, sizeof arg)) return 1;
    for (uint32_t z = 0; z < Z; z++)
        for (uint32_t y = 0; y < Y; y++)
            for (uint32_t x = 0; x < X; x++) {
                uint32_t lx = X - x / BX * BX < BX ? X % BX : BX, ly = Y - y / BY * BY < BY ? Y % BY : BY;
                uint32_t lz = Z - z / BZ * BZ < BZ ? Z % BZ : BZ;
                uint32_t want[8] = {x % BX | y % BY << 8 | z % BZ << 16, x / BX | y / BY << 8 | z / BZ << 16,
                                    lx | ly << 8 | lz << 16, (X + BX - 1) / BX | (Y + BY - 1) / BY << 8 | (Z + BZ - 1) / BZ << 16,
                                    x, y, z, 3};
                uint32_t i = x + X * (y + Y * z);
                for (uint32_t k = 0; k < 8; k++)
                    /* libclc takes local sizes from the packet: full ones in partial workgroups too */
                    if (out[8 * i + k] != want[k] && !(k == 2 && out[8 * i + k] == (BX | BY << 8 | BZ << 16)))
                        return complain(w, "where", 8 * i + k, out[8 * i + k], want[k]);
            }
    return 0;
}

static unsigned run_reverse(world *w) {
    enum { N = 960, BLOCK = 192 };
    struct {
        uint32_t *in, *out;
        uint32_t tile;
    } arg = {buffer(w, 4 * N, "in"), buffer(w, 4 * N, "out"), 0};
    for (uint32_t i = 0; i < N; i++)
        arg.in[i] = i * 2654435761u;
    if (!run(w, "reverse", (ez_dispatch){.grid = {N}, .block = {BLOCK}, .dynamic_lds = 4 * BLOCK}, &arg, 20)) return 1;
    for (uint32_t i = 0; i < N; i++) {
        uint32_t want = arg.in[i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK];
        if (arg.out[i] != want) return complain(w, "reverse", i, arg.out[i], want);
    }
    return 0;
}

static unsigned run_generic(world *w) {
    enum { N = 256, BLOCK = 64 };
    struct {
        uint32_t *in, *out;
    } arg = {buffer(w, 4 * N, "in"), buffer(w, 4 * N, "out")};
    for (uint32_t i = 0; i < N; i++)
        arg.in[i] = i * 40503u;
    if (!run(w, "by_generic", (ez_dispatch){.grid = {N}, .block = {BLOCK}}, &arg, sizeof arg)) return 1;
    for (uint32_t i = 0; i < N; i++) {
        uint32_t want = 63 * 64 / 2;
        for (uint32_t k = 0; k < 8; k++)
            want += arg.in[(i + k) & 255];
        if (arg.out[i] != want) return complain(w, "by_generic", i, arg.out[i], want);
    }
    return 0;
}

static unsigned run_count(world *w) {
    enum { N = 1500 };
    struct {
        uint32_t *total, *order;
    } arg = {buffer(w, 4, "total"), buffer(w, 4 * N, "order")};
    uint8_t seen[N] = {0};
    if (!run(w, "count", (ez_dispatch){.grid = {N}, .block = {64}, .threads = 3}, &arg, sizeof arg)) return 1;
    if (*arg.total != N) return complain(w, "count", 0, *arg.total, N);
    for (uint32_t i = 0; i < N; i++)
        if (arg.order[i] >= N || seen[arg.order[i]]++) return complain(w, "count", i, arg.order[i], i);
    return 0;
}

static unsigned run_target(const char *target, int level, unsigned (*kernel)(world *)) {
    char path[256];
    size_t size;
    world w = {.target = target, .level = level};
    snprintf(path, sizeof path, "%s/%s.O%d.hsaco", DEVICE_KERNELS, target, level);
    uint8_t *bytes = read_file(path, &size);
    if (!bytes) {
        print_message("skipped: clang-22 and libclc-22 were not there when the tests were built\n");
        skip();
    }
    assert_int_equal(ez_object_open_memory(bytes, size, &w.object, &w.err), EZ_OK);
    assert_int_equal(ez_device_create(ez_target_find(target), &w.device, &w.err), EZ_OK);
    assert_int_equal(ez_module_load(w.device, w.object, &w.module, &w.err), EZ_OK);
    unsigned bad = kernel(&w);
    ez_device_destroy(w.device);
    ez_object_close(w.object);
    free(bytes);
    return bad;
}

static void on_all(unsigned (*kernel)(world *)) {
    unsigned bad = 0;
    for (unsigned t = 0; t < TARGETS; t++)
        for (int level = 0; level <= 2; level += 2)
            bad += run_target(targets[t], level, kernel);
    assert_int_equal(bad, 0);
}

static void test_min(void **state) { (void)state; on_all(run_min); }
static void test_where(void **state) { (void)state; on_all(run_where); }
static void test_reverse(void **state) { (void)state; on_all(run_reverse); }
static void test_generic(void **state) { (void)state; on_all(run_generic); }
static void test_count(void **state) { (void)state; on_all(run_count); }

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_min), cmocka_unit_test(test_where),
                                       cmocka_unit_test(test_reverse), cmocka_unit_test(test_generic),
                                       cmocka_unit_test(test_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
