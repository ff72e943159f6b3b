#!/bin/sh
# Times layers and whole models on one thread and prints ratios.
#
#   bench.sh BUILD SHARED [ROUNDS]
#
# Models: the demo and the trained ones under SHARED/data.  Each round runs the
# CPU backend, the evaluators and, when BUILD/oracle holds it, ONNX Runtime
# (the float file, and our QDQ export when `sinter export` makes one), one
# after the other; the table shows the median over rounds of each run's
# median, so that a slow spell of the machine falls on all of them.
set -u
build=${1:-build} shared=${2:-../shared} rounds=${3:-5}
sinter=$build/sinter
out=$build/bench
data=$shared/data
mkdir -p "$out/models"

num() { sed -n "s/.*\"median_ms\": *\([0-9.e-]*\).*/\1/p"; }
median() { sort -g | awk '{ v[NR] = $1 }
    END { if (NR) printf "%.4f", v[int((NR + 1) / 2)] }'; }

quantized() { # NAME MODEL CALIB FLAGS...
    name=$1 from=$2 calib=$3 sn=$out/models/$1.sn qdq=$out/models/$1.qdq.onnx
    shift 3
    [ -s "$sn" ] ||
        "$sinter" quantize "$from" --calib "$calib" -n 256 "$@" \
            --channelwise --rowwise --backend cpu -o "$sn" \
            >"$out/models/$name.log" 2>&1 </dev/null
    [ -s "$sn" ] || echo "$name: not quantized, see $out/models/$name.log" >&2
    # The export is optional: not every build has it.
    [ -s "$qdq" ] ||
        "$sinter" export "$sn" --format qdq -o "$qdq" >/dev/null 2>&1 </dev/null ||
        rm -f "$qdq"
}

oracle=
[ -d "$build/oracle/node_modules/onnxruntime-node" ] &&
    command -v node >/dev/null && oracle=$build/oracle

ratio() { awk -v a="$1" -v b="$2" 'BEGIN {
    if (a + 0 > 0 && b + 0 > 0) printf "%.2fx", a / b; else printf "-" }'; }

row() { # NAME FLOAT_MODEL
    name=$1 float=$2
    sn=$out/models/$name.sn qdq=$out/models/$name.qdq.onnx
    [ -s "$sn" ] || return
    rm -f "$out"/t.*
    i=0
    while [ $i -lt "$rounds" ]; do
        "$out/model" "$sn" CPU | num >>"$out/t.cpu"
        "$out/model" "$sn" evaluators | num >>"$out/t.ref"
        if [ -n "$oracle" ]; then
            node tests/bench/ort.js "$oracle" "$float" 0.3 2>/dev/null |
                num >>"$out/t.float"
            [ ! -s "$qdq" ] ||
                node tests/bench/ort.js "$oracle" "$qdq" 0.3 2>/dev/null |
                num >>"$out/t.int8"
        fi
        i=$((i + 1))
    done
    touch "$out/t.float" "$out/t.int8"
    cpu=$(median <"$out/t.cpu") ref=$(median <"$out/t.ref")
    f=$(median <"$out/t.float") q=$(median <"$out/t.int8")
    printf '%-24s %9s %11s %7s %11s %7s %11s %7s\n' "$name" "$cpu" "$ref" \
        "$(ratio "${ref:-0}" "${cpu:-0}")" "${f:--}" \
        "$(ratio "${f:-0}" "${cpu:-0}")" "${q:--}" "$(ratio "${q:-0}" "${cpu:-0}")"
}

echo "Layers, int8, one thread"
"$out/layers"
echo
[ -n "$oracle" ] || echo "(no ONNX Runtime: sh tools/oracle/install.sh $build/oracle)"
echo "Models, milliseconds a run, one thread; ratios to the CPU backend"
printf '%-24s %9s %11s %7s %11s %7s %11s %7s\n' model cpu evaluators ratio \
    'ORT float' ratio 'ORT int8' ratio
demo=examples/demo
quantized demo $demo/fashion_lrn.onnx $demo/calib_images.npy \
    --mul 0.00392156863 --layout nchw
row demo $demo/fashion_lrn.onnx
[ -d "$data/trained" ] || { echo "skip: no models under $data"; exit 0; }
while IFS="$(printf '\t')" read -r model set layout _ mul add _; do
    case $model in trained/*) ;; *) continue ;; esac
    name=$(basename "$model")
    quantized "$name" "$data/$model/model.onnx" \
        "$data/datasets/${set%_test}_calib_x.npy" --mul="$mul" --add="$add" \
        --layout "$layout"
    row "$name" "$data/$model/model.onnx" </dev/null
done <"$data/models.tsv"
