#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The declarations as a user extends them: a new node by one edit of nodes.def,
# a new rule by one edit of passes.def, and a bad rule refused with its text.
BUILD=${BUILD:-build}
MAKE=${MAKE:-make}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
ok() { echo "ok extend: $1"; }
fail() {
    echo "not ok extend: $1"
    sed 's/^/    /' "$tmp/log" | tail -n 25
    bad=1
}

cp nodes.def maps.def arith.def passes.def "$tmp"
# The node is the one that README.md shows.
awk '/^node Softsign/ { on = 1 } on && /^```/ { exit } on' README.md >>"$tmp/nodes.def"
# Two more, for the families: operands of one group, two quantized results.
cat >>"$tmp/nodes.def" <<'D'
node Median3 {
  in a, b, c; out y;
  kinds (a, b, c) -> y { (T, T, T) -> T for T in act; }
  same a, b, c, y;
  sem point y = max(min(a, b), min(max(a, b), c)) over broadcast(a, b, c);
}
node SumAndDifference {
  in a, b; out y, z;
  kinds (a, b) -> (y, z) { (q8, q8) -> (q8, q8); (f32, f32) -> (f32, f32); }
  free a, b, y, z;
  sem point y = q(d(a) + d(b)) over broadcast(a, b);
  sem point z = q(d(a) - d(b)) over broadcast(a, b);
}
D
# And maps with their nodes, as they are out of the tree (tests/sh/maps.sh).
suite=extend
. tests/own_maps.sh
sed -n '/^map roll/,$p' examples/maps/own_maps.def >>"$tmp/nodes.def"
b=$BUILD/extend
# As a user's edit it is built on what is there: objects that include none of the
# headers that change are those of $BUILD.
rm -rf "$b"
mkdir "$b"
for f in .deps .flags front gen line obj libsinter-dsl.a sinter-gen; do
    cp -a "$BUILD/$f" "$b/$f"
done
find "$b/obj" -name '*.d' -exec sed -i "s|$BUILD/|$b/|g" {} +
new() { # builds the compiler from the declarations in $tmp
    $MAKE all BUILD="$b" DEFDIR="$tmp" "$@" >"$tmp/log" 2>&1
}
if new; then
    ok "a new node builds"
else
    fail "a new node builds"
    exit 1
fi
mk=$BUILD/tests/mkonnx
"$mk" "$tmp/m.onnx" 13 1x8x4x4 LRN:size=3,alpha=0.5 Softsign
"$BUILD/sinter" inspect "$tmp/m.onnx" >"$tmp/log" 2>&1
rc=$?
if [ $rc = 4 ] && grep -q Softsign "$tmp/log"; then
    ok "without it the operator is refused by name"
else
    fail "without it the operator is refused by name (exit $rc)"
fi
"$BUILD/tests/mkdata" "$tmp/x.npy" 16 8x4x4
if "$b/sinter" quantize "$tmp/m.onnx" --calib "$tmp/x.npy" --trace \
    -o "$tmp/m.sn" >"$tmp/log" 2>&1 && grep -q ' = Softsign(' "$tmp/m.sn"; then
    ok "a model that uses it is imported and quantized"
else
    fail "a model that uses it is imported and quantized"
fi
if grep -qE 'quant_cleanup\.(absorb|sink).*Softsign' "$tmp/log" &&
    ! grep -q Rescale "$tmp/m.sn"; then
    ok "the Rescale of the LRN is absorbed by the new node"
else
    fail "the Rescale of the LRN is absorbed by the new node"
fi

# Maps of one's own.
own_sinter=$b/sinter
own_program Softsign "$tmp/m.sn"
own_maps
cp "$b/gen/proofs.txt" "$tmp/log"
own_says "a Transpose sinks below Roll" 'sink Transpose below Roll' "$tmp/log"
own_says "a Transpose sinks below Chances" 'sink Transpose below Chances' "$tmp/log"
own_says "the reference has the map" 'unfold(x[n, s..., c]' "$b/gen/reference.md"
own_says "the reference has the core's terms" 'onnx "Mod" 10.. (a, b) {fmod = 1}' \
    "$b/gen/reference.md"
if $MAKE "$b/tests/random_graphs" "$b/tests/sn_tests" "$b/tests/test_random" BUILD="$b" \
    DEFDIR="$tmp" >"$tmp/log" 2>&1 &&
    "$b/tests/sn_tests" >"$tmp/log" 2>&1; then
    ok "the tests of each rule, new ones among them"
else
    fail "the tests of each rule, new ones among them"
fi
mkdir "$tmp/random"
"$b/tests/random_graphs" "$tmp/random" 1 1500 >"$tmp/log" 2>&1
for k in Roll Unfold RingMean; do
    n=$(cat "$tmp/random/"*.sn | grep -c " = $k(")
    echo "$n of $k in 1500 random graphs" >>"$tmp/log"
    if [ "$n" -ge 20 ]; then
        ok "random graphs draw $k"
    else
        fail "random graphs draw $k"
    fi
done
if "$b/tests/test_random" >"$tmp/log" 2>&1; then
    ok "passes on random graphs"
else
    fail "passes on random graphs"
fi

# A group sinks together, or not at all.
group() { # NAME TYPE OF THE THIRD RESCALE'S OPERAND, RESCALES LEFT
    cat >"$tmp/g.sn" <<S
sinter-graph 1
graph "g" {
  %a = Placeholder() : qi8<0.1, 0>[256]
  %b = Placeholder() : qi8<0.1, 0>[256]
  %c = Placeholder() : $2[256]
  %ra = Rescale(%a) {clamp = [-90, _]} : qi8<0.07, 3>[256]
  %rb = Rescale(%b) {clamp = [-90, _]} : qi8<0.07, 3>[256]
  %rc = Rescale(%c) {clamp = [-90, _]} : qi8<0.07, 3>[256]
  %y = Median3(%ra, %rb, %rc) : qi8<0.07, 3>[256]
  Save(%y) {name = "out"}
}
S
    if "$b/sinter" opt "$tmp/g.sn" --passes=quant_cleanup --check-passes \
        >"$tmp/out" 2>"$tmp/log" &&
        [ "$(grep -c 'Rescale(' "$tmp/out")" = "$3" ]; then
        ok "$1"
    else
        fail "$1"
    fi
}
group "three Rescales of one group sink as one" 'qi8<0.1, 0>' 1
group "of another type, none sinks" 'qi8<0.2, 0>' 3

cat >"$tmp/two.sn" <<'S'
sinter-graph 1
graph "two" {
  %a = Placeholder() : qi8<0.1, 0>[256]
  %b = Placeholder() : qi8<0.1, 0>[256]
  %r = Rescale(%a) : qi8<0.13, 3>[256]
  %y = SumAndDifference(%r, %b) : (qi8<0.2, 1>[256], qi8<0.3, 2>[256])
  Save(%y) {name = "sum"}
  Save(%y:1) {name = "difference"}
}
S
if "$b/sinter" opt "$tmp/two.sn" --passes=quant_cleanup --check-passes \
    >"$tmp/out" 2>"$tmp/log" && ! grep -q Rescale "$tmp/out" &&
    grep -q 'SumAndDifference(%a, %b) : (qi8<0.2, 1>\[256\], qi8<0.3, 2>\[256\])' "$tmp/out"; then
    ok "a node of two quantized results absorbs a Rescale"
else
    fail "a node of two quantized results absorbs a Rescale"
fi

# The rule is the one that README.md shows, added to pass simplify.
awk '/^```/ { on = !on } on && /^  rule clip_relu/ { p = 1 } p && /^```/ { exit } p' \
    README.md >"$tmp/rule"
sed "/^  rule relu_relu:/{
r $tmp/rule
N
}" passes.def >"$tmp/passes.def"
cat >"$tmp/r.sn" <<'S'
sinter-graph 1
graph "r" {
  %x = Placeholder() : f32[4]
  %c = Clip(%x) {low = 0, high = 6} : f32[4]
  %y = Relu(%c) : f32[4]
  Save(%y) {name = "out"}
}
S
if new && "$b/sinter" opt "$tmp/r.sn" --passes=simplify --trace \
    --check-passes >"$tmp/out" 2>"$tmp/log" &&
    grep -q 'simplify.clip_relu' "$tmp/log" && ! grep -q Relu "$tmp/out"; then
    ok "a new rule fires"
else
    fail "a new rule fires"
fi

# Merging a Rescale into LRN breaks `same x, y`.
awk '/^  rule identity:/ && !done {
         print "  rule lrn_up: Rescale(LRN(x) @l :1) @o => LRN(x) like l : o.type refines;"
         done = 1
     }
     { print }' passes.def >"$tmp/passes.def"
cp nodes.def maps.def arith.def "$tmp"
(cd "$tmp" && "$OLDPWD/$BUILD/sinter-gen" --check --nodes nodes.def \
    --passes passes.def) >"$tmp/log" 2>&1
rc=$?
if [ $rc = 1 ] && grep -q "error\[SN310\]: rule 'lrn_up' breaks 'same x, y' of LRN" "$tmp/log"; then
    ok "a bad rule is refused with SN310"
else
    fail "a bad rule is refused with SN310 (exit $rc)"
fi

# A fact taken away, and a fact that contradicts the meaning.
sed '/^  same x, y;/d' src/backend/cpu/cpu.def >"$tmp/cpu.def"
cp passes.def "$tmp/passes.def"
"$BUILD/sinter-gen" --check -I "$tmp" --nodes "$tmp/nodes.def" --passes "$tmp/passes.def" \
    --backend "$tmp/cpu.def" >"$tmp/log" 2>&1
rc=$?
if [ $rc = 1 ] && grep -q 'CPUMaxSplat' "$tmp/log"; then
    ok "CPUMaxSplat without its fact is refused"
else
    fail "CPUMaxSplat without its fact is refused (exit $rc)"
fi
sed 's/^  same x, y;/  free x, y;/' src/backend/cpu/cpu.def >"$tmp/cpu.def"
"$BUILD/sinter-gen" --check -I "$tmp" --nodes "$tmp/nodes.def" --passes "$tmp/passes.def" \
    --backend "$tmp/cpu.def" >"$tmp/log" 2>&1
rc=$?
if [ $rc = 1 ] && grep -q 'SN110' "$tmp/log"; then
    ok "a free port that is read raw is refused"
else
    fail "a free port that is read raw is refused (exit $rc)"
fi
sed 's/^  same x, y;/  free x, y;/; s/sem point y = max(x, q(value))/sem point y = q(max(d(x), value))/' \
    src/backend/cpu/cpu.def >"$tmp/cpu.def"
"$BUILD/sinter-gen" --explain -I "$tmp" --nodes "$tmp/nodes.def" --passes "$tmp/passes.def" \
    --backend "$tmp/cpu.def" >"$tmp/log" 2>&1
if grep 'CPUMaxSplat' "$tmp/log" | grep -q absorb; then
    ok "with free ports CPUMaxSplat absorbs and merges instead"
else
    fail "with free ports CPUMaxSplat absorbs and merges instead"
fi

# A backend without float nodes refuses what would run a Reshape on floats.
# With it a rule that is wrong, for bisect.
cp nodes.def maps.def arith.def passes.def "$tmp"
sed '/^  rule dequant_const:/i\
  rule planted: Sigmoid(x:{f32}) @o => Tanh(x) : o.type lossy "wrong" optin "planted";
' passes.def >"$tmp/passes.def"
cat >"$tmp/codes.def" <<'D'
version 2;
include "passes.def";
backend codes { supports all(q8); rounding float; fallback reference; }
D
cat >"$tmp/r.sn" <<'S'
sinter-graph 1
graph "r" {
  %x = Placeholder() : f32[4,6]
  %q = Quantize(%x) : qi8<0.02, 0>[4,6]
  %y = Reshape(%q) {dims = [24]} : qi8<0.02, 0>[24]
  Save(%y) {name = "out"}
}
S
core=$(for f in src/backend/*/*.def; do printf ' --backend %s' "$f"; done)
# With it the backend and the kernel that README.md shows.
awk '/^```/ { if (on && hit) { printf "%s", t; exit } on = !on; t = ""; hit = 0; next }
    on { t = t $0 "\n" } /^backend mine/ { hit = 1 }' README.md >"$tmp/mine.def"
awk '/^```/ { if (on && hit) { printf "%s", t; exit } on = !on; t = ""; hit = 0; next }
    on { t = t $0 "\n" } /^mine_neg_i8/ { hit = 1 }' README.md >"$tmp/mine.c"
three="$core --backend $tmp/codes.def --backend $tmp/mine.def"
$MAKE gen BUILD="$b" DEFDIR="$tmp" BACKENDS="$three" >"$tmp/log" 2>&1 &&
    ${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -Isrc -I"$b/gen" \
        -c "$tmp/mine.c" -o "$tmp/mine.o" >>"$tmp/log" 2>&1 ||
    fail "the README's backend and kernel compile"
if new BACKENDS="$three" LDFLAGS="$tmp/mine.o"; then
    for k in codes interp; do
        "$b/sinter" opt "$tmp/r.sn" --passes=layout_motion --backend $k \
            --enable=float-reshape >"$tmp/out.$k" 2>"$tmp/log"
    done
    if grep -q 'Reshape(%q)' "$tmp/out.codes" &&
        grep -q 'Reshape(%x)' "$tmp/out.interp"; then
        ok "a backend without float Reshape keeps the Quantize above"
    else
        fail "a backend without float Reshape keeps the Quantize above"
    fi
    {
        echo 'sinter-graph 1'
        echo 'graph "planted" {'
        echo '  %x = Placeholder() : f32[1,256]'
        printf '  %%%s = %s : f32[1,256]\n' a 'Relu(%x)' b 'Relu(%a)' c 'Sigmoid(%b)' \
            d 'Relu(%c)' e 'Clip(%d) {low = 0, high = 0.75}' f 'Neg(%e)' g 'Relu(%f)' \
            h 'Add(%d, %g)'
        echo '  Save(%h) {name = "out"}'
        echo '}'
    } >"$tmp/planted.sn"
    "$BUILD/tests/mkdata" "$tmp/x.npy" 9 256
    "$b/sinter" bisect "$tmp/planted.sn" --input "$tmp/x.npy" --enable=planted \
        --passes=simplify,quant_cleanup,simplify >"$tmp/log" 2>&1
    if [ $? = 1 ] &&
        grep -q 'is responsible: quant_cleanup.planted at c (Sigmoid)' "$tmp/log"; then
        ok "bisect names the planted rule"
    else
        fail "bisect names the planted rule"
    fi
    if "$b/sinter" bisect "$tmp/planted.sn" --input "$tmp/x.npy" \
        --passes=simplify,quant_cleanup >"$tmp/log" 2>&1 &&
        grep -q 'every output keeps 20 dB' "$tmp/log"; then
        ok "without it nothing is guilty"
    else
        fail "without it nothing is guilty"
    fi
    # Another scale and zero point on either side: the ports are free.
    cat >"$tmp/neg.sn" <<'S'
sinter-graph 1
graph "neg" {
  %x = Placeholder() : f32[1,256]
  %q = Quantize(%x) : qi8<0.02, 3>[1,256]
  %y = Neg(%q) : qi8<0.013, -40>[1,256]
  %z = Neg(%y) : qi8<0.013, -40>[1,256]
  Save(%z) {name = "out"}
}
S
    "$BUILD/tests/mkdata" "$tmp/neg.npy" 9 256
    if "$b/sinter" run "$tmp/neg.sn" --input "$tmp/neg.npy" --mul 3 \
        --backend mine --check-kernels >"$tmp/log" 2>&1 &&
        "$b/sinter" bench "$tmp/neg.sn" --backend mine --runs 1 --per-node \
            2>&1 | tee -a "$tmp/log" | grep -q mine_neg_i8; then
        ok "the README's kernel gives what the evaluator gives"
    else
        fail "the README's kernel gives what the evaluator gives"
    fi
else
    fail "a third backend builds"
fi
exit $bad
