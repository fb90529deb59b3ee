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

# The example target whose instructions are nearest to those of a target without examples of its own.
NEAREST = {
    "gfx803": "gfx801 gfx802 gfx805 gfx810", "gfx900": "gfx902 gfx909 gfx90c gfx9-generic", "gfx906": "gfx904",
    "gfx942": "gfx9-4-generic", "gfx1010": "gfx1011 gfx1012 gfx1013 gfx10-1-generic",
    "gfx1030": "gfx1031 gfx1032 gfx1033 gfx1034 gfx1035 gfx1036 gfx10-3-generic",
    "gfx1100": "gfx1101 gfx1102 gfx1103 gfx11-generic", "gfx1150": "gfx1151 gfx1152 gfx1153",
    "gfx1200": "gfx1201 gfx12-generic", "gfx1250": "gfx1251"}
SIBLINGS = {sibling: target for target, names in NEAREST.items() for sibling in names.split()}

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
        if re.match(r"s_\w*load_b96 ttmp\[", said):
            return "takes ttmp tuples of 96 bits for 256"
        if upper:
            return "does not know an upper half as result"
        return LOSES_SC1 if F64_ATOMIC.match(said) else None
    if said.startswith(".long"):
        if gen >= 10 and first >> 18 == 0xD3A0 >> 2 and want.startswith("v_fma_mix"):
            return "reads GFX9's words of v_fma_mix"
        if first >> 24 == 0xCD and re.match(r"v_interp_\S+_f16_f32.* -?v\d+\.[lh]", want):
            return "takes SGPRs of v_interp for VGPRs"
        if re.match(r"v_(wmma|swmmac|mfma|smfmac)_\S+ .*\bnull\b", want):
            return "takes null for a matrix"
        if re.match(r"v_cvt_scalef32_sr_pk_fp4_f32 v\d+, -?\|?src_", want):
            return "takes registers of the SALU for VGPRs"
        if re.match(r"v_cvt_pk_(fp8|bf8)_f16 \S+ -?\|?(-?\d+|0x)", want) and int.from_bytes(code[4:6], "little") & 0x1FF != 0xFF:
            return "takes inline constants of v_cvt_pk_fp8_f16"
        return None
    if re.match(r"s_\w*load_b96 ttmp\[", want):
        return "takes ttmp tuples of 96 bits for 256"
    if literal_as_code(want, said):
        return "takes a literal for a constant's code"
    if bars_of_cndmask(want, said):
        return "misplaces a bar"
    return None


LOSES_SC1 = "loses sc1 of f64 atomics that return to accumulation VGPRs"
F64_ATOMIC = re.compile(r"(flat|global)_atomic_(add|min|max)_f64 a\[.* sc0 .*sc1")
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
    if "dot2acc" in line and "src_lds_direct" in line:
        return "takes src_lds_direct beside v_dual_dot2acc"
    if re.match(r"s_setreg_imm32_b32 .*, -?\d+\.\d+$", line):
        return "writes half of a double for s_setreg_imm32"
    if "dot2acc" in line and "different VGPR banks" in (want.message or "") + (have.message or ""):
        return "looks at other banks beside v_dual_dot2acc"
    if (want.message or "").startswith("op_sel operand conflicts") and line.startswith("v_fmac_f16_e64 ") and ".h, " in line:
        return "refuses op_sel of v_fmac_f16 with an upper half"
    if want.message == "failed parsing operand." and "lit(" in line:
        return "refuses lit() of packed sources"
    if want.bytes and have.bytes and F64_ATOMIC.match(line):
        return LOSES_SC1
    if have.message and re.match(r"v_ldexp_f16_e64 .*lit\(", line):
        return "cuts off literals of v_ldexp_f16"
    if have.message and re.match(r"s_(get_|wakeup_)?barrier\S* .*(src_\w+|null)$", line):
        return "has no bytes for scalar values as barriers"
    return None


def count_assembled(report, target, place, line, want, have):
    """Counts a line that both have assembled in report.known, or gives it to report.fail with the place that it is of, if
    they differ. want, have: peer.Asm."""
    if want.bytes == have.bytes:
        return
    known = known_bytes(target, line, want, have)
    if known:
        report.known[known] += 1
        return
    kind = "bytes" if want.bytes and have.bytes else "accepts" if have.bytes else "refuses"
    report.fail(kind, place, line, want.bytes.hex() if want.bytes else want.message,
                have.bytes.hex() if have.bytes else have.message)
