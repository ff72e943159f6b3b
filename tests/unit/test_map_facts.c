// SPDX-License-Identifier: Apache-2.0
/* What follows from declarations of maps: which are element by element, in
 * which axes may stand in another order, and what becomes of their arguments;
 * and which moves keep every element. */
#include <string.h>

#include "graph/axes.h"
#include "graph/moved.h"
#include "map/facts.h"
#include "sn_kinds.h"
#include "unit/defs.h"

static const SnMapDecl *
map(const char *name)
{
    const SnDefMap *m = sn_def_map(defs, name);

    assert_non_null(m);
    assert_non_null(m->decl);
    return m->decl;
}

/* How parameters, operands left out, depend on the order of axes: "no", or a
 * letter for each. */
static const char *
axes_of(const SnMapDecl *m)
{
    SnBuf b;

    if (!sn_map_axes_free(m))
        return "no";
    sn_buf_init(&b, a);
    for (unsigned i = 0; i < m->nparam; i++)
        if (m->param[i].kind != SN_MP_OPERAND)
            sn_putc(&b, "-ILEP"[sn_map_axis_use(m, i)]);
    return sn_buf_str(&b);
}

static void
sets_that_vary_with_the_place(void **state)
{
    static const char *const vary[] = {"running", "conv_transpose", "bag_at"};
    static const char *const stay[] = {"row",    "pool",   "conv", "matmul",
                                       "gather", "reduce", "each"};

    (void)state;
    declare("maps.def", "");
    for (size_t i = 0; i < sizeof vary / sizeof *vary; i++)
        assert_true(sn_map_set_varies(map(vary[i])));
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++)
        assert_false(sn_map_set_varies(map(stay[i])));
}

typedef struct Want {
    const char *map, *axes;
} Want;

static void
check(const Want *w, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(axes_of(map(w[i].map)), w[i].axes))
            fail_msg("%s: '%s', not '%s'", w[i].map, axes_of(map(w[i].map)),
                     w[i].axes);
}

/* The parameter that names the axis of a map whose other axes may be regrouped,
 * or -1. */
static int
regrouped(const char *name)
{
    const SnMapDecl *m = map(name);

    return sn_map_regroups(m) ? (int)sn_map_axis_param(m) : -1;
}

/* ---- the maps there are ---- */

static void
core_maps(void **state)
{
    static const Want want[] = {
        {"each", ""},
        {"fill", "no"},
        {"broadcast", ""},
        {"conv", "no"},
        {"conv_transpose", "no"},
        {"matmul", "no"},
        {"pool", "no"},
        {"row", "I"},
        {"reduce", "no"}, /* the order of a set's elements */
        {"window_channel", "no"},
        {"bag", "no"},
        {"bag_at", "no"},
        {"running", "I--"},
        {"topk", "-I-"},
        {"permute", "no"},
        {"reshape", "no"},
        {"concat", "I"},
        {"slice", "EEE"},
        {"tile", "E"},
        {"flip", "L"},
        {"space_to_depth", "no"},
        {"depth_to_space", "no"},
        {"pad", "P-"},
        {"gather", "no"},
        {"pick", "no"},
        {"triangle", "no"},
        {"nearest", "EE--"},
        {"table", "no"},
    };
    enum { N = sizeof want / sizeof *want };
    uint32_t sizes = 0; /* maps of no elements */

    (void)state;
    declare("maps.def", "");
    for (uint32_t i = 0; i < defs->nmap; i++)
        sizes += defs->map[i]->nparam > 0 &&
                 defs->map[i]->param[0]->nitem > 0 &&
                 !sn_map_count(defs->map[i]->decl, SN_MS_READ);
    assert_int_equal(defs->nmap - sizes, N);
    check(want, N);
    for (size_t i = 0; i < N; i++) {
        const char *m = want[i].map;
        bool joins = !strcmp(m, "broadcast");
        assert_int_equal(sn_map_in_place(map(m)), joins || !strcmp(m, "each"));
        assert_int_equal(sn_map_repeats(map(m)), joins || !strcmp(m, "matmul"));
        bool one =
            !strcmp(m, "row") || !strcmp(m, "concat") || !strcmp(m, "running");
        assert_int_equal(regrouped(m), !strcmp(m, "topk") ? 2 : one ? 1 : -1);
    }
}

/* ---- others ---- */

/* Each is one thing away from what may pass. */
static const char more[] =
    "map roll(x[d...], shift : int[d]) {\n"
    "  result [i < d];\n  read x[(i - shift) % d];\n}\n"
    "map unfold(x[n, s..., c], kernel : int[s], stride : int[s]) {\n"
    "  require kernel > 0 and stride > 0 and s >= kernel;\n"
    "  result [b < n, p < (s - kernel) / stride + 1,\n"
    "          u < product(kernel) * c];\n"
    "  read x[b, p * stride + unflat(u / c, kernel), u % c] else fill;\n}\n"
    "map groupwise(x[n, s..., c], groups : int) {\n"
    "  let size = c / groups;\n"
    "  result [b < n, i < s, m < c];\n  taps [t < s, u < size];\n"
    "  read x[b, t, m / size * size + u];\n  centre x[b, i, m];\n}\n"
    /* a set that no axis bounds */
    "map halves(x[d...], from : int[d], k : int) {\n"
    "  let n = d / 2;\n  require count(d) > 0;\n"
    "  result [i < n];\n  taps [t < k];\n"
    "  read x[from + 2 * i + t * product(n) + sum(from)] else skip;\n}\n"
    "map mirror(x[d...], axes : axes(x), pads : int[2, d]) {\n"
    "  require pads[1] >= 0 and count(axes) > 0;\n"
    "  result [i < d + pads[0] + pads[1]];\n"
    "  let at = i - pads[0];\n"
    "  read x[select(axis(d) in axes, d - 1 - at, at)] else fill;\n}\n"
    /* a list of two lists: each goes along what both do */
    "map corner(x[d...], pads : int[2, d]) {\n"
    "  require pads[1] >= 0;\n"
    "  result [i < d];\n  read x[pads[0]] else fill;\n}\n"
    "map pair(x[d...], y[1|d...], step : real[d] = 1.0) {\n"
    "  result [i < d];\n"
    "  read x[floor(real(i) * step)] else fill;\n  read y[i];\n}\n"
    "map numbered(x[d...]) {\n"
    "  result [i < d];\n  read x[(i + axis(d)) % d];\n}\n"
    "map first(x[d...]) {\n"
    "  result [i < d];\n  read x[(i + d[0]) % d];\n}\n"
    "map final(x[d...]) {\n"
    "  result [i < d];\n  read x[(i + last(d)) % d];\n}\n"
    "map ahead(x[d...]) {\n"
    "  result [i < d];\n  read x[(i + before(d)) % d];\n}\n"
    "map longer(x[d...], n : int) {\n"
    "  result [i < d, k < n];\n  read x[i];\n}\n"
    "map dropped(x[d...]) {\n"
    "  result [i < d when d > 1];\n  read x[i];\n}\n"
    "map own(x[d...], dims : int[]) {\n"
    "  require count(dims) > 0;\n"
    "  result [i < d];\n  read x[i];\n}\n"
    "map outer(x[d...], y[e...]) {\n"
    "  result [i < d, j < e];\n  read x[i];\n  read y[j];\n}\n"
    "map along(x[d...]) {\n"
    "  result [i < d];\n  taps [t < d];\n  read x[t];\n}\n"
    "map axes_list(x[d...], axes : axes(x)) {\n"
    "  result [i < d];\n  read x[(i + product(axes)) % d];\n}\n"
    /* an axis by its number */
    "map turn(x[a..., d @ axis, b...], by : int, axis : axis(x)) {\n"
    "  result [i < a, p < d, j < b];\n"
    "  read x[i, (p + by) % d, j];\n}\n"
    "map swapped(x[a..., d @ axis, b...], axis : axis(x)) {\n"
    "  result [j < b, p < d, i < a];\n  read x[i, p, j];\n}\n"
    "map around(x[a..., d @ axis, b...], axis : axis(x)) {\n"
    "  result [i < a, p < d, j < b];\n"
    "  read x[a - 1 - i, p, j];\n}\n"
    "map sized(x[a..., d @ axis, b...], axis : axis(x)) {\n"
    "  result [i < a, p < d, j < b];\n"
    "  read x[i, (p + product(a)) % d, j];\n}\n"
    "map at_axis(x[a..., d @ axis, b...], axis : axis(x)) {\n"
    "  result [i < a, p < d, j < b];\n"
    "  read x[i, (p + axis) % d, j];\n}\n"
    "map shifts(x[a..., d @ axis, b...], axis : axis(x), by : int[a]) {\n"
    "  require by >= 0;\n"
    "  result [i < a, p < d, j < b];\n  read x[i, p, j];\n}\n"
    "map beside(x[a..., d @ axis, b...], axis : axis(x), more : axes(x)) {\n"
    "  require count(more) < 2;\n"
    "  result [i < a, p < d, j < b];\n  read x[i, p, j];\n}\n";

static void
declared_maps(void **state)
{
    static const Want want[] = {
        {"roll", "E"},     {"unfold", "no"},    {"groupwise", "no"},
        {"halves", "E-"},  {"mirror", "LP"},    {"pair", "E"},
        {"corner", "P"},   {"numbered", "no"},  {"first", "no"},
        {"final", "no"},   {"ahead", "no"},     {"longer", "no"},
        {"dropped", "no"}, {"own", "no"},       {"outer", "no"},
        {"along", "no"},   {"turn", "-I"},      {"swapped", "no"},
        {"around", "no"},  {"sized", "no"},     {"at_axis", "no"},
        {"shifts", "no"},  {"axes_list", "no"}, {"beside", "IL"},
    };

    (void)state;
    declare("maps.def", more);
    check(want, sizeof want / sizeof *want);
    assert_true(sn_map_repeats(map("pair")));
    assert_false(sn_map_in_place(map("dropped")));
    assert_false(sn_map_in_place(map("longer")));
    assert_true(sn_map_in_place(map("own")));
    assert_int_equal(regrouped("turn"), 2);
    assert_int_equal(regrouped("roll"), -1);
    assert_int_equal(regrouped("sized"), -1);
    assert_int_equal(regrouped("beside"), -1); /* `more` names others */
}

/* ---- arguments ---- */

static SnInts
ints(uint32_t n, const int64_t *v)
{
    return (SnInts){n, v};
}

static void
same(SnInts got, uint32_t n, const int64_t *want)
{
    assert_int_equal(got.n, n);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(got.v[i], want[i]);
}

#define INTS(...)                                                       \
    (uint32_t)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (const int64_t[]) \
    {                                                                   \
        __VA_ARGS__                                                     \
    }

/* Through Transpose {perm = [0, 3, 1, 2]}: of a picture to channels first. */
static bool
below(SnKind k, void *attr)
{
    return sn_axes_renumber(a, sn_desc(k), attr, ints(INTS(0, 3, 1, 2)));
}

static void
renumbered(void **state)
{
    (void)state;
    SnSliceAttr s = {.start = ints(INTS(1, 2, 3, 4)),
                     .size = ints(INTS(5, 6, 7, 8)),
                     .step = ints(INTS(1, -1, 2, -2))};
    assert_true(below(SN_K_SLICE, &s));
    same(s.start, INTS(1, 3, 4, 2));
    same(s.size, INTS(5, 7, 8, 6));
    same(s.step, INTS(1, 2, -2, -1));

    SnPadAttr p = {.pads = ints(INTS(0, 1, 2, 3, 4, 5, 6, 7)),
                   .mode = SN_PAD_MODE_EDGE};
    assert_true(below(SN_K_PAD, &p));
    same(p.pads, INTS(0, 2, 3, 1, 4, 6, 7, 5));
    assert_int_equal(p.mode, SN_PAD_MODE_EDGE);
    p.pads = ints(INTS(0, 1, 2, 3));
    assert_false(below(SN_K_PAD, &p));

    SnConcatAttr c = {.axis = 1};
    assert_true(below(SN_K_CONCAT, &c));
    assert_int_equal(c.axis, 3);
    c.axis = -1;
    assert_true(below(SN_K_CONCAT, &c));
    assert_int_equal(c.axis, 2);

    SnFlipAttr f = {.axes = ints(INTS(-3, 3))};
    assert_true(below(SN_K_FLIP, &f));
    same(f.axes, INTS(3, 2));

    static const float scale[] = {1, 2, 3, 4};
    SnResizeNearestAttr r = {.dims = ints(INTS(1, 2, 3, 4)),
                             .scale = {4, scale}};
    assert_true(below(SN_K_RESIZE_NEAREST, &r));
    same(r.dims, INTS(1, 3, 4, 2));
    assert_true(r.scale.v[0] == 1 && r.scale.v[1] == 3 && r.scale.v[2] == 4 &&
                r.scale.v[3] == 2);
    r.scale = (SnReals){0};
    assert_true(below(SN_K_RESIZE_NEAREST, &r));
    assert_int_equal(r.scale.n, 0);

    SnReduceMaxAttr m = {.axes = ints(INTS(1))};
    assert_false(below(SN_K_REDUCE_MAX, &m));
    assert_true(sn_axes_repeat(sn_desc(SN_K_ADD)));
    assert_false(sn_axes_repeat(sn_desc(SN_K_CONCAT)));
}

/* ---- moves that keep every element ---- */

static SnGraph *g;

static SnRef
input(uint32_t n, const int64_t *dim)
{
    SnPlaceholderAttr at = {.boundary = SN_PLACEHOLDER_BOUNDARY_NONE};

    return SN_REF(sn_placeholder_new(g, NULL, sn_shape(g->pool, (int)n, dim),
                                     NULL, &at, sn_type_plain(g->pool, SN_F32)),
                  0);
}

static const SnType *
f32(void)
{
    return sn_type_plain(g->pool, SN_F32);
}

static SnMoved
reshaped(SnRef x, uint32_t n, const int64_t *dims)
{
    SnReshapeAttr at = {.dims = {n, dims}};

    return sn_moved(g, sn_reshape_new(g, NULL, x, &at, f32()));
}

static SnMoved
permuted(SnRef x, uint32_t n, const int64_t *perm)
{
    SnTransposeAttr at = {.perm = {n, perm}};

    return sn_moved(g, sn_transpose_new(g, NULL, x, &at, f32()));
}

static SnMoved
sliced(SnRef x, SnInts start, SnInts size, SnInts step)
{
    SnSliceAttr at = {.start = start, .size = size, .step = step};

    return sn_moved(g, sn_slice_new(g, NULL, x, &at, f32()));
}

static void
orders(void **state)
{
    (void)state;
    g = sn_graph_new(a, "t");
    SnRef x = input(INTS(2, 6, 4));
    assert_int_equal(reshaped(x, INTS(8, 6)), SN_MOVED_IN_ORDER);
    assert_int_equal(reshaped(x, INTS(-1)), SN_MOVED_IN_ORDER);
    assert_int_equal(reshaped(x, INTS(3, 1, 16)), SN_MOVED_IN_ORDER);
    assert_int_equal(reshaped(input(INTS(5, 7)), INTS(7, 5)),
                     SN_MOVED_IN_ORDER);
    assert_int_equal(reshaped(input(INTS(0, 7)), INTS(0, 7)),
                     SN_MOVED_IN_ORDER);
    assert_int_equal(reshaped(input(INTS(1, 1)), INTS(1)), SN_MOVED_IN_ORDER);
    assert_int_equal(permuted(x, INTS(0, 1, 2)), SN_MOVED_IN_ORDER);
    assert_int_equal(permuted(x, INTS(2, 0, 1)), SN_MOVED_ONCE);
    assert_int_equal(permuted(input(INTS(2, 2)), INTS(1, 0)), SN_MOVED_ONCE);
    assert_int_equal(permuted(input(INTS(1, 6, 1)), INTS(1, 2, 0)),
                     SN_MOVED_IN_ORDER);
    SnFlipAttr f = {.axes = {INTS(1)}};
    assert_int_equal(sn_moved(g, sn_flip_new(g, NULL, x, &f, f32())),
                     SN_MOVED_ONCE);
    assert_int_equal(sliced(x, ints(INTS(0, 0, 0)), ints(INTS(2, 6, 4)),
                            ints(INTS(1, 1, 1))),
                     SN_MOVED_IN_ORDER);
    assert_int_equal(sliced(x, ints(INTS(0, 5, 0)), ints(INTS(2, 6, 4)),
                            ints(INTS(1, -1, 1))),
                     SN_MOVED_ONCE);
    assert_int_equal(sliced(x, ints(INTS(0, 0, 0)), ints(INTS(2, 5, 4)),
                            ints(INTS(1, 1, 1))),
                     SN_MOVED_ELSE);
    SnTileAttr t = {.repeats = {INTS(1, 1, 2)}};
    assert_int_equal(sn_moved(g, sn_tile_new(g, NULL, x, &t, f32())),
                     SN_MOVED_ELSE);
    assert_int_equal(sn_moved(g, sn_relu_new(g, NULL, x, f32())),
                     SN_MOVED_ELSE);
}

static void
blocks(void **state)
{
    (void)state;
    g = sn_graph_new(a, "t");
    SnSpaceToDepthAttr s = {.block = 2};
    SnDepthToSpaceAttr u = {.block = 3};
    SnRef x = input(INTS(2, 4, 6, 5)), y = input(INTS(1, 2, 3, 18));
    assert_int_equal(sn_moved(g, sn_space_to_depth_new(g, NULL, x, &s, f32())),
                     SN_MOVED_ONCE);
    assert_int_equal(sn_moved(g, sn_depth_to_space_new(g, NULL, y, &u, f32())),
                     SN_MOVED_ONCE);
}

/* What lies beside a set, and filters of one row for each place there. */
static void
beside(void **state)
{
    (void)state;
    declare("maps.def", "map even(x[n, c], w[o, q]) {\n"
                        "  result [b < n, m < o];\n  taps [t < c];\n"
                        "  read x[b, t];\n  read w[m, t % q];\n"
                        "  beside [m];\n}\n");
    for (uint32_t i = 0; i < defs->nmap; i++) {
        const SnDefMap *m = defs->map[i];
        bool bag = !strcmp(m->name, "bag") || !strcmp(m->name, "bag_at");
        bool conv =
            !strcmp(m->name, "conv") || !strcmp(m->name, "conv_transpose");
        if (sn_map_beside_tap(m->decl) != bag)
            fail_msg("%s: what lies beside is not of a tap", m->name);
        if (sn_map_rows(m->decl) != conv)
            fail_msg("%s: rows of the second operand", m->name);
    }
}

int
main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup_defs, teardown)
    const struct CMUnitTest tests[] = {
        T(core_maps),
        T(declared_maps),
        T(renumbered),
        T(orders),
        T(blocks),
        T(beside),
        T(sets_that_vary_with_the_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
