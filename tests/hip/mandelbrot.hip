/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

/* Divergent loops: every lane leaves at its own time. Host and device round alike, with -ffp-contract=off. */
__host__ __device__ inline int iterations(float cx, float cy) {
    float x = 0, y = 0;
    int k = 0;
    for (; k < 64 && x * x + y * y <= 4; k++) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
    }
    return k;
}

__global__ void draw(int *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) out[y * width + x] = iterations(x * 0.03125f - 2.0f, y * 0.03125f - 1.0f);
}

int main() {
    const int width = 90, height = 65;
    int *out = device<int>(width * height);
    draw<<<dim3(12, 9), dim3(8, 8)>>>(out, width, height);
    std::vector<int> got = host(out, width * height);
    for (int i = 0; i < width * height; i++)
        EXPECT(i, got[i], iterations(i % width * 0.03125f - 2.0f, i / width * 0.03125f - 1.0f));
    return done();
}
