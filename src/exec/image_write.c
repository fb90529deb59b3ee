/* SPDX-License-Identifier: Apache-2.0 */
/* Resources of images and samplers from what they describe: the other way round than image.c, by the same fields. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "bits.h"
#include "execz/image.h"
#include "image.h"
#include "isa/error_internal.h"

static bool same_word(const char *a, const char *b, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!a[i] || toupper((unsigned char)a[i]) != toupper((unsigned char)b[i])) return false;
    return true;
}

/* The code of the name that is `prefix` and the word; 0: none. */
static unsigned code_of(const ez_target *t, unsigned kind, const char *prefix, const char *word,
                        size_t length, unsigned codes) {
    size_t before = strlen(prefix);
    for (unsigned code = 1; code < codes; code++) {
        const char *name = ez_symbol_name(t, kind, code);
        if (name && !strncmp(name, prefix, before) && strlen(name) == before + length &&
            same_word(name + before, word, length))
            return code;
    }
    return 0;
}

/* UNORM has the number 0. */
static int number_of(const ez_target *t, const char *word) {
    size_t length = strlen(word);
    if (length == 5 && same_word("UNORM", word, length)) return 0;
    unsigned code = code_of(t, EZ_SYM_nfmt, "BUF_NUM_FORMAT_", word, length, 8);
    return code ? (int)code : -1;
}

/* Puts the format where the target has it. */
static bool write_format(const ez_target *t, const ez_resource_fields *at, const char *format,
                         uint32_t *word) {
    const char *last = strrchr(format, '_');
    if (!last) return false;
    if (!at->unified) {
        unsigned data = code_of(t, EZ_SYM_dfmt, "BUF_DATA_FORMAT_", format, (size_t)(last - format), 16);
        int number = number_of(t, last + 1);
        ez_put_bits(word, at->format.at, at->format.bits, data);
        ez_put_bits(word, EZ_NUMBER_FIELD, 4, number < 0 ? 0 : (uint32_t)number);
        return data && number >= 0;
    }
    unsigned code = code_of(t, EZ_SYM_ufmt, "BUF_FMT_", format, strlen(format), 128);
    ez_put_bits(word, at->format.at, at->format.bits, code);
    return code;
}

static uint32_t extent(uint32_t size) {
    return size ? size : 1;
}

/* The resource without its address and pitch; its format, which gives the size of an element. */
static ez_status begin(const ez_target *t, const ez_image_desc *d, uint32_t *word, ez_texel *texel,
                       ez_error *err) {
    if (!t || !d || !d->format || d->dimensions < 1 || d->dimensions > 3 || (d->array && d->dimensions > 2))
        return ez_error_set(err, EZ_ERR_ARGUMENT, "an image has 1 to 3 dimensions, an array 1 or 2");
    if (!ez_has(t, EZ_HAS_image_linear))
        return ez_error_set(err, EZ_ERR_UNSUPPORTED, "images of %s are not published", ez_target_name(t));
    const ez_resource_fields *at = ez_resource_fields_of(t);
    memset(word, 0, 8 * sizeof *word);
    if (!write_format(t, at, d->format, word) || !ez_image_format(t, word, texel) || texel->bytes == 12)
        return ez_error_set(err, EZ_ERR_UNSUPPORTED, "%s has no images of the format %.40s",
                            ez_target_name(t), d->format);
    static const uint8_t types[] = {8, 9, 10}, arrays[] = {12, 13};
    uint32_t size[3] = {extent(d->size[0]), d->dimensions > 1 ? extent(d->size[1]) : 1,
                        d->dimensions > 2 || d->array ? extent(d->size[2]) : 1};
    const ez_bit_field where[3] = {at->width, at->height, at->depth};
    for (unsigned n = 0; n < 3; n++) {
        if ((size[n] - 1) >> where[n].bits)
            return ez_error_set(err, EZ_ERR_ARGUMENT,
                                "an image of %" PRIu32 " x %" PRIu32 " x %" PRIu32 " is too large", size[0],
                                size[1], size[2]);
        ez_put_bits(word, where[n].at, where[n].bits, size[n] - 1);
    }
    ez_put_bits(word, 96, 12, 4 | 5 << 3 | 6 << 6 | 7 << 9); /* X, Y, Z, W in order */
    ez_put_bits(word, 124, 4, d->array ? arrays[d->dimensions - 1] : types[d->dimensions - 1]);
    return EZ_OK;
}

ez_status ez_image_layout_of(const ez_target *t, const ez_image_desc *d, ez_image_layout *l, ez_error *err) {
    uint32_t word[8];
    ez_texel texel;
    enum { ROW = 256 }; /* what every generation's rows may begin at */
    ez_status status = begin(t, d, word, &texel, err);
    if (status != EZ_OK) return status;
    uint32_t align = ez_resource_fields_of(t)->row_bytes ? ez_resource_fields_of(t)->row_bytes : ROW;
    l->element = texel.bytes;
    l->row = (extent(d->size[0]) * texel.bytes + align - 1) / align * align;
    l->bytes = (uint64_t)l->row * (d->dimensions > 1 ? extent(d->size[1]) : 1) *
               (d->dimensions > 2 || d->array ? extent(d->size[2]) : 1);
    return EZ_OK;
}

ez_status ez_image_resource(const ez_target *t, const ez_image_desc *d, uint64_t address, uint32_t word[8],
                            ez_error *err) {
    ez_texel texel;
    ez_image_layout layout;
    ez_status status = begin(t, d, word, &texel, err);
    if (status == EZ_OK) status = ez_image_layout_of(t, d, &layout, err);
    if (status != EZ_OK) return status;
    if (address & 0xff || address >> 48)
        return ez_error_set(err, EZ_ERR_ARGUMENT, "an image is at a multiple of 256 below 2^48");
    ez_put_bits(word, 0, 32, (uint32_t)(address >> 8));
    ez_put_bits(word, 32, 8, (uint32_t)(address >> 40));
    const ez_resource_fields *at = ez_resource_fields_of(t);
    if (!at->row_bytes) ez_put_bits(word, at->pitch.at, at->pitch.bits, layout.row / layout.element - 1);
    return EZ_OK;
}

void ez_sampler_resource(ez_image_edge edge, bool normalized, bool linear, uint32_t word[4]) {
    static const uint8_t modes[] = {
        [EZ_EDGE_REPEAT] = 0, [EZ_EDGE_MIRROR] = 1, [EZ_EDGE_LAST] = 2, [EZ_EDGE_BORDER] = 6};
    memset(word, 0, 4 * sizeof *word);
    for (unsigned n = 0; n < 3; n++)
        ez_put_bits(word, 3 * n, 3, modes[edge]);
    ez_put_bits(word, 15, 1, !normalized);
    ez_put_bits(word, 84, 2, linear);
    ez_put_bits(word, 86, 2, linear);
}
