#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every fuzz target on its corpus: seeds and inputs that once broke something.
BUILD=${BUILD:-build}
bad=0
for f in tests/fuzz/fuzz_*.c; do
    t=$(basename "$f" .c | cut -c 6-)
    "$BUILD/tests/replay_$t" "$t" tests/fuzz/corpus/"$t"/* || {
        echo "not ok fuzz $t: stopped"
        bad=1
    }
done
exit $bad
