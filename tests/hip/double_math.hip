/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <cmath>

__global__ void compute(const double *a, const double *b, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[6 * i] = a[i] / b[i];
    out[6 * i + 1] = sqrt(a[i]);
    out[6 * i + 2] = fma(a[i], b[i], -a[i]);
    out[6 * i + 3] = sin(a[i]);
    out[6 * i + 4] = exp(-b[i]);
    out[6 * i + 5] = pow(a[i], b[i] * 0.125);
}

static bool near(double got, double want, double ulp) {
    return std::fabs(got - want) <= ulp * std::fabs(std::nextafter(want, INFINITY) - want);
}

/* Division, square root and fma are rounded once; the functions of ROCm's library may be a few ulp off. */
int main() {
    const int n = 300;
    std::vector<double> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = 0.37 + (mix(i) % 100000) * 0.001;
        b[i] = 0.11 + (mix(i + n) % 100000) * 0.0001;
    }
    double *out = device<double>(6 * n);
    compute<<<(n + 127) / 128, 128>>>(device(a), device(b), out, n);
    std::vector<double> got = host(out, 6 * n);
    for (int i = 0; i < n; i++) {
        EXPECT(i, got[6 * i], a[i] / b[i]);
        EXPECT(i, got[6 * i + 1], std::sqrt(a[i]));
        EXPECT(i, got[6 * i + 2], std::fma(a[i], b[i], -a[i]));
        EXPECT(i, near(got[6 * i + 3], std::sin(a[i]), 2), true);
        EXPECT(i, near(got[6 * i + 4], std::exp(-b[i]), 2), true);
        EXPECT(i, near(got[6 * i + 5], std::pow(a[i], b[i] * 0.125), 4), true);
    }
    return done();
}
