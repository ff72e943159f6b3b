#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# coverage.sh BUILD: which parts of src, dsl and gen were reached by the runs
# that left $BUILD/raw/*.profraw.  Called by make coverage, after its tests.
# Prints a table by room, and fails below 92 % of lines or 85 % of branches, and
# if a function that was never called is not in tests/unreached.txt with its
# reason, or is listed there although it was called.  $BUILD/coverage.txt has
# each file, $BUILD/unreached.txt the lines of each function that never ran.
. "${0%/*}/help.sh"
set -u
export LC_ALL=C
build=$1 least_lines=${LINES_LEAST:-92} least_branches=${BRANCHES_LEAST:-85}
list=tests/unreached.txt
bad=0

llvm-profdata merge -sparse -failure-mode=all -o "$build/all.profdata" "$build"/raw/*.profraw || exit 2
first= more=
for x in "$build/sinter" "$build/sinter-gen" "$build"/tests/*; do
    [ -f "$x" ] && [ -x "$x" ] || continue
    if [ -z "$first" ]; then first=$x; else more="$more -object $x"; fi
done
# shellcheck disable=SC2086
llvm-cov export -format=lcov -instr-profile="$build/all.profdata" "$first" $more \
    >"$build/all.lcov" 2>"$build/lcov.err" &&
    llvm-cov export -format=text -skip-functions -skip-expansions \
        -instr-profile="$build/all.profdata" "$first" $more 2>>"$build/lcov.err" |
    tr ']' '\n' >"$build/all.branches" || {
    cat "$build/lcov.err"
    exit 2
}

# One line for each line, branch and function of a file of ours:
#   L file line count    B file line column.way taken    F file line name count
# Several programs hold the same file, and each file that includes a header has a
# copy of its inline functions: the largest count is the one that matters.  The
# columns of a branch, by which copies are recognized, are in the second export
# only, whose rows [line, column, line, column, true, false, ...] come before the
# name of their file.  Branches inside a macro (assert, SN_TRY) are exported
# with its expansions, which are not read.
awk -v here="$PWD/" '
function name_of(f) {
    sub("^" here, "", f)
    sub("^\\./", "", f)
    ours = f ~ /^(src|dsl|gen)\//
    return f
}
function more(k, n) { if (!(k in most) || n > most[k]) most[k] = n }
FNR == 1 { second = NR > 1 }
second && match($0, /"filename":"[^"]*"/) {
    f = name_of(substr($0, RSTART + 12, RLENGTH - 13))
    for (i = 1; i <= nrow && ours; i++) {
        split(row[i], v, ",")
        k = "B " f " " v[1] " " v[2]
        more(k ".1", v[5] + 0)
        more(k ".0", v[6] + 0)
    }
    nrow = 0
    skip = 1 # what follows are the segments of this file
    next
}
second && /"branches":/ { skip = 0; nrow = 0 }
second {
    if (!skip && match($0, /[0-9]+(,[0-9]+)+$/)) row[++nrow] = substr($0, RSTART)
    next
}
/^SF:/ { f = name_of(substr($0, 4)); next }
!ours { next }
/^DA:/ { split(substr($0, 4), v, ","); more("L " f " " v[1], v[2] + 0) }
/^FN:/ { split(substr($0, 4), v, ","); at[f, v[2]] = v[1] }
/^FNDA:/ {
    split(substr($0, 6), v, ",")
    name = v[2]
    sub(/^.*:/, "", name)
    more("F " f " " at[f, v[2]] " " name, v[1] + 0)
}
END { for (k in most) print k, most[k] }
' "$build/all.lcov" "$build/all.branches" | sort -k2,2 -k1,1 -k3,3n >"$build/all.counts"

# Rooms, files and the sum.
awk -v least_l="$least_lines" -v least_b="$least_branches" -v files="$build/coverage.txt" '
function part(hit, all) { return all ? sprintf("%6.2f", 100 * hit / all) : "     -" }
function line(name, k, out) {
    printf "%-34s %7d %s %7d %s\n", name, nl[k], part(hl[k], nl[k]), nb[k], \
        part(hb[k], nb[k]) >out
}
function add(k) {
    if ($1 == "L") { nl[k]++; hl[k] += $NF > 0 }
    if ($1 == "B") { nb[k]++; hb[k] += $NF > 0 }
}
{
    room = $2
    sub(/\/[^\/]*$/, "", room)
    if (!(room in seen)) { seen[room] = 1; rooms[++nroom] = room }
    if (!($2 in known)) { known[$2] = 1; file[++nfile] = $2 }
    add("all"); add(room "/"); add($2)
}
END {
    head = sprintf("%-34s %7s %6s %7s %6s", "", "lines", "%", "branches", "%")
    print head; print head >files
    for (i = 1; i <= nfile; i++) line(file[i], file[i], files)
    for (i = 1; i <= nroom; i++) line(rooms[i], rooms[i] "/", "/dev/stdout")
    line("all", "all", "/dev/stdout")
    if (!nl["all"] || !nb["all"] || 100 * hl["all"] / nl["all"] < least_l ||
        100 * hb["all"] / nb["all"] < least_b) {
        printf "coverage: below %s %% of lines or %s %% of branches\n", least_l, least_b
        exit 1
    }
}' "$build/all.counts" || bad=1

# Lines that never ran, as ranges.
awk '$1 == "L" && $NF == 0 {
    if ($2 == f && $3 == last + 1) { last = $3; next }
    if (f) print f ":" first "-" last
    f = $2; first = last = $3
}
END { if (f) print f ":" first "-" last }' "$build/all.counts" >"$build/unreached.txt"

# Functions that were never called, against the list with reasons.
awk '$1 == "F" && $NF == 0 { print $2, $4 }' "$build/all.counts" | sort -u >"$build/uncalled"
awk '!/^#/ && NF > 2 { print $1, $2 }' "$list" | sort -u >"$build/listed"
new=$(comm -23 "$build/uncalled" "$build/listed")
old=$(comm -13 "$build/uncalled" "$build/listed")
if [ -n "$new" ]; then
    echo "coverage: never called, and not in $list with a reason:"
    echo "$new" | sed 's/^/  /'
    bad=1
fi
if [ -n "$old" ]; then
    echo "coverage: in $list, but called or gone:"
    echo "$old" | sed 's/^/  /'
    bad=1
fi
echo "functions never called: $(wc -l <"$build/uncalled"), each with its reason in $list"
exit $bad
