#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whole models: the CPU backend gives the bits of the evaluators, with every
# instruction set of this processor.
suite=kernels
. tests/sh_case.sh
data=${SHARED:-../shared}/data

# model NAME FILE CALIB INPUT FLAGS...
model() {
    name=$1 file=$2 calib=$3 input=$4
    shift 4
    for form in --per-tensor "" "--per-tensor --channelwise --schema symmetric"; do
        what="$suite $name $form"
        # shellcheck disable=SC2086
        if ! "$sinter" quantize "$file" --calib "$calib" -n 16 "$@" $form \
            --backend cpu -o "$tmp/m.sn" >"$tmp/log" 2>&1 ||
            ! "$sinter" run "$tmp/m.sn" --input "$input" -n 24 "$@" \
                --backend interp --dump "$tmp/want.npy" >"$tmp/log" 2>&1; then
            echo "not ok $what: $(tail -n 1 "$tmp/log")"
            bad=1
            continue
        fi
        for cpu in portable avx2 vnni; do
            for threads in 1 2; do
                # On two threads with bounds inside the arena.
                SINTER_CPU=$cpu SINTER_FENCE=$((threads - 1)) \
                    "$sinter" run "$tmp/m.sn" --input "$input" \
                    -n 24 "$@" --backend cpu --threads $threads \
                    --dump "$tmp/got.npy" >"$tmp/log" 2>&1
                if cmp -s "$tmp/want.npy" "$tmp/got.npy"; then
                    echo "ok $what $cpu $threads"
                else
                    echo "not ok $what $cpu $threads: $(tail -n 1 "$tmp/log")"
                    bad=1
                fi
                rm -f "$tmp/got.npy"
            done
        done
    done
}

# The float file NAME FILE INPUT FLAGS...: 4 samples by the evaluators, which
# are slow, and by the kernels.
float_model() {
    name=$1 file=$2 input=$3
    shift 3
    if ! "$sinter" run "$file" --input "$input" -n 4 "$@" \
        --backend interp --dump "$tmp/want.npy" >"$tmp/log" 2>&1; then
        echo "not ok $suite $name float: $(tail -n 1 "$tmp/log")"
        bad=1
        return
    fi
    for cpu in portable avx2 vnni; do
        SINTER_CPU=$cpu "$sinter" run "$file" --input "$input" -n 4 "$@" \
            --backend cpu --threads 2 --dump "$tmp/got.npy" >"$tmp/log" 2>&1
        if cmp -s "$tmp/want.npy" "$tmp/got.npy"; then
            echo "ok $suite $name float $cpu"
        else
            echo "not ok $suite $name float $cpu: $(tail -n 1 "$tmp/log")"
            bad=1
        fi
        rm -f "$tmp/got.npy"
    done
}

float_model demo $demo/fashion_lrn.onnx $demo/test_images.npy \
    --mul 0.00392156863 --layout nchw
model demo $demo/fashion_lrn.onnx $demo/calib_images.npy \
    $demo/test_images.npy --mul 0.00392156863 --layout nchw
if [ -d "$data/trained" ]; then
    while IFS="$(printf '\t')" read -r dir set layout _ mul add _; do
        case $dir in trained/*) ;; *) continue ;; esac
        model "$(basename "$dir")" "$data/$dir/model.onnx" \
            "$data/datasets/${set%_test}_calib_x.npy" \
            "$data/datasets/${set}_x.npy" --mul="$mul" --add="$add" \
            --layout "$layout" </dev/null
        float_model "$(basename "$dir")" "$data/$dir/model.onnx" \
            "$data/datasets/${set}_x.npy" --mul="$mul" --add="$add" \
            --layout "$layout" </dev/null
    done <"$data/models.tsv"
    # Integer operators.
    m=$data/quantized/mnist_connxr
    float_model "$(basename "$m")" "$m/model.onnx" \
        "$m/test_data_set_0/input_0.pb" </dev/null
    # A network of many small layers, on one picture.
    pic=$data/light/input_picture_1x3x224x224.pb
    for m in "$data"/light/*_random; do
        case $m in *densenet*|*vgg*) continue ;; esac
        model "$(basename "$m")" "$m/model.onnx" "$pic" "$pic" </dev/null
    done
else
    echo "skip kernels trained: no models under $data"
fi
exit $bad
