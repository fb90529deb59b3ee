/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

/* Each round every block reads what its neighbour wrote the round before: wrong without a barrier of the grid. */
__global__ void ring(int *a, int *b, int rounds) {
    cg::grid_group grid = cg::this_grid();
    for (int r = 0; r < rounds; r++) {
        int *from = r & 1 ? b : a, *to = r & 1 ? a : b;
        if (threadIdx.x == 0) to[blockIdx.x] = from[(blockIdx.x + 1) % gridDim.x] * 3 + r;
        grid.sync();
    }
}

int main() {
    int blocks = 40, rounds = 4;
    hipDeviceProp_t properties;
    CALL(hipGetDeviceProperties(&properties, 0));
    if (!properties.cooperativeLaunch) {
        std::printf("skipped: the runtime has no cooperative launch for this GPU\n");
        return 77;
    }
    std::vector<int> want(blocks), next(blocks);
    for (int i = 0; i < blocks; i++) want[i] = i + 1;
    int *a = device(want), *b = device<int>(blocks);
    void *arguments[] = {&a, &b, &rounds};
    CALL(hipLaunchCooperativeKernel((const void *)ring, dim3(blocks), dim3(64), arguments, 0, 0));
    CALL(hipDeviceSynchronize());
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < blocks; i++) next[i] = want[(i + 1) % blocks] * 3 + r;
        want = next;
    }
    std::vector<int> got = host(a, blocks);
    for (int i = 0; i < blocks; i++) EXPECT(i, got[i], want[i]);
    return done();
}
