// SPDX-License-Identifier: Apache-2.0
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include "base/json.h"
#include "graph/desc.h"
#include "graph/text/text.h"
#include "quant/choose/control.h"
#include "quant/island.h"
#include "run/plan.h"

enum { NAME = 28, KIND = 20, BAR = 20 }; /* columns */

static const char *
shaped_type(SnArena *a, const SnResult *r)
{
    SnBuf b;

    sn_buf_init(&b, a);
    sn_puts(&b, sn_type_str(a, r->type));
    sn_put_shape(&b, r->shape);
    return sn_buf_str(&b);
}

/* A per-axis type is too long for a table: only the number of scales is
 * shown. */
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

/* Columns of the table, and of all of a line. */
typedef struct Table {
    unsigned width, name, kind;
} Table;

/* On a terminal, kinds take what they need and names a third. */
static Table
table_of(const SnGraph *g, const SnId *topo, uint32_t n)
{
    Table t = {sn_cli_width(), NAME, KIND};

    if (t.width == UINT32_MAX)
        return t;
    t.kind = 0;
    for (uint32_t i = 0; i < n; i++) {
        size_t len = strlen(sn_desc(sn_node(g, topo[i])->kind)->name);
        t.kind = len > t.kind ? (unsigned)len : t.kind;
    }
    t.name = t.width / 3 < NAME ? t.width / 3 : NAME;
    return t;
}

/* "  name  kind  " of one line of the table. */
static void
put_head(SnCli *c, const char *name, const char *kind, const Table *t)
{
    if (t->width < UINT32_MAX)
        name = sn_fit_name(c->a, name, t->name);
    sn_putf(&c->out, "  %-*s %-*s ", (int)t->name, name, (int)t->kind, kind);
}

static void
end_line(SnCli *c, size_t from, unsigned width)
{
    sn_fit_line(&c->out, from, width);
    sn_puts(&c->out, "\n");
}

static void
put_node(SnCli *c, const SnGraph *g, SnId id, const Table *t)
{
    const SnNode *n = sn_node(g, id);
    const SnKindDesc *d = sn_desc(n->kind);
    SnBuf in;

    sn_buf_init(&in, c->a);
    for (uint32_t i = 0; i < n->nin; i++)
        sn_putf(&in, "%s%s", i ? ", " : "",
                n->in[i].ref ? sn_shown(c->a, sn_name(g, n->in[i].ref)) : "_");
    size_t from = c->out.n;
    if (n->nres == 0) {
        put_head(c, "", d->name, t);
        sn_putf(&c->out, "(%s)", sn_buf_str(&in));
        sn_put_attrs(n, &c->out);
        end_line(c, from, t->width);
        return;
    }
    for (unsigned r = 0; r < n->nres; r++) {
        from = c->out.n;
        put_head(c, sn_shown(c->a, sn_name(g, SN_REF(id, r))), r ? "" : d->name,
                 t);
        sn_putf(&c->out, "%s%s%s%s", short_type(c->a, &n->res[r]),
                !r && in.n ? "  (" : "", r ? "" : sn_buf_str(&in),
                !r && in.n ? ")" : "");
        if (!r)
            sn_put_attrs(n, &c->out);
        end_line(c, from, t->width);
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
put_json_node(SnJson *j, const SnGraph *g, SnId id)
{
    const SnNode *n = sn_node(g, id);

    sn_json_open(j, NULL, '{');
    sn_json_str(j, "kind", sn_desc(n->kind)->name);
    sn_json_open(j, "inputs", '[');
    for (uint32_t i = 0; i < n->nin; i++)
        sn_json_str(j, NULL, n->in[i].ref ? sn_name(g, n->in[i].ref) : NULL);
    sn_json_close(j, ']');
    sn_json_attrs(j, "attributes", n);
    sn_json_open(j, "results", '[');
    for (unsigned r = 0; r < n->nres; r++) {
        sn_json_open(j, NULL, '{');
        sn_json_str(j, "name", sn_name(g, SN_REF(id, r)));
        sn_json_type(j, "type", n->res[r].type);
        sn_json_shape(j, "shape", n->res[r].shape);
        sn_json_close(j, '}');
    }
    sn_json_close(j, ']');
    sn_json_close(j, '}');
}

/* ---- the largest, and memory ---- */

typedef struct Size { /* of node or step i */
    size_t nbyte;
    uint32_t i;
} Size;

static int
largest_first(const void *p, const void *q)
{
    const Size *x = p, *y = q;

    if (x->nbyte != y->nbyte)
        return x->nbyte < y->nbyte ? 1 : -1;
    return (x->i > y->i) - (x->i < y->i);
}

/* v[0..n) with --top: that many of the largest first; how many. */
static uint32_t
take_top(SnCli *c, Size *v, uint32_t n)
{
    long top = c->args.top;

    if (!top || n == 0)
        return n;
    qsort(v, n, sizeof *v, largest_first);
    return top < (long)n ? (uint32_t)top : n;
}

/* Numbers of the nodes in topo to show. */
static Size *
top_nodes(SnCli *c, const SnGraph *g, const SnId *topo, uint32_t *n)
{
    Size *v = SN_NEW_N(c->a, Size, *n + 1);

    for (uint32_t i = 0; i < *n; i++) {
        const SnNode *node = sn_node(g, topo[i]);
        v[i].i = i;
        for (unsigned r = 0; r < node->nres; r++)
            v[i].nbyte +=
                sn_tensor_nbyte(node->res[r].type, node->res[r].shape);
    }
    *n = take_top(c, v, *n);
    return v;
}

/* Numbers of the steps of p to show: constants have memory of their own. */
static Size *
top_steps(SnCli *c, const SnGraph *g, const SnPlan *p, uint32_t *n)
{
    Size *v = SN_NEW_N(c->a, Size, p->nstep + 1);

    *n = 0;
    for (uint32_t i = 0; i < p->nstep; i++)
        if (!sn_node(g, p->step[i].node)->data)
            v[(*n)++] = (Size){p->step[i].live, i};
    *n = take_top(c, v, *n);
    return v;
}

static void
put_memory(SnCli *c, const SnGraph *g, unsigned width)
{
    const SnPlan *p = sn_plan(c->a, g);
    uint32_t n;
    const Size *v = top_steps(c, g, p, &n);

    sn_putf(&c->out,
            "\nmemory: arena %zu bytes, at most %zu of them in use, constants "
            "%zu bytes\n\n  %12s  %-*s  %s\n",
            p->arena, p->peak, p->constants, "bytes", BAR, "in use",
            "while it runs");
    for (uint32_t i = 0; i < n; i++) {
        size_t from = c->out.n;
        size_t bar = p->peak ? (v[i].nbyte * BAR + p->peak - 1) / p->peak : 0;
        sn_putf(&c->out, "  %12zu  %-*.*s  %s", v[i].nbyte, BAR, (int)bar,
                "####################",
                sn_shown(c->a, sn_label(g, p->step[v[i].i].node, c->a)));
        end_line(c, from, width);
    }
}

static void
put_json_memory(SnCli *c, SnJson *j, const SnGraph *g)
{
    const SnPlan *p = sn_plan(c->a, g);
    uint32_t n;
    const Size *v = top_steps(c, g, p, &n);

    sn_json_open(j, "memory", '{');
    sn_json_int(j, "arena", (long long)p->arena);
    sn_json_int(j, "peak", (long long)p->peak);
    sn_json_open(j, "steps", '[');
    for (uint32_t i = 0; i < n; i++) {
        sn_json_open(j, NULL, '{');
        sn_json_str(j, "node", sn_label(g, p->step[v[i].i].node, c->a));
        sn_json_int(j, "live", (long long)v[i].nbyte);
        sn_json_close(j, '}');
    }
    sn_json_close(j, ']');
    sn_json_close(j, '}');
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

/* For each node that quantize chooses a type for: its name, its kind and the
 * nodes of the model that it represents. */
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

/* ---- the verb ---- */

static void
put_json(SnCli *c, const SnGraph *g, const SnIslands *floats)
{
    uint32_t n, nshown;
    const SnId *topo = sn_topo(g, c->a, &n);
    Totals t = count(g, topo, n);
    SnJson j = {.b = &c->out};

    nshown = n;
    const Size *v = top_nodes(c, g, topo, &nshown);
    sn_json_open(&j, NULL, '{');
    sn_json_str(&j, "graph", g->name ? g->name : "");
    sn_json_int(&j, "parameters", t.nparam);
    sn_json_int(&j, "constant_bytes", (long long)t.nbyte);
    sn_json_open(&j, "nodes", '[');
    for (uint32_t i = 0; i < nshown; i++)
        put_json_node(&j, g, topo[v[i].i]);
    sn_json_close(&j, ']');
    if (sn_cli_quantized(c, g))
        put_json_memory(c, &j, g);
    sn_puts(&c->out, ",\n ");
    sn_put_floats_json(&c->out, floats);
    sn_puts(&c->out, "}\n");
}

static void
put_text(SnCli *c, const SnGraph *g, const SnIslands *floats)
{
    uint32_t n, nshown;
    const SnId *topo = sn_topo(g, c->a, &n);
    Totals t = count(g, topo, n);
    const Table table = table_of(g, topo, n);

    sn_putf(&c->out,
            "graph %s: %u nodes, %u constants with %lld parameters "
            "(%s)\n",
            sn_shown(c->a, g->name ? g->name : ""), t.nnode, t.nconst,
            (long long)t.nparam, sn_bytes_str(c->a, t.nbyte));
    put_ports(c, g, topo, n, true);
    put_ports(c, g, topo, n, false);
    sn_puts(&c->out, "\n");
    size_t from = c->out.n;
    put_head(c, "name", "kind", &table);
    sn_puts(&c->out, "type  (operands) {attributes}");
    end_line(c, from, table.width);
    nshown = n;
    const Size *v = top_nodes(c, g, topo, &nshown);
    for (uint32_t i = 0; i < nshown; i++)
        put_node(c, g, topo[v[i].i], &table);
    if (!sn_cli_quantized(c, g))
        return;
    put_memory(c, g, table.width);
    sn_puts(&c->out, "\n");
    sn_put_floats(&c->out, floats);
}

SnStatus
sn_verb_inspect(SnCli *c)
{
    const char *path;
    SnIslands floats;
    SnGraph *g;

    SN_TRY(sn_cli_model(c, 1, &path));
    SN_TRY(sn_cli_load(c, path, &g));
    if (c->args.names)
        return put_names(c, g);
    SN_TRY(sn_cli_floats(c, g, &floats));
    if (c->args.json)
        put_json(c, g, &floats);
    else
        put_text(c, g, &floats);
    return SN_OK;
}
