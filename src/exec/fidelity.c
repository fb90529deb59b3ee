/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which instructions of a program were executed, and how near to hardware each is. A wave that marks runs blocks of its own
 * (EZ_KEY_MARK), whose first step notes that the block is entered. A block that was left has been executed to its end; where a
 * wave stops inside of one, as far as it came.
 */
#include "matrix.h"
#include "program.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { TO_THE_END = 0x7fffffff };

static void reached(ez_block *b, int bytes) {
    int old = atomic_load_explicit(&b->reached, memory_order_relaxed);
    while (old < bytes && !atomic_compare_exchange_weak(&b->reached, &old, bytes))
        ;
}

void ez_step_enter(ez_wave *w, const ez_step *s) {
    if (w->entered) reached(w->entered, TO_THE_END);
    w->entered = (ez_block *)(uintptr_t)s->imm[0];
}

/* An instruction, or a use of it, that execz cannot run; the lock orders it against the report. */
static void note_unsupported(ez_wave *w, ez_block *b) {
    ez_program *p = w->program;
    pthread_mutex_lock(&p->lock);
    b->lacking = (uint32_t)(w->fault.pc - p->address);
    b->lacking_reason = w->fault.reason;
    pthread_mutex_unlock(&p->lock);
}

void ez_mark_stop(ez_wave *w) {
    ez_block *b = w->entered;
    uintptr_t next = (uintptr_t)w->step, first = (uintptr_t)b->steps;
    const ez_step *last = w->step - 1;
    bool inside = next > first && next <= first + b->count * sizeof b->steps[0];
    w->entered = NULL;
    if (!inside || (!last->inst && last != b->steps)) reached(b, TO_THE_END);
    else if (last->inst) reached(b, (int)(last->offset + last->inst->size - b->steps[0].offset));
    if (w->stop == EZ_STOP_FAULT && w->fault.kind == EZ_FAULT_UNSUPPORTED) note_unsupported(w, b);
}

/* ---- what an instruction is ---- */

static ez_fidelity of_op(unsigned op, uint32_t *ulp) {
    const ez_semantic *s = &ez_level_base()->semantics[op];
    *ulp = s->ulp;
    return s->kind == EZ_SEM_NONE ? EZ_FIDELITY_UNSUPPORTED
           : s->ulp               ? EZ_FIDELITY_APPROXIMATE
                                  : EZ_FIDELITY_EXACT;
}

/* The row whose meaning half of a dual instruction has: another one, or its own. */
unsigned ez_inst_single(const ez_inst *half) {
    unsigned op = ez_rows[half->op].single;
    return op == EZ_OP_NONE ? half->op : op;
}

ez_fidelity ez_inst_fidelity(const ez_inst *inst, uint32_t *ulp) {
    uint32_t ulps[2] = {0, 0};
    ez_fidelity result;
    if (ez_layout_is_dual(ez_inst_layout(inst))) {
        ez_inst half;
        result = of_op(ez_inst_single(inst), &ulps[0]);
        ez_fidelity other =
            ez_inst_second(inst, &half) ? of_op(ez_inst_single(&half), &ulps[1]) : EZ_FIDELITY_UNSUPPORTED;
        if (other > result) result = other;
    } else {
        result = of_op(inst->op, &ulps[0]);
        bool matrix = ez_level_base()->semantics[inst->op].prepare == ez_prepare_matrix;
        if (matrix && !ez_matrix_is_measured(inst)) {
            result = EZ_FIDELITY_APPROXIMATE;
            ulps[0] = EZ_ULP_UNKNOWN;
        }
    }
    if (ulp) *ulp = ulps[0] > ulps[1] ? ulps[0] : ulps[1];
    return result;
}

bool ez_inst_executable(const ez_inst *inst) {
    return ez_inst_fidelity(inst, NULL) != EZ_FIDELITY_UNSUPPORTED;
}

/* ---- what was executed ---- */

/* Notes the instructions that were reached, at their offset / 4; the first of several stays. */
static void collect(const ez_block *b, ez_executed *found) {
    int limit = atomic_load_explicit(&b->reached, memory_order_relaxed);
    for (uint32_t i = 1; i < b->count; i++) {
        const ez_step *s = &b->steps[i];
        if (!s->inst || (int)(s->offset - b->steps[0].offset) >= limit) continue;
        if (b->key & EZ_KEY_VSKIP && ez_vskip_skips(s->inst)) continue;
        ez_executed *e = &found[s->offset / 4];
        if (!e->inst) {
            e->inst = s->inst;
            e->fidelity = ez_inst_fidelity(s->inst, &e->ulp);
        }
        if (b->lacking_reason && b->lacking == s->offset) {
            e->fidelity = EZ_FIDELITY_UNSUPPORTED;
            e->reason = b->lacking_reason;
        }
    }
}

ez_status ez_program_executed(ez_program *p, void (*each)(const ez_executed *executed, void *user),
                              void *user) {
    if (!p || !each) return EZ_ERR_ARGUMENT;
    ez_executed *found = calloc(p->size / 4 + 1, sizeof *found);
    if (!found) return EZ_ERR_NOMEM;
    pthread_mutex_lock(&p->lock);
    for (size_t i = 0; i < p->size / 4; i++)
        for (ez_block *b = atomic_load_explicit(&p->blocks[i], memory_order_relaxed); b; b = b->next)
            if (b->key & EZ_KEY_MARK) collect(b, found);
    pthread_mutex_unlock(&p->lock);
    for (size_t i = 0; i < p->size / 4; i++) {
        found[i].address = p->address + 4 * i;
        if (found[i].inst) each(&found[i], user);
    }
    free(found);
    return EZ_OK;
}

void ez_wave_mark(ez_wave *w, bool marks) {
    w->marks = marks;
}
