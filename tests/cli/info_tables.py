#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""execz info --list, --diff and NAME against tables of what llvm-mc 22 knows: TARGET.tsv, a line for each opcode.

    info_tables.py --execz PATH --tables FOLDER

Of each target the names, and of names with one opcode in an encoding that opcode; of targets that follow each other what
appeared, vanished and moved; of every name that its page can be printed. Exit status: 0 all as in the tables, 1 not, 77 no
tables."""
import argparse
import collections
import glob
import json
import os
import subprocess
import sys

# What llvm-mc 22 has and the tables lack: instructions without an example, and those that need -mattr=+real-true16.
BEYOND = {"image_bvh_intersect_ray", "image_bvh64_intersect_ray", "image_bvh8_intersect_ray",
          "image_bvh_dual_intersect_ray", "v_mov_b16", "v_swap_b16", "v_wmma_ld_scale_paired_b32",
          "v_wmma_ld_scale16_paired_b64"}
SUFFIXES = ("_e64_dpp", "_e32", "_e64", "_sdwa", "_dpp")


def plain(name):
    for s in SUFFIXES:
        if name.endswith(s):
            return name[:-len(s)]
    return name


def read(path):
    """name -> {(encoding, opcode)}"""
    found = collections.defaultdict(set)
    for n, line in enumerate(open(path, encoding="utf-8")):
        cells = line.rstrip("\n").split("\t")
        if n and len(cells) > 2 and cells[2] and not cells[2].startswith("."):
            for name in cells[2].split(" :: "):
                found[plain(name.split()[0])].add((cells[0], int(cells[1].split("/")[0], 0)))
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--execz", required=True)
    p.add_argument("--tables", required=True)
    a = p.parse_args()
    tables = {os.path.basename(f)[:-4]: read(f) for f in sorted(glob.glob(os.path.join(a.tables, "gfx*.tsv")))}
    if not tables:
        print("skipped: no tables in " + a.tables)
        return 77

    def info(*words):
        r = subprocess.run([a.execz, "info"] + list(words), capture_output=True, text=True)
        return r.stdout if r.returncode == 0 else None

    failures, opcodes, pages = [], 0, set()
    for target, table in tables.items():
        listed = json.loads(info("--list", "-t", target, "--json"))
        names = {r["name"] for r in listed}
        failures += [f"{target}: not listed: {n}" for n in sorted(set(table) - names)]
        failures += [f"{target}: llvm-mc has no {n}" for n in sorted(names - set(table) - BEYOND)]
        for r in listed:
            same = [o for e, o in table.get(r["name"], ()) if e == r["encoding"]]
            opcodes += len(same) == 1
            if len(same) == 1 and same[0] != r["opcode"]:
                failures.append(f"{target}: {r['name']} {r['encoding']} {r['opcode']}, llvm-mc {same[0]}")
        new = names - pages
        pages |= new
        failures += [f"{target}: no page of {n}" for n in sorted(new) if not info(n, "-t", target)]
    for old, now in zip(list(tables), list(tables)[1:]):
        diff = json.loads(info("--diff", old, now, "--json"))
        came = {r["to"]["name"] for r in diff["added"] + diff["renamed"]}
        went = {r["from"]["name"] for r in diff["removed"] + diff["renamed"]}
        moved = {r["to"]["name"] for r in diff["moved"] + diff["added"]}
        before, after = tables[old], tables[now]
        failures += [f"{old} to {now}: {n} is new" for n in sorted(set(after) - set(before) - came)]
        failures += [f"{old} to {now}: {n} is gone" for n in sorted(set(before) - set(after) - went - BEYOND)]
        failures += [f"{old} to {now}: {n} moved" for n in sorted(set(before) & set(after) - moved)
                     if {e for e, _ in before[n]} == {e for e, _ in after[n]} and len(before[n]) == 1
                     and before[n] != after[n]]
    for f in failures[:40]:
        print(f)
    print(f"{len(tables)} targets, {len(pages)} names, {opcodes} opcodes compared; {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
