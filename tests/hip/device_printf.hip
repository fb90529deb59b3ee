/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <cstring>
#include <unistd.h>

__global__ void say(int n) {
    int i = threadIdx.x;
    if (i < n) printf("item %d of %d: %5.2f %s %c %llx\n", i, n, i * 1.5, i & 1 ? "odd" : "even", 'a' + i, 0x123456789abull);
}

/* What a kernel prints arrives on standard output, every line once and whole. */
int main() {
    const int n = 5;
    char name[] = "/tmp/device_printfXXXXXX", want[80];
    int file = mkstemp(name), out = dup(1);
    std::fflush(stdout);
    dup2(file, 1);
    say<<<1, 64>>>(n);
    CALL(hipDeviceSynchronize());
    std::fflush(stdout);
    dup2(out, 1);
    std::vector<char> text(10000);
    ssize_t size = pread(file, text.data(), text.size() - 1, 0), expected = 0;
    unlink(name);
    for (int i = 0; i < n; i++) {
        expected += std::sprintf(want, "item %d of %d: %5.2f %s %c %llx\n", i, n, i * 1.5, i & 1 ? "odd" : "even", 'a' + i,
                                 0x123456789abull);
        EXPECT(i, std::strstr(text.data(), want) != nullptr, true);
    }
    EXPECT(-1, size, expected);
    return done();
}
