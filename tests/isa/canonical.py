#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One example of every instruction of every target, to text and back, against what llvm-mc 22 printed for it.

    canonical.py --execz PATH --tables DIR [--target T ...] [--family F ...] [--examples N]

DIR holds TARGET.tsv: a line for each opcode with its encoding family, the words of an example, llvm-mc's text and, in the last
column, whether that text assembles to the same words ("no_roundtrip" when not; such rows are only disassembled). Families are
encoding names such as SOP2 or VBUFFER; "scalar", "memory" and "vector" stand for groups. Exit status: 0 all equal,
1 differences, 77 no tables (skipped)."""

import argparse
import collections
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "minf16"))
import peer  # noqa: E402

GROUPS = {
    "scalar": "SOP1 SOP2 SOPC SOPK SOPP SMEM".split(),
    "memory": "DS VDS FLAT GLOBAL SCRATCH VFLAT VGLOBAL VSCRATCH MUBUF MTBUF VBUFFER MIMG VIMAGE VSAMPLE".split(),
    "vector": "VOP1 VOP2 VOPC VOP3 VOP3SD VOP3P VOP3PX VOP3PX2 VOP3PX2_16 VOPDX VOPDY VOPD3X VOPD3Y VINTRP VINTERP LDSDIR "
              "VDSDIR EXP VEXPORT".split(),
}


def read_rows(path, families):
    rows = []
    with open(path) as table:
        names = table.readline().rstrip("\n").split("\t")
        for line in table:
            row = dict(zip(names, line.rstrip("\n").split("\t")))
            if not families or row["encoding"] in families:
                row["bytes"] = b"".join(int(w, 16).to_bytes(4, "little") for w in row["words"].split())
                row["text"] = peer.plain(row["text"])
                rows.append(row)
    return rows


def compare(execz, target, rows):
    """[(family, kind, row, what execz said)]"""
    found = []
    for row, answer in zip(rows, peer.execz_dis(execz, target, [r["bytes"] for r in rows])):
        said = answer.comment or " / ".join(text for text, _ in answer.insts)
        if said != row["text"]:
            found.append((row["encoding"], "text", row, said))
    again = [r for r in rows if "no_roundtrip" not in r["notes"] and "decode_only" not in r["notes"]]
    for row, answer in zip(again, peer.execz_asm(execz, target, [r["text"] for r in again])):
        if answer.bytes != row["bytes"]:
            found.append((row["encoding"], "bytes", row, answer.bytes.hex() if answer.bytes else answer.message))
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--execz", required=True)
    p.add_argument("--tables", required=True)
    p.add_argument("--target", nargs="*")
    p.add_argument("--family", nargs="*", default=[])
    p.add_argument("--examples", type=int, default=3, help="differences shown for each target, family and kind")
    o = p.parse_args()
    if not os.path.isdir(o.tables):
        print("skipped: no tables at", o.tables)
        return 77
    families = {f for name in o.family for f in GROUPS.get(name, [name])}
    have = sorted(n[:-4] for n in os.listdir(o.tables) if n.startswith("gfx") and n.endswith(".tsv"))
    total, different = 0, 0
    for target in o.target or have:
        rows = read_rows(os.path.join(o.tables, target + ".tsv"), families)
        found = compare(o.execz, target, rows)
        counts = collections.Counter((family, kind) for family, kind, _, _ in found)
        total += len(rows)
        different += len(found)
        print("%s: %d rows, %d differences %s" % (target, len(rows), len(found),
              " ".join("%s:%s:%d" % (*k, n) for k, n in sorted(counts.items()))))
        shown = collections.Counter()
        for family, kind, row, said in found:
            shown[family, kind] += 1
            if shown[family, kind] <= o.examples:
                print("  %s %s  %s\n    expected %s\n    got      %s" %
                      (family, kind, row["bytes"].hex(), row["text"], said))
    print("%d rows, %d differences" % (total, different))
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
