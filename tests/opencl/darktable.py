#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The OpenCL kernels of darktable (Debian's package): each that compiles for a target is run on generated arguments by execz and by
PoCL. Whole numbers must be equal, floats within BOUND, or FILTER_BOUND.

usage: darktable.py --execz EXECZ --pocl POCL_RUN --kernels FOLDER [--target T ...] [--opt=-O2 ...] [--sample N] [PATTERN ...]

The arguments are made from names and types; a kernel that they do not suit, so that it leaves its buffers, is counted and not compared.
KNOWN and OPEN list those whose results the language leaves open, with the reason; a kernel that differs and of which PoCL gives other
results each time is counted as unsteady."""
import argparse
import collections
import concurrent.futures
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

import images
import toolchain

TARGETS = ["gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"]
WITHOUT_IMAGES = ("gfx90a", "gfx942")  # they have no instructions that sample
WIDTH, HEIGHT, BLOCK = 32, 16, (8, 8)
BUFFER, LOCAL = 1 << 18, 8192  # bytes
BOUND = 2e-3  # of a float: relative, or absolute where it is below 1. darktable uses native functions, whose error is open
NUMBERS = {"char": ("b", 1), "uchar": ("B", 1), "short": ("h", 2), "ushort": ("H", 2), "int": ("i", 4), "uint": ("I", 4),
           "long": ("q", 8), "ulong": ("Q", 8), "float": ("f", 4), "half": ("e", 2), "double": ("d", 8)}
FILTER_BOUND = 2e-2  # with linear filtering, whose weights have 8 bits in each direction
VECTOR = [0.9, 0.1, 0.2, 0.8]  # of floats: as a matrix of 2 x 2 no singular one
# Results that the language leaves open: all, or those of components.
KNOWN = {
    "colorspaces_transform_lab_to_rgb_matrix": "its table has 256 columns; the test's image has fewer, so that it jumps",
    "warp_kernel": "the test's struct has a size of no kernel, with which it reads and writes beyond lkernel[6]",
    "ppg_demosaic_green": "of color the components of other colours than the pixel's and green are never set",
}
OPEN = {
    "inpaint_mask": ("w", "gaussian_noise_simd() never sets u1.w and u2.w"),
    "border_interpolate": ("w", "o.w is never set"),
    "passthrough_monochrome": ("w", "color.w is never set"),
    "lowlight": ("w", "Lab_to_XYZ() never sets f.w"),
    "retouch_image_rgb2lab": ("w", "XYZ_to_Lab() never sets lab.w"),
    "filmic_inpaint_noise": ("w", "gaussian_noise_simd() never sets u1.w and u2.w"),
    "gauss_expand": ("yzw", "pixel.yzw are never set"),
    "gauss_reduce": ("yzw", "pixel.yzw are never set"),
    "laplacian_assemble": ("yzw", "pixel.yzw are never set"),
}


class Unsuited(Exception):
    pass


def scalar(name, code):
    """A value for a number, by what it is called."""
    lower = name.lower()
    if code in "fde":
        return 0.5
    for part, value in (("offset2", 8), ("offset3", 64), ("width", WIDTH), ("height", HEIGHT), ("filters", 0x94949494), ("radius", 2), ("length", WIDTH * HEIGHT),
                        ("blocksize", BLOCK[0]), ("size", 4), ("stride", WIDTH)):
        if part in lower:
            return value
    return {"w": WIDTH, "h": HEIGHT, "wd": WIDTH, "ht": HEIGHT}.get(lower, 1)


def value(argument):
    """The bytes of an argument that is passed by value."""
    type_, size = argument.get("type_name", ""), int(argument["size"])
    shape = re.fullmatch(r"([a-z]+)(\d*)", type_.replace("unsigned int", "uint"))
    if not shape or shape[1] not in NUMBERS:
        if size == 4:  # an enumeration, of which 1 is a value
            return struct.pack("<i", 1)
        return struct.pack("<%df" % (size // 4), *[0.5] * (size // 4)) + bytes(size % 4)
    code, width = NUMBERS[shape[1]]
    number = scalar(argument.get("name", ""), code)
    if code in "bhiq" and number >= 1 << (8 * width - 1):
        number -= 1 << 8 * width
    count = size // width
    numbers = [VECTOR[i % 4] for i in range(count)] if code in "fde" and count > 1 else [number] * count
    return struct.pack("<%d%s" % (count, code), *numbers)


def numbers_of(argument):
    """The format of a buffer's elements."""
    shape = re.match(r"(?:const )?([a-z]+)\d*", argument.get("type_name", "").replace("unsigned ", "u"))
    return NUMBERS.get(shape[1] if shape else "", ("f", 4))


def is_table(argument):
    """What is looked up is smooth, or the least error of an index would be a large one of the result."""
    return any(word in argument.get("name", "").lower() for word in ("lut", "table", "curve"))


def content(argument, seed):
    make, (code, width) = random.Random(seed), numbers_of(argument)
    if "roi" in argument.get("type_name", ""):  # x, y, width, height, scale
        return (struct.pack("<4if", 0, 0, WIDTH, HEIGHT, 1.0) * BUFFER)[:BUFFER]
    if code == "f" and is_table(argument):
        return struct.pack("<%df" % (BUFFER // 4), *[i / (BUFFER // 4) for i in range(BUFFER // 4)])
    if code in "fde":
        some = [make.uniform(0.01, 1) for _ in range(4093)]
    else:
        some = [make.randrange(3) for _ in range(4093)]
    return (struct.pack("<4093%s" % code, *some) * (BUFFER // (4093 * width) + 1))[:BUFFER]


def body_of(name, source):
    """A kernel's text, to the next one."""
    return re.split(r"\b(?:__)?kernel\b", re.split(r"\bvoid\s+%s\s*\(" % name, source)[-1])[0]


def words_for(name, source, found, folder):
    """The words of a run for one side, as a function of it, and {index: format} of what it writes."""
    makers, outputs = [], {}
    for index, a in enumerate(found):
        kind, path = a["value_kind"], os.path.join(folder, "%s.%d" % (name, index))
        if kind == "by_value":
            makers.append(lambda side, hexed=value(a).hex(): "hex:" + hexed)
        elif kind == "dynamic_shared_pointer":
            makers.append(lambda side: "lds:%d" % LOCAL)
        elif kind == "global_buffer":
            with open(path + ".in", "wb") as file:
                file.write(content(a, index + 1))
            outputs[index] = numbers_of(a)[0]
            makers.append(lambda side, path=path: "inout:%s.in:%s.%s" % (path, path, side))
        elif kind == "image":
            whole = re.search(r"(read|write)_imageui\s*\(\s*%s\b" % a["name"], body_of(name, source))
            code, texel = ("H", "16_uint") if whole else ("f", "32_32_32_32_float")
            with open(path + ".in", "wb") as file:
                make = random.Random(index + 1)
                count = WIDTH * HEIGHT * (1 if whole else 4)
                numbers = [make.randrange(65536) if whole else i / count if is_table(a) else make.uniform(0.01, 1) for i in range(count)]
                file.write(struct.pack("<%d%s" % (count, code), *numbers))
            writes = a.get("access", "") != "read_only"
            if writes:
                outputs[index] = code
            makers.append(lambda side, path=path, texel=texel, writes=writes: "image:%s:%dx%d:%s.in%s" % (
                texel, WIDTH, HEIGHT, path, ":%s.%s" % (path, side) if writes else ""))
        else:
            raise Unsuited("an argument of kind " + kind)
    return (lambda side: [m(side) for m in makers]), outputs


def run(command, words, flat):
    """`flat`: a launch in one dimension, for kernels that know no other."""
    shape = ["--grid", str(WIDTH * HEIGHT), "--block", "64"] if flat else ["--grid", "%d,%d" % (WIDTH, HEIGHT), "--block", "%d,%d" % BLOCK]
    return subprocess.run([*command, *shape, *words], capture_output=True, text=True)


def difference(code, got, want, bound, left_open):
    """None, or where the two are not equal enough; components that are left open do not count."""
    if code not in "fde":
        return None if got == want else "whole numbers differ"
    for i, (a, b) in enumerate(zip(struct.iter_unpack("<" + code, got), struct.iter_unpack("<" + code, want))):
        a, b = a[0], b[0]
        if a == b or (a != a and b != b) or "xyzw"[i % 4] in left_open:
            continue
        if not abs(a - b) <= bound * max(1.0, abs(b)):
            return "element %d is %r, expected %r" % (i, a, b)
    return None


def bare(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)


def try_file(job):
    """(counts by target and level, lines) of one file."""
    options, path, folder = job
    counts, said, state = collections.Counter(), [], {}
    include = ["-I" + os.path.dirname(path)]
    source = bare(open(path, errors="replace").read())
    with tempfile.TemporaryDirectory() as own:
        for target in options.target or TARGETS:
            for opt in options.opt or ["-O2", "-O0"]:
                code = os.path.join(own, "k.hsaco")
                none = target in WITHOUT_IMAGES
                wrong = toolchain.compile_cl(path, target, code, opt, options=include,
                                             images=os.path.join(folder, "stubs.bc" if none else "images.bc"))
                if wrong:
                    counts[target, opt, "files that do not compile"] += 1
                    if options.verbose:
                        said.append("%s %s %s: %s" % (path, target, opt, next((l for l in wrong.split("\n") if "error" in l), wrong[:200])))
                    continue
                for name, found in sorted(toolchain.arguments(code).items()):
                    if none and any(a["value_kind"] in ("image", "sampler") for a in found):
                        continue
                    outcome, line = try_kernel(options, own, path, source, include, code, name, found, state)
                    counts[target, opt, outcome] += 1
                    if line and (outcome == "failed" or options.verbose):
                        said.append("%s on %s %s: %s" % (name, target, opt, line))
    return counts, said


def try_kernel(options, own, path, source, include, code, name, found, state):
    """(outcome, line). `state` holds what PoCL gave, or why a kernel is left out."""
    if isinstance(state.get(name), str):
        return "unsuited", None
    try:
        words, outputs = words_for(name, source, found, own)
    except Unsuited as reason:
        state[name] = str(reason)
        return "unsuited", str(reason)
    flat = not re.search(r"get_(global|local)_id\s*\(\s*1", body_of(name, source))
    done = run([options.execz, "run", code, name, "--hidden", "libclc", "--timeout", "60", "--threads", "1"], words("execz"), flat)
    if done.returncode:
        first = done.stderr.strip().split("\n")[0]
        if name not in state and ("memory fault" in first or "time limit" in first or "LDS" in first):
            state[name] = first
            return "unsuited", first
        return "known" if name in KNOWN else "failed", "\n  ".join(done.stderr.strip().split("\n")[:8])
    read = lambda side: {i: open(os.path.join(own, "%s.%d.%s" % (name, i, side)), "rb").read() for i in outputs}
    by_pocl = lambda: run([options.pocl, path, name, "--options", "-cl-std=CL1.2 " + " ".join(include)], words("pocl"), flat)
    if name not in state:
        peer = by_pocl()
        if peer.returncode:
            state[name] = "PoCL: " + peer.stderr.strip()[-300:]
            return "unsuited", state[name]
        state[name] = read("pocl")
    got = read("execz")
    bound = FILTER_BOUND if "samplerf" in body_of(name, source) else BOUND
    wrong = [(i, difference(c, got[i], state[name][i], bound, OPEN.get(name, ("",))[0])) for i, c in outputs.items()]
    line = "; ".join("argument %d: %s" % w for w in wrong if w[1])
    if not line:
        return "passed", None
    if name in KNOWN:
        return "known", line
    for _ in range(2):  # what is never set is another value each time
        if by_pocl().returncode or read("pocl") != state[name]:
            return "unsteady", "PoCL gives other results each time"
    return "failed", line


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--execz", required=True)
    parser.add_argument("--pocl", required=True, help="the program pocl_run")
    parser.add_argument("--kernels", required=True, help="folder with darktable's kernels")
    parser.add_argument("--target", action="append")
    parser.add_argument("--opt", action="append")
    parser.add_argument("--sample", type=int, default=1, help="every Nth file only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--verbose", action="store_true", help="also say what does not compile or is not suited")
    parser.add_argument("patterns", nargs="*")
    options = parser.parse_args()
    if not os.path.isdir(options.kernels):
        print("skipped: no kernels in %s; they come with Debian's package darktable" % options.kernels)
        return 77
    paths = [os.path.join(options.kernels, f) for f in sorted(os.listdir(options.kernels)) if f.endswith(".cl")]
    paths = [p for p in paths if not options.patterns or any(w in p for w in options.patterns)][::options.sample]
    total = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        images.library(os.path.join(folder, "images.bc"))
        images.library(os.path.join(folder, "stubs.bc"), stubs=True)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for counts, said in pool.map(try_file, [(options, path, folder) for path in paths]):
                total.update(counts)
                for line in said:
                    print(line, flush=True)
    for target, opt in sorted({key[:2] for key in total}):
        print("%s %s: %s" % (target, opt, ", ".join("%d %s" % (n, key[2]) for key, n in sorted(total.items()) if key[:2] == (target, opt))))
    passed, failed = (sum(n for key, n in total.items() if key[2] == what) for what in ("passed", "failed"))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
