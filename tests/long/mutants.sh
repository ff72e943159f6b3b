#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every rule damaged in every way: all are refused, or proved right.
. "${0%/*}/../../tools/help.sh"
out=$BUILD/tests/mutants.out
"$BUILD/tests/mutants" -t nodes.def passes.def src/backend/*/*.def >"$out" 2>&1
rc=$?
sed 's/^/| /' "$out"
if [ $rc = 0 ] && tail -n 1 "$out" | grep -q ' 0 survived: 100.0 %$'; then
    echo "ok mutants"
else
    echo "not ok mutants"
    exit 1
fi
