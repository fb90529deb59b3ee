/* SPDX-License-Identifier: Apache-2.0 */
/* execz launch: a program that was built for an AMD GPU, with execz's runtime instead of ROCm's. */
#define _GNU_SOURCE
#include "launch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct launch_options {
    const char *targets, *faults, *trace, *library;
    bool stats, fidelity;
} launch_options;

static const cli_option options[] = {
    {'t', "target", "TARGET[,TARGET ...]", "the GPUs to be; gfx90a when nothing is said", CLI_TEXT,
     offsetof(launch_options, targets)},
    {0, "faults", "abort|error", "after a kernel's fault end the program, as ROCm does, or go on", CLI_TEXT,
     offsetof(launch_options, faults)},
    {0, "trace", "FILE", "write dispatches and copies as a Chrome trace (ui.perfetto.dev)", CLI_TEXT,
     offsetof(launch_options, trace)},
    {0, "stats", NULL, "say at the end how much was executed", CLI_FLAG, offsetof(launch_options, stats)},
    {0, "fidelity", NULL, "say at the end which instructions were exact", CLI_FLAG, offsetof(launch_options, fidelity)},
    {0, "library", "DIR", "the folder of libhsa-runtime64.so.1", CLI_TEXT, offsetof(launch_options, library)},
    {0}};

/* Where the options end and the program begins: at the first word, or behind "--". */
static int program_at(int argc, char **argv, int *options_end) {
    for (int i = 0; i < argc; i++) {
        *options_end = i;
        if (!strcmp(argv[i], "--")) return i + 1;
        if (argv[i][0] != '-' || !argv[i][1]) return i;
        for (const cli_option *o = options; o->name; o++) {
            bool same =
                argv[i][1] == '-' ? !strcmp(argv[i] + 2, o->name) : argv[i][1] == o->letter && !argv[i][2];
            if (!same) continue;
            if (o->kind != CLI_FLAG) i++; /* its value is the next word */
            break;
        }
    }
    *options_end = argc;
    return argc;
}

static const char *target_name_at(size_t index) {
    return ez_target_name(ez_target_at(index));
}

int launch_check_targets(const cli_command *self, const char *text) {
    for (;;) {
        size_t length = strcspn(text, ",");
        ez_target_id id;
        ez_error err;
        if (ez_target_id_parse(text, length, &id, &err) != EZ_OK) return cli_usage(self, "%s", err.message);
        const ez_target *target = ez_target_find(id.processor);
        if (!target)
            return cli_usage(self, "unknown target '%s'%s ('execz targets' lists all)", id.processor,
                             cli_did_you_mean(id.processor, target_name_at, ez_target_count()));
        if (!ez_target_board(target))
            return cli_usage(self, "%s is no GPU that a program could find", id.processor);
        if (!text[length]) return CLI_GO;
        text += length + 1;
    }
}

static bool has_library(const char *folder) {
    char *file = NULL;
    bool found = asprintf(&file, "%s/libhsa-runtime64.so.1", folder) >= 0 && access(file, R_OK) == 0;
    free(file);
    return found;
}

/* Beside the command in the build tree, or where the installation puts it. */
const char *launch_library(void) {
    static const char *const places[] = {"lib/execz", "../" EXECZ_LIBDIR "/execz"};
    static char folder[PATH_MAX + 64];
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return NULL;
    self[length] = 0;
    *strrchr(self, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(folder, sizeof folder, "%s/%s", self, places[i]);
        if (has_library(folder)) return folder;
    }
    return NULL;
}

static bool prepend_path(const char *folder) {
    const char *old = getenv("LD_LIBRARY_PATH");
    char *path = NULL;
    bool ok = asprintf(&path, "%s%s%s", folder, old && *old ? ":" : "", old ? old : "") >= 0 &&
              setenv("LD_LIBRARY_PATH", path, 1) == 0;
    free(path);
    return ok;
}

/* NULL: not said there. */
static const char *environment(const char *variable) {
    const char *value = getenv(variable);
    return value && *value ? value : NULL;
}

/* The program takes this process over: its exit status, signals and terminal are its own. */
static int run(const cli_command *self, int argc, char **argv) {
    launch_options o = {0};
    int end, words, at = program_at(argc, argv, &end);
    int status = cli_options(self, end, argv, &o, &words);
    if (status != CLI_GO) return status;
    if (at >= argc) return cli_usage(self, "which program? execz launch -t TARGET -- PROGRAM [ARG ...]");
    if (!o.targets) o.targets = environment("EXECZ_TARGET");
    if (!o.faults) o.faults = environment("EXECZ_FAULTS");
    if (o.targets && (status = launch_check_targets(self, o.targets)) != CLI_GO) return status;
    if (o.faults && strcmp(o.faults, "abort") && strcmp(o.faults, "error"))
        return cli_usage(self, "--faults takes abort or error, not '%s'", o.faults);
    const char *library = o.library ? o.library : launch_library();
    if (!library || !has_library(library))
        return cli_error(
            "%s has no libhsa-runtime64.so.1: is execz built with HSA's headers (libhsa-runtime-dev)?",
            library ? library : "the installation");
    bool ok = prepend_path(library);
    if (o.targets) ok = ok && setenv("EXECZ_TARGET", o.targets, 1) == 0;
    if (o.faults) ok = ok && setenv("EXECZ_FAULTS", o.faults, 1) == 0;
    if (o.trace) ok = ok && setenv("EXECZ_TRACE", o.trace, 1) == 0;
    if (o.stats) ok = ok && setenv("EXECZ_STATS", "1", 1) == 0;
    if (o.fidelity) ok = ok && setenv("EXECZ_FIDELITY", "1", 1) == 0;
    if (!ok) return cli_error("out of memory");
    execvp(argv[at], argv + at);
    return cli_error("%s: %s", argv[at], strerror(errno));
}

const cli_command cli_launch = {"launch",
                                "Run a HIP or OpenMP program with these GPUs instead of real ones.",
                                "[--] PROGRAM [ARG ...]",
                                "The program finds libhsa-runtime64.so.1 of execz before any other. "
                                "EXECZ_TARGET, EXECZ_FAULTS, EXECZ_TRACE,\n"
                                "EXECZ_STATS and EXECZ_FIDELITY in the environment do what the options do.\n",
                                options,
                                0,
                                0,
                                run};
