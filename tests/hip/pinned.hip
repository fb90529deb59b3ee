/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

__global__ void reverse(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[n - 1 - i] = in[i];
}

/* Kernels on host memory: allocated as mapped, and registered afterwards. */
int main() {
    const int n = 4099;
    int *mapped, *d_mapped, *d_registered;
    std::vector<int> registered(n);
    CALL(hipHostMalloc(&mapped, n * sizeof(int), hipHostMallocMapped));
    CALL(hipHostRegister(registered.data(), n * sizeof(int), hipHostRegisterMapped));
    for (int i = 0; i < n; i++) mapped[i] = (int)mix(i);
    CALL(hipHostGetDevicePointer((void **)&d_mapped, mapped, 0));
    CALL(hipHostGetDevicePointer((void **)&d_registered, registered.data(), 0));
    reverse<<<(n + 255) / 256, 256>>>(d_mapped, d_registered, n);
    CALL(hipDeviceSynchronize());
    for (int i = 0; i < n; i++) EXPECT(i, registered[n - 1 - i], (int)mix(i));
    hipPointerAttribute_t about;
    CALL(hipPointerGetAttributes(&about, mapped));
#if HIP_VERSION_MAJOR >= 6
    EXPECT(-1, about.type, hipMemoryTypeHost);
#else
    EXPECT(-1, about.memoryType, hipMemoryTypeHost);
#endif
    CALL(hipHostUnregister(registered.data()));
    CALL(hipHostFree(mapped));
    return done();
}
