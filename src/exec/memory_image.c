/* SPDX-License-Identifier: Apache-2.0 */
/* MIMG, VIMAGE, VSAMPLE: steps of image instructions. Source: "Vector Memory Image Instructions" of the ISA guides. */
#include <math.h>
#include <string.h>

#include "image.h"
#include "memory.h"
#include "numbers.h"

/* Worked out when the instruction is lowered: imm[0] and imm[1]; imm[2] is the operation of an atomic. */
typedef struct image_access {
    uint8_t data, resource, sampler; /* indices of sources, EZ_NO_PLACE: none; the data of loads are dst[0] */
    uint8_t mask;                    /* dmask */
    int8_t dim;                      /* -1: the instruction has none */
    bool half, unpacked, gathers, slices;
    bool old; /* the data of an atomic are in dst[0] */
    bool short_coordinates; /* of 16 bits, two to a VGPR */
} image_access;
_Static_assert(sizeof(image_access) <= 2 * sizeof(uint64_t), "image_access is kept in ez_step.imm");

static image_access image_access_of(const ez_step *s) {
    image_access a;
    memcpy(&a, s->imm, sizeof a);
    return a;
}

/* Whether derivatives of 16 bits have instructions of their own, and do not come with coordinates of 16 bits. */
static bool has_g16(const ez_target *t) { return ez_spelling_on(t, EZ_OP_IMAGE_SAMPLE_D_G16) != NULL; }

bool ez_prepare_image(ez_step *s) {
    const ez_inst *inst = s->inst;
    image_access a = {EZ_NO_PLACE, EZ_NO_PLACE, EZ_NO_PLACE, (uint8_t)ez_get(inst, EZ_F_dmask), -1, false, false, false, false, false, false};
    uint8_t sources = 0;
    for (unsigned n = 0; n < ez_inst_operand_count(inst); n++) {
        ez_operand o = ez_inst_operand(inst, n);
        if (o.written) {
            a.old = ez_row_has(inst->op, EZ_ROW_atomic);
            continue;
        }
        if (o.field == EZ_F_vdata) a.data = sources;
        if (o.field == EZ_F_rsrc) a.resource = sources;
        if (o.field == EZ_F_samp) a.sampler = sources;
        sources++;
    }
    if (ez_has_field(inst, EZ_F_dim)) a.dim = (int8_t)ez_get(inst, EZ_F_dim);
    a.slices = ez_get(inst, EZ_F_da);
    a.half = ez_get(inst, EZ_F_d16);
    a.unpacked = ez_has(inst->target, EZ_HAS_unpacked_d16_vmem);
    a.gathers = ez_row_has(inst->op, EZ_ROW_data4);
    a.short_coordinates = ez_get(inst, EZ_F_a16);
    memcpy(s->imm, &a, sizeof a);
    if (a.gathers && (!a.mask || a.mask & (a.mask - 1))) return false;
    /* the address of IMAGE_GET_RESINFO is a level, and there is one only */
    bool short_resource = ez_get(inst, EZ_F_r128), resinfo = inst->op == EZ_OP_IMAGE_GET_RESINFO;
    bool short_derivatives = a.short_coordinates && ez_row_has(inst->op, EZ_ROW_a_deriv) && !has_g16(inst->target);
    bool loads = s->dsts && !ez_row_has(inst->op, EZ_ROW_atomic);
    if (ez_get(inst, EZ_F_tfe)) s->flags = EZ_STEP_TFE;
    return a.resource != EZ_NO_PLACE && !short_resource && (!short_derivatives || resinfo) && (!s->flags || loads) && !ez_get(inst, EZ_F_lwe);
}

/* The same on elements of 64 bits, of which dmask names twice as many components. */
static ez_prepare_fn *wide_atomic(unsigned op) {
    switch (op) {
    case EZ_OP_IMAGE_ATOMIC_SWAP: return ez_prepare_SWAP_B64;
    case EZ_OP_IMAGE_ATOMIC_CMPSWAP: return ez_prepare_CMPSWAP_B64;
    case EZ_OP_IMAGE_ATOMIC_ADD_UINT: return ez_prepare_ADD_U64;
    case EZ_OP_IMAGE_ATOMIC_SUB_UINT: return ez_prepare_SUB_U64;
    case EZ_OP_IMAGE_ATOMIC_MIN_INT: return ez_prepare_MIN_I64;
    case EZ_OP_IMAGE_ATOMIC_MIN_UINT: return ez_prepare_MIN_U64;
    case EZ_OP_IMAGE_ATOMIC_MAX_INT: return ez_prepare_MAX_I64;
    case EZ_OP_IMAGE_ATOMIC_MAX_UINT: return ez_prepare_MAX_U64;
    case EZ_OP_IMAGE_ATOMIC_AND: return ez_prepare_AND_B64;
    case EZ_OP_IMAGE_ATOMIC_OR: return ez_prepare_OR_B64;
    case EZ_OP_IMAGE_ATOMIC_XOR: return ez_prepare_XOR_B64;
    case EZ_OP_IMAGE_ATOMIC_INC_UINT: return ez_prepare_INC_U64;
    case EZ_OP_IMAGE_ATOMIC_DEC_UINT: return ez_prepare_DEC_U64;
    default: return NULL;
    }
}

bool ez_prepare_image_atomic(ez_step *s, const ez_memory_op *op) {
    bool exchange = s->inst->op == EZ_OP_IMAGE_ATOMIC_CMPSWAP || s->inst->op == EZ_OP_IMAGE_ATOMIC_CMPSWAP_FLT;
    unsigned mask = ez_get(s->inst, EZ_F_dmask), dwords = op->dwords * (exchange ? 2u : 1u);
    ez_prepare_fn *wide = op->dwords == 1 ? wide_atomic(s->inst->op) : NULL;
    if (wide && mask == (1u << 2 * dwords) - 1) return wide(s);
    if (!ez_prepare_image(s) || mask != (1u << dwords) - 1) return false;
    s->imm[2] = (uint64_t)(uintptr_t)op;
    return true;
}

/* The resource; false after stopping the wave. */
static bool read_image(ez_wave *w, const ez_step *s, const image_access *a, ez_image *m) {
    const char *lacks = ez_image_read(w->target, w->sgpr + s->src[a->resource].index, a->dim, a->slices, m);
    if (lacks) ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, lacks);
    return !lacks;
}

/* ---- addresses in VGPRs ---- */

/* The row of address word n: the VGPRs follow each other, or are named one by one. */
static const uint32_t *address_row(ez_wave *w, const ez_step *s, unsigned n) {
    ez_image_address a;
    unsigned reg = 0;
    if (!ez_image_address_of(s->inst, &a)) a.parts = 0;
    if (a.parts == 1) {
        reg = a.reg[0] + n;
    } else {
        for (unsigned part = 0; part < a.parts; n -= a.dwords[part++])
            if (n < a.dwords[part]) {
                reg = a.reg[part] + n;
                break;
            }
    }
    if (reg < w->vgprs) return w->vgpr + reg * w->lanes;
    ez_wave_fault(w, s, EZ_FAULT_REGISTER, "a register beyond the register file");
    return NULL;
}

/* How many words come before the coordinates: texel offset, bias, value to compare with, derivatives. */
static unsigned words_before(const ez_step *s, const ez_image *m) {
    unsigned op = s->inst->op, words = ez_row_has(op, EZ_ROW_a_offset) + ez_row_has(op, EZ_ROW_a_bias) + ez_row_has(op, EZ_ROW_a_compare);
    unsigned derivatives = 2u * m->dimensions;
    if (!ez_row_has(op, EZ_ROW_a_deriv)) return words;
    return words + (ez_row_has(op, EZ_ROW_a_g16) ? (derivatives / 2 + 1) / 2 * 2 : derivatives);
}

typedef struct image_coordinates {
    const uint32_t *row[3], *offset; /* of x, y, and z or the slice; NULL: 0 */
    bool half;                       /* they have 16 bits, */
    uint8_t shift[3];                /* from there on */
    const uint32_t *reference;
} image_coordinates;

static bool coordinate_rows(ez_wave *w, const ez_step *s, const ez_image *m, image_coordinates *c) {
    unsigned first = words_before(s, m), count = m->dimensions + (m->array ? 1u : 0u);
    *c = (image_coordinates){.half = image_access_of(s).short_coordinates};
    unsigned op = s->inst->op, before_reference = ez_row_has(op, EZ_ROW_a_offset) + ez_row_has(op, EZ_ROW_a_bias);
    if (ez_row_has(op, EZ_ROW_a_compare) && !(c->reference = address_row(w, s, before_reference))) return false;
    for (unsigned n = 0; n < count; n++) {
        unsigned axis = m->array && n == count - 1 ? 2 : n;
        c->shift[axis] = c->half ? 16 * (n & 1) : 0;
        if (!(c->row[axis] = address_row(w, s, first + (c->half ? n / 2 : n)))) return false;
    }
    if (ez_row_has(op, EZ_ROW_a_offset) && !(c->offset = address_row(w, s, 0))) return false;
    return true;
}

/* ---- elements ---- */

static uint8_t *element(ez_wave *w, const ez_step *s, const ez_image *m, unsigned lane, const int64_t at[3], unsigned access) {
    uint64_t index = ((uint64_t)at[2] * m->size[1] + (uint64_t)at[1]) * m->pitch + (uint64_t)at[0];
    return ez_wave_translate(w, s, lane, m->base + index * m->texel.bytes, m->texel.bytes, access);
}

static bool inside(const ez_image *m, const int64_t at[3]) {
    for (unsigned n = 0; n < 3; n++)
        if (at[n] < 0 || at[n] >= m->size[n]) return false;
    return true;
}

/* The components behind dst_sel, in the order of the mask, to registers. */
static void write_result(ez_wave *w, const ez_step *s, const image_access *a, const ez_image *m, unsigned lane, const uint32_t value[4]) {
    uint32_t *d = ez_place_rows(w, &s->dst[0]) + lane;
    unsigned count = 0;
    for (unsigned n = 0; n < 4; n++) {
        if (!a->gathers && !(a->mask >> n & 1)) continue;
        uint32_t x = value[n];
        if (a->half) x = ez_texel_is_integer(&m->texel) ? x & 0xffff : f16_narrow(x, 0);
        uint32_t *row = d + (a->half && !a->unpacked ? count / 2 : count) * w->lanes;
        *row = a->half && !a->unpacked && count % 2 ? (*row & 0xffff) | x << 16 : x;
        count++;
    }
}

static void choose(const ez_image *m, const uint32_t in[4], uint32_t out[4]) {
    uint32_t one = ez_texel_is_integer(&m->texel) ? 1 : 0x3f800000;
    for (unsigned n = 0; n < 4; n++) out[n] = m->select[n] >= 4 ? in[m->select[n] - 4] : m->select[n] == 1 ? one : 0;
}

/* ---- loads, stores, atomics: coordinates are integers; outside loads give 0 and the rest does nothing ---- */

static void lane_coordinates(const image_coordinates *c, unsigned lane, int64_t at[3]) {
    for (unsigned n = 0; n < 3; n++) {
        at[n] = c->row[n] ? (int32_t)c->row[n][lane] : 0;
        if (c->half) at[n] = at[n] >> c->shift[n] & 0xffff;
    }
}

/* Level 0 is all there is. */
static bool level_is_zero(ez_wave *w, const ez_step *s, const ez_image *m) {
    if (!ez_row_has(s->inst->op, EZ_ROW_a_lod) || !m->texel.bytes) return true;
    unsigned n = m->dimensions + (m->array ? 1u : 0u);
    bool half = image_access_of(s).short_coordinates;
    const uint32_t *row = address_row(w, s, half ? n / 2 : n);
    for (unsigned lane = 0; row && lane < w->lanes; lane++)
        if (w->exec_row[lane] && (half ? row[lane] >> (16 * (n & 1)) & 0xffff : row[lane])) {
            ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "a level that the image does not have");
            return false;
        }
    return row != NULL;
}

static void do_load(ez_wave *w, const ez_step *s) {
    image_access a = image_access_of(s);
    ez_image m;
    image_coordinates c;
    if (!read_image(w, s, &a, &m) || !coordinate_rows(w, s, &m, &c) || !level_is_zero(w, s, &m)) return;
    for (uint64_t left = ez_exec(w); left; left &= left - 1) {
        unsigned lane = ez_first_lane(left);
        uint32_t value[4] = {0}, chosen[4];
        int64_t at[3];
        lane_coordinates(&c, lane, at);
        if (inside(&m, at)) {
            const uint8_t *p = element(w, s, &m, lane, at, EZ_ACCESS_READ);
            if (!p) return;
            ez_texel_load(&m.texel, p, value);
        }
        choose(&m, value, chosen);
        write_result(w, s, &a, &m, lane, chosen);
    }
}

/* The components of the data; those that the mask leaves out are 0, or the first. */
static void read_data(ez_wave *w, const ez_step *s, const image_access *a, const ez_image *m, unsigned lane, uint32_t value[4]) {
    const uint32_t *d = ez_place_rows(w, &s->src[a->data]) + lane;
    unsigned count = 0, first = a->mask ? (unsigned)__builtin_ctz(a->mask) : 0;
    for (unsigned n = 0; n < 4; n++) {
        value[n] = 0;
        if (!(a->mask >> n & 1)) continue;
        uint32_t x = d[(a->half && !a->unpacked ? count / 2 : count) * w->lanes];
        if (a->half) {
            x = x >> (count % 2 && !a->unpacked ? 16 : 0) & 0xffff;
            if (!ez_texel_is_integer(&m->texel)) x = f16_widen(x);
            else if (m->texel.number == EZ_NUMBER_SINT) x = (uint32_t)(int16_t)x;
        }
        value[n] = x;
        count++;
    }
    for (unsigned n = 0; n < 4 && ez_has(w->target, EZ_HAS_store_first_component); n++)
        if (!(a->mask >> n & 1)) value[n] = value[first];
}

void ez_step_image_store(ez_wave *w, const ez_step *s) {
    image_access a = image_access_of(s);
    ez_image m;
    image_coordinates c;
    if (!read_image(w, s, &a, &m) || !coordinate_rows(w, s, &m, &c) || !level_is_zero(w, s, &m)) return;
    for (unsigned n = 0; n < m.texel.components; n++)
        if (m.select[n] != 4 + n) {
            ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "a store whose components are not in order");
            return;
        }
    for (uint64_t left = ez_exec(w); left; left &= left - 1) {
        unsigned lane = ez_first_lane(left);
        uint32_t value[4];
        int64_t at[3];
        lane_coordinates(&c, lane, at);
        if (!inside(&m, at)) continue;
        uint8_t *p = element(w, s, &m, lane, at, EZ_ACCESS_WRITE);
        if (!p) return;
        read_data(w, s, &a, &m, lane, value);
        ez_texel_store(&m.texel, value, p);
    }
}

/* ---- elements as they are: a VGPR for each of their dwords. [RDNA3] IMAGE_LOAD_PCK, IMAGE_STORE_PCK ---- */

static bool begin_raw(ez_wave *w, const ez_step *s, image_access *a, ez_image *m, image_coordinates *c, unsigned *dwords) {
    *a = image_access_of(s);
    if (!read_image(w, s, a, m) || !coordinate_rows(w, s, m, c) || !level_is_zero(w, s, m)) return false;
    *dwords = (m->texel.bytes + 3u) / 4;
    if (!m->texel.bytes) return true;
    bool plain = a->mask == (1u << *dwords) - 1;
    for (unsigned n = 0; n < m->texel.components; n++) plain &= m->select[n] == 4 + n;
    if (!plain) ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "elements as they are, but in part or in another order");
    return plain;
}

static void do_load_raw(ez_wave *w, const ez_step *s) {
    image_access a;
    ez_image m;
    image_coordinates c;
    unsigned dwords;
    bool extends = s->inst->op == EZ_OP_IMAGE_LOAD_PCK_SGN || s->inst->op == EZ_OP_IMAGE_LOAD_MIP_PCK_SGN;
    if (!begin_raw(w, s, &a, &m, &c, &dwords)) return;
    if (!m.texel.bytes) dwords = (unsigned)__builtin_popcount(a.mask);
    for (uint64_t left = ez_exec(w); left; left &= left - 1) {
        unsigned lane = ez_first_lane(left);
        uint32_t value[4] = {0}, *d = ez_place_rows(w, &s->dst[0]) + lane;
        int64_t at[3];
        lane_coordinates(&c, lane, at);
        if (inside(&m, at)) {
            const uint8_t *p = element(w, s, &m, lane, at, EZ_ACCESS_READ);
            if (!p) return;
            for (unsigned b = 0; b < m.texel.bytes; b++) value[b / 4] |= (uint32_t)p[b] << (8 * (b % 4));
            if (extends && m.texel.bytes == 1) value[0] = (uint32_t)(int8_t)value[0];
            if (extends && m.texel.bytes == 2) value[0] = (uint32_t)(int16_t)value[0];
        }
        for (unsigned n = 0; n < dwords; n++) d[n * w->lanes] = value[n];
    }
}

void ez_step_image_store_raw(ez_wave *w, const ez_step *s) {
    image_access a;
    ez_image m;
    image_coordinates c;
    unsigned dwords;
    if (!begin_raw(w, s, &a, &m, &c, &dwords)) return;
    for (uint64_t left = ez_exec(w); left; left &= left - 1) {
        unsigned lane = ez_first_lane(left);
        const uint32_t *d = ez_place_rows(w, &s->src[a.data]) + lane;
        int64_t at[3];
        lane_coordinates(&c, lane, at);
        if (!inside(&m, at)) continue;
        uint8_t *p = element(w, s, &m, lane, at, EZ_ACCESS_WRITE);
        if (!p) return;
        for (unsigned b = 0; b < m.texel.bytes; b++) p[b] = (uint8_t)(d[b / 4 * w->lanes] >> (8 * (b % 4)));
    }
}

void ez_step_image_atomic(ez_wave *w, const ez_step *s) {
    const ez_memory_op *op = ez_memory_op_of(s);
    image_access a = image_access_of(s);
    ez_image m;
    image_coordinates c;
    if (!read_image(w, s, &a, &m) || !coordinate_rows(w, s, &m, &c)) return;
    if (m.texel.bytes && m.texel.bytes != op->bytes) {
        ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "an atomic on elements of another size");
        return;
    }
    const ez_place *data = a.old ? &s->dst[0] : &s->src[a.data];
    ez_access_lanes lanes = {.stride = 4, .lanes = w->lanes, .target = w->target, .wave = w, .s = ez_place_rows(w, data),
                             .flush32 = !ez_has(w->target, EZ_HAS_atomic_fadd_f32_denorm)};
    if (data->dwords == 2 * op->dwords) lanes.s2 = lanes.s + op->dwords * w->lanes;
    lanes.d = a.old && ez_inst_returns(s->inst) ? ez_place_rows(w, data) : NULL;
    for (uint64_t left = ez_exec(w); left; left &= left - 1) {
        unsigned lane = ez_first_lane(left);
        int64_t at[3];
        lane_coordinates(&c, lane, at);
        if (!inside(&m, at)) {
            lanes.nothing |= UINT64_C(1) << lane;
            continue;
        }
        lanes.p[lane] = element(w, s, &m, lane, at, EZ_ACCESS_READ | EZ_ACCESS_WRITE | EZ_ACCESS_ATOMIC);
        if (!lanes.p[lane]) return;
        lanes.active |= UINT64_C(1) << lane;
    }
    op->run(&lanes);
}

/* Width, height, depth or slices, and the number of levels. */
static void do_resinfo(ez_wave *w, const ez_step *s) {
    image_access a = image_access_of(s);
    ez_image m;
    if (!read_image(w, s, &a, &m)) return;
    uint32_t value[4] = {m.size[0], m.size[1], m.size[2], m.texel.bytes ? 1 : 0};
    m.texel.number = EZ_NUMBER_UINT;
    for (uint64_t left = ez_exec(w); left; left &= left - 1) write_result(w, s, &a, &m, ez_first_lane(left), value);
}

/* ---- sampling ---- */

/* The slice of an array that a coordinate names: the nearest. */
static int64_t slice_of(float z, uint32_t size) {
    double x = nearbyint((double)z);
    return x > 0 ? x < size ? (int64_t)x : (int64_t)size - 1 : 0;
}

static int32_t texel_offset(const uint32_t *row, unsigned lane, unsigned axis) {
    return row ? (int32_t)(row[lane] << (26 - 8 * axis)) >> 26 : 0;
}

typedef struct image_sample {
    const ez_image *m;
    const ez_sampler *sampler;
    const uint32_t *reference; /* what elements are compared with; NULL: they are not */
    ez_axis axis[3];
    unsigned lane;
} image_sample;

/* Elements that are compared are 1 or 0. Those of normalised formats lie between 0 and 1, and so does what they are compared with. */
static void compare(const image_sample *p, uint32_t value[4]) {
    if (!p->reference) return;
    float reference = f32_host(p->reference[p->lane]);
    if (p->m->texel.number == EZ_NUMBER_UNORM) reference = reference > 1 ? 1 : reference >= 0 ? reference : 0;
    value[0] = ez_sampler_compares(p->sampler, reference, f32_host(value[0])) ? 0x3f800000 : 0;
    value[1] = value[2] = 0;
    value[3] = 0x3f800000;
}

/* One of the (up to eight) elements around a point. */
static bool corner(ez_wave *w, const ez_step *s, const image_sample *p, unsigned x, unsigned y, unsigned z, uint32_t value[4]) {
    int64_t at[3] = {p->axis[0].at[x], p->axis[1].at[y], p->axis[2].at[z]};
    if (at[0] < 0 || at[1] < 0 || at[2] < 0) {
        for (unsigned n = 0; n < 4; n++) value[n] = n < 3 ? p->sampler->border : p->sampler->border_w;
        compare(p, value);
        return true;
    }
    const uint8_t *bytes = element(w, s, p->m, p->lane, at, EZ_ACCESS_READ);
    if (!bytes) return false;
    ez_texel_load(&p->m->texel, bytes, value);
    compare(p, value);
    return true;
}

static bool sample_point(ez_wave *w, const ez_step *s, const image_sample *p, uint32_t value[4]) {
    double sum[4] = {0};
    bool nearest = p->axis[0].weight + p->axis[1].weight + p->axis[2].weight == 0;
    for (unsigned n = 0; n < 8; n++) {
        unsigned x = n & 1, y = n >> 1 & 1, z = n >> 2;
        double weight = (x ? p->axis[0].weight : 1 - p->axis[0].weight) * (y ? p->axis[1].weight : 1 - p->axis[1].weight) *
                        (z ? p->axis[2].weight : 1 - p->axis[2].weight);
        if (weight == 0) continue;
        if (!corner(w, s, p, x, y, z, value)) return false;
        if (nearest) return true; /* whatever the format: integers, NaNs */
        for (unsigned i = 0; i < 4; i++) sum[i] += weight * (double)f32_host(value[i]);
    }
    for (unsigned i = 0; i < 4; i++) value[i] = f32_bits((float)sum[i]);
    return true;
}

/* One component of four neighbours: lower left, lower right, upper right, upper left. */
static bool gather_point(ez_wave *w, const ez_step *s, const image_sample *p, unsigned mask, uint32_t result[4]) {
    static const uint8_t x[4] = {0, 1, 1, 0}, y[4] = {1, 1, 0, 0};
    for (unsigned n = 0; n < 4; n++) {
        uint32_t value[4], chosen[4];
        if (!corner(w, s, p, x[n], y[n], 0, value)) return false;
        choose(p->m, value, chosen);
        result[n] = chosen[__builtin_ctz(mask)];
    }
    return true;
}

static image_sample place_sample(const ez_image *m, const ez_sampler *sampler, const image_coordinates *c, unsigned lane, bool gathers) {
    image_sample p = {.m = m, .sampler = sampler, .reference = c->reference, .lane = lane};
    for (unsigned n = 0; n < 3; n++) {
        if (!c->row[n]) continue;
        uint32_t bits = c->row[n][lane];
        float at = f32_host(c->half ? f16_widen(bits >> c->shift[n] & 0xffff) : bits);
        int32_t by = texel_offset(c->offset, lane, n);
        if (n == 2 && m->array) {
            p.axis[n].at[0] = slice_of(at, m->size[n]);
            continue;
        }
        at += sampler->unnormalized ? (float)by : 0;
        if (by && !sampler->unnormalized) at = (float)((double)at + (double)by / m->size[n]);
        p.axis[n] = ez_image_axis(at, m->size[n], sampler, n, gathers || (n < 2 ? sampler->linear : sampler->linear_z));
    }
    return p;
}

static void do_sample(ez_wave *w, const ez_step *s) {
    image_access a = image_access_of(s);
    ez_image m;
    ez_sampler sampler;
    image_coordinates c;
    if (!read_image(w, s, &a, &m) || !coordinate_rows(w, s, &m, &c)) return;
    if (!m.texel.bytes) {
        static const uint32_t none[4];
        for (uint64_t left = ez_exec(w); left; left &= left - 1) write_result(w, s, &a, &m, ez_first_lane(left), none);
        return;
    }
    const char *lacks = ez_sampler_read(w->sgpr + s->src[a.sampler].index, &sampler);
    if (!lacks && ez_texel_is_integer(&m.texel) && !a.gathers && (sampler.linear || (m.dimensions == 3 && sampler.linear_z)))
        lacks = "linear filtering of integers";
    bool comparable = m.texel.components == 1 && (m.texel.number == EZ_NUMBER_UNORM || m.texel.number == EZ_NUMBER_FLOAT);
    if (!lacks && c.reference && !comparable) lacks = "a comparison with elements that are no depths";
    if (!lacks && ez_get(s->inst, EZ_F_unorm)) sampler.unnormalized = true;
    if (lacks) {
        ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, lacks);
        return;
    }
    for (uint64_t left = ez_exec(w); left; left &= left - 1) {
        unsigned lane = ez_first_lane(left);
        uint32_t value[4] = {0}, chosen[4];
        image_sample p = place_sample(&m, &sampler, &c, lane, a.gathers);
        if (a.gathers ? !gather_point(w, s, &p, a.mask, chosen) : !sample_point(w, s, &p, value)) return;
        if (!a.gathers) choose(&m, value, chosen);
        write_result(w, s, &a, &m, lane, chosen);
    }
}

/* ---- what leaves a result says at its end whether pages were missing ---- */

#define IMAGE_STEP(NAME)                                       \
    void ez_step_image_##NAME(ez_wave *w, const ez_step *s) {  \
        do_##NAME(w, s);                                       \
        ez_report_residency(w, s);                             \
    }
IMAGE_STEP(load)
IMAGE_STEP(load_raw)
IMAGE_STEP(resinfo)
IMAGE_STEP(sample)
