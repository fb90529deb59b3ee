/* SPDX-License-Identifier: Apache-2.0 */
/* ARG words of `execz run`: KIND:..., in the order of the kernel's explicit arguments. */
#include "number.h"
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char buffer_kinds[] = "in:FILE zero:BYTES out:FILE:BYTES inout:FILE:OUTFILE iota:TYPE:N "
                                   "rand:TYPE:N[:SEED] u64:ADDRESS";

static const char *const buffer_words[] = {"in", "zero", "out", "inout", "iota", "rand"};
enum { BUFFER_WORDS = sizeof buffer_words / sizeof buffer_words[0] };

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && !strncmp(text, word, length);
}

static bool is_buffer_kind(const char *text, size_t length) {
    for (size_t i = 0; i < BUFFER_WORDS; i++)
        if (is_word(text, length, buffer_words[i])) return true;
    return false;
}

bool run_is_arg(const char *word) {
    size_t n = strcspn(word, ":");
    return word[n] && (is_buffer_kind(word, n) || cli_type_find(word, n) || is_word(word, n, "hex") ||
                       is_word(word, n, "lds") || is_word(word, n, "image") || is_word(word, n, "sampler"));
}

/* ---- what the kernel expects ---- */

/* What the declared type is, when it is one of the language's own: 'f', 'i', or 0 for all others. */
static char declared(const ez_kernel_arg *e) {
    static const char *const floats[] = {"half", "float", "double", "_Float16", "__half"};
    static const char *const ints[] = {"char",  "uchar", "short", "ushort", "int",   "uint",   "long",
                                       "ulong", "bool",  "unsigned int", "unsigned", "size_t", "int32_t"};
    for (size_t i = 0; e->type_name && i < sizeof floats / sizeof floats[0]; i++)
        if (!strcmp(e->type_name, floats[i])) return 'f';
    for (size_t i = 0; e->type_name && i < sizeof ints / sizeof ints[0]; i++)
        if (!strcmp(e->type_name, ints[i])) return 'i';
    return 0;
}

/* The kinds of number that have an argument's size and are not the other sort of its type. */
static void list_numbers(const ez_kernel_arg *e) {
    char kind = declared(e);
    for (const char *t = cli_type_list; *t; t += strcspn(t, " "), t += *t == ' ') {
        const cli_type *type = cli_type_find(t, strcspn(t, " "));
        if (type->bytes == e->size && (!kind || (kind == 'f') == (type->kind == 'f')))
            fprintf(stderr, "%s:N ", type->name);
    }
    fprintf(stderr, "hex:BYTES\n");
}

static void list_expected(const run_args *a) {
    bool buffers = false;
    fprintf(stderr, "kernel %s takes %u argument%s:\n", a->kernel->name, a->count, a->count == 1 ? "" : "s");
    for (unsigned i = 0; i < a->count; i++) {
        const ez_kernel_arg *e = a->expected[i];
        const char *type = e->type_name ? e->type_name : "", *name = e->name ? e->name : "";
        if (!*type && !*name) type = "(unnamed)";
        fprintf(stderr, "  %2u  %s%s%s, %s of %u bytes: ", i, type, *type && *name ? " " : "", name,
                e->value_kind_name, e->size);
        switch (e->value_kind) {
        case EZ_VALUE_GLOBAL_BUFFER: fprintf(stderr, "BUFFER\n"), buffers = true; break;
        case EZ_VALUE_DYNAMIC_SHARED_POINTER: fprintf(stderr, "lds:BYTES\n"); break;
        case EZ_VALUE_BY_VALUE: list_numbers(e); break;
        case EZ_VALUE_IMAGE: fprintf(stderr, "image:FORMAT:SIZE[:FILE[:OUTFILE]]\n"); break;
        case EZ_VALUE_SAMPLER: fprintf(stderr, "sampler:nearest|linear:EDGE[:normalized]\n"); break;
        default: fprintf(stderr, "execz run cannot pass it\n");
        }
    }
    if (buffers) fprintf(stderr, "BUFFER: %s\n", buffer_kinds);
}

int run_wrong(const run_args *a, unsigned n, const char *word, const char *format, ...) {
    char message[300];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    cli_error("argument %u, '%s': %s", n, word, message);
    list_expected(a);
    return CLI_USAGE;
}

/* ---- by value ---- */

static void put(run_args *a, const ez_kernel_arg *e, const void *bytes, size_t size) {
    memcpy(a->kernarg + e->offset, bytes, size);
}

static void put_number(run_args *a, const ez_kernel_arg *e, uint64_t bits, unsigned size) {
    uint8_t bytes[8];
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (uint8_t)(bits >> (8 * i));
    put(a, e, bytes, size);
}

static int take_scalar(run_args *a, unsigned n, const char *word, const cli_type *type, const char *text) {
    const ez_kernel_arg *e = a->expected[n];
    uint64_t bits;
    char kind = declared(e);
    bool address = e->value_kind == EZ_VALUE_GLOBAL_BUFFER && is_word(type->name, 3, "u64");
    if (e->value_kind != EZ_VALUE_BY_VALUE && !address)
        return run_wrong(a, n, word, "the kernel expects a %s, not a number", e->value_kind_name);
    if (type->bytes != e->size)
        return run_wrong(a, n, word, "the kernel expects %u bytes, %s has %u", e->size, type->name, type->bytes);
    if (kind && (kind == 'f') != (type->kind == 'f'))
        return run_wrong(a, n, word, "the kernel expects %s (hex: passes any bits)", e->type_name);
    if (!cli_value(type, text, strlen(text), &bits))
        return run_wrong(a, n, word, "'%s' is no number that fits %s", text, type->name);
    put_number(a, e, bits, type->bytes);
    return CLI_GO;
}

static int take_hex(run_args *a, unsigned n, const char *word, const char *text) {
    const ez_kernel_arg *e = a->expected[n];
    size_t digits = strlen(text);
    if (e->value_kind != EZ_VALUE_BY_VALUE)
        return run_wrong(a, n, word, "the kernel expects a %s, not bytes", e->value_kind_name);
    if (digits % 2 || strspn(text, "0123456789abcdefABCDEF") != digits)
        return run_wrong(a, n, word, "expected pairs of hexadecimal digits");
    if (digits / 2 != e->size)
        return run_wrong(a, n, word, "the kernel expects %u bytes, these are %zu", e->size, digits / 2);
    for (size_t i = 0; i < e->size; i++)
        a->kernarg[e->offset + i] = (uint8_t)(cli_hex_digit(text[2 * i]) << 4 | cli_hex_digit(text[2 * i + 1]));
    return CLI_GO;
}

/* LDS for a local-memory argument: the kernel gets its offset in the workgroup's LDS. */
static int take_lds(run_args *a, unsigned n, const char *word, const char *text) {
    const ez_kernel_arg *e = a->expected[n];
    uint64_t bytes, fixed = a->kernel->descriptor.group_segment_fixed_size;
    uint64_t align = e->pointee_align ? e->pointee_align : 16;
    if (e->value_kind != EZ_VALUE_DYNAMIC_SHARED_POINTER)
        return run_wrong(a, n, word, "the kernel expects a %s, not local memory", e->value_kind_name);
    if (!cli_number(text, 1 << 20, &bytes))
        return run_wrong(a, n, word, "expected a number of bytes, at most a million");
    if (align & (align - 1) || align > 65536)
        return run_wrong(a, n, word, "the file asks for an alignment of %" PRIu64 " bytes", align);
    uint64_t at = (fixed + a->dynamic_lds + align - 1) & ~(align - 1);
    if (at + bytes - fixed > UINT32_MAX) return run_wrong(a, n, word, "too much local memory");
    put_number(a, e, at, e->size < 8 ? e->size : 8);
    a->dynamic_lds = (uint32_t)(at + bytes - fixed);
    return CLI_GO;
}

void run_put_address(run_args *a, unsigned n, const void *pointer) { put_number(a, a->expected[n], (uint64_t)(uintptr_t)pointer, 8); }

/* ---- buffers ---- */

/* The n-th field of text, fields separated by colons; false when there is none. */
bool run_field(const char *text, unsigned n, char *out, size_t room) {
    for (; n; n--) {
        text = strchr(text, ':');
        if (!text) return false;
        text++;
    }
    size_t length = strcspn(text, ":");
    if (length >= room) return false;
    memcpy(out, text, length);
    out[length] = 0;
    return true;
}

int run_allocate(run_args *a, unsigned n, const char *word, uint64_t size) {
    char label[40];
    ez_error err;
    snprintf(label, sizeof label, "argument %u", n);
    if (ez_device_allocate(a->device, size, 0, label, &a->buffer[n].bytes, &err) != EZ_OK)
        return run_wrong(a, n, word, "%s", err.message);
    a->buffer[n].size = size;
    run_put_address(a, n, a->buffer[n].bytes);
    return CLI_GO;
}

static int buffer_from_file(run_args *a, unsigned n, const char *word, const char *path) {
    size_t size;
    char *bytes = cli_read(path, &size);
    if (!bytes) return CLI_INPUT;
    int status = run_allocate(a, n, word, size);
    if (status == CLI_GO) memcpy(a->buffer[n].bytes, bytes, size);
    free(bytes);
    return status;
}

/* SplitMix64 (Steele, Lea, Flood 2014): one output for each element, whatever its type. */
static uint64_t splitmix64(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Bits of the type for the value k / 2^digits, k having as many bits as the type has digits: exact. */
static uint64_t fraction(const cli_type *type, uint64_t random) {
    char text[64];
    uint64_t bits = 0;
    unsigned digits = type->bytes == 2 ? 11 : type->bytes == 4 ? 24 : 53;
    snprintf(text, sizeof text, "%a", (double)(random >> (64 - digits)) / (double)(UINT64_C(1) << digits));
    cli_value(type, text, strlen(text), &bits);
    return bits;
}

static uint64_t counted(const cli_type *type, uint64_t i) {
    char text[24];
    uint64_t bits = i;
    if (type->kind != 'f') return bits;
    snprintf(text, sizeof text, "%" PRIu64, i);
    cli_value(type, text, strlen(text), &bits); /* rounded to nearest even where the type has not the digits */
    return bits;
}

static int made_buffer(run_args *a, unsigned n, const char *word, const char *text, bool random) {
    char name[8], number[24], seed_text[24];
    uint64_t count, seed = 1;
    const cli_type *type = run_field(text, 0, name, sizeof name) ? cli_type_find(name, strlen(name)) : NULL;
    if (!type) return run_wrong(a, n, word, "expected a type: %s", cli_type_list);
    if (!run_field(text, 1, number, sizeof number) || !cli_number(number, UINT64_MAX / 8, &count))
        return run_wrong(a, n, word, "expected TYPE:N, a number of elements");
    if (random && run_field(text, 2, seed_text, sizeof seed_text) && !cli_number(seed_text, UINT64_MAX, &seed))
        return run_wrong(a, n, word, "expected a seed, a number of 64 bits");
    if (run_field(text, random ? 3 : 2, seed_text, sizeof seed_text))
        return run_wrong(a, n, word, "there is too much behind TYPE:N");
    int status = run_allocate(a, n, word, count * type->bytes);
    if (status != CLI_GO) return status;
    uint8_t *at = a->buffer[n].bytes;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = random ? splitmix64(&seed) : i;
        bits = !random ? counted(type, i) : type->kind == 'f' ? fraction(type, bits) : bits;
        for (unsigned b = 0; b < type->bytes; b++)
            *at++ = (uint8_t)(bits >> (8 * b));
    }
    return CLI_GO;
}

/* FILE:REST, divided at the last colon, for file names may have some; NULL when there is none. The caller
 * frees it; *rest is behind the colon of `text`. */
static char *file_and(const char *text, const char **rest) {
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text || !colon[1]) return NULL;
    char *file = malloc((size_t)(colon - text) + 1);
    if (!file) return NULL;
    memcpy(file, text, (size_t)(colon - text));
    file[colon - text] = 0;
    *rest = colon + 1;
    return file;
}

static int take_out(run_args *a, unsigned n, const char *word, const char *text) {
    const char *rest;
    uint64_t size;
    char *file = file_and(text, &rest);
    if (!file || !cli_number(rest, UINT64_MAX, &size)) {
        free(file);
        return run_wrong(a, n, word, "expected out:FILE:BYTES");
    }
    int status = run_allocate(a, n, word, size);
    a->buffer[n].out = a->file[n] = file;
    return status;
}

static int take_inout(run_args *a, unsigned n, const char *word, const char *text) {
    const char *rest;
    char *file = file_and(text, &rest);
    if (!file) return run_wrong(a, n, word, "expected inout:FILE:OUTFILE");
    int status = buffer_from_file(a, n, word, file);
    free(file);
    a->buffer[n].out = rest;
    return status;
}

static int take_buffer(run_args *a, unsigned n, const char *word, size_t length, const char *text) {
    const ez_kernel_arg *e = a->expected[n];
    uint64_t size;
    if (e->value_kind != EZ_VALUE_GLOBAL_BUFFER || e->size != 8)
        return run_wrong(a, n, word, "the kernel expects %s of %u bytes, not a buffer", e->value_kind_name, e->size);
    if (is_word(word, length, "in")) return buffer_from_file(a, n, word, text);
    if (is_word(word, length, "out")) return take_out(a, n, word, text);
    if (is_word(word, length, "inout")) return take_inout(a, n, word, text);
    if (is_word(word, length, "zero"))
        return cli_number(text, UINT64_MAX, &size) ? run_allocate(a, n, word, size)
                                                   : run_wrong(a, n, word, "expected a number of bytes");
    return made_buffer(a, n, word, text, is_word(word, length, "rand"));
}

/* ---- all of them ---- */

/* The explicit arguments of the metadata. */
static int find_expected(run_args *a) {
    const ez_kernel_metadata *m = a->kernel->metadata;
    for (uint32_t i = 0; i < m->arg_count; i++) {
        const ez_kernel_arg *e = &m->args[i];
        if (ez_value_kind_is_hidden(e->value_kind)) continue;
        uint64_t end = (uint64_t)e->offset + e->size;
        if (a->count == RUN_ARGS_MAX || end > RUN_KERNARG_MAX)
            return cli_error("kernel %s has more arguments than execz run can pass", a->kernel->name);
        a->expected[a->count++] = e;
        if (end > a->kernarg_size) a->kernarg_size = end;
    }
    return CLI_GO;
}

/* Without metadata the words themselves say what they are: each at the next multiple of its size. */
static int make_expected(run_args *a, int count, char **words) {
    size_t at = 0;
    if (count > RUN_ARGS_MAX) return cli_error("more than %d arguments", RUN_ARGS_MAX);
    for (int i = 0; i < count; i++) {
        size_t n = strcspn(words[i], ":");
        const cli_type *type = cli_type_find(words[i], n);
        bool hex = is_word(words[i], n, "hex");
        size_t size = type ? type->bytes : hex ? (strlen(words[i]) - n) / 2 : is_word(words[i], n, "lds") ? 4 : 8;
        size_t align = hex ? 4 : size;
        at = (at + align - 1) / align * align;
        if (at + size > RUN_KERNARG_MAX) return cli_error("the arguments are too large");
        a->made[i] = (ez_kernel_arg){.offset = (uint32_t)at, .size = (uint32_t)size,
                                     .value_kind_name = "(no metadata)",
                                     .value_kind = type || hex ? EZ_VALUE_BY_VALUE : size == 4
                                                       ? EZ_VALUE_DYNAMIC_SHARED_POINTER : EZ_VALUE_GLOBAL_BUFFER};
        a->expected[a->count++] = &a->made[i];
        at += size;
    }
    a->kernarg_size = at;
    return CLI_GO;
}

static int take_arg(run_args *a, unsigned n, const char *word) {
    size_t length = strcspn(word, ":");
    const char *text = word + length + 1;
    const cli_type *type = cli_type_find(word, length);
    if (!word[length] || !run_is_arg(word))
        return run_wrong(a, n, word, "expected KIND:..., where KIND is in zero out inout iota rand lds hex image sampler or one of %s",
                     cli_type_list);
    if (type) return take_scalar(a, n, word, type, text);
    if (is_word(word, length, "hex")) return take_hex(a, n, word, text);
    if (is_word(word, length, "lds")) return take_lds(a, n, word, text);
    if (is_word(word, length, "image")) return run_take_image(a, n, word, text);
    if (is_word(word, length, "sampler")) return run_take_sampler(a, n, word, text);
    return take_buffer(a, n, word, length, text);
}

int run_take_args(const cli_command *self, run_args *a, int count, char **words) {
    int status = a->kernel->metadata ? find_expected(a) : make_expected(a, count, words);
    if (status != CLI_GO) return status;
    if ((unsigned)count != a->count) {
        cli_error("%d argument%s given, the kernel takes %u", count, count == 1 ? " is" : "s are", a->count);
        list_expected(a);
        return CLI_USAGE;
    }
    (void)self;
    for (unsigned n = 0; n < a->count; n++) {
        status = take_arg(a, n, words[n]);
        if (status != CLI_GO) return status;
    }
    return CLI_GO;
}

/* ---- after the run ---- */

void run_free_args(run_args *a) {
    for (unsigned n = 0; a && n < a->count; n++)
        free(a->buffer[n].made);
    free(a);
}

int run_write_files(const run_args *a) {
    int status = CLI_OK;
    for (unsigned n = 0; n < a->count; n++) {
        const run_buffer *b = &a->buffer[n];
        if (!b->out) continue;
        FILE *file = fopen(b->out, "wb");
        bool good = file && fwrite(b->bytes, 1, b->size, file) == b->size;
        int why = errno;
        if (file && fclose(file)) good = false, why = errno;
        if (!good) status = cli_error("%s: %s", b->out, strerror(why));
    }
    return status;
}

int run_parse_show(const cli_command *self, const run_args *a, const char *text, run_show *show) {
    char index[16], type[16], count[24];
    uint64_t n;
    if (!run_field(text, 0, index, sizeof index) || !cli_number(index, UINT32_MAX, &n) ||
        !run_field(text, 1, type, sizeof type) || !(show->type = cli_type_find(type, strlen(type))))
        return cli_usage(self, "--show takes ARGINDEX:TYPE[:COUNT], TYPE being one of %s, not '%s'",
                         cli_type_list, text);
    show->count = 0;
    if (run_field(text, 2, count, sizeof count) && !cli_number(count, UINT64_MAX, &show->count))
        return cli_usage(self, "--show %s: the count is no number", text);
    if (n >= a->count || !a->buffer[n].bytes)
        return cli_usage(self, "--show %s: argument %" PRIu64 " is no buffer", text, n);
    show->index = (unsigned)n;
    return CLI_GO;
}

void run_print(const run_args *a, const run_show *show) {
    const run_buffer *b = &a->buffer[show->index];
    uint64_t count = b->size / show->type->bytes;
    if (show->count && show->count < count) count = show->count;
    const uint8_t *at = b->bytes;
    for (uint64_t i = 0; i < count; i++) {
        char text[40];
        uint64_t bits = 0;
        for (unsigned k = 0; k < show->type->bytes; k++)
            bits |= (uint64_t)*at++ << (8 * k);
        cli_value_text(show->type, bits, text, sizeof text);
        printf("%s%s", i ? " " : "", text);
    }
    putchar('\n');
}

void run_args_free(run_args *args) {
    for (unsigned i = 0; args && i < RUN_ARGS_MAX; i++)
        free(args->file[i]);
    free(args);
}
