#!/bin/sh
# Rule functions against golden files: tests/gen/NAME.def gives the functions in
# tests/gen/NAME.golden.c, which also compile with our warnings.  --bless
# accepts what is generated now.
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
    if ! "$BUILD/sinter-gen" --backend "tests/gen/$name.def" -I . -o "$out" \
        >"$out/log" 2>&1; then
        why=$(cat "$out/log")
    else
        # Functions and the switches that call them; tables are left out.
        sed -n '/^#include "sn_kinds.h"/,/^static const SnClaim/p
                /^#include "sn_kinds.h"/,$ {
                    /^const SnPassDesc/q
                }' "$out/sn_rules.c" | sed '/^const SnPassDesc/,$d' >"$out/got"
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
exit $bad
