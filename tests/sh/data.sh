#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Data from the command line: which samples and labels are used, and the
# messages about others.
suite=data
. tests/sh_case.sh

# silent NAME WHERE TEXT: the last run did not say TEXT on WHERE.
silent() {
    if grep -qF -- "$3" "$tmp/$2"; then
        echo "not ok data $1: std$2 says '$3'"
        bad=1
    else
        echo "ok data $1"
    fi
}
# npy FILE TYPE SHAPE: the header; elements come from standard input.
npy() {
    {
        printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '$2', 'fortran_order': False, 'shape': ($3), }"
        cat
    } >"$1"
}
# bytes N CHAR: N times the byte of octal code CHAR.
bytes() { head -c "$1" /dev/zero | tr '\0' "\\$2"; }

px="--mul 0.00392156863"
m=$demo/fashion_lrn.onnx
img=$demo/test_images.npy
labels=$demo/test_labels.npy

# ---- labels: one for each sample ----
bytes 20 1 | npy "$tmp/one_hot.npy" '|u1' "2, 10"
t labels_one_hot 3 err "holds [2, 10], expected one class number for each sample" run $m --input "$img" -n 2 $px --labels "$tmp/one_hot.npy"
bytes 2 1 | npy "$tmp/column.npy" '|u1' "2, 1"
t labels_column 0 out "(1 of 2)" run $m --input "$img" -n 2 $px --labels "$tmp/column.npy"
bytes 2001 1 | npy "$tmp/many.npy" '|u1' "2001,"
t labels_too_many 3 err "has 2001 labels for 2000 samples" run $m --input "$img" $px --labels "$tmp/many.npy"
t labels_of_part 0 out "of 2)" run $m --input "$img" --skip 7 -n 2 $px --labels "$tmp/many.npy"
t labels_too_few 3 err "has 2 labels for 9 samples" run $m --input "$img" --skip 7 -n 2 $px --labels "$tmp/column.npy"
t labels_eval 3 err "has 2001 labels for 2000 samples" quantize $m --calib $demo/calib_images.npy $px --eval "$img" --labels "$tmp/many.npy" -o "$tmp/o.sn"
cat >"$tmp/grid.sn" <<'END'
sinter-graph 1
graph "grid" {
  %x = Placeholder() : f32[1,1,4,4]
  Save(%x) {name = "y"}
}
END
bytes 32 1 | npy "$tmp/grid.npy" '|u1' "2, 4, 4, 1"
t labels_no_row 3 err "cannot score output 'y', which is [1, 1, 4, 4]: expected one row of classes" run "$tmp/grid.sn" --input "$tmp/grid.npy" --labels "$tmp/column.npy"
cat >"$tmp/sixty.sn" <<'END'
sinter-graph 1
graph "sixty" {
  %x = Placeholder() : f32[1,60]
  Save(%x) {name = "y"}
}
END
# All outputs are equal: the first five come first.
bytes 180 1 | npy "$tmp/sixty.npy" '|u1' "3, 60"
printf '\0\4\5' | npy "$tmp/five.npy" '|u1' "3,"
t top5 0 out "top-5 0.6667 (2 of 3)" run "$tmp/sixty.sn" --input "$tmp/sixty.npy" --labels "$tmp/five.npy"
t top5_json 0 out '"right": 1, "top5": 0.666667, "right5": 2, "samples": 3}' run "$tmp/sixty.sn" --input "$tmp/sixty.npy" --labels "$tmp/five.npy" --json

# ---- pictures: other axes than the model's are refused ----
cat >"$tmp/rgb.sn" <<'END'
sinter-graph 1
graph "rgb" {
  %x = Placeholder() : f32[1,3,2,2]
  Save(%x) {name = "y"}
}
END
printf '\1\2\3\4\5\6\7\10\11\12\13\14' | npy "$tmp/hwc.npy" '|u1' "2, 2, 3"
t one_picture_hwc 0 out " 1 4 7 10 2 5 8 11 3 6" run "$tmp/rgb.sn" --input "$tmp/hwc.npy"
t one_picture_channels 0 out " 10 40 70 100 200 500" run "$tmp/rgb.sn" --input "$tmp/hwc.npy" --mul 10,100,1000
bytes 12 1 | npy "$tmp/other.npy" '|u1' "2, 3, 2"
t other_axes 3 err "holds u8[2, 3, 2], but input 'x' is [1, 3, 2, 2]" run "$tmp/rgb.sn" --input "$tmp/other.npy"

# ---- shapes are an ONNX model's ----
t quantize 0 out "settings:" quantize $m --calib $demo/calib_images.npy -n 16 $px -o "$tmp/q.sn"
for o in "--batch 4" "--dim N=4" "--shape 4x1x28x28"; do
    # shellcheck disable=SC2086
    t "shapeless ${o%% *}" 2 err "${o%% *}: is for ONNX models; the shapes of $tmp/q.sn are fixed" run "$tmp/q.sn" --input "$img" -n 1 $px $o
done
t batch_of_the_other 3 err "q.sn: output 'logits' has another size" run $m --compare "$tmp/q.sn" --input "$img" -n 1 $px --batch 4
t compare_batch 3 err "q.sn: input 'image' is [1, 1, 28, 28], but that of $m is [4, 1, 28, 28]: --batch" compare $m "$tmp/q.sn" --input "$img" -n 1 $px --batch 4
t compare_order 2 err "q.sn: is quantized and $m is not: expected the float model first" compare "$tmp/q.sn" $m --input "$img" -n 1 $px

# ---- a model that is quantized already ----
t quantize_sn 3 err "q.sn: is quantized already: expected a float model" quantize "$tmp/q.sn" --calib $demo/calib_images.npy -n 16 $px -o "$tmp/o.sn"
t export 0 err "" export "$tmp/q.sn" --format qdq -o "$tmp/q.onnx"
t quantize_qdq 3 err "q.onnx: is quantized already" quantize "$tmp/q.onnx" --calib $demo/calib_images.npy -n 16 $px -o "$tmp/o.sn"

# ---- on a terminal: how far it is, then how long it took ----
# No skip, which is a failure in CI: where no terminal can be made (a container
# without /dev/ptmx) nothing is missing that could be installed.
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    script -qec "'$sinter' run $m --input $img -n 32 $px --dump $tmp/d.npy" /dev/null </dev/null >"$tmp/tty" 2>&1
    if tr '\r' '\n' <"$tmp/tty" | grep -q '^32 samples in [0-9.]* s, [0-9]* a second, [0-9]* at a time$'; then
        echo "ok data progress"
    else
        echo "not ok data progress: $(cat "$tmp/tty")"
        bad=1
    fi
else
    echo "| no terminal can be made here: data progress is left out"
fi

# ---- data that is not what the model was made for ----
t unscaled 0 err "% of the values that --input gives input 'image' (0 to 255) saturate at " run "$tmp/q.sn" --input "$img" -n 10
t unscaled_compare 0 err "were --mul and --add forgotten?" compare $m "$tmp/q.sn" --input "$img" -n 10
t scaled_twice 0 err "--input gives input 'image' values from 0 to 0.255, but it was quantized for " run "$tmp/q.sn" --input "$img" -n 10 --mul 0.001
t scaled 0 err "" run "$tmp/q.sn" --input "$img" -n 10 $px
silent scaled_right err "forgotten"
# A scale that is a power of two may leave three quarters of the codes unused.
t power_of_two 0 err "" quantize $m --calib $demo/calib_images.npy -n 16 --mul 0.0041 --scheme power-of-two -o "$tmp/p2.sn"
t power_of_two_scaled 0 err "" run "$tmp/p2.sn" --input "$img" -n 10 --mul 0.0041
silent power_of_two_right err "forgotten"
t power_of_two_twice 0 err "were --mul and --add forgotten?" run "$tmp/p2.sn" --input "$img" -n 10 --mul 0.001
t unscaled_calib 0 err "note: input 'image' gets the integers of $img, 0 to 255, unscaled" profile $m --calib "$img" -n 10 -o "$tmp/p.json"
t unscaled_meant 0 err "" profile $m --calib "$img" -n 10 --mul 1 -o "$tmp/p.json"
silent unscaled_is_said err "unscaled"
t fewer_samples 0 err "warning: --calib: holds 2000 samples, fewer than the 2001 asked for" profile $m --calib "$img" -n 2001 $px -o "$tmp/p.json"
t fewer_skipped 0 err "warning: --input: holds 6 samples after those left out, fewer than the 10 asked for" run $m --input "$img" --skip 1994 -n 10 $px
t all_samples 0 err "" run $m --input "$img" --skip 1994 -n 6 $px
silent all_are_enough err "fewer than"
if grep -q '^1994 logits argmax' "$tmp/out"; then
    echo "ok data numbered_from_skip"
else
    echo "not ok data numbered_from_skip: $(head -n 1 "$tmp/out")"
    bad=1
fi
t one_sample 0 err "ranges come from one sample" quantize $m --calib "$img" -n 1 $px -o "$tmp/o.sn"
cat >"$tmp/add.sn" <<'END'
sinter-graph 1
graph "add" {
  %x = Placeholder() : f32[1,4]
  %k = Constant() {data = [1, 2, 3, 4]} : f32[1,4]
  %y = Add(%x, %k) : f32[1,4]
  %z = Relu(%y) : f32[1,4]
  Save(%z) {name = "out"}
}
END
# 12 elements of three samples: the tenth is NaN, others are 0.
{ bytes 36 0; printf '\0\0\300\177'; bytes 8 0; } | npy "$tmp/nan.npy" '<f4' "3, 4"
t nan_calib 0 err "warning: 'x' had 1 non-finite element, first in sample 2; ranges ignore them, also those of 1 more value" quantize "$tmp/add.sn" --calib "$tmp/nan.npy" -o "$tmp/o.sn"
t nan_run 0 err "--input gives input 'x' 1 value that is not finite, first in sample 2" run "$tmp/add.sn" --input "$tmp/nan.npy"
t nan_run_skip 0 err "first in sample 2" run "$tmp/add.sn" --input "$tmp/nan.npy" --skip 2
t nan_left_out 0 err "" run "$tmp/add.sn" --input "$tmp/nan.npy" -n 2
silent nan_is_left_out err "not finite"
sed 's/\[1, 2, 3, 4\]/[nan, nan, nan, nan]/' "$tmp/add.sn" >"$tmp/nan.sn"
t nan_constant 3 err "help: constant 'k' of the model is not finite" quantize "$tmp/nan.sn" --calib "$tmp/nan.npy" -n 2 -o "$tmp/o.sn"
exit $bad
