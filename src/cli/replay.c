/* SPDX-License-Identifier: Apache-2.0 */
/* execz replay: recorded programs again, every byte compared. */
#include "replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct replay_options {
    bool strict;
    const char *id;
    uint64_t max_instructions;
} replay_options;

static const cli_option options[] = {
    {0, "strict", NULL, "compare every byte, also what the recording leaves open", CLI_FLAG, offsetof(replay_options, strict)},
    {0, "id", "TEXT", "only programs with TEXT in their id", CLI_TEXT, offsetof(replay_options, id)},
    {0, "max-instructions", "N", "stop a program after so many; by default a million", CLI_NUMBER,
     offsetof(replay_options, max_instructions)},
    {0}};

typedef struct replay_counts {
    uint64_t passed, failed;
} replay_counts;

/* ---- comparing ---- */

static uint32_t dword_at(const replay_bytes *b, size_t offset) {
    uint32_t value = 0;
    for (unsigned i = 0; i < 4 && offset + i < b->size; i++) value |= (uint32_t)b->at[offset + i] << (8 * i);
    return value;
}

static bool is_nan(uint32_t x) { return (x & 0x7fffffff) > 0x7f800000; }

/* Whether two patterns are equal or neighbours among floats of the same sign. */
static bool within_one_ulp(uint32_t a, uint32_t b) {
    return !is_nan(a) && !is_nan(b) && (a ^ b) >> 31 == 0 && a - b + 1 <= 2;
}

/* Bits in which the dword at an offset of a buffer is wrong. */
static uint32_t wrong_bits(const replay_program *p, unsigned n, size_t offset, uint32_t got, bool strict) {
    uint32_t expected = dword_at(&p->buffer[n].after, offset), bits = expected ^ got;
    if (strict || n) return bits;
    const replay_rule *rule = &p->rules[offset / 4];
    for (unsigned i = 0; i < 4; i++)
        if (rule->ignored[i]) bits &= ~(UINT32_C(0xff) << (8 * i));
    if (rule->exact) return bits;
    if (rule->any_nan && is_nan(expected) && is_nan(got)) return 0;
    if (p->approximate && within_one_ulp(expected, got)) return 0;
    return bits;
}

static unsigned differences(const replay_program *p, const replay_bytes *out, bool strict) {
    unsigned count = 0;
    for (unsigned n = 0; n < p->buffers; n++) {
        if (!p->buffer[n].after.at) continue;
        for (size_t at = 0; at < p->buffer[n].after.size; at += 4)
            count += wrong_bits(p, n, at, dword_at(&out[n], at), strict) != 0;
    }
    return count;
}

/* ---- what a dword is, and who wrote it ---- */

enum { SGPR_VCC = 106, SGPR_EXEC = 126, REGS_VGPRS = 16, REGS_SGPRS = 16 };

/* The register that the last store of the program takes its data from; 0x100 when there is none. */
static unsigned last_stored(const replay_program *p) {
    unsigned reg = 0x100;
    ez_inst inst;
    size_t at = 0;
    ez_status status;
    while ((status = ez_decode_next(p->target, p->wave, p->code.at, p->code.size, &at, &inst)) != EZ_ERR_NOT_FOUND) {
        if (status != EZ_OK || strncmp(ez_inst_id(&inst), "GLOBAL_STORE_B32", 16) != 0) continue;
        for (unsigned n = 0; n < ez_inst_operand_count(&inst); n++) {
            ez_operand o = ez_inst_operand(&inst, n);
            if (n == 1 && o.kind == EZ_OPERAND_VGPR) reg = o.reg;
        }
    }
    return reg;
}

/* Names the dword at an offset of buffer 0; returns the offset of the instruction that wrote it. */
static uint32_t vgpr_named(const replay_program *p, const replay_trace *t, unsigned reg, size_t item, char *name, size_t room) {
    snprintf(name, room, "v%u lane %zu", reg, item);
    return reg < 256 ? t->vgpr[item / p->wave][reg][item % p->wave] : REPLAY_NOBODY;
}

static uint32_t named(const replay_program *p, const replay_trace *t, size_t offset, char *name, size_t room) {
    size_t n = offset / 4, vgprs = (size_t)REGS_VGPRS * p->lanes;
    if (p->layout == REPLAY_LANE_DWORDS && n < p->lanes) return vgpr_named(p, t, last_stored(p), n, name, room);
    if (p->layout == REPLAY_REGS && n < vgprs)
        return vgpr_named(p, t, (unsigned)(n / p->lanes), n % p->lanes, name, room);
    if (p->layout == REPLAY_REGS && n < vgprs + REGS_SGPRS) {
        snprintf(name, room, "s%zu", n - vgprs);
        return t->sgpr[n - vgprs];
    }
    if (p->layout == REPLAY_REGS && n < vgprs + REGS_SGPRS + 3) {
        static const char *const names[] = {"vcc", "scc", "exec"};
        unsigned which = (unsigned)(n - vgprs - REGS_SGPRS);
        snprintf(name, room, "%s", names[which]);
        return which == 0 ? t->sgpr[SGPR_VCC] : which == 1 ? t->scc : t->sgpr[SGPR_EXEC];
    }
    snprintf(name, room, "%.40s byte 0x%zx", p->buffer[0].name, offset);
    return t->stored[n];
}

static void print_writer(const replay_program *p, uint32_t at) {
    char text[EZ_TEXT_MAX];
    ez_inst inst;
    if (at == REPLAY_NOBODY || ez_decode(p->target, p->wave, p->code.at + at, p->code.size - at, &inst) != EZ_OK) {
        puts("no instruction wrote it");
        return;
    }
    ez_print(&inst, EZ_TEXT_DEFAULT, text, sizeof text);
    printf("written at 0x%" PRIx32 " by %s\n", at, text);
}

static void print_differences(const replay_program *p, const replay_bytes *out, const replay_trace *t, bool strict) {
    for (unsigned n = 0; n < p->buffers; n++) {
        if (!p->buffer[n].after.at) continue;
        for (size_t at = 0; at < p->buffer[n].after.size; at += 4) {
            char name[80];
            uint32_t got = dword_at(&out[n], at), writer = REPLAY_NOBODY;
            if (!wrong_bits(p, n, at, got, strict)) continue;
            if (n == 0) writer = named(p, t, at, name, sizeof name);
            else snprintf(name, sizeof name, "%.40s byte 0x%zx", p->buffer[n].name, at);
            printf("  %s: expected 0x%08" PRIx32 ", got 0x%08" PRIx32 "%s; ", name, dword_at(&p->buffer[n].after, at),
                   got, n == 0 && p->rules[at / 4].exact ? " (asserted)" : "");
            if (n == 0) print_writer(p, writer);
            else puts("not the first buffer");
        }
    }
}

static void print_stop(const replay_program *p, const replay_stop *s) {
    char text[EZ_TEXT_MAX] = "?";
    ez_inst inst;
    if (s->stop == EZ_STOP_LIMIT) puts("  stopped at the limit (--max-instructions)");
    else if (s->stop == EZ_STOP_BARRIER) puts("  all waves that are left wait at a barrier");
    else {
        if (ez_decode(p->target, p->wave, s->fault.bytes, s->fault.size, &inst) == EZ_OK)
            ez_print(&inst, EZ_TEXT_DEFAULT, text, sizeof text);
        printf("  wave %u: %s at %s: %s\n", s->wave, ez_fault_text(s->fault.kind), text, s->fault.reason);
    }
}

/* ---- the command ---- */

static void free_output(const replay_program *p, replay_bytes *out) {
    for (unsigned i = 0; i < p->buffers; i++) {
        free(out[i].at);
        out[i].at = NULL;
    }
}

/* A second run, one instruction after the other, to tell who wrote what. */
static bool explain(const replay_program *p, const replay_options *o, const replay_bytes *first) {
    replay_bytes out[REPLAY_BUFFERS] = {{0}};
    replay_stop stop;
    replay_trace trace;
    bool good = replay_trace_create(p, &trace);
    if (good) good = replay_run(p, o->max_instructions, out, &trace, &stop) != EZ_ERR_NOMEM;
    if (good) print_differences(p, first, &trace, o->strict);
    free_output(p, out);
    replay_trace_free(&trace);
    return good;
}

/* False when memory runs out. */
static bool check(const replay_program *p, const replay_options *o, const char *where, replay_counts *counts) {
    replay_bytes out[REPLAY_BUFFERS] = {{0}};
    replay_stop stop;
    ez_status status = replay_run(p, o->max_instructions, out, NULL, &stop);
    bool good = status != EZ_ERR_NOMEM;
    if (status == EZ_OK && !differences(p, out, o->strict)) {
        counts->passed++;
    } else if (good) {
        counts->failed++;
        printf("%s: %s\n", where, p->id);
        if (status == EZ_ERR_FAULT) print_stop(p, &stop);
        else good = explain(p, o, out);
    }
    free_output(p, out);
    return good;
}

static int replay_file(const replay_options *o, const char *path, replay_counts *counts) {
    size_t size;
    char *text = cli_read(path, &size);
    if (!text) return CLI_INPUT;
    cli_lines lines = {text, text + size, NULL, 0, 0};
    int status = CLI_GO;
    while (status == CLI_GO && cli_next_line(&lines)) {
        char message[160], where[300];
        replay_program p;
        void *json;
        if (!lines.length) continue;
        snprintf(where, sizeof where, "%.200s:%u", cli_input_name(path), lines.number);
        if (!replay_read(lines.line, lines.length, &p, &json, message, sizeof message)) {
            cli_error("%s: %s%s%s", where, p.id, *p.id ? ": " : "", message);
            counts->failed++;
        } else if (!o->id || strstr(p.id, o->id)) {
            if (!check(&p, o, where, counts)) status = cli_error("out of memory");
        }
        replay_free(&p, json);
    }
    free(text);
    return status;
}

static int run(const cli_command *self, int argc, char **argv) {
    replay_options o = {0};
    replay_counts counts = {0};
    int words, status = cli_options(self, argc, argv, &o, &words);
    if (status != CLI_GO) return status;
    if (!o.max_instructions) o.max_instructions = 1000000;
    for (int i = 0; i < words && status == CLI_GO; i++) status = replay_file(&o, argv[i], &counts);
    if (status != CLI_GO) return status;
    if (!counts.passed && !counts.failed)
        return o.id ? cli_error("no program has an id with '%s'", o.id) : cli_error("there are no programs to replay");
    printf("%" PRIu64 " passed, %" PRIu64 " failed\n", counts.passed, counts.failed);
    return counts.failed ? CLI_INPUT : CLI_OK;
}

const cli_command cli_replay = {
    "replay",
    "Run recorded programs again and compare every byte of their results.",
    "FILE.jsonl ...",
    "A line of FILE is one program as JSON: code, launch state, buffers before and after. Bytes that the recording\n"
    "ignores are not compared, any NaN passes for one whose payload it leaves open, and where the program holds\n"
    "approximated functions a float may be off by one unit in the last place; --strict compares everything.\n"
    "Each difference is printed with its register, lane and the instruction that wrote it.\n",
    options, 1, 4096, run};
