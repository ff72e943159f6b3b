// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/arith.h"

#include <string.h>

bool
sn_x_equal(const SnX *a, const SnX *b)
{
    if (a == b)
        return true;
    if (a->xk != b->xk || a->ty != b->ty || a->i != b->i || a->fn != b->fn ||
        a->op != b->op || a->mode != b->mode || a->nkid != b->nkid ||
        a->by != b->by || a->r < b->r || a->r > b->r)
        return false;
    for (uint32_t i = 0; i < a->nkid; i++)
        if (!sn_x_equal(a->kid[i], b->kid[i]))
            return false;
    return true;
}

const SnDefRowOf *
sn_def_row(const SnDefArith *a, SnForm form, const char *map, unsigned when)
{
    for (uint32_t i = 0; a && i < a->nof; i++) {
        const SnDefRowOf *r = &a->of[i];
        if (r->form == form && (when & r->mask) == r->is &&
            (!r->map || (map && sn_name_same(r->map, map))))
            return r;
    }
    return NULL;
}

const SnDefArith *
sn_def_arith(const SnDefs *defs, SnRounding number)
{
    for (uint32_t i = 0; i < defs->narith; i++)
        if (defs->arith[i]->number == number && !defs->arith[i]->bad)
            return defs->arith[i];
    return NULL;
}

const char *
sn_arith_name(const SnDefs *defs, SnRounding number)
{
    const SnDefArith *a = sn_def_arith(defs, number);

    return a ? a->name : "float";
}

double
sn_arith_error(const SnDefs *defs, SnRounding number)
{
    const SnDefArith *a = sn_def_arith(defs, number);

    return a ? a->error : 0.5;
}

bool
sn_tuple_wide(const SnDefTuple *t, const SnDefNode *n)
{
    bool wide = false;

    for (uint32_t i = 0; i < n->nin; i++)
        wide |= t->in[i].elem == SN_QI16;
    for (uint32_t i = 0; i < n->nout; i++)
        wide |= t->out[i].elem == SN_QI16;
    return wide;
}

static bool
is_deq(const SnExpr *e)
{
    return e->fn == SN_FN_D;
}

/* sum(d(x) * d(w)) [+ d(b)] */
static bool
is_sum_of_products(const SnExpr *e)
{
    if (e->ek == SN_E_BIN && e->op == SN_OP_ADD && is_deq(e->kid[1]))
        e = e->kid[0];
    if (e->fn != SN_FN_SUM || e->nkid != 1)
        return false;
    e = e->kid[0];
    return e->ek == SN_E_BIN && e->op == SN_OP_MUL && is_deq(e->kid[0]) &&
           is_deq(e->kid[1]);
}

SnForm
sn_form_of(const SnDefSem *sem, const SnExpr *e)
{
    if (is_deq(e))
        return SN_FORM_CONVERT;
    if (sem->cls == SN_C_CONTRACT && is_sum_of_products(e))
        return SN_FORM_CONTRACT;
    if (e->fn == SN_FN_MEAN && e->nkid == 1 && is_deq(e->kid[0]))
        return SN_FORM_MEAN;
    if (e->ek == SN_E_BIN && is_deq(e->kid[0]) && is_deq(e->kid[1])) {
        if (e->op == SN_OP_ADD)
            return SN_FORM_SUM;
        if (e->op == SN_OP_SUB)
            return SN_FORM_DIFFERENCE;
        if (e->op == SN_OP_MUL)
            return SN_FORM_PRODUCT;
    }
    return SN_FORM_POINT;
}

/* max and min of real operands and numbers */
static bool
selects(const SnExpr *e)
{
    if ((e->fn == SN_FN_MAX || e->fn == SN_FN_MIN) && e->nkid == 2)
        return selects(e->kid[0]) && selects(e->kid[1]);
    return is_deq(e) || (e->ek != SN_E_CALL && e->ek != SN_E_BIN);
}

static int
port_of(const SnDefNode *n, const SnExpr *e)
{
    const SnDefPort *p = e->ek == SN_E_NAME ? sn_def_operand(n, e->s) : NULL;

    return p ? (int)p->index : -1;
}

int
sn_form_of_result(const SnDefNode *n, uint32_t res, int port[2])
{
    const SnDefSem *m = n->rsem[res];
    const SnExpr *f = m->formula, *e;
    uint32_t k = 0;

    port[0] = port[1] = -1;
    if (!f || f->fn != SN_FN_Q || f->nkid != 1)
        return -1;
    e = f->kid[0];
    SnForm form = sn_form_of(m, e);
    switch (form) {
    case SN_FORM_CONTRACT:
        for (uint32_t i = 0; i < m->narg && k < 2; i++)
            if (m->arg[i]->rk == SN_R_PORT)
                port[k++] = port_of(n, m->arg[i]);
        break;
    case SN_FORM_MEAN:
        port[0] = port_of(n, e->kid[0]->kid[0]);
        break;
    case SN_FORM_SUM:
    case SN_FORM_DIFFERENCE:
    case SN_FORM_PRODUCT:
        for (int i = 0; i < 2; i++)
            port[i] = port_of(n, e->kid[i]->kid[0]);
        break;
    case SN_FORM_POINT:
        return (e->fn == SN_FN_MAX || e->fn == SN_FN_MIN) && selects(e)
                   ? SN_FORM_CONVERT
                   : -1;
    default:
        break;
    }
    return (int)form;
}

bool
sn_is_function(const SnDefNode *n)
{
    const SnDefSem *m = n->nout == 1 ? n->rsem[0] : NULL;
    int port[2];

    if (!m || m->cls != SN_C_POINT || m->row != SN_ROW_NONE || n->nin != 1 ||
        n->in[0]->variadic || sn_def_attr(n, "round") || m->narg != 1 ||
        !m->formula || m->formula->fn != SN_FN_Q || m->formula->nkid != 1)
        return false;
    return sn_form_of(m, m->formula->kid[0]) == SN_FORM_POINT &&
           sn_form_of_result(n, 0, port) < 0;
}
