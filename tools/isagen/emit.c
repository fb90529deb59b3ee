/* SPDX-License-Identifier: Apache-2.0 */
#include "isagen.h"

#include <stdlib.h>
#include <string.h>

static int layout_count;

/* What is written for a set of targets; `model` is one of them. */
static struct set {
    const target *model;
    int layout[256][FORM_COUNT];
} sets[MAX_TARGETS];

static void emit_enum(FILE *out, const char *prefix, const names *list, const char *first) {
    fprintf(out, "enum {\n");
    if (first) fprintf(out, "    %s%s,\n", prefix, first);
    for (int i = 0; i < list->count; i++)
        fprintf(out, "    %s%s,\n", prefix, list->name[i]);
    fprintf(out, "    %sCOUNT\n};\n\n", prefix);
}

void emit_ids(FILE *out) {
    fprintf(out, "/* Written by isagen; not to be edited. */\n#ifndef EZ_ISA_IDS_H\n#define EZ_ISA_IDS_H\n\n");
    emit_enum(out, "EZ_F_", &I.fields, "NONE");
    emit_enum(out, "EZ_C_", &I.classes, NULL);
    emit_enum(out, "EZ_T_", &I.types, NULL);
    emit_enum(out, "EZ_HAS_", &I.features, NULL);
    emit_enum(out, "EZ_ENC_", &I.encodings, NULL);
    emit_enum(out, "EZ_ROW_", &I.flags, NULL);
    emit_enum(out, "EZ_SYM_", &I.kinds, NULL);
    fprintf(out, "enum {\n    EZ_OP_NONE,\n");
    for (int i = 0; i < I.nrows; i++)
        fprintf(out, "    EZ_OP_%s,\n", I.rows[i].id);
    fprintf(out, "    EZ_OP_COUNT\n};\n\nenum { EZ_FEATURE_WORDS = %d, EZ_TARGET_COUNT = %d };\n\n#endif\n",
            (I.features.count + 63) / 64, I.ntargets);
}

static void emit_string(FILE *out, const char *s) {
    if (!s) {
        fprintf(out, "NULL");
        return;
    }
    fputc('"', out);
    for (; *s; s++) {
        if (*s == '"' || (*s == '\\' && s[1] != 'n')) fputc('\\', out);
        fputc(*s, out);
    }
    fputc('"', out);
}

static void emit_strings(FILE *out, const char *name, const char *const *list, int count,
                         const char *first) {
    fprintf(out, "const char *const %s[] = {\n", name);
    if (first) fprintf(out, "    \"%s\",\n", first);
    for (int i = 0; i < count; i++) {
        fprintf(out, "    ");
        emit_string(out, list[i] ? list[i] : "");
        fprintf(out, ",\n");
    }
    fprintf(out, "    NULL};\n\n");
}

static void emit_names(FILE *out) {
    emit_strings(out, "ez_field_names", I.fields.name, I.fields.count, "none");
    emit_strings(out, "ez_type_names", I.types.name, I.types.count, NULL);
    emit_strings(out, "ez_type_formats", I.types.note, I.types.count, NULL);
    emit_strings(out, "ez_encoding_names", I.encodings.name, I.encodings.count, NULL);
    emit_strings(out, "ez_feature_names", I.features.name, I.features.count, NULL);
    emit_strings(out, "ez_feature_abouts", I.features.note, I.features.count, NULL);
    emit_strings(out, "ez_row_flag_abouts", I.flags.note, I.flags.count, NULL);
    fprintf(out, "const uint16_t ez_type_bits[] = {");
    for (int i = 0; i < I.types.count; i++)
        fprintf(out, "%s%d,", i % 16 ? " " : "\n    ", I.type_bits[i]);
    fprintf(out, "\n};\n\nconst bool ez_type_by_wave[] = {");
    for (int i = 0; i < I.types.count; i++)
        fprintf(out, "%s%d,", i % 32 ? " " : "\n    ", I.type_by_wave[i]);
    fprintf(out, "\n};\n\n");
}

/* ---- which forms a row has on a target ---- */

static bool has(const target *t, const char *feature) {
    int f = name_find(&I.features, feature);
    if (f < 0) fail("isagen", 0, "the tables lack the feature '%s' that isagen asks for", feature);
    return t->features[f / 64] >> (f % 64) & 1;
}

static bool flag_set(const row *r, const char *flag) {
    int f = name_find(&I.flags, flag);
    if (f < 0) fail("isagen", 0, "the tables lack the row flag '%s' that isagen asks for", flag);
    return r->flags[f / 64] >> (f % 64) & 1;
}

static bool is_encoding(int name, const char *list) {
    const char *at = strstr(list, I.encodings.name[name]);
    size_t n = strlen(I.encodings.name[name]);
    return at && (at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]);
}

/* The opcode of the VOP3 form: written out or by rule; -1 when there is none. */
static int e64_opcode(const target *t, const spelling *s) {
    int to;
    if (s->opcode_e64 >= 0) return s->opcode_e64;
    return s->opcode < 0 ? -1 : derived_opcode(t, s->encoding, s->opcode, &to);
}

/* Whether an operand is wider than 32 bits. */
static bool is_wide(const row *r) {
    for (int i = 0; i < r->noperands; i++)
        if (I.type_bits[r->operands[i].type] > 32) return true;
    return false;
}

/* The DPP forms, by width of the operands: DPP8 for 32 bits only, DPP16 for 64 where a feature says so. */
static unsigned dpp_forms(const row *r, const spelling *s, const target *t) {
    bool vop3 = !is_encoding(s->encoding, "VOP1 VOP2 VOPC");
    bool vopc = is_encoding(s->encoding, "VOPC");
    unsigned both = 1u << FORM_DPP16 | 1u << FORM_DPP8;
    if (!has(t, "dpp8")) both = 1u << FORM_DPP16;
    if (!has(t, "dpp16") || flag_set(r, "nodpp") || flag_set(r, "lit") || r->dims[0]) return 0;
    if ((vop3 || vopc) && !has(t, "vop3_dpp")) return 0;
    if (is_wide(r) || flag_set(r, "dpp64")) {
        bool allowed = has(t, "dpp64") || has(t, "dpp_dst64");
        return allowed && !vopc ? both & (1u << FORM_DPP16) : 0;
    }
    return both;
}

static unsigned effective_forms(const row *r, const spelling *s, const target *t) {
    unsigned forms = 0, dpp = dpp_forms(r, s, t);
    bool short_vector = is_encoding(s->encoding, "VOP1 VOP2 VOPC");
    bool vop3 = is_encoding(s->encoding, "VOP3 VOP3SD VOP3P VOP3P_FIX");
    if (s->opcode >= 0) forms |= 1u << FORM_BASE;
    if (short_vector && s->opcode >= 0) {
        bool wide = is_wide(r) && !flag_set(r, "sdwa_src");
        if (has(t, "sdwa") && !wide && !flag_set(r, "nosdwa") && !flag_set(r, "lit"))
            forms |= 1u << FORM_SDWA;
        forms |= dpp;
    }
    if (vop3) forms |= dpp;
    if (e64_opcode(t, s) >= 0 && !flag_set(r, "noe64") && !flag_set(r, "lit")) {
        forms |= 1u << FORM_E64;
        if (has(t, "vop3_dpp")) forms |= dpp << (FORM_E64_DPP16 - FORM_DPP16);
    }
    return forms & s->forms;
}

/* ---- layouts ---- */

static int slots(const encoding *e, char role, const char **out, int room) {
    int n = 0;
    for (int i = 0; i < e->nfields && n < room; i++)
        if (e->fields[i].role == role) out[n++] = I.fields.name[e->fields[i].name];
    return n;
}

static void emit_slots(FILE *out, const char *name, const encoding *e, char role, int room) {
    const char *list[8];
    int n = slots(e, role, list, room);
    fprintf(out, ".%s = {", name);
    for (int i = 0; i < room; i++)
        fprintf(out, "EZ_F_%s%s", i < n ? list[i] : "NONE", i + 1 < room ? ", " : "}, ");
}

static void emit_words(FILE *out, const char *name, const uint32_t *words) {
    fprintf(out, ".%s = {0x%x, 0x%x, 0x%x, 0x%x}, ", name, words[0], words[1],
            words[2], words[3]);
}

/* Base fields, then those of the extension dword behind them, which replace what has the same name. */
static void emit_layout(FILE *out, const encoding *base, const encoding *ext, int form) {
    fprintf(out, "    {EZ_ENC_%s, %d, %d, ", I.encodings.name[base->name], form,
            base->dwords + (ext ? ext->dwords : 0));
    emit_slots(out, "d_slot", base, 'D', 3);
    emit_slots(out, "s_slot", base, 'S', 6);
    fprintf(out, "\n     .mask = 0x%08x, .value = 0x%08x, ", base->mask, base->value);
    emit_words(out, "fixed", base->fixed);
    emit_words(out, "preset", base->preset);
    fprintf(out, ".field = {");
    for (int i = 0; i < base->nfields; i++) {
        const field *f = &base->fields[i];
        bool replaced = false;
        for (int k = 0; ext && k < ext->nfields; k++)
            replaced |= ext->fields[k].name == f->name;
        /* the base's src0 then holds the code that announces the extension dword */
        bool escape = replaced && !strcmp(I.fields.name[f->name], "src0");
        if (replaced && !escape) continue;
        fprintf(out, "\n         [EZ_F_%s] = {%d, %d, EZ_C_%s, %s},",
                escape ? "escape" : I.fields.name[f->name], f->lo, f->width,
                I.classes.name[f->cls], f->role == 'Z' ? "true" : "false");
    }
    for (int k = 0; ext && k < ext->nfields; k++) {
        const field *f = &ext->fields[k];
        fprintf(out, "\n         [EZ_F_%s] = {%d, %d, EZ_C_%s, false},", I.fields.name[f->name],
                f->lo + 32 * base->dwords, f->width, I.classes.name[f->cls]);
    }
    fprintf(out, "}},\n");
    layout_count++;
}

static const char *extension_name(int name, int form) {
    bool vopc = is_encoding(name, "VOPC");
    switch (form) {
    case FORM_SDWA: return vopc ? "SDWAB" : "SDWA";
    case FORM_DPP16: return "DPP16";
    case FORM_DPP8: return "DPP8";
    }
    return NULL;
}

/* A layout is written once for each (definition, extension definition) in use. */
static void emit_layouts(FILE *out) {
    static int seen[MAX_ENCODINGS][MAX_ENCODINGS + 1];
    memset(seen, 0xff, sizeof seen);
    fprintf(out, "const ez_layout ez_layouts[] = {\n");
    for (int s = 0; s < I.nsets; s++)
        for (int e = 0; e < I.encodings.count; e++)
            for (int form = FORM_BASE; form < FORM_COUNT; form++) {
                sets[s].layout[e][form] = -1;
                int def = resolve_encoding(e, sets[s].model), ext = -1;
                if (def < 0 || form >= FORM_E64) continue;
                if (form != FORM_BASE) {
                    if (!is_encoding(e, "VOP1 VOP2 VOPC VOP3 VOP3SD VOP3P VOP3P_FIX")) continue;
                    int name = name_find(&I.encodings, extension_name(e, form));
                    ext = name < 0 ? -1 : resolve_encoding(name, sets[s].model);
                    if (ext < 0) continue;
                }
                if (seen[def][ext + 1] < 0) {
                    seen[def][ext + 1] = layout_count;
                    emit_layout(out, &I.defs[def], ext < 0 ? NULL : &I.defs[ext], form);
                }
                sets[s].layout[e][form] = seen[def][ext + 1];
            }
    fprintf(out, "};\n\n");
}

/* ---- rows ---- */

static const char *note_of(const char *id) {
    for (int i = 0; i < I.nnotes; i++)
        if (!strcmp(I.notes[i].id, id)) return I.notes[i].text;
    return NULL;
}

static void emit_operands(FILE *out) {
    fprintf(out, "const ez_row_operand ez_row_operands[] = {\n");
    for (int i = 0; i < I.nrows; i++) {
        const row *r = &I.rows[i];
        int d = 0, s = 0;
        for (int k = 0; k < r->noperands; k++) {
            const operand *o = &r->operands[k];
            bool literal = o->cls >= 0 && !strcmp(I.classes.name[o->cls], "lit");
            int slot = o->field >= 0 || literal ? 0 : o->access == 'S' ? s++ : d++;
            fprintf(out, "    {EZ_F_%s, %d, EZ_T_%s, EZ_C_%s, '%c'},\n",
                    o->field < 0 ? "NONE" : I.fields.name[o->field], slot, I.types.name[o->type],
                    o->cls < 0 ? "COUNT" : I.classes.name[o->cls], o->access);
        }
    }
    fprintf(out, "    {0}};\n\n");
}

/* The targets on which spelling k of a row may be written: where it is the present one, or held before
 * and the instruction was never gone since. One bit for each target. */
static unsigned long long written_on(const row *r, int k) {
    unsigned long long set = 0;
    for (int t = 0; t < I.ntargets && t < 64; t++) {
        int now = resolve_row(r, &I.targets[t]);
        bool written = k <= now && r->spellings[k].name && holds(&r->spellings[k].when, &I.targets[t]);
        for (int j = k + 1; j <= now; j++)
            if (!r->spellings[j].name && holds(&r->spellings[j].when, &I.targets[t])) written = false;
        if (written) set |= 1ull << t;
    }
    return set;
}

static const char *e64_encoding(const row *r) {
    return flag_set(r, "vop3sd") ? "VOP3SD" : flag_set(r, "e64interp") ? "VOP3_INTERP" : "VOP3";
}

static void emit_spellings(FILE *out) {
    fprintf(out, "const ez_spelling ez_spellings[] = {\n");
    for (int i = 0; i < I.nrows; i++)
        for (int k = 0; k < I.rows[i].nspellings; k++) {
            const row *r = &I.rows[i];
            const spelling *s = &r->spellings[k];
            fprintf(out, "    {");
            emit_string(out, s->name);
            fprintf(out, ", EZ_ENC_%s, EZ_ENC_%s, %d, %d, UINT64_C(0x%llx)},\n",
                    I.encodings.name[s->encoding], e64_encoding(r),
                    s->opcode, s->opcode_e64, written_on(r, k));
        }
    fprintf(out, "    {0}};\n\n");
}

static void emit_rows(FILE *out) {
    int operands = 0, spellings = 0;
    fprintf(out, "const ez_row ez_rows[EZ_OP_COUNT] = {\n    {\"NONE\", \"\", NULL, {0}, 0, 0, 0, 0, 0, {0}},\n");
    for (int i = 0; i < I.nrows; i++) {
        const row *r = &I.rows[i];
        fprintf(out, "    {\"%s\", ", r->id);
        emit_string(out, r->about);
        fprintf(out, ", ");
        emit_string(out, note_of(r->id));
        fprintf(out, ", {UINT64_C(0x%llx), UINT64_C(0x%llx)}, %d, %d, %d, %d, EZ_OP_%s, {%d, %d, %d, %d}},\n",
                (unsigned long long)r->flags[0], (unsigned long long)r->flags[1], operands, spellings, r->noperands, r->nspellings,
                r->single ? r->single : "NONE", r->dims[0], r->dims[1], r->dims[2], r->dims[3]);
        operands += r->noperands;
        spellings += r->nspellings;
    }
    fprintf(out, "};\n\n");
}

static void emit_rows_on_sets(FILE *out) {
    for (int s = 0; s < I.nsets; s++) {
        const target *t = sets[s].model;
        fprintf(out, "static const ez_row_on_set rows_on_set_%d[EZ_OP_COUNT] = {\n    {0, 0, -1, -1, {0}},\n", s);
        for (int i = 0; i < I.nrows; i++) {
            const row *r = &I.rows[i];
            int k = resolve_row(r, t);
            if (k < 0) {
                fprintf(out, "    {0, 0, -1, -1, {0}},\n");
                continue;
            }
            const spelling *sp = &r->spellings[k];
            fprintf(out, "    {%d, 0x%x, %d, %d, {UINT64_C(0x%llx), UINT64_C(0x%llx)}},\n", k + 1,
                    effective_forms(r, sp, t), sp->opcode, e64_opcode(t, sp),
                    (unsigned long long)sp->flags[0], (unsigned long long)sp->flags[1]);
        }
        fprintf(out, "};\n\n");
    }
}

/* ---- decoding ---- */

enum { SPACE = 1024 };

static struct space {
    int first, count;
} spaces[MAX_TARGETS][256];

/* Encodings that look alike in dword 0 (VOP3 and VOP3SD) share the opcode space of the first of them. */
static int space_of(int s, int e) {
    int def = resolve_encoding(e, sets[s].model);
    for (int k = 0; k < e; k++) {
        int other = resolve_encoding(k, sets[s].model);
        if (other >= 0 && I.defs[other].mask && I.defs[other].mask == I.defs[def].mask &&
            I.defs[other].value == I.defs[def].value)
            return k;
    }
    return e;
}

static void claim(int s, int *entries, int opcode, int value, const row *r) {
    if (opcode >= SPACE) fail(r->file, r->line, "opcode 0x%x is out of range", opcode);
    if (entries[opcode])
        fail(r->file, r->line, "%s: opcode 0x%x on %s is taken by %s", r->id, opcode,
             sets[s].model->name, I.rows[(entries[opcode] & 0x7fff) - 1].id);
    entries[opcode] = value;
}

static void emit_opcode_spaces(FILE *out) {
    int total = 0;
    fprintf(out, "const uint16_t ez_opcode_entries[] = {\n");
    for (int s = 0; s < I.nsets; s++) {
        static int entries[256][SPACE];
        const target *t = sets[s].model;
        memset(entries, 0, sizeof entries);
        for (int i = 0; i < I.nrows; i++) {
            const row *r = &I.rows[i];
            int k = resolve_row(r, t);
            if (k < 0) continue;
            const spelling *sp = &r->spellings[k];
            if (resolve_encoding(sp->encoding, t) < 0)
                fail(r->file, r->line, "%s: %s has no encoding %s", r->id, t->name,
                     I.encodings.name[sp->encoding]);
            unsigned forms = effective_forms(r, sp, t);
            if (sp->opcode >= 0 && forms & 0xf)
                claim(s, entries[space_of(s, sp->encoding)], sp->opcode, i + 1, r);
            int e64 = e64_opcode(t, sp), vop3 = name_find(&I.encodings, "VOP3");
            if (e64 >= 0 && forms & 1u << FORM_E64)
                claim(s, entries[space_of(s, vop3)], e64, (i + 1) | 0x8000, r);
        }
        for (int e = 0; e < I.encodings.count; e++) {
            int count = SPACE;
            while (count && !entries[e][count - 1])
                count--;
            spaces[s][e] = (struct space){total, count};
            for (int i = 0; i < count; i++, total++)
                fprintf(out, "%s%d,", total % 16 ? " " : "\n    ", entries[e][i]);
        }
    }
    fprintf(out, "\n    0};\n\n");
}

static int bits(uint32_t x) {
    int n = 0;
    for (; x; x &= x - 1)
        n++;
    return n;
}

/* The encodings of a set that dword 0 can tell apart, the most fixed bits first. */
static int chain_of(int s, int *chain) {
    int n = 0;
    for (int e = 0; e < I.encodings.count; e++) {
        int def = resolve_encoding(e, sets[s].model);
        if (def < 0 || !I.defs[def].mask || space_of(s, e) != e) continue;
        int at = n++;
        for (; at && bits(I.defs[resolve_encoding(chain[at - 1], sets[s].model)].mask) <
                         bits(I.defs[def].mask);
             at--)
            chain[at] = chain[at - 1];
        chain[at] = e;
    }
    return n;
}

static void emit_set(FILE *out, int s) {
    int chain[256], n = chain_of(s, chain);
    fprintf(out, "    {.layout = {\n");
    for (int e = 0; e < I.encodings.count; e++) {
        fprintf(out, "         [EZ_ENC_%s] = {", I.encodings.name[e]);
        for (int f = 0; f < FORM_COUNT; f++)
            fprintf(out, "%d, ", sets[s].layout[e][f] < 0 ? 0xffff : sets[s].layout[e][f]);
        fprintf(out, "},\n");
    }
    fprintf(out, "     },\n     .space = {\n");
    for (int e = 0; e < I.encodings.count; e++)
        if (spaces[s][e].count)
            fprintf(out, "         [EZ_ENC_%s] = {%d, %d},\n", I.encodings.name[e],
                    spaces[s][e].first, spaces[s][e].count);
    fprintf(out, "     },\n     .chain = {");
    for (int i = 0; i < n; i++)
        fprintf(out, "EZ_ENC_%s, ", I.encodings.name[chain[i]]);
    fprintf(out, "EZ_ENC_COUNT},\n     .first = {");
    for (uint32_t top = 0; top < 512; top++) {
        int i = 0;
        for (; i < n; i++) {
            const encoding *e = &I.defs[resolve_encoding(chain[i], sets[s].model)];
            uint32_t known = e->mask & 0xff800000u;
            if (((top << 23) & known) == (e->value & known)) break;
        }
        fprintf(out, "%s%d,", top % 32 ? " " : "\n         ", i);
    }
    fprintf(out, "},\n     .rows = rows_on_set_%d},\n", s);
}

/* ---- targets, mnemonics ---- */

static bool same_instructions(const target *a, const target *b) {
    static const char *const forms[] = {"sdwa", "dpp16", "dpp8", "vop3_dpp", "dpp64", "dpp_dst64"};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (has(a, forms[i]) != has(b, forms[i])) return false;
    for (int i = 0; i < I.nrows; i++)
        if (resolve_row(&I.rows[i], a) != resolve_row(&I.rows[i], b)) return false;
    for (int e = 0; e < I.encodings.count; e++)
        if (resolve_encoding(e, a) != resolve_encoding(e, b)) return false;
    for (int d = 0; d < I.nderive; d++)
        if (holds(&I.derive[d].when, a) != holds(&I.derive[d].when, b)) return false;
    return true;
}

static void find_sets(void) {
    for (int i = 0; i < I.ntargets; i++) {
        int s = 0;
        while (s < I.nsets && !same_instructions(sets[s].model, &I.targets[i]))
            s++;
        if (s == I.nsets) sets[I.nsets++].model = &I.targets[i];
        I.targets[i].set = s;
    }
}

/* What a target is called in shops; of a generic one, the targets that it covers. */
static void emit_products(FILE *out, const target *t) {
    const char *between = "";
    fprintf(out, "\"%s", t->products);
    for (int i = 0; i < I.ntargets; i++) {
        if (!(t->covers >> i & 1)) continue;
        fprintf(out, "%s%s", between, I.targets[i].name);
        between = ", ";
    }
    fprintf(out, "\"");
}

static void emit_targets(FILE *out) {
    fprintf(out, "const ez_target ez_targets[] = {\n");
    for (int i = 0; i < I.ntargets; i++) {
        const target *t = &I.targets[i];
        fprintf(out, "    {\"%s\", \"%s\", \"%s\", ", t->name, I.gens[t->gen].title, t->arch);
        emit_products(out, t);
        fprintf(out, ", 0x%x, %d, UINT64_C(0x%llx), {", t->mach, t->set, (unsigned long long)t->covers);
        for (int w = 0; w < (I.features.count + 63) / 64; w++)
            fprintf(out, "UINT64_C(0x%llx), ", (unsigned long long)t->features[w]);
        fprintf(out, "}},\n");
    }
    fprintf(out, "};\n\nconst ez_board ez_boards[] = { /* as ez_targets */\n");
    for (int i = 0; i < I.ntargets; i++) {
        const board *b = &I.targets[i].board;
        fprintf(out, "    {");
        if (b->product) fprintf(out, "\"%s\"", b->product);
        else fprintf(out, "NULL");
        for (int n = 0; n < BOARD_NUMBERS; n++)
            fprintf(out, ", %u", b->number[n]);
        fprintf(out, "},\n");
    }
    fprintf(out, "};\n\n");
}

static unsigned long long targets_where(const condition *when) {
    unsigned long long set = 0;
    if (I.ntargets > 64) fail("isagen", 0, "more than 64 targets do not fit a 64-bit set");
    for (int i = 0; i < I.ntargets; i++)
        if (holds(when, &I.targets[i])) set |= 1ull << i;
    return set;
}

static void emit_specials(FILE *out) {
    fprintf(out, "const ez_special ez_specials[] = {\n");
    for (int i = 0; i < I.nspecials; i++) {
        const special *r = &I.specials[i];
        fprintf(out, "    {%d, \"%s\", ", r->code, r->name);
        emit_string(out, r->pair);
        fprintf(out, ", UINT64_C(0x%llx), UINT64_C(0x%llx)},\n", targets_where(&r->decodes),
                targets_where(&r->assembles));
    }
    fprintf(out, "    {0}};\n\n");
}

struct mnemonic {
    const char *name;
    int op;
};

static int by_name(const void *a, const void *b) {
    const struct mnemonic *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    return c ? c : x->op - y->op;
}

static void emit_symbols(FILE *out) {
    fprintf(out, "const ez_isa_symbol ez_symbols[] = {\n");
    for (int i = 0; i < I.nsymbols; i++) {
        const symbol *s = &I.symbols[i];
        fprintf(out, "    {EZ_SYM_%s, 0x%x, \"%s\", UINT64_C(0x%llx)},\n", I.kinds.name[s->kind], s->code,
                s->name, targets_where(&s->from) & ~(s->ends ? targets_where(&s->until) : 0));
    }
    fprintf(out, "    {0}};\n\n");
}

static void emit_mnemonics(FILE *out) {
    static struct mnemonic list[MAX_ROWS * 4];
    int n = 0, kept = 0;
    for (int i = 0; i < I.nrows; i++)
        for (int k = 0; k < I.rows[i].nspellings; k++)
            if (I.rows[i].spellings[k].name && n < MAX_ROWS * 4)
                list[n++] = (struct mnemonic){I.rows[i].spellings[k].name, i + 1};
    qsort(list, (size_t)n, sizeof list[0], by_name);
    fprintf(out, "const ez_mnemonic ez_mnemonics[] = {\n");
    for (int i = 0; i < n; i++)
        if (!i || by_name(&list[i], &list[i - 1])) {
            fprintf(out, "    {\"%s\", EZ_OP_%s},\n", list[i].name, I.rows[list[i].op - 1].id);
            kept++;
        }
    fprintf(out, "    {NULL, 0}};\nconst size_t ez_mnemonic_count = %d;\n\n", kept);
}

void emit_tables(FILE *out) {
    find_sets();
    fprintf(out, "/* Written by isagen; not to be edited. */\n#include \"isa.h\"\n\n");
    emit_names(out);
    emit_layouts(out);
    emit_operands(out);
    emit_spellings(out);
    emit_rows(out);
    emit_rows_on_sets(out);
    emit_opcode_spaces(out);
    fprintf(out, "const ez_isa_set ez_isa_sets[] = {\n");
    for (int s = 0; s < I.nsets; s++)
        emit_set(out, s);
    fprintf(out, "};\n\n");
    emit_specials(out);
    emit_symbols(out);
    emit_targets(out);
    emit_mnemonics(out);
}
