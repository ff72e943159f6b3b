#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sinter compile: the programs compile without warnings and have the bits of the
# evaluators, which their self-tests store.  compile_targets.sh has kernels of
# targets and memories.
suite=compile
. tests/compile_case.sh

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
for o in '--preset x' '--mean 0' '--std 1' '--resize 3' '--crop 3' '--channels bgr' '--layout x' \
    '--mul 2' '--add 1' '--skip 3' '-n 1'; do
    # shellcheck disable=SC2086
    t "no_input${o%% *}" 2 err "${o%% *}: has no effect without --input" \
        compile "$tmp/relu.sn" -o "$tmp/o" $o
done
t to_file 5 err "relu.sn: is not a directory" compile "$tmp/relu.sn" -o "$tmp/relu.sn"
t no_parent 5 err "none/o: cannot make the directory: No such file" compile "$tmp/relu.sn" -o "$tmp/none/o"

# ---- what an earlier program of the name wrote ----
printf 'sinter-graph 1\ngraph "g" {\n  %%x = Placeholder() : f32[1,4]\n
  %%k = Constant() {data = [1, 2, 3, 4]} : f32[1,4]\n  %%y = Add(%%x, %%k) : f32[1,4]
  Save(%%y) {name = "y"}\n}\n' >"$tmp/add.sn"
# holds NAME FILES: the weights and texts of the directory
holds() {
    have=$(cd "$tmp/old" && echo *_weights* *_tuned*)
    if [ "$have" = "$2" ]; then
        echo "ok compile $1"
    else
        echo "not ok compile $1: $have"
        bad=1
    fi
}
t first 0 err "" compile "$tmp/add.sn" -o "$tmp/old"
t other 0 err "" compile "$tmp/add.sn" -o "$tmp/old" --name other
t binary 0 err "" compile "$tmp/add.sn" -o "$tmp/old" --weights binary
holds c_goes "net_weights.bin other_weights.c *_tuned*"
echo "/* Written by sinter 0.2.0. */" >"$tmp/old/net_tuned.c"
echo "/* by hand */" >"$tmp/old/net_tuned.h"
t by_hand 0 err "old/net_tuned.h: is not a file of this program, and was not written by sinter: it stays" \
    compile "$tmp/add.sn" -o "$tmp/old"
holds binary_goes "net_weights.c other_weights.c net_tuned.h"
echo 12345678 >"$tmp/old/net_weights.bin"
t no_weights 0 err "old/net_weights.bin: is not a file of this program" compile "$tmp/add.sn" -o "$tmp/old"
holds no_weights_stay "net_weights.bin net_weights.c other_weights.c net_tuned.h"

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
t run_c_threads 2 err "--pack-cache or --threads" run "$tmp/demo.sn" --backend c --threads 2
t run_c_kernels 2 err "cannot be combined with --check-kernels" run "$tmp/demo.sn" --backend c \
    --check-kernels --input $demo/test_images.npy
if [ -n "$(ls "$tmp/left")" ]; then
    echo "not ok compile run_left: $(ls "$tmp/left")"
    bad=1
fi
unset TMPDIR

# ---- a program is the old one or the new one ----
rm -rf "$tmp/o" "$tmp/p"
"$sinter" compile "$tmp/reals.sn" -o "$tmp/o" >"$tmp/out" 2>&1
cp -r "$tmp/o" "$tmp/p"
# Files of 4 blocks are written, larger ones are not.
(ulimit -f 4 && "$sinter" compile "$tmp/codes.sn" -o "$tmp/o") >/dev/null 2>"$tmp/err"
rc=$?
(ulimit -f 4 && "$sinter" compile "$tmp/codes.sn" -o "$tmp/new") >/dev/null 2>>"$tmp/err"
if [ $rc,$? = 5,5 ] && diff -r "$tmp/o" "$tmp/p" >>"$tmp/err" && [ ! -e "$tmp/new" ]; then
    echo "ok compile never_mixed"
else
    echo "not ok compile never_mixed: exit code $rc"
    head -n 5 "$tmp/err"
    bad=1
fi

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
