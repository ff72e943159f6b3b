/* Rows of docs/numerics.md that are more than the formula's own steps: sums of
 * products, LRN, Softmax. */
#include "dsl/prove_row.h"

#include <math.h>
#include <string.h>
#include "base/num.h"

/* sum(d(x) * d(w)) [+ d(b)], rounded once: the row of a contract. */
static const SnExpr *
dot_of(const SnExpr *x, const SnExpr **bias)
{
    *bias = NULL;
    if (x->ek == SN_E_BIN && x->op == SN_OP_ADD &&
        x->kid[1]->ek == SN_E_CALL && !strcmp(x->kid[1]->s, "d")) {
        *bias = x->kid[1];
        x = x->kid[0];
    }
    if (x->ek != SN_E_CALL || strcmp(x->s, "sum") || x->nkid != 1)
        return NULL;
    x = x->kid[0];
    return x->ek == SN_E_BIN && x->op == SN_OP_MUL &&
                   !strcmp(x->kid[0]->s ? x->kid[0]->s : "", "d") &&
                   !strcmp(x->kid[1]->s ? x->kid[1]->s : "", "d")
               ? x
               : NULL;
}

static const SnDefPort *
dot_port(const SnExpr *x)
{
    return x->kid[0]->rk == SN_R_PORT ? x->kid[0]->ref : NULL;
}

static const PvT *
operand(const PvEv *e, const SnDefPort *p)
{
    for (uint32_t s = 0; p && s < e->n->nin; s++)
        if (e->n->port[s] == p->index)
            return e->n->in[s];
    return NULL;
}

static bool
contract(PvEv *e, const SnExpr *x, const PvType *t, PvRange cl, PvVec *r)
{
    const SnExpr *be, *m = dot_of(x, &be);
    int32_t lo, hi;

    if (!m || e->sem->cls != SN_DC_CONTRACT || e->set)
        return false;
    const SnDefPort *px = dot_port(m->kid[0]), *pw = dot_port(m->kid[1]);
    const SnDefPort *pb = be ? dot_port(be) : NULL;
    const PvT *tx = operand(e, px), *tw = operand(e, pw);
    if (!tx || !tw || !px || !pw)
        return false;
    PvVec b = {0};
    if (pb)
        b = sn_pv_port(e, pb);
    e->set = true;
    PvVec vx = sn_pv_port(e, px), vw = sn_pv_port(e, pw);
    e->set = false;
    if (t->nq)
        sn_pv_limits(t, cl, &lo, &hi);
    for (int64_t o = 0; o < e->t.no; o++) {
        const int32_t *iw = vw.ix;
        double acc = pb ? b.v[o] : 0;
        uint32_t ch = 0;
        if (tw->type.nq > 1)
            ch = (uint32_t)(o % e->n->out[0]->dim[e->n->out[0]->rank - 1]);
        for (int64_t k = o * e->t.nk; k < (o + 1) * e->t.nk; k++) {
            if (isnan(vx.v[k]) || isnan(vw.v[k]))
                continue;
            if (t->nq && tx->type.nq)
                acc += (vx.v[k] - tx->type.zp[0]) *
                       (vw.v[k] - tw->type.zp[ch]);
            else
                acc = (double)fmaf((float)vx.v[k], (float)vw.v[k],
                                   (float)acc);
        }
        (void)iw;
        if (t->nq && tx->type.nq) {
            float mul = sn_mult(tx->type.scale[0], tw->type.scale[ch],
                                t->scale[0]);
            r->v[o] = sn_requant64((int64_t)acc, mul, t->zp[0], lo, hi);
        } else {
            r->v[o] = acc;
            if (cl.has_lo && r->v[o] < cl.lo)
                r->v[o] = cl.lo;
            if (cl.has_hi && r->v[o] > cl.hi)
                r->v[o] = cl.hi;
        }
    }
    return true;
}

static bool
lrn(PvEv *e, const PvType *t, PvRange cl, PvVec *r)
{
    const PvT *x = e->n->in[0];
    const PvVal *size = sn_pv_attr(e->n, "size"), *al = sn_pv_attr(e->n, "alpha");
    const PvVal *be = sn_pv_attr(e->n, "beta"), *k = sn_pv_attr(e->n, "k");
    int32_t lo, hi;

    if (!e->sem->by || strcmp(e->sem->by, "lrn") || !t->nq || !x->type.nq)
        return false;
    sn_pv_limits(t, cl, &lo, &hi);
    for (int64_t o = 0; o < e->t.no; o++) {
        int32_t s = 0;
        for (int64_t m = o * e->t.nk; m < (o + 1) * e->t.nk; m++) {
            if (e->t.ix[0][m] < 0)
                continue;
            int32_t d = (int32_t)x->v[e->t.ix[0][m]] - x->type.zp[0];
            s += d * d;
        }
        float tt = sn_lrn_t(s, (float)al->r, (int32_t)size->r,
                            x->type.scale[0], (float)k->r);
        float d = sn_dequant((int32_t)x->v[o], x->type.scale[0],
                             x->type.zp[0]);
        r->v[o] = sn_quant(sn_lrn_y(d, tt, (float)be->r), t->scale[0],
                           t->zp[0], lo, hi);
    }
    return true;
}

static bool
softmax(PvEv *e, const PvType *t, PvRange cl, PvVec *r)
{
    const PvT *x = e->n->in[0];
    int32_t lo, hi;

    if (!e->sem->by || strcmp(e->sem->by, "softmax") || !t->nq ||
        x->type.elem != SN_DE_QI8)
        return false;
    sn_pv_limits(t, cl, &lo, &hi);
    uint64_t one = (uint64_t)floorf(1.0f / t->scale[0]);
    for (int64_t o = 0; o < e->t.no; o++) {
        const int32_t *ix = e->t.ix[0] + o * e->t.nk;
        double top = -1e9;
        uint64_t sum = 0, mine = 0;
        for (int64_t k = 0; k < e->t.nk; k++)
            top = fmax(top, x->v[ix[k]]);
        for (int64_t k = 0; k < e->t.nk; k++) {
            double d = top - x->v[ix[k]];
            uint64_t w = (uint64_t)(8388608.0 *
                                        sn_exp(-d * (double)x->type.scale[0]) +
                                    0.5);
            sum += w;
            if (ix[k] == o)
                mine = w;
        }
        double q = (double)sn_div_rne(mine * one, sum) + t->zp[0];
        r->v[o] = fmin(fmax(q, lo), hi);
    }
    return true;
}

bool
sn_pv_row(PvEv *e, const SnExpr *x, const PvType *t, PvRange cl, PvVec *r)
{
    return contract(e, x, t, cl, r) || lrn(e, t, cl, r) ||
           softmax(e, t, cl, r);
}
