# SPDX-License-Identifier: Apache-2.0
# Sourced by tests that join examples/maps/own_maps.def, in the tree and out of
# it: what follows from the declarations.  $tmp is a directory of the test's.

# own_graph NAME TYPE SHAPE OP TYPE SHAPE: a graph of one node that reads r.
own_graph() {
    printf 'sinter-graph 1\ngraph "g" {\n%s\n  %%y = %s : %s\n' "$1" "$2" "$3"
    printf '  Save(%%y) {name = "out"}\n}\n'
}

# own_folds NAME SHAPE DATA NODE RESULT: on constants, RESULT follows.
own_folds() {
    own_graph "  %x = Constant() {data = [$3]} : $2" "$4" "$5" >"$tmp/own.sn"
    "${own_sinter:?}" opt --passes=fold "$tmp/own.sn" >"$tmp/out" 2>"$tmp/log"
    cat "$tmp/out" >>"$tmp/log"
    own_says "$1" "Constant() {data = [$6]}" "$tmp/out"
}

# own_says NAME TEXT FILE
own_says() {
    if grep -qF -- "$2" "$3"; then
        echo "ok ${suite:?} $1"
    else
        echo "not ok $suite $1: nothing says '$2'"
        head -n 12 "$tmp/log"
        bad=1
    fi
}

# own_refused NAME SHAPE NODE TYPE TEXT: the verifier says why.
own_refused() {
    own_graph "  %x = Placeholder() : $2" "$3" "$4" >"$tmp/own.sn"
    "$own_sinter" opt "$tmp/own.sn" >"$tmp/out" 2>"$tmp/log"
    own_says "$1" "$5" "$tmp/log"
}

# own_fires NAME RULE NODE TYPE: of a Rescale, with every fire checked.
own_fires() {
    own_graph '  %x = Placeholder() : qi8<0.1, 3>[1,4,4,2]
  %r = Rescale(%x) : qi8<0.2, -1>[1,4,4,2]' "$3" "$4" >"$tmp/own.sn"
    "$own_sinter" opt "$tmp/own.sn" --passes=quant_cleanup --trace \
        --check-passes >"$tmp/out" 2>"$tmp/log"
    own_says "$1" "$2" "$tmp/log"
    own_says "$1: checked" "checked 1 of 1 fires" "$tmp/log"
}

# own_sinks NAME AXIS TEXT: what is left of a Transpose above Chances.
own_sinks() {
    own_graph '  %x = Placeholder() : f32[2,3,4]
  %t = Transpose(%x) {perm = [1, 0, 2]} : f32[3,2,4]' "Chances(%t) {axis = $2}" \
        'f32[3,2,4]' >"$tmp/own.sn"
    "$own_sinter" opt "$tmp/own.sn" --passes=simplify --check-passes >"$tmp/out" 2>"$tmp/log"
    cat "$tmp/out" >>"$tmp/log"
    own_says "$1" "$3" "$tmp/out"
}

# own_program NAME FILE.sn: as a program in C it has the evaluators' bits, whatever
# it is for.
own_program() {
    for target in portable armv7em armv8.1m-mve; do
        rm -rf "$tmp/program"
        if "$own_sinter" compile "$2" -o "$tmp/program" --target $target >"$tmp/log" 2>&1 &&
            "${CC:-gcc}" -std=c99 -O1 -Wall -Wextra -Wconversion -Werror \
                -o "$tmp/program/t" "$tmp"/program/*.c >"$tmp/log" 2>&1; then
            "$tmp/program/t" >"$tmp/log" 2>&1
        fi
        own_says "$1: a program in C, $target" right "$tmp/log"
    done
}

# own_compiles NAME NODE TYPE
own_compiles() {
    own_graph '  %x = Placeholder() : qi8<0.1, 3>[1,4,4,2]' "$2" "$3" >"$tmp/own.sn"
    own_program "$1" "$tmp/own.sn"
}

own_maps() {
    own_compiles Roll 'Roll(%x) {shift = [0, 1, -1, 5]}' 'qi8<0.1, 3>[1,4,4,2]'
    own_compiles Unfold 'Unfold(%x) {kernel = [2, 2], pads = [1, 0, 0, 1]}' \
        'qi8<0.1, 3>[1,4,4,8]'
    own_compiles RingMean 'RingMean(%x) {size = 2}' 'qi8<0.3, 0>[1,4,4,2]'
    own_folds 'Roll by the formula' 'f32[2,3]' '0, 1, 2, 3, 4, 5' \
        'Roll(%x) {shift = [1, -1]}' 'f32[2,3]' '4, 5, 3, 1, 2, 0'
    own_folds 'Roll of codes' 'qi8<0.5, 3>[4]' '1, 2, 3, 4' \
        'Roll(%x) {shift = [-9]}' 'qi8<0.5, 3>[4]' '2, 3, 4, 1'
    own_folds 'Unfold fills' 'f32[1,2,2,1]' '1, 2, 3, 4' \
        'Unfold(%x) {kernel = [2, 2], pads = [1, 1, 0, 0]}' 'f32[1,2,2,4]' \
        '0, 0, 0, 1, 0, 0, 1, 2, 0, 1, 0, 3, 1, 2, 3, 4'
    own_folds 'Unfold fills with the zero point' 'qi8<1, 7>[1,1,1,2]' '1, 2' \
        'Unfold(%x) {kernel = [1, 1], pads = [0, 1, 0, 0]}' 'qi8<1, 7>[1,1,2,2]' \
        '7, 7, 1, 2'
    own_folds 'RingMean by the formula' 'f32[4]' '1, 2, 3, 6' \
        'RingMean(%x) {size = 2}' 'f32[4]' '1.5, 2.5, 4.5, 3.5'
    own_folds 'RingMean requantizes' 'qi8<0.5, 0>[4]' '1, 2, 3, 7' \
        'RingMean(%x) {size = 2}' 'qi8<0.25, 1>[4]' '4, 6, 11, 9'

    own_refused 'a list of another length' 'f32[2,3]' 'Roll(%x) {shift = [1]}' \
        'f32[2,3]' "'shift'"
    own_refused 'a window that does not fit' 'f32[1,2,2,1]' \
        'Unfold(%x) {kernel = [3, 1]}' 'f32[1,1,2,3]' \
        'a window of 3 does not fit into 2'
    own_refused 'more places than there are' 'f32[1,4]' \
        'RingMean(%x) {size = 5}' 'f32[1,4]' '5 places of 4'
    own_refused 'another shape' 'f32[1,4]' \
        'RingMean(%x) {size = 2}' 'f32[1,5]' 'the shape is [1,4]'

    own_fires 'sink below Roll' 'quant_cleanup.sink at y (Roll)' \
        'Roll(%r) {shift = [0, 1, -1, 5]}' 'qi8<0.2, -1>[1,4,4,2]'
    own_fires 'sink below Unfold' 'quant_cleanup.sink at y (Unfold)' \
        'Unfold(%r) {kernel = [2, 2]}' 'qi8<0.2, -1>[1,3,3,8]'
    own_sinks 'a Transpose sinks below Chances' 2 'Chances(%x) {axis = 2} : f32[2,3,4]'
    own_sinks 'no Transpose sinks that would move the axis to the first' 1 \
        'Chances(%t) : f32[3,2,4]'
    own_fires 'absorb into RingMean' 'quant_cleanup.absorb at y (RingMean)' \
        'RingMean(%r) {size = 2}' 'qi8<0.3, 0>[1,4,4,2]'
    own_graph '  %x = Placeholder() : qi8<0.1, 3>[1,4]
  %m = RingMean(%x) {size = 2} : qi8<0.2, 0>[1,4]' 'Rescale(%m)' \
        'qi8<0.15, 0>[1,4]' >"$tmp/own.sn"
    "$own_sinter" opt "$tmp/own.sn" --passes=quant_cleanup --trace \
        --check-passes >"$tmp/out" 2>"$tmp/log"
    own_says 'merge into RingMean' 'quant_cleanup.merge at y (Rescale)' "$tmp/log"

    # Over a map with two operands: the bias takes the scale that x has then.
    w='  %w = Constant() {data = [1, -2, 3, 4, 5, -6, 7, 8]} : qi8<0.5, 0>[1,2,2,2]'
    own_patch() { # NAME 'SCALE OF THE BIAS' LINE NODE TYPE FIRE
        own_graph "  %x = Placeholder() : qi8<0.1, 3>[1,3,3,2]
$w
  %b = Constant() {data = [8]} : qi32<$2
$3" "$4" "$5" >"$tmp/own.sn"
        "$own_sinter" opt "$tmp/own.sn" --passes=quant_cleanup --trace \
            --check-passes >"$tmp/out" 2>"$tmp/log"
        own_says "$1 PatchDot" "quant_cleanup.$6" "$tmp/log"
        own_says "$1 PatchDot: checked" "checked 1 of 1 fires" "$tmp/log"
        own_says "$1 PatchDot: no Rescale is left" "PatchDot(%x, %w, %b) : $5" "$tmp/out"
    }
    own_patch 'absorb into' '0.1, 0>[1]' '  %r = Rescale(%x) : qi8<0.2, -1>[1,3,3,2]' \
        'PatchDot(%r, %w, %b)' 'qi8<2, 0>[1,2,2,1]' 'absorb at y (PatchDot)'
    own_says 'absorb into PatchDot: its bias' '%b = Constant() {data = [16]} : qi32<0.05, 0>[1]' \
        "$tmp/out"
    own_patch 'merge into' '0.05, 0>[1]' '  %p = PatchDot(%x, %w, %b) : qi8<1, 0>[1,2,2,1]' \
        'Rescale(%p)' 'qi8<0.5, 5>[1,2,2,1]' 'merge at y (Rescale)'
    own_graph "  %x = Constant() {data = [1, 2, 3, 4]} : f32[1,2,2,1]
  %w = Constant() {data = [1, 10, 100, -1]} : f32[2,1,2,1]" 'PatchDot(%x, %w)' \
        'f32[1,2,1,2]' >"$tmp/own.sn"
    "$own_sinter" opt --passes=fold "$tmp/own.sn" >"$tmp/out" 2>"$tmp/log"
    own_says 'PatchDot by the formula' 'data = [21, 98, 43, 296]' "$tmp/out"
    own_graph "  %x = Placeholder() : qi8<0.1, 3>[1,3,3,2]
$w" 'PatchDot(%x, %w)' 'qi8<2, 0>[1,2,2,1]' >"$tmp/own.sn"
    own_program PatchDot "$tmp/own.sn"
    own_graph "  %x = Placeholder() : qi8<0.1, 3>[1,3,3,1]
$w" 'PatchDot(%x, %w)' 'qi8<2, 0>[1,2,2,1]' >"$tmp/own.sn"
    "$own_sinter" opt "$tmp/own.sn" >"$tmp/out" 2>"$tmp/log"
    own_says 'filters over other channels' '1 channels do not fit filters over 2' "$tmp/log"

    "$BUILD/tests/mkonnx" "$tmp/own.onnx" 13 1x2x6x5:1x8x5x4 \
        Roll@com.example:shifts=0/1/-2/7 RingMean@com.example:size=2 \
        Unfold@com.example:kernel=2/2
    "$own_sinter" opt "$tmp/own.onnx" --passes=layout_motion >"$tmp/out" 2>"$tmp/log"
    cat "$tmp/out" >>"$tmp/log"
    own_says 'ONNX: Roll' 'Roll(%x) {shift = [0,1,-2,7]} : f32[1,2,6,5]' "$tmp/out"
    own_says 'ONNX: RingMean' 'RingMean(%y0) {size = 2} : f32[1,2,6,5]' "$tmp/out"
    own_says 'ONNX: Unfold' '{kernel = [2,2]} : f32[1,5,4,8]' "$tmp/out"
    "$BUILD/tests/mkonnx" "$tmp/codes.onnx" 13 1x4i8 +QRingMean@com.example:size=2 \
        +QRingMean@com.example:size=3
    "$own_sinter" opt "$tmp/codes.onnx" >"$tmp/out" 2>"$tmp/log"
    cat "$tmp/out" >>"$tmp/log"
    own_says 'on codes: RingMean' 'RingMean(%x) {size = 2} : qi8<0.5, 0>[1,4]' "$tmp/out"
    own_says 'on codes: another' 'RingMean(%y0) {size = 3} : qi8<0.5, 0>[1,4]' "$tmp/out"
    # Written as the operator on reals, between conversions.
    cp "$tmp/out" "$tmp/before"
    "$own_sinter" export "$tmp/codes.onnx" --format qdq -o "$tmp/e.onnx" >"$tmp/log" 2>&1
    "$own_sinter" opt "$tmp/e.onnx" --passes=integerize,quant_cleanup >"$tmp/out" 2>>"$tmp/log"
    cat "$tmp/out" >>"$tmp/log"
    own_says 'on codes: exported' "$(cat "$tmp/before")" "$tmp/out"
    "$BUILD/tests/mkonnx" "$tmp/term.onnx" 13 1x4:1x4 \
        RingEdge@com.example:gain=0.5 RingNorm@com.example RingEdge@com.example:size=3
    "$own_sinter" opt "$tmp/term.onnx" >"$tmp/out" 2>"$tmp/log"
    cat "$tmp/out" >>"$tmp/log"
    own_says 'a term: its default' 'RingMean(%x) {size = 2} : f32[1,4]' "$tmp/out"
    own_says 'a term: its number' '{data = [0.5]}' "$tmp/out"
    own_says 'a term: a list' '{axes = [0,-1]}' "$tmp/out"
    own_says 'a term: an attribute' '{size = 3} : f32[1,4]' "$tmp/out"
    # It is exported node by node, and reads back as it was.
    cp "$tmp/out" "$tmp/before"
    "$own_sinter" export "$tmp/term.onnx" --format qdq -o "$tmp/e.onnx" >"$tmp/log" 2>&1
    "$own_sinter" opt "$tmp/e.onnx" >"$tmp/out" 2>>"$tmp/log"
    cat "$tmp/out" >>"$tmp/log"
    own_says 'a term: exported' "$(cat "$tmp/before")" "$tmp/out"
    for n in RingMean Sub Mul Abs ReduceMax Div; do
        own_says "a term: its $n is exported" "$n" "$tmp/e.onnx"
    done
    if ! grep -qaE 'RingEdge|RingNorm' "$tmp/e.onnx"; then
        echo "ok $suite a term: exported node by node"
    else
        echo "not ok $suite a term: exported node by node"
        bad=1
    fi
    "$own_sinter" ops RingNorm >"$tmp/out" 2>"$tmp/log"
    own_says 'ops: the first term' 'com.example:RingNorm                   1-     Div' "$tmp/out"
    own_says 'ops: the second, with its type' 'Sub                    int8  f32' "$tmp/out"
    "$BUILD/tests/mkonnx" "$tmp/term.onnx" 13 1x4:1x4 RingNorm@com.example:mode=3
    "$own_sinter" opt "$tmp/term.onnx" >"$tmp/out" 2>"$tmp/log"
    own_says 'a term: none holds' 'these operands, attributes and element types' "$tmp/log"
    own_says 'a term: those that would' '(x) {mode = 2} for f32' "$tmp/log"

    "$BUILD/tests/mkdata" "$tmp/own.npy" 16 2x6x5
    "$own_sinter" quantize "$tmp/own.onnx" --calib "$tmp/own.npy" \
        --check-passes -o "$tmp/own.sn" >"$tmp/log" 2>&1
    own_says 'quantized: Roll' ' = Roll(' "$tmp/own.sn"
    own_says 'quantized: Unfold, in int8' ' : qi8<' "$tmp/own.sn"
}
