/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <atomic>
#include <thread>

__global__ void add(unsigned *p) { atomicAdd(p, threadIdx.x + 1); }

/* 1,000 launches from 4 threads on 4 streams, 20 times: nothing hangs, nothing is lost. */
int main() {
    const int threads = 4, launches = 250, rounds = 20, size = 64;
    hipStream_t stream[threads];
    unsigned *p = device<unsigned>(threads);
    std::atomic<int> failed{0};
    for (int s = 0; s < threads; s++) CALL(hipStreamCreate(&stream[s]));
    for (int round = 1; round <= rounds; round++) {
        std::vector<std::thread> all;
        for (int t = 0; t < threads; t++)
            all.emplace_back([&, t] {
                for (int k = 0; k < launches; k++) add<<<1, size, 0, stream[(t + k) % threads]>>>(p + t);
                if (hipGetLastError() != hipSuccess || hipStreamSynchronize(stream[t]) != hipSuccess) failed++;
            });
        for (std::thread &thread : all) thread.join();
        CALL(hipDeviceSynchronize());
        std::vector<unsigned> got = host(p, threads);
        for (int t = 0; t < threads; t++) EXPECT(round, got[t], (unsigned)(round * launches * size * (size + 1) / 2));
    }
    EXPECT(-1, failed.load(), 0);
    for (int s = 0; s < threads; s++) CALL(hipStreamDestroy(stream[s]));
    return done();
}
