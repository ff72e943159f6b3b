#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pictures as samples: PNG and JPEG files, folders of them, folders of classes,
# the steps stored with a model, names of classes (docs/data.md, "Pictures").
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
t unknown 3 err "its folder 'pink' is not a class of $tmp/names.txt, but 3 of 4" \
    run "$tmp/first.sn" --input "$tmp/d" --preset raw --classes "$tmp/names.txt"
t folders 3 err 'has 4 folders for 3 classes' run "$tmp/first.sn" \
    --input "$tmp/d" --preset raw
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
# The float model gets the pictures as the int8 one does, in each verb that has
# both.
t compare 0 out 'worst output' compare "$tmp/first.sn" "$tmp/q.sn" \
    --input "$tmp/d"
t report 0 out '' report "$tmp/first.sn" "$tmp/q.sn" --input "$tmp/d" \
    --untimed -o "$tmp/r.html"
t beside 0 out 'y: SQNR' run "$tmp/q.sn" --compare "$tmp/first.sn" \
    --input "$tmp/flat"
t beside_float 0 out 'y: SQNR' run "$tmp/first.sn" --compare "$tmp/q.sn" \
    --input "$tmp/flat" --mean 0.4,0.5,0.6 --std 0.25
"$sinter" compare "$tmp/first.sn" "$tmp/q.sn" --input "$tmp/d" \
    --resize 18 --mean 0.4,0.5,0.6 --std 0.25 >"$tmp/said" 2>"$tmp/log"
"$sinter" compare "$tmp/first.sn" "$tmp/q.sn" --input "$tmp/d" >"$tmp/unsaid"
fine same_pictures cmp -s "$tmp/said" "$tmp/unsaid"
t onnx 0 err 'an ONNX model cannot store the steps' quantize "$tmp/first.sn" \
    --calib "$tmp/d" --preset tf -o "$tmp/q.onnx"
sed 's/resize=18/resize=0/' "$tmp/q.sn" >"$tmp/bad.sn"
t hostile 3 err "its attribute 'pixels' cannot be read: resize: '0' is not a size" \
    run "$tmp/bad.sn" --input $img/rgb.jpg

# ---- what is wrong is said ----
t unsaid 2 err 'no option says how its pixels, 0 to 255, are scaled' run \
    "$tmp/first.sn" --input $img/rgb.png
t twice 2 err 'cannot be combined with mean and std' run "$tmp/first.sn" \
    --input $img/rgb.png --preset tf --mul 2
t preset 2 err "'torch': expected imagenet, tf or raw" run "$tmp/first.sn" \
    --input $img/rgb.png --preset torch
t crop 2 err 'takes 17 x 17 pixels, not crop=224x224' run "$tmp/first.sn" \
    --input $img/rgb.png --preset imagenet
t crop_help 2 err 'help: for the numbers of --preset imagenet' run \
    "$tmp/first.sn" --input $img/rgb.png --preset imagenet
# shellcheck disable=SC2046 # words
t cropped 0 out 'y argmax' run "$tmp/first.sn" --input $img/rgb.png \
    --preset imagenet $(sed -n "s/.*input's size: //p" "$tmp/err")
# Files of numbers: options for pictures would be ignored.
demo_q="$demo/fashion_lrn.onnx --input $demo/test_images.npy -n 20"
# shellcheck disable=SC2086 # words
{
    t numbers_mean 2 err '--mean: is for pictures, but --input gives none' \
        run $demo_q --mean 0.5 --std 0.25
    t numbers_help 2 err '0 to 255 in a .npy or .pb file: --mul 0.015686275 --add -2' \
        run $demo_q --mean 0.5 --std 0.25
    t numbers_crop 2 err '--crop: is for pictures, but --input gives none' \
        run $demo_q --crop 28
}
t calib 0 out 'profile' quantize $demo/fashion_lrn.onnx --calib $img/gray.png \
    --mean 0 --std 1 -o "$tmp/demo.sn"
t unscaled 0 err 'pixels 0 to 255: --mul 0.003921569 --add 0' run \
    "$tmp/demo.sn" --input $demo/test_images.npy -n 20
t scaled 0 out 'argmax' run "$tmp/demo.sn" --input $demo/test_images.npy -n 20 \
    --mul 0.003921569
fine no_warning test ! -s "$tmp/err"
t size 2 err "--resize: resize: '3x' is not a size" run "$tmp/first.sn" \
    --input $img/rgb.png --preset raw --resize 3x
head -c 300 $img/rgb.jpg >"$tmp/cut.jpg"
t cut 3 err "cut.jpg: sample 0: is not a JPEG file" run "$tmp/first.sn" --input "$tmp/cut.jpg" \
    --preset raw
t flatter 3 err 'holds pictures, but input' run examples/demo/fashion_lrn.onnx \
    --input $img/rgb.png --preset raw --shape 1x1x28x28 --layout nhwc
exit $bad
