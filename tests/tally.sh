#!/bin/sh
# Runs test programs and scripts and adds up what they count.
#
# A cmocka program prints "[  PASSED  ] n test(s)." and the like; a script (and
# dsl_golden) prints "ok NAME", "not ok NAME" or "skip NAME" lines, and "| ..."
# lines of a table, which are shown.  In CI a skip is a failure: the data a test
# needs must be there.
pass=0 fail=0 skip=0
log=$BUILD/tests/logs
mkdir -p "$log"
for t in "$@"; do
    name=$(basename "$t" .sh)
    out=$log/$name.log
    case $t in
    *.sh) sh "$t" >"$out" 2>&1 ;;
    *dsl_golden) "$t" $(find tests/dsl tests/corpus tests/gen -name '*.def' | sort) >"$out" 2>&1 ;;
    *) "$t" >"$out" 2>&1 ;;
    esac
    rc=$?
    p=$(grep -acE '^ok |\[       OK \]' "$out")
    f=$(grep -acE '^not ok |\[  FAILED  \] [A-Za-z_][A-Za-z_0-9]*$' "$out")
    s=$(grep -acE '^skip |\[  SKIPPED \] [A-Za-z_][A-Za-z_0-9]*$' "$out")
    # cmocka names each failed or skipped test twice: at the test, in the sum.
    case $t in
    *.sh | *dsl_golden) ;;
    *) f=$(sed -n 's/.*\[  FAILED  \] [^0-9]*: *\([0-9]*\) test(s).*/\1/p' "$out" | head -n 1)
       s=$(sed -n 's/.*\[  SKIPPED \] [^0-9]*: *\([0-9]*\) test(s).*/\1/p' "$out" | head -n 1)
       f=${f:-0} s=${s:-0} ;;
    esac
    if [ $rc -ne 0 ] && [ "$f" -eq 0 ]; then
        f=1
    fi
    if [ "$p" -eq 0 ] && [ "$f" -eq 0 ] && [ "$s" -eq 0 ]; then
        echo "$name: ran no test"
        f=1
    fi
    pass=$((pass + p)) fail=$((fail + f)) skip=$((skip + s))
    printf '%-24s %4d passed %4d failed %4d skipped\n' "$name" "$p" "$f" "$s"
    grep -aE '^\| ' "$out"
    [ "$f" -eq 0 ] || grep -aE '^not ok |FAILED|ERROR|error:|rror' "$out" | head -n 30
done
if [ -n "${CI:-}" ] && [ "$skip" -gt 0 ]; then
    echo "skipped tests count as failures in CI"
    fail=$((fail + skip)) skip=0
fi
echo "$pass passed, $fail failed, $skip skipped"
[ "$fail" -eq 0 ]
