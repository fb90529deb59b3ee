/* SPDX-License-Identifier: Apache-2.0 */
#include "wave.h"

#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "masks.h"
#include "program.h"
#include "valu.h"

/* ---- MODE ---- */

enum {
    MODE_ROUND32 = 0, MODE_ROUND16_64 = 2, MODE_DENORM32 = 4, MODE_DENORM16_64 = 6, /* shifts, 2 bits each */
    MODE_DX10_CLAMP = 8, MODE_IEEE = 9, MODE_FP16_OVFL = 23
};

static uint64_t all_lanes(const ez_wave *w) { return w->lanes == 64 ? ~UINT64_C(0) : 0xffffffff; }

static uint32_t when(bool b) { return b ? ~0u : 0; }

void ez_mode_changed(ez_wave *w) {
    const ez_target *t = w->target;
    uint32_t m = w->mode;
    bool minmax = ez_has(t, EZ_HAS_minmax_denorm);
    ez_fpmode *md = &w->md;
    md->round32 = m >> MODE_ROUND32 & 3;
    md->round16 = m >> MODE_ROUND16_64 & 3;
    w->rounds = (uint8_t)((md->round32 ? EZ_STEP_ROUND32 : 0) | (md->round16 ? EZ_STEP_ROUND16 : 0));
    md->flush_in32 = when(!(m >> MODE_DENORM32 & 1));
    md->flush_out32 = when(!(m >> MODE_DENORM32 & 2));
    md->flush_in16 = when(!(m >> MODE_DENORM16_64 & 1));
    md->flush_out16 = when(!(m >> MODE_DENORM16_64 & 2));
    md->minmax_in32 = minmax ? md->flush_in32 : 0;
    md->minmax_out32 = minmax ? md->flush_out32 : 0;
    md->minmax_in16 = minmax ? md->flush_in16 : 0;
    md->minmax_out16 = minmax ? md->flush_out16 : 0;
    md->ieee = when(ez_has(t, EZ_HAS_ieee_mode) && (m >> MODE_IEEE & 1));
    md->keep_signalling = when(ez_has(t, EZ_HAS_ieee_mode) && !(m >> MODE_IEEE & 1));
    md->dx10 = when(!ez_has(t, EZ_HAS_dx10_clamp_mode) || (m >> MODE_DX10_CLAMP & 1));
    md->first_nan = when(ez_has(t, EZ_HAS_minmax_first_nan));
    md->num = when(ez_has(t, EZ_HAS_minmax_num));
    md->dot2_flush = when(ez_has(t, EZ_HAS_dot2_flush));
    md->dot2_keep = when(ez_has(t, EZ_HAS_dot2_keep));
    md->dot_complement = when(ez_has(t, EZ_HAS_dot_complement));
    md->dot_grid = when(ez_has(t, EZ_HAS_dot_grid));
    md->dot2_sum_last = when(ez_has(t, EZ_HAS_dot2_sum_last));
    md->fp8_fnuz = when(ez_has(t, EZ_HAS_fp8_fnuz));
    md->fp16_ovfl = when(ez_has(t, EZ_HAS_fp16_overflow) && (m >> MODE_FP16_OVFL & 1));
    md->trig_256 = when(ez_has(t, EZ_HAS_trig_256));
    w->hosted = *md;
    w->hosted.flush_in32 = w->hosted.flush_out32 = 0;
    w->hosted.host_flushes = ~0u;
}

static uint32_t default_mode(const ez_target *t) {
    uint32_t mode = 3u << MODE_DENORM16_64;
    if (ez_has(t, EZ_HAS_dx10_clamp_mode)) mode |= 1u << MODE_DX10_CLAMP;
    if (ez_has(t, EZ_HAS_ieee_mode)) mode |= 1u << MODE_IEEE;
    return mode;
}

/* ---- making and ending ---- */

static size_t row_bytes(const ez_wave *w, unsigned rows) { return 4ul * w->lanes * rows; }

/* The first rows of registers; of the temporary ones all but EZ_MASK_ROW are never read before they are written. */
static void clear(ez_wave *w, unsigned vgprs, unsigned agprs) {
    w->mask_in_row = 0;
    memset(w->temporary + EZ_MASK_ROW * w->lanes, 0, row_bytes(w, 1));
    memset(w->vgpr, 0, row_bytes(w, vgprs < w->vgprs ? vgprs : w->vgprs));
    if (agprs) memset(w->agpr, 0, row_bytes(w, agprs < w->agprs ? agprs : w->agprs));
}

static void reset(ez_wave *w, unsigned vgprs, unsigned agprs) {
    ez_wave fresh = {.target = w->target, .lanes = w->lanes, .vgpr = w->vgpr, .agpr = w->agpr,
                     .vgprs = w->vgprs, .agprs = w->agprs, .temporary = w->temporary};
    *w = fresh;
    clear(w, vgprs, agprs);
    ez_put64(w, EZ_SLOT_EXEC, all_lanes(w));
    ez_exec_changed(w);
    w->mode = default_mode(w->target);
    ez_mode_changed(w);
}

void ez_wave_reset(ez_wave *w) {
    memset(w->temporary, 0, row_bytes(w, EZ_TEMPORARY_ROWS));
    reset(w, w->vgprs, w->agprs);
}

void ez_wave_reset_after(ez_wave *w, const ez_program *p, unsigned set) {
    unsigned used = atomic_load_explicit(&p->vgprs_used, memory_order_relaxed);
    reset(w, used > set ? used : set, atomic_load_explicit(&p->agprs_used, memory_order_relaxed));
}

void ez_wave_restart(ez_wave *w, const ez_wave *start, const ez_program *p, unsigned set) {
    unsigned used = atomic_load_explicit(&p->vgprs_used, memory_order_relaxed);
    *w = *start;
    clear(w, used > set ? used : set, atomic_load_explicit(&p->agprs_used, memory_order_relaxed));
}

ez_status ez_wave_create(const ez_target *target, unsigned lanes, ez_wave **wave) {
    if (!wave) return EZ_ERR_ARGUMENT;
    *wave = NULL;
    if (!target) return EZ_ERR_ARGUMENT;
    if (!lanes) lanes = ez_target_default_wave(target);
    if (!ez_target_has_wave(target, lanes)) return EZ_ERR_ARGUMENT;
    ez_wave *w = aligned_alloc(_Alignof(ez_wave), sizeof *w);
    if (!w) return EZ_ERR_NOMEM;
    memset(w, 0, sizeof *w);
    w->target = target;
    w->lanes = lanes;
    w->vgprs = ez_has(target, EZ_HAS_vgprs_1024) ? 1024 : 256;
    w->agprs = ez_has(target, EZ_HAS_agprs) ? 256 : 0;
    w->vgpr = aligned_alloc(64, row_bytes(w, w->vgprs + w->agprs + EZ_TEMPORARY_ROWS));
    if (!w->vgpr) {
        free(w);
        return EZ_ERR_NOMEM;
    }
    w->agpr = w->vgpr + w->vgprs * lanes;
    w->temporary = w->agpr + w->agprs * lanes;
    ez_wave_reset(w);
    *wave = w;
    return EZ_OK;
}

void ez_wave_destroy(ez_wave *w) {
    if (!w) return;
    free(w->vgpr);
    free(w);
}

const ez_target *ez_wave_target(const ez_wave *w) { return w->target; }
unsigned ez_wave_lanes(const ez_wave *w) { return w->lanes; }
void ez_wave_set_memory(ez_wave *w, const ez_memory *memory) { w->memory = memory; }
void ez_wave_set_lds(ez_wave *w, void *lds, uint32_t size) {
    w->lds = lds;
    w->lds_size = lds ? size : 0;
}
void ez_wave_set_scratch(ez_wave *w, uint64_t address, uint32_t size) {
    w->scratch_base = address;
    w->scratch_size = size;
}

ez_status ez_workgroup_create(unsigned waves, ez_workgroup **workgroup) {
    if (!workgroup) return EZ_ERR_ARGUMENT;
    *workgroup = NULL;
    if (!waves) return EZ_ERR_ARGUMENT;
    ez_workgroup *g = calloc(1, sizeof *g);
    if (!g) return EZ_ERR_NOMEM;
    g->waves = waves;
    *workgroup = g;
    return EZ_OK;
}
void ez_workgroup_destroy(ez_workgroup *g) { free(g); }
void ez_wave_join(ez_wave *w, ez_workgroup *g) { w->workgroup = g; }

/* ---- registers ---- */

void ez_exec_changed(ez_wave *w) {
    if (w->lanes == 32) w->sgpr[EZ_SLOT_EXEC + 1] = 0;
    uint64_t exec = ez_exec(w);
    if (exec == w->row_exec) return;
    w->row_exec = exec;
    ez_mask_to_row(w->exec_row, exec, w->lanes);
    w->scope = (ez_scope){w->exec_row, &w->md, w->lanes, exec == all_lanes(w)};
}

uint32_t ez_wave_vgpr(const ez_wave *w, unsigned reg, unsigned lane) {
    return reg < w->vgprs && lane < w->lanes ? w->vgpr[reg * w->lanes + lane] : 0;
}
bool ez_wave_set_vgpr(ez_wave *w, unsigned reg, unsigned lane, uint32_t value) {
    if (reg >= w->vgprs || lane >= w->lanes) return false;
    w->vgpr[reg * w->lanes + lane] = value;
    return true;
}
bool ez_wave_vgprs(const ez_wave *w, unsigned first, unsigned count, uint32_t *values) {
    if (first > w->vgprs || count > w->vgprs - first) return false;
    memcpy(values, w->vgpr + (size_t)first * w->lanes, sizeof *values * count * w->lanes);
    return true;
}
uint32_t ez_wave_agpr(const ez_wave *w, unsigned reg, unsigned lane) {
    return reg < w->agprs && lane < w->lanes ? w->agpr[reg * w->lanes + lane] : 0;
}
bool ez_wave_set_agpr(ez_wave *w, unsigned reg, unsigned lane, uint32_t value) {
    if (reg >= w->agprs || lane >= w->lanes) return false;
    w->agpr[reg * w->lanes + lane] = value;
    return true;
}

/* The slot of a scalar register for the outside; EZ_SLOT_COUNT: no such register. */
static unsigned outside_slot(const ez_wave *w, unsigned code) {
    if (code >= 128) return EZ_SLOT_COUNT;
    bool swapped = ez_has(w->target, EZ_HAS_null_is_124);
    if (code == (swapped ? 125u : 124u)) return EZ_SLOT_M0;
    return code == 124 || code == 125 ? EZ_SLOT_COUNT : code;
}

uint32_t ez_wave_sgpr(const ez_wave *w, unsigned code) {
    unsigned slot = outside_slot(w, code);
    return slot < EZ_SLOT_COUNT ? w->sgpr[slot] : 0;
}
bool ez_wave_set_sgpr(ez_wave *w, unsigned code, uint32_t value) {
    unsigned slot = outside_slot(w, code);
    if (slot == EZ_SLOT_COUNT) return false;
    w->sgpr[slot] = value;
    ez_exec_changed(w);
    return true;
}

/* ---- fields ---- */

/* Where a field lies in MODE; width 0: it is no field of MODE, or the target has none such. */
static unsigned mode_field(const ez_wave *w, ez_wave_field field, unsigned *width) {
    *width = 2;
    switch (field) {
    case EZ_WAVE_ROUND32: return MODE_ROUND32;
    case EZ_WAVE_ROUND16_64: return MODE_ROUND16_64;
    case EZ_WAVE_DENORM32: return MODE_DENORM32;
    case EZ_WAVE_DENORM16_64: return MODE_DENORM16_64;
    case EZ_WAVE_DX10_CLAMP:
        *width = ez_has(w->target, EZ_HAS_dx10_clamp_mode);
        return MODE_DX10_CLAMP;
    case EZ_WAVE_IEEE:
        *width = ez_has(w->target, EZ_HAS_ieee_mode);
        return MODE_IEEE;
    default: *width = 0; return 0;
    }
}

uint64_t ez_wave_get(const ez_wave *w, ez_wave_field field) {
    switch (field) {
    case EZ_WAVE_PC: return w->pc;
    case EZ_WAVE_EXEC: return ez_get_mask(w, EZ_SLOT_EXEC);
    case EZ_WAVE_VCC: return ez_get_mask(w, EZ_SLOT_VCC);
    case EZ_WAVE_SCC: return w->scc;
    case EZ_WAVE_M0: return w->sgpr[EZ_SLOT_M0];
    case EZ_WAVE_MODE: return w->mode;
    case EZ_WAVE_FLAGS: return w->flags;
    case EZ_WAVE_INSTRUCTIONS: return w->instructions;
    default: break;
    }
    unsigned width, at = mode_field(w, field, &width);
    return w->mode >> at & ((1u << width) - 1);
}

static bool set_mode(ez_wave *w, uint64_t value) {
    uint32_t missing = (ez_has(w->target, EZ_HAS_dx10_clamp_mode) ? 0 : 1u << MODE_DX10_CLAMP) |
                       (ez_has(w->target, EZ_HAS_ieee_mode) ? 0 : 1u << MODE_IEEE);
    if (value >> 32 || value & missing) return false;
    w->mode = (uint32_t)value;
    ez_mode_changed(w);
    return true;
}

bool ez_wave_set(ez_wave *w, ez_wave_field field, uint64_t value) {
    switch (field) {
    case EZ_WAVE_PC: w->pc = value; return true;
    case EZ_WAVE_EXEC:
        ez_put64(w, EZ_SLOT_EXEC, value & all_lanes(w));
        ez_exec_changed(w);
        return true;
    case EZ_WAVE_VCC:
        if (value & ~all_lanes(w)) return false;
        ez_put_mask(w, EZ_SLOT_VCC, value);
        return true;
    case EZ_WAVE_SCC:
        if (value > 1) return false;
        w->scc = (uint32_t)value;
        return true;
    case EZ_WAVE_M0:
        if (value >> 32) return false;
        w->sgpr[EZ_SLOT_M0] = (uint32_t)value;
        return true;
    case EZ_WAVE_MODE: return set_mode(w, value);
    case EZ_WAVE_FLAGS:
        if (value >> 7) return false;
        w->flags = (uint32_t)value;
        return true;
    case EZ_WAVE_INSTRUCTIONS: return false;
    default: break;
    }
    unsigned width, at = mode_field(w, field, &width);
    uint32_t mask = (1u << width) - 1;
    if (!width || value > mask) return false;
    return set_mode(w, (w->mode & ~(mask << at)) | (uint32_t)value << at);
}

const char *ez_flag_name(unsigned flag) {
    switch (flag) {
    case EZ_FLAG_INVALID: return "invalid";
    case EZ_FLAG_INPUT_DENORMAL: return "input_denormal";
    case EZ_FLAG_DIVIDE_BY_ZERO: return "divide_by_zero";
    case EZ_FLAG_OVERFLOW: return "overflow";
    case EZ_FLAG_UNDERFLOW: return "underflow";
    case EZ_FLAG_INEXACT: return "inexact";
    case EZ_FLAG_INT_DIVIDE_BY_ZERO: return "int_divide_by_zero";
    default: return NULL;
    }
}
