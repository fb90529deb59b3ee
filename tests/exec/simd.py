#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs tests at each SIMD level that the build and the host have, and compares what random instructions do at each.

    simd.py --execz PATH --levels PATH --build DIR [--tests REGEX] [--jobs N]

Exit status: 0, or 1 if a level's tests fail or levels differ."""

import argparse
import os
import subprocess
import sys

LEVELS = ["base", "avx2", "avx512"]
# what runs instructions and knows from elsewhere what they give
TESTS = "^(exec|device|semantics|cases|minf16/behaviour)|^cli/(eval|run|replay|readme)$|^opencl/(pocl|differential|piglit)$|^hsa_interface$"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--execz", required=True)
    parser.add_argument("--levels", required=True, help="exec_levels")
    parser.add_argument("--build", required=True, help="the folder for ctest")
    parser.add_argument("--tests", default=TESTS, help="the tests' names")
    parser.add_argument("--jobs", default="2")
    options = parser.parse_args()
    failed, lines, first = False, None, None
    for level in LEVELS:
        environment = dict(os.environ, EXECZ_SIMD=level)
        if subprocess.run([options.execz, "--version"], env=environment, capture_output=True).returncode:
            print("%s: skipped, this build or host has no such level" % level, flush=True)
            continue
        print("%s:" % level, flush=True)
        tests = subprocess.run(["ctest", "--test-dir", options.build, "-R", options.tests, "-j", options.jobs, "--output-on-failure",
                                "--no-tests=error", "--quiet"], env=environment)
        print("%s: %s" % (level, "FAILED" if tests.returncode else "all tests passed"), flush=True)
        failed |= tests.returncode != 0
        its = subprocess.run([options.levels], env=environment, check=True, capture_output=True, text=True).stdout.splitlines()
        if lines is None:
            lines, first = its, level
        other = [a + "; " + level + ": " + b for a, b in zip(lines, its) if a != b]
        failed |= bool(other)
        print("%s: %d of %d lines otherwise than %s" % (level, len(other), len(its), first), *other[:20], sep="\n", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
