/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

/* C = A * B in tiles of 16 by 16 that a workgroup keeps in LDS; small integers, so every order of sums is exact. */
enum { TILE = 16 };
__global__ void gemm(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float ta[TILE][TILE], tb[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int t = 0; t < k; t += TILE) {
        ta[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;
        tb[threadIdx.y][threadIdx.x] = column < n && t + threadIdx.y < k ? b[(t + threadIdx.y) * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}

int main() {
    const int m = 67, n = 53, k = 40;
    std::vector<float> a(m * k), b(k * n);
    for (int i = 0; i < m * k; i++) a[i] = mix(i) % 17 - 8.0f;
    for (int i = 0; i < k * n; i++) b[i] = mix(i + 1000) % 15 - 7.0f;
    float *c = device<float>(m * n);
    gemm<<<dim3((n + TILE - 1) / TILE, (m + TILE - 1) / TILE), dim3(TILE, TILE)>>>(device(a), device(b), c, m, n, k);
    std::vector<float> got = host(c, m * n);
    for (int y = 0; y < m; y++)
        for (int x = 0; x < n; x++) {
            float want = 0;
            for (int i = 0; i < k; i++) want += a[y * k + i] * b[i * n + x];
            EXPECT(y * n + x, got[y * n + x], want);
        }
    return done();
}
