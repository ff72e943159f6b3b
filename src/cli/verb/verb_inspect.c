// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <string.h>
#include "base/json.h"
#include "graph/desc.h"
#include "graph/text/text.h"
#include "quant/choose/control.h"
#include "quant/island.h"

static const char *
shaped_type(SnArena *a, const SnResult *r)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_puts(&b, sn_type_str(a, r->type));
    sn_put_shape(&b, r->shape);
    return sn_buf_str(&b);
}

/* A per-axis type is too long for a table: its count stands for it. */
static const char *
short_type(SnArena *a, const SnResult *r)
{
    SnBuf b;

    if (r->type->nq <= 1)
        return shaped_type(a, r);
    sn_buf_init(&b, a);
    sn_putf(&b, "%s<axis=%d, %u scales>", sn_elem_name(r->type->elem),
            r->type->axis, r->type->nq);
    sn_put_shape(&b, r->shape);
    return sn_buf_str(&b);
}

typedef struct Totals {
    uint32_t nnode, nconst;
    int64_t nparam;
    size_t nbyte;
} Totals;

static Totals
count(const SnGraph *g, const SnId *topo, uint32_t n)
{
    Totals t = {0};

    for (uint32_t i = 0; i < n; i++) {
        const SnNode *node = sn_node(g, topo[i]);
        if (!node->data) {
            t.nnode += !sn_desc(node->kind)->effect;
            continue;
        }
        t.nconst++;
        if (node->res[0].type->elem == SN_F32 || node->res[0].type->nq)
            t.nparam += sn_shape_count(node->res[0].shape);
        t.nbyte += sn_tensor_nbyte(node->res[0].type, node->res[0].shape);
    }
    return t;
}

static void
put_node(SnCli *c, const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc(n->kind);
    SnBuf in;

    sn_buf_init(&in, c->a);
    for (uint32_t i = 0; i < n->nin; i++)
        sn_putf(&in, "%s%s", i ? ", " : "",
                n->in[i].ref ? sn_shown(c->a, sn_name(g, n->in[i].ref)) : "_");
    if (n->nres == 0) {
        sn_putf(&c->out, "  %-28s %-20s (%s)", "", d->name, sn_buf_str(&in));
        sn_put_attrs(n, &c->out);
        sn_puts(&c->out, "\n");
        return;
    }
    for (unsigned r = 0; r < n->nres; r++) {
        sn_putf(&c->out, "  %-28s %-20s %s%s%s%s",
                sn_shown(c->a, sn_name(g, SN_REF(id, r))), r ? "" : d->name,
                short_type(c->a, &n->res[r]), !r && in.n ? "  (" : "",
                r ? "" : sn_buf_str(&in), !r && in.n ? ")" : "");
        if (!r)
            sn_put_attrs(n, &c->out);
        sn_puts(&c->out, "\n");
    }
}

static void
put_ports(SnCli *c, const SnGraph *g, const SnId *topo, uint32_t n, bool inputs)
{
    for (uint32_t i = 0; i < n; i++) {
        const SnNode *node = sn_node(g, topo[i]);
        if (!sn_desc(node->kind)->effect || (node->nin == 0) != inputs)
            continue;
        SnRef r = inputs ? SN_REF(topo[i], 0) : node->in[0].ref;
        sn_putf(
            &c->out, "%s %s: %s\n", inputs ? "input " : "output",
            sn_shown(c->a, inputs ? sn_name(g, r) : sn_label(g, topo[i], c->a)),
            shaped_type(c->a, sn_res(g, r)));
    }
}

static void
put_json_node(SnCli *c, const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);
    SnBuf *b = &c->out;

    sn_puts(b, "  {\"kind\": ");
    sn_put_json(b, sn_desc(n->kind)->name);
    sn_puts(b, ", \"inputs\": [");
    for (uint32_t i = 0; i < n->nin; i++) {
        sn_puts(b, i ? ", " : "");
        if (n->in[i].ref)
            sn_put_json(b, sn_name(g, n->in[i].ref));
        else
            sn_puts(b, "null");
    }
    SnBuf attrs;
    sn_buf_init(&attrs, c->a);
    sn_put_attrs(n, &attrs);
    sn_puts(b, "], \"attributes\": ");
    sn_put_json(b, attrs.n ? sn_buf_str(&attrs) + 1 : "");
    sn_puts(b, ", \"results\": [");
    for (unsigned r = 0; r < n->nres; r++) {
        sn_puts(b, r ? ", {\"name\": " : "{\"name\": ");
        sn_put_json(b, sn_name(g, SN_REF(id, r)));
        sn_puts(b, ", \"type\": ");
        sn_put_json(b, shaped_type(c->a, &n->res[r]));
        sn_puts(b, "}");
    }
    sn_puts(b, "]}");
}

/* ---- names ---- */

static void
put_name(SnCli *c, const SnNode *n, const SnStrs *of, bool first)
{
    SnBuf *b = &c->out;
    const char *sep = "";

    if (c->args.json) {
        sn_puts(b, first ? "  {\"name\": " : ",\n  {\"name\": ");
        sn_put_json(b, n->res[0].name);
        sn_putf(b, ", \"kind\": \"%s\", \"of\": [", sn_desc(n->kind)->name);
    } else {
        sn_putf(b, "  %-28s %-20s ", n->res[0].name, sn_desc(n->kind)->name);
    }
    for (uint32_t k = 0; k < of->n; k++) {
        if (k && !strcmp(of->v[k], of->v[k - 1]))
            continue;
        sn_puts(b, sep);
        if (c->args.json)
            sn_put_json(b, of->v[k]);
        else
            sn_puts(b, of->v[k]);
        sep = ", ";
    }
    sn_puts(b, c->args.json ? "]}" : "\n");
}

/* For each node of what quantize chooses types of, its name, its kind and the
 * nodes of the model that it stands for. */
static SnStatus
put_names(SnCli *c, const SnGraph *g)
{
    uint32_t n, np;
    SnId *topo = sn_topo(g, c->a, &n), *order;
    bool first = true;
    SnGraph *p;

    SN_TRY(sn_cli_placed(c, g, &p));
    order = sn_topo(p, c->a, &np);
    SnStrs *of = SN_NEW_N(c->a, SnStrs, p->nnode);
    for (uint32_t i = 0; i < n; i++) {
        const SnNode *node = sn_node(g, topo[i]);
        const char *name = sn_control_source(g, topo[i]);
        uint32_t nto;
        if (node->data || !node->nres || (node->source && !name))
            continue;
        SnId *to = sn_control_became(g, topo[i], p, c->a, &nto);
        for (uint32_t k = 0; k < nto; k++)
            SN_PUSH(c->a, of[to[k]].v, of[to[k]].n,
                    name ? name : node->res[0].name);
    }
    if (c->args.json)
        sn_puts(&c->out, "{\"nodes\": [\n");
    else
        sn_putf(&c->out, "  %-28s %-20s %s\n", "name", "kind", "of the model");
    for (uint32_t i = 0; i < np; i++) {
        const SnNode *node = sn_node(p, order[i]);
        if (node->data || !node->nres)
            continue;
        put_name(c, node, &of[order[i]], first);
        first = false;
    }
    if (c->args.json)
        sn_puts(&c->out, " ]}\n");
    return SN_OK;
}

SnStatus
sn_verb_inspect(SnCli *c)
{
    const char *path;
    SnIslands floats;
    SnGraph *g;
    uint32_t n;

    SN_TRY(sn_cli_model(c, 1, &path));
    SN_TRY(sn_cli_load(c, path, &g));
    if (c->args.names)
        return put_names(c, g);
    SN_TRY(sn_cli_floats(c, g, &floats));
    SnId *topo = sn_topo(g, c->a, &n);
    Totals t = count(g, topo, n);
    if (c->args.json) {
        sn_puts(&c->out, "{\"graph\": ");
        sn_put_json(&c->out, g->name ? g->name : "");
        sn_putf(&c->out,
                ", \"parameters\": %lld, \"constant_bytes\": %zu,\n"
                " \"nodes\": [\n",
                (long long)t.nparam, t.nbyte);
        for (uint32_t i = 0; i < n; i++) {
            put_json_node(c, g, topo[i]);
            sn_puts(&c->out, i + 1 < n ? ",\n" : "\n");
        }
        sn_puts(&c->out, " ],\n ");
        sn_put_floats_json(&c->out, &floats);
        sn_puts(&c->out, "}\n");
        return SN_OK;
    }
    sn_putf(&c->out,
            "graph %s: %u nodes, %u constants with %lld parameters "
            "(%s)\n",
            sn_shown(c->a, g->name ? g->name : ""), t.nnode, t.nconst,
            (long long)t.nparam, sn_bytes_str(c->a, t.nbyte));
    put_ports(c, g, topo, n, true);
    put_ports(c, g, topo, n, false);
    sn_putf(&c->out, "\n  %-28s %-20s %s\n", "name", "kind",
            "type  (operands) {attributes}");
    for (uint32_t i = 0; i < n; i++)
        put_node(c, g, topo[i]);
    if (sn_cli_quantized(c, g)) {
        sn_puts(&c->out, "\n");
        sn_put_floats(&c->out, &floats);
    }
    return SN_OK;
}
