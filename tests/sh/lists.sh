#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Names in declarations are not listed a second time in C.  A C file that names
# four or more nodes, ONNX operators or hooks, two maps, or ten functions or
# statements of the language, is listed here with its reason; entries that a
# declaration could replace say so.
suite=lists
. tests/sh_case.sh

cat >"$tmp/listed" <<'END'
names src/onnx/hooks/hooks_fn.c operators of one hook, and nodes of normalizations
names src/onnx/hooks/hooks_nn.c nodes that windows are put together of
names src/onnx/hooks/hooks_fused.c activations by the words that FusedConv has for them
names src/onnx/hooks/hooks_int.c operators of ONNX that take 8-bit integers for numbers
names src/onnx/hooks/hooks_rnn.c activations, and nodes of a step
names src/onnx/hooks/hooks_quant.c nodes that conversions are put together of
names src/onnx/hooks/hooks_integer.c nodes that plain integers are put together of
names src/onnx/hooks/hooks_resize.c nodes that a Resize is put together of
names src/onnx/import/import_codes.c nodes by which codes get a scale or become numbers
names src/onnx/import/import_make.c nodes that hooks add most
names src/onnx/import/import_position.c nodes that positions are worked out by
names src/onnx/export/export_bag.c operators that embedding sums are written as
names src/onnx/export/export_fn.c operators that nodes without a line are written as
names src/onnx/export/export_map.c attributes that operators have from a later opset on
names src/onnx/export/export_norm.c operators that normalizations are written as
names src/onnx/export/export_ops.c which hook writes a kind, and what runs on codes
names src/onnx/export/export_qop.c operators on codes: their operands are in an order of their own
names src/ep/ep_same.c operators that ONNX Runtime computes alike: a fact about ONNX Runtime
kinds src/onnx/export/export.c nodes that are no operator: data, conversions, ends
kinds src/onnx/export/export_plain.c boundaries, and casts of uint8
kinds src/rewrite/driver.c ends of the graph, conversions
kinds src/rewrite/integerize/integerize.c conversions that integerize puts in place
words dsl/model/words.h the maps that files of dsl and gen below know
maps dsl/prove/calculus/prove_legal.c results that have the shape of an operand
maps dsl/prove/calculus/prove_tree.c what fills enlarges others; the axes of permute have a rank
maps dsl/prove/trial/prove_early.c maps whose operands have a rank of their own
maps dsl/prove/trial/prove_draw.c draws that are denser than those of the declaration alone
maps dsl/resolve/resolve_pass.c maps element by element, below which a Reshape moves by L1
maps gen/case/case_vary.c attributes that near misses change
maps src/onnx/export/export.c a Transpose that goes into layouts; pads that ONNX Runtime refuses
hooks src/onnx/export/export_ops.c what reads an operator decides how it is written
functions dsl/prove/trial/prove_early.c those of types, clamps and numbers, known before shapes
functions dsl/prove/trial/prove_expr.c their values, written apart from the evaluators'
functions dsl/prove/trial/prove_eval.c values of formulas, written apart from the evaluators'
functions dsl/prove/trial/prove_arith.c values of rows, written apart from the evaluators'
functions dsl/prove/trial/prove_property.c what keeps order and signs in rows
functions dsl/prove/real/expr.c what each is over the reals
functions dsl/prove/real/element.c what each is over the reals
functions dsl/prove/real/maps.c shapes and places over the reals
functions dsl/prove/index/eval.c places of any rank and size
functions dsl/prove/index/congruent.c which of them say the same of two nodes
functions dsl/prove/index/equal.c statements of two nodes that say the same
functions dsl/prove/index/place.c places that several parts are read at
functions dsl/resolve/map/resolve_map_use.c which classes may be over a map
functions dsl/resolve/map/resolve_map_expr.c types of arguments and results
functions dsl/resolve/map/resolve_map_stmt.c where each statement may stand
functions dsl/resolve/resolve_sem.c types of a formula's arguments and results
functions dsl/resolve/resolve_along.c which places an index of a declaration is
functions dsl/resolve/arith/resolve_row.c which may stand in a row
functions gen/node/emit_formula.c as C, where they are more than a call
functions gen/node/emit_row.c as C of integers
functions src/map/words.c the table of their words
functions src/map/value.c their values
functions src/map/term.c their values at places
functions src/map/term_priv.h operators of terms
functions src/map/facts.c what each lets through of the order of axes
functions src/map/read.c what each statement gives
END

# ---- names of nodes and operators in quotes ----

sed -nE 's/^node ([A-Za-z0-9]+).*/"\1"/p; s/.*onnx ("[^"]*").*/\1/p' nodes.def \
    src/backend/*/*.def | sort -u >"$tmp/names"
[ "$(wc -l <"$tmp/names")" -ge 150 ]
say $? "declarations name $(wc -l <"$tmp/names") nodes and operators"
sed -nE 's/^map ([a-z_]+).*/"\1"/p' maps.def >"$tmp/maps"
[ "$(wc -l <"$tmp/maps")" -ge 20 ]
say $? "declarations name $(wc -l <"$tmp/maps") maps"

maps=$(paste -sd'|' "$tmp/maps")

# Each file once without comments, then one search for each kind of name: "WHAT FILE N".
mkdir "$tmp/c"
cp -r dsl gen src "$tmp/c"
(
    cd "$tmp/c" || exit 1
    files=$(find dsl gen src -name '*.[ch]' | sort)
    # shellcheck disable=SC2086
    {
        sed -i 's://.*::' $files
        grep -oHFf "$tmp/names" $files | sed 's/^/names /'
        grep -oHE '\bSN_MW_[A-Z_]+|\bsn_map_decl_[a-z_]+' $files | sed 's/^/maps /'
        grep -oHE "$maps" $files | sed 's/^/words /'
        grep -oHE '\bSN_K_[A-Z0-9_]+' $files | sed 's/^/kinds /'
        grep -oHE '\{sn_onnx_[a-z0-9_]+|\bsn_onnx_[a-z0-9_]+,' $files | sed 's/^/hooks /'
        grep -oHE '\bSN_(FN|MO|MS)_[A-Z0-9_]+' $files | sed 's/^/functions /'
    }
) | sort -u | sed 's/:.*//' | uniq -c |
    awk '$1 >= ($2 == "maps" ? 2 : $2 == "functions" ? 10 : 4) { print $2, $3, $1 }' \
        >"$tmp/counted"
while read -r what f n; do
    grep -q "^$what $f " "$tmp/listed"
    say $? "$f has $n $what$(sed -n "s|^$what $f |: |p" "$tmp/listed")"
    echo "$what $f" >>"$tmp/found"
done <"$tmp/counted"
while read -r what f why; do
    grep -qxF "$what $f" "$tmp/found"
    say $? "$what of $f are still there: $why"
done <"$tmp/listed"

# ---- hooks of the import: each has its reason in docs/onnx.md ----

grep -oh 'hook sn_onnx_[a-z0-9_]*' nodes.def src/backend/*/*.def | sed 's/hook //' | sort -u \
    >"$tmp/hooks"
sed -n '/^## What is read by C/,/^## Untrusted/s/^| \(`[^|]*\) |.*/\1/p' docs/onnx.md |
    grep -o 'sn_onnx_[a-z0-9_]*' | sort >"$tmp/reasons"
[ "$(wc -l <"$tmp/hooks")" -ge 10 ] && diff "$tmp/hooks" "$tmp/reasons"
say $? "docs/onnx.md has a reason for each of $(wc -l <"$tmp/hooks") hooks of nodes.def"
exit $bad
