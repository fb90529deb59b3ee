/* SPDX-License-Identifier: Apache-2.0 */
/* Vector ALU: choosing the driver, index mode, DPP controls, special sources. What drivers do: semantics/drivers.c. */
#include "valu.h"

#include "program.h"

/* ---- choosing the driver ---- */

static void resolve_source(const ez_program *p, ez_step *s, unsigned n) {
    const ez_place *place = &s->src[n];
    uintptr_t *source = &s->valu.source[n];
    if (place->kind == EZ_PLACE_CONSTANT) {
        *source = (uintptr_t)place->constant;
        return;
    }
    bool row = place->kind == EZ_PLACE_ROW;
    *source = 4 * (row ? place->index : (uintptr_t)(ez_program_rows(p) + n * EZ_ROWS_EACH) * p->lanes);
    s->in_wave |= (uint8_t)(1 << n);
    if (!row) s->spread |= (uint8_t)(1 << n);
}

/* The drivers for special cases know no flags and no index mode. */
static ez_step_fn *plain_driver(const ez_drivers *d, const ez_step *s) {
    bool mask0 = s->dst[0].kind == EZ_PLACE_SCALAR && s->dst[0].type == EZ_T_mask;
    bool mask1 = s->dst[1].kind == EZ_PLACE_SCALAR && s->dst[1].type == EZ_T_mask;
    if (s->srcs > 3) return d->any;
    if (s->dsts == 1 && mask0) return d->compare;
    if (!s->dsts || s->dst[0].kind != EZ_PLACE_ROW) return d->any;
    if (s->dsts == 2 && mask1) return d->carry;
    if (s->dsts != 1) return d->any;
    return s->spread ? d->scalars : s->in_wave == (1 << s->srcs) - 1 ? d->rows : d->constants;
}

void ez_valu_resolve(ez_program *p, uint32_t key, ez_step *s) {
    const ez_drivers *d = p->level->drivers;
    const ez_modifiers *m = s->modifiers;
    for (unsigned n = 0; n < s->srcs && n < 3; n++) resolve_source(p, s, n);
    s->valu.result = s->dst[0].kind == EZ_PLACE_ROW ? s->dst[0].index : (ez_program_rows(p) + EZ_RESULT_ROWS) * p->lanes;
    if (m) s->fn = m->omod || m->clamp || m->sdwa ? d->modified : d->sources;
    else s->fn = key & (EZ_KEY_FLAGS | EZ_KEY_GPR_INDEX) ? d->any : plain_driver(d, s);
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
