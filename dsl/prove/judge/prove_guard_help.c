// SPDX-License-Identifier: Apache-2.0
/* Guards for a refused rule: conjunctions from a small set are tried, and the
 * weakest that makes the claim hold is printed, once the calculi prove the rule
 * under it.  Weak means that most of the cases drawn without it meet it. */
#include "dsl/prove/trial/case.h"

#include <string.h>
#include "dsl/resolve/resolver.h"

/* Conditions that are run and proved. */
enum { MOST = 300, PROOFS = 48 };

typedef struct Cand {
    const char *text;
    const SnExpr *e; /* with the rule's own condition */
    const char *full;
    uint32_t met; /* the number of tried cases that met it */
    bool ok;
    bool asked; /* the calculi do not prove it */
} Cand;

typedef struct Set {
    SnProver *pv;
    const SnInstance *pr;
    uint32_t n;
    Cand *v;
    uint32_t nproof;
} Set;

static const char *
with_rule(Set *s, const char *text)
{
    SnBuf b;

    if (!s->pr->r->need)
        return text;
    sn_buf_init(&b, s->pv->a);
    sn_put_expr(&b, s->pr->r->need);
    return sn_format(s->pv->a, "(%s) and %s", sn_buf_str(&b), text);
}

static void
add(Set *s, const char *text)
{
    Cand c = {.text = text, .full = with_rule(s, text)};

    if (s->n >= MOST)
        return;
    for (uint32_t i = 0; i < s->n; i++)
        if (!strcmp(s->v[i].text, text))
            return;
    c.e = sn_prove_parse_cond(s->pv, s->pr->r, c.full);
    if (c.e)
        SN_PUSH(s->pv->a, s->v, s->n, c);
}

static bool
typed(const SnDefVar *v)
{
    return (v->vk == SN_V_VALUE || v->vk == SN_V_NODE) && !v->each;
}

static bool
clamped(const SnDefVar *v)
{
    return v->vk == SN_V_NODE && v->node && v->node->clamp;
}

static void
candidates(Set *s)
{
    const SnDefRule *r = s->pr->r;
    SnArena *a = s->pv->a;

    for (uint32_t i = 0; i < r->nvar; i++) {
        const SnDefVar *v = r->var[i];
        if (!typed(v))
            continue;
        if (v->vk == SN_V_VALUE)
            add(s, sn_format(a, "const(%s)", v->name));
        for (uint32_t k = 1; v->node && k < v->node->nout; k++)
            add(s,
                sn_format(a, "unused(%s.%s)", v->name, v->node->out[k]->name));
        if (clamped(v))
            add(s, sn_format(a, "%s.clamp == full", v->name));
        for (uint32_t j = 0; j < r->nvar; j++) {
            const SnDefVar *w = r->var[j];
            if (j == i || !typed(w))
                continue;
            add(s, sn_format(a, "covers(%s.type, %s.type)", v->name, w->name));
            add(s,
                sn_format(a, "covers(reach(%s), reach(%s))", v->name, w->name));
            if (clamped(v))
                add(s, sn_format(a, "covers(%s.clamp, reach(%s))", v->name,
                                 w->name));
            if (j > i)
                add(s, sn_format(a, "%s.type == %s.type", v->name, w->name));
        }
    }
}

/* An attribute equal to its default, not below 0, or equal to that of another
 * node. */
static void
of_attribute(Set *s, const SnDefVar *v, const SnDefAttr *a)
{
    const SnDefRule *r = s->pr->r;
    SnArena *mem = s->pv->a;
    bool number = a->ty == SN_A_INT || a->ty == SN_A_INTS;

    if (a->def && (number || a->ty == SN_A_BOOL || a->ty == SN_A_ENUM))
        add(s, sn_format(mem, "%s.%s == %s", v->name, a->name,
                         sn_expr_str(mem, a->def)));
    if (number)
        add(s, sn_format(mem, "%s.%s >= 0", v->name, a->name));
    for (uint32_t i = 0; i < r->nvar && number; i++) {
        const SnDefVar *w = r->var[i];
        if (w->index > v->index && w->vk == SN_V_NODE && w->node &&
            sn_def_attr(w->node, a->name))
            add(s, sn_format(mem, "%s.%s == %s.%s", v->name, a->name, w->name,
                             a->name));
    }
}

/* Conditions to try if no case refutes the rule: attributes, dimensions,
 * types. */
static void
more_candidates(Set *s)
{
    const SnDefRule *r = s->pr->r;
    SnArena *a = s->pv->a;

    for (uint32_t i = 0; i < r->nvar; i++) {
        const SnDefVar *v = r->var[i];
        for (uint32_t k = 0; v->vk == SN_V_NODE && v->node && k < v->node->nall;
             k++)
            of_attribute(s, v, v->node->all[k]);
        if (v->vk != SN_V_VALUE || v->each)
            continue;
        add(s, sn_format(a, "%s.type in [q8, q16]", v->name));
        for (int k = 0; k < 4; k++)
            add(s, sn_format(a, "dim(%s, %d) == 1", v->name, k));
        if (r->pat->cap)
            add(s, sn_format(a, "shape(%s) == shape(%s)", v->name,
                             r->pat->cap->name));
    }
}

/* Does the claim hold under c?  Also measures weakness. */
static void
rate(Set *s, Cand *c)
{
    c->ok = c->asked = false;
    SnTrial t = sn_case_try(s->pv, s->pr, c->e, 10, 7, false);

    c->ok = t.ndraw >= 4 && sn_case_claim_ok(s->pr, &t) && !t.bad_res;
    if (!c->ok)
        return;
    t = sn_case_try(s->pv, s->pr, c->e, 60, 8, false);
    c->ok = t.ndraw >= 8 && sn_case_claim_ok(s->pr, &t) && !t.bad_res;
    if (c->ok && t.axis) { /* few are: more of them */
        SnInstance q = *s->pr;
        q.along = true;
        SnTrial u = sn_case_try(s->pv, &q, c->e, 60, 9, false);
        c->ok = sn_case_claim_ok(&q, &u) && !u.bad_res;
    }
    c->met = t.ntry ? t.ndraw * 1000 / t.ntry : 0;
}

/* Do the calculi prove the rule under that condition? */
static bool
proved(Set *s, const SnExpr *e)
{
    SnDefRule r = *s->pr->r;
    SnInstance p = *s->pr;
    bool elems;

    if (s->nproof++ >= PROOFS)
        return false;
    r.need = (SnExpr *)(uintptr_t)e;
    p.r = &r;
    return sn_prove_calculi(s->pv, &p, &elems);
}

static const Cand *
weakest(Set *s)
{
    for (;;) {
        Cand *best = NULL;
        for (uint32_t i = 0; i < s->n; i++)
            if (s->v[i].ok && !s->v[i].asked &&
                (!best || s->v[i].met > best->met))
                best = &s->v[i];
        if (!best || proved(s, best->e))
            return best;
        best->asked = true;
    }
}

/* A rule that claims only to refine. */
static const Cand *
weakest_refines(Set *s)
{
    SnInstance *p = sn_memdup(s->pv->a, s->pr, sizeof *p);
    SnDefRule *r = sn_memdup(s->pv->a, s->pr->r, sizeof *r);

    r->claim.kind = SN_CLAIM_REFINES;
    p->r = r;
    s->pr = p;
    for (uint32_t i = 0; i < s->n; i++)
        rate(s, &s->v[i]);
    return weakest(s);
}

/* The order by how often a condition helps in addition to another: open clamps,
 * covers, equal types; then the rest. */
static int
rank(const char *t)
{
    return strstr(t, "== full")       ? 0
           : !strncmp(t, "covers", 6) ? 1
           : strstr(t, "==")          ? 2
                                      : 3;
}

static const Cand *
pairs(Set *s)
{
    uint32_t n = s->n;

    for (int most = 1; most <= 4; most++) {
        uint32_t first = s->n;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++) {
                int a = rank(s->v[i].text), b = rank(s->v[j].text);
                if (i == j || a > b || (a == b && i > j) || a + b != most)
                    continue;
                add(s, sn_format(s->pv->a, "%s and %s", s->v[j].text,
                                 s->v[i].text));
            }
        for (uint32_t i = first; i < s->n; i++)
            rate(s, &s->v[i]);
        if (weakest(s))
            break;
    }
    return weakest(s);
}

/* ---- carrying the saturation ---- */

/* Sets the clamp of the right side's root to `text`; NULL if that makes no
 * sense there. */
static const SnDefRule *
with_clamp(Set *s, const SnExpr *e)
{
    SnDefRule *r = sn_memdup(s->pv->a, s->pr->r, sizeof *r);
    SnTerm *t = sn_memdup(s->pv->a, r->rhs, sizeof *t);
    SnAsg *v = SN_NEW_N(s->pv->a, SnAsg, t->nasg + 1);

    for (uint32_t i = 0; i < t->nasg; i++)
        v[i] = t->asg[i];
    v[t->nasg] = (SnAsg){.name = t->node->clamp->name,
                         .e = (SnExpr *)(uintptr_t)e,
                         .attr = t->node->clamp};
    t->asg = v;
    t->nasg++;
    r->rhs = t;
    return r;
}

/* The strongest claim of p that the calculi prove, or NULL. */
static const char *
proved_claim(const Set *s, const SnInstance *p)
{
    static const SnDefClaim claim[] = {{.kind = SN_CLAIM_EXACT},
                                       {.kind = SN_CLAIM_WITHIN, .n = 1},
                                       {.kind = SN_CLAIM_REFINES}};
    SnDefRule r = *p->r;
    SnInstance q = *p;
    bool elems;

    q.r = &r;
    for (size_t i = 0; i < sizeof claim / sizeof *claim; i++) {
        r.claim = claim[i];
        if (sn_prove_calculi(s->pv, &q, &elems))
            return sn_case_claim_str(s->pv->a, &claim[i]);
    }
    return NULL;
}

static bool
carry(Set *s)
{
    const SnDefRule *r = s->pr->r;
    const SnDefVar *o = r->pat->cap;

    if (!o || !clamped(o) || !r->rhs || r->rhs->tk != SN_T_CALL ||
        !r->rhs->node || !r->rhs->node->clamp)
        return false;
    for (uint32_t i = 0; i < r->nvar; i++) {
        const SnDefVar *m = r->var[i];
        if (m == o || !clamped(m))
            continue;
        const char *text =
            sn_format(s->pv->a, "meet(%s.clamp, image(%s.clamp, %s, %s))",
                      o->name, m->name, m->name, o->name);
        const SnExpr *e = sn_prove_parse_cond(
            s->pv, r, sn_format(s->pv->a, "%s == full", text));
        if (!e)
            continue;
        SnInstance p = *s->pr;
        p.r = with_clamp(s, e->kid[0]);
        SnTrial t = sn_case_try(s->pv, &p, r->need, 60, 9, false);
        if (t.ndraw < 8 || t.worse || t.bad_res)
            continue;
        const char *then = proved_claim(s, &p);
        if (!then)
            continue;
        sn_diag_help(s->pv->d,
                     "carry the saturation: {clamp = %s}     [then: "
                     "%s]",
                     text, then);
        return true;
    }
    return false;
}

/* For a rule that nothing refutes: the first condition under which it is
 * proved, and that some graph meets. */
bool
sn_prove_help_open(SnProver *pv, const SnInstance *pr)
{
    Set s = {.pv = pv, .pr = pr};

    if (pr->derive || pr->r->nvar == 0)
        return false;
    more_candidates(&s);
    candidates(&s);
    for (uint32_t i = 0; i < s.n && s.nproof < PROOFS; i++) {
        if (!proved(&s, s.v[i].e))
            continue;
        SnTrial t = sn_case_try(pv, pr, s.v[i].e, 10, 7, false);
        if (!t.ndraw || !sn_case_claim_ok(pr, &t) || t.bad_res || t.wrong)
            continue;
        sn_diag_help(pv->d, "%s %s", pr->r->need ? "and" : "when", s.v[i].text);
        return true;
    }
    return false;
}

void
sn_prove_help(SnProver *pv, const SnInstance *pr, const SnTrial *t)
{
    Set s = {.pv = pv, .pr = pr};
    const SnDefRule *r = pr->r;
    bool carried = false;

    if (pr->derive || r->nvar == 0)
        return;
    if (r->claim.kind == SN_CLAIM_REAL && t->real <= SN_CASE_REAL_EQUAL) {
        sn_diag_help(pv->d, "real %.1g", t->rel * 2);
        return;
    }
    if (t->diff > 0)
        carried = carry(&s);
    candidates(&s);
    more_candidates(&s);
    for (uint32_t i = 0; i < s.n; i++)
        rate(&s, &s.v[i]);
    const Cand *best = weakest(&s);
    const char *then = "";
    if (!best && r->claim.kind == SN_CLAIM_EXACT && t->diff > 0) {
        best = weakest_refines(&s); /* one guard, for the next claim */
        then = "     [then: refines]";
    }
    if (!best) {
        s.pr = pr;
        best = pairs(&s);
        then = "";
    }
    if (best)
        sn_diag_help(pv->d, "%s %s %s%s",
                     carried ? "or guard it:" : "guard it:",
                     r->need ? "and" : "when", best->text, then);
    else if (t->diff > 0 && (then = proved_claim(&s, pr)))
        sn_diag_help(pv->d, "claim '%s'", then);
}
