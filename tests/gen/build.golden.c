#include "sn_where.h"

/* tests/gen/build.def:41: class shifts
 *   Add Mul
 */
enum { CLASS_SHIFTS = 1 };

/* tests/gen/build.def:9: build.scaled
 *
 *   rule scaled: Mul(Conv2D(x, w, b) @c :1, s) @o let g = Mul(w, s) named w
 *       => Conv2D(x, g, Mul(b, s) named b) like c : o.type when present(b)
 *       and const(w) and const(b) and const(s) and o.type == f32 and
 *       rank(s) == 1 and dim(s, 0) == 1 and c.clamp == full and o.clamp ==
 *       full real 1e-5;
 */
static SN_OWN_CODE bool
build_scaled_order(SnGraph *g, SnRewriter *rw, SnId o, bool swap)
{
    if (swap && sn_swap_off(g, o))
        return false;
    SnId c = SN_NODE(sn_in(g, o, swap ? 1 : 0));
    if (sn_node(g, c)->kind != SN_K_CONV2D)
        return false;
    if (sn_nuse(g, SN_REF(c, 0)) != 1)
        return false;
    SnRef s = sn_in(g, o, swap ? 0 : 1);
    SnRef x = sn_in(g, c, 0);
    SnRef w = sn_in(g, c, 1);
    SnRef b = sn_in(g, c, 2);
    if (!b)
        return sn_guard_fails(rw, SN_RULE_BUILD_SCALED, g, o, "present(b)", 0,
            NULL);
    if (!sn_type_is(sn_type(g, SN_REF(o, 0)), SN_F32, -1))
        return sn_guard_fails(rw, SN_RULE_BUILD_SCALED, g, o, "o.type == f32",
            1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!sn_range_full(sn_conv2d_attr(g, c)->clamp))
        return sn_guard_fails(rw, SN_RULE_BUILD_SCALED, g, o, "c.clamp == full",
            1, (const SnNamed[]){ { "c", SN_REF(c, 0) } });
    if (!sn_range_full(sn_mul_attr(g, o)->clamp))
        return sn_guard_fails(rw, SN_RULE_BUILD_SCALED, g, o, "o.clamp == full",
            1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (sn_shape_of(g, s)->rank != 1)
        return sn_guard_fails(rw, SN_RULE_BUILD_SCALED, g, o, "rank(s) == 1", 1,
            (const SnNamed[]){ { "s", s } });
    if (sn_dim(g, s, 0) != 1)
        return sn_guard_fails(rw, SN_RULE_BUILD_SCALED, g, o, "dim(s, 0) == 1",
            1, (const SnNamed[]){ { "s", s } });
    if (!sn_is_const(g, w))
        return sn_guard_fails(rw, SN_RULE_BUILD_SCALED, g, o, "const(w)", 1,
            (const SnNamed[]){ { "w", w } });
    if (!sn_is_const(g, b))
        return sn_guard_fails(rw, SN_RULE_BUILD_SCALED, g, o, "const(b)", 1,
            (const SnNamed[]){ { "b", b } });
    if (!sn_is_const(g, s))
        return sn_guard_fails(rw, SN_RULE_BUILD_SCALED, g, o, "const(s)", 1,
            (const SnNamed[]){ { "s", s } });

    if (!sn_fire(rw, SN_RULE_BUILD_SCALED, g, o))
        return false;
    SnId mul = sn_mul_new(g, NULL, w, s, NULL, sn_type_plain(g->pool, SN_F32));
    SnRef g_ = SN_REF(mul, 0);
    const char *name_w = sn_name(g, w);
    SnId mul2 = sn_mul_new(g, NULL, b, s, NULL, sn_type_plain(g->pool, SN_F32));
    SnRef new_b = SN_REF(mul2, 0);
    const char *name_b = sn_name(g, b);
    SnId conv2d = sn_conv2d_new(g, NULL, x, g_, new_b, sn_conv2d_attr(g, c),
        sn_type(g, SN_REF(o, 0)));
    sn_node(g, conv2d)->calibrated = sn_node(g, c)->calibrated;
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(conv2d, 0));
    g_ = sn_fold_let(rw, g, g_);
    new_b = sn_fold_let(rw, g, new_b);
    sn_fire_end(rw, g);
    sn_rename(g, g_, name_w);
    sn_rename(g, new_b, name_b);
    return true;
}

static SN_OWN_CODE bool
build_scaled(SnGraph *g, SnRewriter *rw, SnId o)
{
    return build_scaled_order(g, rw, o, false)
        || build_scaled_order(g, rw, o, true);
}

/* tests/gen/build.def:14: build.narrow
 *
 *   rule narrow: Conv2D(Rescale(x) @r, w, b) @c => Conv2D(x, w, regrid(b))
 *       like c : c.type when covers(r.clamp, reach(x)) refines trusted "of
 *       the generator, not of the prover";
 */
static SN_OWN_CODE bool
build_narrow(SnGraph *g, SnRewriter *rw, SnId c)
{
    SnId r = SN_NODE(sn_in(g, c, 0));
    if (sn_node(g, r)->kind != SN_K_RESCALE)
        return false;
    SnRef w = sn_in(g, c, 1);
    SnRef b = sn_in(g, c, 2);
    SnRef x = sn_in(g, r, 0);
    if (!sn_covers(sn_clamp_reach(sn_type(g, SN_REF(r, 0)),
        sn_rescale_attr(g, r)->clamp), sn_reach(g, x)))
        return sn_guard_fails(rw, SN_RULE_BUILD_NARROW, g, c,
            "covers(r.clamp, reach(x))", 2, (const SnNamed[]){ { "x", x },
            { "r", SN_REF(r, 0) } });
    const char *why = sn_regrid_why(g, b, c, sn_type(g, x));
    if (why) {
        sn_declined(rw, SN_RULE_BUILD_NARROW, g, c, "%s", why);
        return false;
    }

    if (!sn_fire(rw, SN_RULE_BUILD_NARROW, g, c))
        return false;
    SnRef grid = sn_regrid(g, b, c, sn_type(g, x));
    SnId conv2d = sn_conv2d_new(g, NULL, x, w, grid, sn_conv2d_attr(g, c),
        sn_type(g, SN_REF(c, 0)));
    sn_node(g, conv2d)->calibrated = sn_node(g, c)->calibrated;
    sn_fired(rw, g, SN_REF(c, 0), SN_REF(conv2d, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/build.def:16: build.constant
 *
 *   rule constant: Rescale(Constant()) @o => fold(o) exact;
 *
 * The caller has seen that operand 0 is a Constant.
 */
static SN_OWN_CODE bool
build_constant(SnGraph *g, SnRewriter *rw, SnId o)
{
    if (!sn_is_const(g, SN_REF(o, 0)))
        return false;

    if (!sn_fire(rw, SN_RULE_BUILD_CONSTANT, g, o))
        return false;
    SnRef folded = sn_try_fold(g, SN_REF(o, 0));
    sn_fired(rw, g, SN_REF(o, 0), folded);
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/build.def:17: build.like_other
 *
 *   rule like_other: Quantize(Dequantize(x)) @o => Rescale(x) like o :
 *       o.type when x.type in [q8] exact under single, double within 1 lsb;
 *
 * The caller has seen that operand 0 is a Dequantize.
 */
static SN_OWN_CODE bool
build_like_other(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId dequantize = SN_NODE(sn_in(g, o, 0));
    SnRef x = sn_in(g, dequantize, 0);
    if (!sn_type_is(sn_type(g, x), SN_QI8, -1))
        return sn_guard_fails(rw, SN_RULE_BUILD_LIKE_OTHER, g, o,
            "x.type in [q8]", 1, (const SnNamed[]){ { "x", x } });

    if (!sn_fire(rw, SN_RULE_BUILD_LIKE_OTHER, g, o))
        return false;
    SnRescaleAttr rescale_attr =
        *(const SnRescaleAttr *)sn_desc(SN_K_RESCALE)->defaults;
    sn_attrs_from(g, SN_K_RESCALE, &rescale_attr, o);
    SnId rescale = sn_rescale_new(g, NULL, x, &rescale_attr,
        sn_type(g, SN_REF(o, 0)));
    sn_node(g, rescale)->calibrated = sn_node(g, o)->calibrated;
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(rescale, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/build.def:19: build.flag
 *
 *   rule flag: Rescale(Rescale(x) @m) @o => Rescale(x) {clamp =
 *       meet(o.clamp, image(m.clamp, m, o)), calibrated = o.calibrated and
 *       m.calibrated} : o.type refines;
 *
 * The caller has seen that operand 0 is a Rescale.
 */
static SN_OWN_CODE bool
build_flag(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId m = SN_NODE(sn_in(g, o, 0));
    SnRef x = sn_in(g, m, 0);

    if (!sn_fire(rw, SN_RULE_BUILD_FLAG, g, o))
        return false;
    SnRescaleAttr rescale_attr = {
        .clamp = sn_meet(sn_rescale_attr(g, o)->clamp,
            sn_image_at(rw, g, sn_rescale_attr(g, m)->clamp, m,
            sn_type(g, SN_REF(o, 0)))),
    };
    SnId rescale = sn_rescale_new(g, NULL, x, &rescale_attr,
        sn_type(g, SN_REF(o, 0)));
    sn_node(g, rescale)->calibrated = sn_node(g, o)->calibrated
        && sn_node(g, m)->calibrated;
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(rescale, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/build.def:21: build.each_sunk
 *
 *   rule each_sunk: Concat(each Rescale(x) @r :1) @o => Rescale(Concat(each
 *       x) like o : x.type) : o.type when r.type == o.type and r.clamp ==
 *       full refines;
 */
static SN_OWN_CODE bool
build_each_sunk(SnGraph *g, SnRewriter *rw, SnId o)
{
    uint32_t n = sn_node(g, o)->nin;
    for (uint32_t i = 0; i < n; i++) {
        SnId r = SN_NODE(sn_in(g, o, i));
        if (sn_node(g, r)->kind != SN_K_RESCALE)
            return false;
        if (sn_nuse(g, SN_REF(r, 0)) != 1)
            return false;
    }
    SnId r_0 = SN_NODE(sn_in(g, o, 0));
    SnRef x_0 = sn_in(g, r_0, 0);
    for (uint32_t i = 0; i < n; i++) {
        SnId r = SN_NODE(sn_in(g, o, i));
        if (sn_type(g, SN_REF(r, 0)) != sn_type(g, SN_REF(o, 0)))
            return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        SnId r = SN_NODE(sn_in(g, o, i));
        if (!sn_range_full(sn_rescale_attr(g, r)->clamp))
            return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        SnId r = SN_NODE(sn_in(g, o, i));
        SnRef x = sn_in(g, r, 0);
        if (sn_type(g, x) != sn_type(g, x_0))
            return false;
    }

    if (!sn_fire(rw, SN_RULE_BUILD_EACH_SUNK, g, o))
        return false;
    SnRef *in = SN_NEW_N(sn_scratch(rw), SnRef, n);
    for (uint32_t i = 0; i < n; i++) {
        SnId r = SN_NODE(sn_in(g, o, i));
        SnRef x = sn_in(g, r, 0);
        in[i] = x;
    }
    SnId concat = sn_concat_new(g, NULL, n, in, sn_concat_attr(g, o),
        sn_type(g, x_0));
    SnId rescale = sn_rescale_new(g, NULL, SN_REF(concat, 0), NULL,
        sn_type(g, SN_REF(o, 0)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(rescale, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/build.def:23: build.list
 *
 *   rule list: Reshape(Concat(x...) @c :1) @o => Concat(x) like c : o.type
 *       when count(x) == 1 and shape(c) == shape(o) exact;
 */
static SN_OWN_CODE bool
build_list(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId c = SN_NODE(sn_in(g, o, 0));
    if (sn_node(g, c)->kind != SN_K_CONCAT)
        return false;
    if (sn_nuse(g, SN_REF(c, 0)) != 1)
        return false;
    uint32_t x_n = sn_node(g, c)->nin;
    if (x_n != 1)
        return sn_guard_fails(rw, SN_RULE_BUILD_LIST, g, o, "count(x) == 1", 0,
            NULL);
    if (sn_shape_of(g, SN_REF(c, 0)) != sn_shape_of(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_BUILD_LIST, g, o,
            "shape(c) == shape(o)", 2, (const SnNamed[]){ { "c", SN_REF(c, 0) },
            { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_BUILD_LIST, g, o))
        return false;
    const SnRef *x = sn_operands(rw, g, c, 0, x_n);
    SnId concat = sn_concat_new(g, NULL, x_n, x, sn_concat_attr(g, c),
        sn_type(g, SN_REF(o, 0)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(concat, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/build.def:24: build.output
 *
 *   rule output: Save(Dequantize(x)) @s => Save(x) like s optin "io";
 */
static SN_OWN_CODE bool
build_output(SnGraph *g, SnRewriter *rw, SnId s)
{
    SnId dequantize = SN_NODE(sn_in(g, s, 0));
    if (sn_node(g, dequantize)->kind != SN_K_DEQUANTIZE)
        return false;
    SnRef x = sn_in(g, dequantize, 0);

    if (!sn_fire(rw, SN_RULE_BUILD_OUTPUT, g, s))
        return false;
    SnId save = sn_save_new(g, NULL, x, sn_save_attr(g, s));
    sn_fired_node(rw, g, s, save);
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/build.def:25: build.input
 *
 *   rule input: Quantize(Placeholder() @p :1) @o => Placeholder() like p :
 *       o.type when o.type in [q8] and covers(o.clamp, o.type) optin "io";
 *
 * The caller has seen that operand 0 is a Placeholder.
 */
static SN_OWN_CODE bool
build_input(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId p = SN_NODE(sn_in(g, o, 0));
    if (sn_nuse(g, SN_REF(p, 0)) != 1)
        return false;
    if (!sn_type_is(sn_type(g, SN_REF(o, 0)), SN_QI8, -1))
        return sn_guard_fails(rw, SN_RULE_BUILD_INPUT, g, o, "o.type in [q8]",
            1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!sn_covers(sn_clamp_reach(sn_type(g, SN_REF(o, 0)),
        sn_quantize_attr(g, o)->clamp), sn_type_reach(sn_type(g,
        SN_REF(o, 0)))))
        return sn_guard_fails(rw, SN_RULE_BUILD_INPUT, g, o,
            "covers(o.clamp, o.type)", 1, (const SnNamed[]){
            { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_BUILD_INPUT, g, o))
        return false;
    SnId placeholder = sn_placeholder_new(g, NULL, sn_shape_of(g, SN_REF(p, 0)),
        sn_node(g, p)->data, sn_type(g, SN_REF(o, 0)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(placeholder, 0));
    sn_fire_end(rw, g);
    sn_supersede(g, p, placeholder);
    return true;
}

/* tests/gen/build.def:30: results.same_node
 *
 *   rule same_node: Relu(Relu(x) @i) @o => i when i.type == o.type exact;
 */
static SN_OWN_CODE bool
results_same_node(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId i_ = SN_NODE(sn_in(g, o, 0));
    if (sn_node(g, i_)->kind != SN_K_RELU)
        return false;
    if (sn_type(g, SN_REF(i_, 0)) != sn_type(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_RESULTS_SAME_NODE, g, o,
            "i.type == o.type", 2, (const SnNamed[]){ { "i", SN_REF(i_, 0) },
            { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_RESULTS_SAME_NODE, g, o))
        return false;
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(i_, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/build.def:31: results.parts
 *
 *   rule parts: Halves(Relu(x) @r :1) @o => (Relu(x) like r : r.type,
 *       Relu(Relu(x) : r.type) : r.type) when r.type == o.type exact;
 *
 * The caller has seen that operand 0 is a Relu.
 */
static SN_OWN_CODE bool
results_parts(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId r = SN_NODE(sn_in(g, o, 0));
    if (sn_nuse(g, SN_REF(r, 0)) != 1)
        return false;
    SnRef x = sn_in(g, r, 0);
    if (sn_type(g, SN_REF(r, 0)) != sn_type(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_RESULTS_PARTS, g, o,
            "r.type == o.type", 2, (const SnNamed[]){ { "r", SN_REF(r, 0) },
            { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_RESULTS_PARTS, g, o))
        return false;
    SnId relu = sn_relu_new(g, NULL, x, sn_type(g, SN_REF(r, 0)));
    SnId relu2 = sn_relu_new(g, NULL, x, sn_type(g, SN_REF(r, 0)));
    SnId relu3 = sn_relu_new(g, NULL, SN_REF(relu2, 0),
        sn_type(g, SN_REF(r, 0)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(relu, 0));
    sn_fired(rw, g, SN_REF(o, 1), SN_REF(relu3, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/build.def:32: results.one_part
 *
 *   rule one_part: Halves(Rescale(x) @r) @o => (x, r) when x.type == o.type
 *       and r.type == o.type and r.clamp == full exact;
 *
 * The caller has seen that operand 0 is a Rescale.
 */
static SN_OWN_CODE bool
results_one_part(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId r = SN_NODE(sn_in(g, o, 0));
    SnRef x = sn_in(g, r, 0);
    if (sn_type(g, x) != sn_type(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_RESULTS_ONE_PART, g, o,
            "x.type == o.type", 2, (const SnNamed[]){ { "x", x },
            { "o", SN_REF(o, 0) } });
    if (sn_type(g, SN_REF(r, 0)) != sn_type(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_RESULTS_ONE_PART, g, o,
            "r.type == o.type", 2, (const SnNamed[]){ { "r", SN_REF(r, 0) },
            { "o", SN_REF(o, 0) } });
    if (!sn_range_full(sn_rescale_attr(g, r)->clamp))
        return sn_guard_fails(rw, SN_RULE_RESULTS_ONE_PART, g, o,
            "r.clamp == full", 1, (const SnNamed[]){ { "r", SN_REF(r, 0) } });

    if (!sn_fire(rw, SN_RULE_RESULTS_ONE_PART, g, o))
        return false;
    sn_fired(rw, g, SN_REF(o, 0), x);
    sn_fired(rw, g, SN_REF(o, 1), SN_REF(r, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/build.def:33: results.two
 *
 *   rule two: Splat() @o => Concat(Splat() {value = o.value, dims = [1]} :
 *       o.type, Splat() {value = o.value, dims = [1]} : o.type) {axis = 0}
 *       : o.type when o.dims == [2] exact;
 */
static SN_OWN_CODE bool
results_two(SnGraph *g, SnRewriter *rw, SnId o)
{
    if (!sn_ints_equal(sn_splat_attr(g, o)->dims,
        (SnInts){ 1, (const int64_t[]){ 2 } }))
        return sn_guard_fails(rw, SN_RULE_RESULTS_TWO, g, o, "o.dims == [2]", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_RESULTS_TWO, g, o))
        return false;
    SnSplatAttr splat_attr = {
        .value = sn_splat_attr(g, o)->value,
        .dims = (SnInts){ 1, (const int64_t[]){ 1 } },
    };
    SnId splat = sn_splat_new(g, NULL, &splat_attr, sn_type(g, SN_REF(o, 0)));
    SnSplatAttr splat_attr2 = {
        .value = sn_splat_attr(g, o)->value,
        .dims = (SnInts){ 1, (const int64_t[]){ 1 } },
    };
    SnId splat2 = sn_splat_new(g, NULL, &splat_attr2, sn_type(g, SN_REF(o, 0)));
    SnConcatAttr concat_attr = { .axis = 0 };
    SnId concat = sn_concat_new(g, NULL, 2,
        (const SnRef[]){ SN_REF(splat, 0), SN_REF(splat2, 0) }, &concat_attr,
        sn_type(g, SN_REF(o, 0)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(concat, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/build.def:35: results.folded
 *
 *   rule folded: Add(Relu(Constant() @c) @r, x) @o let f = fold(r) =>
 *       Add(f, x) like o : o.type when o.type == f32 exact trusted "of the
 *       generator, not of the prover";
 */
static SN_OWN_CODE bool
results_folded_order(SnGraph *g, SnRewriter *rw, SnId o, bool swap)
{
    if (swap && sn_swap_off(g, o))
        return false;
    if (swap && (sn_add_attr(g, o)->round != SN_ADD_ROUND_BEFORE))
        return false;
    SnId r = SN_NODE(sn_in(g, o, swap ? 1 : 0));
    if (sn_node(g, r)->kind != SN_K_RELU)
        return false;
    SnRef x = sn_in(g, o, swap ? 0 : 1);
    SnId c = SN_NODE(sn_in(g, r, 0));
    if (sn_node(g, c)->kind != SN_K_CONSTANT)
        return false;
    if (!sn_type_is(sn_type(g, SN_REF(o, 0)), SN_F32, -1))
        return sn_guard_fails(rw, SN_RULE_RESULTS_FOLDED, g, o, "o.type == f32",
            1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!sn_is_const(g, SN_REF(r, 0)))
        return false;

    if (!sn_fire(rw, SN_RULE_RESULTS_FOLDED, g, o))
        return false;
    SnRef f = sn_try_fold(g, SN_REF(r, 0));
    SnId add = sn_add_new(g, NULL, f, x, sn_add_attr(g, o),
        sn_type(g, SN_REF(o, 0)));
    sn_node(g, add)->calibrated = sn_node(g, o)->calibrated;
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(add, 0));
    sn_fire_end(rw, g);
    return true;
}

static SN_OWN_CODE bool
results_folded(SnGraph *g, SnRewriter *rw, SnId o)
{
    return results_folded_order(g, rw, o, false)
        || results_folded_order(g, rw, o, true);
}

/* tests/gen/build.def:36: results.shifted
 *
 *   rule shifted: Rescale(any shifts @n :1) @o => copy n {zp_shift =
 *       n.zp_shift, calibrated = false} when n.type == o.type and o.clamp
 *       == full exact;
 */
static SN_OWN_CODE bool
results_shifted(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId n = SN_NODE(sn_in(g, o, 0));
    if (!sn_joins(sn_desc_in(g, sn_node(g, n)->kind), CLASS_SHIFTS))
        return false;
    if (sn_nuse(g, SN_REF(n, 0)) != 1)
        return false;
    if (sn_type(g, SN_REF(n, 0)) != sn_type(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_RESULTS_SHIFTED, g, o,
            "n.type == o.type", 2, (const SnNamed[]){ { "n", SN_REF(n, 0) },
            { "o", SN_REF(o, 0) } });
    if (!sn_range_full(sn_rescale_attr(g, o)->clamp))
        return sn_guard_fails(rw, SN_RULE_RESULTS_SHIFTED, g, o,
            "o.clamp == full", 1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_RESULTS_SHIFTED, g, o))
        return false;
    SnEdit edit = sn_edit(g, n);
    *(int64_t *)sn_edit_attr(&edit, "zp_shift") =
        *(int64_t const *)sn_attr_of(g, n, "zp_shift");
    edit.calibrated = false;
    SnId copy = sn_edit_add(g, &edit);
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(copy, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/build.def:38: results.uses
 *
 *   rule uses: Rescale(Rescale(x :1) @m :2) @o => Rescale(x) like o :
 *       o.type when m.type == x.type and m.clamp == full exact;
 *
 * The caller has seen that operand 0 is a Rescale.
 */
static SN_OWN_CODE bool
results_uses(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId m = SN_NODE(sn_in(g, o, 0));
    if (sn_nuse(g, SN_REF(m, 0)) != 2)
        return false;
    SnRef x = sn_in(g, m, 0);
    if (sn_nuse(g, x) != 1)
        return false;
    if (sn_type(g, SN_REF(m, 0)) != sn_type(g, x))
        return sn_guard_fails(rw, SN_RULE_RESULTS_USES, g, o,
            "m.type == x.type", 2, (const SnNamed[]){ { "x", x },
            { "m", SN_REF(m, 0) } });
    if (!sn_range_full(sn_rescale_attr(g, m)->clamp))
        return sn_guard_fails(rw, SN_RULE_RESULTS_USES, g, o, "m.clamp == full",
            1, (const SnNamed[]){ { "m", SN_REF(m, 0) } });

    if (!sn_fire(rw, SN_RULE_RESULTS_USES, g, o))
        return false;
    SnId rescale = sn_rescale_new(g, NULL, x, sn_rescale_attr(g, o),
        sn_type(g, SN_REF(o, 0)));
    sn_node(g, rescale)->calibrated = sn_node(g, o)->calibrated;
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(rescale, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/build.def:43: lower.sum
 *
 *   lower sum: Relu(a) @o => Add(Mul(a, Splat() {value = 1, dims = [1]}) as
 *       left, Splat() {value = 0, dims = [1]}) {clamp = [0, _]} : o.type
 *       when rank(a) >= 1 real 1e-6;
 */
static SN_OWN_CODE bool
lower_sum(SnGraph *g, SnRewriter *rw, SnId o)
{
    if (!sn_type_is(sn_type(g, SN_REF(o, 0)), SN_F32, -1))
        return false;
    SnRef a = sn_in(g, o, 0);
    if (sn_shape_of(g, a)->rank < 1)
        return sn_guard_fails(rw, SN_RULE_LOWER_SUM, g, o, "rank(a) >= 1", 1,
            (const SnNamed[]){ { "a", a } });

    if (!sn_fire(rw, SN_RULE_LOWER_SUM, g, o))
        return false;
    SnSplatAttr splat_attr = {
        .value = 1.0f,
        .dims = (SnInts){ 1, (const int64_t[]){ 1 } },
    };
    SnId splat = sn_splat_new(g, NULL, &splat_attr,
        sn_type_plain(g->pool, SN_F32));
    SnId mul = sn_mul_new(g, sn_component(rw, g, o, "left"), a,
        SN_REF(splat, 0), NULL, sn_type_plain(g->pool, SN_F32));
    SnSplatAttr splat_attr2 = {
        .value = 0.0f,
        .dims = (SnInts){ 1, (const int64_t[]){ 1 } },
    };
    SnId splat2 = sn_splat_new(g, NULL, &splat_attr2,
        sn_type_plain(g->pool, SN_F32));
    SnAddAttr add_attr = *(const SnAddAttr *)sn_desc(SN_K_ADD)->defaults;
    add_attr.clamp = (SnRange){ .lo = 0.0f, .has_lo = true };
    SnId add = sn_add_new(g, NULL, SN_REF(mul, 0), SN_REF(splat2, 0), &add_attr,
        sn_type(g, SN_REF(o, 0)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(add, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/build.def:45: lower.long
 *
 *   lower long: Mul(_, _) @o => builder sn_lower_mul components left, right
 *       trusted "built by hand" real 1e-6;
 */
static SN_OWN_CODE bool
lower_long(SnGraph *g, SnRewriter *rw, SnId o)
{
    if (!sn_type_is(sn_type(g, SN_REF(o, 0)), SN_F32, -1))
        return false;
    return sn_lower_mul(g, rw, o);
}

const uint64_t sn_core_hash = SN_CORE_HASH;

/* ---- passes ---- */

/* build: written rules, by the kind of the root. */
static bool
visit_build(SnGraph *g, SnRewriter *rw, SnId id)
{
    switch (sn_node(g, id)->kind) {
    case SN_K_SAVE:
        return build_output(g, rw, id);
    case SN_K_QUANTIZE:
        switch (sn_operand_kind(g, id)) {
        case SN_K_DEQUANTIZE:
            return build_like_other(g, rw, id);
        case SN_K_PLACEHOLDER:
            return build_input(g, rw, id);
        default:
            return false;
        }
    case SN_K_RESCALE:
        switch (sn_operand_kind(g, id)) {
        case SN_K_CONSTANT:
            return build_constant(g, rw, id);
        case SN_K_RESCALE:
            return build_flag(g, rw, id);
        default:
            return false;
        }
    case SN_K_MUL:
        return build_scaled(g, rw, id);
    case SN_K_CONV2D:
        return build_narrow(g, rw, id);
    case SN_K_CONCAT:
        return build_each_sunk(g, rw, id);
    case SN_K_RESHAPE:
        return build_list(g, rw, id);
    default:
        return false;
    }
}

static const SnClaim allow_build[] = { { SN_CLAIM_EXACT, 0.0 },
    { SN_CLAIM_REFINES, 0.0 }, { SN_CLAIM_REAL, 0.0 } };
static const SnStep steps_build[] = {
    { .family = SN_FAM_WRITTEN, .visit = visit_build },
};

/* results: written rules, by the kind of the root. */
static bool
visit_results(SnGraph *g, SnRewriter *rw, SnId id)
{
    switch (sn_node(g, id)->kind) {
    case SN_K_SPLAT:
        return results_two(g, rw, id);
    case SN_K_RESCALE:
        switch (sn_operand_kind(g, id)) {
        case SN_K_RESCALE:
            return results_shifted(g, rw, id) || results_uses(g, rw, id);
        default:
            return results_shifted(g, rw, id);
        }
    case SN_K_RELU:
        return results_same_node(g, rw, id);
    case SN_K_ADD:
        return results_folded(g, rw, id);
    case SN_K_HALVES:
        switch (sn_operand_kind(g, id)) {
        case SN_K_RELU:
            return results_parts(g, rw, id);
        case SN_K_RESCALE:
            return results_one_part(g, rw, id);
        default:
            return false;
        }
    default:
        return false;
    }
}

static const SnClaim allow_results[] = { { SN_CLAIM_EXACT, 0.0 },
    { SN_CLAIM_REFINES, 0.0 } };
static const SnStep steps_results[] = {
    { .family = SN_FAM_WRITTEN, .visit = visit_results },
};

/* lower: written rules, by the kind of the root. */
static bool
visit_lower(SnGraph *g, SnRewriter *rw, SnId id)
{
    switch (sn_node(g, id)->kind) {
    case SN_K_RELU:
        return lower_sum(g, rw, id);
    case SN_K_MUL:
        return lower_long(g, rw, id);
    default:
        return false;
    }
}

static const SnStep steps_lower[] = {
    { .family = SN_FAM_LOWER, .visit = visit_lower },
};

const SnRuleOff sn_core_off[1] = { { 0 } };
const uint32_t sn_core_noff = 0;

