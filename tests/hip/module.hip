/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <cstring>
#include <string>

/* Takes the module from a file, module_kernels.hip compiled with --genco, named by MODULE or beside the program. */
int main(int argc, char **argv) {
    const char *path = std::getenv("MODULE");
    std::string beside = std::string(argc ? argv[0] : "");
    beside = beside.substr(0, beside.rfind('/') + 1) + "module_kernels.hsaco";
    hipModule_t module;
    hipFunction_t fill, missing;
    CALL(hipModuleLoad(&module, path ? path : beside.c_str()));
    CALL(hipModuleGetFunction(&fill, module, "fill"));
    EXPECT(-1, hipModuleGetFunction(&missing, module, "no_such_kernel"), hipErrorNotFound);
    (void)hipGetLastError();
    int n = 777, *p = device<int>(n);
    struct {
        int *p;
        int n, value;
    } arguments = {p, n, 31};
    size_t size = sizeof arguments;
    void *config[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                      HIP_LAUNCH_PARAM_END};
    CALL(hipModuleLaunchKernel(fill, (n + 127) / 128, 1, 1, 128, 1, 1, 0, 0, nullptr, config));
    std::vector<int> got = host(p, n);
    for (int i = 0; i < n; i++) EXPECT(i, got[i], 31 + i);
    CALL(hipModuleUnload(module));
    return done();
}
