/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions of assembly text, with LLVM's operators and their precedence: of numbers alone, or with symbols
 * where whoever parses says what names mean. One grammar for operands and directives.
 */
#ifndef EZ_EXPRESSION_H
#define EZ_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "execz/error.h"

typedef enum ez_operator {
    EZ_OPERATOR_NEGATE, EZ_OPERATOR_NOT, EZ_OPERATOR_LOGICAL_NOT, /* of one operand */
    EZ_OPERATOR_LOGICAL_OR, EZ_OPERATOR_LOGICAL_AND,
    EZ_OPERATOR_EQUAL, EZ_OPERATOR_UNEQUAL, EZ_OPERATOR_LESS, EZ_OPERATOR_LESS_EQUAL, EZ_OPERATOR_GREATER, EZ_OPERATOR_GREATER_EQUAL,
    EZ_OPERATOR_ADD, EZ_OPERATOR_SUBTRACT,
    EZ_OPERATOR_OR, EZ_OPERATOR_OR_NOT, EZ_OPERATOR_XOR, EZ_OPERATOR_AND,
    EZ_OPERATOR_MULTIPLY, EZ_OPERATOR_DIVIDE, EZ_OPERATOR_REMAINDER, EZ_OPERATOR_SHIFT_LEFT, EZ_OPERATOR_SHIFT_RIGHT
} ez_operator;

struct ez_node; /* of whoever parses: what is known later only */

/* The value of an expression: a number when node is NULL. */
typedef struct ez_term {
    uint64_t value;
    const struct ez_node *node;
} ez_term;

/* A place in the text that is being read. Columns of errors count from `start`. */
typedef struct ez_cursor {
    const char *start, *at, *end;
    ez_error *err;
    const struct ez_names *names; /* NULL: no names are known */
} ez_cursor;

/* What names mean. Each returns NULL, or what is wrong: the message of an error at the name. */
typedef struct ez_names {
    void *user;
    /* A symbol, or "." for the present place, or 1b or 1f; `specifier` is what stands behind '@', length 0: nothing;
     * NULL for a name in quotes, which is a symbol whatever it looks like */
    const char *(*symbol)(void *user, const char *name, size_t length, const char *specifier,
                          size_t specifier_length, ez_term *out);
    /* An operator, at `where`, of which an operand is no number yet; b is NULL where there is one operand. */
    const char *(*combine)(void *user, ez_operator op, const char *where, const ez_term *a, const ez_term *b,
                           ez_term *out);
    /* name(arguments); *known is false when there is no such function, and then the name is a symbol */
    const char *(*call)(void *user, const char *name, size_t length, const ez_term *arguments,
                        size_t count, ez_term *out, bool *known);
    /* whether it is a symbol alone */
    bool (*is_symbol)(const struct ez_node *node);
} ez_names;

/* Most arguments of a function, and how deeply expressions may be nested. */
enum { EZ_CALL_ARGUMENTS = 256, EZ_EXPRESSION_DEPTH = 64 };

/* Reads an expression from c->at on. */
ez_status ez_read_expression(ez_cursor *c, ez_term *out);
/* A number, a name or an expression in parentheses, with its sign: what stands between bars. */
ez_status ez_read_primary(ez_cursor *c, ez_term *out);

/* Moves over blanks and comments; whether nothing is left but those. */
bool ez_read_blank(ez_cursor *c);

/* The name that begins here, without blanks before it: its length, 0 when there is none. A name may have any of
 * letters, digits and _ . $ and begins with no digit. */
size_t ez_read_name(const ez_cursor *c);

/* Whether a number with a point or an exponent begins here; reads it as the bits of a double, by which a float counts
 * within an expression. */
bool ez_float_here(const ez_cursor *c);
ez_status ez_read_float(ez_cursor *c, uint64_t *bits);

/* The result of an operator on numbers; false for a division by zero. */
bool ez_apply_operator(ez_operator op, uint64_t a, uint64_t b, uint64_t *out);

#endif
