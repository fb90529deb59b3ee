#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pairs of halves of dual-issue instructions (VOPD, VOPD3) against llvm-mc: which pairs there are, register banks, literals,
scalar values, which of the two encodings is taken.

    dual.py --execz PATH [--target T ...] [--count N] [--examples N]

N random lines a target, always the same ones. Both must take a line and give the same bytes, or refuse it, at the same column.
Not compared: the column where two encodings can be tried, for llvm-mc names the error of one or the other; which of several
literals is one too many; and banks beside v_dual_dot2acc in VOPD3, where llvm-mc 22 looks at other operands than those. Exit status: 0 all equal, 1 differences, 77 no llvm-mc (skipped)."""

import argparse
import collections
import os
import random
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "minf16"))
import peer  # noqa: E402

# Operands of each half: d destination, s source, v VGPR source, k literal, c lane mask, D and S of 64 bits.
HALVES = {
    "fmac_f32": "dsv", "fmaak_f32": "dsvk", "fmamk_f32": "dskv", "mul_f32": "dsv", "add_f32": "dsv", "sub_f32": "dsv",
    "subrev_f32": "dsv", "mul_dx9_zero_f32": "dsv", "mov_b32": "ds", "cndmask_b32": "dsv", "max_f32": "dsv",
    "min_f32": "dsv", "max_num_f32": "dsv", "min_num_f32": "dsv", "dot2acc_f32_f16": "dsv", "dot2acc_f32_bf16": "dsv",
    "add_nc_u32": "dsv", "lshlrev_b32": "dsv", "and_b32": "dsv", "bitop2_b32": "dsvb", "fma_f32": "dsvv",
    "sub_nc_u32": "dsv", "lshrrev_b32": "dsv", "ashrrev_i32": "dsv", "max_i32": "dsv", "min_i32": "dsv",
    "fma_f64": "DSVV", "add_f64": "DSV", "mul_f64": "DSV", "max_num_f64": "DSV", "min_num_f64": "DSV",
}
TARGETS = ["gfx1100", "gfx1150", "gfx1200", "gfx1250", "gfx1251"]
WIDE = ["gfx1250", "gfx1251"]  # have VOPD3
CONSTANTS = ["1.0", "0", "-4", "0x1234", "0x12345678", "s1", "s2", "s3", "vcc_lo", "m0", "src_scc", "null", "1.5", "exec_hi"]


def operand(kind, rng):
    """The text of one operand. Few registers, so that banks and numbers meet often."""
    n = rng.randrange(12)
    if kind in "DSV":
        return "v[%d:%d]" % (n, n + 1) if kind != "S" or rng.random() < 0.9 else "s[2:3]"
    if kind == "k":
        return rng.choice(["0x1234", "0x12345678", "1.0"])
    if kind == "s" and rng.random() < 0.3:
        return rng.choice(CONSTANTS)
    sign = "-" if kind in "sv" and rng.random() < 0.05 else ""
    return sign + "v%d" % n


def half(name, rng):
    operands = [operand(kind, rng) for kind in HALVES[name] if kind != "b"]
    if name == "cndmask_b32" and rng.random() < 0.4:
        operands.append(rng.choice(["vcc_lo", "s7", "vcc"]))
    text = "v_dual_%s %s" % (name, ", ".join(operands))
    return text + (" bitop3:0x%x" % rng.randrange(256) if "b" in HALVES[name] and rng.random() < 0.8 else "")


def lines_for(target, count):
    rng = random.Random(sum(target.encode()))
    names = list(HALVES)
    return list(dict.fromkeys("%s :: %s" % (half(rng.choice(names), rng), half(rng.choice(names), rng)) for _ in range(count)))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--execz", required=True)
    p.add_argument("--target", nargs="*", default=TARGETS)
    p.add_argument("--count", type=int, default=4000)
    p.add_argument("--examples", type=int, default=3)
    o = p.parse_args()
    if not shutil.which(peer.LLVM_MC):
        print("skipped: no", peer.LLVM_MC)
        return 77
    failed = 0
    for target in o.target:
        lines, counts, taken = lines_for(target, o.count), collections.Counter(), 0
        for line, want, have in zip(lines, peer.llvm_asm(target, lines), peer.execz_asm(o.execz, target, lines)):
            taken += want.message is None
            if (want.bytes, want.column) == (have.bytes, have.column):
                continue
            if target in WIDE and (want.message and have.message or "dot2acc" in line and want.bytes != have.bytes and
                                     None in (want.bytes, have.bytes)):
                continue
            if want.message and have.message and "unique literal" in want.message:
                continue
            kind = "accepts" if want.message and not have.message else "refuses" if have.message and not want.message \
                else "column" if want.message else "bytes"
            counts[kind] += 1
            if counts[kind] <= o.examples:
                print("  %s  %s\n    expected %s\n    execz    %s" % (kind, line, *(
                    a.bytes.hex() if a.message is None else "%d: %s" % (a.column, a.message) for a in (want, have))))
        failed += sum(counts.values())
        print("%s: %d lines, %d taken, %d differences %s" % (target, len(lines), taken, sum(counts.values()), dict(counts)),
              flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
