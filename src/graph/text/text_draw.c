// SPDX-License-Identifier: Apache-2.0
/* Pictures for Graphviz.  Nodes are boxes, conversions between types stand out
 * by colour.  Constants are lines in the boxes that read them, and types and
 * shapes lines in those that write them: text at edges would touch others. */
#include <string.h>

#include "graph/graph_priv.h"
#include "graph/text/draw.h"

enum { LABEL_MAX = 40 };

/* Text inside a DOT string.  Graphviz reads UTF-8, names of ONNX models are any
 * bytes: what is not printable is shown as `sinter inspect` does. */
void
sn_draw_text(SnBuf *b, const char *s)
{
    for (s = sn_shown(b->a, s); *s; s++) {
        if (*s == '"' || *s == '\\')
            sn_putc(b, '\\');
        sn_putc(b, *s);
    }
}

/* The same, cut to a readable length. */
void
sn_draw_short(SnBuf *b, const char *s)
{
    char cut[LABEL_MAX + 1];
    size_t n = strlen(s);

    if (n <= LABEL_MAX) {
        sn_draw_text(b, s);
        return;
    }
    /* the end of a path says more than its start; never half a character */
    const char *tail = s + n - (LABEL_MAX - 3);
    while (((unsigned char)*tail & 0xc0) == 0x80)
        tail++;
    snprintf(cut, sizeof cut, "...%s", tail);
    sn_draw_text(b, cut);
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

void
sn_draw_value(SnBuf *b, const SnResult *r)
{
    put_type(b, r->type);
    sn_puts(b, "  ");
    put_shape(b, r->shape);
}

/* "w = qi8 0.02, 0  8x3x3x4", with the value when there is only one. */
static void
put_constant(const SnGraph *g, SnBuf *b, const char *port, SnRef r)
{
    const SnNode *n = sn_def(g, r);
    const SnResult *res = &n->res[0];

    sn_puts(b, "\\n");
    sn_draw_text(b, port);
    sn_puts(b, ": ");
    sn_draw_value(b, res);
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
        sn_draw_text(b, at->name);
        sn_putc(b, ' ');
        sn_draw_short(b, sn_buf_str(&v));
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

SnLook
sn_draw_look(const SnKindDesc *d)
{
    bool convert = d->nout > 0 && d->sem[0].cls == SN_C_CONVERT;

    if (d->effect)
        return SN_LOOK_END;
    if (convert)
        return requantizes(d) ? SN_LOOK_RESCALE : SN_LOOK_CONVERT;
    return d->nout > 0 && d->sem[0].cls == SN_C_CONTRACT ? SN_LOOK_CONTRACT
                                                         : SN_LOOK_OTHER;
}

const SnLookDesc sn_looks[SN_NLOOK] = {
    [SN_LOOK_RESCALE] = {"Rescale", "#f4a09a",
                         ", color=\"#a50e0e\", penwidth=3"},
    [SN_LOOK_CONVERT] = {"conversion", "#f9c08a",
                         ", color=\"#b35900\", penwidth=2"},
    [SN_LOOK_CONTRACT] = {"sum of products", "#cfe0f3", ""},
    [SN_LOOK_END] = {"input or output", "#d8ead3", ", shape=ellipse"},
    [SN_LOOK_OTHER] = {"other", "#f2f2f2", ""},
};

static bool
is_const(const SnGraph *g, SnRef r)
{
    return sn_holds_data(sn_desc(sn_kind(g, r)));
}

/* Percent-encoded as a part of an URL. */
void
sn_draw_link(SnBuf *b, const char *page, const char *name)
{
    sn_puts(b, ", target=\"_top\", URL=\"");
    sn_draw_text(b, page);
    sn_puts(b, "#node=");
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;
        if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
            (c >= 'a' && c <= 'z') || strchr("-._~", c))
            sn_putc(b, (char)c);
        else
            sn_putf(b, "%%%02X", c);
    }
    sn_putc(b, '"');
}

static void
put_results(SnBuf *b, const SnNode *n, const SnKindDesc *d)
{
    for (unsigned r = 0; r < n->nres; r++) {
        if (r > 0 && n->res[r].nuse == 0)
            continue;
        sn_puts(b, "\\n");
        sn_draw_text(b, d->out[r].name);
        sn_puts(b, ": ");
        sn_draw_value(b, &n->res[r]);
    }
}

static void
draw_node(const SnGraph *g, const SnDrawOpts *o, double most, SnBuf *b, SnId id)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc(n->kind);
    const SnLookDesc *look = &sn_looks[sn_draw_look(d)];

    sn_putf(b, "  n%u [fillcolor=\"%s\"%s, tooltip=\"", (unsigned)id,
            o->heat ? sn_draw_heat(most > 0 ? o->heat[id] / most : 0, g->arena)
                    : look->fill,
            look->style);
    sn_draw_text(b, sn_label(g, id, g->arena));
    sn_puts(b, "\"");
    if (o->page)
        sn_draw_link(b, o->page, n->nres ? sn_name(g, SN_REF(id, 0)) : "");
    sn_puts(b, ", label=\"");
    if (n->nres && n->res[0].name) {
        sn_draw_short(b, n->res[0].name);
        sn_puts(b, "\\n");
    }
    sn_draw_text(b, d->name);
    put_attrs(b, g->arena, n, d);
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s].ref && is_const(g, n->in[s].ref))
            put_constant(g, b, d->in[sn_port_of_slot(d, n->nin, s)].name,
                         n->in[s].ref);
    put_results(b, n, d);
    sn_puts(b, "\"];\n");
}

static void
draw_edges(const SnGraph *g, SnBuf *b, SnId id)
{
    const SnNode *n = sn_node(g, id);

    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s].ref && !is_const(g, n->in[s].ref))
            sn_putf(b, "  n%u -> n%u;\n", (unsigned)SN_NODE(n->in[s].ref),
                    (unsigned)id);
}

/* ---- title and legend ---- */

static void
put_html(SnBuf *b, const char *s)
{
    for (s = sn_shown(b->a, s); *s; s++) {
        if (*s == '&' || *s == '<' || *s == '>' || *s == '"')
            sn_putf(b, "&#%d;", *s);
        else
            sn_putc(b, *s);
    }
}

void
sn_draw_begin(SnBuf *b, const SnGraph *g, const SnDrawOpts *o,
              const bool *looks)
{
    sn_puts(b, "digraph \"");
    sn_draw_text(b, g->name);
    sn_puts(b, "\" {\n"
               "  nodesep=0.4; ranksep=0.35;\n"
               "  node [shape=box, style=filled, fontname=\"Helvetica\", "
               "fontsize=12, margin=\"0.12,0.06\"];\n"
               "  labelloc=t; fontname=\"Helvetica\"; tooltip=\" \";\n"
               "  label=<<TABLE BORDER=\"0\" CELLSPACING=\"6\"><TR>"
               "<TD COLSPAN=\"9\"><FONT POINT-SIZE=\"16\"><B>");
    put_html(b, o->title ? o->title : g->name);
    sn_puts(b, "</B></FONT></TD></TR><TR>");
    if (o->heat) {
        sn_puts(b, "<TD>share of ");
        put_html(b, o->heat_of);
        sn_puts(b, ":</TD>");
        for (int i = 0; i <= 4; i++)
            sn_putf(b, "<TD BGCOLOR=\"%s\">%s</TD>",
                    sn_draw_heat(i / 4.0, b->a),
                    i == 0   ? "none"
                    : i == 4 ? "the most"
                             : "   ");
    }
    for (int i = 0; !o->heat && i < SN_NLOOK; i++)
        if (looks[i])
            sn_putf(b, "<TD BGCOLOR=\"%s\"> %s </TD>", sn_looks[i].fill,
                    sn_looks[i].name);
    sn_puts(b, "</TR></TABLE>>;\n");
}

/* White to red. */
const char *
sn_draw_heat(double share, SnArena *a)
{
    double s = share < 0 ? 0 : share > 1 ? 1 : share;

    return sn_format(a, "#%02x%02x%02x", (unsigned)(255 - s * 29),
                     (unsigned)(255 - s * 170), (unsigned)(255 - s * 200));
}

void
sn_draw_dot(const SnGraph *g, const SnDrawOpts *o, SnBuf *out)
{
    bool looks[SN_NLOOK] = {false};
    uint32_t n;
    SnId *order = sn_topo(g, g->arena, &n);
    double most = 0;

    for (uint32_t i = 0; o->heat && i < n; i++)
        most = o->heat[order[i]] > most ? o->heat[order[i]] : most;
    for (uint32_t i = 0; i < n; i++)
        if (!sn_holds_data(sn_desc(sn_node(g, order[i])->kind)))
            looks[sn_draw_look(sn_desc(sn_node(g, order[i])->kind))] = true;
    sn_draw_begin(out, g, o, looks);
    for (uint32_t i = 0; i < n; i++)
        if (!sn_holds_data(sn_desc(sn_node(g, order[i])->kind)))
            draw_node(g, o, most, out, order[i]);
    for (uint32_t i = 0; i < n; i++)
        draw_edges(g, out, order[i]);
    sn_puts(out, "}\n");
}
