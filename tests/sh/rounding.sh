#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A model quantized for a backend with a fixed-point rounding: its text says so,
# it gives the same results wherever it runs, and ONNX has it only as a twin.
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
# shellcheck disable=SC2086
"$sinter" run "$tmp/double.sn" --input "$demo/test_images.npy" $pixels -n 64 --target CPU \
    --check-kernels >"$tmp/check.out" 2>"$tmp/log" && grep -q ', 0 by kernels of CPU' "$tmp/check.out"
say 'no kernel of the CPU' $?

"$sinter" export "$tmp/double.sn" --format qdq -o "$tmp/no.onnx" >/dev/null 2>"$tmp/log"
rc=$?
[ $rc -ne 0 ] && [ ! -e "$tmp/no.onnx" ] &&
    grep -q 'computes with rounding double, which ONNX has no operators for' "$tmp/log"
say 'no export' $?

# Operators of reals, and how far they are: the list, and the same in the model.
"$sinter" export "$tmp/double.sn" --format qdq-twin -o "$tmp/twin.onnx" >"$tmp/list" 2>"$tmp/log"
say 'a twin is written' $?
grep -q '^/Relu_output_0 (ChannelwiseConv2D): -1 to 1 codes, by sn_double_contract$' "$tmp/list" &&
    grep -q '(MaxPool): 0 to 0 codes, reached$' "$tmp/list" &&
    grep -q '(LRN): no bound: ONNX does not say how' "$tmp/list" &&
    grep -q '^12 nodes on codes under arithmetic double: 4 .* 6 at most 1 code .* 2 without' "$tmp/list"
say 'with a bound for each node' $?
"$sinter" export "$tmp/double.sn" --format qdq-twin --json -o "$tmp/twin.onnx" >"$tmp/json" 2>"$tmp/log" &&
    grep -q '^{"arithmetic":"double","hash":null,"nodes":\[{' "$tmp/json" &&
    tr -d '\n' <"$tmp/json" >"$tmp/line" && grep -qaF -f "$tmp/line" "$tmp/twin.onnx"
say 'which the model has, too' $?
# shellcheck disable=SC2086
"$sinter" export "$tmp/float.sn" --format qdq -o "$tmp/qdq.onnx" >/dev/null 2>"$tmp/log" &&
    ! grep -qa 'sinter.twin' "$tmp/qdq.onnx" &&
    "$sinter" run "$tmp/twin.onnx" --input "$demo/test_images.npy" $pixels -n 64 \
        --dump "$tmp/t.npy" >"$tmp/log" 2>&1 &&
    "$sinter" run "$tmp/qdq.onnx" --input "$demo/test_images.npy" $pixels -n 64 \
        --dump "$tmp/q.npy" >"$tmp/log" 2>&1 && cmp -s "$tmp/t.npy" "$tmp/q.npy"
say 'and is the QDQ model of these codes' $?
"$sinter" export "$tmp/double.sn" --format qoperator --json -o "$tmp/no.onnx" >/dev/null 2>"$tmp/log"
[ $? -eq 2 ] && grep -q 'prints the bounds of a twin' "$tmp/log"
say 'no other form has bounds' $?
for r in single double float; do
    # shellcheck disable=SC2086
    "$sinter" run "$tmp/$r.sn" --input "$demo/test_images.npy" $pixels -n 32 --check-twin \
        >"$tmp/$r.seen" 2>"$tmp/log"
    say "no node of $r is further away" $?
done
# shellcheck disable=SC2086
"$sinter" run "$demo/fashion_lrn.onnx" --input "$demo/test_images.npy" $pixels -n 1 --check-twin \
    >"$tmp/float.out" 2>"$tmp/log" && grep -q 'nothing is compared: no node computes codes' "$tmp/log"
say 'a float model has nothing to compare' $?
grep -q '^/Relu_output_0 .*: 0 to 1 codes in [0-9]* values, bound -1 to 1$' "$tmp/double.seen"
say 'and some are as far' $?
[ "$(grep -c ': 0 to 0 codes in' "$tmp/float.seen")" = "$(wc -l <"$tmp/float.seen")" ]
say 'of float none is away' $?
# shellcheck disable=SC2086
"$sinter" run "$tmp/double.sn" --input "$demo/test_images.npy" $pixels -n 32 --check-twin --json \
    >"$tmp/json" 2>"$tmp/log"
want=$(sed -n 's|^/Relu_output_0 ([A-Za-z0-9]*): 0 to 1 codes in \([0-9]*\) .*|\1|p' "$tmp/double.seen")
[ "$(grep -o '"seen_low"' "$tmp/json" | wc -l)" = "$(wc -l <"$tmp/double.seen")" ] &&
    grep -q '"node":"/Relu_output_0","kind":"[A-Za-z0-9]*","low":-1,"high":1,"seen_low":0,"seen_high":1,"values":'"$want"',"outside":0' "$tmp/json" &&
    grep -q '"why":"ONNX does not say' "$tmp/json"
say 'as JSON, too' $?
"$sinter" opt --target interp_single --passes=optimize "$tmp/double.sn" -o "$tmp/no.sn" 2>"$tmp/log"
[ $? -ne 0 ] && grep -q 'is a graph with rounding double; backend interp_single computes rounding single' "$tmp/log"
say 'no other rounding' $?
