/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drivers: what is around the row function of a vector instruction. Which driver an instruction has is decided when it is
 * lowered (valu.c); most have one for their shape, that finds all it needs in the step's first cache line. Compiled once for
 * each SIMD level.
 */
#include "exec/lanes.h"
#include "exec/masks.h"
#include "exec/valu.h"

#include <fenv.h>
#include <string.h>

static uint32_t *source_rows(ez_wave *w, unsigned n) {
    return w->temporary + n * EZ_ROWS_EACH * w->lanes;
}
static uint32_t *result_rows(ez_wave *w, unsigned n) {
    return w->temporary + (EZ_RESULT_ROWS + n * EZ_ROWS_EACH) * w->lanes;
}

static uint32_t *mask_row(ez_wave *w) { return w->temporary + EZ_MASK_ROW * w->lanes; }

/* The rows of a scalar source: temporary ones, which it fills, or those of a mask that is there already. */
static __attribute__((noinline)) const uint32_t *spread(ez_wave *w, const ez_place *p, uint32_t *row) {
    if (p->type == EZ_T_mask) {
        uint64_t mask = ez_get_mask(w, p->index);
        if (mask == w->mask_in_row) return mask_row(w);
        ez_mask_to_row(row, mask, w->lanes);
        return row;
    }
    ez_fill_row(row, w->sgpr[p->index], w->lanes);
    for (unsigned d = 1; d < p->dwords && d < EZ_ROWS_EACH; d++)
        ez_fill_row(row + d * w->lanes, w->sgpr[p->index + d], w->lanes);
    return row;
}

/* The rows of a source; scalars are spread over temporary rows. */
static const uint32_t *fetch(ez_wave *w, const ez_place *p, unsigned n) {
    if (p->kind == EZ_PLACE_ROW) return w->vgpr + p->index;
    if (p->kind == EZ_PLACE_CONSTANT) return p->constant;
    return spread(w, p, source_rows(w, n));
}

/* ---- running the row function ---- */

/* Host rounding modes by MODE's numbers. */
static const int host_rounding[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

static __attribute__((noinline, cold)) uint32_t run_rounded(ez_wave *w, const ez_step *s, const ez_lanes *x) {
    fesetround(host_rounding[s->flags & EZ_STEP_ROUND32 ? w->md.round32 : w->md.round16]);
    uint32_t raised = s->row(x);
    fesetround(FE_TONEAREST);
    return raised;
}

EZ_INLINE uint32_t run_row(ez_wave *w, const ez_step *s, const ez_lanes *x) {
    return s->flags & w->rounds ? run_rounded(w, s, x) : s->row(x);
}

/* Results that are not vector registers, after the row function wrote them to temporary rows. */
static void store_scalars(ez_wave *w, const ez_step *s, const ez_lanes *x) {
    for (unsigned n = 0; n < s->dsts; n++) {
        const ez_place *d = &s->dst[n];
        if (d->kind != EZ_PLACE_SCALAR) continue;
        if (d->type == EZ_T_mask) {
            ez_put_mask(w, d->index, ez_row_to_mask(x->d[n], w->lanes));
        } else {
            for (unsigned dword = 0; dword < d->dwords; dword++)
                w->sgpr[d->index + dword] = x->d[n][dword * w->lanes];
        }
    }
}

static const uint32_t all_lanes[EZ_MAX_LANES] = {
#define FOUR ~0u, ~0u, ~0u, ~0u
#define SIXTEEN FOUR, FOUR, FOUR, FOUR
    SIXTEEN, SIXTEEN, SIXTEEN, SIXTEEN};

/* A scalar result that is no lane mask does not depend on EXEC (v_s_exp_f32). */
static void set_scope(const ez_wave *w, const ez_step *s, ez_lanes *x) {
    x->scope = w->scope;
    if (!s->dsts || s->dst[0].kind != EZ_PLACE_SCALAR || s->dst[0].type == EZ_T_mask) return;
    x->scope.exec = all_lanes;
    x->scope.full = true;
}

/* Runs the row function on the places of the results; sources and scope are set. */
static void run_places(ez_wave *w, const ez_step *s, ez_lanes *x) {
    x->keep16 = s->valu.keep16;
    bool scalars = false;
    for (unsigned n = 0; n < s->dsts; n++) {
        scalars |= s->dst[n].kind == EZ_PLACE_SCALAR;
        x->d[n] = s->dst[n].kind == EZ_PLACE_ROW ? w->vgpr + s->dst[n].index : result_rows(w, n);
    }
    uint32_t raised = run_row(w, s, x);
    if (raised) ez_wave_raise(w, s, raised);
    if (scalars) store_scalars(w, s, x);
}

static void step_any(ez_wave *w, const ez_step *s) {
    ez_lanes x;
    set_scope(w, s, &x);
    for (unsigned n = 0; n < s->srcs; n++) x.s[n] = fetch(w, &s->src[n], n);
    run_places(w, s, &x);
}

static void step_commit(ez_wave *w, const ez_step *s) {
    const uint32_t *from = ez_place_row(w, &s->src[0]);
    uint32_t *to = ez_place_row(w, &s->dst[0]);
    for (unsigned d = 0; d < s->dst[0].dwords; d++)
        ez_copy_row(to + d * w->lanes, from + d * w->lanes, w->exec_row, w->lanes);
}

/* ---- drivers for one shape ---- */

EZ_INLINE const uint32_t *resolved(const ez_wave *w, const ez_step *s, unsigned n) {
    uintptr_t base = s->in_wave >> n & 1 ? (uintptr_t)w->vgpr : 0;
    return (const uint32_t *)(base + s->valu.source[n]);
}

/* Everything but results; `scalars`: some source may be one. */
EZ_INLINE void begin(ez_wave *w, const ez_step *s, bool scalars, ez_lanes *x) {
    for (unsigned n = 0; n < 3; n++) {
        if (scalars && s->spread >> n & 1) x->s[n] = spread(w, &s->src[n], source_rows(w, n));
        else x->s[n] = resolved(w, s, n);
    }
    x->d[0] = w->vgpr + s->valu.result;
    x->scope = w->scope;
    x->keep16 = s->valu.keep16;
}

/* The most frequent shape: everything is in vector registers. */
static void step_rows(ez_wave *w, const ez_step *s) {
    ez_lanes x;
    const uint8_t *registers = (const uint8_t *)w->vgpr;
    x.scope = w->scope;
    x.d[0] = w->vgpr + s->valu.result;
    for (unsigned n = 0; n < 3; n++) x.s[n] = (const uint32_t *)(const void *)(registers + s->valu.source[n]);
    x.keep16 = s->valu.keep16;
    run_row(w, s, &x);
}

static void step_constants(ez_wave *w, const ez_step *s) {
    ez_lanes x;
    begin(w, s, false, &x);
    run_row(w, s, &x);
}

static void step_scalars(ez_wave *w, const ez_step *s) {
    ez_lanes x;
    begin(w, s, true, &x);
    run_row(w, s, &x);
}

static void put_mask_row(ez_wave *w, const ez_place *p) {
    w->mask_in_row = ez_row_to_mask(mask_row(w), w->lanes);
    ez_put_mask(w, p->index, w->mask_in_row);
}

static void step_compare(ez_wave *w, const ez_step *s) {
    ez_lanes x;
    begin(w, s, true, &x);
    x.d[0] = mask_row(w);
    run_row(w, s, &x);
    put_mask_row(w, &s->dst[0]);
}

static void step_carry(ez_wave *w, const ez_step *s) {
    ez_lanes x;
    begin(w, s, true, &x);
    x.d[1] = mask_row(w);
    run_row(w, s, &x);
    put_mask_row(w, &s->dst[1]);
}

/* ---- fetch: modifiers of sources, from rows to temporary rows that may be the same ---- */

/* A multiple of 32 lanes, as i: so the compiler makes vectors without remainders. */
#define EACH_LANE(lanes)                                     \
    for (size_t first_ = 0; first_ < (lanes); first_ += 32)  \
        for (size_t i = first_; i < first_ + 32; i++)

/* Source 0 through DPP. Lanes whose source lane does not exist or is not active read 0 with bound_ctrl,
 * else they are not written: their bit in *write goes. Source: [RDNA3] "DPP16", [Vega] "DPP". */
static void fetch_dpp(ez_wave *w, const ez_modifiers *m, const uint32_t *from, uint32_t *to,
                      unsigned dwords, uint64_t *write) {
    EACH_LANE(w->lanes) {
        int lane = m->from[i];
        bool valid = lane >= 0 && (m->fetch_inactive || w->exec_row[lane]);
        for (unsigned d = 0; d < dwords; d++)
            to[d * w->lanes + i] = valid ? from[d * w->lanes + (unsigned)lane] : 0;
        if (!valid && !m->bound_zero) *write &= ~(UINT64_C(1) << i);
    }
    *write &= m->dpp_lanes;
}

/* SDWA select: 0..3 a byte, 4 and 5 a word, 6 the dword. */
static uint32_t select_part(uint32_t x, unsigned sel, bool sext) {
    if (sel < 4) {
        uint32_t byte = x >> (8 * sel) & 0xff;
        return sext ? (uint32_t)(int32_t)(int8_t)byte : byte;
    }
    if (sel == 6) return x;
    uint32_t word = sel == 5 ? x >> 16 : x & 0xffff;
    return sext ? (uint32_t)(int32_t)(int16_t)word : word;
}

static bool is_half_float(unsigned type) { return type == EZ_T_f16 || type == EZ_T_bf16; }

static bool is_packed16(unsigned type) {
    return type == EZ_T_pk_b16 || type == EZ_T_pk_i16 || type == EZ_T_pk_u16 || type == EZ_T_pk_f16 ||
           type == EZ_T_pk_bf16;
}

/* abs, then neg, on the sign bit of the operand's type; of both halves in VOP3 (v_dot2_f16_f16). */
static void apply_signs(const ez_place *p, const uint32_t *from, uint32_t *row, unsigned lanes) {
    uint32_t sign = is_packed16(p->type) ? 0x80008000 : is_half_float(p->type) ? 0x8000 : 0x80000000;
    if (p->dwords == 2) { /* the sign is in the upper dword */
        ez_move_row(row, from, lanes);
        row += lanes;
        from += lanes;
    }
    uint32_t keep = p->abs ? ~sign : ~0u, flip = p->neg ? sign : 0;
    EACH_LANE(lanes) row[i] = (from[i] & keep) ^ flip;
}

/* Packed sources: each half of the result reads the half that op_sel or op_sel_hi names. */
static void select_packed(const ez_modifiers *m, unsigned n, const uint32_t *from, uint32_t *row, unsigned lanes) {
    unsigned low = m->op_sel >> n & 1 ? 16 : 0, high = m->op_sel_hi >> n & 1 ? 16 : 0;
    uint32_t flip = (m->neg_lo >> n & 1 ? 0x8000u : 0) | (m->neg_hi >> n & 1 ? 0x80000000u : 0);
    EACH_LANE(lanes)
        row[i] = ((from[i] >> low & 0xffff) | (from[i] >> high & 0xffff) << 16) ^ flip;
}

/* Packed 64-bit sources (v_pk_fma_f32): each result reads the dword that its bit names. */
static void select_packed64(const ez_modifiers *m, unsigned n, const uint32_t *from, uint32_t *row, unsigned lanes) {
    unsigned low = m->op_sel >> n & 1 ? lanes : 0, high = m->op_sel_hi >> n & 1 ? lanes : 0;
    uint32_t flip_low = m->neg_lo >> n & 1 ? 0x80000000u : 0, flip_high = m->neg_hi >> n & 1 ? 0x80000000u : 0;
    const uint32_t *a = from + low, *b = from + high;
    uint32_t *upper = row + lanes;
    EACH_LANE(lanes) {
        uint32_t x = a[i], y = b[i];
        row[i] = x ^ flip_low;
        upper[i] = y ^ flip_high;
    }
}

/* Sources of v_fma_mix: an f32, or with op_sel_hi the half that op_sel names, as f32; neg_hi is abs. */
static void select_mix(const ez_modifiers *m, unsigned n, const ez_fpmode *md, const uint32_t *from, uint32_t *row,
                       unsigned lanes) {
    bool half = m->op_sel_hi >> n & 1;
    unsigned shift = m->op_sel >> n & 1 ? 16 : 0;
    uint32_t keep = m->neg_hi >> n & 1 ? 0x7fffffff : ~0u, flip = m->neg_lo >> n & 1 ? 0x80000000u : 0;
    EACH_LANE(lanes) {
        uint32_t part = from[i] >> shift & 0xffff;
        uint32_t x = !half ? from[i] : m->mix == EZ_MIX_BF16 ? part << 16 : f16_widen(f16_in(part, md));
        row[i] = (x & keep) ^ flip;
    }
}

/* One lane of each four to all of them. */
static void spread_quads(const uint32_t *from, uint32_t *row, unsigned lane, unsigned lanes) {
    for (unsigned i = 0; i < lanes; i += 4)
        row[i] = row[i + 1] = row[i + 2] = row[i + 3] = from[i + lane];
}

/* Whether source n has to be changed before the row function sees it. */
static bool changes(const ez_modifiers *m, const ez_place *p, unsigned n) {
    return (m->dpp && n == 0) || (n < 3 && m->quad[n]) || p->neg || p->abs || p->half || (m->select && n < 2) || m->packed || m->mix;
}

static const uint32_t *fetch_modified(ez_wave *w, const ez_step *s, unsigned n, uint64_t *write) {
    const ez_modifiers *m = s->modifiers;
    const ez_place *p = &s->src[n];
    const uint32_t *from = fetch(w, p, n);
    if (!changes(m, p, n)) return from;
    uint32_t *row = source_rows(w, n);
    unsigned dwords = p->dwords < EZ_ROWS_EACH ? p->dwords : EZ_ROWS_EACH, lanes = w->lanes;
    if (m->dpp && n == 0) {
        fetch_dpp(w, m, from, row, dwords, write);
        from = row;
    }
    if (p->type == EZ_T_mask) return from;
    for (unsigned d = 2; d < dwords; d++) ez_move_row(row + d * lanes, from + d * lanes, lanes);
    if (m->select && n < 2) {
        EACH_LANE(lanes) row[i] = select_part(from[i], p->sel, p->sext);
        from = row;
    }
    if (p->half) {
        EACH_LANE(lanes) row[i] = from[i] >> 16;
        from = row;
    }
    if (n < 3 && m->quad[n]) {
        spread_quads(from, row, m->quad[n] - 1u, lanes);
        from = row;
    }
    if (p->abs || p->neg) {
        apply_signs(p, from, row, lanes);
        from = row;
    }
    if (m->mix && n < 3) {
        select_mix(m, n, &w->md, from, row, lanes);
    } else if (m->packed && ez_type_is_pair(p->type)) {
        select_packed64(m, n, from, row, lanes);
    } else if (m->packed && is_packed16(p->type)) {
        select_packed(m, n, from, row, lanes);
    } else if (m->packed && p->type == EZ_T_f32 && m->neg_lo >> n & 1) {
        EACH_LANE(lanes) row[i] = from[i] ^ 0x80000000;
    } else {
        return from;
    }
    return row;
}

/* ---- finish: modifiers of results ---- */

/* omod. Ignored where IEEE mode is on or mostly where denormal results are kept; otherwise it multiplies, rounds as MODE says, flushes and
 * turns -0 into +0. Source: [RDNA3] "Output modifiers"; docs/errata.md */
#define EZ_OMOD(F, FRACTION, TOP, MODE, OVFL)                                                              \
    static F omod_##F(F x, const ez_modifiers *m, const ez_fpmode *md) {                                   \
        static const int by[4] = {0, 1, 2, -1};                                                            \
        if (md->ieee || !(md->flush_out##MODE || m->omod_any_denorm)) return x;                            \
        const F one = (F)1 << (FRACTION), sign = x ^ F##_abs(x);                                           \
        const bool away = !md->round##MODE || ez_round_away(md->round##MODE, sign != 0);                   \
        int e = (int)(F##_abs(x) >> (FRACTION)), scaled = e + by[m->omod];                                 \
        if (e == (TOP)) return x;                                                                          \
        if (e == 0) return 0;                                                                              \
        if (scaled <= 0) return 0;                                                                         \
        if (scaled < (TOP)) return x + (F)scaled * one - (F)e * one;                                       \
        return (sign | (F)(TOP) * one) - (F)((!away && !m->omod_infinite) || (OVFL));                                             \
    }
EZ_OMOD(f16, 10, 31, 16, md->fp16_ovfl)
EZ_OMOD(f32, 23, 255, 32, false)
EZ_OMOD(f64, 52, 2047, 16, false)

/* clamp: to 0..1; a NaN gives 0 with DX10_CLAMP, else stays. Source: [RDNA3] "Clamp". */
static f16 clamp_f16(f16 x, const ez_fpmode *md) {
    if (f16_is_nan(x)) return md->dx10 ? 0 : x;
    return x & 0x8000 ? 0 : x > 0x3c00 ? 0x3c00 : x;
}
static bf16 clamp_bf16(bf16 x, const ez_fpmode *md) {
    if ((x & 0x7fff) > 0x7f80) return md->dx10 ? 0 : x;
    return x & 0x8000 ? 0 : x > 0x3f80 ? 0x3f80 : x;
}
static f32 clamp_f32(f32 x, const ez_fpmode *md) {
    if (f32_is_nan(x)) return md->dx10 ? 0 : x;
    return x >> 31 ? 0 : x > 0x3f800000 ? 0x3f800000 : x;
}
static f64 clamp_f64(f64 x, const ez_fpmode *md) {
    if (f64_is_nan(x)) return md->dx10 ? 0 : x;
    return x >> 63 ? 0 : x > UINT64_C(0x3ff0000000000000) ? UINT64_C(0x3ff0000000000000) : x;
}

/* One lane of a result through omod and clamp, by its type; integer types pass unchanged. */
static uint64_t scale_and_clamp(uint64_t x, unsigned type, const ez_modifiers *m, const ez_fpmode *md) {
    uint32_t v = (uint32_t)x;
    switch (type) {
    case EZ_T_f16:
        if (m->omod) v = omod_f16(v & 0xffff, m, md);
        return m->clamp ? clamp_f16(v & 0xffff, md) : v;
    case EZ_T_bf16: return m->clamp ? clamp_bf16(v & 0xffff, md) : v;
    case EZ_T_f32:
        if (m->omod) v = omod_f32(v, m, md);
        return m->clamp ? clamp_f32(v, md) : v;
    case EZ_T_f64:
        if (m->omod) x = omod_f64(x, m, md);
        return m->clamp ? clamp_f64(x, md) : x;
    case EZ_T_pk_f16:
        return m->clamp ? clamp_f16(v & 0xffff, md) | clamp_f16(v >> 16, md) << 16 : v;
    case EZ_T_pk_bf16:
        return m->clamp ? clamp_bf16(v & 0xffff, md) | clamp_bf16(v >> 16, md) << 16 : v;
    case EZ_T_pk_f32:
        return m->clamp ? clamp_f32(v, md) | (uint64_t)clamp_f32((uint32_t)(x >> 32), md) << 32 : x;
    default: return x;
    }
}

/* SDWA: the part of the register that the result goes to, and what becomes of the rest: 0 zero, 1 the sign of
 * the result above it, 2 preserved. Source: [Vega] "SDWA". */
static uint32_t merge_sdwa(uint32_t old, uint32_t r, const ez_modifiers *m) {
    if (m->dst_sel == 6) return r;
    unsigned width = m->dst_sel < 4 ? 8 : 16;
    unsigned at = m->dst_sel < 4 ? 8u * m->dst_sel : 16u * (m->dst_sel - 4u);
    uint32_t part = (width == 8 ? 0xffu : 0xffffu) << at;
    uint32_t in = r << at & part;
    if (m->dst_unused == 2) return (old & ~part) | in;
    if (m->dst_unused == 1 && (r >> (width - 1) & 1)) return in | (uint32_t)(~UINT64_C(0) << (at + width));
    return in;
}

static void finish(ez_wave *w, const ez_step *s, unsigned n, const uint32_t *r, const uint32_t *write) {
    const ez_modifiers *m = s->modifiers;
    const ez_place *p = &s->dst[n];
    uint32_t *d = w->vgpr + p->index;
    unsigned lanes = w->lanes, bits = ez_type_bits[p->type];
    uint32_t keep = bits == 16 ? s->valu.keep16 : ~0u;
    for (unsigned i = 0; i < lanes; i++) {
        if (!write[i]) continue;
        uint64_t x = r[i] | (p->dwords > 1 ? (uint64_t)r[lanes + i] << 32 : 0);
        if (m->omod || m->clamp) x = scale_and_clamp(x, p->type, m, &w->md);
        uint32_t low = (uint32_t)x;
        if (m->sdwa) low = merge_sdwa(d[i], low, m);
        else if (bits == 16) low = (d[i] & ~keep) | (((low & 0xffff) << (p->half ? 16 : 0)) & keep);
        d[i] = low;
        if (p->dwords > 1) d[lanes + i] = (uint32_t)(x >> 32);
        for (unsigned dword = 2; dword < p->dwords; dword++) d[dword * lanes + i] = r[dword * lanes + i];
    }
}

/* Sources with their modifiers, and the lanes that are written. */
static void begin_modified(ez_wave *w, const ez_step *s, uint32_t *write_row, ez_lanes *x) {
    uint64_t write = ~UINT64_C(0);
    for (unsigned n = 0; n < s->srcs; n++) x->s[n] = fetch_modified(w, s, n, &write);
    set_scope(w, s, x);
    if (write == ~UINT64_C(0)) return;
    x->scope.full = false;
    ez_mask_to_row(write_row, write, w->lanes);
    EACH_LANE(w->lanes) write_row[i] &= x->scope.exec[i];
    x->scope.exec = write_row;
}

static void step_sources(ez_wave *w, const ez_step *s) {
    uint32_t write_row[EZ_MAX_LANES];
    ez_lanes x;
    begin_modified(w, s, write_row, &x);
    run_places(w, s, &x);
}

static void step_modified(ez_wave *w, const ez_step *s) {
    uint32_t write_row[EZ_MAX_LANES];
    ez_lanes x;
    begin_modified(w, s, write_row, &x);
    x.keep16 = ~0u;
    for (unsigned n = 0; n < s->dsts; n++) x.d[n] = result_rows(w, n);
    uint32_t raised = run_row(w, s, &x);
    if (raised) ez_wave_raise(w, s, raised);
    if (w->stop) return;
    for (unsigned n = 0; n < s->dsts; n++) {
        const ez_place *d = &s->dst[n];
        if (d->kind == EZ_PLACE_ROW) {
            finish(w, s, n, x.d[n], x.scope.exec);
        } else if (d->type != EZ_T_mask && d->kind == EZ_PLACE_SCALAR && s->modifiers->clamp | s->modifiers->omod) {
            uint64_t v = scale_and_clamp(x.d[n][0], d->type, s->modifiers, &w->md);
            x.d[n][0] = (uint32_t)v;
        }
    }
    store_scalars(w, s, &x);
}

#define EZ_NAME_(level) ez_drivers_##level
#define EZ_NAME(level) EZ_NAME_(level)
extern const ez_drivers EZ_NAME(EZ_LEVEL);
const ez_drivers EZ_NAME(EZ_LEVEL) = {.rows = step_rows, .constants = step_constants, .scalars = step_scalars, .compare = step_compare, .carry = step_carry,
                                      .any = step_any, .sources = step_sources, .modified = step_modified, .commit = step_commit};
