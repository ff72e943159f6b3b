#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Quantizes the bundled LRN network on its real images and says what happened.
# Usage: demo.sh BUILD; writes its results to BUILD/demo.
set -eu
build=${1:-build}
here=$(dirname "$0")
out=$build/demo
sinter=$build/sinter
pixels='--mul 0.00392156863 --layout nchw'
mkdir -p "$out"

echo "== The model: a float network with two LRNs, trained on Fashion-MNIST"
"$sinter" inspect "$here/fashion_lrn.onnx"
echo
echo "== Quantize to int8, 256 calibration images"
# shellcheck disable=SC2086
"$sinter" quantize "$here/fashion_lrn.onnx" --calib "$here/calib_images.npy" \
    $pixels --backend cpu \
    --dump-profile "$out/profile.json" --print-after integerize --time-passes \
    -o "$out/fashion_lrn.sn" 2>"$out/log"
# integerize runs twice; what it gives first is the graph before.
sed -n '/^sinter-graph/,/^}/{p;/^}/q}' "$out/log" >"$out/before.sn"
sed '/^; after/,/^}/d' "$out/log"
echo
echo "== Every Rescale left, and why"
"$sinter" why "$out/fashion_lrn.sn" --backend cpu
echo
echo "== Top-1 on 2000 test images"
score() { # NAME MODEL
    t=$(date +%s%N)
    # shellcheck disable=SC2086
    got=$("$sinter" run "$2" --input "$here/test_images.npy" \
        --labels "$here/test_labels.npy" $pixels --backend cpu)
    echo "$1: $got in $((($(date +%s%N) - t) / 1000000)) ms"
}
score float "$here/fashion_lrn.onnx"
score 'int8 ' "$out/fashion_lrn.sn"
echo
for p in before after; do
    sn=$out/before.sn
    [ $p = before ] || sn=$out/fashion_lrn.sn
    "$sinter" draw "$sn" -o "$out/$p.svg"
    "$sinter" draw "$sn" -o "$out/$p.png"
    echo "picture: $out/$p.svg"
done
