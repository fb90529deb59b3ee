# SPDX-License-Identifier: Apache-2.0
"""OpenCL C to AMD code objects with Debian's clang-22 and libclc, and what is in them."""
import re
import subprocess

LIBCLC = "/usr/lib/clc/amdgcn-amd-amdhsa.bc"


def compile_cl(source, target, output, opt="-O2", std="CL1.2", options=(), images=None):
    """Compiles the file `source`; returns None, or the compiler's words. `images`: bitcode that images.py made."""
    with_images = ["-Xclang", "-mlink-builtin-bitcode", "-Xclang", images] if images else []
    command = ["clang-22", "-w", "-Wno-incompatible-pointer-types", "-x", "cl", "-cl-std=" + std, "-target", "amdgcn-amd-amdhsa", "-mcpu=" + target, opt,
               "-nogpulib", *with_images, "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBCLC, "-cl-kernel-arg-info", *options,
               "-o", output, source]
    done = subprocess.run(command, capture_output=True, text=True)
    return None if done.returncode == 0 else done.stderr


def arguments(path):
    """{kernel: [properties of each explicit argument]}, as the metadata of a code object has them: value_kind, size, ..."""
    notes = subprocess.run(["llvm-readelf-22", "--notes", path], capture_output=True, text=True, check=True).stdout
    kernels, found = {}, []
    for line in notes.split("\n"):
        if line.startswith("  - "):  # the next kernel
            found = []
        if re.match(r"      - ", line):  # its next argument
            found.append({})
        field = re.match(r"      [- ] \.(\w+):\s+(.*)", line)
        if field and found:
            found[-1][field[1]] = field[2].strip("'\"")
        name = re.match(r"    \.name:\s+(\S+)", line)
        if name:
            kernels[name[1]] = [a for a in found if not a.get("value_kind", "hidden").startswith("hidden")]
    return kernels


def argument_kinds(path):
    """{kernel: [value kind of each explicit argument]}"""
    return {name: [a["value_kind"] for a in found] for name, found in arguments(path).items()}
