/* SPDX-License-Identifier: Apache-2.0 */
/* Every file of semantics. No include guard: it is read more than once. */
#include "compare.def"
#include "control.def"
#include "crosslane.def"
#include "f16.def"
#include "f32.def"
#include "f64.def"
#include "integer.def"
#include "matrix.def"
#include "packed.def"
#include "salu.def"
#include "salu_float.def"
#include "../memory.def"
