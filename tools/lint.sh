#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lint: names with linkage start with sn_ and a prefix of docs/glossary.md, types
# have names of their own, headers compile alone, rooms include what their READMEs
# allow, files end by line 800, lines of C by column 80 and of documents and
# declarations by column 100, C is laid out by clang-format, files begin with their
# SPDX line, generated files are reproducible, sinter.h offers what tools/sinter.abi
# says, cppcheck finds nothing.  Usage: lint.sh BUILD
. "${0%/*}/help.sh"
set -u
build=$1
bad=0

names=$(nm -g --defined-only "$build/libsinter.a" "$build/libsinter-dsl.a" |
    awk 'NF == 3 && $2 ~ /[TDBRVC]/ && $3 !~ /^(sn_|sinter_|onnx__|Sn)/ { print $3 }' | sort -u)
[ -z "$names" ] || { echo "names without sn_: $names"; bad=1; }

# Prefixes of more than three functions, and the rows of docs/glossary.md.
unknown=$(sh tools/files.sh | sed -nE "s|^((src\|dsl\|gen)/.*)\.c$|$build/obj/\1.o|p" |
    xargs nm -g -P --defined-only |
    awk '$2 == "T" && split($1, p, "_") > 2 { n[p[1] "_" p[2] "_"]++ }
        END { for (x in n) if (n[x] > 3) print x }' | sort |
    while read -r x; do grep -q "^|.*\`$x\`" docs/glossary.md || echo "$x"; done)
[ -z "$unknown" ] || { echo "prefixes not in docs/glossary.md: $unknown"; bad=1; }
# A type's name is unique in all programs.
twice=$(sh tools/files.sh | grep -E '^(src|dsl|gen)/.*\.[ch]$' |
    xargs grep -hoE '^(typedef )?(struct|enum|union) Sn[A-Za-z0-9]+ \{' |
    sed -E 's/.* (Sn[A-Za-z0-9]+) \{/\1/' | sort | uniq -d)
[ -z "$twice" ] || { echo "types that are declared twice: $twice"; bad=1; }

compiles='for cc in gcc clang; do
    echo "#include \"$1\"" | $cc -std=c11 -D_GNU_SOURCE -ffp-contract=off \
        -Iinclude -Isrc -I. -I"$0/gen" -I"$0/front" -Idsl -Igen -fsyntax-only -x c - ||
        { echo "$1 does not compile alone ($cc)"; exit 1; }
done'
sh tools/files.sh | grep -E '^(src|dsl|gen|include)/.*\.h$' |
    xargs -P 2 -I{} sh -c "$compiles" "$build" {} || bad=1

for f in $(sh tools/files.sh | grep -E '^(src|dsl|gen)/.*\.(c|h|inc|re|y)$'); do
    n=$(wc -l <"$f")
    [ "$n" -le 800 ] || { echo "$f: $n lines; split it"; bad=1; }
done
# By characters: what awk counts by default may be bytes.
long=$(sh tools/files.sh | grep '\.[ch]$' | grep -v '^tests/gen/' |
    LC_ALL=C.UTF-8 xargs grep -nE '^.{81,}' | cut -d: -f1,2)
[ -z "$long" ] || { echo "lines past 80 columns: $long"; bad=1; }
# Tables and code blocks may have any width.
long=$(sh tools/files.sh | grep -E '\.md$' |
    LC_ALL=C.UTF-8 xargs awk 'FNR == 1 { on = 0 } /^ *```/ { on = !on }
        !on && !/^\|/ && !/^    / && length > 100 { print FILENAME ":" FNR }')
[ -z "$long" ] || { echo "lines past 100 columns: $long"; bad=1; }
long=$(sh tools/files.sh | grep -E '^[a-z]*\.def$|^(src|examples)/.*\.def$' |
    LC_ALL=C.UTF-8 xargs grep -nE '^.{101,}' | cut -d: -f1,2)
[ -z "$long" ] || { echo "lines past 100 columns: $long"; bad=1; }
wrong=$(sh tools/files.sh | grep -E '\.[ch]$' | grep -v '\.golden\.c$' |
    xargs -P 2 -n 64 clang-format --dry-run -Werror 2>&1 | sed -n 's/:.*//p' | sort -u)
[ -z "$wrong" ] || { echo "not as clang-format has it: $wrong"; bad=1; }

sh tools/rooms.sh "$build" || bad=1

# Headers and calls of one system are used only where they have a replacement.
alone=$(sh tools/files.sh | grep -E '^(src|dsl|gen)/.*\.[ch]$' |
    grep -vxE 'src/base/os/os\.c|src/kernel/isa\.c' |
    xargs grep -nE '#include <(linux|asm|mach|windows)|<sys/(auxv|syscall|prctl|epoll|inotify|eventfd)\.h>|<(execinfo|error|argp)\.h>|memfd_create|syscall\(' |
    cut -d: -f1,2)
[ -z "$alone" ] || { echo "of one system, not in base/os/os.c: $alone"; bad=1; }

# Inputs of tests have none, as goldens hold their line numbers.
for f in $(sh tools/files.sh | grep -E '\.(c|h|inc|re|y|def|sh|py|mk)$|(^|/)Makefile$|^\.ci/run$' |
    grep -vE '^tests/(corpus|dsl/[^/]*|fuzz/corpus)/.*\.|^tests/gen/.*\.(def|golden\.c)$'); do
    head -n 2 "$f" | grep -qE '^(//|#) SPDX-License-Identifier: Apache-2\.0$' ||
        { echo "$f: no SPDX line at its top"; bad=1; }
done

sh tools/abi.sh "$build" || bad=1
sh tools/plugin_abi.sh "$build" || bad=1

rm -rf "$build/gen2"
"$build/sinter-gen" --nodes nodes.def --passes passes.def \
    $(for b in src/backend/*/*.def; do echo --backend "$b"; done) -I . -o "$build/gen2"
for f in "$build"/gen2/*; do
    cmp -s "$f" "$build/gen/$(basename "$f")" ||
        { echo "$(basename "$f") is not reproducible"; bad=1; }
done

# Suppressed: cppcheck 2.10 does not see that sn_bug does not return
# (nullPointerRedundantCheck), takes a context struct that points to locals of
# its caller for an escape (autoVariables), divides by a constant that is
# 0 only in a branch not compiled (zerodiv), and calls `*s && **s` redundant.
cppcheck -q -j2 --std=c11 --library=tools/cppcheck.cfg --error-exitcode=1 --enable=warning,portability \
    --inline-suppr --suppress=missingInclude --suppress='*:*/gen/*.pb-c.*' \
    --suppress=nullPointerRedundantCheck --suppress=autoVariables \
    --suppress=zerodiv --suppress=identicalInnerCondition \
    --suppress=duplicateAssignExpression --suppress=arrayIndexThenCheck \
    -Iinclude -Isrc -I. -I"$build/gen" src dsl gen || bad=1
exit $bad
