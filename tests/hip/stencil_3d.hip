/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

/* Seven points, in a grid of three dimensions whose sizes are no multiples of the workgroup's. */
__global__ void stencil(const int *in, int *out, int3 n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= n.x - 1 || y >= n.y - 1 || z >= n.z - 1) return;
    int i = (z * n.y + y) * n.x + x;
    out[i] = in[i - 1] + in[i + 1] + in[i - n.x] + in[i + n.x] + in[i - n.x * n.y] + in[i + n.x * n.y] - 6 * in[i];
}

int main() {
    const int3 n = {23, 17, 11};
    std::vector<int> in(n.x * n.y * n.z), want(in.size());
    for (size_t i = 0; i < in.size(); i++) in[i] = mix(i) % 1000;
    for (int z = 1; z < n.z - 1; z++)
        for (int y = 1; y < n.y - 1; y++)
            for (int x = 1; x < n.x - 1; x++) {
                int i = (z * n.y + y) * n.x + x, s = n.x * n.y;
                want[i] = in[i - 1] + in[i + 1] + in[i - n.x] + in[i + n.x] + in[i - s] + in[i + s] - 6 * in[i];
            }
    int *out = device<int>(in.size());
    stencil<<<dim3(3, 5, 6), dim3(8, 4, 2)>>>(device(in), out, n);
    std::vector<int> got = host(out, in.size());
    for (size_t i = 0; i < in.size(); i++) EXPECT(i, got[i], want[i]);
    return done();
}
