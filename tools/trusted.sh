#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lines of code that the theorem of docs/proofs.md trusts, by its table of
# parts.
# Usage: trusted.sh; fails where a part names no file.
. "${0%/*}/help.sh"
bad=0
total=0
rows=$(sed -n '/^| part | files |/,/^$/p' docs/proofs.md | grep '`')
[ -n "$rows" ] || { echo "docs/proofs.md: no table of parts"; exit 1; }
while IFS='|' read -r _ part files _; do
    part=$(echo $part)
    sum=0
    for glob in $(echo "$files" | tr -d '`'); do
        found=$(bash -O nullglob -c "echo $glob")
        [ -n "$found" ] || { echo "$part: no file is $glob"; bad=1; continue; }
        for f in $found; do
            [ -f "$f" ] || { echo "$part: there is no $f"; bad=1; continue; }
            sum=$((sum + $(wc -l <"$f")))
        done
    done
    total=$((total + sum))
    printf '%7d %s\n' "$sum" "$part"
done <<END
$rows
END
printf '%7d in all\n' "$total"
exit $bad
