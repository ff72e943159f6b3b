#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Random graphs: every pass on 10 000, each verified after every single fire
# (SINTER_RANDOM=N: another number), and the pass of each rule on 20 times as
# many that begin with its case; the kernels of the CPU backend on 100 000
# (SINTER_KERNELS=N), by every instruction set, in 1, 2 and 3 parts, plain,
# fast and launched.  A third of each number is of each flavour; SINTER_SEED=S
# is the first seed.
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
bad=0

# many NAME PROGRAM N
many() {
    n=$((($3 + 2) / 3))
    if SINTER_RANDOM=$n "$BUILD/tests/$2" >"$out" 2>&1; then
        echo "ok random $1: $(grep -a -m 1 '^seeds ' "$out") of 3 flavours:" \
            "$(tail -n 1 "$out")"
    else
        echo "not ok random $1"
        grep -aE '^seed |^ERROR|^not reached' "$out" | head -n 6
        bad=1
    fi
}

many passes test_random "${SINTER_RANDOM:-10000}"
many kernels test_random_kernels "${SINTER_KERNELS:-100000}"
exit $bad
