#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what is needed (as root, on Debian 12), builds execz, compiles examples/min.cl for fourteen GPUs with and
# without optimisation, runs each on 4096 random pairs of half floats and checks every result.
set -eu
cd "$(dirname "$0")/.."
. scripts/packages.sh
need $BUILD_PACKAGES $KERNEL_PACKAGES

cmake -G Ninja -S . -B build-demo -DCMAKE_BUILD_TYPE=Release -DEXECZ_TESTS=OFF >/dev/null
cmake --build build-demo
execz=build-demo/execz
kernels=build-demo/kernels
mkdir -p $kernels

failed=0
for target in gfx803 gfx900 gfx906 gfx908 gfx90a gfx942 gfx950 gfx1010 gfx1030 gfx1100 gfx1150 gfx1200 gfx1201 gfx1250; do
    for level in O0 O2; do
        file=$kernels/min-$target-$level.hsaco
        [ -f $file ] || clang-22 -x cl -cl-std=CL2.0 -cl-kernel-arg-info -target amdgcn-amd-amdhsa -mcpu=$target -$level \
            -nogpulib -Xclang -mlink-builtin-bitcode -Xclang /usr/lib/clc/amdgcn-amd-amdhsa.bc -o $file examples/min.cl
        # three lines of 4096 numbers: a, b and the result
        if $execz run $file minimum --grid 4096 --block 256 rand:f16:4096:1 rand:f16:4096:2 zero:8192 i32:4096 \
            --show 0:f16 --show 1:f16 --show 2:f16 >$kernels/out.txt &&
            awk 'NR == 1 { n = split($0, a) } NR == 2 { split($0, b) } NR == 3 { m = split($0, c) }
                 END { if (n != 4096 || m != 4096) exit 1
                       for (i = 1; i <= n; i++) if (c[i] + 0 != (a[i] < b[i] ? a[i] : b[i]) + 0) exit 1 }' $kernels/out.txt
        then
            echo "$target -$level: 4096 of 4096 right"
        else
            echo "$target -$level: FAILED"
            failed=1
        fi
    done
done
exit $failed
