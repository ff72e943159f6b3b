// SPDX-License-Identifier: Apache-2.0
/* Sums over places, as atoms of the normal form. */
#include "dsl/prove/real/box.h"

#include <string.h>
#include "dsl/model/named.h"

SnRing
sn_real_ring(SnRealProof *cx, SnPoly p)
{
    SnRings *R = &cx->R;
    SnRing r = {0};

    p = sn_real_norm(cx, p);
    for (uint32_t i = 0; i < p.n; i++) {
        SnRing t = sn_ring_num(R, (double)p.m[i].c);
        for (unsigned k = 0; k < p.m[i].n; k++) {
            const char *s = sn_poly_text(
                &cx->path.P, sn_poly_atom(&cx->path.P, p.m[i].atom[k]));
            t = sn_ring_mul(
                R, t,
                sn_ring_atom(R, s[0] == '[' ? SN_RING_FLAG : SN_RING_NAME, s, 0,
                             NULL));
        }
        r = sn_ring_add(R, r, t);
    }
    SnPoly *made = SN_NEW(cx->a, SnPoly);
    *made = p;
    return sn_ring_made(R, r, 'p', NULL, 0, NULL, 1, made);
}

/* One product: factors without a place of the set are moved before the sum, and
 * each unused place multiplies by its size. */
static SnRing
sum_of_term(SnRealProof *cx, const SnBoxSet *s, const SnRingTerm *t)
{
    SnRings *R = &cx->R;
    SnRingTerm in = {.c = 1}, before = {.c = t->c};
    SnRing r;
    SnBuf b;

    for (unsigned k = 0; k < t->n; k++) {
        bool inside = false;
        for (uint32_t i = 0; i < s->n; i++)
            inside |= sn_ring_atom_mentions(R, t->f[k].atom, s->name[i]);
        if (inside)
            in.f[in.n++] = t->f[k];
        else
            before.f[before.n++] = t->f[k];
    }
    r = sn_ring_term(R, &before);
    SnRing body = sn_ring_term(R, &in);
    sn_buf_init(&b, cx->a);
    sn_puts(&b, "sum");
    for (uint32_t i = 0; i < s->n; i++) {
        if (sn_ring_mentions(R, body, s->name[i]))
            sn_putf(&b, " %s", s->name[i]);
        else
            r = sn_ring_mul(R, r, sn_real_ring(cx, s->bound[i]));
    }
    return in.n ? sn_ring_mul(
                      R, r,
                      sn_ring_atom(R, SN_RING_SUM, sn_buf_str(&b), 1, &body))
                : r;
}

static const SnBoxFlag *
flag_of(const SnRealProof *cx, uint16_t atom)
{
    for (uint32_t i = 0; i < cx->nflag && cx->R.atom[atom].kind == SN_RING_FLAG;
         i++)
        if (sn_name_same(cx->flag[i].name, cx->R.atom[atom].name))
            return &cx->flag[i];
    return NULL;
}

/* Without the flags that the others imply; false: they contradict each other.
 */
static bool
thinned(SnRealProof *cx, SnRingTerm *t)
{
    SnPolys *P = &cx->path.P;
    uint32_t nbinder = cx->nbinder;
    bool possible = true;

    for (unsigned k = 0; k < t->n && possible;) {
        const SnBoxFlag *f = flag_of(cx, t->f[k].atom), *o;
        for (unsigned j = 0; j < t->n && f; j++)
            if (j != k && (o = flag_of(cx, t->f[j].atom)) &&
                cx->nbinder < SN_BOX_NBINDER)
                cx->binder[cx->nbinder++] = o->p;
        bool implied = f && sn_real_implies(cx, f->p);
        possible = !f || implied ||
                   !sn_real_implies(
                       cx, sn_poly_plus(P, sn_poly_scale(P, f->p, -1), -1));
        cx->nbinder = nbinder;
        if (implied)
            memmove(&t->f[k], &t->f[k + 1], (--t->n - k) * sizeof *t->f);
        else
            k++;
    }
    return possible;
}

SnRing
sn_real_sum(SnRealProof *cx, const SnBoxSet *s, SnRing body)
{
    SnRing r = {0};

    for (uint32_t i = 0; i < body.n && !sn_real_stopped(cx); i++) {
        SnRingTerm t = body.t[i];
        if (!cx->codes[0] || thinned(cx, &t))
            r = sn_ring_add(&cx->R, r, sum_of_term(cx, s, &t));
    }
    SnPoly *along = SN_NEW_N(cx->a, SnPoly, s->n + 1);
    for (uint32_t i = 0; i < s->n; i++)
        along[i] = sn_poly_name(&cx->path.P, s->name[i]);
    return sn_ring_made(&cx->R, r, 's', NULL, 1, &body, s->n, along);
}
