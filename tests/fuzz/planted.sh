#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# planted.sh SECONDS NAME...: $BUILD/planted_NAME, a fuzz target with a bug, must
# find it on the corpus or within so many seconds.
seconds=$1
shift
bad=0
# What targets write; a crash leaves its file there.
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
for t in "$@"; do
    log=$BUILD/planted/$t.log
    rm -rf "$BUILD/planted/found"
    mkdir "$BUILD/planted/found"
    "$BUILD/planted_$t" -max_total_time="$seconds" -rss_limit_mb=3000 -timeout=120 \
        -max_len=65536 -print_final_stats=1 -artifact_prefix="$BUILD/planted/$t-" \
        "$BUILD/planted/found" "tests/fuzz/corpus/$t" >"$log" 2>&1
    rc=$?
    n=$(sed -n 's/.*number_of_executed_units: *//p' "$log")
    what=$(grep -m 1 -E 'ERROR|internal error|runtime error' "$log" | cut -c 1-90)
    if [ $rc -ne 0 ] && [ -n "$what" ]; then
        echo "ok fuzz planted $t: found after $n runs"
    else
        echo "not ok fuzz planted $t: not found in $n runs"
        bad=1
    fi
done
exit $bad
