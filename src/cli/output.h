/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Much text for standard output: it is put together in a buffer and written when that is full, so that a line costs
 * no call of stdio. What is in the buffer is lost unless cli_out_flush() comes last.
 */
#ifndef EZ_CLI_OUTPUT_H
#define EZ_CLI_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { CLI_OUT_BYTES = 1 << 16 };

typedef struct cli_out {
    size_t used;
    char bytes[CLI_OUT_BYTES];
} cli_out;

void cli_out_flush(cli_out *out);

/* Makes room for n bytes, at most CLI_OUT_BYTES; whoever writes there adds to `used`. */
static inline char *cli_out_room(cli_out *out, size_t n) {
    if (n > CLI_OUT_BYTES - out->used) cli_out_flush(out);
    return out->bytes + out->used;
}

static inline void cli_out_char(cli_out *out, char c) {
    *cli_out_room(out, 1) = c;
    out->used++;
}

void cli_out_long(cli_out *out, const char *text, size_t n);
static inline void cli_out_bytes(cli_out *out, const char *text, size_t n) {
    if (n > CLI_OUT_BYTES - out->used) {
        cli_out_long(out, text, n);
        return;
    }
    memcpy(out->bytes + out->used, text, n);
    out->used += n;
}
static inline void cli_out_text(cli_out *out, const char *text) {
    cli_out_bytes(out, text, strlen(text));
}

/* A name that comes from a file: what a terminal would obey is shown as ?. */
void cli_out_name(cli_out *out, const char *name);

void cli_out_spaces(cli_out *out, size_t n);
void cli_out_decimal(cli_out *out, uint64_t value);

/* What lies between '9' and the letters. */
enum { CLI_HEX_UPPER = 'A' - '9' - 1, CLI_HEX_LOWER = 'a' - '9' - 1 };

/* Eight hexadecimal digits, all at once: a nibble to a byte, and 7 (or 39) between '9' and the letters. */
static inline char *cli_put_hex8(char *to, uint32_t value, unsigned letters) {
    uint64_t n = value;
    n = (n | n << 16) & UINT64_C(0x0000ffff0000ffff);
    n = (n | n << 8) & UINT64_C(0x00ff00ff00ff00ff);
    n = (n | n << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    uint64_t above_9 = (n + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
    n += UINT64_C(0x3030303030303030) + above_9 * letters;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    n = __builtin_bswap64(n);
#endif
    memcpy(to, &n, sizeof n);
    return to + 8;
}

/* Hexadecimal with at least 12 digits: these are most addresses. */
static inline char *cli_put_HEX12(char *to, uint64_t value) {
    for (unsigned digit = 16; digit-- > 12;)
        if (value >> (4 * digit)) *to++ = "0123456789ABCDEF"[value >> (4 * digit) & 15];
    cli_put_hex8(to, (uint32_t)(value >> 16), CLI_HEX_UPPER);
    return cli_put_hex8(to + 4, (uint32_t)value, CLI_HEX_UPPER);
}

/* Hexadecimal with at least so many digits, at most 16. */
static inline void cli_out_hex_digits(cli_out *out, uint64_t value, unsigned least, unsigned letters) {
    char digits[16];
    unsigned n = least;
    while (n < 16 && value >> (4 * n))
        n++;
    cli_put_hex8(cli_put_hex8(digits, (uint32_t)(value >> 32), letters), (uint32_t)value, letters);
    cli_out_bytes(out, digits + 16 - n, n);
}
static inline void cli_out_hex(cli_out *out, uint64_t value, unsigned least) {
    cli_out_hex_digits(out, value, least, CLI_HEX_LOWER);
}
static inline void cli_out_HEX(cli_out *out, uint64_t value, unsigned least) {
    cli_out_hex_digits(out, value, least, CLI_HEX_UPPER);
}

/* A JSON string, with its quotes; bytes that are no UTF-8 text become U+FFFD. */
void cli_out_json(cli_out *out, const char *text);

#endif
