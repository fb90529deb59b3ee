/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *cli_input_name(const char *path) {
    return !path || !strcmp(path, "-") ? "<stdin>" : path;
}

/* No code object or listing is larger; what is (a device that never ends) is a mistake. */
static const size_t INPUT_MAX = (size_t)1 << 30;

static char *read_stream(FILE *file, const char *name, size_t *size) {
    size_t room = 1 << 16, used = 0;
    char *bytes = malloc(room + 1);
    while (bytes) {
        used += fread(bytes + used, 1, room - used, file);
        if (used < room) break;
        if (used > INPUT_MAX) {
            cli_error("%s: larger than 1 GiB", name);
            free(bytes);
            return NULL;
        }
        char *more = room > SIZE_MAX / 4 ? NULL : realloc(bytes, 2 * room + 1);
        if (!more) free(bytes);
        bytes = more;
        room *= 2;
    }
    if (!bytes) {
        cli_error("%s: out of memory", name);
        return NULL;
    }
    if (ferror(file)) {
        cli_error("%s: %s", name, strerror(errno));
        free(bytes);
        return NULL;
    }
    bytes[used] = 0;
    *size = used;
    return bytes;
}

char *cli_read(const char *path, size_t *size) {
    const char *name = cli_input_name(path);
    if (!path || !strcmp(path, "-")) return read_stream(stdin, name, size);
    FILE *file = fopen(path, "rb");
    if (!file) {
        cli_error("%s: %s", path, strerror(errno));
        return NULL;
    }
    char *bytes = read_stream(file, name, size);
    fclose(file);
    return bytes;
}

bool cli_next_line(cli_lines *lines) {
    if (lines->at == lines->end) return false;
    const char *stop = memchr(lines->at, '\n', (size_t)(lines->end - lines->at));
    lines->line = lines->at;
    lines->length = (size_t)((stop ? stop : lines->end) - lines->at);
    if (lines->length && lines->line[lines->length - 1] == '\r') lines->length--;
    lines->at = stop ? stop + 1 : lines->end;
    lines->number++;
    return true;
}

int cli_hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}
