#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each directive's small cases against llvm-mc: good.txt gives the same objects, wrong.txt errors at the same places,
and .amdhsa_kernel the same descriptors for every directive on every generation.

    directives.py EXECZ [-v]
"""
import os
import re
import sys
import tempfile

from judge import Elf, Judge, compare, positions

HERE = os.path.dirname(os.path.abspath(__file__))
TARGETS = ["gfx801", "gfx802", "gfx803", "gfx810", "gfx900", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010",
           "gfx1030", "gfx1100", "gfx1150", "gfx11-generic", "gfx1200", "gfx1250"]


def lines(name):
    for number, line in enumerate(open(os.path.join(HERE, name)), 1):
        line = line.rstrip("\n")
        if line and not line.startswith("#"):
            target = re.match(r"(gfx[^|]*)\|", line)
            text = line[target.end():] if target else line
            text = text.replace("\\\\", "\0").replace("\\n", "\n").replace("\\r", "\r").replace("\0", "\\") + "\n"
            yield number, target.group(1) if target else "gfx1100", text


class Test:
    def __init__(self, execz, folder, verbose):
        self.judge, self.verbose, self.failed, self.done = Judge(execz, folder), verbose, 0, 0
        self.source = os.path.join(folder, "case.s")

    def say(self, name, text, found):
        self.done += 1
        if not found:
            return
        self.failed += 1
        print(f"{name}: {text.strip()!r:.150}")
        for f in found[:20 if self.verbose else 3]:
            print("   ", f)

    def both(self, target, text):
        with open(self.source, "w") as f:
            f.write(text)
        peer, peer_err = self.judge.peer_object(target, self.source, 5)
        ours, our_err = self.judge.ours(target, self.source, False, 5)
        return peer, peer_err, ours, our_err

    def good(self, name, target, text):
        peer, peer_err, ours, our_err = self.both(target, text)
        if not peer or not ours:
            self.say(name, text, [f"llvm-mc: {peer_err.strip()[:300] or 'no error'}",
                                  f"execz: {our_err.strip()[:300] or 'no error'}"] if peer or ours or peer_err else [])
        else:
            self.say(name, text, compare(Elf(peer), Elf(ours)))

    def wrong(self, name, target, text):
        peer, peer_err, ours, our_err = self.both(target, text)
        a, b = positions(peer_err), positions(our_err)
        found = []
        if bool(peer) != bool(ours):
            found.append(f"llvm-mc {'takes' if peer else 'refuses'} it, execz does not agree")
        # llvm-mc leaves a block at its first error and then stumbles over the rest of it: the first error counts, and
        # that there is none where llvm-mc has none
        if a[:1] != b[:1] or not set(b) <= set(a):
            found.append(f"errors at {a}, execz {b}")
        if found:
            found += [f"llvm-mc: {m}" for m in re.findall(r"error: .*", peer_err)]
            found += [f"execz:   {m}" for m in re.findall(r"error: .*", our_err)]
        self.say(name, text, found)


VALUES = (0, 1, 2, 3, 4, 7, 8, 16, 31, 63, 64, 96, 100, 102, 103, 106, 128, 255, 256, 257, 512, 1024, 65536)


def kernels(target):
    """(what, lines) of a kernel for every directive with every value."""
    source = open(os.path.join(HERE, "..", "..", "src", "text", "asm_kernel.c")).read()
    for name in re.findall(r'^    \{"([a-z0-9_]+)", [A-Z]', source, re.M):
        for value in VALUES:
            if name == "named_barrier_count" and value > 7:
                continue  # llvm-mc writes it over other fields
            others = {"next_free_vgpr": 40, "next_free_sgpr": 20}
            if target in ("gfx90a", "gfx942", "gfx950"):
                others["accum_offset"] = 4
            others[name] = value
            yield f"{name} {value}", [f".amdhsa_{n} {v}" for n, v in others.items()]


def descriptors(test, target):
    """All those kernels in one file: errors in the same ones at the same places, and the same bytes for the others."""
    cases = list(kernels(target))

    def text(chosen):
        out, first = [".text", "k: s_endpgm", ".rodata"], {}
        for n in chosen:
            first[n] = len(out) + 1
            out += [f".set k{n}, k", f".amdhsa_kernel k{n}"] + cases[n][1] + [".end_amdhsa_kernel"]
        return "\n".join(out) + "\n", first

    def first_errors(messages, first):
        found = {}
        starts = sorted((line, n) for n, line in first.items())
        for line, column in positions(messages):
            n = [n for start, n in starts if start <= line][-1]
            found.setdefault(n, (line - first[n], column))
        return found

    whole, first = text(range(len(cases)))
    _, peer_err, _, our_err = test.both(target, whole)
    a, b = first_errors(peer_err, first), first_errors(our_err, first)
    for n in range(len(cases)):
        if a.get(n) != b.get(n):
            test.say(f"{target} {cases[n][0]}", "", [f"error at {a.get(n)}, execz {b.get(n)}"])
    whole, _ = text([n for n in range(len(cases)) if n not in a and n not in b])
    peer, peer_err, ours, our_err = test.both(target, whole)
    if not peer or not ours:
        test.say(f"{target} descriptors", "", [peer_err[:300], our_err[:300]])
        return
    content = [next(s for s in Elf(p).sections if s["name"] == ".rodata")["data"] for p in (peer, ours)]
    accepted = [n for n in range(len(cases)) if n not in a and n not in b]
    for i, n in enumerate(accepted):
        x, y = (c[64 * i:64 * i + 64] for c in content)
        test.say(f"{target} {cases[n][0]}", "", [] if x == y else [f"{x.hex()}, execz {y.hex()}"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        test = Test(sys.argv[1], folder, "-v" in sys.argv)
        for number, target, text in lines("good.txt"):
            test.good(f"good.txt:{number}", target, text)
        for number, target, text in lines("wrong.txt"):
            test.wrong(f"wrong.txt:{number}", target, text)
        for target in TARGETS:
            descriptors(test, target)
    print(f"{test.done} cases, {test.failed} differ")
    return 1 if test.failed else 0


if __name__ == "__main__":
    sys.exit(main())
