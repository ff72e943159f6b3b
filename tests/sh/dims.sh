#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Symbolic dimensions from the command line, on a model with two of them.
BUILD=${BUILD:-build}
m=${SHARED:-../shared}/data/quantized/ort_qdq_minimal_model/model.onnx
if [ ! -f "$m" ]; then
    echo "skip dims: no $m"
    exit 0
fi
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0

# t NAME CODE TEXT ARGS...: opt with these options exits with CODE and says
# TEXT on either output.
t() {
    name=$1 code=$2 text=$3
    shift 3
    "$BUILD/sinter" opt "$m" "$@" >"$tmp/out" 2>&1 </dev/null
    rc=$?
    if [ $rc -ne "$code" ] || ! grep -qF -- "$text" "$tmp/out"; then
        echo "not ok dims $name: exit code $rc, expected $code and '$text'"
        head -n 3 "$tmp/out"
        bad=1
    else
        echo "ok dims $name"
    fi
}

t missing 3 "input 'input': dimension 2 ('height') is open"
t missing_help 3 "help: --dim 'height=NUMBER', or --shape 'input=1x...'"
t one_missing 3 "dimension 3 ('width') is open" --dim height=4
t misnamed 3 "help: no input up to this one has a dimension 'heigth', which --dim gives" --dim heigth=4
t bound 0 '%input = Placeholder() {boundary = u8} : i8[1,3,4,6]' \
    --dim height=4 --dim width=6
t shape 0 ' : i8[2,3,5,7]' --shape 2x3x5x7
t batch 0 ' : i8[3,3,4,6]' --batch 3 --dim height=4 --dim width=6
t unknown 2 "no input has a dimension named 'heigth'" --dim heigth=4 \
    --dim height=4 --dim width=6
t unknown_help 2 "did you mean 'height'?" --dim heigth=4 --dim height=4 \
    --dim width=6
t twice 2 "dimension 'height' is given twice" --dim height=4 --dim height=4 \
    --dim width=6
t no_number 2 "dimension 'height=x' is not NAME=NUMBER" --dim height=x
t zero 2 "dimension 'height=0' is not NAME=NUMBER" --dim height=0
for text in height =3 height= height=3x height=-1 height=1099511627776 height=99999999999999999999; do
    t "dim $text" 2 "dimension '$text' is not NAME=NUMBER, the number 1 to 2^40 - 1" --dim "$text"
done
for text in =1x3x5x7 input= input=1x input=x1 1x3x5x7x 1x3:5x7 1x0x5x7 1x3x1099511627776x7 \
    1x1x1x1x1x1x1x1x1; do
    t "shape $text" 2 "shape '$text' is not INPUT=1x3x32x32 with at most 8 dimensions" \
        --shape "$text"
done
t shape_commas 0 ' : i8[1,3,5,7]' --shape input=1,3,5,7
t shape_twice 2 "the shape of input 'input' is given twice" --shape input=1x3x5x7 \
    --shape input=1x3x5x7
t shape_only_twice 2 "the shape of the only input is given twice" --shape input=1x3x5x7 \
    --shape 1x3x5x7
t shape_of_none 2 "there is no input 'inputt'" --shape inputt=1x3x5x7 --dim height=4 --dim width=6
t batch_zero 2 "--batch: is 0, expected 1 or more" --batch 0 --dim height=4 --dim width=6
t clash 2 "dimension 'height' is 5 in the shape given for input 'input', and 4 elsewhere" \
    --dim height=4 --shape 1x3x5x7
t rank 2 "the shape given for input 'input' does not fit [batch, 3, height, width], which the file says" \
    --shape 1x3x5
t unknown_far 2 "help: there is 'batch', 'height', 'width'" --dim size=4 --dim height=4 \
    --dim width=6
t fixed 2 "the shape given for input 'input' does not fit [batch, 3, height, width], which the file says" \
    --shape 1x4x5x6
if "$BUILD/sinter" why "$m" --dim height=4 --dim width=6 >"$tmp/out" 2>&1; then
    echo "ok dims why"
else
    echo "not ok dims why: $(head -n 3 "$tmp/out")"
    bad=1
fi
exit $bad
