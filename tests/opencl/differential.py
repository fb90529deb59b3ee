#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random kernels on whole numbers: compiled for each target with -O0 and -O2 they must give the same bytes everywhere,
and those that PoCL gives, which compiles the same source for this CPU.

usage: differential.py --execz EXECZ --pocl POCL_RUN [--programs N] [--kernels N] [--seed N] [--target T ...] [--opt -O0 ...]

KNOWN lists others' mistakes. Each of --programs files has --kernels kernels. A file with a difference is kept in the current directory."""
import argparse
import collections
import concurrent.futures
import os
import random
import shutil
import subprocess
import sys
import tempfile

import random_kernels
import toolchain

TARGETS = ["gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"]
# kernel: the mistake of the compiler or of PoCL, with the proof
KNOWN = {
    "random_16_5": "PoCL makes of abs() of a vector of constants that are LONG_MIN 0; OpenCL C 6.15.3: an unsigned result, 2^63",
    "random_22_9": "clang-22 -O2 makes of x == 0 ? -1 : clz(x), x a ushort, v_ffbh_u32 alone, which counts 16 zeros too many: "
                   "for 0xac70 the code that it emits gives 16, with -O0 it is 0",
}
GRID = 3 * random_kernels.BLOCK
ENDS = {"out": 4 * random_kernels.WORDS * GRID, "shared": 4 * random_kernels.SHARED}


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def run(command, folder, name, side):
    """The bytes that a kernel leaves, or what went wrong as text."""
    files = {end: os.path.join(folder, "%s.%s.%s" % (name, end, side)) for end in ENDS}
    words = ["in:" + os.path.join(folder, "in")]
    words += ["inout:%s:%s" % (os.path.join(folder, end), files[end]) for end in ENDS]
    done = subprocess.run([*command, "--grid", str(GRID), "--block", str(random_kernels.BLOCK), *words], capture_output=True,
                          text=True)
    if done.returncode:
        return done.stderr.strip()
    return b"".join(open(files[end], "rb").read() for end in ENDS)


def place(got, want):
    at = next(i for i in range(len(want)) if got[i:i + 1] != want[i:i + 1]) // 4 * 4
    word = lambda data: int.from_bytes(data[at:at + 4], "little")
    where = "out" if at < ENDS["out"] else "shared"
    return "word %d of %s is 0x%08x, expected 0x%08x" % ((at if where == "out" else at - ENDS["out"]) // 4, where, word(got), word(want))


def try_program(options, seed):
    """(counts by target and level, lines about failures)"""
    counts, said = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        names, text = random_kernels.program(seed, options.kernels)
        source = os.path.join(folder, "random_%d.cl" % seed)
        write(source, text.encode())
        write(os.path.join(folder, "in"), random.Random(seed).randbytes(4 * random_kernels.IN))
        for end, size in ENDS.items():
            write(os.path.join(folder, end), bytes(size))
        wanted = {}
        for name in names:
            wanted[name] = run([options.pocl, source, name, "--options", "-cl-std=CL1.2"], folder, name, "pocl")
            if isinstance(wanted[name], str):
                said.append("%s: PoCL: %s" % (name, wanted[name]))
        for target in options.target or TARGETS:
            for opt in options.opt or ["-O0", "-O2"]:
                code = os.path.join(folder, "k.hsaco")
                wrong = toolchain.compile_cl(source, target, code, opt)
                if wrong:
                    said.append("random_%d on %s %s: does not compile: %s" % (seed, target, opt, wrong))
                    counts[target, opt, "failed"] += len(names)
                    continue
                for name in names:
                    got = run([options.execz, "run", code, name, "--hidden", "libclc", "--threads", "1", "--timeout", "60"], folder, name, "execz")
                    good = got == wanted[name] and not isinstance(got, str)
                    known = not good and name in KNOWN
                    counts[target, opt, "passed" if good else "known" if known else "failed"] += 1
                    if not good and not known:
                        what = got if isinstance(got, str) else place(got, wanted[name]) if isinstance(wanted[name], bytes) else "PoCL has no result"
                        said.append("%s on %s %s: %s" % (name, target, opt, what))
        if said:
            shutil.copy(source, ".")
    return counts, said


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--execz", required=True)
    parser.add_argument("--pocl", required=True, help="the program pocl_run")
    parser.add_argument("--programs", type=int, default=25)
    parser.add_argument("--kernels", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1, help="of the first program; the others follow")
    parser.add_argument("--target", action="append")
    parser.add_argument("--opt", action="append")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    total = collections.Counter()
    seeds = range(options.seed, options.seed + options.programs)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for counts, said in pool.map(lambda seed: try_program(options, seed), seeds):
            total.update(counts)
            for line in said:
                print(line, flush=True)
    for target, opt in sorted({key[:2] for key in total}):
        print("%s %s: %s" % (target, opt, ", ".join("%d %s" % (total[target, opt, what], what) for what in ("passed", "known", "failed"))))
    passed, failed = (sum(n for key, n in total.items() if key[2] == what) for what in ("passed", "failed"))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
