/* SPDX-License-Identifier: Apache-2.0 */
/*
 * execz info --coverage: of each instruction of a target an example in each of its forms is decoded, its text
 * assembled, and it is run; nothing is taken from a list. An instruction decodes when all its forms do; it encodes when
 * the text of its first form assembles to the same bytes; it executes when that and all other forms do that the
 * assembler takes.
 */
#include "info.h"

#include <jansson.h>
#include <string.h>
#include <stdlib.h>

typedef struct coverage {
    unsigned instructions, decode, encode, execute;
} coverage;

/* What a target fails at, by name; NULL: not wanted. */
typedef struct failures {
    json_t *decode, *encode, *execute;
} failures;

typedef struct trial {
    const ez_target *target;
    ez_wave *wave;
    void *lds;
} trial;

enum { LDS_BYTES = 65536 };

/* Whether the instruction's text assembles to its bytes. */
static bool encodes(const ez_inst *inst) {
    char text[EZ_TEXT_MAX];
    uint8_t bytes[EZ_INST_MAX_BYTES], again[EZ_INST_MAX_BYTES];
    ez_inst parsed;
    ez_error err;
    size_t length = ez_print(inst, EZ_TEXT_DEFAULT, text, sizeof text), size = ez_encode(inst, bytes);
    if (ez_parse(inst->target, inst->wave, EZ_TEXT_DEFAULT, text, length, &parsed, &err) != EZ_OK)
        return false;
    return ez_encode(&parsed, again) == size && !memcmp(bytes, again, size);
}

/* Whether the form's identifier alone reads as the operation: v_nop is that in any form. */
static bool identifies(const ez_target *target, unsigned op, const ez_op_form *form) {
    uint8_t bytes[EZ_INST_MAX_BYTES] = {0};
    ez_inst inst;
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(form->identifier >> 8 * i);
    return ez_decode(target, 0, bytes, sizeof bytes, &inst) == EZ_OK && inst.op == op;
}

/* Whether a wave runs it: to a fault of another kind, at an address say, is far enough. */
static bool executes(const trial *t, const ez_inst *inst) {
    uint8_t bytes[EZ_INST_MAX_BYTES];
    ez_program *program;
    size_t size = ez_encode(inst, bytes);
    if (!ez_inst_executable(inst)) return false;
    if (ez_program_create(t->target, ez_wave_lanes(t->wave), bytes, size, 0, 0, &program) != EZ_OK)
        return false;
    ez_wave_reset(t->wave);
    ez_wave_set_lds(t->wave, t->lds, LDS_BYTES);
    ez_stop stop = ez_wave_run(t->wave, program, 1);
    bool unsupported = stop == EZ_STOP_FAULT && ez_wave_fault_info(t->wave)->kind == EZ_FAULT_UNSUPPORTED;
    ez_program_destroy(program);
    return !unsupported;
}

static void note(json_t *list, unsigned *count, bool good, const char *name) {
    *count += good;
    if (!good && list) json_array_append_new(list, json_string(name));
}

static void try_op(const trial *t, unsigned op, coverage *c, const failures *f) {
    ez_op_form forms[EZ_OP_FORMS_MAX];
    const char *name = ez_op_name(op, t->target);
    size_t n = ez_op_forms(op, t->target, forms, EZ_OP_FORMS_MAX);
    bool decode = true, encode = false, execute = false;
    if (!name) return;
    for (size_t i = 0; i < n; i++) {
        ez_inst inst;
        bool made = ez_op_example(op, t->target, 0, forms[i].form, &inst); /* the decoder has judged it */
        bool text = made && encodes(&inst), run = text && executes(t, &inst);
        decode &= made || identifies(t->target, op, &forms[i]);
        if (i == 0) encode = text, execute = run;
        execute &= run || !text;
    }
    c->instructions++;
    note(f->decode, &c->decode, decode, name);
    note(f->encode, &c->encode, encode, name);
    note(f->execute, &c->execute, execute, name);
}

static bool try_target(const ez_target *target, coverage *c, const failures *f) {
    trial t = {target, NULL, malloc(LDS_BYTES)};
    bool good = t.lds && ez_wave_create(target, ez_target_default_wave(target), &t.wave) == EZ_OK;
    *c = (coverage){0};
    if (good) memset(t.lds, 0, LDS_BYTES);
    for (unsigned op = 1; op <= ez_op_count() && good; op++)
        try_op(&t, op, c, f);
    ez_wave_destroy(t.wave);
    free(t.lds);
    return good;
}

static json_t *coverage_json(const ez_target *t, const coverage *c) {
    return json_pack("{s:s, s:i, s:i, s:i, s:i}", "target", ez_target_name(t), "instructions",
                     (int)c->instructions, "decode", (int)c->decode, "encode", (int)c->encode, "execute",
                     (int)c->execute);
}

/* The instructions of one target that something fails for. */
static void print_failures(const char *what, const json_t *list) {
    size_t i;
    const json_t *name;
    if (!json_array_size(list)) return;
    printf("\n%s:\n", what);
    json_array_foreach(list, i, name) printf("  %s\n", json_string_value(name));
}

static int one_target(const ez_target *target, bool json) {
    coverage c;
    failures f = {json_array(), json_array(), json_array()};
    if (!try_target(target, &c, &f)) return cli_error("out of memory");
    int failed = 0;
    if (json) {
        json_t *all = coverage_json(target, &c);
        json_object_set(all, "not_decoded", f.decode);
        json_object_set(all, "not_encoded", f.encode);
        json_object_set(all, "not_executed", f.execute);
        failed = json_dumpf(all, stdout, JSON_INDENT(1));
        putchar('\n');
        json_decref(all);
    } else {
        printf("%s: %u instructions; %u decode, %u encode, %u execute\n", ez_target_name(target),
               c.instructions, c.decode, c.encode, c.execute);
        print_failures("not decoded", f.decode);
        print_failures("not encoded", f.encode);
        print_failures("not executed", f.execute);
    }
    json_decref(f.decode);
    json_decref(f.encode);
    json_decref(f.execute);
    return failed ? CLI_INPUT : CLI_OK;
}

int info_coverage(const ez_target *target, bool json) {
    static const failures none;
    if (target) return one_target(target, json);
    json_t *list = json_array();
    if (!json) printf("%-15s %12s %8s %8s %8s\n", "target", "instructions", "decode", "encode", "execute");
    for (size_t i = 0; i < ez_target_count(); i++) {
        coverage c;
        const ez_target *t = ez_target_at(i);
        if (!try_target(t, &c, &none)) {
            json_decref(list);
            return cli_error("out of memory");
        }
        if (json) json_array_append_new(list, coverage_json(t, &c));
        else
            printf("%-15s %12u %8u %8u %8u\n", ez_target_name(t), c.instructions, c.decode, c.encode,
                   c.execute);
    }
    int failed = json ? json_dumpf(list, stdout, JSON_INDENT(1)) : 0;
    if (json) putchar('\n');
    json_decref(list);
    return failed ? CLI_INPUT : CLI_OK;
}
