#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The results of maps, against the evaluators that were written by hand before
# maps were declared: nodes over each map, drawn at random, run by the
# evaluators of both states of the tree, values compared bit for bit (a NaN may
# have any sign and payload).  The old state is built in build/long/before from
# the history of this tree.
#
#   sh tests/long/before.sh [MAP...]      only these
#
# BEFORE_CASES=N   nodes over each map (100 000; docs/testing.md: 1 000 000)
# BEFORE_SEED=S    first seed (1)
#
# One line a map says how many nodes gave the same values; each line "apart"
# has a kind, what happened, how often, and the first seed, which
# `build/tests/before_draw MAP SEED 1` draws.  Expected differences are in the
# list `known` below; anything else is "not ok".  The old state has the Neg of
# 1b41508, which deliberately changes the sign of its zeros.
. "${0%/*}/../../tools/help.sh"
set -u
BUILD=${BUILD:-build} CC=${CC:-gcc} MAKE=${MAKE:-make}
commit=6db32a64
cases=${BEFORE_CASES:-100000}
first=${BEFORE_SEED:-1}
old=$BUILD/long/before
chunk=6000
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

if ! git cat-file -e "$commit^{commit}" 2>"$tmp/log"; then
    echo "skip before: this copy has no history with $commit"
    exit 0
fi
if [ ! -x "$old/run" ] || [ -n "$(find tests/tools/before_run.c -newer "$old/run")" ]; then
    mkdir -p "$old"
    git archive "$commit" | tar -x -C "$old"
    sed -i 's/sem point y = q(0 - d(x)) over each(x);/sem point y = q(-1 * d(x)) over each(x);/' \
        "$old/nodes.def"
    libs='-lprotobuf-c -ljansson -lxxhash -lpthreadpool -lpthread -lm'
    # shellcheck disable=SC2086
    if ! "$MAKE" -s -C "$old" CC="$CC" BUILD=build SAN= GENFLAGS=--no-prove build/libsinter.a \
        >"$tmp/log" 2>&1 ||
        ! "$CC" -std=c11 -D_GNU_SOURCE -O2 -I"$old/src" -I"$old" -I"$old/build/gen" -o "$old/run" \
            tests/tools/before_run.c "$old/build/libsinter.a" $libs >"$tmp/log" 2>&1; then
        echo "not ok before: $commit does not build: $(grep -m 1 error "$tmp/log")"
        exit 1
    fi
fi
"$BUILD/tests/before_draw" >"$tmp/kinds" || exit 1
# What has another reason than a defect, by its text.
cat >"$tmp/known" <<'END'
^apart . old refused: error: there is no node kind '(Scaled(Sigmoid|Tanh|Softmax)|RMSNormalize)'; new runs,
^apart . old refused: error: .*no Normalize takes .*; new runs,
^apart . old failed: the window of (row|column) N of the result has no valid element; new failed: the
END
# Maps that are newer than the old state are left out.
maps=${*:-$(cut -d ' ' -f 2 "$tmp/kinds" | sort -u | grep -vxE 'pick|running|triangle')}

# Lines "same MAP n" and "apart KIND TEXT@SEED"; after the first difference of
# a graph nothing more of it counts.
cat >"$tmp/compare.awk" <<'AWK'
# What was said, without its place and numbers.
function text(  t, i) {
    t = $3
    for (i = 4; i <= NF; i++)
        t = t " " $i
    if ($2 == "refused")
        sub(/^case:[0-9]+:[0-9]+: /, "", t)
    else
        sub(/^[^:]*: /, "", t)
    gsub(/-?[0-9]+/, "N", t)
    return $2 ": " t
}
function apart(k, what) {
    print "apart", k, what "@" $1
    done[$1] = 1
}
FILENAME == ARGV[1] { map[$1] = $2; next }
FILENAME == ARGV[2] && ($2 == "failed" || $2 == "refused") { end[$1] = text(); next }
FILENAME == ARGV[2] { hash[$1, $2] = $4; next }
$1 in done { next }
$2 == "failed" || $2 == "refused" {
    t = text()
    if ($1 in end && end[$1] == t)
        print "both", t
    else
        apart("?", "old " ($1 in end ? end[$1] : "runs") "; new " t)
    next
}
$1 in end { apart("?", "old " end[$1] "; new runs"); next }
hash[$1, $2] == $4 { if ($3 in map) n[map[$3]]++; next }
{ apart($3, "values") }
END { for (m in n) print "same", m, n[m] }
AWK

# one MAP: chunks until there are enough nodes of it
one() {
    seed=$first
    got=0
    : >"$tmp/all"
    while [ "$got" -lt "$cases" ]; do
        "$BUILD/tests/before_draw" "$1" "$seed" "$chunk" >"$tmp/graphs" &&
            "$old/run" <"$tmp/graphs" >"$tmp/old" &&
            "$BUILD/tests/before_run" <"$tmp/graphs" >"$tmp/new" || return 1
        awk -f "$tmp/compare.awk" "$tmp/kinds" "$tmp/old" "$tmp/new" >"$tmp/part" || return 1
        cat "$tmp/part" >>"$tmp/all"
        more=$(awk -v m="$1" '$1 == "same" && $2 == m { print $3 }' "$tmp/part")
        [ "${more:-0}" -gt 0 ] || break
        got=$((got + more))
        seed=$((seed + chunk))
    done
    grep '^apart' "$tmp/all" | awk '{ at = $0; sub(/.*@/, "", at); sub(/@[0-9]*$/, "")
        if (!n[$0]++) first[$0] = at }
        END { for (t in n) print n[t], t ", first at seed " first[t] }' >"$tmp/apart"
    was=$bad
    while read -r n what; do
        echo "  $n $what"
        if ! echo "$what" | grep -qEf "$tmp/known"; then
            echo "not ok before $1: $what"
            bad=1
        fi
    done <"$tmp/apart"
    if [ "$got" -lt "$cases" ]; then
        echo "not ok before $1: $got nodes of $cases"
        bad=1
    elif [ "$was" = "$bad" ]; then
        echo "ok before $1: $got nodes the same, seeds $first to $((seed - 1)); graphs that both" \
            "refuse or fail on: $(grep -c '^both' "$tmp/all")"
    fi
}
bad=0
for m in $maps; do
    if ! one "$m"; then
        echo "not ok before $m: a program ended early"
        bad=1
    fi
done
exit $bad
