/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

/* Texture and surface objects, where the runtime says that the GPU has images. */
__global__ void sample(hipTextureObject_t texture, float *out, int width, float shift, float scale_x, float scale_y) {
    int x = threadIdx.x, y = blockIdx.x;
    out[y * width + x] = tex2D<float>(texture, (x + 0.5f + shift) * scale_x, (y + 0.5f) * scale_y);
}
__global__ void sample_colors(hipTextureObject_t texture, float4 *out, int width) {
    int x = threadIdx.x, y = blockIdx.x;
    out[y * width + x] = tex2D<float4>(texture, x + 0.5f, y + 0.5f);
}
__global__ void fetch(hipTextureObject_t texture, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<float>(texture, n - 1 - i);
}
__global__ void write(hipSurfaceObject_t surface) {
    int x = threadIdx.x, y = blockIdx.x;
    surf2Dwrite<float>(1000 * y + x, surface, x * (int)sizeof(float), y);
}

static const int width = 32, height = 8;

template <class T> hipArray *array_of(const std::vector<T> &in, hipChannelFormatDesc format) {
    hipArray *array;
    if (hipMallocArray(&array, &format, width, height, 0) != hipSuccess) {
        (void)hipGetLastError();
        int status = done();
        if (!status) std::printf("skipped but for linear memory: no images on this GPU\n");
        std::exit(status ? status : 77);
    }
    CALL(hipMemcpy2DToArray(array, 0, 0, in.data(), width * sizeof(T), width * sizeof(T), height, hipMemcpyHostToDevice));
    return array;
}

static hipTextureObject_t texture_of(hipArray *array, const hipTextureDesc &how) {
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    hipTextureObject_t texture;
    CALL(hipCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

/* A texture on linear memory, which GPUs without images have too. */
static void test_linear() {
    const int n = 1000;
    std::vector<float> in(n);
    for (int i = 0; i < n; i++) in[i] = i * 0.5f;
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = device(in);
    resource.res.linear.desc = hipCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = n * sizeof(float);
    hipTextureDesc how = {};
    hipTextureObject_t texture;
    CALL(hipCreateTextureObject(&texture, &resource, &how, nullptr));
    float *out = device<float>(n);
    fetch<<<4, 256>>>(texture, out, n);
    std::vector<float> got = host(out, n);
    for (int i = 0; i < n; i++) EXPECT(i, got[i], in[n - 1 - i]);
}

int main() {
    test_linear();
    std::vector<float> in(width * height);
    for (int i = 0; i < width * height; i++) in[i] = i % 61;
    hipArray *array = array_of(in, hipCreateChannelDesc<float>());
    float *out = device<float>(width * height);

    hipTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = hipAddressModeClamp;
    how.filterMode = hipFilterModePoint;
    sample<<<height, width>>>(texture_of(array, how), out, width, 3, 1, 1);
    std::vector<float> got = host(out, width * height);
    for (int i = 0; i < width * height; i++) {
        int x = i % width + 3;
        EXPECT(i, got[i], in[i / width * width + (x < width ? x : width - 1)]);
    }

    /* A quarter of the way to the next element, around the edge. */
    how.addressMode[0] = how.addressMode[1] = hipAddressModeWrap;
    how.filterMode = hipFilterModeLinear;
    how.normalizedCoords = 1;
    sample<<<height, width>>>(texture_of(array, how), out, width, 0.25f, 1.0f / width, 1.0f / height);
    got = host(out, width * height);
    for (int i = 0; i < width * height; i++) {
        int row = i / width * width, x = i % width;
        EXPECT(i, got[i], 0.75f * in[row + x] + 0.25f * in[row + (x + 1) % width]);
    }

    std::vector<uchar4> colors(width * height);
    for (int i = 0; i < width * height; i++) colors[i] = make_uchar4(mix(i), mix(i + 1), mix(i + 2), mix(i + 3));
    hipTextureDesc plain = {};
    plain.addressMode[0] = plain.addressMode[1] = hipAddressModeClamp;
    plain.readMode = hipReadModeNormalizedFloat;
    hipChannelFormatDesc bytes = hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned); /* <uchar4> of 5.2.3 is signed */
    float4 *out4 = device<float4>(width * height);
    sample_colors<<<height, width>>>(texture_of(array_of(colors, bytes), plain), out4, width);
    std::vector<float4> got4 = host(out4, width * height);
    for (int i = 0; i < width * height; i++) {
        EXPECT(i, got4[i].x, colors[i].x / 255.0f);
        EXPECT(i, got4[i].y, colors[i].y / 255.0f);
        EXPECT(i, got4[i].z, colors[i].z / 255.0f);
        EXPECT(i, got4[i].w, colors[i].w / 255.0f);
    }

    std::vector<float> numbers(width * height, -1);
    hipArray *written = array_of(numbers, hipCreateChannelDesc<float>());
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = written;
    hipSurfaceObject_t surface;
    CALL(hipCreateSurfaceObject(&surface, &resource));
    write<<<height, width>>>(surface);
    CALL(hipMemcpy2DFromArray(numbers.data(), width * sizeof(int), written, 0, 0, width * sizeof(float), height,
                              hipMemcpyDeviceToHost));
    for (int i = 0; i < width * height; i++) EXPECT(i, numbers[i], 1000 * (i / width) + i % width);
    return done();
}
