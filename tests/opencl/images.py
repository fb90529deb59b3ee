# SPDX-License-Identifier: Apache-2.0
"""OpenCL C's functions on 2D images for AMD targets, which libclc lacks: LLVM assembly that calls the image instructions. An image is
the address of its resource, a sampler that of 4 dwords."""
import re
import subprocess

HEAD = '''target datalayout = "%s"
target triple = "amdgcn-amd-amdhsa"
declare <4 x float> @llvm.amdgcn.image.sample.lz.2d.v4f32.f32(i32, float, float, <8 x i32>, <4 x i32>, i1, i32, i32)
declare <4 x float> @llvm.amdgcn.image.load.2d.v4f32.i32(i32, i32, i32, <8 x i32>, i32, i32)
declare void @llvm.amdgcn.image.store.2d.v4f32.i32(<4 x float>, i32, i32, i32, <8 x i32>, i32, i32)
declare <4 x float> @llvm.amdgcn.image.getresinfo.2d.v4f32.i32(i32, i32, <8 x i32>, i32, i32)
'''
RESOURCE = "  %r = load <8 x i32>, ptr addrspace(4) %image, align 32\n"
ACCESS = {"ro": ("read",), "wo": ("write",), "rw": ("read", "write")}
# name, suffix of the element's type, its LLVM type
KINDS = [("f", "f", "<4 x float>"), ("i", "i", "<4 x i32>"), ("ui", "j", "<4 x i32>")]


def mangled(name, *types):
    return "_Z%d%s%s" % (len(name), name, "".join(types))


def result(type_):
    if type_ == "<4 x float>":
        return "  ret <4 x float> %t\n}\n"
    return "  %u = bitcast <4 x float> %t to <4 x i32>\n  ret <4 x i32> %u\n}\n"


def elements(at, type_):
    return "".join("  %%%s%d = extractelement <2 x %s> %%%s, i32 %d\n" % (at, i, type_, at, i) for i in range(2))


def reads(image, kind, type_):
    for suffix, coordinate in (("Dv2_i", "i32"), ("Dv2_f", "float")):
        name = mangled("read_image" + kind, image, "11ocl_sampler", suffix)
        yield "define %s @%s(ptr addrspace(4) %%image, ptr addrspace(4) %%sampler, <2 x %s> %%c) alwaysinline {\n" % (type_, name, coordinate)
        yield RESOURCE + "  %s = load <4 x i32>, ptr addrspace(4) %sampler, align 16\n"
        if coordinate == "i32":
            yield "  %f = sitofp <2 x i32> %c to <2 x float>\n" + elements("f", "float")
        else:
            yield "  %f = fadd <2 x float> %c, <float -0.0, float -0.0>\n" + elements("f", "float")
        yield ("  %t = call <4 x float> @llvm.amdgcn.image.sample.lz.2d.v4f32.f32(i32 15, float %f0, float %f1, <8 x i32> %r, "
               "<4 x i32> %s, i1 true, i32 0, i32 0)\n")
        yield result(type_)
    yield "define %s @%s(ptr addrspace(4) %%image, <2 x i32> %%c) alwaysinline {\n" % (type_, mangled("read_image" + kind, image, "Dv2_i"))
    yield RESOURCE + elements("c", "i32")
    yield "  %t = call <4 x float> @llvm.amdgcn.image.load.2d.v4f32.i32(i32 15, i32 %c0, i32 %c1, <8 x i32> %r, i32 0, i32 0)\n"
    yield result(type_)


def writes(image, kind, element, type_):
    name = mangled("write_image" + kind, image, "Dv2_i", "Dv4_" + element)
    yield "define void @%s(ptr addrspace(4) %%image, <2 x i32> %%c, %s %%x) alwaysinline {\n" % (name, type_)
    yield RESOURCE + elements("c", "i32") + "  %%t = bitcast %s %%x to <4 x float>\n" % type_
    yield ("  call void @llvm.amdgcn.image.store.2d.v4f32.i32(<4 x float> %t, i32 15, i32 %c0, i32 %c1, <8 x i32> %r, i32 0, i32 0)\n"
           "  ret void\n}\n")


def sizes(image):
    for n, name in enumerate(("get_image_width", "get_image_height")):
        yield "define i32 @%s(ptr addrspace(4) %%image) alwaysinline {\n" % mangled(name, image) + RESOURCE
        yield "  %t = call <4 x float> @llvm.amdgcn.image.getresinfo.2d.v4f32.i32(i32 15, i32 0, <8 x i32> %r, i32 0, i32 0)\n"
        yield "  %%u = bitcast <4 x float> %%t to <4 x i32>\n  %%v = extractelement <4 x i32> %%u, i32 %d\n  ret i32 %%v\n}\n" % n


def samplers():
    """A table by the bits of a sampler's initialiser: 1 normalised, 14 the edge, 48 the filter; the dwords as [RDNA3] 8.2.6 has them."""
    edges = {0: 2, 2: 2, 4: 6, 6: 0, 8: 1}  # none, clamp to edge, clamp, repeat, mirrored repeat
    rows = []
    for bits in range(64):
        edge, linear = edges.get(bits & 14, 2), bits >> 5 & 1
        words = [edge | edge << 3 | edge << 6 | (not bits & 1) << 15, 0, linear << 20 | linear << 22, 0]
        rows.append("<4 x i32> <%s>" % ", ".join("i32 %d" % w for w in words))
    yield "@samplers = internal addrspace(4) constant [64 x <4 x i32>] [%s], align 16\n" % ", ".join(rows)
    yield ("define ptr addrspace(4) @__translate_sampler_initializer(i32 %bits) alwaysinline {\n"
           "  %p = getelementptr [64 x <4 x i32>], ptr addrspace(4) @samplers, i64 0, i32 %bits\n  ret ptr addrspace(4) %p\n}\n")


def library(output, stubs=False):
    """Writes the functions as bitcode to the file `output`; `stubs`: without instructions for images, for targets that have none."""
    layout = subprocess.run(["clang-22", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-nogpulib", "-x", "cl", "-S", "-emit-llvm", "-o", "-", "-"],
                            input="", capture_output=True, text=True, check=True).stdout.split('datalayout = "')[1].split('"')[0]
    text = HEAD % layout + "".join(samplers())
    for access, does in ACCESS.items():
        image = "14ocl_image2d_" + access
        for kind, element, type_ in KINDS:
            text += "".join(reads(image, kind, type_)) if "read" in does else ""
            text += "".join(writes(image, kind, element, type_)) if "write" in does else ""
        text += "".join(sizes(image))
    if stubs:
        text = re.sub(r"  %t = call .*", "  %t = freeze <4 x float> poison", re.sub(r"  call void .*", "", text))
        text = re.sub(r"declare .*\n", "", text)
    subprocess.run(["llvm-as-22", "-o", output, "-"], input=text, text=True, check=True)
