/* SPDX-License-Identifier: Apache-2.0 */
/* Short names for the tables of tests. */
#ifndef FLOAT_TABLES_H
#define FLOAT_TABLES_H

#include "float_check.h"

#define F16 REF_F16
#define BF16 REF_BF16
#define F32 REF_F32
#define F64 REF_F64
#define I16 REF_I16
#define U16 REF_U16
#define I32 REF_I32
#define U32 REF_U32
#define BITS REF_BITS
#define PK16 REF_PK_F16
#define PKB16 REF_PK_BF16
#define PK32 REF_PK_F32
#define FP8 REF_FP8
#define BF8 REF_BF8

extern const float_table float_arithmetic, float_minmax, float_conversions, float_functions, float_packed, float_scalar,
    float_compares;
#define TABLE(NAME) const float_table NAME = {tests, sizeof tests / sizeof *tests}

#endif
