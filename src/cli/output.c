/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"

#include <stdbool.h>
#include <stdio.h>

void cli_out_flush(cli_out *out) {
    fwrite(out->bytes, 1, out->used, stdout); /* main() asks whether that failed */
    out->used = 0;
}

void cli_out_long(cli_out *out, const char *text, size_t n) {
    while (n) {
        size_t part = n < CLI_OUT_BYTES ? n : CLI_OUT_BYTES;
        memcpy(cli_out_room(out, part), text, part);
        out->used += part;
        text += part;
        n -= part;
    }
}

void cli_out_name(cli_out *out, const char *name) {
    for (; *name; name++)
        cli_out_char(out, (unsigned char)*name < ' ' || *name == 127 ? '?' : *name);
}

void cli_out_spaces(cli_out *out, size_t n) {
    memset(cli_out_room(out, n), ' ', n);
    out->used += n;
}

void cli_out_decimal(cli_out *out, uint64_t value) {
    char digits[20];
    unsigned n = 0;
    do
        digits[n++] = (char)('0' + value % 10);
    while (value /= 10);
    while (n)
        cli_out_char(out, digits[--n]);
}

/* ---- JSON ---- */

/* The bytes of the UTF-8 character there; 0 when it is none. Source: Unicode, table 3-7. */
static unsigned utf8_length(const unsigned char *s) {
    static const struct {
        unsigned char first, last, low, high; /* of the first byte; of the second */
        unsigned length;
    } forms[] = {{0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
                 {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
                 {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (*s < forms[i].first || *s > forms[i].last) continue;
        if (forms[i].length > 1 && (s[1] < forms[i].low || s[1] > forms[i].high)) return 0;
        for (unsigned n = 2; n < forms[i].length; n++)
            if ((s[n] & 0xc0) != 0x80) return 0;
        return forms[i].length;
    }
    return 0;
}

void cli_out_json(cli_out *out, const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    cli_out_char(out, '"');
    while (*s) {
        unsigned n = utf8_length(s);
        if (!n) {
            cli_out_text(out, "\\ufffd");
            s++;
        } else if (*s < ' ' || *s == 127) {
            cli_out_text(out, "\\u");
            cli_out_hex(out, *s++, 4);
        } else {
            if (*s == '"' || *s == '\\') cli_out_char(out, '\\');
            cli_out_bytes(out, (const char *)s, n);
            s += n;
        }
    }
    cli_out_char(out, '"');
}
