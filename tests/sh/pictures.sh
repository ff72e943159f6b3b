#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pictures as samples: PNG and JPEG files, folders of them, folders of classes,
# what is kept with a model, names of classes (docs/data.md, "Pictures").
suite=pictures
. tests/sh_case.sh
img=tests/images

# Three channels of 17 x 17 pixels become three classes: their means.
model() { # TYPE
    cat <<END
sinter-graph 1
graph "g" {
  %x = Placeholder() : f32[1,$1]
  %w = Constant() {data = [2, 0, 0, 0, 1, 0, 0, 0, 1]} : f32[3,1,1,3]
  %b = Splat() {value = 0, dims = [3]} : f32[3]
$2
  Save(%r) {name = "y"}
}
END
}
model 3,17,17 '  %t = Transpose(%x) {perm = [0,2,3,1]} : f32[1,17,17,3]
  %c = Conv2D(%t, %w, %b) {kernel = [1,1]} : f32[1,17,17,3]
  %p = AvgPool(%c) {kernel = [17,17]} : f32[1,1,1,3]
  %r = Reshape(%p) {dims = [1,3]} : f32[1,3]' >"$tmp/first.sn"
model 17,17,3 '  %c = Conv2D(%x, %w, %b) {kernel = [1,1]} : f32[1,17,17,3]
  %p = AvgPool(%c) {kernel = [17,17]} : f32[1,1,1,3]
  %r = Reshape(%p) {dims = [1,3]} : f32[1,3]' >"$tmp/last.sn"
printf 'red\ngreen\nblue\n' >"$tmp/names.txt"

# The same numbers, whichever order the model has its channels in.
for m in first last; do
    t "$m" 0 out 'y argmax 0:' run "$tmp/$m.sn" --input $img/rgb.png --preset raw
    sed -n 2p "$tmp/out" >"$tmp/$m.txt"
done
if cmp -s "$tmp/first.txt" "$tmp/last.txt"; then
    echo "ok pictures layouts"
else
    echo "not ok pictures layouts: $(cat "$tmp/first.txt" "$tmp/last.txt")"
    bad=1
fi
t bgr 0 out 'y argmax' run "$tmp/first.sn" --input $img/rgb.png --preset raw \
    --channels bgr
t tf 0 out 'y argmax 0:' run "$tmp/first.sn" --input $img/rgb.jpg --preset tf
t numbers 0 out 'y argmax 0:' run "$tmp/first.sn" --input $img/rgb.png \
    --mul 0.0039216

# ---- names ----
t names 0 out ' red' run "$tmp/first.sn" --input $img/rgb.png --preset raw \
    --classes "$tmp/names.txt"
t names_json 0 out '"class": "red"' run "$tmp/first.sn" --input $img/rgb.png \
    --preset raw --classes "$tmp/names.txt" --json
printf 'red\n' >"$tmp/one.txt"
t too_few 3 err 'has 1 lines, but the output has 3 classes' run \
    "$tmp/first.sn" --input $img/rgb.png --preset raw --classes "$tmp/one.txt"

# ---- folders ----
mkdir -p "$tmp/d/red" "$tmp/d/green" "$tmp/d/blue" "$tmp/flat" "$tmp/none"
cp $img/rgb.png $img/rgb.jpg "$tmp/d/red"
cp $img/rgba.png "$tmp/d/green"
cp $img/full.JPEG "$tmp/d/blue"
cp $img/rgb.png $img/rgb.jpg "$tmp/flat"
t flat 0 out '1 y argmax 0' run "$tmp/first.sn" --input "$tmp/flat" --preset raw
t file 0 out "$tmp/flat/rgb.png: " run "$tmp/first.sn" --input "$tmp/flat" \
    --preset raw --classes "$tmp/names.txt"
# All four are red; sorted, blue is the first folder.
t scored 0 out 'top-1 0.5000 (2 of 4)' run "$tmp/first.sn" --input "$tmp/d" \
    --preset raw --classes "$tmp/names.txt"
t sorted 0 out 'top-1 0.2500 (1 of 4)' run "$tmp/first.sn" --input "$tmp/d" \
    --preset raw
t some 0 out 'top-1 0.3333 (1 of 3)' run "$tmp/first.sn" --input "$tmp/d" \
    --preset raw --classes "$tmp/names.txt" -n 3
mkdir "$tmp/d/pink"
cp $img/rgb.png "$tmp/d/pink"
t unknown 3 err 'has 4 folders, 3 of them with the name of a class' run \
    "$tmp/first.sn" --input "$tmp/d" --preset raw --classes "$tmp/names.txt"
rm -r "$tmp/d/pink"
t none 3 err 'holds no .png or .jpg picture' run "$tmp/first.sn" \
    --input "$tmp/none" --preset raw

# ---- kept with the model ----
t quantize 0 out 'profile: 4 samples' quantize "$tmp/first.sn" \
    --calib "$tmp/d" --resize 18 --mean 0.4,0.5,0.6 --std 0.25 --eval "$tmp/flat" \
    -o "$tmp/q.sn"
t kept 0 out 'pixels = "resize=18 mean=0.4,0.5,0.6 std=0.25"' inspect "$tmp/q.sn"
t alone 0 out 'y argmax 0:' run "$tmp/q.sn" --input $img/rgb.jpg
t replaced 0 out 'y argmax' run "$tmp/q.sn" --input $img/rgb.jpg --preset raw
t onnx 0 err 'an ONNX model cannot say' quantize "$tmp/first.sn" \
    --calib "$tmp/d" --preset tf -o "$tmp/q.onnx"
sed 's/resize=18/resize=0/' "$tmp/q.sn" >"$tmp/bad.sn"
t hostile 3 err "its attribute 'pixels' cannot be read: resize: '0' is not a size" \
    run "$tmp/bad.sn" --input $img/rgb.jpg

# ---- what is wrong is said ----
t unsaid 2 err 'nothing says which numbers its pixels, 0 to 255, become' run \
    "$tmp/first.sn" --input $img/rgb.png
t twice 2 err 'cannot be combined with mean and std' run "$tmp/first.sn" \
    --input $img/rgb.png --preset tf --mul 2
t preset 2 err "'torch': expected imagenet, tf or raw" run "$tmp/first.sn" \
    --input $img/rgb.png --preset torch
t crop 2 err 'wants 17 x 17 pixels, not crop=224x224' run "$tmp/first.sn" \
    --input $img/rgb.png --preset imagenet
t size 2 err "--resize: resize: '3x' is not a size" run "$tmp/first.sn" \
    --input $img/rgb.png --preset raw --resize 3x
head -c 300 $img/rgb.jpg >"$tmp/cut.jpg"
t cut 3 err "cut.jpg: sample 0: is no JPEG picture" run "$tmp/first.sn" --input "$tmp/cut.jpg" \
    --preset raw
t flatter 3 err 'holds pictures, but input' run examples/demo/fashion_lrn.onnx \
    --input $img/rgb.png --preset raw --shape 1x1x28x28 --layout nhwc
exit $bad
