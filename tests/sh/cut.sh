#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A file that is cut short while it is mapped: exit code 3 and a line with its
# name, for every mapping and every place of the cut; no output is written.
suite=cut
. tests/sh_case.sh
fault=$BUILD/tests/fault.so

# model N: a graph with a constant of N numbers, which go to a sidecar file.
model() {
    echo 'sinter-graph 1'
    echo 'graph "g" {'
    printf '  %%x = Placeholder() : f32[%d]\n' "$1"
    awk -v n="$1" 'BEGIN { printf "  %%c = Constant() {data = ["
        for (i = 0; i < n; i++) printf "%s%d", i ? ", " : "", i * 7 % 1000 + 1
        printf "]} : f32[%d]\n", n }'
    printf '  %%y = Add(%%x, %%c) : f32[%d]\n  Save(%%y) {name = "y"}\n}\n' "$1"
}

# cut NAME ARGS...: each file that sinter ARGS maps in $tmp/d is cut in turn.
cut() {
    name=$1
    shift
    rm -rf "$tmp/d" && cp -r "$tmp/kept" "$tmp/d"
    FAULT_SET=cut FAULT_COUNT=$tmp/n LD_PRELOAD=$fault "$sinter" "$@" \
        >"$tmp/out" 2>"$tmp/err" || {
        echo "not ok $suite $name: $(head -n 1 "$tmp/err")"
        bad=1
        return
    }
    n=$(cat "$tmp/n") i=0 wrong=0
    while [ $((i += 1)) -le "$n" ]; do
        for size in 0 4096 20000 -9000 -1; do
            rm -rf "$tmp/d" && cp -r "$tmp/kept" "$tmp/d"
            FAULT_SET=cut FAULT_AT=$i FAULT_SIZE=$size LD_PRELOAD=$fault \
                "$sinter" "$@" >"$tmp/out" 2>"$tmp/err"
            rc=$?
            if [ $rc -ne 3 ] || ! grep -q "$tmp/d/.* was cut short" "$tmp/err" ||
                [ -e "$tmp/d/made" ] || [ -e "$tmp/d/made.onnx" ] || ls "$tmp/d" | grep -q tmp; then
                echo "| $name, mapping $i cut to $size: exit code $rc, $(head -n 1 "$tmp/err")"
                wrong=$((wrong + 1))
            fi
        done
    done
    if [ "$n" -gt 0 ] && [ $wrong -eq 0 ]; then
        echo "ok $suite $name: $n mappings"
    else
        echo "not ok $suite $name: $n mappings, $wrong runs go wrong"
        bad=1
    fi
}

mkdir "$tmp/kept" "$tmp/in"
model 30000 >"$tmp/in/m.sn"
"$sinter" opt "$tmp/in/m.sn" --passes=dce -o "$tmp/kept/side.sn" || exit 1
"$sinter" export "$tmp/in/m.sn" --format=qdq -o "$tmp/kept/m.onnx" 2>"$tmp/err" || exit 1
cp "$tmp/in/m.sn" "$tmp/kept/inline.sn"
printf '\223NUMPY\001\000\166\000%-117s\n' \
    "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 30000), }" >"$tmp/x.npy"
head -c 120000 /dev/zero >>"$tmp/x.npy"

cut text opt "$tmp/d/inline.sn" --passes=dce -o "$tmp/d/made"
cut side opt "$tmp/d/side.sn" --passes=dce -o "$tmp/d/made"
cut onnx opt "$tmp/d/m.onnx" --passes=dce -o "$tmp/d/made"
cut export export "$tmp/d/side.sn" --format=qdq -o "$tmp/d/made.onnx"
cut export_onnx export "$tmp/d/m.onnx" --format=qdq -o "$tmp/d/made.onnx"
cut run run "$tmp/d/side.sn" --input "$tmp/x.npy" --dump "$tmp/d/made"
cut run_onnx run "$tmp/d/m.onnx" --input "$tmp/x.npy" --dump "$tmp/d/made"

# Packed weights beside a model, too.
rm -rf "$tmp/kept" "$tmp/d"
mkdir "$tmp/d"
"$sinter" quantize $demo/fashion_lrn.onnx --calib $demo/calib_images.npy -n 16 \
    --mul 0.00392156863 -o "$tmp/d/q.sn" >"$tmp/out" || exit 1
"$sinter" bench "$tmp/d/q.sn" --runs 3 --pack-cache >"$tmp/out" || exit 1
mv "$tmp/d" "$tmp/kept"
cut packed run "$tmp/d/q.sn" --backend cpu --pack-cache -n 50 --mul 0.00392156863 \
    --input $demo/test_images.npy --labels $demo/test_labels.npy --dump "$tmp/d/made"
exit $bad
