/* SPDX-License-Identifier: Apache-2.0 */
#include "text.h"

void ez_write_char(ez_writer *w, char c) {
    if (w->length + 1 < w->room) w->text[w->length] = c;
    w->length++;
}

void ez_write(ez_writer *w, const char *s) {
    while (*s)
        ez_write_char(w, *s++);
}

void ez_write_decimal(ez_writer *w, int64_t value) {
    char digits[20];
    unsigned n = 0;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (value < 0) ez_write_char(w, '-');
    do
        digits[n++] = (char)('0' + rest % 10);
    while (rest /= 10);
    while (n)
        ez_write_char(w, digits[--n]);
}

void ez_write_hex(ez_writer *w, uint64_t value) {
    int shift = 60;
    while (shift && !(value >> shift))
        shift -= 4;
    ez_write(w, "0x");
    for (; shift >= 0; shift -= 4)
        ez_write_char(w, "0123456789abcdef"[value >> shift & 15]);
}
