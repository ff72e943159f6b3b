#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Damaged rules: those of `pass simplify` except the two that fold a batch norm
# (five minutes of proofs), and the derived merges, are all refused or proved
# right; a checker that ignores one error lets its class pass, and the score
# falls.  tests/long/mutants.sh takes every rule, and ten times the cases of a
# build instead of twice as many.
mutants="$BUILD/tests/mutants -m 2"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
defs="nodes.def passes.def $(echo src/backend/*/*.def)"
bad=0
say() { if [ "$2" = 0 ]; then echo "ok mutants: $1"; else echo "not ok mutants: $1"; bad=1; fi; }
run() { $mutants "$@" $defs >"$tmp/out" 2>&1; }

# whole NAME: every mutant of the rules that begin with NAME is refused or right.
whole() {
    run -o "$1" && tail -n 1 "$tmp/out" | grep -q ' 0 survived: 100.0 %$'
    say "$1 100 %" $?
    sed 's/^/| /' "$tmp/out" | tail -n 1
}
# planted CODE NAME WAY: without CODE, mutants of WAY survive, and no others.
planted() {
    run -d "$1" -o "$2"
    [ $? = 1 ] && grep -q '^SURVIVED' "$tmp/out" &&
        [ -z "$(grep '^SURVIVED' "$tmp/out" | grep -vE " ($3) [0-9]* ")" ]
    say "a checker without $1 lets ${3%|*} through" $?
    sed 's/^/| /' "$tmp/out" | tail -n 1
}
for begin in a c m p r s t; do whole simplify.$begin; done
whole 'merge Conv2D'
# Guards that ordinary cases cannot tell from nothing: pads below 0.
run -v -o backend.pad_conv
[ "$(grep -cE '^(refused|more) .*guard [0-9]+ \(p\.pads\[[1256]\] >= 0\)' "$tmp/out")" = 8 ]
say "eight guards of pad_conv are not equivalent" $?
planted SN403 'merge Conv2D' once
planted SN306 simplify.concat_one 'guard|number'
planted SN301 simplify.relu_clamp 'guard|clamp|number'
planted SN302 quant_cleanup.fuse claim
planted SN307 'integerize Relu -> q8' under
# seen NAME LINE: among the verdicts on mutants of NAME is LINE.
seen() {
    run -v -o "$1" && grep -qE "$2" "$tmp/out"
    say "$1: $2" $?
}
# All arithmetics compute a difference by the same rows, so that no claim of its
# own is needed for one; and conditions that no declaration writes are needed.
seen 'integerize Sub -> q8' '^rows .* under 0 \(else\) $'
seen 'merge Splat' '^refused .* implicit 1 \(the value commutes\) SN301$'
# What the checkers let through is left to the rules' cases.
run -t -d SN301 -o simplify.slice_noop
grep -q '[1-9][0-9]* killed by tests, 0 right' "$tmp/out" &&
    say "cases of slice_noop notice what a checker without SN301 lets through" $?
sed 's/^/| /' "$tmp/out" | tail -n 1
exit $bad
