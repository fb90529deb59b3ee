#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""v_min_f16's encodings and texts against llvm-mc, on every target that llvm-mc knows from GFX8 on.

    encodings.py --execz PATH [--target T ...] [--full] [--examples N]
    encodings.py --llvm-only [--target T ...]     what llvm-mc makes of the cases, without execz

Assembling: a line that llvm-mc takes must give the same bytes, a line that it refuses must be refused,
quoted, with a caret under the column, and if it has one fault, at the same column. Disassembling: the same text, and `.long`
for what llvm-mc cannot decode. Exit status: 0 all equal, 1 differences, 77 no llvm-mc (skipped)."""

import argparse
import collections
import os
import re
import shutil
import sys
import time

import forms
import peer
import words

# One target of each kind gets more of the lines than its siblings, which should behave the same.
LEADERS = ["gfx803", "gfx900", "gfx90a", "gfx1030", "gfx1100", "gfx1150", "gfx1200", "gfx1250"]
LEADER_STEP, SIBLING_STEP, SIBLING_WORD_STEP = 3, 30, 9

KINDS = {
    "accepted": "assembles what llvm-mc refuses",
    "refused": "refuses what llvm-mc assembles",
    "bytes": "assembles to other bytes",
    "column": "refuses at another column a line with one fault",
    "quote": "does not quote the line with a caret under the column",
    "text": "disassembles to other text",
    "decoded": "decodes what llvm-mc cannot",
    "undecoded": "cannot decode what llvm-mc can",
    "size": "takes another number of bytes",
    "crash": "died, or printed what does not match its input",
}


def targets():
    code, out, err = peer.run([peer.LLVM_MC, "-triple=amdgcn", "-mcpu=help"], "")
    names = re.findall(rb"^ *(gfx\S+) +- Select the", out + err, re.M)
    names = [n.decode() for n in dict.fromkeys(names)]
    return [n for n in names if words.generation(n) >= 8]


def tokens(line):
    return tuple(re.findall(r"[^\s,]+|,", line))


class OneFault:
    """Which refused lines are one token away from a line that the target takes. With several faults it is
    a matter of taste which one is reported."""

    def __init__(self, lines, answers):
        self.valid, self.masked = set(), set()
        for line, a in zip(lines, answers):
            if a.bytes:
                t = tokens(line)
                self.valid.add(t)
                self.masked.update(t[:i] + ("*",) + t[i + 1:] for i in range(len(t)))

    def __contains__(self, line):
        t = tokens(line)
        return any(t[:i] + ("*",) + t[i + 1:] in self.masked or t[:i] + t[i + 1:] in self.valid
                   for i in range(len(t)))


class Report:
    def __init__(self, examples):
        self.examples = examples
        self.elsewhere = 0
        self.count = collections.Counter()
        self.shown = collections.Counter()
        self.columns = collections.Counter()
        self.checks = 0

    def fail(self, kind, where, case, expected, got):
        self.count[kind] += 1
        self.shown[kind, where] += 1
        if self.shown[kind, where] <= self.examples:
            print("%s: %s\n  case:     %s\n  expected: %s\n  execz:    %s" % (where, KINDS[kind], case, expected, got))

    def column(self, where, line, want, have, one_fault):
        if line not in one_fault:
            self.elsewhere += 1
            return
        self.columns[re.sub(r"\S*\d\S*", "N", want.message)] += 1
        self.fail("column", where, line, "column %d: %s" % (want.column, want.message),
                  "column %d: %s" % (have.column, have.message))

    def summary(self):
        for message, n in self.columns.most_common():
            print("%7d  other columns where llvm-mc says: %s" % (n, message))
        for kind, n in self.count.most_common():
            print("%7d  %s" % (n, KINDS[kind]))
        print("%7d  (not counted: another column for a line with several faults)" % self.elsewhere)
        print("%d checks, %d differences" % (self.checks, sum(self.count.values())))


def select(lines, target, full):
    if full:
        return lines
    step = LEADER_STEP if target in LEADERS else SIBLING_STEP
    shift = sum(target.encode())
    always = re.compile(r"v_min_(num_)?f16 v5, [^-|,(]+, v2$")  # every source once on every target
    return [l for i, l in enumerate(lines) if (i + shift) % step == 0 or always.match(l)]


def check_asm(report, where, target, lines, expected, got):
    one_fault = OneFault(lines, expected)
    for line, want, have in zip(lines, expected, got):
        report.checks += 1
        if forms.better(line):
            continue
        if want.bytes and not line.startswith(".") and words.llvm_crashes(target, want.bytes):
            # llvm-mc forgets the literal of lit() where VOP3 takes none.
            if have.message is None or have.column == 0:
                report.fail("accepted", where, line, "an error: no literals here", str(have))
        elif have.message and have.column == 0:
            report.fail("crash", where, line, want.bytes.hex() if want.bytes else "an error", have.message)
        elif want.message is None and have.message is not None:
            # of a pair of VGPRs in a DPP form of gfx90a llvm-mc's own text says "Invalid register"
            if not forms.either(line) and "Invalid register" not in want.text:
                report.fail("refused", where, line, want.bytes.hex() + "  " + want.text,
                            "column %d: %s" % (have.column, have.message))
        elif want.message is None and want.bytes != have.bytes:
            report.fail("bytes", where, line, want.bytes.hex() + "  " + want.text, have.bytes.hex())
        elif want.message is not None and have.message is None:
            report.fail("accepted", where, line, "column %d: %s" % (want.column, want.message), have.bytes.hex())
        elif want.message is not None and want.column != have.column:
            report.column(where, line, want, have, one_fault)
        elif want.message is not None and not have.quoted:
            report.fail("quote", where, line, "the line, and ^ at column %d" % have.column, have.message)


def half_text(text):
    """llvm-mc's "v130/*Invalid register, ...*/" is how it prints v2.h where halves are not enabled."""
    return re.sub(r"v(\d+)/\*Invalid register[^*]*\*/", lambda m: "v%d.h" % (int(m.group(1)) - 128), text)


def check_dis(report, where, cases, expected, got, high):
    for case, want, have in zip(cases, expected, got):
        report.checks += 1
        first = half_text(want.text() or "(llvm-mc crashes)")
        allowed = {first} | high.get(case, set())
        if not have.insts:
            report.fail("crash", where, case.hex(), first, have.comment)
        elif have.text() not in allowed:
            undecoded = [t.startswith(".long") for t in (first, have.text())]
            kind = {(True, False): "decoded", (False, True): "undecoded"}.get(tuple(undecoded), "text")
            report.fail(kind, where, case.hex(), first, have.text())
        elif want.size() == len(case) and len(have.insts) != 1 and not first.startswith(".long"):
            report.fail("size", where, case.hex(), first, " ; ".join(t for t, _ in have.insts))


def high_destinations(target, attr, cases):
    """GFX12 without halves: llvm-mc does not decode a destination in the high half of a register. Either
    that is what execz says too, or it prints the half as it does for sources."""
    if words.generation(target) != 12 or attr:
        return {}
    op2 = words.OPCODES[12][0]
    highs = [c for c in cases if int.from_bytes(c[:4], "little") & 0xFF000000 == op2 | 0x01000000 and
             not words.llvm_crashes(target, c)]
    answers = peer.llvm_dis(target, highs, "+real-true16")
    return {c: {a.text().replace(".l", "")} for c, a in zip(highs, answers) if a.insts}


def expected_dis(target, attr, cases):
    """llvm-mc's answers, and `.long` for the words on which it is known to crash."""
    safe = [c for c in cases if not words.llvm_crashes(target, c)]
    answers = dict(zip(safe, peer.llvm_dis(target, safe, attr)))
    for c in cases:
        if c not in answers or not answers[c].insts:
            answers[c] = peer.Dis([(".long 0x%x" % int.from_bytes(c[:4], "little"), 4)])
    return [answers[c] for c in cases]


def one_target(args, report, target, lines, true16):
    attr = "+real-true16" if true16 else ""
    where = target + (" --true16" if true16 else "")
    chosen = select(lines, target, args.full)
    start = time.time()
    asm = peer.llvm_asm(target, chosen, attr)
    cases = words.cases(target, args.full)
    if target not in LEADERS and not args.full:
        cases = cases[len(target) % SIBLING_WORD_STEP::SIBLING_WORD_STEP]
    cases = list(dict.fromkeys(cases + [a.bytes for a in asm if a.bytes]))
    dis = expected_dis(target, attr, cases)

    # What is printed must assemble, where llvm-mc says so, to what llvm-mc says.
    known = set(chosen)
    texts = dict.fromkeys(half_text(d.text()) for d in dis)
    printed = [t for t in texts if t not in known and not t.startswith(".long")]
    printed = printed if args.full else printed[::7]
    printed_asm = peer.llvm_asm(target, printed, attr)
    data = [t for t in texts if t.startswith(".long")][::1 if args.full else 50]
    data_asm = [peer.Asm(bytes=int(t.split()[1], 0).to_bytes(4, "little"), text=t) for t in data]

    if args.execz:
        check_asm(report, where, target, chosen, asm, peer.execz_asm(args.execz, target, chosen, true16))
        check_dis(report, where, cases, dis, peer.execz_dis(args.execz, target, cases, true16),
                  high_destinations(target, attr, cases))
        check_asm(report, where, target, printed + data, printed_asm + data_asm,
                  peer.execz_asm(args.execz, target, printed + data, true16))
    crashes = [l for l, a in zip(chosen, asm) if a.message == "llvm-mc crashed"]
    if crashes:
        print("%s: llvm-mc crashes on %d lines, such as %s" % (where, len(crashes), crashes[0]))
    print("%-20s %6d lines (%d valid), %6d words (%d undecodable), %5d printed texts, %.1f s" % (
        where, len(chosen), sum(a.bytes is not None for a in asm), len(cases),
        sum(d.text().startswith(".long") for d in dis), len(printed), time.time() - start), flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--execz", help="the execz command to test")
    p.add_argument("--llvm-only", action="store_true", help="only show what llvm-mc makes of the cases")
    p.add_argument("--target", action="append", help="only this target (again for more)")
    p.add_argument("--full", action="store_true", help="every line and every field value, on every target")
    p.add_argument("--examples", type=int, default=5, help="differences shown of each kind and target")
    args = p.parse_args()
    if not args.execz and not args.llvm_only:
        p.error("--execz or --llvm-only is needed")
    if not shutil.which(peer.LLVM_MC):
        print("skipped: no %s (Debian package llvm-22; or set LLVM_MC)" % peer.LLVM_MC)
        return 1 if os.environ.get("CI") else 77
    known = targets()
    for t in args.target or []:
        if t not in known:
            p.error("llvm-mc does not know %s as a target from GFX8 on" % t)

    report, lines = Report(args.examples), forms.lines(args.full)
    for target in args.target or known:
        one_target(args, report, target, lines, False)
        if words.generation(target) == 12:
            one_target(args, report, target, lines, True)
    if args.execz:
        report.summary()
    return 1 if report.count else 0


if __name__ == "__main__":
    sys.exit(main())
