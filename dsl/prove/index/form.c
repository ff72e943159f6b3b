// SPDX-License-Identifier: Apache-2.0
/* The forms of maps that the calculus knows.  Other declarations are out of its
 * reach. */
#include "dsl/prove/index/side.h"

static bool
is_name(const SnMapDecl *d, int32_t e, int slot)
{
    return d->expr[e].op == SN_MO_NAME && d->expr[e].v == slot;
}

/* Operands along one run of axes; those that are not broadcast run along the
 * same one. */
static bool
one_run(const SnMapDecl *d)
{
    int run = -1, n = 0;

    for (unsigned i = 0; i < d->nparam; i++) {
        const SnMapParam *p = &d->param[i];
        if (p->kind != SN_MP_OPERAND)
            continue;
        if (p->nitem != 1 ||
            (p->item[0].kind != SN_MI_RUN && p->item[0].kind != SN_MI_JOIN))
            return false;
        if (n++ && run != p->item[0].slot)
            return false;
        run = p->item[0].slot;
    }
    return n > 0 && sn_map_stmt(d, SN_MS_RESULT)->n == 1;
}

/* One operand with a named axis between two runs, which the result keeps. */
static bool
named_axis(const SnMapDecl *d)
{
    const SnMapStmt *r = sn_map_stmt(d, SN_MS_RESULT);
    const SnMapParam *p = &d->param[0];

    if (d->nparam == 0 || p->kind != SN_MP_OPERAND || p->nitem != 3 ||
        r->n != 3 || p->item[0].kind != SN_MI_RUN ||
        p->item[1].kind != SN_MI_AT || p->item[2].kind != SN_MI_RUN)
        return false;
    for (unsigned i = 1; i < d->nparam; i++)
        if (d->param[i].kind == SN_MP_OPERAND)
            return false;
    for (unsigned k = 0; k < 3; k += 2)
        if (!is_name(d, r->bound[k].e, p->item[k].slot) ||
            r->bound[k].when >= 0)
            return false;
    for (unsigned i = 0; i < d->nstmt; i++) {
        const SnMapStmt *s = &d->stmt[i];
        if ((s->kind == SN_MS_READ || s->kind == SN_MS_CENTRE) &&
            (!is_name(d, s->index[0], r->bound[0].slot) ||
             !is_name(d, s->index[2], r->bound[2].slot)))
            return false;
    }
    return r->bound[1].when < 0;
}

bool
sn_index_in_reach(const SnMapDecl *d)
{
    if (!sn_map_stmt(d, SN_MS_RESULT) || sn_map_stmt(d, SN_MS_PRIMITIVE))
        return false;
    for (unsigned i = 0; i < d->nparam; i++)
        if (d->param[i].data)
            return false;
    return one_run(d) || named_axis(d);
}
