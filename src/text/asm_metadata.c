/* SPDX-License-Identifier: Apache-2.0 */
/* .amdgpu_metadata: YAML becomes the msgpack of a note. Source: AMDGPUUsage, "Code Object V3 Metadata". */
#include "assembler.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

enum { NOTE_TYPE = 32, NOTE_NAME_BYTES = 7 }; /* NT_AMDGPU_METADATA; "AMDGPU" */

/* ---- scalars ---- */

/* A whole number in any base that LLVM reads. */
static bool read_number(const char *text, size_t length, uint64_t *value) {
    unsigned base = 10;
    size_t at = 0;
    if (length > 2 && text[0] == '0' && strchr("xXbBoO", text[1])) {
        base = (text[1] | 32) == 'x' ? 16 : (text[1] | 32) == 'b' ? 2 : 8;
        at = 2;
    } else if (length > 1 && text[0] == '0' && isdigit((unsigned char)text[1])) {
        base = 8;
        at = 1;
    }
    *value = 0;
    if (at == length) return false;
    for (; at < length; at++) {
        unsigned char c = (unsigned char)text[at];
        unsigned digit = isdigit(c) ? (unsigned)(c - '0') : isxdigit(c) ? (c | 32u) - 'a' + 10 : 99;
        if (digit >= base || *value > (UINT64_MAX - digit) / base) return false;
        *value = *value * base + digit;
    }
    return true;
}

static bool read_double(const char *text, size_t length, double *value) {
    char copy[64], *end;
    if (!length) {
        *value = 0; /* [mc] an empty scalar */
        return true;
    }
    if (length >= sizeof copy || !(isdigit((unsigned char)*text) || *text == '.' || *text == '-' || *text == '+'))
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    *value = strtod(copy, &end);
    return !*end;
}

/* The type is that of the text, in quotes or not, as LLVM has it. */
static void pack_scalar(msgpack_packer *p, const msgpack_object *o) {
    const char *text = o->via.str.ptr;
    size_t length = o->via.str.size;
    uint64_t number;
    double real;
    if (read_number(text, length, &number)) {
        msgpack_pack_uint64(p, number);
    } else if (length > 1 && *text == '-' && read_number(text + 1, length - 1, &number) &&
               number <= UINT64_C(1) << 63) {
        msgpack_pack_int64(p, (int64_t)(0 - number));
    } else if (length == 4 && !memcmp(text, "true", 4)) {
        msgpack_pack_true(p);
    } else if (length == 5 && !memcmp(text, "false", 5)) {
        msgpack_pack_false(p);
    } else if (read_double(text, length, &real)) {
        if ((double)(float)real == real && length) msgpack_pack_float(p, (float)real);
        else msgpack_pack_double(p, real);
    } else {
        msgpack_pack_str(p, length);
        msgpack_pack_str_body(p, text, length);
    }
}

/* ---- trees ---- */

static int compare_keys(const void *a, const void *b) {
    const msgpack_object_str *x = &((const msgpack_object_kv *)a)->key.via.str;
    const msgpack_object_str *y = &((const msgpack_object_kv *)b)->key.via.str;
    int order = memcmp(x->ptr, y->ptr, x->size < y->size ? x->size : y->size);
    return order ? order : x->size < y->size ? -1 : x->size > y->size;
}

/* Depth is limited by the reader. Keys are sorted. */
static void pack(msgpack_packer *p, msgpack_object *o) {
    switch (o->type) {
    case MSGPACK_OBJECT_MAP:
        if (o->via.map.size)
            qsort(o->via.map.ptr, o->via.map.size, sizeof *o->via.map.ptr, compare_keys);
        msgpack_pack_map(p, o->via.map.size);
        for (uint32_t i = 0; i < o->via.map.size; i++) {
            const msgpack_object_str *key = &o->via.map.ptr[i].key.via.str;
            msgpack_pack_str(p, key->size);
            msgpack_pack_str_body(p, key->ptr, key->size);
            pack(p, &o->via.map.ptr[i].val);
        }
        break;
    case MSGPACK_OBJECT_ARRAY:
        msgpack_pack_array(p, o->via.array.size);
        for (uint32_t i = 0; i < o->via.array.size; i++)
            pack(p, &o->via.array.ptr[i]);
        break;
    case MSGPACK_OBJECT_STR: pack_scalar(p, o); break;
    default: { /* a key without a value is an empty string */
        msgpack_object empty = {.type = MSGPACK_OBJECT_STR, .via.str = {.ptr = "", .size = 0}};
        pack_scalar(p, &empty);
    }
    }
}

/* ---- the note ---- */

static void emit_note(ez_asm *as, const msgpack_sbuffer *buffer) {
    asm_section *now = as->section, *before = as->previous;
    asm_section *note = ez_asm_section_of(as, ".note", 5);
    note->type = SHT_NOTE;
    note->flags = SHF_ALLOC;
    ez_asm_switch(as, note);
    ez_asm_align(as, 4, 0, 1, 0);
    ez_asm_emit_number(as, NOTE_NAME_BYTES, 4);
    ez_asm_emit_number(as, buffer->size, 4);
    ez_asm_emit_number(as, NOTE_TYPE, 4);
    ez_asm_emit(as, "AMDGPU\0", 8);
    ez_asm_emit(as, buffer->data, buffer->size);
    ez_asm_align(as, 4, 0, 1, 0);
    ez_asm_switch(as, now);
    as->previous = before;
}

bool ez_asm_metadata(ez_asm *as, const char *text, size_t length, const char *at) {
    msgpack_object tree;
    msgpack_zone *zone = msgpack_zone_new(MSGPACK_ZONE_CHUNK_SIZE);
    if (!zone) ez_asm_stop(as, EZ_ERR_NOMEM, "out of memory");
    ez_error wrong = {0};
    ez_status status = ez_yaml_read((const uint8_t *)text, length, 0, zone, &tree, &wrong);
    if (!status && tree.type != MSGPACK_OBJECT_MAP) {
        status = EZ_ERR_FORMAT;
        snprintf(wrong.message, sizeof wrong.message, "expected 'key: value'");
    }
    if (status) {
        msgpack_zone_free(zone);
        if (status == EZ_ERR_NOMEM) ez_asm_stop(as, EZ_ERR_NOMEM, "out of memory");
        return ez_asm_fail(as, status == EZ_ERR_FORMAT && wrong.offset < length ? text + wrong.offset : at,
                        "invalid metadata: %s", wrong.message);
    }
    msgpack_sbuffer buffer;
    msgpack_packer packer;
    msgpack_sbuffer_init(&buffer);
    msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
    pack(&packer, &tree);
    msgpack_zone_free(zone);
    /* a copy, for emitting may leave by ez_asm_stop */
    char *copy = ez_arena_text(&as->arena, buffer.data, buffer.size);
    msgpack_sbuffer kept = {.size = buffer.size, .data = copy};
    msgpack_sbuffer_destroy(&buffer);
    if (!copy) ez_asm_stop(as, EZ_ERR_NOMEM, "out of memory");
    emit_note(as, &kept);
    return true;
}
