/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of `execz replay` share: recorded programs (replay_read.c), running them (replay_run.c),
 * comparing (replay.c).
 */
#ifndef EZ_REPLAY_H
#define EZ_REPLAY_H

#include "cli.h"

enum { REPLAY_BUFFERS = 16 };

/* Bytes; `size` of them, 0 behind what the file gives. */
typedef struct replay_bytes {
    uint8_t *at;
    size_t size;
} replay_bytes;

/* A buffer whose address stands in the kernarg segment. */
typedef struct replay_buffer {
    const char *name; /* borrowed from the JSON */
    replay_bytes before, after; /* after.at NULL: what becomes of it does not matter */
} replay_buffer;

typedef enum replay_layout {
    REPLAY_PLAIN,
    REPLAY_REGS,       /* v0..15 of each lane, s0..15, VCC, SCC, EXEC, then what the program stored */
    REPLAY_LANE_DWORDS /* one VGPR, a dword for each lane */
} replay_layout;

/* How a dword of the first output may differ. */
typedef struct replay_rule {
    uint32_t exact; /* bits that an assertion named */
    bool ignored[4]; /* bytes that are not compared */
    bool any_nan;
} replay_rule;

typedef struct replay_program {
    const char *id;
    const ez_target *target;
    unsigned wave, lanes;
    replay_bytes code;
    size_t body_end;       /* what follows stores the registers */
    unsigned kernarg_sgpr; /* s[N:N+1]: the address of the kernarg segment */
    uint32_t lds_size, scratch_size; /* scratch: bytes of a lane */
    replay_buffer buffer[REPLAY_BUFFERS]; /* in the order of the kernarg segment; [0] is what rules speak of */
    unsigned buffers;
    replay_layout layout;
    bool approximate;      /* holds instructions whose results hardware approximates */
    replay_rule *rules;    /* one for each dword of buffer[0] */
} replay_program;

/* Reads one line. False with a message when it is no recorded program; replay_free() in both cases. */
bool replay_read(const char *line, size_t length, replay_program *p, void **json, char *message, size_t room);
void replay_free(replay_program *p, void *json);

/* ---- running ---- */

enum { REPLAY_NOBODY = 0xffffffff };

/* Which instruction wrote what: byte offsets in the code, REPLAY_NOBODY where none did. Of the first wave for scalars. */
typedef struct replay_trace {
    unsigned waves;
    uint32_t (*vgpr)[256][64]; /* [waves] */
    uint32_t sgpr[128], scc;
    uint32_t *stored;          /* for each dword of buffer[0] */
} replay_trace;

/* Why a run did not end. */
typedef struct replay_stop {
    ez_stop stop;
    ez_fault fault;
    unsigned wave;
} replay_stop;

/*
 * Runs the program on copies of its buffers: *out is what becomes of them, buffer by buffer; the caller frees
 * out[i].at. With a trace, one instruction at a time. EZ_OK; EZ_ERR_FAULT with *stop; EZ_ERR_NOMEM, EZ_ERR_ARGUMENT.
 */
ez_status replay_run(const replay_program *p, uint64_t max_instructions, replay_bytes *out, replay_trace *trace,
                     replay_stop *stop);

/* False when memory runs out. */
bool replay_trace_create(const replay_program *p, replay_trace *trace);
void replay_trace_free(replay_trace *trace);

#endif
