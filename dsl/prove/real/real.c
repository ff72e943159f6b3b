// SPDX-License-Identifier: Apache-2.0
/* Proofs, one path after the other. */
#include "dsl/prove/real/real.h"

#include "dsl/model/named.h"
#include "dsl/prove/real/box.h"

/* ---- what must be shown ---- */

static void
fail(SnRealProof *cx, const char *why)
{
    sn_path_stop(&cx->path, SN_PATH_FAIL, "%s", why);
}

/* The right side does not divide by a value that may be 0 unless the left one
 * does, and takes exp only of the same values. */
static void
no_new_dangers(SnRealProof *cx)
{
    for (uint32_t i = 0; i < cx->ndiv[0] && !sn_real_stopped(cx); i++) {
        SnRing x = cx->div[0][i];
        double k;
        bool same = sn_real_among(cx, cx->div[1], cx->ndiv[1], x);
        for (uint32_t j = 0; j < cx->ndiv[1] && !same && x.n; j++)
            same = sn_ring_same(&cx->R, sn_ring_unit(&cx->R, x, &k),
                                sn_ring_unit(&cx->R, cx->div[1][j], &k));
        if (!same && !sn_ring_positive(&cx->R, x))
            fail(cx, sn_format(cx->a, "a division by %s, which may be 0",
                               sn_ring_text(&cx->R, x)));
    }
    for (uint32_t i = 0; i < cx->ngrow[0] && !sn_real_stopped(cx); i++)
        if (!sn_real_among(cx, cx->grow[1], cx->ngrow[1], cx->grow[0][i]))
            fail(cx, sn_format(cx->a, "exp or pow of %s may overflow",
                               sn_ring_text(&cx->R, cx->grow[0][i])));
}

static void
same_shape(SnRealProof *cx, SnBox *l, SnBox *r)
{
    sn_real_shape(cx, l);
    sn_real_shape(cx, r);
    if (sn_real_stopped(cx))
        return;
    if (l->rank != r->rank) {
        fail(cx, "the rank differs");
        return;
    }
    for (int i = 0; i < l->rank; i++)
        if (!sn_real_knows_zero(cx,
                                sn_poly_sub(&cx->path.P, l->dim[i], r->dim[i])))
            fail(cx,
                 sn_format(
                     cx->a, "a dimension is %s, not %s",
                     sn_poly_text(&cx->path.P, sn_real_norm(cx, r->dim[i])),
                     sn_poly_text(&cx->path.P, sn_real_norm(cx, l->dim[i]))));
    for (int i = 0; i < l->rank && !sn_real_stopped(cx); i++)
        sn_trace_goal(&cx->path.trace,
                      sn_poly_sub(&cx->path.P, l->dim[i], r->dim[i]), "shape");
    sn_path_seen(&cx->path, "shape: rank %d", l->rank);
}

/* A place of the result; the path is finished if it has none. */
static SnBoxPlace
any_place(SnRealProof *cx, const SnBox *l)
{
    SnPoly *at = SN_NEW_N(cx->a, SnPoly, SN_BOX_RANK);
    SnPolys *P = &cx->path.P;

    for (int i = 0; i < l->rank; i++) {
        at[i] = sn_poly_name(P, sn_format(cx->a, "i%d", i));
        sn_path_assume(&cx->path, at[i]);
        sn_path_assume(&cx->path,
                       sn_poly_plus(P, sn_poly_sub(P, l->dim[i], at[i]), -1));
    }
    if (!sn_real_stopped(cx) && sn_facts_absurd(&cx->path.F))
        sn_path_stop(&cx->path, SN_PATH_DEAD, "no elements");
    return (SnBoxPlace){l->rank, at, l->dim};
}

static void
every_right_node(SnRealProof *cx)
{
    for (uint32_t i = 0; i < cx->nnode && !sn_real_stopped(cx); i++)
        if (!cx->node[i]->left)
            sn_real_shape(cx, cx->node[i]->out);
}

/* Does the condition require the root's other results to be unused? */
static bool
others_unused(const SnRealProof *cx, const SnBoxNode *root)
{
    for (uint32_t i = 1; i < root->n->nout; i++) {
        bool said = false;
        for (uint32_t k = 0; k < cx->nfact && !said; k++) {
            const SnExpr *e = cx->fact[k];
            said = e->ek == SN_E_CALL && e->fn == SN_FN_UNUSED &&
                   e->kid[0]->ek == SN_E_MEMBER &&
                   sn_name_same(e->kid[0]->s, root->n->out[i]->name);
        }
        if (!said)
            return false;
    }
    return true;
}

/* Both sides' elements at that place; again if the right side has distinguished
 * cases that the left one did not know. */
static void
elements(SnRealProof *cx, SnBox *l, SnBox *r, SnBoxPlace at, SnRing *x,
         SnRing *y)
{
    const uint32_t n[] = {cx->ndiv[0],  cx->ndiv[1],   cx->ngrow[0],
                          cx->ngrow[1], cx->ntaken[0], cx->ntaken[1]};

    for (int i = 0; i < 2; i++) {
        cx->computes = cx->negates = cx->zeros = false;
        for (int k = 0; k < 2; k++) {
            cx->ndiv[k] = n[k];
            cx->ngrow[k] = n[2 + k];
            cx->ntaken[k] = n[4 + k];
        }
        *x = sn_real_element(cx, l, at);
        *y = sn_real_element(cx, r, at);
        if (sn_real_stopped(cx) || sn_ring_same(&cx->R, *x, *y))
            break;
    }
}

static void
walk(SnRealProof *cx)
{
    SnBox *l, *r;
    SnRing x, y;
    SnBoxPlace at = {0};

    sn_path_begin(&cx->path);
    sn_ring_forget(&cx->R);
    cx->nbinder = cx->nplace = cx->nelem = cx->nflag = cx->nsum = 0;
    cx->place = cx->elem = NULL;
    cx->flag = NULL;
    cx->sum = NULL;
    cx->computes = cx->all_real = cx->retypes = cx->R.strict = false;
    cx->codes[0] = cx->codes[1] = NULL;
    cx->ndiv[0] = cx->ndiv[1] = cx->ngrow[0] = cx->ngrow[1] = 0;
    cx->div[0] = cx->div[1] = cx->grow[0] = cx->grow[1] = NULL;
    cx->nordered = cx->ntaken[0] = cx->ntaken[1] = 0;
    cx->ordered = cx->taken[0] = cx->taken[1] = NULL;
    if (!sn_real_sides(cx, &l, &r))
        return;
    if (!l->def || !r || !others_unused(cx, l->def))
        sn_real_out(cx, "a root of several results");
    else
        sn_real_types(cx, l, r);
    if (sn_real_stopped(cx))
        return;
    if (cx->point) {
        sn_real_point_shapes(cx, l, r);
        sn_path_seen(&cx->path, "shape: what the operands are broadcast to");
        sn_real_point_fits(cx);
    } else {
        same_shape(cx, l, r);
        every_right_node(cx);
        if (!sn_real_stopped(cx))
            at = any_place(cx, l);
    }
    cx->R.strict = sn_real_exact(cx);
    elements(cx, l, r, at, &x, &y);
    /* the order of numbers is not that of what they were negated from, and
     * the normal form has one 0 */
    bool chosen = cx->ntaken[0] || cx->ntaken[1];
    if (!sn_real_stopped(cx) && cx->R.strict &&
        (cx->computes || (cx->negates && (chosen || cx->zeros))))
        sn_real_out(cx, "arithmetic on the way");
    if (!sn_real_stopped(cx) && cx->retypes)
        sn_real_out(cx, "a number that changes its type");
    if (!sn_real_stopped(cx) && !sn_ring_same(&cx->R, x, y))
        fail(cx, sn_format(cx->a, "%s against %s", sn_ring_text(&cx->R, x),
                           sn_ring_text(&cx->R, y)));
    sn_real_same_choices(cx, x, y);
    no_new_dangers(cx);
    if (!sn_real_stopped(cx))
        sn_real_write(cx, x, y);
}

SnRealVerdict
sn_real_prove(SnProver *pv, const SnInstance *pr)
{
    SnArena *a = sn_prove_scratch(pv);
    SnRealProof *cx = SN_NEW(a, SnRealProof);
    SnRealVerdict r = {.proved = true};

    cx->pv = pv;
    cx->pr = pr;
    cx->a = cx->R.a = a;
    sn_path_init(&cx->path, pv, a);
    cx->point = sn_real_all_point(pr->r);
    while (r.proved) {
        walk(cx);
        r.npath++;
        if (cx->path.P.over || cx->R.over)
            sn_real_out(cx, "numbers that are too large");
        if (cx->path.stop >= SN_PATH_FAIL || cx->path.P.over || cx->R.over ||
            r.npath == SN_PATH_NPATH)
            r.proved = false;
        else if (!sn_path_next(&cx->path))
            break;
    }
    if (r.proved)
        r.certificate = sn_path_certificate(&cx->path, pv->a);
    r.reached = cx->path.stop == SN_PATH_FAIL;
    r.why = r.proved ? ""
                     : sn_strdup(pv->a, cx->path.why ? cx->path.why
                                                     : "too many cases");
    sn_prove_scratch_back(pv);
    return r;
}
