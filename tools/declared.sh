#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lines of maps, of the vocabulary and of what writes expressions as C: of the last state in which
# maps were C, and of this one, both laid out by clang-format.
#
#   sh tools/declared.sh [-v]      -v: each file, too
#
# "later" is code without a counterpart before: proofs of maps for every size,
# checks of `test` lines, facts that passes request, programs in C.  The `test`
# lines of maps.def count as tests.
flags=-v
. "${0%/*}/help.sh"
was=6db32a64
verbose=${1:-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
git cat-file -e "$was^{commit}" || exit 1

# PART STATE FILES: what the code is for, in which state (was, now, later).  The
# meaning of maps was stated only in the remaining parts before: `language`
# reads, checks and binds it.
cat >"$tmp/list" <<'END'
shapes was src/graph/shape/*
shapes now src/graph/shape.c src/graph/map_args*
evaluators was src/kernel/eval/map* src/kernel/eval/move.c src/kernel/eval/topk*
evaluators was gen/node/emit_operand.c
evaluators now src/kernel/eval/map* src/kernel/eval/set_walk.c src/kernel/eval/move.c
evaluators now src/kernel/eval/copy* src/kernel/eval/topk* gen/node/emit_operand.c
prover was dsl/prove/trial/prove_taps.c dsl/prove/trial/prove_map.c dsl/prove/trial/prove_draw.c
prover now dsl/prove/trial/prove_map* dsl/prove/trial/prove_draw.c
prover now dsl/prove/trial/prove_draw_map.c
prover later dsl/prove/index/* dsl/prove/real/maps.c dsl/prove/real/shape.c
meaning was dsl/resolve/resolve_sem.c
meaning now dsl/resolve/resolve_sem.c
language now maps.def dsl/syntax/parse_map.c dsl/resolve/map/*param.c dsl/resolve/map/*stmt.c
language now dsl/resolve/map/*expr.c dsl/resolve/map/*use.c dsl/resolve/map/*map.c
language now dsl/resolve/map/*.h gen/node/emit_maps.c src/map/bind.c src/map/value.c
language now src/map/mapping* src/map/read.c src/map/run.c src/map/term* src/map/linear.c
language now src/map/words.c src/map/decl.h
language later dsl/resolve/map/*test.c src/map/facts* src/graph/moved* src/graph/axes*
language later src/aot/node/map_c.c
vocabulary was dsl/resolve/resolve_expr.c dsl/resolve/resolve_operator.c
vocabulary was dsl/prove/trial/prove_expr.c dsl/prove/trial/prove_eval.c src/kernel/eval/inv.h
vocabulary now dsl/model/words* src/base/lang/lang* dsl/resolve/resolve_expr.c
vocabulary now dsl/resolve/resolve_operator.c dsl/prove/trial/prove_expr.c
vocabulary now dsl/prove/trial/prove_eval.c src/kernel/eval/inv.h
emission was gen/node/emit_formula.c gen/node/formula.h gen/node/emit_inv.c
emission was gen/rule/emit_rule_expr.c gen/rule/emit_rule_call.c gen/rule/emit_guard.c
emission was gen/rule/rule_expr.h
emission now gen/expr/* gen/node/emit_formula.c gen/node/formula.h gen/node/emit_inv.c
emission now gen/rule/emit_rule_expr.c gen/rule/emit_guard.c gen/rule/emit_where.c
END

mkdir "$tmp/was" "$tmp/now"
git archive "$was" dsl gen src | tar -x -C "$tmp/was"
cp -r dsl gen src maps.def "$tmp/now"
cp .clang-format "$tmp"
set -f
while read -r part state files; do
    tree=now
    [ "$state" = was ] && tree=was
    echo "$part $state $tree"
    # shellcheck disable=SC2086
    (set +f && cd "$tmp/$tree" && set -- $files && wc -l "$@" >/dev/null && ls "$@")
done <"$tmp/list" >"$tmp/files" || exit 1
awk 'NF == 3 { head = $0; next } /[.]([ch]|def)$/ { print head, $0 }' "$tmp/files" |
    while read -r part state tree f; do
        case $f in
        *.[ch]) n=$(clang-format "$tmp/$tree/$f" | wc -l) ;;
        *) n=$(awk '/^  test /{ t = 1 } !t; /;$/{ t = 0 }' "$tmp/$tree/$f" | wc -l) ;;
        esac
        echo "$part $state $n $f"
    done >"$tmp/all"
[ "$verbose" = -v ] && cat "$tmp/all"
awk '{ n[$1, $2] += $3; part[$1] = 1; all[$2] += $3 }
    function line(p, w, k, l) {
        printf "%-11s %6d before, %6d now (%s), and %d of later features\n", p, w, k,
            w ? sprintf("%3d %%", 100 * k / w) : "new", l
    }
    END {
        for (p in part)
            line(p, n[p, "was"], n[p, "now"], n[p, "later"])
        line("all", all["was"], all["now"], all["later"])
    }' "$tmp/all" | sort
