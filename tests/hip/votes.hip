/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

/* Ballots, any, all and population counts: who is left in a wave whatever its size. */
__global__ void vote(const int *in, unsigned long long *ballots, int *rank, int *flags, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long b = __ballot(in[i] > 50);
    int lane = threadIdx.x % warpSize;
    ballots[i] = b;
    rank[i] = __popcll(b & ((1ull << lane) - 1));
    flags[i] = (__any(in[i] > 98) ? 1 : 0) | (__all(in[i] < 99) ? 2 : 0);
}

int main() {
    const int n = 1024;
    std::vector<int> in(n);
    for (int i = 0; i < n; i++) in[i] = mix(i) % 100;
    hipDeviceProp_t properties;
    CALL(hipGetDeviceProperties(&properties, 0));
    int size = properties.warpSize;
    unsigned long long *b = device<unsigned long long>(n);
    int *r = device<int>(n), *f = device<int>(n);
    vote<<<n / 128, 128>>>(device(in), b, r, f, n);
    std::vector<unsigned long long> ballots = host(b, n);
    std::vector<int> rank = host(r, n), flags = host(f, n);
    for (int first = 0; first < n; first += size) {
        unsigned long long want = 0;
        bool any = false, all = true;
        for (int l = 0; l < size; l++) {
            want |= (unsigned long long)(in[first + l] > 50) << l;
            any = any || in[first + l] > 98;
            all = all && in[first + l] < 99;
        }
        for (int l = 0, before = 0; l < size; l++) {
            EXPECT(first + l, ballots[first + l], want);
            EXPECT(first + l, rank[first + l], before);
            EXPECT(first + l, flags[first + l], (any ? 1 : 0) | (all ? 2 : 0));
            before += want >> l & 1;
        }
    }
    return done();
}
