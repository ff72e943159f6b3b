#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs of sinter compile for hosts, and on processors that qemu emulates,
# against the evaluators on real samples, bit for bit: all values of all
# outputs.  SINTER_SAMPLES=N samples of each model (default 200; 0: all).
BUILD=${BUILD:-build}
SHARED=${SHARED:-../shared}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
D=$SHARED/data
count=${SINTER_SAMPLES:-200}
some="-n $count"
[ "$count" = 0 ] && some=

# A compiler whose programs run under an emulator.
for m in aarch64 riscv64; do
    cat >"$tmp/cc-$m" <<END
#!/bin/sh
for a; do
    [ "\$last" = -o ] && out=\$a
    last=\$a
done
$m-linux-gnu-gcc -static "\$@" && mv "\$out" "\$out.$m" || exit 1
printf '#!/bin/sh\nexec qemu-$m -cpu %s "%s" "\$@"\n' "\$CPU" "\$out.$m" >"\$out"
chmod +x "\$out"
END
    chmod +x "$tmp/cc-$m"
done

# has TARGET: whether it can be run here, which sets cc and CPU.
has() {
    export CPU=
    case $1 in
    portable) cc=gcc ;;
    x86-avx2) cc=gcc && grep -q ' avx2 ' /proc/cpuinfo 2>/dev/null ;;
    x86-avx512vnni) cc=gcc && grep -q ' avx512_vnni ' /proc/cpuinfo 2>/dev/null ;;
    aarch64-dotprod | aarch64) arch=aarch64 CPU=max ;;
    rv64) arch=riscv64 CPU=rv64 ;;
    esac || return 1
    case $1 in
    aarch64* | rv64)
        cc=$tmp/cc-$arch
        command -v "$arch-linux-gnu-gcc" >/dev/null && command -v "qemu-$arch" >/dev/null
        ;;
    esac
}

# samples NAME MODEL FLAGS...
samples() {
    name=$1 model=$2
    shift 2
    # shellcheck disable=SC2086
    "$BUILD/sinter" run "$model" --backend interp $some "$@" --dump "$tmp/interp.npy" \
        >"$tmp/log" 2>&1 || {
        echo "not ok compile_hosts $name"
        head -n 3 "$tmp/log"
        bad=1
        return
    }
    for target in portable x86-avx2 x86-avx512vnni aarch64-dotprod rv64 aarch64; do
        if ! has $target; then
            echo "ok compile_hosts $name $target # SKIP no such processor or emulator"
            continue
        fi
        t=$target
        [ $t = aarch64 ] && t=portable
        # shellcheck disable=SC2086
        if CC=$cc "$BUILD/sinter" run "$model" --backend "c:$t" $some "$@" --dump "$tmp/c.npy" \
            >"$tmp/log" 2>&1 && cmp "$tmp/interp.npy" "$tmp/c.npy" >>"$tmp/log" 2>&1; then
            echo "ok compile_hosts $name $target"
        else
            echo "not ok compile_hosts $name $target"
            head -n 3 "$tmp/log"
            bad=1
        fi
        rm -f "$tmp/c.npy"
    done
}

# trained NAME MODEL CALIB TEST FLAGS...
trained() {
    n=$1 f=$2 c=$3 x=$4
    shift 4
    [ -f "$f" ] || return
    "$BUILD/sinter" quantize "$f" --calib "$c" -n 64 "$@" -o "$tmp/$n.sn" >"$tmp/log" 2>&1
    samples "$n" "$tmp/$n.sn" --input "$x" "$@"
}
trained lrn_demo examples/demo/fashion_lrn.onnx examples/demo/calib_images.npy \
    examples/demo/test_images.npy --mul 0.0039216
trained lenet_mnist "$D/trained/lenet_mnist/model.onnx" "$D/datasets/mnist_calib_x.npy" \
    "$D/datasets/mnist_test_x.npy" --mul 0.0039216
for m in alexnet_lrn_cifar10 inception_lrn_cifar10 mobilenetv2_cifar10; do
    trained $m "$D/trained/$m/model.onnx" "$D/datasets/cifar10_calib_x.npy" \
        "$D/datasets/cifar10_test_x.npy" --mul 0.0039216
done
trained resnet8 "$D/real/mlperf_resnet8/model.onnx" "$D/datasets/cifar10_calib_x.npy" \
    "$D/datasets/cifar10_test_x.npy"
trained kws "$D/real/mlperf_dscnn_kws/model.onnx" "$D/datasets/kws01_test_x.npy" \
    "$D/datasets/kws01_test_x.npy"
exit $bad
