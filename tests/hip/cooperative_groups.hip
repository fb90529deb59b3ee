/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <hip/hip_cooperative_groups.h>

namespace cg = cooperative_groups;

/* Sums of tiles of 16 lanes, then of the block. */
__global__ void tiles(const int *in, int *tile_sums, int *block_sums) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
    __shared__ int sums[16];
    int i = blockIdx.x * blockDim.x + block.thread_rank(), s = in[i];
    for (int d = tile.size() / 2; d; d /= 2) s += tile.shfl_down(s, d);
    if (tile.thread_rank() == 0) sums[block.thread_rank() / 16] = tile_sums[i / 16] = s;
    block.sync();
    if (block.thread_rank()) return;
    s = 0;
    for (unsigned t = 0; t < block.size() / 16; t++) s += sums[t];
    block_sums[blockIdx.x] = s;
}

int main() {
    const int blocks = 6, size = 256, n = blocks * size;
    std::vector<int> in(n);
    for (int i = 0; i < n; i++) in[i] = mix(i) % 1000;
    int *t = device<int>(n / 16), *b = device<int>(blocks);
    tiles<<<blocks, size>>>(device(in), t, b);
    std::vector<int> tile = host(t, n / 16), block = host(b, blocks);
    for (int k = 0; k < n / 16; k++) {
        int want = 0;
        for (int i = 0; i < 16; i++) want += in[16 * k + i];
        EXPECT(k, tile[k], want);
    }
    for (int k = 0; k < blocks; k++) {
        int want = 0;
        for (int i = 0; i < size; i++) want += in[size * k + i];
        EXPECT(k, block[k], want);
    }
    return done();
}
