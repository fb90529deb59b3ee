/* SPDX-License-Identifier: Apache-2.0 */
/* execz info --diff: what became of the operations between two targets. */
#include "info.h"

#include <jansson.h>
#include <string.h>

typedef enum change { ADDED, REMOVED, RENAMED, MOVED, CHANGES } change;

static const char *const change_names[CHANGES] = {"added", "removed", "renamed", "moved"};

static bool is_change(unsigned op, const ez_target *from, const ez_target *to, change what) {
    ez_op_form a, b;
    const char *before = ez_op_name(op, from), *after = ez_op_name(op, to);
    switch (what) {
    case ADDED: return !before && after;
    case REMOVED: return before && !after;
    case RENAMED: return before && after && strcmp(before, after);
    default: break;
    }
    if (!ez_op_forms(op, from, &a, 1) || !ez_op_forms(op, to, &b, 1)) return false;
    return a.opcode != b.opcode || strcmp(a.encoding, b.encoding);
}

static void print_change(unsigned op, const ez_target *from, const ez_target *to, change what) {
    char before[INFO_PLACE_MAX], after[INFO_PLACE_MAX], names[160];
    const char *old = ez_op_name(op, from), *now = ez_op_name(op, to);
    info_place(op, from, before);
    info_place(op, to, after);
    bool both = old && now;
    snprintf(names, sizeof names, both && strcmp(old, now) ? "%s -> %s" : "%s", old ? old : now, now);
    if (what == MOVED || (both && strcmp(before, after)))
        printf("  %-32s %-22s -> %s\n", names, before, after);
    else printf("  %-32s %-22s %s\n", names, old ? before : after, ez_op_about(op));
}

static json_t *side(unsigned op, const ez_target *target) {
    ez_op_form form;
    if (!ez_op_forms(op, target, &form, 1)) return json_null();
    return json_pack("{s:s, s:s, s:i}", "name", ez_op_name(op, target), "encoding", form.encoding, "opcode",
                     (int)form.opcode);
}

static int print_json(const ez_target *from, const ez_target *to) {
    json_t *all = json_pack("{s:s, s:s}", "from", ez_target_name(from), "to", ez_target_name(to));
    for (change what = 0; what < CHANGES; what++) {
        json_t *list = json_array();
        for (unsigned op = 1; op <= ez_op_count(); op++)
            if (is_change(op, from, to, what))
                json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "id", ez_op_id(op), "from",
                                                      side(op, from), "to", side(op, to)));
        json_object_set_new(all, change_names[what], list);
    }
    int failed = json_dumpf(all, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(all);
    return failed ? CLI_INPUT : CLI_OK;
}

int info_diff(const ez_target *from, const ez_target *to, bool json) {
    if (json) return print_json(from, to);
    for (change what = 0; what < CHANGES; what++) {
        unsigned count = 0;
        for (unsigned op = 1; op <= ez_op_count(); op++)
            count += is_change(op, from, to, what);
        printf("%s%s from %s to %s: %u\n", what ? "\n" : "", change_names[what], ez_target_name(from),
               ez_target_name(to), count);
        for (unsigned op = 1; op <= ez_op_count(); op++)
            if (is_change(op, from, to, what)) print_change(op, from, to, what);
    }
    return CLI_OK;
}
