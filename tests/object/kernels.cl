/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose code objects have every kind of metadata: arguments of all kinds, local memory,
 * attributes, relocations, dynamic stack. Compiled by compare_readelf.py. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

constant int table[4] = {1, 2, 3, 4};
global int counter = 7;
global int *counter_pointer = &counter;

kernel void mixed(global half *out, const global half *restrict in, constant float *scale,
                  local float *scratch, float x, int4 v, ulong n, volatile global int *flag) {
    size_t i = get_global_id(0);
    scratch[get_local_id(1)] = x;
    out[i] = fmin(in[i], out[i]) + v.y + n + table[i & 3] + *counter_pointer + scale[i];
    *flag = get_local_id(2);
}

__attribute__((reqd_work_group_size(8, 4, 2))) kernel void fixed_size(global int *a) {
    local int z[100];
    z[get_local_id(0)] = a[1];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[0] = z[3];
}

__attribute__((work_group_size_hint(16, 1, 1), vec_type_hint(float4))) kernel void hinted(
    global char *a, uchar b, short c, double d) {
    a[0] = b;
    a[1] = c;
    a[2] = d;
}

struct pair {
    char c;
    long l;
};
kernel void by_value(struct pair p, global long *out) { *out = p.c + p.l; }

kernel void empty(void) {}

__attribute__((noinline)) int fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
kernel void recursive(global int *a) { a[0] = fibonacci(a[1]); }
