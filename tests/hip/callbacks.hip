/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <atomic>

__global__ void set(int *p, int value) { *p = value; }

static std::atomic<int> calls, order_wrong;

static void stream_callback(hipStream_t, hipError_t status, void *data) {
    if (status != hipSuccess || calls.fetch_add(1) != (int)(size_t)data) order_wrong++;
}

/* Functions of the host in the order of a stream, between kernels. */
int main() {
    int *pinned;
    hipStream_t stream;
    CALL(hipHostMalloc(&pinned, sizeof(int), hipHostMallocMapped));
    CALL(hipStreamCreate(&stream));
    for (int i = 0; i < 10; i++) {
        set<<<1, 1, 0, stream>>>(pinned, i);
        CALL(hipStreamAddCallback(stream, stream_callback, (void *)(size_t)i, 0));
    }
    CALL(hipStreamSynchronize(stream));
    EXPECT(0, calls.load(), 10);
    EXPECT(1, order_wrong.load(), 0);
    EXPECT(2, *pinned, 9);
    return done();
}
