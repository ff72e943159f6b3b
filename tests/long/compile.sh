#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs in C against the evaluators, bit for bit: the graphs of tests/pass,
# the quantized models at hand, random graphs (SINTER_COMPILE=N, default 500;
# SINTER_SEED=S is the first seed), each built by gcc (c99, gnu99 with fused
# products of the machine) and clang; where there are cross compilers and
# emulators, the demo's network on them.
BUILD=${BUILD:-build}
SHARED=${SHARED:-../shared}
MAKE=${MAKE:-make}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
warn="-Wall -Wextra -Wconversion -pedantic -Werror"

say() { # OK NAME
    if [ "$1" = 0 ]; then
        echo "ok compile $2"
    else
        echo "not ok compile $2"
        head -n 4 "$tmp/log"
        bad=1
    fi
}

# program FILE [FLAGS]: writes it; 1 where the evaluators or the importer refuse it.
program() {
    f=$1
    shift
    rm -rf "$tmp/p"
    "$BUILD/sinter" compile "$f" -o "$tmp/p" "$@" >"$tmp/log" 2>&1
}

# right COMPILER...: builds it and runs its self-test.
right() {
    # shellcheck disable=SC2086
    "$@" $warn -o "$tmp/t" "$tmp"/p/*.c >"$tmp/log" 2>&1 && "$tmp/t" >"$tmp/log" 2>&1
}

# many NAME FILE...: counts per compiler.
many() {
    name=$1 n=0 refused=0 c99=0 gnu=0 clang=0 tuned=0
    shift
    for f in "$@"; do
        if ! program "$f"; then
            refused=$((refused + 1))
            continue
        fi
        n=$((n + 1))
        right gcc -std=c99 -O1 && c99=$((c99 + 1)) || cp "$tmp/log" "$tmp/first"
        right gcc -std=gnu99 -O2 -march=native && gnu=$((gnu + 1)) || cp "$tmp/log" "$tmp/first"
        right clang -O2 -march=native && clang=$((clang + 1)) || cp "$tmp/log" "$tmp/first"
        program "$f" --target armv7em && right gcc -std=gnu99 -O1 &&
            tuned=$((tuned + 1)) || cp "$tmp/log" "$tmp/first"
    done
    echo "| $name | $n | $refused | $c99 | $gnu | $clang | $tuned |" >>"$tmp/table"
    [ -f "$tmp/first" ] && cp "$tmp/first" "$tmp/log"
    rm -f "$tmp/first"
    [ $n -gt 0 ] && [ $c99 = $n ] && [ $gnu = $n ] && [ $clang = $n ] && [ $tuned = $n ]
    say $? "$name: $n programs, $refused graphs refused"
}

many 'graphs of tests/pass' tests/pass/*.sn
[ -d "$SHARED/data/quantized" ] &&
    many 'quantized models' "$SHARED"/data/quantized/*/*.onnx
mkdir "$tmp/random"
"$BUILD/tests/random_graphs" "$tmp/random" "${SINTER_SEED:-1}" "${SINTER_COMPILE:-500}"
many 'random graphs' "$tmp"/random/*.sn

# ---- real networks on real samples: all values of the outputs ----
# samples NAME MODEL FLAGS...: the values of `sinter run` by evaluators and by
# programs; SINTER_SAMPLES=N of them (default 200).
samples() {
    name=$1 m=$2 ok=0
    shift 2
    for b in interp c c:armv7em; do
        "$BUILD/sinter" run "$m" --backend $b -n "${SINTER_SAMPLES:-200}" "$@" \
            --dump "$tmp/$b.npy" >"$tmp/log" 2>&1 || ok=1
    done
    cmp "$tmp/interp.npy" "$tmp/c.npy" >>"$tmp/log" 2>&1 || ok=1
    cmp "$tmp/interp.npy" "$tmp/c:armv7em.npy" >>"$tmp/log" 2>&1 || ok=1
    say $ok "samples of $name: $("$BUILD/sinter" compile "$m" --report | tail -n 1 |
        sed 's/.*: arena/arena/')"
}
# trained NAME MODEL CALIB TEST FLAGS...
trained() {
    n=$1 m=$2 c=$3 x=$4
    shift 4
    [ -f "$m" ] || return
    "$BUILD/sinter" quantize "$m" --calib "$c" -n 64 "$@" -o "$tmp/$n.sn" >"$tmp/log" 2>&1
    samples "$n" "$tmp/$n.sn" --input "$x" "$@"
}
D=$SHARED/data
for m in alexnet_lrn_cifar10 inception_lrn_cifar10 mobilenetv2_cifar10; do
    trained $m "$D/trained/$m/model.onnx" "$D/datasets/cifar10_calib_x.npy" \
        "$D/datasets/cifar10_test_x.npy" --mul 0.0039216
done
trained lenet_mnist "$D/trained/lenet_mnist/model.onnx" "$D/datasets/mnist_calib_x.npy" \
    "$D/datasets/mnist_test_x.npy" --mul 0.0039216
trained resnet8 "$D/real/mlperf_resnet8/model.onnx" "$D/datasets/cifar10_calib_x.npy" \
    "$D/datasets/cifar10_test_x.npy"
trained kws "$D/real/mlperf_dscnn_kws/model.onnx" "$D/datasets/kws01_test_x.npy" \
    "$D/datasets/kws01_test_x.npy"

# ---- other processors ----
demo=examples/demo
"$BUILD/sinter" quantize $demo/fashion_lrn.onnx --calib $demo/calib_images.npy \
    --mul 0.0039216 -o "$tmp/lrn.sn" >"$tmp/log" 2>&1
for k in 0 1 2; do
    "$BUILD/sinter" compile "$tmp/lrn.sn" -o "$tmp/p" --input $demo/test_images.npy \
        --mul 0.0039216 --skip $k >"$tmp/log" 2>&1
    right gcc -std=c99 -O2
    say $? "sample $k of the demo"
done
for m in aarch64 riscv64; do
    command -v $m-linux-gnu-gcc >/dev/null && command -v qemu-$m >/dev/null || continue
    for f in "$tmp/lrn.sn" "$SHARED"/data/quantized/mlperf_*/model.onnx "$tmp"/*.sn; do
        [ -f "$f" ] || continue
        program "$f"
        # shellcheck disable=SC2086
        $m-linux-gnu-gcc -O2 $warn -static -o "$tmp/t" "$tmp"/p/*.c >"$tmp/log" 2>&1 &&
            qemu-$m "$tmp/t" >"$tmp/log" 2>&1
        say $? "$m $f"
    done
done
for m in m4 m55; do
    command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null || continue
    "$MAKE" -s -C examples/cortex-m lrn-$m SINTER="$PWD/$BUILD/sinter" OUT="$tmp/$m" >"$tmp/log" 2>&1
    say $? "Cortex-$m: $(tail -n 1 "$tmp/log")"
done
# Sums of products by DSP instructions and by vectors, which other machines have
# a twin of; and networks as they are.
. tests/tiles.sh
cpu_m4="-mcpu=cortex-m4 -mfpu=fpv4-sp-d16" qemu_m4=mps2-an386 size_m4=4M target_m4=armv7em
cpu_m55=-mcpu=cortex-m55 qemu_m55=mps3-an547 size_m55=512K target_m55=armv8.1m-mve
# board m4|m55 OPTION FILE.sn FLAGS...: the self-test on the emulated processor.
board() {
    m=$1 opt=$2 f=$3 b=examples/cortex-m
    shift 3
    eval "cpu=\$cpu_$m qemu=\$qemu_$m size=\$size_$m target=\$target_$m"
    program "$f" --target "$target" "$@" || return 1
    printf '%s\n' '#define main self_test' '#include "net_test.c"' '#undef main' \
        'int main(void);' 'int main(void) { char s[] = "t", *v[] = {s, NULL};' \
        'return self_test(1, v); }' >"$tmp/p/once.c"
    # shellcheck disable=SC2086
    arm-none-eabi-gcc $cpu -mthumb -mfloat-abi=hard $opt -nostartfiles --specs=rdimon.specs \
        -T $b/board.ld -Wl,--defsym,ROM_SIZE=$size,--defsym,RAM_SIZE=$size -o "$tmp/t" \
        $b/start.c "$tmp/p/once.c" "$tmp/p/net.c" "$tmp/p/net_weights.c" >"$tmp/log" 2>&1 &&
        timeout 300 qemu-system-arm -M $qemu -nographic -semihosting -kernel "$tmp/t" \
            >"$tmp/log" 2>&1
}
if command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null; then
    for policy in "" "rounding single"; do
        tiles "$policy" >"$tmp/tiles.sn"
        chain "$policy" >"$tmp/chain.sn"
        for m in m4 m55; do
            for opt in -O0 -O2 -O3 -Os; do
                for g in tiles chain; do
                    board $m $opt "$tmp/$g.sn"
                    say $? "Cortex-$m $g $policy $opt"
                done
            done
        done
    done
    # mps3-an547 has 512 KB of each memory: what takes more is skipped.
    for f in "$SHARED"/data/quantized/mlperf_*/model.onnx "$tmp"/*.sn; do
        [ -f "$f" ] || continue
        n=$(basename "$(dirname "$f")")
        [ "${f##*.}" = sn ] && n=$(basename "$f")
        for m in m4 m55; do
            board $m -O2 "$f" --io int8
            rc=$?
            if [ $rc != 0 ] && [ $m = m55 ] && grep -q 'will not fit\|overflowed' "$tmp/log"; then
                echo "ok compile Cortex-$m $n # SKIP it takes more than 512 KB"
                continue
            fi
            say $rc "Cortex-$m $n"
        done
    done
    # Estimated instructions against counted ones, with floats at the boundary.  15 %:
    # loops without a tile have one coefficient for each class of meaning.
    for f in "$SHARED"/data/quantized/mlperf_*_qdq/model.onnx; do
        [ -f "$f" ] || continue
        "$MAKE" -s -C examples/cortex-m m4 MODEL="$(realpath "$f")" SINTER="$PWD/$BUILD/sinter" \
            OUT="$tmp/m4" >"$tmp/log" 2>&1
        counted=$(sed -n 's/.*, \(.*\) M instructions.*/\1/p' "$tmp/log")
        about=$("$BUILD/sinter" compile "$f" --report --target armv7em |
            sed -n 's/^estimate.*: \(.*\) M instructions.*/\1/p')
        awk -v a="$about" -v b="$counted" 'BEGIN { exit !(b > 0 && a > b * .85 && a < b * 1.15) }'
        say $? "estimate of $(basename "$(dirname "$f")"): $about M, counted $counted M"
    done
fi
echo "| graphs | programs | refused | gcc c99 | gcc gnu99, native | clang, native | armv7em |"
cat "$tmp/table"
exit $bad
