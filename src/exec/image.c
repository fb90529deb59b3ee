/* SPDX-License-Identifier: Apache-2.0 */
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

/* Codes of formats up to the buffers' last are those of buffers. */
static bool read_format(const ez_target *t, const uint32_t *word, bool unified, ez_texel *f) {
    enum { SRGB = 9 };
    if (unified) return ez_texel_parse(ez_symbol_name(t, EZ_SYM_ufmt, field(word, 52, 9)), NULL, f);
    uint32_t number = field(word, 58, 4);
    return ez_texel_parse(ez_symbol_name(t, EZ_SYM_dfmt, field(word, 52, 6)),
                          number == SRGB ? "SRGB" : number < 8 ? ez_symbol_name(t, EZ_SYM_nfmt, number) : "", f);
}

/* [Vega] 8.2.5: width in 77:64, pitch in 156:141; [RDNA1] 8.2.5: width in 75:62, no pitch: rows begin at multiples of 256 bytes. */
const char *ez_image_read(const ez_target *t, const uint32_t *word, int dim, bool slices, ez_image *m) {
    if (!ez_has(t, EZ_HAS_image_linear)) return "images of this target";
    bool unified = ez_symbol_name(t, EZ_SYM_ufmt, 1);
    if (!read_format(t, word, unified, &m->texel) || m->texel.bytes == 12) return "a format of images";
    if (field(word, 116, 5)) return "images that are not linear";
    if (field(word, 108, 4) != field(word, 112, 4)) return "images of several levels";
    if (dim < 0) dim = dim_of_type(field(word, 124, 4), slices);
    if (dim == EZ_DIM_CUBE || dim > EZ_DIM_2D_ARRAY) return "cubes and images of several samples";
    m->base = (field(word, 0, 32) | (uint64_t)field(word, 32, 8) << 32) << 8;
    m->array = dim == EZ_DIM_1D_ARRAY || dim == EZ_DIM_2D_ARRAY;
    m->dimensions = dim == EZ_DIM_3D ? 3 : dim == EZ_DIM_1D || dim == EZ_DIM_1D_ARRAY ? 1 : 2;
    m->size[0] = 1 + (unified ? field(word, 62, 2) | field(word, 64, 12) << 2 : field(word, 64, 14));
    m->size[1] = m->dimensions > 1 ? 1 + field(word, 78, 14) : 1;
    m->size[2] = m->dimensions > 2 || m->array ? 1 + field(word, 128, 13) : 1;
    m->pitch = unified ? (m->size[0] * m->texel.bytes + 255) / 256 * 256 / m->texel.bytes : 1 + field(word, 141, 16);
    uint32_t first = unified ? field(word, 144, 13) : field(word, 160, 13);
    if (m->array && first) {
        if (first >= m->size[2]) return "images without a slice";
        m->base += (uint64_t)first * m->size[1] * m->pitch * m->texel.bytes;
        m->size[2] -= first;
    }
    for (unsigned n = 0; n < 4; n++) m->select[n] = (uint8_t)field(word, 96 + 3 * n, 3);
    return NULL;
}

/* ---- samplers ---- */

enum { CLAMP_WRAP, CLAMP_MIRROR, CLAMP_LAST, CLAMP_MIRROR_ONCE, CLAMP_BORDER = 6 };
enum { FILTER_POINT, FILTER_LINEAR, Z_LINEAR = 2 };

const char *ez_sampler_read(const uint32_t *word, ez_sampler *s) {
    uint32_t magnify = field(word, 84, 2), shrink = field(word, 86, 2), z = field(word, 88, 2), border = field(word, 126, 2);
    for (unsigned n = 0; n < 3; n++) {
        s->clamp[n] = (uint8_t)field(word, 3 * n, 3);
        if (s->clamp[n] > CLAMP_MIRROR_ONCE && s->clamp[n] != CLAMP_BORDER) return "a clamp mode of samplers";
    }
    if (magnify != shrink || magnify > FILTER_LINEAR) return "filters that depend on the level of detail";
    if (border > 2) return "border colours from a table";
    s->unnormalized = field(word, 15, 1);
    s->linear = magnify == FILTER_LINEAR;
    s->linear_z = z ? z == Z_LINEAR : s->linear;
    s->border = border == 2 ? 0x3f800000 : 0;
    s->border_w = border ? 0x3f800000 : 0;
    return NULL;
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
