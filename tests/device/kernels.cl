/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that a compiler makes for every target, at -O0 and -O2; test_kernels.c says what they must give. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

__kernel void min_f16(__global const half *a, __global const half *b, __global half *out, uint n) {
    uint i = get_global_id(0);
    if (i < n) out[i] = fmin(a[i], b[i]);
}

/* Where each work-item thinks that it is: three dimensions, partial workgroups. */
__kernel void where(__global uint *out) {
    uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    uint i = x + get_global_size(0) * (y + get_global_size(1) * z);
    __global uint *p = out + 8 * i;
    p[0] = get_local_id(0) | get_local_id(1) << 8 | get_local_id(2) << 16;
    p[1] = get_group_id(0) | get_group_id(1) << 8 | get_group_id(2) << 16;
    p[2] = get_local_size(0) | get_local_size(1) << 8 | get_local_size(2) << 16;
    p[3] = get_num_groups(0) | get_num_groups(1) << 8 | get_num_groups(2) << 16;
    p[4] = x;
    p[5] = y;
    p[6] = z;
    p[7] = get_work_dim();
}

/* Reverses each workgroup's part through local memory given by the caller. */
__kernel void reverse(__global const uint *in, __global uint *out, __local uint *tile) {
    uint l = get_local_id(0), n = get_local_size(0);
    tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[n - 1 - l];
}

/* Private arrays behind generic pointers, local memory behind generic pointers. */
static uint sum(const uint *p, uint n) {
    uint s = 0;
    for (uint i = 0; i < n; i++)
        s += p[i];
    return s;
}

__kernel void by_generic(__global const uint *in, __global uint *out) {
    __local uint shared[64];
    uint mine[8];
    uint l = get_local_id(0);
    for (uint i = 0; i < 8; i++)
        mine[i] = in[(get_global_id(0) + i) & 255];
    shared[l & 63] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum(mine, 8) + sum(shared, 64);
}

__kernel void count(__global uint *total, __global uint *order) {
    order[get_global_id(0)] = atomic_inc(total);
}
