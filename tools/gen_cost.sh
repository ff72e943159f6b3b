#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The instructions of a run of sinter-gen, counted by valgrind, so that the
# figures do not depend on the machine's load: on the shipped declarations
# without proofs, and with OTHER, the root of another built tree (of an older
# state, with its own declarations), as a multiple of that tree's figure.
# --proofs also counts a run with proofs and no stored verdicts; it takes
# minutes.
# Usage: gen_cost.sh [--proofs] BUILD [OTHER]
flags=--proofs
. "${0%/*}/help.sh"
set -u
modes=--no-prove
[ "${1:-}" != --proofs ] || { modes='--no-prove --proofs'; shift; }
build=$(cd "${1:?usage: gen_cost.sh [--proofs] BUILD [OTHER]}" && pwd) || exit 2
other=${2:-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# count TREE GENERATOR MODE: instructions
count() {
    files='--nodes nodes.def --passes passes.def'
    for b in "$1"/src/backend/*/*.def; do files="$files --backend ${b#"$1"/}"; done
    [ "$3" = --proofs ] || files="$files $3"
    rm -rf "$tmp/out"
    # shellcheck disable=SC2086
    (cd "$1" && valgrind --tool=callgrind --callgrind-out-file="$tmp/callgrind" \
        "$2" $files -I . -o "$tmp/out") >"$tmp/log" 2>&1 || { cat "$tmp/log" >&2; exit 1; }
    sed -n 's/.*I *refs: *//p' "$tmp/log" | tr -d ,
}

for mode in $modes; do
    n=$(count "$(pwd)" "$build/sinter-gen" "$mode") || exit 1
    line="$mode: $(awk -v n="$n" 'BEGIN { printf "%.1f", n / 1e6 }') million instructions"
    if [ -n "$other" ]; then
        m=$(count "$(cd "$other" && pwd)" "$(cd "$other" && pwd)/build/sinter-gen" "$mode") ||
            exit 1
        line="$line, $(awk -v n="$n" -v m="$m" 'BEGIN { printf "%.2f", n / m }') times the other's"
    fi
    echo "$line"
done
