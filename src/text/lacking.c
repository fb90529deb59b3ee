/* SPDX-License-Identifier: Apache-2.0 */
/* What a target lacks, and which have it: said from the tables. */
#include "text.h"

#include <string.h>

/* The generations of the targets in a set, 1 << index in ez_targets, each once. */
static void write_generations(ez_writer *w, const ez_target *lacking, uint64_t targets) {
    const char *last = "";
    for (size_t t = 0; t < EZ_TARGET_COUNT; t++) {
        if (!(targets >> t & 1) || !strcmp(ez_targets[t].generation, last)) continue;
        if (*last) ez_write(w, ", ");
        last = ez_targets[t].generation;
        if (!strcmp(last, lacking->generation)) ez_write(w, "others of ");
        ez_write(w, last);
    }
}

static uint64_t targets_with(unsigned feature) {
    uint64_t targets = 0;
    for (size_t t = 0; t < EZ_TARGET_COUNT; t++)
        targets |= (uint64_t)ez_has(&ez_targets[t], feature) << t;
    return targets;
}

/* Ends the text; a full stop of the table's sentence goes. */
static const char *finish(ez_writer *w) {
    size_t end = w->length < w->room ? w->length : w->room - 1;
    if (end && w->text[end - 1] == '.') end--;
    w->text[end] = 0;
    return w->text;
}

const char *ez_lacking(const ez_target *target, unsigned feature, char *room, size_t size) {
    ez_writer w = {.text = room, .room = size};
    ez_write(&w, target->name);
    ez_write(&w, " lacks ");
    ez_write(&w, ez_feature_names[feature]);
    ez_write(&w, ", which ");
    write_generations(&w, target, targets_with(feature));
    ez_write(&w, " have: ");
    ez_write(&w, ez_feature_abouts[feature]);
    return finish(&w);
}

/* Whether a sentence has the word. */
static bool mentions(const char *sentence, const char *word, size_t length) {
    for (const char *s = sentence; (s = strstr(s, word)); s++) {
        bool begin = s == sentence || s[-1] == ' ', end = !s[length] || strchr(" ,.:", s[length]);
        if (begin && end) return true;
    }
    return false;
}

const char *ez_lacking_word(const ez_target *target, uint64_t takers, uint64_t others, const char *name,
                            size_t length, char *room, size_t size) {
    char word[32];
    if (length >= sizeof word) return "";
    memcpy(word, name, length);
    word[length] = 0;
    for (unsigned f = 0; f < EZ_HAS_COUNT; f++) {
        uint64_t with = targets_with(f);
        if ((takers & ~with) || (others & with)) continue;
        if (!strcmp(ez_feature_names[f], word) || mentions(ez_feature_abouts[f], word, length))
            return ez_lacking(target, f, room, size);
    }
    ez_writer w = {.text = room, .room = size};
    ez_write(&w, "taken on ");
    write_generations(&w, target, takers);
    return finish(&w);
}

/* ---- mnemonics ---- */

enum { NEAR_NAMES = 3 };

/* "A", "A or B", "A, B or C" */
static void write_names(ez_writer *w, const char *const *names, unsigned count) {
    for (unsigned n = 0; n < count; n++) {
        if (n) ez_write(w, n + 1 < count ? ", " : " or ");
        ez_write(w, names[n]);
    }
}

static void add_once(const char **names, unsigned *count, const char *name) {
    for (unsigned n = 0; n < *count; n++)
        if (!strcmp(names[n], name)) return;
    if (*count < NEAR_NAMES) names[(*count)++] = name;
}

const char *ez_lacking_mnemonic(const ez_target *target, const char *name, char *room, size_t size) {
    ez_writer w = {.text = room, .room = size};
    const char *here[NEAR_NAMES];
    uint64_t takers = 0;
    unsigned renamed = 0;
    size_t count;
    const ez_mnemonic *m = ez_mnemonic_find(name, strlen(name), &count);
    for (size_t i = 0; i < count; i++) {
        const ez_spelling *now = ez_spelling_on(target, m[i].op);
        if (now) add_once(here, &renamed, now->name);
        for (size_t t = 0; t < EZ_TARGET_COUNT; t++) {
            const ez_spelling *there = ez_spelling_on(&ez_targets[t], m[i].op);
            takers |= (uint64_t)(there && !strcmp(there->name, name)) << t;
        }
    }
    ez_write(&w, renamed ? "here it is " : "it is on ");
    if (renamed) write_names(&w, here, renamed);
    else write_generations(&w, target, takers);
    return finish(&w);
}

/* How many characters must go or come at one place to make one name the other; 1 for two that are swapped. */
static unsigned edits(const char *a, size_t n, const char *b) {
    size_t m = strlen(b), begin = 0;
    while (begin < n && a[begin] == b[begin])
        begin++;
    while (n > begin && m > begin && a[n - 1] == b[m - 1])
        n--, m--;
    if (n == m && n - begin == 2 && a[begin] == b[n - 1] && a[n - 1] == b[begin]) return 1;
    return (unsigned)(n > m ? n - begin : m - begin);
}

const char *ez_near_mnemonics(const ez_target *target, const char *name, char *room, size_t size) {
    enum { EDITS_MAX = 2 };
    ez_writer w = {.text = room, .room = size};
    const char *near[NEAR_NAMES];
    unsigned count = 0, best = EDITS_MAX;
    size_t length = strlen(name);
    for (size_t i = 0; i < ez_mnemonic_count; i++) {
        const ez_mnemonic *m = &ez_mnemonics[i];
        unsigned cost = edits(name, length, m->name);
        if (cost > best || !ez_name_taken(target, m->op, m->name)) continue;
        if (cost < best) count = 0;
        best = cost;
        add_once(near, &count, m->name);
    }
    if (!count || length <= EDITS_MAX) return "";
    ez_write(&w, "; did you mean ");
    write_names(&w, near, count);
    ez_write(&w, "?");
    return finish(&w);
}
