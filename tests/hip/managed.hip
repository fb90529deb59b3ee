/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

__managed__ int counter = 5;

__global__ void work(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] += i;
    if (i == 0) counter += n;
}

/* Host and kernels use the same pointers. */
int main() {
    const int n = 3000;
    int *p;
    CALL(hipMallocManaged(&p, n * sizeof *p));
    for (int i = 0; i < n; i++) p[i] = 7 * i;
    CALL(hipMemAdvise(p, n * sizeof *p, hipMemAdviseSetReadMostly, 0));
    CALL(hipMemPrefetchAsync(p, n * sizeof *p, 0, 0));
    work<<<(n + 255) / 256, 256>>>(p, n);
    CALL(hipDeviceSynchronize());
    for (int i = 0; i < n; i++) EXPECT(i, p[i], 8 * i);
    EXPECT(-1, counter, 5 + n);
    CALL(hipFree(p));
    return done();
}
