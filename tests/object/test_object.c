/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code objects made by hand: the right one is read right, and each wrong one is refused with a
 * message that says what is wrong, where, and what was expected.
 */
#include "craft.h"
#include "execz/object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void reads_everything(void **state) {
    (void)state;
    craft c = craft_default();
    ez_object *object;
    ez_error err;
    size_t n;
    unsigned version[2];
    assert_int_equal(ez_object_open_memory(c.bytes, c.size, &object, &err), EZ_OK);
    assert_int_equal(ez_object_version(object), 5);
    assert_false(ez_object_is_relocatable(object));
    assert_string_equal(ez_target_name(ez_object_target(object)), "gfx90a");
    assert_int_equal(ez_object_target_id(object)->xnack, EZ_SETTING_ANY);
    assert_int_equal(ez_object_target_id(object)->sramecc, EZ_SETTING_ANY);
    assert_int_equal(ez_object_generic_version(object), 0);
    assert_string_equal(ez_object_metadata_target(object), "amdgcn-amd-amdhsa--gfx90a");
    ez_object_metadata_version(object, version);
    assert_int_equal(version[0] * 10 + version[1], 12);
    assert_string_equal(ez_object_printf_formats(object, &n)[0], "1:1:4:%d");
    assert_int_equal(n, 1);

    const ez_segment *segments = ez_object_segments(object, &n);
    assert_int_equal(n, 3);
    assert_int_equal(segments[1].address, CRAFT_TEXT_ADDRESS);
    assert_int_equal(segments[1].flags, EZ_SEGMENT_READ | EZ_SEGMENT_EXECUTE);
    assert_ptr_equal(segments[1].bytes, c.bytes + CRAFT_TEXT);
    assert_int_equal(segments[2].file_size, 0);
    assert_int_equal(segments[2].memory_size, 0x100);
    const ez_section *sections = ez_object_sections(object, &n);
    assert_int_equal(n, CRAFT_SECTIONS);
    assert_string_equal(sections[CRAFT_SEC_TEXT].name, ".text");
    assert_ptr_equal(sections[CRAFT_SEC_TEXT].bytes, c.bytes + CRAFT_TEXT);
    assert_null(sections[CRAFT_SEC_DATA].bytes);

    const ez_symbol *symbols = ez_object_symbols(object, &n);
    assert_int_equal(n, 3);
    assert_int_equal(symbols[0].type, EZ_SYMBOL_FUNCTION);
    assert_int_equal(symbols[1].type, EZ_SYMBOL_KERNEL_DESCRIPTOR);
    assert_int_equal(symbols[2].type, EZ_SYMBOL_OBJECT);
    assert_ptr_equal(ez_object_find_symbol(object, "data"), &symbols[2]);
    assert_null(ez_object_find_symbol(object, "dat"));
    const ez_relocation *relocations = ez_object_relocations(object, &n);
    assert_int_equal(n, 2);
    assert_int_equal(relocations[0].type, EZ_R_AMDGPU_RELATIVE64);
    assert_null(relocations[0].symbol);
    assert_ptr_equal(relocations[1].symbol, &symbols[2]);
    assert_int_equal(relocations[1].addend, -4);

    assert_ptr_equal(ez_object_bytes_at(object, 0x1400, 0x100), c.bytes + CRAFT_TEXT);
    assert_null(ez_object_bytes_at(object, 0x1400, 0x101));
    assert_null(ez_object_bytes_at(object, 0x2000, 1)); /* only in memory */
    assert_null(ez_object_bytes_at(object, UINT64_MAX, UINT64_MAX));
    ez_object_close(object);
    craft_free(&c);
}

static void reads_kernels(void **state) {
    (void)state;
    craft c = craft_default();
    ez_object *object;
    const ez_kernel *k;
    size_t n;
    assert_int_equal(ez_object_open_memory(c.bytes, c.size, &object, NULL), EZ_OK);
    assert_int_equal(ez_object_find_kernel(object, NULL, &k, NULL), EZ_OK);
    assert_ptr_equal(k, ez_object_kernels(object, &n));
    assert_int_equal(n, 1);
    assert_string_equal(k->name, "k");
    assert_int_equal(k->descriptor_address, CRAFT_DESCRIPTOR);
    assert_int_equal(k->entry_address, CRAFT_TEXT_ADDRESS);
    assert_int_equal(k->descriptor.group_segment_fixed_size, 1024);
    assert_int_equal(k->descriptor.private_segment_fixed_size, 16);
    assert_int_equal(k->descriptor.kernarg_size, 24);
    static const struct {
        ez_descriptor_field field;
        uint32_t value;
    } fields[] = {
        {EZ_KD_GRANULATED_WORKITEM_VGPR_COUNT, 2},
        {EZ_KD_GRANULATED_WAVEFRONT_SGPR_COUNT, 1},
        {EZ_KD_FLOAT_ROUND_MODE_32, 1},
        {EZ_KD_FLOAT_ROUND_MODE_16_64, 0},
        {EZ_KD_FLOAT_DENORM_MODE_32, 0},
        {EZ_KD_FLOAT_DENORM_MODE_16_64, 3},
        {EZ_KD_ENABLE_DX10_CLAMP, 1},
        {EZ_KD_ENABLE_IEEE_MODE, 1},
        {EZ_KD_ENABLE_PRIVATE_SEGMENT, 1},
        {EZ_KD_USER_SGPR_COUNT, 8},
        {EZ_KD_ENABLE_SGPR_WORKGROUP_ID_X, 1},
        {EZ_KD_ENABLE_SGPR_WORKGROUP_ID_Z, 1},
        {EZ_KD_ENABLE_SGPR_WORKGROUP_INFO, 0},
        {EZ_KD_ENABLE_VGPR_WORKITEM_ID, 2},
        {EZ_KD_ACCUM_OFFSET, 1},
        {EZ_KD_TG_SPLIT, 1},
        {EZ_KD_ENABLE_SGPR_KERNARG_SEGMENT_PTR, 1},
        {EZ_KD_ENABLE_WAVEFRONT_SIZE32, 0},
        {EZ_KD_USES_DYNAMIC_STACK, 1},
        {EZ_KD_KERNARG_PRELOAD_SPEC_LENGTH, 3},
        {EZ_KD_KERNARG_PRELOAD_SPEC_OFFSET, 2},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (ez_descriptor_get(&k->descriptor, fields[i].field) != fields[i].value)
            print_error("%s\n", ez_descriptor_field_name(fields[i].field));
        assert_int_equal(ez_descriptor_get(&k->descriptor, fields[i].field), fields[i].value);
    }
    assert_null(ez_descriptor_field_name(EZ_KD_COUNT));

    const ez_kernel_metadata *m = k->metadata;
    assert_non_null(m);
    assert_int_equal(m->arg_count, 2);
    assert_string_equal(m->args[0].name, "out");
    assert_int_equal(m->args[0].value_kind, EZ_VALUE_GLOBAL_BUFFER);
    assert_int_equal(m->args[0].address_space, EZ_SPACE_GLOBAL);
    assert_int_equal(m->args[0].actual_access, EZ_ACCESS_WRITE_ONLY);
    assert_null(m->args[1].name);
    assert_int_equal(m->args[1].offset, 8);
    assert_int_equal(m->args[1].value_kind, EZ_VALUE_HIDDEN_BLOCK_COUNT_X);
    assert_true(ez_value_kind_is_hidden(m->args[1].value_kind));
    assert_false(ez_value_kind_is_hidden(m->args[0].value_kind));
    assert_int_equal(m->max_flat_workgroup_size, 256);
    ez_object_close(object);
    craft_free(&c);
}

/* The note is optional: hand-written code has none. */
static void reads_without_metadata(void **state) {
    (void)state;
    craft c = craft_object(NULL, 0);
    ez_object *object;
    const ez_kernel *k;
    ez_error err;
    assert_int_equal(ez_object_open_memory(c.bytes, c.size, &object, &err), EZ_OK);
    assert_int_equal(ez_object_find_kernel(object, "k", &k, &err), EZ_OK);
    assert_null(k->metadata);
    assert_int_equal(ez_object_find_kernel(object, "kk", &k, &err), EZ_ERR_NOT_FOUND);
    assert_string_equal(err.message, "no kernel 'kk'; there is k");
    ez_object_close(object);
    /* k.kd becomes k.kx, a variable */
    c.bytes[CRAFT_DYNSTR + 6] = 'x';
    assert_int_equal(ez_object_open_memory(c.bytes, c.size, &object, &err), EZ_OK);
    assert_int_equal(ez_object_find_kernel(object, NULL, &k, &err), EZ_ERR_NOT_FOUND);
    assert_string_equal(err.message, "the code object has no kernels");
    ez_object_close(object);
    craft_free(&c);
}

/* The bytes may lie anywhere. */
static void reads_unaligned(void **state) {
    (void)state;
    craft c = craft_default();
    uint8_t *copy = malloc(c.size + 1);
    ez_object *object;
    assert_non_null(copy);
    memcpy(copy + 1, c.bytes, c.size);
    assert_int_equal(ez_object_open_memory(copy + 1, c.size, &object, NULL), EZ_OK);
    ez_object_close(object);
    free(copy);
    craft_free(&c);
}

/* ---- one wrong field at a time ---- */

#define PHDR(index, field) (CRAFT_PHDR + (index)*CRAFT_PHDR_SIZE + (field))
#define SYMBOL(index, field) (CRAFT_DYNSYM + (index)*CRAFT_SYMBOL_SIZE + (field))
#define RELA(index, field) (CRAFT_RELA + (index)*CRAFT_RELA_SIZE + (field))
#define FROM_SHDR 0x1000000 /* added to offsets that count from the section headers */
#define SHDR(index, field) (FROM_SHDR + (index)*CRAFT_SHDR_SIZE + (field))
#define ANY_OFFSET UINT64_MAX

static const struct wrong {
    struct {
        size_t at;
        unsigned width;
        uint64_t value;
    } field;
    ez_status status;
    uint64_t offset;
    const char *message;
} wrongs[] = {
    /* ELF header */
    {{0, 1, 'M'},
     EZ_ERR_FORMAT,
     0,
     "not an ELF file: it starts with 4d 45 4c 46, expected 7f 45 4c 46"},
    {{4, 1, 1}, EZ_ERR_FORMAT, 4, "ELF class 1, expected 2 (64 bits)"},
    {{5, 1, 2}, EZ_ERR_FORMAT, 5, "ELF data encoding 2, expected 1 (little-endian)"},
    {{6, 1, 0}, EZ_ERR_FORMAT, 6, "ELF version 0, expected 1"},
    {{7, 1, 0}, EZ_ERR_UNSUPPORTED, 7, "ELF OS ABI 0, expected 64 (amdhsa)"},
    {{7, 1, 65}, EZ_ERR_UNSUPPORTED, 7, "ELF OS ABI 65 (amdpal), expected 64 (amdhsa)"},
    {{8, 1, 5},
     EZ_ERR_UNSUPPORTED,
     8,
     "ELF ABI version 5, expected 0 to 4 (code object version 2 to 6)"},
    {{16, 2, 2},
     EZ_ERR_UNSUPPORTED,
     16,
     "ELF type 2, expected 3 (shared object) or 1 (relocatable)"},
    {{18, 2, 62}, EZ_ERR_FORMAT, 18, "wrong ELF machine 62 (x86-64), expected 224 (AMDGPU)"},
    {{52, 2, 52}, EZ_ERR_FORMAT, 52, "ELF header size 52, expected 64"},
    {{54, 2, 32}, EZ_ERR_FORMAT, 54, "program header entries have 32 bytes, expected 56"},
    {{58, 2, 40}, EZ_ERR_FORMAT, 58, "section header entries have 40 bytes, expected 64"},
    {{62, 2, 9}, EZ_ERR_FORMAT, 62, "section name table is section 9, the file has 9"},
    {{60, 2, 0}, EZ_ERR_UNSUPPORTED, 56, "extended ELF section numbering"},
    {{48, 4, 0x5ff},
     EZ_ERR_UNSUPPORTED,
     48,
     "code for an unknown target: EF_AMDGPU_MACH is 0xff in e_flags 0x000005ff"},
    /* segments */
    {{PHDR(0, 8), 8, UINT64_MAX},
     EZ_ERR_FORMAT,
     PHDR(0, 0),
     "truncated ELF file: segment 0 has 1024 bytes at offset 18446744073709551615, the file has "
     "2400 bytes"},
    {{PHDR(0, 40), 8, 5},
     EZ_ERR_FORMAT,
     PHDR(0, 0),
     "segment 0 has 1024 bytes in the file but 5 in memory"},
    {{PHDR(2, 40), 8, UINT64_MAX - 1},
     EZ_ERR_FORMAT,
     PHDR(2, 0),
     "segment 2 of 18446744073709551614 bytes at address 0x2000 wraps around"},
    {{PHDR(2, 40), 8, UINT64_C(1) << 41},
     EZ_ERR_FORMAT,
     PHDR(2, 0),
     "segment 2 ends at address 0x20000002000, more than any GPU's memory"},
    {{PHDR(1, 16), 8, 0x3ff},
     EZ_ERR_FORMAT,
     PHDR(1, 0),
     "segment 1 at address 0x3ff overlaps or precedes the one before it, which ends at 0x400"},
    {{PHDR(1, 48), 8, 3},
     EZ_ERR_FORMAT,
     PHDR(1, 0),
     "segment 1 is aligned to 3, which is no power of two"},
    /* sections */
    {{SHDR(CRAFT_SEC_TEXT, 32), 8, 99999},
     EZ_ERR_FORMAT,
     SHDR(CRAFT_SEC_TEXT, 0),
     "truncated ELF file: section 6 has 99999 bytes at offset 1024, the file has 2400 bytes"},
    {{SHDR(CRAFT_SEC_DYNSYM, 56), 8, 16},
     EZ_ERR_FORMAT,
     SHDR(CRAFT_SEC_DYNSYM, 0),
     "section 2 of 96 bytes has entries of 16 bytes, expected 24"},
    {{SHDR(CRAFT_SEC_DYNSYM, 40), 4, 200},
     EZ_ERR_FORMAT,
     SHDR(CRAFT_SEC_DYNSYM, 0),
     "section 2 is linked to section 200, the file has 9"},
    {{SHDR(CRAFT_SEC_DYNSYM, 40), 4, 1},
     EZ_ERR_FORMAT,
     SHDR(CRAFT_SEC_DYNSYM, 0),
     "symbol table section 2 is linked to section 1, which is no string table"},
    {{SHDR(CRAFT_SEC_DYNSYM, 4), 4, 1},
     EZ_ERR_FORMAT,
     0,
     "no symbol table: neither .symtab nor .dynsym"},
    {{SHDR(CRAFT_SEC_RELA, 4), 4, 9},
     EZ_ERR_UNSUPPORTED,
     CRAFT_RELA,
     "section 5 (.rela.dyn) has relocations in a form that AMD GPU code objects do not use; "
     "expected SHT_RELA"},
    /* symbols and relocations */
    {{SYMBOL(1, 0), 4, 99},
     EZ_ERR_FORMAT,
     CRAFT_DYNSTR,
     "string 99 of the string table of 13 bytes in section 3 is not inside or has no end"},
    {{CRAFT_DYNSTR + 12, 1, 'x'},
     EZ_ERR_FORMAT,
     CRAFT_DYNSTR,
     "string 1 of the string table of 13 bytes in section 3 is not inside or has no end"},
    {{SYMBOL(1, 6), 2, 77},
     EZ_ERR_FORMAT,
     SYMBOL(1, 0),
     "symbol 1 is in section 77, the file has 9"},
    {{RELA(1, 12), 4, 4},
     EZ_ERR_FORMAT,
     RELA(1, 0),
     "relocation 1 is to symbol 4, the table has 3"},
    {{RELA(1, 0), 8, 0x20f9},
     EZ_ERR_FORMAT,
     RELA(1, 0),
     "relocation 1 (R_AMDGPU_ABS64) patches address 0x20f9, which is outside the object"},
    {{RELA(1, 0), 8, UINT64_MAX},
     EZ_ERR_FORMAT,
     RELA(1, 0),
     "relocation 1 (R_AMDGPU_ABS64) patches address 0xffffffffffffffff, which is outside the "
     "object"},
    /* the kernel descriptor */
    {{SYMBOL(2, 16), 8, 63},
     EZ_ERR_FORMAT,
     0,
     "kernel 'k': its descriptor symbol 'k.kd' has 63 bytes, expected 64"},
    {{SYMBOL(2, 8), 8, 0x3c4},
     EZ_ERR_FORMAT,
     0,
     "kernel 'k': the 64 bytes of its descriptor at 0x3c4 are not in the file"},
    {{SYMBOL(2, 8), 8, 0x2c4},
     EZ_ERR_FORMAT,
     0x2c4,
     "kernel 'k': its descriptor at 0x2c4 is not aligned to 64 bytes (.p2align 6)"},
    {{CRAFT_DESCRIPTOR, 4, 0x7fffffff},
     EZ_ERR_FORMAT,
     CRAFT_DESCRIPTOR,
     "kernel 'k': group_segment_fixed_size is 2147483647 bytes, expected at most 1048576"},
    {{CRAFT_DESCRIPTOR + 4, 4, 0xffffffff},
     EZ_ERR_FORMAT,
     CRAFT_DESCRIPTOR,
     "kernel 'k': private_segment_fixed_size is 4294967295 bytes, expected at most 2097152"},
    {{CRAFT_DESCRIPTOR + 8, 4, 0xffffffff},
     EZ_ERR_FORMAT,
     CRAFT_DESCRIPTOR,
     "kernel 'k': kernarg_size is 4294967295 bytes, expected at most 1048576"},
    {{CRAFT_DESCRIPTOR + 16, 8, 0x7fffffffffffffff},
     EZ_ERR_FORMAT,
     CRAFT_DESCRIPTOR,
     "kernel 'k': entry at address 0x80000000000002bf (descriptor 0x2c0 +9223372036854775807) is "
     "not in an executable segment"},
    {{CRAFT_DESCRIPTOR + 16, 8, 0},
     EZ_ERR_FORMAT,
     CRAFT_DESCRIPTOR,
     "kernel 'k': entry at address 0x2c0 (descriptor 0x2c0 +0) is not in an executable segment"},
    {{CRAFT_DESCRIPTOR + 40, 1, 9},
     EZ_ERR_FORMAT,
     CRAFT_DESCRIPTOR + 40,
     "kernel 'k': reserved bits of byte 40 of the kernel descriptor are 0x09, expected 0"},
    {{CRAFT_DESCRIPTOR + 57, 1, 0x80},
     EZ_ERR_FORMAT,
     CRAFT_DESCRIPTOR + 57,
     "kernel 'k': reserved bits of byte 57 of the kernel descriptor are 0x80, expected 0"},
    {{CRAFT_DYNSTR + 3, 1, 'j'},
     EZ_ERR_FORMAT,
     0,
     "metadata: kernel 'k' has no descriptor: there is no such symbol as 'k.kd'"},
    /* the note around the metadata */
    {{CRAFT_NOTE + 4, 4, 100000},
     EZ_ERR_FORMAT,
     CRAFT_NOTE,
     "note at offset 1280 is cut off by the end of the 476 bytes of notes"},
    {{CRAFT_NOTE, 4, 0xffffffff},
     EZ_ERR_FORMAT,
     CRAFT_NOTE,
     "note at offset 1280 is cut off by the end of the 476 bytes of notes"},
};

static void expect_error(const uint8_t *bytes, size_t size, ez_status status, uint64_t offset,
                         const char *message) {
    ez_object *object = (ez_object *)&object;
    ez_error err = {0};
    ez_status got = ez_object_open_memory(bytes, size, &object, &err);
    assert_string_equal(err.message, message);
    assert_int_equal(got, status);
    assert_int_equal(err.status, status);
    if (offset != ANY_OFFSET) assert_int_equal(err.offset, offset);
    assert_null(object);
}

static void refuses_wrong_fields(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++) {
        const struct wrong *w = &wrongs[i];
        craft c = craft_default();
        size_t at = w->field.at, offset = w->offset;
        if (at >= FROM_SHDR) at = at - FROM_SHDR + c.shdr;
        if (offset >= FROM_SHDR) offset = offset - FROM_SHDR + c.shdr;
        craft_put(c.bytes + at, w->field.value, w->field.width);
        expect_error(c.bytes, c.size, w->status, offset, w->message);
        craft_free(&c);
    }
}

/* ---- metadata ---- */

/* clang-format off: pieces of strings end where a hexadecimal escape would go on. */
/* In these strings every byte counts; the final NUL does not. */
#define NOTE(text) text, sizeof(text) - 1
#define VERSION                                                                                    \
    "\x82\xae"                                                                                     \
    "amdhsa.version"                                                                               \
    "\x92\x01\x02"
#define KERNELS                                                                                    \
    "\xae"                                                                                         \
    "amdhsa.kernels"
#define ARGS "\xa5.args"

static const struct wrong_note {
    const char *note;
    size_t size;
    uint64_t offset; /* from the start of the text; ANY_OFFSET: do not look */
    const char *message;
} wrong_notes[] = {
    {NOTE("abcdef"), 0, "metadata: the note of 6 bytes begins with 0x61, expected a msgpack map"},
    {NOTE(""), 0, "metadata: the note is empty"},
    {NOTE("\x90"), 0, "metadata: the note of 1 bytes begins with 0x90, expected a msgpack map"},
    {NOTE("\x83"), 0,
     "metadata: msgpack map at byte 0 announces 6 values, the note has 0 bytes left"},
    {NOTE("\x81\xa1k\x92\x01"), 3,
     "metadata: msgpack array at byte 3 announces 2 values, the note has 1 bytes left"},
    {NOTE("\x82\xa3kkk"), 5,
     "metadata: msgpack ends after 5 bytes, in the middle of a map or array"},
    {NOTE("\xdf\xff\xff\xff\xff"), 0,
     "metadata: msgpack map at byte 0 announces 8589934590 values, the note has 0 bytes left"},
    {NOTE("\x81\xa1k\xdd\xff\xff\xff\xff"), 3,
     "metadata: msgpack array at byte 3 announces 4294967295 values, the note has 0 bytes left"},
    {NOTE("\x81\xa1k\xdb\xff\xff\xff\xff"), 3,
     "metadata: msgpack string at byte 3 announces 4294967295 bytes, the note has 0 bytes left"},
    {NOTE("\x81\xa1k\xc1"), 3, "metadata: no msgpack value at byte 3 of the note"},
    {NOTE("\x81\xa1k\xcd\x01"), 3,
     "metadata: msgpack number at byte 3 announces 2 bytes, the note has 1 bytes left"},
    {NOTE("\x80\x80"), 1, "metadata: 1 bytes after the end of the msgpack map"},
    {NOTE("\x81\xa1k\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x01"), 19,
     "metadata: msgpack is nested more than 16 deep at byte 19"},
    {NOTE("\x80"), 0, "metadata: 'amdhsa.version' is missing"},
    {NOTE("\x81\xaa"
          "amdhsa.ver"),
     12, "metadata: msgpack ends after 12 bytes, in the middle of a map or array"},
    {NOTE("\x81\xae"
          "amdhsa.version\x01"),
     0, "metadata: 'version' is not an array of 2"},
    {NOTE("\x81\xae"
          "amdhsa.version\x92\x02\x00"),
     0, "metadata of version 2.0, expected 1.x"},
    {NOTE(VERSION KERNELS "\x91\x01"), 0,
     "metadata: kernel 0: 'amdhsa.kernels' has an element that is no map"},
    {NOTE(VERSION KERNELS "\x91\x80"), 0, "metadata: kernel 0: 'name' is missing"},
    {NOTE(VERSION KERNELS "\x91\x81\xa5.name\xa1k"), 0,
     "metadata: kernel 'k': '.symbol' is missing"},
    {NOTE(VERSION KERNELS "\x91\x82\xa5.name\xa1k\xa7.symbol\xa3k\0d"), 0,
     "metadata: kernel 'k': '.symbol' contains a zero byte"},
    {NOTE(VERSION KERNELS "\x91\x83\xa5.name\xa1k\xa7.symbol\xa4k.kd\xb5.kernarg_segment_size\xff"),
     0, "metadata: kernel 'k': '.kernarg_segment_size' is not an unsigned 32-bit number"},
    {NOTE(VERSION KERNELS
          "\x91\x84\xa5.name\xa1k\xa7.symbol\xa4k.kd\xb5.kernarg_segment_size\x10" ARGS "\x91\x80"),
     0, "metadata: kernel 'k': argument 0: '.value_kind' is missing"},
    {NOTE(VERSION KERNELS
          "\x91\x84\xa5.name\xa1k\xa7.symbol\xa4k.kd\xb5.kernarg_segment_size\x10" ARGS
          "\x91\x83\xab.value_kind\xa8"
          "by_value\xa5.size\x08\xa7.offset\x09"),
     ANY_OFFSET,
     "kernel 'k': argument 0 has 8 bytes at offset 9, the kernarg segment has 16 bytes"},
    {NOTE(VERSION KERNELS
          "\x91\x84\xa5.name\xa1k\xa7.symbol\xa4k.kd\xb5.kernarg_segment_size\x10" ARGS
          "\x91\x83\xab.value_kind\xa8"
          "by_value\xa5.size\xce\xff\xff\xff\xff\xa7.offset\xce\xff\xff\xff\xff"),
     ANY_OFFSET,
     "kernel 'k': argument 0 has 4294967295 bytes at offset 4294967295, the kernarg segment has 16 "
     "bytes"},
};

/* clang-format on */

static void refuses_wrong_metadata(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong_notes / sizeof wrong_notes[0]; i++) {
        const struct wrong_note *w = &wrong_notes[i];
        craft c = craft_object(w->note, w->size);
        uint64_t offset = w->offset == ANY_OFFSET ? ANY_OFFSET : w->offset + CRAFT_NOTE_TEXT;
        bool known = !strstr(w->message, "expected 1.x");
        expect_error(c.bytes, c.size, known ? EZ_ERR_FORMAT : EZ_ERR_UNSUPPORTED, offset,
                     w->message);
        craft_free(&c);
    }
}

/* A value kind that a later compiler may invent is kept, not refused and not mistaken. */
static void keeps_unknown_value_kinds(void **state) {
    (void)state;
    static const char note[] = VERSION KERNELS
        "\x91\x84\xa5.name\xa1k\xa7.symbol\xa4k.kd\xb5.kernarg_segment_size\x10" ARGS
        "\x91\x83\xab.value_kind\xa6hidden\xa5.size\x08\xa7.offset\x08";
    craft c = craft_object(note, sizeof note - 1);
    ez_object *object;
    const ez_kernel *k;
    assert_int_equal(ez_object_open_memory(c.bytes, c.size, &object, NULL), EZ_OK);
    assert_int_equal(ez_object_find_kernel(object, "k", &k, NULL), EZ_OK);
    assert_int_equal(k->metadata->args[0].value_kind, EZ_VALUE_UNKNOWN);
    assert_string_equal(k->metadata->args[0].value_kind_name, "hidden");
    ez_object_close(object);
    craft_free(&c);
}

/* ---- version 2: YAML ---- */

/* The object with ABI version 0 and this text as the metadata note of owner "AMD". */
static craft version2_object(const char *yaml) {
    size_t size = strlen(yaml);
    craft c = craft_object(yaml, size);
    uint8_t *note = c.bytes + CRAFT_NOTE;
    c.bytes[8] = 0;
    craft_put(note, 4, 4);
    craft_put(note + 8, 10, 4);
    memcpy(note + 12, "AMD", 4);
    memmove(note + 16, note + 20, (size + 3) / 4 * 4);
    craft_put(c.bytes + PHDR(3, 32), 16 + (size + 3) / 4 * 4, 8);
    return c;
}

static void reads_version2_yaml(void **state) {
    (void)state;
    static const char *const formats[] = {"1:0:plain", "2:0:it's", "3:0:\ttab A\\", ""};
    craft c = version2_object("---\n# a comment\nVersion: [ 1, 0 ]\nPrintf:\n"
                              "- 1:0:plain # text  \n  \n- '2:0:it''s'\n"
                              "-   \"3:0:\\ttab \\x41\\\\\"\n- ''\nUnknown:\n  A:\n"
                              "    - - x\n      - y\n    - B: 1\n      C: 2\n  D:\nE: [ ]\n...\n");
    ez_object *object;
    ez_error err = {0};
    size_t n;
    ez_object_open_memory(c.bytes, c.size, &object, &err);
    assert_string_equal(err.message, "");
    assert_int_equal(ez_object_version(object), 2);
    const char *const *read = ez_object_printf_formats(object, &n);
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(read[i], formats[i]);
    ez_object_close(object);
    craft_free(&c);
}

static void refuses_wrong_yaml(void **state) {
    (void)state;
    static const struct {
        const char *yaml;
        uint64_t offset;
        const char *message;
    } cases[] = {
        {"\n \n", 0, "metadata: the note is empty"},
        {"abcdef", 0, "metadata: line 1 of the YAML note: expected 'key: value'"},
        {"- a", 0, "metadata: expected a map at the top"},
        {"A: 1\n  B: 2", 7,
         "metadata: line 2 of the YAML note: indented more than the lines before it"},
        {"  A: 1\nB: 2", 7,
         "metadata: line 2 of the YAML note: indented less than the lines before it"},
        {"A: 'x", 3,
         "metadata: line 1 of the YAML note: quoted string without an end in the same "
         "line"},
        {"A: 'x' y", 6, "metadata: line 1 of the YAML note: text after the end of a quoted string"},
        {"A: \"\\q\"", 4, "metadata: line 1 of the YAML note: unknown escape in a quoted string"},
        {"A: |\n  x", 3,
         "metadata: line 1 of the YAML note: YAML beyond maps, sequences and one-line scalars"},
        {"A:\n  B: {x: 1}", 8,
         "metadata: line 2 of the YAML note: YAML beyond maps, sequences and one-line scalars"},
        {"A: [ 1, 2", 3,
         "metadata: line 1 of the YAML note: expected [ scalars, separated, by commas ] in one "
         "line"},
        {"A: [ [ 1 ] ]", 3,
         "metadata: line 1 of the YAML note: expected [ scalars, separated, by commas ] in one "
         "line"},
        {"- - - - - - - - - - - - - - - - - x", 32,
         "metadata: line 1 of the YAML note: nested too deep"},
        {"Kernels: 1", 0, "metadata: 'Version' is missing"},
        {"Version: [ 1, 0 ]\nKernels:\n- Name: k\n  Args:\n  - Size: 8\n    ValueKind: ByValue", 0,
         "metadata: kernel 'k': argument 0: 'Align' is missing"},
        {"Version: [ 1, 0 ]\nKernels:\n- Name: k\n  Args:\n  - Size: 99999999999", 0,
         "metadata: kernel 'k': argument 0: 'Size' is not an unsigned 32-bit number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        craft c = version2_object(cases[i].yaml);
        expect_error(c.bytes, c.size, EZ_ERR_FORMAT, cases[i].offset + CRAFT_NOTE + 16,
                     cases[i].message);
        craft_free(&c);
    }
}

/* ---- relocation values; S = 0x1_2345_6780, A = -4, P = 0x1_0000_1000, B = 0x7000_0000 ---- */

static void resolves_relocations(void **state) {
    (void)state;
    static const struct {
        uint32_t type;
        unsigned width;
        uint64_t value;
    } cases[] = {
        {EZ_R_AMDGPU_NONE, 0, 0},
        {EZ_R_AMDGPU_ABS32_LO, 4, 0x2345677c},
        {EZ_R_AMDGPU_ABS32_HI, 4, 1},
        {EZ_R_AMDGPU_ABS64, 8, 0x12345677c},
        {EZ_R_AMDGPU_REL32, 4, 0x2345577c},
        {EZ_R_AMDGPU_REL64, 8, 0x2345577c},
        {EZ_R_AMDGPU_REL32_LO, 4, 0x2345577c},
        {EZ_R_AMDGPU_REL32_HI, 4, 0},
        {EZ_R_AMDGPU_RELATIVE64, 8, 0x6ffffffc},
    };
    ez_relocation r = {.offset = 0x40, .addend = -4};
    uint64_t value;
    unsigned width;
    ez_error err;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        r.type = cases[i].type;
        assert_int_equal(
            ez_relocation_resolve(&r, 0x123456780, 0x100001000, 0x70000000, &value, &width, &err),
            EZ_OK);
        assert_int_equal(width, cases[i].width);
        assert_int_equal(value, cases[i].value);
    }
    r.type = EZ_R_AMDGPU_ABS32;
    assert_int_equal(ez_relocation_resolve(&r, 0x123456780, 0, 0, &value, &width, &err),
                     EZ_ERR_FORMAT);
    assert_string_equal(err.message,
                        "R_AMDGPU_ABS32 does not fit: symbol '' at 0x123456780, place 0x0");
    assert_int_equal(err.offset, 0x40);
    r.type = EZ_R_AMDGPU_GOTPCREL32_LO;
    assert_int_equal(ez_relocation_resolve(&r, 0, 0, 0, &value, &width, &err), EZ_ERR_UNSUPPORTED);
    assert_string_equal(err.message,
                        "relocation type 8 (R_AMDGPU_GOTPCREL32_LO) needs a global offset table");
    r.type = 12;
    assert_int_equal(ez_relocation_resolve(&r, 0, 0, 0, &value, &width, &err), EZ_ERR_UNSUPPORTED);
    assert_string_equal(err.message, "unknown relocation type 12");
    /* a branch at 0x1000 to 0x1010 skips three dwords; backwards to 0xff0, minus five */
    r.type = EZ_R_AMDGPU_REL16, r.addend = 0;
    assert_int_equal(ez_relocation_resolve(&r, 0x1010, 0x1000, 0, &value, &width, &err), EZ_OK);
    assert_int_equal(value, 3);
    assert_int_equal(ez_relocation_resolve(&r, 0xff0, 0x1000, 0, &value, &width, &err), EZ_OK);
    assert_int_equal(value, 0xfffb);
    assert_int_equal(width, 2);
    assert_int_equal(ez_relocation_resolve(&r, 0x21004, 0x1000, 0, &value, &width, &err),
                     EZ_ERR_FORMAT);
}

/* Many headers for the same bytes must not multiply the work. */
static void refuses_overlapping_tables(void **state) {
    (void)state;
    const uint64_t notes = 476; /* bytes of the good segment of notes, which comes twice */
    craft c = craft_default();
    memcpy(c.bytes + PHDR(1, 0), c.bytes + PHDR(3, 0), CRAFT_PHDR_SIZE);
    craft_put(c.bytes + PHDR(2, 0), 4, 4);
    craft_put(c.bytes + PHDR(2, 8), 0, 8);
    craft_put(c.bytes + PHDR(2, 32), c.size + 1 - notes, 8);
    craft_put(c.bytes + RELA(0, 0), 0, 8);
    craft_put(c.bytes + RELA(1, 0), 0, 8);
    expect_error(c.bytes, c.size, EZ_ERR_FORMAT, 0,
                 "regions of notes are larger than the whole file");
    craft_free(&c);

    c = craft_default();
    uint8_t *rela = c.bytes + c.shdr + CRAFT_SEC_RELA * CRAFT_SHDR_SIZE;
    craft_put(rela + 24, 0, 8);
    craft_put(rela + 32, c.size / CRAFT_RELA_SIZE * CRAFT_RELA_SIZE, 8);
    memcpy(rela - CRAFT_SHDR_SIZE, rela, CRAFT_SHDR_SIZE);
    expect_error(c.bytes, c.size, EZ_ERR_FORMAT, 0,
                 "relocation tables are larger than the whole file");
    craft_free(&c);
}

/* ---- damage ---- */

/* Uses everything that an opened object has, so that a sanitizer sees wild pointers. */
static size_t touch(const ez_object *object) {
    size_t n, sum = 0;
    const ez_segment *segments = ez_object_segments(object, &n);
    for (size_t i = 0; i < n; i++)
        for (uint64_t k = 0; k < segments[i].file_size; k++)
            sum += segments[i].bytes[k];
    const ez_section *sections = ez_object_sections(object, &n);
    for (size_t i = 0; i < n; i++) {
        sum += strlen(sections[i].name);
        for (uint64_t k = 0; sections[i].bytes && k < sections[i].size; k++)
            sum += sections[i].bytes[k];
    }
    const ez_symbol *symbols = ez_object_symbols(object, &n);
    for (size_t i = 0; i < n; i++)
        sum += strlen(symbols[i].name);
    const ez_relocation *relocations = ez_object_relocations(object, &n);
    for (size_t i = 0; i < n; i++)
        sum += relocations[i].symbol ? strlen(relocations[i].symbol->name) : 0;
    const ez_kernel *kernels = ez_object_kernels(object, &n);
    for (size_t i = 0; i < n; i++) {
        sum += strlen(kernels[i].name);
        for (uint32_t a = 0; kernels[i].metadata && a < kernels[i].metadata->arg_count; a++)
            sum += strlen(kernels[i].metadata->args[a].value_kind_name);
    }
    return sum;
}

/* A copy of exactly that size, for the sanitizer to guard both ends. */
static ez_status open_copy(const uint8_t *bytes, size_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    ez_object *object;
    ez_error err = {0};
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    ez_status status = ez_object_open_memory(copy, size, &object, &err);
    if (status)
        assert_true(err.message[0] && err.status == status && !object);
    else
        touch(object);
    ez_object_close(object);
    free(copy);
    return status;
}

static void refuses_every_truncation(void **state) {
    (void)state;
    craft c = craft_default();
    for (size_t size = 0; size < c.size; size++)
        assert_int_equal(open_copy(c.bytes, size), EZ_ERR_FORMAT);
    assert_int_equal(open_copy(c.bytes, c.size), EZ_OK);
    craft_free(&c);
}

static void survives_every_byte_flip(void **state) {
    (void)state;
    craft c = craft_default();
    static const uint8_t flips[] = {0x01, 0x80, 0xff, 0x10};
    for (size_t at = 0; at < c.size; at++)
        for (size_t i = 0; i < sizeof flips; i++) {
            c.bytes[at] ^= flips[i];
            open_copy(c.bytes, c.size);
            c.bytes[at] ^= flips[i];
        }
    craft_free(&c);
}

static void refuses_bad_arguments(void **state) {
    (void)state;
    ez_object *object;
    assert_int_equal(ez_object_open_memory(NULL, 10, &object, NULL), EZ_ERR_ARGUMENT);
    assert_int_equal(ez_object_open_memory("", 0, NULL, NULL), EZ_ERR_ARGUMENT);
    expect_error((const uint8_t *)"", 0, EZ_ERR_FORMAT, 0, "not an ELF file: it is empty");
    expect_error((const uint8_t *)"\177ELF\2", 5, EZ_ERR_FORMAT, 5,
                 "truncated ELF file: 5 bytes, the header alone has 64");
    ez_object_close(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_everything),           cmocka_unit_test(reads_kernels),
        cmocka_unit_test(reads_without_metadata),     cmocka_unit_test(reads_unaligned),
        cmocka_unit_test(refuses_wrong_fields),       cmocka_unit_test(refuses_wrong_metadata),
        cmocka_unit_test(keeps_unknown_value_kinds),  cmocka_unit_test(reads_version2_yaml),
        cmocka_unit_test(refuses_wrong_yaml),         cmocka_unit_test(resolves_relocations),
        cmocka_unit_test(refuses_overlapping_tables), cmocka_unit_test(refuses_every_truncation),
        cmocka_unit_test(survives_every_byte_flip),   cmocka_unit_test(refuses_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
