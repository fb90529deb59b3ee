#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines that are wrong, or right on other GPUs only, against llvm-mc: both refuse them, at the same column.

    wrong.py --execz PATH --tables DIR [--target T ...] [--family F ...] [--kind K ...] [--count N] [--examples N]

From the examples that canonical.py reads. Kinds: `foreign`, the examples of all other targets as they are; and examples of the
target itself, damaged: an operand `missing`, an operand too many (`extra`), an operand of another `class`, a `number`, registers of
another `width`, a `modifier` that is none, a modifier written `twice`, an unknown `name`; those of MEMORY_DAMAGES; and of vector
instructions modifiers `added`, whatever the form. Of a
damaged kind N lines a target, always the same ones. Where llvm-mc takes a line, execz must give the same bytes. Exit status: 0 all
equal, 1 differences, 77 no tables or no llvm-mc (skipped).

Not compared, for llvm-mc 22 is not to be followed or its choice among its own encodings shows: see DELIBERATE."""

import argparse
import collections
import os
import random
import re
import shutil
import sys

import canonical
import peer

TARGETS = "gfx803 gfx900 gfx90a gfx942 gfx1010 gfx1030 gfx1100 gfx1200 gfx1250".split()
# Where execz is meant to differ, docs/assembler.md: what differs, in which lines, why.
DELIBERATE = [
    ("refuses", r"[vs]_.*\boff\b", "llvm-mc takes `off` for a symbol"),
    ("column", r"[vs]_.*\boff\b", "the same"),
    ("column", r"(v_(interp|dual)_|l?ds_param_load)", "of interpolation llvm-mc reads the attribute first, of halves without `::` any pair"),
    ("column", r"v_(\w*(mfma|wmma|swmmac)|fma_mix|cndmask_b16|cmpx?_class_f64|div_fmas_f64|sub\w*_u32)",
     "a DPP or VOP3 form of another GPU comes further in llvm-mc's table"),
    ("refuses", r"s_\w+ -?(\d+\.\d+|\d{5,}|0x\w{5,}|lit\(.*\))$", "llvm-mc takes any number, half of a double too, and drops what the field does not hold"),
    ("column", r"s_\w+ -?(\d+\.\d+|\d{5,}|0x\w{5,}|lit\(.*\))( .*)?$", "the same"),
    ("bytes", r"s_setreg_imm32_b32 .*, (-?\d+\.\d+|lit\(1\.0\))$", "llvm-mc writes the lower half of a double"),
    ("refuses", r"s_(setreg_imm32_b32|sendmsg_rtn_b\d+) .*, -?\w+$", "the same"),
    ("refuses", r"s_(buffer_)?prefetch\w* .*(\d\.\d|0x\w+|-?\d+|lit\(.*\))$", "llvm-mc takes any number as the length, and drops what the field does not hold"),
    ("column", r"s_prefetch\w*_pc_rel \S+, ", "llvm-mc points at the last operand"),
    ("column", r"s_(endpgm|wait|delay_alu|sendmsg|[gs]etreg|set_gpr_idx)\w* .*\[[vs]", "where a number may be, a bracket begins an expression"),
    ("refuses", r"s_delay_alu -\d+$", "llvm-mc takes a sign that the number cannot have"),
    ("refuses", r"s_get_barrier_state \S+, ", "llvm-mc takes a number for the register"),
    ("column", r"s_get_barrier_state \S+$", "the same"),
    ("refuses", r"s_atc_probe\w* ", "llvm-mc takes any number, and writes what is too much into other fields"),
    ("refuses", r"image_\w+ .*\bdmask:(?!0x[0-9a-f]\b|\d\b|1[0-5]\b)", "llvm-mc drops what is beyond the 4 bits of dmask"),
    ("column", r"image_\w+ .*\bdmask:(?!0x[0-9a-f]\b|\d\b|1[0-5]\b)", "the same"),
    ("refuses", r"(flat|global)_atomic\w+ .*th:TH_ATOMIC_(RT_|NT_)?RETURN", "llvm-mc returns the old value to v0 when no place is named"),
    ("refuses", r"(t?buffer|scratch)_\w+ .*\b(scc|src_\w+)\b", "llvm-mc cuts off the code of a register that soffset or saddr does not hold"),
    ("column", r"scratch_\w+ .*\b(scc|src_\w+)\b", "the same"),
    ("refuses", r"(buffer|flat|global)_atomic\w+ .*\b(dlc|scc)\b", "llvm-mc takes dlc and scc where it does not write them"),
    ("refuses", r"buffer_\w+ .*\bnotfe\b", "llvm-mc sets tfe"),
    ("refuses", r"scratch_\w+ .*\bnull\b", "on GFX10 llvm-mc writes null as an SGPR, which makes it a VGPR address"),
    ("refuses", r"v_s_\w+ s\d+, \[?v\d+\]?$", "llvm-mc takes a VGPR as the scalar source and says in the text that this is invalid"),
    ("accepts", r"v_wmma_bf16_\w+ .*, 0\.15915494$", "llvm-mc refuses what it prints"),
    ("refuses", r"v_pk_\w+ .*0x3ff0000000000000", "llvm-mc takes the double 1.0 for the inline constant 0"),
    ("column", r"v_\w+_e64 .*\blit\(", "see below: scalar values are counted without the literal"),
    ("refuses", r"v_.*\blit\(", "where there is no room for a literal llvm-mc writes the instruction without it"),
    ("column", r"v_\w+(_sdwa|_dpp) .*(mul:[13]|bound_ctrl:2)", "of a form that the GPU lacks llvm-mc tells these values first"),
    ("column", r"v_cmpx_\w+_e32 vcc, v\d+\.[lh]$", "llvm-mc knows no halves beside the result of other GPUs"),
    ("column", r"v_cmp\w+_e32 lit\(", "llvm-mc reads no lit() as the first operand"),
    ("column", r"v_cmpx?_class_f16|v_ldexp_f16_e64 ", "of numbers that do not fit llvm-mc says that another GPU takes them"),
    ("refuses", r"v_ldexp_f16_e64 ", "and drops a part of them on gfx1250"),
    ("refuses", r"v_perm_pk16_b4_u4 .*\d\.\d", "the same"),
    ("bytes", r"v_perm_pk16_b4_u4 .*, 0x3ff0000000000000$", "llvm-mc writes the lower half of a double"),
    ("bytes", r"[vs]_.*64.*\blit\((1\.0|-1)\)", "of 64 bits llvm-mc writes the upper half of a double, or half of a negative number, as the whole"),
]


def difference(want, have):
    return "bytes" if want.bytes and have.bytes else "accepts" if have.bytes else "refuses" if want.bytes else "column"


def deliberate(line, kind):
    return any(kind == k and re.match(pattern, line) for k, pattern, _ in DELIBERATE)


OPERANDS = ["v7", "[v7]", "[v[2:3]]", "[s6,s7]", "v[7:8]", "s6", "s[6:7]", "a3", "vcc", "vcc_lo", "1.0", "0x12345678", "off", "m0", "exec", "v[4:7]", "-1"]
NUMBERS = ("0xffff 0xfff0 0xffef 65535 0xffffffff 0xfffffff0 0xffffffffffffffff -1 -16 -17 64 65 0x3c00 0xbc00 0x3f80 0xbf80 0x3f800000 "
           "0x3118 0x3e22 0x3e22f983 0x3ff0000000000000 1.0 0.5 -4.0 1.5 0.15915494 65536 -32768 -32769 0x8000 -65536 -2147483648 0x80000000 "
           "4294967296 -2147483649 0x3c003c00 0x3f803f80 0x10001 lit(1) lit(1.0) lit(0xffff) lit(-1)").split()
MODIFIERS = ["foo", "foo:1", "clamp", "mul:2", "glc", "row_shl:1", "op_sel:[1,0]", "neg_lo:[1,0]", "offset:8", "dst_sel:DWORD"]


def split(line):
    """(name, operands, modifiers)"""
    name, _, rest = line.partition(" ")
    operands = re.split(r", (?![^\[(]*[\])])", rest) if rest else []
    last = re.split(r" (?![^\[(]*[\])])", operands.pop()) if operands else []
    return name, operands + last[:1], last[1:]


def join(name, operands, modifiers):
    return " ".join([name, ", ".join(operands), *modifiers]).replace("  ", " ").rstrip()


def damage(kind, line, rng):
    if kind in MEMORY_DAMAGES:
        return damage_memory(kind, line, rng)
    if kind == "added":
        name, operands, modifiers = split(line)
        name = re.sub(r"(_e64_dpp|_e32|_e64|_dpp|_sdwa)$", rng.choice(["", "", r"\1", "_dpp", "_sdwa", "_e64", "_e64_dpp"]), name)
        return join(name, operands, modifiers + rng.sample(VECTOR_MODIFIERS, rng.randrange(1, 4)))
    name, operands, modifiers = split(line)
    if kind == "name":
        return join(name.replace("_", "_x", 1), operands, modifiers)
    if kind == "modifier":
        return join(name, operands, modifiers + [rng.choice(MODIFIERS)])
    if kind == "twice":
        return join(name, operands, modifiers + [modifiers[-1]]) if modifiers else None
    if not operands:
        return None
    at = rng.randrange(len(operands))
    if kind == "missing":
        del operands[at]
    elif kind == "extra":
        operands.insert(at, operands[at])
    elif kind == "class":
        operands[at] = rng.choice(OPERANDS)
    elif kind == "number":
        operands[at] = rng.choice(NUMBERS)
    elif kind == "width":
        m = re.fullmatch(r"([vsa])\[(\d+):(\d+)\]", operands[at])
        if m:
            operands[at] = "%s[%s:%d]" % (m[1], m[2], int(m[3]) + 1)
        elif re.fullmatch(r"[vsa]\d+", operands[at]):
            n = int(operands[at][1:]) & ~1
            operands[at] = "%s[%d:%d]" % (operands[at][0], n, n + 1)
        else:
            return None
    return join(name, operands, modifiers)


VECTOR_MODIFIERS = """
    row_shl:0 row_shl:1 row_shl:15 row_shl:16 row_shr:1 row_ror:4 row_ror:0 quad_perm:[0,1,2,3] quad_perm:[3,3,0,4] quad_perm:[0,1,2] quad_perm:1
    wave_shl:1 wave_shl:2 wave_rol:1 row_bcast:15 row_bcast:31 row_bcast:16 row_mirror row_half_mirror row_share:0 row_share:15 row_share:16
    row_xmask:1 row_xmask:-1 row_newbcast:3 dpp8:[7,6,5,4,3,2,1,0] dpp8:[0,1,2,3,4,5,6,8] dpp8:[0,1,2] row_mask:0xa row_mask:0x10 row_mask:-1
    bank_mask:0x5 bank_mask:16 bound_ctrl:0 bound_ctrl:1 bound_ctrl:2 bound_ctrl fi:0 fi:1 fi:2 fi mul:2 mul:4 mul:3 mul:1 div:2 div:4 mul clamp
    noclamp clamp:1 op_sel:[0,1] op_sel:[1,0,1] op_sel:[0,0,0,1] op_sel:[1] op_sel:[2,0] op_sel:[0,1,0,1,0] op_sel:1 op_sel op_sel_hi:[0,1]
    op_sel_hi:[1,0,1] op_sel_hi:[0,0,0] neg_lo:[1,0] neg_lo:[0,1,1] neg_hi:[1,1] neg_hi:[0,0,1] neg_hi:[1,2] dst_sel:BYTE_0 dst_sel:WORD_1 dst_sel:FOO
    dst_sel:6 dst_sel:7 dst_unused:UNUSED_PAD dst_unused:UNUSED_SEXT dst_unused:UNUSED_FOO dst_unused:2 src0_sel:BYTE_3 src0_sel:WORD_0 src0_sel:DWORD
    src1_sel:BYTE_1 src1_sel:WORD_1 src1_sel cbsz:0 cbsz:1 cbsz:7 cbsz:8 abid:1 abid:15 abid:16 blgp:1 blgp:7 blgp:8 neg:[1,0,1] neg:[1,1] index_key:0
    index_key:1 index_key:3 index_key:4 byte_sel:0 byte_sel:3 byte_sel:4 bitop3:0x55 bitop3:0xff bitop3:256 bitop3 scale_sel:1 scale_sel:16
    matrix_a_fmt:MATRIX_FMT_FP6 matrix_b_fmt:MATRIX_FMT_BF8 matrix_a_fmt:4 matrix_a_fmt:FOO matrix_a_reuse matrix_b_reuse matrix_a_scale:1
    matrix_a_scale_fmt:1 wait_exp:0 wait_exp:7 wait_exp:8 wait_vdst:3 wait_vdst:16 wait_vm_vsrc:1 high vm done compr foo
    """.split()

# Of memory instructions also: modifiers in another `order`, `more` of them, another `value` of one, one `dropped`; two operands
# `swapped`, a `strange` operand, and `two` of these.
MEMORY_OPERANDS = OPERANDS + [
    "v[6:7]", "v[4:6]", "v[2:9]", "s[4:7]", "s[4:11]", "a[2:3]", "5", "65", "null", "exec_lo", "ttmp[4:7]", "ttmp4", "scc", "foo",
    "[v1, v2]", "[v1,v3]", "[v1]", "[v1, v3, v5]", "[v1,v3,v5,v7,v9]", "[v1, v[2:3]]", "[s1,s2]", "-v1", "|v1|", "v[1:1]", "-s3",
    "lds", "offen", "lit(5)", "s[104:107]", "v256", "s[3:4]", "s200", "[v1,", "v[2:1]"]
MEMORY_MODIFIERS = MODIFIERS[:2] + """
    offset:4095 offset:65536 offset:-1 offset:0x10000000 offset0:4 offset1:255 offset0:256 offset:swizzle(SWAP,16) offset:foo offset
    gds lds tfe lwe unorm da r128 a16 d16 glc slc dlc scc sc0 sc1 nt nv noglc nogds nounorm notfe nolds glc:1 gds:0 a16:1
    th:TH_LOAD_NT th:TH_STORE_NT th:TH_ATOMIC_RETURN th:TH_ATOMIC_CASCADE_RT th:TH_FOO th:3 th:TH_LOAD_BYPASS th:TH_STORE_BYPASS
    th:TH_LOAD_LU th scope:SCOPE_SYS scope:SCOPE_DEV scope:2 scope:FOO scope dmask:0x1 dmask:0x3 dmask:0xf dmask:0 dmask
    dim:SQ_RSRC_IMG_2D dim:1D dim:3D dim:CUBE dim:2D_MSAA dim:FOO dim:1 dim:SQ_RSRC_IMG_2D_ARRAY offen idxen addr64 off clamp
    format:[BUF_FMT_32_FLOAT] format:1 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] format:128 format:[FOO] dfmt:1 nfmt:2
    """.split()
VALUES = ["0", "1", "2", "7", "255", "256", "-1", "foo", "[1]", "0x100000", "v1", "SQ_RSRC_IMG_3D", "SCOPE_CU", "TH_LOAD_HT", "1+1",
          "(2", "", "swizzle(QUAD_PERM,0,1,2,3)"]


def damage_memory(kind, line, rng):
    name, operands, modifiers = split(line)
    if kind == "two":
        for _ in range(2):
            line = damage(rng.choice(["strange", "strange", "more", "dropped", "missing", "width"]), line, rng) or line
        return line
    if kind == "order":
        modifiers += rng.sample(MEMORY_MODIFIERS, max(2 - len(modifiers), rng.randrange(2)))
        rng.shuffle(modifiers)
    elif kind == "more":
        modifiers += rng.sample(MEMORY_MODIFIERS, rng.randrange(1, 4))
    elif kind == "value" and modifiers:
        at = rng.randrange(len(modifiers))
        word, colon, _ = modifiers[at].partition(":")
        modifiers[at] = word + (":" + rng.choice(VALUES) if colon else rng.choice([":1", ":0", "x", ":[1]", "=1"]))
    elif kind == "dropped" and modifiers:
        del modifiers[rng.randrange(len(modifiers))]
    elif kind == "swapped" and len(operands) > 1:
        i, j = rng.sample(range(len(operands)), 2)
        operands[i], operands[j] = operands[j], operands[i]
    elif kind == "strange" and operands:
        operands[rng.randrange(len(operands))] = rng.choice(MEMORY_OPERANDS)
    else:
        return None
    return join(name, operands, modifiers)


MEMORY_DAMAGES = ["order", "more", "value", "dropped", "swapped", "strange", "two"]
DAMAGES = ["missing", "extra", "class", "number", "width", "modifier", "twice", "name"]


def lines_of(kind, target, rows, count):
    if kind == "foreign":
        own = {r["text"] for r in rows[target]}
        return list(dict.fromkeys(r["text"] for t in rows for r in rows[t] if r["text"] not in own))
    rng = random.Random(kind + target)
    lines = []
    group = "memory" if kind in MEMORY_DAMAGES else "vector" if kind == "added" else None
    of_kind = [r for r in rows[target] if not group or r["encoding"] in canonical.GROUPS[group]]
    for _ in range(count if of_kind else 0):
        line = damage(kind, rng.choice(of_kind)["text"], rng)
        if line:
            lines.append(line)
    return list(dict.fromkeys(lines))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--execz", required=True)
    p.add_argument("--tables", required=True)
    p.add_argument("--target", nargs="*", default=TARGETS)
    p.add_argument("--family", nargs="*", default=["vector"])
    p.add_argument("--kind", nargs="*", default=["foreign", "added"] + DAMAGES + MEMORY_DAMAGES)
    p.add_argument("--count", type=int, default=100)
    p.add_argument("--examples", type=int, default=3)
    o = p.parse_args()
    if not os.path.isdir(o.tables) or not shutil.which(peer.LLVM_MC):
        print("skipped: no tables at %s, or no %s" % (o.tables, peer.LLVM_MC))
        return 77
    families = {f for name in o.family for f in canonical.GROUPS.get(name, [name])}
    have = sorted(n[:-4] for n in os.listdir(o.tables) if n.startswith("gfx") and n.endswith(".tsv"))
    rows = {t: canonical.read_rows(os.path.join(o.tables, t + ".tsv"), families) for t in have}
    failed = 0
    for target in o.target:
        kinds = {}
        for kind in o.kind:
            for line in lines_of(kind, target, rows, o.count):
                kinds.setdefault(line, kind)
        lines, counts, refused, known = list(kinds), collections.Counter(), 0, 0
        for line, want, have in zip(lines, peer.llvm_asm(target, lines), peer.execz_asm(o.execz, target, lines)):
            refused += want.message is not None
            if (want.bytes, want.column) == (have.bytes, have.column) or want.message == "llvm-mc crashed":
                continue
            what = difference(want, have)
            if deliberate(line, what):
                known += 1
                continue
            counts[kinds[line], what] += 1
            if counts[kinds[line], what] <= o.examples:
                print("  %s %s  %s\n    expected %s\n    execz    %s" % (kinds[line], what, line, *(
                    a.bytes.hex() if a.message is None else "%d: %s" % (a.column, a.message) for a in (want, have))))
        failed += sum(counts.values())
        print("%s: %d lines, %d refused, %d deliberate, %d differences %s" % (target, len(lines), refused, known, sum(counts.values()),
              " ".join("%s:%s:%d" % (*k, n) for k, n in sorted(counts.items()))), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
