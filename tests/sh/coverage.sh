#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rule coverage: every rule fires in a graph of tests/pass, written by hand, and
# in a case made from the declarations.  -v prints both counts for each rule.
BUILD=${BUILD:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0

SINTER_COVER=$tmp/cases "$BUILD/tests/run_cases" >/dev/null
for f in tests/pass/*.sn; do
    run=$(sed -n 's/^; RUN: *//p' "$f")
    # shellcheck disable=SC2086
    "$BUILD/sinter" opt "$f" ${run:---passes=quant_cleanup} --stats \
        >/dev/null 2>>"$tmp/stats"
done
awk 'NR == FNR { if ($1 ~ /^[0-9]+$/ && $2 ~ /\./) n[$2] += $1; next }
     { print $1, n[$1] + 0, $2 }' "$tmp/stats" "$tmp/cases" >"$tmp/all"
[ "${1:-}" != -v ] || awk 'BEGIN { printf "%-40s %8s %8s\n", "rule", "pass", "cases" }
    { printf "%-40s %8d %8d\n", $1, $2, $3 }' "$tmp/all"
nrule=$(wc -l <"$tmp/all")
for by in 2:pass 3:cases; do
    never=$(awk -v k="${by%:*}" '$k == 0 { print $1 }' "$tmp/all")
    if [ -z "$never" ] && [ "$nrule" -gt 0 ]; then
        echo "ok coverage ${by#*:}: $nrule rules"
    else
        echo "not ok coverage ${by#*:}: of $nrule rules never fired:" $never
        bad=1
    fi
done
exit $bad
