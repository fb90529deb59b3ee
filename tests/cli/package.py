#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs a build to a folder of its own and uses it as somebody else's project would.

    package.py --build BUILD --source SOURCE

With find_package(execz), shared and static, with pkg-config, from C and C++; the installed command runs, starts in
under 3 ms, and the shared library shows the public functions only."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time


def run(*command, **more):
    p = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if p.returncode:
        print("failed: %s\n%s" % (" ".join(command), p.stdout))
        sys.exit(1)
    return p.stdout


def use_cmake(work, prefix, source, name, lines):
    project = os.path.join(work, name)
    os.mkdir(project)
    shutil.copy(os.path.join(source, "examples", "min_f16.c"), project)
    with open(os.path.join(project, "CMakeLists.txt"), "w") as f:
        f.write("cmake_minimum_required(VERSION 3.16)\nproject(user C)\n%s\n" % lines)
    run("cmake", "-S", project, "-B", project + "/build", "-DCMAKE_PREFIX_PATH=" + prefix)
    run("cmake", "--build", project + "/build")
    return run(project + "/build/user")


def exported(library):
    names = re.findall(r" [A-Z] (\S+)$", run("nm", "-D", "--defined-only", library), re.M)
    return {n.split("@")[0] for n in names}


def declared(folder):
    names = set()
    for header in os.listdir(folder):
        for line in open(os.path.join(folder, header)):
            m = re.match(r"[a-z].*[ *](ez_[a-z0-9_]+)\(", line)
            if m and not line.startswith("static inline"):
                names.add(m.group(1))
    return names


def start_time(command):
    best = 1.0
    for _ in range(50):
        begin = time.perf_counter()
        pid = os.posix_spawn(command, [command, "--version"], {}, file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
        os.waitpid(pid, 0)
        best = min(best, time.perf_counter() - begin)
    return best


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--build", required=True)
    p.add_argument("--source", required=True)
    args = p.parse_args()
    with tempfile.TemporaryDirectory() as work:
        prefix = os.path.join(work, "prefix")
        run("cmake", "--install", args.build, "--prefix", prefix)
        library = next(os.path.join(d, "libexecz.so") for d, _, files in os.walk(prefix) if "libexecz.so" in files)
        include = os.path.join(prefix, "include", "execz")

        expected = run(os.path.join(args.build, "examples", "min_f16"))
        find = "find_package(execz 0.1 REQUIRED %s)\nadd_executable(user min_f16.c)\ntarget_link_libraries(user execz::%s)"
        for name in ("execz", "static"):
            got = use_cmake(work, prefix, args.source, name, find % ("" if name == "execz" else "COMPONENTS static", name))
            assert got == expected, got

        environment = dict(os.environ, PKG_CONFIG_PATH=os.path.join(os.path.dirname(library), "pkgconfig"),
                           LD_LIBRARY_PATH=os.path.dirname(library))
        flags = run("pkg-config", "--cflags", "--libs", "execz", env=environment).split()
        run("cc", os.path.join(args.source, "examples", "min_f16.c"), "-o", work + "/pc", *flags)
        assert run(work + "/pc", env=environment) == expected

        for header in sorted(os.listdir(include)):
            for compiler, language in (("cc", "c"), ("c++", "c++")):
                run(compiler, "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-x", language, "-I" + prefix + "/include",
                    os.path.join(include, header))

        symbols = run("nm", "-g", "--defined-only", os.path.join(os.path.dirname(library), "libexecz.a")).split("\n")
        foreign = {line.split()[-1] for line in symbols if re.match(r"[0-9a-f]+ [A-Z] (?!ez_|_)", line)}
        assert not foreign, "the static library defines names that are not its own: %s" % sorted(foreign)

        difference = exported(library) ^ declared(include)
        assert not difference, "exported and declared differ: %s" % sorted(difference)

        command = os.path.join(prefix, "bin", "execz")
        assert run(command, "--version").startswith("execz ")
        best = start_time(command)
        print("start-up: %.2f ms" % (best * 1e3))
        assert best < 0.003, "the command starts too slowly"


if __name__ == "__main__":
    main()
