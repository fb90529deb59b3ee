#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How fast execz disassembles and assembles, beside llvm-objdump-22 and llvm-mc-22.

    bench.py --execz PATH [--library PATH] [--count N] [--rounds N] [--keep DIR] FILE.cl ...

The instructions are those of the OpenCL files, compiled by clang-22, and of librocrand where it is installed, for two
targets, repeated to N in all. Both read the same object and write the same lines, or read the same text and write the same
section; that is compared first. Then they run in turn, each in one thread, with their output to /dev/null, and the median
of the CPU times (user and system) counts. Exit status: 0, 1 when the results differ, 77 without the peers."""

import argparse
import contextlib
import glob
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "object"))
import objdump  # noqa: E402

TARGETS = ("gfx90a", "gfx1100")
LIBCLC = "/usr/lib/clc/amdgcn-amd-amdhsa.bc"
LINE = re.compile(r"^\t([a-z_0-9]+.*?)\s*// [0-9A-F]+: ")
OBJDUMP, MC, CLANG, OBJCOPY = "llvm-objdump-22", "llvm-mc-22", "clang-22", "llvm-objcopy-22"


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


# ---- the instructions ----

def bundled(path, target):
    """The code objects for a target in the offload bundles of a file."""
    with open(path, "rb") as f:
        for _, name, code in objdump.bundles(f.read()):
            if name.split("--")[-1].split(":")[0] == target:
                yield code


def code_objects(target, sources, folder):
    for source in sources:
        for level in ("-O0", "-O2"):
            out = os.path.join(folder, "kernel.o")
            if not run([CLANG, "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=" + target, level, "-w",
                        "-nogpulib", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBCLC, "-o", out, source]).returncode:
                yield out
    for library in glob.glob("/usr/lib/*/librocrand.so.1"):
        for n, code in enumerate(bundled(library, target)):
            out = os.path.join(folder, f"library{n}.o")
            with open(out, "wb") as f:
                f.write(code)
            yield out


def assemble(target, text, out):
    return run([MC, "-triple=amdgcn-amd-amdhsa", "-mcpu=" + target, "-filetype=obj", "-o", out, text])


def make(target, sources, count, folder):
    """A text of `count` instructions and the object that llvm-mc makes of it."""
    lines = []
    for path in code_objects(target, sources, folder):
        shown = run([OBJDUMP, "-d", "--mcpu=" + target, path]).stdout.decode()
        lines += [m.group(1) for m in map(LINE.match, shown.splitlines()) if m and not m.group(1).startswith(".")]
    text, obj = os.path.join(folder, target + ".s"), os.path.join(folder, target + ".o")
    distinct = sorted(set(lines))
    with open(text, "w") as f: # some of what is printed cannot be read again
        f.write("\n".join(distinct) + "\n")
    refused = {int(n) - 1 for n in re.findall(r":(\d+):\d+: error", assemble(target, text, obj).stderr.decode())}
    refused = {distinct[n] for n in refused}
    lines = [line for line in lines if line not in refused]
    print(f"{target}: {len(lines)} instructions of compiled kernels, {len(set(lines))} different, repeated to {count}")
    with open(text, "w") as f:
        f.write("bench:\n")
        for n in range(count):
            f.write(f"\t{lines[n % len(lines)]}\n")
    assembled = assemble(target, text, obj)
    if assembled.returncode:
        sys.exit(assembled.stderr.decode()[:500])
    return text, obj


# ---- measuring ----

def cpu_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def show(name, count, mine, peer):
    print(f"{name}: execz {count / mine / 1e6:.2f}, LLVM {count / peer / 1e6:.2f} million instructions a second: "
          f"{peer / mine:.1f} times as fast", flush=True)


def compare(ours, theirs, rounds):
    """Both in turn; the medians."""
    times = [(cpu_seconds(ours), cpu_seconds(theirs)) for _ in range(rounds)]
    return tuple(statistics.median(t) for t in zip(*times))


def listed(text):
    """The lines with instructions and labels, without what stands above them."""
    return [line.rstrip() for line in text.decode().splitlines() if line.startswith("\t") or line.endswith(">:")]


def content(obj, folder):
    out = os.path.join(folder, "content")
    run([OBJCOPY, "-O", "binary", "--only-section=.text", obj, out], check=True)
    with open(out, "rb") as f:
        return f.read()


def bench_target(o, target, folder):
    text, obj = make(target, o.files, o.count // len(TARGETS), folder)
    ours = os.path.join(folder, "ours.o")
    dis = [[o.execz, "dis", obj], [OBJDUMP, "-d", obj]]
    asm = [[o.execz, "asm", "-t", target, "-c", "-o", ours, text],
           [MC, "-triple=amdgcn-amd-amdhsa", "-mcpu=" + target, "-filetype=obj", "-o", ours, text]]
    good = listed(run(dis[0]).stdout) == listed(run(dis[1]).stdout)
    run(asm[0], check=True)
    good = good and content(ours, folder) == content(obj, folder)
    if not good:
        sys.exit(f"{target}: the results differ")
    medians = {}
    for name, commands in (("disassembling", dis), ("assembling", asm)):
        medians[name] = compare(commands[0], commands[1], o.rounds)
        show(f"{target} {name}", o.count // len(TARGETS), *medians[name])
    return medians


def start_up(execz):
    times = sorted(cpu_seconds([execz, "--version"]) for _ in range(50))
    print(f"start-up of the command: {1000 * statistics.median(times):.1f} ms")


def library_size(path, folder):
    out = os.path.join(folder, "stripped")
    run(["strip", "-o", out, path], check=True)
    print(f"stripped shared library: {os.path.getsize(out) / 1e6:.2f} MB")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--execz", required=True)
    p.add_argument("--library", help="the shared library, for its size")
    p.add_argument("--count", type=int, default=1000000)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--keep", metavar="DIR", help="leave the text and the objects there")
    p.add_argument("files", nargs="+")
    o = p.parse_args()
    if not all(map(shutil.which, (OBJDUMP, MC, CLANG, OBJCOPY))):
        print("skipped: no LLVM 22")
        return 77
    with contextlib.nullcontext(o.keep) if o.keep else tempfile.TemporaryDirectory() as folder:
        os.makedirs(folder, exist_ok=True)
        start_up(o.execz)
        if o.library:
            library_size(o.library, folder)
        results = [bench_target(o, target, folder) for target in TARGETS]
        for name in results[0]:
            show(f"all {name}", o.count, *(sum(r[name][k] for r in results) for k in (0, 1)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
