/* SPDX-License-Identifier: Apache-2.0 */
/* run --fidelity: what was executed, and how near to hardware it is. */
#include "run.h"

#include <jansson.h>
#include <stdlib.h>

static json_t *entry_json(const ez_fidelity_entry *e) {
    json_t *o = json_object();
    json_object_set_new(o, "name", json_string(e->name));
    json_object_set_new(o, "places", json_integer((json_int_t)e->places));
    json_object_set_new(o, "first", json_integer((json_int_t)e->first));
    if (e->fidelity == EZ_FIDELITY_APPROXIMATE)
        json_object_set_new(o, "ulp", e->ulp == EZ_ULP_UNKNOWN ? json_null() : json_integer(e->ulp));
    if (e->fidelity == EZ_FIDELITY_UNSUPPORTED)
        json_object_set_new(o, "reason", json_string(e->reason ? e->reason : ""));
    return o;
}

static int print_json(ez_fidelity_report *report) {
    static const char *const names[] = {[EZ_FIDELITY_EXACT] = "exact",
                                        [EZ_FIDELITY_APPROXIMATE] = "approximate",
                                        [EZ_FIDELITY_UNSUPPORTED] = "unsupported"};
    size_t count;
    const ez_fidelity_entry *e = ez_fidelity_entries(report, &count);
    json_t *all = json_object();
    for (unsigned f = 0; f < sizeof names / sizeof *names; f++) {
        json_t *list = json_array();
        for (size_t i = 0; i < count; i++)
            if (e[i].fidelity == (ez_fidelity)f) json_array_append_new(list, entry_json(&e[i]));
        json_object_set_new(all, names[f], list);
    }
    int failed = json_dumpf(all, stdout, JSON_INDENT(1));
    json_decref(all);
    putchar('\n');
    return failed ? cli_error("out of memory") : CLI_OK;
}

static int print_text(ez_fidelity_report *report) {
    size_t length = ez_fidelity_print(report, NULL, 0);
    char *text = malloc(length + 1);
    if (!text) return cli_error("out of memory");
    ez_fidelity_print(report, text, length + 1);
    fputs(text, stdout);
    free(text);
    return CLI_OK;
}

int run_print_fidelity(ez_module *module, bool json) {
    ez_fidelity_report *report = ez_fidelity_create();
    int status = report && ez_fidelity_add(report, module) == EZ_OK
                     ? json ? print_json(report) : print_text(report)
                     : cli_error("out of memory");
    ez_fidelity_destroy(report);
    return status;
}
