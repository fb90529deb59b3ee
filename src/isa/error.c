/* SPDX-License-Identifier: Apache-2.0 */
#include "error_internal.h"

#include <stdarg.h>
#include <stdio.h>

const char *ez_status_text(ez_status status) {
    switch (status) {
    case EZ_OK: return "success";
    case EZ_ERR_NOMEM: return "out of memory";
    case EZ_ERR_ARGUMENT: return "bad argument";
    case EZ_ERR_NOT_FOUND: return "not found";
    case EZ_ERR_FORMAT: return "bad format";
    case EZ_ERR_SYNTAX: return "syntax error";
    case EZ_ERR_DECODE: return "not an instruction";
    case EZ_ERR_ENCODE: return "cannot be encoded";
    case EZ_ERR_TRUNCATED: return "truncated";
    case EZ_ERR_UNSUPPORTED: return "not supported";
    case EZ_ERR_FAULT: return "fault";
    case EZ_ERR_LIMIT: return "limit reached";
    case EZ_ERR_IO: return "input or output failed";
    }
    return "unknown status";
}

static ez_status set(ez_error *err, ez_status status, uint64_t offset, const char *format,
                     va_list args) {
    if (err) {
        *err = (ez_error){.status = status, .offset = offset};
        vsnprintf(err->message, sizeof err->message, format, args);
    }
    return status;
}

ez_status ez_error_set(ez_error *err, ez_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    set(err, status, 0, format, args);
    va_end(args);
    return status;
}

ez_status ez_error_at(ez_error *err, ez_status status, uint64_t offset, const char *format, ...) {
    va_list args;
    va_start(args, format);
    set(err, status, offset, format, args);
    va_end(args);
    return status;
}
