#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Settings of the quantizer from the command line: ranges, schemes, control by
# globs, sharded profiles, comparison.
suite=quant
. tests/sh_case.sh

# is NAME COMMAND...: the command succeeds.
is() {
    name=$1
    shift
    if "$@" >/dev/null 2>&1; then
        echo "ok quant $name"
    else
        echo "not ok quant $name: $*"
        bad=1
    fi
}

# differ A B: two .sn files, but for the names of their weights' files.
differ() {
    sed 's/data = "[^"]*"@//' "$1" >"$tmp/differ.a"
    sed 's/data = "[^"]*"@//' "$2" >"$tmp/differ.b"
    ! cmp -s "$tmp/differ.a" "$tmp/differ.b"
}

px="--mul 0.00392156863"
m=$demo/fashion_lrn.onnx
data=$demo/calib_images.npy
p=$tmp/whole.json
t profile 0 err "" profile $m --calib $data -n 30 $px -o "$p"

# ---- shards: any split, merged in any order and nesting, gives the same ----
for i in 0 1 2 3; do
    "$sinter" profile $m --calib $data -n 30 $px --shard $i/4 \
        -o "$tmp/s$i.json" || bad=1
done
t merge 0 err "4 profiles of" profile merge "$tmp/s2.json" "$tmp/s0.json" \
    "$tmp/s3.json" "$tmp/s1.json" -o "$tmp/m.json"
is merge_is_whole cmp "$p" "$tmp/m.json"
"$sinter" profile merge "$tmp/s0.json" "$tmp/s1.json" -o "$tmp/a.json" 2>/dev/null
"$sinter" profile merge "$tmp/s2.json" "$tmp/s3.json" -o "$tmp/b.json" 2>/dev/null
t merge_nested 0 err "30 samples" profile merge "$tmp/a.json" "$tmp/b.json" -o "$tmp/n.json"
is merge_nested_is_whole cmp "$p" "$tmp/n.json"
for i in 0 1 2; do # parts of 30 samples; one of 2 samples in 3 is empty
    "$sinter" profile $m --calib $data -n 2 $px --shard $i/3 -o "$tmp/e$i.json" || bad=1
done
"$sinter" profile $m --calib $data -n 2 $px -o "$tmp/two.json"
t merge_empty 0 err "2 samples" profile merge "$tmp/e0.json" "$tmp/e1.json" "$tmp/e2.json" -o "$tmp/e.json"
is merge_empty_is_whole cmp "$tmp/two.json" "$tmp/e.json"
t merge_twice 2 err "would count twice" profile merge "$tmp/a.json" "$tmp/a.json"
# A copy under another name, an overlap, and a shard that is not there.
cp "$tmp/s0.json" "$tmp/copy.json"
t merge_copy 3 err "copy.json: has shard 0 of 4, and so has $tmp/s0.json: its samples would count twice" profile merge "$tmp/s0.json" "$tmp/s1.json" "$tmp/copy.json"
t merge_overlap 3 err "s1.json: has shard 1 of 4, and so has $tmp/a.json" profile merge "$tmp/a.json" "$tmp/b.json" "$tmp/s1.json"
t merge_other_split 3 err "e0.json: is of 3 shards, $tmp/s0.json of 4" profile merge "$tmp/s0.json" "$tmp/e0.json"
t merge_missing 0 err "merge: 2 of 4 shards; missing: 1, 3" profile merge "$tmp/s2.json" "$tmp/s0.json" -o "$tmp/some.json"
is merge_parts grep -q '"shards": 4, "parts": \[0, 2\],' "$tmp/some.json"
t merge_missing_used 0 err "some.json: 2 of 4 shards; missing: 1, 3" quantize $m --load-profile "$tmp/some.json" -o "$tmp/o.sn"
"$sinter" profile merge "$tmp/s3.json" "$tmp/some.json" "$tmp/s1.json" -o "$tmp/all.json" 2>"$tmp/err"
is merge_some_is_whole cmp "$p" "$tmp/all.json"
is merge_whole_is_quiet sh -c "! grep -q missing '$tmp/err'"
sed 's/"parts": \[0, 2\]/"parts": [2, 0]/' "$tmp/some.json" >"$tmp/bad.json"
t merge_bad_parts 3 err '"parts" must be numbers from 0 below "shards", rising' profile merge "$tmp/bad.json"
t merge_nothing 2 err "requires profile files" profile merge
t shard_bad 2 err "neither I/N" profile $m --calib $data --shard 4/4
t shard_no_env 2 err "no launcher's variables" profile $m --calib $data --shard env
cat >"$tmp/add.sn" <<'END'
sinter-graph 1
graph "add" {
  %x = Placeholder() : f32[1,4]
  %k = Constant() {data = [1, 2, 3, 4]} : f32[1,4]
  %y = Add(%x, %k) : f32[1,4]
  Save(%y) {name = "out"}
}
END
cat >"$tmp/other.json" <<'END'
{"format": "sinter-profile", "version": 1, "model": "o", "graph": "0000000000000000",
 "samples": 1, "values": []}
END
t merge_other 3 err "was made from another graph" profile merge "$p" "$tmp/other.json"

# ---- launchers ----
(
    export OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4
    t shard_mpi 0 err "" profile $m --calib $data -n 30 $px --shard env -o "$tmp/r{}.json"
    t shard_mpi_same_file 2 err "requires {} in its name" profile $m --calib $data --shard env -o "$tmp/r.json"
    exit $bad
) || bad=1
is shard_mpi_is_shard cmp "$tmp/s1.json" "$tmp/r1.json"
(
    export SLURM_ARRAY_TASK_ID=8 SLURM_ARRAY_TASK_MIN=2 SLURM_ARRAY_TASK_STEP=2 SLURM_ARRAY_TASK_COUNT=4 SLURM_PROCID=0 SLURM_NTASKS=8
    t shard_slurm_array 0 err "" profile $m --calib $data -n 30 $px --shard env -o "$tmp/t{}.json"
    exit $bad
) || bad=1
is shard_slurm_array_is_shard cmp "$tmp/s3.json" "$tmp/t3.json"
(
    export SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=2 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=2
    t shard_array_of_steps 0 err "" profile $m --calib $data -n 30 $px --shard env -o "$tmp/u{}.json"
    exit $bad
) || bad=1
is shard_array_of_steps_is_shard cmp "$tmp/s2.json" "$tmp/u2.json"

for v in PMI_RANK:PMI_SIZE MV2_COMM_WORLD_RANK:MV2_COMM_WORLD_SIZE SLURM_PROCID:SLURM_STEP_NUM_TASKS; do
    env "${v%:*}=2" "${v#*:}=4" "$sinter" profile $m --calib $data -n 30 $px \
        --shard env -o "$tmp/env{}.json" 2>/dev/null
    is "shard_${v%:*}" cmp "$tmp/s2.json" "$tmp/env2.json"
    rm -f "$tmp/env2.json"
done

# ---- ranges and schemes: each is used, and said ----
q() { # NAME TEXT ARGS...
    name=$1 text=$2
    shift 2
    t "$name" 0 out "$text" quantize $m --load-profile "$p" -o "$tmp/$name.sn" "$@"
}
q plain "settings: int8, asymmetric, range minmax, weights per channel and row"
# The default can be asked for by name, the old one too.
q sliced "weights per channel and row" --channelwise --rowwise
is sliced_is_plain cmp "$(side "$tmp/sliced.sn")" "$(side "$tmp/plain.sn")"
q tensor "settings: int8, asymmetric, range minmax, weights per tensor" --per-tensor
is tensor_has_no_axis sh -c "! grep -q 'axis=' '$tmp/tensor.sn'"
q channels "weights per channel" --per-tensor --channelwise
is channels_kinds sh -c "grep -q ' = ChannelwiseConv2D(' '$tmp/channels.sn' && ! grep -q ' = Rowwise' '$tmp/channels.sn'"
q rows "weights per row" --per-tensor --rowwise
is rows_kinds sh -c "grep -q ' = RowwiseQuantizedFullyConnected(' '$tmp/rows.sn' && ! grep -q ' = Channelwise' '$tmp/rows.sn'"
for r in percentile percentile=99.5 entropy mse; do
    q "range_$r" "range ${r%=*}" --range $r
    is "range_${r}_differs" differ "$tmp/plain.sn" "$tmp/range_$r.sn"
done
for s in symmetric symmetric-uint8 power-of-two; do
    q "scheme_$s" "int8, $s," --scheme $s
    is "scheme_${s}_differs" differ "$tmp/plain.sn" "$tmp/scheme_$s.sn"
done
q scheme_alias "symmetric-uint8" --quantization-schema symmetric_with_uint8
is scheme_alias_same cmp "$(side "$tmp/scheme_alias.sn")" "$(side "$tmp/scheme_symmetric-uint8.sn")"
t range_bad 2 err "'percentile=40' requires a number above 50" quantize $m --load-profile "$p" --range percentile=40 -o "$tmp/o.sn"
t range_unknown 2 err "there are minmax" quantize $m --load-profile "$p" --range max -o "$tmp/o.sn"
is power_of_two_scales sh -c "sed -n 's/.*qi8<\([^,]*\),.*/\1/p' '$tmp/scheme_power-of-two.sn' | awk '{ v = log(\$1) / log(2); if (v - int(v) != 0) { e = v - int(v); if (e < -1e-9 && e > -1 + 1e-9) exit 1 } }'"

# ---- a profile of another folding: names decide ----
cat >"$tmp/bn.sn" <<'END'
sinter-graph 1
graph "bn" {
  %x = Placeholder() : f32[1,4,4,4]
  %w = Constant() {data = [1, 2, -3, 4, 1, 2, 3, -4]} : f32[2,1,1,4]
  %c = Conv2D(%x, %w, _) {kernel = [1,1]} : f32[1,4,4,2]
  %gamma = Constant() {data = [1, 2]} : f32[2]
  %beta = Constant() {data = [0.5, -0.5]} : f32[2]
  %mean = Constant() {data = [0.1, 0.2]} : f32[2]
  %var = Constant() {data = [1, 4]} : f32[2]
  %y = BatchNormalization(%c, %gamma, %beta, %mean, %var) : f32[1,4,4,2]
  Save(%y) {name = "y"}
}
END
"$BUILD/tests/mkdata" "$tmp/axes.npy" 16 4x4x4
"$sinter" profile "$tmp/bn.sn" --calib "$tmp/axes.npy" -o "$tmp/folded.json"
"$sinter" profile "$tmp/bn.sn" --calib "$tmp/axes.npy" --disable simplify.bn_into_conv_nobias -o "$tmp/unfolded.json"
is folding_more_values sh -c "grep -q '\"y/scaled\"' '$tmp/unfolded.json' && ! grep -q '\"y/scaled\"' '$tmp/folded.json'"
t folding_serves 0 out "0 float" quantize "$tmp/bn.sn" --load-profile "$tmp/unfolded.json" -o "$tmp/bn1.sn"
t folding_lacks 3 err "with other passes: it has no range for 'c'" quantize "$tmp/bn.sn" --load-profile "$tmp/folded.json" --disable simplify.bn_into_conv_nobias -o "$tmp/bn2.sn"
# BatchNormalization in components has a range for each.
t batch_norm_components 0 out "0 float" quantize "$tmp/bn.sn" --load-profile "$tmp/unfolded.json" --disable simplify.bn_into_conv_nobias -o "$tmp/bn3.sn"
is batch_norm_own_ranges sh -c "a=\$(sed -n 's|.*%\"y/scaled\" = Mul.*: \\(qi8<[^>]*>\\).*|\\1|p' '$tmp/bn3.sn'); b=\$(sed -n 's|.*%y = Add.*: \\(qi8<[^>]*>\\).*|\\1|p' '$tmp/bn3.sn'); test -n \"\$a\" && test -n \"\$b\" && test \"\$a\" != \"\$b\""

# ---- a bias that two nodes share sits on the grid of each ----
cat >"$tmp/shared.sn" <<'END'
sinter-graph 1
graph "shared" {
  %x = Placeholder() : f32[1,4,4,4]
  %w = Constant() {data = [1, 2, -3, 4, 1, 2, 3, -4]} : f32[2,1,1,4]
  %v = Constant() {data = [100, 2, 1, 50, 7, 2, 3, -90]} : f32[2,1,1,4]
  %b = Constant() {data = [3, -2]} : f32[2]
  %c = Conv2D(%x, %w, %b) {kernel = [1,1]} : f32[1,4,4,2]
  %e = Conv2D(%x, %v, %b) {kernel = [1,1]} : f32[1,4,4,2]
  Save(%c) {name = "c"}
  Save(%e) {name = "e"}
}
END
t shared_bias 0 out "0 float" quantize "$tmp/shared.sn" --calib "$tmp/axes.npy" --per-tensor -o "$tmp/shared.q.sn"
# Every bias times its scale is 3 and -2 again, to half a step.
sed -n 's/.*Constant() {data = \[\(.*\)\]} : qi32<\([^,]*\), 0>.*/\1, \2/p' "$tmp/shared.q.sn" >"$tmp/shared.bias"
is shared_bias_copied test "$(wc -l <"$tmp/shared.bias")" -eq 2
is shared_bias_exact awk -F', ' '{ if (($1 * $3 - 3) ^ 2 > ($3 * 0.51) ^ 2 || ($2 * $3 + 2) ^ 2 > ($3 * 0.51) ^ 2) exit 1 }' "$tmp/shared.bias"

# ---- weights that two nodes share are one constant of codes ----
sed '/%v = /d; s/%e = Conv2D(%x, %v, %b)/%d = Relu(%x) : f32[1,4,4,4]\n  %e = Conv2D(%d, %w, %b)/' \
    "$tmp/shared.sn" >"$tmp/siamese.sn"
t shared_weights 0 out "0 float" quantize "$tmp/siamese.sn" --calib "$tmp/axes.npy" -o "$tmp/siamese.q.sn"
is shared_weights_once test "$(grep -c 'Constant.*\[2,1,1,4\]$' "$tmp/siamese.q.sn")" -eq 1
is shared_weights_twice test "$(grep -c 'Conv2D(%[^,]*, %w.q, ' "$tmp/siamese.q.sn")" -eq 2

# ---- weights too small for their bias: which channels, and by how much ----
cat >"$tmp/small.sn" <<'END'
sinter-graph 1
graph "small" {
  %x = Placeholder() : f32[1,4,4,4]
  %w = Constant() {data = [1e-9, 2e-9, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0]} : f32[3,1,1,4]
  %b = Constant() {data = [5, 1, 3]} : f32[3]
  %c = Conv2D(%x, %w, %b) {kernel = [1,1]} : f32[1,4,4,3]
  Save(%c) {name = "c"}
}
END
t small_scales 0 out "2 of 3 scales of 'w' raised for its bias: [0] 1.57e-11 to " quantize "$tmp/small.sn" --calib "$tmp/axes.npy" --channelwise -o "$tmp/small.q.sn"
t small_scales_json 0 out '"weights": "w", "of": 3, "slices": [{"slice": 0, "from": 1.57480314e-11, "to": ' quantize "$tmp/small.sn" --calib "$tmp/axes.npy" --channelwise --json -o "$tmp/small.q.sn"
# The biases are 5, 1 and 3 to 1e-6 of them, and fit.
sed -n 's/.*%b = Constant() {data = \[\(.*\)\]} : qi32<axis=0, \[\(.*\)\], \[.*/\1, \2/p' "$tmp/small.q.sn" >"$tmp/small.b"
is small_bias awk -F', ' '{ n++; split("5 1 3", b, " "); for (i = 1; i <= 3; i++) { e = $i * $(i + 3) - b[i]; if ($i > 2147483647 || e > $(i + 3) + 1e-6 * b[i] || e < -$(i + 3) - 1e-6 * b[i]) exit 1 } } END { exit n != 1 }' "$tmp/small.b"

# ---- biases of 8 bits and a shift ----
q bias_int8 "biases: 5 of 8 bits, shifted by" --bias int8 --per-tensor
q bias_int32 "settings" --quantization-precision-bias Int32
is bias_int32_is_plain cmp "$(side "$tmp/bias_int32.sn")" "$(side "$tmp/plain.sn")"
# Of every bias, the largest code divided by the power of two that all share.
is bias_codes_fit sh -c "sed -n 's/.*b8\" = Constant() {data = \[\(.*\)\]}.*/\1/p; s/.*b8 = Constant() {data = \[\(.*\)\]}.*/\1/p' '$tmp/bias_int8.sn' | awk -F', ' '{ for (k = 0; ; k++) { for (i = 1; i <= NF && \$i % 2^(k + 1) == 0; i++); if (i <= NF) break } for (i = 1; i <= NF; i++) if (\$i / 2^k > 127 || \$i / 2^k < -128) exit 1; n++ } END { exit n < 5 }'"
t bias_bad 2 err "'int9' is neither int32 nor int8" quantize $m --load-profile "$p" --bias int9 -o "$tmp/o.sn"

# ---- one scale per channel and row: depthwise, grouped, transposed, moved ----
cat >"$tmp/axes.sn" <<'END'
sinter-graph 1
graph "axes" {
  %x = Placeholder() : f32[1,4,4,4]
  %wd = Constant() {data = [1, 2, -3, 40]} : f32[4,1,1,1]
  %dw = Conv2D(%x, %wd, _) {kernel = [1,1], group = 4} : f32[1,4,4,4]
  %wg = Constant() {data = [1, 2, 30, -40, 0.5, 0.25, 6, 7]} : f32[4,1,1,2]
  %gr = Conv2D(%dw, %wg, _) {kernel = [1,1], group = 2} : f32[1,4,4,4]
  %wt = Constant() {data = [1, 2, 3, 4, 50, 60, 70, -80]} : f32[2,1,1,4]
  %tr = ConvTranspose2D(%gr, %wt, _) {kernel = [1,1], stride = [2,2]} : f32[1,7,7,2]
  %fl = Reshape(%tr) {dims = [7,14]} : f32[7,14]
  %wf = Constant() {data = [1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 2, 20, 2, 20, 2, 20, 2, 20, 2, 20, 2, 20, 2, -20]} : f32[14,1,1,2]
  %wr = Reshape(%wf) {dims = [14,2]} : f32[14,2]
  %wp = Transpose(%wr) {perm = [1,0]} : f32[2,14]
  %fc = FullyConnected(%fl, %wp, _) : f32[7,2]
  Save(%fc) {name = "fc"}
}
END
t axes 0 out "0 float" quantize "$tmp/axes.sn" --calib "$tmp/axes.npy" -o "$tmp/axes.q.sn"
# axis_scales NAME WIDEST...: the constant's scales are those of these widest
# weights, and its zero points are 0.
axis_scales() {
    sed -n "s/.*%$1.q = Constant().*qi8<axis=0, \[\([^]]*\)\], \[0[, 0]*\]>.*/\1/p" "$tmp/axes.q.sn" |
        awk -F', ' -v want="$2" '{
            n = split(want, w, " "); any = 1; bad = n != NF
            for (i = 1; i <= NF; i++) if ($i < w[i] / 128.1 || $i > w[i] / 126.9) bad = 1
        } END { exit bad || !any }'
}
is axes_depthwise axis_scales wd "1 2 3 40"
is axes_grouped axis_scales wg "2 40 0.5 7"
is axes_transposed axis_scales wt "4 80"
# Weights behind Reshape and Transpose are folded under their own name.
is axes_rowwise_moved axis_scales wf "2 20"
for k in 'dw = ChannelwiseConv2D' 'gr = ChannelwiseConv2D' 'tr = ChannelwiseConvTranspose2D' 'fc = RowwiseQuantizedFullyConnected'; do
    is "axes_kind_${k%% *}" grep -q "$k" "$tmp/axes.q.sn"
done

# ---- a 1x1 convolution as a product of rows: the parameters of its channels ----
cat >"$tmp/rows.sn" <<'END'
sinter-graph 1
graph "rows" {
  %x = Placeholder() : f32[1,4,4,4]
  %w = Constant() {data = [1, 2, -3, 4, 10, 20, 30, -40, 0.5, 0.25, -0.125, 0.5]} : f32[3,1,1,4]
  %b = Constant() {data = [1, -20, 0.5]} : f32[3]
  %c = Conv2D(%x, %w, %b) {kernel = [1,1]} : f32[1,4,4,3]
  %r = Relu(%c) : f32[1,4,4,3]
  Save(%r) {name = "r"}
}
END
rows="--channelwise --rowwise --verify --check-passes"
"$sinter" profile "$tmp/rows.sn" --calib "$tmp/axes.npy" -o "$tmp/rows.json"
"$sinter" profile "$tmp/rows.sn" --calib "$tmp/axes.npy" --enable=conv-as-rows -o "$tmp/rows2.json"
t rows_conv 0 out "1 int8, 0 float" quantize "$tmp/rows.sn" --load-profile "$tmp/rows.json" $rows -o "$tmp/rows.c.sn"
t rows_matrix 0 out "3 int8, 0 float" quantize "$tmp/rows.sn" --load-profile "$tmp/rows.json" $rows --enable=conv-as-rows -o "$tmp/rows.m.sn"
is rows_kind grep -q '%"r/matrix" = RowwiseQuantizedFullyConnected(%"r/rows", %w.q, %b)' "$tmp/rows.m.sn"
# params FILE: data and scales of weights, bias, input and result.
params() { sed -n 's/.*%\(w.q\|b\) = Constant() {data = \(.*\)} : \(q[^>]*>\).*/\1 \2 \3/p; s/.*%\(x.q\|r\) = .*: \(qi8<[^>]*>\).*/\1 \2/p' "$1" | sort; }
params "$tmp/rows.c.sn" >"$tmp/rows.c.p"
params "$tmp/rows.m.sn" >"$tmp/rows.m.p"
is rows_params sh -c "test \$(wc -l <'$tmp/rows.c.p') -eq 4 && grep -q '^w.q .*axis=0' '$tmp/rows.c.p' && cmp '$tmp/rows.c.p' '$tmp/rows.m.p'"
for k in c m; do "$sinter" run "$tmp/rows.$k.sn" --input "$tmp/axes.npy" --dump "$tmp/rows.$k.npy" 2>/dev/null; done
is rows_values cmp "$tmp/rows.c.npy" "$tmp/rows.m.npy"
# Either profile serves either form: a range is that of what a Reshape makes.
for k in c m; do
    [ $k = m ] && e=--enable=conv-as-rows || e=
    "$sinter" quantize "$tmp/rows.sn" --load-profile "$tmp/rows2.json" $rows $e -o "$tmp/rows.$k.2.sn" >/dev/null 2>&1
    is "rows_profile_$k" cmp "$tmp/rows.$k.sn" "$tmp/rows.$k.2.sn"
done

# ---- sums of looked-up rows: from Gather and ReduceSum to fused rows and back ----
cat >"$tmp/emb.sn" <<'END'
sinter-graph 1
graph "emb" {
  %i = Placeholder() : i64[4,3]
  %t = Constant() {data = [100, 200, 3, -4, 5, 6, 0.07, 0.08, 0.1, 0.2]} : f32[5,2]
  %g = Gather(%t, %i) : f32[4,3,2]
  %s = ReduceSum(%g) {axes = [1], keepdims = false} : f32[4,2]
  Save(%s) {name = "s"}
}
END
{
    printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (4, 3), }"
    printf '\0\1\2\3\4\3\1\1\1\4\0\3'
} >"$tmp/emb.npy"
t emb_float 0 out "s (EmbeddingSum) stays float: operand 'table' gets fused rows only where weights have a scale per row" quantize "$tmp/emb.sn" --calib "$tmp/emb.npy" --per-tensor -o "$tmp/emb.f.sn"
t emb_rows 0 out "nodes: 1 int8, 0 float" quantize "$tmp/emb.sn" --calib "$tmp/emb.npy" --require-int8 --verify --check-passes -o "$tmp/emb.q.sn"
is emb_table grep -q '%t.q = Constant() .* : row8\[5,2\]' "$tmp/emb.q.sn"
for k in "" .f .q; do "$sinter" run "$tmp/emb$k.sn" --input "$tmp/emb.npy" --dump "$tmp/emb$k.npy.out" 2>/dev/null; done
is emb_float_same cmp "$tmp/emb.npy.out" "$tmp/emb.f.npy.out"
# Of two columns each row's codes are 0 and 255: only the decoding rounds.
"$sinter" run "$tmp/emb.q.sn" --compare "$tmp/emb.sn" --input "$tmp/emb.npy" >"$tmp/emb.db"
is emb_close awk '{ exit !($3 == "inf" || $3 > 120) }' "$tmp/emb.db"
for k in f q; do
    "$sinter" export "$tmp/emb.$k.sn" --format qdq -o "$tmp/emb.$k.onnx" 2>/dev/null
    "$sinter" run "$tmp/emb.$k.onnx" --input "$tmp/emb.npy" --dump "$tmp/emb.$k.onnx.out" 2>/dev/null
    is "emb_export_$k" cmp "$tmp/emb.$k.npy.out" "$tmp/emb.$k.onnx.out"
done

# ---- control ----
q keep_float "logits (FullyConnected) stays float: --keep-float 'log*' asks for it" --keep-float 'log*'
q keep_kind "(LRN) stays float" --keep-float '@LRN'
q precision_float "logits (FullyConnected) stays float: --precision 'logits'" --precision 'logits=float'
q precision_back "nodes: 13 int8, 0 float" --precision 'logits=float' --precision '*=int8'
q scheme_glob "logits: symmetric" --scheme 'logits=symmetric'
q range_glob "logits: percentile=99" --range 'logits=percentile=99'
is range_glob_differs differ "$tmp/plain.sn" "$tmp/range_glob.sn"
t glob_no_match 2 err "no node matches 'logit'; did you mean 'logits'?" quantize $m --load-profile "$p" --keep-float logit -o "$tmp/o.sn"
t kind_no_match 2 err "no node matches '@LRM'; did you mean '@LRN'?" quantize $m --load-profile "$p" --keep-float @LRM -o "$tmp/o.sn"
# Names as the model has them: merged values, ONNX nodes, kinds of forms.
q name_merged "/Relu_1_output_0 (Conv2D) stays float: --keep-float '/c2/Conv_output_0'" --keep-float /c2/Conv_output_0
q name_node "/Relu_1_output_0 (Conv2D) stays float: --keep-float '/c2/Conv'" --keep-float /c2/Conv
q name_glob "3 float" --keep-float '*Conv*'
q name_form "3 float" --keep-float @ChannelwiseConv2D
q name_pad "/AveragePool_output_0 (AvgPool) stays float" --keep-float /Pad
# The Transpose below a Relu that was merged into the LRN is no part of it.
q name_move "nodes: 12 int8, 1 float" --keep-float '/Relu_output_0*'
q name_move_only "/n1/LRN_output_0 (LRN) stays float" --keep-float '/Relu_output_0.*'
t name_note 0 err "note: --keep-float /c2/Conv: '/c2/Conv_output_0' is a part of '/Relu_1_output_0'" quantize $m --load-profile "$p" --keep-float /c2/Conv -o "$tmp/o.sn"
t name_near 2 err "no node matches '/c2/Convo'; did you mean '/c2/Conv'?" quantize $m --load-profile "$p" --keep-float /c2/Convo -o "$tmp/o.sn"
t kind_none 2 err "no node matches '@Clip'; the kinds after lowering and merging are @Placeholder, @" quantize $m --load-profile "$p" --keep-float @Clip -o "$tmp/o.sn"
t name_open 2 err "no node matches 'c1*'; did you mean '*c1*'?" quantize $m --load-profile "$p" --keep-float 'c1*' -o "$tmp/o.sn"
t name_none 2 err "no node matches 'zzz'; 'sinter inspect --names' lists the names" quantize $m --load-profile "$p" --keep-float zzz -o "$tmp/o.sn"
t names 0 out "/Relu_1_output_0             Conv2D               /c2/Conv, /Relu_1" inspect $m --names
t names_json 0 out '{"name": "/Relu_1_output_0", "kind": "Conv2D", "of": ["/c2/Conv", "/Relu_1"]}' inspect $m --names --json
t int16_slow 0 err "backend CPU has no kernels for 9 nodes with int16 results" quantize $m --load-profile "$p" --precision int16 -o "$tmp/o.sn"
t int16_interp 0 out "9 int16" quantize $m --load-profile "$p" --precision int16 --backend interp -o "$tmp/o.sn"
is int16_interp_is_not_slower sh -c "! grep -q 'has no kernels' '$tmp/err'"
t precision_unknown 2 err "there are int8, int16 and float" quantize $m --load-profile "$p" --precision fp -o "$tmp/o.sn"
q require_int8 "0 float" --require-int8
rm -f "$tmp/o.sn"
t require_int8_fails 1 err "(LRN): stays float: --keep-float '@LRN' asks for it" quantize $m --load-profile "$p" --keep-float @LRN --require-int8 -o "$tmp/o.sn"
is require_int8_writes_nothing test ! -e "$tmp/o.sn"
q quantized_io "0 left" --enable=quantized-io
is quantized_input grep -q 'image = Placeholder() : qi8' "$tmp/quantized_io.sn"
is quantized_output sh -c "! grep -q Dequantize '$tmp/quantized_io.sn'"

# ---- the order of inputs and outputs survives quantized-io ----
cat >"$tmp/two.sn" <<'END'
sinter-graph 1
graph "two" {
  %x1 = Placeholder() : f32[1,4]
  %x2 = Placeholder() : f32[1,4]
  %q1 = Quantize(%x1) : qi8<0.1, 0>[1,4]
  %d1 = Dequantize(%q1) : f32[1,4]
  %y = Add(%d1, %x2) : f32[1,4]
  Save(%d1) {name = "o1"}
  Save(%y) {name = "o2"}
}
END
"$sinter" opt "$tmp/two.sn" --enable=quantized-io >"$tmp/two.out"
order=$(sed -n 's/.*%\(x[12]\) = Placeholder.*/\1/p; s/.*name = "\(o[12]\)".*/\1/p' "$tmp/two.out" | tr '\n' ' ')
is io_order test "$order" = "x1 x2 o1 o2 "
is io_types grep -q 'x1 = Placeholder() : qi8' "$tmp/two.out"

# ---- profiles of another batch size, of another model ----
sed 's/\[1,4\]/[2,4]/g; s/data = \[1, 2, 3, 4\]/data = [1, 2, 3, 4, 1, 2, 3, 4]/' "$tmp/add.sn" >"$tmp/add2.sn"
sed 's/%y/%z/g' "$tmp/add.sn" >"$tmp/renamed.sn"
cat >"$tmp/add.json" <<'END'
{"format": "sinter-profile", "version": 1, "model": "add", "graph": "00000000000000aa",
 "samples": 1, "values": [
  {"name": "x", "min": 1, "max": 1, "count": 1, "nonfinite": 0, "exp": -30, "first": 1073741824, "bins": [1]},
  {"name": "y", "min": 2, "max": 2, "count": 1, "nonfinite": 0, "exp": -29, "first": 1073741824, "bins": [1]}]}
END
t other_hash 0 err "has every value by name; it was made from 'add' with graph hash 00000000000000aa" quantize "$tmp/add.sn" --load-profile "$tmp/add.json" -o "$tmp/o1.sn"
t other_batch 0 err "another batch size is harmless" quantize "$tmp/add2.sn" --load-profile "$tmp/add.json" -o "$tmp/o2.sn"
is other_batch_same_types test "$(sed -n 's/.*%y = .*: \(qi8<[^>]*>\).*/\1/p' "$tmp/o1.sn")" = "$(sed -n 's/.*%y = .*: \(qi8<[^>]*>\).*/\1/p' "$tmp/o2.sn")"
t stale 3 err "it has no range for 'z', and the model does not have 'y'" quantize "$tmp/renamed.sn" --load-profile "$tmp/add.json" -o "$tmp/o.sn"

# ---- a QDQ model runs as it is written, and says so ----
"$sinter" export "$tmp/plain.sn" --format qdq -o "$tmp/qdq.onnx"
"$sinter" export "$tmp/plain.sn" --format qoperator -o "$tmp/qop.onnx"
c="--input $demo/test_images.npy -n 4 $px"
t run_qdq 0 err "is a QDQ model and runs as it is written" run "$tmp/qdq.onnx" $c
"$sinter" opt "$tmp/qdq.onnx" -o "$tmp/qdq.sn"
for f in qdq.sn qop.onnx plain.sn; do
    "$sinter" run "$tmp/$f" $c >/dev/null 2>"$tmp/err"
    is "run_$f" sh -c "! grep -q QDQ '$tmp/err'"
done
# Every value of it has a score, as the .sn it was written from has.
for f in qdq.onnx plain.sn; do
    "$sinter" compare $m "$tmp/$f" --input $demo/test_images.npy -n 20 $px >"$tmp/out"
    is "compare_all_$f" sh -c "! grep -q 'no counterpart' '$tmp/out'"
    # Without a local score: what converts codes to reals, and nothing else.
    is "compare_local_$f" sh -c "! grep -v Dequantize '$tmp/out' | grep -q '^ *- .*qi8'"
    grep 'worst output' "$tmp/out" >"$tmp/$f.worst"
done

# ---- compare ----
c="--input $demo/test_images.npy -n 20 $px"
t compare 0 out "(output)" compare $m "$tmp/tensor.sn" $c
t compare_top 0 out "more values lose less" compare $m "$tmp/tensor.sn" $c --top 2
fine compare_top_two [ "$(sed '/ local /,/ more values/!d; / local /d; / more /d' "$tmp/out" | wc -l)" -eq 2 ]
t compare_passes 0 out "worst output" compare $m "$tmp/tensor.sn" $c --threshold 20
t compare_fails 1 err "less than 90" compare $m "$tmp/tensor.sn" $c --threshold 90
"$sinter" compare $m "$tmp/tensor.sn" $c --json -j 1 >"$tmp/c1.json"
for b in interp cpu; do "$sinter" compare $m "$tmp/tensor.sn" $c --json --backend $b >"$tmp/c.$b.json"; done
"$sinter" compare $m "$tmp/tensor.sn" $c --json -j 3 >"$tmp/c3.json"
is compare_threads cmp "$tmp/c1.json" "$tmp/c3.json"
is compare_backends cmp "$tmp/c.interp.json" "$tmp/c.cpu.json"
t compare_json 0 out '"keep_float": [' compare $m "$tmp/tensor.sn" $c --json
t compare_tries 1 out "for 45 dB, tried in" compare $m "$tmp/tensor.sn" $c --threshold 45
# What the list is said to bring is what it brings, and no node is left over.
keep=$(sed -n "s/.*--keep-float '\(.*\)'$/\1/p" "$tmp/out")
says=$(sed -n "s/ *\([0-9.]*\)  --keep-float.*/\1/p" "$tmp/out")
is compare_keeps test -n "$keep"
"$sinter" quantize $m --load-profile "$p" --per-tensor --keep-float "$keep" -o "$tmp/kept.sn" >/dev/null
t compare_kept 0 out "worst output" compare $m "$tmp/kept.sn" $c --threshold 45
# To a quarter of a dB: the range of what an LRN writes is not in the model.
got=$(sed -n 's/worst output: \(.*\) dB/\1/p' "$tmp/out")
is compare_kept_as_said awk "BEGIN { exit !($got - $says < 0.25 && $says - $got < 0.25) }"
"$sinter" quantize $m --load-profile "$p" --per-tensor --keep-float "${keep%,*}" -o "$tmp/kept.sn" >/dev/null
t compare_kept_less 1 out "" compare $m "$tmp/kept.sn" $c --threshold 45
"$sinter" compare $m "$tmp/tensor.sn" $c --threshold 20 >"$tmp/out"
is compare_met_is_silent sh -c "! grep -q 'keep-float\|tried' '$tmp/out'"
t compare_json_tried 0 out '"advice": null' compare $m "$tmp/tensor.sn" $c --json
"$sinter" compare $m "$tmp/tensor.sn" $c --threshold 45 --json 2>/dev/null >"$tmp/c.json"
is compare_json_list grep -q '"keep_float": \["logits", ' "$tmp/c.json"
"$sinter" compare $m "$tmp/tensor.sn" $c >"$tmp/out"
is compare_input_local grep -q '^ *exact  *exact .* image.q (Quantize)' "$tmp/out"
t compare_two 2 err "expected two models" compare $m
t compare_number 2 err "is not a number of dB" compare $m "$tmp/tensor.sn" $c --threshold x
t compare_self 0 out "worst output: exact" compare $m $m $c
is compare_exact_is_no_db sh -c "! grep -q 'exact dB' '$tmp/out'"

# ---- functions of one value: 256-entry tables, the bits of the evaluators ----
{
    echo 'sinter-graph 1'
    echo 'graph "unary" {'
    echo '  %x = Placeholder() : f32[1,512]'
    for f in Relu LeakyRelu Sigmoid Tanh HardSwish Swish Gelu GeluTanh Mish Erf \
        Elu Celu Selu HardSigmoid Softplus ThresholdedRelu Abs Neg Sign Sqrt \
        Exp Log Reciprocal; do
        echo "  %$f = $f(%x) : f32[1,512]"
    done
    echo '  %y = Concat(%Relu, %LeakyRelu, %Sigmoid, %Tanh, %HardSwish, %Swish, %Gelu, %GeluTanh, %Mish, %Erf, %Elu, %Celu, %Selu, %HardSigmoid, %Softplus, %ThresholdedRelu, %Abs, %Neg, %Sign, %Sqrt, %Exp, %Log, %Reciprocal) {axis = 1} : f32[1,11776]'
    echo '  Save(%y) {name = "y"}'
    echo '}'
} >"$tmp/unary.sn"
"$BUILD/tests/mkdata" "$tmp/unary.npy" 8 512
t unary_int8 0 out "0 float" quantize "$tmp/unary.sn" --calib "$tmp/unary.npy" --mul 3 --require-int8 --backend cpu -o "$tmp/unary.q.sn"
for b in interp cpu; do
    "$sinter" run "$tmp/unary.q.sn" --input "$tmp/unary.npy" --mul 3 --backend $b --dump "$tmp/unary.$b.npy" 2>/dev/null
done
is unary_tables cmp "$tmp/unary.interp.npy" "$tmp/unary.cpu.npy"

# ---- moving averages: of the order of samples, so of one run ----
t average 0 err "" profile $m --calib $data -n 30 $px --moving-average 0.1 -o "$tmp/avg.json"
"$sinter" profile $m --calib $data -n 30 $px --moving-average 0.1 -j 3 -o "$tmp/avg3.json"
is average_any_threads cmp "$tmp/avg.json" "$tmp/avg3.json"
is average_is_extra sh -c "sed 's/, \"average\": \[[^]]*\]//; /moving_average/d' '$tmp/avg.json' >'$tmp/avg.cut'; cmp '$tmp/avg.cut' '$p'"
t average_range 0 out "range moving-average" quantize $m --load-profile "$tmp/avg.json" --range moving-average -o "$tmp/avg.sn"
is average_differs differ "$tmp/plain.sn" "$tmp/avg.sn"
t average_missing 3 err "holds no moving averages, which 'logits=moving-average' asks for" quantize $m --load-profile "$p" --range logits=moving-average -o "$tmp/o.sn"
t average_shard 2 err "cannot be combined with --shard" profile $m --calib $data --moving-average 0.1 --shard 0/2
t average_merge 3 err "it cannot be merged" profile merge "$tmp/avg.json" "$p"
t average_bad 2 err "'2' is not a number above 0 and at most 1" profile $m --calib $data --moving-average 2
t average_calib 0 out "range moving-average" quantize $m --calib $data -n 30 $px --range moving-average -o "$tmp/avg1.sn"

# ---- mistakes are found before the work, and named ----
img=$demo/test_images.npy
t output_suffix 2 err "-o: '$tmp/q.bin' does not end in .sn or .onnx" quantize $m --calib nothing.npy -o "$tmp/q.bin"
t output_directory 5 err "no directory '$tmp/none'" quantize $m --calib nothing.npy -o "$tmp/none/q.sn"
t profile_directory 5 err "no directory '$tmp/none'" profile $m --calib nothing.npy -o "$tmp/none/p.json"
t dump_directory 5 err "no directory '$tmp/none'" quantize $m --calib nothing.npy -o "$tmp/q.sn" --dump-profile "$tmp/none/p.json"
t input_unknown 2 err "imagge=$img: no input is named 'imagge'; did you mean 'image'?" run $m --input "imagge=$img" -n 2
"$BUILD/tests/mkdata" "$tmp/four.npy" 4 1x28x28
t calib_two_files 0 out "profile: 8 samples" quantize $m $px --calib "$tmp/four.npy" "$tmp/four.npy" -o "$tmp/o.sn"
printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }" >"$tmp/nan.npy"
printf '\0\0\300\177%.0s' 1 2 3 4 5 6 7 8 >>"$tmp/nan.npy"
t calib_nan 3 err "gives input 'x' no finite value in 2 samples" quantize "$tmp/add.sn" --calib "$tmp/nan.npy" -o "$tmp/o.sn"
printf '\223NUMPY\1\0\166\0%-117s\n\1\12' "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }" >"$tmp/labels.npy"
t labels_range 3 err "label 10 of sample 1 is out of range: the output has 10 classes, numbered from 0" run $m --input "$img" -n 2 $px --labels "$tmp/labels.npy"
t run_json 0 out '{"sample": 1, "output": "logits", "argmax":' run $m --input "$img" -n 2 $px --json
t run_json_values 0 out '"values": [' run $m --input "$img" -n 1 $px --json

# ---- held-out data: what --skip leaves out is not run ----
"$sinter" run $m --input "$img" -n 15 $px --dump "$tmp/all.npy"
"$sinter" run $m --input "$img" --skip 10 -n 5 $px --dump "$tmp/rest.npy"
is skip_leaves_out sh -c "tail -c 200 '$tmp/all.npy' >'$tmp/b1'; tail -c 200 '$tmp/rest.npy' >'$tmp/b4'; cmp '$tmp/b1' '$tmp/b4'"

# ---- --eval: data that gives no ranges, scored after quantization ----
ev="--eval $img --eval-skip 20 --eval-n 50 --labels $demo/test_labels.npy"
t eval 0 out "evaluated: 50 held-out samples" quantize $m --calib $data -n 30 $px $ev -o "$tmp/plain.e.sn"
cp "$tmp/out" "$tmp/eval"
top1() { "$sinter" run "$1" --input "$img" --skip 20 -n 50 $px --labels $demo/test_labels.npy | sed 's/top-1 \(.*\) (\(.*\) of 50)/\1 \2/'; }
is eval_scores grep -qF "$(echo "$(top1 $m) $(top1 "$tmp/plain.e.sn")" | sed 's/\(.*\) \(.*\) \(.*\) \(.*\)/  top-1: float \1, int8 \3 (\2 and \4 of 50)/')" "$tmp/eval"
"$sinter" run "$tmp/plain.e.sn" --compare $m --input "$img" --skip 20 -n 50 $px >"$tmp/eval.run"
is eval_sqnr grep -qF "  $(cat "$tmp/eval.run"); on the calibration data $("$sinter" run "$tmp/plain.e.sn" --compare $m --input $data -n 30 $px | sed 's/.*SQNR \(.* dB\),.*/\1/')" "$tmp/eval"
sed 's/plain\.e\./plain./' "$tmp/plain.e.sn" >"$tmp/plain.e.named"
is eval_gives_no_ranges cmp "$tmp/plain.e.named" "$tmp/plain.sn"
t eval_json 0 out '"eval": {"samples": 50, "top1_float": ' quantize $m --load-profile "$p" $px $ev --json -o "$tmp/o.sn"
rm -f "$tmp/o.sn"
t eval_apart 2 err "samples 20 to 29 of $data are used for calibration, too" quantize $m --calib $data -n 30 $px --eval $data --eval-skip 20 -o "$tmp/o.sn"
is eval_apart_writes_nothing test ! -e "$tmp/o.sn"
t eval_rest_of_file 0 out "evaluated: 226 held-out samples" quantize $m --calib $data -n 30 $px --eval $data --eval-skip 30 -o "$tmp/o.sn"
t eval_unlike 0 err "% of the values that --eval gives input 'image' lie outside the calibrated range" quantize $m --calib "$tmp/four.npy" $px --eval $img --eval-n 20 -o "$tmp/o.sn"
{
    printf '\223NUMPY\1\0\166\0%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 28, 28), }"
    head -c 784 /dev/zero | tr '\0' '\100'
} >"$tmp/grey.npy"
t eval_narrow 0 err "from 0.25098 to 0.25098, but the calibrated range is 0 to 1: is this data of the same kind?" quantize $m --calib $img -n 20 $px --eval "$tmp/grey.npy" -o "$tmp/o.sn"
t eval_labels_alone 2 err "requires --eval FILE" quantize $m --load-profile "$p" --labels $demo/test_labels.npy -o "$tmp/o.sn"
t eval_skips_all 2 err "--eval-skip: leaves none of 2000 samples" quantize $m --load-profile "$p" $px --eval $img --eval-skip 2000 -o "$tmp/o.sn"
t compare_eval 0 out "worst output" compare $m "$tmp/tensor.sn" --eval $img -n 20 $px

# ---- any number of jobs gives the bytes of one ----
for j in 1 2 5; do "$sinter" profile $m --calib $data -n 30 $px -j $j -o "$tmp/j$j.json"; done
is profile_any_jobs sh -c "cmp '$tmp/j1.json' '$p' && cmp '$tmp/j2.json' '$p' && cmp '$tmp/j5.json' '$p'"

# ---- a batch takes so many rows of the data ----
t batch_0 2 err "--batch: is 0, expected 1 or more" run $m --input "$img" --batch 0
t batch_uneven 3 err "holds 2000 samples, not a multiple of the batch of 3" run $m --input "$img" $px --batch 3
"$sinter" run $m --input "$img" -n 40 $px --dump "$tmp/one.npy"
"$sinter" run $m --input "$img" -n 10 $px --batch 4 --dump "$tmp/four_rows.npy"
is batch_same_values sh -c "tail -c 1600 '$tmp/one.npy' >'$tmp/b1'; tail -c 1600 '$tmp/four_rows.npy' >'$tmp/b4'; cmp '$tmp/b1' '$tmp/b4'"
"$sinter" run $m --input "$img" -n 40 $px --labels $demo/test_labels.npy >"$tmp/l1"
"$sinter" run $m --input "$img" -n 10 $px --batch 4 --labels $demo/test_labels.npy >"$tmp/l4"
is batch_same_score cmp "$tmp/l1" "$tmp/l4"
"$sinter" profile $m --calib $data -n 15 $px --batch 2 -o "$tmp/b2.json" 2>/dev/null
t batch_profile_serves 0 err "" quantize $m --load-profile "$tmp/b2.json" -o "$tmp/b2.sn"
sed 's/"b2\./"plain./' "$tmp/b2.sn" >"$tmp/b2.named"
is batch_profile_same_ranges cmp "$tmp/b2.named" "$tmp/plain.sn"
exit $bad
