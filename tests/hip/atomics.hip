/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

/* All kinds on all widths, with many items on few places; results do not depend on the order. */
__global__ void hit(int *i32, unsigned long long *u64, float *f32, double *f64, unsigned *u32) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, slot = i % 5;
    atomicAdd(&i32[slot], (int)i);
    atomicSub(&i32[5 + slot], 3);
    atomicMin(&i32[10 + slot], -(int)i);
    atomicAdd(&u64[slot], (unsigned long long)i << 20);
    atomicMax(&u64[5 + slot], (unsigned long long)i * i * i);
    atomicAdd(&f32[slot], 0.5f);
    atomicAdd(&f64[slot], 0.25);
    atomicOr(&u32[slot], 1u << i % 32);
    atomicAnd(&u32[5 + slot], ~(1u << i % 31));
    atomicXor(&u32[10 + slot], i);
    atomicInc(&u32[15 + slot], 100);
    unsigned old = u32[20 + slot], seen;
    do { /* a maximum by compare and swap */
        seen = old;
        if (seen >= i) break;
        old = atomicCAS(&u32[20 + slot], seen, i);
    } while (old != seen);
}

int main() {
    const unsigned n = 6400;
    std::vector<int> i32(15);
    std::vector<unsigned long long> u64(10);
    std::vector<float> f32(5);
    std::vector<double> f64(5);
    std::vector<unsigned> u32(25);
    for (int s = 0; s < 5; s++) u32[5 + s] = ~0u;
    int *a = device(i32);
    unsigned long long *b = device(u64);
    float *c = device(f32);
    double *d = device(f64);
    unsigned *e = device(u32);
    hit<<<n / 128, 128>>>(a, b, c, d, e);
    for (unsigned i = 0; i < n; i++) {
        unsigned s = i % 5;
        unsigned long long cube = (unsigned long long)i * i * i;
        i32[s] += i;
        i32[5 + s] -= 3;
        if (-(int)i < i32[10 + s]) i32[10 + s] = -(int)i;
        u64[s] += (unsigned long long)i << 20;
        if (cube > u64[5 + s]) u64[5 + s] = cube;
        f32[s] += 0.5f;
        f64[s] += 0.25;
        u32[s] |= 1u << i % 32;
        u32[5 + s] &= ~(1u << i % 31);
        u32[10 + s] ^= i;
        u32[15 + s] = u32[15 + s] >= 100 ? 0 : u32[15 + s] + 1;
        if (i > u32[20 + s]) u32[20 + s] = i;
    }
    std::vector<int> ga = host(a, 15);
    std::vector<unsigned long long> gb = host(b, 10);
    std::vector<float> gc = host(c, 5);
    std::vector<double> gd = host(d, 5);
    std::vector<unsigned> ge = host(e, 25);
    for (int s = 0; s < 15; s++) EXPECT(s, ga[s], i32[s]);
    for (int s = 0; s < 10; s++) EXPECT(s, gb[s], u64[s]);
    for (int s = 0; s < 5; s++) EXPECT(s, gc[s], f32[s]);
    for (int s = 0; s < 5; s++) EXPECT(s, gd[s], f64[s]);
    for (int s = 0; s < 25; s++) EXPECT(s, ge[s], u32[s]);
    return done();
}
