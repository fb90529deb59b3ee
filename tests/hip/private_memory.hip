/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

/* Calls that are not inlined, recursion, a pointer to a function and an array indexed by data: scratch and stack. */
__device__ __attribute__((noinline)) int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __attribute__((noinline)) int plus(int a, int b) { return a + b; }
__device__ __attribute__((noinline)) int times(int a, int b) { return a * b; }

__global__ void run(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int local[40];
    for (int k = 0; k < 40; k++) local[k] = in[(i + k) % n];
    for (int k = 0; k < 40; k++) local[local[k] % 40] += k;
    int (*f)(int, int) = in[i] & 1 ? plus : times;
    out[i] = f(local[in[i] % 40], fibonacci(in[i] % 9));
}

static int host_fibonacci(int n) { return n < 2 ? n : host_fibonacci(n - 1) + host_fibonacci(n - 2); }

int main() {
    const int n = 200;
    std::vector<int> in(n);
    for (int i = 0; i < n; i++) in[i] = mix(i) % 1000;
    int *out = device<int>(n);
    run<<<(n + 63) / 64, 64>>>(device(in), out, n);
    std::vector<int> got = host(out, n);
    for (int i = 0; i < n; i++) {
        int local[40];
        for (int k = 0; k < 40; k++) local[k] = in[(i + k) % n];
        for (int k = 0; k < 40; k++) local[local[k] % 40] += k;
        int a = local[in[i] % 40], b = host_fibonacci(in[i] % 9);
        EXPECT(i, got[i], in[i] & 1 ? a + b : a * b);
    }
    return done();
}
