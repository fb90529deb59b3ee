/* SPDX-License-Identifier: Apache-2.0 */
/* execz dis: bytes to text. Lines of hexadecimal here, code objects in dis_object.c. */
#include "dis.h"

#include <inttypes.h>
#include <stdlib.h>

static const cli_option options[] = {
    {'t', "target", "TARGET", "the GPU that the code is for; of a bundle, which one to show", CLI_TARGET_ID,
     offsetof(dis_options, id)},
    {0, "wave", "32|64", "lanes of a wave, for the size of lane masks", CLI_WAVE,
     offsetof(dis_options, wave)},
    {0, "true16", NULL, "write half registers (v5.l) also where they are not the default", CLI_FLAG,
     offsetof(dis_options, true16)},
    {0, "hex", NULL, "FILE has lines of bytes in memory order: c1040a74", CLI_FLAG,
     offsetof(dis_options, hex)},
    {0, "kernel", "NAME", "only this kernel", CLI_TEXT, offsetof(dis_options, kernel)},
    {0, "kernels", NULL, "before the code, say what its kernels are and take", CLI_FLAG,
     offsetof(dis_options, kernels)},
    {0, "labels", NULL, "write labels and directives, as a text that assembles to the same bytes", CLI_FLAG,
     offsetof(dis_options, labels)},
    {0, "json", NULL, "print JSON, an array with an object for each code object", CLI_FLAG,
     offsetof(dis_options, json)},
    {'z', "zeroes", NULL, "show all zeros; otherwise long runs of them are ...", CLI_FLAG,
     offsetof(dis_options, zeroes)},
    {0, "color", "WHEN", "auto (the default: on a terminal), always or never", CLI_COLOUR,
     offsetof(dis_options, colour)},
    {0}};

/* The bytes of a line of hexadecimal digits; blanks between bytes are allowed, a comment may follow.
 * Returns their number, or -1 with the offset of what is wrong in *wrong. */
static long hex_bytes(const char *line, size_t length, uint8_t *bytes, size_t *wrong) {
    long n = 0;
    size_t i = 0;
    while (i < length && line[i] != '#' && line[i] != ';' && line[i] != '/') {
        if (line[i] == ' ' || line[i] == '\t') {
            i++;
            continue;
        }
        int high = cli_hex_digit(line[i]), low = i + 1 < length ? cli_hex_digit(line[i + 1]) : -1;
        if (high < 0 || low < 0) {
            *wrong = high < 0 ? i : i + 1;
            return -1;
        }
        bytes[n++] = (uint8_t)(high << 4 | low);
        i += 2;
    }
    return n;
}

static void print_code(const dis_options *o, const uint8_t *bytes, size_t size) {
    ez_inst inst;
    ez_status status;
    char text[EZ_TEXT_MAX];
    ez_text_flags flags = o->true16 ? EZ_TEXT_TRUE16 : EZ_TEXT_DEFAULT;
    for (size_t at = 0, from = 0; from < size; from = at) {
        status = ez_decode_next(o->id.target, o->wave, bytes, size, &at, &inst);
        if (status == EZ_OK) {
            ez_print(&inst, flags, text, sizeof text);
            puts(text);
        } else if (at - from == 4) {
            printf(".long 0x%" PRIx32 "\n", ez_dword_at(bytes + from));
        } else {
            for (size_t i = from; i < at; i++)
                printf("%s0x%02x", i == from ? ".byte " : ", ", bytes[i]);
            putchar('\n');
        }
    }
}

static int dis_hex(const dis_options *o, const char *path) {
    size_t size, wrong = 0;
    char *text = cli_read(path, &size);
    uint8_t *bytes = text ? malloc(size / 2 + 1) : NULL;
    int result = text && bytes ? CLI_OK : CLI_INPUT;
    cli_lines lines = {text, text ? text + size : NULL, NULL, 0, 0};
    while (bytes && cli_next_line(&lines)) {
        long n = hex_bytes(lines.line, lines.length, bytes, &wrong);
        if (n >= 0) {
            print_code(o, bytes, (size_t)n);
        } else {
            cli_error_at(cli_input_name(path), lines.number, (unsigned)wrong + 1, lines.line, lines.length,
                         "expected bytes as pairs of hexadecimal digits");
            result = CLI_INPUT;
        }
    }
    free(bytes);
    free(text);
    return result;
}

static int run(const cli_command *self, int argc, char **argv) {
    dis_options o = {0};
    int words, status = cli_options(self, argc, argv, &o, &words);
    if (status != CLI_GO) return status;
    const char *path = words ? argv[0] : NULL;
    if (o.hex || o.id.target) status = cli_check_target(self, o.id.target, o.wave);
    if (status != CLI_GO) return status;
    if (o.hex && (o.kernel || o.kernels || o.labels || o.json || o.zeroes))
        return cli_usage(
            self, "--kernel, --kernels, --labels, --json and --zeroes are for code objects, not for --hex");
    if (o.labels + o.json + o.kernels > 1)
        return cli_usage(self, "--kernels, --labels and --json exclude each other");
    return o.hex ? dis_hex(&o, path) : dis_object(&o, path);
}

const cli_command cli_dis = {
    "dis",
    "Disassemble bytes or a code object.",
    "[-t TARGET] [FILE]",
    "FILE (or standard input) is a code object, a bundle or a program that holds some, and is printed as\n"
    "llvm-objdump -d does; with --hex, lines of bytes. What cannot be decoded is printed as .long and "
    "assembles to\n"
    "the same bytes again.\n\n"
    "  $ echo c1040a74 | execz dis -t gfx1100 --hex\n"
    "  v_min_f16_e32 v5.l, -1, v2.l\n",
    options,
    0,
    1,
    run};
