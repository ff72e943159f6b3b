// SPDX-License-Identifier: Apache-2.0
/* Tables of fused rows: packing, and sums over them against the float form. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graph/text/text.h"
#include "onnx/import.h"
#include "quant/quantize.h"
#include "quant/choose/row8.h"
#include "sn_kinds.h"
#include "unit/onnx_build.h"
/* Last: it names things at file scope. */
#include "unit/arena.h"

/* Rows of unlike range, one of a single value; each has its own scale. */
static void
packs(void **state)
{
    static const float v[3][4] = {
        {0, 1, 2, 255}, {-3, -3, -3, -3}, {-1, 0, 0.5f, 1}};
    uint8_t out[3 * 12];
    float p[2];

    (void)state;
    sn_row8_pack(&v[0][0], 3, 4, out);
    memcpy(p, out + 4, 8);
    assert_true(p[0] == 1 && p[1] == 0);
    assert_memory_equal(out, "\0\1\2\377", 4);
    memcpy(p, out + 16, 8);
    assert_true(p[0] == 1 && p[1] == -3);
    assert_memory_equal(out + 12, "\0\0\0\0", 4);
    memcpy(p, out + 28, 8);
    assert_true(p[0] == (float)(2.0 / 255) && p[1] == -1);
    assert_int_equal(out[24], 0);
    assert_int_equal(out[25], 127); /* 127.5 but for the scale, rounded up */
    assert_int_equal(out[26], 191); /* 191.25 */
    assert_int_equal(out[27], 255);
}

enum { ROWS = 7, COLS = 9, BAGS = 4, NIDX = 8 };
static const int64_t index_[NIDX] = {0, 6, 6, 3, 2, 1, 5, 4};
static const int64_t offset[BAGS + 1] = {0, 3, 3, 7, 8}; /* one is empty */
static const float weight[NIDX] = {1, -0.5f, 2, 0, 3, 1, -1, 0.25f};

/* A run of the graph, by evaluators. */
static SnRun *
run_of(const char *text)
{
    SnSrc src = {"rows", text, strlen(text), 0};
    const SnExec *x;
    SnGraph *g;

    if (sn_parse(a, &src, NULL, d, &g) != SN_OK || sn_verify(g, d) != SN_OK ||
        sn_exec_prepare(a, g, NULL, d, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return sn_run_new(a, x);
}

/* A bag of one: what lies beside its tap is a constant then, and rows must be
 * read whole all the same. */
static void
one_of_a_row(void **state)
{
    static const char text[] =
        "sinter-graph 1\ngraph \"one\" {\n"
        "  %t = Constant() {data = [8, 16, 0.5, 1, 32, 64, 0.25, -2]} : "
        "row8[2,2]\n"
        "  %i = Constant() {data = [1, 0, -1]} : i64[3,1]\n"
        "  %y = EmbeddingSum(%t, %i) : f32[3,2]\n"
        "  Save(%y) {name = \"out\"}\n}\n";
    static const float want[] = {6, 14, 5, 9, 6, 14};

    (void)state;
    SnRun *r = run_of(text);
    assert_int_equal(sn_run(r), SN_OK);
    assert_memory_equal(sn_run_output(r, 0), want, sizeof want);
    sn_run_free(r);
}

/* The offset that lies below the one before it is named, wherever it is. */
static void
descending(void **state)
{
    static const char text[] =
        "sinter-graph 1\ngraph \"d\" {\n"
        "  %t = Constant() {data = [1, 2]} : f32[2,1]\n"
        "  %i = Constant() {data = [1, 0, 1]} : i64[3]\n"
        "  %o = Constant() {data = [0, 2, 1, 3]} : i64[4]\n"
        "  %y = EmbeddingBag(%t, %i, %o) : f32[3,1]\n"
        "  Save(%y) {name = \"out\"}\n}\n";

    (void)state;
    SnRun *r = run_of(text);
    assert_int_not_equal(sn_run(r), SN_OK);
    assert_string_equal(r->why, "offset 1 leaves 0..3 or descends");
    sn_run_free(r);
}

/* Row r is 10^(r - 3) wide: one range for all would lose the small ones. */
static float
element(int r, int c)
{
    return (float)(pow(10, r - 3) * sin(1 + 3 * r + 2 * c));
}

static SnGraph *
bags(void)
{
    SnBuf b;
    SnSrc *src = SN_NEW(a, SnSrc);
    SnGraph *g;

    sn_buf_init(&b, a);
    sn_puts(&b, "sinter-graph 1\ngraph \"bags\" {\n"
                "  %index = Placeholder() : i64[8]\n"
                "  %offset = Placeholder() : i64[5]\n"
                "  %weight = Placeholder() : f32[8]\n"
                "  %table = Constant() {data = [");
    for (int i = 0; i < ROWS * COLS; i++) {
        sn_puts(&b, i ? ", " : "");
        sn_put_f32(&b, element(i / COLS, i % COLS));
    }
    sn_puts(&b,
            "]} : f32[7,9]\n"
            "  %sum = EmbeddingBag(%table, %index, %offset) : f32[4,9]\n"
            "  %wsum = WeightedEmbeddingBag(%table, %weight, %index, %offset)"
            " : f32[4,9]\n"
            "  Save(%sum) {name = \"sum\"}\n"
            "  Save(%wsum) {name = \"wsum\"}\n}\n");
    *src = (SnSrc){"bags", sn_buf_str(&b), b.n, 0};
    if (sn_parse(a, src, NULL, d, &g) != SN_OK || sn_verify(g, d) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return g;
}

static SnStatus
fill(void *ctx, int64_t sample, SnRun *r)
{
    (void)ctx;
    (void)sample;
    memcpy(sn_run_input(r, 0), index_, sizeof index_);
    memcpy(sn_run_input(r, 1), offset, sizeof offset);
    memcpy(sn_run_input(r, 2), weight, sizeof weight);
    return SN_OK;
}

static SnStatus
fill_index(void *ctx, int64_t sample, SnRun *r)
{
    (void)ctx;
    (void)sample;
    memcpy(sn_run_input(r, 0), index_, sizeof index_);
    return SN_OK;
}

static const SnExec *
exec_of(const SnGraph *g)
{
    const SnExec *x;

    if (sn_exec_prepare(a, g, NULL, d, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return x;
}

static SnRun *
run(const SnGraph *g)
{
    SnRun *r = sn_run_new(a, exec_of(g));

    fill(NULL, 0, r);
    if (sn_run(r) != SN_OK)
        fail_msg("%s", r->why);
    return r;
}

static SnQuantReport
quantized(SnGraph *g, bool rowwise)
{
    SnQuantOpts o = {.rewrite = sn_rewrite_defaults, .rowwise = rowwise};
    SnQuantReport rep = {0};
    SnRewriter *rw;
    SnProfile *p;

    o.rewrite.verify = true;
    if (sn_profile_run(a, exec_of(g), 1, 1, fill, NULL, sn_graph_hash(g, true),
                       d, &p) != SN_OK ||
        sn_quantize_graph(a, g, p, &o, &rw, d, &rep) != SN_OK ||
        sn_verify(g, d) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    return rep;
}

/* A row is off by half a step of its own at most (and a rounding of its
 * largest value); a bag by the sum of its rows, times their weights. */
static double
bound(int bag, bool weighted)
{
    double sum = 0;

    for (int64_t k = offset[bag]; k < offset[bag + 1]; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (int c = 0; c < COLS; c++) {
            double v = (double)element((int)index_[k], c);
            lo = fmin(lo, v);
            hi = fmax(hi, v);
        }
        double w = weighted ? fabs((double)weight[k]) : 1;
        sum += w * ((hi - lo) / 510 + 4e-7 * fmax(fabs(lo), fabs(hi)));
    }
    return sum;
}

static void
fused_sums(void **state)
{
    SnGraph *f = bags(), *q = bags();
    SnQuantReport rep = quantized(q, true);
    SnRun *rf = run(f), *rq = run(q);
    SnRef t = sn_find(q, "table.q");

    (void)state;
    assert_int_equal(rep.nfloat, 0);
    assert_int_equal(rep.nquant, 2);
    assert_true(t && sn_type(q, t)->elem == SN_ROW8);
    assert_int_equal(sn_find(q, "table"), 0); /* the float one is gone */
    for (uint32_t k = 0; k < 2; k++) {
        const float *x = sn_run_output(rf, k), *y = sn_run_output(rq, k);
        double most = 0;
        for (int i = 0; i < BAGS * COLS; i++) {
            double e = fabs((double)x[i] - (double)y[i]);
            assert_true(e <= bound(i / COLS, k == 1));
            most = fmax(most, e);
        }
        assert_true(most > 0);
        for (int c = 0; c < COLS; c++) /* the empty bag */
            assert_true(y[COLS + c] == 0);
        /* The last bag has one small row: it is still exact to 1/100. */
        for (int c = 0; c < COLS; c++)
            assert_true(fabs((double)y[3 * COLS + c] -
                             (double)x[3 * COLS + c]) < 10 / 255.0);
    }
    sn_run_free(rf);
    sn_run_free(rq);
}

static void
float_without_rowwise(void **state)
{
    SnGraph *g = bags();
    SnQuantReport rep = quantized(g, false);

    (void)state;
    assert_int_equal(rep.nfloat, 2);
    assert_string_equal(rep.left_float[0].why,
                        "operand 'table' gets fused "
                        "rows only where weights have a scale per row");
    assert_true(sn_type(g, sn_find(g, "table"))->elem == SN_F32);
}

/* Bags that are rows of the indices: the sums of EmbeddingBag with offsets at
 * every second index. */
static void
bags_of_one_size(void **state)
{
    static const char text[] =
        "  %index = Placeholder() : i64[4,2]\n"
        "  %flat = Reshape(%index) {dims = [8]} : i64[8]\n"
        "  %offset = Constant() {data = [0, 2, 4, 6, 8]} : i64[5]\n";
    SnBuf b;
    SnSrc *src = SN_NEW(a, SnSrc);
    SnGraph *g;

    (void)state;
    sn_buf_init(&b, a);
    sn_putf(&b,
            "sinter-graph 1\ngraph \"even\" {\n%s"
            "  %%table = Constant() {data = [",
            text);
    for (int i = 0; i < ROWS * COLS; i++) {
        sn_puts(&b, i ? ", " : "");
        sn_put_f32(&b, element(i / COLS, i % COLS));
    }
    sn_puts(&b, "]} : f32[7,9]\n"
                "  %sum = EmbeddingSum(%table, %index) : f32[4,9]\n"
                "  %bag = EmbeddingBag(%table, %flat, %offset) : f32[4,9]\n"
                "  Save(%sum) {name = \"sum\"}\n"
                "  Save(%bag) {name = \"bag\"}\n}\n");
    *src = (SnSrc){"even", sn_buf_str(&b), b.n, 0};
    if (sn_parse(a, src, NULL, d, &g) != SN_OK || sn_verify(g, d) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    for (int fused = 0; fused < 2; fused++) {
        SnProfile *p;
        SnQuantOpts o = {.rewrite = sn_rewrite_defaults, .rowwise = true};
        SnQuantReport rep;
        SnRewriter *rw;
        if (fused && (sn_profile_run(a, exec_of(g), 1, 1, fill_index, NULL, 0,
                                     d, &p) != SN_OK ||
                      sn_quantize_graph(a, g, p, &o, &rw, d, &rep) != SN_OK))
            fail_msg("%s", sn_diag_text(d, a));
        SnRun *r = sn_run_new(a, exec_of(g));
        fill_index(NULL, 0, r);
        if (sn_run(r) != SN_OK)
            fail_msg("%s", r->why);
        const float *x = sn_run_output(r, 0), *y = sn_run_output(r, 1);
        assert_memory_equal(x, y, 4 * COLS * sizeof *x);
        assert_true(fabs((double)x[2 * COLS]) > 0);
        /* rows counted from the end of the table */
        float want[4 * COLS];
        memcpy(want, x, sizeof want);
        fill_index(NULL, 0, r);
        int64_t *index = sn_run_input(r, 0);
        for (int k = 0; k < 8; k++)
            index[k] -= k % 3 ? ROWS : 0;
        if (sn_run(r) != SN_OK)
            fail_msg("%s", r->why);
        assert_memory_equal(x, want, sizeof want);
        assert_memory_equal(y, want, sizeof want);
        index[0] = -ROWS - 1;
        assert_int_not_equal(sn_run(r), SN_OK);
        sn_run_free(r);
    }
    assert_int_equal(sn_kind(g, sn_find(g, "sum")), SN_K_EMBEDDING_SUM);
    assert_true(sn_type(g, sn_in(g, SN_NODE(sn_find(g, "sum")), 0))->elem ==
                SN_ROW8);
}

/* A fused table survives the text form, byte for byte. */
static void
text_round_trip(void **state)
{
    SnGraph *q = bags(), *g;
    SnSrc *src = SN_NEW(a, SnSrc);
    SnBuf b, c;

    (void)state;
    quantized(q, true);
    sn_buf_init(&b, a);
    sn_print(q, &b, NULL, NULL);
    *src = (SnSrc){"again", sn_buf_str(&b), b.n, 0};
    if (sn_parse(a, src, NULL, d, &g) != SN_OK)
        fail_msg("%s", sn_diag_text(d, a));
    sn_buf_init(&c, a);
    sn_print(g, &c, NULL, NULL);
    assert_string_equal(sn_buf_str(&b), sn_buf_str(&c));
}

/* ---- from ONNX ---- */

typedef struct Aten {
    const char *domain; /* "": the main one */
    bool matrix;        /* two bags of four indices, without offsets */
    bool end;           /* offsets have the last bag's end */
    bool weighted;
    const char *attr; /* one set to `to` beside, or NULL */
    int64_t to;
    const char *outputs;
} Aten;

static SnStatus
import(const Aten *t, SnGraph **out)
{
    OnnxBuild *b = ob_new(a, 11);
    float v[ROWS * COLS];
    size_t n;

    if (*t->domain)
        ob_domain(b, t->domain, 1);
    for (int i = 0; i < ROWS * COLS; i++)
        v[i] = element(i / COLS, i % COLS);
    ob_init(b, "table", 1, "7x9", v, sizeof v);
    ob_input_of(b, "index", 7, t->matrix ? "2x4" : "8");
    if (!t->matrix)
        ob_input_of(b, "offset", 7, t->end ? "5" : "4");
    if (t->weighted)
        ob_input(b, "weight", t->matrix ? "2x4" : "8");
    Onnx__NodeProto *node =
        ob_node(b, "ATen",
                sn_format(a, "table index %s %s", t->matrix ? "_" : "offset",
                          t->weighted ? "weight" : "_"),
                t->outputs ? t->outputs : "sum");
    node->domain = own(a, t->domain);
    ob_str(b, node, "operator", "embedding_bag");
    ob_int(b, node, "sparse", 1);
    ob_int(b, node, "include_last_offset", t->end);
    if (t->attr)
        ob_int(b, node, t->attr, t->to);
    ob_output(b, "sum", NULL);
    if (t->outputs)
        ob_output_of(b, "more", 7, NULL);
    uint8_t *p = ob_pack(b, &n);
    SnStatus st = sn_onnx_parse(a, "bag", NULL, p, n, NULL, d, out);
    free(p);
    return st;
}

static SnStatus
fill_aten(void *ctx, int64_t sample, SnRun *r)
{
    const Aten *t = ctx;
    uint32_t k = 0;

    (void)sample;
    memcpy(sn_run_input(r, k++), index_, sizeof index_);
    if (!t->matrix)
        memcpy(sn_run_input(r, k++), offset,
               sizeof offset - (t->end ? 0 : sizeof *offset));
    if (t->weighted)
        memcpy(sn_run_input(r, k), weight, sizeof weight);
    return SN_OK;
}

/* Element c of the sum of the bag's rows, in the order of the indices. */
static float
bag_sum(const Aten *t, int bag, int c)
{
    int64_t from = t->matrix ? 4 * bag : offset[bag];
    int64_t to = t->matrix ? from + 4 : offset[bag + 1];
    double sum = 0;

    for (int64_t k = from; k < to; k++)
        sum += (double)element((int)index_[k], c) *
               (t->weighted ? (double)weight[k] : 1);
    return (float)sum;
}

static void
from_onnx(void **state)
{
    static const Aten form[] = {
        {.domain = "org.pytorch.aten"},
        {.domain = "", .end = true},
        {.domain = "org.pytorch.aten", .matrix = true},
        {.domain = "", .weighted = true},
        {.domain = "", .matrix = true, .weighted = true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof form / sizeof *form; i++) {
        Aten t = form[i];
        SnGraph *g;
        if (import(&t, &g) != SN_OK || sn_verify(g, d) != SN_OK)
            fail_msg("%s", sn_diag_text(d, a));
        assert_int_equal(sn_kind(g, sn_find(g, "sum")),
                         t.weighted ? SN_K_WEIGHTED_EMBEDDING_BAG
                                    : SN_K_EMBEDDING_BAG);
        SnRun *r = sn_run_new(a, exec_of(g));
        fill_aten(&t, 0, r);
        if (sn_run(r) != SN_OK)
            fail_msg("%s", r->why);
        const float *y = sn_run_output(r, 0);
        int nbag = t.matrix ? 2 : BAGS;
        assert_int_equal(sn_shape_count(r->x->output[0].shape), nbag * COLS);
        for (int k = 0; k < nbag * COLS; k++) /* f32 sums of large rows */
            assert_true(
                fabs((double)(y[k] - bag_sum(&t, k / COLS, k % COLS))) <=
                1e-6 * pow(10, ROWS - 4));
        sn_run_free(r);
        SnQuantOpts o = {.rewrite = sn_rewrite_defaults, .rowwise = true};
        SnQuantReport rep;
        SnRewriter *rw;
        SnProfile *p;
        if (sn_profile_run(a, exec_of(g), 1, 1, fill_aten, &t, 0, d, &p) !=
                SN_OK ||
            sn_quantize_graph(a, g, p, &o, &rw, d, &rep) != SN_OK)
            fail_msg("%s", sn_diag_text(d, a));
        assert_int_equal(rep.nfloat, 0);
        assert_true(sn_type(g, sn_find(g, "table.q"))->elem == SN_ROW8);
    }
}

static void
refused(Aten t, const char *why)
{
    SnGraph *g;

    assert_int_equal(import(&t, &g), SN_EUNSUPPORTED);
    assert_non_null(strstr(sn_diag_text(d, a), why));
}

static void
not_from_onnx(void **state)
{
    (void)state;
    refused((Aten){.domain = "", .attr = "mode", .to = 1},
            "mode 1 is not supported; 0, the sum, is");
    refused((Aten){.domain = "", .attr = "padding_idx", .to = 3},
            "a padding_idx (3) is not supported");
    refused((Aten){.domain = "", .outputs = "sum more"},
            "result 1 is used; only the sums, result 0, are supported");
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(packs),
        T(one_of_a_row),
        T(descending),
        T(fused_sums),
        T(float_without_rowwise),
        T(text_round_trip),
        T(bags_of_one_size),
        T(from_onnx),
        T(not_from_onnx),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
