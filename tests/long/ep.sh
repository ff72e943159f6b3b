#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The execution provider in ONNX Runtime: quantized models of SHARED/data, whole,
# on drawn inputs and samples at one and two threads; outputs are those of ONNX Runtime
# without optimizations, bit by bit, or within the distance given here.
# tests/ep/ep_fake.c, of make check, tests what ONNX Runtime does not do on request.
. "${0%/*}/../../tools/help.sh"
SHARED=${SHARED:-../shared} MAKE=${MAKE:-make} CC=${CC:-gcc}
suite=ep
. tests/sh_case.sh
if ! sh tools/oracle/install.sh "$BUILD/oracle" 2>"$tmp/log" || ! ort=$(sh tools/oracle/lib.sh "$BUILD/oracle"); then
    echo "skip ep: ONNX Runtime cannot be had"
    exit 0
fi
"$MAKE" -s --no-print-directory ep "$BUILD/tests/ep_host" "$BUILD/tests/ep_models" "$BUILD/tests/ep_differ" \
    "$BUILD/tests/ep_context" "$BUILD/tests/libep_slots.so" BUILD="$BUILD" CC="$CC" || exit 1
ep=$(cd "$BUILD" && pwd)/libsinter_ep.so
[ "$(nm -D --defined-only "$ep" | awk '{ print $3 }' | tr '\n' ' ')" = "CreateEpFactories ReleaseEpFactory " ]
say $? "shows its two functions"

"$BUILD/tests/ep_models" "$ort" "$ep" 2>"$tmp/log" || bad=1

# What the provider is shown of a graph is what the model's file holds: the slots
# of ort.h are ONNX Runtime's.
slots() { # ONNXRUNTIME WHAT LEAST
    for m in "$SHARED"/data/quantized/*/model.onnx examples/demo/fashion_lrn.onnx; do
        "$BUILD/tests/ep_host" -p "$1" "$(cd "$BUILD" && pwd)/tests/libep_slots.so" 1 1 "$m" >"$tmp/one" 2>&1
        # refused by a release that is too old, or without shapes
        grep '^slots: ' "$tmp/one" || grep -q ' fails: ' "$tmp/one" || echo "slots: no word about $m"
    done >"$tmp/slots"
    grep -v ' are the file.s$' "$tmp/slots" >"$tmp/log"
    n=$(grep -c ' are the file.s$' "$tmp/slots")
    [ ! -s "$tmp/log" ] && [ "$n" -ge "$3" ]
    say $? "$2 shows graphs as their files have them: $(awk '/^slots: / { n++; k += $2; a += $5; c += $7 } END {
        print n " models, " k " nodes, " a " attributes, " c " constants" }' "$tmp/slots")"
}
slots "$ort" "ONNX Runtime 1.30" 31

# The table of what has the same bits names operators that are imported.
sed -nE 's/^    \{"([^"]+)", .*/\1/p' src/ep/ep_same.c >"$tmp/ops"
while read -r op; do
    "$BUILD/sinter" ops "$op" >/dev/null 2>&1 || echo "$op"
done <"$tmp/ops" >"$tmp/unknown"
[ "$(wc -l <"$tmp/ops")" -ge 60 ] && ! [ -s "$tmp/unknown" ]
say $? "operators of ep_same.c are imported: $(wc -l <"$tmp/ops")$(tr '\n' ' ' <"$tmp/unknown")"

# Seeds 142, 917, 1510 and 3915 have pools whose shapes ONNX Runtime expects to be
# others than they are.
"$BUILD/tests/ep_differ" "$ort" "$ep" "${MODELS:-10000}" "${SEED:-1}" || bad=1

# Sums that reals hold exactly are sums of codes.
"$BUILD/tests/ep_differ" "$ort" "$ep" "${MODELS:-2000}" "${SEED:-1}" exact || bad=1
for op in Conv ConvTranspose Gemm MatMul; do
    "$BUILD/tests/ep_differ" -v "$ort" "$ep" 300 1 exact $op >"$tmp/one" || bad=1
    tail -n 1 "$tmp/one"
    awk -v op=$op '$3 == op { ok = $6 >= 50 } END { exit !ok }' "$tmp/one"
    say $? "some of them are claimed: $(awk -v op=$op '$3 == op { print op, $6, "of", $4 }' "$tmp/one")"
done

# Averages that count padding are ONNX Runtime's: it sums them in another order.
"$BUILD/tests/ep_differ" "$ort" "$ep" 400 1 float AveragePool || bad=1
# So are those of the whole image without pads: a seed that once differed.
"$BUILD/tests/ep_differ" "$ort" "$ep" 1 203673 || bad=1

# Under bits = same nothing differs: what is worth a call, and all that can be,
# with nodes left at random, and several sessions at once.
# Where a release is too old for the IR version of a model (three, of 13, for
# 1.23, which says so without the provider), the same model of version 11, and
# of opset 21 where it is of 25: its operators have not changed since.
older() { # MODEL
    [ "$(head -c 2 "$1" | od -An -tx1)" = ' 08 0d' ] || return 1
    rm -rf "$tmp/older" && mkdir "$tmp/older"
    {
        printf '\010\013'
        case $(tail -c 4 "$1" | od -An -tx1) in
        ' 42 02 10 19') tail -c +3 "$1" | head -c -1 && printf '\025' ;;
        *) tail -c +3 "$1" ;;
        esac
    } >"$tmp/older/model.onnx"
    cp -R "$(dirname "$1")"/test_data_set_* "$tmp/older"
}
same_bits() { # ONNXRUNTIME WHAT
    for t in 1 2; do
        for o in small=0 small=1; do
            for m in "$SHARED"/data/quantized/*/model.onnx; do
                name=$(basename "$(dirname "$m")")
                shape=
                [ "$name" != ort_qdq_minimal_model ] || shape=@1x3x20x28
                "$BUILD/tests/ep_host" -p -o $o -r 5 -s 3 "$1" "$ep" $t 5 "$m$shape" >"$tmp/one" 2>&1
                if grep -q 'fails: Load model from .*Unsupported model IR version' "$tmp/one" && older "$m"; then
                    "$BUILD/tests/ep_host" -p -o $o -r 5 -s 3 "$1" "$ep" $t 5 "$tmp/older/model.onnx" >"$tmp/one" 2>&1
                    name="$name, IR version 11"
                fi
                grep -q ' same$' "$tmp/one"
                say $? "$2, $o, $name, $t thread(s): $(sed 's/^[^ ]* //' "$tmp/one" | head -n 1)"
            done
        done
    done
}
same_bits "$ort" "same bits"
# The first release with this interface.
if sh tools/oracle/install.sh "$BUILD/oracle-1.23" 1.23.2 2>"$tmp/log" &&
    cp "$(sh tools/oracle/lib.sh "$BUILD/oracle-1.23")" "$tmp" &&
    "$CC" -shared -fPIC -o "$tmp/libonnxruntime_providers_shared.so" tests/ep/shared_host.c; then
    slots "$tmp/libonnxruntime.so.1" "ONNX Runtime 1.23.2" 28
    same_bits "$tmp/libonnxruntime.so.1" "same bits as 1.23.2"
else
    echo "skip ep: ONNX Runtime 1.23.2 cannot be had"
fi

# On ONNX Runtime's threads sinter starts none, and the bits are the same.
for m in mlperf_resnet8_qdq mlperf_mobilenetv1_vww_qdq mlperf_resnet8_qlinear; do
    for p in sinter:1 onnxruntime:0; do
        "$BUILD/tests/ep_host" -t -o bits=contract -o pool=${p%:*} "$ort" "$ep" 2 10 \
            "$SHARED/data/quantized/$m/model.onnx" >"$tmp/one" 2>&1
        grep -q " ${p#*:} threads more, same$" "$tmp/one"
        say $? "$m, pool = ${p%:*}: $(sed 's/^[^ ]* //' "$tmp/one" | tail -n 1)"
    done
done

# Contexts: compiled models, kept and loaded.
q=$SHARED/data/quantized
mkdir "$tmp/contexts"
"$BUILD/tests/ep_context" "$ort" "$ep" "$tmp/contexts" "$q/mlperf_resnet8_qdq/model.onnx" \
    "$q/mobilenet_v2_torch_qdq/model.onnx" "$q/mlperf_resnet8_qlinear/model.onnx" \
    "$q/ort_qdq_minimal_model/model.onnx@1x3x20x28" "$q/person_detect_qdq/model.onnx" || bad=1

# Scales that are powers of two: nearly all is claimed, and has the same bits.
if [ -f "$SHARED/data/demo/fashion_lrn.onnx" ]; then
    "$BUILD/sinter" quantize "$SHARED/data/demo/fashion_lrn.onnx" --calib "$SHARED/data/demo/calib_images.npy" \
        -n 64 --mul 0.0039216 --scheme power-of-two -o "$tmp/two.sn" >"$tmp/log" 2>&1 &&
        "$BUILD/sinter" export "$tmp/two.sn" --format=qdq -o "$tmp/two.onnx" >"$tmp/log" 2>&1
    "$BUILD/tests/ep_host" -p -r 5 -s 3 "$ort" "$ep" 2 20 "$tmp/two.onnx" >"$tmp/one" 2>&1
    grep -q ' 48 of 51 nodes in 4, .* same$' "$tmp/one"
    say $? "scales that are powers of two: $(sed 's/^[^ ]* //' "$tmp/one" | tail -n 1)"
fi

# The guide, in a folder with what it says there is, against an installed sinter.
page=$PWD/docs/howto/onnxruntime.md stand_in=$PWD/tests/python python=${PYTHON:-/usr/bin/python3}
if "$python" -c 'import numpy' 2>/dev/null; then
    "$MAKE" -s --no-print-directory install BUILD="$BUILD" CC="$CC" prefix="$tmp/prefix" >"$tmp/log" 2>&1
    mkdir "$tmp/guide"
    cp examples/demo/fashion_lrn.onnx "$tmp/guide/model.onnx"
    cp examples/demo/calib_images.npy "$tmp/guide/images.npy"
    sed -n 's/^    \(sinter .*\)/\1/p' "$page" >"$tmp/guide/commands"
    {
        awk '/^```python/ { on = 1; next } /^```/ { on = 0 } on' "$page" | sed "s|/usr/local|$tmp/prefix|"
        echo 'print(compiled.run(None, {"image": images[:1, None]})[0].argmax())'
    } >"$tmp/guide/page.py"
    lib=$(cd "$(dirname "$ort")" && pwd)/${ort##*/}
    (cd "$tmp/guide" && PATH=$tmp/prefix/bin:$PATH sh -eu commands) >"$tmp/log" 2>&1 &&
        (cd "$tmp/guide" && ORT_LIBRARY=$lib PYTHONPATH=$stand_in "$python" page.py) >"$tmp/one" 2>"$tmp/log"
    [ $? = 0 ] && [ "$(tr '\n' ' ' <"$tmp/one")" = "0 2 6 5 2 2 2 9 0 " ] && [ -f "$tmp/guide/model.json" ]
    say $? "docs/howto/onnxruntime.md: $(tail -n 1 "$tmp/log")"
else
    echo "skip ep: the guide wants Debian's python3-numpy"
fi

# A float model quantized inside, as sinter does by itself with that profile; in
# parts, where values between them have ranges of their own.
demo=$SHARED/data/demo
if [ -f "$demo/fashion_lrn.onnx" ]; then
    "$BUILD/sinter" profile "$demo/fashion_lrn.onnx" --calib "$demo/calib_images.npy" -n 64 --mul 0.0039216 \
        -o "$tmp/p.json" >"$tmp/log" 2>&1
    for t in 1 2; do
        "$BUILD/tests/ep_host" -o bits=contract -o quantize="$tmp/p.json" "$ort" "$ep" $t 20 \
            "$demo/fashion_lrn.onnx" >"$tmp/one" 2>&1 && grep -q ' 16 of 16 nodes in 1, same$' "$tmp/one"
        say $? "quantizes inside, $t thread(s): $(sed 's/^[^ ]* //' "$tmp/one" | tail -n 1)"
    done
    "$BUILD/tests/ep_host" -p -o bits=contract -o quantize="$tmp/p.json" -o leave=MaxPool "$ort" "$ep" 1 20 \
        "$demo/fashion_lrn.onnx" >"$tmp/one" 2>&1
    # a step of its results is 0.11
    awk '/ 14 of 16 nodes in 3, differs by/ { ok = $(NF - 4) <= 0.3 } END { exit !ok }' "$tmp/one"
    say $? "quantizes parts inside: $(sed 's/^[^ ]* //' "$tmp/one" | tail -n 1)"
    "$BUILD/tests/ep_host" -o bits=contract -o quantize=/none "$ort" "$ep" 1 1 "$demo/fashion_lrn.onnx" \
        >"$tmp/one" 2>&1
    grep -q 'option quantize is not the path of a file' "$tmp/one"
    say $? "says that there is no profile"
fi

# within DIFFERENCE SHARE: what a model may differ by where ONNX Runtime computes
# in float what sinter has as codes, and in which part of the elements.
within() {
    awk -v d="$1" -v share="$2" '/ same$/ { ok = 1 }
        match($0, /differs by [^ ]+ in [0-9]+ of [0-9]+$/) {
            split(substr($0, RSTART), w, " ")
            ok = w[3] <= d && w[5] <= share * w[7] }
        END { exit !ok }' "$tmp/one"
}
for t in 1 2; do
    for m in "$SHARED"/data/quantized/*/model.onnx; do
        name=$(basename "$(dirname "$m")")
        shape=
        case $name in
        ort_qdq_minimal_model) shape=@1x3x20x28 ;; # of dimensions that are free
        esac
        "$BUILD/tests/ep_host" -o bits=contract "$ort" "$ep" $t 10 "$m$shape" >"$tmp/one" 2>&1
        case $name in
        mobilenet_v2_torch_qdq) within 1 0.5 ;; # a step of its output is 0.09
        ort_qdq_minimal_model | ort_constant_folding_dequantizelinear) within 1e-5 1 ;; # float
        ort_qdq_with_multi_consumer_q_dq_axis) within 1 1 ;; # a step
        micro_kws_m_qdq | person_detect_qdq | ort_conv_int4_weights_qdq) within 0.1 0.2 ;; # a step
        *) grep -q ' same$' "$tmp/one" ;;
        esac
        say $? "$name, $t thread(s): $(sed 's/^[^ ]* //' "$tmp/one" | tail -n 1)"
    done
done
exit $bad
