# SPDX-License-Identifier: Apache-2.0
# Graphs for what sinter compile makes of sums of products: shapes at and beside
# what decides how their loops go.  For tests/sh/compile_targets.sh, tests/long/compile.sh.
# draw N SEED [LOW HIGH]: numbers of a list.
draw() {
    awk -v n="$1" -v s="$2" -v lo="${3:--128}" -v hi="${4:-127}" 'BEGIN {
        for (i = 0; i < n; i++) {
            s = (s * 16807) % 2147483647
            printf "%s%d", i ? ", " : "", lo + s % (hi - lo + 1)
        } }'
}
# conv X XZ TAPS-OF-W WZ ATTRIBUTES YDIMS: a line of a graph; %b has one number
# for each filter.  It is saved unless `inner` is set.
nconv=0
conv() {
    nconv=$((nconv + 1))
    count=1
    for d in $(echo "$3" | tr , ' '); do count=$((count * d)); done
    cat <<END
  %w$nconv = Constant() {data = [$(draw $count $nconv)]} : qi8<0.01, $4>[$3]
  %b$nconv = Constant() {data = [$(draw "${3%%,*}" $nconv -9000 9000)]} : qi32<${bs:-0.0005}, 0>[${3%%,*}]
  %y$nconv = Conv2D(%$1, %w$nconv, %b$nconv) {$5} : qi8<$2>[$6]
END
    [ -n "${inner-}" ] || echo "  Save(%y$nconv) {name = \"y$nconv\"}"
}
tiles() { # ROUNDING
    nconv=0
    printf 'sinter-graph 1\ngraph "tiles" %s {\n' "$1"
    echo '  %x = Placeholder() : qi8<0.05, -128>[1,7,6,5]'
    echo '  %e = Placeholder() : qi8<0.05, 127>[2,6,5,8]'
    echo '  %s = Placeholder() : qi8<0.05, 5>[1,1,3,8]'
    echo '  %p = Placeholder() : qi8<0.05, -3>[1,9,11,6]'
    # windows with gaps; odd filters; a zero point at each end; clamps
    conv x "0.4, -7" 3,3,2,5 127 \
        'kernel = [3,2], stride = [2,1], pads = [1,0,2,1], dilate = [1,2], clamp = [-100, 90]' 1,4,5,3
    conv e "0.9, -128" 4,3,3,8 -128 'kernel = [3,3], pads = [1,1,1,1]' 2,6,5,4
    conv e "0.2, 127" 5,3,3,8 0 'kernel = [3,3], pads = [1,1,1,1], clamp = [_, 20]' 2,6,5,5
    conv e "0.3, 0" 6,3,3,4 0 'kernel = [3,3], pads = [2,1,0,1], stride = [1,2], group = 2' 2,6,3,6
    conv e "0.3, 0" 16,2,2,1 3 'kernel = [2,2], group = 8' 2,5,4,16
    # windows that are outside as a whole
    conv x "0.2, 9" 2,2,2,5 0 'kernel = [2,2], pads = [3,3,3,4]' 1,12,12,2
    # fewer pixels than a tile; one pixel
    conv s "0.3, 1" 3,1,1,8 -2 'kernel = [1,1]' 1,1,3,3
    conv s "0.3, 1" 7,1,3,8 1 'kernel = [1,3]' 1,1,1,7
    conv x "0.3, 1" 6,7,6,5 0 'kernel = [7,6]' 1,1,1,6
    # windows that are rows of the operand: all, in groups; not, as places skip some
    echo '  %r = Placeholder() : qi8<0.05, -7>[1,5,3,8]'
    conv r "0.3, 1" 6,1,1,8 0 'kernel = [1,1]' 1,5,3,6
    conv r "0.3, -9" 8,1,1,4 0 'kernel = [1,1], group = 2' 1,5,3,8
    conv r "0.3, 1" 6,1,1,8 0 'kernel = [1,1], stride = [2,2]' 1,3,2,6
    # one filter a channel
    conv p "0.3, 4" 6,3,3,1 0 'kernel = [3,3], pads = [1,1,1,1], group = 6' 1,9,11,6
    conv p "0.3, -128" 6,3,3,1 127 'kernel = [3,3], pads = [0,1,1,0], stride = [2,2], group = 6, clamp = [-90, 80]' 1,4,5,6
    conv p "0.3, 127" 6,2,4,1 -128 'kernel = [2,4], pads = [1,3,1,2], dilate = [2,3], group = 6' 1,9,7,6
    conv p "0.3, 4" 6,1,5,1 0 'kernel = [1,5], pads = [0,2,0,2], stride = [3,1], group = 6' 1,3,11,6
    conv p "0.3, 4" 6,7,7,1 0 'kernel = [7,7], pads = [3,3,3,3], group = 6' 1,9,11,6
    conv p "0.3, 4" 6,8,8,1 0 'kernel = [8,8], pads = [3,3,4,4], group = 6' 1,9,11,6
    conv e "0.3, 4" 8,2,2,1 0 'kernel = [2,2], pads = [2,2,2,2], group = 8' 2,9,8,8
    # a scale and a zero point for each filter
    cat <<END
  %wc = Constant() {data = [$(draw 108 71)]} : qi8<axis=0, [0.01, 0.02, 0.003], [1, -5, 127]>[3,2,3,6]
  %bc = Constant() {data = [10, -200, 300]} : qi32<axis=0, [0.0005, 0.001, 0.00015], [0, 0, 0]>[3]
  %yc = ChannelwiseConv2D(%p, %wc, %bc) {kernel = [2,3], pads = [1,1,0,1]} : qi8<0.4, 2>[1,9,11,3]
  Save(%yc) {name = "yc"}
  %wd = Constant() {data = [$(draw 24 72)]} : qi8<axis=0, [0.01, 0.02, 0.003, 0.01, 0.02, 0.03], [1, -5, 127, 0, -128, 3]>[6,2,2,1]
  %yd = ChannelwiseConv2D(%p, %wd, _) {kernel = [2,2], pads = [1,0,0,1], group = 6} : qi8<0.1, 2>[1,9,11,6]
  Save(%yd) {name = "yd"}
END
    # matrix products
    cat <<END
  %m = Placeholder() : qi8<0.05, -128>[3,13]
  %wf = Constant() {data = [$(draw 65 73)]} : qi8<0.02, 127>[5,13]
  %bf = Constant() {data = [1, 2, -3, 400, -5000]} : qi32<0.001, 0>[5]
  %yf = FullyConnected(%m, %wf, %bf) : qi8<0.3, 2>[3,5]
  Save(%yf) {name = "yf"}
  %v = Placeholder() : qi8<0.05, 127>[1,16]
  %wg = Constant() {data = [$(draw 96 74)]} : qi8<0.02, -128>[6,16]
  %yg = FullyConnected(%v, %wg, _) {clamp = [-50, 50]} : qi8<0.5, 2>[1,6]
  Save(%yg) {name = "yg"}
  %h = Placeholder() : qi8<0.05, 2>[2,4,6]
  %wh = Constant() {data = [$(draw 60 75)]} : qi8<0.02, 0>[2,6,5]
  %yh = MatMul(%h, %wh) : qi8<0.3, 2>[2,4,5]
  Save(%yh) {name = "yh"}
  %wi = Constant() {data = [$(draw 56 76)]} : qi8<0.02, 7>[2,7,4]
  %yi = MatMul(%wi, %h) : qi8<0.3, 2>[2,7,6]
  Save(%yi) {name = "yi"}
}
END
}

# One convolution, whose windows are gathered beyond the operand's end.
outside() {
    printf 'sinter-graph 1\ngraph "outside" {\n'
    echo '  %x = Placeholder() : qi8<0.05, -128>[1,2,2,8]'
    nconv=0
    conv x "0.2, 9" 2,1,2,8 0 'kernel = [1,2], pads = [0,7,0,7]' 1,2,15,2
    echo '}'
}

# Channels so far apart that eight places take more than 16 bits, and the last
# that do not; the other axis is too short for four at a time.
apart() {
    printf 'sinter-graph 1\ngraph "apart" {\n'
    nconv=0
    for c in 3120 3124; do
        echo "  %x$c = Placeholder() : qi8<0.05, -128>[1,4,3,$c]"
        conv x$c "0.2, 9" $c,2,1,1 0 "kernel = [2,1], pads = [1,0,0,0], group = $c" 1,4,3,$c
    done
    echo '}'
}

# A chain: each result may lie over what it is made of.
chain() { # ROUNDING
    printf 'sinter-graph 1\ngraph "chain" %s {\n' "$1"
    echo '  %x = Placeholder() : qi8<0.05, -3>[1,9,11,6]'
    echo '  %y0 = Flip(%x) {axes = [1]} : qi8<0.05, -3>[1,9,11,6]'
    nconv=0
    inner=1
    conv y0 "0.3, 4" 6,3,3,6 0 'kernel = [3,3], pads = [1,1,1,1]' 1,9,11,6
    bs=0.003
    conv y1 "0.3, 1" 6,3,3,1 2 'kernel = [3,3], pads = [1,1,1,1], group = 6' 1,9,11,6
    conv y2 "0.3, 9" 16,1,1,6 0 'kernel = [1,1]' 1,9,11,16
    conv y3 "0.3, -8" 16,3,3,1 0 'kernel = [3,3], pads = [1,1,1,1], stride = [2,2], group = 16' 1,5,6,16
    conv y4 "0.5, 0" 12,2,2,8 0 'kernel = [2,2], pads = [1,0,0,1], group = 2' 1,5,6,12
    bs=0.005
    conv y5 "0.5, 3" 10,3,3,12 1 'kernel = [3,3], pads = [2,2,2,2], dilate = [2,2]' 1,5,6,10
    conv y6 "0.5, -5" 14,3,2,10 0 'kernel = [3,2], pads = [1,0,1,1], stride = [2,1]' 1,3,6,14
    conv y7 "0.5, 5" 3,1,1,14 0 'kernel = [1,1]' 1,3,6,3
    conv y8 "0.5, 5" 3,2,3,3 0 'kernel = [2,3], pads = [0,1,1,1]' 1,3,6,3
    cat <<END
  %r = Add(%y9, %y8) : qi8<0.6, -2>[1,3,6,3]
  %h = Reshape(%r) {dims = [6, 9]} : qi8<0.6, -2>[6,9]
  %wf = Constant() {data = [$(draw 81 73)]} : qi8<0.02, 0>[9,9]
  %f = FullyConnected(%h, %wf, _) : qi8<0.8, 2>[6,9]
  %o = Flip(%f) {axes = [0]} : qi8<0.8, 2>[6,9]
  Save(%o) {name = "o"}
}
END
    inner= bs=
}
