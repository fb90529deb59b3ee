/* SPDX-License-Identifier: Apache-2.0 */
#include "object_internal.h"

#include <inttypes.h>

/*
 * The YAML that LLVM wrote into version 2 notes, and no more: block maps and sequences, plain and
 * quoted scalars on one line, flow sequences of scalars on one line. Anything else (anchors, tags,
 * block scalars, flow maps) is an error, not a guess. Source: AMDGPUUsage, "Code Object V2
 * Metadata".
 */

typedef struct line {
    size_t indent;
    const char *text, *end; /* without indentation and trailing blanks; never empty */
} line;

typedef struct reader {
    const char *text, *end, *next; /* the whole note; where the line after `now` begins */
    line now;                      /* the current line; text == NULL after the last */
    uint64_t offset;
    unsigned depth;
    msgpack_zone *zone;
    ez_error *err;
} reader;

static ez_status fail(reader *r, const char *where, const char *message) {
    unsigned number = 1;
    for (const char *p = r->text; p < where; p++)
        number += *p == '\n';
    ez_status status = ez_error_at(r->err, EZ_ERR_FORMAT, r->offset + (uint64_t)(where - r->text),
                                   "metadata: line %u of the YAML note: %s", number, message);
    if (r->err) r->err->line = number;
    return status;
}

static bool is_marker(const line *l, const char *marker) {
    return !l->indent && l->end - l->text == 3 && memcmp(l->text, marker, 3) == 0;
}

/* Moves to the next line that has content. */
static void advance(reader *r) {
    while (r->next < r->end) {
        const char *start = r->next;
        const char *stop = memchr(start, '\n', (size_t)(r->end - start));
        r->next = stop ? stop + 1 : r->end;
        line l = {.text = start, .end = stop ? stop : r->end};
        while (l.text < l.end && *l.text == ' ')
            l.text++;
        l.indent = (size_t)(l.text - start);
        while (l.end > l.text && (l.end[-1] == ' ' || l.end[-1] == '\r' || l.end[-1] == 0))
            l.end--;
        if (l.text == l.end || *l.text == '#' || is_marker(&l, "---")) continue;
        if (is_marker(&l, "...")) break;
        r->now = l;
        return;
    }
    r->next = r->end;
    r->now = (line){.text = NULL};
}

static ez_status nomem(reader *r) {
    return ez_error_set(r->err, EZ_ERR_NOMEM, "out of memory");
}

/* Grows an array in the zone: capacities are powers of two, the old copies are freed with it. */
static void *grow(reader *r, void *items, uint32_t count, size_t size) {
    if (count & (count - 1)) return items;
    size_t capacity = count ? (size_t)count * 2 : 1;
    void *more = msgpack_zone_malloc(r->zone, capacity * size);
    if (more && count) memcpy(more, items, count * size);
    return more;
}

static ez_status add_item(reader *r, msgpack_object *array, msgpack_object item) {
    msgpack_object_array *a = &array->via.array;
    a->ptr = grow(r, a->ptr, a->size, sizeof *a->ptr);
    if (!a->ptr) return nomem(r);
    a->ptr[a->size++] = item;
    return EZ_OK;
}

static msgpack_object string(const char *text, size_t length) {
    return (msgpack_object){.type = MSGPACK_OBJECT_STR,
                            .via.str = {.ptr = text, .size = (uint32_t)length}};
}

/* One character of a double-quoted scalar after the backslash; 0 bytes read: none that is known. */
static size_t read_escape(const char *p, const char *end, char *out) {
    static const char from[] = "0abtnvfre\"\\/ ", to[] = "\0\a\b\t\n\v\f\r\x1b\"\\/ ";
    const char *known = p < end ? memchr(from, *p, sizeof from - 1) : NULL;
    if (known) return *out = to[known - from], 1;
    unsigned value = 0;
    if (end - p < 3 || *p != 'x') return 0;
    for (int i = 1; i < 3; i++) {
        const char *digits = "0123456789abcdefABCDEF", *d = p[i] ? strchr(digits, p[i]) : NULL;
        if (!d) return 0;
        value = value * 16 + (unsigned)(d - digits < 16 ? d - digits : d - digits - 6);
    }
    return *out = (char)value, 3;
}

static ez_status read_quoted(reader *r, const char **at, const char *end, msgpack_object *out) {
    const char *start = *at, *p = start + 1;
    char quote = *start, *text = msgpack_zone_malloc(r->zone, (size_t)(end - start));
    size_t length = 0;
    if (!text) return nomem(r);
    for (; p < end; p++) {
        if (quote == '\'' && *p == quote && p + 1 < end && p[1] == quote)
            text[length++] = *p++;
        else if (*p == quote) {
            *at = p + 1;
            *out = string(text, length);
            return EZ_OK;
        } else if (quote == '"' && *p == '\\') {
            size_t taken = read_escape(p + 1, end, &text[length++]);
            if (!taken) return fail(r, p, "unknown escape in a quoted string");
            p += taken;
        } else
            text[length++] = *p;
    }
    return fail(r, start, "quoted string without an end in the same line");
}

/* Whether a comment begins at p in the text that begins at `start`. */
static bool is_comment(const char *start, const char *p) {
    return *p == '#' && (p == start || p[-1] == ' ' || p[-1] == '\t');
}

/* A scalar up to `end`, or inside [ ] up to a comma. */
static ez_status read_scalar(reader *r, const char **at, const char *end, bool flow,
                             msgpack_object *out) {
    const char *p = *at;
    if (*p == '\'' || *p == '"') return read_quoted(r, at, end, out);
    if (memchr("{}|>&*!%@`?", *p, 11))
        return fail(r, p, "YAML beyond maps, sequences and one-line scalars");
    while (p < end && !(flow && (*p == ',' || *p == ']')) && !is_comment(*at, p))
        p++;
    const char *stop = p;
    while (stop > *at && stop[-1] == ' ')
        stop--;
    *out = string(*at, (size_t)(stop - *at));
    *at = flow ? p : end;
    return EZ_OK;
}

static ez_status read_flow(reader *r, const char *p, const char *end, msgpack_object *out) {
    *out = (msgpack_object){.type = MSGPACK_OBJECT_ARRAY};
    const char *start = p++;
    for (;;) {
        while (p < end && *p == ' ')
            p++;
        if (p < end && *p == ']' && p + 1 == end) return EZ_OK;
        if (p >= end || *p == ',' || *p == '[' || *p == ']')
            return fail(r, start, "expected [ scalars, separated, by commas ] in one line");
        msgpack_object item;
        ez_status status = read_scalar(r, &p, end, true, &item);
        if (!status) status = add_item(r, out, item);
        if (status) return status;
        while (p < end && *p == ' ')
            p++;
        if (p < end && *p == ',') p++;
    }
}

/* What stands after "key: " or "- " in a line. */
static ez_status read_inline(reader *r, const char *p, const char *end, msgpack_object *out) {
    if (*p == '[') return read_flow(r, p, end, out);
    ez_status status = read_scalar(r, &p, end, false, out);
    if (!status && p != end) status = fail(r, p, "text after the end of a quoted string");
    return status;
}

/* The colon that ends the key of a map entry, or NULL when the line is none. */
static const char *key_end(const line *l) {
    if (strchr("'\"[{", *l->text)) return NULL;
    for (const char *p = l->text; p < l->end; p++)
        if (*p == ':' && (p + 1 == l->end || p[1] == ' ')) return p;
    return NULL;
}

static bool is_dash(const line *l) {
    return l->text && *l->text == '-' && (l->text + 1 == l->end || l->text[1] == ' ');
}

static ez_status read_block(reader *r, msgpack_object *out);

static ez_status read_map(reader *r, msgpack_object *out) {
    size_t indent = r->now.indent;
    *out = (msgpack_object){.type = MSGPACK_OBJECT_MAP};
    while (r->now.text && r->now.indent == indent && !is_dash(&r->now)) {
        const char *colon = key_end(&r->now), *end = r->now.end;
        if (!colon) return fail(r, r->now.text, "expected 'key: value'");
        msgpack_object_map *m = &out->via.map;
        m->ptr = grow(r, m->ptr, m->size, sizeof *m->ptr);
        if (!m->ptr) return nomem(r);
        msgpack_object_kv *kv = &m->ptr[m->size++];
        kv->key = string(r->now.text, (size_t)(colon - r->now.text));
        kv->val = (msgpack_object){.type = MSGPACK_OBJECT_NIL};
        const char *value = colon + 1;
        while (value < end && *value == ' ')
            value++;
        if (value < end && *value == '#') value = end;
        ez_status status = value < end ? read_inline(r, value, end, &kv->val) : EZ_OK;
        if (status) return status;
        advance(r);
        if (value < end || !r->now.text) continue;
        /* A sequence may stand as far left as the key that it belongs to. */
        if (r->now.indent > indent || (r->now.indent == indent && is_dash(&r->now))) {
            msgpack_object child;
            status = read_block(r, &child);
            if (status) return status;
            kv->val = child;
        }
    }
    return EZ_OK;
}

static ez_status read_sequence(reader *r, msgpack_object *out) {
    size_t indent = r->now.indent;
    *out = (msgpack_object){.type = MSGPACK_OBJECT_ARRAY};
    while (r->now.indent == indent && is_dash(&r->now)) {
        msgpack_object item = {.type = MSGPACK_OBJECT_NIL};
        ez_status status = EZ_OK;
        r->now.text++, r->now.indent++;
        while (r->now.text < r->now.end && *r->now.text == ' ')
            r->now.text++, r->now.indent++;
        if (r->now.text == r->now.end) { /* the item is on the lines that follow */
            advance(r);
            if (r->now.text && r->now.indent > indent) status = read_block(r, &item);
        } else if (is_dash(&r->now) || key_end(&r->now)) {
            status = read_block(r, &item);
        } else {
            status = read_inline(r, r->now.text, r->now.end, &item);
            advance(r);
        }
        if (!status) status = add_item(r, out, item);
        if (status) return status;
    }
    return EZ_OK;
}

static ez_status read_block(reader *r, msgpack_object *out) {
    if (r->depth == EZ_METADATA_DEPTH_MAX) return fail(r, r->now.text, "nested too deep");
    size_t indent = r->now.indent;
    r->depth++;
    ez_status status = is_dash(&r->now) ? read_sequence(r, out) : read_map(r, out);
    r->depth--;
    if (!status && r->now.text && r->now.indent > indent)
        status = fail(r, r->now.text, "indented more than the lines before it");
    return status;
}

ez_status ez_yaml_read(const uint8_t *bytes, size_t size, uint64_t offset, msgpack_zone *zone,
                       msgpack_object *tree, ez_error *err) {
    const char *text = (const char *)bytes;
    reader r = {
        .text = text, .end = text + size, .next = text, .offset = offset, .zone = zone, .err = err};
    if (size > UINT32_MAX)
        return ez_error_at(err, EZ_ERR_FORMAT, offset, "metadata: %zu bytes of YAML", size);
    advance(&r);
    if (!r.now.text) return ez_error_at(err, EZ_ERR_FORMAT, offset, "metadata: the note is empty");
    ez_status status = read_block(&r, tree);
    if (!status && r.now.text)
        status = fail(&r, r.now.text, "indented less than the lines before it");
    return status;
}
