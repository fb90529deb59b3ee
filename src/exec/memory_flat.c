/* SPDX-License-Identifier: Apache-2.0 */
/*
 * GLOBAL, FLAT and SCRATCH: addresses of lanes.
 * Source: "Flat Memory Instructions" of the ISA guides; the apertures: [LLVM] AMDGPUUsage, "Address Spaces".
 */
#include "memory.h"

#include <string.h>

/* Fills address[] for all lanes: a VGPR pair, or an SGPR pair and a 32-bit VGPR offset. */
static void global_addresses(ez_wave *w, const ez_step *s, uint64_t *address) {
    ez_memory_operands o = ez_memory_operands_of(s);
    const ez_place *v = ez_source_place(s, o.address), *base = ez_source_place(s, o.base);
    uint64_t offset = s->imm[0] + (base ? ez_scalar64(w, base) : 0);
    const uint32_t *row = v ? ez_place_rows(w, v) : NULL;
    const ez_access_functions *f = ez_access_level(w);
    unsigned lanes = w->lanes;
    if (!v) {
        for (unsigned lane = 0; lane < lanes; lane++)
            address[lane] = offset;
    } else if (!base) {
        f->pairs(address, row, offset, lanes);
    } else if (ez_has(w->target, EZ_HAS_signed_gvs_offset)) {
        f->signed_offsets(address, row, offset, lanes);
    } else {
        f->offsets(address, row, offset, lanes);
    }
    if (v && base && s->flags & EZ_STEP_SCALED)
        for (unsigned lane = 0; lane < lanes; lane++)
            address[lane] = offset + (address[lane] - offset) * ez_memory_op_of(s)->bytes;
}

/* Atomics of f32 in memory flush denormals on some targets. */
static void set_flush(const ez_wave *w, ez_access_lanes *a) {
    a->flush32 = !ez_has(w->target, EZ_HAS_atomic_fadd_f32_denorm);
}

/* Whether the high halves of the active lanes' addresses are the same: mostly. Then the low halves are offsets from it. */
static bool same_high(const ez_wave *w, const ez_place *v) {
    const uint32_t *high = w->vgpr + v->index + w->lanes;
    return ez_access_level(w)->same(high, w->exec_row, high[ez_first_lane(ez_exec(w))], w->lanes);
}

void ez_step_global(ez_wave *w, const ez_step *s) {
    ez_access_lanes a;
    uint64_t address[EZ_MAX_LANES];
    ez_memory_operands o = ez_memory_operands_of(s);
    const ez_place *v = ez_source_place(s, o.address), *base = ez_source_place(s, o.base);
    bool good;
    ez_access_begin(w, s, &a);
    a.by_rows = true;
    set_flush(w, &a);
    if (v && base && !(s->flags & EZ_STEP_SCALED)) {
        bool is_signed = ez_has(w->target, EZ_HAS_signed_gvs_offset);
        good = ez_access_global_row(w, s, ez_place_rows(w, v), s->imm[0] + ez_scalar64(w, base), is_signed, &a);
    } else if (v && !base && a.active && same_high(w, v)) {
        const uint32_t *row = ez_place_rows(w, v);
        uint64_t high = row[w->lanes + ez_first_lane(a.active)];
        good = ez_access_global_row(w, s, row, s->imm[0] + (high << 32), false, &a);
    } else {
        global_addresses(w, s, address);
        good = ez_access_global(w, s, address, a.active, &a);
    }
    if (good) ez_access_do(w, ez_memory_op_of(s), &a);
}

/* A load that transposes. */
void ez_step_global_transpose(ez_wave *w, const ez_step *s) {
    ez_access_lanes a;
    uint64_t address[EZ_MAX_LANES];
    ez_access_begin(w, s, &a);
    global_addresses(w, s, address);
    if (ez_access_global(w, s, address, a.active, &a)) ez_transpose(w, s, &a);
}

/* The base is an SGPR pair, each lane's dword follows the one before. */
void ez_step_addtid(ez_wave *w, const ez_step *s) {
    ez_access_lanes a;
    uint64_t address[EZ_MAX_LANES];
    ez_access_begin(w, s, &a);
    global_addresses(w, s, address);
    for (unsigned lane = 0; lane < w->lanes; lane++)
        address[lane] += 4 * lane;
    if (ez_access_global(w, s, address, a.active, &a)) ez_access_run(w, s, &a, address, 0);
}

/* ---- FLAT ---- */

/* Which kind of memory each lane's flat address means. */
typedef struct flat_lanes {
    uint64_t local, private, global;
} flat_lanes;

/*
 * Globally addressable scratch: the flat address of byte o of lane l is aperture + b + o + (l << 52),
 * where b, the wave's scratch address divided by its lanes, undoes the swizzle. So any lane's byte has
 * a place in memory; the lane's own takes the common way, for it may be longer than a dword.
 */
static uint64_t scratch_global_address(const ez_wave *w, unsigned lane, uint64_t address,
                                       bool *own) {
    uint64_t within = address & ((UINT64_C(1) << 52) - 1);
    unsigned owner = address >> 52 & 31;
    uint64_t offset = within - w->scratch_base / w->lanes;
    *own = owner == lane && offset < w->scratch_size;
    return *own ? offset : (within >> 2) * 4 * w->lanes + 4 * owner + (within & 3);
}

static bool sort_lanes(ez_wave *w, const ez_step *s, uint64_t active, uint64_t *address,
                       flat_lanes *l) {
    uint64_t shared_size = w->shared_limit - w->shared_base;
    uint64_t private_size = w->private_limit - w->private_base;
    uint32_t bytes = ez_memory_op_of(s)->bytes;
    *l = (flat_lanes){0};
    for (; active; active &= active - 1) {
        unsigned lane = ez_first_lane(active);
        uint64_t bit = UINT64_C(1) << lane, at = address[lane];
        bool own = true;
        if (w->shared_base && at - w->shared_base <= shared_size) {
            address[lane] = at - w->shared_base;
            l->local |= bit;
        } else if (w->private_base && at - w->private_base <= private_size) {
            address[lane] = at - w->private_base;
            if (ez_has(w->target, EZ_HAS_scratch_global))
                address[lane] = scratch_global_address(w, lane, at, &own);
            *(own ? &l->private : &l->global) |= bit;
            if (own || (at & 3) + bytes <= 4) continue;
            ez_wave_fault_memory(w, s, EZ_FAULT_UNSUPPORTED, lane, at, bytes, EZ_ACCESS_READ,
                                 "more than a dword of another lane's scratch");
            return false;
        } else {
            l->global |= bit;
        }
    }
    return true;
}

void ez_step_flat(ez_wave *w, const ez_step *s) {
    ez_access_lanes a;
    uint64_t address[EZ_MAX_LANES];
    flat_lanes l;
    ez_access_begin(w, s, &a);
    a.by_rows = true;
    set_flush(w, &a);
    global_addresses(w, s, address);
    if (!sort_lanes(w, s, a.active, address, &l)) return;
    bool good = ez_access_global(w, s, address, l.global, &a) &&
                ez_access_lds(w, s, address, l.local, ez_memory_op_of(s)->bytes, &a) &&
                ez_access_scratch(w, s, address, l.private, true, &a);
    if (good) ez_access_run(w, s, &a, address, l.private);
}

/* ---- SCRATCH ---- */

/* Fills offset[] and returns the low bits of all active ones. */
static uint32_t scratch_offsets(ez_wave *w, const ez_step *s, uint64_t active, uint64_t *offset) {
    ez_memory_operands o = ez_memory_operands_of(s);
    const ez_place *v = ez_source_place(s, o.address), *base = ez_source_place(s, o.base);
    uint32_t fixed = (uint32_t)s->imm[0] + (base ? ez_scalar32(w, base) : 0), low_bits = 0;
    const uint32_t *row = v ? ez_place_rows(w, v) : NULL;
    uint32_t scale = s->flags & EZ_STEP_SCALED ? ez_memory_op_of(s)->bytes : 1;
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        offset[lane] = (uint32_t)(fixed + (row ? row[lane] * scale : 0));
        if (active >> lane & 1) low_bits |= (uint32_t)offset[lane];
    }
    return low_bits;
}

void ez_step_scratch(ez_wave *w, const ez_step *s) {
    ez_memory_operands o = ez_memory_operands_of(s);
    if (!ez_source_place(s, o.address)) {
        const ez_place *base = ez_source_place(s, o.base);
        if (ez_scratch_rows(w, s, (uint32_t)((uint32_t)s->imm[0] + (base ? ez_scalar32(w, base) : 0)))) return;
    }
    ez_access_lanes a;
    uint64_t offset[EZ_MAX_LANES];
    uint32_t bytes = ez_memory_op_of(s)->bytes;
    ez_access_begin(w, s, &a);
    uint32_t low_bits = scratch_offsets(w, s, a.active, offset);
    /* Within a dword, or whole dwords: the lanes' bytes can be used in place. */
    bool bounce = bytes == 2 ? low_bits & 1 : bytes > 2 && low_bits & 3;
    if (ez_access_scratch(w, s, offset, a.active, bounce, &a))
        ez_access_run(w, s, &a, offset, bounce ? a.active : 0);
}

/* The same, to LDS. */
void ez_step_scratch_lds(ez_wave *w, const ez_step *s) {
    ez_access_lanes a;
    uint64_t offset[EZ_MAX_LANES];
    uint32_t value[4 * EZ_MAX_LANES] = {0};
    ez_access_begin(w, s, &a);
    scratch_offsets(w, s, a.active, offset);
    a.d = value;
    if (!ez_access_scratch(w, s, offset, a.active, true, &a)) return;
    ez_memory_op_of(s)->run(&a);
    ez_store_to_lds(w, s, &a, value);
}

/* ---- blocks: a VGPR for each bit of M0, memory without the holes skipped. [RDNA4] GLOBAL_LOAD_BLOCK ---- */

void ez_step_global_block(ez_wave *w, const ez_step *s) {
    ez_access_lanes a;
    uint64_t base[EZ_MAX_LANES], address[EZ_MAX_LANES];
    global_addresses(w, s, base);
    for (uint64_t left = w->sgpr[EZ_SLOT_M0]; left; left &= left - 1) {
        unsigned n = ez_first_lane(left);
        ez_access_begin(w, s, &a);
        if (a.d) a.d += n * w->lanes;
        if (a.s) a.s += n * w->lanes;
        for (unsigned lane = 0; lane < w->lanes; lane++)
            address[lane] = base[lane] + 4 * n;
        if (!ez_access_global(w, s, address, a.active, &a)) return;
        ez_access_run(w, s, &a, address, 0);
    }
}

void ez_step_scratch_block(ez_wave *w, const ez_step *s) {
    ez_access_lanes a;
    uint64_t base[EZ_MAX_LANES], offset[EZ_MAX_LANES];
    ez_access_begin(w, s, &a);
    scratch_offsets(w, s, a.active, base);
    for (uint64_t left = w->sgpr[EZ_SLOT_M0]; left; left &= left - 1) {
        unsigned n = ez_first_lane(left);
        ez_access_begin(w, s, &a);
        if (a.d) a.d += n * w->lanes;
        if (a.s) a.s += n * w->lanes;
        for (unsigned lane = 0; lane < w->lanes; lane++)
            offset[lane] = (uint32_t)(base[lane] + 4 * n);
        if (!ez_access_scratch(w, s, offset, a.active, true, &a)) return;
        ez_access_run(w, s, &a, offset, a.active);
    }
}

/* ---- between memory and LDS ---- */

/* [CDNA3] 9.1.9 "Memory Buffer Load to LDS", [Vega] the same. */
void ez_store_to_lds(ez_wave *w, const ez_step *s, ez_access_lanes *a, const uint32_t *value) {
    uint64_t target[EZ_MAX_LANES];
    uint32_t size = 4u * ez_memory_op_of(s)->dwords;
    uint64_t lanes = a->active | a->nothing;
    for (unsigned lane = 0; lane < w->lanes; lane++)
        target[lane] = (uint64_t)(w->sgpr[EZ_SLOT_M0] & 0xffff) + s->imm[0] + (uint64_t)lane * size;
    if (!ez_access_lds(w, s, target, lanes, size, a)) return;
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = ez_first_lane(lanes);
        for (unsigned b = 0; b < size; b++)
            a->p[lane][b] = (uint8_t)(value[b / 4 * w->lanes + lane] >> (8 * (b & 3)));
    }
}

void ez_step_load_lds(ez_wave *w, const ez_step *s) {
    ez_access_lanes a;
    uint64_t address[EZ_MAX_LANES];
    uint32_t value[4 * EZ_MAX_LANES] = {0};
    ez_access_begin(w, s, &a);
    global_addresses(w, s, address);
    a.d = value;
    if (!ez_access_global(w, s, address, a.active, &a)) return;
    ez_memory_op_of(s)->run(&a);
    ez_store_to_lds(w, s, &a, value);
}

/* The LDS address of each lane is in a VGPR (vdst of loads, vdata of stores); the instruction's offset is added to
 * both addresses. Done when the instruction is done: waiting for it costs nothing. */
static bool async_pointers(ez_wave *w, const ez_step *s, ez_access_lanes *memory, ez_access_lanes *lds) {
    uint64_t address[EZ_MAX_LANES];
    ez_access_begin(w, s, memory);
    ez_access_begin(w, s, lds);
    global_addresses(w, s, address);
    if (!ez_access_global(w, s, address, memory->active, memory)) return false;
    for (unsigned lane = 0; lane < w->lanes; lane++)
        address[lane] = (uint64_t)memory->s[lane] + s->imm[0];
    return ez_access_lds(w, s, address, lds->active, ez_memory_op_of(s)->bytes, lds);
}

void ez_step_async_load(ez_wave *w, const ez_step *s) {
    ez_access_lanes memory, lds;
    if (!async_pointers(w, s, &memory, &lds)) return;
    for (uint64_t left = lds.active; left; left &= left - 1) {
        unsigned lane = ez_first_lane(left);
        memcpy(lds.p[lane], memory.p[lane], ez_memory_op_of(s)->bytes);
    }
}

void ez_step_async_store(ez_wave *w, const ez_step *s) {
    ez_access_lanes memory, lds;
    if (!async_pointers(w, s, &memory, &lds)) return;
    for (uint64_t left = lds.active; left; left &= left - 1) {
        unsigned lane = ez_first_lane(left);
        memcpy(memory.p[lane], lds.p[lane], ez_memory_op_of(s)->bytes);
    }
}
