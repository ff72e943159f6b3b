// SPDX-License-Identifier: Apache-2.0
/* Sequences of saturations: the last one comes first.  Two can be exchanged
 * only if they are known to have a common point; without one, the result is the
 * nearer end of the last. */
#include "dsl/prove/calculus/prove_tree.h"

#include <string.h>
#include "dsl/resolve/resolver.h"

/* The type of a saturation's codes, or NULL. */
static const char *
type_of(SnCalculus *l, const char *sat)
{
    const char *s = sn_calculus_rep(l, sat);

    for (uint32_t i = 0; i < l->nclamp; i++)
        if (sn_calculus_rep(l, l->clamp[i][0]) == s)
            return sn_calculus_rep(l, l->clamp[i][1]);
    for (uint32_t i = 0; i < l->nbound; i++)
        if (l->bound[i].name == sn_calculus_name(l, sat)) {
            const char *t = sn_calculus_type_expr(l, l->bound[i].e->kid[0]);
            return t ? sn_calculus_rep(l, t) : NULL;
        }
    return NULL;
}

/* Is a a clamp of type b, "@T"? */
static bool
is_clamp_of(SnCalculus *l, const char *a, const char *b)
{
    const char *t = type_of(l, a);

    return t && *b == '@' && sn_calculus_rep(l, b + 1) == t;
}

static bool
covers(SnCalculus *l, const char *a, const char *b)
{
    for (uint32_t k = 0; k < l->ncov; k++)
        if (sn_calculus_rep(l, l->cov[k][0].name) == sn_calculus_rep(l, a) &&
            sn_calculus_rep(l, l->cov[k][1].name) == sn_calculus_rep(l, b))
            return true;
    return false;
}

/* Do they have a common point?  All types have 0. */
static bool
change_places(SnCalculus *l, const char *a, const char *b)
{
    return (*a == '@' && *b == '@') || is_clamp_of(l, a, b) ||
           is_clamp_of(l, b, a) || covers(l, a, b) || covers(l, b, a);
}

/* If one occurs twice the last counts: A(D(A(x))) = A(D(x)). */
static uint32_t
once_each(SnCalculus *l, const SnTree *t, const char **v)
{
    const char *own =
        t->type ? sn_calculus_name(
                      l, sn_format(l->a, "@%s", sn_calculus_rep(l, t->type)))
                : NULL;
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->nsat; i++) {
        uint32_t k = 0;
        v[n] = sn_calculus_rep(l, t->sat[i]);
        while (v[k] != v[n])
            k++;
        n += k == n && v[n] != own;
    }
    return n;
}

/* The alphabetically first of those that can come first, then the next: one
 * text for all equivalent orders. */
void
sn_calculus_put_sats(SnCalculus *l, SnBuf *b, const SnTree *t)
{
    const char **v = SN_NEW_N(l->a, const char *, t->nsat + 1);
    uint32_t n = once_each(l, t, v);

    for (uint32_t at = 0; at < n; at++) {
        uint32_t best = at;
        for (uint32_t i = at + 1; i < n; i++) {
            bool first = sn_calculus_before(v[i], v[best]);
            for (uint32_t k = at; k < i && first; k++)
                first = change_places(l, v[k], v[i]);
            best = first ? i : best;
        }
        const char *s = v[best];
        memmove(v + at + 1, v + at, (best - at) * sizeof *v);
        v[at] = s;
        sn_putf(b, "%s%s", at ? "," : "", s);
    }
}

/* ---- clamps of the right side ---- */

void
sn_calculus_add_clamp(SnCalculus *l, uint32_t *n, const char ***v,
                      const char *s, const char *of, const char *to)
{
    if (sn_calculus_rep(l, s) != l->full && sn_calculus_rep(l, of) != to)
        s = sn_format(l->a, "%s of %s as %s", s, sn_calculus_rep(l, of), to);
    sn_calculus_add_sat(l, n, v, s);
}

bool
sn_calculus_clamp(SnCalculus *l, const SnExpr *e, const char *to, uint32_t *n,
                  const char ***v)
{
    to = sn_calculus_rep(l, to);
    if (e->ek == SN_E_NAME && e->word == SN_W_FULL)
        return true;
    if (e->ek == SN_E_MEMBER && e->kid[0]->rk == SN_R_VAR &&
        e->ty == SN_TY_RANGE) {
        const SnDefVar *w = e->kid[0]->ref;
        if (w->index >= 64 || !l->type[w->index])
            return false;
        sn_calculus_add_clamp(l, n, v, sn_expr_str(l->a, e), l->type[w->index],
                              to);
        return true;
    }
    if (e->fn == SN_FN_MEET) {
        l->apart |= !sn_calculus_meets(l, e->kid[0], e->kid[1], to);
        return sn_calculus_clamp(l, e->kid[0], to, n, v) &&
               sn_calculus_clamp(l, e->kid[1], to, n, v);
    }
    if (e->fn == SN_FN_IMAGE) {
        const SnExpr *m = e->kid[1];
        const SnDefVar *mv = m->rk == SN_R_VAR ? m->ref : NULL;
        if (!mv || mv->index >= 64 || !l->type[mv->index] ||
            !sn_calculus_clamp(l, e->kid[0], l->type[mv->index], n, v))
            return false;
        l->along |= sn_calculus_may(l, l->type[mv->index]).axis;
        sn_calculus_add_sat(
            l, n, v,
            sn_format(l->a, "@%s", sn_calculus_rep(l, l->type[mv->index])));
        return true;
    }
    if (e->fn == SN_FN_BOUNDS) {
        const char *s = sn_expr_str(l->a, e);
        const char *of = sn_calculus_type_expr(l, e->kid[0]);
        if (!of)
            return false;
        l->apart |= !sn_calculus_meets(l, e, e, to);
        sn_calculus_add_clamp(l, n, v, s, of, to);
        if (l->nbound < 4) {
            l->bound[l->nbound].name = sn_calculus_name(l, s);
            l->bound[l->nbound++].e = e;
        }
        return true;
    }
    return false;
}

/* ---- saturations without effect ---- */

const char *
sn_calculus_reach(SnCalculus *l, const SnTree *t)
{
    if (!t->var || t->nkid)
        return sn_calculus_name(l, "reach of no variable");
    return sn_calculus_name(l, sn_format(l->a, "reach %s", t->op));
}

/* Are t's values some of variables that are within sat? */
static bool
lies_inside(SnCalculus *l, const SnTree *t, const char *sat)
{
    bool all = t->nkid > 0;

    for (uint32_t i = 0; i < l->ninside && t->nkid == 0 && t->var; i++)
        if (l->inside[i][0] == sn_calculus_rep(l, t->op) &&
            l->inside[i][1] == sn_calculus_name(l, sat))
            return true;
    if (t->kind != SN_TR_MOVE && !sn_calculus_is_minmax(t, false) &&
        !sn_calculus_is_minmax(t, true))
        return false;
    for (uint32_t i = 0; i < t->nkid; i++)
        all &= lies_inside(l, t->kid[i], sat);
    return all;
}

/* Can saturation i directly follow number j, which comes before it? */
static bool
reaches(SnCalculus *l, const SnTree *t, uint32_t i, uint32_t j)
{
    for (uint32_t k = i + 1; k < j; k++)
        if (!change_places(l, t->sat[i], t->sat[k]))
            return false;
    return true;
}

/* Is it without effect?  By a later saturation, B(D(A(x))) = B(D(x)) if A
 * covers B; by an earlier one or the values, if it can be next to them. */
static bool
is_idle(SnCalculus *l, const SnTree *t, uint32_t i)
{
    bool next = reaches(l, t, i, t->nsat);

    if (next && (lies_inside(l, t->kid[0], t->sat[i]) ||
                 covers(l, t->sat[i], sn_calculus_reach(l, t->kid[0]))))
        return true;
    for (uint32_t j = 0; j < t->nsat; j++)
        if (j != i && covers(l, t->sat[i], t->sat[j]) &&
            (j < i || reaches(l, t, i, j)))
            return true;
    return false;
}

SnTree *
sn_calculus_drop(SnCalculus *l, SnTree *t)
{
    for (uint32_t i = 0; i < t->nkid; i++)
        if (!(t->kid[i] = sn_calculus_drop(l, t->kid[i])))
            return NULL;
    if (t->kind != SN_TR_SAT)
        return t;
    for (uint32_t i = 0; i < t->nsat;) {
        if (!is_idle(l, t, i)) {
            i++;
            continue;
        }
        l->used |= 1u << 5;
        memmove(t->sat + i, t->sat + i + 1, (--t->nsat - i) * sizeof *t->sat);
        i = 0;
    }
    return t->nsat ? t : t->kid[0];
}
