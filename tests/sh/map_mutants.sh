#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tests in maps.def hold its declarations: if an operator, a bound or a side
# is exchanged for another, one of them fails.
BUILD=${BUILD:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0

# What is made: the number of a line, and what it becomes.  Strings, comments
# and the tests themselves stay.
awk '
BEGIN {
    n = split("+ 1|+ 2;- 1|- 2; < | <= ; / | % ; % | / ;pads[0]|pads[1];" \
        "select(|select(not ; + | - ; * | + ; == | != ; and | or ;min(|max(;" \
        "max(|min(", change, ";")
}
/^map / { head = 1 }
/^  test / { head = 1 }
!head {
    code = $0
    gsub(/"[^"]*"/, "\"", code)
    sub(/\/\/.*/, "", code)
    end = match($0, /"|\/\//) ? RSTART : length($0) + 1
    for (k = 1; k <= n; k++) {
        split(change[k], to, "|")
        for (at = 1; (i = index(substr($0, at), to[1])) > 0; at += i) {
            from = at + i - 1
            if (from < end)
                print NR "\t" substr($0, 1, from - 1) to[2] \
                    substr($0, from + length(to[1]))
        }
    }
}
/\{$/ || /^  test .*;$/ { head = 0 }
head && /;$/ { head = 0 }
' maps.def >"$tmp/made"

# Equal to what stands there, or not to be told apart in a test: a real
# infinity cannot be written, and the way around the index of a Resize that
# keeps a size gives what the index gives.
cat >"$tmp/equal" <<'T'
  require open == 0 or rest > 0 or product(d) % rest == 0
  require scale > 0 and scale <= inf else "'scale' must be positive and finite";
  read x[select(not d == dims and scale == 1, i, min(max(to, 0), d - 1))];
  read x[select(d != dims and scale == 1, i, min(max(to, 0), d - 1))];
  read x[select(d == dims and scale != 1, i, min(max(to, 0), d - 1))];
  read x[select(d == dims or scale == 1, i, min(max(to, 0), d - 1))];
T
made=0 left=0
while IFS='	' read -r line text; do
    made=$((made + 1))
    printf '%s\n' "$text" >"$tmp/line"
    sed -e "${line}r $tmp/line" -e "${line}d" maps.def >"$tmp/maps.def"
    "$BUILD/sinter-gen" --check --no-prove --nodes "$tmp/maps.def" \
        >"$tmp/log" 2>&1 || continue
    grep -qxF -- "$text" "$tmp/equal" && continue
    echo "not ok map_mutants: nothing notices line $line: $text"
    left=$((left + 1))
done <"$tmp/made"
if [ "$made" -ge 300 ] && [ "$left" = 0 ]; then
    echo "ok map_mutants: $made made"
else
    echo "not ok map_mutants: $made made, $left not noticed"
    bad=1
fi
exit $bad
