#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many vector instructions a second execz runs, on one host thread, on two, and in two processes of one thread each.

    floor.py --execz PATH [--rounds N]

Loops of one instruction with registers as operands and all lanes active, assembled by llvm-mc-22: v_fma_f32 of 64 lanes on gfx90a, with
f32 denormals kept and flushed, and a matrix product of half floats on gfx1100. The three take turns; the medians of the rates
and of the ratios in a turn count, loading left out. Two processes share nothing: what they gain is what the machine has to
give at that moment, and two threads are to gain as much. Exit status: 0, 77 without LLVM's tools."""

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

MC, LLD = "llvm-mc-22", "ld.lld-22"
FMA = "v_fma_f32 v1, v2, v3, v1\nv_fma_f32 v4, v2, v3, v4"
LOOPS = [  # name, target, instructions, directives of the descriptor, lanes, waves: for a tenth of a second or so
    ("v_fma_f32, denormals kept", "gfx90a", FMA, ".amdhsa_accum_offset 16\n.amdhsa_float_denorm_mode_32 3", 64, 160),
    ("v_fma_f32, denormals flushed", "gfx90a", FMA, ".amdhsa_accum_offset 16\n.amdhsa_float_denorm_mode_32 0", 64, 160),
    ("v_wmma_f32_16x16x16_f16", "gfx1100", "v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[16:23]",
     ".amdhsa_wavefront_size32 1", 32, 4)]
TEXT = """.amdgcn_target "amdgcn-amd-amdhsa--%s"
.text
.globl loop
.p2align 8
.type loop,@function
loop:
v_cvt_f32_u32 v1, v0
v_mov_b32 v2, 0.5
v_mov_b32 v3, 1.0
s_movk_i32 s0, 0x400
again:
.rept 32
%s
.endr
s_sub_u32 s0, s0, 1
s_cmp_lg_u32 s0, 0
s_cbranch_scc1 again
s_endpgm
.rodata
.p2align 6
.amdhsa_kernel loop
.amdhsa_next_free_vgpr 32
.amdhsa_next_free_sgpr 16
%s
.end_amdhsa_kernel
"""


def build(folder, target, instructions, directives):
    path = os.path.join(folder, "loop")
    with open(path + ".s", "w") as file:
        file.write(TEXT % (target, instructions, directives))
    subprocess.run([MC, "-triple=amdgcn-amd-amdhsa", "-mcpu=" + target, "-filetype=obj", "-o", path + ".o", path + ".s"], check=True)
    subprocess.run([LLD, "-shared", "-o", path, path + ".o"], check=True)
    return path


def start(execz, path, lanes, waves, threads):
    """A workgroup for each wave."""
    return subprocess.Popen([execz, "run", path, "loop", "--grid", str(waves * lanes), "--block", str(lanes), "--time", "--stats",
                             "--threads", str(threads)], stdout=subprocess.PIPE, text=True)


def rate(*runs):
    """Millions of instructions a second, of all these together."""
    total = 0
    for run in runs:
        text = run.communicate()[0]
        total += int(re.search(r"instructions: (\d+)", text)[1]) / float(re.search(r"time: ([0-9.]+)", text)[1]) / 1e3
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--execz", required=True)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    if not shutil.which(MC) or not shutil.which(LLD):
        print("skipped: no %s or %s" % (MC, LLD))
        return 77
    with tempfile.TemporaryDirectory() as folder:
        for name, target, instructions, directives, lanes, waves in LOOPS:
            path = build(folder, target, instructions, directives)
            one, two, apart = [], [], []
            for _ in range(options.rounds):
                one.append(rate(start(options.execz, path, lanes, waves, 1)))
                two.append(rate(start(options.execz, path, lanes, waves, 2)))
                apart.append(rate(*(start(options.execz, path, lanes, waves, 1) for _ in range(2))))
            times = [statistics.median(b / a for a, b in zip(one, many)) for many in (two, apart)]
            print("%-29s %s: %7.2f million/s on one thread, %7.2f on two (%.2f times), in two processes %7.2f (%.2f times)" %
                  (name, target, statistics.median(one), statistics.median(two), times[0], statistics.median(apart), times[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
