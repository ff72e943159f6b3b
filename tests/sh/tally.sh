#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/tally.sh on programs and scripts with the output of cmocka's versions
# and of scripts: counts, names of skipped tests, the last line, the exit code.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0

# program FILE EXIT: prints standard input and exits.
program() {
    { echo "#!/bin/sh"; echo "cat <<'END'"; cat; printf 'END\nexit %s\n' "$2"; } >"$tmp/$1"
    chmod +x "$tmp/$1"
}

# t NAME CODE LAST TEXT ENV TESTS...: tally of these tests exits with CODE,
# ends with the line LAST, and has the line TEXT.
t() {
    name=$1 code=$2 last=$3 text=$4 set=$5
    shift 5
    list=
    for x in "$@"; do list="$list $tmp/$x"; done
    # shellcheck disable=SC2086
    env CI= SKIPS= $set BUILD="$tmp" sh tests/tally.sh $list >"$tmp/out" 2>&1
    rc=$?
    if [ $rc -ne "$code" ] || [ "$(tail -n 1 "$tmp/out")" != "$last" ] ||
        ! grep -qxF -- "$text" "$tmp/out"; then
        echo "not ok tally $name: exit $rc, expected $code, '$last' and '$text'"
        sed 's/^/    /' "$tmp/out"
        bad=1
    else
        echo "ok tally $name"
    fi
}

program all_skipped 0 <<'END'
[==========] Running 2 test(s).
[ RUN      ] one
[  SKIPPED ] one
[ RUN      ] two
[  SKIPPED ] two
[==========] 2 test(s) run.
[  PASSED  ] 0 test(s).
[  SKIPPED ] 2 test(s), listed below:
[  SKIPPED ] one
[  SKIPPED ] two

 2 SKIPPED TEST(S)
END
# The same in later versions, which name the group; and two groups.
program groups 1 <<'END'
[==========] a: Running 2 test(s).
[ RUN      ] one
[  SKIPPED ] one
[ RUN      ] two
[       OK ] two
[==========] a: 2 test(s) run.
[  PASSED  ] 1 test(s).
[  SKIPPED ] a: 1 test(s), listed below:
[  SKIPPED ] one

 1 SKIPPED TEST(S)
[==========] b: Running 3 test(s).
[ RUN      ] one
[  FAILED  ] one
[ RUN      ] two
[  FAILED  ] two
[ RUN      ] three
[       OK ] three
[==========] b: 3 test(s) run.
[  PASSED  ] 1 test(s).
[  FAILED  ] b: 2 test(s), listed below:
[  FAILED  ] one
[  FAILED  ] two

 2 FAILED TEST(S)
END
program passes 0 <<'END'
[==========] Running 1 test(s).
[ RUN      ] one
[       OK ] one
[==========] 1 test(s) run.
[  PASSED  ] 1 test(s).
END
program crashes 139 <<'END'
[==========] Running 1 test(s).
[ RUN      ] one
END
program empty 0 </dev/null
printf 'echo "ok s a"; echo "skip s: no data"; echo "| a table"\n' >"$tmp/s.sh"

t skipped 0 "0 passed, 0 failed, 2 skipped" "skipped: all_skipped: two" A= all_skipped
t script 0 "1 passed, 0 failed, 1 skipped" "skipped: s: no data" A= s.sh
t table 0 "1 passed, 0 failed, 1 skipped" "| a table" A= s.sh
t groups 1 "2 passed, 2 failed, 1 skipped" "skipped: groups: one" A= groups
t crash 1 "1 passed, 1 failed, 0 skipped" \
    "crashes                     0 passed    1 failed    0 skipped" A= crashes passes
t nothing 1 "0 passed, 1 failed, 0 skipped" "empty: ran no test" A= empty
t no_program 1 "0 passed, 1 failed, 0 skipped" \
    "missing                     0 passed    1 failed    0 skipped" A= missing
t in_ci 1 "1 passed, 2 failed, 0 skipped" "skipped tests count as failures in CI" CI=true \
    all_skipped passes
t in_ci_none 0 "1 passed, 0 failed, 0 skipped" \
    "passes                      1 passed    0 failed    0 skipped" CI=true passes
# The run without shared data, where CI expects skips.
CI=true SKIPS=allowed BUILD=$tmp sh tests/tally.sh "$tmp/all_skipped" "$tmp/passes" >"$tmp/out" 2>&1
if [ "$(tail -n 1 "$tmp/out")" = "1 passed, 0 failed, 2 skipped" ]; then
    echo "ok tally in_ci_allowed"
else
    echo "not ok tally in_ci_allowed: $(tail -n 1 "$tmp/out")"
    bad=1
fi
t jobs 1 "5 passed, 4 failed, 4 skipped" "skipped: all_skipped: one" JOBS=3 \
    passes groups all_skipped s.sh crashes passes empty
exit $bad
