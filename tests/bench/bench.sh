#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Times whole models and layers against ONNX Runtime and prints ratios.
#
#   bench.sh BUILD SHARED [ROUNDS]
#
# Models: well-known topologies with seeded weights (mkmodel.c says how they
# are made), the demo and the trained networks under SHARED/data.  sinter runs
# its own .sn on the CPU backend, ONNX Runtime our QDQ export of the same graph
# with uint8 codes (`int8 codes`: the same with int8 ones), or the float file;
# both in one process, in turn, with the same number of threads (versus.c).
# Layers: those of ResNet-50 and others, beside oneDNN and XNNPACK (layers.c).
# Figures are medians of rounds.  Everything is also in BUILD/bench/*.json, one
# object to a line, and the ratios of the models in BUILD/bench/models.svg.
set -u
build=${1:-build} shared=${2:-../shared} rounds=${3:-7}
sinter=$build/sinter out=$build/bench data=$shared/data
json=$out/models.json ljson=$out/layers.json
mkdir -p "$out/models"

sh tools/oracle/install.sh "$build/oracle" ||
    echo "ONNX Runtime could not be fetched; only sinter is timed" >&2
ort=$(find "$build/oracle/" -path '*linux/x64*' -name 'libonnxruntime.so.1' \
    2>/dev/null | head -1)

# ---- models ----

export_qdq() { # NAME
    for codes in uint8 int8; do
        to=$out/models/$1.$codes.onnx
        [ -s "$to" ] || "$sinter" export "$out/models/$1.sn" --format qdq \
            --codes $codes -o "$to" >>"$out/models/$1.log" 2>&1 </dev/null
    done
}
quantized() { # NAME FLOAT.onnx CALIB FLAGS...
    name=$1 from=$2 calib=$3 to=$out/models/$1
    shift 3
    [ -s "$to.sn" ] || "$sinter" quantize "$from" --calib "$calib" -n 256 "$@" \
        --scheme symmetric-uint8 --backend cpu \
        -o "$to.sn" >"$to.log" 2>&1 </dev/null
    [ -s "$to.float.sn" ] || "$sinter" opt "$from" --backend cpu "$@" \
        -o "$to.float.sn" >>"$to.log" 2>&1 </dev/null ||
        "$sinter" opt "$from" --backend cpu -o "$to.float.sn" \
            >>"$to.log" 2>&1 </dev/null
    [ -s "$to.sn" ] && export_qdq "$name" && return
    echo "$name: not quantized, see $to.log" >&2
}
seeded() { # NAME FLAGS...
    name=$1 onnx=$out/models/$1.onnx
    shift
    [ -s "$onnx" ] ||
        "$out/mkmodel" "$name" "$onnx" "$out/models/$name.npy" || return
    quantized "$name" "$onnx" "$out/models/$name.npy" "$@"
}

# ---- rows ----

# Nothing else comes between where real-time priority is allowed.
alone=
if chrt -f 1 true 2>/dev/null; then alone="chrt -f 1"; fi

field() { sed -n "s/.*\"$1\": \"*\([^\",}]*\).*/\1/p"; }

# Side files of a graph as they come from a disk: what was just written is
# cached in pieces of up to 2 MiB, which Linux maps, and counts as memory of a
# run, as a whole.
from_disk() { # GRAPH.sn
    grep -o '[^"]*\.snw"' "$1" | sort -u | tr -d '"' | while read -r name; do
        f=${1%/*}/$name
        dd of="$f" oflag=nocache conv=notrunc,fdatasync count=0 2>/dev/null
    done
}
row() { # LABEL GRAPH.sn MODEL.onnx WANTED THREADS
    [ -s "$2" ] && [ -s "$3" ] || return
    from_disk "$2"
    line=$($alone "$out/versus" -t "$5" -r "$rounds" "$2" "$3" "$ort") || return
    echo "$line" | sed "s/^{/{\"label\": \"$1\", \"wanted\": $4, /" >>"$json"
    ratio=$(echo "$line" | field ratio)
    verdict=$(awk -v r="$ratio" -v w="$4" 'BEGIN {
        print (w == 0 ? "" : r >= w ? "met" : "missed") }')
    [ "$(echo "$line" | field mode)" != far ] || verdict="$verdict FAR"
    printf '%-28s %2s %10s %10s %7sx %6s %-10s' "$1" "$5" \
        "$(echo "$line" | field ms)" "$(echo "$line" | field ort_ms)" \
        "$ratio" "$([ "$4" = 0 ] || echo "$4x")" "$verdict"
    echo "$line" | memory
    case $verdict in
    missed*) # where the time goes
        "$sinter" bench "$2" --per-node --threads "$5" | sed -n '1,20s/^/    /p'
        ;;
    esac
}
# Memory of a run against weights + plan + 10 %.
memory() {
    awk '
        function field(k) {
            match($0, "\"" k "\": [0-9.]+")
            return substr($0, RSTART + length(k) + 4, RLENGTH - length(k) - 4)
        }
        { wp = (field("weights") + field("plan")) / 1024
            m = field("memory_kib") + 0
            printf " %8d %8d %6.3fx %-6s %6d %8d\n", m, wp, m / wp,
                (m <= 1.1 * wp ? "met" : \
                    m <= 1.1 * wp + 3 * field("nodes") ? "met+" : "missed"),
                field("fixed_kib"), field("ort_memory_kib") }'
}
# Two threads against one, from the lines of a model.
scaling() { # LABEL WANTED
    grep "\"label\": \"$1\"" "$json" | awk -v name="$1" -v w="$2" '
        function field(k) {
            match($0, "\"" k "\": [0-9.]+")
            return substr($0, RSTART + length(k) + 4, RLENGTH - length(k) - 4)
        }
        { t = field("threads"); ms[t] = field("ms"); ort[t] = field("ort_ms") }
        END { if (!ms[1] || !ms[2]) exit
            r = ms[1] / ms[2]
            printf "%s: two threads %.2fx one (ONNX Runtime %.2fx), wanted %sx: %s\n",
                name, r, ort[1] / ort[2], w, (r >= w ? "met" : "missed") }'
}
# How long a model takes to load.
loading() { # LABEL
    grep "\"label\": \"$1\"" "$json" | head -1 | awk -v name="$1" '
        function field(k) {
            match($0, "\"" k "\": [0-9.]+")
            return substr($0, RSTART + length(k) + 4, RLENGTH - length(k) - 4)
        }
        { printf "%s: loaded in %.1f ms, from packed weights in %.1f ms" \
                " (ONNX Runtime %.1f ms)\n", name, field("load_ms"),
                field("load_packed_ms"), field("ort_load_ms") }'
}
# What fixed rules lose where measured choices could be used instead.
tuning() { # NAME
    for t in 1 2; do
        $alone "$sinter" bench "$out/models/$1.sn" --tune --threads $t |
            sed -n "s/^cost rules/$1: &/p"
    done
}
rows() { # NAME WANTED
    for t in 1 2; do
        row "$1" "$out/models/$1.sn" "$out/models/$1.uint8.onnx" "$2" $t
    done
}
# One LRN: the node on codes, as `sinter bench` times it, against the float
# model of that node alone.
lrn_row() { # NAME WANTED
    seeded "$1" --layout nchw
    [ -s "$out/models/$1.sn" ] || return
    line=$($alone "$out/versus" -t 1 -r "$rounds" "$out/models/$1.float.sn" \
        "$out/models/$1.onnx" "$ort") || return
    us=$($alone "$sinter" bench "$out/models/$1.sn" --per-node --json |
        sed -n 's/.*"node": "[^"]*(LRN)".*"us": \([0-9.]*\).*/\1/p' | head -1)
    echo "$line" | field ort_ms | awk -v n="$1" -v us="$us" -v w="$2" \
        -v json="$json" '{
        r = 1000 * $1 / us
        printf "%-28s  1 %10.4f %10.4f %7.1fx %5gx %s\n", n ", int8 node",
            us / 1000, $1, r, w, (r >= w ? "met" : "missed")
        printf "{\"label\": \"%s, int8 node\", \"wanted\": %g, " \
            "\"threads\": 1, \"ms\": %.4f, \"ort_ms\": %s, " \
            "\"ratio\": %.3f}\n", n, w, us / 1000, $1, r >>json }'
}
float_row() { # NAME FLOAT.onnx
    row "$1, float" "$out/models/$1.float.sn" "$2" 0.77 1
}

: >"$json"
: >"$ljson"
layers() { # FLAGS... [MATCH]
    $alone "$out/layers" -r "$rounds" -j "$ljson" "$@"
    echo
}
layers
layers -t 2 r50
layers -f
SINTER_CPU=avx2 ONEDNN_MAX_CPU_ISA=AVX2 layers r50
[ -n "$ort" ] || exit 0
echo "Models: milliseconds a run; sinter faster by; wanted; memory in KiB: of a"
echo "run, weights + plan, their ratio, 1.1x wanted (met+: with 3 KiB for each node"
echo "more); what any first run takes besides (fixed); ONNX Runtime's, all in all."
echo "FAR: the processors were far apart, on two threads, in every round"
printf '%-28s %2s %10s %10s %8s %6s %-10s %8s %8s %7s %-6s %6s %8s\n' model t \
    sinter 'ORT' faster wanted '' memory 'w + plan' ratio '' fixed 'ORT'
for m in resnet50:1.12 mobilenetv2:1.5 squeezenet11:1.5 alexnet:3 \
    googlenet:3.5 mlp:1.1 mlp_b64:1.1; do
    n=${m%:*}
    case $n in
    mlp_b64) seeded $n --batch 64 ;;
    mlp) seeded $n ;;
    *) seeded $n --layout nchw ;;
    esac
    rows $n "${m#*:}"
    [ $n != resnet50 ] || scaling resnet50 1.85
    case $n in resnet50 | mobilenetv2) loading $n; tuning $n ;; esac
    [ $n != resnet50 ] || for t in 1 2; do
        row 'resnet50, int8 codes' "$out/models/$n.sn" \
            "$out/models/$n.int8.onnx" 2.4 $t
    done
    float_row $n "$out/models/$n.onnx"
done
for n in lrn96 lrn256 lrn192; do
    lrn_row $n 15
done
demo=examples/demo
quantized demo $demo/fashion_lrn.onnx $demo/calib_images.npy \
    --mul 0.00392156863 --layout nchw
rows demo 1.5
float_row demo $demo/fashion_lrn.onnx
[ -d "$data/trained" ] || { echo "skip: no models under $data"; exit 0; }
while IFS="$(printf '\t')" read -r model set layout _ mul add _; do
    case $model in trained/*) ;; *) continue ;; esac
    name=$(basename "$model")
    quantized "$name" "$data/$model/model.onnx" \
        "$data/datasets/${set%_test}_calib_x.npy" --mul="$mul" --add="$add" \
        --layout "$layout"
    rows "$name" 1.5 </dev/null
    float_row "$name" "$data/$model/model.onnx" </dev/null
done <"$data/models.tsv"
# Quantized models as others wrote them.
for model in "$data"/quantized/*_qdq "$data"/quantized/*_qlinear \
    "$data"/quantized/*_qoperator* "$data"/quantized/*connxr; do
    name=$(basename "$model")
    "$sinter" opt "$model/model.onnx" --backend cpu -o "$out/models/$name.sn" \
        >"$out/models/$name.log" 2>&1 </dev/null || continue
    row "$name, as it is" "$out/models/$name.sn" "$model/model.onnx" 1.1 1
done
# Quantized statically: one dimension, products of three, SiLU.
for m in tcn tcn_silu transformer efficient; do
    name=qdq_$m
    to=$out/models/$name
    [ -s "$to.onnx" ] || { sh tools/deps.sh python3-onnx &&
        /usr/bin/python3 tests/bench/qdq_model.py $m "$to.onnx"; } || continue
    "$sinter" opt "$to.onnx" --backend cpu -o "$to.sn" >"$to.log" 2>&1 \
        </dev/null || continue
    row "$name" "$to.sn" "$to.onnx" 1 1
done
# Quantized dynamically, by operators on integers.
for m in "mlp 1" "mlp 64" "transformer 128" "bert 128"; do
    name=$(echo "dynamic $m" | tr ' ' _)
    to=$out/models/$name
    # shellcheck disable=SC2086
    [ -s "$to.onnx" ] || { sh tools/deps.sh python3-onnx &&
        /usr/bin/python3 tests/bench/dynamic_model.py $m "$to.onnx"; } ||
        continue
    "$sinter" opt "$to.onnx" --backend cpu -o "$to.sn" >"$to.log" 2>&1 \
        </dev/null || continue
    row "$name" "$to.sn" "$to.onnx" 1 1
done
for model in "$data"/light/*; do
    name=$(basename "$model")
    [ -s "$model/model.onnx" ] || continue
    [ -s "$out/models/$name.float.sn" ] ||
        "$sinter" opt "$model/model.onnx" --backend cpu \
            -o "$out/models/$name.float.sn" >"$out/models/$name.log" 2>&1 \
            </dev/null
    float_row "$name" "$model/model.onnx"
done
sh tests/bench/plot.sh "$json" >"$out/models.svg" &&
    echo "plot: $out/models.svg"
