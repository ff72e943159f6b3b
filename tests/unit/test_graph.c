// SPDX-License-Identifier: Apache-2.0
/* Types, nodes, use lists, names, order, copies, attributes, and what the
 * verifier says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "graph/desc.h"
#include "graph/list.h"
#include "graph/text/text.h"
#include "unit/graph_table.h"

static SnArena *arena;
static SnGraph *g;
static SnPool *pool;
static SnDiag *diag;

static int
setup(void **state)
{
    (void)state;
    arena = sn_arena_new();
    g = sn_graph_new(arena, "t");
    pool = g->pool;
    diag = sn_diag_new(arena);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    sn_arena_free(arena);
    return 0;
}

static const SnType *
q8(float scale, int32_t zp)
{
    return sn_type_quant(pool, SN_QI8, scale, zp);
}

static const SnType *
f32(void)
{
    return sn_type_plain(pool, SN_F32);
}

#define SHAPE(...)                                              \
    sn_shape(pool, (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), \
             (int64_t[]){__VA_ARGS__})
#define REFS(...)   \
    (const SnRef[]) \
    {               \
        __VA_ARGS__ \
    }

static SnRef
add(SnKind k, const char *name, uint32_t nin, const SnRef *in, const void *attr,
    const SnType *t)
{
    const SnType *type[SN_MAXRES] = {t};
    SnSpec s = {.kind = k,
                .name = name,
                .nin = nin,
                .in = in,
                .attr = attr,
                .type = type};
    SnId id = sn_add(g, &s, diag);

    return id ? SN_REF(id, 0) : 0;
}

static SnRef
input(const char *name, const SnType *t, const SnShape *s)
{
    SnSpec spec = {.kind = K_PLACEHOLDER, .name = name, .type = &t, .shape = s};

    return SN_REF(sn_add(g, &spec, NULL), 0);
}

static SnRef
constant(const char *name, const SnType *t, const SnShape *s, const void *p)
{
    SnSpec spec = {
        .kind = K_CONSTANT, .name = name, .type = &t, .shape = s, .data = p};

    return SN_REF(sn_add(g, &spec, NULL), 0);
}

static SnRef
rescale(const char *name, SnRef x, const SnType *t)
{
    return add(K_RESCALE, name, 1, &x, NULL, t);
}

static SnId
save(const char *name, SnRef x)
{
    const SaveAttr a = {name};
    SnSpec s = {.kind = K_SAVE, .nin = 1, .in = &x, .attr = &a};

    return sn_add(g, &s, diag);
}

static PoolAttr
pool2(void)
{
    static const int64_t two[] = {2, 2};
    PoolAttr a = pool_dflt;

    a.kernel = a.stride = (SnInts){2, two};
    return a;
}

/* ---- types and shapes ---- */

static void
test_types(void **state)
{
    const float s[] = {0.1f, 0.2f};
    const int32_t z[] = {1, -2};
    SnBuf b;

    (void)state;
    assert_ptr_equal(q8(0.5f, 3), q8(0.5f, 3));
    assert_ptr_not_equal(q8(0.5f, 3), q8(0.5f, 4));
    const SnType *c = sn_type_axis(pool, SN_QI8, 1, 2, s, z);
    assert_ptr_equal(c, sn_type_axis(pool, SN_QI8, 1, 2, s, z));
    assert_ptr_not_equal(c, sn_type_axis(pool, SN_QI8, 0, 2, s, z));
    assert_string_equal(sn_type_str(arena, c),
                        "qi8<axis=1, [0.1, 0.2], [1, -2]>");
    assert_string_equal(sn_type_str(arena, q8(0.5f, 3)), "qi8<0.5, 3>");
    assert_null(q8(0, 0));
    assert_null(q8(-1, 0));
    assert_null(q8(1, 128));
    assert_null(sn_type_quant(pool, SN_QI32, 1, 1));
    assert_null(sn_type_quant(pool, SN_F32, 1, 0));
    assert_string_equal(sn_type_why(SN_QI8, 0x1p-101f, 0),
                        "the scale must lie in [2^-100, 2^100]");
    assert_null(sn_type_why(SN_QI8, 0x1p-100f, -128));
    for (int i = 0; i < 500; i++) /* past the first size of the table */
        assert_ptr_equal(q8((float)(i + 1), 0), q8((float)(i + 1), 0));
    assert_ptr_equal(c, sn_type_axis(pool, SN_QI8, 1, 2, s, z));
    assert_ptr_equal(SHAPE(2, 3), SHAPE(2, 3));
    assert_ptr_not_equal(SHAPE(2, 3), SHAPE(3, 2));
    assert_null(SHAPE(-1));
    assert_null(SHAPE(1 << 20, 1 << 20));
    assert_null(SHAPE(INT64_C(1) << 40, 0));
    assert_null(SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1));
    assert_int_equal(sn_shape_count(SHAPE(4, 0, 2)), 0);
    assert_int_equal(sn_tensor_nbyte(f32(), SHAPE(3, 5)), 60);
    assert_int_equal(sn_tensor_nbyte(sn_type_plain(pool, SN_ROW8), SHAPE(3, 5)),
                     39);
    sn_buf_init(&b, arena);
    sn_put_type(&b, q8(0.02f, -128));
    sn_put_shape(&b, SHAPE(1, 28, 2));
    assert_string_equal(b.s, "qi8<0.02, -128>[1,28,2]");
}

/* ---- nodes ---- */

static void
test_uses(void **state)
{
    const SnType *t = q8(0.5f, 0);

    (void)state;
    SnRef x = input("x", t, SHAPE(2)), y = input("y", t, SHAPE(2));
    SnRef a = rescale("a", x, t), b = rescale("b", x, t);
    assert_int_equal(sn_nuse(g, x), 2);
    assert_int_equal(sn_res(g, x)->uses->user, SN_NODE(b));
    sn_set_in(g, SN_NODE(a), 0, y);
    assert_int_equal(sn_nuse(g, x), 1);
    assert_int_equal(sn_nuse(g, y), 1);
    sn_replace_uses(g, x, y);
    assert_int_equal(sn_nuse(g, x), 0);
    assert_int_equal(sn_nuse(g, y), 2);
    assert_int_equal(sn_in(g, SN_NODE(b), 0), y);
    assert_int_equal(sn_in(g, SN_NODE(b), 1), 0);
    assert_int_equal(sn_verify(g, diag), SN_OK);
    sn_remove(g, SN_NODE(a));
    assert_int_equal(sn_nuse(g, y), 1);
    assert_int_equal(g->nlive, 3);
    assert_int_equal(sn_find(g, "a"), 0);
    assert_int_equal(sn_verify(g, diag), SN_OK);
    /* a chain goes at once; inputs stay */
    SnRef c = rescale("c", b, t);
    rescale("d", c, t);
    assert_int_equal(sn_dce(g), 3);
    assert_int_equal(g->nlive, 2);
    assert_int_equal(sn_verify(g, diag), SN_OK);
    assert_string_equal(sn_diag_text(diag, arena), "");
}

static void
changed(uint64_t *before)
{
    assert_true(g->nedit > *before);
    *before = g->nedit;
}

/* Whatever can make another order, or leave a node without use, is counted. */
static void
test_edits(void **state)
{
    static const int8_t code[2] = {1, 2};
    const SnType *t = q8(0.5f, 0);
    uint64_t n = g->nedit;

    (void)state;
    SnRef x = input("x", t, SHAPE(2));
    changed(&n);
    SnRef y = input("y", t, SHAPE(2)), a = rescale("a", x, t);
    SnRef b = rescale("b", a, t), c = rescale("c", y, t);
    changed(&n);
    assert_int_equal(sn_dce(g), 3);
    changed(&n);
    assert_int_equal(sn_dce(g), 0);
    a = rescale("a", x, t), b = rescale("b", a, t), c = rescale("c", y, t);
    SnRef s = SN_REF(
        sn_add(g, &(SnSpec){.kind = SN_K_SAVE, .nin = 1, .in = &b}, diag), 0);
    assert_int_not_equal(s, 0);
    assert_int_equal(sn_dce(g), 1); /* c */
    changed(&n);
    c = rescale("c", y, t);
    n = g->nedit;
    sn_set_in(g, SN_NODE(b), 0, c);
    changed(&n);
    assert_int_equal(sn_dce(g), 1); /* a */
    a = rescale("a", x, t);
    n = g->nedit;
    sn_replace_uses(g, c, a);
    changed(&n);
    assert_int_equal(sn_dce(g), 1); /* c */
    n = g->nedit;
    sn_become(g, SN_NODE(a),
              &(SnSpec){.kind = SN_K_CONSTANT, .data = code, .borrow = true});
    changed(&n);
    assert_int_equal(sn_nuse(g, x), 0);
    assert_int_equal(sn_dce(g), 0);
    sn_set_in(g, SN_NODE(b), 0, 0);
    changed(&n);
    sn_set_in(g, SN_NODE(b), 0, y);
    changed(&n);
    assert_int_equal(sn_dce(g), 1); /* a */
    changed(&n);
    c = rescale("c", y, t);
    n = g->nedit;
    sn_become(g, SN_NODE(x),
              &(SnSpec){.kind = SN_K_CONSTANT, .data = code, .borrow = true});
    changed(&n);
    assert_int_equal(sn_dce(g), 2); /* c, x */
    changed(&n);
    x = input("x", t, SHAPE(2));
    n = g->nedit;
    sn_remove(g, SN_NODE(x));
    changed(&n);
    x = input("x", t, SHAPE(2));
    a = rescale("e", x, t);
    n = g->nedit;
    sn_remove(g, SN_NODE(a));
    changed(&n);
}

static void
test_names(void **state)
{
    const SnType *t = q8(0.5f, 0);
    PoolAttr pa = pool2();

    (void)state;
    SnRef x = input("x", t, SHAPE(1, 4, 4, 1));
    assert_string_equal(sn_name(g, rescale("r", x, t)), "r");
    SnRef r1 = rescale("r", x, t), r2 = rescale("r", x, t);
    assert_string_equal(sn_name(g, r1), "r.1");
    assert_string_equal(sn_name(g, r2), "r.2");
    sn_remove(g, SN_NODE(r1));
    assert_string_equal(sn_unique_name(g, "r"), "r.1");
    assert_string_equal(sn_unique_name(g, "free"), "free");
    assert_string_equal(sn_name(g, rescale(NULL, x, t)), "rescale");
    assert_string_equal(sn_name(g, rescale(NULL, x, t)), "rescale.1");
    SnRef p = add(K_MAXPOOL, "p", 1, &x, &pa, t);
    SnRef idx = SN_REF(SN_NODE(p), 1);
    assert_string_equal(sn_name(g, idx), "p:1");
    assert_int_equal(sn_find(g, "p:1"), idx);
    assert_int_equal(sn_find(g, "p:2"), 0);
    assert_int_equal(sn_find(g, "p"), p);
    sn_rename(g, idx, "i");
    assert_string_equal(sn_name(g, idx), "i");
    assert_int_equal(sn_find(g, "i"), idx);
    sn_rename(g, idx, "i");
    assert_string_equal(sn_name(g, idx), "i");
    SnId s = save("out", p);
    assert_string_equal(sn_label(g, s, arena), "out (Save)");
    assert_string_equal(sn_label(g, SN_NODE(p), arena), "p (MaxPool)");
    /* a replacement made by the rewrite takes the name */
    SnId mark = g->nnode;
    SnRef n = rescale("tmp", x, t);
    sn_replace(g, p, n, mark);
    assert_int_equal(sn_find(g, "p"), n);
    assert_int_equal(sn_find(g, "tmp"), p);
    assert_int_equal(sn_in(g, s, 0), n);
    sn_replace(g, n, x, mark); /* x is older: it keeps its name */
    assert_int_equal(sn_find(g, "x"), x);
    assert_int_equal(sn_in(g, s, 0), x);
    assert_int_equal(sn_verify(g, diag), SN_OK);
}

static void
test_order(void **state)
{
    const SnType *t = q8(0.5f, 0);
    uint32_t n;

    (void)state;
    SnRef x = input("x", t, SHAPE(2));
    SnRef a = rescale("a", x, t);
    SnId s1 = save("first", a);
    SnRef b = rescale("b", x, t);
    SnId s2 = save("second", b);
    SnRef c = rescale("c", x, t);
    sn_set_in(g, SN_NODE(a), 0, c); /* a now depends on a later node */
    SnId *o = sn_topo(g, arena, &n);
    assert_int_equal(n, 6);
    const SnId want[] = {SN_NODE(x), SN_NODE(b), SN_NODE(c),
                         SN_NODE(a), s1,         s2};
    assert_memory_equal(o, want, sizeof want);
    SnGraph *h = sn_graph_clone(g, sn_arena_new());
    const char *why;
    assert_int_equal(h->nnode, 7);
    assert_string_equal(sn_node(h, 2)->res[0].name, "b");
    if (!sn_graph_equal(g, h, arena, &why))
        fail_msg("%s", why);
    assert_int_equal(sn_graph_hash(g, true), sn_graph_hash(h, true));
    assert_int_equal(sn_graph_hash(g, false), sn_graph_hash(h, false));
    sn_rename(h, sn_find(h, "b"), "bb");
    assert_false(sn_graph_equal(g, h, arena, &why));
    assert_string_equal(why, "b (Rescale) is only in the first graph");
    assert_int_not_equal(sn_graph_hash(g, true), sn_graph_hash(h, true));
    assert_int_equal(sn_graph_hash(g, false), sn_graph_hash(h, false));
    sn_arena_free(h->arena);
}

static void
test_add_errors(void **state)
{
    const SnType *t = q8(0.5f, 0);
    ConvAttr ca = conv_dflt;
    RescaleAttr ra = {{-200, 5, true, true}};

    (void)state;
    SnRef x = input("x", t, SHAPE(1, 4, 4, 2));
    SnRef f = input("f", f32(), SHAPE(1, 4, 4, 2));
    SnRef w = input("w", t, SHAPE(8, 3, 3, 2));
    assert_int_equal(add(K_CONV, "c1", 1, &x, NULL, t), 0);
    assert_int_equal(add(K_CONV, "c2", 4, REFS(x, w, x, x), NULL, t), 0);
    assert_int_equal(add(K_CONV, "c3", 2, REFS(x, f), NULL, t), 0);
    assert_int_equal(add(K_CONV, "c4", 2, REFS(x, w), NULL, NULL), 0);
    ca.group = 0;
    assert_int_equal(add(K_CONV, "c5", 2, REFS(x, w), &ca, t), 0);
    assert_int_equal(add(K_RESCALE, "c6", 1, &x, &ra, t), 0);
    ca = conv_dflt;
    ca.stride.n = 1;
    assert_int_equal(add(K_CONV, "c7", 2, REFS(x, w), &ca, t), 0);
    assert_int_equal(add(K_CONV, "c8", 2, REFS(w, x), NULL, t), 0);
    assert_int_equal(add(K_RESCALE, "c9", 1, REFS(0), NULL, t), 0);
    assert_int_equal(g->nlive, 3);
    assert_string_equal(
        sn_diag_text(diag, arena),
        "c1 (Conv): takes 2 to 3 operands (x, w, b?), not 1\n"
        "c2 (Conv): takes 2 to 3 operands (x, w, b?), not 4\n"
        "c3 (Conv): no Conv takes (qi8<0.5, 0>, f32, _) -> "
        "qi8<0.5, 0>; possible: (qi8, qi8, qi32?) -> qi8; "
        "(qi8, qi8<axis=0>, qi32<axis=0>?) -> qi8; (f32, f32, f32?) -> f32\n"
        "c4 (Conv): result 'y' needs a type\n"
        "c5 (Conv): attribute 'group' is 0; required: group > 0\n"
        "c6 (Rescale): attribute 'clamp' must hold codes of "
        "qi8<0.5, 0>, integers from -128 to 127\n"
        "c7 (Conv): attribute 'stride' needs 2 numbers, not 1\n"
        "c8 (Conv): a window of 4 does not fit into 3\n"
        "c9 (Rescale): operand 'x' is missing\n");
    /* facts force these */
    assert_ptr_equal(sn_type(g, add(K_SOFTMAX, "s", 1, &x, NULL, NULL)),
                     q8(0.00390625f, -128));
    SnRef one[] = {x, x};
    const ConcatAttr axis = {-1};
    SnRef cat = add(K_CONCAT, "cat", 2, one, &axis, NULL);
    assert_ptr_equal(sn_type(g, cat), t);
    assert_ptr_equal(sn_shape_of(g, cat), SHAPE(1, 4, 4, 4));
}

/* ---- attributes ---- */

static void
test_attrs(void **state)
{
    const SnKindDesc *d = sn_desc(K_ALL), *conv = sn_desc(K_CONV);
    static const int64_t v[] = {1, -2};
    static const float w[] = {0.5f, -0.0f};
    char name[] = "a\"b";
    SnBuf b;

    (void)state;
    AllAttr *x = sn_attr_new(arena, d);
    assert_int_equal(x->i, 7);
    assert_string_equal(x->s, "hi");
    assert_true(sn_attrs_equal(d, x, d->defaults));
    *x = (AllAttr){-3,     0.25f,       false,
                   name,   2,           {2, v},
                   {2, w}, q8(0.5f, 1), {0, 6, true, false}};
    AllAttr *y = sn_attr_copy(arena, d, x);
    assert_true(sn_attrs_equal(d, x, y));
    assert_ptr_not_equal(x->s, y->s);
    assert_ptr_not_equal(x->v.v, y->v.v);
    name[0] = 'z';
    assert_false(sn_attrs_equal(d, x, y));
    name[0] = 'a';
    y->w.v = (const float[]){0.5f, 0.0f}; /* not -0 */
    assert_false(sn_attr_equal(sn_attr_named(d, "w"), x, y));
    y->c.hi = 9; /* an open side has no value */
    assert_true(sn_attr_equal(sn_attr_named(d, "c"), x, y));
    sn_buf_init(&b, arena);
    for (uint32_t i = 0; i < d->nattr; i++) {
        sn_put_attr(&b, &d->attr[i], x);
        sn_putc(&b, ' ');
    }
    assert_string_equal(b.s, "-3 0.25 false \"a\\\"b\" blue [1,-2] "
                             "[0.5, -0] qi8<0.5, 1> [0, _] ");
    assert_null(sn_attr_named(d, "nope"));
    /* like: same names and kinds only */
    ConvAttr from = conv_dflt;
    RescaleAttr to = rescale_dflt;
    from.clamp = (SnRange){1, 2, true, true};
    sn_attr_like(arena, sn_desc(K_RESCALE), &to, conv, &from);
    assert_true(to.clamp.has_hi && to.clamp.hi == 2);
    SnRef in = input("x", q8(1, 0), SHAPE(2));
    SnRef r = add(K_RESCALE, "r", 1, &in, &to, q8(1, 0));
    assert_true(sn_clamp_of(g, SN_NODE(r)).lo == 1);
    assert_true(sn_range_full(sn_clamp_of(g, SN_NODE(in))));
    PoolAttr pd = pool2();
    from.stride = (SnInts){2, v};
    sn_attr_like(arena, sn_desc(K_MAXPOOL), &pd, conv, &from);
    assert_int_equal(pd.stride.v[1], -2);
    assert_int_equal(pd.kernel.v[0], 2);
}

static void
test_ports(void **state)
{
    const SnKindDesc *d = sn_desc(K_CONCAT), *c = sn_desc(K_CONV);
    static const SnPortDesc mixed[] = {
        {.name = "a"}, {.name = "v", .variadic = true}, {.name = "z"}};
    const SnKindDesc m = {.name = "M", .nin = 3, .in = mixed};
    uint32_t first, n;

    (void)state;
    sn_port_slots(d, 5, 0, &first, &n);
    assert_true(first == 0 && n == 5);
    sn_port_slots(c, 3, 2, &first, &n);
    assert_true(first == 2 && n == 1);
    sn_port_slots(&m, 6, 1, &first, &n);
    assert_true(first == 1 && n == 4);
    sn_port_slots(&m, 6, 2, &first, &n);
    assert_true(first == 5 && n == 1);
    assert_int_equal(sn_port_of_slot(&m, 6, 0), 0);
    assert_int_equal(sn_port_of_slot(&m, 6, 4), 1);
    assert_int_equal(sn_port_of_slot(&m, 6, 5), 2);
    assert_int_equal(sn_kind_named("Concat"), K_CONCAT);
    assert_int_equal(sn_kind_named("concat"), 0);
}

/* ---- the verifier ---- */

static void
expect_verify(const char *text)
{
    SnDiag *d = sn_diag_new(arena);

    assert_int_equal(sn_verify(g, d), *text ? SN_EINPUT : SN_OK);
    assert_string_equal(sn_diag_text(d, arena), text);
}

static void
test_verify_same(void **state)
{
    PoolAttr pa = pool2();
    const ConcatAttr axis = {0};

    (void)state;
    SnRef x = input("x", q8(0.5f, 0), SHAPE(1, 4, 4, 1));
    SnRef r = rescale("r", x, q8(0.25f, 0));
    sn_node(g, SN_NODE(r))->origin = "passes.def:41";
    SnRef p = add(K_MAXPOOL, "p", 1, &r, &pa, q8(0.5f, 0));
    expect_verify("p (MaxPool): x and y must have one type\n"
                  "     | x is qi8<0.25, 0>, set by r (Rescale), "
                  "passes.def:41\n"
                  "     | y is qi8<0.5, 0>, set by p (MaxPool)\n");
    sn_res(g, p)->type = q8(0.25f, 0);
    expect_verify("");
    add(K_CONCAT, "c", 2, REFS(x, r), &axis, q8(0.5f, 0));
    expect_verify("c (Concat): all of x must have one type\n"
                  "     | x is qi8<0.5, 0>, set by x (Placeholder)\n"
                  "     | x is qi8<0.25, 0>, set by r (Rescale), "
                  "passes.def:41\n");
}

static void
test_verify_pin(void **state)
{
    const SnType *b32 = sn_type_quant(pool, SN_QI32, 0.125f, 0);
    const int32_t bias[] = {1, 2};
    const float ws[] = {0.5f, 0.1f}, bs[] = {0.25f, 0.3f * 0.1f};
    const int32_t zero[] = {0, 0};

    (void)state;
    SnRef x = input("x", q8(0.5f, 0), SHAPE(1, 4, 4, 2));
    SnRef w = input("w", q8(0.5f, 0), SHAPE(2, 3, 3, 2));
    SnRef b = constant("b", b32, SHAPE(2), bias);
    SnRef c = add(K_CONV, "c", 3, REFS(x, w, b), NULL, q8(1, 0));
    expect_verify("c (Conv): b must have the scale x.scale * w.scale, "
                  "which makes it qi32<0.25, 0>: it sits on the accumulator\n"
                  "     | b is qi32<0.125, 0>, set by b (Constant)\n"
                  "     | x is qi8<0.5, 0>, set by x (Placeholder)\n"
                  "     | w is qi8<0.5, 0>, set by w (Placeholder)\n");
    sn_res(g, b)->type = sn_type_quant(pool, SN_QI32, 0.25f, 0);
    expect_verify("");
    /* along the filters */
    sn_res(g, w)->type = sn_type_axis(pool, SN_QI8, 0, 2, ws, zero);
    sn_res(g, x)->type = q8(0.3f, 0);
    sn_res(g, b)->type = sn_type_axis(pool, SN_QI32, 0, 2, bs, zero);
    expect_verify(
        "c (Conv): b must have the scale x.scale * w.scale, "
        "which makes it qi32<axis=0, [0.15, 0.030000001], [0, 0]>: "
        "it sits on the accumulator\n"
        "     | b is qi32<axis=0, [0.25, 0.030000001], [0, 0]>, set by "
        "b (Constant)\n"
        "     | x is qi8<0.3, 0>, set by x (Placeholder)\n"
        "     | w is qi8<axis=0, [0.5, 0.1], [0, 0]>, set by w "
        "(Placeholder)\n");
    sn_res(g, b)->type = sn_type_quant(pool, SN_QI32, 0.25f, 0);
    expect_verify("c (Conv): no Conv has these types; possible: "
                  "(qi8, qi8, qi32?) -> qi8; "
                  "(qi8, qi8<axis=0>, qi32<axis=0>?) -> qi8; "
                  "(f32, f32, f32?) -> f32\n"
                  "     | x is qi8<0.3, 0>, set by x (Placeholder)\n"
                  "     | w is qi8<axis=0, [0.5, 0.1], [0, 0]>, set by w "
                  "(Placeholder)\n"
                  "     | b is qi32<0.25, 0>, set by b (Constant)\n"
                  "     | y is qi8<1, 0>, set by c (Conv)\n");
    sn_set_in(g, SN_NODE(c), 2, 0); /* the bias is optional */
    expect_verify("");
}

static void
test_verify_rest(void **state)
{
    const SnType *t = q8(0.5f, 0);

    (void)state;
    SnRef x = input("x", t, SHAPE(1, 4, 4, 2));
    SnRef w = input("w", t, SHAPE(2, 3, 2, 2));
    SnRef s = add(K_SOFTMAX, "s", 1, &x, NULL, t);
    expect_verify("s (Softmax): y must have scale 0.00390625 and zero "
                  "point -128\n"
                  "     | y is qi8<0.5, 0>, set by s (Softmax)\n");
    sn_remove(g, SN_NODE(s));
    SnRef c = add(K_CONV, "c", 2, REFS(x, w), NULL, t);
    expect_verify("c (Conv): does not satisfy: dim(w, 1) == "
                  "dim(w, 2)\n"
                  "     | x has shape [1,4,4,2]\n"
                  "     | w has shape [2,3,2,2]\n");
    sn_res(g, w)->shape = SHAPE(2, 3, 3, 2);
    expect_verify("c (Conv): result 'y' has shape [1,2,3,2], its "
                  "operands make it [1,2,2,2]\n");
    sn_res(g, c)->shape = SHAPE(1, 2, 2, 2);
    ((ConvAttr *)sn_node(g, SN_NODE(c))->attr)->group = -1;
    sn_node(g, SN_NODE(x))->calibrated = true;
    expect_verify("x (Placeholder): is marked calibrated, but has no "
                  "clamp\n"
                  "c (Conv): attribute 'group' is -1; required: "
                  "group > 0\n"
                  "c (Conv): 'group' is -1, not above 0\n");
}

static void
test_verify_structure(void **state)
{
    const SnType *t = q8(0.5f, 0);

    (void)state;
    SnRef x = input("x", t, SHAPE(2));
    SnRef a = rescale("a", x, t), b = rescale("b", a, t);
    sn_set_in(g, SN_NODE(a), 0, b);
    expect_verify("a (Rescale): depends on itself, in a cycle\n");
    sn_set_in(g, SN_NODE(a), 0, x);
    expect_verify("");
    sn_res(g, x)->nuse = 2;
    expect_verify("x (Placeholder): the use list of result 'y' is "
                  "inconsistent\n");
    sn_res(g, x)->nuse = 1;
    sn_res(g, b)->name = "a";
    expect_verify("a (Rescale): the name 'a' belongs to another "
                  "result\n");
    sn_res(g, b)->name = NULL;
    expect_verify("? (Rescale): result 'y' has no name\n");
}

static void
test_draw(void **state)
{
    const int32_t bias[] = {1, 2};
    SnBuf b;

    (void)state;
    SnRef x = input("a \"quoted\" name", q8(0.5f, 0), SHAPE(1, 4, 4, 2));
    SnRef w = input("w", q8(0.5f, 0), SHAPE(2, 3, 3, 2));
    SnRef k =
        constant("b", sn_type_quant(pool, SN_QI32, 0.25f, 0), SHAPE(2), bias);
    SnRef c = add(K_CONV, "c", 3, REFS(x, w, k), NULL, q8(1, 0));
    save("out", rescale("r", c, q8(0.0123456f, 3)));
    sn_buf_init(&b, arena);
    sn_draw_dot(g, &(SnDrawOpts){0}, &b);
    assert_non_null(strstr(b.s, "label=\"a \\\"quoted\\\" name\\n"));
    assert_non_null(strstr(b.s, "label=\"c\\nConv\\nb: qi32 0.25, 0  2"
                                "\\ny: qi8 1, 0  1x2x2x2\"]"));
    assert_non_null(strstr(b.s, "n4 -> n5;\n"));
    assert_non_null(strstr(b.s, "y: qi8 0.01235, 3  1x2x2x2\"]"));
    assert_non_null(strstr(b.s, "fillcolor=\"#f4a09a\"")); /* the Rescale */
    assert_null(strstr(b.s, "n3 ")); /* the constant has no box */
}

/* Integers compare as integers, of NaN nothing holds but !=. */
static void
lists(void **state)
{
    static const int64_t big[] = {(INT64_C(1) << 53) + 1, INT64_C(1) << 54};
    static const float nan[] = {1, NAN}, zeros[] = {0.0f, -0.0f};
    SnInts v = {2, big}, none = {0, NULL};
    SnReals r = {2, nan}, z = {2, zeros}, y = {2, (const float[]){-0.0f, 0}};

    (void)state;
    assert_true(sn_ints_all(v, SN_CMP_GT, INT64_C(1) << 53));
    assert_false(sn_ints_all(v, SN_CMP_GT, (INT64_C(1) << 53) + 1));
    assert_true(sn_ints_all(v, SN_CMP_GE, (INT64_C(1) << 53) + 1));
    assert_true(sn_ints_all(none, SN_CMP_EQ, 7));
    assert_true(sn_ints_all_real(v, SN_CMP_GT, 0.5));
    assert_false(sn_ints_all_real(v, SN_CMP_LT, 0.5));
    assert_false(sn_reals_all(r, SN_CMP_GT, 0));
    assert_false(sn_reals_all(r, SN_CMP_GE, 0));
    assert_false(sn_reals_all(r, SN_CMP_LE, 2));
    assert_true(sn_reals_all(r, SN_CMP_NE, 0));
    assert_true(sn_reals_all(z, SN_CMP_EQ, 0));
    assert_true(sn_reals_equal(z, y));
    assert_false(sn_reals_equal(r, r));
    assert_true(sn_ints_equal(v, v));
    assert_false(sn_ints_equal(v, none));
    assert_true(sn_ints_identity((SnInts){2, (const int64_t[]){0, 1}}));
    assert_false(sn_ints_identity((SnInts){2, (const int64_t[]){1, 0}}));
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(lists),
        T(test_types),
        T(test_uses),
        T(test_edits),
        T(test_names),
        T(test_order),
        T(test_add_errors),
        T(test_attrs),
        T(test_ports),
        T(test_verify_same),
        T(test_verify_pin),
        T(test_verify_rest),
        T(test_verify_structure),
        T(test_draw),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
