/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as code of any target: byte 0 chooses the target, byte 1 wave size and text flags. What decodes
 * must encode to the same bytes and print within the promised length; what the assembler makes of its text must
 * be an instruction again. (Not the same bytes: llvm-mc too takes 1.0 for a literal in some packed instructions.)
 */
#include "execz/execz.h"

#include <stdlib.h>
#include <string.h>

static void expect(int truth) {
    if (!truth) abort();
}

static void check(const ez_inst *inst, const uint8_t *bytes, ez_text_flags flags) {
    uint8_t again[EZ_INST_MAX_BYTES];
    char text[EZ_TEXT_MAX];
    ez_inst parsed, decoded;
    ez_error err;
    expect(ez_encode(inst, again) == inst->size && !memcmp(again, bytes, inst->size));
    size_t length = ez_print(inst, flags, text, sizeof text);
    expect(length < sizeof text && strlen(text) == length);
    for (unsigned n = 0; n < ez_inst_operand_count(inst); n++) {
        ez_operand o = ez_inst_operand(inst, n);
        expect(ez_operand_type(&o) != NULL && o.kind != EZ_OPERAND_INVALID);
    }
    if (ez_parse(inst->target, inst->wave, flags, text, length, &parsed, &err) != EZ_OK) return;
    size_t size = ez_encode(&parsed, again);
    expect(ez_decode(inst->target, inst->wave, again, size, &decoded) == EZ_OK && decoded.size == size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    const ez_target *target = ez_target_at(data[0] % ez_target_count());
    unsigned wave = data[1] & 1 ? 32 : 64;
    if (!ez_target_has_wave(target, wave)) wave = 0;
    ez_text_flags flags = data[1] & 2 ? EZ_TEXT_TRUE16 : EZ_TEXT_DEFAULT;
    const uint8_t *code = data + 2;
    ez_inst inst;
    ez_status status;
    for (size_t at = 0, from = 0;
         (status = ez_decode_next(target, wave, code, size - 2, &at, &inst)) != EZ_ERR_NOT_FOUND; from = at)
        if (status == EZ_OK) check(&inst, code + from, flags);
    return 0;
}
