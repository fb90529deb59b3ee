# SPDX-License-Identifier: Apache-2.0
"""OpenCL C to AMD code objects with Debian's clang-22 and libclc, and what is in them."""
import re
import subprocess

LIBCLC = "/usr/lib/clc/amdgcn-amd-amdhsa.bc"


def compile_cl(source, target, output, opt="-O2", std="CL1.2", options=()):
    """Compiles the file `source`; returns None, or the compiler's words."""
    command = ["clang-22", "-w", "-Wno-incompatible-pointer-types", "-x", "cl", "-cl-std=" + std, "-target", "amdgcn-amd-amdhsa", "-mcpu=" + target, opt,
               "-nogpulib", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBCLC, "-cl-kernel-arg-info", *options,
               "-o", output, source]
    done = subprocess.run(command, capture_output=True, text=True)
    return None if done.returncode == 0 else done.stderr


def argument_kinds(path):
    """{kernel: [value kind of each explicit argument]}, as the metadata of a code object says."""
    notes = subprocess.run(["llvm-readelf-22", "--notes", path], capture_output=True, text=True, check=True).stdout
    kernels, kinds = {}, []
    for line in notes.split("\n"):
        if line.startswith("  - "):  # the next kernel
            kinds = []
        kind = re.match(r"\s+(?:- )?\.value_kind:\s+(\w+)", line)
        if kind and not kind[1].startswith("hidden"):
            kinds.append(kind[1])
        name = re.match(r"    \.name:\s+(\S+)", line)
        if name:
            kernels[name[1]] = kinds
    return kernels
