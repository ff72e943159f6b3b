// SPDX-License-Identifier: Apache-2.0
/* Pictures for Graphviz.  Nodes are boxes, conversions between types stand out
 * by colour, edges carry types and shapes.  Constants are lines in the boxes
 * that read them, so that large graphs stay legible. */
#include <string.h>

#include "graph/graph_priv.h"
#include "graph/text/text.h"

enum { LABEL_MAX = 40 };

/* Text inside a DOT string. */
static void
put_escaped(SnBuf *b, const char *s)
{
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            sn_putc(b, '\\');
        if ((unsigned char)*s >= ' ')
            sn_putc(b, *s);
        else
            sn_putc(b, ' ');
    }
}

/* The same, cut to a readable length. */
static void
put_short(SnBuf *b, const char *s)
{
    char cut[LABEL_MAX + 1];
    size_t n = strlen(s);

    if (n <= LABEL_MAX) {
        put_escaped(b, s);
        return;
    }
    /* the end of a path says more than its start; never half a character */
    const char *tail = s + n - (LABEL_MAX - 3);
    while (((unsigned char)*tail & 0xc0) == 0x80)
        tail++;
    snprintf(cut, sizeof cut, "...%s", tail);
    put_escaped(b, cut);
}

static void
put_type(SnBuf *b, const SnType *t)
{
    sn_puts(b, sn_elem_name(t->elem));
    if (t->nq == 1 && t->axis < 0)
        sn_putf(b, " %.4g, %d", (double)t->scale[0], (int)t->zp[0]);
    else if (t->nq > 0)
        sn_putf(b, " per axis %d", t->axis);
}

static void
put_shape(SnBuf *b, const SnShape *s)
{
    for (int i = 0; i < s->rank; i++)
        sn_putf(b, "%s%lld", i ? "x" : "", (long long)s->dim[i]);
    if (s->rank == 0)
        sn_puts(b, "scalar");
}

/* "w = qi8 0.02, 0  8x3x3x4", with the value when there is only one. */
static void
put_constant(const SnGraph *g, SnBuf *b, const char *port, SnRef r)
{
    const SnNode *n = sn_def(g, r);
    const SnResult *res = &n->res[0];

    sn_puts(b, "\\n");
    put_escaped(b, port);
    sn_puts(b, ": ");
    put_type(b, res->type);
    sn_puts(b, "  ");
    put_shape(b, res->shape);
    if (res->type->elem == SN_F32 && sn_shape_count(res->shape) == 1) {
        float v;
        memcpy(&v, n->data, sizeof v);
        sn_putf(b, " = %.4g", (double)v);
    }
}

static void
put_attrs(SnBuf *b, SnArena *a, const SnNode *n, const SnKindDesc *d)
{
    for (uint32_t i = 0; i < d->nattr; i++) {
        const SnAttrDesc *at = &d->attr[i];
        SnBuf v;
        if (at->has_default && sn_attr_equal(at, n->attr, d->defaults))
            continue;
        sn_buf_init(&v, a);
        sn_put_attr(&v, at, n->attr);
        sn_puts(b, "\\n");
        put_escaped(b, at->name);
        sn_putc(b, ' ');
        put_short(b, sn_buf_str(&v));
    }
    if (n->calibrated)
        sn_puts(b, "\\ncalibrated");
}

/* From codes to codes: a Rescale, what the passes are there to remove. */
static bool
requantizes(const SnKindDesc *d)
{
    const SnTuple *t = d->tuple;

    return d->ntuple && d->nin == 1 && t->in[0].elem >= 0 &&
           sn_elem_quant((SnElem)t->in[0].elem) &&
           sn_elem_quant((SnElem)t->out[0].elem);
}

static const char *
style(const SnKindDesc *d)
{
    bool convert = d->nout > 0 && d->sem[0].cls == SN_C_CONVERT;

    if (d->effect)
        return "shape=ellipse, fillcolor=\"#d8ead3\"";
    if (convert && requantizes(d))
        return "fillcolor=\"#f4a09a\", color=\"#a50e0e\", penwidth=3";
    if (convert)
        return "fillcolor=\"#f9c08a\", color=\"#b35900\", penwidth=2";
    if (d->nout > 0 && d->sem[0].cls == SN_C_CONTRACT)
        return "fillcolor=\"#cfe0f3\"";
    return "fillcolor=\"#f2f2f2\"";
}

static bool
is_const(const SnGraph *g, SnRef r)
{
    return sn_holds_data(sn_desc(sn_kind(g, r)));
}

static void
draw_node(const SnGraph *g, SnBuf *b, SnId id)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc(n->kind);

    sn_putf(b, "  n%u [%s, label=\"", (unsigned)id, style(d));
    if (n->nres && n->res[0].name) {
        put_short(b, n->res[0].name);
        sn_puts(b, "\\n");
    }
    put_escaped(b, d->name);
    put_attrs(b, g->arena, n, d);
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s].ref && is_const(g, n->in[s].ref))
            put_constant(g, b, d->in[sn_port_of_slot(d, n->nin, s)].name,
                         n->in[s].ref);
    sn_puts(b, "\"];\n");
}

/* Type and shape stand at the first edge of a value, beside it: long labelled
 * edges make dot lead them through nodes. */
static void
put_edge_label(const SnGraph *g, SnBuf *b, SnRef r)
{
    const SnResult *res = sn_res(g, r);

    sn_puts(b, " [label=\"&#160;&#160;");
    if (SN_RES(r) > 0) {
        put_escaped(b, sn_desc(sn_kind(g, r))->out[SN_RES(r)].name);
        sn_puts(b, ": ");
    }
    put_type(b, res->type);
    sn_puts(b, "\\l&#160;&#160;");
    put_shape(b, res->shape);
    sn_puts(b, "\\l\"]");
}

/* labelled: [nnode << SN_RESBITS] */
static void
draw_edges(const SnGraph *g, SnBuf *b, SnId id, bool *labelled)
{
    const SnNode *n = sn_node(g, id);

    for (uint32_t s = 0; s < n->nin; s++) {
        SnRef r = n->in[s].ref;
        if (!r || is_const(g, r))
            continue;
        sn_putf(b, "  n%u -> n%u", (unsigned)SN_NODE(r), (unsigned)id);
        if (!labelled[r])
            put_edge_label(g, b, r);
        labelled[r] = true;
        sn_puts(b, ";\n");
    }
}

void
sn_draw_dot(const SnGraph *g, SnBuf *out)
{
    uint32_t n;
    SnId *order = sn_topo(g, g->arena, &n);
    bool *labelled = SN_NEW_N(g->arena, bool, (size_t)g->nnode << SN_RESBITS);

    sn_puts(out, "digraph \"");
    put_escaped(out, g->name);
    sn_puts(out, "\" {\n"
                 "  nodesep=0.4; ranksep=0.35;\n"
                 "  node [shape=box, style=filled, fontname=\"Helvetica\", "
                 "fontsize=12, margin=\"0.12,0.06\"];\n"
                 "  edge [fontname=\"Helvetica\", fontsize=10];\n");
    for (uint32_t i = 0; i < n; i++)
        if (!sn_holds_data(sn_desc(sn_node(g, order[i])->kind)))
            draw_node(g, out, order[i]);
    for (uint32_t i = 0; i < n; i++)
        draw_edges(g, out, order[i], labelled);
    sn_puts(out, "}\n");
}
