#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Unit and kernel tests on aarch64: built by the cross compiler, run by qemu,
# with NEON's dot products; and the table of output hashes.  Libraries come from
# Debian's arm64 packages, unpacked next to the build.
#
#   sh tests/long/arm.sh [TEST...]     only these, without the table
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build} MAKE=${MAKE:-make}
unset SAN CC
if ! sh tools/deps.sh gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user; then
    echo "skip arm: no cross compiler or emulator"
    exit 0
fi
arm=$BUILD/arm64 root=$BUILD/arm64-root
mkdir -p "$arm"
if ! sh tools/sysroot.sh arm64 "$root"; then
    echo "skip arm: no packages of arm64"
    exit 0
fi
root=$(cd "$root" && pwd)
lib=$root/usr/lib/aarch64-linux-gnu:$root/lib/aarch64-linux-gnu
# The generator runs here: what it writes depends on no machine.
cp "$BUILD/sinter-gen" "$arm/sinter-gen"
touch "$arm/.deps"
# The prover is no part of what runs on a device, and takes hours in an emulator.
tests=${*:-$(find tests/unit -name 'test_*.c' | sed 's|.*/||; s|\.c$||' |
    grep -vE 'prove|calculus|test_real$|replay|resolve|parse' | sort)}
table=
[ $# -gt 0 ] || table="$arm/tests/random_graphs $arm/sinter"
# LDFLAGS in the environment: on make's command line it would replace what single
# tests add to it.
# shellcheck disable=SC2086
if ! LDFLAGS="-L${lib%%:*} -Wl,-rpath-link,$lib" "$MAKE" -s -j2 -o "$arm/sinter-gen" BUILD="$arm" \
    CC=aarch64-linux-gnu-gcc $(printf "$arm/tests/%s " $tests) \
    $table >"$arm/log" 2>&1; then
    echo "not ok arm: does not build"
    tail -n 5 "$arm/log"
    exit 1
fi
RUN="qemu-aarch64 -cpu max -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=$lib"
export RUN
bad=0
for t in $tests; do
    if $RUN "$arm/tests/$t" >"$arm/$t.log" 2>&1; then
        echo "ok arm $t: $(grep -c '\[       OK' "$arm/$t.log") tests"
        [ "$t" != test_random_kernels ] || sed -n '$s/^/| /p' "$arm/$t.log"
    else
        echo "not ok arm $t"
        grep -E 'FAILED|ERROR|rror' "$arm/$t.log" | head -n 3
        bad=1
    fi
done
[ -n "$table" ] || exit $bad
BUILD=$arm sh tests/sh/hashes.sh | sed 's/hashes/hashes arm/' >"$arm/hashes.log"
cat "$arm/hashes.log"
! grep -q '^not ok' "$arm/hashes.log" || bad=1
exit $bad
