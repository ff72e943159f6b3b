#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Exports the demo network and the trained models, quantized here, as QDQ and as
# QOperator models; has the ONNX checker read them, ONNX Runtime run them and
# sinter import them again.  Prints a table.
#   BUILD, SHARED as in the Makefile; IMAGES labelled images (default 2000)
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build} SHARED=${SHARED:-../shared} n=${IMAGES:-2000}
sinter=$BUILD/sinter
out=$BUILD/long/export
ort=$BUILD/oracle
data=$SHARED/data
mkdir -p "$out"
bad=0

command -v node >/dev/null && command -v npm >/dev/null || sh tools/deps.sh nodejs npm
sh tools/deps.sh python3-onnx
sh tools/oracle/install.sh "$ort" || { echo "not ok export: no ONNX Runtime"; exit 1; }

ok() { echo "ok export $*"; }
fail() { echo "not ok export $*"; bad=1; }

# step FILE.sn: the scale of the codes behind the last Dequantize.
step() {
    v=$(sed -n 's/.*= Dequantize(\(.*\)) :.*/\1/p' "$1" | tail -n 1)
    awk -v v="  $v = " 'index($0, v) == 1 { sub(/.*qi8</, ""); sub(/,.*/, ""); print }' "$1"
}

checked() {
    /usr/bin/python3 -c 'import sys, onnx
onnx.checker.check_model(onnx.load(sys.argv[1]), full_check=True)' "$1" >"$out/checker" 2>&1
}

# strays FILE: Transposes in a model that has no business with any.
strays() {
    /usr/bin/python3 -c 'import sys, onnx
print(sum(n.op_type == "Transpose" for n in onnx.load(sys.argv[1]).graph.node))' "$1"
}

# islands FILE: float operators of a QOperator model, by name.
islands() {
    /usr/bin/python3 -c 'import sys, onnx
g = onnx.load(sys.argv[1]).graph
f = {o for n in g.node if n.op_type == "DequantizeLinear" for o in n.output}
f |= {i.name for i in g.input}
print("+".join(sorted({n.op_type for n in g.node if n.input[0] in f and n.op_type != "QuantizeLinear"})) or "-")' "$1"
}

# back WHAT FILE: sinter imports the file as the same integers.
back() {
    "$sinter" opt "$2" -o "$q.back.sn" 2>"$q.log" &&
        "$sinter" run "$q.back.sn" --input "$input" -n "$n" --mul="$mul" \
            --add="$add" --layout nchw --backend cpu --dump "$q.back.npy" \
            >>"$q.log" 2>&1 && cmp -s "$q.npy" "$q.back.npy" &&
        ok "$1" || fail "$1: $(tail -n 1 "$q.log")"
}

# model NAME MODEL CALIB INPUT LABELS MUL ADD
model() {
    name=$1 m=$2 calib=$3 input=$4 labels=$5 mul=$6 add=$7
    px="--mul=$mul --add=$add --layout nchw"
    q=$out/$name
    # shellcheck disable=SC2086
    if ! "$sinter" quantize "$m" --calib "$calib" -n 256 $px \
        -o "$q.sn" >"$q.log" 2>&1 ||
        ! "$sinter" run "$q.sn" --input "$input" -n "$n" $px --backend cpu \
            --dump "$q.npy" >>"$q.log" 2>&1; then
        fail "$name: $(tail -n 1 "$q.log")"
        return
    fi
    s=$(step "$q.sn")
    for form in qdq qoperator; do
        f=$q.$form.onnx
        if ! "$sinter" export "$q.sn" --format=$form -o "$f" 2>"$q.log"; then
            fail "$name $form: $(tail -n 1 "$q.log")"
            continue
        fi
        "$sinter" export "$q.sn" --format=$form -o "$q.again.onnx" &&
            cmp -s "$f" "$q.again.onnx" || fail "$name $form: other bytes again"
        checked "$f" && ok "$name $form checker" ||
            fail "$name $form checker: $(tail -n 1 "$out/checker")"
        [ "$(strays "$f")" = 0 ] && ok "$name $form no Transpose" ||
            fail "$name $form: $(strays "$f") Transposes"
        isl=-
        [ $form = qdq ] || isl=$(islands "$f")
        for level in disabled all; do
            if ! node tools/oracle/run.js "$ort" $level "$f" "$q.$form.npy" \
                --n "$n" --mul "$mul" --add "$add" "$input" 2>"$q.log"; then
                fail "$name $form $level: $(tail -n 1 "$q.log")"
                continue
            fi
            cp "$q.$form.npy" "$q.$form.$level.npy"
            # shellcheck disable=SC2046
            set -- $(node tools/oracle/compare.js "$q.npy" "$q.$form.npy" "$s" "$labels")
            row=$(printf '| %-20s %-9s %-8s %7s %7s %5s %5s %12s  %s' "$name" \
                $form $level "$1" "$2" "$3" "$4" "$5" "$isl")
            rows="$rows$row
"
            [ $level = disabled ] || continue
            if [ $form = qoperator ] && [ "$isl" = - ]; then
                [ "$3" = 0 ] && [ "$4" = 0 ]
            else
                awk "BEGIN { d = $1 - $2; exit !(d * d <= 0.00100001 ^ 2) }"
            fi && ok "$name $form top-1" || fail "$name $form: $row"
        done
    done
    for form in qdq qoperator; do
        back "$name $form back" "$q.$form.onnx"
        # One form made of the other, without the model it came from.
        other=qdq
        [ $form = qoperator ] || other=qoperator
        if "$sinter" export "$q.$form.onnx" --format=$other -o "$q.made.onnx" 2>"$q.log" &&
            checked "$q.made.onnx"; then
            back "$name $form to $other" "$q.made.onnx"
            peer=$(node tools/oracle/run.js "$ort" disabled "$q.made.onnx" "$q.made.npy" \
                --n "$n" --mul "$mul" --add "$add" "$input" 2>&1) &&
                cmp -s "$q.made.npy" "$q.$other.disabled.npy" &&
                ok "$name $form to $other in ONNX Runtime" ||
                fail "$name $form to $other in ONNX Runtime: other outputs $peer"
        else
            fail "$name $form to $other: $(tail -n 1 "$q.log")"
        fi
    done
}

rows=
demo=examples/demo
model demo $demo/fashion_lrn.onnx $demo/calib_images.npy \
    $demo/test_images.npy $demo/test_labels.npy 0.00392156863 0
if [ -d "$data/trained" ]; then
    while IFS="$(printf '\t')" read -r m set layout _ mul add _; do
        case $m in trained/*) ;; *) continue ;; esac
        model "$(basename "$m")" "$data/$m/model.onnx" \
            "$data/datasets/${set%_test}_calib_x.npy" \
            "$data/datasets/${set}_x.npy" "$data/datasets/${set}_y.npy" \
            "$mul" "$add"
    done <"$data/models.tsv"
else
    echo "skip export trained models: none under $data"
fi
printf '| %-20s %-9s %-8s %7s %7s %5s %5s %12s  %s\n%s' model form level ours ORT \
    moved steps differ 'float operators' "$rows"
exit $bad
