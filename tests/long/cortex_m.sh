#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The cost of programs for Cortex-M, counted by qemu: instructions of a product
# of single layers, next to CMSIS-NN's; instructions, arena, code and constants
# of the MLPerf Tiny networks with codes at the boundary.  Counts repeat
# exactly, so limits are exact; cycles are estimates without a limit.
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build}
SHARED=${SHARED:-../shared}
MAKE=${MAKE:-make}
. tests/tiles.sh
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null || {
    echo "skip cortex_m: no arm-none-eabi-gcc or qemu-system-arm"
    exit 0
}

say() { # OK NAME
    if [ "$1" = 0 ]; then
        echo "ok cortex_m $2"
    else
        echo "not ok cortex_m $2"
        bad=1
    fi
}
at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && a <= b) }'; }

# counted m4|m55 FILE FLAGS: builds and runs it; $instructions in millions, the
# program in $tmp/b/m4 or $tmp/b/m55.
counted() {
    board=$1 file=$2
    shift 2
    "$MAKE" -s -C examples/cortex-m "$board" MODEL="$(realpath "$file")" SAMPLE="$*" \
        SINTER="$(realpath "$BUILD")/sinter" OUT="$tmp/b" >"$tmp/log" 2>&1
    rc=$?
    instructions=$(sed -n 's/.*, \(.*\) M instructions.*/\1/p' "$tmp/log")
    [ $rc = 0 ] || tail -n 3 "$tmp/log"
    return $rc
}

# number NAME: of the program's memory map.
number() { sed -n "s/^  \"$1\": \([0-9]*\),*\$/\1/p" "$tmp/b/$board/net.json"; }

# The commands of docs/howto/microcontroller.md, as they stand, where there is
# nothing but a built sinter and the examples.
mkdir -p "$tmp/walk/build"
ln -s "$(realpath "$BUILD")/sinter" "$tmp/walk/build/sinter"
cp -r examples "$tmp/walk"
awk '/^    build\// { on = 1 } /^```/ { exit } on && /^    / { print substr($0, 5) }' \
    docs/howto/microcontroller.md >"$tmp/walk.sh"
(cd "$tmp/walk" && MAKEFLAGS='' sh -e "$tmp/walk.sh") >"$tmp/log" 2>&1
rc=$?
right=$(grep -c '^right$' "$tmp/log")
[ $rc = 0 ] || tail -n 3 "$tmp/log"
[ $rc = 0 ] && [ "$right" = 5 ]
say $? "docs/howto/microcontroller.md: five self-tests are right (status $rc, $right)"

# each VALUE...: one for each filter, over and over.
each() {
    awk -v n="$1" -v v="$2" 'BEGIN {
        k = split(v, a, " ")
        for (i = 0; i < n; i++) printf "%s%s", i ? ", " : "", a[i % k + 1]
    }'
}

# layer ROWS COLUMNS CHANNELS FILTERS KERNEL GROUPS: a convolution with a scale for
# each filter; $macs products.
layer() {
    taps=$(($5 * $5 * $3 / $6)) pad=$(($5 / 2))
    macs=$(($1 * $2 * $4 * taps))
    cat <<END
sinter-graph 1
graph "layer" {
  %x = Placeholder() : qi8<0.05, -3>[1,$1,$2,$3]
  %w = Constant() {data = [$(draw $((taps * $4)) 7 -127 127)]} : qi8<axis=0, [$(each "$4" '0.01 0.02 0.04')], [$(each "$4" 0)]>[$4,$5,$5,$(($3 / $6))]
  %b = Constant() {data = [$(draw "$4" 8 -9000 9000)]} : qi32<axis=0, [$(each "$4" '0.0005 0.001 0.002')], [$(each "$4" 0)]>[$4]
  %y = ChannelwiseConv2D(%x, %w, %b) {kernel = [$5,$5], pads = [$pad,$pad,$pad,$pad], group = $6} : qi8<2, 4>[1,$1,$2,$4]
  Save(%y) {name = "y"}
}
END
}

# compared NAME SHAPE M4 LIMIT M55 LIMIT: instructions of a product, CMSIS-NN's of
# 2026-07 by gcc 12 -Ofast, and the most that a layer may take of them.
compared() {
    # shellcheck disable=SC2086
    layer $2 >"$tmp/layer.sn"
    row="| $1 |"
    for pair in "m4 $3 $4" "m55 $5 $6"; do
        # shellcheck disable=SC2086
        set -- "$1" "$2" "$3" "$4" "$5" "$6" $pair
        counted "$7" "$tmp/layer.sn"
        rc=$?
        each=$(awk -v i="$instructions" -v m=$macs 'BEGIN { printf "%.3f", i * 1e6 / m }')
        ratio=$(awk -v a="$each" -v b="$8" 'BEGIN { printf "%.2f", a / b }')
        row="$row $each | $8 | $ratio |"
        [ $rc = 0 ] && at_most "$ratio" "$9"
        say $? "$1 on $7: $ratio of CMSIS-NN's instructions, at most $9"
    done
    echo "$row" >>"$tmp/layers"
}
echo "| layer | M4 | CMSIS-NN | ratio | M55 | CMSIS-NN | ratio |" >"$tmp/layers"
compared '3x3 16>16 at 32x32' '32 32 16 16 3 1' 2.33 .55 .388 1.1
compared '3x3 32>32 at 16x16' '16 16 32 32 3 1' 1.93 .55 .253 1.1
compared '3x3 64>64 at 8x8' '8 8 64 64 3 1' 1.76 .55 .206 1.1
compared 'depthwise 3x3, 64 at 25x5' '25 5 64 64 3 64' 8.33 .4 2.32 .7
compared '1x1 64>64 at 25x5' '25 5 64 64 1 1' 2.09 .65 .396 1.1
compared '1x1 128>128 at 6x6' '6 6 128 128 1 1' 1.83 .65 .282 1.1
compared '5x5 3>16 at 32x32' '32 32 3 16 5 1' 3.38 .6 .824 .7

# network NAME FILE MILLIONS ARENA: of a Cortex-M4, at most.  The arena is within
# 10 % of its bound, code takes at most 12 KB, constants 1 % more than the graph's.
network() {
    f=$SHARED/data/quantized/$2/model.onnx
    [ -f "$f" ] || return
    "$BUILD/sinter" opt "$f" -o "$tmp/graph.sn" >"$tmp/log" 2>&1
    graph=$(sed -n 's/.*= Constant(.*} : \([a-z0-9]*\).*\[\([0-9,]*\)\]$/\1 \2/p' "$tmp/graph.sn" |
        awk '{ size = $1 ~ /64/ ? 8 : $1 ~ /32/ ? 4 : $1 ~ /16/ ? 2 : 1
            k = split($2, d, ","); for (i = 1; i <= k; i++) size *= d[i]; n += size }
            END { print n }')
    for board in m4 m55; do
        counted $board "$f" --io int8
        rc=$?
        arm-none-eabi-gcc -mcpu=cortex-$board -mthumb -mfloat-abi=hard -O2 -c \
            $([ $board = m4 ] && echo -mfpu=fpv4-sp-d16) -o "$tmp/net.o" "$tmp/b/$board/net.c"
        text=$(arm-none-eabi-size "$tmp/net.o" | awk 'NR == 2 { print $1 }')
        tables=$(number tables) arena=$(number arena) bound=$(number arena_bound)
        code=$((text - tables)) weights=$(number weights)
        cycles=$(sed -n 's/.*"cycles": \([0-9]*\)},$/\1/p' "$tmp/b/$board/net.json" |
            awk '{ printf "%.2f", $1 * 1e-6 }')
        echo "| $1 | $board | $instructions | $cycles | $arena | $bound | $code | $tables | $weights | $graph |" \
            >>"$tmp/networks"
        [ $rc = 0 ] && at_most "$arena" $((bound * 11 / 10)) && at_most "$code" 12288 &&
            at_most "$weights" $((graph * 101 / 100))
        say $? "$1 on $board: arena $arena (bound $bound), code $code, constants $weights ($graph)"
        if [ $board = m4 ]; then
            at_most "$instructions" "$3" && at_most "$arena" "$4"
            say $? "$1: $instructions M instructions (at most $3), arena $arena (at most $4)"
        fi
    done
}
echo "| network | processor | M instructions | estimated M cycles | arena | bound | code | tables | constants | of the graph |" \
    >"$tmp/networks"
network resnet8 mlperf_resnet8_qdq 15 37888
network ds-cnn mlperf_dscnn_kws_qdq 4.2 9728
network vww mlperf_mobilenetv1_vww_qdq 11 30720
network autoencoder mlperf_autoencoder_ad_qdq .45 2048
cat "$tmp/layers" "$tmp/networks"
exit $bad
