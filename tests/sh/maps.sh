#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Maps and nodes outside the tree, declared only: examples/maps against an
# installed sinter.  tests/sh/extend.sh joins the same declarations in the tree.
suite=maps
. tests/sh_case.sh
. tests/own_maps.sh
CC=${CC:-gcc} MAKE=${MAKE:-make}
pre=$tmp/prefix
"$MAKE" -s --no-print-directory install BUILD="$BUILD" CC="$CC" SAN="${SAN:-}" \
    prefix="$pre" >"$tmp/log" 2>&1
cp -r examples/maps "$tmp/maps"
# One more: of a tap, one index may lie outside and one goes backwards.
cat >>"$tmp/maps/own_maps.def" <<'D'
map skew(x[h, w, c]) {
  result [i < h];
  taps [t < w, u < c];
  read x[i + t - 1, w - 1 - t, u] else skip;
  test ([2, 3, 2]) => [2], x: [[2, 3, 6, 7], [4, 5, 8, 9]];
}
node SkewSum {
  in x; out y;
  kinds (x) -> y { (f32) -> f32; }
  sem window y = q(sum(d(x))) over skew(x);
}
// Operators that share their names with ONNX's: their nodes, lines of Roll, and terms.
node Mirror {
  in x; out y;
  kinds (x) -> y { (T) -> T for T in flat; }
  attr shift : int[];
  same x, y;
  sem move y = x over roll(x, shift);
  onnx "com.example:Tile" 1..2 { shift = repeats; }
  onnx "com.example:Tile" 3.. { shift = tiles; }
}
node Smooth {
  in x; out y;
  kinds (x) -> y { (T) -> T for T in act; }
  attr size : int;
  free x, y;
  sem window y = q(mean(d(x))) over ring(x, size);
  onnx "com.example:AveragePool" 2.. { size = dilations; }
}
// A mean on one grid, which a Rescale passes within a bound.
node SameMean {
  in x; out y;
  kinds (x) -> y { (T) -> T for T in act; }
  attr size : int;
  same x, y;
  sem window y = q(mean(d(x))) over ring(x, size);
}
// An attribute of each sort that an operator may have.
node Stretch {
  in x; out y;
  kinds (x) -> y { (T) -> T for T in act; }
  attr dims  : int[];
  attr scale : real[];
  attr coord : enum { half_pixel, asymmetric, align_corners, pytorch_half_pixel } = half_pixel;
  attr near  : enum { round_prefer_floor, round_prefer_ceil, floor, ceil } = floor;
  same x, y;
  sem move y = x over nearest(x, dims, scale, coord, near);
  onnx "com.example:Stretch" 1.. { dims = sizes; scale = factors; coord = by; near = mode; }
}
// Along one axis, for a Reshape to move below.
map lane(x[a..., d @ axis, b...], size : int, axis : axis(x)) {
  require size > 0 and size <= d else "{size} places of {d}";
  result [i < a, p < d, j < b];
  taps [t < size];
  read x[i, (p + t) % d, j];
  test ([2, 3], 2, 1) => [2, 3], x: [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3]];
}
node LaneMean {
  in x; out y;
  kinds (x) -> y { (T) -> T for T in act; }
  attr size : int;
  attr axis : int;
  free x, y;
  sem window y = q(mean(d(x))) over lane(x, size, axis);
}
node Total {
  in x; out y;
  kinds (x) -> y { (T) -> T for T in act; }
  attr axes     : int[];
  attr keepdims : bool  = true;
  free x, y;
  sem window y = q(mean(d(x))) over reduce(x, axes, keepdims);
  onnx "org.example:ReduceSum" 1.. hook sn_onnx_reduce;
}
// Numbers of both kinds for operands of any type.
onnx "com.example:Offset" 1.. (x) {by : int = 3} => Add(x, by);
onnx "com.example:Scaled" 1.. (x) {by : real = 1.0} => Mul(x, by);
onnx "com.example:Halved" 1.. (x) let half = 0.5 => Mul(x, half);
onnx "com.example:Beyond" 1.. (x) let most = 1e19 => Sub(x, most);
D
names='Abs Add BatchNormalization Cast Ceil Clip Concat Constant Conv DequantizeLinear Div Flatten
    Floor Gather GlobalAveragePool Identity LRN MatMul Max MaxPool Min Mul Neg Pow QLinearAdd
    QLinearConv QuantizeLinear Relu Reshape Sign Sub'
for n in $names; do echo "  onnx \"com.example:$n\" 1.. { shift = shifts; }"; done >"$tmp/lines"
sed -i "/onnx \"com.example:Roll\"/r $tmp/lines" "$tmp/maps/own_maps.def"
for n in $names; do
    echo "onnx \"org.example:$n\" 1.. (x) => Roll(x) {shift = [0, 1, -2]};"
done >>"$tmp/maps/own_maps.def"
# And nodes that narrow integers, with the values of tests/gen/narrow.txt.
sed -n '/^\/\/ ---- integers narrowed/,$p' tests/gen/eval.def >>"$tmp/maps/own_maps.def"
awk 'BEGIN { split("Floor Zero HalfUp HalfAway HalfEven", mode) }
    /^#/ { next }
    {
        for (i = 6; i <= NF; i++) {
            k = $1 (NF == 10 ? mode[i - 5] : "")
            sep = n[k]++ ? ", " : ""
            a[k] = a[k] sep $4
            b[k] = b[k] sep $5
            in_[k] = $2
            out[k] = $3
        }
    }
    END {
        print "sinter-graph 1\ngraph \"g\" {"
        for (k in n) {
            pair = b[k] !~ /_/
            printf "  %%a%s = Constant() {data = [%s]} : %s[%d]\n", k, a[k], in_[k], n[k]
            if (pair)
                printf "  %%b%s = Constant() {data = [%s]} : %s[%d]\n", k, b[k], in_[k], n[k]
            printf "  %%y%s = %s(%%a%s%s) : %s[%d]\n", k, k, k, pair ? ", %b" k : "", out[k], n[k]
            printf "  Save(%%y%s) {name = \"%s\"}\n", k, k
        }
        print "}"
    }' tests/gen/narrow.txt >"$tmp/narrow.sn"
warn='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
      -Wmissing-prototypes -Wcast-qual -Wundef -Wvla -Wformat=2 -Werror'
# shellcheck disable=SC2116,SC2086
if (
    unset MAKEFLAGS MFLAGS MAKELEVEL
    PKG_CONFIG_PATH=$pre/lib/pkgconfig "$MAKE" -C "$tmp/maps" BUILD=build \
        CC="$CC" CFLAGS="-O1 -g $(echo $warn) ${SAN:-}"
) >"$tmp/log" 2>&1; then
    echo "ok $suite builds without a line of C"
else
    echo "not ok $suite builds without a line of C"
    tail -n 12 "$tmp/log"
    exit 1
fi
printf '#!/bin/sh\nexec %s --backend-plugin %s "$@"\n' "$pre/bin/sinter" \
    "$tmp/maps/build/libown_maps.so" >"$tmp/sinter"
chmod +x "$tmp/sinter"
own_sinter=$tmp/sinter
own_maps
own_folds 'SkewSum by the formula' 'f32[2,3,2]' \
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11' 'SkewSum(%x)' 'f32[2]' '18, 26'
own_program 'integers narrowed' "$tmp/narrow.sn"
if ${CC:-gcc} -std=c99 -O1 -fsanitize=undefined -fno-sanitize-recover=all \
    -o "$tmp/program/u" "$tmp"/program/*.c >"$tmp/log" 2>&1; then
    "$tmp/program/u" >"$tmp/log" 2>&1
fi
own_says 'integers narrowed: nothing undefined' right "$tmp/log"
own_says 'the reference has the map' 'unfold(x[n, s..., c]' \
    "$tmp/maps/build/gen/own_maps_reference.md"
own_says 'the reference has the term' '=> Mul(Sub(x, RingMean(x) {size = size}), gain);' \
    "$tmp/maps/build/gen/own_maps_reference.md"
own_says 'proved' 'sink Roll' "$tmp/maps/build/gen/proofs.txt"
own_fires 'a Rescale passes a mean' 'quant_cleanup.sink at y (SameMean)' 'SameMean(%r) {size = 2}' 'qi8<0.2, -1>[1,4,4,2]'
own_says 'the bound of its scales' 'sink SameMean' "$tmp/maps/build/gen/proofs.txt"
own_regroups() { # NODE RESULT: of a Reshape, with every fire checked
    own_graph '  %x = Placeholder() : f32[2,1,3,4]
  %r = Reshape(%x) {dims = [2, 3, 4]} : f32[2,3,4]' "$1" 'f32[2,3,4]' >"$tmp/own.sn"
    "$own_sinter" opt "$tmp/own.sn" --passes=simplify --check-passes >"$tmp/out" 2>"$tmp/log"
    cat "$tmp/out" >>"$tmp/log"
    own_says "a Reshape and $1" "$2" "$tmp/out"
}
own_regroups 'LaneMean(%r) {size = 2, axis = -2}' 'LaneMean(%x) {size = 2, axis = 2}'
own_regroups 'LaneMean(%r) {size = 2, axis = 2}' 'LaneMean(%x) {size = 2, axis = 3}'

ok() { # RESULT NAME
    if [ "$1" = 0 ]; then
        echo "ok $suite $2"
    else
        echo "not ok $suite $2"
        head -n 5 "$tmp/out" "$tmp/log"
        bad=1
    fi
}

# ---- hooks that the program does not have ----

for hook in 'hook sn_onnx_reduc;' '{ y = hook sn_onnx_reduc; }'; do
    cat >"$tmp/hook.def" <<D
version 2;
include "passes.def";
backend Hooked { supports all(f32); rounding float; fallback reference; }
node Hook {
  in x; out y;
  kinds (x) -> y { (f32) -> f32; }
  sem point y = x over broadcast(x);
  onnx "com.example:Hook" 1.. $hook
}
D
    "$pre/bin/sinter-gen" --core "$pre/share/sinter" --plugin "$tmp/hook.def" \
        -o "$tmp/hook" >"$tmp/log" 2>&1
    [ $? = 1 ]
    ok $? "refused: $hook"
    own_says "$hook" "error[SN101]: unknown hook 'sn_onnx_reduc'" "$tmp/log"
    own_says "$hook: help" "did you mean 'sn_onnx_reduce'" "$tmp/log"
done

# ---- operators that share their names with ONNX's ----

mk() { "$BUILD/tests/mkonnx" "$tmp/own.onnx" "$@"; }
opt() { "$own_sinter" opt "$1" >"$tmp/out" 2>"$tmp/log"; }
write() { "$own_sinter" export "$@" -o "$tmp/e.onnx" >"$tmp/log" 2>&1; }
same() { # NAME FILE: the graph of Roll, and again when it has been exported
    opt "$2" && cmp -s "$tmp/want" "$tmp/out" && write "$2" --format qdq &&
        opt "$tmp/e.onnx" && cmp -s "$tmp/want" "$tmp/out"
    ok $? "$1"
}
mk 13 1x4x6 Roll@com.example:shifts=0/1/-2
"$BUILD/sinter" inspect "$tmp/own.onnx" >"$tmp/out" 2>"$tmp/log"
[ $? = 4 ] && grep -qF 'load the plugin: --backend-plugin FILE' "$tmp/log"
ok $? 'without the plugin, its operator names --backend-plugin'
for shape in 1x4x6 1x4x6i8 1x4x6u8 1x2x3x4; do
    by=0/1/-2
    [ $shape = 1x2x3x4 ] && by=0/1/-2/0
    mk 13 $shape Roll@com.example:shifts=$by
    opt "$tmp/own.onnx" && cp "$tmp/out" "$tmp/want"
    for n in $names; do
        mk 13 $shape "$n@com.example:shifts=$by"
        same "com.example:$n of $shape" "$tmp/own.onnx"
        [ $shape = 1x2x3x4 ] && continue
        mk 13 $shape "$n@org.example"
        same "org.example:$n of $shape" "$tmp/own.onnx"
    done
done
mk 13 1x4 BatchNormalization@com.example:shifts=0/1,momentum=0.5
opt "$tmp/own.onnx"
own_says 'an attribute that only ONNX passes over' "attribute 'momentum' is not supported" \
    "$tmp/log"
mk 13 1x4 Foo@com.example Foo@com.other Foo
opt "$tmp/own.onnx"
for n in com.example:Foo com.other:Foo Foo; do
    own_says "refused: $n" "operator $n (opset" "$tmp/log"
done
# Export: by the newest operator set that the declarations speak of.
mk 13 1x4 Tile@com.example:repeats=0/1
opt "$tmp/own.onnx" && cp "$tmp/out" "$tmp/want"
same 'another version of com.example' "$tmp/own.onnx"
own_says 'the newer attribute' tiles "$tmp/e.onnx"
printf 'sinter-graph 1\ngraph "g" {\n  %%x = Placeholder() : qi8<0.1, 3>[1,4]
  %%m = Mirror(%%x) {shift = [0,1]} : qi8<0.1, 3>[1,4]
  %%y = Smooth(%%m) {size = 2} : qi8<0.2, 0>[1,4]
  %%z = Total(%%y) {axes = [1]} : qi8<0.4, 0>[1,1]
  Save(%%z) {name = "out"}\n}\n' >"$tmp/g.sn"
opt "$tmp/g.sn" && cp "$tmp/out" "$tmp/want"
write "$tmp/g.sn" --format qoperator --opset 18 && opt "$tmp/e.onnx" &&
    cmp -s "$tmp/want" "$tmp/out"
ok $? 'an exported graph of such operators is read back'
[ "$(grep -ao DequantizeLinear "$tmp/e.onnx" | wc -l)" = 3 ]
ok $? 'each of them gets the reals that the codes mean'
# Lists of reals, and words, of which another one is named with those there are.
printf 'sinter-graph 1\ngraph "g" {\n  %%x = Placeholder() : f32[2,3]
  %%y = Stretch(%%x) {dims = [2,6], scale = [1,2], near = ceil} : f32[2,6]
  Save(%%y) {name = "y"}\n}\n' >"$tmp/g.sn"
opt "$tmp/g.sn" && cp "$tmp/out" "$tmp/want" && write "$tmp/g.sn" --format qdq &&
    opt "$tmp/e.onnx" && cmp -s "$tmp/want" "$tmp/out"
ok $? 'reals and a word are read back'
LC_ALL=C sed 's/ceil/cell/' "$tmp/e.onnx" >"$tmp/word.onnx"
"$own_sinter" opt "$tmp/word.onnx" >"$tmp/out" 2>"$tmp/log"
[ $? = 4 ] && grep -qF \
    "attribute 'mode' = \"cell\" is not supported, only round_prefer_floor, round_prefer_ceil, floor, ceil are" "$tmp/log"
ok $? 'a word that is none'

# ---- numbers of terms, for operands of several types ----

number() { # SHAPE OPERATOR TEXT: what the graph has
    mk 13 "$1" "$2"
    opt "$tmp/own.onnx"
    cat "$tmp/out" >>"$tmp/log"
    own_says "$2 of $1" "$3" "$tmp/out"
}
no_number() { # SHAPE OPERATOR TEXT: exit 3
    mk 13 "$1" "$2"
    opt "$tmp/own.onnx"
    [ $? = 3 ] && grep -qF "expected a value of" "$tmp/log"
    ok $? "$2 of $1 is refused"
    own_says "$2 of $1" "$3" "$tmp/log"
}
number 1x4i32 Offset@com.example 'data = [3]} : i32[]'
number 1x4i64 Offset@com.example:by=9007199254740993 'data = [9007199254740993]} : i64[]'
number 1x4 Offset@com.example:by=5 'data = [5]} : f32[]'
number 1x4i32 Scaled@com.example:by=-4.0 'data = [-4]} : i32[]'
number 1x4 Halved@com.example 'data = [0.5]} : f32[]'
number 1x4 Beyond@com.example 'data = [1e19]} : f32[]'
no_number 1x4i32 Offset@com.example:by=2147483648 "'by' is 2147483648, expected a value of i32"
no_number 1x4i32 Scaled@com.example:by=2.5 "'by' is 2.5, expected a value of i32"
no_number 1x4i64 Scaled@com.example:by=1.0e30 "'by' is 1e+30, expected a value of i64"
no_number 1x4i32 Halved@com.example "'half' is 0.5, expected a value of i32"
no_number 1x4i64 Beyond@com.example "'most' is 1e+19, expected a value of i64"
exit $bad
