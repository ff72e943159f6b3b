#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ONNX models that some verbs read and others refused: all verbs must agree.
suite=import
. tests/sh_case.sh

# same NAME A B: two files of outputs are equal.
same() {
    if cmp -s "$2" "$3"; then
        echo "ok import $1"
    else
        echo "not ok import $1: $2 and $3 differ"
        bad=1
    fi
}

# ---- biases off the grid of their products ----
"$BUILD/tests/test_onnx_bias" --dump "$tmp" || bad=1
"$BUILD/tests/mkdata" "$tmp/x4.npy" 9 3x4x4
"$BUILD/tests/mkdata" "$tmp/x2.npy" 18 3
for m in conv_ulp conv_1_5 shared gemm conv_transpose too_large; do
    f=$tmp/$m.onnx
    says="its bias is stated on"
    case $m in conv_ulp | too_large) says= ;; esac
    in=4
    [ $m = gemm ] && in=2
    t $m-run 0 err "" run "$f" --input "$tmp/x$in.npy" --dump "$tmp/run.npy"
    t $m-opt 0 err "$says" opt "$f" -o "$tmp/o.sn"
    t $m-opt-run 0 err "" run "$tmp/o.sn" --input "$tmp/x$in.npy" --dump "$tmp/opt.npy"
    same $m-opt-same "$tmp/run.npy" "$tmp/opt.npy"
    for form in qdq qoperator; do
        t $m-$form 0 err "$says" export "$f" --format $form -o "$tmp/e.onnx"
        t $m-$form-run 0 err "" run "$tmp/e.onnx" --input "$tmp/x$in.npy" --dump "$tmp/e.npy"
        same $m-$form-same "$tmp/run.npy" "$tmp/e.npy"
    done
    t $m-bench 0 err "$says" bench "$f" --runs 1
    t $m-why 0 err "" why "$f"
    t $m-profile 0 err "" profile "$f" --calib "$tmp/x$in.npy" --mul 1 -o "$tmp/p.json"
    t $m-compare 0 err "$says" compare "$f" "$f" --input "$tmp/x$in.npy"
done

# ---- what callers bind stays what it was ----
"$BUILD/tests/test_export_types" --dump "$tmp" || bad=1
"$BUILD/tests/mkdata" "$tmp/x.npy" 9 3x4x4
for codes in int8 uint8; do
    t u8-$codes 0 err "" quantize "$tmp/picture.onnx" --calib "$tmp/x.npy" \
        --codes $codes -o "$tmp/q.onnx"
    t u8-$codes-type 0 out "i8[1,3,4,4] {boundary = u8}" inspect "$tmp/q.onnx"
    t f16-$codes 0 err "" quantize "$tmp/picture_f16.onnx" --calib "$tmp/x.npy" \
        --mul 1 --codes $codes -o "$tmp/q.onnx"
    t f16-$codes-input 0 out "f32[1,3,4,4] {boundary = f16}" inspect "$tmp/q.onnx"
    t f16-$codes-output 0 out '{name = "y", boundary = f16}' inspect "$tmp/q.onnx"
done
# Unless an option asks for codes.
t io 0 err "" quantize "$tmp/picture_f16.onnx" --calib "$tmp/x.npy" --mul 1 \
    --enable quantized-io -o "$tmp/q.onnx"
t io-type 0 out "input  x: qi8<" inspect "$tmp/q.onnx"

# ---- stacks of samples, [N, *shape of the input] ----
cat >"$tmp/seq.sn" <<'E'
sinter-graph 1
graph "seq" {
  %x = Placeholder() : f32[6,1,8]
  %h = Placeholder() : f32[2,3]
  %m = Reshape(%x) {dims = [6,8]} : f32[6,8]
  %w = Constant() {data = [1,2,3,4,5,6,7,8, 8,-7,6,-5,4,-3,2,-1]} : f32[2,8]
  %f = FullyConnected(%m, %w, _) : f32[6,2]
  %p = MatMul(%f, %h) : f32[6,3]
  Save(%p) {name = "p"}
}
E
"$BUILD/tests/mkdata" "$tmp/xs.npy" 64 6x1x8
"$BUILD/tests/mkdata" "$tmp/hs.npy" 64 2x3
"$BUILD/tests/mkdata" "$tmp/xr.npy" 384 1x8 # the same, as rows
"$BUILD/tests/mkdata" "$tmp/hr.npy" 128 3
s=$tmp/seq.sn
in="--input x=$tmp/xs.npy --input h=$tmp/hs.npy"
calib="--calib x=$tmp/xs.npy --calib h=$tmp/hs.npy"
t stack 0 err "" run "$s" $in --dump "$tmp/stack.npy"
t stack-rows 0 err "" run "$s" --input "x=$tmp/xr.npy" --input "h=$tmp/hr.npy" --dump "$tmp/rows.npy"
same stack-is-rows "$tmp/stack.npy" "$tmp/rows.npy"
t stack-part 0 out "5 p argmax" run "$s" $in -n 2 --skip 4
t stack-profile 0 out '"samples": 64' profile "$s" $calib
t stack-quantize 0 out "profile: 64 samples" quantize "$s" $calib -o "$tmp/seq8.sn"
t stack-compare 0 out "64 samples" compare "$s" "$tmp/seq8.sn" $in
t stack-run8 0 err "" run "$tmp/seq8.sn" $in --dump "$tmp/8.npy"
"$BUILD/tests/mkdata" "$tmp/other.npy" 64 6x8x1
t stack-other-axes 3 err "holds f32[64, 6, 8, 1], but input 'x' is [6, 1, 8]" run "$s" --input "x=$tmp/other.npy" --input "h=$tmp/hs.npy"
t stack-count 3 err "gives 128 samples of 'h', but 'x' has 64" run "$s" $in --input "h=$tmp/hs.npy"

# ---- a model without inputs ----
cat >"$tmp/none.sn" <<'E'
sinter-graph 1
graph "none" {
  %c = Constant() {data = [1, -2, 3]} : f32[3]
  %y = Relu(%c) : f32[3]
  Save(%y) {name = "y"}
}
E
n=$tmp/none.sn
t none 0 out " 1 0 3" run "$n"
t none-json 0 out '"values": [1, 0, 3]' run "$n" --json
t none-dump 0 err "" run "$n" --dump "$tmp/n.npy"
t none-opt 0 out "data = [1, 0, 3]" opt "$n"
t none-export 0 err "" export "$n" --format qdq -o "$tmp/none.onnx"
t none-onnx 0 out " 1 0 3" run "$tmp/none.onnx"
t none-input 2 err "the model has no input" run "$n" --input "$tmp/xs.npy"
t none-profile 0 out '"samples": 1' profile "$n"
t none-quantize 0 err "" quantize "$n" -o "$tmp/none8.sn"
t none-compare 0 out "1 sample" compare "$n" "$n"
t none-compare-constant 3 err "none: has no node to compare: its outputs are constants or inputs" compare "$n" "$tmp/none8.sn"
t none-bench 0 err "" bench "$n" --runs 1
t input-needed 2 err "--input: is missing" run "$s"
t calib-needed 2 err "requires --calib FILE" quantize "$s" -o "$tmp/o.sn"

exit $bad
