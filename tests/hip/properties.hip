/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <cstring>

/* What the runtime says of the GPU agrees with the target in EXECZ_TARGET. */
int main() {
    hipDeviceProp_t p;
    int count = 0, value = 0;
    CALL(hipGetDeviceCount(&count));
    CALL(hipGetDeviceProperties(&p, 0));
    const char *target = std::getenv("EXECZ_TARGET");
    EXPECT(0, count >= 1, true);
    EXPECT(1, target && !std::strncmp(p.gcnArchName, target, std::strcspn(target, ":,")), true);
    EXPECT(2, p.warpSize == 64 || p.warpSize == 32, true);
    EXPECT(3, p.maxThreadsPerBlock, 1024);
    EXPECT(4, p.sharedMemPerBlock >= 65536, true);
    EXPECT(5, p.multiProcessorCount > 0, true);
    EXPECT(6, p.totalGlobalMem > ((size_t)1 << 30) / 2, true);
    CALL(hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 0));
    EXPECT(7, value, p.warpSize);
    size_t free_bytes, total;
    CALL(hipMemGetInfo(&free_bytes, &total));
    EXPECT(8, free_bytes <= total && total == p.totalGlobalMem, true);
    return done();
}
