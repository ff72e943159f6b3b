#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `sinter report` and `quantize --report`: the JSON follows its schema and
# agrees with the other verbs, the page holds the same and loads nothing from
# the network.
suite=report
. tests/sh_case.sh
sh tools/deps.sh nodejs python3-jsonschema || exit 1
python=/usr/bin/python3
say() { # RESULT NAME
    if [ "$1" = 0 ]; then echo "ok report $2"; else echo "not ok report $2"; bad=1; fi
}

node tests/report/layout_test.js src/report/page/layout.js || bad=1
cat src/report/page/layout.js src/report/page/draw.js src/report/page/charts.js \
    src/report/page/report.js >"$tmp/all.js"
node --check "$tmp/all.js"
say $? "the script is one of JavaScript"

# ---- quantize --report ----
data="--calib $demo/calib_images.npy --mul 0.0039215686 -n 64
    --eval $demo/test_images.npy --labels $demo/test_labels.npy --eval-n 50"
for k in 1 2; do
    # shellcheck disable=SC2086
    t "quantize $k" 0 out 'top-1: float' quantize $demo/fashion_lrn.onnx $data \
        -o "$tmp/q.sn" --report "$tmp/q$k.html" --untimed
done
cmp "$tmp/q1.html" "$tmp/q2.html"
say $? "without times the page is the same each time"
cp "$tmp/out" "$tmp/text"
# shellcheck disable=SC2086
t timed 0 out '' quantize $demo/fashion_lrn.onnx $data -o "$tmp/q.sn" \
    --report "$tmp/timed.html"
t json 0 out '"version":1' report $demo/fashion_lrn.onnx "$tmp/q.sn" --untimed --json \
    --input $demo/test_images.npy --mul 0.0039215686 -n 50 --labels $demo/test_labels.npy
cp "$tmp/out" "$tmp/r.json"
t json_timed 0 out '"median_ms"' report $demo/fashion_lrn.onnx "$tmp/q.sn" --json \
    --input $demo/test_images.npy --mul 0.0039215686 -n 50 --runs 2
cp "$tmp/out" "$tmp/rt.json"
t compare 0 out '"worst_output_db"' compare $demo/fashion_lrn.onnx "$tmp/q.sn" --json \
    --input $demo/test_images.npy --mul 0.0039215686 -n 50
cp "$tmp/out" "$tmp/compare.json"
t page 0 out '' report $demo/fashion_lrn.onnx "$tmp/q.sn" --untimed -o "$tmp/r.html" \
    --input $demo/test_images.npy --mul 0.0039215686 -n 50 --labels $demo/test_labels.npy

# ---- a Rescale that is left, names as hostile as they may be ----
cat >"$tmp/f.sn" <<'END'
sinter-graph 1
graph "a</script><b>&amp;" {
  %x = Placeholder() : f32[1,4,4,1]
  %"r</script>" = Relu(%x) : f32[1,4,4,1]
  %p, %i = MaxPool(%"r</script>") {kernel = [2,2], stride = [2,2]} : (f32[1,2,2,1], i64[1,2,2,1])
  Save(%p) {name = "y"}
  Save(%i) {name = "i"}
}
END
cat >"$tmp/i.sn" <<'END'
sinter-graph 1
graph "a</script><b>&amp;" {
  %x = Placeholder() : qi8<0.04, 0>[1,4,4,1]
  %"r</script>" = Rescale(%x) : qi8<0.02, 0>[1,4,4,1]
  %p, %i = MaxPool(%"r</script>") {kernel = [2,2], stride = [2,2]} : (qi8<0.02, 0>[1,2,2,1], i64[1,2,2,1])
  %y = Dequantize(%p) : f32[1,2,2,1]
  Save(%y) {name = "y"}
  Save(%i) {name = "i"}
}
END
$python - "$tmp" <<'END'
import struct, sys
v = [(k * 7 % 16 - 4) / 4 for k in range(16)]
head = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4, 4, 1), }"
head += " " * (117 - len(head)) + "\n"
open(sys.argv[1] + "/x.npy", "wb").write(
    b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<16f", *v))
END
t hostile_json 0 out 'reasons' report "$tmp/f.sn" "$tmp/i.sn" --untimed --json --input "$tmp/x.npy"
cp "$tmp/out" "$tmp/hostile.json"
t hostile_page 0 out '' report "$tmp/f.sn" "$tmp/i.sn" --untimed --input "$tmp/x.npy" \
    -o "$tmp/hostile.html"

$python tests/report/check.py "$tmp" docs/report.schema.json || bad=1

# ---- what is refused ----
m="$demo/fashion_lrn.onnx $tmp/q.sn --input $demo/test_images.npy"
# shellcheck disable=SC2086
{
    t no_output 2 err 'expected the .html file to write, or --json' report $m
    t both 2 err 'cannot be combined with --json' report $m -o "$tmp/a.html" --json
    t suffix 2 err 'does not end in .html' report $m -o "$tmp/a.txt"
    t no_directory 5 err 'no directory' report $m -o "$tmp/none/a.html"
    t one_model 2 err 'expected two models' report "$tmp/q.sn" -o "$tmp/a.html"
    t no_data 2 err 'is missing: expected a .npy' report $demo/fashion_lrn.onnx "$tmp/q.sn" --json
    t untimed 2 err 'requires --report FILE' quantize $demo/fashion_lrn.onnx $data \
        -o "$tmp/q.sn" --untimed
    t profile_alone 2 err 'requires --eval FILE or --calib FILE' quantize \
        $demo/fashion_lrn.onnx --load-profile "$tmp/p.json" -o "$tmp/q.sn" --report "$tmp/a.html"
    t to_stdout 2 err 'expected a file' quantize $demo/fashion_lrn.onnx $data \
        -o "$tmp/q.sn" --report -
}
[ ! -e "$tmp/a.html" ]
say $? "nothing is written where something is refused"
exit $bad
