// SPDX-License-Identifier: Apache-2.0
/* The possible values of a type that the calculus knows by name: the elements
 * and axes that some kind's tuple, or the rule's condition, allows.  A name
 * with no known facts may be anything. */
#include "dsl/prove/calculus/prove_tree.h"

#include "dsl/model/expr_tree.h"

static const SnTypeMay anything = {UINT32_MAX, true};

void
sn_calculus_note(SnCalculus *l, const char *type, SnTypeMay is)
{
    SnTypeNote n = {sn_calculus_name(l, type), is};

    SN_PUSH(l->a, l->note, l->nnote, n);
}

SnTypeMay
sn_calculus_may(SnCalculus *l, const char *type)
{
    const char *rep = sn_calculus_rep(l, type);
    SnTypeMay r = anything;

    if (rep == l->f32)
        return (SnTypeMay){.elems = 1u << SN_F32};
    for (uint32_t i = 0; i < l->nnote; i++)
        if (sn_calculus_rep(l, l->note[i].name) == rep) {
            r.elems &= l->note[i].is.elems;
            r.axis &= l->note[i].is.axis;
        }
    return r;
}

static bool
takes(SnTypeMay is, SnDefConc c)
{
    return c.elem == SN_ABSENT ||
           ((is.elems >> c.elem & 1) && (is.axis || c.axis < 0));
}

static void
add(SnTypeMay *is, SnDefConc c)
{
    if (c.elem == SN_ABSENT)
        return;
    is->elems |= 1u << c.elem;
    is->axis |= c.axis >= 0;
}

/* The types of n's ports in the tuples that its known types allow: in[] and
 * out. */
void
sn_calculus_note_node(SnCalculus *l, const SnDefNode *n, const char **in,
                      const char *out)
{
    SnTypeMay *is = SN_NEW_N(l->a, SnTypeMay, n->nin + 1);

    for (uint32_t i = 0; i < n->ntuple; i++) {
        const SnDefTuple *t = &n->tuple[i];
        bool fits = takes(sn_calculus_may(l, out), t->out[0]);
        for (uint32_t k = 0; k < n->nin; k++)
            fits &= !in[k] || takes(sn_calculus_may(l, in[k]), t->in[k]);
        if (!fits)
            continue;
        for (uint32_t k = 0; k < n->nin; k++)
            add(&is[k], t->in[k]);
        add(&is[n->nin], t->out[0]);
    }
    for (uint32_t k = 0; k < n->nin; k++)
        if (in[k])
            sn_calculus_note(l, in[k], is[k]);
    sn_calculus_note(l, out, is[n->nin]);
}

/* x.type in [..]. */
void
sn_calculus_note_guard(SnCalculus *l, const SnExpr *e)
{
    const SnExpr *x = e->ek == SN_E_IN ? e->kid[0] : NULL;
    SnTypeMay is = {0};

    if (!x || x->ek != SN_E_MEMBER || x->word != SN_W_TYPE ||
        x->kid[0]->rk != SN_R_VAR)
        return;
    for (uint32_t i = 1; i < e->nkid; i++) {
        const SnDefType *t = e->kid[i]->rk == SN_R_TYPE ? e->kid[i]->ref : NULL;
        if (!t)
            return;
        for (uint32_t j = 0; j < t->nconc; j++)
            add(&is, t->conc[j]);
    }
    sn_calculus_note(l, sn_expr_str(l->a, x), is);
}
