/* SPDX-License-Identifier: Apache-2.0 */
/* ds_gws_*: barriers and semaphores between workgroups. Source: [Vega], [RDNA1] DS_GWS_*; the field of M0: LLVM, AMDGPU backend. */
#include "gws.h"

#include "semantics/steps.h"

static void lock(ez_gws *g) {
    while (atomic_flag_test_and_set_explicit(&g->busy, memory_order_acquire)) continue;
}
static void unlock(ez_gws *g) { atomic_flag_clear_explicit(&g->busy, memory_order_release); }

bool ez_prepare_gws(ez_step *s) { return ez_get(s->inst, EZ_F_gds); }

/* The value of the first active lane. */
static uint32_t data(ez_wave *w, const ez_step *s) {
    return ez_place_row(w, &s->src[0])[ez_first_lane(ez_exec(w))];
}

/* Waiting has two parts: a wave that is run again comes back to the instruction. */
static void step_barrier(ez_wave *w, struct ez_gws_resource *r, uint32_t value) {
    if (w->gws_waits) {
        w->gws_waits = r->phase == w->gws_phase;
        return;
    }
    if (!r->count) {
        r->count = value;
        r->phase++;
        return;
    }
    r->count--;
    w->gws_waits = true;
    w->gws_phase = r->phase;
}

static void step_take(ez_wave *w, struct ez_gws_resource *r) {
    bool free = r->count;
    r->count -= free;
    if (free) r->queue -= w->gws_waits;
    else r->queue += !w->gws_waits;
    w->gws_waits = !free;
}

static void step_resource(ez_wave *w, const ez_step *s, struct ez_gws_resource *r) {
    switch (s->inst->op) {
    case EZ_OP_DS_GWS_INIT:
        r->count = data(w, s);
        r->queue = 0; /* who a stopped dispatch left behind */
        break;
    case EZ_OP_DS_GWS_BARRIER: step_barrier(w, r, data(w, s)); break;
    case EZ_OP_DS_GWS_SEMA_P: step_take(w, r); break;
    case EZ_OP_DS_GWS_SEMA_V: r->count++; break;
    case EZ_OP_DS_GWS_SEMA_BR: r->count += data(w, s); break;
    case EZ_OP_DS_GWS_SEMA_RELEASE_ALL: r->count = r->queue ? r->queue : r->count; break;
    default: break;
    }
}

void ez_step_gws(ez_wave *w, const ez_step *s) {
    ez_gws *g = w->gws;
    bool alone = !g, takes = s->inst->op == EZ_OP_DS_GWS_SEMA_P;
    if (alone && !takes) { /* outside a dispatch, as at other barriers */
        ez_wave_jump(w, ez_step_next_pc(w, s));
        return;
    }
    if (alone || (s->srcs && !ez_exec(w))) {
        ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED,
                      alone ? "a semaphore that no other wave can release" : "global wave sync without an active lane");
        return;
    }
    unsigned number = ((w->sgpr[EZ_SLOT_M0] >> 16) + ez_get(s->inst, EZ_F_offset0)) % EZ_GWS_RESOURCES;
    lock(g);
    step_resource(w, s, &g->resource[number]);
    if (!w->gws_waits) atomic_fetch_add(&g->changes, 1);
    unlock(g);
    if (w->gws_waits) ez_wave_stop(w, EZ_STOP_BARRIER, ez_step_pc(w, s));
    else ez_wave_jump(w, ez_step_next_pc(w, s));
}
