/* SPDX-License-Identifier: Apache-2.0 */
/* Operands of the memory families in text: the lists of VGPRs of image addresses. */
#include "families.h"

static void image_address(ez_writer *w, const ez_inst *inst) {
    ez_image_address a;
    ez_image_address_of(inst, &a);
    bool list = a.list && a.parts > 1;
    if (list) ez_write_char(w, '[');
    for (unsigned i = 0; i < a.parts; i++) {
        if (i) ez_write(w, ", ");
        ez_write_registers(w, "v", a.reg[i], a.dwords[i]);
    }
    if (list) ez_write_char(w, ']');
}

bool ez_print_memory(ez_writer *w, const ez_inst *inst, unsigned cls, const ez_operand *o) {
    (void)o;
    if (cls != EZ_C_iaddr) return false;
    image_address(w, inst);
    return true;
}
