// SPDX-License-Identifier: Apache-2.0
/* Rules over the reals and rules of numbered ranks: those that are proved, and
 * the same with a premise less or a term changed. */
#ifndef SN_TEST_REAL_RULES_H
#define SN_TEST_REAL_RULES_H

#include "spell.h"

#define FC(guard, right)                                                   \
    "Add(MatMul(x, w) @m :1, b) @o => " right " when o.type == f32 and "   \
    "rank(w) == 2 and rank(b) == 1 and m.clamp == full and not m.trans_a " \
    "and not m.trans_b" guard " real 1e-5"
#define SILU(right, guard)                                             \
    "Mul(x:{f32}, Sigmoid(x) @s :1) {clamp = full} @o => " right guard \
    " real 1e-5"
#define HARD(low, high, by)                                              \
    "Div(Mul(x:{f32}, Clip(Add(x, Splat() {value = 3}) {clamp = full}) " \
    "{low = " low ", high = " high "}) {clamp = full}, "                 \
    "Splat() {value = " by "}) {clamp = full} @o => HardSwish(x) : "     \
    "o.type when shape(x) == shape(o) real 1e-5"
#define NORM(guard)                                                        \
    "Div(Sub(x:{f32}, ReduceMean(x) {axes = [-1], keepdims = true, clamp " \
    "= full}) {clamp = full}, Sqrt(Add(ReduceMean(Pow(Sub(x, "             \
    "ReduceMean(x) {axes = [-1], keepdims = true, clamp = full}) {clamp "  \
    "= full}, Splat() {value = 2}) @q :1) {axes = [-1], keepdims = true, " \
    "clamp = full}, Splat() @e) {clamp = full})) {clamp = full} @o => "    \
    "Normalize(x) {eps = e.value, axis = -1} : o.type when " guard         \
    " real 1e-5"
#define PAD(guard, right)                                                 \
    "Conv2D(Pad(x) {mode = constant, value = 0} @p :1, w, b) @c => "      \
    "Conv2D(x, w, b) like c {pads = [c.pads[0] + p.pads[1], "             \
    "c.pads[1] + p.pads[2], c.pads[2] + p.pads[5], " right "]} : c.type " \
    "when p.type == x.type and p.pads[0] == 0 and p.pads[3] == 0 and "    \
    "p.pads[4] == 0 and p.pads[7] == 0 and p.pads[1] >= 0 and "           \
    "p.pads[2] >= 0 and p.pads[5] >= 0" guard " exact"
#define SLICES(guard, start)                                                  \
    "Slice(Slice(x) @i) @o => Slice(x) {start = [" start "], size = o.size, " \
    "step = [i.step[0] * o.step[0]]} : o.type when rank(x) == 1" guard        \
    " exact"
#define BATCH(start, channels)                                                 \
    "Slice(Conv2D(x:{f32}, w, b) @c :1) @o => Conv2D(Slice(x) {start = "       \
    "[" start ", 0, 0, 0], size = [o.size[0], dim(x, 1), dim(x, 2), dim(x, 3)" \
    "], step = [1, 1, 1, 1]}, w, b) like c : o.type when o.start[1] == 0 "     \
    "and o.start[2] == 0 and o.start[3] == 0 and o.step == [1, 1, 1, 1] "      \
    "and dim(o, 1) == dim(c, 1) and dim(o, 2) == dim(c, 2) and " channels      \
    " real 1e-5"
#define PRODUCT(right)                                                   \
    "Transpose(MatMul(Transpose(a) {perm = [0, 1, 3, 2]}, Transpose(b) " \
    "{perm = [0, 1, 3, 2]}) {trans_a = false, trans_b = false} @m :1) "  \
    "{perm = [0, 1, 3, 2]} @o => " right " : o.type when rank(a) == 4 "  \
    "and rank(b) == 4 and a.type == f32 real 1e-5"
#define KEYS(q, right, end)                                            \
    "MatMul(" q ", Transpose(k) {perm = [0, 1, 3, 2]} @t) {trans_b = " \
    "false} @o => " right " : o.type when rank(q) == 4 and rank(k) == 4" end
#define UNFOLD(attrs, dims, guard)                                        \
    "Conv2D(x:{f32}, w, _) @o => MatMul(Unfold(x) {kernel = o.kernel, "   \
    "stride = o.stride, " attrs "}, Reshape(w) {dims = [dim(w, 0), " dims \
    "]}) {trans_b = true, clamp = o.clamp} : o.type when not "            \
    "present(o.b) and dims(w) > 0" guard " real 1e-5"
#define OVER(by)                                                          \
    "Sub(x:{f32}, x) {clamp = full} @o => Sub(Div(x, " by "), Div(x, " by \
    ")) : o.type real 1e-5"
#define PLUS(left, k) \
    "Add(" left ", Splat() {value = " k ", dims = dims(x)} : f32)"
#define TAPS "dim(w, 1) * dim(w, 2) * dim(w, 3)"
#define PART(of, axis, guard)                                              \
    "Part(Conv2D(x:{f32}, w, _) @c :1) {axis = 3} @o => Conv2D(Part(x) "   \
    "like o, Part(w) {axis = " axis ", which = o.which, of = " of "}, _) " \
    "like c {group = 1} : o.type when not present(c.b)" guard " real 1e-5"
#define HALF(k)                                                        \
    "Conv2D(Part(x) {axis = 3, which = " k ", of = 2}, Part(w) {axis " \
    "= 0, which = " k ", of = 2}, _) like c {group = 1} : c.type"
#define HALVES(first, second, groups)                                    \
    "Conv2D(x:{f32}, w, _) @c => Concat(" first ", " second ") {axis = " \
    "3} : c.type when c.group == " groups " and not present(c.b) real 1e-5"
#define ROW(start, size, b)                                                   \
    "Conv2D(Slice(x) {start = [" start ", 0, 0, 0], size = [" size ", "       \
    "dim(x, 1), dim(x, 2), dim(x, 3)], step = [1, 1, 1, 1]}, w, " b ") like " \
    "c : c.type"
#define PICTURES(first, rest, axis)                                         \
    "Conv2D(x:{f32}, w, b) @c => Concat(" first ", " rest ") {axis = " axis \
    "} : c.type when dim(x, 0) >= 2 and dims(x) > 0 real 1e-5"
#define ROWS(guard)                                                        \
    "Conv2D(x:{f32}, w, b) @o => Reshape(FullyConnected(Reshape(x) {dims " \
    "= [dim(x, 0) * dim(x, 1) * dim(x, 2), dim(x, 3)]}, Reshape(w) {dims " \
    "= [dim(w, 0), dim(w, 3)]}, b) {clamp = o.clamp}) {dims = dims(o)} : " \
    "o.type when o.stride == [1, 1] and o.pads == [0, 0, 0, 0] and "       \
    "dims(x) > 0 and dims(o) > 0" guard " real 1e-5"

static const SnTestRule real_rules[] = {
    /* sums of products */
    {true, FC(" and rank(x) == 2 and dim(b, 0) == dim(w, 1)",
              "FullyConnected(x, Transpose(w) {perm = [1, 0]}, b) {clamp = "
              "o.clamp} : o.type")},
    {false, FC(" and rank(x) == 2 and dim(b, 0) == dim(w, 0)",
               "FullyConnected(x, Transpose(w) {perm = [1, 0]}, b) {clamp = "
               "o.clamp} : o.type")},
    {false, FC(" and rank(x) == 2", /* a bias of one element is broadcast */
               "FullyConnected(x, Transpose(w) {perm = [1, 0]}, b) {clamp = "
               "o.clamp} : o.type")},
    {false, FC(" and dim(b, 0) == dim(w, 1)", /* any rank of x */
               "FullyConnected(x, Transpose(w) {perm = [1, 0]}, b) {clamp = "
               "o.clamp} : o.type")},
    {false, FC(" and rank(x) == 2 and dim(b, 0) == dim(w, 1)",
               "FullyConnected(x, w, b) {clamp = o.clamp} : o.type")},
    {false, FC(" and rank(x) == 2 and dim(b, 0) == dim(w, 1)",
               "FullyConnected(x, Transpose(w) {perm = [1, 0]}, b) : "
               "o.type")},
    /* one element */
    {true, SILU("Swish(x) : o.type", "")},
    {true, SILU("Swish(x) {alpha = 1.0000001} : o.type", "")},
    {false, SILU("Swish(x) {alpha = 1.00001} : o.type", "")},
    {false, SILU("Sigmoid(x) : o.type", "")},
    {false, "Mul(x:{f32}, Sigmoid(z)) {clamp = full} @o => Swish(x) : o.type "
            "real 1e-5"},
    {false, "Mul(x:{f32}, Sigmoid(x)) @o => Swish(x) : o.type real 1e-5"},
    {true, HARD("0", "6", "6")},
    {false, HARD("0", "6", "6.001")},
    {false, HARD("0.01", "6", "6")},
    {false, HARD("0", "5", "6")},
    {false, "Mul(x:{f32}, Splat() {value = 1}) {clamp = full} @o => x "
            "real 1e-5"}, /* the shape of the Splat */
    {true, "Mul(x:{f32}, Splat() {value = 1}) {clamp = full} @o => x "
           "when shape(x) == shape(o) real 1e-5"},
    {false, "Mul(x:{f32}, Splat() {value = 0.9999}) {clamp = full} @o => x "
            "when shape(x) == shape(o) real 1e-5"},
    {true, "Sub(Add(x:{f32}, y) {clamp = full}, y) {clamp = full} @o => x "
           "when shape(x) == shape(o) real 1e-5"},
    {false, "Sub(Add(x:{f32}, y) {clamp = full}, y) {clamp = full} @o => y "
            "when shape(x) == shape(o) real 1e-5"},
    {true, "Div(Mul(x:{f32}, y) {clamp = full}, y) {clamp = full} @o => "
           "Mul(x, Div(y, y)) : o.type when shape(x) == shape(o) real 1e-5"},
    {false, "Sub(x:{f32}, y) {clamp = full} @o => Div(Sub(Mul(x, x), "
            "Mul(y, y)), Add(x, y)) : o.type real 1e-5"}, /* by 0 */
    {true, OVER(PLUS("Mul(x, x)", "1"))}, /* by what is above 0 */
    {true, OVER(PLUS("Mul(Sqrt(x), Sqrt(x))", "0.5"))},
    {false, OVER(PLUS("Mul(x, x)", "0"))},
    {false, OVER(PLUS("Mul(x, x)", "-1"))},
    {false, OVER(PLUS("Mul(x, Mul(x, x))", "1"))},
    {false, "Relu(x:{f32}) @o => Log(Exp(Relu(x))) : o.type real 1e-5"},
    /* means */
    {true, NORM("e.value >= 0 and shape(x) == shape(o) and "
                "shape(q) == shape(x)")},
    {false, NORM("shape(x) == shape(o) and shape(q) == shape(x)")},
    {false, NORM("e.value >= 0 and shape(q) == shape(x)")},
    {true, "ReduceSum(Gather(table:{f32}, index) {axis = 0}) @o => "
           "EmbeddingSum(table, index) : o.type when o.axes == [1] and not "
           "o.keepdims and rank(table) == 2 and rank(index) == 2 real 1e-5"},
    {false, "ReduceSum(Gather(table:{f32}, index) {axis = 0}) @o => "
            "EmbeddingSum(table, index) : o.type when o.axes == [0] and not "
            "o.keepdims and rank(table) == 2 and rank(index) == 2 real 1e-5"},
    {false, "ReduceSum(Gather(table:{f32}, index) {axis = 0}) @o => "
            "EmbeddingSum(table, index) : o.type when o.axes == [1] "
            "and rank(table) == 2 and rank(index) == 2 real 1e-5"},
    {false, "ReduceSum(Gather(table:{f32}, index)) @o => "
            "EmbeddingSum(table, index) : o.type when o.axes == [1] and not "
            "o.keepdims and rank(table) == 2 and rank(index) == 2 real 1e-5"},
    /* max and min, each of their operands in every order */
    {true, "Clip(Clip(x:{f32}) @i :1) @o => Clip(x) {low = max(i.low, o.low), "
           "high = min(i.high, o.high)} : o.type when o.low <= i.high exact"},
    {false, "Clip(Clip(x:{f32}) @i :1) @o => Clip(x) {low = max(i.low, o.low), "
            "high = min(i.high, o.high)} : o.type exact"},
    {false, "Clip(Clip(x:{f32}) @i :1) @o => Clip(x) {low = max(o.low, i.low), "
            "high = min(i.high, o.high)} : o.type when o.low <= i.high exact"},
    {false, "Clip(Clip(x:{f32}) @i :1) @o => Clip(x) {low = max(i.low, o.low), "
            "high = min(i.high, o.high)} : o.type when i.low <= i.high exact"},
    {false, "Clip(Clip(x) @i :1) @o => Clip(x) {low = max(i.low, o.low), "
            "high = min(i.high, o.high)} : o.type when o.low <= i.high exact"},
    {true, "Clip(x:{f32}) {low = 0, high = 6} @o => Clip(Clip(x) {low = -1, "
           "high = 7} : o.type) {low = 0, high = 6} : o.type exact"},
    {false, "Clip(x:{f32}) {low = 0, high = 6} @o => Clip(Clip(x) {low = 1, "
            "high = 7} : o.type) {low = 0, high = 6} : o.type exact"},
    {false, "Min(Max(x:{f32}, y), y) @o => y "
            "when shape(o) == shape(y) exact"}, /* x may be NaN */
    /* windows */
    {true, "MaxPool(x) @o => x when o.kernel == [1, 1] and o.stride == [1, 1] "
           "and o.pads == [0, 0, 0, 0] and unused(o.idx) exact"},
    {false, "MaxPool(x) @o => x when o.kernel == [1, 1] and o.stride == "
            "[1, 1] and o.pads == [0, 0, 0, 0] exact"},
    {false, "MaxPool(x) @o => x when o.kernel == [1, 1] and o.pads == "
            "[0, 0, 0, 0] and unused(o.idx) exact"},
    {false, "MaxPool(x) @o => x when o.kernel == [1, 1] and o.stride == "
            "[1, 1] and unused(o.idx) exact"},
    {false, "MaxPool(x) @o => x when o.kernel == [1, 2] and o.stride == "
            "[1, 1] and o.pads == [0, 0, 0, 0] and unused(o.idx) exact"},
    {true, "AvgPool(x:{f32}) @o => x when o.kernel == [1, 1] and o.stride == "
           "[1, 1] and o.pads == [0, 0, 0, 0] and o.clamp == full real 1e-5"},
    {false, "AvgPool(x:{f32}) @o => x when o.kernel == [1, 1] and o.stride == "
            "[1, 1] and o.pads == [0, 0, 0, 0] and o.clamp == full exact"},
    {false, "AvgPool(x:{f32}) @o => x when o.kernel == [1, 1] and o.stride == "
            "[1, 1] and o.pads == [0, 0, 0, 0] real 1e-5"},
    {false, "AvgPool(x) @o => x when x.type == o.type and o.kernel == [1, 1] "
            "and o.stride == [1, 1] and o.pads == [0, 0, 0, 0] and o.clamp == "
            "full exact"},
    /* convolutions */
    {true, PAD(" and p.pads[6] >= 0 and x.type in [q8, q16]",
               "c.pads[3] + p.pads[6]")},
    {false, PAD(" and p.pads[6] >= 0", /* of reals: inf * 0 */
                "c.pads[3] + p.pads[6]")},
    {false, PAD(" and p.pads[6] >= 0 and x.type in [q8, f32]",
                "c.pads[3] + p.pads[6]")},
    {false, PAD(" and x.type in [q8, q16]", "c.pads[3] + p.pads[6]")},
    {false, PAD(" and p.pads[6] >= 0 and x.type in [q8, q16]",
                "c.pads[3] + p.pads[5]")},
    {false, PAD(" and p.pads[6] >= 0 and x.type in [q8, q16]",
                "c.pads[2] + p.pads[6]")},
    {false, "Conv2D(Pad(x) {mode = constant, value = 1} @p :1, w, b) @c => "
            "Conv2D(x, w, b) like c {pads = [c.pads[0], c.pads[1] + "
            "p.pads[2], c.pads[2], c.pads[3]]} : c.type when p.type == x.type "
            "and p.pads == [0, 0, p.pads[2], 0, 0, 0, 0, 0] and p.pads[2] >= "
            "0 and x.type in [q8, q16] exact"},
    {true, ROWS(" and o.kernel == [1, 1] and o.group == 1")},
    {false, ROWS(" and o.kernel == [1, 1]")},
    {false, ROWS(" and o.kernel == [1, 2] and o.group == 1")},
    {false, "Conv2D(x:{f32}, w, b) @o => Conv2D(x, w, b) like o {stride = "
            "[o.stride[1], o.stride[0]]} : o.type real 1e-5"},
    {true, "Conv2D(x:{f32}, w, b) @o => Conv2D(x, w, b) like o : o.type "
           "real 1e-5"},
    {false, "Conv2D(x:{f32}, w, b) @o => Conv2D(x, w, _) like o : o.type "
            "real 1e-5"},
    {true, "Conv2D(x:{f32}, w, b) @o => Conv2D(x, w, _) like o : o.type "
           "when not present(o.b) real 1e-5"},
    /* an axis as it is written, and where it is */
    {true, "Concat(x...) {axis = -1} @o => x when count(x) == 1 exact"},
    {true, "Gather(x, i) @o => Gather(x, i) {axis = o.axis + 1} : o.type when "
           "o.axis == -1 and rank(x) == 1 exact"},
    {true, "Gather(x, i) @o => Gather(x, i) {axis = o.axis + 2} : o.type when "
           "o.axis == -2 and rank(x) == 2 exact"},
    {false, "Gather(x, i) @o => Gather(x, i) {axis = o.axis + 1} : o.type "
            "when o.axis == -1 and rank(x) == 2 exact"},
    {false, "LogSoftmax(x) @o => x when o.axis == -1 and dim(x, 0) > 300 "
            "real 1e-5"},
    {false, "LogSoftmax(x) @o => x when o.axis < 0 real 1e-5"},
    {false, "Gather(x, i) @o => x when o.axis == -1 exact"},
    {false, "ReduceSum(x:{f32}) @o => x when o.axes == [-1] and o.type == "
            "x.type real 1e-5"},
    /* slices of slices, with steps of either sign, where something is left */
    {true, SLICES(" and o.size > 0", "i.start[0] + o.start[0] * i.step[0]")},
    {false, SLICES("", "i.start[0] + o.start[0] * i.step[0]")},
    {false, SLICES(" and o.size > 0", "i.start[0] + o.start[0]")},
    {true,
     "Slice(Slice(x) @i) @o => Slice(x) {start = [i.start[0] + o.start[0] * "
     "i.step[0], i.start[1] + o.start[1] * i.step[1]], size = o.size, step = "
     "[i.step[0] * o.step[0], i.step[1] * o.step[1]]} : o.type when rank(x) "
     "== 2 and o.size > 0 exact"},
    /* blocks to channels and back */
    {true, "DepthToSpace(SpaceToDepth(x) @i) @o => x when i.block == o.block "
           "exact"},
    {false, "DepthToSpace(SpaceToDepth(x) @i) @o => x when i.block >= o.block "
            "exact"},
    {true, "SpaceToDepth(DepthToSpace(x) @i) @o => x when i.block == o.block "
           "exact"},
    {false, "SpaceToDepth(DepthToSpace(x) @i) @o => x exact"},
    /* pictures one by one; a product of transposed matrices */
    {true, BATCH("o.start[0]", "dim(o, 3) == dim(c, 3)")},
    {false, BATCH("o.start[0] + 1", "dim(o, 3) == dim(c, 3)")},
    {false, BATCH("o.start[0]", "dim(o, 0) == dim(c, 0)")},
    {true, PRODUCT("MatMul(b, a) like m")},
    {false, PRODUCT("MatMul(a, b) like m")},
    {false, PRODUCT("MatMul(b, a) like m {trans_a = true}")},
    /* a convolution as a product over its unfolded operand */
    {true,
     UNFOLD("pads = o.pads, dilate = o.dilate", TAPS, " and o.group == 1")},
    {false, UNFOLD("pads = o.pads, dilate = o.dilate", TAPS, "")},
    {false, UNFOLD("pads = o.pads", TAPS, " and o.group == 1")},
    {false, UNFOLD("dilate = o.dilate", TAPS, " and o.group == 1")},
    {false, UNFOLD("pads = [o.pads[1], o.pads[0], o.pads[2], o.pads[3]], "
                   "dilate = o.dilate",
                   TAPS, " and o.group == 1")},
    {false, UNFOLD("pads = o.pads, dilate = o.dilate",
                   "dim(w, 1) * "
                   "dim(w, 3)",
                   " and o.group == 1")},
    /* group by group: one of them, and two as a list */
    {true, PART("o.of", "0", " and o.of == c.group")},
    {false, PART("o.of", "0", "")},
    {false, PART("o.of", "3", " and o.of == c.group")},
    {false, PART("o.of + 1", "0", " and o.of == c.group")},
    {true, HALVES(HALF("0"), HALF("1"), "2")},
    {false, HALVES(HALF("1"), HALF("0"), "2")},
    {false, HALVES(HALF("0"), HALF("0"), "2")},
    {false, HALVES(HALF("0"), HALF("1"), "1")},
    {false, HALVES(HALF("0"), HALF("1"), "3")},
    /* the first picture and the others */
    {true, PICTURES(ROW("0", "1", "b"), ROW("1", "dim(x, 0) - 1", "b"), "0")},
    {true, PICTURES(ROW("0", "1", "b"), ROW("1", "dim(x, 0) - 1", "b"), "-4")},
    {false, PICTURES(ROW("0", "1", "b"), ROW("0", "dim(x, 0) - 1", "b"), "0")},
    {false, PICTURES(ROW("0", "1", "b"), ROW("1", "dim(x, 0)", "b"), "0")},
    {false, PICTURES(ROW("0", "1", "b"), ROW("1", "dim(x, 0) - 1", "b"), "1")},
    {false, PICTURES(ROW("0", "1", "b"), ROW("1", "dim(x, 0) - 1", "_"), "0")},
    /* the transposed keys of attention */
    {true,
     KEYS("q:{f32}", "MatMul(q, k) like o {trans_b = true}", " real 1e-5")},
    {true, KEYS("q", "MatMul(q, k) like o {trans_b = true}",
                " and q.type in [q8] exact")},
    {false, KEYS("q:{f32}", "MatMul(q, k) like o", " real 1e-5")},
    {false,
     KEYS("q:{f32}", "MatMul(k, q) like o {trans_a = true}", " real 1e-5")},
    /* one operand of a list */
    {true, "Concat(x...) @o => x when count(x) == 1 exact"},
    {false, "Concat(x...) @o => x when count(x) == 2 exact"},
};

/* Maps that nodes.def has no use for: the windows of a convolution as rows, and
 * one of several equal parts of an axis. */
static const char real_own[] =
    "map unfold(x[n, s..., c], kernel : int[s], stride : int[s],\n"
    "           pads : int[2, s], dilate : int[s]) {\n"
    "  let room = s + pads[0] + pads[1] - dilate * (kernel - 1) - 1;\n"
    "  require kernel > 0 else \"kernel\"; require stride > 0 else "
    "\"stride\";\n"
    "  require dilate > 0 else \"dilate\";\n"
    "  require pads[0] >= 0 and pads[1] >= 0 else \"pads\";\n"
    "  require room >= 0 else \"room\";\n"
    "  result [b < n, p < room / stride + 1, u < product(kernel) * c];\n"
    "  let t = unflat(u / c, kernel);\n"
    "  read x[b, p * stride - pads[0] + t * dilate, u % c] else fill;\n}\n"
    "map part(x[a..., d @ axis, b...], axis : axis(x), which : int,\n"
    "         of : int) {\n"
    "  require of > 0 and d % of == 0 else \"of\";\n"
    "  require 0 <= which and which < of else \"which\";\n"
    "  result [i < a, p < d / of, j < b];\n"
    "  read x[i, which * (d / of) + p, j];\n}\n"
    "node Unfold { in x; out y; kinds (x) -> y { (T) -> T for T in act; }\n"
    "  attr kernel : int[2] where kernel > 0;\n"
    "  attr stride : int[2] = [1, 1] where stride > 0;\n"
    "  attr pads : int[4] = [0, 0, 0, 0] where pads >= 0;\n"
    "  attr dilate : int[2] = [1, 1] where dilate > 0; same x, y;\n"
    "  sem move y = x over unfold(x, kernel, stride, pads, dilate) else "
    "q(0); }\n"
    "node Part { in x; out y; kinds (x) -> y { (T) -> T for T in act; }\n"
    "  attr axis : int; attr which : int; attr of : int; same x, y;\n"
    "  sem move y = x over part(x, axis, which, of); }\n";

#endif
