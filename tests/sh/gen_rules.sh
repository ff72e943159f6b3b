#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Rule functions against golden files: tests/gen/NAME.def gives the functions in
# tests/gen/NAME.golden.c, which also compile with our warnings.  --bless
# accepts what is generated now.  What the checkers say of these rules stands in
# tests/gen/NAME.err (dsl_golden): some are refused for their order and end, or
# as no case meets their condition; none is unsound.  The test blocks of tests/gen/run.def, which is
# proved as any declarations are, are built against the library and run.
BUILD=${BUILD:-build}
CC=${CC:-gcc}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bless=
[ "${1:-}" = --bless ] && bless=1
bad=0
warn='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes
      -Wmissing-prototypes -Wcast-qual -Wundef -Wvla -Wformat=2 -Werror'
for want in tests/gen/*.golden.c; do
    name=$(basename "$want" .golden.c)
    out=$tmp/$name
    mkdir "$out"
    why=
    if ! "$BUILD/sinter-gen" --no-prove --backend "tests/gen/$name.def" -I . -o "$out" \
        >"$out/log" 2>&1; then
        why=$(cat "$out/log")
    else
        # The functions, what passes try, and backends; other tables are
        # left out.
        sed -n '/^#include "sn_kinds.h"/,/^const SnPassDesc/p
                /^\/\* ---- backend/,$p' "$out/sn_rules.c" |
            sed '/^#include "sn_kinds.h"/d; /^const SnPassDesc/d' >"$out/got"
        # shellcheck disable=SC2086
        "$CC" -std=c11 -D_GNU_SOURCE -Isrc -I"$out" $warn -fsyntax-only \
            "$out/sn_rules.c" >"$out/log" 2>&1 || why=$(head -n 20 "$out/log")
        if [ -n "$bless" ]; then
            cp "$out/got" "$want"
        elif ! cmp -s "$out/got" "$want"; then
            why="$why
$(diff "$want" "$out/got" | head -n 40)"
        fi
    fi
    if [ -z "$why" ]; then
        echo "ok gen_rules $name"
    else
        echo "not ok gen_rules $name"
        echo "$why" | sed 's/^/    /'
        bad=1
    fi
done
[ -z "$bless" ] || exit $bad

# an attribute whose number could be checked only when the graph has changed
cat >"$tmp/let.def" <<'END'
version 2;
include "nodes.def";
pass p {
  rule doubled: Relu(x) @o let r = Abs(x) : o.type
       => Exp(Reshape(r) {dims = [dim(r, 0) * 2]} : o.type) : o.type
       when rank(x) == 1 lossy "the size" optin "doubled";
}
END
if "$BUILD/sinter-gen" --no-prove --backend "$tmp/let.def" -I . -o "$tmp/let" 2>"$tmp/log" ||
    ! grep -q "let.def:5:.*SN104.*'\[dim(r, 0) \* 2\]' calculates an integer" "$tmp/log"; then
    echo "not ok gen_rules let"
    sed 's/^/    /' "$tmp/log"
    bad=1
else
    echo "ok gen_rules let"
fi

out=$tmp/run
mkdir "$out"
# shellcheck disable=SC2086
if "$BUILD/sinter-gen" --backend tests/gen/run.def -I . -o "$out" &&
    "$CC" -std=c11 -D_GNU_SOURCE -fno-strict-aliasing -Isrc -I"$out" -Itests \
        $warn ${SAN:-} -o "$out/t" "$out/sn_rules.c" "$out/sn_where.c" "$out/sn_tests.c" \
        tests/gen_support.c "$BUILD/libsinter.a" \
        -lcmocka -lprotobuf-c -ljansson -lxxhash -lpthread -lm; then
    "$out/t" >"$out/log" 2>&1 || bad=1
    sed -n 's/^\[       OK \] test_/ok gen_rules run: /p
            s/^\[  FAILED  \] test_/not ok gen_rules run: /p' "$out/log" |
        sort -u
    grep '^ERROR' "$out/log" | sed 's/^/    /'
    grep -q PASSED "$out/log" || echo "not ok gen_rules run: it stopped"
else
    echo "not ok gen_rules run: it does not build"
    bad=1
fi
exit $bad
