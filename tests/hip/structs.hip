/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

/* Arguments by value of all sizes, vector types, templates. */
struct Big {
    double weight[6];
    short shift;
    char4 bytes;
};

template <class T, int N> __global__ void run(Big big, const T *in, float4 scale, T *out, char small, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T sum = 0;
    for (int k = 0; k < N; k++) sum += in[(i + k) % n] * (T)big.weight[k];
    out[i] = sum * (T)scale.z + (T)(big.shift + big.bytes.y + small);
}

template <class T, int N> void test(int n) {
    Big big = {{1, 2, 3, 4, 5, 6}, -7, {1, 9, 2, 3}};
    std::vector<T> in(n);
    for (int i = 0; i < n; i++) in[i] = (T)(mix(i) % 50);
    T *out = device<T>(n);
    run<T, N><<<(n + 63) / 64, 64>>>(big, device(in), float4{1, 2, 3, 4}, out, 5, n);
    std::vector<T> got = host(out, n);
    for (int i = 0; i < n; i++) {
        T sum = 0;
        for (int k = 0; k < N; k++) sum += in[(i + k) % n] * (T)big.weight[k];
        EXPECT(i, got[i], (T)(sum * (T)3 + (T)7));
    }
}

int main() {
    test<int, 3>(100);
    test<float, 6>(333);
    test<double, 2>(64);
    test<short, 4>(65);
    return done();
}
