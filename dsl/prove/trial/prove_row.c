// SPDX-License-Identifier: Apache-2.0
/* Rows of docs/numerics.md that are more than the formula's own steps: sums of
 * products, LRN, Softmax. */
#include "dsl/prove/trial/prove_row.h"

#include <math.h>
#include <string.h>
#include "base/num.h"

/* sum(d(x) * d(w)) [+ d(b)], rounded once: the row of a contract. */
static const SnExpr *
dot_of(const SnExpr *x, const SnExpr **bias)
{
    *bias = NULL;
    if (x->ek == SN_E_BIN && x->op == SN_OP_ADD && x->kid[1]->fn == SN_FN_D) {
        *bias = x->kid[1];
        x = x->kid[0];
    }
    if (x->fn != SN_FN_SUM || x->nkid != 1)
        return NULL;
    x = x->kid[0];
    return x->ek == SN_E_BIN && x->op == SN_OP_MUL &&
                   x->kid[0]->fn == SN_FN_D && x->kid[1]->fn == SN_FN_D
               ? x
               : NULL;
}

static const SnDefPort *
dot_port(const SnExpr *x)
{
    return x->kid[0]->rk == SN_R_PORT ? x->kid[0]->ref : NULL;
}

static const SnCaseValue *
operand(const SnCaseEval *e, const SnDefPort *p)
{
    for (uint32_t s = 0; p && s < e->n->nin; s++)
        if (e->n->port[s] == p->index)
            return e->n->in[s];
    return NULL;
}

/* The end of a contract by a fixed-point rounding; m is its multiplier. */
static int32_t
fix_acc(const SnCaseEval *e, double acc, bool wide, double m, int32_t zp,
        int32_t lo, int32_t hi)
{
    SnFix f = sn_fix(e->c->pr->round, m);

    return wide
               ? sn_fix_requant64((int64_t)acc, f, zp, lo, hi)
               : sn_fix_requant((int32_t)(uint32_t)(int64_t)acc, f, zp, lo, hi);
}

static bool
contract(SnCaseEval *e, const SnExpr *x, const SnCaseType *t, SnRange cl,
         SnCaseVec *r)
{
    const SnExpr *be, *m = dot_of(x, &be);
    int32_t lo, hi;

    if (!m || e->sem->cls != SN_C_CONTRACT || e->set)
        return false;
    const SnDefPort *px = dot_port(m->kid[0]), *pw = dot_port(m->kid[1]);
    const SnDefPort *pb = be ? dot_port(be) : NULL;
    const SnCaseValue *tx = operand(e, px), *tw = operand(e, pw);
    if (!tx || !tw || !px || !pw)
        return false;
    bool wide = tx->type.elem == SN_QI16 || tw->type.elem == SN_QI16;
    SnCaseVec b = {0};
    if (pb)
        b = sn_case_port(e, pb);
    e->set = true;
    SnCaseVec vx = sn_case_port(e, px), vw = sn_case_port(e, pw);
    e->set = false;
    if (t->nq)
        sn_case_limits(t, cl, &lo, &hi);
    for (int64_t o = 0; o < e->t.no; o++) {
        const int32_t *iw = vw.ix;
        double acc = pb ? b.v[o] : 0;
        uint32_t ch = 0;
        if (tw->type.nq > 1)
            ch = (uint32_t)(o % e->n->out[0]->dim[e->n->out[0]->rank - 1]);
        if (tw->type.nq && ch >= tw->type.nq)
            return sn_case_no(e->c, "no scale for a channel");
        for (int64_t k = o * e->t.nk; k < (o + 1) * e->t.nk; k++) {
            if (e->t.hole && e->t.hole[k])
                continue;
            if (t->nq && tx->type.nq)
                acc += (vx.v[k] - tx->type.zp[0]) * (vw.v[k] - tw->type.zp[ch]);
            else
                acc = (double)fmaf((float)vx.v[k], (float)vw.v[k], (float)acc);
        }
        (void)iw;
        if (t->nq && tx->type.nq) {
            e->c->ratio = true;
            float mul =
                sn_mult(tx->type.scale[0], tw->type.scale[ch], t->scale[0]);
            r->v[o] = sn_requant64((int64_t)acc, mul, t->zp[0], lo, hi);
            if (e->c->pr->round != SN_ROUNDING_FLOAT)
                r->v[o] = fix_acc(e, acc, wide,
                                  (double)tx->type.scale[0] *
                                      (double)tw->type.scale[ch] /
                                      (double)t->scale[0],
                                  t->zp[0], lo, hi);
        } else {
            r->v[o] = sn_case_clamped(acc, cl);
        }
    }
    return true;
}

static bool
lrn(SnCaseEval *e, const SnCaseType *t, SnRange cl, SnCaseVec *r)
{
    const SnCaseValue *x = e->n->in[0];
    const SnExprValue *size = sn_case_attr(e->n, "size");
    const SnExprValue *al = sn_case_attr(e->n, "alpha");
    const SnExprValue *be = sn_case_attr(e->n, "beta"),
                      *k = sn_case_attr(e->n, "k");
    int32_t lo, hi;

    if (e->sem->row != SN_ROW_LRN || !t->nq || !x->type.nq || !size || !al ||
        !be || !k || !e->t.ix[0])
        return false;
    sn_case_limits(t, cl, &lo, &hi);
    for (int64_t o = 0; o < e->t.no; o++) {
        int32_t s = 0;
        for (int64_t m = o * e->t.nk; m < (o + 1) * e->t.nk; m++) {
            if (e->t.ix[0][m] < 0)
                continue;
            int32_t d = (int32_t)x->v[e->t.ix[0][m]] - x->type.zp[0];
            s = (int32_t)((uint32_t)s + (uint32_t)d * (uint32_t)d);
        }
        float tt = sn_lrn_t(s, (float)al->r, (int32_t)size->r, x->type.scale[0],
                            (float)k->r);
        float d = sn_dequant((int32_t)x->v[o], x->type.scale[0], x->type.zp[0]);
        r->v[o] = sn_quant(sn_lrn_y(d, tt, (float)be->r), t->scale[0], t->zp[0],
                           lo, hi);
    }
    return true;
}

static bool
softmax(SnCaseEval *e, const SnCaseType *t, SnRange cl, SnCaseVec *r)
{
    const SnCaseValue *x = e->n->in[0];
    int32_t lo, hi;

    if (e->sem->row != SN_ROW_SOFTMAX || !t->nq || x->type.elem != SN_QI8 ||
        !e->t.ix[0] || t->scale[0] < 0x1p-32f)
        return false;
    sn_case_limits(t, cl, &lo, &hi);
    uint64_t one = (uint64_t)floorf(1.0f / t->scale[0]);
    for (int64_t o = 0; o < e->t.no; o++) {
        const int32_t *ix = e->t.ix[0] + o * e->t.nk;
        double top = -1e9;
        uint64_t sum = 0, mine = 0;
        for (int64_t k = 0; k < e->t.nk; k++)
            if (ix[k] >= 0)
                top = fmax(top, x->v[ix[k]]);
        for (int64_t k = 0; k < e->t.nk; k++) {
            if (ix[k] < 0)
                continue;
            double d = top - x->v[ix[k]];
            uint64_t w =
                (uint64_t)(8388608.0 * sn_exp(-d * (double)x->type.scale[0]) +
                           0.5);
            sum += w;
            if (ix[k] == o)
                mine = w;
        }
        double q =
            sum ? (double)sn_div_rne(mine * one, sum) + t->zp[0] : t->zp[0];
        r->v[o] = fmin(fmax(q, lo), hi);
    }
    return true;
}

/* ---- means, round = after ---- */

bool
sn_case_after(const SnCaseNode *n, int32_t *shift)
{
    const SnDefAttr *a = sn_def_attr(n->n, "round");
    const SnExprValue *v = sn_case_attr(n, "round"),
                      *s = sn_case_attr(n, "zp_shift");

    *shift = s ? (int32_t)s->r : 0;
    return a && a->ty == SN_A_ENUM && v->r < a->nword &&
           v->r == sn_name_at(a->word, a->nword, sn_words[SN_W_AFTER]);
}

/* d(x) of a port of 8 or 16 bits that the map indexes: that port. */
static const SnDefPort *
code_port(const SnCaseEval *e, const SnExpr *x)
{
    if (x->fn != SN_FN_D || x->kid[0]->rk != SN_R_PORT)
        return NULL;
    const SnDefPort *p = x->kid[0]->ref;
    const SnCaseValue *t = operand(e, p);
    return t && t->type.nq == 1 && t->type.elem != SN_QI32 ? p : NULL;
}

/* d(x) of a port, or of what the formula has rounded to a type of its own: its
 * codes. */
static bool
codes_of(SnCaseEval *e, const SnExpr *x, SnCaseVec *v)
{
    const SnExpr *k = x->nkid ? x->kid[0] : x;
    bool own = k->fn == SN_FN_Q && k->nkid > 1;

    if (!code_port(e, x) && (x->fn != SN_FN_D || !own))
        return false;
    *v = sn_case_vec(e, k);
    return !e->c->fail && v->code && v->ct->nq == 1 && v->ct->elem != SN_QI32;
}

/* The sums and products of QLinearAdd and QLinearMul. */
static bool
pair_after(SnCaseEval *e, const SnExpr *x, const SnCaseType *t, SnRange cl,
           int32_t sh, SnCaseVec *r)
{
    int32_t lo, hi;

    if (x->ek != SN_E_BIN || (x->op != SN_OP_ADD && x->op != SN_OP_MUL))
        return false;
    SnCaseVec a, b;
    if (!codes_of(e, x->kid[0], &a) || !codes_of(e, x->kid[1], &b))
        return false;
    const SnCaseType *ka = a.ct, *kb = b.ct;
    sn_case_limits(t, cl, &lo, &hi);
    for (int64_t i = 0; i < e->t.no; i++) {
        int32_t ca = (int32_t)a.v[i] + sh, cb = (int32_t)b.v[i] + sh;
        int32_t za = ka->zp[0] + sh, zb = kb->zp[0] + sh, zy = t->zp[0] + sh;
        r->v[i] = (x->op == SN_OP_MUL
                       ? sn_mul_after(ca, ka->scale[0], za, cb, kb->scale[0],
                                      zb, t->scale[0], zy, lo + sh, hi + sh)
                       : sn_add_after(ca, ka->scale[0], za, cb, kb->scale[0],
                                      zb, t->scale[0], zy, lo + sh, hi + sh)) -
                  sh;
    }
    return true;
}

/* Quantized means sum integers: along axes always, in a pool with `after` where
 * the window is the image. */
static bool
int_mean(SnCaseEval *e, const SnExpr *x, const SnCaseType *t, SnRange cl,
         SnCaseVec *r)
{
    const SnCaseValue *im = e->n->in[0];
    bool parts = sn_map_stmt(e->sem->decl->decl, SN_MS_PARTS) != NULL;
    bool by_policy = e->c->pr->round != SN_ROUNDING_FLOAT && !parts;
    int32_t lo, hi, sh;

    if (x->fn != SN_FN_MEAN || !im || im->type.nq != 1 ||
        im->type.elem == SN_QI32 || !e->t.ix[0] ||
        (parts && (!sn_case_after(e->n, &sh) || !e->t.whole)))
        return false;
    e->c->ratio = true;
    sn_case_limits(t, cl, &lo, &hi);
    for (int64_t o = 0; o < e->t.no; o++) {
        int64_t sum = 0;
        for (int64_t k = 0; k < e->t.nk; k++)
            if (e->t.ix[0][o * e->t.nk + k] >= 0)
                sum += (int64_t)im->v[e->t.ix[0][o * e->t.nk + k]] -
                       im->type.zp[0];
        float m = im->type.scale[0] / (t->scale[0] * (float)e->t.nk);
        r->v[o] = sn_requant64(sum, m, t->zp[0], lo, hi);
        if (by_policy)
            r->v[o] = sn_fix_requant64(
                sum,
                sn_fix(e->c->pr->round,
                       (double)im->type.scale[0] /
                           ((double)t->scale[0] * (double)e->t.nk)),
                t->zp[0], lo, hi);
    }
    return true;
}

/* ---- selections by a fixed-point rounding ---- */

/* Codes and constants of a selection, none along an axis or wide?  *codes is
 * set when there are codes. */
static bool
selects(const SnCaseEval *e, const SnExpr *x, bool *codes)
{
    bool call = x->ek == SN_E_CALL;

    if (call && x->fn == SN_FN_D) {
        const SnExpr *k = x->kid[0];
        *codes = true;
        return code_port(e, x) || (k->fn == SN_FN_Q && k->nkid > 1);
    }
    if (call && x->nkid == 2 && (x->fn == SN_FN_MAX || x->fn == SN_FN_MIN))
        return selects(e, x->kid[0], codes) && selects(e, x->kid[1], codes);
    return !call && x->ek != SN_E_BIN && x->rk != SN_R_PORT;
}

/* Each code rescaled by itself, constants quantized, then selected. */
static SnCaseVec
select_codes(SnCaseEval *e, const SnExpr *x, const SnCaseType *t, int32_t lo,
             int32_t hi)
{
    bool call = x->ek == SN_E_CALL;
    bool code = call && x->fn == SN_FN_D;
    size_t n = (size_t)e->t.no;

    if (call && !code) {
        SnCaseVec a = select_codes(e, x->kid[0], t, lo, hi);
        SnCaseVec b = select_codes(e, x->kid[1], t, lo, hi);
        for (size_t i = 0; i < n; i++)
            a.v[i] = x->fn == SN_FN_MAX ? fmax(a.v[i], b.v[i])
                                        : fmin(a.v[i], b.v[i]);
        return a;
    }
    SnCaseVec v = sn_case_vec(e, code ? x->kid[0] : x);
    SnCaseVec r = {.v = SN_NEW_N(e->c->a, double, n + 1)};
    if (e->c->fail)
        return r;
    for (size_t i = 0; i < n; i++)
        r.v[i] = code ? sn_rescale_by(e->c->pr->round, (int32_t)v.v[i],
                                      v.ct->scale[0], v.ct->zp[0], t->scale[0],
                                      t->zp[0], lo, hi)
                      : sn_quant((float)v.v[i], t->scale[0], t->zp[0], lo, hi);
    return r;
}

static bool
selection(SnCaseEval *e, const SnExpr *x, const SnCaseType *t, SnRange cl,
          SnCaseVec *r)
{
    bool codes = false;
    int32_t lo, hi;

    if (t->nq != 1 || t->elem == SN_QI32 || !selects(e, x, &codes) || !codes)
        return false;
    e->c->ratio = true;
    if (e->c->pr->round == SN_ROUNDING_FLOAT)
        return false; /* the formula as it is */
    sn_case_limits(t, cl, &lo, &hi);
    SnCaseVec v = select_codes(e, x, t, lo, hi);
    memcpy(r->v, v.v, (size_t)e->t.no * sizeof *r->v);
    return true;
}

static bool
point(SnCaseEval *e, const SnExpr *x, const SnCaseType *t, SnRange cl,
      SnCaseVec *r)
{
    int32_t sh;

    if (t->nq != 1 || t->elem == SN_QI32)
        return false;
    return int_mean(e, x, t, cl, r) ||
           (sn_case_after(e->n, &sh) && pair_after(e, x, t, cl, sh, r));
}

bool
sn_case_row(SnCaseEval *e, const SnExpr *x, const SnCaseType *t, SnRange cl,
            SnCaseVec *r, double *err)
{
    if (contract(e, x, t, cl, r) || selection(e, x, t, cl, r)) {
        *err = sn_rounding_error(e->c->pr->round);
        return true;
    }
    return lrn(e, t, cl, r) || softmax(e, t, cl, r) || point(e, x, t, cl, r);
}
