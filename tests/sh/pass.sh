#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Pass tests.  tests/pass/NAME.sn is a graph with comments that describe the
# test:
#   ; RUN: FLAGS          flags of `sinter opt` (default --passes=quant_cleanup)
#   ; EXPECT              the lines after it, less "; ", are the exact output
#   ; COUNT: KIND N       so many nodes of a kind in the output
#   ; WHY: TEXT           `sinter why` on the output says this
#   ; ERROR: CODE TEXT    the run exits with CODE and says TEXT
# Every run is verified after each pass, and every fire is checked on values.
BUILD=${BUILD:-build}
sinter=$BUILD/sinter
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bless=
[ "${1:-}" = --bless ] && bless=1
bad=0

complain() {
    why="$why
    $1"
}
for f in tests/pass/*.sn; do
    why=
    run=$(sed -n 's/^; RUN: *//p' "$f")
    [ -n "$run" ] || run=--passes=quant_cleanup
    # shellcheck disable=SC2086
    $sinter opt "$f" $run --verify --check-passes >"$tmp/out" 2>"$tmp/err"
    rc=$?
    want=$(sed -n 's/^; ERROR: *\([0-9]*\) .*/\1/p' "$f")
    text=$(sed -n 's/^; ERROR: *[0-9]* *//p' "$f")
    [ "$rc" = "${want:-0}" ] || complain "exit code $rc: $(head -n 3 "$tmp/err")"
    if [ -n "$text" ]; then
        grep -qF -- "$text" "$tmp/err" || complain "no error '$text': $(cat "$tmp/err")"
    fi
    if grep -q '^; EXPECT' "$f"; then
        sed '1,/^; EXPECT/d; s/^; \{0,1\}//' "$f" >"$tmp/want"
        if ! cmp -s "$tmp/want" "$tmp/out"; then
            if [ -n "$bless" ]; then
                { sed '/^; EXPECT/q' "$f"; sed 's/^/; /' "$tmp/out"; } >"$tmp/new"
                cp "$tmp/new" "$f"
            else
                complain "$(diff "$tmp/want" "$tmp/out")"
            fi
        fi
    fi
    sed -n 's/^; COUNT: *//p' "$f" >"$tmp/counts"
    while read -r kind n; do
        have=$(grep -c " = $kind(" "$tmp/out")
        [ "$have" = "$n" ] || complain "$have nodes of kind $kind, expected $n"
    done <"$tmp/counts"
    sed -n 's/^; WHY: *//p' "$f" >"$tmp/whys"
    if [ -s "$tmp/whys" ]; then
        strict=$(echo "$run" | grep -o -- '--strict-saturation')
        # shellcheck disable=SC2086
        $sinter why $strict "$tmp/out" >"$tmp/why" 2>&1
        while read -r line; do
            grep -qF -- "$line" "$tmp/why" ||
                complain "why does not say '$line': $(cat "$tmp/why")"
        done <"$tmp/whys"
    fi
    if [ -z "$why" ]; then
        echo "ok $f"
    else
        echo "not ok $f$why"
        bad=1
    fi
done
exit $bad
