/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Images and samplers. A handle is the address of memory that begins with the resource or sampler as instructions take
 * it, for clients copy it from there. 1DB images are buffers of elements; the others are linear, with rows as the
 * target's resources have them. What the instructions of a target cannot do (GFX940 on: all but buffers) has no format here.
 */
#include "device/device_internal.h"
#include "exec/image.h"
#include "hsa/loader.h"

#include <string.h>

enum { RESOURCE_DWORDS = 12, IMAGE_MAGIC = 0x6d697a65, SAMPLER_MAGIC = 0x73707a65, DATA_ALIGNMENT = 256 };

typedef struct image {
    uint32_t
        resource[RESOURCE_DWORDS]; /* first; behind eight for instructions what ROCm's device library reads */
    uint32_t magic;
    const ez_agent *agent;
    ez_image shape;
    uint8_t *data;
    size_t row, slice; /* bytes */
} image;

typedef struct sampler {
    uint32_t words[8]; /* first; four are used */
    uint32_t magic;
} sampler;

/* ---- formats ---- */

/* Components in memory, and where R, G, B and A come from: 0, 1, or 4 to 7 for the first to the fourth. */
typedef struct order {
    uint8_t components, select[4];
} order;
static const order orders[] = {
    [HSA_EXT_IMAGE_CHANNEL_ORDER_A] = {1, {0, 0, 0, 4}},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_R] = {1, {4, 0, 0, 1}},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_RG] = {2, {4, 5, 0, 1}},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_RA] = {2, {4, 0, 0, 5}},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA] = {4, {4, 5, 6, 7}},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA] = {4, {6, 5, 4, 7}},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_ARGB] = {4, {5, 6, 7, 4}},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_ABGR] = {4, {7, 6, 5, 4}},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA] = {4, {4, 5, 6, 7}},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_SBGRA] = {4, {6, 5, 4, 7}},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_INTENSITY] = {1, {4, 4, 4, 4}},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_LUMINANCE] = {1, {4, 4, 4, 1}},
    [HSA_EXT_IMAGE_CHANNEL_ORDER_DEPTH] = {1, {4, 0, 0, 1}},
};

static const struct channel {
    uint8_t bits, number;
} channels[] = {
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8] = {8, EZ_NUMBER_SNORM},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16] = {16, EZ_NUMBER_SNORM},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8] = {8, EZ_NUMBER_UNORM},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT16] = {16, EZ_NUMBER_UNORM},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8] = {8, EZ_NUMBER_SINT},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT16] = {16, EZ_NUMBER_SINT},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT32] = {32, EZ_NUMBER_SINT},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8] = {8, EZ_NUMBER_UINT},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT16] = {16, EZ_NUMBER_UINT},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT32] = {32, EZ_NUMBER_UINT},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT] = {16, EZ_NUMBER_FLOAT},
    [HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT] = {32, EZ_NUMBER_FLOAT},
};

/* Format and geometry of an image, without its sizes. False: there is none such. */
static bool shape_of(const hsa_ext_image_format_t *f, uint32_t geometry, ez_image *m) {
    uint32_t o = f->channel_order, c = f->channel_type;
    *m = (ez_image){.dimensions = 1};
    if (o >= sizeof orders / sizeof *orders || !orders[o].components) return false;
    if (c >= sizeof channels / sizeof *channels || !channels[c].bits) return false;
    bool srgb = o == HSA_EXT_IMAGE_CHANNEL_ORDER_SRGBA || o == HSA_EXT_IMAGE_CHANNEL_ORDER_SBGRA;
    if (srgb && c != HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8) return false;
    memcpy(m->select, orders[o].select, sizeof m->select);
    m->texel.components = orders[o].components;
    m->texel.number = srgb ? EZ_NUMBER_SRGB : channels[c].number;
    m->texel.bytes = (uint8_t)(orders[o].components * channels[c].bits / 8);
    for (unsigned n = 0; n < orders[o].components; n++) {
        m->texel.bits[n] = channels[c].bits;
        m->texel.at[n] = (uint8_t)(n * channels[c].bits);
    }
    m->array = geometry == HSA_EXT_IMAGE_GEOMETRY_1DA || geometry == HSA_EXT_IMAGE_GEOMETRY_2DA ||
               geometry == HSA_EXT_IMAGE_GEOMETRY_2DADEPTH;
    bool line = geometry == HSA_EXT_IMAGE_GEOMETRY_1D || geometry == HSA_EXT_IMAGE_GEOMETRY_1DA ||
                geometry == HSA_EXT_IMAGE_GEOMETRY_1DB;
    m->dimensions = geometry == HSA_EXT_IMAGE_GEOMETRY_3D ? 3 : line ? 1 : 2;
    return geometry <= HSA_EXT_IMAGE_GEOMETRY_2DADEPTH;
}

/* ---- sizes ---- */

static uint32_t at_least_1(size_t n) {
    return n ? (uint32_t)n : 1;
}

static hsa_status_t lay_out_buffer(const ez_agent *agent, size_t width, uint64_t base, image *out) {
    ez_image *m = &out->shape;
    if (!width || width > UINT32_MAX) return (hsa_status_t)HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED;
    m->size[0] = (uint32_t)width;
    m->size[1] = m->size[2] = 1;
    out->agent = agent;
    out->row = out->slice = width * m->texel.bytes;
    if (ez_buffer_write(agent->target, base, m->size[0], &m->texel, m->select, out->resource))
        return HSA_STATUS_SUCCESS;
    bool sizes = ez_buffer_write(agent->target, base, 1, &m->texel, m->select, out->resource);
    return (hsa_status_t)(sizes ? HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED
                                : HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);
}

/* Sizes, pitch and resource of a described image whose data are at `base`. A pitch of 0 is the target's own. */
static hsa_status_t lay_out(const ez_agent *agent, const hsa_ext_image_descriptor_t *d, const void *base,
                            size_t row, size_t slice, image *out) {
    ez_image *m = &out->shape;
    if (!shape_of(&d->format, (uint32_t)d->geometry, m))
        return (hsa_status_t)HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED;
    if (d->geometry == HSA_EXT_IMAGE_GEOMETRY_1DB)
        return lay_out_buffer(agent, d->width, (uint64_t)(uintptr_t)base, out);
    if (!d->width || d->width > UINT16_MAX + 1 || d->height > UINT16_MAX + 1 || d->depth > UINT16_MAX + 1 ||
        d->array_size > UINT16_MAX + 1)
        return (hsa_status_t)HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED;
    m->size[0] = (uint32_t)d->width;
    m->size[1] = m->dimensions > 1 ? at_least_1(d->height) : 1;
    m->size[2] = m->array ? at_least_1(d->array_size) : m->dimensions > 2 ? at_least_1(d->depth) : 1;
    uint32_t bytes = m->texel.bytes;
    if (!row) row = ez_image_row_bytes(agent->target, m->size[0] * bytes);
    if (row % bytes || row < (size_t)m->size[0] * bytes || row / bytes > UINT32_MAX ||
        (slice && slice != row * m->size[1]))
        return (hsa_status_t)HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED;
    m->pitch = (uint32_t)(row / bytes);
    m->base = (uint64_t)(uintptr_t)base;
    out->agent = agent;
    out->row = row;
    out->slice = row * m->size[1];
    ez_image usual = *m;
    usual.pitch = ez_image_row_bytes(agent->target, m->size[0] * bytes) / bytes;
    if (ez_image_write(agent->target, m, out->resource)) return HSA_STATUS_SUCCESS;
    if (ez_image_write(agent->target, &usual, out->resource))
        return (hsa_status_t)HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED;
    usual.size[0] = usual.size[1] = usual.size[2] = 1;
    usual.pitch = ez_image_row_bytes(agent->target, bytes) / bytes;
    return (hsa_status_t)(ez_image_write(agent->target, &usual, out->resource)
                              ? HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED
                              : HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);
}

/* Whether the target has images of this format at all, tried with one element. */
static bool has_format(const ez_agent *agent, uint32_t geometry, const hsa_ext_image_format_t *format) {
    image one = {.magic = 0};
    hsa_ext_image_descriptor_t d = {(hsa_ext_image_geometry_t)geometry, 1, 1, 1, 1, *format};
    return agent->target && lay_out(agent, &d, NULL, 0, 0, &one) == HSA_STATUS_SUCCESS;
}

/* ---- what there is ---- */

hsa_status_t hsa_ext_image_get_capability(hsa_agent_t handle, hsa_ext_image_geometry_t geometry,
                                          const hsa_ext_image_format_t *format, uint32_t *mask) {
    EZ_NEED_INIT();
    const ez_agent *agent = ez_agent_of(handle);
    if (!agent) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!format || !mask) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *mask = HSA_EXT_IMAGE_CAPABILITY_NOT_SUPPORTED;
    if (!has_format(agent, (uint32_t)geometry, format)) return HSA_STATUS_SUCCESS;
    static const uint8_t straight[4] = {4, 5, 6, 7};
    const order *o = &orders[format->channel_order];
    *mask = HSA_EXT_IMAGE_CAPABILITY_READ_ONLY | HSA_EXT_IMAGE_CAPABILITY_ACCESS_INVARIANT_DATA_LAYOUT;
    /* Components are stored in the order in which they lie. */
    if (!memcmp(o->select, straight, o->components))
        *mask |= HSA_EXT_IMAGE_CAPABILITY_WRITE_ONLY | HSA_EXT_IMAGE_CAPABILITY_READ_WRITE;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ext_image_get_capability_with_layout(hsa_agent_t agent, hsa_ext_image_geometry_t geometry,
                                                      const hsa_ext_image_format_t *format,
                                                      hsa_ext_image_data_layout_t layout, uint32_t *mask) {
    if (layout != HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return hsa_ext_image_get_capability(agent, geometry, format, mask);
}

hsa_status_t hsa_amd_image_get_info_max_dim(hsa_agent_t agent, hsa_agent_info_t attribute, void *value) {
    if ((uint32_t)attribute < HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS ||
        (uint32_t)attribute > HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return hsa_agent_get_info(agent, attribute, value);
}

hsa_status_t hsa_ext_image_data_get_info_with_layout(hsa_agent_t handle, const hsa_ext_image_descriptor_t *d,
                                                     hsa_access_permission_t access,
                                                     hsa_ext_image_data_layout_t layout, size_t row,
                                                     size_t slice, hsa_ext_image_data_info_t *info) {
    EZ_NEED_INIT();
    (void)access;
    const ez_agent *agent = ez_agent_of(handle);
    if (!agent || !agent->target) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!d || !info || layout > HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    image m = {.magic = 0};
    hsa_status_t status = lay_out(agent, d, NULL, row, slice, &m);
    if (status == HSA_STATUS_SUCCESS)
        *info = (hsa_ext_image_data_info_t){m.slice * m.shape.size[2], DATA_ALIGNMENT};
    return status;
}

hsa_status_t hsa_ext_image_data_get_info(hsa_agent_t agent, const hsa_ext_image_descriptor_t *d,
                                         hsa_access_permission_t access, hsa_ext_image_data_info_t *info) {
    return hsa_ext_image_data_get_info_with_layout(agent, d, access, HSA_EXT_IMAGE_DATA_LAYOUT_OPAQUE, 0, 0,
                                                   info);
}

/* ---- objects ---- */

/* Memory for a handle, which kernels can read: clients give them its address. */
static void *new_object(size_t size) {
    ez_block *block;
    if (ez_block_new(&ez_rt.agent[0].pool[0], size, UINT32_MAX, &block) != HSA_STATUS_SUCCESS) return NULL;
    return block->base;
}

/* Whether an object of that size begins at the handle. */
static bool is_object(uint64_t handle, size_t size) {
    pthread_mutex_lock(&ez_rt.memory_lock);
    const ez_block *b = handle ? ez_block_find((const void *)(uintptr_t)handle) : NULL;
    bool found = b && (uint64_t)(uintptr_t)b->base == handle && b->size == size;
    pthread_mutex_unlock(&ez_rt.memory_lock);
    return found;
}

static image *image_of(hsa_ext_image_t handle) {
    image *m = (image *)(uintptr_t)handle.handle;
    return is_object(handle.handle, sizeof *m) && m->magic == IMAGE_MAGIC ? m : NULL;
}

hsa_status_t hsa_ext_image_create_with_layout(hsa_agent_t handle, const hsa_ext_image_descriptor_t *d,
                                              const void *data, hsa_access_permission_t access,
                                              hsa_ext_image_data_layout_t layout, size_t row, size_t slice,
                                              hsa_ext_image_t *out) {
    EZ_NEED_INIT();
    (void)access;
    const ez_agent *agent = ez_agent_of(handle);
    if (!agent || !agent->target) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!d || !data || !out || (uintptr_t)data % DATA_ALIGNMENT || layout > HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    image m = {.magic = IMAGE_MAGIC, .data = ez_host_address(data)};
    hsa_status_t status = lay_out(agent, d, data, row, slice, &m);
    if (status != HSA_STATUS_SUCCESS) return status;
    m.resource[8] = d->format.channel_type;
    m.resource[9] = d->format.channel_order;
    m.resource[10] = m.shape.size[0];
    image *object = new_object(sizeof *object);
    if (!object) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *object = m;
    out->handle = (uint64_t)(uintptr_t)object;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ext_image_create(hsa_agent_t agent, const hsa_ext_image_descriptor_t *d, const void *data,
                                  hsa_access_permission_t access, hsa_ext_image_t *out) {
    return hsa_ext_image_create_with_layout(agent, d, data, access, HSA_EXT_IMAGE_DATA_LAYOUT_OPAQUE, 0, 0,
                                            out);
}

hsa_status_t hsa_ext_image_destroy(hsa_agent_t agent, hsa_ext_image_t handle) {
    EZ_NEED_INIT();
    if (!ez_agent_of(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!image_of(handle)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    ez_block_free((const void *)(uintptr_t)handle.handle);
    return HSA_STATUS_SUCCESS;
}

/* ---- the contents ---- */

/* A part of an image: where it begins, and its bytes in a row, rows and slices. The second coordinate of 1D arrays is the slice. */
typedef struct part {
    uint8_t *data;
    size_t bytes, rows, slices;
} part;

static bool part_of(const image *m, const hsa_dim3_t *offset, const hsa_dim3_t *range, part *p) {
    const ez_image *s = &m->shape;
    bool lines = s->array && s->dimensions == 1;
    uint32_t at[3] = {offset->x, lines ? 0 : offset->y, lines ? offset->y : offset->z};
    uint32_t size[3] = {range->x, lines ? 1 : range->y, lines ? range->y : range->z};
    for (unsigned n = 0; n < 3; n++) {
        if (!size[n]) size[n] = 1;
        if (at[n] >= s->size[n] || size[n] > s->size[n] - at[n]) return false;
    }
    *p = (part){m->data + at[2] * m->slice + at[1] * m->row + (size_t)at[0] * s->texel.bytes,
                (size_t)size[0] * s->texel.bytes, size[1], size[2]};
    return true;
}

static void copy_rows(uint8_t *to, size_t to_row, size_t to_slice, const uint8_t *from, size_t from_row,
                      size_t from_slice, const part *p) {
    for (size_t z = 0; z < p->slices; z++)
        for (size_t y = 0; y < p->rows; y++)
            memmove(to + z * to_slice + y * to_row, from + z * from_slice + y * from_row, p->bytes);
}

/* The pitches of memory that a client describes: 0 is without gaps. */
static void settle_pitches(const part *p, size_t *row, size_t *slice) {
    if (*row < p->bytes) *row = p->bytes;
    if (*slice < *row * p->rows) *slice = *row * p->rows;
}

hsa_status_t hsa_ext_image_import(hsa_agent_t agent, const void *from, size_t row, size_t slice,
                                  hsa_ext_image_t handle, const hsa_ext_image_region_t *region) {
    EZ_NEED_INIT();
    if (!ez_agent_of(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    const image *m = image_of(handle);
    part p;
    if (!m || !from || !region || !part_of(m, &region->offset, &region->range, &p))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    settle_pitches(&p, &row, &slice);
    copy_rows(p.data, m->row, m->slice, ez_host_address(from), row, slice, &p);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ext_image_export(hsa_agent_t agent, hsa_ext_image_t handle, void *to, size_t row,
                                  size_t slice, const hsa_ext_image_region_t *region) {
    EZ_NEED_INIT();
    if (!ez_agent_of(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    const image *m = image_of(handle);
    part p;
    if (!m || !to || !region || !part_of(m, &region->offset, &region->range, &p))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    settle_pitches(&p, &row, &slice);
    copy_rows(ez_host_address(to), row, slice, p.data, m->row, m->slice, &p);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ext_image_copy(hsa_agent_t agent, hsa_ext_image_t from, const hsa_dim3_t *from_offset,
                                hsa_ext_image_t to, const hsa_dim3_t *to_offset, const hsa_dim3_t *range) {
    EZ_NEED_INIT();
    if (!ez_agent_of(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    const image *a = image_of(from), *b = image_of(to);
    part source, target;
    if (!a || !b || !from_offset || !to_offset || !range || a->shape.texel.bytes != b->shape.texel.bytes ||
        !part_of(a, from_offset, range, &source) || !part_of(b, to_offset, range, &target))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (source.rows != target.rows || source.slices != target.slices)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    copy_rows(target.data, b->row, b->slice, source.data, a->row, a->slice, &target);
    return HSA_STATUS_SUCCESS;
}

/* `data`: four floats or, of integer formats, four 32-bit integers, as R, G, B and A. */
hsa_status_t hsa_ext_image_clear(hsa_agent_t agent, hsa_ext_image_t handle, const void *data,
                                 const hsa_ext_image_region_t *region) {
    EZ_NEED_INIT();
    if (!ez_agent_of(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    const image *m = image_of(handle);
    part p;
    if (!m || !data || !region || !part_of(m, &region->offset, &region->range, &p))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint32_t color[4], memory[4] = {0};
    uint8_t element[16];
    memcpy(color, data, sizeof color);
    for (unsigned n = 4; n-- > 0;)
        if (m->shape.select[n] >= 4) memory[m->shape.select[n] - 4] = color[n];
    ez_texel_store(&m->shape.texel, memory, element);
    for (size_t z = 0; z < p.slices; z++)
        for (size_t y = 0; y < p.rows; y++)
            for (size_t x = 0; x < p.bytes; x += m->shape.texel.bytes)
                memcpy(p.data + z * m->slice + y * m->row + x, element, m->shape.texel.bytes);
    return HSA_STATUS_SUCCESS;
}

/* ---- samplers ---- */

hsa_status_t hsa_ext_sampler_create(hsa_agent_t agent, const hsa_ext_sampler_descriptor_t *d,
                                    hsa_ext_sampler_t *out) {
    EZ_NEED_INIT();
    static const uint8_t clamps[] = {[HSA_EXT_SAMPLER_ADDRESSING_MODE_UNDEFINED] = EZ_CLAMP_LAST,
                                     [HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE] = EZ_CLAMP_LAST,
                                     [HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_BORDER] = EZ_CLAMP_BORDER,
                                     [HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT] = EZ_CLAMP_WRAP,
                                     [HSA_EXT_SAMPLER_ADDRESSING_MODE_MIRRORED_REPEAT] = EZ_CLAMP_MIRROR};
    if (!ez_agent_of(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!d || !out || (unsigned)d->address_mode >= sizeof clamps || (unsigned)d->filter_mode > 1 ||
        (unsigned)d->coordinate_mode > 1)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    uint8_t clamp = clamps[d->address_mode];
    bool linear = d->filter_mode == HSA_EXT_SAMPLER_FILTER_MODE_LINEAR;
    ez_sampler s = {.clamp = {clamp, clamp, clamp},
                    .unnormalized = d->coordinate_mode == HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED,
                    .linear = linear,
                    .linear_z = linear};
    sampler *object = new_object(sizeof *object);
    if (!object) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *object = (sampler){.magic = SAMPLER_MAGIC};
    ez_sampler_write(&s, object->words);
    out->handle = (uint64_t)(uintptr_t)object;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_ext_sampler_destroy(hsa_agent_t agent, hsa_ext_sampler_t handle) {
    EZ_NEED_INIT();
    if (!ez_agent_of(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
    const sampler *s = (const sampler *)(uintptr_t)handle.handle;
    if (!is_object(handle.handle, sizeof *s) || s->magic != SAMPLER_MAGIC)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    ez_block_free(s);
    return HSA_STATUS_SUCCESS;
}

/* ---- the extension's table ---- */

const hsa_ext_images_1_pfn_t ez_image_table = {
    .hsa_ext_image_get_capability = hsa_ext_image_get_capability,
    .hsa_ext_image_data_get_info = hsa_ext_image_data_get_info,
    .hsa_ext_image_create = hsa_ext_image_create,
    .hsa_ext_image_destroy = hsa_ext_image_destroy,
    .hsa_ext_image_copy = hsa_ext_image_copy,
    .hsa_ext_image_import = hsa_ext_image_import,
    .hsa_ext_image_export = hsa_ext_image_export,
    .hsa_ext_image_clear = hsa_ext_image_clear,
    .hsa_ext_sampler_create = hsa_ext_sampler_create,
    .hsa_ext_sampler_destroy = hsa_ext_sampler_destroy,
    .hsa_ext_image_get_capability_with_layout = hsa_ext_image_get_capability_with_layout,
    .hsa_ext_image_data_get_info_with_layout = hsa_ext_image_data_get_info_with_layout,
    .hsa_ext_image_create_with_layout = hsa_ext_image_create_with_layout};
