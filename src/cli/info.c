/* SPDX-License-Identifier: Apache-2.0 */
/* execz info: the reference page of an instruction. */
#include "info.h"

#include <ctype.h>
#include <string.h>

typedef struct info_options {
    cli_target_id id;
    unsigned wave;
    bool json, true16, list, diff, coverage;
    const char *search;
} info_options;

static const cli_option options[] = {
    {'t', "target", "TARGET", "only this GPU; without it, all of them", CLI_TARGET_ID,
     offsetof(info_options, id)},
    {0, "list", NULL, "list all instructions", CLI_FLAG, offsetof(info_options, list)},
    {0, "search", "WORDS", "list the instructions that have these words in name, id or description", CLI_TEXT,
     offsetof(info_options, search)},
    {0, "diff", NULL, "say what the second of two targets has otherwise than the first", CLI_FLAG,
     offsetof(info_options, diff)},
    {0, "coverage", NULL, "count the instructions that can be decoded, encoded and executed", CLI_FLAG,
     offsetof(info_options, coverage)},
    {0, "wave", "32|64", "lanes of a wave, for the example", CLI_WAVE, offsetof(info_options, wave)},
    {0, "true16", NULL, "write half registers (v5.l) also where they are not the default", CLI_FLAG,
     offsetof(info_options, true16)},
    {0, "json", NULL, "print JSON, an array with an object for each operation of that name", CLI_FLAG,
     offsetof(info_options, json)},
    {0}};

enum { OPS_MAX = 64 };

/* Others are compared with this target when none is asked for: the newest of CDNA. */
static const char default_base[] = "gfx950";

static const ez_target *base_of(unsigned op) {
    const ez_target *base = ez_target_find(default_base);
    if (base && ez_op_name(op, base)) return base;
    base = NULL;
    for (size_t i = 0; i < ez_target_count(); i++)
        if (ez_op_name(op, ez_target_at(i))) base = ez_target_at(i);
    return base;
}

const char *info_compared(const info_page *page, const ez_target *target) {
    ez_op_form mine[EZ_OP_FORMS_MAX], its[EZ_OP_FORMS_MAX];
    if (target == page->base) return "base";
    if (strcmp(ez_op_name(page->op, target), ez_op_name(page->op, page->base))) return "renamed";
    if (!ez_op_forms(page->op, page->base, mine, EZ_OP_FORMS_MAX) ||
        !ez_op_forms(page->op, target, its, EZ_OP_FORMS_MAX))
        return "not the same";
    return mine[0].identifier == its[0].identifier && !strcmp(mine[0].encoding, its[0].encoding)
               ? "same"
               : "not the same";
}

bool info_example(const info_page *page, const ez_target *target, unsigned form, char text[EZ_TEXT_MAX],
                  char hex[2 * EZ_INST_MAX_BYTES + 1]) {
    ez_inst inst;
    uint8_t bytes[EZ_INST_MAX_BYTES];
    if (!ez_op_example(page->op, target, page->wave, form, &inst)) return false;
    ez_print(&inst, page->flags, text, EZ_TEXT_MAX);
    size_t size = ez_encode(&inst, bytes);
    for (size_t i = 0; i < size; i++)
        snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

ez_fidelity info_fidelity(unsigned op, const ez_target *target, uint32_t *ulp) {
    ez_op_form forms[EZ_OP_FORMS_MAX];
    ez_inst inst;
    size_t n = ez_op_forms(op, target, forms, EZ_OP_FORMS_MAX);
    *ulp = 0;
    for (size_t i = 0; i < n; i++)
        if (ez_op_example(op, target, 0, forms[i].form, &inst)) return ez_inst_fidelity(&inst, ulp);
    return EZ_FIDELITY_UNSUPPORTED;
}

bool info_executable(unsigned op, const ez_target *target) {
    uint32_t ulp;
    return info_fidelity(op, target, &ulp) != EZ_FIDELITY_UNSUPPORTED;
}

/* The name without the suffix of a form, in lower case, as it is on targets. */
static void plain_name(const char *word, char *name, size_t room) {
    static const char *const suffixes[] = {"_e64_dpp", "_e32", "_e64", "_sdwa", "_dpp"};
    size_t n = 0;
    for (; word[n] && n + 1 < room; n++)
        name[n] = (char)tolower((unsigned char)word[n]);
    name[n] = 0;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        size_t length = strlen(suffixes[i]);
        if (n > length && !strcmp(name + n - length, suffixes[i])) {
            name[n - length] = 0;
            return;
        }
    }
}

/* Those of the operations that a page is made for: with a target, the ones that have the name there, or
 * failing that, the ones that it has under another. */
static unsigned choose(const info_options *o, const char *word, const unsigned *ops, size_t count,
                       info_page *pages) {
    char name[64];
    unsigned n = 0;
    plain_name(word, name, sizeof name);
    for (int exact = 1; exact >= 0 && !n; exact--)
        for (size_t i = 0; i < count; i++) {
            const ez_target *base = o->id.target ? o->id.target : base_of(ops[i]);
            const char *has = base ? ez_op_name(ops[i], base) : NULL;
            if (!has || (exact && o->id.target && strcmp(has, name))) continue;
            pages[n++] = (info_page){ops[i], base, o->id.target != NULL, o->wave,
                                     o->true16 ? EZ_TEXT_TRUE16 : EZ_TEXT_DEFAULT};
        }
    return n;
}

static int missing(const info_options *o, const char *word, unsigned op) {
    char list[400] = "";
    size_t used = 0;
    for (size_t i = 0; i < ez_target_count(); i++) {
        const ez_target *t = ez_target_at(i);
        if (ez_op_name(op, t) && used + 40 < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, " %s", ez_target_name(t));
    }
    return cli_error("%s has no %s; these have it:%s", ez_target_name(o->id.target), word, list);
}

/* The pages of everything that has the name. */
static int describe(const info_options *o, const char *word) {
    unsigned ops[OPS_MAX];
    info_page pages[OPS_MAX];
    size_t found = ez_op_find(word, ops, OPS_MAX);
    if (found > OPS_MAX) found = OPS_MAX;
    if (!found)
        return cli_error("no instruction is called '%s'%s", word,
                         cli_did_you_mean(word, ez_op_name_at, ez_op_name_count()));
    unsigned count = choose(o, word, ops, found, pages);
    if (!count) return missing(o, word, ops[0]);
    if (o->json) return info_print_json(pages, count);
    for (unsigned i = 0; i < count; i++) {
        if (i) putchar('\n');
        info_print(&pages[i]);
    }
    return CLI_OK;
}

static int diff(const cli_command *self, const info_options *o, char **names) {
    cli_target_id from, to;
    int status = cli_target(self, names[0], &from);
    if (status == CLI_GO) status = cli_target(self, names[1], &to);
    return status == CLI_GO ? info_diff(from.target, to.target, o->json) : status;
}

static int run(const cli_command *self, int argc, char **argv) {
    info_options o = {0};
    int words, status = cli_options(self, argc, argv, &o, &words);
    if (status == CLI_GO && o.id.target) status = cli_check_target(self, o.id.target, o.wave);
    if (status != CLI_GO) return status;
    if (o.list + (o.search != NULL) + o.diff + o.coverage > 1)
        return cli_usage(self, "--list, --search, --diff and --coverage exclude each other");
    int wanted = o.diff ? 2 : o.list || o.search || o.coverage ? 0 : 1;
    if (words != wanted)
        return cli_usage(self, wanted == 2   ? "--diff takes two targets"
                               : wanted == 1 ? "the name of one instruction is needed"
                                             : "--list, --search and --coverage take no further words");
    if (o.list || o.search) return info_list(o.id.target, o.search, o.json);
    if (o.diff) return diff(self, &o, argv);
    if (o.coverage) return info_coverage(o.id.target, o.json);
    return describe(&o, argv[0]);
}

const cli_command cli_info = {
    "info",
    "Describe an instruction, or list and compare what GPUs have.",
    "NAME | --list | --search WORDS | --diff TARGET TARGET | --coverage",
    "NAME is a mnemonic (v_min_f16, v_min_f16_e64) or the id of an operation (MIN_F16). Everything but the\n"
    "semantics is computed from the tables that assembler and disassembler use.\n",
    options,
    0,
    2,
    run};
