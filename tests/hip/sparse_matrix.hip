/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

/* y = A x in CSR, a wave for each row. */
__global__ void spmv(const int *start, const int *column, const float *value, const float *x, float *y, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
    if (row >= rows) return;
    float sum = 0;
    for (int k = start[row] + lane; k < start[row + 1]; k += warpSize) sum += value[k] * x[column[k]];
    for (int d = warpSize / 2; d; d /= 2) sum += __shfl_down(sum, d);
    if (lane == 0) y[row] = sum;
}

int main() {
    const int rows = 150, columns = 200;
    std::vector<int> start(rows + 1), column;
    std::vector<float> value, x(columns);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++)
            if (mix(r * columns + c) % 5 == 0) {
                column.push_back(c);
                value.push_back((int)(mix(c) % 9) - 4.0f);
            }
        start[r + 1] = column.size();
    }
    for (int c = 0; c < columns; c++) x[c] = c % 7;
    float *y = device<float>(rows);
    spmv<<<(rows * 64 + 255) / 256, 256>>>(device(start), device(column), device(value), device(x), y, rows);
    std::vector<float> got = host(y, rows);
    for (int r = 0; r < rows; r++) {
        float want = 0;
        for (int k = start[r]; k < start[r + 1]; k++) want += value[k] * x[column[k]];
        EXPECT(r, got[r], want);
    }
    return done();
}
