// SPDX-License-Identifier: Apache-2.0
/* Damaged rules: subjects as tools/mutants.c takes them, proved with a change.
 */
#include "dsl/model/arith.h"
#include "dsl/prove/prover.h"

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
    s->pv.mutate = NULL;
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
    s->pv.mutate = mutate;
    s->pv.mutate_arg = arg;
    return r;
}

/* Subject i replaced by r: one rule, or one for each kind. */
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
sn_subject_proved(SnSubjects *s, uint32_t i, const SnDefRule *r,
                  uint32_t implicit, bool *by_elems)
{
    SnDefRule *says = NULL;
    SnInstance *v = NULL;
    uint32_t n = instances(s, i, r, implicit, &v);
    SnDiag *was = s->pv.d;
    bool all = n > 0, elems;

    *by_elems = false;
    s->pv.d = sn_diag_new(s->pv.a);
    if (n && r->claim.kind == SN_CLAIM_NONE) {
        all = n == 1 && sn_prove_bind(&s->pv, r, &says);
        v[0].binds = r;
        v[0].r = says;
    }
    for (uint32_t k = 0; k < n && all; k++) {
        all = sn_prove_calculi(&s->pv, &v[k], &elems);
        *by_elems |= elems;
    }
    s->pv.d = was;
    return all;
}

/* ---- rows ---- */

/* Do all arithmetics compute this form in the same way? */
static bool
same_form(const SnDefs *s, SnForm form, const char *map)
{
    const SnDefArith *f = sn_def_arith(s, SN_ROUNDING_FLOAT);

    for (unsigned when = 0; when < 8; when++)
        for (uint32_t i = 0; i < s->narith; i++) {
            const SnDefRowOf *a = sn_def_row(f, form, map, when),
                             *b = sn_def_row(s->arith[i], form, map, when);
            if ((a ? a->x : NULL) != (b ? b->x : NULL))
                return false;
        }
    return true;
}

/* All rows by which its results may be computed. */
static bool
same_rows(const SnDefs *s, const SnDefNode *n)
{
    bool from = false, to = false;

    for (uint32_t i = 0; i < n->ntuple; i++)
        for (uint32_t k = 0; k < n->nin; k++) {
            from |= sn_conc_quant(n->tuple[i].in[k]);
            to |= sn_conc_quant(n->tuple[i].in[k]) && n->nout &&
                  sn_conc_quant(n->tuple[i].out[0]);
        }
    for (uint32_t i = 0; i < n->nout && from; i++) {
        const SnDefSem *m = n->rsem[i];
        bool moves = m->cls == SN_C_MOVE, converts = m->cls == SN_C_CONVERT;
        if ((m->cls == SN_C_CONTRACT &&
             !same_form(s, SN_FORM_CONTRACT, m->map)) ||
            (m->mean && !same_form(s, SN_FORM_MEAN, m->map)) ||
            (to && (converts || (m->monotone && !moves)) &&
             !same_form(s, SN_FORM_CONVERT, NULL)) ||
            !same_form(s, SN_FORM_SUM, NULL) ||
            !same_form(s, SN_FORM_PRODUCT, NULL) ||
            (to && sn_is_function(n) &&
             !same_form(s, SN_FORM_FUNCTION, n->name)) ||
            !same_form(s, SN_FORM_POINT, NULL))
            return false;
    }
    return true;
}

static bool
pattern_same(const SnDefs *s, const SnDefNode *any, const SnPat *p)
{
    const SnDefNode *n = p->node ? p->node : p->pk == SN_P_ANY ? any : NULL;

    for (uint32_t i = 0; i < p->narg; i++)
        if (!pattern_same(s, any, p->arg[i]))
            return false;
    return !n || same_rows(s, n);
}

static bool
term_same(const SnDefs *s, const SnTerm *t)
{
    for (uint32_t i = 0; i < t->narg; i++)
        if (!term_same(s, t->arg[i]))
            return false;
    return !t->node || same_rows(s, t->node);
}

bool
sn_subject_same_rows(SnSubjects *s, uint32_t i)
{
    const SnDefs *defs = s->pv.defs;
    const SnDefRule *r = s->v[i].r;
    SnInstance *v = NULL;
    uint32_t n = instances(s, i, r, UINT32_MAX, &v);
    bool all = n > 0 && r->pat && r->rhs && term_same(defs, r->rhs);

    for (uint32_t k = 0; k < r->nlet && all; k++)
        all = term_same(defs, r->let[k]);
    for (uint32_t k = 0; k < n && all; k++)
        all = pattern_same(defs, v[k].any, r->pat);
    return all;
}
