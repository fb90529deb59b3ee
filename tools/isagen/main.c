/* SPDX-License-Identifier: Apache-2.0 */
/* usage: isagen IDS_HEADER TABLES_SOURCE TABLE.isa ... */
#include "isagen.h"

#include <stdlib.h>
#include <string.h>

bool holds(const condition *when, const target *t) {
    int g = t->gen;
    while (g >= 0 && g != when->gen)
        g = I.gens[g].parent;
    if (g < 0) return false;
    for (int i = 0; i < 3; i++)
        if ((when->need[i] & ~t->features[i]) || (when->refuse[i] & t->features[i])) return false;
    return true;
}

int resolve_row(const row *r, const target *t) {
    int at = -1;
    for (int k = 0; k < r->nspellings; k++)
        if (holds(&r->spellings[k].when, t)) at = r->spellings[k].name ? k : -1;
    return at;
}

int resolve_encoding(int name, const target *t) {
    int at = -1;
    for (int i = 0; i < I.ndefs; i++)
        if (I.defs[i].name == name && holds(&I.defs[i].when, t)) at = i;
    return at >= 0 && I.defs[at].dwords == 0 ? -1 : at; /* size 0: gone from this generation on */
}

int derived_opcode(const target *t, int from, int opcode, int *to) {
    int base = -1;
    for (int i = 0; i < I.nderive; i++)
        if (I.derive[i].from == from && holds(&I.derive[i].when, t)) {
            base = I.derive[i].base;
            *to = I.derive[i].to;
        }
    return base < 0 ? -1 : base + opcode;
}

void check_tables(void) {
    for (int i = 0; i < I.nrows; i++)
        for (int k = 0; k < i; k++)
            if (!strcmp(I.rows[i].id, I.rows[k].id))
                fail(I.rows[i].file, I.rows[i].line, "row %s is already in %s:%d", I.rows[i].id,
                     I.rows[k].file, I.rows[k].line);
    for (int i = 0; i < I.nrows; i++) {
        int k = 0;
        while (I.rows[i].single && k < I.nrows && strcmp(I.rows[k].id, I.rows[i].single))
            k++;
        if (k == I.nrows)
            fail(I.rows[i].file, I.rows[i].line, "of:%s names no row", I.rows[i].single);
    }
    for (int n = 0; n < I.nnotes; n++) {
        int k = 0;
        while (k < I.nrows && strcmp(I.rows[k].id, I.notes[n].id))
            k++;
        if (k == I.nrows) fail("notes", 0, "a note for %s, which is no row", I.notes[n].id);
    }
    for (int i = 0; i < I.ndefs; i++)
        for (int f = 0; f < I.defs[i].nfields; f++)
            if (I.defs[i].fields[f].lo >= 32 * I.defs[i].dwords)
                fail(I.defs[i].file, I.defs[i].line, "field %s lies behind the last dword",
                     I.fields.name[I.defs[i].fields[f].name]);
}

static bool holds_already(const char *path, const char *text, size_t size) {
    FILE *in = fopen(path, "r");
    if (!in) return false;
    size_t at = 0;
    int c;
    while ((c = getc(in)) != EOF && at < size && (char)c == text[at])
        at++;
    fclose(in);
    return c == EOF && at == size;
}

/* Leaves a file alone that would not change, so that what depends on it is not built again. */
static void write_file(const char *path, void (*emit)(FILE *)) {
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) fail(path, 0, "out of memory");
    emit(memory);
    if (fclose(memory)) fail(path, 0, "out of memory");
    if (!holds_already(path, text, size)) {
        FILE *out = fopen(path, "w");
        if (!out || fwrite(text, 1, size, out) != size || fclose(out))
            fail(path, 0, "cannot be written");
    }
    free(text);
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: isagen IDS_HEADER TABLES_SOURCE TABLE.isa ...\n");
        return 2;
    }
    name_add(&I.fields, "escape"); /* where src0 was, in an instruction with an SDWA or DPP dword */
    name_add(&I.fields, "op_msb"); /* the top bit of an opcode that has it apart from the others */
    for (int i = 3; i < argc; i++)
        parse_file(argv[i]);
    check_tables();
    write_file(argv[1], emit_ids);
    write_file(argv[2], emit_tables);
    return 0;
}
