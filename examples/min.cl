// SPDX-License-Identifier: Apache-2.0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void minimum(global const half *a, global const half *b, global half *out, int n) {
    int i = get_global_id(0);
    if (i < n) out[i] = fmin(a[i], b[i]);
}
