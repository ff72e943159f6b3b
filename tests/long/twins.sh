#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Trained models for each arithmetic, `single` and `double` and the machines of
# examples/arithmetics: every node's codes against those of the rows of float on
# equal operands, and the bound that an export as qdq-twin states.  A line has
# the nodes with a bound, the largest bound and the largest distance seen, how
# many nodes reach their bound, and how many have none; on IMAGES pictures (8).
#   SHARED=../shared BUILD=build sh tests/long/twins.sh [ARITHMETIC...]
. "${0%/*}/../../tools/help.sh"
set -u
BUILD=${BUILD:-build} SHARED=${SHARED:-../shared} MAKE=${MAKE:-make} CC=${CC:-gcc}
n=${IMAGES:-8}
sinter=$BUILD/sinter data=$SHARED/data
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
[ -s "$data/models.tsv" ] || { echo "skip twins: no data under $SHARED"; exit 0; }
[ $# -gt 0 ] || set -- single double tflite cmsis_nn xnn_rndnu max78000 nvdla

"$MAKE" -s install BUILD="$BUILD" CC="$CC" prefix="$tmp/prefix" >"$tmp/log" 2>&1 ||
    { cat "$tmp/log"; exit 1; }
export PKG_CONFIG_PATH="$tmp/prefix/lib/pkgconfig"
cp -r examples/arithmetics "$tmp/a"
for m in "$@"; do
    [ -f "$tmp/a/$m.def" ] || continue
    (unset MAKEFLAGS MFLAGS MAKELEVEL
        cd "$tmp/a" && "$MAKE" -s NAME="$m" CC="$CC" BUILD=build) >"$tmp/log" 2>&1 ||
        { tail -n 5 "$tmp/log"; exit 1; }
done

# on MACHINE VERB...: sinter with its plugin
on() {
    m=$1
    shift
    if [ -f "$tmp/a/build/lib$m.so" ]; then
        "$sinter" --backend-plugin "$tmp/a/build/lib$m.so" "$@"
    else
        "$sinter" "$@"
    fi
}
# A line of `run --check-twin`: NAME: LO to HI codes in N values, bound LO to HI
summary() {
    awk '
        function most(lo, hi) { return -lo > hi ? -lo : hi }
        match($0, /: -?[0-9]+ to -?[0-9]+ codes in /) {
            split(substr($0, RSTART + 2), f, " ")
            s = most(f[1], f[3])
            if (!match($0, /, bound -?[0-9]+ to -?[0-9]+/)) { none++; next }
            split(substr($0, RSTART + 8), g, " ")
            b = most(g[1], g[3]); n++
            if (b > top) top = b
            if (s > seen) seen = s
            if (b > 0) { away++; at += s == b }
        }
        END { printf " %d: %d, %d; %d of %d; %d |", n, top, seen, at, away, none }'
}

printf '| model (nodes: bound, seen; reached of those above 0; none) |'
for m in "$@"; do printf ' %s |' "$m"; done
printf '\n|---|'
for m in "$@"; do printf '%s' '---|'; done
echo
awk -F'\t' '$1 ~ /^(trained|real)\// && $9 > 0 { print $1, $2, $3, $5, $6 }' \
    "$data/models.tsv" >"$tmp/models"
while read -r name set layout mul add; do
    set=${set%_test}
    calib=$data/datasets/${set}_calib_x.npy
    [ -s "$calib" ] && [ -s "$data/$name/model.onnx" ] || continue
    pixels="--mul $mul --add $add --layout $layout"
    printf '| %s |' "${name#*/}"
    for m in "$@"; do
        target=$m
        [ -f "$tmp/a/$m.def" ] || target=interp_$m
        # shellcheck disable=SC2086 # several words
        on "$m" quantize "$data/$name/model.onnx" --calib "$calib" $pixels -n 64 \
            --target "$target" -o "$tmp/q.sn" >"$tmp/out" 2>"$tmp/err"
        rc=$?
        if [ $rc = 4 ] && grep -q 'no scales above those of the profile' "$tmp/err"; then
            printf ' no scales |'
            continue
        elif [ $rc != 0 ]; then
            printf ' exit %s |' $rc
            bad=1
            continue
        fi
        # shellcheck disable=SC2086
        on "$m" run "$tmp/q.sn" --input "$data/datasets/${set}_test_x.npy" $pixels \
            -n "$n" --check-twin >"$tmp/seen" 2>"$tmp/err" || { cat "$tmp/err"; bad=1; }
        on "$m" export "$tmp/q.sn" --format qdq-twin -o "$tmp/q.onnx" >"$tmp/list" \
            2>"$tmp/err" || { cat "$tmp/err"; bad=1; }
        # what is written states the same bounds
        sed -n 's/: \(-*[0-9]* to [0-9]*\) codes.*/ \1/p' "$tmp/list" >"$tmp/listed"
        sed -n 's/: .* bound \(-*[0-9]* to [0-9]*\)$/ \1/p' "$tmp/seen" >"$tmp/bounds"
        grep -qvxF -f "$tmp/bounds" "$tmp/listed" && { echo "other bounds"; bad=1; }
        summary <"$tmp/seen"
        rm -f "$tmp"/q.*
    done
    echo
done <"$tmp/models"
[ $bad = 0 ] && echo 'ok twins' || echo 'not ok twins'
exit $bad
