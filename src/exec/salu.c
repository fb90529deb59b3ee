/* SPDX-License-Identifier: Apache-2.0 */
/* The scalar ALU: steps of the lines of semantics/salu.def and semantics/salu_float.def. */
#include <fenv.h>

#include "numbers_float.h"
#include "program.h"
#include "semantics/steps.h"

/* ---- helpers of the bodies ---- */

EZ_INLINE u64 bfe_u64(u64 x, u32 offset, u32 width, u32 bits) {
    x >>= offset;
    return width >= bits ? x : x & ((UINT64_C(1) << width) - 1);
}
EZ_INLINE i64 bfe_i64(i64 x, u32 offset, u32 width, u32 bits) {
    x >>= offset;
    if (!width) return 0;
    return width >= bits ? x : (i64)((u64)x << (64 - width)) >> (64 - width);
}
EZ_INLINE u64 any_of_quads(u64 x) {
    x |= x >> 1;
    x |= x >> 2;
    return x & UINT64_C(0x1111111111111111);
}
EZ_INLINE u64 whole_quads(u64 x) { return any_of_quads(x) * 15; }
EZ_INLINE u64 quad_mask(u64 x) {
    u64 r = 0;
    x = any_of_quads(x);
    for (unsigned i = 0; i < 16; i++) r |= (x >> (4 * i) & 1) << i;
    return r;
}
EZ_INLINE u64 reverse_bits(u64 x) {
    u64 r = 0;
    for (unsigned i = 0; i < 64; i++) r |= (x >> i & 1) << (63 - i);
    return r;
}
EZ_INLINE u64 replicate_bits(u32 x) {
    u64 r = 0;
    for (unsigned i = 0; i < 32; i++) r |= (u64)(x >> i & 1) * 3 << (2 * i);
    return r;
}

/* ---- operands ---- */

#define READ32(T) EZ_INLINE T read_##T(const ez_wave *w, const ez_place *p) { return (T)ez_scalar32(w, p); }
#define READ64(T) EZ_INLINE T read_##T(const ez_wave *w, const ez_place *p) { return (T)ez_scalar64(w, p); }
READ32(u32) READ32(i32) READ32(f32) READ64(u64) READ64(i64)
EZ_INLINE f16 read_f16(const ez_wave *w, const ez_place *p) { return ez_scalar32(w, p) & 0xffff; }

#define WRITE32(T) \
    EZ_INLINE void write_##T(ez_wave *w, const ez_place *p, T d) { w->sgpr[p->index] = (uint32_t)d; }
#define WRITE64(T) \
    EZ_INLINE void write_##T(ez_wave *w, const ez_place *p, T d) { ez_put64(w, p->index, (uint64_t)d); }
WRITE32(u32) WRITE32(i32) WRITE32(f32) WRITE32(f16) WRITE64(u64) WRITE64(i64)

/* ---- the shapes of steps ---- */

#define STEP_OF(ID) void ez_salu_##ID(ez_wave *w, const ez_step *s)
#define OLD(D) D d = read_##D(w, &s->dst[0])

#define SALU_1(ID, D, A, BODY)                    \
    STEP_OF(ID) {                                 \
        const A a = read_##A(w, &s->src[0]);      \
        OLD(D);                                   \
        uint32_t scc = w->scc;                    \
        BODY;                                     \
        write_##D(w, &s->dst[0], d);              \
        w->scc = scc;                             \
    }
#define SALU_2(ID, D, A, B, BODY)                 \
    STEP_OF(ID) {                                 \
        const A a = read_##A(w, &s->src[0]);      \
        const B b = read_##B(w, &s->src[1]);      \
        OLD(D);                                   \
        uint32_t scc = w->scc;                    \
        BODY;                                     \
        write_##D(w, &s->dst[0], d);              \
        w->scc = scc;                             \
    }
#define SALU_IF(ID, D, A, CONDITION, BODY)        \
    STEP_OF(ID) {                                 \
        const uint32_t scc = w->scc;              \
        if (!(CONDITION)) return;                 \
        const A a = read_##A(w, &s->src[0]);      \
        D d;                                      \
        BODY;                                     \
        write_##D(w, &s->dst[0], d);              \
    }
#define SCMP(ID, A, B, EXPR)                      \
    STEP_OF(ID) {                                 \
        const A a = read_##A(w, &s->src[0]);      \
        const B b = read_##B(w, &s->src[1]);      \
        w->scc = (EXPR) ? 1 : 0;                  \
    }
/* e is EXEC as wide as the instruction; a 32-bit one leaves the upper half alone */
#define EXEC_STEP(ID, T, BODY, RESULT)                                         \
    STEP_OF(ID) {                                                              \
        const T a = read_##T(w, &s->src[0]);                                   \
        const ez_place exec = {.index = EZ_SLOT_EXEC};                         \
        const T old = read_##T(w, &exec);                                      \
        T e = old;                                                             \
        BODY;                                                                  \
        write_##T(w, &s->dst[0], RESULT);                                      \
        write_##T(w, &exec, e);                                                \
        w->scc = e != 0;                                                       \
        ez_exec_changed(w);                                                    \
    }
#define SAVEEXEC(ID, T, BODY) EXEC_STEP(ID, T, BODY, old)
#define WREXEC(ID, T, BODY) EXEC_STEP(ID, T, BODY, e)

#include "semantics/salu.def"

/* ---- floats ---- */

#define M md, fl
enum { ROUNDS_f32 = 1, ROUNDS_f16 = 0, ROUNDS_u32 = 0, ROUNDS_i32 = 0 };

/* The rounding mode of the host, for results whose arithmetic is the host's. */
static void host_round(const ez_wave *w, bool begin) {
    static const int modes[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    if (w->md.round32) fesetround(begin ? modes[w->md.round32] : FE_TONEAREST);
}

/* The expression is a function of its own, that no compiler moves out from between the changes of the rounding mode. */
#define SFLOAT(ID, D, READ, EXPR)                                                                                 \
    static __attribute__((noinline)) D value_##ID(ez_wave *w, const ez_step *s, const ez_fpmode *md, uint32_t *fl) { \
        (void)md, (void)fl;                                                                                       \
        READ                                                                                                      \
        return (EXPR);                                                                                            \
    }                                                                                                             \
    STEP_OF(ID) {                                                                                                 \
        uint32_t raised = 0, *fl = w->key & EZ_KEY_FLAGS ? &raised : NULL;                                        \
        if (ROUNDS_##D) host_round(w, true);                                                                      \
        const D r = value_##ID(w, s, &w->md, fl);                                                                 \
        if (ROUNDS_##D) host_round(w, false);                                                                     \
        write_##D(w, &s->dst[0], r);                                                                              \
        ez_wave_raise(w, s, raised);                                                                              \
    }
#define READ_1(A) const A a = read_##A(w, &s->src[0]);
#define READ_2(A, B) READ_1(A) const B b = read_##B(w, &s->src[1]);
#define READ_3(A, B, C) READ_2(A, B) const C c = read_##C(w, &s->src[2]);
#define SFLOAT_1(ID, D, A, EXPR) SFLOAT(ID, D, READ_1(A), EXPR)
#define SFLOAT_2(ID, D, A, B, EXPR) SFLOAT(ID, D, READ_2(A, B), EXPR)
#define SFLOAT_3(ID, D, A, B, C, EXPR) SFLOAT(ID, D, READ_3(A, B, C), EXPR)
#define SFCMP(ID, A, B, EXPR)                                     \
    STEP_OF(ID) {                                                 \
        const ez_fpmode *md = &w->md;                             \
        uint32_t raised = 0, *fl = w->key & EZ_KEY_FLAGS ? &raised : NULL; \
        READ_2(A, B)                                              \
        w->scc = (EXPR) ? 1 : 0;                                  \
        ez_wave_raise(w, s, raised);                              \
    }

#include "semantics/salu_float.def"
