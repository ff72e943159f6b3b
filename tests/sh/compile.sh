#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sinter compile: the programs compile without warnings and have the bits of the
# evaluators, which their self-tests store.
suite=compile
. tests/sh_case.sh
CC=${CC:-gcc}
strict="-O1 -Wall -Wextra -Wconversion -pedantic -Werror"

# right NAME FILE.sn [FLAGS [COMPILER [OPTIONS]]]: the program's self-test passes.
right() {
    rm -rf "$tmp/o"
    # shellcheck disable=SC2086
    if "$sinter" compile "$2" -o "$tmp/o" ${5-} >"$tmp/out" 2>"$tmp/err" &&
        ${4:-$CC} $strict ${3:--std=c99} -o "$tmp/o/t" "$tmp"/o/*.c 2>"$tmp/err" &&
        "$tmp/o/t" >"$tmp/err"; then
        echo "ok compile $1"
    else
        echo "not ok compile $1"
        head -n 5 "$tmp/err"
        bad=1
    fi
}

# ---- usage ----
printf 'sinter-graph 1\ngraph "g" {\n  %%x = Placeholder() : f32[1,4]\n
  %%y = Relu(%%x) : f32[1,4]\n  Save(%%y) {name = "y"}\n}\n' >"$tmp/relu.sn"
t no_dir 2 err "expected the directory to write into" compile "$tmp/relu.sn"
t name 2 err "is not a name in C" compile "$tmp/relu.sn" -o "$tmp/o" --name 3d
t target 2 err "armv8.1m-mve (Cortex-M55 and others with vectors), x86-avx2 (x86-64 with AVX2), x86-avx512vnni" compile "$tmp/relu.sn" -o "$tmp/o" --target z80
t target_like 2 err "no target is named 'armv7m'; did you mean 'armv7em'?" compile "$tmp/relu.sn" -o "$tmp/o" --target armv7m
SINTER_CPU=portable "$sinter" compile "$tmp/relu.sn" -o "$tmp/o" --target native >"$tmp/out" 2>&1
if grep -q '"target": "portable"' "$tmp/o/net.json"; then
    echo "ok compile native"
else
    echo "not ok compile native: $(grep '"target"' "$tmp/o/net.json")"
    bad=1
fi
t no_parent 5 err "No such file" compile "$tmp/relu.sn" -o "$tmp/none/o"

# ---- whole networks ----
"$sinter" quantize $demo/fashion_lrn.onnx --calib $demo/calib_images.npy -n 8 \
    --mul 0.0039216 -o "$tmp/demo.sn" >"$tmp/out" 2>&1
right lrn "$tmp/demo.sn"
"$sinter" quantize $demo/fashion_lrn.onnx --calib $demo/calib_images.npy -n 8 \
    --mul 0.0039216 --precision int16 -o "$tmp/demo16.sn" >"$tmp/out" 2>&1
right lrn_int16 "$tmp/demo16.sn" -std=gnu99
right float "$tmp/relu.sn"

# No product of a series is fused with a sum, where the compiler is told to.
cat >"$tmp/series.sn" <<'END'
sinter-graph 1
graph "series" {
  %x = Placeholder() : f32[2,40]
  %a = Exp(%x) : f32[2,40]
  %b = Log(%a) : f32[2,40]
  %c = Tanh(%b) : f32[2,40]
  %d = Erf(%c) : f32[2,40]
  %e = HardSwish(%d) : f32[2,40]
  Save(%e) {name = "e"}
}
END
right series "$tmp/series.sn" "-std=gnu99 -ffp-contract=fast"
fast=fast
"$CC" --version | grep -q clang && fast=on
if [ "$(uname -m)" = x86_64 ]; then
    "$CC" -O2 -mfma -std=gnu99 -ffp-contract=$fast -S -o "$tmp/s" "$tmp/o/net.c" 2>"$tmp/err"
    if [ -s "$tmp/s" ] && ! grep -qE 'vfn?m(add|sub)' "$tmp/s"; then
        echo "ok compile contraction"
    else
        echo "not ok compile contraction: $(grep -cE 'vfn?m(add|sub)' "$tmp/s") fused"
        bad=1
    fi
fi

# Codes at the boundary: no float in it.
t io 0 out "arena" compile "$tmp/demo.sn" -o "$tmp/io" --io int8
if grep -q 'net_run(void \*arena, const int8_t \*in0, int8_t \*out0)' "$tmp/io/net.h" &&
    $CC $strict -std=c99 -o "$tmp/io/t" "$tmp"/io/*.c && "$tmp/io/t" >"$tmp/out"; then
    echo "ok compile io_codes"
else
    echo "not ok compile io_codes"
    bad=1
fi
t io_what 2 err "expected model, int8 or float" compile "$tmp/demo.sn" -o "$tmp/o" --io int4
# Reals where the model has codes; those of its inputs and outputs as they were.
cat >"$tmp/reals.sn" <<'END'
sinter-graph 1
graph "reals" {
  %"a\"b" = Placeholder() : qi8<0.04, 3>[2,3]
  %x = Placeholder() : f32[2,3]
  %i = Placeholder() : i64[2]
  %y = Flip(%"a\"b") {axes = [1]} : qi8<0.04, 3>[2,3]
  %z = Gather(%x, %i) {axis = 0} : f32[2,3]
  %j = Flip(%i) {axes = [0]} : i64[2]
  Save(%y) {name = "y"}
  Save(%"a\"b") {name = "same"}
  Save(%z) {name = "z"}
  Save(%j) {name = "j"}
}
END
right io_float "$tmp/reals.sn" -std=c99 "$CC" --io=float
if grep -q 'net_run(void \*arena, const float \*in0, const float \*in1, const int64_t \*in2, float \*out0, float \*out1, float \*out2, int64_t \*out3)' \
    "$tmp/o/net.h" && grep -qF '#define NET_IN0_NAME "a\042b"' "$tmp/o/net.h" &&
    grep -q '^#define NET_IN0_SHAPE {2, 3}$' "$tmp/o/net.h" &&
    grep -q '^#define NET_SCRATCH 0$' "$tmp/o/net.h"; then
    echo "ok compile io_reals"
else
    echo "not ok compile io_reals"
    bad=1
fi
# A sample of one's own: the class is that of sinter run.
"$sinter" compile "$tmp/demo.sn" -o "$tmp/own" --input $demo/test_images.npy -n 1 \
    --mul 0.0039216 >"$tmp/out" 2>&1
if ! cmp -s "$tmp/own/net_test.c" "$tmp/io/net_test.c" &&
    $CC $strict -std=c99 -o "$tmp/own/t" "$tmp"/own/*.c && "$tmp/own/t" >"$tmp/out"; then
    echo "ok compile own_sample"
else
    echo "not ok compile own_sample"
    bad=1
fi
t report_estimate 0 out "estimate for a Cortex-M4: " compile "$tmp/demo.sn" --report
t report 0 out "(LRN)" compile "$tmp/demo.sn" --report
t max_ram 1 err "the arena takes 9504 bytes, more than 8000; the largest: /Relu_output_0 (ChannelwiseConv2D)" \
    compile "$tmp/demo.sn" --report --max-ram 8k
t max_flash 1 err "constants and tables take" compile "$tmp/demo.sn" --report --max-flash 20k
t plan_bound 0 out "arena 1360 bytes (lower bound 1360)" compile tests/pass/nchw_residual.sn --report
t max_met 0 out "lower bound 9504" compile "$tmp/demo.sn" --report --max-ram 9504

# An input that nothing reads, beside one whose name begins like its.
{
    printf 'sinter-graph 1\ngraph "inputs" {\n'
    for i in 0 1 2 3 4 5 6 7 8 9 10; do
        echo "  %x$i = Placeholder() : f32[1,2]"
    done
    for i in 0 2 3 4 5 6 7 8 9 10; do
        echo "  %y$i = Relu(%x$i) : f32[1,2]"
        echo "  Save(%y$i) {name = \"y$i\"}"
    done
    echo '}'
} >"$tmp/inputs.sn"
right inputs "$tmp/inputs.sn"

# ---- nodes: what no network above has ----
cat >"$tmp/codes.sn" <<'END'
sinter-graph 1
graph "codes" {
  %x = Placeholder() : qi8<0.04, 3>[1,6,5,4]
  %w = Constant() {data = [1, -2, 3, 4, -5, 6, 7, -8, 9, 10, -11, 12, 13, 14, -15, 16]} : qi8<0.02, -1>[4,2,2,1]
  %b = Constant() {data = [10, -20, 30, -40]} : qi32<0.0008, 0>[4]
  %c = Conv2D(%x, %w, %b) {kernel = [2,2], stride = [2,1], pads = [1,0,0,2], dilate = [1,2], group = 4} : qi8<0.05, -7>[1,3,5,4]
  %d = Constant() {data = [10, -20, 30, -40]} : qi32<0.001, 0>[4]
  %t = ConvTranspose2D(%c, %w, %d) {kernel = [2,2], stride = [2,1], pads = [0,1,1,0], group = 4} : qi8<0.05, 1>[1,5,5,4]
  %p, %i = MaxPool(%t) {kernel = [3,2], stride = [2,1], pads = [1,0,1,1]} : (qi8<0.05, 1>[1,3,5,4], i64[1,3,5,4])
  %a = AvgPool(%p) {kernel = [2,3], stride = [1,2], pads = [0,1,0,1]} : qi8<0.03, 0>[1,2,3,4]
  %r = AvgPool(%p) {kernel = [2,3], stride = [1,2], pads = [0,1,0,1], round = after} : qi8<0.03, 0>[1,2,3,4]
  %m = Add(%a, %r) : qi8<0.06, -2>[1,2,3,4]
  %g = Pad(%m) {pads = [0,1,0,0,0,0,2,0], value = 0.5} : qi8<0.06, -2>[1,3,5,4]
  %k = Concat(%g, %g, %g) {axis = 2} : qi8<0.06, -2>[1,3,15,4]
  %f = Flip(%k) {axes = [2]} : qi8<0.06, -2>[1,3,15,4]
  %s = Softmax(%f) {axis = 2} : qi8<0.00390625, -128>[1,3,15,4]
  %q, %j = TopK(%s) {k = 3, axis = 3} : (qi8<0.00390625, -128>[1,3,15,3], i64[1,3,15,3])
  %e = ReduceMean(%q) {axes = [1,2]} : qi8<0.004, -128>[1,1,1,3]
  %h = HardSwish(%e) : qi8<0.002, 0>[1,1,1,3]
  %z = Reshape(%h) {dims = [3]} : qi8<0.002, 0>[3]
  Save(%z) {name = "z"}
  Save(%i) {name = "i"}
  Save(%j) {name = "j"}
}
END
right codes "$tmp/codes.sn"
for policy in single double; do
    sed "s/^graph \"codes\"/& rounding $policy/" "$tmp/codes.sn" >"$tmp/$policy.sn"
    right codes_$policy "$tmp/$policy.sn"
done
# Sums of no taps, over axes without elements: no variable is left unused.
cat >"$tmp/no_taps.sn" <<'END'
sinter-graph 1
graph "no_taps" {
  %x = Placeholder() : i32[1,3,15,0]
  %w = Constant() {data = []} : i32[2,3,2,0]
  %i = IntegerConv2D(%x, %w) {kernel = [3,2], pads = [0,1,1,0]} : i32[1,2,15,2]
  %y = Placeholder() : f32[1,4,4,0]
  %v = Constant() {data = []} : f32[5,3,2,0]
  %b = Constant() {data = [1, -2, 3, -4, 5]} : f32[5]
  %c = Conv2D(%y, %v, %b) {kernel = [3,2], stride = [2,1], pads = [1,0,1,2], dilate = [1,2]} : f32[1,2,4,5]
  %u = Constant() {data = []} : f32[5,1,1,0]
  %t = ConvTranspose2D(%y, %u) {kernel = [1,1], stride = [3,1], more = [1,1]} : f32[1,11,5,5]
  %s = ReduceSum(%y) {axes = [3]} : f32[1,4,4,1]
  %n = ReduceL1(%y) {axes = [2,3], keepdims = false} : f32[1,4]
  Save(%i) {name = "i"}
  Save(%c) {name = "c"}
  Save(%t) {name = "t"}
  Save(%s) {name = "s"}
  Save(%n) {name = "n"}
}
END
right no_taps "$tmp/no_taps.sn"
right no_taps_m4 "$tmp/no_taps.sn" --std=c99 "$CC" "--target armv7em"
# Fixed-point arithmetics leave integers alone in a program on codes.
cat >"$tmp/ints.sn" <<'END'
sinter-graph 1
graph "ints" {
  %x = Placeholder() : qi8<0.04, 3>[1,6,5,4]
  %w = Constant() {data = [1, -2, 3, 4, -5, 6, 7, -8, 9, 10, -11, 12, 13, 14, -15, 16]} : qi8<0.02, -1>[4,2,2,1]
  %b = Constant() {data = [10, -20, 30, -40]} : qi32<0.0008, 0>[4]
  %c = Conv2D(%x, %w, %b) {kernel = [2,2], group = 4} : qi8<0.05, -7>[1,5,4,4]
  %r = Relu(%c) : qi8<0.03, -9>[1,5,4,4]
  %p, _ = MaxPool(%r) {kernel = [2,2]} : (qi8<0.03, -9>[1,4,3,4], i64[1,4,3,4])
  %s = Rescale(%p) : qi8<0.1, 5>[1,4,3,4]
  %m = ReduceMean(%s) {axes = [1,2], keepdims = false} : qi8<0.07, 1>[1,4]
  %v = Constant() {data = [1, -2, 3, 4, -5, 6, 7, -8]} : qi8<0.02, 0>[2,4]
  %f = FullyConnected(%m, %v, _) : qi8<0.01, 1>[1,2]
  Save(%f) {name = "f"}
}
END
# floats: how many instructions of reals the program's object has
floats() {
    "$CC" -O2 -std=c99 -c -o "$tmp/o/n.o" "$tmp/o/net.c" &&
        objdump -d --no-show-raw-insn "$tmp/o/n.o" | awk -F'\t' '{ print $2 }' |
        grep -cE '^v?(u?comi|add|sub|mul|div|sqrt|min|max|round|cvt|fn?m)[a-z0-9]*(ss|sd|ps|pd)'
}
if command -v objdump >/dev/null && [ "$(uname -m)" = x86_64 ]; then
    for policy in "" single double; do
        sed "s/^graph \"ints\"/&${policy:+ rounding $policy}/" "$tmp/ints.sn" \
            >"$tmp/i.sn"
        right "ints$policy" "$tmp/i.sn" -std=c99 "$CC" --io=int8
        n=$(floats)
        if [ -n "$policy" ] && [ "$n" = 0 ]; then
            echo "ok compile integers_$policy"
        elif [ -z "$policy" ] && [ "$n" -gt 0 ]; then
            echo "ok compile floats_are_seen"
        else
            echo "not ok compile ints $policy: $n instructions of reals"
            bad=1
        fi
    done
fi
# Where a result is cut off, gcc makes no branch.
cat >"$tmp/relu.sn" <<'END'
sinter-graph 1
graph "relu" {
  %x = Placeholder() : qi8<0.05, 3>[1,6,5,8]
  %w = Constant() {data = [1, -2, 3, 4, -5, 6, 7, -8, 9, 10, -11, 12, 13, 14, -15, 16]} : qi8<0.02, 0>[2,1,1,8]
  %c = Conv2D(%x, %w, _) {kernel = [1,1]} : qi8<0.02, -128>[1,6,5,2]
  Save(%c) {name = "c"}
}
END
right relu "$tmp/relu.sn"
if command -v objdump >/dev/null && [ "$(uname -m)" = x86_64 ]; then
    gcc -O2 -std=c99 -c -o "$tmp/o/n.o" "$tmp/o/net.c"
    n=$(objdump -d --no-show-raw-insn "$tmp/o/n.o" | grep -c comiss)
    if [ "$n" = 0 ]; then
        echo "ok compile relu_branches"
    else
        echo "not ok compile relu_branches: $n comparisons of reals"
        bad=1
    fi
fi
# Tables of rows, rows that are normalized, and indices that are bounded or mirrored.
cat >"$tmp/rows.sn" <<'END'
sinter-graph 1
graph "rows" {
  %t = Constant() {data = [1, 2, 0.5, -1, 3, 4, 0.25, 2, 250, 6, 0.125, -4]} : row8[3,2]
  %i = Placeholder() : i64[4,3]
  %s = EmbeddingSum(%t, %i) : f32[4,2]
  %o = Constant() {data = [0, 1, 4, 7, 12]} : i64[5]
  %j = Reshape(%i) {dims = [12]} : i64[12]
  %w = Placeholder() : f32[12]
  %b = EmbeddingBag(%t, %j, %o) : f32[4,2]
  %v = WeightedEmbeddingBag(%t, %w, %j, %o) : f32[4,2]
  %x = Placeholder() : qi8<0.04, 3>[2,6,5,4]
  %n = Normalize(%x) {axis = 3} : qi8<0.03, 1>[2,6,5,4]
  %r = RMSNormalize(%n) {axis = 1, eps = 0.01} : qi8<0.03, -5>[2,6,5,4]
  %p = Pad(%r) {pads = [0,2,1,0,0,1,3,0], mode = reflect} : qi8<0.03, -5>[2,9,9,4]
  %e = Pad(%p) {pads = [0,2,1,0,0,1,3,0], mode = edge} : qi8<0.03, -5>[2,12,13,4]
  %z = ResizeNearest(%e) {dims = [2,17,5,4], scale = [1, 1.4166666, 0.3846, 1]} : qi8<0.03, -5>[2,17,5,4]
  Save(%s) {name = "s"}
  Save(%b) {name = "b"}
  Save(%v) {name = "v"}
  Save(%z) {name = "z"}
}
END
right rows "$tmp/rows.sn"
cat >"$tmp/index.sn" <<'END'
sinter-graph 1
graph "index" {
  %x = Constant() {data = [1.5, 2, 3, 4, 5, 6]} : f32[3,2]
  %i = Placeholder() : i64[4]
  %y = Gather(%x, %i) {axis = 0} : f32[4,2]
  %s = Sigmoid(%y) : f32[4,2]
  %n = Normalize(%s) {axis = 1} : f32[4,2]
  Save(%n) {name = "n"}
}
END
right index "$tmp/index.sn"
# -3 .. 2 are rows; 3 is none, and the program says so.
if [ -x "$tmp/o/t" ]; then
    printf '\003\0\0\0\0\0\0\0%024d' 0 | tr 0 '\0' >"$tmp/three"
    "$tmp/o/t" "$tmp/three" "$tmp/y" >"$tmp/out" 2>&1
    rc=$?
    if [ $rc -eq 1 ]; then
        echo "ok compile index_outside"
    else
        echo "not ok compile index_outside: exit code $rc, expected 1"
        bad=1
    fi
fi

# ---- tiles: sums of products, at and beside what decides their loops ----
. tests/tiles.sh
# has TARGET: whether its instructions are here; other architectures run the
# twins in C.
has() {
    case $1-$(uname -m) in
    x86-avx2-x86_64) grep -q ' avx2 ' /proc/cpuinfo ;;
    x86-avx512vnni-x86_64) grep -q ' avx512_vnni ' /proc/cpuinfo ;;
    aarch64-dotprod-aarch64) grep -q ' asimddp ' /proc/cpuinfo ;;
    *) true ;;
    esac
}
# clang takes minutes over it with sanitizers.
san_all="-fsanitize=undefined,address -fno-sanitize-recover=all"
san="-fsanitize=undefined -fno-sanitize-recover=all"
"$CC" --version | grep -q clang && san=
for policy in "" "rounding single"; do
    tiles "$policy" >"$tmp/tiles.sn"
    for target in portable armv7em armv8.1m-mve rv64; do
        right "tiles_$target${policy#rounding}" "$tmp/tiles.sn" \
            "-std=c99 $san" "$CC" "--target $target"
    done
    # plans, by twins in C, and where the processor can by its instructions
    for target in x86-avx2 x86-avx512vnni aarch64-dotprod; do
        right "tiles_$target${policy#rounding}_twins" "$tmp/tiles.sn" \
            "-std=c99 -Dnet_SN_TWINS $san" "$CC" "--target $target"
        has "$target" && right "tiles_$target${policy#rounding}" "$tmp/tiles.sn" \
            "-std=gnu99 $san" "$CC" "--target $target"
    done
    san=
done
# clang counts on the alignment of arrays that are defined elsewhere.
if command -v clang >/dev/null; then
    tiles "" >"$tmp/tiles.sn"
    right tiles_clang "$tmp/tiles.sn" "-std=c99 -O2" clang
fi
# Windows that are outside write nowhere else: no other node has memory here.
outside >"$tmp/tiles.sn"
right tiles_outside "$tmp/tiles.sn" \
    "-std=c99 -fsanitize=undefined,address -fno-sanitize-recover=all" "$CC" --target=armv7em

# Each target's functions are called, in whatever arithmetic.
for policy in "" "rounding double"; do
    tiles "$policy" >"$tmp/tiles.sn"
    for pair in portable:dot_windows armv7em:dot_pair_rows armv8.1m-mve:mve_dots rv64:dot_wide \
        x86-avx2:conv_q8_run x86-avx512vnni:conv_q8_run aarch64-dotprod:conv_q8_run; do
        # plans rescale by reals
        [ "$policy${pair#*:}" = "rounding doubleconv_q8_run" ] && continue
        "$sinter" compile "$tmp/tiles.sn" -o "$tmp/o" --target "${pair%:*}" >"$tmp/out" 2>&1
        if grep -q "net_${pair#*:}(" "$tmp/o/net.c"; then
            echo "ok compile calls_${pair%:*}${policy#rounding}"
        else
            echo "not ok compile calls_${pair%:*}${policy#rounding}: no ${pair#*:} in net.c"
            bad=1
        fi
    done
done

# Two operands element by element, as sums where all pairs agree: Add and Sub do,
# a product does not.
cat >"$tmp/sums.sn" <<'END'
sinter-graph 1
graph "sums" {
  %a = Placeholder() : qi8<0.04, 3>[1,5,5,8]
  %b = Placeholder() : qi8<0.11, -100>[1,5,5,8]
  %s = Add(%a, %b) {clamp = [-90, 100]} : qi8<0.09, -7>[1,5,5,8]
  %r = Add(%s, %a) {round = after} : qi8<0.1, 11>[1,5,5,8]
  %d = Sub(%r, %b) : qi8<0.23, 5>[1,5,5,8]
  %m = Mul(%d, %b) : qi8<0.53, 2>[1,5,5,8]
  %y = Add(%m, %r) : qi8<0.57, 1>[1,5,5,8]
  Save(%y) {name = "y"}
}
END
for target in x86-avx2 x86-avx512vnni aarch64-dotprod; do
    right "sums_${target}_twins" "$tmp/sums.sn" "-std=c99 -Dnet_SN_TWINS $san_all" "$CC" \
        "--target=$target"
    has "$target" && right "sums_$target" "$tmp/sums.sn" "-std=c99 $san_all" "$CC" \
        "--target=$target"
    n=$(grep -c 'net_sum8_by(' "$tmp/o/net.c")
    if [ "$n" = 4 ]; then
        echo "ok compile sums_calls_$target"
    else
        echo "not ok compile sums_calls_$target: $n calls, expected 4"
        bad=1
    fi
done

# A bias, a multiplier and saturation are made by the functions of all filters.
tiles "" >"$tmp/tiles.sn"
for pair in armv7em:put_windows armv7em:put_points armv8.1m-mve:mve_put \
    armv8.1m-mve:mve_codes; do
    "$sinter" compile "$tmp/tiles.sn" -o "$tmp/o" --target "${pair%:*}" >"$tmp/out" 2>&1
    if grep -q "net_${pair#*:}(" "$tmp/o/net.c"; then
        echo "ok compile plain_${pair#*:}"
    else
        echo "not ok compile plain_${pair#*:}: it is not in net.c"
        bad=1
    fi
done

# Pools and LRN: windows in padding, codes of both ends, channels beside a register.
cat >"$tmp/pools.sn" <<'END'
sinter-graph 1
graph "pools" {
  %x = Placeholder() : qi8<0.04, 3>[2,7,6,37]
  %p, %i = MaxPool(%x) {kernel = [3,2], stride = [2,1], pads = [1,1,1,0]} : (qi8<0.04, 3>[2,4,6,37], i64[2,4,6,37])
  %a = AvgPool(%x) {kernel = [3,3], stride = [2,2], pads = [1,1,1,0]} : qi8<0.03, -9>[2,4,3,37]
  %b = AvgPool(%x) {kernel = [3,2], pads = [1,0,1,1], count_include_pad = true, clamp = [-50, 60]} : qi8<0.02, 1>[2,7,6,37]
  %c = AvgPool(%p) {kernel = [4,6]} : qi8<0.01, -128>[2,1,1,37]
  %r = AvgPool(%p) {kernel = [4,6], round = after} : qi8<0.01, -128>[2,1,1,37]
  %n = LRN(%b) {size = 5, alpha = 0.3, beta = 0.75, k = 1} : qi8<0.02, 1>[2,7,6,37]
  %m = LRN(%a) {size = 4, alpha = 0.1, beta = 0.75, k = 2} : qi8<0.03, -9>[2,4,3,37]
  %o = LRN(%a) {size = 3, alpha = 0.1, beta = 0.5, k = 2} : qi8<0.03, -9>[2,4,3,37]
  Save(%p) {name = "p"}
  Save(%c) {name = "c"}
  Save(%r) {name = "r"}
  Save(%n) {name = "n"}
  Save(%m) {name = "m"}
  Save(%o) {name = "o"}
}
END
for target in x86-avx2 x86-avx512vnni aarch64-dotprod; do
    right "pools_${target}_twins" "$tmp/pools.sn" "-std=c99 -Dnet_SN_TWINS $san_all" "$CC" \
        "--target=$target"
    has "$target" && right "pools_$target" "$tmp/pools.sn" "-std=c99 $san_all" "$CC" \
        "--target=$target"
    n=$(grep -c 'net_pool8_by(' "$tmp/o/net.c"),$(grep -c 'net_lrn8_by(' "$tmp/o/net.c")
    if [ "$n" = 4,2 ]; then
        echo "ok compile pools_calls_$target"
    else
        echo "not ok compile pools_calls_$target: $n calls, expected 4,2"
        bad=1
    fi
done

# Reals to codes of one scale, tails of vectors and clamps; of several scales as a
# loop.
cat >"$tmp/quants.sn" <<'END'
sinter-graph 1
graph "quants" {
  %x = Placeholder() : f32[3,37]
  %a = Quantize(%x) : qi8<0.04, 3>[3,37]
  %b = Quantize(%x) {clamp = [-90, 100]} : qi8<0.003, -128>[3,37]
  %t = Transpose(%x) {perm = [1,0]} : f32[37,3]
  %c = Quantize(%t) : qi8<0.015625, 127>[37,3]
  %d = Quantize(%x) : qi8<axis=0, [0.1, 0.2, 0.3], [0, 0, 0]>[3,37]
  Save(%a) {name = "a"}
  Save(%b) {name = "b"}
  Save(%c) {name = "c"}
  Save(%d) {name = "d"}
}
END
for target in x86-avx2 x86-avx512vnni aarch64-dotprod; do
    right "quants_${target}_twins" "$tmp/quants.sn" "-std=c99 -Dnet_SN_TWINS $san_all" "$CC" \
        "--target=$target"
    has "$target" && right "quants_$target" "$tmp/quants.sn" "-std=c99 $san_all" "$CC" \
        "--target=$target"
    n=$(grep -c 'net_quant8_[a-z0-9]*(&' "$tmp/o/net.c")
    if [ "$n" = 3 ]; then
        echo "ok compile quants_calls_$target"
    else
        echo "not ok compile quants_calls_$target: $n calls, expected 3"
        bad=1
    fi
done

# Results over their operands.
for policy in "" "rounding double"; do
    chain "$policy" >"$tmp/chain.sn"
    for target in portable armv7em armv8.1m-mve rv64; do
        right "chain_$target${policy#rounding}" "$tmp/chain.sn" \
            "-std=c99 -fsanitize=undefined,address -fno-sanitize-recover=all" "$CC" \
            "--target=$target"
    done
    for target in x86-avx2 x86-avx512vnni aarch64-dotprod; do
        right "chain_$target${policy#rounding}_twins" "$tmp/chain.sn" \
            "-std=c99 -Dnet_SN_TWINS -fsanitize=undefined,address -fno-sanitize-recover=all" \
            "$CC" "--target=$target"
        has "$target" && right "chain_$target${policy#rounding}" "$tmp/chain.sn" \
            "-std=c99 -fsanitize=undefined,address -fno-sanitize-recover=all" "$CC" \
            "--target=$target"
    done
done
t chain_ram 0 out "arena 1872 bytes (lower bound 1872)" compile "$tmp/chain.sn" -o "$tmp/o"

# Limits choose forms: the plans of AVX2 take more memory and constants than the
# windows of any machine, these more than the loops of a text.
# limited NAME NODES ARENA FILE TARGET FLAGS: so many nodes are slower.
limited() {
    name=$1 nodes=$2 arena=$3 f=$4
    shift 4
    right "$name" "$f" "-std=c99 -Dnet_SN_TWINS $san_all" "$CC" "--target=$*"
    if grep -q "^$nodes node.* slower" "$tmp/out" && grep -q "arena $arena bytes" "$tmp/out"; then
        echo "ok compile ${name}_forms"
    else
        echo "not ok compile ${name}_forms: $(cat "$tmp/out")"
        bad=1
    fi
}
chain "" >"$tmp/chain.sn"
limited limit_ram 3 3520 "$tmp/chain.sn" x86-avx2 --max-ram 4k
limited limit_flash 6 6864 "$tmp/chain.sn" x86-avx2 --max-flash 8k
limited limit_both 8 3136 "$tmp/chain.sn" x86-avx2 --max-ram 4k --max-flash 8k
limited limit_loops 3 432 "$tmp/tiles.sn" armv7em --max-ram 500
if [ "$(grep -c '"form": "loops"' "$tmp/o/net.json")" -gt 3 ] &&
    grep -q '"form": "windows"' "$tmp/o/net.json"; then
    echo "ok compile limit_json"
else
    echo "not ok compile limit_json"
    bad=1
fi
t limit_none 1 err "the arena takes 1872 bytes, more than 1800; the largest: y4" \
    compile "$tmp/chain.sn" --report --target x86-avx2 --max-ram 1800
# Estimates are of Cortex-M: there are none for hosts.
"$sinter" compile "$tmp/chain.sn" -o "$tmp/o" --report --target x86-avx2 >"$tmp/out"
if ! grep -q 'stimate' "$tmp/out" "$tmp/o/net.json" && grep -q ' - plan  ' "$tmp/out"; then
    echo "ok compile host_report"
else
    echo "not ok compile host_report"
    bad=1
fi

# A graph of so many steps that ties are not tried.
awk 'BEGIN {
    print "sinter-graph 1\ngraph \"many\" {\n  %v0 = Placeholder() : qi8<0.05, 3>[1,64]"
    for (i = 1; i <= 2; i++)
        printf "  %%v%d = Flip(%%v%d) {axes = [1]} : qi8<0.05, 3>[1,64]\n", i, i - 1
    for (; i <= 3500; i++)
        printf "  %%v%d = Add(%%v%d, %%v%d) : qi8<0.05, 3>[1,64]\n", i, i - 1, i - 2
    printf "  Save(%%v%d) {name = \"s\"}\n}\n", i - 1
}' >"$tmp/many.sn"
t many 0 out "arena 192 bytes (lower bound 192)" compile "$tmp/many.sn" --report

# ---- no register of reals where each node has a row of integers ----
cat >"$tmp/float.sn" <<END
sinter-graph 1
graph "whole" {
  %x = Placeholder() : qi8<0.05, 3>[1,6,5,4]
  %w = Constant() {data = [$(draw 108 1)]} : qi8<axis=0, [0.02, 0.01, 0.03], [0, 0, 0]>[3,3,3,4]
  %b = Constant() {data = [1000, -2000, 3000]} : qi32<axis=0, [0.001, 0.0005, 0.0015], [0, 0, 0]>[3]
  %c = ChannelwiseConv2D(%x, %w, %b) {kernel = [3,3], pads = [1,1,1,1]} : qi8<0.1, -7>[1,6,5,3]
  %v = Constant() {data = [$(draw 12 2)]} : qi8<0.02, 1>[3,2,2,1]
  %d = Conv2D(%c, %v, _) {kernel = [2,2], stride = [1,2], group = 3} : qi8<0.2, 4>[1,5,2,3]
  %r = Rescale(%d) : qi8<0.15, 9>[1,5,2,3]
  %l = Relu(%r) : qi8<0.15, 9>[1,5,2,3]
  %p, %i = MaxPool(%l) {kernel = [2,2], stride = [1,1]} : (qi8<0.15, 9>[1,4,1,3], i64[1,4,1,3])
  %h = HardSwish(%p) : qi8<0.1, -100>[1,4,1,3]
  %m = ReduceMean(%h) {axes = [2]} : qi8<0.09, -90>[1,4,1,3]
  %t = Flip(%m) {axes = [1]} : qi8<0.09, -90>[1,4,1,3]
  %f = Reshape(%t) {dims = [2, 6]} : qi8<0.09, -90>[2,6]
  %u = Constant() {data = [$(draw 30 3)]} : qi8<0.02, 0>[5,6]
  %y = FullyConnected(%f, %u, _) {clamp = [-100, 100]} : qi8<0.3, 2>[2,5]
  Save(%y) {name = "y"}
}
END
# gcc refuses reals so; clang takes the flag, and reals.
whole() { # POLICY TARGET
    "$sinter" compile "$tmp/$1.sn" -o "$tmp/o" --target "$2" >"$tmp/out" 2>"$tmp/err" &&
        gcc -std=c99 -O2 -mgeneral-regs-only -c -o "$tmp/o/net.o" "$tmp/o/net.c" 2>"$tmp/err"
}
echo 'float half(float x); float half(float x) { return x / 2; }' >"$tmp/half.c"
if gcc -O2 -c -o "$tmp/half.o" "$tmp/half.c" &&
    ! gcc -O2 -mgeneral-regs-only -c -o "$tmp/half.o" "$tmp/half.c" 2>"$tmp/err"; then
    for target in portable armv7em armv8.1m-mve; do
        for policy in single double; do
            sed "s/^graph \"whole\"/& rounding $policy/" "$tmp/float.sn" >"$tmp/$policy.sn"
            right whole_${policy}_$target "$tmp/$policy.sn" -std=c99 "$CC" "--target=$target"
            if whole $policy $target; then
                echo "ok compile whole_${policy}_${target}_registers"
            else
                echo "not ok compile whole_${policy}_${target}_registers"
                head -n 5 "$tmp/err"
                bad=1
            fi
        done
        if whole float $target; then
            echo "not ok compile whole_float_$target: it has no reals"
            bad=1
        else
            echo "ok compile whole_float_$target"
        fi
    done
else
    echo "skip compile whole: gcc does not refuse reals by -mgeneral-regs-only"
fi

# ---- modes of the processor: others change nothing, and are left as they were ----
cat >"$tmp/modes.c" <<'END'
#include <fenv.h>
#include <stdint.h>
int main_net(int, char **);
int
main(int argc, char **argv)
{
    int wrong = 0;
#if defined(__SSE_MATH__)
    uint32_t flush = 0x9fc0, is = 0; /* and of operands */
    __asm__ volatile("ldmxcsr %0" : : "m"(flush));
    wrong = main_net(argc, argv);
    __asm__ volatile("stmxcsr %0" : "=m"(is));
    wrong = wrong || (is & 0xffc0) != flush;
#endif
    fesetround(FE_UPWARD);
    wrong = main_net(argc, argv) || wrong;
    return wrong || fegetround() != FE_UPWARD;
}
END
cat >"$tmp/small.sn" <<'END'
sinter-graph 1
graph "small" {
  %x = Placeholder() : f32[2,40]
  %s = Constant() {data = [1e-38]} : f32[1,1]
  %a = Mul(%x, %s) : f32[2,40]
  %b = Div(%a, %s) : f32[2,40]
  %q = Quantize(%x) : qi8<0.3, 3>[2,40]
  Save(%b) {name = "b"}
  Save(%q) {name = "q"}
}
END
# modes GRAPH TARGET
modes() {
    rm -rf "$tmp/o"
    "$sinter" compile "$tmp/$1.sn" -o "$tmp/o" --target "$2" >"$tmp/out" 2>"$tmp/err" &&
        sed -i 's/^main(/main_net(/' "$tmp/o/net_test.c" &&
        $CC -O2 -frounding-math -o "$tmp/o/t" "$tmp"/modes.c "$tmp"/o/*.c -lm 2>"$tmp/err" &&
        "$tmp/o/t" >"$tmp/err"
}
for target in portable armv7em native; do
    for g in small demo; do
        if modes $g $target; then
            echo "ok compile modes_${g}_$target"
        else
            echo "not ok compile modes_${g}_$target"
            head -n 3 "$tmp/err"
            bad=1
        fi
    done
done

# ---- several networks in one program, of one target and of several ----
printf 'int main_a(int, char **);\nint main_b(int, char **);\nint main_c(int, char **);\n
int main(int n, char **v) { return main_a(n, v) || main_b(n, v) || main_c(n, v); }\n' >"$tmp/all.c"
# together TARGET TARGET TARGET
together() {
    set -- a chain "$1" b tiles "$2" c sums "$3"
    files=
    while [ $# -gt 0 ]; do
        rm -rf "$tmp/link_$1"
        "$sinter" compile "$tmp/$2.sn" --name "$1" -o "$tmp/link_$1" --target "$3" >"$tmp/out" 2>&1
        sed -i "s/^main(/main_$1(/" "$tmp/link_$1/$1_test.c"
        files="$files $(echo "$tmp/link_$1"/*.c)"
        shift 3
    done
    # shellcheck disable=SC2086
    $CC -O1 -std=c99 -Da_SN_TWINS -Db_SN_TWINS -Dc_SN_TWINS -o "$tmp/o/t" "$tmp/all.c" $files \
        2>"$tmp/err" && "$tmp/o/t" >"$tmp/out"
}
for targets in "portable portable portable" "armv7em armv7em armv8.1m-mve" \
    "x86-avx2 x86-avx2 x86-avx512vnni"; do
    # shellcheck disable=SC2086
    if together $targets && [ "$(grep -c '^right$' "$tmp/out")" = 3 ]; then
        echo "ok compile together $targets"
    else
        echo "not ok compile together $targets"
        head -n 3 "$tmp/err"
        bad=1
    fi
done

# ---- memories, weights as a file ----
# split NAME FLAGS...: two memories and a file of weights.
split() {
    name=$1
    shift
    rm -rf "$tmp/o"
    if "$sinter" compile "$tmp/chain.sn" -o "$tmp/o" "$@" >"$tmp/out" 2>"$tmp/err" &&
        $CC $strict -std=c99 -o "$tmp/o/t" "$tmp"/o/*.c 2>"$tmp/err" &&
        "$tmp/o/t" >"$tmp/out"; then
        echo "ok compile $name"
    else
        echo "not ok compile $name"
        head -n 5 "$tmp/err"
        bad=1
    fi
}
split weights_binary --weights binary
make -s -C "$tmp/o" CC="$CC" CFLAGS=-O0 >"$tmp/err" 2>&1
"$tmp/o/net_test" >"$tmp/out"
rc=$?
# Those of another program are refused; so is a file that is too short.
printf 'AAAAAAAA' | dd of="$tmp/o/net_weights.bin" conv=notrunc 2>"$tmp/err"
"$tmp/o/net_test" >"$tmp/out"
rc=$rc,$?
: >"$tmp/o/net_weights.bin"
"$tmp/o/net_test" >"$tmp/out" 2>"$tmp/err"
rc=$rc,$?
if [ $rc = 0,1,3 ] && grep -q '"offset": 8, "bytes"' "$tmp/o/net.json"; then
    echo "ok compile weights_other"
else
    echo "not ok compile weights_other: exit codes $rc, expected 0,1,3"
    bad=1
fi
# Constants of hosts begin at lines of the cache, in a file and in the program.
split weights_host --target x86-avx2 --weights binary
n=$(sed -n '/"arena": /d; s/.*"offset": \([0-9]*\), "bytes".*/\1/p' "$tmp/o/net.json" |
    awk '{ k++; bad += $1 % 64 != 0 } END { print (k > 0 && !bad) }')
grep -q '^#define NET_WEIGHTS_ALIGN 64$' "$tmp/o/net.h" || n=0
split weights_aligned --target x86-avx2
m=$(nm "$tmp/o/t" | awk '$3 ~ /^net_n[0-9]*_w$/ { k++; bad += $1 !~ /[048c]0$/ }
    END { print (k > 0 && !bad) }')
if [ "$n$m" = 11 ]; then
    echo "ok compile weights_lines"
else
    echo "not ok compile weights_lines: $n, $m"
    bad=1
fi
split arenas --arenas 800,1600 --weights binary
t arenas_sizes 0 out "arena 1: " compile "$tmp/chain.sn" -o "$tmp/o" --arenas 800,1600
t arenas_small 1 err "memory 1 takes 1872 bytes, more than 100" compile "$tmp/chain.sn" \
    --report --arenas 100,100
t arenas_what 2 err "is not a size: expected a number of one or more" compile "$tmp/chain.sn" --arenas 1k,x
t weights_what 2 err "expected c or binary" compile "$tmp/chain.sn" --report --weights elf
# The compiler says that it does not fit; and C++ takes the program.
"$sinter" compile "$tmp/chain.sn" -o "$tmp/o" >"$tmp/out"
if $CC -std=c99 -DNET_ARENA_MAX=4096 -fsyntax-only "$tmp/o/net.c" &&
    ! $CC -std=c99 -DNET_ARENA_MAX=1800 -fsyntax-only "$tmp/o/net.c" 2>"$tmp/err" &&
    grep -q net_arena_fits "$tmp/err" &&
    grep -q 'section(".rodata." name)' "$tmp/o/net_weights.c" &&
    $CC -x c++ -Wall -Wextra -Werror -fsyntax-only "$tmp/o/net.c"; then
    echo "ok compile header"
else
    echo "not ok compile header"
    bad=1
fi
cat >"$tmp/quant.sn" <<'END'
sinter-graph 1
graph "quant" {
  %x = Placeholder() : f32[1,64]
  %q = Quantize(%x) : qi8<0.05, 3>[1,64]
  %t = Flip(%q) {axes = [1]} : qi8<0.05, 3>[1,64]
  Save(%t) {name = "t"}
}
END
t max_ram_help 1 err "fewer channels where pictures are large; --io int8 takes 0" \
    compile "$tmp/quant.sn" --report --max-ram 10

# ---- sinter run --backend c: the values of the evaluators, and nothing left behind ----
mkdir "$tmp/left"
export TMPDIR="$tmp/left"
for b in c c:armv7em c:native interp; do
    "$sinter" run "$tmp/demo.sn" --backend $b --input $demo/test_images.npy -n 20 \
        --mul 0.0039216 --dump "$tmp/$b.npy" >"$tmp/out" 2>"$tmp/err"
done
t run_c_target_like 2 err "did you mean 'native'?" run "$tmp/demo.sn" --backend c:nativ \
    --input $demo/test_images.npy
t run_c_target 2 err "no target is named 'z80'" run "$tmp/demo.sn" --backend c:z80 \
    --input $demo/test_images.npy
if cmp "$tmp/c.npy" "$tmp/interp.npy" && cmp "$tmp/c:armv7em.npy" "$tmp/interp.npy" &&
    cmp "$tmp/c:native.npy" "$tmp/interp.npy" && [ -z "$(ls "$tmp/left")" ]; then
    echo "ok compile run_c"
else
    echo "not ok compile run_c: $(ls "$tmp/left")"
    bad=1
fi
CC=no-such-compiler t run_no_compiler 4 err "'no-such-compiler' is not installed" run \
    "$tmp/demo.sn" --backend c --input $demo/test_images.npy -n 1
CC=false t run_bad_compiler 4 err "'false' does not compile the program" run \
    "$tmp/demo.sn" --backend c --input $demo/test_images.npy -n 1
t run_c_kernels 2 err "cannot be combined with --check-kernels" run "$tmp/demo.sn" --backend c \
    --check-kernels --input $demo/test_images.npy
if [ -n "$(ls "$tmp/left")" ]; then
    echo "not ok compile run_left: $(ls "$tmp/left")"
    bad=1
fi
unset TMPDIR

# ---- the same bytes each time; a wrong weight is noticed ----
rm -rf "$tmp/o" "$tmp/p"
"$sinter" compile "$tmp/codes.sn" -o "$tmp/o" --name kws >"$tmp/out" 2>&1
"$sinter" compile "$tmp/codes.sn" -o "$tmp/p" --name kws >"$tmp/out" 2>&1
if diff -r "$tmp/o" "$tmp/p" >"$tmp/err" && [ -s "$tmp/o/kws.json" ]; then
    echo "ok compile same_bytes"
else
    echo "not ok compile same_bytes"
    bad=1
fi
if make -s -C "$tmp/o" CC="$CC" CFLAGS=-O0 >"$tmp/err" 2>&1 && "$tmp/o/kws_test" >"$tmp/out"; then
    echo "ok compile makefile"
else
    echo "not ok compile makefile"
    head -n 5 "$tmp/err"
    bad=1
fi
sed -i 's/ -15, 16,/ -15, -16,/' "$tmp/o/kws_weights.c"
make -s -C "$tmp/o" CC="$CC" CFLAGS=-O0 >"$tmp/err" 2>&1
"$tmp/o/kws_test" >"$tmp/out"
rc=$?
if [ $rc -eq 1 ] && grep -q "values differ" "$tmp/out"; then
    echo "ok compile wrong_weight"
else
    echo "not ok compile wrong_weight: exit code $rc"
    bad=1
fi
# What the self-test says of outputs of each kind: codes, reals, integers.
rm -rf "$tmp/o"
"$sinter" compile "$tmp/reals.sn" -o "$tmp/o" >"$tmp/out" 2>&1
sed -i -e '/wanted_out0/,/}/s/-88, 6, 32,/-88, 7, 33,/' \
    -e '/wanted_out2/,/}/s/-0x1.bap+1f/NAN/' \
    -e '/wanted_out3/,/}/s/0, 1,/0, 4294967297,/' "$tmp/o/net_test.c"
cat >"$tmp/want" <<'END'
output 0: 2 of 6 values differ, the first is number 1: 6, expected 7
output 2: 1 of 6 values differ, the first is number 0: -3.453125, expected nan
output 3: 1 of 2 values differ, the first is number 1: 1, expected 4294967297
wrong
END
# shellcheck disable=SC2086
$CC $strict -std=c99 -o "$tmp/o/t" "$tmp"/o/*.c 2>"$tmp/err" && "$tmp/o/t" >"$tmp/out"
rc=$?
if [ $rc -eq 1 ] && cmp -s "$tmp/want" "$tmp/out"; then
    echo "ok compile says_what_differs"
else
    echo "not ok compile says_what_differs: exit code $rc"
    cat "$tmp/err" "$tmp/out"
    bad=1
fi
exit $bad
