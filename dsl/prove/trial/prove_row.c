// SPDX-License-Identifier: Apache-2.0
/* Rows of docs/numerics.md that are more than the formula's own steps: sums of
 * products, LRN, Softmax, Normalize. */
#include "dsl/prove/trial/prove_row.h"

#include <math.h>
#include <string.h>
#include "base/num.h"
#include "dsl/prove/trial/prove_arith.h"

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

/* SN_WHEN_WIDE if an operand or a result has 16 bits. */
static unsigned
wide_node(const SnCaseNode *n)
{
    bool wide = false;

    for (uint32_t i = 0; i < n->nin; i++)
        wide |= n->in[i] && n->in[i]->type.elem == SN_QI16;
    for (uint32_t i = 0; i < n->n->nout; i++)
        wide |= n->out[i] && n->out[i]->type.elem == SN_QI16;
    return wide ? SN_WHEN_WIDE : 0;
}

/* The row for a form under the case's arithmetic, on grids g or any.  Notes
 * whether another arithmetic has another row than `float`: the case depends on
 * it. */
static const SnDefRowOf *
row_for(SnCaseEval *e, SnForm form, const char *map, unsigned when,
        const SnRowGrids *g)
{
    const SnDefs *s = e->c->pv->defs;

    if (g)
        when |= sn_row_same(form, g);
    const SnDefRowOf *f =
        sn_def_row(sn_def_arith(s, SN_ROUNDING_FLOAT), form, map, when);

    if (f)
        e->c->row = f->row;
    for (uint32_t i = 0; i < s->narith; i++) {
        const SnDefRowOf *r = sn_def_row(s->arith[i], form, map, when);
        e->c->ratio |= (r ? r->x : NULL) != (f ? f->x : NULL);
    }
    return sn_def_row(sn_def_arith(s, e->c->pr->round), form, map, when);
}

/* A graph with a ratio that the arithmetic refuses is not a case. */
static void
refuse_outside(SnCaseEval *e, const SnDefRowOf *row, const SnRowAt *at)
{
    if (!e->c->fail && sn_row_outside(row->x, at))
        sn_case_no(e->c, "a ratio outside the shifts");
}

/* The row on the grids of at, for all elements that have them. */
static const SnX *
row_on(SnCaseEval *e, const SnDefRowOf *row, const SnRowAt *at)
{
    refuse_outside(e, row, at);
    return sn_row_on(e->c->a, row->x, &at->g);
}

static double
clamped_row(const SnX *x, const SnRowAt *at, int32_t lo, int32_t hi)
{
    return (double)sn_clamp64(sn_row_value(x, at), lo, hi);
}

/* The int that the node gives for a parameter of its map; 1: it gives none. */
static int64_t
map_int(const SnCaseEval *e, const char *name, uint32_t i)
{
    const SnMapDecl *m = e->sem->decl ? e->sem->decl->decl : NULL;

    for (unsigned p = 0; m && p < m->nparam; p++) {
        const SnExprValue *v = sn_name_same(m->param[p].name, name)
                                   ? sn_case_map_attr(e->n, p)
                                   : NULL;
        if (v)
            return (int64_t)(v->n > i ? v->list[i] : v->r);
    }
    return 1;
}

/* SN_WHEN_ flags of a contract. */
static unsigned
contract_flags(const SnCaseEval *e, const SnCaseValue *x, bool wide)
{
    int64_t group = map_int(e, "group", 0);
    bool depth = group > 1 && x->rank > 0 && x->dim[x->rank - 1] == group;

    return (wide ? SN_WHEN_WIDE : 0u) | (depth ? SN_WHEN_DEPTHWISE : 0u);
}

static bool
contract(SnCaseEval *e, const SnExpr *x, const SnCaseType *t, SnRange cl,
         SnCaseVec *r, double *err)
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
    const SnDefRowOf *row = NULL;
    const SnX *on[SN_CASE_NQ] = {NULL}; /* for each channel */
    if (t->nq) {
        sn_case_limits(t, cl, &lo, &hi);
        row = row_for(e, SN_FORM_CONTRACT, e->sem->map,
                      contract_flags(e, tx, wide), NULL);
        if (!row)
            return sn_case_no(e->c, "no arithmetic has a row for contracts");
        *err = row->error;
    }
    for (int64_t o = 0; o < e->t.no; o++) {
        double acc = pb ? b.v[o] : 0;
        uint32_t ch = 0;
        if (tw->type.nq > 1 && e->n->out[0]->rank)
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
        if (t->nq && tx->type.nq) {
            int64_t sum = (int64_t)acc;
            SnRowAt at = {
                .g = {{t->scale[0], tx->type.scale[0], tw->type.scale[ch]},
                      {t->zp[0], tx->type.zp[0], tw->type.zp[ch]},
                      1,
                      0,
                      {1, 1}},
                .in = {wide || e->c->pr->round == SN_ROUNDING_FLOAT
                           ? sum
                           : sn_int_wrap(sum, 32)}};
            on[ch] = on[ch] ? on[ch] : row_on(e, row, &at);
            r->v[o] = clamped_row(on[ch], &at, lo, hi);
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

static bool
normalize(SnCaseEval *e, const SnCaseType *t, SnCaseVec *r)
{
    const SnCaseValue *x = e->n->in[0];
    const SnExprValue *eps = sn_case_attr(e->n, "eps");
    bool centred = e->sem->row == SN_ROW_NORMALIZE;

    if ((!centred && e->sem->row != SN_ROW_RMS) || !t->nq ||
        x->type.elem != SN_QI8 || !eps || !e->t.ix[0] || e->t.nk < 1)
        return false;
    for (int64_t o = 0; o < e->t.no; o++) {
        const int32_t *ix = e->t.ix[0] + o * e->t.nk;
        int64_t n = 0, sum = 0, squares = 0;
        for (int64_t k = 0; k < e->t.nk; k++) {
            int64_t v = ix[k] < 0 ? 0 : (int64_t)x->v[ix[k]];
            n += ix[k] >= 0;
            sum += v;
            squares += v * v;
        }
        SnNormal row =
            sn_normal(n ? n : 1, fminf((float)eps->r, 1e30f), centred,
                      x->type.scale[0], x->type.zp[0], t->scale[0], t->zp[0]);
        r->v[o] =
            sn_line_at(sn_normal_line(&row, sum, squares), (int32_t)x->v[o]);
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

/* d(x) of a port, or of a value that the formula has rounded to its own type:
 * its codes. */
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

/* q of two codes, by the row of its form; own: the node's own result. */
static bool
pair(SnCaseEval *e, const SnExpr *x, const SnCaseType *t, SnRange cl, bool own,
     SnCaseVec *r, double *err)
{
    SnForm form = sn_form_of(e->sem, x);
    int32_t lo, hi, sh = 0;
    SnCaseVec a, b;

    if (form < SN_FORM_SUM || form > SN_FORM_PRODUCT ||
        !codes_of(e, x->kid[0], &a) || !codes_of(e, x->kid[1], &b))
        return false;
    bool after = own && sn_case_after(e->n, &sh);
    SnRowAt at = {.g = {{t->scale[0], a.ct->scale[0], b.ct->scale[0]},
                        {t->zp[0], a.ct->zp[0], b.ct->zp[0]},
                        1,
                        sh,
                        {1, 1}}};
    const SnDefRowOf *row = row_for(
        e, form, NULL, (after ? SN_WHEN_AFTER : 0u) | wide_node(e->n), &at.g);
    if (!row)
        return false;
    sn_case_limits(t, cl, &lo, &hi);
    const SnX *on = e->t.no > 0 ? row_on(e, row, &at) : NULL;
    for (int64_t i = 0; i < e->t.no; i++) {
        at.in[0] = (int64_t)a.v[i];
        at.in[1] = (int64_t)b.v[i];
        r->v[i] = clamped_row(on, &at, lo, hi);
    }
    *err = row->error;
    return true;
}

/* The divisor of a mean: a number of its map, or the number of taps with an
 * element. */
static int64_t
divisor(const SnCaseEval *e, int64_t o)
{
    int64_t n = 0;

    if (e->t.div)
        return e->t.div[o];
    for (int64_t k = o * e->t.nk; k < (o + 1) * e->t.nk; k++)
        n += !(e->t.hole && e->t.hole[k]) && e->t.ix[0][k] >= 0;
    return n;
}

/* Means of codes. */
static bool
mean(SnCaseEval *e, const SnExpr *x, const SnCaseType *t, SnRange cl, bool own,
     SnCaseVec *r, double *err)
{
    const SnCaseValue *im = e->n->in[0];
    int32_t lo, hi, sh = 0;

    if (sn_form_of(e->sem, x) != SN_FORM_MEAN || !im || im->type.nq != 1 ||
        im->type.elem == SN_QI32 || !e->t.ix[0])
        return false;
    bool after = own && sn_case_after(e->n, &sh);
    SnRowAt at = {.g = {{t->scale[0], im->type.scale[0], 0},
                        {t->zp[0], im->type.zp[0], 0},
                        1,
                        sh,
                        {map_int(e, "kernel", 0), map_int(e, "kernel", 1)}}};
    const SnDefRowOf *row =
        row_for(e, SN_FORM_MEAN, e->sem->map,
                wide_node(e->n) | (after ? SN_WHEN_AFTER : 0u) |
                    (e->t.whole ? SN_WHEN_WHOLE : 0u),
                &at.g);
    if (!row)
        return false;
    sn_case_limits(t, cl, &lo, &hi);
    const SnX *on = NULL;
    for (int64_t o = 0; o < e->t.no; o++) {
        int64_t n = divisor(e, o);
        if (!on || n != at.g.n) {
            at.g.n = n;
            on = row_on(e, row, &at);
        }
        at.in[0] = 0;
        for (int64_t k = 0; k < e->t.nk; k++)
            if (e->t.ix[0][o * e->t.nk + k] >= 0)
                at.in[0] += (int64_t)im->v[e->t.ix[0][o * e->t.nk + k]] -
                            im->type.zp[0];
        r->v[o] = clamped_row(on, &at, lo, hi);
    }
    *err = row->error;
    return true;
}

bool
sn_case_point(SnCaseEval *e, const SnCaseType *t, SnRange cl,
              const SnCaseVec *v, SnCaseVec *r)
{
    int32_t lo, hi, sh = 0;
    const SnDefRowOf *row;

    if (!sn_def_attr(e->n->n, "round") || t->nq != 1 || t->elem == SN_QI32)
        return false;
    row = row_for(e, SN_FORM_POINT, NULL,
                  sn_case_after(e->n, &sh) ? SN_WHEN_AFTER : 0, NULL);
    if (!row)
        return false;
    sn_case_limits(t, cl, &lo, &hi);
    SnRowAt at = {.g = {{t->scale[0], 0, 0}, {t->zp[0], 0, 0}, 1, sh, {1, 1}}};
    const SnX *on = NULL;
    for (size_t i = 0; i < sn_case_len(e); i++) {
        at.real = (float)sn_case_as_real(v, i);
        if (!on && !isnan(at.real))
            on = row_on(e, row, &at);
        r->v[i] = isnan(at.real) ? lo : clamped_row(on, &at, lo, hi);
    }
    return true;
}

/* ---- selections, by the row of a Rescale ---- */

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

/* Each code rescaled separately, constants quantized, then selected. */
static SnCaseVec
select_codes(SnCaseEval *e, const SnExpr *x, const SnCaseType *t, int32_t lo,
             int32_t hi, const SnDefRowOf *row)
{
    bool call = x->ek == SN_E_CALL;
    bool code = call && x->fn == SN_FN_D;
    size_t n = (size_t)e->t.no;

    if (call && !code) {
        SnCaseVec a = select_codes(e, x->kid[0], t, lo, hi, row);
        SnCaseVec b = select_codes(e, x->kid[1], t, lo, hi, row);
        for (size_t i = 0; i < n; i++)
            a.v[i] = x->fn == SN_FN_MAX ? fmax(a.v[i], b.v[i])
                                        : fmin(a.v[i], b.v[i]);
        return a;
    }
    SnCaseVec v = sn_case_vec(e, code ? x->kid[0] : x);
    SnCaseVec r = {.v = SN_NEW_N(e->c->a, double, n + 1)};
    if (e->c->fail)
        return r;
    if (!code) {
        for (size_t i = 0; i < n; i++)
            r.v[i] = sn_quant((float)v.v[i], t->scale[0], t->zp[0], lo, hi);
        return r;
    }
    SnRowAt at = {.g = {{t->scale[0], v.ct->scale[0], 0},
                        {t->zp[0], v.ct->zp[0], 0},
                        1,
                        0,
                        {1, 1}}};
    const SnX *on = row_on(e, row, &at);
    for (size_t i = 0; i < n; i++) {
        at.in[0] = (int32_t)v.v[i];
        r.v[i] = clamped_row(on, &at, lo, hi);
    }
    return r;
}

static bool
selection(SnCaseEval *e, const SnExpr *x, const SnCaseType *t, SnRange cl,
          SnCaseVec *r, double *err)
{
    bool codes = false;
    int32_t lo, hi;

    if (t->nq != 1 || t->elem == SN_QI32 || !selects(e, x, &codes) || !codes)
        return false;
    const SnDefRowOf *row = row_for(e, SN_FORM_CONVERT, NULL, 0, NULL);
    if (!row)
        return false; /* the formula as it is */
    *err = row->error;
    sn_case_limits(t, cl, &lo, &hi);
    SnCaseVec v = select_codes(e, x, t, lo, hi, row);
    memcpy(r->v, v.v, (size_t)e->t.no * sizeof *r->v);
    return true;
}

/* ---- functions by entries of a table ---- */

/* The code of x, whose operand has the codes v. */
static bool
entry_codes(SnCaseEval *e, const SnExpr *x, const SnCaseType *t, SnRange cl,
            double *v, int64_t *code)
{
    SnCaseValue in = *e->n->in[0], *one[] = {&in};
    SnCaseNode n = *e->n;
    SnCaseEval f = *e;
    int32_t lo, hi;

    in.v = v;
    n.in = one;
    f.n = &n;
    SnCaseVec r = sn_case_vec(&f, x);
    sn_case_limits(t, cl, &lo, &hi);
    for (int64_t i = 0; i < e->t.no && !e->c->fail; i++) {
        float y = (float)sn_case_as_real(&r, (size_t)i);
        if (isnan(y))
            return sn_case_no(e->c, "no number");
        code[i] = sn_quant(y, t->scale[0], t->zp[0], lo, hi);
    }
    return !e->c->fail;
}

static bool
function(SnCaseEval *e, const SnExpr *x, const SnCaseType *t, SnRange cl,
         SnCaseVec *r, double *err)
{
    const SnCaseValue *in = e->n->in[0];
    int32_t lo, hi;

    if (!sn_is_function(e->n->n) || !in || t->elem != SN_QI8 ||
        in->type.elem != SN_QI8 || in->type.nq != 1 || in->n != e->t.no)
        return false;
    const SnDefRowOf *row =
        row_for(e, SN_FORM_FUNCTION, e->n->n->name, 0, NULL);
    if (!row)
        return false;
    double *below = SN_NEW_N(e->c->a, double, e->t.no + 1);
    double *above = SN_NEW_N(e->c->a, double, e->t.no + 1);
    int64_t *a = SN_NEW_N(e->c->a, int64_t, e->t.no + 1);
    int64_t *b = SN_NEW_N(e->c->a, int64_t, e->t.no + 1);
    for (int64_t i = 0; i < e->t.no; i++) {
        below[i] =
            floor((in->v[i] + 128) / (double)row->step) * (double)row->step -
            128;
        above[i] = below[i] + (double)row->step;
    }
    if (!entry_codes(e, x, t, cl, below, a) ||
        !entry_codes(e, x, t, cl, above, b))
        return false;
    sn_case_limits(t, cl, &lo, &hi);
    SnRowAt at = {.g = {{t->scale[0], in->type.scale[0], 0},
                        {t->zp[0], in->type.zp[0], 0},
                        1,
                        0,
                        {1, 1}}};
    const SnX *on = e->t.no > 0 ? row_on(e, row, &at) : NULL;
    for (int64_t i = 0; i < e->t.no; i++) {
        at.in[0] = a[i];
        at.in[1] = (b[i] - a[i]) * (int64_t)(in->v[i] - below[i]);
        r->v[i] = clamped_row(on, &at, lo, hi);
    }
    *err = row->error;
    return true;
}

bool
sn_case_row(SnCaseEval *e, const SnExpr *x, const SnCaseType *t, SnRange cl,
            bool own, SnCaseVec *r, double *err)
{
    bool codes = t->nq == 1 && t->elem != SN_QI32;

    return contract(e, x, t, cl, r, err) || selection(e, x, t, cl, r, err) ||
           lrn(e, t, cl, r) || softmax(e, t, cl, r) || normalize(e, t, r) ||
           (codes && own && function(e, x, t, cl, r, err)) ||
           (codes &&
            (mean(e, x, t, cl, own, r, err) || pair(e, x, t, cl, own, r, err)));
}
