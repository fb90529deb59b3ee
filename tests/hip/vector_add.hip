/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

__global__ void add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

int main() {
    const int n = 100003;
    std::vector<float> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = 0.5f * i;
        b[i] = 1.0f / (i + 1);
    }
    float *da = device(a), *db = device(b), *dc = device<float>(n);
    add<<<(n + 255) / 256, 256>>>(da, db, dc, n);
    std::vector<float> c = host(dc, n);
    for (int i = 0; i < n; i++) EXPECT(i, c[i], a[i] + b[i]);
    CALL(hipFree(da));
    CALL(hipFree(db));
    CALL(hipFree(dc));
    return done();
}
