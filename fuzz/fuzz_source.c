/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a file of assembly text: byte 0 chooses the target, byte 1 whether there is a listing. What is assembled
 * must give objects that the reader of code objects takes, or says why not without a crash.
 */
#include "execz/execz.h"

static void read_back(ez_asm *assembler, ez_asm_output output) {
    const uint8_t *bytes;
    size_t size;
    ez_error err;
    ez_object *object;
    if (ez_asm_object(assembler, output, &bytes, &size, &err)) return;
    if (ez_object_open_memory(bytes, size, &object, &err) == EZ_OK) ez_object_close(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    ez_asm_options options = {.target = ez_target_at(data[0] % ez_target_count()), .listing = data[1] & 1};
    ez_asm *assembler;
    if (ez_asm_open(&options, &assembler, NULL)) return 0;
    ez_status status = ez_asm_source(assembler, "input", (const char *)data + 2, size - 2);
    if (!status) status = ez_asm_finish(assembler);
    if (!status) {
        read_back(assembler, EZ_ASM_RELOCATABLE);
        read_back(assembler, EZ_ASM_LOADABLE);
    }
    ez_asm_close(assembler);
    return 0;
}
