/* SPDX-License-Identifier: Apache-2.0 */
#include "object_internal.h"

#include <inttypes.h>

/*
 * msgpack-c believes the counts that it reads: an array of 2^32 - 1 elements in a note of six
 * bytes asks for 100 GB. So the structure is walked first, when nothing is allocated and the place
 * of the trouble is known. Source of the format: msgpack specification, "Formats".
 */

/* What the first bytes of a value announce. */
typedef struct item {
    size_t head;       /* bytes of type and length */
    uint64_t payload;  /* bytes after them that are no values */
    uint64_t children; /* values after them */
    const char *what;
} item;

static uint64_t big_endian(const uint8_t *p, size_t bytes) {
    uint64_t v = 0;
    while (bytes--)
        v = v << 8 | *p++;
    return v;
}

/* False: a byte that msgpack does not use, or too few bytes for the length. */
static bool read_item(const uint8_t *p, size_t left, item *out) {
    uint8_t b = *p;
    size_t length_bytes = 0, extra = 0;
    *out = (item){.head = 1, .what = "number"};
    if (b <= 0x7f || b >= 0xe0) return true;
    if (b <= 0x8f) return *out = (item){1, 0, (b & 15u) * 2, "map"}, true;
    if (b <= 0x9f) return *out = (item){1, 0, b & 15u, "array"}, true;
    if (b <= 0xbf) return *out = (item){1, b & 31u, 0, "string"}, true;
    switch (b) {
    case 0xc0:
    case 0xc2:
    case 0xc3:
        return true; /* nil, false, true */
    case 0xc1:
        return false;
    case 0xca:
    case 0xcb:
        return out->payload = b == 0xca ? 4 : 8, true; /* float, double */
    case 0xc4:
    case 0xc5:
    case 0xc6:
        out->what = "byte string";
        length_bytes = 1u << (b - 0xc4);
        break;
    case 0xc7:
    case 0xc8:
    case 0xc9:
        out->what = "extension", extra = 1, length_bytes = 1u << (b - 0xc7);
        break;
    case 0xd9:
    case 0xda:
    case 0xdb:
        out->what = "string", length_bytes = 1u << (b - 0xd9);
        break;
    case 0xdc:
    case 0xdd:
        out->what = "array", length_bytes = b == 0xdc ? 2 : 4;
        break;
    case 0xde:
    case 0xdf:
        out->what = "map", length_bytes = b == 0xde ? 2 : 4;
        break;
    default:
        if (b <= 0xd3) /* unsigned, then signed integers of 1, 2, 4, 8 bytes */
            return out->payload = UINT64_C(1) << ((b - 0xcc) & 3), true;
        return out->what = "extension", out->payload = 1 + (UINT64_C(1) << (b - 0xd4)), true;
    }
    if (left < 1 + length_bytes) return false;
    uint64_t length = big_endian(p + 1, length_bytes);
    out->head = 1 + length_bytes;
    if (b >= 0xde)
        out->children = length * 2;
    else if (b >= 0xdc)
        out->children = length;
    else
        out->payload = length + extra;
    return true;
}

static ez_status check(const uint8_t *bytes, size_t size, uint64_t offset, ez_error *err) {
    uint64_t open[EZ_METADATA_DEPTH_MAX + 1] = {1}; /* values still to come at each depth */
    size_t depth = 0, at = 0;
    for (;;) {
        while (depth && !open[depth])
            depth--;
        if (!open[depth]) break;
        open[depth]--;
        item i;
        if (at == size || !read_item(bytes + at, size - at, &i))
            return ez_error_at(err, EZ_ERR_FORMAT, offset + at,
                               at == size ? "metadata: msgpack ends after %zu bytes, in the middle "
                                            "of a map or array"
                                          : "metadata: no msgpack value at byte %zu of the note",
                               at);
        size_t left = size - at - i.head;
        if (i.payload > left || i.children > left)
            return ez_error_at(err, EZ_ERR_FORMAT, offset + at,
                               "metadata: msgpack %s at byte %zu announces %" PRIu64
                               " %s, the note has %zu bytes left",
                               i.what, at, i.payload > left ? i.payload : i.children,
                               i.payload > left ? "bytes" : "values", left);
        at += i.head + (size_t)i.payload;
        if (!i.children) continue;
        if (depth == EZ_METADATA_DEPTH_MAX)
            return ez_error_at(err, EZ_ERR_FORMAT, offset + at,
                               "metadata: msgpack is nested more than %d deep at byte %zu",
                               EZ_METADATA_DEPTH_MAX, at);
        open[++depth] = i.children;
    }
    if (at < size)
        return ez_error_at(err, EZ_ERR_FORMAT, offset + at,
                           "metadata: %zu bytes after the end of the msgpack map", size - at);
    return EZ_OK;
}

ez_status ez_msgpack_read(const uint8_t *bytes, size_t size, uint64_t offset, msgpack_zone *zone,
                          msgpack_object *tree, ez_error *err) {
    bool map = size && ((bytes[0] & 0xf0) == 0x80 || bytes[0] == 0xde || bytes[0] == 0xdf);
    if (!size) return ez_error_at(err, EZ_ERR_FORMAT, offset, "metadata: the note is empty");
    if (!map)
        return ez_error_at(err, EZ_ERR_FORMAT, offset,
                           "metadata: the note of %zu bytes begins with 0x%02x, expected a msgpack "
                           "map",
                           size, bytes[0]);
    ez_status status = check(bytes, size, offset, err);
    if (status) return status;
    size_t used = 0;
    msgpack_unpack_return r = msgpack_unpack((const char *)bytes, size, &used, zone, tree);
    if (r == MSGPACK_UNPACK_NOMEM_ERROR) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    if (r != MSGPACK_UNPACK_SUCCESS)
        return ez_error_at(err, EZ_ERR_FORMAT, offset + used,
                           "metadata: msgpack-c rejects the note at byte %zu", used);
    return EZ_OK;
}
