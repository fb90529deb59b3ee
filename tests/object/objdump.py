#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""execz dis against llvm-objdump -d, line for line, and what it prints with --labels against the bytes.

    objdump.py EXECZ [--full]

Code objects: all those inside librocrand.so.1 (Debian: librocrand1), where that is installed; kernels that clang makes
of the tests' OpenCL C; objects with odd symbols, numbers and VGPRs (symbols.s, literals.s, vgpr_msb.s). A sample without --full.

llvm-objdump takes code of GFX10 and later for waves of 32 lanes whatever a kernel's descriptor says; kernels with waves
of 64 are compared under `execz dis --wave 32`.
Exit status: 0 all equal, 1 not, 77 nothing to compare with."""
import argparse
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(TESTS, "asm"))
from judge import Elf  # noqa: E402

OBJDUMP, MC, LLD, CLANG = "llvm-objdump-22", "llvm-mc-22", "ld.lld-22", "clang-22"
ROCRAND = ["/usr/lib/x86_64-linux-gnu/librocrand.so.1", "/opt/rocm/lib/librocrand.so.1"]
BUILTINS = "/usr/lib/clc/amdgcn-amd-amdhsa.bc"
TARGETS = ["gfx803", "gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100",
           "gfx1150", "gfx1200", "gfx1201", "gfx1250"]
SAMPLE = ["gfx803", "gfx90a", "gfx1030", "gfx1100", "gfx1250"]
MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"


def run(command, folder):
    r = subprocess.run(command, cwd=folder, capture_output=True)
    return r.returncode, r.stdout, r.stderr.decode(errors="replace")


def bundles(data):
    """(group, id, bytes) of the code objects in uncompressed bundles. Source: "Clang Offload Bundler"."""
    at, group = data.find(MAGIC), 0
    while at >= 0:
        count, = struct.unpack_from("<Q", data, at + len(MAGIC))
        p = at + len(MAGIC) + 8
        for _ in range(count):
            offset, size, length = struct.unpack_from("<QQQ", data, p)
            name = data[p + 24:p + 24 + length].decode()
            p += 24 + length
            if size and not name.startswith("host"):
                yield group, name, data[at + offset:at + offset + size]
        at, group = data.find(MAGIC, p), group + 1


class Check:
    def __init__(self, execz, folder):
        self.execz, self.folder = execz, folder
        self.done = self.failed = self.lines = 0

    def fail(self, what, text):
        self.failed += 1
        print(f"{what}: {text}")

    def path(self, name):
        return os.path.join(self.folder, name)

    def dis(self, *words):
        code, out, err = run([self.execz, "dis"] + list(words), self.folder)
        if code:
            self.fail(" ".join(words), err.strip()[:400])
        return out

    def compare(self, name, expected, got):
        """Two listings."""
        self.done += 1
        self.lines += expected.count(b"\n")
        if expected == got:
            return
        a, b = expected.split(b"\n"), got.split(b"\n")
        n = next((i for i in range(min(len(a), len(b))) if a[i] != b[i]), min(len(a), len(b)))
        self.fail(name, f"line {n + 1} of {len(a)} and {len(b)}\n  llvm-objdump {a[n:n + 1]}\n  execz dis    {b[n:n + 1]}")

    def listing(self, name, *options):
        _, expected, _ = run([OBJDUMP, "-d", name] + list(options), self.folder)
        self.compare(" ".join((name,) + options), expected, self.dis(name, *options))
        return expected

    # ---- assembling again ----

    def sections(self, path):
        """Names and bytes of what is loaded; without the distance to the code in each descriptor, for the linker
        may lay sections out otherwise."""
        elf = Elf(path)
        found = {s["name"]: bytearray(s["data"]) for s in elf.sections if s["type"] == 1 and s["flags"] & 2}
        found.pop(".got", None)  # the linker's own
        addresses = {s["name"]: s["address"] for s in elf.sections}
        for text, value, _, _, _, _, section in elf.symbols():
            if text.endswith(".kd") and section in found:
                at = value - addresses[section] + 16
                found[section][at:at + 8] = bytes(8)
        return found

    def again(self, name, llvm, *options):
        """What --labels prints makes the same bytes, by execz asm and by llvm-mc."""
        text = self.dis("--labels", name, *options).decode()
        with open(self.path("again.s"), "w") as f:
            f.write(text)
        target = re.search(r'"amdgcn-amd-amdhsa--([^"]*)"', text).group(1)
        wide = "-mattr=+wavefrontsize64" in text
        peers = [("execz asm", [[self.execz, "asm", "-t", target, "-o", "again.hsaco", "again.s"] +
                                (["--wave", "64"] if wide else [])])]
        if llvm:
            attributes = [a[-1] + a[:-1] for a in target.split(":")[1:]] + ["+wavefrontsize64"] * wide
            peers.append(("llvm-mc", [[MC, "-triple=amdgcn-amd-amdhsa", "-mcpu=" + target.split(":")[0],
                                       "-mattr=" + ",".join(attributes), "-filetype=obj", "-o", "again.o", "again.s"],
                                      [LLD, "-shared", "-o", "again.hsaco", "again.o"]]))
        for peer, commands in peers:
            self.done += 1
            for command in commands:
                code, _, err = run(command, self.folder)
                if code:
                    self.fail(f"{name} --labels, {peer}", err[:600])
                    break
            else:
                expected, got = self.sections(self.path(name)), self.sections(self.path("again.hsaco"))
                if expected != {s: got.get(s) for s in expected}:
                    self.fail(f"{name} --labels, {peer}", f"other bytes in {[s for s in expected if expected[s] != got.get(s)]}")


def library(check, full):
    """HIP fat binaries in a shared library."""
    found = [p for p in ROCRAND if os.path.exists(p)]
    if not found:
        print("skipped: no librocrand.so.1 here")
        return
    data = open(found[0], "rb").read()
    os.symlink(found[0], check.path("librocrand.so"))
    expected, ids = b"", []
    for n, (group, name, code) in enumerate(bundles(data)):
        part = f"librocrand.so.{group}.{name}"  # as llvm-objdump --offloading names it
        with open(check.path(part), "wb") as f:
            f.write(code)
        expected += check.listing(part)
        ids.append(name)
        if full or n % 3 == 0:
            check.listing(part, "-z")
        if full or n in (0, 5):
            check.again(part, llvm=full or n == 0)
    check.compare("librocrand.so", expected, check.dis("librocrand.so"))
    compressed(check, data)
    print(f"librocrand: {len(ids)} code objects: {' '.join(sorted(i.split('--')[1] for i in ids))}")


def compressed(check, data):
    """The first bundle again, compressed: with zlib (method 0) and zstd (1). Source: "Clang Offload Bundler"."""
    at = data.find(MAGIC)
    bundle = data[at:max(data.find(code, at) + len(code) for _, _, code in bundles(data))]
    with open(check.path("bundle"), "wb") as f:
        f.write(bundle)
    methods = [(0, zlib.compress(bundle))]
    if shutil.which("zstd"):
        methods.append((1, subprocess.run(["zstd", "-q", "-c", check.path("bundle")], stdout=subprocess.PIPE).stdout))
    expected = check.dis("bundle", "-t", "gfx1030")
    for method, packed in methods:
        with open(check.path("bundle"), "wb") as f:
            f.write(b"CCOB" + struct.pack("<HHIIQ", 2, method, len(packed) + 24, len(bundle), 0) + packed)
        check.compare(f"CCOB, method {method}", expected, check.dis("bundle", "-t", "gfx1030"))


def compiled(check, full):
    sources = [os.path.join(TESTS, "device", "kernels.cl"), os.path.join(HERE, "kernels.cl")]
    options = ["-Xclang", "-mlink-builtin-bitcode", "-Xclang", BUILTINS] if os.path.exists(BUILTINS) else []
    for target in TARGETS if full else SAMPLE:
        for source in sources if full else sources[:1]:
            for kind in ("-O0", "-O2", "-O2 -c", "-O2 -mwavefrontsize64"):
                wide = "64" in kind
                if wide and (target < "gfx10" or len(target) < 7 or target >= "gfx125"):
                    continue
                name = f"{target}.{os.path.basename(source)}{kind.replace(' ', '')}"
                code, _, err = run([CLANG, "-w", "-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn-amd-amdhsa", "-mcpu=" +
                                    target, "-nogpulib", source, "-o", name] + options + kind.split(), check.folder)
                if code:
                    check.fail(name, "clang: " + err[:300])
                    continue
                if wide:
                    _, expected, _ = run([OBJDUMP, "-d", name], check.folder)
                    check.compare(name, expected, check.dis(name, "--wave", "32"))
                    with_64 = [OBJDUMP, "-d", "--mattr=+wavefrontsize64", name]
                    check.compare(name, run(with_64, check.folder)[1], check.dis(name))
                else:
                    check.listing(name)
                if "-c" not in kind:  # of a relocatable object the relocations are not in the text
                    check.again(name, llvm=full or kind == "-O2")


def symbols(check):
    for source, target in (("symbols.s", "gfx900"), ("vgpr_msb.s", "gfx1250"), ("literals.s", "gfx1250")):
        run([MC, "-triple=amdgcn-amd-amdhsa", "-mcpu=" + target, "-filetype=obj", "-o", "symbols.o",
             os.path.join(HERE, source)], check.folder)
        run([LLD, "-shared", "-o", "symbols.so", "symbols.o"], check.folder)
        run(["llvm-strip-22", "-o", "stripped.so", "symbols.so"], check.folder)
        for name in ("symbols.o", "symbols.so", "stripped.so"):
            check.listing(name)
            check.listing(name, "-z")
        check.again("symbols.so", llvm=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("execz")
    p.add_argument("--full", action="store_true")
    a = p.parse_args()
    if not all(shutil.which(program) for program in (OBJDUMP, MC, LLD, CLANG)):
        print("skipped: needs " + ", ".join((OBJDUMP, MC, LLD, CLANG)))
        return 77
    with tempfile.TemporaryDirectory() as folder:
        check = Check(os.path.abspath(a.execz), folder)
        symbols(check)
        compiled(check, a.full)
        library(check, a.full)
    print(f"{check.done} comparisons, {check.lines} lines, {check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
