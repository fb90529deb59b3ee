/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/lanes_define.h"

#include "f64.def"
