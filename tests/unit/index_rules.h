// SPDX-License-Identifier: Apache-2.0
/* Rules that are right and wrong about which elements are read, for any rank.
 */
#ifndef SN_TEST_INDEX_RULES_H
#define SN_TEST_INDEX_RULES_H

#include "spell.h"

/* why: what is said of one that is not proved; NULL: anything. */
typedef struct IndexRule {
    bool proved;
    const char *text, *why;
} IndexRule;

static const IndexRule index_rules[] = {
    {true,
     "Transpose(Transpose(x) @i) @o => Transpose(x) "
     "{perm = compose(i.perm, o.perm)} : o.type",
     ""},
    {false,
     "Transpose(Transpose(x) @i) @o => Transpose(x) "
     "{perm = compose(o.perm, i.perm)} : o.type",
     "a dimension is dim(x)[o.perm i.perm any], not dim(x)[i.perm o.perm any]"},
    {false, "Transpose(Transpose(x) @i) @o => x",
     "a dimension is dim(x)[any], not dim(x)[i.perm o.perm any]"},
    {true,
     "Transpose(Transpose(x) @i) @o => x "
     "when i.perm == o.perm and identity(i.perm)",
     ""},
    {true,
     "Slice(x) @o => x when shape(x) == shape(o) and "
     "o.step == ones(rank(x))",
     ""},
    {false, "Slice(x) @o => x when shape(x) == shape(o)",
     "'x' at o.start[any] + o.step[any]*i[any] against i[any]"},
    {false, "Slice(x) @o => x when o.step == ones(rank(x))",
     "a dimension is dim(x)[any], not o.size[any]"},
    {true, "Tile(x) @o => x when shape(x) == shape(o)", ""},
    {false, "Tile(x) @o => x",
     "a dimension is dim(x)[any], not o.repeats[any]*dim(x)[any]"},
    {true, "Pad(x) @o => x when o.pads == zeros(2 * rank(x))", ""},
    {false, "Pad(x) @o => x when shape(x) == shape(o)", NULL},
    {true, "Relu(Flip(x) @f) @o => Flip(Relu(x) : o.type) like f : o.type", ""},
    {false, "Relu(Flip(x) @f) @o => Relu(x) : o.type", NULL},
    {false, "Relu(Flip(x) @f) @o => Flip(Abs(x) : o.type) like f : o.type",
     "Relu against Abs"},
    {false,
     "Clip(Flip(x) @f) @o => Flip(Clip(x) {low = 0, high = 6} : o.type) "
     "like f : o.type",
     "low is 0, not o.low"},
    {false, "Flip(Flip(x) @i) @o => x", NULL},
    {false, "Relu(Pad(x) @p) @o => Pad(Relu(x) : o.type) like p : o.type",
     NULL},
    {false,
     "Slice(Transpose(x) @t) @n => Transpose(Slice(x) like n : n.type) "
     "like t : n.type",
     NULL},
    {false,
     "Softmax(Transpose(x) @t) @n => "
     "Transpose(Softmax(x) like n : n.type) like t : n.type",
     NULL},
    {true,
     "Add(Transpose(a) @t, Transpose(b) @u) @n => "
     "Transpose(Add(a, b) like n : n.type) like t : n.type "
     "when u.perm == t.perm and rank(t) == rank(n)",
     ""},
    {false,
     "Add(Transpose(a) @t, Transpose(b) @u) @n => "
     "Transpose(Add(a, b) like n : n.type) like t : n.type "
     "when rank(t) == rank(n) and rank(u) == rank(n)",
     NULL},
    {true,
     "Add(Transpose(a) @t, Transpose(b) @u) @n => "
     "Transpose(Add(a, b) like n : n.type) like t : n.type "
     "when u.perm == t.perm",
     ""},
    {false,
     "Sub(Flip(a) @f, Flip(b) @g) @n => "
     "Flip(Sub(b, a) like n : n.type) like f : n.type "
     "when rank(f) == rank(n) and rank(g) == rank(n)",
     NULL},
    {false,
     "Add(Flip(a) @f, b) @n => Flip(Add(a, b) like n : n.type) like f : "
     "n.type when rank(a) == rank(b)",
     NULL},
    {false,
     "Add(Transpose(a) @t, Transpose(b) @u) {clamp = full} @n => "
     "Transpose(Add(a, b) : n.type) like t : n.type "
     "when u.perm == t.perm and rank(t) == rank(n)",
     "round is before, not n.round"},
    {false,
     "Flip(Transpose(x) @t) @n => Transpose(Flip(x) like n : n.type) "
     "like t : n.type",
     NULL},
    {true,
     "Add(Softmax(x) @s, Softmax(y) @t) @o => Add(Softmax(x) like s : "
     "s.type, Softmax(y) like t : t.type) like o : o.type "
     "when rank(x) == rank(y)",
     ""},
    {false,
     "Add(Softmax(x) @s, Softmax(y) @t) @o => Add(Softmax(x) like s : "
     "s.type, Softmax(y) like s : t.type) like o : o.type "
     "when rank(x) == rank(y)",
     NULL},
    {false,
     "Swap(Relu(x) @r) @n => Relu(Swap(x) like n : x.type) : n.type "
     "when r.type == x.type",
     "the form of map 'swap'"},
    {true,
     "Both(Neg(a) @s, Neg(b) @t) @n => Both(Neg(a) : s.type, Neg(b) : "
     "t.type) like n : n.type",
     ""},
    {false,
     "Both(Neg(a) @s, Neg(b) @t) @n => Both(Neg(b) : t.type, Neg(a) : "
     "s.type) like n : n.type",
     NULL},
    {false,
     "Add(Neg(a) @s, Neg(b) @t) {clamp = full} @n => Both(Neg(a) : "
     "s.type, Neg(b) : t.type) : n.type when rank(a) == rank(b)",
     NULL},
    {true,
     "Reshape(Reshape(x)) @o => Reshape(x) {dims = dims(o)} : o.type "
     "when dims(o) > 0",
     ""},
    {false,
     "Reshape(Reshape(x) @i) @o => Reshape(x) {dims = dims(i)} : o.type "
     "when dims(i) > 0",
     NULL},
    {false, "Reshape(Reshape(x)) @o => Reshape(x) {dims = dims(o)} : o.type",
     "Reshape to other dimensions"},
    {true, "Reshape(x) @o => x when shape(x) == shape(o)", ""},
    {false, "Reshape(x) @o => x", NULL},
    {true,
     "Add(Reshape(a) @t, Reshape(b) @u) @n => "
     "Reshape(Add(a, b) like n : n.type) like t : n.type "
     "when u.dims == t.dims and shape(b) == shape(a)",
     ""},
    {false,
     "Add(Reshape(a) @t, Reshape(b) @u) @n => "
     "Reshape(Add(a, b) like n : n.type) like t : n.type "
     "when u.dims == t.dims",
     NULL},
    {false,
     "Add(Reshape(a) @t, Reshape(b) @u) @n => "
     "Reshape(Add(a, b) like n : n.type) like t : n.type "
     "when shape(b) == shape(a)",
     NULL},
    {false,
     "Add(Reshape(a) @t, b) @n => "
     "Reshape(Add(a, b) like n : n.type) like t : n.type "
     "when shape(b) == shape(a)",
     NULL},
    {true,
     "Relu(Reshape(x) @t) @n => Reshape(Relu(x) : n.type) like t : n.type", ""},
    {false,
     "Flip(Reshape(x) @t) @n => Reshape(Flip(x) like n : n.type) like t : "
     "n.type",
     NULL},
    {false,
     "Softmax(Reshape(x) @t) @n => Reshape(Softmax(x) like n : n.type) "
     "like t : n.type",
     NULL},
    {false, "Reshape(Transpose(x) @t) @o => Reshape(x) like o : o.type", NULL},
};

/* Maps whose runs change places, and whose operands have one shape; a meaning
 * that looks at what its map takes. */
static const char index_own[] =
    "map swap(x[a..., d @ axis, b...], axis : axis(x)) {\n"
    "  result [j < b, p < d, i < a];\n  read x[i, p, j];\n}\n"
    "node Swap { in x; out y; kinds (x) -> y { (T) -> T for T in num; }\n"
    "  attr axis : int = 0; same x, y; sem move y = x over swap(x, axis); }\n"
    "map both(a[d...], b[d...]) {\n"
    "  result [i < d];\n  read a[i];\n  read b[i];\n}\n"
    "node Both { in a, b; out y; kinds (a, b) -> y { (T, T) -> T for T in act; "
    "}\n  free a, b, y; sem point y = q(d(a) - d(b)) over both(a, b); }\n";

#endif
