/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a recorded program: one workgroup, with the launch state that the recording describes. */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

/* The address space: every kind of memory far from the others, SLACK bytes before and behind each buffer. */
#define CODE_ADDRESS UINT64_C(0x0000100000000000)
#define KERNARG_ADDRESS UINT64_C(0x0000200000000000)
#define SCRATCH_ADDRESS UINT64_C(0x0000300000000000)
#define BUFFER_ADDRESS UINT64_C(0x0000400000000000)
#define BUFFER_STRIDE UINT64_C(0x0000000100000000)
enum { SLACK = 4096, LANE_BITS = 0x3ff };

typedef struct region {
    uint64_t address, size;
    uint8_t *at;
    unsigned access;
} region;

typedef struct machine {
    const replay_program *program;
    replay_trace *trace; /* NULL: none */
    ez_program *code;
    ez_workgroup *group;
    unsigned waves;
    ez_wave **wave;
    region region[REPLAY_BUFFERS + 3]; /* buffers, kernarg, code, scratch of the wave that runs */
    unsigned regions;
    uint8_t *kernarg, *lds, *scratch;
    ez_memory memory;
    uint32_t at; /* byte offset of the instruction that runs */
} machine;

static void *translate(uint64_t address, uint32_t size, unsigned access, void *user) {
    machine *m = user;
    for (unsigned i = 0; i < m->regions; i++) {
        const region *r = &m->region[i];
        if (address < r->address || address - r->address >= r->size || size > r->size - (address - r->address)) continue;
        if (access & ~r->access) return NULL;
        uint64_t offset = address - r->address;
        if (m->trace && i == 0 && access & EZ_ACCESS_WRITE && m->at < m->program->body_end)
            for (uint64_t b = offset; b < offset + size; b++)
                if (b >= SLACK && b - SLACK < m->program->buffer[0].before.size) m->trace->stored[(b - SLACK) / 4] = m->at;
        return r->at + offset;
    }
    return NULL;
}

static bool add_region(machine *m, uint64_t address, uint64_t size, uint8_t *at, unsigned access) {
    if (!at) return false;
    m->region[m->regions++] = (region){address, size, at, access};
    return true;
}

/* ---- setting up ---- */

static bool make_memory(machine *m) {
    const replay_program *p = m->program;
    unsigned all = EZ_ACCESS_READ | EZ_ACCESS_WRITE | EZ_ACCESS_ATOMIC;
    m->kernarg = calloc(REPLAY_BUFFERS, 8);
    if (!m->kernarg) return false;
    for (unsigned i = 0; i < p->buffers; i++) {
        uint64_t address = BUFFER_ADDRESS + i * BUFFER_STRIDE;
        uint8_t *copy = calloc(p->buffer[i].before.size + 2 * SLACK, 1);
        if (!add_region(m, address - SLACK, p->buffer[i].before.size + 2 * SLACK, copy, all)) return false;
        memcpy(copy + SLACK, p->buffer[i].before.at, p->buffer[i].before.size);
        for (unsigned b = 0; b < 8; b++) m->kernarg[8 * i + b] = (uint8_t)(address >> (8 * b));
    }
    m->lds = aligned_alloc(64, ((size_t)p->lds_size + 64) & ~(size_t)63);
    size_t scratch = (size_t)p->scratch_size * p->wave;
    m->scratch = calloc(scratch ? m->waves : 1, scratch ? scratch : 1);
    if (!m->lds || !m->scratch) return false;
    memset(m->lds, 0, p->lds_size);
    return add_region(m, KERNARG_ADDRESS, REPLAY_BUFFERS * 8, m->kernarg, EZ_ACCESS_READ) &&
           add_region(m, CODE_ADDRESS, p->code.size, p->code.at, EZ_ACCESS_READ) &&
           (!scratch || add_region(m, SCRATCH_ADDRESS, scratch * m->waves, m->scratch, all));
}

/* v0: the work-item's number; EXEC: the lanes that exist; s[N:N+1]: kernel arguments. */
static bool make_wave(machine *m, unsigned index) {
    const replay_program *p = m->program;
    if (ez_wave_create(p->target, p->wave, &m->wave[index]) != EZ_OK) return false;
    ez_wave *w = m->wave[index];
    unsigned first = index * p->wave, lanes = p->lanes - first < p->wave ? p->lanes - first : p->wave;
    for (unsigned lane = 0; lane < lanes; lane++) ez_wave_set_vgpr(w, 0, lane, (first + lane) & LANE_BITS);
    ez_wave_set(w, EZ_WAVE_EXEC, UINT64_MAX >> (64 - lanes));
    ez_wave_set_sgpr(w, p->kernarg_sgpr, (uint32_t)KERNARG_ADDRESS);
    ez_wave_set_sgpr(w, p->kernarg_sgpr + 1, (uint32_t)(KERNARG_ADDRESS >> 32));
    ez_wave_set(w, EZ_WAVE_PC, CODE_ADDRESS);
    ez_wave_set_memory(w, &m->memory);
    ez_wave_set_lds(w, m->lds, p->lds_size);
    ez_wave_set_scratch(w, SCRATCH_ADDRESS + (uint64_t)index * p->scratch_size * p->wave, p->scratch_size);
    ez_wave_join(w, m->group);
    return true;
}

static bool make(machine *m) {
    const replay_program *p = m->program;
    m->waves = (p->lanes + p->wave - 1) / p->wave;
    m->wave = calloc(m->waves, sizeof *m->wave);
    m->memory = (ez_memory){.translate = translate, .user = m};
    if (!m->wave || !make_memory(m) || ez_workgroup_create(m->waves, &m->group) != EZ_OK) return false;
    if (ez_program_create(p->target, p->wave, p->code.at, p->code.size, CODE_ADDRESS, 0, &m->code) != EZ_OK) return false;
    for (unsigned i = 0; i < m->waves; i++)
        if (!make_wave(m, i)) return false;
    return true;
}

static void release(machine *m, replay_bytes *out) {
    for (unsigned i = 0; m->wave && i < m->waves; i++) ez_wave_destroy(m->wave[i]);
    ez_program_destroy(m->code);
    ez_workgroup_destroy(m->group);
    for (unsigned i = 0; i < m->program->buffers && i < m->regions; i++) {
        size_t size = m->program->buffer[i].before.size;
        if (out) memmove(m->region[i].at, m->region[i].at + SLACK, size + 4);
        if (out) out[i] = (replay_bytes){m->region[i].at, size};
        else free(m->region[i].at);
    }
    free(m->wave);
    free(m->kernarg);
    free(m->lds);
    free(m->scratch);
}

/* ---- tracing ---- */

bool replay_trace_create(const replay_program *p, replay_trace *t) {
    *t = (replay_trace){.waves = (p->lanes + p->wave - 1) / p->wave};
    size_t dwords = p->buffer[0].before.size / 4 + 1;
    t->vgpr = malloc(t->waves * sizeof *t->vgpr);
    t->stored = malloc(dwords * sizeof *t->stored);
    if (!t->vgpr || !t->stored) return false;
    memset(t->vgpr, 0xff, t->waves * sizeof *t->vgpr);
    memset(t->stored, 0xff, dwords * sizeof *t->stored);
    memset(t->sgpr, 0xff, sizeof t->sgpr);
    t->scc = REPLAY_NOBODY;
    return true;
}

void replay_trace_free(replay_trace *t) {
    free(t->vgpr);
    free(t->stored);
}

/* The registers of a wave, to see what an instruction changes. */
typedef struct registers {
    uint32_t vgpr[256][64], sgpr[128], scc;
} registers;

static void save(const ez_wave *w, registers *r) {
    for (unsigned v = 0; v < 256; v++)
        for (unsigned lane = 0; lane < ez_wave_lanes(w); lane++) r->vgpr[v][lane] = ez_wave_vgpr(w, v, lane);
    for (unsigned s = 0; s < 128; s++) r->sgpr[s] = ez_wave_sgpr(w, s);
    r->scc = (uint32_t)ez_wave_get(w, EZ_WAVE_SCC);
}

/* What the instruction at m->at wrote: its destinations in the lanes that were active, and all that changed. */
static void note_writes(machine *m, unsigned index, const registers *before, uint64_t exec) {
    const replay_program *p = m->program;
    replay_trace *t = m->trace;
    const ez_wave *w = m->wave[index];
    ez_inst inst;
    for (unsigned v = 0; v < 256; v++)
        for (unsigned lane = 0; lane < p->wave; lane++)
            if (ez_wave_vgpr(w, v, lane) != before->vgpr[v][lane]) t->vgpr[index][v][lane] = m->at;
    for (unsigned s = 0; s < 128 && index == 0; s++)
        if (ez_wave_sgpr(w, s) != before->sgpr[s]) t->sgpr[s] = m->at;
    if (index == 0 && ez_wave_get(w, EZ_WAVE_SCC) != before->scc) t->scc = m->at;
    if (ez_decode(p->target, p->wave, p->code.at + m->at, p->code.size - m->at, &inst) != EZ_OK) return;
    for (unsigned n = 0; n < ez_inst_operand_count(&inst); n++) {
        ez_operand o = ez_inst_operand(&inst, n);
        if (!o.written) continue;
        for (unsigned d = 0; d < o.dwords; d++) {
            if (o.kind == EZ_OPERAND_VGPR && o.reg + d < 256u) {
                for (unsigned lane = 0; lane < p->wave; lane++)
                    if (exec >> lane & 1) t->vgpr[index][o.reg + d][lane] = m->at;
            } else if (o.kind != EZ_OPERAND_VGPR && o.kind != EZ_OPERAND_AGPR && index == 0 && o.code + d < 128u) {
                t->sgpr[o.code + d] = m->at;
            }
        }
    }
}

static ez_stop run_traced(machine *m, unsigned index, uint64_t *left, registers *before) {
    ez_wave *w = m->wave[index];
    while (*left) {
        m->at = (uint32_t)(ez_wave_get(w, EZ_WAVE_PC) - CODE_ADDRESS);
        bool body = m->at < m->program->body_end;
        uint64_t exec = ez_wave_get(w, EZ_WAVE_EXEC);
        if (body) save(w, before);
        ez_stop stop = ez_wave_run(w, m->code, 1);
        --*left;
        if (body) note_writes(m, index, before, exec);
        if (stop != EZ_STOP_LIMIT) return stop;
    }
    return EZ_STOP_LIMIT;
}

/* ---- running ---- */

static ez_stop run_wave(machine *m, unsigned index, uint64_t *left, registers *before) {
    if (m->trace) return run_traced(m, index, left, before);
    uint64_t done = ez_wave_get(m->wave[index], EZ_WAVE_INSTRUCTIONS);
    ez_stop stop = *left ? ez_wave_run(m->wave[index], m->code, *left) : EZ_STOP_LIMIT;
    done = ez_wave_get(m->wave[index], EZ_WAVE_INSTRUCTIONS) - done;
    *left -= done < *left ? done : *left;
    return stop;
}

/* Wave after wave, each until it ends or waits at a barrier, as long as some get on: one that still waits runs its
 * barrier again and nothing else. */
static ez_status run_all(machine *m, uint64_t left, replay_stop *stop, registers *before) {
    unsigned ended = 0;
    bool *done = calloc(m->waves, sizeof *done);
    ez_status status = done ? EZ_OK : EZ_ERR_NOMEM;
    for (bool progress = true; status == EZ_OK && progress && ended < m->waves;) {
        progress = false;
        for (unsigned i = 0; i < m->waves && status == EZ_OK; i++) {
            uint64_t left_before = left;
            if (done[i]) continue;
            ez_stop s = run_wave(m, i, &left, before);
            done[i] = s == EZ_STOP_END;
            ended += done[i];
            progress |= done[i] || left_before - left > 1;
            if (s == EZ_STOP_END || s == EZ_STOP_BARRIER) continue;
            *stop = (replay_stop){s, *ez_wave_fault_info(m->wave[i]), i};
            status = EZ_ERR_FAULT;
        }
    }
    free(done);
    if (status != EZ_OK || ended == m->waves) return status;
    *stop = (replay_stop){.stop = EZ_STOP_BARRIER};
    return EZ_ERR_FAULT;
}

ez_status replay_run(const replay_program *p, uint64_t max_instructions, replay_bytes *out, replay_trace *trace,
                     replay_stop *stop) {
    machine m = {.program = p, .trace = trace};
    registers *before = trace ? malloc(sizeof *before) : NULL;
    ez_status status = (!trace || before) && make(&m) ? EZ_OK : EZ_ERR_NOMEM;
    if (status == EZ_OK) status = run_all(&m, max_instructions, stop, before);
    release(&m, status == EZ_ERR_NOMEM ? NULL : out);
    free(before);
    return status;
}
