// SPDX-License-Identifier: Apache-2.0
/* Types of a rule's values: sets of storage kinds and provable equality. */
#include "dsl/resolve/rule/rule_type.h"

#include <string.h>

SnKindSet
sn_ks(SnDefConc c)
{
    if (c.elem == SN_ABSENT)
        return SN_KS_ABSENT;
    return UINT32_C(1) << (2 * c.elem + (c.axis >= 0));
}

SnKindSet
sn_ks_quant(void)
{
    SnKindSet s = 0;

    for (int e = SN_QI8; e <= SN_ROW8; e++)
        s |= UINT32_C(3) << 2 * e;
    return s;
}

const char *
sn_ks_str(const SnRuleTv *c, SnKindSet s)
{
    SnBuf b;

    sn_buf_init(&b, c->rs->a);
    for (int i = 0; i < 20; i++)
        if (s >> i & 1)
            sn_putf(&b, "%s%s", b.n ? ", " : "",
                    sn_conc_str(c->rs,
                                (SnDefConc){(int8_t)(i / 2), i & 1 ? 0 : -1}));
    return sn_buf_str(&b);
}

/* ---- values ---- */

int
sn_tv_new(SnRuleTv *c, SnKindSet set, SnExpr *e)
{
    SnTv v = {.set = set, .up = -1};

    SN_PUSH(c->rs->a, c->tv, c->ntv, v);
    SN_PUSH(c->rs->a, c->expr, c->nexpr, e);
    return (int)c->ntv - 1;
}

int
sn_tv_top(const SnRuleTv *c, int v)
{
    while (c->tv[v].up >= 0)
        v = c->tv[v].up;
    return v;
}

SnKindSet
sn_tv_set(const SnRuleTv *c, int v)
{
    return c->tv[sn_tv_top(c, v)].set;
}

static void
unify(SnRuleTv *c, int a, int b)
{
    a = sn_tv_top(c, a);
    b = sn_tv_top(c, b);
    if (a == b)
        return;
    c->tv[b].set &= c->tv[a].set;
    if (!c->expr[b])
        c->expr[b] = c->expr[a];
    if (!c->tv[b].fixed)
        c->tv[b].fixed = c->tv[a].fixed;
    c->tv[a].up = b;
}

static bool
same_fixed(const SnDefPort *p, const SnDefPort *q)
{
    return p && q && p->fixed_scale == q->fixed_scale &&
           p->fixed_zp == q->fixed_zp;
}

bool
sn_tv_equal(const SnRuleTv *c, int a, int b)
{
    SnKindSet s, t;

    a = sn_tv_top(c, a);
    b = sn_tv_top(c, b);
    if (a == b)
        return true;
    s = c->tv[a].set;
    t = c->tv[b].set;
    if (s == t && s && !(s & (s - 1)) &&
        (!(s & sn_ks_quant()) || same_fixed(c->tv[a].fixed, c->tv[b].fixed)))
        return true; /* one plain kind, or one kind with fixed scales */
    return c->expr[a] && c->expr[b] && sn_expr_equal(c->expr[a], c->expr[b]);
}

static void
narrow(SnRuleTv *c, int v, SnKindSet s, bool *changed)
{
    SnTv *t = &c->tv[sn_tv_top(c, v)];

    if (t->frozen || (t->set & s) == t->set)
        return;
    t->set &= s;
    *changed = true;
}

/* ---- tuples ---- */

/* Every node a pattern or term may be. */
static bool
matches_kind(const SnNodeTv *n, const SnDefNode *k)
{
    if (n->cls)
        return n->cls->member[k->kind / 64] >> k->kind % 64 & 1;
    if (k == n->node)
        return true;
    for (const SnDefNode *b = k->base; n->forms && b; b = b->base)
        if (b == n->node)
            return true;
    return false;
}

static SnKindSet
operand_set(const SnDefNode *n, const SnDefTuple *t, uint32_t p)
{
    return sn_ks(t->in[p]) | (n->in[p]->optional ? SN_KS_ABSENT : 0);
}

static bool
tuple_fits(const SnRuleTv *c, const SnNodeTv *n, const SnDefNode *k,
           const SnDefTuple *t, bool result)
{
    if (result && k->nout && n->res >= 0 &&
        !(sn_ks(t->out[0]) & sn_tv_set(c, n->res)))
        return false;
    for (uint32_t p = 0; n->arg && p < k->nin; p++)
        if (n->arg[p] >= 0 && !(operand_set(k, t, p) & sn_tv_set(c, n->arg[p])))
            return false;
    return true;
}

static void
narrow_node(SnRuleTv *c, const SnNodeTv *n, bool *changed)
{
    SnKindSet res = 0, *arg;
    uint32_t nin = n->arg ? n->node->nin : 0;

    arg = SN_NEW_N(c->rs->a, SnKindSet, nin);
    for (uint32_t i = 0; i < c->rs->defs->nnode; i++) {
        const SnDefNode *k = c->rs->defs->node[i];
        if (sn_resolve_bad(c->rs, k) || !matches_kind(n, k))
            continue;
        for (uint32_t j = 0; j < k->ntuple; j++) {
            const SnDefTuple *t = &k->tuple[j];
            if (!tuple_fits(c, n, k, t, true))
                continue;
            if (k->nout)
                res |= sn_ks(t->out[0]);
            for (uint32_t p = 0; p < nin; p++)
                arg[p] |= operand_set(k, t, p);
        }
    }
    if (n->res >= 0)
        narrow(c, n->res, res, changed);
    for (uint32_t p = 0; p < nin; p++)
        if (n->arg[p] >= 0)
            narrow(c, n->arg[p], arg[p], changed);
}

void
sn_tv_narrow(SnRuleTv *c, uint32_t from)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (uint32_t i = from; i < c->nnode; i++)
            narrow_node(c, &c->node[i], &changed);
    }
}

bool
sn_tv_fits(const SnRuleTv *c, const SnNodeTv *n, SnKindSet *miss)
{
    SnKindSet res = 0;
    bool any = false;

    for (uint32_t j = 0; j < n->node->ntuple; j++) {
        const SnDefTuple *t = &n->node->tuple[j];
        any |= tuple_fits(c, n, n->node, t, true);
        if (n->node->nout && tuple_fits(c, n, n->node, t, false))
            res |= sn_ks(t->out[0]);
    }
    *miss = n->res >= 0 ? sn_tv_set(c, n->res) & ~res & ~SN_KS_ABSENT : 0;
    return any;
}

/* ---- the left side ---- */

static SnExpr *
type_of(SnResolver *rs, const SnDefVar *v)
{
    SnExpr *n = sn_expr_new(rs->a, SN_E_NAME, v->pos, v->name);
    SnExpr *m = sn_expr_new(rs->a, SN_E_MEMBER, v->pos, "type");

    n->ty = v->vk == SN_V_NODE ? SN_TY_NODE : SN_TY_VALUE;
    n->rk = SN_R_VAR;
    n->ref = v;
    m->nkid = 1;
    m->kid = SN_NEW_N(rs->a, SnExpr *, 1);
    m->kid[0] = n;
    m->ty = SN_TY_ETYPE;
    return m;
}

static int pat_tv(SnRuleTv *c, const SnPat *p);

static int
pat_node_tv(SnRuleTv *c, const SnPat *p)
{
    SnNodeTv n = {
        .pat = p, .node = p->node, .cls = p->cls, .forms = p->pk == SN_P_FORMS};

    n.res = sn_tv_new(c, SN_KS_ALL & ~SN_KS_ABSENT,
                      p->cap ? type_of(c->rs, p->cap) : NULL);
    if (p->cap)
        c->var[p->cap->index] = n.res;
    if (n.node && n.node->nout && n.node->out[0]->fact == SN_FIXED)
        c->tv[n.res].fixed = n.node->out[0];
    if (n.node)
        n.arg = SN_NEW_N(c->rs->a, int, n.node->nin);
    SN_PUSH(c->rs->a, c->node, c->nnode, n);
    for (uint32_t i = 0; n.node && i < n.node->nin; i++)
        n.arg[i] = p->by_port[i] ? pat_tv(c, p->by_port[i]) : -1;
    return n.res;
}

static int
pat_tv(SnRuleTv *c, const SnPat *p)
{
    int v;

    switch (p->pk) {
    case SN_P_VAR:
    case SN_P_LIST:
        v = c->var[p->var->index];
        if (v < 0)
            v = sn_tv_new(c, SN_KS_ALL, type_of(c->rs, p->var));
        c->var[p->var->index] = v;
        break;
    case SN_P_EACH:
        return pat_tv(c, p->arg[0]);
    case SN_P_CALL:
    case SN_P_FORMS:
    case SN_P_ANY:
        v = pat_node_tv(c, p);
        break;
    default:
        v = sn_tv_new(c, SN_KS_ALL, NULL);
        break;
    }
    if (p->nconc) {
        SnKindSet s = 0;
        for (uint32_t i = 0; i < p->nconc; i++)
            s |= sn_ks(p->conc[i]);
        c->tv[sn_tv_top(c, v)].set &= s;
    }
    return v;
}

/* Ports of one same group have one type. */
static void
unify_same(SnRuleTv *c, const SnNodeTv *n)
{
    int first = -1;

    if (!n->node)
        return;
    if (n->node->nout && n->node->out[0]->fact == SN_SAME)
        first = n->res;
    for (uint32_t i = 0; i < n->node->nin; i++) {
        if (n->node->in[i]->fact != SN_SAME || n->arg[i] < 0)
            continue;
        if (first >= 0)
            unify(c, first, n->arg[i]);
        first = n->arg[i];
    }
}

/* The variable whose type e is (x.type, x), or NULL. */
static const SnDefVar *
typed_var(const SnExpr *e)
{
    if (e->ek == SN_E_MEMBER && e->word == SN_W_TYPE)
        e = e->kid[0];
    else
        return NULL;
    return e->ek == SN_E_NAME && e->rk == SN_R_VAR ? e->ref : NULL;
}

static SnKindSet
type_set(const SnExpr *e)
{
    const SnDefType *t = e->rk == SN_R_TYPE ? e->ref : NULL;
    SnKindSet s = 0;

    if (!t)
        return SN_KS_ALL;
    for (uint32_t i = 0; i < t->nconc; i++)
        s |= sn_ks(t->conc[i]);
    return s;
}

static void
condition(SnRuleTv *c, const SnExpr *e)
{
    const SnDefVar *a, *b;

    if (e->ek == SN_E_BIN && e->op == SN_OP_AND) {
        condition(c, e->kid[0]);
        condition(c, e->kid[1]);
        return;
    }
    if (e->ek == SN_E_CALL &&
        (e->fn == SN_FN_PRESENT || e->fn == SN_FN_CONST) &&
        e->kid[0]->ek == SN_E_NAME && e->kid[0]->rk == SN_R_VAR) {
        a = e->kid[0]->ref;
        if (c->var[a->index] >= 0)
            c->tv[sn_tv_top(c, c->var[a->index])].set &= ~SN_KS_ABSENT;
        return;
    }
    bool eq = e->ek == SN_E_BIN && e->op == SN_OP_EQ;
    if (!eq && e->ek != SN_E_IN)
        return;
    a = typed_var(e->kid[0]);
    b = eq ? typed_var(e->kid[1]) : NULL;
    if (eq && a && b && c->var[a->index] >= 0 && c->var[b->index] >= 0) {
        unify(c, c->var[a->index], c->var[b->index]);
        return;
    }
    SnKindSet s = 0;
    for (uint32_t i = 1; i < e->nkid; i++)
        s |= type_set(e->kid[i]);
    if (a && c->var[a->index] >= 0)
        c->tv[sn_tv_top(c, c->var[a->index])].set &= s;
    if (b && c->var[b->index] >= 0)
        c->tv[sn_tv_top(c, c->var[b->index])].set &= type_set(e->kid[0]);
}

void
sn_tv_left(SnRuleTv *c)
{
    c->var = SN_NEW_N(c->rs->a, int, c->r->nvar);
    for (uint32_t i = 0; i < c->r->nvar; i++)
        c->var[i] = -1;
    pat_tv(c, c->r->pat);
    c->nleft = c->nnode;
    for (uint32_t i = 0; i < c->nleft; i++)
        unify_same(c, &c->node[i]);
    if (c->r->when)
        condition(c, c->r->when);
    for (uint32_t i = 0; c->r->lower && i < c->ntv; i++)
        c->tv[sn_tv_top(c, (int)i)].set &= ~sn_ks_quant();
    sn_tv_narrow(c, 0);
    for (uint32_t i = 0; i < c->ntv; i++)
        c->tv[i].frozen = true;
}

int
sn_tv_expr(SnRuleTv *c, SnExpr *e)
{
    const SnDefVar *v = typed_var(e);

    if (v && c->var[v->index] >= 0)
        return c->var[v->index];
    return sn_tv_new(c, type_set(e), e);
}
