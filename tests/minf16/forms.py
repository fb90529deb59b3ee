# SPDX-License-Identifier: Apache-2.0
"""Lines of assembly around v_min_f16: every form, every kind of operand, every modifier.

The same lines go to every target. Whether a line is right or wrong there is llvm-mc's to say, so
nothing here knows what a target has; the lists are wide enough that each target refuses some.
Default is what a change should be tested with; full is every value of every field."""

import itertools
import random
import re

NAMES = ["v_min_f16", "v_min_num_f16"]
FORMS = ["", "_e32", "_e64", "_sdwa", "_dpp", "_e64_dpp"]

VGPRS = ["v0", "v1", "v63", "v127", "v128", "v200", "v255"]
HALVES = ["v0.l", "v1.h", "v127.l", "v127.h", "v128.l", "v128.h", "v255.l", "v255.h",
          "v[1].l", "v[2:2].h", "v[3] .l"]
SGPRS = ["s0", "s1", "s50", "s101", "s102", "s103", "s104", "s105"]
SPECIAL = [
    "vcc_lo", "vcc_hi", "m0", "exec_lo", "exec_hi", "null",
    *("ttmp%d" % n for n in range(16)),
    "flat_scratch_lo", "flat_scratch_hi", "xnack_mask_lo", "xnack_mask_hi",
    "tba_lo", "tba_hi", "tma_lo", "tma_hi",
    "src_shared_base", "src_shared_limit", "src_private_base", "src_private_limit",
    "src_flat_scratch_base_lo", "src_flat_scratch_base_hi", "src_pops_exiting_wave_id",
    "src_vccz", "src_execz", "src_scc", "src_lds_direct",
    "shared_base", "shared_limit", "private_base", "private_limit", "pops_exiting_wave_id",
    "vccz", "execz", "scc", "lds_direct",
]
INLINE_INTEGERS = [str(n) for n in range(-16, 65)]
INLINE_FLOATS = ["0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"]
# Other spellings of inline constants: by their 16-bit pattern, in hex, octal, binary, as a float.
SPELLINGS = [
    "0x0", "0x40", "0x3f", "-0x10", "0xffff", "0xfff0", "65535", "65520", "0b101", "017", "+1", "-(1)",
    "0x3800", "0xb800", "0x3c00", "0xbc00", "0x4000", "0xc000", "0x4400", "0xc400", "0x3118",
    "0.0", "1e0", "1.", ".5", "0x1p0", "0x1.0p1", "1.0e0", "0.159154", "0.15915494309189532",
    "1+2", "(1+2)*3", "~0", "!0", "0xffffffffffffffff", "-1", "64.0", "1e", "1.e", "2.e+", "1L", "0x10ULL", "017ul",
    "1.00000000000000000000000000000000000000000000000000000000000000000000000000000000",
]
LITERALS = [
    "65", "-17", "0x41", "0x1234", "0xabcd", "0xABCD", "0x7c00", "0xfc00", "0x7e00", "0x7c01", "0x8000",
    "0x8001", "0xffef", "0x3c01", "-32768", "-0x1234", "1.5", "-1.5", "3.0", "100.5", "65504.0", "-65504.0",
    "0.1", "-0.0", "-0.15915494", "0.1591", "0x1p-14", "0x1p-24", "0x1.8p-23", "-0x1p-20", "0x1.8p1", "'a'", "0x3c00|1",
    "1.0e400", "-1e400", "lit(|1|)", "|lit(1)|", "-|lit(0x1234)|", "abs(lit(2))", "neg(lit(1.0))", "neg(|lit(3)|)",
    "sext(lit(1))", "lit(1)", "lit(0x3c00)", "lit(1.0)", "lit(0x1234)", "lit64(0x1)",
]
BAD_CONSTANTS = [
    "0x10000", "65536", "-32769", "0x12345678", "0xffffffff", "0xfffffff0", "0xffff3c00", "0x3f800000",
    "0x100000000", "100000.0", "65520.0", "1e10", "-1e10", "1e-10", "6.0e-8", "1e-5", "0x1.8p-24", "+1.0", "inf", "nan", "1.0f",
    "lit(0x12345)", "lit()", "lit(", "08", "0o17", "10h", "1.0.0", "0x", "0xp1", "0x1.8", "0b2", "0e0", "01e5", "00.5",
    "1.5+", "lit(v1)", "lit(lit(1))", "lit(x)", "-lit(1)", "-x", "|x|", "neg(x)", "|1+2|",
]
BAD_REGISTERS = [
    "v256", "v1000", "s106", "s200", "ttmp16", "v", "s", "a1", "vcc", "exec", "off", "foo", "v-1", "v[2:3]",
    "v[1:0]", "s[0:1]", "s[1:2]", "v[256]", "v[", "v[1", "[v1", "[s1,s2]", "V1", "s1.l", "s1.h",
    "vcc_lo.h", "v1.x", "v1.L", "v1 .l", '"a"', "%", "", "s[-1]", "v[-1]", "s[1:-1]", "s[0x100000000]", "s [1]",
    "s[1].l", "v[2:3].l",
]
CONSTANTS = INLINE_INTEGERS + INLINE_FLOATS + SPELLINGS + LITERALS
SOURCES = VGPRS + HALVES + SGPRS + SPECIAL + CONSTANTS

# A few of each kind, for the places where kinds meet.
FEW = ["v1", "v255", "v1.l", "v1.h", "v255.h", "s1", "s1 ", "s2", "vcc_lo", "m0", "exec_hi", "ttmp11", "null",
       "src_scc", "src_shared_base", "lds_direct", "0", "-16", "1.0", "0x1234", "0x4321", "-4.0"]
WRAPPED = ["-%s", "|%s|", "-|%s|", "neg(%s)", "abs(%s)", "-abs(%s)", "neg(abs(%s))", "- %s", "| %s |", "neg ( %s )"]
BAD_WRAPS = ["--%s", "||%s||", "|-%s|", "|neg(%s)|", "abs(|%s|)", "neg(-%s)", "|%s", "%s|", "abs(%s", "neg %s",
             "abs %s", "|abs(%s)|", "-neg(%s)", "sext(%s)", "-sext(%s)", "sext(-%s)", "sext(|%s|)", "|sext(%s)|"]

OUTPUT = ["clamp", "mul:2", "mul:4", "div:2", "clamp mul:2", "clamp mul:4", "clamp div:2", "mul:1", "div:1",
          "noclamp", "mul :2", "clamp div : 2"]
BAD_OUTPUT = ["mul:2 clamp", "mul:3", "mul:0", "mul:8", "div:4", "div:0", "clamp clamp", "clamp :1", "mul:2 mul:4",
              "mul:2 div:2", "clamp:1", "clamp:0", "mul:", "mul", "div", "foo", "foo:1", "foo:[1]", ", v3", "v3",
              "clamp,", "clamp mul:2 clamp", "neg_lo:[1,0]", "neg_hi:[1,0]", "op_sel_hi:[0,0]", "byte_sel:1",
              "gds", "glc", "dmask:1", ",", "s_nop 0"]

SELS = ["BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"]
UNUSED = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"]
BAD_SDWA = ["dst_sel:BYTE_4", "dst_sel:byte_0", "dst_sel:7", "dst_sel:-1", "dst_sel:", "dst_sel",
            "dst_unused:UNUSED_FOO", "dst_unused:3", "dst_unused:", "src0_sel:7", "src0_sel:FOO", "src1_sel:8",
            "src1_sel:WORD_1 src0_sel:WORD_1", "dst_unused:UNUSED_PAD dst_sel:WORD_1", "dst_sel:WORD_1 clamp",
            "dst_sel:WORD_1 dst_sel:WORD_1", "dst_sel:WORD_1 mul:2", "dst_sel:DWORD row_shl:1",
            "dst_sel:DWORD dpp8:[0,1,2,3,4,5,6,7]", "dst_sel:DWORD foo", "src2_sel:WORD_1", "op_sel:[1,0,0]"]

CONTROLS = ["quad_perm:[0,1,2,3]", "quad_perm:[3,2,1,0]", "quad_perm:[0,0,0,0]", "quad_perm:[3,3,3,3]",
            "row_mirror", "row_half_mirror", "wave_shl:1", "wave_rol:1", "wave_shr:1", "wave_ror:1",
            "row_bcast:15", "row_bcast:31",
            "quad_perm :[0,1,2,3]", "quad_perm : [ 3 , 1 , 2 , 0 ]", "row_shl :1",
            *("%s:%d" % (c, n) for c in ("row_shl", "row_shr", "row_ror") for n in range(1, 16)),
            *("%s:%d" % (c, n) for c in ("row_newbcast", "row_share", "row_xmask") for n in range(16))]
BAD_CONTROLS = ["row_shl:0", "row_shl:16", "row_shr:0", "row_shr:16", "row_ror:0", "row_ror:16", "row_shl:-1",
                "wave_shl:2", "wave_shl:0", "wave_rol:2", "wave_shr:2", "wave_ror:2", "row_bcast:14", "row_bcast:0",
                "row_newbcast:16", "row_share:16", "row_share:-1", "row_xmask:16", "row_mirror:1", "row_shl",
                "row_shl:", "row_shl:foo", "quad_perm:[0,1,2]", "quad_perm:[0,1,2,3,0]", "quad_perm:[0,1,2,4]",
                "quad_perm:[0,1,2,-1]", "quad_perm:0", "quad_perm:[0,1,2,3", "quad_perm:[]", "quad_perm",
                "quad_perm:", "quad_perm[0,1,2,3]", "quad_perm [0,1,2,3]", "quad_perm:[0,1,x,3]", "row_shl 1",
                "row_shl:1 row_shr:1", "row_shl:1 dpp8:[0,1,2,3,4,5,6,7]", "row_foo:1",
                "row_shl:1 clamp", "row_shl:1 foo", "row_shl:1 foo:1", "row_mask:0xf", "bound_ctrl:1", "fi:1"]
DPP_TAILS = ["row_mask:0xf bank_mask:0xf", "row_mask:0x0 bank_mask:0x0", "row_mask:0x5", "bank_mask:0xa",
             "row_mask:0xf bank_mask:0xf bound_ctrl:1", "row_mask:0xf bank_mask:0xf bound_ctrl:0", "bound_ctrl:1",
             "bound_ctrl:0", "fi:1", "fi:0", "row_mask:0x3 bank_mask:0xc bound_ctrl:1 fi:1",
             "row_mask:0xf bank_mask:0xf bound_ctrl:0 fi:1", "row_mask:15 bank_mask:1", "bound_ctrl:1 fi:1"]
BAD_DPP_TAILS = ["bank_mask:0x3 row_mask:0x5", "bound_ctrl:2", "bound_ctrl:-1", "bound_ctrl", "bound_ctrl:", "fi",
                 "fi:1 bound_ctrl:1", "row_mask:0xf row_mask:0xf", "row_mask", "row_mask:", "row_mask:foo",
                 "bound_ctrl:1 bound_ctrl:1", "fi:1 fi:1", "fi:1 row_mask:0xf", "row_mask:0xf,"]
# llvm-mc takes these and drops something without a word; an assembler may refuse them.
EITHER = ["bank_mask:[1]", "op_sel:[0,0,0,1]", "op_sel:[0,0,0,1] row_shl:1",
          "row_mask:16", "row_mask:0xff", "row_mask:-1", "bank_mask:0x10", "bank_mask:-1", "fi:2", "fi:-1"]
BAD_DPP8 = ["dpp8:[7,6,5,4,3,2,9,0,0]", "dpp8:[7,6,5,4,3,2,1,0 ,0]", "dpp8:[7,6,5,4,3,2,1]", "dpp8:[7,6,5,4,3,2,1,0,0]", "dpp8:[7,6,5,4,3,2,1,8]", "dpp8:[7,6,5,4,3,2,1,-1]",
            "dpp8:7", "dpp8", "dpp8:", "dpp8:[]", "dpp8:[7,6,5,4,3,2,1,0", "dpp8:[7 6 5 4 3 2 1 0]",
            "dpp8:[7,6,5,4,3,2,1,0] row_mask:0xf", "dpp8:[7,6,5,4,3,2,1,0] bound_ctrl:1",
            "dpp8:[7,6,5,4,3,2,1,0] clamp", "dpp8:[7,6,5,4,3,2,1,0] foo", "fi:1 dpp8:[7,6,5,4,3,2,1,0]",
            "dpp8:[7,6,5,4,3,2,1,0] dpp8:[7,6,5,4,3,2,1,0]"]
WHOLE_LINES = [  # shapes of a line that the lists above cannot build
    "%s", "%s v5", "%s v5,", "%s v5, v1", "%s v5, v1,", "%s v5, v1, v2,", "%s v5, v1, v2, v3", "%s , v1, v2",
    "%s v5,, v2", "%s v5, v1, v2 // note", "%s v5, v1, v2 ; note", "%s v5, v1, v2 /* note */", "  %s\tv5 ,v1 , v2  ",
    "%s v[5], v[1], v[2:2]", "%s v05, v1, v2", "%s v5, [v1], v2", "%s v5, s[1:1], v2", "%s v5, ttmp[4], v2",
    "%sx v5, v1, v2", "%s_e31 v5, v1, v2", "%s_ v5, v1, v2", "%s.l v5, v1, v2", "%s _e32 v5, v1, v2",
    "%s(v5, v1, v2)", "%s v5, v1, v2)", "%s v5, v1, v2]", "%s -v5, v1, v2", "%s |v5|, v1, v2", "%s s5, v1, v2",
    "%s 0, v1, v2", "%s 1.0, v1, v2", "%s vcc_lo, v1, v2", "%s null, v1, v2", "%s v5, v1, v2 \\", "%s v5, v1, v2 @",
    '"%s" v5, v1, v2', '"%s"v5, v1, v2', "%s v5: v1, v2", "%s v5 = v1, v2", "%s v5, v1; v2", "%s v5, v1, v2 | v3", "%s v5, v1, v2 + 1", "%s v5, 1 + v1, v2",
]


def dpp8(order):
    return "dpp8:[" + ",".join(map(str, order)) + "]"


def permutations(full):
    r = random.Random(8)
    fixed = [(7, 6, 5, 4, 3, 2, 1, 0), tuple(range(8)), (0,) * 8, (7,) * 8]
    count = 1000 if full else 24
    return [dpp8(p) for p in fixed] + [dpp8([r.randrange(8) for _ in range(8)]) for _ in range(count)]


def operand_lines():
    for name, form in itertools.product(NAMES, FORMS):
        tail = {"_dpp": " row_shl:1", "_e64_dpp": " row_shl:1", "_sdwa": " dst_sel:WORD_1"}.get(form, "")
        m = name + form
        for dst, mate in [("v5", "v2"), ("v5.l", "v2.l"), ("v5.h", "v2.h")]:
            for s in SOURCES:
                yield "%s %s, %s, %s%s" % (m, dst, s, mate, tail)
                yield "%s %s, %s, %s%s" % (m, dst, mate, s, tail)
            for s in BAD_CONSTANTS + BAD_REGISTERS:
                yield "%s %s, %s, %s%s" % (m, dst, s, mate, tail)
                yield "%s %s, %s, %s%s" % (m, dst, mate, s, tail)
        for d in VGPRS + HALVES + BAD_REGISTERS:
            yield "%s %s, v1, v2%s" % (m, d, tail)
            yield "%s %s, v1.l, v2.h%s" % (m, d, tail)
        for shape in WHOLE_LINES:
            yield shape % m + tail
        yield "%s v255, v255, v255%s" % (m, tail)


def pair_lines(full):
    for form in FORMS:
        tail = {"_dpp": " row_shl:1", "_e64_dpp": " row_shl:1", "_sdwa": " src0_sel:WORD_1"}.get(form, "")
        for a, b in itertools.product(FEW, FEW):
            yield "v_min_f16%s v5, %s, %s%s" % (form, a, b, tail)
            yield "v_min_f16%s v5.h, %s, %s%s" % (form, a, b, tail)
    if full:
        for a, b in itertools.product(SGPRS + SPECIAL + INLINE_FLOATS + LITERALS, repeat=2):
            yield "v_min_f16_e64 v5, %s, %s" % (a, b)


def modifier_lines(full):
    kinds = [("v5", "v1", "v2"), ("v5.l", "v1.h", "v2.l"), ("v5.h", "s1", "v200.h"), ("v5", "s1", "1.0"),
             ("v5", "0x1234", "v2"), ("v200", "-1", "vcc_lo"), ("v5", "v1", "0x4321"), ("v5", "-4.0", "s1")]
    for form in FORMS:
        tails = {"": ["", " row_shl:1", " dst_sel:WORD_1", " dpp8:[7,6,5,4,3,2,1,0]"], "_dpp": [" row_shl:1",
                 " dpp8:[7,6,5,4,3,2,1,0]"], "_e64_dpp": [" row_shl:1", " dpp8:[7,6,5,4,3,2,1,0] fi:1"],
                 "_sdwa": ["", " dst_sel:WORD_1"]}.get(form, [""])
        for (d, a, b), tail in itertools.product(kinds, tails):
            m = "v_min_f16%s %s, " % (form, d)
            for w in WRAPPED + BAD_WRAPS:
                yield m + "%s, %s%s" % (w % a, b, tail)
                yield m + "%s, %s%s" % (a, w % b, tail)
            for o in OUTPUT + BAD_OUTPUT:
                yield m + "%s, %s %s%s" % (a, b, o, tail)
            for p, q, o in itertools.product(["%s", "-%s", "|%s|", "-|%s|"], ["%s", "-%s", "|%s|", "-|%s|"],
                                             [""] + OUTPUT[:7] if full else ["", "clamp", "div:2"]):
                yield m + "%s, %s %s%s" % (p % a, q % b, o, tail)


def op_sel_lines(full):
    bits = list(itertools.product("01", repeat=3))
    selects = ["[" + ",".join(b) + "]" for b in bits]
    odd = ["[0,0]", "[1,0]", "[0,1]", "[1,1]", "[0,0,0,0]", "[1,0,0,0]", "[0,0,0,1]", "[1]", "[]", "1", "0", "", "[2,0,0]",
           "[-1,0,0]", "[1,0,0", "[1 0 0]", "[a]", "[0,0,0,0,0]"]
    for form in ("", "_e64", "_e32", "_e64_dpp"):
        tail = " row_shl:1" if form == "_e64_dpp" else ""
        for d, a, b in itertools.product(["v5.l", "v5.h", "v5"], ["v1.l", "v1.h", "s1", "1.0", "0x1234", "v1"],
                                         ["v2.l", "v2.h", "s2", "v2"]):
            operands = "v_min_f16%s %s, %s, %s" % (form, d, a, b)
            yield operands + tail
            for s in selects:
                yield operands + " op_sel:" + s + tail
                if full:
                    yield operands + " op_sel:" + s + " clamp mul:2" + tail
        for s in odd:
            yield "v_min_f16%s v5.l, v1.l, v2.l op_sel:%s%s" % (form, s, tail)
            yield "v_min_f16%s v5, v1, v2 op_sel:%s%s" % (form, s, tail)
        yield "v_min_f16%s v5.l, v1.h, v2.l clamp op_sel:[1,0,0]%s" % (form, tail)
        yield "v_min_f16%s v5.l, v1.h, v2.l op_sel:[1,0,0] op_sel:[1,0,0]%s" % (form, tail)


def sdwa_lines(full):
    sel = list(itertools.product(SELS, UNUSED, SELS, SELS))
    r = random.Random(5)
    for d, u, a, b in sel if full else r.sample(sel, 150):
        yield "v_min_f16_sdwa v5, v1, v2 dst_sel:%s dst_unused:%s src0_sel:%s src1_sel:%s" % (d, u, a, b)
    for form in ("", "_sdwa"):
        m = "v_min_f16%s v5, v1, v2 " % form
        for s in SELS + list("0123456"):
            for k in ("dst_sel", "src0_sel", "src1_sel", "dst_sel ", "src1_sel "):
                yield m + "%s:%s" % (k, s)
        for u in UNUSED + list("012"):
            yield m + "dst_unused:%s" % u
        for keep in itertools.product([0, 1], repeat=4):  # each modifier left out or not
            parts = ["dst_sel:WORD_1", "dst_unused:UNUSED_SEXT", "src0_sel:BYTE_2", "src1_sel:WORD_0"]
            rest = " ".join(p for p, k in zip(parts, keep) if k)
            for o in [""] + OUTPUT + ["clamp mul:2 foo"]:
                yield m + (o + " " + rest).strip()
        for bad in BAD_SDWA:
            yield m + bad
    for a, b in itertools.product(["%s", "-%s", "|%s|", "-|%s|", "sext(%s)"], repeat=2):
        for x, y in [("v1", "v2"), ("s1", "v2"), ("v1", "s2"), ("1.0", "v2"), ("v1", "-4.0"), ("s1", "s1"), ("s1", "s2")]:
            yield "v_min_f16_sdwa v5, %s, %s dst_sel:DWORD" % (a % x, b % y)
    yield "v_min_f16_e32 v5, v1, v2 dst_sel:DWORD"
    yield "v_min_f16_e64 v5, v1, v2 dst_sel:DWORD"


def dpp_lines(full):
    controls = CONTROLS + (["quad_perm:[%d,%d,%d,%d]" % q for q in itertools.product(range(4), repeat=4)] if full else [])
    for form in ("", "_dpp", "_e64_dpp", "_e32", "_e64"):
        m = "v_min_f16%s " % form
        for operands in ("v5, v1, v2", "v5.l, v1.h, v2.l", "v255, v254, v253"):
            for c in controls + BAD_CONTROLS:
                yield m + operands + " " + c
            for t in DPP_TAILS + BAD_DPP_TAILS + EITHER:
                yield m + operands + " quad_perm:[0,1,2,3] " + t
            for p in permutations(full):
                yield m + operands + " " + p
                yield m + operands + " " + p + " fi:1"
            for n in (0, 2, 6, -1, -2):
                yield m + operands + " " + dpp8(range(8)) + " fi:%d" % n
            for bad in BAD_DPP8:
                yield m + operands + " " + bad
        if form in ("", "_e64_dpp"):
            for c, o in itertools.product(["row_shl:1", "row_mirror", dpp8(range(8))], OUTPUT + BAD_OUTPUT):
                yield m + "v5, -v1, |v2| %s %s" % (o, c)
                yield m + "v5.h, v1.l, v2.h %s %s" % (o, c)
    masks = range(16) if full else (0, 1, 6, 15)
    for r, b, c, f in itertools.product(masks, masks, ("", " bound_ctrl:0", " bound_ctrl:1"), ("", " fi:1")):
        yield "v_min_f16_dpp v5, -v1, |v2| row_ror:3 row_mask:0x%x bank_mask:0x%x%s%s" % (r, b, c, f)


def lines(full=False):
    """Every line once, in a fixed order."""
    groups = [operand_lines(), pair_lines(full), modifier_lines(full), op_sel_lines(full), sdwa_lines(full),
              dpp_lines(full)]
    return list(dict.fromkeys(itertools.chain.from_iterable(groups)))


# Where execz is meant to differ from llvm-mc: (lines, why).
BETTER = [
    (r"0x[0-9a-f]+\| *(row|dpp|dst)", "llvm-mc reads the modifier behind `number|` as a symbol of an expression and "
                                      "complains about its colon; execz has no symbol there"),
]


def better(line):
    return any(re.search(pattern, line) for pattern, _ in BETTER)


def either(line):
    return any(line.endswith(e) for e in EITHER)
