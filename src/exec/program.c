/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory of a program ---- */

typedef struct ez_chunk {
    struct ez_chunk *next;
    size_t used, size;
    unsigned char *bytes;
} ez_chunk;

enum { CHUNK = 1 << 16, ALIGN = 64 };

void *ez_program_alloc(ez_program *p, size_t size) {
    size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (!p->chunks || p->chunks->size - p->chunks->used < size) {
        ez_chunk *chunk = malloc(sizeof *chunk);
        if (!chunk) return NULL;
        chunk->size = size > CHUNK ? size : CHUNK;
        chunk->used = 0;
        chunk->bytes = aligned_alloc(ALIGN, chunk->size);
        if (!chunk->bytes) {
            free(chunk);
            return NULL;
        }
        memset(chunk->bytes, 0, chunk->size);
        chunk->next = p->chunks;
        p->chunks = chunk;
    }
    void *memory = p->chunks->bytes + p->chunks->used;
    p->chunks->used += size;
    return memory;
}

typedef struct ez_constant {
    struct ez_constant *next;
    uint64_t value;
    unsigned dwords;
    bool mask;
    uint32_t *rows;
} ez_constant;

const uint32_t *ez_program_constant(ez_program *p, uint64_t value, unsigned dwords, bool mask) {
    unsigned searched = 0; /* sharing is worth a short search only */
    for (ez_constant *c = p->constants; c && searched < 64; c = c->next, searched++)
        if (c->value == value && c->dwords == dwords && c->mask == mask) return c->rows;
    ez_constant *c = ez_program_alloc(p, sizeof *c);
    if (!c) return NULL;
    *c = (ez_constant){.next = p->constants, .value = value, .dwords = dwords, .mask = mask};
    c->rows = ez_program_alloc(p, 4ul * dwords * p->lanes);
    if (!c->rows) return NULL;
    for (unsigned i = 0; i < p->lanes; i++) {
        if (mask) c->rows[i] = 0u - (uint32_t)(value >> i & 1);
        else
            for (unsigned d = 0; d < dwords && d < 2; d++)
                c->rows[d * p->lanes + i] = (uint32_t)(value >> (32 * d));
    }
    p->constants = c;
    return c->rows;
}

unsigned ez_program_rows(const ez_program *p) {
    return (ez_has(p->target, EZ_HAS_vgprs_1024) ? 1024 : 256) + (ez_has(p->target, EZ_HAS_agprs) ? 256 : 0);
}

/* ---- making and ending ---- */

enum { HWREG_TRAPSTS = 3, HWREG_EXCP_FLAG_USER = 18 };

/* Whether any aligned dword of the code reads the register with the exception flags. Data that looks like it
 * costs speed only. */
static bool reads_flags(const ez_program *p) {
    ez_inst getreg;
    if (!ez_inst_begin(&getreg, p->target, p->lanes, EZ_OP_S_GETREG_B32, EZ_FORM_BASE)) return true;
    ez_field_position op = ez_inst_layout(&getreg)->field[EZ_F_op];
    uint32_t mask = ez_inst_layout(&getreg)->mask | ((1u << op.width) - 1) << op.lo;
    unsigned id = ez_has(p->target, EZ_HAS_excp_flag_user) ? HWREG_EXCP_FLAG_USER : HWREG_TRAPSTS;
    for (size_t at = 0; at + 4 <= p->size; at += 4) {
        const uint8_t *b = p->code + at;
        uint32_t word = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        if ((word & mask) == getreg.word[0] && (word & 0x3f) == id) return true;
    }
    return false;
}

ez_status ez_program_create(const ez_target *target, unsigned lanes, const void *code, size_t size,
                            uint64_t address, unsigned options, ez_program **program) {
    if (!program) return EZ_ERR_ARGUMENT;
    *program = NULL;
    if (!target || (!code && size)) return EZ_ERR_ARGUMENT;
    if (!lanes) lanes = ez_target_default_wave(target);
    if (!ez_target_has_wave(target, lanes) || address % 4 || address + size < address || size > UINT32_MAX ||
        (options & ~(unsigned)EZ_PROGRAM_KEEP_FLAGS))
        return EZ_ERR_ARGUMENT;
    const ez_level *level = ez_level_chosen();
    if (!level) return EZ_ERR_UNSUPPORTED;
    ez_program *p = calloc(1, sizeof *p);
    if (!p) return EZ_ERR_NOMEM;
    p->target = target;
    p->lanes = lanes;
    p->code = code;
    p->size = size;
    p->address = address;
    p->level = level;
    p->blocks = calloc(size / 4 + 1, sizeof *p->blocks);
    if (!p->blocks || pthread_mutex_init(&p->lock, NULL)) {
        free(p->blocks);
        free(p);
        return EZ_ERR_NOMEM;
    }
    p->keeps_flags = options & EZ_PROGRAM_KEEP_FLAGS || reads_flags(p);
    *program = p;
    return EZ_OK;
}

void ez_program_destroy(ez_program *p) {
    if (!p) return;
    while (p->chunks) {
        ez_chunk *chunk = p->chunks;
        p->chunks = chunk->next;
        free(chunk->bytes);
        free(chunk);
    }
    pthread_mutex_destroy(&p->lock);
    free(p->blocks);
    free(p);
}

/* ---- blocks ---- */

static ez_block *find(ez_block *b, uint32_t key) {
    while (b && b->key != key) b = b->next;
    return b;
}

ez_block *ez_program_block(ez_program *p, size_t offset, uint32_t key) {
    _Atomic(ez_block *) *slot = &p->blocks[offset / 4];
    ez_block *b = find(atomic_load_explicit(slot, memory_order_acquire), key);
    if (b) return b;
    pthread_mutex_lock(&p->lock);
    b = find(atomic_load_explicit(slot, memory_order_relaxed), key);
    if (!b && (b = ez_lower(p, offset, key))) {
        b->next = atomic_load_explicit(slot, memory_order_relaxed);
        atomic_store_explicit(slot, b, memory_order_release);
    }
    pthread_mutex_unlock(&p->lock);
    return b;
}
