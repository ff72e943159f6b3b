#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hostile ONNX files through the command line: the exit code, one line on
# standard error, nothing on standard output, no result written.
BUILD=${BUILD:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
"$BUILD/tests/test_onnx_hostile" --dump "$tmp" >"$tmp/list" || exit 1
while read -r name code text; do
    file=$tmp/model/$name.onnx
    "$BUILD/sinter" opt "$file" -o "$tmp/result.sn" >"$tmp/out" 2>"$tmp/err" \
        </dev/null
    rc=$?
    if [ $rc -ne "$code" ]; then
        echo "not ok hostile $name: exit code $rc, expected $code"
        bad=1
    elif [ "$(cat "$tmp/err")" != "$file: $text" ]; then
        echo "not ok hostile $name: standard error is"
        cat "$tmp/err"
        bad=1
    elif [ -s "$tmp/out" ] || [ -e "$tmp/result.sn" ]; then
        echo "not ok hostile $name: something was written"
        bad=1
    else
        echo "ok hostile $name"
    fi
    rm -f "$tmp/result.sn"
done <"$tmp/list"
exit $bad
