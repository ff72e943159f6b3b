#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every fuzz target for 30 seconds (FUZZ_TIME), and each with a planted bug that
# it must find within 60.  Needs clang.
. "${0%/*}/../../tools/help.sh"
MAKE=${MAKE:-make} BUILD=${BUILD:-build}
if ! command -v clang >/dev/null; then
    echo "skip fuzz: no clang"
    exit 0
fi
unset SAN
"$MAKE" -s BUILD="$BUILD" FUZZ_TIME="${FUZZ_TIME:-30}" fuzz
a=$?
"$MAKE" -s BUILD="$BUILD" FUZZ_TIME=60 fuzz-planted
b=$?
[ $a -eq 0 ] && [ $b -eq 0 ]
