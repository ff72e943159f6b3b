#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A data set as folders of JPEG pictures (quality 95, Debian's python3-pil)
# against the same data as .npy: top-1 of a trained model, in float and int8,
# within .3 points.
#   SHARED=../shared BUILD=build sh tests/long/pictures.sh
. "${0%/*}/../../tools/help.sh"
set -u
BUILD=${BUILD:-build} SHARED=${SHARED:-../shared}
sinter=$BUILD/sinter data=$SHARED/data
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0

sh tools/deps.sh python3-pil python3-numpy || exit 1
onnx=$data/trained/alexnet_lrn_cifar10/model.onnx
[ -s "$onnx" ] || { echo "skip pictures: there is no $onnx"; exit 0; }
cat >"$tmp/mk.py" <<'END'
import os
import sys
import numpy as np
from PIL import Image

data, to = sys.argv[1:]
for part in "calib", "test":
    x = np.load(f"{data}/datasets/cifar10_{part}_x.npy")
    y = np.load(f"{data}/datasets/cifar10_{part}_y.npy").reshape(-1)
    if x.shape[-1] != 3:
        x = x.transpose(0, 2, 3, 1)
    assert x.dtype == np.uint8, x.dtype
    for i, (p, c) in enumerate(zip(x, y)):
        os.makedirs(f"{to}/{part}/{c}", exist_ok=True)
        Image.fromarray(p).save(f"{to}/{part}/{c}/{i:05}.jpg", quality=95,
                                subsampling=0)
END
/usr/bin/python3 "$tmp/mk.py" "$data" "$tmp" || exit 1

top1() { sed -n 's/^top-1 \([0-9.]*\) .*/\1/p'; }
near() { # NAME A B
    if awk -v a="$2" -v b="$3" 'BEGIN { d = a - b
            exit !(a > 0 && b > 0 && d <= .003 && d >= -.003) }'; then
        echo "ok pictures $1: $2 as .npy, $3 as JPEG"
    else
        echo "not ok pictures $1: $2 as .npy, $3 as JPEG"
        bad=1
    fi
}
# What the model was trained on: models.tsv has it as a factor and a summand.
npy=$(awk -F'\t' '$1 == "trained/alexnet_lrn_cifar10" {
    print "--mul", $5, "--add", $6 }' "$data/models.tsv")
pixels='--mean 0.4914,0.4822,0.4465 --std 0.247,0.2435,0.2616'
# shellcheck disable=SC2086 # several words
{
    n=$("$sinter" run "$onnx" --input "$data/datasets/cifar10_test_x.npy" $npy \
        --labels "$data/datasets/cifar10_test_y.npy" | top1)
    j=$("$sinter" run "$onnx" --input "$tmp/test" $pixels | top1)
    near float "$n" "$j"
    "$sinter" quantize "$onnx" --calib "$data/datasets/cifar10_calib_x.npy" \
        $npy -n 256 -o "$tmp/n.sn" >"$tmp/log" 2>&1 || bad=1
    "$sinter" quantize "$onnx" --calib "$tmp/calib" $pixels -n 256 \
        -o "$tmp/j.sn" >>"$tmp/log" 2>&1 || bad=1
    n=$("$sinter" run "$tmp/n.sn" --input "$data/datasets/cifar10_test_x.npy" \
        $npy --labels "$data/datasets/cifar10_test_y.npy" | top1)
    j=$("$sinter" run "$tmp/j.sn" --input "$tmp/test" | top1)
    near int8 "$n" "$j"
}
exit $bad
