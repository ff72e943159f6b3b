// SPDX-License-Identifier: Apache-2.0
/* Variations that the soundness engine does not draw: changes one thing about a
 * left side and recomputes shapes. */
#include "gen/case/cases.h"

#include <string.h>

#include "dsl/model/reads.h"

enum { MAXNODE = 24 };

/* The nodes of the left side, operands before their readers. */
static void
left_nodes(SnCaseNode *n, SnCaseNode **v, uint32_t *k)
{
    for (uint32_t i = 0; i < *k; i++)
        if (v[i] == n)
            return;
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && n->in[s]->def && !n->in[s]->leaf)
            left_nodes(n->in[s]->def, v, k);
    if (*k < MAXNODE)
        v[(*k)++] = n;
}

/* An element of a list of n changes by one. */
static void
change_list(SnProofCase *c, SnCaseNode *n)
{
    uint32_t k = n->n->nall ? sn_case_below(c, n->n->nall) : 0;
    SnExprValue *v = n->n->nall ? &n->attr[k] : NULL;

    if (!v || n->n->all[k]->ty != SN_A_INTS || !v->n || !v->list || !n->nin ||
        sn_case_map_is(n, SN_MW_PERMUTE) || sn_case_map_is(n, SN_MW_NEAREST))
        return;
    double *w = sn_memdup(c->a, v->list, v->n * sizeof *w);
    uint32_t at = sn_case_below(c, v->n);
    if (sn_case_map_is(n, SN_MW_SLICE) && n->in[0]->dim[at] != 1)
        return; /* a step over one element is always inside */
    w[at] += w[at] > 1 && sn_case_chance(c, 30) ? -1 : 1;
    v->list = w;
}

/* A number of n changes its sign, a flag its value; a clamp is added where
 * there was none, and removed where there was one. */
static void
change_value(SnProofCase *c, SnCaseNode *n)
{
    uint32_t k = n->n->nall ? sn_case_below(c, n->n->nall) : 0;

    if (n->n->nall && n->n->all[k]->ty == SN_A_BOOL)
        n->attr[k].r = n->attr[k].r == 0;
    if (n->n->nall && n->n->all[k]->ty == SN_A_RANGE) {
        SnRange *r = &n->attr[k].rg;
        bool open = !r->has_lo && !r->has_hi;
        *r = (SnRange){.has_lo = open};
        r->lo = open && n->out[0]->type.nq ? n->out[0]->type.zp[0] : 0;
    }
    if (n->n->nall && n->n->all[k]->ty == SN_A_REAL)
        n->attr[k].r = (double)(float)(-n->attr[k].r - 0.5);
}

/* One element for all: for an operand that a broadcast repeats anyway. */
static void
narrow(SnProofCase *c, SnCaseNode *n)
{
    static const int64_t one[] = {1};

    for (uint32_t s = 0; s < n->nin; s++) {
        SnCaseValue *t = n->in[s];
        if (!t || !t->leaf || t->def || t->rank != 1 || t->n < 2 ||
            t->type.nq > 1 || n->out[0]->rank < 2)
            continue;
        sn_case_set_shape(t, 1, one);
        sn_case_leaf_data(c, t);
    }
}

/* An operand without operands gets another axis, before the others. */
static void
widen(SnProofCase *c, SnCaseNode *n)
{
    for (uint32_t s = 0; s < n->nin; s++) {
        SnCaseValue *t = n->in[s];
        int64_t d[SN_CASE_RANK] = {2};
        if (!t || (t->def && !t->leaf && t->def->nin) ||
            t->rank + 1 > SN_CASE_RANK || t->type.axis >= 0 ||
            sn_case_chance(c, 50))
            continue;
        memcpy(d + 1, t->dim, (size_t)t->rank * sizeof *d);
        sn_case_set_shape(t, t->rank + 1, d);
        if (t->leaf)
            sn_case_leaf_data(c, t);
    }
}

static bool
works_each(const SnCaseNode *n)
{
    return n->nin && sn_case_sem(n) && sn_sem_each_repeats(sn_case_sem(n));
}

/* Do all nodes work element by element, so that any shape is possible? */
static bool
any_shape(SnCaseNode *const *v, uint32_t k)
{
    for (uint32_t i = 0; i < k; i++)
        if (v[i]->nin && !works_each(v[i]))
            return false;
    return true;
}

/* Sets everything to one number. */
static void
scalars(SnProofCase *c)
{
    for (uint32_t i = 0; i < c->nleaf; i++)
        if (c->leaf[i]->type.axis < 0) {
            sn_case_set_shape(c->leaf[i], 0, NULL);
            sn_case_leaf_data(c, c->leaf[i]);
        }
}

bool
sn_case_vary(SnProofCase *c)
{
    SnCaseNode *v[MAXNODE] = {NULL};
    uint32_t k = 0;

    left_nodes(c->root, v, &k);
    SnCaseNode *n = v[sn_case_below(c, k)];
    bool repeats = works_each(n) && !sn_sem_each(sn_case_sem(n));
    switch (sn_case_below(c, 5)) {
    case 0:
        change_list(c, n);
        break;
    case 1:
        change_value(c, n);
        break;
    case 2:
        if (repeats)
            narrow(c, n);
        break;
    case 3:
        if (repeats)
            widen(c, n);
        break;
    default:
        if (any_shape(v, k))
            scalars(c);
    }
    for (uint32_t i = 0; i < k; i++)
        if (v[i]->nin && !sn_case_shape(c, v[i]))
            return false;
    return true;
}
