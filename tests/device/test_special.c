/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory instructions with rules of their own: two offsets, exchange between lanes, scalar memory, ranges of
 * buffers, float atomics, loads to LDS. One case is one instruction; bytes come from llvm-mc, results
 * from the ISA guides' text, worked out in each check.
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
#include "execz/exec.h"
#include "llvm_mc.h"

enum { AREA = 4096, LDS = 2048 };

/* Registers at the start: v2:3 area + 16 * lane, v6 16 * lane, v7 4 * lane, v8..v11 data; s2:3 area + 64,
 * s8:11 a raw buffer of 64 bytes, s12 8, s16:19 a buffer of 5 records of 16 bytes, m0 all ones. */
typedef struct world {
    const char *target;
    ez_wave *wave;
    unsigned lanes;
    uint64_t exec;
    uint32_t *area; /* dword i is 0x20000000 + i */
    uint32_t *lds;  /* dword i is 0x10000000 + i */
} world;

static void *translate(uint64_t address, uint32_t size, unsigned how, void *user) {
    const world *w = user;
    uint64_t offset = address - (uint64_t)(uintptr_t)w->area;
    (void)how;
    return offset < AREA && size <= AREA - offset ? (void *)(uintptr_t)address : NULL;
}

static uint32_t v(world *w, unsigned reg, unsigned lane) { return ez_wave_vgpr(w->wave, reg, lane); }
static uint32_t s(world *w, unsigned reg) { return ez_wave_sgpr(w->wave, reg); }
static uint32_t data(unsigned reg, unsigned lane) { return 0x9e3779b9u * reg + 0x01010101u * lane; }
static uint32_t area(unsigned i) { return 0x20000000 + i; }
static uint32_t lds(unsigned i) { return 0x10000000 + i; }
static bool active(world *w, unsigned lane) { return w->exec >> lane & 1; }
static bool same_f32(uint32_t bits, float f) { return !memcmp(&bits, &f, 4); }

#define EACH_LANE(lane) for (unsigned lane = 0; lane < w->lanes; lane++)
#define WANT(condition)                                                                              \
    do {                                                                                             \
        if (!(condition)) {                                                                          \
            print_error("%s: not so: %s\n", w->target, #condition);                                  \
            return false;                                                                            \
        }                                                                                            \
    } while (0)

/* ---- two offsets ---- */

static bool read2(world *w) {
    EACH_LANE(l) {
        WANT(v(w, 20, l) == (active(w, l) ? lds(4 * l + 1) : 0));
        WANT(v(w, 21, l) == (active(w, l) ? lds(4 * l + 3) : 0));
    }
    return true;
}
static bool read2st64_b64(world *w) { /* 8 * 64 bytes a unit; v7 = 4 * lane is aligned in every other lane */
    EACH_LANE(l) {
        WANT(v(w, 20, l) == (active(w, l) ? lds(0) : 0) && v(w, 21, l) == (active(w, l) ? lds(1) : 0));
        WANT(v(w, 22, l) == (active(w, l) ? lds(128) : 0) && v(w, 23, l) == (active(w, l) ? lds(129) : 0));
    }
    return true;
}
static bool write2_b64(world *w) {
    EACH_LANE(l)
        for (unsigned d = 0; d < 4; d++)
            WANT(w->lds[4 * l + d] == (active(w, l) ? data(8 + d, l) : lds(4 * l + d)));
    return true;
}
static bool wrxchg2(world *w) {
    EACH_LANE(l) {
        if (!active(w, l)) continue;
        WANT(v(w, 20, l) == lds(4 * l) && v(w, 21, l) == lds(4 * l + 2));
        WANT(w->lds[4 * l] == data(8, l) && w->lds[4 * l + 2] == data(9, l) && w->lds[4 * l + 1] == lds(4 * l + 1));
    }
    return true;
}

/* ---- lanes ---- */

static bool bpermute(world *w) { /* v6 + 8: lane 4 * l + 2 */
    EACH_LANE(l) {
        unsigned from = (4 * l + 2) % w->lanes;
        WANT(v(w, 20, l) == (active(w, l) && active(w, from) ? data(8, from) : 0));
    }
    return true;
}
static bool permute(world *w) { /* v7 + 4: to the next lane */
    EACH_LANE(l) {
        unsigned from = (l + w->lanes - 1) % w->lanes;
        WANT(v(w, 20, l) == (active(w, l) && active(w, from) ? data(8, from) : 0));
    }
    return true;
}
static bool swizzle_xor(world *w) {
    EACH_LANE(l)
        WANT(v(w, 20, l) == (active(w, l) && active(w, l ^ 5) ? data(8, l ^ 5) : 0));
    return true;
}
static bool swizzle_quad(world *w) { /* 3, 2, 1, 0 */
    EACH_LANE(l)
        WANT(v(w, 20, l) == (active(w, l) && active(w, l ^ 3) ? data(8, l ^ 3) : 0));
    return true;
}
static bool swizzle_broadcast(world *w) { /* of lane 3 in groups of 8 */
    EACH_LANE(l) {
        unsigned from = (l & ~7u) | 3;
        WANT(v(w, 20, l) == (active(w, l) && active(w, from) ? data(8, from) : 0));
    }
    return true;
}
static bool swizzle_rotate(world *w) { /* right by 2 within 32 lanes */
    EACH_LANE(l) {
        unsigned from = (l & ~31u) | ((l - 2) & 31);
        WANT(v(w, 20, l) == (active(w, l) && active(w, from) ? data(8, from) : 0));
    }
    return true;
}
static bool append(world *w) { /* m0 is 16 */
    unsigned count = (unsigned)__builtin_popcountll(w->exec);
    EACH_LANE(l)
        WANT(v(w, 20, l) == (active(w, l) ? lds(6) : 0));
    WANT(w->lds[6] == lds(6) + count);
    return true;
}
static void small_m0(world *w) { ez_wave_set(w->wave, EZ_WAVE_M0, 16); }

/* ---- scalar memory ---- */

static bool load4(world *w) {
    for (unsigned i = 0; i < 4; i++)
        WANT(s(w, 20 + i) == area(16 + 4 + i));
    return true;
}
static bool load_soffset(world *w) { WANT(s(w, 20) == area(16 + 2)); return true; }
static bool load_both(world *w) { WANT(s(w, 20) == area(16 + 2 + 4)); return true; }
static bool load_negative(world *w) { WANT(s(w, 20) == area(15)); return true; }
static bool buffer_load_end(world *w) { /* 64 bytes: 2 dwords are inside */
    WANT(s(w, 20) == area(14) && s(w, 21) == area(15) && s(w, 22) == 0 && s(w, 23) == 0);
    return true;
}
static bool load_i16(world *w) { /* the high half of dword 16: 0x2000 */ WANT(s(w, 20) == 0x2000); return true; }
static bool store2(world *w) { WANT(w->area[16] == s(w, 12) && w->area[17] == s(w, 13)); return true; }
static bool scalar_add(world *w) { WANT(s(w, 12) == area(16) && w->area[16] == area(16) + 8); return true; }

/* ---- ranges of buffers ---- */

static bool raw_load4(world *w) { /* 16 * lane + 8, 64 bytes: lane 3 is half inside */
    EACH_LANE(l)
        for (unsigned d = 0; d < 4; d++) {
            unsigned at = 4 * l + 2 + d;
            WANT(v(w, 20 + d, l) == (active(w, l) && at < 16 ? area(at) : 0));
        }
    return true;
}
static bool raw_store4(world *w) {
    EACH_LANE(l)
        for (unsigned d = 0; d < 4; d++) {
            unsigned at = 4 * l + d;
            WANT(w->area[at] == (active(w, l) && at < 16 ? data(8 + d, l) : area(at)));
        }
    return true;
}
static bool raw_atomic(world *w) {
    EACH_LANE(l) {
        if (!active(w, l)) continue;
        WANT(v(w, 8, l) == (l < 4 ? area(4 * l) : 0));
        WANT(w->area[4 * l] == (l < 4 ? area(4 * l) + data(8, l) : area(4 * l)));
    }
    return true;
}
static bool record_load(world *w) { /* index 0..; 5 records */
    EACH_LANE(l)
        WANT(v(w, 20, l) == (active(w, l) && l < 5 ? area(4 * l + 1) : 0));
    return true;
}
static void index_lanes(world *w) {
    EACH_LANE(l)
        ez_wave_set_vgpr(w->wave, 6, l, l);
}
/* Swizzled: 16 records of 16 bytes, interleaved by 8, elements of 4 bytes. */
static void swizzled(world *w) {
    index_lanes(w);
    bool two_bits = generation(w->target) >= 11;
    ez_wave_set_sgpr(w->wave, 17, s(w, 17) | (two_bits ? 1u << 30 : 1u << 31));
    ez_wave_set_sgpr(w->wave, 18, 16);
    ez_wave_set_sgpr(w->wave, 19, s(w, 19) | (generation(w->target) == 8 ? 1u << 19 : 0));
}
static bool swizzled_load(world *w) { /* offset 4: element 1 */
    EACH_LANE(l) {
        unsigned at = l / 8 * 16 * 8 + 1 * 4 * 8 + l % 8 * 4;
        WANT(v(w, 20, l) == (active(w, l) && l < 16 ? area(at / 4) : 0));
        at += 4 * 8; /* element 2 */
        WANT(v(w, 21, l) == (active(w, l) && l < 16 ? area(at / 4) : 0));
    }
    return true;
}

/* ---- float atomics: memory 1.5 everywhere, data 0.25 * lane; lane 1 a denormal, lane 2 a NaN ---- */

static void floats(world *w) {
    for (unsigned i = 0; i < AREA / 4; i++)
        w->area[i] = 0x3fc00000;
    for (unsigned i = 0; i < LDS / 4; i++)
        w->lds[i] = 0x3fc00000;
    EACH_LANE(l) {
        float f = 0.25f * (float)l;
        uint32_t bits;
        memcpy(&bits, &f, 4);
        if (l == 2) bits = 0x7fa00000;
        ez_wave_set_vgpr(w->wave, 8, l, bits);
    }
    w->area[4] = w->lds[4] = 1; /* lane 1: 2^-149 ... */
    ez_wave_set_vgpr(w->wave, 8, 1, 2);
}
static bool sums(world *w, const uint32_t *memory, bool keeps) {
    EACH_LANE(l) {
        if (!active(w, l)) continue;
        if (l == 1) WANT(memory[4] == (keeps ? 3u : 0u));
        else if (l == 2) WANT(memory[8] == 0x7fe00000);
        else WANT(same_f32(memory[4 * l], 1.5f + 0.25f * (float)l));
    }
    return true;
}
static bool global_add_f32(world *w) { /* [LLVM] memory-atomic-fadd-f32-denormal-support: gfx940, gfx12 */
    bool keeps = generation(w->target) >= 11 || !strcmp(w->target, "gfx942") || !strcmp(w->target, "gfx950");
    return sums(w, w->area, keeps);
}
static bool ds_add_f32(world *w) { return sums(w, w->lds, false); }
static bool ds_add_f32_denorm(world *w) { return sums(w, w->lds, true); }
static void floats_denorm(world *w) {
    floats(w);
    ez_wave_set(w->wave, EZ_WAVE_DENORM32, 3);
}
static bool ds_max_f32(world *w) {
    EACH_LANE(l) {
        if (!active(w, l) || l == 1) continue;
        /* a NaN as data leaves memory as it is, in both ways of maximum */
        float f = l == 2 || l < 6 ? 1.5f : 0.25f * (float)l;
        WANT(same_f32(w->lds[4 * l], f));
    }
    return true;
}
static void halves(world *w) {
    EACH_LANE(l)
        ez_wave_set_vgpr(w->wave, 8, l, 0x40003c00); /* 2, 1 */
    for (unsigned i = 0; i < LDS / 4; i++)
        w->area[i] = w->lds[i] = 0x3c00bc00; /* 1, -1 */
}
static bool pk_add(world *w) {
    EACH_LANE(l)
        if (active(w, l)) WANT(w->area[4 * l] == 0x42000000);
    return true;
}
static void doubles(world *w) {
    EACH_LANE(l) {
        double d = 0.5 + l, m = 1.0;
        uint64_t bits;
        memcpy(&bits, &d, 8);
        ez_wave_set_vgpr(w->wave, 8, l, (uint32_t)bits);
        ez_wave_set_vgpr(w->wave, 9, l, (uint32_t)(bits >> 32));
        memcpy((char *)w->area + 16 * l, &m, 8);
    }
}
static bool add_f64(world *w) {
    EACH_LANE(l) {
        double d;
        memcpy(&d, (char *)w->area + 16 * l, 8);
        if (active(w, l)) WANT(d == 1.5 + l);
    }
    return true;
}

/* ---- to LDS; offsets ---- */

static void no_m0(world *w) { ez_wave_set(w->wave, EZ_WAVE_M0, 32); }
static bool to_lds(world *w) { /* m0 32, offset 4 on both sides: dword 9 + lane is that of the lane */
    EACH_LANE(l)
        WANT(w->lds[9 + l] == (active(w, l) ? area(4 * l + 1) : lds(9 + l)));
    return true;
}
static bool to_lds4(world *w) {
    EACH_LANE(l)
        for (unsigned d = 0; d < 4; d++)
            WANT(w->lds[8 + 4 * l + d] == (active(w, l) ? area(4 * l + d) : lds(8 + 4 * l + d)));
    return true;
}
static bool buffer_to_lds(world *w) { /* 64 bytes of buffer, beyond them 0 */
    EACH_LANE(l)
        WANT(w->lds[8 + l] == (active(w, l) ? (l < 4 ? area(4 * l) : 0) : lds(8 + l)));
    return true;
}
static bool async_load(world *w) { /* LDS address v7 = 4 * lane, offset 4 */
    EACH_LANE(l)
        WANT(w->lds[1 + l] == (active(w, l) ? area(4 * l + 1) : lds(1 + l)));
    return true;
}
static bool negative_offset(world *w) { /* s2:3 + v6 - 16 */
    EACH_LANE(l)
        WANT(v(w, 20, l) == (active(w, l) ? area(16 + 4 * l - 4) : 0));
    return true;
}
static void minus4(world *w) {
    EACH_LANE(l)
        ez_wave_set_vgpr(w->wave, 6, l, (uint32_t)-4);
}
static bool before_base(world *w) {
    EACH_LANE(l)
        WANT(v(w, 20, l) == (active(w, l) ? area(15) : 0));
    return true;
}
static bool scaled(world *w) { /* v7 = 4 * lane elements of 8 bytes */
    EACH_LANE(l)
        WANT(v(w, 20, l) == (active(w, l) ? area(16 + 8 * l) : 0) && v(w, 21, l) == (active(w, l) ? area(17 + 8 * l) : 0));
    return true;
}
static bool block(world *w) { /* m0 = 0x20: register 5, dword 5 */
    EACH_LANE(l)
        WANT(v(w, 25, l) == (active(w, l) ? area(4 * l + 5) : 0) && v(w, 24, l) == 0);
    return true;
}

typedef struct special {
    int from, to; /* generations; only: a target of its own */
    const char *only, *text;
    void (*setup)(world *);
    bool (*check)(world *);
} special;

static void zero_v7(world *w) {
    EACH_LANE(l)
        ez_wave_set_vgpr(w->wave, 7, l, 0);
}

static const special specials[] = {
    {8, 10, NULL, "ds_read2_b32 v[20:21], v6 offset0:1 offset1:3", NULL, read2},
    {11, 13, NULL, "ds_load_2addr_b32 v[20:21], v6 offset0:1 offset1:3", NULL, read2},
    {8, 10, NULL, "ds_read2st64_b64 v[20:23], v7 offset1:1", zero_v7, read2st64_b64},
    {11, 13, NULL, "ds_load_2addr_stride64_b64 v[20:23], v7 offset1:1", zero_v7, read2st64_b64},
    {8, 10, NULL, "ds_write2_b64 v6, v[8:9], v[10:11] offset0:0 offset1:1", NULL, write2_b64},
    {11, 13, NULL, "ds_store_2addr_b64 v6, v[8:9], v[10:11] offset0:0 offset1:1", NULL, write2_b64},
    {8, 10, NULL, "ds_wrxchg2_rtn_b32 v[20:21], v6, v8, v9 offset1:2", NULL, wrxchg2},
    {11, 13, NULL, "ds_storexchg_2addr_rtn_b32 v[20:21], v6, v8, v9 offset1:2", NULL, wrxchg2},
    {8, 13, NULL, "ds_bpermute_b32 v20, v6, v8 offset:8", NULL, bpermute},
    {8, 13, NULL, "ds_permute_b32 v20, v7, v8 offset:4", NULL, permute},
    {8, 13, NULL, "ds_swizzle_b32 v20, v8 offset:swizzle(SWAP,1)", NULL, NULL},
    {8, 13, NULL, "ds_swizzle_b32 v20, v8 offset:0x141f", NULL, swizzle_xor},
    {8, 13, NULL, "ds_swizzle_b32 v20, v8 offset:swizzle(QUAD_PERM,3,2,1,0)", NULL, swizzle_quad},
    {8, 13, NULL, "ds_swizzle_b32 v20, v8 offset:swizzle(BROADCAST,8,3)", NULL, swizzle_broadcast},
    {9, 13, NULL, "ds_swizzle_b32 v20, v8 offset:swizzle(ROTATE,1,2)", NULL, swizzle_rotate},
    {8, 13, NULL, "ds_append v20 offset:8", small_m0, append},

    {8, 10, NULL, "s_load_dwordx4 s[20:23], s[2:3], 0x10", NULL, load4},
    {11, 13, NULL, "s_load_b128 s[20:23], s[2:3], 0x10", NULL, load4},
    {8, 10, NULL, "s_load_dword s20, s[2:3], s12", NULL, load_soffset},
    {11, 13, NULL, "s_load_b32 s20, s[2:3], s12", NULL, load_soffset},
    {9, 10, NULL, "s_load_dword s20, s[2:3], s12 offset:0x10", NULL, load_both},
    {11, 13, NULL, "s_load_b32 s20, s[2:3], s12 offset:0x10", NULL, load_both},
    {9, 10, NULL, "s_load_dword s20, s[2:3], -0x4", NULL, load_negative},
    {11, 13, NULL, "s_load_b32 s20, s[2:3], -0x4", NULL, load_negative},
    {8, 10, NULL, "s_buffer_load_dwordx4 s[20:23], s[8:11], 0x38", NULL, buffer_load_end},
    {11, 13, NULL, "s_buffer_load_b128 s[20:23], s[8:11], 0x38", NULL, buffer_load_end},
    {12, 13, NULL, "s_load_i16 s20, s[2:3], 0x2", NULL, load_i16},
    {8, 9, NULL, "s_store_dwordx2 s[12:13], s[2:3], 0x0", NULL, store2},
    {9, 9, "gfx900", "s_atomic_add s12, s[2:3], 0x0 glc", NULL, scalar_add},

    {8, 10, NULL, "buffer_load_dwordx4 v[20:23], v6, s[8:11], 0 offen offset:8", NULL, raw_load4},
    {11, 11, NULL, "buffer_load_b128 v[20:23], v6, s[8:11], 0 offen offset:8", NULL, raw_load4},
    {12, 13, NULL, "buffer_load_b128 v[20:23], v6, s[8:11], null offen offset:8", NULL, raw_load4},
    {8, 10, NULL, "buffer_store_dwordx4 v[8:11], v6, s[8:11], 0 offen", NULL, raw_store4},
    {12, 13, NULL, "buffer_store_b128 v[8:11], v6, s[8:11], null offen", NULL, raw_store4},
    {8, 10, NULL, "buffer_atomic_add v8, v6, s[8:11], 0 offen glc", NULL, raw_atomic},
    {12, 13, NULL, "buffer_atomic_add_u32 v8, v6, s[8:11], null offen th:TH_ATOMIC_RETURN", NULL, raw_atomic},
    {9, 10, NULL, "buffer_load_dword v20, v6, s[16:19], 0 idxen offset:4", index_lanes, record_load},
    {11, 11, NULL, "buffer_load_b32 v20, v6, s[16:19], 0 idxen offset:4", index_lanes, record_load},
    {12, 12, NULL, "buffer_load_b32 v20, v6, s[16:19], null idxen offset:4", index_lanes, record_load},
    {8, 10, NULL, "buffer_load_dwordx2 v[20:21], v6, s[16:19], 0 idxen offset:4", swizzled, swizzled_load},
    {11, 11, NULL, "buffer_load_b64 v[20:21], v6, s[16:19], 0 idxen offset:4", swizzled, swizzled_load},

    {9, 9, "gfx908", "global_atomic_add_f32 v[2:3], v8, off", floats, global_add_f32},
    {9, 9, "gfx90a", "global_atomic_add_f32 v[2:3], v8, off", floats, global_add_f32},
    {9, 9, "gfx942", "global_atomic_add_f32 v[2:3], v8, off", floats, global_add_f32},
    {11, 13, NULL, "global_atomic_add_f32 v[2:3], v8, off", floats, global_add_f32},
    {8, 13, NULL, "ds_add_f32 v6, v8", floats, ds_add_f32},
    {8, 13, NULL, "ds_add_f32 v6, v8", floats_denorm, ds_add_f32_denorm},
    {8, 11, NULL, "ds_max_f32 v6, v8", floats, ds_max_f32},
    {12, 13, NULL, "ds_max_num_f32 v6, v8", floats, ds_max_f32},
    {9, 9, "gfx90a", "global_atomic_pk_add_f16 v[2:3], v8, off", halves, pk_add},
    {12, 13, NULL, "global_atomic_pk_add_f16 v[2:3], v8, off", halves, pk_add},
    {9, 9, "gfx90a", "global_atomic_add_f64 v[2:3], v[8:9], off", doubles, add_f64},
    {9, 9, "gfx950", "global_atomic_add_f64 v[2:3], v[8:9], off", doubles, add_f64},

    {9, 9, "gfx942", "global_load_lds_dword v[2:3], off offset:4", no_m0, to_lds},
    {9, 9, "gfx950", "global_load_lds_dwordx4 v[2:3], off", no_m0, to_lds4},
    {9, 9, "gfx900", "buffer_load_dword v6, s[8:11], 0 offen lds", no_m0, buffer_to_lds},
    {13, 13, NULL, "global_load_async_to_lds_b32 v7, v[2:3], off offset:4", NULL, async_load},
    {9, 13, NULL, "global_load_dword v20, v6, s[2:3] offset:-16", NULL, negative_offset},
    {13, 13, NULL, "global_load_b32 v20, v6, s[2:3]", minus4, before_base},
    {13, 13, NULL, "global_load_b64 v[20:21], v7, s[2:3] scale_offset", NULL, scaled},
    {12, 13, NULL, "global_load_block v[20:51], v[2:3], off", no_m0, block},
};
enum { SPECIALS = sizeof specials / sizeof *specials };

static void set64(ez_wave *wave, unsigned sgpr, uint64_t value) {
    ez_wave_set_sgpr(wave, sgpr, (uint32_t)value);
    ez_wave_set_sgpr(wave, sgpr + 1, (uint32_t)(value >> 32));
}

static void prepare(world *w, const ez_memory *memory) {
    int g = generation(w->target);
    uint64_t base = (uint64_t)(uintptr_t)w->area;
    ez_wave_reset(w->wave);
    ez_wave_set_memory(w->wave, memory);
    ez_wave_set_lds(w->wave, w->lds, LDS);
    for (unsigned i = 0; i < AREA / 4; i++)
        w->area[i] = area(i);
    for (unsigned i = 0; i < LDS / 4; i++)
        w->lds[i] = lds(i);
    EACH_LANE(l) {
        ez_wave_set_vgpr(w->wave, 2, l, (uint32_t)(base + 16 * l));
        ez_wave_set_vgpr(w->wave, 3, l, (uint32_t)((base + 16 * l) >> 32));
        ez_wave_set_vgpr(w->wave, 6, l, 16 * l);
        ez_wave_set_vgpr(w->wave, 7, l, 4 * l);
        for (unsigned r = 8; r < 12; r++)
            ez_wave_set_vgpr(w->wave, r, l, data(r, l));
    }
    set64(w->wave, 2, base + 64);
    set64(w->wave, 8, base);
    ez_wave_set_sgpr(w->wave, 10, 64);
    if (g == 13) {
        ez_wave_set_sgpr(w->wave, 9, (uint32_t)(base >> 32) | UINT32_C(64) << 25);
        ez_wave_set_sgpr(w->wave, 10, 64 >> 7);
    }
    ez_wave_set_sgpr(w->wave, 11, g >= 10 ? 3u << 28 : 0);
    ez_wave_set_sgpr(w->wave, 12, 8);
    ez_wave_set_sgpr(w->wave, 13, 0x1234);
    set64(w->wave, 16, base | UINT64_C(16) << 48);
    ez_wave_set_sgpr(w->wave, 18, 5);
    ez_wave_set_sgpr(w->wave, 19, g >= 10 ? 1u << 28 : 0); /* the index counts */
    ez_wave_set(w->wave, EZ_WAVE_M0, 0xffffffff);
    ez_wave_set(w->wave, EZ_WAVE_EXEC, w->exec);
}

static unsigned run_case(world *w, const ez_memory *memory, const special *c, const line *code, const line *end) {
    uint8_t bytes[64];
    memcpy(bytes, code->bytes, code->size);
    memcpy(bytes + code->size, end->bytes, end->size);
    ez_program *program;
    assert_int_equal(ez_program_create(ez_target_find(w->target), w->lanes, bytes, code->size + end->size, 0, 0, &program), EZ_OK);
    prepare(w, memory);
    if (c->setup) c->setup(w);
    bool good = ez_wave_run(w->wave, program, 10) == EZ_STOP_END;
    const ez_fault *f = ez_wave_fault_info(w->wave);
    if (!good)
        print_error("%s %s: %s: %s, address %" PRIx64 "\n", w->target, c->text, ez_fault_text(f->kind), f->reason, f->address);
    else if (c->check && !(good = c->check(w)))
        print_error("    in %s\n", c->text);
    ez_program_destroy(program);
    return !good;
}

static unsigned run_target(const char *target) {
    static const uint64_t execs[] = {UINT64_MAX, UINT64_C(0x8000000180000007), UINT64_C(0xf0f0ff001234567f)};
    line lines[SPECIALS + 1] = {0};
    const special *cases[SPECIALS + 1];
    unsigned count = 0, bad = 0;
    int g = generation(target);
    strcpy(lines[count++].text, "s_endpgm");
    for (unsigned i = 0; i < SPECIALS; i++) {
        const special *c = &specials[i];
        bool gfx940 = !strcmp(target, "gfx942") || !strcmp(target, "gfx950");
        if (g < c->from || g > c->to || (c->only && strcmp(c->only, target))) continue;
        if (gfx940 && strstr(c->text, " glc")) continue; /* named sc0 there */
        strcpy(lines[count].text, c->text);
        cases[count++] = c;
    }
    assemble(target, lines, count);
    world w = {.target = target};
    ez_memory memory = {.translate = translate, .user = &w};
    assert_int_equal(ez_wave_create(ez_target_find(target), 0, &w.wave), EZ_OK);
    w.lanes = ez_wave_lanes(w.wave);
    w.area = aligned_alloc(256, AREA);
    w.lds = aligned_alloc(256, LDS);
    for (unsigned e = 0; e < 3; e++)
        for (unsigned i = 1; i < count; i++) {
            w.exec = execs[e] & (w.lanes == 64 ? UINT64_MAX : UINT32_MAX);
            bad += run_case(&w, &memory, cases[i], &lines[i], &lines[0]);
        }
    ez_wave_destroy(w.wave);
    free(w.area);
    free(w.lds);
    return bad;
}

static void test_specials(void **state) {
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_specials)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
