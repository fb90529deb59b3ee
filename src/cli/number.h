/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as users write them, and the types that they may be written in. */
#ifndef EZ_CLI_NUMBER_H
#define EZ_CLI_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cli_type {
    const char *name; /* "f16" */
    unsigned bytes;
    char kind; /* 'i' signed, 'u' unsigned, 'f' float */
} cli_type;

/* i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64; NULL for any other word text[0..length). */
const cli_type *cli_type_find(const char *text, size_t length);
extern const char cli_type_list[]; /* for messages */

/*
 * The whole text[0..length) as bits of the type. Integers: decimal, 0x hexadecimal, 0b binary, of either
 * sign as long as the bits fit. Floats: 1.5, 1e-3, inf, nan, rounded once to nearest even; or 0x and the bits.
 */
bool cli_value(const cli_type *type, const char *text, size_t length, uint64_t *bits);

/* The value of the bits as text: integers in decimal, floats as short as they are exact. */
void cli_value_text(const cli_type *type, uint64_t bits, char *text, size_t room);

/* The double that f16 bits stand for. */
double cli_half(uint16_t bits);

#endif
