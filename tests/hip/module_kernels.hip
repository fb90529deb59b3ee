/* SPDX-License-Identifier: Apache-2.0 */
#include <hip/hip_runtime.h>

extern "C" __global__ void fill(int *p, int n, int value) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = value + i;
}
