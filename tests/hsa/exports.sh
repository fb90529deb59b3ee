#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# exports.sh OURS THEIRS: whether our library has every symbol of ROCm's own, with the same version.
set -u
if [ ! -e "$2" ]; then
    echo "$2 is not there (Debian: libhsa-runtime64-1): exports are NOT compared"
    exit 77
fi
symbols() { # ROCm's names, without those of the C++ library that it holds
    nm -D --defined-only "$1" | awk '{ print $3 }' | grep '@@ROCR_1$' | sort
}
symbols "$1" >exports.ours
symbols "$2" >exports.theirs
missing=$(comm -13 exports.ours exports.theirs)
[ -n "$missing" ] && echo "missing: $missing"
echo "ROCm's library has $(wc -l <exports.theirs) symbols, ours $(wc -l <exports.ours)"
[ -z "$missing" ] && [ -s exports.theirs ]
