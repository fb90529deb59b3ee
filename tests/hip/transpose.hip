/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

__global__ void transpose(const double *in, double *out, int width, int height) {
    __shared__ double tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
    const int width = 101, height = 70;
    std::vector<double> in(width * height);
    for (int i = 0; i < width * height; i++) in[i] = mix(i);
    double *out = device<double>(in.size());
    transpose<<<dim3((width + 31) / 32, (height + 31) / 32), dim3(32, 8)>>>(device(in), out, width, height);
    std::vector<double> got = host(out, in.size());
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) EXPECT(y, got[x * height + y], in[y * width + x]);
    return done();
}
