/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

__global__ void step(unsigned *p, int n, unsigned add) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = p[i] * 3 + add;
}

/* Four streams, each with its own chain of kernels; the last waits for all by events. */
int main() {
    const int n = 5000, streams = 4, steps = 5;
    hipStream_t stream[streams];
    hipEvent_t event[streams], begin, end;
    unsigned *p[streams], *total = device<unsigned>(n);
    CALL(hipEventCreate(&begin));
    CALL(hipEventCreate(&end));
    CALL(hipEventRecord(begin, 0));
    for (int s = 0; s < streams; s++) {
        CALL(hipStreamCreate(&stream[s]));
        CALL(hipEventCreate(&event[s]));
        p[s] = device<unsigned>(n);
        for (int k = 0; k < steps; k++) step<<<(n + 127) / 128, 128, 0, stream[s]>>>(p[s], n, s + k);
        CALL(hipEventRecord(event[s], stream[s]));
    }
    for (int s = 1; s < streams; s++) CALL(hipStreamWaitEvent(stream[0], event[s], 0));
    for (int s = 0; s < streams; s++)
        CALL(hipMemcpyAsync(total + s * (n / streams), p[s], n / streams * sizeof(unsigned), hipMemcpyDeviceToDevice, stream[0]));
    CALL(hipEventRecord(end, stream[0]));
    CALL(hipEventSynchronize(end));
    float ms = -1;
    CALL(hipEventElapsedTime(&ms, begin, end));
    EXPECT(-1, ms >= 0 && ms < 600000, true);
    std::vector<unsigned> got = host(total, n);
    for (int s = 0; s < streams; s++) {
        unsigned want = 0;
        for (int k = 0; k < steps; k++) want = want * 3 + s + k;
        for (int i = 0; i < n / streams; i++) EXPECT(i, got[s * (n / streams) + i], want);
        CALL(hipStreamDestroy(stream[s]));
        CALL(hipEventDestroy(event[s]));
    }
    return done();
}
