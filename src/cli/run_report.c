/* SPDX-License-Identifier: Apache-2.0 */
/* Why a dispatch stopped early. */
#include "run.h"

#include <inttypes.h>

static const char *access_text(unsigned access) {
    switch (access) {
    case EZ_MEMORY_READ: return "read";
    case EZ_MEMORY_WRITE: return "write";
    case EZ_MEMORY_READ | EZ_MEMORY_WRITE: return "atomic";
    default: return "access";
    }
}

static void print_nearest(const ez_fault_report *f) {
    if (!f->has_nearest) return;
    const ez_range *r = &f->nearest;
    fprintf(stderr, "  nearest    ");
    uint64_t away = f->distance < 0 ? 0 - (uint64_t)f->distance : (uint64_t)f->distance;
    if (away) fprintf(stderr, "%" PRIu64 " byte%s %s", away, away == 1 ? "" : "s", f->distance < 0 ? "before" : "behind");
    else fprintf(stderr, "inside");
    fprintf(stderr, " %s (0x%" PRIx64 " to 0x%" PRIx64 ", %" PRIu64 " bytes, %s%s%s)\n", r->label, r->address,
            r->address + r->size - 1, r->size, r->flags & EZ_MEMORY_READ ? "r" : "-",
            r->flags & EZ_MEMORY_WRITE ? "w" : "-", r->flags & EZ_MEMORY_EXECUTE ? "x" : "-");
}

static void print_instruction(const ez_target *target, const ez_kernel *kernel, const ez_fault_report *f) {
    char text[EZ_TEXT_MAX] = "(no instruction of this GPU)";
    ez_inst inst;
    unsigned wave = 0;
    if (!f->byte_count) {
        fputs("  code       none at this address\n", stderr);
        return;
    }
    if (ez_target_has_wave(target, 32) && ez_target_has_wave(target, 64))
        wave = ez_descriptor_get(&kernel->descriptor, EZ_KD_ENABLE_WAVEFRONT_SIZE32) ? 32 : 64;
    if (ez_decode(target, wave, f->bytes, f->byte_count, &inst) == EZ_OK)
        ez_print(&inst, EZ_TEXT_DEFAULT, text, sizeof text);
    fprintf(stderr, "  code       %s  ; ", text);
    for (uint32_t i = 0; i < f->byte_count && i < sizeof f->bytes; i++)
        fprintf(stderr, "%02x", f->bytes[i]);
    fputc('\n', stderr);
}

void run_report(const ez_dispatch *dispatch, const ez_result *result) {
    const ez_fault_report *f = &result->fault;
    const ez_object *object = ez_module_object(dispatch->module);
    const ez_target *target = ez_object_target(object);
    ez_source_line line;
    fprintf(stderr, "  kernel     %s on %s\n", dispatch->kernel->name, ez_target_name(target));
    if (!f->byte_count && !f->pc) return; /* nothing is known of a place */
    fprintf(stderr, "  group      %u, %u, %u\n  wave       %u\n", f->workgroup[0], f->workgroup[1],
            f->workgroup[2], f->wave);
    fprintf(stderr, "  pc         0x%" PRIx64 " in the code object, 0x%" PRIx64 " on the device\n", f->code_offset,
            f->pc);
    if (ez_object_source_line(object, f->code_offset, &line))
        fprintf(stderr, "  source     %s:%u\n", line.file, line.line);
    print_instruction(target, dispatch->kernel, f);
    fprintf(stderr, "  exec       0x%" PRIx64 "\n", f->exec);
    if (f->kind == EZ_FAULT_NONE) return;
    if (f->lane != EZ_NO_LANE)
        fprintf(stderr, "  lane       %u, work-item %u, %u, %u of the group\n", f->lane, f->work_item[0],
                f->work_item[1], f->work_item[2]);
    if (!f->has_address) return;
    fprintf(stderr, "  address    0x%" PRIx64 ", %s of %u bytes%s\n", f->address, access_text(f->access), f->size,
            f->lane == EZ_NO_LANE ? ", scalar" : "");
    print_nearest(f);
}
