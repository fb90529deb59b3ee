/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debian's librocrand.so.1 on the device, beside plain C of the published algorithms: Philox4x32-10 (Salmon and others, "Parallel
 * random numbers: as easy as 1, 2, 3", SC11), XORWOW (Marsaglia, "Xorshift RNGs", 2003) and MRG32k3a (L'Ecuyer, "Good parameters and
 * implementations for combined multiple recursive random number generators", 1999). How seeds become states, and how many
 * steps lie between the sequences of threads, is rocRAND's choice and taken from its documentation and headers.
 * The few functions are declared here: the library's own headers come with a package that nothing else needs.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct rocrand_generator_base_type *rocrand_generator;
int rocrand_create_generator(rocrand_generator *generator, int type);
int rocrand_destroy_generator(rocrand_generator generator);
int rocrand_set_seed(rocrand_generator generator, unsigned long long seed);
int rocrand_generate(rocrand_generator generator, unsigned *output, size_t n);
int hipMalloc(void **pointer, size_t size);
int hipMemcpy(void *to, const void *from, size_t size, int kind);
int hipFree(void *pointer);
enum { XORWOW = 401, MRG32K3A = 402, PHILOX = 404, DEVICE_TO_HOST = 2 };

#define SEED UINT64_C(0x89abcdef) /* rocRAND multiplies modulo the primes of MRG32k3a right below 2^32 */
enum { COUNT = 300000 };

/* ---- Philox4x32-10: output i is word i % 4 of the block with counter i / 4 ---- */

static void philox(uint64_t seed, unsigned *out) {
    for (uint32_t block = 0; block < COUNT / 4; block++) {
        uint32_t c[4] = {block, 0, 0, 0}, k[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
        for (int round = 0; round < 10; round++) {
            uint64_t a = UINT64_C(0xd2511f53) * c[0], b = UINT64_C(0xcd9e8d57) * c[2];
            uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b,
                                (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
            memcpy(c, next, sizeof c);
            k[0] += 0x9e3779b9;
            k[1] += 0xbb67ae85;
        }
        memcpy(out + 4 * block, c, sizeof c);
    }
}

/* ---- XORWOW: a thread for every 2^67 steps; a step is linear over bits but for the counter d ---- */

typedef struct xorwow {
    uint32_t x[5], d;
} xorwow_state;

static void step(uint32_t x[5]) {
    uint32_t t = x[0] ^ x[0] >> 2;
    memmove(x, x + 1, 4 * sizeof *x);
    x[4] = (x[4] ^ x[4] << 4) ^ (t ^ t << 1);
}

typedef uint32_t matrix[160][5]; /* row i: where a state with bit i alone goes */

static void apply(matrix m, uint32_t x[5]) {
    uint32_t y[5] = {0};
    for (int i = 0; i < 160; i++)
        if (x[i / 32] >> i % 32 & 1)
            for (int k = 0; k < 5; k++)
                y[k] ^= m[i][k];
    memcpy(x, y, sizeof y);
}

static void jump(matrix m) {
    static matrix square;
    memset(m, 0, sizeof(matrix));
    for (int i = 0; i < 160; i++) {
        m[i][i / 32] = UINT32_C(1) << i % 32;
        step(m[i]);
    }
    for (int n = 0; n < 67; n++) {
        memcpy(square, m, sizeof square);
        for (int i = 0; i < 160; i++)
            apply(square, m[i]);
    }
}

static void xorwow(uint64_t seed, unsigned *out, size_t threads) {
    static matrix by_thread;
    xorwow_state s = {{123456789, 362436069, 521288629, 88675123, 5783321}, 6615241};
    uint32_t t0 = 1228688033u * ((uint32_t)seed ^ 0x2c7f967f),
             t1 = 2073658381u * ((uint32_t)(seed >> 32) ^ 0xa03697cb);
    s.x[0] += t0;
    s.x[1] ^= t0;
    s.x[2] += t1;
    s.x[3] ^= t1;
    s.x[4] += t0;
    s.d += t1 + t0; /* 2^67 steps of d come back to it */
    jump(by_thread);
    for (size_t thread = 0; thread < threads; thread++) {
        xorwow_state own = s;
        for (size_t i = thread; i < COUNT; i += threads) {
            step(own.x);
            out[i] = own.x[4] + (own.d += 362437);
        }
        apply(by_thread, s.x);
    }
}

/* ---- MRG32k3a: two linear recurrences modulo primes; a thread for every 2^76 steps ---- */

#define M1 UINT64_C(4294967087)
#define M2 UINT64_C(4294944443)
typedef uint64_t square3[3][3];

static void multiply(square3 a, square3 b, uint64_t m) { /* a = a * b */
    square3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            c[i][j] = 0;
            for (int k = 0; k < 3; k++)
                c[i][j] = (c[i][j] + a[i][k] * b[k][j] % m) % m;
        }
    memcpy(a, c, sizeof c);
}

static void power(square3 a, unsigned doublings, uint64_t m) {
    for (unsigned n = 0; n < doublings; n++) {
        square3 b;
        memcpy(b, a, sizeof b);
        multiply(a, b, m);
    }
}

static void transform(square3 a, uint64_t s[3], uint64_t m) {
    uint64_t t[3] = {0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            t[i] = (t[i] + a[i][k] * s[k] % m) % m;
    memcpy(s, t, sizeof t);
}

static void mrg32k3a(uint64_t seed, unsigned *out, size_t threads) {
    square3 a1 = {{0, 1, 0}, {0, 0, 1}, {M1 - 810728, 1403580, 0}},
            a2 = {{0, 1, 0}, {0, 0, 1}, {M2 - 1370589, 0, 527612}};
    square3 j1, j2;
    uint32_t x = (uint32_t)seed ^ 0x55555555, y = (uint32_t)(seed >> 32 ^ 0xaaaaaaaa);
    uint64_t s1[3] = {x * (seed % M1) % M1, y * (seed % M1) % M1, x * (seed % M1) % M1};
    uint64_t s2[3] = {y * (seed % M2) % M2, x * (seed % M2) % M2, y * (seed % M2) % M2};
    memcpy(j1, a1, sizeof j1);
    memcpy(j2, a2, sizeof j2);
    power(j1, 76, M1);
    power(j2, 76, M2);
    for (size_t thread = 0; thread < threads; thread++) {
        uint64_t u[3], v[3];
        memcpy(u, s1, sizeof u);
        memcpy(v, s2, sizeof v);
        for (size_t i = thread; i < COUNT; i += threads) {
            transform(a1, u, M1);
            transform(a2, v, M2);
            uint64_t r = u[2] > v[2] ? u[2] - v[2] : u[2] - v[2] + M1; /* 1 to M1 */
            out[i] =
                (unsigned)((double)(r - 1) * 1.000000048661607); /* to all of 32 bits, as rocRAND does it */
        }
        transform(j1, s1, M1);
        transform(j2, s2, M2);
    }
}

/* ---- the library ---- */

static int generate(int type, unsigned *out) {
    rocrand_generator generator;
    void *p;
    if (hipMalloc(&p, COUNT * sizeof *out) || rocrand_create_generator(&generator, type) ||
        rocrand_set_seed(generator, SEED) || rocrand_generate(generator, p, COUNT) ||
        hipMemcpy(out, p, COUNT * sizeof *out, DEVICE_TO_HOST) || rocrand_destroy_generator(generator) ||
        hipFree(p))
        return 1;
    return 0;
}

static int compare(const char *name, const unsigned *got, const unsigned *want) {
    size_t wrong = 0, first = 0;
    for (size_t i = COUNT; i-- > 0;)
        if (got[i] != want[i]) {
            wrong++;
            first = i;
        }
    if (wrong)
        printf("%s: %zu of %d are wrong, [%zu] is %u, not %u\n", name, wrong, COUNT, first, got[first],
               want[first]);
    return wrong != 0;
}

/* The engines of rocRAND 5.2.3's generators: 512 blocks of 256 threads. */
enum { THREADS = 512 * 256 };

static void xorwow_sequence(uint64_t seed, unsigned *out) {
    xorwow(seed, out, THREADS);
}
static void mrg32k3a_sequence(uint64_t seed, unsigned *out) {
    mrg32k3a(seed, out, THREADS);
}

static const struct sequence {
    const char *name;
    int type;
    void (*make)(uint64_t seed, unsigned *out);
} sequences[] = {{"philox", PHILOX, philox},
                 {"mrg32k3a", MRG32K3A, mrg32k3a_sequence},
                 {"xorwow", XORWOW, xorwow_sequence}};

/* rocrand_sequences [NAME ...]: those, or all. */
int main(int argc, char **argv) {
    unsigned *got = malloc(COUNT * sizeof *got), *want = calloc(COUNT, sizeof *want);
    int bad = !got || !want;
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0] && !bad; i++) {
        int wanted = argc < 2;
        for (int a = 1; a < argc; a++)
            wanted |= !strcmp(argv[a], sequences[i].name);
        if (!wanted) continue;
        if (generate(sequences[i].type, got)) {
            printf("%s: rocRAND fails\n", sequences[i].name);
            bad = 1;
            break;
        }
        sequences[i].make(SEED, want);
        bad |= compare(sequences[i].name, got, want);
    }
    if (!bad) printf("ok\n");
    free(got);
    free(want);
    return bad;
}
