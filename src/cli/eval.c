/* SPDX-License-Identifier: Apache-2.0 */
/* execz eval: a few instructions on given registers. */
#include "eval.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct eval_options {
    cli_target_id id;
    unsigned wave;
    uint64_t lanes, max_instructions;
    bool json, true16;
} eval_options;

static const cli_option options[] = {
    {'t', "target", "TARGET", "the GPU", CLI_TARGET_ID, offsetof(eval_options, id)},
    {0, "wave", "32|64", "lanes of the wave", CLI_WAVE, offsetof(eval_options, wave)},
    {0, "lanes", "N", "lanes that are active and shown; by default the whole wave", CLI_NUMBER,
     offsetof(eval_options, lanes)},
    {0, "true16", NULL, "take half registers (v5.l) also where they are not the default", CLI_FLAG,
     offsetof(eval_options, true16)},
    {0, "max-instructions", "N", "stop after so many; by default a million", CLI_NUMBER,
     offsetof(eval_options, max_instructions)},
    {0, "json", NULL, "print the changed registers as a JSON object", CLI_FLAG,
     offsetof(eval_options, json)},
    {0}};

enum { LDS_BYTES = 65536 };

/* Code under construction. */
typedef struct code {
    uint8_t *bytes;
    size_t size, room;
} code;

static bool append(code *c, const ez_inst *inst) {
    if (c->size + EZ_INST_MAX_BYTES > c->room) {
        size_t room = 2 * c->room + 256;
        uint8_t *more = realloc(c->bytes, room);
        if (!more) return false;
        c->bytes = more;
        c->room = room;
    }
    c->size += ez_encode(inst, c->bytes + c->size);
    return true;
}

/* Assembles the lines and an s_endpgm behind them. */
static bool assemble(const eval_options *o, const char *text, code *c) {
    cli_lines lines = {text, text + strlen(text), NULL, 0, 0};
    ez_text_flags flags = o->true16 ? EZ_TEXT_TRUE16 : EZ_TEXT_DEFAULT;
    bool good = true;
    ez_inst inst;
    ez_error err = {0};
    while (cli_next_line(&lines)) {
        ez_status status =
            ez_parse(o->id.target, o->wave, flags, lines.line, lines.length, &inst, &err);
        if (status == EZ_ERR_NOT_FOUND) continue;
        if (status != EZ_OK) {
            cli_error_at("<instructions>", lines.number, err.column ? err.column : 1, lines.line,
                         lines.length, "%s", err.message);
            good = false;
        } else if (!append(c, &inst)) {
            return cli_error("out of memory"), false;
        }
    }
    unsigned end;
    if (!good) return false;
    good = ez_op_find("s_endpgm", &end, 1) && ez_op_example(end, o->id.target, o->wave, 0, &inst);
    if (!good || !append(c, &inst)) return cli_error("out of memory"), false;
    return true;
}

static int stopped(const eval_options *o, const ez_wave *wave, ez_stop stop) {
    const ez_fault *f = ez_wave_fault_info(wave);
    char text[EZ_TEXT_MAX] = "";
    ez_inst inst;
    if (stop == EZ_STOP_LIMIT)
        return cli_error("stopped after %" PRIu64 " instructions (--max-instructions)",
                         ez_wave_get(wave, EZ_WAVE_INSTRUCTIONS));
    if (stop == EZ_STOP_BARRIER) return cli_error("the wave waits at a barrier for others that do not exist");
    if (ez_decode(o->id.target, o->wave, f->bytes, f->size, &inst) == EZ_OK)
        ez_print(&inst, o->true16 ? EZ_TEXT_TRUE16 : EZ_TEXT_DEFAULT, text, sizeof text);
    if (f->kind == EZ_FAULT_MEMORY || f->kind == EZ_FAULT_ALIGNMENT) {
        char lane[24] = "scalar access";
        if (f->lane != EZ_FAULT_NO_LANE) snprintf(lane, sizeof lane, "lane %u", f->lane);
        return cli_error("%s at byte 0x%" PRIx64 ", %s: %s, address 0x%" PRIx64 ", %u bytes: %s",
                         ez_fault_text(f->kind), f->pc, text, lane, f->address, f->access_size, f->reason);
    }
    return cli_error("%s at byte 0x%" PRIx64 "%s%s: %s", ez_fault_text(f->kind), f->pc, *text ? ", " : "",
                     text, f->reason ? f->reason : "stopped");
}

static int evaluate(const eval_options *o, ez_wave *wave, const code *c) {
    static _Alignas(8) uint8_t lds[LDS_BYTES];
    ez_program *program;
    eval_state *before = eval_save(wave);
    if (!before || ez_program_create(o->id.target, ez_wave_lanes(wave), c->bytes, c->size, 0,
                                     EZ_PROGRAM_KEEP_FLAGS, &program) != EZ_OK) {
        free(before);
        return cli_error("out of memory");
    }
    ez_wave_set_lds(wave, lds, sizeof lds);
    ez_stop stop = ez_wave_run(wave, program, o->max_instructions ? o->max_instructions : 1000000);
    int result = CLI_OK;
    if (stop != EZ_STOP_END) result = stopped(o, wave, stop);
    else if (o->json) eval_show_json(wave, before, (unsigned)o->lanes);
    else eval_show(wave, before, (unsigned)o->lanes);
    ez_program_destroy(program);
    free(before);
    return result;
}

static int run(const cli_command *self, int argc, char **argv) {
    eval_options o = {0};
    int words, status = cli_options(self, argc, argv, &o, &words);
    if (status == CLI_GO) status = cli_check_target(self, o.id.target, o.wave);
    if (status != CLI_GO) return status;
    if (!o.wave) o.wave = ez_target_default_wave(o.id.target);
    if (!o.lanes) o.lanes = o.wave;
    if (o.lanes > o.wave)
        return cli_usage(self, "--lanes is at most %u, the lanes of the wave", o.wave);
    ez_wave *wave;
    if (ez_wave_create(o.id.target, o.wave, &wave) != EZ_OK) return cli_error("out of memory");
    ez_wave_set(wave, EZ_WAVE_EXEC, UINT64_MAX >> (64 - o.lanes));
    for (int i = 1; i < words && status == CLI_GO; i++)
        status = eval_assign(self, wave, (unsigned)o.lanes, argv[i]);
    code c = {0};
    if (status == CLI_GO)
        status = assemble(&o, argv[0], &c) ? evaluate(&o, wave, &c) : CLI_INPUT;
    ez_wave_destroy(wave);
    free(c.bytes);
    return status;
}

const cli_command cli_eval = {
    "eval",
    "Run a few instructions on given registers and show what they change.",
    "-t TARGET 'INSTRUCTIONS' [REGISTER=VALUE ...]",
    "INSTRUCTIONS are separated by newlines. REGISTER is v2, v[2:3], a2, s4, s[4:5], ttmp1, vcc, exec, scc, m0,\n"
    "mode, or a field of mode: ieee, dx10_clamp, denorm16_64, denorm32, round16_64, round32. One VALUE goes to\n"
    "all lanes of a vector register, a list (1,2,3) lane by lane. VALUE is a number, or TYPE:NUMBER such as\n"
    "f16:1.5. Registers start at 0, exec with a bit for each lane, mode with a kernel descriptor's defaults.\n\n"
    "  $ execz eval -t gfx1030 'v_min_f16 v0, v1, v2' v1=0x7c01 v2=f16:1.0 --lanes 1\n"
    "  v0      lane 0       0x00000000 -> 0x00007e01  i32 32257  f32 4.5202e-41  f16 nan\n"
    "  flags   invalid\n",
    options, 1, 4096, run};
