// SPDX-License-Identifier: Apache-2.0
#include "ep/ep_graph.h"

#include <string.h>

typedef struct Packer {
    SnEpWhole *w;
    Onnx__GraphProto *graph;
    SnEpGraph *out;
    bool *inside; /* [nnode] */
    bool *seen;   /* [nvalue] */
} Packer;

/* ---- inputs and outputs ---- */

static Onnx__ValueInfoProto *
describe(SnArena *a, const SnEpPort *p)
{
    Onnx__ValueInfoProto *v = SN_NEW(a, Onnx__ValueInfoProto);
    Onnx__TypeProto *t = SN_NEW(a, Onnx__TypeProto);
    Onnx__TypeProto__Tensor *x = SN_NEW(a, Onnx__TypeProto__Tensor);
    Onnx__TensorShapeProto *s = SN_NEW(a, Onnx__TensorShapeProto);

    onnx__value_info_proto__init(v);
    onnx__type_proto__init(t);
    onnx__type_proto__tensor__init(x);
    onnx__tensor_shape_proto__init(s);
    v->name = sn_strdup(a, p->name);
    v->type = t;
    t->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    t->tensor_type = x;
    x->has_elem_type = true;
    x->elem_type = p->type;
    x->shape = s;
    for (size_t i = 0; i < p->rank; i++) {
        Onnx__TensorShapeProto__Dimension *d =
            SN_NEW(a, Onnx__TensorShapeProto__Dimension);
        onnx__tensor_shape_proto__dimension__init(d);
        if (p->dim[i] >= 0 && !p->loose) {
            d->value_case =
                ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
            d->dim_value = p->dim[i];
        }
        SN_PUSH(a, s->dim, s->n_dim, d);
    }
    return v;
}

/* A value that a node of the part reads. */
static bool
add_read(Packer *k, uint32_t i)
{
    SnArena *a = k->w->a;
    SnEpValue *v = &k->w->value[i];
    Onnx__GraphProto *g = k->graph;
    SnEpGraph *out = k->out;

    if (k->seen[i] || (v->maker && k->inside[v->maker - 1]))
        return true;
    k->seen[i] = true;
    if (v->constant) {
        if (!sn_ep_constant(k->w, i))
            return false;
        SN_PUSH(a, g->initializer, g->n_initializer, v->tensor);
        return true;
    }
    out->dynamic = out->dynamic || v->port.loose;
    for (size_t d = 0; d < v->port.rank; d++)
        out->dynamic = out->dynamic || v->port.dim[d] < 0;
    SN_PUSH(a, out->input, out->ninput, v->port);
    SN_PUSH(a, g->input, g->n_input, describe(a, &v->port));
    return true;
}

/* Results that are wanted outside the part. */
static void
add_results(Packer *k)
{
    SnEpWhole *w = k->w;
    bool *wanted = SN_NEW_N(w->a, bool, w->nvalue + 1);

    for (size_t i = 0; i < w->nvalue; i++)
        wanted[i] = w->value[i].output;
    for (size_t i = 0; i < w->nnode; i++) {
        const SnEpNode *n = &w->node[i];
        for (size_t r = 0; r < n->nread && !k->inside[i]; r++)
            if (n->read[r] != SN_EP_NONE)
                wanted[n->read[r]] = true;
        for (size_t r = 0; r < n->nhidden; r++)
            if (n->hidden[r] != SN_EP_NONE)
                wanted[n->hidden[r]] = true;
    }
    for (size_t i = 0; i < w->nvalue; i++) {
        const SnEpValue *v = &w->value[i];
        if (!wanted[i] || !v->maker || !k->inside[v->maker - 1])
            continue;
        SN_PUSH(w->a, k->out->output, k->out->noutput, v->port);
        SN_PUSH(w->a, k->graph->output, k->graph->n_output,
                describe(w->a, &v->port));
    }
}

/* ---- models ---- */

static bool
is_about_codes(const char *op)
{
    return strstr(op, "QuantizeLinear") || !strncmp(op, "QLinear", 7) ||
           strstr(op, "DequantizeLinear");
}

static bool
add_node(Packer *k, uint32_t i, bool numbered)
{
    SnEpWhole *w = k->w;
    const SnEpNode *n = &w->node[i];
    Onnx__NodeProto *p = n->p;

    for (size_t r = 0; r < n->nread; r++)
        if (n->read[r] != SN_EP_NONE && !add_read(k, n->read[r]))
            return false;
    if (numbered) {
        p = sn_memdup(w->a, p, sizeof *p);
        p->name = sn_format(w->a, "n%u", (unsigned)i);
    }
    k->out->codes = k->out->codes || is_about_codes(p->op_type);
    SN_PUSH(w->a, k->graph->node, k->graph->n_node, p);
    return true;
}

bool
sn_ep_pack(SnEpWhole *w, const uint32_t *part, size_t n, bool numbered,
           SnEpGraph *out)
{
    Onnx__ModelProto *m = SN_NEW(w->a, Onnx__ModelProto);
    Onnx__GraphProto *graph = SN_NEW(w->a, Onnx__GraphProto);
    Packer k = {w, graph, out, SN_NEW_N(w->a, bool, w->nnode + 1),
                SN_NEW_N(w->a, bool, w->nvalue + 1)};

    onnx__model_proto__init(m);
    onnx__graph_proto__init(graph);
    *out = (SnEpGraph){.message = m};
    for (size_t i = 0; i < n; i++)
        k.inside[part[i]] = true;
    for (size_t i = 0; i < n; i++)
        if (!add_node(&k, part[i], numbered))
            return false;
    add_results(&k);
    graph->name = sn_strdup(w->a, "graph");
    m->has_ir_version = true;
    m->ir_version = 8;
    m->graph = graph;
    m->n_opset_import = w->nopset;
    m->opset_import = w->opset;
    return true;
}

void
sn_ep_bytes(SnArena *a, SnEpGraph *g)
{
    if (!g->message)
        return;
    g->n = onnx__model_proto__get_packed_size(g->message);
    g->p = sn_alloc(a, g->n);
    onnx__model_proto__pack(g->message, g->p);
}

static bool
is_listed(char *const *list, const char *name)
{
    for (; list && *list; list++)
        if (!strcmp(*list, name))
            return true;
    return false;
}

bool
sn_ep_translate(SnEpWhole *w, char *const *fixed, SnEpGraph *out)
{
    uint32_t *all = SN_NEW_N(w->a, uint32_t, w->nnode + 1);

    for (size_t i = 0; i < w->nnode; i++) {
        all[i] = (uint32_t)i;
        if (w->node[i].why) {
            w->why = w->node[i].why;
            return false;
        }
    }
    for (size_t i = 0; i < w->nvalue; i++)
        w->value[i].port.loose = !is_listed(fixed, w->value[i].name);
    return sn_ep_pack(w, all, w->nnode, false, out);
}
