#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sinter compile: kernels of each target at what decides their loops, limits,
# several networks in one program, memories.  The programs have the bits of the
# evaluators, as in compile.sh.
suite=compile_targets
. tests/compile_case.sh

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
            echo "ok $suite calls_${pair%:*}${policy#rounding}"
        else
            echo "not ok $suite calls_${pair%:*}${policy#rounding}: no ${pair#*:} in net.c"
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
        echo "ok $suite sums_calls_$target"
    else
        echo "not ok $suite sums_calls_$target: $n calls, expected 4"
        bad=1
    fi
done

# A bias, a multiplier and saturation are made by the functions of all filters.
tiles "" >"$tmp/tiles.sn"
for pair in armv7em:put_windows armv7em:put_points armv8.1m-mve:mve_put \
    armv8.1m-mve:mve_codes; do
    "$sinter" compile "$tmp/tiles.sn" -o "$tmp/o" --target "${pair%:*}" >"$tmp/out" 2>&1
    if grep -q "net_${pair#*:}(" "$tmp/o/net.c"; then
        echo "ok $suite plain_${pair#*:}"
    else
        echo "not ok $suite plain_${pair#*:}: it is not in net.c"
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
        echo "ok $suite pools_calls_$target"
    else
        echo "not ok $suite pools_calls_$target: $n calls, expected 4,2"
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
        echo "ok $suite quants_calls_$target"
    else
        echo "not ok $suite quants_calls_$target: $n calls, expected 3"
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
        echo "ok $suite ${name}_forms"
    else
        echo "not ok $suite ${name}_forms: $(cat "$tmp/out")"
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
    echo "ok $suite limit_json"
else
    echo "not ok $suite limit_json"
    bad=1
fi
t limit_none 1 err "the arena takes 1872 bytes, more than 1800; the largest: y4" \
    compile "$tmp/chain.sn" --report --target x86-avx2 --max-ram 1800
# Estimates are of Cortex-M: there are none for hosts.
"$sinter" compile "$tmp/chain.sn" -o "$tmp/o" --report --target x86-avx2 >"$tmp/out"
if ! grep -q 'stimate' "$tmp/out" "$tmp/o/net.json" && grep -q ' - plan  ' "$tmp/out"; then
    echo "ok $suite host_report"
else
    echo "not ok $suite host_report"
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
                echo "ok $suite whole_${policy}_${target}_registers"
            else
                echo "not ok $suite whole_${policy}_${target}_registers"
                head -n 5 "$tmp/err"
                bad=1
            fi
        done
        if whole float $target; then
            echo "not ok $suite whole_float_$target: it has no reals"
            bad=1
        else
            echo "ok $suite whole_float_$target"
        fi
    done
else
    echo "skip compile whole: gcc does not refuse reals by -mgeneral-regs-only"
fi

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
    mkdir -p "$tmp/o" && $CC -O1 -std=c99 -Da_SN_TWINS -Db_SN_TWINS -Dc_SN_TWINS -o "$tmp/o/t" "$tmp/all.c" $files \
        2>"$tmp/err" && "$tmp/o/t" >"$tmp/out"
}
for targets in "portable portable portable" "armv7em armv7em armv8.1m-mve" \
    "x86-avx2 x86-avx2 x86-avx512vnni"; do
    # shellcheck disable=SC2086
    if together $targets && [ "$(grep -c '^right$' "$tmp/out")" = 3 ]; then
        echo "ok $suite together $targets"
    else
        echo "not ok $suite together $targets"
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
        echo "ok $suite $name"
    else
        echo "not ok $suite $name"
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
    echo "ok $suite weights_other"
else
    echo "not ok $suite weights_other: exit codes $rc, expected 0,1,3"
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
    echo "ok $suite weights_lines"
else
    echo "not ok $suite weights_lines: $n, $m"
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
    echo "ok $suite header"
else
    echo "not ok $suite header"
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
exit $bad
