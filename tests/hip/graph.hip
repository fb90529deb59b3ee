/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

__global__ void twice(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 2 * p[i] + 1;
}

/* A stream captured to a graph of a copy, two kernels and a copy back, launched three times. */
int main() {
    const int n = 1000;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; i++) in[i] = i;
    int *p = device<int>(n);
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphExec_t exec;
    CALL(hipStreamCreate(&stream));
    CALL(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    CALL(hipMemcpyAsync(p, in.data(), n * sizeof(int), hipMemcpyHostToDevice, stream));
    twice<<<(n + 63) / 64, 64, 0, stream>>>(p, n);
    twice<<<(n + 63) / 64, 64, 0, stream>>>(p, n);
    CALL(hipMemcpyAsync(out.data(), p, n * sizeof(int), hipMemcpyDeviceToHost, stream));
    CALL(hipStreamEndCapture(stream, &graph));
    CALL(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    for (int run = 0; run < 3; run++) {
        for (int i = 0; i < n; i++) in[i] = i * (run + 1);
        CALL(hipGraphLaunch(exec, stream));
        CALL(hipStreamSynchronize(stream));
        for (int i = 0; i < n; i++) EXPECT(i, out[i], 4 * i * (run + 1) + 3);
    }
    CALL(hipGraphExecDestroy(exec));
    CALL(hipGraphDestroy(graph));
    return done();
}
