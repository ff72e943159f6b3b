#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sinter verify: accepts what the passes did to every graph of tests/pass and to
# a model, and refuses logs and results that were tampered with.
suite=verify
. tests/sh_case.sh
log=$tmp/log.sn after=$tmp/after.sn

# ---- accepted ----

n=0 wrong=0
for f in tests/pass/*.sn; do
    run=$(sed -n 's/^; RUN: *//p' "$f")
    rm -f "$log" "$after"
    # shellcheck disable=SC2086
    "$sinter" opt "$f" ${run:---passes=quant_cleanup} --log "$log" -o "$after" \
        >/dev/null 2>&1 || continue
    flags=
    for o in $run; do
        case $o in --backend=* | --enable=* | --strict-saturation) flags="$flags $o" ;; esac
    done
    want=0
    case $run in *quantized-io*) want=4 ;; esac
    # shellcheck disable=SC2086
    "$sinter" verify "$f" "$after" --log "$log" $flags >"$tmp/out" 2>"$tmp/err"
    rc=$?
    n=$((n + 1))
    if [ $rc -ne $want ]; then
        echo "| $f: exit code $rc, expected $want: $(head -n 1 "$tmp/err")"
        wrong=$((wrong + 1))
    fi
done
if [ $wrong -eq 0 ] && [ $n -gt 120 ]; then
    echo "ok verify accepts: $n graphs"
else
    echo "not ok verify accepts: $wrong of $n graphs"
    bad=1
fi
for p in optimize profile; do
    "$sinter" opt $demo/fashion_lrn.onnx --pipeline $p --log "$log" -o "$after" || bad=1
    t model_$p 0 out "; compared on values: " verify $demo/fashion_lrn.onnx "$after" --log "$log"
done
t json 0 out '"rewrites": ' verify $demo/fashion_lrn.onnx "$after" --log "$log" --json

# Filters that a run without a log scales in place.
cat >"$tmp/scaled.sn" <<'END'
sinter-graph 1
graph "g" {
  %x = Placeholder() : f32[1,4,4,64]
  %w = Constant() {splat = 1} : f32[64,3,3,64]
  %s = Constant() {splat = 3} : f32[64,1,1,1]
  %t = Constant() {splat = 5} : f32[64,1,1,1]
  %f = Mul(%s, %w) : f32[64,3,3,64]
  %h = Mul(%t, %f) : f32[64,3,3,64]
  %y = Conv2D(%x, %h) {kernel = [3,3], pads = [1,1,1,1]} : f32[1,4,4,64]
  Save(%y) {name = "y"}
}
END
"$sinter" opt "$tmp/scaled.sn" --passes fold --log "$log" -o "$after" || bad=1
t scaled 0 out "steps: 1" verify "$tmp/scaled.sn" "$after" --log "$log"

# ---- refused ----

cat >"$tmp/before.sn" <<'END'
sinter-graph 1
graph "g" {
  %x = Placeholder() : qi8<0.04, 0>[8]
  %k = Constant() {data = [1, 2, 3, 4, 5, 6, 7, 8]} : f32[8]
  %l = Constant() {data = [1, 1, 1, 1, 1, 1, 1, 1]} : f32[8]
  %c = Add(%k, %l) : f32[8]
  %m = Rescale(%x) : qi8<0.01, 0>[8]
  %y = Rescale(%m) : qi8<0.04, 0>[8]
  Save(%y) {name = "out"}
  Save(%c) {name = "sum"}
}
END
"$sinter" opt "$tmp/before.sn" --passes fold,quant_cleanup --log "$log" -o "$after" || bad=1
t small 0 out "steps: 2; rewrites: 1; compared on values: 1" verify "$tmp/before.sn" "$after" --log "$log"
cp "$log" "$tmp/log.kept" && cp "$after" "$tmp/after.kept"

# refuse NAME CODE TEXT FILES SED...: with SED done to FILES (of before, log,
# after), verify says TEXT.
refuse() {
    rname=$1 rcode=$2 rtext=$3 files=$4
    shift 4
    cp "$tmp/before.sn" "$tmp/b.sn"
    cp "$tmp/log.kept" "$tmp/l.sn" && cp "$tmp/after.kept" "$tmp/a.sn"
    for file in $files; do
        cp "$tmp/$file.sn" "$tmp/was"
        sed "$@" "$tmp/was" >"$tmp/$file.sn"
        if cmp -s "$tmp/was" "$tmp/$file.sn"; then
            echo "not ok verify $rname: nothing is changed in $file"
            bad=1
        fi
    done
    t "$rname" "$rcode" err "$rtext" verify "$tmp/b.sn" "$tmp/a.sn" --log "$tmp/l.sn"
}
refuse clamp 1 "claims refines, but result" "l a" 's/\[-32, 32\]/[-40, 32]/'
refuse clamp_gone 1 "claims refines, but result" "l a" 's/ {clamp = \[-32, 32\]}//'
refuse folded 1 "step 1 (fold) replaces a value by one that is not equal" "l a" 's/\[2, 3, 4/[2, 3, 5/'
refuse other_result 1 "its steps make another model: c (Constant): data differs" a 's/\[2, 3, 4/[2, 3, 5/'
refuse other_start 1 "is the log of another model: m (Rescale): type differs" b 's/<0.01, 0>/<0.02, 0>/'
refuse other_rule 1 "is not of the rule's form at y (Rescale)" l 's/quant_cleanup.fuse/quant_cleanup.requantize/'
refuse no_rule 1 "is of rule 'quant_cleanup.fusion', which does not exist" l 's/p.fuse/p.fusion/'
refuse no_such_pass 4 "is of 'place': such steps cannot be verified" l 's/"fold"/"place"/'
refuse optin 1 "runs only with --enable fold-roundtrip" l 's/p.fuse/p.roundtrip/'
refuse waived 1 "waives a saturation that is not calibrated" l 's/fuse"/fuse", "waived": true/'
refuse left_out 1 "is the log of another model" l '/"fold"/d'
refuse kept 3 "removes a node that is in use" l 's/"drop": \[[0-9, ]*\]}$/"drop": [1]}/'
refuse no_json 3 "line 2: is not JSON" l 's/^; {"by": /; {"by" /'
refuse no_by 3 "expected 'by' or 'name'" l 's/"by"/"be"/'
refuse no_list 3 "expected a list of nodes" l 's/"add": \[\([0-9]*\)\]/"add": \1/'
refuse no_number 3 "expected the number of a node" l 's/"add": \[\([0-9]*\)\]/"add": ["\1"]/'
refuse no_use 3 "expected [node, operand, node, result]" l 's/"use": \[\[\([0-9]*\), /"use": [[/'
refuse no_node 3 "adds a node that is invalid" l 's/"add": \[\([0-9]*\)\]/"add": [99]/'
refuse slot 3 "step 1 (fold): an operand that does not exist" l 's/\[\[10, 0, 7/[[10, 99999, 7/'
refuse not_yet 3 "step 1 (fold): a node that does not exist" l 's/7, 0\]\], "drop": \[2/8, 0]], "drop": [2/'
refuse no_result 3 "step 2 (quant_cleanup.fuse): a node that does not exist" l 's/8, 0\]\]/8, 1]]/'
refuse far_result 3 "expected [node, operand, node, result]" l 's/8, 0\]\]/8, 99]]/'
refuse three 3 "expected [node, operand, node, result]" l 's/\[\[9, 0, 8, 0\]\]/[[9, 0, 8]]/'
refuse no_uses 3 "expected a list of operands" l 's/\[\[9, 0, 8, 0\]\]/1/'
refuse negative 3 "expected the number of a node" l 's/"add": \[8\]/"add": [-8]/'
refuse other_shape 1 "replaces a value by one of another type at out (Save)" l 's/9, 0, 8, 0/9, 0, 7, 0/'
refuse other_grid 1 "replaces a value by one of another type at out (Save)" l 's/9, 0, 8, 0/9, 0, 5, 0/'
refuse cycle 1 "makes a cycle at step2 (Rescale)" l 's/9, 0, 8, 0/8, 0, 8, 0/'
refuse nothing 3 "a rule that replaces nothing" l 's/\[\[9, 0, 8, 0\]\]/[]/'
refuse drops_none 3 "removes a node that does not exist" l 's/\[5, 6\]/[5, 99]/'
refuse drops_zero 3 "removes a node that does not exist" l 's/\[5, 6\]/[0]/'
refuse drops_early 3 "step 1 (fold): removes a node that does not exist" l 's/\[2, 3, 4\]/[2, 3, 4, 8]/'
refuse drops_output 4 "removes an input or output" l 's/\[5, 6\]/[5, 6, 9]/'
refuse adds_twice 3 "adds a node that is invalid or exists already" l 's/"add": \[8\]/"add": [7]/'
refuse adds_output 4 "makes an input or output" l 's/"add": \[8\]/"add": [8, 9]/'
refuse names_none 3 "names a value that does not exist" l 's/"node": 7/"node": 99/'
refuse names_text 3 "expected 'node' and 'result' with 'name'" l 's/"node": 7/"node": "7"/'
refuse sunk 1 "(quant_cleanup.sink) is not of the rule's form at y (Rescale)" l 's/p.fuse/p.sink/'
refuse same_side 1 "(quant_cleanup.identity) is not of the rule's form" l 's/p.fuse/p.identity/'
refuse rule_of_sum 1 "(simplify.clip_clip) is not of the rule's form at c (Add)" l 's/"fold"/"simplify.clip_clip"/'
# A log without steps that renames the input.
sed '1s/^/; {"node": 1, "result": 0, "name": "z"}\n/' "$tmp/b.sn" >"$tmp/l.sn"
t no_step 1 err "step 0 (none) renames an input" verify "$tmp/b.sn" "$tmp/b.sn" --log "$tmp/l.sn"
# Two chains with more paths than can be walked, deeper than a stack of 1 MB.
awk 'BEGIN { n = 20000
    printf "; {\"by\": \"cse\", \"use\": [[%d, 0, %d, 0]]}\n", 2 * n + 3, n + 1
    print "sinter-graph 1\ngraph \"d\" {\n  %x = Placeholder() : f32[8]"
    for (c = 0; c < 2; c++)
        for (i = 0; i < n; i++)
            printf "  %%%s = Max(%%%s, %%%s) : f32[8]\n", "v" c "_" i, p = i ? "v" c "_" i - 1 : "x", p
    printf "  Save(%%v0_%d) {name = \"y\"}\n  Save(%%v1_%d) {name = \"z\"}\n}\n", n - 1, n - 1 }' \
    >"$tmp/l.sn"
sed 1d "$tmp/l.sn" >"$tmp/b.sn"
(
    ulimit -s 1024
    t deep 1 err "its steps make another model" verify "$tmp/b.sn" "$tmp/b.sn" --log "$tmp/l.sn"
    exit $bad
) || bad=1
t usage 2 err "expected two models" verify "$tmp/before.sn" --log "$log"
t no_log 2 err "--log: is missing" verify "$tmp/before.sn" "$after"
t not_a_log 1 err "its steps make another model" verify "$tmp/before.sn" "$after" --log "$tmp/before.sn"
t log_is_input 2 err "is read as" opt "$tmp/before.sn" --log "$tmp/before.sn" -o "$after"
exit $bad
