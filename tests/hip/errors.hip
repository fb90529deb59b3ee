/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

__global__ void nothing() {}

/* What programs rely on when something is wrong: the call says so, and the next goes on. */
int main() {
    void *p = nullptr;
    EXPECT(0, hipMalloc(&p, (size_t)1 << 60), hipErrorOutOfMemory);
    EXPECT(1, hipSetDevice(99), hipErrorInvalidDevice);
    EXPECT(2, hipMemcpy(nullptr, nullptr, 16, hipMemcpyHostToDevice) != hipSuccess, true);
    nothing<<<1, 4096>>>();
    EXPECT(3, hipGetLastError() != hipSuccess, true);
    EXPECT(4, hipGetLastError(), hipSuccess);
    int local = 0;
    EXPECT(5, hipFree(&local), hipErrorInvalidValue);
    hipModule_t module;
    EXPECT(6, hipModuleLoad(&module, "/does/not/exist") != hipSuccess, true);
    char junk[4096] = "this is no code object";
    EXPECT(7, hipModuleLoadData(&module, junk) != hipSuccess, true);
    (void)hipGetLastError();
    nothing<<<1, 64>>>();
    CALL(hipDeviceSynchronize());
    return done();
}
