#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of the documents are true: graphs parse, verify and print
# unchanged, rules and tests of the language page are in passes.def, nodes in
# nodes.def, and commands of the README exist.
suite=docs
. tests/sh_case.sh

awk '/^```/ { on = !on; next } on' docs/graph.md >"$tmp/g.sn"
"$BUILD/sinter" opt "$tmp/g.sn" --passes=dce --verify >"$tmp/out" 2>"$tmp/err"
say $? "graph.md: the example is valid $(cat "$tmp/err")"
"$BUILD/sinter" opt "$tmp/out" --passes=dce >"$tmp/again" 2>&1
cmp -s "$tmp/out" "$tmp/again"
say $? "graph.md: it prints the same again"

# Lines of a rule, test or backend block of language.md, less white space and
# comments, stand in the declarations.
squeeze() { sed 's://.*::' "$@" | tr -s ' \n' ' '; }
squeeze passes.def src/backend/*/*.def nodes.def >"$tmp/all"
for key in 'rule identity:' 'test saturation_survives'; do
    awk -v k="$key" '/^```/ { on = !on; next } on && index($0, k) { p = 1 }
        on && p { print } !on || /;$/ || /^}/ { if (p && (/^  }/ || /;$/)) exit }' \
        docs/language.md | squeeze >"$tmp/one"
    [ -s "$tmp/one" ] && grep -qF "$(sed 's/^ *//; s/ *$//' "$tmp/one")" "$tmp/all"
    say $? "language.md: '$key' is what the declarations say"
done

# So do its maps, without their tests.
awk '/^  test / { t = 1 } !t { print } /;$/ { t = 0 }' maps.def | squeeze >"$tmp/maps"
awk -v d="$tmp" '/^```/ { on = !on; next } on && /^map / { f = d "/map" ++n }
    on && f { print > f } /^}/ { f = "" }' docs/language.md
for f in "$tmp"/map?; do
    [ -s "$f" ] && grep -qF "$(squeeze "$f" | sed 's/^ *//; s/ *$//')" "$tmp/maps"
    say $? "language.md: '$(head -n 1 "$f" | cut -d'(' -f1)' is what maps.def says"
done

# Every example of backends.md but the commands, which tests/sh/npu.sh runs,
# stands in examples.
squeeze examples/npu/npu.def >"$tmp/examples"
squeeze examples/npu/npu_kernels.c >>"$tmp/examples"
squeeze examples/maps/own_maps.def >>"$tmp/examples"
awk -v d="$tmp" '/^```/ { on = !on; n += on; sh = /sh/; next }
    on && !sh { print > (d "/block" n) }' docs/backends.md
for f in "$tmp"/block*; do
    grep -qF "$(squeeze "$f" | sed 's/^ *//; s/ *$//')" "$tmp/examples"
    say $? "backends.md: '$(head -n 1 "$f" | sed 's/^ *//')' is in examples"
done

# The program of embedding.md compiles, also on threads of its own;
# tests/sh/install.sh builds and runs it.
block() { awk -v k="$1" '/^```/ { n++; next } n == k' docs/howto/embedding.md; }
block 1 >"$tmp/embedding.c"
block 3 >"$tmp/lend"
block 5 >"$tmp/run_on"
awk -v lend="$tmp/lend" -v run="$tmp/run_on" '
    $0 == "int" { while ((getline line < lend) > 0) print line }
    / sinter_session_free/ { while ((getline line < run) > 0) print line }
    { print }' "$tmp/embedding.c" >"$tmp/lent.c"
[ -s "$tmp/lend" ] && [ -s "$tmp/run_on" ] && grep -q run_on "$tmp/lent.c"
say $? "embedding.md: three blocks"
for f in embedding lent; do
    "${CC:-gcc}" -std=c99 -Wall -Wextra -Werror -Iinclude -fsyntax-only "$tmp/$f.c" 2>"$tmp/err"
    say $? "embedding.md: its program compiles, $f $(head -n 2 "$tmp/err")"
done

# The refused rule of proofs.md is the corpus's.
awk '/^## A refused rule/ { s = 1 } s && /^```/ { if (on) exit; on = 1; next } on' \
    docs/proofs.md | cmp -s - tests/corpus/glow_5729_plain_fuse.err
say $? "proofs.md: the refused rule is what sinter-gen says"

# So is that of the README, and what its command says.
rule=tests/corpus/glow_5729_plain_fuse
awk '/^## A rule that is refused/ { s = 1 } s && /^```/ { if (on) exit; on = 1; next } on' \
    README.md | cmp -s - $rule.err
say $? "README.md: the refused rule is what sinter-gen says"
"$BUILD/sinter-gen" --check -I . --passes $rule.def 2>"$tmp/refused"
[ $? = 1 ] && cmp -s "$tmp/refused" $rule.err
say $? "README.md: the command refuses it so"
# Each figure of its table is one of kernels.md; the peers' versions, too.
awk -F'|' '/^## How fast/ { on = 1 } /^## Licence/ { on = 0 }
    on && /^\|.*[0-9]x/ { print $4; print $3 }' README.md | sed 's/^ *//; s/ *$//' | sort -u >"$tmp/figures"
[ "$(wc -l <"$tmp/figures")" -ge 6 ]
say $? "README.md: the table of speeds has figures"
while read -r f; do
    grep -qF "$f" docs/kernels.md
    say $? "README.md: '$f' stands in kernels.md"
done <"$tmp/figures"
n=$(grep -n '^## Licence' README.md | cut -d: -f1)
[ "$n" -le 75 ]
say $? "README.md: rule, speeds and licence within 75 lines"

"$BUILD/sinter" --help >"$tmp/help" 2>&1
for v in $(sed -n 's/^ *build\/sinter \([a-z]*\) .*/\1/p' README.md | sort -u); do
    grep -q "^ *$v " "$tmp/help"
    say $? "README.md: sinter $v"
done
for flag in $(grep -h sinter README.md docs/*.md docs/howto/*.md | grep -vE 'pkg-config|pip ' | grep -o -- ' --[a-z-]*' | sed 's/.* //' | sort -u); do
    "$BUILD/sinter" --help 2>&1 | grep -q -- "$flag" ||
        "$BUILD/sinter-gen" --help 2>&1 | grep -q -- "$flag" ||
        for v in opt quantize profile run why draw inspect bench compile report; do
            "$BUILD/sinter" $v --help 2>&1
        done | grep -q -- "$flag"
    say $? "flag $flag exists"
done

# ---- links ----

# Lines "FILE TARGET" of every link of a page outside of blocks of code.
for f in $(sh tools/files.sh | grep '\.md$'); do
    awk -v f="$f" '/^ *```/ { on = !on } on || /^    / { next }
        { while (match($0, /\]\([^) ]+\)/)) {
            print f, substr($0, RSTART + 2, RLENGTH - 3); $0 = substr($0, RSTART + RLENGTH) } }' "$f"
done >"$tmp/links"
n=$(wc -l <"$tmp/links")
[ "$n" -ge 100 ]
say $? "links are found ($n)"
# slugs FILE: the anchors of its headings.
slugs() {
    awk '/^ *```/ { on = !on } !on && /^#+ / { sub(/^#+ /, ""); print tolower($0) }' "$1" |
        LC_ALL=C.UTF-8 sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}
while read -r f to; do
    case $to in
    http://* | https://*) continue ;;
    esac
    page=${to%%#*} at=$f
    [ -z "$page" ] || at=$(dirname "$f")/$page
    if [ ! -e "$at" ]; then
        echo "$f: $to"
    elif [ "$to" != "$page" ]; then
        slugs "$at" | grep -qxF "${to#*#}" || echo "$f: $to has no such heading"
    fi
done <"$tmp/links" >"$tmp/log"
[ ! -s "$tmp/log" ]
say $? "every link leads somewhere"
# Pages that are named in any file are there.
sh tools/files.sh | grep -v '^CHANGELOG' | xargs grep -hoE '\bdocs/[a-z_/-]+\.(md|json)' | sort -u |
    while read -r f; do [ -f "$f" ] || echo "$f"; done >"$tmp/log"
[ ! -s "$tmp/log" ]
say $? "every page that is named is there"
# The index has every page, in one line each.
for f in $(cd docs && find . -name '*.md' -o -name '*.json' | sed 's|^\./||' | grep -v '^README' | LC_ALL=C sort); do
    [ "$(grep -cF "* [$f]($f): " docs/README.md)" = 1 ] || echo "$f"
done >"$tmp/log"
[ ! -s "$tmp/log" ]
say $? "docs/README.md lists every page once"
# Lines of declarations move: a page says how to find one, and C is there.
grep -nE '\b(passes|nodes|maps|arith|cpu)\.def:[0-9]' README.md docs/*.md docs/howto/*.md >"$tmp/log"
[ ! -s "$tmp/log" ]
say $? "no page names a line of the core's declarations by its number"
at=$(eval "$(sed -n 's/.*break passes.def:$(\(sed .*\))" build.*/\1/p' docs/architecture.md)")
grep -qx "#line $at \"passes.def\"" "$BUILD/line/sn_rules.c" >"$tmp/log" 2>&1
say $? "architecture.md: the breakpoint is where C of a rule begins"
exit $bad
