/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <cassert>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

__global__ void check(int limit) { assert((int)threadIdx.x < limit); }

/* A child process whose kernel fails its assertion: says which one, and aborts. */
int main() {
    int ends[2];
    if (pipe(ends)) return 1;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        check<<<1, 64>>>(64); /* holds */
        if (hipDeviceSynchronize() != hipSuccess) _exit(3);
        check<<<1, 64>>>(10);
        (void)hipDeviceSynchronize();
        std::fflush(stdout);
        _exit(4);
    }
    close(ends[1]);
    std::vector<char> text(100000);
    size_t size = 0;
    for (ssize_t n; size + 1 < text.size() && (n = read(ends[0], text.data() + size, text.size() - size - 1)) > 0;) size += n;
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT(0, WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, true);
    EXPECT(1, std::strstr(text.data(), "threadIdx.x < limit") != nullptr, true);
    if (wrong) std::printf("status 0x%x\n%s\n", status, text.data());
    std::printf(wrong ? "%d values are wrong\n" : "ok\n", wrong);
    return wrong != 0;
}
