/* SPDX-License-Identifier: Apache-2.0 */
#include "valu.h"

#include <fenv.h>
#include <string.h>

/* Temporary rows: four for each source, so that 128-bit operands fit, and four for each result. */
enum { ROWS_EACH = 4, DST_ROWS = EZ_STEP_SRCS * ROWS_EACH };
_Static_assert(DST_ROWS + EZ_STEP_DSTS * ROWS_EACH <= EZ_DUAL_ROW, "temporary rows");

static uint32_t *source_rows(ez_wave *w, unsigned n) {
    return w->temporary + n * ROWS_EACH * w->lanes;
}
static uint32_t *result_rows(ez_wave *w, unsigned n) {
    return w->temporary + (DST_ROWS + n * ROWS_EACH) * w->lanes;
}

static void fill(uint32_t *row, uint32_t value, unsigned lanes) {
    for (unsigned i = 0; i < lanes; i++) row[i] = value;
}

static void mask_to_row(uint32_t *row, uint64_t mask, unsigned lanes) {
    for (unsigned i = 0; i < lanes; i++) row[i] = 0u - (uint32_t)(mask >> i & 1);
}

static uint64_t row_to_mask(const uint32_t *row, unsigned lanes) {
    uint64_t mask = 0;
    for (unsigned i = 0; i < lanes; i++) mask |= (uint64_t)(row[i] & 1) << i;
    return mask;
}

/* The rows of a source; scalars are spread over temporary rows. */
static const uint32_t *fetch(ez_wave *w, const ez_place *p, unsigned n) {
    if (p->kind == EZ_PLACE_ROW) return w->vgpr + p->index;
    if (p->kind == EZ_PLACE_CONSTANT) return p->constant;
    uint32_t *row = source_rows(w, n);
    if (p->type == EZ_T_mask) mask_to_row(row, ez_get_mask(w, p->index), w->lanes);
    else
        for (unsigned d = 0; d < p->dwords && d < ROWS_EACH; d++)
            fill(row + d * w->lanes, w->sgpr[p->index + d], w->lanes);
    return row;
}

/* ---- running the row function ---- */

/* Host rounding modes by MODE's numbers. */
static const int host_rounding[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};

static void run_row(ez_wave *w, const ez_step *s, const ez_lanes *x) {
    unsigned round = s->flags & EZ_STEP_ROUND32 ? w->md.round32 : s->flags & EZ_STEP_ROUND16 ? w->md.round16 : 0;
    if (round) fesetround(host_rounding[round]);
    uint32_t raised = s->row(x);
    if (round) fesetround(FE_TONEAREST);
    if (raised) ez_wave_raise(w, s, raised);
}

/* Bits of the register that a 16-bit result replaces. */
static void halves(const ez_step *s, ez_lanes *x) {
    x->keep16 = (uint32_t)s->imm[0];
    x->shift16 = s->dst[0].half ? 16 : 0;
}

/* Results that are not vector registers, after the row function wrote them to temporary rows. */
static void store_scalars(ez_wave *w, const ez_step *s, const ez_lanes *x) {
    for (unsigned n = 0; n < s->dsts; n++) {
        const ez_place *d = &s->dst[n];
        if (d->kind != EZ_PLACE_SCALAR) continue;
        if (d->type == EZ_T_mask) {
            ez_put_mask(w, d->index, row_to_mask(x->d[n], w->lanes));
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
static const uint32_t *lanes_written(const ez_wave *w, const ez_step *s) {
    bool scalar = s->dsts && s->dst[0].kind == EZ_PLACE_SCALAR && s->dst[0].type != EZ_T_mask;
    return scalar ? all_lanes : w->exec_row;
}

void ez_step_valu_plain(ez_wave *w, const ez_step *s) {
    ez_lanes x;
    x.exec = lanes_written(w, s);
    x.lanes = w->lanes;
    x.md = &w->md;
    halves(s, &x);
    for (unsigned n = 0; n < s->srcs; n++) x.s[n] = fetch(w, &s->src[n], n);
    bool scalars = false;
    for (unsigned n = 0; n < s->dsts; n++) {
        scalars |= s->dst[n].kind == EZ_PLACE_SCALAR;
        x.d[n] = s->dst[n].kind == EZ_PLACE_ROW ? w->vgpr + s->dst[n].index : result_rows(w, n);
    }
    run_row(w, s, &x);
    if (scalars) store_scalars(w, s, &x);
}

void ez_step_commit(ez_wave *w, const ez_step *s) {
    const uint32_t *from = ez_place_row(w, &s->src[0]);
    uint32_t *to = ez_place_row(w, &s->dst[0]);
    for (unsigned d = 0; d < s->dst[0].dwords; d++)
        for (unsigned i = 0; i < w->lanes; i++)
            if (w->exec_row[i]) to[d * w->lanes + i] = from[d * w->lanes + i];
}

/* ---- VGPR index mode: [GCN3], [Vega] "VGPR Indexing" ---- */

static bool move_place(ez_wave *w, const ez_step *s, ez_place *p, uint32_t m0) {
    if (p->kind != EZ_PLACE_ROW || !(m0 >> (12 + p->bank) & 1)) return true;
    uint32_t moved = p->index + (m0 & 0xff) * w->lanes;
    if (p->index < w->vgprs * w->lanes && moved + p->dwords * w->lanes <= w->vgprs * w->lanes) {
        p->index = moved;
        return true;
    }
    ez_wave_fault(w, s, EZ_FAULT_REGISTER, "the index in M0 points beyond the register file");
    return false;
}

void ez_step_indexed(ez_wave *w, const ez_step *s) {
    ez_step moved = *(const ez_step *)(uintptr_t)s->imm[0];
    uint32_t m0 = w->sgpr[EZ_SLOT_M0];
    for (unsigned n = 0; n < moved.dsts; n++)
        if (!move_place(w, s, &moved.dst[n], m0)) return;
    for (unsigned n = 0; n < moved.srcs; n++)
        if (!move_place(w, s, &moved.src[n], m0)) return;
    moved.fn(w, &moved);
}

/* ---- fetch: modifiers of sources ---- */

/* Source 0 through DPP. Lanes whose source lane does not exist or is not active read 0 with bound_ctrl,
 * else they are not written: their bit in *write goes. Source: [RDNA3] "DPP16", [Vega] "DPP". */
static void fetch_dpp(ez_wave *w, const ez_modifiers *m, const uint32_t *from, uint32_t *to,
                      unsigned dwords, uint64_t *write) {
    for (unsigned i = 0; i < w->lanes; i++) {
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
static void apply_signs(const ez_place *p, uint32_t *row, unsigned lanes) {
    uint32_t sign = is_packed16(p->type) ? 0x80008000 : is_half_float(p->type) ? 0x8000 : 0x80000000;
    if (p->dwords == 2) row += lanes; /* the sign is in the upper dword */
    uint32_t keep = p->abs ? ~sign : ~0u, flip = p->neg ? sign : 0;
    for (unsigned i = 0; i < lanes; i++) row[i] = (row[i] & keep) ^ flip;
}

/* Packed sources: each half of the result reads the half that op_sel or op_sel_hi names. */
static void select_packed(const ez_modifiers *m, unsigned n, uint32_t *row, unsigned lanes) {
    unsigned low = m->op_sel >> n & 1 ? 16 : 0, high = m->op_sel_hi >> n & 1 ? 16 : 0;
    uint32_t flip = (m->neg_lo >> n & 1 ? 0x8000u : 0) | (m->neg_hi >> n & 1 ? 0x80000000u : 0);
    for (unsigned i = 0; i < lanes; i++)
        row[i] = ((row[i] >> low & 0xffff) | (row[i] >> high & 0xffff) << 16) ^ flip;
}

/* Packed 64-bit sources (v_pk_fma_f32): each result reads the dword that its bit names. */
static void select_packed64(const ez_modifiers *m, unsigned n, uint32_t *row, unsigned lanes) {
    unsigned low = m->op_sel >> n & 1 ? lanes : 0, high = m->op_sel_hi >> n & 1 ? lanes : 0;
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t a = row[low + i], b = row[high + i];
        row[i] = a ^ (m->neg_lo >> n & 1 ? 0x80000000u : 0);
        row[lanes + i] = b ^ (m->neg_hi >> n & 1 ? 0x80000000u : 0);
    }
}

/* Sources of v_fma_mix: an f32, or with op_sel_hi the half that op_sel names, as f32; neg_hi is abs. */
static void select_mix(const ez_modifiers *m, unsigned n, const ez_fpmode *md, uint32_t *row,
                       unsigned lanes) {
    bool half = m->op_sel_hi >> n & 1;
    unsigned shift = m->op_sel >> n & 1 ? 16 : 0;
    uint32_t keep = m->neg_hi >> n & 1 ? 0x7fffffff : ~0u, flip = m->neg_lo >> n & 1 ? 0x80000000u : 0;
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t part = row[i] >> shift & 0xffff;
        uint32_t x = !half ? row[i] : m->mix == EZ_MIX_BF16 ? part << 16 : f16_widen(f16_in(part, md));
        row[i] = (x & keep) ^ flip;
    }
}

/* One lane of each four to all of them. */
static void spread_quads(uint32_t *row, unsigned lane, unsigned lanes) {
    for (unsigned i = 0; i < lanes; i += 4)
        row[i] = row[i + 1] = row[i + 2] = row[i + 3] = row[i + lane];
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
    unsigned dwords = p->dwords < ROWS_EACH ? p->dwords : ROWS_EACH;
    if (m->dpp && n == 0) fetch_dpp(w, m, from, row, dwords, write);
    else if (from != row) memcpy(row, from, 4ul * dwords * w->lanes);
    if (p->type == EZ_T_mask) return row;
    if (m->select && n < 2)
        for (unsigned i = 0; i < w->lanes; i++) row[i] = select_part(row[i], p->sel, p->sext);
    if (p->half)
        for (unsigned i = 0; i < w->lanes; i++) row[i] >>= 16;
    if (n < 3 && m->quad[n]) spread_quads(row, m->quad[n] - 1u, w->lanes);
    if (p->abs || p->neg) apply_signs(p, row, w->lanes);
    if (m->mix && n < 3) select_mix(m, n, &w->md, row, w->lanes);
    else if (m->packed && (p->type == EZ_T_pk_f32 || p->type == EZ_T_pk_b32)) select_packed64(m, n, row, w->lanes);
    else if (m->packed && is_packed16(p->type)) select_packed(m, n, row, w->lanes);
    else if (m->packed && p->type == EZ_T_f32 && m->neg_lo >> n & 1)
        for (unsigned i = 0; i < w->lanes; i++) row[i] ^= 0x80000000;
    return row;
}

/* ---- finish: modifiers of results ---- */

/* omod. Ignored where IEEE mode is on or denormal results are kept; otherwise it multiplies, flushes and
 * turns -0 into +0. Source: [RDNA3] "Output modifiers". */
static f16 omod_f16(f16 x, unsigned omod, const ez_fpmode *md) {
    if (md->ieee || !md->flush_out16) return x;
    static const f16 factor[4] = {0x3c00, 0x4000, 0x4400, 0x3800};
    f16 r = f16_mul(x, factor[omod], md, NULL);
    return f16_is_zero(r) ? 0 : r;
}
static f32 omod_f32(f32 x, unsigned omod, const ez_fpmode *md) {
    if (md->ieee || !md->flush_out32) return x;
    static const float factor[4] = {1, 2, 4, 0.5f};
    if (f32_is_nan(x)) return x;
    f32 r = f32_out(f32_bits(f32_host(x) * factor[omod]), md);
    return f32_is_zero(r) ? 0 : r;
}
static f64 omod_f64(f64 x, unsigned omod, const ez_fpmode *md) {
    if (md->ieee || !md->flush_out16) return x;
    static const double factor[4] = {1, 2, 4, 0.5};
    if (f64_is_nan(x)) return x;
    f64 r = f64_out(f64_bits(f64_host(x) * factor[omod]), md);
    return f64_is_zero(r) ? 0 : r;
}

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
        if (m->omod) v = omod_f16(v & 0xffff, m->omod, md);
        return m->clamp ? clamp_f16(v & 0xffff, md) : v;
    case EZ_T_bf16: return m->clamp ? clamp_bf16(v & 0xffff, md) : v;
    case EZ_T_f32:
        if (m->omod) v = omod_f32(v, m->omod, md);
        return m->clamp ? clamp_f32(v, md) : v;
    case EZ_T_f64:
        if (m->omod) x = omod_f64(x, m->omod, md);
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
    uint32_t keep = bits == 16 ? (uint32_t)s->imm[0] : ~0u;
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

void ez_step_valu_modified(ez_wave *w, const ez_step *s) {
    uint64_t write = ~UINT64_C(0);
    uint32_t write_row[EZ_MAX_LANES];
    ez_lanes x;
    x.lanes = w->lanes;
    x.md = &w->md;
    x.keep16 = ~0u;
    x.shift16 = 0;
    for (unsigned n = 0; n < s->srcs; n++) x.s[n] = fetch_modified(w, s, n, &write);
    const uint32_t *active = lanes_written(w, s);
    for (unsigned i = 0; i < w->lanes; i++) write_row[i] = active[i] & (0u - (uint32_t)(write >> i & 1));
    x.exec = write_row;
    for (unsigned n = 0; n < s->dsts; n++) x.d[n] = result_rows(w, n);
    run_row(w, s, &x);
    if (w->stop) return;
    for (unsigned n = 0; n < s->dsts; n++) {
        const ez_place *d = &s->dst[n];
        if (d->kind == EZ_PLACE_ROW) {
            finish(w, s, n, x.d[n], write_row);
        } else if (d->type != EZ_T_mask && d->kind == EZ_PLACE_SCALAR && s->modifiers->clamp | s->modifiers->omod) {
            uint64_t v = scale_and_clamp(x.d[n][0], d->type, s->modifiers, &w->md);
            x.d[n][0] = (uint32_t)v;
        }
    }
    store_scalars(w, s, &x);
}

/* ---- DPP controls ---- */

enum { ROW = 16 }; /* lanes of a DPP row */

/* The lane that lane i reads; -1: outside. Source: [Vega] table "DPP_CTRL", [RDNA1] the same. */
static int dpp16_from(unsigned control, int i, int lanes) {
    int row = i / ROW * ROW, at = i % ROW, n = (int)(control & 15);
    if (control < 0x100) return (i & ~3) + (int)(control >> (2 * (i & 3)) & 3); /* quad_perm */
    switch (control & ~15u) {
    case 0x100: return n && at + n < ROW ? i + n : -1;   /* row_shl */
    case 0x110: return n && at - n >= 0 ? i - n : -1;    /* row_shr */
    case 0x120: return row + (at - n + ROW) % ROW;       /* row_ror */
    case 0x130:
        switch (n) {
        case 0: return i + 1 < lanes ? i + 1 : -1;       /* wave_shl */
        case 4: return (i + 1) % lanes;                  /* wave_rol */
        case 8: return i - 1;                            /* wave_shr */
        default: return (i - 1 + lanes) % lanes;         /* wave_ror */
        }
    case 0x140:
        switch (n) {
        case 0: return row + ROW - 1 - at;               /* row_mirror */
        case 1: return (i & ~7) + 7 - (i & 7);           /* row_half_mirror */
        case 2: return row ? row - 1 : -1;               /* row_bcast:15 */
        default: return i >= 32 ? 31 : -1;               /* row_bcast:31 */
        }
    case 0x150: return row + n;                          /* row_share, row_newbcast */
    default: return row + (at ^ n);                      /* row_xmask */
    }
}

static bool dpp16_exists(unsigned control, const ez_target *t) {
    unsigned n = control & 15;
    switch (control & ~15u) {
    case 0x100: case 0x110: case 0x120: return n != 0;
    case 0x130: return ez_has(t, EZ_HAS_dpp_wave) && n % 4 == 0;
    case 0x140: return n < 2 || (n < 4 && ez_has(t, EZ_HAS_dpp_wave));
    case 0x150: return ez_has(t, EZ_HAS_dpp_row_share) || ez_has(t, EZ_HAS_dpp_row_newbcast);
    case 0x160: return ez_has(t, EZ_HAS_dpp_row_share);
    default: return control < 0x100;
    }
}

bool ez_dpp16_lanes(const ez_inst *inst, ez_modifiers *m) {
    unsigned control = ez_get(inst, EZ_F_dpp_ctrl);
    if (!dpp16_exists(control, inst->target)) return false;
    m->dpp = true;
    m->bound_zero = ez_get(inst, EZ_F_bound_ctrl);
    m->fetch_inactive = ez_get(inst, EZ_F_fi);
    unsigned rows = ez_get(inst, EZ_F_row_mask), banks = ez_get(inst, EZ_F_bank_mask);
    for (unsigned i = 0; i < inst->wave; i++) {
        m->from[i] = (int8_t)dpp16_from(control, (int)i, inst->wave);
        if ((rows >> (i / ROW) & 1) && (banks >> (i % ROW / 4) & 1)) m->dpp_lanes |= UINT64_C(1) << i;
    }
    return true;
}

void ez_dpp8_lanes(const ez_inst *inst, ez_modifiers *m) {
    uint32_t select = ez_get(inst, EZ_F_lane_sel);
    m->dpp = true;
    /* lanes that are not active read as 0 without FI: [RDNA1] "DPP8" */
    m->bound_zero = true;
    m->fetch_inactive = ez_get(inst, EZ_F_escape) == EZ_CODE_DPP8_FI;
    m->dpp_lanes = ~UINT64_C(0);
    for (unsigned i = 0; i < inst->wave; i++)
        m->from[i] = (int8_t)((i & ~7u) + (select >> (3 * (i & 7)) & 7));
}

/* ---- special sources ---- */

enum { SRC_FLAT_SCRATCH = 230, SRC_SHARED = 235, SRC_VCCZ = 251, SRC_EXECZ = 252, SRC_SCC = 253 };

void ez_step_load_special(ez_wave *w, const ez_step *s) {
    uint64_t value = 0;
    switch (s->imm[0]) {
    case SRC_FLAT_SCRATCH: value = w->flat_scratch; break;
    case SRC_FLAT_SCRATCH + 1: value = w->flat_scratch >> 32; break;
    case SRC_SHARED: value = w->shared_base; break;
    case SRC_SHARED + 1: value = w->shared_limit; break;
    case SRC_SHARED + 2: value = w->private_base; break;
    case SRC_SHARED + 3: value = w->private_limit; break;
    case SRC_VCCZ: value = !ez_get_mask(w, EZ_SLOT_VCC); break;
    case SRC_EXECZ: value = !ez_exec(w); break;
    case SRC_SCC: value = w->scc; break;
    default: ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "no value for this special source"); return;
    }
    ez_put64(w, (unsigned)s->imm[1], value);
}
