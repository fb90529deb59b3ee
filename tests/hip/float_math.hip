/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <cmath>

__global__ void compute(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[8 * i] = a[i] / b[i];
    out[8 * i + 1] = sqrtf(a[i]);
    out[8 * i + 2] = fmaf(a[i], b[i], -a[i]);
    out[8 * i + 3] = sinf(a[i]);
    out[8 * i + 4] = expf(-b[i]);
    out[8 * i + 5] = logf(a[i]);
    out[8 * i + 6] = atan2f(a[i], b[i]);
    out[8 * i + 7] = ldexpf(a[i], (int)b[i] - 5);
}

static bool near(float got, double want, double ulp) {
    float w = (float)want;
    return std::fabs(got - want) <= ulp * std::fabs((double)std::nextafter(w, INFINITY) - w);
}

int main() {
    const int n = 600;
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = 0.37f + (mix(i) % 100000) * 0.001f;
        b[i] = 0.11f + (mix(i + n) % 100000) * 0.0001f;
    }
    float *out = device<float>(8 * n);
    compute<<<(n + 127) / 128, 128>>>(device(a), device(b), out, n);
    std::vector<float> got = host(out, 8 * n);
    for (int i = 0; i < n; i++) {
        EXPECT(i, got[8 * i], a[i] / b[i]);
        EXPECT(i, got[8 * i + 1], std::sqrt(a[i]));
        EXPECT(i, got[8 * i + 2], std::fma(a[i], b[i], -a[i]));
        EXPECT(i, near(got[8 * i + 3], std::sin((double)a[i]), 4), true);
        EXPECT(i, near(got[8 * i + 4], std::exp(-(double)b[i]), 4), true);
        EXPECT(i, near(got[8 * i + 5], std::log((double)a[i]), 4), true);
        EXPECT(i, near(got[8 * i + 6], std::atan2((double)a[i], (double)b[i]), 6), true);
        EXPECT(i, got[8 * i + 7], std::ldexp(a[i], (int)b[i] - 5));
    }
    return done();
}
