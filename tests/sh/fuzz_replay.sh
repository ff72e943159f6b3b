#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every fuzz target on its corpus: seeds and inputs that once broke something.
BUILD=${BUILD:-build}
bad=0
for t in def graph model npy onnx pack profile text tune; do
    "$BUILD/tests/replay_$t" "$t" tests/fuzz/corpus/"$t"/* || {
        echo "not ok fuzz $t: stopped"
        bad=1
    }
done
exit $bad
