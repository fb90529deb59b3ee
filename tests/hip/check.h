/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs share: a call that must succeed, a value that must be right, and the last line. */
#ifndef CHECK_H
#define CHECK_H

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CALL(x) \
    do { \
        hipError_t error_ = (x); \
        if (error_ != hipSuccess) { \
            std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #x, hipGetErrorString(error_)); \
            std::exit(1); \
        } \
    } while (0)

static int wrong = 0;

/* Counts and shows the first few values that are not as the host has computed them. */
#define EXPECT(i, got, want) \
    do { \
        if (!((got) == (want)) && wrong++ < 5) \
            std::printf("%s:%d: [%ld] is %.9g, not %.9g\n", __FILE__, __LINE__, (long)(i), (double)(got), \
                        (double)(want)); \
    } while (0)

template <class T> T *device(size_t count, const T *from = nullptr) {
    T *p;
    CALL(hipMalloc(&p, count * sizeof(T)));
    if (from) CALL(hipMemcpy(p, from, count * sizeof(T), hipMemcpyHostToDevice));
    else CALL(hipMemset(p, 0, count * sizeof(T)));
    CALL(hipDeviceSynchronize()); /* streams that do not wait for the null stream may use it next */
    return p;
}

template <class T> T *device(const std::vector<T> &from) { return device(from.size(), from.data()); }

template <class T> std::vector<T> host(const T *p, size_t count) {
    std::vector<T> v(count);
    CALL(hipMemcpy(v.data(), p, count * sizeof(T), hipMemcpyDeviceToHost));
    return v;
}

/* Numbers that look random and are the same everywhere. */
static inline unsigned mix(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

static inline int done() {
    CALL(hipGetLastError());
    std::printf(wrong ? "%d values are wrong\n" : "ok\n", wrong);
    return wrong != 0;
}

#endif
