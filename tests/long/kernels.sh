#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whole models: the CPU backend gives the bits of the evaluators with every
# instruction set this processor has, on one thread and on two.  Models: the
# seeded topologies of tests/bench/mkmodel.c, networks as tests/bench/nets draws
# them, and the real, quantized and light ones under SHARED/data (the trained
# ones are in tests/sh/kernels.sh).
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build}
SHARED=${SHARED:-../shared}
sinter=$BUILD/sinter
data=$SHARED/data
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
# vnni256 is what avxvnni computes, in the encoding of AVX-512.
cpus="portable avx2 vnni256 vnni"

# same NAME GRAPH INPUT N FLAGS...: the evaluators, which take longest, run
# beside the kernels.
same() {
    name=$1 graph=$2 input=$3 n=$4
    shift 4
    rm -f "$tmp"/want.npy "$tmp"/got.*.npy
    "$sinter" run "$graph" --input "$input" -n "$n" "$@" \
        --backend interp --dump "$tmp/want.npy" >"$tmp/log" 2>&1 &
    evaluators=$!
    for cpu in $cpus; do
        for threads in 1 2; do
            SINTER_CPU=$cpu "$sinter" run "$graph" --input "$input" -n "$n" \
                "$@" --backend cpu --threads $threads \
                --dump "$tmp/got.$cpu.$threads.npy" \
                >"$tmp/log.$cpu.$threads" 2>&1
        done
    done
    if ! wait $evaluators; then
        echo "not ok kernels $name: $(tail -n 1 "$tmp/log")"
        bad=1
        return
    fi
    for cpu in $cpus; do
        for threads in 1 2; do
            if cmp -s "$tmp/want.npy" "$tmp/got.$cpu.$threads.npy"; then
                echo "ok kernels $name $cpu $threads"
            else
                echo "not ok kernels $name $cpu $threads:" \
                    "$(tail -n 1 "$tmp/log.$cpu.$threads")"
                bad=1
            fi
        done
    done
}

# A flag that gives an ONNX model its shape.
import=

# quantized NAME MODEL CALIB N FLAGS...: quantizes, then as same
quantized() {
    name=$1 model=$2 calib=$3 n=$4
    shift 4
    for form in --per-tensor "--scheme symmetric-uint8"; do
        # shellcheck disable=SC2086
        if "$sinter" quantize "$model" --calib "$calib" -n 4 "$@" $form \
            ${import:+"$import"} \
            --backend cpu -o "$tmp/m.sn" >"$tmp/log" 2>&1; then
            same "$name $form" "$tmp/m.sn" "$calib" "$n" "$@"
        else
            echo "not ok kernels $name $form: $(tail -n 1 "$tmp/log")"
            bad=1
        fi
    done
}

mk=$BUILD/bench/mkmodel
${MAKE:-make} -s "$mk" >/dev/null
for m in mlp squeezenet11 mobilenetv2 googlenet alexnet resnet50; do
    "$mk" $m "$tmp/$m.onnx" "$tmp/$m.npy" || exit 1
    case $m in
    mlp) quantized $m "$tmp/$m.onnx" "$tmp/$m.npy" 2 ;;
    *) quantized $m "$tmp/$m.onnx" "$tmp/$m.npy" 1 --layout nchw ;;
    esac
    rm -f "$tmp/$m".* "$tmp"/m.sn*
done
# As the gate draws them (NETS=SEED: others): reals, integers, and what is read
# back from ONNX.
sh tools/deps.sh python3-onnx
k=0
while [ "$k" -lt 40 ]; do
    net="net $k of ${NETS:-50423}"
    if ! /usr/bin/python3 tests/bench/draw_net.py "${NETS:-50423}" $k "$tmp/n.onnx" \
        "$tmp/n.npy" >"$tmp/log" 2>&1; then
        echo "not ok kernels $net: $(tail -n 1 "$tmp/log")"
        bad=1
    elif ! "$sinter" quantize "$tmp/n.onnx" --calib "$tmp/n.npy" --scheme symmetric-uint8 \
        --backend cpu -o "$tmp/n.sn" >"$tmp/log" 2>&1 ||
        ! "$sinter" export "$tmp/n.sn" --format qdq -o "$tmp/n.q.onnx" >"$tmp/log" 2>&1; then
        echo "not ok kernels $net: $(tail -n 1 "$tmp/log")"
        bad=1
    else
        same "$net, f32" "$tmp/n.onnx" "$tmp/n.npy" 1
        same "$net, int8" "$tmp/n.sn" "$tmp/n.npy" 1
        same "$net, qdq" "$tmp/n.q.onnx" "$tmp/n.npy" 1
    fi
    k=$((k + 1))
done
# Quantized dynamically, by operators on integers.
for m in "mlp 1" "mlp 33" "transformer 40"; do
    # shellcheck disable=SC2086
    if /usr/bin/python3 tests/bench/dynamic_model.py $m "$tmp/d.onnx" \
        "$tmp/d.npy"; then
        same "dynamic $m" "$tmp/d.onnx" "$tmp/d.npy" 2
    else
        echo "skip kernels dynamic $m: no python3-onnx"
    fi
done
[ -d "$data/real" ] || { echo "skip kernels real: no models under $data"; exit $bad; }
tail -n +2 "$data/models.tsv" | while IFS="$(printf '\t')" read -r model set layout _ mul add shape _; do
    case $model in real/*|quantized/*) ;; *) continue ;; esac
    input=$data/datasets/${set}_x.npy
    [ -s "$input" ] || continue
    set -- --mul="$mul" --add="$add" --layout "$layout"
    import=
    [ "$shape" = - ] || import=--shape=$shape
    case $model in
    real/*) quantized "$model" "$data/$model/model.onnx" "$input" 8 "$@" ;;
    *) same "$model" "$data/$model/model.onnx" "$input" 8 "$@" \
        ${import:+"$import"} ;;
    esac </dev/null
    [ $bad = 0 ] || exit 1
done || bad=1
pic=$data/light/input_picture_1x3x224x224.pb
for m in "$data"/light/*_random "$data"/light/light_*; do
    quantized "$(basename "$m")" "$m/model.onnx" "$pic" 1 </dev/null
done
exit $bad
