/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions, and what is made of packed and mixed operands. */
#include "ref_amd.h"

static uint64_t in0(const ref_call *c) { return ref_flushed_in(c->source[0], c->in[0], c->mode); }
static uint32_t packed(uint64_t low, uint64_t high) { return (uint32_t)((low & 0xffff) | high << 16); }

/* ---- to integers ---- */

/* A NaN gives the greatest or the least number, by its sign; docs/errata.md */
static bool nan_by_sign(const ref_call *c, uint64_t *r) {
    if (!ref_is_nan(c->source[0], c->in[0])) return false;
    *r = ref_sign(c->source[0], c->in[0]) ? 0x80000000 : 0x7fffffff;
    return true;
}
uint64_t ref_cvt_floor(const ref_call *c) {
    uint64_t r;
    if (nan_by_sign(c, &r)) return r;
    return (uint32_t)ref_integer(c->source[0], in0(c), 2, INT32_MIN, INT32_MAX, 1);
}
uint64_t ref_cvt_nearest(const ref_call *c) {
    uint64_t r;
    if (nan_by_sign(c, &r)) return r;
    return (uint32_t)ref_half_up(c->source[0], in0(c), INT32_MIN, INT32_MAX);
}

static int64_t norm(ref_format f, uint64_t x, bool is_signed, const ref_mode *m) {
    int64_t most = is_signed ? 32767 : 65535;
    return ref_integer(f, ref_flushed_in(f, x, m), 0, is_signed ? -most : 0, most, (unsigned)most);
}
uint64_t ref_cvt_norm(const ref_call *c) {
    return (uint64_t)norm(c->source[0], c->in[0], c->result == REF_I16, c->mode) & 0xffff;
}
static uint64_t pk_norm(const ref_call *c, bool is_signed) {
    return packed((uint64_t)norm(c->source[0], c->in[0], is_signed, c->mode), (uint64_t)norm(c->source[1], c->in[1], is_signed, c->mode));
}
uint64_t ref_cvt_pk_norm_i16(const ref_call *c) { return pk_norm(c, true); }
uint64_t ref_cvt_pk_norm_u16(const ref_call *c) { return pk_norm(c, false); }

static uint64_t pk_integer(const ref_call *c, int64_t low, int64_t high) {
    return packed((uint64_t)ref_integer(c->source[0], c->in[0], 3, low, high, 1), (uint64_t)ref_integer(c->source[1], c->in[1], 3, low, high, 1));
}
uint64_t ref_cvt_pk_i16(const ref_call *c) { return pk_integer(c, INT16_MIN, INT16_MAX); }
uint64_t ref_cvt_pk_u16(const ref_call *c) { return pk_integer(c, 0, UINT16_MAX); }

/* Rounds as MODE says; docs/errata.md */
uint64_t ref_cvt_pk_u8(const ref_call *c) {
    uint64_t byte = (uint64_t)ref_integer(REF_F32, in0(c), c->mode->round32, 0, 255, 1);
    unsigned at = 8 * (c->in[1] & 3);
    return (c->in[2] & ~(UINT64_C(0xff) << at) & 0xffffffff) | byte << at;
}

/* ---- from integers ---- */

static uint64_t float_of(int64_t n, const ref_mode *m) { return ref_convert(REF_F32, REF_I32, (uint32_t)n, m); }
uint64_t ref_cvt_ubyte0(const ref_call *c) { return float_of(c->in[0] & 0xff, c->mode); }
uint64_t ref_cvt_ubyte1(const ref_call *c) { return float_of(c->in[0] >> 8 & 0xff, c->mode); }
uint64_t ref_cvt_ubyte2(const ref_call *c) { return float_of(c->in[0] >> 16 & 0xff, c->mode); }
uint64_t ref_cvt_ubyte3(const ref_call *c) { return float_of(c->in[0] >> 24 & 0xff, c->mode); }
/* A signed number of 4 bits in sixteenths. */
uint64_t ref_cvt_off(const ref_call *c) {
    int n = (int)(c->in[0] & 15) - (c->in[0] & 8 ? 16 : 0);
    return n ? ref_of(REF_MUL, REF_F32, float_of(n, c->mode), 0x3d800000, 0, c->mode) : 0;
}

/* ---- between floats ---- */

uint64_t ref_cvt_widen_bf16(const ref_call *c) { return c->in[0] << 16; }
uint64_t ref_cvt_high(const ref_call *c) { return ref_convert(c->result, REF_F16, c->in[0] >> 16 & 0xffff, c->mode); }

static ref_format element(ref_format packed_format) {
    return packed_format == REF_PK_F16 ? REF_F16 : packed_format == REF_PK_BF16 ? REF_BF16 : packed_format;
}
/* bfloats keep their denormals, for those are what MODE has left of a float's; rounded to nearest; docs/errata.md */
static ref_mode mode_to(ref_format to, const ref_mode *mode) {
    ref_mode m = *mode;
    if (to == REF_BF16) m.round16_64 = 0, m.denorm16_64 = 3;
    return m;
}
uint64_t ref_cvt_pk_nearest(const ref_call *c) {
    ref_format to = element(c->result);
    ref_mode m = mode_to(to, c->mode);
    m.round16_64 = 0;
    return packed(ref_convert(to, c->source[0], c->in[0], &m), ref_convert(to, c->source[1], c->in[1], &m));
}
/* Flushed as an input, NaNs quiet; docs/errata.md */
uint64_t ref_pack(const ref_call *c) {
    uint64_t half[2];
    for (unsigned i = 0; i < 2; i++) {
        half[i] = ref_flushed_in(REF_F16, c->in[i], c->mode);
        if (ref_is_nan(REF_F16, half[i])) half[i] = ref_quiet(REF_F16, half[i]);
    }
    return packed(half[0], half[1]);
}

/* Rounding by random bits: docs/errata.md, "FP8, BF8 and smaller floats". */
static uint64_t stochastic(ref_format to, uint64_t a, uint32_t random, const ref_mode *mode) {
    uint64_t x = ref_flushed_in(REF_F32, a, mode);
    ref_mode keep = {.denorm32 = 3, .denorm16_64 = 3};
    if (ref_is_nan(REF_F32, x) || ref_is_inf(REF_F32, x)) return ref_convert(to, REF_F32, x, &keep);
    unsigned drop = 23 - ref_layouts[to].fraction, e = ref_exponent(REF_F32, x);
    uint64_t m = (x & 0x7fffff) | (e ? 0x800000 : 0);
    int exponent = (int)(e ? e : 1) - 127, least = 1 - (int)ref_layouts[to].bias;
    unsigned extra = exponent < least ? (unsigned)(least - exponent) : 0;
    if (extra) exponent = least;
    m = extra > 63 ? 0 : m >> extra;
    m = (m + (random >> (32 - drop))) >> drop;
    uint64_t code = ((uint64_t)(exponent - least) << ref_layouts[to].fraction) + m, top = ref_infinity(to, false);
    if (code >= top) code = to == REF_F16 && mode->fp16_ovfl ? top - 1 : top;
    uint64_t r = ref_with_sign(to, ref_sign(REF_F32, x), code);
    return to == REF_F16 ? ref_flushed_out(to, r, mode) : r;
}
uint64_t ref_cvt_sr(const ref_call *c) { return stochastic(c->result, c->in[0], (uint32_t)c->in[1], c->mode); }
uint64_t ref_cvt_sr_pk(const ref_call *c) {
    ref_format to = element(c->result);
    return packed(stochastic(to, c->in[0], (uint32_t)c->in[2] << 16, c->mode), stochastic(to, c->in[1], (uint32_t)c->in[2], c->mode));
}

/* ---- mixed precision: all in floats, which are rounded to the result's format ---- */

/* The bits of a NaN stay: it is the operation that makes it quiet. */
static uint64_t widened(ref_format from, uint64_t x, const ref_mode *m) {
    if (from == REF_F32) return x;
    if (ref_is_nan(from, x) && from == REF_F16) return ref_with_sign(REF_F32, ref_sign(from, x), 0x7f800000 | (x & 0x3ff) << 13);
    return from == REF_BF16 ? x << 16 : ref_convert(REF_F32, from, x, m);
}
static uint64_t mix(const ref_call *c, bool fused, const ref_mode *m) {
    uint64_t v[3];
    for (unsigned i = 0; i < 3; i++) v[i] = widened(c->source[i], c->in[i], m);
    if (fused && c->result == REF_F16) /* rounded once, as captured on RDNA 3 and 4 */
        return ref_mpfr(REF_FMA, &(ref_call){REF_F16, {REF_F32, REF_F32, REF_F32}, {v[0], v[1], v[2]}, m});
    ref_call wide = {REF_F32, {REF_F32, REF_F32, REF_F32}, {v[0], v[1], v[2]}, m};
    uint64_t r = fused ? ref_fma(&wide) : ref_mad_f32(&wide);
    if (c->result == REF_F32) return r;
    ref_mode to = mode_to(c->result, m);
    if (c->result == REF_BF16) to.denorm32 = 3;
    return ref_convert(c->result, REF_F32, r, &to);
}
uint64_t ref_mix(const ref_call *c) { return mix(c, true, c->mode); }
uint64_t ref_mix_mad(const ref_call *c) { return mix(c, false, c->mode); }
uint64_t ref_mix_rtz(const ref_call *c) {
    ref_mode m = *c->mode;
    m.round32 = m.round16_64 = 3;
    return mix(c, true, &m);
}

/* ---- dot products ---- */

static uint64_t half_of(uint64_t x, unsigned n) { return x >> 16 * n & 0xffff; }

uint64_t ref_dot2(const ref_call *c) {
    ref_format f = element(c->source[0]);
    ref_mode m = *c->mode;
    if (f == REF_F16 && m.dot2_flush) m.denorm16_64 &= 2;
    uint64_t sum = c->in[2];
    for (unsigned n = 0; n < 2; n++)
        sum = ref_of(REF_FMA, REF_F32, widened(f, half_of(c->in[0], n), &m), widened(f, half_of(c->in[1], n), &m), sum, &m);
    return sum;
}
/* [CDNA4] V_DOT2_F32_BF16: the products first */
uint64_t ref_dot2_products_first(const ref_call *c) {
    uint64_t a = c->in[0], b = c->in[1];
    uint64_t sum = ref_of(REF_MUL, REF_F32, half_of(a, 0) << 16, half_of(b, 0) << 16, 0, c->mode);
    sum = ref_of(REF_FMA, REF_F32, half_of(a, 1) << 16, half_of(b, 1) << 16, sum, c->mode);
    return ref_of(REF_ADD, REF_F32, sum, c->in[2], 0, c->mode);
}
