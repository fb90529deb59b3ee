/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix_model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *mixed[5] = {"fp8", "bf8", "fp6", "bf6", "fp4"};

/* "pk8_f16_w" is f16: the part behind the count. */
static void element_of(const char *type, unsigned format, char *to) {
    if (!strncmp(type, "f8f6f4", 6)) {
        strcpy(to, mixed[format]);
        return;
    }
    const char *from = type;
    if (!strncmp(type, "pk", 2) || !strncmp(type, "dc", 2) || !strncmp(type, "ab", 2)) from = strchr(type, '_') + 1;
    size_t length = strcspn(from, "_");
    memcpy(to, from, length);
    to[length] = 0;
}

bool shape_of(const ez_target *target, unsigned wave, unsigned op, unsigned a_format, unsigned b_format, shape *s) {
    const ez_row *row = &ez_rows[op];
    if (!row->dims[0] || !ez_spelling_on(target, op)) return false;
    if (!ez_has(target, wave == 32 ? EZ_HAS_wave32 : EZ_HAS_wave64)) return false;
    const ez_row_operand *o = &ez_row_operands[row->operands];
    *s = (shape){.op = op, .wave = wave, .target = target, .m = row->dims[0], .n = row->dims[1], .k = row->dims[2],
                 .blocks = row->dims[3], .a_format = a_format, .b_format = b_format};
    s->sparse = strstr(row->id, "SMFMAC") || strstr(row->id, "SWMMAC");
    s->scaled = strstr(row->id, "_SCALE") != NULL;
    s->cdna = strstr(row->id, "FMA") != NULL;
    element_of(ez_type_names[o[0].type], 0, s->d);
    element_of(ez_type_names[o[1].type], a_format, s->a);
    element_of(ez_type_names[o[2].type], b_format, s->b);
    element_of(ez_type_names[s->sparse ? o[0].type : o[3].type], 0, s->c);
    if (strstr(row->id, "SWMMAC_BF16F32")) strcpy(s->d, "bf16");
    bool has_formats = strstr(row->id, "F8F6F4") != NULL;
    return has_formats || (!a_format && !b_format);
}

unsigned element_bits(const char *e) {
    if (!strcmp(e, "f64")) return 64;
    if (!strcmp(e, "f32") || !strcmp(e, "xf32") || !strcmp(e, "i32")) return 32;
    if (!strcmp(e, "f16") || !strcmp(e, "bf16")) return 16;
    if (!strcmp(e, "fp6") || !strcmp(e, "bf6")) return 6;
    if (!strcmp(e, "fp4") || !strcmp(e, "iu4")) return 4;
    return 8;
}

/* CDNA: lane = size * block + i, then further lanes for every `run` values of k. */
static spot cdna_factor(const shape *s, const char *element, unsigned size, unsigned block, unsigned i, unsigned k,
                        unsigned all_k) {
    unsigned bits = element_bits(element), run = size * all_k * s->blocks / 64;
    if (strstr(ez_rows[s->op].id, "F8F6F4") && bits == 8) { /* 16 values of k in each lane group, twice */
        unsigned groups = 64 / size;
        return (spot){size * (k / 16 % groups) + i, 8 * (k % 16 + 16 * (k / (16 * groups)))};
    }
    return (spot){size * block + size * s->blocks * (k / run) + i, k % run * bits};
}

/* From GFX12 on, dense: two lane groups (four in waves of 64) take turns. */
static spot gfx12_factor(const shape *s, const char *element, unsigned i, unsigned k, unsigned all_k) {
    unsigned bits = element_bits(element);
    if (ez_has(s->target, EZ_HAS_vgprs_1024)) {
        unsigned turn = bits == 32 ? 2 : bits == 6 ? 32 : 128 / bits;
        if (turn > all_k / 2) turn = all_k / 2;
        return (spot){i + 16 * (k / turn % 2), (k % turn + turn * (k / (2 * turn))) * bits};
    }
    if (bits == 4) return s->wave == 64 || all_k == 16 ? (spot){i + 16 * (k / 8), k % 8 * 4} : (spot){i + 16 * (k / 16), k % 16 * 4};
    if (s->wave == 64) return (spot){i + 16 * (k / 4), k % 4 * bits};
    if (bits == 8) return (spot){i + 16 * (k / 8), k % 8 * 8};
    return (spot){i + 16 * (k / 4 % 2), (k % 4 + k / 8 * 4) * 16};
}

/* Sparse, from GFX12 on: a lane has one run of k. 4-bit A of 16x32 in waves of 64: as in waves of 32. */
static spot gfx12_sparse(const shape *s, const char *element, unsigned i, unsigned k, unsigned all_k) {
    unsigned bits = element_bits(element), run = all_k / (s->wave / 16);
    if (run * bits < 32) run = 32 / bits;
    return (spot){i + 16 * (k / run), k % run * bits};
}

static spot factor(const shape *s, const char *element, unsigned size, unsigned block, unsigned i, unsigned k, unsigned all_k) {
    if (s->cdna) return cdna_factor(s, element, size, block, i, k, all_k);
    if (strstr(ez_rows[s->op].id, "GFX11")) return (spot){i, k * element_bits(element)};
    return s->sparse ? gfx12_sparse(s, element, i, k, all_k) : gfx12_factor(s, element, i, k, all_k);
}

/* The shape with 32 rows is two of 16 in registers that follow each other. AMD's comgr makes two instructions of it. */
static spot second_half(spot at, unsigned registers) { return (spot){at.lane, at.bit + 32 * registers}; }

spot spot_of_a(const shape *s, unsigned block, unsigned i, unsigned k) {
    if (!s->cdna && i >= 16) return second_half(spot_of_a(s, block, i - 16, k), 8);
    return factor(s, s->a, s->m, block, i, k, s->sparse ? s->k / 2 : s->k);
}

spot spot_of_b(const shape *s, unsigned block, unsigned k, unsigned j) {
    return factor(s, s->b, s->n, block, j, k, s->k);
}

spot spot_of_c(const shape *s, const char *element, unsigned block, unsigned i, unsigned j) {
    unsigned bits = element_bits(element);
    if (!s->cdna && i >= 16) return second_half(spot_of_c(s, element, block, i - 16, j), 8);
    if (s->cdna && bits == 64) {
        if (s->blocks == 1) return (spot){16 * (i % 4) + j, 64 * (i / 4)};
        return (spot){16 * i + 4 * block + j, 0};
    }
    if (s->cdna && s->m == 4) return (spot){4 * block + j, 32 * i};
    if (s->cdna && s->m == 16) return (spot){16 * (i / 4) + j, 32 * (4 * block + i % 4)};
    if (s->cdna) return (spot){32 * (i / 4) % 64 + j, 32 * (16 * block + 4 * (i / 8) + i % 4)};
    unsigned groups = s->wave / 16, each = 16 / groups;
    if (strstr(ez_rows[s->op].id, "GFX11")) return (spot){16 * (i % groups) + j, 32 * (i / groups)};
    return (spot){16 * (i / each) + j, bits * (i % each)};
}

/* ---- registers ---- */

void put_bits(ez_wave *w, unsigned reg, spot at, unsigned bits, uint64_t value) {
    for (unsigned n = 0; n < bits; n++) {
        unsigned r = reg + (at.bit + n) / 32, shift = (at.bit + n) % 32;
        uint32_t old = ez_wave_vgpr(w, r, at.lane);
        assert_true(ez_wave_set_vgpr(w, r, at.lane, (old & ~(1u << shift)) | (uint32_t)(value >> n & 1) << shift));
    }
}

uint64_t get_bits(const ez_wave *w, unsigned reg, spot at, unsigned bits) {
    uint64_t value = 0;
    for (unsigned n = 0; n < bits; n++) {
        unsigned r = reg + (at.bit + n) / 32, shift = (at.bit + n) % 32;
        value |= (uint64_t)(ez_wave_vgpr(w, r, at.lane) >> shift & 1) << n;
    }
    return value;
}

/* GFX908 has C and D of matrix instructions in AGPRs only. */
static bool in_agprs(const shape *s) { return s->cdna && !ez_has(s->target, EZ_HAS_unified_vgprs); }

void put_c(ez_wave *w, const shape *s, unsigned block, unsigned i, unsigned j, uint64_t value) {
    spot at = spot_of_c(s, s->c, block, i, j);
    if (in_agprs(s)) assert_true(ez_wave_set_agpr(w, REG_C + at.bit / 32, at.lane, (uint32_t)value));
    else put_bits(w, s->sparse ? REG_D : REG_C, at, element_bits(s->c), value);
}

uint64_t get_d(const ez_wave *w, const shape *s, unsigned block, unsigned i, unsigned j) {
    spot at = spot_of_c(s, s->d, block, i, j);
    if (in_agprs(s)) return ez_wave_agpr(w, REG_D + at.bit / 32, at.lane);
    return get_bits(w, REG_D, at, element_bits(s->d));
}

/* ---- instructions ---- */

ez_inst matrix_inst(const shape *s) {
    ez_inst inst;
    assert_true(ez_inst_begin(&inst, s->target, s->wave, s->op, EZ_FORM_BASE));
    assert_true(ez_set(&inst, EZ_F_vdst, REG_D));
    assert_true(ez_set(&inst, EZ_F_src0, EZ_CODE_VGPR + REG_A));
    assert_true(ez_set(&inst, EZ_F_src1, EZ_CODE_VGPR + REG_B));
    assert_true(ez_set(&inst, EZ_F_src2, EZ_CODE_VGPR + (s->sparse ? REG_X : REG_C)));
    if (s->scaled) {
        assert_true(ez_set(&inst, EZ_F_scale_src0, EZ_CODE_VGPR + REG_X));
        assert_true(ez_set(&inst, EZ_F_scale_src1, EZ_CODE_VGPR + REG_Y));
    }
    if (s->a_format || s->b_format) {
        if (s->cdna) {
            assert_true(ez_set(&inst, EZ_F_cbsz, s->a_format));
            assert_true(ez_set(&inst, EZ_F_blgp, s->b_format));
        } else {
            assert_true(ez_set(&inst, EZ_F_matrix_a_fmt, s->a_format));
            assert_true(ez_set(&inst, EZ_F_matrix_b_fmt, s->b_format & 3));
            assert_true(ez_set(&inst, EZ_F_matrix_b_fmt_hi, s->b_format >> 2));
        }
    }
    if (strstr(s->a, "iu")) assert_true(ez_set(&inst, EZ_F_neg_lo, 3)); /* signed */
    return inst;
}

ez_stop run_inst(ez_wave *w, const ez_inst *inst) {
    uint8_t code[EZ_INST_MAX_BYTES];
    char hex[2 * EZ_INST_MAX_BYTES + 1];
    size_t size = ez_encode(inst, code);
    for (size_t n = 0; n < size; n++) sprintf(hex + 2 * n, "%02x", code[n]);
    return run_until_stop(w, hex, 0);
}

/* ---- numbers ---- */

/* Bits of a small float: sign, exponent, fraction, with the bias given. */
static uint64_t small_float(double value, unsigned bits, unsigned fraction, int bias) {
    uint64_t sign = signbit(value) ? UINT64_C(1) << (bits - 1) : 0;
    double a = fabs(value);
    if (a == 0) return sign;
    if (isinf(a)) return sign | ((UINT64_C(1) << (bits - 1 - fraction)) - 1) << fraction;
    int e;
    double f = frexp(a, &e) * 2; /* 1 <= f < 2, a = f * 2^(e - 1) */
    e += bias - 1;
    if (e < 1) {
        f = ldexp(f, e - 1);
        e = 0;
    }
    double scaled = ldexp(e ? f - 1 : f, (int)fraction);
    assert_true(scaled == floor(scaled));
    return sign | (uint64_t)e << fraction | (uint64_t)scaled;
}

uint64_t encode_number(const char *e, double value) {
    if (!strcmp(e, "f64")) return small_float(value, 64, 52, 1023);
    if (!strcmp(e, "f32") || !strcmp(e, "xf32")) return small_float(value, 32, 23, 127);
    if (!strcmp(e, "f16")) return small_float(value, 16, 10, 15);
    if (!strcmp(e, "bf16")) return small_float(value, 16, 7, 127);
    if (!strcmp(e, "fp8")) return small_float(value, 8, 3, 7);
    if (!strcmp(e, "bf8")) return small_float(value, 8, 2, 15);
    if (!strcmp(e, "fp6")) return small_float(value, 6, 3, 1);
    if (!strcmp(e, "bf6")) return small_float(value, 6, 2, 3);
    if (!strcmp(e, "fp4")) return small_float(value, 4, 1, 1);
    return (uint64_t)(int64_t)value & ((UINT64_C(1) << element_bits(e)) - 1);
}
