#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prepares generated C for compilation: functions with a #line to their
# declaration before each line, which is what a debugger shows, and everything
# else with its own line of IN.  The declaration of a function is what the last
# comment at the left margin names ("/* passes.def:41: ..."), if it names one.
# Comments are left out.  Statements become one line: a directive may not stand
# among the arguments of a macro.
#
# OUT is left unchanged if it differs only in line numbers, unless EXACT is 1.
# Usage: lines.sh IN OUT [EXACT]
. "${0%/*}/help.sh"
set -eu
in=$1
out=$2
new=$out.new
trap 'rm -f "$new" "$new.text"' EXIT

LC_ALL=C awk -v in_="$in" '
# How many parentheses and brackets s opens and does not close; those in
# literals do not count.
function open_in(s,    n)
{
    gsub(/\\./, "", s)
    gsub(/"[^"]*"|'\''[^'\'']*'\''/, "", s)
    n = gsub(/[([]/, "", s)
    return n - gsub(/[])]/, "", s)
}
function put_line(number, file)
{
    printf("#line %d \"%s\"\n", number, file)
}
# A line of a function.
function put_inside(s)
{
    if (depth == 0)
        put_line(number, file)
    depth += open_in(s)
    printf("%s%s", s, (depth > 0 ? " " : "\n"))
}
# The lines before a function, or outside any.
function flush_head(inside,    i)
{
    if (nhead && !inside)
        put_line(FNR - nhead, in_)
    for (i = 0; i < nhead; i++)
        if (inside)
            put_inside(head[i])
        else
            print head[i]
    nhead = 0
}
/^\/\*/ {
    flush_head(0)
    file = ""
    if (match($0, /[^ ]+\.def:[0-9]+/)) {
        split(substr($0, RSTART, RLENGTH), at, ":")
        file = at[1]
        number = at[2]
    }
    comment = 1
}
comment { comment = !/\*\//; next }
/^$/ { if (!inside) flush_head(0); next }
!inside && /^\{/ && file != "" {
    inside = 1
    flush_head(1)
}
!inside { head[nhead++] = $0; next }
{ put_inside($0) }
/^\}/ { inside = 0 }
END { FNR++; flush_head(0) }
' "$in" >"$new"

if [ "${3:-}" != 1 ] && [ -f "$out" ]; then
    sed '/^#line /d' "$new" >"$new.text"
    sed '/^#line /d' "$out" | cmp -s - "$new.text" && exit
fi
cmp -s "$new" "$out" || mv "$new" "$out"
