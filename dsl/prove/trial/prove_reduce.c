// SPDX-License-Identifier: Apache-2.0
/* Reductions of the enumerator's formulas: over the taps that a map names for
 * each result. */
#include "dsl/prove/trial/prove_row.h"

#include <math.h>
#include <string.h>
#include "base/num.h"

static double
f32(double v)
{
    return (double)(float)v;
}

/* NaN is larger than every number. */
static bool
more(double a, double b)
{
    return isnan(a) ? !isnan(b) : a > b;
}

/* The j-th largest of a set with ties by index: order statistics of topk. */
static int64_t
ranked(const double *v, int64_t n, int64_t j, bool largest)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t before = 0;
        for (int64_t m = 0; m < n; m++) {
            bool ahead = largest ? more(v[m], v[k]) : more(v[k], v[m]);
            bool behind = largest ? more(v[k], v[m]) : more(v[m], v[k]);
            before += ahead || (!behind && m < k);
        }
        if (before == j)
            return k;
    }
    return 0;
}

static bool
hole(const SnCaseEval *e, int64_t i)
{
    return e->t.hole && e->t.hole[i];
}

/* The first of equal values; NaN stays, except for argmax, which compares. */
static int64_t
pick(const SnCaseEval *e, const double *v, int64_t nk, int64_t o, bool max,
     bool arg)
{
    int64_t best = -1;

    if (sn_map_stmt(e->sem->decl->decl, SN_MS_PRIMITIVE)) {
        const SnCaseValue *y = e->n->out[0];
        int ax = sn_case_axis(y, sn_case_map_num(e->n, 2, -1));
        int64_t in = 1;
        for (int i = ax + 1; i < y->rank; i++)
            in *= y->dim[i];
        return ranked(v, nk, o / in % y->dim[ax],
                      sn_case_map_num(e->n, 3, 1) != 0);
    }
    for (int64_t k = 0; k < nk; k++) {
        if (hole(e, o * nk + k))
            continue;
        if (best < 0 || (max ? v[k] > v[best] : v[k] < v[best]) ||
            (!arg && isnan(v[k]) && !isnan(v[best])))
            best = k;
    }
    return best < 0 ? 0 : best;
}

/* The initial value of the sum of a set: -0, which adds nothing, or +0 (the row
 * AvgPool of numerics.md). */
static double
start(const SnCaseEval *e, const double *v, int64_t nk, int64_t ncol, SnFn how)
{
    if (how != SN_FN_MEAN || e->t.ncol <= 0 || e->t.whole)
        return 0; /* not in parts */
    for (int64_t j = 0; j < ncol; j++) {
        bool valid = false;
        for (int64_t k = j; k < nk; k += ncol)
            valid |= !isnan(v[k]);
        if (!valid)
            return 0;
    }
    return -0.0;
}

static void
reduce_one(SnCaseEval *e, SnFn how, const SnCaseVec *a, SnCaseVec *r, int64_t o)
{
    int64_t nk = e->t.nk, cnt = 0;
    int64_t ncol = how == SN_FN_MEAN && e->t.ncol > 0 ? e->t.ncol : nk;
    const double *v = a->v + o * nk;
    double s = 0, id = 0, er = 0;
    int64_t w = 0;

    if (how == SN_FN_MAX || how == SN_FN_MIN) {
        int64_t k = pick(e, v, nk, o, how == SN_FN_MAX, false);
        r->v[o] = v[k];
        if (r->whole)
            r->w[o] = a->w[o * nk + k];
        if (!r->id)
            return;
        int64_t j = pick(e, a->id + o * nk, nk, o, how == SN_FN_MAX, false);
        r->id[o] = a->id[o * nk + j];
        for (int64_t m = 0; m < nk; m++)
            if (!hole(e, o * nk + m))
                er = fmax(er, a->er[o * nk + m]);
        r->er[o] = er;
        return;
    }
    if (how == SN_FN_ARGMAX ||
        how == SN_FN_ARGMIN) { /* a flat index in a pool */
        int64_t k = pick(e, v, nk, o, how == SN_FN_ARGMAX, true);
        bool flat = sn_map_stmt(e->sem->decl->decl, SN_MS_NUMBER) != NULL;
        sn_case_put_whole(r, (size_t)o, flat && a->ix ? a->ix[o * nk + k] : k);
        if (!r->id)
            return;
        /* over the reals; an intermediate step may move it anywhere */
        k = pick(e, a->id + o * nk, nk, o, how == SN_FN_ARGMAX, true);
        r->id[o] = flat && a->ix ? a->ix[o * nk + k] : (double)k;
        for (int64_t m = 0; m < nk; m++)
            if (!hole(e, o * nk + m) && a->er[o * nk + m] > 0)
                r->er[o] = (double)e->n->in[0]->n;
        return;
    }
    s = start(e, v, nk, ncol, how);
    for (int64_t j = 0; j < ncol; j++) {
        double column = -0.0;
        for (int64_t k = j; k < nk; k += ncol) {
            if (hole(e, o * nk + k))
                continue;
            if (a->whole)
                w = sn_int_add(w, a->w[o * nk + k]);
            column = f32(column + v[k]);
            cnt++;
            if (r->id) {
                id += a->id[o * nk + k];
                er += a->er[o * nk + k];
                er = sn_case_rounded(e->c, id, er, 1 + (ncol < nk));
            }
        }
        s = f32(s + column);
    }
    double d = how == SN_FN_MEAN ? (e->t.div ? e->t.div[o] : (double)cnt) : 1;
    if (r->whole)
        sn_case_put_whole(r, (size_t)o, w);
    else
        r->v[o] = f32((a->whole ? (double)(float)w : s) / d);
    if (r->id) {
        r->id[o] = id / d;
        r->er[o] = sn_case_rounded(e->c, id / d, er / d, how == SN_FN_MEAN);
    }
}

static SnCaseVec
widen(SnCaseEval *e, SnCaseVec a)
{
    size_t nk = (size_t)e->t.nk;

    e->set = true;
    SnCaseVec r = a.whole ? sn_case_make_whole(e) : sn_case_make(e);
    r.code = a.code;
    r.ct = a.ct;
    for (size_t i = 0; i < sn_case_len(e); i++) {
        r.v[i] = a.v[i / nk];
        if (r.whole)
            r.w[i] = a.w[i / nk];
        if (r.id) {
            r.id[i] = a.id[i / nk];
            r.er[i] = a.er[i / nk];
        }
    }
    return r;
}

SnCaseVec
sn_case_reduce(SnCaseEval *e, const SnExpr *x)
{
    SnFn how = x->fn;
    bool was = e->set;

    e->set = true;
    SnCaseVec a = sn_case_vec(e, x->kid[0]);
    e->set = false;
    bool arg = how == SN_FN_ARGMAX || how == SN_FN_ARGMIN;
    SnCaseVec r = arg || (a.whole && how != SN_FN_MEAN) ? sn_case_make_whole(e)
                                                        : sn_case_make(e);
    if (!arg) {
        r.code = a.code;
        r.ct = a.ct;
    }
    for (int64_t o = 0; o < e->t.no; o++)
        reduce_one(e, how, &a, &r, o);
    if (was)
        r = widen(e, r);
    e->set = was;
    return r;
}
