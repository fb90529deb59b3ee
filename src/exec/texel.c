/* SPDX-License-Identifier: Apache-2.0 */
#include "texel.h"

#include <math.h>
#include <string.h>

#include "bits.h"
#include "numbers_small.h"

/* ---- names ---- */

static const char *const number_names[] = {[EZ_NUMBER_UNORM] = "UNORM",     [EZ_NUMBER_SNORM] = "SNORM",
                                           [EZ_NUMBER_USCALED] = "USCALED", [EZ_NUMBER_SSCALED] = "SSCALED",
                                           [EZ_NUMBER_UINT] = "UINT",       [EZ_NUMBER_SINT] = "SINT",
                                           [EZ_NUMBER_FLOAT] = "FLOAT",     [EZ_NUMBER_SRGB] = "SRGB"};
enum { NUMBERS = sizeof number_names / sizeof *number_names };

static bool parse_number(const char *word, ez_texel *f) {
    for (unsigned n = 0; n < NUMBERS; n++) {
        f->number = (uint8_t)n;
        if (!strcmp(word, number_names[n])) return true;
    }
    return false;
}

/* The part of a name behind its last "_". */
static const char *last_word(const char *name) {
    const char *at = strrchr(name, '_');
    return at ? at + 1 : name;
}

/* Names list the components from the highest bits to the lowest, which are X. */
bool ez_texel_parse(const char *name, const char *number, ez_texel *f) {
    if (!name || (number && !*number)) return false;
    uint8_t width[4] = {0};
    unsigned count = 0, total = 0;
    *f = (ez_texel){0};
    const char *at = name;
    while (*at && (*at < '0' || *at > '9')) at++;
    while (*at >= '0' && *at <= '9') {
        unsigned bits = 0;
        while (*at >= '0' && *at <= '9' && bits < 100) bits = bits * 10 + (unsigned)(*at++ - '0');
        if (count == 4 || !bits || bits > 32) return false;
        width[count++] = (uint8_t)bits;
        total += bits;
        if (*at == '_') at++;
    }
    for (unsigned n = 0, low = 0; n < count; low += f->bits[n++]) {
        f->bits[n] = width[count - 1 - n];
        f->at[n] = (uint8_t)low;
    }
    f->components = (uint8_t)count;
    f->bytes = (uint8_t)(total / 8);
    return count && total % 8 == 0 && parse_number(number ? last_word(number) : at, f);
}

bool ez_texel_same(const ez_texel *a, const ez_texel *b) {
    bool same = a->components == b->components && a->number == b->number;
    for (unsigned n = 0; same && n < a->components; n++) same = a->bits[n] == b->bits[n];
    return same;
}

/* ---- floats of fewer bits ---- */

/* Those of 10 and 11 bits have no sign, and an exponent as half floats. */
static f32 small_float(uint32_t x, unsigned bits) {
    if (bits == 32) return x;
    if (bits == 16) return f16_widen(x);
    unsigned fraction = bits - 5;
    f32 r = f32_bits(f32_host(x << (23 - fraction)) * 0x1p112f);
    return x >> fraction == 31 ? r | 0x7f800000 : r;
}
static uint32_t to_small_float(f32 x, unsigned bits) {
    if (bits == 32) return x;
    if (bits == 16) return f16_narrow(x, 0);
    unsigned fraction = bits - 5;
    uint32_t infinity = 31u << fraction;
    if (f32_is_nan(x)) return infinity | 1u << (fraction - 1);
    if (x >> 31) return 0;
    if (f32_is_inf(x)) return infinity;
    u64 code = ez_magnitude(f64_of_f32(x), fraction, 15, 0);
    return code < infinity ? (uint32_t)code : infinity - 1;
}

/* ---- one component ---- */

static int32_t sign_extend(uint32_t x, unsigned bits) { return (int32_t)(x << (32 - bits)) >> (32 - bits); }
static double greatest(unsigned bits) { return (double)(((uint64_t)1 << bits) - 1); }

static double from_srgb(double x) { return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4); }
static double to_srgb(double x) { return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1 / 2.4) - 0.055; }

static uint32_t load_component(const ez_texel *f, unsigned n, uint32_t x) {
    unsigned bits = f->bits[n];
    switch (f->number) {
    case EZ_NUMBER_UNORM: return f32_bits((float)(x / greatest(bits)));
    case EZ_NUMBER_SNORM: return f32_bits((float)fmax(sign_extend(x, bits) / greatest(bits - 1), -1));
    case EZ_NUMBER_USCALED: return f32_bits((float)x);
    case EZ_NUMBER_SSCALED: return f32_bits((float)sign_extend(x, bits));
    case EZ_NUMBER_UINT: return x;
    case EZ_NUMBER_SINT: return (uint32_t)sign_extend(x, bits);
    case EZ_NUMBER_SRGB: return f32_bits((float)(n == 3 ? x / greatest(bits) : from_srgb(x / greatest(bits))));
    default: return small_float(x, bits);
    }
}

static double limit(double x, double low, double high) { return x > high ? high : x >= low ? x : low; } /* NaN: low */
static uint32_t round_to_integer(double x) { return (uint32_t)(int64_t)ez_roundeven64(x); }

static uint32_t store_component(const ez_texel *f, unsigned n, uint32_t x) {
    unsigned bits = f->bits[n];
    double value = (double)f32_host(x), top = greatest(bits), half = greatest(bits - 1);
    bool nan = f32_is_nan(x);
    switch (f->number) {
    case EZ_NUMBER_UNORM: return round_to_integer(limit(value, 0, 1) * top);
    case EZ_NUMBER_SNORM: return round_to_integer(nan ? 0 : limit(value, -1, 1) * half);
    case EZ_NUMBER_USCALED: return (uint32_t)(int64_t)limit(value, 0, top);
    case EZ_NUMBER_SSCALED: return (uint32_t)(int64_t)(nan ? 0 : limit(value, -half - 1, half));
    case EZ_NUMBER_UINT: return bits < 32 && x >> bits ? (1u << bits) - 1 : x;
    case EZ_NUMBER_SINT: return (uint32_t)(int64_t)limit((double)(int32_t)x, -half - 1, half);
    case EZ_NUMBER_SRGB: value = limit(value, 0, 1); return round_to_integer((n == 3 ? value : to_srgb(value)) * top);
    default: return to_small_float(x, bits);
    }
}

/* ---- elements ---- */

void ez_texel_load(const ez_texel *f, const uint8_t *p, uint32_t value[4]) {
    uint32_t dword[4] = {0};
    for (unsigned b = 0; b < f->bytes; b++) dword[b / 4] |= (uint32_t)p[b] << (8 * (b % 4));
    for (unsigned n = 0; n < 4; n++)
        value[n] = n < f->components ? load_component(f, n, ez_get_bits(dword, f->at[n], f->bits[n]))
                   : n < 3           ? 0
                                     : ez_texel_is_integer(f) ? 1 : 0x3f800000;
}

void ez_texel_store(const ez_texel *f, const uint32_t value[4], uint8_t *p) {
    uint32_t dword[4] = {0};
    for (unsigned n = 0; n < f->components; n++)
        ez_put_bits(dword, f->at[n], f->bits[n], store_component(f, n, value[n]));
    for (unsigned b = 0; b < f->bytes; b++) p[b] = (uint8_t)(dword[b / 4] >> (8 * (b % 4)));
}
