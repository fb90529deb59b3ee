/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The generators of Debian's librocrand.so.1 that work from tables, on the device, beside plain C of the published algorithms: Sobol'
 * sequences in 32 and 64 bits (Bratley and Fox, "Algorithm 659", 1988, in Gray code order; direction numbers of Joe and Kuo,
 * "Constructing Sobol sequences with better two-dimensional projections", 2008, their file new-joe-kuo-6) and MTGP32 (Saito and
 * Matsumoto, "Variants of Mersenne Twister suitable for graphic processors", 2013). MTGP32's parameters are read from rocRAND's
 * header, which has them from its authors. How results of several dimensions or blocks lie in the output is rocRAND's choice.
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct rocrand_generator_base_type *rocrand_generator;
int rocrand_create_generator(rocrand_generator *generator, int type);
int rocrand_destroy_generator(rocrand_generator generator);
int rocrand_set_seed(rocrand_generator generator, unsigned long long seed);
int rocrand_set_quasi_random_generator_dimensions(rocrand_generator generator, unsigned dimensions);
int rocrand_generate(rocrand_generator generator, unsigned *output, size_t n);
int rocrand_generate_uniform_double(rocrand_generator generator, double *output, size_t n);
int hipMalloc(void **pointer, size_t size);
int hipMemcpy(void *to, const void *from, size_t size, int kind);
int hipFree(void *pointer);
enum { MTGP32 = 403, SOBOL32 = 501, SOBOL64 = 504, DEVICE_TO_HOST = 2 };

/* ---- Sobol': DIMENSIONS sequences of POINTS, one behind the other ---- */

enum { DIMENSIONS = 10, POINTS = 3000 };

/* Degree and coefficients of the primitive polynomial, first direction numbers; dimension 1 has none. */
static const struct joe_kuo {
    unsigned s, a, m[5];
} joe_kuo[DIMENSIONS - 1] = {{1, 0, {1}},
                             {2, 1, {1, 3}},
                             {3, 1, {1, 3, 1}},
                             {3, 2, {1, 1, 1}},
                             {4, 1, {1, 1, 3, 3}},
                             {4, 4, {1, 3, 5, 13}},
                             {5, 2, {1, 1, 5, 5, 17}},
                             {5, 4, {1, 1, 5, 5, 5}},
                             {5, 7, {1, 1, 7, 11, 19}}};

/* v[k] = m[k] * 2^(bits - 1 - k), with m by the recurrence of the polynomial. */
static void directions(unsigned dimension, unsigned bits, uint64_t v[64]) {
    for (unsigned k = 0; k < bits; k++)
        v[k] = UINT64_C(1) << (bits - 1 - k);
    if (dimension == 0) return;
    const struct joe_kuo *p = &joe_kuo[dimension - 1];
    for (unsigned k = 0; k < p->s; k++)
        v[k] = (uint64_t)p->m[k] << (bits - 1 - k);
    for (unsigned k = p->s; k < bits; k++) {
        v[k] = v[k - p->s] ^ v[k - p->s] >> p->s;
        for (unsigned i = 1; i < p->s; i++)
            if (p->a >> (p->s - 1 - i) & 1) v[k] ^= v[k - i];
    }
}

static void sobol(unsigned bits, uint64_t *out) {
    uint64_t v[64];
    for (unsigned d = 0; d < DIMENSIONS; d++) {
        uint64_t x = 0;
        directions(d, bits, v);
        for (uint32_t i = 0; i < POINTS; i++) {
            out[d * POINTS + i] = x;
            x ^= v[__builtin_ctz(~i)];
        }
    }
}

/* ---- MTGP32: a parameter set for each of the 512 blocks, whose 256 threads make numbers that follow each other ---- */

enum { BLOCKS = 512, THREADS = 256, STATE = 351, NUMBERS = 3 * BLOCKS * THREADS - 77 };
#define SEED UINT64_C(0x123456789abcdef)

typedef struct parameters {
    unsigned long mexp, pos, sh1, sh2, table[16], temper[16], single[16], mask;
} parameters;

/* The next number of the header, behind comments and UINT32_C. */
static unsigned long number(FILE *file) {
    char text[32];
    size_t n = 0;
    for (int c; (c = getc(file)) != EOF;) {
        if (c == '/') { /* "No.0 delta:1924 weight:1595" */
            int last = 0;
            getc(file);
            while ((c = getc(file)) != EOF && !(last == '*' && c == '/'))
                last = c;
        } else if (c == 'U') {
            while ((c = getc(file)) != '(' && c != EOF)
                continue;
        } else if (isalnum(c) && n + 1 < sizeof text) {
            text[n++] = (char)c;
        } else if (n) {
            break;
        }
    }
    text[n] = 0;
    return strtoul(text, NULL, 0);
}

static int read_parameters(parameters p[BLOCKS]) {
    FILE *file = fopen(MTGP32_TABLE, "r");
    char line[200];
    if (!file) return 0;
    while (fgets(line, sizeof line, file) && !strstr(line, " = {"))
        continue;
    for (int b = 0; b < BLOCKS; b++) {
        unsigned long *all = (unsigned long *)&p[b];
        for (size_t i = 0; i < sizeof p[b] / sizeof *all; i++)
            all[i] = number(file);
        for (int i = 0; i < 21; i++) /* a checksum of the polynomial */
            number(file);
    }
    fclose(file);
    return p[BLOCKS - 1].mexp == 11213;
}

/* The first `count` numbers of the block's sequence. */
static void mtgp32(const parameters *p, uint32_t mask, uint32_t seed, uint32_t *out, int count) {
    uint32_t *x = malloc((size_t)(STATE + count) * sizeof *x);
    uint32_t hidden = (uint32_t)(p->table[4] ^ p->table[8] << 16), fill = hidden;
    fill += fill >> 16;
    fill += fill >> 8;
    memset(x, (int)(fill & 0xff), STATE * sizeof *x);
    x[0] = seed;
    x[1] = hidden;
    for (uint32_t i = 1; i < STATE; i++)
        x[i] ^= 1812433253u * (x[i - 1] ^ x[i - 1] >> 30) + i;
    for (int i = 0; i < count; i++) {
        uint32_t a = (x[i] & mask) ^ x[i + 1], t = x[i + p->pos - 1];
        a ^= a << p->sh1;
        uint32_t b = a ^ x[i + p->pos] >> p->sh2;
        x[i + STATE] = b ^ (uint32_t)p->table[b & 15];
        t ^= t >> 16;
        t ^= t >> 8;
        out[i] = x[i + STATE] ^ (uint32_t)p->temper[t & 15];
    }
    free(x);
}

static int expect_mtgp32(uint64_t *out) {
    static parameters p[BLOCKS];
    static uint32_t own[3 * THREADS];
    if (!read_parameters(p)) return 0;
    for (int b = 0; b < BLOCKS; b++) {
        mtgp32(&p[b], (uint32_t)p[0].mask, (uint32_t)(SEED ^ SEED >> 32) + (uint32_t)b + 1, own, 3 * THREADS);
        for (int i = 0; i < 3 * THREADS; i++) {
            int at = (i / THREADS * BLOCKS + b) * THREADS + i % THREADS;
            if (at < NUMBERS) out[at] = own[i];
        }
    }
    return 1;
}

/* ---- the library ---- */

static int generate(int type, size_t count, size_t size, void *out) {
    rocrand_generator generator;
    void *p;
    if (hipMalloc(&p, count * size) || rocrand_create_generator(&generator, type)) return 1;
    if (type == MTGP32 ? rocrand_set_seed(generator, SEED)
                       : rocrand_set_quasi_random_generator_dimensions(generator, DIMENSIONS))
        return 2;
    if (type == SOBOL64 ? rocrand_generate_uniform_double(generator, p, count)
                        : rocrand_generate(generator, p, count))
        return 3;
    if (hipMemcpy(out, p, count * size, DEVICE_TO_HOST) || rocrand_destroy_generator(generator) || hipFree(p))
        return 4;
    return 0;
}

static int compare(const char *name, int type, size_t count, const uint64_t *want) {
    size_t size = type == SOBOL64 ? 8 : 4;
    char *got = malloc(count * size);
    int wrong = 0, status = generate(type, count, size, got);
    if (status) printf("%s: rocRAND fails in step %d\n", name, status);
    for (size_t i = 0; i < count && !status; i++) {
        double value =
            0x1p-53 + (double)(want[i] >> 11) * 0x1p-53; /* rocRAND has no 64-bit integers: 53 bits */
        uint32_t word = (uint32_t)want[i];
        if (memcmp(got + i * size, type == SOBOL64 ? (void *)&value : (void *)&word, size) && wrong++ < 3)
            printf("%s: [%zu] is not %llx\n", name, i, (unsigned long long)want[i]);
    }
    if (wrong) printf("%s: %d of %zu are wrong\n", name, wrong, count);
    free(got);
    return status || wrong;
}

int main(void) {
    static uint64_t want[NUMBERS];
    int bad = 0;
    sobol(32, want);
    bad |= compare("sobol32", SOBOL32, DIMENSIONS * POINTS, want);
    sobol(64, want);
    bad |= compare("sobol64", SOBOL64, DIMENSIONS * POINTS, want);
    if (!expect_mtgp32(want)) {
        printf("%s cannot be read\n", MTGP32_TABLE);
        return 1;
    }
    bad |= compare("mtgp32", MTGP32, NUMBERS, want);
    if (!bad) printf("ok\n");
    return bad;
}
