// SPDX-License-Identifier: Apache-2.0
/* Is one sweep from inputs to outputs, with local repeats, enough?
 *
 * The driver looks again at the nodes that a fire made, at their readers and at
 * their operands.  A match further up is found only if a chain of fires leads
 * there. So a rule may make matches at the node it changed and below it; a rule
 * that makes one above its root, at a node that was not there before, makes its
 * pass lose the certificate. */
#include <string.h>
#include "dsl/order/order_term.h"

/* The root moved up past its operand: it is the changed node, and everything
 * that can match there could match before. */
static bool
moved_root(const SnOrderRule *r, const SnOrderTerm *t)
{
    return r->lhs->node && t->node == r->lhs->node && t->like == r->lhs;
}

static const SnOrderRule *
matches(SnOrder *c, SnOrderRule *const *v, uint32_t n, const SnOrderTerm *t)
{
    for (uint32_t i = 0; i < n; i++)
        if (sn_order_term_may(c, v[i]->lhs, t))
            return v[i];
    return NULL;
}

/* A rule that may match at a new node of t, below the root of t. */
static const SnOrderRule *
above(SnOrder *c, SnOrderRule *const *v, uint32_t n, const SnOrderRule *r,
      const SnOrderTerm *t, bool root)
{
    if (!t->fresh || t->open || t->is_const)
        return NULL;
    if (!root && !moved_root(r, t)) {
        const SnOrderRule *q = matches(c, v, n, t);
        if (q)
            return q;
    }
    for (uint32_t i = 0; i < t->narg; i++) {
        const SnOrderRule *q = above(c, v, n, r, t->arg[i], false);
        if (q)
            return q;
    }
    return NULL;
}

/* A builder may make what its contract states, anywhere. */
static const SnOrderRule *
made_by(SnOrder *c, SnOrderRule *const *v, uint32_t n, const SnDefRule *r)
{
    for (uint32_t k = 0; k < r->nmakes; k++) {
        const SnDefNode *m = sn_def_node(c->defs, r->makes[k]);
        for (uint32_t i = 0; m && i < n; i++)
            if (sn_order_term_has(v[i]->lhs, m))
                return v[i];
    }
    return NULL;
}

bool
sn_order_sweep(SnOrder *c, const SnDefPass *p, SnOrderRule **v, uint32_t n)
{
    bool ok = true;

    for (uint32_t i = 0; i < n; i++) {
        const SnOrderRule *r = v[i], *q = NULL;
        if (!r->rule || !r->first)
            continue;
        for (uint32_t k = 0; k < r->nrhs && !q; k++)
            q = above(c, v, n, r, r->rhs[k], true);
        if (r->rule->custom)
            q = made_by(c, v, n, r->rule);
        if (!q)
            continue;
        ok = false;
        sn_note(c->d, r->pos, "SN404",
                "rule '%s' creates matches above its root; pass '%s' falls "
                "back from one sweep to a worklist",
                r->name, p->name);
        sn_diag_line(c->d, "the node that it makes there may match '%s'",
                     q->label);
    }
    return ok;
}
