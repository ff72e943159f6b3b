#!/bin/sh
# A table of top-1: float, and int8 for every scheme x range rule, weights with
# one scale per tensor and one per channel (and row), on every labelled float
# model of models.tsv.  Calibration data is not evaluated on.
#
#   schemes.sh BUILD SHARED [IMAGES [MODEL...]]   IMAGES evaluated (default 1000)
#
# Exit 1 when the best setting of a model loses more than half a point.
set -u
build=${1:-build} shared=${2:-../shared} n=${3:-1000}
[ $# -gt 3 ] && shift 3 || set --
want=" $* "
sinter=$build/sinter
data=$shared/data
out=$build/schemes
mkdir -p "$out"
bad=0
schemes='asymmetric symmetric symmetric-uint8 power-of-two'
ranges='minmax percentile entropy mse'

# top1 MODEL ARGS...
top1() {
    model=$1
    shift
    "$sinter" run "$model" --backend cpu --json "$@" 2>"$out/log" |
        sed -n 's/.*"top1": \([0-9.]*\).*/\1/p'
}

# rows NAME MODEL "CALIBRATION" "EVALUATION" IMPORT...
rows() {
    name=$1 model=$2 calib=$3 eval=$4
    shift 4
    case $want in '  ' | *" $name "*) ;; *) return ;; esac
    # shellcheck disable=SC2086
    if ! "$sinter" profile "$model" --calib $calib "$@" -o "$out/p.json" 2>"$out/log"; then
        printf '%-24s %s\n' "$name" "$(grep -m 1 error "$out/log" || head -n 1 "$out/log")"
        bad=1
        return
    fi
    # shellcheck disable=SC2086
    f=$(top1 "$model" $eval "$@")
    best=0 which=
    for s in $schemes; do
        for r in $ranges; do
            printf '%-24s %-8s %-16s %-10s' "$name" "$f" "$s" "$r"
            for w in '' '--channelwise --rowwise'; do
                # shellcheck disable=SC2086
                "$sinter" quantize "$model" --load-profile "$out/p.json" --backend cpu \
                    --scheme "$s" --range "$r" $w $shape -o "$out/q.sn" >/dev/null 2>"$out/log"
                # shellcheck disable=SC2086
                q=$(top1 "$out/q.sn" $eval "$@")
                printf ' %8s' "${q:-failed}"
                if awk "BEGIN { exit !(${q:-0} > $best) }"; then
                    best=$q which="$s $r $w"
                fi
            done
            printf '\n'
        done
    done
    printf '%-24s %-8s best: %s, %s\n' "$name" "$f" "$best" "$which"
    awk "BEGIN { exit !($f - $best > 0.005001) }" && bad=1
}

[ -d "$data/datasets" ] || { echo "skip: no data under $data"; exit 0; }
printf '%-24s %-8s %-16s %-10s %8s %8s\n' model float scheme range tensor channel
while IFS="$(printf '\t')" read -r model set layout _ mul add shape _; do
    case $model in trained/* | real/*) ;; *) continue ;; esac
    x=$data/datasets/${set}_x.npy y=$data/datasets/${set}_y.npy
    c=$data/datasets/${set%_test}_calib_x.npy
    [ "$shape" = - ] && shape='' || shape="--shape=$shape"
    file=$(ls "$data/$model"/*.onnx | head -n 1)
    if [ -f "$c" ]; then
        calib="$c -n 256" eval="--input $x --labels $y -n $n"
    else # the first 200 calibrate, the rest is evaluated
        calib="$x -n 200" eval="--input $x --labels $y --skip 200 -n $n"
    fi
    rows "$(basename "$model")" "$file" "$calib" "$eval" --mul="$mul" --add="$add" \
        --layout "$layout" $shape
done <"$data/models.tsv"
exit $bad
