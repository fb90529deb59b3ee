/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

__constant__ float weight[8];
__device__ int total = 100;
__device__ float table[4] = {1.5f, 2.5f, 3.5f, 4.5f};
static __device__ int *pointer_to_total = &total;

__global__ void use(float *out) {
    int i = threadIdx.x;
    out[i] = weight[i % 8] * table[i % 4];
    atomicAdd(pointer_to_total, i);
}

int main() {
    const int n = 64;
    float w[8], t[4] = {1.5f, 2.5f, 3.5f, 4.5f};
    for (int i = 0; i < 8; i++) w[i] = i + 0.25f;
    CALL(hipMemcpyToSymbol(HIP_SYMBOL(weight), w, sizeof w));
    float *out = device<float>(n);
    use<<<1, n>>>(out);
    std::vector<float> got = host(out, n);
    for (int i = 0; i < n; i++) EXPECT(i, got[i], w[i % 8] * t[i % 4]);
    int sum = 0;
    CALL(hipMemcpyFromSymbol(&sum, HIP_SYMBOL(total), sizeof sum));
    EXPECT(-1, sum, 100 + n * (n - 1) / 2);
    void *address;
    size_t size;
    CALL(hipGetSymbolAddress(&address, HIP_SYMBOL(table)));
    CALL(hipGetSymbolSize(&size, HIP_SYMBOL(table)));
    EXPECT(-2, size, sizeof t);
    t[2] = 9;
    CALL(hipMemcpy(address, t, sizeof t, hipMemcpyHostToDevice));
    use<<<1, n>>>(out);
    got = host(out, n);
    for (int i = 0; i < n; i++) EXPECT(i, got[i], w[i % 8] * t[i % 4]);
    return done();
}
