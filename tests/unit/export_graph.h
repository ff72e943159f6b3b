// SPDX-License-Identifier: Apache-2.0
/* Graphs from text as ONNX models, and back: for tests of export. */
#ifndef SN_EXPORT_GRAPH_H
#define SN_EXPORT_GRAPH_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "graph/text/text.h"
#include "onnx.pb-c.h"
#include "onnx/export/export.h"
#include "onnx/import.h"
#include "rewrite/rewrite.h"
#include "run/exec.h"

static SnArena *A;
static SnDiag *D;

static inline int
setup(void **state)
{
    (void)state;
    A = sn_arena_new();
    D = sn_diag_new(A);
    return 0;
}

static inline int
teardown(void **state)
{
    (void)state;
    sn_arena_free(A);
    return 0;
}

/* A graph "t" of these lines. */
static inline SnGraph *
graph(const char *lines)
{
    SnSrc *src = SN_NEW(A, SnSrc);
    SnGraph *g = NULL;

    src->name = "t.sn";
    src->text = sn_format(A, "sinter-graph 1\ngraph \"t\" {\n%s}\n", lines);
    src->nbyte = strlen(src->text);
    if (sn_parse(A, src, NULL, D, &g) != SN_OK)
        fail_msg("%s", sn_diag_text(D, A));
    return g;
}

/* Dimensions that ONNX's operators want of inputs which are no data: what ONNX
 * Runtime refuses to load otherwise. */
static inline void
check_ranks(const Onnx__ModelProto *m)
{
    static const struct {
        const char *op;
        size_t first, last;
        size_t least, most;
    } want[] = {
        {"BatchNormalization", 1, 4, 1, 1},
        {"Clip", 1, 2, 0, 0},
        {"Conv", 2, 2, 1, 1},
        {"ConvTranspose", 2, 2, 1, 1},
        {"DequantizeLinear", 1, 2, 0, 1},
        {"Expand", 1, 1, 1, 1},
        {"Gemm", 0, 1, 2, 2},
        {"LayerNormalization", 1, 2, 1, 1},
        {"Pad", 1, 1, 1, 1},
        {"Pad", 2, 2, 0, 0},
        {"QLinearConv", 8, 8, 1, 1},
        {"QuantizeLinear", 1, 2, 0, 1},
        {"ReduceSum", 1, 1, 1, 1},
        {"Reshape", 1, 1, 1, 1},
        {"Resize", 2, 3, 1, 1},
        {"Slice", 1, 4, 1, 1},
        {"Tile", 1, 1, 1, 1},
        {"TopK", 1, 1, 1, 1},
    };

    for (size_t i = 0; i < m->graph->n_node; i++)
        for (size_t w = 0; w < sizeof want / sizeof *want; w++) {
            const Onnx__NodeProto *d = m->graph->node[i];
            if (strcmp(d->op_type, want[w].op) != 0)
                continue;
            for (size_t k = want[w].first; k <= want[w].last && k < d->n_input;
                 k++)
                for (size_t t = 0; t < m->graph->n_initializer; t++) {
                    const Onnx__TensorProto *c = m->graph->initializer[t];
                    if (strcmp(c->name, d->input[k]) == 0 &&
                        (c->n_dims < want[w].least || c->n_dims > want[w].most))
                        fail_msg("input %zu of %s, '%s', has %zu dimensions", k,
                                 d->op_type, c->name, c->n_dims);
                }
        }
}

static inline Onnx__ModelProto *
model(const SnGraph *g, SnOnnxForm form, int opset, void **p, size_t *n)
{
    SnOnnxExport o = {.form = form, .opset = opset};
    Onnx__ModelProto *m;

    if (sn_onnx_pack(A, g, &o, "t.onnx", D, p, n) != SN_OK)
        fail_msg("%s", sn_diag_text(D, A));
    m = onnx__model_proto__unpack(NULL, *n, *p);
    assert_non_null(m);
    check_ranks(m);
    return m;
}

static inline void
put_attr(SnBuf *b, const Onnx__AttributeProto *a)
{
    sn_putf(b, " %s=", a->name);
    if (a->has_i)
        sn_putf(b, "%" PRId64, a->i);
    if (a->has_f)
        sn_put_f32(b, a->f);
    if (a->has_s)
        sn_putn(b, (const char *)a->s.data, a->s.len);
    for (size_t i = 0; i < a->n_ints; i++)
        sn_putf(b, "%s%" PRId64, i > 0 ? "," : "", a->ints[i]);
}

/* One line for each node: "y = Op(a, b) attr=1". */
static inline const char *
nodes(const char *lines, SnOnnxForm form)
{
    void *p;
    size_t n;
    Onnx__ModelProto *m = model(graph(lines), form, 0, &p, &n);
    SnBuf b;

    sn_buf_init(&b, A);
    for (size_t i = 0; i < m->graph->n_node; i++) {
        const Onnx__NodeProto *d = m->graph->node[i];
        assert_string_equal(d->name, d->output[0]);
        for (size_t k = 0; k < d->n_output; k++)
            sn_putf(&b, "%s%s", k > 0 ? ", " : "", d->output[k]);
        sn_putf(&b, " = %s(", d->op_type);
        for (size_t k = 0; k < d->n_input; k++)
            sn_putf(&b, "%s%s", k > 0 ? ", " : "", d->input[k]);
        sn_putc(&b, ')');
        for (size_t k = 0; k < d->n_attribute; k++)
            put_attr(&b, d->attribute[k]);
        sn_putc(&b, '\n');
    }
    onnx__model_proto__free_unpacked(m, NULL);
    return sn_buf_str(&b);
}

/* The initializer of this name: "2[3] 1 2 3" is its type, shape, bytes. */
static inline const char *
initializer(const char *lines, SnOnnxForm form, const char *name)
{
    void *p;
    size_t n;
    Onnx__ModelProto *m = model(graph(lines), form, 0, &p, &n);
    SnBuf b;

    sn_buf_init(&b, A);
    for (size_t i = 0; i < m->graph->n_initializer; i++) {
        const Onnx__TensorProto *t = m->graph->initializer[i];
        if (strcmp(t->name, name) != 0)
            continue;
        sn_putf(&b, "%d[", t->data_type);
        for (size_t k = 0; k < t->n_dims; k++)
            sn_putf(&b, "%s%" PRId64, k > 0 ? "," : "", t->dims[k]);
        sn_putc(&b, ']');
        for (size_t k = 0; k < t->raw_data.len; k++)
            sn_putf(&b, " %d", t->raw_data.data[k]);
    }
    onnx__model_proto__free_unpacked(m, NULL);
    return sn_buf_str(&b);
}

static inline void
refused(const char *lines, SnOnnxForm form, int opset, const char *text)
{
    SnOnnxExport o = {.form = form, .opset = opset};
    SnGraph *g = graph(lines);
    void *p;
    size_t n;

    assert_int_equal(sn_onnx_pack(A, g, &o, "t.onnx", D, &p, &n),
                     SN_EUNSUPPORTED);
    assert_string_equal(sn_diag_text(D, A), text);
}

/* ---- running ---- */

typedef struct Outputs {
    uint32_t n;
    size_t nbyte[4];
    const void *data[4];
} Outputs;

/* Outputs for seeded inputs: reals within 2, or any codes. */
static inline Outputs
outputs(const SnGraph *g)
{
    const SnExec *x;
    SnRun *r;
    Outputs o = {0};
    uint32_t z = 7;

    if (sn_exec_prepare(A, g, NULL, D, &x) != SN_OK)
        fail_msg("%s", sn_diag_text(D, A));
    r = sn_run_new(A, x);
    for (uint32_t i = 0; i < x->ninput; i++) {
        const SnPort *q = &x->input[i];
        int64_t n = sn_shape_count(q->shape);
        for (int64_t k = 0; k < n; k++) {
            z = z * 1664525u + 1013904223u;
            if (q->type->elem == SN_F32)
                ((float *)sn_run_input(r, i))[k] =
                    (float)(int32_t)z / 1073741824.0f;
            else
                ((int8_t *)sn_run_input(r, i))[k] = (int8_t)(z >> 24);
        }
    }
    assert_int_equal(sn_run(r), SN_OK);
    o.n = x->noutput;
    for (uint32_t i = 0; i < x->noutput && i < 4; i++) {
        o.nbyte[i] = sn_tensor_nbyte(x->output[i].type, x->output[i].shape);
        o.data[i] = sn_memdup(A, sn_run_output(r, i), o.nbyte[i]);
    }
    sn_run_free(r);
    return o;
}

/* What is written imports and becomes a graph that computes the same codes. */
static inline SnGraph *
form_back(const char *lines, SnOnnxForm form)
{
    SnGraph *g = graph(lines), *back;
    SnOnnxExport e = {.form = form};
    Outputs x = outputs(g), y;
    SnRewriter *rw = sn_rewriter_new(A, &sn_rewrite_defaults, D);
    void *p, *again;
    size_t n = 0, nagain = 0;

    if (sn_onnx_pack(A, g, &e, "t.onnx", D, &p, &n) != SN_OK ||
        sn_onnx_pack(A, g, &e, "t.onnx", D, &again, &nagain) != SN_OK)
        fail_msg("%s", sn_diag_text(D, A));
    assert_int_equal(n, nagain);
    assert_memory_equal(p, again, n);
    Onnx__ModelProto *m = onnx__model_proto__unpack(NULL, n, p);
    assert_non_null(m);
    check_ranks(m);
    onnx__model_proto__free_unpacked(m, NULL);
    if (sn_onnx_parse(A, "t.onnx", NULL, p, n, NULL, D, &back) != SN_OK ||
        sn_rewrite(rw, back, "optimize") != SN_OK)
        fail_msg("%s", sn_diag_text(D, A));
    assert_int_equal(sn_verify(back, D), SN_OK);
    y = outputs(back);
    assert_int_equal(x.n, y.n);
    for (uint32_t i = 0; i < x.n; i++) {
        assert_int_equal(x.nbyte[i], y.nbyte[i]);
        assert_memory_equal(x.data[i], y.data[i], x.nbyte[i]);
    }
    return back;
}

/* Both forms; the graph that the QDQ form becomes. */
static inline SnGraph *
comes_back(const char *lines)
{
    form_back(lines, SN_ONNX_QOPERATOR);
    return form_back(lines, SN_ONNX_QDQ);
}

static inline uint32_t
count_kind(const SnGraph *g, const char *kind)
{
    uint32_t n = 0;

    for (SnId id = 1; id < g->nnode; id++)
        n += !sn_node(g, id)->dead &&
             sn_node(g, id)->kind == sn_kind_named(kind);
    return n;
}

/* ---- graphs ---- */

#define PICTURE                                       \
    "  %x = Placeholder() : f32[1,2,4,4]\n"           \
    "  %x.q = Quantize(%x) : qi8<0.02, 3>[1,2,4,4]\n" \
    "  %x.t = Transpose(%x.q) {perm = [0,2,3,1]} : qi8<0.02, 3>[1,4,4,2]\n"
#define CONV                                                             \
    PICTURE                                                              \
    "  %w = Constant() {data = [1,2,3,4, 5,6,7,8]} : "                   \
    "qi8<axis=0, [0.5, 0.25], [0, 0]>[2,1,2,2]\n"                        \
    "  %b = Constant() {data = [9, -9]} : "                              \
    "qi32<axis=0, [0.01, 0.005], [0, 0]>[2]\n"                           \
    "  %y = ChannelwiseConv2D(%x.t, %w, %b) {kernel = [1,2], "           \
    "clamp = [-5, 100]} : qi8<0.05, -5>[1,4,3,2]\n"                      \
    "  %p = MaxPool(%y) {kernel = [2,2]} : qi8<0.05, -5>[1,3,2,2]\n"     \
    "  %t = Transpose(%p) {perm = [0,3,1,2]} : qi8<0.05, -5>[1,2,3,2]\n" \
    "  %f = Reshape(%t) {dims = [1,12]} : qi8<0.05, -5>[1,12]\n"         \
    "  %out = Dequantize(%f) : f32[1,12]\n"                              \
    "  Save(%out) {name = \"y\"}\n"
#define SUM(attr)                                     \
    "  %a = Placeholder() : qi8<0.25, 3>[1,4]\n"      \
    "  %b = Placeholder() : qi8<0.5, -7>[1,4]\n"      \
    "  %y = Add(%a, %b)" attr " : qi8<0.5, 5>[1,4]\n" \
    "  Save(%y) {name = \"y\"}\n"

#endif
