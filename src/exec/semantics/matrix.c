/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matrix instructions as blocked products: both factors are unpacked, k by k, into rows of numbers (half floats and less become
 * floats, which is exact), multiplied block by block, and the result is packed. Compiled once for each SIMD level.
 */
#include "exec/matrix.h"

#ifdef __FMA__
#include <immintrin.h>
#endif

#define EZ_JOIN_(a, b) a##_##b
#define EZ_JOIN(a, b) EZ_JOIN_(a, b)

/* No instruction has a lane of more than 64 elements of A or B in waves of 32 or 32 in waves of 64, or more results. */
enum { MAX_ELEMENTS = 2048, MAX_WIDE = 256, ALIGN = 64 };

/* Buffers hold bits; floats in them are read as such. */
typedef float floats __attribute__((may_alias));

typedef struct factors {
    const ez_matrix *m;
    unsigned k, n;         /* of the dense product; k of B */
    const uint32_t *a, *b; /* [k as stored][m], [k][n]: floats or integers */
    const uint8_t *select; /* sparse: [k of A][m], the k of B; NULL: dense */
    const float *a_scale, *b_scale; /* [blocks of k][m], [..][n]; NULL: none */
    const ez_fpmode *md;
} factors;

#include "matrix_grid.h"

/* ---- unpacking ---- */

typedef struct source {
    const uint32_t *rows; /* [registers][lanes] */
    unsigned lanes, size; /* size: of a row of the matrix in k's place: M or N */
    unsigned k, lane, chunk, bits, blocks;
} source;

/* Of a power of two, as all counts below are: divisions would cost more than the arithmetic. */
EZ_INLINE unsigned log2_of(unsigned x) { return (unsigned)__builtin_ctz(x); }

/* The bits of the elements of block `block` with a given k, for all i. */
EZ_INLINE void take_some(const source *s, unsigned size, unsigned block, unsigned k, uint32_t *restrict to) {
    unsigned groups = log2_of(s->k) - log2_of(s->lane), chunk = log2_of(s->chunk), run = k >> chunk;
    unsigned element = (run >> groups << chunk) + (k & (s->chunk - 1)), bit = element * s->bits, shift = bit % 32;
    unsigned lane = size * (block + s->blocks * (run & ((1u << groups) - 1)));
    const uint32_t *restrict from = s->rows + bit / 32 * s->lanes + lane;
    uint32_t mask = s->bits < 32 ? (1u << s->bits) - 1 : ~0u;
    if (shift + s->bits > 32)
        for (unsigned i = 0; i < size; i++)
            to[i] = (from[i] >> shift | from[s->lanes + i] << (32 - shift)) & mask;
    else
        for (unsigned i = 0; i < size; i++) to[i] = from[i] >> shift & mask;
}

/* With constant counts the compiler makes vectors of the loops. */
EZ_INLINE void take(const source *s, unsigned block, unsigned k, uint32_t *to) {
    if (s->size == 16) take_some(s, 16, block, k, to);
    else if (s->size == 32) take_some(s, 32, block, k, to);
    else take_some(s, s->size, block, k, to);
}

#define EACH(EXPRESSION)                          \
    for (unsigned i = 0; i < count; i++) {        \
        const uint32_t v = x[i];                  \
        x[i] = (uint32_t)(EXPRESSION);            \
    }

/* Bits of elements to floats or integers. */
EZ_INLINE void convert(uint32_t *x, unsigned count, unsigned element, bool flush) {
    switch (element) {
    case EZ_ELEMENT_XF32: EACH(v & 0xffffe000) break; /* cut to 10 bits of fraction */
    case EZ_ELEMENT_F16:
        if (flush) EACH(v & 0x7c00 ? f16_widen(v) : 0) else EACH(f16_widen(v))
        break;
    case EZ_ELEMENT_BF16:
        if (flush) EACH(v & 0x7f80 ? v << 16 : 0) else EACH(v << 16)
        break;
    case EZ_ELEMENT_I8: EACH((int8_t)v) break;
    case EZ_ELEMENT_I4: EACH((int32_t)(v << 28) >> 28) break;
    case EZ_ELEMENT_SMALL + EZ_SMALL_FP8: EACH(small_widen(v, EZ_SMALL_FP8)) break;
    case EZ_ELEMENT_SMALL + EZ_SMALL_BF8: EACH(small_widen(v, EZ_SMALL_BF8)) break;
    case EZ_ELEMENT_SMALL + EZ_SMALL_FP6: EACH(small_widen(v, EZ_SMALL_FP6)) break;
    case EZ_ELEMENT_SMALL + EZ_SMALL_BF6: EACH(small_widen(v, EZ_SMALL_BF6)) break;
    case EZ_ELEMENT_SMALL + EZ_SMALL_FP4: EACH(small_widen(v, EZ_SMALL_FP4)) break;
    case EZ_ELEMENT_SMALL + EZ_SMALL_FP8_FNUZ: EACH(small_widen(v, EZ_SMALL_FP8_FNUZ)) break;
    case EZ_ELEMENT_SMALL + EZ_SMALL_BF8_FNUZ: EACH(small_widen(v, EZ_SMALL_BF8_FNUZ)) break;
    default: break;
    }
}

static void flip_signs(uint32_t *x, unsigned size, unsigned k, bool even, bool odd) {
    for (unsigned n = 0; n < k; n++)
        if (n & 1 ? odd : even)
            for (unsigned i = 0; i < size; i++) x[n * size + i] ^= 0x80000000;
}

/* blgp: the lane that lane i reads. [CDNA3] 7.1.5.3 */
static unsigned blgp_lane(unsigned blgp, unsigned i) {
    switch (blgp) {
    case 1: return i & 31;
    case 2: return i | 32;
    case 3: return (i + 16) & 63;
    case 4: case 5: case 6: case 7: return (i & 15) + 16 * (blgp - 4);
    default: return i;
    }
}

/* ---- one product and the ways to add up ---- */

/* The row of an accumulator gets the products of a row of A and the columns of B, k by k. Sparse: each row of A chooses its own
 * rows of B. */
#define CHAIN(NAME, T, FMA)                                                                           \
    static void NAME(const factors *f, T *acc, const T *a, const T *b) {                              \
        unsigned m = f->m->m, n = f->n;                                                               \
        for (unsigned i = 0; i < m; i++)                                                              \
            for (unsigned k = 0; k < f->m->k; k++) {                                                  \
                const T x = a[k * m + i], *y = b + (f->select ? f->select[k * m + i] : k) * n;        \
                for (unsigned j = 0; j < n; j++) acc[i * n + j] = FMA(x, y[j], acc[i * n + j]);       \
            }                                                                                         \
    }

#define INTEGER_FMA(x, y, z) ((z) + (x) * (y))
CHAIN(chain_f32, floats, fmaf)
CHAIN(chain_f64, double, fma)
CHAIN(chain_i32, int32_t, INTEGER_FMA)

/* The same for floats where the host multiplies and adds vectors with one rounding: 4 rows at a time, in registers. */
#ifdef __FMA__
#ifdef __AVX512F__
enum { WIDE = 16 };
typedef __m512 wide;
#define WIDE_LOAD(P) _mm512_loadu_ps((const void *)(P))
#define WIDE_STORE(P, X) _mm512_storeu_ps((void *)(P), X)
#define WIDE_EACH(X) _mm512_set1_ps(X)
#define WIDE_FMA(X, Y, Z) _mm512_fmadd_ps(X, Y, Z)
#else
enum { WIDE = 8 };
typedef __m256 wide;
#define WIDE_LOAD(P) _mm256_loadu_ps((const float *)(P))
#define WIDE_STORE(P, X) _mm256_storeu_ps((float *)(P), X)
#define WIDE_EACH(X) _mm256_set1_ps(X)
#define WIDE_FMA(X, Y, Z) _mm256_fmadd_ps(X, Y, Z)
#endif

/* n is 16 or 32, a constant; 16 columns at a time. */
EZ_INLINE void chain_wide(const factors *f, floats *acc, const floats *a, const floats *b, unsigned n) {
    enum { ROWS = 4, PARTS = 16 / WIDE };
    unsigned m = f->m->m, all = f->m->k;
    for (unsigned i = 0; i < m; i += ROWS)
        for (unsigned j = 0; j < n; j += 16) {
            wide r[ROWS][PARTS];
            for (unsigned q = 0; q < ROWS; q++)
                for (unsigned p = 0; p < PARTS; p++) r[q][p] = WIDE_LOAD(acc + (i + q) * n + j + p * WIDE);
            for (unsigned k = 0; k < all; k++) {
                wide y[PARTS];
                for (unsigned p = 0; p < PARTS; p++) y[p] = WIDE_LOAD(b + k * n + j + p * WIDE);
                for (unsigned q = 0; q < ROWS; q++) {
                    wide x = WIDE_EACH(a[k * m + i + q]);
                    for (unsigned p = 0; p < PARTS; p++) r[q][p] = WIDE_FMA(x, y[p], r[q][p]);
                }
            }
            for (unsigned q = 0; q < ROWS; q++)
                for (unsigned p = 0; p < PARTS; p++) WIDE_STORE(acc + (i + q) * n + j + p * WIDE, r[q][p]);
        }
}
#endif

static void chain_floats(const factors *f, floats *acc, const floats *a, const floats *b) {
#ifdef __FMA__
    if (!f->select && f->n == 16) {
        chain_wide(f, acc, a, b, 16);
        return;
    }
    if (!f->select && f->n == 32) {
        chain_wide(f, acc, a, b, 32);
        return;
    }
#endif
    chain_f32(f, acc, a, b);
}

/* A sum of up to 5 doubles, rounded once to a float: Shewchuk's expansions, then rounding to odd, so that the rounding to 24 bits
 * sees a remainder. All x are finite and far from the limits of double. Source: Shewchuk, "Adaptive Precision Floating-Point
 * Arithmetic"; Boldo and Melquiond, "Emulation of FMA and correctly rounded sums". */
static f32 exact_sum(const double *x, unsigned count) {
    double e[8];
    unsigned parts = 0;
    for (unsigned n = 0; n < count; n++) {
        double q = x[n];
        unsigned kept = 0;
        for (unsigned p = 0; p < parts; p++) {
            double s = q + e[p], y = s - q, rest = (q - (s - y)) + (e[p] - y);
            q = s;
            if (rest != 0) e[kept++] = rest;
        }
        e[kept++] = q;
        parts = kept;
    }
    double top = e[parts - 1], rest = 0;
    for (unsigned p = parts - 1; p-- && rest == 0;) {
        double s = top + e[p];
        rest = e[p] - (s - top);
        top = s;
    }
    f64 bits = f64_bits(top);
    if (rest != 0 && !(bits & 1)) bits = (rest < 0) == (top < 0) ? bits + 1 : bits - 1;
    return f32_bits((float)f64_host(bits));
}

/* What becomes of infinities and NaNs: as in a sum of doubles. */
static f32 special_sum(const double *p, unsigned count, float c) {
    double sum = c;
    for (unsigned n = 0; n < count; n++) sum += p[n];
    return f32_bits((float)sum);
}

static bool all_finite(const double *p, unsigned count, float c) {
    bool finite = isfinite(c);
    for (unsigned n = 0; n < count; n++) finite &= (bool)isfinite(p[n]);
    return finite;
}

static f32 exact_step(const double *p, unsigned count, float c) {
    if (!all_finite(p, count, c)) return special_sum(p, count, c);
    double x[5];
    for (unsigned n = 0; n < count; n++) x[n] = p[n];
    x[count] = c;
    return exact_sum(x, count + 1);
}

EZ_INLINE float flushed(float x) { return f32_host(f32_flush(f32_bits(x), ~0u)); }

/* Products and sums are rounded to floats, denormal ones become 0. The inputs are flushed already. */
static f32 pairs_step(const float *a, const float *b, unsigned count, float c) {
    float s = flushed(flushed(a[0] * b[0]) + flushed(a[1] * b[1]));
    if (count == 4) s = flushed(s + flushed(flushed(a[2] * b[2]) + flushed(a[3] * b[3])));
    return f32_bits(flushed(c + s));
}

/* The exponent of a number of a format whose least exponent is `least`. */
static int exponent_of(float x, int least) {
    int e = (int)(f32_bits(x) >> 23 & 0xff) - 127;
    return e > least ? e : least;
}

static int64_t shifted(int64_t x, int left) {
    return left >= 0 ? x * (INT64_C(1) << left) : x >> (left < -63 ? 63 : -left);
}

enum { CUT = 24, NO_EXPONENT = -999 }; /* bits of fraction that are kept; exponent of a product that is 0 */

/* Products with their bits below 2^(e - 24) cut off, e being the greatest exponent of a product, in units of 2^(e - 24). */
static int64_t truncated_sum(const float *a, const float *b, const double *p, unsigned count, unsigned by, int least_a,
                             int least_b, int *exponent) {
    int greatest = NO_EXPONENT;
    for (unsigned n = 0; n < count; n += by) {
        int e = p[n] == 0 ? NO_EXPONENT : exponent_of(a[n], least_a) + exponent_of(b[n], least_b);
        if (e > greatest) greatest = e;
    }
    *exponent = greatest;
    if (greatest == NO_EXPONENT) return 0;
    int64_t sum = 0;
    double scale = ldexp(1, CUT - greatest);
    for (unsigned n = 0; n < count; n += by) sum += (int64_t)(p[n] * scale);
    return sum;
}

/*
 * The matrix cores of CDNA 3: the sum of products, in units of 2^(e - 24), and the accumulator meet at the greater of their exponents.
 * The sum keeps 32 bits of fraction there, the accumulator 24; both lose what is below by rounding down, the total again at 31
 * bits, and is then rounded to nearest even.
 */
static f32 rounded_sum(int64_t sum, int e, float c, bool drop_far) {
    int e_c = exponent_of(c, -126), top = e > e_c ? e : e_c;
    f32 bits = f32_bits(c);
    int64_t fraction = (bits & 0x7fffff) | (bits & 0x7f800000 ? 0x800000 : 0);
    if (bits >> 31) fraction = -fraction;
    int64_t t = e == NO_EXPONENT ? 0 : shifted(sum, e - top + 8);
    int64_t cut = drop_far && e_c < top - CUT - 1 ? 0 : shifted(fraction, e_c - top + 1);
    int64_t total = t + cut * 256; /* in units of 2^(top - 32) */
    if (!total) return 0;
    int high = 63 - __builtin_clzll((uint64_t)(total < 0 ? -total : total)) + top - 32;
    int drop = (high > -126 ? high : -126) - top + 1;
    if (drop > 0) total = shifted(shifted(total, -drop), drop);
    return f32_bits((float)ldexp((double)total, top - 32));
}

static int least_exponent(unsigned element) {
    switch (element) {
    case EZ_ELEMENT_F16: return -14;
    case EZ_ELEMENT_XF32: case EZ_ELEMENT_BF16: return -126;
    default: return 1 - (int)ez_small_of(element - EZ_ELEMENT_SMALL).bias;
    }
}

static f32 truncate_step(const ez_matrix *m, const float *a, const float *b, double *p, unsigned count, float c) {
    for (unsigned n = 0; n < count; n++)
        if (fabs(p[n]) >= 0x1p128) p[n] = copysign(INFINITY, p[n]); /* products overflow as floats do */
    if (!all_finite(p, count, c)) return special_sum(p, count, c);
    int e;
    int64_t sum = truncated_sum(a, b, p, count, 1, least_exponent(m->a), least_exponent(m->b), &e);
    return rounded_sum(sum, e, c, false);
}

static f32 halves_step(const ez_matrix *m, const float *a, const float *b, const double *p, unsigned count, float c) {
    if (!all_finite(p, count, c)) return special_sum(p, count, c);
    int even, odd, least_a = least_exponent(m->a), least_b = least_exponent(m->b);
    int64_t s0 = truncated_sum(a, b, p, count, 2, least_a, least_b, &even);
    int64_t s1 = truncated_sum(a + 1, b + 1, p + 1, count - 1, 2, least_a, least_b, &odd);
    int e = even > odd ? even : odd;
    return rounded_sum(shifted(s0, even - e) + shifted(s1, odd - e), e, c, true);
}

/* Products of numbers of 8 bits and less are multiples of 2^-32 below 2^32: whole part and fraction are summed apart. */
static f32 scaled_step(const double *p, unsigned count, double scale, float c) {
    if (isnan(scale)) return 0x7fc00000;
    if (!all_finite(p, count, c)) return special_sum(p, count, c);
    int64_t whole = 0, fraction = 0;
    for (unsigned n = 0; n < count; n++) {
        int64_t part = (int64_t)p[n];
        whole += part;
        fraction += (int64_t)((p[n] - (double)part) * 0x1p32);
    }
    double x[3] = {(double)whole * scale, (double)fraction * 0x1p-32 * scale, c};
    return exact_sum(x, 3);
}

/* All orders but the plain chain and the grid: an element of the result at a time, `length` products at a time. */
static void grouped(const factors *f, floats *acc, const floats *a, const floats *b) {
    const ez_matrix *m = f->m;
    unsigned rows = m->m, n = f->n, length = m->length < m->k ? m->length : m->k;
    for (unsigned i = 0; i < rows; i++)
        for (unsigned j = 0; j < n; j++) {
            float sum = acc[i * n + j];
            if (m->flags & EZ_MATRIX_FLUSH && !(f32_bits(sum) & 0x7f800000)) sum = 0;
            for (unsigned k = 0; k < m->k; k += length) {
                float x[32], y[32];
                double p[32];
                for (unsigned q = 0; q < length; q++) {
                    unsigned from = f->select ? f->select[(k + q) * rows + i] : k + q;
                    x[q] = a[(k + q) * rows + i];
                    y[q] = b[from * n + j];
                    p[q] = (double)x[q] * (double)y[q];
                }
                f32 r;
                unsigned part = k / length;
                switch (m->order) {
                case EZ_ORDER_EXACT: r = exact_step(p, length, sum); break;
                case EZ_ORDER_PAIRS: r = pairs_step(x, y, length, sum); break;
                case EZ_ORDER_TRUNCATE: r = truncate_step(m, x, y, p, length, sum); break;
                case EZ_ORDER_HALVES: r = halves_step(m, x, y, p, length, sum); break;
                default:
                    r = scaled_step(p, length, f->a_scale ? (double)f->a_scale[part * rows + i] * (double)f->b_scale[part * n + j] : 1, sum);
                }
                sum = f32_host(r);
            }
            acc[i * n + j] = sum;
        }
}

/* ---- C and D ---- */

/* Where the row i of a block is. */
typedef struct place {
    unsigned reg, lane, shift; /* shift: of 16-bit elements */
} place;

EZ_INLINE place row_place(const ez_matrix *m, unsigned lanes, unsigned element, unsigned block, unsigned i) {
    unsigned groups = log2_of(lanes) - log2_of(m->n), each = log2_of(m->m) - groups;
    unsigned turn = i >> groups, group = i & ((1u << groups) - 1);
    switch (m->layout) {
    case EZ_LAYOUT_CDNA: /* blocks one after the other in registers, or (4x4) beside each other in lanes */
        if (m->m == 4) return (place){i, m->n * block, 0};
        return (place){(block << each) + (i / 4 >> groups) * 4 + i % 4, m->n * (i / 4 & ((1u << groups) - 1)), 0};
    case EZ_LAYOUT_F64:
        if (m->m == 4) return (place){0, 16 * i + m->n * block, 0};
        return (place){2 * turn, m->n * group, 0};
    case EZ_LAYOUT_GFX11: return (place){turn, m->n * group, m->flags & EZ_MATRIX_HIGH ? 16 : 0};
    default: { /* blocks: the tiles */
        unsigned at = i & ((1u << each) - 1), lane = m->n * (i >> each);
        bool half = element == EZ_ELEMENT_F16 || element == EZ_ELEMENT_BF16;
        at += block << each;
        return half ? (place){at / 2, lane, at % 2 * 16} : (place){at, lane, 0};
    }
    }
}

/* A row of C as floats or integers. */
EZ_INLINE void load_some(const uint32_t *restrict from, unsigned n, unsigned element, unsigned shift, uint32_t *restrict to) {
    if (element == EZ_ELEMENT_F16)
        for (unsigned j = 0; j < n; j++) to[j] = f16_widen(from[j] >> shift & 0xffff);
    else if (element == EZ_ELEMENT_BF16)
        for (unsigned j = 0; j < n; j++) to[j] = from[j] >> shift << 16;
    else
        for (unsigned j = 0; j < n; j++) to[j] = from[j];
}

static void load_row(const ez_step *s, ez_wave *w, const ez_matrix *m, unsigned source_index, unsigned block, unsigned i,
                     uint32_t *to) {
    const ez_place *p = &s->src[source_index];
    uint32_t constant[32];
    place at = row_place(m, w->lanes, m->c, block, i);
    const uint32_t *from = ez_place_row(w, p) + at.reg * w->lanes + at.lane;
    if (p->kind != EZ_PLACE_ROW) {
        for (unsigned j = 0; j < m->n; j++) constant[j] = (uint32_t)p->value;
        from = constant;
        at.shift = 0;
    }
    if (m->n == 16) load_some(from, 16, m->c, at.shift, to);
    else load_some(from, m->n, m->c, at.shift, to);
    if (m->c == EZ_ELEMENT_I32 || !((m->neg_lo | m->neg_hi) & 4)) return;
    uint32_t keep = m->neg_hi & 4 ? 0x7fffffff : ~0u, flip = m->neg_lo & 4 ? 0x80000000 : 0;
    for (unsigned j = 0; j < m->n; j++) to[j] = (to[j] & keep) ^ flip;
}

/* A row of D. NaNs have one pattern, if they are not to stay as they are. */
EZ_INLINE void store_some(const uint32_t *restrict r, unsigned n, unsigned element, unsigned shift, bool nans_stay,
                          uint32_t *restrict to) {
    uint32_t keep = shift ? 0xffff : 0xffff0000;
    if (element == EZ_ELEMENT_F32)
        for (unsigned j = 0; j < n; j++) to[j] = f32_is_nan(r[j]) && !nans_stay ? 0x7fc00000 : r[j];
    else if (element == EZ_ELEMENT_F16)
        for (unsigned j = 0; j < n; j++) {
            uint32_t x = f16_narrow(r[j], 0);
            to[j] = (to[j] & keep) | (f32_is_nan(r[j]) && !nans_stay ? 0x7e00 : x) << shift;
        }
    else if (element == EZ_ELEMENT_BF16)
        for (unsigned j = 0; j < n; j++) {
            uint32_t x = bf16_narrow(r[j]);
            to[j] = (to[j] & keep) | (!f32_is_nan(r[j]) ? x : nans_stay ? r[j] >> 16 : 0x7fc0) << shift;
        }
    else
        for (unsigned j = 0; j < n; j++) to[j] = r[j];
}

static void store_row(const ez_step *s, ez_wave *w, const ez_matrix *m, unsigned block, unsigned i, const uint32_t *r) {
    place at = row_place(m, w->lanes, m->d, block, i);
    uint32_t *to = ez_place_row(w, &s->dst[0]) + at.reg * w->lanes + at.lane;
    bool nans_stay = m->order == EZ_ORDER_GRID;
    if (m->n == 16) store_some(r, 16, m->d, at.shift, nans_stay, to);
    else store_some(r, m->n, m->d, at.shift, nans_stay, to);
}

/* ---- the index of sparse instructions, the scales ---- */

/* For each stored element of A the k of B that it belongs to: two of every four, by 2 bits each. */
static void read_index(const ez_step *s, ez_wave *w, const ez_matrix *m, uint8_t *select) {
    unsigned groups = m->k / m->a_lane;
    for (unsigned g = 0; g < groups; g++)
        for (unsigned i = 0; i < m->m; i++) {
            unsigned lane = m->m * g + i;
            uint64_t index = ez_lane_dword(w, &s->src[2], 0, lane);
            if (m->index_bits > 32) index |= (uint64_t)ez_lane_dword(w, &s->src[2], 1, lane) << 32;
            index >>= m->index_at;
            for (unsigned e = 0; e < m->a_lane; e++) {
                unsigned k = g * m->a_lane + e;
                select[k * m->m + i] = (uint8_t)(k / 2 * 4 + (index >> (2 * e) & 3));
            }
        }
}

/* A scale as a float, exact. */
static float scale_of(unsigned byte, unsigned format) {
    switch (format) {
    case EZ_SCALE_E5M3: return f32_host(ue5m3_cvt_f32(byte));
    case EZ_SCALE_E4M3: return f32_host(small_widen(byte, EZ_SMALL_FP8));
    default: return byte == 0xff ? NAN : ldexpf(1, (int)byte - 127);
    }
}

/* [block of k][size]: a scale operand. CDNA: byte `at` of the lane that has the row and block; GFX12.5: bytes of the lane
 * that has the row, in the lower or upper 16 lanes. */
static void read_scales(const ez_step *s, ez_wave *w, const ez_matrix *m, unsigned source_index, unsigned at, unsigned size,
                        unsigned format, float *to) {
    unsigned length = m->flags & EZ_MATRIX_SCALES16 ? 16 : 32;
    for (unsigned part = 0; part < m->k / length; part++)
        for (unsigned i = 0; i < size; i++) {
            bool cdna = m->flags & EZ_MATRIX_SCALES;
            unsigned lane = cdna ? part * size + i : 16 * at + i, byte = cdna ? at : part;
            uint32_t x = ez_lane_dword(w, &s->src[source_index], byte / 4, lane);
            to[part * size + i] = scale_of(x >> (8 * (byte % 4)) & 0xff, format);
        }
}

/* ---- the steps ---- */

static void matrix_f64(ez_wave *w, const ez_step *s, const ez_matrix *m) {
    double a[MAX_WIDE], b[MAX_WIDE], acc[MAX_WIDE];
    unsigned lanes = w->lanes, total = m->m * m->n;
    const uint32_t *rows[2] = {ez_place_row(w, &s->src[0]), ez_place_row(w, &s->src[1])};
    uint64_t results[MAX_WIDE];
    factors f = {.m = m, .k = m->k, .n = m->n};
    for (unsigned block = 0; block < m->blocks; block++) {
        for (unsigned k = 0; k < m->k; k++)
            for (unsigned i = 0; i < m->m; i++) {
                unsigned lane = i + m->m * (block + m->blocks * k);
                double x = f64_host(rows[0][lane] | (uint64_t)rows[0][lanes + lane] << 32);
                double y = f64_host(rows[1][lane] | (uint64_t)rows[1][lanes + lane] << 32);
                a[k * m->m + i] = m->neg_lo & 1 ? -x : x;
                b[k * m->n + i] = m->neg_lo & 2 ? -y : y;
            }
        for (unsigned i = 0; i < m->m; i++)
            for (unsigned j = 0; j < m->n; j++) {
                place at = row_place(m, lanes, m->c, block, i);
                uint64_t c = s->src[2].value;
                if (s->src[2].kind == EZ_PLACE_ROW) {
                    const uint32_t *from = ez_place_row(w, &s->src[2]) + at.reg * lanes + at.lane + j;
                    c = from[0] | (uint64_t)from[lanes] << 32;
                }
                acc[i * m->n + j] = f64_host(m->neg_lo & 4 ? f64_neg(c) : c);
            }
        chain_f64(&f, acc, a, b);
        for (unsigned n = 0; n < total; n++)
            results[block * total + n] = isnan(acc[n]) ? UINT64_C(0x7ff8000000000000) : f64_bits(acc[n]);
    }
    for (unsigned block = 0; block < m->blocks; block++)
        for (unsigned i = 0; i < m->m; i++)
            for (unsigned j = 0; j < m->n; j++) {
                place at = row_place(m, lanes, m->d, block, i);
                uint32_t *to = ez_place_row(w, &s->dst[0]) + at.reg * lanes + at.lane + j;
                uint64_t r = results[block * total + i * m->n + j];
                to[0] = (uint32_t)r;
                to[lanes] = (uint32_t)(r >> 32);
            }
}

/* Unpacks a factor: [block][k][size]. */
EZ_INLINE void unpack(const ez_matrix *m, const source *from, unsigned element, unsigned n, uint32_t *to) {
    unsigned each = from->k * from->size;
    for (unsigned block = 0; block < m->blocks; block++) {
        unsigned taken = n == 0 && m->cbsz ? (block & ~((1u << m->cbsz) - 1)) + m->abid : block;
        for (unsigned k = 0; k < from->k; k++) take(from, taken, k, to + block * each + k * from->size);
    }
    convert(to, each * m->blocks, element, m->flags & EZ_MATRIX_FLUSH);
    if ((m->neg_lo | m->neg_hi) >> n & 1) flip_signs(to, from->size, from->k, m->neg_lo >> n & 1, m->neg_hi >> n & 1);
}

EZ_INLINE unsigned bits_of(unsigned element) {
    switch (element) {
    case EZ_ELEMENT_F32: case EZ_ELEMENT_XF32: return 32;
    case EZ_ELEMENT_F16: case EZ_ELEMENT_BF16: return 16;
    case EZ_ELEMENT_I8: case EZ_ELEMENT_U8: return 8;
    case EZ_ELEMENT_I4: case EZ_ELEMENT_U4: return 4;
    default: return ez_small_of(element - EZ_ELEMENT_SMALL).bits;
    }
}

static void add_saturated(int32_t *sum, const int32_t *c, unsigned count) {
    for (unsigned n = 0; n < count; n++) {
        int64_t r = (int64_t)sum[n] + c[n];
        sum[n] = r > INT32_MAX ? INT32_MAX : r < INT32_MIN ? INT32_MIN : (int32_t)r;
    }
}

/* Integers: products of 8 bits add up to less than 2^31, so that only the last sum can overflow. */
static void multiply_integers(const factors *f, int32_t *acc) {
    unsigned count = f->m->m * f->n;
    int32_t sum[32 * 32] = {0};
    chain_i32(f, sum, (const int32_t *)f->a, (const int32_t *)f->b);
    if (f->m->flags & EZ_MATRIX_SATURATE) add_saturated(sum, acc, count);
    else
        for (unsigned n = 0; n < count; n++) sum[n] = (int32_t)((uint32_t)sum[n] + (uint32_t)acc[n]);
    memcpy(acc, sum, count * sizeof *acc);
}

void EZ_JOIN(ez_step_matrix, EZ_LEVEL)(ez_wave *w, const ez_step *s) {
    const ez_matrix copy = ez_matrix_of(s), *const m = &copy;
    if (m->d == EZ_ELEMENT_F64) {
        matrix_f64(w, s, m);
        return;
    }
    _Alignas(ALIGN) uint32_t a[MAX_ELEMENTS], b[MAX_ELEMENTS], acc[MAX_ELEMENTS];
    uint32_t permuted[8 * EZ_MAX_LANES];
    float a_scale[8 * 16 * 2], b_scale[8 * 16 * 2];
    uint8_t select[MAX_ELEMENTS];
    unsigned lanes = w->lanes, b_k = m->flags & EZ_MATRIX_SPARSE ? 2u * m->k : m->k;
    factors f = {.m = m, .k = b_k, .n = m->n, .md = &w->md};
    source left = {ez_place_row(w, &s->src[0]), lanes, m->m, m->k, m->a_lane, m->a_chunk, bits_of(m->a), m->blocks};
    source right = {ez_place_row(w, &s->src[1]), lanes, m->n, b_k, m->b_lane, m->b_chunk, bits_of(m->b), m->blocks};
    if (m->blgp) {
        for (unsigned r = 0; r < s->src[1].dwords && r < 8; r++)
            for (unsigned i = 0; i < lanes; i++) permuted[r * lanes + i] = right.rows[r * lanes + blgp_lane(m->blgp, i)];
        right.rows = permuted;
    }
    unpack(m, &right, m->b, 1, b);
    if (m->flags & EZ_MATRIX_SPARSE) {
        read_index(s, w, m, select);
        f.select = select;
    }
    bool scales = m->flags & (EZ_MATRIX_SCALES | EZ_MATRIX_SCALES_GFX12);
    if (scales) {
        read_scales(s, w, m, 4, m->b_scale, m->n, m->b_scale_format, b_scale);
        f.a_scale = a_scale;
        f.b_scale = b_scale;
    }
    unsigned c_source = m->flags & EZ_MATRIX_SPARSE ? 3 : 2, each = m->m * m->n, count = m->blocks * m->tiles;
    unsigned tile_rows = s->src[0].dwords / m->tiles * lanes;
    for (unsigned n = 0; n < count; n++) { /* blocks, or tiles, of which each has its A */
        unsigned tile = m->tiles > 1 ? n : 0, block = m->tiles > 1 ? 0 : n;
        if (!block) {
            left.rows = ez_place_row(w, &s->src[0]) + tile * tile_rows;
            unpack(m, &left, m->a, 0, a);
            if (scales) read_scales(s, w, m, 3, m->a_scale + tile, m->m, m->a_scale_format, a_scale);
        }
        uint32_t *sums = acc + n * each;
        for (unsigned i = 0; i < m->m; i++) load_row(s, w, m, c_source, n, i, sums + i * m->n);
        f.a = a + block * m->k * m->m;
        f.b = b + block * b_k * m->n;
        if (m->d == EZ_ELEMENT_I32) multiply_integers(&f, (int32_t *)sums);
        else if (m->order == EZ_ORDER_CHAIN) chain_floats(&f, (floats *)sums, (const floats *)f.a, (const floats *)f.b);
        else if (m->order == EZ_ORDER_GRID) grid_product(&f, sums);
        else grouped(&f, (floats *)sums, (const floats *)f.a, (const floats *)f.b);
    }
    for (unsigned n = 0; n < count; n++)
        for (unsigned i = 0; i < m->m; i++) store_row(s, w, m, n, i, acc + n * each + i * m->n);
}
