/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

/* Texture objects, where the runtime says that the GPU has images. */
__global__ void sample(hipTextureObject_t texture, float *out, int width) {
    int x = threadIdx.x, y = blockIdx.x;
    out[y * width + x] = tex2D<float>(texture, x + 0.5f, y + 0.5f);
}

int main() {
    const int width = 32, height = 8;
    int images = 0;
    CALL(hipDeviceGetAttribute(&images, hipDeviceAttributeMaxTexture2DWidth, 0));
    std::vector<float> in(width * height);
    for (int i = 0; i < width * height; i++) in[i] = i;
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    hipArray *array;
    if (hipMallocArray(&array, &format, width, height, 0) != hipSuccess) {
        std::printf("skipped: the runtime has no images (at most %d wide)\n", images);
        return 77;
    }
    CALL(hipMemcpy2DToArray(array, 0, 0, in.data(), width * sizeof(float), width * sizeof(float), height,
                            hipMemcpyHostToDevice));
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    hipTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = hipAddressModeClamp;
    how.filterMode = hipFilterModePoint;
    hipTextureObject_t texture;
    CALL(hipCreateTextureObject(&texture, &resource, &how, nullptr));
    float *out = device<float>(width * height);
    sample<<<height, width>>>(texture, out, width);
    std::vector<float> got = host(out, width * height);
    for (int i = 0; i < width * height; i++) EXPECT(i, got[i], in[i]);
    return done();
}
