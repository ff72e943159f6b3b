#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Graphs of up to 10^6 nodes (NODES=N: another number): visits of the driver for
# each node, by count; then the complete path of a text graph, reader, verifier,
# driver, planner and evaluator, with time and memory for each node.  Times are
# printed, not judged; memory for a node may not grow, and quantizing a float
# graph takes at most 5 KB a node (500 MB for 10^5).  Packed weights and an ONNX
# model of one Split: instructions for a node may not grow; compiled, a little.
. "${0%/*}/../../tools/help.sh"
BUILD=${BUILD:-build} n=${NODES:-1000000}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
bad=0
sh tools/deps.sh time valgrind python3-onnx

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
    step=$1 k=$2 kb=0
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
        # A Placeholder and a Save more than the chain.
        one "$step" "$k" "$@" --max-nodes "$((k + 2))"
        [ "$k" != 10000 ] || first=$kb
    done
    if awk -v a="$first" -v b="$kb" 'BEGIN { exit !(b > 0 && b <= 1.2 * a) }'; then
        echo "ok scale $step: $kb KB a node"
    else
        echo "not ok scale $step: $first KB a node at 10000, $kb at $n"
        bad=1
    fi
done

# reals N: a float graph whose values are small, and all of them profiled.
reals() {
    awk -v n="$1" 'BEGIN {
        print "sinter-graph 1\ngraph \"reals\" {"
        print "  %x0 = Placeholder() : f32[1,4,4,2]"
        for (i = 1; i <= n; i++) {
            op = i % 4 == 1 ? "Relu(%x" i - 1 ")" : i % 4 == 2 ? "Tanh(%x" i - 1 ")" : \
                i % 4 == 3 ? "Add(%x" i - 1 ", %x" i - 2 ")" : "MaxPool(%x" i - 1 ") {kernel = [1,1]}"
            print "  %x" i " = " op " : f32[1,4,4,2]"
        }
        print "  Save(%x" n ") {name = \"y\"}\n}"
    }'
}
for k in 10000 100000; do
    reals "$k" >"$tmp/g.sn"
    one quantize "$k" "$BUILD/sinter" quantize "$tmp/g.sn" --calib "$tmp/x.npy" --mul 0.02 -o "$tmp/q.sn"
done
if awk -v b="$kb" 'BEGIN { exit !(b > 0 && b <= 5) }'; then
    echo "ok scale quantize: $kb KB a node"
else
    echo "not ok scale quantize: $kb KB a node, expected at most 5"
    bad=1
fi

# fully N: N products with weights of their own, which a backend packs.
fully() {
    awk -v n="$1" 'BEGIN {
        print "sinter-graph 1\ngraph \"fully\" {"
        print "  %x0 = Placeholder() : qi8<0.05, 1>[1,4]"
        for (i = 1; i <= n; i++) {
            printf "  %%w%d = Constant() {data = [", i
            for (k = 0; k < 16; k++)
                printf "%s%d", k ? "," : "", k < 8 ? i * 7919 % 251 - 125 + k % 3 : int(i / 251) % 251 - 125
            print "]} : qi8<0.01, 0>[4,4]"
            print "  %x" i " = FullyConnected(%x" i - 1 ", %w" i ") : qi8<0.05, 1>[1,4]"
        }
        print "  Save(%x" n ") {name = \"y\"}\n}"
    }'
}
{
    printf '\223NUMPY\001\000v\000'
    printf '%-117s\n' "{'descr': '|i1', 'fortran_order': False, 'shape': (1, 4), }"
    printf 'abcd'
} >"$tmp/row.npy"
# split N FILE: one Split into N parts, a Relu of each, one Concat.
split() {
    /usr/bin/python3 -c 'import sys, onnx
from onnx import helper as h, TensorProto as t
n = int(sys.argv[1])
part = ["s%d" % i for i in range(n)]
relu = ["r%d" % i for i in range(n)]
f32 = lambda name: h.make_tensor_value_info(name, t.FLOAT, [1, n])
nodes = [h.make_node("Split", ["x"], part, axis=1, num_outputs=n)]
nodes += [h.make_node("Relu", [a], [b]) for a, b in zip(part, relu)]
nodes += [h.make_node("Concat", relu, ["y"], axis=1)]
g = h.make_graph(nodes, "split", [f32("x")], [f32("y")])
m = h.make_model(g, opset_imports=[h.make_opsetid("", 18)])
m.ir_version = 8
onnx.save(m, sys.argv[2])' "$1" "$2"
}

# count STEP N COMMAND..: its instructions in $count.
count() {
    step=$1 k=$2
    shift 2
    if ! valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" >"$tmp/out" 2>"$tmp/err"; then
        echo "not ok scale $step at $k nodes: $(tail -n 1 "$tmp/err")"
        bad=1
    fi
    count=$(sed -n 's/.*Collected : *//p' "$tmp/err")
    awk -v s="$step" -v k="$k" -v c="${count:-0}" 'BEGIN {
        printf "| %-22s %8d nodes %9.0f instructions a node\n", s, k, c / k }'
}
for step in pack+load read-pack split+opt split+compile; do
    for k in 2500 10000; do
        case $step in
        pack+load) fully $k >"$tmp/p$k.sn"; rm -f "$tmp/p$k.sn"w.pack-* ;;
        split+*) split $k "$tmp/s.onnx" ;;
        esac
        case $step in
        split+opt) set -- "$BUILD/sinter" opt "$tmp/s.onnx" -o /dev/null ;;
        split+compile) set -- "$BUILD/sinter" compile "$tmp/s.onnx" -o "$tmp/program" ;;
        *) set -- "$BUILD/sinter" run "$tmp/p$k.sn" --input "x0=$tmp/row.npy" --backend cpu --pack-cache --jobs 1 ;;
        esac
        count $step $k "$@"
        [ $k != 2500 ] || first=${count:-0}
    done
    # The plan of values that all live together looks at pairs of them.
    most=5
    [ $step != split+compile ] || most=9
    if awk -v a="$first" -v b="${count:-0}" -v m=$most 'BEGIN { exit !(a > 0 && b <= m * a) }'; then
        echo "ok scale $step: 4 times the nodes, $(awk -v a="$first" -v b="$count" 'BEGIN { printf "%.2f", b / a }') times the instructions"
    else
        echo "not ok scale $step: $first instructions at 2500 nodes, ${count:-0} at 10000"
        bad=1
    fi
done
exit $bad
