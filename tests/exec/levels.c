/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line for each form of each instruction: a hash of what it does to random registers and memory. The law is that the
 * lines are the same at each SIMD level (EXECZ_SIMD); simd.py compares them. What they should be other tests say.
 *
 *     exec_levels [RUNS [SEED [TARGET ...]]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "execz/execz.h"

enum { MEMORY = 1 << 16, LDS = 1 << 14 };
static _Alignas(64) uint8_t memory[MEMORY], lds[LDS];

static uint64_t random_state;
static uint64_t next(void) { /* splitmix64 */
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}
static uint32_t below(uint32_t n) { return (uint32_t)(next() >> 32) % n; }

static uint64_t hash;
static void add(uint64_t x) { hash = (hash ^ x) * UINT64_C(0x9e3779b97f4a7c15), hash ^= hash >> 29; }
static void add_bytes(const void *bytes, size_t size) {
    uint64_t x;
    for (size_t i = 0; i + 8 <= size; i += 8) memcpy(&x, (const uint8_t *)bytes + i, 8), add(x);
}

/* Every address is some byte of the memory, if the access ends there too. */
static void *translate(uint64_t address, uint32_t size, unsigned access, void *user) {
    uint32_t at = address & (MEMORY - 1);
    (void)access, (void)user;
    return size <= MEMORY - at ? memory + at : NULL;
}

/* Numbers that are special to some format, and random ones. */
static uint32_t number(void) {
    static const uint32_t special[] = {
        0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffc12345, 0xffa00000, 1, 0x80000001,
        0x007fffff, 0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3c003c00, 0x7c00fc00, 0x7e007d01, 0x00018001, 0x03ff83ff, 0x04007bff,
        0x7ff00000, 0xfff80000, 0x7ff00001, 0x000fffff, 0x00100000, 0x3ff00000, 0xbff00000, 0x7fefffff, 0xffffffff, 0x7fffffff, 64, 2, 0x40490fdb,
        0x4b000000, 0x4b800001, 0x4f000000, 0xcf000000, 0x5f000000, 0x33800000, 0x3effffff, 0x477fe000, 0x477ff000, 0x38800000, 0x33000000};
    uint32_t r = (uint32_t)(next() >> 32);
    switch (below(8)) {
    case 0: case 1: case 2: return special[below(sizeof special / sizeof *special)];
    case 3: return 0x3f000000 + (r & 0x81ffffff);     /* floats near 1 */
    case 4: return (r & 0x8fff8fff) + 0x38003800;     /* halves near 1 */
    case 5: return below(2) ? r & 63 : 0u - (r & 63); /* small integers */
    default: return r;
    }
}

/* Zeros and normal floats of moderate size: what rows of floats mostly hold. */
static uint32_t tame_number(void) { return below(16) ? ((uint32_t)(next() >> 32) & 0x81ffffff) + 0x3e000000 : below(2) << 31; }

/* `wild`: one of so many numbers is special or random; 0: none. */
static void fill(ez_wave *w, const ez_register_use *use, uint32_t wild) {
    unsigned lanes = ez_wave_lanes(w);
    bool vector = use->file == EZ_OPERAND_VGPR || use->file == EZ_OPERAND_AGPR;
    uint32_t pattern = below(10), base = wild ? number() : tame_number();
    for (unsigned d = 0; d < use->dwords; d++) {
        if (!vector) {
            if (use->implicit || use->file == EZ_OPERAND_SPECIAL) continue;
            ez_wave_set_sgpr(w, use->reg + d + (use->file == EZ_OPERAND_TTMP ? 108u : 0), number());
            continue;
        }
        for (unsigned lane = 0; lane < lanes; lane++) {
            uint32_t x = wild && !below(wild) ? number() : tame_number();
            if (pattern == 0) x = d % 2 ? base : (base & 0xfff0) + (4u << below(1)) * lane; /* addresses one after the other */
            if (pattern == 1) x = base;
            if (pattern == 2) x &= d % 2 ? 0 : 0xfffc;
            if (use->file == EZ_OPERAND_VGPR) ez_wave_set_vgpr(w, use->reg + d, lane, x);
            else ez_wave_set_agpr(w, use->reg + d, lane, x);
        }
    }
}

static uint64_t random_exec(void) {
    switch (below(4)) {
    case 0: return next();
    case 1: return next() & next() & next();
    default: return ~UINT64_C(0);
    }
}

static void set_fields(ez_wave *w) {
    uint32_t plain = below(2);
    ez_wave_set(w, EZ_WAVE_PC, 0);
    ez_wave_set(w, EZ_WAVE_EXEC, random_exec());
    ez_wave_set(w, EZ_WAVE_VCC, next() & (ez_wave_lanes(w) == 64 ? ~UINT64_C(0) : UINT32_MAX));
    ez_wave_set(w, EZ_WAVE_SCC, below(2));
    ez_wave_set(w, EZ_WAVE_M0, below(4) ? LDS : number());
    ez_wave_set(w, EZ_WAVE_ROUND32, plain ? 0 : below(4));
    ez_wave_set(w, EZ_WAVE_ROUND16_64, plain ? 0 : below(4));
    ez_wave_set(w, EZ_WAVE_DENORM32, below(2) ? 3 * below(2) : below(4));
    ez_wave_set(w, EZ_WAVE_DENORM16_64, below(2) ? 3 * below(2) : below(4));
    ez_wave_set(w, EZ_WAVE_DX10_CLAMP, below(2));
    ez_wave_set(w, EZ_WAVE_IEEE, below(2));
    ez_wave_set(w, EZ_WAVE_FLAGS, 0);
}

static void add_wave(const ez_wave *w, unsigned vgprs) {
    unsigned lanes = ez_wave_lanes(w);
    static uint32_t values[256 * 64];
    ez_wave_vgprs(w, 0, vgprs, values);
    add_bytes(values, 4ul * vgprs * lanes);
    for (unsigned code = 0; code < 128; code++) add(ez_wave_sgpr(w, code));
    for (int f = EZ_WAVE_PC; f <= EZ_WAVE_FLAGS; f++) add(ez_wave_get(w, (ez_wave_field)f));
}

/* Runs an instruction; false when it is none of that operation. */
static bool run(ez_wave *w, unsigned op, const uint8_t *bytes, unsigned options) {
    const ez_memory m = {.translate = translate};
    ez_register_use use[EZ_INST_MAX_REGISTERS];
    ez_inst inst;
    ez_program *p;
    if (ez_decode(ez_wave_target(w), ez_wave_lanes(w), bytes, EZ_INST_MAX_BYTES, &inst) != EZ_OK || inst.op != op) return false;
    if (ez_program_create(ez_wave_target(w), ez_wave_lanes(w), bytes, inst.size, 0, options, &p) != EZ_OK) exit(1);
    size_t count = ez_inst_registers(&inst, use, EZ_INST_MAX_REGISTERS);
    static const uint32_t wilds[] = {1, 1, 0, 100};
    uint32_t wild = wilds[below(4)];
    for (size_t i = 0; i < count; i++)
        if (use[i].read || !below(4)) fill(w, &use[i], wild);
    set_fields(w);
    ez_wave_set_memory(w, &m);
    ez_wave_set_lds(w, lds, LDS);
    ez_wave_set_scratch(w, 0x1000, 64);
    ez_stop stop = ez_wave_run(w, p, 1);
    const ez_fault *f = ez_wave_fault_info(w);
    add(stop), add(f->kind), add(stop == EZ_STOP_FAULT ? f->lane : 0), add(stop == EZ_STOP_FAULT ? f->address : 0);
    for (size_t i = 0; i < count; i++)
        for (unsigned d = 0; d < use[i].dwords; d++)
            for (unsigned lane = 0; lane < ez_wave_lanes(w); lane++)
                add(use[i].file == EZ_OPERAND_VGPR   ? ez_wave_vgpr(w, use[i].reg + d, lane)
                    : use[i].file == EZ_OPERAND_AGPR ? ez_wave_agpr(w, use[i].reg + d, lane)
                                                     : 0);
    add_wave(w, 1);
    ez_program_destroy(p);
    return true;
}

typedef struct form {
    ez_inst example;
    ez_op_bits bits[64];
    ez_op_operand operands[EZ_INST_MAX_OPERANDS];
    size_t bit_count, operand_count;
} form;

static bool is_operand(const form *f, const char *field) {
    for (size_t i = 0; i < f->operand_count; i++)
        if (!strcmp(field, f->operands[i].field)) return true;
    return false;
}

/* The example with other operands, and sometimes other modifiers. */
static void random_bytes(const form *f, uint8_t *bytes) {
    uint32_t word[EZ_INST_MAX_BYTES / 4];
    uint32_t modifiers = below(3), size = f->example.size / 4u;
    for (unsigned i = 0; i < EZ_INST_MAX_BYTES / 4; i++) word[i] = i < size ? f->example.word[i] : number();
    for (size_t i = 0; i < f->bit_count; i++) {
        const ez_op_bits *b = &f->bits[i];
        uint32_t mask = (b->high - b->low == 31 ? ~0u : (1u << (b->high - b->low + 1)) - 1) << b->low, value = (uint32_t)next() << b->low;
        if (b->fixed || !b->field || b->dword >= size || !strncmp(b->field, "op", strlen(b->field))) continue;
        if (!is_operand(f, b->field) && (modifiers == 0 || below(2))) continue;
        if (!strcmp(b->field, "offset")) value &= 0xfcu << b->low;
        word[b->dword] = (word[b->dword] & ~mask) | (value & mask);
    }
    for (unsigned i = 0; i < EZ_INST_MAX_BYTES; i++) bytes[i] = (uint8_t)(word[i / 4] >> 8 * (i % 4));
}

static void try_form(ez_wave *w, unsigned op, const ez_op_form *of, unsigned runs) {
    const ez_target *target = ez_wave_target(w);
    uint8_t bytes[EZ_INST_MAX_BYTES];
    form f;
    unsigned done = 0;
    if (!ez_op_example(op, target, ez_wave_lanes(w), of->form, &f.example)) return;
    f.bit_count = ez_op_layout(op, target, of->form, f.bits, 64);
    f.operand_count = ez_op_operands(op, target, of->form, f.operands, EZ_INST_MAX_OPERANDS);
    if (f.operand_count > EZ_INST_MAX_OPERANDS) f.operand_count = EZ_INST_MAX_OPERANDS;
    hash = 0;
    for (unsigned n = 0; n < 20 * runs && done < runs; n++) {
        random_bytes(&f, bytes);
        done += run(w, op, bytes, below(8) ? 0 : EZ_PROGRAM_KEEP_FLAGS);
    }
    add_wave(w, 256);
    add_bytes(memory, MEMORY);
    add_bytes(lds, LDS);
    printf("%s wave%u %s %s: %u runs, %016" PRIx64 "\n", ez_target_name(target), ez_wave_lanes(w), ez_op_id(op), of->name, done, hash);
}

static void try_target(const ez_target *target, unsigned lanes, unsigned runs, uint64_t seed) {
    ez_wave *w;
    if (ez_wave_create(target, lanes, &w) != EZ_OK) return;
    for (unsigned op = 1; op <= ez_op_count(); op++) {
        ez_op_form forms[EZ_OP_FORMS_MAX];
        size_t count = ez_op_forms(op, target, forms, EZ_OP_FORMS_MAX);
        for (size_t i = 0; i < count; i++) {
            random_state = seed + op * UINT64_C(1000003) + i;
            ez_wave_reset(w);
            for (unsigned b = 0; b < MEMORY; b += 4) memcpy(memory + b, &(uint32_t){number()}, 4);
            for (unsigned b = 0; b < LDS; b += 4) memcpy(lds + b, &(uint32_t){number()}, 4);
            try_form(w, op, &forms[i], runs);
        }
    }
    ez_wave_destroy(w);
}

int main(int argc, char **argv) {
    static const char *const names[] = {"gfx803", "gfx906", "gfx90a", "gfx942", "gfx950", "gfx1030", "gfx1100", "gfx1150", "gfx1201", "gfx1250"};
    unsigned runs = argc > 1 ? (unsigned)atoi(argv[1]) : 20;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    size_t count = argc > 3 ? (size_t)argc - 3 : sizeof names / sizeof *names;
    for (size_t i = 0; i < count; i++) {
        const ez_target *target = ez_target_find(argc > 3 ? argv[3 + i] : names[i]);
        if (!target) return fprintf(stderr, "exec_levels: no target %s\n", argv[3 + i]), 2;
        try_target(target, 32, runs, seed);
        try_target(target, 64, runs, seed);
    }
    return 0;
}
