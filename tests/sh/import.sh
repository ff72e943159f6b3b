#!/bin/sh
# ONNX models that some verbs read and others refused: one outcome for all.
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

exit $bad
