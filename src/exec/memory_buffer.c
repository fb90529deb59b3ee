/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buffers: memory that a resource of four SGPRs describes.
 * Source: "Buffer Addressing" and "Buffer Resource Descriptor" of the ISA guides ([GCN3] 8.1.5, [Vega]
 * 8.1.5, [RDNA1] 8.1.5, [RDNA3] 9.1.5, [RDNA4] 9.4); GFX12.5: [LLVM] lowering of make.buffer.rsrc.
 */
#include "image.h"
#include "memory.h"
#include "numbers.h"
#include "texel.h"

#include <string.h>

enum { RANGE_BY_RULE, RANGE_STRUCTURED, RANGE_INDEX, RANGE_NONZERO, RANGE_RAW };

typedef struct buffer_resource {
    uint64_t base, records;
    uint32_t stride;       /* bytes */
    uint32_t element;      /* bytes, when swizzled; 0: linear */
    uint32_t index_stride; /* records that are interleaved */
    bool add_tid;
    uint8_t range; /* RANGE_...: which accesses are out of range */
} buffer_resource;

static buffer_resource read_resource(const ez_wave *w, const ez_place *p) {
    const ez_target *t = w->target;
    const uint32_t *word = w->sgpr + p->index;
    buffer_resource r = {.index_stride = 8u << (word[3] >> 21 & 3), .add_tid = word[3] >> 23 & 1};
    if (ez_has(t, EZ_HAS_rsrc_57_45)) { /* base 56:0, records 101:57, stride 121:108 */
        r.base = word[0] | (uint64_t)(word[1] & 0x1ffffff) << 32;
        r.records = word[1] >> 25 | (uint64_t)word[2] << 7 | (uint64_t)(word[3] & 0x3f) << 39;
        r.stride = word[3] >> 12 & 0x3fff;
        r.add_tid = false;
        r.range = RANGE_STRUCTURED + (word[3] >> 28 & 3);
        return r;
    }
    r.base = word[0] | (uint64_t)(word[1] & 0xffff) << 32;
    r.records = word[2];
    r.stride = word[1] >> 16 & 0x3fff;
    if (ez_has(t, EZ_HAS_rsrc_swizzle_2)) {
        static const uint8_t bytes[4] = {0, 4, 8, 16};
        r.element = bytes[word[1] >> 30];
    } else if (word[1] >> 31) {
        r.element = ez_has(t, EZ_HAS_rsrc_element_size) ? 2u << (word[3] >> 19 & 3) : 4;
    }
    if (ez_has(t, EZ_HAS_rsrc_oob_select))
        r.range = RANGE_STRUCTURED + (word[3] >> 28 & 3);
    else if (r.add_tid) /* the data format holds more of the stride: [GCN3], [Vega] 8.1.5 */
        r.stride |= (word[3] >> 15 & 15) << 14;
    return r;
}

/* One lane's place in the buffer before the base is added. */
typedef struct buffer_point {
    uint64_t index, offset; /* offset: of VGPR and instruction */
} buffer_point;

static uint64_t buffer_offset(const buffer_resource *r, uint64_t index, uint64_t offset) {
    if (!r->element) return index * r->stride + offset;
    uint64_t record = (index / r->index_stride) * r->stride * r->index_stride;
    uint64_t row = offset / r->element * r->element * r->index_stride;
    return record + row + (index % r->index_stride) * r->element + offset % r->element;
}

/* Whether `bytes` at a point are out of range. With raw ranges the SGPR offset counts as well. */
static bool out_of_range(const ez_wave *w, const buffer_resource *r, bool idxen, buffer_point at,
                         uint32_t soffset, uint32_t bytes) {
    unsigned rule = r->range;
    if (rule == RANGE_BY_RULE) {
        bool by_index = r->stride && (ez_has(w->target, EZ_HAS_rsrc_range_idxen) ? idxen : r->element != 0);
        rule = by_index ? RANGE_INDEX : RANGE_RAW;
    }
    switch (rule) {
    case RANGE_STRUCTURED:
        return at.index >= r->records || (r->stride && at.offset + bytes > r->stride);
    case RANGE_INDEX: return at.index >= r->records;
    case RANGE_NONZERO: return r->records == 0;
    default: { /* raw: bytes; a swizzled one checks where it would be without swizzle */
        uint64_t limit = r->records > soffset ? r->records - soffset : 0;
        return at.index * (r->element ? 0 : r->stride) + at.offset + bytes > limit;
    }
    }
}

typedef struct buffer_access {
    buffer_resource r;
    bool idxen, offen;
    uint32_t soffset;
    buffer_point at[EZ_MAX_LANES];
} buffer_access;

static void read_points(ez_wave *w, const ez_step *s, buffer_access *b) {
    ez_memory_operands o = ez_memory_operands_of(s);
    const ez_place *v = ez_source_place(s, o.address), *so = ez_source_place(s, o.soffset);
    b->r = read_resource(w, &s->src[o.base]);
    b->idxen = ez_get(s->inst, EZ_F_idxen);
    b->offen = ez_get(s->inst, EZ_F_offen);
    b->soffset = so ? ez_scalar32(w, so) : 0;
    const uint32_t *row = v ? ez_place_rows(w, v) : NULL;
    const uint32_t *index = b->idxen ? row : NULL;
    const uint32_t *offset = b->offen ? row + (b->idxen ? w->lanes : 0) : NULL;
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        b->at[lane].index = (uint64_t)(index ? index[lane] : 0) + (b->r.add_tid ? lane : 0);
        b->at[lane].offset = (uint64_t)(offset ? offset[lane] : 0) + s->imm[0];
    }
}

/* ---- the wave's own scratch: what private memory is before there were SCRATCH instructions ---- */

static bool is_scratch(const ez_wave *w, const buffer_resource *r) {
    return r->add_tid && r->element == 4 && r->index_stride == w->lanes && !r->stride && w->scratch_size &&
           r->base == w->scratch_base;
}

static void scratch_access(ez_wave *w, const ez_step *s, const buffer_access *b, ez_access_lanes *a) {
    uint64_t offset[EZ_MAX_LANES];
    uint32_t bytes = ez_memory_op_of(s)->bytes, low_bits = 0;
    /* The SGPR offset is of the wave: it steps over whole rows of lanes when it is a stack pointer. */
    uint32_t row = 4 * w->lanes;
    bool wraps = ez_has(w->target, EZ_HAS_scratch_wraps);
    if (b->soffset % row) {
        ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "a scratch offset that is no whole row of lanes");
        return;
    }
    for (unsigned lane = 0; lane < w->lanes; lane++) {
        offset[lane] = b->at[lane].offset + b->soffset / w->lanes;
        if (wraps) offset[lane] = (uint32_t)offset[lane];
        if (a->active >> lane & 1) low_bits |= (uint32_t)offset[lane];
    }
    bool bounce = bytes == 2 ? low_bits & 1 : bytes > 2 && low_bits & 3;
    if (ez_access_scratch(w, s, offset, a->active, bounce, a))
        ez_access_run(w, s, a, offset, bounce ? a->active : 0);
}

/* ---- buffers in memory ---- */

/* Lanes whose access is split: part of its dwords out of range, or scattered by the swizzle. Each
 * dword is an access of its own then. */
static bool split_access(ez_wave *w, const ez_step *s, const buffer_access *b, uint64_t lanes,
                         bool back, ez_access_lanes *a) {
    const ez_memory_op *op = ez_memory_op_of(s);
    unsigned access = back ? EZ_ACCESS_WRITE : EZ_ACCESS_READ;
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = ez_first_lane(lanes);
        if (!back) memset(a->bounce[lane], 0, sizeof a->bounce[lane]);
        for (unsigned done = 0; done < op->bytes; done += 4) {
            uint32_t bytes = op->bytes < 4 ? op->bytes : 4;
            buffer_point at = b->at[lane];
            at.offset += done;
            if (out_of_range(w, &b->r, b->idxen, at, b->soffset, bytes)) continue;
            uint64_t address = b->r.base + b->soffset + buffer_offset(&b->r, at.index, at.offset);
            uint8_t *p = ez_wave_translate(w, s, lane, address, bytes, access);
            if (!p) return false;
            if (back) memcpy(p, a->bounce[lane] + done, bytes);
            else memcpy(a->bounce[lane] + done, p, bytes);
        }
        a->p[lane] = a->bounce[lane];
    }
    return true;
}

static void memory_access(ez_wave *w, const ez_step *s, const buffer_access *b, ez_access_lanes *a) {
    const ez_memory_op *op = ez_memory_op_of(s);
    uint64_t address[EZ_MAX_LANES], split = 0;
    for (uint64_t left = a->active; left; left &= left - 1) {
        unsigned lane = ez_first_lane(left);
        uint64_t bit = UINT64_C(1) << lane;
        buffer_point at = b->at[lane];
        address[lane] = b->r.base + b->soffset + buffer_offset(&b->r, at.index, at.offset);
        uint32_t first = op->bytes < 4 || op->kind == EZ_MEM_ATOMIC ? op->bytes : 4;
        bool whole = !out_of_range(w, &b->r, b->idxen, at, b->soffset, op->bytes);
        bool together = !b->r.element || at.offset % b->r.element + op->bytes <= b->r.element;
        if (whole && together) continue;
        if (out_of_range(w, &b->r, b->idxen, at, b->soffset, first)) {
            a->nothing |= bit;
        } else if (op->kind == EZ_MEM_ATOMIC) {
            ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "an atomic across elements of a swizzled buffer");
            return;
        } else {
            split |= bit;
        }
    }
    a->active &= ~a->nothing;
    if (!ez_access_global(w, s, address, a->active & ~split, a)) return;
    if (split && !split_access(w, s, b, split, false, a)) return;
    op->run(a);
    if (split && op->kind == EZ_MEM_STORE) split_access(w, s, b, split, true, a);
}

static void buffer_step(ez_wave *w, const ez_step *s, ez_access_lanes *a) {
    buffer_access b;
    a->flush32 = !ez_has(w->target, EZ_HAS_atomic_fadd_f32_denorm);
    read_points(w, s, &b);
    if (is_scratch(w, &b.r))
        scratch_access(w, s, &b, a);
    else
        memory_access(w, s, &b, a);
}

/* A stack slot: the wave's scratch without a VGPR address. */
static bool stack_slot(ez_wave *w, const ez_step *s) {
    ez_memory_operands o = ez_memory_operands_of(s);
    const ez_place *so = ez_source_place(s, o.soffset);
    if (ez_source_place(s, o.address)) return false;
    buffer_resource r = read_resource(w, &s->src[o.base]);
    uint32_t soffset = so ? ez_scalar32(w, so) : 0;
    if (!is_scratch(w, &r) || soffset % (4 * w->lanes)) return false;
    return ez_scratch_rows(w, s, soffset / w->lanes + s->imm[0]);
}

void ez_step_buffer(ez_wave *w, const ez_step *s) {
    ez_access_lanes a;
    if (!stack_slot(w, s)) {
        ez_access_begin(w, s, &a);
        buffer_step(w, s, &a);
    }
    ez_report_residency(w, s);
}

void ez_step_buffer_lds(ez_wave *w, const ez_step *s) {
    ez_access_lanes a;
    uint32_t value[4 * EZ_MAX_LANES] = {0};
    ez_access_begin(w, s, &a);
    a.d = value;
    buffer_step(w, s, &a);
    if (!w->stop) ez_store_to_lds(w, s, &a, value);
}

/* The other way: each lane's dword is in LDS at M0 + offset + 4 * lane. */
void ez_step_buffer_store_lds(ez_wave *w, const ez_step *s) {
    ez_access_lanes a;
    uint64_t from[EZ_MAX_LANES];
    uint32_t value[EZ_MAX_LANES] = {0};
    ez_access_begin(w, s, &a);
    for (unsigned lane = 0; lane < w->lanes; lane++) from[lane] = (uint64_t)(w->sgpr[EZ_SLOT_M0] & 0xffff) + s->imm[0] + 4 * lane;
    if (!ez_access_lds(w, s, from, a.active, 4, &a)) return;
    for (uint64_t left = a.active; left; left &= left - 1) {
        unsigned lane = ez_first_lane(left);
        for (unsigned b = 0; b < 4; b++) value[lane] |= (uint32_t)a.p[lane][b] << (8 * b);
    }
    ez_access_begin(w, s, &a);
    a.s = value;
    buffer_step(w, s, &a);
}

/* ---- typed accesses: elements in a data format, of the instruction or of the resource ---- */

/* imm[3] of the step: how many components, and where they are in registers. */
typedef struct typed_access {
    uint8_t components;
    bool half, unpacked, high; /* 16 bits; each in a register of its own; in the upper half */
} typed_access;

static bool typed_operation(ez_step *s, unsigned components, bool half, bool high) {
    static const ez_memory_op load = {EZ_MEM_LOAD, 16, 4, NULL}, store = {EZ_MEM_STORE, 16, 4, NULL};
    bool loads = ez_row_has(s->inst->op, EZ_ROW_load);
    bool unpacked = half && ez_has(s->inst->target, EZ_HAS_unpacked_d16_vmem);
    typed_access t = {(uint8_t)components, half, unpacked, high};
    if (ez_get(s->inst, EZ_F_lds) || !ez_prepare_memory(s, loads ? &load : &store)) return false;
    memcpy(&s->imm[3], &t, sizeof t);
    return true;
}
bool ez_prepare_typed_x(ez_step *s) { return typed_operation(s, 1, false, false); }
bool ez_prepare_typed_xy(ez_step *s) { return typed_operation(s, 2, false, false); }
bool ez_prepare_typed_xyz(ez_step *s) { return typed_operation(s, 3, false, false); }
bool ez_prepare_typed_xyzw(ez_step *s) { return typed_operation(s, 4, false, false); }
bool ez_prepare_typed_d16_x(ez_step *s) { return typed_operation(s, 1, true, false); }
bool ez_prepare_typed_d16_xy(ez_step *s) { return typed_operation(s, 2, true, false); }
bool ez_prepare_typed_d16_xyz(ez_step *s) { return typed_operation(s, 3, true, false); }
bool ez_prepare_typed_d16_xyzw(ez_step *s) { return typed_operation(s, 4, true, false); }
bool ez_prepare_typed_d16_hi_x(ez_step *s) { return typed_operation(s, 1, true, true); }

/* The format, without bytes where it is that of no buffer: INVALID; and for each component of the result which of the element's it is (4 to 7), or 0 or 1. */
static bool typed_format(const ez_wave *w, const ez_step *s, const ez_place *resource, ez_texel *f, uint8_t select[4]) {
    const ez_target *t = w->target;
    uint32_t word = w->sgpr[resource->index + 3];
    bool typed = ez_row_has(s->inst->op, EZ_ROW_typed), unified = ez_symbol_name(t, EZ_SYM_ufmt, 1);
    for (unsigned n = 0; n < 4; n++) select[n] = (uint8_t)(typed ? 4 + n : word >> (3 * n) & 7);
    if (unified) {
        unsigned bits = ez_has(t, EZ_HAS_rsrc_swizzle_2) ? 6 : 7;
        unsigned code = typed ? ez_get(s->inst, EZ_F_format) : word >> 12 & ((1u << bits) - 1);
        *f = (ez_texel){0};
        return !code || ez_texel_parse(ez_symbol_name(t, EZ_SYM_ufmt, code), NULL, f);
    }
    unsigned data = typed ? ez_get(s->inst, EZ_F_dfmt) : word >> 15 & 15, number = typed ? ez_get(s->inst, EZ_F_nfmt) : word >> 12 & 7;
    const char *name = ez_symbol_name(t, EZ_SYM_dfmt, data), *number_name = ez_symbol_name(t, EZ_SYM_nfmt, number);
    *f = (ez_texel){0};
    if (!data) return true;
    return name && number_name && ez_texel_parse(name, number_name, f);
}

/* The first code of a format with these components, in the last word of a resource. */
static bool write_format(const ez_target *t, const ez_texel *wanted, uint32_t *word) {
    bool unified = ez_symbol_name(t, EZ_SYM_ufmt, 1);
    unsigned numbers = unified ? 1 : 8, codes = unified ? ez_has(t, EZ_HAS_rsrc_swizzle_2) ? 64 : 128 : 16;
    ez_texel f;
    for (unsigned code = 1; code < codes; code++)
        for (unsigned n = 0; n < numbers; n++) {
            bool known = unified ? ez_texel_parse(ez_symbol_name(t, EZ_SYM_ufmt, code), NULL, &f)
                                 : ez_texel_parse(ez_symbol_name(t, EZ_SYM_dfmt, code), ez_symbol_name(t, EZ_SYM_nfmt, n), &f);
            if (!known || !ez_texel_same(&f, wanted)) continue;
            *word |= unified ? code << 12 : code << 15 | n << 12;
            return true;
        }
    return false;
}

bool ez_buffer_write(const ez_target *t, uint64_t base, uint32_t elements, const ez_texel *f, const uint8_t select[4],
                     uint32_t word[4]) {
    bool counts_elements = ez_has(t, EZ_HAS_rsrc_range_idxen) || ez_has(t, EZ_HAS_rsrc_oob_select);
    if (ez_has(t, EZ_HAS_rsrc_57_45) || base >> 48 || (uint64_t)elements * f->bytes > UINT32_MAX) return false;
    word[0] = (uint32_t)base;
    word[1] = (uint32_t)(base >> 32) | (uint32_t)f->bytes << 16;
    word[2] = counts_elements ? elements : elements * f->bytes;
    word[3] = 0;
    for (unsigned n = 0; n < 4; n++) word[3] |= (uint32_t)select[n] << (3 * n);
    return write_format(t, f, &word[3]);
}

static uint32_t to_half(const ez_texel *f, uint32_t x) { return ez_texel_is_integer(f) ? x & 0xffff : f16_narrow(x, 0); }

static void write_components(const ez_texel *f, typed_access t, const uint32_t value[4], uint32_t *d, unsigned lanes) {
    for (unsigned n = 0; n < t.components; n++) {
        uint32_t *row = d + (t.half && !t.unpacked ? n / 2 : n) * lanes;
        uint32_t half = t.half ? to_half(f, value[n]) : 0;
        if (!t.half) *row = value[n];
        else if (t.unpacked) *row = half;
        else if (t.high || n % 2) *row = (*row & 0xffff) | half << 16;
        else *row = (t.components > 1 ? 0 : *row & 0xffff0000) | half;
    }
}

/* Those that the store lacks are 0, or the first. */
static void read_components(const ez_wave *w, const ez_texel *f, typed_access t, const uint32_t *d, unsigned lanes,
                            uint32_t value[4]) {
    for (unsigned n = 0; n < t.components; n++) {
        uint32_t x = d[(t.half && !t.unpacked ? n / 2 : n) * lanes];
        if (t.half) {
            x = x >> (t.high || (n % 2 && !t.unpacked) ? 16 : 0) & 0xffff;
            if (!ez_texel_is_integer(f)) x = f16_widen(x);
            else if (f->number == EZ_NUMBER_SINT) x = (uint32_t)(int16_t)x;
        }
        value[n] = x;
    }
    bool first = ez_has(w->target, EZ_HAS_store_first_component);
    for (unsigned n = t.components; n < 4; n++) value[n] = first ? value[0] : 0;
}

/* Whether stores can be done: dst_sel puts every component where it is. */
static bool in_order(const ez_texel *f, const uint8_t select[4]) {
    for (unsigned n = 0; n < f->components; n++)
        if (select[n] != 4 + n) return false;
    return true;
}

/* One lane's element; NULL: out of range, or a fault. */
static uint8_t *element_pointer(ez_wave *w, const ez_step *s, const buffer_access *b, unsigned lane, uint32_t bytes, bool store) {
    buffer_point at = b->at[lane];
    if (out_of_range(w, &b->r, b->idxen, at, b->soffset, bytes)) return NULL;
    if (b->r.element && at.offset % b->r.element + bytes > b->r.element) {
        ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "a typed access across elements of a swizzled buffer");
        return NULL;
    }
    uint64_t address = b->r.base + b->soffset + buffer_offset(&b->r, at.index, at.offset);
    return ez_wave_translate(w, s, lane, address, bytes, store ? EZ_ACCESS_WRITE : EZ_ACCESS_READ);
}

void ez_step_buffer_typed(ez_wave *w, const ez_step *s) {
    static const uint8_t nothing[16];
    ez_access_lanes a;
    buffer_access b;
    typed_access t;
    ez_texel f;
    uint8_t select[4];
    memcpy(&t, &s->imm[3], sizeof t);
    ez_access_begin(w, s, &a);
    read_points(w, s, &b);
    bool store = ez_memory_op_of(s)->kind == EZ_MEM_STORE;
    if (!typed_format(w, s, &s->src[ez_memory_operands_of(s).base], &f, select) || (store && !in_order(&f, select))) {
        ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "a data format or order of components that is not implemented");
        return;
    }
    for (uint64_t left = a.active; left && !w->stop; left &= left - 1) {
        unsigned lane = ez_first_lane(left);
        uint32_t value[4] = {0}, chosen[4];
        uint8_t *p = f.bytes ? element_pointer(w, s, &b, lane, f.bytes, store) : NULL;
        if (w->stop || (store && !p)) continue;
        if (store) {
            read_components(w, &f, t, a.s + lane, w->lanes, value);
            ez_texel_store(&f, value, p);
            continue;
        }
        if (f.bytes) ez_texel_load(&f, p ? p : nothing, value);
        uint32_t one = ez_texel_is_integer(&f) ? 1 : 0x3f800000;
        for (unsigned n = 0; n < 4; n++) chosen[n] = select[n] >= 4 ? value[select[n] - 4] : select[n] == 1 ? one : 0;
        write_components(&f, t, chosen, a.d + lane, w->lanes);
    }
    ez_report_residency(w, s);
}
