/* SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const cli_type types[] = {{"i8", 1, 'i'},  {"u8", 1, 'u'},  {"i16", 2, 'i'}, {"u16", 2, 'u'},
                                 {"i32", 4, 'i'}, {"u32", 4, 'u'}, {"i64", 8, 'i'}, {"u64", 8, 'u'},
                                 {"f16", 2, 'f'}, {"f32", 4, 'f'}, {"f64", 8, 'f'}};
const char cli_type_list[] = "i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64";

const cli_type *cli_type_find(const char *text, size_t length) {
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strlen(types[i].name) == length && !strncmp(types[i].name, text, length)) return &types[i];
    return NULL;
}

/* ---- integers ---- */

static bool digits(const char *text, unsigned base, uint64_t *value) {
    uint64_t n = 0;
    if (!*text) return false;
    for (; *text; text++) {
        int d = cli_hex_digit(*text);
        if (d < 0 || (unsigned)d >= base || n > (UINT64_MAX - (unsigned)d) / base) return false;
        n = n * base + (unsigned)d;
    }
    *value = n;
    return true;
}

static bool integer(const char *text, unsigned bytes, uint64_t *bits) {
    bool minus = *text == '-';
    unsigned base = 10;
    uint64_t n, mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
    text += minus || *text == '+';
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) base = 16, text += 2;
    else if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) base = 2, text += 2;
    if (!digits(text, base, &n) || n > mask || (minus && n > mask / 2 + 1)) return false;
    *bits = (minus ? 0 - n : n) & mask;
    return true;
}

/* ---- floats ---- */

/* Rounds to nearest even a double that is itself rounded to odd, so that nothing is rounded twice. */
static uint64_t to_half(double value) {
    uint64_t sign = signbit(value) ? 0x8000 : 0;
    double a = fabs(value);
    if (isnan(value)) return sign | 0x7e00;
    if (a >= 65520.0) return sign | 0x7c00; /* half a step above the largest */
    int exponent;
    frexp(a, &exponent);                    /* a < 2^exponent */
    if (exponent < -13) exponent = -13;     /* denormals have the step of the smallest normal */
    double steps = nearbyint(ldexp(a, 11 - exponent)), rounded = ldexp(steps, exponent - 11);
    if (rounded < ldexp(1, -14)) return sign | (uint64_t)ldexp(rounded, 24);
    double fraction = frexp(rounded, &exponent);
    return sign | (uint64_t)(exponent + 14) << 10 | (uint64_t)((fraction * 2 - 1) * 1024);
}

/* strtod rounded to odd: toward zero, then the last bit set when that was not exact. */
static bool to_odd(const char *text, double *value) {
    char *end, *end2;
    int mode = fegetround();
    fesetround(FE_TOWARDZERO);
    double low = strtod(text, &end);
    fesetround(FE_UPWARD);
    double up = strtod(text, &end2);
    fesetround(FE_DOWNWARD);
    double down = strtod(text, &end2);
    fesetround(mode);
    if (end == text || *end) return false;
    uint64_t bits;
    memcpy(&bits, &low, 8);
    if (up != down && up == up) bits |= 1;
    memcpy(value, &bits, 8);
    return true;
}

static bool floating(const char *text, unsigned bytes, uint64_t *bits) {
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && !strpbrk(text, ".pP");
    char *end;
    double value;
    float single;
    if (hex) return integer(text, bytes, bits);
    if (isspace((unsigned char)*text) || !*text) return false;
    switch (bytes) {
    case 2:
        if (!to_odd(text, &value)) return false;
        *bits = to_half(value);
        return true;
    case 4:
        single = strtof(text, &end);
        uint32_t word;
        memcpy(&word, &single, 4);
        *bits = word;
        break;
    default:
        value = strtod(text, &end);
        memcpy(bits, &value, 8);
    }
    return !*end;
}

bool cli_value(const cli_type *type, const char *text, size_t length, uint64_t *bits) {
    char copy[512];
    if (!length || length >= sizeof copy || memchr(text, 0, length)) return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    return type->kind == 'f' ? floating(copy, type->bytes, bits) : integer(copy, type->bytes, bits);
}

/* ---- text ---- */

double cli_half(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31 ? (fraction ? NAN : INFINITY)
                   : exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits & 0x8000 ? -value : value;
}

/* The fewest digits that give the same bits again. */
static void float_text(const cli_type *type, double value, uint64_t bits, char *text, size_t room) {
    uint64_t again;
    if (isnan(value)) {
        bool negative = bits >> (8 * type->bytes - 1) & 1;
        snprintf(text, room, "%snan", negative ? "-" : "");
        return;
    }
    for (int n = 1; n <= 17; n++) {
        snprintf(text, room, "%.*g", n, value);
        if (!cli_value(type, text, strlen(text), &again) || again != bits) continue;
        /* 10 and 65504, not 1e+01 and 6.55e+04 */
        if (strchr(text, 'e') && fabs(value) >= 1 && fabs(value) < 1e9) snprintf(text, room, "%.0f", value);
        return;
    }
}

void cli_value_text(const cli_type *type, uint64_t bits, char *text, size_t room) {
    float single;
    double value;
    uint32_t word = (uint32_t)bits;
    unsigned unused = 64 - 8 * type->bytes;
    switch (type->kind) {
    case 'i': snprintf(text, room, "%" PRId64, (int64_t)(bits << unused) >> unused); return;
    case 'u': snprintf(text, room, "%" PRIu64, bits); return;
    default: break;
    }
    memcpy(&single, &word, 4);
    memcpy(&value, &bits, 8);
    if (type->bytes == 2) value = cli_half((uint16_t)bits);
    if (type->bytes == 4) value = (double)single;
    float_text(type, value, bits, text, room);
}
