/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

__global__ void add_pitched(unsigned char *p, size_t pitch, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < width && y < height) p[y * pitch + x] += y;
}

/* Rectangles and boxes: pitched allocation, 2D and 3D copies, 2D fills, fills of 1, 2 and 4 bytes. */
int main() {
    const int width = 77, height = 13;
    std::vector<unsigned char> in(width * height), out(width * height);
    for (int i = 0; i < width * height; i++) in[i] = (unsigned char)mix(i);
    unsigned char *p;
    size_t pitch;
    CALL(hipMallocPitch((void **)&p, &pitch, width, height));
    CALL(hipMemcpy2D(p, pitch, in.data(), width, width, height, hipMemcpyHostToDevice));
    add_pitched<<<dim3(2, height), 64>>>(p, pitch, width, height);
    CALL(hipMemcpy2D(out.data(), width, p, pitch, width, height, hipMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++) EXPECT(i, out[i], (unsigned char)(in[i] + i / width));
    CALL(hipMemset2D(p, pitch, 0x5a, width - 7, height));
    CALL(hipMemcpy2D(out.data(), width, p, pitch, width, height, hipMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++)
        EXPECT(i, out[i], i % width < width - 7 ? 0x5a : (unsigned char)(in[i] + i / width));

    hipExtent extent = make_hipExtent(10 * sizeof(int), 6, 4);
    hipPitchedPtr box;
    CALL(hipMalloc3D(&box, extent));
    std::vector<int> from(240), to(240);
    for (int i = 0; i < 240; i++) from[i] = (int)mix(i);
    hipMemcpy3DParms copy = {};
    copy.srcPtr = make_hipPitchedPtr(from.data(), 10 * sizeof(int), 10, 6);
    copy.dstPtr = box;
    copy.extent = extent;
    copy.kind = hipMemcpyHostToDevice;
    CALL(hipMemcpy3D(&copy));
    copy.srcPtr = box;
    copy.dstPtr = make_hipPitchedPtr(to.data(), 10 * sizeof(int), 10, 6);
    copy.kind = hipMemcpyDeviceToHost;
    CALL(hipMemcpy3D(&copy));
    for (int i = 0; i < 240; i++) EXPECT(i, to[i], from[i]);

    int *words = device<int>(1001);
    CALL(hipMemsetD32((hipDeviceptr_t)words, 0x12345678, 1001));
    CALL(hipMemsetD16((hipDeviceptr_t)words, 0x4321, 11));
    CALL(hipMemsetD8((hipDeviceptr_t)(words + 100), 0x77, 5));
    std::vector<int> got = host(words, 1001);
    EXPECT(0, got[0], 0x43214321);
    EXPECT(5, got[5], 0x12344321);
    EXPECT(100, got[100], 0x77777777);
    EXPECT(101, got[101], 0x12345677);
    for (int i = 102; i < 1001; i++) EXPECT(i, got[i], 0x12345678);
    return done();
}
