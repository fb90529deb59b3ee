/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

extern __shared__ int dynamic[];

__global__ void rotate(const int *in, int *out, int by) {
    __shared__ int fixed[1];
    int t = threadIdx.x, n = blockDim.x;
    if (t == 0) fixed[0] = by;
    dynamic[t] = in[blockIdx.x * n + t];
    __syncthreads();
    out[blockIdx.x * n + t] = dynamic[(t + fixed[0]) % n];
}

int main() {
    const int blocks = 5, sizes[] = {64, 100, 1024};
    for (int size : sizes) {
        std::vector<int> in(blocks * size);
        for (int i = 0; i < blocks * size; i++) in[i] = (int)mix(i);
        int *out = device<int>(in.size());
        rotate<<<blocks, size, size * sizeof(int)>>>(device(in), out, 17);
        std::vector<int> got = host(out, in.size());
        for (int b = 0; b < blocks; b++)
            for (int t = 0; t < size; t++) EXPECT(t, got[b * size + t], in[b * size + (t + 17) % size]);
    }
    return done();
}
