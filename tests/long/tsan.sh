#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tests of threads under ThreadSanitizer (make tsan): no race, and a planted
# one, parts that are taken and counted by accesses that order nothing, is found.
. "${0%/*}/../../tools/help.sh"
MAKE=${MAKE:-make} BUILD=${BUILD:-build} CC=${CC:-gcc}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
out=$tmp/out
unset SAN
"$MAKE" -s --no-print-directory BUILD="$BUILD" tsan >"$out" 2>&1
rc=$?
if [ $rc -eq 0 ]; then
    echo "ok tsan: $(tail -n 1 "$out")"
else
    echo "not ok tsan"
    grep -a -E 'WARNING: ThreadSanitizer|FAILED|error|SUMMARY' "$out" "$BUILD"/tsan/tests/logs/*.log | head -n 10
    exit 1
fi

b=$BUILD/tsan
sed -e 's/memory_order_acquire/memory_order_relaxed/' \
    -e 's/fetch_sub(&t->left, \([a-z1]*\))/fetch_sub_explicit(\&t->left, \1, memory_order_relaxed)/' \
    src/base/team/team.c >"$tmp/team.c"
"$CC" -std=c11 -D_GNU_SOURCE -O1 -g -fsanitize=thread -Isrc -c -o "$tmp/team.o" "$tmp/team.c" &&
    "$CC" -fsanitize=thread -o "$tmp/test_team" "$b/obj/tests/unit/test_team.o" "$tmp/team.o" \
        "$b/libtest.a" "$b/libsinter.a" "$b/libsinter-dsl.a" \
        -lcmocka -lprotobuf-c -ljansson -lxxhash -lpthread -lm || exit 1
if ! TSAN_OPTIONS=halt_on_error=1 "$tmp/test_team" >"$out" 2>&1 &&
    grep -aq 'WARNING: ThreadSanitizer: data race' "$out"; then
    echo "ok tsan: parts without order are found"
else
    echo "not ok tsan: parts without order are not found"
    exit 1
fi
