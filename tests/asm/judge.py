# SPDX-License-Identifier: Apache-2.0
"""execz asm against llvm-mc and ld.lld: files of assembly text to objects, compared part by part."""
import os
import re
import struct
import subprocess
import sys
import tempfile

MC, LLD, READELF, CLANG = "llvm-mc-22", "ld.lld-22", "llvm-readelf-22", "clang-22"


def run(command, text=None):
    """(status, output, messages); llvm-mc 22 does not come back from some files."""
    try:
        r = subprocess.run(command, input=text, capture_output=True, timeout=10)
    except subprocess.TimeoutExpired:
        return -1, b"", command[0] + " does not come to an end"
    return r.returncode, r.stdout, r.stderr.decode(errors="replace")


class Elf:
    """As much of an ELF64 file as is compared: sections with content, symbols, relocations, flags."""

    def __init__(self, path):
        b = self.bytes = open(path, "rb").read()
        self.type, = struct.unpack_from("<H", b, 16)
        self.flags, = struct.unpack_from("<I", b, 48)
        self.abi = b[8]
        shoff, = struct.unpack_from("<Q", b, 40)
        shnum, shstr = struct.unpack_from("<HH", b, 60)
        raw = [struct.unpack_from("<IIQQQQIIQQ", b, shoff + 64 * i) for i in range(shnum)]
        self.sections = []
        for s in raw:
            name = self.string(raw[shstr][4] + s[0])
            data = b"" if s[1] in (0, 8) else b[s[4]:s[4] + s[5]]
            self.sections.append(dict(name=name, type=s[1], flags=s[2], address=s[3], size=s[5], link=s[6],
                                      info=s[7], align=s[8], data=data, offset=s[4]))
        self.segments = []
        phoff, = struct.unpack_from("<Q", b, 32)
        phnum, = struct.unpack_from("<H", b, 56)
        for i in range(phnum):
            self.segments.append(struct.unpack_from("<IIQQQQQQ", b, phoff + 56 * i))

    def string(self, at):
        return self.bytes[at:self.bytes.index(b"\0", at)].decode()

    def section_name(self, index):
        special = {0: "UND", 0xfff1: "ABS", 0xfff2: "COM", 0xff00: "LDS"}
        return special[index] if index in special else self.sections[index]["name"]

    def symbols(self, table=2):
        out = []
        for s in self.sections:
            if s["type"] != table:
                continue
            strings = self.sections[s["link"]]["offset"]
            for at in range(24, len(s["data"]), 24):
                name, info, other, index, value, size = struct.unpack_from("<IBBHQQ", s["data"], at)
                text = self.string(strings + name)
                if info & 15 == 3:
                    text = "section " + self.section_name(index)
                out.append((text, value, size, info >> 4, info & 15, other, self.section_name(index)))
        return out

    def relocations(self):
        out = []
        for s in self.sections:
            if s["type"] != 4:
                continue
            table = self.symbols(self.sections[s["link"]]["type"])
            for at in range(0, len(s["data"]), 24):
                offset, info, addend = struct.unpack_from("<QQq", s["data"], at)
                symbol = table[(info >> 32) - 1][0] if info >> 32 else ""
                out.append((s["name"], offset, info & 0xffffffff, symbol, addend))
        return out


# What is a linker's own, or says nothing about the code.
IGNORED = {".llvm_addrsig", ".comment", ".strtab", ".shstrtab", ".symtab", ""}


def compare(peer, ours):
    """The differences of two ELF files, as lines of text."""
    found = []
    for what in ("type", "flags", "abi"):
        a, b = getattr(peer, what), getattr(ours, what)
        if a != b:
            found.append(f"{what}: {a:#x}, execz {b:#x}")
    a = [s for s in peer.sections if s["name"] not in IGNORED]
    b = [s for s in ours.sections if s["name"] not in IGNORED]
    if [s["name"] for s in a] != [s["name"] for s in b]:
        found.append(f"sections: {[s['name'] for s in a]}, execz {[s['name'] for s in b]}")
    theirs = {s["name"]: s for s in a}
    for s in b:
        t = theirs.get(s["name"])
        if not t:
            continue
        for what in ("type", "flags", "address", "size", "align"):
            if t[what] != s[what]:
                found.append(f"{s['name']} {what}: {t[what]:#x}, execz {s[what]:#x}")
        # the order of strings differs in tables of section and symbol names
        if t["type"] not in (4, 11) and t["data"] != s["data"]:
            n = next((i for i in range(min(len(t["data"]), len(s["data"]))) if t["data"][i] != s["data"][i]),
                     min(len(t["data"]), len(s["data"])))
            found.append(f"{s['name']} content at {n:#x}: {t['data'][n & ~3:][:16].hex()}, execz "
                         f"{s['data'][n & ~3:][:16].hex()}")
    for what, x, y in (("symbol", peer.symbols(), ours.symbols()),
                       ("dynamic symbol", peer.symbols(11), ours.symbols(11)),
                       ("relocation", peer.relocations(), ours.relocations()),
                       ("segment", peer.segments, ours.segments)):
        if x != y:
            found += [f"{what} missing: {s}" for s in x if s not in y]
            found += [f"{what} of execz only: {s}" for s in y if s not in x]
            if sorted(map(str, x)) == sorted(map(str, y)):
                found.append(f"{what}s in another order")
    return found


class Judge:
    def __init__(self, execz, folder):
        self.execz, self.folder = execz, folder

    def path(self, name):
        return os.path.join(self.folder, name)

    def peer_object(self, target, source, version=None, options=()):
        """(path or None, messages) of llvm-mc."""
        out = self.path("peer.o")
        command = [MC, "-triple=amdgcn-amd-amdhsa", "-mcpu=" + target, "-filetype=obj", source, "-o", out]
        if version:
            command += [f"--amdhsa-code-object-version={version}"]
        code, _, err = run(command + list(options))
        return (None if code else out), err

    def peer_loadable(self, target, source, version=None):
        obj, err = self.peer_object(target, source, version)
        if not obj:
            return None, err
        out = self.path("peer.hsaco")
        code, _, err = run([LLD, "-shared", obj, "-o", out])
        return (None if code else out), err

    def ours(self, target, source, loadable, version=None, options=()):
        out = self.path("ours.hsaco" if loadable else "ours.o")
        command = [self.execz, "asm", "-t", target, "-o", out] + ([] if loadable else ["-c"])
        if version:
            command += ["--code-object", str(version)]
        code, _, err = run(command + list(options) + [source])
        return (None if code else out), err


def positions(messages, kinds="error"):
    """[(line, column)] of the errors in the messages of either."""
    return [(int(a), int(b)) for a, b in
            re.findall(r"^[^\n:]*:(\d+):(\d+): (?:%s):" % kinds, messages, re.M)]
