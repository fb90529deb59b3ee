#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Code objects made by clang and llvm-mc, read by execz and by LLVM's own tools.

usage: compare_readelf.py DUMP [TARGET ...]

DUMP is the program of dump.c. Each target's objects are compiled here; segments, sections, symbols,
relocations and metadata must be what llvm-readobj says, descriptor fields what llvm-objdump says.
Without clang-22 this is skipped with a message (exit status 77), or an error when CI is set.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LIBCLC = "/usr/lib/clc/amdgcn-amd-amdhsa.bc"
TRIPLE = "amdgcn-amd-amdhsa"
TARGETS = ["gfx803", "gfx900", "gfx906:xnack-", "gfx908", "gfx90a", "gfx90a:sramecc-:xnack+", "gfx942",
           "gfx950", "gfx1010", "gfx1030", "gfx1100", "gfx1150", "gfx1200", "gfx1201", "gfx1250",
           "gfx9-generic", "gfx9-4-generic", "gfx10-1-generic", "gfx10-3-generic", "gfx11-generic",
           "gfx12-generic"]
UNIFIED = ("gfx90a", "gfx942", "gfx950", "gfx9-4-generic")

# llvm-objdump's directives for descriptor fields, and ours
DIRECTIVES = {
    "group_segment_fixed_size": "group_segment_fixed_size",
    "private_segment_fixed_size": "private_segment_fixed_size",
    "kernarg_size": "kernarg_size",
    "float_round_mode_32": "FLOAT_ROUND_MODE_32",
    "float_round_mode_16_64": "FLOAT_ROUND_MODE_16_64",
    "float_denorm_mode_32": "FLOAT_DENORM_MODE_32",
    "float_denorm_mode_16_64": "FLOAT_DENORM_MODE_16_64",
    "dx10_clamp": "ENABLE_DX10_CLAMP",
    "ieee_mode": "ENABLE_IEEE_MODE",
    "fp16_overflow": "FP16_OVFL",
    "tg_split": "TG_SPLIT",
    "system_sgpr_private_segment_wavefront_offset": "ENABLE_PRIVATE_SEGMENT",
    "enable_private_segment": "ENABLE_PRIVATE_SEGMENT",
    "system_sgpr_workgroup_id_x": "ENABLE_SGPR_WORKGROUP_ID_X",
    "system_sgpr_workgroup_id_y": "ENABLE_SGPR_WORKGROUP_ID_Y",
    "system_sgpr_workgroup_id_z": "ENABLE_SGPR_WORKGROUP_ID_Z",
    "system_sgpr_workgroup_info": "ENABLE_SGPR_WORKGROUP_INFO",
    "system_vgpr_workitem_id": "ENABLE_VGPR_WORKITEM_ID",
    "exception_fp_ieee_invalid_op": "ENABLE_EXCEPTION_IEEE_754_FP_INVALID_OPERATION",
    "exception_fp_denorm_src": "ENABLE_EXCEPTION_FP_DENORMAL_SOURCE",
    "exception_fp_ieee_div_zero": "ENABLE_EXCEPTION_IEEE_754_FP_DIVISION_BY_ZERO",
    "exception_fp_ieee_overflow": "ENABLE_EXCEPTION_IEEE_754_FP_OVERFLOW",
    "exception_fp_ieee_underflow": "ENABLE_EXCEPTION_IEEE_754_FP_UNDERFLOW",
    "exception_fp_ieee_inexact": "ENABLE_EXCEPTION_IEEE_754_FP_INEXACT",
    "exception_int_div_zero": "ENABLE_EXCEPTION_INT_DIVIDE_BY_ZERO",
    "user_sgpr_private_segment_buffer": "ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER",
    "user_sgpr_dispatch_ptr": "ENABLE_SGPR_DISPATCH_PTR",
    "user_sgpr_queue_ptr": "ENABLE_SGPR_QUEUE_PTR",
    "user_sgpr_kernarg_segment_ptr": "ENABLE_SGPR_KERNARG_SEGMENT_PTR",
    "user_sgpr_dispatch_id": "ENABLE_SGPR_DISPATCH_ID",
    "user_sgpr_flat_scratch_init": "ENABLE_SGPR_FLAT_SCRATCH_INIT",
    "user_sgpr_private_segment_size": "ENABLE_SGPR_PRIVATE_SEGMENT_SIZE",
    "user_sgpr_kernarg_preload_length": "KERNARG_PRELOAD_SPEC_LENGTH",
    "user_sgpr_kernarg_preload_offset": "KERNARG_PRELOAD_SPEC_OFFSET",
    "uses_dynamic_stack": "USES_DYNAMIC_STACK",
    "wavefront_size32": "ENABLE_WAVEFRONT_SIZE32",
    "workgroup_processor_mode": "WGP_MODE",
    "memory_ordered": "MEM_ORDERED",
    "forward_progress": "FWD_PROGRESS",
    "shared_vgpr_count": "SHARED_VGPR_COUNT",
    "round_robin_scheduling": "ENABLE_WG_RR_EN",
    "named_barrier_count": "NAMED_BAR_CNT",
}
# not the descriptor's own numbers: what the assembler computes them from, or checked otherwise
OTHERWISE = {"next_free_vgpr", "next_free_sgpr", "reserve_vcc", "reserve_flat_scratch", "reserve_xnack_mask",
             "accum_offset", "inst_pref_size"}
# llvm-readobj's symbol types (ELF's), and ez_symbol_type
SYMBOL_TYPES = {0: 0, 1: 1, 2: 2, 3: 5, 4: 6, 10: 4}

failures = 0


def check(where, what, got, expected):
    global failures
    if got != expected:
        failures += 1
        print(f"{where}: {what}:\n  execz {got!r}\n  LLVM  {expected!r}")


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout


def parse_yaml(text):
    """The YAML that LLVM prints: block maps and lists, scalars, [ flow, lists ]."""
    lines = [(len(l) - len(l.lstrip()), l.strip()) for l in text.splitlines() if l.strip() not in ("", "---", "...")]

    def scalar(s):
        if s.startswith("["):
            return [scalar(x.strip()) for x in s.strip("[] ").split(",") if x.strip()]
        if len(s) > 1 and s[0] == s[-1] == "'":
            return s[1:-1].replace("''", "'")
        if len(s) > 1 and s[0] == s[-1] == '"':
            return json.loads(s)
        return {"true": 1, "false": 0}.get(s, int(s) if s.isdigit() else s)

    def block(i, indent):
        if lines[i][1].startswith("- "):
            out = []
            while i < len(lines) and lines[i][0] == indent and lines[i][1].startswith("- "):
                rest = lines[i][1][2:].lstrip()
                deeper = indent + len(lines[i][1]) - len(rest)
                if re.match(r"[.\w]+:( |$)", rest):
                    lines[i] = (deeper, rest)
                    item, i = block(i, deeper)
                else:
                    item, i = scalar(rest), i + 1
                out.append(item)
            return out, i
        out = {}
        while i < len(lines) and lines[i][0] == indent and not lines[i][1].startswith("- "):
            key, _, value = lines[i][1].partition(":")
            value = value.strip()
            i += 1
            if value:
                out[key] = scalar(value)
            elif i < len(lines) and (lines[i][0] > indent or (lines[i][0] == indent and lines[i][1].startswith("- "))):
                out[key], i = block(i, lines[i][0])
            else:
                out[key] = None
        return out, i

    return block(0, 0)[0]


def readobj(path, *options):
    return json.loads(run("llvm-readobj-22", "--elf-output-style=JSON", *options, path))[0]


def compare_tables(path, ours):
    linked = not ours["relocatable"]
    peer = readobj(path, "-l", "-S", "-s", "-r", "--dyn-symbols")
    loads = [h["ProgramHeader"] for h in peer["ProgramHeaders"]]
    keys = ["Offset", "VirtualAddress", "FileSize", "MemSize", "Alignment"]
    check(path, "segments", ours["segments"],
          [{**{k: h[k] for k in keys}, "Flags": h["Flags"]["Value"]} for h in loads if h["Type"]["Name"] == "PT_LOAD"])
    sections = [s["Section"] for s in peer["Sections"]]
    check(path, "sections", ours["sections"],
          [{"Name": s["Name"]["Name"], "Type": s["Type"]["Value"], "Flags": s["Flags"]["Value"],
            "Address": s["Address"], "Offset": s["Offset"], "Size": s["Size"]} for s in sections])
    symbols = [s["Symbol"] for s in peer["Symbols"]][1:]
    expected = []
    for s in symbols:
        kernel = s["Name"]["Name"].endswith(".kd") and s["Type"]["Value"] == 1
        expected.append({"Name": s["Name"]["Name"], "Value": s["Value"], "Size": s["Size"],
                         "Binding": s["Binding"]["Value"],
                         "Type": 3 if kernel else SYMBOL_TYPES[s["Type"]["Value"]],
                         "Section": s["Section"]["Value"]})
    for s, e in zip(ours["symbols"], expected):  # of a section symbol readobj prints the section's name
        if e["Type"] == 5:
            e["Name"] = s["Name"]
    check(path, "symbols", ours["symbols"], expected)
    relocations = []
    for table in peer["Relocations"]:
        info = sections[table["SectionIndex"]]["Info"]
        for r in table["Relocs"]:
            r = r["Relocation"]
            name = r["Symbol"]["Name"] if r["Symbol"]["Value"] else None
            relocations.append({"Offset": r["Offset"], "Type": r["Type"]["Name"], "Symbol": name,
                                "Section": 0 if linked else info, "Addend": signed(r["Addend"])})
    for r, e in zip(ours["relocations"], relocations):
        if r["Symbol"] == "":  # again a section symbol
            e["Symbol"] = ""
    check(path, "relocations", ours["relocations"], relocations)


def signed(v):
    return v - (1 << 64) if v >> 63 else v


def metadata_text(path):
    notes = []
    for section in readobj(path, "--notes").get("NoteSections", []):
        for note in section["NoteSection"]["Notes"]:
            notes += [v for k, v in note.items() if k in ("AMDGPU Metadata", "AMD HSA Metadata")]
    return notes[0] if notes else None


def lay_out(args):
    """Version 2 gives alignments, from which offsets follow."""
    end = 0
    for a in args:
        end = (end + a["Align"] - 1) // a["Align"] * a["Align"]
        a[".offset"] = end
        end += a["Size"]


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def from_version2(tree):
    """The same facts under the names that they have from version 3 on."""
    names = {"NumSGPRs": ".sgpr_count", "NumVGPRs": ".vgpr_count", "SymbolName": ".symbol",
             "MaxFlatWorkGroupSize": ".max_flat_workgroup_size", "ReqdWorkGroupSize": ".reqd_workgroup_size",
             "WorkGroupSizeHint": ".workgroup_size_hint", "AddrSpaceQual": ".address_space", "AccQual": ".access",
             "NumSpilledSGPRs": ".sgpr_spill_count", "NumSpilledVGPRs": ".vgpr_spill_count"}

    def rename(m):
        out = {}
        for k, v in m.items():
            if k in ("AddrSpaceQual", "AccQual", "ActualAccQual"):
                v = None if v == "Default" else snake(v)
            if k not in ("Align", "IsXNACKEnabled"):  # laid out above; part of the target id
                out[k if k[0] == "." else names.get(k, "." + snake(k))] = v
        return out

    kernels = []
    for k in tree["Kernels"]:
        lay_out(k.get("Args", []))
        flat = {**{a: b for a, b in k.items() if a not in ("Args", "CodeProps", "Attrs")},
                **k["CodeProps"], **k.get("Attrs", {})}
        kernels.append({**rename(flat), ".args": [rename(a) for a in k.get("Args", [])]})
    return {"amdhsa.version": tree["Version"], "amdhsa.kernels": kernels}


def compare_metadata(path, ours):
    text = metadata_text(path)
    if text is None:
        check(path, "metadata", [k["metadata"] for k in ours["kernels"]], [None] * len(ours["kernels"]))
        return
    tree = parse_yaml(text)
    if "Kernels" in tree:
        tree = from_version2(tree)
    check(path, "metadata version", ours["metadata_version"], tree["amdhsa.version"])
    check(path, "metadata target", ours["metadata_target"], tree.get("amdhsa.target"))
    if ours["metadata_target"]:
        check(path, "target id", TRIPLE + "--" + ours["target"], ours["metadata_target"])
    kernels = {k["metadata"][".symbol"]: k["metadata"] for k in ours["kernels"]}
    check(path, "kernels", sorted(kernels), sorted(k[".symbol"] for k in tree["amdhsa.kernels"]))
    for theirs in tree["amdhsa.kernels"]:
        mine = kernels[theirs[".symbol"]]
        where = f"{path}: {theirs['.name']}"
        args = theirs.pop(".args", None) or []
        compare_map(where, {k: v for k, v in mine.items() if k != ".args"}, theirs)
        check(where, "number of arguments", len(mine[".args"]), len(args))
        for i, (a, b) in enumerate(zip(mine[".args"], args)):
            check(where, "known value kind", a.pop("kind") != 0, True)
            compare_map(f"{where}: argument {i}", a, b)


def compare_map(where, mine, theirs):
    """What they have we have; what they do not have is 0 or null with us."""
    for key, value in theirs.items():
        check(where, key, mine.get(key, "not read"), value)
    for key, value in mine.items():
        if key not in theirs and key not in (".symbol",):
            check(where, key, value, [0] * len(value) if isinstance(value, list) else None if value is None else 0)


def compare_descriptors(path, ours, processor):
    symbols = {s["Name"]: s for s in ours["symbols"]}
    for k in ours["kernels"]:
        check(path, f"{k['name']}: entry", k["entry_address"], symbols[k["name"]]["Value"])
        check(path, f"{k['name']}: descriptor", k["descriptor_address"], symbols[k["name"] + ".kd"]["Value"])
    if ours["relocatable"]:
        return
    text = run("llvm-objdump-22", "-D", "-j", ".rodata", path)
    blocks = re.findall(r"\.amdhsa_kernel (\S+)\n(.*?)\.end_amdhsa_kernel", text, re.S)
    check(path, "described kernels", sorted(k["name"] for k in ours["kernels"]), sorted(b[0] for b in blocks))
    for name, body in blocks:
        kernel = next(k for k in ours["kernels"] if k["name"] == name)
        for directive, value in re.findall(r"^\s*\.amdhsa_(\w+) (\d+)", body, re.M):
            if directive in DIRECTIVES:
                check(path, f"{name}: {directive}", kernel[DIRECTIVES[directive]], int(value))
            elif directive == "accum_offset":
                check(path, f"{name}: accum_offset", kernel["ACCUM_OFFSET"] * 4 + 4, int(value))
            elif directive == "inst_pref_size":
                field = "INST_PREF_SIZE_GFX11" if processor.startswith("gfx11") else "INST_PREF_SIZE"
                check(path, f"{name}: inst_pref_size", kernel[field], int(value))
            elif directive not in OTHERWISE:
                check(path, f"{name}: directive .amdhsa_{directive}", "not compared", value)


def compare(dump, path, version, target):
    ours = json.loads(run(dump, path).replace("18446744073709551615", "-1"))
    check(path, "code object version", ours["version"], version)
    check(path, "target", ours["target"], target)
    check(path, "generic version", ours["generic_version"], 1 if "generic" in target else 0)
    compare_tables(path, ours)
    compare_metadata(path, ours)
    if version > 2:
        compare_descriptors(path, ours, target.split(":")[0])
    return ours


def compile_cl(target, level, version, output):
    run("clang-22", "-x", "cl", "-cl-std=CL2.0", "-target", TRIPLE, f"-mcpu={target}", f"-mcode-object-version={version}",
        level, "-nogpulib", "-w", "-Xclang", "-mlink-builtin-bitcode", "-Xclang", LIBCLC, "-o", output,
        os.path.join(HERE, "kernels.cl"))


def assemble(target, directory):
    """descriptors.s for the target, as .o and linked."""
    processor, *features = target.split(":")
    tags = {"static"}
    if not re.match("gfx12", processor):
        tags.add("old")
    if re.match("gfx1[0-9][0-9-]", processor):
        tags.add("gfx10")
    if "gfx10" in tags and processor != "gfx1250":
        tags.add("wgp")
    if re.match("gfx1[01]", processor):
        tags.add("shared_vgpr")
    if processor in UNIFIED:
        tags.add("gfx90a")
    paths = []
    for name, wanted in (("static.o", tags), ("dynamic.o", tags - {"static"})):
        lines = []
        for line in open(os.path.join(HERE, "descriptors.s")):
            tag = re.search(r" // (\w+)$", line)
            if not tag or tag.group(1) in wanted:
                lines.append(line)
        text = "".join(lines)
        if "shared_vgpr" in tags:  # only in wave64
            text = text.replace(".amdhsa_wavefront_size32 1", ".amdhsa_wavefront_size32 0")
        source, path = os.path.join(directory, "descriptors.s"), os.path.join(directory, name)
        open(source, "w").write(text)
        wave64 = ["-mattr=+wavefrontsize64"] if "shared_vgpr" in tags else []
        attributes = [f"-mattr={f[-1]}{f[:-1]}" for f in features]
        run("llvm-mc-22", f"-triple={TRIPLE}", f"-mcpu={processor}", *wave64, *attributes, "-filetype=obj", "-o", path, source)
        paths.append(path)
    linked = os.path.join(directory, "linked.so")
    run("ld.lld-22", "-shared", "-o", linked, paths[1])
    return paths[0], linked


def legacy(dump, directory):
    """Versions 2 and 3, which only old compilers write."""
    if not shutil.which("clang-14"):
        print("SKIPPED: code object versions 2 and 3: clang-14 is not installed")
        return
    source = os.path.join(directory, "legacy.cl")
    text = open(os.path.join(HERE, "kernels.cl")).read().replace("counter_pointer = &counter", "counter_pointer")
    text = re.sub(r"__attribute__\(\(noinline\)\).*", "", text, flags=re.S)  # ends with the recursive kernel
    text = re.sub(r"get_(\w+)_id\((.)\)", lambda m: f"__builtin_amdgcn_workitem_id_{'xyz'[int(m.group(2))]}()", text)
    text = text.replace("fmin(in[i], out[i])", "in[i]").replace("barrier(CLK_LOCAL_MEM_FENCE);", "")
    open(source, "w").write(text)
    for version in (2, 3, 4):
        for processor, target in (("gfx803", "gfx803"), ("gfx900:xnack+", "gfx900:xnack+"),
                                  ("gfx906:sramecc-:xnack-", "gfx906:sramecc-:xnack-"), ("gfx900:xnack-", "gfx900:xnack-")):
            path = os.path.join(directory, f"v{version}-{processor}.hsaco")
            run("clang-14", "-x", "cl", "-Xclang", "-finclude-default-header", "-cl-std=CL2.0", "-target", TRIPLE,
                f"-mcpu={processor}", f"-mcode-object-version={version}", "-O2", "-nogpulib", "-w",
                "-fuse-ld=" + shutil.which("ld.lld-22"), "-o", path, source)
            compare(dump, path, version, target)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    missing = [t for t in ("clang-22", "llvm-mc-22", "ld.lld-22", "llvm-readobj-22", "llvm-objdump-22") if not shutil.which(t)]
    if not os.path.exists(LIBCLC):
        missing.append(LIBCLC)
    if missing:
        print("SKIPPED: not installed:", ", ".join(missing))
        sys.exit(1 if os.environ.get("CI") else 77)
    dump, targets = sys.argv[1], sys.argv[2:] or TARGETS
    objects = 0
    with tempfile.TemporaryDirectory() as directory:
        for target in targets:
            default = 6 if "generic" in target else 5
            for level, version in (("-O2", 6), ("-O0", default)) + ((("-O2", 4),) if default == 5 else ()):
                path = os.path.join(directory, f"{target}{level}-v{version}.hsaco")
                compile_cl(target, level, version, path)
                compare(dump, path, version, target)
                objects += 1
            for path in assemble(target, directory):
                compare(dump, path, 6, target)
                objects += 1
        legacy(dump, directory)
        small = os.path.join(directory, "linked.so")
        for path in (small, os.path.join(directory, "static.o")):
            print("damaged:", run(dump, "--damage", path).strip())
    print(f"{objects} objects, {failures} differences")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
