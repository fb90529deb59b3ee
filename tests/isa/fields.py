#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every field of every vector instruction, to text and back, against llvm-mc.

    fields.py --execz PATH --tables DIR [--target T ...] [--family F ...] [--wave 64] [--true16] [--share N | --full] [--examples N]

DIR holds TARGET.tsv with the words of an example of each opcode (column words). From each example come words with one
bit changed, words with other sources, and its SDWA and DPP forms. What llvm-mc prints for a word execz must print; what llvm-mc
assembles from that text execz must assemble; what it cannot decode execz must not decode. Where llvm-mc contradicts itself
(judge.py) differences are counted by kind. Exit status: 0 all equal, 1 differences, 77 no tables or no llvm-mc (skipped)."""

import argparse
import collections
import os
import random
import shutil
import sys

import judge
from judge import fields_of, peer

FAMILIES = "VOP1 VOP2 VOPC VOP3 VOP3SD VOP3P VOP3PX VOP3PX2 VOP3PX2_16 VOPDX VOPDY VOPD3X VOPD3Y VINTRP VINTERP".split()
SOURCES = [4, 7, 106, 107, 124, 125, 126, 127, 128, 150, 193, 208, 240, 243, 248, 235, 251, 253, 254, 230, 256, 383, 511]
LITERALS = [0x1234, 1, 0xFFFFFFFF, 0x3F800000, 0x3C00, 0xFFFF8000, 0x40100000, 0x12345678]
SDWA, DPP16, DPP8, LITERAL = 0xF9, 0xFA, 0xE9, 0xFF
SDWA_WORDS = [0x05060500, 0x00000000, 0x04051400, 0x1B0B0003, 0x26B60603, 0x05868501]
DPP16_WORDS = [0xFF00E401, 0xFF010108, 0x35F94202, 0x5AF15F03]
DPP8_WORDS = [0xFAC68801, 0x05397703]


def flips(words):
    for at in range(32 * len(words)):
        yield [w ^ (1 << at % 32 if i == at // 32 else 0) for i, w in enumerate(words)]


def with_src0(words, wide, code):
    if wide:
        return [words[0], words[1] & ~0x1FF | code, *words[2:]]
    return [words[0] & ~0x1FF | code, *words[1:]]


def with_src1(words, code):
    return [words[0], words[1] & ~(0x1FF << 9) | code << 9, *words[2:]]


def cases_of(row, gen):
    """Words around one example. Those on which llvm-mc is known to die are left out: a literal where VOP3 takes none or
    beside DPP, a selection that SDWA does not have."""
    family, words = row["encoding"], [int(w, 16) for w in row["words"].split()]
    wide = family.startswith("VOP3") and family not in ("VOP3PX", "VOP3PX2", "VOP3PX2_16")
    yield words
    yield from flips(words)
    if family in ("VOP1", "VOP2", "VOPC") and len(words) == 1:
        for code in SOURCES:
            yield with_src0(words, False, code)
        for literal in LITERALS:
            yield with_src0(words, False, LITERAL) + [literal]
        forms = [(DPP16, DPP16_WORDS)] + ([(SDWA, SDWA_WORDS)] if gen <= 10 else []) + ([(DPP8, DPP8_WORDS)] if gen >= 10 else [])
        for code, extensions in forms:
            for e in extensions:
                yield with_src0(words, False, code) + [e]
            base = with_src0(words, False, code)
            for w in flips([extensions[0]]):
                sels = [w[0] >> s & 7 for s in (8, 16, 24)]
                if code != SDWA or 7 not in sels:
                    yield base + w
    if wide and len(words) == 2:
        for code in SOURCES:
            yield with_src0(words, True, code)
            yield with_src1(words, code)
        if gen >= 10 and "imm|lit" in row["operands"]:
            for literal in LITERALS:
                yield with_src0(words, True, LITERAL) + [literal]
                yield with_src1(words, LITERAL) + [literal]
        if gen >= 11 and family != "VOP3P":
            for code, extensions in ((DPP16, DPP16_WORDS), (DPP8, DPP8_WORDS)):
                for e in extensions:
                    yield with_src0(words, True, code) + [e]
                    yield with_src1(with_src0(words, True, code), 4) + [e]


def crashes(words, gen):
    """Whether llvm-mc is known to die of these words."""
    if words[0] >> 26 in (0x34, 0x35, 0x33) and len(words) > 1:
        sources = [words[1] >> s & 0x1FF for s in (0, 9, 18)]
        if LITERAL in sources and (gen <= 9 or len(words) == 2):
            return True
    return words[0] & 0x1FF == LITERAL and len(words) == 1


def read_rows(path, families):
    with open(path) as table:
        names = table.readline().rstrip("\n").split("\t")
        rows = [dict(zip(names, line.rstrip("\n").split("\t"))) for line in table]
    return [r for r in rows if r["encoding"] in families]


class Report:
    def __init__(self, examples):
        self.examples, self.counts, self.known, self.checks = examples, collections.Counter(), collections.Counter(), 0

    def fail(self, kind, family, case, expected, got):
        self.counts[family, kind] += 1
        if self.counts[family, kind] <= self.examples:
            print("  %s %s  %s\n    expected %s\n    execz    %s" % (family, kind, case, expected, got))


def one_target(o, report, target):
    gen = fields_of.generation(target)
    rng, cases = random.Random(sum(target.encode())), {}
    for row in read_rows(os.path.join(o.tables, target + ".tsv"), o.family or FAMILIES):
        for i, words in enumerate(cases_of(row, gen)):
            code = b"".join(w.to_bytes(4, "little") for w in words)
            if (o.full or (i == 0 and o.share >= 5) or rng.random() < o.share / 100) and not crashes(words, gen):
                cases.setdefault(code, row["encoding"])
    attr = ",".join((["+real-true16"] if o.true16 else []) + (["+wavefrontsize64", "-wavefrontsize32"] if o.wave == "64" else []))
    options = ["--wave", o.wave] if o.wave else []
    codes = list(cases)
    texts, undecoded = {}, []
    expected = peer.llvm_dis(target, codes, attr)
    got = peer.execz_dis(o.execz, target, codes, o.true16, options)
    for code, want, have in zip(codes, expected, got):
        report.checks += 1
        if want.text() is None:
            continue  # llvm-mc crashes
        first, said = judge.plain(want.text()), have.text() or have.comment
        known = judge.known_text(target, code, first, said, o.true16)
        if not any(t.startswith(("v_", "exp", "lds_", "ds_param", "ds_direct")) for t in (first, said)):
            continue  # a changed bit made it an instruction of another family
        if said == first:
            if not first.startswith(".long"):
                texts.setdefault(first, cases[code])
        elif known:
            report.known[known] += 1
        elif said.startswith(".long"):
            undecoded.append((code, want.text(), said))
        else:
            report.fail("decodes" if first.startswith(".long") else "text", cases[code], code.hex(), first, said)
    refused = judge.refused(target, [u[1] for u in undecoded], attr)
    for code, first, said in undecoded:
        if first in refused:
            report.known[judge.OWN_REFUSAL] += 1
        else:
            report.fail("does not decode", cases[code], code.hex(), first, said)
    for line, want, have in judge.assemble(target, texts, attr, o.execz, options, o.true16):
        report.checks += 1
        judge.count_assembled(report, target, texts[line], line, want, have)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--execz", required=True)
    p.add_argument("--tables", required=True)
    p.add_argument("--target", nargs="*")
    p.add_argument("--family", nargs="*", help="encodings such as VOP3P")
    p.add_argument("--wave", choices=["32", "64"])
    p.add_argument("--true16", action="store_true")
    p.add_argument("--share", type=float, default=20, help="percent of the words")
    p.add_argument("--full", action="store_true", help="all words")
    p.add_argument("--examples", type=int, default=3, help="differences shown of each family and kind")
    o = p.parse_args()
    if not os.path.isdir(o.tables) or not shutil.which(peer.LLVM_MC):
        print("skipped: no tables at %s, or no %s" % (o.tables, peer.LLVM_MC))
        return 77
    have = sorted(n[:-4] for n in os.listdir(o.tables) if n.startswith("gfx") and n.endswith(".tsv"))
    failed = 0
    for target in o.target or have:
        report = Report(o.examples)
        one_target(o, report, target)
        failed += sum(report.counts.values())
        print("%s: %d checks, %d differences %s%s" % (target, report.checks, sum(report.counts.values()),
              "; ".join("%s %s: %d" % (*k, n) for k, n in report.counts.most_common()),
              "".join("; llvm-mc %s: %d" % k for k in sorted(report.known.items()))), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
