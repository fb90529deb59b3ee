#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a HIP program with hipcc and runs it, unmodified, with `execz launch` on each target.

    run.py EXECZ WORK PROGRAM.hip TARGET ...

WORK is where the compiled program goes; the same program is not compiled again. A program says "ok" and ends with 0, or with 77
when the runtime does not offer what it tests. Where hipcc is missing the test is skipped (77), but fails in continuous
integration (CI is set in the environment), which must not lose a test in silence.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

SKIPPED = 77


def compile_program(source, work, targets):
    """The path of the program for these targets, compiled when it is older than what it is made of."""
    genco = source.stem.endswith("_kernels")
    output = work / ("-".join(targets) if len(targets) < 4 else "all") / (source.stem + (".hsaco" if genco else ""))
    output.parent.mkdir(parents=True, exist_ok=True)
    newest = max(f.stat().st_mtime for f in (source, source.parent / "check.h", Path(__file__)))
    if not output.exists() or output.stat().st_mtime < newest:
        command = ["hipcc", "-O2", "-ffp-contract=off", "-w", "-o", str(output), str(source)]
        command += [f"--offload-arch={t}" for t in targets] + (["--genco"] if genco else [])
        subprocess.run(command, check=True)
    return output


def run(execz, program, target):
    """The program's exit status on a target; what it prints is shown when it is not what it should be."""
    command = [execz, "launch", "-t", target, "--", str(program)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        print(f"{target}: no end after 600 s")
        return 1
    good = done.returncode == 0 and done.stdout == "ok\n"
    print(f"{target}: {done.stdout.strip()}" if good or done.returncode == SKIPPED else
          f"{target}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return 0 if good else done.returncode or 1


def main():
    execz, work, source, *targets = sys.argv[1:]
    if not shutil.which("hipcc"):
        print("hipcc is not installed: the HIP programs are NOT tested")
        return 1 if os.environ.get("CI") else SKIPPED
    source = Path(source)
    kernels = source.with_name(source.stem + "_kernels.hip")
    if kernels.exists():
        compile_program(kernels, Path(work), targets)
    program = compile_program(source, Path(work), targets)
    statuses = [run(execz, program, t) for t in targets]
    if all(s == SKIPPED for s in statuses):
        return SKIPPED
    return 0 if all(s in (0, SKIPPED) for s in statuses) else 1


if __name__ == "__main__":
    sys.exit(main())
