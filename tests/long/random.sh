#!/bin/sh
# Every pass on 10 000 random graphs (SINTER_RANDOM=N: another number; a third
# of each flavour), each verified after every single fire.
BUILD=${BUILD:-build}
n=${SINTER_RANDOM:-10000}
out=$(mktemp)
trap 'rm -f "$out"' EXIT
if SINTER_RANDOM=$(((n + 2) / 3)) "$BUILD/tests/test_random" >"$out" 2>&1; then
    echo "ok random: $(tail -n 1 "$out")"
else
    echo "not ok random: $(grep -aE '^seed |^ERROR' "$out" | head -n 6)"
    exit 1
fi
