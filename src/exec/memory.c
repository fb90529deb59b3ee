/* SPDX-License-Identifier: Apache-2.0 */
/* What all memory instructions share: operands, pointers of lanes, bounced lanes. */
#include "memory.h"

#include "masks.h"
#include "program.h"

#include <string.h>

/* ---- preparing ---- */

static int64_t sign_extend(uint32_t value, unsigned width) {
    uint32_t sign = UINT32_C(1) << (width - 1);
    return (int64_t)(value ^ sign) - (int64_t)sign;
}

/* The offset in the instruction. GLOBAL, SCRATCH and, from GFX12 on, FLAT have signed ones; FLAT before
 * has an unsigned one of a bit less, DS and buffers have unsigned ones. [RDNA3] "FLAT", [Vega] 10.5.2 */
static int64_t instruction_offset(const ez_inst *inst) {
    const ez_layout *layout = ez_inst_layout(inst);
    unsigned width = layout->field[EZ_F_offset].width;
    if (!width) return 0;
    uint32_t value = ez_get(inst, EZ_F_offset);
    switch (layout->encoding) {
    case EZ_ENC_GLOBAL: case EZ_ENC_SCRATCH:
    case EZ_ENC_VFLAT: case EZ_ENC_VGLOBAL: case EZ_ENC_VSCRATCH: return sign_extend(value, width);
    case EZ_ENC_FLAT: return value & ((1u << (width - 1)) - 1);
    default: return value;
    }
}

static void note_operand(const ez_step *s, ez_memory_operands *o, unsigned field, uint8_t index) {
    switch (field) {
    case EZ_F_vaddr: case EZ_F_addr: o->address = index; break;
    case EZ_F_saddr: case EZ_F_rsrc: case EZ_F_sbase: o->base = index; break;
    case EZ_F_soffset: o->soffset = index; break;
    case EZ_F_vdata: case EZ_F_data0: case EZ_F_sdata: o->data = index; break;
    case EZ_F_data1: o->data2 = index; break;
    case EZ_F_vdst: /* of a load to LDS: its LDS address, a source */
        if (index < s->srcs) o->data = index;
        break;
    default: break;
    }
}

/* Loads of buffers and global memory that go to LDS. */
static bool prepare_lds(ez_step *s, const ez_memory_op *op) {
    if (!ez_get(s->inst, EZ_F_lds) || s->fn == ez_step_buffer_store_lds) return true;
    if (op->kind != EZ_MEM_LOAD) return false;
    if (s->fn == ez_step_buffer) s->fn = ez_step_buffer_lds;
    else if (s->fn == ez_step_global) s->fn = ez_step_load_lds;
    else if (s->fn == ez_step_scratch) s->fn = ez_step_scratch_lds;
    else return false;
    return true;
}

/* tfe makes the result a VGPR longer; of loads from buffers it is done. */
static bool prepare_tfe(ez_step *s, const ez_memory_op *op) {
    if (!ez_get(s->inst, EZ_F_tfe)) return true;
    s->flags |= EZ_STEP_TFE;
    return op->kind == EZ_MEM_LOAD && s->dsts && (s->fn == ez_step_buffer || s->fn == ez_step_buffer_typed);
}

bool ez_prepare_memory(ez_step *s, const ez_memory_op *op) {
    if (ez_inst_layout(s->inst)->encoding == EZ_ENC_SMEM) return ez_prepare_smem_atomic(s, op);
    if (s->fn == ez_step_image_atomic) return ez_prepare_image_atomic(s, op);
    bool flat = ez_inst_layout(s->inst)->encoding == EZ_ENC_FLAT;
    if (flat && !ez_has(s->inst->target, EZ_HAS_flat_offset) && ez_get(s->inst, EZ_F_offset)) return false;
    ez_memory_operands o = {EZ_NO_PLACE, EZ_NO_PLACE, EZ_NO_PLACE, EZ_NO_PLACE, EZ_NO_PLACE, 0, 0};
    uint8_t sources = 0;
    for (unsigned n = 0; n < ez_inst_operand_count(s->inst); n++) {
        ez_operand operand = ez_inst_operand(s->inst, n);
        if (!operand.written)
            note_operand(s, &o, operand.field, sources++);
        else if (operand.read && op->kind == EZ_MEM_ATOMIC)
            o.old = 1;
    }
    /* A vdst that is written is the result: always of loads and DS, when asked for of atomics. */
    bool result = s->dsts && s->dst[0].kind == EZ_PLACE_ROW;
    o.returns = result && (!o.old || ez_inst_returns(s->inst));
    if (!prepare_tfe(s, op) || ez_get(s->inst, EZ_F_gds) || !prepare_lds(s, op)) return false;
    if (ez_get(s->inst, EZ_F_scale_offset)) s->flags |= EZ_STEP_SCALED;
    s->imm[0] = (uint64_t)instruction_offset(s->inst);
    memcpy(&s->imm[1], &o, sizeof o);
    s->imm[2] = (uint64_t)(uintptr_t)op;
    return true;
}

void ez_access_begin(const ez_wave *w, const ez_step *s, ez_access_lanes *a) {
    const ez_memory_op *op = ez_memory_op_of(s);
    ez_memory_operands o = ez_memory_operands_of(s);
    a->active = ez_exec(w);
    a->nothing = 0;
    a->stride = 4;
    a->lanes = w->lanes;
    a->local = false;
    a->flush32 = false;
    a->by_rows = false;
    a->shape = EZ_SHAPE_ANY;
    a->target = w->target;
    a->wave = w;
    a->d = o.returns ? w->vgpr + s->dst[0].index : NULL;
    const ez_place *data = o.old ? &s->dst[0] : ez_source_place(s, o.data);
    const ez_place *data2 = ez_source_place(s, o.data2);
    a->s = data ? w->vgpr + data->index : NULL;
    a->s2 = data2 ? w->vgpr + data2->index : NULL;
    /* compare-and-swap of memory has both in one operand: the new value first */
    if (!data2 && data && op->kind == EZ_MEM_ATOMIC && data->dwords == 2 * op->dwords)
        a->s2 = a->s + op->dwords * w->lanes;
}

/* ---- where the lanes are ---- */

static ez_span span_of(const ez_wave *w, const uint64_t *address, uint64_t lanes, uint32_t bytes) {
    uint32_t row[EZ_MAX_LANES];
    const uint32_t *active = w->scope.full ? NULL : w->exec_row;
    ez_span s;
    if (lanes != ez_exec(w)) {
        ez_mask_to_row(row, lanes, w->lanes);
        active = row;
    }
    ez_access_level(w)->span(address, active, w->lanes, ez_first_lane(lanes), bytes, &s);
    return s;
}

/* Whether an access of all active lanes may do without pointers: loads and stores of whole dwords. */
static bool by_rows(const ez_wave *w, const ez_memory_op *op, const ez_access_lanes *a) {
    bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__; /* memory is little-endian on any host */
    return little && a->by_rows && op->kind != EZ_MEM_ATOMIC && op->bytes == 4 * op->dwords && a->active == ez_exec(w);
}

/* Whether the lanes' dwords are one after the other, or all the same ones. Then `low` is the host pointer of the lowest address. */
static bool as_whole(const ez_wave *w, const ez_memory_op *op, const ez_span *span, uint8_t *low, ez_access_lanes *a) {
    if (!by_rows(w, op, a)) return false;
    if (span->shape == EZ_SHAPE_ROW ? !w->scope.full : span->shape != EZ_SHAPE_SAME || op->kind != EZ_MEM_LOAD) return false;
    a->shape = span->shape;
    a->start = low;
    return true;
}

static void set_pointers(const ez_wave *w, const ez_memory_op *op, const uint64_t *address, uint64_t lanes, const ez_span *span,
                         uint8_t *low, ez_access_lanes *a) {
    if (lanes != ez_exec(w))
        for (; lanes; lanes &= lanes - 1) a->p[ez_first_lane(lanes)] = low + (address[ez_first_lane(lanes)] - span->low);
    else if (!as_whole(w, op, span, low, a))
        ez_access_level(w)->pointers(a->p, address, (uint64_t)(uintptr_t)low - span->low, w->lanes);
}

static ez_span span_of_row(const ez_wave *w, const uint32_t *row, uint64_t base, bool is_signed, uint32_t bytes) {
    ez_span s;
    ez_access_level(w)->span_row(row, w->scope.full ? NULL : w->exec_row, base, is_signed, w->lanes, ez_first_lane(ez_exec(w)), bytes, &s);
    return s;
}

static void set_row_pointers(const ez_wave *w, const ez_memory_op *op, const uint32_t *row, uint64_t base, bool is_signed,
                             const ez_span *span, uint8_t *low, ez_access_lanes *a) {
    if (as_whole(w, op, span, low, a)) return;
    if (by_rows(w, op, a) && op->kind == EZ_MEM_LOAD) {
        a->shape = EZ_SHAPE_NEAR;
        a->start = low;
        a->offsets = row;
        a->lowest = (uint32_t)(span->low - base);
    } else {
        ez_access_level(w)->row_pointers(a->p, row, (uint64_t)(uintptr_t)low - span->low + base, is_signed, w->lanes);
    }
}

void ez_access_do(const ez_wave *w, const ez_memory_op *op, ez_access_lanes *a) {
    const ez_access_functions *f = ez_access_level(w);
    if (a->shape == EZ_SHAPE_ANY) op->run(a);
    else if (op->kind == EZ_MEM_STORE) f->store_rows(a->start, a->s, op->dwords, w->lanes);
    else if (!a->d) return;
    else if (a->shape == EZ_SHAPE_NEAR) f->load_near(a->d, a->start, a->offsets, a->lowest, op->dwords, w->exec_row, w->lanes);
    else if (a->shape == EZ_SHAPE_ROW) f->load_rows(a->d, a->start, op->dwords, w->lanes);
    else f->load_same(a->d, a->start, op->dwords, w->exec_row, w->lanes);
}

/* ---- global memory ---- */

static unsigned access_of(const ez_memory_op *op) {
    switch (op->kind) {
    case EZ_MEM_LOAD: return EZ_ACCESS_READ;
    case EZ_MEM_STORE: return EZ_ACCESS_WRITE;
    default: return EZ_ACCESS_READ | EZ_ACCESS_WRITE | EZ_ACCESS_ATOMIC;
    }
}

/* Atomics need the alignment of their size, everywhere. */
static bool aligned(ez_wave *w, const ez_step *s, const uint64_t *address, uint64_t lanes) {
    const ez_memory_op *op = ez_memory_op_of(s);
    if (op->kind != EZ_MEM_ATOMIC) return true;
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = ez_first_lane(lanes);
        if (!(address[lane] & (op->bytes - 1u))) continue;
        ez_wave_fault_memory(w, s, EZ_FAULT_ALIGNMENT, lane, address[lane], op->bytes, access_of(op),
                             "an atomic needs the alignment of its size");
        return false;
    }
    return true;
}

bool ez_access_global(ez_wave *w, const ez_step *s, const uint64_t *address, uint64_t lanes,
                      ez_access_lanes *a) {
    const ez_memory_op *op = ez_memory_op_of(s);
    unsigned access = access_of(op);
    if (!lanes) return true;
    ez_span span = span_of(w, address, lanes, op->bytes);
    if (span.bits & (op->bytes - 1u) && !aligned(w, s, address, lanes)) return false;
    /* Mostly all lanes go to one range: then one translation is enough. */
    uint8_t *low = NULL;
    if (w->memory && span.near) low = w->memory->translate(span.low, span.size + op->bytes, access, w->memory->user);
    if (low) {
        set_pointers(w, op, address, lanes, &span, low, a);
        return true;
    }
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = ez_first_lane(lanes);
        a->p[lane] = ez_wave_translate(w, s, lane, address[lane], op->bytes, access);
        if (!a->p[lane]) return false;
    }
    return true;
}

bool ez_access_global_row(ez_wave *w, const ez_step *s, const uint32_t *row, uint64_t base, bool is_signed, ez_access_lanes *a) {
    const ez_memory_op *op = ez_memory_op_of(s);
    const ez_access_functions *f = ez_access_level(w);
    if (!a->active) return true;
    ez_span span = span_of_row(w, row, base, is_signed, op->bytes);
    uint8_t *low = NULL;
    if (w->memory && span.near && (op->kind != EZ_MEM_ATOMIC || !(span.bits & (op->bytes - 1u))))
        low = w->memory->translate(span.low, span.size + op->bytes, access_of(op), w->memory->user);
    if (low) {
        set_row_pointers(w, op, row, base, is_signed, &span, low, a);
        return true;
    }
    uint64_t address[EZ_MAX_LANES];
    (is_signed ? f->signed_offsets : f->offsets)(address, row, base, w->lanes);
    return ez_access_global(w, s, address, a->active, a);
}

/* ---- LDS ---- */

/* How much of it there is, and what alignment an access needs there. */
static uint64_t lds_limit(const ez_wave *w, const ez_memory_op *op, uint32_t bytes, uint32_t *alignment) {
    bool limited = ez_has(w->target, EZ_HAS_lds_m0_limit) && w->sgpr[EZ_SLOT_M0] < w->lds_size;
    *alignment = op->kind != EZ_MEM_ATOMIC && ez_has(w->target, EZ_HAS_lds_unaligned) ? 1 : bytes == 12 ? 16 : bytes;
    return limited ? w->sgpr[EZ_SLOT_M0] : w->lds_size;
}

static bool inside_lds(const ez_span *span, uint64_t size, uint32_t bytes, uint32_t alignment) {
    return span->near && bytes <= size && span->low <= size - bytes && span->size <= size - bytes - span->low &&
           !(span->bits & (alignment - 1));
}

bool ez_access_lds(ez_wave *w, const ez_step *s, const uint64_t *offset, uint64_t lanes,
                   uint32_t bytes, ez_access_lanes *a) {
    const ez_memory_op *op = ez_memory_op_of(s);
    uint32_t alignment;
    uint64_t size = lds_limit(w, op, bytes, &alignment);
    if (!lanes) return true;
    ez_span span = span_of(w, offset, lanes, bytes);
    if (inside_lds(&span, size, bytes, alignment)) {
        set_pointers(w, op, offset, lanes, &span, w->lds + span.low, a);
        return true;
    }
    const char *reason = size < w->lds_size ? "outside the LDS that M0 allows" : "outside the workgroup's LDS";
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = ez_first_lane(lanes);
        uint64_t at = offset[lane];
        bool inside = bytes <= size && at <= size - bytes;
        if (inside && !(at & (alignment - 1))) {
            a->p[lane] = w->lds + at;
            continue;
        }
        ez_wave_fault_memory(w, s, inside ? EZ_FAULT_ALIGNMENT : EZ_FAULT_MEMORY, lane, at, bytes,
                             access_of(op) | EZ_ACCESS_LDS, inside ? "an LDS address that is not aligned" : reason);
        return false;
    }
    return true;
}

bool ez_access_lds_row(ez_wave *w, const ez_step *s, const uint32_t *row, uint64_t base, ez_access_lanes *a) {
    const ez_memory_op *op = ez_memory_op_of(s);
    uint32_t alignment;
    uint64_t size = lds_limit(w, op, op->bytes, &alignment);
    if (!a->active) return true;
    ez_span span = span_of_row(w, row, base, false, op->bytes);
    if (inside_lds(&span, size, op->bytes, alignment)) {
        set_row_pointers(w, op, row, base, false, &span, w->lds + span.low, a);
        return true;
    }
    uint64_t offset[EZ_MAX_LANES];
    for (unsigned lane = 0; lane < w->lanes; lane++) offset[lane] = (uint32_t)(row[lane] + base); /* docs/errata.md */
    return ez_access_lds(w, s, offset, a->active, op->bytes, a);
}

/* ---- scratch: dword d of lane l at base + (d * lanes + l) * 4 ---- */

static uint8_t *scratch_byte(const ez_access_lanes *a, uint8_t *base, unsigned lane, uint64_t offset) {
    return base + (offset >> 2) * 4 * a->lanes + 4 * lane + (offset & 3);
}

static uint8_t *scratch_memory(ez_wave *w, const ez_step *s, unsigned lane) {
    /* one translation for all of the wave's scratch */
    uint64_t size = (uint64_t)w->scratch_size * w->lanes;
    return ez_wave_translate(w, s, lane, w->scratch_base, (uint32_t)size, EZ_ACCESS_READ | EZ_ACCESS_WRITE);
}

bool ez_access_scratch(ez_wave *w, const ez_step *s, const uint64_t *offset, uint64_t lanes,
                       bool bounce, ez_access_lanes *a) {
    const ez_memory_op *op = ez_memory_op_of(s);
    if (!lanes) return true;
    if (!aligned(w, s, offset, lanes)) return false;
    for (uint64_t left = lanes; left; left &= left - 1) {
        unsigned lane = ez_first_lane(left);
        if (op->bytes <= w->scratch_size && offset[lane] <= w->scratch_size - op->bytes) continue;
        ez_wave_fault_memory(w, s, EZ_FAULT_MEMORY, lane, offset[lane], op->bytes,
                             access_of(op) | EZ_ACCESS_PRIVATE, "outside the private memory of the work-item");
        return false;
    }
    uint8_t *base = scratch_memory(w, s, ez_first_lane(lanes));
    if (!base) return false;
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = ez_first_lane(lanes);
        a->p[lane] = scratch_byte(a, base, lane, offset[lane]);
        if (!bounce) continue;
        for (unsigned b = 0; b < op->bytes && op->kind != EZ_MEM_STORE; b++)
            a->bounce[lane][b] = *scratch_byte(a, base, lane, offset[lane] + b);
        a->p[lane] = a->bounce[lane];
    }
    if (!bounce) a->stride = 4 * a->lanes;
    return true;
}

void ez_access_run(ez_wave *w, const ez_step *s, ez_access_lanes *a, const uint64_t *offset,
                   uint64_t bounced) {
    const ez_memory_op *op = ez_memory_op_of(s);
    ez_access_do(w, op, a);
    if (!bounced || op->kind == EZ_MEM_LOAD) return;
    uint8_t *base = scratch_memory(w, s, ez_first_lane(bounced));
    for (; base && bounced; bounced &= bounced - 1) {
        unsigned lane = ez_first_lane(bounced);
        for (unsigned b = 0; b < op->bytes; b++)
            *scratch_byte(a, base, lane, offset[lane] + b) = a->bounce[lane][b];
    }
}

bool ez_scratch_rows(ez_wave *w, const ez_step *s, uint64_t offset) {
    const ez_memory_op *op = ez_memory_op_of(s);
    bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__; /* memory is little-endian on any host */
    if (!little || op->kind == EZ_MEM_ATOMIC || (op->bytes | offset) & 3 || !ez_exec(w) ||
        op->bytes > w->scratch_size || offset > w->scratch_size - op->bytes)
        return false;
    uint64_t rows = w->scratch_base + offset * w->lanes;
    uint32_t *memory = ez_wave_translate(w, s, ez_first_lane(ez_exec(w)), rows, op->bytes * w->lanes,
                                         op->kind == EZ_MEM_LOAD ? EZ_ACCESS_READ : EZ_ACCESS_WRITE);
    if (!memory) return true;
    ez_memory_operands o = ez_memory_operands_of(s);
    uint32_t *registers = w->vgpr + (op->kind == EZ_MEM_LOAD ? s->dst[0].index : s->src[o.data].index);
    for (unsigned d = 0; d < op->dwords; d++, memory += w->lanes, registers += w->lanes) {
        if (op->kind == EZ_MEM_LOAD) ez_copy_row(registers, memory, w->exec_row, w->lanes);
        else ez_copy_row(memory, registers, w->exec_row, w->lanes);
    }
    return true;
}

/* ---- what does nothing here ---- */

void ez_step_memory_nothing(ez_wave *w, const ez_step *s) {
    (void)w, (void)s; /* caches and prefetches: memory is always coherent */
}
bool ez_prepare_memory_nothing(ez_step *s) {
    (void)s;
    return true;
}

void ez_report_residency(ez_wave *w, const ez_step *s) {
    if (!(s->flags & EZ_STEP_TFE) || w->stop) return;
    uint32_t *row = ez_place_rows(w, &s->dst[0]) + (s->dst[0].dwords - 1u) * w->lanes;
    for (unsigned lane = 0; lane < w->lanes; lane++)
        if (w->exec_row[lane]) row[lane] = 0;
}
