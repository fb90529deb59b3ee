/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

__global__ void compute(const unsigned *a, const unsigned *b, unsigned long long *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long *o = out + 12 * i, wide = (unsigned long long)a[i] << 32 | b[i];
    o[0] = __clz(a[i]);
    o[1] = __popc(a[i]);
    o[2] = __ffs(b[i]);
    o[3] = __brev(a[i]);
    o[4] = __umulhi(a[i], b[i]);
    o[5] = (unsigned)__mulhi((int)a[i], (int)b[i]);
    o[6] = wide / (b[i] | 1);
    o[7] = wide % (a[i] | 1);
    o[8] = (unsigned)((int)a[i] / ((int)b[i] | 1));
    o[9] = __clzll(wide);
    o[10] = __byte_perm(a[i], b[i], 0x5173);
    o[11] = (unsigned)__umul24(a[i], b[i]);
}

int main() {
    const int n = 500;
    std::vector<unsigned> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = mix(i) >> i % 32;
        b[i] = mix(i + n) >> (i / 3) % 32;
    }
    unsigned long long *out = device<unsigned long long>(12 * n);
    compute<<<(n + 63) / 64, 64>>>(device(a), device(b), out, n);
    std::vector<unsigned long long> got = host(out, 12 * n);
    for (int i = 0; i < n; i++) {
        unsigned long long wide = (unsigned long long)a[i] << 32 | b[i], *o = &got[12 * i];
        unsigned reversed = 0;
        for (int k = 0; k < 32; k++) reversed |= (a[i] >> k & 1) << (31 - k);
        EXPECT(i, o[0], a[i] ? __builtin_clz(a[i]) : 32);
        EXPECT(i, o[1], __builtin_popcount(a[i]));
        EXPECT(i, o[2], __builtin_ffs(b[i]));
        EXPECT(i, o[3], reversed);
        EXPECT(i, o[4], (unsigned long long)a[i] * b[i] >> 32);
        EXPECT(i, o[5], (unsigned)((long long)(int)a[i] * (int)b[i] >> 32));
        EXPECT(i, o[6], wide / (b[i] | 1));
        EXPECT(i, o[7], wide % (a[i] | 1));
        EXPECT(i, o[8], (unsigned)((int)a[i] / ((int)b[i] | 1)));
        EXPECT(i, o[9], wide ? __builtin_clzll(wide) : 64);
        EXPECT(i, o[10], (b[i] >> 8 & 255) << 24 | (a[i] >> 8 & 255) << 16 | (b[i] >> 24) << 8 | a[i] >> 24);
        EXPECT(i, o[11], (unsigned)((a[i] & 0xffffff) * (b[i] & 0xffffff)));
    }
    return done();
}
