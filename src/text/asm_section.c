/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sections. A section is a list of fragments: fixed bytes, and behind them a gap whose length may depend on where it comes
 * to lie. As long as everything before is known, alignments are bytes at once and there is one fragment only.
 */
#include "assembler.h"

#include <stdlib.h>

/* No section of an AMD GPU's code object comes near this. */
enum { LAYOUT_ROUNDS = 1000 };
static const uint64_t SECTION_MAX = UINT64_C(1) << 28;

/* ---- sections ---- */

/* What sections of these names are when the text does not say. */
static const struct {
    const char *name;
    uint32_t type;
    uint64_t flags;
} defaults[] = {{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
                {".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE},
                {".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE},
                {".rodata", SHT_PROGBITS, SHF_ALLOC},
                {".init_array", SHT_INIT_ARRAY, SHF_ALLOC | SHF_WRITE},
                {".fini_array", SHT_FINI_ARRAY, SHF_ALLOC | SHF_WRITE},
                {".init", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
                {".fini", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR},
                {".note", SHT_NOTE, 0}};

/* .rodata and .rodata.cst4, but not .rodata2 */
static bool begins_with(const char *name, const char *prefix) {
    size_t n = strlen(prefix);
    return !strncmp(name, prefix, n) && (!name[n] || name[n] == '.');
}

static uint64_t default_flags(const char *name) {
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        if (begins_with(name, defaults[i].name)) return defaults[i].flags;
    return 0;
}

static asm_fragment *add_fragment(ez_asm *as, asm_section *s) {
    asm_fragment *f = ASM_PUSH(as, s->fragments, s->fragment_count, s->fragment_capacity);
    *f = (asm_fragment){.start = s->size};
    return f;
}

static asm_section *find_section(const ez_asm *as, const char *name, size_t length) {
    for (size_t i = 0; i < as->section_count; i++)
        if (strlen(as->sections[i]->name) == length && !memcmp(as->sections[i]->name, name, length))
            return as->sections[i];
    return NULL;
}

asm_section *ez_asm_section_of(ez_asm *as, const char *name, size_t length) {
    asm_section *s = find_section(as, name, length);
    if (s) return s;
    if (as->section_count >= 30000) ez_asm_stop(as, EZ_ERR_LIMIT, "too many sections");
    s = ez_asm_alloc(as, 1, sizeof *s);
    *ASM_PUSH(as, as->sections, as->section_count, as->section_capacity) = s;
    s->name = ez_asm_copy(as, name, length);
    s->type = SHT_PROGBITS;
    s->alignment = 1;
    s->index = (uint32_t)as->section_count;
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        if (begins_with(s->name, defaults[i].name)) {
            s->type = defaults[i].type;
            s->flags = defaults[i].flags;
        }
    add_fragment(as, s)->fixed = true;
    s->symbol = ez_asm_temporary(as); /* in the object when a relocation uses it */
    s->symbol->kind = ASM_LABEL;
    s->symbol->section = s;
    s->symbol->binding = STB_LOCAL;
    s->symbol->type = STT_SECTION;
    ez_asm_list_symbol(as, s->symbol);
    return s;
}

void ez_asm_sections_begin(ez_asm *as) {
    as->section = ez_asm_section_of(as, ".text", 5);
    as->section->alignment = 4; /* of instructions; llvm-mc gives .text the least alignment of code */
}

void ez_asm_switch(ez_asm *as, asm_section *section) {
    as->previous = as->section;
    as->section = section;
}

bool ez_asm_is_code(const asm_section *section) { return section->flags & SHF_EXECINSTR; }

/* ---- content ---- */

uint8_t *ez_asm_emit(ez_asm *as, const void *bytes, uint64_t size) {
    asm_section *s = as->section;
    if (size > SECTION_MAX - s->size)
        ez_asm_stop(as, EZ_ERR_LIMIT, "section %s is larger than 256 MiB", s->name);
    if (s->type == SHT_NOBITS) {
        const uint8_t *byte = bytes;
        for (uint64_t i = 0; bytes && i < size; i++)
            if (byte[i]) {
                ez_asm_fail(as, as->statement, "section '%s' has no content: expected zeros alone", s->name);
                break;
            }
        s->size += size;
        return NULL;
    }
    if (!size) return NULL;
    if (s->size + size > s->capacity) {
        uint64_t more = s->capacity ? s->capacity * 2 : 4096;
        while (more < s->size + size)
            more *= 2;
        uint8_t *grown = realloc(s->bytes, more);
        if (!grown) ez_asm_stop(as, EZ_ERR_NOMEM, "out of memory");
        s->bytes = grown;
        s->capacity = more;
    }
    uint8_t *place = s->bytes + s->size;
    if (bytes) memcpy(place, bytes, size);
    else if (size) memset(place, 0, size);
    s->size += size;
    return place;
}

void ez_asm_emit_number(ez_asm *as, uint64_t value, unsigned size) {
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    ez_asm_emit(as, bytes, size);
}

/* Items of `unit` bytes, of which the pattern has at most 8. */
static void fill_items(uint8_t *out, uint64_t size, uint64_t pattern, unsigned unit) {
    if (unit <= 1 || !pattern) {
        memset(out, (int)(pattern & 0xff), size);
        return;
    }
    for (uint64_t i = 0; i < size && i < unit; i++)
        out[i] = i < 8 ? (uint8_t)(pattern >> 8 * i) : 0;
    for (uint64_t done = unit; done < size;) { /* each time as much again */
        uint64_t more = size - done < done ? size - done : done;
        memcpy(out + done, out, more);
        done += more;
    }
}

void ez_asm_emit_items(ez_asm *as, uint64_t count, uint64_t pattern, unsigned unit) {
    if (count > SECTION_MAX) ez_asm_stop(as, EZ_ERR_LIMIT, "section %s is larger than 256 MiB", as->section->name);
    if (count && unit && pattern && as->section->type == SHT_NOBITS) ez_asm_emit_number(as, pattern, 1);
    uint8_t *place = ez_asm_emit(as, NULL, count * unit);
    if (place) fill_items(place, count * unit, pattern, unit);
}

asm_fragment *ez_asm_emit_gap(ez_asm *as, asm_gap gap) {
    asm_section *s = as->section;
    size_t last = s->fragment_count - 1;
    s->fragments[last].length = s->size - s->fragments[last].start;
    s->fragments[last].gap = gap;
    add_fragment(as, s);
    return &s->fragments[last];
}

/* What fills code where nothing else is said: s_code_end where there is one, else s_nop. Source: LLVM, AMDGPUAsmBackend. */
static uint64_t gap_to(uint64_t address, uint64_t alignment, uint64_t most) {
    uint64_t gap = (0 - address) & (alignment - 1);
    return most && gap > most ? 0 : gap;
}

void ez_asm_align(ez_asm *as, uint64_t alignment, uint64_t pattern, unsigned unit, uint64_t most) {
    asm_section *s = as->section;
    asm_fragment *f = &s->fragments[s->fragment_count - 1];
    if (alignment > s->alignment) s->alignment = alignment;
    if (f->fixed) {
        uint64_t gap = gap_to(f->address + s->size - f->start, alignment, most);
        /* whole items at the end, zeros before them, as .p2alignl and the filling of code want it */
        uint8_t *place = ez_asm_emit(as, NULL, gap);
        if (place) fill_items(place + gap % unit, gap - gap % unit, pattern, unit);
        return;
    }
    f = ez_asm_emit_gap(as, ASM_GAP_ALIGN);
    f->alignment = alignment;
    f->most = most;
    f->pattern = pattern;
    f->unit = (uint8_t)unit;
}

/* ---- layout ---- */

/* The distance of a branch, in dwords, at the end of a fragment; false when it is not one within the section. */
static bool branch_distance(ez_asm *as, const asm_section *s, const asm_fragment *f, int64_t *distance) {
    asm_value v;
    if (ez_asm_evaluate(as, &f->term, &v) || !v.add || v.subtract || v.add->kind != ASM_LABEL || v.add->section != s)
        return false;
    const asm_fragment *to = &s->fragments[v.add->fragment];
    *distance = (int64_t)(to->address + v.add->offset + v.constant - (f->address + f->length)) / 4;
    return true;
}

/* How long the gap is by the addresses that are known so far; false, and said when `report`, when it cannot be. */
static bool gap_length(ez_asm *as, asm_section *s, asm_fragment *f, bool report, uint64_t *length) {
    uint64_t end = f->address + f->length, number;
    int64_t distance;
    asm_value v;
    *length = 0;
    switch (f->gap) {
    case ASM_GAP_NONE: return true;
    case ASM_GAP_ALIGN: *length = gap_to(end, f->alignment, f->most); return true;
    case ASM_GAP_BRANCH:
        /* once padded it stays so, or the layout might never settle */
        *length = f->gap_length;
        if (branch_distance(as, s, f, &distance) && distance == 0x3f) *length = 4;
        return true;
    case ASM_GAP_FILL:
        if (!ez_asm_absolute(as, &f->term, &number))
            return report && ez_asm_fail_at(as, f->place, "expected assembly-time absolute expression");
        if (number > SECTION_MAX) return report && ez_asm_fail_at(as, f->place, "invalid number of bytes");
        *length = number * f->unit;
        return true;
    default:
        if (ez_asm_evaluate(as, &f->term, &v) || v.subtract || (v.add && (v.add->kind != ASM_LABEL || v.add->section != s)))
            return report && ez_asm_fail_at(as, f->place, "expected assembly-time absolute expression");
        number = v.constant;
        if (v.add) number += s->fragments[v.add->fragment].address + v.add->offset;
        if (number < end || number > SECTION_MAX)
            return report && ez_asm_fail_at(as, f->place, "invalid .org offset '%lld' (at offset '%llu')",
                                         (long long)number, (unsigned long long)end);
        *length = number - end;
        return true;
    }
}

static void layout_section(ez_asm *as, asm_section *s) {
    for (size_t i = 0; i < s->fragment_count; i++)
        s->fragments[i].fixed = true;
    s->fragments[s->fragment_count - 1].length = s->size - s->fragments[s->fragment_count - 1].start;
    bool failed = false;
    for (unsigned round = 0;; round++) {
        bool changed = false;
        failed = false;
        uint64_t address = 0;
        if (round == LAYOUT_ROUNDS) ez_asm_stop(as, EZ_ERR_LIMIT, "the layout of section %s does not settle", s->name);
        for (size_t i = 0; i < s->fragment_count; i++) {
            asm_fragment *f = &s->fragments[i];
            uint64_t gap;
            changed |= f->address != address;
            f->address = address;
            if (!gap_length(as, s, f, false, &gap)) {
                gap = 0;
                failed = true;
            }
            changed |= f->gap_length != gap;
            f->gap_length = gap;
            address += f->length + gap;
            if (address > SECTION_MAX) ez_asm_stop(as, EZ_ERR_LIMIT, "section %s is larger than 256 MiB", s->name);
        }
        s->image_size = address;
        if (!changed) break;
    }
    for (size_t i = 0; failed && i < s->fragment_count; i++) {
        uint64_t gap;
        gap_length(as, s, &s->fragments[i], true, &gap);
    }
}

static void make_image(ez_asm *as, asm_section *s) {
    if (s->type == SHT_NOBITS) return;
    s->image = malloc(s->image_size ? s->image_size : 1);
    if (!s->image) ez_asm_stop(as, EZ_ERR_NOMEM, "out of memory");
    for (size_t i = 0; i < s->fragment_count; i++) {
        const asm_fragment *f = &s->fragments[i];
        uint8_t *gap = s->image + f->address + f->length;
        if (f->length) memcpy(s->image + f->address, s->bytes + f->start, f->length);
        uint64_t odd = f->gap == ASM_GAP_ALIGN && f->unit ? f->gap_length % f->unit : 0;
        memset(gap, 0, odd);
        fill_items(gap + odd, f->gap_length - odd, f->pattern, f->unit);
    }
}

void ez_asm_layout(ez_asm *as) {
    as->moving = true;
    for (size_t i = 0; i < as->section_count; i++)
        layout_section(as, as->sections[i]);
    as->moving = false;
    for (size_t i = 0; i < as->section_count; i++)
        make_image(as, as->sections[i]);
}

/* ---- directives ---- */

static bool named(ez_asm *as, const char *name) {
    ez_asm_switch(as, ez_asm_section_of(as, name, strlen(name)));
    return true;
}

/* .text and its kin take a subsection number in other assemblers; here it must be 0 */
static bool plain(ez_asm *as, ez_cursor *c, const char *name) {
    int64_t subsection = 0;
    if (!ez_asm_at_end(c) && !ez_asm_number(as, c, &subsection)) return false;
    if (subsection) return ez_asm_fail(as, c->at, "subsections are not supported: expected 0");
    return named(as, name);
}

static bool text(ez_asm *as, ez_cursor *c) { return plain(as, c, ".text"); }
static bool data(ez_asm *as, ez_cursor *c) { return plain(as, c, ".data"); }
static bool bss(ez_asm *as, ez_cursor *c) { return plain(as, c, ".bss"); }
static bool rodata(ez_asm *as, ez_cursor *c) { return plain(as, c, ".rodata"); }

static bool section_flags(ez_asm *as, const char *at, const char *text_flags, size_t length, uint64_t *flags) {
    for (size_t i = 0; i < length; i++)
        switch (text_flags[i]) {
        case 'a': *flags |= SHF_ALLOC; break;
        case 'w': *flags |= SHF_WRITE; break;
        case 'x': *flags |= SHF_EXECINSTR; break;
        case 'M': *flags |= SHF_MERGE; break;
        case 'S': *flags |= SHF_STRINGS; break;
        case 'T': *flags |= SHF_TLS; break;
        case 'G': *flags |= SHF_GROUP; break;
        case 'e': *flags |= SHF_EXCLUDE; break;
        case 'o': *flags |= SHF_LINK_ORDER; break;
        case 'R': *flags |= 0x200000; break; /* SHF_GNU_RETAIN */
        default: return ez_asm_fail(as, at, "unknown flag");
        }
    return true;
}

static bool section_type(ez_asm *as, const char *at, const char *name, size_t length, uint32_t *type) {
    static const struct {
        const char *name;
        uint32_t type;
    } types[] = {{"progbits", SHT_PROGBITS}, {"nobits", SHT_NOBITS}, {"note", SHT_NOTE},
                 {"init_array", SHT_INIT_ARRAY}, {"fini_array", SHT_FINI_ARRAY},
                 {"preinit_array", SHT_PREINIT_ARRAY}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strlen(types[i].name) == length && !memcmp(types[i].name, name, length)) {
            *type = types[i].type;
            return true;
        }
    return ez_asm_fail(as, at, "unknown section type");
}

/* What stands behind the flags: @type, entry size, group. */
static bool section_rest(ez_asm *as, ez_cursor *c, uint32_t *type, uint64_t *flags, uint64_t *entry_size) {
    const char *word;
    size_t length;
    int64_t number;
    if (!ez_asm_take(c, ',')) {
        if (*flags & (SHF_MERGE | SHF_GROUP)) return ez_asm_fail(as, c->at, "section with M or G flags must specify the type");
        return true;
    }
    if (ez_read_blank(c)) return ez_asm_fail(as, c->at, "expected '@<type>', '%%<type>' or \"<type>\"");
    if (*c->at == '@' || *c->at == '%') c->at++;
    /* [mc] points behind the line */
    const char *at = ez_asm_next_line(as, c->end);
    if (!ez_asm_name(as, c, &word, &length) || !section_type(as, at, word, length, type)) return false;
    if (*flags & SHF_MERGE) {
        if (!ez_asm_take(c, ',')) return ez_asm_fail(as, c->at, "expected the entry size");
        ez_read_blank(c);
        at = c->at;
        if (!ez_asm_number(as, c, &number)) return false;
        if (number <= 0 || number > 1 << 20) return ez_asm_fail(as, at, "entry size must be positive");
        *entry_size = (uint64_t)number;
    }
    if (*flags & SHF_GROUP) { /* of one object there is one copy of everything, so that groups say nothing */
        if (!ez_asm_take(c, ',')) return ez_asm_fail(as, c->at, "expected group name");
        if (!ez_asm_name(as, c, &word, &length)) return false;
        if (ez_asm_take(c, ',') && !ez_asm_name(as, c, &word, &length)) return false;
        *flags &= ~(uint64_t)SHF_GROUP;
    }
    return true;
}

/* What sections of some names have in any case. */
static uint64_t implied_flags(const char *name) {
    static const char *const names[] = {".text", ".init", ".fini", ".rodata", ".data", ".bss"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (begins_with(name, names[i])) return default_flags(name);
    return 0;
}

static bool section_name(ez_asm *as, ez_cursor *c, const char **name, size_t *length) {
    ez_read_blank(c);
    *name = c->at;
    if (c->at < c->end && *c->at == '"') return ez_asm_name(as, c, name, length);
    while (c->at < c->end && *c->at != ',' && *c->at != ' ' && *c->at != '\t' && *c->at != ';' && *c->at != '\r')
        c->at++;
    *length = (size_t)(c->at - *name);
    return *length || ez_asm_fail(as, *name, "expected identifier");
}

static bool switch_section(ez_asm *as, ez_cursor *c) {
    const char *name;
    size_t length;
    if (!section_name(as, c, &name, &length)) return false;
    bool known = find_section(as, name, length) != NULL;
    uint32_t type = 0;
    uint64_t flags = 0, entry_size = 0;
    bool flags_given = false;
    if (ez_asm_take(c, ',')) {
        char *letters;
        size_t count;
        int64_t subsection;
        ez_read_blank(c);
        if (c->at < c->end && *c->at != '"') { /* .pushsection name, subsection */
            if (!ez_asm_number(as, c, &subsection)) return false;
            if (subsection) return ez_asm_fail(as, c->at, "subsections are not supported: expected 0");
        } else {
            if (!ez_asm_string(as, c, &letters, &count)) return false;
            if (!section_flags(as, c->at, letters, count, &flags)) return false;
            flags_given = true;
            if (!section_rest(as, c, &type, &flags, &entry_size)) return false;
        }
    }
    asm_section *s = ez_asm_section_of(as, name, length);
    flags |= implied_flags(s->name);
    if (flags_given && !known) {
        s->flags = flags;
        if (type) s->type = type;
        s->entry_size = entry_size;
    } else if (known && flags_given && flags != s->flags) {
        return ez_asm_fail(as, as->statement, "changed section flags for %s, expected: 0x%llx", s->name,
                        (unsigned long long)s->flags);
    } else if (known && type && type != s->type) {
        return ez_asm_fail(as, as->statement, "changed section type for %s, expected: 0x%x", s->name, s->type);
    }
    ez_asm_switch(as, s);
    return true;
}

static bool push(ez_asm *as, ez_cursor *c) {
    if (as->stack_count == ASM_STACK_MAX) return ez_asm_fail(as, as->statement, "more than %d sections pushed", ASM_STACK_MAX);
    as->stack[as->stack_count].section = as->section;
    as->stack[as->stack_count++].previous = as->previous;
    if (switch_section(as, c)) return true;
    as->stack_count--;
    return false;
}

static bool pop(ez_asm *as, ez_cursor *c) {
    ez_read_blank(c);
    if (!as->stack_count) return ez_asm_fail(as, c->at, ".popsection without corresponding .pushsection");
    as->section = as->stack[--as->stack_count].section;
    as->previous = as->stack[as->stack_count].previous;
    return true;
}

static bool previous(ez_asm *as, ez_cursor *c) {
    ez_read_blank(c);
    if (!as->previous) return ez_asm_fail(as, c->at, ".previous without corresponding .section");
    ez_asm_switch(as, as->previous);
    return true;
}

/* What follows is no part of the text. */
static bool end_of_text(ez_asm *as, ez_cursor *c) {
    if (ez_asm_at_end(c)) c->at = c->end = as->source->end;
    return true;
}

const asm_directive_name ez_asm_section_directives[] = {
    {".text", text}, {".data", data}, {".bss", bss}, {".rodata", rodata}, {".section", switch_section},
    {".pushsection", push}, {".popsection", pop}, {".previous", previous},
    {".end", end_of_text}, {NULL, NULL}};
