// SPDX-License-Identifier: Apache-2.0
/* Attributes, invariants, commuting operands of a node. */
#include <string.h>
#include "dsl/resolve/resolver.h"

/* ---- attributes ---- */

static void
attr_range(SnResolver *rs, SnDefNode *n, SnDefAttr *a)
{
    const SnDefAttr *t = sn_def_attr(n, a->range_of);
    SnCands v = sn_cands(rs);

    a->range_port = sn_def_port(n, a->range_of);
    a->range_attr = !a->range_port && t && t->ty == SN_A_TYPE ? t : NULL;
    if (a->range_port || a->range_attr)
        return;
    for (uint32_t i = 0; i < n->nin; i++)
        sn_cands_add(&v, n->in[i]->name, &n->in[i]->pos);
    for (uint32_t i = 0; i < n->nout; i++)
        sn_cands_add(&v, n->out[i]->name, &n->out[i]->pos);
    for (uint32_t i = 0; i < n->nall; i++)
        if (n->all[i]->ty == SN_A_TYPE)
            sn_cands_add(&v, n->all[i]->name, &n->all[i]->pos);
    sn_resolve_unknown(rs, a->pos, "port or type", a->range_of, n->name, &v);
    sn_resolve_spoil(rs, n);
}

static void
attr_words(SnResolver *rs, SnDefNode *n, const SnDefAttr *a)
{
    for (uint32_t i = 0; i < a->nword; i++)
        if (sn_name_among(a->word, i, a->word[i])) {
            sn_resolve_twice(rs, a->pos, "word", a->word[i], a->pos);
            sn_resolve_spoil(rs, n);
        }
}

void
sn_resolve_attrs(SnResolver *rs, SnDefNode *n)
{
    for (uint32_t i = 0; i < n->nall; i++) {
        SnDefAttr *a = n->all[i];
        if (a->range_of)
            attr_range(rs, n, a);
        attr_words(rs, n, a);
    }
    if (rs->bad_node[n->kind])
        return;
    for (uint32_t i = 0; i < n->nall; i++) {
        SnDefAttr *a = n->all[i];
        SnScope c = {.rs = rs, .kind = SN_SC_CONST, .node = n};
        SnScope w = {.rs = rs, .kind = SN_SC_ATTR, .node = n};
        if (a->def)
            sn_resolve_value(&c, a->def, n, a);
        if (a->where)
            sn_resolve_cond(&w, a->where, "a 'where'");
        if (c.bad || w.bad)
            sn_resolve_spoil(rs, n);
        if (a->says == SN_W_CLAMP && a->range_port && n->nout &&
            a->range_port == n->out[0])
            n->clamp = a;
    }
}

/* ---- commutes ---- */

/* Does e with ports p and q exchanged equal f, with operands of +, *, max, min
 * and == in either order? */
static bool
swapped(const SnExpr *e, const SnExpr *f, const SnDefPort *p,
        const SnDefPort *q)
{
    if (e->ek != f->ek || e->nkid != f->nkid)
        return false;
    if (e->ek == SN_E_NAME && e->rk == SN_R_PORT)
        return f->rk == SN_R_PORT && (e->ref == p   ? f->ref == q
                                      : e->ref == q ? f->ref == p
                                                    : e->ref == f->ref);
    if (e->ek == SN_E_BIN && e->op != f->op)
        return false;
    if (!sn_name_same(e->s, f->s))
        return false;
    if (e->i != f->i)
        return false;
    bool sym =
        e->nkid == 2 &&
        ((e->ek == SN_E_BIN &&
          (e->op == SN_OP_ADD || e->op == SN_OP_MUL || e->op == SN_OP_EQ ||
           e->op == SN_OP_NE || e->op == SN_OP_AND || e->op == SN_OP_OR)) ||
         (e->fn == SN_FN_MAX || e->fn == SN_FN_MIN));
    bool same = true;
    for (uint32_t i = 0; i < e->nkid; i++)
        same = same && swapped(e->kid[i], f->kid[i], p, q);
    return same || (sym && swapped(e->kid[0], f->kid[1], p, q) &&
                    swapped(e->kid[1], f->kid[0], p, q));
}

static const char *
not_commuting(const SnDefNode *n, const SnDefPort *p, const SnDefPort *q)
{
    if (p->out || q->out || p == q)
        return "names two operands";
    if (p->variadic || q->variadic)
        return "is about two single operands";
    if (p->fact != q->fact || p->optional != q->optional)
        return "needs equal facts of both";
    for (uint32_t i = 0; i < n->ntuple; i++) {
        SnDefConc a = n->tuple[i].in[p->index], b = n->tuple[i].in[q->index];
        if (!sn_conc_equal(a, b))
            return "needs equal types of both in every tuple";
    }
    for (uint32_t i = 0; i < n->nout; i++) {
        const SnExpr *f = n->rsem[i]->formula;
        if (!f || !swapped(f, f, p, q))
            return "is not true of its meaning";
    }
    return NULL;
}

/* e with n's attributes as members of the variable `self`. */
static SnExpr *
about(SnArena *a, const SnDefNode *n, const SnExpr *e, const char *self)
{
    SnExpr *c = sn_expr_clone(a, e);

    if (e->ek == SN_E_NAME && sn_def_attr(n, e->s)) {
        SnExpr *v = sn_memdup(a, c, sizeof *c);
        sn_expr_say(v, self);
        c->ek = SN_E_MEMBER;
        c->nkid = 1;
        c->kid = sn_memdup(a, &v, sizeof v);
        return c;
    }
    for (uint32_t i = 0; i < e->nkid; i++)
        c->kid[i] = about(a, n, e->kid[i], self);
    return c;
}

/* The condition is like those of rules: about a matched node, named as its
 * result. */
static void
commutes_when(SnResolver *rs, SnDefNode *n, const SnExpr *when)
{
    SnPat *pat = SN_NEW(rs->a, SnPat);
    SnDefVar *v = SN_NEW(rs->a, SnDefVar);
    SnScope sc = {.rs = rs,
                  .kind = SN_SC_RULE,
                  .nvar = 1,
                  .var = &v,
                  .part = "in a condition"};

    *pat = (SnPat){.pk = SN_P_CALL, .name = n->name, .node = n};
    *v = (SnDefVar){
        .name = n->out[0]->name, .vk = SN_V_NODE, .node = n, .pat = pat};
    SnExpr *e = about(rs->a, n, when, v->name);
    sn_resolve_cond(&sc, e, "a condition");
    if (sc.bad)
        sn_resolve_spoil(rs, n);
    else
        n->comm_when = e;
}

static void
commutes(SnResolver *rs, SnDefNode *n)
{
    const SnDefPort *p[2] = {NULL, NULL};

    if (!n->ncommutes) {
        if (n->base && n->base->comm[0] >= 0) {
            memcpy(n->comm, n->base->comm, sizeof n->comm);
            n->comm_pos = n->base->comm_pos;
            n->commutes_when = n->base->commutes_when;
            if (n->commutes_when)
                commutes_when(rs, n, n->commutes_when);
        }
        return;
    }
    n->comm_pos = n->commutes_pos[0];
    for (uint32_t i = 0; i < n->ncommutes && i < 2; i++) {
        SnCands v = sn_cands(rs);
        p[i] = sn_def_port(n, n->commutes[i]);
        for (uint32_t j = 0; j < n->nin; j++)
            sn_cands_add(&v, n->in[j]->name, &n->in[j]->pos);
        if (!p[i]) {
            sn_resolve_unknown(rs, n->commutes_pos[i], "operand",
                               n->commutes[i], n->name, &v);
            sn_resolve_spoil(rs, n);
            return;
        }
    }
    const char *why =
        n->ncommutes == 2 ? not_commuting(n, p[0], p[1]) : "names two operands";
    if (why) {
        sn_error(rs->d, n->commutes_pos[0], "SN118", "'commutes' of %s %s",
                 n->name, why);
        sn_resolve_spoil(rs, n);
        return;
    }
    n->comm[0] = (int8_t)p[0]->index;
    n->comm[1] = (int8_t)p[1]->index;
    if (n->commutes_when)
        commutes_when(rs, n, n->commutes_when);
}

/* ---- invariants, cost, shape ---- */

static void
invariants(SnResolver *rs, SnDefNode *n)
{
    uint32_t nbase = n->base ? n->base->nrinv : 0;

    n->rinv = SN_NEW_N(rs->a, SnDefInv *, nbase + n->ninv);
    for (uint32_t i = 0; i < nbase + n->ninv; i++) {
        SnScope sc = {.rs = rs, .kind = SN_SC_SHAPE, .node = n};
        SnDefInv *v = i < nbase ? n->base->rinv[i] : n->inv[i - nbase];
        v = sn_memdup(rs->a, v, sizeof *v);
        v->expr = sn_expr_clone(rs->a, v->expr);
        sn_resolve_cond(&sc, v->expr, "an invariant");
        if (sc.bad)
            sn_resolve_spoil(rs, n);
        n->rinv[n->nrinv++] = v;
    }
}

static void
cost_and_shape(SnResolver *rs, SnDefNode *n)
{
    SnScope sc = {.rs = rs, .kind = SN_SC_SHAPE, .node = n};
    double v;

    if (n->cost && !sn_resolve_const(rs, n->cost, &v))
        sn_resolve_spoil(rs, n);
    if (!n->shape)
        return;
    SnTy t = sn_resolve_expr(&sc, n->shape);
    if (t != SN_TY_NONE && t != SN_TY_SHAPE && t != SN_TY_INTS) {
        sn_error(rs->d, n->shape->pos, "SN104",
                 "the shape of %s is %s, expected a list of ints", n->name,
                 sn_ty_name(t));
        sc.bad = true;
    }
    if (sc.bad) {
        sn_resolve_spoil(rs, n);
        return;
    }
    sn_warn(rs->d, n->shape->pos, "SN131",
            "'shape %s' has no effect: the map of a meaning gives the shape",
            n->shape_of);
    sn_diag_help(rs->d, "invariant shape(%s) == %s;", n->shape_of,
                 sn_expr_str(rs->a, n->shape));
}

void
sn_resolve_members(SnResolver *rs, SnDefNode *n)
{
    commutes(rs, n);
    invariants(rs, n);
    if (!rs->bad_node[n->kind])
        sn_resolve_never(rs, n);
    cost_and_shape(rs, n);
    sn_resolve_onnx(rs, n);
}
