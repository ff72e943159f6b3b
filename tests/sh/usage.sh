#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What verbs of sinter, and sinter-gen, refuse or warn of besides what other
# scripts show: options, files that do not fit the model, one another, or the
# place they would be written to.
suite=usage
. tests/sh_case.sh

# npy FILE DESCR COLUMNS NUMBERS: 4 samples of NUMBERS (bytes, as octal escapes).
npy() {
    printf '\223NUMPY\1\0\166\0%-117s\n' \
        "{'descr': '$2', 'fortran_order': False, 'shape': (4, $3), }" >"$1"
    for i in 1 2 3 4; do printf "$4" >>"$1"; done
}
one='\0\0\200\77' many='\0\0\177\103' # 1 and 255 as binary32
npy "$tmp/x.npy" '<f4' 4 "$one$one$one$one"
npy "$tmp/wide.npy" '<f4' 4 "$many$many$many$many"
npy "$tmp/real.npy" '<f4' 1 "$one"
npy "$tmp/three.npy" '<f4' 3 "$one$one$one"

# graph NAME LINES: a model of one input of four numbers.
graph() {
    { echo "sinter-graph 1"; echo 'graph "g" {'; echo "$2"; echo '}'; } >"$tmp/$1.sn"
}
x='  %x = Placeholder() : f32[1,4]'
graph relu "$x
  %y = Relu(%x) : f32[1,4]
  Save(%y) {name = \"y\"}"
graph abs "$x
  %y = Abs(%x) : f32[1,4]
  %z = Relu(%y) : f32[1,4]
  Save(%z) {name = \"z\"}"
graph two "$x
  %y = Relu(%x) : f32[1,4]
  %z = Abs(%x) : f32[1,4]
  Save(%y) {name = \"y\"}
  Save(%z) {name = \"z\"}"
graph part "$x
  %y = Slice(%x) {start = [0, 0], size = [1, 3], step = [1, 1]} : f32[1,3]
  Save(%y) {name = \"y\"}"
graph none "$x
  %y = Relu(%x) : f32[1,4]"
graph square '  %x = Placeholder() : f32[1,2,2]
  %y = Relu(%x) : f32[1,2,2]
  Save(%y) {name = "y"}'
graph codes '  %f = Placeholder() : f32[1,4]
  %x = Quantize(%f) : qi8<0.01, 0>[1,4]
  %y = Dequantize(%x) : f32[1,4]
  Save(%y) {name = "y"}'
graph longer '  %x = Placeholder() : f32[1,5]
  %y = Relu(%x) : f32[1,5]
  Save(%y) {name = "y"}'
relu=$tmp/relu.sn in=$tmp/x.npy

# ---- options ----
t size_word 2 err "--max-memory: 'much' is not a size: expected a number of one or more" \
    inspect "$relu" --max-memory much
t size_unit 2 err "'4GB' is not a size" inspect "$relu" --max-memory 4GB
t size_none 2 err "'0' is not a size" inspect "$relu" --max-memory 0
t size_huge 2 err "'1e30' is not a size" inspect "$relu" --max-memory 1e30
t size_fine 0 out "Relu" inspect "$relu" --max-memory 1.5G
t list_end 2 err "'1,' is not a list of numbers separated by commas" run "$relu" --input "$in" --mul 1,
t list_nan 2 err "'nan' is not a list of numbers" run "$relu" --input "$in" --mul nan
t verb_far 2 err "is not a verb of sinter; see 'sinter --help'" "$tmp/x"
t help_two 2 err "is one argument too many: expected a verb" help run draw
t batch_text 2 err "--batch: is for ONNX models; the shapes of $relu are fixed" inspect "$relu" --batch 2
t shape_text 2 err "--shape: is for ONNX models" inspect "$relu" --shape 'x=1,4'
t dim_text 2 err "--dim: is for ONNX models" inspect "$relu" --dim n=4
t no_input 2 err "--input: is missing: expected a .npy or .pb file" run "$relu"
t skip_all 2 err "--skip: leaves none of 4 samples" run "$relu" --input "$in" --skip 4
t few 0 err "--input: holds 4 samples, fewer than the 9 asked for" run "$relu" --input "$in" -n 9
for o in '--labels l' '--classes l' '--compare l' '--dump l.npy'; do
    # shellcheck disable=SC2086
    t "kernels_alone ${o%% *}" 2 err "${o%% *}: cannot be combined with --check-kernels, which compares nodes" \
        run "$relu" --input "$in" --backend cpu --check-kernels $o
done
t resize_blank 2 err "--resize: '8 x 8' has a blank" run "$relu" --input "$in" --resize '8 x 8'
t suffix 2 err "must end in .dot, .svg, .png or .pdf" draw "$relu" -o "$tmp/x.gif"
t no_kernels 2 err "--tune: requires a backend with kernels: interp has none" \
    bench "$relu" --backend interp --tune
printf 'sinter-vectors 1 nobody\nrow contract : x.scale w.scale y.scale y.zp acc y\n1 1 1 0 5 5\n' >"$tmp/nobody.txt"
t vectors_none 3 err "no arithmetic is named 'nobody'; one of a plugin requires --backend-plugin FILE" \
    run --check-vectors "$tmp/nobody.txt"
t vectors_model 2 err "--check-vectors: cannot be combined with a model" \
    run "$relu" --check-vectors "$tmp/nobody.txt"

# ---- the order of words ----
t before_verb 0 out "Relu" --max-memory 1G inspect "$relu"
t before_joined 0 out "Relu" --max-memory=1G inspect "$relu"
t before_alone 2 err "--verify" --verify
t short_help 0 out "Usage: sinter VERB" -h
t joined 0 out "1 y argmax 0" run "$relu" --input "$in" -n2
t joined_word 2 err "'x' is not a number" run "$relu" --input "$in" -nx
t after_dashes 3 err "-x.sn" inspect -- -x.sn
t empty_path 2 err "inspect: argument 1 is empty: expected MODEL" inspect ''
t empty_second 2 err "diff: argument 2 is empty: expected A B" diff "$relu" ''
t empty_output 2 err "-o: requires FILE, got ''" opt "$relu" -o ''
t empty_joined 2 err "--log: requires FILE, got ''" opt "$relu" --log=
t empty_data 2 err "--input: requires FILE, got ''" run "$relu" --input ''
t dash 0 out "digraph" draw "$relu" -o -
t layouts 0 out "3 y argmax 0" run "$relu" --input "$in" --layout nhwc
t layout_first 0 out "3 y argmax 0" run "$relu" --input "$in" --layout nchw
t layout_auto 0 out "3 y argmax 0" run "$relu" --input "$in" --layout auto
t skip_most 0 out "y argmax 0:" run "$relu" --input "$in" --skip 3 -n 9223372036854775807
t target_none 2 err "--target: no backend is named 'nobody'" run "$relu" --input "$in" --target nobody
t target 0 out "3 y argmax 0" run "$relu" --input "$in" --target cpu
t passes_seen 0 err "fold" opt "$relu" --pipeline optimize --time-passes -o "$tmp/o.sn"
t passes_checked 0 err "" opt "$relu" --pipeline optimize --check-passes --seed 7 -o "$tmp/o.sn"
t average_word 2 err "--moving-average: 'much' is not a number above 0 and at most 1" \
    profile "$relu" --calib "$in" --moving-average much -o "$tmp/p.json"
t average_more 2 err "'1.5' is not a number above 0 and at most 1" \
    profile "$relu" --calib "$in" --moving-average 1.5 -o "$tmp/p.json"
t average_shard 2 err "--moving-average: cannot be combined with --shard" \
    profile "$relu" --calib "$in" --moving-average 0.5 --shard 1/2 -o "$tmp/p.json"
t average 0 err "" profile "$relu" --calib "$in" --moving-average 0.5 -o "$tmp/p.json"
t average_range 0 err "" quantize "$relu" --calib "$in" --range x=moving-average -o "$tmp/o.sn"

# ---- drawing ----
mkdir "$tmp/bin" "$tmp/empty"
printf '#!/bin/sh\nexit 3\n' >"$tmp/bin/dot"
chmod +x "$tmp/bin/dot"
path=$PATH
PATH=$tmp/bin:$path
t dot_fails 5 err "dot: failed to draw the graph" draw "$relu" -o "$tmp/x.svg"
PATH=$path
PATH=$tmp/empty "$sinter" draw "$relu" -o "$tmp/x.svg" 2>"$tmp/err"
fine dot_none [ $? = 4 ]
fine dot_none_text grep -qF "dot: Graphviz is not installed; write a .dot file instead" "$tmp/err"
fine dot_nothing [ ! -e "$tmp/x.svg" ]

# ---- names and differences ----
t names 0 out "of the model" inspect "$relu" --names
t names_json 0 out '{"nodes": [' inspect "$relu" --names --json
graph longer2 '  %x = Placeholder() : f32[1,5]
  %k = Constant() {data = [1, 2, 3, 4, 5]} : i64[5]
  %y = Relu(%x) : f32[1,5]
  Save(%y) {name = "y"}
  Save(%k) {name = "k"}'
graph longer3 '  %x = Placeholder() : f32[1,5]
  %k = Constant() {data = [1, 2, 0, 4, 0]} : i64[5]
  %y = Relu(%x) : f32[1,5]
  Save(%y) {name = "y"}
  Save(%k) {name = "k"}'
t diff_shape 1 out "[1,4] -> [1,5]" diff "$relu" "$tmp/longer.sn"
t diff_shape_json 1 out '"shape"' diff "$relu" "$tmp/longer.sn" --json
t diff_data 1 out "2 of 5" diff "$tmp/longer2.sn" "$tmp/longer3.sn"
t diff_none 0 out "" diff "$relu" "$relu"

# ---- places ----
mkdir "$tmp/folder.sn" "$tmp/one" "$tmp/one/a" "$tmp/one/b"
t to_folder 5 err "-o: '$tmp/folder.sn' is a directory" opt "$relu" -o "$tmp/folder.sn"
t onto_input 2 err "'$in' would be replaced by an .npy file, and is read as '$in': expected another file" \
    run "$relu" --input "$in" --dump "$in"
ln -s "$in" "$tmp/link.npy"
t onto_link 2 err "is read as 'x=$in': expected another file" \
    run "$relu" --input "x=$in" --dump "$tmp/link.npy"
t onto_compared 2 err "is read as '$relu'" run "$tmp/abs.sn" --input "$in" --compare "$relu" --dump "$relu"

# ---- files that do not fit ----
t outputs 3 err "$tmp/two.sn: has 2 outputs, but the model has 1" run "$relu" --input "$in" --compare "$tmp/two.sn"
t sizes 3 err "output 'y' has another size" run "$relu" --input "$in" --compare "$tmp/part.sn"
t one_model 2 err "MODEL: expected two models, the float one and the quantized one; got 1" \
    compare "$relu" --input "$in"
t pair_shapes 3 err "input 'x' is [1, 5], but that of $relu is [1, 4]: --batch, --dim and --shape" \
    compare "$relu" "$tmp/longer.sn" --input "$in"
t picture 3 err "tests/images/rgb.png: holds pictures, but input 'x' is [1, 4]: expected 1 or 3 channels" \
    run "$relu" --input tests/images/rgb.png
t score_none 3 err "--labels: the model has no output to score" run "$tmp/none.sn" --input "$in" --labels "$in"
t score_real 3 err "real.npy: holds f32, expected integer class numbers" \
    run "$relu" --input "$in" --labels "$tmp/real.npy"
t score_square 3 err "cannot score output 'y', which is [1, 2, 2]: expected one row of classes" \
    run "$tmp/square.sn" --input "$in" --labels "$in"
t saturates 0 err "100.0 % of the values that --input gives input 'f' (255 to 255) saturate at -1.285 and 1.275: were --mul and --add forgotten?" \
    run "$tmp/codes.sn" --input "$tmp/wide.npy"
t float_export 0 err "nothing in $relu is quantized: the model is written with float operators" \
    export "$relu" --format qdq -o "$tmp/float.onnx"

# ---- profiles ----
"$sinter" profile "$relu" --calib "$in" -o "$tmp/relu.json" 2>/dev/null
"$sinter" profile "$tmp/two.sn" --calib "$in" -o "$tmp/two.json" 2>/dev/null
t profile_other 3 err "relu.json: was made from another model: it has no range for " \
    quantize "$tmp/abs.sn" --load-profile "$tmp/relu.json" -o "$tmp/o.sn"
t profile_more 0 err "two.json has another graph hash, but has every value by name; it was made from" \
    quantize "$relu" --load-profile "$tmp/two.json" -o "$tmp/o.sn"
fine profile_stale grep -q "two.json also has values that the model does not: " "$tmp/err"
t profile_average 3 err "relu.json: holds no moving averages, which 'x=moving-average' asks for" \
    quantize "$relu" --load-profile "$tmp/relu.json" --range x=moving-average -o "$tmp/o.sn"
t profile_both 2 err "--dump-profile: cannot be combined with --load-profile" \
    quantize "$relu" --load-profile "$tmp/relu.json" --dump-profile "$tmp/p.json" -o "$tmp/o.sn"
t one_sample 0 err "the ranges come from one sample, which others may exceed" \
    quantize "$relu" --calib "$in" -n 1 -o "$tmp/o.sn"

# ---- folders of classes ----
graph pixels '  %x = Placeholder() : f32[1,17,17,3]
  %p = AvgPool(%x) {kernel = [17,17]} : f32[1,1,1,3]
  %r = Reshape(%p) {dims = [1,3]} : f32[1,3]
  Save(%r) {name = "y"}'
cp tests/images/rgb.png "$tmp/one/a"
cp tests/images/rgb.png "$tmp/one/b"
printf 'a\nred\nblue\n' >"$tmp/names.txt"
t folders 3 err "has 2 folders for 3 classes: expected one for each class, sorted by name" \
    run "$tmp/pixels.sn" --input "$tmp/one" --preset raw
t folder_name 3 err "its folder 'b' is not a class of $tmp/names.txt, but 1 of 2 folders are: expected all of them" \
    run "$tmp/pixels.sn" --input "$tmp/one" --preset raw --classes "$tmp/names.txt"
printf 'a\nb\n' >"$tmp/names.txt"
t classes_few 3 err "names.txt: has 2 lines, but the output has 3 classes" \
    run "$tmp/pixels.sn" --input "$tmp/one" --preset raw --classes "$tmp/names.txt"

# ---- the program in C ----
CC=$tmp
export CC
t no_start 6 err "$tmp: cannot start: Permission denied" run "$relu" --input "$in" --backend c
abs=$PWD/$sinter
case $sinter in /*) abs=$sinter ;; esac
(PATH=$tmp "$abs" run "$relu" --input "$in" --backend c) >"$tmp/out" 2>"$tmp/err"
[ $? = 4 ] && grep -qxF -- "--backend c: requires a shell, but 'sh' is not in PATH" "$tmp/err"
say $? no_shell
CC=false
t no_program 4 err "--backend c: 'false' does not compile the program" run "$relu" --input "$in" --backend c
unset CC

# ---- sinter-gen ----
sinter=$BUILD/sinter-gen
t gen_help 0 out "usage: sinter-gen" --help
t gen_none 2 err "no declarations: give '--nodes F'"
t gen_unknown 2 err "unknown argument '--chekc'" --chekc
for o in --nodes --passes --backend --core --plugin --sources --vectors --count --format --emit-smt2 -I -o; do
    t "gen_missing $o" 2 err "a value is missing after '$o'" "$o"
    t "gen_empty $o" 2 err "a value is missing after '$o'" "$o" ''
done
t gen_empty_joined 2 err "a value is missing after '--nodes='" --nodes=
for n in 0 1000001 3x; do
    t "gen_count $n" 2 err "expected a number from 1 to 1000000, not '$n'" --vectors float --count "$n"
done
# often N WORDS: WORDS N times.
often() { i=0; while [ $((i += 1)) -le "$1" ]; do printf '%s ' "$2"; done; }
# shellcheck disable=SC2046
t gen_dirs 2 err "more than 32 options '-I'" $(often 33 '-I .')
# shellcheck disable=SC2046
t gen_backends 2 err "more than 32 options '--backend'" $(often 33 '--backend x.def')
# shellcheck disable=SC2046
t gen_sources 2 err "more than 256 options '--sources'" $(often 257 '--sources x.c')

# Files that cannot be written, and standard output that cannot.
mini="--no-prove --nodes tests/gen/mini.def -I ."
# shellcheck disable=SC2086
t gen_to_file 5 err "$relu: cannot make the directory" $mini -o "$relu"
# shellcheck disable=SC2086
t gen_cases_to_file 5 err "$relu: cannot make the directory" $mini --cases -o "$relu"
t gen_smt2_to_file 5 err "$relu: cannot make the directory" --check --nodes tests/gen/mini.def -I . --emit-smt2 "$relu"
# Options that would be without effect.
t gen_count_alone 2 err "requires --vectors: '--count'" --check --count 5
t gen_smt2_unproved 2 err "cannot be combined with --no-prove: '--emit-smt2'" --check --no-prove --emit-smt2 "$tmp/smt"
for o in --check --explain --report "--emit-smt2 x"; do
    # shellcheck disable=SC2086
    t "gen_cases ${o% *}" 2 err "cannot be combined with --cases: '${o% *}'" --cases $o $mini
done
for o in --cases "--emit-smt2 x" "-o x"; do
    # shellcheck disable=SC2086
    t "gen_vectors ${o% *}" 2 err "cannot be combined with --vectors: '${o% *}'" --vectors float $o
done
t gen_explain_nothing 2 err "expected codes of messages after 'explain'" explain
for x in sinter sinter-gen; do
    "$BUILD/$x" --help >/dev/full 2>"$tmp/err"
    fine "full $x" [ $? = 5 ]
    fine "full_text $x" grep -q "standard output: cannot write" "$tmp/err"
done

# Prototypes that are right however they are written, and some that are not.
cat >"$tmp/k.c" <<'C'
/* a kernel { in a comment } */
#define TWO(x) { x; } \
    int sn_npu_two(void) {
#include "x.h" // sn_npu_conv(void) {
static const char text[] = "sn_npu_two(const SnCall *c) { \" \\", brace = '{', quote = '\'';
struct one { int a[2]; };
typedef int (*function)(const SnCall *);
extern SnStatus sn_npu_two(int);
__attribute__((noinline)) __attribute__((hot)) SnStatus
sn_npu_conv(const SnCall *const c) __attribute__((cold))
{
    if (c) { return SN_OK; }
    return SN_OK;
}
SnStatus sn_npu_two(const SnCall *c) { return SN_OK; }
SnStatus sn_npu_add_relu(SnCall const *c) { return SN_OK; }
bool sn_npu_pack(register SnPrep *p) { return true; }
int npu_lower(const SnGraph *g, SnId) { return 0; }
bool sn_npu_pack_filter(SnGraph *g, SnRewriter *rw, SnId root) { return true; }
int (*pointer(void))(int) { return 0; }
int broken) { }
__attribute__ {
C
npu="--check --no-prove --backend tests/gen/backend.def -I . --sources $tmp/k.c"
# shellcheck disable=SC2086
t sources 0 err "" $npu
# wrong NAME SED TEXT: what is said of a prototype that SED has changed.
cp "$tmp/k.c" "$tmp/right.c"
wrong() {
    sed "$2" "$tmp/right.c" >"$tmp/k.c"
    cmp -s "$tmp/k.c" "$tmp/right.c" && echo "not ok usage sources_$1: nothing changed" && bad=1
    # shellcheck disable=SC2086
    t "sources_$1" 1 err "$3" $npu
}
wrong two 's/^SnStatus sn_npu_two.const SnCall .c/&, int n/' \
    'error[SN701]: kernel sn_npu_two has the wrong prototype; see npu_kernels.h'
wrong stars 's/SnId root/SnId **root/' 'error[SN701]: builder sn_npu_pack_filter has the wrong prototype'
wrong array 's/SnId root/SnId root[2]/' 'error[SN701]: builder sn_npu_pack_filter'
wrong words 's/SnId root/unsigned long int root/' 'error[SN701]: builder sn_npu_pack_filter'
wrong fewer 's/, SnId)/)/' 'error[SN701]: hook npu_lower has the wrong prototype'
wrong none 's/register SnPrep .p//' 'error[SN701]: prepare sn_npu_pack has the wrong prototype'
wrong type 's/^SnStatus sn_npu_add/int sn_npu_add/' 'error[SN701]: kernel sn_npu_add_relu has the wrong prototype'
wrong constant 's/SnCall const/SnCall/' 'error[SN701]: kernel sn_npu_add_relu has the wrong prototype'
wrong gone 's/^int npu_lower/int npu_raise/' 'error[SN703]: hook npu_lower is defined in no source file'
t sources_unread 3 err "nowhere.c: cannot open" --check --no-prove --backend tests/gen/backend.def -I . --sources "$tmp/nowhere.c"
exit $bad
