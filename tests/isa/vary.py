#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Variations of an example of every instruction, with llvm-mc as the judge.

    vary.py --execz PATH --tables DIR [--target T ...] [--family F ...] [--siblings] [--wave 64] [--share N] [--more N] [--examples N]

From the examples that canonical.py reads: each bit flipped, and N random changes of several bits each (seeded, so
that a run can be repeated), of these words N percent (--share). The examples of a target that has none (--siblings: all of these) are those
of its nearest relative. Disassembling: the same text, and `.long` for what llvm-mc cannot decode. Each different text
that llvm-mc prints is then assembled by both: the same bytes, or a refusal by both. Where llvm-mc contradicts itself
(judge.py) differences are counted by kind. Exit status: 0 all equal, 1 differences, 77 no tables or no llvm-mc (skipped)."""

import argparse
import collections
import os
import random
import shutil
import sys

import canonical
import judge
from judge import fields_of, peer


def variations(rows, more, share):
    cases, some = {}, random.Random(share)
    for row in rows:
        code = row["bytes"]
        rng = random.Random(row["encoding"] + row["mnemonic"])
        number = int.from_bytes(code, "little")
        cases[code] = row
        for bit in range(8 * len(code)):
            cases[(number ^ 1 << bit).to_bytes(len(code), "little")] = row
        for _ in range(more):
            mask = 0
            for _ in range(rng.randint(2, 6)):
                mask ^= 1 << rng.randrange(8 * len(code))
            cases[(number ^ mask).to_bytes(len(code), "little")] = row
    return {c: row for c, row in cases.items() if c == row["bytes"] or some.random() < share / 100}


def compare(o, target, cases, attr, options):
    """[(family, kind, case, expected, got)], a counter of known kinds, how many texts there were."""
    found, undecoded, texts, known = [], [], {}, collections.Counter()
    codes = [c + bytes(12) for c in cases]  # literals and further addresses are zeros
    for code, row, want, got in zip(codes, cases.values(), peer.llvm_dis(target, codes, attr),
                                    peer.execz_dis(o.execz, target, codes, options=options)):
        if want.comment == "llvm-mc crashed":
            known["dies"] += 1
            continue
        a, b, case = judge.plain(want.text()), got.text() or got.comment, code[:len(row["bytes"])].hex()
        kind = a != b and judge.known_text(target, code, a, b)
        if not a.startswith(".long") and not judge.remarked(want.text()):
            texts[want.text()] = row
        if kind:
            known[kind] += 1
        elif a != b and b.startswith(".long"):
            undecoded.append((row["encoding"], "undecoded", case, want.text(), b))
        elif a != b:
            found.append((row["encoding"], "decoded" if a.startswith(".long") else "text", case, a, b))
    refused = judge.refused(target, [u[3] for u in undecoded], attr)
    found += [u for u in undecoded if u[3] not in refused]
    known[judge.OWN_REFUSAL] = sum(u[3] in refused for u in undecoded)
    for line, want, got in judge.assemble(target, texts, attr, o.execz, options):
        if want.bytes == got.bytes:
            continue
        kind = judge.known_bytes(target, line, want, got)
        if kind:
            known[kind] += 1
        else:
            kind = "bytes" if want.bytes and got.bytes else "accepted" if got.bytes else "refused"
            found.append((texts[line]["encoding"], kind, line, want.bytes.hex() if want.bytes else want.message,
                          got.bytes.hex() if got.bytes else got.message))
    return found, known, len(texts)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--execz", required=True)
    p.add_argument("--tables", required=True)
    p.add_argument("--target", nargs="*")
    p.add_argument("--family", nargs="*", default=["scalar", "memory"])
    p.add_argument("--wave", choices=["64"])
    p.add_argument("--siblings", action="store_true", help="all targets that have no examples of their own")
    p.add_argument("--share", type=float, default=100, help="percent of the changed words")
    p.add_argument("--more", type=int, default=8)
    p.add_argument("--examples", type=int, default=2, help="differences shown for each target, family and kind")
    o = p.parse_args()
    if not os.path.isdir(o.tables) or not shutil.which(peer.LLVM_MC):
        print("skipped: no tables at %s, or no llvm-mc" % o.tables)
        return 77
    families = {f for name in o.family for f in canonical.GROUPS.get(name, [name])}
    have = sorted(n[:-4] for n in os.listdir(o.tables) if n.startswith("gfx") and n.endswith(".tsv"))
    total, different = 0, 0
    for target in o.target or (list(judge.SIBLINGS) if o.siblings else have):
        table = os.path.join(o.tables, judge.SIBLINGS.get(target, target) + ".tsv")
        cases = variations(canonical.read_rows(table, families), o.more, o.share)
        wide = o.wave and fields_of.generation(target) >= 10
        attr, options = ("+wavefrontsize64,-wavefrontsize32", ["--wave", "64"]) if wide else ("", [])
        found, known, lines = compare(o, target, cases, attr, options)
        total += len(cases) + lines
        different += len(found)
        counts = collections.Counter(f[:2] for f in found)
        print("%s: %d words, %d texts, %d differences %s%s" % (target, len(cases), lines, len(found),
              " ".join("%s:%s:%d" % (*k, n) for k, n in sorted(counts.items())),
              "".join("; llvm-mc %s: %d" % k for k in sorted((+known).items()))), flush=True)
        shown = collections.Counter()
        for family, kind, case, want, got in found:
            shown[family, kind] += 1
            if shown[family, kind] <= o.examples:
                print("  %s %s  %s\n    expected %s\n    got      %s" % (family, kind, case, want, got))
    print("%d cases, %d differences" % (total, different))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
