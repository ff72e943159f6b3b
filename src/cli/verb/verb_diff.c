// SPDX-License-Identifier: Apache-2.0
/* sinter diff: two graphs, node by node.  Exit 0: equal, 1: not. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "graph/match.h"
#include "graph/text/text.h"
#include "run/exec.h"

typedef enum What {
    W_NAME,
    W_KIND,
    W_CALIBRATED,
    W_ATTR,
    W_OPERANDS, /* their number */
    W_OPERAND,
    W_TYPE,
    W_SHAPE,
    W_DATA
} What;
static const char *const what_words[] = {"name",      "kind",     "calibrated",
                                         "attribute", "operands", "operand",
                                         "type",      "shape",    "data"};

typedef struct Change {
    What what;
    const char *name;      /* of the attribute, operand or result; or NULL */
    const char *from, *to; /* as text; of W_DATA NULL */
    const SnAttrDesc *at;  /* W_ATTR: */
    const void *x, *y;     /* the attribute structs, W_TYPE: the types, W_SHAPE:
                              the shapes */
    int64_t ndiffer, n;    /* W_DATA */
    double most;           /* NaN: not known */
} Change;

typedef struct Diff {
    SnCli *c;
    const SnGraph *x, *y;
    SnMatch m;
    SnId *ox, *oy; /* topological orders */
    uint32_t nx, ny;
    uint32_t nadded, nremoved, nchanged, nsame;
    Change *v; /* of the pair at hand */
    size_t nv;
    SnJson j;
} Diff;

static const char *
text_of(SnArena *a, What what, const SnAttrDesc *at, const void *p)
{
    SnBuf b;

    sn_buf_init(&b, a);
    if (what == W_ATTR)
        sn_put_attr(&b, at, p);
    else if (what == W_SHAPE)
        sn_put_shape(&b, p);
    else
        sn_put_type(&b, p);
    return sn_buf_str(&b);
}

static void
add(Diff *k, Change c)
{
    if (c.x) {
        c.from = text_of(k->c->a, c.what, c.at, c.x);
        c.to = text_of(k->c->a, c.what, c.at, c.y);
    }
    SN_PUSH(k->c->a, k->v, k->nv, c);
}

static void
add_text(Diff *k, What what, const char *name, const char *from, const char *to)
{
    add(k, (Change){.what = what, .name = name, .from = from, .to = to});
}

/* ---- what differs ---- */

static void
attrs(Diff *k, const SnNode *m, const SnNode *n)
{
    const SnKindDesc *d = sn_desc(m->kind);

    for (uint32_t i = 0; i < d->nattr; i++)
        if (!sn_attr_equal(&d->attr[i], m->attr, n->attr))
            add(k, (Change){.what = W_ATTR,
                            .name = d->attr[i].name,
                            .at = &d->attr[i],
                            .x = m->attr,
                            .y = n->attr});
}

/* Is operand q of the second graph what p is in the first? */
static bool
same_value(const Diff *k, SnRef p, SnRef q)
{
    if (!p || !q)
        return p == q;
    return k->m.of_x[SN_NODE(p)] == SN_NODE(q) && SN_RES(p) == SN_RES(q);
}

static void
operands(Diff *k, const SnNode *m, const SnNode *n)
{
    const SnKindDesc *d = sn_desc(m->kind);
    SnArena *a = k->c->a;

    if (m->nin != n->nin)
        add_text(k, W_OPERANDS, NULL, sn_format(a, "%u", m->nin),
                 sn_format(a, "%u", n->nin));
    for (uint32_t s = 0; s < m->nin && s < n->nin; s++) {
        SnRef p = m->in[s].ref, q = n->in[s].ref;
        if (same_value(k, p, q))
            continue;
        uint32_t port = sn_port_of_slot(d, m->nin, s);
        const char *name = port < d->nin ? d->in[port].name : "";
        if (d->nin && d->in[port].variadic)
            name = sn_format(a, "%s %u", name, s - port);
        add_text(k, W_OPERAND, name, p ? sn_name(k->x, p) : "_",
                 q ? sn_name(k->y, q) : "_");
    }
}

static bool
has_reals(const SnResult *r)
{
    return r->type->elem != SN_F16 && r->type->elem != SN_ROW8;
}

/* Elements, as reals where both have such; else as bytes. */
static void
data(Diff *k, const SnNode *m, const SnNode *n)
{
    const SnResult *p = &m->res[0], *q = &n->res[0];
    size_t nbyte = sn_tensor_nbyte(p->type, p->shape);
    Change c = {.what = W_DATA, .most = NAN};
    bool same = p->type->elem == q->type->elem;

    if (!m->data || !n->data || !sn_shape_equal(p->shape, q->shape) ||
        (same && (nbyte == 0 || !memcmp(m->data, n->data, nbyte))))
        return;
    if (has_reals(p) && has_reals(q)) {
        SnArena *a = sn_arena_new();
        c.n = sn_shape_count(p->shape);
        float *x = SN_NEW_N(a, float, c.n + 1);
        float *y = SN_NEW_N(a, float, c.n + 1);
        sn_to_real(p->type, p->shape, m->data, x);
        sn_to_real(q->type, q->shape, n->data, y);
        c.most = 0;
        for (int64_t i = 0; i < c.n; i++) {
            double e = fabs((double)x[i] - (double)y[i]);
            c.ndiffer += memcmp(&x[i], &y[i], sizeof *x) != 0;
            if (!(e <= c.most))
                c.most = e;
        }
        sn_arena_free(a);
    } else if (same) {
        const char *x = m->data, *y = n->data;
        size_t size = p->type->elem == SN_F16 ? 2 : 1;
        c.n = (int64_t)(nbyte / size);
        for (size_t i = 0; i < nbyte; i += size)
            c.ndiffer += memcmp(x + i, y + i, size) != 0;
    }
    if (c.ndiffer || same)
        add(k, c);
}

static void
results(Diff *k, const SnNode *m, const SnNode *n)
{
    const SnKindDesc *d = sn_desc(m->kind);

    for (unsigned r = 0; r < m->nres && r < n->nres; r++) {
        const SnResult *p = &m->res[r], *q = &n->res[r];
        const char *name = r ? d->out[r].name : NULL;
        if (p->type && q->type && !sn_type_equal(p->type, q->type))
            add(k,
                (Change){
                    .what = W_TYPE, .name = name, .x = p->type, .y = q->type});
        if (p->shape && q->shape && !sn_shape_equal(p->shape, q->shape))
            add(k, (Change){.what = W_SHAPE,
                            .name = name,
                            .x = p->shape,
                            .y = q->shape});
        if (r && strcmp(p->name ? p->name : "", q->name ? q->name : "") != 0)
            add_text(k, W_NAME, name, p->name, q->name);
    }
    if (m->nres && n->nres)
        data(k, m, n);
}

static void
compare(Diff *k, SnId x, SnId y)
{
    const SnNode *m = sn_node(k->x, x), *n = sn_node(k->y, y);

    k->nv = 0;
    if (m->nres && n->nres && strcmp(m->res[0].name, n->res[0].name) != 0)
        add_text(k, W_NAME, NULL, m->res[0].name, n->res[0].name);
    if (m->kind != n->kind)
        add_text(k, W_KIND, NULL, sn_desc(m->kind)->name,
                 sn_desc(n->kind)->name);
    else
        attrs(k, m, n);
    if (m->calibrated != n->calibrated)
        add_text(k, W_CALIBRATED, NULL, m->calibrated ? "true" : "false",
                 n->calibrated ? "true" : "false");
    operands(k, m, n);
    results(k, m, n);
}

/* ---- text ---- */

static void
put_change(Diff *k, const Change *c)
{
    SnBuf *b = &k->c->out;

    sn_putf(b, "    %s%s%s: ", what_words[c->what], c->name ? " " : "",
            c->name ? c->name : "");
    if (c->what != W_DATA) {
        sn_putf(b, "%s -> %s\n", c->from ? sn_shown(k->c->a, c->from) : "_",
                c->to ? sn_shown(k->c->a, c->to) : "_");
        return;
    }
    sn_putf(b, "%lld of %lld values differ", (long long)c->ndiffer,
            (long long)c->n);
    if (!isnan(c->most))
        sn_putf(b, ", by at most %g", c->most);
    sn_puts(b, "\n");
}

static void
put_pair(Diff *k, SnId y)
{
    sn_putf(&k->c->out, "~ %s\n", sn_label(k->y, y, k->c->a));
    for (size_t i = 0; i < k->nv; i++)
        put_change(k, &k->v[i]);
}

static void
put_alone(Diff *k, const SnGraph *g, SnId id, bool added)
{
    sn_putf(&k->c->out, "%c %s\n", added ? '+' : '-', sn_label(g, id, k->c->a));
}

/* ---- JSON ---- */

static void
json_value(SnJson *j, const char *key, const Change *c, bool first)
{
    const void *p = first ? c->x : c->y;
    const char *s = first ? c->from : c->to;

    switch (c->what) {
    case W_ATTR:
        sn_json_attr(j, key, c->at, p);
        break;
    case W_TYPE:
        sn_json_type(j, key, p);
        break;
    case W_SHAPE:
        sn_json_shape(j, key, p);
        break;
    case W_CALIBRATED:
        sn_json_bool(j, key, !strcmp(s, "true"));
        break;
    case W_OPERANDS:
        sn_json_int(j, key, strtoll(s, NULL, 10));
        break;
    default:
        sn_json_str(j, key, s && strcmp(s, "_") != 0 ? s : NULL);
        break;
    }
}

static void
json_pair(Diff *k, SnId y)
{
    SnJson *j = &k->j;

    sn_json_open(j, NULL, '{');
    sn_json_str(j, "node", sn_label(k->y, y, k->c->a));
    sn_json_open(j, "changes", '[');
    for (size_t i = 0; i < k->nv; i++) {
        const Change *c = &k->v[i];
        sn_json_open(j, NULL, '{');
        sn_json_str(j, "what", what_words[c->what]);
        if (c->name)
            sn_json_str(j, "name", c->name);
        if (c->what == W_DATA) {
            sn_json_int(j, "values", c->n);
            sn_json_int(j, "differ", c->ndiffer);
            sn_json_num(j, "most", c->most);
        } else {
            json_value(j, "from", c, true);
            json_value(j, "to", c, false);
        }
        sn_json_close(j, '}');
    }
    sn_json_close(j, ']');
    sn_json_close(j, '}');
}

/* ---- the verb ---- */

static void
alone(Diff *k, bool added)
{
    const SnGraph *g = added ? k->y : k->x;
    const SnId *order = added ? k->oy : k->ox;
    const SnId *of = added ? k->m.of_y : k->m.of_x;
    uint32_t n = added ? k->ny : k->nx, nalone = 0;

    if (k->c->args.json)
        sn_json_open(&k->j, added ? "added" : "removed", '[');
    for (uint32_t i = 0; i < n; i++) {
        if (of[order[i]])
            continue;
        nalone++;
        if (k->c->args.json)
            sn_json_str(&k->j, NULL, sn_label(g, order[i], k->c->a));
        else
            put_alone(k, g, order[i], added);
    }
    if (k->c->args.json)
        sn_json_close(&k->j, ']');
    *(added ? &k->nadded : &k->nremoved) = nalone;
}

static void
pairs(Diff *k)
{
    if (k->c->args.json)
        sn_json_open(&k->j, "changed", '[');
    for (uint32_t i = 0; i < k->ny; i++) {
        SnId y = k->oy[i], x = k->m.of_y[y];
        if (!x)
            continue;
        compare(k, x, y);
        if (!k->nv) {
            k->nsame++;
            continue;
        }
        k->nchanged++;
        if (k->c->args.json)
            json_pair(k, y);
        else
            put_pair(k, y);
    }
    if (k->c->args.json)
        sn_json_close(&k->j, ']');
}

/* What no node says: names, arithmetic, the order of inputs and outputs. */
static const char *
whole(Diff *k)
{
    const char *why = NULL;

    if (strcmp(k->x->name, k->y->name) != 0)
        return sn_format(k->c->a, "name: %s -> %s", k->x->name, k->y->name);
    if (k->x->rounding != k->y->rounding)
        return sn_format(k->c->a, "rounding: %s -> %s",
                         sn_arith_at(k->x->rounding)->name,
                         sn_arith_at(k->y->rounding)->name);
    if (k->nadded + k->nremoved + k->nchanged == 0)
        sn_graph_equal(k->x, k->y, k->c->a, &why);
    return why;
}

SnStatus
sn_verb_diff(SnCli *c)
{
    Diff k = {.c = c, .j = {.b = &c->out}};
    SnGraph *x, *y;

    if (c->args.pos.n != 2)
        return sn_fail(c->d, SN_EUSAGE, "diff", "expected two models, got %u",
                       c->args.pos.n);
    SN_TRY(sn_cli_load(c, c->args.pos.v[0], &x));
    SN_TRY(sn_cli_load(c, c->args.pos.v[1], &y));
    k.x = x;
    k.y = y;
    k.ox = sn_topo(x, c->a, &k.nx);
    k.oy = sn_topo(y, c->a, &k.ny);
    k.m = sn_graph_match(c->a, x, y);
    if (c->args.json)
        sn_json_open(&k.j, NULL, '{');
    alone(&k, false);
    alone(&k, true);
    pairs(&k);
    const char *why = whole(&k);
    bool equal = !why && k.nadded + k.nremoved + k.nchanged == 0;
    if (c->args.json) {
        sn_json_str(&k.j, "graph", why);
        sn_json_int(&k.j, "same", k.nsame);
        sn_json_bool(&k.j, "equal", equal);
        sn_json_close(&k.j, '}');
        sn_puts(&c->out, "\n");
    } else {
        if (why)
            sn_putf(&c->out, "graph %s\n", sn_shown(c->a, why));
        sn_putf(&c->out, "%u added, %u removed, %u changed, %u the same\n",
                k.nadded, k.nremoved, k.nchanged, k.nsame);
    }
    return equal ? SN_OK : SN_ECHECK;
}
