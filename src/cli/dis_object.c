/* SPDX-License-Identifier: Apache-2.0 */
/* execz dis FILE: code objects, alone or in bundles, as llvm-objdump -d prints them. */
#include "cli.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHF_EXECINSTR = 4 };

/* A run of code: a section, or in a file without sections a segment. */
typedef struct code {
    const char *name;
    uint64_t address;
    const uint8_t *bytes;
    uint64_t size;
    uint32_t section; /* whose symbols count; in a loadable object all that lie inside */
} code;

typedef struct listing {
    const ez_object *object;
    const ez_target *target;
    unsigned wave; /* asked for; 0: that of each kernel */
    ez_text_flags flags;
    const ez_symbol **labels; /* [count], of the code being listed, by address */
    size_t count;
} listing;

/* Names come from the file: what a terminal would obey is not shown as it is. */
static void print_name(const char *name) {
    for (; *name; name++)
        putchar((unsigned char)*name < ' ' || *name == 127 ? '?' : *name);
}

/* ---- labels ---- */

static int by_address(const void *a, const void *b) {
    const ez_symbol *x = *(const ez_symbol *const *)a, *y = *(const ez_symbol *const *)b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x->binding == 0) - (y->binding == 0); /* global ones first */
}

static bool is_label(const listing *l, const code *c, const ez_symbol *s) {
    if (s->type != EZ_SYMBOL_FUNCTION && s->type != EZ_SYMBOL_KERNEL_CODE && s->type != EZ_SYMBOL_NONE)
        return false;
    if (!*s->name || s->section == EZ_SECTION_UNDEFINED || s->section == EZ_SECTION_ABSOLUTE)
        return false;
    if (ez_object_is_relocatable(l->object)) return s->section == c->section;
    return s->value >= c->address && s->value - c->address < c->size;
}

static bool find_labels(listing *l, const code *c) {
    size_t count;
    const ez_symbol *symbols = ez_object_symbols(l->object, &count);
    free(l->labels);
    l->count = 0;
    l->labels = malloc((count + 1) * sizeof *l->labels);
    if (!l->labels) return false;
    for (size_t i = 0; i < count; i++)
        if (is_label(l, c, &symbols[i])) l->labels[l->count++] = &symbols[i];
    qsort(l->labels, l->count, sizeof *l->labels, by_address);
    return true;
}

/* The label at or before an address, and how many bytes behind it that is; NULL: none. */
static const ez_symbol *label_before(const listing *l, uint64_t address, uint64_t *behind) {
    const ez_symbol *found = NULL;
    for (size_t i = 0; i < l->count && l->labels[i]->value <= address; i++)
        if (!found || found->value != l->labels[i]->value) found = l->labels[i];
    if (found) *behind = address - found->value;
    return found;
}

/* ---- wave size ---- */

static unsigned kernel_wave(const listing *l, const ez_kernel *k) {
    if (!ez_target_has_wave(l->target, 32)) return 64;
    return ez_descriptor_get(&k->descriptor, EZ_KD_ENABLE_WAVEFRONT_SIZE32) ? 32 : 64;
}

/* The wave size of the code behind a label: of the kernel that begins there, of a function the first kernel's. */
static unsigned wave_at(const listing *l, uint64_t address) {
    size_t count;
    const ez_kernel *kernels = ez_object_kernels(l->object, &count);
    if (l->wave) return l->wave;
    for (size_t i = 0; i < count; i++)
        if (kernels[i].entry_address == address) return kernel_wave(l, &kernels[i]);
    unsigned wave = count ? kernel_wave(l, &kernels[0]) : 0;
    return wave && ez_target_has_wave(l->target, wave) ? wave : ez_target_default_wave(l->target);
}

/* ---- instructions ---- */

/* Where a branch goes, when the instruction has a label as operand. */
static bool branch_target(const ez_inst *inst, uint64_t address, uint64_t *to) {
    ez_op_operand operands[EZ_INST_MAX_OPERANDS];
    if (strncmp(ez_inst_name(inst), "s_", 2)) return false;
    size_t n = ez_op_operands(inst->op, inst->target, inst->form, operands, EZ_INST_MAX_OPERANDS);
    for (size_t i = 0; i < n && i < EZ_INST_MAX_OPERANDS; i++)
        if (!strcmp(operands[i].kind, "OPR_LABEL")) {
            int16_t distance = (int16_t)ez_inst_operand(inst, (unsigned)i).value;
            *to = address + inst->size + (uint64_t)((int64_t)distance * 4);
            return true;
        }
    return false;
}

static void print_line(const listing *l, const char *text, uint64_t address, const uint8_t *bytes,
                       size_t size, const ez_inst *inst) {
    uint64_t to, behind;
    printf("\t%-59s// %012" PRIX64 ":", text, address);
    for (size_t i = 0; i + 4 <= size; i += 4)
        printf(" %02X%02X%02X%02X", bytes[i + 3], bytes[i + 2], bytes[i + 1], bytes[i]);
    for (size_t i = size & ~(size_t)3; i < size; i++)
        printf(" %02X", bytes[i]);
    if (inst && branch_target(inst, address, &to)) {
        const ez_symbol *label = label_before(l, to, &behind);
        if (label) {
            printf(" <");
            print_name(label->name);
            if (behind) printf("+0x%" PRIx64, behind);
            putchar('>');
        }
    }
    putchar('\n');
}

/* As llvm-objdump: of 8 and more zero bytes in a row only the last odd ones are shown. */
static uint64_t skippable_zeros(const uint8_t *bytes, uint64_t size) {
    uint64_t n = 0;
    while (n < size && !bytes[n])
        n++;
    return n < 8 ? 0 : n & ~(uint64_t)3;
}

static void list_range(const listing *l, const uint8_t *bytes, uint64_t size, uint64_t address,
                       unsigned wave) {
    char text[EZ_TEXT_MAX];
    ez_inst inst;
    for (size_t at = 0; at < size;) {
        uint64_t zeros = skippable_zeros(bytes + at, size - at);
        if (zeros) {
            puts("\t\t...");
            at += zeros;
            continue;
        }
        size_t from = at;
        bool decoded = ez_decode_next(l->target, wave, bytes, size, &at, &inst) == EZ_OK;
        const uint8_t *b = bytes + from;
        if (decoded) ez_print(&inst, l->flags, text, sizeof text);
        else if (at - from == 4)
            snprintf(text, sizeof text, ".long 0x%08x",
                     b[0] | (unsigned)b[1] << 8 | (unsigned)b[2] << 16 | (unsigned)b[3] << 24);
        else
            snprintf(text, sizeof text, ".byte 0x%02x%s", b[0], at - from > 1 ? ", ..." : "");
        print_line(l, text, address + from, b, at - from, decoded ? &inst : NULL);
    }
}

static void list_code(listing *l, const code *c) {
    printf("\nDisassembly of section ");
    print_name(c->name);
    puts(":");
    if (!find_labels(l, c)) {
        cli_error("out of memory");
        return;
    }
    uint64_t at = 0;
    unsigned wave = wave_at(l, UINT64_MAX);
    for (size_t i = 0; at < c->size; i++) {
        while (i + 1 < l->count && l->labels[i + 1]->value == l->labels[i]->value)
            i++; /* further names of the same place */
        uint64_t next = i < l->count ? l->labels[i]->value - c->address : c->size;
        if (next > c->size) next = c->size;
        if (next > at) {
            if (!at) putchar('\n');
            list_range(l, c->bytes + at, next - at, c->address + at, wave);
        }
        at = next;
        if (i >= l->count) break;
        printf("\n%016" PRIx64 " <", l->labels[i]->value);
        print_name(l->labels[i]->name);
        puts(">:");
        wave = wave_at(l, l->labels[i]->value);
    }
}

/* ---- what comes before the instructions ---- */

static void print_argument(const ez_kernel_arg *a, unsigned n) {
    printf(";   argument %u: ", n);
    if (a->type_name) {
        print_name(a->type_name);
        putchar(' ');
    }
    if (a->name) {
        print_name(a->name);
        putchar(' ');
    }
    printf("(");
    print_name(a->value_kind_name);
    printf(", %u bytes at %u)\n", a->size, a->offset);
}

static void print_kernel(const listing *l, const ez_kernel *k) {
    printf("; kernel ");
    print_name(k->name);
    printf(": entry 0x%" PRIx64 ", descriptor 0x%" PRIx64 ", wave%u, LDS %u, scratch %u, kernarg %u bytes",
           k->entry_address, k->descriptor_address, kernel_wave(l, k),
           k->descriptor.group_segment_fixed_size, k->descriptor.private_segment_fixed_size,
           k->descriptor.kernarg_size);
    const ez_kernel_metadata *m = k->metadata;
    if (m) printf(", %u SGPRs, %u VGPRs", m->sgpr_count, m->vgpr_count);
    if (m && m->agpr_count) printf(", %u AGPRs", m->agpr_count);
    putchar('\n');
    for (unsigned i = 0, n = 0; m && i < m->arg_count; i++)
        if (!ez_value_kind_is_hidden(m->args[i].value_kind)) print_argument(&m->args[i], n++);
}

static void print_head(const listing *l, const char *path, const ez_bundle_entry *entry) {
    char id[64];
    size_t count;
    const ez_kernel *kernels = ez_object_kernels(l->object, &count);
    printf("\n%s:\tfile format elf64-amdgpu\n", cli_input_name(path));
    printf("; code object V%u, %s%s", ez_object_version(l->object),
           ez_target_id_print(ez_object_target_id(l->object), id, sizeof id),
           ez_object_is_relocatable(l->object) ? ", relocatable" : "");
    if (*entry->id) {
        printf(", bundle entry ");
        print_name(entry->id);
    }
    putchar('\n');
    for (size_t i = 0; i < count; i++)
        print_kernel(l, &kernels[i]);
}

static int list_object(const char *path, const ez_bundle_entry *entry, const ez_target *target,
                       unsigned wave, ez_text_flags flags) {
    ez_object *object;
    ez_error err;
    if (ez_object_open_memory(entry->bytes, entry->size, &object, &err) != EZ_OK)
        return cli_error("%s: at byte %" PRIu64 ": %s", cli_input_name(path), err.offset, err.message);
    listing l = {object, target ? target : ez_object_target(object), wave, flags, NULL, 0};
    if (wave && !ez_target_has_wave(l.target, wave)) {
        ez_object_close(object);
        return cli_error("%s has no waves of %u lanes", ez_target_name(l.target), wave);
    }
    print_head(&l, path, entry);
    size_t count, listed = 0;
    const ez_section *sections = ez_object_sections(object, &count);
    for (size_t i = 0; i < count; i++) {
        const ez_section *s = &sections[i];
        if (!(s->flags & SHF_EXECINSTR) || !s->bytes || !s->size) continue;
        list_code(&l, &(code){s->name, s->address, s->bytes, s->size, (uint32_t)i});
        listed++;
    }
    const ez_segment *segments = ez_object_segments(object, &count);
    for (size_t i = 0; i < count && !listed; i++)
        if (segments[i].flags & EZ_SEGMENT_EXECUTE && segments[i].file_size)
            list_code(&l, &(code){"(no section)", segments[i].address, segments[i].bytes,
                                  segments[i].file_size, 0});
    free(l.labels);
    ez_object_close(object);
    return CLI_OK;
}

int cli_dis_object(const char *path, const cli_target_id *target, unsigned wave, ez_text_flags flags) {
    size_t size, count;
    ez_bundle *bundle;
    ez_error err;
    char *bytes = cli_read(path, &size);
    if (!bytes) return CLI_INPUT;
    int result = CLI_OK;
    if (ez_bundle_open_memory(bytes, size, &bundle, &err) != EZ_OK) {
        bool text = size && isprint((unsigned char)bytes[0]) && memcmp(bytes, "__CLANG", size < 7 ? size : 7);
        result = cli_error("%s: at byte %" PRIu64 ": %s%s", cli_input_name(path), err.offset, err.message,
                           text ? " (lines of hexadecimal bytes need --hex)" : "");
        free(bytes);
        return result;
    }
    const ez_bundle_entry *entries = ez_bundle_entries(bundle, &count);
    if (target->text && count > 1) {
        const ez_bundle_entry *entry;
        if (ez_bundle_select(bundle, EZ_BUNDLE_ANY_GROUP, target->text, &entry, &err) != EZ_OK)
            result = cli_error("%s: %s", cli_input_name(path), err.message);
        else
            result = list_object(path, entry, NULL, wave, flags);
    } else {
        for (size_t i = 0; i < count; i++)
            if (list_object(path, &entries[i], target->target, wave, flags) != CLI_OK) result = CLI_INPUT;
    }
    ez_bundle_close(bundle);
    free(bytes);
    return result;
}
