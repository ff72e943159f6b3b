// SPDX-License-Identifier: Apache-2.0
/* Late Constants (graph/late/late.h): models give the bits that they give with
 * all weights copied at import, however a weight is read. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file/file.h"
#include "base/team/spread.h"
#include "graph/desc.h"
#include "graph/late/late.h"
#include "graph/text/text.h"
#include "kernel/eval/eval.h"
#include "onnx/import.h"
#include "rewrite/rewrite.h"
#include "run/exec.h"
#include "sn_kind_save.h"
#include "unit/onnx_line.h"
/* Last: it names things at file scope. */
#include "unit/arena.h"

/* ---- models ---- */

static const char *const models[] = {
    "trained/lenet_mnist/model.onnx",
    "trained/alexnet_lrn_cifar10/model.onnx",
    "trained/inception_lrn_cifar10/model.onnx",
    "trained/mobilenetv2_cifar10/model.onnx",
    "light/bvlc_alexnet_div16_random/model.onnx",
    "light/densenet121_div8_random/model.onnx",
    "light/inception_v1_div8_random/model.onnx",
    "light/resnet50_div8_random/model.onnx",
    "light/squeezenet_div8_random/model.onnx",
    "light/zfnet512_div16_random/model.onnx",
    "real/mlperf_autoencoder_ad_bn/model.onnx",
    "real/mlperf_mobilenetv1_vww_bn/model.onnx",
    "real/mnist_mlp_bn_pytorch/model.onnx",
    "real/super_resolution/model.onnx",
    "quantized/mlperf_resnet8_qdq/model.onnx",
    "quantized/mlp_shark_qdq/model.onnx",
    "modern/bert_o17.onnx",
    "modern/lstm_o17.onnx",
    "modern/vit_o17.onnx",
    "modern/whisper_o17.onnx",
    "modern/yolo_o17.onnx",
    "demo/fashion_lrn.onnx",
};

typedef struct Outputs {
    SnStatus status;
    uint32_t nlate; /* Constants that were late once imported */
    size_t n;
    uint8_t *v;
} Outputs;

static uint32_t
count_late(const SnGraph *g)
{
    uint32_t n = 0;

    for (SnId i = 1; i < g->nnode; i++)
        n += !sn_node(g, i)->dead && sn_is_late(sn_node(g, i));
    return n;
}

/* Reals from -1 to 1; other elements are 0. */
static void
draw_inputs(SnRun *r)
{
    uint32_t seed = 7;

    for (uint32_t i = 0; i < r->x->ninput; i++) {
        const SnPort *p = &r->x->input[i];
        int64_t n = sn_shape_count(p->shape);
        float *v = sn_run_input(r, i);
        memset(v, 0, sn_tensor_nbyte(p->type, p->shape));
        if (p->type->elem != SN_F32)
            continue;
        for (int64_t k = 0; k < n; k++) {
            seed = seed * 1664525 + 1013904223;
            v[k] = (float)(seed >> 8) / (1 << 23) - 1;
        }
    }
}

static void
take_outputs(const SnRun *r, Outputs *out)
{
    for (uint32_t i = 0; i < r->x->noutput; i++) {
        const SnPort *p = &r->x->output[i];
        size_t n = sn_tensor_nbyte(p->type, p->shape);
        out->v = realloc(out->v, out->n + n + 1);
        assert_non_null(out->v);
        memcpy(out->v + out->n, sn_run_output(r, i), n);
        out->n += n;
    }
}

typedef struct How {
    size_t late;         /* SnOnnxOpts */
    bool only;           /* sn_exec_prepare_only, and the pass `launch` */
    const char *backend; /* CPU or interp */
    const char *passes;  /* before that, or NULL */
    bool line;           /* the model is a line (unit/onnx_line.h), no path, */
    bool file;           /* which is written to a file */
} How;

/* Moves initializers to where no float can be: none serves as it lies. */
static void
displace(OnnxBuild *b)
{
    for (size_t i = 0; i < b->graph.n_initializer; i++) {
        ProtobufCBinaryData *t = &b->init[i]->raw_data;
        char *v = sn_alloc(b->a, t->len + 1);
        t->data = memcpy(v + 1, t->data, t->len);
    }
}

static SnStatus
import_file(SnArena *m, SnDiag *e, OnnxBuild *b, const SnOnnxOpts *opts,
            SnGraph **g)
{
    size_t n = onnx__model_proto__get_packed_size(&b->model);
    uint8_t *bytes = sn_alloc(m, n);
    char path[] = "late_XXXXXX";
    int fd = mkstemp(path);

    assert_true(fd >= 0 && close(fd) == 0);
    onnx__model_proto__pack(&b->model, bytes);
    assert_int_equal(sn_file_write(e, path, bytes, n), SN_OK);
    SnStatus s = sn_onnx_import(m, path, opts, e, g);
    assert_int_equal(unlink(path), 0);
    return s;
}

static SnStatus
import(SnArena *m, SnDiag *e, const char *model, How h, SnGraph **g)
{
    SnOnnxOpts opts = {.late = h.late};

    if (!h.line)
        return sn_onnx_import(m, model, &opts, e, g);
    OnnxBuild *b = ob_line(m, 17, model);
    if (h.file)
        return import_file(m, e, b, &opts, g);
    displace(b);
    return sn_onnx_message(m, "m.onnx", &b->model, &opts, e, g);
}

static SnStatus
run_in(SnArena *m, SnDiag *e, const char *model, How h, Outputs *out)
{
    SnRewriteOpts o = sn_rewrite_defaults;
    const SnExec *x;
    SnGraph *g;

    SN_TRY(import(m, e, model, h, &g));
    out->nlate = count_late(g);
    SN_TRY(sn_verify(g, e));
    o.backend = sn_backend_named(h.backend);
    if (h.passes)
        SN_TRY(sn_rewrite(sn_rewriter_new(m, &o, e), g, h.passes));
    if (h.only)
        SN_TRY(sn_launch(&o, m, g, e));
    if (h.only)
        SN_TRY(sn_exec_prepare_only(m, g, o.backend, NULL, NULL, e, &x));
    else
        SN_TRY(sn_exec_prepare(m, g, o.backend, e, &x));
    SnRun *r = sn_run_team(m, x, 2);
    draw_inputs(r);
    SN_TRY(sn_run(r));
    take_outputs(r, out);
    for (int i = 0; i < 2; i++) {
        Outputs again = {0};
        draw_inputs(r);
        SN_TRY(sn_run(r));
        take_outputs(r, &again);
        assert_int_equal(again.n, out->n);
        assert_memory_equal(again.v, out->v, out->n);
        free(again.v);
    }
    return SN_OK;
}

static Outputs
run(const char *model, How h)
{
    SnArena *m = sn_arena_new();
    SnDiag *e = sn_diag_new(m);
    Outputs out = {0};

    out.status = run_in(m, e, model, h, &out);
    if (out.status != SN_OK)
        print_error("%s: %s", model, sn_diag_text(e, a));
    sn_arena_free(m);
    return out;
}

/* The number of weights that were late. */
static uint32_t
compare(const char *model, How h)
{
    Outputs late = run(model, h);
    h.late = 0;
    Outputs copied = run(model, h);

    assert_int_equal(late.status, SN_OK);
    assert_int_equal(copied.status, SN_OK);
    assert_int_equal(copied.nlate, 0);
    assert_int_equal(late.n, copied.n);
    assert_memory_equal(late.v, copied.v, late.n);
    free(late.v);
    free(copied.v);
    return late.nlate;
}

/* Each model, with all its weights late, three ways. */
static void
models_give_the_same_bits(void **state)
{
    static const How how[] = {
        {1, true, "CPU", "profile", false, false},    /* as sinter run */
        {1, false, "CPU", "optimize", false, false},  /* hashes constants */
        {1, false, "interp", "profile", false, false} /* the evaluators */
    };
    const char *s = getenv("SHARED");
    const char *dir = sn_format(a, "%s/data", s != NULL ? s : "../shared");
    uint32_t nlate = 0;

    (void)state;
    if (!sn_file_exists(dir))
        skip();
    for (size_t k = 0; k < sizeof how / sizeof how[0]; k++)
        for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
            nlate += compare(sn_path_join(a, dir, models[i]), how[k]);
    assert_true(nlate > 100);
}

/* The first kernel packs its weights in their own memory, but not where late
 * weights of the second one are still to be made of them. */
static void
two_orders_of_a_copy(void **state)
{
    static const char model[] =
        "x f32 1x576x4x4; w f32 576x128x1x1 = 0.5 -1 2 0.25 3 -0.75 1.5;"
        "as i64 4 = 128 64 3 3; half i64 4 = 1 64 4 8;"
        "t = Transpose w perm=1,0,2,3; r = Reshape t as; y = Conv x t;"
        "v = Reshape y half; z = Conv v r; > y f32 1x128x4x4; "
        "> z f32 1x128x2x6";

    (void)state;
    assert_int_equal(
        compare(model, (How){1, true, "CPU", "profile", true, false}), 1);
}

static const char *const lines[] = {
#include "unit/late_lines.inc"
};

/* Weights beside moves of axes, read by kernels and by evaluators, by several
 * nodes, folded, and as outputs. */
static void
lines_give_the_same_bits(void **state)
{
    static const How how[] = {{1, true, "CPU", "profile", true, false},
                              {1, false, "CPU", "optimize", true, false},
                              {1, true, "interp", "profile", true, false},
                              {1, true, "CPU", "profile", true, true}};
    uint32_t nlate = 0;

    (void)state;
    for (size_t k = 0; k < sizeof how / sizeof how[0]; k++)
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
            nlate += compare(lines[i], how[k]);
    assert_true(nlate > 100);
}

/* ---- graphs ---- */

/* MANY rows are shared among threads. */
enum { ROWS = 16, MANY = 2000, COLUMNS = 512, COUNT = ROWS * COLUMNS };

/* Row i holds i * COLUMNS on. */
static void
count_rows(const SnLate *l, int64_t i0, int64_t i1, void *to, void *work)
{
    float *v = to;

    (void)l;
    memset(work, 255, (size_t)((i1 - i0) * COLUMNS) * sizeof *v);
    for (int64_t i = i0 * COLUMNS; i < i1 * COLUMNS; i++)
        *v++ = (float)i;
}

static void
count_elements(const SnLate *l, int64_t i0, int64_t i1, void *to, void *work)
{
    float *v = to;

    (void)l;
    (void)work;
    for (; i0 < i1; i0++)
        *v++ = (float)i0;
}

static SnRef
late_constant(SnGraph *g, SnLate **out)
{
    const SnType *t = sn_type_plain(g->pool, SN_F32);
    const SnShape *s = sn_shape(g->pool, 2, (int64_t[]){ROWS, COLUMNS});
    SnLate *l = SN_NEW(a, SnLate);
    SnSpec spec = {.kind = sn_kind_named("Constant"),
                   .type = &t,
                   .shape = s,
                   .borrow = true,
                   .late = l};

    assert_true(sn_late_init(l, a, count_rows, t, s, &spec.data));
    *out = l;
    return SN_REF(sn_add(g, &spec, NULL), 0);
}

static SnRef
add(SnGraph *g, const char *kind, uint32_t nin, const SnRef *in)
{
    const SnType *t = sn_type_plain(g->pool, SN_F32);
    SnSpec s = {.kind = sn_kind_named(kind), .nin = nin, .in = in, .type = &t};

    return SN_REF(sn_add(g, &s, d), 0);
}

static void
save(SnGraph *g, SnRef v, const char *name)
{
    SnSaveAttr at = {.name = name};
    SnSpec s = {.kind = sn_kind_named("Save"), .nin = 1, .in = &v, .attr = &at};

    sn_add(g, &s, d);
}

static void
made_when_read(void **state)
{
    SnGraph *g = sn_graph_new(a, "g");
    SnLate *l;
    SnRef v = late_constant(g, &l);
    SnNode *n = sn_def(g, v);
    const void *place = n->data;

    (void)state;
    assert_true(sn_is_late(n));
    assert_false(n->own);
    assert_ptr_equal(sn_node_data(g, SN_NODE(v)), place);
    assert_false(sn_is_late(n));
    assert_true(n->own);
    const float *p = n->data;
    for (int i = 0; i < COUNT; i++)
        assert_true(p[i] == (float)i);
}

/* A sum with a row, of one that is late. */
static void
folding_keeps_it_late(void **state)
{
    float row[COLUMNS];
    SnGraph *g = sn_graph_new(a, "g");
    const SnType *t = sn_type_plain(g->pool, SN_F32);
    SnLate *l;
    SnRef v = late_constant(g, &l);

    (void)state;
    for (int i = 0; i < COLUMNS; i++)
        row[i] = (float)(3 * i);
    SnSpec s = {.kind = sn_kind_named("Constant"),
                .type = &t,
                .shape = sn_shape(g->pool, 1, (int64_t[]){COLUMNS}),
                .data = row};
    SnRef in[] = {v, SN_REF(sn_add(g, &s, d), 0)};
    SnRef sum = add(g, "Add", 2, in);
    SnRef twice = add(g, "Add", 2, (SnRef[]){sum, sum});
    sum = sn_fold(g, sum);
    assert_true(sn_is_late(sn_def(g, sum)));
    assert_true(sn_is_late(sn_def(g, v)));
    const float *p = sn_node_data(g, SN_NODE(sum));
    for (int i = 0; i < COUNT; i++)
        assert_true(p[i] == (float)i + row[i % COLUMNS]);
    twice = sn_fold(g, twice);
    p = sn_node_data(g, SN_NODE(twice));
    assert_true(p[COUNT - 1] == 2 * ((float)(COUNT - 1) + row[COLUMNS - 1]));
    assert_false(sn_is_late(sn_def(g, v)));
}

/* The Constant that is the operand of the Save `name`. */
static const float *
saved(const SnGraph *g, const char *name)
{
    for (SnId i = 1; i < g->nnode; i++) {
        const SnNode *n = sn_node(g, i);
        if (!n->dead && n->kind == sn_kind_named("Save") &&
            strcmp(((const SnSaveAttr *)n->attr)->name, name) == 0)
            return sn_node_data(g, SN_NODE(n->in[0].ref));
    }
    return NULL;
}

static void
copy_rows(const SnLate *l, int64_t i0, int64_t i1, void *to, void *work)
{
    size_t row = l->nbyte / (size_t)l->nrow;

    memset(work, 255, (size_t)(i1 - i0) * row);
    memcpy(to, (const char *)l->at + (size_t)i0 * row, (size_t)(i1 - i0) * row);
}

/* Folding writes its second result over a Constant that nothing else reads, but
 * not where rows of the first one are still to be made of it: not over w, nor
 * over what is added to w. */
static void
folding_keeps_what_it_reads(void **state)
{
    enum { DEPTH = 8, SIZE = ROWS * 4 * COLUMNS };
    const SnType *t;
    SnGraph *g = sn_graph_new(a, "g");
    SnLate *l = SN_NEW(a, SnLate);
    float *w = SN_NEW_N(a, float, DEPTH *SIZE), *m = SN_NEW_N(a, float, SIZE);

    (void)state;
    t = sn_type_plain(g->pool, SN_F32);
    for (int i = 0; i < DEPTH * SIZE; i++)
        w[i] = (float)i;
    for (int i = 0; i < SIZE; i++)
        m[i] = (float)(3 * i);
    SnSpec s = {.kind = sn_kind_named("Constant"),
                .type = &t,
                .shape =
                    sn_shape(g->pool, 3, (int64_t[]){DEPTH, ROWS * 4, COLUMNS}),
                .data = w,
                .borrow = true,
                .own = true,
                .late = l};
    sn_late_from(l, copy_rows, t, s.shape, w);
    SnRef a0 = SN_REF(sn_add(g, &s, d), 0);
    s.shape = sn_shape(g->pool, 2, (int64_t[]){ROWS * 4, COLUMNS});
    s.data = m;
    s.late = NULL;
    SnRef a1 = SN_REF(sn_add(g, &s, d), 0);
    save(g, add(g, "Add", 2, (SnRef[]){a0, a1}), "late");
    save(g, add(g, "Abs", 1, &a0), "w");
    save(g, add(g, "Neg", 1, &a1), "m");
    SnRewriter *rw = sn_rewriter_new(a, &sn_rewrite_defaults, d);
    assert_int_equal(sn_rewrite(rw, g, "fold"), SN_OK);
    assert_true(count_late(g) > 0);
    const float *late = saved(g, "late"), *neg = saved(g, "m");
    assert_true(neg[1] == -3);
    for (int i = 0; i < DEPTH * SIZE; i++)
        assert_true(late[i] == (float)i + (float)(3 * (i % SIZE)));
}

/* rows * COLUMNS reals, late or not. */
static SnRef
constant(SnGraph *g, int rank, int64_t rows, bool late)
{
    const SnType *t = sn_type_plain(g->pool, SN_F32);
    int64_t dim[] = {rows, COLUMNS};
    const SnShape *s = sn_shape(g->pool, rank, rank == 1 ? &dim[1] : dim);
    SnLate *l = SN_NEW(a, SnLate);
    SnSpec spec = {.kind = sn_kind_named("Constant"), .type = &t, .shape = s};
    float *v = SN_NEW_N(a, float, rows *COLUMNS);

    l->nrow = 0;
    for (int64_t i = 0; i < rows * COLUMNS; i++)
        v[i] = (float)i;
    spec.data = v;
    if (late) {
        assert_true(sn_late_init(l, a, rank == 1 ? count_elements : count_rows,
                                 t, s, &spec.data));
        spec.borrow = true;
        spec.late = l;
    }
    return SN_REF(sn_add(g, &spec, d), 0);
}

/* A normalization whose kernel keeps addresses, products that pack weights, an
 * operand that is read at run time, one that two nodes read, and one that is an
 * output. */
static Outputs
run_readers(bool late)
{
    SnGraph *g = sn_graph_new(a, "g");
    const SnType *t = sn_type_plain(g->pool, SN_F32);
    SnSpec s = {.kind = sn_kind_named("Placeholder"),
                .type = &t,
                .shape = sn_shape(g->pool, 2, (int64_t[]){ROWS, COLUMNS})};
    SnRef x = SN_REF(sn_add(g, &s, d), 0), v[4], w, two;
    Outputs out = {0};
    const SnExec *e;

    for (int i = 0; i < 4; i++)
        v[i] = constant(g, 1, 1, late);
    SnRef n =
        add(g, "BatchNormalization", 5, (SnRef[]){x, v[0], v[1], v[2], v[3]});
    w = constant(g, 2, MANY, late);
    save(g, add(g, "FullyConnected", 2, (SnRef[]){n, w}), "product");
    w = constant(g, 2, ROWS, late);
    save(g, add(g, "Add", 2, (SnRef[]){n, w}), "sum");
    two = constant(g, 2, ROWS, late);
    save(g, add(g, "FullyConnected", 2, (SnRef[]){n, two}), "one");
    save(g, add(g, "Add", 2, (SnRef[]){n, two}), "other");
    w = constant(g, 2, ROWS, late);
    save(g, w, "constant");
    out.nlate = count_late(g);
    sn_spread_use(late ? sn_spread_new(a, 3) : NULL);
    SnStatus st =
        sn_exec_prepare_only(a, g, sn_backend_named("CPU"), NULL, NULL, d, &e);
    sn_spread_use(NULL);
    assert_int_equal(st, SN_OK);
    SnRun *r = sn_run_team(a, e, 2);
    draw_inputs(r);
    assert_int_equal(sn_run(r), SN_OK);
    take_outputs(r, &out);
    return out;
}

static void
however_it_is_read(void **state)
{
    Outputs late = run_readers(true), plain = run_readers(false);

    (void)state;
    assert_int_equal(late.nlate, 8);
    assert_int_equal(late.n, plain.n);
    assert_memory_equal(late.v, plain.v, plain.n);
    free(late.v);
    free(plain.v);
}

/* A copy of a graph has data that it can read. */
static void
cloning_makes_it(void **state)
{
    SnGraph *g = sn_graph_new(a, "g"), *c;
    SnLate *l;
    SnRef v = late_constant(g, &l);
    SnSaveAttr at = {.name = "y"};
    SnSpec s = {.kind = sn_kind_named("Save"), .nin = 1, .in = &v, .attr = &at};

    (void)state;
    sn_add(g, &s, d);
    c = sn_graph_clone(g, a);
    assert_int_equal(count_late(c), 0);
    for (SnId i = 1; i < c->nnode; i++)
        if (sn_node(c, i)->data)
            assert_true(((const float *)sn_node(c, i)->data)[COUNT - 1] ==
                        (float)(COUNT - 1));
}

/* The text has its elements. */
static void
printing_makes_it(void **state)
{
    SnGraph *g = sn_graph_new(a, "g");
    SnLate *l;
    SnBuf t;

    (void)state;
    save(g, late_constant(g, &l), "y");
    sn_buf_init(&t, a);
    sn_print(g, &t, NULL, NULL);
    assert_non_null(strstr(sn_buf_str(&t), "8190, 8191]"));
    assert_int_equal(count_late(g), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(models_give_the_same_bits, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(made_when_read, setup, teardown),
        cmocka_unit_test_setup_teardown(folding_keeps_it_late, setup, teardown),
        cmocka_unit_test_setup_teardown(lines_give_the_same_bits, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(two_orders_of_a_copy, setup, teardown),
        cmocka_unit_test_setup_teardown(folding_keeps_what_it_reads, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(however_it_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(cloning_makes_it, setup, teardown),
        cmocka_unit_test_setup_teardown(printing_makes_it, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
