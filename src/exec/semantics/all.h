/* SPDX-License-Identifier: Apache-2.0 */
/* Every file of semantics. No include guard: it is read more than once. */
#include "control.def"
#include "f16.def"
#include "salu.def"
#include "../memory.def"
