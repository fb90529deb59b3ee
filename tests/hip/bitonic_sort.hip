/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

__global__ void pass(unsigned *p, unsigned j, unsigned k) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ j;
    if (other <= i) return;
    bool up = (i & k) == 0;
    unsigned a = p[i], b = p[other];
    if ((a > b) == up) {
        p[i] = b;
        p[other] = a;
    }
}

int main() {
    const unsigned n = 4096;
    std::vector<unsigned> in(n), count(n);
    for (unsigned i = 0; i < n; i++) count[in[i] = mix(i) % n]++;
    unsigned *p = device(in);
    for (unsigned k = 2; k <= n; k *= 2)
        for (unsigned j = k / 2; j; j /= 2) pass<<<n / 256, 256>>>(p, j, k);
    std::vector<unsigned> got = host(p, n);
    for (unsigned v = 0, i = 0; v < n; v++)
        for (unsigned c = 0; c < count[v]; c++, i++) EXPECT(i, got[i], v);
    return done();
}
