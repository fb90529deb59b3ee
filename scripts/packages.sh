# SPDX-License-Identifier: Apache-2.0
# Debian 12 packages, for the other scripts to source: what is missing is installed when that is allowed.

BUILD_PACKAGES="build-essential cmake ninja-build pkg-config libelf-dev libmsgpack-dev libzstd-dev zlib1g-dev libjansson-dev"
KERNEL_PACKAGES="clang-22 lld-22 llvm-22 libclc-22"
TEST_PACKAGES="libcmocka-dev libmpfr-dev libclang-rt-22-dev librocrand1 python3 $KERNEL_PACKAGES"

# need PACKAGE ...: installs those that are missing as root, or says how to.
need() {
    missing=""
    for package in "$@"; do
        dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
    done
    [ -z "$missing" ] && return 0
    if [ "$(id -u)" != 0 ]; then
        echo "Missing packages. As root: apt-get install$missing" >&2
        return 1
    fi
    apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends $missing
}
