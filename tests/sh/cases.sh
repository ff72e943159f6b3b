#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A case for each rule instance and the near misses of its guard; then
# deliberately damaged rules, which the cases must detect.
BUILD=${BUILD:-build}
gen=$BUILD/sinter-gen
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0

"$BUILD/tests/run_cases" || bad=1

# damaged NAME SED CASE: with passes.def so changed, CASE does not hold.
damaged() {
    mkdir -p "$tmp/$1/defs"
    cp nodes.def maps.def arith.def "$tmp/$1/defs"
    sed "$2" passes.def >"$tmp/$1/defs/passes.def"
    if cmp -s passes.def "$tmp/$1/defs/passes.def"; then
        echo "not ok damaged $1: nothing was changed"
        bad=1
        return
    fi
    set -- "$1" "$3" "$gen --no-prove --nodes $tmp/$1/defs/nodes.def
        --passes $tmp/$1/defs/passes.def -I $tmp/$1/defs -o $tmp/$1/gen"
    for b in src/backend/*/*.def; do set -- "$1" "$2" "$3 --backend $b"; done
    # shellcheck disable=SC2086
    if $3 2>"$tmp/$1/err" &&
        BUILD=$BUILD sh tests/cases/against.sh "$tmp/$1/gen" "$2" >"$tmp/$1/out" 2>&1
    then
        echo "not ok damaged $1: no case notices"
        bad=1
    elif grep -q "^not ok case $2" "$tmp/$1/out"; then
        echo "ok damaged $1: $(sed -n 's/^not ok case [^(]*([^)]*): //p' "$tmp/$1/out" |
            head -n 1)"
    else
        echo "not ok damaged $1: $(tail -qn 3 "$tmp/$1/err" "$tmp/$1/out" 2>&1)"
        bad=1
    fi
}
damaged guard '/rule requant_noop:/,/exact;/s/ and covers(o.clamp, reach(x))//' requant_noop
damaged step '/rule slice_noop:/,/exact;/s/ and o.step == ones(rank(x))//' slice_noop
damaged once '/rule clip_clip:/s/@i :1/@i/' clip_clip
damaged claim '/rule fuse:/,/refines;/s/refines;/exact;/' fuse
damaged fold '/rule quant_splat:/s/like s : o.type/{value = 0, dims = s.dims} : o.type/' quant_splat
exit $bad
