// SPDX-License-Identifier: Apache-2.0
/* Reads whose indices are linear in the places of the result and of the tap, as
 * most are: an index is a number for each result plus one for each tap. */
#include "dsl/prove/trial/prove_mapping.h"

typedef struct Index {
    const int64_t *result, *tap; /* what a place of each adds */
    int64_t below;               /* what it has to be below, from 0 on */
} Index;

/* The sum of coef * place at each of n places of the result or of the tap, the
 * last one fastest, and v. */
static const int64_t *
sums(const SnMapping *u, bool tap, int64_t n, const int64_t *coef, int64_t v)
{
    int64_t *r = SN_NEW_N(u->a, int64_t, n + 1), x[SN_MAP_NVAR] = {0};

    for (int64_t i = 0; i < n; i++) {
        r[i] = v;
        for (uint32_t k = u->nvar; k-- > 0;) {
            if (u->var[k].tap != tap)
                continue;
            v += coef[k];
            if (++x[k] < u->var[k].bound.v)
                break;
            v -= coef[k] * x[k];
            x[k] = 0;
        }
    }
    return r;
}

static bool
index_of(const SnMapping *u, const SnCaseTaps *t, SnMapNum x, Index *at)
{
    int64_t coef[SN_MAP_NVAR], v;

    if (!sn_term_affine(&u->T, x, coef, &v))
        return false;
    at->result = sums(u, false, t->no, coef, v);
    at->tap = sums(u, true, t->nk, coef, 0);
    return true;
}

static bool
is_inside(const Index *at, uint32_t n, int64_t o, int64_t k)
{
    for (uint32_t i = 0; i < n; i++) {
        int64_t x = at[i].result[o] + at[i].tap[k];
        if (x < 0 || x >= at[i].below)
            return false;
    }
    return true;
}

bool
sn_case_linear(const SnMapping *u, const SnCaseTaps *t, const SnMapRead *r,
               int32_t *ix)
{
    Index off, at[SN_MAP_RANK]; /* of axes where it may be outside */
    uint32_t n = 0;

    if (r->nwhen || r->one_of || !index_of(u, t, r->off, &off))
        return false;
    for (int i = 0; i < r->box.rank; i++) {
        if (r->inside[i])
            continue;
        at[n].below = r->box.dim[i];
        if (!index_of(u, t, r->at[i], &at[n++]))
            return false;
    }
    for (int64_t o = 0; o < t->no; o++)
        for (int64_t k = 0; k < t->nk; k++) {
            bool in = is_inside(at, n, o, k);
            if (!in && r->els == SN_ME_NONE)
                return false;
            *ix++ = in ? (int32_t)(off.result[o] + off.tap[k]) : -1;
        }
    return true;
}
