#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Under the sanitizers of make san every kernel of the CPU backend writes one
# byte after its result, before it, into its operands and after its working
# memory, by every instruction set of this machine; each is caught, and all of
# them within 60 seconds of the processor.  Prints how many kernels there are.
. "${0%/*}/../../tools/help.sh"
MAKE=${MAKE:-make} BUILD=${BUILD:-build} CC=${CC:-gcc}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset SAN
san=$BUILD/san
if ! "$MAKE" -s --no-print-directory BUILD="$san" CC="$CC" OPT='-O1 -fexpensive-optimizations -g' \
    SAN='-fsanitize=address,undefined -fno-sanitize-recover=all' "$san/tests/test_fence" \
    >"$tmp/log" 2>&1; then
    echo "not ok stray: does not build"
    tail -n 5 "$tmp/log"
    exit 1
fi
# shellcheck disable=SC3045 # dash and busybox have it
(ulimit -t 60 && exec "$san/tests/test_fence") >"$tmp/out" 2>&1
rc=$?
n=$(sed -n 's/.*[^x]nkernel = \([0-9]*\), .kernel = cpu_kernels.*/\1/p' "$san"/gen/sn_rules.c)
sets=$(grep -c ": $n of $n kernels, " "$tmp/out")
if [ $rc -eq 0 ] && [ "${n:-0}" -gt 0 ] && [ "$sets" -gt 0 ] &&
    ! grep ' kernels, ' "$tmp/out" | grep -qv ": $n of $n kernels, "; then
    echo "ok stray: $n kernels, $sets instruction sets"
    sed -n 's/^\(.* kernels, .*\)$/| \1/p' "$tmp/out"
else
    echo "not ok stray: exit code $rc, $sets instruction sets with all of ${n:-0} kernels"
    grep -aE 'not reached|ERROR|FAILED|SUMMARY|status' "$tmp/out" | head -n 5
    exit 1
fi
