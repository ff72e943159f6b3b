#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The words of the .def language are stated once: in dsl/model/words.h and
# src/base/lang/lang.h.  Each is in docs/language.md; dsl and gen compare text
# rarely, as they compare numbers; a C file that spells words of the language by
# hand is listed here, with its reason.
suite=words
. tests/sh_case.sh

# Rows: LIST WORD
rows() { # FILE
    awk '/^#define SN_[A-Z_]*\(X\)/ { sub(/\(X\).*/, "", $2); list = $2; next }
        list && match($0, /X\([A-Z0-9_]+, +"[^"]*"/) {
            s = substr($0, RSTART, RLENGTH); sub(/^[^"]*"/, "", s); sub(/"$/, "", s)
            if (s != "") print list, s }
        !/\\$/ { list = "" }' "$1"
}
rows dsl/model/words.h >"$tmp/rows"
rows src/base/lang/lang.h >>"$tmp/rows"
n=$(wc -l <"$tmp/rows")
[ "$n" -ge 100 ]
say $? "the tables have rows ($n)"

# ---- docs/language.md ----

part() { # FROM-LINE TO-LINE, as patterns
    awk -v a="$1" -v b="$2" '$0 ~ a { on = 1; print; next } $0 ~ b { on = 0 } on' docs/language.md
}
part '^### Meaning' '^### Maps' >"$tmp/SN_FORMULA_FNS"
part '^Guards are typed' '^Claims:' >"$tmp/SN_GUARD_FNS"
part '^### Facts' '^### Meaning' >"$tmp/SN_FACTS"
part '^Claims:' '^A rule is tried' >"$tmp/SN_CLAIMS"
part '^## Derived' '^## Passes' >"$tmp/SN_FAMILIES"
part '^### Meaning' '^### Maps' >"$tmp/SN_CLASSES"
part '^### Meaning' '^### Maps' >"$tmp/SN_ROWS"
for list in SN_FORMULA_FNS SN_GUARD_FNS SN_FACTS SN_CLAIMS SN_FAMILIES SN_CLASSES SN_ROWS; do
    missing=
    for w in $(sed -n "s/^$list //p" "$tmp/rows"); do
        case $list.$w in
        SN_FACTS.nothing | SN_CLAIMS.nothing) continue ;; # no word: none is given
        SN_GUARD_FNS.fold | SN_GUARD_FNS.regrid) continue ;; # values, not guards
        SN_CLASSES.opaque | SN_CLASSES.source) continue ;; # without a formula
        esac
        grep -qE "(^|[^a-z_])$w([^a-z_]|\$)" "$tmp/$list" || missing="$missing $w"
    done
    [ -z "$missing" ]
    say $? "language.md has every word of $list$missing"
done

# ---- comparisons of text ----

# Names that declarations choose, files, lines of C; what is quoted is text that is written.
find dsl gen -name '*.[ch]' -exec grep -H strcmp {} + >"$tmp/compared"
n=$(sed 's/"[^"]*"//g' "$tmp/compared" | grep -c strcmp)
[ "$n" -le 55 ]
say $? "$n comparisons of text in dsl and gen, at most 55"
# No word of the language is compared as text, but where C reads a condition
# that it wrote, certificates, which are text so that the checker shares nothing
# with the prover, or C.
cut -d' ' -f2 "$tmp/rows" | sort -u >"$tmp/bare"
cat >"$tmp/texts" <<'END'
dsl/prove/judge/prove_guard_help.c covers
dsl/prove/check/normal.c real
gen/sources.c const
END
grep -oHE 'strn?cmp\([^"]*"[^"]*"' $(find dsl gen -name '*.[ch]') |
    sed -nE 's/:[^"]*"([a-z_0-9]+)[^"]*"$/ \1/p' | sort -u >"$tmp/literals"
grep -q "covers" "$tmp/literals"
say $? "comparisons with texts in C are found"
while read -r f w; do
    grep -qxF "$w" "$tmp/bare" || continue
    grep -qxF "$f $w" "$tmp/texts"
    say $? "$f compares with the word '$w': listed"
done <"$tmp/literals"

# ---- files that spell words ----

# Files with four or more words in quotes, and why they have them.
cat >"$tmp/listed" <<'END'
dsl/model/words.h the tables
dsl/syntax/token.c keywords of the grammar, with their tokens
dsl/resolve/resolve_node.c words of C, which no port is called
dsl/prove/judge/prove_instance.c writes derived rules as text
dsl/prove/calculus/prove_tree.c names of types and clamps in trees
dsl/prove/check/normal.c functions in certificates, with their roundings
gen/node/emit_row.c attributes that the row lrn reads
gen/text/emit.c words of C, and names that emitted functions use
gen/text/emit_ref.c says claims to readers
END
cut -d' ' -f2 "$tmp/rows" | sort -u | sed 's/[()]/./g; s/.*/"&"/' >"$tmp/quoted"
for f in $(find dsl gen -name '*.c' -o -name '*.h' | sort); do
    k=$(sed 's://.*::' "$f" | grep -v '^#include' | grep -oFf "$tmp/quoted" | sort -u | wc -l)
    [ "$k" -lt 4 ] && continue
    grep -q "^$f " "$tmp/listed"
    say $? "$f spells $k words$(sed -n "s|^$f |: |p" "$tmp/listed")"
done
for f in $(cut -d' ' -f1 "$tmp/listed"); do
    [ -f "$f" ]
    say $? "$f is there"
done
exit $bad
