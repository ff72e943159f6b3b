#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Single operators, exported both ways: ONNX Runtime gives our codes, exactly
# for operators on codes and where a float operator is exact, else within one
# step; both forms import as the same integers.
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build}
sinter=$BUILD/sinter
mkdata=$BUILD/tests/mkdata
out=$BUILD/long/ops
ort=$BUILD/oracle
mkdir -p "$out"
bad=0
command -v node >/dev/null && command -v npm >/dev/null || sh tools/deps.sh nodejs npm
sh tools/deps.sh python3-onnx
sh tools/oracle/install.sh "$ort" || { echo "not ok export_ops: no ONNX Runtime"; exit 1; }
"$mkdata" "$out/x.npy" 16 6x8x4

ok() { echo "ok export_ops $*"; }
fail() { echo "not ok export_ops $*"; bad=1; }

# one NAME TYPE QDQ QOP STEP BODY: BODY makes %y of TYPE from %q, which is
# f32 input quantized to <0.02, 3>; QDQ and QOP are the steps allowed (- none).
one() {
    name=$1 type=$2 lim_qdq=$3 lim_qop=$4 body=$5
    m=$out/$name
    {
        echo 'sinter-graph 1'
        echo "graph \"$name\" {"
        echo '  %x = Placeholder() : f32[1,6,8,4]'
        echo '  %q = Quantize(%x) : qi8<0.02, 3>[1,6,8,4]'
        echo "$body"
        echo "  %d = Dequantize(%y) : f32[${type##*[}"
        echo '  Save(%d) {name = "d"}'
        echo '}'
    } >"$m.sn"
    s=${type#*<}
    s=${s%%,*}
    if ! "$sinter" run "$m.sn" --input "$out/x.npy" --dump "$m.npy" >"$m.log" 2>&1; then
        fail "$name: $(tail -n 1 "$m.log")"
        return
    fi
    for form in qdq qoperator; do
        lim=$lim_qdq
        [ $form = qdq ] || lim=$lim_qop
        if ! "$sinter" export "$m.sn" --format=$form -o "$m.$form.onnx" 2>"$m.log"; then
            fail "$name $form: $(tail -n 1 "$m.log")"
            continue
        fi
        /usr/bin/python3 -c 'import sys, onnx
onnx.checker.check_model(onnx.load(sys.argv[1]), full_check=True)' \
            "$m.$form.onnx" 2>"$m.log" || fail "$name $form checker: $(tail -n 1 "$m.log")"
        if ! node tools/oracle/run.js "$ort" disabled "$m.$form.onnx" "$m.ort.npy" \
            "$out/x.npy" 2>"$m.log"; then
            fail "$name $form: $(tail -n 1 "$m.log")"
            continue
        fi
        r=$(node tools/oracle/compare.js "$m.npy" "$m.ort.npy" "$s")
        steps=$(echo "$r" | cut -d' ' -f4) differ=$(echo "$r" | cut -d' ' -f5)
        printf '| %-14s %-9s %3s steps, %s differ\n' "$name" $form "$steps" "$differ"
        if [ "$steps" -le "$lim" ] && { [ "$lim" != 0 ] || [ "${differ%%/*}" = 0 ]; }; then
            ok "$name $form"
        else
            fail "$name $form: $steps steps, $differ differ"
        fi
    done
    for form in qdq qoperator; do
        case $form$body in qdq*'round = after'*) continue ;; esac
        if "$sinter" opt "$m.$form.onnx" -o "$m.back.sn" 2>"$m.log" &&
            "$sinter" run "$m.back.sn" --input "$out/x.npy" --dump "$m.back.npy" >"$m.log" 2>&1 &&
            cmp -s "$m.npy" "$m.back.npy"; then
            ok "$name $form back"
        else
            fail "$name $form back: $(tail -n 1 "$m.log")"
        fi
    done
}

T='[1,6,8,4]'
b="  %b = Rescale(%q) {clamp = [-90, 100]} : qi8<0.03125, -7>$T
"
one rescale "qi8<0.03125, -7>$T" 0 0 "  %y = Rescale(%q) {clamp = [-90, 100]} : qi8<0.03125, -7>$T"
one relu "qi8<0.03, -11>$T" 0 0 "  %y = Relu(%q) : qi8<0.03, -11>$T"
one clip "qi8<0.0125, -101>$T" 0 0 "  %y = Clip(%q) {low = 0.25, high = 1.5} : qi8<0.0125, -101>$T"
one leaky_relu "qi8<0.03, -5>$T" 0 0 "  %y = LeakyRelu(%q) {alpha = 0.1} : qi8<0.03, -5>$T"
one hard_swish "qi8<0.03, -5>$T" 1 1 "  %y = HardSwish(%q) : qi8<0.03, -5>$T"
one sigmoid "qi8<0.00390625, -128>$T" 1 1 "  %y = Sigmoid(%q) : qi8<0.00390625, -128>$T"
one tanh "qi8<0.0078125, 0>$T" 1 1 "  %y = Tanh(%q) : qi8<0.0078125, 0>$T"
one softmax "qi8<0.00390625, -128>$T" 1 1 "  %y = Softmax(%q) {axis = 1} : qi8<0.00390625, -128>$T"
one normalize "qi8<0.02, 3>$T" 1 1 "  %y = Normalize(%q) {axis = 2} : qi8<0.02, 3>$T"
one normalize_fine "qi8<0.0009765625, -20>$T" 1 1 "  %y = Normalize(%q) {axis = 3, eps = 0.01} : qi8<0.0009765625, -20>$T"
one add "qi8<0.05, 7>$T" 0 0 "$b  %y = Add(%q, %b) {clamp = [-50, 40]} : qi8<0.05, 7>$T"
one add_after "qi8<0.0625, 7>$T" 1 0 "$b  %y = Add(%q, %b) {round = after, clamp = [-50, _]} : qi8<0.0625, 7>$T"
one add_after_u8 "qi8<0.0625, 7>$T" 1 0 "$b  %y = Add(%q, %b) {round = after, zp_shift = 128} : qi8<0.0625, 7>$T"
one add_row "qi8<0.05, 7>$T" 0 0 "  %k = Constant() {data = [10, -20, 30, 5]} : qi8<0.03, 2>[4]
  %y = Add(%q, %k) : qi8<0.05, 7>$T"
one add_row_after "qi8<0.0625, 7>$T" 1 0 "  %k = Constant() {data = [10, -20, 30, 5]} : qi8<0.03125, 3>[4]
  %y = Add(%q, %k) {round = after} : qi8<0.0625, 7>$T"
one sub "qi8<0.05, 7>$T" 0 0 "$b  %y = Sub(%q, %b) : qi8<0.05, 7>$T"
one mul "qi8<0.05, 7>$T" 0 0 "$b  %y = Mul(%q, %b) : qi8<0.05, 7>$T"
one mul_after "qi8<0.0625, 7>$T" 1 0 "$b  %y = Mul(%q, %b) {round = after} : qi8<0.0625, 7>$T"
one max "qi8<0.03, 9>$T" 0 0 "  %k = Splat() {value = 0.3, dims = $T} : qi8<0.03, 9>$T
  %y = Max(%q, %k) : qi8<0.03, 9>$T"
one min "qi8<0.03, 9>$T" 0 0 "$b  %y = Min(%q, %b) : qi8<0.03, 9>$T"
one concat "qi8<0.02, 3>[1,6,16,4]" 0 0 "  %r = Flip(%q) {axes = [1]} : qi8<0.02, 3>$T
  %y = Concat(%q, %r) {axis = 2} : qi8<0.02, 3>[1,6,16,4]"
one slice "qi8<0.02, 3>[1,3,3,4]" 0 0 "  %y = Slice(%q) {start = [0,5,2,0], size = [1,3,3,4], step = [1,-2,2,1]} : qi8<0.02, 3>[1,3,3,4]"
one tile "qi8<0.02, 3>[1,12,8,8]" 0 0 "  %y = Tile(%q) {repeats = [1,2,1,2]} : qi8<0.02, 3>[1,12,8,8]"
one pad "qi8<0.02, 3>[1,8,9,4]" 0 0 "  %y = Pad(%q) {pads = [0,1,0,0,0,1,1,0], value = 0.5} : qi8<0.02, 3>[1,8,9,4]"
one pad_reflect "qi8<0.02, 3>[1,8,9,4]" 0 0 "  %y = Pad(%q) {pads = [0,1,0,0,0,1,1,0], mode = reflect} : qi8<0.02, 3>[1,8,9,4]"
one gather "qi8<0.02, 3>[1,3,8,4]" 0 0 "  %i = Constant() {data = [2,0,5]} : i64[3]
  %y = Gather(%q, %i) {axis = 1} : qi8<0.02, 3>[1,3,8,4]"
one resize "qi8<0.02, 3>[1,12,16,4]" 0 0 "  %y = ResizeNearest(%q) {dims = [1,12,16,4], scale = [1,2,2,1], coord = asymmetric, near = floor} : qi8<0.02, 3>[1,12,16,4]"
one space_to_depth "qi8<0.02, 3>[1,3,4,16]" 0 0 "  %y = SpaceToDepth(%q) {block = 2} : qi8<0.02, 3>[1,3,4,16]"
one max_pool "qi8<0.02, 3>[1,4,5,4]" 0 0 "  %y = MaxPool(%q) {kernel = [2,2], stride = [2,2], pads = [1,1,1,1]} : qi8<0.02, 3>[1,4,5,4]"
one avg_pool "qi8<0.015, 9>[1,3,5,4]" 1 1 "  %y = AvgPool(%q) {kernel = [3,3], stride = [2,2], pads = [1,1,1,2], clamp = [-90, 90]} : qi8<0.015, 9>[1,3,5,4]"
one avg_pool_after "qi8<0.0078125, 9>[1,3,4,4]" 1 0 "  %y = AvgPool(%q) {kernel = [2,2], stride = [2,2], round = after} : qi8<0.0078125, 9>[1,3,4,4]"
one avg_pool_pads "qi8<0.0078125, 9>[1,4,5,4]" 1 0 "  %y = AvgPool(%q) {kernel = [2,2], stride = [2,2], pads = [1,1,1,1], count_include_pad = true, round = after, zp_shift = 128} : qi8<0.0078125, 9>[1,4,5,4]"
one avg_pool_all "qi8<0.005, 9>[1,1,1,4]" 1 0 "  %y = AvgPool(%q) {kernel = [6,8], round = after} : qi8<0.005, 9>[1,1,1,4]"
flat="  %t = Reshape(%q) {dims = [12,16]} : qi8<0.02, 3>[12,16]
"
one matmul "qi8<0.05, 4>[12,12]" 1 0 "$flat  %u = Flip(%t) {axes = [0]} : qi8<0.02, 3>[12,16]
  %y = MatMul(%t, %u) {trans_b = true, clamp = [-90, 90]} : qi8<0.05, 4>[12,12]"
one connected "qi8<0.05, 4>[12,2]" 1 0 "$flat  %w = Constant() {data = [1,2,3,4,5,6,7,8,9,-10,-11,-12,-13,-14,-15,16, 50,40,30,20,10,9,8,7,6,5,4,3,2,1,0,-99]} : qi8<0.01, 0>[2,16]
  %c = Constant() {data = [100, -200]} : qi32<0.0002, 0>[2]
  %y = FullyConnected(%t, %w, %c) {clamp = [4, 90]} : qi8<0.05, 4>[12,2]"
one rowwise "qi8<0.05, 4>[12,2]" 1 0 "$flat  %w = Constant() {data = [1,2,3,4,5,6,7,8,9,-10,-11,-12,-13,-14,-15,16, 50,40,30,20,10,9,8,7,6,5,4,3,2,1,0,-99]} : qi8<axis=0, [0.01, 0.02], [0, 0]>[2,16]
  %c = Constant() {data = [100, -200]} : qi32<axis=0, [0.0002, 0.0004], [0, 0]>[2]
  %y = RowwiseQuantizedFullyConnected(%t, %w, %c) : qi8<0.05, 4>[12,2]"
w='  %w = Constant() {data = [5,-6,7,8, 1,2,3,4, -50,40,30,-20, 11,12,13,14]} : '
one conv "qi8<0.04, -9>[1,6,8,4]" 1 0 "$w qi8<0.02, 0>[4,1,1,4]
  %c = Constant() {data = [100, -200, 0, 30]} : qi32<0.0004, 0>[4]
  %y = Conv2D(%q, %w, %c) {kernel = [1,1], clamp = [-9, 100]} : qi8<0.04, -9>[1,6,8,4]"
one conv_channels "qi8<0.04, -9>[1,3,4,4]" 1 0 "$w qi8<axis=0, [0.02, 0.01, 0.03, 0.04], [0, 0, 0, 0]>[4,2,2,1]
  %y = ChannelwiseConv2D(%q, %w, _) {kernel = [2,2], stride = [2,2], group = 4} : qi8<0.04, -9>[1,3,4,4]"
one conv_pads "qi8<0.04, -9>[1,7,9,4]" 1 0 "$w qi8<0.02, 5>[4,2,2,1]
  %y = Conv2D(%q, %w, _) {kernel = [2,2], pads = [1,1,1,1], group = 4} : qi8<0.04, -9>[1,7,9,4]"
one lrn "qi8<0.02, 3>$T" 1 1 "  %y = LRN(%q) {alpha = 0.1, k = 2} : qi8<0.02, 3>$T"

# One operator from opset 23 on, steps before.
m=$out/rms
cat >"$m.sn" <<'END'
sinter-graph 1
graph "rms" {
  %x = Placeholder() : f32[1,6,8,4]
  %q = Quantize(%x) : qi8<0.02, 3>[1,6,8,4]
  %y = RMSNormalize(%q) {axis = 2, eps = 0.001} : qi8<0.02, -7>[1,6,8,4]
  %d = Dequantize(%y) : f32[1,6,8,4]
  Save(%d) {name = "d"}
}
END
"$sinter" run "$m.sn" --input "$out/x.npy" --dump "$m.npy" >"$m.log" 2>&1
for opset in 17 23; do
    if "$sinter" export "$m.sn" --format=qdq --opset $opset -o "$m.$opset.onnx" 2>"$m.log" &&
        node tools/oracle/run.js "$ort" disabled "$m.$opset.onnx" "$m.ort.npy" "$out/x.npy" 2>"$m.log"; then
        r=$(node tools/oracle/compare.js "$m.npy" "$m.ort.npy" 0.02)
        steps=$(echo "$r" | cut -d' ' -f4) differ=$(echo "$r" | cut -d' ' -f5)
        printf '| %-14s %-9s %3s steps, %s differ\n' rms_normalize "opset $opset" "$steps" "$differ"
        if [ "$steps" -le 1 ]; then ok "rms $opset"; else fail "rms $opset: $steps steps"; fi
    else
        fail "rms $opset: $(tail -n 1 "$m.log")"
    fi
done

# Float operators whose attributes or inputs changed with the opset.
m=$out/floats
cat >"$m.sn" <<'END'
sinter-graph 1
graph "floats" {
  %x = Placeholder() : f32[1,2,4,4]
  %t = Transpose(%x) {perm = [0,2,3,1]} : f32[1,4,4,2]
  %k = Constant() {data = [1,2,3,4, 5,6,7,8]} : f32[2,2,1,2]
  %ct = ConvTranspose2D(%t, %k, _) {kernel = [2,1], stride = [2,1]} : f32[1,8,4,2]
  %p = Constant() {data = [0.1, 0.2]} : f32[2]
  %pr = PRelu(%ct, %p) : f32[1,8,4,2]
  %el = Elu(%pr) {alpha = 0.5} : f32[1,8,4,2]
  %ge = Gelu(%el) : f32[1,8,4,2]
  %no = Normalize(%ge) {axis = 1} : f32[1,8,4,2]
  %r = Reshape(%no) {dims = [1,4,2,8]} : f32[1,4,2,8]
  %ds = DepthToSpace(%r) {block = 2} : f32[1,8,4,2]
  %rm = ReduceMean(%ds) {axes = [3]} : f32[1,8,4,1]
  %c = Less(%rm, %ds) : bool[1,8,4,2]
  %w = Where(%c, %ds, %rm) : f32[1,8,4,2]
  %ls = LogSoftmax(%w) {axis = 3} : f32[1,8,4,2]
  %rs = ReduceSum(%ls) {axes = [1,2], keepdims = false} : f32[1,2]
  %am = ArgMax(%w) {axes = [3], keepdims = true} : i64[1,8,4,1]
  %af = Cast(%am) : f32[1,8,4,1]
  %as = Add(%af, %rs) : f32[1,8,4,2]
  Save(%as) {name = "as"}
}
END
"$mkdata" "$out/f.npy" 16 2x4x4
"$sinter" run "$m.sn" --input "$out/f.npy" --dump "$m.npy" >"$m.log" 2>&1 || fail "floats: $(tail -n 1 "$m.log")"
for opset in 17 18 20 21; do
    if "$sinter" export "$m.sn" --format qdq --opset $opset -o "$m.onnx" 2>"$m.log" &&
        node tools/oracle/run.js "$ort" disabled "$m.onnx" "$m.ort.npy" "$out/f.npy" 2>"$m.log" &&
        [ "$(node tools/oracle/compare.js "$m.npy" "$m.ort.npy" 0.0002 | cut -d' ' -f4)" = 0 ]; then
        ok "floats opset $opset"
    else
        fail "floats opset $opset: $(tail -n 1 "$m.log")"
    fi
done

# Every kind that the exporter writes, in random graphs.
"$BUILD/tests/written" --ort "$(sh tools/oracle/lib.sh "$ort")" --n "${MODELS:-4000}" || bad=1
exit $bad
