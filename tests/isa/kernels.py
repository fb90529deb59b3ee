#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What execz prints for compiled kernels, against llvm-objdump.

    kernels.py --execz PATH [--target T ...] [--examples N] [--keep DIR] FILE.cl ...

Compiles each OpenCL file, and a kernel of half-float minima, with clang-22 at -O0 and -O2 for each target, and compares the
text of every instruction; then assembles each different text and compares the bytes with those and with llvm-mc's. --keep holds code objects from
one run to the next. Exit status: 0 all equal, 1 differences, 77 no compiler (skipped)."""

import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "minf16"))
import peer  # noqa: E402

TARGETS = ("gfx803 gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1010 gfx1030 gfx1100 gfx1150 gfx1200 gfx1201 "
           "gfx1250").split()
LIBCLC = "/usr/lib/clc/amdgcn-amd-amdhsa.bc"
LINE = re.compile(r"^\t(.*?)\s*// [0-9A-F]+: ((?:[0-9A-F]{8} ?)+)")

MINIMA = """
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void minima(global half *a, global const half *b, global const half2 *c, float d, local half *l) {
    size_t i = get_global_id(0);
    half2 p = fmin(c[i], c[i + 1]);
    l[get_local_id(0)] = fmin(a[i], b[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = fmin(fmin(l[get_local_id(0) ^ 1], p.x), fmin(p.y, (half)d));
    a[i + 64] = fmin(-a[i + 64], (half)2.0f) * fabs(b[i + 7]);
}
"""


def compile_one(source, target, level, out):
    command = ["clang-22", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=" + target, level, "-w",
               "-nogpulib", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBCLC, "-o", out, source]
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return p.returncode == 0, p.stdout.decode("utf-8", "replace")


def instructions(path, target):
    """[(text, bytes)] of a code object, as llvm-objdump has them."""
    p = subprocess.run(["llvm-objdump-22", "-d", "--mcpu=" + target, path], stdout=subprocess.PIPE, check=True)
    found = []
    for line in p.stdout.decode().splitlines():
        m = LINE.match(line)
        if m:
            words = m.group(2).split()
            found.append((peer.plain(m.group(1)), b"".join(int(w, 16).to_bytes(4, "little") for w in words)))
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--execz", required=True)
    p.add_argument("--target", nargs="*", default=TARGETS)
    p.add_argument("--examples", type=int, default=5, help="differences shown for each target")
    p.add_argument("--keep", help="directory for code objects")
    p.add_argument("files", nargs="*")
    o = p.parse_args()
    if not shutil.which("clang-22") or not shutil.which("llvm-objdump-22") or not os.path.exists(LIBCLC):
        print("skipped: no clang-22, llvm-objdump-22 or libclc")
        return 1 if os.environ.get("CI") else 77
    scratch = o.keep or tempfile.mkdtemp()
    os.makedirs(scratch, exist_ok=True)
    minima = os.path.join(scratch, "minima.cl")
    with open(minima, "w") as f:
        f.write(MINIMA)
    total, differences, failures = 0, 0, 0
    for target in o.target:
        seen = {}
        for source in [minima] + o.files:
            for level in ("-O0", "-O2"):
                name = os.path.splitext(os.path.basename(source))[0]
                out = os.path.join(scratch, "%s%s-%s.hsaco" % (name, level, target))
                if not os.path.exists(out):
                    good, said = compile_one(source, target, level, out)
                    if not good:
                        print("  %s %s for %s does not compile: %s" % (source, level, target, said[-300:]))
                        failures += 1
                        continue
                for text, code in instructions(out, target):
                    seen[code] = text
        cases = list(seen)
        wrong = []
        for code, answer in zip(cases, peer.execz_dis(o.execz, target, cases)):
            said = answer.comment or " / ".join(t for t, _ in answer.insts)
            if said != seen[code]:
                wrong.append(("text", code, seen[code], said))
        others = []
        for code, answer in zip(cases, peer.execz_asm(o.execz, target, [seen[c] for c in cases])):
            if answer.bytes != code:
                others.append((code, answer))
        # not every encoding that the compiler writes is the one that its text assembles to: a literal's upper half, say
        for (code, answer), theirs in zip(others, peer.llvm_asm(target, [seen[c] for c, _ in others])):
            if answer.bytes is None or answer.bytes != theirs.bytes:
                wrong.append(("bytes", code, seen[code], answer.bytes.hex() if answer.bytes else answer.message))
        total += len(cases)
        differences += len(wrong)
        kinds = collections.Counter((kind, re.match(r"[a-z]+|.", text).group(0)) for kind, _, text, _ in wrong)
        print("%s: %d different instructions, %d differences %s" % (target, len(cases), len(wrong),
              " ".join("%s:%s:%d" % (*k, n) for k, n in sorted(kinds.items()))))
        for kind, code, text, said in wrong[:o.examples]:
            print("  %s %s\n    expected %s\n    got      %s" % (kind, code.hex(), text, said))
    if not o.keep:
        shutil.rmtree(scratch)
    print("%d instructions, %d differences, %d kernels did not compile" % (total, differences, failures))
    return 1 if differences or failures else 0


if __name__ == "__main__":
    sys.exit(main())
