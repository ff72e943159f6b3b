#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the provers with solvers: z3 and cvc5 get each question that a proof
# answered by a normal form or by Farkas' lemma (steps of certificates), and
# each obligation of the calculus that is only about codes. Counts the questions
# that they confirm, do not answer in time, and deny; fails if one denies a
# question, or does not answer every question.
# Usage: certify.sh BUILD [MILLISECONDS [QUESTIONS]]: for each question, default
# 2000; a folder that sinter-gen --emit-smt2 has written, made if not given
. "${0%/*}/help.sh"
set -u
build=${1:?usage: certify.sh BUILD [MILLISECONDS [QUESTIONS]]}
limit=${2:-2000}
dir=$build/certify
smt=${3:-$dir/smt}
bad=0
rm -rf "$dir"
mkdir -p "$dir"

files="--nodes nodes.def --passes passes.def"
for b in src/backend/*/*.def; do files="$files --backend $b"; done
# shellcheck disable=SC2086
[ $# -ge 3 ] || "$build/sinter-gen" $files -I . --check --emit-smt2 "$smt" >"$dir/log" 2>&1 ||
    { cat "$dir/log"; exit 1; }

# solve SOLVER KIND FILE..: one line of figures; names each denied question.
solve() {
    solver=$1 kind=$2
    shift 2
    asked=0 agreed=0 unknown=0 denied=0
    for f; do
        case $solver in
        z3) z3 -t:"$limit" "$f" ;;
        cvc5) cvc5 --incremental --tlimit-per="$limit" "$f" ;;
        esac >"$dir/answers" 2>"$dir/errors"
        q=$(grep -c '^(check-sat)' "$f")
        u=$(grep -cx unsat "$dir/answers")
        k=$(grep -cxE 'unknown|timeout' "$dir/answers")
        s=$(grep -cx sat "$dir/answers")
        asked=$((asked + q)) agreed=$((agreed + u))
        unknown=$((unknown + k)) denied=$((denied + s))
        if [ "$s" -gt 0 ]; then
            echo "$f: $solver denies question $(grep -xnE 'sat|unsat|unknown|timeout' \
                "$dir/answers" | grep ':sat' | head -n 1 | cut -d: -f1)"
            bad=1
        fi
        if [ $((u + k + s)) != "$q" ]; then
            echo "$f: $solver answers $((u + k + s)) of $q questions"
            head -n 3 "$dir/answers" "$dir/errors"
            bad=1
        fi
    done
    echo "$kind, $solver: $asked asked, $agreed agreed, $unknown unknown, $denied denied"
    [ "$asked" -gt 0 ] || bad=1
}

for solver in z3 cvc5; do
    solve $solver 'steps of certificates' "$smt"/steps/*.smt2
    solve $solver 'obligations of lemmas' "$smt"/*.smt2
done
exit $bad
