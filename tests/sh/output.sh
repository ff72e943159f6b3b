#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Outputs of every verb and of sinter-gen: files that are not replaced, messages
# about files that cannot be written, and no partial file after a failure.
suite=output
. tests/sh_case.sh
m=$demo/fashion_lrn.onnx img=$demo/calib_images.npy
px='--mul 0.00392156863'
gen=$BUILD/sinter-gen

# kept NAME FILE: FILE is as it was saved by `keep FILE`.
keep() { cp "$1" "$tmp/kept"; }
kept() {
    if cmp -s "$2" "$tmp/kept"; then
        echo "ok output $1"
    else
        echo "not ok output $1: $2 has changed"
        bad=1
    fi
}
# refused NAME CODE FILE TEXT ARGS...: as t, on standard error, and FILE stays.
refused() {
    rname=$1 rcode=$2 rfile=$3 rtext=$4
    shift 4
    keep "$rfile"
    t "$rname" "$rcode" err "$rtext" "$@"
    kept "${rname}_kept" "$rfile"
}

cp $m "$tmp/m.onnx"
cp $m "$tmp/model" # no suffix says what it is
cp $img "$tmp/c.npy"
cp $img "$tmp/c.sn"
cp $img "$tmp/c.dot"
cp $img "$tmp/c.svg"
cp "$tmp/m.onnx" "$tmp/other.onnx"
ln "$tmp/m.onnx" "$tmp/hard.onnx"
ln -s m.onnx "$tmp/soft.onnx"
printf 'caf\303\251\r\n\tgr\303\274n' >"$tmp/utf8"
printf 'caf\351\n' >"$tmp/latin1"
printf 'cut\303' >"$tmp/cut"
awk 'BEGIN { for (i = 0; i < 9000; i++) printf "ab" }' >"$tmp/late"
printf '\000' >>"$tmp/late"

# ---- text over what is not text ----
onnx="is the name of an ONNX model; this writes a graph as text"
refused opt_onnx 2 "$tmp/m.onnx" "-o: '$tmp/m.onnx' $onnx" opt "$tmp/m.onnx" -o "$tmp/m.onnx"
t opt_onnx_help 2 err "help: 'sinter export' writes ONNX models" opt "$tmp/m.onnx" -o "$tmp/new.onnx"
refused opt_model 5 "$tmp/model" "-o: '$tmp/model' is not text (byte 0x08 at offset 0) and is not replaced by text" \
    opt "$tmp/m.onnx" -o "$tmp/model"
refused opt_latin1 5 "$tmp/latin1" "(byte 0x0a at offset 4)" opt "$tmp/m.onnx" -o "$tmp/latin1"
refused opt_cut 5 "$tmp/cut" "(byte 0xc3 at offset 3)" opt "$tmp/m.onnx" -o "$tmp/cut"
refused opt_late 5 "$tmp/late" "(byte 0x00 at offset 18000)" opt "$tmp/m.onnx" -o "$tmp/late"
t opt_text 0 err "" opt "$tmp/m.onnx" -o "$tmp/utf8"
t opt_new 0 err "" opt "$tmp/m.onnx" -o "$tmp/f.sn"
t opt_itself 0 err "" opt "$tmp/f.sn" -o "$tmp/f.sn"
t opt_itself_reads 0 out "Conv2D" inspect "$tmp/f.sn"
refused profile_onnx 2 "$tmp/other.onnx" "is the name of an ONNX model; this writes a profile" \
    profile "$tmp/m.onnx" --calib "$img" -n 2 $px -o "$tmp/other.onnx"
refused profile_npy 5 "$tmp/c.npy" "(byte 0x93 at offset 0)" profile "$tmp/m.onnx" --calib "$img" -n 2 $px -o "$tmp/c.npy"
t profile 0 err "" profile "$tmp/m.onnx" --calib "$img" -n 2 $px -o "$tmp/p.json"
refused merge_npy 5 "$tmp/c.npy" "(byte 0x93 at offset 0)" profile merge "$tmp/p.json" -o "$tmp/c.npy"
refused dump_profile 5 "$tmp/model" "--dump-profile: '$tmp/model' is not text" \
    quantize "$tmp/m.onnx" --calib "$img" -n 2 $px -o "$tmp/q.sn" --dump-profile "$tmp/model"
refused quantize 5 "$tmp/c.sn" "-o: '$tmp/c.sn' is not text" \
    quantize "$tmp/m.onnx" --load-profile "$tmp/p.json" -o "$tmp/c.sn"
refused draw_dot 5 "$tmp/c.dot" "-o: '$tmp/c.dot' is not text" draw "$tmp/m.onnx" -o "$tmp/c.dot"
refused draw_svg 5 "$tmp/c.svg" "-o: '$tmp/c.svg' is not text" draw "$tmp/m.onnx" -o "$tmp/c.svg"
refused bench_svg 5 "$tmp/c.svg" "-o: '$tmp/c.svg' is not text" bench "$tmp/m.onnx" --runs 1 -o "$tmp/c.svg"
refused run_onnx 2 "$tmp/other.onnx" "--dump: '$tmp/other.onnx' is the name of an ONNX model; this writes an .npy file" \
    run "$tmp/m.onnx" --input "$img" -n 2 $px --dump "$tmp/other.onnx"

# ---- files that the command reads, by any name ----
read_as="would be replaced by an int8 model, and is read as '$tmp/m.onnx'"
for to in m hard soft; do
    refused quantize_$to 2 "$tmp/m.onnx" "$read_as" \
        quantize "$tmp/m.onnx" --load-profile "$tmp/p.json" -o "$tmp/$to.onnx"
done
refused export_itself 2 "$tmp/m.onnx" "would be replaced by an ONNX model, and is read as '$tmp/./m.onnx'" \
    export "$tmp/./m.onnx" --format qdq -o "$tmp/m.onnx"
refused calib_itself 2 "$tmp/c.npy" "would be replaced by a profile, and is read as 'image=$tmp/c.npy'" \
    profile "$tmp/m.onnx" --calib "image=$tmp/c.npy" -n 2 $px -o "$tmp/c.npy"
refused dump_itself 2 "$tmp/c.npy" "would be replaced by an .npy file, and is read as" \
    run "$tmp/m.onnx" --input "$tmp/c.npy" -n 2 $px --dump "$tmp/c.npy"
refused profile_itself 2 "$tmp/p.json" "--dump-profile: '$tmp/f.sn' is the name of the int8 model, too" \
    quantize "$tmp/m.onnx" --calib "$img" -n 2 $px -o "$tmp/f.sn" --dump-profile "$tmp/f.sn"
cp "$tmp/p.json" "$tmp/p2.json"
t merge_itself 0 err "2 samples" profile merge "$tmp/p2.json" -o "$tmp/p2.json"
t quantize_other 0 out "rescales:" quantize "$tmp/m.onnx" --load-profile "$tmp/p.json" -o "$tmp/other.onnx"

# ---- no room ----
# Past the limit a write fails as on a full disk; the signal is ignored.
small() { (trap '' XFSZ; ulimit -f "$1"; shift; "$@"); }
full() { # NAME COMMAND...: exits with 5, and nothing new is in $tmp/full
    name=$1
    shift
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    rc=$?
    if [ $rc -eq 5 ] && grep -q 'cannot write\|cannot make' "$tmp/err" &&
        [ "$(ls "$tmp/full")" = "$whole" ]; then
        echo "ok output $name"
    else
        echo "not ok output $name: exit $rc, expected 5; $(ls "$tmp/full")"
        head -n 3 "$tmp/err"
        bad=1
    fi
}
mkdir "$tmp/full"
t full_before 0 err "" opt "$tmp/m.onnx" -o "$tmp/full/a.sn"
whole=$(ls "$tmp/full")
sum=$(cat "$tmp"/full/* | cksum)
full full_opt small 4 "$sinter" opt "$tmp/m.onnx" -o "$tmp/full/b.sn"
# The weights fit and the text does not: neither is replaced.
{
    echo 'sinter-graph 1'
    echo 'graph "g" {'
    echo '  %x0 = Placeholder() : f32[1,512]'
    awk 'BEGIN { printf "  %%k = Constant() {data = ["; for (i = 0; i < 512; i++) printf "%s%d", i ? ", " : "", i; print "]} : f32[1,512]"
        print "  %y0 = Add(%x0, %k) : f32[1,512]"
        for (i = 0; i < 400; i++) printf "  %%y%d = Relu(%%y%d) : f32[1,512]\n", i + 1, i
        print "  Save(%y400) {name = \"out\"}" }'
    echo '}'
} >"$tmp/g.sn"
full full_two small 8 "$sinter" opt "$tmp/g.sn" --passes=dce -o "$tmp/full/a.sn"
if [ "$sum" = "$(cat "$tmp"/full/* | cksum)" ]; then
    echo "ok output full_two_kept"
else
    echo "not ok output full_two_kept: one of two files was replaced"
    bad=1
fi
full full_profile small 1 "$sinter" profile merge "$tmp/p.json" -o "$tmp/full/p.json"
full full_export small 4 "$sinter" export "$tmp/f.sn" --format qdq -o "$tmp/full/q.onnx"
full full_draw small 1 "$sinter" draw "$tmp/m.onnx" -o "$tmp/full/m.dot"
full full_dump small 4 "$sinter" run "$tmp/m.onnx" --input "$img" $px --dump "$tmp/full/y.npy"

# ---- sinter-gen ----
decl="--nodes nodes.def --passes passes.def -I ."
echo plain >"$tmp/plain"
full gen_full small 4 "$gen" $decl --no-prove -o "$tmp/gen1"
fine gen_full_nothing test -z "$(ls "$tmp/gen1")"
# Of files that are there all stay, though most fit.
"$gen" $decl --no-prove -o "$tmp/gen4" 2>"$tmp/err"
fine gen_old test -s "$tmp/gen4/sn_rules.c"
for f in "$tmp"/gen4/*; do echo >>"$f"; done
sum=$(cat "$tmp"/gen4/* | cksum)
full gen_full_old small 400 "$gen" $decl --no-prove -o "$tmp/gen4"
fine gen_full_old_stay test "$sum" = "$(cat "$tmp"/gen4/* | cksum)"
full gen_full_proofs small 1 "$gen" $decl -o "$tmp/gen2"
full gen_full_cases small 4 "$gen" $decl --cases -o "$tmp/gen3"
full gen_no_directory "$gen" $decl --no-prove -o "$tmp/plain/x"
full gen_no_directory_proofs "$gen" $decl -o "$tmp/plain/x"
full gen_no_directory_smt "$gen" $decl --check --emit-smt2 "$tmp/plain/x"
full gen_file "$gen" $decl --no-prove -o "$tmp/plain"
if ls "$tmp"/gen?/*tmp* >/dev/null 2>&1; then
    echo "not ok output gen_parts: $(ls "$tmp"/gen?/*tmp*)"
    bad=1
else
    echo "ok output gen_parts"
fi
have=$("$sinter" --version)
"$gen" --version >"$tmp/out" 2>"$tmp/err"
fine gen_version test "$(cat "$tmp/out")" = "sinter-gen ${have#sinter }"
if [ -w /dev/full ]; then
    for a in --help --version "explain SN101" "--check --format json" "--check --format sarif" "--explain --no-prove"; do
        # shellcheck disable=SC2086
        "$gen" $a >/dev/full 2>"$tmp/err"
        rc=$?
        if [ $rc -eq 5 ] && grep -q 'sinter-gen: standard output: cannot write' "$tmp/err"; then
            echo "ok output gen_stdout $a"
        else
            echo "not ok output gen_stdout $a: exit $rc, expected 5"
            bad=1
        fi
    done
    full export_stdout sh -c '"$1" export "$2" --format qdq -o - >/dev/full' - "$sinter" "$tmp/m.onnx"
    t dev_full 5 err "/dev/full: cannot write" opt "$tmp/m.onnx" -o /dev/full
fi
# A device or pipe has no file beside it: the values stand in the text.
"$sinter" opt "$tmp/m.onnx" -o /dev/stdout 2>"$tmp/err" | cat >"$tmp/piped.sn"
t piped 0 out "Conv2D" inspect "$tmp/piped.sn"
# Bytes of a model go to standard output as they go to a file.
t export_file 0 err "" export "$tmp/m.onnx" --format qdq -o "$tmp/file.onnx"
t export_stdout 0 out "" export "$tmp/m.onnx" --format qdq -o -
keep "$tmp/out"
kept export_stdout_same "$tmp/file.onnx"
# ---- two outputs, one of them on standard output ----
both="cannot be combined with"
t two_quantize 2 err "--dump-profile: $both -o: both go to standard output" \
    quantize "$tmp/m.onnx" --calib "$img" -n 2 $px -o - --dump-profile -
t two_opt 2 err "--log: $both -o: both go to standard output" opt "$tmp/f.sn" --log -
t two_bench 2 err "-o: $both --json: both go to standard output" bench "$tmp/f.sn" --runs 1 --json -o -
t two_export 2 err "-o: $both --json" export "$tmp/f.sn" --format qdq-twin --json -o -
t two_run 2 err "--dump: $both --json" run "$tmp/m.onnx" --input "$img" -n 2 $px --json --dump -
t compile_stdout 2 err "-o: '-' is standard output: expected a directory" compile "$tmp/f.sn" -o -
t svg 0 err "a run (median of 1" bench "$tmp/f.sn" --runs 1 -o -
fine svg_alone test "$(tail -n 1 "$tmp/out")" = "</svg>"
t profile_stdout 0 err "rescales:" quantize "$tmp/m.onnx" --calib "$img" -n 2 $px -o "$tmp/q.sn" --dump-profile -
cp "$tmp/out" "$tmp/stdout.json"
t profile_alone 0 err "2 samples" profile merge "$tmp/stdout.json" -o "$tmp/p2.json"
t dump_stdout 0 err "top-1" run "$tmp/m.onnx" --input "$img" -n 2 $px --labels "$demo/test_labels.npy" --dump -
fine dump_alone test "$(wc -c <"$tmp/out")" -eq 208
# ---- symbolic links to what is not there yet ----
mkdir "$tmp/far"
ln -s far/new.sn "$tmp/to_new.sn"
ln -s to_new.sn "$tmp/to_link.sn"
t link_new 0 err "" opt "$tmp/f.sn" -o "$tmp/to_link.sn"
fine link_new_stays test -h "$tmp/to_link.sn" -a -h "$tmp/to_new.sn" -a -f "$tmp/far/new.sn"
ln -s none/new.sn "$tmp/nowhere.sn"
t link_nowhere 5 err "nowhere.sn: cannot write: No such file or directory" \
    opt "$tmp/f.sn" -o "$tmp/nowhere.sn"
fine link_nowhere_stays test -h "$tmp/nowhere.sn"
ln -s round.sn "$tmp/round.sn"
t link_round 5 err "round.sn: cannot write: Too many levels of symbolic links" \
    opt "$tmp/f.sn" -o "$tmp/round.sn"
exit $bad
