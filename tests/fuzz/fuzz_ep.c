// SPDX-License-Identifier: Apache-2.0
/* The execution provider in a runtime of our own (tests/ep/fake.h): the input
 * is a graph of up to six nodes, with types and shapes that contradict each
 * other at will, and what a caller hands over.  Each part that is claimed is
 * compiled and run twice, with memory of exactly what the runtime has for it;
 * results are the same, and nothing stays held. */
#include "fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "ep/fake.h"

enum { NGIVEN = 6, NMADE = 2, NVALUE = NGIVEN + NMADE * FAKE_NNODE, NPORT = 8 };

/* With how many operands they usually have. */
static const struct {
    const char *name;
    unsigned nin;
} ops[] = {
    {"Add", 2},       {"Sub", 2},         {"Mul", 2},
    {"Relu", 1},      {"Conv", 3},        {"Gemm", 3},
    {"MatMul", 2},    {"MaxPool", 1},     {"AveragePool", 1},
    {"Reshape", 2},   {"Transpose", 1},   {"Concat", 2},
    {"Slice", 4},     {"Gather", 2},      {"Pad", 2},
    {"Where", 3},     {"Cast", 1},        {"Clip", 3},
    {"Max", 2},       {"Softmax", 1},     {"Split", 1},
    {"Shape", 1},     {"Expand", 2},      {"QuantizeLinear", 3},
    {"Abs", 1},       {"ReduceMax", 1},   {"DequantizeLinear", 3},
    {"Squeeze", 2},   {"Flatten", 1},     {"ConvInteger", 2},
    {"LeakyRelu", 1}, {"QLinearConv", 8},
};
static const char *const attrs[] = {
    "axis", "perm",     "kernel_shape", "pads",  "strides", "to",
    "axes", "keepdims", "dilations",    "group", "transB",  "value",
};
static const char *const names[NVALUE] = {"a", "b", "c", "d", "e", "f",
                                          "g", "h", "i", "j", "k", "l",
                                          "m", "n", "o", "p", "q", "r"};

typedef struct Draw {
    const uint8_t *p, *end;
} Draw;

typedef struct Case {
    Draw d;
    SnArena *a;
    OrtValueInfo value[NVALUE];
    bool constant[NVALUE];
    OrtNode node[FAKE_NNODE];
    OrtGraph g;
} Case;

static unsigned
next(Draw *d, unsigned n)
{
    return d->p < d->end ? *d->p++ % n : 0;
}

/* Memory of exactly n bytes, whose end the address sanitizer sees. */
static SnArena *memory;

static void *
exactly(size_t n)
{
    void *p = malloc(n);

    if (!p)
        abort();
    sn_arena_at_free(memory, free, p);
    return p;
}

static size_t
size_of(int type)
{
    static const size_t size[] = {0, 4, 1, 1, 2, 2, 4, 8, 0, 1, 2, 8};

    return size[type];
}

/* Bytes of a tensor of that type: reals and indices are small. */
static void *
content(Draw *d, int type, size_t n)
{
    uint8_t *p = exactly(n);

    memset(p, 0, n);
    for (size_t i = 0; i < n; i += type == 1 ? 4 : type == 7 ? 8 : 1) {
        float x = (float)next(d, 256) / 16 - 8;
        int64_t k = (int64_t)next(d, 10) - 2;
        if (type == 1)
            memcpy(p + i, &x, i + 4 <= n ? 4 : 0);
        else if (type == 7)
            memcpy(p + i, &k, i + 8 <= n ? 8 : 0);
        else
            p[i] = type == 9 ? (uint8_t)(next(d, 2)) : (uint8_t)next(d, 256);
    }
    return p;
}

/* Its bytes, where no dimension is free. */
static size_t
nbyte_of(const OrtValueInfo *v)
{
    size_t n = size_of(v->type);

    for (size_t i = 0; i < v->rank; i++)
        n *= (size_t)(v->dim[i] > 0 ? v->dim[i] : 0);
    return n;
}

/* Reals of two rows, if nothing else is drawn. */
static void
draw_value(Case *c, int i)
{
    static const int types[] = {1, 1, 1, 1, 1, 1, 3, 7};
    static const int64_t usual[] = {2, 3, 4, 4}, dims[] = {-1, 0, 1, 2, 3, 4};
    OrtValueInfo *v = &c->value[i];

    v->name = names[i];
    v->type = types[next(&c->d, 8)];
    v->rank = 2 + next(&c->d, 3);
    if (next(&c->d, 6) == 5)
        v->rank = next(&c->d, 5);
    for (size_t k = 0; k < v->rank; k++)
        v->dim[k] = next(&c->d, 6) ? usual[k] : dims[next(&c->d, 6)];
    c->constant[i] = next(&c->d, 3) == 1;
    if (!c->constant[i])
        return;
    for (size_t k = 0; k < v->rank; k++)
        v->dim[k] = v->dim[k] < 0 ? 2 : v->dim[k];
    v->nbyte = nbyte_of(v);
    v->data = content(&c->d, v->type, v->nbyte);
}

/* A result: like operand x, of sizes that are not known, as a rule. */
static void
draw_result(Case *c, int i, const OrtValueInfo *x)
{
    static const int types[] = {1, 2, 3, 6, 7, 9};
    OrtValueInfo *v = &c->value[i];

    *v = (OrtValueInfo){.name = names[i], .type = x ? x->type : 1, .rank = 2};
    v->rank = x ? x->rank : 2;
    if (next(&c->d, 5) == 4)
        v->type = types[next(&c->d, 6)];
    if (next(&c->d, 7) == 6)
        v->rank = next(&c->d, 5);
    for (size_t k = 0; k < v->rank; k++)
        v->dim[k] = next(&c->d, 7) == 6 ? (int64_t)next(&c->d, 4) : -1;
}

static void
draw_attr(Case *c, OrtNode *n)
{
    static const int types[] = {ORT_A_INT, ORT_A_INTS, ORT_A_INTS, ORT_A_TENSOR,
                                ORT_A_STRING};
    OrtOpAttr *at = SN_NEW(c->a, OrtOpAttr);
    unsigned which = next(&c->d, 3 * sizeof attrs / sizeof *attrs);

    if (which == 0 || which > sizeof attrs / sizeof *attrs)
        return;
    at->name = attrs[which - 1];
    at->type = types[next(&c->d, 5)];
    at->tensor = &c->value[next(&c->d, NGIVEN)];
    if (at->type == ORT_A_TENSOR && !at->tensor->data)
        return;
    at->n = at->type == ORT_A_INT ? 8 : 8 * (size_t)next(&c->d, 5);
    at->data = content(&c->d, 7, at->n);
    n->attr = at;
}

static void
draw_graph(Case *c)
{
    size_t nnode = 1 + next(&c->d, FAKE_NNODE);

    for (int i = 0; i < NGIVEN; i++)
        draw_value(c, i);
    for (size_t k = 0; k < nnode; k++) {
        unsigned op = next(&c->d, sizeof ops / sizeof *ops);
        OrtNode *n = &c->node[k];
        n->op = ops[op].name;
        n->nin = ops[op].nin;
        if (next(&c->d, 8) == 7)
            n->nin = next(&c->d, 5);
        for (size_t i = 0; i < n->nin; i++) {
            unsigned v = next(&c->d, NGIVEN + NMADE * (unsigned)k);
            v = c->value[v].name ? v : v - 1;
            n->in[i] = next(&c->d, 12) == 11 ? NULL : &c->value[v];
        }
        n->nout = 1 + (next(&c->d, 6) == 5);
        for (size_t i = 0; i < n->nout; i++) {
            draw_result(c, NGIVEN + NMADE * (int)k + (int)i, n->in[0]);
            n->out[i] = &c->value[NGIVEN + NMADE * k + i];
        }
        draw_attr(c, n);
        c->g.node[c->g.nnode++] = n;
    }
    c->g.out[c->g.nout++] = c->node[nnode - 1].out[0];
    c->g.out[c->g.nout++] = c->node[next(&c->d, (unsigned)nnode)].out[0];
}

/* ---- parts ---- */

static bool
is_among(const OrtValueInfo *v, const OrtNode *const *node, size_t n)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < node[k]->nout; i++)
            if (node[k]->out[i] == v)
                return true;
    return false;
}

/* false: no room for one more. */
static bool
put(const OrtValueInfo **list, size_t *n, const OrtValueInfo *v)
{
    for (size_t i = 0; i < *n; i++)
        if (list[i] == v)
            return true;
    if (*n == NPORT)
        return false;
    list[(*n)++] = v;
    return true;
}

static bool
is_wanted(const Case *c, const OrtValueInfo *v, const OrtNode *const *node,
          size_t n)
{
    for (size_t i = 0; i < c->g.nout; i++)
        if (c->g.out[i] == v)
            return true;
    for (size_t k = 0; k < c->g.nnode; k++) {
        bool inside = false;
        for (size_t m = 0; m < n; m++)
            inside = inside || node[m] == c->g.node[k];
        for (size_t i = 0; !inside && i < c->g.node[k]->nin; i++)
            if (c->g.node[k]->in[i] == v)
                return true;
    }
    return false;
}

/* The fused node of a part, and its graph. */
static bool
describe(const Case *c, const OrtNode *const *node, size_t n, OrtNode *fused,
         OrtGraph *g)
{
    bool ok = true;

    *fused = (OrtNode){.op = "fused"};
    *g = (OrtGraph){.nnode = n};
    for (size_t k = 0; k < n; k++) {
        g->node[k] = node[k];
        for (size_t i = 0; i < node[k]->nin; i++) {
            const OrtValueInfo *v = node[k]->in[i];
            if (v && !v->data && !is_among(v, node, n))
                ok = put(fused->in, &fused->nin, v) && ok;
        }
        for (size_t i = 0; i < node[k]->nout; i++)
            if (is_wanted(c, node[k]->out[i], node, n))
                ok = put(fused->out, &fused->nout, node[k]->out[i]) && ok;
    }
    memcpy(g->out, fused->out, sizeof g->out);
    g->nout = fused->nout;
    return ok;
}

static void
drop(OrtStatus *s)
{
    if (!s)
        return;
    if (!fake_text(s)[0])
        abort();
    fake_release(s);
}

/* One call; the results are in k. */
static bool
call(OrtCompute *k, const OrtNode *fused, OrtContext *x)
{
    for (size_t i = 0; i < fused->nout; i++) {
        x->out[i] = *fused->out[i];
        x->out[i].data = NULL;
    }
    OrtStatus *s = k->compute(k, NULL, x);
    drop(s);
    return !s;
}

static void
run(Case *c, OrtCompute *k, const OrtNode *fused)
{
    OrtContext x = {0}, y;

    for (size_t i = 0; i < fused->nin; i++) {
        x.in[i] = *fused->in[i];
        for (size_t d = 0; d < x.in[i].rank; d++)
            if (x.in[i].dim[d] < 0)
                x.in[i].dim[d] = (int64_t)next(&c->d, 4);
        x.in[i].nbyte = nbyte_of(&x.in[i]);
        x.in[i].data = content(&c->d, x.in[i].type, x.in[i].nbyte);
    }
    y = x;
    if (!call(k, fused, &x))
        return;
    if (!call(k, fused, &y))
        abort();
    for (size_t i = 0; i < fused->nout; i++)
        if (x.out[i].nbyte != y.out[i].nbyte ||
            memcmp(x.out[i].data, y.out[i].data, x.out[i].nbyte) != 0)
            abort();
}

static void
use(Case *c, OrtFactory *f, OrtEp *ep)
{
    fake.npart = fake.nfused = 0;
    drop(ep->capability(ep, &c->g, NULL));
    if (fake.npart > FAKE_NNODE)
        abort();
    for (size_t p = 0; p < fake.npart; p++) {
        OrtNode fused;
        OrtGraph part;
        const OrtGraph *g = &part;
        const OrtNode *node = &fused;
        OrtCompute *k = NULL;
        if (!describe(c, fake.part[p], fake.of_part[p], &fused, &part))
            continue;
        OrtStatus *s = ep->compile(ep, &g, &node, 1, &k, NULL);
        if (!s)
            run(c, k, &fused);
        drop(s);
        if (k)
            ep->release_computes(ep, &k, 1);
    }
    f->release(f, ep);
}

void
fuzz_one(const uint8_t *p, size_t n)
{
    static const char *const bits[] = {"contract", "same"};
    static const char *const pool[] = {"sinter", "onnxruntime"};
    SnArena *a = sn_arena_new();
    Case *c = SN_NEW(a, Case);
    OrtStatus *s;
    OrtEp *ep = NULL;

    memory = a;
    c->a = a;
    c->d = (Draw){p, p + n};
    fake.room = exactly;
    fake_option("sinter.bits", bits[next(&c->d, 2)]);
    fake_option("sinter.small", "1");
    fake_option("sinter.pool", pool[next(&c->d, 2)]);
    fake_option("sinter.threads", "3");
    draw_graph(c);
    OrtFactory *f = fake_factory(&s);
    if (s)
        abort();
    s = f->create(f, NULL, NULL, 0, NULL, NULL, &ep);
    if (s)
        abort();
    use(c, f, ep);
    (void)ReleaseEpFactory(f);
    if (fake.held != 0)
        abort();
    sn_arena_free(a);
}
