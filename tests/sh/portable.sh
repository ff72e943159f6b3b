#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Differences between machines: a big-endian one is refused with a message,
# replacements of Linux calls work, and tests of running models also pass on the
# portable kernels.
BUILD=${BUILD:-build} CC=${CC:-gcc}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
check() {
    if [ "$2" -eq 0 ]; then
        echo "ok portable $1"
    else
        echo "not ok portable $1"
        head -n 5 "$tmp/log"
        bad=1
    fi
}

$CC -std=c11 -D_GNU_SOURCE -U__BYTE_ORDER__ -D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__ -Isrc \
    -fsyntax-only -x c src/base/num.h >"$tmp/log" 2>&1
refused=$?
grep -q 'little-endian numbers: no big-endian machine' "$tmp/log" && [ $refused -ne 0 ]
check big_endian $?

# shellcheck disable=SC2086
$CC -std=c11 -D_GNU_SOURCE -DSN_OS_PLAIN -O1 -Wall -Wextra -Werror ${SAN:-} -Isrc \
    -c -o "$tmp/os.o" src/base/os/os.c >"$tmp/log" 2>&1
check os_compiles $?
for t in test_team test_memory test_arena test_base; do
    # shellcheck disable=SC2086
    $CC ${SAN:-} -o "$tmp/$t" "$BUILD/obj/tests/unit/$t.o" "$tmp/os.o" "$BUILD/libtest.a" \
        "$BUILD/libsinter.a" "$BUILD/libsinter-dsl.a" -lcmocka -lprotobuf-c -ljansson \
        -lxxhash -lpthread -lm >"$tmp/log" 2>&1 && "$tmp/$t" >"$tmp/log" 2>&1
    check "os_$t" $?
done

# Tests of kernels that run every instruction set in any case are not repeated.
for t in run rows special tables wide rnn bind chains beside compare own pack samples; do
    SINTER_CPU=portable "$BUILD/tests/test_$t" >"$tmp/log" 2>&1
    check "$t" $?
done
exit $bad
