// SPDX-License-Identifier: Apache-2.0
#include "dsl/model/reads.h"

#include <string.h>

#include "map/facts.h"

static void
reads(const SnExpr *e, const SnDefPort *p, bool in_d, SnReads *r)
{
    if (e->ek == SN_E_NAME && e->rk == SN_R_PORT && e->ref == p) {
        if (in_d) {
            r->deq++;
        } else if (!r->raw++) {
            r->at = e;
        }
    }
    bool d = e->fn == SN_FN_D;
    for (uint32_t i = 0; i < e->nkid; i++)
        reads(e->kid[i], p, d, r);
}

SnReads
sn_formula_reads(const SnExpr *e, const SnDefPort *p)
{
    SnReads r = {0};

    if (e)
        reads(e, p, false, &r);
    return r;
}

bool
sn_sem_each(const SnDefSem *s)
{
    return sn_sem_each_repeats(s) && !sn_map_repeats(s->decl->decl);
}

bool
sn_sem_each_repeats(const SnDefSem *s)
{
    return s->decl && s->decl->decl && sn_map_in_place(s->decl->decl);
}

uint32_t
sn_sem_param_args(const SnDefSem *s, unsigned i, uint32_t *n)
{
    uint32_t at = 0;

    for (unsigned k = 0; at < s->narg; k++, at += *n) {
        *n = 1;
        while (s->decl->decl->param[k].variadic && at + *n < s->narg &&
               s->arg[at + *n]->rk == SN_R_PORT)
            ++*n;
        if (k == i)
            return at;
    }
    *n = 0;
    return s->narg;
}

/* ---- axes in other groups ---- */

static bool
names(const SnExpr *e, const SnDefAttr *a)
{
    bool r = e && e->rk == SN_R_ATTR && e->ref == a;

    for (uint32_t i = 0; e && i < e->nkid && !r; i++)
        r = names(e->kid[i], a);
    return r;
}

static bool
reads_operand(const SnExpr *e)
{
    bool r = e && e->rk == SN_R_PORT;

    for (uint32_t i = 0; e && i < e->nkid && !r; i++)
        r = reads_operand(e->kid[i]);
    return r;
}

/* Does e mean the same for a node whose operands have other shapes, and whose
 * map has another axis? */
static bool
keeps(const SnDefSem *s, const SnExpr *e)
{
    bool ok = !reads_operand(e);

    for (uint32_t i = 0; i < s->narg && ok; i++)
        ok = s->arg[i]->rk != SN_R_ATTR || !names(e, s->arg[i]->ref);
    return ok;
}

/* Types along an axis would be along another one; expressions that read shapes,
 * or the number of the axis, would see others. */
static bool
is_blind(const SnDefNode *n)
{
    const SnDefSem *s = n->rsem[0];
    bool ok = n->nout == 1 && n->nrinv == 0 && s->formula;

    for (uint32_t i = 0; i < n->ntuple && ok; i++) {
        ok = n->tuple[i].out[0].axis < 0;
        for (uint32_t k = 0; k < n->nin; k++)
            ok &= n->tuple[i].in[k].axis < 0;
    }
    for (uint32_t i = 0; i < n->nall && ok; i++)
        ok = keeps(s, n->all[i]->where);
    for (uint32_t i = 0; i < s->narg && ok; i++)
        ok =
            s->arg[i]->rk != SN_R_ATTR || (!names(s->formula, s->arg[i]->ref) &&
                                           !names(s->els, s->arg[i]->ref));
    return ok;
}

bool
sn_node_regroups(const SnDefNode *n)
{
    const SnDefSem *s = n->nout ? n->rsem[0] : NULL;
    uint32_t k = 0, at = 0;

    if (!s || !s->decl || !s->decl->decl || !sn_map_regroups(s->decl->decl))
        return false;
    at = sn_sem_param_args(s, sn_map_axis_param(s->decl->decl), &k);
    return k && s->arg[at]->rk == SN_R_ATTR && is_blind(n);
}
