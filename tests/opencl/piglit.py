#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Piglit's OpenCL program tests on execz: each is compiled with clang-22 and libclc for a target, run with
`execz run`, and its buffers are compared with what the test expects.

usage: piglit.py --execz EXECZ [--piglit FOLDER] [--target T ...] [--sample N] [--jobs N] [--opt -O2] [PATTERN ...]

What does not compile for the target (libclc lacks the function, say) is counted and not run. KNOWN lists the tests
that fail for a reason that lies outside execz, each with the proof."""
import argparse
import collections
import concurrent.futures
import math
import os
import subprocess
import sys
import tempfile

import program_test
import toolchain

TARGETS = ["gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"]
FOLDER = "/usr/lib/x86_64-linux-gnu/piglit"
GROUP_ITEMS = 1024  # the largest workgroup of these GPUs
# {(part of a path, part of a test's name[, target and level of optimisation]): proof}
KNOWN = {
    ("builtin-float-copysign", ""): "expects copysign(-4, nan) to be a NaN; OpenCL C 7.5.1: copysign(x, NaN) is x or -x",
    ("builtin-float-fmod", ""): "expects fmod(3, inf) to be a NaN; OpenCL C 7.5.1 and C17 F.10.7.1: it is 3",
    ("builtin-float-lgamma", ""): "expects lgamma(0) to be a NaN; C17 F.10.5.3: it is infinite",
    ("builtin-float-tgamma", ""): "expects tgamma(0) to be a NaN; C17 F.10.5.4: it is infinite",
    ("builtin-float-pow-", ""): "expects pow(2147483647, -inf) to be infinite; C17 F.10.4.4: it is 0",
    ("fdiv-modifiers-f", "fdiv 4.0, y"): "expects 4 / 0 to be a NaN; IEEE 754 7.3: it is infinite",
    ("builtin-float-", "_local"): "all work-items of a group write one local variable, then read it",
    ("call-clobbers-amdgcn", "callee saved sgpr"): "wants s40 back from a call: clang-22 makes a function that changes s40 "
        "save nothing (s38 it saves)",
    ("call-clobbers-amdgcn", "Conditional call"): "wants v32 back from a call: clang-22 makes a function that changes v32 "
        "save nothing (v40 it saves)",
    ("bswap.cl", "bswap_u64", "gfx1100 -O0"): "clang-22 copies the lower half alone (v_mov_b16 v0.l, v1.l) of what v_perm_b32 then "
        "reads whole; for gfx1201 it copies all (v_mov_b32 v0, v1)",
}


class Counts(collections.Counter):
    def line(self):
        return ", ".join("%d %s" % (self[k], k) for k in sorted(self))


def find(folder, patterns):
    for root, _, names in os.walk(folder):
        if os.sep + "cl" not in root:
            continue
        for name in names:
            path = os.path.join(root, name)
            if name.endswith((".cl", ".program_test")) and (not patterns or any(p in path for p in patterns)):
                if os.path.splitext(name)[0] not in ("doc_program", "template_program"):
                    yield path


def arguments(test, kinds, folder):
    """The words for `execz run`, and the files to which its output buffers go: {index: file}."""
    words, files = [], {}
    inputs = {a.index: a for a in test.inputs}
    outputs = {a.index: a for a in test.outputs}
    for index, kind in enumerate(kinds):
        given, wanted = inputs.get(index), outputs.get(index)
        if kind == "dynamic_shared_pointer":
            words.append("lds:%d" % given.size)
        elif kind == "by_value":
            words.append("hex:" + given.bytes().hex())
        elif given is not None and given.kind == "null" and wanted is None:
            words.append("u64:0")
        else:
            source = os.path.join(folder, "in%d" % index)
            data = given.bytes() if given and given.kind == "buffer" else bytes((wanted or given).size)
            data += bytes(-len(data) % 4096)  # some tests go past the end of their buffers; a GPU's memory comes in pages
            if wanted is None:
                words.append("in:" + source)
            with open(source, "wb") as file:
                file.write(data)
            if wanted is not None:
                files[index] = os.path.join(folder, "out%d" % index)
                words.append("inout:%s:%s" % (source, files[index]))
    return words, files


def xyz(numbers):
    return ",".join(map(str, numbers))


def run_test(execz, code, test, kinds, folder):
    """None, or what went wrong."""
    words, files = arguments(test, kinds, folder)
    done = subprocess.run([execz, "run", code, test.kernel, "--hidden", "libclc", "--timeout", "900",
                           "--threads", "1", "--grid", xyz(test.grid), "--block", xyz(test.block),
                           "--global-offset", xyz(test.offset), *words], capture_output=True, text=True)
    if done.returncode:
        return "\n      ".join(done.stderr.strip().split("\n")[:12])
    for wanted in test.outputs:
        with open(files[wanted.index], "rb") as file:
            wrong = program_test.difference(wanted, file.read(wanted.size))
        if wrong:
            return wrong
    return None


def known(path, test, target, opt):
    return any(key[0] in path and key[1] in test.name and (len(key) == 2 or key[2] == "%s %s" % (target, opt)) for key in KNOWN)


def run_program(job):
    """(counts, lines about failures) of one file on one target."""
    execz, path, target, opt = job
    counts, said = Counts(), []
    program = program_test.read(path)
    if not program or program.config.get("expect_build_fail") == "true" or not program.tests:
        return counts, said
    with tempfile.TemporaryDirectory() as folder:
        source, code = os.path.join(folder, "k.cl"), os.path.join(folder, "k.hsaco")
        with open(source, "w") as file:
            file.write(program.source)
        std = "CL2.0" if int(program.config.get("clc_version_min", 10)) >= 20 else "CL1.2"
        words = toolchain.compile_cl(source, target, code, opt, std,
                                     ["-I" + os.path.dirname(path), *program.options.split()])
        if words:
            counts["not compiled"] += len(program.tests)
            reason = next((line for line in words.split("\n") if "error" in line), words[:200])
            said.append("%s %s: does not compile: %s" % (target, path, reason.strip()))
            return counts, said
        kinds = toolchain.argument_kinds(code)
        for test in program.tests:
            if not isinstance(test, program_test.Unsupported) and math.prod(test.block) > GROUP_ITEMS:
                test = program_test.Unsupported("a workgroup of more than %d work-items" % GROUP_ITEMS)
            if isinstance(test, program_test.Unsupported):
                counts["not offered"] += 1
                said.append("%s %s: not offered: %s" % (target, path, test))
                continue
            wrong = run_test(execz, code, test, kinds[test.kernel], folder)
            outcome = "passed" if (wrong is None) != test.expect_fail else "known" if known(path, test, target, opt) else "FAILED"
            counts[outcome] += 1
            if outcome == "FAILED":
                said.append("%s %s: %s: FAILED\n      %s" % (target, path, test.name, wrong))
    return counts, said


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--execz", required=True)
    parser.add_argument("--piglit", default=FOLDER)
    parser.add_argument("--target", action="append")
    parser.add_argument("--sample", type=int, default=1, help="every Nth program only, another for each target")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--opt", default="-O2")
    parser.add_argument("--quiet", action="store_true", help="do not list what does not compile")
    parser.add_argument("patterns", nargs="*")
    options = parser.parse_args()
    paths = sorted(find(options.piglit, options.patterns))
    if not paths:
        print("skipped: no program tests in %s; they come with Debian's package piglit" % options.piglit)
        return 77
    targets = options.target or TARGETS
    jobs = [(options.execz, path, target, options.opt) for t, target in enumerate(targets)
            for i, path in enumerate(paths) if (i + t) % options.sample == 0]
    total = {target: Counts() for target in targets}
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for job, (counts, said) in zip(jobs, pool.map(run_program, jobs)):
            total[job[2]].update(counts)
            for line in said:
                if not options.quiet or "FAILED" in line:
                    print(line, flush=True)
    for target in targets:
        print("%s: %s" % (target, total[target].line()))
    failed = sum(c["FAILED"] for c in total.values())
    passed = sum(c["passed"] for c in total.values())
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
