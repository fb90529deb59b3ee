#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# openmp.sh SOURCES WORK EXECZ TARGET: compiles openmp_offload.c with gcc-12 for the target and runs it on the device.
set -u
if ! gcc-12 -print-prog-name=accel/amdgcn-amdhsa/mkoffload 2>/dev/null | grep -q / ||
    ! ls /usr/lib/x86_64-linux-gnu/libgomp-plugin-gcn.so.1 >/dev/null 2>&1; then
    echo "gcc-12-offload-amdgcn or libgomp-plugin-amdgcn1 is not installed: OpenMP is NOT tested"
    [ -n "${CI:-}" ] && exit 1
    exit 77
fi
program=$2/openmp_offload.$4
gcc-12 -O2 -fopenmp -foffload=amdgcn-amdhsa -foffload=-march="$4" -o "$program" "$1/openmp_offload.c" 2>/dev/null || exit 1
OMP_TARGET_OFFLOAD=MANDATORY "$3" launch -t "$4" -- "$program"
