#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# How often each rule fires over all models of SHARED/data, by the pipelines
# that need no data; with OLD, an earlier build of sinter, the rules whose
# counts differ, and the models.  fires.sh [BUILD [SHARED [OLD]]].
. "${0%/*}/help.sh"
BUILD=${1:-build}
SHARED=${2:-../shared}
OLD=${3:-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# fires SINTER TO: a line "RULE COUNT MODEL" for each.
fires() {
    find -L "$SHARED/data" -name '*.onnx' | sort | while read -r m; do
        for p in optimize profile; do
            timeout 120 "$1" opt "$m" "--passes=$p" --stats --json -o /dev/null 2>/dev/null |
                sed -n 's/.*"rule": "\([^"]*\)", "count": \([0-9]*\).*/\1 \2/p' |
                sed "s|\$| $p:${m#"$SHARED/data/"}|"
        done
    done >"$2"
}
sums() {
    awk '{ n[$1] += $2; m[$1]++ } END { for (r in n) print r, n[r], m[r] }' "$1" | sort
}
fires "$BUILD/sinter" "$tmp/new"
sums "$tmp/new" >"$tmp/new.sum"
awk '{ printf "%-36s %7d fires in %4d runs\n", $1, $2, $3 }' "$tmp/new.sum"
echo "$(wc -l <"$tmp/new.sum") rules, $(awk '{ n += $2 } END { print n + 0 }' "$tmp/new") fires"
[ -n "$OLD" ] || exit 0
fires "$OLD" "$tmp/old"
sort "$tmp/new" >"$tmp/a"
sort "$tmp/old" >"$tmp/b"
if cmp -s "$tmp/a" "$tmp/b"; then
    echo "the same in each model as by $OLD"
else
    echo "by $OLD (<) and by $BUILD/sinter (>):"
    diff "$tmp/b" "$tmp/a" | grep '^[<>]'
fi
