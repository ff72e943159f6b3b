#!/bin/sh
# Rule coverage: which rules no graph of tests/pass and no random graph fires.
# A rule that is opted in to by nothing here must be in tests/long/coverage.not,
# with a reason after its name.
BUILD=${BUILD:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
SINTER_RANDOM=${SINTER_RANDOM:-400} SINTER_COVER=$tmp/random \
    "$BUILD/tests/test_random" >"$tmp/log" 2>&1
for f in tests/pass/*.sn; do
    run=$(sed -n 's/^; RUN: *//p' "$f")
    # shellcheck disable=SC2086
    "$BUILD/sinter" opt "$f" ${run:---passes=quant_cleanup} --stats \
        >/dev/null 2>>"$tmp/stats"
done
awk 'NF >= 3 && $1 ~ /^[0-9]+$/ && $2 ~ /\./ { print $2, $1 }' "$tmp/stats" \
    >"$tmp/pass"
awk '{ n[$1] += $2 } END { for (r in n) print r, n[r] }' \
    "$tmp/random" "$tmp/pass" | sort >"$tmp/all"
never=$(awk '$2 == 0 { print $1 }' "$tmp/all" | grep -vxF \
    "$(sed 's/[ #].*//; /^$/d' tests/long/coverage.not)")
nrule=$(wc -l <"$tmp/all")
if [ -z "$never" ] && [ "$nrule" -gt 0 ]; then
    echo "ok coverage: $nrule rules"
else
    echo "not ok coverage: of $nrule rules never fired:" $never
    exit 1
fi
