# SPDX-License-Identifier: Apache-2.0
"""Where llvm-mc 22 contradicts itself: the differences from its text that the tests of this folder name and count, and do
not call differences. Each is explained in docs/errata.md, "Where llvm-mc 22 contradicts itself".

A kind is a short name; None is a true difference."""

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "minf16"))
import peer  # noqa: E402
import words as fields_of  # noqa: E402

REMARK = re.compile(r"\s*/\*Invalid (register|immediate)[^*]*\*/")
HALF = re.compile(r"v(12[89]|1[3-9]\d|2\d\d)/\*Invalid register[^*]*Lo128' register class\*/")
# Numbers that are codes of inline constants: 0 to 64, -1 to -16, 0.5 to -4.0, 1/(2*pi).
CODES = [*range(128, 209), *range(240, 249)]


def plain(text):
    """llvm-mc's text without its remarks: its "v130/*Invalid register, ...*/" is v2.h where halves are not enabled."""
    return REMARK.sub("", HALF.sub(lambda m: "v%d.h" % (int(m.group(1)) - 128), text))


def remarked(text):
    """Whether llvm-mc itself says that a register is none (beyond halves): then execz may say `.long`."""
    return bool(REMARK.search(HALF.sub("", text)))


def literal_as_code(want, said):
    """Whether the texts differ in the literal of v_madmk, v_fmaak and their like alone, execz's being a number that is
    an inline constant's code too: llvm-mc prints that constant."""
    if not re.match(r"(v_dual_|v_|s_)(mad|fma)[am]k_", re.sub(r".* :: (?=v_dual_fma[am]k)", "", said)):
        return False
    a, b = re.split(r"[\s,]+", want), re.split(r"[\s,]+", said)
    differ = [y for x, y in zip(a, b) if x != y]
    return len(a) == len(b) and all(re.fullmatch(r"0x[0-9a-f]+", y) and int(y, 16) in CODES for y in differ)


def bars_of_cndmask(want, said):
    """llvm-mc's v_cndmask_b32_dpp with abs of src1 in waves of 32: a bar too far behind."""
    return said.startswith("v_cndmask_b32_dpp") and want != said and want.replace("|", "") == said.replace("|", "")


def known_text(target, code, want, said, true16=False):
    """The kind of a difference of texts, remarks apart; None where it is a true one."""
    gen, first = fields_of.generation(target), int.from_bytes(code[:4], "little")
    if want.startswith(".long"):
        upper = gen >= 12 and not true16 and re.match(r"v_(mov_b16|swap_b16|\S+ v\d+\.h,)", said)
        return "does not know an upper half as result" if upper else None
    if said.startswith(".long"):
        if gen >= 10 and first >> 18 == 0xD3A0 >> 2 and want.startswith("v_fma_mix"):
            return "reads GFX9's words of v_fma_mix"
        if first >> 24 == 0xCD and re.match(r"v_interp_\S+_f16_f32.* -?v\d+\.[lh]", want):
            return "takes SGPRs of v_interp for VGPRs"
        if re.match(r"v_cvt_pk_(fp8|bf8)_f16 \S+ -?\|?(-?\d+|0x)", want) and int.from_bytes(code[4:6], "little") & 0x1FF != 0xFF:
            return "takes inline constants of v_cvt_pk_fp8_f16"
        return None
    if literal_as_code(want, said):
        return "takes a literal for a constant's code"
    if bars_of_cndmask(want, said):
        return "misplaces a bar"
    return None


OWN_REFUSAL = "refuses its own text"  # what llvm-mc decodes but does not assemble, execz may call `.long`


def refused(target, texts, attr=""):
    """Which of its texts llvm-mc refuses to assemble, or remarks upon."""
    texts = list(dict.fromkeys(texts))
    return {t for t, a in zip(texts, peer.llvm_asm(target, texts, attr)) if a.message is not None or remarked(t)}


def dies(line):
    """Whether llvm-mc is known to die of a text of its own: scale_offset beside an address that it does not scale."""
    if not line.endswith("scale_offset") and " scale_offset " not in line:
        return False
    if line.startswith(("flat_", "global_", "cluster_", "tensor_")):
        return not re.search(r"^[^ ]+ [^ ]+ (?:.*, )?(s\[|vcc|ttmp\[|exec|src_|xnack)", line) or "addtid" in line or line.startswith("tensor_")
    return line.startswith("s_buffer_") or bool(re.match(r"scratch_\S+ .*off, ", line))


def assemble(target, texts, attr, execz, options=(), true16=False):
    """(text, llvm-mc's peer.Asm, execz's) for each text but those that llvm-mc dies of."""
    lines = [t for t in texts if not dies(t)]
    return zip(lines, peer.llvm_asm(target, lines, attr), peer.execz_asm(execz, target, lines, true16, options))


def known_bytes(target, line, want, have):
    """The kind of a difference of what was assembled; None where it is a true one. want, have: peer.Asm."""
    if want.message == "llvm-mc crashed":
        return "dies of its own text"
    if want.message is not None and re.match(r"v_mac_f(16|32)_sdwa .*dst_sel:.*src1_sel:", line):
        return "refuses v_mac with all selections"
    if "dot2acc" in line and "different VGPR banks" in (want.message or "") + (have.message or ""):
        return "looks at other banks beside v_dual_dot2acc"
    if want.message == "failed parsing operand." and "lit(" in line:
        return "refuses lit() of packed sources"
    if have.message and re.match(r"v_ldexp_f16_e64 .*lit\(", line):
        return "cuts off literals of v_ldexp_f16"
    if have.message and re.match(r"s_(get_)?barrier_\S+ .*(src_\w+|null)$", line):
        return "has no bytes for scalar values as barriers"
    return None
