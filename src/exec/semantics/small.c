/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/lanes_define.h"
#include "exec/numbers_small.h"

#include "small.def"
