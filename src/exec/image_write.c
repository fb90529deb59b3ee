/* SPDX-License-Identifier: Apache-2.0 */
/* Resources of images and samplers by what they describe, for programs that call kernels: execz/image.h. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "execz/image.h"
#include "image.h"
#include "isa/error_internal.h"

static uint32_t extent(uint32_t size) {
    return size ? size : 1;
}

/* "8_8_8_8_UNORM" in any case, as the tables have it. */
static bool parse_format(const char *format, ez_texel *texel) {
    char name[64];
    size_t length = strlen(format);
    if (length >= sizeof name || !strchr(format, '_')) return false;
    for (size_t i = 0; i <= length; i++)
        name[i] = (char)toupper((unsigned char)format[i]);
    return ez_texel_parse(name, NULL, texel);
}

/* What the resource is made of, for memory at `base`. */
static ez_status describe(const ez_target *t, const ez_image_desc *d, uint64_t base, ez_image *m,
                          uint32_t word[8], ez_error *err) {
    if (!t || !d || !d->format || d->dimensions < 1 || d->dimensions > 3 || (d->array && d->dimensions > 2))
        return ez_error_set(err, EZ_ERR_ARGUMENT, "an image has 1 to 3 dimensions, an array 1 or 2");
    if (!ez_has(t, EZ_HAS_image_linear))
        return ez_error_set(err, EZ_ERR_UNSUPPORTED, "images of %s are not published", ez_target_name(t));
    if (base & 0xff || base >> 48)
        return ez_error_set(err, EZ_ERR_ARGUMENT, "an image is at a multiple of 256 below 2^48");
    *m = (ez_image){.base = base,
                    .size = {1, 1, 1},
                    .select = {4, 5, 6, 7},
                    .dimensions = (uint8_t)d->dimensions,
                    .array = d->array};
    if (!parse_format(d->format, &m->texel))
        return ez_error_set(err, EZ_ERR_UNSUPPORTED, "%s has no images of the format %.40s",
                            ez_target_name(t), d->format);
    ez_image one = *m; /* of one element: whether there are such at all */
    one.pitch = ez_image_row_bytes(t, m->texel.bytes) / m->texel.bytes;
    if (m->texel.bytes == 12 || !ez_image_write(t, &one, word))
        return ez_error_set(err, EZ_ERR_UNSUPPORTED, "%s has no images of the format %.40s",
                            ez_target_name(t), d->format);
    for (unsigned n = 0; n < d->dimensions; n++)
        m->size[n] = extent(d->size[n]);
    if (d->array) m->size[2] = extent(d->size[2]);
    bool fits = m->size[0] <= UINT16_MAX; /* rows have fewer than 2^32 bytes then */
    if (fits) m->pitch = ez_image_row_bytes(t, m->size[0] * m->texel.bytes) / m->texel.bytes;
    if (!fits || !ez_image_write(t, m, word))
        return ez_error_set(err, EZ_ERR_ARGUMENT,
                            "an image of %" PRIu32 " x %" PRIu32 " x %" PRIu32 " is too large", m->size[0],
                            m->size[1], m->size[2]);
    return EZ_OK;
}

ez_status ez_image_layout_of(const ez_target *t, const ez_image_desc *d, ez_image_layout *l, ez_error *err) {
    uint32_t word[8];
    ez_image m;
    ez_status status = describe(t, d, 0, &m, word, err);
    if (status != EZ_OK) return status;
    l->element = m.texel.bytes;
    l->row = m.pitch * m.texel.bytes;
    l->bytes = (uint64_t)l->row * m.size[1] * m.size[2];
    return EZ_OK;
}

ez_status ez_image_resource(const ez_target *t, const ez_image_desc *d, uint64_t address, uint32_t word[8],
                            ez_error *err) {
    ez_image m;
    return describe(t, d, address, &m, word, err);
}

void ez_sampler_resource(ez_image_edge edge, bool normalized, bool linear, uint32_t word[4]) {
    static const uint8_t modes[] = {[EZ_EDGE_REPEAT] = EZ_CLAMP_WRAP,
                                    [EZ_EDGE_MIRROR] = EZ_CLAMP_MIRROR,
                                    [EZ_EDGE_LAST] = EZ_CLAMP_LAST,
                                    [EZ_EDGE_BORDER] = EZ_CLAMP_BORDER};
    uint8_t mode = (unsigned)edge < sizeof modes ? modes[edge] : EZ_CLAMP_LAST;
    ez_sampler s = {
        .clamp = {mode, mode, mode}, .unnormalized = !normalized, .linear = linear, .linear_z = linear};
    ez_sampler_write(&s, word);
}
