#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One table of output hashes, tests/hashes.txt: models and random graphs of codes
# give these bits by every instruction set, by evaluators, on each architecture
# and compiled by any compiler.  RUN is a prefix of each program (an emulator);
# --bless prints the table that this build makes.
BUILD=${BUILD:-build} RUN=${RUN:-}
table=tests/hashes.txt
demo=examples/demo px='--mul 0.00392156863 --layout nchw'
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0

# sinter ARGS...
sinter() { $RUN "$BUILD/sinter" "$@"; }
hash_of() { sha256sum | cut -c1-16; }

# dumps BACKEND FILE...: the outputs of graphs that random_graphs wrote, in order.
dumps() {
    backend=$1
    shift
    for f in "$@"; do
        # shellcheck disable=SC2046
        (cd "$tmp/r" && $RUN "$run_sinter" run "$(basename "$f")" $(cat "${f%.sn}.args") \
            --backend "$backend" --threads 2 --dump "$tmp/d.npy") >"$tmp/log" 2>&1
        case $? in
        0) cat "$tmp/d.npy" ;;
        3) echo "an error" ;; # an index out of range, everywhere
        *) echo "$f: $(head -n 1 "$tmp/log")" >&2 && return 1 ;;
        esac
        rm -f "$tmp/d.npy"
    done
}
case $BUILD in /*) run_sinter=$BUILD/sinter ;; *) run_sinter=$PWD/$BUILD/sinter ;; esac

mkdir "$tmp/r"
# Graphs of codes have every third seed.
for s in $(seq 3 3 "${SINTER_RANDOM:-150}"); do
    $RUN "$BUILD/tests/random_graphs" "$tmp/r" "$s" 1 || exit 1
done
# shellcheck disable=SC2086
sinter quantize $demo/fashion_lrn.onnx --calib $demo/calib_images.npy -n 8 $px \
    --backend cpu -o "$tmp/int8.sn" >"$tmp/log" 2>&1 || bad=1
# shellcheck disable=SC2086
sinter quantize $demo/fashion_lrn.onnx --calib $demo/calib_images.npy -n 8 $px --backend cpu \
    --per-tensor --channelwise --schema symmetric -o "$tmp/sym.sn" >"$tmp/log" 2>&1 || bad=1

# lines BACKEND: the table, by the instruction set that SINTER_CPU asks for.
lines() {
    echo "quantized $(cat "$tmp/int8.sn" "$tmp"/int8.*.snw | hash_of)"
    for m in int8:"$tmp/int8.sn" sym:"$tmp/sym.sn" float:$demo/fashion_lrn.onnx; do
        # shellcheck disable=SC2086
        sinter run "${m#*:}" --input $demo/test_images.npy -n 6 $px --backend "$1" \
            --dump "$tmp/m.npy" >"$tmp/log" 2>&1 || head -n 1 "$tmp/log" >&2
        echo "${m%%:*} $(hash_of <"$tmp/m.npy")"
        rm -f "$tmp/m.npy"
    done
    for d in 1 2 3 4 5 6 7 8 9; do
        set -- "$1" "$tmp"/r/$d*.sn
        backend=$1
        shift
        echo "graphs_$d* $(dumps "$backend" "$@" | hash_of)"
        set -- "$backend"
    done
}

if [ "${1-}" = --bless ]; then
    lines cpu
    exit $bad
fi
for cpu in portable avx2 avxvnni vnni neon evaluators; do
    backend=cpu
    [ $cpu != evaluators ] || backend=interp
    if [ $cpu = evaluators ]; then unset SINTER_CPU; else export SINTER_CPU=$cpu; fi
    lines $backend >"$tmp/got" 2>"$tmp/err"
    if grep -v '^#' $table | cmp -s - "$tmp/got"; then
        echo "ok hashes $cpu: $(wc -l <"$tmp/got") lines"
    else
        echo "not ok hashes $cpu"
        grep -v '^#' $table | diff - "$tmp/got" | head -n 6
        head -n 3 "$tmp/err"
        bad=1
    fi
done
exit $bad
