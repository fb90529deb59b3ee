/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <hip/hip_fp16.h>

/* Results that are exact in half precision whatever the order: small integers and powers of two. */
__global__ void compute(const __half *a, const __half *b, __half *out, float *wide, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[4 * i] = __hadd(a[i], b[i]);
    out[4 * i + 1] = __hmul(a[i], b[i]);
    out[4 * i + 2] = __hfma(a[i], b[i], a[i]);
    out[4 * i + 3] = __hlt(a[i], b[i]) ? a[i] : b[i];
    __half2 pair = __hadd2(__halves2half2(a[i], b[i]), __halves2half2(b[i], b[i]));
    wide[2 * i] = __low2float(pair);
    wide[2 * i + 1] = __high2float(pair);
}

int main() {
    const int n = 500;
    std::vector<__half> a(n), b(n);
    std::vector<float> fa(n), fb(n);
    for (int i = 0; i < n; i++) {
        fa[i] = (int)(mix(i) % 41) - 20;
        fb[i] = ((int)(mix(i + n) % 41) - 20) * 0.5f;
        a[i] = __float2half(fa[i]);
        b[i] = __float2half(fb[i]);
    }
    __half *out = device<__half>(4 * n);
    float *wide = device<float>(2 * n);
    compute<<<(n + 63) / 64, 64>>>(device(a), device(b), out, wide, n);
    std::vector<__half> got = host(out, 4 * n);
    std::vector<float> w = host(wide, 2 * n);
    for (int i = 0; i < n; i++) {
        EXPECT(i, __half2float(got[4 * i]), fa[i] + fb[i]);
        EXPECT(i, __half2float(got[4 * i + 1]), fa[i] * fb[i]);
        EXPECT(i, __half2float(got[4 * i + 2]), fa[i] * fb[i] + fa[i]);
        EXPECT(i, __half2float(got[4 * i + 3]), fa[i] < fb[i] ? fa[i] : fb[i]);
        EXPECT(i, w[2 * i], fa[i] + fb[i]);
        EXPECT(i, w[2 * i + 1], fb[i] + fb[i]);
    }
    return done();
}
