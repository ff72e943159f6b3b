// SPDX-License-Identifier: Apache-2.0
/* Building the calculus' trees from patterns and terms. */
#include "dsl/prove/calculus/prove_tree.h"

#include <string.h>
#include "dsl/resolve/resolver.h"

SnTree *
sn_calculus_out(SnCalculus *l, const char *why)
{
    if (!l->why)
        l->why = why;
    return NULL;
}

SnTree *
sn_calculus_tree(SnCalculus *l, SnTreeKind kind, const char *op, uint32_t n,
                 SnTree *const *kid)
{
    SnTree *t = SN_NEW(l->a, SnTree);

    t->kind = kind;
    t->op = op;
    t->nkid = n;
    t->kid = SN_NEW_N(l->a, SnTree *, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        t->kid[i] = kid[i];
        if (!kid[i])
            return sn_calculus_out(l, "a missing operand");
    }
    return t;
}

SnTree *
sn_calculus_fn(SnCalculus *l, SnFn fn, uint32_t n, SnTree *const *kid)
{
    SnTree *t = sn_calculus_tree(l, SN_TR_FN, sn_fns[fn].word, n, kid);

    if (t)
        t->fn = fn;
    return t;
}

SnTree *
sn_calculus_like(SnCalculus *l, const SnTree *t, uint32_t n, SnTree *const *kid)
{
    SnTree *r = sn_calculus_tree(l, t->kind, t->op, n, kid);

    if (r) {
        r->fn = t->fn;
        r->bin = t->bin;
        r->placed = t->placed;
        r->ranked = t->ranked;
    }
    return r;
}

/* ---- names ---- */

const char *
sn_calculus_name(SnCalculus *l, const char *s)
{
    return sn_texts_one(&l->names, s);
}

const char *
sn_calculus_rep(SnCalculus *l, const char *s)
{
    s = sn_calculus_name(l, s);
    for (uint32_t k = 0; k < 8; k++) {
        uint32_t i = 0;
        while (i < l->neq && l->eq[i][0] != s)
            i++;
        if (i == l->neq)
            return s;
        s = l->eq[i][1];
    }
    return s;
}

void
sn_calculus_equate(SnCalculus *l, const char *x, const char *y)
{
    x = sn_calculus_rep(l, x);
    y = sn_calculus_rep(l, y);
    if (l->neq < 64 && x != y) {
        bool f = x == l->f32 || x == l->full || x == l->none;
        l->eq[l->neq][0] = f ? y : x;
        l->eq[l->neq++][1] = f ? x : y;
    }
}

/* ---- printing: trees are compared as text ---- */

bool
sn_calculus_before(const char *a, const char *b)
{
    return strcmp(a, b) < 0;
}

static void
sort(const char **v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (sn_calculus_before(v[j], v[i])) {
                const char *s = v[i];
                v[i] = v[j];
                v[j] = s;
            }
}

/* Codes, or reals from codes: there is no -0 among them. */
static bool
has_one_zero(SnCalculus *l, const SnTree *t)
{
    return (sn_calculus_is_q(t) || sn_calculus_is_d(t)) &&
           !(sn_calculus_may(l, t->type).elems >> SN_F32 & 1);
}

/* Is it the same with its operands exchanged? */
static bool
commutes(SnCalculus *l, const SnTree *t)
{
    if (t->placed)
        return false;
    if (t->kind == SN_TR_BIN)
        return t->bin == SN_OP_MUL || t->bin == SN_OP_EQ ||
               t->bin == SN_OP_NE || t->bin == SN_OP_AND ||
               t->bin == SN_OP_OR || (t->bin == SN_OP_ADD && !l->ordered);
    /* for -0 and +0 these give the first */
    return sn_calculus_is_minmax(t, false) &&
           (!l->bits ||
            (has_one_zero(l, t->kid[0]) && has_one_zero(l, t->kid[1])));
}

const char *
sn_calculus_text(SnCalculus *l, const SnTree *t)
{
    SnBuf b;
    const char *v[32];
    uint32_t n = t->nkid < 32 ? t->nkid : 32;
    bool comm = commutes(l, t);

    for (uint32_t i = 0; i < n; i++)
        v[i] = sn_calculus_text(l, t->kid[i]);
    if (comm)
        sort(v, n);
    sn_buf_init(&b, l->a);
    sn_puts(&b, t->var ? sn_calculus_rep(l, t->op) : t->op);
    if (t->type)
        sn_putf(&b, ":%s", sn_calculus_rep(l, t->type));
    if (t->nsat) {
        sn_putc(&b, '[');
        sn_calculus_put_sats(l, &b, t);
        sn_putc(&b, ']');
    }
    if (n) {
        sn_putc(&b, '(');
        for (uint32_t i = 0; i < n; i++)
            sn_putf(&b, "%s%s", i ? ", " : "", v[i]);
        sn_putc(&b, ')');
    }
    return sn_calculus_name(l, sn_buf_str(&b));
}

/* ---- meanings ---- */

static SnTree *formula(SnCalculus *l, SnTreeNode *k, const SnExpr *e);

const char *
sn_calculus_attr(SnCalculus *l, const SnTreeNode *k, const SnDefAttr *a)
{
    return sn_calculus_rep(l, k->attr[a->index]);
}

/* Does the map read its operands in different ways? */
static bool
several(const SnTreeNode *k)
{
    const SnMapDecl *d = k->sem->decl ? k->sem->decl->decl : NULL;
    unsigned n = 0;

    for (unsigned i = 0; d && i < d->nparam; i++)
        n += d->param[i].kind == SN_MP_OPERAND;
    return d ? n > 1 : k->n->nin > 1;
}

/* The numbers of the arguments that e reads, in its order. */
static void
put_places(SnBuf *b, const SnTreeNode *k, const SnExpr *e)
{
    for (uint32_t i = 0; i < k->sem->narg && e->rk == SN_R_PORT; i++)
        if (k->sem->arg[i]->ref == e->ref)
            sn_putf(b, " #%u", i);
    for (uint32_t i = 0; i < e->nkid; i++)
        put_places(b, k, e->kid[i]);
}

/* The map with its arguments: the same for nodes that index alike. */
static const char *
map_key(SnCalculus *l, const SnTreeNode *k)
{
    SnBuf b;

    sn_buf_init(&b, l->a);
    sn_puts(&b, k->sem->map);
    for (uint32_t i = 0; i < k->sem->narg; i++) {
        const SnExpr *e = k->sem->arg[i];
        const char *s = sn_expr_str(l->a, e);
        if (e->rk == SN_R_PORT)
            continue;
        if (e->rk == SN_R_ATTR)
            s = sn_calculus_attr(l, k, e->ref);
        sn_putf(&b, " %s", s);
    }
    return sn_buf_str(&b);
}

bool
sn_calculus_is_real(SnCalculus *l, const char *type)
{
    return sn_calculus_rep(l, type) == l->f32;
}

/* Are non-real results made without reals? */
static bool
keeps_reals(const SnDefNode *n, uint32_t res)
{
    for (uint32_t i = 0; i < n->ntuple; i++) {
        bool real = false;
        for (uint32_t k = 0; k < n->nin; k++)
            real |= n->tuple[i].in[k].elem == SN_F32;
        if (real && n->tuple[i].out[res].elem != SN_F32)
            return false;
    }
    return true;
}

static SnTree *
quant(SnCalculus *l, SnTreeNode *k, SnTree *e)
{
    SnTree *q = sn_calculus_fn(l, SN_FN_Q, 1, &e);

    if (!q)
        return NULL;
    q->own = keeps_reals(k->n, k->sem->out ? k->sem->out->index : 0);
    q->type = k->tout;
    q->nsat = k->sem->clamp ? k->nsat : 0;
    q->sat = k->sat;
    return q;
}

/* q(e, type, clamp): rounded on the way, to attributes' type and clamp. */
static SnTree *
inner_quant(SnCalculus *l, SnTreeNode *k, const SnExpr *e)
{
    const char *of[2] = {NULL, NULL};
    SnTree *t = formula(l, k, e->kid[0]), *q;

    for (uint32_t i = 1; i < e->nkid && i < 3; i++) {
        if (e->kid[i]->rk != SN_R_ATTR)
            return sn_calculus_out(l, "a rounding to what no attribute names");
        of[i - 1] = sn_calculus_attr(l, k, e->kid[i]->ref);
    }
    if (sn_calculus_sums(e->kid[0]))
        t = sn_calculus_own(l, k, t, of[0]);
    q = sn_calculus_fn(l, SN_FN_Q, 1, &t);
    if (!q)
        return NULL;
    q->type = of[0];
    q->own = true; /* attributes name only types of codes */
    if (of[1])
        sn_calculus_add_sat(l, &q->nsat, &q->sat, of[1]);
    return q;
}

static SnTree *
deq(SnCalculus *l, SnTreeNode *k, const SnExpr *e)
{
    if (e->ek == SN_E_NAME && e->rk == SN_R_PORT) {
        const SnDefPort *p = e->ref;
        SnTree *t = sn_calculus_fn(l, SN_FN_D, 1, &k->in[p->index]);
        if (t)
            t->type = k->tin[p->index];
        return t;
    }
    if (e->fn == SN_FN_Q && e->nkid > 1) {
        SnTree *q = inner_quant(l, k, e),
               *t = sn_calculus_fn(l, SN_FN_D, 1, &q);
        if (t)
            t->type = q->type;
        return t;
    }
    return sn_calculus_out(l, "d(..) of something computed");
}

/* d of a missing operand, which a sum omits. */
static bool
is_missing(SnCalculus *l, const SnTree *t)
{
    return t && sn_calculus_is_d(t) && t->kid[0]->kind == SN_TR_NAME &&
           sn_calculus_rep(l, t->kid[0]->op) == l->none;
}

/* A function over the sets of the map, which its operands' places are part
 * of. */
static SnTree *
over(SnCalculus *l, SnTreeNode *k, const SnExpr *e)
{
    SnBuf b;
    bool was = k->inside;

    sn_buf_init(&b, l->a);
    sn_putf(&b, "%sover[%s", e->s, map_key(l, k));
    if (several(k))
        put_places(&b, k, e);
    if (k->sem->last)
        sn_puts(&b, " last");
    sn_putc(&b, ']');
    k->inside = true;
    SnTree *kid = formula(l, k, e->kid[0]);
    k->inside = was;
    SnTree *t =
        kid ? sn_calculus_tree(l, SN_TR_OVER, sn_buf_str(&b), 1, &kid) : NULL;
    if (t)
        t->fn = e->fn;
    return t;
}

static SnTree *
formula(SnCalculus *l, SnTreeNode *k, const SnExpr *e)
{
    static const char *const op[] = {"+", "-", "*", "/"};
    SnTree *kid[4] = {NULL}, *t;

    if (l->why)
        return NULL;
    if (e->ek == SN_E_NAME && e->rk == SN_R_PORT)
        return k->in[((const SnDefPort *)e->ref)->index];
    if (e->ek == SN_E_NAME || e->ek == SN_E_INT || e->ek == SN_E_REAL) {
        const char *s = sn_expr_str(l->a, e);
        if (e->rk == SN_R_ATTR)
            s = sn_calculus_attr(l, k, e->ref);
        if (e->rk == SN_R_MODE) /* not a name of the rule */
            s = sn_format(l->a, "round %s", s);
        return sn_calculus_tree(l, SN_TR_NAME, s, 0, NULL);
    }
    if (e->fn == SN_FN_D)
        return deq(l, k, e->kid[0]);
    if (e->fn == SN_FN_Q && e->nkid > 1)
        return inner_quant(l, k, e);
    if (e->nkid == 1 && k->sem->map &&
        (e->fn == SN_FN_MAX || e->fn == SN_FN_MIN || e->fn == SN_FN_SUM ||
         e->fn == SN_FN_MEAN || e->fn == SN_FN_ARGMAX || e->fn == SN_FN_ARGMIN))
        return over(l, k, e);
    for (uint32_t i = 0; i < e->nkid && i < 4; i++)
        kid[i] = formula(l, k, e->kid[i]);
    if (e->fn == SN_FN_Q)
        return quant(l, k, kid[0]);
    if (e->ek == SN_E_CALL && e->nkid <= 4) {
        t = sn_calculus_fn(l, e->fn, e->nkid, kid);
        if (t) {
            t->elem = true;
            t->placed = k->inside && several(k);
        }
        return t;
    }
    if (e->ek == SN_E_NEG)
        return sn_calculus_tree(l, SN_TR_NEG, "neg", 1, kid);
    if (e->ek != SN_E_BIN)
        return sn_calculus_out(l, "a formula outside the calculus");
    for (int i = 0; i < 2; i++)
        if (e->op == SN_OP_ADD && is_missing(l, kid[i]))
            return kid[!i];
    t = sn_calculus_tree(
        l, SN_TR_BIN,
        e->op <= SN_OP_DIV ? op[e->op] : sn_format(l->a, "cmp%d", (int)e->op),
        2, kid);
    if (t) {
        t->bin = e->op;
        t->placed = k->inside && several(k);
    }
    return t;
}

/* Does the map mix elements of one operand only by place (L1)? */
static bool
moves(const SnDefSem *s)
{
    return s->cls == SN_C_MOVE && s->formula && s->formula->ek == SN_E_NAME;
}

/* Is the result what an operand is, in another type?  Not all of its values may
 * fit. */
static bool
narrows(const SnDefNode *n, const SnDefSem *s, uint32_t res)
{
    bool any = false;

    if (s->cls == SN_C_MOVE || s->formula->rk != SN_R_PORT)
        return false;
    uint32_t i = ((const SnDefPort *)s->formula->ref)->index;
    for (uint32_t k = 0; k < n->ntuple; k++)
        any |= n->tuple[k].in[i].elem != n->tuple[k].out[res].elem;
    return any;
}

/* The meaning of result res. */
static SnTree *
meaning(SnCalculus *l, SnTreeNode *k, uint32_t res)
{
    k->sem = k->n->rsem[res];
    l->fills[l->right] |= k->sem->over == SN_MW_FILL;
    l->several |= k->n->nin > 1;
    if (!k->sem->formula)
        return sn_calculus_out(l, "a node without a formula");
    if (narrows(k->n, k->sem, res))
        return sn_calculus_out(l, "a number that changes its type");
    SnTree *t = formula(l, k, k->sem->formula);
    if (!t)
        return NULL;
    if (k->sem->formula->fn ==
        SN_FN_D) /* to the result's type, whatever it is */
        t = quant(l, k, t);
    if (k->sem->cls != SN_C_MOVE)
        return sn_calculus_row(l, k, t);
    if (!moves(k->sem))
        return sn_calculus_out(l, "a move that computes");
    /* operands that only say where: part of the key */
    SnBuf b;
    sn_buf_init(&b, l->a);
    sn_putf(&b, "move[%s", map_key(l, k));
    for (uint32_t i = 0; i < k->n->nin; i++)
        if (k->in[i] && k->in[i] != t)
            sn_putf(&b, " %s", sn_calculus_text(l, k->in[i]));
    sn_putc(&b, ']');
    SnTree *kid[2] = {t, k->sem->els ? formula(l, k, k->sem->els) : NULL};
    t = sn_calculus_tree(l, SN_TR_MOVE, sn_buf_str(&b), k->sem->els ? 2 : 1,
                         kid);
    if (t)
        t->ranked = k->sem->over == SN_MW_PERMUTE;
    return t;
}

/* ---- types and clamps as names ---- */

const char *
sn_calculus_type_expr(SnCalculus *l, const SnExpr *e)
{
    if (!e)
        return NULL;
    if (e->ek == SN_E_MEMBER && e->word == SN_W_TYPE &&
        e->kid[0]->rk == SN_R_VAR) {
        const SnDefVar *v = e->kid[0]->ref;
        return v->index < 64 ? l->type[v->index] : NULL;
    }
    return sn_expr_str(l->a, e);
}

void
sn_calculus_add_sat(SnCalculus *l, uint32_t *n, const char ***v, const char *s)
{
    if (sn_calculus_rep(l, s) == l->full ||
        sn_calculus_name(l, s) == sn_calculus_name(l, "@f32"))
        return;
    SN_PUSH(l->a, *v, *n, s);
}

/* ---- left side ---- */

static bool
all_f32(const SnDefNode *n, const SnDefPort *p)
{
    for (uint32_t i = 0; i < n->ntuple; i++)
        if ((p->out ? n->tuple[i].out : n->tuple[i].in)[p->index].elem !=
            SN_F32)
            return false;
    return n->ntuple > 0;
}

static const char *
own_type(SnCalculus *l, const SnDefNode *n, const SnDefPort *p,
         const char *name)
{
    if (all_f32(n, p))
        return "f32";
    return sn_format(l->a, "%s.type", name);
}

static SnTree *
leaf(SnCalculus *l, const char *name)
{
    SnTree *t = sn_calculus_tree(l, SN_TR_NAME, name, 0, NULL);

    t->var = true;
    return t;
}

static SnTree *
pat_var(SnCalculus *l, const SnPat *p, const char **type)
{
    uint32_t i = p->var->index;

    if (i >= 64)
        return sn_calculus_out(l, "too many variables");
    if (!l->bind[i]) {
        l->bind[i] = leaf(l, p->name);
        l->type[i] = *type ? *type : sn_format(l->a, "%s.type", p->name);
    } else if (*type && l->type[i]) {
        sn_calculus_equate(l, *type, l->type[i]);
    }
    *type = l->type[i];
    return l->bind[i];
}

/* The pattern says what some of them are. */
static const char **
own_attrs(SnCalculus *l, const SnDefNode *n, const SnPat *p, const char *name)
{
    const char **v = SN_NEW_N(l->a, const char *, n->nall + 1);

    for (uint32_t i = 0; i < n->nall; i++)
        v[n->all[i]->index] = sn_format(l->a, "%s.%s", name, n->all[i]->name);
    for (uint32_t i = 0; i < p->nasg; i++)
        if (p->asg[i].attr)
            sn_calculus_equate(l, v[p->asg[i].attr->index],
                               sn_expr_str(l->a, p->asg[i].e));
    return v;
}

/* ---- results after the first ---- */

static const SnDefPort *
later_port(const SnCalculus *l, const SnDefNode *n)
{
    return l->res < n->nout ? n->out[l->res] : NULL;
}

/* Results of the only node of the left side that has several. */
static void
later_of_left(SnCalculus *l, const SnTreeNode *k, const SnDefVar *cap,
              const char *name)
{
    const SnDefPort *p = later_port(l, k->n);
    SnTreeNode q = *k;

    if (l->later_of || !p) {
        sn_calculus_out(l, "later results of several nodes");
        return;
    }
    q.tout =
        p->fact == SN_SAME && k->n->out[0]->fact == SN_SAME
            ? k->tout
            : own_type(l, k->n, p, sn_format(l->a, "%s.%s", name, p->name));
    l->later_of = k->n;
    l->later_cap = cap;
    l->later_type = q.tout;
    l->later[1] = meaning(l, &q, l->res);
}

/* Results of the node that replaces it: with the same type, or in the group of
 * the first result. */
static void
later_of_right(SnCalculus *l, const SnTreeNode *k, const SnTerm *t)
{
    const SnDefPort *p = later_port(l, k->n);
    SnTreeNode q = *k;

    if (!p || l->later[0] || k->n != l->later_of || !l->later_cap ||
        t->like_var != l->later_cap) {
        sn_calculus_out(l, "later results of another node");
        return;
    }
    if (!(p->fact == SN_SAME && k->n->out[0]->fact == SN_SAME))
        q.tout = l->later_type;
    l->later[0] = meaning(l, &q, l->res);
}

static SnTree *
pat_node(SnCalculus *l, const SnPat *p, const char **type)
{
    const SnDefNode *n = p->pk == SN_P_CALL ? p->node
                         : l->pr->any       ? l->pr->any
                                            : p->node;
    SnTreeNode k = {.n = n};
    const char *name =
        p->capture ? p->capture : sn_format(l->a, "#%u", l->fresh++);
    const SnDefVar *cap = p->cap;

    if (!n || !n->nout)
        return sn_calculus_out(l, "a node without a result");
    k.in = SN_NEW_N(l->a, SnTree *, n->nin + 1);
    k.tin = SN_NEW_N(l->a, const char *, n->nin + 1);
    k.attr = own_attrs(l, n, p, name);
    k.tout = own_type(l, n, n->out[0], name);
    if (*type)
        sn_calculus_equate(l, k.tout, *type);
    if (cap && cap->index < 64)
        l->type[cap->index] = k.tout;
    for (uint32_t i = 0; i < n->nin; i++) {
        const SnPat *arg = p->by_port ? p->by_port[i] : NULL;
        const char *t = NULL;
        if (n->in[i]->fact == SN_SAME && n->out[0]->fact == SN_SAME)
            t = k.tout;
        else if (all_f32(n, n->in[i]))
            t = "f32";
        if (n->in[i]->variadic && arg && arg->pk == SN_P_EACH &&
            !l->pr->alike &&
            !(moves(n->rsem[0]) && sn_calculus_one_by_one(l->pr->r)))
            return sn_calculus_out(l, "operands of a list that may differ");
        if (n->in[i]->variadic && arg && arg->pk == SN_P_EACH)
            arg = arg->arg[0];
        else if (n->in[i]->variadic)
            return sn_calculus_out(l, "a list of operands");
        if (arg && arg->pk != SN_P_WILD)
            k.in[i] = sn_calculus_build_pat(l, arg, &t);
        else
            k.in[i] = leaf(l, sn_format(l->a, "%s.%s", name, n->in[i]->name));
        k.tin[i] = t ? t
                     : own_type(l, n, n->in[i],
                                sn_format(l->a, "%s.%s", name, n->in[i]->name));
    }
    *type = k.tout;
    sn_calculus_note_node(l, n, k.tin, k.tout);
    if (n->clamp) {
        const char *c = sn_format(l->a, "%s.%s", name, n->clamp->name);
        if (sn_calculus_rep(l, c) != l->full)
            sn_calculus_add_sat(l, &k.nsat, &k.sat, c);
        if (l->nclamp < 64) {
            l->clamp[l->nclamp][0] = sn_calculus_name(l, c);
            l->clamp[l->nclamp++][1] = k.tout;
        }
    }
    SnTree *t = n->nin == 0 && n->rsem[0]->cls == SN_C_SOURCE
                    ? leaf(l, name)
                    : meaning(l, &k, 0);
    if (cap && cap->index < 64)
        l->bind[cap->index] = t;
    if (l->res && n->nout > 1)
        later_of_left(l, &k, cap, name);
    return t;
}

SnTree *
sn_calculus_build_pat(SnCalculus *l, const SnPat *p, const char **type)
{
    if (l->why)
        return NULL;
    switch (p->pk) {
    case SN_P_VAR:
        return pat_var(l, p, type);
    case SN_P_CALL:
    case SN_P_FORMS:
    case SN_P_ANY:
        return pat_node(l, p, type);
    default:
        return sn_calculus_out(l, "a list of operands");
    }
}

/* ---- right side ---- */

static const char *
attr_text(SnCalculus *l, const SnExpr *e)
{
    const char *type =
        e->ty == SN_TY_ETYPE ? sn_calculus_type_expr(l, e) : NULL;

    return type ? type : sn_expr_str(l->a, e);
}

/* As assigned, like another node's, or as the declaration has it. */
static const char **
term_attrs(SnCalculus *l, const SnTerm *t)
{
    const SnDefNode *n = t->node;
    const char **v = SN_NEW_N(l->a, const char *, n->nall + 1);
    const SnDefNode *like = t->like_var ? t->like_var->node : NULL;

    if (t->like && !like)
        like = l->pr->any;
    for (uint32_t i = 0; i < n->nall; i++) {
        const SnDefAttr *a = n->all[i];
        v[a->index] = like && sn_def_attr(like, a->name)
                          ? sn_format(l->a, "%s.%s", t->like, a->name)
                      : a->def ? attr_text(l, a->def)
                               : sn_format(l->a, "#new%u", l->fresh++);
    }
    for (uint32_t i = 0; i < t->nasg; i++)
        if (t->asg[i].attr)
            v[t->asg[i].attr->index] = attr_text(l, t->asg[i].e);
    return v;
}

static SnTree *
term_call(SnCalculus *l, const SnTerm *t, const char **type)
{
    const SnDefNode *n = t->node;
    const SnExpr *te = t->type ? t->type : t->forced;
    SnTreeNode k = {.n = n};

    k.attr = term_attrs(l, t);
    k.in = SN_NEW_N(l->a, SnTree *, n->nin + 1);
    k.tin = SN_NEW_N(l->a, const char *, n->nin + 1);
    k.tout = all_f32(n, n->out[0]) ? "f32" : sn_calculus_type_expr(l, te);
    if (!k.tout)
        return sn_calculus_out(l, "a type nothing names");
    for (uint32_t i = 0; i < n->nin; i++) {
        const SnTerm *a =
            n->in[i]->variadic && t->nlist == 1 ? t->list[0] : t->by_port[i];
        const char *ty = NULL;
        if (n->in[i]->variadic &&
            (t->nlist != 1 || t->list[0]->tk != SN_T_EACH))
            return sn_calculus_out(l, "a list of operands");
        k.in[i] = a && a->tk != SN_T_NONE ? sn_calculus_build_term(l, a, &ty)
                                          : leaf(l, SN_CALCULUS_NONE);
        k.tin[i] = ty ? ty : sn_format(l->a, "?%u", l->fresh++);
    }
    bool own = n->clamp != NULL;
    for (uint32_t i = 0; i < t->nasg; i++) {
        const SnAsg *s = &t->asg[i];
        if (n->clamp && s->attr == n->clamp) {
            own = false;
            if (!sn_calculus_clamp(l, s->e, k.tout, &k.nsat, &k.sat))
                return sn_calculus_out(l, "a clamp outside the calculus");
        }
    }
    if (own && t->like_var && t->like_var->node && t->like_var->node->clamp) {
        const char *c = sn_format(l->a, "%s.%s", t->like, n->clamp->name);
        const char *of =
            t->like_var->index < 64 ? l->type[t->like_var->index] : NULL;
        if (!of)
            return sn_calculus_out(l, "a clamp of no known type");
        sn_calculus_add_clamp(l, &k.nsat, &k.sat, c, of,
                              sn_calculus_rep(l, k.tout));
    }
    *type = k.tout;
    sn_calculus_note_node(l, n, k.tin, k.tout); /* no rule makes such a node */
    if (n->nin == 0 && n->rsem[0]->cls == SN_C_SOURCE)
        return sn_calculus_out(l, "a new source");
    if (l->res && n->nout > 1)
        later_of_right(l, &k, t);
    return meaning(l, &k, 0);
}

/* copy n {clamp = e} : T is n's meaning with another last step. */
static SnTree *
term_copy(SnCalculus *l, const SnTerm *t, const char **type)
{
    uint32_t i = t->var->index;

    if (i >= 64 || !l->bind[i] || !sn_calculus_is_q(l->bind[i]))
        return sn_calculus_out(l, "a copy of a node that doesn't end in q");
    SnTree *q = sn_calculus_fn(l, SN_FN_Q, 1, &l->bind[i]->kid[0]);
    const SnExpr *te = t->type ? t->type : t->forced;
    q->type = te ? sn_calculus_type_expr(l, te) : l->type[i];
    if (!q->type)
        return sn_calculus_out(l, "a type nothing names");
    q->nsat = l->bind[i]->nsat;
    q->sat = l->bind[i]->sat;
    for (uint32_t k = 0; k < t->nasg; k++) {
        if (t->asg[k].word != SN_W_CLAMP)
            return sn_calculus_out(l, "a copy with another attribute");
        q->nsat = 0;
        q->sat = NULL;
        if (!sn_calculus_clamp(l, t->asg[k].e, q->type, &q->nsat, &q->sat))
            return sn_calculus_out(l, "a clamp outside the calculus");
    }
    if (t->nasg == 0 && q->nsat &&
        sn_calculus_rep(l, q->type) != sn_calculus_rep(l, l->type[i]))
        return sn_calculus_out(l, "a clamp of another type");
    *type = q->type;
    return q;
}

SnTree *
sn_calculus_build_term(SnCalculus *l, const SnTerm *t, const char **type)
{
    if (l->why)
        return NULL;
    switch (t->tk) {
    case SN_T_VAR:
        if (t->var->index >= 64 || !l->bind[t->var->index])
            return sn_calculus_out(l, "a variable of another kind");
        *type = l->type[t->var->index];
        return l->bind[t->var->index];
    case SN_T_CALL:
        return term_call(l, t, type);
    case SN_T_COPY:
        return term_copy(l, t, type);
    case SN_T_FUNC: /* regrid(b): b, with a rounding that its guard bounds */
        return sn_calculus_build_term(l, t->arg[0], type);
    case SN_T_EACH:
        return sn_calculus_build_term(l, t->arg[0], type);
    default:
        return sn_calculus_out(l, "a term outside the calculus");
    }
}
