// SPDX-License-Identifier: Apache-2.0
/* Rows of docs/numerics.md in the calculus' trees that are not the literal
 * composition of their formula's steps. */
#include "dsl/prove/calculus/prove_tree.h"

#include "dsl/resolve/resolver.h"

bool
sn_calculus_own_row(const SnDefSem *s)
{
    const SnExpr *e = s->formula;

    if (s->cls == SN_C_CONTRACT || s->by)
        return true;
    if (e && e->fn == SN_FN_Q)
        e = e->kid[0];
    return e && e->fn == SN_FN_MEAN && s->map && s->over != SN_MW_POOL;
}

/* A quantized node whose `round` is not known to be `before`. */
static bool
may_round_after(SnCalculus *l, const SnTreeNode *k)
{
    const SnDefAttr *a = sn_def_attr(k->n, "round");

    return a && !sn_calculus_is_real(l, k->tout) &&
           sn_calculus_attr(l, k, a) != sn_calculus_name(l, "before");
}

/* Does it sum over a set, ignoring intermediate roundings? */
bool
sn_calculus_sums(const SnExpr *e)
{
    if (e->fn == SN_FN_Q && e->nkid > 1)
        return false;
    for (uint32_t i = 0; i < e->nkid; i++)
        if (sn_calculus_sums(e->kid[i]))
            return true;
    return e->ek == SN_E_CALL && e->fn == SN_FN_SUM;
}

static bool
rounds_within(const SnExpr *e)
{
    for (uint32_t i = 0; i < e->nkid; i++)
        if (rounds_within(e->kid[i]))
            return true;
    return e->fn == SN_FN_Q && e->nkid > 1;
}

/* The row of a contract is that of its sum, which may be rounded within. */
static bool
own_sum(const SnDefSem *s, const SnExpr *e)
{
    if (s->cls == SN_C_CONTRACT && !s->by && rounds_within(e))
        return sn_calculus_sums(e);
    return sn_calculus_own_row(s);
}

/* A row of arithmetic between the operands' types and that of its result. */
SnTree *
sn_calculus_own(SnCalculus *l, SnTreeNode *k, SnTree *e, const char *to)
{
    SnTree *kid[4] = {e};
    uint32_t n = 1;

    for (uint32_t i = 0; i < k->n->nin && n < 3; i++) {
        kid[n] = sn_calculus_tree(l, SN_TR_TYPE, "", 0, NULL);
        kid[n++]->type = k->tin[i];
    }
    kid[n] = sn_calculus_tree(l, SN_TR_TYPE, "", 0, NULL);
    kid[n++]->type = to;
    return sn_calculus_tree(l, SN_TR_ROW, "arith", n, kid);
}

static bool
of_row(const SnDefAttr *a)
{
    return a->says == SN_W_ROUND || a->says == SN_W_ZP_SHIFT;
}

/* The row of `round`: sums depend on their order and on their grids.  Products
 * do not (numerics.md, "Mul, after"). */
static SnTree *
row_after(SnCalculus *l, const SnTreeNode *k, SnTree *e)
{
    SnBuf b;

    l->ordered = true;
    const char *of = e ? sn_calculus_text(l, e) : "";
    l->ordered = false;
    sn_buf_init(&b, l->a);
    sn_puts(&b, "arith");
    for (uint32_t i = 0; i < k->n->nall; i++)
        if (of_row(k->n->all[i]))
            sn_putf(&b, " %s", sn_calculus_attr(l, k, k->n->all[i]));
    sn_putf(&b, " %s : %s", of, sn_calculus_rep(l, k->tout));
    return sn_calculus_tree(l, SN_TR_ROW, sn_buf_str(&b), 1, &e);
}

/* Rows that are not the literal composition of the formula's steps: a contract
 * or a mean along axes sums integers, `by` names a row, `round = after` adds
 * the zero point first.  Equal only between equal types. */
SnTree *
sn_calculus_row(SnCalculus *l, SnTreeNode *k, SnTree *t)
{
    const SnExpr *f = k->sem->formula;
    bool q = sn_calculus_is_q(t);
    SnTree *e = q ? t->kid[0] : t;

    if (own_sum(k->sem, f->fn == SN_FN_Q ? f->kid[0] : f))
        e = sn_calculus_own(l, k, e, k->tout);
    else if (may_round_after(l, k))
        e = row_after(l, k, e);
    else
        return t;
    if (!q)
        return e;
    t->kid[0] = e;
    return t;
}
