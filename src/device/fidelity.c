/* SPDX-License-Identifier: Apache-2.0 */
/* What dispatches have executed, by name of the instruction, and how near to hardware it is. */
#define _POSIX_C_SOURCE 200809L
#include "codec/codec.h"
#include "device/device_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ez_fidelity_report {
    ez_fidelity_entry *entry;
    size_t count, room;
};

/* A module that is being added. */
typedef struct adding {
    ez_fidelity_report *report;
    uint64_t base;
    bool failed;
} adding;

ez_fidelity_report *ez_fidelity_create(void) {
    return calloc(1, sizeof(ez_fidelity_report));
}

void ez_fidelity_destroy(ez_fidelity_report *report) {
    if (!report) return;
    free(report->entry);
    free(report);
}

static void name_of(const ez_inst *inst, char *name, size_t size) {
    ez_inst second;
    if (ez_layout_is_dual(ez_inst_layout(inst)) && ez_inst_second(inst, &second))
        snprintf(name, size, "%s :: %s", ez_inst_name(inst), ez_inst_name(&second));
    else snprintf(name, size, "%s", ez_inst_name(inst));
}

static bool same(const char *a, const char *b) {
    return a == b || (a && b && !strcmp(a, b));
}

static void add(const ez_executed *x, void *user) {
    adding *a = user;
    ez_fidelity_report *r = a->report;
    ez_fidelity_entry new = {.fidelity = x->fidelity,
                             .ulp = x->ulp,
                             .reason = x->reason,
                             .places = 1,
                             .first = x->address - a->base};
    name_of(x->inst, new.name, sizeof new.name);
    for (size_t i = 0; i < r->count; i++) {
        ez_fidelity_entry *e = &r->entry[i];
        if (e->fidelity != new.fidelity || strcmp(e->name, new.name) || !same(e->reason, new.reason))
            continue;
        e->places++;
        return;
    }
    if (r->count == r->room) {
        size_t room = r->room ? 2 * r->room : 64;
        ez_fidelity_entry *grown = realloc(r->entry, room * sizeof *grown);
        if (!grown) {
            a->failed = true;
            return;
        }
        r->entry = grown;
        r->room = room;
    }
    r->entry[r->count++] = new;
}

ez_status ez_fidelity_add(ez_fidelity_report *report, ez_module *module) {
    if (!report || !module) return EZ_ERR_ARGUMENT;
    adding a = {.report = report, .base = module->base};
    ez_status status = EZ_OK;
    for (size_t i = 0; i < module->code_count && status == EZ_OK; i++)
        for (unsigned w = 0; w < 2 && status == EZ_OK; w++) {
            pthread_mutex_lock(&module->lock);
            ez_program *program = module->code[i].program[w];
            pthread_mutex_unlock(&module->lock);
            if (program) status = ez_program_executed(program, add, &a);
        }
    return a.failed ? EZ_ERR_NOMEM : status;
}

static int by_fidelity(const void *a, const void *b) {
    const ez_fidelity_entry *x = a, *y = b;
    if (x->fidelity != y->fidelity) return x->fidelity > y->fidelity ? -1 : 1;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->first > y->first) - (x->first < y->first);
}

const ez_fidelity_entry *ez_fidelity_entries(ez_fidelity_report *report, size_t *count) {
    if (report->count) qsort(report->entry, report->count, sizeof *report->entry, by_fidelity);
    *count = report->count;
    return report->entry;
}

/* ---- text ---- */

/* Text that may be longer than the room for it. */
typedef struct text {
    char *at;
    size_t room, length;
} text;

__attribute__((format(printf, 2, 3))) static void say(text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    size_t used = t->length < t->room ? t->length : t->room;
    int n = vsnprintf(t->room ? t->at + used : NULL, t->room - used, format, args);
    va_end(args);
    if (n > 0) t->length += (size_t)n;
}

/* The bounds of double functions are large powers of two. */
static void say_bound(text *t, uint32_t ulp) {
    enum { LONG = 1000 };
    unsigned power = 0;
    while (ulp >> power > 1)
        power++;
    if (ulp == EZ_ULP_UNKNOWN) say(t, "no bound is known");
    else if (ulp > LONG && ulp == UINT32_C(1) << power) say(t, "hardware within 2^%u ULP", power);
    else say(t, "hardware within %" PRIu32 " ULP", ulp);
}

static void say_entry(text *t, const ez_fidelity_entry *e) {
    if (e->fidelity == EZ_FIDELITY_UNSUPPORTED) {
        say(t, "  unsupported  %s: %s, at 0x%" PRIx64 "\n", e->name,
            e->reason ? e->reason : "no semantics yet", e->first);
        return;
    }
    say(t, "  approximate  %s: ", e->name);
    say_bound(t, e->ulp);
    say(t, ", at %" PRIu64 " place%s\n", e->places, e->places == 1 ? "" : "s");
}

/* The names of what is exact, in lines that fit a terminal. */
static void say_exact(text *t, const ez_fidelity_entry *e, size_t count) {
    enum { WIDTH = 100 };
    size_t column = 0;
    for (size_t i = 0; i < count; i++) {
        if (e[i].fidelity != EZ_FIDELITY_EXACT) continue;
        size_t length = strlen(e[i].name) + 2;
        if (column + length > WIDTH) {
            say(t, "\n");
            column = 0;
        }
        say(t, column ? ", %s" : "  exact        %s", e[i].name);
        column = column ? column + length : length + 13;
    }
    if (column) say(t, "\n");
}

size_t ez_fidelity_print(ez_fidelity_report *report, char *buffer, size_t room) {
    text t = {.at = buffer, .room = room};
    size_t count, of[3] = {0};
    const ez_fidelity_entry *e = ez_fidelity_entries(report, &count);
    if (room) *buffer = 0;
    for (size_t i = 0; i < count; i++)
        of[e[i].fidelity]++;
    say(&t, "fidelity: %zu exact, %zu approximate, %zu unsupported of %zu different instructions\n",
        of[EZ_FIDELITY_EXACT], of[EZ_FIDELITY_APPROXIMATE], of[EZ_FIDELITY_UNSUPPORTED], count);
    for (size_t i = 0; i < count && e[i].fidelity != EZ_FIDELITY_EXACT; i++)
        say_entry(&t, &e[i]);
    say_exact(&t, e, count);
    return t.length;
}
