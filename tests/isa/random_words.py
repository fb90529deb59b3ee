#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random words of every encoding, to text and back, against llvm-mc.

    random_words.py --execz PATH [--target T ...] [--valid N] [--invalid N] [--wave 64] [--seed N] [--examples N]

llvm-mc alone says which words are instructions: words with the top bits of each encoding and random bits below are drawn, and
those that it decodes are changed further, so that every instruction it knows has its share. Of N valid words a target
execz must print llvm-mc's text, and take as many bytes; what is no instruction is `.long`. Each text is then assembled by
both: the same bytes, or a refusal by both. Words that llvm-mc itself does not assemble back to the same bytes are counted by
kind: which bits it does not keep, or why it refuses. So are differences where llvm-mc contradicts itself (judge.py). Not
compared: words on which it dies.
Exit status: 0 all equal, 1 differences, 77 no llvm-mc (skipped)."""

import argparse
import collections
import random
import re
import shutil
import sys

import judge
from judge import fields_of, peer

TARGETS = "gfx803 gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1010 gfx1030 gfx1100 gfx1150 gfx1200 gfx1250".split()

# The top bits of the encodings of all generations; where a generation has none of them its words are invalid.
# Source: "Microcode Formats" of the ISA guides.
ENCODINGS = {
    "0": "VOP2", "0111110": "VOPC", "0111111": "VOP1", "10": "SOP2", "1011": "SOPK", "101111101": "SOP1", "101111110": "SOPC",
    "101111111": "SOPP", "110000": "SMEM", "110001": "EXP or VBUFFER", "110010": "VINTRP or VOPD", "110011": "VOP3P",
    "11001101": "VINTERP", "11001110": "LDSDIR", "11001111": "VOPD3", "110100": "VOP3 or VIMAGE", "110100111": "VOP3P",
    "1101001110101100": "VOP3PX", "110101": "VINTRP or VOP3", "110110": "DS", "110111": "FLAT", "111000": "MUBUF",
    "111001": "VSAMPLE", "111010": "MTBUF", "11101100": "VFLAT", "11101101": "VSCRATCH", "11101110": "VGLOBAL",
    "111100": "MIMG", "111101": "SMEM", "111110": "EXP"}
BATCH = 2000
DWORDS = 5  # none is longer; a dword of zeros follows, so that no literal is cut off


def encoding_of(code):
    top = format(int.from_bytes(code[:4], "little"), "032b")
    return ENCODINGS[max((p for p in ENCODINGS if top.startswith(p)), key=len, default="0")]


def dwords_of(code):
    return [int.from_bytes(code[i:i + 4], "little") for i in range(0, len(code), 4)]


def to_code(dwords):
    return b"".join(w.to_bytes(4, "little") for w in dwords)


def known_crash(target, dwords):
    """Words on which llvm-mc is known to die: a literal in VOP3 where that takes none."""
    if fields_of.generation(target) > 9 or dwords[0] >> 26 != 0x34:
        return False
    return any(dwords[1] >> s & 0x1FF == 0xFF for s in (0, 9, 18))


class Generator:
    """Words by llvm-mc's judgement: `valid` has {code: text}, codes cut to their size; `invalid` whole ones."""

    def __init__(self, target, attr, seed):
        self.target, self.attr = target, attr
        self.rng = random.Random("%s %s" % (target, seed))
        self.valid, self.invalid, self.crashed, self.remarked = {}, {}, [], set()
        self.by_name = collections.defaultdict(list)

    def sparse(self):
        """A dword in which a half, a quarter, ... of the bits are set: reserved bits must be 0 often enough."""
        word = self.rng.getrandbits(32)
        for _ in range(self.rng.randrange(4)):
            word &= self.rng.getrandbits(32)
        return word

    def fresh(self):
        top = self.rng.choice(list(ENCODINGS))
        low = 32 - len(top)
        return [int(top, 2) << low | self.sparse() & ((1 << low) - 1)] + [self.sparse() for _ in range(DWORDS - 1)]

    def changed(self):
        """One of a random instruction's words with some bits flipped, or a dword drawn anew."""
        dwords = dwords_of(self.rng.choice(self.by_name[self.rng.choice(self.names)]))
        if len(dwords) > 1 and self.rng.random() < 0.3:
            dwords[self.rng.randrange(1, len(dwords))] = self.sparse()
        for _ in range(self.rng.randint(1, 5)):
            bit = self.rng.randrange(32 * len(dwords))
            dwords[bit // 32] ^= 1 << bit % 32
        return dwords + [self.sparse() for _ in range(DWORDS - len(dwords))]

    def judge(self, draw, count):
        cases = [draw() for _ in range(count)]
        dead = [c for c in cases if known_crash(self.target, c)]
        self.crashed += [to_code(c) for c in dead]
        codes = [to_code(c[:2] + [0] * 3 if fields_of.generation(self.target) < 10 and c[0] >> 16 != 0xD3AC else c) + bytes(4)
                 for c in cases if not known_crash(self.target, c)]
        for code, answer in zip(codes, peer.llvm_dis(self.target, codes, self.attr)):
            text = answer.text()
            if text is None:
                self.crashed.append(code)
            elif text.startswith(".long"):
                self.invalid[code] = text
            else:
                code = code[:answer.size()]
                if code not in self.valid:
                    self.by_name[text.split()[0]].append(code)
                self.valid[code] = judge.plain(text)
                if judge.remarked(text):
                    self.remarked.add(code)

    def run(self, valid, invalid):
        """Half of the words by encoding, half by instruction."""
        while len(self.valid) < valid / 2:
            self.judge(self.fresh, min(BATCH, valid))
        while len(self.valid) < valid or len(self.invalid) < invalid:
            self.names = list(self.by_name)
            self.judge(self.changed, min(BATCH, valid))
        return self


def ranges(bits):
    """The set bits as in a manual: 7:5 2."""
    runs, end = [], None
    for at in range(bits.bit_length(), -1, -1):
        here = bits >> at & 1
        if here and end is None:
            end = at
        if end is not None and not bits >> at - 1 & 1 if at else here:
            runs.append("%d:%d" % (end, at) if end > at else str(at))
            end = None
    return " ".join(runs)


class Report:
    def __init__(self, examples):
        self.examples, self.counts, self.kinds, self.checks = examples, collections.Counter(), collections.Counter(), 0
        self.known = collections.Counter()  # where llvm-mc contradicts itself
        self.lost = collections.Counter()  # encoding: the bits that llvm-mc does not keep

    def not_canonical(self, code, want):
        """Counts a word that llvm-mc's text does not give back."""
        family = encoding_of(code)
        if want.bytes is None:
            self.kinds[family, "refused: " + re.sub(r"'[^']*'|\d+", "_", want.message)] += 1
        elif len(want.bytes) != len(code):
            self.kinds[family, "%d bytes for %d" % (len(want.bytes), len(code))] += 1
        else:
            self.kinds[family, "other bits"] += 1
            self.lost[family] |= int.from_bytes(code, "little") ^ int.from_bytes(want.bytes, "little")

    def fail(self, kind, code, case, expected, got):
        family = encoding_of(code)
        self.counts[family, kind] += 1
        if self.counts[family, kind] <= self.examples:
            print("  %s %s  %s\n    expected %s\n    execz    %s" % (family, kind, case, expected, got))

    def differences(self):
        return sum(self.counts.values())


def check_text(o, report, target, words, attr, options):
    """{text: code} of the words on which both agree."""
    cases = {**words.valid, **words.invalid, **{c: None for c in words.crashed}}
    texts, undecoded = {}, []
    for (code, want), have in zip(cases.items(), peer.execz_dis(o.execz, target, list(cases), options=options)):
        said = have.text() or have.comment
        report.checks += 1
        if want is None:  # llvm-mc dies: any answer will do
            if not have.insts:
                report.fail("dies", code, code.hex(), "an answer", said)
        elif code in words.valid and len(have.insts) != 1 and not said.startswith(".long"):
            report.fail("size", code, code.hex(), want, " / ".join(t for t, _ in have.insts))
        elif said == want:
            if code in words.valid:
                texts.setdefault(want, code)
        elif judge.known_text(target, code, want, said):
            report.known[judge.known_text(target, code, want, said)] += 1
        elif said.startswith(".long"):
            undecoded.append((code, want, said))
        else:
            report.fail("decodes" if want.startswith(".long") else "text", code, code.hex(), want, said)
    refused = judge.refused(target, [want for code, want, _ in undecoded if code not in words.remarked], attr)
    for code, want, said in undecoded:
        if code in words.remarked:
            report.known["remarks that a register is invalid"] += 1
        elif want in refused:
            report.known[judge.OWN_REFUSAL] += 1
        else:
            report.fail("does not decode", code, code.hex(), want, said)
    return texts


def check_bytes(o, report, target, attr, texts, options):
    for line, want, have in judge.assemble(target, texts, attr, o.execz, options):
        code = texts[line]
        report.checks += 1
        if want.message == "llvm-mc crashed":
            continue
        if want.bytes != code:
            report.not_canonical(code, want)
        judge.count_assembled(report, target, code, line, want, have)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--execz", required=True)
    p.add_argument("--target", nargs="*", default=TARGETS)
    p.add_argument("--valid", type=int, default=20000)
    p.add_argument("--invalid", type=int, default=2000)
    p.add_argument("--wave", choices=["64"])
    p.add_argument("--seed", default="1")
    p.add_argument("--examples", type=int, default=3, help="differences shown of each encoding and kind")
    o = p.parse_args()
    if not shutil.which(peer.LLVM_MC):
        print("skipped: no", peer.LLVM_MC)
        return 77
    failed = 0
    for target in o.target:
        wide = o.wave and fields_of.generation(target) >= 10
        attr, options = ("+wavefrontsize64,-wavefrontsize32", ["--wave", "64"]) if wide else ("", [])
        report = Report(o.examples)
        words = Generator(target, attr, o.seed).run(o.valid, o.invalid)
        texts = check_text(o, report, target, words, attr, options)
        check_bytes(o, report, target, attr, texts, options)
        failed += report.differences()
        for (family, kind), n in sorted(report.kinds.items()):
            print("  %5d %s: %s" % (n, family, kind + (" " + ranges(report.lost[family]) if kind == "other bits" else "")))
        print("%s: %d words of %d instructions, %d that are none, %d on which llvm-mc dies; %d checks, %d differences %s" % (
            target, len(words.valid), len(words.by_name), len(words.invalid), len(words.crashed), report.checks,
            report.differences(), "; ".join("%s %s: %d" % (*k, n) for k, n in report.counts.most_common()) +
            "".join("; llvm-mc %s: %d" % k for k in sorted(report.known.items()))), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
