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
