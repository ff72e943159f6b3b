#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Evaluators of declarations that nodes.def does not use (tests/gen/eval.def):
# generated, compiled with the project's warnings, and run; formulas without an
# arithmetic row are refused with their place; a second run changes nothing.
BUILD=${BUILD:-build}
CC=${CC:-gcc}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
ok() { echo "ok gen_eval: $1"; }
fail() {
    echo "not ok gen_eval: $1"
    sed 's/^/    /' "$tmp/log" | tail -n 25
    bad=1
}
warn='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
 -Wmissing-prototypes -Wcast-qual -Wundef -Wvla -Wformat=2 -Werror'
flags='-std=c11 -D_GNU_SOURCE -ffp-contract=off -fno-strict-aliasing -O1'

if "$BUILD/sinter-gen" --nodes tests/gen/eval.def -I . -o "$tmp" >"$tmp/log" 2>&1
then
    ok "generates"
else
    fail "generates"
    exit 1
fi
obj=
for f in "$tmp"/sn_kinds.c "$tmp"/sn_maps.c "$tmp"/sn_arith.c "$tmp"/sn_eval_*.c "$tmp"/sn_inv.c "$tmp"/sn_where.c; do
    o=$tmp/$(basename "$f" .c).o
    # shellcheck disable=SC2086
    $CC $flags $warn ${SAN:-} -Isrc -I. -I"$tmp" -c -o "$o" "$f" >"$tmp/log" 2>&1 ||
        fail "$(basename "$f") compiles without warnings"
    obj="$obj $o"
done
# Rooms that include nothing generated of nodes are those of the build.
rooms=$(cd "$BUILD/obj" && find src/graph src/map src/kernel src/base -name '*.o' | sed "s|^|$BUILD/obj/|")
if grep -lE '/gen/sn_(kind|maps|eval|attr|rules|where|gen)' $(echo "$rooms" | sed 's/o$/d/') >"$tmp/log"; then
    fail "objects that do not depend on nodes.def"
fi
# shellcheck disable=SC2086
if $CC $flags ${SAN:-} -Isrc -I. -Itests -I"$tmp" -o "$tmp/made" tests/gen/eval_made.c \
    $obj $rooms "$BUILD/obj/made/gen/sn_variants.o" -lcmocka -lxxhash -lm >"$tmp/log" 2>&1; then
    for a in odd odder; do
        "$BUILD/sinter-gen" --vectors $a --count 200 --nodes tests/gen/eval.def -I . >"$tmp/$a.txt"
    done
    VECTORS=$tmp "$tmp/made" >"$tmp/log" 2>&1
    rc=$?
    n=$(grep -ac '\[       OK \]' "$tmp/log")
    if [ $rc = 0 ] && [ "$n" -gt 0 ]; then
        ok "$n evaluator tests"
    else
        fail "evaluator tests (exit $rc)"
    fi
else
    fail "links"
fi

touch -d '2001-01-01' "$tmp/sn_eval_0.c" "$tmp/reference.md"
"$BUILD/sinter-gen" --nodes tests/gen/eval.def -I . -o "$tmp" >"$tmp/log" 2>&1
if [ -n "$(find "$tmp/sn_eval_0.c" "$tmp/reference.md" -newermt 2001-01-02)" ]
then
    fail "an unchanged file is left alone"
else
    ok "an unchanged file is left alone"
fi
if grep -qF "$tmp" "$tmp"/sn_*.[ch] "$tmp/reference.md"; then
    fail "no host path in what is generated"
else
    ok "no host path in what is generated"
fi

# Every node of the file is refused, for the reason that stands in refused.txt.
"$BUILD/sinter-gen" --check --nodes tests/gen/refused.def -I . >"$tmp/log" 2>&1
rc=$?
sed -n 's/.* error\[SN115\]: \([A-Za-z0-9]*\) (.*/\1/p; s/^ *help: /  /p' "$tmp/log" >"$tmp/why"
if [ $rc = 1 ] && diff tests/gen/refused.txt "$tmp/why" >>"$tmp/log" &&
    grep -qF 'tests/gen/refused.def:6:14: error[SN115]: Twice (q8, q8) -> q8' "$tmp/log"
then
    ok "a tuple without an arithmetic row is refused"
else
    fail "a tuple without an arithmetic row is refused (exit $rc)"
fi
# one LINES: a node with these lines is generated into $tmp/one.
one() {
    printf 'version 2; include "maps.def"; include "arith.def";\n%s\n' \
        "node One { in x; out y; kinds (x) -> y { (f32) -> f32; } $1 sem point y = d(x) over each(x); }" >"$tmp/one.def"
    "$BUILD/sinter-gen" --no-prove --nodes "$tmp/one.def" -I . -o "$tmp/one" >"$tmp/log" 2>&1
}
why='is not for constraints'
for e in 'x == y' 'x.type == f32'; do
    one "invariant $e else \"no\";"
    if [ $? = 1 ] && grep -qF "one.def:2:68: error[SN104]: '${e%% ==*}' $why" "$tmp/log"; then
        ok "a constraint of ${e%% ==*} is refused"
    else
        fail "a constraint of ${e%% ==*} is refused"
    fi
done
one 'attr r : range(y) = [-1, 6]; attr s : range(y) = [_, 0.5];' &&
    grep -qF '.r = { .lo = -1.0, .has_lo = true, .hi = 6.0, .has_hi = true },' "$tmp/one/sn_kinds.c" &&
    grep -qF '.s = { .hi = 0.5, .has_hi = true },' "$tmp/one/sn_kinds.c"
if [ $? = 0 ]; then ok "clamps by default"; else fail "clamps by default"; fi
if "$BUILD/sinter-gen" --explain --nodes tests/gen/eval.def -I . >"$tmp/log" 2>&1 &&
    grep -q '^ConvAdd (tests/gen/eval.def:' "$tmp/log" &&
    grep -q '^  absorb  ConvAdd.x' "$tmp/log"; then
    ok "--explain"
else
    fail "--explain"
fi
exit $bad
