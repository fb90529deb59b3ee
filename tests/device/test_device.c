/* SPDX-License-Identifier: Apache-2.0 */
/* Memory ranges, modules, and what becomes of kernels that go astray (faults.s). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "execz/device.h"
#include "execz/exec.h"
#include "files.h"

static ez_error err;

/* ---- ranges ---- */

static void test_ranges(void **state) {
    (void)state;
    ez_device *d;
    void *a, *b, *empty;
    ez_range r;
    int64_t distance;
    assert_int_equal(ez_device_create(ez_target_find("gfx900"), &d, &err), EZ_OK);
    assert_false(ez_device_nearest(d, 1000, &r, &distance));
    assert_int_equal(ez_device_allocate(d, 100, 0, "a", &a, &err), EZ_OK);
    assert_int_equal(ez_device_allocate(d, 1 << 20, 4096, "b", &b, &err), EZ_OK);
    assert_int_equal(ez_device_allocate(d, 0, 0, "empty", &empty, &err), EZ_OK);
    assert_int_equal((uintptr_t)a % 256, 0);
    assert_int_equal((uintptr_t)b % 4096, 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(((uint8_t *)a)[i], 0);
    assert_true(ez_device_nearest(d, (uintptr_t)a + 99, &r, &distance));
    assert_string_equal(r.label, "a");
    assert_int_equal(distance, 0);
    assert_true(ez_device_nearest(d, (uintptr_t)a + 100, &r, &distance));
    assert_string_equal(r.label, "a");
    assert_int_equal(distance, 1);
    assert_true(ez_device_nearest(d, (uintptr_t)b - 8, &r, &distance));
    assert_string_equal(r.label, "b");
    assert_int_equal(distance, -8);
    assert_int_equal(ez_device_allocate(d, UINT64_MAX, 0, "huge", &a, &err), EZ_ERR_NOMEM);
    assert_int_equal(ez_device_allocate(d, 1, 3, "odd", &a, &err), EZ_ERR_ARGUMENT);
    assert_int_equal(ez_device_free(d, (uint8_t *)b + 1), EZ_ERR_ARGUMENT);
    assert_int_equal(ez_device_free(d, b), EZ_OK);
    assert_int_equal(ez_device_free(d, b), EZ_ERR_ARGUMENT);
    assert_int_equal(ez_device_free(d, NULL), EZ_OK);
    ez_device_destroy(d);
}

static void test_register(void **state) {
    (void)state;
    ez_device *d;
    uint8_t host[64];
    assert_int_equal(ez_device_create(ez_target_find("gfx1100"), &d, &err), EZ_OK);
    assert_int_equal(ez_device_register(d, host, 64, EZ_MEMORY_READ, "host", &err), EZ_OK);
    assert_int_equal(ez_device_register(d, host + 63, 8, EZ_MEMORY_READ, "more", &err), EZ_ERR_ARGUMENT);
    assert_int_equal(ez_device_register(d, host, 0, EZ_MEMORY_READ, "none", &err), EZ_ERR_ARGUMENT);
    assert_int_equal(ez_device_free(d, host), EZ_ERR_ARGUMENT);
    assert_int_equal(ez_device_unregister(d, host + 1), EZ_ERR_NOT_FOUND);
    assert_int_equal(ez_device_unregister(d, host), EZ_OK);
    ez_device_destroy(d);
}

/* ---- kernels that fault ---- */

typedef struct world {
    uint8_t *bytes;
    size_t size;
    ez_object *object;
    ez_device *device;
    ez_module *module;
    uint8_t *buffer; /* 4096 bytes */
    ez_result result;
} world;

static int open_world(void **state) {
    world *w = calloc(1, sizeof *w);
    void *buffer;
    *state = w;
    w->bytes = read_file(DEVICE_KERNELS "/faults.hsaco", &w->size);
    if (!w->bytes) return 0; /* no tools to make it: the tests are skipped */
    if (ez_object_open_memory(w->bytes, w->size, &w->object, &err) ||
        ez_device_create(ez_object_target(w->object), &w->device, &err) ||
        ez_module_load(w->device, w->object, &w->module, &err) ||
        ez_device_allocate(w->device, 4096, 0, "the buffer", &buffer, &err))
    {
        print_error("%s\n", err.message);
        return -1;
    }
    w->buffer = buffer;
    return 0;
}

static int close_world(void **state) {
    world *w = *state;
    ez_device_destroy(w->device);
    ez_object_close(w->object);
    free(w->bytes);
    free(w);
    return 0;
}

static ez_status run(world *w, const char *kernel, uint64_t argument, ez_dispatch d) {
    if (!w->bytes) {
        print_message("skipped: llvm-mc-22 and ld.lld-22 were not there when the tests were built\n");
        skip();
    }
    uint64_t kernarg[2] = {argument, 0};
    d.module = w->module;
    assert_int_equal(ez_object_find_kernel(w->object, kernel, &d.kernel, &err), EZ_OK);
    if (!d.kernarg_size) {
        d.kernarg = kernarg;
        d.kernarg_size = sizeof kernarg;
    }
    return ez_dispatch_run(w->device, &d, &w->result, &err);
}

static const ez_fault_report *expect_fault(world *w, const char *kernel, uint64_t argument, unsigned kind) {
    const ez_fault_report *f = &w->result.fault;
    assert_int_equal(run(w, kernel, argument, (ez_dispatch){.grid = {256, 2}, .block = {64, 2}}), EZ_ERR_FAULT);
    assert_int_equal(w->result.outcome, EZ_OUTCOME_FAULT);
    assert_int_equal(f->kind, kind);
    assert_string_equal(f->kernel, kernel);
    assert_true(f->message[0] && err.message[0]);
    return f;
}

static void test_wild_store(void **state) {
    world *w = *state;
    /* the last work-item of each row of 64 is just behind the buffer */
    const ez_fault_report *f =
        expect_fault(w, "wild_store", (uintptr_t)w->buffer + 4096 - 66, EZ_FAULT_MEMORY);
    assert_int_equal(f->lane, 63);
    assert_int_equal(f->work_item[0], 63);
    assert_int_equal(f->address, (uintptr_t)w->buffer + 4096 - 3);
    assert_int_equal(f->access, EZ_MEMORY_WRITE);
    assert_int_equal(f->size, 4);
    assert_true(f->has_nearest);
    assert_string_equal(f->nearest.label, "the buffer");
    assert_int_equal(f->distance, 0); /* begins inside, ends outside */
    assert_int_equal(f->byte_count, 8);
    for (int i = 0; i < 4096; i++)
        assert_int_equal(w->buffer[i], 0); /* no lane has stored */
}

static void test_wild_loads(void **state) {
    world *w = *state;
    const ez_fault_report *f = expect_fault(w, "wild_load", 0, EZ_FAULT_MEMORY);
    assert_int_equal(f->lane, 0);
    assert_false(f->has_nearest);
    f = expect_fault(w, "wild_load", UINT64_MAX - 2, EZ_FAULT_MEMORY);
    f = expect_fault(w, "wild_scalar", 0xdead0000, EZ_FAULT_MEMORY);
    assert_int_equal(f->lane, EZ_NO_LANE);
    assert_int_equal(f->access, EZ_MEMORY_READ);
    assert_int_equal(f->address, 0xdead0000);
}

/* Compilers load 8 dwords where the program reads 7, for no page ends between them. */
static void test_wide_scalar(void **state) {
    world *w = *state;
    void *seven, *more;
    uint32_t got[8];
    assert_int_equal(ez_device_allocate(w->device, 28, 256, "7 dwords", &seven, &err), EZ_OK);
    for (uint32_t i = 0; i < 7; i++)
        memcpy((uint8_t *)seven + 4 * i, &(uint32_t){i + 1}, 4);
    uint64_t kernarg[2] = {(uintptr_t)seven, (uintptr_t)w->buffer};
    ez_dispatch d = {.kernarg = kernarg, .kernarg_size = sizeof kernarg};
    assert_int_equal(run(w, "wide_scalar", 0, d), EZ_OK);
    memcpy(got, w->buffer, sizeof got);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(got[i], i + 1);
    assert_int_equal(got[7], 0);
    /* from one 64 bytes into the next the load might reach another page */
    assert_int_equal(ez_device_allocate(w->device, 80, 256, "20 dwords", &more, &err), EZ_OK);
    kernarg[0] = (uintptr_t)more + 52;
    assert_int_equal(run(w, "wide_scalar", 0, d), EZ_ERR_FAULT);
    assert_int_equal(w->result.fault.size, 32);
}

static void test_other_faults(void **state) {
    world *w = *state;
    const ez_fault_report *f = expect_fault(w, "wild_jump", 0x1234, EZ_FAULT_FETCH);
    f = expect_fault(w, "lds_overflow", 0, EZ_FAULT_MEMORY);
    assert_int_equal(f->address, 256);
    f = expect_fault(w, "scratch_overflow", 0, EZ_FAULT_MEMORY);
    assert_int_equal(f->address, 64);
    f = expect_fault(w, "unaligned_atomic", (uintptr_t)w->buffer, EZ_FAULT_ALIGNMENT);
    assert_int_equal(f->lane, 1);
    f = expect_fault(w, "illegal", 0, EZ_FAULT_ILLEGAL);
    f = expect_fault(w, "trapped", 0, EZ_FAULT_TRAP);
    f = expect_fault(w, "read_only", 0, EZ_FAULT_MEMORY);
    assert_string_equal(f->nearest.label, "code");
    assert_int_equal(run(w, "barrier", 0, (ez_dispatch){.grid = {1024}, .block = {1024}}), EZ_OK);
}

static void test_limits(void **state) {
    world *w = *state;
    ez_dispatch d = {.grid = {1 << 20}, .block = {64}, .max_instructions = 1000000};
    assert_int_equal(run(w, "endless", 0, d), EZ_ERR_LIMIT);
    assert_int_equal(w->result.outcome, EZ_OUTCOME_INSTRUCTIONS);
    assert_int_equal(w->result.instructions, 1000000);
    d.max_instructions = 0;
    d.timeout_ns = 50 * 1000 * 1000;
    assert_int_equal(run(w, "endless", 0, d), EZ_ERR_LIMIT);
    assert_int_equal(w->result.outcome, EZ_OUTCOME_TIMEOUT);
    assert_true(w->result.time_ns < 10u * 1000 * 1000 * 1000);
}

/* ---- global wave sync ---- */

/* Runs a kernel with 16 workgroups of one wave, whose counter must reach `count`. */
static const uint32_t *sixteen(world *w, const char *kernel, bool deterministic, uint32_t count) {
    uint32_t *counter = (uint32_t *)(void *)w->buffer;
    memset(w->buffer, 0, 4096);
    ez_dispatch one = {.grid = {1}}, all = {.grid = {16 * 64}, .block = {64}, .deterministic = deterministic};
    assert_int_equal(run(w, "gws_init", 0, one), EZ_OK);
    if (run(w, kernel, (uint64_t)(uintptr_t)counter, all) != EZ_OK) fail_msg("%s", err.message);
    assert_int_equal(counter[0], count);
    return counter + 1;
}

static void test_global_wave_sync(void **state) {
    static const char *const semaphores[] = {"gws_semaphore", "gws_release_15", "gws_release_all"};
    world *w = *state;
    for (unsigned i = 0; i < 40; i++) {
        const uint32_t *seen = sixteen(w, "gws_barrier", i & 1, 32);
        for (unsigned g = 0; g < 16; g++)
            assert_int_equal(seen[g], 32);
    }
    for (unsigned i = 0; i < 3; i++) /* on one thread workgroup 15 comes when all others wait */
        assert_int_equal(sixteen(w, semaphores[i], true, 15)[15], 0);
    for (unsigned i = 0; i < 40; i++)
        sixteen(w, semaphores[i & 1], false, 15);
}

/* A barrier for 16 that 15 come to. */
static void test_global_deadlock(void **state) {
    world *w = *state;
    ez_dispatch one = {.grid = {1}}, some = {.grid = {15 * 64}, .block = {64}};
    assert_int_equal(run(w, "gws_init", 0, one), EZ_OK);
    assert_int_equal(run(w, "gws_barrier", (uint64_t)(uintptr_t)w->buffer, some), EZ_ERR_FAULT);
    assert_int_equal(w->result.outcome, EZ_OUTCOME_DEADLOCK);
    assert_non_null(strstr(err.message, "waves wait for other workgroups"));
}

static void test_bad_sizes(void **state) {
    world *w = *state;
    uint8_t big[64] = {0};
    assert_int_equal(run(w, "barrier", 0, (ez_dispatch){.grid = {2048}, .block = {1025}}), EZ_ERR_ARGUMENT);
    assert_int_equal(run(w, "barrier", 0, (ez_dispatch){.grid = {1}, .block = {UINT32_MAX, UINT32_MAX, UINT32_MAX}}),
                     EZ_ERR_ARGUMENT);
    assert_int_equal(run(w, "barrier", 0, (ez_dispatch){.grid = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, .block = {1}}),
                     EZ_ERR_ARGUMENT);
    assert_int_equal(run(w, "barrier", 0, (ez_dispatch){.grid = {1}, .dynamic_lds = UINT32_MAX}), EZ_ERR_ARGUMENT);
    assert_int_equal(run(w, "barrier", 0, (ez_dispatch){.grid = {1}, .private_bytes = UINT32_MAX}), EZ_ERR_ARGUMENT);
    assert_int_equal(run(w, "barrier", 0, (ez_dispatch){.grid = {1}, .kernarg = big, .kernarg_size = 64}),
                     EZ_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "overflow"));
    ez_dispatch none = {.grid = {1}};
    assert_int_equal(ez_dispatch_run(w->device, &none, NULL, &err), EZ_ERR_ARGUMENT);
}

/* Writes a word of every kernel's descriptor, opens and runs what comes out of it. */
static void run_patched(world *w, unsigned word, uint32_t value) {
    uint8_t *copy = malloc(w->size);
    size_t count;
    const ez_kernel *kernels = ez_object_kernels(w->object, &count);
    memcpy(copy, w->bytes, w->size);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *at = ez_object_bytes_at(w->object, kernels[i].descriptor_address, 64);
        assert_non_null(at);
        memcpy(copy + (at - w->bytes) + 4 * word, &value, 4);
    }
    ez_object *object;
    ez_device *device;
    ez_module *module;
    if (ez_object_open_memory(copy, w->size, &object, &err) == EZ_OK) {
        assert_int_equal(ez_device_create(ez_object_target(object), &device, &err), EZ_OK);
        if (ez_module_load(device, object, &module, &err) == EZ_OK) {
            kernels = ez_object_kernels(object, &count);
            for (size_t i = 0; i < count; i++) {
                ez_dispatch d = {.module = module, .kernel = &kernels[i], .grid = {65}, .block = {64},
                                 .max_instructions = 10000};
                ez_dispatch_run(device, &d, NULL, &err);
            }
        }
        ez_device_destroy(device);
        ez_object_close(object);
    }
    free(copy);
}

static void test_absurd_descriptors(void **state) {
    world *w = *state;
    static const uint32_t values[] = {0xffffffff, 0x80000000, 0x7fffffff, 0x00010000, 0xfffffff0};
    if (!w->bytes) skip();
    for (unsigned word = 0; word < 16; word++)
        for (unsigned v = 0; v < 5; v++)
            run_patched(w, word, values[v]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_register),
        cmocka_unit_test_setup_teardown(test_wild_store, open_world, close_world),
        cmocka_unit_test_setup_teardown(test_wild_loads, open_world, close_world),
        cmocka_unit_test_setup_teardown(test_wide_scalar, open_world, close_world),
        cmocka_unit_test_setup_teardown(test_other_faults, open_world, close_world),
        cmocka_unit_test_setup_teardown(test_limits, open_world, close_world),
        cmocka_unit_test_setup_teardown(test_global_wave_sync, open_world, close_world),
        cmocka_unit_test_setup_teardown(test_global_deadlock, open_world, close_world),
        cmocka_unit_test_setup_teardown(test_bad_sizes, open_world, close_world),
        cmocka_unit_test_setup_teardown(test_absurd_descriptors, open_world, close_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
