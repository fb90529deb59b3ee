#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same OpenCL C by execz (compiled for AMD targets) and by PoCL (compiled for this CPU): results, and times.

usage: compare.py --execz EXECZ --pocl POCL_RUN --kernels FOLDER [--target T ...] [--opt -O0 ...]
       compare.py --bench ... [--repeat N] [--threads N]

Whole numbers must be equal bit for bit, floats within the bound that kernels.py states for the kernel. With --bench
the sizes are those of the kernels' comments; the second dispatch of execz is timed beside the second of PoCL, on as many
threads, and the last line of a target is the geometric mean of the ratios of the medians."""
import argparse
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile

import kernels
import toolchain

TARGETS = ["gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"]


def words(job, folder, side):
    """The arguments of a run; buffers that the kernel writes go to files of that side."""
    out = []
    for index, arg in enumerate(job.args):
        if isinstance(arg, str):
            out.append(arg)
            continue
        source = os.path.join(folder, "%s.%d.in" % (job.name, index))
        if not os.path.exists(source):
            with open(source, "wb") as file:
                file.write(arg.bytes(index + 1))
        out.append("in:" + source if arg.result is None else
                   "inout:%s:%s" % (source, os.path.join(folder, "%s.%d.%s" % (job.name, index, side))))
    return out


def launch(command, job, folder, side, environment=None):
    """Times of the dispatches in milliseconds, and standard output."""
    shape = ["--grid", ",".join(map(str, job.grid)), "--block", ",".join(map(str, job.block))]
    done = subprocess.run([*command, *shape, *words(job, folder, side)], capture_output=True, text=True, env=environment)
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return [float(t) for t in re.findall(r"time: ([0-9.]+) ms", done.stdout)], done.stdout


def differences(job, folder):
    for index, arg in enumerate(job.args):
        if isinstance(arg, str) or arg.result is None:
            continue
        got, want = (open(os.path.join(folder, "%s.%d.%s" % (job.name, index, side)), "rb").read()
                     for side in ("execz", "pocl"))
        error = kernels.worst(arg.type, got, want)
        if error > arg.result:
            yield "argument %d: error %g, allowed %g" % (index, error, arg.result)


def compare(options, jobs, folder):
    failed = passed = 0
    for job in jobs:
        launch([options.pocl, job.file, job.name, "--options", "-cl-std=CL1.2"], job, folder, "pocl")
        for target in options.target or TARGETS:
            for opt in options.opt or ["-O0", "-O2"]:
                code = os.path.join(folder, "%s.%s%s.hsaco" % (job.name, target, opt))
                wrong = toolchain.compile_cl(job.file, target, code, opt)
                try:
                    if not wrong:
                        launch([options.execz, "run", code, job.name, "--timeout", "300"], job, folder, "execz")
                        wrong = "; ".join(differences(job, folder))
                except RuntimeError as error:
                    wrong = str(error)
                failed, passed = failed + bool(wrong), passed + (not wrong)
                if wrong:
                    print("%s %s %s: FAILED\n  %s" % (job.name, target, opt, wrong.replace("\n", "\n  ")))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


def bench(options, jobs, folder):
    threads = str(options.threads)
    environment = dict(os.environ, POCL_MAX_PTHREAD_COUNT=threads, POCL_MAX_COMPUTE_UNITS=threads)
    for target in options.target or ["gfx90a", "gfx1100"]:
        ratios = []
        print("%s, %s thread(s); wave-instructions and lane-operations a second are in millions" % (target, threads))
        print("  %-14s %12s %12s %8s %12s %12s" % ("kernel", "execz ms", "PoCL ms", "ratio", "wave-inst/s", "lane-ops/s"))
        for job in jobs:
            code = os.path.join(folder, "%s.%s.hsaco" % (job.name, target))
            wrong = toolchain.compile_cl(job.file, target, code)
            if wrong:
                raise RuntimeError(wrong)
            ours, theirs, counted = [], [], 0
            for _ in range(options.repeat):
                times, text = launch([options.execz, "run", code, job.name, "--time", "--stats", "--repeat", "2", "--threads",
                                      threads], job, folder, "execz")
                ours += times[1:]
                counted = int(re.search(r"instructions: (\d+)", text)[1])
                waves = int(re.search(r"waves: (\d+)", text)[1])
                theirs += launch([options.pocl, job.file, job.name, "--repeat", "2"], job, folder, "pocl",
                                 environment)[0][1:]
            a, b = statistics.median(ours), statistics.median(theirs)
            lanes = math.prod(job.grid) / waves
            ratios.append(a / b)
            print("  %-14s %12.2f %12.2f %8.2f %12.1f %12.1f" % (job.name, a, b, a / b, counted / a / 1e3,
                                                              counted * lanes / a / 1e3), flush=True)
        print("  geometric mean of the ratios: %.2f" % statistics.geometric_mean(ratios))
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--execz", required=True)
    parser.add_argument("--pocl", required=True, help="the program pocl_run")
    parser.add_argument("--kernels", required=True, help="folder with the benchmark kernels")
    parser.add_argument("--target", action="append")
    parser.add_argument("--opt", action="append")
    parser.add_argument("--bench", action="store_true")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if not os.path.isdir(options.kernels):
        print("skipped: no kernels in " + options.kernels)
        return 77
    jobs = [j for j in kernels.bench(options.kernels, not options.bench) if not options.names or j.name in options.names]
    with tempfile.TemporaryDirectory() as folder:
        return (bench if options.bench else compare)(options, jobs, folder)


if __name__ == "__main__":
    sys.exit(main())
