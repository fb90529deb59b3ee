# SPDX-License-Identifier: Apache-2.0
"""Machine words in and around v_min_f16's opcodes: every field varied, reserved bits set, cut short.

A case is the bytes of one instruction, sometimes with a dword after it that the instruction may or
may not take as its own. Positions are those of the manuals' VOP2, VOP3, SDWA, DPP16 and DPP8
microcode formats."""

import random

SDWA, DPP16, DPP8, DPP8_FI, LITERAL = 0xF9, 0xFA, 0xE9, 0xEA, 0xFF

# The opcode bits of each generation: VOP2 word and first VOP3 word with all other fields 0.
OPCODES = {8: (0x5C000000, 0xD12E0000), 9: (0x5C000000, 0xD12E0000), 10: (0x74000000, 0xD53A0000),
           11: (0x74000000, 0xD53A0000), 12: (0x60000000, 0xD5300000)}

LITERALS = [0, 1, 64, 65, 0x3C00, 0x1234, 0xFFFF, 0xFFF0, 0xFFEF, 0x3118, 0xC400, 0x12345678, 0xFFFFFFFF,
            0xFFFF0000, 0x003C3C00, 0x80000000, 0x00010000]
SDWA_WORDS = [0x06060601, 0x06061601, 0x05041502, 0x26B60603, 0x86060601, 0x06860601, 0x00000000, 0x060636FF]
DPP16_WORDS = [0xFF00E401, 0xFF0101FF, 0x00000000, 0x35FD0F80, 0xFF014042]
DPP8_WORDS = [0xFAC68801, 0x05397780, 0, 0xFFFFFFFF]


def generation(target):
    """8 to 12, from a name such as gfx90a, gfx1030, gfx10-3-generic."""
    digits = target[3:].split("-")[0]
    return int(digits if "-" in target else digits[:-2])


def vop2(op, src0, vsrc1=2, vdst=5):
    return op | vdst << 17 | vsrc1 << 9 | src0


def vop3(op, src0, src1, vdst=5, high=0, low=0):
    """high: bits of the second word above src1; low: bits of the first word between vdst and opcode."""
    return [op | vdst | low, src0 | src1 << 9 | high]


def flips(words):
    for at in range(32 * len(words)):
        w = list(words)
        w[at // 32] ^= 1 << at % 32
        yield w


def dwords_after(src0, r):
    """What may stand after an instruction whose src0 is this code."""
    if src0 == LITERAL:
        return LITERALS + [r.getrandbits(32) for _ in range(4)]
    if src0 == SDWA:
        return SDWA_WORDS
    if src0 == DPP16:
        return DPP16_WORDS
    if src0 in (DPP8, DPP8_FI):
        return DPP8_WORDS
    return []


def cases(target, full=False):
    """Byte strings, each once, in a fixed order."""
    op2, op3 = OPCODES[generation(target)]
    r = random.Random(16)
    out = []

    for src0 in range(512):  # VOP2: every source
        after = dwords_after(src0, r)
        for vsrc1, vdst in [(2, 5), (0, 0), (130, 5), (2, 133), (255, 255)]:
            word = vop2(op2, src0, vsrc1, vdst)
            out += [[word, a] for a in after] or [[word]]
        out += [[vop2(op2, src0)]]
    for v in range(256):  # every vdst and vsrc1
        out += [[vop2(op2, 0x101, v)], [vop2(op2, 0x101, 2, v)], [vop2(op2, DPP16, v), 0xFF00E401],
                [vop2(op2, SDWA, v), 0x06060601], [vop2(op2, SDWA, v), 0x86060601]]

    codes = list(range(512)) if full else list(range(0, 104, 9)) + list(range(100, 260)) + [256, 257, 384, 511]
    for c in codes:  # VOP3: every source in either place
        for words in (vop3(op3, c, 0x102), vop3(op3, 0x101, c), vop3(op3, c, c), vop3(op3, c, 0x81), vop3(op3, 3, c)):
            takes = dwords_after(c, r)
            out += [words + [a] for a in takes] or [words]
            out += [words]
    seeds = [vop3(op3, 0x101, 0x102), vop3(op3, 1, 2), vop3(op3, 0xF2, 0x1FF), vop3(op3, LITERAL, 0x102) + [0x1234],
             vop3(op3, 0x101, LITERAL) + [0x3C00], vop3(op3, DPP16, 0x102) + [0xFF00E401],
             vop3(op3, DPP8, 0x102) + [0xFAC68801], vop3(op3, DPP8_FI, 0x1FF) + [0x05397780],
             vop3(op3, DPP16, 2) + [0xFF00E401], vop3(op3, DPP16, 0xF2) + [0x12000101]]
    seeds += [[vop2(op2, SDWA), s] for s in SDWA_WORDS] + [[vop2(op2, DPP16), d] for d in DPP16_WORDS]
    seeds += [[vop2(op2, DPP8), d] for d in DPP8_WORDS] + [[vop2(op2, LITERAL), 0x1234], [vop2(op2, 0x101)]]
    for s in seeds:
        out += [s, *flips(s)]
        out += [s[:n] for n in range(1, len(s))]

    for low in range(0, 0x10000, 0x100):  # abs, op_sel, clamp in all combinations, omod and neg with some
        for high in (0, 0x08000000, 0x38000000, 0x78000000):
            out += [vop3(op3, 0x101, 0x102, 5, high, low)]
        out += [vop3(op3, DPP16, 0x102, 5, 0x10000000, low) + [0xFF01010A]]
        out += [vop3(op3, 4, 0xF2, 5, 0, low), vop3(op3, 0x81, 4, 5, 0, low)]
    for ctrl in range(512):
        out += [[vop2(op2, DPP16), 0xFF000001 | ctrl << 8], vop3(op3, DPP16, 0x102) + [0x5A000001 | ctrl << 8]]
    for src in range(256):  # SDWA with scalar sources and constants, either side
        out += [[vop2(op2, SDWA), 0x06860600 | src], [vop2(op2, SDWA, src), 0x86060601]]
    for mask in range(256):
        out += [[vop2(op2, DPP16), mask << 24 | 0x00F801E0]]

    count = 30000 if full else 1500
    for _ in range(count):
        a, b, c, d = (r.getrandbits(32) for _ in range(4))
        out += [[op2 | a & 0x01FFFFFF, b], [op3 | a & 0xFFFF, b], [op3 | a & 0xFFFF, b & 0x7803FFFF, c],
                [vop2(op2, SDWA, b & 0xFF, b >> 8 & 0xFF), c], [vop2(op2, SDWA, b & 0xFF), c & 0xF6F6FFFF],
                [vop2(op2, DPP16, b & 0xFF, b >> 8 & 0x7F), c], [vop2(op2, DPP8 + (b >> 31), b & 0xFF, b >> 8 & 0xFF), c],
                [op3 | a & 0xFBFF, d & 0x6003FE00 | DPP16, c], [op3 | a & 0xFBFF, d & 0x7803FE00 | DPP8 + (b & 1), c]]
    out = [w[:natural_size(w, op2)] for w in out if w[0] & 0xFE000000 == op2 or w[0] & 0xFFFF0000 == op3]
    unique = dict.fromkeys(b"".join(w.to_bytes(4, "little") for w in words) for words in out)
    return list(unique)


def natural_size(words, op2):
    """In dwords: with what src0 or src1 asks for, and without what would be another instruction."""
    src0 = words[0] & 0x1FF
    if words[0] & 0xFE000000 == op2:
        return 1 + (src0 in (SDWA, DPP16, DPP8, DPP8_FI, LITERAL))
    if len(words) == 1:
        return 1
    src0, src1 = words[1] & 0x1FF, words[1] >> 9 & 0x1FF
    return 2 + (src0 in (DPP16, DPP8, DPP8_FI, LITERAL) or src1 == LITERAL)


def llvm_crashes(target, code):
    """Words on which llvm-mc 22 dies from a signal: they must not share its batch."""
    gen = generation(target)
    op2, op3 = OPCODES[gen]
    words = [int.from_bytes(code[i:i + 4], "little") for i in range(0, len(code), 4)]
    if words[0] & 0xFE000000 == op2:
        src0 = words[0] & 0x1FF
        if src0 == LITERAL:
            return len(words) == 1  # the literal is cut off
        if src0 == SDWA and gen <= 10 and len(words) > 1:
            sels = (words[1] >> 8, words[1] >> 16, words[1] >> 24)
            return any(s & 7 == 7 for s in sels)  # a select that does not exist
        return False
    if words[0] & 0xFFFF0000 == op3 and len(words) > 1:
        src0, src1 = words[1] & 0x1FF, words[1] >> 9 & 0x1FF
        if LITERAL in (src0, src1):  # no literal on gfx8 and gfx9; cut off; together with DPP
            return gen <= 9 or len(words) == 2 or src0 in (DPP16, DPP8, DPP8_FI)
    return False
