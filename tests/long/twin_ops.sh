#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Single operators for each arithmetic, exported as qdq-twin: ONNX Runtime, with
# graph optimizations disabled, is at most as many codes away from the graph as
# the bound of the export says.  The operands are equal: Quantize of drawn reals
# is the same in both.
#   BUILD=build sh tests/long/twin_ops.sh [ARITHMETIC...]
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build} MAKE=${MAKE:-make} CC=${CC:-gcc}
sinter=$BUILD/sinter
mkdata=$BUILD/tests/mkdata
ort=$BUILD/oracle
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
bad=0
command -v node >/dev/null && command -v npm >/dev/null || sh tools/deps.sh nodejs npm
sh tools/oracle/install.sh "$ort" || { echo "not ok twin_ops: no ONNX Runtime"; exit 1; }
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
"$mkdata" "$tmp/x.npy" 64 6x8x4

on() { # MACHINE ARGS...: sinter with its plugin
    m=$1
    shift
    if [ -f "$tmp/a/build/lib$m.so" ]; then
        "$sinter" --backend-plugin "$tmp/a/build/lib$m.so" "$@"
    else
        "$sinter" "$@"
    fi
}

# one MACHINE NAME TYPE IN BODY: BODY makes %y of TYPE from %q of qi8<IN>.
one() {
    m=$1 name=$2 type=$3 in=$4 body=$5 f=$tmp/$2
    {
        echo 'sinter-graph 1'
        echo "graph \"$name\" $by {"
        echo '  %x = Placeholder() : f32[1,6,8,4]'
        echo "  %q = Quantize(%x) : qi8<$in>[1,6,8,4]"
        echo "$body"
        echo "  %d = Dequantize(%y) : f32[${type##*[}"
        echo '  Save(%d) {name = "d"}'
        echo '}'
    } >"$f.sn"
    step=${type#*<}
    if ! on "$m" export "$f.sn" --format qdq-twin -o "$f.onnx" >"$tmp/list" 2>"$tmp/log"; then
        if grep -q 'arithmetic .* \(expects\|has no row\|does not undo\)' "$tmp/log"; then
            printf '| %-9s %-10s not admitted\n' "$m" "$name"
            return
        fi
        echo "not ok twin_ops $m $name: $(head -n 1 "$tmp/log")"
        bad=1
        return
    fi
    # of %y alone
    bound=$(sed -n 's/^y ([A-Za-z0-9]*): \(-*[0-9]*\) to \([0-9]*\) codes.*/\1 \2/p' "$tmp/list" |
        awk '{ print (-$1 > $2 ? -$1 : $2) }')
    on "$m" run "$f.sn" --input "$tmp/x.npy" --dump "$f.npy" >"$tmp/log" 2>&1 &&
        node tools/oracle/run.js "$ort" disabled "$f.onnx" "$f.ort.npy" "$tmp/x.npy" \
            2>"$tmp/log" || { echo "not ok twin_ops $m $name: $(tail -n 1 "$tmp/log")"; bad=1; return; }
    r=$(node tools/oracle/compare.js "$f.npy" "$f.ort.npy" "${step%%,*}")
    steps=$(echo "$r" | cut -d' ' -f4) differ=$(echo "$r" | cut -d' ' -f5)
    printf '| %-9s %-10s bound %2s, seen %s, %s differ\n' "$m" "$name" "${bound:-none}" "$steps" "$differ"
    if [ -n "$bound" ] && [ "$steps" -le "$bound" ]; then
        echo "ok twin_ops $m $name"
    else
        echo "not ok twin_ops $m $name: $(grep '^y ' "$tmp/list")"
        bad=1
    fi
}

# weights N TYPE: %w of N drawn codes
weights() {
    awk -v n="$1" -v t="$2" 'BEGIN {
        srand(7)
        for (i = 0; i < n; i++)
            s = s (i ? "," : "") int(rand() * 255) - 127
        printf "  %%w = Constant() {data = [%s]} : %s\n", s, t
    }'
}

cat >"$tmp/one.sn" <<'END'
sinter-graph 1
graph "one" {
  %x = Placeholder() : qi8<0.5, 0>[1]
  Save(%x) {name = "y"}
}
END
T='[1,6,8,4]'
for m in "$@"; do
    target=$m
    [ -f "$tmp/a/$m.def" ] || target=interp_$m
    by=$(on "$m" opt "$tmp/one.sn" --backend "$target" |
        sed -n 's/^graph "one" \(rounding .*\) {/\1/p')
    case $m in
    max78000 | nvdla) z=0 y=0 ;;
    *) z=3 y=-7 ;;
    esac
    # steps of a power of two have ties, which round apart
    i="0.015625, $z"
    one "$m" rescale "qi8<0.03125, $y>$T" "$i" "  %y = Rescale(%q) : qi8<0.03125, $y>$T"
    one "$m" rescale_any "qi8<0.0271, $y>$T" "$i" "  %y = Rescale(%q) : qi8<0.0271, $y>$T"
    one "$m" relu "qi8<0.0313, $y>$T" "$i" "  %y = Relu(%q) : qi8<0.0313, $y>$T"
    one "$m" add "qi8<0.03125, $y>$T" "$i" "  %r = Flip(%q) {axes = [1]} : qi8<$i>$T
  %y = Add(%q, %r) : qi8<0.03125, $y>$T"
    one "$m" add_same "qi8<$i>$T" "$i" "  %r = Flip(%q) {axes = [1]} : qi8<$i>$T
  %y = Add(%q, %r) : qi8<$i>$T"
    one "$m" sub "qi8<0.0271, $y>$T" "$i" "  %r = Flip(%q) {axes = [2]} : qi8<$i>$T
  %y = Sub(%q, %r) : qi8<0.0271, $y>$T"
    one "$m" mul "qi8<0.0078125, $y>$T" "$i" "  %r = Flip(%q) {axes = [3]} : qi8<$i>$T
  %y = Mul(%q, %r) : qi8<0.0078125, $y>$T"
    one "$m" avg_pool "qi8<$i>[1,3,5,4]" "$i" "  %y = AvgPool(%q) {kernel = [3,3], stride = [2,2], pads = [1,1,1,2]} : qi8<$i>[1,3,5,4]"
    one "$m" avg_pool_any "qi8<0.0131, $y>[1,3,4,4]" "$i" "  %y = AvgPool(%q) {kernel = [2,2], stride = [2,2]} : qi8<0.0131, $y>[1,3,4,4]"
    one "$m" mean "qi8<0.0078125, $y>[1,1,1,4]" "$i" "  %y = ReduceMean(%q) {axes = [1,2], keepdims = true} : qi8<0.0078125, $y>[1,1,1,4]"
    for grid in 0.25 0.2371; do
        one "$m" "conv_$grid" "qi8<$grid, $y>$T" "$i" "$(weights 144 'qi8<0.0078125, 0>[4,3,3,4]')
  %y = Conv2D(%q, %w, _) {kernel = [3,3], pads = [1,1,1,1]} : qi8<$grid, $y>$T"
        one "$m" "depthwise_$grid" "qi8<$grid, $y>$T" "$i" "$(weights 36 'qi8<axis=0, [0.0078125, 0.03125, 0.02, 0.01], [0,0,0,0]>[4,3,3,1]')
  %y = ChannelwiseConv2D(%q, %w, _) {kernel = [3,3], pads = [1,1,1,1], group = 4} : qi8<$grid, $y>$T"
        one "$m" "connected_$grid" "qi8<$grid, $y>[1,16]" "$i" "  %t = Reshape(%q) {dims = [1,192]} : qi8<$i>[1,192]
$(weights 3072 'qi8<0.0078125, 0>[16,192]')
  %y = FullyConnected(%t, %w, _) : qi8<$grid, $y>[1,16]"
    done
    one "$m" matmul "qi8<0.05, $y>[12,12]" "$i" "  %t = Reshape(%q) {dims = [12,16]} : qi8<$i>[12,16]
  %u = Flip(%t) {axes = [0]} : qi8<$i>[12,16]
  %y = MatMul(%t, %u) {trans_b = true} : qi8<0.05, $y>[12,12]"
done
exit $bad
