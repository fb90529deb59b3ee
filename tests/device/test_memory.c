/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory instructions one at a time: every width and extension in every address form, on every
 * generation. The bytes come from llvm-mc; what memory and registers must hold afterwards is worked
 * out here from the meaning of the names, apart from the implementation.
 */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/wave.h"
#include "execz/device.h"
#include "execz/exec.h"
#include "llvm_mc.h"

/* ---- what is to be run ---- */

typedef enum form {
    GLOBAL,       /* v[2:3], off */
    GLOBAL_SADDR, /* v6, s[2:3] */
    FLAT,         /* v[2:3] */
    FLAT_LDS,     /* v[2:3] in the shared aperture */
    FLAT_PRIVATE, /* v[2:3] in the private aperture */
    SCRATCH,      /* v6, off */
    SCRATCH_SADDR, /* off, s12 */
    BUFFER,       /* v6, s[8:11], offen */
    BUFFER_PRIVATE, /* the swizzled scratch resource s[16:19] and s12 */
    DS,           /* v6 */
    FORMS
} form;

typedef enum kind { LOAD, STORE, ATOMIC } kind;

typedef struct access {
    kind kind;
    const char *old, *new, *ds_old, *ds_new; /* names up to GFX10 and from GFX11 on */
    unsigned bytes;
    int extend; /* of loads: 0 none, 1 signed, 2 low half, 3 high half, +4 signed half; of stores: shift */
    int from;   /* generation */
} access;

static const access accesses[] = {
    {LOAD, "ubyte", "u8", "read_u8", "load_u8", 1, 0, 8},
    {LOAD, "sbyte", "i8", "read_i8", "load_i8", 1, 1, 8},
    {LOAD, "ushort", "u16", "read_u16", "load_u16", 2, 0, 8},
    {LOAD, "sshort", "i16", "read_i16", "load_i16", 2, 1, 8},
    {LOAD, "dword", "b32", "read_b32", "load_b32", 4, 0, 8},
    {LOAD, "dwordx2", "b64", "read_b64", "load_b64", 8, 0, 8},
    {LOAD, "dwordx3", "b96", "read_b96", "load_b96", 12, 0, 8},
    {LOAD, "dwordx4", "b128", "read_b128", "load_b128", 16, 0, 8},
    {LOAD, "ubyte_d16", "d16_u8", "read_u8_d16", "load_u8_d16", 1, 2, 9},
    {LOAD, "ubyte_d16_hi", "d16_hi_u8", "read_u8_d16_hi", "load_u8_d16_hi", 1, 3, 9},
    {LOAD, "sbyte_d16", "d16_i8", "read_i8_d16", "load_i8_d16", 1, 6, 9},
    {LOAD, "sbyte_d16_hi", "d16_hi_i8", "read_i8_d16_hi", "load_i8_d16_hi", 1, 7, 9},
    {LOAD, "short_d16", "d16_b16", "read_u16_d16", "load_u16_d16", 2, 2, 9},
    {LOAD, "short_d16_hi", "d16_hi_b16", "read_u16_d16_hi", "load_u16_d16_hi", 2, 3, 9},
    {STORE, "byte", "b8", "write_b8", "store_b8", 1, 0, 8},
    {STORE, "short", "b16", "write_b16", "store_b16", 2, 0, 8},
    {STORE, "dword", "b32", "write_b32", "store_b32", 4, 0, 8},
    {STORE, "dwordx2", "b64", "write_b64", "store_b64", 8, 0, 8},
    {STORE, "dwordx3", "b96", "write_b96", "store_b96", 12, 0, 8},
    {STORE, "dwordx4", "b128", "write_b128", "store_b128", 16, 0, 8},
    {STORE, "byte_d16_hi", "d16_hi_b8", "write_b8_d16_hi", "store_b8_d16_hi", 1, 16, 9},
    {STORE, "short_d16_hi", "d16_hi_b16", "write_b16_d16_hi", "store_b16_d16_hi", 2, 16, 9},
    {ATOMIC, "swap", "swap_b32", "wrxchg_rtn_b32", "storexchg_rtn_b32", 4, 's', 8},
    {ATOMIC, "add", "add_u32", "add_rtn_u32", "add_rtn_u32", 4, '+', 8},
    {ATOMIC, "sub", "sub_u32", "sub_rtn_u32", "sub_rtn_u32", 4, '-', 8},
    {ATOMIC, "smin", "min_i32", "min_rtn_i32", "min_rtn_i32", 4, 'm', 8},
    {ATOMIC, "umin", "min_u32", "min_rtn_u32", "min_rtn_u32", 4, 'u', 8},
    {ATOMIC, "smax", "max_i32", "max_rtn_i32", "max_rtn_i32", 4, 'M', 8},
    {ATOMIC, "umax", "max_u32", "max_rtn_u32", "max_rtn_u32", 4, 'U', 8},
    {ATOMIC, "and", "and_b32", "and_rtn_b32", "and_rtn_b32", 4, '&', 8},
    {ATOMIC, "or", "or_b32", "or_rtn_b32", "or_rtn_b32", 4, '|', 8},
    {ATOMIC, "xor", "xor_b32", "xor_rtn_b32", "xor_rtn_b32", 4, '^', 8},
    {ATOMIC, "inc", "inc_u32", "inc_rtn_u32", "inc_rtn_u32", 4, 'i', 8},
    {ATOMIC, "dec", "dec_u32", "dec_rtn_u32", "dec_rtn_u32", 4, 'd', 8},
    {ATOMIC, "cmpswap", "cmpswap_b32", NULL, NULL, 4, 'c', 8},
    {ATOMIC, "swap_x2", "swap_b64", "wrxchg_rtn_b64", "storexchg_rtn_b64", 8, 's', 8},
    {ATOMIC, "add_x2", "add_u64", "add_rtn_u64", "add_rtn_u64", 8, '+', 8},
    {ATOMIC, "smax_x2", "max_i64", "max_rtn_i64", "max_rtn_i64", 8, 'M', 8},
    {ATOMIC, "umin_x2", "min_u64", "min_rtn_u64", "min_rtn_u64", 8, 'u', 8},
    {ATOMIC, "xor_x2", "xor_b64", "xor_rtn_b64", "xor_rtn_b64", 8, '^', 8},
    {ATOMIC, "dec_x2", "dec_u64", "dec_rtn_u64", "dec_rtn_u64", 8, 'd', 8},
    {ATOMIC, "cmpswap_x2", "cmpswap_b64", NULL, NULL, 8, 'c', 8},
};
enum { ACCESSES = sizeof accesses / sizeof *accesses };

/* v20.. for loads and results, v8.. for data; as wide as wanted. */
static void registers(unsigned first, unsigned dwords, char *text, size_t size) {
    if (dwords == 1) snprintf(text, size, "v%u", first);
    else snprintf(text, size, "v[%u:%u]", first, first + dwords - 1);

}

/* The instruction text, or false when the target has no such thing. `offset` is in bytes. */
static bool instruction(const char *target, const access *a, form f, unsigned offset, char *text,
                        size_t size) {
    int g = generation(target);
    bool gfx940 = !strcmp(target, "gfx942") || !strcmp(target, "gfx950");
    const char *name = g < 11 ? a->old : a->new;
    const char *verb = a->kind == LOAD ? "load" : a->kind == STORE ? "store" : "atomic";
    unsigned dwords = (a->bytes + 3) / 4, wide = a->extend == 'c' ? 2 * dwords : dwords;
    char d[32], s[32], what[64], tail[20] = "";
    registers(20, dwords, d, sizeof d);
    registers(8, wide, s, sizeof s);
    const char *returns = a->kind != ATOMIC ? "" : g >= 12 ? " th:TH_ATOMIC_RETURN" : gfx940 ? " sc0" : " glc";
    if (g < a->from) return false;
    if (offset) snprintf(tail, sizeof tail, " offset:%u", offset);
    const char *space = f <= GLOBAL_SADDR ? "global" : f <= FLAT_PRIVATE ? "flat" : f <= SCRATCH_SADDR ? "scratch" : "buffer";
    if (g == 8 && (f <= GLOBAL_SADDR || f == SCRATCH || f == SCRATCH_SADDR)) return false;
    if (a->kind == ATOMIC && (f == SCRATCH || f == SCRATCH_SADDR || f == BUFFER_PRIVATE)) return false;
    if (a->kind == ATOMIC && f == FLAT_PRIVATE && a->bytes == 8) return false; /* not one element */
    snprintf(what, sizeof what, "%s_%s_%s", space, verb, name);
    const char *address;
    switch (f) {
    case GLOBAL: address = "v[2:3]"; break;
    case GLOBAL_SADDR: address = "v6"; break;
    case FLAT: case FLAT_LDS: case FLAT_PRIVATE:
        if (offset && (g == 8 || g == 10)) return false;
        address = "v[2:3]";
        break;
    case SCRATCH: address = "v6"; break;
    case SCRATCH_SADDR: address = "off"; break;
    case BUFFER: {
        const char *so = g >= 12 ? "null" : "0";
        snprintf(text, size, "buffer_%s_%s %s, v6, s[8:11], %s offen%s%s", verb, name,
                 a->kind == LOAD ? d : s, so, tail, returns);
        return true;
    }
    case BUFFER_PRIVATE:
        if (g > 10 || gfx940) return false;
        snprintf(text, size, "buffer_%s_%s %s, v6, s[16:19], s12 offen%s", verb, name,
                 a->kind == LOAD ? d : s, tail);
        return true;
    default: /* DS */
        name = g < 11 ? a->ds_old : a->ds_new;
        if (!name) return false;
        if (a->kind == STORE) snprintf(text, size, "ds_%s v6, %s%s", name, s, tail);
        else if (a->kind == LOAD) snprintf(text, size, "ds_%s %s, v6%s", name, d, tail);
        else snprintf(text, size, "ds_%s %s, v6, %s%s", name, d, s, tail);
        return true;
    }
    const char *base = f == GLOBAL || f == SCRATCH ? ", off" : f == GLOBAL_SADDR ? ", s[2:3]"
                       : f == SCRATCH_SADDR ? ", s12" : "";
    if (a->kind == LOAD) snprintf(text, size, "%s %s, %s%s%s", what, d, address, base, tail);
    else if (a->kind == STORE) snprintf(text, size, "%s %s, %s%s%s", what, address, s, base, tail);
    else snprintf(text, size, "%s %s, %s, %s%s%s%s", what, d, address, s, base, tail, returns);
    return true;
}

enum { MAX_LINES = 1200 };

/* ---- the world that an instruction runs in ---- */

enum { AREA = 4096, SCRATCH_BYTES = 2048, STEP = 16, SADDR_OFFSET = 256 };

typedef struct world {
    ez_device *device;
    ez_wave *wave;
    unsigned lanes;
    uint8_t *area, *scratch;
    uint8_t lds[2048];
} world;

static void *translate(uint64_t address, uint32_t size, unsigned how, void *user) {
    const world *w = user;
    uint64_t area = (uint64_t)(uintptr_t)w->area, scratch = (uint64_t)(uintptr_t)w->scratch;
    (void)how;
    if (address >= area && address + size <= area + AREA) return (void *)(uintptr_t)address;
    if (address >= scratch && address + size <= scratch + (uint64_t)SCRATCH_BYTES * w->lanes)
        return (void *)(uintptr_t)address;
    return NULL;
}

static uint8_t pattern(unsigned lane, unsigned byte) { return (uint8_t)(lane * 37 + byte * 11 + 0x85); }
static uint32_t data_of(unsigned dword, unsigned lane) { return 0x9e3779b9u * (dword + 1) + 0x01010101u * lane; }

/* Where byte `at` of what a lane addresses lies. */
static uint8_t *place(world *w, form f, unsigned lane, unsigned at) {
    unsigned offset = lane * STEP + at;
    switch (f) {
    case FLAT_LDS: case DS: return w->lds + offset;
    case FLAT_PRIVATE: case SCRATCH: case BUFFER_PRIVATE:
    case SCRATCH_SADDR:
        /* every lane has its own bytes, interleaved by dwords */
        if (f == SCRATCH_SADDR || f == BUFFER_PRIVATE) offset = (f == BUFFER_PRIVATE ? offset : at) + SADDR_OFFSET;
        return w->scratch + (offset / 4 * w->lanes + lane) * 4 + offset % 4;
    default: return w->area + offset;
    }
}

static void set64(ez_wave *wave, unsigned sgpr, uint64_t value) {
    ez_wave_set_sgpr(wave, sgpr, (uint32_t)value);
    ez_wave_set_sgpr(wave, sgpr + 1, (uint32_t)(value >> 32));
}

static void set_resources(world *w, const char *target, form f) {
    int g = generation(target);
    uint64_t area = (uint64_t)(uintptr_t)w->area, scratch = (uint64_t)(uintptr_t)w->scratch;
    set64(w->wave, 8, area);
    if (g == 13) { /* 57 bits of base, then 45 of size */
        ez_wave_set_sgpr(w->wave, 9, (uint32_t)(area >> 32) | (uint32_t)AREA << 25);
        ez_wave_set_sgpr(w->wave, 10, AREA >> 7);
    } else {
        ez_wave_set_sgpr(w->wave, 10, AREA);
    }
    ez_wave_set_sgpr(w->wave, 11, g >= 10 ? 3u << 28 : 0); /* raw */
    set64(w->wave, 16, scratch | UINT64_C(1) << 63);
    ez_wave_set_sgpr(w->wave, 18, SCRATCH_BYTES * w->lanes);
    ez_wave_set_sgpr(w->wave, 19, 1u << 23 | (w->lanes == 64 ? 3u : 2u) << 21 | (g == 8 ? 1u << 19 : 0) |
                                      (g >= 10 ? 3u << 28 : 0));
    ez_wave_set_sgpr(w->wave, 12, f == BUFFER_PRIVATE ? SADDR_OFFSET * w->lanes : SADDR_OFFSET);
}

static void prepare(world *w, const char *target, const access *a, form f, uint64_t exec) {
    uint64_t area = (uint64_t)(uintptr_t)w->area, base = area;
    ez_memory *memory = (ez_memory *)w->wave->memory;
    ez_wave_reset(w->wave);
    ez_wave_set_memory(w->wave, memory);
    ez_wave_set_lds(w->wave, w->lds, sizeof w->lds);
    w->wave->shared_base = UINT64_C(1) << 48;
    w->wave->shared_limit = w->wave->shared_base | UINT32_MAX;
    w->wave->private_base = UINT64_C(2) << 48;
    w->wave->private_limit = w->wave->private_base | UINT32_MAX;
    w->wave->scratch_base = (uint64_t)(uintptr_t)w->scratch;
    w->wave->scratch_size = SCRATCH_BYTES;
    if (generation(target) == 13) {
        w->wave->private_base = UINT64_C(8) << 56;
        w->wave->private_limit = w->wave->private_base | ((UINT64_C(1) << 57) - 1);
    }
    if (f == FLAT_LDS) base = w->wave->shared_base;
    if (f == FLAT_PRIVATE) base = w->wave->private_base;
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        uint64_t address = base + STEP * lane;
        if (f == FLAT_PRIVATE && generation(target) == 13)
            address += (uint64_t)(uintptr_t)w->scratch / w->lanes + ((uint64_t)lane << 52);
        ez_wave_set_vgpr(w->wave, 2, lane, (uint32_t)address);
        ez_wave_set_vgpr(w->wave, 3, lane, (uint32_t)(address >> 32));
        ez_wave_set_vgpr(w->wave, 6, lane, STEP * lane);
        for (unsigned d = 0; d < 4; d++) {
            ez_wave_set_vgpr(w->wave, 8 + d, lane, data_of(d, lane));
            ez_wave_set_vgpr(w->wave, 20 + d, lane, 0xdeadbeef);
        }
        for (unsigned b = 0; b < STEP; b++)
            *place(w, f, lane, b) = pattern(lane, b);
        /* every other compare succeeds */
        if (a->extend == 'c' && lane % 2)
            for (unsigned b = 0; b < a->bytes; b++)
                *place(w, f, lane, b) = (uint8_t)(data_of(a->bytes / 4 + b / 4, lane) >> (8 * (b % 4)));
    }
    set64(w->wave, 2, area);
    set_resources(w, target, f);
    ez_wave_set(w->wave, EZ_WAVE_M0, 0xffffffff);
    ez_wave_set(w->wave, EZ_WAVE_EXEC, exec);
}

/* ---- what must come out ---- */

static uint64_t new_value(const access *a, uint64_t old, uint64_t src, uint64_t compare) {
    uint64_t top = a->bytes == 4 ? UINT64_C(0x80000000) : UINT64_C(1) << 63;
    bool less_signed = (src ^ top) < (old ^ top);
    switch (a->extend) {
    case 's': return src;
    case '+': return old + src;
    case '-': return old - src;
    case 'm': return less_signed ? src : old;
    case 'M': return less_signed ? old : src;
    case 'u': return src < old ? src : old;
    case 'U': return src < old ? old : src;
    case '&': return old & src;
    case '|': return old | src;
    case '^': return old ^ src;
    case 'i': return old >= src ? 0 : old + 1;
    case 'd': return old == 0 || old > src ? src : old - 1;
    default: return old == compare ? src : old;
    }
}

static uint32_t extended(const access *a, uint32_t value) {
    bool is_signed = a->extend == 1 || a->extend >= 6;
    if (is_signed && a->bytes == 1) value = (uint32_t)(int8_t)value;
    if (is_signed && a->bytes == 2) value = (uint32_t)(int16_t)value;
    switch (a->extend) {
    case 2: case 6: return (value & 0xffff) | 0xdead0000;
    case 3: case 7: return value << 16 | 0xbeef;
    default: return value;
    }
}

typedef struct lane_state {
    uint8_t memory[STEP];
    uint32_t d[4];
} lane_state;

static lane_state expected(const access *a, lane_state s, unsigned lane, unsigned offset) {
    uint64_t old = 0, src = data_of(0, lane), compare = data_of(a->bytes / 4, lane);
    if (a->bytes == 8) {
        src |= (uint64_t)data_of(1, lane) << 32;
        compare |= (uint64_t)data_of(3, lane) << 32;
    }
    switch (a->kind) {
    case LOAD:
        for (unsigned b = 0; b < a->bytes; b += 4) {
            uint32_t v = 0;
            for (unsigned i = 0; i < 4 && b + i < a->bytes; i++)
                v |= (uint32_t)s.memory[offset + b + i] << (8 * i);
            s.d[b / 4] = extended(a, v);
        }
        break;
    case STORE:
        for (unsigned b = 0; b < a->bytes; b++)
            s.memory[offset + b] = (uint8_t)(data_of(b / 4, lane) >> (8 * (b % 4) + a->extend));
        break;
    case ATOMIC:
        for (unsigned b = 0; b < a->bytes; b++)
            old |= (uint64_t)s.memory[offset + b] << (8 * b);
        uint64_t value = new_value(a, old, src, compare);
        for (unsigned b = 0; b < a->bytes; b++)
            s.memory[offset + b] = (uint8_t)(value >> (8 * b));
        s.d[0] = (uint32_t)old;
        if (a->bytes == 8) s.d[1] = (uint32_t)(old >> 32);
        break;
    }
    return s;
}

/* A buffer atomic returns the old value in place of its data. */
static unsigned result_register(const access *a, form f) { return a->kind == ATOMIC && f == BUFFER ? 8 : 20; }

static lane_state state_of(world *w, const access *a, form f, unsigned lane) {
    lane_state s;
    for (unsigned b = 0; b < STEP; b++)
        s.memory[b] = *place(w, f, lane, b);
    for (unsigned d = 0; d < 4; d++)
        s.d[d] = ez_wave_vgpr(w->wave, result_register(a, f) + d, lane);
    return s;
}

static unsigned run_one(world *w, const char *target, const access *a, form f, unsigned offset,
                        const line *code, const line *end) {
    static const uint64_t execs[] = {UINT64_MAX, UINT64_C(0x8000000180000001), UINT64_C(0x5555aaaa12345678)};
    uint8_t bytes[64];
    lane_state before[64];
    memcpy(bytes, code->bytes, code->size);
    memcpy(bytes + code->size, end->bytes, end->size);
    ez_program *program;
    assert_int_equal(ez_program_create(ez_target_find(target), w->lanes, bytes, code->size + end->size,
                                       0x1000, 0, &program), EZ_OK);
    unsigned bad = 0;
    for (unsigned e = 0; e < 3 && !bad; e++) {
        prepare(w, target, a, f, execs[e]);
        ez_wave_set(w->wave, EZ_WAVE_PC, 0x1000);
        for (unsigned lane = 0; lane < w->lanes; lane++)
            before[lane] = state_of(w, a, f, lane);
        if (ez_wave_run(w->wave, program, 10) != EZ_STOP_END) {
            const ez_fault *fault = ez_wave_fault_info(w->wave);
            print_error("%s %s: %s: %s, address %" PRIx64 "\n", target, code->text, ez_fault_text(fault->kind),
                        fault->reason, fault->address);
            bad++;
        }
        for (unsigned lane = 0; lane < w->lanes && !bad; lane++) {
            lane_state now = state_of(w, a, f, lane), want = before[lane];
            if (execs[e] >> lane & 1) want = expected(a, want, lane, offset);
            if (!memcmp(&now, &want, sizeof now)) continue;
            print_error("%s %s: lane %u: v20.. %08x %08x, want %08x %08x; memory %02x%02x%02x%02x, want"
                        " %02x%02x%02x%02x\n", target, code->text, lane, now.d[0], now.d[1], want.d[0],
                        want.d[1], now.memory[offset + 3], now.memory[offset + 2], now.memory[offset + 1], now.memory[offset],
                        want.memory[offset + 3], want.memory[offset + 2], want.memory[offset + 1], want.memory[offset]);
            bad++;
        }
    }
    ez_program_destroy(program);
    return bad;
}

/* Offsets that leave every access within the 16 bytes of its lane. Odd ones where no alignment is needed. */
static unsigned offset_of(const char *target, const access *a, form f, unsigned variant) {
    if (!variant) return 0;
    bool lds = f == DS || f == FLAT_LDS;
    bool any = a->kind != ATOMIC && !(lds && generation(target) == 8);
    unsigned offset = variant == 1 ? (any ? 3 : a->bytes) : a->bytes == 2 && any ? 5 : a->bytes;
    return offset + a->bytes <= STEP ? offset : 0;
}

typedef struct test {
    const access *access;
    form form;
    unsigned offset;
} test;

static unsigned run_target(const char *target) {
    static line lines[MAX_LINES];
    static test tests[MAX_LINES];
    unsigned count = 0, bad = 0;
    memset(lines, 0, sizeof lines);
    strcpy(lines[count++].text, "s_endpgm");
    for (unsigned f = 0; f < FORMS; f++)
        for (unsigned i = 0; i < ACCESSES; i++)
            for (unsigned variant = 0; variant < 3; variant++) {
                unsigned offset = offset_of(target, &accesses[i], f, variant);
                assert_true(count < MAX_LINES);
                if ((variant && !offset) || !instruction(target, &accesses[i], f, offset, lines[count].text,
                                                         sizeof lines[count].text))
                    continue;
                tests[count++] = (test){&accesses[i], f, offset};
            }
    assemble(target, lines, count);
    world w = {0};
    ez_memory memory = {.translate = translate, .user = &w};
    assert_int_equal(ez_wave_create(ez_target_find(target), 0, &w.wave), EZ_OK);
    ez_wave_set_memory(w.wave, &memory);
    w.lanes = ez_wave_lanes(w.wave);
    w.area = aligned_alloc(256, AREA);
    w.scratch = aligned_alloc(4096, SCRATCH_BYTES * 64);
    for (unsigned i = 1; i < count; i++)
        bad += run_one(&w, target, tests[i].access, tests[i].form, tests[i].offset, &lines[i], &lines[0]);
    print_message("%s: %u instructions, %u wrong\n", target, count - 1, bad);
    ez_wave_destroy(w.wave);
    free(w.area);
    free(w.scratch);
    return bad;
}

static void test_every_access(void **state) {
    (void)state;
    if (!have_llvm()) {
        print_message("skipped: llvm-mc-22 is not installed\n");
        skip();
    }
    unsigned bad = 0;
    for (unsigned t = 0; t < TARGETS; t++)
        bad += run_target(targets[t]);
    assert_int_equal(bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_access)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
