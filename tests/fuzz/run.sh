#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh SECONDS NAME...: runs $BUILD/fuzz_NAME on what was found before
# ($BUILD/found/NAME) and on the corpus; FUZZ_RUNS=N in the environment ends each
# after N inputs, too.  A crash leaves $BUILD/crash-*.
seconds=$1
shift
bad=0
# What targets write; a crash leaves its file there.
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
# The grammar's words, from the lexer's table, and what stands between them.
words() {
    sed -n 's/^    {\("[^"]*"\), T_.*/\1/p' dsl/syntax/token.c
    printf '"%s"\n' '=>' '->' '==' '!=' '<=' '>=' '@' ':1' '...' '//' '..' \
        '{}' '[]' '()' '; ' 'q8(0.1, 0)' 'version 2;\x0a' 'x.type == y.type'
}
for t in "$@"; do
    mkdir -p "$BUILD/found/$t"
    dict=
    if [ "$t" = def ]; then
        words >"$BUILD/def.dict"
        dict=-dict=$BUILD/def.dict
    fi
    # shellcheck disable=SC2086
    if "$BUILD/fuzz_$t" $dict -max_total_time="$seconds" \
        ${FUZZ_RUNS:+-runs="$FUZZ_RUNS"} -rss_limit_mb=3000 \
        -timeout=120 -max_len=65536 -print_final_stats=1 -verbosity=1 \
        -artifact_prefix="$BUILD/crash-$t-" "$BUILD/found/$t" \
        "tests/fuzz/corpus/$t" >"$BUILD/$t.log" 2>&1; then
        n=$(sed -n 's/.*number_of_executed_units: *//p' "$BUILD/$t.log")
        echo "ok fuzz_$t: $n runs, clean"
    else
        echo "not ok fuzz_$t"
        grep -E 'ERROR|SUMMARY|internal error|crash-|runtime error' "$BUILD/$t.log" | head -n 5
        bad=1
    fi
done
exit $bad
