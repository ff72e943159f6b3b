#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs test programs and scripts, JOBS at a time (default 1), and adds up what
# they count.
#
#   tally.sh TEST...        with BUILD, SHARED, CC, MAKE, SAN as in the Makefile
#                           and PROFILES, where profiles of clang go
#
# A cmocka program prints "[       OK ] NAME" and the like; a script (and
# dsl_golden) prints "ok NAME", "not ok NAME" or "skip NAME" lines, and "| ..."
# lines of a table, which are shown.  Skipped tests are named before the last
# line.  In CI a skip is a failure, since the data that a test needs must be
# there; SKIPS=allowed makes it a skip again, for a run without that data.  What
# each took is in NAME.seconds, and judges nothing.
log=$BUILD/tests/logs

# count TEST: runs one, leaves "PASSED FAILED SKIPPED" in NAME.count and the
# names of skipped tests in NAME.skipped, and prints what there is to say.
count() {
    t=$1 name=$(basename "$1" .sh)
    out=$log/$name.log
    start=$(date +%s)
    # Of make coverage: what a test kills while it writes spoils its own alone.
    [ -z "${PROFILES:-}" ] || export LLVM_PROFILE_FILE="$PROFILES/$name.%m.profraw"
    case $t in
    *.sh) sh "$t" ;;
    *dsl_golden) "$t" $(find tests/dsl tests/corpus tests/gen -name '*.def' | sort) ;;
    *) "$t" ;;
    esac >"$out" 2>&1 </dev/null
    rc=$?
    echo "$(($(date +%s) - start)) $name" >"$log/$name.seconds"
    # cmocka names a failed or skipped test twice: at the test, and in the
    # sums after "N test(s) run".
    case $t in
    *.sh | *dsl_golden) cat "$out" ;;
    *) awk '/^\[=+\].* test\(s\) run/ { sums = 1 } /^\[=+\].*Running/ { sums = 0 } !sums' "$out" ;;
    esac >"$out.own"
    p=$(grep -acE '^ok |\[       OK \]' "$out.own")
    f=$(grep -acE '^not ok |\[  FAILED  \] [A-Za-z_][A-Za-z_0-9]*$' "$out.own")
    grep -aE '^skip |\[  SKIPPED \] [A-Za-z_][A-Za-z_0-9]*$' "$out.own" |
        sed "s/^skip /skipped: /; s/^.*\[  SKIPPED \] /skipped: $name: /" >"$log/$name.skipped"
    s=$(($(wc -l <"$log/$name.skipped")))
    rm -f "$out.own"
    if [ $rc -ne 0 ] && [ "$f" -eq 0 ]; then
        f=1
    fi
    none=
    if [ "$p" -eq 0 ] && [ "$f" -eq 0 ] && [ "$s" -eq 0 ]; then
        none="$name: ran no test"
        f=1
    fi
    echo "$p $f $s" >"$log/$name.count"
    {
        [ -z "$none" ] || echo "$none"
        printf '%-24s %4d passed %4d failed %4d skipped\n' "$name" "$p" "$f" "$s"
        grep -aE '^\| ' "$out"
        [ "$f" -eq 0 ] || grep -aE '^not ok |FAILED|ERROR|error:|rror' "$out" | head -n 30
    } >"$log/$name.said"
    cat "$log/$name.said"
}

if [ "${1-}" = --one ]; then
    count "$2"
    exit 0
fi
mkdir -p "$log"
rm -f "$log"/*.count "$log"/*.seconds
printf '%s\n' "$@" | xargs -P "${JOBS:-1}" -n 1 sh "$0" --one
pass=0 fail=0 skip=0
for t in "$@"; do
    name=$(basename "$t" .sh)
    p=0 f=1 s=0 # of a test that left no count
    [ ! -f "$log/$name.count" ] || read -r p f s <"$log/$name.count"
    pass=$((pass + p)) fail=$((fail + f)) skip=$((skip + s))
    [ "$s" -eq 0 ] || cat "$log/$name.skipped"
done
if [ -n "${CI:-}" ] && [ "$skip" -gt 0 ] && [ "${SKIPS:-}" != allowed ]; then
    echo "skipped tests count as failures in CI"
    fail=$((fail + skip)) skip=0
fi
echo "$pass passed, $fail failed, $skip skipped"
[ "$fail" -eq 0 ]
