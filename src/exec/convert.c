/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scaled conversions of small floats: one step for all of them, driven by the types of the row's operands. The scale is
 * a power of two: the exponent of a float, or on GFX12.5 a byte (E8M0) that scale_sel chooses.
 * Sources: [CDNA4] V_CVT_SCALEF32_...; what they leave open: docs/errata.md, "FP8, BF8 and smaller floats".
 */
#include <string.h>

#include "bits.h"
#include "numbers_small.h"
#include "semantics/steps.h"

/* Formats of elements: those of ez_small, and then these. */
enum { WIDE_F32 = EZ_SMALL_COUNT, WIDE_F16, WIDE_BF16, NO_FORMAT };
enum { NO_SOURCE = 0xff, MAX_DWORDS = 32, SCALE_NAN = 0xff };

typedef struct elements {
    uint8_t count, format;
} elements;

static elements elements_of(unsigned type) {
    switch (type) {
    case EZ_T_fp8: return (elements){1, EZ_SMALL_FP8};
    case EZ_T_bf8: return (elements){1, EZ_SMALL_BF8};
    case EZ_T_pk2_fp8: return (elements){2, EZ_SMALL_FP8};
    case EZ_T_pk2_bf8: return (elements){2, EZ_SMALL_BF8};
    case EZ_T_pk2_fp4: return (elements){2, EZ_SMALL_FP4};
    case EZ_T_pk8_fp8: return (elements){8, EZ_SMALL_FP8};
    case EZ_T_pk8_bf8: return (elements){8, EZ_SMALL_BF8};
    case EZ_T_pk8_fp4: return (elements){8, EZ_SMALL_FP4};
    case EZ_T_pk16_fp6: return (elements){16, EZ_SMALL_FP6};
    case EZ_T_pk16_bf6: return (elements){16, EZ_SMALL_BF6};
    case EZ_T_pk32_fp6: return (elements){32, EZ_SMALL_FP6};
    case EZ_T_pk32_bf6: return (elements){32, EZ_SMALL_BF6};
    case EZ_T_f32: return (elements){1, WIDE_F32};
    case EZ_T_pk_f32: return (elements){2, WIDE_F32};
    case EZ_T_pk8_f32: return (elements){8, WIDE_F32};
    case EZ_T_pk16_f32: return (elements){16, WIDE_F32};
    case EZ_T_pk32_f32: return (elements){32, WIDE_F32};
    case EZ_T_f16: return (elements){1, WIDE_F16};
    case EZ_T_pk_f16: return (elements){2, WIDE_F16};
    case EZ_T_pk8_f16: return (elements){8, WIDE_F16};
    case EZ_T_pk16_f16: return (elements){16, WIDE_F16};
    case EZ_T_pk32_f16: return (elements){32, WIDE_F16};
    case EZ_T_bf16: return (elements){1, WIDE_BF16};
    case EZ_T_pk_bf16: return (elements){2, WIDE_BF16};
    case EZ_T_pk8_bf16: return (elements){8, WIDE_BF16};
    case EZ_T_pk16_bf16: return (elements){16, WIDE_BF16};
    case EZ_T_pk32_bf16: return (elements){32, WIDE_BF16};
    default: return (elements){0, NO_FORMAT};
    }
}

static unsigned bits_of(unsigned format) {
    return format < EZ_SMALL_COUNT ? ez_small_of((ez_small)format).bits : format == WIDE_F32 ? 32 : 16;
}
static bool is_wide(unsigned format) {
    return format >= WIDE_F32;
}

/* Worked out when the instruction is lowered: ez_step.imm. */
typedef struct conversion {
    uint8_t from, to, count; /* formats, elements of the result */
    uint8_t data;            /* sources with elements, 1 or 2, in turn */
    uint8_t random, scale;   /* indices of sources */
    uint8_t from_shift, to_shift;
    bool scale_bytes; /* the scale is a byte: */
    uint8_t byte[2];  /* which one for the first and the last 16 lanes, */
    uint8_t lane;     /* and of which lanes: from 0 or from 16 on */
} conversion;
_Static_assert(sizeof(conversion) <= 4 * sizeof(uint64_t), "conversion is kept in ez_step.imm");

/* scale_sel. Source: [LLVM] MLIR, amdgpu.scaled_ext_packed_matrix. FP8 in blocks of 16 is not described well enough. */
static bool read_scale_select(conversion *c, unsigned select) {
    bool block16 = select & 1;
    c->scale_bytes = true;
    if (bits_of(c->from) == 8) {
        c->byte[0] = c->byte[1] = select >> 1 & 3;
        c->lane = select & 8 ? 16 : 0;
        return !block16 && select != 8;
    }
    unsigned second = select >> 1 & 1;
    c->byte[0] = (uint8_t)(block16 ? second : 2 * second);
    c->byte[1] = (uint8_t)(c->byte[0] + (block16 ? 2 : 1));
    c->lane = select & 4 ? 16 : 0;
    return !(select & 8);
}

/* Where in its register a part of 8 or 16 bits is. */
static uint8_t part_shift(const ez_place *p, unsigned byte) {
    unsigned bits = ez_type_bits[p->type];
    return (uint8_t)(bits == 8 ? 8 * byte : bits == 16 && p->half ? 16 : 0);
}

bool ez_prepare_convert(ez_step *s) {
    bool merges = ez_inst_operand(s->inst, 0).read;
    unsigned sources = s->srcs - merges, op_sel = ez_get(s->inst, EZ_F_op_sel);
    if (sources < 2) return false;
    conversion c = {.scale = (uint8_t)(sources - 1), .random = NO_SOURCE};
    c.data = c.scale;
    if (s->src[c.data - 1].type == EZ_T_u32) c.random = --c.data;
    elements from = elements_of(s->src[0].type), to = elements_of(s->dst[0].type);
    c.from = from.format;
    c.to = to.format;
    c.count = to.count;
    if (!to.count || from.count * c.data != to.count || is_wide(c.from) == is_wide(c.to)) return false;
    bool select = ez_row_has(s->inst->op, EZ_ROW_scalesel);
    if (select && !read_scale_select(&c, op_sel & 15)) return false;
    if (!is_wide(c.from) && (s->src[0].neg || s->src[0].abs)) return false;
    if (!select) {
        c.from_shift = part_shift(&s->src[0], op_sel & 3);
        c.to_shift = part_shift(&s->dst[0], op_sel >> 2 & 3);
    }
    memcpy(s->imm, &c, sizeof c);
    return true;
}

/* ---- one lane ---- */

/* An element as a double, with the modifiers of its source. */
static f64 read_wide(uint32_t x, unsigned format, const ez_place *p, const ez_fpmode *md) {
    uint32_t sign = format == WIDE_F32 ? 0x80000000 : 0x8000;
    if (p->abs) x &= ~sign;
    if (p->neg) x ^= sign;
    return format == WIDE_F32   ? f64_of_f32(f32_in(x, md))
           : format == WIDE_F16 ? f64_of_f16(f16_in(x, md))
                                : bf16_exact(bf16_in(x, md));
}

static uint32_t to_small(f64 x, const conversion *c, unsigned scale, uint32_t random, const ez_fpmode *md) {
    static const uint8_t precision[] = {[WIDE_F32] = 23, [WIDE_F16] = 10, [WIDE_BF16] = 7};
    ez_small_rounding how = {md->fp16_ovfl, c->random != NO_SOURCE, precision[c->from], random};
    if (scale == SCALE_NAN) x = UINT64_C(0x7ff8000000000000) | x >> 63 << 63;
    else x = f64_bits(f64_host(x) * ez_power_of_two(127 - (int)scale));
    return small_narrow(x, (ez_small)c->to, how);
}

static uint32_t to_wide(uint32_t x, const conversion *c, unsigned scale, const ez_fpmode *md) {
    f32 value = small_cvt_f32(x, (ez_small)c->from);
    if (scale == SCALE_NAN || f32_is_nan(value))
        return c->to == WIDE_F32 ? 0xffc00000 : c->to == WIDE_F16 ? 0xfe00 : 0xffc0;
    f64 exact = f64_bits((double)f32_host(value) * ez_power_of_two((int)scale - 127));
    ez_fpmode nearest = *md;
    nearest.round16 = 0;
    if (c->to == WIDE_F32) return f32_out(f32_bits((float)f64_host(exact)), md);
    if (c->to == WIDE_BF16) return bf16_finish(exact, &nearest, NULL);
    f16 sign = (f16)(exact >> 48 & 0x8000);
    if (f64_is_inf(exact)) return sign | 0x7c00;
    u64 code = ez_magnitude(exact, 10, 15, 0);
    return f16_out(sign | (code > 0x7bff ? f16_too_large(md) : (f16)code), md);
}

static void convert_lane(ez_wave *w, const ez_step *s, const conversion *c, unsigned lane, unsigned scale) {
    uint32_t in[2][MAX_DWORDS], out[MAX_DWORDS];
    const ez_place *d = &s->dst[0];
    uint32_t *row = ez_place_row(w, d) + lane;
    uint32_t random = c->random == NO_SOURCE ? 0 : ez_lane32(w, &s->src[c->random], lane);
    unsigned from_bits = bits_of(c->from), to_bits = bits_of(c->to);
    for (unsigned n = 0; n < c->data; n++)
        for (unsigned i = 0; i < s->src[n].dwords && i < MAX_DWORDS; i++)
            in[n][i] = ez_lane_dword(w, &s->src[n], i, lane);
    for (unsigned i = 0; i < d->dwords && i < MAX_DWORDS; i++)
        out[i] = row[i * w->lanes];
    for (unsigned n = 0; n < c->count; n++) {
        unsigned source = n % c->data; /* elements of two sources alternate */
        uint32_t x = ez_get_bits(in[source], c->from_shift + n / c->data * from_bits, from_bits);
        uint32_t r = is_wide(c->to)
                         ? to_wide(x, c, scale, &w->md)
                         : to_small(read_wide(x, c->from, &s->src[source], &w->md), c, scale, random, &w->md);
        ez_put_bits(out, c->to_shift + n * to_bits, to_bits, r);
        random = ez_prng(random);
    }
    for (unsigned i = 0; i < d->dwords && i < MAX_DWORDS; i++)
        row[i * w->lanes] = out[i];
}

void ez_step_convert(ez_wave *w, const ez_step *s) {
    conversion c;
    uint8_t scale
        [EZ_MAX_LANES]; /* all of them first: the result may overlay the register of another lane's scale */
    memcpy(&c, s->imm, sizeof c);
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        unsigned from = c.scale_bytes ? c.lane + lane % 16 : lane;
        uint32_t x = ez_lane32(w, &s->src[c.scale], from);
        scale[lane] = (uint8_t)(c.scale_bytes ? x >> (8 * c.byte[lane / 16 % 2]) : x >> 23);
    }
    for (unsigned lane = 0; lane < w->lanes; lane++)
        if (w->exec_row[lane]) convert_lane(w, s, &c, lane, scale[lane]);
}

/* ---- tables of sixteen small numbers: the dwords of S1, above them those of S0; S2 has sixteen indices. [CDNA5] ---- */

void ez_step_perm_pk16(ez_wave *w, const ez_step *s) {
    unsigned bits = 2u * s->dst[0].dwords; /* of a number: sixteen fill the result */
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        if (!w->exec_row[lane]) continue;
        uint32_t table[4], out[4] = {0};
        unsigned low = s->src[1].dwords;
        for (unsigned i = 0; i < s->dst[0].dwords; i++)
            table[i] =
                i < low ? ez_lane_dword(w, &s->src[1], i, lane) : ez_lane_dword(w, &s->src[0], i - low, lane);
        for (unsigned n = 0; n < 16; n++) {
            unsigned index = ez_lane_dword(w, &s->src[2], n / 8, lane) >> (4 * (n % 8)) & 15;
            ez_put_bits(out, n * bits, bits, ez_get_bits(table, index * bits, bits));
        }
        for (unsigned i = 0; i < s->dst[0].dwords; i++)
            ez_place_row(w, &s->dst[0])[i * w->lanes + lane] = out[i];
    }
}
