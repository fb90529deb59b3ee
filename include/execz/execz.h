/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EXECZ_EXECZ_H
#define EXECZ_EXECZ_H

/*
 * All of execz, in the order to read it in.
 *
 *     version.h   of the headers and of the library
 *     error.h     what calls return, and the detail behind it
 *     target.h    the GPUs: names, generations, features
 *     inst.h      bytes to instructions and back; what an instruction's operands are
 *     isa.h       what the tables say about instructions: the reference page
 *     text.h      instructions to text and back
 *     asm.h       assembly files to code objects
 *     exec.h      running code on one wave
 *     image.h     images and samplers for kernels
 *     object.h    code objects and bundles: what a compiler writes
 *     device.h    memory and dispatch: running kernels
 *
 * Rules that hold throughout: handles come in create/destroy or open/close pairs, destroying NULL is
 * allowed; the library has no mutable global state, prints nothing, and never exits on its input;
 * what is documented as static or constant may be used by any number of threads at once.
 */
#include "execz/version.h"
#include "execz/error.h"
#include "execz/target.h"
#include "execz/inst.h"
#include "execz/isa.h"
#include "execz/text.h"
#include "execz/asm.h"
#include "execz/exec.h"
#include "execz/image.h"
#include "execz/object.h"
#include "execz/device.h"

#endif
