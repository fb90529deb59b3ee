/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

__global__ void histogram(const unsigned *in, int n, unsigned *bins) {
    __shared__ unsigned local[64];
    if (threadIdx.x < 64) local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i] % 64], 1u);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main() {
    const int n = 50000;
    std::vector<unsigned> in(n), want(64);
    for (int i = 0; i < n; i++) want[(in[i] = mix(i) * (mix(i) & 1)) % 64]++;
    unsigned *bins = device<unsigned>(64);
    histogram<<<7, 256>>>(device(in), n, bins);
    std::vector<unsigned> got = host(bins, 64);
    for (int i = 0; i < 64; i++) EXPECT(i, got[i], want[i]);
    return done();
}
