/* SPDX-License-Identifier: Apache-2.0 */
/* Vector instructions that move data between lanes or registers. Source: [RDNA3] V_READLANE_B32, V_PERMLANE16_B32 and
 * their like; [CDNA4] V_PERMLANE32_SWAP_B32. */
#include <string.h>

#include "semantics/steps.h"

void ez_step_readfirstlane(ez_wave *w, const ez_step *s) {
    uint64_t exec = ez_exec(w);
    unsigned lane = exec ? (unsigned)__builtin_ctzll(exec) : 0;
    w->sgpr[s->dst[0].index] = ez_lane32(w, &s->src[0], lane);
}

/* EXEC does not matter to these two. */
void ez_step_readlane(ez_wave *w, const ez_step *s) {
    unsigned lane = ez_scalar32(w, &s->src[1]) & (w->lanes - 1);
    w->sgpr[s->dst[0].index] = ez_lane32(w, &s->src[0], lane);
}
void ez_step_writelane(ez_wave *w, const ez_step *s) {
    unsigned lane = ez_scalar32(w, &s->src[1]) & (w->lanes - 1);
    ez_place_row(w, &s->dst[0])[lane] = ez_scalar32(w, &s->src[0]);
}

/* ---- permutations within and across rows of 16 ---- */

enum { FI = 1, BOUND_CTRL = 2, ROW = 16 };

bool ez_prepare_permlane(ez_step *s) {
    s->flags = (uint8_t)(ez_get(s->inst, EZ_F_op_sel) & (FI | BOUND_CTRL));
    return s->src[0].kind == EZ_PLACE_ROW && s->dst[0].kind == EZ_PLACE_ROW;
}

/* Each active lane i takes from[i]. A source lane that is not active gives 0 with bound_ctrl and leaves the
 * destination alone without, unless fi says to fetch it. */
static void permute(ez_wave *w, const ez_step *s, const unsigned *from) {
    uint32_t in[EZ_MAX_LANES];
    memcpy(in, ez_place_row(w, &s->src[0]), 4ul * w->lanes);
    uint32_t *d = ez_place_row(w, &s->dst[0]);
    for (unsigned i = 0; i < w->lanes; i++) {
        if (!w->exec_row[i]) continue;
        if (w->exec_row[from[i]] || s->flags & FI) d[i] = in[from[i]];
        else if (s->flags & BOUND_CTRL) d[i] = 0;
    }
}

static void permute_rows(ez_wave *w, const ez_step *s, unsigned other_row) {
    uint64_t select = ez_scalar32(w, &s->src[1]) | (uint64_t)ez_scalar32(w, &s->src[2]) << 32;
    unsigned from[EZ_MAX_LANES];
    for (unsigned i = 0; i < w->lanes; i++)
        from[i] = ((i & ~(ROW - 1u)) ^ other_row) + (unsigned)(select >> (4 * (i % ROW)) & 15);
    permute(w, s, from);
}
void ez_step_permlane16(ez_wave *w, const ez_step *s) {
    permute_rows(w, s, 0);
}
void ez_step_permlanex16(ez_wave *w, const ez_step *s) {
    permute_rows(w, s, ROW);
}

static void permute_rows_var(ez_wave *w, const ez_step *s, unsigned other_row) {
    unsigned from[EZ_MAX_LANES];
    for (unsigned i = 0; i < w->lanes; i++)
        from[i] = ((i & ~(ROW - 1u)) ^ other_row) + (ez_lane32(w, &s->src[1], i) & 15);
    permute(w, s, from);
}
void ez_step_permlane16_var(ez_wave *w, const ez_step *s) {
    permute_rows_var(w, s, 0);
}
void ez_step_permlanex16_var(ez_wave *w, const ez_step *s) {
    permute_rows_var(w, s, ROW);
}

/* ---- permutations within groups of lanes: S1 says how far, S2 how many lanes a group has. [CDNA5] 15.14 ---- */

/* The size of the groups; 0 after stopping the wave. */
static unsigned group_size(ez_wave *w, const ez_step *s, const ez_place *p) {
    uint32_t size = ez_scalar32(w, p);
    if (size && size <= w->lanes && !(size & (size - 1))) return size;
    ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "the size of a group of lanes is no power of two");
    return 0;
}

/* The lane that lane i takes from. */
static unsigned from_in_group(unsigned op, unsigned i, uint32_t by, unsigned size) {
    unsigned at = i & (size - 1), base = i - at, delta = by < size ? by : size;
    switch (op) {
    case EZ_OP_PERMLANE_BCAST_B32: return base + (by & (size - 1));
    case EZ_OP_PERMLANE_UP_B32: return at < delta ? i : i - delta;
    case EZ_OP_PERMLANE_DOWN_B32: return at + delta < size ? i + delta : i;
    default: return by < size ? i ^ by : i;
    }
}

void ez_step_permlane_group(ez_wave *w, const ez_step *s) {
    unsigned size = group_size(w, s, &s->src[2]), from[EZ_MAX_LANES];
    uint32_t by = ez_scalar32(w, &s->src[1]);
    if (!size) return;
    for (unsigned i = 0; i < w->lanes; i++)
        from[i] = from_in_group(s->inst->op, i, by, size);
    permute(w, s, from);
}

/* The address by which ds_bpermute takes lane S0 of the own group. */
void ez_step_permlane_idx_gen(ez_wave *w, const ez_step *s) {
    unsigned size = group_size(w, s, &s->src[1]);
    uint32_t *d = ez_place_row(w, &s->dst[0]);
    for (unsigned i = 0; size && i < w->lanes; i++)
        if (w->exec_row[i]) d[i] = 4 * ((i & ~(size - 1)) + (ez_lane32(w, &s->src[0], i) & (size - 1)));
}

void ez_step_permlane64(ez_wave *w, const ez_step *s) {
    if (w->lanes == 32) return; /* nothing to exchange */
    uint32_t in[EZ_MAX_LANES];
    memcpy(in, ez_place_row(w, &s->src[0]), sizeof in);
    uint32_t *d = ez_place_row(w, &s->dst[0]);
    for (unsigned i = 0; i < w->lanes; i++)
        if (w->exec_row[i]) d[i] = in[i ^ 32];
}

/* ---- exchanges ---- */

static uint32_t half_mask(const ez_place *p) {
    return ez_type_bits[p->type] != 16 ? ~0u : p->half ? 0xffff0000 : 0xffff;
}

void ez_step_swap(ez_wave *w, const ez_step *s) {
    uint32_t *a = ez_place_row(w, &s->dst[0]), *b = ez_place_row(w, &s->dst[1]);
    uint32_t mask_a = half_mask(&s->dst[0]), mask_b = half_mask(&s->dst[1]);
    unsigned shift_a = s->dst[0].half * 16, shift_b = s->dst[1].half * 16;
    for (unsigned i = 0; i < w->lanes; i++) {
        if (!w->exec_row[i]) continue;
        uint32_t x = (a[i] & mask_a) >> shift_a, y = (b[i] & mask_b) >> shift_b;
        a[i] = (a[i] & ~mask_a) | y << shift_a;
        b[i] = (b[i] & ~mask_b) | x << shift_b;
    }
}

bool ez_prepare_lane_swap(ez_step *s) {
    s->imm[0] = s->inst->op == EZ_OP_PERMLANE16_SWAP_B32 ? 16 : 32;
    return s->dst[0].kind == EZ_PLACE_ROW && s->dst[1].kind == EZ_PLACE_ROW &&
           !(ez_get(s->inst, EZ_F_op_sel) & (FI | BOUND_CTRL));
}

/* The odd groups of vdst and the even ones of the source change places. */
void ez_step_lane_swap(ez_wave *w, const ez_step *s) {
    unsigned group = (unsigned)s->imm[0];
    uint32_t *d = ez_place_row(w, &s->dst[0]), *a = ez_place_row(w, &s->dst[1]);
    for (unsigned i = 0; i + group < w->lanes; i++) {
        if (i & group) continue;
        if (!w->exec_row[i] || !w->exec_row[i + group]) continue;
        uint32_t x = a[i];
        a[i] = d[i + group];
        d[i + group] = x;
    }
}

/* ---- registers numbered by M0 ---- */

/* The row that lies `by` registers behind a place; NULL after stopping the wave. */
static uint32_t *row_behind(ez_wave *w, const ez_step *s, const ez_place *p, uint32_t by) {
    uint64_t reg = p->index / w->lanes + (uint64_t)by;
    if (p->kind == EZ_PLACE_ROW && reg < w->vgprs) return w->vgpr + reg * w->lanes;
    ez_wave_fault(w, s, EZ_FAULT_REGISTER, "M0 points beyond the register file");
    return NULL;
}

static void move_relative(ez_wave *w, const ez_step *s, uint32_t by_dst, uint32_t by_src) {
    uint32_t *d = row_behind(w, s, &s->dst[0], by_dst);
    const ez_place *p = &s->src[0];
    const uint32_t *a = NULL;
    if (!d) return;
    if (p->kind == EZ_PLACE_ROW && !(a = row_behind(w, s, p, by_src))) return;
    for (unsigned i = 0; i < w->lanes; i++)
        if (w->exec_row[i]) d[i] = a ? a[i] : ez_scalar32(w, p);
}
void ez_step_movreld(ez_wave *w, const ez_step *s) {
    move_relative(w, s, w->sgpr[EZ_SLOT_M0], 0);
}
void ez_step_movrels(ez_wave *w, const ez_step *s) {
    move_relative(w, s, 0, w->sgpr[EZ_SLOT_M0]);
}
void ez_step_movrelsd(ez_wave *w, const ez_step *s) {
    move_relative(w, s, w->sgpr[EZ_SLOT_M0], w->sgpr[EZ_SLOT_M0]);
}
void ez_step_movrelsd_2(ez_wave *w, const ez_step *s) {
    uint32_t m0 = w->sgpr[EZ_SLOT_M0];
    move_relative(w, s, m0 >> 16 & 0x3ff, m0 & 0x3ff);
}

/* v_swaprel_b32: both numbers are of registers, each with its part of M0. */
void ez_step_swaprel(ez_wave *w, const ez_step *s) {
    uint32_t m0 = w->sgpr[EZ_SLOT_M0];
    uint32_t *d = row_behind(w, s, &s->dst[0], m0 >> 16 & 0x3ff);
    uint32_t *a = d ? row_behind(w, s, &s->dst[1], m0 & 0x3ff) : NULL;
    for (unsigned i = 0; a && i < w->lanes; i++) {
        if (!w->exec_row[i]) continue;
        uint32_t x = d[i];
        d[i] = a[i];
        a[i] = x;
    }
}

/* ---- four sums of 32 bits ---- */

bool ez_prepare_mqsad(ez_step *s) {
    return !ez_get(s->inst, EZ_F_clamp) && s->dst[0].kind == EZ_PLACE_ROW;
}

/* v_mqsad_u32_u8: sum n is of bytes n to n + 3 of S0 and those of S1 that are not 0, added to dword n of S2. */
void ez_step_mqsad_u32_u8(ez_wave *w, const ez_step *s) {
    uint32_t *d = ez_place_row(w, &s->dst[0]);
    for (unsigned i = 0; i < w->lanes; i++) {
        if (!w->exec_row[i]) continue;
        uint64_t a = ez_lane_dword(w, &s->src[0], 0, i) | (uint64_t)ez_lane_dword(w, &s->src[0], 1, i) << 32;
        uint32_t b = ez_lane_dword(w, &s->src[1], 0, i), sum[4];
        for (unsigned n = 0; n < 4; n++) {
            sum[n] = ez_lane_dword(w, &s->src[2], n, i);
            for (unsigned byte = 0; byte < 4; byte++) {
                int x = (int)(a >> (8 * (n + byte)) & 0xff), y = (int)(b >> (8 * byte) & 0xff);
                if (y) sum[n] += (uint32_t)(x > y ? x - y : y - x);
            }
        }
        for (unsigned n = 0; n < 4; n++)
            d[n * w->lanes + i] = sum[n];
    }
}
