#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Trained models for machines that restrict types, as in examples/arithmetics:
# each is quantized without breaking a line of its arithmetic, checked by an
# independent reader of the text, or the node that makes it impossible is named.
# Top-1 of float, and of each machine, on IMAGES pictures (500).
#   SHARED=../shared BUILD=build sh tests/long/chips.sh [MACHINE...]
. "${0%/*}/../../tools/help.sh"
set -u
BUILD=${BUILD:-build} SHARED=${SHARED:-../shared} MAKE=${MAKE:-make} CC=${CC:-gcc}
n=${IMAGES:-500}
sinter=$BUILD/sinter data=$SHARED/data
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
[ -s "$data/models.tsv" ] || { echo "skip chips: no data under $SHARED"; exit 0; }
[ $# -gt 0 ] || set -- max78000 nvdla

"$MAKE" -s install BUILD="$BUILD" CC="$CC" prefix="$tmp/prefix" >"$tmp/log" 2>&1 ||
    { cat "$tmp/log"; exit 1; }
export PKG_CONFIG_PATH="$tmp/prefix/lib/pkgconfig"
cp -r examples/arithmetics "$tmp/a"
for m in "$@"; do
    (unset MAKEFLAGS MFLAGS MAKELEVEL
        cd "$tmp/a" && "$MAKE" -s NAME="$m" CC="$CC" BUILD=build) >"$tmp/log" 2>&1 ||
        { tail -n 5 "$tmp/log"; exit 1; }
done

top1() { sed -n 's/^top-1 \([0-9.]*\) .*/\1/p'; }
printf '| model | float |'
for m in "$@"; do printf ' %s |' "$m"; done
printf '\n|---|---|'
for m in "$@"; do printf '%s' '---|'; done
echo
awk -F'\t' '$1 ~ /^(trained|real)\// && $9 > 0 { print $1, $2, $3, $5, $6 }' \
    "$data/models.tsv" >"$tmp/models"
while read -r name set layout mul add; do
    set=${set%_test}
    calib=$data/datasets/${set}_calib_x.npy
    [ -s "$calib" ] && [ -s "$data/$name/model.onnx" ] || continue
    pixels="--mul $mul --add $add --layout $layout"
    test="--input $data/datasets/${set}_test_x.npy --labels $data/datasets/${set}_test_y.npy -n $n"
    # shellcheck disable=SC2086 # several words
    f=$("$sinter" run "$data/$name/model.onnx" $test $pixels 2>"$tmp/err" | top1)
    printf '| %s | %s |' "${name#*/}" "$f"
    for m in "$@"; do
        # shellcheck disable=SC2086
        "$sinter" --backend-plugin "$tmp/a/build/lib$m.so" quantize \
            "$data/$name/model.onnx" --calib "$calib" $pixels -n 256 --backend "$m" \
            -o "$tmp/q.sn" >"$tmp/out" 2>"$tmp/err"
        rc=$?
        if [ $rc = 4 ] && grep -q 'no scales above those of the profile' "$tmp/err"; then
            printf ' %s |' "$(sed -n 's/: no scales above.*//p' "$tmp/err" | head -n 1)"
            continue
        elif [ $rc != 0 ]; then
            printf ' exit %s |' $rc
            bad=1
            continue
        fi
        python3 tests/tools/arith_read.py "$tmp/a/$m.def" "$tmp/q.sn" >"$tmp/read" || bad=1
        # shellcheck disable=SC2086
        t=$("$sinter" --backend-plugin "$tmp/a/build/lib$m.so" run "$tmp/q.sn" \
            $test $pixels --backend "$m" 2>"$tmp/err" | top1)
        printf ' %s (%s; %s) |' "${t:-none}" \
            "$(sed -n 's/^nodes: //p' "$tmp/out")" \
            "$(sed -n 's/^[0-9]* nodes, \([0-9]*\) lines held, /\1 lines, /p' "$tmp/read")"
        rm -f "$tmp"/q.*
    done
    echo
done <"$tmp/models"
[ $bad = 0 ] && echo 'ok chips' || echo 'not ok chips'
exit $bad
