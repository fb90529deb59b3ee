/* SPDX-License-Identifier: Apache-2.0 */
/* OpenMP on the device, as gcc-12 -foffload=amdgcn-amdhsa compiles it: teams, loops, reductions, maps, atomics. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 4000, M = 24 };

static int wrong;
static void expect(const char *what, double got, double want) {
    if (got == want) return;
    wrong++;
    printf("%s is %.17g, not %.17g\n", what, got, want);
}

#pragma omp declare target
static int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
static int digit(int i) { return table[i & 7]; }
#pragma omp end declare target

static void saxpy(void) {
    static float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 2.0f * (float)i;
    }
#pragma omp target teams distribute parallel for map(to : x) map(tofrom : y)
    for (int i = 0; i < N; i++) y[i] = 3.0f * x[i] + y[i];
    for (int i = 0; i < N; i++) expect("saxpy", y[i], 5.0 * i);
}

static void reductions(void) {
    double sum = 0;
    int most = -1, all = 0;
#pragma omp target teams distribute parallel for reduction(+ : sum) reduction(max : most) map(tofrom : sum, most)
    for (int i = 0; i < N; i++) {
        sum += i * 0.5;
        int v = i * 7919 % 10007;
        if (v > most) most = v;
    }
    int want = -1;
    for (int i = 0; i < N; i++)
        if (i * 7919 % 10007 > want) want = i * 7919 % 10007;
    expect("sum", sum, N * (N - 1) / 2 * 0.5);
    expect("maximum", most, want);
#pragma omp target parallel for reduction(+ : all) map(tofrom : all)
    for (int i = 0; i < 64; i++) all += digit(i);
    expect("declared function and table", all, 8 * 31);
}

static void matrix(void) {
    static double a[M][M], b[M][M], c[M][M];
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            a[i][j] = i - j;
            b[i][j] = i + 2 * j;
        }
#pragma omp target data map(to : a, b) map(from : c)
#pragma omp target teams distribute parallel for collapse(2)
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            double s = 0;
            for (int k = 0; k < M; k++) s += a[i][k] * b[k][j];
            c[i][j] = s;
        }
    for (int i = 0; i < M; i++)
        for (int j = 0; j < M; j++) {
            double s = 0;
            for (int k = 0; k < M; k++) s += a[i][k] * b[k][j];
            expect("matrix", c[i][j], s);
        }
}

static void atomics(void) {
    int bins[8] = {0};
#pragma omp target teams distribute parallel for map(tofrom : bins)
    for (int i = 0; i < N; i++) {
#pragma omp atomic
        bins[i * 31 % 8]++;
    }
    for (int b = 0; b < 8; b++) {
        int want = 0;
        for (int i = 0; i < N; i++) want += i * 31 % 8 == b;
        expect("bin", bins[b], want);
    }
}

static void mapped(void) {
    int *p = malloc(N * sizeof *p), host = 1;
#pragma omp target enter data map(alloc : p[0 : N])
#pragma omp target map(from : host)
    {
        host = omp_is_initial_device();
        for (int i = 0; i < N; i++) p[i] = i;
    }
#pragma omp target teams distribute parallel for
    for (int i = 0; i < N; i++) p[i] *= 2;
#pragma omp target update from(p[0 : N / 2])
#pragma omp target exit data map(from : p[0 : N])
    for (int i = 0; i < N; i++) expect("mapped", p[i], 2 * i);
    expect("on the host", host, 0);
    free(p);
}

int main(void) {
    expect("devices", omp_get_num_devices(), 1);
    saxpy();
    reductions();
    matrix();
    atomics();
    mapped();
    printf(wrong ? "%d values are wrong\n" : "ok\n", wrong);
    return wrong != 0;
}
