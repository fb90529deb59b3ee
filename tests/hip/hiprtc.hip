/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <hip/hiprtc.h>
#include <string>

#define RTC(x) \
    do { \
        if ((x) != HIPRTC_SUCCESS) { \
            std::printf("%s failed\n", #x); \
            return 1; \
        } \
    } while (0)

static const char source[] = "extern \"C\" __global__ void saxpy(float a, const float *x, float *y, int n) {\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n) y[i] = a * x[i] + y[i];\n"
                             "}\n"
                             "__device__ int version = 42;\n";

/* A kernel compiled when the program runs, loaded as a module, launched by name. */
int main() {
    hiprtcProgram program;
    RTC(hiprtcCreateProgram(&program, source, "saxpy.hip", 0, nullptr, nullptr));
    hipDeviceProp_t properties;
    CALL(hipGetDeviceProperties(&properties, 0));
    std::string arch = std::string("--gpu-architecture=") + properties.gcnArchName;
    const char *options[] = {arch.c_str(), "-ffp-contract=off"};
    if (hiprtcCompileProgram(program, 2, options) != HIPRTC_SUCCESS) {
        size_t size = 0;
        RTC(hiprtcGetProgramLogSize(program, &size));
        std::vector<char> log(size + 1);
        RTC(hiprtcGetProgramLog(program, log.data()));
        std::printf("%s\n", log.data());
        return 1;
    }
    size_t size;
    RTC(hiprtcGetCodeSize(program, &size));
    std::vector<char> code(size);
    RTC(hiprtcGetCode(program, code.data()));
    RTC(hiprtcDestroyProgram(&program));
    hipModule_t module;
    hipFunction_t saxpy;
    CALL(hipModuleLoadData(&module, code.data()));
    CALL(hipModuleGetFunction(&saxpy, module, "saxpy"));
    int n = 2000;
    std::vector<float> x(n), y(n);
    for (int i = 0; i < n; i++) {
        x[i] = i;
        y[i] = 0.5f * i;
    }
    float a = 2.25f, *dx = device(x), *dy = device(y);
    void *arguments[] = {&a, &dx, &dy, &n};
    CALL(hipModuleLaunchKernel(saxpy, (n + 63) / 64, 1, 1, 64, 1, 1, 0, 0, arguments, nullptr));
    std::vector<float> got = host(dy, n);
    for (int i = 0; i < n; i++) EXPECT(i, got[i], a * x[i] + y[i]);
    hipDeviceptr_t version;
    CALL(hipModuleGetGlobal(&version, &size, module, "version"));
    int v = 0;
    CALL(hipMemcpy(&v, version, sizeof v, hipMemcpyDeviceToHost));
    EXPECT(-1, v, 42);
    CALL(hipModuleUnload(module));
    return done();
}
