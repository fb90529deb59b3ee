#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels that clang compiles to assembly text: execz asm makes the objects that llvm-mc and ld.lld make of it.

    compiled.py EXECZ [-t TARGET]... [-v] KERNELS.cl...
"""
import argparse
import os
import sys
import tempfile

from judge import CLANG, Elf, Judge, compare, run

BUILTINS = "/usr/lib/clc/amdgcn-amd-amdhsa.bc"
TARGETS = ["gfx803", "gfx900", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100", "gfx1150",
           "gfx1200", "gfx1250", "gfx11-generic"]


def compile_text(source, target, level, out):
    command = [CLANG, "-w", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=" + target, level,
               "-nogpulib", "-S", source, "-o", out]
    if os.path.exists(BUILTINS):
        command += ["-Xclang", "-mlink-builtin-bitcode", "-Xclang", BUILTINS]
    code, _, err = run(command)
    return None if code else out


def main():
    p = argparse.ArgumentParser()
    p.add_argument("execz")
    p.add_argument("-t", action="append")
    p.add_argument("-v", action="store_true")
    p.add_argument("files", nargs="+")
    a = p.parse_args()
    failed = done = 0
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(a.execz, folder)
        for target in a.t or TARGETS:
            for source in a.files:
                for level in ("-O0", "-O2"):
                    name = f"{target} {os.path.basename(source)} {level}"
                    text = compile_text(source, target, level, os.path.join(folder, "k.s"))
                    if not text:
                        print(f"{name}: clang does not compile it")
                        continue
                    found = []
                    for loadable in (False, True):
                        peer, err = (judge.peer_loadable if loadable else judge.peer_object)(target, text)
                        ours, our_err = judge.ours(target, text, loadable)
                        kind = "loadable" if loadable else "relocatable"
                        if not peer or not ours:
                            if bool(peer) != bool(ours):
                                found.append(f"{kind}: {(our_err if peer else err)[:400]}")
                        else:
                            found += [f"{kind}: {d}" for d in compare(Elf(peer), Elf(ours))]
                    done += 1
                    failed += bool(found)
                    if found:
                        print(f"{name}: {len(found)} differences")
                        for f in found[:40 if a.v else 4]:
                            print("   ", f)
    print(f"{done} files, {failed} with differences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
