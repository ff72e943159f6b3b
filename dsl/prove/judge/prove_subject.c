// SPDX-License-Identifier: Apache-2.0
/* Damaged rules: subjects as tools/mutants.c takes them, proved with a change,
 * and compared with what they were. */
#include "dsl/prove/trial/case.h"

#include <string.h>

struct SnSubjects {
    SnProver pv;
    uint32_t n;
    SnInstance
        *v; /* written rules stand once; `any` is spelled out when proved */
};

/* ---- subjects ---- */

SnSubjects *
sn_subjects(SnDefs *defs, SnDiag *d)
{
    SnSubjects *s = SN_NEW(defs->arena, SnSubjects);
    SnInstance *v = NULL;

    s->pv = (SnProver){.defs = defs, .d = d, .a = defs->arena};
    s->pv.out = SN_NEW(defs->arena, SnProofs);
    s->pv.certificates = sn_certificates(&s->pv);
    uint32_t n = sn_prove_instances(&s->pv, &v);
    for (uint32_t i = 0; i < n; i++)
        if (i == 0 || v[i].derive || v[i].r != v[i - 1].r)
            SN_PUSH(defs->arena, s->v, s->n, v[i]);
    return s;
}

uint32_t
sn_subjects_count(const SnSubjects *s)
{
    return s->n;
}

/* The k-th implicit condition. */
static bool *
implicit_of(SnInstance *r, uint32_t k, const char **what)
{
    static const char *const name[] = {"constants commute",
                                       "the value commutes", "operands alike"};
    bool *const flag[] = {&r->commutes, &r->swap, &r->alike};

    for (uint32_t i = 0; i < 3; i++)
        if (*flag[i] && k-- == 0) {
            *what = name[i];
            return flag[i];
        }
    return NULL;
}

SnSubject
sn_subject(const SnSubjects *s, uint32_t i)
{
    const SnInstance *p = &s->v[i];
    SnSubject r = {.rule = p->r, .derive = p->derive};

    r.name = p->derive
                 ? p->name
                 : sn_format(s->pv.a, "%s.%s", p->r->pass->name, p->r->name);
    r.nimplicit = (uint32_t)(p->commutes + p->swap + p->alike);
    r.fixed_claim = p->bounded ? "bounded by the scales" : NULL;
    return r;
}

const char *
sn_subject_implicit(const SnSubjects *s, uint32_t i, uint32_t k)
{
    SnInstance copy = s->v[i];
    const char *what = "";

    implicit_of(&copy, k, &what);
    return what;
}

/* ---- a change ---- */

static const char *
text_of(const SnSubjects *s, uint32_t i)
{
    const char *t = s->v[i].r->text;
    size_t n = strlen(t);

    if (s->v[i].derive)
        return t;
    const char *name = strstr(t, s->v[i].r->name); /* after `rule`, `lower` */
    while (n && (t[n - 1] == ';' || t[n - 1] == '\n'))
        n--;
    return sn_format(s->pv.a, "%.*s", (int)(n - (size_t)(name - t)), name);
}

SnDefRule *
sn_subject_mutate(SnSubjects *s, uint32_t i, SnDiag *d,
                  void (*mutate)(void *arg, SnDefRule *r), void *arg)
{
    const SnDefRule *was = s->v[i].r;
    SnDefRule *r = sn_prove_reparse(&s->pv, d, text_of(s, i), mutate, arg);

    if (!r)
        return NULL;
    r->pos = was->pos;
    r->pass = s->v[i].derive ? r->pass : was->pass;
    r->backend = was->backend;
    r->lower = was->lower;
    r->id = was->id;
    r->name = was->name;
    r->text = was->text;
    return r;
}

/* Subject i with r in its place: one rule, or one for each kind. */
static uint32_t
instances(SnSubjects *s, uint32_t i, const SnDefRule *r, uint32_t implicit,
          SnInstance **out)
{
    const char *what;
    bool *flag;

    if (!s->v[i].derive)
        return sn_prove_spell(&s->pv, r, out);
    *out = sn_memdup(s->pv.a, &s->v[i], sizeof **out);
    (*out)->r = r;
    if (implicit != UINT32_MAX && (flag = implicit_of(*out, implicit, &what)))
        *flag = false;
    return 1;
}

void
sn_subject_prove(SnSubjects *s, uint32_t i, const SnDefRule *r,
                 uint32_t implicit, uint32_t more, SnDiag *d)
{
    SnInstance *v = NULL;
    uint32_t n = instances(s, i, r, implicit, &v);
    SnDiag *was = s->pv.d;
    SnProveOpts o = {.ndraw = more * SN_PROVE_NDRAW};

    s->pv.o = &o;
    s->pv.d = d;
    for (uint32_t k = 0; k < n && !sn_diag_nerror(d); k++)
        sn_prove_judge(&s->pv, &v[k]);
    for (uint32_t k = 0; k < n && more > 1 && !sn_diag_nerror(d); k++) {
        v[k].wide = 2;
        sn_prove_judge(&s->pv, &v[k]);
    }
    s->pv.d = was;
    s->pv.o = NULL;
}

bool
sn_subject_lemma(SnSubjects *s, uint32_t i, const SnDefRule *r)
{
    SnInstance *v = NULL;
    uint32_t n = instances(s, i, r, UINT32_MAX, &v);
    bool all = n > 0;

    for (uint32_t k = 0; k < n; k++) {
        SnLemma l = sn_calculus_lemma(&s->pv, &v[k]);
        all &= !l.none && sn_prove_proved(&v[k], &l);
    }
    return all;
}

/* ---- the same? ---- */

static bool
same_value(const SnExprValue *a, const SnExprValue *b)
{
    if (a->n != b->n || (a->list == NULL) != (b->list == NULL))
        return false;
    for (uint32_t i = 0; a->list && i < a->n; i++)
        if (a->list[i] != b->list[i])
            return false;
    return a->r == b->r && a->rg.has_lo == b->rg.has_lo &&
           a->rg.has_hi == b->rg.has_hi &&
           (!a->rg.has_lo || a->rg.lo == b->rg.lo) &&
           (!a->rg.has_hi || a->rg.hi == b->rg.hi);
}

static bool
same_tree(const SnCaseValue *a, const SnCaseValue *b)
{
    if (!a || !b || a == b)
        return a == b;
    if (!sn_case_same_type(&a->type, &b->type) || a->res != b->res ||
        a->n != b->n)
        return false;
    const SnCaseNode *p = a->def, *q = b->def;
    if (!p || !q) { /* regridded constants */
        if (p || q || !a->v || !b->v)
            return false;
        return !memcmp(a->v, b->v, (size_t)a->n * sizeof *a->v);
    }
    if (p->n != q->n || p->nin != q->nin || p->calibrated != q->calibrated)
        return false;
    for (uint32_t i = 0; i < p->n->nall; i++)
        if (!same_value(&p->attr[i], &q->attr[i]))
            return false;
    for (uint32_t i = 0; i < p->nin; i++)
        if (!same_tree(p->in[i], q->in[i]))
            return false;
    return true;
}

/* Does the rule fire on the case?  Then c->rhs is what it makes. */
static bool
fires(SnProofCase *c, const SnInstance *pr)
{
    c->pr = pr;
    c->r = pr->r;
    c->when = pr->r->need;
    c->fail = NULL;
    c->wrong = false;
    c->made = NULL;
    c->nrhs = 0;
    memset(c->rhs, 0, sizeof c->rhs);
    if (!sn_case_guard(c))
        return false;
    sn_case_fill(c);
    return sn_case_right(c) || c->wrong;
}

static bool
one(SnProofCase *c, const SnInstance *a, const SnInstance *b, uint32_t *nmet)
{
    SnCaseValue *was[SN_CASE_MAXRES];

    if (!sn_case_draw(c))
        return true;
    if (a->given_bias) {
        sn_case_fill(c);
        sn_case_bias_on_grid(c);
    }
    bool fa = fires(c, a);
    memcpy(was, c->rhs, sizeof was);
    bool fb = fires(c, b);
    *nmet += fa || fb;
    if (fa != fb || c->wrong)
        return false;
    for (uint32_t i = 0; i < SN_CASE_MAXRES; i++)
        if (fa && !same_tree(was[i], c->rhs[i]))
            return false;
    return true;
}

/* ndraw cases of kind k that a or b fires on, as far apart as `wide` says. */
static bool
same_in(SnSubjects *s, const SnInstance *a, const SnInstance *b, uint32_t wide,
        uint32_t ndraw, uint32_t *nmet)
{
    SnArena *mem = sn_arena_new();
    uint64_t rng = 77 + wide;
    uint32_t met = 0;
    bool same = true;

    for (uint32_t t = 0; t < 100 * ndraw && met < ndraw && same; t++) {
        SnProofCase c;
        sn_case_start(&c, &s->pv, a, &rng, mem);
        c.wide = wide;
        same = one(&c, a, b, &met);
        sn_arena_clear(mem);
    }
    sn_arena_free(mem);
    *nmet += met;
    return same;
}

bool
sn_subject_same(SnSubjects *s, uint32_t i, const SnDefRule *r,
                uint32_t implicit, uint32_t ndraw, uint32_t *nmet)
{
    SnInstance *a = NULL, *b = NULL;
    uint32_t n = instances(s, i, s->v[i].r, UINT32_MAX, &a);
    bool same = n == instances(s, i, r, implicit, &b) && n > 0;

    *nmet = 0;
    for (uint32_t k = 0; k < n && same; k++) {
        uint32_t met = 0;
        /* Those of a proof, and such as no proof draws. */
        same = same_in(s, &a[k], &b[k], 0, ndraw, &met) &&
               same_in(s, &a[k], &b[k], 2, ndraw, &met);
        same &= met > 0;
        *nmet += met;
    }
    return same;
}
