/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

/* An inclusive scan of each workgroup in LDS, of the workgroups' sums, and the two added. */
__global__ void scan_block(const unsigned *in, unsigned *out, unsigned *sums, int n) {
    __shared__ unsigned s[2][512];
    int t = threadIdx.x, i = blockIdx.x * 512 + t, from = 0;
    s[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < 512; d *= 2) {
        s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    if (i < n) out[i] = s[from][t];
    if (t == 511) sums[blockIdx.x] = s[from][t];
}

__global__ void add(unsigned *out, const unsigned *sums, int n) {
    int i = blockIdx.x * 512 + threadIdx.x;
    if (blockIdx.x && i < n) out[i] += sums[blockIdx.x - 1];
}

int main() {
    const int n = 30001, blocks = (n + 511) / 512;
    std::vector<unsigned> in(n);
    for (int i = 0; i < n; i++) in[i] = mix(i);
    unsigned *out = device<unsigned>(n), *sums = device<unsigned>(512), *last = device<unsigned>(1);
    scan_block<<<blocks, 512>>>(device(in), out, sums, n);
    scan_block<<<1, 512>>>(sums, sums, last, blocks);
    add<<<blocks, 512>>>(out, sums, n);
    std::vector<unsigned> got = host(out, n);
    unsigned want = 0;
    for (int i = 0; i < n; i++) EXPECT(i, got[i], want += in[i]);
    return done();
}
