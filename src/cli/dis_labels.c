/* SPDX-License-Identifier: Apache-2.0 */
/* A code object as a text that assembles to the same bytes: labels, symbols, directives. */
#include "dis.h"

#include <stdlib.h>

enum {
    SHT_PROGBITS = 1,
    SHF_WRITE = 1,
    SHF_ALLOC = 2,
    SHF_EXECINSTR = 4,
    DESCRIPTOR_BYTES = 64,
    ENTRY_OFFSET = 16,
    ENTRY_BYTES = 8,
    PREFIX_MAX = 64
};

typedef struct writer {
    const dis_view *v;
    cli_out *out;
    unsigned wave;             /* one for the whole text, for an assembler has but one */
    const ez_symbol **by_name; /* [symbol_count] */
    const ez_kernel **kernels; /* [kernel_count], by the address of their symbols in memory */
    size_t kernel_count;
    uint64_t *targets; /* [count], sorted: offsets in the section where labels are */
    size_t count, room;
    uint64_t numbered; /* labels of the sections before */
    char prefix[PREFIX_MAX];
} writer;

/* ---- what is between the labels, one after the other ---- */

typedef struct walk {
    const writer *w;
    const dis_code *code;
    dis_block block;
    dis_item item;
    bool inside;
} walk;

static bool next(walk *k) {
    for (;;) {
        bool code = k->inside && !k->block.data;
        if (code && dis_next_item(k->w->v, k->code, k->w->wave, k->block.end, k->block.end, &k->item))
            return true;
        if (!dis_next_block(k->w->v, k->code, &k->block)) return false;
        k->inside = true;
        k->item = (dis_item){.at = k->block.start};
    }
}

/* Where the instruction jumps to, as an offset in its section; false when it does not, or leaves the section. */
static bool jumps_to(const walk *k, uint64_t *offset) {
    uint64_t to;
    if (k->item.kind != DIS_INSTRUCTION) return false;
    if (!ez_inst_branch_target(&k->item.inst, k->code->address + k->item.at, &to)) return false;
    *offset = to - k->code->address;
    return *offset < k->code->size;
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool add_target(writer *w, uint64_t offset) {
    if (w->count == w->room) {
        size_t room = w->room ? 2 * w->room : 256;
        uint64_t *more = realloc(w->targets, room * sizeof *more);
        if (!more) return false;
        w->targets = more;
        w->room = room;
    }
    w->targets[w->count++] = offset;
    return true;
}

/* Collects the offsets that jumps go to and where an instruction begins. */
static bool find_targets(writer *w, const dis_code *code) {
    uint64_t offset;
    size_t kept = 0, i = 0;
    w->count = 0;
    for (walk k = {.w = w, .code = code}; next(&k);)
        if (jumps_to(&k, &offset) && !add_target(w, offset)) return false;
    if (w->count) qsort(w->targets, w->count, sizeof *w->targets, by_value);
    for (walk k = {.w = w, .code = code}; next(&k);) {
        while (i < w->count && w->targets[i] < k.item.at)
            i++;
        if (i < w->count && w->targets[i] == k.item.at) w->targets[kept++] = k.item.at;
    }
    w->count = kept;
    return true;
}

/* The number of the label at an offset; false when there is none. */
static bool label_at(const writer *w, uint64_t offset, uint64_t *number) {
    const uint64_t *found = w->count ? bsearch(&offset, w->targets, w->count, sizeof offset, by_value) : NULL;
    if (found) *number = w->numbered + (uint64_t)(found - w->targets);
    return found != NULL;
}

/* ---- symbols ---- */

static int by_name(const void *a, const void *b) {
    const ez_symbol *x = *(const ez_symbol *const *)a, *y = *(const ez_symbol *const *)b;
    int names = strcmp(x->name, y->name);
    return names ? names : x < y ? -1 : x > y;
}

/* Whether assembler text can have the name, and no symbol has it that came first. */
static bool can_be_written(const writer *w, const ez_symbol *s) {
    size_t low = 0, high = w->v->symbol_count;
    for (const char *c = s->name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127 || *c == '"' || *c == '\\') return false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(w->by_name[middle]->name, s->name) < 0) low = middle + 1;
        else high = middle;
    }
    return w->by_name[low] == s;
}

static void write_symbol_name(cli_out *out, const char *name) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.$0123456789";
    bool quoted = name[strspn(name, plain)] || (*name >= '0' && *name <= '9');
    if (quoted) cli_out_char(out, '"');
    cli_out_text(out, name);
    if (quoted) cli_out_char(out, '"');
}

/* "\t.DIRECTIVE NAME" */
static void directive(const writer *w, const char *text, const char *name) {
    cli_out_text(w->out, text);
    write_symbol_name(w->out, name);
}

static void write_symbol(const writer *w, const ez_symbol *s) {
    static const char *const bindings[] = {NULL, "\t.globl ", "\t.weak "};
    bool function = s->type == EZ_SYMBOL_FUNCTION;
    bool object = s->type == EZ_SYMBOL_OBJECT || s->type == EZ_SYMBOL_KERNEL_DESCRIPTOR;
    if (!can_be_written(w, s)) {
        cli_out_text(w->out, "; here is also ");
        cli_out_name(w->out, s->name);
        cli_out_char(w->out, '\n');
        return;
    }
    if (s->binding == 1 || s->binding == 2) {
        directive(w, bindings[s->binding], s->name);
        cli_out_char(w->out, '\n');
    }
    if (function || object) {
        directive(w, "\t.type ", s->name);
        cli_out_text(w->out, function ? ",@function\n" : ",@object\n");
    }
    if (s->size) {
        directive(w, "\t.size ", s->name);
        cli_out_text(w->out, ", ");
        cli_out_decimal(w->out, s->size);
        cli_out_char(w->out, '\n');
    }
    dis_paint(w->v, DIS_LABEL);
    write_symbol_name(w->out, s->name);
    cli_out_char(w->out, ':');
    dis_paint(w->v, DIS_PLAIN);
    cli_out_char(w->out, '\n');
}

/* ---- data ---- */

static void write_zeros(const writer *w, uint64_t n) {
    cli_out_text(w->out, "\t.zero ");
    cli_out_decimal(w->out, n);
    cli_out_char(w->out, '\n');
}

static void write_bytes(const writer *w, const uint8_t *b, uint64_t size) {
    enum { PER_LINE = 16 };
    for (uint64_t i = 0; i < size;) {
        uint64_t zeros = 0;
        while (i + zeros < size && !b[i + zeros])
            zeros++;
        if (zeros >= PER_LINE || (zeros && zeros == size - i)) {
            write_zeros(w, zeros);
            i += zeros;
            continue;
        }
        for (uint64_t end = size - i < PER_LINE ? size : i + PER_LINE, first = i; i < end; i++) {
            cli_out_text(w->out, i == first ? "\t.byte 0x" : ", 0x");
            cli_out_hex(w->out, b[i], 2);
        }
        cli_out_char(w->out, '\n');
    }
}

/* ---- kernel descriptors ---- */

static int by_descriptor(const void *a, const void *b) {
    const ez_kernel *x = *(const ez_kernel *const *)a, *y = *(const ez_kernel *const *)b;
    return x->descriptor_symbol < y->descriptor_symbol ? -1 : x->descriptor_symbol > y->descriptor_symbol;
}

/* The kernel whose descriptor is among the symbols of a block. */
static const ez_kernel *described(const writer *w, const dis_block *b) {
    for (size_t i = b->first; i < b->last; i++) {
        ez_kernel key = {.descriptor_symbol = w->v->symbols[i]};
        const ez_kernel *pointer = &key, **found;
        if (key.descriptor_symbol->type != EZ_SYMBOL_KERNEL_DESCRIPTOR) continue;
        found = bsearch(&pointer, w->kernels, w->kernel_count, sizeof pointer, by_descriptor);
        if (found) return *found;
    }
    return NULL;
}

/* Whether the directives make the bytes, those of the distance to the code aside, which the linker fills in. */
static bool makes_descriptor(const writer *w, const char *directives, const uint8_t *bytes) {
    const ez_target_id *id = ez_object_target_id(w->v->object);
    ez_asm_options options = {.target = ez_object_target(w->v->object),
                              .wave = w->wave,
                              .xnack = id->xnack,
                              .sramecc = id->sramecc};
    static const char before[] = "k:\n.section .rodata\n.amdhsa_kernel k\n", after[] = ".end_amdhsa_kernel\n";
    char text[EZ_KERNEL_TEXT_MAX + sizeof before + sizeof after];
    ez_asm *assembler;
    bool same = false;
    size_t count, n = (size_t)snprintf(text, sizeof text, "%s%s%s", before, directives, after);
    if (ez_asm_open(&options, &assembler, NULL) != EZ_OK) return false;
    if (ez_asm_source(assembler, "", text, n) == EZ_OK && ez_asm_finish(assembler) == EZ_OK) {
        const ez_section *sections = ez_asm_sections(assembler, &count);
        for (size_t i = 0; i < count; i++)
            if (!strcmp(sections[i].name, ".rodata") && sections[i].size == DESCRIPTOR_BYTES)
                same = !memcmp(sections[i].bytes, bytes, ENTRY_OFFSET) &&
                       !memcmp(sections[i].bytes + ENTRY_OFFSET + ENTRY_BYTES,
                               bytes + ENTRY_OFFSET + ENTRY_BYTES,
                               DESCRIPTOR_BYTES - ENTRY_OFFSET - ENTRY_BYTES);
    }
    ez_asm_close(assembler);
    return same;
}

/* Where directives cannot say all of a descriptor, they are comments before its bytes. */
static void write_descriptor(const writer *w, const ez_kernel *k, const uint8_t *bytes) {
    char text[EZ_KERNEL_TEXT_MAX];
    const ez_symbol *code = ez_object_find_symbol(w->v->object, k->name);
    ez_print_kernel(w->v->object, k, text, sizeof text);
    bool good = code && code->section && can_be_written(w, code) && makes_descriptor(w, text, bytes);
    if (good) {
        directive(w, "\t.amdhsa_kernel ", k->name);
        cli_out_char(w->out, '\n');
        cli_out_text(w->out, text);
        cli_out_text(w->out, "\t.end_amdhsa_kernel\n");
        return;
    }
    write_symbol(w, k->descriptor_symbol);
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        cli_out_char(w->out, ';');
        cli_out_bytes(w->out, line, strcspn(line, "\n") + 1);
    }
    write_bytes(w, bytes, DESCRIPTOR_BYTES);
}

/* ---- instructions ---- */

/* Whether the text assembles to the instruction; some that llvm-mc prints it does not take. */
static bool assembles(const writer *w, const ez_inst *inst, const char *text, size_t length) {
    uint8_t bytes[EZ_INST_MAX_BYTES], again[EZ_INST_MAX_BYTES];
    ez_inst parsed;
    ez_error err;
    if (ez_parse(w->v->target, w->wave, w->v->flags, text, length, &parsed, &err) != EZ_OK) return false;
    size_t size = ez_encode(inst, bytes);
    return ez_encode(&parsed, again) == size && !memcmp(bytes, again, size);
}

static void write_label(const writer *w, uint64_t number) {
    cli_out_text(w->out, w->prefix);
    cli_out_decimal(w->out, number);
}

/* The place that a jump goes to, when that has a symbol, for the reader. */
static void note_target(const walk *k, uint64_t offset) {
    dis_place place;
    uint64_t to = k->code->address + offset;
    if (!dis_place_before(k->w->v, k->code, to, &place) || place.address != to) return;
    dis_paint(k->w->v, DIS_NOTE);
    cli_out_text(k->w->out, " ; ");
    cli_out_name(k->w->out, place.name);
    dis_paint(k->w->v, DIS_PLAIN);
}

static void write_instruction(const walk *k) {
    uint64_t offset, number;
    const writer *w = k->w;
    const ez_inst *inst = &k->item.inst;
    const char *text = k->item.text;
    size_t length = k->item.length;
    cli_out_char(w->out, '\t');
    if (!assembles(w, inst, text, length)) {
        for (unsigned i = 0; i < inst->size / 4u; i++) {
            cli_out_text(w->out, i ? ", 0x" : ".long 0x");
            cli_out_hex(w->out, inst->word[i], 8);
        }
        cli_out_text(w->out, " ; ");
        cli_out_bytes(w->out, text, length);
    } else if (jumps_to(k, &offset) && label_at(w, offset, &number)) {
        while (length && text[length - 1] != ' ')
            length--; /* the distance is the last operand */
        dis_statement(w->v, text, length, DIS_MNEMONIC);
        write_label(w, number);
        note_target(k, offset);
    } else {
        dis_statement(w->v, text, length, DIS_MNEMONIC);
    }
    cli_out_char(w->out, '\n');
}

static void write_item(const walk *k) {
    uint64_t number;
    const writer *w = k->w;
    if (label_at(w, k->item.at, &number)) {
        dis_paint(w->v, DIS_LABEL);
        write_label(w, number);
        cli_out_char(w->out, ':');
        dis_paint(w->v, DIS_PLAIN);
        cli_out_char(w->out, '\n');
    }
    switch (k->item.kind) {
    case DIS_INSTRUCTION: write_instruction(k); return;
    case DIS_ZEROS: write_zeros(w, k->item.size); return;
    case DIS_RAW:
        cli_out_char(w->out, '\t');
        dis_statement(w->v, k->item.text, k->item.length, DIS_BAD);
        cli_out_char(w->out, '\n');
    }
}

/* ---- sections ---- */

static void write_section_head(const writer *w, const ez_section *s) {
    cli_out_char(w->out, '\n');
    if (!strcmp(s->name, ".text")) {
        cli_out_text(w->out, "\t.text\n");
    } else {
        directive(w, "\t.section ", s->name);
        cli_out_text(w->out, ",\"a");
        if (s->flags & SHF_WRITE) cli_out_char(w->out, 'w');
        if (s->flags & SHF_EXECINSTR) cli_out_char(w->out, 'x');
        cli_out_text(w->out, "\",@progbits\n");
    }
    unsigned power = 0;
    while (power < 16 && s->alignment > UINT64_C(1) << power)
        power++;
    if (power) {
        cli_out_text(w->out, "\t.p2align ");
        cli_out_decimal(w->out, power);
        cli_out_char(w->out, '\n');
    }
}

/* The symbols at the beginning of a block; a kernel descriptor's directives bring its own. */
static void begin_block(const writer *w, const dis_block *b, const ez_kernel *kernel) {
    if (b->first != b->last) cli_out_char(w->out, '\n');
    for (size_t i = b->first; i < b->last; i++)
        if (!kernel || w->v->symbols[i] != kernel->descriptor_symbol) write_symbol(w, w->v->symbols[i]);
}

static void write_data(const writer *w, const dis_code *code, const dis_block *b) {
    const ez_kernel *kernel = b->end - b->start >= DESCRIPTOR_BYTES ? described(w, b) : NULL;
    uint64_t at = b->start;
    begin_block(w, b, kernel);
    if (kernel) {
        write_descriptor(w, kernel, code->bytes + at);
        at += DESCRIPTOR_BYTES;
    }
    write_bytes(w, code->bytes + at, b->end - at);
}

static bool write_code(writer *w, const dis_code *code) {
    uint64_t begun = UINT64_MAX;
    if (!find_targets(w, code)) return false;
    dis_block data = {0};
    walk k = {.w = w, .code = code};
    while (next(&k)) {
        if (k.block.start != begun) { /* a new one, and perhaps variables before it */
            while (dis_next_block(w->v, code, &data) && data.data && data.start < k.block.start)
                write_data(w, code, &data);
            begin_block(w, &k.block, NULL);
            begun = k.block.start;
        }
        write_item(&k);
    }
    while (dis_next_block(w->v, code, &data))
        if (data.data) write_data(w, code, &data);
    w->numbered += w->count;
    return true;
}

/* Code first, for a descriptor takes over how its kernel's symbol is bound. The linker makes .got itself. */
static bool write_sections(writer *w) {
    size_t count;
    const ez_section *sections = ez_object_sections(w->v->object, &count);
    for (int code = 1; code >= 0; code--)
        for (size_t i = 1; i < count; i++) {
            const ez_section *s = &sections[i];
            bool executable = s->flags & SHF_EXECINSTR;
            if (s->type != SHT_PROGBITS || !(s->flags & SHF_ALLOC) || !s->size || !s->bytes) continue;
            if (executable != code || !strcmp(s->name, ".got")) continue;
            dis_code c = dis_section(w->v, (uint32_t)i);
            dis_block b = {0};
            if (!dis_next_block(w->v, &c, &b)) continue; /* nothing that --kernel lets through */
            b = (dis_block){0};
            write_section_head(w, s);
            if (executable && !write_code(w, &c)) return false;
            while (!executable && dis_next_block(w->v, &c, &b))
                write_data(w, &c, &b);
        }
    return true;
}

static void write_head(const writer *w) {
    char id[64];
    const dis_view *v = w->v;
    unsigned other = 96 - w->wave;
    cli_out_text(w->out, "\t.amdgcn_target \"amdgcn-amd-amdhsa--");
    cli_out_text(w->out, ez_target_id_print(ez_object_target_id(v->object), id, sizeof id));
    cli_out_text(w->out, "\"\n\t.amdhsa_code_object_version ");
    cli_out_decimal(w->out, ez_object_version(v->object));
    cli_out_char(w->out, '\n');
    if (w->wave != ez_target_default_wave(v->target))
        cli_out_text(w->out,
                     "; for waves of 64 lanes: execz asm --wave 64, llvm-mc -mattr=+wavefrontsize64\n");
    for (size_t i = 0; i < v->wave_count; i++)
        if (v->waves[i].wave == other) {
            cli_out_text(
                w->out,
                "; some kernels have waves of the other size: their lane masks are spelled for this one\n");
            break;
        }
}

/* Labels must not be called as a symbol is. */
static void choose_prefix(writer *w) {
    size_t length = 2;
    strcpy(w->prefix, ".L");
    for (size_t i = 0; i < w->v->symbol_count && length + 1 < PREFIX_MAX; i++) {
        const char *name = w->by_name[i]->name;
        if (strncmp(name, w->prefix, length)) continue;
        w->prefix[length++] = '_';
        w->prefix[length] = 0;
    }
}

bool dis_labels(const dis_view *v) {
    writer w = {.v = v, .out = v->out, .wave = v->other_wave};
    const ez_kernel *kernels = ez_object_kernels(v->object, &w.kernel_count);
    w.by_name = malloc((v->symbol_count + 1) * sizeof *w.by_name);
    w.kernels = malloc((w.kernel_count + 1) * sizeof *w.kernels);
    bool good = w.by_name && w.kernels;
    if (good) {
        memcpy(w.by_name, v->symbols, v->symbol_count * sizeof *w.by_name);
        qsort(w.by_name, v->symbol_count, sizeof *w.by_name, by_name);
        for (size_t i = 0; i < w.kernel_count; i++)
            w.kernels[i] = &kernels[i];
        qsort(w.kernels, w.kernel_count, sizeof *w.kernels, by_descriptor);
        choose_prefix(&w);
        write_head(&w);
        good = write_sections(&w);
    }
    if (!good) cli_error("%s: out of memory", v->path);
    free(w.by_name);
    free(w.kernels);
    free(w.targets);
    return good;
}
