#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Graphs of up to 10^6 nodes (NODES=N: another number): visits of the driver for
# each node, by count; then the whole way of a text graph, reader, verifier,
# driver, planner and evaluator, with time and memory for each node.  Times are
# printed, not judged; memory for a node may not grow.
BUILD=${BUILD:-build} n=${NODES:-1000000}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
sh tools/deps.sh time

if SINTER_NODES=$n "$BUILD/tests/test_driver" >"$tmp/log" 2>&1; then
    echo "ok scale driver"
else
    echo "not ok scale driver: $(grep -a ERROR "$tmp/log" | head -n 3)"
    bad=1
fi
grep -a '^| ' "$tmp/log"

# chain N: a Rescale before every three MaxPools.
chain() {
    awk -v n="$1" 'BEGIN {
        print "sinter-graph 1\ngraph \"chain\" {"
        print "  %x0 = Placeholder() : qi8<0.05, 1>[1,4,4,2]"
        for (i = 1; i <= n; i++) {
            if (i % 4 == 1) {
                k = int(i / 4) % 3 + 1
                t = "qi8<" 0.05 * k ", " k ">"
                s = "Rescale(%x" i - 1 ")"
            } else
                s = "MaxPool(%x" i - 1 ") {kernel = [1,1]}"
            print "  %x" i " = " s " : " t "[1,4,4,2]"
        }
        print "  Save(%x" n ") {name = \"y\"}\n}"
    }'
}
# An .npy of the 32 codes of one sample.
{
    printf '\223NUMPY\001\000v\000'
    printf '%-117s\n' "{'descr': '|i1', 'fortran_order': False, 'shape': (1, 4, 4, 2), }"
    printf 'abcdefghijklmnopqrstuvwxyz012345'
} >"$tmp/x.npy"

# one STEP N COMMAND..: a line of the table; kilobytes a node in $kb.
one() {
    step=$1 k=$2
    shift 2
    if ! command time -f '%U %M' -o "$tmp/time" "$@" >"$tmp/out" 2>"$tmp/err"; then
        echo "not ok scale $step at $k nodes: $(tail -n 1 "$tmp/err")"
        bad=1
        return
    fi
    read -r user mem <"$tmp/time"
    kb=$(awk -v m="$mem" -v k="$k" 'BEGIN { printf "%.3f", m / k }')
    awk -v s="$step" -v k="$k" -v u="$user" -v m="$kb" 'BEGIN {
        printf "| %-22s %8d nodes %7.2f us a node %7.3f KB a node\n", s, k, 1e6 * u / k, m }'
}
for step in read+verify optimize plan+run; do
    for k in 10000 100000 $n; do
        chain "$k" >"$tmp/g.sn"
        case $step in
        read+verify) set -- "$BUILD/sinter" opt "$tmp/g.sn" --passes=dce --verify -o /dev/null ;;
        optimize) set -- "$BUILD/sinter" opt "$tmp/g.sn" --passes=quant_cleanup --verify -o /dev/null ;;
        *) set -- "$BUILD/sinter" run "$tmp/g.sn" --input "x0=$tmp/x.npy" --jobs 1 ;;
        esac
        one "$step" "$k" "$@"
        [ "$k" != 10000 ] || first=$kb
    done
    if awk -v a="$first" -v b="$kb" 'BEGIN { exit !(b > 0 && b <= 1.2 * a) }'; then
        echo "ok scale $step: $kb KB a node"
    else
        echo "not ok scale $step: $first KB a node at 10000, $kb at $n"
        bad=1
    fi
done
exit $bad
