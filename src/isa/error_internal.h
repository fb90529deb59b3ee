/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EZ_ERROR_INTERNAL_H
#define EZ_ERROR_INTERNAL_H

#include "execz/error.h"

/* Fills *err (when it is not NULL) and returns `status`, so that a failing function ends in
 * `return ez_error_set(err, EZ_ERR_FORMAT, "...")`. Offset, line and column become 0. */
ez_status ez_error_set(ez_error *err, ez_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, with the byte offset at which the trouble is. */
ez_status ez_error_at(ez_error *err, ez_status status, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
