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

void cli_out_bytes(cli_out *out, const char *text, size_t n);
static inline void cli_out_text(cli_out *out, const char *text) {
    cli_out_bytes(out, text, strlen(text));
}

/* A name that comes from a file: what a terminal would obey is shown as ?. */
void cli_out_name(cli_out *out, const char *name);

void cli_out_spaces(cli_out *out, size_t n);
void cli_out_decimal(cli_out *out, uint64_t value);

/* Hexadecimal with at least so many digits; `digits` are "0123456789abcdef" or upper case. */
void cli_out_hex_digits(cli_out *out, uint64_t value, unsigned least, const char *digits);
static inline void cli_out_hex(cli_out *out, uint64_t value, unsigned least) {
    cli_out_hex_digits(out, value, least, "0123456789abcdef");
}
static inline void cli_out_HEX(cli_out *out, uint64_t value, unsigned least) {
    cli_out_hex_digits(out, value, least, "0123456789ABCDEF");
}

/* A JSON string, with its quotes; bytes that are no UTF-8 text become U+FFFD. */
void cli_out_json(cli_out *out, const char *text);

#endif
