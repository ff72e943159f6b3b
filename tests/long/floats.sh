#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# exp, log, tanh and erf of each float: every instruction set gives the bits of
# base/fmath.h, in place and not.  On two processors; SINTER_PART=N: an Nth of
# the floats, in blocks of 65 536.
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build}
n=$((2 * ${SINTER_PART:-1}))
tmp=$(mktemp -d)
one=
trap 'kill $one 2>/dev/null; rm -rf "$tmp"' EXIT
trap 'exit 1' INT TERM

SINTER_FLOATS=0/$n "$BUILD/tests/test_exp_f32" >"$tmp/0" 2>&1 &
one=$!
SINTER_FLOATS=1/$n "$BUILD/tests/test_exp_f32" >"$tmp/1" 2>&1
bad=$?
wait $one || bad=1
one=
if [ $bad -eq 0 ]; then
    echo "ok floats: $((65535 / n + 65534 / n + 2)) blocks of 65536"
else
    echo "not ok floats"
    grep -ha '^ERROR\|^\[  ERROR\|: element' "$tmp/0" "$tmp/1" | head -n 6
fi
exit $bad
