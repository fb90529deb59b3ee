/* SPDX-License-Identifier: Apache-2.0 */
#include "bits.h"
#include "image.h"

#include <math.h>

/* ---- resources ---- */

static uint32_t field(const uint32_t *word, unsigned at, unsigned bits) {
    return word[at / 32] >> (at % 32) & (uint32_t)((UINT64_C(1) << bits) - 1);
}

/* Types of resources, as their bits 127:124 tell. */
enum { TYPE_1D = 8, TYPE_2D, TYPE_3D, TYPE_CUBE, TYPE_1D_ARRAY, TYPE_2D_ARRAY };

static int dim_of_type(uint32_t type, bool slices) {
    switch (type) {
    case TYPE_1D: return EZ_DIM_1D;
    case TYPE_2D: return EZ_DIM_2D;
    case TYPE_3D: return EZ_DIM_3D;
    case TYPE_1D_ARRAY: return slices ? EZ_DIM_1D_ARRAY : EZ_DIM_1D;
    case TYPE_2D_ARRAY: return slices ? EZ_DIM_2D_ARRAY : EZ_DIM_2D;
    default: return EZ_DIM_CUBE;
    }
}

typedef struct bit_field {
    uint8_t at, bits;
} bit_field;

/* Where the generations have what they all have. */
typedef struct resource_fields {
    bit_field format, width, height, depth, pitch, base_level, last_level, first_slice;
    uint16_t row_bytes;   /* rows begin at multiples of it where there is no pitch */
    bit_field last_slice; /* of arrays, where the depth is of volumes alone */
    uint8_t linear;       /* what bits 120:116 are of linear images */
} resource_fields;

/* [GCN3] 8.2.4, whose tiling index is that of the Linux drivers' table; [Vega] 8.2.5; [RDNA1] 8.2.5; GFX10.3 and later as the Linux
 * drivers' register tables have them. */
static const resource_fields of_gfx8 = {{52, 6}, {64, 14}, {78, 14}, {128, 13}, {141, 14}, {108, 4}, {112, 4}, {160, 13}, 0, {173, 13}, 8};
static const resource_fields of_gfx9 = {{52, 6}, {64, 14}, {78, 14}, {128, 13}, {141, 16}, {108, 4}, {112, 4}, {160, 13}, 0, {0, 0}, 0};
static const resource_fields of_gfx10 = {{52, 9}, {62, 14}, {78, 14}, {128, 13}, {0, 0}, {108, 4}, {112, 4}, {144, 13}, 256, {0, 0}, 0};
static const resource_fields of_gfx10_3 = {{52, 9}, {62, 14}, {78, 14}, {128, 13}, {128, 15}, {108, 4}, {112, 4}, {144, 13}, 256, {0, 0}, 0};
static const resource_fields of_gfx12 = {{49, 8}, {62, 16}, {78, 16}, {128, 14}, {128, 16}, {57, 5}, {111, 5}, {144, 14}, 128, {0, 0}, 0};

static uint32_t part(const uint32_t *word, bit_field f) { return f.bits ? ez_get_bits(word, f.at, f.bits) : 0; }

static const resource_fields *fields_of(const ez_target *t) {
    if (ez_has(t, EZ_HAS_image_tile_index)) return &of_gfx8;
    if (!ez_symbol_name(t, EZ_SYM_ufmt, 1)) return &of_gfx9;
    if (ez_has(t, EZ_HAS_image_width_16)) return &of_gfx12;
    return ez_has(t, EZ_HAS_image_pitch) ? &of_gfx10_3 : &of_gfx10;
}

/* Formats in two parts, and always a pitch. */
static bool is_older(const resource_fields *at) { return at == &of_gfx8 || at == &of_gfx9; }

/* The formats that images alone have, from code 128 on or, on GFX11 and later, without the fourth, from 64 on: resource_nv.h and
 * resource_gfx11.h of AMD's ROCr. */
static const char *own_format(const ez_target *t, uint32_t code) {
    static const char *const names[] = {"8_SRGB",  "8_8_SRGB",  "8_8_8_8_SRGB",  NULL /* 6E4_FLOAT */, NULL /* 5_9_9_9_FLOAT */,
                                        "5_6_5_UNORM", "1_5_5_5_UNORM", "5_5_5_1_UNORM", "4_4_4_4_UNORM"};
    bool later = !ez_symbol_name(t, EZ_SYM_ufmt, 64);
    uint32_t n = code - (later ? 64 : 128);
    n += later && n >= 3;
    return n < sizeof names / sizeof *names ? names[n] : NULL;
}

/* Codes of formats up to the buffers' last are those of buffers. */
static bool read_format(const ez_target *t, const uint32_t *word, const resource_fields *at, ez_texel *f) {
    enum { SRGB = 9 };
    uint32_t code = part(word, at->format);
    if (!is_older(at)) {
        const char *name = ez_symbol_name(t, EZ_SYM_ufmt, code);
        return ez_texel_parse(name ? name : own_format(t, code), NULL, f);
    }
    uint32_t number = field(word, 58, 4);
    return ez_texel_parse(ez_symbol_name(t, EZ_SYM_dfmt, code),
                          number == SRGB ? "SRGB" : number < 8 ? ez_symbol_name(t, EZ_SYM_nfmt, number) : "", f);
}

/* GFX8 and GFX9 have a pitch; later images of one slice may have one, in place of the depth. */
static uint32_t read_pitch(const uint32_t *word, const resource_fields *at, bool flat, const ez_image *m) {
    uint32_t pitch = is_older(at) || flat ? part(word, at->pitch) : 0, align = at->row_bytes;
    if (pitch || !align) return 1 + pitch;
    return (m->size[0] * m->texel.bytes + align - 1) / align * align / m->texel.bytes;
}

const char *ez_image_read(const ez_target *t, const uint32_t *word, int dim, bool slices, ez_image *m) {
    if (!ez_has(t, EZ_HAS_image_linear)) return "images of this target";
    const resource_fields *at = fields_of(t);
    uint32_t type = field(word, 124, 4);
    bool flat = type == TYPE_1D || type == TYPE_2D;
    *m = (ez_image){.dimensions = 1};
    if (!part(word, at->format)) return NULL;
    if (!read_format(t, word, at, &m->texel) || m->texel.bytes == 12) return "a format of images";
    if (field(word, 116, 5) != at->linear) return "images that are not linear";
    if (part(word, at->base_level) != part(word, at->last_level)) return "images of several levels";
    if (dim < 0) dim = dim_of_type(type, slices);
    if (dim == EZ_DIM_CUBE || dim > EZ_DIM_2D_ARRAY) return "cubes and images of several samples";
    m->base = (field(word, 0, 32) | (uint64_t)field(word, 32, 8) << 32) << 8;
    m->array = dim == EZ_DIM_1D_ARRAY || dim == EZ_DIM_2D_ARRAY;
    m->dimensions = dim == EZ_DIM_3D ? 3 : dim == EZ_DIM_1D || dim == EZ_DIM_1D_ARRAY ? 1 : 2;
    m->size[0] = 1 + part(word, at->width);
    m->size[1] = m->dimensions > 1 ? 1 + part(word, at->height) : 1;
    bit_field slices_in = m->array && at->last_slice.bits ? at->last_slice : at->depth;
    m->size[2] = !flat && (m->dimensions > 2 || m->array) ? 1 + part(word, slices_in) : 1;
    m->pitch = read_pitch(word, at, flat, m);
    uint32_t first = part(word, at->first_slice);
    if (m->array && first) {
        if (first >= m->size[2]) return "images without a slice";
        m->base += (uint64_t)first * m->size[1] * m->pitch * m->texel.bytes;
        m->size[2] -= first;
    }
    for (unsigned n = 0; n < 4; n++) m->select[n] = (uint8_t)field(word, 96 + 3 * n, 3);
    return NULL;
}

/* ---- writing resources: what ez_image_read() reads again ---- */

static void put(uint32_t *word, bit_field f, uint32_t value) {
    if (f.bits) ez_put_bits(word, f.at, f.bits, value);
}

/* The first code of a format with these components. */
static bool write_format(const ez_target *t, const resource_fields *at, const ez_texel *wanted, uint32_t *word) {
    ez_texel f;
    for (uint32_t code = 1; code < UINT32_C(1) << at->format.bits; code++)
        for (uint32_t number = 0; number < (is_older(at) ? 16 : 1); number++) {
            put(word, at->format, code);
            if (is_older(at)) ez_put_bits(word, 58, 4, number);
            if (read_format(t, word, at, &f) && ez_texel_same(&f, wanted)) return true;
        }
    return false;
}

static uint32_t type_of(const ez_image *m) {
    if (m->dimensions == 3) return TYPE_3D;
    return m->dimensions == 2 ? (m->array ? TYPE_2D_ARRAY : TYPE_2D) : m->array ? TYPE_1D_ARRAY : TYPE_1D;
}

uint32_t ez_image_row_bytes(const ez_target *t, uint32_t bytes) {
    uint32_t align = fields_of(t)->row_bytes ? fields_of(t)->row_bytes : 256;
    return (bytes + align - 1) / align * align;
}

bool ez_image_write(const ez_target *t, const ez_image *m, uint32_t word[8]) {
    if (!ez_has(t, EZ_HAS_image_linear) || m->base & 0xff || m->base >> 48) return false;
    const resource_fields *at = fields_of(t);
    bool flat = !m->array && m->dimensions < 3;
    for (unsigned n = 0; n < 8; n++)
        word[n] = 0;
    if (!write_format(t, at, &m->texel, word)) return false;
    ez_put_bits(word, 0, 32, (uint32_t)(m->base >> 8));
    ez_put_bits(word, 32, 8, (uint32_t)(m->base >> 40));
    put(word, at->width, m->size[0] - 1);
    put(word, at->height, m->size[1] - 1);
    if (!flat) put(word, at->depth, m->size[2] - 1);
    if (m->array) put(word, at->last_slice, m->size[2] - 1);
    ez_put_bits(word, 116, 5, at->linear);
    if (is_older(at) || (flat && m->pitch * m->texel.bytes != ez_image_row_bytes(t, m->size[0] * m->texel.bytes)))
        put(word, at->pitch, m->pitch - 1);
    for (unsigned n = 0; n < 4; n++)
        ez_put_bits(word, 96 + 3 * n, 3, m->select[n]);
    ez_put_bits(word, 124, 4, type_of(m));
    ez_image again; /* sizes that the fields cannot hold come back as others */
    return !ez_image_read(t, word, -1, m->array, &again) && again.pitch == m->pitch && again.base == m->base &&
           again.size[0] == m->size[0] && again.size[1] == m->size[1] && again.size[2] == m->size[2];
}

/* ---- samplers ---- */

enum { CLAMP_WRAP = EZ_CLAMP_WRAP, CLAMP_MIRROR, CLAMP_LAST, CLAMP_MIRROR_ONCE, CLAMP_BORDER = EZ_CLAMP_BORDER };
enum { FILTER_POINT, FILTER_LINEAR, Z_POINT = 1, Z_LINEAR };

const char *ez_sampler_read(const uint32_t *word, ez_sampler *s) {
    uint32_t magnify = field(word, 84, 2), shrink = field(word, 86, 2), z = field(word, 88, 2), border = field(word, 126, 2);
    for (unsigned n = 0; n < 3; n++) {
        s->clamp[n] = (uint8_t)field(word, 3 * n, 3);
        if (s->clamp[n] > CLAMP_MIRROR_ONCE && s->clamp[n] != CLAMP_BORDER) return "a clamp mode of samplers";
    }
    if (magnify != shrink || magnify > FILTER_LINEAR) return "filters that depend on the level of detail";
    if (border > 2) return "border colours from a table";
    s->compare = (uint8_t)field(word, 12, 3);
    s->unnormalized = field(word, 15, 1);
    s->linear = magnify == FILTER_LINEAR;
    s->linear_z = z ? z == Z_LINEAR : s->linear;
    s->border = border == 2 ? 0x3f800000 : 0;
    s->border_w = border ? 0x3f800000 : 0;
    return NULL;
}

void ez_sampler_write(const ez_sampler *s, uint32_t word[4]) {
    for (unsigned n = 0; n < 4; n++)
        word[n] = 0;
    for (unsigned n = 0; n < 3; n++)
        ez_put_bits(word, 3 * n, 3, s->clamp[n]);
    ez_put_bits(word, 15, 1, s->unnormalized);
    ez_put_bits(word, 84, 2, s->linear);
    ez_put_bits(word, 86, 2, s->linear);
    ez_put_bits(word, 88, 2, s->linear_z ? Z_LINEAR : Z_POINT);
    ez_put_bits(word, 126, 2, s->border ? 2 : s->border_w ? 1 : 0);
}

int64_t ez_image_clamp(int64_t at, uint32_t size, unsigned mode) {
    int64_t last = (int64_t)size - 1, period = mode == CLAMP_MIRROR ? 2 * (int64_t)size : size;
    switch (mode) {
    case CLAMP_WRAP:
    case CLAMP_MIRROR:
        at = ((at % period) + period) % period;
        return at > last ? period - 1 - at : at;
    case CLAMP_MIRROR_ONCE: at = at < 0 ? -1 - at : at; break;
    case CLAMP_BORDER: return at < 0 || at > last ? -1 : at;
    default: break;
    }
    return at < 0 ? 0 : at > last ? last : at;
}

/* Weights have 8 bits of fraction. NaNs and what is far outside count as far outside. */
ez_axis ez_image_axis(float coordinate, uint32_t size, const ez_sampler *s, unsigned axis, bool linear) {
    const double far = 1 << 30;
    double x = s->unnormalized ? (double)coordinate : (double)coordinate * size;
    if (linear) x -= 0.5;
    x = x > far ? far : x >= -far ? x : -far;
    double low = floor(x), weight = linear ? floor((x - low) * 256 + 0.5) / 256 : 0;
    int64_t at = (int64_t)low;
    return (ez_axis){{ez_image_clamp(at, size, s->clamp[axis]), ez_image_clamp(at + 1, size, s->clamp[axis])}, weight};
}
