#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Times programs of sinter compile against the CPU backend with the same
# instructions, in turn (compiled.c), and prints a table of ratios: less than 1
# is a program that is faster.  Outputs are compared.
#
#   compiled.sh BUILD SHARED [ROUNDS]
#
# Models: the demo's network, those under SHARED/data/quantized/mlperf_*_qdq, and
# trained ones, quantized.  Programs are compiled by CC (default gcc) -O2 without
# flags of a processor; portable ones run beside SINTER_CPU=portable.
set -u
build=${1:-build} shared=${2:-../shared} rounds=${3:-21}
sinter=$build/sinter out=$build/bench/programs
mkdir -p "$out"
bad=0

# pair NAME GRAPH.sn TARGET CPU
pair() {
    dir=$out/$1.$3
    rm -rf "$dir"
    "$sinter" compile "$2" -o "$dir" --io int8 --target "$3" >"$out/log" 2>&1 || return 1
    cat >"$dir/shim.c" <<'END'
#include "net.h"
int bench_run(const void *in, void *out);
int
bench_run(const void *in, void *out)
{
    static _Alignas(64) unsigned char arena[NET_ARENA + 1];

    return net_run(arena, in, out);
}
END
    rm "$dir/net_test.c"
    ${CC:-gcc} -O2 -ffp-contract=off -fPIC -shared -o "$dir/net.so" "$dir"/*.c >"$out/log" 2>&1 &&
        SINTER_CPU=$4 "$build/bench/compiled" "$2" "$dir/net.so" "$rounds" >"$dir/json" 2>"$out/log"
}

row() { # NAME GRAPH.sn
    printf '| %s |' "$1"
    for p in portable:portable x86-avx2:avx2 x86-avx512vnni:vnni; do
        if [ "${p#*:}" != portable ] && ! grep -q "$(flag "${p#*:}")" /proc/cpuinfo; then
            printf ' - |'
        elif pair "$1" "$2" "${p%:*}" "${p#*:}"; then
            sed -E 's/.*"backend_us": ([0-9.]+), "program_us": ([0-9.]+), "ratio": ([0-9.]+).*/ \3 (\2 us) |/' \
                "$dir/json" | tr -d '\n'
        else
            printf ' failed: %s |' "$(head -n 1 "$out/log")"
            bad=1
        fi
    done
    echo
}
flag() {
    [ "$1" = vnni ] && echo ' avx512_vnni ' || echo ' avx2 '
}

echo "| network | portable | x86-avx2 | x86-avx512vnni |"
echo "|---|---|---|---|"
"$sinter" quantize examples/demo/fashion_lrn.onnx --calib examples/demo/calib_images.npy \
    --mul 0.0039216 -o "$out/lrn.sn" >"$out/log" 2>&1 && row "LRN of the demo" "$out/lrn.sn"
for m in "$shared"/data/quantized/mlperf_*_qdq/model.onnx; do
    [ -f "$m" ] || continue
    name=$(basename "$(dirname "$m")" _qdq)
    "$sinter" opt "$m" -o "$out/$name.sn" >"$out/log" 2>&1 && row "${name#mlperf_}" "$out/$name.sn"
done
for m in mobilenetv2_cifar10 alexnet_lrn_cifar10 inception_lrn_cifar10; do
    f=$shared/data/trained/$m/model.onnx
    [ -f "$f" ] || continue
    "$sinter" quantize "$f" --calib "$shared/data/datasets/cifar10_calib_x.npy" -n 64 \
        --mul 0.0039216 -o "$out/$m.sn" >"$out/log" 2>&1 && row "$m" "$out/$m.sn"
done
exit $bad
