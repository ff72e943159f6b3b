#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The governor on the command line: small files that require much end with exit
# code 6 and a line that names the cause, and leave nothing; options that raise
# and lower limits.
suite=limits
. tests/sh_case.sh
m=$demo/fashion_lrn.onnx img=$demo/calib_images.npy
px='--mul 0.00392156863'
for b in conv cos lstm20 matmul; do
    cp tests/fuzz/corpus/onnx/bomb_$b "$tmp/$b.onnx"
done

# stops NAME TEXT ARGS...: as t, on standard error with code 6; no result.
stops() {
    sname=$1 stext=$2
    shift 2
    t "$sname" 6 err "$stext" "$@"
    if [ -s "$tmp/out" ] || [ -e "$tmp/o.sn" ] || [ -e "$tmp/o.snw" ]; then
        echo "not ok limits $sname: something was written"
        bad=1
    fi
}

stops fold_ops "b (Conv2D): folding constants takes 999.2 G operations; the limit for files of 263 B is 268.6 M operations" \
    opt "$tmp/conv.onnx" -o "$tmp/o.sn"
stops fold_bytes "node 'c' (ConstantOfShape): folded constants take 4.295 GB; the limit for files of 151 B is 268.4 MB" \
    opt "$tmp/cos.onnx" -o "$tmp/o.sn"
stops unroll "node 'y1' (LSTM): loops unroll to 132.6 k nodes; the limit for files of 1.483 kB is 132.6 k nodes" \
    opt "$tmp/lstm20.onnx" -o "$tmp/o.sn"
stops sample "b (MatMul): one sample takes 8.796 T operations; the limit is 4 T operations" \
    opt "$tmp/matmul.onnx" -o "$tmp/o.sn"
t help 6 err 'help: --max-ops allows more' opt "$tmp/conv.onnx"

# A limit that is given counts, whatever the file.
stops lower "node 'y0' (LSTM): the graph has 1.001 k nodes; the limit is 1 k nodes" \
    opt "$tmp/lstm20.onnx" --max-nodes 1k -o "$tmp/o.sn"
t more_nodes 6 err 'the limit is 200 k nodes' opt "$tmp/lstm20.onnx" --max-nodes 0.2M
t nodes 6 err "the graph has 11 nodes; the limit is 10 nodes" inspect $m --max-nodes 10
t ops 6 err "one sample takes" inspect $m --max-ops 1k
t ops_given 0 out '' inspect $m --max-ops 1G
t memory 6 err 'fashion_lrn.onnx: ' inspect $m --max-memory 100k
t memory_profile 6 err 'of memory in addition to the' \
    profile $m --calib $img $px --max-memory 400k -o "$tmp/p.json"
# Work that does not look at the time: the convolution takes half a minute.
stops timeout 'sinter: the time of --timeout is over while folding' \
    opt "$tmp/conv.onnx" --max-ops 2T --max-memory 4G --timeout 0.5 -o "$tmp/o.sn"

for v in 0 x 4Q -1 1e30 ''; do
    t "bad_size_$v" 2 err "--max-memory: '$v' is not a size: expected a number of one or more" \
        inspect $m --max-memory="$v"
done
t bad_time 2 err "--timeout: '0' is not a number above zero" inspect $m --timeout 0
t usage 0 out '--max-memory BYTES' run --help

# Copies that folding has no bytes left for stay nodes.
cat >"$tmp/tiles.sn" <<'EOF'
sinter-graph 1
graph "g" {
  %c = Constant() {data = [1, 2]} : f32[1,2]
  %a = Tile(%c) {repeats = [20000,1000]} : f32[20000,2000]
  %b = Tile(%c) {repeats = [1000,20000]} : f32[1000,40000]
  Save(%a) {name = "a"}
  Save(%b) {name = "b"}
}
EOF
t tiles 0 out 'data = elided} : f32[20000,2000]' opt "$tmp/tiles.sn" --elide
t tile_stays 0 out '%b = Tile(%c) {repeats = [1000,20000]} : f32[1000,40000]' \
    opt "$tmp/tiles.sn" --elide
# So does a sum that broadcasts; with more room it is folded, up to 1 GiB.
cat >"$tmp/wide.sn" <<'EOF'
sinter-graph 1
graph "g" {
  %a = Constant() {splat = 1} : f32[10000,1]
  %b = Constant() {splat = 2} : f32[1,8000]
  %s = Add(%a, %b) : f32[10000,8000]
  Save(%s) {name = "s"}
}
EOF
t sum_stays 0 out '%s = Add(%a, %b) : f32[10000,8000]' opt "$tmp/wide.sn" --elide
t sum_folds 0 out '%s = Constant() {splat = 3} : f32[10000,8000]' opt "$tmp/wide.sn" --elide --max-memory 4G

# A splat is a line in a .sn, and all its elements in an ONNX model.
cat >"$tmp/splat.sn" <<'EOF'
sinter-graph 1
graph "g" {
  %x = Placeholder() : f32[1024]
  %w = Constant() {splat = 0.5} : f32[1024,1024]
  %y = Add(%x, %w) : f32[1024,1024]
  Save(%y) {name = "y"}
}
EOF
t splat_warning 0 err 'o.onnx: 4.2 of its 4.2 MB are constants of one repeated element, which an ONNX model writes out' \
    export "$tmp/splat.sn" --format qdq -o "$tmp/o.onnx"
exit $bad
