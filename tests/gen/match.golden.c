#include "sn_where.h"

/* tests/gen/mini.def:51: class clamped
 *   Quantize Rescale Add Mul Conv2D ChannelwiseConv2D
 */
enum { CLASS_CLAMPED = 0 };

/* tests/gen/match.def:8: match.plain
 *
 *   rule plain: Relu(Relu(x:{q8}) @i :1) @o => Relu(x) : o.type when i.type
 *       == o.type exact;
 *
 * The caller has seen that operand 0 is a Relu.
 */
static SN_OWN_CODE bool
match_plain(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId i_ = SN_NODE(sn_in(g, o, 0));
    if (sn_nuse(g, SN_REF(i_, 0)) != 1)
        return false;
    SnRef x = sn_in(g, i_, 0);
    if (!sn_type_is(sn_type(g, x), SN_QI8, -1))
        return false;
    if (sn_type(g, SN_REF(i_, 0)) != sn_type(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_MATCH_PLAIN, g, o, "i.type == o.type",
            2, (const SnNamed[]){ { "i", SN_REF(i_, 0) },
            { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_MATCH_PLAIN, g, o))
        return false;
    SnId relu = sn_relu_new(g, NULL, x, sn_type(g, SN_REF(o, 0)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(relu, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/match.def:9: match.repeated
 *
 *   rule repeated: Add(x, x) @o => Mul(x, Splat() {value = 2, dims = [1]})
 *       {clamp = o.clamp} : o.type when o.type == f32 and rank(x) >= 1
 *       exact trusted "of the generator, not of the prover";
 */
static SN_OWN_CODE bool
match_repeated(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnRef x = sn_in(g, o, 0);
    if (sn_in(g, o, 1) != x)
        return false;
    if (!sn_type_is(sn_type(g, SN_REF(o, 0)), SN_F32, -1))
        return sn_guard_fails(rw, SN_RULE_MATCH_REPEATED, g, o, "o.type == f32",
            1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (sn_shape_of(g, x)->rank < 1)
        return sn_guard_fails(rw, SN_RULE_MATCH_REPEATED, g, o, "rank(x) >= 1",
            1, (const SnNamed[]){ { "x", x } });

    if (!sn_fire(rw, SN_RULE_MATCH_REPEATED, g, o))
        return false;
    SnSplatAttr splat_attr = {
        .value = 2.0f,
        .dims = (SnInts){ 1, (const int64_t[]){ 1 } },
    };
    SnId splat = sn_splat_new(g, NULL, &splat_attr,
        sn_type_plain(g->pool, SN_F32));
    SnMulAttr mul_attr = *(const SnMulAttr *)sn_desc(SN_K_MUL)->defaults;
    mul_attr.clamp = sn_add_attr(g, o)->clamp;
    SnId mul = sn_mul_new(g, NULL, x, SN_REF(splat, 0), &mul_attr,
        sn_type(g, SN_REF(o, 0)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(mul, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/match.def:11: match.two_orders
 *
 *   rule two_orders: Add(Mul(a, b) {clamp = full} @m :1, Mul(a, Splat()
 *       {value = 0}) {clamp = full}) @o => copy m {clamp = meet(o.clamp,
 *       m.clamp)} when o.type == f32 and shape(m) == shape(o) real 1e-6
 *       trusted "of the generator, not of the prover";
 */
static SN_OWN_CODE bool
match_two_orders_order(SnGraph *g, SnRewriter *rw, SnId o, unsigned swap)
{
    if ((swap & 1) && sn_swap_off(g, o))
        return false;
    if ((swap & 1) && (sn_add_attr(g, o)->round != SN_ADD_ROUND_BEFORE))
        return false;
    SnId m = SN_NODE(sn_in(g, o, (swap & 1) ? 1 : 0));
    if (sn_node(g, m)->kind != SN_K_MUL)
        return false;
    if (sn_nuse(g, SN_REF(m, 0)) != 1)
        return false;
    SnId mul = SN_NODE(sn_in(g, o, (swap & 1) ? 0 : 1));
    if (sn_node(g, mul)->kind != SN_K_MUL)
        return false;
    if (!sn_range_full(sn_mul_attr(g, m)->clamp))
        return false;
    if ((swap >> 1 & 1) && sn_swap_off(g, m))
        return false;
    SnRef a = sn_in(g, m, (swap >> 1 & 1) ? 1 : 0);
    if (!sn_range_full(sn_mul_attr(g, mul)->clamp))
        return false;
    if ((swap >> 2 & 1) && sn_swap_off(g, mul))
        return false;
    if (sn_in(g, mul, (swap >> 2 & 1) ? 1 : 0) != a)
        return false;
    SnId splat = SN_NODE(sn_in(g, mul, (swap >> 2 & 1) ? 0 : 1));
    if (sn_node(g, splat)->kind != SN_K_SPLAT)
        return false;
    if (sn_splat_attr(g, splat)->value != 0)
        return false;
    if (!sn_type_is(sn_type(g, SN_REF(o, 0)), SN_F32, -1))
        return sn_guard_fails(rw, SN_RULE_MATCH_TWO_ORDERS, g, o,
            "o.type == f32", 1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (sn_shape_of(g, SN_REF(m, 0)) != sn_shape_of(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_MATCH_TWO_ORDERS, g, o,
            "shape(m) == shape(o)", 2, (const SnNamed[]){ { "m", SN_REF(m, 0) },
            { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_MATCH_TWO_ORDERS, g, o))
        return false;
    SnEdit edit = sn_edit(g, m);
    sn_edit_clamp(&edit, sn_meet(sn_add_attr(g, o)->clamp,
        sn_mul_attr(g, m)->clamp));
    edit.calibrated = false;
    SnId copy = sn_edit_add(g, &edit);
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(copy, 0));
    sn_fire_end(rw, g);
    return true;
}

static SN_OWN_CODE bool
match_two_orders(SnGraph *g, SnRewriter *rw, SnId o)
{
    for (unsigned swap = 0; swap < 8; swap++)
        if (match_two_orders_order(g, rw, o, swap))
            return true;
    return false;
}

/* tests/gen/match.def:13: match.typed
 *
 *   rule typed: Mul(x:{f32}, Splat() {value = 1} @s) {clamp = full} @o => x
 *       when s.type == o.type and shape(x) == shape(o) exact trusted "of
 *       the generator, not of the prover";
 */
static SN_OWN_CODE bool
match_typed_order(SnGraph *g, SnRewriter *rw, SnId o, bool swap)
{
    if (!sn_range_full(sn_mul_attr(g, o)->clamp))
        return false;
    if (swap && sn_swap_off(g, o))
        return false;
    SnRef x = sn_in(g, o, swap ? 1 : 0);
    if (!sn_type_is(sn_type(g, x), SN_F32, -1))
        return false;
    SnId s = SN_NODE(sn_in(g, o, swap ? 0 : 1));
    if (sn_node(g, s)->kind != SN_K_SPLAT)
        return false;
    if (sn_splat_attr(g, s)->value != 1)
        return false;
    if (sn_type(g, SN_REF(s, 0)) != sn_type(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_MATCH_TYPED, g, o, "s.type == o.type",
            2, (const SnNamed[]){ { "s", SN_REF(s, 0) },
            { "o", SN_REF(o, 0) } });
    if (sn_shape_of(g, x) != sn_shape_of(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_MATCH_TYPED, g, o,
            "shape(x) == shape(o)", 2, (const SnNamed[]){ { "x", x },
            { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_MATCH_TYPED, g, o))
        return false;
    sn_fired(rw, g, SN_REF(o, 0), x);
    sn_fire_end(rw, g);
    return true;
}

static SN_OWN_CODE bool
match_typed(SnGraph *g, SnRewriter *rw, SnId o)
{
    return match_typed_order(g, rw, o, false)
        || match_typed_order(g, rw, o, true);
}

/* tests/gen/match.def:14: match.flags
 *
 *   rule flags: MaxPool(Reshape(x) @r :1) {ceil_mode = true, kernel = [2,
 *       2]} @o => MaxPool(x) like o : o.type when shape(x) == shape(r)
 *       exact trusted "of the generator, not of the prover";
 *
 * The caller has seen that operand 0 is a Reshape.
 */
static SN_OWN_CODE bool
match_flags(SnGraph *g, SnRewriter *rw, SnId o)
{
    if (!sn_max_pool_attr(g, o)->ceil_mode)
        return false;
    if (!sn_ints_equal(sn_max_pool_attr(g, o)->kernel,
        (SnInts){ 2, (const int64_t[]){ 2, 2 } }))
        return false;
    SnId r = SN_NODE(sn_in(g, o, 0));
    if (sn_nuse(g, SN_REF(r, 0)) != 1)
        return false;
    SnRef x = sn_in(g, r, 0);
    if (sn_shape_of(g, x) != sn_shape_of(g, SN_REF(r, 0)))
        return sn_guard_fails(rw, SN_RULE_MATCH_FLAGS, g, o,
            "shape(x) == shape(r)", 2, (const SnNamed[]){ { "x", x },
            { "r", SN_REF(r, 0) } });

    if (!sn_fire(rw, SN_RULE_MATCH_FLAGS, g, o))
        return false;
    SnId max_pool = sn_max_pool_new(g, NULL, x, sn_max_pool_attr(g, o),
        sn_type(g, SN_REF(o, 0)), sn_type(g, SN_REF(o, 1)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(max_pool, 0));
    sn_fired(rw, g, SN_REF(o, 1), SN_REF(max_pool, 1));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/match.def:16: match.of_forms
 *
 *   rule of_forms: Relu(forms Conv2D(x, w, b) @c :1) @o => copy c {clamp =
 *       meet(bounds(o.type, 0, _), c.clamp)} : o.type when c.type == o.type
 *       and c.group == 1 and hi(c.clamp) >= 0 exact;
 */
static SN_OWN_CODE bool
match_of_forms(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId c = SN_NODE(sn_in(g, o, 0));
    if (!sn_is_form(sn_node(g, c)->kind, SN_K_CONV2D))
        return false;
    if (sn_nuse(g, SN_REF(c, 0)) != 1)
        return false;
    if (sn_type(g, SN_REF(c, 0)) != sn_type(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_MATCH_OF_FORMS, g, o,
            "c.type == o.type", 2, (const SnNamed[]){ { "c", SN_REF(c, 0) },
            { "o", SN_REF(o, 0) } });
    if (*(int64_t const *)sn_attr_of(g, c, "group") != 1)
        return sn_guard_fails(rw, SN_RULE_MATCH_OF_FORMS, g, o, "c.group == 1",
            1, (const SnNamed[]){ { "c", SN_REF(c, 0) } });
    if (!(sn_clamp_reach(sn_type(g, SN_REF(c, 0)), sn_clamp_of(g, c)).hi >= 0))
        return sn_guard_fails(rw, SN_RULE_MATCH_OF_FORMS, g, o,
            "hi(c.clamp) >= 0", 1, (const SnNamed[]){ { "c", SN_REF(c, 0) } });

    if (!sn_fire(rw, SN_RULE_MATCH_OF_FORMS, g, o))
        return false;
    SnEdit edit = sn_edit(g, c);
    sn_edit_clamp(&edit, sn_meet(sn_bounds(sn_type(g, SN_REF(o, 0)), true, 0,
        false, 0), sn_clamp_of(g, c)));
    edit.type[0] = sn_type(g, SN_REF(o, 0));
    edit.calibrated = false;
    SnId copy = sn_edit_add(g, &edit);
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(copy, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/match.def:18: match.of_class
 *
 *   rule of_class: Relu(any clamped @n :1) @o => copy n {clamp = [0, _]} :
 *       o.type when n.type == o.type and n.clamp == full and o.type == f32
 *       exact;
 */
static SN_OWN_CODE bool
match_of_class(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId n = SN_NODE(sn_in(g, o, 0));
    if (!sn_joins(sn_desc_in(g, sn_node(g, n)->kind), CLASS_CLAMPED))
        return false;
    if (sn_nuse(g, SN_REF(n, 0)) != 1)
        return false;
    if (sn_type(g, SN_REF(n, 0)) != sn_type(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_MATCH_OF_CLASS, g, o,
            "n.type == o.type", 2, (const SnNamed[]){ { "n", SN_REF(n, 0) },
            { "o", SN_REF(o, 0) } });
    if (!sn_type_is(sn_type(g, SN_REF(o, 0)), SN_F32, -1))
        return sn_guard_fails(rw, SN_RULE_MATCH_OF_CLASS, g, o, "o.type == f32",
            1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!sn_range_full(sn_clamp_of(g, n)))
        return sn_guard_fails(rw, SN_RULE_MATCH_OF_CLASS, g, o,
            "n.clamp == full", 1, (const SnNamed[]){ { "n", SN_REF(n, 0) } });

    if (!sn_fire(rw, SN_RULE_MATCH_OF_CLASS, g, o))
        return false;
    SnEdit edit = sn_edit(g, n);
    sn_edit_clamp(&edit, (SnRange){ .lo = 0.0f, .has_lo = true });
    edit.type[0] = sn_type(g, SN_REF(o, 0));
    edit.calibrated = false;
    SnId copy = sn_edit_add(g, &edit);
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(copy, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/match.def:20: match.optional
 *
 *   rule optional: Relu(Conv2D(x, w, b) @c :1) @o => Conv2D(x, w, b) like c
 *       {clamp = meet(bounds(o.type, 0, _), c.clamp)} : o.type when rank(b)
 *       == 1 and c.type == o.type and hi(c.clamp) >= 0 exact;
 *
 * The caller has seen that operand 0 is a Conv2D.
 */
static SN_OWN_CODE bool
match_optional(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId c = SN_NODE(sn_in(g, o, 0));
    if (sn_nuse(g, SN_REF(c, 0)) != 1)
        return false;
    SnRef x = sn_in(g, c, 0);
    SnRef w = sn_in(g, c, 1);
    SnRef b = sn_in(g, c, 2);
    if (!b)
        return false;
    if (sn_type(g, SN_REF(c, 0)) != sn_type(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_MATCH_OPTIONAL, g, o,
            "c.type == o.type", 2, (const SnNamed[]){ { "c", SN_REF(c, 0) },
            { "o", SN_REF(o, 0) } });
    if (sn_shape_of(g, b)->rank != 1)
        return sn_guard_fails(rw, SN_RULE_MATCH_OPTIONAL, g, o, "rank(b) == 1",
            1, (const SnNamed[]){ { "b", b } });
    if (!(sn_clamp_reach(sn_type(g, SN_REF(c, 0)),
        sn_conv2d_attr(g, c)->clamp).hi >= 0))
        return sn_guard_fails(rw, SN_RULE_MATCH_OPTIONAL, g, o,
            "hi(c.clamp) >= 0", 1, (const SnNamed[]){ { "c", SN_REF(c, 0) } });

    if (!sn_fire(rw, SN_RULE_MATCH_OPTIONAL, g, o))
        return false;
    SnConv2DAttr conv2d_attr = *sn_conv2d_attr(g, c);
    conv2d_attr.clamp = sn_meet(sn_bounds(sn_type(g, SN_REF(o, 0)), true, 0,
        false, 0), sn_conv2d_attr(g, c)->clamp);
    SnId conv2d = sn_conv2d_new(g, NULL, x, w, b, &conv2d_attr,
        sn_type(g, SN_REF(o, 0)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(conv2d, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/match.def:22: match.without
 *
 *   rule without: Relu(Conv2D(x, w, _) @c :1) @o => Conv2D(x, w, _) like c
 *       {clamp = meet(bounds(o.type, 0, _), c.clamp)} : o.type when not
 *       present(c.b) and c.type == o.type and hi(c.clamp) >= 0 exact;
 *
 * The caller has seen that operand 0 is a Conv2D.
 */
static SN_OWN_CODE bool
match_without(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId c = SN_NODE(sn_in(g, o, 0));
    if (sn_nuse(g, SN_REF(c, 0)) != 1)
        return false;
    SnRef x = sn_in(g, c, 0);
    SnRef w = sn_in(g, c, 1);
    if (sn_type(g, SN_REF(c, 0)) != sn_type(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_MATCH_WITHOUT, g, o,
            "c.type == o.type", 2, (const SnNamed[]){ { "c", SN_REF(c, 0) },
            { "o", SN_REF(o, 0) } });
    if (sn_in(g, c, 2) != 0)
        return sn_guard_fails(rw, SN_RULE_MATCH_WITHOUT, g, o,
            "not present(c.b)", 0, NULL);
    if (!(sn_clamp_reach(sn_type(g, SN_REF(c, 0)),
        sn_conv2d_attr(g, c)->clamp).hi >= 0))
        return sn_guard_fails(rw, SN_RULE_MATCH_WITHOUT, g, o,
            "hi(c.clamp) >= 0", 1, (const SnNamed[]){ { "c", SN_REF(c, 0) } });

    if (!sn_fire(rw, SN_RULE_MATCH_WITHOUT, g, o))
        return false;
    SnConv2DAttr conv2d_attr = *sn_conv2d_attr(g, c);
    conv2d_attr.clamp = sn_meet(sn_bounds(sn_type(g, SN_REF(o, 0)), true, 0,
        false, 0), sn_conv2d_attr(g, c)->clamp);
    SnId conv2d = sn_conv2d_new(g, NULL, x, w, 0, &conv2d_attr,
        sn_type(g, SN_REF(o, 0)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(conv2d, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/match.def:24: match.pooled
 *
 *   rule pooled: Reshape(MaxPool(x) @p :1) @o => MaxPool(x) like p : o.type
 *       when shape(p) == shape(o) exact trusted "of the generator, not of
 *       the prover";
 */
static SN_OWN_CODE bool
match_pooled(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId p = SN_NODE(sn_in(g, o, 0));
    if (SN_RES(sn_in(g, o, 0)) != 0)
        return false;
    if (sn_node(g, p)->kind != SN_K_MAX_POOL)
        return false;
    if (!sn_used_once(g, p))
        return false;
    SnRef x = sn_in(g, p, 0);
    if (sn_shape_of(g, SN_REF(p, 0)) != sn_shape_of(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_MATCH_POOLED, g, o,
            "shape(p) == shape(o)", 2, (const SnNamed[]){ { "p", SN_REF(p, 0) },
            { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_MATCH_POOLED, g, o))
        return false;
    SnId max_pool = sn_max_pool_new(g, NULL, x, sn_max_pool_attr(g, p),
        sn_type(g, SN_REF(o, 0)), sn_type(g, SN_REF(p, 1)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(max_pool, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/match.def:25: match.pool_top
 *
 *   rule pool_top: MaxPool(Relu(x) @r :1) {kernel = [1, 1], stride = [1,
 *       1], pads = [0, 0, 0, 0]} @o => Relu(x) : o.type when r.type ==
 *       o.type and unused(o.idx) exact trusted "of the generator, not of
 *       the prover";
 *
 * The caller has seen that operand 0 is a Relu.
 */
static SN_OWN_CODE bool
match_pool_top(SnGraph *g, SnRewriter *rw, SnId o)
{
    if (!sn_ints_equal(sn_max_pool_attr(g, o)->kernel,
        (SnInts){ 2, (const int64_t[]){ 1, 1 } }))
        return false;
    if (!sn_ints_equal(sn_max_pool_attr(g, o)->stride,
        (SnInts){ 2, (const int64_t[]){ 1, 1 } }))
        return false;
    if (!sn_ints_equal(sn_max_pool_attr(g, o)->pads,
        (SnInts){ 4, (const int64_t[]){ 0, 0, 0, 0 } }))
        return false;
    SnId r = SN_NODE(sn_in(g, o, 0));
    if (sn_nuse(g, SN_REF(r, 0)) != 1)
        return false;
    SnRef x = sn_in(g, r, 0);
    if (sn_type(g, SN_REF(r, 0)) != sn_type(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_MATCH_POOL_TOP, g, o,
            "r.type == o.type", 2, (const SnNamed[]){ { "r", SN_REF(r, 0) },
            { "o", SN_REF(o, 0) } });
    if (!sn_unused(g, o, 1))
        return sn_guard_fails(rw, SN_RULE_MATCH_POOL_TOP, g, o, "unused(o.idx)",
            1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_MATCH_POOL_TOP, g, o))
        return false;
    SnId relu = sn_relu_new(g, NULL, x, sn_type(g, SN_REF(o, 0)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(relu, 0));
    sn_fire_end(rw, g);
    return true;
}

const uint64_t sn_core_hash = SN_CORE_HASH;

/* ---- passes ---- */

/* match: written rules, by the kind of the root. */
static bool
visit_match(SnGraph *g, SnRewriter *rw, SnId id)
{
    switch (sn_node(g, id)->kind) {
    case SN_K_RELU:
        switch (sn_operand_kind(g, id)) {
        case SN_K_RELU:
            return match_plain(g, rw, id) || match_of_forms(g, rw, id)
                || match_of_class(g, rw, id);
        case SN_K_CONV2D:
            return match_of_forms(g, rw, id) || match_of_class(g, rw, id)
                || match_optional(g, rw, id) || match_without(g, rw, id);
        default:
            return match_of_forms(g, rw, id) || match_of_class(g, rw, id);
        }
    case SN_K_ADD:
        return match_two_orders(g, rw, id) || match_repeated(g, rw, id);
    case SN_K_MUL:
        return match_typed(g, rw, id);
    case SN_K_MAX_POOL:
        switch (sn_operand_kind(g, id)) {
        case SN_K_RESHAPE:
            return match_flags(g, rw, id);
        case SN_K_RELU:
            return match_pool_top(g, rw, id);
        default:
            return false;
        }
    case SN_K_RESHAPE:
        return match_pooled(g, rw, id);
    default:
        return false;
    }
}

static const SnClaim allow_match[] = { { SN_CLAIM_EXACT, 0.0 },
    { SN_CLAIM_REFINES, 0.0 }, { SN_CLAIM_REAL, 0.0 } };
static const SnStep steps_match[] = {
    { .family = SN_FAM_WRITTEN, .visit = visit_match },
};

const SnRuleOff sn_core_off[1] = { { 0 } };
const uint32_t sn_core_noff = 0;

