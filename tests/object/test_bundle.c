/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Containers of code objects: plain and compressed bundles, several in a row, host files; damaged
 * ones with their messages; and the choice of the entry for a target. A real one, Debian's
 * librocrand1, is read when it is installed.
 */
#include "craft.h"
#include "execz/object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

enum { ZLIB, ZSTD };

static ez_bundle *open_good(const void *bytes, size_t size) {
    ez_bundle *bundle;
    ez_error err = {0};
    ez_status status = ez_bundle_open_memory(bytes, size, &bundle, &err);
    assert_string_equal(err.message, "");
    assert_int_equal(status, EZ_OK);
    return bundle;
}

static void expect_error(const buffer *b, ez_status status, uint64_t offset, const char *message) {
    ez_bundle *bundle = (ez_bundle *)&bundle;
    ez_error err = {0};
    ez_status got = ez_bundle_open_memory(b->bytes, b->size, &bundle, &err);
    assert_string_equal(err.message, message);
    assert_int_equal(got, status);
    assert_int_equal(err.offset, offset);
    assert_null(bundle);
}

/* Host, gfx906 with xnack off, generic: the first is empty, as clang writes it. */
static const char *const ids[] = {"host-x86_64-unknown-linux-gnu-",
                                  "hipv4-amdgcn-amd-amdhsa--gfx906:xnack-",
                                  "hip-amdgcn-amd-amdhsa-unknown-gfx9-4-generic"};
static const buffer contents[] = {
    {NULL, 0}, {(uint8_t *)"first", 5}, {(uint8_t *)"second one", 10}};

static buffer plain_bundle(void) {
    buffer b = {0};
    craft_bundle(&b, 3, ids, contents);
    return b;
}

static void check_group(const ez_bundle *bundle, size_t group) {
    size_t n;
    const ez_bundle_entry *e = ez_bundle_entries(bundle, &n);
    assert_true(n >= 2 * (group + 1));
    for (size_t i = 0; i < 2; i++) {
        const ez_bundle_entry *entry = &e[2 * group + i];
        assert_string_equal(entry->id, ids[i + 1]);
        assert_int_equal(entry->size, contents[i + 1].size);
        assert_memory_equal(entry->bytes, contents[i + 1].bytes, entry->size);
        assert_int_equal(entry->group, group);
    }
    assert_string_equal(e[2 * group].target.processor, "gfx906");
    assert_int_equal(e[2 * group].target.xnack, EZ_SETTING_OFF);
    assert_int_equal(e[2 * group].target.sramecc, EZ_SETTING_UNSUPPORTED);
    assert_string_equal(e[2 * group + 1].target.processor, "gfx9-4-generic");
}

static void reads_plain(void **state) {
    (void)state;
    buffer b = plain_bundle();
    ez_bundle *bundle = open_good(b.bytes, b.size);
    check_group(bundle, 0);
    assert_int_equal(ez_bundle_group_count(bundle), 1);
    ez_bundle_close(bundle);
    free(b.bytes);
}

static void reads_bare_object(void **state) {
    (void)state;
    craft c = craft_default();
    size_t n;
    ez_bundle *bundle = open_good(c.bytes, c.size);
    const ez_bundle_entry *e = ez_bundle_entries(bundle, &n);
    assert_int_equal(n, 1);
    assert_string_equal(e->id, "");
    assert_ptr_equal(e->bytes, c.bytes);
    assert_string_equal(e->target.processor, "gfx90a");
    ez_bundle_close(bundle);
    craft_free(&c);
}

/* ---- compression; the header is written here from its description, not by the reader ---- */

static buffer compress_payload(const void *bytes, size_t size, int method) {
    buffer b = {0};
    size_t bound = method == ZLIB ? compressBound(size) : ZSTD_compressBound(size);
    b.bytes = malloc(bound);
    assert_non_null(b.bytes);
    if (method == ZLIB) {
        uLongf n = bound;
        assert_int_equal(compress2(b.bytes, &n, bytes, size, 9), Z_OK);
        b.size = n;
    } else {
        b.size = ZSTD_compress(b.bytes, bound, bytes, size, 3);
        assert_false(ZSTD_isError(b.size));
    }
    return b;
}

static void add_ccob(buffer *out, const buffer *content, unsigned version, int method) {
    buffer payload = compress_payload(content->bytes, content->size, method);
    unsigned width = version == 3 ? 8 : 4;
    buffer_add(out, "CCOB", 4);
    buffer_integer(out, version, 2);
    buffer_integer(out, (unsigned)method, 2);
    if (version > 1) buffer_integer(out, 8 + 2 * width + 8 + payload.size, width);
    buffer_integer(out, content->size, width);
    buffer_integer(out, 0x123456789abcdef0, 8);
    buffer_add(out, payload.bytes, payload.size);
    free(payload.bytes);
}

static void reads_compressed(void **state) {
    (void)state;
    buffer b = plain_bundle();
    for (unsigned version = 1; version <= 3; version++)
        for (int method = ZLIB; method <= ZSTD; method++) {
            buffer packed = {0};
            add_ccob(&packed, &b, version, method);
            ez_bundle *bundle = open_good(packed.bytes, packed.size);
            check_group(bundle, 0);
            ez_bundle_close(bundle);
            free(packed.bytes);
        }
    free(b.bytes);
}

/* One bundle for each translation unit, each aligned, some compressed. */
static buffer concatenated(const buffer *b) {
    buffer all = {0};
    buffer_add(&all, b->bytes, b->size);
    buffer_pad(&all, 4096);
    for (unsigned version = 1; version <= 3; version++)
        for (int method = ZLIB; method <= ZSTD; method++) {
            add_ccob(&all, b, version, method);
            buffer_pad(&all, version == 2 ? 1 : 8);
        }
    buffer_pad(&all, 4096);
    buffer_add(&all, b->bytes, b->size);
    return all;
}

static void reads_concatenated_in_host(void **state) {
    (void)state;
    buffer b = plain_bundle(), all = concatenated(&b);
    craft host = craft_host(all.bytes, all.size);
    ez_bundle *bundle = open_good(host.bytes, host.size);
    assert_int_equal(ez_bundle_group_count(bundle), 8);
    for (size_t group = 0; group < 8; group++)
        check_group(bundle, group);
    const ez_bundle_entry *entry;
    assert_int_equal(ez_bundle_select(bundle, 5, "gfx906", &entry, NULL), EZ_OK);
    assert_int_equal(entry->group, 5);
    ez_bundle_close(bundle);
    craft_free(&host);
    free(all.bytes);
    free(b.bytes);
}

/* ---- damage ---- */

static void refuses_broken_plain(void **state) {
    (void)state;
    static const struct {
        size_t at;
        uint64_t value;
        uint64_t offset;
        const char *message;
    } cases[] = {
        {24, UINT64_MAX, 24, "offload bundle of 8202 bytes claims 18446744073709551615 entries"},
        {32 + 54 + 16, UINT64_MAX, 86,
         "entry 1 of the offload bundle has an id of 18446744073709551615 bytes"},
        {32 + 54, UINT64_MAX, 86,
         "truncated offload bundle: entry 'hipv4-amdgcn-amd-amdhsa--gfx906:xnack-' has 5 bytes at "
         "offset 18446744073709551615, the bundle has 8202"},
        {32 + 54 + 8, UINT64_MAX - 4095, 86,
         "truncated offload bundle: entry 'hipv4-amdgcn-amd-amdhsa--gfx906:xnack-' has "
         "18446744073709547520 bytes at offset 4096, the bundle has 8202"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer b = plain_bundle();
        craft_put(b.bytes + cases[i].at, cases[i].value, 8);
        expect_error(&b, EZ_ERR_FORMAT, cases[i].offset, cases[i].message);
        free(b.bytes);
    }
    buffer b = plain_bundle();
    memcpy(b.bytes + 32 + 54 + 24 + 31, ":xnock-", 7);
    expect_error(
        &b, EZ_ERR_FORMAT, 86,
        "'hipv4-amdgcn-amd-amdhsa--gfx906:xnock-' is no target id: after 'gfx906' expected "
        "sramecc or xnack with + or -, each once");
    b.size = 30;
    expect_error(&b, EZ_ERR_FORMAT, 0, "truncated offload bundle: 30 bytes");
    b.size = 5;
    expect_error(&b, EZ_ERR_FORMAT, 0,
                 "neither an ELF file nor an offload bundle: it starts with 5f 5f 43 4c");
    b.size = 0;
    expect_error(&b, EZ_ERR_FORMAT, 0, "the file is empty");
    free(b.bytes);

    b = (buffer){0};
    craft_bundle(&b, 1, ids, contents);
    expect_error(&b, EZ_ERR_NOT_FOUND, 0, "the offload bundle has no code for an AMD GPU");
    buffer_add(&b, "junk", 4);
    expect_error(
        &b, EZ_ERR_FORMAT, 4096,
        "byte 0x6a at offset 4096, expected an offload bundle: __CLANG_OFFLOAD_BUNDLE__ or "
        "CCOB");
    free(b.bytes);
}

static void refuses_broken_compressed(void **state) {
    (void)state;
    static const struct {
        size_t at;
        unsigned width;
        uint64_t value;
        ez_status status;
        uint64_t offset;
        const char *message;
    } cases[] = {
        {4, 2, 4, EZ_ERR_UNSUPPORTED, 4, "compressed bundle of version 4, expected 1 to 3"},
        {6, 2, 2, EZ_ERR_UNSUPPORTED, 6,
         "compressed bundle with method 2, expected 0 (zlib) or 1 (zstd)"},
        {8, 8, 31, EZ_ERR_FORMAT, 8,
         "truncated compressed bundle: its header says 31 bytes, there are 97"},
        {8, 8, UINT64_MAX, EZ_ERR_FORMAT, 8,
         "truncated compressed bundle: its header says 18446744073709551615 bytes, there are 97"},
        {16, 8, UINT64_MAX, EZ_ERR_LIMIT, 0,
         "compressed bundle of 65 bytes that claims to expand to 18446744073709551615"},
        {16, 8, 2049 * 65, EZ_ERR_FORMAT, 0,
         "compressed bundle (version 3, zlib, 133185 bytes expanded): it is shorter than the "
         "header "
         "says"},
        {16, 8, 23, EZ_ERR_FORMAT, 0,
         "compressed bundle (version 3, zlib, 23 bytes expanded): the zlib stream is cut off, or "
         "longer than the header says"},
        {32, 1, 0xff, EZ_ERR_FORMAT, 0,
         "compressed bundle (version 3, zlib, 50 bytes expanded): damaged zlib stream"},
    };
    /* incompressible, so that sizes do not depend on the version of the library: stored blocks */
    uint8_t noise[50];
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)(i * i * 37 + i * 11 + (i >> 2) * 101);
    buffer content = {noise, sizeof noise}, good = {0};
    add_ccob(&good, &content, 3, ZLIB);
    good.size = 32;
    uint8_t stored[65] = {0x78, 0x01, 0x01, 50, 0, (uint8_t)~50, 0xff};
    memcpy(stored + 7, noise, 50);
    uint32_t sum = (uint32_t)adler32(1, noise, 50);
    for (int i = 0; i < 4; i++)
        stored[57 + i] = (uint8_t)(sum >> 8 * (3 - i));
    buffer_add(&good, stored, sizeof stored);
    craft_put(good.bytes + 8, good.size, 8);
    expect_error(&good, EZ_ERR_FORMAT, 0,
                 "compressed bundle that does not expand to an offload bundle");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer b = {0};
        buffer_add(&b, good.bytes, good.size);
        craft_put(b.bytes + cases[i].at, cases[i].value, cases[i].width);
        expect_error(&b, cases[i].status, cases[i].offset, cases[i].message);
        free(b.bytes);
    }
    good.size = 7;
    expect_error(&good, EZ_ERR_FORMAT, 0, "truncated compressed bundle: 7 bytes of header");
    good.size = 31;
    expect_error(&good, EZ_ERR_FORMAT, 0,
                 "truncated compressed bundle: 31 bytes, the header of version 3 has 32");
    free(good.bytes);
}

static void refuses_other_files(void **state) {
    (void)state;
    craft host = craft_host("", 0);
    buffer b = {host.bytes, host.size};
    expect_error(&b, EZ_ERR_NOT_FOUND, 0, "the offload bundle has no code for an AMD GPU");
    host.bytes[0x41] = 'x'; /* .hip_fatbin -> xhip_fatbin */
    expect_error(&b, EZ_ERR_NOT_FOUND, 0,
                 "a file for machine 62 (x86-64) without AMD GPU code: it has no section "
                 ".hip_fatbin");
    craft_free(&host);
    craft c = craft_default();
    b = (buffer){c.bytes, 100};
    expect_error(&b, EZ_ERR_FORMAT, 64,
                 "truncated ELF file: the program header table of 4 entries at offset 64 ends "
                 "beyond the 100 bytes of the file");
    craft_free(&c);
}

/* No input of the wrong length or with a wrong byte does harm. */
static void survives_damage(void **state) {
    (void)state;
    buffer small = {0}, all = {0};
    static const char *const id[] = {"hip-amdgcn-amd-amdhsa--gfx90a"};
    static const buffer content[] = {{(uint8_t *)"x", 1}};
    craft_bundle(&small, 1, id, content);
    add_ccob(&all, &small, 1, ZSTD);
    add_ccob(&all, &small, 2, ZLIB);
    add_ccob(&all, &small, 3, ZSTD);
    craft host = craft_host(all.bytes, all.size);
    for (size_t size = 0; size < host.size; size++) {
        uint8_t *copy = malloc(size ? size : 1);
        ez_bundle *bundle;
        assert_non_null(copy);
        memcpy(copy, host.bytes, size);
        assert_int_not_equal(ez_bundle_open_memory(copy, size, &bundle, NULL), EZ_OK);
        free(copy);
    }
    for (size_t at = 0; at < host.size; at++)
        for (unsigned flip = 1; flip < 256; flip += 42) {
            ez_bundle *bundle;
            host.bytes[at] ^= (uint8_t)flip;
            ez_bundle_open_memory(host.bytes, host.size, &bundle, NULL);
            ez_bundle_close(bundle);
            host.bytes[at] ^= (uint8_t)flip;
        }
    craft_free(&host);
    free(all.bytes);
    free(small.bytes);
}

/* ---- target ids ---- */

static void parses_target_ids(void **state) {
    (void)state;
    static const struct {
        const char *text, *canonical; /* NULL: an error */
    } cases[] = {
        {"gfx906", "gfx906"},
        {"gfx90a:xnack+:sramecc-", "gfx90a:sramecc-:xnack+"},
        {"gfx9-4-generic", "gfx9-4-generic"},
        {"gfx9-4-generic:xnack-", "gfx9-4-generic:xnack-"},
        {"amdgcn-amd-amdhsa--gfx1100", "gfx1100"},
        {"hipv4-amdgcn-amd-amdhsa--gfx10-3-generic", "gfx10-3-generic"},
        {"openmp-amdgcn-amd-amdhsa-gfx90a", "gfx90a"},
        {"hip-spirv64-amd-amdhsa--amdgcnspirv", "amdgcnspirv"},
        {"", NULL},
        {"hip-amdgcn-amd-amdhsa--", NULL},
        {":xnack+", NULL},
        {"gfx90a:", NULL},
        {"gfx90a:xnack", NULL},
        {"gfx90a:xnack+:xnack+", NULL},
        {"gfx90a:xnack+ ", NULL},
        {"gfx90a_gfx90a_gfx90a_gfx90a_gfx90a", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ez_target_id id;
        char text[64];
        ez_status status = ez_target_id_parse(cases[i].text, strlen(cases[i].text), &id, NULL);
        if (status != (cases[i].canonical ? EZ_OK : EZ_ERR_FORMAT))
            print_error("%s\n", cases[i].text);
        assert_int_equal(status, cases[i].canonical ? EZ_OK : EZ_ERR_FORMAT);
        if (cases[i].canonical)
            assert_string_equal(ez_target_id_print(&id, text, sizeof text), cases[i].canonical);
    }
}

/* Source: AMDGPUUsage, "Target ID" and "Generic Processor". */
static void selects_best(void **state) {
    (void)state;
    static const struct {
        const char *entries[5], *target, *best; /* NULL: none */
    } cases[] = {
        {{"gfx906", "gfx90a"}, "gfx90a", "gfx90a"},
        {{"gfx906", "gfx90a"}, "gfx908", NULL},
        {{"gfx90a:xnack+", "gfx90a:xnack-"}, "gfx90a:xnack-", "gfx90a:xnack-"},
        {{"gfx90a:xnack+", "gfx90a:xnack-"}, "gfx90a:xnack+", "gfx90a:xnack+"},
        {{"gfx90a:xnack+", "gfx90a:xnack-"}, "gfx90a", "gfx90a:xnack-"},
        {{"gfx90a:xnack+", "gfx90a:xnack-", "gfx90a"}, "gfx90a", "gfx90a"},
        {{"gfx90a", "gfx90a:xnack-"}, "gfx90a:xnack-", "gfx90a:xnack-"},
        {{"gfx90a:xnack+"}, "gfx90a:xnack-", NULL},
        {{"gfx90a:sramecc-:xnack+"}, "gfx90a:sramecc+:xnack+", NULL},
        {{"gfx9-4-generic", "gfx942"}, "gfx942", "gfx942"},
        {{"gfx9-generic", "gfx9-4-generic"}, "gfx950", "gfx9-4-generic"},
        {{"gfx9-generic", "gfx9-4-generic"}, "gfx906", "gfx9-generic"},
        {{"gfx9-generic"}, "gfx908", NULL},
        {{"gfx9-generic"}, "gfx90a", NULL},
        {{"gfx10-1-generic", "gfx10-3-generic"}, "gfx1013", "gfx10-1-generic"},
        {{"gfx10-1-generic", "gfx10-3-generic"}, "gfx1036", "gfx10-3-generic"},
        {{"gfx11-generic", "gfx12-generic"}, "gfx1153", "gfx11-generic"},
        {{"gfx11-generic", "gfx12-generic"}, "gfx1201", "gfx12-generic"},
        {{"gfx12-generic"}, "gfx1250", NULL},
        {{"gfx11-generic"}, "gfx11-generic", "gfx11-generic"},
        {{"gfx1100"}, "gfx11-generic", NULL},
        {{"gfx110"}, "gfx1100", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer b = {0}, data[5];
        size_t n = 0;
        while (n < 5 && cases[i].entries[n]) {
            data[n] = (buffer){(uint8_t *)"code", 4};
            n++;
        }
        craft_bundle(&b, n, cases[i].entries, data);
        ez_bundle *bundle = open_good(b.bytes, b.size);
        const ez_bundle_entry *entry;
        ez_error err;
        ez_status status =
            ez_bundle_select(bundle, EZ_BUNDLE_ANY_GROUP, cases[i].target, &entry, &err);
        if (!entry != !cases[i].best) print_error("case %zu: %s\n", i, cases[i].target);
        assert_int_equal(status, cases[i].best ? EZ_OK : EZ_ERR_NOT_FOUND);
        if (cases[i].best)
            assert_string_equal(entry->id, cases[i].best);
        else
            assert_null(entry);
        ez_bundle_close(bundle);
        free(b.bytes);
    }
    buffer b = plain_bundle();
    ez_bundle *bundle = open_good(b.bytes, b.size);
    const ez_bundle_entry *entry;
    ez_error err;
    ez_bundle_select(bundle, 0, "gfx1100", &entry, &err);
    assert_string_equal(err.message,
                        "no code for gfx1100; there is code for gfx906:xnack-, gfx9-4-generic");
    ez_bundle_close(bundle);
    free(b.bytes);
}

/* ---- a real one ---- */

static void reads_librocrand(void **state) {
    (void)state;
    /* As HIP 5.2's clang bundled it: `clang-offload-bundler -list` and a hex dump agree. */
    static const struct {
        const char *id;
        size_t size;
    } expected[] = {
        {"hipv4-amdgcn-amd-amdhsa--gfx1030", 1642416},
        {"hipv4-amdgcn-amd-amdhsa--gfx803", 1812792},
        {"hipv4-amdgcn-amd-amdhsa--gfx900:xnack-", 1804920},
        {"hipv4-amdgcn-amd-amdhsa--gfx906:xnack-", 1803176},
        {"hipv4-amdgcn-amd-amdhsa--gfx908:xnack-", 1804200},
        {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", 1716600},
        {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", 1716776},
    };
    FILE *file = fopen("/usr/lib/x86_64-linux-gnu/librocrand.so.1", "rb");
    if (!file) {
        print_message("SKIPPED: librocrand.so.1 (Debian package librocrand1) is not installed\n");
        if (getenv("CI")) fail_msg("librocrand1 is needed in CI");
        skip();
    }
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file), n, kernels;
    rewind(file);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, size, file), size);
    fclose(file);
    ez_bundle *bundle = open_good(bytes, size);
    const ez_bundle_entry *e = ez_bundle_entries(bundle, &n);
    assert_int_equal(n, 7);
    for (size_t i = 0; i < n; i++) {
        ez_object *object;
        ez_error err = {0};
        assert_string_equal(e[i].id, expected[i].id);
        assert_int_equal(e[i].size, expected[i].size);
        ez_object_open_memory(e[i].bytes, e[i].size, &object, &err);
        assert_string_equal(err.message, "");
        assert_string_equal(ez_object_target_id(object)->processor, e[i].target.processor);
        ez_object_kernels(object, &kernels);
        assert_int_equal(kernels, 80); /* llvm-readelf: 80 symbols NAME.kd */
        ez_object_close(object);
    }
    ez_bundle_close(bundle);
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_plain),          cmocka_unit_test(reads_bare_object),
        cmocka_unit_test(reads_compressed),     cmocka_unit_test(reads_concatenated_in_host),
        cmocka_unit_test(refuses_broken_plain), cmocka_unit_test(refuses_broken_compressed),
        cmocka_unit_test(refuses_other_files),  cmocka_unit_test(survives_damage),
        cmocka_unit_test(parses_target_ids),    cmocka_unit_test(selects_best),
        cmocka_unit_test(reads_librocrand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
