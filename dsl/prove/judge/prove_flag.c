// SPDX-License-Identifier: Apache-2.0
/* The flag `calibrated`: a saturation that it waives may be dropped later by
 * another rule, so what a right side marks must have been marked on the left.
 *
 * Over the reals the left side gives S with every saturation, and W without
 * those that its flags waive; both are right, and everything between.  The
 * right side, with the flags it sets, must lie there both with its waived
 * saturations and without, up to the roundings of the two sides. */
#include "dsl/prove/trial/case.h"

#include <math.h>
#include <string.h>

/* ---- which rules set a flag ---- */

static bool
may_set(const SnTerm *t)
{
    bool clamp = false, flag = false;

    for (uint32_t i = 0; i < t->nasg; i++) {
        clamp |= t->asg[i].word == SN_W_CLAMP;
        if (t->asg[i].word != SN_W_CALIBRATED)
            continue;
        const SnExpr *e = t->asg[i].e;
        flag = e->ek != SN_E_BOOL || e->i;
        if (!flag)
            return false;
    }
    bool node = t->tk == SN_T_COPY || (t->node && t->node->clamp);
    if (node && (flag || (!clamp && (t->like_var || t->tk == SN_T_COPY))))
        return true;
    for (uint32_t i = 0; i < t->narg; i++)
        if (may_set(t->arg[i]))
            return true;
    return false;
}

static bool
sets_flag(const SnDefRule *r)
{
    if (may_set(r->rhs))
        return true;
    for (uint32_t i = 0; i < r->nlet; i++)
        if (may_set(r->let[i]))
            return true;
    return false;
}

/* ---- one case ---- */

/* The Rescales of a list sink only with one flag for all. */
static void
alike(const SnProofCase *c, const SnCaseNode *n, uint32_t i)
{
    if (c->pr->alike && i > 0 && n->in[i] && n->in[0] && n->in[i]->def &&
        n->in[0]->def && n->port[i] == n->port[0])
        n->in[i]->def->calibrated = n->in[0]->def->calibrated;
}

static void
mark(SnProofCase *c, SnCaseValue *t)
{
    if (!t || !t->def || t->leaf)
        return;
    if (t->def->n->clamp && t->res == 0)
        t->def->calibrated = sn_case_chance(c, 50);
    for (uint32_t i = 0; i < t->def->nin; i++) {
        mark(c, t->def->in[i]);
        alike(c, t->def, i);
    }
}

static void
forget(SnCaseValue *t)
{
    if (!t || !t->def || t->leaf || !t->done)
        return;
    t->done = false;
    t->id = NULL;
    for (uint32_t i = 0; i < t->def->nin; i++)
        forget(t->def->in[i]);
}

/* The values of t over the reals, and in *er the error by roundings. */
static const double *
ideal(SnProofCase *c, SnCaseValue *t, bool waive, const double **er)
{
    forget(t);
    c->ideal = true;
    c->waive = waive;
    bool ok = sn_case_eval(c, t);
    c->waive = false;
    *er = t->er;
    return ok ? t->id : NULL;
}

typedef struct Found {
    const char *line, *with;
    double by;    /* how far outside, in steps */
    double score; /* 8 bits make better examples */
} Found;

static void
put_node(SnBuf *b, SnProofCase *c, const SnCaseValue *t)
{
    if (!t || !t->def || t->leaf)
        return;
    for (uint32_t i = 0; i < t->def->nin; i++)
        put_node(b, c, t->def->in[i]);
    if (!t->def->n->clamp)
        return;
    sn_putf(b, "%s%s:%s%s", b->n ? ", " : "with ",
            t->def->name ? t->def->name : t->def->n->name,
            sn_case_type_str(c->a, &t->type),
            t->def->calibrated ? " calibrated" : "");
}

static void
found(SnProofCase *c, Found *f, double by, double near, double right)
{
    double score = by + (c->lhs[0]->type.elem == SN_QI8 ? 1e9 : 0);
    SnBuf b;

    if (score <= f->score)
        return;
    f->by = by;
    f->score = score;
    sn_buf_init(&b, c->pv->a);
    put_node(&b, c, c->lhs[0]);
    f->with = sn_buf_str(&b);
    f->line = sn_format(c->pv->a,
                        "left: %s gives %.6g,  right: %s gives "
                        "%.6g without what its flag waives",
                        sn_case_side_str(c->a, c->lhs[0]), near,
                        sn_case_side_str(c->a, c->rhs[0]), right);
}

static void
compare(SnProofCase *c, SnCaseValue *l, SnCaseValue *r, Found *f)
{
    const double *le, *re, *we, *ve;
    const double *s = ideal(c, l, false, &le), *w = ideal(c, l, true, &we);
    const double *v = ideal(c, r, true, &ve), *u = ideal(c, r, false, &re);

    for (int64_t i = 0; s && w && v && u && i < l->n; i++) {
        double step = (double)l->type.scale[sn_case_slice(l, i)];
        double lo = fmin(s[i], w[i]), hi = fmax(s[i], w[i]);
        double tol = fmax(le[i], we[i]) + fmax(re[i], ve[i]) + 2 * step +
                     1e-5 * fmax(fabs(lo), fabs(hi));
        double x = v[i] < lo || v[i] > hi ? v[i] : u[i];
        double out = fmax(lo - x, x - hi) - tol;
        if (isfinite(tol) && isfinite(x) && out > 0)
            found(c, f, out / step, x < lo ? lo : hi, x);
    }
}

static bool
one(SnProofCase *c, Found *f)
{
    if (!sn_case_draw(c) || !c->lhs[0])
        return false;
    mark(c, c->lhs[0]);
    if (c->pr->given_bias) {
        sn_case_fill(c);
        sn_case_bias_on_grid(c);
    }
    if (!sn_case_guard(c))
        return false;
    sn_case_fill(c);
    if (!sn_case_right(c))
        return false;
    SnCaseValue *l = c->lhs[0], *r = c->rhs[0];
    if (!l->type.nq || !sn_case_same_type(&l->type, &r->type))
        return false;
    compare(c, l, r, f);
    return true;
}

/* ---- the rule ---- */

/* n.calibrated of every node of the left side that has a clamp, joined by
 * "and"; false if one has no name. */
static bool
all_flags(SnBuf *b, const SnPat *p)
{
    bool ok = true;

    if (p->node ? p->node->clamp != NULL : p->pk == SN_P_ANY) {
        ok = p->capture != NULL;
        sn_putf(b, "%s%s.calibrated", b->n ? " and " : "",
                ok ? p->capture : p->name);
    }
    for (uint32_t i = 0; i < p->narg; i++)
        ok &= all_flags(b, p->arg[i]);
    return ok;
}

bool
sn_prove_flags(SnProver *pv, const SnInstance *pr, uint32_t ndraw,
               uint64_t seed)
{
    Found f = {.by = 0};
    SnBuf b;

    if (!pr->r->rhs || !sets_flag(pr->r))
        return true;
    SnArena *a = sn_prove_scratch(pv);
    for (uint32_t i = 0, n = 0; i < 20 * ndraw + 400 && n < ndraw; i++) {
        SnProofCase c;
        sn_case_start(&c, pv, pr, &seed, a);
        n += one(&c, &f);
        sn_arena_clear(a);
    }
    sn_prove_scratch_back(pv);
    if (!f.line)
        return true;
    sn_error(pv->d, pr->r->pos, "SN313",
             "rule '%s' marks as calibrated what the left side does not: "
             "%.0f steps are let through",
             pr->derive ? pr->name : pr->r->name, f.by);
    sn_diag_line(pv->d, "%s", f.line);
    sn_diag_line(pv->d, "%s", f.with);
    sn_buf_init(&b, pv->a);
    bool named = all_flags(&b, pr->r->pat);
    sn_diag_help(pv->d, "calibrated = %s%s", b.n ? sn_buf_str(&b) : "false",
                 named ? "" : "     (capture the nodes)");
    return false;
}
