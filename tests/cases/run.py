#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the cases of cases.txt, whose head says what they are.

    run.py --execz PATH [--case NUMBER] [FILE]

Exit status: 0 all as expected, 1 not."""

import argparse
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


class Machine:
    def __init__(self, execz):
        self.execz = execz
        self.targets = json.loads(self.call("targets", "--json"))

    def call(self, *words, text=""):
        p = subprocess.run([self.execz, *words], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if p.returncode:
            return "error: " + p.stderr.decode().strip()
        return p.stdout.decode().strip()

    def expand(self, words):
        """gfx1030, gfx11 (a generation), gfx10.3, gfx8-gfx11 (a range of them)"""
        found = []
        for word in words.split():
            names = [t["name"] for t in self.targets]
            m = re.fullmatch(r"gfx(\d+)(?:-gfx(\d+))?", word)
            if word in names:
                found.append(word)
            elif word == "gfx10.3":
                found += [n for n in names if re.match(r"gfx103\d|gfx10-3", n)]
            elif m:
                first, last = int(m[1]), int(m[2] or m[1])
                found += [t["name"] for t in self.targets if first <= int(re.findall(r"\d+", t["generation"])[0]) <= last]
            else:
                sys.exit("no target or generation is called %s" % word)
        return found


def value(text):
    """A number as `execz eval` takes it, as bits."""
    import struct

    kind, colon, number = text.partition(":")
    if colon:
        return struct.unpack("<I", struct.pack("<f", float(number)))[0]
    return int(text, 0) & 0xffffffff


def registers(words):
    return {name: [value(v) for v in values.split(",")] for name, values in (w.split("=") for w in words.split())}


def evaluate(machine, target, text, before, after):
    start, expected = registers(before), registers(after)
    lanes = max(len(v) for v in (*start.values(), *expected.values()))
    out = machine.call("eval", "-t", target, "--json", "--lanes", str(lanes), "\n".join(text.split("; ")), *before.split())
    if out.startswith("error"):
        return out
    got = json.loads(out)
    for name, values in expected.items():
        result = got.get(name, start.get(name, [0]))
        result = result if isinstance(result, list) else [result]
        result = (result * lanes)[:lanes] if len(result) == 1 else result[:lanes]
        values = values * lanes if len(values) == 1 else values
        if result != values:
            return "%s is %s" % (name, ",".join("0x%08x" % v for v in result))
    return None


def check(machine, kind, target, fields):
    if kind == "eval":
        return evaluate(machine, target, *fields)
    text, code = fields
    if kind in ("both", "asm"):
        got = machine.call("asm", "-t", target, "--hex", text=text + "\n")
        if got != code:
            return "assembles to " + got
    if kind in ("both", "dis"):
        got = machine.call("dis", "-t", target, "--hex", text=code + "\n")
        if got != text:
            return "disassembles to " + got
    return None


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--execz", required=True)
    p.add_argument("--case", help="only the case with this number")
    p.add_argument("file", nargs="?", default=os.path.join(HERE, "cases.txt"))
    args = p.parse_args()
    machine, number, passed, failed = Machine(args.execz), "", 0, 0
    for n, line in enumerate(open(args.file, encoding="utf-8"), 1):
        line = line.strip()
        if line.startswith("## "):
            number = line.split()[1]
        if not line or line.startswith("#") or args.case and number != args.case:
            continue
        head, *fields = [f.strip() for f in line.split("|")]
        kind, _, targets = head.partition(" ")
        for target in machine.expand(targets):
            wrong = check(machine, kind, target, fields)
            passed += not wrong
            failed += bool(wrong)
            if wrong:
                print("%s:%d: %s: %s\n  %s" % (args.file, n, target, wrong, line))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
