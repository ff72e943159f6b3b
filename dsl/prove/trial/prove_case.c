// SPDX-License-Identifier: Apache-2.0
/* Drawing the left side of a rule: tuples, types, attributes, values. */
#include "dsl/prove/trial/case.h"

#include <math.h>
#include <string.h>
#include "base/num.h"
#include "dsl/model/reads.h"

static SnCaseValue *
leaf(SnProofCase *c, SnDefConc k, const SnCaseType *want, const char *name)
{
    SnCaseType t = want ? *want : sn_case_draw_type(c, k);
    SnCaseValue *v = sn_case_value(c, &t);

    if (t.elem == SN_ROW8) /* each row has its own scale */
        sn_case_no(c, "rows of row8");
    v->leaf = true;
    v->name = name;
    v->is_const = sn_case_chance(c, 90);
    if (c->nleaf < 16)
        c->leaf[c->nleaf++] = v;
    else
        sn_case_no(c, "more than 16 leaves");
    return v;
}

/* ---- attributes ---- */

/* An integer that every cast and sum can hold. */
static bool
whole(double v)
{
    return v == floor(v) && fabs(v) <= 0x1p40;
}

bool
sn_case_attr_ok(const SnDefAttr *a, const SnExprValue *v)
{
    bool ints = a->ty == SN_A_INTS;

    if (ints || a->ty == SN_A_REALS) {
        for (uint32_t i = 0; i < v->n; i++)
            if (!v->list || (ints && !whole(v->list[i])))
                return false;
        return !a->fixed || v->n == a->fixed;
    }
    if (a->ty == SN_A_INT)
        return whole(v->r);
    if (a->ty == SN_A_ENUM)
        return v->r >= 0 && v->r < a->nword;
    if (a->ty == SN_A_RANGE)
        return !(v->rg.has_lo && isnan(v->rg.lo)) &&
               !(v->rg.has_hi && isnan(v->rg.hi));
    return true;
}

/* A clamp with an effect in type t, usually open. */
static SnRange
draw_clamp(SnProofCase *c, const SnCaseType *t)
{
    SnRange r = {0};
    double lo = -4, hi = 4;

    if (c->pr->alike && c->in_each && c->each > 0)
        return c->each_clamp;
    if (sn_case_chance(c, 55) || (t->nq == 0 && t->elem != SN_F32))
        return r;
    if (t->nq) {
        lo = sn_case_code_lo(t->elem);
        hi = sn_case_code_hi(t->elem);
    }
    double a = lo + (hi - lo) * sn_case_unit(c);
    double b = lo + (hi - lo) * sn_case_unit(c);
    r.has_lo = sn_case_chance(c, 70);
    r.has_hi = !r.has_lo || sn_case_chance(c, 60);
    r.lo = t->nq ? floor(fmin(a, b)) : (double)(float)fmin(a, b);
    r.hi = t->nq ? floor(fmax(a, b)) : (double)(float)fmax(a, b);
    if (sn_case_chance(c, 30) && t->nq) /* at the zero point: a Relu's clamp */
        r.lo = fmin(t->zp[0], r.hi);
    if (!r.has_lo)
        r.lo = 0;
    if (!r.has_hi)
        r.hi = 0;
    return r;
}

/* 0, a number of the rule, or any; with a default (eps, alpha) rarely below
 * 0. */
static double
draw_real(SnProofCase *c, const SnDefAttr *a)
{
    double v = sn_case_draw_real(c);

    if (sn_case_chance(c, 20))
        return 0;
    if (c->nnumber && sn_case_chance(c, 25))
        v = c->number[sn_case_below(c, c->nnumber)];
    return a->def && sn_case_chance(c, 70) ? fabs(v) : v;
}

/* Does a map use it?  These are drawn with the shapes (prove_draw.c). */
static bool
shapes(const SnCaseNode *n, const SnDefAttr *a)
{
    for (uint32_t r = 0; r < n->n->nout; r++) {
        const SnDefSem *s = n->n->rsem[r];
        for (uint32_t k = 0; k < s->narg; k++)
            if (s->arg[k]->rk == SN_R_ATTR && s->arg[k]->ref == a)
                return true;
    }
    return false;
}

static void
draw_attr(SnProofCase *c, SnCaseNode *n, uint32_t i)
{
    const SnDefAttr *a = n->n->all[i];
    SnExprValue *v = &n->attr[i];

    if (a->ty == SN_A_RANGE) {
        *v = (SnExprValue){.ty = SN_TY_RANGE};
        if (a == n->n->clamp)
            v->rg = draw_clamp(c, &n->out[0]->type);
        if (c->in_each)
            c->each_clamp = v->rg;
        return;
    }
    if (a->ty == SN_A_TYPE) {
        SnDefConc k = {SN_QI8, -1};
        *v = (SnExprValue){.ty = SN_TY_ETYPE, .typed = true};
        v->t = sn_case_draw_type(c, k);
        return;
    }
    if (a->def && (a->ty != SN_A_REAL || sn_case_chance(c, 50)))
        *v = sn_case_expr(c, a->def);
    else if (a->ty == SN_A_REAL)
        *v = (SnExprValue){.ty = SN_TY_REAL, .r = draw_real(c, a)};
    else
        *v = (SnExprValue){.ty = SN_TY_INT, .r = 0};
    if (a->ty == SN_A_BOOL && sn_case_chance(c, 40))
        *v = (SnExprValue){.ty = SN_TY_BOOL, .r = sn_case_below(c, 2)};
    if (a->ty == SN_A_ENUM && a->nword && sn_case_chance(c, 35))
        v->r = sn_case_below(c, a->nword);
    if (c->ties && a->says == SN_W_ROUND)
        v->r = a->nword - 1;
    if (a->ty == SN_A_INT && a->says == SN_W_ZP_SHIFT && sn_case_chance(c, 35))
        v->r = 128;
    else if (a->ty == SN_A_INT && !shapes(n, a) && sn_case_chance(c, 40))
        v->r = (double)sn_case_below(c, 7) - 2;
    if (v->ty == SN_TY_REAL || a->ty == SN_A_REAL)
        v->r = (double)(float)v->r;
}

static bool
draw_attrs(SnProofCase *c, SnCaseNode *n, const SnPat *p)
{
    n->attr = SN_NEW_N(c->a, SnExprValue, n->n->nall + 1);
    for (uint32_t i = 0; i < n->n->nall; i++)
        draw_attr(c, n, i);
    SnExprValue *lo = sn_case_attr(n, "low"), *hi = sn_case_attr(n, "high");
    if (lo && hi && lo->r > hi->r && sn_case_chance(c, c->wide ? 50 : 90)) {
        SnExprValue t = *lo;
        *lo = *hi;
        *hi = t;
    }
    for (uint32_t i = 0; p && i < p->nasg; i++) {
        SnExprValue *v = sn_case_attr(n, p->asg[i].name);
        if (!v)
            continue;
        *v = sn_case_expr(c, p->asg[i].e);
        if (!c->fail && !sn_case_attr_ok(p->asg[i].attr, v))
            return sn_case_no(c, "an attribute that the node does not take");
        v->given = true;
    }
    return !c->fail;
}

/* ---- patterns ---- */

static SnCaseValue *inst(SnProofCase *c, const SnPat *p, SnDefConc k,
                         const SnCaseType *want, bool optional);

static const SnDefNode *
kind_of(const SnProofCase *c, const SnPat *p)
{
    if ((p->pk == SN_P_ANY || p->pk == SN_P_FORMS) && c->pr->any)
        return c->pr->any;
    return p->node;
}

static bool
conc_eq(SnDefConc a, SnDefConc b)
{
    return a.elem == b.elem && a.axis == b.axis;
}

static bool
typed_as(const SnPat *p, SnDefConc k)
{
    for (uint32_t i = 0; i < p->nconc; i++)
        if (conc_eq(p->conc[i], k))
            return true;
    return p->nconc == 0;
}

/* Do the arguments' own type sets admit the tuple? */
static bool
admits(const SnDefNode *n, const SnDefTuple *t, const SnPat *p)
{
    for (uint32_t i = 0; p->by_port && i < n->nin; i++)
        if (p->by_port[i] && p->by_port[i]->pk == SN_P_VAR &&
            !typed_as(p->by_port[i], t->in[i]))
            return false;
    return true;
}

/* Does the node of a pattern have a tuple that gives k?  (elem -1: any) */
static bool
gives(const SnProofCase *c, const SnPat *p, SnDefConc k)
{
    const SnDefNode *n = kind_of(c, p);

    if (!n || !n->nout || k.elem < 0)
        return true;
    for (uint32_t i = 0; i < n->ntuple; i++)
        if (conc_eq(n->tuple[i].out[0], k) && typed_as(p, k) &&
            admits(n, &n->tuple[i], p))
            return true;
    return false;
}

/* Do the nodes above n give the types that the tuple takes?  Checked for the
 * drawn tuple, before anything else is drawn. */
static bool
given(const SnProofCase *c, const SnDefNode *n, const SnDefTuple *t,
      const SnPat *p)
{
    for (uint32_t i = 0; p->by_port && i < n->nin; i++) {
        const SnPat *arg = p->by_port[i];
        if (arg && arg->pk == SN_P_EACH)
            arg = arg->arg[0];
        if (arg && arg->pk != SN_P_VAR && arg->pk != SN_P_WILD &&
            arg->pk != SN_P_LIST && !gives(c, arg, t->in[i]))
            return false;
    }
    return true;
}

static bool
drawn_conc(const SnProofCase *c, SnDefConc k)
{
    for (uint32_t i = 0; i < c->nodd; i++)
        if (c->odd[i].elem == k.elem && c->odd[i].axis == k.axis)
            return true;
    return false;
}

/* A type of 32 bits or along an axis that the case has already? */
static bool
drawn(const SnProofCase *c, const SnDefNode *n, const SnDefTuple *t)
{
    bool is = false;

    for (uint32_t i = 0; i < n->nin; i++)
        is |= drawn_conc(c, t->in[i]);
    for (uint32_t i = 0; i < n->nout; i++)
        is |= drawn_conc(c, t->out[i]);
    return is;
}

static bool
along(const SnDefNode *n, const SnDefTuple *t)
{
    bool is = false;

    for (uint32_t i = 0; i < n->nin; i++)
        is |= t->in[i].axis >= 0;
    for (uint32_t i = 0; i < n->nout; i++)
        is |= t->out[i].axis >= 0;
    return is;
}

/* A tuple that gives k (elem -1: anything); 8-bit ones more often. */
static const SnDefTuple *
pick_tuple(SnProofCase *c, const SnDefNode *n, SnDefConc k, const SnPat *p)
{
    const SnDefTuple *best = NULL;
    uint32_t w = 0;

    if (c->pr->alike && c->in_each && c->each > 0 && sn_case_chance(c, 80))
        return c->tuple;
    for (uint32_t i = 0; i < n->ntuple; i++) {
        const SnDefTuple *t = &n->tuple[i];
        if (n->nout && k.elem >= 0 && !conc_eq(t->out[0], k))
            continue;
        if ((n->nout && !typed_as(p, t->out[0])) || !admits(n, t, p))
            continue;
        uint32_t mine = 2;
        if (n->nout && t->out[0].elem == SN_QI8)
            mine = 6;
        else if (n->nout && t->out[0].elem == SN_QI16)
            mine = 1;
        if (drawn(c, n, t))
            mine = 8; /* such types seldom occur alone */
        if (c->pr->along && along(n, t))
            mine = 40;
        w += mine;
        if (sn_case_below(c, w) < mine)
            best = t;
    }
    return best;
}

static bool
result_type(SnProofCase *c, SnCaseNode *n, const SnDefTuple *t,
            const SnCaseType *want)
{
    for (uint32_t i = 0; i < n->n->nout; i++) {
        SnCaseType ty;
        const SnDefPort *y = n->n->out[i];
        if (i >= SN_CASE_MAXRES)
            return sn_case_no(c, "more than 3 results");
        if (i == 0 && want) {
            ty = *want;
        } else if (i > 0 && y->fact == SN_SAME &&
                   n->n->out[0]->fact == SN_SAME) {
            ty = n->out[0]->type;
        } else if (y->fact == SN_FIXED && t->out[i].elem == SN_QI8) {
            ty = (SnCaseType){.elem = SN_QI8, .axis = -1, .nq = 1};
            ty.scale[0] = (float)y->fixed_scale;
            ty.zp[0] = (int32_t)y->fixed_zp;
        } else {
            ty = sn_case_draw_type(c, t->out[i]);
        }
        if (i == 0 && want && y->fact == SN_FIXED && want->nq &&
            (want->scale[0] != (float)y->fixed_scale ||
             want->zp[0] != (int32_t)y->fixed_zp))
            return sn_case_no(c, "the result's type is fixed");
        n->out[i] = sn_case_value(c, &ty);
        n->out[i]->def = n;
        n->out[i]->res = i;
        n->used[i] = i > 0 && sn_case_chance(c, 40);
    }
    return true;
}

static void
pin_type(SnCaseNode *n, const SnDefPort *p, SnCaseType *t)
{
    *t = (SnCaseType){.elem = SN_QI32, .axis = -1, .nq = 1};
    for (uint32_t i = 0; i < SN_CASE_NQ; i++)
        t->scale[i] = 1;
    for (uint32_t k = 0; k < p->npin; k++)
        for (uint32_t s = 0; s < n->nin; s++) {
            if (n->port[s] != p->pin[k] || !n->in[s])
                continue;
            const SnCaseType *x = &n->in[s]->type;
            if (x->nq > t->nq) {
                t->nq = x->nq;
                t->axis = 0;
            }
            for (uint32_t i = 0; i < SN_CASE_NQ && x->nq; i++) {
                float v = x->scale[x->nq > 1 ? i : 0];
                t->scale[i] = k ? sn_pin_scale(t->scale[i], v) : v;
            }
        }
}

static bool
draw_slot(SnProofCase *c, SnCaseNode *n, uint32_t port, const SnDefTuple *t,
          const SnPat *arg)
{
    const SnDefPort *p = n->n->in[port];
    const SnCaseType *want = NULL;
    SnCaseType pin;
    static const SnPat wild = {.pk = SN_P_WILD};

    if (p->fact == SN_SAME && n->n->nout && n->n->out[0]->fact == SN_SAME)
        want = &n->out[0]->type;
    if (p->fact == SN_PIN && t->in[port].elem == SN_QI32) {
        pin_type(n, p, &pin);
        want = &pin;
    }
    uint32_t s = n->nin++;
    n->port[s] = port;
    n->in[s] = inst(c, arg ? arg : &wild, t->in[port], want, p->optional);
    if (n->in[s] && p->fact == SN_PIN)
        n->in[s]->bias = true;
    return !c->fail;
}

static bool
draw_run(SnProofCase *c, SnCaseNode *n, uint32_t port, const SnDefTuple *t,
         const SnPat *arg)
{
    uint32_t m =
        arg && arg->pk == SN_P_EACH ? SN_CASE_NEACH : 1 + sn_case_below(c, 2);
    uint32_t first = n->nin;
    const SnPat *one = arg && arg->pk == SN_P_EACH ? arg->arg[0] : NULL;

    for (c->each = 0; c->each < m && !c->fail; c->each++) {
        c->in_each = arg && arg->pk == SN_P_EACH;
        draw_slot(c, n, port, t, one);
        if (n->in[n->nin - 1] && !n->in[n->nin - 1]->name)
            n->in[n->nin - 1]->name = sn_format(c->a, "x%u", c->each);
    }
    c->in_each = false;
    c->each = 0;
    if (arg && arg->pk == SN_P_LIST && !c->fail) {
        SnCaseBind *b = &c->bind[arg->var->index];
        b->n = m;
        b->list = SN_NEW_N(c->a, SnCaseValue *, m);
        memcpy(b->list, n->in + first, m * sizeof *b->list);
    }
    return !c->fail;
}

/* Pinned operands come last: their types follow from the others'. */
static bool
draw_operands(SnProofCase *c, SnCaseNode *n, const SnPat *p,
              const SnDefTuple *t)
{
    n->in = SN_NEW_N(c->a, SnCaseValue *, n->n->nin + 4);
    n->port = SN_NEW_N(c->a, uint32_t, n->n->nin + 4);
    for (uint32_t i = 0; i < n->n->nin; i++) {
        const SnPat *arg = p->by_port ? p->by_port[i] : NULL;
        if (!(n->n->in[i]->variadic ? draw_run(c, n, i, t, arg)
                                    : draw_slot(c, n, i, t, arg)))
            return false;
    }
    return true;
}

static void
capture(SnProofCase *c, const SnPat *p, SnCaseNode *n)
{
    if (!p->cap)
        return;
    SnCaseBind *b = &c->bind[p->cap->index];
    b->node = n;
    if (!c->in_each)
        return;
    if (!b->nodes)
        b->nodes = SN_NEW_N(c->a, SnCaseNode *, 4);
    b->nodes[c->each & 3] = n;
}

static SnCaseValue *
inst_node(SnProofCase *c, const SnPat *p, SnDefConc k, const SnCaseType *want)
{
    SnCaseNode *n = SN_NEW(c->a, SnCaseNode);
    uint32_t each = c->each;
    bool in_each = c->in_each;

    n->n = kind_of(c, p);
    if (!n->n)
        return NULL;
    n->name = p->capture ? p->capture : NULL;
    const SnDefTuple *t = pick_tuple(c, n->n, k, p);
    if (in_each && each == 0)
        c->tuple = t;
    if (!t || !given(c, n->n, t, p)) {
        sn_case_no(c, "no tuple gives that type");
        return NULL;
    }
    if (!result_type(c, n, t, want))
        return NULL;
    capture(c, p, n);
    if (p == c->r->pat)
        c->root = n;
    if (p->cap && n->n->nout &&
        !sn_case_early_type(c, p->cap, &n->out[0]->type))
        return NULL;
    if (!draw_operands(c, n, p, t))
        return NULL;
    c->each = each;
    c->in_each = in_each;
    if (!draw_attrs(c, n, p) || (p->cap && !sn_case_early_attrs(c, p->cap)))
        return NULL;
    SnCaseValue *y = n->n->nout ? n->out[0] : NULL;
    if (n->n->nin == 0 && y) { /* a source: its value is a leaf */
        y->is_const = !n->n->has_effect;
        y->name = p->capture ? p->capture : NULL;
        if (n->n->rsem[0]->cls == SN_C_SOURCE) {
            y->leaf = true;
            if (c->nleaf < 16)
                c->leaf[c->nleaf++] = y;
        }
        return y;
    }
    if (!sn_case_draw_map(c, n))
        return NULL;
    if (!sn_case_holds(c, n)) {
        sn_case_no(c, "an invariant of the left side");
        return NULL;
    }
    return y;
}

static SnCaseValue *
inst_var(SnProofCase *c, const SnPat *p, SnDefConc k, const SnCaseType *want,
         bool optional)
{
    SnCaseBind *b = &c->bind[p->var->index];
    SnCaseValue *old = c->in_each ? NULL : b->v;

    if (old) {
        if (want ? !sn_case_same_type(&old->type, want)
                 : old->type.elem != k.elem || old->type.axis != k.axis)
            sn_case_no(c, "one value, two types");
        return old;
    }
    if (!typed_as(p, k)) {
        sn_case_no(c, "the pattern takes another type");
        return NULL;
    }
    if (optional && sn_case_chance(c, 25))
        return NULL;
    SnCaseValue *v =
        leaf(c, k, want,
             c->in_each ? sn_format(c->a, "%s%u", p->name, c->each) : p->name);
    b->v = v;
    if (!sn_case_early_type(c, p->var, &v->type))
        return NULL;
    if (c->in_each) {
        if (!b->list)
            b->list = SN_NEW_N(c->a, SnCaseValue *, 4);
        b->list[c->each & 3] = v;
        b->n = c->each + 1;
    }
    return v;
}

static SnCaseValue *
inst(SnProofCase *c, const SnPat *p, SnDefConc k, const SnCaseType *want,
     bool optional)
{
    if (c->fail)
        return NULL;
    if (p == c->r->pat && c->pr->to)
        k = *c->pr->to;
    switch (p->pk) {
    case SN_P_WILD:
        if (optional && sn_case_chance(c, 50))
            return NULL;
        return leaf(c, k, want, NULL);
    case SN_P_VAR:
        return inst_var(c, p, k, want, optional);
    case SN_P_CALL:
    case SN_P_FORMS:
    case SN_P_ANY:
        if (k.elem == SN_ABSENT && !optional)
            k.elem = -1;
        return inst_node(c, p, k, want);
    default:
        sn_case_no(c, "a list where one operand stands");
        return NULL;
    }
}

/* ---- the left side ---- */

/* A type along an axis has as many scales as the axis is long. */
static bool
cut(SnProofCase *c, SnCaseValue *t)
{
    if (t->type.axis < 0 || !t->type.nq)
        return true;
    if (t->rank <= t->type.axis || t->dim[t->type.axis] > t->type.nq)
        return sn_case_no(c, "no axis, or more slices than scales");
    t->type.nq = (uint32_t)t->dim[t->type.axis];
    return true;
}

bool
sn_case_cut(SnProofCase *c, const SnCaseNode *n)
{
    for (uint32_t i = 0; i < n->n->nout && i < SN_CASE_MAXRES; i++)
        if (!cut(c, n->out[i]))
            return false;
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && n->in[s]->def && !sn_case_cut(c, n->in[s]->def))
            return false;
    return true;
}

static bool
all_shaped(SnProofCase *c)
{
    static const int64_t some[] = {256, 2, 3};

    for (uint32_t i = 0; i < c->nleaf; i++) {
        SnCaseValue *t = c->leaf[i];
        if (t->rank < 0)
            sn_case_set_shape(t, 1, some);
        if (!cut(c, t))
            return false;
    }
    return sn_case_cut(c, c->root);
}

void
sn_case_fill(SnProofCase *c)
{
    for (uint32_t i = 0; i < c->nleaf; i++)
        if (!c->leaf[i]->done)
            sn_case_leaf_data(c, c->leaf[i]);
}

/* A root without operands (a Splat) cannot take another node's shape. */
static bool
source_shape(SnProofCase *c, SnCaseNode *n)
{
    SnExprValue *v = sn_case_attr(n, "dims");
    double *d = SN_NEW_N(c->a, double, 2);

    if (!v || n->nin)
        return true;
    if (!v->given) {
        d[0] = 1 + sn_case_below(c, 3);
        d[1] = 1 + sn_case_below(c, 3);
        *v = (SnExprValue){
            .ty = SN_TY_INTS, .n = 1 + sn_case_below(c, 2), .list = d};
    }
    return sn_case_shape(c, n);
}

bool
sn_case_draw(SnProofCase *c)
{
    SnDefConc any = {-1, -1};
    SnCaseShared *s = c->shared;

    c->bind = SN_NEW_N(c->a, SnCaseBind, c->r->nvar + 1);
    if (s && s->seeded)
        sn_case_seed_from(c, s->seed);
    else
        sn_case_seed(c);
    if (s && !s->seeded && !c->fail) {
        *s->seed = *c;
        s->seeded = true;
    }
    c->flat = c->vector && sn_case_chance(c, c->shaped ? 20 : 85);
    c->corner = sn_case_chance(c, 40);
    c->positive = sn_case_chance(c, 40);
    c->small = sn_case_chance(c, 25);
    c->ties = c->rounds && sn_case_chance(c, 40);
    c->half = c->ties ? sn_case_below(c, 2) : 0;
    SnCaseValue *y = inst(c, c->r->pat, any, NULL, false);
    if (c->fail || !c->root)
        return sn_case_no(c, "no left side");
    for (uint32_t i = 0; i < c->root->n->nout && i < SN_CASE_MAXRES; i++)
        c->lhs[i] = c->root->out[i];
    if (y && y->rank < 0 && !y->leaf && !source_shape(c, c->root))
        return false;
    return all_shaped(c);
}
