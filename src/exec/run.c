/* SPDX-License-Identifier: Apache-2.0 */
/* The run loop, and how it is left. */
#include <string.h>

#include "control.h"
#include "host_flush.h"
#include "program.h"

uint64_t ez_step_pc(const ez_wave *w, const ez_step *s) { return w->program->address + s->offset; }

void ez_wave_stop(ez_wave *w, ez_stop stop, uint64_t pc) {
    w->stop = stop;
    w->pc = pc;
}

static void fault_at(ez_wave *w, uint64_t pc, const ez_inst *inst, ez_fault_kind kind, const char *reason) {
    ez_fault *f = &w->fault;
    f->kind = kind;
    f->pc = pc;
    f->reason = reason;
    f->size = inst ? inst->size : 0;
    uint64_t offset = pc - w->program->address;
    size_t have = offset < w->program->size ? (size_t)(w->program->size - offset) : 0;
    size_t copied = inst ? inst->size : 8;
    if (have) memcpy(f->bytes, w->program->code + offset, copied < have ? copied : have);
    ez_wave_stop(w, EZ_STOP_FAULT, pc);
}

void ez_wave_fault(ez_wave *w, const ez_step *s, ez_fault_kind kind, const char *reason) {
    w->fault.lane = EZ_FAULT_NO_LANE;
    fault_at(w, ez_step_pc(w, s), s->inst, kind, reason);
}

void ez_wave_fault_memory(ez_wave *w, const ez_step *s, ez_fault_kind kind, unsigned lane,
                          uint64_t address, uint32_t size, unsigned access, const char *reason) {
    fault_at(w, ez_step_pc(w, s), s->inst, kind, reason);
    w->fault.lane = lane;
    w->fault.address = address;
    w->fault.access_size = size;
    w->fault.access = access;
}

enum { MODE_EXCP_EN = 12 }; /* a bit for each EZ_FLAG_... Source: [RDNA3] "Mode register" */

void ez_wave_raise(ez_wave *w, const ez_step *s, uint32_t flags) {
    w->flags |= flags;
    uint32_t enabled = w->mode >> MODE_EXCP_EN & 0x7f & flags;
    if (!enabled) return;
    ez_wave_fault(w, s, EZ_FAULT_EXCEPTION, "a floating-point exception that MODE enables");
    w->fault.value = enabled;
}

const ez_fault *ez_wave_fault_info(const ez_wave *w) { return &w->fault; }

const char *ez_fault_text(ez_fault_kind kind) {
    static const char *const text[] = {
        "no fault",          "instruction fetch fault", "illegal instruction", "unsupported instruction",
        "memory fault",      "alignment fault",         "register fault",      "floating-point exception",
        "trap",              "out of host memory"};
    return (unsigned)kind < sizeof text / sizeof *text ? text[kind] : "unknown fault";
}

static bool index_mode(const ez_wave *w) {
    return w->mode & EZ_MODE_GPR_IDX_EN && ez_spelling_on(w->target, EZ_OP_S_SET_GPR_IDX_ON);
}

static bool skips_vectors(const ez_wave *w) {
    return w->mode & EZ_MODE_VSKIP && ez_spelling_on(w->target, EZ_OP_S_SETVSKIP);
}

void ez_wave_update_key(ez_wave *w) {
    bool flags = w->program->keeps_flags || (w->mode >> 12 & 0x7f);
    bool flushes = w->md.flush_in32 & w->md.flush_out32 && w->program->level->host_flushes;
    w->key = (flags ? EZ_KEY_FLAGS : 0) | (index_mode(w) ? EZ_KEY_GPR_INDEX : 0) |
             (skips_vectors(w) ? EZ_KEY_VSKIP : 0) | (w->marks ? EZ_KEY_MARK : 0) | (flushes ? EZ_KEY_HOST_FLUSH : 0) |
             (w->msb & 0xff) << EZ_KEY_MSB_SHIFT;
}

void ez_wave_jump(ez_wave *w, uint64_t pc) {
    ez_program *p = w->program;
    uint64_t offset = pc - p->address;
    if (offset >= p->size || offset & 3) {
        w->fault.lane = EZ_FAULT_NO_LANE;
        fault_at(w, pc, NULL, EZ_FAULT_FETCH, "no code at the program counter");
        return;
    }
    ez_block *b = atomic_load_explicit(&p->blocks[offset / 4], memory_order_acquire);
    if (!b || b->key != w->key) b = ez_program_block(p, (size_t)offset, w->key);
    if (b) w->step = b->steps;
    else fault_at(w, pc, NULL, EZ_FAULT_NOMEM, "no memory to lower the code");
}

/* Runs a step with which the limit may be reached, in the middle of what is skipped before it or behind it. Returns how
 * many instructions are left. */
static uint64_t near_limit(ez_wave *w, const ez_step *s, uint64_t left) {
    if (left <= s->skipped) {
        ez_wave_stop(w, EZ_STOP_LIMIT, ez_step_pc(w, s) - 4 * (s->skipped - left));
        return 0;
    }
    left -= s->counts;
    s->fn(w, s);
    if (!left && !w->stop) ez_wave_stop(w, EZ_STOP_LIMIT, ez_step_pc(w, w->step) - 4 * w->step->skipped);
    return left;
}

ez_stop ez_wave_run(ez_wave *w, ez_program *program, uint64_t max_instructions) {
    w->fault = (ez_fault){.reason = ""};
    w->program = program;
    w->access = program->level->access;
    w->stop = EZ_STOP_NONE;
    if (program->target != w->target || program->lanes != w->lanes) {
        w->fault.kind = EZ_FAULT_FETCH;
        w->fault.pc = w->pc;
        w->fault.reason = "the program is for another target or wave size";
        return w->stop = EZ_STOP_FAULT;
    }
    ez_wave_update_key(w);
    ez_wave_jump(w, w->pc);
    uint64_t left = max_instructions ? max_instructions : UINT64_MAX, before = left;
    while (!w->stop) {
        const ez_step *s = w->step++;
        if (left <= s->counts) {
            left = near_limit(w, s, left);
            continue;
        }
        left -= s->counts;
        s->fn(w, s);
    }
    ez_host_keeps(w); /* at the limit it may have stopped where the host flushes */
    w->instructions += before - left;
    if (w->entered) ez_mark_stop(w);
    return w->stop;
}

/* ---- steps of the lowering ---- */

void ez_step_fault(ez_wave *w, const ez_step *s) {
    ez_wave_fault(w, s, (ez_fault_kind)s->imm[0], (const char *)(uintptr_t)s->imm[1]);
}

void ez_step_fall_through(ez_wave *w, const ez_step *s) { ez_wave_jump(w, ez_step_pc(w, s)); }

void ez_step_exec_changed(ez_wave *w, const ez_step *s) {
    (void)s;
    ez_exec_changed(w);
}

void ez_step_copy_to_exec(ez_wave *w, const ez_step *s) {
    ez_put_mask(w, EZ_SLOT_EXEC, ez_get_mask(w, s->dst[0].index));
    ez_exec_changed(w);
}
