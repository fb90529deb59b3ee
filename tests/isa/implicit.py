#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Registers that instructions read and write without naming them: what `execz dis --json` tells of every example, against
implicit.txt, which is LLVM's.

    implicit.py --execz PATH --tables DIR [--target T ...]

Where execz is meant to differ, DIFFERENT says why. Exit status: 0 all equal, 1 differences."""

import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

import canonical

HERE = os.path.dirname(os.path.abspath(__file__))
TARGETS = "gfx803 gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1010 gfx1030 gfx1100 gfx1150 gfx1200 gfx1250".split()
REGISTERS = {"exec", "vcc", "scc", "m0", "mode", "flat_scratch"}

# (targets, mnemonics, what LLVM has more, what execz has more, reason)
GFX9_ON = "gfx(9|1)"
DIFFERENT = [
    (GFX9_ON, r"ds_", "m0", "", "M0 limits LDS addresses before GFX9 alone; LLVM shares the descriptions. [Vega] 11.2"),
    ("gfx", r"ds_(nop|swizzle_b32|b?permute_b32|bpermute_fi_b32|bvh_stack_\w+)$", "m0", "",
     "they do not access the LDS by address"),
    ("gfx", r"v_s?mfma", "exec,mode", "", "matrix instructions ignore EXEC and MODE. [CDNA3], errata"),
    ("gfx", r"v_(wmma|swmmac)_", "exec", "", "the same; LLVM has no MODE for them"),
    ("gfx8", r"flat_", "", "m0", "M0 limits the LDS addresses of FLAT too. [GCN3] 11.2"),
    ("gfx", r"v_cvt_", "", "mode", "MODE decides rounding, what becomes of denormals, or of omod; LLVM has it for some"),
    ("gfx", r"[sv]_(pk_)?m(ax|in)imum(3|m(ax|in)imum)?_f\d\d", "", "mode", "MODE decides what becomes of denormals"),
    ("gfx", r"s_sendmsg(halt)?$", "exec", "", "a message has no lanes"),
    ("gfx", r"v_(movrelsd_2|swaprel)_b32", "", "exec", "vector moves as all others"),
    ("gfx", r"v_interp_p\w+_f32$", "m0", "", "VINTERP reads its parameters from VGPRs. [RDNA3] 11.1"),
    ("gfx", r"v_interp_p\w+_rtz_f16_f32$", "m0", "mode", "the same; MODE decides what becomes of denormals"),
    ("gfx9", r"v_interp_p2_f16$", "", "m0", "it reads the attribute through M0 as its older form, of which LLVM has it"),
    ("gfx9", r"scratch_load_lds_", "", "flat_scratch", "an access to scratch"),
    ("gfx", r"s_cbranch_([gi]_fork|join)$", "", "exec", "paths of a fork have the lanes that take them. [CDNA3]"),
    ("gfx", r"s_setvskip$", "scc", "", "no comparison, though its encoding is theirs"),
    ("gfx", r"s_barrier_signal_isfirst$", "scc", "", "SCC is a result"),
]


def expected(path):
    """{(mnemonic, target or "*"): (read, written)}"""
    found = {}
    with open(path) as f:
        for line in f:
            if line.startswith("#"):
                continue
            targets, read, written, names = line.rstrip("\n").split("\t")
            sets = tuple(frozenset(s.split(",")) - {"-"} for s in (read, written))
            for name in names.split():
                for target in targets.split(","):
                    found[name, target] = sets
    return found


def lines_of(tables, target):
    return [row["text"] for row in canonical.read_rows(os.path.join(tables, target + ".tsv"), ())]


def instructions(execz, target, lines):
    with tempfile.TemporaryDirectory() as folder:
        source, obj = os.path.join(folder, "all.s"), os.path.join(folder, "all.o")
        with open(source, "w") as f:
            f.write("\n".join(lines) + "\n")
        subprocess.run([execz, "asm", "-t", target, "-c", "-o", obj, source], check=True)
        shown = json.loads(subprocess.run([execz, "dis", "--json", "-z", obj], check=True, stdout=subprocess.PIPE).stdout)
    return [i for s in shown[0]["sections"] for b in s["blocks"] for i in b["code"]]


def told(instruction, key):
    """The registers that it tells, under the names of whole registers."""
    return {re.sub(r"^(vcc|exec)_lo$", r"\1", name) for name in instruction[key]} & REGISTERS


def different(target, name, more, less):
    more, less = ",".join(sorted(more)), ",".join(sorted(less))
    return any(re.match(t, target) and re.match(n, name) and more == m and less == l for t, n, m, l, _ in DIFFERENT)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--execz", required=True)
    p.add_argument("--tables", required=True)
    p.add_argument("--target", nargs="*", default=TARGETS)
    o = p.parse_args()
    want, wrong = expected(os.path.join(HERE, "implicit.txt")), 0
    for target in o.target:
        counts = collections.Counter()
        for i in instructions(o.execz, target, lines_of(o.tables, target)):
            name = i["text"].split(" ")[0]
            if name.startswith("v_dual"):
                continue
            sets = want.get((name, "*")) or want.get((name, target))
            if not sets:
                sys.exit(f"{target}: implicit.txt has no {name}")
            implicit = {re.sub(r"^(vcc|exec)_lo$", r"\1", n) for n in i["implicit"]}
            read, written = told(i, "reads"), told(i, "writes")
            more = (sets[0] - read) | (sets[1] - written)
            less = ((read & implicit) - sets[0]) | ((written & implicit) - sets[1])
            counts["checked"] += 1
            if (more or less) and different(target, name, more, less):
                counts["meant"] += 1
            elif more or less:
                counts["wrong"] += 1
                print(f"{target}: {i['text']}: LLVM has {sorted(more)} more, execz {sorted(less)} more")
        print(f"{target}: {counts['checked']} instructions, {counts['meant']} meant to differ, {counts['wrong']} wrong")
        wrong += counts["wrong"]
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
