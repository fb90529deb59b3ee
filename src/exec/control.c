/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that steer the wave: branches, barriers, messages, modes. */
#include "control.h"

#include "program.h"
#include "semantics/steps.h"

void ez_step_nothing(ez_wave *w, const ez_step *s) {
    (void)w;
    (void)s;
}

/* ---- branches ---- */

static int64_t simm16(const ez_step *s) { return (int16_t)ez_get(s->inst, EZ_F_simm16); }

/* imm[0]: the distance from the instruction to the target, which counts dwords from the next one */
bool ez_prepare_branch(ez_step *s) {
    s->imm[0] = (uint64_t)(s->inst->size + 4 * simm16(s));
    return true;
}

static void branch_if(ez_wave *w, const ez_step *s, bool taken) {
    ez_wave_jump(w, ez_step_pc(w, s) + (taken ? s->imm[0] : s->inst->size));
}

void ez_step_branch(ez_wave *w, const ez_step *s) { branch_if(w, s, true); }
void ez_step_branch_scc0(ez_wave *w, const ez_step *s) { branch_if(w, s, !w->scc); }
void ez_step_branch_scc1(ez_wave *w, const ez_step *s) { branch_if(w, s, w->scc); }
void ez_step_branch_vccz(ez_wave *w, const ez_step *s) { branch_if(w, s, !ez_get_mask(w, EZ_SLOT_VCC)); }
void ez_step_branch_vccnz(ez_wave *w, const ez_step *s) { branch_if(w, s, ez_get_mask(w, EZ_SLOT_VCC)); }
void ez_step_branch_execz(ez_wave *w, const ez_step *s) { branch_if(w, s, !ez_exec(w)); }
void ez_step_branch_execnz(ez_wave *w, const ez_step *s) { branch_if(w, s, ez_exec(w)); }

void ez_step_getpc(ez_wave *w, const ez_step *s) {
    ez_put64(w, s->dst[0].index, ez_step_next_pc(w, s));
}
void ez_step_setpc(ez_wave *w, const ez_step *s) { ez_wave_jump(w, ez_scalar64(w, &s->src[0]) & ~UINT64_C(3)); }
void ez_step_swappc(ez_wave *w, const ez_step *s) {
    uint64_t target = ez_scalar64(w, &s->src[0]);
    ez_put64(w, s->dst[0].index, ez_step_next_pc(w, s));
    ez_wave_jump(w, target & ~UINT64_C(3));
}
void ez_step_call(ez_wave *w, const ez_step *s) {
    ez_put64(w, s->dst[0].index, ez_step_next_pc(w, s));
    branch_if(w, s, true);
}
void ez_step_add_pc(ez_wave *w, const ez_step *s) {
    ez_wave_jump(w, ez_step_next_pc(w, s) + (ez_scalar64(w, &s->src[0]) & ~UINT64_C(3)));
}

/* ---- forks: the lanes that pass and those that fail go on apart, the fewer first. The others wait on a stack in SGPRs 0 to 31,
 * which MODE.CSP counts: {EXEC, PC} in 4 SGPRs each. [Vega], [CDNA3] S_CBRANCH_G_FORK, S_CBRANCH_JOIN ---- */

static unsigned fork_depth(const ez_wave *w) { return w->mode >> EZ_MODE_CSP_SHIFT; }

static void set_fork_depth(ez_wave *w, unsigned depth) {
    w->mode = (w->mode & ((1u << EZ_MODE_CSP_SHIFT) - 1)) | depth << EZ_MODE_CSP_SHIFT; /* modulo 8 */
}

static void fork_to(ez_wave *w, const ez_step *s, uint64_t mask, uint64_t target) {
    uint64_t exec = ez_exec(w), pass = mask & exec, fail = ~mask & exec, next = ez_step_next_pc(w, s);
    if (pass == exec || fail == exec) {
        ez_wave_jump(w, pass == exec ? target : next);
        return;
    }
    bool fail_first = __builtin_popcountll(fail) < __builtin_popcountll(pass);
    unsigned depth = fork_depth(w);
    ez_put64(w, EZ_SLOT_EXEC, fail_first ? fail : pass);
    ez_exec_changed(w);
    ez_put64(w, 4 * depth, fail_first ? pass : fail);
    ez_put64(w, 4 * depth + 2, fail_first ? target : next);
    set_fork_depth(w, depth + 1);
    ez_wave_jump(w, fail_first ? next : target);
}

void ez_step_g_fork(ez_wave *w, const ez_step *s) {
    fork_to(w, s, ez_scalar64(w, &s->src[0]), ez_scalar64(w, &s->src[1]) & ~UINT64_C(3));
}
void ez_step_i_fork(ez_wave *w, const ez_step *s) {
    fork_to(w, s, ez_scalar64(w, &s->src[0]), ez_step_pc(w, s) + s->imm[0]);
}

/* The first time on to the lanes that wait, the second time on behind. */
void ez_step_fork_join(ez_wave *w, const ez_step *s) {
    unsigned depth = fork_depth(w);
    if (depth == ez_scalar32(w, &s->src[0])) {
        ez_wave_jump(w, ez_step_next_pc(w, s));
        return;
    }
    set_fork_depth(w, depth - 1);
    unsigned slot = 4 * fork_depth(w);
    ez_put64(w, EZ_SLOT_EXEC, ez_get64(w, slot));
    ez_exec_changed(w);
    ez_wave_jump(w, ez_get64(w, slot + 2) & ~UINT64_C(3));
}

/* ---- end and traps ---- */

/* When the last wave that a barrier still waits for ends, the barrier is complete. */
static void complete_barrier(ez_workgroup *g) {
    if (!g->arrived || g->arrived < g->waves) return;
    g->arrived = 0;
    g->phase++;
}

void ez_step_endpgm(ez_wave *w, const ez_step *s) {
    ez_wave_stop(w, EZ_STOP_END, ez_step_next_pc(w, s));
    if (!w->workgroup) return;
    w->workgroup->waves--;
    complete_barrier(w->workgroup);
}

void ez_step_trap(ez_wave *w, const ez_step *s) {
    ez_wave_fault(w, s, EZ_FAULT_TRAP, "s_trap");
    w->fault.value = ez_get(s->inst, EZ_F_simm16) & 0xff;
    w->stop = EZ_STOP_TRAP;
    w->pc = ez_step_next_pc(w, s);
}

void ez_step_halt(ez_wave *w, const ez_step *s) {
    if (ez_get(s->inst, EZ_F_simm16) & 1) {
        ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "nobody can end this halt");
        return;
    }
    ez_wave_jump(w, ez_step_next_pc(w, s));
}

/* Kernels run outside of trap handlers, where alone these are allowed. */
void ez_step_privileged(ez_wave *w, const ez_step *s) {
    ez_wave_fault(w, s, EZ_FAULT_ILLEGAL, "a return from a trap handler outside of one");
}
void ez_step_illegal(ez_wave *w, const ez_step *s) {
    ez_wave_fault(w, s, EZ_FAULT_ILLEGAL, "an instruction that is there to be illegal");
}

/* ---- barriers ---- */

enum { BARRIER_CLUSTER_TRAP = -4, BARRIER_CLUSTER, BARRIER_TRAP, BARRIER_WORKGROUP, BARRIER_NAMED = 1 };

/* imm[0]: the number of the barrier, or M0_NAMES where M0 has it. */
enum { M0_NAMES = 64 };

/* Barriers that nothing happens at: those of traps, which programs cannot use, and those of clusters, for no workgroup is in one.
 * [RDNA4] S_BARRIER_SIGNAL; docs/errata.md */
static bool is_void(const ez_step *s, int number) {
    return number == BARRIER_TRAP ||
           ((number == BARRIER_CLUSTER || number == BARRIER_CLUSTER_TRAP) && ez_has(s->inst->target, EZ_HAS_named_barriers));
}

static bool prepare_number(ez_step *s, bool workgroup, bool named) {
    const ez_place *id = &s->src[0];
    if (id->kind == EZ_PLACE_SCALAR && id->index == EZ_SLOT_M0 && named) {
        s->imm[0] = M0_NAMES;
        return true;
    }
    if (id->kind != EZ_PLACE_CONSTANT) return false;
    int number = (int16_t)id->value;
    s->imm[0] = (uint64_t)(int64_t)number;
    return number == BARRIER_WORKGROUP ? workgroup : named && number >= 0 && number <= EZ_NAMED_BARRIERS;
}
bool ez_prepare_barrier(ez_step *s) { return prepare_number(s, true, true); }
bool ez_prepare_barrier_signal(ez_step *s) {
    if (prepare_number(s, true, true)) return true;
    return s->src[0].kind == EZ_PLACE_CONSTANT && is_void(s, (int16_t)s->src[0].value);
}
bool ez_prepare_named_barrier(ez_step *s) { return prepare_number(s, false, true); }
/* The number of s_barrier_wait: the workgroup's, or any of the named one that was joined. */
bool ez_prepare_barrier_wait(ez_step *s) {
    int number = (int16_t)s->src[0].value;
    s->imm[0] = s->src[0].value;
    return number >= BARRIER_WORKGROUP || (number == BARRIER_CLUSTER && is_void(s, number));
}

/* The named barrier of a step; NULL: number 0, which none has, or no workgroup, or after a fault. */
static ez_barrier *named_barrier(ez_wave *w, const ez_step *s) {
    uint32_t number = (uint32_t)s->imm[0] == M0_NAMES ? w->sgpr[EZ_SLOT_M0] & 0x1f : (uint32_t)s->imm[0];
    if (number > EZ_NAMED_BARRIERS) ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "M0 names no barrier");
    return w->workgroup && number && number <= EZ_NAMED_BARRIERS ? &w->workgroup->named[number - 1] : NULL;
}

static void complete_named(ez_barrier *b) {
    if (!b->signals || b->signals < b->members) return;
    b->signals = 0;
    b->phase++;
}

void ez_step_barrier_init(ez_wave *w, const ez_step *s) {
    ez_barrier *b = named_barrier(w, s);
    if (b) *b = (ez_barrier){.valid = true, .members = w->sgpr[EZ_SLOT_M0] >> 16 & 0x7f, .phase = b->phase};
}
void ez_step_barrier_join(ez_wave *w, const ez_step *s) {
    ez_barrier *b = named_barrier(w, s);
    w->joined = b ? (uint8_t)(b - w->workgroup->named + 1) : 0;
    if (b) w->named_phase = b->phase;
}
void ez_step_get_barrier_state(ez_wave *w, const ez_step *s) {
    const ez_workgroup *g = w->workgroup;
    if ((int64_t)s->imm[0] == BARRIER_WORKGROUP) {
        w->sgpr[s->dst[0].index] = g ? (g->arrived & 0x7f) << 16 | (g->waves & 0x7f) << 4 | 1 : 0;
        return;
    }
    const ez_barrier *b = named_barrier(w, s);
    w->sgpr[s->dst[0].index] = b ? (uint32_t)b->signals << 16 | (uint32_t)b->members << 4 | b->valid : 0;
}

static void arrive(ez_wave *w) {
    w->barrier_arrived = true;
    w->barrier_phase = w->workgroup->phase;
    w->workgroup->arrived++;
    complete_barrier(w->workgroup);
}

/* Goes on behind the instruction when the barrier is complete, else stops; run again, the wave comes back here. */
static void wait_for_phase(ez_wave *w, const ez_step *s) {
    if (w->workgroup->phase == w->barrier_phase) {
        ez_wave_stop(w, EZ_STOP_BARRIER, ez_step_pc(w, s));
        return;
    }
    w->barrier_arrived = false;
    ez_wave_jump(w, ez_step_next_pc(w, s));
}

void ez_step_barrier(ez_wave *w, const ez_step *s) {
    if (!w->workgroup) {
        ez_wave_jump(w, ez_step_next_pc(w, s));
        return;
    }
    if (!w->barrier_arrived) arrive(w);
    wait_for_phase(w, s);
}

static void signal_named(ez_wave *w, const ez_step *s, bool is_first) {
    ez_barrier *b = named_barrier(w, s);
    if (is_first) w->scc = b && !b->signals;
    if (!b) return;
    uint32_t members = w->sgpr[EZ_SLOT_M0] >> 16 & 0x7f;
    if ((uint32_t)s->imm[0] == M0_NAMES && members) b->members = (uint8_t)members;
    b->signals++;
    complete_named(b);
}

void ez_step_barrier_signal(ez_wave *w, const ez_step *s) {
    bool is_first = s->inst->op == EZ_OP_S_BARRIER_SIGNAL_ISFIRST;
    if ((int64_t)s->imm[0] < BARRIER_WORKGROUP) {
        if (is_first) w->scc = 0;
        return;
    }
    if ((int64_t)s->imm[0] != BARRIER_WORKGROUP) {
        signal_named(w, s, is_first);
        return;
    }
    if (is_first) w->scc = !w->workgroup || !w->workgroup->arrived;
    if (w->workgroup) arrive(w);
}

/* Goes on when the joined barrier completed since the wave last saw it; a wave that joined none does not wait. */
static void wait_for_named(ez_wave *w, const ez_step *s) {
    const ez_barrier *b = w->workgroup && w->joined ? &w->workgroup->named[w->joined - 1] : NULL;
    if (b && b->phase == w->named_phase) {
        ez_wave_stop(w, EZ_STOP_BARRIER, ez_step_pc(w, s));
        return;
    }
    if (b) w->named_phase = b->phase;
    ez_wave_jump(w, ez_step_next_pc(w, s));
}

void ez_step_barrier_wait(ez_wave *w, const ez_step *s) {
    if ((int16_t)s->imm[0] >= 0) wait_for_named(w, s);
    else if ((int16_t)s->imm[0] == BARRIER_WORKGROUP && w->workgroup && w->barrier_arrived) wait_for_phase(w, s);
    else ez_wave_jump(w, ez_step_next_pc(w, s));
}

/* The wave is no longer a member of the barrier that it joined; SCC: it was the last one. [LLVM] "Execution Synchronization";
 * docs/errata.md */
void ez_step_barrier_leave(ez_wave *w, const ez_step *s) {
    ez_barrier *b = w->workgroup && w->joined ? &w->workgroup->named[w->joined - 1] : NULL;
    if (!b || !b->members) {
        ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "a barrier is left that was not joined or has no members");
        return;
    }
    b->members--;
    w->joined = 0;
    w->scc = !b->members;
    complete_named(b);
}

/* ---- messages ---- */

enum { MSG_INTERRUPT = 1, MSG_DEALLOC_VGPRS = 3 };

void ez_step_sendmsg(ez_wave *w, const ez_step *s) {
    unsigned message = ez_get(s->inst, EZ_F_simm16) & 0xf;
    bool dealloc = message == MSG_DEALLOC_VGPRS && ez_has(w->target, EZ_HAS_null_is_124);
    if (message != MSG_INTERRUPT && !dealloc) {
        ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "a message other than interrupt and dealloc_vgprs");
        return;
    }
    if (message == MSG_INTERRUPT && w->memory && w->memory->interrupt)
        w->memory->interrupt(w->sgpr[EZ_SLOT_M0], w->memory->user);
    ez_wave_jump(w, ez_step_next_pc(w, s));
}

/* Messages with an answer: the clock; the others are of drivers and debuggers. */
enum { MSG_RTN_GET_REALTIME = 131 };
void ez_step_sendmsg_rtn(ez_wave *w, const ez_step *s) {
    if (s->src[0].value != MSG_RTN_GET_REALTIME) {
        ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "a message whose answer is not modelled");
        return;
    }
    uint64_t time = ez_wave_cycles(w) / EZ_CYCLES_PER_TICK;
    if (s->dst[0].dwords == 2) ez_put64(w, s->dst[0].index, time);
    else w->sgpr[s->dst[0].index] = (uint32_t)time;
}
void ez_step_shader_cycles(ez_wave *w, const ez_step *s) { ez_put64(w, s->dst[0].index, ez_wave_cycles(w)); }

void ez_step_halts(ez_wave *w, const ez_step *s) {
    ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "nobody can end this halt");
}
void ez_step_code_end(ez_wave *w, const ez_step *s) {
    ez_wave_fault(w, s, EZ_FAULT_ILLEGAL, "the end of the code is reached");
}
void ez_step_setkill(ez_wave *w, const ez_step *s) {
    if (ez_get(s->inst, EZ_F_simm16) & 1) ez_step_endpgm(w, s);
    else ez_wave_jump(w, ez_step_next_pc(w, s));
}

void ez_step_waveid(ez_wave *w, const ez_step *s) { w->sgpr[s->dst[0].index] = w->number; }

/* Every wave has all VGPRs already. */
void ez_step_alloc_vgpr(ez_wave *w, const ez_step *s) { w->scc = (ez_scalar32(w, &s->src[0]) & 0x1ff) <= w->vgprs; }

/* ---- loops over the halves of EXEC, in waves of 64 lanes; the SGPR keeps the other half. [RDNA1] S_SUBVECTOR_LOOP_BEGIN ---- */

bool ez_prepare_subvector(ez_step *s) { return s->inst->wave == 64 && ez_prepare_branch(s); }

void ez_step_subvector_begin(ez_wave *w, const ez_step *s) {
    uint32_t *low = &w->sgpr[EZ_SLOT_EXEC], *high = low + 1, *kept = &w->sgpr[s->dst[0].index];
    bool none = !*low && !*high;
    if (*low) {
        *kept = *high;
        *high = 0;
    } else if (!none) {
        *kept = *low;
    }
    ez_exec_changed(w);
    branch_if(w, s, none);
}
void ez_step_subvector_end(ez_wave *w, const ez_step *s) {
    uint32_t *low = &w->sgpr[EZ_SLOT_EXEC], *high = low + 1, *kept = &w->sgpr[s->dst[0].index];
    bool again = !*high && *kept;
    if (*high) {
        *low = *kept;
    } else if (again) {
        *high = *kept;
        *kept = *low;
        *low = 0;
    }
    ez_exec_changed(w);
    branch_if(w, s, again);
}

/* ---- hardware registers ---- */

/* Ids of s_getreg_b32. Source: [RDNA3] "Hardware registers", [RDNA4] the same; behaviour of llvm-mc 22 for the names. */
enum {
    HWREG_MODE = 1, HWREG_STATUS = 2, HWREG_TRAPSTS = 3, HWREG_SH_MEM_BASES = 15, HWREG_EXCP_FLAG_USER = 18,
    HWREG_FLAT_SCR_LO = 20, HWREG_FLAT_SCR_HI = 21, HWREG_IB_STS2 = 28, HWREG_SHADER_CYCLES = 29
};

typedef struct field {
    unsigned id, offset, size;
} field;

static field field_of(uint32_t simm16_bits) {
    return (field){simm16_bits & 0x3f, simm16_bits >> 6 & 0x1f, (simm16_bits >> 11 & 0x1f) + 1};
}

static uint32_t field_mask(field f) {
    uint32_t mask = f.size >= 32 ? ~0u : (1u << f.size) - 1;
    return mask << f.offset;
}

/* STATUS bits that programs look at. Source: [RDNA3] "Status register". */
static uint32_t status_of(const ez_wave *w) {
    return w->scc | (uint32_t)!ez_exec(w) << 9 | (uint32_t)!ez_get_mask(w, EZ_SLOT_VCC) << 10;
}

/* The wave's flat scratch base where it is neither SGPRs nor fixed: compilers set it and nobody else reads it. */
static bool is_flat_scratch(const ez_wave *w, unsigned id) {
    return (id == HWREG_FLAT_SCR_LO || id == HWREG_FLAT_SCR_HI) && ez_has(w->target, EZ_HAS_flat_scratch_hwreg);
}

static bool read_hwreg(const ez_wave *w, unsigned id, uint32_t *value) {
    bool split_flags = ez_has(w->target, EZ_HAS_excp_flag_user);
    if (is_flat_scratch(w, id)) {
        *value = w->hwreg[id];
        return true;
    }
    switch (id) {
    case HWREG_MODE: *value = w->mode; return true;
    case HWREG_STATUS: *value = status_of(w); return true;
    case HWREG_TRAPSTS: *value = w->flags; return !split_flags;
    case HWREG_SH_MEM_BASES: /* bits 63:48 of the private and the shared aperture */
        *value = (uint32_t)(w->private_base >> 48) | (uint32_t)(w->shared_base >> 48) << 16;
        return ez_has(w->target, EZ_HAS_scratch_insts) && !split_flags;
    case HWREG_EXCP_FLAG_USER: *value = w->flags; return split_flags;
    case HWREG_IB_STS2: *value = 0; return ez_has(w->target, EZ_HAS_vgprs_1024); /* no cluster of workgroups */
    case HWREG_SHADER_CYCLES: *value = (uint32_t)w->instructions & 0xfffff; return true;
    default: return false;
    }
}

void ez_step_getreg(ez_wave *w, const ez_step *s) {
    field f = field_of(ez_get(s->inst, EZ_F_simm16));
    uint32_t value;
    if (!read_hwreg(w, f.id, &value)) {
        ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "a hardware register that is not modelled");
        return;
    }
    w->sgpr[s->dst[0].index] = (value & field_mask(f)) >> f.offset;
}

void ez_step_setreg(ez_wave *w, const ez_step *s) {
    field f = field_of(ez_get(s->inst, EZ_F_simm16));
    uint32_t mask = field_mask(f), in = (ez_scalar32(w, &s->src[1]) << f.offset) & mask;
    bool split_flags = ez_has(w->target, EZ_HAS_excp_flag_user);
    if (f.id == HWREG_MODE) {
        w->mode = (w->mode & ~mask) | in;
        ez_mode_changed(w);
        ez_wave_update_key(w);
    } else if (f.id == (split_flags ? HWREG_EXCP_FLAG_USER : HWREG_TRAPSTS)) {
        w->flags = ((w->flags & ~mask) | in) & 0x7f;
    } else if (is_flat_scratch(w, f.id)) {
        w->hwreg[f.id] = (w->hwreg[f.id] & ~mask) | in;
    } else {
        ez_wave_fault(w, s, EZ_FAULT_UNSUPPORTED, "a hardware register that is not modelled");
        return;
    }
    ez_wave_jump(w, ez_step_next_pc(w, s));
}

/* The vector unit's exceptions are the flags. [GCN3] V_CLREXCP */
void ez_step_clrexcp(ez_wave *w, const ez_step *s) {
    (void)s;
    w->flags = 0;
}

void ez_step_round_mode(ez_wave *w, const ez_step *s) {
    w->mode = (w->mode & ~0xfu) | (ez_get(s->inst, EZ_F_simm16) & 0xf);
    ez_mode_changed(w);
}
void ez_step_denorm_mode(ez_wave *w, const ez_step *s) {
    w->mode = (w->mode & ~0xf0u) | (ez_get(s->inst, EZ_F_simm16) & 0xf) << 4;
    ez_mode_changed(w);
    ez_wave_update_key(w);
    ez_wave_jump(w, ez_step_next_pc(w, s));
}
/* Bit S1[4:0] of S0 says whether vector instructions are skipped from here on. */
void ez_step_setvskip(ez_wave *w, const ez_step *s) {
    bool skip = ez_scalar32(w, &s->src[0]) >> (ez_scalar32(w, &s->src[1]) & 31) & 1;
    w->mode = skip ? w->mode | EZ_MODE_VSKIP : w->mode & ~(uint32_t)EZ_MODE_VSKIP;
    ez_wave_update_key(w);
    ez_wave_jump(w, ez_step_next_pc(w, s));
}
void ez_step_set_vgpr_msb(ez_wave *w, const ez_step *s) {
    w->msb = ez_get(s->inst, EZ_F_simm16) & 0xff;
    ez_wave_update_key(w);
}

/* ---- VGPR index mode: [GCN3], [Vega] "VGPR Indexing". M0[7:0] is the index, M0[15:12] the operands ---- */

static void set_index_mode(ez_wave *w, const ez_step *s, bool on, uint32_t m0) {
    w->mode = on ? w->mode | EZ_MODE_GPR_IDX_EN : w->mode & ~(uint32_t)EZ_MODE_GPR_IDX_EN;
    w->sgpr[EZ_SLOT_M0] = m0;
    ez_wave_update_key(w);
    ez_wave_jump(w, ez_step_next_pc(w, s));
}

void ez_step_set_gpr_idx_on(ez_wave *w, const ez_step *s) {
    uint32_t index = ez_scalar32(w, &s->src[0]) & 0xff, operands = (uint32_t)s->src[1].value & 15;
    set_index_mode(w, s, true, (w->sgpr[EZ_SLOT_M0] & ~0xf0ffu) | operands << 12 | index);
}
void ez_step_set_gpr_idx_off(ez_wave *w, const ez_step *s) {
    set_index_mode(w, s, false, w->sgpr[EZ_SLOT_M0]);
}
void ez_step_set_gpr_idx_mode(ez_wave *w, const ez_step *s) {
    uint32_t operands = ez_get(s->inst, EZ_F_simm16) & 15;
    w->sgpr[EZ_SLOT_M0] = (w->sgpr[EZ_SLOT_M0] & ~0xf000u) | operands << 12;
}
void ez_step_set_gpr_idx_idx(ez_wave *w, const ez_step *s) {
    w->sgpr[EZ_SLOT_M0] = (w->sgpr[EZ_SLOT_M0] & ~0xffu) | (ez_scalar32(w, &s->src[0]) & 0xff);
}

/* ---- scalar registers numbered by M0 ---- */

/* The slot that lies M0 registers behind a place; EZ_SLOT_COUNT after stopping the wave. */
static unsigned slot_behind(ez_wave *w, const ez_step *s, const ez_place *p) {
    uint64_t slot = p->index + (uint64_t)w->sgpr[EZ_SLOT_M0];
    if (p->kind == EZ_PLACE_SCALAR && p->index < EZ_SLOT_VCC && slot + p->dwords <= EZ_SLOT_VCC) return (unsigned)slot;
    ez_wave_fault(w, s, EZ_FAULT_REGISTER, "M0 points beyond the SGPRs");
    return EZ_SLOT_COUNT;
}

void ez_step_s_movrels(ez_wave *w, const ez_step *s) {
    unsigned from = slot_behind(w, s, &s->src[0]);
    if (from == EZ_SLOT_COUNT) return;
    uint64_t value = ez_get64(w, from);
    if (s->dst[0].dwords == 2) ez_put64(w, s->dst[0].index, value);
    else w->sgpr[s->dst[0].index] = (uint32_t)value;
}
void ez_step_s_movreld(ez_wave *w, const ez_step *s) {
    uint64_t value = ez_scalar64(w, &s->src[0]);
    unsigned to = slot_behind(w, s, &s->dst[0]);
    if (to == EZ_SLOT_COUNT) return;
    if (s->dst[0].dwords == 2) ez_put64(w, to, value);
    else w->sgpr[to] = (uint32_t)value;
}

/* Source and destination with parts of M0 of their own. [RDNA3] S_MOVRELSD_2_B32 */
void ez_step_s_movrelsd_2(ez_wave *w, const ez_step *s) {
    uint32_t m0 = w->sgpr[EZ_SLOT_M0], from = s->src[0].index + (m0 & 0x3ff), to = s->dst[0].index + (m0 >> 16 & 0x3ff);
    bool good = s->src[0].kind == EZ_PLACE_SCALAR && from < EZ_SLOT_VCC && to < EZ_SLOT_VCC;
    if (good) w->sgpr[to] = w->sgpr[from];
    else ez_wave_fault(w, s, EZ_FAULT_REGISTER, "M0 points beyond the SGPRs");
}
