/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debian's librocsparse.so.0 on the device: a sparse matrix times a vector (rocsparse_spmv, two algorithms) and times a matrix (spmm),
 * and a triangular solve (spsv), in float and double. Expected: the same in plain C. All numbers are small integers, so that
 * every sum is exact in whatever order it is made, and the results must be equal.
 */
#include <hip/hip_runtime_api.h>
#include <rocsparse.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 192, COLUMNS = 5, MOST = 7 * N };

#define CALL(x)                                                                                              \
    do {                                                                                                     \
        int status_ = (int)(x);                                                                              \
        if (status_) {                                                                                       \
            printf("%s:%d: %s is %d\n", __FILE__, __LINE__, #x, status_);                                    \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

/* ---- numbers of either type ---- */

typedef struct numbers {
    rocsparse_datatype type;
    size_t size; /* bytes of one */
} numbers;

static void put(const numbers *n, void *array, int i, double value) {
    if (n->type == rocsparse_datatype_f64_r) ((double *)array)[i] = value;
    else ((float *)array)[i] = (float)value;
}

static double get(const numbers *n, const void *array, int i) {
    return n->type == rocsparse_datatype_f64_r ? ((const double *)array)[i] : ((const float *)array)[i];
}

static void *to_device(const void *from, size_t bytes) {
    void *p;
    CALL(hipMalloc(&p, bytes));
    CALL(hipMemcpy(p, from, bytes, hipMemcpyHostToDevice));
    return p;
}

static void *upload(const numbers *n, const double *values, int count) {
    double host[N * COLUMNS + MOST];
    for (int i = 0; i < count; i++)
        put(n, host, i, values[i]);
    return to_device(host, (size_t)count * n->size);
}

static int compare(const char *what, const numbers *n, const void *device, const double *want, int count) {
    double host[N * COLUMNS];
    int wrong = 0;
    CALL(hipMemcpy(host, device, (size_t)count * n->size, hipMemcpyDeviceToHost));
    for (int i = 0; i < count; i++)
        if (get(n, host, i) != want[i] && wrong++ < 3)
            printf("%s, %zu bytes: [%d] is %.9g, not %.9g\n", what, n->size, i, get(n, host, i), want[i]);
    return wrong;
}

/* ---- matrices ---- */

typedef struct csr {
    int32_t row[N + 1], column[MOST];
    double value[MOST];
} csr;

static unsigned mix(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* Rows of 0 to 6 entries between -8 and 8; lower: at or left of the diagonal, which is 2. */
static void make(csr *m, bool lower) {
    int count = 0;
    for (int i = 0; i < N; i++) {
        m->row[i] = count;
        for (int j = 0, most = lower ? i : N; j < most && count - m->row[i] < 6; j++)
            if (mix((unsigned)(i * N + j)) % (lower ? 40 : 30) == 0) {
                m->column[count] = j;
                m->value[count++] = (int)(mix((unsigned)(i + j * N)) % 17) - 8;
            }
        if (lower) {
            m->column[count] = i;
            m->value[count++] = 2;
        }
    }
    m->row[N] = count;
}

/* out = 3 m x + 2 out, or with `plain` m x; x and out have COLUMNS columns, one after the other, of which `count` count. */
static void multiply(const csr *m, const double *x, double *out, int count, bool plain) {
    for (int c = 0; c < count; c++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int k = m->row[i]; k < m->row[i + 1]; k++)
                sum += m->value[k] * x[c * N + m->column[k]];
            out[c * N + i] = plain ? sum : 3 * sum + 2 * out[c * N + i];
        }
}

static rocsparse_spmat_descr describe(const numbers *n, const csr *m) {
    rocsparse_spmat_descr d;
    int count = m->row[N];
    CALL(rocsparse_create_csr_descr(&d, N, N, count, to_device(m->row, sizeof m->row),
                                    to_device(m->column, (size_t)count * 4), upload(n, m->value, count),
                                    rocsparse_indextype_i32, rocsparse_indextype_i32,
                                    rocsparse_index_base_zero, n->type));
    return d;
}

/* ---- the three ---- */

static int products(const numbers *n, rocsparse_handle handle) {
    static csr m;
    double x[N * COLUMNS], y[N * COLUMNS], want[N * COLUMNS], three = 0, two = 0;
    int wrong = 0;
    size_t bytes;
    void *buffer;
    make(&m, false);
    for (int i = 0; i < N * COLUMNS; i++) {
        x[i] = (int)(mix((unsigned)i) % 100) - 50;
        y[i] = i % 23;
    }
    put(n, &three, 0, 3);
    put(n, &two, 0, 2);
    rocsparse_spmat_descr matrix = describe(n, &m);
    void *from = upload(n, x, N * COLUMNS);
    static const rocsparse_spmv_alg algorithms[] = {rocsparse_spmv_alg_csr_stream,
                                                    rocsparse_spmv_alg_csr_adaptive};
    for (int a = 0; a < 2; a++) {
        rocsparse_dnvec_descr vector, out;
        void *to = upload(n, y, N);
        CALL(rocsparse_create_dnvec_descr(&vector, N, from, n->type));
        CALL(rocsparse_create_dnvec_descr(&out, N, to, n->type));
        CALL(rocsparse_spmv(handle, rocsparse_operation_none, &three, matrix, vector, &two, out, n->type,
                            algorithms[a], &bytes, NULL));
        CALL(hipMalloc(&buffer, bytes));
        CALL(rocsparse_spmv(handle, rocsparse_operation_none, &three, matrix, vector, &two, out, n->type,
                            algorithms[a], &bytes, buffer));
        memcpy(want, y, sizeof want);
        multiply(&m, x, want, 1, false);
        wrong += compare(a ? "spmv, adaptive" : "spmv, stream", n, to, want, N);
    }
    rocsparse_dnmat_descr columns, out;
    void *to = upload(n, y, N * COLUMNS);
    CALL(rocsparse_create_dnmat_descr(&columns, N, COLUMNS, N, from, n->type, rocsparse_order_column));
    CALL(rocsparse_create_dnmat_descr(&out, N, COLUMNS, N, to, n->type, rocsparse_order_column));
    for (int stage = rocsparse_spmm_stage_buffer_size; stage <= rocsparse_spmm_stage_compute; stage++) {
        CALL(rocsparse_spmm(handle, rocsparse_operation_none, rocsparse_operation_none, &three, matrix,
                            columns, &two, out, n->type, rocsparse_spmm_alg_csr, (rocsparse_spmm_stage)stage,
                            &bytes, buffer));
        if (stage == rocsparse_spmm_stage_buffer_size) CALL(hipMalloc(&buffer, bytes + 1));
    }
    memcpy(want, y, sizeof want);
    multiply(&m, x, want, COLUMNS, false);
    return wrong + compare("spmm", n, to, want, N * COLUMNS);
}

/* The right side is made from integers, which the solve must find again. */
static int triangular(const numbers *n, rocsparse_handle handle) {
    static csr m;
    double x[N], right[N], one = 0, zeros[N] = {0};
    size_t bytes = 0;
    void *buffer = NULL;
    make(&m, true);
    for (int i = 0; i < N; i++)
        x[i] = (int)(mix((unsigned)i + 7) % 100) - 50;
    multiply(&m, x, right, 1, true);
    put(n, &one, 0, 1);
    rocsparse_spmat_descr matrix = describe(n, &m);
    rocsparse_fill_mode fill = rocsparse_fill_mode_lower;
    rocsparse_diag_type diagonal = rocsparse_diag_type_non_unit;
    CALL(rocsparse_spmat_set_attribute(matrix, rocsparse_spmat_fill_mode, &fill, sizeof fill));
    CALL(rocsparse_spmat_set_attribute(matrix, rocsparse_spmat_diag_type, &diagonal, sizeof diagonal));
    rocsparse_dnvec_descr from, out;
    void *to = upload(n, zeros, N);
    CALL(rocsparse_create_dnvec_descr(&from, N, upload(n, right, N), n->type));
    CALL(rocsparse_create_dnvec_descr(&out, N, to, n->type));
    for (int stage = rocsparse_spsv_stage_buffer_size; stage <= rocsparse_spsv_stage_compute; stage++) {
        CALL(rocsparse_spsv(handle, rocsparse_operation_none, &one, matrix, from, out, n->type,
                            rocsparse_spsv_alg_default, (rocsparse_spsv_stage)stage, &bytes, buffer));
        if (stage == rocsparse_spsv_stage_buffer_size) CALL(hipMalloc(&buffer, bytes));
    }
    CALL(hipDeviceSynchronize());
    return compare("spsv", n, to, x, N);
}

int main(void) {
    static const numbers types[] = {{rocsparse_datatype_f32_r, 4}, {rocsparse_datatype_f64_r, 8}};
    rocsparse_handle handle;
    int wrong = 0;
    CALL(rocsparse_create_handle(&handle));
    for (int t = 0; t < 2; t++)
        wrong += products(&types[t], handle) + triangular(&types[t], handle);
    CALL(rocsparse_destroy_handle(handle));
    printf(wrong ? "%d values are wrong\n" : "ok\n", wrong);
    return wrong != 0;
}
