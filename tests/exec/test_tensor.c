/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of tensor tiles to and from LDS and barriers in LDS. Descriptors are built field by field as HIP's amd_gfx1250_TDM.h lays
 * them out; expected are the elements of five plain loops over the tile, and by hand what MLIR says of barriers.
 */
#include <string.h>

#include "harness.h"

enum { BASE = 0x10000, SIZE = 1 << 16, LDS = 1 << 15, LDS_AT = 64, BARRIER = 8 };
static uint8_t memory_bytes[SIZE], lds[LDS];

static void *translate(uint64_t address, uint32_t size, unsigned access, void *user) {
    (void)access, (void)user;
    return address >= BASE && address - BASE <= SIZE - size ? memory_bytes + (address - BASE) : NULL;
}
static const ez_memory memory = {.translate = translate};

static void put(uint32_t *word, unsigned at, unsigned bits, uint64_t value) {
    for (unsigned i = 0; i < bits; i++) {
        word[(at + i) / 32] &= ~(1u << (at + i) % 32);
        word[(at + i) / 32] |= (uint32_t)(value >> i & 1) << (at + i) % 32;
    }
}

typedef struct tile {
    unsigned log_bytes, tile[5], size[5], stride[5]; /* stride[0] is 1 */
    unsigned pad_every, pad;                         /* dwords */
    unsigned times, lds_step, step;
    unsigned indices, wide, index[16];
    bool barrier;
} tile;

static ez_wave *new_tensor_wave(void) {
    ez_wave *w = new_wave("gfx1250", 32);
    for (unsigned i = 0; i < SIZE; i++) memory_bytes[i] = (uint8_t)(i * 7 + (i >> 8) + 1);
    memset(lds, 0xee, sizeof lds);
    ez_wave_set_memory(w, &memory);
    ez_wave_set_lds(w, lds, LDS);
    ez_wave_set(w, EZ_WAVE_EXEC, 0); /* does not matter */
    return w;
}

/* Groups 0 to 3 in s[0:3], s[4:11], s[12:15], s[16:19]. */
static void set_tile(ez_wave *w, const tile *t) {
    uint32_t g[20] = {0}, *g1 = g + 4, *g2 = g + 12, *g3 = g + 16;
    put(g, 0, 2, 1);
    put(g, 30, 1, t->wide);
    put(g, 31, 1, t->indices != 0);
    put(g, 32, 32, LDS_AT);
    put(g, 64, 57, BASE);
    put(g, 126, 2, 2);
    put(g1, 16, 2, t->log_bytes);
    put(g1, 18, 1, t->barrier);
    put(g1, 19, 1, t->times > 1);
    put(g1, 20, 1, t->pad != 0);
    if (t->pad) {
        put(g1, 22, 3, (uint64_t)__builtin_ctz(t->pad_every) - 1);
        put(g1, 25, 7, t->pad - 1);
    }
    put(g1, 32, 16, BARRIER / 8);
    put(g1, 48, 32, t->size[0]);
    put(g1, 80, 32, t->size[1]);
    put(g1, 112, 16, t->tile[0]);
    put(g1, 128, 16, t->indices ? t->indices : t->tile[1]);
    put(g1, 144, 16, t->tile[2]);
    put(g1, 160, 48, t->stride[1]);
    put(g1, 208, 48, t->stride[2]);
    put(g2, 0, 32, t->size[2]);
    put(g2, 32, 32, t->times > 1 ? t->lds_step : t->size[3]);
    put(g2, 64, 48, t->times > 1 ? t->step : t->stride[3]);
    put(g2, 112, 16, t->times > 1 ? t->times - 1 : t->tile[3]);
    put(g3, 0, 48, t->stride[4]);
    put(g3, 48, 32, t->size[4]);
    put(g3, 80, 16, t->tile[4]);
    for (unsigned n = 0; n < 16 && t->indices; n++) {
        if (t->wide && n < 8) put(n < 4 ? g2 : g3, 32 * (n % 4), 32, t->index[n]);
        if (!t->wide) put(n < 8 ? g2 : g3, 16 * (n % 8), 16, t->index[n]);
    }
    for (unsigned n = 0; n < 20; n++) ez_wave_set_sgpr(w, n, g[n]);
}

static unsigned padded(const tile *t, unsigned at) {
    return LDS_AT + at + (t->pad ? at / (4 * t->pad_every) * 4 * t->pad : 0);
}

static unsigned at_least_one(unsigned n) { return n ? n : 1; }

/* Every byte of LDS, or of memory after a store, is what the loops say or what it was. */
static void check(const tile *t, bool stores) {
    static uint8_t want_lds[LDS], want_memory[SIZE];
    unsigned bytes = 1u << t->log_bytes, e[5];
    memset(want_lds, 0xee, LDS);
    for (unsigned i = 0; i < SIZE; i++) want_memory[i] = (uint8_t)(i * 7 + (i >> 8) + 1);
    for (unsigned turn = 0; turn < at_least_one(t->times); turn++) {
        unsigned at = turn * t->lds_step;
        unsigned rows = t->indices ? t->indices : at_least_one(t->tile[1]);
        for (e[4] = 0; e[4] < at_least_one(t->tile[4]); e[4]++)
            for (e[3] = 0; e[3] < at_least_one(t->tile[3]); e[3]++)
                for (e[2] = 0; e[2] < at_least_one(t->tile[2]); e[2]++)
                    for (e[1] = 0; e[1] < rows; e[1]++)
                        for (e[0] = 0; e[0] < t->tile[0]; e[0]++, at++) {
                            unsigned from = turn * t->step;
                            bool inside = true;
                            for (unsigned n = 0; n < 5; n++) {
                                unsigned x = n == 1 && t->indices ? t->index[e[1]] : e[n];
                                from += x * (n ? t->stride[n] : 1);
                                if (t->tile[n] || (n == 1 && t->indices)) inside &= x < t->size[n];
                            }
                            for (unsigned b = 0; b < bytes; b++) {
                                uint8_t *local = &want_lds[stores ? LDS_AT + at * bytes + b : padded(t, at * bytes + b)];
                                if (!stores) *local = inside ? want_memory[from * bytes + b] : 0;
                                else if (inside) want_memory[from * bytes + b] = 0xee;
                            }
                        }
    }
    if (t->barrier) memcpy(want_lds + BARRIER, lds + BARRIER, 8);
    assert_memory_equal(lds, want_lds, LDS);
    assert_memory_equal(memory_bytes, want_memory, SIZE);
}

static void tiles(void **state) {
    (void)state;
    static const tile cases[] = {
        {.log_bytes = 2, .tile = {40}, .size = {40}},
        {.log_bytes = 1, .tile = {16, 8}, .size = {64, 64}, .stride = {1, 64}},
        {.log_bytes = 1, .tile = {16, 8}, .size = {13, 5}, .stride = {1, 100}},             /* beyond both bounds */
        {.log_bytes = 0, .tile = {32, 4}, .size = {20, 0}, .stride = {1, 32}},              /* no tensor at all */
        {.log_bytes = 1, .tile = {64, 16}, .size = {64, 16}, .stride = {1, 64}, .pad_every = 32, .pad = 4},
        {.log_bytes = 0, .tile = {5, 7}, .size = {4, 7}, .stride = {1, 9}, .pad_every = 2, .pad = 1},
        {.log_bytes = 3, .tile = {3, 4, 5, 2, 2}, .size = {3, 3, 6, 2, 1}, .stride = {1, 4, 20, 130, 300}},
        {.log_bytes = 2, .tile = {8, 2, 3}, .size = {64, 64, 2}, .stride = {1, 16, 64}, .pad_every = 256, .pad = 128},
        {.log_bytes = 1, .tile = {24}, .size = {32, 12}, .stride = {1, 32}, .indices = 5, .index = {3, 11, 12, 0, 3}},
        {.log_bytes = 2, .tile = {8}, .size = {7, 100}, .stride = {1, 10}, .indices = 8, .wide = 1, .index = {9, 99, 100, 70000, 1, 2, 3, 98}},
        {.log_bytes = 1, .tile = {8, 4}, .size = {32, 16}, .stride = {1, 32}, .times = 3, .lds_step = 40, .step = 8},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned stores = 0; stores < 2; stores++) {
            ez_wave *w = new_tensor_wave();
            set_tile(w, &cases[i]);
            run_text(w, stores ? "tensor_store_from_lds s[0:3], s[4:11], s[12:15], s[16:19]"
                               : "tensor_load_to_lds s[0:3], s[4:11], s[12:15], s[16:19]");
            check(&cases[i], stores);
            ez_wave_destroy(w);
        }
    ez_wave *w = new_tensor_wave(); /* without the groups that may be left out */
    set_tile(w, &cases[2]);
    for (unsigned n = 12; n < 20; n++) ez_wave_set_sgpr(w, n, ~0u);
    run_text(w, "tensor_load_to_lds s[0:3], s[4:11]");
    check(&cases[2], false);
    ez_wave_destroy(w);
}

static uint64_t barrier_word(unsigned at) {
    uint64_t x;
    memcpy(&x, lds + at, 8);
    return x;
}
static void set_barrier(unsigned at, unsigned missing, unsigned phase, unsigned all) {
    uint64_t x = missing | (uint64_t)phase << 29 | (uint64_t)all << 32;
    memcpy(lds + at, &x, 8);
}

static void ends_at_barriers(void **state) {
    (void)state;
    tile t = {.log_bytes = 1, .tile = {16, 2}, .size = {64, 64}, .stride = {1, 64}, .barrier = true};
    ez_wave *w = new_tensor_wave();
    set_tile(w, &t);
    set_barrier(BARRIER, 1, 0, 1);
    run_text(w, "tensor_load_to_lds s[0:3], s[4:11]");
    assert_true(barrier_word(BARRIER) == UINT64_C(1) << 32);
    check(&t, false);
    run_text(w, "tensor_load_to_lds s[0:3], s[4:11]");
    assert_true(barrier_word(BARRIER) == (UINT64_C(1) << 32 | UINT64_C(7) << 29 | 1));
    ez_wave_set_sgpr(w, 0, 0); /* no copy, no arrival */
    run_text(w, "tensor_load_to_lds s[0:3], s[4:11]");
    assert_true(barrier_word(BARRIER) == (UINT64_C(1) << 32 | UINT64_C(7) << 29 | 1));
    ez_wave_destroy(w);
}

/* Lanes arrive one after the other; the phase counts down when fewer are missing than arrive. */
static void arrivals(void **state) {
    (void)state;
    ez_wave *w = new_tensor_wave();
    ez_wave_set(w, EZ_WAVE_EXEC, 0x7);
    set_all(w, 0, 256);
    set_all(w, 2, 1);
    set_all(w, 3, 0);
    set_barrier(264, 1, 0, 3);
    run_text(w, "ds_atomic_barrier_arrive_rtn_b64 v[4:5], v0, v[2:3] offset:8");
    static const uint32_t before[3] = {1, 0, 7u << 29 | 3};
    for (unsigned n = 0; n < 3; n++) {
        assert_int_equal(lane(w, 4, n), before[n]);
        assert_int_equal(lane(w, 5, n), 3);
    }
    assert_true(barrier_word(264) == (UINT64_C(3) << 32 | UINT64_C(7) << 29 | 2));
    ez_wave_set(w, EZ_WAVE_EXEC, 1);
    run_text(w, "ds_atomic_async_barrier_arrive_b64 v0 offset:8");
    assert_true(barrier_word(264) == (UINT64_C(3) << 32 | UINT64_C(7) << 29 | 1));
    set_all(w, 2, 2);
    run_text(w, "ds_atomic_barrier_arrive_rtn_b64 v[4:5], v0, v[2:3] offset:8");
    assert_true(barrier_word(264) == (UINT64_C(3) << 32 | UINT64_C(6) << 29 | 3));
    set_all(w, 2, 0); /* nobody arrives */
    run_text(w, "ds_atomic_barrier_arrive_rtn_b64 v[2:3], v0, v[2:3] offset:8");
    assert_true(barrier_word(264) == (UINT64_C(3) << 32 | UINT64_C(6) << 29 | 3));
    assert_int_equal(lane(w, 2, 0), 6u << 29 | 3);
    set_all(w, 2, 5); /* more than are missing: not known */
    set_all(w, 3, 0);
    assert_int_equal(stop_of_text(w, "ds_atomic_barrier_arrive_rtn_b64 v[4:5], v0, v[2:3] offset:8"), EZ_STOP_FAULT);
    assert_int_equal(stop_of_text(w, "ds_atomic_async_barrier_arrive_b64 v0 offset:4"), EZ_STOP_FAULT);
    ez_wave_destroy(w);
}

/* What no source describes stops. */
static void refused(void **state) {
    (void)state;
    static const struct { unsigned sgpr, at, bits, value; } cases[] = {
        {0, 0, 2, 2}, {0, 2, 1, 1}, {3, 30, 2, 0}, {4, 0, 16, 1}, {0, 30, 1, 1}, {7, 16, 16, 0}, {1, 0, 32, LDS - 8},
    };
    const tile t = {.log_bytes = 1, .tile = {16, 2}, .size = {64, 64}, .stride = {1, 64}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        ez_wave *w = new_tensor_wave();
        set_tile(w, &t);
        uint32_t word = ez_wave_sgpr(w, cases[i].sgpr);
        put(&word, cases[i].at, cases[i].bits, cases[i].value);
        ez_wave_set_sgpr(w, cases[i].sgpr, word);
        assert_int_equal(stop_of_text(w, "tensor_load_to_lds s[0:3], s[4:11]"), EZ_STOP_FAULT);
        ez_wave_destroy(w);
    }
    tile beyond = {.log_bytes = 1, .tile = {8, 4}, .size = {20, 16}, .stride = {1, 32}, .times = 3, .step = 8};
    ez_wave *w = new_tensor_wave();
    set_tile(w, &beyond);
    assert_int_equal(stop_of_text(w, "tensor_load_to_lds s[0:3], s[4:11], s[12:15], s[16:19]"), EZ_STOP_FAULT);
    assert_int_equal(stop_of_text(w, "tensor_stop"), EZ_STOP_FAULT);
    ez_wave_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiles), cmocka_unit_test(ends_at_barriers), cmocka_unit_test(arrivals),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
