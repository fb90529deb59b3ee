/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include <string.h>

#include "execz/text.h"

ez_wave *new_wave(const char *target, unsigned lanes) {
    ez_wave *w = NULL;
    assert_int_equal(ez_wave_create(ez_target_find(target), lanes, &w), EZ_OK);
    return w;
}

void set_all(ez_wave *w, unsigned reg, uint32_t value) {
    for (unsigned i = 0; i < ez_wave_lanes(w); i++) assert_true(ez_wave_set_vgpr(w, reg, i, value));
}

uint32_t lane(const ez_wave *w, unsigned reg, unsigned n) { return ez_wave_vgpr(w, reg, n); }

static unsigned nibble(char c) {
    const char *digits = "0123456789abcdef";
    const char *at = strchr(digits, c);
    assert_non_null(at);
    return (unsigned)(at - digits);
}

static ez_stop run_code(ez_wave *w, const uint8_t *code, size_t size, unsigned options) {
    ez_program *p = NULL;
    assert_int_equal(ez_program_create(ez_wave_target(w), ez_wave_lanes(w), code, size, 0x1000, options, &p), EZ_OK);
    ez_wave_set(w, EZ_WAVE_PC, 0x1000);
    ez_stop stop = ez_wave_run(w, p, 100000);
    bool at_end = stop == EZ_STOP_FAULT && ez_wave_fault_info(w)->kind == EZ_FAULT_FETCH &&
                  ez_wave_fault_info(w)->pc == 0x1000 + size;
    ez_program_destroy(p);
    return at_end ? EZ_STOP_END : stop;
}

ez_stop run_until_stop(ez_wave *w, const char *hex, unsigned options) {
    uint8_t code[512];
    size_t size = 0;
    for (; *hex; hex++) {
        if (*hex == ' ') continue;
        assert_true(size < sizeof code);
        code[size++] = (uint8_t)(nibble(hex[0]) << 4 | nibble(hex[1]));
        hex++;
    }
    return run_code(w, code, size, options);
}

static void run_with(ez_wave *w, const char *hex, unsigned options) {
    ez_stop stop = run_until_stop(w, hex, options);
    if (stop != EZ_STOP_END)
        print_error("%s: stopped with %d, %s: %s\n", hex, (int)stop, ez_fault_text(ez_wave_fault_info(w)->kind),
                    ez_wave_fault_info(w)->reason);
    assert_int_equal(stop, EZ_STOP_END);
}

void run(ez_wave *w, const char *hex) { run_with(w, hex, 0); }
void run_flags(ez_wave *w, const char *hex) { run_with(w, hex, EZ_PROGRAM_KEEP_FLAGS); }

ez_stop stop_of_text(ez_wave *w, const char *text) {
    uint8_t code[512];
    size_t size = 0;
    for (const char *at = text; *at; at += *at == '\n') {
        size_t length = strcspn(at, "\n");
        ez_inst inst;
        ez_error err;
        if (ez_parse(ez_wave_target(w), ez_wave_lanes(w), EZ_TEXT_DEFAULT, at, length, &inst, &err) != EZ_OK)
            fail_msg("%.*s: %s", (int)length, at, err.message);
        assert_true(size + 32 < sizeof code);
        size += ez_encode(&inst, code + size);
        at += length;
    }
    return run_code(w, code, size, 0);
}

void run_text(ez_wave *w, const char *text) {
    ez_stop stop = stop_of_text(w, text);
    if (stop != EZ_STOP_END)
        print_error("%s: stopped with %d, %s\n", text, (int)stop, ez_wave_fault_info(w)->reason);
    assert_int_equal(stop, EZ_STOP_END);
}

uint32_t draw(void) {
    static uint64_t seed = 88172645463325252u;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}
