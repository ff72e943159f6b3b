// SPDX-License-Identifier: Apache-2.0
/* The calculus: rules that it proves, and the same with a premise less. */
#include "dsl/prove/check/check.h"
#include "spell.h"

static const SnTestRule rules[] = {
    /* operands that change places */
    {true, "Mul(a, b) @y => Mul(b, a) like y : y.type exact"},
    {true, "Add(a, b) @y => Add(b, a) like y : y.type "
           "when y.round == before exact"},
    {false, "Add(a, b) @y => Add(b, a) like y : y.type exact"},
    {false, "Sub(a, b) @y => Sub(b, a) like y : y.type exact"},
    {true, "Max(a, b) @y => Max(b, a) : y.type "
           "when y.type in [q8, i32] exact"},
    {false, "Max(a, b) @y => Max(b, a) : y.type exact"},
    {false, "Max(a, b) @y => Max(b, a) : y.type "
            "when y.type in [q8, f32] exact"},
    {false, "Max(Max(a, b) @i, c) @y => Max(Max(c, a) : i.type, b) : y.type "
            "when y.type in [q8] exact"},
    {true, "Equal(a, b) @y => Equal(b, a) : y.type exact"},
    {false, "Less(a, b) @y => Less(b, a) : y.type exact"},
    {true, "Xor(a, b) @y => Xor(b, a) : y.type exact"},
    {false, "And(a, b) @y => Or(a, b) : y.type exact"},
    /* what a row of `after` looks at */
    {true, "Add(a, b) @y => Add(a, b) like y : y.type exact"},
    {false, "Add(a, b) @y => Add(a, b) like y {zp_shift = 0} : y.type exact"},
    {false, "Add(a, b) @y => Add(a, b) like y {round = before} : y.type exact"},
    /* codes that binary32 does not hold */
    {true, "Quantize(Dequantize(x)) @o => x when x.type == o.type "
           "and x.type in [q8, q16] and covers(o.clamp, reach(x)) exact"},
    {false, "Quantize(Dequantize(x)) @o => x when x.type == o.type "
            "and x.type in [q32] and covers(o.clamp, reach(x)) exact"},
    {false, "Quantize(Dequantize(x)) @o => x when x.type == o.type "
            "and covers(o.clamp, reach(x)) exact"},
    /* a clamp behind a contract whose bias is int32 */
    {true, "Relu(Conv2D(x, w, b) @n :1) @o => copy n "
           "{clamp = meet(bounds(o.type, 0, _), n.clamp)} : o.type "
           "when n.type == o.type and n.type in [q8, q16] exact"},
    /* of reals without a common point it may keep -0 */
    {false, "Relu(Conv2D(x, w, b) @n :1) @o => copy n "
            "{clamp = meet(bounds(o.type, 0, _), n.clamp)} : o.type "
            "when n.type == o.type exact"},
    {true, "Relu(Conv2D(x, w, b) @n :1) @o => copy n "
           "{clamp = meet(bounds(o.type, 0, _), n.clamp)} : o.type "
           "when n.type == o.type and hi(n.clamp) >= 0 exact"},
    {false, "Relu(Conv2D(x, w, b) @n :1) @o => copy n "
            "{clamp = meet(bounds(o.type, 0, _), n.clamp)} : o.type "
            "when n.type == o.type and lo(n.clamp) >= 0 exact"},
    {true, "Relu(Conv2D(x, w, b) @n :1) @o => copy n "
           "{clamp = meet(bounds(o.type, 0, _), n.clamp)} : o.type when "
           "n.type == o.type and (n.type in [q8] or 0 <= hi(n.clamp)) exact"},
    {false, "Relu(Conv2D(x, w, b) @n :1) @o => copy n "
            "{clamp = meet(bounds(o.type, 0, _), n.clamp)} : o.type when "
            "n.type == o.type and (n.type in [q8, f32] or hi(n.clamp) >= 0) "
            "exact"},
    {true, "Clip(Conv2D(x, w, b) @n :1) @o => copy n {clamp = "
           "meet(bounds(o.type, o.low, o.high), n.clamp)} : o.type when "
           "n.type == o.type and o.low <= hi(n.clamp) and lo(n.clamp) <= "
           "o.high and o.low <= o.high exact"},
    {false, "Clip(Conv2D(x, w, b) @n :1) @o => copy n {clamp = "
            "meet(bounds(o.type, o.low, o.high), n.clamp)} : o.type when "
            "n.type == o.type and o.low <= hi(n.clamp) and lo(n.clamp) <= "
            "o.high exact"},
    {false, "Clip(Conv2D(x, w, b) @n :1) @o => copy n {clamp = "
            "meet(bounds(o.type, o.low, o.high), n.clamp)} : o.type when "
            "n.type == o.type and o.low <= hi(n.clamp) and o.low <= o.high "
            "exact"},
    /* NaN passes a clamp of reals and becomes a code, which that of codes
     * moves */
    {false, "Quantize(Div(Dequantize(a:{q8}), Dequantize(b:{q8})) @n) @q => "
            "Div(a, b) like n {clamp = meet(q.clamp, image(n.clamp, n, q))} : "
            "q.type when q.type in [q8] exact"},
    {true, "Quantize(Div(Dequantize(a:{q8}), Dequantize(b:{q8})) @n) @q => "
           "Div(a, b) like n {clamp = meet(q.clamp, image(n.clamp, n, q))} : "
           "q.type when q.type in [q8] and n.clamp == full exact"},
    {true, "Quantize(Mul(Dequantize(a:{q8}), Dequantize(b:{q8})) @n) @q => "
           "Mul(a, b) like n {clamp = meet(q.clamp, image(n.clamp, n, q)), "
           "round = before, zp_shift = 0} : q.type when q.type in [q8] exact"},
    {false, "Relu(Conv2D(x, w, b) @n :1) @o => copy n "
            "{clamp = meet(bounds(o.type, 1, _), n.clamp)} : o.type "
            "when n.type == o.type exact"},
    {false, "Relu(Conv2D(x, w, b) @n :1) @o => copy n "
            "{clamp = bounds(o.type, 0, _)} : o.type "
            "when n.type == o.type exact"},
    {false, "Relu(Conv2D(x, w, b) @n :1) @o => copy n "
            "{clamp = meet(bounds(o.type, 0, _), n.clamp)} : o.type exact"},
    /* constants whose order the condition knows */
    {true, "Relu(Clip(x) @i :1) @o => Clip(x) like i : o.type "
           "when i.type == o.type and i.low >= 0 and i.high >= 0 exact"},
    {false, "Relu(Clip(x) @i :1) @o => Clip(x) like i : o.type "
            "when i.type == o.type and i.low >= 0 exact"},
    {false, "Relu(Clip(x) @i :1) @o => Clip(x) like i : o.type "
            "when i.type == o.type and i.high >= 0 exact"},
    {false, "Relu(Clip(x) @i :1) @o => Clip(x) like i : o.type "
            "when i.type == o.type and i.low >= -1 and i.high >= 0 exact"},
    {false, "Relu(Clip(x) @i :1) @o => Clip(x) like i : o.type "
            "when i.low >= 0 and i.high >= 0 exact"},
    /* a constant that lies outside of what an operand holds */
    {true, "Relu(Placeholder() @x) @o => x when x.type == o.type and x.type "
           "in [q8, q16] and covers(bounds(o.type, 0, _), reach(x)) exact"},
    {false, "Relu(Placeholder() @x) @o => x when x.type == o.type and "
            "covers(bounds(o.type, 0, _), reach(x)) exact"}, /* -0 */
    {false, "Relu(Placeholder() @x) @o => x when x.type == o.type and x.type "
            "in [q8, q16] and covers(bounds(o.type, -1, _), reach(x)) exact"},
    {false, "Relu(Placeholder() @x) @o => x when x.type == o.type and x.type "
            "in [q8, q16] and covers(bounds(o.type, _, 0), reach(x)) exact"},
    /* lists, each operand by itself */
    {true, "Concat(each Quantize(x) @r) @o => Quantize(Concat(each x) like o : "
           "x.type) : o.type when r.type == o.type and r.clamp == full exact"},
    {false, "Concat(each Relu(x) @r) @o => Concat(each x) like o : o.type "
            "when x.type == o.type exact"},
    /* a rounding on the way */
    {true, "Add(Conv2D(x, w, b) @c :1, s:{q8}) @o => Two(x, w, b, s) "
           "{mid = c.type, mid_clamp = c.clamp, clamp = o.clamp, stride = "
           "c.stride, pads = c.pads, dilate = c.dilate, group = c.group, "
           "round = o.round, zp_shift = o.zp_shift} : o.type exact"},
    {false, "Add(Conv2D(x, w, b) @c :1, s:{q8}) @o => Two(x, w, b, s) "
            "{mid = o.type, mid_clamp = c.clamp, clamp = o.clamp, stride = "
            "c.stride, pads = c.pads, dilate = c.dilate, group = c.group, "
            "round = o.round, zp_shift = o.zp_shift} : o.type exact"},
    {false, "Add(Conv2D(x, w, b) @c :1, s:{q8}) @o => Two(x, w, b, s) "
            "{mid = c.type, clamp = o.clamp, stride = "
            "c.stride, pads = c.pads, dilate = c.dilate, group = c.group, "
            "round = o.round, zp_shift = o.zp_shift} : o.type exact"},
    {false, "Add(Conv2D(x, w, b) @c :1, s:{q8}) @o => Two(x, w, b, s) "
            "{mid = c.type, mid_clamp = c.clamp, clamp = o.clamp, stride = "
            "c.stride, dilate = c.dilate, group = c.group, "
            "round = o.round, zp_shift = o.zp_shift} : o.type exact"},
    {false, "Add(Conv2D(x, w, b) @c :1, s:{q8}) @o => Two(x, w, b, s) "
            "{mid = c.type, mid_clamp = c.clamp, clamp = o.clamp, stride = "
            "c.stride, pads = c.pads, dilate = c.dilate, group = c.group, "
            "zp_shift = o.zp_shift} : o.type exact"},
    {false, "Add(s:{q8}, Conv2D(x, w, b) @c :1) @o => Two(x, w, b, s) "
            "{mid = c.type, mid_clamp = c.clamp, clamp = o.clamp, stride = "
            "c.stride, pads = c.pads, dilate = c.dilate, group = c.group, "
            "round = o.round, zp_shift = o.zp_shift} : o.type exact"},
    {true, "Two(Rescale(x) @r, w, b, s) @n => Two(x, w, regrid(b), s) like n "
           ": n.type when covers(reach(r), reach(x)) refines"},
    {false, "Two(Rescale(x) @r, w, b, s) @n => Two(x, w, regrid(b), s) like n "
            ": n.type refines"},
    {false, "Two(x, w, b, s) @n => Two(x, w, b, Rescale(s) : n.type) like n "
            ": n.type refines"},
    /* what the right side assigns says nothing of the left one */
    {false, "Two(x, w, b, s) @n => Two(x, w, b, s) like n {mid = s.type} : "
            "n.type exact"},
    {true, "Two(x, w, b, s) @n => Two(x, w, b, s) like n : n.type exact"},
    {true, "Two(x, w, b, s) @n => Two(x, w, b, s) like n {mid = n.mid} : "
           "n.type exact"},
    /* a missing operand, and attributes as declared */
    {true, "FullyConnected(x, w, _) @o => MatMul(x, w) {trans_b = true, "
           "clamp = o.clamp} : o.type when not present(o.b) exact"},
    {false, "FullyConnected(x, w, _) @o => MatMul(x, w) {trans_b = true, "
            "clamp = o.clamp} : o.type exact"},
    {false, "FullyConnected(x, w, _) @o => MatMul(x, w) {clamp = o.clamp} : "
            "o.type when not present(o.b) exact"},
    /* what a variable's type holds; it may lie along an axis */
    {true, "Quantize(Dequantize(x)) @o => x when x.type == o.type "
           "and x.type in [q32] and covers(o.clamp, reach(x)) refines"},
    {false, "Quantize(Dequantize(x)) @o => x when x.type == o.type "
            "and covers(o.clamp, reach(x)) refines"},
    {false, "Quantize(Dequantize(x)) @o => x when x.type == o.type "
            "and x.type in [q32] refines"},
    {true, "Quantize(Neg(Dequantize(x)) @n) @o => Neg(x) : o.type "
           "when x.type == o.type and o.clamp == full refines"},
    /* roundings to one type, carried to the result by other functions */
    {false, "Mul(Rescale(x) @r, y) @n => Rescale(Mul(x, y) : n.type) : n.type "
            "when r.type == n.type and x.type == n.type "
            "and covers(reach(r), reach(x)) refines"},
    {true, "Dequantize(Transpose(x) @t) @d => Transpose(Dequantize(x) : "
           "d.type) like t : d.type when x.type in [q8] exact"},
    /* what the right side needs follows by arithmetic, of integers */
    {true, "Gap(x) @o => Twice(x) {h = o.g} : o.type when o.g <= 31 exact"},
    {false, "Gap(x) @o => Twice(x) {h = o.g} : o.type exact"},
    {false, "Gap(x) @o => Twice(x) {h = o.g - 1} : o.type when o.g <= 31 "
            "exact"},
    {true, "Gap(x) @o => Twice(x) {h = o.g - 1} : o.type when o.g > 1 and "
           "o.g < 31 exact"},
    {true, "Gap(x) @o => Twice(x) {h = o.g * o.g} : o.type when o.g <= 31 "
           "exact"},
    {false, "Gap(x) @o => Twice(x) {h = o.g * o.g} : o.type when o.g <= 32 "
            "exact"},
    {true, "Gap(x) @o => Twice(x) {h = o.g + dim(x, 0)} : o.type when "
           "rank(x) > 0 and not (o.g + dim(x, 0) > 1000) exact"},
    {false, "Gap(x) @o => Twice(x) {h = o.g - dim(x, 0)} : o.type when "
            "rank(x) > 0 and o.g + dim(x, 0) <= 1000 exact"},
    {false, "Gap(x) @o => Twice(x) {h = o.g} : o.type when o.g <= 31 or "
            "rank(x) > 0 exact"},
    {true, "Gap(x) @o => Apart(x) {h = o.g} : o.type when o.g <= 31 exact"},
    {false, "Gap(x) @o => Apart(x) {h = o.g} : o.type when o.g <= 32 exact"},
    {true, "Gap(x) @o => Apart(x) {h = o.g} : o.type when o.g > 33 exact"},
    {true, "Above(x) @o => Above(x) {r = o.r} : o.type exact"},
    {false, "Above(x) @o => Least(x) {r = o.r} : o.type exact"},
    {false, "Gap(x) @o => Least(x) {r = o.g} : o.type exact"},
    {false, "Gap(x) @o => Half(x) {h = o.g} : o.type when o.g / 2 <= 1999 "
            "exact"},
    {false, "Listed(x) @o => Twice(x) {h = o.g} : o.type when o.v > 1000 and "
            "o.v < o.g exact"},
    {false, "Listed(x) @o => Twice(x) {h = o.g} : o.type when o.v > o.g and "
            "o.v < 1000 exact"},
};

#define OF_ONE                                       \
    "{ in x; out y; kinds (x) -> y { (q8) -> q8; } " \
    "free x, y; sem point y = q(max(d(x), 0)) over each(x);\n"

static const char own[] =
    "node Gap " OF_ONE "  attr g : int = 1 where g > 0; }\n"
    "node Twice " OF_ONE
    "  attr h : int = 1 where 2 * h > 0 and h < 1000 + 1; }\n"
    "node Apart " OF_ONE "  attr h : int = 1 where h != 32 and h != 33; }\n"
    "node Half " OF_ONE "  attr h : int = 1 where h / 2 <= 1999; }\n"
    "node Above " OF_ONE "  attr r : real = 1 where r > 0; }\n"
    "node Least " OF_ONE "  attr r : real = 1 where r >= 1; }\n"
    "node Listed " OF_ONE
    "  attr g : int = 1 where g > 0; attr v : int[] = []; }\n"
    "node Two { in x, w, b?, s; out y;\n"
    "  kinds (x, w, b, s) -> y { (q8, q8, q32, q8) -> q8; }\n"
    "  attr stride : int[2] = [1, 1] where stride > 0;\n"
    "  attr pads   : int[4] = [0, 0, 0, 0] where pads >= 0;\n"
    "  attr dilate : int[2] = [1, 1] where dilate > 0;\n"
    "  attr group  : int = 1 where group > 0;\n"
    "  attr mid : type; attr mid_clamp : range(mid) = full;\n"
    "  attr clamp : range(y) = full;\n"
    "  attr round : enum { before, after } = before;\n"
    "  attr zp_shift : int = 0; free x, s, y; given w;\n"
    "  pin b (x.scale * w.scale, 0) else \"the accumulator's grid\";\n"
    "  sem contract y = q(d(q(sum(d(x) * d(w)) + d(b), mid, mid_clamp)) + "
    "d(s))\n"
    "    within clamp over conv(x, w, stride, pads, dilate, group); }\n";

static bool
proved(SnArena *a, const char *rule)
{
    const char *text = sn_format(a,
                                 "version 2;\ninclude \"nodes.def\";\n%s"
                                 "pass p {\n  allow exact;\n  allow refines;\n"
                                 "  rule r: %s;\n}\n",
                                 own, rule);

    SnProver pv;
    SnInstance *v = sn_test_spell(a, text, &pv);
    SnLemma l = sn_calculus_lemma(&pv, v);
    bool is = !l.none && sn_prove_proved(v, &l);
    SnCheck k = {0};
    if (is && (!l.certificate || !sn_check_certificate(a, l.certificate, &k)))
        fail_msg("line %u: %s\n%s\n%s", k.line, k.error ? k.error : "none",
                 rule, l.certificate);
    return is;
}

static void
right_and_wrong(void **state)
{
    (void)state;
    sn_test_proved(rules, sizeof rules / sizeof *rules, proved);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(right_and_wrong)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
