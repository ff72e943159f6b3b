#include "sn_where.h"

/* tests/gen/guard.def:9: guard.cheap
 *
 *   rule cheap: Rescale(x) @o => x when covers(o.clamp, reach(x)) and
 *       const(x) and x.type == o.type exact;
 */
static SN_OWN_CODE bool
guard_cheap(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnRef x = sn_in(g, o, 0);
    if (sn_type(g, x) != sn_type(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_GUARD_CHEAP, g, o, "x.type == o.type",
            2, (const SnNamed[]){ { "x", x }, { "o", SN_REF(o, 0) } });
    if (!sn_is_const(g, x))
        return sn_guard_fails(rw, SN_RULE_GUARD_CHEAP, g, o, "const(x)", 1,
            (const SnNamed[]){ { "x", x } });
    if (!sn_covers(sn_clamp_reach(sn_type(g, SN_REF(o, 0)),
        sn_rescale_attr(g, o)->clamp), sn_reach(g, x)))
        return sn_guard_fails(rw, SN_RULE_GUARD_CHEAP, g, o,
            "covers(o.clamp, reach(x))", 2, (const SnNamed[]){ { "x", x },
            { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_CHEAP, g, o))
        return false;
    sn_fired(rw, g, SN_REF(o, 0), x);
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/guard.def:10: guard.sizes
 *
 *   rule sizes: Reshape(x) @o => x when rank(x) == 2 and dim(x, -1) * 2 >=
 *       dim(o, 0) + 1 and shape(x) == shape(o) and o.dims[0] !=
 *       -9007199254740993 exact;
 */
static SN_OWN_CODE bool
guard_sizes(SnGraph *g, SnRewriter *rw, SnId o)
{
    bool fits = true;
    SnRef x = sn_in(g, o, 0);
    if (sn_int_at(sn_reshape_attr(g, o)->dims, 0) == INT64_C(-9007199254740993))
        return sn_guard_fails(rw, SN_RULE_GUARD_SIZES, g, o,
            "o.dims[0] != -9007199254740993", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (sn_shape_of(g, x)->rank != 2)
        return sn_guard_fails(rw, SN_RULE_GUARD_SIZES, g, o, "rank(x) == 2", 1,
            (const SnNamed[]){ { "x", x } });
    if (sn_int_mul_in(sn_dim(g, x, -1), 2,
        &fits) < sn_int_add_in(sn_dim(g, SN_REF(o, 0), 0), 1, &fits) || !fits)
        return sn_guard_fails(rw, SN_RULE_GUARD_SIZES, g, o,
            fits ? "dim(x, -1) * 2 >= dim(o, 0) + 1" :
            "dim(x, -1) * 2 >= dim(o, 0) + 1 in 64 bits", 2,
            (const SnNamed[]){ { "x", x }, { "o", SN_REF(o, 0) } });
    if (sn_shape_of(g, x) != sn_shape_of(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_GUARD_SIZES, g, o,
            "shape(x) == shape(o)", 2, (const SnNamed[]){ { "x", x },
            { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_SIZES, g, o))
        return false;
    sn_fired(rw, g, SN_REF(o, 0), x);
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/guard.def:11: guard.lists
 *
 *   rule lists: Transpose(x) @o => x when o.perm == [0, 1] or
 *       identity(o.perm) exact trusted "of the generator, not of the
 *       prover";
 */
static SN_OWN_CODE bool
guard_lists(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnRef x = sn_in(g, o, 0);
    if (!(sn_ints_equal(sn_transpose_attr(g, o)->perm,
        (SnInts){ 2, (const int64_t[]){ 0, 1 } })
        || sn_ints_identity(sn_transpose_attr(g, o)->perm)))
        return sn_guard_fails(rw, SN_RULE_GUARD_LISTS, g, o,
            "o.perm == [0, 1] or identity(o.perm)", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_LISTS, g, o))
        return false;
    sn_fired(rw, g, SN_REF(o, 0), x);
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/guard.def:12: guard.all_of
 *
 *   rule all_of: MaxPool(x) @o => x when o.kernel == 1 and o.stride == [1,
 *       1] and o.pads <= 0 and unused(o.idx) exact trusted "of the
 *       generator, not of the prover";
 */
static SN_OWN_CODE bool
guard_all_of(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnRef x = sn_in(g, o, 0);
    if (!sn_ints_all(sn_max_pool_attr(g, o)->kernel, SN_CMP_EQ, 1))
        return sn_guard_fails(rw, SN_RULE_GUARD_ALL_OF, g, o, "o.kernel == 1",
            1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!sn_ints_equal(sn_max_pool_attr(g, o)->stride,
        (SnInts){ 2, (const int64_t[]){ 1, 1 } }))
        return sn_guard_fails(rw, SN_RULE_GUARD_ALL_OF, g, o,
            "o.stride == [1, 1]", 1, (const SnNamed[]){
            { "o", SN_REF(o, 0) } });
    if (!sn_ints_all(sn_max_pool_attr(g, o)->pads, SN_CMP_LE, 0))
        return sn_guard_fails(rw, SN_RULE_GUARD_ALL_OF, g, o, "o.pads <= 0", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!sn_unused(g, o, 1))
        return sn_guard_fails(rw, SN_RULE_GUARD_ALL_OF, g, o, "unused(o.idx)",
            1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_ALL_OF, g, o))
        return false;
    sn_fired(rw, g, SN_REF(o, 0), x);
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/guard.def:13: guard.words
 *
 *   rule words: Add(x, y) @o => copy o {zp_shift = 0} when o.round ==
 *       before and not (o.zp_shift == 0) exact trusted "of the generator,
 *       not of the prover";
 */
static SN_OWN_CODE bool
guard_words(SnGraph *g, SnRewriter *rw, SnId o)
{
    if (sn_add_attr(g, o)->round != SN_ADD_ROUND_BEFORE)
        return sn_guard_fails(rw, SN_RULE_GUARD_WORDS, g, o,
            "o.round == before", 1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (sn_add_attr(g, o)->zp_shift == 0)
        return sn_guard_fails(rw, SN_RULE_GUARD_WORDS, g, o,
            "not o.zp_shift == 0", 1, (const SnNamed[]){
            { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_WORDS, g, o))
        return false;
    SnEdit edit = sn_edit(g, o);
    ((SnAddAttr *)edit.attr)->zp_shift = 0;
    SnId copy = sn_edit_add(g, &edit);
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(copy, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/guard.def:14: guard.choice
 *
 *   rule choice: Add(x, Splat() {value = 0} @y) @o => x when x.type ==
 *       o.type and o.type == f32 and o.clamp == full and shape(x) ==
 *       shape(o) and (const(x) or const(y)) and o.zp_shift in [0, 128] real
 *       1e-5;
 */
static SN_OWN_CODE bool
guard_choice_order(SnGraph *g, SnRewriter *rw, SnId o, bool swap)
{
    if (swap && sn_swap_off(g, o))
        return false;
    if (swap && (sn_add_attr(g, o)->round != SN_ADD_ROUND_BEFORE))
        return false;
    SnRef x = sn_in(g, o, swap ? 1 : 0);
    SnId y = SN_NODE(sn_in(g, o, swap ? 0 : 1));
    if (sn_node(g, y)->kind != SN_K_SPLAT)
        return false;
    if (sn_splat_attr(g, y)->value != 0)
        return false;
    if (sn_type(g, x) != sn_type(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_GUARD_CHOICE, g, o,
            "x.type == o.type", 2, (const SnNamed[]){ { "x", x },
            { "o", SN_REF(o, 0) } });
    if (!sn_type_is(sn_type(g, SN_REF(o, 0)), SN_F32, -1))
        return sn_guard_fails(rw, SN_RULE_GUARD_CHOICE, g, o, "o.type == f32",
            1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!sn_range_full(sn_add_attr(g, o)->clamp))
        return sn_guard_fails(rw, SN_RULE_GUARD_CHOICE, g, o, "o.clamp == full",
            1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!(sn_add_attr(g, o)->zp_shift == 0 || sn_add_attr(g, o)->zp_shift ==
        128))
        return sn_guard_fails(rw, SN_RULE_GUARD_CHOICE, g, o,
            "o.zp_shift in [0, 128]", 1, (const SnNamed[]){
            { "o", SN_REF(o, 0) } });
    if (sn_shape_of(g, x) != sn_shape_of(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_GUARD_CHOICE, g, o,
            "shape(x) == shape(o)", 2, (const SnNamed[]){ { "x", x },
            { "o", SN_REF(o, 0) } });
    if (!(sn_is_const(g, x) || sn_is_const(g, SN_REF(y, 0))))
        return sn_guard_fails(rw, SN_RULE_GUARD_CHOICE, g, o,
            "const(x) or const(y)", 2, (const SnNamed[]){ { "x", x },
            { "y", SN_REF(y, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_CHOICE, g, o))
        return false;
    sn_fired(rw, g, SN_REF(o, 0), x);
    sn_fire_end(rw, g);
    return true;
}

static SN_OWN_CODE bool
guard_choice(SnGraph *g, SnRewriter *rw, SnId o)
{
    return guard_choice_order(g, rw, o, false)
        || guard_choice_order(g, rw, o, true);
}

/* tests/gen/guard.def:17: guard.scales
 *
 *   rule scales: Rescale(x) @o => x when x.type == o.type and x.scale * 2.0
 *       == o.scale and x.zp - o.zp < 3 exact;
 */
static SN_OWN_CODE bool
guard_scales(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnRef x = sn_in(g, o, 0);
    if (sn_type(g, x) != sn_type(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_GUARD_SCALES, g, o,
            "x.type == o.type", 2, (const SnNamed[]){ { "x", x },
            { "o", SN_REF(o, 0) } });
    if (sn_scale_of(sn_type(g, x)) * 2.0f !=
        sn_scale_of(sn_type(g, SN_REF(o, 0))))
        return sn_guard_fails(rw, SN_RULE_GUARD_SCALES, g, o,
            "x.scale * 2.0 == o.scale", 2, (const SnNamed[]){ { "x", x },
            { "o", SN_REF(o, 0) } });
    if (sn_int_sub(sn_zp_of(sn_type(g, x)),
        sn_zp_of(sn_type(g, SN_REF(o, 0)))) >= 3)
        return sn_guard_fails(rw, SN_RULE_GUARD_SCALES, g, o, "x.zp - o.zp < 3",
            2, (const SnNamed[]){ { "x", x }, { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_SCALES, g, o))
        return false;
    sn_fired(rw, g, SN_REF(o, 0), x);
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/guard.def:18: guard.ranges
 *
 *   rule ranges: Rescale(Rescale(x) @m) @o => x when o.clamp == [-10, _]
 *       and covers(image(m.clamp, m, o), o.type) and x.type == o.type
 *       exact;
 *
 * The caller has seen that operand 0 is a Rescale.
 */
static SN_OWN_CODE bool
guard_ranges(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId m = SN_NODE(sn_in(g, o, 0));
    SnRef x = sn_in(g, m, 0);
    if (sn_type(g, x) != sn_type(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_GUARD_RANGES, g, o,
            "x.type == o.type", 2, (const SnNamed[]){ { "x", x },
            { "o", SN_REF(o, 0) } });
    if (!sn_range_equal(sn_rescale_attr(g, o)->clamp,
        (SnRange){ .lo = -10.0f, .has_lo = true }))
        return sn_guard_fails(rw, SN_RULE_GUARD_RANGES, g, o,
            "o.clamp == [-10, _]", 1, (const SnNamed[]){
            { "o", SN_REF(o, 0) } });
    if (!sn_covers(sn_clamp_reach(sn_type(g, SN_REF(o, 0)),
        sn_image_at(rw, g, sn_rescale_attr(g, m)->clamp, m,
        sn_type(g, SN_REF(o, 0)))), sn_type_reach(sn_type(g, SN_REF(o, 0)))))
        return sn_guard_fails(rw, SN_RULE_GUARD_RANGES, g, o,
            "covers(image(m.clamp, m, o), o.type)", 2,
            (const SnNamed[]){ { "m", SN_REF(m, 0) }, { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_RANGES, g, o))
        return false;
    sn_fired(rw, g, SN_REF(o, 0), x);
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/guard.def:20: guard.least
 *
 *   rule least: Relu(Splat() @s :1) @o => Splat() {value = max(s.value,
 *       0.0), dims = s.dims} : o.type when s.value < 0.5 and o.type == f32
 *       exact trusted "of the generator, not of the prover";
 *
 * The caller has seen that operand 0 is a Splat.
 */
static SN_OWN_CODE bool
guard_least(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId s = SN_NODE(sn_in(g, o, 0));
    if (sn_nuse(g, SN_REF(s, 0)) != 1)
        return false;
    if (!sn_type_is(sn_type(g, SN_REF(o, 0)), SN_F32, -1))
        return sn_guard_fails(rw, SN_RULE_GUARD_LEAST, g, o, "o.type == f32", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!(sn_splat_attr(g, s)->value < 0.5f))
        return sn_guard_fails(rw, SN_RULE_GUARD_LEAST, g, o, "s.value < 0.5", 1,
            (const SnNamed[]){ { "s", SN_REF(s, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_LEAST, g, o))
        return false;
    SnSplatAttr splat_attr = {
        .value = sn_maxf(sn_splat_attr(g, s)->value, 0.0f),
        .dims = sn_splat_attr(g, s)->dims,
    };
    SnId splat = sn_splat_new(g, NULL, &splat_attr, sn_type(g, SN_REF(o, 0)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(splat, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/guard.def:22: guard.one_side
 *
 *   rule one_side: Relu(Rescale(x) @r :1) @o => Relu(x) : o.type when
 *       lo(r.clamp) <= 0 and hi(r.clamp) >= min(hi(reach(x)), hi(o.type))
 *       refines trusted "of the generator, not of the prover";
 *
 * The caller has seen that operand 0 is a Rescale.
 */
static SN_OWN_CODE bool
guard_one_side(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId r = SN_NODE(sn_in(g, o, 0));
    if (sn_nuse(g, SN_REF(r, 0)) != 1)
        return false;
    SnRef x = sn_in(g, r, 0);
    if (!(sn_clamp_reach(sn_type(g, SN_REF(r, 0)),
        sn_rescale_attr(g, r)->clamp).lo <= 0))
        return sn_guard_fails(rw, SN_RULE_GUARD_ONE_SIDE, g, o,
            "lo(r.clamp) <= 0", 1, (const SnNamed[]){ { "r", SN_REF(r, 0) } });
    if (!(sn_clamp_reach(sn_type(g, SN_REF(r, 0)),
        sn_rescale_attr(g, r)->clamp).hi >= sn_min(sn_reach(g, x).hi,
        sn_type_reach(sn_type(g, SN_REF(o, 0))).hi)))
        return sn_guard_fails(rw, SN_RULE_GUARD_ONE_SIDE, g, o,
            "hi(r.clamp) >= min(hi(reach(x)), hi(o.type))", 3,
            (const SnNamed[]){ { "x", x }, { "r", SN_REF(r, 0) },
            { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_ONE_SIDE, g, o))
        return false;
    SnId relu = sn_relu_new(g, NULL, x, sn_type(g, SN_REF(o, 0)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(relu, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/guard.def:24: guard.kept
 *
 *   rule kept: Rescale(Splat() @s :1) @o => Splat() like s : o.type when
 *       rounds_alike(s.value, s.type, o.type) and o.clamp == full exact
 *       trusted "of the generator, not of the prover";
 *
 * The caller has seen that operand 0 is a Splat.
 */
static SN_OWN_CODE bool
guard_kept(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId s = SN_NODE(sn_in(g, o, 0));
    if (sn_nuse(g, SN_REF(s, 0)) != 1)
        return false;
    if (!sn_range_full(sn_rescale_attr(g, o)->clamp))
        return sn_guard_fails(rw, SN_RULE_GUARD_KEPT, g, o, "o.clamp == full",
            1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!sn_alike(g->rounding, sn_splat_attr(g, s)->value,
        sn_type(g, SN_REF(s, 0)), sn_type(g, SN_REF(o, 0))))
        return sn_guard_fails(rw, SN_RULE_GUARD_KEPT, g, o,
            "rounds_alike(s.value, s.type, o.type)", 2,
            (const SnNamed[]){ { "s", SN_REF(s, 0) }, { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_KEPT, g, o))
        return false;
    SnId splat = sn_splat_new(g, NULL, sn_splat_attr(g, s),
        sn_type(g, SN_REF(o, 0)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(splat, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/guard.def:26: guard.needs
 *
 *   rule needs: Reshape(Dequantize(x) :1) @o => Dequantize(Reshape(x) like
 *       o : x.type) : o.type worth x.type in [q8] exact requires
 *       supports(Reshape, q8) and supports(Dequantize, q8);
 *
 * The caller has seen that operand 0 is a Dequantize.
 */
static SN_OWN_CODE bool
guard_needs(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId dequantize = SN_NODE(sn_in(g, o, 0));
    if (sn_nuse(g, SN_REF(dequantize, 0)) != 1)
        return false;
    SnRef x = sn_in(g, dequantize, 0);
    if (!sn_type_is(sn_type(g, x), SN_QI8, -1))
        return sn_guard_fails(rw, SN_RULE_GUARD_NEEDS, g, o, "x.type in [q8]",
            1, (const SnNamed[]){ { "x", x } });

    if (!sn_fire(rw, SN_RULE_GUARD_NEEDS, g, o))
        return false;
    SnId reshape = sn_reshape_new(g, NULL, x, sn_reshape_attr(g, o),
        sn_type(g, x));
    SnId dequantize2 = sn_dequantize_new(g, NULL, SN_REF(reshape, 0),
        sn_type(g, SN_REF(o, 0)));
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(dequantize2, 0));
    sn_fire_end(rw, g);
    return true;
}

static bool
guard_needs_supported(const SnRewriter *rw)
{
    return sn_supports(rw, SN_K_RESHAPE, SN_QI8)
        && sn_supports(rw, SN_K_DEQUANTIZE, SN_QI8);
}

/* tests/gen/guard.def:28: guard.reals
 *
 *   rule reals: Scaled(x) @o => x when o.f == [1, 2.5] and o.f == 1.5 and
 *       o.f[0] == 2 and o.f > 0 and o.f == [] exact trusted "of the
 *       generator, not of the prover";
 */
static SN_OWN_CODE bool
guard_reals(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnRef x = sn_in(g, o, 0);
    if (!sn_reals_equal(sn_scaled_attr(g, o)->f,
        (SnReals){ 2, (const float[]){ 1.0f, 2.5f } }))
        return sn_guard_fails(rw, SN_RULE_GUARD_REALS, g, o, "o.f == [1, 2.5]",
            1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!sn_reals_all(sn_scaled_attr(g, o)->f, SN_CMP_EQ, 1.5f))
        return sn_guard_fails(rw, SN_RULE_GUARD_REALS, g, o, "o.f == 1.5", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (sn_real_at(sn_scaled_attr(g, o)->f, 0) != 2)
        return sn_guard_fails(rw, SN_RULE_GUARD_REALS, g, o, "o.f[0] == 2", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!sn_reals_all(sn_scaled_attr(g, o)->f, SN_CMP_GT, 0))
        return sn_guard_fails(rw, SN_RULE_GUARD_REALS, g, o, "o.f > 0", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!sn_reals_equal(sn_scaled_attr(g, o)->f, (SnReals){ .n = 0 }))
        return sn_guard_fails(rw, SN_RULE_GUARD_REALS, g, o, "o.f == []", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_REALS, g, o))
        return false;
    sn_fired(rw, g, SN_REF(o, 0), x);
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/guard.def:29: guard.mixed
 *
 *   rule mixed: Scaled(x) @o => copy o {f = [o.k[0], 2.5], k = [1, o.k[0]],
 *       b = o.b or const(x), m = two, s = "b"} when o.k == [] and o.k < 2.5
 *       and not (o.k == [1, 1]) and not (o.b) and not (rank(x) == 2 and o.m
 *       == one) exact trusted "of the generator, not of the prover";
 */
static SN_OWN_CODE bool
guard_mixed(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnRef x = sn_in(g, o, 0);
    if (!sn_ints_equal(sn_scaled_attr(g, o)->k, (SnInts){ .n = 0 }))
        return sn_guard_fails(rw, SN_RULE_GUARD_MIXED, g, o, "o.k == []", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!sn_ints_all_real(sn_scaled_attr(g, o)->k, SN_CMP_LT, 2.5f))
        return sn_guard_fails(rw, SN_RULE_GUARD_MIXED, g, o, "o.k < 2.5", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (sn_ints_equal(sn_scaled_attr(g, o)->k,
        (SnInts){ 2, (const int64_t[]){ 1, 1 } }))
        return sn_guard_fails(rw, SN_RULE_GUARD_MIXED, g, o,
            "not o.k == [1, 1]", 1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (sn_scaled_attr(g, o)->b)
        return sn_guard_fails(rw, SN_RULE_GUARD_MIXED, g, o, "not o.b", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (sn_shape_of(g, x)->rank == 2 && sn_scaled_attr(g, o)->m ==
        SN_SCALED_M_ONE)
        return sn_guard_fails(rw, SN_RULE_GUARD_MIXED, g, o,
            "not (rank(x) == 2 and o.m == one)", 2,
            (const SnNamed[]){ { "x", x }, { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_MIXED, g, o))
        return false;
    SnEdit edit = sn_edit(g, o);
    ((SnScaledAttr *)edit.attr)->f = (SnReals){ 2,
        (const float[]){ (float)sn_int_at(sn_scaled_attr(g, o)->k, 0), 2.5f } };
    ((SnScaledAttr *)edit.attr)->k = (SnInts){ 2,
        (const int64_t[]){ 1, sn_int_at(sn_scaled_attr(g, o)->k, 0) } };
    ((SnScaledAttr *)edit.attr)->b = sn_scaled_attr(g, o)->b
        || sn_is_const(g, x);
    ((SnScaledAttr *)edit.attr)->m = SN_SCALED_M_TWO;
    ((SnScaledAttr *)edit.attr)->s = "b";
    SnId copy = sn_edit_add(g, &edit);
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(copy, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/guard.def:31: guard.words_in
 *
 *   rule words_in: Scaled(x) @o => copy o {f = o.f, b = not o.b, m = o.m, s
 *       = o.s} when o.m in [two, one] and not (o.m in [one]) and o.b ==
 *       true and o.b != const(x) and o.s == "a" exact trusted "of the
 *       generator, not of the prover";
 */
static SN_OWN_CODE bool
guard_words_in(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnRef x = sn_in(g, o, 0);
    if (!(sn_scaled_attr(g, o)->m == SN_SCALED_M_TWO
        || sn_scaled_attr(g, o)->m == SN_SCALED_M_ONE))
        return sn_guard_fails(rw, SN_RULE_GUARD_WORDS_IN, g, o,
            "o.m in [two, one]", 1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (sn_scaled_attr(g, o)->m == SN_SCALED_M_ONE)
        return sn_guard_fails(rw, SN_RULE_GUARD_WORDS_IN, g, o,
            "not o.m in [one]", 1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (sn_scaled_attr(g, o)->b != true)
        return sn_guard_fails(rw, SN_RULE_GUARD_WORDS_IN, g, o, "o.b == true",
            1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (strcmp(sn_scaled_attr(g, o)->s, "a") != 0)
        return sn_guard_fails(rw, SN_RULE_GUARD_WORDS_IN, g, o, "o.s == \"a\"",
            1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (sn_scaled_attr(g, o)->b == sn_is_const(g, x))
        return sn_guard_fails(rw, SN_RULE_GUARD_WORDS_IN, g, o,
            "o.b != const(x)", 2, (const SnNamed[]){ { "x", x },
            { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_WORDS_IN, g, o))
        return false;
    SnEdit edit = sn_edit(g, o);
    ((SnScaledAttr *)edit.attr)->f = sn_scaled_attr(g, o)->f;
    ((SnScaledAttr *)edit.attr)->b = !sn_scaled_attr(g, o)->b;
    ((SnScaledAttr *)edit.attr)->m = sn_scaled_attr(g, o)->m;
    ((SnScaledAttr *)edit.attr)->s = sn_scaled_attr(g, o)->s;
    SnId copy = sn_edit_add(g, &edit);
    sn_fired(rw, g, SN_REF(o, 0), SN_REF(copy, 0));
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/guard.def:33: guard.quotes
 *
 *   rule quotes: Scaled(x) @o => x when o.s == "\\" or o.s == "one, two,
 *       three, four" exact trusted "of the generator, not of the prover";
 */
static SN_OWN_CODE bool
guard_quotes(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnRef x = sn_in(g, o, 0);
    if (!(strcmp(sn_scaled_attr(g, o)->s, "\\") == 0
        || strcmp(sn_scaled_attr(g, o)->s, "one, two, three, four") == 0))
        return sn_guard_fails(rw, SN_RULE_GUARD_QUOTES, g, o,
            "o.s == \"\\\\\" or o.s == \"one, two, three, four\"", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_QUOTES, g, o))
        return false;
    sn_fired(rw, g, SN_REF(o, 0), x);
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/guard.def:35: guard.numbers
 *
 *   rule numbers: Scaled(x) @o => x when -o.k[0] < 3 and -o.f[0] < -1.5 and
 *       o.k[0] * 1.0 / o.k[1] == 0.5 and 2.0 * 3 < o.f[1] and min(o.k[0],
 *       2.5) < max(o.f[0], o.k[1]) and o.k[0] - (o.k[1] - 1) == 2 and
 *       abs(o.k[0]) == 3 and o.zp + 1 == 3 and x.type.zp + 1 == 3 and o.k
 *       == ones(2) and o.k > zeros(1)[0] exact trusted "of the generator,
 *       not of the prover";
 */
static SN_OWN_CODE bool
guard_numbers(SnGraph *g, SnRewriter *rw, SnId o)
{
    bool fits = true;
    SnRef x = sn_in(g, o, 0);
    if (sn_int_sub_in(0, sn_int_at(sn_scaled_attr(g, o)->k, 0), &fits) >= 3
        || !fits)
        return sn_guard_fails(rw, SN_RULE_GUARD_NUMBERS, g, o,
            fits ? "-o.k[0] < 3" : "-o.k[0] < 3 in 64 bits", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!(-sn_real_at(sn_scaled_attr(g, o)->f, 0) < -1.5f))
        return sn_guard_fails(rw, SN_RULE_GUARD_NUMBERS, g, o, "-o.f[0] < -1.5",
            1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if ((float)sn_int_at(sn_scaled_attr(g, o)->k, 0) * 1.0f
        / (float)sn_int_at(sn_scaled_attr(g, o)->k, 1) != 0.5f)
        return sn_guard_fails(rw, SN_RULE_GUARD_NUMBERS, g, o,
            "o.k[0] * 1.0 / o.k[1] == 0.5", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!(6.0f < sn_real_at(sn_scaled_attr(g, o)->f, 1)))
        return sn_guard_fails(rw, SN_RULE_GUARD_NUMBERS, g, o,
            "2.0 * 3 < o.f[1]", 1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (sn_int_sub_in(sn_int_at(sn_scaled_attr(g, o)->k, 0),
        sn_int_sub_in(sn_int_at(sn_scaled_attr(g, o)->k, 1), 1, &fits),
        &fits) != 2 || !fits)
        return sn_guard_fails(rw, SN_RULE_GUARD_NUMBERS, g, o,
            fits ? "o.k[0] - (o.k[1] - 1) == 2" :
            "o.k[0] - (o.k[1] - 1) == 2 in 64 bits", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (sn_int_add_in(sn_scaled_attr(g, o)->zp, 1, &fits) != 3 || !fits)
        return sn_guard_fails(rw, SN_RULE_GUARD_NUMBERS, g, o,
            fits ? "o.zp + 1 == 3" : "o.zp + 1 == 3 in 64 bits", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (sn_int_add(sn_zp_of(sn_type(g, x)), 1) != 3)
        return sn_guard_fails(rw, SN_RULE_GUARD_NUMBERS, g, o,
            "x.type.zp + 1 == 3", 1, (const SnNamed[]){ { "x", x } });
    if (!(sn_minf((float)sn_int_at(sn_scaled_attr(g, o)->k, 0),
        2.5f) < sn_maxf(sn_real_at(sn_scaled_attr(g, o)->f, 0),
        (float)sn_int_at(sn_scaled_attr(g, o)->k, 1))))
        return sn_guard_fails(rw, SN_RULE_GUARD_NUMBERS, g, o,
            "min(o.k[0], 2.5) < max(o.f[0], o.k[1])", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (sn_int_abs_in(sn_int_at(sn_scaled_attr(g, o)->k, 0), &fits) != 3
        || !fits)
        return sn_guard_fails(rw, SN_RULE_GUARD_NUMBERS, g, o,
            fits ? "abs(o.k[0]) == 3" : "abs(o.k[0]) == 3 in 64 bits", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!sn_ints_filled(sn_scaled_attr(g, o)->k, 2, 1))
        return sn_guard_fails(rw, SN_RULE_GUARD_NUMBERS, g, o, "o.k == ones(2)",
            1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!sn_ints_all(sn_scaled_attr(g, o)->k, SN_CMP_GT,
        sn_int_at(sn_ints_fill(sn_scratch(rw), 1, 0), 0)))
        return sn_guard_fails(rw, SN_RULE_GUARD_NUMBERS, g, o,
            "o.k > zeros(1)[0]", 1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_NUMBERS, g, o))
        return false;
    sn_fired(rw, g, SN_REF(o, 0), x);
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/guard.def:37: guard.clamps
 *
 *   rule clamps: Rescale(Rescale(x) @m) @o => x when m.clamp == full and
 *       not (o.clamp == full) and o.clamp == [_, 3] and m.clamp == [-3, 3]
 *       and meet(m.clamp, o.clamp) == [0, 1] and image(o.clamp, x, o) ==
 *       full and has(m, clamp) and m.type.scale == 0.5 and m.type.zp == 3
 *       and x.type == o.type exact trusted "of the generator, not of the
 *       prover";
 *
 * The caller has seen that operand 0 is a Rescale.
 */
static SN_OWN_CODE bool
guard_clamps(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnId m = SN_NODE(sn_in(g, o, 0));
    SnRef x = sn_in(g, m, 0);
    if (sn_type(g, x) != sn_type(g, SN_REF(o, 0)))
        return sn_guard_fails(rw, SN_RULE_GUARD_CLAMPS, g, o,
            "x.type == o.type", 2, (const SnNamed[]){ { "x", x },
            { "o", SN_REF(o, 0) } });
    if (!sn_range_full(sn_rescale_attr(g, m)->clamp))
        return sn_guard_fails(rw, SN_RULE_GUARD_CLAMPS, g, o, "m.clamp == full",
            1, (const SnNamed[]){ { "m", SN_REF(m, 0) } });
    if (sn_range_full(sn_rescale_attr(g, o)->clamp))
        return sn_guard_fails(rw, SN_RULE_GUARD_CLAMPS, g, o,
            "not o.clamp == full", 1, (const SnNamed[]){
            { "o", SN_REF(o, 0) } });
    if (!sn_range_equal(sn_rescale_attr(g, o)->clamp,
        (SnRange){ .hi = 3.0f, .has_hi = true }))
        return sn_guard_fails(rw, SN_RULE_GUARD_CLAMPS, g, o,
            "o.clamp == [_, 3]", 1, (const SnNamed[]){ { "o", SN_REF(o, 0) } });
    if (!sn_range_equal(sn_rescale_attr(g, m)->clamp,
        (SnRange){ .lo = -3.0f, .has_lo = true, .hi = 3.0f, .has_hi = true }))
        return sn_guard_fails(rw, SN_RULE_GUARD_CLAMPS, g, o,
            "m.clamp == [-3, 3]", 1, (const SnNamed[]){
            { "m", SN_REF(m, 0) } });
    if (sn_scale_of(sn_type(g, SN_REF(m, 0))) != 0.5f)
        return sn_guard_fails(rw, SN_RULE_GUARD_CLAMPS, g, o,
            "m.type.scale == 0.5", 1, (const SnNamed[]){
            { "m", SN_REF(m, 0) } });
    if (sn_zp_of(sn_type(g, SN_REF(m, 0))) != 3)
        return sn_guard_fails(rw, SN_RULE_GUARD_CLAMPS, g, o, "m.type.zp == 3",
            1, (const SnNamed[]){ { "m", SN_REF(m, 0) } });
    if (!sn_range_equal(sn_meet(sn_rescale_attr(g, m)->clamp,
        sn_rescale_attr(g, o)->clamp), (SnRange){ .lo = 0.0f, .has_lo = true,
        .hi = 1.0f, .has_hi = true }))
        return sn_guard_fails(rw, SN_RULE_GUARD_CLAMPS, g, o,
            "meet(m.clamp, o.clamp) == [0, 1]", 2,
            (const SnNamed[]){ { "m", SN_REF(m, 0) }, { "o", SN_REF(o, 0) } });
    if (!(sn_attr_of(g, m, "clamp") != NULL))
        return sn_guard_fails(rw, SN_RULE_GUARD_CLAMPS, g, o, "has(m, clamp)",
            1, (const SnNamed[]){ { "m", SN_REF(m, 0) } });
    if (!sn_range_full(sn_image(g->rounding, sn_rescale_attr(g, o)->clamp,
        sn_type(g, x), sn_type(g, SN_REF(o, 0)), false)))
        return sn_guard_fails(rw, SN_RULE_GUARD_CLAMPS, g, o,
            "image(o.clamp, x, o) == full", 2,
            (const SnNamed[]){ { "x", x }, { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_CLAMPS, g, o))
        return false;
    sn_fired(rw, g, SN_REF(o, 0), x);
    sn_fire_end(rw, g);
    return true;
}

/* tests/gen/guard.def:40: guard.argument
 *
 *   rule argument: Transpose(x) @o => x when rank(x) == 2 and
 *       compose(o.perm, [1, 0]) == [1, 0] exact trusted "of the generator,
 *       not of the prover";
 */
static SN_OWN_CODE bool
guard_argument(SnGraph *g, SnRewriter *rw, SnId o)
{
    SnRef x = sn_in(g, o, 0);
    if (sn_shape_of(g, x)->rank != 2)
        return sn_guard_fails(rw, SN_RULE_GUARD_ARGUMENT, g, o, "rank(x) == 2",
            1, (const SnNamed[]){ { "x", x } });
    if (!sn_ints_equal(sn_compose(sn_scratch(rw), sn_transpose_attr(g, o)->perm,
        (SnInts){ 2, (const int64_t[]){ 1, 0 } }),
        (SnInts){ 2, (const int64_t[]){ 1, 0 } }))
        return sn_guard_fails(rw, SN_RULE_GUARD_ARGUMENT, g, o,
            "compose(o.perm, [1, 0]) == [1, 0]", 1,
            (const SnNamed[]){ { "o", SN_REF(o, 0) } });

    if (!sn_fire(rw, SN_RULE_GUARD_ARGUMENT, g, o))
        return false;
    sn_fired(rw, g, SN_REF(o, 0), x);
    sn_fire_end(rw, g);
    return true;
}

const uint64_t sn_core_hash = SN_CORE_HASH;

/* ---- passes ---- */

/* guard: written rules, by the kind of the root. */
static bool
visit_guard(SnGraph *g, SnRewriter *rw, SnId id)
{
    switch (sn_node(g, id)->kind) {
    case SN_K_RESCALE:
        switch (sn_operand_kind(g, id)) {
        case SN_K_RESCALE:
            return guard_cheap(g, rw, id) || guard_scales(g, rw, id)
                || guard_ranges(g, rw, id) || guard_clamps(g, rw, id);
        case SN_K_SPLAT:
            return guard_cheap(g, rw, id) || guard_scales(g, rw, id)
                || guard_kept(g, rw, id);
        default:
            return guard_cheap(g, rw, id) || guard_scales(g, rw, id);
        }
    case SN_K_RELU:
        switch (sn_operand_kind(g, id)) {
        case SN_K_SPLAT:
            return guard_least(g, rw, id);
        case SN_K_RESCALE:
            return guard_one_side(g, rw, id);
        default:
            return false;
        }
    case SN_K_ADD:
        return guard_choice(g, rw, id) || guard_words(g, rw, id);
    case SN_K_MAX_POOL:
        return guard_all_of(g, rw, id);
    case SN_K_RESHAPE:
        switch (sn_operand_kind(g, id)) {
        case SN_K_DEQUANTIZE:
            return guard_sizes(g, rw, id) || guard_needs(g, rw, id);
        default:
            return guard_sizes(g, rw, id);
        }
    case SN_K_TRANSPOSE:
        return guard_lists(g, rw, id) || guard_argument(g, rw, id);
    case SN_K_SCALED:
        return guard_reals(g, rw, id) || guard_mixed(g, rw, id)
            || guard_words_in(g, rw, id) || guard_quotes(g, rw, id)
            || guard_numbers(g, rw, id);
    default:
        return false;
    }
}

static const SnClaim allow_guard[] = { { SN_CLAIM_EXACT, 0.0 },
    { SN_CLAIM_REAL, 0.0 } };
static const SnStep steps_guard[] = {
    { .family = SN_FAM_WRITTEN, .visit = visit_guard },
};

const SnRuleOff sn_core_off[1] = { { 0 } };
const uint32_t sn_core_noff = 0;

