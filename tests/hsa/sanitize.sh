#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sanitize.sh SOURCES BUILD: the tests of the HSA interface under valgrind, AddressSanitizer with UndefinedBehaviorSanitizer, and
# ThreadSanitizer, then HIP's stress program on the runtime with AddressSanitizer. The sanitizers' builds are below BUILD.
set -eu
sources=$1
build=$2

echo "valgrind"
valgrind --quiet --error-exitcode=9 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    "$build/tests/hsa/test_hsa"

sanitized() { # NAME CMAKE_OPTION
    cmake -G Ninja -S "$sources" -B "$build/hsa-$1" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DEXECZ_SIMD_LEVELS=OFF "$2" >/dev/null
    cmake --build "$build/hsa-$1" --target test_hsa hsa_kernels >/dev/null
    "$build/hsa-$1/tests/hsa/test_hsa"
}
echo "AddressSanitizer, UndefinedBehaviorSanitizer"
sanitized asan -DEXECZ_SANITIZE=ON
echo "ThreadSanitizer"
TSAN_OPTIONS="halt_on_error=0 exitcode=66 die_after_fork=0" sanitized tsan -DEXECZ_TSAN=ON

stress=$build/tests/hip/gfx90a/stress
if [ -x "$stress" ]; then
    echo "HIP's stress program, AddressSanitizer in the runtime" # HIP leaks at its end: not asked for
    cmake --build "$build/hsa-asan" --target hsa-runtime64 >/dev/null
    EXECZ_TARGET=gfx90a ASAN_OPTIONS=detect_leaks=0 LD_PRELOAD=$(gcc -print-file-name=libasan.so) \
        LD_LIBRARY_PATH=$build/hsa-asan/lib/execz "$stress"
fi
echo "clean"
