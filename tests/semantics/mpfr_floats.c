/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Float operations against MPFR (ref_mpfr.c), in each rounding and denormal mode.
 *
 *     mpfr_floats [--full] [--only TEXT] [--seed N]
 *
 * One f16 operand: all 65,536 values. Otherwise all pairs or triples of special values, then random ones: in all modes
 * together 16,000 by default, 100,000 in each with --full. Operations that hardware approximates may be off by the bound
 * in their line; special values (infinities, NaNs, zeros) have to be right.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <execz/exec.h>
#include <execz/text.h>

#include "ref_mpfr.h"

enum { LANES = 64, DST = 8, WORST = 4 };

typedef struct test {
    const char *target, *text; /* from v[0:1], v[2:3], v[4:5] to v[8:9]; lines */
    ref_operation operation;
    ref_format result, source[3];
    unsigned ulp; /* 0: exact */
    unsigned flags;
} test;
enum {
    RTZ = 1,      /* rounds to zero in every mode */
    NEAREST = 2,  /* rounds to nearest in every mode */
    FLUSHES = 4,  /* takes and gives no denormals in any mode */
    KEEPS = 8,    /* passes denormals in every mode */
    DEFAULT = 16, /* only in round to nearest with all denormals kept */
    FLUSHES_IN = 32 /* takes none, and cannot give any */
};

#define F16 REF_F16
#define F32 REF_F32
#define F64 REF_F64
static const test tests[] = {
    {"gfx1030", "v_add_f16 v8, v0, v2", REF_ADD, F16, {F16, F16}, 0, 0},
    {"gfx1030", "v_sub_f16 v8, v0, v2", REF_SUB, F16, {F16, F16}, 0, 0},
    {"gfx1030", "v_mul_f16 v8, v0, v2", REF_MUL, F16, {F16, F16}, 0, 0},
    {"gfx1030", "v_fma_f16 v8, v0, v2, v4", REF_FMA, F16, {F16, F16, F16}, 0, 0},
    {"gfx900", "v_fma_f16 v8, v0, v2, v4", REF_FMA, F16, {F16, F16, F16}, 0, 0},
    {"gfx1030", "v_floor_f16 v8, v0", REF_FLOOR, F16, {F16}, 0, 0},
    {"gfx1030", "v_ceil_f16 v8, v0", REF_CEIL, F16, {F16}, 0, 0},
    {"gfx1030", "v_trunc_f16 v8, v0", REF_TRUNC, F16, {F16}, 0, 0},
    {"gfx1030", "v_rndne_f16 v8, v0", REF_RNDNE, F16, {F16}, 0, 0},
    {"gfx1030", "v_fract_f16 v8, v0", REF_FRACT, F16, {F16}, 0, 0},
    {"gfx1030", "v_ldexp_f16 v8, v0, v2", REF_LDEXP, F16, {F16, REF_I16}, 0, 0},
    {"gfx1030", "v_frexp_mant_f16 v8, v0", REF_FREXP_MANT, F16, {F16}, 0, 0},
    {"gfx1030", "v_frexp_exp_i16_f16 v8, v0", REF_FREXP_EXP, REF_I16, {F16}, 0, 0},
    {"gfx1030", "v_cvt_f16_f32 v8, v0", REF_CONVERT, F16, {F32}, 0, 0},
    {"gfx1030", "v_cvt_f32_f16 v8, v0", REF_CONVERT, F32, {F16}, 0, 0},
    {"gfx1030", "v_cvt_pkrtz_f16_f32 v8, v0, 0", REF_CONVERT, F16, {F32}, 0, RTZ},
    {"gfx1030", "v_cvt_i16_f16 v8, v0", REF_CONVERT, REF_I16, {F16}, 0, 0},
    {"gfx1030", "v_cvt_f16_i16 v8, v0", REF_CONVERT, F16, {REF_I16}, 0, 0},
    {"gfx1030", "v_rcp_f16 v8, v0", REF_RCP, F16, {F16}, 1, NEAREST},
    {"gfx1030", "v_sqrt_f16 v8, v0", REF_SQRT, F16, {F16}, 1, NEAREST},
    {"gfx1030", "v_rsq_f16 v8, v0", REF_RSQ, F16, {F16}, 1, NEAREST},
    {"gfx1030", "v_exp_f16 v8, v0", REF_EXP2, F16, {F16}, 1, NEAREST},
    {"gfx1030", "v_log_f16 v8, v0", REF_LOG2, F16, {F16}, 1, NEAREST},
    {"gfx1030", "v_sin_f16 v8, v0", REF_SIN, F16, {F16}, 1, NEAREST},
    {"gfx1030", "v_cos_f16 v8, v0", REF_COS, F16, {F16}, 1, NEAREST},

    {"gfx1030", "v_add_f32 v8, v0, v2", REF_ADD, F32, {F32, F32}, 0, 0},
    {"gfx1030", "v_sub_f32 v8, v0, v2", REF_SUB, F32, {F32, F32}, 0, 0},
    {"gfx1030", "v_mul_f32 v8, v0, v2", REF_MUL, F32, {F32, F32}, 0, 0},
    {"gfx1030", "v_fma_f32 v8, v0, v2, v4", REF_FMA, F32, {F32, F32, F32}, 0, 0},
    {"gfx1030", "v_floor_f32 v8, v0", REF_FLOOR, F32, {F32}, 0, 0},
    {"gfx1030", "v_ceil_f32 v8, v0", REF_CEIL, F32, {F32}, 0, 0},
    {"gfx1030", "v_trunc_f32 v8, v0", REF_TRUNC, F32, {F32}, 0, 0},
    {"gfx1030", "v_rndne_f32 v8, v0", REF_RNDNE, F32, {F32}, 0, 0},
    {"gfx1030", "v_fract_f32 v8, v0", REF_FRACT, F32, {F32}, 0, 0},
    {"gfx1030", "v_ldexp_f32 v8, v0, v2", REF_LDEXP, F32, {F32, REF_I32}, 0, 0},
    {"gfx1030", "v_frexp_mant_f32 v8, v0", REF_FREXP_MANT, F32, {F32}, 0, 0},
    {"gfx1030", "v_frexp_exp_i32_f32 v8, v0", REF_FREXP_EXP, REF_I32, {F32}, 0, 0},
    {"gfx1030", "v_cvt_i32_f32 v8, v0", REF_CONVERT, REF_I32, {F32}, 0, 0},
    {"gfx1030", "v_cvt_u32_f32 v8, v0", REF_CONVERT, REF_U32, {F32}, 0, 0},
    {"gfx1030", "v_cvt_f32_i32 v8, v0", REF_CONVERT, F32, {REF_I32}, 0, 0},
    {"gfx1030", "v_cvt_f32_u32 v8, v0", REF_CONVERT, F32, {REF_U32}, 0, 0},
    {"gfx1030", "v_rcp_f32 v8, v0", REF_RCP, F32, {F32}, 1, NEAREST | FLUSHES},
    {"gfx1030", "v_sqrt_f32 v8, v0", REF_SQRT, F32, {F32}, 1, NEAREST | FLUSHES},
    {"gfx1030", "v_rsq_f32 v8, v0", REF_RSQ, F32, {F32}, 1, NEAREST | FLUSHES},
    {"gfx1030", "v_exp_f32 v8, v0", REF_EXP2, F32, {F32}, 1, NEAREST | FLUSHES},
    {"gfx1030", "v_log_f32 v8, v0", REF_LOG2, F32, {F32}, 1, NEAREST | FLUSHES},
    {"gfx1030", "v_sin_f32 v8, v0", REF_SIN, F32, {F32}, 1, NEAREST},
    {"gfx1030", "v_cos_f32 v8, v0", REF_COS, F32, {F32}, 1, NEAREST},

    {"gfx90a", "v_add_f64 v[8:9], v[0:1], v[2:3]", REF_ADD, F64, {F64, F64}, 0, 0},
    {"gfx90a", "v_mul_f64 v[8:9], v[0:1], v[2:3]", REF_MUL, F64, {F64, F64}, 0, 0},
    {"gfx90a", "v_fma_f64 v[8:9], v[0:1], v[2:3], v[4:5]", REF_FMA, F64, {F64, F64, F64}, 0, 0},
    {"gfx90a", "v_floor_f64 v[8:9], v[0:1]", REF_FLOOR, F64, {F64}, 0, 0},
    {"gfx90a", "v_ceil_f64 v[8:9], v[0:1]", REF_CEIL, F64, {F64}, 0, 0},
    {"gfx90a", "v_trunc_f64 v[8:9], v[0:1]", REF_TRUNC, F64, {F64}, 0, 0},
    {"gfx90a", "v_rndne_f64 v[8:9], v[0:1]", REF_RNDNE, F64, {F64}, 0, 0},
    {"gfx90a", "v_fract_f64 v[8:9], v[0:1]", REF_FRACT, F64, {F64}, 0, 0},
    {"gfx90a", "v_ldexp_f64 v[8:9], v[0:1], v2", REF_LDEXP, F64, {F64, REF_I32}, 0, 0},
    {"gfx90a", "v_frexp_mant_f64 v[8:9], v[0:1]", REF_FREXP_MANT, F64, {F64}, 0, 0},
    {"gfx90a", "v_frexp_exp_i32_f64 v8, v[0:1]", REF_FREXP_EXP, REF_I32, {F64}, 0, 0},
    {"gfx90a", "v_cvt_f32_f64 v8, v[0:1]", REF_CONVERT, F32, {F64}, 0, 0},
    {"gfx90a", "v_cvt_f64_f32 v[8:9], v0", REF_CONVERT, F64, {F32}, 0, 0},
    {"gfx90a", "v_cvt_f64_i32 v[8:9], v0", REF_CONVERT, F64, {REF_I32}, 0, 0},
    {"gfx90a", "v_cvt_f64_u32 v[8:9], v0", REF_CONVERT, F64, {REF_U32}, 0, 0},
    {"gfx90a", "v_cvt_i32_f64 v8, v[0:1]", REF_CONVERT, REF_I32, {F64}, 0, 0},
    {"gfx90a", "v_cvt_u32_f64 v8, v[0:1]", REF_CONVERT, REF_U32, {F64}, 0, 0},
    {"gfx90a", "v_rcp_f64 v[8:9], v[0:1]", REF_RCP, F64, {F64}, 1 << 27, 0},
    {"gfx90a", "v_sqrt_f64 v[8:9], v[0:1]", REF_SQRT, F64, {F64}, 1 << 27, 0},
    {"gfx90a", "v_rsq_f64 v[8:9], v[0:1]", REF_RSQ, F64, {F64}, 1 << 27, 0},

    /* the sequences that LLVM makes of a division: rounded once, whatever the operands */
    {"gfx1030",
     "v_div_scale_f32 v10, s4, v2, v2, v0\nv_div_scale_f32 v11, vcc_lo, v0, v2, v0\nv_rcp_f32 v12, v10\n"
     "v_fma_f32 v13, -v10, v12, 1.0\nv_fma_f32 v12, v13, v12, v12\nv_mul_f32 v13, v11, v12\n"
     "v_fma_f32 v14, -v10, v13, v11\nv_fma_f32 v13, v14, v12, v13\nv_fma_f32 v10, -v10, v13, v11\n"
     "v_div_fmas_f32 v10, v10, v12, v13\nv_div_fixup_f32 v8, v10, v2, v0",
     REF_DIVIDE, F32, {F32, F32}, 0, DEFAULT},
    {"gfx90a",
     "v_div_scale_f64 v[10:11], s[4:5], v[2:3], v[2:3], v[0:1]\nv_rcp_f64 v[12:13], v[10:11]\n"
     "v_fma_f64 v[14:15], -v[10:11], v[12:13], 1.0\nv_fma_f64 v[12:13], v[12:13], v[14:15], v[12:13]\n"
     "v_fma_f64 v[14:15], -v[10:11], v[12:13], 1.0\nv_div_scale_f64 v[16:17], vcc, v[0:1], v[2:3], v[0:1]\n"
     "v_fma_f64 v[12:13], v[12:13], v[14:15], v[12:13]\nv_mul_f64 v[14:15], v[16:17], v[12:13]\n"
     "v_fma_f64 v[10:11], -v[10:11], v[14:15], v[16:17]\nv_div_fmas_f64 v[10:11], v[10:11], v[12:13], v[14:15]\n"
     "v_div_fixup_f64 v[8:9], v[10:11], v[2:3], v[0:1]",
     REF_DIVIDE, F64, {F64, F64}, 0, DEFAULT},
};

/* ---- operands ---- */

static uint64_t random_state = 1;
static uint64_t random64(void) { /* SplitMix64 */
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static const uint64_t special16[] = {0x0000, 0x0001, 0x0155, 0x03ff, 0x0400, 0x0401, 0x1400, 0x3800, 0x3bff, 0x3c00,
                                     0x3c01, 0x3e00, 0x4000, 0x4200, 0x63ff, 0x6400, 0x6801, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7e55};
static const uint64_t special32[] = {
    0x00000000, 0x00000001, 0x00400000, 0x007fffff, 0x00800000, 0x00800001, 0x01000000, 0x0c000000, 0x33000000,
    0x33800000, 0x38ffe000, 0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fc00000, 0x40000000,
    0x40400000, 0x477fe000, 0x477ff000, 0x4b000000, 0x4b7fffff, 0x4effffff, 0x4f000000, 0x4f800000, 0x73000000,
    0x7e800000, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fd55555};
static const uint64_t special64[] = {
    0, 1, 0x8000000000000, 0xfffffffffffff, 0x10000000000000, 0x10000000000001, 0x20000000000000,
    0x0380000000000000, 0x3690000000000000, 0x36a0000000000000, 0x380fffffe0000000, 0x3810000000000000, 0x3cb0000000000000,
    0x3fdfffffffffffff, 0x3fe0000000000000, 0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff0000000000001,
    0x3ff8000000000000, 0x4000000000000000, 0x4008000000000000, 0x41dfffffffc00000, 0x41e0000000000000,
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
static const list specials[REF_FORMATS] = {LIST(special16), LIST(special32), LIST(special64),
                                           LIST(special_integer), LIST(special_integer), LIST(special_integer)};

static uint64_t special(ref_format f, size_t i) {
    uint64_t x = specials[f].at[i / 2];
    if (i % 2 == 0) return x;
    return f <= REF_F64 ? x | UINT64_C(1) << (ref_layouts[f].bits - 1) : 0 - x;
}

/* Exponents near each other make operations interesting, so that they are drawn from a part of the range that is
 * chosen anew for each set of operands. */
static uint64_t random_value(ref_format f, uint64_t around) {
    if (f > REF_F64) return random64() >> (random64() & 63);
    const ref_layout *l = &ref_layouts[f];
    unsigned exponents = 2 * l->bias + 2, spread = l->fraction + 4;
    uint64_t fraction = random64() & ((UINT64_C(1) << l->fraction) - 1), sign = random64() & 1;
    if (random64() % 4 == 0) fraction &= random64() & random64() & random64(); /* few bits: ties */
    uint64_t exponent = around % 3 ? (around / 3 + random64() % spread) % exponents : random64() % exponents;
    return sign << (l->bits - 1) | exponent << l->fraction | fraction;
}

/* ---- running ---- */

typedef struct machine {
    ez_wave *wave;
    ez_program *program;
    uint8_t code[512];
} machine;

static int prepare(const test *t, machine *m) {
    const ez_target *target = ez_target_find(t->target);
    ez_inst inst;
    ez_error err;
    size_t size = 0;
    char line[100];
    for (const char *at = t->text; *at; at += *at == '\n') {
        size_t length = strcspn(at, "\n");
        if (ez_parse(target, LANES, EZ_TEXT_DEFAULT, at, length, &inst, &err) != EZ_OK) {
            /* v_div_scale's vcc has another name in waves of 64 */
            size_t n = 0;
            for (size_t i = 0; i < length && n + 8 < sizeof line; i++) {
                if (!strncmp(at + i, "vcc_lo", 6)) {
                    n += (size_t)sprintf(line + n, "vcc");
                    i += 5;
                } else if (!strncmp(at + i, "s4", 2)) {
                    n += (size_t)sprintf(line + n, "s[4:5]");
                    i++;
                } else {
                    line[n++] = at[i];
                }
            }
            if (ez_parse(target, LANES, EZ_TEXT_DEFAULT, line, n, &inst, &err) != EZ_OK)
                return fprintf(stderr, "%.*s: %s\n", (int)length, at, err.message), 1;
        }
        size += ez_encode(&inst, m->code + size);
        at += length;
    }
    if (ez_parse(target, LANES, EZ_TEXT_DEFAULT, "s_endpgm", 8, &inst, &err) != EZ_OK) return 1;
    size += ez_encode(&inst, m->code + size);
    return ez_wave_create(target, LANES, &m->wave) != EZ_OK ||
           ez_program_create(target, LANES, m->code, size, 0, 0, &m->program) != EZ_OK;
}

static void set_lane(ez_wave *w, unsigned n, unsigned lane, uint64_t x) {
    ez_wave_set_vgpr(w, 2 * n, lane, (uint32_t)x);
    ez_wave_set_vgpr(w, 2 * n + 1, lane, (uint32_t)(x >> 32));
}

static uint64_t get_lane(const test *t, ez_wave *w, unsigned lane) {
    uint64_t low = ez_wave_vgpr(w, DST, lane);
    if (t->result == F16 || t->result == REF_I16) return low & 0xffff;
    return t->result == F64 ? low | (uint64_t)ez_wave_vgpr(w, DST + 1, lane) << 32 : low;
}

typedef struct tally {
    uint64_t done, wrong, worst; /* worst: ULP, where a bound is given */
} tally;

static unsigned sources_of(const test *t) {
    return t->operation == REF_FMA ? 3
           : t->operation <= REF_MUL || t->operation == REF_LDEXP || t->operation == REF_DIVIDE ? 2 : 1;
}

/* The parts of MODE that the operation looks at. */
static ref_mpfr_mode mode_of(const test *t, unsigned round, unsigned denorm32, unsigned denorm16) {
    bool in32 = t->source[0] == F32, out32 = t->result == F32;
    ref_mpfr_mode m = {.round = round, .keep_in = (in32 ? denorm32 : denorm16) & 1, .keep_out = (out32 ? denorm32 : denorm16) & 2};
    if (t->flags & NEAREST) m.round = 0;
    if (t->flags & RTZ) m.round = 3;
    if (t->flags & FLUSHES) m.keep_in = m.keep_out = false;
    return m;
}

static bool right(const test *t, uint64_t expected, uint64_t got, tally *y) {
    if (expected == got) return true;
    if (!t->ulp || ref_is_nan(t->result, expected) || ref_is_nan(t->result, got)) return false;
    const ref_layout *l = &ref_layouts[t->result];
    uint64_t distance = ref_distance(t->result, expected, got), infinity = ((UINT64_C(1) << (l->bits - l->fraction - 1)) - 1) << l->fraction;
    if (!(expected << (64 - l->bits + 1)) || (expected & infinity) == infinity) return false;
    if (distance > y->worst) y->worst = distance;
    return distance <= t->ulp;
}

static void run(const test *t, machine *m, uint64_t in[LANES][3], unsigned count, const ref_mpfr_mode *mode, tally *y) {
    unsigned sources = sources_of(t);
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned n = 0; n < sources; n++) set_lane(m->wave, n, lane, in[lane < count ? lane : 0][n]);
    ez_wave_set(m->wave, EZ_WAVE_PC, 0);
    if (ez_wave_run(m->wave, m->program, 0) != EZ_STOP_END) {
        printf("%s: %s\n", t->text, ez_wave_fault_info(m->wave)->reason);
        y->wrong++;
        return;
    }
    for (unsigned lane = 0; lane < count; lane++) {
        uint64_t expected = ref_mpfr(t->operation, t->result, t->source, in[lane], mode);
        uint64_t got = get_lane(t, m->wave, lane);
        y->done++;
        if (t->operation == REF_DIVIDE && ref_is_nan(t->result, expected) && ref_is_nan(t->result, got)) continue;
        if (right(t, expected, got, y)) continue;
        if (y->wrong++ < WORST)
            printf("%s, round %u, denormals in %s, out %s: %" PRIx64 " %" PRIx64 " %" PRIx64 ": expected %" PRIx64
                   ", got %" PRIx64 "\n", t->text, mode->round, mode->keep_in ? "kept" : "flushed",
                   mode->keep_out ? "kept" : "flushed", in[lane][0], in[lane][1], in[lane][2], expected, got);
    }
}

/* ---- which operands ---- */

typedef struct batch {
    uint64_t in[LANES][3];
    unsigned count;
} batch;

static void add(const test *t, machine *m, batch *b, const uint64_t in[3], const ref_mpfr_mode *mode, tally *y) {
    memcpy(b->in[b->count++], in, sizeof b->in[0]);
    if (b->count < LANES) return;
    run(t, m, b->in, b->count, mode, y);
    b->count = 0;
}

static void all_operands(const test *t, machine *m, const ref_mpfr_mode *mode, unsigned random_sets, bool full, tally *y) {
    unsigned sources = sources_of(t);
    static batch b;
    b.count = 0;
    uint64_t in[3] = {0};
    if (sources == 1 && (t->source[0] == F16 || t->source[0] == REF_I16)) {
        for (in[0] = 0; in[0] < 65536; in[0] += 1) add(t, m, &b, in, mode, y);
        return;
    }
    size_t count[3] = {1, 1, 1}, total = 1;
    for (unsigned n = 0; n < sources; n++) total *= count[n] = 2 * specials[t->source[n]].count;
    /* of triples every 7th, unless all are wanted; 7 divides none of the counts */
    size_t step = full || sources < 3 ? 1 : 7;
    for (size_t i = random64() % step; i < total; i += step) {
        size_t left = i;
        for (unsigned n = 0; n < sources; n++) {
            in[n] = special(t->source[n], left % count[n]);
            left /= count[n];
        }
        add(t, m, &b, in, mode, y);
    }
    for (unsigned i = 0; i < random_sets; i++) {
        uint64_t around = random64() >> 8;
        for (unsigned n = 0; n < sources; n++) in[n] = random_value(t->source[n], around);
        add(t, m, &b, in, mode, y);
    }
    if (b.count) run(t, m, b.in, b.count, mode, y);
}

static uint64_t check(const test *t, bool full) {
    machine m = {0};
    tally y = {0};
    if (prepare(t, &m)) return 1;
    for (unsigned i = 0; i < 64; i++) {
        unsigned round = i & 3, denorm = i >> 2 & 3, other = 3 - denorm;
        if (i >= 16 || (t->flags & DEFAULT && (round || denorm != 3))) continue;
        /* the other width's mode is the opposite one, where it does not matter */
        bool mixed = t->source[0] != t->result && t->source[0] <= F64 && t->result <= F64;
        unsigned d32 = t->source[0] == F32 || t->result == F32 || mixed ? denorm : other;
        unsigned d16 = t->source[0] != F32 || mixed ? denorm : other;
        bool r32 = t->result == F32;
        ez_wave_set(m.wave, EZ_WAVE_ROUND32, r32 ? round : 3 - round);
        ez_wave_set(m.wave, EZ_WAVE_ROUND16_64, r32 ? 3 - round : round);
        ez_wave_set(m.wave, EZ_WAVE_DENORM32, d32);
        ez_wave_set(m.wave, EZ_WAVE_DENORM16_64, d16);
        ref_mpfr_mode mode = mode_of(t, round, d32, d16);
        all_operands(t, &m, &mode, t->flags & DEFAULT ? (full ? 100000 : 20000) : full ? 100000 : 1000, full, &y);
    }
    printf("%-9" PRIu64 " %-6" PRIu64 " %s %.*s", y.done, y.wrong, t->target, (int)strcspn(t->text, "\n"), t->text);
    if (t->ulp) printf("  (at most %" PRIu64 " ULP, allowed %u)", y.worst, t->ulp);
    puts("");
    ez_wave_destroy(m.wave);
    ez_program_destroy(m.program);
    return y.wrong;
}

int main(int argc, char **argv) {
    bool full = false;
    const char *only = NULL;
    uint64_t wrong = 0;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--full")) full = true;
        else if (!strcmp(argv[i], "--only") && i + 1 < argc) only = argv[++i];
        else if (!strcmp(argv[i], "--seed") && i + 1 < argc) random_state = strtoull(argv[++i], NULL, 0);
        else return fprintf(stderr, "usage: mpfr_floats [--full] [--only TEXT] [--seed N]\n"), 2;
    }
    puts("done      wrong  instruction");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (!only || strstr(tests[i].text, only)) wrong += check(&tests[i], full);
    printf("%s\n", wrong ? "FAILED" : "passed");
    return wrong != 0;
}
