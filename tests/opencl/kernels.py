# SPDX-License-Identifier: Apache-2.0
"""Kernels with a launch and arguments, to be run by execz and by a peer: those of the benchmark folder and the
project's own. A job names its inputs by recipe, so that both sides read the same files."""
import os
import random
import struct
from dataclasses import dataclass


def u32(value):
    return "hex:" + struct.pack("<I", value).hex()


def f32(value):
    return "hex:" + struct.pack("<f", value).hex()


@dataclass
class Data:
    """A buffer: `count` numbers of `type` ("uint", "float", "half"), from `low` to `high`, or zeros. `result` says
    what a run leaves there: None (only read), or the largest relative error that is allowed, 0 for the same bits."""
    type: str
    count: int
    low: float = 0
    high: float = 0
    result: float = None

    def bytes(self, seed):
        code = {"uint": "I", "float": "f", "half": "e"}[self.type]
        size = struct.calcsize(code) * self.count
        if not self.low and not self.high:
            return bytes(size)
        make = random.Random(seed)
        if self.type == "uint" and self.high >= 0xffffffff:
            return make.randbytes(size)
        pick = (lambda: make.randint(int(self.low), int(self.high))) if self.type == "uint" else (
            lambda: make.uniform(self.low, self.high))
        some = [pick() for _ in range(min(self.count, 65521))]  # a prime, so that rows differ
        return (struct.pack("<%d%s" % (len(some), code), *some) * (self.count // len(some) + 1))[:size]


@dataclass
class Job:
    name: str
    file: str
    grid: list
    block: list
    args: list       # words, or Data


def bench(folder, small):
    """The kernels of the benchmark folder; `small`: sizes for a test, else those that their comments give."""
    def size(test, full):
        return test if small else full

    def path(name):
        return os.path.join(folder, name + ".cl")

    n, jobs = size(4096, 1 << 24), []
    jobs.append(Job("saxpy", path("saxpy"), [n], [256], [
        u32(n), f32(1.5), Data("float", n, -1, 1), Data("float", n, -1, 1, result=1e-6)]))
    n = size(64, 512)
    matrices = [u32(n), Data("float", n * n, -1, 1), Data("float", n * n, -1, 1), Data("float", n * n, result=0)]
    jobs += [Job(name, path(name), [n, n], [16, 16], matrices) for name in ("sgemm_naive", "sgemm_tiled")]
    n = size(512, 8192)
    jobs.append(Job("nbody", path("nbody"), [n], [256], [
        u32(n), f32(0.01), Data("float", 4 * n, 0.1, 1), Data("float", 4 * n, result=2e-3)]))
    n = size(64, 1024)
    jobs.append(Job("mandelbrot", path("mandelbrot"), [n, n], [16, 16], [
        u32(n), u32(n), f32(-2), f32(-1.25), f32(2.5 / n), f32(2.5 / n), u32(256), Data("uint", n * n, result=0)]))
    n = size(4096, 1 << 20)
    jobs.append(Job("sha256", path("sha256"), [n], [256], [u32(n), u32(0x1234567), Data("uint", n, result=0)]))
    jobs.append(Job("blackscholes", path("blackscholes"), [n], [256], [
        u32(n), f32(0.02), f32(0.3), Data("float", n, 10, 100), Data("float", n, 10, 100), Data("float", n, 0.25, 5),
        Data("float", n, result=1e-3), Data("float", n, result=1e-3)]))
    n = size(65536, 1 << 22)
    jobs.append(Job("histogram", path("histogram"), [size(2048, 65536)], [256], [
        u32(n), Data("uint", n, 0, 0xffffffff), Data("uint", 256, result=0)]))
    n = size(65536, 1 << 24)
    groups = size(8, 256)
    jobs.append(Job("minreduce_f16", path("minreduce_f16"), [256 * groups], [256], [
        u32(n), Data("half", n, -100, 100), Data("float", groups, result=0)]))
    return jobs


def worst(type_, got, want):
    """The largest error of `got`: relative, or for results below 1 absolute; for whole numbers 0 or infinite."""
    if type_ == "uint":
        return 0 if got == want else float("inf")
    code = {"float": "f", "half": "e"}[type_]
    error = 0.0
    for a, b in zip(struct.iter_unpack("<" + code, got), struct.iter_unpack("<" + code, want)):
        if a != b and not (a[0] != a[0] and b[0] != b[0]):
            error = max(error, abs(a[0] - b[0]) / max(1.0, abs(b[0])))
    return error
