#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# openmp_examples.sh WORK EXECZ TARGET: the OpenMP examples of gcc's own tests (libgomp.c/examples-4, and target-*.c beside it), out of
# Debian's gcc-12-source, compiled with gcc-12 for the target and run on the device. Those that gcc-12 does not compile for the
# device are named and do not count.
set -u
work=$1 execz=$2 target=$3
. "$(dirname "$0")/../../scripts/packages.sh"
if [ ! -d "$work/gcc/libgomp.c" ]; then
    unpacked gcc-12-source "$work/gcc-source" '*/gcc-12.*.tar.xz' || exit 1
    mkdir -p "$work/gcc"
    tar xJf "$work"/gcc-source/usr/src/gcc-12/gcc-12.*.tar.xz -C "$work/gcc" --strip-components=3 \
        --wildcards '*/libgomp/testsuite/libgomp.c/*' || exit 1
    rm -rf "$work/gcc-source"
fi
run() { # POLICY
    OMP_TARGET_OFFLOAD=$1 timeout 300 "$execz" launch -t "$target" -- "$program" >"$program.log" 2>&1
}
passed=0 failed=0 left=0
for source in "$work"/gcc/libgomp.c/examples-4/*.c "$work"/gcc/libgomp.c/target-[0-9]*.c; do
    name=$(basename "$source" .c)
    program=$work/example.$target
    more=$(sed -n 's/.*dg-additional-sources "\([^"]*\)".*/\1/p' "$source")
    options=$(sed -n 's/.*dg-\(additional-\)\?options "\([^"]*\)".*/\2/p' "$source" | head -1)
    compile="gcc-12 -O2 -fopenmp $options -I$(dirname "$source") -o $program $source ${more:+$(dirname "$source")/$more} -lm"
    if ! $compile -foffload=amdgcn-amdhsa -foffload=-march="$target" -foffload=-lm 2>/dev/null; then
        echo "$name: gcc-12 does not compile it for $target"
        left=$((left + 1))
    elif run MANDATORY || { grep -q "device not found" "$program.log" && run DEFAULT; }; then # it asks for the host as well
        passed=$((passed + 1))
    else
        echo "$name: status $?"
        head -3 "$program.log"
        failed=$((failed + 1))
    fi
done
echo "$target: $passed passed, $failed failed, $left left out"
[ $failed = 0 ]
