/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code object readers: the bytes of a code object, from memory or a file. A reader and the executables
 * that were loaded from it share them, for a client may destroy the reader first. The older code object handle is the
 * same thing.
 */
#define _GNU_SOURCE
#include "hsa/loader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

ez_code *ez_code_new(const void *bytes, size_t size, int file) {
    if (size > SIZE_MAX - sizeof(ez_code)) return NULL;
    ez_code *code = malloc(sizeof *code + size);
    if (!code) return NULL;
    atomic_init(&code->users, 1);
    code->size = size;
    code->file = file;
    code->origin = bytes;
    if (bytes) memcpy(code->bytes, bytes, size);
    return code;
}

void ez_code_drop(ez_code *code) {
    if (code && atomic_fetch_sub(&code->users, 1) == 1) free(code);
}

hsa_status_t hsa_code_object_reader_create_from_memory(const void *bytes, size_t size,
                                                       hsa_code_object_reader_t *reader) {
    EZ_NEED_INIT();
    if (!bytes || !size || !reader) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    ez_code *code = ez_code_new(bytes, size, -1);
    reader->handle = (uint64_t)(uintptr_t)code;
    return code ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

static bool read_all(int file, off_t offset, uint8_t *to, size_t size) {
    while (size) {
        ssize_t n = pread(file, to, size, offset);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        to += n;
        offset += n;
        size -= (size_t)n;
    }
    return true;
}

hsa_status_t ez_reader_from_part(hsa_file_t file, size_t offset, size_t size,
                                 hsa_code_object_reader_t *reader) {
    EZ_NEED_INIT();
    struct stat info;
    if (!reader || !size) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (fstat(file, &info) || info.st_size < 0) return HSA_STATUS_ERROR_INVALID_FILE;
    if (offset > (size_t)info.st_size || size > (size_t)info.st_size - offset)
        return HSA_STATUS_ERROR_INVALID_FILE;
    ez_code *code = ez_code_new(NULL, size, file);
    if (!code) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    if (!read_all(file, (off_t)offset, code->bytes, size)) {
        free(code);
        return HSA_STATUS_ERROR_INVALID_FILE;
    }
    reader->handle = (uint64_t)(uintptr_t)code;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_code_object_reader_create_from_file(hsa_file_t file, hsa_code_object_reader_t *reader) {
    EZ_NEED_INIT();
    struct stat info;
    if (fstat(file, &info) || info.st_size <= 0) return HSA_STATUS_ERROR_INVALID_FILE;
    return ez_reader_from_part(file, 0, (size_t)info.st_size, reader);
}

hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t reader) {
    EZ_NEED_INIT();
    if (!reader.handle) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
    ez_code_drop((ez_code *)(uintptr_t)reader.handle);
    return HSA_STATUS_SUCCESS;
}
