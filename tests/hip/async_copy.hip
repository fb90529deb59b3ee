/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

__global__ void square(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= p[i];
}

/* The classic overlap: parts of an array go to the device, are worked on and come back, on streams in turn. */
int main() {
    const int n = 1 << 19, parts = 8, part = n / parts;
    int *pinned, *p = device<int>(n);
    hipStream_t stream[2];
    CALL(hipHostMalloc(&pinned, n * sizeof *pinned, hipHostMallocDefault));
    CALL(hipStreamCreateWithFlags(&stream[0], hipStreamNonBlocking));
    CALL(hipStreamCreateWithFlags(&stream[1], hipStreamNonBlocking));
    for (int i = 0; i < n; i++) pinned[i] = i % 30000;
    for (int k = 0; k < parts; k++) {
        hipStream_t s = stream[k % 2];
        int *from = pinned + k * part, *to = p + k * part;
        CALL(hipMemcpyAsync(to, from, part * sizeof(int), hipMemcpyHostToDevice, s));
        square<<<part / 256, 256, 0, s>>>(to, part);
        CALL(hipMemcpyAsync(from, to, part * sizeof(int), hipMemcpyDeviceToHost, s));
    }
    CALL(hipStreamSynchronize(stream[0]));
    CALL(hipStreamSynchronize(stream[1]));
    for (int i = 0; i < n; i++) EXPECT(i, pinned[i], (i % 30000) * (i % 30000));
    CALL(hipHostFree(pinned));
    return done();
}
