// SPDX-License-Identifier: Apache-2.0
/* Cases as text graphs (docs/graph.md): both sides of a counterexample, or only
 * the left side for a test. */
#include "dsl/model/arith.h"
#include "dsl/prove/trial/case.h"

#include <string.h>
#include "base/data.h"

typedef struct Out {
    SnBuf b;
    SnProofCase *c;
    const SnCaseNode *node[64];
    const SnCaseValue *leaf[32];
    uint32_t nnode, nleaf;
    bool inputs; /* leaves that are not constant are Placeholders */
} Out;

static void
put_grid(Out *o, const SnCaseType *k)
{
    sn_puts(&o->b, sn_elem_words[k->elem].name);
    if (k->nq == 1 && k->axis < 0) {
        sn_putc(&o->b, '<');
        sn_put_f32(&o->b, k->scale[0]);
        sn_putf(&o->b, ", %d>", k->zp[0]);
    } else if (k->nq) {
        sn_puts(&o->b, "<axis=0, [");
        for (uint32_t i = 0; i < k->nq; i++) {
            sn_puts(&o->b, i ? ", " : "");
            sn_put_f32(&o->b, k->scale[i]);
        }
        sn_puts(&o->b, "], [");
        for (uint32_t i = 0; i < k->nq; i++)
            sn_putf(&o->b, "%s%d", i ? ", " : "", k->zp[i]);
        sn_puts(&o->b, "]>");
    }
}

static void
put_type(Out *o, const SnCaseValue *t)
{
    put_grid(o, &t->type);
    sn_putc(&o->b, '[');
    for (int i = 0; i < t->rank; i++)
        sn_putf(&o->b, "%s%lld", i ? ", " : "", (long long)t->dim[i]);
    sn_putc(&o->b, ']');
}

static void put_value(Out *o, const SnCaseValue *t);

static void
put_leaf_node(Out *o, const SnCaseValue *t)
{
    for (uint32_t i = 0; i < o->nleaf; i++)
        if (o->leaf[i] == t)
            return;
    if (o->nleaf == 32)
        return;
    o->leaf[o->nleaf] = t;
    if (o->inputs && !t->is_const) {
        sn_putf(&o->b, "  %%x%u = Placeholder() : ", o->nleaf++);
        put_type(o, t);
        sn_putc(&o->b, '\n');
        return;
    }
    sn_putf(&o->b, "  %%x%u = Constant() {data = [", o->nleaf++);
    for (int64_t i = 0; i < t->n; i++) {
        sn_puts(&o->b, i ? ", " : "");
        if (t->type.elem == SN_F32)
            sn_put_f32(&o->b, (float)t->v[i]);
        else
            sn_putf(&o->b, "%.0f", t->v[i]);
    }
    sn_puts(&o->b, "]} : ");
    put_type(o, t);
    sn_putc(&o->b, '\n');
}

static void
put_attr(Out *o, const SnDefAttr *a, const SnExprValue *v)
{
    sn_putf(&o->b, "%s = ", a->name);
    switch (a->ty) {
    case SN_A_RANGE:
        sn_puts(&o->b, "[");
        if (v->rg.has_lo)
            sn_case_put_bound(&o->b, v->rg.lo);
        else
            sn_putc(&o->b, '_');
        sn_puts(&o->b, ", ");
        if (v->rg.has_hi)
            sn_case_put_bound(&o->b, v->rg.hi);
        else
            sn_putc(&o->b, '_');
        sn_puts(&o->b, "]");
        return;
    case SN_A_ENUM:
        sn_puts(&o->b, v->r >= 0 && v->r < a->nword ? a->word[(int)v->r] : "?");
        return;
    case SN_A_BOOL:
        sn_puts(&o->b, v->r != 0 ? "true" : "false");
        return;
    case SN_A_REAL:
        sn_put_f32(&o->b, (float)v->r);
        return;
    case SN_A_TYPE:
        put_grid(o, &v->t);
        return;
    case SN_A_INTS:
    case SN_A_REALS:
        sn_putc(&o->b, '[');
        for (uint32_t i = 0; i < v->n; i++)
            sn_putf(&o->b, "%s%.9g", i ? ", " : "", v->list[i]);
        sn_putc(&o->b, ']');
        return;
    default:
        sn_putf(&o->b, "%.0f", v->r);
    }
}

/* Open ranges are omitted, as they are the default. */
static void
put_attrs(Out *o, const SnCaseNode *n, const SnCaseValue *y)
{
    bool any = false;

    for (uint32_t i = 0; i < n->n->nall; i++) {
        const SnDefAttr *a = n->n->all[i];
        SnExprValue v = n->attr[i];
        if (a->ty == SN_A_RANGE && !v.rg.has_lo && !v.rg.has_hi)
            continue;
        if (a->ty == SN_A_STR)
            continue;
        const SnDefSem *sem = n->n->rsem[0];
        if (sem->over == SN_MW_FILL && sem->arg[0]->ref == a) {
            double *d = SN_NEW_N(o->c->a, double, y->rank + 1);
            for (int k = 0; k < y->rank; k++)
                d[k] = (double)y->dim[k];
            v.n = (uint32_t)y->rank;
            v.list = d;
        }
        sn_puts(&o->b, any ? ", " : " {");
        put_attr(o, a, &v);
        any = true;
    }
    if (any)
        sn_putc(&o->b, '}');
}

static void
put_name(Out *o, const SnCaseValue *t)
{
    if (!t) {
        sn_putc(&o->b, '_');
        return;
    }
    for (uint32_t i = 0; i < o->nleaf; i++)
        if (o->leaf[i] == t) {
            sn_putf(&o->b, "%%x%u", i);
            return;
        }
    for (uint32_t i = 0; i < o->nnode; i++)
        if (o->node[i] == t->def) {
            sn_putf(&o->b, "%%n%u", i);
            if (t->res)
                sn_putf(&o->b, ":%u", t->res);
            return;
        }
}

static void
put_node(Out *o, const SnCaseNode *n)
{
    for (uint32_t i = 0; i < o->nnode; i++)
        if (o->node[i] == n)
            return;
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s])
            put_value(o, n->in[s]);
    if (o->nnode == 64)
        return;
    o->node[o->nnode] = n;
    sn_putf(&o->b, "  %%n%u = %s(", o->nnode++, n->n->name);
    for (uint32_t s = 0; s < n->nin; s++) {
        sn_puts(&o->b, s ? ", " : "");
        put_name(o, n->in[s]);
    }
    sn_putc(&o->b, ')');
    put_attrs(o, n, n->out[0]);
    sn_puts(&o->b, n->n->nout > 1 ? " : (" : " : ");
    for (uint32_t i = 0; i < n->n->nout && i < SN_CASE_MAXRES; i++) {
        sn_puts(&o->b, i ? ", " : "");
        put_type(o, n->out[i]);
    }
    sn_puts(&o->b, n->n->nout > 1 ? ")\n" : "\n");
}

static void
put_value(Out *o, const SnCaseValue *t)
{
    if (t->def && !t->leaf)
        put_node(o, t->def);
    else if (t->v)
        put_leaf_node(o, t);
}

const char *
sn_case_graph_text(SnProofCase *c, SnCaseValue *l, SnCaseValue *r)
{
    Out o = {.c = c};

    sn_buf_init(&o.b, c->a);
    sn_puts(&o.b, "sinter-graph 1\ngraph \"counterexample\"");
    const SnDefArith *by = sn_def_arith(c->pv->defs, c->pr->round);
    if (by && by->number != SN_ROUNDING_FLOAT)
        sn_putf(&o.b, " rounding %s", by->name);
    if (by && !by->shipped && by->number != SN_ROUNDING_FLOAT)
        sn_putf(&o.b, " \"%016llx\"", (unsigned long long)by->hash);
    sn_puts(&o.b, " {\n");
    put_value(&o, l);
    put_value(&o, r);
    sn_puts(&o.b, "  Save(");
    put_name(&o, l);
    sn_puts(&o.b, ") {name = \"left\"}\n  Save(");
    put_name(&o, r);
    sn_puts(&o.b, ") {name = \"right\"}\n}\n");
    return sn_buf_str(&o.b);
}

/* ---- only the left side ---- */

static void
put_marks(Out *o, SnBuf *b, const SnPat *p, const SnCaseValue *t)
{
    if (!t)
        return;
    if (p->nuse == 1) {
        Out name = *o;
        sn_buf_init(&name.b, b->a);
        put_name(&name, t);
        sn_putf(b, "%s%s", b->n ? " " : "", sn_buf_str(&name.b) + 1);
    }
    for (uint32_t s = 0; t->def && p->by_port && s < t->def->nin; s++) {
        const SnPat *k = p->by_port[t->def->port[s]];
        if (k && k->pk == SN_P_EACH)
            k = k->arg[0];
        if (k)
            put_marks(o, b, k, t->def->in[s]);
    }
}

static void
put_saves(Out *o)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < o->nnode; i++)
        for (uint32_t k = 1; k < o->node[i]->n->nout && k < SN_CASE_MAXRES; k++)
            if (o->node[i]->used[k])
                sn_putf(&o->b, "  Save(%%n%u:%u) {name = \"more%u\"}\n", i, k,
                        n++);
}

const char *
sn_case_left_text(SnProofCase *c, const char **once)
{
    Out o = {.c = c, .inputs = true};
    SnCaseValue *y = c->root->n->nout ? c->root->out[0] : c->root->in[0];
    SnBuf b;

    sn_buf_init(&o.b, c->a);
    sn_puts(&o.b, "sinter-graph 1\ngraph \"case\" {\n");
    put_value(&o, y);
    sn_puts(&o.b, "  Save(");
    put_name(&o, y);
    sn_puts(&o.b, ") {name = \"out\"}\n");
    put_saves(&o);
    sn_puts(&o.b, "}\n");
    sn_buf_init(&b, c->a);
    if (c->root->n->nout)
        put_marks(&o, &b, c->r->pat, y);
    *once = sn_buf_str(&b);
    return sn_buf_str(&o.b);
}
