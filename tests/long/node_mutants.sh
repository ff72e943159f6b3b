#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Errors in nodes.def that sinter-gen detects: facts of ports exchanged,
# invariants, constraints and conditions of `commutes` dropped, operators of
# formulas exchanged, maps' arguments exchanged.  One change at a time; prints
# the code of the first error.  Changes that no proof depends on survive, and
# are listed: kernels, cases and ONNX's own vectors detect them.
# node_mutants.sh KIND: only that kind.
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build}
only=${1:-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
files=
for b in src/backend/*/*.def; do files="$files --backend $b"; done

# kind, number of the line, what it becomes, what was there.
awk -v only="$only" '
function out(kind, from, to, at) {
    if (only == "" || only == kind)
        print kind "\t" NR "\t" substr($0, 1, at - 1) to substr($0, at + length(from)) "\t" from
}
function each(kind, from, to,    at, i) {
    for (at = 1; (i = index(substr($0, at), from)) > 0; at += i)
        if (at + i - 1 < end)
            out(kind, from, to, at + i - 1)
}
{ end = match($0, /"|\/\//) ? RSTART : length($0) + 1 }
/^ *(free|same|given|pin|fixed) / || /; *(free|same|given|pin) / {
    each("fact", "free x", "given x"); each("fact", "free a", "given a")
    each("fact", "same x, y", "free x, y")
    if (match($0, /pin [a-z]+ \([^)]*\)/))
        out("fact", substr($0, RSTART, RLENGTH),
            "pin b (x.scale, 0)", RSTART)
    each("fact", "given ", "free ")
}
/commutes/ && match($0, / when [^;]*;/) {
    out("commutes", substr($0, RSTART, RLENGTH), ";", RSTART)
}
/^  invariant / && match($0, /invariant [^;]*;/) {
    out("invariant", substr($0, RSTART, RLENGTH), "", RSTART)
}
/attr .* where / && match($0, / where [^;]*;/) {
    out("where", substr($0, RSTART, RLENGTH), ";", RSTART)
}
/^  sem / {
    each("sem", " + ", " - "); each("sem", " - ", " + "); each("sem", " * ", " + ")
    each("sem", " / ", " * "); each("sem", "max(", "min("); each("sem", "min(", "max(")
    each("sem", "sum(", "mean("); each("sem", "mean(", "sum(")
    each("sem", " within clamp", "")
    each("map", "false, true)", "true, false)"); each("map", "(a, b", "(b, a")
    each("map", "stride", "dilate"); each("map", "start, size", "size, start")
}
' nodes.def >"$tmp/made"

# A tree of the declarations alone, in which one line changes at a time; proofs
# of what a change leaves alone are taken over.
gen=$(cd "$BUILD" && pwd)/sinter-gen
mkdir -p "$tmp/tree/gen"
for f in ./*.def src/backend/*/*.def; do
    mkdir -p "$tmp/tree/$(dirname "$f")"
    cp "$f" "$tmp/tree/$f"
done
check() {
    # shellcheck disable=SC2086
    (cd "$tmp/tree" && "$gen" --check -I . --nodes nodes.def --passes passes.def $files \
        -o gen >"$tmp/log" 2>&1)
}
check || { cat "$tmp/log"; exit 1; }
cp -r "$tmp/tree/gen" "$tmp/clean"
: >"$tmp/said"
while IFS='	' read -r kind line text from; do
    printf '%s\n' "$text" >"$tmp/line"
    sed -e "${line}r $tmp/line" -e "${line}d" nodes.def >"$tmp/tree/nodes.def"
    if check; then
        code=survived
        echo "survived: $kind, line $line: '$from' in: $(sed -n "${line}p" nodes.def)"
    else
        code=$(sed -n 's/.*error\[\(SN[0-9]*\)\].*/\1/p' "$tmp/log" | head -n 1)
        [ "$code" = SN399 ] && echo "not ok node_mutants: SN399 for line $line: $text"
    fi
    echo "$kind ${code:-other}" >>"$tmp/said"
    rm -rf "$tmp/tree/gen"
    cp -r "$tmp/clean" "$tmp/tree/gen"
done <"$tmp/made"

sort "$tmp/said" | uniq -c | awk '
{ made[$2] += $1; if ($3 == "survived") left[$2] += $1
  said[$2] = said[$2] sprintf(" %s %d", $3, $1) }
END { for (k in made) printf "| %s: %d made, %d refused:%s\n", k, made[k], made[k] - left[k], said[k] }' |
    sort
n=$(wc -l <"$tmp/said")
if [ "$n" -gt 0 ] && ! grep -q 'SN399\|other' "$tmp/said"; then
    echo "ok node_mutants: $n made, $(grep -c survived "$tmp/said") survived"
else
    echo "not ok node_mutants: $n made"
    exit 1
fi
