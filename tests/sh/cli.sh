#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command line as a black box: exit codes, messages, and where output goes.
suite=cli
. tests/sh_case.sh

# same NAME A B: the files are equal.
same() {
    if cmp -s "$2" "$3"; then
        echo "ok cli $1"
    else
        echo "not ok cli $1: $2 and $3 differ"
        bad=1
    fi
}

cat >"$tmp/add.sn" <<'END'
sinter-graph 1
graph "add" {
  %x = Placeholder() : f32[1,4]
  %k = Constant() {data = [1, 2, 3, 4]} : f32[1,4]
  %y = Add(%x, %k) : f32[1,4]
  Save(%y) {name = "out"}
}
END
cat >"$tmp/arg.sn" <<'END'
sinter-graph 1
graph "arg" {
  %x = Placeholder() : qi8<0.04, 0>[1,4,4,1]
  %r = Rescale(%x) : qi8<0.02, 0>[1,4,4,1]
  %p, %i = MaxPool(%r) {kernel = [2,2], stride = [2,2]} : (qi8<0.02, 0>[1,2,2,1], i64[1,2,2,1])
  Save(%p) {name = "p"}
  Save(%i) {name = "i"}
}
END

# ---- usage ----
# %y of add.sn by nodes of other names.
for kind in ReLU AveragePool Flatten LSTM XPUMaxSplat NPUConv; do
    sed "s/Add(/$kind(/" "$tmp/add.sn" >"$tmp/$kind.sn"
done
t kind_case 3 err "help: did you mean Relu?" inspect "$tmp/ReLU.sn"
t kind_onnx 3 err "help: did you mean AvgPool, which imports ONNX's AveragePool?" \
    inspect "$tmp/AveragePool.sn"
t kind_term 3 err "help: did you mean Reshape, which imports ONNX's Flatten?" \
    inspect "$tmp/Flatten.sn"
t kind_hook 3 err "help: did you mean FullyConnected, which imports ONNX's LSTM?" \
    inspect "$tmp/LSTM.sn"
fine kind_core_no_plugin [ "$(grep -c backend-plugin "$tmp/err")" -eq 0 ]
t kind_backend 3 err "help: did you mean CPUMaxSplat?" inspect "$tmp/XPUMaxSplat.sn"
fine kind_backend_plugin grep -q "load the plugin: --backend-plugin FILE" "$tmp/err"
t kind_plugin 3 err "if a plugin declares it, load the plugin: --backend-plugin FILE" \
    inspect "$tmp/NPUConv.sn"
fine kind_plugin_far [ "$(grep -c "did you mean" "$tmp/err")" -eq 0 ]
t no_verb 2 err "Usage: sinter VERB"
cpu=${SINTER_CPU-}
export SINTER_CPU=vnni512
t cpu_unknown 2 err "SINTER_CPU: no instruction set is named 'vnni512' (there are: portable, avx2, " ops
SINTER_CPU=portable
t cpu_known 0 out "" ops
t ops_term 0 out "i32, i64, 8-bit integers as i32" ops Mod
t ops_json 0 out '{"op": "Relu", "since": 6, "until": null, "node": "Relu", "quantized": true, "restriction": null}' \
    ops Relu --json
t ops_unknown 4 err "Softmx: no such operator is supported; did you mean 'Softmax'?" ops Softmx
t ops_far 4 err "xyzzyqq: no such operator is supported" ops xyzzyqq
SINTER_CPU=$cpu
t help 0 out "Usage: sinter VERB" --help
t verb_help 0 out "--load-profile" quantize --help
t help_of_verb 0 out "--load-profile" help quantize
t help_of_none 2 err "did you mean 'quantize'?" help quantise
t version 0 out "sinter " --version
t unknown_verb 2 err "did you mean 'quantize'?" quantise
t unknown_verb_far 2 err "see 'sinter --help'" xyzzy
t unknown_option 2 err "did you mean '--verify'?" opt --verfy
t option_of_other_verb 2 err "'sinter draw' has no such option" draw --labels x m
t missing_value 2 err "requires FILE" draw m.sn -o
t flag_with_value 2 err "takes no value" opt --verify=1
t bad_number 2 err "'-3' is not a number" run m.sn -n -3
t count_too_large 2 err "--runs: '4294967297' is too large: expected at most 2147483647" bench m.sn --runs 4294967297
t opset_too_large 2 err "--opset: '4294967313' is too large" export m.sn --opset 4294967313
t bad_count 2 err "'0' is not a number of one or more" run m.sn --threads 0
t letter_option 2 err "-q: 'sinter run' has no such option; see 'sinter run --help'" run m.sn -q
t bad_list 2 err "not a list of numbers" run "$tmp/add.sn" --input x --mul 1,,2
t no_model 2 err "MODEL: is missing" inspect
t too_many 2 err "one argument too many" inspect a.sn b.sn
t bad_backend 2 err "no backend is named 'gpu'" opt "$tmp/add.sn" --backend gpu
fine bad_backend_plugin grep -q "load the plugin: --backend-plugin FILE" "$tmp/err"
t bad_pass 2 err "quant_cleanup" opt "$tmp/add.sn" --passes quant_clenup
t bad_schema 2 err "did you mean 'symmetric'?" quantize "$tmp/add.sn" --schema symetric --calib a -o "$tmp/o.sn"
t bad_layout 2 err "neither nhwc nor nchw" run "$tmp/add.sn" --input x.npy --layout chwn
t calib_and_profile 2 err "cannot be combined with --calib" quantize "$tmp/add.sn" --calib a --load-profile b -o "$tmp/o.sn"
t no_calib 2 err "requires --calib FILE or --load-profile FILE" quantize "$tmp/add.sn" -o "$tmp/o.sn"
t no_output 2 err "-o: is missing" quantize "$tmp/add.sn" --calib a
t two_pipelines 2 err "excludes --passes" opt "$tmp/add.sn" --passes a --pipeline b
t export_no_format 2 err "--format: is missing" export "$tmp/add.sn" -o "$tmp/o.onnx"
t export_format 2 err "did you mean 'qdq'?" export "$tmp/add.sn" --format qqd -o "$tmp/o.onnx"
t export_codes 2 err "'int4'; expected int8 or uint8" export "$tmp/add.sn" --format qdq --codes int4 -o "$tmp/o.onnx"
t export_opset 2 err "--opset: 12 cannot be written: expected 13 to 25" export "$tmp/add.sn" --format qdq --opset 12 -o "$tmp/o.onnx"
t export_no_output 2 err "-o: is missing" export "$tmp/add.sn" --format qdq
t quantize_no_onnx 2 err "--format: applies to ONNX models; '$tmp/o.sn' does not end in .onnx" quantize "$tmp/add.sn" --calib a --format qdq -o "$tmp/o.sn"
t dump_directory 5 err "--dump: '$tmp/nowhere/o.npy': no directory" run "$tmp/add.sn" --input a --dump "$tmp/nowhere/o.npy"
t no_profile 3 err "add.sn: line 1: is not a profile: expected JSON: " quantize "$tmp/add.sn" --load-profile "$tmp/add.sn" -o "$tmp/o.sn"
t quantize_format 2 err "there are qdq, qoperator and qdq-twin" quantize "$tmp/add.sn" --calib a --format tflite -o "$tmp/o.onnx"
t draw_suffix 2 err "must end in .dot, .svg" draw "$tmp/add.sn" -o "$tmp/x.jpeg"

# ---- input ----
t missing_file 3 err "nowhere.sn" inspect "$tmp/nowhere.sn"
t missing_onnx 3 err "nowhere.onnx" inspect "$tmp/nowhere.onnx"
echo 'not a graph' >"$tmp/bad.sn"
t bad_text 3 err "bad.sn:1:1" inspect "$tmp/bad.sn"
echo 'not a model' >"$tmp/bad.onnx"
t bad_onnx 3 err "bad.onnx" inspect "$tmp/bad.onnx"
echo '{}' >"$tmp/p.json"
t bad_profile 3 err '"format" must be a string' quantize "$tmp/add.sn" --load-profile "$tmp/p.json" -o "$tmp/o.sn"
t bad_npy 3 err "bad.sn" run "$tmp/add.sn" --input "$tmp/bad.sn"
t no_such_value 2 err "no value has this name" why "$tmp/arg.sn" --node nope

# ---- unsupported, output ----
t export_argmax 4 err "node 'p' (MaxPool): its result 'idx' has no form" export "$tmp/arg.sn" --format qdq -o "$tmp/o.onnx"
t export_directory 5 err "nowhere" export "$tmp/add.sn" --format qdq -o "$tmp/nowhere/o.onnx"
t bad_directory 5 err "nowhere" opt "$tmp/add.sn" -o "$tmp/nowhere/o.sn"
if [ -w /dev/full ]; then
    "$sinter" --help >/dev/full 2>"$tmp/err"
    [ $? -eq 5 ] && echo "ok cli full_disk" || { echo "not ok cli full_disk"; bad=1; }
    # What a check found has its code, and the message that nobody could read it.
    "$sinter" diff "$tmp/add.sn" "$tmp/arg.sn" >/dev/full 2>"$tmp/err"
    [ $? -eq 1 ] && grep -q "standard output: cannot write: No space left" "$tmp/err" &&
        echo "ok cli full_disk_diff" || { echo "not ok cli full_disk_diff"; bad=1; }
fi

# ---- bytes from files ----
printf '\010\007\022\004test' >"$tmp/model"
t onnx_by_name 3 err "must end in .onnx" inspect "$tmp/model"
cat >"$tmp/escape.sn" <<'END'
sinter-graph 1
graph "a\x1b[31mb" {
  %x = Placeholder() : f32[4]
  %"y\nz\x07" = Relu(%x) : f32[4]
  Save(%"y\nz\x07") {name = "out\x1b]0;t"}
}
END
t escaped_name 0 out 'y\nz\x07' inspect "$tmp/escape.sn"
t escaped_graph 0 out 'graph a\x1b[31mb:' inspect "$tmp/escape.sn"
t escaped_output 0 out 'out\x1b]0;t' inspect "$tmp/escape.sn"

# ---- results ----
{
    printf '\223NUMPY\001\000\166\000'
    printf '%-117s\n' "{'descr': '<f2', 'fortran_order': False, 'shape': (1, 4), }"
    printf '\000\074\000\100\000\070\000\300' # 1, 2, 0.5, -2
} >"$tmp/half.npy"
t run_float16 0 out "2 4 3.5 2" run "$tmp/add.sn" --input "$tmp/half.npy"
t inspect 0 out "output" inspect "$tmp/add.sn"
t inspect_json 0 out '"kind":"Add"' inspect "$tmp/add.sn" --json
t inspect_attributes 0 out "{kernel = [2,2], stride = [2,2]}" inspect "$tmp/arg.sn"
t opt_prints 0 out "sinter-graph 1" opt "$tmp/add.sn"
"$sinter" opt - <"$tmp/add.sn" >"$tmp/a.sn" 2>/dev/null
"$sinter" opt "$tmp/a.sn" >"$tmp/b.sn" 2>/dev/null
same opt_stdin "$tmp/a.sn" "$tmp/b.sn"
t why 0 out "result idx is used" why "$tmp/arg.sn"
t why_node 0 out "result idx is used" why "$tmp/arg.sn" --node p
t why_json 0 out '"reasons"' why "$tmp/arg.sn" --json
cat >"$tmp/island.sn" <<'END'
sinter-graph 1
graph "island" {
  %x = Placeholder() : qi8<0.1, 0>[4]
  %d = Dequantize(%x) : f32[4]
  %e = Floor(%d) : f32[4]
  %q = Quantize(%e) : qi8<0.1, 0>[4]
  Save(%q) {name = "y"}
}
END
cat >"$tmp/pair.sn" <<'END'
sinter-graph 1
graph "pair" {
  %x = Placeholder() : qi8<0.1, 0>[4]
  %d = Dequantize(%x) : f32[4]
  %q = Quantize(%d) : qi8<0.2, 0>[4]
  Save(%q) {name = "y"}
}
END
t why_island 0 out "e (Floor) is float, after d (Dequantize), before q (Quantize)" why "$tmp/island.sn"
t why_island_reason 0 out "Floor has no int8 form" why "$tmp/island.sn"
t why_island_json 0 out '"stays_float": [' why "$tmp/island.sn" --json
t inspect_island 0 out "  e (Floor) stays float: Floor has no int8 form" inspect "$tmp/island.sn"
t inspect_island_count 0 out "1 node between quantized values stays float" inspect "$tmp/island.sn"
t inspect_island_json 0 out '{"node": "e (Floor)", "reason": "Floor has no int8 form"}' inspect "$tmp/island.sn" --json
t inspect_no_island 0 out "0 nodes between quantized values stay float" inspect "$tmp/arg.sn"
t opt_stats_island 0 err "  e (Floor) stays float: Floor has no int8 form" opt "$tmp/island.sn" --stats
t opt_json 2 err "requires --stats" opt "$tmp/island.sn" --json
t opt_stats_json 0 out '{"node": "e (Floor)", "reason": "Floor has no int8 form"}' opt "$tmp/island.sn" --stats --json -o "$tmp/island.o.sn"
t opt_stats_json_fires 0 err '{"rule": "quant_cleanup.requantize", "count": 1}' opt "$tmp/pair.sn" --stats --json
t opt_require 1 err "e (Floor): stays float: Floor has no int8 form" opt "$tmp/island.sn" --require-int8 -o "$tmp/island.r.sn"
if [ -e "$tmp/island.r.sn" ]; then
    echo "not ok cli opt_require_writes_nothing: the graph was written"
    bad=1
else
    echo "ok cli opt_require_writes_nothing"
fi
t opt_require_int8 0 err "" opt "$tmp/pair.sn" --require-int8 -o "$tmp/pair.o.sn"
t opt_require_float 1 err "has no quantized value" opt "$tmp/add.sn" --require-int8
t why_none 0 out "No Rescale is left." why "$tmp/add.sn"
t draw 0 out "digraph" draw "$tmp/add.sn"
sed 's/Add(%x, %k)/Add(%x, %x)/' "$tmp/add.sn" >"$tmp/both.sn"
t draw_both 0 out '\ny: f32  1x4"];' draw "$tmp/both.sn"
fine draw_two_edges [ "$(grep -c 'n1 -> n.;' "$tmp/out")" = 2 ]
t draw_file 0 err "" draw "$tmp/add.sn" -o "$tmp/a.dot"
if command -v dot >/dev/null; then
    t draw_svg 0 err "" draw "$tmp/add.sn" -o "$tmp/a.svg"
    grep -q '<svg' "$tmp/a.svg" && echo "ok cli draw_is_svg" || { echo "not ok cli draw_is_svg"; bad=1; }
else
    echo "skip cli draw_svg"
fi
real=$(cd "$(dirname "$sinter")" && pwd)/$(basename "$sinter")
(PATH=$tmp "$real" draw "$tmp/add.sn" -o "$tmp/n.svg" 2>"$tmp/err")
rc=$?
if [ $rc -eq 4 ] && grep -q "Graphviz is not installed" "$tmp/err"; then
    echo "ok cli draw_without_dot"
else
    echo "not ok cli draw_without_dot: exit code $rc"
    bad=1
fi

# ---- the demo network: profile, quantize, run, twice the same ----
px="--mul 0.00392156863"
m=$demo/fashion_lrn.onnx
t profile 0 err "" profile $m --calib $demo/calib_images.npy -n 16 $px -o "$tmp/p1.json"
t profile_jobs 0 err "" profile $m $demo/calib_images.npy -n 16 $px -j 1 -o "$tmp/p2.json"
same profile_threads "$tmp/p1.json" "$tmp/p2.json"
t quantize 0 out " 0 left" quantize $m --load-profile "$tmp/p1.json" --channelwise -o "$tmp/q.sn" --verify
mkdir "$tmp/again"
t quantize_calib 0 out "rescales:" quantize $m --calib $demo/calib_images.npy -n 16 $px --channelwise -o "$tmp/again/q.sn" --dump-profile "$tmp/p3.json"
same dump_profile "$tmp/p1.json" "$tmp/p3.json"
same quantize_again "$tmp/q.sn" "$tmp/again/q.sn"
same quantize_again_data "$(side "$tmp/q.sn")" "$(side "$tmp/again/q.sn")"
t quantize_onnx 0 out "rescales:" quantize $m --load-profile "$tmp/p1.json" --channelwise -o "$tmp/q.onnx"
t export 0 err "" export "$tmp/q.sn" --format qdq -o "$tmp/again/q.onnx"
same export_again "$tmp/q.onnx" "$tmp/again/q.onnx"
t export_float 0 err "is quantized: the model is written with float operators" export "$tmp/add.sn" --format qdq -o "$tmp/f.onnx"
t export_uint8 0 err "" export "$tmp/q.sn" --format qdq --codes uint8 -o "$tmp/u.onnx"
t export_uint8_int8 0 out "" opt "$tmp/q.onnx" -o "$tmp/u8.sn"
t export_uint8_again 0 out "" opt "$tmp/u.onnx" -o "$tmp/again/u8.sn"
same export_uint8_means_the_same "$tmp/u8.sn" "$tmp/again/u8.sn"
t export_qoperator 0 err "" export "$tmp/q.onnx" --format qoperator -o "$tmp/qop.onnx"
t export_imports 0 out "ChannelwiseConv2D" opt "$tmp/q.onnx"
t bench 0 out "thread, " bench "$tmp/q.sn" --runs 3
t bench_ceilings 0 out "at these ceilings a run would take" bench "$tmp/q.sn" --runs 3 --per-node
if awk '/ roof  node/ { on = 1 } on && ($7 + 0 > 100 || $8 + 0 > 100) { bad = 1 }
    END { exit !bad || !on }' "$tmp/out"; then
    echo "not ok cli bench_shares: a share above 100 %"
    bad=1
else
    echo "ok cli bench_shares"
fi
t bench_nodes 0 out "sn_cpu_contract_q8" bench "$tmp/q.sn" --runs 3 --per-node --threads 2 -o "$tmp/roof.svg"
for want in '</svg>' 'ms a run, 2 threads' '<tspan fill="#c33">1</tspan>' '>int8 '; do
    if grep -qF -- "$want" "$tmp/roof.svg"; then
        echo "ok cli roofline_says $want"
    else
        echo "not ok cli roofline_says $want"
        bad=1
    fi
done
t bench_float 0 out "sn_cpu_contract_f32" bench $m --runs 3 --per-node
t bench_json 0 out '"peak_read":' bench "$tmp/q.sn" --runs 3 --json --per-node
t bench_threads 2 err "expected at most 64" bench "$tmp/q.sn" --threads 65
t bench_fallback 0 out "nodes without a kernel: 1 of 2: p (MaxPool)" bench "$tmp/arg.sn" --runs 3
cat >"$tmp/int.sn" <<'END'
sinter-graph 1
graph "int" {
  %x = Placeholder() : i32[5,3]
  %w = Constant() {data = [1, -2, 3, -4, 5, -6]} : i32[3,2]
  %y = IntegerMatMul(%x, %w) : i32[5,2]
  Save(%y) {name = "y"}
}
END
t bench_integers 0 out "(100 % int8)" bench "$tmp/int.sn" --runs 3
t bench_no_picture 2 err "-o: '$tmp/o.png' does not end in .svg" bench "$tmp/q.sn" --runs 3 -o "$tmp/o.png"
t bench_missing 3 err "nothing.sn" bench "$tmp/nothing.sn"
t bench_directory 5 err "nowhere" bench "$tmp/q.sn" --runs 3 -o "$tmp/nowhere/o.svg"
t pack_cache 0 out "thread, " bench "$tmp/q.sn" --runs 3 --pack-cache
pack=$(ls "$tmp"/q.snw.pack-*)
cp "$pack" "$tmp/pack"
t pack_first 0 out "top-1 0." run "$tmp/q.sn" --backend cpu --input $demo/test_images.npy --labels $demo/test_labels.npy -n 50 $px --dump "$tmp/p1.npy"
t pack_again 0 out "top-1 0." run "$tmp/q.sn" --backend cpu --pack-cache --input $demo/test_images.npy --labels $demo/test_labels.npy -n 50 $px --dump "$tmp/p2.npy"
same pack_same "$tmp/p1.npy" "$tmp/p2.npy"
same pack_kept "$tmp/pack" "$pack"
echo damage >>"$pack"
t pack_damaged 0 out "top-1 0." run "$tmp/q.sn" --backend cpu --pack-cache --input $demo/test_images.npy --labels $demo/test_labels.npy -n 50 $px --dump "$tmp/p2.npy"
same pack_damaged_same "$tmp/p1.npy" "$tmp/p2.npy"
same pack_repaired "$tmp/pack" "$pack"
rm "$pack"
mkdir "$pack"
t pack_directory 5 err "pack-" bench "$tmp/q.sn" --runs 3 --pack-cache
rmdir "$pack"
t pack_onnx 2 err "requires a .sn model, beside which it writes" bench $m --pack-cache
t pack_interp_bench 2 err "interp has none" bench "$tmp/q.sn" --backend interp --pack-cache --runs 2
t pack_interp 2 err "interp has none" run "$tmp/q.sn" --backend interp --pack-cache --input $demo/test_images.npy
t pack_check 2 err "cannot be combined with --check-kernels" run "$tmp/q.sn" --backend cpu --check-kernels --pack-cache --input $demo/test_images.npy
# Measured picks change no result.
t tune 0 out "cost rules lose" bench "$tmp/q.sn" --tune
tuned=$(ls "$tmp"/q.sn.tune-*-1)
data="--input $demo/test_images.npy --labels $demo/test_labels.npy -n 50 $px"
t tuned 0 out "top-1 0." run "$tmp/q.sn" --tuned "$tuned" $data --dump "$tmp/p2.npy"
same tuned_same "$tmp/p1.npy" "$tmp/p2.npy"
t tuned_packed 0 out "top-1 0." run "$tmp/q.sn" --tuned "$tuned" --pack-cache $data --dump "$tmp/p2.npy"
same tuned_packed_same "$tmp/p1.npy" "$tmp/p2.npy"
t tuned_bench 0 out "thread, " bench "$tmp/q.sn" --runs 3 --tuned "$tuned"
t tuned_threads 3 err "was measured with --threads 1, and this run has 2" run "$tmp/q.sn" --tuned "$tuned" --threads 2 $data
t tune_threads 0 out '"loss_percent": ' bench "$tmp/q.sn" --tune --threads 2 --json
t tuned_threads_2 0 out "top-1 0." run "$tmp/q.sn" --tuned "${tuned%1}2" --threads 2 $data --dump "$tmp/p2.npy"
same tuned_threads_same "$tmp/p1.npy" "$tmp/p2.npy"
sed '1s/ [^ ]* 1$/ other 1/' "$tuned" >"$tmp/cpu"
t tuned_other_cpu 3 err "was measured with the instructions 'other'" bench "$tmp/q.sn" --runs 3 --tuned "$tmp/cpu"
t tuned_missing 3 err "nothing" bench "$tmp/q.sn" --runs 3 --tuned "$tmp/nothing"
t tuned_no_tuning 3 err "1:1: error: is not a file of measured picks" bench "$tmp/q.sn" --runs 3 --tuned "$tmp/add.sn"
awk 'NR != 3 { if ($1 == "end") $2--; print }' "$tuned" >"$tmp/fewer"
t tuned_other_model 3 err "was measured for another model: it lacks layer" run "$tmp/q.sn" --tuned "$tmp/fewer" $data
sed 's/: [0-9]*/: 0/' "$tuned" >"$tmp/zero"
t tuned_bad_pick 3 err "3:1: error: the layer cannot be computed in this way" run "$tmp/q.sn" --tuned "$tmp/zero" $data
sed '1s/1 [0-9a-f]*/1 0123456789abcdef/' "$tuned" >"$tmp/old"
t tuned_stale 3 err "was measured with other kernels" run "$tmp/q.sn" --tuned "$tmp/old" $data
t tuned_interp 2 err "interp has none" run "$tmp/q.sn" --backend interp --tuned "$tuned" $data
t tune_interp 2 err "interp has none" bench "$tmp/q.sn" --backend interp --tune
t tuned_check 2 err "cannot be combined with --check-kernels" run "$tmp/q.sn" --check-kernels --tuned "$tuned" --input $demo/test_images.npy
t tune_tuned 2 err "cannot be combined with --tuned" bench "$tmp/q.sn" --tune --tuned "$tuned"
t tune_runs 2 err "cannot be combined with --runs" bench "$tmp/q.sn" --tune --runs 3
t tune_stdin 2 err "requires a model that is a file, beside which it writes" bench - --tune
rm "$tuned"
mkdir "$tuned"
t tune_directory 5 err "tune-" bench "$tmp/q.sn" --tune
rmdir "$tuned"
cp $m "$tmp/m.onnx"
t tune_float 0 out " f32, " bench "$tmp/m.onnx" --tune
t tuned_float 0 out "thread, " bench "$tmp/m.onnx" --runs 3 --tuned "$(ls "$tmp"/m.onnx.tune-*)"
t quantize_json 0 out '"rescales"' quantize $m --load-profile "$tmp/p1.json" --json -o "$tmp/j.sn"
t other_profile 3 err "was made from another model" quantize "$tmp/add.sn" --load-profile "$tmp/p1.json" -o "$tmp/o.sn"
# A defect of sinter ends in abort(): here one reading a pipe is told to.
mkfifo "$tmp/pipe.sn"
"$sinter" opt "$tmp/pipe.sn" >/dev/null 2>&1 &
defect=$!
exec 3>"$tmp/pipe.sn"
kill -ABRT $defect
wait $defect
rc=$?
exec 3>&-
[ $rc -eq 70 ] && echo "ok cli defect" || { echo "not ok cli defect: exit code $rc, expected 70"; bad=1; }
t run_top1 0 out "top-1 0." run "$tmp/q.sn" --input $demo/test_images.npy --labels $demo/test_labels.npy -n 50 $px
t run_top1_cpu 0 out "top-1 0." run "$tmp/q.sn" --backend cpu --input $demo/test_images.npy --labels $demo/test_labels.npy -n 50 $px
t bisect 0 out "every output keeps 20 dB" bisect $m --input $demo/test_images.npy -n 4 $px
t bisect_json 0 out '{"last": {"rewrites": ' bisect $m --input $demo/test_images.npy -n 4 $px --json
# A float Conv2D between Quantize and Dequantize becomes one of codes within a step.
"$sinter" quantize $m --calib $demo/calib_images.npy -n 8 $px -o "$tmp/qdq.onnx" >/dev/null
t bisect_guilty 1 out "is responsible: integerize.integerize at " \
    bisect "$tmp/qdq.onnx" --input $demo/test_images.npy -n 500 $px --threshold inf
t bisect_names 1 err "(Conv2D) changes the outputs" \
    bisect "$tmp/qdq.onnx" --input $demo/test_images.npy -n 500 $px --threshold inf
t bisect_no_data 2 err "--input: is missing" bisect $m
t bisect_threshold 2 err "'x' is not a number of dB" bisect $m --input $demo/test_images.npy --threshold x
t bisect_passes 2 err "excludes --passes" bisect $m --input $demo/test_images.npy --passes fold --pipeline optimize
t run_compare 0 out "SQNR" run "$tmp/q.sn" --input $demo/test_images.npy --compare $m -n 20 $px
t run_n_attached 0 out "argmax 7 of 7" run "$tmp/q.sn" --input $demo/test_images.npy --compare "$tmp/q.sn" -n7 $px
t check_kernels 0 out "2 samples" run "$tmp/q.sn" --input $demo/test_images.npy -n 2 $px --backend cpu --check-kernels
t check_kernels_equal 0 out " 0 nodes differ" run "$tmp/q.sn" --input $demo/test_images.npy -n 2 $px --backend cpu --check-kernels
cat >"$tmp/nan.sn" <<'END'
sinter-graph 1
graph "nan" {
  %x = Placeholder() : f32[1,4,4,1]
  %z = Constant() {splat = 0} : f32[1]
  %d = Div(%x, %z) : f32[1,4,4,1]
  %y = Softmax(%d) {axis = 2} : f32[1,4,4,1]
  %s = Softmax(%d) {axis = 3} : f32[1,4,4,1]
  Save(%y) {name = "y"}
  Save(%s) {name = "s"}
}
END
"$BUILD/tests/mkdata" "$tmp/nan.npy" 1 4x4x1
t check_kernels_nan 0 out " 0 nodes differ" run "$tmp/nan.sn" --input "$tmp/nan.npy" --backend cpu --check-kernels
t check_kernels_json 0 out '"differ": 0, "most": 0}' run "$tmp/q.sn" --input $demo/test_images.npy -n 1 $px --backend cpu --check-kernels --json
for o in "--labels $demo/test_labels.npy" "--classes $tmp/none" "--compare $tmp/q.sn" "--dump $tmp/d.npy"; do
    # shellcheck disable=SC2086 # words
    t check_kernels_${o%% *} 2 err "${o%% *}: cannot be combined with --check-kernels" run "$tmp/q.sn" --input $demo/test_images.npy -n 2 --backend cpu --check-kernels $o
done
t check_kernels_alone 2 err "requires --backend NAME" run "$tmp/q.sn" --input $demo/test_images.npy --check-kernels
t elide 0 out "data = elided" opt $m --elide
"$sinter" opt $m --elide >"$tmp/elided.sn" 2>/dev/null
t elided_is_not_read 3 err "the values were omitted" inspect "$tmp/elided.sn"
t check_passes 0 err "checked 2 of 2 fires" opt tests/pass/lrn_maxpool_conv_strict.sn --passes=quant_cleanup --check-passes
t check_passes_real 0 err "checked 2 of 2 fires" opt tests/pass/conv_add_rescaled.sn --passes=quant_cleanup --check-passes
t check_passes_nothing 0 err "checked 0 of 1 fires" opt tests/pass/roundtrip_lossy.sn --passes=quant_cleanup --enable=fold-roundtrip --check-passes
cat >"$tmp/two_grids.sn" <<'END'
sinter-graph 1
graph "two_grids" {
  %x = Placeholder() : f32[1,1,16,3]
  %q = Quantize(%x) {clamp = [95, _], calibrated = true} : qi8<0.125, 117>[1,1,16,3]
  %d = Dequantize(%q) : f32[1,1,16,3]
  %softmax = Softmax(%d) : f32[1,1,16,3]
  %a = Quantize(%softmax) {calibrated = true} : qi8<0.00390625, -128>[1,1,16,3]
  %b = Quantize(%softmax) {calibrated = true} : qi8<0.09563109, -37>[1,1,16,3]
  Save(%a) {name = "a"}
  Save(%b) {name = "b"}
}
END
t check_passes_given 0 err "checked 1 of 1 fires" opt "$tmp/two_grids.sn" --passes=integerize --check-passes
t time_passes 0 err "all of them" opt "$tmp/add.sn" --time-passes
# Results without elements: nothing runs for them, and none is the largest.
cat >"$tmp/empty.sn" <<'END'
sinter-graph 1
graph "empty" {
  %x = Placeholder() : f32[1,4]
  %q = Quantize(%x) : qi8<0.1, 0>[1,4]
  %e = Slice(%q) {start = [0,0], size = [0,4], step = [1,1]} : qi8<0.1, 0>[0,4]
  %c = Constant() {splat = 14} : qi8<0.2, 0>[4]
  %y = Add(%e, %c) : qi8<0.3, 0>[0,4]
  %w = Constant() {data = []} : f32[4,0]
  %m = MatMul(%x, %w) : f32[1,0]
  Save(%y) {name = "y"}
  Save(%m) {name = "m"}
}
END
"$BUILD/tests/mkdata" "$tmp/empty.npy" 1 4
t run_empty 0 out "y argmax -1:" run "$tmp/empty.sn" --input "$tmp/empty.npy"
t run_empty_threads 0 out "m argmax -1:" run "$tmp/empty.sn" --input "$tmp/empty.npy" --threads 3 --backend cpu
t run_empty_checked 0 out "0 nodes differ" run "$tmp/empty.sn" --input "$tmp/empty.npy" --backend cpu --check-kernels
t bench_empty 0 out "nodes without a kernel: 0 of 4" bench "$tmp/empty.sn" --runs 3
t run_values 0 out "argmax" run "$tmp/q.sn" --input $demo/test_images.npy -n 1 $px
t run_dump 0 err "" run "$tmp/q.sn" --input $demo/test_images.npy -n 5 $px --dump "$tmp/d.npy" -j 1
"$sinter" run "$tmp/q.sn" --input $demo/test_images.npy -n 5 $px --dump "$tmp/e.npy" -j 3
same run_threads "$tmp/d.npy" "$tmp/e.npy"
t run_reference 0 err "" run "$tmp/q.sn" --input $demo/test_images.npy -n 5 $px --dump "$tmp/r.npy" --backend interp
same run_backends "$tmp/d.npy" "$tmp/r.npy"
"$BUILD/tests/mkdata" "$tmp/arg.npy" 1 4x4x1
t run_fallback 0 err "backend CPU: 1 of 2 nodes run on the reference evaluator: p (MaxPool)" run "$tmp/arg.sn" --input "$tmp/arg.npy" -n 1 --backend cpu
t float_labels 3 err "expected integer class numbers" run "$tmp/q.sn" --input $demo/test_images.npy --labels "$tmp/d.npy" -n 5 $px
# ---- colours ----

# A terminal gets the same text with styles; others and NO_COLOR the text alone.
printf 'sinter-graph 1\ngraph "a" {\n  %%y = Relu(%%z) : f32[1]\n}\n' >"$tmp/bad.sn"
terminal() { # VARIABLES: what the command prints on one
    env "$@" script -qec "$sinter inspect $tmp/bad.sn" /dev/null </dev/null | tr -d '\r'
}
"$sinter" inspect "$tmp/bad.sn" 2>"$tmp/plain"
terminal TERM=xterm NO_COLOR= >"$tmp/styled"
esc=$(printf '\033')
sed "s/$esc\[[0-9;]*m//g" "$tmp/styled" >"$tmp/stripped"
same 'colours are beside the text' "$tmp/stripped" "$tmp/plain"
for want in '[1;31merror' '[1;32m^'; do
    if grep -qF "$esc$want" "$tmp/styled"; then
        echo "ok cli colour $want"
    else
        echo "not ok cli colour $want: $(cat -v "$tmp/styled")"
        bad=1
    fi
done
for env in 'TERM=xterm NO_COLOR=1' 'TERM=dumb NO_COLOR=' 'TERM= NO_COLOR='; do
    # shellcheck disable=SC2086
    terminal $env >"$tmp/none"
    same "no colour: $env" "$tmp/none" "$tmp/plain"
done
exit $bad
