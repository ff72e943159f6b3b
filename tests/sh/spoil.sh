#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ONNX models of one operator, and small ones of quantized networks, with one
# thing changed, for every possible change (tests/tools/spoil.c).
BUILD=${BUILD:-build} SHARED=${SHARED:-../shared}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
for t in values opsets; do
    mkdir "$tmp/$t"
    "$BUILD/tests/test_onnx_$t" --dump "$tmp/$t" || bad=1
done
"$BUILD/tests/spoil" "$tmp"/*/*.onnx || bad=1
if [ ! -d "$SHARED/data" ]; then
    echo "skip spoil: no $SHARED/data"
    exit $bad
fi
for d in node quantized; do
    # Models by name: none of them has spaces.
    # shellcheck disable=SC2046
    "$BUILD/tests/spoil" $(find -L "$SHARED/data/$d" -name '*.onnx' -size -4k | LC_ALL=C sort) || bad=1
done
exit $bad
