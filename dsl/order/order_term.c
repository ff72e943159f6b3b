// SPDX-License-Identifier: Apache-2.0
/* Rules as rewrites of terms: written ones from their patterns, derived ones
 * from the facts that make them. */
#include <string.h>
#include "dsl/order/order_term.h"

uint32_t
sn_order_term_bit(SnDefConc c)
{
    if (c.elem < 0)
        return SN_ORDER_TERM_ABSENT;
    return UINT32_C(1) << (2 * c.elem + (c.axis >= 0));
}

bool
sn_order_term_every(const SnOrder *c, const SnOrderTerm *t,
                    bool (*f)(const SnDefNode *))
{
    if (t->var)
        return false;
    for (uint32_t i = 0; i < c->defs->nnode; i++)
        if (sn_order_term_has(t, c->defs->node[i]) && !f(c->defs->node[i]))
            return false;
    return true;
}

bool
sn_order_term_convert(const SnDefNode *n)
{
    return n->rsem[0]->cls == SN_C_CONVERT;
}

/* ---- making terms ---- */

static SnOrderTerm *
new_term(SnOrder *c, const char *name, uint32_t elems)
{
    SnOrderTerm *t = SN_NEW(c->a, SnOrderTerm);

    t->name = name;
    t->elems = elems;
    t->type = SN_NEW(c->a, SnOrderType);
    return t;
}

static SnOrderTerm *
new_var(SnOrder *c, const char *name, uint32_t elems)
{
    SnOrderTerm *t = new_term(c, name, elems);

    t->var = true;
    return t;
}

static SnOrderTerm *
new_node(SnOrder *c, const SnDefNode *n)
{
    SnOrderTerm *t =
        new_term(c, NULL,
                 n->nout ? SN_ORDER_TERM_ALL & ~SN_ORDER_TERM_ABSENT
                         : SN_ORDER_TERM_ALL);

    t->node = n;
    t->kinds = sn_order_set(c, n);
    t->narg = n->nin;
    t->arg = SN_NEW_N(c->a, SnOrderTerm *, n->nin + 1);
    return t;
}

/* Removes types that no tuple of the node has together. */
static void
narrow(SnOrderTerm *t)
{
    const SnDefNode *n = t->node;
    uint32_t out = 0, in[32] = {0};

    if (t->var || !n || t->open || n->nin > 32 || t->narg != n->nin)
        return;
    for (uint32_t k = 0; k < n->ntuple; k++) {
        const SnDefTuple *u = &n->tuple[k];
        bool ok = !n->nout || (t->elems & sn_order_term_bit(u->out[0]));
        for (uint32_t i = 0; i < n->nin && ok; i++)
            ok = (t->arg[i]->elems & (sn_order_term_bit(u->in[i]) |
                                      (n->in[i]->optional || n->in[i]->variadic
                                           ? SN_ORDER_TERM_ABSENT
                                           : 0))) != 0;
        if (!ok)
            continue;
        out |= n->nout ? sn_order_term_bit(u->out[0]) : t->elems;
        for (uint32_t i = 0; i < n->nin; i++)
            in[i] |= sn_order_term_bit(u->in[i]) |
                     (n->in[i]->optional ? SN_ORDER_TERM_ABSENT : 0);
    }
    t->elems &= out;
    for (uint32_t i = 0; i < n->nin; i++)
        t->arg[i]->elems &= in[i];
}

/* Ports of a `same` group have one type. */
static void
link_same(SnOrderTerm *t, int depth)
{
    const SnDefNode *n = t->node;

    for (uint32_t i = 0; i < t->narg && depth < 20; i++)
        link_same(t->arg[i], depth + 1);
    if (t->var || !n || t->open || !n->nout || n->out[0]->fact != SN_SAME)
        return;
    for (uint32_t i = 0; i < n->nin && i < t->narg; i++) {
        SnOrderType *a = t->type, *b = t->arg[i]->type;
        while (a->same)
            a = a->same;
        while (b->same)
            b = b->same;
        if (n->in[i]->fact == SN_SAME && a != b)
            b->same = a;
    }
}

/* Upwards, then downwards. */
static void
narrow_all(SnOrderTerm *t, int depth)
{
    for (uint32_t i = 0; i < t->narg && depth < 20; i++)
        narrow_all(t->arg[i], depth + 1);
    narrow(t);
}

static void
narrow_down(SnOrderTerm *t, int depth)
{
    narrow(t);
    for (uint32_t i = 0; i < t->narg && depth < 20; i++)
        narrow_down(t->arg[i], depth + 1);
}

/* ---- written rules ---- */

typedef struct Build {
    SnOrder *c;
    SnOrderRule *r;
    uint32_t swap, nswap; /* which commuting nodes are taken the other way */
    SnOrderTerm **let;    /* [nvar] */
} Build;

static uint32_t
conc_set(const SnDefConc *v, uint32_t n)
{
    uint32_t s = 0;

    for (uint32_t i = 0; i < n; i++)
        s |= sn_order_term_bit(v[i]);
    return s;
}

static bool
form_of(const SnDefNode *n, const SnDefNode *base)
{
    while (n && n != base)
        n = n->base;
    return n != NULL;
}

static SnOrderTerm *
pat_var(Build *b, const SnPat *p)
{
    SnOrderTerm **slot = p->var ? &b->r->var[p->var->index] : NULL;

    if (slot && *slot)
        return *slot;
    SnOrderTerm *t =
        new_var(b->c, p->var ? p->var->name : NULL, SN_ORDER_TERM_ALL);
    if (slot)
        *slot = t;
    return t;
}

static SnOrderTerm *pattern(Build *b, const SnPat *p);

static SnOrderTerm *
pat_call(Build *b, const SnPat *p)
{
    SnOrderTerm *t = new_node(b->c, p->node);

    if (p->pk == SN_P_FORMS) {
        uint64_t *k = sn_order_set(b->c, NULL);
        for (uint32_t i = 0; i < b->c->defs->nnode; i++) {
            const SnDefNode *n = b->c->defs->node[i];
            if (form_of(n, p->node))
                k[n->kind / 64] |= UINT64_C(1) << n->kind % 64;
        }
        t->kinds = k;
        t->node = NULL;
    }
    for (uint32_t i = 0; i < p->node->nin; i++)
        t->arg[i] = p->by_port[i] ? pattern(b, p->by_port[i])
                                  : new_var(b->c, NULL, SN_ORDER_TERM_ALL);
    const int8_t *m = p->node->comm;
    if (m[0] >= 0 && m[1] >= 0 && m[0] != m[1] &&
        !(t->arg[m[0]]->var && t->arg[m[1]]->var) &&
        (b->swap >> b->nswap++ & 1)) {
        SnOrderTerm *x = t->arg[m[0]];
        t->arg[m[0]] = t->arg[m[1]];
        t->arg[m[1]] = x;
    }
    return t;
}

static SnOrderTerm *
pattern(Build *b, const SnPat *p)
{
    SnOrderTerm *t;

    switch (p->pk) {
    case SN_P_CALL:
    case SN_P_FORMS:
        t = pat_call(b, p);
        break;
    case SN_P_ANY:
        t = new_term(b->c, NULL, SN_ORDER_TERM_ALL & ~SN_ORDER_TERM_ABSENT);
        t->kinds = p->cls->member;
        t->open = true;
        break;
    case SN_P_EACH:
        return pattern(b, p->arg[0]);
    default:
        t = pat_var(b, p);
        break;
    }
    t->once |= p->nuse == 1;
    t->nasg = p->nasg;
    t->asg = p->asg;
    if (p->nconc)
        t->elems &= conc_set(p->conc, p->nconc);
    if (p->cap) {
        t->name = p->cap->name;
        b->r->var[p->cap->index] = t;
    }
    return t;
}

static SnOrderTerm *term(Build *b, const SnTerm *t);

/* Made only from attributes. */
static bool
is_data(const SnOrderTerm *t)
{
    return t->fresh && t->narg == 0 && t->node && !t->node->has_effect;
}

static SnOrderTerm *
call_term(Build *b, const SnTerm *s)
{
    SnOrderTerm *t = new_node(b->c, s->node);
    uint32_t extra = s->nlist > 1 ? s->nlist - 1 : 0;

    t->fresh = true;
    if (extra)
        t->arg = SN_NEW_N(b->c->a, SnOrderTerm *, s->node->nin + extra + 1);
    for (uint32_t i = 0; i < s->node->nin; i++)
        t->arg[i] = s->by_port[i] ? term(b, s->by_port[i])
                                  : new_var(b->c, NULL, SN_ORDER_TERM_ABSENT);
    for (uint32_t i = 0; i < extra; i++)
        t->arg[t->narg++] = term(b, s->list[i + 1]);
    if (s->like_var)
        t->like = b->r->var[s->like_var->index];
    t->is_const = t->narg > 0;
    for (uint32_t i = 0; i < t->narg; i++)
        t->is_const &= t->arg[i]->is_const ||
                       t->arg[i]->elems == SN_ORDER_TERM_ABSENT ||
                       is_data(t->arg[i]);
    return t;
}

static SnOrderTerm *
copy_term(Build *b, const SnTerm *s)
{
    SnOrderTerm *like = b->r->var[s->var->index];
    SnOrderTerm *t =
        new_term(b->c, NULL, SN_ORDER_TERM_ALL & ~SN_ORDER_TERM_ABSENT);

    t->fresh = t->copy = true;
    t->like = like;
    t->node = like->node;
    t->kinds = like->kinds;
    t->open = like->open;
    t->narg = like->narg;
    t->arg = like->arg;
    return t;
}

static bool
type_var(const SnExpr *e, const SnDefVar **v)
{
    if (e && e->ek == SN_E_MEMBER && e->word == SN_W_TYPE &&
        e->kid[0]->rk == SN_R_VAR)
        *v = e->kid[0]->ref;
    else if (e && e->ek == SN_E_NAME && e->rk == SN_R_VAR)
        *v = e->ref;
    else
        return false;
    return true;
}

static SnOrderTerm *
term(Build *b, const SnTerm *s)
{
    const SnDefVar *v;
    SnOrderTerm *t = NULL;

    switch (s->tk) {
    case SN_T_VAR:
        if (s->var->vk != SN_V_LET)
            return b->r->var[s->var->index];
        if (!b->let[s->var->index])
            b->let[s->var->index] = term(b, s->var->let);
        return b->let[s->var->index];
    case SN_T_EACH:
        return term(b, s->arg[0]);
    case SN_T_NONE:
        return new_var(b->c, NULL, SN_ORDER_TERM_ABSENT);
    case SN_T_FUNC:
        if (s->fn != SN_FN_FOLD || !b->c->constant)
            return term(b, s->arg[0]);
        t = new_node(b->c, b->c->constant);
        t->fresh = t->is_const = true;
        t->type_of = term(b, s->arg[0]);
        t->elems &= t->type_of->elems;
        return t;
    case SN_T_CALL:
        t = call_term(b, s);
        break;
    case SN_T_COPY:
        t = copy_term(b, s);
        break;
    }
    t->nasg = s->nasg;
    t->asg = s->asg;
    t->type_expr = s->type ? s->type : s->forced;
    if (type_var(t->type_expr, &v) && b->r->var[v->index]) {
        t->type_of = b->r->var[v->index];
        t->elems &= t->type_of->elems;
    } else if (t->type_expr && t->type_expr->rk == SN_R_TYPE) {
        const SnDefType *ty = t->type_expr->ref;
        t->elems &= conc_set(ty->conc, ty->nconc);
    }
    narrow(t);
    return t;
}

/* ---- conditions ---- */

static void
conjuncts(SnOrder *c, SnOrderRule *r, const SnExpr *e)
{
    if (!e)
        return;
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND) {
        conjuncts(c, r, e->kid[0]);
        conjuncts(c, r, e->kid[1]);
        return;
    }
    SN_PUSH(c->a, r->guard, r->nguard, e);
}

static uint32_t
types_named(const SnExpr *e)
{
    uint32_t s = 0;

    if (e->ek == SN_E_LIST || e->ek == SN_E_IN) {
        for (uint32_t i = e->ek == SN_E_IN; i < e->nkid; i++)
            s |= types_named(e->kid[i]);
        return s;
    }
    if (e->rk != SN_R_TYPE)
        return SN_ORDER_TERM_ALL;
    const SnDefType *t = e->ref;
    return conc_set(t->conc, t->nconc);
}

/* Narrows possible types by a condition. */
static void
guard_types(SnOrderRule *r, const SnExpr *e)
{
    const SnDefVar *v, *w;

    if (e->fn == SN_FN_CONST && e->nkid == 1 && e->kid[0]->rk == SN_R_VAR) {
        v = e->kid[0]->ref;
        if (r->var[v->index])
            r->var[v->index]->is_const = true;
    }
    if (e->ek == SN_E_IN && type_var(e->kid[0], &v) && r->var[v->index])
        r->var[v->index]->elems &= types_named(e);
    if (e->ek != SN_E_BIN || e->op != SN_OP_EQ)
        return;
    for (int k = 0; k < 2; k++)
        if (type_var(e->kid[k], &v) && e->kid[!k]->rk == SN_R_TYPE &&
            r->var[v->index])
            r->var[v->index]->elems &= types_named(e->kid[!k]);
    if (type_var(e->kid[0], &v) && type_var(e->kid[1], &w) &&
        r->var[v->index] && r->var[w->index]) {
        uint32_t both = r->var[v->index]->elems & r->var[w->index]->elems;
        r->var[v->index]->elems = r->var[w->index]->elems = both;
    }
}

static SnOrderRule *
written(SnOrder *c, const SnDefPass *p, const SnDefRule *rule, uint32_t swap,
        uint32_t *nswap)
{
    SnOrderRule *r = SN_NEW(c->a, SnOrderRule);
    Build b = {.c = c, .r = r, .swap = swap};

    r->pass = p;
    r->rule = rule;
    r->name = r->label = rule->name;
    r->pos = rule->pos;
    r->var = SN_NEW_N(c->a, SnOrderTerm *, rule->nvar + 1);
    b.let = SN_NEW_N(c->a, SnOrderTerm *, rule->nvar + 1);
    r->lhs = pattern(&b, rule->pat);
    *nswap = b.nswap;
    conjuncts(c, r, rule->when);
    for (int k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < r->nguard; i++)
            guard_types(r, r->guard[i]);
        narrow_all(r->lhs, 0);
        narrow_down(r->lhs, 0);
    }
    link_same(r->lhs, 0);
    if (!rule->rhs)
        return r;
    SnOrderTerm *t = term(&b, rule->rhs);
    SN_PUSH(c->a, r->rhs, r->nrhs, t);
    for (uint32_t i = 0; i < rule->nmore; i++) {
        t = term(&b, rule->more[i]);
        SN_PUSH(c->a, r->rhs, r->nrhs, t);
    }
    return r;
}

/* ---- derived instances ---- */

static SnOrderTerm *
var_operands(SnOrder *c, const SnDefNode *n)
{
    SnOrderTerm *t = new_node(c, n);

    for (uint32_t i = 0; i < n->nin; i++)
        t->arg[i] = new_var(c, n->in[i]->name,
                            n->in[i]->optional
                                ? SN_ORDER_TERM_ALL
                                : SN_ORDER_TERM_ALL & ~SN_ORDER_TERM_ABSENT);
    return t;
}

static SnOrderTerm *
over(SnOrder *c, const SnDefNode *n, SnOrderTerm *x)
{
    SnOrderTerm *t = new_node(c, n);

    t->arg[0] = x;
    return t;
}

static SnOrderTerm *
changed(SnOrder *c, const SnOrderTerm *old, const SnOrderTerm *type_of)
{
    SnOrderTerm *t = new_node(c, old->node);

    t->fresh = true;
    t->like = old;
    t->type_of = type_of;
    t->elems = type_of->elems;
    memcpy(t->arg, old->arg, old->narg * sizeof *old->arg);
    return t;
}

static SnOrderRule *
instance(SnOrder *c, const SnDefPass *p, const SnDefDerive *v,
         const SnDefNode *n, uint32_t port)
{
    SnOrderRule *r = SN_NEW(c->a, SnOrderRule);

    r->pass = p;
    r->derive = v;
    r->node = n;
    r->port = port;
    r->name = v->family;
    r->label = port < n->nin ? sn_format(c->a, "%s %s.%s", v->family, n->name,
                                         n->in[port]->name)
                             : sn_format(c->a, "%s %s", v->family, n->name);
    r->pos = v->pos;
    r->first = true;
    return r;
}

static void
right(SnOrder *c, SnOrderRule *r, SnOrderTerm *t)
{
    narrow_all(r->lhs, 0);
    narrow_down(r->lhs, 0);
    narrow_all(t, 0);
    link_same(r->lhs, 0);
    SN_PUSH(c->a, r->rhs, r->nrhs, t);
}

static SnOrderRule *
absorb(SnOrder *c, const SnDefPass *p, const SnDefDerive *v, const SnDefNode *n,
       const SnDefNode *what, uint32_t port)
{
    SnOrderRule *r = instance(c, p, v, n, port);
    SnOrderTerm *x = new_var(c, "x", SN_ORDER_TERM_ALL & ~SN_ORDER_TERM_ABSENT);

    r->lhs = var_operands(c, n);
    r->lhs->arg[port] = over(c, what, x);
    SnOrderTerm *t = changed(c, r->lhs, r->lhs);
    t->arg[port] = x;
    right(c, r, t);
    return r;
}

static SnOrderRule *
merge(SnOrder *c, const SnDefPass *p, const SnDefDerive *v, const SnDefNode *n,
      const SnDefNode *what)
{
    SnOrderRule *r = instance(c, p, v, n, n->nin);
    SnOrderTerm *y = var_operands(c, n);

    y->once = true;
    r->lhs = over(c, what, y);
    right(c, r, changed(c, y, r->lhs));
    return r;
}

/* The operands that have the sinking node above them. */
typedef enum Over { OVER_PORT, OVER_GROUP, OVER_ALL } Over;

static SnOrderRule *
sink(SnOrder *c, const SnDefPass *p, const SnDefDerive *v, const SnDefNode *n,
     const SnDefNode *what, uint32_t port, Over which)
{
    SnOrderRule *r = instance(c, p, v, n, port);
    SnOrderTerm *conv = NULL, *x = NULL;

    r->lhs = var_operands(c, n);
    SnOrderTerm *low = new_node(c, n);
    memcpy(low->arg, r->lhs->arg, n->nin * sizeof *low->arg);
    for (uint32_t i = 0; i < n->nin; i++) {
        if (which == OVER_GROUP  ? n->in[i]->fact != SN_SAME
            : which == OVER_PORT ? i != port
                                 : false)
            continue;
        SnOrderTerm *y = r->lhs->arg[i];
        SnOrderTerm *o = over(c, what, y);
        o->once = true;
        if (conv)
            o->type = conv->type, y->type = x->type;
        r->lhs->arg[i] = o;
        low->arg[i] = y;
        if (!conv)
            conv = o, x = y;
    }
    if (!x)
        sn_bug("sink through %s, which has no such operand", n->name);
    low->fresh = true;
    low->like = r->lhs;
    low->type_of = x;
    low->elems = x->elems;
    SnOrderTerm *t = over(c, what, low);
    t->fresh = true;
    t->like = conv;
    t->type_of = r->lhs;
    right(c, r, t);
    return r;
}

static SnOrderRule *
integerize(SnOrder *c, const SnDefPass *p, const SnDefDerive *v,
           const SnDefNode *n)
{
    SnOrderRule *r = instance(c, p, v, n, n->nin);

    r->lhs = var_operands(c, n);
    r->lhs->elems = UINT32_C(1) << 2 * SN_F32;
    r->floats = true;
    narrow_all(r->lhs, 0);
    return r;
}

/* ---- a pass ---- */

typedef struct List {
    uint32_t n;
    SnOrderRule **v;
} List;

static void
push(SnOrder *c, List *l, SnOrderRule *r, uint32_t step)
{
    r->step = step;
    SN_PUSH(c->a, l->v, l->n, r);
}

static void
instances(SnOrder *c, const SnDefPass *p, const SnDefDerive *v,
          const SnDefNode *n, uint32_t step, List *l)
{
    const SnDefNode *what = v->what ? sn_def_node(c->defs, v->what) : NULL;

    if (v->fam == SN_FAM_INTEGERIZE) {
        push(c, l, integerize(c, p, v, n), step);
    } else if (v->fam == SN_FAM_MERGE) {
        push(c, l, merge(c, p, v, n, what), step);
    } else if (v->fam == SN_FAM_ABSORB) {
        for (uint32_t i = 0; i < n->nin; i++)
            if (n->family.absorb >> i & 1)
                push(c, l, absorb(c, p, v, n, what, i), step);
    } else if (sn_order_term_convert(what)) {
        uint32_t i = 0;
        while (i < n->nin && n->in[i]->fact != SN_SAME)
            i++;
        if (i < n->nin)
            push(c, l, sink(c, p, v, n, what, i, OVER_GROUP), step);
    } else if (what->rsem[0]->over == SN_MW_RESHAPE) {
        push(c, l, sink(c, p, v, n, what, 0, OVER_ALL), step);
    } else {
        for (uint32_t i = 0; i < n->nin; i++)
            push(c, l, sink(c, p, v, n, what, i, OVER_PORT), step);
    }
}

uint32_t
sn_order_rule_all(SnOrder *c, const SnDefPass *p, SnOrderRule ***v)
{
    List l = {0};

    for (uint32_t i = 0; i < p->nstep; i++) {
        const SnDefDerive *d = p->step[i].derive;
        const SnDefRule *rule = p->step[i].rule;
        for (uint32_t k = 0; d && d->member && k < c->defs->nnode; k++) {
            const SnDefNode *n = c->defs->node[k];
            if (d->member[n->kind / 64] >> n->kind % 64 & 1)
                instances(c, p, d, n, i, &l);
        }
        if (!rule || !rule->pat)
            continue;
        uint32_t nswap = 0;
        for (uint32_t s = 0; s == 0 || s < UINT32_C(1) << nswap; s++) {
            SnOrderRule *r = written(c, p, rule, s, &nswap);
            nswap = nswap > 3 ? 3 : nswap;
            r->first = s == 0;
            push(c, &l, r, i);
        }
    }
    *v = l.v;
    return l.n;
}

/* ---- text ---- */

static void
put(const SnOrder *c, SnBuf *b, const SnOrderTerm *t, int depth)
{
    while (t->bind || t->match)
        t = t->bind ? t->bind : t->match;
    if (t->var || depth > 20) {
        sn_puts(b, t->name                            ? t->name
                   : t->elems == SN_ORDER_TERM_ABSENT ? "_"
                                                      : "_");
        return;
    }
    const SnDefNode *n = t->node;
    for (uint32_t i = 0; !n && i < c->defs->nnode; i++)
        if (sn_order_term_has(t, c->defs->node[i]))
            n = c->defs->node[i];
    sn_puts(b, n ? n->name : "?");
    if (t->open) {
        sn_puts(b, "(..)");
        return;
    }
    sn_putc(b, '(');
    for (uint32_t i = 0; i < t->narg; i++) {
        if (i)
            sn_puts(b, ", ");
        put(c, b, t->arg[i], depth + 1);
        if (n && i < n->nin && n->in[i]->variadic)
            sn_puts(b, "..");
    }
    sn_putc(b, ')');
}

void
sn_order_term_put(const SnOrder *c, SnBuf *b, const SnOrderTerm *t)
{
    put(c, b, t, 0);
}

const char *
sn_order_term_str(const SnOrder *c, const SnOrderTerm *t)
{
    SnBuf b;

    sn_buf_init(&b, c->a);
    sn_order_term_put(c, &b, t);
    return sn_buf_str(&b);
}

uint64_t *
sn_order_set(SnOrder *c, const SnDefNode *n)
{
    uint64_t *s = SN_NEW_N(c->a, uint64_t, c->nword);

    if (n)
        s[n->kind / 64] |= UINT64_C(1) << n->kind % 64;
    return s;
}
