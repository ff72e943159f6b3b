// SPDX-License-Identifier: Apache-2.0
/* compare, lowering with one profile, int16, unification, batch size. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "quant/advise.h"
#include "quant/quantize.h"
#include "sn_kinds.h"
#include "unit/parse.h"

static const SnType *
type_named(const SnGraph *g, const char *name)
{
    SnRef r = sn_find(g, name);

    if (!r)
        fail_msg("no value '%s'", name);
    return sn_type(g, r);
}

static const SnExec *
exec_of(const SnGraph *g)
{
    const SnExec *x;

    if (sn_exec_prepare(a, g, NULL, d, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return x;
}

/* Sample i: a fixed pattern on every f32 input. */
static SnStatus
fill(void *ctx, int64_t sample, SnRun *r)
{
    const SnExec *x = r->x;

    (void)ctx;
    for (uint32_t i = 0; i < x->ninput; i++) {
        float *v = sn_run_input(r, i);
        int64_t n = sn_shape_count(x->input[i].shape);
        for (int64_t k = 0; k < n; k++)
            v[k] = (float)((k * 37 + sample * 11) % 101) / 50.0f - 1;
    }
    return SN_OK;
}

static SnProfile *
profile_of(const SnGraph *g, int64_t nsample)
{
    SnGraph *f = sn_graph_clone(g, a);
    SnProfile *p = NULL;

    if (sn_rewrite(sn_rewriter_new(a, &sn_rewrite_defaults, d), f, "profile") !=
            SN_OK ||
        sn_profile_run(a, exec_of(f), nsample, 1, fill, NULL,
                       sn_graph_hash(g, true), d, &p) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return p;
}

static SnQuantReport
quantize(SnGraph *g, const SnProfile *p, const SnQuantOpts *o)
{
    SnQuantOpts q = *o;
    SnRewriter *rw;
    SnQuantReport r;

    q.rewrite.verify = true;
    if (sn_quantize_graph(a, g, p, &q, &rw, d, &r) != SN_OK ||
        sn_verify(g, d) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return r;
}

static SnComparison
compare(const SnGraph *f, const SnGraph *q, unsigned njob)
{
    SnCompareOpts o = {.flt = exec_of(f),
                       .quant = exec_of(q),
                       .fill_flt = fill,
                       .fill_quant = fill,
                       .nsample = 6,
                       .njob = njob};
    SnComparison c;

    if (sn_compare(a, &o, d, &c) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return c;
}

/* ---- one profile, two backends ---- */

static const char fc[] =
    "sinter-graph 1\n"
    "graph \"fc\" {\n"
    "  %x = Placeholder() : f32[1,4]\n"
    "  %w = Constant() {data = [1, -2, 3, 0.5, 2, 1, 0.25, -1]} : f32[2,4]\n"
    "  %b = Constant() {data = [8, -8]} : f32[2]\n"
    "  %y = FullyConnected(%x, %w, %b) : f32[1,2]\n"
    "  Save(%y) {name = \"y\"}\n"
    "}\n";

static bool
keeps(SnKind k, const SnTuple *t)
{
    (void)k;
    (void)t;
    return true;
}

static int
lower_all(const SnGraph *g, SnId id)
{
    (void)g;
    (void)id;
    return 1;
}

static int
lower_none(const SnGraph *g, SnId id)
{
    (void)g;
    (void)id;
    return 0;
}

/* Backends for all nodes: one lowers what it can, one nothing. */
static const SnBackendHooks lowers = {.lower = lower_all};
static const SnBackendHooks keeps_all = {.lower = lower_none};
static const SnBackendDesc low = {.name = "low",
                                  .fallback_reference = true,
                                  .supports = keeps,
                                  .hooks = &lowers};
static const SnBackendDesc kept = {.name = "kept",
                                   .fallback_reference = true,
                                   .supports = keeps,
                                   .hooks = &keeps_all};

static void
check_range(const SnType *t, const SnProfile *p, const char *name)
{
    const SnHist *h = sn_profile_find(p, name);

    assert_non_null(h);
    SnParam q =
        sn_choose(SN_ASYMMETRIC, SN_QI8, (double)h->min, (double)h->max, 0);
    assert_true(t->scale[0] == q.scale);
    assert_int_equal(t->zp[0], q.zp);
}

static void
lowered_or_kept(void **state)
{
    SnGraph *g = parse(fc), *l = parse(fc), *k = parse(fc);
    SnProfile *p = profile_of(g, 10);
    SnQuantOpts o = {.rewrite = sn_rewrite_defaults};

    (void)state;
    o.rewrite.backend = &low;
    SnQuantReport r = quantize(l, p, &o);
    assert_int_equal(r.nfloat, 0);
    /* The product has a range of its own, not that of the sum. */
    assert_int_equal(sn_kind(l, sn_find(l, "y/product")), SN_K_MAT_MUL);
    check_range(type_named(l, "y/product"), p, "y/product");
    check_range(type_named(l, "y"), p, "y");
    assert_ptr_not_equal(type_named(l, "y/product"), type_named(l, "y"));
    o.rewrite.backend = &kept;
    r = quantize(k, p, &o);
    assert_int_equal(r.nfloat, 0);
    assert_int_equal(sn_kind(k, sn_find(k, "y")), SN_K_FULLY_CONNECTED);
    check_range(type_named(k, "y"), p, "y");
    check_range(type_named(k, "x.q"), p, "x");
    check_range(type_named(l, "x.q"), p, "x");
    assert_int_equal(sn_find(k, "y/product"), 0);
}

/* A normalization: kept, it is one node on codes; lowered, each component is
 * int8 on the range that the profile has under its name. */
static void
normalize_lowered_or_kept(void **state)
{
    static const char text[] = "sinter-graph 1\n"
                               "graph \"norm\" {\n"
                               "  %x = Placeholder() : f32[2,8]\n"
                               "  %y = Normalize(%x) {eps = 0.01} : f32[2,8]\n"
                               "  Save(%y) {name = \"y\"}\n"
                               "}\n";
    static const char *const part[] = {"y/mean",     "y/centred",   "y/squares",
                                       "y/variance", "y/deviation", "y"};
    SnGraph *g = parse(text), *l = parse(text), *k = parse(text);
    SnProfile *p = profile_of(g, 10);
    SnQuantOpts o = {.rewrite = sn_rewrite_defaults};

    (void)state;
    o.rewrite.backend = &low;
    SnQuantReport r = quantize(l, p, &o);
    assert_int_equal(r.nfloat, 0);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        check_range(type_named(l, part[i]), p, part[i]);
    SnComparison c = compare(g, l, 1);
    assert_true(c.worst_output > 20); /* dB; six nodes of 8 bits */
    o.rewrite.backend = &kept;
    r = quantize(k, p, &o);
    assert_int_equal(r.nfloat, 0);
    assert_int_equal(sn_kind(k, sn_find(k, "y")), SN_K_NORMALIZE);
    check_range(type_named(k, "y"), p, "y");
    c = compare(g, k, 1);
    assert_true(c.worst_output > 30); /* dB; one node of 8 bits */
}

/* A profile made with three images a sample serves one. */
static void
batch_of_profile(void **state)
{
    SnBuf three;
    SnGraph *one = parse(fc);

    (void)state;
    sn_buf_init(&three, a);
    for (const char *s = fc; *s; s++)
        if (!strncmp(s, "[1,", 3)) {
            sn_puts(&three, "[3,");
            s += 2;
        } else {
            sn_putc(&three, *s);
        }
    SnGraph *g = parse(sn_buf_str(&three));
    SnProfile *p = profile_of(g, 4);
    SnGraph *f = sn_graph_clone(one, a);
    sn_rewrite(sn_rewriter_new(a, &sn_rewrite_defaults, d), f, "profile");
    SnProfileFit fit = sn_profile_fit(a, p, f, f);
    assert_int_equal(fit.nmissing, 0);
    assert_int_equal(fit.nstale, 0);
    assert_true(p->hash != sn_graph_hash(one, true));
    SnQuantOpts o = {.rewrite = sn_rewrite_defaults};
    SnQuantReport r = quantize(one, p, &o);
    assert_int_equal(r.nfloat, 0);
    assert_true(type_named(one, "y")->elem == SN_QI8);
}

/* ---- precision ---- */

static const char chain[] =
    "sinter-graph 1\n"
    "graph \"chain\" {\n"
    "  %x = Placeholder() : f32[1,2,2,1]\n"
    "  %w = Constant() {data = [1, -2]} : f32[2,1,1,1]\n"
    "  %b = Constant() {data = [0.5, 0.25]} : f32[2]\n"
    "  %c = Conv2D(%x, %w, %b) {kernel = [1,1]} : f32[1,2,2,2]\n"
    "  %a = Add(%c, %c) : f32[1,2,2,2]\n"
    "  %s = Add(%a, %c) : f32[1,2,2,2]\n"
    "  Save(%s) {name = \"out\"}\n"
    "}\n";

static void
int16_node(void **state)
{
    SnGraph *g = parse(chain);
    SnProfile *p = profile_of(g, 5);
    SnQuantOpts o = {.rewrite = sn_rewrite_defaults};

    (void)state;
    sn_control_add(a, &o.control, "--precision", SN_ASK_PRECISION, "a=int16",
                   d);
    SnQuantReport r = quantize(g, p, &o);
    assert_int_equal(r.nfloat, 0);
    assert_int_equal(type_named(g, "a")->elem, SN_QI16);
    assert_int_equal(type_named(g, "c")->elem, SN_QI8);
    assert_int_equal(type_named(g, "s")->elem, SN_QI8);
}

/* Everything at 16 bits: the convolution reads 16-bit data and 8-bit weights,
 * and is closer to the float model than with 8. */
static void
int16_all(void **state)
{
    SnGraph *g = parse(chain), *h = parse(chain), *f = parse(chain);
    SnProfile *p = profile_of(g, 5);
    SnQuantOpts o = {.rewrite = sn_rewrite_defaults, .channelwise = true};

    (void)state;
    quantize(h, p, &o);
    o.control.all.precision = SN_INT16;
    SnQuantReport r = quantize(g, p, &o);
    assert_int_equal(r.nfloat, 0);
    assert_int_equal(r.nquant, 3);
    assert_int_equal(r.nquant16, 3);
    assert_int_equal(r.place.nnarrow, 0);
    assert_int_equal(type_named(g, "c")->elem, SN_QI16);
    assert_int_equal(type_named(g, "w.q")->elem, SN_QI8);
    assert_true(compare(f, g, 1).worst_output >
                compare(f, h, 1).worst_output + 3);
}

/* Without a 16-bit form a node gets 8 bits, and the report says so. */
static void
int16_narrow(void **state)
{
    static const char text[] = "sinter-graph 1\n"
                               "graph \"n\" {\n"
                               "  %x = Placeholder() : f32[1,4]\n"
                               "  %y = Sigmoid(%x) : f32[1,4]\n"
                               "  %z = Add(%y, %x) : f32[1,4]\n"
                               "  Save(%z) {name = \"z\"}\n"
                               "}\n";
    SnGraph *g = parse(text);
    SnProfile *p = profile_of(g, 5);
    SnQuantOpts o = {.rewrite = sn_rewrite_defaults};

    (void)state;
    o.control.all.precision = SN_INT16;
    SnQuantReport r = quantize(g, p, &o);
    assert_int_equal(r.nfloat, 0);
    assert_int_equal(r.place.nnarrow, 1);
    assert_string_equal(r.place.narrow[0].name, "y (Sigmoid)");
    assert_string_equal(r.place.narrow[0].why, "it has no int16 form");
    assert_int_equal(type_named(g, "y")->elem, SN_QI8);
    assert_int_equal(type_named(g, "z")->elem, SN_QI16);
}

static void
float_node(void **state)
{
    SnGraph *g = parse(chain);
    SnProfile *p = profile_of(g, 5);
    SnQuantOpts o = {.rewrite = sn_rewrite_defaults};

    (void)state;
    sn_control_keep_float(a, &o.control, "--keep-float", "a");
    SnQuantReport r = quantize(g, p, &o);
    assert_int_equal(r.nfloat, 1);
    assert_string_equal(r.left_float[0].name, "a (Add)");
    assert_string_equal(r.left_float[0].why, "--keep-float 'a' asks for it");
    assert_int_equal(type_named(g, "a")->elem, SN_F32);
    assert_int_equal(type_named(g, "s")->elem, SN_QI8);
}

/* ---- unification ---- */

static const char joined[] =
    "sinter-graph 1\n"
    "graph \"joined\" {\n"
    "  %x = Placeholder() : f32[1,2,2,1]\n"
    "  %w = Constant() {data = [1, -2]} : f32[2,1,1,1]\n"
    "  %v = Constant() {data = [5, -3]} : f32[2,1,1,1]\n"
    "  %c = Conv2D(%x, %w, _) {kernel = [1,1]} : f32[1,2,2,2]\n"
    "  %e = Conv2D(%x, %v, _) {kernel = [1,1]} : f32[1,2,2,2]\n"
    "  %m = MaxPool(%e) {kernel = [1,1]} : f32[1,2,2,2]\n"
    "  %j = Concat(%c, %e) {axis = 3} : f32[1,2,2,4]\n"
    "  %s = Add(%c, %m) : f32[1,2,2,2]\n"
    "  Save(%j) {name = \"j\"}\n"
    "  Save(%s) {name = \"s\"}\n"
    "}\n";

/* e is kept by a MaxPool too, so only c can take another type; without the
 * flag nobody does. */
static void
unify(void **state)
{
    static const char text[] =
        "sinter-graph 1\n"
        "graph \"joined\" {\n"
        "  %x = Placeholder() : f32[1,2,2,1]\n"
        "  %w = Constant() {data = [1, -2]} : f32[2,1,1,1]\n"
        "  %v = Constant() {data = [5, -3]} : f32[2,1,1,1]\n"
        "  %c = Conv2D(%x, %w, _) {kernel = [1,1]} : f32[1,2,2,2]\n"
        "  %e = Conv2D(%x, %v, _) {kernel = [1,1]} : f32[1,2,2,2]\n"
        "  %m = MaxPool(%e) {kernel = [2,2]} : f32[1,1,1,2]\n"
        "  %k = MaxPool(%c) {kernel = [2,2]} : f32[1,1,1,2]\n"
        "  %j = Concat(%k, %m) {axis = 3} : f32[1,1,1,4]\n"
        "  Save(%j) {name = \"j\"}\n"
        "}\n";
    SnGraph *g = parse(text), *h = parse(text);
    SnProfile *p = profile_of(g, 9);
    SnQuantOpts o = {.rewrite = sn_rewrite_defaults};

    (void)state;
    SnQuantReport r = quantize(g, p, &o);
    assert_int_equal(r.place.nunified, 0);
    uint32_t before = r.inserted;
    o.unify = true;
    r = quantize(h, p, &o);
    assert_true(r.place.nunified >= 1);
    assert_ptr_equal(type_named(h, "c"), type_named(h, "j"));
    assert_ptr_equal(type_named(h, "e"), type_named(h, "j"));
    assert_int_equal(r.inserted, 0);
    assert_true(before >= 1);
}

static void
unify_residual(void **state)
{
    static const char text[] =
        "sinter-graph 1\n"
        "graph \"residual\" {\n"
        "  %x = Placeholder() : f32[1,2,2,1]\n"
        "  %w = Constant() {data = [1, -2]} : f32[2,1,1,1]\n"
        "  %v = Constant() {data = [5, -3]} : f32[2,1,1,1]\n"
        "  %c = Conv2D(%x, %w, _) {kernel = [1,1]} : f32[1,2,2,2]\n"
        "  %e = Conv2D(%x, %v, _) {kernel = [1,1]} : f32[1,2,2,2]\n"
        "  %s = Add(%c, %e) : f32[1,2,2,2]\n"
        "  Save(%s) {name = \"s\"}\n"
        "}\n";
    SnGraph *g = parse(text), *h = parse(text), *k = parse(joined);
    SnProfile *p = profile_of(g, 9);
    SnQuantOpts o = {.rewrite = sn_rewrite_defaults};

    (void)state;
    quantize(g, p, &o);
    float c = type_named(g, "c")->scale[0], e = type_named(g, "e")->scale[0];
    assert_true(c < e); /* c has half the range of e, and steps to match */
    o.unify = true;
    SnQuantReport r = quantize(h, p, &o);
    assert_ptr_equal(type_named(h, "c"), type_named(h, "e"));
    assert_true(type_named(h, "e")->scale[0] >= e);
    assert_true(r.place.nunified >= 1);
    /* The types of a Concat and of an Add above the same values. */
    r = quantize(k, profile_of(k, 9), &o);
    assert_int_equal(r.nfloat, 0);
    assert_int_equal(r.left, 0);
}

/* ---- compare ---- */

static const SnCompared *
entry(const SnComparison *c, const char *name, bool constant)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (!strcmp(c->value[i].name, name) && c->value[i].constant == constant)
            return &c->value[i];
    fail_msg("no entry '%s'", name);
    return NULL;
}

/* x -> q (grid 1/64, exact for the samples' 1/50 only nearly) -> y = 2x on a
 * grid of 1/4: y's own error is that of its grid, whatever x lost. */
static void
compare_local(void **state)
{
    static const char f[] = "sinter-graph 1\n"
                            "graph \"n\" {\n"
                            "  %x = Placeholder() : f32[50]\n"
                            "  %u = Relu(%x) : f32[50]\n"
                            "  %y = Add(%u, %u) : f32[50]\n"
                            "  %z = Add(%y, %y) : f32[50]\n"
                            "  Save(%z) {name = \"z\"}\n"
                            "}\n";
    static const char q[] = "sinter-graph 1\n"
                            "graph \"n\" {\n"
                            "  %x = Placeholder() : f32[50]\n"
                            "  %x.q = Quantize(%x) : qi8<0.015625, 0>[50]\n"
                            "  %u = Relu(%x.q) : qi8<0.015625, 0>[50]\n"
                            "  %y = Add(%u, %u) : qi8<0.25, 0>[50]\n"
                            "  %z = Add(%y, %y) : qi8<0.03125, 0>[50]\n"
                            "  %z.dq = Dequantize(%z) : f32[50]\n"
                            "  Save(%z.dq) {name = \"z\"}\n"
                            "}\n";
    SnComparison c = compare(parse(f), parse(q), 1);
    const SnCompared *y = entry(&c, "y", false), *z;

    (void)state;
    /* The worst is y: its grid is the coarsest. */
    assert_string_equal(c.value[0].name, "y");
    assert_true(sn_sqnr(&y->local) > 10 && sn_sqnr(&y->local) < 30);
    for (uint32_t i = 0; i < c.n; i++) {
        if (strcmp(c.value[i].node, "z (Add)") != 0)
            continue;
        z = &c.value[i];
        /* y as a float is brought to y's grid first: that is z's operand. */
        assert_true(z->has_local);
    }
    const SnCompared *out = entry(&c, "z", false);
    assert_true(sn_sqnr(&out->cumulative) < 30);
    assert_true(c.worst_output == sn_sqnr(&out->cumulative));
    assert_true(sn_compare_is_source(y));
    /* The input's own error is that of its grid; it is no node's. */
    const SnCompared *in = entry(&c, "x", false);
    assert_true(in->has_local && in->converts && !sn_compare_is_source(in));
    assert_true(sn_sqnr(&in->local) == sn_sqnr(&in->cumulative));
    assert_true(sn_sqnr(&in->local) > 30 && sn_sqnr(&in->local) < 60);
}

static void
compare_weights_and_threads(void **state)
{
    SnGraph *g = parse(chain), *f = parse(chain);
    SnProfile *p = profile_of(g, 5);
    SnQuantOpts o = {.rewrite = sn_rewrite_defaults};

    (void)state;
    quantize(g, p, &o);
    SnComparison x = compare(f, g, 1), y = compare(f, g, 3);
    assert_int_equal(x.n, y.n);
    for (uint32_t i = 0; i < x.n; i++) {
        assert_string_equal(x.value[i].name, y.value[i].name);
        assert_memory_equal(&x.value[i].cumulative, &y.value[i].cumulative,
                            sizeof(SnErrors));
        assert_memory_equal(&x.value[i].local, &y.value[i].local,
                            sizeof(SnErrors));
    }
    const SnCompared *w = entry(&x, "w", true);
    assert_true(w->has_local && sn_sqnr(&w->local) > 20);
    assert_true(sn_cosine(&w->local) > 0.99);
    assert_true(x.worst_output > 20);
    assert_int_equal(x.nunmatched, 0);
}

static void
compare_itself(void **state)
{
    SnGraph *g = parse(chain);
    SnComparison c = compare(g, g, 1);

    (void)state;
    assert_true(isinf(c.worst_output) && c.worst_output > 0);
    for (uint32_t i = 0; i < c.n; i++) {
        assert_true(c.value[i].cumulative.noise == 0);
        assert_true(sn_cosine(&c.value[i].cumulative) > 0.999999);
    }
    for (uint32_t i = 0; i < c.n; i++)
        assert_false(sn_compare_is_source(&c.value[i]));
}

/* ---- advice ---- */

/* Two products; the weights of one have rows of very different size. */
static const char uneven[] =
    "sinter-graph 1\n"
    "graph \"uneven\" {\n"
    "  %x = Placeholder() : f32[1,8]\n"
    "  %w = Constant() {data = [1, -2, 3, 0.5, 2, 1, 0.25, -1, 0.01, 0.02, "
    "0.013, -0.017, 0.005, 0.011, -0.019, 0.003]} : f32[2,8]\n"
    "  %b = Constant() {data = [1, 0.01]} : f32[2]\n"
    "  %y = FullyConnected(%x, %w, %b) : f32[1,2]\n"
    "  %v = Constant() {data = [0.01, 1, 0.02, -0.9]} : f32[2,2]\n"
    "  %c = Constant() {data = [0, 0]} : f32[2]\n"
    "  %z = FullyConnected(%y, %v, %c) : f32[1,2]\n"
    "  Save(%z) {name = \"z\"}\n"
    "}\n";

static double
worst_with(const SnGraph *f, const SnProfile *p, const SnQuantOpts *o)
{
    SnGraph *g = sn_graph_clone(f, a);

    quantize(g, p, o);
    return compare(f, g, 1).worst_output;
}

static SnAdvice
advice(const SnGraph *f, const SnProfile *p, const SnQuantOpts *o, double db)
{
    SnGraph *g = sn_graph_clone(f, a);
    SnAdvice v;

    quantize(g, p, o);
    SnComparison c = compare(f, g, 1);
    SnAdviseOpts ao = {.model = f,
                       .flt = f,
                       .quant = g,
                       .c = &c,
                       .db = db,
                       .rewrite = sn_rewrite_defaults,
                       .fill = fill,
                       .fill_quant = fill,
                       .nsample = 6,
                       .njob = 2};
    if (sn_advise(a, &ao, d, &v) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    assert_true(fabs(v.given - c.worst_output) < 1e-6);
    if (!v.same || fabs(v.again - v.given) > 0.01)
        fail_msg("%g dB, again %g: scheme %d, rowwise %d, bias8 %d", v.given,
                 v.again, (int)o->control.all.schema, o->rowwise, o->bias8);
    return v;
}

#define DB 25

/* What the advice says it would bring is what quantizing so brings. */
static void
advice_is_measured(void **state)
{
    SnGraph *f = parse(uneven);
    SnProfile *p = profile_of(f, 6);
    SnQuantOpts o = {.rewrite = sn_rewrite_defaults}, w = o, k = o, i = o;
    SnAdvice v = advice(f, p, &o, DB);

    (void)state;
    w.rowwise = w.channelwise = true;
    assert_true(fabs(v.sliced - worst_with(f, p, &w)) < 0.01);
    assert_true(fabs(v.sliced - v.given) > 0.1);
    i.control.all.precision = SN_INT16;
    assert_true(fabs(v.int16 - worst_with(f, p, &i)) < 0.2);
    assert_true(v.nkeep >= 1);
    for (uint32_t n = 0; n < v.nkeep; n++)
        sn_control_keep_float(a, &k.control, "--keep-float", v.keep[n]);
    double made = worst_with(f, p, &k); /* infinite: all of it is float */
    assert_true(v.kept == made || fabs(v.kept - made) < 0.01);
    assert_true(v.kept >= DB);
    assert_true(v.kept > v.given);
    /* A threshold that is met asks for nothing. */
    v = advice(f, p, &o, 1);
    assert_int_equal(v.nkeep, 0);
    assert_true(isnan(v.sliced) && isnan(v.kept));
}

/* The settings are read off the model: it is made again as it was. */
static void
advice_reads_settings(void **state)
{
    static const SnSchema s[] = {SN_ASYMMETRIC, SN_SYMMETRIC,
                                 SN_SYMMETRIC_UINT8, SN_POWER_OF_TWO};
    SnGraph *f = parse(uneven);
    SnProfile *p = profile_of(f, 6);

    (void)state;
    for (int n = 0; n < 16; n++) {
        SnQuantOpts o = {.rewrite = sn_rewrite_defaults,
                         .rowwise = n >> 2 & 1,
                         .bias8 = n >> 3};
        o.control.all.schema = s[n & 3];
        advice(f, p, &o, 1);
        if (n & 1)
            sn_control_keep_float(a, &o.control, "--keep-float", "y");
        else
            o.control.all.precision = SN_INT16;
        advice(f, p, &o, 1);
    }
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(lowered_or_kept),
        T(normalize_lowered_or_kept),
        T(batch_of_profile),
        T(int16_node),
        T(int16_all),
        T(int16_narrow),
        T(float_node),
        T(unify),
        T(unify_residual),
        T(compare_local),
        T(compare_weights_and_threads),
        T(compare_itself),
        T(advice_is_measured),
        T(advice_reads_settings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
