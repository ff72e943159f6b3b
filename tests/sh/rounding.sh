#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A model quantized for a backend of a fixed-point rounding: its text says so,
# it gives one thing wherever it runs, and nothing writes it as ONNX.
BUILD=${BUILD:-build}
sinter=$BUILD/sinter
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
demo=examples/demo
say() { if [ "$2" = 0 ]; then echo "ok rounding $1"; else echo "not ok rounding $1"; fi; }

pixels='--mul 0.00392156863 --layout nchw'
for r in single double; do
    # shellcheck disable=SC2086
    "$sinter" quantize "$demo/fashion_lrn.onnx" --calib "$demo/calib_images.npy" \
        $pixels -n 64 --target interp_$r --verify --check-passes \
        -o "$tmp/$r.sn" >/dev/null 2>"$tmp/log"
    say "quantize $r" $?
    grep -q "^graph .* rounding $r {\$" "$tmp/$r.sn"
    say "text of $r" $?
done
sed 's/ rounding double {/ {/' "$tmp/double.sn" >"$tmp/float.sn"

# run MODEL OUT ARGS...
run() {
    m=$1 out=$2
    shift 2
    # shellcheck disable=SC2086
    "$sinter" run "$tmp/$m.sn" --input "$demo/test_images.npy" $pixels -n 64 \
        --dump "$tmp/$out.npy" "$@" >"$tmp/$out.out" 2>"$tmp/log"
}
run double plain && run double target --target interp_double && run double cpu --target CPU
say 'runs' $?
cmp -s "$tmp/plain.npy" "$tmp/target.npy" && cmp -s "$tmp/plain.npy" "$tmp/cpu.npy"
say 'one result everywhere' $?
run float floats --target CPU
! cmp -s "$tmp/plain.npy" "$tmp/floats.npy"
say 'another one than floats give' $?
run double check --target CPU --check-kernels &&
    grep -q ', 0 by kernels of CPU' "$tmp/check.out"
say 'no kernel of the CPU' $?

"$sinter" export "$tmp/double.sn" --format qdq -o "$tmp/no.onnx" >/dev/null 2>"$tmp/log"
rc=$?
[ $rc -ne 0 ] && [ ! -e "$tmp/no.onnx" ] &&
    grep -q 'computes with rounding double, which ONNX has no operators for' "$tmp/log"
say 'no export' $?
"$sinter" opt --target interp_single --passes=optimize "$tmp/double.sn" -o "$tmp/no.sn" 2>"$tmp/log"
[ $? -ne 0 ] && grep -q 'is a graph with rounding double; backend interp_single computes rounding single' "$tmp/log"
say 'no other rounding' $?
