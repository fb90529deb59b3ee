/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as assembly text of any target: byte 0 chooses the target, byte 1 wave size and text flags. A line
 * that is refused must say where and why; one that is taken must decode to the same instruction.
 */
#include "execz/execz.h"

#include <stdlib.h>
#include <string.h>

static void expect(int truth) {
    if (!truth) abort();
}

static void check(const ez_target *target, unsigned wave, ez_text_flags flags, const char *line, size_t length) {
    ez_inst inst, decoded;
    ez_error err = {0};
    uint8_t bytes[EZ_INST_MAX_BYTES];
    ez_status status = ez_parse(target, wave, flags, line, length, &inst, &err);
    if (status == EZ_ERR_NOT_FOUND) return;
    if (status != EZ_OK) {
        expect(err.message[0] && err.column >= 1 && err.column <= length + 1);
        return;
    }
    size_t size = ez_encode(&inst, bytes);
    expect(ez_decode(target, wave, bytes, size, &decoded) == EZ_OK);
    expect(decoded.size == size && decoded.op == inst.op);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    const ez_target *target = ez_target_at(data[0] % ez_target_count());
    unsigned wave = data[1] & 1 ? 32 : 64;
    if (!ez_target_has_wave(target, wave)) wave = 0;
    ez_text_flags flags = data[1] & 2 ? EZ_TEXT_TRUE16 : EZ_TEXT_DEFAULT;
    const char *text = (const char *)data + 2, *end = (const char *)data + size;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        check(target, wave, flags, text, (size_t)(stop - text));
        text = stop + (stop < end);
    }
    return 0;
}
