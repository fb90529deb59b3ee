/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loadable file: what ld.lld -shared makes of one relocatable object. Sections of one name become one, in segments
 * by what they may do: read, execute, write; tables for the dynamic loader are added; relocations are applied where the
 * addresses are known and left to the loader where not. Layout, order and content are those of lld, so that addresses agree.
 */
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>

enum { PAGE = 0x1000, SYMBOL_BYTES = 24, RELA_BYTES = 24, SEGMENTS_MAX = 16 };
static const uint64_t NO_SECTION = UINT64_MAX;

/* The order of output sections: by segment, in it by kind. */
typedef enum rank {
    RANK_NOTE, RANK_DYNSYM, RANK_GNU_HASH, RANK_HASH, RANK_DYNSTR, RANK_RELA, RANK_READ, RANK_EXECUTE, RANK_RELRO, RANK_DYNAMIC,
    RANK_GOT, RANK_PADDING, RANK_WRITE, RANK_ZERO, RANK_OTHER, RANK_COMMENT, RANK_SYMTAB, RANK_SHSTRTAB, RANK_STRTAB,
    RANK_DROPPED
} rank;

typedef struct output {
    const char *name;
    rank rank;
    uint32_t type, link, info, index;
    uint64_t flags, entry_size, alignment, address, offset, size;
    ez_bytes bytes;
} output;

typedef struct input {
    size_t output; /* NO_SECTION: dropped */
    uint64_t offset;
} input;

typedef struct got_entry {
    uint32_t symbol; /* from 1 */
} got_entry;

typedef struct dynamic_relocation {
    uint64_t address, addend;
    uint32_t symbol, type; /* symbol: in .dynsym; 0: relative */
} dynamic_relocation;

typedef struct linker {
    const ez_write_object *object;
    ez_error *err;
    output *outputs; /* sorted by rank before addresses are given */
    size_t output_count;
    input *inputs;
    size_t by_rank[RANK_DROPPED]; /* the one section of a rank that has one */
    uint32_t *dynamic_index;      /* of a symbol, 0: none */
    uint32_t *dynamic_order;      /* symbols, from 1, in the order of .dynsym */
    size_t dynamic_count, undefined_count;
    got_entry *got;
    uint32_t *got_index; /* of a symbol, 0: none */
    size_t got_count;
    dynamic_relocation *dynamic;
    size_t dynamic_relocation_count;
    uint64_t *common; /* offsets of common symbols in .bss */
    ez_bytes out, shstrtab;
    bool sized; /* sizes are counted, addresses not yet known */
} linker;

static ez_status nomem(linker *l) { return ez_error_set(l->err, EZ_ERR_NOMEM, "out of memory"); }

/* ---- symbols ---- */

static const ez_write_symbol *symbol_of(const linker *l, uint32_t n) { return &l->object->symbols[n - 1]; }

static bool is_undefined(const ez_write_symbol *s) { return s->section == SHN_UNDEF; }

/* Whether others see it. */
static bool is_exported(const ez_write_symbol *s) {
    return s->binding != STB_LOCAL && s->visibility != STV_HIDDEN && s->visibility != STV_INTERNAL;
}

/* Whether another object's symbol of that name may take its place. */
static bool is_preemptible(const ez_write_symbol *s) {
    return is_exported(s) && (is_undefined(s) || s->visibility == STV_DEFAULT);
}

static uint64_t symbol_address(const linker *l, uint32_t n) {
    if (!n) return 0; /* no symbol: a number */
    const ez_write_symbol *s = symbol_of(l, n);
    if (s->section == SHN_ABS) return s->value;
    if (s->section == SHN_COMMON) return l->outputs[l->by_rank[RANK_ZERO]].address + l->common[n - 1];
    if (is_undefined(s) || s->section >= SHN_LORESERVE) return 0;
    const input *in = &l->inputs[s->section - 1];
    if (in->output == NO_SECTION) return 0;
    return l->outputs[in->output].address + in->offset + s->value;
}

static uint16_t symbol_section(const linker *l, uint32_t n) {
    const ez_write_symbol *s = symbol_of(l, n);
    if (s->section == SHN_COMMON) return (uint16_t)l->outputs[l->by_rank[RANK_ZERO]].index;
    if (is_undefined(s) || s->section >= SHN_LORESERVE) return s->section;
    const input *in = &l->inputs[s->section - 1];
    return in->output == NO_SECTION ? SHN_UNDEF : (uint16_t)l->outputs[in->output].index;
}

/* ---- output sections ---- */

static size_t add_output(linker *l, const char *name, rank r, uint32_t type, uint64_t flags,
                         uint64_t alignment, uint64_t entry_size) {
    output *o = &l->outputs[l->output_count];
    *o = (output){.name = name, .rank = r, .type = type, .flags = flags, .alignment = alignment,
                  .entry_size = entry_size};
    return l->output_count++;
}

/* .text.f is part of .text, and so on. */
static const char *output_name(const char *name) {
    static const char *const prefixes[] = {".text", ".rodata", ".data.rel.ro", ".data", ".bss", ".init_array",
                                           ".fini_array"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t n = strlen(prefixes[i]);
        if (!strncmp(name, prefixes[i], n) && (!name[n] || name[n] == '.')) return prefixes[i];
    }
    return name;
}

static rank rank_of(const ez_write_section *s, const char *name) {
    if (s->flags & SHF_EXCLUDE || !strcmp(name, ".note.GNU-stack")) return RANK_DROPPED;
    if (!(s->flags & SHF_ALLOC)) return !strcmp(name, ".comment") ? RANK_COMMENT : RANK_OTHER;
    if (!(s->flags & SHF_WRITE)) {
        if (s->flags & SHF_EXECINSTR) return RANK_EXECUTE;
        return s->type == SHT_NOTE ? RANK_NOTE : RANK_READ;
    }
    if (s->type == SHT_INIT_ARRAY || s->type == SHT_FINI_ARRAY || s->type == SHT_PREINIT_ARRAY ||
        !strcmp(name, ".data.rel.ro"))
        return RANK_RELRO;
    return s->type == SHT_NOBITS ? RANK_ZERO : RANK_WRITE;
}

static ez_status place_inputs(linker *l) {
    for (size_t i = 0; i < l->object->section_count; i++) {
        const ez_write_section *s = &l->object->sections[i];
        const char *name = output_name(s->name);
        rank r = rank_of(s, name);
        size_t n = 0;
        l->inputs[i].output = NO_SECTION;
        /* .text is there in any case and empty in many; lld leaves such out */
        if (r == RANK_DROPPED || (!s->size && !strcmp(s->name, ".text"))) continue;
        while (n < l->output_count && (l->outputs[n].rank != r || strcmp(l->outputs[n].name, name)))
            n++;
        if (n == l->output_count) add_output(l, name, r, s->type, 0, 1, s->entry_size);
        output *o = &l->outputs[n];
        o->flags |= s->flags & ~(uint64_t)(SHF_GROUP | (r == RANK_COMMENT ? 0 : SHF_MERGE | SHF_STRINGS));
        if (s->alignment > o->alignment) o->alignment = s->alignment;
        o->size = (o->size + s->alignment - 1) & ~(s->alignment - 1);
        l->inputs[i] = (input){n, o->size};
        o->size += s->size;
        if (s->type == SHT_NOBITS) continue;
        ez_bytes_align(&o->bytes, s->alignment);
        ez_bytes_add(&o->bytes, s->bytes, (size_t)s->size);
        if (o->bytes.failed) return nomem(l);
    }
    return EZ_OK;
}

/* Common symbols get room in .bss. */
static void place_common(linker *l) {
    for (uint32_t n = 1; n <= l->object->symbol_count; n++) {
        const ez_write_symbol *s = symbol_of(l, n);
        if (s->section != SHN_COMMON) continue;
        size_t o = 0;
        while (o < l->output_count && (l->outputs[o].rank != RANK_ZERO || strcmp(l->outputs[o].name, ".bss")))
            o++;
        if (o == l->output_count) add_output(l, ".bss", RANK_ZERO, SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 1, 0);
        output *bss = &l->outputs[o];
        if (s->value > bss->alignment) bss->alignment = s->value;
        bss->size = (bss->size + s->value - 1) & ~(s->value - 1);
        l->common[n - 1] = bss->size;
        bss->size += s->size;
    }
}

/* ---- tables for the dynamic loader ---- */

static uint32_t gnu_hash(const char *name) {
    uint32_t h = 5381;
    for (; *name; name++)
        h = h * 33 + (unsigned char)*name;
    return h;
}

static uint32_t sysv_hash(const char *name) {
    uint32_t h = 0;
    for (; *name; name++) {
        h = (h << 4) + (unsigned char)*name;
        uint32_t high = h & 0xf0000000;
        h = (h ^ high >> 24) & ~high;
    }
    return h;
}

static uint32_t bucket_count(const linker *l) {
    size_t defined = l->dynamic_count - l->undefined_count;
    return defined / 4 > 1 ? (uint32_t)(defined / 4) : 1;
}

/* Undefined symbols first, then by bucket of .gnu.hash; otherwise in the order of the object. */
static ez_status order_dynamic_symbols(linker *l) {
    const ez_write_object *o = l->object;
    for (uint32_t n = 1; n <= o->symbol_count; n++)
        if (is_exported(symbol_of(l, n))) {
            l->dynamic_count++;
            l->undefined_count += is_undefined(symbol_of(l, n));
        }
    uint32_t buckets = bucket_count(l), *first = calloc((size_t)buckets + 2, sizeof *first);
    if (!first) return nomem(l);
    /* a counting sort: bucket 0 is that of undefined symbols */
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t n = 1; n <= o->symbol_count; n++) {
            const ez_write_symbol *s = symbol_of(l, n);
            if (!is_exported(s)) continue;
            uint32_t bucket = is_undefined(s) ? 0 : 1 + gnu_hash(s->name) % buckets;
            if (!pass) {
                first[bucket + 1 <= buckets ? bucket + 1 : 0] += bucket + 1 <= buckets;
                continue;
            }
            l->dynamic_order[first[bucket]++] = n;
        }
        for (uint32_t b = 1; !pass && b <= buckets; b++)
            first[b] += first[b - 1];
    }
    free(first);
    for (size_t i = 0; i < l->dynamic_count; i++)
        l->dynamic_index[l->dynamic_order[i] - 1] = (uint32_t)i + 1;
    return EZ_OK;
}

static output *ranked(linker *l, rank r) { return &l->outputs[l->by_rank[r]]; }

static void fill_gnu_hash(linker *l) {
    ez_bytes *b = &ranked(l, RANK_GNU_HASH)->bytes;
    size_t defined = l->dynamic_count - l->undefined_count;
    uint32_t buckets = bucket_count(l), words = 1;
    while (words <= defined * 12 / 64)
        words *= 2;
    ez_bytes_number(b, buckets, 4);
    ez_bytes_number(b, l->undefined_count + 1, 4);
    ez_bytes_number(b, words, 4);
    ez_bytes_number(b, 26, 4);
    size_t bloom = b->size, heads = bloom + 8 * (size_t)words;
    ez_bytes_add(b, NULL, 8 * (size_t)words + 4 * (size_t)buckets);
    for (size_t i = l->undefined_count; i < l->dynamic_count && !b->failed; i++) {
        uint32_t hash = gnu_hash(symbol_of(l, l->dynamic_order[i])->name), bucket = hash % buckets;
        uint32_t next = i + 1 < l->dynamic_count ? gnu_hash(symbol_of(l, l->dynamic_order[i + 1])->name) : 0;
        size_t word = bloom + 8 * (size_t)(hash / 64 & (words - 1));
        uint64_t bits = ez_le64(b->data + word) | UINT64_C(1) << hash % 64 | UINT64_C(1) << (hash >> 26) % 64;
        ez_bytes_put(b, word, bits, 8);
        if (!ez_le32(b->data + heads + 4 * (size_t)bucket)) ez_bytes_put(b, heads + 4 * (size_t)bucket, i + 1, 4);
        bool last = i + 1 == l->dynamic_count || next % buckets != bucket;
        ez_bytes_number(b, (hash & ~1u) | last, 4);
    }
}

static void fill_sysv_hash(linker *l) {
    ez_bytes *b = &ranked(l, RANK_HASH)->bytes;
    uint32_t count = (uint32_t)l->dynamic_count + 1;
    ez_bytes_number(b, count, 4);
    ez_bytes_number(b, count, 4);
    ez_bytes_add(b, NULL, 8 * (size_t)count);
    for (uint32_t i = 1; i < count && !b->failed; i++) {
        uint32_t bucket = sysv_hash(symbol_of(l, l->dynamic_order[i - 1])->name) % count;
        size_t head = 8 + 4 * (size_t)bucket;
        ez_bytes_put(b, 8 + 4 * ((size_t)count + i), ez_le32(b->data + head), 4);
        ez_bytes_put(b, head, i, 4);
    }
}

static ez_status add_tables(linker *l) {
    ez_status status = order_dynamic_symbols(l);
    if (status) return status;
    add_output(l, ".dynsym", RANK_DYNSYM, SHT_DYNSYM, SHF_ALLOC, 8, SYMBOL_BYTES);
    add_output(l, ".gnu.hash", RANK_GNU_HASH, 0x6ffffff6, SHF_ALLOC, 8, 0);
    add_output(l, ".hash", RANK_HASH, SHT_HASH, SHF_ALLOC, 4, 4);
    add_output(l, ".dynstr", RANK_DYNSTR, SHT_STRTAB, SHF_ALLOC, 1, 0);
    if (l->dynamic_relocation_count) add_output(l, ".rela.dyn", RANK_RELA, SHT_RELA, SHF_ALLOC, 8, RELA_BYTES);
    add_output(l, ".dynamic", RANK_DYNAMIC, SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, 8, 16);
    if (l->got_count) add_output(l, ".got", RANK_GOT, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 8, 0);
    add_output(l, ".relro_padding", RANK_PADDING, SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 1, 0);
    add_output(l, ".symtab", RANK_SYMTAB, SHT_SYMTAB, 0, 8, SYMBOL_BYTES);
    add_output(l, ".shstrtab", RANK_SHSTRTAB, SHT_STRTAB, 0, 1, 0);
    add_output(l, ".strtab", RANK_STRTAB, SHT_STRTAB, 0, 1, 0);
    return EZ_OK;
}

/* Sorts the sections, keeping the order within a rank, and numbers them. */
static ez_status sort_outputs(linker *l) {
    output *sorted = calloc(l->output_count, sizeof *sorted);
    size_t *to = calloc(l->output_count, sizeof *to), at = 0;
    if (!sorted || !to) {
        free(sorted);
        free(to);
        return nomem(l);
    }
    for (int r = 0; r < RANK_DROPPED; r++)
        for (size_t i = 0; i < l->output_count; i++)
            if ((int)l->outputs[i].rank == r) {
                to[i] = at;
                sorted[at] = l->outputs[i];
                sorted[at].index = (uint32_t)at + 1;
                if (r != RANK_ZERO || !strcmp(sorted[at].name, ".bss")) l->by_rank[r] = at;
                at++;
            }
    for (size_t i = 0; i < l->object->section_count; i++)
        if (l->inputs[i].output != NO_SECTION) l->inputs[i].output = to[l->inputs[i].output];
    memcpy(l->outputs, sorted, l->output_count * sizeof *sorted);
    free(sorted);
    free(to);
    return EZ_OK;
}

/* ---- relocations ---- */

static ez_status cannot(linker *l, const ez_write_relocation *r, const char *why) {
    const char *name = ez_relocation_name(r->type), *symbol = r->symbol ? symbol_of(l, r->symbol)->name : "";
    return ez_error_set(l->err, EZ_ERR_FORMAT, "relocation %s against symbol '%s' in section %s: %s",
                        name ? name : "of an unknown type", symbol, l->object->sections[r->section].name, why);
}

static void add_dynamic(linker *l, uint64_t address, uint32_t symbol, uint64_t addend) {
    dynamic_relocation *d = &l->dynamic[l->dynamic_relocation_count++];
    if (is_preemptible(symbol_of(l, symbol)))
        *d = (dynamic_relocation){address, addend, l->dynamic_index[symbol - 1], EZ_R_AMDGPU_ABS64};
    else
        *d = (dynamic_relocation){address, symbol_address(l, symbol) + addend, 0, EZ_R_AMDGPU_RELATIVE64};
}

static void use_got(linker *l, uint32_t symbol) {
    if (l->got_index[symbol - 1]) return;
    l->got[l->got_count].symbol = symbol;
    l->got_index[symbol - 1] = (uint32_t)++l->got_count;
}

static bool is_got(uint32_t type) {
    return type == EZ_R_AMDGPU_GOTPCREL || type == EZ_R_AMDGPU_GOTPCREL32_LO || type == EZ_R_AMDGPU_GOTPCREL32_HI;
}

/* What a relocation needs before addresses are known: checks it, and counts what it leaves to the loader. */
static ez_status scan_relocation(linker *l, const ez_write_relocation *r) {
    const ez_write_section *section = &l->object->sections[r->section];
    if (l->inputs[r->section].output == NO_SECTION || !r->symbol) return EZ_OK;
    const ez_write_symbol *s = symbol_of(l, r->symbol);
    if (is_undefined(s) && s->binding != STB_WEAK && !is_exported(s))
        return ez_error_set(l->err, EZ_ERR_FORMAT, "undefined %s symbol: %s",
                            s->visibility == STV_INTERNAL ? "internal" : "hidden", s->name);
    if (s->section == SHN_AMDGPU_LDS)
        return cannot(l, r, "variables in LDS get their places from a compiler; they cannot be linked here");
    if (!(section->flags & SHF_ALLOC)) return EZ_OK;
    if (is_got(r->type)) {
        use_got(l, r->symbol);
        return EZ_OK;
    }
    switch (r->type) {
    case EZ_R_AMDGPU_REL16: case EZ_R_AMDGPU_REL32: case EZ_R_AMDGPU_REL32_LO: case EZ_R_AMDGPU_REL32_HI:
    case EZ_R_AMDGPU_REL64:
        if (is_preemptible(s)) return cannot(l, r, "it may be another object's; expected a hidden or protected symbol");
        return EZ_OK;
    case EZ_R_AMDGPU_ABS64:
        if (!is_preemptible(s) && (s->section == SHN_ABS || is_undefined(s))) return EZ_OK;
        if (!(section->flags & SHF_WRITE)) return cannot(l, r, "its address is not known, and the section is read-only");
        l->dynamic_relocation_count++;
        return EZ_OK;
    case EZ_R_AMDGPU_ABS32: case EZ_R_AMDGPU_ABS32_LO: case EZ_R_AMDGPU_ABS32_HI:
        if (s->section == SHN_ABS && !is_preemptible(s)) return EZ_OK;
        return cannot(l, r, "its address is not known, and 32 bits cannot hold it");
    default: return cannot(l, r, "this type is not supported");
    }
}

static ez_status scan_relocations(linker *l) {
    for (size_t i = 0; i < l->object->relocation_count; i++) {
        ez_status status = scan_relocation(l, &l->object->relocations[i]);
        if (status) return status;
    }
    l->dynamic_relocation_count += l->got_count;
    return EZ_OK;
}

static ez_status apply_relocation(linker *l, const ez_write_relocation *r) {
    const input *in = &l->inputs[r->section];
    if (in->output == NO_SECTION) return EZ_OK;
    output *o = &l->outputs[in->output];
    bool loaded = o->flags & SHF_ALLOC;
    uint64_t place = o->address + in->offset + r->offset, target = symbol_address(l, r->symbol), value;
    unsigned width;
    if (loaded && r->symbol && r->type == EZ_R_AMDGPU_ABS64) {
        const ez_write_symbol *s = symbol_of(l, r->symbol);
        if (is_preemptible(s) || !(s->section == SHN_ABS || is_undefined(s))) {
            add_dynamic(l, place, r->symbol, (uint64_t)r->addend);
            return EZ_OK;
        }
    }
    ez_relocation relocation = {.type = r->type, .addend = r->addend, .offset = r->offset};
    if (is_got(r->type)) {
        target = ranked(l, RANK_GOT)->address + 8 * (uint64_t)(l->got_index[r->symbol - 1] - 1);
        relocation.type = r->type == EZ_R_AMDGPU_GOTPCREL32_LO   ? EZ_R_AMDGPU_REL32_LO
                          : r->type == EZ_R_AMDGPU_GOTPCREL32_HI ? EZ_R_AMDGPU_REL32_HI
                                                                 : EZ_R_AMDGPU_REL32;
    }
    ez_status status = ez_relocation_resolve(&relocation, target, place, 0, &value, &width, l->err);
    if (status) return cannot(l, r, "the value does not fit");
    ez_bytes_put(&o->bytes, (size_t)(in->offset + r->offset), value, width);
    return EZ_OK;
}

static int compare_dynamic(const void *a, const void *b) {
    const dynamic_relocation *x = a, *y = b;
    if (x->symbol != y->symbol) return x->symbol < y->symbol ? -1 : 1; /* relative ones have 0 */
    return x->address < y->address ? -1 : x->address > y->address;
}

static ez_status apply_relocations(linker *l) {
    l->dynamic_relocation_count = 0;
    for (size_t i = 0; i < l->object->relocation_count; i++) {
        ez_status status = apply_relocation(l, &l->object->relocations[i]);
        if (status) return status;
    }
    for (size_t i = 0; i < l->got_count; i++)
        add_dynamic(l, ranked(l, RANK_GOT)->address + 8 * i, l->got[i].symbol, 0);
    if (!l->dynamic_relocation_count) return EZ_OK;
    qsort(l->dynamic, l->dynamic_relocation_count, sizeof *l->dynamic, compare_dynamic);
    ez_bytes *b = &ranked(l, RANK_RELA)->bytes;
    b->size = 0;
    for (size_t i = 0; i < l->dynamic_relocation_count; i++) {
        const dynamic_relocation *d = &l->dynamic[i];
        ez_bytes_number(b, d->address, 8);
        ez_bytes_number(b, (uint64_t)d->symbol << 32 | d->type, 8);
        ez_bytes_number(b, d->addend, 8);
    }
    return EZ_OK;
}

/* ---- content of the tables ---- */

/* The strings first, for their sizes; symbols when addresses are known. */
static void fill_dynamic_symbols(linker *l) {
    ez_bytes *symbols = &ranked(l, RANK_DYNSYM)->bytes, *strings = &ranked(l, RANK_DYNSTR)->bytes;
    symbols->size = strings->size = 0;
    ez_bytes_add(strings, NULL, 1);
    ez_bytes_add(symbols, NULL, SYMBOL_BYTES * (l->dynamic_count + 1));
    for (uint32_t n = 1; n <= l->object->symbol_count; n++) {
        const ez_write_symbol *s = symbol_of(l, n);
        if (!is_exported(s)) continue;
        ez_bytes entry = {0};
        ez_write_symbol_entry(&entry, ez_strings_add(strings, s->name), s, symbol_section(l, n), symbol_address(l, n));
        if (!symbols->failed && !entry.failed)
            memcpy(symbols->data + SYMBOL_BYTES * (size_t)l->dynamic_index[n - 1], entry.data, SYMBOL_BYTES);
        symbols->failed |= entry.failed;
        free(entry.data);
    }
}

static void add_symbol(linker *l, uint32_t n, bool made_local) {
    ez_write_symbol s = *symbol_of(l, n);
    if (made_local) s.binding = STB_LOCAL;
    ez_write_symbol_entry(&ranked(l, RANK_SYMTAB)->bytes, ez_strings_add(&ranked(l, RANK_STRTAB)->bytes, s.name), &s,
                          symbol_section(l, n), symbol_address(l, n));
}

/* Local symbols, hidden ones, which are local from here on, _DYNAMIC, then the others. */
static void fill_symbols(linker *l) {
    ez_bytes *symbols = &ranked(l, RANK_SYMTAB)->bytes, *strings = &ranked(l, RANK_STRTAB)->bytes;
    const ez_write_object *o = l->object;
    const ez_write_symbol dynamic = {.type = STT_NOTYPE, .binding = STB_LOCAL, .visibility = STV_HIDDEN};
    symbols->size = strings->size = 0;
    ez_bytes_add(strings, NULL, 1);
    ez_bytes_add(symbols, NULL, SYMBOL_BYTES);
    for (uint32_t n = 1; n <= o->symbol_count; n++) {
        const ez_write_symbol *s = symbol_of(l, n);
        bool dropped = s->section && s->section < SHN_LORESERVE && l->inputs[s->section - 1].output == NO_SECTION;
        if (s->binding == STB_LOCAL && s->type != STT_SECTION && *s->name && !dropped) add_symbol(l, n, false);
    }
    for (uint32_t n = 1; n <= o->symbol_count; n++)
        if (symbol_of(l, n)->binding != STB_LOCAL && !is_exported(symbol_of(l, n))) add_symbol(l, n, true);
    ez_write_symbol_entry(symbols, ez_strings_add(strings, "_DYNAMIC"), &dynamic,
                          (uint16_t)ranked(l, RANK_DYNAMIC)->index, ranked(l, RANK_DYNAMIC)->address);
    ranked(l, RANK_SYMTAB)->info = (uint32_t)(symbols->size / SYMBOL_BYTES);
    for (uint32_t n = 1; n <= o->symbol_count; n++)
        if (is_exported(symbol_of(l, n))) add_symbol(l, n, false);
}

static void fill_dynamic(linker *l) {
    output *o = ranked(l, RANK_DYNAMIC);
    size_t relative = 0;
    o->bytes.size = 0;
#define ENTRY(tag, value) (ez_bytes_number(&o->bytes, (uint64_t)(tag), 8), ez_bytes_number(&o->bytes, value, 8))
    if (l->dynamic_relocation_count) {
        while (relative < l->dynamic_relocation_count && !l->dynamic[relative].symbol)
            relative++;
        ENTRY(DT_RELA, ranked(l, RANK_RELA)->address);
        ENTRY(DT_RELASZ, l->dynamic_relocation_count * RELA_BYTES);
        ENTRY(DT_RELAENT, RELA_BYTES);
        if (relative) ENTRY(DT_RELACOUNT, relative);
    }
    ENTRY(DT_SYMTAB, ranked(l, RANK_DYNSYM)->address);
    ENTRY(DT_SYMENT, SYMBOL_BYTES);
    ENTRY(DT_STRTAB, ranked(l, RANK_DYNSTR)->address);
    ENTRY(DT_STRSZ, ranked(l, RANK_DYNSTR)->bytes.size);
    ENTRY(0x6ffffef5, ranked(l, RANK_GNU_HASH)->address); /* DT_GNU_HASH */
    ENTRY(DT_HASH, ranked(l, RANK_HASH)->address);
    for (size_t i = 0; i < l->output_count; i++) {
        const output *array = &l->outputs[i];
        if (array->type == SHT_PREINIT_ARRAY || array->type == SHT_INIT_ARRAY || array->type == SHT_FINI_ARRAY) {
            bool init = array->type == SHT_INIT_ARRAY, pre = array->type == SHT_PREINIT_ARRAY;
            ENTRY(pre ? DT_PREINIT_ARRAY : init ? DT_INIT_ARRAY : DT_FINI_ARRAY, array->address);
            ENTRY(pre ? DT_PREINIT_ARRAYSZ : init ? DT_INIT_ARRAYSZ : DT_FINI_ARRAYSZ, array->size);
        }
    }
    ENTRY(DT_NULL, 0);
#undef ENTRY
    o->size = o->bytes.size;
}

/* The sizes of what is filled in later, before addresses are given. */
static void size_tables(linker *l) {
    fill_gnu_hash(l);
    fill_sysv_hash(l);
    fill_dynamic_symbols(l);
    if (l->got_count) ez_bytes_add(&ranked(l, RANK_GOT)->bytes, NULL, 8 * l->got_count);
    if (l->dynamic_relocation_count)
        ez_bytes_add(&ranked(l, RANK_RELA)->bytes, NULL, RELA_BYTES * l->dynamic_relocation_count);
    for (size_t i = 0; i < l->dynamic_relocation_count; i++)
        l->dynamic[i].symbol = 1; /* none relative for now */
    bool relative = false;
    for (size_t i = 0; i < l->object->relocation_count; i++) {
        const ez_write_relocation *r = &l->object->relocations[i];
        relative |= r->symbol && (r->type == EZ_R_AMDGPU_ABS64 || is_got(r->type)) && !is_preemptible(symbol_of(l, r->symbol));
    }
    if (relative && l->dynamic_relocation_count) l->dynamic[0].symbol = 0;
    fill_dynamic(l);
    for (size_t i = 0; i < l->output_count; i++)
        if (l->outputs[i].type != SHT_NOBITS) l->outputs[i].size = l->outputs[i].bytes.size;
}

/* ---- addresses ---- */

static unsigned segment_of(rank r) {
    return r <= RANK_READ ? 0 : r == RANK_EXECUTE ? 1 : r <= RANK_PADDING ? 2 : r <= RANK_ZERO ? 3 : 4;
}

/* A segment: begins on a page of its own, at the same place in the page as in the file. */
typedef struct segment {
    uint64_t offset, address, file_size, memory_size, alignment;
    uint32_t type, flags;
} segment;

static uint64_t align_up(uint64_t value, uint64_t alignment) {
    return (value + alignment - 1) & ~(alignment - 1);
}

static size_t program_headers(const linker *l) {
    bool present[5] = {false}, note = false;
    for (size_t i = 0; i < l->output_count; i++) {
        present[segment_of(l->outputs[i].rank)] = true;
        note |= l->outputs[i].rank == RANK_NOTE;
    }
    return 4u + present[0] + present[1] + present[2] + present[3] + note;
}

static void give_addresses(linker *l, segment loads[4]) {
    uint64_t address = 64 + 56 * (uint64_t)program_headers(l), offset = address;
    unsigned now = 0;
    for (unsigned i = 0; i < 4; i++)
        loads[i] = (segment){.type = PT_LOAD, .alignment = PAGE};
    for (size_t i = 0; i < l->output_count; i++) {
        unsigned s = segment_of(l->outputs[i].rank);
        if (s < 4 && l->outputs[i].alignment > loads[s].alignment) loads[s].alignment = l->outputs[i].alignment;
    }
    loads[0].flags = PF_R;
    for (size_t i = 0; i < l->output_count; i++) {
        output *o = &l->outputs[i];
        unsigned s = segment_of(o->rank);
        if (s == 4) {
            offset = align_up(offset, o->alignment);
            o->offset = offset;
            if (o->type != SHT_NOBITS) offset += o->size;
            continue;
        }
        bool first = s != now || !loads[s].flags;
        if (s != now) address = align_up(address, PAGE) + address % PAGE;
        address = align_up(address, o->alignment);
        if (s != now) { /* congruent to the address */
            uint64_t skew = address % loads[s].alignment;
            offset = align_up(offset >= skew ? offset - skew : 0, loads[s].alignment) + skew;
            now = s;
        } else if (o->type != SHT_NOBITS) {
            offset = loads[s].offset + (address - loads[s].address);
        }
        if (first) {
            loads[s].offset = s ? offset : 0;
            loads[s].address = s ? address : 0;
            loads[s].flags = s == 0 ? PF_R : s == 1 ? PF_R | PF_X : PF_R | PF_W;
        }
        o->address = address;
        o->offset = offset;
        if (o->rank == RANK_PADDING) { /* takes no room from what follows */
            o->size = align_up(address, PAGE) - address;
            loads[s].memory_size = address + o->size - loads[s].address;
            continue;
        }
        address += o->size;
        if (o->type != SHT_NOBITS) {
            offset += o->size;
            loads[s].file_size = offset - loads[s].offset;
        }
        loads[s].memory_size = address - loads[s].address;
    }
}

/* ---- the file ---- */

static void add_segment(ez_bytes *b, const segment *s) {
    ez_bytes_number(b, s->type, 4);
    ez_bytes_number(b, s->flags, 4);
    ez_bytes_number(b, s->offset, 8);
    ez_bytes_number(b, s->address, 8);
    ez_bytes_number(b, s->address, 8);
    ez_bytes_number(b, s->file_size, 8);
    ez_bytes_number(b, s->memory_size, 8);
    ez_bytes_number(b, s->alignment, 8);
}

static void write_program_headers(linker *l, const segment loads[4]) {
    size_t count = program_headers(l);
    segment header = {64, 64, 56 * count, 56 * count, 8, PT_PHDR, PF_R}, notes = {.type = PT_NOTE, .flags = PF_R};
    const output *d = ranked(l, RANK_DYNAMIC);
    segment dynamic = {d->offset, d->address, d->size, d->size, 8, PT_DYNAMIC, PF_R | PF_W};
    segment relro = loads[2], stack = {.type = PT_GNU_STACK, .flags = PF_R | PF_W};
    relro.type = PT_GNU_RELRO;
    relro.flags = PF_R;
    relro.alignment = 1;
    add_segment(&l->out, &header);
    for (unsigned i = 0; i < 4; i++)
        if (loads[i].flags) add_segment(&l->out, &loads[i]);
    add_segment(&l->out, &dynamic);
    add_segment(&l->out, &relro);
    add_segment(&l->out, &stack);
    for (size_t i = 0; i < l->output_count; i++) {
        const output *o = &l->outputs[i];
        if (o->rank != RANK_NOTE) continue;
        if (!notes.alignment) {
            notes.offset = o->offset;
            notes.address = o->address;
        }
        if (o->alignment > notes.alignment) notes.alignment = o->alignment;
        notes.file_size = notes.memory_size = o->address + o->size - notes.address;
    }
    if (notes.alignment) add_segment(&l->out, &notes);
}

static void link_tables(linker *l) {
    ranked(l, RANK_DYNSYM)->link = ranked(l, RANK_DYNSTR)->index;
    ranked(l, RANK_DYNSYM)->info = 1;
    ranked(l, RANK_GNU_HASH)->link = ranked(l, RANK_HASH)->link = ranked(l, RANK_DYNSYM)->index;
    if (l->dynamic_relocation_count) ranked(l, RANK_RELA)->link = ranked(l, RANK_DYNSYM)->index;
    ranked(l, RANK_DYNAMIC)->link = ranked(l, RANK_DYNSTR)->index;
    ranked(l, RANK_SYMTAB)->link = ranked(l, RANK_STRTAB)->index;
}

static ez_status write_file(linker *l, const segment loads[4]) {
    ez_write_header(&l->out, l->object, ET_DYN, program_headers(l));
    write_program_headers(l, loads);
    for (size_t i = 0; i < l->output_count; i++) {
        const output *o = &l->outputs[i];
        if (o->type == SHT_NOBITS) continue;
        if (o->offset < l->out.size || o->bytes.failed) return nomem(l);
        ez_bytes_add(&l->out, NULL, (size_t)(o->offset - l->out.size));
        /* the rest of a code page traps; lld fills it likewise with what the target wants: zeros */
        ez_bytes_add(&l->out, o->bytes.data, o->bytes.size);
    }
    ez_bytes_align(&l->out, 8);
    ez_bytes_put(&l->out, 40, l->out.size, 8);
    ez_bytes_put(&l->out, 60, l->output_count + 1, 2);
    ez_bytes_put(&l->out, 62, ranked(l, RANK_SHSTRTAB)->index, 2);
    ez_bytes_add(&l->out, NULL, 64);
    uint32_t name = 1;
    for (size_t i = 0; i < l->output_count; i++) {
        const output *o = &l->outputs[i];
        ez_write_section_header(&l->out, name, o->type, o->flags, o->address, o->offset, o->size, o->link, o->info,
                                o->alignment, o->entry_size);
        name += (uint32_t)strlen(o->name) + 1;
    }
    return l->out.failed ? nomem(l) : EZ_OK;
}

static ez_status link_object(linker *l) {
    segment loads[4];
    ez_status status = place_inputs(l);
    if (status) return status;
    place_common(l);
    if ((status = scan_relocations(l)) || (status = add_tables(l)) || (status = sort_outputs(l))) return status;
    size_tables(l);
    ez_bytes *names = &ranked(l, RANK_SHSTRTAB)->bytes;
    ez_bytes_add(names, NULL, 1);
    for (size_t i = 0; i < l->output_count; i++)
        ez_bytes_add(names, l->outputs[i].name, strlen(l->outputs[i].name) + 1);
    ranked(l, RANK_SHSTRTAB)->size = names->size;
    fill_symbols(l);
    ranked(l, RANK_SYMTAB)->size = ranked(l, RANK_SYMTAB)->bytes.size;
    ranked(l, RANK_STRTAB)->size = ranked(l, RANK_STRTAB)->bytes.size;
    give_addresses(l, loads);
    if ((status = apply_relocations(l))) return status;
    link_tables(l);
    fill_dynamic_symbols(l);
    fill_symbols(l);
    fill_dynamic(l);
    return write_file(l, loads);
}

ez_status ez_write_loadable(const ez_write_object *object, uint8_t **bytes, size_t *size, ez_error *err) {
    size_t symbols = object->symbol_count + 1, relocations = object->relocation_count + 1;
    linker l = {.object = object, .err = err};
    *bytes = NULL;
    l.outputs = calloc(object->section_count + SEGMENTS_MAX, sizeof *l.outputs);
    l.inputs = calloc(object->section_count + 1, sizeof *l.inputs);
    l.dynamic_index = calloc(symbols, sizeof *l.dynamic_index);
    l.dynamic_order = calloc(symbols, sizeof *l.dynamic_order);
    l.got = calloc(symbols, sizeof *l.got);
    l.got_index = calloc(symbols, sizeof *l.got_index);
    l.common = calloc(symbols, sizeof *l.common);
    l.dynamic = calloc(relocations + symbols, sizeof *l.dynamic);
    bool room = l.outputs && l.inputs && l.dynamic_index && l.dynamic_order && l.got && l.got_index && l.common && l.dynamic;
    ez_status status = room ? link_object(&l) : nomem(&l);
    for (size_t i = 0; l.outputs && i < l.output_count; i++)
        free(l.outputs[i].bytes.data);
    free(l.outputs);
    free(l.inputs);
    free(l.dynamic_index);
    free(l.dynamic_order);
    free(l.got);
    free(l.got_index);
    free(l.common);
    free(l.dynamic);
    if (status) {
        free(l.out.data);
        return status;
    }
    *bytes = l.out.data;
    *size = l.out.size;
    return EZ_OK;
}
