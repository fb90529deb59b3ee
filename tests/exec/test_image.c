/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Image instructions on linear images. Expected values by hand from the definition of the filters in OpenCL C, "Image
 * Addressing and Filtering", which is what the samplers of the ISA guides do.
 */
#include <stdio.h>
#include <string.h>

#include "harness.h"

enum { BASE = 0x10000, SIZE = 16384, RSRC = 8, SAMP = 16 };
static uint8_t memory_bytes[SIZE];

static void *translate(uint64_t address, uint32_t size, unsigned access, void *user) {
    (void)access, (void)user;
    return address >= BASE && address - BASE <= SIZE - size ? memory_bytes + (address - BASE) : NULL;
}
static const ez_memory memory = {.translate = translate};

enum { T_1D = 8, T_2D, T_3D, T_1D_ARRAY = 12, T_2D_ARRAY };
enum { UNORM8_4, FLOAT32, UINT32, SINT8_4, SRGB8_4 };

static void put(uint32_t *word, unsigned at, unsigned bits, uint32_t value) {
    for (unsigned i = 0; i < bits; i++) word[(at + i) / 32] |= (value >> i & 1) << (at + i) % 32;
}

/* Bytes from a row to the next: what the target takes by itself. */
static unsigned row_bytes(const ez_wave *w) { return ez_wave_target(w) == ez_target_find("gfx1200") ? 128 : 256; }

/* A resource at BASE in s[8:15]. [GCN3] 8.2.4 with the tiling index of the Linux drivers; [Vega] 8.2.5, [RDNA1] 8.2.5 */
static void set_image(ez_wave *w, bool unified, unsigned type, unsigned format, uint32_t width, uint32_t height, uint32_t depth) {
    static const uint8_t data[] = {10, 4, 4, 10, 10}, number[] = {0, 7, 4, 5, 9};
    /* BUF_FMT_8_8_8_8_UNORM, 32_FLOAT, 32_UINT, 8_8_8_8_SINT by generation: symbols.isa, as llvm-mc has them; SRGB: ROCr */
    static const uint8_t gfx10[] = {56, 22, 20, 61, 130}, gfx11[] = {42, 22, 20, 47, 66};
    uint32_t word[8] = {0};
    put(word, 0, 32, BASE >> 8);
    if (unified) {
        bool gfx12 = ez_wave_target(w) == ez_target_find("gfx1200"), newer = gfx12 || ez_wave_target(w) == ez_target_find("gfx1100");
        put(word, gfx12 ? 49 : 52, 8, newer ? gfx11[format] : gfx10[format]);
        put(word, 62, 14, width - 1);
        put(word, 78, 14, height - 1);
    } else {
        put(word, 52, 6, data[format]);
        put(word, 58, 4, number[format]);
        put(word, 64, 14, width - 1);
        put(word, 78, 14, height - 1);
        bool gfx8 = ez_wave_target(w) == ez_target_find("gfx803");
        put(word, 141, gfx8 ? 14 : 16, row_bytes(w) / 4 - 1);
        if (gfx8) put(word, 116, 5, 8);
        if (gfx8 && type >= T_1D_ARRAY) put(word, 173, 13, depth - 1);
    }
    put(word, 96, 12, 4 | 5 << 3 | 6 << 6 | 7 << 9);
    put(word, 124, 4, type);
    if (depth > 1) put(word, 128, 13, depth - 1);
    for (unsigned i = 0; i < 8; i++) ez_wave_set_sgpr(w, RSRC + i, word[i]);
}

static void set_sampler(ez_wave *w, unsigned clamp, bool linear, bool unnormalized, unsigned border) {
    uint32_t word[4] = {0};
    for (unsigned n = 0; n < 3; n++) put(word, 3 * n, 3, clamp);
    put(word, 15, 1, unnormalized);
    put(word, 84, 2, linear);
    put(word, 86, 2, linear);
    put(word, 126, 2, border);
    for (unsigned i = 0; i < 4; i++) ez_wave_set_sgpr(w, SAMP + i, word[i]);
}

static void set_float(ez_wave *w, unsigned reg, unsigned lane_number, float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    ez_wave_set_vgpr(w, reg, lane_number, bits);
}
static float get_float(ez_wave *w, unsigned reg, unsigned lane_number) {
    uint32_t bits = lane(w, reg, lane_number);
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

typedef struct machine {
    const char *target, *dim_1d, *dim_2d, *dim_3d, *array_2d; /* what the text has for them */
    bool unified, listed; /* listed: addresses of several words are [v0, v1] */
} machine;
static const machine machines[] = {
    {"gfx900", "", "", "", " da", false, false},
    {"gfx1030", " dim:SQ_RSRC_IMG_1D", " dim:SQ_RSRC_IMG_2D", " dim:SQ_RSRC_IMG_3D", " dim:SQ_RSRC_IMG_2D_ARRAY", true, false},
    {"gfx1100", " dim:SQ_RSRC_IMG_1D", " dim:SQ_RSRC_IMG_2D", " dim:SQ_RSRC_IMG_3D", " dim:SQ_RSRC_IMG_2D_ARRAY", true, false},
    {"gfx1200", " dim:SQ_RSRC_IMG_1D", " dim:SQ_RSRC_IMG_2D", " dim:SQ_RSRC_IMG_3D", " dim:SQ_RSRC_IMG_2D_ARRAY", true, true},
    {"gfx803", "", "", "", " da", false, false},
};
enum { MACHINES = sizeof machines / sizeof *machines };

static ez_wave *new_image_wave(const machine *m) {
    ez_wave *w = new_wave(m->target, 0);
    ez_wave_set_memory(w, &memory);
    return w;
}

/* `text` with v[a:b] for an address of n registers from v0 on, which GFX9 writes as v0; then what the machine needs. */
static void run_image(ez_wave *w, const machine *m, const char *name, const char *data, unsigned words, const char *rest, const char *dim, const char *flags) {
    char text[200], address[16];
    snprintf(address, sizeof address, words > 1 && m->unified ? "v[0:%u]" : "v0", words - 1);
    if (m->listed && words > 1) snprintf(address, sizeof address, words == 2 ? "[v0, v1]" : "[v0, v1, v2]");
    snprintf(text, sizeof text, "%s %s, %s, s[8:15]%s%s%s", name, data, address, rest, dim, flags);
    run_text(w, text);
}

static void loads_and_stores(void **state) {
    (void)state;
    for (unsigned i = 0; i < MACHINES; i++) {
        const machine *m = &machines[i];
        ez_wave *w = new_image_wave(m);
        memset(memory_bytes, 0xee, sizeof memory_bytes);
        set_image(w, m->unified, T_2D, UNORM8_4, 4, 3, 1);
        /* lane n stores to column n, row 1: column 4 is outside */
        for (unsigned n = 0; n < 5; n++) {
            ez_wave_set_vgpr(w, 0, n, n);
            ez_wave_set_vgpr(w, 1, n, 1);
            set_float(w, 4, n, (float)n / 4);
            set_float(w, 5, n, 1);
            set_float(w, 6, n, -1);
            set_float(w, 7, n, 0.2f);
        }
        ez_wave_set(w, EZ_WAVE_EXEC, 0x1f);
        run_image(w, m, "image_store", "v[4:7]", 2, " dmask:0xf", m->dim_2d, "");
        static const uint8_t expected[] = {0, 255, 0, 51, 64, 255, 0, 51, 128, 255, 0, 51, 191, 255, 0, 51, 0xee};
        assert_memory_equal(memory_bytes + row_bytes(w), expected, sizeof expected);
        run_image(w, m, "image_load", "v[4:5]", 2, " dmask:0x9", m->dim_2d, ""); /* x and w */
        assert_true(get_float(w, 4, 2) == 128.0f / 255 && get_float(w, 5, 2) == 51.0f / 255);
        assert_int_equal(lane(w, 4, 4), 0); /* outside */
        /* y and w of column 2: x and z, which the mask lacks, are 0, on GFX12 the first, y. LLVM: DefaultComponentBroadcast */
        run_image(w, m, "image_store", "v[4:5]", 2, " dmask:0xa", m->dim_2d, "");
        uint8_t other = m->listed ? 128 : 0, lacking[] = {other, 128, other, 51};
        assert_memory_equal(memory_bytes + row_bytes(w) + 8, lacking, sizeof lacking);
        ez_wave_destroy(w);
    }
}

/* A 4 x 2 image of floats: 0 1 2 3 above 10 11 12 13. */
static ez_wave *new_sampled(const machine *m, unsigned type, uint32_t depth) {
    ez_wave *w = new_image_wave(m);
    set_image(w, m->unified, type, FLOAT32, 4, 2, depth);
    for (unsigned z = 0; z < 3; z++)
        for (unsigned y = 0; y < 2; y++)
            for (unsigned x = 0; x < 4; x++) {
                float value = (float)(100 * z + 10 * y + x);
                memcpy(memory_bytes + (2 * z + y) * row_bytes(w) + 4 * x, &value, 4);
            }
    return w;
}

typedef struct sample_case {
    unsigned clamp;
    bool linear, unnormalized;
    unsigned border;
    float x, y, expected;
} sample_case;

static const sample_case samples[] = {
    {2, false, false, 0, 0.3f, 0.6f, 11},     /* 1.2, 1.2 */
    {2, false, false, 0, -5, 7, 10},          /* clamped to the edge */
    {2, false, true, 0, 2.9f, 0.1f, 2},       /* unnormalised */
    {0, false, false, 0, 1.3f, -0.4f, 11},    /* wrap: 5.2 is column 1, -0.8 is row 1 */
    {1, false, false, 0, 1.3f, 0.25f, 2},     /* mirror: column 5 is column 2 */
    {3, false, false, 0, -0.3f, 0.25f, 1},    /* mirror once: column -2 is column 1 */
    {6, false, false, 0, 1.1f, 0.25f, 0},     /* border: transparent black */
    {6, false, false, 2, 1.1f, 0.25f, 1},     /* opaque white */
    {2, true, false, 0, 0.5f, 0.5f, 6.5f},    /* between columns 1 and 2 and the two rows */
    {2, true, false, 0, 0.375f, 0.25f, 1},    /* the middle of an element */
    {2, true, false, 0, 0, 0, 0},             /* beyond the outermost middles: the edge */
    {2, true, true, 0, 1.75f, 0.5f, 1.25f},   /* a quarter from column 1 to 2 */
    {6, true, false, 2, 0, 0.25f, 0.5f},      /* half of the border */
};

static void sampling(void **state) {
    (void)state;
    for (unsigned i = 0; i < MACHINES; i++) {
        const machine *m = &machines[i];
        ez_wave *w = new_sampled(m, T_2D, 1);
        for (size_t n = 0; n < sizeof samples / sizeof *samples; n++) {
            const sample_case *c = &samples[n];
            set_sampler(w, c->clamp, c->linear, c->unnormalized, c->border);
            set_float(w, 0, 3, c->x);
            set_float(w, 1, 3, c->y);
            run_image(w, m, "image_sample_lz", "v[4:7]", 2, ", s[16:19] dmask:0xf", m->dim_2d, "");
            if (get_float(w, 4, 3) != c->expected)
                print_error("%s, case %u: expected %g, got %g\n", m->target, (unsigned)n, (double)c->expected, (double)get_float(w, 4, 3));
            assert_true(get_float(w, 4, 3) == c->expected);
        }
        /* what the format lacks is 0 and 1 */
        assert_true(get_float(w, 5, 3) == get_float(w, 6, 3));
        ez_wave_destroy(w);
    }
}

/* Elements of sRGB, whose fourth component is linear: the inverse of the transfer function of IEC 61966-2-1. */
static void srgb(void **state) {
    (void)state;
    static const uint8_t element[4] = {0, 10, 128, 128};
    const float expected[4] = {0, 0.0030352698f, 0.21586050f, 128 / 255.f};
    for (unsigned i = 0; i < MACHINES; i++) {
        const machine *m = &machines[i];
        ez_wave *w = new_image_wave(m);
        set_image(w, m->unified, T_2D, SRGB8_4, 4, 1, 1);
        memset(memory_bytes, 0, SIZE);
        memcpy(memory_bytes + 8, element, 4);
        for (unsigned l = 0; l < 4; l++) ez_wave_set_vgpr(w, 0, l, 2), ez_wave_set_vgpr(w, 1, l, 0);
        run_image(w, m, "image_load", "v[4:7]", 2, " dmask:0xf", m->dim_2d, "");
        for (unsigned n = 0; n < 4; n++) {
            float got = get_float(w, 4 + n, 3), rest = got - expected[n];
            if (rest < 0) rest = -rest;
            if (rest > expected[n] * 2e-7f) fail_msg("%s, component %u: %g, expected %g", m->target, n, (double)got, (double)expected[n]);
        }
        ez_wave_destroy(w);
    }
}

/* Elements of 64 bits: dmask names two components, four with a value to compare with. */
static void wide_atomics(void **state) {
    (void)state;
    for (unsigned i = 0; i < MACHINES; i++) {
        const machine *m = &machines[i];
        bool gfx12 = !strcmp(m->target, "gfx1200");
        ez_wave *w = new_image_wave(m);
        set_image(w, m->unified, T_1D, UINT32, 4, 1, 1);
        uint32_t word = ez_wave_sgpr(w, RSRC + 1); /* 32_32 UINT: symbols.isa */
        if (m->unified) word = gfx12 ? (word & ~(0xffu << 17)) | 48u << 17 : (word & ~(0x1ffu << 20)) | (i == 1 ? 62u : 48u) << 20;
        else word = (word & ~(0x3fu << 20)) | 11u << 20;
        ez_wave_set_sgpr(w, RSRC + 1, word);
        static const uint64_t before = UINT64_C(0x1ffffffff), data = UINT64_C(0x200000003), other = 77;
        memset(memory_bytes, 0, SIZE);
        memcpy(memory_bytes + 16, &before, 8);
        set_all(w, 0, 2);
        ez_wave_set(w, EZ_WAVE_EXEC, 1);
        for (unsigned n = 0; n < 2; n++) { /* an add, then an exchange of what it made */
            uint64_t sum = before + data, in[2] = {n ? other : data, sum};
            for (unsigned r = 0; r < 4; r++) ez_wave_set_vgpr(w, 4 + r, 0, (uint32_t)(in[r / 2] >> 32 * (r % 2)));
            run_image(w, m, n ? "image_atomic_cmpswap" : gfx12 ? "image_atomic_add_uint" : "image_atomic_add", n ? "v[4:7]" : "v[4:5]", 1,
                      n ? " dmask:0xf" : " dmask:0x3", m->dim_1d, gfx12 ? " th:TH_ATOMIC_RETURN" : " glc");
            uint64_t got, old = lane(w, 4, 0) | (uint64_t)lane(w, 5, 0) << 32;
            memcpy(&got, memory_bytes + 16, 8);
            assert_true(old == (n ? sum : before) && got == (n ? other : sum));
        }
        ez_wave_destroy(w);
    }
}

/* tfe: a further register says that no page was missing. */
static void residency(void **state) {
    (void)state;
    for (unsigned i = 0; i < MACHINES; i++) {
        const machine *m = &machines[i];
        ez_wave *w = new_sampled(m, T_2D, 1);
        set_sampler(w, 2, false, true, 0);
        for (unsigned n = 0; n < 3; n++) {
            static const char *const names[] = {"image_load", "image_sample_lz", "image_get_resinfo"}, *const rest[] = {" dmask:0x3", ", s[16:19] dmask:0x3", " dmask:0x3"};
            set_all(w, 0, 0);
            set_all(w, 1, 0);
            set_all(w, 6, 5);
            set_all(w, 7, 5);
            ez_wave_set(w, EZ_WAVE_EXEC, 1);
            run_image(w, m, names[n], "v[4:6]", n == 2 ? 1 : 2, rest[n], m->dim_2d, " tfe");
            assert_int_equal(lane(w, 6, 0), 0);
            assert_int_equal(lane(w, 6, 1), 5);
            assert_int_equal(lane(w, 7, 0), 5);
        }
        assert_int_equal(lane(w, 4, 0), 4); /* the width, of resinfo */
        ez_wave_destroy(w);
    }
}

/* Coordinates of 16 bits, two to a register: integers without sign, half floats. LLVM makes them of such values. */
static void short_coordinates(void **state) {
    (void)state;
    for (unsigned i = 0; i < MACHINES; i++) {
        const machine *m = &machines[i];
        if (!strcmp(m->target, "gfx803")) continue;
        ez_wave *w = new_image_wave(m);
        char text[200];
        memset(memory_bytes, 0, SIZE);
        for (unsigned y = 0; y < 6; y++)
            for (unsigned x = 0; x < 4; x++) memory_bytes[y * row_bytes(w) + 4 * x] = (uint8_t)(10 * y + x);
        set_image(w, m->unified, T_2D_ARRAY, UINT32, 4, 2, 3);
        ez_wave_set_vgpr(w, 0, 0, 3 | 1 << 16);
        ez_wave_set_vgpr(w, 1, 0, 2 | 0xdead0000);
        ez_wave_set_vgpr(w, 0, 1, 0xffff | 1 << 16);
        ez_wave_set(w, EZ_WAVE_EXEC, 3);
        snprintf(text, sizeof text, "image_load v4, %s, s[8:15] dmask:0x1%s a16%s", m->listed ? "[v0, v1]" : "v[0:1]",
                 m->unified ? m->array_2d : "", m->unified ? "" : m->array_2d);
        run_text(w, text);
        assert_int_equal(lane(w, 4, 0), 53);
        assert_int_equal(lane(w, 4, 1), 0);
        set_image(w, m->unified, T_2D, FLOAT32, 4, 2, 1);
        for (unsigned x = 0; x < 4; x++) {
            float f = (float)x;
            memcpy(memory_bytes + 4 * x, &f, 4);
            f += 10;
            memcpy(memory_bytes + row_bytes(w) + 4 * x, &f, 4);
        }
        set_sampler(w, 2, true, false, 0);
        ez_wave_set_vgpr(w, 0, 0, 0x3800 | 0x3800u << 16); /* 0.5, 0.5 */
        snprintf(text, sizeof text, "image_sample_lz v4, v0, s[8:15], s[16:19] dmask:0x1%s a16", m->dim_2d);
        run_text(w, text);
        assert_true(get_float(w, 4, 0) == 6.5f);
        ez_wave_destroy(w);
    }
}

/* Elements as they are: of other formats than the type of the data, 0 outside, and stored so. 8_SNORM, 16_FLOAT, 16_16_16_16_SNORM on GFX9. */
static void raw_elements(void **state) {
    (void)state;
    static const struct { uint8_t format, number, bytes; } formats[] = {{1, 1, 1}, {2, 7, 2}, {10, 0, 4}, {12, 1, 8}, {14, 4, 16}};
    for (unsigned f = 0; f < sizeof formats / sizeof *formats; f++) {
        unsigned bytes = formats[f].bytes, dwords = (bytes + 3) / 4, mask = (1u << dwords) - 1;
        ez_wave *w = new_image_wave(&machines[0]);
        for (unsigned i = 0; i < SIZE; i++) memory_bytes[i] = (uint8_t)(0x70 + 37 * i);
        set_image(w, false, T_1D, UINT32, 5, 1, 1);
        uint32_t word = 0;
        put(&word, 20, 6, formats[f].format);
        put(&word, 26, 4, formats[f].number);
        ez_wave_set_sgpr(w, RSRC + 1, word);
        for (unsigned n = 0; n < 6; n++) ez_wave_set_vgpr(w, 0, n, n);
        ez_wave_set(w, EZ_WAVE_EXEC, 0x3f);
        for (unsigned sign = 0; sign < 2; sign++) {
            char text[100], data[16];
            snprintf(data, sizeof data, dwords > 1 ? "v[4:%u]" : "v4", 3 + dwords);
            snprintf(text, sizeof text, "image_load_pck%s %s, v0, s[8:15] dmask:0x%x unorm", sign ? "_sgn" : "", data, mask);
            run_text(w, text);
            for (unsigned n = 0; n < 6; n++)
                for (unsigned d = 0; d < dwords; d++) {
                    uint32_t expected = 0;
                    for (unsigned b = 4 * d; b < bytes && b < 4 * d + 4; b++) expected |= (uint32_t)memory_bytes[n * bytes + b] << 8 * (b % 4);
                    if (sign && bytes == 1 && expected & 0x80) expected |= 0xffffff00;
                    if (sign && bytes == 2 && expected & 0x8000) expected |= 0xffff0000;
                    assert_int_equal(lane(w, 4 + d, n), n < 5 ? expected : 0);
                }
            if (!sign) continue;
            memset(memory_bytes, 0, SIZE);
            snprintf(text, sizeof text, "image_store_pck %s, v0, s[8:15] dmask:0x%x unorm", data, mask);
            run_text(w, text);
            for (unsigned i = 0; i < 6 * bytes; i++) assert_int_equal(memory_bytes[i], i < 5 * bytes ? (uint8_t)(0x70 + 37 * i) : 0);
        }
        assert_int_equal(stop_of_text(w, dwords > 1 ? "image_load_pck v4, v0, s[8:15] dmask:0x1" : "image_load_pck v[4:5], v0, s[8:15] dmask:0x3"),
                         EZ_STOP_FAULT);
        ez_wave_destroy(w);
    }
}

/* Comparisons of a value with elements 0 to 3 of row 0, and their share of a linear filter. By DEPTH_COMPARE_FUNC: never, <, =, <=, >,
 * not =, >=, always, the value being on the left as in Vulkan's "Depth Compare Operation". */
static void comparisons(void **state) {
    (void)state;
    for (unsigned i = 0; i < MACHINES; i++) {
        const machine *m = &machines[i];
        ez_wave *w = new_sampled(m, T_2D, 1);
        static const char listed[] = "[v0, v1, v2]";
        const char *address = m->listed ? listed : "v[0:2]";
        for (unsigned function = 0; function < 8; function++)
            for (int n = 0; n < 4; n++) {
                char text[200];
                const float against = 1;
                bool expected = function == 7 || (function == 1 && against < n) || (function == 2 && n == 1) || (function == 3 && against <= n) ||
                                (function == 4 && against > n) || (function == 5 && n != 1) || (function == 6 && against >= n);
                set_sampler(w, 2, false, true, 0);
                ez_wave_set_sgpr(w, SAMP, ez_wave_sgpr(w, SAMP) | function << 12);
                set_float(w, 0, 0, against);
                set_float(w, 1, 0, (float)n + 0.5f);
                set_float(w, 2, 0, 0.5f);
                snprintf(text, sizeof text, "image_sample_c_lz v[4:7], %s, s[8:15], s[16:19] dmask:0xf%s", address, m->dim_2d);
                run_text(w, text);
                assert_true(get_float(w, 4, 0) == (float)expected);
                assert_true(get_float(w, 5, 0) == 0);
                assert_true(get_float(w, 7, 0) == 1);
                if (function != 4) continue;
                set_sampler(w, 2, true, true, 0); /* of columns 0 and 1 of both rows column 0 of row 0 alone is less than 1 */
                ez_wave_set_sgpr(w, SAMP, ez_wave_sgpr(w, SAMP) | function << 12);
                set_float(w, 1, 0, 0.75f);
                set_float(w, 2, 0, 1);
                run_text(w, text);
                assert_true(get_float(w, 4, 0) == 0.75f * 0.5f);
                snprintf(text, sizeof text, "image_gather4_c_lz v[4:7], %s, s[8:15], s[16:19] dmask:0x1%s", address, m->dim_2d);
                run_text(w, text);
                for (unsigned c = 0; c < 4; c++) assert_true(get_float(w, 4 + c, 0) == (c == 3));
            }
        ez_wave_destroy(w);
    }
}

static void arrays_and_volumes(void **state) {
    (void)state;
    for (unsigned i = 0; i < MACHINES; i++) {
        const machine *m = &machines[i];
        ez_wave *w = new_sampled(m, T_2D_ARRAY, 3);
        set_sampler(w, 2, true, false, 0);
        set_float(w, 0, 0, 0.375f);
        set_float(w, 1, 0, 0.25f);
        set_float(w, 2, 0, 1.4f); /* the nearest slice, whatever the filter */
        run_image(w, m, "image_sample_lz", "v4", 3, ", s[16:19] dmask:0x1", m->array_2d, "");
        assert_true(get_float(w, 4, 0) == 101);
        for (unsigned n = 0; n < 3; n++) ez_wave_set_vgpr(w, n, 0, n == 2 ? 2 : 1);
        run_image(w, m, "image_load", "v4", 3, " dmask:0x1", m->array_2d, "");
        assert_true(get_float(w, 4, 0) == 211);
        set_image(w, m->unified, T_3D, FLOAT32, 4, 2, 3);
        set_float(w, 0, 0, 0.375f);
        set_float(w, 1, 0, 0.25f);
        set_float(w, 2, 0, 0.5f); /* the middle of slice 1 */
        run_image(w, m, "image_sample_lz", "v4", 3, ", s[16:19] dmask:0x1", m->dim_3d, "");
        assert_true(get_float(w, 4, 0) == 101);
        set_float(w, 2, 0, 1.0f / 3); /* between slices 0 and 1 */
        run_image(w, m, "image_sample_lz", "v4", 3, ", s[16:19] dmask:0x1", m->dim_3d, "");
        assert_true(get_float(w, 4, 0) == 51);
        ez_wave_destroy(w);
    }
}

static void gathers(void **state) {
    (void)state;
    for (unsigned i = 0; i < MACHINES; i++) {
        const machine *m = &machines[i];
        ez_wave *w = new_sampled(m, T_2D, 1);
        set_sampler(w, 2, false, false, 0);
        set_float(w, 0, 0, 0.5f);
        set_float(w, 1, 0, 0.5f);
        run_image(w, m, "image_gather4_lz", "v[4:7]", 2, ", s[16:19] dmask:0x1", m->dim_2d, "");
        static const float expected[4] = {11, 12, 2, 1};
        for (unsigned n = 0; n < 4; n++) assert_true(get_float(w, 4 + n, 0) == expected[n]);
        ez_wave_destroy(w);
    }
}

static void atomics_and_sizes(void **state) {
    (void)state;
    for (unsigned i = 0; i < MACHINES; i++) {
        const machine *m = &machines[i];
        ez_wave *w = new_image_wave(m);
        memset(memory_bytes, 0, sizeof memory_bytes);
        set_image(w, m->unified, T_1D, UINT32, 8, 1, 1);
        for (unsigned n = 0; n < ez_wave_lanes(w); n++) ez_wave_set_vgpr(w, 0, n, n % 16 == 3 ? 3 : 100);
        set_all(w, 4, 5);
        run_image(w, m, "image_atomic_add", "v4", 1, " dmask:0x1", m->dim_1d, m->listed ? " th:TH_ATOMIC_RETURN" : " unorm glc");
        assert_int_equal(memory_bytes[12], 5 * ez_wave_lanes(w) / 16);
        assert_int_equal(lane(w, 4, 19), 5); /* the value before: of lane 3 */
        assert_int_equal(lane(w, 4, 0), 0);
        set_image(w, m->unified, T_3D, SINT8_4, 5, 6, 7);
        run_image(w, m, "image_get_resinfo", "v[4:7]", 1, " dmask:0xf", m->dim_3d, "");
        for (unsigned n = 0; n < 3; n++) assert_int_equal(lane(w, 4 + n, 0), 5 + n);
        assert_int_equal(lane(w, 7, 0), 1);
        ez_wave_destroy(w);
    }
}

/* An image without slices may have a pitch. */
static void pitches(void **state) {
    (void)state;
    for (unsigned i = 0; i < MACHINES; i++) {
        const machine *m = &machines[i];
        if (!m->unified) continue; /* they always have one */
        ez_wave *w = new_image_wave(m);
        memset(memory_bytes, 0, sizeof memory_bytes);
        memory_bytes[2 * 768] = 7;
        set_image(w, m->unified, T_2D, UINT32, 4, 3, 1);
        ez_wave_set_sgpr(w, RSRC + 4, 768 / 4 - 1);
        set_all(w, 0, 0);
        set_all(w, 1, 2);
        run_image(w, m, "image_load", "v4", 2, " dmask:0x1", m->dim_2d, "");
        assert_int_equal(lane(w, 4, 0), 7);
        ez_wave_destroy(w);
    }
}

/* Format 0 is no image: loads and samples give 0, the rest does nothing. */
static void unbound(void **state) {
    (void)state;
    for (unsigned i = 0; i < MACHINES; i++) {
        const machine *m = &machines[i];
        ez_wave *w = new_image_wave(m);
        memset(memory_bytes, 0xee, sizeof memory_bytes);
        set_all(w, 0, 0);
        set_all(w, 1, 0);
        set_all(w, 4, 9);
        run_image(w, m, "image_store", "v4", 2, " dmask:0x1", m->dim_2d, "");
        run_image(w, m, "image_atomic_add", "v4", 1, " dmask:0x1", m->dim_1d, "");
        assert_int_equal(memory_bytes[0], 0xee);
        run_image(w, m, "image_load", "v4", 2, " dmask:0x1", m->dim_2d, "");
        assert_int_equal(lane(w, 4, 0), 0);
        set_all(w, 4, 9);
        run_image(w, m, "image_sample_lz", "v4", 2, ", s[16:19] dmask:0x1", m->dim_2d, "");
        assert_int_equal(lane(w, 4, 0), 0);
        ez_wave_destroy(w);
    }
}

/* What is not done stops: images that are not linear, several levels. */
static void refusals(void **state) {
    (void)state;
    ez_wave *w = new_image_wave(&machines[1]);
    set_image(w, true, T_2D, FLOAT32, 4, 2, 1);
    ez_wave_set_sgpr(w, RSRC + 3, ez_wave_sgpr(w, RSRC + 3) | 5u << 20);
    assert_int_equal(stop_of_text(w, "image_load v4, v[0:1], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm"), EZ_STOP_FAULT);
    set_image(w, true, T_2D, FLOAT32, 4, 2, 1);
    ez_wave_set_sgpr(w, RSRC + 3, ez_wave_sgpr(w, RSRC + 3) | 1u << 16);
    assert_int_equal(stop_of_text(w, "image_load v4, v[0:1], s[8:15] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm"), EZ_STOP_FAULT);
    ez_wave_destroy(w);
    w = new_image_wave(&machines[MACHINES - 1]);
    set_image(w, false, T_2D, FLOAT32, 4, 2, 1);
    ez_wave_set_sgpr(w, RSRC + 3, ez_wave_sgpr(w, RSRC + 3) ^ 8u << 20 ^ 14u << 20); /* index 14: tiles of 2 dimensions */
    assert_int_equal(stop_of_text(w, "image_load v4, v[0:1], s[8:15] dmask:0x1 unorm"), EZ_STOP_FAULT);
    ez_wave_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_and_stores), cmocka_unit_test(sampling), cmocka_unit_test(comparisons), cmocka_unit_test(raw_elements), cmocka_unit_test(short_coordinates), cmocka_unit_test(residency), cmocka_unit_test(srgb), cmocka_unit_test(wide_atomics),          cmocka_unit_test(arrays_and_volumes),
        cmocka_unit_test(gathers),          cmocka_unit_test(atomics_and_sizes), cmocka_unit_test(pitches), cmocka_unit_test(unbound), cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
