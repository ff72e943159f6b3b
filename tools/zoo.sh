#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every available model.  First unchanged, against the outputs stored next to it
# (tests/onnx/zoo_outputs.c defines close enough).  Then quantized: top-1 float
# and int8 on labelled images, SQNR of the outputs against float, Rescales
# inserted and left.
#
#   zoo.sh BUILD SHARED [IMAGES]     IMAGES labelled images (default 1000)
#
# Exit 1 if an output is not close enough, or a labelled model loses more than
# one point.
. "${0%/*}/help.sh"
set -u
build=${1:-build} shared=${2:-../shared} n=${3:-1000}
sinter=$build/sinter
data=$shared/data
out=$build/zoo
mkdir -p "$out"
bad=0

num() { sed -n "s/.*\"$1\": \([-0-9.a-z]*\).*/\1/p" "$2" | head -n 1; }

# row NAME MODEL CALIB NCALIB INPUT LABELS FLAGS...
row() {
    name=$1 model=$2 calib=$3 ncal=$4 input=$5 labels=$6
    shift 6
    t0=$(date +%s)
    if ! "$sinter" quantize "$model" --calib "$calib" -n "$ncal" "$@" \
        --backend cpu --json -o "$out/$name.sn" \
        >"$out/$name.json" 2>"$out/$name.log"; then
        printf '%-24s quantize failed: %s\n' "$name" "$(tail -n 1 "$out/$name.log")"
        bad=1
        return
    fi
    f=- q=- db=-
    if [ -n "$labels" ]; then
        "$sinter" run "$model" --input "$input" --labels "$labels" -n "$n" \
            --json "$@" >"$out/f.json" 2>"$out/f.log" || bad=1
        "$sinter" run "$out/$name.sn" --input "$input" --labels "$labels" \
            -n "$n" --json --compare "$model" "$@" >"$out/q.json" \
            2>"$out/q.log" || bad=1
        f=$(num top1 "$out/f.json") q=$(num top1 "$out/q.json")
        awk "BEGIN { exit !($f - $q > 0.010001) }" && bad=1
    else
        "$sinter" run "$out/$name.sn" --input "$input" -n "$n" --json \
            --compare "$model" "$@" >"$out/q.json" 2>"$out/q.log" || bad=1
    fi
    db=$(num sqnr_db "$out/q.json")
    printf '%-24s %8s %8s %8.2f %9s %5s %6s %6s %6s %5ss\n' "$name" "$f" "$q" \
        "$db" "$(num inserted "$out/$name.json")" "$(num left "$out/$name.json")" \
        "$(num sunk "$out/$name.json")" "$(num absorbed "$out/$name.json")" \
        "$(num merged "$out/$name.json")" $(($(date +%s) - t0))
}

light=$data/light
outputs() { "$build/tests/zoo_outputs" "$@" || bad=1; }
if [ -d "$light" ]; then
    printf '| %-42s %3s %9s %8s  %s\n' 'model as it is' set elements differ worst
    outputs "$data"/quantized/*/model.onnx "$data"/real/*/model.onnx \
        "$data"/real/*/*/model.onnx "$data"/trained/*/model*.onnx
    outputs --input "$light/input_picture_1x3x224x224.pb" \
        "$light"/*_random/model.onnx
    outputs --shapes --input "$light/input_0_1x3x224x224.pb" \
        "$light"/light_*/model.onnx
    if [ $bad = 0 ]; then
        echo 'ok zoo outputs'
    else
        echo 'not ok zoo outputs'
    fi
fi

printf '%-24s %8s %8s %8s %9s %5s %6s %6s %6s %6s\n' model float int8 'SQNR dB' \
    inserted left sunk absorb merged time
demo=examples/demo
row demo $demo/fashion_lrn.onnx $demo/calib_images.npy 256 \
    $demo/test_images.npy $demo/test_labels.npy --mul 0.00392156863 --layout nchw
if [ -d "$data/trained" ]; then
    while IFS="$(printf '\t')" read -r model set layout _ mul add _; do
        case $model in trained/*) ;; *) continue ;; esac
        row "$(basename "$model")" "$data/$model/model.onnx" \
            "$data/datasets/${set%_test}_calib_x.npy" 256 \
            "$data/datasets/${set}_x.npy" "$data/datasets/${set}_y.npy" \
            --mul="$mul" --add="$add" --layout "$layout"
    done <"$data/models.tsv"
    for m in "$data"/light/*_random; do
        row "$(basename "$m")" "$m/model.onnx" \
            "$data/light/input_picture_1x3x224x224.pb" 1 \
            "$data/light/input_picture_1x3x224x224.pb" ''
    done
else
    echo "skip: no models under $data"
fi
exit $bad
