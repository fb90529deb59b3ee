/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECZ_ERROR_H
#define EXECZ_ERROR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call can return. 0 is success, everything else an error that the caller can act on. */
typedef enum ez_status {
    EZ_OK = 0,
    EZ_ERR_NOMEM,       /* memory allocation failed */
    EZ_ERR_ARGUMENT,    /* an argument of the call is out of its documented range */
    EZ_ERR_NOT_FOUND,   /* no such target, kernel, symbol or instruction */
    EZ_ERR_FORMAT,      /* input bytes are not what they claim to be: ELF, note, bundle */
    EZ_ERR_SYNTAX,      /* assembly text that cannot be parsed */
    EZ_ERR_DECODE,      /* bytes that are no instruction of the target */
    EZ_ERR_ENCODE,      /* an instruction that the target cannot encode */
    EZ_ERR_TRUNCATED,   /* an instruction that is cut off by the end of the bytes */
    EZ_ERR_UNSUPPORTED, /* known, legal, and not implemented here */
    EZ_ERR_FAULT,       /* a running wave did something that stops real hardware too */
    EZ_ERR_LIMIT,       /* a limit set by the caller was reached: instructions, time, memory */
    EZ_ERR_IO           /* a file could not be read or written */
} ez_status;

/*
 * The detail behind a status. A caller passes a pointer to one (or NULL) to calls that can fail in
 * more than one way; it is written on failure only. Owns nothing.
 */
typedef struct ez_error {
    ez_status status;
    unsigned line;     /* of assembly text, from 1; 0 where there is none */
    unsigned column;   /* in bytes, from 1; 0 where there is none */
    uint64_t offset;   /* in bytes, into the input that was being read; 0 where it has no meaning */
    char message[240]; /* one line, without a final full stop or newline, never empty on failure */
} ez_error;

/* A short English name of a status, such as "bad format". Never NULL; the string is static. */
const char *ez_status_text(ez_status status);

#ifdef __cplusplus
}
#endif
#endif
