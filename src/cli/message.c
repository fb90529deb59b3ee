/* SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_colour(FILE *stream) {
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    if (no && *no) return false; /* https://no-color.org */
    return isatty(fileno(stream)) && term && strcmp(term, "dumb");
}

bool cli_coloured(cli_when when, FILE *stream) {
    return when == CLI_AUTO ? cli_colour(stream) : when == CLI_ALWAYS;
}

static void severity_word(ez_severity severity) {
    static const char *const words[] = {"error", "warning", "note"};
    static const char *const colours[] = {"1;31", "1;35", "1;36"};
    if (cli_colour(stderr)) fprintf(stderr, "\033[%sm%s:\033[0m ", colours[severity], words[severity]);
    else fprintf(stderr, "%s: ", words[severity]);
}

static void say(ez_severity severity, const char *format, va_list args) {
    fflush(stdout);
    fputs("execz: ", stderr);
    severity_word(severity);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
}

int cli_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(EZ_SEVERITY_ERROR, format, args);
    va_end(args);
    return CLI_INPUT;
}

void cli_warning(const char *format, ...) {
    va_list args;
    va_start(args, format);
    say(EZ_SEVERITY_WARNING, format, args);
    va_end(args);
}

/* Part of a line of input; what a terminal would obey is not shown as it is. */
static void put_quoted(const char *text, size_t length) {
    char part[256];
    for (size_t done = 0; done < length;) {
        size_t n = length - done < sizeof part ? length - done : sizeof part;
        for (size_t i = 0; i < n; i++) {
            char c = text[done + i];
            part[i] = (unsigned char)c < ' ' && c != '\t' ? '?' : c;
        }
        fwrite(part, 1, n, stderr);
        done += n;
    }
}

/* What brings the caret below column `column`: tabs stay tabs. */
static void put_indent(const char *text, size_t length, unsigned column) {
    char part[256];
    size_t n = 0;
    for (size_t i = 0; i + 1 < column; i++) {
        if (i < length && ((unsigned char)text[i] & 0xc0) == 0x80) continue; /* no column of its own in UTF-8 */
        part[n++] = i < length && text[i] == '\t' ? '\t' : ' ';
        if (n == sizeof part) fwrite(part, 1, n, stderr), n = 0;
    }
    fwrite(part, 1, n, stderr);
}

void cli_message_at(ez_severity severity, const char *file, unsigned line, unsigned column, const char *text,
                    size_t length, const char *message) {
    fflush(stdout);
    if (line) fprintf(stderr, "%s:%u:%u: ", file, line, column);
    severity_word(severity);
    fputs(message, stderr);
    fputc('\n', stderr);
    if (!text) return;
    /* of a very long line the part around the column */
    enum { AROUND = 500 };
    size_t at = column ? column - 1 : 0, from = at > AROUND ? at - AROUND : 0;
    if (from > length) from = length;
    put_quoted(text + from, length - from < 2 * AROUND ? length - from : 2 * AROUND);
    fputc('\n', stderr);
    put_indent(text + from, length - from, (unsigned)(at - from + 1));
    fputs("^\n", stderr);
}

void cli_error_at(const char *file, unsigned line, unsigned column, const char *text, size_t length,
                  const char *format, ...) {
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    cli_message_at(EZ_SEVERITY_ERROR, file, line, column, text, length, message);
}

/* ---- near names ---- */

enum { WORD_MAX = 40, NEAR_MAX = 8 };

/* Edits (a character more, less, other, or two swapped) that make one word the other. */
static unsigned distance(const char *a, const char *b) {
    unsigned row[3][WORD_MAX + 1];
    size_t la = strlen(a), lb = strlen(b);
    if (la > WORD_MAX || lb > WORD_MAX) return WORD_MAX;
    for (size_t j = 0; j <= lb; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= la; i++) {
        unsigned *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= lb; j++) {
            unsigned best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best) best = last[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[la % 3][lb];
}

unsigned cli_nearest(const char *word, const char *(*at)(size_t), size_t count, const char **near,
                     unsigned room) {
    unsigned far[NEAR_MAX], found = 0, limit = (unsigned)strlen(word) / 3 + 1;
    if (room > NEAR_MAX) room = NEAR_MAX;
    for (size_t i = 0; i < count; i++) {
        const char *name = at(i);
        /* what the word begins is near however much is missing */
        unsigned d = strlen(word) > 2 && !strncmp(name, word, strlen(word)) ? 1 : distance(word, name);
        bool known = false;
        for (unsigned n = 0; n < found; n++)
            known |= !strcmp(near[n], name);
        if (d > limit || known) continue;
        unsigned n = found < room ? found++ : room;
        for (; n && far[n - 1] > d; n--)
            if (n < room) far[n] = far[n - 1], near[n] = near[n - 1];
        if (n < room) far[n] = d, near[n] = name;
    }
    return found;
}

const char *cli_did_you_mean(const char *word, const char *(*at)(size_t), size_t count) {
    static char text[256];
    const char *near[3];
    unsigned n = cli_nearest(word, at, count, near, 3);
    switch (n) {
    case 0: return "";
    case 1: snprintf(text, sizeof text, "; did you mean %s?", near[0]); break;
    case 2: snprintf(text, sizeof text, "; did you mean %s or %s?", near[0], near[1]); break;
    default:
        snprintf(text, sizeof text, "; did you mean %s, %s or %s?", near[0], near[1], near[2]);
    }
    return text;
}
