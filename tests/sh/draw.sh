#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# sinter draw: blocks, hidden parts, heat, links, legend.
suite=draw
. tests/sh_case.sh

cat >"$tmp/m.sn" <<'END'
sinter-graph 1
graph "m <1>" {
  %x = Placeholder() : f32[1,2,4,4]
  %"a/in" = Transpose(%x) {perm = [0,2,3,1]} : f32[1,4,4,2]
  %"a/r" = Relu(%"a/in") : f32[1,4,4,2]
  %"a/s" = Sigmoid(%"a/r") : f32[1,4,4,2]
  %"b/r" = Relu(%"a/s") : f32[1,4,4,2]
  %k = Constant() {splat = 1} : f32[1,4,4,2]
  %"b/t" = Add(%"b/r", %k) : f32[1,4,4,2]
  %"b c" = Neg(%"b/t") : f32[1,4,4,2]
  Save(%"b c") {name = "out"}
}
END

t full 0 out 'label="a/in\nTranspose\nperm [0,2,3,1]\ny: f32  1x4x4x2"' draw "$tmp/m.sn"
t title 0 out '<B>m &#60;1&#62;</B>' draw "$tmp/m.sn"
t title_own 0 out '<B>one &#38; two</B>' draw "$tmp/m.sn" --title 'one & two'
t legend 0 out '> input or output </TD><TD BGCOLOR="#f2f2f2"> other </TD></TR>' draw "$tmp/m.sn"

# Few boxes: every block is opened, the Transpose is left out.
t few 0 out 'label="a/r\nRelu\nf32  1x4x4x2"' draw "$tmp/m.sn" --overview
fine few_hidden [ "$(grep -c Transpose "$tmp/out")" -eq 0 ]
fine few_led_through [ "$(grep -c 'b0 -> b1;' "$tmp/out")" -eq 1 ]
fine few_edges [ "$(grep -c -- '->' "$tmp/out")" -eq 6 ]

# Twelve blocks of three nodes: one box each, and each edge once.  What hidden
# nodes read is read by those behind them, and no value of its own.
{
    printf 'sinter-graph 1\ngraph "long" {\n  %%x0 = Placeholder() : f32[1,4,4,4]\n'
    last=x0
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        printf '  %%"l/%d/t" = Transpose(%%"%s") {perm = [0,2,3,1]} : f32[1,4,4,4]\n' $i "$last"
        printf '  %%"l/%d/u" = Transpose(%%"%s") {perm = [0,3,1,2]} : f32[1,4,4,4]\n' $i "l/$i/t"
        printf '  %%"l/%d/a" = Relu(%%"%s") : f32[1,4,4,4]\n' $i "l/$i/u"
        printf '  %%"l/%d/b" = Neg(%%"%s") : f32[1,4,4,4]\n' $i "$last"
        printf '  %%"l/%d/c" = Add(%%"l/%d/a", %%"l/%d/b") : f32[1,4,4,4]\n' $i $i $i
        last=l/$i/c
    done
    printf '  Save(%%"%s") {name = "o"}\n}\n' "$last"
} >"$tmp/long.sn"
t blocks 0 out 'tooltip="l/1/a (Relu)\nl/1/b (Neg)\nl/1/c (Add)", label="l/1\nRelu, Neg, Add\nf32  1x4x4x4"' \
    draw "$tmp/long.sn" --overview
cp "$tmp/out" "$tmp/log"
# the output belongs to the last block
fine blocks_boxes [ "$(grep -c '^  b[0-9]* \[' "$tmp/out")" -eq 13 ]
fine blocks_edges [ "$(grep -c -- '->' "$tmp/out")" -eq 12 ]

t heat 0 out '\n100.0 % of weights"' draw "$tmp/m.sn" --overview --heat weights
fine heat_most [ "$(grep -c 'fillcolor="#e25537"' "$tmp/out")" -eq 1 ]
fine heat_legend grep -q 'share of weights:.*the most' "$tmp/out"
t heat_full 0 out '[fillcolor="#e25537", tooltip="b/t (Add)"' draw "$tmp/m.sn" --heat weights
t heat_time 0 out 'share of time:' draw "$tmp/m.sn" --heat time
t heat_operations 0 out 'share of operations:' draw "$tmp/m.sn" --heat operations
# Operations follow from shapes: counting them needs no memory of the model's.
cat >"$tmp/large.sn" <<'END'
sinter-graph 1
graph "large" {
  %x = Placeholder() : f32[1,4000,4000]
  %r = Relu(%x) : f32[1,4000,4000]
  %n = Neg(%r) : f32[1,4000,4000]
  Save(%n) {name = "o"}
}
END
t heat_of_shapes 0 out 'fillcolor="#e25537", tooltip="n (Neg)"' draw "$tmp/large.sn" --heat operations \
    --max-memory 10M
t heat_unknown 2 err "--heat: 'size' is not known: expected time, operations or weights" \
    draw "$tmp/m.sn" --heat size
t link 0 out 'URL="r.html#node=b%20c"' draw "$tmp/m.sn" --link r.html
t link_overview 0 out 'URL="r.html#node=a%2Fr"' draw "$tmp/m.sn" --overview --link r.html

if command -v dot >/dev/null; then
    t svg 0 err "" draw "$tmp/long.sn" --overview --link r.html --heat weights -o "$tmp/o.svg"
    fine svg_links [ "$(grep -c 'xlink:href="r.html#node=' "$tmp/o.svg")" -eq 13 ]
    fine svg_tips grep -q 'xlink:title="l/1/a (Relu)' "$tmp/o.svg"
else
    echo "skip draw svg"
fi
exit $bad
