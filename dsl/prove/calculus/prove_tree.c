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

static void
equate(SnCalculus *l, const char *x, const char *y)
{
    x = sn_calculus_rep(l, x);
    y = sn_calculus_rep(l, y);
    if (l->neq < 16 && x != y) {
        bool f = x == l->f32 || x == l->full || x == l->none;
        l->eq[l->neq][0] = f ? y : x;
        l->eq[l->neq++][1] = f ? x : y;
    }
}

/* ---- printing: trees are compared as text ---- */

static void
sort(const char **v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i + 1; j < n; j++)
            if (strcmp(v[i], v[j]) > 0) {
                const char *s = v[i];
                v[i] = v[j];
                v[j] = s;
            }
}

static void
put_sats(SnCalculus *l, SnBuf *b, const SnTree *t)
{
    const char *v[25];
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->nsat && n < 24; i++) {
        uint32_t k = 0;
        v[n] = sn_calculus_rep(l, t->sat[i]);
        while (v[k] != v[n])
            k++;
        n += k == n;
    }
    sort(v, n);
    for (uint32_t i = 0; i < n; i++)
        sn_putf(b, "%s%s", i ? "," : "", v[i]);
}

/* Codes, or reals that are none: there is no -0 among them. */
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
    if (t->kind == SN_TR_BIN)
        return t->bin == SN_OP_MUL || t->bin == SN_OP_EQ ||
               t->bin == SN_OP_NE || t->bin == SN_OP_AND ||
               t->bin == SN_OP_OR || (t->bin == SN_OP_ADD && !l->ordered);
    /* of -0 and +0 these give the first */
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
        put_sats(l, &b, t);
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

static SnTree *
quant(SnCalculus *l, SnTreeNode *k, SnTree *e)
{
    SnTree *q = sn_calculus_fn(l, SN_FN_Q, 1, &e);

    if (!q)
        return NULL;
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

/* d of an operand that is not there, which a sum leaves out. */
static bool
is_missing(SnCalculus *l, const SnTree *t)
{
    return t && sn_calculus_is_d(t) && t->kid[0]->kind == SN_TR_NAME &&
           sn_calculus_rep(l, t->kid[0]->op) == l->none;
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
        return sn_calculus_tree(l, SN_TR_NAME, s, 0, NULL);
    }
    if (e->fn == SN_FN_D)
        return deq(l, k, e->kid[0]);
    if (e->fn == SN_FN_Q && e->nkid > 1)
        return inner_quant(l, k, e);
    for (uint32_t i = 0; i < e->nkid && i < 4; i++)
        kid[i] = formula(l, k, e->kid[i]);
    if (e->fn == SN_FN_Q)
        return quant(l, k, kid[0]);
    if (e->nkid == 1 && k->sem->map &&
        (e->fn == SN_FN_MAX || e->fn == SN_FN_MIN || e->fn == SN_FN_SUM ||
         e->fn == SN_FN_MEAN)) {
        t = sn_calculus_tree(l, SN_TR_OVER,
                             sn_format(l->a, "%sover[%s]", e->s, map_key(l, k)),
                             1, kid);
        if (t)
            t->fn = e->fn;
        return t;
    }
    if (e->ek == SN_E_CALL && e->nkid <= 4) {
        t = sn_calculus_fn(l, e->fn, e->nkid, kid);
        if (t)
            t->elem = true;
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
    if (t)
        t->bin = e->op;
    return t;
}

/* Does the map mix elements of one operand only by place (L1)? */
static bool
moves(const SnDefSem *s)
{
    return s->cls == SN_C_MOVE && s->formula && s->formula->ek == SN_E_NAME;
}

static SnTree *
meaning(SnCalculus *l, SnTreeNode *k)
{
    k->sem = k->n->rsem[0];
    if (!k->sem->formula)
        return sn_calculus_out(l, "a node without a formula");
    SnTree *t = formula(l, k, k->sem->formula);
    if (!t)
        return NULL;
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
    return sn_calculus_tree(l, SN_TR_MOVE, sn_buf_str(&b), k->sem->els ? 2 : 1,
                            kid);
}

/* ---- types and clamps as names ---- */

static const char *
type_expr(SnCalculus *l, const SnExpr *e)
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

/* The saturations that a clamp expression stands for. */
static bool
clamp_expr(SnCalculus *l, const SnExpr *e, uint32_t *n, const char ***v)
{
    if (e->ek == SN_E_NAME && e->word == SN_W_FULL)
        return true;
    if (e->ek == SN_E_MEMBER && e->kid[0]->rk == SN_R_VAR &&
        e->ty == SN_TY_RANGE) {
        sn_calculus_add_sat(l, n, v, sn_expr_str(l->a, e));
        return true;
    }
    if (e->fn == SN_FN_MEET)
        return clamp_expr(l, e->kid[0], n, v) && clamp_expr(l, e->kid[1], n, v);
    if (e->fn == SN_FN_IMAGE) {
        const SnExpr *m = e->kid[1];
        if (!clamp_expr(l, e->kid[0], n, v) || m->rk != SN_R_VAR)
            return false;
        const SnDefVar *mv = m->ref;
        if (mv->index < 64 && l->type[mv->index])
            l->along |= sn_calculus_may(l, l->type[mv->index]).axis;
        if (mv->index < 64 && l->type[mv->index])
            sn_calculus_add_sat(
                l, n, v,
                sn_format(l->a, "@%s", sn_calculus_rep(l, l->type[mv->index])));
        return true;
    }
    if (e->fn == SN_FN_BOUNDS) {
        const char *s = sn_expr_str(l->a, e);
        sn_calculus_add_sat(l, n, v, s);
        if (l->nbound < 4) {
            l->bound[l->nbound].name = sn_calculus_name(l, s);
            l->bound[l->nbound++].e = e;
        }
        return true;
    }
    return false;
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
        equate(l, *type, l->type[i]);
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
            equate(l, v[p->asg[i].attr->index], sn_expr_str(l->a, p->asg[i].e));
    return v;
}

static SnTree *
pat_node(SnCalculus *l, const SnPat *p, const char **type)
{
    const SnDefNode *n = p->pk == SN_P_CALL ? p->node
                         : l->pr->any       ? l->pr->any
                                            : p->node;
    SnTreeNode k = {.n = n};
    const char *name =
        p->capture ? p->capture : sn_format(l->a, "n%u", l->fresh++);
    const SnDefVar *cap = p->cap;

    if (!n || !n->nout)
        return sn_calculus_out(l, "a node without a result");
    k.in = SN_NEW_N(l->a, SnTree *, n->nin + 1);
    k.tin = SN_NEW_N(l->a, const char *, n->nin + 1);
    k.attr = own_attrs(l, n, p, name);
    k.tout = own_type(l, n, n->out[0], name);
    if (*type)
        equate(l, k.tout, *type);
    if (cap && cap->index < 64)
        l->type[cap->index] = k.tout;
    for (uint32_t i = 0; i < n->nin; i++) {
        const SnPat *arg = p->by_port ? p->by_port[i] : NULL;
        const char *t = NULL;
        if (n->in[i]->fact == SN_SAME && n->out[0]->fact == SN_SAME)
            t = k.tout;
        else if (all_f32(n, n->in[i]))
            t = "f32";
        if (n->in[i]->variadic && arg && arg->pk == SN_P_EACH && !l->pr->alike)
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
    }
    SnTree *t = n->nin == 0 && n->rsem[0]->cls == SN_C_SOURCE ? leaf(l, name)
                                                              : meaning(l, &k);
    if (cap && cap->index < 64)
        l->bind[cap->index] = t;
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
    const char *type = e->ty == SN_TY_ETYPE ? type_expr(l, e) : NULL;

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
                               : sn_format(l->a, "new%u", l->fresh++);
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
    k.tout = all_f32(n, n->out[0]) ? "f32" : type_expr(l, te);
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
                                          : leaf(l, "none");
        k.tin[i] = ty ? ty : sn_format(l->a, "?%u", l->fresh++);
    }
    bool own = n->clamp != NULL;
    for (uint32_t i = 0; i < t->nasg; i++) {
        const SnAsg *s = &t->asg[i];
        if (n->clamp && s->attr == n->clamp) {
            own = false;
            if (!clamp_expr(l, s->e, &k.nsat, &k.sat))
                return sn_calculus_out(l, "a clamp outside the calculus");
        }
    }
    if (own && t->like_var && t->like_var->node && t->like_var->node->clamp) {
        const char *c = sn_format(l->a, "%s.%s", t->like, n->clamp->name);
        if (sn_calculus_rep(l, c) != l->full)
            sn_calculus_add_sat(l, &k.nsat, &k.sat, c);
    }
    *type = k.tout;
    sn_calculus_note_node(l, n, k.tin, k.tout); /* no rule makes what is none */
    if (n->nin == 0 && n->rsem[0]->cls == SN_C_SOURCE)
        return sn_calculus_out(l, "a new source");
    return meaning(l, &k);
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
    q->type = te ? type_expr(l, te) : l->type[i];
    q->nsat = l->bind[i]->nsat;
    q->sat = l->bind[i]->sat;
    for (uint32_t k = 0; k < t->nasg; k++) {
        if (t->asg[k].word != SN_W_CLAMP)
            return sn_calculus_out(l, "a copy with another attribute");
        q->nsat = 0;
        q->sat = NULL;
        if (!clamp_expr(l, t->asg[k].e, &q->nsat, &q->sat))
            return sn_calculus_out(l, "a clamp outside the calculus");
    }
    *type = q->type;
    return q->type ? q : sn_calculus_out(l, "a type nothing names");
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

/* ---- what the guard says ---- */

static SnCover
cover(SnCalculus *l, const SnExpr *e)
{
    const char *s = sn_expr_str(l->a, e);
    SnCover c = {.reach = NULL};

    if (e->fn == SN_FN_REACH && e->kid[0]->rk == SN_R_VAR) {
        c.reach = e->kid[0]->ref;
        s = sn_format(l->a, "reach %s", e->kid[0]->s);
        if (c.reach->index < 64 && l->type[c.reach->index])
            l->along |= sn_calculus_may(l, l->type[c.reach->index]).axis;
    } else if (e->ty == SN_TY_ETYPE && type_expr(l, e)) {
        s = sn_format(l->a, "@%s", sn_calculus_rep(l, type_expr(l, e)));
        l->along |= sn_calculus_may(l, type_expr(l, e)).axis;
    }
    c.name = sn_calculus_name(l, s);
    return c;
}

void
sn_calculus_assume(SnCalculus *l, const SnExpr *e, bool early)
{
    if (!e)
        return;
    if (e->ek == SN_E_BIN && e->op == SN_OP_AND) {
        sn_calculus_assume(l, e->kid[0], early);
        sn_calculus_assume(l, e->kid[1], early);
        return;
    }
    if (e->ek == SN_E_BIN && e->op == SN_OP_EQ) {
        const SnExpr *x = e->kid[0], *y = e->kid[1];
        bool ty = x->ty == SN_TY_ETYPE;
        const char *a = ty && !early ? type_expr(l, x) : sn_expr_str(l->a, x);
        const char *b = ty && !early ? type_expr(l, y) : sn_expr_str(l->a, y);
        if (a && b && ty != early)
            equate(l, a, b);
        return;
    }
    if (early)
        sn_calculus_note_guard(l, e);
    if (early && e->ek == SN_E_NOT && e->kid[0]->fn == SN_FN_PRESENT) {
        equate(l, sn_expr_str(l->a, e->kid[0]->kid[0]), "none");
        return;
    }
    if (!early && e->fn == SN_FN_COVERS && l->ncov < 16) {
        l->cov[l->ncov][0] = cover(l, e->kid[0]);
        l->cov[l->ncov++][1] = cover(l, e->kid[1]);
    }
}
