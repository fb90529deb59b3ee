# SPDX-License-Identifier: Apache-2.0
"""Runs the two judges on batches: llvm-mc, the reference, and execz, the command under test.

Every function takes a list of cases and returns one answer per case, in order. An answer says
what the tool did with that case alone, whatever its neighbours did."""

import os
import re
import subprocess
from dataclasses import dataclass, field

LLVM_MC = os.environ.get("LLVM_MC", "llvm-mc-22")

# An error or warning of either tool: "<stdin>:LINE:COL: error: MESSAGE".
DIAGNOSTIC = re.compile(rb"^[^\n:]*:(\d+):(\d+): (error|warning|note): ([^\n]*)", re.M)


@dataclass
class Asm:
    """What assembling one line gave: bytes, or the column (from 1) and message of the error."""
    bytes: bytes = None
    text: str = None  # what llvm-mc prints for the line; execz does not say
    column: int = 0
    message: str = None
    quoted: bool = False  # the message is followed by the line and a caret at the column


@dataclass
class Dis:
    """What disassembling one run of bytes gave: [(text, size in bytes)]; `.long` where undecodable."""
    insts: list = field(default_factory=list)
    comment: str = ""  # llvm-mc's warning, for example about ignored bits

    def text(self):
        return self.insts[0][0] if self.insts else None

    def size(self):
        return self.insts[0][1] if self.insts else 0


class ToolCrash(Exception):
    """The tool died from a signal or printed something that cannot be matched to the cases."""


# llvm-mc is quicker to die without its crash report.
QUIET = {**os.environ, "LLVM_DISABLE_CRASH_REPORT": "1", "LLVM_DISABLE_SYMBOLIZATION": "1"}


def run(command, text):
    p = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=QUIET)
    return p.returncode, p.stdout, p.stderr


BATCH = 3000  # cases of one run: a crash costs but that many others a second run


def bisect(cases, one_batch, crashed):
    """one_batch(cases) in parts, halving a part when the tool crashes, down to the guilty case."""
    if not cases:
        return []
    if len(cases) > BATCH:
        return [a for i in range(0, len(cases), BATCH) for a in bisect(cases[i:i + BATCH], one_batch, crashed)]
    try:
        return one_batch(cases)
    except ToolCrash:
        if len(cases) == 1:
            return [crashed(cases[0])]
        half = len(cases) // 2
        return bisect(cases[:half], one_batch, crashed) + bisect(cases[half:], one_batch, crashed)


def plain(text):
    """llvm-mc's text as execz prints it: no leading tab, one space after the mnemonic."""
    return " ".join(text.split())


def llvm_command(target, attr, *more):
    command = [LLVM_MC, "-triple=amdgcn", "-mcpu=" + target, *more]
    return command + (["-mattr=" + attr] if attr else [])


# ---- assembling ---------------------------------------------------------------------------------

ENCODING = re.compile(r"encoding: \[([^\]]*)\]")


# After these errors llvm-mc prints the instruction nevertheless.
PRINTED_ANYWAY = re.compile(r"(nv|scale_offset) is not supported on this GPU")


def byte_of(text):
    """A byte of an encoding as llvm-mc prints it; bits that a fixup fills in are letters: A, 0x80'A', 0bAAAAAA00."""
    text = text.split("'")[0]
    return int(re.sub("[A-Z]", "0", text), 2) if text.startswith("0b") else int(text, 16) if text.startswith("0x") else 0


def llvm_asm(target, lines, attr=""):
    def batch(lines):
        code, out, err = run(llvm_command(target, attr, "-show-encoding"), "\n".join(lines) + "\n")
        if code not in (0, 1):
            raise ToolCrash
        answers = [Asm() for _ in lines]
        for m in DIAGNOSTIC.finditer(err):
            a = answers[int(m.group(1)) - 1]
            if m.group(3) == b"error" and a.message is None:
                a.column, a.message = int(m.group(2)), m.group(4).decode()
        printed = [a for a in answers if a.message is None or PRINTED_ANYWAY.match(a.message)]
        texts = [t for t in out.decode().splitlines() if ENCODING.search(t)]
        if len(texts) != len(printed):
            raise ToolCrash
        for a, t in zip(printed, texts):
            if a.message is not None:
                continue
            a.bytes = bytes(byte_of(b) for b in ENCODING.search(t).group(1).split(","))
            a.text = plain(re.split(r"[;/]+ encoding", t)[0])
        return answers

    return bisect(lines, batch, lambda _: Asm(message="llvm-mc crashed"))


def statement(line):
    """Whether a line is more than blanks and comments."""
    return re.sub(r"//.*|;.*|/\*.*?\*/", "", line).strip() != ""


def execz_asm(execz, target, lines, true16=False, options=()):
    def batch(lines):
        command = [execz, "asm", "-t", target, "--hex"] + (["--true16"] if true16 else []) + list(options)
        code, out, err = run(command, "\n".join(lines) + "\n")
        if code not in (0, 1):
            raise ToolCrash
        answers = [Asm() for _ in lines]
        said = err.split(b"\n")
        for i, text in enumerate(said):
            m = DIAGNOSTIC.match(text)
            if not m or m.group(3) != b"error":
                continue
            n, column = int(m.group(1)) - 1, int(m.group(2))
            if not 0 <= n < len(lines):
                raise ToolCrash
            if answers[n].message is None:
                quote, caret = (said[i + 1:i + 3] + [b"", b""])[:2]
                answers[n] = Asm(column=column, message=m.group(4).decode("utf-8", "replace"),
                                 quoted=quote == lines[n].encode() and caret.rstrip().endswith(b"^") and
                                 len(caret.rstrip()) == column)
        good = [a for a in answers if a.message is None]
        words = out.decode().split()
        if len(words) != sum(1 for a, l in zip(answers, lines) if a.message is None and statement(l)):
            raise ToolCrash
        if code != (len(good) != len(lines)):
            raise ToolCrash
        words = iter(words)
        for a, l in zip(answers, lines):
            if a.message is None and statement(l):
                a.bytes = bytes.fromhex(next(words))
        return answers

    return bisect(lines, batch, lambda _: Asm(message="it died, or its output does not match its input"))


# ---- disassembling ------------------------------------------------------------------------------

MARK = 0xBF800000  # s_nop N: stands before each case, so that output lines find their case


def mark(n):
    return (MARK | n & 0xFFFF).to_bytes(4, "little")


def is_mark(text, n):
    m = re.fullmatch(r"s_nop (\S+)", text)
    return m is not None and int(m.group(1), 0) == n & 0xFFFF


def llvm_dis(target, cases, attr=""):
    """cases: byte strings. An undecodable first word comes out as `.long`, as execz prints it; what
    follows it is not decoded (llvm-mc gives up on the rest of a bracketed line)."""
    def batch(cases):
        text = "\n".join("[" + ",".join("0x%02x" % b for b in c) + "]" for c in cases) + "\n"
        code, out, err = run(llvm_command(target, attr, "-disassemble", "-show-encoding"), text)
        if code not in (0, 1):
            raise ToolCrash
        answers, holes = [Dis() for _ in cases], {}
        for m in DIAGNOSTIC.finditer(err):
            n, column, message = int(m.group(1)) - 1, int(m.group(2)), m.group(4).decode()
            if message.startswith("invalid instruction encoding"):
                holes[n] = (column - 2) // 5
            else:
                answers[n].comment = message
        lines = iter(t for t in out.decode().splitlines() if ENCODING.search(t))
        for n, (c, d) in enumerate(zip(cases, answers)):
            at = 0
            while at < len(c):
                if holes.get(n) == at:
                    d.insts.append((".long 0x%x" % int.from_bytes(c[at:at + 4], "little"), 4))
                    break
                t = next(lines, None)
                if t is None:
                    raise ToolCrash
                size = len(ENCODING.search(t).group(1).split(","))
                d.insts.append((plain(re.split(r"[;/]+ encoding", t)[0]), size))
                at += size
        if next(lines, None) is not None:
            raise ToolCrash
        return answers

    return bisect(cases, batch, lambda c: Dis(comment="llvm-mc crashed"))


def execz_dis(execz, target, cases, true16=False, options=()):
    """A marker line before each case tells which output lines belong to it."""
    def batch(cases):
        command = [execz, "dis", "-t", target, "--hex"] + (["--true16"] if true16 else []) + list(options)
        source = [mark(n).hex() + "\n" + c.hex() for n, c in enumerate(cases)] + [mark(len(cases)).hex()]
        code, out, err = run(command, "\n".join(source) + "\n")
        if code not in (0, 1):
            raise ToolCrash
        answers, n = [], 0
        for text in out.decode("utf-8", "replace").splitlines():
            if is_mark(text, n) and (n == 0 or answers[-1].insts):
                answers.append(Dis())
                n += 1
            elif not answers:
                raise ToolCrash
            else:
                answers[-1].insts.append((text, 0))
        if n != len(cases) + 1 or answers.pop().insts:
            raise ToolCrash
        return answers

    return bisect(cases, batch, lambda _: Dis(comment="it died, or its output does not match its input"))
