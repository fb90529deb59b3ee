/* SPDX-License-Identifier: Apache-2.0 */
#include "float_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <execz/exec.h>
#include <execz/text.h>

enum { LANES = 64, DST = 8, SOURCES = 4, WORST = 4, MODES = 16 };

bool float_full;
uint64_t float_random_state = 1;

/* ---- targets ---- */

typedef struct rules {
    const char *target;
    unsigned lanes;
    bool ieee_mode, dx10_mode;
    ref_mode mode; /* what the target makes of MODE; docs/errata.md */
} rules;
static const rules targets[] = {
    {"gfx803", 64, true, true, {.trig_256 = true}},
    {"gfx900", 64, true, true, {.minmax_denorm = true}},
    {"gfx908", 64, true, true, {.minmax_denorm = true}},
    {"gfx90a", 64, true, true, {.minmax_denorm = true, .dot2_flush = true}},
    {"gfx942", 64, true, true, {.minmax_denorm = true}},
    {"gfx950", 64, true, true, {.minmax_denorm = true}},
    {"gfx1010", 64, true, true, {.minmax_denorm = true}},
    {"gfx1030", 64, true, true, {.minmax_denorm = true}},
    {"gfx1100", 64, true, true, {.minmax_denorm = true, .dot_complement = true, .nans = REF_NANS_FIRST}},
    {"gfx1150", 64, true, true, {.minmax_denorm = true, .dot_complement = true, .nans = REF_NANS_FIRST}},
    {"gfx1200", 64, false, false, {.minmax_denorm = true, .nans = REF_NANS_NUMBER}},
    {"gfx1250", 32, false, false, {.minmax_denorm = true, .nans = REF_NANS_NUMBER}},
};
static const rules *rules_of(const char *target) {
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (!strcmp(targets[i].target, target)) return &targets[i];
    fprintf(stderr, "no rules for %s\n", target);
    exit(2);
}

/* ---- operands ---- */

static uint64_t random64(void) { /* SplitMix64 */
    uint64_t z = float_random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static const uint64_t special16[] = {0x0000, 0x0001, 0x0155, 0x03ff, 0x0400, 0x0401, 0x1400, 0x3800, 0x3bff, 0x3c00,
                                     0x3c01, 0x3e00, 0x4000, 0x4200, 0x63ff, 0x6400, 0x6801, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7e55};
static const uint64_t special_b16[] = {0x0000, 0x0001, 0x0055, 0x007f, 0x0080, 0x0081, 0x3300, 0x3f00, 0x3f7f, 0x3f80, 0x3f81,
                                       0x3fc0, 0x4000, 0x4040, 0x4b00, 0x4f00, 0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fd5};
static const uint64_t special32[] = {
    0x00000000, 0x00000001, 0x00400000, 0x007fffff, 0x00800000, 0x00800001, 0x01000000, 0x0c000000, 0x33000000,
    0x33800000, 0x387fefff, 0x387ff000, 0x38ffe000, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000,
    0x40000000, 0x40200000, 0x40400000, 0x437f8000, 0x477fe000, 0x477ff000, 0x4b000000, 0x4b7fffff, 0x4effffff, 0x4f000000,
    0x4f800000, 0x73000000, 0x7e800000, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fd55555};
static const uint64_t special64[] = {
    0, 1, 0x8000000000000, 0xfffffffffffff, 0x10000000000000, 0x10000000000001, 0x20000000000000,
    0x0380000000000000, 0x3690000000000000, 0x36a0000000000000, 0x380fffffd0000000, 0x380fffffe0000000, 0x380ffffff0000000,
    0x3810000000000000, 0x3cb0000000000000, 0x3fdfffffffffffff, 0x3fe0000000000000, 0x3fefffffffffffff, 0x3ff0000000000000,
    0x3ff0000000000001, 0x3ff8000000000000, 0x4000000000000000, 0x4008000000000000, 0x41dfffffffc00000, 0x41e0000000000000,
    0x41efffffffe00000, 0x41f0000000000000, 0x4330000000000000, 0x433fffffffffffff, 0x47efffffe0000000, 0x47effffff0000000,
    0x7fd0000000000000, 0x7fe0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff0000000000001, 0x7ff8000000000000,
    0x7ffaaaaaaaaaaaaa};
static const uint64_t special_integer[] = {0, 1, 2, 10, 11, 14, 15, 16, 24, 25, 126, 127, 128, 149, 150, 1022, 1023, 1024,
                                           1074, 2098, 0x7fff, 0x8000, 0x7fffffff, 0x80000000, 0xffffff, 0x1000001, 0xffffff7f};

typedef struct list {
    const uint64_t *at;
    size_t count; /* each with both signs */
} list;
#define LIST(A) {A, sizeof(A) / sizeof *(A)}
static const list specials[REF_FORMATS] = {
    [REF_F16] = LIST(special16), [REF_BF16] = LIST(special_b16), [REF_F32] = LIST(special32), [REF_F64] = LIST(special64),
    [REF_I16] = LIST(special_integer), [REF_U16] = LIST(special_integer), [REF_I32] = LIST(special_integer),
    [REF_U32] = LIST(special_integer), [REF_BITS] = LIST(special_integer)};

/* The elements of a packed format. */
static ref_format element_of(ref_format f, unsigned *count, unsigned *bits) {
    *count = f == REF_FP8 || f == REF_BF8 ? 4 : f >= REF_PK_F16 ? 2 : 1;
    ref_format e = f == REF_PK_F16 ? REF_F16 : f == REF_PK_BF16 ? REF_BF16 : f == REF_PK_F32 ? REF_F32 : f;
    *bits = e < REF_FORMATS ? ref_layouts[e].bits : 0;
    return e;
}

static size_t special_count(ref_format f) {
    unsigned count, bits;
    ref_format e = element_of(f, &count, &bits);
    return count == 4 ? 64 : 2 * specials[e].count;
}

/* The other elements of a packed operand are special numbers that change with the first. */
static uint64_t special(ref_format f, size_t i) {
    unsigned count, bits;
    ref_format e = element_of(f, &count, &bits);
    if (count == 4) return random64() & 0xffffffff;
    uint64_t all = 0;
    for (unsigned n = 0; n < count; n++, i = (i * 7 + 5) % (2 * specials[e].count)) {
        uint64_t x = specials[e].at[i / 2];
        if (i % 2) x = ref_is_float(e) ? ref_negated(e, x) : 0 - x;
        all |= x << bits * n;
    }
    return all;
}

/* Exponents near each other make operations interesting, so that they are drawn from a part of the range that is
 * chosen anew for each set of operands. */
static uint64_t random_value(ref_format f, uint64_t around) {
    unsigned count, bits;
    ref_format e = element_of(f, &count, &bits);
    if (!ref_is_float(e) || count == 4) return random64() >> (random64() & 63);
    const ref_layout *l = &ref_layouts[e];
    unsigned exponents = 2 * l->bias + 2, spread = l->fraction + 4;
    uint64_t all = 0;
    for (unsigned n = 0; n < count; n++) {
        uint64_t fraction = random64() & ((UINT64_C(1) << l->fraction) - 1), sign = random64() & 1;
        if (random64() % 4 == 0) fraction &= random64() & random64() & random64(); /* few bits: ties */
        uint64_t exponent = around % 3 ? (around / 3 + random64() % spread) % exponents : random64() % exponents;
        all |= (sign << (l->bits - 1) | exponent << l->fraction | fraction) << bits * n;
    }
    return all;
}

/* ---- programs ---- */

typedef struct machine {
    const float_test *test;
    const rules *rules;
    ez_wave *wave;
    ez_program *program;
    uint8_t code[1024];
    size_t size;
    bool failed;
    unsigned sources, omod;
    bool clamp;
} machine;

static void assemble(machine *m, const char *text, void (*note)(unsigned op)) {
    const ez_target *target = ez_target_find(m->rules->target);
    for (const char *at = text; *at; at += *at == '\n') {
        size_t length = strcspn(at, "\n");
        ez_inst inst;
        ez_error err;
        if (ez_parse(target, m->rules->lanes, EZ_TEXT_DEFAULT, at, length, &inst, &err) != EZ_OK) {
            fprintf(stderr, "%s: %.*s: %s\n", m->rules->target, (int)length, at, err.message);
            m->failed = true;
            return;
        }
        if (note) note(inst.op);
        else m->size += ez_encode(&inst, m->code + m->size);
        at += length;
    }
}

static bool is_scalar(const char *text) { return !strncmp(text, "s_", 2) || !strncmp(text, "v_s_", 4); }

/* A scalar instruction takes one lane after the other. */
static void assemble_scalar(machine *m, const char *text) {
    char line[100];
    assemble(m, "s_mov_b32 s20, 0", NULL);
    size_t loop = m->size;
    assemble(m, "v_readlane_b32 s0, v0, s20\nv_readlane_b32 s2, v2, s20\nv_readlane_b32 s4, v4, s20\ns_mov_b32 s8, s4", NULL);
    assemble(m, text, NULL);
    assemble(m, "v_writelane_b32 v8, s8, s20\ns_add_u32 s20, s20, 1", NULL);
    snprintf(line, sizeof line, "s_cmp_lt_u32 s20, %u", m->rules->lanes);
    assemble(m, line, NULL);
    snprintf(line, sizeof line, "s_cbranch_scc1 %u", 0xffffu & (unsigned)-(int)((m->size + 4 - loop) / 4));
    assemble(m, line, NULL);
}

static machine machine_of(const float_test *t) {
    machine m = {.test = t, .rules = rules_of(t->target)};
    while (m.sources < SOURCES && t->source[m.sources] != REF_ABSENT) m.sources++;
    m.clamp = strstr(t->text, " clamp");
    m.omod = strstr(t->text, "mul:2") ? 1 : strstr(t->text, "mul:4") ? 2 : strstr(t->text, "div:2") ? 3 : 0;
    return m;
}

static bool prepare(machine *m) {
    const ez_target *target = ez_target_find(m->rules->target);
    if (is_scalar(m->test->text)) assemble_scalar(m, m->test->text);
    else assemble(m, m->test->text, NULL);
    assemble(m, "s_endpgm", NULL);
    return !m->failed && ez_wave_create(target, m->rules->lanes, &m->wave) == EZ_OK &&
           ez_program_create(target, m->rules->lanes, m->code, m->size, 0, 0, &m->program) == EZ_OK;
}

void float_instructions(const float_test *t, void (*note)(unsigned op)) {
    machine m = machine_of(t);
    assemble(&m, t->text, note);
}

/* ---- running ---- */

typedef struct tally {
    uint64_t done, wrong, worst; /* worst: ULP, where a bound is given */
} tally;

/* The mode as the reference sees it. */
static ref_mode mode_for(const machine *m, const ref_mode *set) {
    ref_mode r = *set;
    if (m->test->flags & AS_F32) r.round16_64 = r.round32, r.denorm16_64 = r.denorm32;
    if (m->test->flags & NEAREST) r.round32 = r.round16_64 = 0;
    if (m->test->flags & RTZ) r.round32 = r.round16_64 = 3;
    if (m->test->flags & FLUSHES) r.denorm32 = r.denorm16_64 = 0;
    if (m->test->flags & KEEPS) r.denorm16_64 = 3;
    return r;
}

static uint64_t expected_of(const machine *m, const uint64_t in[SOURCES], const ref_mode *mode) {
    const float_test *t = m->test;
    unsigned count, bits, source_count;
    ref_format result = element_of(t->result, &count, &bits), first = element_of(t->source[0], &source_count, &(unsigned){0});
    bool each = count > 1 && source_count > 1;
    uint64_t all = 0;
    for (unsigned n = 0; n < (each ? count : 1); n++) {
        ref_call c = {.result = t->result, .mode = mode};
        if (each) c.result = result;
        for (unsigned i = 0; i < m->sources; i++) {
            c.source[i] = each ? first : t->source[i];
            c.in[i] = each ? in[i] >> bits * n & (UINT64_MAX >> (64 - bits)) : in[i];
        }
        uint64_t r = t->reference(&c);
        if (m->omod || m->clamp) r = ref_output(c.result, r, m->omod, m->clamp, mode);
        all |= r << (each ? bits * n : 0);
    }
    return all;
}

static bool right(const float_test *t, uint64_t expected, uint64_t got, tally *y) {
    if (expected == got) return true;
    if (t->flags & ANY_NAN && ref_is_nan(t->result, expected) && ref_is_nan(t->result, got)) return true;
    if (!t->ulp || ref_is_nan(t->result, expected) || ref_is_nan(t->result, got)) return false;
    if (ref_is_zero(t->result, expected) || ref_is_inf(t->result, expected)) return false;
    uint64_t distance = ref_distance(t->result, expected, got);
    if (distance > y->worst) y->worst = distance;
    return distance <= t->ulp;
}

static uint64_t mask_of(ref_format f) {
    unsigned count, bits;
    ref_format e = element_of(f, &count, &bits);
    bits *= count;
    if (e == REF_I16 || e == REF_U16) bits = 16;
    if (!bits) bits = 32;
    return UINT64_MAX >> (64 - bits);
}

typedef struct batch {
    uint64_t in[LANES][SOURCES];
    unsigned count;
} batch;

static void write_sources(machine *m, batch *b) {
    for (unsigned lane = 0; lane < m->rules->lanes; lane++) {
        bool quad = m->test->flags & QUAD;
        uint64_t *in = b->in[lane < b->count ? lane : quad && (lane & ~3u) < b->count ? lane & ~3u : 0];
        if (quad && lane < b->count) in[0] = b->in[lane & ~3u][0], in[2] = b->in[lane & ~3u][2];
        for (unsigned n = 0; n < m->sources; n++) {
            ez_wave_set_vgpr(m->wave, 2 * n, lane, (uint32_t)in[n]);
            ez_wave_set_vgpr(m->wave, 2 * n + 1, lane, (uint32_t)(in[n] >> 32));
        }
        ez_wave_set_vgpr(m->wave, DST, lane, (uint32_t)in[2]);
        ez_wave_set_vgpr(m->wave, DST + 1, lane, (uint32_t)(in[2] >> 32));
    }
}

static void run(machine *m, batch *b, const ref_mode *mode, tally *y) {
    const float_test *t = m->test;
    write_sources(m, b);
    ez_wave_set(m->wave, EZ_WAVE_PC, 0);
    ez_wave_set(m->wave, EZ_WAVE_EXEC, UINT64_MAX);
    if (ez_wave_run(m->wave, m->program, 0) != EZ_STOP_END) {
        printf("%s: %s\n", t->text, ez_wave_fault_info(m->wave)->reason);
        y->wrong++;
        b->count = 0;
        return;
    }
    ref_mode seen = mode_for(m, mode);
    for (unsigned lane = 0; lane < b->count; lane++) {
        const uint64_t *in = b->in[lane];
        uint64_t expected = expected_of(m, in, &seen);
        uint64_t got = (ez_wave_vgpr(m->wave, DST, lane) | (uint64_t)ez_wave_vgpr(m->wave, DST + 1, lane) << 32) & mask_of(t->result);
        y->done++;
        if (right(t, expected, got, y)) continue;
        if (y->wrong++ < WORST)
            printf("%s %s: round %u %u, denormals %u %u%s%s: %" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 ": expected %" PRIx64
                   ", got %" PRIx64 "\n", t->target, t->text, mode->round32, mode->round16_64, mode->denorm32, mode->denorm16_64,
                   mode->ieee ? ", IEEE" : "", mode->fp16_ovfl ? ", FP16_OVFL" : "", in[0], in[1], in[2], in[3], expected, got);
    }
    b->count = 0;
}

static void add(machine *m, batch *b, const uint64_t in[SOURCES], const ref_mode *mode, tally *y) {
    memcpy(b->in[b->count++], in, sizeof b->in[0]);
    if (b->count == m->rules->lanes) run(m, b, mode, y);
}

static void all_operands(machine *m, const ref_mode *mode, unsigned random_sets, tally *y) {
    const float_test *t = m->test;
    static batch b;
    uint64_t in[SOURCES] = {0};
    b.count = 0;
    if (m->sources == 1 && mask_of(t->source[0]) == 0xffff) {
        for (in[0] = 0; in[0] < 65536; in[0] += 1) add(m, &b, in, mode, y);
        return;
    }
    size_t count[SOURCES] = {1, 1, 1, 1}, total = 1;
    for (unsigned n = 0; n < m->sources; n++) total *= count[n] = special_count(t->source[n]);
    /* of more than two only some, unless all are wanted; the step divides none of the counts */
    size_t step = float_full || m->sources < 3 ? 1 : total / 4096 | 1;
    while (step > 1 && (step % 3 == 0 || step % 11 == 0 || step % 19 == 0 || step % 7 == 0)) step += 2;
    if (m->sources > 3) step = total / (float_full ? 100000 : 4096) | 1; /* the fourth is but a bit */
    for (size_t i = random64() % step; i < total; i += step) {
        size_t left = i;
        for (unsigned n = 0; n < m->sources; n++) {
            in[n] = special(t->source[n], left % count[n]);
            left /= count[n];
        }
        add(m, &b, in, mode, y);
    }
    for (unsigned i = 0; i < random_sets; i++) {
        uint64_t around = random64() >> 8;
        for (unsigned n = 0; n < m->sources; n++) in[n] = random_value(t->source[n], around);
        add(m, &b, in, mode, y);
    }
    if (b.count) run(m, &b, mode, y);
}

/* ---- modes ---- */

/* 32: of floats, 16: of the others, 48: both, 0: neither */
static unsigned width_of(ref_format f) {
    unsigned count, bits;
    ref_format e = element_of(f, &count, &bits);
    return e == REF_F32 ? 32 : ref_is_float(e) && e != REF_FP8 && e != REF_BF8 ? 16 : 0;
}

static void set_mode(machine *m, const ref_mode *r) {
    uint32_t mode = r->round32 | r->round16_64 << 2 | r->denorm32 << 4 | r->denorm16_64 << 6 | (uint32_t)r->fp16_ovfl << 23;
    if (m->rules->dx10_mode) mode |= (uint32_t)r->dx10_clamp << 8;
    if (m->rules->ieee_mode) mode |= (uint32_t)r->ieee << 9;
    ez_wave_set(m->wave, EZ_WAVE_MODE, mode);
}

uint64_t float_check(const float_test *t) {
    machine m = machine_of(t);
    tally y = {0};
    if (!prepare(&m)) return 1;
    unsigned widths = width_of(t->result), times = 1;
    for (unsigned n = 0; n < m.sources; n++) widths |= width_of(t->source[n]);
    if (t->flags & IEEE && m.rules->ieee_mode) times *= 2;
    if (t->flags & OVERFLOWS) times *= 2;
    if (widths == 48) times *= 2;
    unsigned random_sets = float_full ? 100000 : 16000 / (MODES * times);
    if (t->flags & DEFAULT) random_sets = float_full ? 100000 : 20000;
    for (unsigned i = 0; i < MODES * times; i++) {
        unsigned round = i & 3, denorm = i >> 2 & 3, more = i / MODES;
        if (t->flags & DEFAULT && i != 3 << 2) continue;
        ref_mode r = m.rules->mode;
        /* what an instruction shall not look at changes with the rest */
        bool odd = (round ^ denorm ^ denorm >> 1) & 1, same = false;
        r.ieee = r.fp16_ovfl = odd;
        r.dx10_clamp = !m.rules->dx10_mode || !(round & 1);
        if (t->flags & IEEE && m.rules->ieee_mode) r.ieee = more & 1, more >>= 1;
        if (t->flags & OVERFLOWS) r.fp16_ovfl = more & 1, more >>= 1;
        if (widths == 48) same = more & 1;
        if (!m.rules->ieee_mode) r.ieee = false;
        r.keeps_signalling = m.rules->ieee_mode && !r.ieee;
        if (!strcmp(t->target, "gfx803")) r.fp16_ovfl = false; /* has none */
        r.round32 = widths & 32 ? round : 3 - round;
        r.round16_64 = !(widths & 32) || same ? round : 3 - round;
        r.denorm32 = widths & 32 ? denorm : 3 - denorm;
        r.denorm16_64 = !(widths & 32) || same ? denorm : 3 - denorm;
        set_mode(&m, &r);
        all_operands(&m, &r, random_sets, &y);
    }
    printf("%-9" PRIu64 " %-6" PRIu64 " %s %.*s", y.done, y.wrong, t->target, (int)strcspn(t->text, "\n"), t->text);
    if (t->ulp) printf("  (at most %" PRIu64 " ULP, allowed %u)", y.worst, t->ulp);
    puts("");
    ez_wave_destroy(m.wave);
    ez_program_destroy(m.program);
    return y.wrong;
}
