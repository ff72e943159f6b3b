// SPDX-License-Identifier: Apache-2.0
/* Graphs as JSON.  Constants are part of the nodes that read them. */
#include "graph/desc.h"
#include "graph/text/text.h"
#include "report/report_priv.h"

static void
put_scales(SnJson *j, const SnType *t)
{
    if (sn_type_per_tensor(t)) {
        sn_json_num(j, "scale", (double)t->scale[0]);
        sn_json_int(j, "zero_point", t->zp[0]);
        return;
    }
    float lo = t->scale[0], hi = t->scale[0];
    for (uint32_t i = 1; i < t->nq; i++) {
        lo = t->scale[i] < lo ? t->scale[i] : lo;
        hi = t->scale[i] > hi ? t->scale[i] : hi;
    }
    sn_json_int(j, "axis", t->axis);
    sn_json_int(j, "scales", t->nq);
    sn_json_num(j, "scale_min", (double)lo);
    sn_json_num(j, "scale_max", (double)hi);
}

void
sn_report_type(SnJson *j, const SnType *t, const SnShape *s)
{
    sn_json_str(j, "elem", sn_elem_name(t->elem));
    sn_json_open(j, "shape", '[');
    for (int i = 0; i < s->rank; i++)
        sn_json_int(j, NULL, s->dim[i]);
    sn_json_close(j, ']');
    if (t->nq)
        put_scales(j, t);
}

/* What a picture shows of a node at first sight; names of kinds play no part.
 */
static const char *
role(const SnKindDesc *d)
{
    const SnTuple *t = d->tuple;

    if (d->effect)
        return d->nout ? "input" : "output";
    if (d->nout == 0)
        return "other";
    switch (d->sem[0].cls) {
    case SN_C_CONVERT:
        return d->ntuple && d->nin == 1 && t->in[0].elem >= 0 &&
                       sn_elem_quant((SnElem)t->in[0].elem) &&
                       sn_elem_quant((SnElem)t->out[0].elem)
                   ? "rescale"
                   : "convert";
    case SN_C_CONTRACT:
        return "contract";
    case SN_C_MOVE:
        return "move";
    default:
        return "other";
    }
}

static void
put_operand(SnJson *j, const SnGraph *g, const SnNode *n, uint32_t slot)
{
    const SnKindDesc *d = sn_desc(n->kind);
    SnRef r = n->in[slot].ref;

    sn_json_open(j, NULL, '{');
    sn_json_str(j, "port", d->in[sn_port_of_slot(d, n->nin, slot)].name);
    sn_json_str(j, "value", r ? sn_name(g, r) : NULL);
    if (r && sn_def(g, r)->data) {
        sn_json_bool(j, "constant", true);
        sn_report_type(j, sn_type(g, r), sn_shape_of(g, r));
    }
    sn_json_close(j, '}');
}

static void
put_node(SnJson *j, const SnGraph *g, SnId id, SnArena *a)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc(n->kind);

    sn_json_open(j, NULL, '{');
    sn_json_str(j, "label", sn_label(g, id, a));
    sn_json_str(j, "kind", d->name);
    sn_json_str(j, "role", role(d));
    if (d->nout && d->sem[0].decl)
        sn_json_str(j, "map", d->sem[0].decl->name);
    sn_json_attrs(j, "attributes", n);
    if (n->source)
        sn_json_str(j, "source", n->source);
    if (n->origin)
        sn_json_str(j, "origin", n->origin);
    sn_json_open(j, "inputs", '[');
    for (uint32_t i = 0; i < n->nin; i++)
        put_operand(j, g, n, i);
    sn_json_close(j, ']');
    sn_json_open(j, "results", '[');
    for (unsigned k = 0; k < n->nres; k++) {
        sn_json_open(j, NULL, '{');
        sn_json_str(j, "name", sn_name(g, SN_REF(id, k)));
        sn_report_type(j, n->res[k].type, n->res[k].shape);
        sn_json_close(j, '}');
    }
    sn_json_close(j, ']');
    sn_json_close(j, '}');
}

void
sn_report_graph(SnJson *j, const char *key, const SnGraph *g)
{
    uint32_t n;
    SnId *topo = sn_topo(g, j->b->a, &n);

    sn_json_open(j, key, '[');
    for (uint32_t i = 0; i < n; i++)
        if (!sn_node(g, topo[i])->data)
            put_node(j, g, topo[i], j->b->a);
    sn_json_close(j, ']');
}
