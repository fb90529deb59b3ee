/* SPDX-License-Identifier: Apache-2.0 */
/* execz targets: which GPUs there are. */
#include "targets.h"

#include "launch.h"

#include <jansson.h>
#include <stdlib.h>

typedef struct targets_options {
    bool json, features, hsa;
    const char *targets;
} targets_options;

static const cli_option options[] = {
    {0, "features", NULL, "list the properties that code asks targets for, with their meaning", CLI_FLAG,
     offsetof(targets_options, features)},
    {0, "hsa", NULL, "what a HIP or OpenMP program under execz launch is told: agents, memory pools, ISAs", CLI_FLAG,
     offsetof(targets_options, hsa)},
    {'t', "target", "TARGET[,TARGET ...]", "the GPUs of --hsa; gfx90a when nothing is said", CLI_TEXT,
     offsetof(targets_options, targets)},
    {0, "json", NULL, "print JSON, features included", CLI_FLAG, offsetof(targets_options, json)},
    {0}};

static json_t *target_json(const ez_target *t) {
    json_t *waves = json_array(), *features = json_array(), *covers = json_array();
    for (unsigned lanes = 32; lanes <= 64; lanes *= 2)
        if (ez_target_has_wave(t, lanes)) json_array_append_new(waves, json_integer(lanes));
    for (size_t i = 0; i < ez_feature_count(); i++)
        if (ez_target_has_feature(t, ez_feature_name(i)))
            json_array_append_new(features, json_string(ez_feature_name(i)));
    for (size_t i = 0; i < ez_target_count(); i++)
        if (ez_target_covers(t, ez_target_at(i)))
            json_array_append_new(covers, json_string(ez_target_name(ez_target_at(i))));
    return json_pack("{s:s, s:s, s:s, s:s, s:b, s:o, s:i, s:o, s:i, s:o}", "name", ez_target_name(t),
                     "generation", ez_target_generation(t), "architecture",
                     ez_target_architecture(t), "products", ez_target_products(t), "generic",
                     ez_target_is_generic(t), "covers", covers, "elf_mach", (int)ez_target_elf_mach(t), "waves",
                     waves, "default_wave", (int)ez_target_default_wave(t), "features", features);
}

static int print_json(void) {
    json_t *list = json_array();
    for (size_t i = 0; i < ez_target_count(); i++)
        json_array_append_new(list, target_json(ez_target_at(i)));
    int status = json_dumpf(list, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(list);
    return status ? CLI_INPUT : CLI_OK;
}

static int run(const cli_command *self, int argc, char **argv) {
    targets_options o = {0};
    int words, status = cli_options(self, argc, argv, &o, &words);
    if (status != CLI_GO) return status;
    if (o.targets && !o.hsa) return cli_usage(self, "-t is for --hsa");
    if (o.targets && (status = launch_check_targets(self, o.targets)) != CLI_GO) return status;
    if (o.hsa) return targets_print_hsa(o.targets);
    if (o.json) return print_json();
    if (o.features) {
        for (size_t i = 0; i < ez_feature_count(); i++)
            printf("%-26s %s\n", ez_feature_name(i), ez_feature_about(i));
        return CLI_OK;
    }
    printf("%-15s %-10s %-12s %-7s %-5s %s\n", "name", "generation", "architecture", "waves", "mach",
           "products");
    for (size_t i = 0; i < ez_target_count(); i++) {
        const ez_target *t = ez_target_at(i);
        bool w32 = ez_target_has_wave(t, 32), w64 = ez_target_has_wave(t, 64);
        printf("%-15s %-10s %-12s %-7s 0x%02x  %s\n", ez_target_name(t), ez_target_generation(t),
               ez_target_architecture(t), w32 && w64 ? "32, 64" : w32 ? "32" : "64",
               ez_target_elf_mach(t), ez_target_products(t));
    }
    return CLI_OK;
}

const cli_command cli_targets = {"targets",
                                 "List the GPUs that execz knows.",
                                 "",
                                 "Where a GPU has both wave sizes, the first is the default.\n",
                                 options, 0, 0, run};
