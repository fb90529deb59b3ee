#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles primitives_kernels.hip with hipcc and runs its reductions, scan and sort with `execz run`; what they must give is
computed here.

    primitives.py EXECZ WORK FOLDER TARGET ...

FOLDER is where the source is. Skipped (77) as run.py says."""
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
from itertools import accumulate
from pathlib import Path

import run as programs

BLOCK, TILE, DIGITS = 256, 1024, 16
SIZES = [1, 31, 64, 255, 1000, 5000, 20011]


class Kernels:
    def __init__(self, execz, code, folder):
        self.execz, self.code, self.folder = execz, str(code), folder

    def run(self, kernel, groups, *args):
        """Runs a kernel; an argument is a number (u32), or (format, values) for a buffer. Returns the buffers afterwards."""
        words, outputs = [], []
        for i, arg in enumerate(args):
            if isinstance(arg, int):
                words.append("u32:%d" % arg)
                continue
            code, values = arg
            paths = [os.path.join(self.folder, "%d.%s" % (i, end)) for end in ("in", "out")]
            Path(paths[0]).write_bytes(struct.pack("<%d%s" % (len(values), code), *values))
            words.append("inout:%s:%s" % tuple(paths))
            outputs.append((code, paths[1]))
        subprocess.run([self.execz, "run", self.code, kernel, "--grid", str(groups * BLOCK), "--block", str(BLOCK), "--timeout", "300",
                        *words], check=True)
        out = []
        for code, path in outputs:
            data = Path(path).read_bytes()
            out.append(list(struct.unpack("<%d%s" % (len(data) // struct.calcsize(code), code), data)))
        return out


def groups_for(n, per_group):
    return (n + per_group - 1) // per_group


def reductions(kernels, make, n):
    """Each of 7 workgroups has every seventh block of the input."""
    kinds = [("reduce_u32", "I", lambda: make.getrandbits(32), lambda v: sum(v) % 2**32, 0),
             ("reduce_u64", "Q", lambda: make.getrandbits(64), lambda v: sum(v) % 2**64, 0),
             ("least_i32", "i", lambda: make.randint(-2**31, 2**31 - 1), min, 2**31 - 1),
             ("least_f64", "d", lambda: make.uniform(-1e300, 1e300), min, float("inf"))]
    for name, code, value, fold, empty in kinds:
        values = [value() for _ in range(n)]
        parts = [[v for at in range(g * BLOCK, n, 7 * BLOCK) for v in values[at:at + BLOCK]] for g in range(7)]
        got = kernels.run(name, 7, (code, values), (code, [0] * 7), n)[1]
        yield "%s of %d" % (name, n), got, [fold(p) if p else empty for p in parts]


def scans(kernels, make, n):
    values, tiles = [make.getrandbits(32) for _ in range(n)], groups_for(n, TILE)
    got = kernels.run("scan_u32", tiles, ("I", values), ("I", [0] * n), ("Q", [0] * tiles), ("I", [0]), n)[1]
    yield "scan_u32 of %d" % n, got, [v % 2**32 for v in accumulate(values)]


def sorts(kernels, make, n):
    keys, values, groups = [make.getrandbits(32) >> make.choice([0, 0, 16, 28]) for _ in range(n)], list(range(n)), groups_for(n, BLOCK)
    wanted = sorted(zip(keys, values))
    for shift in range(0, 32, 4):
        counts = kernels.run("sort_count", groups, ("I", keys), ("I", [0] * (groups * DIGITS)), n, shift)[1]
        offsets = kernels.run("sort_offsets", 1, ("I", counts), len(counts))[0]
        zeros = ("I", [0] * n)
        keys, values = kernels.run("sort_scatter", groups, ("I", keys), ("I", values), ("I", offsets), zeros, zeros, n, shift)[3:]
    yield "sort of %d" % n, list(zip(keys, values)), wanted


def main():
    execz, work, source, *targets = sys.argv[1:]
    if not shutil.which("hipcc"):
        print("hipcc is not installed: the primitives are NOT tested")
        return 1 if os.environ.get("CI") else programs.SKIPPED
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for target in targets:
            code = programs.compile_program(Path(source) / "primitives_kernels.hip", Path(work), [target])
            for n in SIZES:
                kernels, make = Kernels(execz, code, folder), random.Random(n)
                for what in (reductions, scans, sorts):
                    for name, got, want in what(kernels, make, n):
                        passed, failed = passed + (got == want), failed + (got != want)
                        if got != want:
                            at = next(i for i, (a, b) in enumerate(zip(got, want)) if a != b)
                            print("%s: %s: element %d is %s, expected %s" % (target, name, at, got[at], want[at]))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
