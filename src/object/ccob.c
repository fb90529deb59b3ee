/* SPDX-License-Identifier: Apache-2.0 */
#include "object_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

/*
 * Compressed offload bundles. The header, little-endian:
 *
 *     version 1   "CCOB" u16 version, u16 method,                u32 expanded, u64 hash
 *     version 2   "CCOB" u16 version, u16 method, u32 file size, u32 expanded, u64 hash
 *     version 3   "CCOB" u16 version, u16 method, u64 file size, u64 expanded, u64 hash
 *
 * and one zlib stream or zstd frame. The file size counts the header.
 * Source: clang documentation, "Clang Offload Bundler", "Compressed Offload Bundle Header".
 */
enum { METHOD_ZLIB = 0, METHOD_ZSTD = 1 };

/* An honest bundle shrinks some tenfold. Beyond these it is taken for an attack on our memory. */
#define EXPANDED_MAX (UINT64_C(16) << 30)
enum { RATIO_MAX = 2048 };

typedef struct header {
    unsigned version, method;
    uint64_t expanded;
    const uint8_t *payload;
    size_t payload_size;
} header;

static ez_status read_header(const uint8_t *b, size_t available, uint64_t offset, header *h,
                             ez_error *err) {
    static const size_t sizes[] = {0, 20, 24, 32};
    if (available < 8)
        return ez_error_at(err, EZ_ERR_FORMAT, offset,
                           "truncated compressed bundle: %zu bytes of header", available);
    h->version = ez_le16(b + 4);
    h->method = ez_le16(b + 6);
    if (h->version < 1 || h->version > 3)
        return ez_error_at(err, EZ_ERR_UNSUPPORTED, offset + 4,
                           "compressed bundle of version %u, expected 1 to 3", h->version);
    if (h->method != METHOD_ZLIB && h->method != METHOD_ZSTD)
        return ez_error_at(err, EZ_ERR_UNSUPPORTED, offset + 6,
                           "compressed bundle with method %u, expected 0 (zlib) or 1 (zstd)",
                           h->method);
    size_t size = sizes[h->version];
    if (available < size)
        return ez_error_at(err, EZ_ERR_FORMAT, offset,
                           "truncated compressed bundle: %zu bytes, the header of version %u has "
                           "%zu",
                           available, h->version, size);
    uint64_t whole = available; /* version 1 does not say */
    if (h->version == 2) whole = ez_le32(b + 8);
    if (h->version == 3) whole = ez_le64(b + 8);
    h->expanded = h->version == 1   ? ez_le32(b + 8)
                  : h->version == 2 ? ez_le32(b + 12)
                                    : ez_le64(b + 16);
    if (whole < size || whole > available)
        return ez_error_at(err, EZ_ERR_FORMAT, offset + 8,
                           "truncated compressed bundle: its header says %" PRIu64
                           " bytes, there are %zu",
                           whole, available);
    h->payload = b + size;
    h->payload_size = (size_t)whole - size;
    return EZ_OK;
}

static ez_status check_ratio(const header *h, uint64_t offset, ez_error *err) {
    if (h->expanded > EXPANDED_MAX || h->expanded / RATIO_MAX > h->payload_size)
        return ez_error_at(err, EZ_ERR_LIMIT, offset,
                           "compressed bundle of %zu bytes that claims to expand to %" PRIu64,
                           h->payload_size, h->expanded);
    return EZ_OK;
}

/* zlib counts in unsigned ints, so both sides are fed in pieces. */
static const char *expand_zlib(const header *h, uint8_t *out, uint64_t *out_size, size_t *used) {
    enum { PIECE = 1 << 30 };
    z_stream z = {.next_in = (Bytef *)(uintptr_t)h->payload, .next_out = out};
    size_t in_left = h->payload_size, out_left = (size_t)h->expanded;
    if (inflateInit(&z) != Z_OK) return "zlib cannot start";
    int r = Z_OK;
    while (r == Z_OK) {
        uInt in = in_left > PIECE ? PIECE : (uInt)in_left;
        uInt space = out_left > PIECE ? PIECE : (uInt)out_left;
        z.avail_in = in, z.avail_out = space;
        r = inflate(&z, Z_NO_FLUSH);
        in_left -= in - z.avail_in;
        out_left -= space - z.avail_out;
        if (r == Z_OK && in == z.avail_in && space == z.avail_out) r = Z_BUF_ERROR;
    }
    inflateEnd(&z);
    *out_size = h->expanded - out_left;
    *used = h->payload_size - in_left;
    if (r == Z_STREAM_END) return NULL;
    return r == Z_BUF_ERROR ? "the zlib stream is cut off, or longer than the header says"
                            : "damaged zlib stream";
}

static const char *expand_zstd(const header *h, uint8_t *out, uint64_t *out_size, size_t *used) {
    size_t n = ZSTD_decompress(out, (size_t)h->expanded, h->payload, h->payload_size);
    if (ZSTD_isError(n)) return ZSTD_getErrorName(n);
    *out_size = n;
    *used = h->payload_size;
    return NULL;
}

ez_status ez_ccob_expand(const uint8_t *bytes, size_t available, uint64_t offset, uint8_t **out,
                         size_t *out_size, size_t *consumed, ez_error *err) {
    header h = {0};
    ez_status status = read_header(bytes, available, offset, &h, err);
    if (!status && h.version == 1 && h.method == METHOD_ZSTD) { /* ends with its only frame */
        size_t frame = ZSTD_findFrameCompressedSize(h.payload, h.payload_size);
        if (!ZSTD_isError(frame)) h.payload_size = frame;
    }
    if (!status) status = check_ratio(&h, offset, err);
    if (status) return status;
    if (h.expanded > SIZE_MAX - 1) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    uint8_t *memory = malloc((size_t)h.expanded + 1);
    if (!memory) return ez_error_set(err, EZ_ERR_NOMEM, "out of memory");
    uint64_t produced = 0;
    size_t used = 0;
    const char *trouble = h.method == METHOD_ZLIB ? expand_zlib(&h, memory, &produced, &used)
                                                  : expand_zstd(&h, memory, &produced, &used);
    if (!trouble && produced != h.expanded) trouble = "it is shorter than the header says";
    if (trouble) {
        free(memory);
        return ez_error_at(err, EZ_ERR_FORMAT, offset,
                           "compressed bundle (version %u, %s, %" PRIu64 " bytes expanded): %s",
                           h.version, h.method == METHOD_ZLIB ? "zlib" : "zstd", h.expanded,
                           trouble);
    }
    *out = memory;
    *out_size = (size_t)h.expanded;
    /* Versions that give their size may be padded inside it. */
    *consumed = (size_t)(h.payload - bytes) + (h.version == 1 ? used : h.payload_size);
    return EZ_OK;
}
