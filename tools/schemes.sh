#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The loss by int8: every scheme x range rule, weights with one scale per tensor
# and one per channel and row, on the float models at hand.
#
#   schemes.sh BUILD SHARED [IMAGES [MODEL...]]
#
# Models of models.tsv with labels: top-1 on IMAGES (default 1000) test images.
# Ranges come from the first 256 calibration images; the setting with the best
# SQNR against float on the others is the chosen one (top-1 of a few hundred
# images is too coarse to choose by).  If a set has no calibration part, its
# first 200 images are used for both, and the others are scored.  Next to the
# chosen setting: ONNX Runtime, where it can be installed, on our QDQ export of
# it, and the int8 model of the same network that its makers ship.  Models
# without labels: SQNR in dB against float on 4 synthetic samples, ranges from 8
# others; synthetic data says little about real data.
#
# Exit 1 if a chosen setting loses more than half a point.
. "${0%/*}/help.sh"
set -u
build=${1:-build} shared=${2:-../shared} n=${3:-1000}
[ $# -gt 3 ] && shift 3 || set --
want=" $* "
sinter=$build/sinter
data=$shared/data
out=$build/schemes
ort=$build/oracle
mkdir -p "$out/best"
bad=0
schemes='asymmetric symmetric symmetric-uint8 power-of-two'
ranges='minmax percentile entropy mse'

wanted() {
    case $want in '  ' | *" $1 "*) return 0 ;; esac
    return 1
}
less() { awk "BEGIN { exit !($1 < $2) }"; }

# top1 MODEL ARGS...
top1() {
    model=$1
    shift
    "$sinter" run "$model" --backend cpu --json "$@" 2>"$out/log" |
        sed -n 's/.*"top1": \([0-9.]*\).*/\1/p'
}
# db MODEL FLOAT ARGS...: SQNR of the worst output
db() {
    model=$1 flt=$2
    shift 2
    "$sinter" run "$model" --compare "$flt" --json "$@" 2>"$out/log" |
        sed -n 's/.*"sqnr_db": \([-0-9.]*\|null\),.*/\1/p' | sed 's/null/999/' |
        sort -g | head -n 1
}

# profile NAME MODEL "CALIBRATION" IMPORT...
profile() {
    name=$1 model=$2 calib=$3
    shift 3
    # shellcheck disable=SC2086
    "$sinter" profile "$model" --calib $calib "$@" -o "$out/p.json" 2>"$out/log" && return
    printf '%-24s %s\n' "$name" "$(grep -m 1 error "$out/log" || head -n 1 "$out/log")"
    bad=1
    return 1
}

# quantize MODEL SCHEME RANGE WEIGHTS IMPORT...: $out/q.sn
quantize() {
    model=$1 s=$2 r=$3 w=$4
    shift 4
    # shellcheck disable=SC2086
    "$sinter" quantize "$model" --load-profile "$out/p.json" --backend cpu \
        --scheme "$s" --range "$r" $w "$@" -o "$out/q.sn" >/dev/null 2>"$out/log"
}

# peer MODEL.onnx INPUT SKIP N LABELS MUL ADD: top-1 by ONNX Runtime
peer() {
    [ -d "$ort/node_modules" ] || { echo -; return; }
    node tools/oracle/run.js "$ort" all "$1" "$out/ort.npy" --skip "$3" --n "$4" \
        --mul "$6" --add "$7" "$2" 2>"$out/log" &&
        node tools/oracle/compare.js "$out/ort.npy" "$out/ort.npy" 1 "$5" "$3" |
        cut -d' ' -f1 || echo failed
}

# The int8 model that the makers of a network ship: MODEL MUL ADD, or nothing.
shipped() {
    case $1 in
    mlperf_resnet8*) echo "$data/quantized/mlperf_resnet8_qdq/model.onnx 1 0" ;;
    mlperf_dscnn_kws) echo "$data/quantized/mlperf_dscnn_kws_qdq/model.onnx 0.5847029 -48.5303407" ;;
    mnist_8 | mnist_12) echo "$data/quantized/mnist_connxr/model.onnx 0.00392156863 0" ;;
    esac
}

# labelled NAME MODEL CALIBRATION NRANGE INPUT LABELS SKIP MUL ADD LAYOUT SHAPE
labelled() {
    name=$1 model=$2 c=$3 nc=$4 x=$5 y=$6 skip=$7
    shift 7
    mul=$1 add=$2 layout=$3 shape=$4
    px="--mul=$mul --add=$add --layout $layout"
    choice="--skip $nc"
    [ "$skip" = 0 ] || choice="-n $nc"
    # shellcheck disable=SC2086
    profile "$name" "$model" "$c -n $nc" $px $shape || return
    # shellcheck disable=SC2086
    f=$(top1 "$model" --input "$x" --labels "$y" --skip "$skip" -n "$n" $px $shape)
    best=-999 table=-1
    for s in $schemes; do
        for r in $ranges; do
            printf '%-24s %-8s %-16s %-10s' "$name" "$f" "$s" "$r"
            for w in --per-tensor ''; do
                sliced=' channelwise'; [ -z "$w" ] || sliced=
                # shellcheck disable=SC2086
                quantize "$model" "$s" "$r" "$w" $shape
                # shellcheck disable=SC2086
                q=$(top1 "$out/q.sn" --input "$x" --labels "$y" --skip "$skip" -n "$n" $px)
                printf ' %8s' "${q:-failed}"
                less "$table" "${q:-0}" && table=$q
                # shellcheck disable=SC2086
                e=$(db "$out/q.sn" "$model" --backend cpu --input "$c" $choice $px $shape)
                less "$best" "${e:--999}" || continue
                best=$e chosen=$q
                which="$s $r$sliced"
                cp "$out/q.sn" "$out/best.sn"
                rm -f "$out"/best/*
                cp "$out"/q.????????????????.snw "$out/best"
            done
            printf '\n'
        done
    done
    # The text form names its weights' file.
    cp "$out"/best/* "$out"
    cp "$out/best.sn" "$out/q.sn"
    "$sinter" export "$out/q.sn" --format qdq -o "$out/q.onnx" 2>"$out/log"
    o=$(peer "$out/q.onnx" "$x" "$skip" "$n" "$y" "$mul" "$add")
    p=-
    # shellcheck disable=SC2046
    set -- $(shipped "$name")
    [ $# = 3 ] && p=$(top1 "$1" --input "$x" --labels "$y" --skip "$skip" -n "$n" --layout nchw --mul="$2" --add="$3")
    printf '| %-22s float %s | %s: %s (best of all %s) | ONNX Runtime on its QDQ export %s | shipped int8 %s\n' \
        "$name" "$f" "$which" "$chosen" "$table" "$o" "$p"
    less "$chosen" "$f - 0.005001" && bad=1
}

# unlabelled NAME MODEL: an input's shape is the model's
unlabelled() {
    name=$1 model=$2
    wanted "$name" || return
    dims=$("$sinter" inspect "$model" 2>/dev/null |
        sed -n 's/^input .*\[[0-9]*,\([0-9,]*\)\].*/\1/p' | tr , x)
    [ -n "$dims" ] && "$build/tests/mkdata" "$out/s.npy" 12 "$dims" &&
        profile "$name" "$model" "$out/s.npy -n 8" || return
    best=-999
    for s in $schemes; do
        for r in $ranges; do
            printf '%-24s %-8s %-16s %-10s' "$name" dB "$s" "$r"
            for w in --per-tensor ''; do
                sliced=' channelwise'; [ -z "$w" ] || sliced=
                quantize "$model" "$s" "$r" "$w"
                e=$(db "$out/q.sn" "$model" --backend cpu --input "$out/s.npy" --skip 8 -n 4)
                printf ' %8.2f' "${e:--999}"
                less "$best" "${e:--999}" && best=$e which="$s $r$sliced"
            done
            printf '\n'
        done
    done
    printf '| %-22s best: %.2f dB, %s\n' "$name" "$best" "$which"
}

[ -d "$data/datasets" ] || { echo "skip: no data under $data"; exit 0; }
command -v npm >/dev/null && sh tools/oracle/install.sh "$ort" 2>"$out/log"
printf '%-24s %-8s %-16s %-10s %8s %8s\n' model float scheme range tensor channel
while IFS="$(printf '\t')" read -r model set layout _ mul add shape _; do
    case $model in trained/* | real/*) ;; *) continue ;; esac
    wanted "$(basename "$model")" || continue
    x=$data/datasets/${set}_x.npy y=$data/datasets/${set}_y.npy
    c=$data/datasets/${set%_test}_calib_x.npy
    [ "$shape" = - ] && shape='' || shape="--shape=$shape"
    file=$(ls "$data/$model"/*.onnx | head -n 1)
    nc=256 skip=0
    [ -f "$c" ] || c=$x nc=200 skip=200
    [ "$skip" = 0 ] || [ "$n" -lt 1000 ] || n=800
    labelled "$(basename "$model")" "$file" "$c" "$nc" "$x" "$y" "$skip" \
        "$mul" "$add" "$layout" "$shape"
done <"$data/models.tsv"
for m in "$data"/real/* "$data"/light/*_random; do
    [ -f "$m/model.onnx" ] || continue
    name=$(basename "$m")
    grep -q "/$name	" "$data/models.tsv" || unlabelled "$name" "$m/model.onnx"
done
exit $bad
