/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which layout of hidden arguments a kernel was compiled for. libclc's get_global_offset() and get_work_dim() read
 * the first 16 bytes as work dimensions and global offsets, 32 bits each (Mesa's layout), on every target; in a code
 * object of version 5 the numbers of workgroups lie there, which would shift each work-item's id. Nothing in a code
 * object names the library, so EZ_HIDDEN_AUTO goes by what the kernel does.
 * Source: libclc of LLVM 22, amdgcn get_global_offset.cl, get_work_dim.cl; [LLVM] "V5 Metadata".
 */
#include "device/launch.h"

#include <string.h>

/* Offsets behind the first hidden argument. */
enum {
    LIBCLC_OFFSET_X = 4, /* in the other layout the numbers of workgroups in y and z, for which hardly anyone asks */
    LIBCLC_OFFSET_Z = 12, /* in the other layout the size of a workgroup, for which all ask */
    LIBCLC_END = 16,
    HIDDEN_MAX = 256
};

/* The SGPR pair with the address of the arguments. Source: [LLVM] "SGPR Register Set Up Order". */
static unsigned kernarg_sgpr(const ez_kernel_descriptor *d) {
    return 4 * ez_descriptor_get(d, EZ_KD_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER) +
           2 * ez_descriptor_get(d, EZ_KD_ENABLE_SGPR_DISPATCH_PTR) +
           2 * ez_descriptor_get(d, EZ_KD_ENABLE_SGPR_QUEUE_PTR);
}

/* The code of the kernel's function, as the symbol table bounds it; NULL when it does not. */
static const void *code_of(const ez_launch *l, const ez_symbol *symbols, size_t count, size_t *size) {
    ez_range_cache cache;
    ez_range_cache_init(&cache, l->device);
    for (size_t i = 0; i < count; i++) {
        if (symbols[i].value != l->kernel->entry_address || symbols[i].type != EZ_SYMBOL_FUNCTION) continue;
        if (!symbols[i].size || symbols[i].size > UINT32_MAX) continue;
        *size = (size_t)symbols[i].size;
        return ez_range_translate(&cache, ez_module_base(l->dispatch->module) + symbols[i].value, (uint32_t)*size,
                                  EZ_MEMORY_EXECUTE);
    }
    return NULL;
}

/* Whether the instruction loads arguments by a number alone, and from which byte on. */
static bool loads_arguments(const ez_inst *inst, unsigned base, uint64_t *offset, unsigned *bytes) {
    if (strncmp(ez_inst_name(inst), "s_load_", 7) || ez_inst_operand_count(inst) < 3) return false;
    ez_operand data = ez_inst_operand(inst, 0), from = ez_inst_operand(inst, 1), at = ez_inst_operand(inst, 2);
    if (from.kind != EZ_OPERAND_SGPR || from.reg != base || at.kind != EZ_OPERAND_IMMEDIATE) return false;
    *offset = at.value;
    *bytes = 4 * data.dwords;
    return true;
}

/* 1: reads what only libclc has a use for; -1: reads what lies behind that; 0: neither. */
static int layout_by_loads(const ez_launch *l, const void *code, size_t size, uint32_t first_hidden) {
    unsigned base = kernarg_sgpr(&l->kernel->descriptor), bytes;
    int found = 0;
    ez_inst inst;
    ez_status status;
    uint64_t offset;
    for (size_t at = 0; (status = ez_decode_next(l->target, l->lanes, code, size, &at, &inst)) != EZ_ERR_NOT_FOUND;) {
        if (status != EZ_OK || !loads_arguments(&inst, base, &offset, &bytes)) continue;
        if (offset >= UINT32_MAX || offset + bytes <= first_hidden + LIBCLC_OFFSET_X) continue;
        if (offset >= first_hidden + LIBCLC_END && offset < first_hidden + HIDDEN_MAX) return -1;
        if (offset < first_hidden + LIBCLC_OFFSET_Z) found = 1;
    }
    return found;
}

bool ez_launch_takes_libclc_arguments(const ez_launch *l, uint32_t first_hidden) {
    const ez_object *object = ez_module_object(l->dispatch->module);
    const ez_kernel_metadata *m = l->kernel->metadata;
    if (l->dispatch->hidden != EZ_HIDDEN_AUTO) return l->dispatch->hidden == EZ_HIDDEN_LIBCLC;
    if (!m || !m->language || strcmp(m->language, "OpenCL C") || ez_object_version(object) < 5) return false;
    size_t count, size;
    const ez_symbol *symbols = ez_object_symbols(object, &count);
    for (size_t i = 0; i < count; i++) /* not inlined: ROCm's library, which knows version 5 */
        if (!strncmp(symbols[i].name, "__ockl_", 7)) return false;
    const void *code = code_of(l, symbols, count, &size);
    int by_loads = code ? layout_by_loads(l, code, size, first_hidden) : 0;
    if (by_loads) return by_loads > 0;
    /* unoptimised: the local size from the dispatch packet is libclc's way; version 5 has it among the arguments */
    return ez_descriptor_get(&l->kernel->descriptor, EZ_KD_ENABLE_SGPR_DISPATCH_PTR) != 0;
}
