/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A law: ez_disassemble() gives what ez_decode() and ez_print() give (which other tests compare with llvm-mc). On every
 * target: instructions of every row and form whose bits are changed at random, a few at a time, so that what was learned
 * from one is used for the next; and random dwords.
 *
 *     test_disassembler [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "execz/execz.h"

static uint64_t state;

static uint32_t random32(void) { /* splitmix64 */
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) >> 16);
}

static unsigned long compared, decoded;

/* False, having said why, when the two ways differ. */
static bool same(ez_disassembler *d, const ez_target *target, unsigned wave, ez_text_flags flags,
                 const uint32_t *word, size_t size) {
    uint8_t bytes[EZ_INST_MAX_BYTES];
    char text[EZ_TEXT_MAX], expected[EZ_TEXT_MAX] = "";
    ez_inst a, b;
    size_t at = 0, from = 0, length = 0;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(word[i / 4] >> 8 * (i % 4));
    ez_status plain = ez_decode_next(target, wave, bytes, size, &from, &a);
    ez_status fast = ez_disassemble(d, bytes, size, &at, &b, text, &length);
    if (!plain) ez_print(&a, flags, expected, sizeof expected);
    compared++;
    decoded += !plain;
    bool good = plain == fast && at == from;
    if (good && !plain)
        good = a.op == b.op && a.layout == b.layout && a.form == b.form && a.size == b.size &&
               a.wave == b.wave && !memcmp(a.word, b.word, sizeof a.word) && length == strlen(expected) &&
               !strcmp(text, expected);
    if (!good)
        fprintf(stderr, "%s wave%u %08x %08x %08x %08x (%zu bytes): '%s' (%d), expected '%s' (%d)\n",
                ez_target_name(target), wave, word[0], word[1], word[2], word[3], size, fast ? "" : text,
                fast, expected, plain);
    return good;
}

/* Variations of one example. */
static bool vary(ez_disassembler *d, const ez_target *target, unsigned wave, ez_text_flags flags,
                 const ez_inst *example, unsigned rounds) {
    uint32_t word[EZ_INST_MAX_BYTES / 4];
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = 0; i < EZ_INST_MAX_BYTES / 4; i++)
            word[i] = 4 * i < example->size ? example->word[i] : random32();
        for (unsigned flips = random32() % 7; round && flips; flips--)
            word[random32() % (example->size / 4u)] ^= 1u << random32() % 32;
        for (unsigned k = 0; k < 3; k++) { /* the same again, with other operands */
            size_t size = random32() % 8 ? sizeof word : 4 + random32() % (sizeof word - 4);
            if (!same(d, target, wave, flags, word, size)) return false;
            word[0] = (word[0] & ~UINT32_C(0x1ff)) | (random32() & 0x1ff);
            word[1] = (word[1] & ~UINT32_C(0xffff)) | (random32() & 0xffff);
        }
    }
    return true;
}

static bool check(const ez_target *target, unsigned wave, ez_text_flags flags, unsigned rounds) {
    ez_disassembler *d;
    ez_inst example;
    uint32_t word[EZ_INST_MAX_BYTES / 4];
    if (ez_disassembler_open(target, wave, flags, &d) != EZ_OK) {
        fprintf(stderr, "ez_disassembler_open failed\n");
        return false;
    }
    bool good = true;
    for (unsigned op = 1; op <= ez_op_count() && good; op++) {
        ez_op_form forms[EZ_OP_FORMS_MAX];
        size_t n = ez_op_forms(op, target, forms, EZ_OP_FORMS_MAX);
        for (size_t f = 0; f < n && good; f++)
            if (ez_op_example(op, target, wave, forms[f].form, &example))
                good = vary(d, target, wave, flags, &example, rounds);
    }
    for (unsigned n = 0; n < 2000 * rounds && good; n++) {
        for (unsigned i = 0; i < EZ_INST_MAX_BYTES / 4; i++)
            word[i] = random32();
        good = same(d, target, wave, flags, word, sizeof word);
    }
    ez_disassembler_close(d);
    return good;
}

int main(int argc, char **argv) {
    unsigned rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 4, failed = 0;
    for (size_t t = 0; t < ez_target_count(); t++) {
        const ez_target *target = ez_target_at(t);
        state = 1 + t;
        for (unsigned wave = 32; wave <= 64; wave += 32)
            if (ez_target_has_wave(target, wave))
                for (int true16 = 0; true16 < 2; true16++)
                    failed += !check(target, wave, true16 ? EZ_TEXT_TRUE16 : EZ_TEXT_DEFAULT, rounds);
    }
    printf("%lu words, of which %lu decode: %u of the runs differ\n", compared, decoded, failed);
    return failed != 0;
}
