#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every light/light_* topology imports, quantizes from one input and verifies
# after every pass; every trained and random model stays within a point.
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build}
SHARED=${SHARED:-../shared}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
if [ ! -d "$SHARED/data/light" ]; then
    echo "skip light: no data under $SHARED"
    exit 0
fi
for m in "$SHARED"/data/light/light_*; do
    name=$(basename "$m")
    if "$BUILD/sinter" quantize "$m/model.onnx" --verify \
        --calib "$SHARED/data/light/input_0_1x3x224x224.pb" -o "$tmp/m.sn" \
        >"$tmp/log" 2>&1; then
        echo "ok $name"
    else
        echo "not ok $name: $(tail -n 2 "$tmp/log")"
        bad=1
    fi
done
if sh tools/zoo.sh "$BUILD" "$SHARED" 1000; then
    echo "ok zoo"
else
    echo "not ok zoo"
    bad=1
fi
exit $bad
