#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs all tests: installs what they need (as root, on Debian 12); a gcc build with every test; a clang build with
# AddressSanitizer, UndefinedBehaviorSanitizer and the fuzz targets, each run for FUZZ_SECONDS (20), with all tests but those
# that spend their time in a peer. Ends with the summaries.
set -eu
cd "$(dirname "$0")/.."
. scripts/packages.sh
need $BUILD_PACKAGES $TEST_PACKAGES

seconds=${FUZZ_SECONDS:-20}
jobs=$(nproc)
summary=""
failed=0

step() {
    echo
    echo "== $1"
}

# Runs ctest in a build tree and keeps its last lines for the end.
run_ctest() {
    local tree=$1 title=$2 log=$1/ctest.log
    shift 2
    ctest --test-dir "$tree" -j "$jobs" --output-on-failure --no-tests=error "$@" 2>&1 | tee "$log"
    local status=${PIPESTATUS[0]}
    summary+="$title: $(grep -E 'tests passed|tests failed' "$log" || echo 'ctest ran nothing')"$'\n'
    [ "$status" = 0 ] || failed=1
}

unpacked darktable build-darktable '*/kernels/*' || echo "darktable's kernels cannot be fetched: opencl/darktable will be skipped"
unpacked piglit build-piglit '*/cl/*' || echo "Piglit's tests cannot be fetched: opencl/piglit will be skipped"

step "gcc: build and test"
cmake --preset default -DEXECZ_WERROR=ON -DPIGLIT="$PWD/build-piglit/usr/lib/x86_64-linux-gnu/piglit" \
    -DDARKTABLE="$PWD/build-darktable/usr/share/darktable/kernels" >/dev/null
cmake --build --preset default -j "$jobs"
run_ctest build gcc

step "clang 22 with ASan and UBSan: build and test"
cmake --preset san >/dev/null
cmake --build --preset san -j "$jobs"
# an absurd size must be an error of execz, as it is where calloc() returns NULL
export ASAN_OPTIONS=allocator_may_return_null=1
run_ctest build-san "clang, ASan, UBSan" -LE peer

step "fuzz targets, $seconds seconds each"
for fuzzer in build-san/fuzz/fuzz_*; do
    [ -x "$fuzzer" ] && [ -f "$fuzzer" ] || continue
    name=$(basename "$fuzzer")
    corpus=build-san/corpus/$name
    mkdir -p "$corpus" "build-san/artifacts"
    seeds=""
    [ -d "fuzz/seeds/$name" ] && seeds=fuzz/seeds/$name
    if "$fuzzer" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix=build-san/artifacts/ "$corpus" $seeds >"build-san/$name.log" 2>&1; then
        summary+="$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "build-san/$name.log") inputs, no crash"$'\n'
    else
        tail -40 "build-san/$name.log"
        summary+="$name: FAILED"$'\n'
        failed=1
    fi
done

step "summary"
printf '%s' "$summary"
exit $failed
