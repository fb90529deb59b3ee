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
            text = text.replace("\\\\", "\0").replace("\\n", "\n").replace("\0", "\\") + "\n"
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


def descriptors(test):
    """Every directive of .amdhsa_kernel alone, with values from small to too large, on every generation."""
    source = open(os.path.join(HERE, "..", "..", "src", "text", "asm_kernel.c")).read()
    names = re.findall(r'^    \{"([a-z0-9_]+)", [A-Z]', source, re.M)
    for target in TARGETS:
        accum = ".amdhsa_accum_offset 4\n" if target in ("gfx90a", "gfx942", "gfx950") else ""
        for name in names:
            for value in (0, 1, 2, 3, 7, 16, 63, 102, 103, 128, 255, 257, 512, 1024, 65536):
                others = {"next_free_vgpr": 40, "next_free_sgpr": 20}
                others[name] = value
                text = ".text\nk: s_endpgm\n.rodata\n.amdhsa_kernel k\n"
                text += "".join(f".amdhsa_{n} {v}\n" for n, v in others.items())
                text += ("" if name == "accum_offset" else accum) + ".end_amdhsa_kernel\n"
                peer, peer_err, ours, our_err = test.both(target, text)
                if peer and ours:
                    found = compare(Elf(peer), Elf(ours))
                elif positions(peer_err) != positions(our_err) or bool(peer) != bool(ours):
                    found = [peer_err.strip(), our_err.strip()]
                else:
                    found = []
                test.say(f"{target} {name} {value}", text, found)


def main():
    with tempfile.TemporaryDirectory() as folder:
        test = Test(sys.argv[1], folder, "-v" in sys.argv)
        for number, target, text in lines("good.txt"):
            test.good(f"good.txt:{number}", target, text)
        for number, target, text in lines("wrong.txt"):
            test.wrong(f"wrong.txt:{number}", target, text)
        if "--descriptors" in sys.argv:
            descriptors(test)
    print(f"{test.done} cases, {test.failed} differ")
    return 1 if test.failed else 0


if __name__ == "__main__":
    sys.exit(main())
