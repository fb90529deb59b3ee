/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

/* Sums and maxima with shuffles within waves, then LDS between them, then one atomic for each workgroup. */
__global__ void reduce(const int *in, int n, int *sum, int *most) {
    __shared__ int part[32], top[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
    int s = i < n ? in[i] : 0, m = i < n ? in[i] : INT_MIN;
    for (int d = warpSize / 2; d; d /= 2) {
        s += __shfl_down(s, d);
        m = max(m, __shfl_xor(m, d));
    }
    if (lane == 0) {
        part[wave] = s;
        top[wave] = m;
    }
    __syncthreads();
    if (threadIdx.x) return;
    for (int w = 1; w < (blockDim.x + warpSize - 1) / warpSize; w++) {
        s += part[w];
        m = max(m, top[w]);
    }
    atomicAdd(sum, s);
    atomicMax(most, m);
}

int main() {
    const int n = 20011;
    std::vector<int> in(n);
    int sum = 0, most = INT_MIN;
    for (int i = 0; i < n; i++) {
        in[i] = (int)(mix(i) % 20001) - 10000;
        sum += in[i];
        most = in[i] > most ? in[i] : most;
    }
    int start[2] = {0, INT_MIN}, *out = device(2, start);
    reduce<<<(n + 255) / 256, 256>>>(device(in), n, out, out + 1);
    std::vector<int> got = host(out, 2);
    EXPECT(0, got[0], sum);
    EXPECT(1, got[1], most);
    return done();
}
