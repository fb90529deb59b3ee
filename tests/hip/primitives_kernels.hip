// SPDX-License-Identifier: Apache-2.0
// Reduction, scan and radix sort as libraries of device primitives write them: DPP and permutes within a wave, LDS between
// waves, a look-back between workgroups, ranks by ballots. primitives.py runs them with `execz run`.
#include <hip/hip_runtime.h>

constexpr unsigned BLOCK = 256, ITEMS = 4, TILE = BLOCK * ITEMS;

struct Plus {
    template <typename T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct Least {
    template <typename T> __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};

template <int CONTROL, typename T> __device__ T moved(T old, T x) {
    if constexpr (sizeof(T) == 4)
        return __builtin_bit_cast(T, __builtin_amdgcn_update_dpp(__builtin_bit_cast(int, old), __builtin_bit_cast(int, x), CONTROL, 0xf, 0xf, false));
    else {
        struct Halves { int lo, hi; } o = __builtin_bit_cast(Halves, old), v = __builtin_bit_cast(Halves, x);
        v.lo = __builtin_amdgcn_update_dpp(o.lo, v.lo, CONTROL, 0xf, 0xf, false);
        v.hi = __builtin_amdgcn_update_dpp(o.hi, v.hi, CONTROL, 0xf, 0xf, false);
        return __builtin_bit_cast(T, v);
    }
}

// Inclusive over a wave: shifts within rows of 16, then what the rows before have.
template <typename T, typename Op> __device__ T wave_scan(T x, T identity, Op op) {
    x = op(moved<0x111>(identity, x), x); // row_shr:1, 2, 4, 8
    x = op(moved<0x112>(identity, x), x);
    x = op(moved<0x114>(identity, x), x);
    x = op(moved<0x118>(identity, x), x);
    unsigned lane = __lane_id();
    for (unsigned row = 16; row < warpSize; row *= 2) {
        T before = __shfl(x, int((lane & ~(row - 1)) - 1) & int(warpSize - 1));
        if (lane & row) x = op(before, x);
    }
    return x;
}

// Inclusive over the workgroup; total is that of all of it.
template <typename T, typename Op> __device__ T block_scan(T x, T identity, Op op, T *waves, T &total) {
    unsigned wave = threadIdx.x / warpSize, count = BLOCK / warpSize;
    x = wave_scan(x, identity, op);
    __syncthreads();
    if (__lane_id() == warpSize - 1) waves[wave] = x;
    __syncthreads();
    T before = identity;
    total = identity;
    for (unsigned i = 0; i < count; i++) {
        if (i == wave) before = total;
        total = op(total, waves[i]);
    }
    return op(before, x);
}

template <typename T, typename Op> __device__ void reduce(const T *in, T *out, unsigned n, T identity, Op op) {
    __shared__ T waves[BLOCK / 32];
    T x = identity;
    for (unsigned i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) x = op(x, in[i]);
    for (unsigned step = warpSize / 2; step; step /= 2) x = op(x, __shfl_xor(x, int(step)));
    if (__lane_id() == 0) waves[threadIdx.x / warpSize] = x;
    __syncthreads();
    if (threadIdx.x) return;
    for (unsigned i = 1; i < BLOCK / warpSize; i++) x = op(x, waves[i]);
    out[blockIdx.x] = x;
}

extern "C" __global__ void reduce_u32(const unsigned *in, unsigned *out, unsigned n) { reduce(in, out, n, 0u, Plus()); }
extern "C" __global__ void reduce_u64(const unsigned long *in, unsigned long *out, unsigned n) { reduce(in, out, n, 0ul, Plus()); }
extern "C" __global__ void least_i32(const int *in, int *out, unsigned n) { reduce(in, out, n, 0x7fffffff, Least()); }
extern "C" __global__ void least_f64(const double *in, double *out, unsigned n) { reduce(in, out, n, __builtin_inf(), Least()); }

// Inclusive scan in one pass: a tile publishes its sum, then the sum of all up to it, as a pair of flag and value. Tiles take their
// numbers from a counter, so that those before them have begun.
enum : unsigned long { EMPTY = 0, PARTIAL = 1ul << 32, WHOLE = 2ul << 32 };

extern "C" __global__ void scan_u32(const unsigned *in, unsigned *out, unsigned long *tiles, unsigned *counter, unsigned n) {
    __shared__ unsigned waves[BLOCK / 32], tile_shared, before_shared;
    if (!threadIdx.x) tile_shared = atomicAdd(counter, 1);
    __syncthreads();
    unsigned tile = tile_shared, at = tile * TILE + threadIdx.x * ITEMS, item[ITEMS], sum = 0, total;
    for (unsigned i = 0; i < ITEMS; i++) sum = item[i] = sum + (at + i < n ? in[at + i] : 0);
    unsigned exclusive = block_scan(sum, 0u, Plus(), waves, total) - sum;
    if (!threadIdx.x) {
        unsigned before = 0;
        __hip_atomic_store(&tiles[tile], (tile ? PARTIAL : WHOLE) | total, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        for (unsigned look = tile; look-- > 0;) {
            unsigned long found;
            do found = __hip_atomic_load(&tiles[look], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
            while (found >> 32 == 0);
            before += unsigned(found);
            if (found & WHOLE) break;
        }
        if (tile) __hip_atomic_store(&tiles[tile], WHOLE | (before + total), __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT);
        before_shared = before;
    }
    __syncthreads();
    for (unsigned i = 0; i < ITEMS; i++)
        if (at + i < n) out[at + i] = before_shared + exclusive + item[i];
}

// Radix sort of pairs by 4 bits: counts of each digit by tile, their exclusive scan, and a stable scatter.
constexpr unsigned DIGITS = 16;

extern "C" __global__ void sort_count(const unsigned *keys, unsigned *counts, unsigned n, unsigned shift) {
    __shared__ unsigned local[DIGITS];
    if (threadIdx.x < DIGITS) local[threadIdx.x] = 0;
    __syncthreads();
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) atomicAdd(&local[keys[i] >> shift & (DIGITS - 1)], 1);
    __syncthreads();
    if (threadIdx.x < DIGITS) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

// One workgroup; n counts.
extern "C" __global__ void sort_offsets(unsigned *counts, unsigned n) {
    __shared__ unsigned waves[BLOCK / 32];
    unsigned before = 0;
    for (unsigned base = 0; base < n; base += BLOCK) {
        unsigned i = base + threadIdx.x, x = i < n ? counts[i] : 0, total, scanned = block_scan(x, 0u, Plus(), waves, total);
        if (i < n) counts[i] = before + scanned - x;
        before += total;
    }
}

extern "C" __global__ void sort_scatter(const unsigned *keys, const unsigned *values, const unsigned *offsets, unsigned *keys_out,
                                        unsigned *values_out, unsigned n, unsigned shift) {
    __shared__ unsigned first[BLOCK / 32][DIGITS];
    unsigned i = blockIdx.x * BLOCK + threadIdx.x, wave = threadIdx.x / warpSize, lane = __lane_id();
    bool valid = i < n;
    unsigned key = valid ? keys[i] : 0, digit = key >> shift & (DIGITS - 1);
    unsigned long peers = __ballot(valid);
    for (unsigned bit = 0; bit < 4; bit++) {
        unsigned long ones = __ballot(digit >> bit & 1);
        peers &= digit >> bit & 1 ? ones : ~ones;
    }
    unsigned rank = __popcll(peers & ((1ul << lane) - 1));
    if (threadIdx.x < BLOCK / warpSize * DIGITS) first[threadIdx.x / DIGITS][threadIdx.x % DIGITS] = 0;
    __syncthreads();
    if (valid && rank == 0) first[wave][digit] = __popcll(peers);
    __syncthreads();
    if (threadIdx.x < DIGITS) {
        unsigned sum = offsets[threadIdx.x * gridDim.x + blockIdx.x];
        for (unsigned w = 0; w < BLOCK / warpSize; w++) {
            unsigned count = first[w][threadIdx.x];
            first[w][threadIdx.x] = sum;
            sum += count;
        }
    }
    __syncthreads();
    if (!valid) return;
    unsigned to = first[wave][digit] + rank;
    keys_out[to] = key;
    values_out[to] = values[i];
}
