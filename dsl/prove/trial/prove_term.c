// SPDX-License-Identifier: Apache-2.0
/* The right side of a rule, built over the leaves of a case; and the implicit
 * guards. */
#include "dsl/prove/trial/case.h"
#include "dsl/prove/trial/prove_arith.h"

#include <math.h>
#include <string.h>
#include "base/num.h"
#include "dsl/model/reads.h"
#include "map/facts.h"

static SnCaseValue *build(SnProofCase *c, const SnTerm *t);
static bool for_each(SnProofCase *c, const SnExpr *e);

/* ---- attributes ---- */

static SnExprValue *
attr_at(SnCaseNode *n, const char *name)
{
    return sn_case_attr(n, name);
}

static void
defaults(SnProofCase *c, SnCaseNode *n)
{
    n->attr = SN_NEW_N(c->a, SnExprValue, n->n->nall + 1);
    for (uint32_t i = 0; i < n->n->nall; i++) {
        const SnDefAttr *a = n->n->all[i];
        if (a->def)
            n->attr[i] = sn_case_expr(c, a->def);
        n->attr[i].ty = a->ty == SN_A_RANGE ? SN_TY_RANGE : n->attr[i].ty;
    }
}

static void
copy_attrs(SnCaseNode *to, const SnCaseNode *from)
{
    for (uint32_t i = 0; i < to->n->nall; i++) {
        const SnExprValue *a = sn_case_attr(from, to->n->all[i]->name);
        if (a)
            to->attr[i] = *a;
    }
    to->calibrated = from->calibrated;
}

/* The flag belongs to the clamp: setting one sets both. */
static void
assign(SnProofCase *c, SnCaseNode *n, const SnTerm *t)
{
    for (uint32_t i = 0; i < t->nasg; i++)
        if (t->asg[i].word == SN_W_CLAMP)
            n->calibrated = false;
    for (uint32_t i = 0; i < t->nasg; i++) {
        SnExprValue v = sn_case_expr(c, t->asg[i].e);
        SnExprValue *a = attr_at(n, t->asg[i].name);
        if (c->fail)
            return;
        if (v.wide) { /* an attribute is binary32 */
            v.r = (double)(float)v.r;
            v.wide = false;
        }
        if (a && !sn_case_attr_ok(sn_def_attr(n->n, t->asg[i].name), &v)) {
            sn_case_no(c, sn_format(c->pv->a, "no %s takes that for '%s'",
                                    n->n->name, t->asg[i].name));
            c->wrong = true;
            return;
        }
        if (a)
            *a = v;
        else if (t->asg[i].word == SN_W_CALIBRATED)
            n->calibrated = v.r != 0;
    }
}

/* Axis attributes follow the axes a Transpose put elsewhere
 * (src/rewrite/layout.c). */
static double
renumbered(double axis, const SnExprValue *perm)
{
    double k = axis < 0 ? axis + perm->n : axis;

    return k >= 0 && k < perm->n ? perm->list[(uint32_t)k] : axis;
}

static void
renumber_list(SnProofCase *c, SnExprValue *v, const SnExprValue *perm,
              bool axes)
{
    uint32_t r = perm->n;
    double *w = SN_NEW_N(c->a, double, v->n + r + 1);

    for (uint32_t i = 0; i < v->n && r; i++) {
        if (axes)
            w[i] = renumbered(v->list[i], perm);
        else
            w[i / r * r + (uint32_t)perm->list[i % r]] = v->list[i];
    }
    v->list = w;
}

static void
renumber(SnProofCase *c, SnCaseNode *n, const SnExprValue *perm)
{
    const SnDefSem *s = n->n->rsem[0];
    const SnMapDecl *d = s->decl->decl;

    for (unsigned i = 0; i < d->nparam; i++) {
        uint32_t k;
        SnMapAxisUse use = sn_map_axis_use(d, i);
        SnExprValue *a = sn_case_map_attr(n, sn_sem_param_args(s, i, &k));
        if (!a || use == SN_MX_NONE)
            continue;
        if (use == SN_MX_INDEX)
            a->r = renumbered(a->r, perm);
        else
            renumber_list(c, a, perm, use == SN_MX_LIST);
    }
}

/* src/rewrite/layout.c tests at each site that these axes are allowed. */
static void
allowed(SnProofCase *c, const SnCaseNode *n)
{
    c->self = n;
    for (uint32_t i = 0; i < n->n->nall && !c->fail; i++) {
        const SnExpr *e = n->n->all[i]->where;
        if (e && !sn_case_cond(c, e) && !c->fail)
            sn_case_no(c, "an axis that a 'where' excludes");
    }
    c->self = NULL;
}

/* Axes of the operands and of the nodes above them with as many elements before
 * and after, or -1: the axis that a Reshape keeps (src/rewrite/regroup.c). */
static int
left_axis(const SnCaseNode *root, const SnCaseNode *n, int axis)
{
    for (int k = 0; k < n->in[0]->rank; k++) {
        bool ok = true;
        for (uint32_t s = 0; s < n->nin && ok; s++) {
            const SnCaseValue *x = n->in[s], *y = root->in[s];
            int64_t bx = 1, by = 1, ax = 1, ay = 1;
            ok = x->rank == n->in[0]->rank && axis < y->rank;
            for (int i = 0; ok && i < x->rank; i++) {
                ok = i == k || x->dim[i] == n->in[0]->dim[i];
                bx *= i < k ? x->dim[i] : 1;
                ax *= i > k ? x->dim[i] : 1;
            }
            for (int i = 0; ok && i < y->rank; i++) {
                by *= i < axis ? y->dim[i] : 1;
                ay *= i > axis ? y->dim[i] : 1;
            }
            ok = ok && bx == by && ax == ay && bx * ax > 0 &&
                 x->dim[k] == y->dim[axis];
        }
        if (ok)
            return k;
    }
    return -1;
}

static void
regroup(SnProofCase *c, SnCaseNode *n)
{
    const SnDefSem *sem = sn_case_sem(n);

    if (!sem->decl || !sn_map_regroups(sem->decl->decl))
        return;
    uint32_t given;
    SnExprValue *a = sn_case_map_attr(
        n, sn_sem_param_args(sem, sn_map_axis_param(sem->decl->decl), &given));
    if (!a) {
        sn_case_no(c, "an axis that is no attribute");
        return;
    }
    for (uint32_t s = 0; s < n->nin; s++)
        if (!n->in[s] || n->in[s]->rank < 0 || c->root->in[s]->rank < 0) {
            sn_case_no(c, "operands of unknown shape");
            return;
        }
    int rank = c->root->in[0]->rank, axis = (int)(a->r + (a->r < 0 ? rank : 0));
    int k = axis >= 0 && axis < rank ? left_axis(c->root, n, axis) : -1;
    if (k < 0)
        sn_case_no(c, "no axis with as many elements before and after it");
    else
        a->r = k;
}

/* ---- types ---- */

/* regrid(b): the Constant b on the grid its new neighbours pin.  Whether it
 * may move is decided as src/rewrite/regrid.c decides. */
static SnCaseValue *
regrid(SnProofCase *c, const SnCaseNode *n, const SnDefPort *p, SnCaseValue *b)
{
    if (!b)
        return NULL;
    SnCaseType t = sn_case_pinned(n, p, b);
    if (sn_case_same_type(&t, &b->type))
        return b;
    if (!b->is_const || !sn_case_eval(c, b)) {
        sn_case_no(c, "the bias is not a Constant");
        return NULL;
    }
    SnCaseValue *r = sn_case_value(c, &t);
    sn_case_set_shape(r, b->rank, b->dim);
    r->v = SN_NEW_N(c->a, double, b->n + 1);
    r->id = SN_NEW_N(c->a, double, b->n + 1);
    r->er = SN_NEW_N(c->a, double, b->n + 1);
    for (int64_t i = 0; i < b->n; i++) {
        uint32_t k = t.nq > 1 ? (uint32_t)i : 0;
        uint32_t kb = b->type.nq > 1 ? (uint32_t)i : 0;
        double real = b->v[i] * (double)b->type.scale[kb];
        r->v[i] = rint(real / (double)t.scale[k]);
        r->id[i] = r->v[i] * (double)t.scale[k];
        r->er[i] = fabs(real - r->id[i]);
        if (fabs(r->v[i]) > 2147483647.0)
            sn_case_no(c, "the bias does not fit");
    }
    r->done = r->is_const = true;
    return r;
}

/* new_x.scale <= old_x.scale * sum |w - zp| per output channel. */
static bool
bias_may_move(SnProofCase *c, const SnCaseNode *now, const SnCaseNode *was)
{
    SnCaseValue *x = now->in[0], *y = was->in[0], *w = was->in[1];
    bool fine = true;

    if (!x || !y || !w || w->rank < 1 || !sn_case_eval(c, w))
        return false;
    int64_t nc = w->dim[0], nk = w->n / nc;
    for (int64_t o = 0; o < nc; o++) {
        double s = 0;
        for (int64_t k = 0; k < nk; k++)
            s += fabs(w->v[o * nk + k] -
                      w->type.zp[w->type.nq > 1 ? (uint32_t)o : 0]);
        fine &= (double)x->type.scale[0] <= (double)y->type.scale[0] * s;
    }
    return fine;
}

/* ---- nodes ---- */

static void
operand(SnProofCase *c, SnCaseNode *n, uint32_t port, SnCaseValue *v)
{
    (void)c;
    n->port[n->nin] = port;
    n->in[n->nin++] = v;
}

static void
operands(SnProofCase *c, SnCaseNode *n, const SnTerm *t)
{
    const SnTerm *grid = NULL;
    uint32_t grid_port = 0;

    /* A term of a list represents at most two values. */
    uint32_t most = n->n->nin + SN_CASE_NEACH * t->nlist;
    n->in = SN_NEW_N(c->a, SnCaseValue *, most + 1);
    n->port = SN_NEW_N(c->a, uint32_t, most + 1);
    for (uint32_t i = 0; i < n->n->nin && !c->fail; i++) {
        const SnTerm *k = t->by_port[i];
        if (!n->n->in[i]->variadic) {
            if (k && k->tk == SN_T_FUNC && k->fn == SN_FN_REGRID) {
                grid = k;
                grid_port = i;
                operand(c, n, i, NULL);
            } else {
                operand(c, n, i, k ? build(c, k) : NULL);
            }
            continue;
        }
        for (uint32_t j = 0; j < t->nlist; j++) {
            const SnTerm *l = t->list[j];
            const SnCaseBind *b =
                l->tk == SN_T_VAR ? &c->bind[l->var->index] : NULL;
            if (l->tk == SN_T_EACH) {
                for (c->each = 0, c->in_each = true; c->each < SN_CASE_NEACH;
                     c->each++)
                    operand(c, n, i, build(c, l->arg[0]));
                c->in_each = false;
                c->each = 0;
            } else if (b && l->var->vk == SN_V_LIST) {
                for (uint32_t m = 0; m < b->n; m++)
                    operand(c, n, i, b->list[m]);
            } else {
                operand(c, n, i, build(c, l));
            }
        }
    }
    if (grid && !c->fail)
        n->in[grid_port] =
            regrid(c, n, n->n->in[grid_port], build(c, grid->arg[0]));
}

/* The right side has no tuple for its types: not a case for a family, which
 * requires one before it fires; a written rule must not get here. */
static SnCaseValue *
untyped(SnProofCase *c, const SnCaseNode *n)
{
    bool fires = !c->pr->derive && /* a lowering takes only floats */
                 (!c->r->lower || c->root->out[0]->type.elem == SN_F32) &&
                 (!c->r->when || for_each(c, c->r->when));
    SnBuf b;

    c->wrong = fires;
    if (!fires && !c->asked) {
        sn_case_no(c, "no tuple on the right");
        return NULL;
    }
    sn_buf_init(&b, c->pv->a);
    sn_putf(&b, "no %s takes (", n->n->name);
    for (uint32_t s = 0; s < n->nin; s++)
        sn_putf(&b, "%s%s", s ? ", " : "",
                n->in[s] ? sn_case_type_str(c->a, &n->in[s]->type) : "_");
    sn_putf(&b, ") -> %s", sn_case_type_str(c->a, &n->out[0]->type));
    sn_case_no(c, sn_buf_str(&b));
    return NULL;
}

/* The type of later result i, as gen/rule/emit_term.c gives it: t0 in its
 * group, that of the node it is like, a plain one, or t0. */
static SnCaseType
later_type(const SnCaseNode *n, const SnCaseNode *like, uint32_t i,
           const SnCaseType *t0)
{
    int8_t e = SN_ABSENT;

    if (n->n->out[i]->fact == SN_SAME && n->n->out[0]->fact == SN_SAME)
        return *t0;
    if (like && like->n == n->n && like->out[i])
        return like->out[i]->type;
    for (uint32_t k = 0; k < n->n->ntuple; k++)
        if (n->n->tuple[k].out[i].elem != SN_ABSENT)
            e = n->n->tuple[k].out[i].elem;
    if (e >= SN_QI8 && e <= SN_QI32)
        return *t0;
    return (SnCaseType){.elem = e, .axis = -1};
}

/* A type along an axis has as many scales as the axis is long. */
static bool
sliced(SnProofCase *c, const SnCaseNode *n)
{
    for (uint32_t i = 0; i < n->n->nout && i < SN_CASE_MAXRES; i++) {
        const SnCaseValue *y = n->out[i];
        if (y->type.nq > 1 && y->rank >= 0 &&
            (y->rank <= y->type.axis ||
             y->dim[y->type.axis] != (int64_t)y->type.nq))
            return sn_case_no(c, "scales for another number of slices");
    }
    return true;
}

/* The results of n, the first of type t0; like: the source of the others'
 * types, or NULL. */
static SnCaseValue *
results(SnProofCase *c, SnCaseNode *n, const SnCaseType *t0,
        const SnCaseNode *like)
{
    for (uint32_t i = 0; i < n->n->nout && i < SN_CASE_MAXRES; i++) {
        SnCaseType t = i ? later_type(n, like, i, t0) : *t0;
        n->out[i] = sn_case_value(c, &t);
        n->out[i]->def = n;
        n->out[i]->res = i;
    }
    if (!sn_case_fit(n))
        return untyped(c, n);
    if (!sn_case_shape(c, n) || !sn_case_holds(c, n)) {
        if (c->large)
            return NULL;
        const char *why = c->fail ? c->fail : sn_case_broken(c, n);
        c->fail =
            sn_format(c->pv->a, "it makes an illegal %s: %s", n->n->name, why);
        c->wrong = true;
        return NULL;
    }
    /* The families require the tuple of the outer node first, and moves have
     * none along an axis. */
    if (!sliced(c, n)) {
        c->wrong = !c->pr->derive;
        return NULL;
    }
    return n->out[0];
}

/* A rule does not apply where the kind has no tuple for the type (SN208). */
static bool
taken(SnProofCase *c, const SnTerm *t, const SnCaseType *ty)
{
    bool ok = !t->ntakes;

    for (uint32_t i = 0; i < t->ntakes; i++)
        ok |= t->takes[i].elem == ty->elem && t->takes[i].axis == ty->axis;
    return ok || sn_case_no(c, "the right side has no tuple for that type");
}

static SnCaseValue *
build_call(SnProofCase *c, const SnTerm *t)
{
    SnCaseNode *n = SN_NEW(c->a, SnCaseNode);
    const SnExpr *te = t->type ? t->type : t->forced;
    SnCaseNode *like = NULL;

    n->n = t->node;
    n->name = t->name;
    operands(c, n, t);
    if (c->fail)
        return NULL;
    defaults(c, n);
    if (t->like_var) {
        const SnCaseBind *b = &c->bind[t->like_var->index];
        like = b->nodes ? b->nodes[0] : b->node;
        if (like)
            copy_attrs(n, like);
    }
    assign(c, n, t);
    if (c->pr->renumber && like && !c->fail) {
        for (uint32_t s = 0; s < c->root->nin; s++) {
            SnCaseNode *d = c->root->in[s]->def;
            if (d && sn_case_attr(d, "perm")) {
                renumber(c, n, sn_case_attr(d, "perm"));
                allowed(c, n);
                break;
            }
            if (d && n->n == c->root->n) {
                regroup(c, n);
                break;
            }
        }
    }
    if (!n->n->nout && !c->fail) { /* a Save: the values it writes */
        c->made = n;
        return sn_case_fit(n) ? n->in[0] : untyped(c, n);
    }
    if (!te || c->fail) {
        sn_case_no(c, "a type nothing forces");
        return NULL;
    }
    SnExprValue ty = sn_case_expr(c, te);
    if (c->fail || !taken(c, t, &ty.t))
        return NULL;
    if (n->n == c->root->n)
        c->made = n;
    if (n->n->nin == 0) { /* a source: the data of the node it is like */
        SnCaseValue *from = like ? like->out[0] : c->root->out[0];
        SnCaseValue *r = results(c, n, &ty.t, like);
        if (r && r->rank < 0 && from->rank >= 0)
            sn_case_set_shape(r, from->rank, from->dim);
        if (r && n->n->rsem[0]->cls == SN_C_SOURCE) {
            if (!sn_case_same_type(&from->type, &ty.t)) {
                sn_case_no(c, "an interface of another type");
                return NULL;
            }
            return from;
        }
        return r;
    }
    return results(c, n, &ty.t, like);
}

static SnCaseValue *
build_copy(SnProofCase *c, const SnTerm *t)
{
    const SnCaseBind *b = &c->bind[t->var->index];
    const SnCaseNode *src = b->node;
    SnCaseNode *n = SN_NEW(c->a, SnCaseNode);

    *n = *src;
    n->attr = sn_memdup(c->a, src->attr, sizeof *n->attr * (src->n->nall + 1));
    assign(c, n, t);
    SnCaseType ty = src->out[0]->type;
    if (t->type)
        ty = sn_case_expr(c, t->type).t;
    if (c->fail)
        return NULL;
    memset(n->out, 0, sizeof n->out);
    return results(c, n, &ty, src);
}

static SnCaseValue *
build(SnProofCase *c, const SnTerm *t)
{
    const SnCaseBind *b = t->var ? &c->bind[t->var->index] : NULL;

    if (c->fail)
        return NULL;
    switch (t->tk) {
    case SN_T_NONE:
        return NULL;
    case SN_T_VAR:
        if (t->var->vk == SN_V_NODE)
            return b->nodes ? b->nodes[c->each]->out[0] : b->node->out[0];
        if (b->list)
            return b->n ? b->list[c->in_each ? c->each : 0] : NULL;
        return b->v;
    case SN_T_CALL:
        return build_call(c, t);
    case SN_T_COPY:
        return build_copy(c, t);
    case SN_T_FUNC: /* fold(x): its value */
        return build(c, t->arg[0]);
    case SN_T_EACH:
        return build(c, t->arg[0]);
    }
    return NULL;
}

bool
sn_case_right(SnProofCase *c)
{
    const SnDefRule *r = c->r;

    c->right = true;
    for (uint32_t i = 0; i < r->nlet; i++) {
        SnCaseValue *v = build(c, r->let[i]);
        for (uint32_t j = 0; j < r->nvar; j++)
            if (r->var[j]->vk == SN_V_LET && r->var[j]->let == r->let[i]) {
                c->bind[j].v = v;
                c->bind[j].node = v ? v->def : NULL;
            }
    }
    c->rhs[0] = build(c, r->rhs);
    c->nrhs = 1;
    for (uint32_t i = 0; i < r->nmore && i + 1 < SN_CASE_MAXRES; i++)
        c->rhs[c->nrhs++] = build(c, r->more[i]);
    if (c->fail || !c->rhs[0])
        return sn_case_no(c, "the right side has no value");
    for (uint32_t s = 0; c->made && s < c->made->nin; s++) {
        const SnDefPort *p = c->made->n->in[c->made->port[s]];
        if (p->fact == SN_PIN && c->made->in[s] && c->root->in[s] &&
            c->made->in[s] != c->root->in[s] && !c->pr->given_bias &&
            !bias_may_move(c, c->made, c->root))
            return sn_case_no(c, "the new bias grid is coarser than the "
                                 "Rescale's own error");
    }
    return true;
}

/* ---- implicit guards ---- */

static double
through(const SnProofCase *c, const SnCaseNode *r, double code)
{
    const SnCaseType *s = &r->in[0]->type, *t = &r->out[0]->type;
    int32_t lo, hi;

    SnRescaler by = sn_row_rescaler(c->pv->defs, c->pr->round);

    sn_case_limits(t, sn_case_clamp_of(r), &lo, &hi);
    return sn_rescale_by(&by, (int32_t)code, s->scale[0], s->zp[0], t->scale[0],
                         t->zp[0], lo, hi);
}

/* Does a saturation of r that its flag waives move the value of this code?
 * Calibration says nothing about a constant. */
static bool
waived_at(const SnCaseNode *r, double code)
{
    const SnCaseType *s = &r->in[0]->type, *t = &r->out[0]->type;
    double half = (double)s->scale[0] / 2;
    double real = (double)s->scale[0] * (code - (double)s->zp[0]);
    int32_t lo, hi;

    sn_case_limits(t, sn_case_clamp_of(r), &lo, &hi);
    return r->calibrated &&
           (real < (double)t->scale[0] * (lo - t->zp[0]) - half ||
            real > (double)t->scale[0] * (hi - t->zp[0]) + half);
}

/* -1: v is not a constant; else R(Q_in(v)) == Q_out(v), also where its
 * saturation is waived. */
static int
const_commutes(SnProofCase *c, const SnCaseNode *n, const SnCaseNode *r,
               const SnExpr *v)
{
    double in, out;

    if (!sn_case_const_code(c, n, v, &r->in[0]->type, &in) ||
        !sn_case_const_code(c, n, v, &r->out[0]->type, &out))
        return -1;
    return through(c, r, in) == out && !waived_at(r, in);
}

/* R(Q_in(v)) == Q_out(v) for every constant v of the meaning: q(v), and a real
 * that is selected, max(d(x), v), which is as if q(v) were. */
static bool
consts_commute(SnProofCase *c, const SnCaseNode *n, const SnCaseNode *r,
               const SnExpr *e)
{
    bool call = e->ek == SN_E_CALL;
    bool select =
        call && e->nkid == 2 && (e->fn == SN_FN_MAX || e->fn == SN_FN_MIN);

    if (call && e->fn == SN_FN_Q && e->nkid == 1) {
        int ok = const_commutes(c, n, r, e->kid[0]);
        if (ok >= 0)
            return ok;
    }
    for (uint32_t i = 0; i < e->nkid; i++) {
        const SnExpr *k = e->kid[i];
        bool value =
            k->ek == SN_E_INT || k->ek == SN_E_REAL || k->rk == SN_R_ATTR;
        if (select && value && const_commutes(c, n, r, k) == 0)
            return false;
        if (!consts_commute(c, n, r, k))
            return false;
    }
    return true;
}

static const SnCaseNode *
rescale_above(const SnCaseNode *n)
{
    for (uint32_t s = 0; s < n->nin; s++)
        if (n->in[s] && n->in[s]->def && sn_case_attr(n->in[s]->def, "clamp") &&
            n->in[s]->def->nin == 1 && sn_case_quant(&n->in[s]->type))
            return n->in[s]->def;
    return NULL;
}

static bool
same_clamp(const SnCaseNode *a, const SnCaseNode *b)
{
    SnRange x = sn_case_clamp_of(a), y = sn_case_clamp_of(b);

    return x.has_lo == y.has_lo && x.has_hi == y.has_hi && x.lo == y.lo &&
           x.hi == y.hi;
}

/* One kind of node, one source type, one clamp, one permutation. */
static bool
alike(SnProofCase *c)
{
    const SnCaseNode *a = NULL;

    for (uint32_t s = 0; s < c->root->nin; s++) {
        const SnCaseNode *b = c->root->in[s] ? c->root->in[s]->def : NULL;
        if (!b || b->nin != 1)
            return sn_case_no(c, "an operand of another kind");
        if (!a) {
            a = b;
            continue;
        }
        const SnExprValue *p = sn_case_attr(a, "perm"),
                          *q = sn_case_attr(b, "perm");
        if (a->n != b->n || !same_clamp(a, b) ||
            !sn_case_same_type(&a->in[0]->type, &b->in[0]->type) ||
            (p && (p->n != q->n ||
                   memcmp(p->list, q->list, p->n * sizeof *p->list))))
            return sn_case_no(c, "operands that are not alike");
    }
    return true;
}

/* ---- values bound under `each` ---- */

static bool
mentions(const SnExpr *e, const char *name)
{
    if (e->ek == SN_E_NAME && !strcmp(e->s, name))
        return true;
    for (uint32_t i = 0; i < e->nkid; i++)
        if (mentions(e->kid[i], name))
            return true;
    return false;
}

/* A conjunct about a value of a run must hold for every value of the run. */
static bool
for_each(SnProofCase *c, const SnExpr *e)
{
    bool many = false, ok = true;

    if (e->ek == SN_E_BIN && e->op == SN_OP_AND)
        return for_each(c, e->kid[0]) && for_each(c, e->kid[1]);
    for (uint32_t i = 0; i < c->r->nvar; i++)
        many |= c->r->var[i]->each && mentions(e, c->r->var[i]->name);
    if (!many)
        return sn_case_cond(c, e);
    c->in_each = true;
    for (c->each = 0; c->each < SN_CASE_NEACH && ok; c->each++)
        ok = sn_case_cond(c, e);
    c->in_each = false;
    c->each = 0;
    return ok;
}

/* Does the term name v for its type, outside `each`? */
static bool
names_type(const SnTerm *t, const char *v)
{
    const SnExpr *e = t->type ? t->type : t->forced;

    if (t->tk == SN_T_EACH)
        return false;
    if (e && mentions(e, v))
        return true;
    for (uint32_t i = 0; i < t->narg; i++)
        if (names_type(t->arg[i], v))
            return true;
    return false;
}

/* Then it is one type, as generated rules check. */
static bool
one_type(const SnProofCase *c)
{
    for (uint32_t i = 0; i < c->r->nvar && c->r->rhs; i++) {
        const SnDefVar *v = c->r->var[i];
        const SnCaseBind *b = &c->bind[v->index];
        if (!v->each || !names_type(c->r->rhs, v->name))
            continue;
        for (uint32_t k = 1; k < SN_CASE_NEACH; k++) {
            const SnCaseValue *x = b->nodes  ? b->nodes[0]->out[0]
                                   : b->list ? b->list[0]
                                             : NULL;
            const SnCaseValue *y = b->nodes  ? b->nodes[k]->out[0]
                                   : b->list ? b->list[k]
                                             : NULL;
            if (x && y && !sn_case_same_type(&x->type, &y->type))
                return false;
        }
    }
    return true;
}

bool
sn_case_guard(SnProofCase *c)
{
    if (c->when && !for_each(c, c->when))
        return false;
    if (!one_type(c))
        return sn_case_no(c, "several types where the rule names one");
    if (c->pr->alike && !alike(c))
        return false;
    if (c->pr->commutes) {
        const SnCaseNode *r = rescale_above(c->root);
        const SnDefSem *s = c->root->n->rsem[0];
        if (!r || !consts_commute(c, c->root, r, s->formula) ||
            (s->els && !consts_commute(c, c->root, r, s->els)))
            return sn_case_no(c, "a constant rounds differently");
    }
    if (c->pr->swap && !c->fail) {
        const SnCaseNode *p = c->root->in[0]->def;
        const SnExpr *v = p ? p->n->rsem[0]->formula : NULL;
        double in, out;
        if (!v || v->ek != SN_E_CALL ||
            !sn_case_const_code(c, p, v->kid[0], &c->root->in[0]->type, &in) ||
            !sn_case_const_code(c, p, v->kid[0], &c->root->out[0]->type,
                                &out) ||
            through(c, c->root, in) != out)
            return sn_case_no(c, "the value rounds differently in two steps");
    }
    return !c->fail;
}
