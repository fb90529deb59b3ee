/* SPDX-License-Identifier: Apache-2.0 */
/* A code object as `execz dis` walks through it. What is where, and what it is called, is as llvm-objdump has it. */
#include "dis.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SHF_EXECINSTR = 4, NO_SECTION = 0xffffffff };

/* ---- symbols ---- */

/* The section that a symbol belongs to; all that belong to none are together. */
static uint32_t home(const ez_object *object, const ez_symbol *s) {
    size_t count;
    ez_object_sections(object, &count);
    if (count <= 1) return 0; /* stripped of its sections */
    return s->section && s->section < count ? s->section : NO_SECTION;
}

typedef struct sorted {
    uint32_t home;
    const ez_symbol *symbol;
} sorted;

static int by_place(const void *a, const void *b) {
    const sorted *x = a, *y = b;
    if (x->home != y->home) return x->home < y->home ? -1 : 1;
    if (x->symbol->value != y->symbol->value) return x->symbol->value < y->symbol->value ? -1 : 1;
    int names = strcmp(x->symbol->name, y->symbol->name);
    if (names) return names;
    if (x->symbol->type != y->symbol->type) return x->symbol->type < y->symbol->type ? -1 : 1;
    return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

static bool sort_symbols(dis_view *v) {
    size_t count;
    const ez_symbol *all = ez_object_symbols(v->object, &count);
    sorted *list = malloc((count + 1) * sizeof *list);
    v->symbols = malloc((count + 1) * sizeof *v->symbols);
    for (size_t i = 0; list && v->symbols && i < count; i++)
        if (*all[i].name && all[i].type != EZ_SYMBOL_SECTION && all[i].type != EZ_SYMBOL_FILE)
            list[v->symbol_count++] = (sorted){home(v->object, &all[i]), &all[i]};
    if (list && v->symbols) {
        qsort(list, v->symbol_count, sizeof *list, by_place);
        for (size_t i = 0; i < v->symbol_count; i++)
            v->symbols[i] = list[i].symbol;
    }
    bool good = list && v->symbols;
    free(list);
    return good;
}

/* The first symbol of a section, or of the next when it has none. */
static size_t first_symbol(const dis_view *v, uint32_t section) {
    size_t low = 0, high = v->symbol_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (home(v->object, v->symbols[middle]) < section) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The first of symbols[first..last) that lies behind the address. */
static size_t symbol_behind(const dis_view *v, size_t first, size_t last, uint64_t address) {
    while (first < last) {
        size_t middle = first + (last - first) / 2;
        if (v->symbols[middle]->value <= address) first = middle + 1;
        else last = middle;
    }
    return first;
}

const ez_symbol *dis_plain_symbol_at(const dis_view *v, const dis_code *c, uint64_t address) {
    size_t i = address ? symbol_behind(v, c->first, c->last, address - 1) : c->first;
    for (; i < c->last && v->symbols[i]->value == address; i++)
        if (v->symbols[i]->type == EZ_SYMBOL_NONE) return v->symbols[i];
    return NULL;
}

static bool last_before(const dis_view *v, const dis_code *c, uint32_t section, uint64_t address,
                        dis_place *place) {
    size_t first = first_symbol(v, section);
    size_t last = section == NO_SECTION ? v->symbol_count : first_symbol(v, section + 1);
    size_t i = symbol_behind(v, first, last, address);
    if (i > first) *place = (dis_place){v->symbols[i - 1]->name, v->symbols[i - 1]->value};
    else if (section == c->section && address >= c->address) *place = (dis_place){c->name, c->address};
    else return false;
    return true;
}

bool dis_place_before(const dis_view *v, const dis_code *c, uint64_t address, dis_place *place) {
    if (ez_object_is_relocatable(v->object) || !v->by_sections) {
        if (last_before(v, c, c->section, address, place)) return true;
    } else { /* in the sections that begin last before it: there may be empty ones beside the one that counts */
        size_t low = 0, high = v->section_count, count;
        const ez_section *sections = ez_object_sections(v->object, &count);
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (v->by_address[middle]->address <= address) low = middle + 1;
            else high = middle;
        }
        for (size_t i = low; i-- && v->by_address[i]->address == v->by_address[low - 1]->address;)
            if (last_before(v, c, (uint32_t)(v->by_address[i] - sections), address, place)) return true;
    }
    return last_before(v, c, NO_SECTION, address, place);
}

/* ---- sections ---- */

static int by_address(const void *a, const void *b) {
    const ez_section *x = *(const ez_section *const *)a, *y = *(const ez_section *const *)b;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return x < y ? -1 : x > y;
}

static bool is_code(const ez_section *s) {
    return s->flags & SHF_EXECINSTR && s->bytes && s->size;
}

static bool sort_sections(dis_view *v) {
    size_t count;
    const ez_section *all = ez_object_sections(v->object, &count);
    v->by_address = malloc((count + 1) * sizeof *v->by_address);
    if (!v->by_address) return false;
    for (size_t i = 1; i < count; i++) {
        v->by_address[v->section_count++] = &all[i];
        v->by_sections |= is_code(&all[i]);
    }
    qsort(v->by_address, v->section_count, sizeof *v->by_address, by_address);
    return true;
}

/* ---- wave sizes ---- */

unsigned dis_kernel_lanes(const dis_view *v, const ez_kernel *k) {
    if (v->options->wave) return v->options->wave;
    if (!ez_target_has_wave(v->target, 32)) return 64;
    if (!ez_target_has_wave(v->target, 64)) return 32;
    return ez_descriptor_get(&k->descriptor, EZ_KD_ENABLE_WAVEFRONT_SIZE32) ? 32 : 64;
}

static int by_entry(const void *a, const void *b) {
    const dis_kernel_wave *x = a, *y = b;
    if (x->section != y->section) return x->section < y->section ? -1 : 1;
    return x->address < y->address ? -1 : x->address > y->address;
}

static bool sort_waves(dis_view *v) {
    const ez_kernel *kernels = ez_object_kernels(v->object, &v->wave_count);
    v->waves = malloc((v->wave_count + 1) * sizeof *v->waves);
    if (!v->waves) return false;
    for (size_t i = 0; i < v->wave_count; i++)
        v->waves[i] = (dis_kernel_wave){kernels[i].entry_section, kernels[i].entry_address,
                                        dis_kernel_lanes(v, &kernels[i])};
    const ez_kernel *first = v->only ? v->only : kernels;
    v->other_wave = v->options->wave ? v->options->wave
                    : v->wave_count  ? dis_kernel_lanes(v, first)
                                     : ez_target_default_wave(v->target);
    qsort(v->waves, v->wave_count, sizeof *v->waves, by_entry);
    return true;
}

static unsigned wave_at(const dis_view *v, const dis_code *c, uint64_t address) {
    dis_kernel_wave key = {ez_object_is_relocatable(v->object) ? c->section : 0, address, 0};
    const dis_kernel_wave *found = bsearch(&key, v->waves, v->wave_count, sizeof key, by_entry);
    return found ? found->wave : v->other_wave;
}

/* ---- opening ---- */

static bool open_reader(dis_view *v, unsigned wave) {
    ez_disassembler **reader = &v->reader[wave == 64];
    return *reader || ez_disassembler_open(v->target, wave, v->flags, reader) == EZ_OK;
}

static bool open_readers(dis_view *v) {
    bool good = open_reader(v, v->other_wave);
    for (size_t i = 0; i < v->wave_count && good; i++)
        good = open_reader(v, v->waves[i].wave);
    return good;
}

bool dis_open(dis_view *v) {
    ez_error err;
    if (v->options->wave && !ez_target_has_wave(v->target, v->options->wave))
        return cli_error("%s has no waves of %u lanes", ez_target_name(v->target), v->options->wave), false;
    if (v->options->kernel && ez_object_find_kernel(v->object, v->options->kernel, &v->only, &err) != EZ_OK)
        return cli_error("%s: %s", v->path, err.message), false;
    const ez_symbol *code = v->only ? ez_object_find_symbol(v->object, v->only->name) : NULL;
    if (code && code->value == v->only->entry_address) v->only_size = code->size;
    v->many_vgprs = ez_target_has_feature(v->target, "vgprs_1024");
    if (sort_symbols(v) && sort_sections(v) && sort_waves(v) && open_readers(v)) return true;
    return cli_error("%s: out of memory", v->path), false;
}

void dis_close(dis_view *v) {
    free(v->symbols);
    free(v->by_address);
    free(v->waves);
    ez_disassembler_close(v->reader[0]);
    ez_disassembler_close(v->reader[1]);
}

/* ---- runs of code ---- */

dis_code dis_section(const dis_view *v, uint32_t index) {
    size_t count;
    const ez_section *s = &ez_object_sections(v->object, &count)[index];
    return (dis_code){
        s->name, s->address, s->size, s->bytes, index, first_symbol(v, index), first_symbol(v, index + 1)};
}

bool dis_next_code(const dis_view *v, size_t *at, dis_code *code) {
    size_t count;
    const ez_section *sections = ez_object_sections(v->object, &count);
    for (; v->by_sections && *at < count; ++*at) {
        if (!is_code(&sections[*at])) continue;
        *code = dis_section(v, (uint32_t)(*at)++);
        return true;
    }
    const ez_segment *segments = ez_object_segments(v->object, &count);
    for (; !v->by_sections && *at < count; ++*at) {
        const ez_segment *s = &segments[*at];
        if (!(s->flags & EZ_SEGMENT_EXECUTE) || !s->file_size) continue;
        *code = (dis_code){"(no section)",     s->address,        s->file_size, s->bytes, 0,
                           first_symbol(v, 0), first_symbol(v, 1)};
        ++*at;
        return true;
    }
    return false;
}

/* ---- blocks ---- */

static bool is_variable(const ez_symbol *s) {
    return s->type == EZ_SYMBOL_OBJECT || s->type == EZ_SYMBOL_KERNEL_DESCRIPTOR;
}

/* Whether --kernel lets a block be shown: the kernel's own, those that symbols inside of it begin, its descriptor. */
static bool wanted(const dis_view *v, const dis_code *c, const dis_block *b) {
    const ez_kernel *k = v->only;
    if (!k) return true;
    if (k->descriptor_symbol->section == c->section && c->address + b->start == k->descriptor_address)
        return true;
    if (ez_object_is_relocatable(v->object) && k->entry_section != c->section) return false;
    uint64_t start = c->address + b->start, entry = k->entry_address;
    return start <= entry ? entry - start < b->end - b->start : start - entry < v->only_size;
}

static uint64_t offset_of(const dis_view *v, const dis_code *c, size_t symbol) {
    uint64_t offset = symbol < c->last ? v->symbols[symbol]->value - c->address : c->size;
    return offset < c->size ? offset : c->size;
}

/* The symbol that llvm-objdump shows: the last that is no variable, or the last. */
static const ez_symbol *shown(const dis_view *v, size_t first, size_t last) {
    for (size_t i = last; i-- > first;)
        if (!is_variable(v->symbols[i])) return v->symbols[i];
    return v->symbols[last - 1];
}

static bool any_next_block(const dis_view *v, const dis_code *c, dis_block *b) {
    if (!b->begun) {
        b->last = c->address ? symbol_behind(v, c->first, c->last, c->address - 1) : c->first;
        b->begun = true;
        if (offset_of(v, c, b->last)) {
            *b = (dis_block){NULL,  b->last, b->last, 0, offset_of(v, c, b->last), wave_at(v, c, c->address),
                             false, true};
            return true;
        }
    }
    b->first = b->last;
    b->start = offset_of(v, c, b->first);
    if (b->start == c->size) return false;
    b->last = symbol_behind(v, b->first, c->last, v->symbols[b->first]->value);
    b->end = offset_of(v, c, b->last);
    b->symbol = shown(v, b->first, b->last);
    b->data = is_variable(b->symbol);
    b->wave = wave_at(v, c, c->address + b->start);
    return true;
}

bool dis_next_block(const dis_view *v, const dis_code *c, dis_block *b) {
    while (any_next_block(v, c, b))
        if (wanted(v, c, b)) return true;
    return false;
}

/* ---- items ---- */

/* As llvm-objdump: of 8 and more zero bytes in a row only the last odd ones are shown. */
static uint64_t skippable_zeros(const uint8_t *bytes, uint64_t size) {
    uint64_t n = 0;
    while (n < size && !bytes[n])
        n++;
    return n < 8 ? 0 : n & ~(uint64_t)3;
}

/* ".long 0x00000000" or ".byte 0x00, ...", of 1 to 4 bytes. */
static void raw_text(const uint8_t *b, dis_item *item) {
    int n = 0;
    if (item->size == 4)
        n = snprintf(item->text, sizeof item->text, ".long 0x%08" PRIx32, ez_dword_at(b));
    for (uint64_t i = 0; item->size != 4 && i < item->size; i++)
        n += snprintf(item->text + n, sizeof item->text - (size_t)n, "%s0x%02x", i ? ", " : ".byte ", b[i]);
    item->length = (size_t)n;
}

bool dis_next_item(const dis_view *v, const dis_code *c, unsigned wave, uint64_t end, uint64_t limit,
                   dis_item *item) {
    item->at += item->size;
    if (item->at >= end) return false;
    item->size = v->options->zeroes ? 0 : skippable_zeros(c->bytes + item->at, end - item->at);
    item->kind = DIS_ZEROS;
    if (item->size) return true;
    size_t at = (size_t)item->at;
    bool good = ez_disassemble(v->reader[wave == 64], c->bytes, (size_t)limit, &at, &item->inst, item->text,
                               &item->length) == EZ_OK;
    item->kind = good ? DIS_INSTRUCTION : DIS_RAW;
    item->size = at - item->at;
    if (!good) raw_text(c->bytes + item->at, item);
    else if (item->msb)
        item->length =
            ez_print(&item->inst, v->flags | EZ_TEXT_VGPR_MSB(item->msb), item->text, sizeof item->text);
    if (v->many_vgprs) item->msb = good ? ez_vgpr_msb_after(&item->inst, item->msb) : 0;
    return true;
}

/* ---- colours ---- */

void dis_paint(const dis_view *v, dis_colour colour) {
    static const char *const codes[] = {"\033[0m", "\033[1;33m", "\033[36m", "\033[2m", "\033[31m"};
    if (v->coloured) cli_out_text(v->out, codes[colour]);
}

void dis_statement(const dis_view *v, const char *text, size_t length, dis_colour colour) {
    size_t word = 0;
    if (!v->coloured) {
        cli_out_bytes(v->out, text, length);
        return;
    }
    while (word < length && text[word] != ' ')
        word++;
    dis_paint(v, colour);
    cli_out_bytes(v->out, text, word);
    dis_paint(v, DIS_PLAIN);
    cli_out_bytes(v->out, text + word, length - word);
}
