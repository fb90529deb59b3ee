/* SPDX-License-Identifier: Apache-2.0 */
/* Code objects for the tests: where the build put them. */
#ifndef TEST_FILES_H
#define TEST_FILES_H

#include <stdio.h>
#include <stdlib.h>

/* The bytes of a file, to be freed, or NULL. */
static inline void *read_file(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    void *bytes = NULL;
    long length = -1;
    if (!fseek(f, 0, SEEK_END)) length = ftell(f);
    rewind(f);
    if (length >= 0) bytes = malloc((size_t)length + 1);
    if (bytes && fread(bytes, 1, (size_t)length, f) != (size_t)length) {
        free(bytes);
        bytes = NULL;
    }
    fclose(f);
    *size = bytes ? (size_t)length : 0;
    return bytes;
}

#endif
