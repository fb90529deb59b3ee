# SPDX-License-Identifier: Apache-2.0
# Debian 12 packages, for the other scripts to source: what is missing is installed when that is allowed.

BUILD_PACKAGES="build-essential cmake ninja-build pkg-config libelf-dev libdw-dev libmsgpack-dev libzstd-dev zlib1g-dev libjansson-dev"
KERNEL_PACKAGES="clang-22 lld-22 llvm-22 libclc-22"
# HSA's headers; the compilers of HIP and OpenMP programs, with their runtimes: about 130 MB to download
HIP_PACKAGES="libhsa-runtime-dev hipcc libamdhip64-dev gcc-12-offload-amdgcn libgomp-plugin-amdgcn1"
TEST_PACKAGES="libcmocka-dev libmpfr-dev libclang-rt-22-dev librocrand-dev python3 pocl-opencl-icd ocl-icd-opencl-dev opencl-c-headers $KERNEL_PACKAGES $HIP_PACKAGES"

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

# unpacked PACKAGE FOLDER PATTERN: the files of a package that is too large to be installed whole.
unpacked() {
    [ -d "$2" ] && return 0
    mkdir -p "$2.part" "$2.deb"
    (cd "$2.deb" && apt-get download -q "$1") &&
        dpkg-deb --fsys-tarfile "$2.deb"/*.deb | tar x -C "$2.part" --wildcards "$3" && mv "$2.part" "$2"
    local status=$?
    rm -rf "$2.deb" "$2.part"
    return $status
}
