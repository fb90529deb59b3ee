/* SPDX-License-Identifier: Apache-2.0 */
/* How each row of the ISA table is executed, for one SIMD level of the host. */
#include "lanes.h"
#include "lanes_define.h"
#include "semantics/steps.h"

/* The lines of the .def files again, now as declarations and then as entries. */
#undef INT_4
#undef SAT_4
#undef DOT_3
#undef FDOT_3
#undef APPROX_1
#undef FMAS_4
#undef MIXHI_3
#undef MIX_MAD_3
#undef MIXHI_MAD_3
#undef PAIR_2
#undef MIX_BF16_3
#undef MIXHI_BF16_3
#undef PAIR_3
#undef PAIR_INT_2
#undef DWORDS_2
#undef INT_1
#undef INT_2
#undef INT_3
#undef SAT_1
#undef SAT_2
#undef SAT_3
#undef FLOAT_1
#undef FLOAT_2
#undef FLOAT_3
#undef FLOAT_4
#undef HOST_1
#undef HOST_2
#undef HOST_3
#undef PICK_2
#undef PICK_3
#undef MIX_3
#undef CMP_2
#undef FCMP_2
#undef CARRY_2
#undef CARRY_3
#undef FCARRY_3
#undef PACKED_2
#undef PACKED_3
#undef PACKED_SAT_2
#undef PACKED_SAT_3
#undef PACKED_FLOAT_2
#undef PACKED_FLOAT_3

#define INT_4(ID, D, A, B, C, E, X) ROW_(ID, D, 0)
#define SAT_4(ID, D, A, B, C, E, X, Y) SAT_(ID, D, 0)
#define DOT_3(ID, D, A, B, C, X, Y) SAT_(ID, D, 1)
#define FDOT_3(ID, D, A, B, C, X) FLAG_(ID, D, 1, .ulp = 0)
#define FMAS_4(ID, F) FLAG_(ID, F, 0, .ulp = 0)
#define APPROX_1(ID, D, A, ULP, X) FLAG_(ID, lanemask, 0, .ulp = ULP) /* no mode for host arithmetic: nearest */
#define MIXHI_3(ID, D, A, B, C, X) FLAG_(ID, D, 0, .mix = EZ_MIX_F16, .high = true)
#define MIXHI_MAD_3(ID, D, A, B, C, X) FLAG_(ID, f32, 0, .mix = EZ_MIX_F16, .high = true)
#define MIX_BF16_3(ID, D, A, B, C, X) FLAG_(ID, f32, 0, .mix = EZ_MIX_BF16)
#define MIXHI_BF16_3(ID, D, A, B, C, X) FLAG_(ID, f32, 0, .mix = EZ_MIX_BF16, .high = true)
#define PAIR_INT_2(ID, X) ROW_(ID, pk_b32, 1)
#define PAIR_2(ID, X) FLAG_(ID, pk_f32, 1, .host = true)
#define PAIR_3(ID, X) FLAG_(ID, pk_f32, 1, .host = true)
#define DWORDS_2(ID, X, Y) ROW_(ID, b64, 0)
#define INT_1(ID, D, A, X) ROW_(ID, D, 0)
#define INT_2(ID, D, A, B, X) ROW_(ID, D, 0)
#define INT_3(ID, D, A, B, C, X) ROW_(ID, D, 0)
#define SAT_1(ID, D, A, X, Y) SAT_(ID, D, 0)
#define SAT_2(ID, D, A, B, X, Y) SAT_(ID, D, 0)
#define SAT_3(ID, D, A, B, C, X, Y) SAT_(ID, D, 0)
#define FLOAT_1(ID, D, A, X) FLAG_(ID, D, 0, .ulp = 0)
#define FLOAT_2(ID, D, A, B, X) FLAG_(ID, D, 0, .ulp = 0)
#define FLOAT_3(ID, D, A, B, C, X) FLAG_(ID, D, 0, .ulp = 0)
#define FLOAT_4(ID, D, A, B, C, E, X) FLAG_(ID, D, 0, .ulp = 0)
#define HOST_1(ID, F, X) FLAG_(ID, F, 0, .host = HOST_##F)
#define HOST_2(ID, F, X) FLAG_(ID, F, 0, .host = HOST_##F)
#define HOST_3(ID, F, X) FLAG_(ID, F, 0, .host = HOST_##F)
#define PICK_2(ID, F, X) FLAG_(ID, F, 0, .ulp = 0)
#define PICK_3(ID, F, X) FLAG_(ID, F, 0, .ulp = 0)
#define MIX_3(ID, D, A, B, C, X) FLAG_(ID, D, 0, .mix = EZ_MIX_F16)
#define MIX_MAD_3(ID, D, A, B, C, X) FLAG_(ID, f32, 0, .mix = EZ_MIX_F16)
#define CMP_2(ID, A, B, X) ROW_(ID, lanemask, 0)
#define FCMP_2(ID, A, B, X) FLAG_(ID, lanemask, 0, .ulp = 0)
#define CARRY_2(ID, D, A, B, X, Y, Z) SAT_(ID, D, 0)
#define CARRY_3(ID, D, A, B, C, X, Y, Z) SAT_(ID, D, 0)
#define FCARRY_3(ID, D, A, B, C, X, Z) ROW_(ID, D, 0)
#define PACKED_2(ID, H, X) ROW_(ID, b32, 1)
#define PACKED_3(ID, H, X) ROW_(ID, b32, 1)
#define PACKED_SAT_2(ID, H, X, Y) SAT_(ID, b32, 1)
#define PACKED_SAT_3(ID, H, X, Y) SAT_(ID, b32, 1)
#define PACKED_FLOAT_2(ID, H, X) FLAG_(ID, b32, 1, .ulp = 0)
#define PACKED_FLOAT_3(ID, H, X) FLAG_(ID, b32, 1, .ulp = 0)

#define SALU_1(ID, D, A, X) SALU_(ID)
#define SALU_2(ID, D, A, B, X) SALU_(ID)
#define SALU_IF(ID, D, A, C, X) SALU_(ID)
#define SCMP(ID, A, B, X) SALU_(ID)
#define SFLOAT_1(ID, D, A, X) SALU_(ID)
#define SFLOAT_2(ID, D, A, B, X) SALU_(ID)
#define SFLOAT_3(ID, D, A, B, C, X) SALU_(ID)
#define SFCMP(ID, A, B, X) SALU_(ID)
#define SAVEEXEC(ID, T, X) SALU_(ID)
#define WREXEC(ID, T, X) SALU_(ID)

#define ROW_(ID, D, P) ez_row_fn EZ_ROW(ID);
#define SAT_(ID, D, P) ez_row_fn EZ_ROW(ID), EZ_SATURATED(ID);
#define FLAG_(ID, D, P, ...) ez_row_fn EZ_ROW(ID), EZ_FLAGGED(ID);
#define STEP(ID, FN, PREPARE)
#define ENDS(ID, FN, PREPARE)
#define NEAR(ID, FN, PREPARE)
#define SALU_(ID) ez_step_fn ez_salu_##ID;
#include "semantics/all.h"
#undef ROW_
#undef SAT_
#undef FLAG_
#undef STEP
#undef ENDS
#undef NEAR
#undef SALU_

/* Whose rounding mode host arithmetic takes: that of the result. */
enum {
    ROUND_f32 = 32, ROUND_pk_f32 = 32, ROUND_f64 = 64, ROUND_f16 = 0, ROUND_bf16 = 0, ROUND_lanemask = 0,
    ROUND_b16 = 0, ROUND_u16 = 0, ROUND_i16 = 0, ROUND_b32 = 0, ROUND_u32 = 0, ROUND_i32 = 0,
    ROUND_b64 = 0, ROUND_u64 = 0, ROUND_i64 = 0, ROUND_pk_b16 = 0, ROUND_pk_i16 = 0, ROUND_pk_u16 = 0,
    ROUND_pk_f16 = 0, ROUND_pk_bf16 = 0, ROUND_pk_b32 = 0
};

enum { HOST_f32 = true, HOST_f64 = false };

#define ROW_(ID, D, P) \
    [EZ_OP_##ID] = {.kind = EZ_SEM_LANES, .host_round = ROUND_##D, .packed = P, .row = EZ_ROW(ID)},
#define SAT_(ID, D, P) \
    [EZ_OP_##ID] = {.kind = EZ_SEM_LANES, .packed = P, .row = EZ_ROW(ID), .saturated = EZ_SATURATED(ID)},
#define FLAG_(ID, D, P, ...)                                                                    \
    [EZ_OP_##ID] = {.kind = EZ_SEM_LANES, .host_round = ROUND_##D, .packed = P, __VA_ARGS__,    \
                    .row = EZ_ROW(ID), .flagged = EZ_FLAGGED(ID)},
#define STEP(ID, FN, PREPARE) [EZ_OP_##ID] = {.kind = EZ_SEM_STEP, .step = FN, .prepare = PREPARE},
#define NEAR(ID, FN, PREPARE) [EZ_OP_##ID] = {.kind = EZ_SEM_STEP, .ulp = EZ_ULP_UNKNOWN, .step = FN, .prepare = PREPARE},
#define ENDS(ID, FN, PREPARE) [EZ_OP_##ID] = {.kind = EZ_SEM_STEP, .ends = true, .step = FN, .prepare = PREPARE},

#define SALU_(ID) STEP(ID, ez_salu_##ID, 0)

#define EZ_TABLE_NAME_(level) ez_semantics_##level
#define EZ_TABLE_NAME(level) EZ_TABLE_NAME_(level)
const ez_semantic EZ_TABLE_NAME(EZ_LEVEL)[EZ_OP_COUNT] = {
#include "semantics/all.h"
};
