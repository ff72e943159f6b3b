#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Calibration data is read sample by sample: peak memory on 1000 images of
# 224x224 equals that on 100, within 5 %.  One run of full-size light_vgg19.
# Prints peak resident memory and time; only memory is judged.
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build} SHARED=${SHARED:-../shared}
light=$SHARED/data/light
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if [ ! -d "$light" ]; then
    echo "skip calib_memory: no data under $SHARED"
    exit 0
fi
sh tools/deps.sh time || exit 1

# profile MODEL FILE: "KiB seconds", peak resident memory and time.
profile() {
    /usr/bin/time -o "$tmp/time" -f '%M %e' "$BUILD/sinter" profile \
        "$light/$1/model.onnx" --calib "$2" -o "$tmp/p.json" >"$tmp/log" 2>&1 &&
        tail -n 1 "$tmp/time"
}

"$BUILD/tests/mkdata" "$tmp/i.npy" 1000 3x224x224
"$BUILD/tests/mkdata" "$tmp/few.npy" 100 3x224x224
m=squeezenet_div8_random
few=$(profile $m "$tmp/few.npy") many=$(profile $m "$tmp/i.npy")
echo "| $m: 100 images ${few% *} KiB ${few#* } s, 1000 images ${many% *} KiB ${many#* } s"
if awk -v a="${few% *}" -v b="${many% *}" 'BEGIN { exit !(a > 0 && b <= 1.05 * a && b >= 0.95 * a) }'; then
    echo "ok calib_memory: 100 and 1000 images alike"
else
    echo "not ok calib_memory: '$few' KiB s for 100 images, '$many' for 1000: $(tail -n 1 "$tmp/log")"
fi
"$BUILD/tests/mkdata" "$tmp/i.npy" 8 3x224x224
vgg=$(profile light_vgg19 "$tmp/i.npy")
if [ -n "$vgg" ]; then
    echo "| light_vgg19: 8 images ${vgg% *} KiB ${vgg#* } s"
    echo "ok calib_memory: light_vgg19"
else
    echo "not ok calib_memory: light_vgg19: $(tail -n 1 "$tmp/log")"
fi
