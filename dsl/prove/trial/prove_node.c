// SPDX-License-Identifier: Apache-2.0
/* Nodes of a case: attributes, clamps, tuples and pinned types. */
#include "dsl/prove/trial/case.h"

#include <string.h>
#include "base/num.h"

bool
sn_case_no(SnProofCase *c, const char *why)
{
    if (!c->fail)
        c->fail = why;
    return false;
}

SnExprValue *
sn_case_attr(const SnCaseNode *n, const char *name)
{
    uint32_t i = sn_named_at(n->n->all, n->n->nall, name);

    return i < n->n->nall ? &n->attr[i] : NULL;
}

SnExprValue *
sn_case_its(const SnCaseNode *n, const SnDefAttr *a)
{
    for (uint32_t i = 0; i < n->n->nall; i++)
        if (n->n->all[i] == a)
            return &n->attr[i];
    return sn_case_attr(n, a->name);
}

SnRange
sn_case_clamp_of(const SnCaseNode *n)
{
    const SnExprValue *v = n->n->clamp ? sn_case_its(n, n->n->clamp) : NULL;

    return v ? v->rg : (SnRange){0};
}

/* The tuple that a node's operands and results fit, or NULL. */
const SnDefTuple *
sn_case_fit(const SnCaseNode *n)
{
    for (uint32_t i = 0; i < n->n->ntuple; i++) {
        const SnDefTuple *t = &n->n->tuple[i];
        bool ok = true;
        for (uint32_t s = 0; s < n->nin && ok; s++) {
            SnDefConc k = t->in[n->port[s]];
            const SnCaseValue *x = n->in[s];
            ok =
                x ? x->type.elem == k.elem && (x->type.axis == k.axis ||
                                               (k.axis >= 0 && x->type.nq == 1))
                  : n->n->in[n->port[s]]->optional;
        }
        for (uint32_t r = 0; r < n->n->nout && r < SN_CASE_MAXRES && ok; r++) {
            SnDefConc k = t->out[r];
            const SnCaseType *y = &n->out[r]->type;
            ok = y->elem == k.elem &&
                 (y->axis == k.axis || (k.axis >= 0 && y->nq == 1));
        }
        if (ok)
            return t;
    }
    return NULL;
}

SnCaseType
sn_case_pinned(const SnCaseNode *n, const SnDefPort *p, const SnCaseValue *b)
{
    SnCaseType t = {.elem = SN_QI32, .axis = -1, .nq = 1};

    for (uint32_t i = 0; i < SN_CASE_NQ; i++)
        t.scale[i] = 1;
    for (uint32_t k = 0; k < p->npin; k++) {
        const SnCaseValue *x = NULL;
        for (uint32_t s = 0; s < n->nin; s++)
            if (n->port[s] == p->pin[k])
                x = n->in[s];
        if (!x || !x->type.nq)
            return b->type;
        if (x->type.nq > t.nq) {
            t.nq = x->type.nq;
            t.axis = 0;
        }
        for (uint32_t i = 0; i < SN_CASE_NQ; i++) {
            float s = x->type.scale[x->type.nq > 1 ? i : 0];
            t.scale[i] = k ? sn_pin_scale(t.scale[i], s) : s;
        }
    }
    return t;
}
