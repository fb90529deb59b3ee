/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory instructions on one wave: typed buffers, LDS operands from LDS, loads that transpose, scalar scratch. Expected
 * values are computed by hand from the definitions in AMD's ISA guides, "Buffer Data Formats" and the instructions' pages.
 */
#include <string.h>

#include "harness.h"

enum { BASE = 0x10000, SIZE = 4096 };
static uint8_t memory_bytes[SIZE];

static void *translate(uint64_t address, uint32_t size, unsigned access, void *user) {
    (void)access, (void)user;
    return address >= BASE && address - BASE <= SIZE - size ? memory_bytes + (address - BASE) : NULL;
}
static const ez_memory memory = {.translate = translate};

/* A wave with a resource in s[4:7]: at BASE, `records` bytes, and word 3. */
static ez_wave *new_buffer_wave(const char *target, unsigned lanes, uint32_t records, uint32_t word3) {
    ez_wave *w = new_wave(target, lanes);
    ez_wave_set_memory(w, &memory);
    ez_wave_set_sgpr(w, 4, BASE);
    ez_wave_set_sgpr(w, 6, records);
    ez_wave_set_sgpr(w, 7, word3);
    return w;
}

enum { IDENTITY = 4 | 5 << 3 | 6 << 6 | 7 << 9 }; /* dst_sel: x, y, z, w */

typedef struct typed_case {
    const char *target, *text;
    uint32_t word3;
    const char *bytes;       /* at BASE */
    unsigned size;
    uint32_t expected[4];    /* v2 to v5 */
} typed_case;

static const typed_case loads[] = {
    {"gfx900", "tbuffer_load_format_xyzw v[2:5], off, s[4:7], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UNORM]", 0,
     "\x00\x80\xff\x33", 4, {0, 0x3f008081, 0x3f800000, 0x3e4ccccd}}, /* 0, 128/255, 1, 51/255 */
    {"gfx900", "tbuffer_load_format_xyzw v[2:5], off, s[4:7], 0 format:[BUF_DATA_FORMAT_8_8,BUF_NUM_FORMAT_SNORM]", 0,
     "\x80\x7f", 2, {0xbf800000, 0x3f800000, 0, 0x3f800000}}, /* -128 is -1 as well */
    {"gfx900", "tbuffer_load_format_xyz v[2:4], off, s[4:7], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_SINT]", 0,
     "\xfe\xff\x07\x00", 4, {0xfffffffe, 7, 0, 0}},
    {"gfx900", "tbuffer_load_format_xy v[2:3], off, s[4:7], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_SSCALED]", 0,
     "\xfe\xff\x07\x00", 4, {0xc0000000, 0x40e00000, 0, 0}},
    {"gfx1030", "tbuffer_load_format_xyzw v[2:5], off, s[4:7], 0 format:[BUF_FMT_2_10_10_10_UNORM]", 0,
     "\xff\x03\x00\x40", 4, {0x3f800000, 0, 0, 0x3eaaaaab}}, /* x: the low 10 bits; w: 1/3 */
    {"gfx1030", "tbuffer_load_format_xyz v[2:4], off, s[4:7], 0 format:[BUF_FMT_10_11_11_FLOAT]", 0,
     "\xc0\x03\x20\x80", 4, {0x3f800000, 0x40000000, 0x40000000, 0}}, /* 1, 2: 0x3c0, 0x400, 0x200 */
    {"gfx1100", "tbuffer_load_format_xyzw v[2:5], off, s[4:7], 0 format:[BUF_FMT_16_16_16_16_FLOAT]", 0,
     "\x00\x3c\x00\xc0\x01\x00\x00\x7c", 8, {0x3f800000, 0xc0000000, 0x33800000, 0x7f800000}},
    {"gfx1201", "tbuffer_load_format_x v2, off, s[4:7], null format:[BUF_FMT_32_UINT]", 0,
     "\x78\x56\x34\x12", 4, {0x12345678, 0, 0, 0}},
    {"gfx900", "tbuffer_load_format_d16_xyz v[2:3], off, s[4:7], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UNORM]", 0,
     "\xff\x00\xff\x00", 4, {0x00003c00, 0x00003c00, 0, 0}},
    /* the format and the order of components of the resource: data format 10 in 18:15, UINT in 14:12; z, y, x, 1 */
    {"gfx900", "buffer_load_format_xyzw v[2:5], off, s[4:7], 0", 10u << 15 | 4u << 12 | (6 | 5 << 3 | 4 << 6 | 1 << 9),
     "\x01\x02\x03\x04", 4, {3, 2, 1, 1}},
    /* unified format 1 in 18:12: BUF_FMT_8_UNORM; what it lacks is 0 and 1; v5 as it was */
    {"gfx1030", "buffer_load_format_xyz v[2:4], off, s[4:7], 0", 1u << 12 | IDENTITY, "\xff", 1, {0x3f800000, 0, 0, 0}},
    {"gfx1030", "buffer_load_format_xy v[2:3], off, s[4:7], 0 offset:4", 1u << 12 | IDENTITY, "", 0, {0, 0, 0, 0}},
};

static void typed_loads(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        const typed_case *c = &loads[i];
        ez_wave *w = new_buffer_wave(c->target, 0, c->size, c->word3);
        memset(memory_bytes, 0xee, sizeof memory_bytes);
        memcpy(memory_bytes, c->bytes, c->size);
        run_text(w, c->text);
        for (unsigned n = 0; n < 4; n++) {
            if (lane(w, 2 + n, 5) != c->expected[n]) print_error("%s: v%u\n", c->text, 2 + n);
            assert_int_equal(lane(w, 2 + n, 5), c->expected[n]);
        }
        ez_wave_destroy(w);
    }
}

typedef struct store_case {
    const char *target, *text;
    uint32_t word3, value[4];
    const char *bytes;
    unsigned size;
} store_case;

static const store_case stores[] = {
    {"gfx900", "tbuffer_store_format_xyzw v[2:5], off, s[4:7], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UNORM]", 0,
     {0x3f000000, 0xbf800000, 0x7fc00000, 0x40000000}, "\x80\x00\x00\xff\xee", 5}, /* 127.5 to even; below 0; NaN; above 1 */
    {"gfx1030", "tbuffer_store_format_xy v[2:3], off, s[4:7], 0 format:[BUF_FMT_8_8_SNORM]", 0,
     {0xbf800000, 0x3f800000}, "\x81\x7f\xee", 3},
    {"gfx1030", "tbuffer_store_format_xy v[2:3], off, s[4:7], 0 format:[BUF_FMT_16_16_UINT]", 0,
     {0x12345, 7}, "\xff\xff\x07\x00\xee", 5}, /* clamped */
    {"gfx1100", "buffer_store_format_xyz v[2:4], off, s[4:7], 0", 30u << 12 | IDENTITY, /* 10_11_11_FLOAT */
     {0x3f800000, 0x40000000, 0xc0000000}, "\xc0\x03\x20\x00\xee", 5}, /* a negative z is 0 */
    {"gfx900", "tbuffer_store_format_d16_xy v2, off, s[4:7], 0 format:[BUF_DATA_FORMAT_16_16,BUF_NUM_FORMAT_FLOAT]", 0,
     {0x40003c00}, "\x00\x3c\x00\x40\xee", 5},
};

static void typed_stores(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof stores / sizeof *stores; i++) {
        const store_case *c = &stores[i];
        ez_wave *w = new_buffer_wave(c->target, 0, SIZE, c->word3);
        memset(memory_bytes, 0xee, sizeof memory_bytes);
        for (unsigned n = 0; n < 4; n++) set_all(w, 2 + n, c->value[n]);
        run_text(w, c->text);
        if (memcmp(memory_bytes, c->bytes, c->size)) print_error("%s\n", c->text);
        assert_memory_equal(memory_bytes, c->bytes, c->size);
        ez_wave_destroy(w);
    }
}

/* What is out of range is not written, a format that does not exist stops the wave. */
static void typed_limits(void **state) {
    (void)state;
    ez_wave *w = new_buffer_wave("gfx1030", 32, 3, 3u << 28); /* records are bytes */
    memset(memory_bytes, 0xee, sizeof memory_bytes);
    run_text(w, "tbuffer_store_format_x v2, off, s[4:7], 0 format:[BUF_FMT_32_UINT]");
    assert_int_equal(memory_bytes[0], 0xee);
    run_text(w, "tbuffer_load_format_x v2, off, s[4:7], 0 format:0"); /* no buffer */
    assert_int_equal(lane(w, 2, 0), 0);
    assert_int_equal(stop_of_text(w, "tbuffer_load_format_x v2, off, s[4:7], 0 format:127"), EZ_STOP_FAULT);
    ez_wave_destroy(w);
}

/* tfe: the register behind the result tells that nothing was missing. */
static void residency(void **state) {
    (void)state;
    ez_wave *w = new_buffer_wave("gfx900", 64, SIZE, 0);
    set_all(w, 3, 99);
    memcpy(memory_bytes, "\x05\0\0\0", 4);
    run_text(w, "buffer_load_dword v[2:3], off, s[4:7], 0 tfe");
    assert_int_equal(lane(w, 2, 1), 5);
    assert_int_equal(lane(w, 3, 1), 0);
    ez_wave_destroy(w);
}

/* ---- LDS ---- */

static uint32_t lds[2048];

/* The second operand lies as many dwords away as the offset says, signed; or as the upper bits of the address say. */
static void operands_in_lds(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx900", 64);
    ez_wave_set_lds(w, lds, sizeof lds);
    ez_wave_set(w, EZ_WAVE_EXEC, 1);
    lds[4] = 10, lds[6] = 32;
    set_all(w, 1, 16);
    run_text(w, "ds_add_src2_u32 v1 offset:2");
    assert_int_equal(lds[4], 42);
    run_text(w, "ds_sub_src2_u32 v1 offset:0x7fff"); /* one dword before */
    lds[3] = 2;
    run_text(w, "ds_sub_src2_u32 v1 offset:0x7fff");
    assert_int_equal(lds[4], 40);
    set_all(w, 1, 2u << 17 | 16);
    run_text(w, "ds_max_src2_u32 v1 offset:0x8000");
    assert_int_equal(lds[4], 40);
    run_text(w, "ds_write_src2_b32 v1 offset:0x8000");
    assert_int_equal(lds[4], 32);
    lds[4] = 1, lds[5] = 0, lds[8] = 0xffffffff, lds[9] = 7;
    set_all(w, 1, 16);
    run_text(w, "ds_add_src2_u64 v1 offset:4");
    assert_int_equal(lds[4], 0);
    assert_int_equal(lds[5], 8);
    ez_wave_destroy(w);
}

/* A VGPR of -8 and an offset beyond 8 are an address in LDS. */
static void negative_lds_addresses(void **state) {
    (void)state;
    static const char *const targets[] = {"gfx801", "gfx90a", "gfx1030", "gfx1201"};
    for (unsigned i = 0; i < sizeof targets / sizeof *targets; i++) {
        uint32_t local[8] = {10, 11, 12, 13, 14, 15, 16, 17};
        ez_wave *w = new_wave(targets[i], 0);
        ez_wave_set_lds(w, local, sizeof local);
        ez_wave_set(w, EZ_WAVE_M0, 0xffffffff);
        set_all(w, 1, (uint32_t)-8);
        run_text(w, "ds_read_b32 v2, v1 offset:12\nds_read2_b32 v[4:5], v1 offset0:2 offset1:9");
        assert_int_equal(lane(w, 2, 0), 11);
        assert_int_equal(lane(w, 4, 0), 10);
        assert_int_equal(lane(w, 5, 0), 17);
        ez_wave_destroy(w);
    }
}

/* Lanes here and there, whose results take the place of their addresses; every third lane is not active. */
static void loads_over_addresses(void **state) {
    (void)state;
    static const struct {
        const char *text;
        unsigned address, result, dwords; /* registers */
    } cases[] = {{"ds_read2_b32 v[1:2], v1 offset0:3 offset1:7", 1, 1, 2},
                 {"ds_read2_b32 v[1:2], v2 offset0:3 offset1:7", 2, 1, 2},
                 {"ds_read2_b64 v[2:5], v2 offset0:3 offset1:7", 2, 2, 4},
                 {"ds_read_b96 v[2:4], v3 offset:12", 3, 2, 3},
                 {"global_load_dwordx4 v[4:7], v[4:5], off", 4, 4, 4},
                 {"global_load_dwordx4 v[2:5], v[4:5], off", 4, 2, 4},
                 {"global_load_dwordx3 v[4:6], v5, s[0:1]", 5, 4, 3}};
    const uint64_t exec = UINT64_C(0x6db6db6db6db6db6);
    for (unsigned i = 0; i < sizeof lds / 4; i++) lds[i] = i;
    for (unsigned i = 0; i < SIZE / 4; i++) memcpy(memory_bytes + 4 * i, &i, 4);
    for (unsigned n = 0; n < sizeof cases / sizeof *cases; n++) {
        bool local = cases[n].text[0] == 'd', two = local && cases[n].text[7] == '2', wide = two && cases[n].text[10] == '6';
        ez_wave *w = new_wave("gfx900", 64);
        ez_wave_set_memory(w, &memory);
        ez_wave_set_lds(w, lds, sizeof lds);
        ez_wave_set(w, EZ_WAVE_EXEC, exec);
        ez_wave_set_sgpr(w, 0, BASE);
        bool pair = strstr(cases[n].text, "off") && !local;
        for (unsigned i = 0; i < 64; i++) {
            for (unsigned r = 1; r < 8; r++) ez_wave_set_vgpr(w, r, i, 0xdead0000 + r);
            ez_wave_set_vgpr(w, cases[n].address, i, 4 * (i * 29 % 64) + (pair ? BASE : 0));
            if (pair) ez_wave_set_vgpr(w, cases[n].address + 1, i, 0);
        }
        run_text(w, cases[n].text);
        for (unsigned i = 0; i < 64; i++)
            for (unsigned d = 0; d < cases[n].dwords; d++) {
                unsigned r = cases[n].result + d, at = i * 29 % 64;
                unsigned from = two && wide ? (d < 2 ? 6 : 14) + d % 2 : two ? d ? 7 : 3 : local ? 3 + d : d;
                if (exec >> i & 1) assert_int_equal(lane(w, r, i), at + from);
                else if (r != cases[n].address && !(pair && r == cases[n].address + 1)) assert_int_equal(lane(w, r, i), 0xdead0000 + r);
            }
        ez_wave_destroy(w);
    }
}

/* Between LDS and buffers or scratch: at M0 + offset + 4 * lane. */
static void straight_to_lds(void **state) {
    (void)state;
    ez_wave *w = new_buffer_wave("gfx900", 64, SIZE, 0);
    ez_wave_set_lds(w, lds, sizeof lds);
    memset(memory_bytes, 0xee, sizeof memory_bytes);
    ez_wave_set(w, EZ_WAVE_EXEC, 1);
    lds[3] = 0x12345678;
    run_text(w, "s_mov_b32 m0, 8");
    run_text(w, "buffer_store_lds_dword s[4:7], 0 offset:4 lds");
    assert_memory_equal(memory_bytes + 3, "\xee\x78\x56\x34\x12\xee", 6);
    ez_wave_destroy(w);
    w = new_buffer_wave("gfx942", 64, SIZE, 0);
    ez_wave_set_lds(w, lds, sizeof lds);
    ez_wave_set_scratch(w, BASE, 8);
    for (unsigned i = 0; i < 64; i++) memory_bytes[256 + 4 * i] = (uint8_t)i; /* dword 1 of each lane */
    set_all(w, 2, 4);
    run_text(w, "s_mov_b32 m0, 64");
    run_text(w, "scratch_load_lds_ubyte v2, off");
    for (unsigned i = 0; i < 64; i++) assert_int_equal(lds[16 + i], i);
    ez_wave_destroy(w);
    w = new_wave("gfx1100", 32);
    ez_wave_set_lds(w, lds, sizeof lds);
    lds[5] = 0x8081;
    run_text(w, "s_mov_b32 m0, 0x50014"); /* a signed 16-bit number at 20 */
    run_text(w, "lds_direct_load v1");
    for (unsigned i = 0; i < 32; i++) assert_int_equal(lane(w, 1, i), 0xffff8081);
    ez_wave_destroy(w);
}

/* Lanes 0 to 15 load 4 rows of 16 elements of 16 bits, and get columns; likewise the other groups of lanes. */
static void transposing_loads(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx950", 64);
    ez_wave_set_lds(w, lds, sizeof lds);
    uint8_t *bytes = (uint8_t *)lds;
    for (unsigned i = 0; i < 256; i++) bytes[2 * i] = (uint8_t)i, bytes[2 * i + 1] = 0x40;
    for (unsigned i = 0; i < 64; i++) ez_wave_set_vgpr(w, 1, i, 8 * i);
    run_text(w, "ds_read_b64_tr_b16 v[2:3], v1");
    for (unsigned i = 0; i < 64; i++) {
        uint32_t block = i / 16 * 64, column = i % 16;
        assert_int_equal(lane(w, 2, i), (0x4000 | (block + column)) | (0x4000 | (block + 16 + column)) << 16);
        assert_int_equal(lane(w, 3, i), (0x4000 | (block + 32 + column)) | (0x4000 | (block + 48 + column)) << 16);
    }
    for (unsigned i = 0; i < 128; i++) bytes[i] = (uint8_t)i;
    run_text(w, "ds_read_b64_tr_b8 v[2:3], v1"); /* 8 rows of 16 bytes */
    for (unsigned i = 0; i < 16; i++) assert_int_equal(lane(w, 2, i), i | (16 + i) << 8 | (32 + i) << 16 | (48 + i) << 24);
    ez_wave_destroy(w);
}

static uint32_t result_bits(ez_wave *w, unsigned lane_number, unsigned at, unsigned bits) {
    uint64_t pair = lane(w, 2 + at / 32, lane_number) | (uint64_t)lane(w, 3 + at / 32, lane_number) << 32;
    return (uint32_t)(pair >> at % 32) & ((1u << bits) - 1);
}

/* Column k of a matrix of `rows` elements is at k * rows; 3 passes give each element a number. The lanes' addresses and what
 * they get are those of a WMMA operand: docs/errata.md. */
static void transposed_operands(const char *target, const char *text, unsigned bits) {
    unsigned columns = bits < 8 ? 32 : 16, each = columns / 2, size = bits == 16 ? 16 : bits == 6 ? 12 : 8;
    for (unsigned pass = 0; pass < 3; pass++) {
        ez_wave *w = new_buffer_wave(target, 32, 0, 0);
        uint8_t *local = (uint8_t *)lds;
        memset(memory_bytes, 0, sizeof memory_bytes);
        for (unsigned k = 0; k < columns; k++)
            for (unsigned m = 0; m < 16; m++)
                for (unsigned b = 0; b < bits; b++) {
                    unsigned at = (k * 16 + m) * bits + b, from = pass * bits + b;
                    memory_bytes[at / 8] |= (uint8_t)((from < 32 ? (16u * k + m) >> from & 1 : 0) << at % 8);
                }
        memcpy(local, memory_bytes, 512);
        ez_wave_set_lds(w, lds, sizeof lds);
        for (unsigned a = 0; a < 32; a++) {
            unsigned at = size * a; /* of 4 bits */
            if (bits == 16) at = 32 * (a % 8 + a / 16 * 8) + 16 * (a / 8 % 2);
            if (bits == 8) at = 16 * (a / 8 * 4 + a % 4) + 8 * (a / 4 % 2);
            if (bits == 6) at = 12 * (a / 8 * 4 + a % 4 + 16 * (a / 4 % 2));
            ez_wave_set_vgpr(w, 8, a, at);
        }
        ez_wave_set_sgpr(w, 0, BASE);
        ez_wave_set_sgpr(w, 1, 0);
        run_text(w, text);
        for (unsigned l = 0; l < 32; l++)
            for (unsigned i = 0; i < each; i++) {
                unsigned k = bits == 4 ? i % 8 + 8 * (l / 16) + 16 * (i / 8) : l / 16 * each + i;
                uint32_t number = 16 * k + l % 16, from = pass * bits;
                assert_int_equal(result_bits(w, l, i * bits, bits), from < 32 ? number >> from & ((1u << bits) - 1) : 0);
            }
        ez_wave_destroy(w);
    }
}

static void transposing_blocks(void **state) {
    (void)state;
    transposed_operands("gfx1200", "global_load_tr_b128 v[2:5], v8, s[0:1]", 16);
    transposed_operands("gfx1200", "global_load_tr_b64 v[2:3], v8, s[0:1]", 8);
    transposed_operands("gfx1250", "global_load_tr16_b128 v[2:5], v8, s[0:1]", 16);
    transposed_operands("gfx1250", "global_load_tr6_b96 v[2:4], v8, s[0:1]", 6);
    transposed_operands("gfx1250", "global_load_tr4_b64 v[2:3], v8, s[0:1]", 4);
    transposed_operands("gfx1250", "ds_load_tr16_b128 v[2:5], v8", 16);
    transposed_operands("gfx1250", "ds_load_tr8_b64 v[2:3], v8", 8);
    transposed_operands("gfx1250", "ds_load_tr6_b96 v[2:4], v8", 6);
    transposed_operands("gfx1250", "ds_load_tr4_b64 v[2:3], v8", 4);
}

/* ---- scalar scratch: an SGPR offset counts 64 bytes ---- */

static void scalar_scratch(void **state) {
    (void)state;
    ez_wave *w = new_wave("gfx900", 64);
    ez_wave_set_memory(w, &memory);
    ez_wave_set_sgpr(w, 2, BASE);
    ez_wave_set_sgpr(w, 4, 2);
    ez_wave_set_sgpr(w, 8, 0x01020304);
    run_text(w, "s_scratch_store_dword s8, s[2:3], s4");
    assert_int_equal(memory_bytes[128], 4);
    run_text(w, "s_scratch_load_dword s9, s[2:3], 0x80");
    assert_int_equal(ez_wave_sgpr(w, 9), 0x01020304);
    ez_wave_destroy(w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typed_loads),     cmocka_unit_test(typed_stores),      cmocka_unit_test(typed_limits),
        cmocka_unit_test(residency),       cmocka_unit_test(operands_in_lds),   cmocka_unit_test(transposing_loads),
        cmocka_unit_test(straight_to_lds),   cmocka_unit_test(transposing_blocks), cmocka_unit_test(scalar_scratch),
        cmocka_unit_test(negative_lds_addresses), cmocka_unit_test(loads_over_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
