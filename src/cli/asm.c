/* SPDX-License-Identifier: Apache-2.0 */
/* execz asm: text to bytes, or to a code object. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct asm_options {
    cli_target_id target;
    unsigned wave;
    bool hex, true16, relocatable;
    const char *output;
    uint64_t version;
} asm_options;

static const cli_option options[] = {
    {'t', "target", "TARGET", "the GPU to assemble for, such as gfx1100 or gfx90a:xnack+", CLI_TARGET_ID,
     offsetof(asm_options, target)},
    {0, "wave", "32|64", "lanes of a wave, for the size of lane masks", CLI_WAVE,
     offsetof(asm_options, wave)},
    {0, "true16", NULL, "take half registers (v5.l) also where they are not the default",
     CLI_FLAG, offsetof(asm_options, true16)},
    {0, "hex", NULL, "print bytes only, in memory order, an instruction a line", CLI_FLAG,
     offsetof(asm_options, hex)},
    {'o', "output", "FILE", "write a code object that can be loaded and run", CLI_TEXT,
     offsetof(asm_options, output)},
    {'c', "relocatable", NULL, "with -o: write an object that is yet to be linked", CLI_FLAG,
     offsetof(asm_options, relocatable)},
    {0, "code-object", "4|5|6", "version of the code object; the text's own directive wins", CLI_NUMBER,
     offsetof(asm_options, version)},
    {0}};

static void print_hex(const uint8_t *bytes, uint64_t size) {
    for (uint64_t i = 0; i < size; i++)
        printf("%02x", bytes[i]);
    putchar('\n');
}

/* ---- listing ---- */

static const char *data_directive(unsigned unit) {
    return unit == 1 ? ".byte" : unit == 2 ? ".short" : unit == 8 ? ".quad" : ".long";
}

static void print_line(const asm_options *o, const ez_section *section, const ez_asm_line *line) {
    const uint8_t *bytes = section->bytes ? section->bytes + line->offset : NULL;
    ez_inst inst;
    char text[EZ_TEXT_MAX];
    if (!bytes) return; /* of a section without content */
    if (!o->hex) {
        bool decoded = line->instruction &&
                       ez_decode(o->target.target, o->wave, bytes, (size_t)line->size, &inst) == EZ_OK;
        if (decoded) ez_print(&inst, o->true16 ? EZ_TEXT_TRUE16 : EZ_TEXT_DEFAULT, text, sizeof text);
        printf("%-60s // ", decoded ? text : data_directive(line->unit));
    }
    print_hex(bytes, line->size);
}

static void print_listing(const asm_options *o, const ez_asm *assembler) {
    size_t sections, lines;
    const ez_section *section = ez_asm_sections(assembler, &sections);
    const ez_asm_line *line = ez_asm_listing(assembler, &lines);
    for (size_t i = 0; i < lines; i++)
        print_line(o, &section[line[i].section], &line[i]);
}

/* ---- the object ---- */

static int write_object(const asm_options *o, ez_asm *assembler) {
    ez_error err;
    const uint8_t *bytes;
    size_t size;
    ez_asm_output kind = o->relocatable ? EZ_ASM_RELOCATABLE : EZ_ASM_LOADABLE;
    if (ez_asm_object(assembler, kind, &bytes, &size, &err)) return cli_error("%s", err.message);
    bool standard = !strcmp(o->output, "-");
    FILE *file = standard ? stdout : fopen(o->output, "wb");
    bool good = file && fwrite(bytes, 1, size, file) == size;
    if (file && (standard ? fflush(file) : fclose(file))) good = false;
    return good ? CLI_OK : cli_error("%s: %s", o->output, strerror(errno));
}

/* ---- the command ---- */

static void print_diagnostics(const ez_asm *assembler) {
    size_t count;
    const ez_diagnostic *d = ez_asm_diagnostics(assembler, &count);
    for (size_t i = 0; i < count; i++)
        cli_message_at(d[i].severity, d[i].source, d[i].line, d[i].column, d[i].text, d[i].length, d[i].message);
}

static int assemble(const asm_options *o, ez_asm *assembler, const char *path) {
    size_t size;
    char *text = cli_read(path, &size);
    if (!text) return CLI_INPUT;
    ez_status status = ez_asm_source(assembler, cli_input_name(path), text, size);
    free(text);
    if (!status) status = ez_asm_finish(assembler);
    print_diagnostics(assembler);
    bool said = status == EZ_ERR_SYNTAX || status == EZ_ERR_LIMIT;
    if (status && !said) return cli_error("%s: %s", cli_input_name(path), ez_status_text(status));
    if (!o->output) print_listing(o, assembler);
    if (status) return CLI_INPUT;
    return o->output ? write_object(o, assembler) : CLI_OK;
}

static int run(const cli_command *self, int argc, char **argv) {
    asm_options o = {.wave = 0};
    ez_error err;
    ez_target_id id = {.xnack = EZ_SETTING_UNSUPPORTED};
    ez_asm *assembler;
    int words, status = cli_options(self, argc, argv, &o, &words);
    if (status == CLI_GO) status = cli_check_target(self, o.target.target, o.wave);
    if (status != CLI_GO) return status;
    if (o.relocatable && !o.output) return cli_usage(self, "-c needs -o FILE");
    if (o.target.text && ez_target_id_parse(o.target.text, strlen(o.target.text), &id, &err))
        return cli_usage(self, "%s", err.message);
    ez_asm_options settings = {.target = o.target.target, .wave = o.wave, .version = (unsigned)o.version,
                               .flags = o.true16 ? EZ_TEXT_TRUE16 : EZ_TEXT_DEFAULT, .xnack = id.xnack,
                               .sramecc = id.sramecc, .listing = !o.output};
    if (o.version > 6) return cli_usage(self, "--code-object: expected 4, 5 or 6");
    if (ez_asm_open(&settings, &assembler, &err)) return cli_usage(self, "%s", err.message);
    status = assemble(&o, assembler, words ? argv[0] : NULL);
    ez_asm_close(assembler);
    return status;
}

const cli_command cli_asm = {
    "asm",
    "Assemble text in LLVM's syntax.",
    "-t TARGET [-o OBJECT] [FILE]",
    "Reads FILE or standard input: instructions, labels, directives, macros. With -o it writes the code object that\n"
    "llvm-mc and ld.lld make of the file. Without, each instruction is printed as the disassembler has it, with its\n"
    "bytes behind; with --hex the bytes alone. After an error the remaining lines are still checked.\n\n"
    "  $ echo 'v_min_f16 v5, -1, v2' | execz asm -t gfx1100 --hex\n"
    "  c1040a74\n",
    options, 0, 1, run};
