/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a file of recorded programs: JSON to a replay_program, all sizes checked. */
#include "replay.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BUFFER = 256 << 20, MAX_CODE = 16 << 20, MAX_LDS = 320 << 10, MAX_SCRATCH = 1 << 20, MAX_LANES = 1024 };

/* Where the complaint goes. */
typedef struct reader {
    char *message;
    size_t room;
} reader;

static bool bad(reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool bad(reader *r, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(r->message, r->room, format, args);
    va_end(args);
    return false;
}

/* ---- values ---- */

static const char *text_of(reader *r, const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    if (!text) bad(r, json_object_get(object, key) ? "\"%s\" is no string" : "\"%s\" is missing", key);
    return text;
}

static bool number_of(reader *r, const json_t *object, const char *key, uint64_t max, uint64_t *value) {
    const json_t *n = json_object_get(object, key);
    if (!n) return bad(r, "\"%s\" is missing", key);
    if (!json_is_integer(n) || json_integer_value(n) < 0 || (uint64_t)json_integer_value(n) > max)
        return bad(r, "\"%s\" is no number of at most %llu", key, (unsigned long long)max);
    *value = (uint64_t)json_integer_value(n);
    return true;
}

static bool hex_bytes(reader *r, const char *key, const char *hex, uint8_t *to, size_t room) {
    for (size_t i = 0; hex[i]; i += 2) {
        int high = cli_hex_digit(hex[i]), low = high < 0 ? -1 : cli_hex_digit(hex[i + 1]);
        if (low < 0) return bad(r, "\"%s\" is not hexadecimal at character %zu", key, i + 1);
        if (i / 2 == room) return bad(r, "\"%s\" has more than %zu bytes", key, room);
        to[i / 2] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* {"size": N, "hex": "..."}: zeros behind what hex has. */
static bool bytes_of(reader *r, const json_t *object, const char *key, replay_bytes *b) {
    uint64_t size = 0;
    const json_t *value = json_object_get(object, key);
    if (!json_is_object(value)) return bad(r, "buffer \"%s\" is not described", key);
    const char *hex = text_of(r, value, "hex");
    if (!hex || !number_of(r, value, "size", MAX_BUFFER, &size)) return false;
    b->size = (size_t)size;
    b->at = calloc((size_t)size + 4, 1); /* whole dwords can be read */
    if (!b->at) return bad(r, "out of memory");
    return hex_bytes(r, key, hex, b->at, b->size);
}

/* ---- parts ---- */

static bool read_code(reader *r, const json_t *json, replay_program *p) {
    const char *hex = text_of(r, json, "code_hex");
    if (!hex) return false;
    size_t size = strlen(hex) / 2;
    if (!size || size % 4 || size > MAX_CODE) return bad(r, "\"code_hex\" is not of 1 to %d dwords", MAX_CODE / 4);
    p->code = (replay_bytes){calloc(size, 1), size};
    if (!p->code.at) return bad(r, "out of memory");
    if (!hex_bytes(r, "code_hex", hex, p->code.at, size)) return false;
    const json_t *end = json_array_get(json_object_get(json, "body"), 1);
    p->body_end = json_is_integer(end) && json_integer_value(end) >= 0 && (size_t)json_integer_value(end) <= size
                      ? (size_t)json_integer_value(end) : size;
    return true;
}

static bool read_launch(reader *r, const json_t *json, replay_program *p) {
    uint64_t wave = 0, lanes = 0, lds = 0, scratch = 0, sgpr = 0;
    const char *arch = text_of(r, json, "arch");
    if (!arch) return false;
    p->target = ez_target_find(arch);
    if (!p->target) return bad(r, "unknown target '%.40s'", arch);
    if (!number_of(r, json, "wave", 64, &wave) || !number_of(r, json, "lanes", MAX_LANES, &lanes) ||
        !number_of(r, json, "lds_bytes", MAX_LDS, &lds) ||
        !number_of(r, json, "scratch_bytes_per_lane", MAX_SCRATCH, &scratch) ||
        !number_of(r, json_object_get(json, "inputs"), "sgpr_kernarg_ptr", 100, &sgpr))
        return false;
    if (!ez_target_has_wave(p->target, (unsigned)wave)) return bad(r, "%.40s has no waves of %u", arch, (unsigned)wave);
    if (!lanes) return bad(r, "\"lanes\" is 0");
    p->wave = (unsigned)wave;
    p->lanes = (unsigned)lanes;
    p->lds_size = (uint32_t)lds;
    p->scratch_size = (uint32_t)scratch;
    p->kernarg_sgpr = (unsigned)sgpr;
    return true;
}

static bool read_buffers(reader *r, const json_t *json, replay_program *p) {
    const json_t *inputs = json_object_get(json, "inputs"), *outputs = json_object_get(json, "outputs");
    const json_t *names = json_object_get(inputs, "kernarg");
    if (!json_is_array(names) || !json_array_size(names) || json_array_size(names) > REPLAY_BUFFERS)
        return bad(r, "\"kernarg\" is no list of 1 to %d buffers", REPLAY_BUFFERS);
    for (size_t i = 0; i < json_array_size(names); i++) {
        replay_buffer *b = &p->buffer[p->buffers++];
        b->name = json_string_value(json_array_get(names, i));
        if (!b->name) return bad(r, "\"kernarg\" is no list of names");
        if (!bytes_of(r, json_object_get(inputs, "buffers"), b->name, &b->before)) return false;
        if (!json_object_get(outputs, b->name)) continue;
        if (!bytes_of(r, outputs, b->name, &b->after)) return false;
        if (b->after.size != b->before.size) return bad(r, "buffer \"%.40s\" has two sizes", b->name);
    }
    if (!p->buffer[0].after.at) return bad(r, "\"outputs\" lacks the first buffer");
    return true;
}

/* ---- rules ---- */

/* [offset, second] of a list of pairs. */
static bool pair_of(const json_t *pair, size_t size, uint64_t *offset) {
    const json_t *at = json_array_get(pair, 0);
    if (!json_is_integer(at) || json_integer_value(at) < 0 || (uint64_t)json_integer_value(at) >= size) return false;
    *offset = (uint64_t)json_integer_value(at);
    return true;
}

static bool read_ignored(reader *r, const json_t *json, replay_program *p) {
    size_t i, size = p->buffer[0].after.size;
    json_t *pair;
    json_array_foreach(json_object_get(json, "ignore"), i, pair) {
        uint64_t at;
        const json_t *length = json_array_get(pair, 1);
        if (!pair_of(pair, size, &at) || !json_is_integer(length) || json_integer_value(length) < 0 ||
            (uint64_t)json_integer_value(length) > size - at)
            return bad(r, "\"ignore\" has a range outside the buffer");
        for (uint64_t b = at; b < at + (uint64_t)json_integer_value(length); b++) p->rules[b / 4].ignored[b % 4] = true;
    }
    return true;
}

static bool read_asserted(reader *r, const json_t *json, replay_program *p) {
    size_t i, size = p->buffer[0].after.size;
    json_t *pair;
    json_array_foreach(json_object_get(json, "asserted"), i, pair) {
        uint64_t at;
        uint8_t mask[4];
        const char *hex = json_string_value(json_array_get(pair, 1));
        if (!pair_of(pair, size, &at) || at % 4 || !hex || strlen(hex) != 8 || !hex_bytes(r, "asserted", hex, mask, 4))
            return bad(r, "\"asserted\" is no list of [offset, mask] of dwords");
        p->rules[at / 4].exact |= (uint32_t)mask[0] << 24 | mask[1] << 16 | mask[2] << 8 | mask[3];
    }
    json_array_foreach(json_object_get(json, "nan"), i, pair) {
        if (!json_is_integer(pair) || json_integer_value(pair) < 0 || (uint64_t)json_integer_value(pair) >= size)
            return bad(r, "\"nan\" is no list of offsets in the buffer");
        p->rules[json_integer_value(pair) / 4].any_nan = true;
    }
    return true;
}

static bool read_rules(reader *r, const json_t *json, replay_program *p) {
    p->rules = calloc(p->buffer[0].after.size / 4 + 1, sizeof *p->rules);
    if (!p->rules) return bad(r, "out of memory");
    const char *layout = json_string_value(json_object_get(json, "layout"));
    if (layout && !strcmp(layout, "regs")) p->layout = REPLAY_REGS;
    if (layout && !strcmp(layout, "lane_dwords")) p->layout = REPLAY_LANE_DWORDS;
    p->approximate = json_array_size(json_object_get(json, "approx_ops")) != 0;
    return read_ignored(r, json, p) && read_asserted(r, json, p);
}

bool replay_read(const char *line, size_t length, replay_program *p, void **json, char *message, size_t room) {
    reader r = {message, room};
    json_error_t error;
    *p = (replay_program){.id = ""};
    json_t *j = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
    *json = j;
    if (!j) return bad(&r, "%s", error.text);
    if (!json_is_object(j)) return bad(&r, "no JSON object");
    p->id = text_of(&r, j, "id");
    if (!p->id) {
        p->id = "";
        return false;
    }
    return read_code(&r, j, p) && read_launch(&r, j, p) && read_buffers(&r, j, p) && read_rules(&r, j, p);
}

void replay_free(replay_program *p, void *json) {
    for (unsigned i = 0; i < p->buffers; i++) {
        free(p->buffer[i].before.at);
        free(p->buffer[i].after.at);
    }
    free(p->code.at);
    free(p->rules);
    json_decref(json);
}
