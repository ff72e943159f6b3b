#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sinter compile: chains of nodes that make some rows a call (docs/compile.md)
# have the bits of the evaluators under any limit of memory, and only nodes that
# can be in a chain are.
suite=bands
. tests/sh_case.sh
. tests/tiles.sh
CC=${CC:-gcc}
strict="-O1 -std=c99 -Wall -Wextra -Wconversion -pedantic -Werror"
checked="-fsanitize=undefined,address -fno-sanitize-recover=all"

# arena FILE FLAGS...: bytes; nothing where it is above the limit.
arena() {
    "$sinter" compile "$@" -o "$tmp/o" >"$tmp/out" 2>"$tmp/log" || return
    sed -n 's/^  "arena": \([0-9]*\),$/\1/p' "$tmp/o/net.json"
}
# right: the self-test of the program in $tmp/o.
right() {
    # shellcheck disable=SC2086
    $CC $strict $checked -o "$tmp/o/t" "$tmp"/o/*.c >"$tmp/log" 2>&1 &&
        "$tmp/o/t" >"$tmp/log" 2>&1
}
# rows: nodes that make some rows a call.
rows() { grep -c '"rows": ' "$tmp/o/net.json"; }

# sweep NAME NODES FILE FLAGS...: programs for smaller and smaller limits; one has
# chains of so many nodes at least.
sweep() {
    name=$1 nodes=$2 f=$3 most=0 runs=0 ok=0
    shift 3
    all=$(arena "$f" --target portable --max-ram 100000 "$@")
    for target in portable armv7em armv8.1m-mve rv64; do
        for part in 10 7 5 3; do
            limit=$((all * part / 10))
            n=$(arena "$f" --target $target --max-ram $limit "$@")
            [ -n "$n" ] || continue
            if [ "$n" -gt $limit ] || ! right; then
                echo "$name: arena $n of $limit, $target"
                cp "$tmp/log" "$tmp/first"
                ok=1
            fi
            runs=$((runs + 1))
            [ "$(rows)" -le $most ] || most=$(rows)
        done
    done
    [ $ok = 0 ] || mv "$tmp/first" "$tmp/log"
    [ $ok = 0 ] && [ $runs -gt 2 ] && [ "$most" -ge "$nodes" ]
    say $? "$name: $runs programs, chains of $most nodes"
}

# A head with rows outside, a table, strides, dilation, filters for each channel,
# windows along channels, an unused last row.
inner=1 nconv=0
{
    printf 'sinter-graph 1\ngraph "bands" {\n'
    echo '  %x = Placeholder() : qi8<0.05, -7>[1,24,9,3]'
    conv x "0.4, -7" 8,3,3,3 0 'kernel = [3,3], pads = [1,1,1,1]' 1,24,9,8
    echo '  %t = Sigmoid(%y1) : qi8<0.00390625, -128>[1,24,9,8]'
    bs=0.0000390625
    conv t "0.02, 9" 8,3,3,1 3 'kernel = [3,3], pads = [2,1,0,1], group = 8' 1,24,9,8
    bs=0.0002
    conv y2 "0.04, 2" 16,1,1,8 0 'kernel = [1,1]' 1,24,9,16
    echo '  %l = LRN(%y3) {size = 5, alpha = 0.001, beta = 0.75, k = 1.0} : qi8<0.04, 2>[1,24,9,16]'
    bs=0.0004
    conv l "0.1, 0" 4,3,3,16 -5 'kernel = [3,3], pads = [2,1,2,1], stride = [2,1], dilate = [2,1]' 1,12,9,4
    bs=0.001
    conv y4 "0.1, 1" 4,3,3,1 0 'kernel = [3,3], pads = [0,1,1,1], stride = [2,2], group = 4' 1,6,5,4
    printf '  Save(%%y5) {name = "y"}\n}\n'
} >"$tmp/chain.sn"
sweep chain 6 "$tmp/chain.sn"
sed 's/graph "bands"/& rounding single/' "$tmp/chain.sn" >"$tmp/single.sn"
sweep single 6 "$tmp/single.sn" --weights binary

# Reals, a Transpose in front, results that go to the caller.
bs=0.0005 nconv=0
{
    printf 'sinter-graph 1\ngraph "reals" {\n'
    echo '  %q = Placeholder() : qi8<0.05, 3>[1,4,32,20]'
    echo '  %n = Transpose(%q) {perm = [0,2,3,1]} : qi8<0.05, 3>[1,32,20,4]'
    conv n "0.3, 1" 6,5,3,4 0 'kernel = [5,3], pads = [2,1,2,1], stride = [4,1]' 1,8,20,6
    echo '  %d = Dequantize(%y1) : f32[1,8,20,6]'
    echo '  %e = Exp(%d) : f32[1,8,20,6]'
    printf '  Save(%%e) {name = "e"}\n}\n'
} >"$tmp/reals.sn"
sweep reals 4 "$tmp/reals.sn"

# Largest of windows: rows outside, before the first and after the last, have the
# least code, which changes none; a window that ends outside by ceil_mode.
pools() { # SECOND-RESULT..: what reads places of the second pool
    bs=0.0005 nconv=0
    printf 'sinter-graph 1\ngraph "pools" {\n'
    echo '  %x = Placeholder() : qi8<0.05, -7>[1,23,9,4]'
    conv x "0.4, -100" 8,3,3,4 0 'kernel = [3,3], pads = [1,1,1,1]' 1,23,9,8
    echo '  %m = MaxPool(%y1) {kernel = [3,2], stride = [1,2], pads = [2,1,1,1]} : qi8<0.4, -100>[1,24,5,8]'
    bs=0.004
    conv m "0.9, 100" 8,3,3,8 0 'kernel = [3,3], pads = [1,1,1,1]' 1,24,5,8
    echo "  %k$1 = MaxPool(%y2) {kernel = [4,2], stride = [3,1], pads = [1,0,1,0], ceil_mode = true} : $2"
    bs=0.009
    conv k "0.9, 100" 3,1,1,8 0 'kernel = [1,1]' 1,9,4,3
    printf '  Save(%%y3) {name = "y"}\n%s}\n' "${3-}"
}
pools '' 'qi8<0.9, 100>[1,9,4,8]' >"$tmp/pools.sn"
sweep pools 5 "$tmp/pools.sn"
pools ', %i' '(qi8<0.9, 100>[1,9,4,8], i64[1,9,4,8])' '  Save(%i) {name = "i"}
' >"$tmp/places.sn"
sweep places 2 "$tmp/places.sn"
"$sinter" compile "$tmp/places.sn" --target armv7em --max-ram 100 --report >"$tmp/log" 2>&1
grep -q 'loops  *k (MaxPool)' "$tmp/log" && grep -q 'loops/[0-9]*  *m (MaxPool)' "$tmp/log"
say $? "places: a pool whose places are read is in no chain"

# Batches are rows, too.
nconv=0 bs=0.0005
{
    printf 'sinter-graph 1\ngraph "batch" {\n'
    echo '  %x = Placeholder() : qi8<0.05, -7>[6,5,5,4]'
    conv x "0.4, -7" 16,3,3,4 0 'kernel = [3,3], pads = [1,1,1,1]' 6,5,5,16
    bs=0.004
    conv y1 "0.4, -7" 2,3,3,16 0 'kernel = [3,3], pads = [1,1,1,1]' 6,5,5,2
    printf '  Save(%%y2) {name = "y"}\n}\n'
} >"$tmp/batch.sn"
sweep batch 2 "$tmp/batch.sn"

# A chain does not take less than the memory that windows are gathered in; loops
# without them do.
nconv=0 bs=0.0005
{
    printf 'sinter-graph 1\ngraph "scratch" {\n'
    echo '  %x = Placeholder() : qi8<0.05, -7>[1,12,12,48]'
    conv x "0.4, -7" 16,1,1,48 0 'kernel = [1,1]' 1,12,12,16
    bs=0.004
    conv y1 "0.4, -7" 8,5,5,16 0 'kernel = [5,5], pads = [2,2,2,2]' 1,12,12,8
    printf '  Save(%%y2) {name = "y"}\n}\n'
} >"$tmp/scratch.sn"
t scratch 0 out "1 node is slower" compile "$tmp/scratch.sn" --report --target armv7em --max-ram 2700
t scratch_chain 0 out "2 nodes make some rows" compile "$tmp/scratch.sn" --report --target armv7em --max-ram 5k

# Not in a chain: what two nodes read, what is an output, windows of a mean that
# reach outside, a constant with a row of its own for each.
bs=0.0005 nconv=0
{
    printf 'sinter-graph 1\ngraph "none" {\n'
    echo '  %x = Placeholder() : qi8<0.05, -7>[1,12,9,8]'
    conv x "0.4, -7" 8,3,3,8 0 'kernel = [3,3], pads = [1,1,1,1]' 1,12,9,8
    echo '  %t = Sigmoid(%y1) : qi8<0.00390625, -128>[1,12,9,8]'
    echo '  %s = Add(%y1, %t) : qi8<0.1, 0>[1,12,9,8]'
    echo '  %a = AvgPool(%s) {kernel = [3,3], pads = [1,1,1,1]} : qi8<0.1, 0>[1,12,9,8]'
    echo "  %k = Constant() {data = [$(draw 864 5)]} : qi8<0.1, 0>[1,12,9,8]"
    echo '  %b = Add(%a, %k) : qi8<0.2, 0>[1,12,9,8]'
    echo '  Save(%b) {name = "b"}'
    echo '  %d = Sigmoid(%b) : qi8<0.00390625, -128>[1,12,9,8]'
    printf '  Save(%%d) {name = "d"}\n}\n'
} >"$tmp/none.sn"
"$sinter" compile "$tmp/none.sn" --target armv7em --max-ram 100 --report >"$tmp/log" 2>&1
n=$(grep -c '[0-9] [a-z]*  *[a-z][0-9]* (' "$tmp/log")
[ "$n" = 6 ] && ! grep -qE ' (loops|windows|plane)/' "$tmp/log"
say $? "none: $n nodes by themselves"

# The report says which, and what they cost; there are none for hosts.
n=$(arena "$tmp/chain.sn" --target armv7em --max-ram 3k)
t report 0 out "nodes make some rows a call: the arena takes $n bytes in place of" \
    compile "$tmp/chain.sn" --report --target armv7em --max-ram 3k
t report_rows 0 out "plane/" compile "$tmp/chain.sn" --report --target armv7em --max-ram 3k
"$sinter" compile "$tmp/chain.sn" --report --target x86-avx2 >"$tmp/log" 2>&1
[ -s "$tmp/log" ] && ! grep -q 'rows a call' "$tmp/log"
say $? "host"
exit $bad
