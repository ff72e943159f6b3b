#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lines of generated C lead to declarations (tools/lines.sh), and an added line
# in a declaration recompiles only the table of positions.
BUILD=${BUILD:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
check() # NAME COMMAND...
{
    name=$1
    shift
    if "$@" >"$tmp/log" 2>&1; then
        echo "ok lines $name"
    else
        echo "not ok lines $name"
        sed 's/^/    /;20q' "$tmp/log"
        bad=1
    fi
}
differ()
{
    ! cmp -s "$1" "$2"
}

# ---- a small file ----

cat >"$tmp/in.c" <<'END'
/* Of nothing. */
#include "a.h"

/* a.def:7: one
 *   text, of which nothing is left
 */
static int
one(int a,
    int b)
{
    if (f(a, "(",
          '['))
        return 1;

    return b; /* stays */
}

/* ---- a table ---- */
static const int t[] = {
    1,
};
END
cat >"$tmp/want.c" <<END
#line 2 "$tmp/in.c"
#include "a.h"
#line 7 "a.def"
static int
#line 7 "a.def"
one(int a,     int b)
#line 7 "a.def"
{
#line 7 "a.def"
    if (f(a, "(",           '['))
#line 7 "a.def"
        return 1;
#line 7 "a.def"
    return b; /* stays */
#line 7 "a.def"
}
#line 19 "$tmp/in.c"
static const int t[] = {
    1,
};
END
sh tools/lines.sh "$tmp/in.c" "$tmp/out.c"
check small diff "$tmp/want.c" "$tmp/out.c"

# A line further down: the file stays, unless it is asked for.
sed 's/a\.def:7:/a.def:8:/' "$tmp/in.c" >"$tmp/in2.c"
mv "$tmp/in2.c" "$tmp/in.c"
sh tools/lines.sh "$tmp/in.c" "$tmp/out.c"
check stays diff "$tmp/want.c" "$tmp/out.c"
sed 's/line 7 /line 8 /' "$tmp/want.c" >"$tmp/want8.c"
sh tools/lines.sh "$tmp/in.c" "$tmp/out.c" 1
check exact diff "$tmp/want8.c" "$tmp/out.c"
# Another statement: the file is new, with its lines.
sed 's/return 1;/return 2;/' "$tmp/in.c" >"$tmp/in2.c"
mv "$tmp/in2.c" "$tmp/in.c"
cp "$tmp/want.c" "$tmp/out.c"
sh tools/lines.sh "$tmp/in.c" "$tmp/out.c"
sed 's/return 1;/return 2;/' "$tmp/want8.c" >"$tmp/want2.c"
check changed diff "$tmp/want2.c" "$tmp/out.c"

# ---- the declarations, with a comment more at the top ----

cp maps.def arith.def "$tmp"
for f in nodes passes; do
    awk 'NR == 3 { print "// one line more" } { print }' $f.def >"$tmp/$f.def"
done
sed '3q;d' "$tmp/nodes.def" | grep -q 'one line more' ||
    { echo "not ok lines comment"; bad=1; }
mkdir "$tmp/before" "$tmp/after"
backends=$(for b in src/backend/*/*.def; do printf ' --backend %s' "$b"; done)
for dir in before after; do
    from=.
    [ $dir = before ] || from=$tmp
    # shellcheck disable=SC2086
    "$BUILD/sinter-gen" --no-prove --nodes "$from/nodes.def" --passes "$from/passes.def" \
        $backends -I "$from" -o "$tmp/$dir" >"$tmp/log" 2>&1 ||
        { echo "not ok lines $dir"; sed 's/^/    /' "$tmp/log"; bad=1; }
done
for h in "$tmp"/before/*.h; do
    check "header $(basename "$h")" cmp "$h" "$tmp/after/$(basename "$h")"
done
for f in sn_kinds.c sn_eval_0.c sn_inv.c sn_rules.c; do
    check "moved $f" differ "$tmp/before/$f" "$tmp/after/$f"
    sh tools/lines.sh "$tmp/before/$f" "$tmp/lined.c"
    cp "$tmp/lined.c" "$tmp/lined.was"
    sh tools/lines.sh "$tmp/after/$f" "$tmp/lined.c"
    check "compiled $f" cmp "$tmp/lined.was" "$tmp/lined.c"
    rm "$tmp/lined.c"
done
check "moved sn_where.c" differ "$tmp/before/sn_where.c" "$tmp/after/sn_where.c"

# ---- what a debugger reads ----

# A breakpoint on the line of a rule stops where its function begins.  The line is
# that of the last build that compiled it.
object=$BUILD/obj/made/gen/sn_rules.o
awk '/^#line .*\.def"/ { line = $2; file = $3; gsub(/.*\/|"/, "", file) }
    own && /^[a-z]/ { sub(/\(.*/, ""); print file, line, $0; own = 0 }
    /^static SN_OWN_CODE bool/ { own = 1 }' "$BUILD/line/sn_rules.c" >"$tmp/own"
if ! command -v readelf >/dev/null; then
    echo "skip lines debugger: no readelf"
elif ! readelf --debug-dump=decodedline "$object" 2>/dev/null | grep -q sn_rules; then
    echo "skip lines debugger: objects without lines"
else
    readelf --debug-dump=decodedline "$object" >"$tmp/lines" 2>&1
    nm "$object" | sed -nE 's/^0*([0-9a-f]*[0-9a-f]) t (.*)/\1 \2/p' >"$tmp/at"
    check "debugger: rules with a function" [ "$(wc -l <"$tmp/own")" -ge 50 ]
    missed=$(awk -v at="$tmp/at" -v lines="$tmp/lines" '
        BEGIN {
            while ((getline s <at) > 0) { split(s, p, " "); addr[p[2]] = p[1] }
            while ((getline s <lines) > 0)
                if (split(s, p, " ") >= 3 && p[1] ~ /\.def$/) {
                    sub(/.*\//, "", p[1]); sub(/^0x/, "", p[3])
                    seen[p[1], p[2], p[3]] = 1
                }
        }
        !(($3 in addr) && (($1, $2, addr[$3]) in seen)) { print $3 }' "$tmp/own")
    check "debugger: each begins on its line${missed:+: not }$missed" [ -z "$missed" ]
fi
exit $bad
