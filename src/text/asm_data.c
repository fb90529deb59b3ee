/* SPDX-License-Identifier: Apache-2.0 */
/* Directives that emit data. */
#include "assembler.h"

#include <ctype.h>
#include <stdlib.h>

/* s_nop 0, which fills code up to an alignment. Source: LLVM, AMDGPUAsmBackend. */
enum { NOP_BYTES = 4 };
static const uint64_t NOP = 0xbf800000;

/* Whether a number fits as signed or unsigned. */
static bool fits(uint64_t value, unsigned size) {
    uint64_t high = size >= 8 ? 0 : value >> (8 * size - 1);
    return size >= 8 || high <= 1 || high == UINT64_MAX >> (8 * size - 1);
}

/* ---- numbers ---- */

static bool value(ez_asm *as, ez_cursor *c, unsigned size) {
    ez_term term;
    uint64_t number;
    ez_read_blank(c);
    const char *at = c->at;
    if (!ez_asm_expression(as, c, &term)) return false;
    ez_asm_list(as, size, size);
    if (!term.node && !fits(term.value, size)) return ez_asm_fail(as, at, "out of range literal value");
    if (!term.node || (ez_asm_absolute(as, &term, &number) && fits(number, size))) {
        ez_asm_emit_number(as, term.node ? number : term.value, size);
        ez_asm_use(as, &term);
        return true;
    }
    if (as->section->type == SHT_NOBITS) return ez_asm_fail(as, at, "section '%s' has no content", as->section->name);
    ez_asm_use(as, &term);
    uint64_t offset = as->section->size;
    ez_asm_emit_number(as, 0, size);
    ez_asm_add_fixup(as, ASM_FIX_DATA, offset, size, &term, at);
    return true;
}

static bool values(ez_asm *as, ez_cursor *c, unsigned size) {
    if (ez_asm_at_end(c)) return true;
    do {
        if (!value(as, c, size)) return false;
    } while (ez_asm_take(c, ','));
    return true;
}

static bool bytes_1(ez_asm *as, ez_cursor *c) { return values(as, c, 1); }
static bool bytes_2(ez_asm *as, ez_cursor *c) { return values(as, c, 2); }
static bool bytes_4(ez_asm *as, ez_cursor *c) { return values(as, c, 4); }
static bool bytes_8(ez_asm *as, ez_cursor *c) { return values(as, c, 8); }

/* .octa: numbers of 128 bits */
static bool octa(ez_asm *as, ez_cursor *c) {
    if (ez_asm_at_end(c)) return true;
    do {
        uint64_t low = 0, high = 0;
        ez_read_blank(c);
        const char *at = c->at;
        if (c->end - at > 2 && at[0] == '0' && (at[1] | 32) == 'x' && isxdigit((unsigned char)at[2])) {
            for (c->at += 2; c->at < c->end && isxdigit((unsigned char)*c->at); c->at++) {
                if (high >> 60) return ez_asm_fail(as, at, "out of range literal value");
                high = high << 4 | low >> 60;
                low = low << 4 | (uint64_t)(isdigit((unsigned char)*c->at) ? *c->at - '0' : (*c->at | 32) - 'a' + 10);
            }
        } else {
            int64_t number;
            if (c->at == c->end || !isdigit((unsigned char)*at)) return ez_asm_fail(as, at, "expected a number, not an expression");
            if (!ez_asm_number(as, c, &number)) return false;
            low = (uint64_t)number;
        }
        ez_asm_list(as, 16, 8);
        ez_asm_emit_number(as, low, 8);
        ez_asm_emit_number(as, high, 8);
    } while (ez_asm_take(c, ','));
    return true;
}

/* A float with its sign, or inf or nan, as the bits of its format. */
static bool float_value(ez_asm *as, ez_cursor *c, unsigned size, uint64_t *bits) {
    char text[64], *end;
    size_t n = 0;
    ez_read_blank(c);
    const char *at = c->at;
    while (c->at < c->end && n + 1 < sizeof text &&
           (isalnum((unsigned char)*c->at) || *c->at == '.' || *c->at == '_' ||
            ((*c->at == '-' || *c->at == '+') && (!n || strchr("eEpP", text[n - 1])))))
        text[n++] = *c->at++;
    text[n] = 0;
    if (!n) return ez_asm_fail(as, at, "unexpected token: expected a float number");
    *bits = 0;
    if (size == 4) {
        float f = strtof(text, &end);
        memcpy(bits, &f, 4);
        *bits = (uint32_t)*bits;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        uint32_t word;
        memcpy(&word, &f, 4);
        *bits = word;
#endif
    } else {
        double d = strtod(text, &end);
        memcpy(bits, &d, 8);
    }
    bool nan = !strcasecmp(text + (*text == '-' || *text == '+'), "nan"); /* with all bits of the fraction */
    if (nan) *bits = size == 4 ? *bits | UINT32_C(0x7fffffff) : *bits | UINT64_C(0x7fffffffffffffff);
    return !*end || ez_asm_fail(as, at, "invalid floating point literal");
}

static bool floats(ez_asm *as, ez_cursor *c, unsigned size) {
    if (ez_asm_at_end(c)) return true;
    do {
        uint64_t bits;
        if (!float_value(as, c, size, &bits)) return false;
        ez_asm_list(as, size, size);
        ez_asm_emit_number(as, bits, size);
    } while (ez_asm_take(c, ','));
    return true;
}

static bool float_4(ez_asm *as, ez_cursor *c) { return floats(as, c, 4); }
static bool float_8(ez_asm *as, ez_cursor *c) { return floats(as, c, 8); }

static bool leb128(ez_asm *as, ez_cursor *c, bool is_signed) {
    do {
        int64_t number;
        uint8_t out[10];
        unsigned n = 0;
        if (!ez_asm_number(as, c, &number)) return false;
        for (bool more = true; more; n++) {
            uint8_t byte = number & 0x7f;
            if (is_signed) {
                number >>= 7;
                more = !((number == 0 && !(byte & 0x40)) || (number == -1 && (byte & 0x40)));
            } else {
                number = (int64_t)((uint64_t)number >> 7);
                more = number != 0;
            }
            out[n] = byte | (more ? 0x80 : 0);
        }
        ez_asm_list(as, n, 1);
        ez_asm_emit(as, out, n);
    } while (ez_asm_take(c, ','));
    return true;
}

static bool uleb128(ez_asm *as, ez_cursor *c) { return leb128(as, c, false); }
static bool sleb128(ez_asm *as, ez_cursor *c) { return leb128(as, c, true); }

/* ---- strings ---- */

static bool strings(ez_asm *as, ez_cursor *c, bool terminated) {
    if (ez_asm_at_end(c)) return true;
    do {
        do { /* "a" "b" is one string in two pieces, if without a 0 behind it */
            char *text;
            size_t length;
            if (!ez_asm_string(as, c, &text, &length)) return false;
            ez_asm_list(as, length, 1);
            ez_asm_emit(as, text, length);
            ez_read_blank(c);
        } while (!terminated && c->at < c->end && *c->at == '"');
        if (terminated) {
            ez_asm_list(as, 1, 1);
            ez_asm_emit(as, NULL, 1);
        }
    } while (ez_asm_take(c, ','));
    return true;
}

static bool ascii(ez_asm *as, ez_cursor *c) { return strings(as, c, false); }
static bool asciz(ez_asm *as, ez_cursor *c) { return strings(as, c, true); }

/* ---- repeated items ---- */

/* `count` items, now or when the count is known. */
static bool repeat(ez_asm *as, const ez_term *count, const char *at, uint64_t pattern, unsigned unit) {
    uint64_t number;
    if (ez_asm_absolute(as, count, &number)) {
        if ((int64_t)number < 0) {
            if (as->statement[1] != 'f') return ez_asm_fail(as, at, "invalid number of bytes");
            ez_asm_warn(as, at, "'.fill' directive with negative repeat count has no effect");
            return true;
        }
        if (number > 1u << 28 || number * unit > 1u << 28) ez_asm_stop(as, EZ_ERR_LIMIT, "more than 256 MiB of data");
        ez_asm_list(as, number * unit, unit);
        ez_asm_emit_items(as, number, pattern, unit);
        return true;
    }
    ez_asm_use(as, count);
    asm_fragment *gap = ez_asm_emit_gap(as, ASM_GAP_FILL);
    gap->term = *count;
    gap->pattern = pattern;
    gap->unit = (uint8_t)unit;
    gap->place = ez_asm_here(as, at);
    return true;
}

/* .fill count, size, value: items of at most 8 bytes, of which the value fills 4 */
static bool fill(ez_asm *as, ez_cursor *c) {
    ez_term count;
    int64_t size = 1, number = 0;
    ez_read_blank(c);
    const char *at = c->at;
    if (!ez_asm_expression(as, c, &count)) return false;
    if (ez_asm_take(c, ',')) {
        ez_read_blank(c);
        const char *size_at = c->at;
        if (!ez_asm_number(as, c, &size)) return false;
        if (size < 0) {
            ez_asm_warn(as, size_at, "'.fill' directive with negative size has no effect");
            size = 0;
        } else if (size > 8) {
            ez_asm_warn(as, size_at, "'.fill' directive with size greater than 8 has been truncated to 8");
            size = 8;
        }
        if (ez_asm_take(c, ',')) {
            ez_read_blank(c);
            const char *value_at = c->at;
            if (!ez_asm_number(as, c, &number)) return false;
            if ((uint64_t)number > UINT32_MAX && size > 4)
                ez_asm_warn(as, value_at, "'.fill' directive pattern has been truncated to 32-bits");
        }
    }
    if (!size) return true;
    return repeat(as, &count, at, (uint32_t)number, (unsigned)size);
}

/* .skip and .space count, value; .zero likewise */
static bool skip(ez_asm *as, ez_cursor *c) {
    ez_term count;
    int64_t number = 0;
    ez_read_blank(c);
    const char *at = c->at;
    if (!ez_asm_expression(as, c, &count)) return false;
    if (ez_asm_take(c, ',') && !ez_asm_number(as, c, &number)) return false;
    return repeat(as, &count, at, (uint8_t)number, 1);
}

/* .org where, value */
static bool org(ez_asm *as, ez_cursor *c) {
    ez_term where;
    int64_t number = 0;
    ez_read_blank(c);
    const char *at = c->at;
    if (!ez_asm_expression(as, c, &where)) return false;
    if (ez_asm_take(c, ',') && !ez_asm_number(as, c, &number)) return false;
    asm_section *s = as->section;
    const asm_fragment *f = &s->fragments[s->fragment_count - 1];
    uint64_t to, now = f->address + s->size - f->start;
    if (f->fixed && ez_asm_absolute(as, &where, &to)) {
        if (to < now || to > 1u << 28)
            return ez_asm_fail(as, at, "invalid .org offset '%lld' (at offset '%llu')", (long long)to,
                            (unsigned long long)now);
        ez_asm_emit_items(as, to - now, (uint8_t)number, 1);
        return true;
    }
    ez_asm_use(as, &where);
    asm_fragment *gap = ez_asm_emit_gap(as, ASM_GAP_ORG);
    gap->term = where;
    gap->pattern = (uint8_t)number;
    gap->unit = 1;
    gap->place = ez_asm_here(as, at);
    return true;
}

/* ---- alignment ---- */

static bool align(ez_asm *as, ez_cursor *c, bool power, unsigned unit) {
    int64_t alignment, pattern = 0, most = 0;
    bool filled = false;
    ez_read_blank(c);
    const char *at = c->at;
    if (c->at == c->end) {
        if (!power) return ez_asm_fail(as, at, "expected an alignment");
        ez_asm_warn(as, as->statement, "p2align directive with no operand(s) is ignored");
        return true;
    }
    if (!ez_asm_number(as, c, &alignment)) return false;
    if (ez_asm_take(c, ',')) {
        ez_read_blank(c);
        if (c->at < c->end && *c->at != ',') {
            filled = true;
            if (!ez_asm_number(as, c, &pattern)) return false;
        }
        if (ez_asm_take(c, ',')) {
            ez_read_blank(c);
            const char *most_at = c->at;
            if (!ez_asm_number(as, c, &most)) return false;
            if (most < 1) return ez_asm_fail(as, most_at, "alignment directive can never be satisfied in this many bytes");
        }
    }
    if (power) {
        if (alignment < 0 || alignment >= 32) return ez_asm_fail(as, at, "invalid alignment value");
        alignment = INT64_C(1) << alignment;
    } else {
        if (!alignment) alignment = 1;
        if (alignment < 0 || alignment & (alignment - 1)) return ez_asm_fail(as, at, "alignment must be a power of 2");
    }
    if (alignment > 1 << 28) return ez_asm_fail(as, at, "invalid alignment value: at most 2^28 is supported");
    if (most >= alignment) most = 0;
    if (!filled && ez_asm_is_code(as->section)) {
        pattern = (int64_t)NOP;
        unit = NOP_BYTES;
    }
    ez_asm_align(as, (uint64_t)alignment, (uint64_t)pattern, unit, (uint64_t)most);
    return true;
}

static bool balign(ez_asm *as, ez_cursor *c) { return align(as, c, false, 1); }
static bool balign_2(ez_asm *as, ez_cursor *c) { return align(as, c, false, 2); }
static bool balign_4(ez_asm *as, ez_cursor *c) { return align(as, c, false, 4); }
static bool p2align(ez_asm *as, ez_cursor *c) { return align(as, c, true, 1); }
static bool p2align_2(ez_asm *as, ez_cursor *c) { return align(as, c, true, 2); }
static bool p2align_4(ez_asm *as, ez_cursor *c) { return align(as, c, true, 4); }

/* The bytes of a file are none of the library's business. */
static bool include(ez_asm *as, ez_cursor *c) {
    ez_read_blank(c);
    return ez_asm_fail(as, c->at, "files cannot be included: give their text to the assembler");
}

const asm_directive_name ez_asm_data_directives[] = {
    {".long", bytes_4}, {".4byte", bytes_4}, {".int", bytes_4}, {".byte", bytes_1}, {".1byte", bytes_1},
    {".dc.b", bytes_1}, {".short", bytes_2}, {".2byte", bytes_2}, {".value", bytes_2}, {".dc.w", bytes_2},
    {".dc.l", bytes_4}, {".quad", bytes_8}, {".8byte", bytes_8}, {".dc.a", bytes_8}, {".octa", octa},
    {".float", float_4}, {".single", float_4}, {".dc.s", float_4}, {".double", float_8}, {".dc.d", float_8},
    {".uleb128", uleb128}, {".sleb128", sleb128}, {".ascii", ascii}, {".asciz", asciz}, {".string", asciz},
    {".fill", fill}, {".skip", skip}, {".space", skip}, {".zero", skip}, {".org", org},
    {".align", balign}, {".balign", balign}, {".balignw", balign_2}, {".balignl", balign_4},
    {".p2align", p2align}, {".p2alignw", p2align_2}, {".p2alignl", p2align_4},
    {".include", include}, {".incbin", include}, {NULL, NULL}};
