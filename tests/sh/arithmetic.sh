#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An arithmetic outside the tree: examples/npu, whose 15-bit multiplier is
# declared, not written in C, built against an installed sinter.  The results of
# its Rescale are computed here again, from the formula.
suite=arithmetic
. tests/sh_case.sh
CC=${CC:-gcc}
MAKE=${MAKE:-make}
root=$PWD
pre=$tmp/prefix

# shellcheck disable=SC2086
"$MAKE" -s install BUILD="$BUILD" CC="$CC" SAN="${SAN:-}" prefix="$pre" \
    >"$tmp/log" 2>&1
fine install [ $? -eq 0 ]
export PKG_CONFIG_PATH="$pre/lib/pkgconfig"
unset MAKEFLAGS MFLAGS MAKELEVEL
cp -r examples/npu "$tmp/npu"
(cd "$tmp/npu" && "$MAKE" BUILD=build CC="$CC" CFLAGS="-O1 ${SAN:-}") \
    >"$tmp/log" 2>&1
so=$tmp/npu/build/libnpu.so
fine 'a plugin with an arithmetic builds' [ -f "$so" ]
fine 'the report says what holds under it' \
    grep -q 'single: .*npu: ' "$tmp/npu/build/gen/proofs.txt"
fine 'and what follows from its rows' \
    grep -q '^npu convert .*monotone: derived; identity: run; odd: derived$' \
    "$tmp/npu/build/gen/proofs.txt"

# A Rescale from steps of 3/128 to 1/10 and back is off by the multiplier.
cat >"$tmp/f.sn" <<'END'
sinter-graph 1
graph "r" {
  %x = Placeholder() : qi8<0.0234375, 3>[1,256]
  %r = Rescale(%x) : qi8<0.1, -5>[1,256]
  Save(%r) {name = "r"}
}
END
# hash FILE: of the arithmetic that the graph names.
hash() { sed -nE 's/^graph .* rounding npu "([0-9a-f]{16})" \{$/\1/p' "$1"; }
"$sinter" --backend-plugin "$so" opt "$tmp/f.sn" --backend npu \
    --passes=quant_cleanup -o "$tmp/r.sn" >"$tmp/out" 2>"$tmp/log"
fine 'a graph for it has its name and hash' [ -n "$(hash "$tmp/r.sn")" ]
# Codes -128 to 127: a .npy of int8 is taken as codes.
awk 'BEGIN {
    h = "{\047descr\047: \047|i1\047, \047fortran_order\047: False, \047shape\047: (1, 256), }"
    printf "\\223NUMPY\\001\\000\\166\\000%-117s\\n", h
    for (i = 0; i < 256; i++)
        printf "\\%03o", (i + 128) % 256
}' >"$tmp/fmt"
printf "$(cat "$tmp/fmt")" >"$tmp/x.npy"
"$sinter" --backend-plugin "$so" run "$tmp/r.sn" --input "$tmp/x.npy" \
    --backend npu >"$tmp/got" 2>"$tmp/log"
fine 'its graphs run' [ $? -eq 0 ]
# 0.0234375 / 0.1 (binary32) = q * 2^-s with q in [2^14, 2^15): 30720 * 2^-17.
awk 'BEGIN {
    for (i = -128; i < 128; i++) {
        v = (i - 3) * 30720
        a = v < 0 ? -v : v
        a = int((a + 65536) / 131072)
        c = (v < 0 ? -a : a) - 5
        c = c < -128 ? -128 : c > 127 ? 127 : c
        printf "%.4f\n", (c + 5) * 0.1
    }
}' >"$tmp/want"
sed 1d "$tmp/got" | tr -s ' ' '\n' | sed '/^$/d' |
    awk '{ printf "%.4f\n", $1 }' >"$tmp/codes"
fine 'a Rescale gives what the formula says' cmp "$tmp/codes" "$tmp/want"

# The graph goes nowhere else.
"$sinter" run "$tmp/r.sn" --input "$tmp/x.npy" >"$tmp/out" 2>"$tmp/log"
fine 'without the plugin its name is unknown' \
    grep -q "expected float, single or double after 'rounding'" "$tmp/log"
"$sinter" --backend-plugin "$so" opt "$tmp/r.sn" --backend interp_double \
    >"$tmp/out" 2>"$tmp/log"
fine 'a backend of another arithmetic refuses it' \
    grep -q 'is a graph with rounding npu; backend' "$tmp/log"

# quantize, optimize and check each rewrite on values under it.
"$sinter" --backend-plugin "$so" quantize examples/demo/fashion_lrn.onnx \
    --calib examples/demo/calib_images.npy --mul 0.0039216 -n 32 --backend npu \
    --check-passes -o "$tmp/q.sn" >"$tmp/out" 2>"$tmp/log"
fine 'a model is quantized for it, each rewrite checked' [ $? -eq 0 ]
fine 'and says so' [ "$(hash "$tmp/q.sn")" = "$(hash "$tmp/r.sn")" ]

# The hash is of what is computed: of no comment and no text.
again() { # SED: the plugin again, with its declarations changed so
    sed "$1" "$tmp/npu/npu.def" >"$tmp/npu/other.def"
    cp "$tmp/npu/npu.def" "$tmp/npu/was.def"
    mv "$tmp/npu/other.def" "$tmp/npu/npu.def"
    (cd "$tmp/npu" && "$MAKE" BUILD=build CC="$CC" CFLAGS="-O1 ${SAN:-}") \
        >"$tmp/log" 2>&1 &&
        "$sinter" --backend-plugin "$so" run "$tmp/r.sn" --input "$tmp/x.npy" \
            --backend npu >"$tmp/out" 2>"$tmp/log"
    rc=$?
    mv "$tmp/npu/was.def" "$tmp/npu/npu.def"
    return $rc
}
again 's|^  scale(v) = |  // of 15 bits\n  scale( v )=|; s/ties away from 0"/ties from 0"/'
fine 'comments and texts do not count' [ $? -eq 0 ]
again 's/shr(v \* q, s, half_away)/shr(v * q, s, half_up)/'
fine 'a rounding does' [ $? -eq 3 ]
fine 'and the graph is refused' grep -q "the graph was made for another \
arithmetic npu, of hash \"$(hash "$tmp/r.sn")\"; this one's is" "$tmp/log"
sed 's/ "[0-9a-f]*" {/ {/' "$tmp/r.sn" >"$tmp/no.sn"
"$sinter" --backend-plugin "$so" opt "$tmp/no.sn" >"$tmp/out" 2>"$tmp/log"
fine 'a name alone is refused' grep -q 'expected the hash of arithmetic npu, "' \
    "$tmp/log"

# What its types and pairs of types are like: each line refuses a graph.
sed '/^arithmetic npu/,/^}/d' examples/npu/npu.def | awk '/^backend NPU/ {
    print "arithmetic npu \"a shift, ties upward\" {"
    print "  codes w -127..127; zero x 0; zero w 0;"
    print "  scales x per tensor power of two; scales w per tensor power of two;"
    print "  bias i8 on 128 * x.scale * w.scale; accumulate i32 wrap;"
    print "  no row Softmax, Abs \"computed by the host\";"
    print "  ratio q 1 bits, s -8..22, outside refuse;"
    print "  scale(v) = shr(v * q, s, half_up);"
    print "  row any convert = scale(x - x.zp : x.scale / y.scale) + y.zp;"
    print "  row any contract = scale(sat(acc, 40) : x.scale * w.scale / y.scale) + y.zp;"
    print "}"
}
{ print }' >"$tmp/npu/npu.def"
(cd "$tmp/npu" && "$MAKE" BUILD=build CC="$CC" CFLAGS="-O1 ${SAN:-}") \
    >"$tmp/log" 2>&1
fine 'a plugin that restricts types builds' [ $? -eq 0 ]
printf 'sinter-graph 1\ngraph "e" {\n}\n' >"$tmp/f.sn"
"$sinter" --backend-plugin "$so" opt "$tmp/f.sn" --backend npu --passes=quant_cleanup \
    -o "$tmp/e.sn" >"$tmp/out" 2>"$tmp/log"
key=$(hash "$tmp/e.sn")
# X Y NODE TYPE: the node of code x, of a type, is verified.
one() {
    printf 'sinter-graph 1\ngraph "g" rounding npu "%s" {\n' "$key" >"$tmp/g.sn"
    printf '  %%x = Placeholder() : qi8<%s>[1,4]\n' "$1" >>"$tmp/g.sn"
    [ -z "$4" ] || printf '  %s\n' "$4" >>"$tmp/g.sn"
    printf '  %%y = %s : qi8<%s>[1,4]\n  Save(%%y) {name = "y"}\n}\n' "$3" \
        "$2" >>"$tmp/g.sn"
    "$sinter" --backend-plugin "$so" inspect "$tmp/g.sn" >"$tmp/log" 2>&1
}
one '0.5, 0' '0.25, 0' 'Rescale(%x)' ''
fine 'a graph that it admits verifies' [ $? -eq 0 ]
refused() { # EXIT TEXT
    [ "$1" -eq 3 ] && grep -qF -- "$2" "$tmp/log"
}
one '0.5, 1' '0.25, 0' 'Rescale(%x)' ''
fine 'zero' refused $? 'y has zero point 1, arithmetic npu expects 0'
one '0.75, 0' '0.25, 0' 'Rescale(%x)' ''
fine 'power of two' refused $? 'y has scale 0.75, arithmetic npu expects a power of two'
one '256, 0' '0.25, 0' 'Rescale(%x)' ''
fine 'ratio' refused $? \
    'its ratio x.scale / y.scale is 1024, arithmetic npu expects 2^-22 to 2^9'
one "0.5, 0" "0.5, 0" "Abs(%x)" ""
fine 'no row' refused $? 'arithmetic npu has no row for Abs: computed by the host'
w='%w = Constant() {data = [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, -7]} : qi8<2, 0>[4,4]'
one '0.5, 0' '1, 0' 'FullyConnected(%x, %w, %b)' "$w
  %b = Constant() {data = [0, 128, -16384, 16256]} : qi32<1, 0>[4]"
fine 'a bias on its grid' [ $? -eq 0 ]
one '0.5, 0' '1, 0' 'FullyConnected(%x, %w, %b)' "$w
  %b = Constant() {data = [0, 64, 0, 0]} : qi32<1, 0>[4]"
fine 'bias' refused $? 'b has code 64 at 1, arithmetic npu expects 8 bits on 128 * x.scale * w.scale'
one '0.5, 0' '1, 0' 'FullyConnected(%x, %w)' "$(echo "$w" | sed 's/-7/-128/')"
fine 'codes' refused $? 'w has code -128 at 15, arithmetic npu expects -127..127'
# The quantizer keeps to it, which is seen in the text by another reader.
"$sinter" --backend-plugin "$so" quantize examples/demo/fashion_lrn.onnx \
    --calib examples/demo/calib_images.npy --mul 0.0039216 --layout nchw -n 32 \
    --backend npu --check-passes -o "$tmp/p.sn" >"$tmp/out" 2>"$tmp/log"
fine 'a model is quantized for shifts alone' grep -q ' int8, 0 float$' "$tmp/out"
python3 tests/tools/arith_read.py "$tmp/npu/npu.def" "$tmp/p.sn" NPUConv >"$tmp/log"
fine 'and keeps to all lines' grep -qE '^[0-9]+ nodes, [1-9][0-9]{2} lines held, 0 broken$' \
    "$tmp/log"
# A file that breaks each line is seen by that reader, too.
sed 's/qi8<0.015625, 0>/qi8<0.015, 1>/' "$tmp/p.sn" >"$tmp/q.sn"
python3 tests/tools/arith_read.py "$tmp/npu/npu.def" "$tmp/q.sn" NPUConv >"$tmp/log"
fine 'whom broken lines do not escape' grep -q 'has zero point \[1\]' "$tmp/log"
cd "$root" || exit 1
exit $bad
