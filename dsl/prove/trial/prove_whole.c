// SPDX-License-Identifier: Apache-2.0
/* Plain integers of the enumerator's formulas: 64 bits in addition to the
 * double, which does not have all of them, as evaluators calculate (sn_int_ of
 * num.h).  Where the double is NaN there is no element (padding). */
#include "dsl/prove/trial/prove_arith.h"
#include "dsl/prove/trial/prove_row.h"

#include <math.h>
#include "base/num.h"

int64_t
sn_case_whole64(double v)
{
    return v >= 0x1p63   ? INT64_MAX
           : v < -0x1p63 ? INT64_MIN
           : isnan(v)    ? 0
                         : (int64_t)v;
}

SnCaseVec
sn_case_make_whole(SnCaseEval *e)
{
    SnCaseVec r = sn_case_make(e);

    r.whole = true;
    r.w = SN_NEW_N(e->c->a, int64_t, sn_case_len(e) + 1);
    return r;
}

void
sn_case_put_whole(SnCaseVec *r, size_t i, int64_t w)
{
    r->w[i] = w;
    r->v[i] = (double)w;
}

double
sn_case_as_real(const SnCaseVec *r, size_t i)
{
    return r->whole && !isnan(r->v[i]) ? (double)(float)r->w[i] : r->v[i];
}

int64_t
sn_case_whole_op(SnOp op, int64_t a, int64_t b)
{
    switch (op) {
    case SN_OP_ADD:
        return sn_int_add(a, b);
    case SN_OP_SUB:
        return sn_int_sub(a, b);
    case SN_OP_MUL:
        return sn_int_mul(a, b);
    case SN_OP_DIV:
        return sn_int_div(a, b);
    default:
        sn_bug("operator %d has no integer result", (int)op);
    }
}

double
sn_case_stored(const SnCaseVec *r, size_t i, int8_t elem)
{
    double v = r->v[i];
    int64_t w;

    if (elem == SN_BOOL)
        return r->whole && !isnan(v) ? r->w[i] != 0 : v != 0;
    if (elem == SN_F32)
        return sn_case_as_real(r, i);
    if (elem != SN_I8 && elem != SN_I32 && elem != SN_I64)
        return v;
    if (isnan(v))
        return 0; /* as sn_cut of eval.h */
    if (r->whole)
        w = sn_int_wrap(r->w[i], elem == SN_I8 ? 8 : elem == SN_I32 ? 32 : 64);
    else
        w = sn_int_sat(sn_case_whole64(trunc(v)), elem == SN_I8    ? 8
                                                  : elem == SN_I32 ? 32
                                                                   : 64);
    return (double)w;
}

/* ---- functions ---- */

/* b: the other argument, a width if there is no mode. */
static int64_t
apply(SnFn fn, SnMode m, int64_t a, int64_t b)
{
    switch (fn) {
    case SN_FN_SHR:
        return sn_row_rounded(m, sn_quot_shr(a, b));
    case SN_FN_DIV:
        return sn_row_rounded(m, sn_quot_div(a, b));
    case SN_FN_SHL:
        return sn_int_shl(a, b);
    case SN_FN_SAT:
        return sn_int_sat(a, (int)b);
    case SN_FN_WRAP:
        return sn_int_wrap(a, (int)b);
    default:
        sn_bug("%s is no function of integers", sn_fns[fn].word);
    }
}

/* Over the reals it is the same function of the nearest integers.  Roundings
 * before it have a bounded effect on monotonic functions, and may move the
 * others anywhere. */
static void
ideal(const SnExpr *x, SnMode m, const SnCaseVec *a, const SnCaseVec *b,
      SnCaseVec *r, size_t i)
{
    bool rises = x->fn == SN_FN_SHR || x->fn == SN_FN_SAT;
    int64_t k = sn_case_whole64(rint(b->id[i]));
    double id = a->id[i], er = a->er[i];
    double y = (double)apply(x->fn, m, sn_case_whole64(rint(id)), k);

    r->id[i] = y;
    if (er == 0 && b->er[i] == 0)
        return;
    if (!rises || b->er[i] > 0 || k < 0) {
        r->er[i] = INFINITY;
        return;
    }
    int64_t lo = sn_case_whole64(rint(id - er));
    int64_t hi = sn_case_whole64(rint(id + er));
    r->er[i] = fmax(y - (double)apply(x->fn, m, lo, k),
                    (double)apply(x->fn, m, hi, k) - y);
}

static SnCaseVec
of_two(SnCaseEval *e, const SnExpr *x)
{
    SnCaseVec a = sn_case_vec(e, x->kid[0]), b = sn_case_vec(e, x->kid[1]);
    SnCaseVec r = sn_case_make_whole(e);
    SnMode m = x->nkid > 2 ? (SnMode)x->kid[2]->i : SN_MODE_NONE;

    if (e->c->fail)
        return r;
    for (size_t i = 0; i < sn_case_len(e); i++) {
        bool none = isnan(a.v[i]) || isnan(b.v[i]);
        sn_case_put_whole(&r, i, none ? 0 : apply(x->fn, m, a.w[i], b.w[i]));
        if (none)
            r.v[i] = NAN;
        if (r.id)
            ideal(x, m, &a, &b, &r, i);
    }
    return r;
}

static SnCaseVec
nearest(SnCaseEval *e, const SnExpr *x)
{
    SnCaseVec a = sn_case_vec(e, x->kid[0]), r = sn_case_make_whole(e);

    for (size_t i = 0; i < sn_case_len(e); i++) {
        sn_case_put_whole(&r, i, sn_int_rne((float)a.v[i]));
        if (!r.id)
            continue;
        r.id[i] = rint(a.id[i]);
        r.er[i] = fmax(r.id[i] - rint(a.id[i] - a.er[i]),
                       rint(a.id[i] + a.er[i]) - r.id[i]);
    }
    return r;
}

SnCaseVec
sn_case_whole(SnCaseEval *e, const SnExpr *x)
{
    if (x->fn == SN_FN_RNE)
        return nearest(e, x);
    if (x->fn != SN_FN_F32)
        return of_two(e, x);
    SnCaseVec a = sn_case_vec(e, x->kid[0]), r = sn_case_make(e);
    for (size_t i = 0; i < sn_case_len(e); i++)
        r.v[i] = sn_case_as_real(&a, i);
    r.id = a.id;
    r.er = a.er;
    return r;
}
